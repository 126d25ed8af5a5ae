//! Single workers: their states, and the fair choice among those that are ready.

use super::super::random::Rng;

/// A machine that can become a worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    pub address: String,
}

/// What a worker is doing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum State {
    /// Nothing: it costs its disk only.
    Stopped,
    /// Loads its model until that moment, in seconds since the fleet began.
    Loading(f64),
    Ready,
}

#[derive(Debug, Clone)]
pub struct Worker {
    pub group: u64,
    url: String,
    state: State,
    /// Cost that it works off in a second.
    speed: f64,
    /// Seconds that it takes from stopped to ready.
    loading: f64,
    reqnum: u64,
    /// Where its queue ends on a clock that only requests move: the worker whose queue would end
    /// first gets the next request, so that shares follow speeds however fast requests come.
    queue_end: f64,
}

impl Worker {
    /// A stopped worker of a group.
    pub fn new(group: u64, address: &str, rng: &mut Rng) -> Self {
        Self {
            group,
            url: format!("https://{}:{}", address.trim(), 40_000 + rng.below(9_000)),
            state: State::Stopped,
            speed: rng.between(25.0, 75.0),
            loading: rng.between(8.0, 20.0),
            reqnum: rng.below(4_000),
            queue_end: 0.0,
        }
    }

    /// Makes it ready at once.
    pub fn ready(mut self) -> Self {
        self.state = State::Ready;
        self
    }

    pub fn load(&mut self, elapsed: f64) {
        self.state = State::Loading(elapsed + self.loading);
    }

    /// Lets it become ready when its time has come; its queue then ends at `level`, where the
    /// others' do, so that it need not catch up with their whole past.
    fn step(&mut self, elapsed: f64, level: f64) {
        if let State::Loading(until) = self.state
            && until <= elapsed
        {
            self.state = State::Ready;
            self.queue_end = level;
        }
    }

    fn is_ready(&self) -> bool {
        self.state == State::Ready
    }
}

/// Lets the workers that are loading become ready when their time has come.
pub fn step(workers: &mut [Worker], elapsed: f64) {
    let ends = workers
        .iter()
        .filter(|worker| worker.is_ready())
        .map(|worker| worker.queue_end);
    let level = ends.reduce(f64::min).unwrap_or(0.0);
    for worker in workers {
        worker.step(elapsed, level);
    }
}

/// Gives a request of `cost` to the ready worker whose queue would end first: its address, and
/// the count of its requests. Nothing when none is ready.
pub fn assign(workers: &mut [Worker], cost: f64) -> Option<(String, u64)> {
    let worker = workers
        .iter_mut()
        .filter(|worker| worker.is_ready())
        .map(|worker| (worker.queue_end + cost.max(1.0) / worker.speed, worker))
        .min_by(|(left, _), (right, _)| left.total_cmp(right))
        .map(|(end, worker)| {
            worker.queue_end = end;
            worker
        })?;
    worker.reqnum += 1;
    Some((worker.url.clone(), worker.reqnum))
}

/// How many are ready, loading and stopped.
pub fn census(workers: &[Worker]) -> [usize; 3] {
    workers
        .iter()
        .fold([0; 3], |[ready, loading, stopped], worker| {
            match worker.state {
                State::Ready => [ready + 1, loading, stopped],
                State::Loading(_) => [ready, loading + 1, stopped],
                State::Stopped => [ready, loading, stopped + 1],
            }
        })
}

/// The states in words, for a status reply.
pub fn summary(workers: &[Worker]) -> String {
    let [ready, loading, stopped] = census(workers);
    if workers.is_empty() {
        return "no workers".to_owned();
    }
    let parts = [
        (ready, "ready"),
        (loading, "model_loading"),
        (stopped, "stopped"),
    ];
    let named = parts.iter().filter(|(count, _)| *count > 0);
    named
        .map(|(count, state)| format!("{count} {state}"))
        .collect::<Vec<_>>()
        .join(", ")
}

/// Cost that the ready ones work off in a second.
pub fn capacity(workers: &[Worker]) -> f64 {
    workers
        .iter()
        .filter(|worker| worker.is_ready())
        .map(|worker| worker.speed)
        .sum()
}

/// Starts the first stopped one.
pub fn wake_first(workers: &mut [Worker], elapsed: f64) {
    if let Some(worker) = workers
        .iter_mut()
        .find(|worker| worker.state == State::Stopped)
    {
        worker.load(elapsed);
    }
}

/// Stops the last ready one.
pub fn stop_last(workers: &mut [Worker]) {
    if let Some(worker) = workers.iter_mut().rev().find(|worker| worker.is_ready()) {
        worker.state = State::Stopped;
    }
}
