//! The events of the record: changes of the market, with their times.

use std::collections::HashMap;

use crate::record::timeline::{self};
use crate::record::{
    Analysis, Beginning, Cause, Change, ChangeKind, Ending, Event, EventKind, Excerpt, Lasted, Lived, Lot, Moment,
    Onset, PollRow, Question, Spell,
};

/// The newest events of a question, at most `most`.
#[derive(Debug, Clone)]
pub struct RecentEvents {
    pub question: Question,
    pub most: usize,
}

impl Analysis for RecentEvents {
    type Output = Vec<Event>;

    fn questions(&self) -> Vec<Question> {
        vec![self.question.clone()]
    }

    fn answer(&self, excerpts: &[Excerpt]) -> Vec<Event> {
        let events = excerpts.iter().flat_map(|excerpt| events_of(&self.question, excerpt));
        let mut events: Vec<Event> = events.collect();
        events.sort_by(|left, right| {
            let in_time = right.at.cmp(&left.at);
            in_time.then_with(|| left.lot().cmp(&right.lot()))
        });
        events.truncate(self.most);
        events
    }
}

/// The changes of offers, and the gaps between polls, within the time of a question, unsorted. Lots that have
/// no price for it are left out.
fn events_of(question: &Question, excerpt: &Excerpt) -> Vec<Event> {
    let polls = timeline::usable(&excerpt.polls);
    let is_asked = |at: &Moment| (question.since..=question.until).contains(at);
    let event = |at: Moment, kind: EventKind| Event { at, kind };
    let gaps = polls.windows(2).filter_map(|pair| match pair {
        [poll, next] if poll.is_gap(next.at) => Some(event(next.at, EventKind::NotWatched { since: poll.at })),
        _ => None,
    });
    let mut events: Vec<Event> = gaps.filter(|event| is_asked(&event.at)).collect();
    let mut lives = Lives::default();
    let is_bound_by_price = question.is_bound_by_price();
    for spell in &excerpt.spells {
        let Some(price) = question.price_of(spell) else {
            continue;
        };
        let old = lives.price(&spell.lot);
        let has_left = is_bound_by_price || lives.has_left(&spell.lot);
        let before = lives.follow(spell, price);
        if let Some(kind) = beginning(spell, &polls, has_left).and_then(|kind| kind.with_old_price(old, price))
            && is_asked(&spell.first)
        {
            let change = Change::of_spell(spell, price, kind);
            let lasted = before.filter(|_| Onset::from_beginning(spell.beginning) == Onset::Continued);
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

/// The change at the beginning of a spell; `None` if only its quotes have changed, and for a lot found in the
/// first poll or after a time without polls, which may be older.
///
/// `has_left` is true if the lot may have been on offer before at a price or with values that the search
/// excludes, so that it is not newly listed.
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

/// The change at the end of a spell, and its time: a departure, or a move past the limit. `None` if the spell
/// goes on, the lot only changed, or the end was not watched.
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

/// The time since which each lot is on offer, updated spell by spell in order of time.
#[derive(Debug, Default)]
struct Lives<'a> {
    /// The life of each lot, its latest spell, and the price in it.
    lots: HashMap<&'a Lot, (Lived, &'a Spell, f64)>,
}

impl<'a> Lives<'a> {
    /// Adds the next spell of a lot; returns the duration of the spell before, if this one
    /// continues it.
    fn follow(&mut self, spell: &'a Spell, price: f64) -> Option<Lasted> {
        let interval = spell.interval(None);
        let before = self.lots.get(&spell.lot).copied();
        let lived = Lived::after(before.map(|(lived, ..)| lived), &interval);
        self.lots.insert(&spell.lot, (lived, spell, price));
        let (before, latest, _) = before.filter(|(before, ..)| before.is_continued_by(&interval))?;
        Some(Lasted {
            seconds: spell.first.since(before.latest_since),
            is_at_least: matches!(latest.beginning, Beginning::Found | Beginning::Revealed),
        })
    }

    /// Whether the latest spell of a lot ended because the search excludes it; false for a lot without one.
    fn has_left(&self, lot: &Lot) -> bool {
        let latest = self.lots.get(lot);
        latest.is_some_and(|(_, spell, _)| matches!(spell.end, Some((Ending::Gone(Cause::LeftTheSearch), _))))
    }

    /// The price of a lot in its latest spell; `None` for a lot without one.
    fn price(&self, lot: &Lot) -> Option<f64> {
        self.lots.get(lot).map(|(.., price)| *price)
    }

    /// The duration for which a lot has been on offer at a time; `None` for a lot without a spell.
    fn lasted(&self, lot: &Lot, at: Moment) -> Option<Lasted> {
        Some(self.lots.get(lot)?.0.lasted(at))
    }
}
