//! `bourse route --send`: what reaches router and worker, what is said of a worker's answer, and scripts.

use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::Value as Json;

use crate::route_server::{Play, RouteServer};

const PAYLOAD: &str = r#"{"prompt": "Hello", "max_tokens": 20}"#;
const KEY: &str = "canary-key-of-the-account";

/// The command with a payload file, or with `-` and standard input; its status, standard output and standard error.
fn send(market: &[&str], arguments: &[&str]) -> (Option<i32>, String, String) {
    let home = tempfile::tempdir().unwrap();
    let payload = home.path().join("payload.json");
    fs::write(&payload, PAYLOAD).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_bourse"))
        .args(["route", "llama-70b", "--send", "/v1/completions", "--payload"])
        .arg(&payload)
        .args(market)
        .args(arguments)
        .env_clear()
        .env("HOME", home.path())
        .env("BOURSE_API_KEY", KEY)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(PAYLOAD.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// The embedded sandbox, without delays.
fn sandbox(arguments: &[&str]) -> (Option<i32>, String, String) {
    send(&["--latency", "0"], arguments)
}

/// A router that assigns every request to one worker.
fn router(worker: &RouteServer) -> RouteServer {
    let url = worker.url();
    RouteServer::start(move |number, _| {
        let reply = format!(
            r#"{{"endpoint":"llama-70b","url":"{url}","cost":100,"reqnum":{number},"request_idx":9,"signature":"c2ln","__request_id":"r{number}","api_key":"{KEY}","extra":[1, 2.50]}}"#
        );
        Play::Answer(200, reply)
    })
}

#[test]
fn a_worker_gets_the_whole_assignment_and_the_payload_and_no_key() {
    let worker =
        RouteServer::start(|_, _| Play::Answer(200, r#"{"text":"Hi","usage":{"completion_tokens":3}}"#.to_owned()));
    let router = router(&worker);
    let (status, out, err) = send(&["--base-url", &router.url()], &["--yes", "--format", "json"]);
    assert_eq!(status, Some(0), "{err}");
    let seen = worker.seen();
    let request = &seen[0].1;
    assert_eq!(
        (request.method.as_str(), request.path.as_str()),
        ("POST", "/v1/completions")
    );
    assert_eq!(request.header("authorization"), None);
    let body = String::from_utf8(request.body.clone()).unwrap();
    assert!(!body.contains(KEY), "{body}");
    let body: Json = serde_json::from_str(&body).unwrap();
    assert_eq!(body["session_id"], Json::Null);
    assert_eq!(body["payload"], serde_json::from_str::<Json>(PAYLOAD).unwrap());
    let auth_data = &body["auth_data"];
    assert_eq!(
        (&auth_data["signature"], &auth_data["request_idx"]),
        (&"c2ln".into(), &9.into())
    );
    assert_eq!(auth_data["extra"].to_string(), "[1,2.5]");

    let document: Json = serde_json::from_str(&out).unwrap();
    let reply = &document["replies"][0];
    let measured = &reply["bourse"];
    let seconds = |name: &str| measured[name].as_f64().unwrap_or_else(|| panic!("{name}: {measured}"));
    let parts = seconds("queue") + seconds("connect") + seconds("last_byte");
    assert!((parts - seconds("total")).abs() < 0.05, "{measured}");
    assert!(seconds("first_byte") <= seconds("last_byte"));
    assert_eq!(measured["response"]["text"], "Hi");
    assert_eq!((&measured["status"], &measured["tokens"]), (&200.into(), &3.into()));
    assert!(!out.contains("c2ln") && !out.contains(KEY), "{out}");
    assert!(!err.contains("c2ln") && !err.contains(KEY), "{err}");
    assert_eq!(document["summary"]["worker_calls"]["errors"], 0.0);
}

#[test]
fn nothing_is_sent_without_a_confirmation() {
    let worker = RouteServer::start(|_, _| Play::Answer(200, "{}".to_owned()));
    let router = router(&worker);
    let (status, _, err) = send(&["--base-url", &router.url()], &[]);
    assert_eq!(status, Some(2), "{err}");
    assert!(err.contains("--yes"), "{err}");
    assert_eq!((router.seen().len(), worker.seen().len()), (0, 0));
    let (status, _, err) = send(
        &["--base-url", &router.url()],
        &["--yes", "-n", "3", "-c", "2", "--warmup", "1"],
    );
    assert_eq!(status, Some(0), "{err}");
    for words in [
        "3 requests, 2 at once",
        "a request for a worker, with your key",
        "POST /v1/completions, 37 B of payload and the worker's signed assignment, no key",
        "Warm-up, sent first and not measured: llama-70b, one request",
        "workers are billed",
    ] {
        assert!(err.contains(words), "{words}: {err}");
    }
    assert_eq!(worker.seen().len(), 4);
}

#[test]
fn a_retry_asks_the_router_again_and_the_worker_s_last_answer_counts() {
    let worker = RouteServer::start(|number, _| match number {
        0 => Play::Answer(429, String::new()),
        _ => Play::Answer(200, r#"{"text":"Hi"}"#.to_owned()),
    });
    let router = router(&worker);
    let flags = ["--yes", "--retries", "1", "--require", "errors<1%"];
    let (status, out, err) = send(&["--base-url", &router.url()], &flags);
    assert_eq!(status, Some(0), "{err}");
    assert!(out.contains("workers answered: 1 2xx; 1 retry"), "{out}");
    assert_eq!((router.seen().len(), worker.seen().len()), (2, 2));
    // Without retries the 429 is final.
    let worker = RouteServer::start(|_, _| Play::Answer(429, String::new()));
    let router = self::router(&worker);
    let flags = ["--yes", "--require", "errors<1%"];
    let (status, _, err) = send(&["--base-url", &router.url()], &flags);
    assert_eq!(status, Some(4), "{err}");
    assert!(err.contains("429 from the worker: the worker's queue is full"), "{err}");
    assert!(err.contains("errors < 1%: it is 100%"), "{err}");
    assert_eq!(worker.seen().len(), 1);
}

#[test]
fn each_status_of_a_worker_is_a_sentence() {
    for (fault, words) in [
        (
            "worker_422",
            "422 from the worker: the worker could not use the request",
        ),
        ("worker_401", "401 from the worker: the worker refused the signature"),
        ("worker_429", "429 from the worker: the worker's queue is full"),
        ("worker_410", "410 from the worker: the session is unknown"),
        ("worker_500", "500 from the worker: the model failed"),
        ("worker_cut", "the response was cut off"),
    ] {
        let (status, out, err) = sandbox(&["--yes", "--faults", &format!("{fault}:1")]);
        assert_eq!(status, Some(1), "{fault}: {err}");
        assert!(err.contains(words), "{fault}: {err}");
        assert!(out.contains("1 assigned"), "{fault}: {out}");
    }
    for (code, words) in [
        (499, "499 from the worker: the request was cancelled"),
        (404, "404 from the worker: the model has no such path"),
        (418, "418 from the worker: the model's own answer"),
        (302, "302 from the worker: the worker redirects, which is not followed"),
    ] {
        let worker = RouteServer::start(move |_, _| Play::Answer(code, "{}".to_owned()));
        let router = router(&worker);
        let (status, _, err) = send(&["--base-url", &router.url()], &["--yes"]);
        assert_eq!(status, Some(1), "{code}: {err}");
        assert!(err.contains(words), "{code}: {err}");
        assert_eq!(worker.seen().len(), 1, "{code}");
    }
}

#[test]
fn the_sandbox_s_workers_are_trusted_by_themselves_and_others_by_their_root() {
    let (status, out, err) = sandbox(&["--yes"]);
    assert_eq!(status, Some(0), "{err}");
    for words in [
        "connect, TLS",
        "first byte",
        "last byte",
        "total",
        "tokens a second",
        "20 tokens",
        "\"usage\"",
    ] {
        assert!(out.contains(words), "{words}: {out}");
    }
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let market = runtime.block_on(bourse::sandbox::Sandbox::start(bourse::sandbox::SandboxConfig {
        api_key: Some(bourse::sandbox::Token::new(KEY.to_owned())),
        ..bourse::sandbox::SandboxConfig::default()
    }));
    let market = market.unwrap();
    let base = market.base_url();
    let at = ["--base-url", base.as_str()];
    let (status, _, err) = send(&at, &["--yes"]);
    assert_eq!(status, Some(1), "{err}");
    assert!(
        err.contains("its certificate is not trusted") && err.contains("--worker-ca"),
        "{err}"
    );
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("root.pem");
    fs::write(&root, market.worker_root()().unwrap()).unwrap();
    let root = root.to_str().unwrap();
    let (status, out, err) = send(&at, &["--yes", "--worker-ca", root]);
    assert_eq!(status, Some(0), "{err}");
    assert!(out.contains("workers answered: 1 2xx"), "{out}");
    // A file that is no certificate is named before anything is sent.
    let no_root = folder.path().join("payload.json");
    fs::write(&no_root, "{}").unwrap();
    let (status, _, err) = send(&at, &["--yes", "--worker-ca", no_root.to_str().unwrap()]);
    assert_eq!(status, Some(2), "{err}");
    assert!(err.contains("--worker-ca: can't use"), "{err}");
}

#[test]
fn a_run_is_compared_with_a_saved_one_of_its_kind() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().join("base.json");
    let file = base.to_str().unwrap();
    let (status, out, err) = sandbox(&["--yes", "-n", "3", "--format", "json"]);
    assert_eq!(status, Some(0), "{err}");
    // A base whose median total was a second and whose errors were half.
    let mut saved: Json = serde_json::from_str(&out).unwrap();
    saved["summary"]["worker_calls"]["total_seconds"]["p50"] = 1.0.into();
    saved["summary"]["requests"] = 6.into();
    fs::write(&base, saved.to_string()).unwrap();
    let (status, out, err) = sandbox(&["--yes", "-n", "4", "--format", "json", "--against", file]);
    assert_eq!(status, Some(0), "{err}");
    let now: Json = serde_json::from_str(&out).unwrap();
    assert_eq!(now["against"]["requests"], serde_json::json!({ "then": 6, "now": 4 }));
    let figures = now["against"]["figures"].as_array().unwrap();
    let figure = |name: &str| figures.iter().find(|figure| figure["figure"] == name).unwrap();
    let total = &now["summary"]["worker_calls"]["total_seconds"]["p50"];
    assert_eq!(
        (&figure("total p50")["then"], &figure("total p50")["now"]),
        (&1.0.into(), total)
    );
    assert_eq!(figure("errors")["difference"], -0.5);
    let (status, out, err) = sandbox(&["--yes", "-n", "2", "--against", file]);
    assert_eq!(status, Some(0), "{err}");
    let line = |label: &str| {
        let line = out.lines().find(|line| line.starts_with(label));
        line.unwrap_or_else(|| panic!("{label}: {out}"))
            .split_whitespace()
            .collect::<Vec<_>>()
    };
    assert_eq!(line("requests "), ["requests", "6", "2"]);
    assert_eq!(line("errors "), ["errors", "50%", "0%", "−50.0", "pts"]);
    assert_eq!(line("total p50")[2..4], ["1.00", "s"]);

    // Another endpoint or kind is refused before anything is sent, and so is no run at all.
    for (member, value, words) in [
        (
            "endpoint",
            Json::from("sdxl"),
            "it is a run of endpoint 'sdxl', this one is of 'llama-70b'",
        ),
        (
            "send",
            Json::Null,
            "it sends nothing to workers, this one sends requests on to /v1/completions",
        ),
    ] {
        let mut other = saved.clone();
        other["summary"]["run"][member] = value;
        fs::write(&base, other.to_string()).unwrap();
        let (status, out, err) = sandbox(&["--yes", "--against", file]);
        assert_eq!((status, out.as_str()), (Some(2), ""), "{err}");
        assert!(err.contains(words), "{err}");
    }
    let (mut newer, mut offers) = (saved.clone(), saved);
    newer["v"] = 2.into();
    offers["kind"] = "offers".into();
    for text in ["{}", "no json", &newer.to_string(), &offers.to_string()] {
        fs::write(&base, text).unwrap();
        let (status, _, err) = sandbox(&["--yes", "--against", file]);
        assert_eq!(status, Some(2), "{err}");
        assert!(err.contains("--against: "), "{err}");
    }
}

#[test]
fn requirements_on_parts_need_a_worker_and_are_checked() {
    let flags = ["--yes", "-n", "6", "-c", "3", "--warmup", "1", "--require"];
    let run = |list: &str| sandbox(&[&flags[..], &[list]].concat());
    let (status, out, err) = run("p95<60s, queue_p50<60s, connect_p50<60s, first_byte_p99<60s, errors<1%");
    assert_eq!(status, Some(0), "{err}");
    assert!(
        out.contains("6 requests: 6 assigned"),
        "the warm-up does not count: {out}"
    );
    let (status, _, err) = run("first_byte_p50<1ms");
    assert_eq!(status, Some(4), "{err}");
    assert!(err.contains("first_byte_p50 < 1.0 ms: it is "), "{err}");
}
