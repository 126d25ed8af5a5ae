//! Simulated latency, the same in every run of a seed.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::call::Call;
use super::random::{Purpose, Rng};

/// The minimum and maximum simulated latency, in milliseconds.
const DRAWN: (f64, f64) = (30.0, 150.0);

/// The delay added to each response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Latency {
    /// None: responses are sent as soon as they are ready.
    #[default]
    None,
    /// The same for every response.
    Fixed(Duration),
    /// 30 to 150 ms, mostly near the lower end, drawn from the seed.
    Drawn,
}

/// The delays of the responses of a sandbox.
#[derive(Debug)]
pub struct Delays {
    seed: u64,
    latency: Latency,
    numbers: Mutex<HashMap<Option<Call>, u64>>,
}

impl Delays {
    /// The delays of the market of `seed`.
    pub fn new(seed: u64, latency: Latency) -> Self {
        Self {
            seed,
            latency,
            numbers: Mutex::default(),
        }
    }

    /// The delay of the next response to an operation, or to any other request for `None`: none, a fixed one,
    /// or a random one, which is more often short than long.
    ///
    /// A random one depends on the seed, the operation and the call's number among the calls of that
    /// operation, as faults do.
    pub fn next(&self, call: Option<Call>) -> Duration {
        match self.latency {
            Latency::None => Duration::ZERO,
            Latency::Fixed(time) => time,
            Latency::Drawn => {
                let mut numbers = self.numbers.lock().unwrap_or_else(PoisonError::into_inner);
                let number = numbers.entry(call).or_default();
                *number += 1;
                let stream = call.map_or(0, |call| call as u64 + 1);
                let index = *number | stream << 32;
                let share = Rng::keyed(self.seed, Purpose::Latency, index).unit();
                let (low, high) = DRAWN;
                Duration::from_secs_f64((low + (high - low) * share * share) / 1e3)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn milliseconds(delays: &Delays, call: Call, count: usize) -> Vec<u128> {
        (0..count).map(|_| delays.next(Some(call)).as_millis()).collect()
    }

    #[test]
    fn drawn_latencies_are_those_of_the_net_and_of_the_seed() {
        let delays = Delays::new(1, Latency::Drawn);
        let offers = milliseconds(&delays, Call::Offers, 500);
        assert!(offers.iter().all(|time| (30..=150).contains(time)));
        let mut sorted = offers.clone();
        sorted.sort_unstable();
        assert!((50..70).contains(&sorted[250]), "median {}", sorted[250]);
        assert!(sorted[495] > 130, "p99 {}", sorted[495]);
        // Other operations in between change nothing; another seed does.
        let again = Delays::new(1, Latency::Drawn);
        let mixed: Vec<_> = (0..500)
            .map(|_| {
                again.next(Some(Call::Route));
                again.next(None);
                again.next(Some(Call::Offers)).as_millis()
            })
            .collect();
        assert_eq!(mixed, offers);
        let reseeded = Delays::new(2, Latency::Drawn);
        assert_ne!(milliseconds(&reseeded, Call::Offers, 500), offers);
        let routes = Delays::new(1, Latency::Drawn);
        assert_ne!(milliseconds(&routes, Call::Route, 500), offers);
    }

    #[test]
    fn latencies_can_be_fixed_or_off() {
        let off = Delays::new(1, Latency::None);
        assert_eq!(off.next(None), Duration::ZERO);
        let fixed = Delays::new(1, Latency::Fixed(Duration::from_millis(7)));
        assert_eq!(fixed.next(Some(Call::Create)), Duration::from_millis(7));
    }
}
