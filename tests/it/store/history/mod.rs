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

use bourse::domain::language::{self, Mode};
use bourse::domain::{Dialect, OfferType, Query, Resource};
use bourse::record::store::Database;
use bourse::record::{Lot, Moment, Poll, PollOutcome, Proof, Question, Quote, Scope, SearchKey, Sighting};

pub const MARKET: &str = "https://market.example";

/// 2026-11-20 12:00 UTC.
pub const START: i64 = 1_795_176_000;

pub fn search(conditions: &str) -> SearchKey {
    SearchKey {
        resource: Resource::Offers,
        offer_type: OfferType::OnDemand,
        conditions: conditions.to_owned(),
    }
}

pub fn lot(machine: i64) -> Lot {
    Lot {
        machine,
        model: "RTX 4090".to_owned(),
        memory: 0,
    }
}

/// A complete poll of `gpu_ram>=24` after so many seconds: machines with their GPUs and price.
pub fn poll(after: i64, seen: &[(i64, u32, f64)]) -> Poll {
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
    Poll {
        search: search("gpu_ram>=24"),
        scope: Scope::from_search(&search("gpu_ram>=24")),
        proof: Proof::Nothing,
        lines: Vec::new(),
        at: Moment(START + after),
        took: 120,
        outcome: PollOutcome::Complete,
        rows: u32::try_from(seen.len()).unwrap(),
        has_lowest: true,
        interval: Some(60),
        bans: 0,
        sightings: sightings.collect(),
        causes: Vec::new(),
    }
}

pub fn failed(after: i64) -> Poll {
    Poll {
        outcome: PollOutcome::Failed,
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
    let catalog = Resource::Offers.catalog();
    let parsed = language::parse(conditions, catalog, &Dialect::SANDBOX, &[], Mode::Strict).unwrap();
    Question {
        query: Query {
            conditions: parsed.conditions,
            ..Query::empty(Resource::Offers)
        },
        since: Moment(0),
        until: Moment(i64::MAX),
    }
}
