//! What happens to the dashboard, and what it asks the runtime to do: data in both directions.

use std::sync::Arc;

use crossterm::event::{KeyEvent, MouseEvent};

use super::exported::{NotWritten, Written};
use super::markets::{MarketCommand, MarketEvent, MarketList};
pub use super::toast::Toast;
use crate::api::ledger::LedgerEntry;
use crate::api::{ApiError, Received, Reply, Request};
use crate::core::themes::Themes;
use crate::domain::alerts::{AlertChange, Alerts, Logged};
use crate::domain::annotations::{AnnotationChange, Annotations};
use crate::domain::history::{Answer, Poll, Question};
use crate::domain::journal::{Intent, Outcome};
use crate::domain::routing::Run;
use crate::domain::saved::{SearchChange, Searches, Snapshot};
use crate::domain::{Resource, workergroup};
use crate::keys::Keymap;
use crate::settings::Values;
use crate::table::browser::Arrival;
use crate::table::remote::{Ticket, Waiting};
use crate::table::watch::{PollClaim, PollRight};

#[derive(Debug)]
pub enum Message {
    /// The program started: request what the first screen needs.
    Started,
    Key(KeyEvent),
    /// A text was pasted in one piece.
    Paste(String),
    /// A key or click that arrived with a paste and may be part of it: it never confirms anything.
    AfterPaste(Box<Self>),
    /// The mouse was clicked, dragged or its wheel turned.
    Mouse(MouseEvent),
    /// The terminal has this many columns and rows.
    Resized(u16, u16),
    /// The terminal got or lost the focus.
    Focus(bool),
    /// The editor that [`Effect::Edit`] opened was closed: the text, or why there is none.
    Edited(Result<String, String>),
    /// The configuration file was reloaded; or why it is not used.
    Reconfigured(Result<Box<Reconfigured>, String>),
    Answered {
        ticket: Ticket,
        result: Box<Result<Reply, ApiError>>,
    },
    /// A response was arranged, see [`Effect::Arrange`].
    Arranged(Box<Arrival>),
    /// A route request succeeded or failed.
    Routed {
        ticket: Ticket,
        /// When it was sent, on the monotonic clock, measured at the socket.
        sent: f64,
        /// When its response was complete.
        ended: f64,
        /// Bytes of the response body.
        bytes: u64,
        result: Box<Result<Reply, ApiError>>,
    },
    /// Something outside the core went well or not: a copy, a file, the record, a task. A message either way.
    Told(Result<String, String>),
    /// An attempt ended: its request and response, without secrets.
    Recorded {
        /// The ticket of the request; `None` if the dashboard did not send it.
        ticket: Option<Ticket>,
        entry: Box<LedgerEntry>,
    },
    /// A request waits for the rate limit or is retried.
    Progress {
        ticket: Ticket,
        attempt: u32,
        /// How long and why it waits, if it does.
        waiting: Option<Waiting>,
    },
    /// Part of a response arrived.
    Received {
        ticket: Ticket,
        received: Received,
    },
    /// The computer was suspended and goes on; `spread` is any number from 0 to 1.
    Woken {
        spread: f64,
    },
    /// The deadline that [`super::Model::deadline`] returned has passed.
    Deadline,
    /// What [`Effect::Save`] asked for was saved, or why not.
    Saved(Saved),
    /// A file was written or not.
    Exported(Result<Written, NotWritten>),
    /// The result of a market command.
    Market(Box<MarketEvent>),
    /// What was recorded of the market, or why it cannot be read; see [`Effect::Recall`].
    Recalled {
        ticket: Ticket,
        result: Box<Result<Answer, String>>,
    },
    /// Whether an alert rings here, or did in another program; see [`Effect::ClaimRing`].
    RingClaimed {
        claim: Box<RingClaim>,
        is_ours: bool,
    },
    /// Who polls a watched search; see [`Effect::ClaimPoll`].
    PollClaimed {
        ticket: Ticket,
        right: PollRight,
    },
}

/// A ring of an alert, of which several programs that see it do one.
#[derive(Debug, PartialEq)]
pub struct RingClaim {
    pub logged: Logged,
    pub alarm: Alarm,
}

/// What is saved of the person's, each in its own file. A change comes with what was there before it, in
/// case the file is gone.
#[derive(Debug, PartialEq)]
pub enum Saving {
    /// The state of the dashboard.
    State(Box<Snapshot>),
    Searches {
        change: SearchChange,
        before: Searches,
    },
    Annotations {
        change: AnnotationChange,
        before: Annotations,
    },
    Alerts {
        change: Box<AlertChange>,
        before: Alerts,
    },
    /// The listed groups, to compare the next listing with; only a failure is reported.
    Groups(Box<workergroup::Snapshot>),
}

/// What was saved: the file's content as it is now, with other programs' changes.
#[derive(Debug)]
pub enum Saved {
    State(Result<(), String>),
    Searches(Box<Result<Searches, String>>),
    Annotations(Box<Result<Annotations, String>>),
    Alerts(Box<Result<Alerts, String>>),
}

/// Something for the runtime to do.
#[derive(Debug, PartialEq)]
pub enum Effect {
    /// Send a request; replies with [`Message::Answered`], a route request with
    /// [`Message::Routed`].
    Call {
        /// The ticket of the reply.
        ticket: Ticket,
        request: Request,
    },
    /// Arrange a long response on another thread; replies with [`Message::Arranged`].
    Arrange(Box<Arrival>),
    /// Send a write, once: journal the intent before the first byte and the outcome afterwards;
    /// replies with [`Message::Answered`]. It is never aborted.
    Write {
        /// The ticket of the reply.
        ticket: Ticket,
        request: Request,
        /// What to journal before sending.
        intent: Intent,
    },
    /// Journal the outcome that the user has set for a write.
    KeepOutcome(Outcome),
    /// Stop waiting for this response. Only reads and the attempts of a stopped route series are
    /// aborted.
    Abort(Ticket),
    /// Copy a text to the clipboard; replies with [`Message::Told`].
    Copy {
        /// What is copied, for the confirmation.
        what: String,
        text: String,
    },
    /// Save something of the person's; replies with [`Message::Saved`].
    Save(Saving),
    /// Claim the ring of an alert that other programs may see too; replies with
    /// [`Message::RingClaimed`].
    ClaimRing(Box<RingClaim>),
    /// Ring: the bell, a desktop notification, and the person's own command.
    Ring(Box<Alarm>),
    /// Write a run of the route lab to a new file; replies with [`Message::Told`].
    SaveRun {
        /// The run at this moment.
        run: RunSnapshot,
        /// The time, on the monotonic clock.
        now: f64,
        /// The path; CSV by its extension, else JSON.
        path: String,
    },
    /// Write a file; replies with [`Message::Exported`].
    Export {
        path: String,
        content: String,
        /// Whether an existing file is replaced.
        overwrite: bool,
        /// Whether only its owner may read it.
        is_private: bool,
    },
    /// Add a response to the recorded market.
    Record(Box<Poll>),
    /// Read the recorded market; replies with [`Message::Recalled`].
    Recall {
        ticket: Ticket,
        question: Question,
    },
    /// Find out whether this program polls a watched search; replies with [`Message::PollClaimed`].
    ClaimPoll {
        ticket: Ticket,
        claim: Box<PollClaim>,
    },
    /// Let another program poll what was watched of this resource.
    ReleasePolls(Resource),
    /// Carry out a market command; replies with [`Message::Market`].
    Market(MarketCommand),
    /// Select another theme in the configuration; replies with [`Message::Told`].
    SaveTheme(String),
    /// Send a desktop notification, if enabled and the terminal is unfocused.
    Notify {
        title: String,
        body: String,
    },
    /// Open the person's editor on a text; replies with [`Message::Edited`].
    Edit {
        text: String,
        /// The file's extension, by which editors choose their highlighting: `.json`.
        suffix: &'static str,
    },
    /// Open the person's editor on the configuration file, then read it again.
    EditConfig,
    /// Read the configuration file again.
    ReloadConfig,
    /// Forget the intervals learned from refusals.
    ForgetLimits,
    Redraw,
    /// Stop the process as Ctrl-Z does, and return.
    Suspend,
    Quit,
}

/// A ring, for the runtime: the values go to the person's command as environment variables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alarm {
    pub title: String,
    pub text: String,
    pub values: Vec<(&'static str, String)>,
}

/// The parts of the configuration that apply without reconnecting.
#[derive(Debug)]
pub struct Reconfigured {
    pub keymap: Keymap,
    /// The markets that can be connected to.
    pub market_list: MarketList,
    /// The themes, none shown but the one that the file names.
    pub themes: Themes,
    pub values: Values,
    /// What is wrong with the file but stops nothing: an unknown key, a bad color.
    pub notices: Vec<String>,
    /// Whether keys, colors or switches differ from before; adding a market changes none of them.
    pub is_noticeable: bool,
}

/// A run as it was at one moment, to be written to a file while it may go on.
#[derive(Debug, Clone)]
pub struct RunSnapshot(pub Arc<Run>);

impl PartialEq for RunSnapshot {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Effect {
    /// Adds a response to the recorded market.
    pub(crate) fn record(poll: Poll) -> Self {
        Self::Record(Box::new(poll))
    }
}
