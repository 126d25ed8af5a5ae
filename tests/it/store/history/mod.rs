//! The file of the recorded market: what is written, read, kept and survived.

mod answers;
mod dashboard;
mod disk;
mod file;
mod programs;
mod recording;
mod sharing;
mod turns;

use std::path::Path;

use bourse::domain::Dialect;
use bourse::record::store::Database;
use bourse::record::{Lot, Moment, Poll, PollOutcome, Proof, Question, Quote, Scope, SearchKey, Sighting};

use crate::polls::{query, with_lines};

pub const MARKET: &str = "https://market.example";

/// 2026-11-20 12:00 UTC.
pub const START: i64 = 1_795_176_000;

pub fn lot(machine: i64) -> Lot {
    Lot {
        machine,
        model: "RTX 4090".into(),
        memory: 0,
    }
}

/// A complete poll of `gpu_ram>=24` after so many seconds: machines with their GPUs and price.
pub fn poll(after: i64, seen: &[(i64, u32, f64)]) -> Poll {
    poll_of("gpu_ram>=24", after, seen)
}

/// A complete poll of a search after so many seconds: machines with their GPUs and price.
pub fn poll_of(conditions: &str, after: i64, seen: &[(i64, u32, f64)]) -> Poll {
    let sightings = seen.iter().map(|(machine, amount, price)| Sighting {
        lot: lot(*machine),
        host: Some(machine / 10),
        country: None,
        amount: *amount,
        price: *price,
        offer: machine * 100,
        quotes: vec![Quote {
            gpus: 1,
            base: *price,
            storage: 0.0,
            min_bid: None,
        }],
    });
    let query = query(conditions);
    with_lines(Poll {
        search: SearchKey::new(&query),
        scope: Scope::new(&query, &Dialect::SANDBOX, []),
        proof: Proof::Nothing,
        lines: Vec::new(),
        at: Moment(START + after),
        took: 120,
        outcome: PollOutcome::Complete,
        rows: u32::try_from(seen.len()).unwrap(),
        interval: Some(60),
        bans: 0,
        sightings: sightings.collect(),
        causes: Vec::new(),
    })
}

/// The same poll, cut by its limit in no order of prices.
pub fn cut(poll: Poll) -> Poll {
    Poll {
        outcome: PollOutcome::Truncated,
        proof: Proof::Some,
        ..poll
    }
}

pub fn failed(after: i64) -> Poll {
    Poll {
        outcome: PollOutcome::Failed,
        proof: Proof::Nothing,
        ..poll(after, &[])
    }
}

pub fn open(path: &Path) -> Database {
    Database::open(path, MARKET).unwrap()
}

/// Everything of the search.
pub fn everything() -> Question {
    about("gpu_ram>=24")
}

/// Everything about the offers that meet conditions.
pub fn about(conditions: &str) -> Question {
    Question {
        query: query(conditions),
        since: Moment(0),
        until: Moment(i64::MAX),
    }
}
