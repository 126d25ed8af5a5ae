//! What changes the market, sent once: creating and unlisting.
//!
//! Each kind of write has one slot with one state machine: nothing, being confirmed, sent, over.
//! Only a [`Token`] opens the way from "being confirmed" to "sent", and the step uses it up: no
//! repeated key, no second Enter and no resized window sends twice. A write under way is never
//! aborted; its outcome finds its slot and the history whatever is on the screen by then. Nothing
//! here ever sends by itself.

use super::message::{Effect, Toast};
use super::overlay::Overlay;
use super::remote::{Now, Ticket, Tickets};
use super::{Model, Profile};
use crate::api::pacing::Pacer;
use crate::api::wire::{self, WireRequest};
use crate::api::{ApiError, Operation, Reply, Request};
use crate::domain::Untrusted;
use crate::domain::journal::{self, Deed, Entry, Intent, Outcome, Verdict};
use crate::widgets::text_input::TextInput;

/// What a dialog says to a paste.
pub const PASTE_REFUSED: &str = "Pasted text is not taken here: type it.";

/// Why a profile cannot write.
pub const READ_ONLY: &str =
    "this profile is read-only (--read-only, or read_only in the configuration)";

/// Leave to send one write. It cannot be copied; sending uses it up.
#[derive(Debug, PartialEq, Eq)]
pub struct Token(());

/// A write under way.
#[derive(Debug, Clone, PartialEq)]
pub struct Flight {
    /// Whose answer is awaited.
    pub ticket: Ticket,
    /// When it was sent.
    pub since: Now,
    /// With what: the id of the listing, the name of the endpoint.
    pub subject: String,
}

/// A write that is over.
#[derive(Debug, Clone, PartialEq)]
pub struct Settled {
    /// With what.
    pub subject: String,
    /// What became of it.
    pub verdict: Verdict,
    /// The market's confirmation or why not, for the screen.
    pub words: String,
}

/// Where the write of a slot stands.
#[derive(Debug, Default)]
pub enum Stage {
    /// There is none.
    #[default]
    Idle,
    /// A dialog asks for the confirmation.
    Confirming(Token),
    /// Sent, not answered.
    Sent(Flight),
    /// Over; shown until the dialog is left.
    Over(Settled),
}

/// Why a write is not sent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Held {
    /// Nothing was confirmed, or it is sent already.
    NotConfirmed,
    /// The market wants a pause of so many seconds more.
    Early(f64),
}

/// All writes of the profile.
#[derive(Debug, Default)]
pub struct Writes {
    slots: [Stage; Deed::ALL.len()],
    pacer: Pacer,
    /// The writes of this profile, oldest first.
    pub history: Vec<Entry>,
    /// What is to be known about the history: that it is not kept, or not whole.
    pub note: Option<String>,
}

/// The operation of a deed.
pub const fn operation(deed: Deed) -> Operation {
    match deed {
        Deed::UnlistVolume => Operation::UnlistVolume,
        Deed::CreateWorkergroup => Operation::CreateWorkergroup,
    }
}

impl Writes {
    /// Where the write of this kind stands.
    pub const fn stage(&self, deed: Deed) -> &Stage {
        &self.slots[deed as usize]
    }

    /// The write of this kind that is under way.
    pub const fn flight(&self, deed: Deed) -> Option<&Flight> {
        match self.stage(deed) {
            Stage::Sent(flight) => Some(flight),
            _ => None,
        }
    }

    /// All writes under way.
    pub fn flights(&self) -> impl Iterator<Item = (Deed, &Flight)> {
        Deed::ALL
            .into_iter()
            .filter_map(|deed| Some((deed, self.flight(deed)?)))
    }

    /// A dialog opens, or starts anew: from now on a write may be confirmed, unless one is still
    /// under way. False if one is.
    pub fn begin(&mut self, deed: Deed) -> bool {
        if self.flight(deed).is_some() {
            return false;
        }
        self.slots[deed as usize] = Stage::Confirming(Token(()));
        true
    }

    /// The dialog is left: what was not sent is forgotten; what is under way goes on.
    pub fn leave(&mut self, deed: Deed) {
        if self.flight(deed).is_none() {
            self.slots[deed as usize] = Stage::Idle;
        }
    }

    /// How many seconds the market wants bourse to wait before the next write of this kind: the
    /// documented or learned interval from the latest one, also one of an earlier run.
    pub fn ready_in(&self, deed: Deed, now: Now) -> f64 {
        let operation = operation(deed);
        let paced = self.pacer.ready_at(operation, now.mono) - now.mono;
        let interval = self.pacer.interval(operation);
        let since = self.past(deed).next().map(|latest| {
            let ended = latest.outcome.as_ref().map(|outcome| outcome.at);
            now.epoch - ended.unwrap_or(latest.intent.at)
        });
        let kept = since
            .filter(|since| (0.0..interval).contains(since))
            .map_or(0.0, |since| interval - since);
        paced.max(kept).max(0.0)
    }

    /// Sends what was confirmed, once.
    pub fn send(
        &mut self,
        deed: Deed,
        request: Request,
        subject: &str,
        profile: &Profile,
        tickets: &mut Tickets,
        now: Now,
    ) -> Result<Effect, Held> {
        if !matches!(self.stage(deed), Stage::Confirming(_)) {
            return Err(Held::NotConfirmed);
        }
        let wait = self.ready_in(deed, now);
        if wait > 0.0 {
            return Err(Held::Early(wait));
        }
        let ticket = tickets.take();
        let subject = journal::clean(subject);
        // The token goes with the old stage.
        self.slots[deed as usize] = Stage::Sent(Flight {
            ticket,
            since: now,
            subject: subject.clone(),
        });
        self.pacer.sent(operation(deed), now.mono);
        let intent = Intent {
            key: format!("{:.6}-{}", now.epoch, ticket.0),
            at: now.epoch,
            profile: profile.name.clone(),
            address: profile.base_url.clone(),
            deed,
            subject,
        };
        self.history.push(Entry {
            intent: intent.clone(),
            outcome: None,
        });
        Ok(Effect::Write {
            ticket,
            request,
            intent,
        })
    }

    /// Whether a write of this kind waits for this answer.
    pub fn awaiting(&self, ticket: Ticket) -> Option<Deed> {
        self.flights()
            .find(|(_, flight)| flight.ticket == ticket)
            .map(|(deed, _)| deed)
    }

    /// Takes the answer of the write under way in.
    pub fn settle(
        &mut self,
        deed: Deed,
        result: &Result<Reply, ApiError>,
        now: Now,
    ) -> Option<Settled> {
        let flight = self.flight(deed)?.clone();
        self.pacer.answered(operation(deed), now.mono, result);
        let (verdict, words) = judged(deed, result);
        let open = self
            .history
            .iter_mut()
            .rev()
            .find(|entry| entry.intent.deed == deed && entry.outcome.is_none());
        if let Some(entry) = open {
            entry.outcome = Some(outcome(&entry.intent, result, now.epoch));
        }
        let settled = Settled {
            subject: flight.subject,
            verdict,
            words,
        };
        self.slots[deed as usize] = Stage::Over(settled.clone());
        Some(settled)
    }

    /// The writes of this kind, newest first.
    pub fn past(&self, deed: Deed) -> impl Iterator<Item = &Entry> {
        self.history
            .iter()
            .rev()
            .filter(move |entry| entry.intent.deed == deed)
    }
}

/// The line for the journal that tells how a write ended, at `at` seconds since 1970.
pub fn outcome(intent: &Intent, result: &Result<Reply, ApiError>, at: f64) -> Outcome {
    let (verdict, words) = judged(intent.deed, result);
    Outcome {
        key: intent.key.clone(),
        at,
        verdict,
        words: journal::clean(&words),
    }
}

/// What became of a write, and the words for it.
fn judged(deed: Deed, result: &Result<Reply, ApiError>) -> (Verdict, String) {
    match result {
        Ok(Reply::Unlisted { msg }) if msg.compared().trim().is_empty() => {
            (Verdict::Done, "(the market sent no message)".to_owned())
        }
        Ok(Reply::Unlisted { msg }) => (Verdict::Done, msg.screen(400)),
        Ok(Reply::Created { id }) => (Verdict::Done, format!("created as {id}")),
        Ok(_) => (
            Verdict::Unknown,
            "the answer belongs to another question".to_owned(),
        ),
        Err(error) if error.outcome_unknown(operation(deed)) => {
            (Verdict::Unknown, error.without_advice())
        }
        Err(error) => (Verdict::Refused, error.without_advice()),
    }
}

/// What will be sent, as a person decides on it: printable ASCII only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Consent {
    /// The method.
    pub method: &'static str,
    /// The base address of the market.
    pub base: String,
    /// The path behind it.
    pub path: &'static str,
    /// The exact JSON body; other characters than ASCII as `\uXXXX`, which is the same JSON.
    pub body: String,
    /// Whose key goes along.
    pub key: String,
}

/// What a request will send for a profile.
pub fn consent(request: &Request, profile: &Profile) -> Consent {
    let wire: WireRequest = wire::encode(request, profile.dialect);
    let base = Untrusted::from(profile.base_url.trim_end_matches('/')).consent();
    let name = Untrusted::from(profile.name.as_str()).consent();
    Consent {
        method: wire.method.name(),
        base,
        path: wire.path,
        body: ascii_json(&wire.body_text().unwrap_or_default()),
        key: if profile.has_key {
            format!("with the key of profile {name}")
        } else {
            format!("without a key: profile {name} has none")
        },
    }
}

/// JSON text in printable ASCII.
fn ascii_json(json: &str) -> String {
    use std::fmt::Write as _;
    let mut out = String::with_capacity(json.len());
    for character in json.chars() {
        if character.is_ascii_graphic() || character == ' ' {
            out.push(character);
        } else {
            let mut units = [0; 2];
            for unit in character.encode_utf16(&mut units) {
                let _ = write!(out, "\\u{unit:04x}"); // a String takes everything
            }
        }
    }
    out
}

/// A line that must be typed, letter by letter: nothing is put into it, nothing is pasted.
#[derive(Debug, Clone, Default)]
pub struct Typed {
    /// What is typed.
    pub input: TextInput,
}

impl Typed {
    /// What is typed, without blanks around it.
    pub fn text(&self) -> &str {
        self.input.text().trim()
    }

    /// Whether it is `wanted`, to the letter.
    pub fn is(&self, wanted: &str) -> bool {
        !wanted.is_empty() && self.text() == wanted
    }
}

/// Takes an answer in if a write waits for it; true if one did. Unless its dialog is on the screen,
/// a notice tells the outcome.
pub(super) fn answered(
    model: &mut Model,
    now: Now,
    ticket: Ticket,
    result: &Result<Reply, ApiError>,
) -> bool {
    let Some(deed) = model.state.writes.awaiting(ticket) else {
        return false;
    };
    let Some(settled) = model.state.writes.settle(deed, result, now) else {
        return false;
    };
    if deed == Deed::UnlistVolume && settled.verdict == Verdict::Done {
        model.state.sandbox.unlisted(&settled.subject);
    }
    let shown = model.overlays.last().and_then(Overlay::deed) == Some(deed);
    if !shown {
        let text = format!("{} {}", headline(deed, &settled), settled.words);
        match settled.verdict {
            Verdict::Done => model.show(Toast::new(text, now)),
            Verdict::Refused => model.show(Toast::error(text, now)),
            // This one must not go away by itself.
            Verdict::Unknown if deed == Deed::CreateWorkergroup => {
                let form = model.state.keymap.way_to("new-workergroup");
                let way = format!("{text}. The form ({form}) leads to what the list shows of it");
                model.state.notices.push(way);
            }
            Verdict::Unknown => model.state.notices.push(text),
        }
        model.state.writes.leave(deed);
    }
    true
}

/// The outcome in a few words.
pub fn headline(deed: Deed, settled: &Settled) -> String {
    let subject = &settled.subject;
    match (deed, settled.verdict) {
        (Deed::UnlistVolume, Verdict::Done) => format!("Volume listing {subject} is unlisted:"),
        (Deed::UnlistVolume, Verdict::Refused) => {
            format!("Volume listing {subject} was not unlisted:")
        }
        (Deed::UnlistVolume, Verdict::Unknown) => {
            format!("Whether volume listing {subject} was unlisted is unknown:")
        }
        (Deed::CreateWorkergroup, Verdict::Done) => format!("Workergroup for {subject}:"),
        (Deed::CreateWorkergroup, Verdict::Refused) => {
            format!("No workergroup was created for {subject}:")
        }
        (Deed::CreateWorkergroup, Verdict::Unknown) => {
            format!("Whether a workergroup was created for {subject} is unknown:")
        }
    }
}
