//! The workers of the endpoints: their groups, states, and the assignment of requests.
//!
//! The fleet is pure, like the market: time passes by [`Fleet::step`], workers are hired through [`Fleet::vacancies`]
//! and [`Fleet::staff`], and every choice follows from the seed and the order of the calls.

mod groups;
mod queue;
mod signature;
mod workers;

pub use groups::{CreateError, Place, default_group};
pub use signature::{PUBLIC_KEY, SignatureError, Signer};

use super::numbers::{float, since_midnight};
use super::random::{Purpose, Rng};
use super::token::Token;
use groups::Group;
use queue::Queue;
use workers::Worker;

/// The maximum work of a worker, in seconds; further requests wait in the endpoint's queue.
const MAX_QUEUE_TIME: f64 = 30.0;
/// Seconds over which load is averaged.
const LOAD_WINDOW: f64 = 10.0;
/// Seconds without load after which an unneeded worker stops.
const IDLE_LIMIT: f64 = 180.0;
/// Seconds that a new workergroup takes to find its first workers.
const HIRING: f64 = 12.0;
/// Seconds until a workergroup that found no offer tries again.
const HIRING_AGAIN: f64 = 30.0;

/// A named endpoint: the target of route requests.
#[derive(Debug, Clone)]
pub struct Endpoint {
    /// The id, unique among endpoints and workergroups.
    pub id: u64,
    /// The name in route requests.
    pub name: String,
    /// The key that requests may carry instead of the account's.
    pub api_key: Token,
    /// Creation time, seconds since 1970.
    pub created_at: f64,
    /// The number of workers that stay ready without load.
    warm: usize,
    workers: Vec<Worker>,
    /// Recently requested cost, decaying over [`LOAD_WINDOW`].
    load: f64,
    /// Seconds since the load last needed a worker.
    idle: f64,
    last_request: u64,
    /// The total cost of all requests so far, each counted once.
    injected: f64,
    queue: Queue,
}

/// A request for a worker.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RouteRequest<'a> {
    /// The name of the endpoint.
    pub endpoint: &'a str,
    /// The cost, in the endpoint's own unit.
    pub cost: f64,
    /// The index of an earlier request, which keeps its place in the queue and adds no load; 0 for a new request, which
    /// goes to the back.
    pub request_idx: u64,
    /// Seconds for which an unused assignment holds its load; `None` holds none.
    pub replay_timeout: Option<f64>,
}

/// The reply to a route request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouteReply {
    /// The index of the request at this endpoint, for polls.
    pub request_idx: u64,
    /// The id of the request, unique in the fleet.
    pub request_id: String,
    /// The worker, or the states of the workers.
    pub outcome: RouteOutcome,
}

/// The result of a route request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RouteOutcome {
    /// A worker that is ready.
    Assigned {
        /// The address of the worker.
        url: String,
        /// The number of the request at this worker, from 1.
        reqnum: u64,
    },
    /// No worker is ready yet; describes the states of the workers.
    Waiting(String),
}

/// A workergroup that needs workers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vacancy {
    /// The id of the workergroup.
    pub group: u64,
    /// The search for the machines of its workers.
    pub search: String,
    /// The maximum number of workers to hire.
    pub slots: usize,
}

/// All endpoints, with their groups and workers.
#[derive(Debug)]
pub struct Fleet {
    seed: u64,
    /// A number from which keys and request ids are derived, different in each run; 0 makes them the same.
    entropy: u64,
    start: f64,
    elapsed: f64,
    endpoints: Vec<Endpoint>,
    groups: Vec<Group>,
    next_id: u64,
    tokens: u64,
    workers_made: u64,
}

/// The initial endpoints: name, workers ready, workers stopped.
const FOUNDED: [(&str, usize, usize); 4] = [
    ("llama-70b", 4, 2),
    ("sdxl", 2, 3),
    ("whisper-large", 0, 3),
    ("empty", 0, 0),
];

impl Fleet {
    /// The simulated fleet of `seed` at `start` (seconds since 1970), with its four initial endpoints. Keys
    /// and request ids follow from `entropy`.
    pub fn new(seed: u64, start: f64, entropy: u64) -> Self {
        let mut fleet = Self {
            seed,
            entropy,
            start,
            elapsed: 0.0,
            endpoints: Vec::new(),
            groups: Vec::new(),
            next_id: 4_201,
            tokens: 0,
            workers_made: 0,
        };
        for (name, ready, stopped) in FOUNDED {
            let age = 86_400.0 * float(ready as u64 * 3 + 2) + since_midnight(start);
            let endpoint = fleet.add_endpoint(name, age);
            fleet.endpoints[endpoint].warm = ready;
            fleet.add_groups(endpoint, ready, stopped);
        }
        fleet
    }

    /// The fleet's clock, seconds since 1970.
    pub fn now(&self) -> f64 {
        self.start + self.elapsed
    }

    /// All endpoints in order of creation.
    pub fn endpoints(&self) -> &[Endpoint] {
        &self.endpoints
    }

    /// Advances the fleet's time by `seconds`: load decays, workers finish loading, idle ones stop. Does
    /// nothing unless the number is finite and above zero.
    pub fn step(&mut self, seconds: f64) {
        if !(seconds > 0.0 && seconds.is_finite()) {
            return;
        }
        self.elapsed += seconds;
        for endpoint in &mut self.endpoints {
            endpoint.step(seconds, self.elapsed);
        }
    }

    /// Assigns a request to a worker, or returns the states of the workers while it waits, in the queue only
    /// if it has a replay timeout. An index that was given before is a poll of that request, any other a new
    /// request, which gets the next index and adds load. May also wake a stopped worker. `None` if the
    /// endpoint does not exist.
    pub fn route(&mut self, request: RouteRequest<'_>) -> Option<RouteReply> {
        let elapsed = self.elapsed;
        let index = self.endpoints.iter().position(|known| known.name == request.endpoint)?;
        let request_id = self.request_id();
        let endpoint = &mut self.endpoints[index];
        // A poll repeats the index of its request, as the market's client does: only the request itself adds load. An
        // index that was never assigned is ignored.
        let request_idx = if (1..=endpoint.last_request).contains(&request.request_idx) {
            request.request_idx
        } else {
            endpoint.last_request += 1;
            endpoint.load += request.cost;
            endpoint.injected += request.cost;
            endpoint.last_request
        };
        endpoint.wake(request.cost > 0.0, elapsed);
        let outcome = endpoint.assign(request_idx, &request, elapsed);
        Some(RouteReply {
            request_idx,
            request_id,
            outcome,
        })
    }

    /// Counts the load of a request that arrived at the worker at `url`, until [`Self::finish_work`]; no
    /// effect for an unknown endpoint.
    pub fn start_work(&mut self, endpoint: &str, url: &str, request_idx: u64, cost: f64) {
        if let Some(endpoint) = self.endpoints.iter_mut().find(|known| known.name == endpoint) {
            endpoint.queue.start(url, request_idx, cost);
        }
    }

    /// Releases the load of a request that was answered, or whose client is gone.
    pub fn finish_work(&mut self, endpoint: &str, request_idx: u64) {
        if let Some(endpoint) = self.endpoints.iter_mut().find(|known| known.name == endpoint) {
            endpoint.queue.finish(request_idx);
        }
    }

    /// The workergroups that need workers now: those of callers whose time to hire has come.
    pub fn vacancies(&self) -> Vec<Vacancy> {
        let due = |group: &&Group| group.hires_at.is_some_and(|at| at <= self.elapsed);
        let vacancy = |group: &Group| Vacancy {
            group: group.record.id,
            search: group.record.search_query.clone(),
            slots: group.slots(),
        };
        self.groups.iter().filter(due).map(vacancy).collect()
    }

    /// Hires the machines at `addresses`, as many as the workergroup `group` has slots, which then load; the
    /// endpoint keeps as many more workers ready when it is idle. With no addresses, it tries again in 30 s.
    /// No effect if the group does not exist.
    pub fn staff(&mut self, group: u64, addresses: &[String]) {
        let elapsed = self.elapsed;
        let Some(group) = self.groups.iter_mut().find(|known| known.record.id == group) else {
            return;
        };
        group.hires_at = addresses.is_empty().then_some(elapsed + HIRING_AGAIN);
        let (slots, group_id, endpoint_id) = (group.slots(), group.record.id, group.record.endpoint_id);
        let Some(index) = self.endpoints.iter().position(|known| known.id == endpoint_id) else {
            return;
        };
        for address in addresses.iter().take(slots) {
            let mut worker = self.hire(group_id, address);
            worker.load(elapsed);
            let endpoint = &mut self.endpoints[index];
            endpoint.warm += 1;
            endpoint.workers.push(worker);
        }
    }

    /// The total cost of the requests that an endpoint has received, each counted once although it is polled
    /// again; `None` if the endpoint does not exist.
    pub fn load_injected(&self, endpoint: &str) -> Option<f64> {
        let endpoint = self.endpoints.iter().find(|known| known.name == endpoint)?;
        Some(endpoint.injected)
    }

    /// Whether `key` belongs to the endpoint with this name: its own or that of one of its workergroups.
    pub fn is_key_of(&self, endpoint: &str, key: &str) -> bool {
        let has_key = |known: &Endpoint| known.name == endpoint && known.api_key.expose() == key;
        let group = |known: &Group| known.record.endpoint_name == endpoint && known.api_key.expose() == key;
        self.endpoints.iter().any(has_key) || self.groups.iter().any(group)
    }

    /// The cost that the worker at an address processes per second; `None` unless it is ready.
    pub fn speed_of(&self, url: &str) -> Option<f64> {
        self.endpoints
            .iter()
            .find_map(|endpoint| workers::speed_of(&endpoint.workers, url))
    }

    /// The number of workers of an endpoint in each state: ready, loading, stopped. `None` if it does not exist.
    pub fn census(&self, endpoint: &str) -> Option<[usize; 3]> {
        let endpoint = self.endpoints.iter().find(|known| known.name == endpoint)?;
        Some(workers::census(&endpoint.workers))
    }

    /// Adds an endpoint that is `age` seconds old and returns its index.
    fn add_endpoint(&mut self, name: &str, age: f64) -> usize {
        let id = self.take_id();
        let api_key = self.token();
        self.endpoints.push(Endpoint {
            id,
            name: name.to_owned(),
            api_key,
            created_at: self.now() - age,
            warm: 0,
            workers: Vec::new(),
            load: 0.0,
            idle: 0.0,
            last_request: 0,
            injected: 0.0,
            queue: Queue::default(),
        });
        self.endpoints.len() - 1
    }

    /// A new, stopped worker of a group, on the machine at an address.
    fn hire(&mut self, group: u64, address: &str) -> Worker {
        self.workers_made += 1;
        let rng = &mut Rng::keyed(self.seed, Purpose::Worker, self.workers_made);
        Worker::new(group, address, rng)
    }

    /// The next unused id of endpoints and workergroups.
    fn take_id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id
    }

    /// A new key of 64 hexadecimal digits.
    fn token(&mut self) -> Token {
        let rng = &mut self.secret();
        let [first, second, third, fourth] = std::array::from_fn(|_| rng.next());
        Token::new(format!("{first:016x}{second:016x}{third:016x}{fourth:016x}"))
    }

    /// A new request id in the shape of a UUID.
    fn request_id(&mut self) -> String {
        let rng = &mut self.secret();
        let (high, low) = (rng.next(), rng.next());
        format!(
            "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
            high >> 32,
            high >> 16 & 0xffff,
            high & 0xfff,
            0x8000 | (low >> 48 & 0x3fff),
            low & 0xffff_ffff_ffff
        )
    }

    /// The generator for the next key or request id: different with each call, and in each run unless the
    /// seed and entropy are equal.
    fn secret(&mut self) -> Rng {
        self.tokens += 1;
        Rng::keyed(self.seed ^ self.entropy, Purpose::Token, self.tokens)
    }
}

impl Endpoint {
    /// Advances the endpoint by `seconds` to `elapsed`: load decays, loading ends, and one ready worker
    /// beyond the warm ones stops after three idle minutes.
    fn step(&mut self, seconds: f64, elapsed: f64) {
        self.load *= (-seconds / LOAD_WINDOW).exp();
        workers::step(&mut self.workers, elapsed);
        self.queue.step(elapsed);
        let [ready, ..] = workers::census(&self.workers);
        if self.load > 1.0 || ready <= self.warm || self.queue.is_worked_on() {
            self.idle = 0.0;
            return;
        }
        self.idle += seconds;
        if self.idle >= IDLE_LIMIT {
            self.idle = 0.0;
            workers::stop_last_ready(&mut self.workers);
        }
    }

    /// Assigns a ready worker to a request unless requests before it in the queue need the room, and holds
    /// its load there for its replay timeout, if it has one; else the request waits in the queue, if it has
    /// one.
    fn assign(&mut self, request_idx: u64, request: &RouteRequest<'_>, elapsed: f64) -> RouteOutcome {
        let ahead = self.queue.ahead(request_idx);
        let queue = &self.queue;
        let has_room = |worker: &Worker| queue.held(&worker.url) < MAX_QUEUE_TIME * worker.speed;
        let room: f64 = workers::ready(&self.workers)
            .map(|worker| (MAX_QUEUE_TIME * worker.speed - queue.held(&worker.url)).max(0.0))
            .sum();
        let assigned = (ahead.cost < room)
            .then(|| workers::assign(&mut self.workers, request.cost, has_room))
            .flatten();
        if let Some((url, reqnum)) = assigned {
            self.queue.leave(request_idx);
            if let Some(span) = request.replay_timeout {
                self.queue.hold(&url, request_idx, request.cost, elapsed + span);
            }
            return RouteOutcome::Assigned { url, reqnum };
        }
        // A request without a place is not queued: its next poll is a new request at the back.
        if request.replay_timeout.is_some() {
            self.queue.wait(request_idx, request.cost, elapsed);
        }
        let summary = workers::summary(&self.workers);
        RouteOutcome::Waiting(if workers::ready(&self.workers).next().is_some() {
            let requests = if ahead.requests == 1 { "request" } else { "requests" };
            format!("queued behind {} {requests}: {summary}", ahead.requests)
        } else {
            summary
        })
    }

    /// Wakes a stopped worker if the ready ones cannot handle the load and none is loading; never without
    /// `work`, as for a request of no cost.
    fn wake(&mut self, work: bool, elapsed: f64) {
        let [ready, loading, _] = workers::census(&self.workers);
        let busy = !self.queue.is_empty() || self.load / LOAD_WINDOW > 0.9 * workers::capacity(&self.workers);
        // One at a time: the one that is loading may be enough.
        if loading == 0 && (busy || ready == 0) && work {
            workers::wake_first(&mut self.workers, elapsed);
        }
    }
}
