//! Converts outside events to messages of the core.

use crossterm::event::Event;

use crate::api::session::{self, Wait};
use crate::core::message::News;
use crate::core::{Message, Now};
use crate::table::remote::{Progress, Ticket, Waiting};

/// The message for the progress of a call: news of the ticket, or the ledger's record of an ended attempt.
pub(super) fn from_progress(ticket: Ticket, now: Now, progress: session::Progress) -> Message {
    let progress = match progress {
        session::Progress::Waiting { attempt, span, why } => Progress::Attempt {
            number: attempt,
            waiting: Some(Waiting {
                until: now.mono + span.as_secs_f64(),
                why: match why {
                    Wait::Turn => "rate limited".to_owned(),
                    Wait::Fault(error) => error.without_advice(),
                },
            }),
        },
        session::Progress::Sent { attempt } => Progress::Attempt {
            number: attempt,
            waiting: None,
        },
        session::Progress::Received(received) => Progress::Received(received),
        session::Progress::Tried(entry) => {
            return Message::Recorded {
                ticket: Some(ticket),
                entry,
            };
        }
    };
    let news = News::Progress(progress);
    Message::News { ticket, news }
}

/// The message for a terminal event that arrived with a paste; a key or click is wrapped in `AfterPaste`, as
/// it may come from the pasted text.
pub(super) fn with_paste(event: Event) -> Message {
    match terminal_message(event) {
        may_be_pasted @ (Message::Key(_) | Message::Mouse(_)) => Message::AfterPaste(Box::new(may_be_pasted)),
        event => event,
    }
}

/// The message for a terminal event that did not arrive with a paste.
pub(super) fn terminal_message(event: Event) -> Message {
    match event {
        Event::Key(key) => Message::Key(key),
        Event::Paste(text) => Message::Paste(text),
        Event::Mouse(mouse) => Message::Mouse(mouse),
        Event::Resize(columns, rows) => Message::Resized(columns, rows),
        Event::FocusGained => Message::Focus(true),
        Event::FocusLost => Message::Focus(false),
    }
}
