//! What a poll changes in the file.

use std::slice;

use bourse_record::store::Database;
use bourse_record::{Cause, Lot, Poll, Proof};
use rusqlite::Connection;

use super::support::{arrival, offer, ordered, poll, poll_of, query, rows};

/// A file, and a second connection that reads it while it is open.
struct Record {
    database: Database,
    file: Connection,
    _folder: tempfile::TempDir,
}

impl Record {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("history.sqlite");
        Self {
            database: Database::open(&path, "market").unwrap(),
            file: Connection::open(&path).unwrap(),
            _folder: folder,
        }
    }

    fn add(&mut self, poll: &Poll) {
        assert!(self.database.record(poll).unwrap());
    }

    /// Who was a member from when to when: machine, GPUs, first, beginning, last, ended, ending.
    fn members(&self) -> Vec<String> {
        rows(
            &self.file,
            "SELECT machine, gpus, first, beginning, last, ended, ending FROM member JOIN line ON line.id = line
             ORDER BY scope, machine, gpus, first",
        )
    }

    fn changes(&self) -> Vec<String> {
        rows(
            &self.file,
            "SELECT machine, until, name, value FROM change JOIN field ON field.id = field
             JOIN line ON line.id = line ORDER BY until, machine, name",
        )
    }

    fn prices(&self) -> Vec<String> {
        rows(&self.file, "SELECT machine, seen, dph_base FROM line ORDER BY machine")
    }
}

#[test]
fn a_line_is_a_member_from_the_first_poll_with_it_to_the_first_complete_one_without() {
    let mut record = Record::new();
    let [one, two] = [offer(1, 1, 1, 0.3, ""), offer(2, 2, 1, 0.4, "")];
    record.add(&poll("", slice::from_ref(&one), 0));
    record.add(&poll("", &[one.clone(), two.clone()], 60));
    record.add(&poll("", slice::from_ref(&two), 120));
    record.add(&poll("", &[one, two], 180));
    assert_eq!(
        record.members(),
        ["1 1 0 0 60 120 3", "1 1 180 1 - - -", "2 1 60 1 - - -"]
    );
}

#[test]
fn a_cut_response_ends_only_what_it_would_have_shown() {
    let mut record = Record::new();
    let [three, four, five] = [(3, 0.3), (4, 0.4), (5, 0.5)].map(|(id, price)| offer(id, id, 1, price, ""));
    // As cheap as the last row: the limit may have cut it.
    let tie = offer(9, 9, 1, 0.4, "");
    let offers = [three, four, tie, five];
    let asked = ordered("", "dph_total", 4);
    let all = poll_of(&asked, &offers, r#","truncated":false"#, &arrival(0));
    record.add(&all);
    // Up to $0.402: machine 3 would be among them, so it is gone or more expensive; 5 would not.
    record.add(&poll_of(&asked, &offers[1..2], r#","truncated":true"#, &arrival(60)));
    assert_eq!(
        record.members(),
        ["3 1 0 0 0 0 5", "4 1 0 0 - - -", "5 1 0 0 0 - -", "9 1 0 0 0 - -"]
    );
    // In no order: nothing ends that is there, and what is there again was not gone, but unseen.
    let unordered = query("");
    record.add(&poll_of(
        &unordered,
        &offers[3..],
        r#","truncated":true"#,
        &arrival(120),
    ));
    assert_eq!(
        record.members(),
        [
            "3 1 0 0 0 0 5",
            "4 1 0 0 60 - -",
            "5 1 0 0 0 0 5",
            "5 1 120 0 - - -",
            "9 1 0 0 0 - -"
        ]
    );
    record.add(&poll_of(&asked, &offers, r#","truncated":false"#, &arrival(180)));
    // The poll before was not complete: nobody knows since when machine 3 is back.
    assert_eq!(
        record.members(),
        [
            "3 1 0 0 0 0 5",
            "3 1 180 0 - - -",
            "4 1 0 0 60 60 5",
            "4 1 180 0 - - -",
            "5 1 0 0 0 0 5",
            "5 1 120 0 - - -",
            "9 1 0 0 0 0 5",
            "9 1 180 0 - - -"
        ]
    );
}

#[test]
fn without_polls_a_member_is_lost_from_sight() {
    let mut record = Record::new();
    let one = offer(1, 1, 1, 0.3, "");
    record.add(&poll("", slice::from_ref(&one), 0));
    record.add(&poll("", slice::from_ref(&one), 60));
    // Nothing is known 10 minutes after a poll.
    record.add(&poll("", &[one], 700));
    assert_eq!(record.members(), ["1 1 0 0 60 60 5", "1 1 700 0 - - -"]);
}

#[test]
fn a_failed_poll_says_nothing() {
    let mut record = Record::new();
    let one = offer(1, 1, 1, 0.3, "");
    record.add(&poll("", &[one], 0));
    let failed = Poll::failed(&query(""), &bourse_domain::Dialect::VAST, &arrival(60));
    record.add(&failed);
    assert_eq!(record.members(), ["1 1 0 0 - - -"]);
    assert_eq!(
        rows(
            &record.file,
            "SELECT at, took, proof, below, rows, every FROM response ORDER BY at"
        ),
        ["0 100 0 - 1 60", "60 100 3 - 0 60"]
    );
}

#[test]
fn the_reason_of_an_end_is_kept() {
    let mut record = Record::new();
    record.add(&poll("", &[offer(1, 1, 1, 0.3, ""), offer(2, 2, 1, 0.3, "")], 0));
    let rented = Lot {
        machine: 1,
        model: "RTX 4090".into(),
        memory: 24,
    };
    let mut gone = poll("", &[], 60);
    gone.causes = vec![(rented, Cause::Rented)];
    record.add(&gone);
    assert_eq!(record.members(), ["1 1 0 0 0 60 0", "2 1 0 0 0 60 3"]);
}

#[test]
fn a_field_that_changes_leaves_what_it_was() {
    let mut record = Record::new();
    record.add(&poll("", &[offer(1, 1, 1, 0.3, r#","reliability":0.99"#)], 0));
    record.add(&poll("", &[offer(7, 1, 1, 0.35, r#","reliability":0.9905"#)], 60));
    assert_eq!(record.changes(), ["1 60 dph_base 0.3"]);
    assert_eq!(record.prices(), ["1 60 0.35"]);
    assert_eq!(rows(&record.file, "SELECT offer FROM line"), ["7"]);
    // What a response lacks is known as before.
    record.add(&poll("", &[offer(7, 1, 1, 0.35, "")], 120));
    assert_eq!(rows(&record.file, "SELECT reliability, seen FROM line"), ["0.99 60"]);
    // A drift is measured against what is on record.
    record.add(&poll("", &[offer(7, 1, 1, 0.35, r#","reliability":0.9913"#)], 180));
    assert_eq!(record.changes(), ["1 60 dph_base 0.3", "1 180 reliability 0.99"]);
    // What becomes known was unknown before.
    record.add(&poll("", &[offer(7, 1, 1, 0.35, r#","static_ip":true"#)], 240));
    assert_eq!(record.changes()[2..], ["1 240 static_ip -"]);
}

#[test]
fn all_searches_tell_of_one_line() {
    let mut record = Record::new();
    record.add(&poll("", &[offer(1, 1, 1, 0.3, "")], 0));
    record.add(&poll("gpu_name=RTX_4090", &[offer(1, 1, 1, 0.4, "")], 30));
    assert_eq!(record.changes(), ["1 30 dph_base 0.3"]);
    assert_eq!(rows(&record.file, "SELECT count(*) FROM line"), ["1"]);
    assert_eq!(record.members(), ["1 1 0 0 - - -", "1 1 30 0 - - -"]);
}

#[test]
fn a_late_response_undoes_nothing() {
    let mut record = Record::new();
    record.add(&poll("", &[offer(1, 1, 1, 0.4, "")], 100));
    // Sent at 10, before the other one, and answered 100 seconds later.
    let mut slow = arrival(110);
    slow.took = 100_000;
    record.add(&poll_of(&query("num_gpus=1"), &[offer(1, 1, 1, 0.3, "")], "", &slow));
    assert_eq!(record.prices(), ["1 100 0.4"]);
    assert_eq!(rows(&record.file, "SELECT at FROM response ORDER BY at"), ["10", "100"]);
    assert_eq!(rows(&record.file, "SELECT ahead FROM scope"), ["0", "0"]);
}

#[test]
fn a_clock_that_was_set_back_ends_what_is_known_of_all_scopes() {
    let mut record = Record::new();
    let one = [offer(1, 1, 1, 0.3, "")];
    record.add(&poll("", &one, 5000));
    record.add(&poll("num_gpus=1", &one, 5010));
    record.add(&poll("", &one, 2000));
    // Ten minutes and a second after the last response of either.
    assert_eq!(
        rows(&record.file, "SELECT at FROM response ORDER BY at"),
        ["5000", "5010", "5611"]
    );
    assert_eq!(rows(&record.file, "SELECT ahead FROM scope"), ["3611", "3611"]);
    record.add(&poll("num_gpus=1", &one, 2010));
    assert_eq!(
        record.members(),
        [
            "1 1 5000 0 5000 5000 5",
            "1 1 5611 0 - - -",
            "1 1 5010 0 5010 5010 5",
            "1 1 5621 0 - - -"
        ]
    );
}

#[test]
fn markets_have_their_own_lines() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("history.sqlite");
    for market in ["a", "b"] {
        let mut database = Database::open(&path, market).unwrap();
        assert!(database.record(&poll("", &[offer(1, 1, 1, 0.3, "")], 0)).unwrap());
    }
    let file = Connection::open(&path).unwrap();
    assert_eq!(
        rows(
            &file,
            "SELECT name, machine FROM line JOIN market ON market.id = market"
        ),
        ["a 1", "b 1"]
    );
}

#[test]
fn equal_responses_change_nothing_but_their_own_row() {
    let mut record = Record::new();
    let offers: Vec<String> = (0..50).map(|id| offer(id, id, 1, 0.3, "")).collect();
    record.add(&poll("", &offers, 0));
    for minute in 1..20 {
        record.add(&poll("", &offers, 60 * minute));
    }
    assert_eq!(rows(&record.file, "SELECT count(*) FROM change"), ["0"]);
    assert_eq!(rows(&record.file, "SELECT count(*), max(first) FROM member"), ["50 0"]);
}

fn write_past(database: &mut Database, polls: &[Poll]) -> bool {
    let mut past = database.write_past().unwrap().unwrap();
    for poll in polls {
        past.add(poll).unwrap();
    }
    past.finish().unwrap()
}

#[test]
fn a_past_is_joined_with_what_is_recorded_already() {
    let past = |end: i64| {
        let hour = |at: i64, offers: &[String]| {
            let mut arrival = arrival(at);
            arrival.interval = Some(3600);
            poll_of(&query(""), offers, r#","truncated":false"#, &arrival)
        };
        let [one, two, three] = [1, 2, 3].map(|id| offer(id, id, 1, 0.3, ""));
        vec![
            hour(end - 7200, &[one.clone(), two.clone()]),
            hour(end - 3600, &[offer(1, 1, 1, 0.35, ""), two, three]),
        ]
    };
    let present = [offer(1, 1, 1, 0.4, ""), offer(4, 4, 1, 0.3, "")];
    let mut record = Record::new();
    record.add(&poll("", &present, 10_000));
    record.add(&poll("", &present[..1], 10_060));
    assert!(write_past(&mut record.database, &past(10_000)));
    assert_eq!(
        record.members(),
        [
            "1 1 2800 0 - - -",
            "2 1 2800 0 6400 10000 3",
            "3 1 6400 1 6400 10000 3",
            "4 1 10000 1 10000 10060 3"
        ]
    );
    assert_eq!(record.changes(), ["1 6400 dph_base 0.3", "1 10000 dph_base 0.35"]);
    assert_eq!(record.prices()[0], "1 10000 0.4");
    assert_eq!(rows(&record.file, "SELECT count(*), min(at) FROM response"), ["4 2800"]);
    for (table, many) in [("market", "1"), ("scope", "1"), ("line", "4")] {
        assert_eq!(
            rows(&record.file, &format!("SELECT count(*) FROM {table}")),
            [many],
            "{table}"
        );
    }
    assert_eq!(record.database.check().unwrap(), Vec::<String>::new());
    // Of an empty record it is all there is.
    let mut empty = Record::new();
    assert!(write_past(&mut empty.database, &past(10_000)));
    assert_eq!(
        empty.members(),
        ["1 1 2800 0 - - -", "2 1 2800 0 - - -", "3 1 6400 1 - - -"]
    );
}

#[test]
#[ignore = "measurement: prints times"]
#[expect(clippy::print_stdout)]
fn measure_three_thousand_moving_lines() {
    let mut record = Record::new();
    let offers = |turn: i64| -> Vec<String> {
        let many = (0..3000).map(|id| {
            let more = format!(
                r#","reliability":0.98,"dlperf":{},"inet_down":{},"cpu_name":"EPYC {}","disk_bw":{}"#,
                100 + turn * 7,
                500 + id,
                id % 40,
                1000 + turn * 80
            );
            offer(id, id, 1, 0.3 + 0.001 * (turn + id % 7) as f64, &more)
        });
        many.collect()
    };
    for turn in 0..60 {
        let began = std::time::Instant::now();
        let poll = poll("", &offers(turn), 10 * turn);
        let read = began.elapsed();
        record.add(&poll);
        assert_eq!(poll.proof, Proof::Complete);
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let memory = status
            .lines()
            .find(|line| line.starts_with("VmRSS"))
            .unwrap_or_default();
        println!(
            "turn {turn}: read {read:?}, written {:?}, {memory}",
            began.elapsed() - read
        );
    }
}
