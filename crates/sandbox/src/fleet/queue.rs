//! The requests of an endpoint that wait for a worker, and the load of assignments.

use std::collections::BTreeMap;

/// Seconds after its last poll at which a waiting request is dropped.
///
/// The market's own client polls at least every five seconds.
const GIVEN_UP: f64 = 60.0;

/// The queue of an endpoint, in the order of the requests' indices.
///
/// A request that is polled keeps its place, a new one goes to the back.
#[derive(Debug, Clone, Default)]
pub struct Queue {
    waiting: BTreeMap<u64, Waiting>,
    holds: Vec<Hold>,
}

#[derive(Debug, Clone, Copy)]
struct Waiting {
    cost: f64,
    /// The time it is dropped, in seconds since the fleet started.
    until: f64,
}

/// The load of an assignment.
#[derive(Debug, Clone)]
struct Hold {
    url: String,
    request_idx: u64,
    cost: f64,
    /// The time it is released, in seconds since the fleet started; infinite while its worker has the request.
    until: f64,
}

/// The number and load of the requests before one in the queue.
#[derive(Debug, Clone, Copy)]
pub struct Ahead {
    pub requests: usize,
    pub cost: f64,
}

impl Queue {
    /// Whether no request of the endpoint waits for a worker; those that workers have do not count.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Drops requests and releases loads whose time is over at `elapsed`.
    pub fn step(&mut self, elapsed: f64) {
        self.waiting.retain(|_, waiting| waiting.until > elapsed);
        self.holds.retain(|hold| hold.until > elapsed);
    }

    /// The number and total cost of the waiting requests with a lower index.
    pub fn ahead(&self, request_idx: u64) -> Ahead {
        let before = || self.waiting.range(..request_idx);
        Ahead {
            requests: before().count(),
            cost: before().map(|(_, waiting)| waiting.cost).sum(),
        }
    }

    /// Adds a request to those that wait, or extends its time after a poll: it is dropped 60 s after
    /// `elapsed`.
    pub fn wait(&mut self, request_idx: u64, cost: f64, elapsed: f64) {
        let until = elapsed + GIVEN_UP;
        self.waiting.insert(request_idx, Waiting { cost, until });
    }

    /// Removes a request that has its worker.
    pub fn leave(&mut self, request_idx: u64) {
        self.waiting.remove(&request_idx);
    }

    /// Holds the load of an assignment at the worker at `url` until `until`, in seconds since the fleet
    /// started, or until it is released.
    pub fn hold(&mut self, url: &str, request_idx: u64, cost: f64, until: f64) {
        let url = url.to_owned();
        self.holds.push(Hold {
            url,
            request_idx,
            cost,
            until,
        });
    }

    /// Holds the load of a request that is at its worker, in place of its assignment's, until
    /// [`Self::finish`].
    pub fn start(&mut self, url: &str, request_idx: u64, cost: f64) {
        self.finish(request_idx);
        self.hold(url, request_idx, cost, f64::INFINITY);
    }

    /// Releases the load of a request or its assignment; no effect if it holds none.
    pub fn finish(&mut self, request_idx: u64) {
        self.holds.retain(|hold| hold.request_idx != request_idx);
    }

    /// Whether any worker has a request.
    pub fn is_worked_on(&self) -> bool {
        self.holds.iter().any(|hold| hold.until.is_infinite())
    }

    /// The load held by the worker at an address.
    pub fn held(&self, url: &str) -> f64 {
        let holds = self.holds.iter().filter(|hold| hold.url == url);
        holds.map(|hold| hold.cost).sum()
    }
}
