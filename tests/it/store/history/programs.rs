//! Real programs that share a profile.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use bourse::record::Moment;
use bourse::record::store::{Database, ProgramId};
use rustix::process::Signal;

use super::open;
use crate::cli::commands::{Home, run};
use crate::cli::history::{next_second, offer, offers, watch};
use crate::pty_support::{PATIENCE, Pty, send_signal};
use crate::recorder::Recorder;

/// A market in which each response has other prices.
fn market() -> Recorder {
    market_noting(|| {})
}

/// The same, which calls `note` for each request.
fn market_noting(note: impl Fn() + Send + 'static) -> Recorder {
    Recorder::start(move |number, _| {
        note();
        let machines = (1..=40).map(|machine| {
            let price = 0.2 + 0.01 * ((number as u64 + machine) % 7) as f64;
            offer(machine, price, "RTX 4090")
        });
        offers(&machines.collect::<Vec<_>>())
    })
}

/// A program without a terminal. A test that fails ends it, too: it would ask for ever.
struct Program(Child);

impl Program {
    fn start(command: &mut Command, output: impl Into<Stdio>) -> Self {
        let command = command.stdin(Stdio::null()).stdout(output).stderr(Stdio::null());
        Self(command.spawn().unwrap())
    }

    #[track_caller]
    fn assert_success(mut self) {
        assert!(self.0.wait().unwrap().success());
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// How many polls the record has, which is sound.
fn polls(home: &Home, recorder: &Recorder) -> usize {
    let (status, out, err) = run(&mut home.bourse(&["db", "check", "--base-url", &recorder.url()]));
    assert_eq!(status, 0, "{err}");
    assert!(out.contains("no damage"), "{out}");
    let (before, _) = out.split_once(" polls").expect(&out);
    let number = before.split_whitespace().next_back().expect(&out);
    number.replace(',', "").parse().expect(&out)
}

#[test]
fn two_watches_at_once_record_every_response() {
    let (recorder, home) = (market(), Home::new());
    let url = recorder.url();
    for round in 0..2 {
        if round > 0 {
            next_second();
        }
        let both = ["num_gpus=1", "num_gpus<=2"]
            .map(|search| Program::start(&mut watch(&home, &url, &[search, "--once"]), Stdio::null()));
        both.into_iter().for_each(Program::assert_success);
    }
    assert_eq!((recorder.requests().len(), polls(&home, &recorder)), (4, 4));
}

#[test]
#[ignore = "long: half a minute of polls"]
fn every_response_of_two_watches_is_recorded() {
    let (recorder, home) = (market(), Home::new());
    let url = recorder.url();
    let both = ["num_gpus=1", "num_gpus<=2"]
        .map(|search| Program::start(&mut watch(&home, &url, &[search, "--every", "10s"]), Stdio::null()));
    wait_until("a poll of each response", || {
        let requests = recorder.requests().len();
        requests >= 8 && polls(&home, &recorder) == requests
    });
    for program in both {
        send_signal(program.0.id(), Signal::TERM);
        program.assert_success();
    }
}

/// Waits until something has become true, however slow the machine is.
#[track_caller]
fn wait_until(what: &str, is_true: impl Fn() -> bool) {
    let end = Instant::now() + 3 * PATIENCE;
    while !is_true() {
        assert!(Instant::now() < end, "waited in vain for {what}");
        thread::sleep(Duration::from_millis(50));
    }
}

/// Waits for so many more requests, whichever program sends them.
#[track_caller]
fn wait_for_requests(recorder: &Recorder, more: usize) {
    let wanted = recorder.requests().len() + more;
    wait_until("requests", || recorder.requests().len() >= wanted);
}

/// Seconds since the newest prices that a dashboard has: those of its rows, or those that another program recorded.
fn age(screen: &str) -> Option<u64> {
    let another = "recorded by another bourse, ";
    let label = if screen.contains(another) { another } else { "updated " };
    let (_, behind) = screen.split_once(label)?;
    let (seconds, _) = behind.split_once(" s ago")?;
    seconds.parse().ok()
}

#[track_caller]
fn wait_until_current(desk: &Pty) {
    let is_current = |screen: &vt100::Screen| age(&screen.contents()).is_some_and(|age| age < 20);
    desk.wait_for("prices of the last two intervals", is_current);
}

/// A watch and two dashboards of one search, every 10 seconds.
#[test]
#[ignore = "long: three programs for minutes"]
fn programs_stay_current_with_one_request_an_interval_whatever_becomes_of_the_others() {
    let received = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&received);
    let recorder = market_noting(move || noted.lock().unwrap().push(Instant::now()));
    let home = Home::new();
    let (url, state) = (recorder.url(), home.path().join("state"));
    let path = home.path().join("events");
    let mut command = home.bourse(&["watch", "--every", "10s", "--base-url", &url]);
    let watch = Program::start(command.env("XDG_STATE_HOME", &state), fs::File::create(&path).unwrap());
    wait_for_requests(&recorder, 1);
    let desks = [(); 2].map(|()| {
        let variables = [("XDG_STATE_HOME", state.to_str().unwrap())];
        let mut pty = Pty::bourse(&["--base-url", &url], &variables, 120, 30);
        pty.wait_for_text("40 received");
        pty.keys("W<C-u>10s<Enter>");
        pty
    });
    wait_for_requests(&recorder, 1);
    let before = recorder.requests().len();
    let events = || fs::metadata(&path).unwrap().len();

    // Each of them is stopped for a while, also the one that happens to send the requests.
    let programs = [watch.0.id(), desks[0].id(), desks[1].id()];
    for stopped in programs {
        let printed = events();
        send_signal(stopped, Signal::STOP);
        wait_for_requests(&recorder, 3);
        for desk in desks.iter().filter(|desk| desk.id() != stopped) {
            wait_until_current(desk);
        }
        if stopped != watch.0.id() {
            wait_until("changes that the watch prints", || events() > printed);
        }
        send_signal(stopped, Signal::CONT);
    }
    let printed = events();
    desks.iter().for_each(wait_until_current);
    wait_until("changes that the watch prints", || events() > printed);

    // The others go on after one is killed, and the last after another one is left.
    drop(watch);
    wait_for_requests(&recorder, 3);
    desks.iter().for_each(wait_until_current);
    let [mut left, mut last] = desks;
    left.keys("<C-c>");
    left.exit().assert_clean(0);
    wait_for_requests(&recorder, 3);
    wait_until_current(&last);
    last.keys("<C-c>");
    last.exit().assert_clean(0);

    // One request an interval. A program that was interrupted in its turn may send its request after another one's.
    let received = received.lock().unwrap();
    let requests = &received[before - 1..];
    let (first, last) = (requests[0], requests[requests.len() - 1]);
    let (intervals, interruptions) = ((last - first).as_secs() / 10 + 1, programs.len() + 2);
    let most = usize::try_from(intervals).unwrap() + interruptions;
    assert!(
        requests.len() <= most,
        "{} requests in {intervals} intervals",
        requests.len()
    );
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
