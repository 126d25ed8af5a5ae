//! What is known of the markets, and what goes back and forth about them: commands and events.

use super::message::EffectError;
use super::profile::Profile;
use super::sandbox::SandboxNotes;
use crate::api::{ApiError, Secret};
use crate::domain::annotations::Annotations;
use crate::domain::evidence::Findings;
use crate::domain::journal::{Damage, Entry};
use crate::domain::saved::{Searches, Snapshot};
use crate::domain::{Dialect, workergroup};
use crate::keys::{Action, Keymap};
use crate::record::alerts::Alerts;
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
    /// The source of its key.
    pub key: KeySource,
    /// The key file in the configuration, even if the key now comes from elsewhere.
    pub file: Option<KeyFile>,
    /// Whether the configuration can change it: not the sandbox, nor a market with an address from
    /// the command line.
    pub is_configurable: bool,
}

/// A key file in the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyFile {
    pub path: String,
    /// Whether bourse wrote it: then it is deleted with its key.
    pub is_ours: bool,
}

/// All markets, and what the form for adding one needs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MarketList {
    /// The markets, the built-in ones first.
    pub markets: Vec<Market>,
    /// Whether the environment has a key for any market.
    pub has_variable: bool,
    /// The path of the configuration file, for display; `None` without a home folder.
    pub file: Option<String>,
    /// Why the configuration file is not used, if it is not.
    pub wrong: Option<String>,
}

/// Where to get the key of a market from.
#[derive(Debug, Clone, PartialEq)]
pub enum KeyFrom {
    /// From the environment, if it has one.
    Environment,
    /// From a private file, which will contain this key.
    File(Secret),
    /// From the output of a command.
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
    /// Where to get its key from.
    pub key: KeyFrom,
}

/// A change to the saved markets.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    Add(NewMarket),
    Key {
        name: String,
        /// Where to get its key from.
        from: KeyFrom,
    },
    /// Deletes the stored key of a market.
    Forget(String),
}

impl Change {
    pub fn market(&self) -> &str {
        match self {
            Self::Add(market) => &market.name,
            Self::Key { name, .. } | Self::Forget(name) => name,
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

/// The result of a market command.
#[derive(Debug)]
pub enum MarketEvent {
    /// The markets as they are now.
    Listed(MarketList),
    Ready(Box<MarketReady>),
    /// A market could not be connected.
    ConnectFailed(String),
    Tested(ConnectionTest),
    /// Evidence for a market's dialect.
    Probed(Result<Findings, EffectError>),
    /// A change succeeded or failed, and the markets as they are now.
    Changed {
        /// The market and what was done to it.
        result: Result<(String, Done), EffectError>,
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

/// The known markets, and the commands in progress.
#[derive(Debug, Default)]
pub struct Markets {
    pub market_list: MarketList,
    /// Whether to show first-time users of the sandbox how to connect to a real market.
    pub invites: bool,
    /// Whether a person has closed that card or made a search: it is not shown again.
    pub is_welcomed: bool,
    /// The ticket and name of the market that is being connected.
    pub(crate) connecting: Option<(Ticket, String)>,
    /// The market that is being tested.
    pub(crate) testing: Option<(Ticket, String)>,
    pub status: Option<StatusMessage>,
    /// Whether the configuration is being changed.
    pub is_changing: bool,
    /// Evidence for the dialect of the market in the open form, until the form has handled it.
    pub findings: Option<Result<Findings, EffectError>>,
    /// The changed market, until a view has handled it.
    pub finished: Option<(String, Done)>,
    /// Why a change failed, until a view has handled it.
    pub failed: Option<String>,
}

impl Markets {
    /// The market that is being connected.
    pub fn connecting(&self) -> Option<&str> {
        self.connecting.as_ref().map(|(_, name)| name.as_str())
    }

    pub fn testing(&self) -> Option<&str> {
        self.testing.as_ref().map(|(_, name)| name.as_str())
    }

    /// The place of a market in the list.
    pub fn index_of(&self, name: &str) -> Option<usize> {
        self.market_list.markets.iter().position(|market| market.name == name)
    }
}

/// An error for the screen; if an API key is missing, also how to add one here.
pub fn explain(error: &ApiError, keymap: &Keymap) -> String {
    match error {
        ApiError::NoKey { .. } => {
            format!("{error} or press {} to add one", keymap.key_of(Action::Markets))
        }
        error => error.to_string(),
    }
}

/// What was kept for a profile and comes back with it.
#[derive(Debug, Default)]
pub struct RestoredState {
    /// What a person should know.
    pub notices: Vec<String>,
    /// How the dashboard was left, and the saved searches; `None` where nothing can be kept.
    pub kept: Option<(Option<Snapshot>, Searches)>,
    pub annotations: Annotations,
    pub alerts: Alerts,
    pub history: Vec<Entry>,
    /// What is to be known about the history.
    pub history_note: Option<String>,
    /// Damaged lines of the history.
    pub damage: Vec<Damage>,
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
