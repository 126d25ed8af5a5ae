//! The pure core without a screen: keys in, writes out, quick enough for thousands of schedules.

use bourse::api::{ApiError, Reply, Request};
use bourse::core::message::News;
use bourse::core::message::{Effect, Message};
use bourse::core::{Model, Pane, mutations, update};
use bourse::domain::journal::{self, Intent, Line};
use bourse::domain::time::{MonotonicTime, Now, UnixTime};
use bourse::domain::{Dialect, Listing, Resource};
use bourse::features::markets::RestoredState;
use bourse::table::remote::Ticket;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::test_app::START;

/// A write that was asked for and is not answered.
#[derive(Debug, Clone)]
pub struct Sent {
    pub ticket: Ticket,
    pub request: Request,
    pub intent: Intent,
}

/// The core and its journal, as the program keeps it.
pub struct Core {
    pub model: Model,
    pub now: Now,
    pub reads: Vec<(Ticket, Request)>,
    pub writes: Vec<Sent>,
    pub journal: Vec<Line>,
}

impl Core {
    /// A start in a pane.
    pub fn new(pane: Pane) -> Self {
        Self::restarted(pane, START, Vec::new())
    }

    /// A start after another run, at `epoch`.
    pub fn restarted(pane: Pane, epoch: UnixTime, journal: Vec<Line>) -> Self {
        let profile = crate::test_app::profile(&Dialect::DOCUMENTED);
        let mut core = Self {
            model: bourse::features::dashboard(profile, None),
            now: Now {
                mono: MonotonicTime::new(0.0),
                epoch,
            },
            reads: Vec::new(),
            writes: Vec::new(),
            journal: journal.clone(),
        };
        core.model.screen.size = (120, 40);
        let restored = RestoredState {
            history: journal::entries(journal),
            ..RestoredState::default()
        };
        core.model.unpack(restored, false);
        core.model.pane = pane;
        core.send(Message::Started);
        core
    }

    pub fn send(&mut self, message: Message) {
        let effects = update(&mut self.model, self.now, message);
        self.take(effects);
    }

    pub fn take(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Call { ticket, request } => self.reads.push((ticket, request)),
                Effect::Write {
                    ticket,
                    request,
                    intent,
                } => {
                    self.journal.push(Line::Intent(intent.clone()));
                    self.writes.push(Sent {
                        ticket,
                        request,
                        intent,
                    });
                }
                Effect::Abort(ticket) => self.reads.retain(|(own, _)| *own != ticket),
                Effect::KeepOutcome(outcome) => self.journal.push(Line::Outcome(outcome)),
                Effect::Arrange(arrival) => {
                    let ticket = arrival.ticket();
                    let news = News::Arranged(Box::new(arrival.arranged()));
                    self.send(Message::News { ticket, news });
                }
                _ => {}
            }
        }
    }

    pub fn key(&mut self, code: KeyCode) {
        self.send(Message::Key(KeyEvent::new(code, KeyModifiers::NONE)));
    }

    pub fn control(&mut self, letter: char) {
        let key = KeyEvent::new(KeyCode::Char(letter), KeyModifiers::CONTROL);
        self.send(Message::Key(key));
    }

    pub fn type_text(&mut self, text: &str) {
        for character in text.chars() {
            self.key(KeyCode::Char(character));
        }
    }

    pub fn wait(&mut self, seconds: f64) {
        self.now.mono += seconds;
        self.now.epoch += seconds;
        self.send(Message::Deadline);
    }

    /// Answers a write, with its line in the journal.
    pub fn answer(&mut self, sent: &Sent, result: Result<Reply, ApiError>) {
        let outcome = mutations::outcome(&sent.intent, &result, self.now.epoch);
        self.journal.push(Line::Outcome(outcome));
        self.reply(sent.ticket, result);
    }

    pub fn reply(&mut self, ticket: Ticket, result: Result<Reply, ApiError>) {
        let news = News::Reply(Box::new(result));
        self.send(Message::News { ticket, news });
    }

    /// Answers every read: workergroups with `groups`, searches with nothing.
    pub fn answer_reads(&mut self, groups: &str) {
        while !self.reads.is_empty() {
            let (ticket, request) = self.reads.remove(0);
            let (resource, json) = match request {
                Request::ListWorkergroups => (Resource::Workergroups, groups),
                Request::Search(query) => (query.resource, r#"{"offers":[]}"#),
                // A route request that the keys led to is not answered.
                _ => continue,
            };
            let listing = Listing::read(resource.catalog(), json, self.now.epoch).unwrap();
            self.reply(ticket, Ok(Reply::Records(Box::new(listing))));
        }
    }
}
