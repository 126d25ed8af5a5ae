//! Real programs that share a profile.

use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use bourse::record::Moment;
use bourse::record::store::{Database, ProgramId};

use super::open;
use crate::cli::commands::{Home, run};
use crate::cli::history::{next_second, offer, offers, watch};
use crate::pty_support::{PATIENCE, Pty};
use crate::recorder::{Recorded, Recorder};

/// A market in which each response has other prices.
fn market() -> Recorder {
    Recorder::start(|number, _| {
        let machines = (1..=40).map(|machine| {
            let price = 0.2 + 0.01 * ((number as u64 + machine) % 7) as f64;
            offer(machine, price, "RTX 4090")
        });
        offers(&machines.collect::<Vec<_>>())
    })
}

fn started(command: &mut Command) -> Child {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Every response is a poll in the file, which is sound.
fn check(home: &Home, recorder: &Recorder) {
    let (status, out, err) = run(&mut home.bourse(&["db", "check", "--base-url", &recorder.url()]));
    assert_eq!(status, 0, "{err}");
    assert!(out.contains("no damage"), "{out}");
    let polls = recorder.requests().len();
    assert!(out.contains(&format!(" {polls} polls")), "{polls}: {out}");
}

#[test]
fn two_watches_at_once_record_every_response() {
    let (recorder, home) = (market(), Home::new());
    let url = recorder.url();
    for round in 0..2 {
        if round > 0 {
            next_second();
        }
        let both = ["num_gpus=1", "num_gpus<=2"].map(|search| started(&mut watch(&home, &url, &[search, "--once"])));
        for mut child in both {
            assert!(child.wait().unwrap().success());
        }
    }
    assert_eq!(recorder.requests().len(), 4);
    check(&home, &recorder);
}

#[test]
#[ignore = "long: a minute of polls"]
fn every_response_of_two_watches_in_a_minute_is_recorded() {
    let (recorder, home) = (market(), Home::new());
    let url = recorder.url();
    let both =
        ["num_gpus=1", "num_gpus<=2"].map(|search| started(&mut watch(&home, &url, &[search, "--every", "10s"])));
    thread::sleep(Duration::from_secs(65));
    for mut child in both {
        send(&child, "-TERM");
        assert!(child.wait().unwrap().success());
    }
    assert!(recorder.requests().len() >= 12, "each asks every ten seconds");
    check(&home, &recorder);
}

/// How many requests the watch and the dashboards have sent: they differ in their limits.
fn sent(recorder: &Recorder) -> (usize, usize) {
    let requests = recorder.requests();
    let limit = |limit: u64| {
        let is_own = |request: &&Recorded| request.json()["limit"] == limit;
        requests.iter().filter(is_own).count()
    };
    (limit(3000), limit(500))
}

/// Waits until so many requests were sent.
#[track_caller]
fn wait_until(recorder: &Recorder, is_done: impl Fn((usize, usize)) -> bool) {
    let end = Instant::now() + 3 * PATIENCE;
    while !is_done(sent(recorder)) {
        assert!(Instant::now() < end, "{:?}", sent(recorder));
        thread::sleep(Duration::from_millis(50));
    }
}

fn send(child: &Child, signal: &str) {
    let id = child.id().to_string();
    let status = Command::new("kill").args([signal, &id]).status();
    assert!(status.unwrap().success());
}

const ANOTHER: &str = "recorded by another bourse";
const OWN: &str = "next refresh in";

#[test]
#[ignore = "long: three programs for minutes"]
fn one_of_a_watch_and_two_dashboards_polls_whatever_becomes_of_the_others() {
    let (recorder, home) = (market(), Home::new());
    let (url, state) = (recorder.url(), home.path().join("state"));
    let mut watch = home.bourse(&["watch", "--every", "10s", "--base-url", &url]);
    let mut watch = started(watch.env("XDG_STATE_HOME", &state));
    wait_until(&recorder, |(watch, _)| watch == 1);
    let mut desks = [(); 2].map(|()| {
        let variables = [("XDG_STATE_HOME", state.to_str().unwrap())];
        let mut pty = Pty::bourse(&["--base-url", &url], &variables, 120, 30);
        pty.wait_for_text("40 offers received");
        pty.keys("W<C-u>10s<Enter>");
        pty.wait_for_text(ANOTHER);
        pty
    });
    let (before, _) = sent(&recorder);
    wait_until(&recorder, |(watch, _)| watch >= before + 3);
    assert_eq!(sent(&recorder).1, 2, "the first rows of both");

    // One dashboard stands in for a stopped watch, until it goes on.
    send(&watch, "-STOP");
    wait_until(&recorder, |(_, desks)| desks == 5);
    let is_polling = |pty: &Pty| pty.screen_text().contains(OWN);
    assert_eq!(desks.iter().filter(|pty| is_polling(pty)).count(), 1);
    send(&watch, "-CONT");
    for pty in &desks {
        pty.wait_for_text(ANOTHER);
    }
    let (before, desks_before) = sent(&recorder);
    wait_until(&recorder, |(watch, _)| watch >= before + 3);
    assert_eq!(sent(&recorder).1, desks_before);

    // One takes over from a killed one; the other one when that ends.
    send(&watch, "-KILL");
    watch.wait().unwrap();
    wait_until(&recorder, |(_, desks)| desks >= desks_before + 3);
    let place = desks.iter().position(is_polling).unwrap();
    let [one, other] = &mut desks;
    let (polling, reading) = if place == 0 { (one, other) } else { (other, one) };
    assert!(!is_polling(reading));
    polling.keys("<C-c>");
    reading.wait_for_text(OWN);
    reading.keys("<C-c>");
    for pty in desks {
        pty.exit().assert_clean(0);
    }
}

#[test]
fn an_alert_that_several_programs_see_rings_in_one() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("history.sqlite");
    drop(open(&path));
    let claims = (0..4).map(|_| {
        let path = path.clone();
        thread::spawn(move || {
            let (mut database, program) = (open(&path), ProgramId::of_process());
            database.claim_ring("cheap", &program, Moment(1000)).unwrap()
        })
    });
    let claims: Vec<_> = claims.collect();
    let won = claims.into_iter().map(|claim| claim.join().unwrap());
    assert_eq!(won.filter(|won| *won).count(), 1);
}

#[test]
fn a_program_rings_again_and_another_one_after_ten_minutes() {
    let mut database = Database::in_memory(super::MARKET).unwrap();
    let (one, two) = (ProgramId::of_process(), ProgramId::of_process());
    let mut claim = |program: &ProgramId, alert: &str, at| database.claim_ring(alert, program, Moment(at)).unwrap();
    assert!(claim(&one, "cheap", 1000));
    assert!(!claim(&two, "cheap", 1060));
    assert!(claim(&two, "other", 1060), "another alert");
    assert!(claim(&one, "cheap", 1120), "it was clear in between");
    assert!(!claim(&two, "cheap", 1719));
    assert!(claim(&two, "cheap", 1720));
    // A clock that was a year ahead silences nothing.
    assert!(claim(&two, "cheap", 1720 + 365 * 86_400));
    assert!(claim(&one, "cheap", 1800));
}
