//! The route runs whose requests are in the ledger.

use std::collections::BTreeMap;

use crate::api::ledger::LedgerEntry;
use crate::domain::routing::words;
use crate::domain::time::UnixTime;

/// Maximum number of stored latencies per run.
///
/// The median of the latest stands for the run, at bounded memory.
const LATENCIES: usize = 4096;

/// The figures of a route run.
///
/// They cover all of its requests, while the ledger stores only the latest ones of a long run.
#[derive(Debug)]
pub struct RouteRun {
    /// Its number in the route lab, from 1.
    pub number: u64,
    /// Number of requests that were sent.
    pub count: u64,
    /// Number of requests that failed.
    pub failed: u64,
    /// Number of requests that were cancelled.
    pub cancelled: u64,
    /// Number of its requests in the ledger.
    pub kept: usize,
    /// The time the first was sent.
    pub from: UnixTime,
    /// The time the latest was sent.
    pub to: UnixTime,
    /// The ledger's number of the latest request.
    pub newest: u64,
    pub(super) is_unfolded: bool,
    /// The latencies in seconds, as a ring buffer.
    latencies: Vec<f32>,
}

impl RouteRun {
    /// Whether it has a row of its own, folded or unfolded, as it has more than one request.
    pub const fn is_folding(&self) -> bool {
        self.count > 1
    }

    /// The number of its requests as text, and of those in the ledger if older ones were dropped: `256, 200 kept`.
    pub fn size(&self) -> String {
        let count = words::count(self.count);
        if self.kept as u64 == self.count {
            count
        } else {
            format!("{count}, {} kept", words::count(self.kept as u64))
        }
    }

    /// Whether its requests are listed individually.
    pub const fn is_unfolded(&self) -> bool {
        self.is_unfolded
    }

    /// The latency, in seconds, that this `share` (0 to 1) of the latest 4,096 requests did not exceed;
    /// `None` without requests.
    pub fn quantile(&self, share: f64) -> Option<f64> {
        let mut latencies = self.latencies.clone();
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss
        )] // a place among a few thousand
        let rank = (share * latencies.len() as f64).ceil() as usize;
        let index = rank.saturating_sub(1);
        if index >= latencies.len() {
            return None;
        }
        let (_, seconds, _) = latencies.select_nth_unstable_by(index, f32::total_cmp);
        Some(f64::from(*seconds))
    }

    /// Adds the figures of a request of the run, which has this number in the ledger.
    fn add(&mut self, number: u64, entry: &LedgerEntry) {
        let latency = entry.took.as_secs_f32();
        if self.latencies.len() < LATENCIES {
            self.latencies.push(latency);
        } else {
            let slot = usize::try_from(self.count).unwrap_or(0) % LATENCIES;
            // A ring: of a long run the latest latencies replace the oldest.
            self.latencies[slot] = latency;
        }
        self.count += 1;
        self.failed += u64::from(entry.is_failed());
        self.cancelled += u64::from(entry.is_cancelled());
        self.kept += 1;
        self.to = self.to.max(entry.at);
        self.newest = number;
    }
}

/// The route runs, and the run of each request.
#[derive(Debug, Default)]
pub(super) struct Runs {
    runs: Vec<RouteRun>,
    run_of: BTreeMap<u64, u64>,
}

impl Runs {
    /// The route run with this number; `None` if none of its requests is in the ledger.
    pub(super) fn get(&self, run: u64) -> Option<&RouteRun> {
        self.runs.iter().find(|known| known.number == run)
    }

    /// The route run with this number, to change; `None` if none of its requests is in the ledger.
    pub(super) fn get_mut(&mut self, run: u64) -> Option<&mut RouteRun> {
        self.runs.iter_mut().find(|known| known.number == run)
    }

    /// The route run of the request with this number in the ledger; `None` if it belongs to none.
    pub(super) fn run_of(&self, request: u64) -> Option<&RouteRun> {
        self.get(self.number_of(request)?)
    }

    /// The number of a request's route run; `None` if the request belongs to none or was dropped from the
    /// ledger.
    pub(super) fn number_of(&self, request: u64) -> Option<u64> {
        self.run_of.get(&request).copied()
    }

    /// The number of the route run that began last; `None` if no run has requests in the ledger.
    pub(super) fn latest(&self) -> Option<u64> {
        self.runs.last().map(|run| run.number)
    }

    /// Adds a request to the route run with the number `run`, which is created if it is new; `request` is its
    /// number in the ledger.
    pub(super) fn add(&mut self, run: u64, request: u64, entry: &LedgerEntry) {
        if self.get(run).is_none() {
            self.runs.push(RouteRun {
                number: run,
                count: 0,
                failed: 0,
                cancelled: 0,
                kept: 0,
                from: entry.at,
                to: entry.at,
                newest: request,
                is_unfolded: false,
                latencies: Vec::new(),
            });
        }
        self.run_of.insert(request, run);
        if let Some(known) = self.get_mut(run) {
            known.add(request, entry);
        }
    }

    /// Removes requests that the ledger has dropped. A run without requests is removed too.
    pub(super) fn forget(&mut self, dropped: &[u64]) {
        for request in dropped {
            let Some(run) = self.run_of.remove(request) else {
                continue;
            };
            if let Some(known) = self.get_mut(run) {
                known.kept -= 1;
            }
        }
        if !dropped.is_empty() {
            self.runs.retain(|run| run.kept > 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::api::Operation;
    use crate::api::wire::Method;

    fn entry(milliseconds: u64) -> LedgerEntry {
        LedgerEntry {
            at: UnixTime::new(0.0),
            operation: Operation::Route,
            method: Method::Post,
            url: String::new(),
            with_key: true,
            request: None,
            status: Some(200),
            took: Duration::from_millis(milliseconds),
            bytes_sent: 0,
            bytes_received: 0,
            attempt: 1,
            waited: Duration::ZERO,
            response: None,
            response_cut: false,
            error: None,
            sandbox_fault: None,
        }
    }

    #[test]
    fn the_median_is_of_the_latest_requests_and_dropped_ones_still_count() {
        let mut runs = Runs::default();
        for number in 1..=100 {
            runs.add(7, number, &entry(number));
        }
        let run = runs.get(7).unwrap();
        let median = run.quantile(0.5).unwrap();
        assert!((median - 0.050).abs() < 1e-6, "{median}");
        runs.forget(&(1..=99).collect::<Vec<_>>());
        let run = runs.get(7).unwrap();
        assert_eq!(run.size(), "100, 1 kept");
        runs.forget(&[100]);
        assert!(runs.get(7).is_none());
    }
}
