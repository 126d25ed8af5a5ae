//! The recorded market after 30 days of one poll a minute of 1,000 machines: the size of its file,
//! what a poll costs, and how long each question takes.
//!
//! In a poll prices change as in a tick of the sandbox, which is livelier than any real market:
//! 0.4 % are repriced, 0.3 % rented or released, 0.05 % leave for good and others come.
//! `DAYS=3 cargo bench -p benches --bench history` records fewer days; `MACHINES`, `EVERY` (seconds between polls) and
//! `CHANGES` (of a machine in a day) describe another market; `HISTORY=file` records into a file that the next run with
//! it reads as it is.

#![allow(missing_docs, reason = "a benchmark")]
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a benchmark"
)]

#[path = "../tests/it/polls.rs"]
mod polls;

use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use bourse::domain::{Condition, Dialect, Operand, Operator, Query, Resource, Value};
use bourse::features::history::prices::series::PriceSeries;
use bourse::features::history::tape::events::RecentEvents;
use bourse::record::store::Database;
use bourse::record::{
    AnyAnalysis, Lot, Moment, Poll, PollOutcome, Proof, Question, Quote, Scope, SearchKey, Sighting, VerdictBasis,
};

const START: i64 = 1_795_176_000;
const MODELS: [&str; 8] = [
    "RTX 4090",
    "RTX 3090",
    "H100 SXM",
    "A100 SXM4",
    "L40S",
    "RTX 5090",
    "A40",
    "RTX A6000",
];

/// The limit of the file, in bytes, and of an answer.
const MOST_BYTES: i64 = 200 * 1024 * 1024;
const MOST_TIME: Duration = Duration::from_millis(100);

/// A market that changes a little with each poll.
struct Market {
    random: fastrand::Rng,
    on_offer: BTreeMap<Lot, Sighting>,
    rented: Vec<Sighting>,
    next: i64,
    machines: usize,
    /// Mean number of changes between two polls.
    changes: f64,
}

impl Market {
    fn new(machines: usize, changes: f64) -> Self {
        let mut market = Self {
            random: fastrand::Rng::with_seed(16),
            on_offer: BTreeMap::new(),
            rented: Vec::new(),
            next: 40_000,
            machines,
            changes,
        };
        for _ in 0..machines {
            market.arrive();
        }
        market
    }

    fn arrive(&mut self) {
        self.next += 1;
        let lot = Lot {
            machine: self.next,
            model: MODELS[self.random.usize(..MODELS.len())].into(),
            memory: 0,
        };
        let price = 0.1 + 3.0 * self.random.f64();
        let sighting = Sighting {
            lot: lot.clone(),
            host: Some(self.next / 7),
            country: None,
            amount: 1 << self.random.u32(0..4),
            price,
            offer: 9_000_000 + self.next,
            quotes: quotes(price),
        };
        self.on_offer.insert(lot, sighting);
    }

    fn any(&mut self) -> Lot {
        let place = self.random.usize(..self.on_offer.len());
        self.on_offer.keys().nth(place).unwrap().clone()
    }

    /// A number with this mean.
    fn count(&mut self, mean: f64) -> usize {
        mean as usize + usize::from(self.random.f64() < mean.fract())
    }

    fn step(&mut self) {
        for _ in 0..self.count(self.changes * 0.53) {
            let lot = self.any();
            let factor = 0.9 + 0.2 * self.random.f64();
            let offer = self.on_offer.get_mut(&lot).unwrap();
            offer.price *= factor;
            offer.quotes = quotes(offer.price);
        }
        for _ in 0..self.count(self.changes * 0.4) {
            if self.rented.is_empty() || self.random.bool() {
                let lot = self.any();
                self.rented.push(self.on_offer.remove(&lot).unwrap());
            } else {
                let place = self.random.usize(..self.rented.len());
                let back = self.rented.swap_remove(place);
                self.on_offer.insert(back.lot.clone(), back);
            }
        }
        for _ in 0..self.count(self.changes * 0.07) {
            let lot = self.any();
            self.on_offer.remove(&lot);
        }
        while self.on_offer.len() < self.machines {
            self.arrive();
        }
    }

    fn poll(&self, at: Moment, every: i64) -> Poll {
        let query = polls::query("");
        polls::with_lines(Poll {
            search: SearchKey::new(&query),
            scope: Scope::new(&query, &Dialect::SANDBOX, []),
            proof: Proof::Nothing,
            lines: Vec::new(),
            at,
            took: 350,
            outcome: PollOutcome::Complete,
            rows: self.on_offer.len() as u32,
            interval: Some(every as u32),
            bans: 0,
            sightings: self.on_offer.values().cloned().collect(),
            causes: Vec::new(),
        })
    }
}

/// A machine is offered whole and in halves.
fn quotes(price: f64) -> Vec<Quote> {
    let quote = |gpus: u32| Quote {
        gpus,
        base: price * f64::from(gpus),
        storage: 0.2,
        min_bid: Some(price / 2.0),
    };
    vec![quote(1), quote(2)]
}

fn main() {
    let setting = |name: &str, default: f64| std::env::var(name).map_or(default, |text| text.parse().unwrap());
    let (days, every) = (setting("DAYS", 30.0) as i64, setting("EVERY", 60.0) as i64);
    let machines = setting("MACHINES", 1000.0);
    let changes = setting("CHANGES", 10.8) * machines * every as f64 / 86_400.0;
    let root = tempfile::tempdir().unwrap();
    let own = root.path().join("history.sqlite");
    let path = std::env::var_os("HISTORY").map_or(own, PathBuf::from);
    let mut database = Database::open(&path, "https://market.example").unwrap();
    let mut market = Market::new(machines as usize, changes);
    let polls = days * 86_400 / every;
    let (mut spent, mut longest) = (Duration::ZERO, Duration::ZERO);
    let recorded = database.contents().unwrap().polls;
    for number in 0..polls {
        market.step();
        if recorded > 0 {
            continue;
        }
        let poll = market.poll(Moment(START + every * number), every);
        let started = Instant::now();
        assert!(database.record(&poll).unwrap());
        spent += started.elapsed();
        longest = longest.max(started.elapsed());
    }
    let contents = database.contents().unwrap();
    println!(
        "{days} days, {machines} machines, {changes:.2} changes a poll: {} polls, {} prices, {:.1} MiB (at most {:.0})",
        contents.polls,
        contents.prices,
        contents.size as f64 / 1_048_576.0,
        MOST_BYTES as f64 / 1_048_576.0
    );
    println!(
        "a poll: {:.2} ms on average, {:.1} ms at most",
        spent.as_secs_f64() * 1e3 / polls as f64,
        longest.as_secs_f64() * 1e3
    );
    assert!(contents.size <= MOST_BYTES, "the file is too large");
    let until = Moment(START + every * polls);
    let machine = market.any();
    let conditions = |key: &str, value: Value| {
        let field = Resource::Offers.catalog().by_key(key);
        let condition = field.map(|field| Condition::new(field, Operator::Eq, Operand::One(value)));
        condition.into_iter().collect::<Vec<_>>()
    };
    let asked = [
        ("all", Vec::new()),
        (
            "a model",
            conditions("gpu_name", Value::Text(machine.model.to_string())),
        ),
        ("a machine", conditions("machine_id", Value::id(machine.machine.into()))),
    ];
    let mut is_slow = false;
    for (lots, conditions) in asked {
        for (span, back) in [("a day", 1), ("a week", 7), ("30 days", 30)] {
            let question = Question {
                query: Query {
                    conditions: conditions.clone(),
                    ..Query::empty(Resource::Offers)
                },
                since: Moment(until.0 - back * 86_400),
                until,
            };
            let tape = AnyAnalysis::new(RecentEvents {
                question: question.clone(),
                most: 500,
            });
            let prices = AnyAnalysis::new(PriceSeries {
                question: question.clone(),
                buckets: 120,
            });
            let basis = AnyAnalysis::new(VerdictBasis::new(question.query, until));
            for (name, analysis) in [("tape", tape), ("prices", prices), ("verdict", basis)] {
                let best = (0..5).map(|_| {
                    let started = Instant::now();
                    black_box(database.ask(&analysis).unwrap());
                    started.elapsed()
                });
                let best = best.min().unwrap();
                is_slow |= best > MOST_TIME;
                println!("{name:9} {lots:10} {span:8} {:7.1} ms", best.as_secs_f64() * 1e3);
            }
        }
    }
    println!(
        "{}",
        if is_slow {
            "above 100 ms: see above"
        } else {
            "all within 100 ms"
        }
    );
}
