//! Rate limits: the minimum time between two requests of one operation.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use super::answer::Refusal;
use super::call::Call;

/// Seconds between two unlists (specification, "Limits").
const UNLIST: f64 = 5.0;
/// Seconds between two searches of network volumes.
///
/// The specification gives no figure; this is the service's.
const VOLUMES: f64 = 2.0;

/// The time each operation was last allowed. There is one account, so one clock per operation.
#[derive(Debug)]
pub struct Pacer {
    enabled: bool,
    granted: HashMap<Call, Instant>,
}

impl Pacer {
    /// A pacer; it allows everything unless `enabled`.
    pub fn new(enabled: bool) -> Self {
        Self {
            enabled,
            granted: HashMap::new(),
        }
    }

    /// Allows a call at `now`, or refuses it with the time left to wait if it comes too soon after the last
    /// one allowed of the same operation. Only unlisting and volume searches are limited.
    pub fn ask(&mut self, call: Call, now: Instant) -> Result<(), Refusal> {
        let (threshold, detail) = match call {
            Call::Unlist => (UNLIST, true),
            Call::Volumes => (VOLUMES, false),
            Call::Offers | Call::Groups | Call::Create | Call::Route | Call::Worker => return Ok(()),
        };
        if !self.enabled {
            return Ok(());
        }
        if let Some(last) = self.granted.get(&call) {
            let due = *last + Duration::from_secs_f64(threshold);
            let wait = due.saturating_duration_since(now).as_secs_f64();
            if wait > 0.0 {
                return Err(Refusal::pace(threshold, wait, detail));
            }
        }
        self.granted.insert(call, now);
        Ok(())
    }
}
