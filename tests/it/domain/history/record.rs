//! What a few polls leave on record.

use bourse::domain::language::{self, Mode};
use bourse::domain::{Dialect, Query, Resource};
use bourse::record::store::Database;
use bourse::record::{
    Analysis, Excerpt, Lot, Moment, Poll, PollOutcome, Proof, Question, Quote, Scope, SearchKey, Sighting,
};

use crate::polls::with_lines;

pub fn lot(machine: i64) -> Lot {
    Lot {
        machine,
        model: "RTX 4090".into(),
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
    let query = Query::empty(Resource::Offers);
    Poll {
        search: SearchKey::new(&query),
        scope: Scope::new(&query, &Dialect::SANDBOX, []),
        proof: Proof::Nothing,
        lines: Vec::new(),
        at: Moment(at),
        took: 200,
        outcome,
        rows: sightings.len() as u32,
        interval: Some(60),
        bans: 0,
        sightings,
        causes: Vec::new(),
    }
}

pub fn complete(at: i64, sightings: Vec<Sighting>) -> Poll {
    poll(at, PollOutcome::Complete, sightings)
}

/// A record of polls in memory.
#[derive(Debug)]
pub struct Record(Database);

impl Default for Record {
    fn default() -> Self {
        Self(Database::in_memory("https://market.example").unwrap())
    }
}

impl Record {
    pub fn of(polls: &[Poll]) -> Self {
        let mut record = Self::default();
        for poll in polls {
            record.take(poll);
        }
        record
    }

    pub fn take(&mut self, poll: &Poll) {
        self.0.record(&with_lines(poll.clone())).unwrap();
    }

    /// All that it knows of offers on demand.
    pub fn excerpt(&self) -> Excerpt {
        self.0.excerpt(&question(i64::MIN, i64::MAX)).unwrap()
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

/// The output of an analysis of a record.
pub fn output<A: Analysis>(analysis: &A, record: &Record) -> A::Output {
    record.0.ask(analysis).unwrap()
}

#[track_caller]
pub fn near(value: f64, wanted: f64) {
    assert!((value - wanted).abs() <= 1e-6, "{value} is not {wanted}");
}
