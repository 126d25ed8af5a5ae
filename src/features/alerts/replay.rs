//! Checks an alert on the recorded polls, as if it had been active then.

use crate::record::{
    AlertState, Analysis, Excerpt, Figures, Moment, Question, Repeat, Rule, Sighting, Spell, check, timeline,
};

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Replay {
    /// Number of times it would have fired with the setting to fire every time.
    pub rings: usize,
    /// The time of the first poll.
    pub since: Moment,
    /// The lowest price in the last poll.
    pub lowest: Option<f64>,
}

/// A rule, checked on every recorded poll of a question.
#[derive(Debug, Clone)]
pub struct AlertReplay {
    pub question: Question,
    pub rule: Rule,
}

impl Analysis for AlertReplay {
    /// `None` without polls.
    type Output = Option<Replay>;

    fn questions(&self) -> Vec<Question> {
        vec![self.question.clone()]
    }

    fn answer(&self, excerpts: &[Excerpt]) -> Option<Replay> {
        replay(&self.rule, &self.question, excerpts.first()?)
    }
}

/// Removes the sightings that were gone at `now`, or just then; each has its removal at the same index. The
/// others may change their order.
fn remove_gone(removals: &mut Vec<Moment>, sightings: &mut Vec<Sighting>, now: Moment) {
    let mut index = 0;
    while let Some(removed) = removals.get(index) {
        if *removed <= now {
            removals.swap_remove(index);
            sightings.swap_remove(index);
        } else {
            index += 1;
        }
    }
}

/// Counts how often an alert's rule would have fired, if set to fire every time, on the usable polls since
/// the start of the question, with the time of the first of them and the lowest price in the last; `None`
/// without such a poll. A rule for one model counts only its offers.
fn replay(rule: &Rule, question: &Question, excerpt: &Excerpt) -> Option<Replay> {
    let usable = timeline::usable(&excerpt.polls);
    let mut polls = usable.iter().filter(|poll| poll.at >= question.since).peekable();
    let since = polls.peek()?.at;
    let rule = Rule {
        repeat: Repeat::EveryTime,
        ..rule.clone()
    };
    let is_counted = |spell: &&Spell| rule.model.as_ref().is_none_or(|model| *spell.lot.model == **model);
    let mut spells: Vec<&Spell> = excerpt.spells.iter().filter(is_counted).collect();
    spells.sort_by_key(|spell| spell.first);
    let mut coming = spells.into_iter().peekable();
    // Few offers change from poll to poll, so one poll is updated in place.
    let mut removals: Vec<Moment> = Vec::new();
    let mut sightings: Vec<Sighting> = Vec::new();
    let (mut state, mut rings) = (AlertState::default(), 0);
    for row in polls {
        while let Some(spell) = coming.next_if(|spell| spell.first <= row.at) {
            removals.push(spell.interval(None).first_without());
            let price = rule
                .per
                .price(spell.quotes.iter().copied(), spell.price, question.query.storage_gb());
            sightings.push(Sighting {
                price,
                ..spell.clone().sighting()
            });
        }
        remove_gone(&mut removals, &mut sightings, row.at);
        let figures = Figures {
            at: row.at,
            outcome: row.outcome,
            sightings: &sightings,
            workers: None,
        };
        rings += usize::from(check(&rule, &mut state, figures).is_some());
    }
    let prices = sightings.iter().map(|sighting| sighting.price);
    let lowest = prices.filter(|price| price.is_finite()).reduce(f64::min);
    Some(Replay { rings, since, lowest })
}
