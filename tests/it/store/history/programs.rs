//! Real programs that share a profile.

use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use bourse::domain::history::Moment;
use bourse::store::history::{Database, Holder};

use super::open;
use crate::cli::commands::{Home, run};
use crate::cli::history::{next_second, offer, offers, watch};
use crate::recorder::Recorder;

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

fn started(mut command: Command) -> Child {
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
    for _ in 0..3 {
        let both = ["num_gpus=1", "num_gpus<=2"]
            .map(|search| started(watch(&home, &url, &[search, "--once"])));
        for mut child in both {
            assert!(child.wait().unwrap().success());
        }
        next_second();
    }
    assert_eq!(recorder.requests().len(), 6);
    check(&home, &recorder);
}

#[test]
#[ignore = "the long variant: a minute"]
fn every_response_of_two_watches_in_a_minute_is_recorded() {
    let (recorder, home) = (market(), Home::new());
    let url = recorder.url();
    let both = ["num_gpus=1", "num_gpus<=2"]
        .map(|search| started(watch(&home, &url, &[search, "--every", "10s"])));
    thread::sleep(Duration::from_secs(65));
    for mut child in both {
        let id = child.id().to_string();
        assert!(
            Command::new("kill")
                .args(["-TERM", &id])
                .status()
                .unwrap()
                .success()
        );
        assert!(child.wait().unwrap().success());
    }
    assert!(
        recorder.requests().len() >= 12,
        "each asks every ten seconds"
    );
    check(&home, &recorder);
}

#[test]
fn an_alert_that_several_programs_see_rings_in_one() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("history.sqlite");
    drop(open(&path));
    let claims = (0..4).map(|_| {
        let path = path.clone();
        thread::spawn(move || {
            let (mut database, holder) = (open(&path), Holder::of_process());
            database.claim_ring("cheap", &holder, Moment(1000)).unwrap()
        })
    });
    let claims: Vec<_> = claims.collect();
    let won = claims.into_iter().map(|claim| claim.join().unwrap());
    assert_eq!(won.filter(|won| *won).count(), 1);
}

#[test]
fn a_program_rings_again_and_another_one_after_ten_minutes() {
    let mut database = Database::in_memory(super::MARKET).unwrap();
    let (one, two) = (Holder::of_process(), Holder::of_process());
    let mut claim =
        |holder: &Holder, alert: &str, at| database.claim_ring(alert, holder, Moment(at)).unwrap();
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
