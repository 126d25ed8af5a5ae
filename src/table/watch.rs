//! What a search with auto-refresh remembers: earlier responses, and what has changed since.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use jiff::tz::TimeZone;

use super::gone::{Departures, GoneRow};
pub use super::poll_claim::{PollClaim, PollRight};
use super::remote::{Now, Ticket};
use crate::domain::watching::Watching;
use crate::domain::{Field, Listing, Query, Resource, RowId};
use crate::record;
use crate::record::differences::recorded_lot;
use crate::record::{Cause, Event, EventKind, Lot, Moment, Poll};

/// Who polls a watched search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Poller {
    #[default]
    ThisProgram,
    /// Another program, and when it recorded prices that are newer than the rows here.
    Another { recorded: Option<Moment> },
}

/// Seconds without a key after which the person has not been looking.
const AWAY: f64 = 60.0;

/// Seconds behind other windows after which a watched search pauses.
const LONG_AWAY: f64 = 3600.0;

// Without a record they are in memory only, and nobody reads further back.
/// Events that are kept while nothing is recorded.
const MOST_EVENTS: usize = 500;

/// The longest interval that refusals lead to, in seconds.
const LONGEST_PAUSE: f64 = 600.0;

/// The shortest interval in seconds between two requests of a watched search.
pub const fn floor(resource: Resource) -> f64 {
    match resource {
        Resource::Offers | Resource::Volumes => 10.0,
        // The market lists all of them, so it costs more.
        Resource::Workergroups => 30.0,
    }
}

/// Which earlier response the newest one is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Baseline {
    /// The one before.
    LastPoll,
    /// The one that was on the screen when the person was last there.
    LastLook,
    /// The first of the day.
    #[default]
    Today,
}

impl Baseline {
    /// All, in the order of the choice.
    pub const ALL: [Self; 3] = [Self::LastPoll, Self::LastLook, Self::Today];

    /// Its name in the choice.
    pub const fn title(self) -> &'static str {
        match self {
            Self::LastPoll => "last refresh",
            Self::LastLook => "last time you looked",
            Self::Today => "today",
        }
    }
}

#[derive(Debug)]
pub struct Watch {
    /// Seconds between a response and the next request.
    pub(crate) interval: f64,
    /// When to send the next request, on the monotonic clock; never while it is paused.
    pub(crate) next: f64,
    /// Since when the terminal is not in front, on the monotonic clock.
    away: Option<f64>,
    /// How often in a row the market has refused: each time doubles the pause.
    refusals: i32,
    baseline: Baseline,
    /// Whose midnight ends a day.
    zone: TimeZone,
    /// Earlier responses by their number, only those that a baseline needs.
    kept: BTreeMap<u64, (Listing, Now)>,
    last: Option<u64>,
    looked: Option<u64>,
    today: Option<u64>,
    /// The number of the response that the person saw last, and when.
    seen: (u64, f64),
    /// What the newest response changed.
    pub(crate) changes: Changes,
    pub(crate) departures: Departures,
    /// Why lots are gone, where a search could tell.
    pub(crate) causes: HashMap<Lot, Cause>,
    /// The newest response as a poll, and the events since auto-refresh is on, the newest first: what
    /// the tape shows where nothing is recorded.
    poll: Option<Poll>,
    events: VecDeque<Event>,
    /// The search for the causes under way, and the lots it is about.
    pub(crate) cause_search: Option<(Ticket, Vec<Lot>)>,
    /// The claim to the next poll under way.
    pub(crate) claim: Option<Ticket>,
    pub(crate) poller: Poller,
    /// When the newest poll was that is known here, at first when auto-refresh was turned on.
    pub(crate) newest: Moment,
    /// Polls of another program that were read in the record.
    polls_read: u64,
    /// The newest poll while that search is under way: it is recorded with the causes.
    pub(crate) unrecorded: Option<Box<Poll>>,
}

/// The differences to an earlier response.
#[derive(Debug, Default)]
pub struct Changes {
    pub(crate) arrived: HashSet<RowId>,
    pub(crate) field: Option<&'static Field>,
    pub(crate) prices: HashMap<RowId, (f64, f64)>,
    /// Rows missing from the latest response.
    pub gone: usize,
    /// Those rows in the baseline; see [`Watch::order_gone`].
    pub(crate) gone_rows: Vec<GoneRow>,
    /// The machines and models of those rows, each with how many they are.
    pub(crate) gone_lots: HashMap<Lot, usize>,
    /// Whether the limit truncated a response, so that a missing row may only be pushed out of it.
    pub is_cut: bool,
}

impl Changes {
    /// How many rows are new.
    pub fn new_rows(&self) -> usize {
        self.arrived.len()
    }

    /// The rows that are gone: those with a known cause, then the others, the latest to leave first.
    pub fn gone_rows(&self) -> &[GoneRow] {
        &self.gone_rows
    }

    /// Whether a column's prices are compared.
    pub fn compares(&self, field: &Field) -> bool {
        self.field == Some(field)
    }

    /// How many prices fell, and how many rose.
    pub fn moves(&self) -> (usize, usize) {
        let down = self.prices.values().filter(|(from, to)| to < from).count();
        (down, self.prices.len() - down)
    }

    /// Whether a row is new.
    pub fn is_new(&self, id: RowId) -> bool {
        self.arrived.contains(&id)
    }

    /// A row's earlier and current price, if it changed.
    pub fn price(&self, id: RowId) -> Option<(f64, f64)> {
        self.prices.get(&id).copied()
    }

    /// Whether any price of a column changed.
    pub fn has_moved(&self, field: &Field) -> bool {
        !self.prices.is_empty() && self.field == Some(field)
    }

    /// Whether a row's price fell (true) or rose in this column; `None` if it did not change.
    pub fn fell(&self, id: RowId, field: &Field) -> Option<bool> {
        let (from, to) = self.price(id).filter(|_| self.field == Some(field))?;
        Some(to < from)
    }
}

impl Watch {
    pub(crate) fn new(interval: f64, zone: TimeZone, responses: u64, now: Now) -> Self {
        Self {
            interval,
            next: now.mono + interval,
            away: None,
            refusals: 0,
            baseline: Baseline::default(),
            zone,
            kept: BTreeMap::new(),
            last: None,
            looked: None,
            today: None,
            seen: (responses, now.mono),
            changes: Changes::default(),
            departures: Departures::default(),
            causes: HashMap::new(),
            poll: None,
            events: VecDeque::new(),
            cause_search: None,
            claim: None,
            poller: Poller::default(),
            newest: Moment::of(now.epoch),
            polls_read: 0,
            unrecorded: None,
        }
    }

    /// The differences to the baseline.
    pub const fn changes(&self) -> &Changes {
        &self.changes
    }

    pub const fn interval(&self) -> f64 {
        self.interval
    }

    pub const fn baseline(&self) -> Baseline {
        self.baseline
    }

    /// When the baseline was received; `None` until there is a second response.
    pub fn since(&self) -> Option<Now> {
        self.before().map(|(_, since)| *since)
    }

    /// How many of the gone rows have each known cause, then how many have none; empty if no cause
    /// is known.
    pub fn gone_causes(&self) -> Vec<(&'static str, usize)> {
        let mut counts: Vec<(&'static str, usize)> = Vec::new();
        for cause in [Cause::Rented, Cause::LeftTheSearch, Cause::Delisted] {
            let lots = self.changes.gone_lots.iter();
            let its = lots.filter(|(lot, _)| self.causes.get(lot) == Some(&cause));
            let count = its.map(|(_, rows)| rows).sum();
            if count > 0 {
                counts.push((self.cause_name(cause), count));
            }
        }
        let known: usize = counts.iter().map(|(_, count)| count).sum();
        let rest = self.changes.gone.saturating_sub(known);
        if known > 0 && rest > 0 {
            counts.push((self.cause_name(Cause::Unknown), rest));
        }
        counts
    }

    /// What the cause of a departure is called.
    pub const fn cause_name(&self, cause: Cause) -> &'static str {
        match cause {
            Cause::Rented => "rented",
            Cause::LeftTheSearch => "left the search",
            Cause::Delisted => "delisted",
            // The limit may have pushed it out.
            Cause::Unknown if self.changes.is_cut => "past the limit",
            Cause::Unknown => "not known",
        }
    }

    /// The response that the newest one is compared with.
    pub(crate) fn before(&self) -> Option<&(Listing, Now)> {
        let number = match self.baseline {
            Baseline::LastPoll => self.last,
            Baseline::LastLook => self.looked.or(self.today),
            Baseline::Today => self.today,
        };
        self.kept.get(&number?)
    }

    /// Notes which rows of the response before are missing from the newest one.
    pub(crate) fn note_departures(&mut self, newest: Option<&Listing>, now: Now) {
        let before = self.last.and_then(|last| self.kept.get(&last));
        if let (Some((before, _)), Some(newest)) = (before, newest)
            && let Some(price) = newest.catalog().by_key(price_of(newest.catalog().resource))
        {
            self.departures.note(before, newest, price, now);
        }
    }

    /// The rows of the response that the newest one is compared with.
    pub fn baseline_listing(&self) -> Option<&Listing> {
        self.before().map(|(listing, _)| listing)
    }

    /// The response before the newest one.
    pub(crate) fn last_poll(&self) -> Option<&Listing> {
        self.kept.get(&self.last?).map(|(listing, _)| listing)
    }

    /// The earlier responses, to price them as the newest one is.
    pub(crate) fn kept_mut(&mut self) -> impl Iterator<Item = &mut Listing> {
        self.kept.values_mut().map(|(listing, _)| listing)
    }

    /// Compares with another response from now on; the caller computes the changes.
    pub(crate) const fn compare_with(&mut self, baseline: Baseline) {
        self.baseline = baseline;
    }

    /// Forgets all responses: they belong to another search.
    pub(crate) fn forget(&mut self) {
        self.kept.clear();
        (self.last, self.looked, self.today) = (None, None, None);
        self.changes = Changes::default();
        self.departures.forget();
        self.causes.clear();
        self.cause_search = None;
        self.claim = None;
        self.poller = Poller::ThisProgram;
        self.poll = None;
        self.events.clear();
    }

    /// The events since auto-refresh is on, the newest first.
    pub fn events(&self) -> impl Iterator<Item = &Event> {
        self.events.iter()
    }

    /// Why a lot is gone, if a search has told.
    pub fn cause(&self, lot: &Lot) -> Option<Cause> {
        self.causes.get(lot).copied()
    }

    /// Moves the gone rows with a known cause in front: where the limit truncates responses, the
    /// others are many and mean little.
    pub(crate) fn order_gone(&mut self) {
        let mut rows = std::mem::take(&mut self.changes.gone_rows);
        if let Some(baseline) = self.baseline_listing() {
            let cause = |row| self.cause(&recorded_lot(baseline, row)?);
            let is_known = |row| cause(row).is_some_and(|cause| cause != Cause::Unknown);
            rows.sort_by_cached_key(|gone| !is_known(gone.row));
        }
        self.changes.gone_rows = rows;
    }

    /// The poll that waits for its causes: it is recorded without them when auto-refresh ends.
    pub(crate) fn ended(self) -> Option<Box<Poll>> {
        self.unrecorded
    }

    /// Adds what a response changed to the events, with prices of offers that have `storage` GB.
    pub(crate) fn polled(&mut self, poll: &Poll, storage: f64) {
        let priced = |poll: &Poll| poll.without_lines().priced(storage, record::PricePer::Gpu);
        let before = self.poll.as_ref();
        let changes = before.map(|before| record::compare(&priced(before), &priced(poll)));
        for change in changes.unwrap_or_default() {
            self.events.push_front(Event {
                at: poll.at,
                search: poll.search.clone(),
                kind: EventKind::Change { change, lasted: None },
            });
        }
        self.events.truncate(MOST_EVENTS);
        self.newest = poll.at;
        if poll.outcome.is_usable() {
            self.poll = Some(poll.without_lines());
        }
    }

    /// Keeps the response number `number` that the next one is about to replace.
    pub(crate) fn keep(&mut self, number: u64, listing: Listing, at: Now, now: Now) {
        self.last = Some(number);
        let is_of_yesterday = self.day(at) != self.day(now);
        if self.today.is_none() || is_of_yesterday {
            self.today = Some(number);
        }
        self.kept.insert(number, (listing, at));
        let needed = [self.last, self.looked, self.today, Some(self.seen.0)];
        self.kept.retain(|kept, _| needed.contains(&Some(*kept)));
    }

    fn day(&self, now: Now) -> Option<jiff::civil::Date> {
        #[expect(clippy::cast_possible_truncation)] // the range is checked by from_second
        let moment = jiff::Timestamp::from_second(now.epoch as i64).ok()?;
        Some(moment.to_zoned(self.zone.clone()).date())
    }

    /// The person is there while response number `number` is shown; true if they were away, so that
    /// what they see is compared with another response now.
    pub(crate) fn looked(&mut self, number: u64, now: Now) -> bool {
        let (seen, at) = std::mem::replace(&mut self.seen, (number, now.mono));
        let was_away = now.mono - at > AWAY && seen != number;
        if was_away {
            self.looked = Some(seen);
        }
        was_away && self.baseline == Baseline::LastLook
    }

    /// The person looks away while response number `number` is shown.
    pub(crate) const fn looked_away(&mut self, number: u64, now: Now) {
        self.seen = (number, now.mono);
    }

    /// The terminal is no longer in front.
    pub(crate) fn left(&mut self, now: Now) {
        self.away.get_or_insert(now.mono);
    }

    /// The person is back; what is paused goes on at once.
    pub(crate) fn came_back(&mut self, now: Now) {
        if self.away.take().is_some() && self.is_paused() {
            self.next = now.mono;
        }
    }

    /// Pauses if the terminal was behind others for long; true if it does.
    pub(crate) fn pauses(&mut self, now: Now) -> bool {
        if self.away.is_some_and(|since| now.mono - since >= LONG_AWAY) {
            self.next = f64::INFINITY;
        }
        self.is_paused()
    }

    /// Whether it waits until the terminal is in front again.
    pub const fn is_paused(&self) -> bool {
        self.next == f64::INFINITY
    }

    /// Schedules the next request after a response, later after a refusal.
    pub(crate) fn answered(&mut self, is_refusal: bool, now: Now) {
        self.refusals = if is_refusal { self.refusals + 1 } else { 0 };
        self.next = now.mono + self.pause();
    }

    /// Seconds from a response to the next request: longer after refusals.
    pub(crate) fn pause(&self) -> f64 {
        let longer = self.interval * 2f64.powi(self.refusals.min(16));
        longer.min(LONGEST_PAUSE.max(self.interval))
    }

    /// Whether it waits longer because the market refused.
    pub const fn is_backing_off(&self) -> bool {
        self.refusals > 0
    }

    pub const fn poller(&self) -> Poller {
        self.poller
    }

    /// Notes that another program polls, and the poll of it that was read in the record.
    pub(crate) fn read(&mut self, poll: Option<&Poll>) {
        let before = match self.poller {
            Poller::ThisProgram => None,
            Poller::Another { recorded } => recorded,
        };
        let recorded = poll.map(|poll| {
            self.newest = poll.at;
            self.polls_read += 1;
            poll.at
        });
        self.poller = Poller::Another {
            recorded: recorded.or(before),
        };
    }

    /// How many polls of another program were read in the record.
    pub const fn polls_read(&self) -> u64 {
        self.polls_read
    }

    /// Seconds until the next request.
    pub fn next_in(&self, now: Now) -> f64 {
        (self.next - now.mono).max(0.0)
    }
}

/// The requests of the last minute that watched searches sent: they share one budget, so that
/// several of them stay within a market's rate limit.
#[derive(Debug)]
pub struct Pace {
    sent: VecDeque<f64>,
    /// Requests a minute.
    pub limit: usize,
    /// Seconds between two requests of a search that is watched from now on.
    pub interval: f64,
    /// Whether rows that are gone are listed below the table.
    pub lists_gone: bool,
    /// The settings in the configuration.
    configured: Option<Watching>,
}

impl Default for Pace {
    fn default() -> Self {
        let mut pace = Self {
            sent: VecDeque::new(),
            limit: 0,
            interval: 0.0,
            lists_gone: false,
            configured: None,
        };
        pace.configure(Watching::default());
        pace
    }
}

impl Pace {
    /// Applies the configuration. A form may have chosen another interval since: a file that does not
    /// change it leaves that.
    pub fn configure(&mut self, settings: Watching) {
        self.limit = usize::try_from(settings.requests_a_minute).unwrap_or(usize::MAX);
        let before = self.configured.replace(settings);
        if before.is_none_or(|before| before.interval != settings.interval) {
            self.interval = f64::from(settings.interval);
        }
    }

    /// When `requests` more may be sent, on the monotonic clock: now or earlier if there is room. More
    /// than the whole budget wait for an empty minute.
    pub(crate) fn free_at(&mut self, requests: usize, now: Now) -> f64 {
        while self.sent.front().is_some_and(|at| now.mono - at >= 60.0) {
            self.sent.pop_front();
        }
        let limit = self.limit.max(1);
        let over = (self.sent.len() + requests.min(limit)).saturating_sub(limit);
        let last = over.checked_sub(1).and_then(|last| self.sent.get(last));
        last.map_or(now.mono, |at| at + 60.0)
    }

    pub(crate) fn spend(&mut self, requests: usize, now: Now) {
        self.sent.extend(std::iter::repeat_n(now.mono, requests));
    }
}

/// The wire name of the price to compare.
pub(crate) const fn price_of(resource: Resource) -> &'static str {
    match resource {
        Resource::Offers => "dph_total",
        Resource::Volumes | Resource::Workergroups => "storage_cost",
    }
}

/// Whether two queries request the same rows and prices, ignoring limit and order.
pub(crate) fn is_same_question(left: &Query, right: &Query) -> bool {
    let left = Query {
        order: right.order.clone(),
        ..left.clone()
    };
    left == *right
}
