//! What is known of the markets, and what goes back and forth about them: commands and events.

use crate::api::{ApiError, Secret};
use crate::app::keymap::{Action, Keymap};
use crate::app::profile::Profile;
use crate::app::remote::Ticket;
use crate::app::sandbox::SandboxNotes;
use crate::domain::Dialect;
use crate::domain::journal::Entry;
use crate::domain::saved::{Searches, Snapshot};
use crate::domain::workergroup;

/// The variable that holds a key for whatever market is spoken to.
pub const KEY_VARIABLE: &str = "BOURSE_API_KEY";

/// A market that the dashboard can connect to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Market {
    pub name: String,
    /// Its base address; `None` for the embedded sandbox.
    pub address: Option<String>,
    /// The address of its routing endpoint, if that is another one.
    pub route: Option<String>,
    pub dialect: &'static Dialect,
    /// Whether creating and unlisting are off.
    pub read_only: bool,
    /// Where its key comes from.
    pub key: KeySource,
    /// The key file of the configuration, even if the key comes from elsewhere now.
    pub file: Option<KeyFile>,
    /// Whether the configuration can say more about it: not for the sandbox, nor for an address of
    /// the command line.
    pub is_configurable: bool,
}

/// A key file that the configuration names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyFile {
    pub path: String,
    /// Whether bourse keeps it: then it goes with its key.
    pub is_own: bool,
}

/// Where a key comes from. Never the key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeySource {
    /// The sandbox makes its own.
    Own,
    /// From a variable of the environment.
    Variable(&'static str),
    /// From a file; its path, for people.
    File(String),
    /// From what a command prints when bourse connects.
    Command,
    /// From the file of the market's own client, which bourse only reads; its path.
    OtherClient(String),
    /// There is none.
    None,
    /// There should be one, but it cannot be used; why.
    Unusable(String),
}

impl KeySource {
    pub const fn short(&self) -> &'static str {
        match self {
            Self::Own => "own key",
            Self::Variable(_) => "environment",
            Self::File(_) => "key file",
            Self::Command => "key command",
            Self::OtherClient(_) => "client's file",
            Self::None => "no key",
            Self::Unusable(_) => "key unusable",
        }
    }

    pub fn sentence(&self) -> String {
        match self {
            Self::Own => "The sandbox creates its own key.".to_owned(),
            Self::Variable(name) => format!("The key comes from {name} in the environment."),
            Self::File(path) => format!("The key is in {path}."),
            Self::Command => "The key is read from a command's output.".to_owned(),
            Self::OtherClient(path) => {
                format!("The key is read from the market's own client: {path}.")
            }
            Self::None => "No API key configured.".to_owned(),
            Self::Unusable(why) => format!("The key cannot be used: {why}."),
        }
    }

    /// Whether requests carry a key.
    pub const fn is_some(&self) -> bool {
        !matches!(self, Self::None | Self::Unusable(_))
    }
}

/// All markets, and what is to be known for adding one.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MarketList {
    /// The markets, the built-in ones first.
    pub markets: Vec<Market>,
    /// Whether the environment holds a key for whatever market is spoken to.
    pub has_variable: bool,
    /// The configuration file, for people; `None` without a home.
    pub file: Option<String>,
    /// Why the configuration file is not used, if it is not.
    pub wrong: Option<String>,
}

/// Where the key of a market is to come from.
#[derive(Debug, Clone, PartialEq)]
pub enum KeyFrom {
    /// From the environment, if it holds one.
    Environment,
    /// From a private file, which is to hold this.
    File(Secret),
    /// From what a command prints.
    Command(String),
}

/// A market to be added.
#[derive(Debug, Clone, PartialEq)]
pub struct NewMarket {
    pub name: String,
    pub base_url: String,
    /// The address of its routing endpoint, if that is another one.
    pub route_url: Option<String>,
    pub dialect: &'static Dialect,
    /// Whether creating and unlisting are off.
    pub read_only: bool,
    /// Where its key is to come from.
    pub key: KeyFrom,
}

/// A change to what is kept of the markets.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    Add(NewMarket),
    Key {
        name: String,
        /// Where its key is to come from.
        from: KeyFrom,
    },
    /// Forgets the key of one.
    Forget(String),
}

impl Change {
    /// The market that it is about.
    pub fn market(&self) -> &str {
        match self {
            Self::Add(market) => &market.name,
            Self::Key { name, .. } | Self::Forget(name) => name,
        }
    }
}

/// Something to be done about markets.
#[derive(Debug, PartialEq)]
pub enum MarketCommand {
    /// List them; answer with [`MarketEvent::Listed`].
    List,
    /// Get everything ready to speak for another market, without sending anything; answer with
    /// [`MarketEvent::Ready`] or [`MarketEvent::ConnectFailed`].
    Connect {
        /// The number to answer with.
        ticket: Ticket,
        name: String,
    },
    /// Speak for the market that was made ready under this number, from now on.
    Activate(Ticket),
    /// Send a market one request that changes nothing; answer with [`MarketEvent::Tested`].
    Test {
        /// The number to answer with.
        ticket: Ticket,
        name: String,
    },
    /// Change what is kept of them; answer with [`MarketEvent::Changed`].
    Change(Change),
}

/// What a command led to.
#[derive(Debug)]
pub enum MarketEvent {
    /// The markets as they are now.
    Listed(MarketList),
    /// A market is ready to be spoken to.
    Ready(Box<MarketReady>),
    /// A market cannot be spoken to.
    ConnectFailed { ticket: Ticket, why: String },
    Tested {
        ticket: Ticket,
        outcome: ConnectionTest,
    },
    /// Something was changed or not, and the markets as they are now.
    Changed {
        /// The market, and whether its key may be another one now.
        result: Result<(String, Done), String>,
        market_list: MarketList,
    },
}

/// What was done to a market.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Done {
    Added,
    KeyGiven,
    KeyForgotten,
}

/// What came of a test.
#[derive(Debug)]
pub enum ConnectionTest {
    /// It answered: with so many workergroups of the key's account, or with so many offers.
    Groups(usize),
    /// It answered a search without a key with so many offers.
    Offers(usize),
    /// It refused, failed or was not reached.
    Failed(ApiError),
    NotSent(String),
}

/// Something said about a market in the list.
#[derive(Debug, Clone, PartialEq)]
pub struct StatusMessage {
    pub text: String,
    /// Whether it is bad news.
    pub is_error: bool,
}

impl StatusMessage {
    pub fn good(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            is_error: false,
        }
    }

    pub fn bad(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            is_error: true,
        }
    }
}

/// Everything that is known of the markets, and what is under way.
#[derive(Debug, Default)]
pub struct Markets {
    pub market_list: MarketList,
    /// Whether somebody who sees the sandbox for the first time should be told the way out.
    pub invites: bool,
    /// The market that is being made ready, and the number of that.
    pub(super) connecting: Option<(Ticket, String)>,
    /// The market that is being tested.
    pub(super) testing: Option<(Ticket, String)>,
    /// What was found out last.
    pub status: Option<StatusMessage>,
    /// Whether the configuration is being changed.
    pub is_changing: bool,
    /// The market that was changed, until a view has taken note of it.
    pub finished: Option<(String, Done)>,
    /// Why a change was not made, until a view has taken note of it.
    pub failed: Option<String>,
}

impl Markets {
    /// The market that is being made ready.
    pub fn connecting(&self) -> Option<&str> {
        self.connecting.as_ref().map(|(_, name)| name.as_str())
    }

    /// The market that is being tested.
    pub fn testing(&self) -> Option<&str> {
        self.testing.as_ref().map(|(_, name)| name.as_str())
    }

    /// The place of a market in the list.
    pub fn place(&self, name: &str) -> Option<usize> {
        self.market_list
            .markets
            .iter()
            .position(|market| market.name == name)
    }
}

/// An error for the screen: where an API key is missing, also how to add one here.
pub fn explain(error: &ApiError, keymap: &Keymap) -> String {
    match error {
        ApiError::NoKey { .. } => {
            format!(
                "{error} or press {} to add one",
                keymap.key_of(Action::Markets)
            )
        }
        other => other.to_string(),
    }
}

/// What was kept for a profile and comes back with it.
#[derive(Debug, Default)]
pub struct RestoredState {
    /// What a person should know.
    pub notices: Vec<String>,
    /// How the dashboard was left, and the saved searches; `None` where nothing can be kept.
    pub kept: Option<(Option<Snapshot>, Searches)>,
    pub history: Vec<Entry>,
    /// What is to be known about the history.
    pub history_note: Option<String>,
    /// What was seen of its workergroups.
    pub groups: Option<workergroup::Snapshot>,
    /// What the embedded sandbox says of itself.
    pub sandbox: SandboxNotes,
    /// Any number, for what is to differ from run to run.
    pub seed: u64,
}

/// A market that is ready to be spoken to.
#[derive(Debug)]
pub struct MarketReady {
    /// The number under which it was asked for.
    pub ticket: Ticket,
    /// For whom the dashboard speaks then.
    pub profile: Profile,
    /// What was kept for it.
    pub restored: RestoredState,
    /// The markets as they are now.
    pub market_list: MarketList,
}
