//! How a poll continues the spells of a search.

use std::collections::BTreeMap;

use super::shift::{Outcomes, Shift};
use super::{Beginning, Ending, Lot, Moment, Poll, PollOutcome, PollRow, Sighting, Spell, is_same_price};

/// What a poll changes in the record of its search.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Advance {
    /// Whether the poll belongs in the record; `false` for one not later than the last, as after the
    /// clock was set back. Nothing else is set then.
    pub is_recorded: bool,
    /// Spells that ended, with their end.
    pub closed: Vec<Spell>,
    /// Spells that began.
    pub opened: Vec<Spell>,
    /// Spells that go on with other values to store: the offer's id or the host, or the poll that
    /// saw them last. Where [`Spell::last`] is before the poll, it stays there until the spell is
    /// among these again.
    pub updated: Vec<Spell>,
}

/// Compares a poll with the spells that are `open` and the `last` usable poll of its search.
///
/// Equal polls change nothing: an open spell's end is not stored, it follows the search's polls.
pub fn advance(open: &[Spell], last: Option<PollRow>, poll: &Poll) -> Advance {
    if last.is_some_and(|last| poll.at <= last.at) {
        return Advance::default();
    }
    let mut advance = Advance {
        is_recorded: true,
        ..Advance::default()
    };
    if !poll.outcome.is_usable() {
        return advance;
    }
    let sightings = poll.sightings.iter();
    let mut unseen: BTreeMap<&Lot, &Sighting> = sightings.map(|sighting| (&sighting.lot, sighting)).collect();
    let is_gap = |moment: Moment| last.is_none_or(|last| poll.at.since(moment) > last.patience());
    for spell in open {
        let Some(last) = last.filter(|_| !is_gap(spell.last)) else {
            let end = (Ending::LostSight, spell.last);
            advance.closed.push(ended(spell, end));
            continue;
        };
        match unseen.remove(&spell.lot) {
            Some(sighting) => advance.follow(spell, sighting, poll, last),
            None => advance.miss(spell, poll, last),
        }
    }
    let is_certain =
        last.is_some_and(|last| last.outcome == PollOutcome::Complete && !is_gap(last.at) && last.bans == poll.bans);
    let beginning = if is_certain {
        Beginning::Listed
    } else {
        Beginning::Found
    };
    let new = unseen.into_values();
    advance
        .opened
        .extend(new.map(|sighting| begun(sighting, beginning, poll.at)));
    advance
}

impl Advance {
    fn follow(&mut self, spell: &Spell, seen: &Sighting, poll: &Poll, last: PollRow) {
        let outcomes = Outcomes {
            before: last.outcome,
            after: poll.outcome,
        };
        let (shift, figures) = outcomes.shift(spell.figures(), seen.figures());
        // Of a truncated response the rest may be cheaper, unless it begins with the cheapest.
        let are_all = poll.has_lowest || is_same_price(figures.price, seen.price);
        let quotes = if are_all { &seen.quotes } else { &spell.quotes };
        let next = Spell {
            host: seen.host,
            country: seen.country.clone(),
            amount: figures.amount,
            price: figures.price,
            offer: figures.offer,
            quotes: quotes.clone(),
            last: poll.at,
            ..spell.clone()
        };
        let is_quoted = spell.quotes.len() == quotes.len()
            && std::iter::zip(&spell.quotes, quotes).all(|(before, after)| before.is_same(after));
        let beginning = match shift {
            // Version 0.1 recorded no quotes to compare with.
            _ if spell.quotes.is_empty() && !is_quoted => Beginning::Revealed,
            Shift::Same if !is_quoted => Beginning::Revealed,
            Shift::Repriced => Beginning::Repriced { from: spell.price },
            Shift::Resized => Beginning::Resized { from: spell.amount },
            Shift::Revealed => Beginning::Revealed,
            Shift::Same => {
                let was_hidden = spell.last < last.at;
                if was_hidden || spell.offer != next.offer || spell.host != next.host || spell.country != next.country {
                    self.updated.push(next);
                }
                return;
            }
        };
        self.closed.push(ended(spell, (Ending::Changed, poll.at)));
        self.opened.push(Spell {
            beginning,
            first: poll.at,
            ..next
        });
    }

    /// A lot that the poll lacks is gone if the response was complete and left out no other machines;
    /// else nobody knows.
    fn miss(&mut self, spell: &Spell, poll: &Poll, last: PollRow) {
        if last.bans != poll.bans {
            let end = (Ending::LostSight, spell.last);
            self.closed.push(ended(spell, end));
        } else if poll.outcome == PollOutcome::Complete {
            let end = (Ending::Gone(poll.cause(&spell.lot)), poll.at);
            self.closed.push(ended(spell, end));
        } else if spell.last == last.at {
            self.updated.push(spell.clone());
        }
    }
}

fn ended(spell: &Spell, end: (Ending, Moment)) -> Spell {
    Spell {
        end: Some(end),
        ..spell.clone()
    }
}

fn begun(seen: &Sighting, beginning: Beginning, at: Moment) -> Spell {
    Spell {
        lot: seen.lot.clone(),
        host: seen.host,
        country: seen.country.clone(),
        amount: seen.amount,
        price: seen.price,
        offer: seen.offer,
        quotes: seen.quotes.clone(),
        beginning,
        first: at,
        last: at,
        end: None,
    }
}
