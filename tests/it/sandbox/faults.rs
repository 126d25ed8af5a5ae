//! The client against every fault of the sandbox on every operation that it applies to.
//!
//! The sandbox's ledger, read in process, is the truth that verdicts are held to. The clock of the
//! client jumps where a server falls silent, so that no deadline is waited for.

use std::collections::BTreeMap;
use std::time::Duration;

use bourse::api::{
    ApiError, Client, ClientConfig, ErrorBody, Operation, Origin, Outcome, Reply, Request,
    RouteCall, Secret,
};
use bourse::domain::workergroup::NewWorkergroup;
use bourse::domain::{Dialect, Query, Resource, Untrusted};
use bourse::sandbox::faults::{
    self, CATALOGUE, ConnectionFault, Fault, FaultSpec, FaultTimes, Group, Lane, Profile, Stage,
};
use bourse::sandbox::ledger::{Commit, Struck};
use bourse::sandbox::market::MarketConfig;
use bourse::sandbox::{Call, SandboxConfig};

use crate::repository::docs::check;
use crate::support::{Server, frozen};

/// Hits of each fault on each operation that a run must have.
const HITS: u32 = 5;

/// Short times: connections that stay silent outlive every test all the same.
const TIMES: FaultTimes = FaultTimes {
    slow: Duration::from_millis(5),
    dribble: Duration::from_millis(20),
    silence: Duration::from_secs(60),
    refusing: Duration::from_millis(20),
};

fn sandbox(spec: &str, seed: u64, times: FaultTimes) -> Server {
    Server::start(SandboxConfig {
        faults: Some(spec.parse().unwrap()),
        fault_times: times,
        market: MarketConfig {
            seed,
            offers: 8,
            // Every fifteenth is a listing of the caller's.
            volumes: 300,
            ..MarketConfig::default()
        },
        ..frozen()
    })
}

fn client(server: &Server) -> Client {
    let origin = Origin::parse(&server.running.base_url()).unwrap();
    Client::new(ClientConfig {
        management: origin.clone(),
        route: origin,
        dialect: &Dialect::DOCUMENTED,
        key: Some(Secret::new(server.running.key())),
    })
    .unwrap()
}

/// The request of an operation; an unlisting of a listing that is still there.
fn request(call: Call, server: &Server) -> Request {
    let search = |resource| {
        Request::Search(Query {
            limit: Some(5),
            ..Query::empty(resource)
        })
    };
    match call {
        Call::Offers => search(Resource::Offers),
        Call::Volumes => search(Resource::Volumes),
        Call::Unlist => {
            let commits = server.running.ledger().commits();
            let listed = server.running.own_listings().iter().find(|listing| {
                let is_gone =
                    |commit: &Commit| commit.call == Call::Unlist && commit.id == listing.id;
                !listing.rented && !commits.iter().any(is_gone)
            });
            let id = listed.map_or(1, |listing| i64::try_from(listing.id).unwrap());
            Request::UnlistVolume { id }
        }
        Call::Groups => Request::ListWorkergroups,
        Call::Create => Request::CreateWorkergroup(NewWorkergroup {
            endpoint_name: Some("llama-70b".to_owned()),
            ..NewWorkergroup::default()
        }),
        Call::Route => Request::Route(RouteCall {
            endpoint: "llama-70b".to_owned(),
            cost: 100.0,
            key: None,
        }),
    }
}

/// What a client told, in the words of the catalogue.
fn told(result: &Result<Reply, ApiError>) -> &'static str {
    result
        .as_ref()
        .map_or_else(ApiError::headline, |_| "response")
}

/// A client with a clock of its own.
struct Caller {
    runtime: tokio::runtime::Runtime,
    client: Client,
}

impl Caller {
    fn new(server: &Server) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let client = client(server);
        Self { runtime, client }
    }

    /// Sends a request. Once the sandbox has made a fault that keeps silent, the clock jumps to
    /// whatever deadline comes next.
    fn send(&self, server: &Server, call: Call, silence: Option<&Fault>) -> Outcome {
        let request = request(call, server);
        let ledger = server.running.ledger();
        let before = (ledger.strikes().len(), ledger.commits().len());
        // A write that is done must be done before its caller gives up, or it counts for the next.
        let commits = silence.is_some_and(|fault| {
            fault.stage == Stage::Done && matches!(call, Call::Unlist | Call::Create)
        });
        let is_made =
            || ledger.strikes().len() > before.0 && (!commits || ledger.commits().len() > before.1);
        self.runtime.block_on(async {
            let jump = async {
                while silence.is_none() || !is_made() {
                    tokio::time::sleep(Duration::from_millis(1)).await;
                }
                tokio::time::pause();
                std::future::pending().await
            };
            tokio::select! {
                outcome = self.client.call(&request) => outcome,
                () = jump => unreachable!(),
            }
        })
    }
}

/// What a client should tell of a fault: as the catalogue has it, where it names one kind of error
/// for all operations.
fn expected(fault: &Fault, call: Call) -> &'static [&'static str] {
    let is_list = matches!(call, Call::Offers | Call::Volumes | Call::Groups);
    match (fault.name, call) {
        // The interface of some markets has no volumes.
        ("status_404", Call::Volumes) => &["not supported here"],
        ("status_404", _) => &["request rejected"],
        // A route answer without a worker's address is a status.
        ("key_missing" | "all_null", Call::Route) => &["response"],
        ("key_missing", _) => &["unexpected response"],
        // Of a record, optional members may be anything; an answer about one thing needs its id.
        ("all_null" | "wrong_types" | "positional", _) if is_list => &["response"],
        ("all_null" | "wrong_types" | "positional", _) => &["unexpected response"],
        ("odd_numbers", Call::Create) => &["response", "unexpected response"],
        ("odd_numbers", _) => &["response"],
        _ => fault.told,
    }
}

/// One call that a fault struck.
struct Hit {
    fault: &'static Fault,
    call: Call,
    label: String,
    outcome: Outcome,
    /// What the caller's own requests changed.
    commits: Vec<Commit>,
    /// Requests that the sandbox read.
    arrived: usize,
}

impl Hit {
    /// What is wrong with it, if anything is.
    fn complaint(&self, key: &str) -> Option<String> {
        let told = told(&self.outcome.result);
        let expected = expected(self.fault, self.call);
        let wrong = if !expected.contains(&told) {
            format!("told \"{told}\", expected {expected:?}")
        } else if let Some(why) = self.false_verdict() {
            why
        } else if self.arrived > 1 {
            format!("sent {} times", self.arrived)
        } else if format!("{:?}", self.outcome).contains(key) {
            "shows the key".to_owned()
        } else {
            return None;
        };
        let replay = format!("--faults {} ({})", self.label, self.call.name());
        Some(format!(
            "{:?}: {wrong}; {replay}: {:?}",
            self.fault, self.outcome.result
        ))
    }

    /// Why what the client says of a write is not true by the ledger.
    fn false_verdict(&self) -> Option<String> {
        let operation = self.outcome.record.operation;
        if !matches!(self.call, Call::Unlist | Call::Create) {
            return None;
        }
        verdict(operation, &self.outcome.result, &self.commits)
    }
}

/// Why a verdict is false, if it is: "done" needs exactly the commit that it names, "not done" none.
fn verdict(
    operation: Operation,
    result: &Result<Reply, ApiError>,
    commits: &[Commit],
) -> Option<String> {
    let ids: Vec<_> = commits.iter().map(|commit| commit.id).collect();
    match result {
        Ok(Reply::Created { id }) if ids != [id.unsigned_abs()] || *id < 0 => {
            Some(format!("false \"created {id}\": the sandbox made {ids:?}"))
        }
        Ok(Reply::Unlisted { .. }) if ids.len() != 1 => Some("false \"unlisted\"".to_owned()),
        Err(error) if !error.outcome_unknown(operation) && !ids.is_empty() => {
            Some(format!("false \"not done\": {error}"))
        }
        _ if ids.len() > 1 => Some(format!("{} commits", ids.len())),
        _ => None,
    }
}

/// Calls an operation; gives the hit if a fault struck.
fn strike(server: &Server, caller: &Caller, call: Call, silence: Option<&Fault>) -> Option<Hit> {
    let ledger = server.running.ledger();
    let before = (
        ledger.strikes().len(),
        ledger.commits().len(),
        ledger.entries().len(),
    );
    let outcome = caller.send(server, call, silence);
    let own = |commit: &Commit| commit.call == call && !commit.is_foreign;
    let commits = ledger
        .commits()
        .split_off(before.1)
        .into_iter()
        .filter(own)
        .collect();
    let struck: Option<Struck> = ledger.strikes().split_off(before.0).into_iter().next();
    let arrived = ledger.entries().len() - before.2;
    // The sandbox sees nothing of a connection that it refuses.
    let is_refused =
        |fault: &&Fault| matches!(fault.stage, Stage::Connection(ConnectionFault::Refuse));
    let refusal = ledger
        .strikes()
        .into_iter()
        .rfind(|struck| is_refused(&struck.fault));
    let struck = struck.or(refusal.filter(|_| outcome.result.is_err()));
    struck.map(|Struck { fault, label, .. }| Hit {
        fault,
        call,
        label,
        outcome,
        commits,
        arrived,
    })
}

/// How many faults of a group were made, and how many of them a client was not up to.
#[derive(Default)]
struct Tally {
    injected: u32,
    lost: u32,
}

/// Strikes every operation with every fault that applies to it, `hits` times.
fn run(hits: u32) -> (BTreeMap<u8, Tally>, Vec<String>) {
    let mut tallies: BTreeMap<u8, Tally> = BTreeMap::new();
    let mut complaints = Vec::new();
    for fault in CATALOGUE {
        let mut counts = BTreeMap::new();
        // A sandbox has so many listings to unlist.
        for (round, hits) in rounds(hits).enumerate() {
            let server = sandbox(&fault.id(), 1 + round as u64, TIMES);
            for call in fault.calls {
                let hit = strike_often(&server, fault, *call, hits);
                *counts.entry(call.name()).or_insert(0) += hit.len() as u32;
                let tally = tallies.entry(fault.group as u8).or_default();
                tally.injected += hit.len() as u32;
                for wrong in hit
                    .iter()
                    .filter_map(|hit| hit.complaint(server.running.key()))
                {
                    tally.lost += 1;
                    complaints.push(wrong);
                }
            }
        }
        for call in fault.calls {
            let count = counts.get(call.name()).copied().unwrap_or(0);
            if count < hits {
                complaints.push(format!("{fault:?} hit {} only {count} times", call.name()));
            }
        }
    }
    (tallies, complaints)
}

/// So many hits in parts of at most [`HITS`].
fn rounds(hits: u32) -> impl Iterator<Item = u32> {
    (0..hits.div_ceil(HITS)).map(move |round| HITS.min(hits - round * HITS))
}

fn strike_often(server: &Server, fault: &'static Fault, call: Call, hits: u32) -> Vec<Hit> {
    let is_of_connections = matches!(fault.stage, Stage::Connection(_));
    let mut caller = Caller::new(server);
    let silence = (fault.told == ["timed out"]).then_some(fault);
    let mut struck = Vec::new();
    // Some faults strike every other time only.
    for _ in 0..hits * 4 {
        if struck.len() as u32 == hits {
            break;
        }
        if is_of_connections || silence.is_some() {
            caller = Caller::new(server);
        }
        struck.extend(strike(server, &caller, call, silence));
    }
    struck
}

/// The run as the README shows it.
fn table(tallies: &BTreeMap<u8, Tally>) -> String {
    let mut text =
        String::from("| faults | injected | survived | lost |\n| --- | --: | --: | --: |\n");
    let row = |name: &str, injected: u32, lost: u32| {
        format!("| {name} | {injected} | {} | {lost} |\n", injected - lost)
    };
    for group in Group::ALL {
        let tally = &tallies[&(group as u8)];
        text += &row(group.name(), tally.injected, tally.lost);
    }
    let sum = |count: fn(&Tally) -> u32| tallies.values().map(count).sum();
    text += &row(
        "**all**",
        sum(|tally| tally.injected),
        sum(|tally| tally.lost),
    );
    text.trim_end().to_owned()
}

#[test]
fn every_fault_on_every_operation_is_survived_as_the_docs_say() {
    let (tallies, complaints) = run(HITS);
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    check("fault run", &table(&tallies));
}

#[test]
#[ignore = "takes minutes"]
fn every_fault_on_every_operation_is_survived_fifty_times() {
    let (_, complaints) = run(50);
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// The verdicts are held to the ledger: a false one of each kind is found.
#[test]
fn a_false_verdict_is_found() {
    let commit = |call, id| Commit {
        call,
        id,
        is_foreign: false,
    };
    let create = Operation::CreateWorkergroup;
    let made = [commit(Call::Create, 7)];
    let refused = || {
        Err(ApiError::Failure {
            said: ErrorBody::Nothing,
        })
    };
    assert!(verdict(create, &refused(), &made).is_some());
    assert!(verdict(create, &refused(), &[]).is_none());
    assert!(verdict(create, &Ok(Reply::Created { id: 7 }), &made).is_none());
    assert!(verdict(create, &Ok(Reply::Created { id: 8 }), &made).is_some());
    assert!(verdict(create, &Ok(Reply::Created { id: 7 }), &[]).is_some());
    assert!(verdict(create, &Err(ApiError::Lost), &made).is_none());
    assert!(verdict(create, &Err(ApiError::Lost), &[made[0], made[0]]).is_some());
    let unlist = Operation::UnlistVolume;
    let done = || {
        Ok(Reply::Unlisted {
            msg: Untrusted::default(),
        })
    };
    assert!(verdict(unlist, &done(), &[]).is_some());
    assert!(verdict(unlist, &done(), &[commit(Call::Unlist, 5)]).is_none());
}

/// Calls every operation once, a few times over, and gives what happened.
fn storm(spec: &str, rounds: usize) -> Vec<String> {
    let times = FaultTimes {
        dribble: Duration::ZERO,
        silence: Duration::from_millis(20),
        ..TIMES
    };
    let server = sandbox(spec, 1, times);
    let caller = Caller::new(&server);
    let key = server.running.key();
    let mut complaints = Vec::new();
    for call in Call::ALL.repeat(rounds) {
        let ledger = server.running.ledger();
        let before = ledger.commits().len();
        let outcome = caller.send(&server, call, None);
        let own = |commit: &Commit| commit.call == call && !commit.is_foreign;
        let commits: Vec<_> = ledger
            .commits()
            .split_off(before)
            .into_iter()
            .filter(own)
            .collect();
        let is_write = matches!(call, Call::Unlist | Call::Create);
        let wrong = is_write
            .then(|| verdict(outcome.record.operation, &outcome.result, &commits))
            .flatten();
        let leak = format!("{outcome:?}")
            .contains(key)
            .then(|| "shows the key".to_owned());
        let latest = ledger.strikes().pop().map(|struck| struck.label);
        complaints.extend(wrong.or(leak).map(|why| {
            format!(
                "--faults {spec}, {}, latest fault {latest:?}: {why}",
                call.name()
            )
        }));
    }
    complaints
}

/// The profiles with the seeds from 1 to 32, and every seed that ever failed.
#[test]
fn no_profile_gets_a_false_word_out_of_the_client() {
    let mut complaints = Vec::new();
    for profile in Profile::ALL {
        for seed in 1..=32 {
            complaints.extend(storm(&format!("{},seed={seed}", profile.name()), 1));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
#[ignore = "takes minutes"]
fn no_profile_gets_a_false_word_out_of_the_client_in_a_thousand_seeds() {
    let mut complaints = Vec::new();
    for profile in [Profile::Storm, Profile::Split, Profile::Hostile] {
        for seed in 1_000..2_000 {
            complaints.extend(storm(&format!("{},seed={seed}", profile.name()), 1));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn a_fault_is_replayed_from_its_seed_to_the_byte() {
    let spec = "storm,seed=81,only=F21,F28,F37,F42,F43,F48,F53,F57,F65";
    let run = || {
        let server = sandbox(spec, 1, TIMES);
        let body = serde_json::json!({ "limit": 5 });
        let answers: Vec<_> = (0..40)
            .map(|_| {
                let mut answer = server.post("/api/v0/bundles/", &body);
                // A redirect names the address, whose port is another one each time.
                let own = server.addr().port().to_string();
                for (_, value) in &mut answer.headers {
                    *value = value.replace(&own, "PORT");
                }
                answer
            })
            .collect();
        let labels: Vec<_> = server
            .running
            .ledger()
            .strikes()
            .into_iter()
            .map(|struck| struck.label)
            .collect();
        (answers, labels)
    };
    let (answers, labels) = run();
    assert_eq!((answers.clone(), labels.clone()), run());
    assert!(labels.len() > 4, "{labels:?}");
    assert!(
        labels
            .iter()
            .all(|label| label.split('/').nth(1) == Some("81"))
    );
    let marked: Vec<_> = answers
        .iter()
        .filter_map(|answer| answer.header("x-sandbox-fault"))
        .collect();
    assert_eq!(marked, labels);
}

#[test]
fn a_plan_follows_from_seed_operation_and_number() {
    let plan = |spec: &str, seed, lane, ordinal| {
        let spec: FaultSpec = spec.parse().unwrap();
        faults::plan(&spec, seed, lane, ordinal).map(|strike| strike.to_string())
    };
    let offers = Lane::Call(Call::Offers);
    let struck = |lane| {
        (1..=2_000)
            .filter_map(|ordinal| plan("storm", 3, lane, ordinal))
            .collect::<Vec<_>>()
    };
    let labels = struck(offers);
    assert_eq!(labels, struck(offers));
    assert_ne!(labels, struck(Lane::Call(Call::Route)));
    // 30 in a hundred.
    assert!((540..=660).contains(&labels.len()), "{}", labels.len());
    let flaky = (1..=2_000)
        .filter(|ordinal| plan("flaky", 3, offers, *ordinal).is_some())
        .count();
    assert!((70..=130).contains(&flaky), "{flaky}");
    assert_eq!(plan("calm", 3, offers, 1), None);
    // Connections are struck on their own numbering, and by their own faults.
    assert!(struck(Lane::Connection).iter().all(|label| {
        ["F01/", "F02/", "F04/", "F05/"]
            .iter()
            .any(|start| label.starts_with(start))
    }));
    // Splitting leaves reads of other things alone.
    assert_eq!(
        (1..=2_000).find_map(|ordinal| plan("split", 3, offers, ordinal)),
        None
    );
    assert!((1..=50).any(|ordinal| plan("split", 3, Lane::Call(Call::Create), ordinal).is_some()));
}

#[test]
fn specifications_are_profiles_or_lists() {
    let good = |text: &str| text.parse::<FaultSpec>().unwrap();
    let label = |text: &str, call| {
        let strike = faults::plan(&good(text), 1, Lane::Call(call), 1);
        strike.map(|strike| strike.to_string())
    };
    assert_eq!(label("F17", Call::Route).as_deref(), Some("F17/1/1"));
    assert_eq!(label("f17@route", Call::Offers), None);
    assert_eq!(
        label("status_500", Call::Route).as_deref(),
        Some("status_500/1")
    );
    // A fault is called as a profile is: the profile is meant where it has a seed or faults.
    assert_eq!(label("slow", Call::Offers).as_deref(), Some("slow/1"));
    assert!(matches!(good("slow,seed=1"), FaultSpec::Profile(_)));
    assert!(matches!(good("slow,status_500:0.5"), FaultSpec::Rules(_)));
    for profile in [
        "calm",
        "flaky",
        "storm",
        "throttle",
        "split",
        "hostile",
        "cut",
        "slow,only=F14",
    ] {
        assert!(matches!(good(profile), FaultSpec::Profile(_)), "{profile}");
    }
    for (bad, words) in [
        (
            "gremlins",
            "'gremlins' is not a fault: choose a profile (calm, flaky, storm,",
        ),
        ("storm,seed=x", "'x' is not a seed"),
        ("storm,fast", "'fast' does not fit behind a profile"),
        ("storm,only=F99", "'F99' is not a fault"),
        ("cut,only=F25", "cut has none of these faults"),
        ("F56@offers", "F56 does not apply to offers"),
        (
            "F02@offers",
            "F02 strikes connections before their operation is known",
        ),
    ] {
        let error = bad.parse::<FaultSpec>().unwrap_err().to_string();
        assert!(error.starts_with(words), "{bad}: {error}");
    }
}

#[test]
fn the_catalogue_is_numbered_and_named_without_doubt() {
    for (index, fault) in CATALOGUE.iter().enumerate() {
        assert_eq!(usize::from(fault.number), index + 1);
        assert!(
            !fault.calls.is_empty() && !fault.told.is_empty(),
            "{fault:?}"
        );
    }
    let mut names: Vec<_> = CATALOGUE.iter().map(|fault| fault.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), CATALOGUE.len());
}

/// A created workergroup that lists later, or not always, is in the ledger all the same.
#[test]
fn lists_lag_behind_and_forget() {
    let listings = |spec: &str| {
        let server = sandbox(spec, 1, TIMES);
        let caller = Caller::new(&server);
        let Ok(Reply::Created { id }) = caller.send(&server, Call::Create, None).result else {
            panic!("nothing created");
        };
        let seen: Vec<bool> = (0..5)
            .map(|_| {
                let answer = server.call("GET", "/api/v0/workergroups/", "").good();
                let rows = answer["results"].as_array().unwrap().clone();
                rows.iter().any(|row| row["id"] == id)
            })
            .collect();
        seen
    };
    assert_eq!(listings("lag"), [false, false, false, true, true]);
    assert_eq!(listings("vanish"), [true, false, false, false, false]);
}

#[test]
fn a_lost_create_may_have_namesakes() {
    let server = sandbox("namesakes", 1, TIMES);
    let outcome = Caller::new(&server).send(&server, Call::Create, None);
    let error = outcome.result.unwrap_err();
    assert!(error.outcome_unknown(Operation::CreateWorkergroup));
    let foreign: Vec<_> = server
        .running
        .ledger()
        .commits()
        .iter()
        .map(|commit| commit.is_foreign)
        .collect();
    assert_eq!(foreign, [false, true, true]);
}

/// Six answers that drip at once: each call ends at its deadline by the client's own clock.
#[test]
fn dripping_answers_end_at_the_deadline_of_each_operation() {
    let server = sandbox("dribble_head", 1, TIMES);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let client = client(&server);
    let requests: Vec<_> = Call::ALL.map(|call| request(call, &server)).into();
    let calls = requests.iter().map(|request| client.call(request));
    let outcomes = runtime.block_on(async {
        let clock = async {
            while server.running.ledger().strikes().len() < Call::ALL.len() {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            tokio::time::pause();
            loop {
                // Bytes drip in real time; meanwhile the clock of the client runs fast.
                let drip = || std::thread::sleep(Duration::from_millis(12));
                tokio::task::spawn_blocking(drip).await.unwrap();
                tokio::time::advance(Duration::from_millis(500)).await;
            }
        };
        tokio::select! {
            outcomes = futures_util::future::join_all(calls) => outcomes,
            () = clock => unreachable!(),
        }
    });
    for outcome in outcomes {
        let operation = outcome.record.operation;
        assert!(
            matches!(outcome.result, Err(ApiError::TimedOut { .. })),
            "{outcome:?}"
        );
        assert!(
            outcome.record.took <= operation.deadline().mul_f64(1.1),
            "{outcome:?}"
        );
        assert!(
            outcome.record.took >= Duration::from_secs(10),
            "{outcome:?}"
        );
    }
}
