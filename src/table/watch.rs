//! The state of a search with auto-refresh: earlier responses, and the changes since.

use std::collections::{BTreeMap, HashMap, HashSet};

use jiff::tz::TimeZone;

use super::gone::{Departures, GoneRow};
use super::remote::Ticket;
use crate::domain::time::{MonotonicTime, Now};
use crate::domain::watching::Watching;
use crate::domain::{Field, Listing, Query, Resource, RowId};
use crate::record::differences::{lots, recorded_lot};
use crate::record::watch::CauseSearch;
use crate::record::{Cause, Lot, Moment, Poll};

/// Seconds without a key press after which the user counts as away.
const AWAY: f64 = 60.0;

/// Seconds in the background after which auto-refresh pauses.
const LONG_AWAY: f64 = 3600.0;

/// Maximum number of stored causes before those without a lot in any baseline are removed.
///
/// Finding these takes milliseconds, which a few more causes are not worth.
const MOST_KNOWN_CAUSES: usize = 1000;

/// The shortest interval in seconds between two requests of a watched search: 10, for workergroups 30.
pub const fn shortest_interval(resource: Resource) -> f64 {
    match resource {
        Resource::Offers | Resource::Volumes => 10.0,
        // The market lists all of them, so it costs more.
        Resource::Workergroups => 30.0,
    }
}

/// The earlier response that the newest one is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Baseline {
    /// The previous response.
    LastPoll,
    /// The response last seen by the user before leaving.
    LastLook,
    /// The last response before the day began, or else the first one.
    #[default]
    Today,
}

impl Baseline {
    /// All baselines, in the order of the selector.
    pub const ALL: [Self; 3] = [Self::LastPoll, Self::LastLook, Self::Today];

    /// Its name in the selector.
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
    /// The time of the first request after auto-refresh was turned on.
    pub(crate) first: MonotonicTime,
    /// Whether it is paused until the terminal is in front again.
    is_paused: bool,
    /// The time since which the terminal is in the background; `None` while it is in
    /// front.
    away: Option<MonotonicTime>,
    baseline: Baseline,
    /// The time zone whose midnight starts a new day.
    zone: TimeZone,
    /// The earlier responses that a baseline needs, by number.
    kept: BTreeMap<u64, (Listing, Now)>,
    last: Option<u64>,
    looked: Option<u64>,
    today: Option<u64>,
    /// The number of the response that the user saw last, and when.
    seen: (u64, MonotonicTime),
    /// The changes from the baseline to the newest response.
    pub(crate) changes: Changes,
    pub(crate) departures: Departures,
    /// The causes of departures that a search could determine.
    pub(crate) causes: HashMap<Lot, Cause>,
    /// The search for causes in progress.
    pub(crate) cause_search: Option<(Ticket, CauseSearch)>,
    /// The time of prices that another program recorded, if they are newer than the rows.
    pub(crate) recorded: Option<Moment>,
    /// Number of another program's polls that were read from the record.
    polls_read: u64,
    /// The newest poll while the search for causes is in progress: it is recorded with the causes.
    pub(crate) unrecorded: Option<Box<Poll>>,
}

/// The differences to an earlier response.
#[derive(Debug, Default)]
pub struct Changes {
    pub(crate) arrived: HashSet<RowId>,
    pub(crate) field: Option<&'static Field>,
    pub(crate) prices: HashMap<RowId, (f64, f64)>,
    /// Number of rows missing from the latest response.
    pub gone: usize,
    /// The missing rows in the baseline; see [`Watch::order_gone`].
    pub(crate) gone_rows: Vec<GoneRow>,
    /// The machines and models of the missing rows, with the number of each.
    pub(crate) gone_lots: HashMap<Lot, usize>,
    /// Whether the limit may have truncated a response, so that a missing row may still exist.
    pub is_cut: bool,
}

impl Changes {
    /// Number of rows that are new since the baseline.
    pub fn new_rows(&self) -> usize {
        self.arrived.len()
    }

    /// The missing rows: those with a known cause first, then the latest departures first.
    pub fn gone_rows(&self) -> &[GoneRow] {
        &self.gone_rows
    }

    /// Whether the prices of this column are compared with the baseline.
    pub fn compares(&self, field: &Field) -> bool {
        self.field == Some(field)
    }

    /// The numbers of prices that fell, and that rose, since the baseline.
    pub fn moves(&self) -> (usize, usize) {
        let down = self.prices.values().filter(|(from, to)| to < from).count();
        (down, self.prices.len() - down)
    }

    /// Whether a row is new since the baseline.
    pub fn is_new(&self, id: RowId) -> bool {
        self.arrived.contains(&id)
    }

    /// A row's price in the baseline and now, if it changed; else `None`.
    pub fn price(&self, id: RowId) -> Option<(f64, f64)> {
        self.prices.get(&id).copied()
    }

    /// Whether any price in this column changed since the baseline; false for columns that are not compared.
    pub fn has_moved(&self, field: &Field) -> bool {
        !self.prices.is_empty() && self.field == Some(field)
    }

    /// Whether a row's price fell (true) or rose (false); `None` if it did not change, or this column is not
    /// compared.
    pub fn fell(&self, id: RowId, field: &Field) -> Option<bool> {
        let (from, to) = self.price(id).filter(|_| self.field == Some(field))?;
        Some(to < from)
    }
}

impl Watch {
    /// Auto-refresh every `interval` seconds, first after one interval; `responses` is the number of the
    /// response on screen.
    pub(crate) fn new(interval: f64, zone: TimeZone, responses: u64, now: Now) -> Self {
        Self {
            interval,
            first: now.mono + interval,
            is_paused: false,
            away: None,
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
            cause_search: None,
            recorded: None,
            polls_read: 0,
            unrecorded: None,
        }
    }

    /// The differences to the baseline.
    pub const fn changes(&self) -> &Changes {
        &self.changes
    }

    /// Seconds between a response and the next request.
    pub const fn interval(&self) -> f64 {
        self.interval
    }

    /// The earlier response that the newest one is compared with, by kind.
    pub const fn baseline(&self) -> Baseline {
        self.baseline
    }

    /// The time at which the baseline was received; `None` until there is a second response.
    pub fn since(&self) -> Option<Now> {
        self.before().map(|(_, since)| *since)
    }

    /// The names of the known causes (rented, left the search, delisted, in this order) with the number of
    /// missing rows of each, then the number without one; empty if no cause is known.
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

    /// The name of a departure's cause, for the screen: `rented`.
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

    /// The earlier response that the newest one is compared with, by the chosen baseline, and the time it
    /// was received; `None` until there is one. For `LastLook` it is that of `Today` (the last response
    /// before the day began, or else the first one) until the user has been away and come back.
    pub(crate) fn before(&self) -> Option<&(Listing, Now)> {
        let number = match self.baseline {
            Baseline::LastPoll => self.last,
            Baseline::LastLook => self.looked.or(self.today),
            Baseline::Today => self.today,
        };
        self.kept.get(&number?)
    }

    /// Records the rows of the previous response that `newest` lacks; nothing without a previous one.
    pub(crate) fn note_departures(&mut self, newest: Option<&Listing>, now: Now) {
        let before = self.last.and_then(|last| self.kept.get(&last));
        if let (Some((before, _)), Some(newest)) = (before, newest)
            && let Some(price) = newest.catalog().by_key(price_of(newest.catalog().resource))
        {
            self.departures.note(before, newest, price, now);
        }
    }

    /// The rows of the response that the newest one is compared with; `None` until there is one.
    pub fn baseline_listing(&self) -> Option<&Listing> {
        self.before().map(|(listing, _)| listing)
    }

    /// The rows of the response before the newest one; `None` until there is one.
    pub(crate) fn last_poll(&self) -> Option<&Listing> {
        self.kept.get(&self.last?).map(|(listing, _)| listing)
    }

    /// The earlier responses that a baseline needs, to price them like the newest one.
    pub(crate) fn kept_mut(&mut self) -> impl Iterator<Item = &mut Listing> {
        self.kept.values_mut().map(|(listing, _)| listing)
    }

    /// Sets the baseline only; the caller computes the changes.
    pub(crate) const fn compare_with(&mut self, baseline: Baseline) {
        self.baseline = baseline;
    }

    /// Removes all earlier responses, changes, departures and causes, which belong to another search; the
    /// interval and the chosen baseline stay.
    pub(crate) fn forget(&mut self) {
        self.kept.clear();
        (self.last, self.looked, self.today) = (None, None, None);
        self.changes = Changes::default();
        self.departures.forget();
        self.causes.clear();
        self.cause_search = None;
        self.recorded = None;
    }

    /// Removes the causes of lots that are listed again and, above 1,000 causes, of those that no baseline
    /// has.
    pub(crate) fn forget_causes(&mut self, newest: &Listing) {
        if self.causes.is_empty() {
            return;
        }
        let here = lots(newest);
        self.causes.retain(|lot, _| !here.contains(lot));
        if self.causes.len() > MOST_KNOWN_CAUSES {
            let kept = self.kept.values().flat_map(|(listing, _)| lots(listing));
            let kept: HashSet<Lot> = kept.collect();
            self.causes.retain(|lot, _| kept.contains(lot));
        }
    }

    /// The cause of a lot's departure; `None` if no search has determined it.
    pub fn cause(&self, lot: &Lot) -> Option<Cause> {
        self.causes.get(lot).copied()
    }

    /// Moves the missing rows with a known cause to the front; otherwise their order stays.
    ///
    /// Where the limit truncates responses, the others are many and mean little.
    pub(crate) fn order_gone(&mut self) {
        let mut rows = std::mem::take(&mut self.changes.gone_rows);
        if let Some(baseline) = self.baseline_listing() {
            let cause = |row| self.cause(&recorded_lot(baseline, row)?);
            let is_known = |row| cause(row).is_some_and(|cause| cause != Cause::Unknown);
            rows.sort_by_cached_key(|gone| !is_known(gone.row));
        }
        self.changes.gone_rows = rows;
    }

    /// The poll that waits for its causes, to record it without them as auto-refresh ends; `None` if none
    /// waits.
    pub(crate) fn into_unrecorded(self) -> Option<Box<Poll>> {
        self.unrecorded
    }

    /// Stores the response `number`, received `at`, which the next one, received `now`, is about to replace,
    /// and removes those no baseline needs. It becomes the baseline of the day if there is none, or if it is
    /// from an earlier day than `now`.
    pub(crate) fn keep(&mut self, number: u64, listing: Listing, at: Now, now: Now) {
        self.last = Some(number);
        if self.today.is_none() || self.day(at) != self.day(now) {
            self.today = Some(number);
        }
        self.kept.insert(number, (listing, at));
        let needed = [self.last, self.looked, self.today, Some(self.seen.0)];
        self.kept.retain(|kept, _| needed.contains(&Some(*kept)));
    }

    /// The date of a time in the user's time zone; `None` if it has none.
    fn day(&self, now: Now) -> Option<jiff::civil::Date> {
        let moment = now.epoch.timestamp()?;
        Some(moment.to_zoned(self.zone.clone()).date())
    }

    /// Records that the user is present while response `number` is shown. If that is another one than the
    /// user saw over a minute ago, the one seen then is the last look; true if the baseline is that, so that
    /// the changes must be computed again.
    pub(crate) fn on_presence(&mut self, number: u64, now: Now) -> bool {
        let (seen, at) = std::mem::replace(&mut self.seen, (number, now.mono));
        let was_away = now.mono - at > AWAY && seen != number;
        if was_away {
            self.looked = Some(seen);
        }
        was_away && self.baseline == Baseline::LastLook
    }

    /// Records that the user leaves while response `number` is shown.
    pub(crate) const fn on_leave(&mut self, number: u64, now: Now) {
        self.seen = (number, now.mono);
    }

    /// Records that the terminal with auto-refresh went to the background; the time of the first such report
    /// counts.
    pub(crate) fn on_background(&mut self, now: Now) {
        self.away.get_or_insert(now.mono);
    }

    /// Records that the terminal is in front again; a paused search continues at once.
    pub(crate) fn came_back(&mut self, now: Now) {
        self.away = None;
        if std::mem::take(&mut self.is_paused) {
            self.first = now.mono;
        }
    }

    /// Pauses if the terminal was in the background for an hour or longer.
    pub(crate) fn pause(&mut self, now: Now) {
        self.is_paused |= self.is_long_away(now);
    }

    /// Whether the terminal was in the background for an hour or longer.
    pub(crate) fn is_long_away(&self, now: Now) -> bool {
        self.away.is_some_and(|since| now.mono - since >= LONG_AWAY)
    }

    /// The time at which it pauses, unless the terminal comes to the front; `None` while it is there or
    /// already paused.
    pub(crate) fn pauses_at(&self) -> Option<MonotonicTime> {
        self.away.filter(|_| !self.is_paused).map(|since| since + LONG_AWAY)
    }

    /// Whether it is paused until the terminal is in front again.
    pub const fn is_paused(&self) -> bool {
        self.is_paused
    }

    /// Records that a poll of another program was read from the record.
    pub(crate) const fn read(&mut self, poll: &Poll) {
        self.polls_read += 1;
        self.recorded = Some(poll.at);
    }

    /// The time of the latest prices that another program recorded; `None` if the rows are newer.
    pub const fn recorded(&self) -> Option<Moment> {
        self.recorded
    }

    /// Number of polls of other programs that were read from the record.
    pub const fn polls_read(&self) -> u64 {
        self.polls_read
    }
}

/// The request rate of watched searches, and how their changes are shown.
#[derive(Debug)]
pub struct Pace {
    /// Maximum requests per minute of watched searches.
    pub limit: usize,
    /// Seconds between two requests, for searches watched from now on.
    pub interval: f64,
    /// Whether missing rows are listed below the table.
    pub lists_gone: bool,
    /// The settings in the configuration.
    configured: Option<Watching>,
}

impl Default for Pace {
    fn default() -> Self {
        let mut pace = Self {
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
    /// Applies the settings of the configuration file.
    ///
    /// An interval chosen in a form stays, unless that of the file has changed.
    pub fn configure(&mut self, settings: Watching) {
        self.limit = usize::try_from(settings.requests_a_minute).unwrap_or(usize::MAX);
        let before = self.configured.replace(settings);
        if before.is_none_or(|before| before.interval != settings.interval) {
            self.interval = f64::from(settings.interval);
        }
    }
}

/// The wire name of the price that watched rows are compared by.
pub(crate) const fn price_of(resource: Resource) -> &'static str {
    match resource {
        Resource::Offers => "dph_total",
        Resource::Volumes | Resource::Workergroups => "storage_cost",
    }
}

/// Whether two queries are equal except for their order: the same conditions, limit, price model and storage.
pub(crate) fn is_same_question(left: &Query, right: &Query) -> bool {
    let left = Query {
        order: right.order.clone(),
        ..left.clone()
    };
    left == *right
}
