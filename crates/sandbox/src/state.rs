//! The state of a running sandbox, and the operations on it.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use axum::body::Bytes;
use bourse_domain::query::DEFAULT_STORAGE_GB;
use bourse_domain::workergroup::GroupChange;
use bourse_domain::{OFFERS, VOLUMES};
use serde::Serialize;
use serde_json::{Map, Value as Json, json};

use super::answer::Refusal;
use super::call::Call;
use super::faults::{Created, Faults};
use super::fleet::{RouteOutcome, RouteReply, RouteRequest, Signer, default_group};
use super::latency::Delays;
use super::ledger::{Commit, Credential, Ledger};
use super::market::{DEFAULT_VOLUME, FROZEN_AT, Market, MarketConfig};
use super::numbers::unsigned;
use super::pacing::Pacer;
use super::search::{Hits, Search, pick};
use super::token::Token;
use super::workers::Workers;
use super::world::World;
use super::{ChangeStore, GroupStore, SandboxConfig, USER, UnlistStore, UserListing, groups};

/// Seconds that pass for the fleet of a frozen sandbox with each route request.
///
/// Workers start in a frozen sandbox too, and their progress depends on the requests alone.
const FROZEN_STEP: f64 = 1.0;

/// The number of latest created workergroups that are stored.
const MOST_CREATED: usize = 1000;

/// The default cost of a route request (specification, "Route").
const DEFAULT_COST: u32 = 100;

#[derive(Debug)]
pub struct State {
    /// The key that callers must send.
    pub key: Token,
    /// Whether only requests for loopback names are answered.
    pub loopback_only: bool,
    pub frozen: bool,
    pub ledger: Ledger,
    pub faults: Arc<Faults>,
    pub delays: Delays,
    world: Mutex<World>,
    pacer: Mutex<Pacer>,
    group_store: Option<GroupStore>,
    unlist_store: Option<UnlistStore>,
    /// The reason the latest failed change could not be saved, until it is taken.
    unsaved: Mutex<Option<String>>,
    pub signer: Signer,
    /// The servers of the workers.
    pub workers: Workers,
    signatures: Mutex<HashMap<String, String>>,
    created: Mutex<Vec<Created>>,
}

impl State {
    /// The state of a new sandbox, whose market starts now, or at its configured time if frozen. The
    /// configured workergroups are restored, and the configured listings removed.
    ///
    /// `key` is the account's; `entropy` makes other keys and request ids differ from those of other runs.
    pub fn new(config: &SandboxConfig, key: Token, entropy: u64) -> io::Result<Self> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = match now {
            _ if config.freeze => config.market.start,
            Ok(now) => now.as_secs_f64(),
            Err(_) => FROZEN_AT,
        };
        let world = World::new(config, now, entropy)?;
        let seed = config.market.seed;
        let ledger = Ledger::new(config.keeps_ledger);
        let faults = Faults::new(
            seed,
            config.faults.clone().unwrap_or_default(),
            config.fault_times,
            ledger.clone(),
        );
        Ok(Self {
            key,
            loopback_only: config.listen.ip().is_loopback(),
            frozen: config.freeze,
            ledger,
            faults: Arc::new(faults),
            delays: Delays::new(seed, config.latency),
            world: Mutex::new(world),
            pacer: Mutex::new(Pacer::new(config.rate_limits)),
            group_store: config.group_store.clone(),
            unlist_store: config.unlist_store.clone(),
            unsaved: Mutex::default(),
            signer: Signer::new().map_err(io::Error::other)?,
            workers: Workers::new(),
            signatures: Mutex::default(),
            created: Mutex::default(),
        })
    }

    /// The kind of key in an `Authorization` header; `None` is a request without the header.
    pub fn credential(&self, header: Option<&[u8]>) -> Credential {
        match header {
            None => Credential::None,
            Some(text) if bearer(text) == Some(self.key.expose().as_bytes()) => Credential::Account,
            Some(_) => Credential::Other,
        }
    }

    /// Applies the rate limit of a call: an error if it comes too soon after the last one.
    pub fn pace(&self, call: Call) -> Result<(), Refusal> {
        let mut pacer = self.pacer.lock().unwrap_or_else(PoisonError::into_inner);
        pacer.ask(call, Instant::now())
    }

    /// The response body with the offers that match the search in a body; an error if that is invalid.
    pub fn search_offers(&self, body: Map<String, Json>) -> Result<Bytes, Refusal> {
        let search = Search::read(&OFFERS, body)?;
        Ok(found_offers(&self.world().market, &search))
    }

    /// The response body with the network volumes that match the search in a body; an error if that is
    /// invalid.
    pub fn search_volumes(&self, body: Map<String, Json>) -> Result<Bytes, Refusal> {
        let search = Search::read(&VOLUMES, body)?;
        Ok(found_volumes(&self.world().market, &search))
    }

    /// The volumes of single machines that match the search in a body, in the shape of their machines' offers.
    ///
    /// The specification does not have this search; the market's own client does.
    pub fn search_local_volumes(&self, body: Map<String, Json>) -> Result<Bytes, Refusal> {
        let search = Search::read(&OFFERS, body)?;
        let terms = search.terms(DEFAULT_VOLUME);
        let world = self.world();
        let hits = pick(world.market.local_volumes(terms), Clone::clone, &search);
        Ok(found("{\"success\":true,\"offers\":[", hits, |row| row))
    }

    /// The configuration of the market; `None` if its clock is frozen.
    pub fn moving_market(&self) -> Option<MarketConfig> {
        (!self.frozen).then(|| self.world().market.config())
    }

    /// The caller's volume listings as of the last request, network volumes first.
    ///
    /// To advance would save a file, and programs ask for the listings before they handle the signal of a file at
    /// its limit.
    pub fn user_listings(&self) -> Vec<UserListing> {
        let world = self.world.lock().unwrap_or_else(PoisonError::into_inner);
        world.market.user_listings()
    }

    /// Unlists the caller's volume with the id in a body, saves and records that; returns the response's
    /// JSON. An error if the body has unknown members or no id, or if the caller has no such listing or it is
    /// rented.
    pub fn unlist(&self, body: &Map<String, Json>) -> Result<Json, Refusal> {
        if let Some(name) = body
            .keys()
            .find(|name| !["id", "client_id", "api_key"].contains(&name.as_str()))
        {
            return Err(Refusal::invalid(format!("{name} is not a parameter of unlisting")));
        }
        let sent = body
            .get("id")
            .filter(|id| !id.is_null())
            .ok_or_else(|| Refusal::arguments("You must pass in `id` in the body of the request"))?;
        let id = groups::count("id", sent)?;
        let unlisted = self.world().market.unlist(id);
        unlisted.map_err(|error| Refusal::arguments(error.to_string()))?;
        self.save(self.unlist_store.as_ref(), id);
        self.commit(Call::Unlist, id, false);
        Ok(json!({ "success": true, "msg": format!("Unlisted Volume {id}.") }))
    }

    /// The response body with all workergroups; counts one more listing for each created in this run.
    pub fn workergroups(&self) -> Bytes {
        for created in self.created().iter_mut() {
            created.listings += 1;
        }
        let world = self.world();
        list("{\"success\":true,\"results\":[", world.fleet.workergroups(), "]}")
    }

    /// Creates the workergroup in a body, as if by another client if `is_foreign`, saves and records it;
    /// returns JSON with its id. An error if the body is invalid, its endpoint id is unknown, or there is no
    /// room.
    pub fn create_workergroup(&self, body: &Map<String, Json>, is_foreign: bool) -> Result<Json, Refusal> {
        let mut group = default_group();
        let place = groups::apply(body, &mut group)?;
        let created = self.world().fleet.create(group, place);
        let id = created.map_err(|error| Refusal::arguments(error.to_string()))?;
        self.save_group(id);
        self.commit(Call::Create, id, is_foreign);
        let mut created = self.created();
        if created.len() >= MOST_CREATED {
            created.remove(0);
        }
        created.push(Created { id, listings: 0 });
        Ok(json!({ "success": true, "id": id }))
    }

    /// Changes the settings in a body of the workergroup with an id and saves it; an endpoint in the body is
    /// ignored. An error if it does not exist or the body is invalid, then nothing changes.
    pub fn update_workergroup(&self, id: u64, body: &Map<String, Json>) -> Result<Json, Refusal> {
        if let Some(settings) = self.world().fleet.settings(id) {
            let mut changed = settings.clone();
            groups::apply(body, &mut changed)?;
            *settings = changed;
        } else {
            return known_group(false);
        }
        self.save_group(id);
        known_group(true)
    }

    /// Deletes a workergroup and its workers, and saves that; an error if it does not exist.
    pub fn delete_workergroup(&self, id: u64) -> Result<Json, Refusal> {
        let (made, known) = {
            let mut world = self.world();
            (world.fleet.made_group(id), world.fleet.delete(id))
        };
        if let Some(made) = made {
            self.save(self.group_store.as_ref(), GroupChange::Deleted(made));
        }
        known_group(known)
    }

    /// Saves a group, so that it outlives the sandbox; no effect on one that no caller created.
    fn save_group(&self, id: u64) {
        let made = self.world().fleet.made_group(id);
        if let Some(made) = made {
            self.save(self.group_store.as_ref(), GroupChange::Put(made));
        }
    }

    /// Saves a change, if there is a store, and stores the reason for [`Self::take_unsaved`] if that fails.
    fn save<T>(&self, store: Option<&ChangeStore<T>>, change: T) {
        if let Some(Err(why)) = store.map(|store| store.save(change)) {
            *self.unsaved() = Some(why);
        }
    }

    /// Takes the reason the latest failed change could not be saved; `None` if none has failed since the last
    /// call.
    pub fn take_unsaved(&self) -> Option<String> {
        self.unsaved().take()
    }

    /// Locks the reason the latest failed change could not be saved, `None` if none has failed or it was
    /// taken.
    fn unsaved(&self) -> MutexGuard<'_, Option<String>> {
        self.unsaved.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The response's JSON with all endpoints and their keys.
    pub fn endpoints(&self) -> Json {
        let world = self.world();
        let record = |endpoint: &super::fleet::Endpoint| {
            json!({
                "id": endpoint.id,
                "endpoint_name": endpoint.name,
                "api_key": endpoint.api_key.expose(),
                "created_at": endpoint.created_at,
                "user_id": USER,
                "endpoint_state": "active",
                "min_load": 1.0,
                "target_util": 0.9,
                "cold_mult": 3.0,
                "cold_workers": 3,
                "max_workers": 20,
            })
        };
        let results: Vec<Json> = world.fleet.endpoints().iter().map(record).collect();
        json!({ "success": true, "results": results })
    }

    /// Creates the endpoint named in a body; returns JSON with its id, that of an existing one with the name.
    /// An error if the name is missing or blank, or there is no room.
    pub fn create_endpoint(&self, body: &Map<String, Json>) -> Result<Json, Refusal> {
        let name = groups::endpoint(body)?;
        let created = self.world().fleet.create_endpoint(&name);
        let id = created.map_err(|error| Refusal::arguments(error.to_string()))?;
        Ok(json!({ "success": true, "result": id }))
    }

    /// The response's JSON with the names of all GPU models.
    pub fn gpu_names(&self) -> Json {
        json!({ "gpu_names": self.world().market.gpu_names() })
    }

    /// Assigns a worker to the route request in a body; returns the JSON of the assignment or of the workers'
    /// states. An error without a valid key, for unknown members and values, and for an unknown endpoint; a
    /// request with a place in a queue gets the last as JSON with `error_msg`. In a frozen sandbox it
    /// advances the fleet's time.
    ///
    /// The caller can send the key of the endpoint (or of one of its workergroups) instead of the account's.
    pub fn route(self: &Arc<Self>, body: &Map<String, Json>, header: Option<&[u8]>) -> Result<Json, Refusal> {
        const KNOWN: [&str; 8] = [
            "endpoint",
            "endpoint_id",
            "cost",
            "request_idx",
            "api_key",
            "replay_timeout",
            "latency",
            "guid",
        ];
        let account = self.credential(header) == Credential::Account;
        let endpoint = self.endpoint_named(body);
        let key = header.and_then(bearer).and_then(|key| str::from_utf8(key).ok());
        let opens = |name: &str| key.is_some_and(|key| self.world().fleet.is_key_of(name, key));
        if !account && !endpoint.as_ref().is_ok_and(|name| opens(name)) {
            return Err(Refusal::key(header.is_none()));
        }
        if let Some(name) = body.keys().find(|name| !KNOWN.contains(&name.as_str())) {
            return Err(Refusal::invalid(format!("{name} is not a parameter of routing")));
        }
        let endpoint = endpoint?;
        let sent = body.get("cost").filter(|cost| !cost.is_null());
        let echo = sent.cloned().unwrap_or_else(|| json!(DEFAULT_COST));
        let request = RouteRequest {
            endpoint: &endpoint,
            cost: groups::amount("cost", &echo)?,
            request_idx: match body.get("request_idx") {
                None | Some(Json::Null) => 0,
                Some(number) => groups::count("request_idx", number)?,
            },
            replay_timeout: match body.get("replay_timeout") {
                None | Some(Json::Null) => None,
                Some(seconds) => Some(groups::amount("replay_timeout", seconds)?),
            },
        };
        let reply = {
            let mut world = self.world();
            let reply = world.fleet.route(request);
            if self.frozen {
                world.fleet.step(FROZEN_STEP);
                world.hire();
            }
            reply
        };
        match reply {
            Some(reply) => self.route_reply(&endpoint, &echo, &reply),
            // The public service refuses with a good status.
            None if names_place(body) => Ok(json!({ "error_msg": format!("endpoint {endpoint} not found") })),
            None => Err(unknown_endpoint()),
        }
    }

    /// The name of the endpoint in a body, given by name or else by id; an error if both are missing, the
    /// name is blank, or there is no endpoint with the id. A name is not checked further.
    fn endpoint_named(&self, body: &Map<String, Json>) -> Result<String, Refusal> {
        match (body.get("endpoint"), body.get("endpoint_id")) {
            (Some(name), _) => groups::non_blank_text("endpoint", name),
            (None, Some(id)) => {
                let id = groups::count("endpoint_id", id)?;
                let world = self.world();
                let known = world.fleet.endpoints().iter().find(|known| known.id == id);
                known.map(|known| known.name.clone()).ok_or_else(unknown_endpoint)
            }
            (None, None) => Err(unknown_endpoint()),
        }
    }

    /// The response's JSON for a route: the signed address of the worker, which then listens, or a status. An
    /// assignment is recorded.
    fn route_reply(self: &Arc<Self>, endpoint: &str, cost: &Json, reply: &RouteReply) -> Result<Json, Refusal> {
        let (idx, id) = (reply.request_idx, &reply.request_id);
        Ok(match &reply.outcome {
            RouteOutcome::Assigned { url: machine, reqnum } => {
                let opened = self.workers.open(self, machine);
                let url = opened.map_err(|error| Refusal::failure(format!("the worker cannot listen: {error}")))?;
                self.commit(Call::Route, *reqnum, false);
                // `request_idx` is not in the specification, but workers reject requests without it.
                json!({ "endpoint": endpoint, "signature": self.signature(&url)?, "url": url, "cost": cost,
                    "reqnum": reqnum, "__request_id": id, "request_idx": idx })
            }
            // Never with `url`: the market's own client takes even a null one for an assignment and
            // retries without a pause.
            RouteOutcome::Waiting(status) => {
                json!({ "endpoint": endpoint, "status": status, "__request_id": id, "request_idx": idx })
            }
        })
    }

    /// The signature of a worker's address, which is cached, as it depends on nothing else.
    fn signature(&self, url: &str) -> Result<String, Refusal> {
        let mut known = self.signatures.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(signature) = known.get(url) {
            return Ok(signature.clone());
        }
        let signature = self
            .signer
            .sign(url)
            .map_err(|error| Refusal::failure(error.to_string()))?;
        known.insert(url.to_owned(), signature.clone());
        Ok(signature)
    }

    /// The cost that the worker of a machine processes per second; `None` unless it is ready.
    pub fn speed_of(&self, machine: &str) -> Option<f64> {
        self.world().fleet.speed_of(machine)
    }

    /// Counts a request of `cost` at the worker of a machine; see `Fleet::start_work`.
    pub fn start_work(&self, endpoint: &str, machine: &str, request_idx: u64, cost: f64) {
        self.world().fleet.start_work(endpoint, machine, request_idx, cost);
    }

    /// Releases the load of a request that its worker finished; see `Fleet::finish_work`.
    pub fn finish_work(&self, endpoint: &str, request_idx: u64) {
        self.world().fleet.finish_work(endpoint, request_idx);
    }

    /// The time a worker of `speed` (cost per second) takes for a unit of cost; zero in a frozen sandbox.
    pub fn work_time(&self, speed: f64) -> Duration {
        if self.frozen {
            return Duration::ZERO;
        }
        Duration::try_from_secs_f64(1.0 / speed).unwrap_or_default()
    }

    /// The fleet's clock in seconds since 1970.
    pub fn seconds(&self) -> u64 {
        unsigned(self.world().fleet.now().floor())
    }

    /// The latest 1000 workergroups created since the start, oldest first.
    pub fn created(&self) -> MutexGuard<'_, Vec<Created>> {
        self.created.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records a change that a request made in the ledger.
    fn commit(&self, call: Call, id: u64, is_foreign: bool) {
        self.ledger.commit(Commit { call, id, is_foreign });
    }

    /// Locks the market and the fleet, advanced to the present, a sped-up market by a week at most, with
    /// workers hired where they are due; a frozen sandbox stays at its start.
    fn world(&self) -> MutexGuard<'_, World> {
        let mut world = self.world.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.frozen {
            world.advance(Instant::now());
        }
        world
    }

    /// Saves the run of the market, if there is a store for it.
    pub fn save_run(&self) {
        let mut world = self.world.lock().unwrap_or_else(PoisonError::into_inner);
        world.save_run(1);
    }
}

/// The key in a bearer `Authorization` header, without blanks around it; `None` if it has another scheme.
fn bearer(header: &[u8]) -> Option<&[u8]> {
    let (scheme, key) = header.split_at_checked(7)?;
    scheme.eq_ignore_ascii_case(b"bearer ").then(|| key.trim_ascii())
}

/// Whether a route request has a `request_idx` or `replay_timeout`, as those of the public service's clients.
fn names_place(body: &Map<String, Json>) -> bool {
    body.contains_key("request_idx") || body.contains_key("replay_timeout")
}

/// The error for a route request without a known endpoint.
fn unknown_endpoint() -> Refusal {
    Refusal::arguments("Invalid endpoint or missing required parameters")
}

/// The JSON of success if a workergroup is `known`, else the error that it does not exist.
fn known_group(known: bool) -> Result<Json, Refusal> {
    let missing = || Refusal::missing("Workergroup does not exist");
    known.then(|| json!({ "success": true })).ok_or_else(missing)
}

/// The JSON response body of a search of offers, in its order and up to its limit.
pub(super) fn found_offers(market: &Market, search: &Search) -> Bytes {
    let terms = search.terms(DEFAULT_STORAGE_GB);
    let hits = pick(market.listed(), |listed| market.row(*listed, terms), search);
    found("{\"offers\":[", hits, |listed| market.row(listed, terms))
}

/// The JSON response body of a search of network volumes, in its order and up to its limit.
pub(super) fn found_volumes(market: &Market, search: &Search) -> Bytes {
    let storage = search.terms(DEFAULT_VOLUME).storage;
    let hits = pick(market.volumes(storage), Clone::clone, search);
    found("{\"success\":true,\"offers\":[", hits, |row| row)
}

/// A JSON object with the records of a search, and whether its limit cut off some. `head` is its text before the
/// records.
fn found<T, R: Serialize>(head: &str, hits: Hits<T>, row: impl Fn(T) -> R) -> Bytes {
    let end = format!("],\"truncated\":{}}}", hits.is_truncated);
    list(head, hits.items.into_iter().map(row), &end)
}

/// A JSON object written record by record: `head`, the records separated by commas, and `end`.
fn list(head: &str, rows: impl Iterator<Item = impl Serialize>, end: &str) -> Bytes {
    let mut body = head.as_bytes().to_vec();
    for (index, row) in rows.enumerate() {
        let start = body.len();
        if index > 0 {
            body.push(b',');
        }
        // Rows are plain numbers and texts, so writing one to memory cannot fail. If it ever did,
        // the list would still be JSON.
        if serde_json::to_writer(&mut body, &row).is_err() {
            body.truncate(start);
        }
    }
    body.extend_from_slice(end.as_bytes());
    body.into()
}
