//! The past of the embedded sandbox as commands read it: simulated once, and marked.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use serde_json::Value as Json;

use super::commands::{Home, run};
use super::history::{offer, offers};
use crate::recorder::Recorder;

/// What is printed, unless to a terminal.
const NOTE: &str = "note: simulating 30 days of prices for the sandbox\n";

/// A market small enough to be simulated in a second.
const SMALL: [&str; 2] = ["--offers", "60"];

fn small(home: &Home, arguments: &[&str]) -> (i32, String, String) {
    run(&mut home.bourse(&[arguments, &SMALL].concat()))
}

fn json(home: &Home, arguments: &[&str]) -> Json {
    let (status, out, err) = small(home, &[arguments, &["--format", "json"]].concat());
    assert_eq!(status, 0, "{err}");
    assert!(!err.contains("simulating"), "once for each record: {err}");
    serde_json::from_str(&out).unwrap()
}

/// How many polls are recorded: `bourse db check` tells.
fn polls(home: &Home) -> String {
    let (status, out, err) = small(home, &["db", "check"]);
    assert_eq!(status, 0, "{err}");
    let line = out.lines().nth(1).unwrap().to_owned();
    line.split(", ").nth(1).unwrap().to_owned()
}

/// A poll every seven hours of a month, of offers and of volumes.
const ALL: &str = "206 polls";

#[test]
fn the_first_command_that_reads_the_record_simulates_it_and_all_say_so() {
    let home = Home::new();
    let (status, out, err) = small(&home, &["history", "--days", "30"]);
    assert_eq!(status, 0, "{err}");
    assert_eq!(err.matches(NOTE).count(), 1, "{err}");
    assert!(out.contains("\nPrices simulated: "), "{out}");
    assert!(!out.contains("asked, not paid"), "{out}");
    // The first day begins before the first poll, and the last one ends after the last.
    assert!(out.matches(" 100%\n").count() >= 28, "{out}");
    assert_eq!(polls(&home), ALL);

    for arguments in [&["history"][..], &["history", "--index"], &["bids", "3d"]] {
        assert_eq!(json(&home, arguments)["simulated"], true, "{arguments:?}");
    }
    let found = json(&home, &["offers", "--with", "verdict,price_per_gpu", "-n", "3"]);
    for record in found["offers"].as_array().unwrap() {
        let member = &record["bourse"];
        assert!(member["verdict"].is_string(), "{member}");
        assert_eq!(member["simulated"], true, "{member}");
    }
    let unmarked = json(&home, &["offers", "--with", "price_per_gpu", "-n", "1"]);
    assert!(unmarked["offers"][0]["bourse"].get("simulated").is_none());
    let (_, out, _) = small(&home, &["history", "--index"]);
    assert!(out.contains("of complete responses, simulated."), "{out}");
    let (_, out, _) = small(&home, &["bids", "3d"]);
    assert!(out.contains("recorded of a simulated market since"), "{out}");
    assert_eq!(polls(&home), ALL);
}

#[test]
fn a_real_market_is_neither_simulated_nor_marked() {
    let recorder = Recorder::start(|_, _| offers(&[offer(10, 0.5, "RTX 4090")]));
    let (home, url) = (Home::new(), recorder.url());
    let at = |arguments: &[&str]| {
        let (status, out, err) = run(&mut home.bourse(&[arguments, &["--base-url", &url]].concat()));
        assert_eq!(status, 0, "{err}");
        assert!(!err.contains("simulat"), "{err}");
        assert!(!out.contains("simulat"), "{out}");
        out
    };
    at(&["watch", "--no-default", "--once"]);
    assert!(at(&["history", "--no-default"]).contains("Prices asked, not paid: "));
    for arguments in [
        &["history", "--no-default", "--format", "json"][..],
        &["history", "--no-default", "--index", "--format", "json"],
        &["bids", "--no-default", "3d", "--format", "json"],
        &["offers", "--no-default", "--format", "json", "--with", "verdict"],
    ] {
        at(arguments);
    }
}

#[test]
fn a_frozen_sandbox_has_no_past() {
    let home = Home::new();
    let (status, _, err) = small(&home, &["history", "--freeze"]);
    assert_eq!(status, 0, "{err}");
    assert!(!err.contains("simulating"), "{err}");
}

#[test]
fn commands_at_once_and_one_that_is_killed_leave_one_whole_past() {
    let home = Home::new();
    let start = || {
        let mut command = home.bourse(&[&["history"], &SMALL[..]].concat());
        command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let mut killed = start();
    let mut line = String::new();
    BufReader::new(killed.stderr.as_mut().unwrap())
        .read_line(&mut line)
        .unwrap();
    assert_eq!(line, NOTE);
    killed.kill().unwrap();
    killed.wait().unwrap();
    for child in [(); 3].map(|()| start()) {
        let ended = child.wait_with_output().unwrap();
        assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    }
    assert_eq!(polls(&home), ALL);
    let (_, _, err) = small(&home, &["history"]);
    assert!(!err.contains("simulating"), "{err}");
}
