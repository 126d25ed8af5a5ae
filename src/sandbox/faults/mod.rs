//! Faults on purpose: numbered, seeded, the same in every run.
//!
//! A specification takes one of two forms. A profile (`storm,seed=7,only=F10,F17`) draws from its
//! part of the [`CATALOGUE`]. A list (`status_500:0.1,F10@offers`) names faults, the share of the
//! calls that each strikes (all, when left out) and the operation it is for (all, when left out).
//!
//! Whether a fault strikes depends on the seed, the operation and the call's number among the
//! calls of that operation, never on timing. Answers that a fault made carry
//! `x-sandbox-fault: F10/SEED/NUMBER`, or `NAME/NUMBER` when a list named the fault by its name.

mod body;
mod case;
mod catalogue;
mod compressed;
mod listing;
mod numbers;
mod profile;
mod semantic;
mod spec;
mod status;
mod strings;
mod wire;

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use axum::body::Bytes;
use axum::http::{HeaderValue, Response};

use super::call::Call;
use super::ledger::Ledger;
use super::random::{Purpose, Rng};

pub use case::{Case, Created, Sent};
pub use catalogue::{CATALOGUE, ConnectionFault, Fault, Group, Stage};
pub use profile::Profile;
pub use spec::{FaultSpec, FaultSpecError, operations};

/// The header that names the fault of an answer.
pub const HEADER: &str = "x-sandbox-fault";

/// How long things take that faults draw out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FaultTimes {
    /// How late a slow answer is.
    pub slow: Duration,
    /// The pause behind each byte of a dribbled answer.
    pub dribble: Duration,
    /// How long a connection that never answers stays open.
    pub silence: Duration,
    /// How long connections are refused at a time.
    pub refusing: Duration,
}

impl Default for FaultTimes {
    fn default() -> Self {
        Self {
            slow: Duration::from_secs(3),
            dribble: Duration::from_millis(100),
            silence: Duration::from_mins(5),
            refusing: Duration::from_secs(1),
        }
    }
}

/// What faults are drawn for: each has a numbering of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Lane {
    Call(Call),
    /// A new connection: what will be asked on it is not known yet.
    Connection,
}

impl Lane {
    const fn index(self) -> u64 {
        match self {
            Self::Call(call) => call as u64,
            Self::Connection => Call::ALL.len() as u64,
        }
    }
}

/// The generator of a call's faults: it follows from the arguments alone.
pub fn draw(seed: u64, lane: Lane, ordinal: u64) -> Rng {
    Rng::keyed(seed, Purpose::Fault, lane.index() << 48 | ordinal)
}

/// A fault that strikes a call.
#[derive(Debug, Clone)]
pub struct Strike {
    pub fault: &'static Fault,
    pub ordinal: u64,
    seed: u64,
    by_name: bool,
    /// Draws the fault's variant.
    rng: Rng,
}

/// As in the header of an answer.
impl fmt::Display for Strike {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.by_name {
            write!(f, "{}/{}", self.fault.name, self.ordinal)
        } else {
            write!(f, "{}/{}/{}", self.fault.id(), self.seed, self.ordinal)
        }
    }
}

impl Strike {
    /// What is sent. `case` holds the answer of the call when it was done.
    pub fn send(&self, mut case: Case<'_>) -> Sent {
        case.rng = self.rng.clone();
        self.mark(&mut case.reply);
        let mut sent = (self.fault.send)(&mut case);
        if let Sent::Answer(response) = &mut sent {
            self.mark(response);
        }
        sent
    }

    fn mark(&self, response: &mut Response<Bytes>) {
        if let Ok(value) = HeaderValue::from_str(&self.to_string()) {
            response.headers_mut().insert(HEADER, value);
        }
    }
}

/// Decides which calls and connections are struck.
#[derive(Debug)]
pub struct Faults {
    seed: u64,
    spec: FaultSpec,
    times: FaultTimes,
    ledger: Ledger,
    ordinals: Mutex<HashMap<Lane, u64>>,
}

impl Faults {
    /// The faults of a specification; `seed` counts unless the specification has one. Every strike
    /// is recorded in `ledger`.
    pub fn new(seed: u64, spec: FaultSpec, times: FaultTimes, ledger: Ledger) -> Self {
        Self {
            seed: spec.seed().unwrap_or(seed),
            spec,
            times,
            ledger,
            ordinals: Mutex::default(),
        }
    }

    pub const fn times(&self) -> FaultTimes {
        self.times
    }

    /// The fault that strikes the next call of an operation.
    pub fn next(&self, call: Call) -> Option<Strike> {
        let strike = self.strike(Lane::Call(call))?;
        self.ledger
            .struck(strike.fault, Some(call), strike.to_string());
        Some(strike)
    }

    /// The fault that strikes the next connection. It is recorded with
    /// [`Faults::struck_connection`] when it is made.
    pub fn next_connection(&self) -> Option<(ConnectionFault, Strike)> {
        let strike = self.strike(Lane::Connection)?;
        match strike.fault.stage {
            Stage::Connection(fault) => Some((fault, strike)),
            Stage::Unread | Stage::Instead | Stage::Late | Stage::Done | Stage::Tripled => None,
        }
    }

    pub fn struck_connection(&self, strike: &Strike) {
        self.ledger.struck(strike.fault, None, strike.to_string());
    }

    fn strike(&self, lane: Lane) -> Option<Strike> {
        if self.spec.is_empty() {
            return None;
        }
        let ordinal = {
            let mut ordinals = self.ordinals.lock().unwrap_or_else(PoisonError::into_inner);
            let ordinal = ordinals.entry(lane).or_default();
            *ordinal += 1;
            *ordinal
        };
        plan(&self.spec, self.seed, lane, ordinal)
    }
}

/// The fault that strikes call number `ordinal` of a lane, from 1: it follows from the arguments
/// alone.
pub fn plan(spec: &FaultSpec, seed: u64, lane: Lane, ordinal: u64) -> Option<Strike> {
    let mut rng = draw(seed, lane, ordinal);
    let (fault, by_name) = spec.choose(lane, &mut rng)?;
    // Three connections are served, three are not.
    let is_served =
        matches!(fault.stage, Stage::Connection(ConnectionFault::Flap)) && (ordinal - 1) % 6 < 3;
    (!is_served).then_some(Strike {
        fault,
        ordinal,
        seed,
        by_name,
        rng,
    })
}
