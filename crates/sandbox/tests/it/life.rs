//! What makes the sandbox like a service on the net: latency, requests that stall, listings of the
//! caller's own, and workergroups that outlive it.

use std::collections::BTreeSet;
use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bourse_domain::workergroup::{GroupChange, MadeGroups};
use bourse_sandbox::latency::Latency;
use bourse_sandbox::market::MarketConfig;
use bourse_sandbox::market::runs::MarketRuns;
use bourse_sandbox::{GroupStore, RunStore, SandboxConfig, UnlistStore};
use serde_json::{Value, json};

use crate::support::{Server, frozen};

const GROUPS: &str = "/api/v0/workergroups/";

fn groups(server: &Server) -> Vec<Value> {
    let answer = server.call("GET", GROUPS, "").good();
    answer["results"].as_array().unwrap().clone()
}

// Latency

#[test]
fn an_answer_waits_for_its_latency_when_the_work_is_done() {
    let server = Server::start(SandboxConfig {
        latency: Latency::Fixed(Duration::from_secs(600)),
        ..frozen()
    });
    let mut stream = TcpStream::connect(server.addr()).unwrap();
    let head = format!(
        "GET {GROUPS} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n\r\n",
        server.addr(),
        server.running.key()
    );
    stream.write_all(head.as_bytes()).unwrap();
    while server.running.ledger().entries().is_empty() {
        std::thread::yield_now();
    }
    stream.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
    let nothing = stream.read(&mut [0; 16]).unwrap_err().kind();
    assert!(
        matches!(nothing, ErrorKind::WouldBlock | ErrorKind::TimedOut),
        "{nothing}"
    );
}

// Listings

#[test]
fn a_caller_unlists_its_own_listings_and_no_others() {
    let server = Server::start(frozen());
    let volumes = || {
        let body = json!({"limit": 500});
        server.post("/api/v0/network_volumes/search/", &body).offers()
    };
    let own = |row: &Value| row["host_id"] == 1001;
    let (mine, others): (Vec<_>, Vec<_>) = volumes().into_iter().partition(own);
    assert_eq!((mine.len(), others.len()), (4, 56));
    assert!(mine.iter().all(|row| row["verified"] == true));
    let user = server.call("GET", "/api/v0/users/current/", "").good();
    assert_eq!(user["id"], 1001);
    let unlist = |row: &Value| {
        let answer = server.post("/api/v0/volumes/unlist/", &json!({"id": row["id"]}));
        let msg = answer.json()["msg"].as_str().unwrap().to_owned();
        (answer.status, msg)
    };
    for row in &others {
        let missing = "Volume listing does not exist".to_owned();
        assert_eq!(unlist(row), (400, missing));
    }
    assert_eq!(volumes().len(), 60, "nothing of others is gone");
    let mut outcomes: Vec<_> = mine.iter().map(unlist).collect();
    outcomes.sort();
    let done = outcomes.iter().filter(|(status, _)| *status == 200);
    assert_eq!(done.count(), 3);
    let rented = "Unable to delete active volume listing".to_owned();
    assert_eq!(outcomes[3], (400, rented));
    assert_eq!(volumes().len(), 57);
}

#[test]
fn the_sandbox_names_the_caller_s_listings() {
    let server = Server::start(frozen());
    let body = json!({"limit": 500});
    let volumes = server.post("/api/v0/network_volumes/search/", &body).offers();
    let local = server.post("/api/v0/volumes/search/", &json!({"limit": 9000})).offers();
    let mut wanted: Vec<u64> = volumes
        .iter()
        .chain(&local)
        .filter(|row| row["host_id"] == 1001)
        .map(|row| row["id"].as_u64().unwrap())
        .collect();
    wanted.sort_unstable();
    let named = server.running.user_listings();
    let mut ids: Vec<u64> = named.iter().map(|listing| listing.id).collect();
    ids.sort_unstable();
    assert_eq!(ids, wanted);
    assert_eq!(ids.len(), 5, "four network volumes and a local one");
    assert_eq!(named.iter().filter(|listing| listing.rented).count(), 1);
}

#[test]
fn an_unlisted_volume_is_gone_in_the_next_run_too() {
    let kept = Arc::new(Mutex::new(BTreeSet::new()));
    let start = || {
        let store = Arc::clone(&kept);
        let unlisted = kept.lock().unwrap().clone();
        Server::start(SandboxConfig {
            freeze: false,
            unlisted,
            unlist_store: Some(UnlistStore::new(move |id| {
                store.lock().unwrap().insert(id);
                Ok(())
            })),
            ..frozen()
        })
    };
    let free = |server: &Server| -> Vec<u64> {
        let listings = server.running.user_listings().iter();
        let free = listings.filter(|listing| !listing.rented);
        free.map(|listing| listing.id).collect()
    };
    let first = start();
    let mut before = free(&first);
    let gone = before.remove(0);
    let unlist = |server: &Server| {
        let answer = server.post("/api/v0/volumes/unlist/", &json!({"id": gone}));
        answer.status
    };
    assert_eq!(unlist(&first), 200);
    drop(first);
    let second = start();
    assert_eq!(free(&second), before);
    assert_eq!(unlist(&second), 400);
}

#[test]
fn what_cannot_be_saved_is_told_once_and_done_nevertheless() {
    let server = Server::start(SandboxConfig {
        freeze: false,
        group_store: Some(GroupStore::new(|_| Err("groups.json: disk full".to_owned()))),
        ..frozen()
    });
    assert_eq!(server.running.take_unsaved(), None);
    let made = server.post(GROUPS, &json!({"endpoint_name": "mine"})).good()["id"].clone();
    assert!(groups(&server).iter().any(|group| group["id"] == made));
    let why = server.running.take_unsaved();
    assert_eq!(why.as_deref(), Some("groups.json: disk full"));
    assert_eq!(server.running.take_unsaved(), None);
}

// Workergroups

/// A sandbox that brings `groups` back and keeps changes in the same place.
fn keeping(groups: &Arc<Mutex<MadeGroups>>) -> Server {
    let kept = Arc::clone(groups);
    let groups = groups.lock().unwrap().clone();
    Server::start(SandboxConfig {
        freeze: false,
        groups,
        group_store: Some(GroupStore::new(move |change: GroupChange| {
            assert!(kept.lock().unwrap().apply(change));
            Ok(())
        })),
        ..frozen()
    })
}

#[test]
fn workergroups_outlive_the_sandbox_with_everything_but_their_keys() {
    let kept = Arc::new(Mutex::new(MadeGroups::default()));
    let first = keeping(&kept);
    let founded = groups(&first).len();
    let body = json!({"endpoint_name": "mine", "search_params": "num_gpus=2", "gpu_ram": 48,
        "test_workers": 2, "max_workers": 5, "cold_workers": 1, "target_util": 0.5});
    let made = first.post(GROUPS, &body).good()["id"].clone();
    let gone = first.post(GROUPS, &json!({"endpoint_name": "gone"})).good()["id"].clone();
    let sdxl = first.post(GROUPS, &json!({"endpoint_name": "sdxl"})).good()["id"].clone();
    let change = json!({"min_load": 7.5}).to_string();
    first.call("PUT", &format!("{GROUPS}{made}/"), &change).good();
    first.call("DELETE", &format!("{GROUPS}{gone}/"), "{}").good();
    let mut before = groups(&first);
    drop(first);

    let second = keeping(&kept);
    let mut after = groups(&second);
    assert_eq!(after.len(), founded + 2);
    for group in before.iter_mut().chain(&mut after) {
        let group = group.as_object_mut().unwrap();
        assert!(group["api_key"].as_str().unwrap().len() == 64);
        group.remove("api_key");
    }
    let of = |list: &[Value], id: &Value| list.iter().find(|it| it["id"] == *id).cloned().unwrap();
    for id in [&made, &sdxl] {
        assert_eq!(of(&before, id), of(&after, id));
    }
    assert_eq!(of(&after, &made)["min_load"], 7.5);
    assert_eq!(of(&after, &made)["search_query"], "num_gpus=2");
    assert_eq!(of(&after, &sdxl)["endpoint_name"], "sdxl");
    // The next one gets an id of its own, and the endpoint can be routed to.
    let next = second.post(GROUPS, &json!({"endpoint_name": "more"})).good()["id"].clone();
    assert!(next.as_u64() > sdxl.as_u64());
    let routed = json!({"endpoint": "mine", "cost": 0});
    assert_eq!(second.post("/route/", &routed).status, 200);
    // A third run has all three, whatever two runs at the same time called theirs.
    let third = keeping(&kept);
    assert_eq!(groups(&third).len(), founded + 3);
    let twin = kept.lock().unwrap().0[0].clone();
    kept.lock().unwrap().0.push(twin);
    let fourth = keeping(&kept);
    let mut ids: Vec<u64> = groups(&fourth)
        .iter()
        .map(|group| group["id"].as_u64().unwrap())
        .collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), founded + 4);
}

// A faster market

/// The ids and prices of all offers.
fn prices(server: &Server) -> Vec<(Value, Value)> {
    let answer = server.call("POST", "/api/v0/bundles/", "{\"limit\": 100000}").good();
    let offers = answer["offers"].as_array().unwrap();
    offers
        .iter()
        .map(|row| (row["id"].clone(), row["dph_base"].clone()))
        .collect()
}

/// A market of 300 offers that moves as `speed` says.
fn moving(speed: f64) -> SandboxConfig {
    SandboxConfig {
        freeze: false,
        speed,
        market: MarketConfig {
            offers: 300,
            ..MarketConfig::default()
        },
        ..frozen()
    }
}

#[test]
fn the_market_of_the_next_run_is_the_one_that_the_last_run_left() {
    let saved = Arc::new(Mutex::new(None::<MarketRuns>));
    let start = |speed| {
        let store = Arc::clone(&saved);
        let runs = saved.lock().unwrap().clone();
        Server::start(SandboxConfig {
            runs,
            run_store: Some(RunStore::new(move |runs| {
                *store.lock().unwrap() = Some(runs);
                Ok(())
            })),
            ..moving(speed)
        })
    };
    // A speed at which it does not move.
    let still = f64::MIN_POSITIVE;
    let first = prices(&start(still));
    // Saved from the first request on, so that other programs have the same market.
    let runs = saved.lock().unwrap().clone().unwrap();
    assert!(runs.runs.is_empty());
    let fast = start(1000.0);
    while prices(&fast) == first {
        std::thread::sleep(Duration::from_millis(10));
    }
    drop(fast);
    let next = start(still);
    let after = prices(&next);
    assert!(after != first, "it does not begin again");
    let ticks = saved.lock().unwrap().clone().unwrap().ticks();
    drop(next);
    assert_eq!(
        saved.lock().unwrap().clone().unwrap().ticks(),
        ticks,
        "nothing is added"
    );
    assert!(ticks > 0);
    assert!(prices(&start(still)) == after);
    *saved.lock().unwrap() = None;
    assert!(prices(&start(still)) == first, "a new one");
}

#[test]
fn a_fast_market_moves_by_as_many_seconds_for_each() {
    let offers = prices;
    let server = Server::start(moving(1000.0));
    let before = offers(&server);
    // A price changes within half a minute of the market: 30 ms.
    let changed = (0..1000).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        offers(&server) != before
    });
    assert!(changed);
}
