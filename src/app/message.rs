//! What happens to the dashboard, and what it asks to be done: data both ways.

use crossterm::event::{KeyEvent, MouseEvent};

use super::configuration::Reconfigured;
use super::export::{NotWritten, Written};
use super::markets::{MarketCommand, MarketEvent};
use super::remote::{Now, Ticket, Waiting};
use super::routes::RunSnapshot;
use crate::api::ledger::LedgerEntry;
use crate::api::{ApiError, Reply, Request};
use crate::domain::journal::Intent;
use crate::domain::saved::{SearchChange, Searches, Snapshot};
use crate::domain::workergroup;

#[derive(Debug)]
pub enum Message {
    /// The program started: ask for what the first screen needs.
    Started,
    Key(KeyEvent),
    /// A text was pasted as one piece.
    Paste(String),
    /// The mouse was clicked or its wheel turned.
    Mouse(MouseEvent),
    /// The terminal has so many columns and rows.
    Resized(u16, u16),
    /// The terminal got or lost the focus.
    Focus(bool),
    /// The editor that [`Effect::Edit`] opened was closed: the text, or why there is none.
    Edited(Result<String, String>),
    /// The configuration file was read again; or why it is not used.
    Reconfigured(Result<Box<Reconfigured>, String>),
    Answered {
        ticket: Ticket,
        result: Box<Result<Reply, ApiError>>,
    },
    /// A route request was answered, or failed.
    Routed {
        ticket: Ticket,
        /// When it was sent, on the clock that never jumps, measured where it was sent.
        sent: f64,
        /// When its answer was whole.
        ended: f64,
        /// Bytes of the answer's body.
        bytes: u64,
        result: Box<Result<Reply, ApiError>>,
    },
    /// A file was written or not; how, in words.
    Saved(Result<String, String>),
    /// An attempt ended: what was sent and answered, secrets removed.
    Recorded {
        /// Whose attempt it was; `None` for a request that the dashboard did not send.
        ticket: Option<Ticket>,
        entry: Box<LedgerEntry>,
    },
    /// A request waits its turn or is tried again.
    Progress {
        ticket: Ticket,
        attempt: u32,
        /// How long and why it waits, if it does.
        waiting: Option<Waiting>,
    },
    /// The moment that [`super::Model::deadline`] named has come.
    Deadline,
    /// A copy to the clipboard was made or not; how, in words.
    Copied(Result<String, String>),
    /// How the dashboard stands was kept or not; why not, in words.
    Kept(Result<(), String>),
    /// A change to the saved searches was kept or not; the searches as they are now.
    SearchesKept(Box<Result<Searches, String>>),
    /// A file was written or not.
    Exported(Result<Written, NotWritten>),
    /// What became of a command about markets.
    Market(Box<MarketEvent>),
    /// A background task panicked; the dashboard goes on.
    TaskLost(String),
}

/// Something to be done outside the core.
#[derive(Debug, PartialEq)]
pub enum Effect {
    /// Send a request; answer with [`Message::Answered`], a route request with
    /// [`Message::Routed`].
    Call {
        /// The number to answer with.
        ticket: Ticket,
        request: Request,
    },
    /// Send a write, once: keep the intent before the first byte leaves and the outcome after it;
    /// answer with [`Message::Answered`]. It is never aborted.
    Write {
        /// The number to answer with.
        ticket: Ticket,
        request: Request,
        /// What to keep of it.
        intent: Intent,
    },
    /// This response is no longer awaited. Only reads and the attempts of a stopped route series
    /// are aborted.
    Abort(Ticket),
    /// Put a text on the clipboard; answer with [`Message::Copied`].
    Copy {
        /// What is copied, for the confirmation.
        what: String,
        text: String,
    },
    /// Keep how the dashboard stands; answer with [`Message::Kept`].
    Keep(Box<Snapshot>),
    /// Keep a change to the saved searches; answer with [`Message::SearchesKept`].
    KeepSearches {
        change: SearchChange,
        /// The searches before it, should the file be gone.
        before: Searches,
    },
    /// Write a run of the route lab into a new file; answer with [`Message::Saved`].
    SaveRun {
        /// The run as it stands.
        run: RunSnapshot,
        /// The moment, on the clock that never jumps.
        now: f64,
        /// Where; CSV if it ends so, else JSON.
        path: String,
    },
    /// Write a file; answer with [`Message::Exported`].
    Export {
        /// Its path as it was typed.
        path: String,
        /// What it is to hold.
        content: String,
        /// Whether a file of that name is replaced.
        overwrite: bool,
        /// Whether only its owner may read it.
        is_private: bool,
    },
    /// Keep what was seen of the groups, to be compared with what the next listing shows.
    KeepGroups(Box<workergroup::Snapshot>),
    /// Do something about markets; answer with [`Message::Market`].
    Market(MarketCommand),
    /// Make the configuration name another theme; answer with [`Message::Saved`].
    SaveTheme(String),
    /// Tell the person on the desktop, if they want that and look elsewhere.
    Notify {
        title: String,
        body: String,
    },
    /// Open the person's editor on a text; answer with [`Message::Edited`].
    Edit {
        text: String,
        /// How the file's name ends, by which editors choose their highlighting: `.json`.
        suffix: &'static str,
    },
    /// Open the person's editor on the configuration file, then read it again.
    EditConfig,
    /// Read the configuration file again.
    ReloadConfig,
    Redraw,
    /// Stop the process as Ctrl-Z does, and come back.
    Suspend,
    /// Leave with exit status 0.
    Quit,
}

/// A short notice that goes away by itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Toast {
    pub text: String,
    /// Whether it is bad news.
    pub is_error: bool,
    /// When it goes, on the clock that never jumps.
    pub until: f64,
    since: f64,
}

impl Toast {
    /// Good news, for four seconds.
    pub fn new(text: impl Into<String>, now: Now) -> Self {
        Self {
            text: text.into(),
            is_error: false,
            until: now.mono + 4.0,
            since: now.mono,
        }
    }

    /// Bad news, for eight seconds.
    pub fn error(text: impl Into<String>, now: Now) -> Self {
        Self {
            text: text.into(),
            is_error: true,
            until: now.mono + 8.0,
            since: now.mono,
        }
    }

    /// Whether a key press takes it away: it was there long enough to be read, and may be
    /// outdated.
    pub fn was_seen(&self, now: Now) -> bool {
        now.mono - self.since >= 1.0
    }
}
