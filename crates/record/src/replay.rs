//! What an alert would have done on the recorded polls.

use super::alert::{AlertState, Figures, Repeat, Rule, check};
use super::recall::{Question, Recorded};
use super::{Moment, Poll, Sighting, Spell, timeline};

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Replay {
    /// How often it would have rung, had it been set to ring every time.
    pub rings: usize,
    /// The first poll of the time.
    pub since: Moment,
    /// The lowest price at the last poll.
    pub lowest: Option<f64>,
}

/// Checks a rule on every recorded poll of a question's time; `None` without polls.
pub fn replay(rule: &Rule, question: &Question, recorded: &Recorded) -> Option<Replay> {
    let polls = timeline::usable(&recorded.excerpt.polls);
    let mut polls = polls.iter().filter(|poll| poll.at >= question.since).peekable();
    let since = polls.peek()?.at;
    let rule = Rule {
        repeat: Repeat::EveryTime,
        ..rule.clone()
    };
    let is_counted = |spell: &&Spell| rule.model.as_ref().is_none_or(|model| spell.lot.model == *model);
    let mut spells: Vec<&Spell> = recorded.excerpt.spells.iter().filter(is_counted).collect();
    spells.sort_by_key(|spell| spell.first);
    let mut coming = spells.into_iter().peekable();
    // What is on offer changes little from poll to poll: one poll is kept up to date.
    let mut removals: Vec<Moment> = Vec::new();
    let mut sightings: Vec<Sighting> = Vec::new();
    let (mut state, mut rings) = (AlertState::default(), 0);
    for row in polls {
        while let Some(spell) = coming.next_if(|spell| spell.first <= row.at) {
            removals.push(spell.interval(0).removed());
            let price = rule
                .per
                .price(spell.quotes.iter().copied(), spell.price, question.storage);
            sightings.push(Sighting {
                price,
                ..spell.clone().sighting()
            });
        }
        let mut index = 0;
        while let Some(removed) = removals.get(index) {
            if *removed <= row.at {
                removals.swap_remove(index);
                sightings.swap_remove(index);
            } else {
                index += 1;
            }
        }
        let poll = Poll {
            search: recorded.search.clone(),
            at: row.at,
            took: row.took,
            outcome: row.outcome,
            rows: row.rows,
            has_lowest: row.has_lowest,
            interval: row.interval,
            bans: row.bans,
            sightings,
            causes: Vec::new(),
        };
        let figures = Figures {
            poll: &poll,
            workers: None,
        };
        rings += usize::from(check(&rule, &mut state, figures).is_some());
        sightings = poll.sightings;
    }
    let prices = sightings.iter().map(|sighting| sighting.price);
    let lowest = prices.filter(|price| price.is_finite()).reduce(f64::min);
    Some(Replay { rings, since, lowest })
}
