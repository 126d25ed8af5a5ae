//! Single workers: their states, and the fair choice among the ready ones.

use super::super::random::Rng;

#[derive(Debug, Clone, Copy, PartialEq)]
enum State {
    /// Stopped: only its disk is billed.
    Stopped,
    /// Loading its model until this time, in seconds since the fleet started.
    Loading(f64),
    Ready,
}

#[derive(Debug, Clone)]
pub struct Worker {
    pub group: u64,
    pub url: String,
    state: State,
    /// Cost processed per second.
    pub speed: f64,
    /// Seconds from stopped to ready.
    loading: f64,
    reqnum: u64,
    /// The time when its queue is empty, on a clock that only requests advance.
    ///
    /// The worker whose queue empties first receives the next request, so that shares follow speeds however fast
    /// requests arrive.
    queue_end: f64,
}

impl Worker {
    /// A stopped worker of a group, on a random port of the machine at an IP address.
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

    /// The worker in the state ready.
    pub fn ready(mut self) -> Self {
        self.state = State::Ready;
        self
    }

    /// Starts to load its model at `elapsed`, in seconds since the fleet started.
    pub fn load(&mut self, elapsed: f64) {
        self.state = State::Loading(elapsed + self.loading);
    }

    /// Makes it ready if its loading is done at `elapsed`.
    ///
    /// Its queue then ends at `level`, like the others', so that it need not catch up with their past.
    fn step(&mut self, elapsed: f64, level: f64) {
        if let State::Loading(until) = self.state
            && until <= elapsed
        {
            self.state = State::Ready;
            self.queue_end = level;
        }
    }

    /// Whether it takes requests: it has loaded its model and is not stopped.
    fn is_ready(&self) -> bool {
        self.state == State::Ready
    }
}

/// Makes those workers ready that have finished loading at `elapsed`, in seconds since the fleet started.
pub fn step(workers: &mut [Worker], elapsed: f64) {
    let ends = ready(workers).map(|worker| worker.queue_end);
    let level = ends.reduce(f64::min).unwrap_or(0.0);
    for worker in workers {
        worker.step(elapsed, level);
    }
}

/// The workers that are ready.
pub fn ready(workers: &[Worker]) -> impl Iterator<Item = &Worker> {
    workers.iter().filter(|worker| worker.is_ready())
}

/// Assigns a request of `cost` (at least 1) to the ready worker with room that would finish it first; returns
/// its address and the number of the request there. `None` if there is none.
pub fn assign(workers: &mut [Worker], cost: f64, has_room: impl Fn(&Worker) -> bool) -> Option<(String, u64)> {
    let worker = workers
        .iter_mut()
        .filter(|worker| worker.is_ready() && has_room(worker))
        .map(|worker| (worker.queue_end + cost.max(1.0) / worker.speed, worker))
        .min_by(|(left, _), (right, _)| left.total_cmp(right))
        .map(|(end, worker)| {
            worker.queue_end = end;
            worker
        })?;
    worker.reqnum += 1;
    Some((worker.url.clone(), worker.reqnum))
}

/// The cost that the worker at an address processes per second; `None` unless it is ready.
pub fn speed_of(workers: &[Worker], url: &str) -> Option<f64> {
    let worker = workers.iter().find(|worker| worker.url == url)?;
    worker.is_ready().then_some(worker.speed)
}

/// The number of workers that are ready, loading and stopped.
pub fn census(workers: &[Worker]) -> [usize; 3] {
    workers
        .iter()
        .fold([0; 3], |[ready, loading, stopped], worker| match worker.state {
            State::Ready => [ready + 1, loading, stopped],
            State::Loading(_) => [ready, loading + 1, stopped],
            State::Stopped => [ready, loading, stopped + 1],
        })
}

/// Describes the states of workers, for a status reply: `2 ready, 1 model_loading, 1 stopped`, without those
/// of which there is none; `no workers` for an empty list.
pub fn summary(workers: &[Worker]) -> String {
    let [ready, loading, stopped] = census(workers);
    if workers.is_empty() {
        return "no workers".to_owned();
    }
    let parts = [(ready, "ready"), (loading, "model_loading"), (stopped, "stopped")];
    let named = parts.iter().filter(|(count, _)| *count > 0);
    named
        .map(|(count, state)| format!("{count} {state}"))
        .collect::<Vec<_>>()
        .join(", ")
}

/// The cost that the ready workers process per second.
pub fn capacity(workers: &[Worker]) -> f64 {
    ready(workers).map(|worker| worker.speed).sum()
}

/// Starts to load the first stopped worker, if there is one.
pub fn wake_first(workers: &mut [Worker], elapsed: f64) {
    if let Some(worker) = workers.iter_mut().find(|worker| worker.state == State::Stopped) {
        worker.load(elapsed);
    }
}

/// Stops the last worker that is ready, if there is one.
pub fn stop_last_ready(workers: &mut [Worker]) {
    if let Some(worker) = workers.iter_mut().rev().find(|worker| worker.is_ready()) {
        worker.state = State::Stopped;
    }
}
