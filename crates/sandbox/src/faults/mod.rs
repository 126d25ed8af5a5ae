//! Fault injection: numbered faults, drawn from a seed, the same in every run.
//!
//! A specification has one of two forms. A profile (`storm,seed=7,only=F08,F10`) draws from its part of the
//! [`CATALOGUE`]. A list (`status_500:0.1,F10@offers`) names faults, each with its share of calls (default: all) and
//! its operation (default: all).
//!
//! Whether a call has a fault depends on the seed, the operation and the call's number among the calls of that
//! operation, never on timing. Faulty responses carry `x-sandbox-fault: F10/SEED/NUMBER`.

mod body;
mod bomb;
mod catalogue;
mod context;
mod profile;
mod spec;
mod status;
mod wire;
mod worker;

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use axum::body::Bytes;
use axum::http::{HeaderValue, Response};

use super::call::Call;
use super::ledger::Ledger;
use super::random::{Purpose, Rng};

pub use catalogue::{CATALOGUE, Fault, Stage};
pub use context::{Created, FaultContext, FaultOutput};
pub use profile::{PROFILES, Profile};
pub use spec::{FaultSpec, FaultSpecError, operations};

/// The response header that names the fault.
const HEADER: &str = "x-sandbox-fault";

/// The delays of faults.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FaultDelays {
    /// The delay of a slow response.
    pub slow: Duration,
    /// The pause after each byte of a dribbled response.
    pub dribble: Duration,
    /// The time a silent connection stays open.
    pub silence: Duration,
}

impl Default for FaultDelays {
    fn default() -> Self {
        Self {
            slow: Duration::from_secs(3),
            dribble: Duration::from_millis(100),
            silence: Duration::from_mins(5),
        }
    }
}

/// The random generator for the simulated fault of a call, given by its number among those of its operation.
fn draw(seed: u64, call: Call, ordinal: u64) -> Rng {
    Rng::keyed(seed, Purpose::Fault, (call as u64) << 48 | ordinal)
}

/// A fault drawn for a call.
#[derive(Debug, Clone)]
pub struct Injection {
    /// The row of the catalogue.
    pub fault: &'static Fault,
    /// The number of the call among those of its operation, from 1.
    pub ordinal: u64,
    seed: u64,
    /// The generator for the fault's variant.
    pub rng: Rng,
}

/// Formats the value of the response header: `F10/SEED/NUMBER`.
impl fmt::Display for Injection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.fault.id(), self.seed, self.ordinal)
    }
}

impl Injection {
    /// The response to send, marked with the fault's header. `cx` holds the response of the call if it was
    /// performed.
    pub fn output(&self, mut cx: FaultContext<'_>) -> FaultOutput {
        self.mark(&mut cx.reply);
        let mut output = (self.fault.output)(&mut cx);
        if let FaultOutput::Response(response) | FaultOutput::Cut(response) = &mut output {
            self.mark(response);
        }
        output
    }

    /// Adds the header that names the fault.
    fn mark(&self, response: &mut Response<Bytes>) {
        if let Ok(value) = HeaderValue::from_str(&self.to_string()) {
            response.headers_mut().insert(HEADER, value);
        }
    }
}

/// Draws the faults of calls.
#[derive(Debug)]
pub struct Faults {
    seed: u64,
    spec: FaultSpec,
    times: FaultDelays,
    ledger: Ledger,
    ordinals: Mutex<HashMap<Call, u64>>,
}

impl Faults {
    /// A generator of faults. `seed` is used unless the specification has its own; faults are recorded in `ledger`.
    pub fn new(seed: u64, spec: FaultSpec, times: FaultDelays, ledger: Ledger) -> Self {
        Self {
            seed: spec.seed().unwrap_or(seed),
            spec,
            times,
            ledger,
            ordinals: Mutex::default(),
        }
    }

    /// The delays of faults.
    pub const fn times(&self) -> FaultDelays {
        self.times
    }

    /// The fault of the next call of an operation, recorded in the ledger; `None` if it has none. The call is
    /// counted either way, unless the specification has no faults at all.
    pub fn next(&self, call: Call) -> Option<Injection> {
        if self.spec.is_empty() {
            return None;
        }
        let ordinal = {
            let mut ordinals = self.ordinals.lock().unwrap_or_else(PoisonError::into_inner);
            let ordinal = ordinals.entry(call).or_default();
            *ordinal += 1;
            *ordinal
        };
        let injection = plan(&self.spec, self.seed, call, ordinal)?;
        self.ledger.record_fault(injection.fault, call, injection.to_string());
        Some(injection)
    }
}

/// The fault of call number `ordinal` of an operation, from 1; `None` if it has none. It depends on the arguments
/// alone.
pub fn plan(spec: &FaultSpec, seed: u64, call: Call, ordinal: u64) -> Option<Injection> {
    let mut rng = draw(seed, call, ordinal);
    let fault = spec.choose(call, &mut rng)?;
    Some(Injection {
        fault,
        ordinal,
        seed,
        rng,
    })
}
