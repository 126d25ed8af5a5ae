//! The watch: decides the next poll of a market and its time, so that all wishes are satisfied.
//!
//! A [`Wish`] is a query and its interval. Wishes share one budget of requests per minute, share each other's
//! responses, look for polls recorded by other programs before they poll, and pause while the market refuses or cannot
//! be reached. Pure: the time is passed in.

mod causes;
mod claim;
mod figures;

use std::collections::VecDeque;

use bourse_domain::insight::total;
use bourse_domain::query::Query;
use bourse_domain::time::{MonotonicTime, Now, UnixTime};
use bourse_domain::{Condition, Resource};

pub use causes::{CauseSearch, Missing, cause_search, missing};
pub use claim::{Claim, Right};
pub use figures::SearchFigures;

use super::{Moment, PollOutcome};

/// The longest pause after failures, in seconds.
pub const LONGEST_PAUSE: f64 = 600.0;

/// The number of complete responses in a row after which others share a wish's responses again, after one that was cut
/// or failed.
const TRUSTED_AFTER: u8 = 3;

/// Seconds that a wish last answered by another program's poll waits beyond its interval of `every` seconds
/// for the next one: a sixth of the interval, at most 20 seconds.
///
/// The program that polled last is due at the interval, so that it continues polling, and the others read its polls.
/// They take over from one that has ended.
pub fn grace(every: f64) -> f64 {
    (every / 6.0).min(20.0)
}

/// Whether the conditions of the second query imply those of the first.
pub type Contains = fn(&Query, &Query) -> bool;

/// Whether two queries have the same active conditions, in any order: the containment test if there is no
/// better one.
pub fn has_same_conditions(scope: &Query, query: &Query) -> bool {
    /// Whether one of the conditions has the same field, operator and operand.
    fn is_in<'a>(wanted: &Condition, mut all: impl Iterator<Item = &'a Condition>) -> bool {
        all.any(|condition| {
            (condition.field.key, condition.operator, &condition.operand)
                == (wanted.field.key, wanted.operator, &wanted.operand)
        })
    }
    scope.active().all(|condition| is_in(condition, query.active()))
        && query.active().all(|condition| is_in(condition, scope.active()))
}

/// A query that is to be polled at an interval.
#[derive(Debug, Clone)]
pub struct Wish<K> {
    pub id: K,
    pub query: Query,
    /// The maximum interval between responses, in seconds.
    pub every: f64,
    /// The time it is first due.
    pub first: MonotonicTime,
    /// The number of requests of one poll.
    pub requests: u32,
    /// Whether it needs a response of its own: neither another wish's nor a recorded one.
    pub is_own: bool,
}

/// The extent of a failure, which decides what is paused.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Failure {
    /// All requests fail for a while: an outage or a 429, with the pause in seconds that the market requested.
    Market { pause: f64 },
    /// All requests fail until the user acts, or a quota is renewed.
    Refused,
    /// All requests fail until the API key changes.
    ApiKey,
    /// Only this request failed; others go on.
    Request,
}

/// The next poll, or the reason there is none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum NextPoll<K> {
    /// This wish, at this time at the earliest.
    Due(K, MonotonicTime),
    /// Nothing until the API key changes.
    AwaitApiKey,
    /// Nothing at all: there are no wishes.
    Idle,
}

#[derive(Debug)]
struct Task<K> {
    wish: Wish<K>,
    next: MonotonicTime,
    /// The number of consecutive failures of its own.
    failures: i32,
    /// The number of complete responses until others may share its responses.
    distrust: u8,
    /// The newest known poll of its query.
    newest: Option<Moment>,
    /// Whether it was last answered by another program.
    follows: bool,
    /// Whether it shares another wish's responses.
    rides: bool,
}

/// The schedule of wishes that share a budget.
#[derive(Debug)]
pub struct Engine<K> {
    /// Seconds between two requests, by the budget.
    ///
    /// Even spacing keeps the budget in every minute and leaves no backlog, after a suspend or anything else.
    gap: f64,
    /// The earliest time of the next request.
    free: MonotonicTime,
    /// The times of the requests of the last minute; `None` if requests are spaced.
    burst: Option<VecDeque<MonotonicTime>>,
    /// The number of consecutive failures of the market.
    failures: i32,
    /// Whether the key was refused: nothing more is sent with it.
    is_stopped: bool,
    contains: Contains,
    tasks: Vec<Task<K>>,
}

impl<K: Clone + PartialEq> Engine<K> {
    /// An engine without wishes, whose requests are spaced evenly by the budget; the first one may be sent at
    /// `free`.
    pub fn new(requests_a_minute: u32, free: MonotonicTime, contains: Contains) -> Self {
        Self {
            gap: gap(requests_a_minute),
            free,
            burst: None,
            failures: 0,
            is_stopped: false,
            contains,
            tasks: Vec::new(),
        }
    }

    /// An engine for a user who watches the screen: requests are not spaced, only counted in each minute. The
    /// budget is one a minute until [`Engine::allow`] is called.
    pub fn without_spacing(contains: Contains) -> Self {
        Self {
            burst: Some(VecDeque::new()),
            ..Self::new(1, MonotonicTime::default(), contains)
        }
    }

    /// Changes the budget, in requests per minute; 0 counts as 1.
    pub fn allow(&mut self, requests_a_minute: u32) {
        self.gap = gap(requests_a_minute);
    }

    /// Seconds between two requests, by the budget.
    pub const fn gap(&self) -> f64 {
        self.gap
    }

    /// Ends the stop after a rejected API key, to continue with another key.
    pub const fn resume(&mut self) {
        self.is_stopped = false;
    }

    /// Replaces the wishes; those with the same id, conditions, price type, storage and bundling keep their
    /// schedule, sooner if their interval got shorter. All others are due at their `first`.
    pub fn replace_wishes(&mut self, wishes: impl IntoIterator<Item = Wish<K>>, now: MonotonicTime) {
        let mut before = std::mem::take(&mut self.tasks);
        let kept = wishes.into_iter().map(|wish| {
            let index = before.iter().position(|task| task.wish.id == wish.id);
            let known = index.map(|known| before.swap_remove(known));
            let Some(task) = known.filter(|task| is_on_same_terms(&task.wish.query, &wish.query)) else {
                return Task {
                    next: wish.first,
                    wish,
                    failures: 0,
                    distrust: 0,
                    newest: None,
                    follows: false,
                    rides: false,
                };
            };
            // A shorter interval counts from the last response as well.
            let sooner = (task.wish.every - wish.every).max(0.0);
            Task {
                next: (task.next - sooner).max(task.next.min(now)),
                wish,
                ..task
            }
        });
        self.tasks = kept.collect();
        self.pair();
    }

    /// Removes a wish; wishes that shared its responses are polled themselves again.
    pub fn remove_wish(&mut self, id: &K) {
        self.tasks.retain(|task| task.wish.id != *id);
        self.pair();
    }

    /// The next wish to poll and the earliest time for it: the one that is due first, of equals the earlier
    /// in the list. Those that share another's responses are left out. `AwaitApiKey` after a rejected key,
    /// else `Idle` without wishes.
    pub fn next(&self) -> NextPoll<K> {
        if self.is_stopped {
            return NextPoll::AwaitApiKey;
        }
        let first = self.leaders().min_by_key(|task| task.next);
        first.map_or(NextPoll::Idle, |task| {
            let free = self.free_for(task.wish.requests);
            NextPoll::Due(task.wish.id.clone(), task.next.max(free))
        })
    }

    /// Marks a wish as being polled: until its answer it is not due.
    pub fn begin(&mut self, id: &K) {
        self.reschedule(id, MonotonicTime::NEVER, |_| 0.0);
    }

    /// The time when the budget has room for `requests` requests; more than the whole budget wait for an
    /// empty minute. With even spacing it is the time of the next request, whatever their number.
    pub fn free_for(&self, requests: u32) -> MonotonicTime {
        let Some(sent) = &self.burst else { return self.free };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a whole number
        let limit = (60.0 / self.gap).round() as usize;
        let requests = usize::try_from(requests).unwrap_or(limit).min(limit);
        let over = (sent.len() + requests).saturating_sub(limit);
        let last = over.checked_sub(1).and_then(|last| sent.get(last));
        last.map_or(self.free, |at| self.free.max(*at + 60.0))
    }

    /// The wishes that are polled themselves: those that do not share another's responses.
    fn leaders(&self) -> impl Iterator<Item = &Task<K>> {
        self.tasks.iter().filter(|task| !task.rides)
    }

    /// Decides for each wish whether it shares another's responses.
    fn pair(&mut self) {
        let rides = |index: usize, task: &Task<K>| {
            let mut others = self.tasks.iter().enumerate();
            !task.wish.is_own && others.any(|(other, leader)| self.leads((other, leader), (index, task)))
        };
        let tasks = self.tasks.iter().enumerate();
        let rides: Vec<bool> = tasks.map(|(index, task)| rides(index, task)).collect();
        for (task, rides) in self.tasks.iter_mut().zip(rides) {
            task.rides = rides;
        }
    }

    /// Whether the second task shares the responses of the first one, which is polled at least as often,
    /// whose responses cover it, and whose latest ones were complete. `at` and `index` are their indices: of
    /// two that cover each other, the one that is polled more often or needs its own responses is polled,
    /// else the earlier one.
    fn leads(&self, (at, leader): (usize, &Task<K>), (index, task): (usize, &Task<K>)) -> bool {
        if at == index || leader.distrust > 0 || leader.wish.every > task.wish.every {
            return false;
        }
        // Of two that could share each other's responses the first leads.
        let is_first = at < index || leader.wish.is_own || leader.wish.every < task.wish.every;
        self.covers(&leader.wish, &task.wish) && (is_first || !self.covers(&task.wish, &leader.wish))
    }

    /// Whether a complete response to the first wish answers the second.
    fn covers(&self, first: &Wish<K>, second: &Wish<K>) -> bool {
        has_same_prices(&first.query, &second.query) && (self.contains)(&first.query, &second.query)
    }

    /// The wish with this id and its schedule; `None` if there is none.
    fn task(&self, id: &K) -> Option<&Task<K>> {
        self.tasks.iter().find(|task| task.wish.id == *id)
    }

    /// The time a wish is due, whether or not the budget has room: `MonotonicTime::NEVER` while it is being
    /// polled. `None` if there is no such wish.
    pub fn due(&self, id: &K) -> Option<MonotonicTime> {
        self.task(id).map(|task| task.next)
    }

    /// Whether a wish was last answered by another program's poll; false if there is no such wish.
    pub fn follows(&self, id: &K) -> bool {
        self.task(id).is_some_and(|task| task.follows)
    }

    /// Whether the market failed at least once since its last answer, so that pauses are longer.
    pub const fn is_backing_off(&self) -> bool {
        self.failures > 0
    }

    /// The earliest time of the next request, by the budget and by pauses after failures.
    pub const fn free(&self) -> MonotonicTime {
        self.free
    }

    /// The moment after which a recorded poll answers a wish: that of its newest known poll (ignored if it is
    /// in the future), but at most one interval ago. `None` if only a response of its own does, or there is
    /// no such wish.
    pub fn since(&self, id: &K, now: UnixTime) -> Option<Moment> {
        let task = self.task(id).filter(|task| !task.wish.is_own)?;
        let oldest = (now - self.interval(task.wish.every)).moment();
        // Polls from before the clock was set back may be in the future.
        let newest = task.newest.filter(|newest| *newest <= now.moment());
        Some(newest.map_or(oldest, |newest| newest.max(oldest)))
    }

    /// Counts requests that were answered or failed at `now`: with even spacing the next one waits for as
    /// many gaps, without it each takes room in the budget for a minute.
    ///
    /// Only one wish is polled at a time, so those sent within a minute never exceed the budget.
    pub fn spent(&mut self, requests: u32, now: MonotonicTime) {
        let Some(sent) = &mut self.burst else {
            self.free = now + self.gap * f64::from(requests);
            return;
        };
        while sent.front().is_some_and(|at| now - *at >= 60.0) {
            sent.pop_front();
        }
        sent.extend((0..requests).map(|_| now));
    }

    /// Uncounts the last `requests` that were counted by [`Engine::spent`] but not sent; only without
    /// spacing.
    pub fn refund(&mut self, requests: u32) {
        if let Some(sent) = &mut self.burst {
            let kept = sent
                .len()
                .saturating_sub(usize::try_from(requests).unwrap_or(usize::MAX));
            sent.truncate(kept);
        }
    }

    /// Records the market's answer to a wish, which ends a pause after failures and the stop after a rejected
    /// key; returns the other wishes that it answers too.
    pub fn answered(&mut self, id: &K, outcome: PollOutcome, at: Moment, now: MonotonicTime) -> Vec<K> {
        if std::mem::take(&mut self.failures) > 0 {
            // The pause is over.
            self.free = self.free.min(now + self.gap);
        }
        self.is_stopped = false;
        self.record_poll(id, (outcome, at), now, false)
    }

    /// Records another program's poll of time `at` as the answer to a wish, whose interval counts from then;
    /// returns the other wishes that it answers too.
    pub fn recorded(&mut self, id: &K, outcome: PollOutcome, at: Moment, now: Now) -> Vec<K> {
        let age = (now.epoch - at.unix()).max(0.0);
        self.record_poll(id, (outcome, at), now.mono - age, true)
    }

    /// Records a poll as the answer to a wish and schedules the next one, for all wishes that it answers;
    /// returns the others: those that the wish covers, if the poll is complete or their request is the same,
    /// except those that need a response of their own. `follows` is set for another program's poll.
    fn record_poll(&mut self, id: &K, poll: (PollOutcome, Moment), now: MonotonicTime, follows: bool) -> Vec<K> {
        let Some(asked) = self.task(id).map(|task| task.wish.clone()) else {
            return Vec::new();
        };
        let (outcome, at) = poll;
        let is_complete = outcome == PollOutcome::Complete;
        let answered = |task: &Task<K>| {
            task.wish.id == asked.id
                || (is_same_request(&asked.query, &task.wish.query) || is_complete) && self.covers(&asked, &task.wish)
        };
        let answered: Vec<bool> = self.tasks.iter().map(answered).collect();
        let mut also = Vec::new();
        for (task, _) in self.tasks.iter_mut().zip(answered).filter(|(_, is)| *is) {
            task.newest = Some(at);
            if task.wish.id == asked.id {
                task.failures = 0;
                task.distrust = if is_complete {
                    task.distrust.saturating_sub(1)
                } else {
                    TRUSTED_AFTER
                };
            } else if task.wish.is_own {
                continue;
            } else {
                also.push(task.wish.id.clone());
            }
            let every = task.wish.every;
            task.follows = follows;
            task.next = now + every + if follows { grace(every) } else { 0.0 };
        }
        self.pair();
        also
    }

    /// Makes a wish due again `after` seconds from `now`, without a request having been sent.
    pub fn recheck_after(&mut self, id: &K, now: MonotonicTime, after: f64) {
        self.reschedule(id, now, |_| after);
    }

    /// Records a failed poll. The wish, if known, is due after its interval, doubled per `Request` failure in
    /// a row (up to ten minutes, or the interval if longer); such a failure leaves it unshared until 3
    /// complete responses in a row. All requests pause: for `Market` their usual interval, doubled per such
    /// failure in a row, at least its `pause`, at most ten minutes; for `Refused` ten minutes; for `ApiKey`
    /// until [`Self::resume`] or an answer.
    pub fn failed(&mut self, id: &K, now: MonotonicTime, failure: Failure) {
        let gap = self.gap;
        let doubled = |seconds: f64, failures: i32| (seconds * 2_f64.powi(failures)).min(LONGEST_PAUSE);
        match failure {
            Failure::Market { pause } => {
                self.failures += 1;
                self.free = now + doubled(gap, self.failures).max(pause.min(LONGEST_PAUSE)).max(gap);
            }
            Failure::Refused => self.free = now + LONGEST_PAUSE.max(gap),
            Failure::ApiKey => self.is_stopped = true,
            Failure::Request => {}
        }
        // The others are polled first: one bad search must not block all.
        self.reschedule(id, now, |task| {
            let is_own = failure == Failure::Request;
            task.failures += i32::from(is_own);
            task.distrust = if is_own { TRUSTED_AFTER } else { task.distrust };
            task.wish.every.max(doubled(task.wish.every, task.failures))
        });
        self.pair();
    }

    /// A span in seconds, doubled for each consecutive failure of the market, up to 10 minutes or `seconds`
    /// if that is more.
    pub fn doubled(&self, seconds: f64) -> f64 {
        (seconds * 2_f64.powi(self.failures)).min(LONGEST_PAUSE.max(seconds))
    }

    /// Makes a wish due `after` seconds from `now`; no effect if there is no such wish.
    fn reschedule(&mut self, id: &K, now: MonotonicTime, after: impl FnOnce(&mut Task<K>) -> f64) {
        if let Some(task) = self.tasks.iter_mut().find(|task| task.wish.id == *id) {
            task.next = now + after(task);
        }
    }

    /// Makes all wishes due `seconds` from `now`, after a suspend; one that is being polled is not affected.
    ///
    /// Every program of this computer woke at once.
    pub fn on_wake(&mut self, now: MonotonicTime, seconds: f64) {
        for task in self.tasks.iter_mut().filter(|task| task.next.is_finite()) {
            task.next = now + seconds;
        }
    }

    /// The number of requests per minute that all wishes need; those that share another's responses need
    /// none.
    pub fn wanted_per_minute(&self) -> f64 {
        let rates = self.leaders();
        total(rates.map(|task| 60.0 * f64::from(task.wish.requests) / task.wish.every))
    }

    /// The number of requests per minute that are sent: those that the wishes need, at most the budget.
    pub fn sent_per_minute(&self) -> f64 {
        self.wanted_per_minute().min(60.0 / self.gap)
    }

    /// Whether the budget has room for one more request per minute beside the wishes.
    pub fn has_room(&self) -> bool {
        self.wanted_per_minute() + 1.0 <= 60.0 / self.gap
    }

    /// Seconds between two answers of a wish with the interval `every`: longer if all wishes together exceed the
    /// budget.
    pub fn interval(&self, every: f64) -> f64 {
        every * (self.wanted_per_minute() * self.gap / 60.0).max(1.0)
    }
}

/// Seconds between two requests of a budget; a budget of 0 counts as 1 a minute.
fn gap(requests_a_minute: u32) -> f64 {
    60.0 / f64::from(requests_a_minute.max(1))
}

/// Whether the responses to two queries have the same prices, of the same kind of rows: equal resource, price
/// type, storage and bundling. False for workergroups.
fn has_same_prices(left: &Query, right: &Query) -> bool {
    let storage = |query: &Query| query.storage_gb().to_bits();
    left.resource == right.resource
        // Workergroups are not recorded, and not searched.
        && left.resource != Resource::Workergroups
        && left.offer_type == right.offer_type
        && storage(left) == storage(right)
        && left.unbundled == right.unbundled
}

/// Whether two queries have the same resource, conditions and prices, so that a wish keeps its schedule;
/// order and limit may differ.
fn is_on_same_terms(left: &Query, right: &Query) -> bool {
    left.resource == right.resource
        && (left.resource == Resource::Workergroups || has_same_prices(left, right))
        && has_same_conditions(left, right)
}

/// Whether two queries have the same conditions, order and limit, so that a response to one has the rows of
/// the other's; prices are not compared, see [`has_same_prices`].
fn is_same_request(left: &Query, right: &Query) -> bool {
    has_same_conditions(left, right) && left.order == right.order && left.limit == right.limit
}

#[cfg(test)]
mod tests;
