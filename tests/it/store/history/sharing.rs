//! Several programs on one file, and programs that are killed while they write.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::Duration;

use bourse::record::Poll;

use super::{START, about, everything, open, poll_of};
use crate::cases::cases;
use crate::polls::query;

const PATH: &str = "BOURSE_TEST_HISTORY";

/// A poll that reprices half of the machines.
fn busy(number: i64, conditions: &str) -> Poll {
    let price = |machine: i64| 0.5 + 0.001 * f64::from(i32::try_from((number + machine) % 2).unwrap());
    let seen: Vec<_> = (1..=50).map(|machine| (machine, 1, price(machine * number))).collect();
    poll_of(conditions, 60 * number, &seen)
}

#[test]
fn two_programs_that_record_at_once_lose_nothing() {
    let polls = cases(60, 300);
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("history.sqlite");
    let ready = Arc::new(Barrier::new(2));
    let threads = ["gpu_ram>=1", "cpu_cores>=1"].map(|conditions| {
        let (path, ready) = (path.clone(), Arc::clone(&ready));
        thread::spawn(move || {
            ready.wait();
            // Both create and migrate the file.
            let mut database = open(&path);
            for number in 0..polls {
                assert_eq!(database.record(&busy(number, conditions)), Ok(true));
            }
        })
    });
    for thread in threads {
        thread.join().unwrap();
    }
    let database = open(&path);
    assert_eq!(database.check().unwrap(), Vec::<String>::new());
    for conditions in ["gpu_ram>=1", "cpu_cores>=1"] {
        let excerpt = database.excerpt(&about(conditions)).unwrap();
        assert_eq!(excerpt.polls.len() as i64, polls);
        let open = excerpt.spells.iter().filter(|spell| spell.end.is_none());
        assert_eq!(open.count(), 50);
    }
}

/// The program that is killed: records until then, and tells each poll that is recorded.
#[test]
#[ignore = "run by the tests that kill it"]
fn records_until_it_is_killed() {
    let Some(path) = std::env::var_os(PATH).map(PathBuf::from) else {
        return;
    };
    let mut database = open(&path);
    let sent = database.sent(&query("gpu_ram>=24")).unwrap();
    let before = sent.map_or(START, |(_, last)| last.0);
    let mut out = std::io::stdout();
    for number in (before - START) / 60 + 1.. {
        database.record(&busy(number, "gpu_ram>=24")).unwrap();
        writeln!(out, "\nrecorded {number}").unwrap();
        out.flush().unwrap();
    }
}

/// Starts the program and kills it after a while; the last poll that it has told.
fn kill_after(path: &Path, pause: Duration) -> i64 {
    let name = "store::history::sharing::records_until_it_is_killed";
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name, "--ignored", "--nocapture", "--test-threads", "1"])
        .env(PATH, path)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut reported = lines.map_while(Result::ok).filter_map(|line| {
        let number = line.strip_prefix("recorded ")?;
        number.parse::<i64>().ok()
    });
    let first = reported.next().expect("it records");
    thread::sleep(pause);
    child.kill().unwrap();
    child.wait().unwrap();
    reported.last().unwrap_or(first)
}

fn survives(kills: u64) {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("history.sqlite");
    let random = &mut fastrand::Rng::with_seed(16);
    for kill in 0..kills {
        let reported = kill_after(&path, Duration::from_micros(random.u64(0..60_000)));
        let database = open(&path);
        assert_eq!(database.check().unwrap(), Vec::<String>::new(), "kill {kill}");
        let excerpt = database.excerpt(&everything()).unwrap();
        let last = excerpt.polls.last().unwrap().at.0;
        // What was told is there; the poll that was being written may be.
        let number = (last - START) / 60;
        assert!(
            (reported..=reported + 1).contains(&number),
            "kill {kill}: {reported} reported, {number} there"
        );
        assert_eq!(i64::try_from(excerpt.polls.len()).unwrap(), number, "kill {kill}");
        let open = excerpt.spells.iter().filter(|spell| spell.end.is_none());
        assert_eq!(open.count(), 50, "kill {kill}");
    }
}

#[test]
fn a_kill_loses_at_most_the_poll_being_written() {
    survives(cases(4, 200));
}
