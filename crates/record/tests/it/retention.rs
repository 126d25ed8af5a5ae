//! What is kept of the past.

use bourse_record::Moment;
use bourse_record::store::{Database, Limits};
use rusqlite::Connection;

use super::support::{offer, poll, rows};

#[test]
fn the_past_goes_at_one_border_and_the_present_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("history.sqlite");
    let mut database = Database::open(&path, "market").unwrap().with_limits(Limits {
        age: 900,
        ..Limits::default()
    });
    let price = |at: i64| 0.3 + 0.0001 * at as f64;
    for at in (0..3000).step_by(300) {
        let mut offers = vec![offer(1, 1, 1, price(at), "")];
        if at < 600 {
            offers.push(offer(2, 2, 1, 0.5, ""));
        }
        database.record(&poll("", &offers, at)).unwrap();
    }
    database.sweep(Moment(2700)).unwrap();
    let file = Connection::open(&path).unwrap();
    assert_eq!(rows(&file, "SELECT min(at), count(*) FROM response"), ["1800 4"]);
    // Machine 2 was last seen at 300.
    assert_eq!(rows(&file, "SELECT machine FROM line"), ["1"]);
    assert_eq!(rows(&file, "SELECT line, first, ended FROM member"), ["1 0 -"]);
    // The price of each kept response is known; what was until the first of them is of no use.
    assert_eq!(
        rows(&file, "SELECT until, round(value, 4) FROM change ORDER BY until"),
        ["2100 0.48", "2400 0.51", "2700 0.54"]
    );
    assert_eq!(database.check().unwrap(), Vec::<String>::new());
}

#[test]
fn a_scope_that_nobody_asks_for_goes_with_its_last_response() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("history.sqlite");
    let mut database = Database::open(&path, "market").unwrap().with_limits(Limits {
        age: 1000,
        ..Limits::default()
    });
    database
        .record(&poll("num_gpus=1", &[offer(1, 1, 1, 0.3, "")], 0))
        .unwrap();
    database.record(&poll("", &[offer(2, 2, 1, 0.3, "")], 5000)).unwrap();
    database.sweep(Moment(5000)).unwrap();
    let file = Connection::open(&path).unwrap();
    assert_eq!(rows(&file, "SELECT count(*) FROM scope"), ["1"]);
    assert_eq!(rows(&file, "SELECT machine FROM line"), ["2"]);
}

#[test]
fn the_file_stays_within_its_size() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("history.sqlite");
    let limit = 600_000;
    let mut database = Database::open(&path, "market").unwrap().with_limits(Limits {
        size: limit,
        ..Limits::default()
    });
    let mut newest = 0;
    for turn in 0..60 {
        newest = 60 * turn;
        let offers: Vec<String> = (0..100)
            .map(|id| offer(id, id, 1, 0.3 + 0.001 * ((turn * 7 + id) % 100) as f64, ""))
            .collect();
        database.record(&poll("", &offers, newest)).unwrap();
        assert!(database.contents().unwrap().size <= limit + 200_000, "turn {turn}");
    }
    let file = Connection::open(&path).unwrap();
    assert_eq!(rows(&file, "SELECT max(at) FROM response"), [newest.to_string()]);
    assert_eq!(rows(&file, "SELECT count(*) FROM member WHERE ended IS NULL"), ["100"]);
    assert_eq!(database.check().unwrap(), Vec::<String>::new());
}
