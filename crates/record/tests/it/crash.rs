//! Programs that are killed while they record, migrate or delete.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use bourse_record::Poll;
use bourse_record::store::{Database, Limits};
use rusqlite::{Connection, params};

use super::support::{file_of_version_9, offer, poll, rows};

const PATH: &str = "BOURSE_TEST_RECORD";

/// Every case where the long tests run, else some.
fn kills(some: u64, all: u64) -> u64 {
    if std::env::var_os("BOURSE_ALL_CASES").is_some() {
        all
    } else {
        some
    }
}

fn price(number: i64, machine: i64) -> f64 {
    0.5 + 0.001 * ((number * 7 + machine) % 50) as f64
}

/// Forty machines, each at another price than before; one of them is not there.
fn busy(number: i64) -> Poll {
    let there = (0..41).filter(|machine| *machine != number % 41);
    let offers: Vec<String> = there
        .map(|machine| offer(machine, machine, 1, price(number, machine), ""))
        .collect();
    poll("", &offers, 60 * number)
}

fn open(path: &Path) -> Database {
    let limits = Limits {
        size: 350_000,
        ..Limits::default()
    };
    Database::open(path, "market").unwrap().with_limits(limits)
}

/// The program that is killed: it records until then, and prints each poll that is recorded. The file is so small that it
/// deletes the oldest polls all the time.
#[test]
#[ignore = "run by the tests that kill it"]
fn records_until_it_is_killed() {
    let Some(path) = std::env::var_os(PATH).map(PathBuf::from) else {
        return;
    };
    let mut database = open(&path);
    let before = Connection::open(&path).unwrap().query_row(
        "SELECT coalesce(max(at), 0) FROM (SELECT at FROM response UNION SELECT at FROM poll)",
        [],
        |row| row.get::<_, i64>(0),
    );
    let mut out = std::io::stdout();
    for number in before.unwrap() / 60 + 1.. {
        assert!(database.record(&busy(number)).unwrap());
        writeln!(out, "\nrecorded {number}").unwrap();
        out.flush().unwrap();
    }
}

fn start(path: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "crash::records_until_it_is_killed",
            "--ignored",
            "--nocapture",
        ])
        .env(PATH, path)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Each response that is kept has what it said: who was there, and at which price.
fn is_consistent(path: &Path) {
    assert_eq!(open(path).check().unwrap(), Vec::<String>::new());
    let file = Connection::open(path).unwrap();
    let responses: Vec<i64> = rows(&file, "SELECT at FROM response ORDER BY at")
        .iter()
        .map(|at| at.parse().unwrap())
        .collect();
    let mut there = file
        .prepare(
            "SELECT machine, coalesce((SELECT value FROM change WHERE change.line = line.id AND until > ?1 AND field =
                 (SELECT id FROM field WHERE name = 'dph_base') ORDER BY until LIMIT 1), dph_base)
             FROM member JOIN line ON line.id = member.line
             WHERE first <= ?1 AND (ended IS NULL OR ended > ?1) ORDER BY machine",
        )
        .unwrap();
    for at in responses {
        let number = at / 60;
        let seen: Vec<(i64, f64)> = there
            .query_map([at], |row| Ok((row.get(0)?, row.get(1)?)))
            .unwrap()
            .collect::<Result<_, _>>()
            .unwrap();
        let expected = (0..41).filter(|machine| *machine != number % 41);
        let expected: Vec<(i64, f64)> = expected.map(|machine| (machine, price(number, machine))).collect();
        assert_eq!(seen, expected, "poll {number}");
    }
}

#[test]
fn a_kill_at_any_moment_loses_at_most_the_poll_being_written() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("history.sqlite");
    let random = &mut fastrand::Rng::with_seed(20);
    let mut database = open(&path);
    for number in 1..150 {
        database.record(&busy(number)).unwrap();
    }
    drop(database);
    for kill in 0..kills(6, 150) {
        let mut child = start(&path);
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut found = lines.map_while(Result::ok).filter_map(|line| {
            let number = line.strip_prefix("recorded ")?;
            number.parse::<i64>().ok()
        });
        let first = found.next().expect("it records");
        thread::sleep(Duration::from_micros(random.u64(0..400_000)));
        child.kill().unwrap();
        child.wait().unwrap();
        let found = found.last().unwrap_or(first);
        is_consistent(&path);
        let last: i64 = rows(&Connection::open(&path).unwrap(), "SELECT max(at) FROM response")[0]
            .parse()
            .unwrap();
        assert!(
            (found..=found + 1).contains(&(last / 60)),
            "kill {kill}: {found} found, {last}"
        );
    }
    let kept: i64 = rows(&Connection::open(&path).unwrap(), "SELECT min(at) FROM response")[0]
        .parse()
        .unwrap();
    assert!(kept > 60, "nothing was deleted: the test tells less than it seems");
}

/// A file of version 0.1 that has 29 polls of forty machines, each at another price than before.
fn earlier(path: &Path) {
    let mut file = file_of_version_9(path);
    let file = file.transaction().unwrap();
    file.execute(
        "INSERT INTO search (id, market, resource, offer_type, conditions) VALUES (1, 'market', 0, 0, '')",
        [],
    )
    .unwrap();
    for machine in 0..41 {
        file.execute(
            "INSERT INTO lot (id, machine, model) VALUES (?1, ?1, 'RTX 4090')",
            [machine],
        )
        .unwrap();
    }
    for number in 1..30 {
        let at = 60 * number;
        file.execute(
            "INSERT INTO poll (search, at, took, outcome, found, every) VALUES (1, ?1, 100, 0, 40, 60)",
            [at],
        )
        .unwrap();
        for machine in (0..41).filter(|machine| *machine != number % 41) {
            let is_over = number < 29;
            file.execute(
                "INSERT INTO spell (search, lot, amount, price, offer, beginning, first, last, ending, ended)
                 VALUES (1, ?1, 1, ?2, ?1, 1, ?3, ?4, ?5, ?6)",
                params![
                    machine,
                    price(number, machine),
                    at,
                    is_over.then_some(at),
                    is_over.then_some(4),
                    is_over.then_some(at + 60)
                ],
            )
            .unwrap();
        }
    }
    file.commit().unwrap();
}

#[test]
fn a_migration_that_is_killed_begins_again_and_keeps_what_was() {
    let root = tempfile::tempdir().unwrap();
    let random = &mut fastrand::Rng::with_seed(9);
    for kill in 0..kills(6, 150) {
        let path = root.path().join(format!("{kill}.sqlite"));
        earlier(&path);
        let before = |path: &Path| {
            let file = Connection::open(path).unwrap();
            let spells = "SELECT sum(price), count(*), max(first) FROM spell WHERE first <= 1740";
            [
                rows(&file, spells),
                rows(&file, "SELECT count(*) FROM poll WHERE at <= 1740"),
            ]
            .concat()
        };
        let expected = before(&path);
        let mut child = start(&path);
        thread::sleep(Duration::from_micros(random.u64(0..150_000)));
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(open(&path).check().unwrap(), Vec::<String>::new(), "kill {kill}");
        assert_eq!(before(&path), expected, "kill {kill}");
        let file = Connection::open(&path).unwrap();
        assert_eq!(rows(&file, "PRAGMA user_version"), ["11"], "kill {kill}");
        is_consistent(&path);
    }
}
