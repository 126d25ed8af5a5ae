//! Where the API key of a market comes from. Never the key.

/// The source of a key. Never the key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeySource {
    /// The sandbox makes its own.
    Generated,
    Variable(&'static str),
    /// A file; its path, for display.
    File(String),
    /// The output of a command, run when bourse connects.
    Command,
    /// The file of the market's own client, which bourse only reads; its path.
    OtherClient(String),
    None,
    /// A key for another address, which is not sent to the one in use.
    Withheld(String),
    /// A configured key that cannot be used; why.
    Unusable(String),
}

impl KeySource {
    pub const fn short(&self) -> &'static str {
        match self {
            Self::Generated => "own key",
            Self::Variable(_) => "environment",
            Self::File(_) => "key file",
            Self::Command => "key command",
            Self::OtherClient(_) => "client's file",
            Self::None => "no key",
            Self::Withheld(_) => "key not sent",
            Self::Unusable(_) => "key unusable",
        }
    }

    pub fn sentence(&self) -> String {
        match self {
            Self::Generated => "The sandbox creates its own key.".to_owned(),
            Self::Variable(name) => format!("The key comes from {name} in the environment."),
            Self::File(path) => format!("The key is in {path}."),
            Self::Command => "The key is read from a command's output.".to_owned(),
            Self::OtherClient(path) => {
                format!("The key is read from the market's own client: {path}.")
            }
            Self::None => "No API key configured.".to_owned(),
            Self::Withheld(address) => {
                format!("The key is for {address} and is not sent here: start bourse with --send-key to send it.")
            }
            Self::Unusable(why) => format!("The key cannot be used: {why}."),
        }
    }
}
