//! What happens to the dashboard, and what it asks the runtime to do: data in both directions.

use std::sync::Arc;

use crossterm::event::{KeyEvent, MouseEvent};

use super::exported::{NotWritten, Written};
use super::markets::{MarketCommand, MarketEvent, MarketList};
pub use super::toast::Toast;
use crate::api::ledger::LedgerEntry;
use crate::api::{Called, Request, Response};
use crate::core::themes::Themes;
use crate::domain::annotations::{AnnotationChange, Annotations};
use crate::domain::journal::{CommandRun, Damage, Intent, Outcome};
use crate::domain::routing::{Hop, Run};
use crate::domain::saved::{SearchChange, Searches, Snapshot};
use crate::domain::throughput::WorkUnit;
use crate::domain::{Listing, Query, workergroup};
use crate::keys::Keymap;
use crate::record::alerts::{AlertChange, Alerts, Logged};
use crate::record::watch::{Claim, Right};
use crate::record::{AnyAnalysis, AnyOutput, Moment, Poll};
use crate::settings::Values;
use crate::table::browser::Arrival;
use crate::table::remote::{Progress, Sending, Ticket};

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
    /// The configuration file was reloaded, or cannot be used.
    Reconfigured(Result<Box<Reconfigured>, EffectError>),
    /// What the ticket of an effect brings, for its owner.
    News {
        ticket: Ticket,
        news: News,
    },
    /// A copy, a file, the record or a task succeeded or failed, with a message for the user.
    Report(Result<String, EffectError>),
    /// So many days before the sandbox's first start are being simulated and recorded; `None`: no longer.
    Simulating(Option<u32>),
    /// The state of the dashboard or of its sandbox cannot be saved: why.
    NotSaved(String),
    /// Something that must not be missed: it stays until it is dismissed.
    Notice(String),
    /// The damaged lines of the journal, for which nothing is sent.
    JournalDamage(Vec<Damage>),
    /// An attempt ended: its request and response, without secrets.
    Recorded {
        /// The ticket of the request; `None` if the dashboard did not send it.
        ticket: Option<Ticket>,
        entry: Box<LedgerEntry>,
    },
    /// The computer was suspended and goes on; `spread` is any number from 0 to 1.
    Woken {
        spread: f64,
    },
    /// The deadline that [`super::Model::deadline`] returned has passed.
    Deadline,
}

/// What a ticket brings: progress, then its result.
#[derive(Debug)]
pub enum News {
    Progress(Progress),
    /// The response to [`Effect::Call`] or [`Effect::Write`].
    Reply(Box<Response>),
    /// The response to a route request.
    Routed(Box<Routed>),
    /// A response was arranged, see [`Effect::Arrange`].
    Arranged(Box<Arrival>),
    /// The output of an analysis; see [`HistoryJob::Ask`].
    Recalled(Result<AnyOutput, EffectError>),
    /// The rows that the record last saw complete for a search, and when; see [`HistoryJob::LatestRows`].
    RecordedRows(Option<Box<(Listing, Moment)>>),
    /// Who polls a watched search; see [`HistoryJob::ClaimPoll`].
    Poll(Right),
    /// Whether an alert rings here, or did in another program; see [`HistoryJob::ClaimRing`].
    Ring {
        claim: Box<RingClaim>,
        is_ours: bool,
    },
    /// What [`Effect::Save`] asked for was saved, or why not.
    Saved(Saved),
    /// A file was written or not; see [`Effect::Export`].
    Written(Result<Written, NotWritten>),
    /// The editor that [`Effect::Edit`] opened was closed, with the edited text.
    Edited(Result<String, EffectError>),
    /// The content of a file; see [`Effect::ReadText`].
    Text(Result<String, EffectError>),
    /// The result of a market command.
    Market(Box<MarketEvent>),
    /// A program of the user's has ended; see [`Effect::Run`].
    Ran(Box<Ran>),
}

/// The response to a route request, with its times on the monotonic clock.
#[derive(Debug)]
pub struct Routed {
    /// When the request was sent, measured at the socket.
    pub sent: f64,
    /// When its response was complete, or that of the worker.
    pub ended: f64,
    /// Bytes of the response body.
    pub bytes: u64,
    pub response: Response,
    /// The call of the assigned worker, which followed before `ended`.
    pub called: Option<Called>,
}

/// A ring of an alert, of which several programs that see it do one.
#[derive(Debug, PartialEq)]
pub struct RingClaim {
    pub logged: Logged,
    pub alarm: Notification,
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
    /// The listed groups, to compare the next listing with.
    Groups(Box<workergroup::Snapshot>),
}

/// What was saved: the file's content as it is now, with other programs' changes.
#[derive(Debug)]
pub enum Saved {
    State(Result<(), EffectError>),
    Searches(Box<Result<Searches, EffectError>>),
    Annotations(Box<Result<Annotations, EffectError>>),
    Alerts(Box<Result<Alerts, EffectError>>),
    /// The listed groups.
    Groups(Result<(), EffectError>),
}

/// Something for the recorded market, in the order in which it was asked for.
#[derive(Debug, PartialEq)]
pub enum HistoryJob {
    /// Add a response.
    Record(Box<Poll>),
    /// Compute an analysis; brings [`News::Recalled`].
    Ask { ticket: Ticket, analysis: AnyAnalysis },
    /// Find the rows last seen complete for a search; brings [`News::RecordedRows`].
    LatestRows { ticket: Ticket, query: Box<Query> },
    /// Claim the ring of an alert that other programs may see too; brings [`News::Ring`].
    ClaimRing { ticket: Ticket, claim: Box<RingClaim> },
    /// Take the market's turn to ask for a watched search, unless another program has asked; brings [`News::Poll`].
    ClaimPoll { ticket: Ticket, claim: Box<Claim> },
    /// Let other programs ask: this one awaits no response.
    EndTurn,
    /// Count a request sent now, in seconds since 1970, in the budget that programs share.
    CountRequest(f64),
}

/// Something for the runtime to do.
#[derive(Debug, PartialEq)]
pub enum Effect {
    /// Send a request; brings [`News::Reply`], a route request [`News::Routed`].
    Call {
        /// The ticket of the reply.
        ticket: Ticket,
        request: Request,
    },
    /// Ask for a worker and send the request on to it; brings [`News::Routed`].
    RouteOn {
        /// The ticket of the reply.
        ticket: Ticket,
        request: Request,
        hop: Arc<Hop>,
    },
    /// Arrange a long response on another thread; brings [`News::Arranged`].
    Arrange(Box<Arrival>),
    /// Send a write, once: journal the intent before the first byte and the outcome afterwards;
    /// brings [`News::Reply`]. It is never aborted.
    Write {
        /// The ticket of the reply.
        ticket: Ticket,
        request: Request,
        /// What to journal before sending.
        intent: Intent,
    },
    /// Journal the outcome that the user has set for a write.
    KeepOutcome(Outcome),
    /// Move these lines out of the journal; brings [`Message::JournalDamage`].
    SetDamageAside(Vec<Damage>),
    /// Stop waiting for this response. Only reads and the attempts of a stopped route series are
    /// aborted.
    Abort(Ticket),
    /// Copy a text to the clipboard; replies with [`Message::Report`].
    Copy {
        /// What is copied, for the confirmation.
        what: String,
        text: String,
    },
    /// Save something of the person's; brings [`News::Saved`].
    Save {
        ticket: Ticket,
        saving: Saving,
    },
    /// Write a run of the route lab to a new file; replies with [`Message::Report`].
    SaveRun {
        /// The run at this moment.
        run: RunSnapshot,
        /// The time, on the monotonic clock.
        now: f64,
        /// The path; CSV by its extension, else JSON.
        path: String,
    },
    /// Write a file; brings [`News::Written`].
    Export {
        ticket: Ticket,
        path: String,
        content: String,
        /// Whether an existing file is replaced.
        overwrite: bool,
        /// Whether only its owner may read it.
        is_private: bool,
    },
    /// Read a text file, at most 16 MiB; brings [`News::Text`].
    ReadText {
        ticket: Ticket,
        path: String,
    },
    /// Something for the recorded market.
    History(HistoryJob),
    /// Carry out a market command; brings [`News::Market`].
    Market {
        ticket: Ticket,
        command: MarketCommand,
    },
    /// Switch to the market that was connected under this ticket.
    Activate(Ticket),
    /// Send a desktop notification, if the person wants one now; for an alert also ring.
    Notify(Box<Notification>),
    /// Open the person's editor on a text; brings [`News::Edited`].
    Edit {
        ticket: Ticket,
        text: String,
        /// The file's extension, by which editors choose their highlighting: `.json`.
        suffix: &'static str,
    },
    /// Run a program of the user's between its two lines in the journal; brings [`News::Ran`].
    Run {
        ticket: Ticket,
        command: Box<RunCommand>,
    },
    /// Change the configuration file, or read it again.
    Config(ConfigCommand),
    /// Forget the intervals learned from refusals.
    ForgetLimits,
    Redraw,
    /// Stop the process as Ctrl-Z does, and return.
    Suspend,
    Quit,
}

/// An effect that failed: on a file, the clipboard, the editor, the record.
///
/// The core shows its text and decides nothing by it. A failure that a view treats differently is a variant, as
/// [`NotWritten::Exists`].
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct EffectError(Box<dyn std::error::Error + Send + Sync>);

impl EffectError {
    /// The failure of an effect, by its cause or by a text for the user.
    pub fn new(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self(cause.into())
    }
}

/// A program of the user's to run, without a shell.
#[derive(Debug, PartialEq)]
pub struct RunCommand {
    /// The journal entry that is written before it runs, with the whole command.
    pub record: CommandRun,
    pub environment: Vec<(&'static str, String)>,
}

/// A program of the user's that has ended, or could not be run.
#[derive(Debug)]
pub struct Ran {
    /// How it ended, as a phrase.
    pub status: String,
    pub is_error: bool,
    /// What it printed, without known secrets.
    pub output: String,
    /// Whether it printed more.
    pub is_cut: bool,
}

/// What is done with the configuration file.
#[derive(Debug, PartialEq, Eq)]
pub enum ConfigCommand {
    /// Open the person's editor on it, then read it again.
    Edit,
    Reload,
    /// Select another theme in it; replies with [`Message::Report`].
    SaveTheme(String),
    /// Set the throughput of a GPU model in it; replies with [`Message::Report`].
    SaveRate {
        unit: WorkUnit,
        model: String,
        /// Units per second.
        rate: String,
    },
}

/// A desktop notification; of an alert, with a ring.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notification {
    pub title: String,
    pub text: String,
    /// The environment variables of the person's own command, which runs with the bell when an alert
    /// rings.
    pub alarm: Option<Vec<(&'static str, String)>>,
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

impl From<Sending> for Effect {
    fn from(sending: Sending) -> Self {
        match sending {
            Sending::Send(ticket, request) => Self::Call { ticket, request },
            Sending::Abort(ticket) => Self::Abort(ticket),
        }
    }
}

impl Effect {
    /// Adds a response to the recorded market.
    pub(crate) fn record(poll: impl Into<Box<Poll>>) -> Self {
        Self::History(HistoryJob::Record(poll.into()))
    }

    /// The ticket whose owner gets what this brings.
    pub const fn ticket(&self) -> Option<Ticket> {
        match self {
            Self::Call { ticket, .. }
            | Self::RouteOn { ticket, .. }
            | Self::ReadText { ticket, .. }
            | Self::Write { ticket, .. }
            | Self::Save { ticket, .. }
            | Self::Export { ticket, .. }
            | Self::History(
                HistoryJob::Ask { ticket, .. }
                | HistoryJob::LatestRows { ticket, .. }
                | HistoryJob::ClaimRing { ticket, .. }
                | HistoryJob::ClaimPoll { ticket, .. },
            )
            | Self::Market { ticket, .. }
            | Self::Edit { ticket, .. }
            | Self::Run { ticket, .. } => Some(*ticket),
            Self::Arrange(arrival) => Some(arrival.ticket()),
            Self::KeepOutcome(_)
            | Self::SetDamageAside(_)
            | Self::Abort(_)
            | Self::Copy { .. }
            | Self::SaveRun { .. }
            | Self::History(HistoryJob::Record(_) | HistoryJob::EndTurn | HistoryJob::CountRequest(_))
            | Self::Activate(_)
            | Self::Notify(_)
            | Self::Config(_)
            | Self::ForgetLimits
            | Self::Redraw
            | Self::Suspend
            | Self::Quit => None,
        }
    }
}
