//! What bans leave out of commands, and `--no-bans`.

use std::fs;

use serde_json::{Value as Json, json};

use super::commands::{Home, run};
use super::history::{next_second, offer, offers, watch};
use crate::recorder::{Recorded, Recorder};

/// Bans a host in the profile of markets given by their address.
fn ban(home: &Home, host: i64) {
    let folder = home.path().join(".local/state/bourse/profiles/custom");
    fs::create_dir_all(&folder).unwrap();
    let banned = json!({ "version": 1, "kept": [{ "of": { "host": host }, "is_banned": true }] });
    fs::write(folder.join("annotations.json"), banned.to_string()).unwrap();
}

/// Whether a request chooses by host, which the documented service filters on.
fn names_hosts(request: &Recorded) -> bool {
    let body = String::from_utf8_lossy(&request.body).into_owned();
    request.path.contains("host_id") || body.contains("host_id")
}

/// Machines 10 at $0.5 and 20, whose host is banned, at $0.4.
fn market() -> (Recorder, Home) {
    let mut both = [offer(10, 0.5, "RTX 4090"), offer(20, 0.4, "RTX 4090")];
    both[1]["host_id"] = json!(8);
    let home = Home::new();
    ban(&home, 8);
    (Recorder::always(offers(&both)), home)
}

#[test]
fn what_is_banned_is_neither_recorded_nor_counted() {
    let (recorder, home) = market();
    let url = recorder.url();
    let (status, _, err) = run(&mut watch(&home, &url, &["--once"]));
    assert_eq!(status, 0, "{err}");
    assert!(err.contains("1 machine recorded"), "{err}");
    next_second();
    // Seen for the first time, but not listed: it was left out before.
    let (status, out, err) = run(&mut watch(&home, &url, &["--once", "--no-bans"]));
    assert_eq!((status, out.contains("listed")), (0, false), "{out}{err}");
    let requests = recorder.requests();
    assert!(names_hosts(&requests[0]), "the market leaves it out too");
    assert!(!names_hosts(&requests[1]));

    let lowest = |flags: &[&str]| {
        let fixed = ["history", "--no-default", "--format", "json", "--base-url", &url];
        let (_, out, _) = run(&mut home.bourse(&[&fixed, flags].concat()));
        let report: Json = serde_json::from_str(&out).unwrap();
        report["record_low"]["price"].as_f64()
    };
    assert_eq!(lowest(&[]), Some(0.5));
    assert_eq!(lowest(&["--no-bans"]), Some(0.4));
}

#[test]
fn a_condition_is_not_met_by_what_is_banned() {
    let (recorder, home) = market();
    let url = recorder.url();
    let flags = ["--once", "--if", "dph_total<0.45"];
    assert_eq!(run(&mut watch(&home, &url, &flags)).0, 4);
    next_second();
    let flags = [&flags[..], &["--no-bans"]].concat();
    assert_eq!(run(&mut watch(&home, &url, &flags)).0, 0);
}

#[test]
fn a_search_shows_what_is_banned_only_if_asked() {
    let (recorder, home) = market();
    let url = recorder.url();
    let machines = |flags: &[&str]| {
        let fixed = ["offers", "--no-default", "--columns", "machine_id", "--format", "csv"];
        let (_, out, err) = run(&mut home.bourse(&[&fixed[..], &["--base-url", &url], flags].concat()));
        let lines: Vec<String> = out.lines().skip(1).map(str::to_owned).collect();
        (lines, err)
    };
    let (lines, err) = machines(&[]);
    assert_eq!(lines, ["10"]);
    assert!(err.contains("1 hidden by your bans"), "{err}");
    let (mut lines, err) = machines(&["--no-bans"]);
    lines.sort();
    assert_eq!(lines, ["10", "20"]);
    assert!(!err.contains("bans"), "{err}");
}

#[test]
fn a_new_groups_search_leaves_banned_machines_out() {
    let (recorder, home) = market();
    let url = recorder.url();
    let create = |flags: &[&str]| {
        let fixed = ["groups", "create", "--endpoint", "mine", "--dry-run"];
        let rest = ["--search-params", "num_gpus=1", "--base-url", &url];
        let mut command = home.bourse(&[&fixed[..], &rest, flags].concat());
        let (status, out, err) = run(command.env("BOURSE_API_KEY", "canary-key-51ab"));
        assert_eq!(status, 0, "{err}");
        format!("{out}{err}")
    };
    let shown = create(&[]);
    assert!(shown.contains("your bans are part of its search"), "{shown}");
    assert!(shown.contains("host_id"), "{shown}");
    let shown = create(&["--no-bans"]);
    assert!(!shown.contains("host_id"), "{shown}");
    // It searches for what the group would recruit, and writes nothing.
    let requests = recorder.requests();
    assert!(requests.iter().all(|request| !request.path.contains("workergroups")));
}
