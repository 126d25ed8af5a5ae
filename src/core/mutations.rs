//! Writes: creating a workergroup and unlisting a volume. They are sent once, journalled and never
//! retried.
//!
//! Each kind of write has one state machine: idle, confirming, in flight, completed. Only a
//! [`Confirmation`] leads from confirming to in flight, and sending consumes it: no held key,
//! second Enter or resize sends twice. A write in flight is never aborted; its outcome reaches the
//! history and the user, whichever view is open by then.

use super::message::Effect;
use super::profile::Profile;
use crate::api::pacing::Pacer;
use crate::api::wire::WireRequest;
use crate::api::{ApiError, Operation, Reply, Request, wire};
use crate::domain::dialect::RouteKey;
use crate::domain::format::per_hour;
use crate::domain::journal::{Damage, Entry, Intent, Outcome, OverLimit, Verdict, WriteKind};
use crate::domain::limits::Dollars;
use crate::domain::time::{MonotonicTime, Now, UnixTime};
use crate::domain::workergroup::NewWorkergroup;
use crate::domain::{Untrusted, journal};
use crate::table::remote::Ticket;

/// The reason writes are blocked in a read-only profile.
pub const READ_ONLY: &str = "this profile is read-only (--read-only, or its configuration)";

/// The reason writes are blocked while lines of the history file are damaged.
pub const DAMAGED: &str = "the write history is damaged (:resolve)";

/// The reply of a confirmation dialog to a paste: confirming should take a moment.
pub const PASTE_REFUSED: &str = "Can't paste here: type it.";

/// The right to send one write. It cannot be copied; sending consumes it.
#[derive(Debug, PartialEq)]
pub struct Confirmation {
    /// The limit that the user lets it exceed.
    over_limit: Option<OverLimit>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct InFlight {
    /// The request whose response is awaited.
    pub ticket: Ticket,
    pub since: Now,
    /// The id of the listing, or the name of the endpoint.
    pub subject: String,
    /// Whether an open dialog will show the outcome.
    pub(super) is_awaited: bool,
}

/// A finished write; its outcome is unknown if the response was lost.
#[derive(Debug, Clone, PartialEq)]
pub struct Completed {
    pub kind: WriteKind,
    /// The id of the listing, or the name of the endpoint.
    pub subject: String,
    pub verdict: Verdict,
    /// The market's confirmation or the error, ready for the screen.
    pub message: String,
}

/// The stage of a kind of write.
#[derive(Debug, Default)]
pub enum Stage {
    #[default]
    Idle,
    /// A dialog asks for confirmation.
    Confirming(Confirmation),
    InFlight(InFlight),
    /// Finished; shown until its dialog is closed.
    Completed(Completed),
}

/// The reason a write is not sent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SendBlocked {
    /// It was not confirmed, or was sent already.
    NotConfirmed,
    /// The rate limit allows the next one in this many seconds.
    TooEarly(f64),
    /// An identical write was sent before, and its outcome is unknown.
    Unsettled,
}

/// The writes of the profile.
#[derive(Debug, Default)]
pub struct Mutations {
    stages: [Stage; WriteKind::ALL.len()],
    pacer: Pacer,
    /// The writes to this market, oldest first.
    pub history: Vec<Entry>,
    /// The problem with the history file, if there is one.
    pub note: Option<String>,
    /// Lines of the history file that are damaged.
    pub damage: Vec<Damage>,
}

/// The operation of the API that a kind of write calls.
const fn operation(kind: WriteKind) -> Operation {
    match kind {
        WriteKind::UnlistVolume => Operation::UnlistVolume,
        WriteKind::CreateWorkergroup => Operation::CreateWorkergroup,
    }
}

/// The kind of write and the subject of a request (the listing's id, or the name of the endpoint); `None` for
/// reads.
pub(super) fn described(request: &Request) -> Option<(WriteKind, String)> {
    match request {
        Request::UnlistVolume { id } => Some((WriteKind::UnlistVolume, id.to_string())),
        Request::CreateWorkergroup(new) => Some((WriteKind::CreateWorkergroup, new.subject())),
        Request::Search(_) | Request::ListWorkergroups | Request::Route(_) | Request::Raw(_) => None,
    }
}

/// The workergroup that a request creates; `None` for other requests.
const fn created(request: &Request) -> Option<&NewWorkergroup> {
    if let Request::CreateWorkergroup(new) = request {
        Some(new)
    } else {
        None
    }
}

impl Mutations {
    /// The stage of the latest write of this kind.
    pub const fn stage(&self, kind: WriteKind) -> &Stage {
        &self.stages[kind as usize]
    }

    /// The write of this kind whose response is awaited, or `None`.
    pub const fn in_flight(&self, kind: WriteKind) -> Option<&InFlight> {
        match self.stage(kind) {
            Stage::InFlight(sent) => Some(sent),
            Stage::Idle | Stage::Confirming(_) | Stage::Completed(_) => None,
        }
    }

    /// The writes whose response is awaited, at most one of each kind.
    pub fn all_in_flight(&self) -> impl Iterator<Item = (WriteKind, &InFlight)> {
        WriteKind::ALL
            .into_iter()
            .filter_map(|kind| Some((kind, self.in_flight(kind)?)))
    }

    /// Opens the confirmation of a write. False if one of this kind is still in flight: the dialog then
    /// awaits its outcome instead.
    pub fn begin(&mut self, kind: WriteKind) -> bool {
        if self.await_outcome(kind, true) {
            return false;
        }
        self.stages[kind as usize] = Stage::Confirming(Confirmation { over_limit: None });
        true
    }

    /// Sets the limit that the user allows the write under confirmation to exceed, `None` for no excess; it
    /// is journalled with the write. Does nothing outside confirming.
    pub const fn exceed_limit(&mut self, kind: WriteKind, limit: Option<OverLimit>) {
        if let Stage::Confirming(confirmation) = &mut self.stages[kind as usize] {
            confirmation.over_limit = limit;
        }
    }

    /// Drops a write that was not sent, or an outcome that was seen; a write in flight continues.
    pub fn dismiss(&mut self, kind: WriteKind) {
        if !self.await_outcome(kind, false) {
            self.stages[kind as usize] = Stage::Idle;
        }
    }

    /// Sets whether a dialog waits for the outcome of the write in flight; false if there is none.
    const fn await_outcome(&mut self, kind: WriteKind, is_awaited: bool) -> bool {
        match &mut self.stages[kind as usize] {
            Stage::InFlight(sent) => sent.is_awaited = is_awaited,
            Stage::Idle | Stage::Confirming(_) | Stage::Completed(_) => return false,
        }
        true
    }

    /// Seconds until the next write of this kind can be sent, 0 if now: the documented or learned interval
    /// since the outcome of the latest one, or since its start if the outcome is open, including earlier
    /// runs.
    pub fn ready_in(&self, kind: WriteKind, now: Now) -> f64 {
        let operation = operation(kind);
        let paced = self.pacer.ready_at(operation, now.mono) - now.mono;
        let interval = self.pacer.interval(operation);
        let since = self.past(kind).next().map(|latest| {
            let ended = latest.outcome.as_ref().map(|outcome| outcome.at);
            now.epoch - ended.unwrap_or(latest.intent.at)
        });
        let kept = since
            .filter(|since| (0.0..interval).contains(since))
            .map_or(0.0, |since| interval - since);
        paced.max(kept).max(0.0)
    }

    /// Turns the confirmed write into the effect that sends it, once: the stage becomes in flight, and the
    /// write joins the history and the pacing.
    ///
    /// # Errors
    ///
    /// When it was not confirmed, the rate limit does not allow it yet, or an identical
    /// one was sent before and its outcome is still unknown.
    pub fn send(
        &mut self,
        request: Request,
        profile: &Profile,
        ticket: Ticket,
        now: Now,
    ) -> Result<Effect, SendBlocked> {
        let (kind, subject) = described(&request).ok_or(SendBlocked::NotConfirmed)?;
        let Stage::Confirming(Confirmation { over_limit }) = *self.stage(kind) else {
            return Err(SendBlocked::NotConfirmed);
        };
        if created(&request).is_some_and(|new| self.unsettled_like(new).is_some()) {
            return Err(SendBlocked::Unsettled);
        }
        let wait = self.ready_in(kind, now);
        if wait > 0.0 {
            return Err(SendBlocked::TooEarly(wait));
        }
        let subject = journal::clean(&subject);
        // Replacing the stage consumes the confirmation.
        self.stages[kind as usize] = Stage::InFlight(InFlight {
            ticket,
            since: now,
            subject: subject.clone(),
            is_awaited: true,
        });
        self.pacer.sent(operation(kind), now.mono);
        let intent = Intent {
            key: format!("{:.6}-{}", now.epoch.seconds(), ticket.0),
            at: now.epoch,
            profile: profile.name.clone(),
            address: profile.base_url.clone(),
            kind,
            subject,
            group: created(&request).map(|new| Box::new(new.without_launch_args())),
            over_limit,
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

    /// Forgets the intervals learned from refusals; the documented one stays.
    pub fn forget_limits(&mut self) {
        self.pacer.forget();
    }

    /// Handles the response to the write in flight: records its outcome in the history and the pacer, and
    /// returns the finished write. `None` if no write of this kind is in flight.
    pub fn complete(&mut self, kind: WriteKind, response: &Result<Reply, ApiError>, now: Now) -> Option<Completed> {
        let sent = self.in_flight(kind)?.clone();
        self.pacer.answered(operation(kind), now.mono, response);
        let (verdict, message) = judge(kind, response);
        let open = self
            .history
            .iter_mut()
            .rev()
            .find(|entry| entry.intent.kind == kind && entry.outcome.is_none());
        if let Some(entry) = open {
            entry.outcome = Some(outcome(&entry.intent, response, now.epoch));
        }
        let completed = Completed {
            kind,
            subject: sent.subject,
            verdict,
            message,
        };
        self.stages[kind as usize] = Stage::Completed(completed.clone());
        Some(completed)
    }

    /// The writes of this kind to this market, newest first, including one in flight and those of earlier
    /// runs.
    pub fn past(&self, kind: WriteKind) -> impl Iterator<Item = &Entry> {
        self.history.iter().rev().filter(move |entry| entry.intent.kind == kind)
    }

    /// The next time the displayed seconds of a write in flight change; `None` if none is in
    /// flight.
    pub fn deadline(&self, now: Now) -> Option<MonotonicTime> {
        let next = |sent: &InFlight| {
            let passed = (now.mono - sent.since.mono).floor();
            sent.since.mono + passed + 1.0
        };
        let all = self.all_in_flight().map(|(_, sent)| next(sent));
        all.min()
    }

    /// The next time the countdown to the next write of this kind changes, in whole seconds rounded
    /// up; `None` if a write can be sent now.
    pub fn countdown(&self, kind: WriteKind, now: Now) -> Option<MonotonicTime> {
        let wait = self.ready_in(kind, now);
        (wait > 0.0).then(|| now.mono + (wait - (wait.ceil() - 1.0)).max(0.02))
    }

    /// Ids of the volume listings that were unlisted, or possibly were (outcome unknown or awaited), latest
    /// first; those the market refused are left out.
    pub fn unlisted_ids(&self) -> impl Iterator<Item = &str> {
        self.past(WriteKind::UnlistVolume)
            .filter(|entry| entry.verdict() != Verdict::Refused)
            .map(|entry| entry.intent.subject.as_str())
    }
}

/// The journal line for the outcome of a write that got `response` at the time `at`; unknown if the response
/// was lost.
pub fn outcome(intent: &Intent, response: &Result<Reply, ApiError>, at: UnixTime) -> Outcome {
    let (verdict, message) = judge(intent.kind, response);
    Outcome {
        key: intent.key.clone(),
        at,
        verdict,
        words: journal::clean(&message),
    }
}

/// The verdict on a write, and the market's message or the error as a text. A response of another kind, or an
/// error after which the write may have succeeded, is unknown.
fn judge(kind: WriteKind, response: &Result<Reply, ApiError>) -> (Verdict, String) {
    match response {
        Ok(Reply::Unlisted { msg }) if msg.unescaped().trim().is_empty() => {
            (Verdict::Done, "(the market sent no message)".to_owned())
        }
        Ok(Reply::Unlisted { msg }) => (Verdict::Done, msg.screen(400)),
        Ok(Reply::Created { id }) => (Verdict::Done, format!("created as {id}")),
        Ok(_) => (Verdict::Unknown, "response for another request".to_owned()),
        Err(error) if error.outcome_unknown(operation(kind)) => (Verdict::Unknown, error.without_advice()),
        Err(error) => (Verdict::Refused, error.without_advice()),
    }
}

/// The exact request, to confirm before sending it; printable ASCII only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestPreview {
    pub method: &'static str,
    /// The base address of the market.
    pub base: String,
    pub path: &'static str,
    /// The exact JSON body; non-ASCII characters as `\uXXXX`, which is the same JSON.
    pub body: String,
    /// The API key that is sent, by name.
    pub key: String,
}

/// The preview of a request with a profile: method, address, body in printable ASCII, and the key it is sent
/// with by name.
pub fn preview(request: &Request, profile: &Profile) -> RequestPreview {
    let wire: WireRequest = wire::encode(request, profile.dialect);
    let is_route = matches!(request, Request::Route(_));
    let address = if is_route {
        &profile.route_url
    } else {
        &profile.base_url
    };
    let base = Untrusted::from(address.trim_end_matches('/')).for_confirmation();
    let name = Untrusted::from(profile.name.as_str()).for_confirmation();
    RequestPreview {
        method: wire.method.name(),
        base,
        path: wire.path,
        body: ascii_json(&wire.body_text().unwrap_or_default()),
        key: if is_route && profile.dialect.route_key == RouteKey::Group {
            "with the workergroup's own key".to_owned()
        } else if profile.has_key {
            format!("with the key of profile {name}")
        } else {
            format!("without a key: profile {name} has none")
        },
    }
}

/// JSON text in printable ASCII, the same value: other characters become `\uXXXX` escapes.
fn ascii_json(json: &str) -> String {
    use std::fmt::Write as _;
    let mut out = String::with_capacity(json.len());
    for character in json.chars() {
        if character.is_ascii_graphic() || character == ' ' {
            out.push(character);
        } else {
            let mut units = [0; 2];
            for unit in character.encode_utf16(&mut units) {
                let _ = write!(out, "\\u{unit:04x}"); // writing to a String cannot fail
            }
        }
    }
    out
}

/// The outcome of a write as a sentence: the headline, then the market's message or the error.
pub fn sentence(completed: &Completed) -> String {
    let words = market_words(completed);
    format!("{} {words}", headline(completed)).trim_end().to_owned()
}

/// The market's message or the error of a finished write; empty if it only repeats that the volume was
/// unlisted.
pub fn market_words(completed: &Completed) -> &str {
    let repeated = format!("Unlisted Volume {}.", completed.subject);
    if completed.verdict == Verdict::Done && completed.message == repeated {
        ""
    } else {
        &completed.message
    }
}

/// The outcome in a few words, to be followed by [`market_words`].
pub fn headline(completed: &Completed) -> String {
    let subject = &completed.subject;
    match (completed.kind, completed.verdict) {
        (WriteKind::UnlistVolume, Verdict::Done) if market_words(completed).is_empty() => {
            format!("Volume listing {subject} unlisted.")
        }
        (WriteKind::UnlistVolume, Verdict::Done) => format!("Volume listing {subject} unlisted:"),
        (WriteKind::UnlistVolume, Verdict::Refused) => {
            format!("Volume listing {subject} not unlisted:")
        }
        (WriteKind::UnlistVolume, Verdict::Unknown) => {
            format!("Outcome unknown: volume listing {subject} may or may not be unlisted:")
        }
        (WriteKind::CreateWorkergroup, Verdict::Done) => format!("Workergroup for {subject}:"),
        (WriteKind::CreateWorkergroup, Verdict::Refused) => {
            format!("No workergroup created for {subject}:")
        }
        (WriteKind::CreateWorkergroup, Verdict::Unknown) => {
            format!("Outcome unknown: the workergroup for {subject} may or may not exist:")
        }
    }
}

/// The reason a workergroup needs approval above the limit: `your limit is $10.00/h
/// (limits.group_hourly): the worst case is $23.40/h`.
pub fn describe_excess(limit: Dollars, excess: &str) -> String {
    let limit = per_hour(limit.amount());
    format!("your limit is {limit} (limits.group_hourly): {excess}")
}
