//! Events: what changed between two polls, and what the record says happened when.

use std::collections::HashMap;

use super::outline::{Interval, Onset};
use super::recall::{Question, Recorded};
use super::shift::{Outcomes, Shift};
use super::{
    Beginning, Cause, Ending, Lot, Moment, Poll, PollOutcome, PollRow, SearchKey, Sighting, Spell, is_same_price,
    timeline,
};

/// What happened to a lot.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ChangeKind {
    Listed,
    Gone(Cause),
    /// In a response, where a truncated one before lacked it.
    IntoView,
    /// Not in a truncated response.
    OutOfView,
    Repriced {
        from: f64,
    },
    /// Another amount at the same price.
    Resized {
        from: u32,
    },
}

#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    pub lot: Lot,
    pub host: Option<i64>,
    /// The id of its cheapest offer.
    pub offer: i64,
    /// GPUs on offer, of volumes GB; before it went, if it is gone.
    pub amount: u32,
    /// The price, see [`super::Sighting`]; before it went, if it is gone.
    pub price: f64,
    pub kind: ChangeKind,
}

impl ChangeKind {
    /// The same with the price before as the question's storage makes it; `None` if that did not change.
    fn from(self, old: Option<f64>, price: f64) -> Option<Self> {
        match (self, old) {
            (Self::Repriced { .. }, Some(from)) => (!is_same_price(from, price)).then_some(Self::Repriced { from }),
            _ => Some(self),
        }
    }
}

impl Change {
    /// How much the price changed, as a share of the old one; `None` if it did not, or if that was
    /// zero.
    pub fn share(&self) -> Option<f64> {
        match self.kind {
            ChangeKind::Repriced { from } => Some((self.price - from) / from).filter(|share| share.is_finite()),
            ChangeKind::Listed
            | ChangeKind::Gone(_)
            | ChangeKind::IntoView
            | ChangeKind::OutOfView
            | ChangeKind::Resized { .. } => None,
        }
    }
}

/// How long something had been so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lasted {
    pub seconds: i64,
    /// Whether nobody saw it begin, so that it may have been longer.
    pub is_at_least: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub enum EventKind {
    Change {
        change: Change,
        /// How long it had been on offer, if it is gone; else how long the old price or amount had
        /// lasted.
        lasted: Option<Lasted>,
    },
    /// The search was watched again after a gap.
    NotWatched {
        /// The last poll before it.
        since: Moment,
    },
}

/// One line of the tape.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    pub at: Moment,
    pub search: SearchKey,
    pub kind: EventKind,
}

/// What changed between two usable polls of one search, sorted by lot; nothing between others. Of
/// polls with a gap between them this is the difference, not what happened when.
pub fn compare(before: &Poll, after: &Poll) -> Vec<Change> {
    let is_usable = before.outcome.is_usable() && after.outcome.is_usable();
    // After a failed poll or a changed search, what is missing says nothing about the machine.
    if before.search != after.search || !is_usable {
        return Vec::new();
    }
    // Banned and unbanned machines neither leave nor arrive.
    let is_same_scope = before.bans == after.bans;
    let gone = before.sightings.iter().filter_map(|seen| {
        let is_gone = is_same_scope && after.sighting(&seen.lot).is_none();
        is_gone.then(|| Change::of(seen, missed(after, &seen.lot)))
    });
    let outcomes = Outcomes {
        before: before.outcome,
        after: after.outcome,
    };
    let others = after.sightings.iter().filter_map(|seen| {
        let kind = match before.sighting(&seen.lot) {
            None if !is_same_scope => return None,
            None if before.outcome == PollOutcome::Complete && !after.search.is_bound_by_price() => ChangeKind::Listed,
            None => ChangeKind::IntoView,
            Some(old) => match outcomes.shift(old.figures(), seen.figures()).0 {
                Shift::Repriced => ChangeKind::Repriced { from: old.price },
                Shift::Resized => ChangeKind::Resized { from: old.amount },
                Shift::Same | Shift::Revealed => return None,
            },
        };
        Some(Change::of(seen, kind))
    });
    let mut changes: Vec<Change> = gone.chain(others).collect();
    changes.sort_by(|left, right| left.lot.cmp(&right.lot));
    changes
}

fn missed(poll: &Poll, lot: &Lot) -> ChangeKind {
    if poll.outcome == PollOutcome::Complete {
        ChangeKind::Gone(poll.cause(lot))
    } else {
        ChangeKind::OutOfView
    }
}

impl Change {
    fn of(seen: &Sighting, kind: ChangeKind) -> Self {
        Self {
            lot: seen.lot.clone(),
            host: seen.host,
            offer: seen.offer,
            amount: seen.amount,
            price: seen.price,
            kind,
        }
    }

    fn of_spell(spell: &Spell, price: f64, kind: ChangeKind) -> Self {
        Self {
            lot: spell.lot.clone(),
            host: spell.host,
            offer: spell.offer,
            amount: spell.amount,
            price,
            kind,
        }
    }
}

// Searches of one market are polled at different times.
/// Seconds within which the same change in two searches is one event.
const SAME_EVENT: i64 = 600;

/// At most `most` events of a question's time, the newest first.
pub fn tape(question: &Question, recorded: &[Recorded], most: usize) -> Vec<Event> {
    let mut events: Vec<Event> = Vec::new();
    for record in recorded {
        events.extend(events_of(question, record));
    }
    events.sort_by(|left, right| {
        let in_time = left.at.cmp(&right.at);
        in_time.then_with(|| right.lot().cmp(&left.lot()))
    });
    // Within one search nothing repeats.
    if recorded.len() > 1 {
        events = once(events);
    }
    events.reverse();
    events.truncate(most);
    events
}

impl Event {
    /// The lot that it is about.
    pub const fn lot(&self) -> Option<&Lot> {
        match &self.kind {
            EventKind::Change { change, .. } => Some(&change.lot),
            EventKind::NotWatched { .. } => None,
        }
    }
}

/// Without the changes that another search told before; `events` are in their order in time.
fn once(events: Vec<Event>) -> Vec<Event> {
    let mut kept: Vec<Event> = Vec::new();
    let mut latest: HashMap<(&'static str, Lot), usize> = HashMap::new();
    for event in events {
        let Some(lot) = event.lot() else {
            kept.push(event);
            continue;
        };
        let key = (event.search.offer_type.wire(), lot.clone());
        let known = latest.get(&key).and_then(|index| kept.get(*index));
        if known.is_some_and(|known| known.is_told_by(&event)) {
            continue;
        }
        latest.insert(key, kept.len());
        kept.push(event);
    }
    kept
}

impl Event {
    /// Whether another search told the same a little later.
    fn is_told_by(&self, other: &Self) -> bool {
        let (EventKind::Change { change: mine, .. }, EventKind::Change { change: theirs, .. }) =
            (&self.kind, &other.kind)
        else {
            return false;
        };
        self.search != other.search
            && self.search.resource == other.search.resource
            && other.at.since(self.at) <= SAME_EVENT
            && mine.kind == theirs.kind
            && is_same_price(mine.price, theirs.price)
    }
}

/// The events of one search, in no order.
fn events_of(question: &Question, recorded: &Recorded) -> Vec<Event> {
    let polls = timeline::usable(&recorded.excerpt.polls);
    let is_asked = |at: &Moment| (question.since..=question.until).contains(at);
    let event = |at: Moment, kind: EventKind| Event {
        at,
        search: recorded.search.clone(),
        kind,
    };
    let gaps = polls.windows(2).filter_map(|pair| match pair {
        [poll, next] if poll.is_gap(next.at) => Some(event(next.at, EventKind::NotWatched { since: poll.at })),
        _ => None,
    });
    let mut events: Vec<Event> = gaps.filter(|event| is_asked(&event.at)).collect();
    let mut lives = Lives::default();
    let spells = recorded.excerpt.spells.iter();
    for spell in spells.filter(|spell| question.filter.accepts(&spell.lot)) {
        let Some(price) = question.price_of(spell) else {
            continue;
        };
        let old = lives.price(&spell.lot);
        let has_left = recorded.search.is_bound_by_price() || lives.has_left(&spell.lot);
        let before = lives.follow(spell, price);
        if let Some(kind) = beginning(spell, &polls, has_left).and_then(|kind| kind.from(old, price))
            && is_asked(&spell.first)
        {
            let change = Change::of_spell(spell, price, kind);
            let lasted = before.filter(|_| spell.continues());
            events.push(event(spell.first, EventKind::Change { change, lasted }));
        }
        if let Some((kind, at)) = ending(spell, &polls)
            && is_asked(&at)
        {
            let change = Change::of_spell(spell, price, kind);
            let lasted = lives.lasted(&spell.lot, at);
            events.push(event(at, EventKind::Change { change, lasted }));
        }
    }
    events
}

/// How a spell began; `has_left` if the lot may have been on offer at a price or with values that the
/// search excludes, so that nothing was listed.
fn beginning(spell: &Spell, polls: &[PollRow], has_left: bool) -> Option<ChangeKind> {
    match spell.beginning {
        Beginning::Listed if has_left => Some(ChangeKind::IntoView),
        Beginning::Listed => Some(ChangeKind::Listed),
        Beginning::Repriced { from } => Some(ChangeKind::Repriced { from }),
        Beginning::Resized { from } => Some(ChangeKind::Resized { from }),
        Beginning::Found => {
            let before = timeline::before(polls, spell.first)?;
            (!before.is_gap(spell.first)).then_some(ChangeKind::IntoView)
        }
        Beginning::Revealed => None,
    }
}

fn ending(spell: &Spell, polls: &[PollRow]) -> Option<(ChangeKind, Moment)> {
    match spell.end? {
        (Ending::Gone(cause), at) => Some((ChangeKind::Gone(cause), at)),
        (Ending::Changed, _) => None,
        (Ending::LostSight, _) => {
            let next = timeline::after(polls, spell.last)?;
            let was_watched = timeline::before(polls, next.at).is_some_and(|poll| !poll.is_gap(next.at));
            was_watched.then_some((ChangeKind::OutOfView, next.at))
        }
    }
}

impl Spell {
    /// Whether it continues an earlier spell of its lot.
    const fn continues(&self) -> bool {
        matches!(Onset::of(self.beginning), Onset::Continued)
    }
}

/// Since when lots are on offer, followed over their spells in order of time.
#[derive(Debug, Default)]
struct Lives<'a> {
    /// The third is the price.
    lots: HashMap<&'a Lot, (Lived, &'a Spell, f64)>,
}

/// Since when a lot is on offer, and its latest interval.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lived {
    since: Moment,
    is_at_least: bool,
    latest_since: Moment,
    latest_until: Option<Moment>,
}

impl Lived {
    /// Goes on with the next interval of the lot.
    pub(super) fn after(before: Option<Self>, interval: &Interval) -> Self {
        let before = before.filter(|before| before.is_continued_by(interval));
        // What began before the time asked for is older than it shows.
        let is_at_least = match before {
            Some(before) => before.is_at_least,
            None => interval.onset != Onset::Listed,
        };
        Self {
            since: before.map_or(interval.first, |before| before.since),
            is_at_least,
            latest_since: interval.first,
            latest_until: interval.end.map(|(_, at)| at),
        }
    }

    fn is_continued_by(&self, interval: &Interval) -> bool {
        interval.onset == Onset::Continued && self.latest_until == Some(interval.first)
    }

    /// How long the lot has been on offer at a moment.
    pub(super) fn lasted(&self, at: Moment) -> Lasted {
        Lasted {
            seconds: at.since(self.since),
            is_at_least: self.is_at_least,
        }
    }
}

impl<'a> Lives<'a> {
    /// Goes on with the next spell of its lot; how long the one before lasted, if this continues it.
    fn follow(&mut self, spell: &'a Spell, price: f64) -> Option<Lasted> {
        let interval = spell.interval(0);
        let before = self.lots.get(&spell.lot).copied();
        let lived = Lived::after(before.map(|(lived, ..)| lived), &interval);
        self.lots.insert(&spell.lot, (lived, spell, price));
        let (before, latest, _) = before.filter(|(before, ..)| before.is_continued_by(&interval))?;
        Some(Lasted {
            seconds: spell.first.since(before.latest_since),
            is_at_least: matches!(latest.beginning, Beginning::Found | Beginning::Revealed),
        })
    }

    /// Whether a lot went because the search excludes it.
    fn has_left(&self, lot: &Lot) -> bool {
        let latest = self.lots.get(lot);
        latest.is_some_and(|(_, spell, _)| matches!(spell.end, Some((Ending::Gone(Cause::LeftTheSearch), _))))
    }

    /// The price of a lot in its latest spell.
    fn price(&self, lot: &Lot) -> Option<f64> {
        self.lots.get(lot).map(|(.., price)| *price)
    }

    /// How long a lot has been on offer at a moment.
    fn lasted(&self, lot: &Lot, at: Moment) -> Option<Lasted> {
        Some(self.lots.get(lot)?.0.lasted(at))
    }
}
