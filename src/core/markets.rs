//! The markets of the configuration, and the commands and events of managing them.

use super::message::EffectError;
use super::profile::Profile;
use super::sandbox::SandboxNotes;
use crate::api::{ApiError, Secret};
use crate::domain::Dialect;
use crate::domain::document::{Document, Documents};
use crate::domain::evidence::Findings;
use crate::domain::journal::{Damage, Entry};
use crate::keys::{Action, Keymap};
use crate::settings::KeySource;
use crate::table::remote::Ticket;

/// A market in the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Market {
    pub name: String,
    /// Its base address; `None` for the embedded sandbox.
    pub address: Option<String>,
    /// The address of its routing endpoint, if it differs.
    pub route: Option<String>,
    pub dialect: &'static Dialect,
    /// Whether creating and unlisting are off.
    pub read_only: bool,
    /// The source of its API key.
    pub key: KeySource,
    /// The key file in the configuration, even if the key is read from elsewhere now.
    pub file: Option<KeyFile>,
    /// Whether it can be removed: the configuration file defines it, and it is not built in.
    pub is_removable: bool,
    /// Whether the configuration can change it: not the sandbox, nor a market with an address from
    /// the command line.
    pub is_configurable: bool,
}

/// A key file in the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyFile {
    pub path: String,
    /// Whether bourse wrote it, so that it is deleted with its key.
    pub is_ours: bool,
}

/// All markets, and the facts that the form for adding one needs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MarketList {
    /// The markets, the built-in ones first.
    pub markets: Vec<Market>,
    /// Whether the environment has a key for any market.
    pub has_variable: bool,
    /// The path of the configuration file, for display; `None` without a home folder.
    pub file: Option<String>,
    /// The reason the configuration file is not used, or `None` if it is.
    pub wrong: Option<String>,
}

/// The source of a market's API key, as entered in the form.
#[derive(Debug, Clone, PartialEq)]
pub enum KeyFrom {
    /// The environment variable, if it is set.
    Environment,
    /// A private file, which will contain this key.
    File(Secret),
    /// The output of a command.
    Command(String),
}

#[derive(Debug, Clone, PartialEq)]
pub struct NewMarket {
    pub name: String,
    pub base_url: String,
    /// The address of its routing endpoint, if it differs.
    pub route_url: Option<String>,
    pub dialect: &'static Dialect,
    /// Whether creating and unlisting are off.
    pub read_only: bool,
    /// The source of its API key.
    pub key: KeyFrom,
}

/// A change to the saved markets.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    Add(NewMarket),
    Key {
        name: String,
        /// The source of its API key.
        from: KeyFrom,
    },
    Dialect {
        name: String,
        dialect: &'static Dialect,
        /// The source of another API key; `None` if it stays.
        from: Option<KeyFrom>,
    },
    /// Deletes the stored key of a market.
    Forget(String),
    /// Removes a market from the configuration, with its stored key.
    Remove(String),
}

impl Change {
    /// The name of the market to be changed.
    pub fn market(&self) -> &str {
        match self {
            Self::Add(market) => &market.name,
            Self::Key { name, .. } | Self::Dialect { name, .. } | Self::Forget(name) | Self::Remove(name) => name,
        }
    }
}

#[derive(Debug, PartialEq)]
pub enum MarketCommand {
    /// List them; replies with [`MarketEvent::Listed`].
    List,
    /// Connect to another market without sending anything; replies with [`MarketEvent::Ready`] or
    /// [`MarketEvent::ConnectFailed`].
    Connect(String),
    /// Send a market one read-only request; replies with [`MarketEvent::Tested`].
    Test(String),
    /// Find out the dialect of a market that is not saved yet; replies with [`MarketEvent::Probed`].
    Probe(NewMarket),
    /// Change the saved markets; replies with [`MarketEvent::Changed`].
    Change(Change),
}

/// The reason the dialect of a market could not be detected.
#[derive(Debug, thiserror::Error)]
pub enum ProbeError {
    /// The market refuses the key or wants one, or the key can't be read. The text is the reason.
    #[error("{0}")]
    Key(String),
    #[error(transparent)]
    Failed(#[from] EffectError),
}

/// The result of a market command.
#[derive(Debug)]
pub enum MarketEvent {
    /// The current list of markets.
    Listed(MarketList),
    Ready(Box<MarketReady>),
    /// A market could not be connected.
    ConnectFailed(String),
    Tested(ConnectionTest),
    /// Evidence for a market's dialect, or the failure of the probe.
    Probed(Result<Findings, ProbeError>),
    /// A change succeeded or failed; the list of markets follows.
    Changed {
        /// The market and the change made to it.
        result: Result<(String, Done), EffectError>,
        market_list: MarketList,
    },
}

/// The change made to a market.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Done {
    Added,
    KeyGiven,
    DialectSet,
    KeyForgotten,
    Removed,
}

/// The result of a connection test.
#[derive(Debug)]
pub enum ConnectionTest {
    /// It returned this many workergroups of the key's account.
    Groups(usize),
    /// It answered a search without a key with this many offers.
    Offers(usize),
    Failed(ApiError),
    NotSent(String),
}

/// A status message about a market in the list.
#[derive(Debug, Clone, PartialEq)]
pub struct StatusMessage {
    pub text: String,
    /// Whether it is an error.
    pub is_error: bool,
}

impl StatusMessage {
    /// A status message that is not an error.
    pub fn good(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            is_error: false,
        }
    }

    /// A status message that is an error.
    pub fn bad(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            is_error: true,
        }
    }
}

/// The markets of the configuration, and the commands in progress.
#[derive(Debug, Default)]
pub struct Markets {
    pub market_list: MarketList,
    /// Whether to show first-time users of the sandbox how to connect to a real market.
    pub invites: bool,
    /// Whether the user has closed that card or made a search, after which it is not shown again.
    pub is_welcomed: bool,
    /// The ticket and name of the market that is being connected.
    pub(crate) connecting: Option<(Ticket, String)>,
    /// The market that is being tested.
    pub(crate) testing: Option<(Ticket, String)>,
    pub status: Option<StatusMessage>,
    /// Whether the configuration is being changed.
    pub is_changing: bool,
    /// Evidence for the dialect of the market in the open form, until the form has handled it.
    pub findings: Option<Result<Findings, ProbeError>>,
    /// The changed market, until a view has handled it.
    pub finished: Option<(String, Done)>,
    /// The reason a change failed, until a view has handled it.
    pub failed: Option<String>,
}

impl Markets {
    /// The name of the market that is being connected, or `None`.
    pub fn connecting(&self) -> Option<&str> {
        self.connecting.as_ref().map(|(_, name)| name.as_str())
    }

    /// The name of the market whose connection is being tested, or `None`.
    pub fn testing(&self) -> Option<&str> {
        self.testing.as_ref().map(|(_, name)| name.as_str())
    }

    /// The index of a market in the list by its exact name; `None` if it is not listed.
    pub fn index_of(&self, name: &str) -> Option<usize> {
        self.market_list.markets.iter().position(|market| market.name == name)
    }
}

/// An error's text for the screen; if an API key is missing, also the keys to press for the view of the
/// markets, where one is added.
pub fn explain(error: &ApiError, keymap: &Keymap) -> String {
    match error {
        ApiError::NoKey { .. } => {
            format!("{error} or press {} to add one", keymap.key_of(Action::Markets))
        }
        error => error.to_string(),
    }
}

/// The saved data of a profile.
#[derive(Debug, Default)]
pub struct RestoredState {
    /// Problems of loading it, to be shown.
    pub notices: Vec<String>,
    /// The documents of the user; `None` if nothing can be saved.
    pub documents: Option<Documents>,
    pub history: Vec<Entry>,
    /// A problem with the write history, for display.
    pub history_note: Option<String>,
    /// Damaged lines of the write history.
    pub damage: Vec<Damage>,
    /// Notes on the embedded sandbox.
    pub sandbox: SandboxNotes,
    /// An arbitrary number that differs from run to run.
    pub seed: u64,
}

impl RestoredState {
    /// The saved document of this type; its default if there is none.
    pub fn document<T: Document>(&self) -> T {
        let documents = self.documents.as_ref();
        documents.and_then(Documents::get).cloned().unwrap_or_default()
    }
}

/// A market that is connected, ready to switch to.
#[derive(Debug)]
pub struct MarketReady {
    /// The ticket of the command that connected it.
    pub ticket: Ticket,
    pub profile: Profile,
    /// The saved data of its profile.
    pub restored: RestoredState,
    /// The current list of markets.
    pub market_list: MarketList,
}
