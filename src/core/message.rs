//! The data that goes into the core and out of it: messages and effects.

use std::sync::Arc;

use crossterm::event::{KeyEvent, MouseEvent};

use super::exported::{AnyContent, NotWritten, Written};
use super::markets::{MarketCommand, MarketEvent, MarketList};
use super::sandbox::Simulation;
pub use super::toast::Toast;
use crate::api::ledger::LedgerEntry;
use crate::api::{Called, Request, Response};
use crate::core::themes::Themes;
use crate::domain::document::{AnyDocument, AnyEdit, Document};
use crate::domain::journal::{CommandRun, Damage, Intent, Outcome};
use crate::domain::routing::Hop;
use crate::domain::throughput::WorkUnit;
use crate::domain::time::{MonotonicTime, UnixTime};
use crate::domain::{Listing, Query};
use crate::keys::Keymap;
use crate::record::watch::{Claim, Right};
use crate::record::{AnyAnalysis, AnyOutput, Moment, Poll};
use crate::settings::Values;
use crate::table::browser::Arrival;
use crate::table::remote::{Progress, Sending, Ticket};

#[derive(Debug)]
pub enum Message {
    /// The program has started: requests the data of the first screen.
    Started,
    Key(KeyEvent),
    /// A text was pasted in one piece.
    Paste(String),
    /// A key or click that arrived together with a paste and may be part of it: it confirms
    /// nothing.
    AfterPaste(Box<Self>),
    /// A click, drag or turn of the wheel.
    Mouse(MouseEvent),
    /// The size of the terminal changed, in columns and rows.
    Resized(u16, u16),
    /// The terminal gained or lost the focus.
    Focus(bool),
    /// The configuration file was reloaded, or cannot be used.
    Reconfigured(Result<Box<Reconfigured>, EffectError>),
    /// News of an effect, for the owner of its ticket.
    News {
        ticket: Ticket,
        news: News,
    },
    /// A copy, a file, the record or a task succeeded or failed, with a message for the user.
    Report(Result<String, EffectError>),
    /// The days before the sandbox's first start are being simulated and recorded; `None` once finished.
    Simulating(Option<Simulation>),
    /// The state of the dashboard or of its sandbox cannot be saved; the reason.
    NotSaved(String),
    /// An important notice, shown until it is dismissed.
    Notice(String),
    /// Damaged lines of the journal. While there are any, no write is sent.
    JournalDamage(Vec<Damage>),
    /// An attempt ended: its request and response, without secrets.
    Recorded {
        /// The ticket of the request; `None` if the dashboard did not send it.
        ticket: Option<Ticket>,
        entry: Box<LedgerEntry>,
    },
    /// The computer resumed after a suspend; `spread` is an arbitrary number from 0 to 1.
    Woken {
        spread: f64,
    },
    /// The deadline that [`super::Model::deadline`] returned has passed.
    Deadline,
}

/// News of an effect, under its ticket: progress, then the result.
#[derive(Debug)]
pub enum News {
    Progress(Progress),
    /// The response to [`Effect::Call`] or [`Effect::Write`].
    Reply(Box<Response>),
    /// The response to a route request.
    Routed(Box<Routed>),
    /// A response was prepared for its table; see [`Effect::Arrange`].
    Arranged(Box<Arrival>),
    /// The output of an analysis; see [`HistoryJob::Ask`].
    Recalled(Result<AnyOutput, EffectError>),
    /// The rows last seen complete for a search in the record, and the time; see
    /// [`HistoryJob::LatestRows`].
    RecordedRows(Option<Box<(Listing, Moment)>>),
    /// Whether this program may poll a watched search; see [`HistoryJob::ClaimPoll`].
    Poll(Right),
    /// Whether this program sends the notification, or another one did; see
    /// [`HistoryJob::ClaimNotification`].
    Claimed(bool),
    /// The result of [`Effect::Save`]: the file's current content, with other programs' changes.
    Saved(Result<AnyDocument, EffectError>),
    /// A file was written or not; see [`Effect::Export`].
    Written(Result<Written, NotWritten>),
    /// The text of the editor that [`Effect::Edit`] opened, now closed.
    Edited(Result<String, EffectError>),
    /// The content of a file; see [`Effect::ReadText`].
    Text(Result<String, EffectError>),
    /// The result of a market command.
    Market(Box<MarketEvent>),
    /// A user's program has ended; see [`Effect::Run`].
    Ran(Box<Ran>),
}

/// The response to a route request, with its times.
#[derive(Debug)]
pub struct Routed {
    /// When the request was sent, measured at the socket.
    pub sent: MonotonicTime,
    /// When the response was complete; that of the worker, if it was called.
    pub ended: MonotonicTime,
    /// Bytes of the response body.
    pub bytes: u64,
    pub response: Response,
    /// The call of the assigned worker, complete before `ended`.
    pub called: Option<Called>,
}

impl News {
    /// The result of saving a `T`; `None` for other news and for a saved document of another type.
    pub(crate) fn into_saved<T: Document>(self) -> Option<Result<T, EffectError>> {
        let Self::Saved(result) = self else {
            return None;
        };
        result.map_or_else(|error| Some(Err(error)), |document| document.downcast().map(Ok))
    }
}

/// A job for the record. Jobs run in the order of their requests.
#[derive(Debug, PartialEq)]
pub enum HistoryJob {
    /// Add a response to the recorded market.
    Record(Box<Poll>),
    /// Compute an analysis; brings [`News::Recalled`].
    Ask { ticket: Ticket, analysis: AnyAnalysis },
    /// Find the rows last seen complete for a search; brings [`News::RecordedRows`].
    LatestRows { ticket: Ticket, query: Box<Query> },
    /// Claim a notification that other programs may send too; brings [`News::Claimed`].
    ClaimNotification {
        ticket: Ticket,
        /// The name that all programs give its subject.
        subject: String,
        at: Moment,
    },
    /// Claim the market's next poll for a watched search, unless another program polled it; brings
    /// [`News::Poll`].
    ClaimPoll { ticket: Ticket, claim: Box<Claim> },
    /// Release the claim on the poll: no response is awaited.
    EndTurn,
    /// Count a request sent at this time in the budget that programs share.
    CountRequest(UnixTime),
}

/// An instruction to the runtime.
#[derive(Debug, PartialEq)]
pub enum Effect {
    /// Send a request; brings [`News::Reply`], a route request [`News::Routed`].
    Call {
        /// The ticket of the reply.
        ticket: Ticket,
        request: Request,
    },
    /// Request a worker and forward the request to it; brings [`News::Routed`].
    RouteOn {
        /// The ticket of the reply.
        ticket: Ticket,
        request: Request,
        hop: Arc<Hop>,
    },
    /// Prepare a long response for its table on another thread; brings [`News::Arranged`].
    Arrange(Box<Arrival>),
    /// Send a write, once: journal the intent before the first byte and the outcome afterwards;
    /// brings [`News::Reply`]. It is never aborted.
    Write {
        /// The ticket of the reply.
        ticket: Ticket,
        request: Request,
        /// The journal entry to write before sending.
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
        /// A description of the text, for the confirmation.
        what: String,
        text: String,
    },
    /// Save an edit of a document; brings [`News::Saved`].
    Save {
        ticket: Ticket,
        edit: AnyEdit,
    },
    /// Write a file; brings [`News::Written`].
    Export {
        ticket: Ticket,
        path: String,
        content: AnyContent,
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
    /// Pass a job to the record.
    History(HistoryJob),
    /// Carry out a market command; brings [`News::Market`].
    Market {
        ticket: Ticket,
        command: MarketCommand,
    },
    /// Switch to the market that was connected under this ticket.
    Activate(Ticket),
    /// Send a desktop notification if the user wants one now; if it is urgent, also ring the bell.
    Notify(Box<Notification>),
    /// Open the user's editor on a text; brings [`News::Edited`].
    Edit {
        ticket: Ticket,
        text: String,
        /// The file's extension, by which editors choose their highlighting: `.json`.
        suffix: &'static str,
    },
    /// Run a user's program and journal its start and end; brings [`News::Ran`].
    Run {
        ticket: Ticket,
        command: Box<RunCommand>,
    },
    /// Change the configuration file, or reload it.
    Config(ConfigCommand),
    /// Forget the intervals learned from refusals.
    ForgetLimits,
    Redraw,
    /// Stop the process as Ctrl-Z does, and return.
    Suspend,
    Quit,
}

/// The error of a failed effect: on a file, the clipboard, the editor or the record.
///
/// The core shows its text and decides nothing by it. A failure that a view treats differently is a
/// variant, as [`NotWritten::Exists`].
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct EffectError(Box<dyn std::error::Error + Send + Sync>);

impl EffectError {
    /// Creates the error from its cause, or from a text for the user.
    pub fn new(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self(cause.into())
    }
}

/// A user's program to run, without a shell.
#[derive(Debug, PartialEq)]
pub struct RunCommand {
    /// The journal entry that is written before it runs, with the whole command.
    pub record: CommandRun,
    pub environment: Vec<(&'static str, String)>,
}

/// A user's program that has ended, or could not be run.
#[derive(Debug)]
pub struct Ran {
    /// Its exit status as a phrase.
    pub status: String,
    pub is_error: bool,
    /// Its output, without known secrets.
    pub output: String,
    /// Whether the output was longer and is cut.
    pub is_cut: bool,
}

/// A command on the configuration file.
#[derive(Debug, PartialEq, Eq)]
pub enum ConfigCommand {
    /// Open the user's editor on it, then reload it.
    Edit,
    Reload,
    /// Select another theme in it; replies with [`Message::Report`].
    SaveTheme(String),
    /// Set or remove the throughput of a GPU model in it; replies with [`Message::Report`].
    SaveRate {
        unit: WorkUnit,
        model: String,
        /// The number of units of work per second; `None` removes the model's rate.
        rate: Option<String>,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notification {
    pub title: String,
    pub text: String,
    /// The environment variables of the user's own command for urgent notifications, which also
    /// ring the bell; `None` if it is not urgent.
    pub urgent: Option<Vec<(&'static str, String)>>,
}

/// The parts of the configuration that apply without reconnecting.
#[derive(Debug)]
pub struct Reconfigured {
    pub keymap: Keymap,
    /// The markets that can be connected to.
    pub market_list: MarketList,
    /// The themes. None is selected but the one the file names.
    pub themes: Themes,
    pub values: Values,
    /// Problems with the file that stop nothing: an unknown key, an invalid color.
    pub notices: Vec<String>,
    /// Whether the user changed keys, colors or switches in the file; adding a market changes none of
    /// them, and a setting that bourse saves is no news.
    pub is_noticeable: bool,
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
    /// The effect that adds a poll's response to the recorded market.
    pub(crate) fn record(poll: impl Into<Box<Poll>>) -> Self {
        Self::History(HistoryJob::Record(poll.into()))
    }

    /// The ticket under which the news of this effect arrives; `None` if it has none.
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
                | HistoryJob::ClaimNotification { ticket, .. }
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
