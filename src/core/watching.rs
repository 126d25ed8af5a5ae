//! Runs the watch engine in the dashboard: the searches that features want polled are requested in
//! turn, within the request budget that all programs share.

use super::feature::Event;
use super::message::{Effect, HistoryJob, News};
use super::owners::Owner;
use super::state::State;
use super::view::Cx;
use crate::api::ApiError;
use crate::domain::Resource;
use crate::domain::time::{MonotonicTime, Now, UnixTime};
use crate::record::watch::{Claim, Engine, Failure, NextPoll, Right, Wish, has_same_conditions};
use crate::record::{Poll, PollOutcome};
use crate::table::remote::Ticket;

/// Seconds after which a request counts as lost.
///
/// A request ends after 20 seconds, and is tried three times.
const PATIENCE: f64 = 90.0;

/// The identity of a polled search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WishId {
    Table(Resource),
    /// A search that no table shows, by a name of its own.
    Named(String),
}

/// A search that a feature wants polled, and the function that sends the poll.
#[derive(Debug, Clone)]
pub struct Interest {
    pub wish: Wish<WishId>,
    pub send: fn(&mut Cx<'_>, &WishId),
}

/// A wish whose poll is in progress.
#[derive(Debug)]
struct UnderWay {
    id: WishId,
    /// The claim that awaits a decision; `None` once the request is sent.
    claim: Option<Ticket>,
    /// The time at which the poll started.
    since: MonotonicTime,
}

/// The wishes of all features, and the polls in progress.
#[derive(Debug)]
pub struct Watching {
    engine: Engine<WishId>,
    interests: Vec<Interest>,
    under_way: Vec<UnderWay>,
}

impl Default for Watching {
    fn default() -> Self {
        Self {
            engine: Engine::without_spacing(has_same_conditions),
            interests: Vec::new(),
            under_way: Vec::new(),
        }
    }
}

impl State {
    /// Seconds until a table is refreshed automatically, limited by the request budget; 0 if it is due, or if
    /// no poll of the table is scheduled.
    pub fn next_refresh(&self, resource: Resource, now: Now) -> f64 {
        let engine = &self.watching.engine;
        let due = engine.due(&WishId::Table(resource)).filter(|due| due.is_finite());
        (due.unwrap_or(now.mono).max(engine.free_for(1)) - now.mono).max(0.0)
    }

    /// Whether a wish of a table cannot be polled now: the table is loading already, or would meet the same
    /// error again. False for other wishes.
    fn is_waiting(&self, id: &WishId, now: Now) -> bool {
        let WishId::Table(resource) = id else { return false };
        let remote = self.browsers[*resource].remote();
        remote.is_loading() || remote.error().is_some_and(|error| error.stops_timers(now.epoch))
    }

    /// The number of polls a minute that the user allows all programs together.
    fn requests_a_minute(&self) -> u32 {
        u32::try_from(self.settings.pace.limit).unwrap_or(u32::MAX)
    }
}

impl Watching {
    /// Whether the polls are slowed down, as the market has refused or failed at least the latest one.
    pub const fn is_backing_off(&self) -> bool {
        self.engine.is_backing_off()
    }

    /// The wish with this identity and its sender; `None` if no feature wants it now.
    fn interest(&self, id: &WishId) -> Option<&Interest> {
        self.interests.iter().find(|interest| interest.wish.id == *id)
    }

    /// Ends the poll of a wish; false if none was in progress.
    fn end(&mut self, id: &WishId) -> bool {
        let before = self.under_way.len();
        self.under_way.retain(|under_way| under_way.id != *id);
        self.under_way.len() < before
    }

    /// The time of the next poll, or at which a request counts as lost; `None` if there is neither. A held
    /// timer has no next poll.
    pub(crate) fn deadline(&self, state: &State, now: Now) -> Option<MonotonicTime> {
        let patience = self.under_way.iter().map(|under_way| under_way.since + PATIENCE);
        let next = match self.engine.next() {
            NextPoll::Due(_, at) if at.is_finite() && state.held(now).is_none() => Some(at),
            NextPoll::Due(..) | NextPoll::AwaitApiKey | NextPoll::Idle => None,
        };
        patience.chain(next).min()
    }
}

/// Collects the searches that features want polled (wishes) and updates the request budget. Ends polls in
/// progress that no feature wants now or whose table stopped loading.
pub(crate) fn follow(cx: &mut Cx<'_>) {
    let (now, state) = (cx.now, &mut *cx.state);
    let wishes = state.features.iter().flat_map(|feature| (feature.wishes)(state, now));
    state.watching.interests = wishes.collect();
    let (a_minute, watching) = (state.requests_a_minute(), &mut state.watching);
    watching.engine.allow(a_minute);
    let wishes = watching.interests.iter().map(|interest| interest.wish.clone());
    watching.engine.replace_wishes(wishes, now.mono);
    // A request of a table may have been cancelled.
    let is_over = |under_way: &UnderWay| match &under_way.id {
        WishId::Table(resource) => under_way.claim.is_none() && !state.browsers[*resource].remote().is_loading(),
        WishId::Named(_) => false,
    };
    for index in (0..watching.under_way.len()).rev() {
        let id = &watching.under_way[index].id;
        let every = watching.interest(id).map(|interest| interest.wish.every);
        if every.is_none() || is_over(&watching.under_way[index]) {
            let ended = watching.under_way.remove(index);
            watching
                .engine
                .recheck_after(&ended.id, now.mono, every.unwrap_or_default());
            cx.effects.push(Effect::History(HistoryJob::EndTurn));
        }
    }
}

/// Starts the polls that are due, unless timers are held by an error. First, a request without a response for
/// 90 seconds is given up, and a poll that the record has not allowed or refused for as long is sent anyway.
pub(crate) fn tick(cx: &mut Cx<'_>) {
    let now = cx.now;
    let is_late = |under_way: &mut UnderWay| now.mono - under_way.since >= PATIENCE;
    let late: Vec<UnderWay> = cx.state.watching.under_way.extract_if(.., is_late).collect();
    for UnderWay { id, claim, .. } in late {
        match claim {
            // The record does not answer.
            Some(_) => send(cx, id),
            None => cx.state.watching.engine.recheck_after(&id, now.mono, 0.0),
        }
    }
    if cx.state.held(now).is_some() {
        return;
    }
    while let NextPoll::Due(id, at) = cx.state.watching.engine.next()
        && at <= now.mono
    {
        claim(cx, id);
    }
}

/// Asks the record for the right to poll a wish now, which other programs may poll too. A table that is
/// loading, or would meet the same error again, is postponed; nothing happens if no feature wants the poll.
fn claim(cx: &mut Cx<'_>, id: WishId) {
    let (now, state) = (cx.now, &mut *cx.state);
    let Some(wish) = state.watching.interest(&id).map(|interest| interest.wish.clone()) else {
        return;
    };
    if state.is_waiting(&id, now) {
        return state.watching.engine.recheck_after(&id, now.mono, wish.every);
    }
    let engine = &mut state.watching.engine;
    let since = engine.since(&id, now.epoch);
    engine.begin(&id);
    engine.spent(wish.requests, now.mono);
    let ticket = state.tickets.take();
    let claim = Claim {
        since,
        bans: state.annotations.bans(),
        now: now.epoch,
        requests: wish.requests,
        a_minute: state.requests_a_minute(),
        query: wish.query,
    };
    state.watching.under_way.push(UnderWay {
        id,
        claim: Some(ticket),
        since: now.mono,
    });
    let claim = Box::new(claim);
    let job = HistoryJob::ClaimPoll { ticket, claim };
    cx.effects_for(Owner::Feature(claimed), [Effect::History(job)]);
}

/// Handles the record's decision on a claim, if its poll is still wanted: sends the request, postpones it, or
/// passes on the poll that another program has recorded. A request that is allowed is postponed too while its
/// table is loading or timers are held by an error.
fn claimed(cx: &mut Cx<'_>, ticket: Ticket, news: News) {
    let News::Poll(right) = news else { return };
    let (now, watching) = (cx.now, &mut cx.state.watching);
    let mut claims = watching.under_way.iter();
    let Some(index) = claims.position(|under_way| under_way.claim == Some(ticket)) else {
        return cx.effect(Effect::History(HistoryJob::EndTurn));
    };
    let UnderWay { id, .. } = watching.under_way.remove(index);
    let Some(interest) = watching.interest(&id).cloned() else {
        return;
    };
    let engine = &mut watching.engine;
    match right {
        Right::Later(seconds) => {
            engine.refund(interest.wish.requests);
            engine.recheck_after(&id, now.mono, seconds);
        }
        Right::Recorded(poll) => {
            engine.refund(interest.wish.requests);
            engine.recorded(&id, poll.outcome, poll.at, now);
            cx.emit(Event::Read(&id, &poll));
        }
        Right::Ours(_) if cx.state.is_waiting(&id, now) || cx.state.held(now).is_some() => {
            let engine = &mut cx.state.watching.engine;
            engine.refund(interest.wish.requests);
            engine.recheck_after(&id, now.mono, interest.wish.every);
            cx.effect(Effect::History(HistoryJob::EndTurn));
        }
        Right::Ours(_) => send(cx, id),
    }
}

/// Sends the poll of a wish and marks it as in progress; nothing if no feature wants it now.
fn send(cx: &mut Cx<'_>, id: WishId) {
    let since = cx.now.mono;
    let watching = &mut cx.state.watching;
    if let Some(send) = watching.interest(&id).map(|interest| interest.send) {
        let claim = None;
        let asked = id.clone();
        watching.under_way.push(UnderWay { id, claim, since });
        send(cx, &asked);
    }
}

/// Spreads all polls over the next `seconds`, after the computer was suspended.
pub(crate) fn woken(cx: &mut Cx<'_>, seconds: f64) {
    cx.state.watching.engine.on_wake(cx.now.mono, seconds);
}

/// Informs the engine that a table shows a response, or its failure; `poll` is the recorded response, `None`
/// for tables that are not recorded.
pub(crate) fn listed(cx: &mut Cx<'_>, resource: Resource, poll: Option<&Poll>) {
    let id = WishId::Table(resource);
    if let Some(error) = cx.state.browsers[resource].remote().error().cloned() {
        return cx.on_watch_failed(&id, &error);
    }
    // Of workergroups nothing is recorded, which would end the turn.
    if cx.on_watched(&id, poll.map_or(PollOutcome::Complete, |poll| poll.outcome)) && poll.is_none() {
        cx.effect(Effect::History(HistoryJob::EndTurn));
    }
}

impl Cx<'_> {
    /// Handles a response to a wish, from any sender; true if its poll was in progress. Recording the poll
    /// then ends the claim.
    pub(crate) fn on_watched(&mut self, id: &WishId, outcome: PollOutcome) -> bool {
        let (now, watching) = (self.now, &mut self.state.watching);
        watching.engine.answered(id, outcome, now.epoch.moment(), now.mono);
        watching.end(id)
    }

    /// Handles the failed request of a wish: ends its poll and schedules the next one by the scope of the
    /// error.
    pub(crate) fn on_watch_failed(&mut self, id: &WishId, error: &ApiError) {
        let (now, watching) = (self.now, &mut self.state.watching);
        watching.end(id);
        let every = watching.interest(id).map(|interest| interest.wish.every);
        match (failure(error, now.epoch), every) {
            // The error holds all timers until a request of the user succeeds, see [`State::held`].
            (Failure::ApiKey | Failure::Refused, Some(every)) => watching.engine.recheck_after(id, now.mono, every),
            (failure, every) => {
                watching.engine.failed(id, now.mono, failure);
                if let (ApiError::RateLimited { .. }, Some(every)) = (error, every) {
                    let pause = watching.engine.doubled(every);
                    watching.engine.recheck_after(id, now.mono, pause);
                }
            }
        }
    }

    /// Takes one request outside the wishes from the budget and counts it in the record; false, and nothing
    /// taken, if there is no room or timers are held by an error.
    pub(crate) fn take_extra_request(&mut self) -> bool {
        let now = self.now;
        let engine = &mut self.state.watching.engine;
        if engine.free_for(1) > now.mono || self.state.held(now).is_some() {
            return false;
        }
        self.state.watching.engine.spent(1, now.mono);
        self.effect(Effect::History(HistoryJob::CountRequest(now.epoch)));
        true
    }
}

/// The scope of a failed request: the API key, a refusal that holds all timers, the whole market (with a
/// pause in seconds, 0 if it named none), or this request only.
pub(crate) fn failure(error: &ApiError, now: UnixTime) -> Failure {
    match error {
        ApiError::RateLimited {
            retry_after, threshold, ..
        } => Failure::Market {
            pause: retry_after.map_or(threshold.unwrap_or(0.0), |span| span.as_secs_f64()),
        },
        ApiError::Misconfigured(_) => Failure::Refused,
        error if error.is_auth() => Failure::ApiKey,
        error if error.stops_timers(now) => Failure::Refused,
        error if error.is_passing() || matches!(error, ApiError::NotConnected { .. }) => Failure::Market { pause: 0.0 },
        _ => Failure::Request,
    }
}
