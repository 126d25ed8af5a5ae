//! The route lab in the real loop, over real HTTP, against servers of every kind.

use std::os::unix::fs::PermissionsExt as _;

use crossterm::event::KeyCode;
use serde_json::{Value as Json, json};

use crate::recorder::Recorded;
use crate::route_server::{Play, RouteServer, assignment};
use crate::terminal::memory::{self, Person, until};

/// A dashboard on a server that has one workergroup, serving the endpoint `chat`.
fn dashboard(server: &RouteServer) -> (Person, std::thread::JoinHandle<i32>) {
    memory::dashboard(&server.url(), "canary-key-51ab", false)
}

/// Plays route requests as `play` says; the other calls have their plain answers.
fn server(play: impl Fn(usize, &Json) -> Play + Send + Sync + 'static) -> RouteServer {
    let routed = std::sync::atomic::AtomicUsize::new(0);
    RouteServer::start(move |_, request| match request.path.as_str() {
        "/route/" => {
            let number = routed.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
            play(number, &request.json())
        }
        "/api/v0/workergroups/" => Play::Answer(
            200,
            r#"{"success":true,"results":[{"id":1,"endpoint_name":"chat","api_key":"canary-group"}]}"#.to_owned(),
        ),
        _ => Play::Answer(200, r#"{"offers":[]}"#.to_owned()),
    })
}

fn routes(server: &RouteServer) -> Vec<Recorded> {
    let seen = server.seen().into_iter().map(|(_, request)| request);
    seen.filter(|request| request.path == "/route/").collect()
}

/// Opens the lab on the workergroup and fills a series in.
async fn series(person: &Person, cost: &str, count: &str, at_once: &str, rate: &str) {
    person.sees("No offers match this query").await;
    person.types("3");
    person.sees("chat").await;
    person.types("t");
    person.press(KeyCode::Down);
    person.erase();
    person.types(cost);
    person.press(KeyCode::Down);
    for text in [count, at_once, rate] {
        person.press(KeyCode::Down);
        person.erase();
        person.types(text);
    }
    person.press(KeyCode::Enter);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_series_sends_the_documented_body_and_exports_what_its_figures_say() {
    let server = server(|number, body| {
        assert_eq!(body["endpoint"], "chat");
        // Workers in turn 0 1 2 0 1 2 ..., each numbering its own; every tenth has to wait.
        if number % 10 == 9 {
            return Play::Answer(200, r#"{"endpoint":"chat","status":"1 loading"}"#.to_owned());
        }
        Play::Answer(200, assignment("chat", "2.5", number % 3, number / 3))
    });
    let (person, ended) = dashboard(&server);
    series(&person, "2.5", "40", "4", "200").await;
    person.sees("Done").await;
    person.sees("40 sent").await;
    for request in routes(&server) {
        assert_eq!(request.method, "POST");
        assert_eq!(request.body, br#"{"endpoint":"chat","cost":2.5}"#);
        assert_eq!(request.header("content-type"), Some("application/json"));
        assert_eq!(request.header("authorization"), Some("Bearer canary-key-51ab"));
    }
    assert_eq!(routes(&server).len(), 40);

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.json");
    person.types("e");
    person.erase();
    person.types(path.to_str().unwrap());
    person.press(KeyCode::Enter);
    person.sees("Wrote").await;
    let mode = std::fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(!text.contains("canary") && !text.contains("c2ln"), "secrets");
    by_hand(&serde_json::from_str(&text).unwrap());

    // A file that is there is left alone.
    person.types("e");
    person.erase();
    person.types(path.to_str().unwrap());
    person.press(KeyCode::Enter);
    person.sees("already exists").await;
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    person.types("q");
    person.press(KeyCode::Esc);
    person.types("q");
    assert_eq!(ended.join().unwrap(), 0);
}

/// Computes the figures anew from the attempts, with nothing of ours.
fn by_hand(export: &Json) {
    let attempts = export["attempts"].as_array().unwrap();
    assert_eq!(attempts.len(), 40);
    let of = |kind: &str| {
        let own = attempts.iter().filter(|attempt| attempt["outcome"] == kind);
        own.cloned().collect::<Vec<_>>()
    };
    let (assigned, waiting) = (of("assigned"), of("waiting"));
    let summary = &export["summary"];
    assert_eq!((assigned.len(), waiting.len()), (36, 4));
    assert_eq!(summary["outcomes"]["assigned"], json!(36));
    assert_eq!(summary["outcomes"]["waiting"], json!(4));
    assert_eq!(summary["load_injected"].as_f64(), Some(100.0));
    assert_eq!(export["run"]["rate_per_s"], json!(200));
    assert_eq!(export["run"]["concurrency"], json!(4));

    let number = |json: &Json| json.as_f64().unwrap();
    for (index, attempt) in attempts.iter().enumerate() {
        let due = number(&attempt["intended_s"]);
        assert!((due - index as f64 / 200.0).abs() < 1e-6, "{attempt}");
        let latency = number(&attempt["ended_s"]) - due;
        assert!((number(&attempt["latency_s"]) - latency).abs() < 2e-6);
    }
    let mut latencies: Vec<f64> = attempts.iter().map(|attempt| number(&attempt["latency_s"])).collect();
    latencies.sort_by(f64::total_cmp);
    // The smallest latency with at least that share of all at or below it.
    for (name, rank) in [("p50", 20), ("p90", 36), ("p95", 38), ("p99", 40)] {
        let found = number(&summary["router_reply_seconds"][name]);
        let wanted = latencies[rank - 1];
        assert!(
            (found - wanted).abs() <= wanted / 1000.0 + 1e-6,
            "{name}: {found} {wanted}"
        );
    }
    assert!((number(&summary["router_reply_seconds"]["max"]) - latencies[39]).abs() < 1e-9);
    assert_eq!((&summary["requests"], &summary["polls"]), (&json!(40), &json!(0)));
    let bytes: u64 = attempts.iter().map(|attempt| attempt["bytes"].as_u64().unwrap()).sum();
    assert_eq!(summary["bytes"], json!(bytes));
    let first = assigned
        .iter()
        .map(|attempt| number(&attempt["ended_s"]))
        .fold(f64::INFINITY, f64::min);
    assert!((number(&summary["first_assigned_seconds"]) - first).abs() < 1e-9);
    for worker in export["workers"].as_array().unwrap() {
        let own = assigned.iter().filter(|attempt| attempt["worker"] == worker["worker"]);
        let mut reqnums: Vec<i64> = own.map(|attempt| attempt["reqnum"].as_i64().unwrap()).collect();
        reqnums.sort_unstable();
        assert_eq!(worker["assigned"], json!(reqnums.len()));
        let holes: Vec<i64> = reqnums
            .windows(2)
            .map(|pair| pair[1] - pair[0] - 1)
            .filter(|hole| *hole > 0)
            .collect();
        assert_eq!(worker["reqnum_gaps"], json!(holes.len()));
        assert_eq!(worker["reqnums_missing"], json!(holes.iter().sum::<i64>()));
        assert_eq!(worker["reqnum_repeats"], json!(0));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn stopping_leaves_no_request_in_flight() {
    let server = server(|_, _| Play::Hang);
    let (person, ended) = dashboard(&server);
    series(&person, "0", "100", "8", "").await;
    person.sees("8 in flight").await;
    until(|| server.open() == 8).await;
    person.press(KeyCode::Delete);
    person.sees("Stopped").await;
    until(|| server.open() == 0).await;
    person.sees("8 cancelled").await;
    assert_eq!(routes(&server).len(), 8, "and none follows");
    person.press(KeyCode::Esc);
    person.types("q");
    assert_eq!(ended.join().unwrap(), 0, "nothing goes on: it does not ask");
}

#[tokio::test(flavor = "multi_thread")]
async fn ways_of_failing_are_told_apart() {
    fail(4).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: a request without a reply is given up after 15 s"]
async fn every_way_of_failing_is_told_apart() {
    fail(5).await;
}

/// Three requests fail in each of so many ways.
async fn fail(ways: usize) {
    let server = server(move |number, _| match number % ways {
        0 => Play::Answer(200, "<<garbage>>".to_owned()),
        1 => Play::Answer(200, r#"{"endpoint":"chat","status":"2 stopped"}"#.to_owned()),
        2 => Play::Answer(401, r#"{"error":"Authentication failed"}"#.to_owned()),
        3 => Play::Answer(429, "API requests too frequent".to_owned()),
        _ => Play::Hang,
    });
    let (person, ended) = dashboard(&server);
    let count = (3 * ways).to_string();
    series(&person, "0", &count, &count, "100").await;
    person.sees("Done").await;
    person.sees("0 assigned").await;
    // Waiting is no failure.
    person.sees(&format!("{} failed", 3 * (ways - 1))).await;
    person.press(KeyCode::Tab);
    person.press(KeyCode::Tab);
    person.sees("▏Figures▕").await;
    let labels = ["garbage", "waiting", "refused", "rate limited", "timed out"];
    for label in &labels[..ways] {
        let screen = person.screen();
        let figures = screen.split("▏Figures▕").nth(1).unwrap();
        let line = figures
            .lines()
            .find(|line| line.contains(label))
            .unwrap_or_else(|| panic!("{label}:\n{screen}"));
        let rest = line.split(label).nth(1).unwrap();
        let found = rest.split_whitespace().next();
        assert_eq!(found, Some("3"), "{line}");
    }
    person.press(KeyCode::Esc);
    person.types("q");
    // The replies were not exported.
    person.sees("Quit bourse?").await;
    person.types("y");
    assert_eq!(ended.join().unwrap(), 0);
}
