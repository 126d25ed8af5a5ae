//! The smallest store of polls and spells: open spells have no end of their own but for those that a
//! truncated poll did not show, as in the database.

use bourse::domain::language::{self, Mode};
use bourse::domain::{Dialect, OfferType, Query, Resource};
use bourse::record::{
    Analysis, Excerpt, Lot, Moment, Poll, PollOutcome, PollRow, Proof, Question, Quote, Scope, SearchKey, Sighting,
    Spell, advance, placed,
};

pub fn search() -> SearchKey {
    SearchKey {
        resource: Resource::Offers,
        offer_type: OfferType::OnDemand,
        conditions: String::new(),
    }
}

pub fn lot(machine: i64) -> Lot {
    Lot {
        machine,
        model: "RTX 4090".to_owned(),
        memory: 0,
    }
}

/// A machine with GPUs on offer at a price.
pub fn sighting(machine: i64, amount: u32, price: f64) -> Sighting {
    Sighting {
        lot: lot(machine),
        host: None,
        country: None,
        amount,
        price,
        offer: machine * 10,
        quotes: vec![Quote {
            gpus: 1,
            base: price,
            storage: 0.0,
            min_bid: None,
        }],
    }
}

/// A poll of sightings at a moment.
pub fn poll(at: i64, outcome: PollOutcome, sightings: Vec<Sighting>) -> Poll {
    Poll {
        search: search(),
        scope: Scope::from_search(&search()),
        proof: Proof::Nothing,
        lines: Vec::new(),
        at: Moment(at),
        took: 200,
        outcome,
        rows: sightings.len() as u32,
        has_lowest: outcome == PollOutcome::Complete,
        interval: Some(60),
        bans: 0,
        sightings,
        causes: Vec::new(),
    }
}

pub fn complete(at: i64, sightings: Vec<Sighting>) -> Poll {
    poll(at, PollOutcome::Complete, sightings)
}

/// A row of the table of spells, where open spells keep a last poll only if it is not the search's.
#[derive(Debug, Clone)]
struct Stored {
    spell: Spell,
    last: Option<Moment>,
}

#[derive(Debug, Default)]
pub struct Record {
    polls: Vec<PollRow>,
    closed: Vec<Spell>,
    open: Vec<Stored>,
    /// Seconds by which the times here are ahead of the clock.
    ahead: i64,
}

impl Record {
    pub fn of(polls: &[Poll]) -> Self {
        let mut record = Self::default();
        for poll in polls {
            record.take(poll);
        }
        record
    }

    fn last(&self) -> Option<PollRow> {
        let mut polls = self.polls.iter().rev();
        polls.find(|poll| poll.outcome.is_usable()).copied()
    }

    /// The open spells as they are read back.
    fn open(&self) -> Vec<Spell> {
        let last = self.last().map_or(Moment(0), |poll| poll.at);
        let read = |stored: &Stored| Spell {
            last: stored.last.unwrap_or(last),
            ..stored.spell.clone()
        };
        self.open.iter().map(read).collect()
    }

    pub fn take(&mut self, poll: &Poll) {
        let newest = self.polls.last().map(|poll| poll.at);
        let Some(placed) = placed(poll.at, self.ahead, newest, self.last()) else {
            return;
        };
        self.ahead = placed.ahead;
        let poll = &Poll {
            at: placed.at,
            ..poll.clone()
        };
        let advance = advance(&self.open(), self.last(), poll);
        if !advance.is_recorded {
            assert!(advance.closed.is_empty() && advance.opened.is_empty());
            return;
        }
        self.polls.push(poll.row());
        for closed in advance.closed {
            let place = self.place(&closed);
            self.open.remove(place);
            self.closed.push(closed);
        }
        for updated in advance.updated {
            let place = self.place(&updated);
            let last = Some(updated.last).filter(|last| *last < poll.at);
            self.open[place] = Stored { spell: updated, last };
        }
        for spell in advance.opened {
            assert_eq!((spell.first, spell.last, spell.end), (poll.at, poll.at, None));
            self.open.push(Stored { spell, last: None });
        }
    }

    fn place(&self, spell: &Spell) -> usize {
        let is_it = |it: &Stored| it.spell.lot == spell.lot && it.spell.first == spell.first;
        self.open.iter().position(is_it).unwrap()
    }

    pub fn excerpt(&self) -> Excerpt {
        let mut spells = self.closed.clone();
        spells.extend(self.open());
        spells.sort_by(|one, other| (one.first, &one.lot).cmp(&(other.first, &other.lot)));
        Excerpt {
            polls: self.polls.clone(),
            spells,
            unknown: 0,
        }
        .earlier(self.ahead)
    }
}

/// A question about all offers.
pub fn question(since: i64, until: i64) -> Question {
    about("", since, until)
}

/// A question about the offers that meet conditions.
pub fn about(conditions: &str, since: i64, until: i64) -> Question {
    let catalog = Resource::Offers.catalog();
    let parsed = language::parse(conditions, catalog, &Dialect::SANDBOX, &[], Mode::Strict).unwrap();
    Question {
        query: Query {
            conditions: parsed.conditions,
            ..Query::empty(Resource::Offers)
        },
        since: Moment(since),
        until: Moment(until),
    }
}

/// The output of an analysis whose questions are all about one record.
pub fn output<A: Analysis>(analysis: &A, excerpt: &Excerpt) -> A::Output {
    let questions = analysis.questions();
    let excerpts: Vec<Excerpt> = questions.iter().map(|own| excerpt.clone().narrowed(own)).collect();
    analysis.answer(&excerpts)
}

#[track_caller]
pub fn near(value: f64, wanted: f64) {
    assert!((value - wanted).abs() <= 1e-6, "{value} is not {wanted}");
}
