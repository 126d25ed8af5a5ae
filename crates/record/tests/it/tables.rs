//! The file as other programs open it.

use std::os::unix::fs::PermissionsExt as _;

use bourse_record::store::{Database, HistoryError};
use rusqlite::Connection;

use super::support::{offer, poll, rows};

const SECRETS: &str = r#","hostname":"rack-7.example","public_ipaddr":"203.0.113.9","webpage":"https://host.example",
    "logo":"/static/logo.png","api_key":"key-that-nobody-sees""#;

#[test]
fn views_are_open_to_other_programs_while_the_file_is_in_use() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("history.sqlite");
    let mut database = Database::open(&path, "market").unwrap();
    let at = 1_760_000_000;
    database
        .record(&poll("", &[offer(1, 1, 1, 0.3, ""), offer(2, 2, 1, 0.5, "")], at))
        .unwrap();
    database.record(&poll("", &[offer(1, 1, 1, 0.4, "")], at + 60)).unwrap();
    let file = Connection::open(&path).unwrap();
    assert_eq!(
        rows(
            &file,
            "SELECT machine, model, gpus, round(dollars_per_hour, 4), geolocation, seen, on_offer
             FROM offers_on_record_v1 ORDER BY machine"
        ),
        [
            "1 RTX 4090 1 0.402 Oslo, NO 2025-10-09T08:54:20Z 1",
            "2 RTX 4090 1 0.502 Oslo, NO 2025-10-09T08:53:20Z 0"
        ]
    );
    assert_eq!(
        rows(
            &file,
            "SELECT machine, since, until, gpus_per_hour FROM price_history_v1 ORDER BY machine, since"
        ),
        [
            "1 2025-10-09T08:53:20Z 2025-10-09T08:54:20Z 0.3",
            "1 2025-10-09T08:54:20Z - 0.4",
            "2 2025-10-09T08:53:20Z - 0.5"
        ]
    );
    assert_eq!(
        rows(
            &file,
            "SELECT market, conditions, sent, proof, rows FROM requests_v1 ORDER BY sent"
        ),
        [
            "market disk_space>=8 rentable=true rented=false 2025-10-09T08:53:20Z complete 2",
            "market disk_space>=8 rentable=true rented=false 2025-10-09T08:54:20Z complete 1"
        ]
    );
    // And the program goes on.
    assert!(database.record(&poll("", &[], at + 120)).unwrap());
}

#[test]
fn no_address_and_no_secret_reaches_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("history.sqlite");
    let mut database = Database::open(&path, "market").unwrap();
    for turn in 0..3 {
        let offers = [offer(1, 1, 1, 0.3 + 0.1 * f64::from(turn), SECRETS)];
        database.record(&poll("", &offers, 60 * i64::from(turn))).unwrap();
    }
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        let file = entry.unwrap().path();
        let mode = file.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{}", file.display());
        let bytes = std::fs::read(&file).unwrap();
        let has = |text: &str| bytes.windows(text.len()).any(|window| window == text.as_bytes());
        for secret in ["rack-7", "203.0.113.9", "host.example", "logo.png", "key-that"] {
            assert!(!has(secret), "{secret} in {}", file.display());
        }
    }
}

#[test]
fn texts_of_hostile_length_are_cut() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("history.sqlite");
    let mut database = Database::open(&path, "market").unwrap();
    let long = "x".repeat(100_000);
    let more = format!(r#","cpu_name":"{long}","mobo_name":"{}""#, "\u{202e}".repeat(1000));
    let offers = [offer(1, 1, 1, 0.3, &more).replace("RTX 4090", &long)];
    database.record(&poll("", &offers, 0)).unwrap();
    let file = Connection::open(&path).unwrap();
    assert_eq!(
        rows(
            &file,
            "SELECT length(cpu_name), length(mobo_name), length(model) FROM line"
        ),
        ["64 64 64"]
    );
    assert!(std::fs::metadata(&path).unwrap().len() < 500_000);
}

#[test]
fn a_new_field_of_the_catalog_becomes_a_column() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("history.sqlite");
    drop(Database::open(&path, "market").unwrap());
    let file = Connection::open(&path).unwrap();
    // As an earlier version left it.
    file.execute_batch(
        "DROP VIEW offers_on_record_v1; ALTER TABLE line DROP COLUMN cpu_ghz; DELETE FROM field WHERE name = 'cpu_ghz'",
    )
    .unwrap();
    let mut database = Database::open(&path, "market").unwrap();
    database
        .record(&poll("", &[offer(1, 1, 1, 0.3, r#","cpu_ghz":2.5"#)], 0))
        .unwrap();
    assert_eq!(rows(&file, "SELECT cpu_ghz FROM line"), ["2.5"]);
    assert_eq!(rows(&file, "SELECT count(*) FROM field WHERE name = 'cpu_ghz'"), ["1"]);
}

#[test]
fn implausible_times_are_damage() {
    for sql in [
        "UPDATE response SET at = 9000000000000",
        "UPDATE scope SET ahead = -1",
        "UPDATE member SET last = 0, ended = 9000000000000, ending = 3",
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("history.sqlite");
        let mut database = Database::open(&path, "market").unwrap();
        database.record(&poll("", &[offer(1, 1, 1, 0.3, "")], 0)).unwrap();
        drop(database);
        assert_eq!(Connection::open(&path).unwrap().execute(sql, []).unwrap(), 1, "{sql}");
        let error = Database::open(&path, "market").unwrap_err();
        assert!(matches!(error, HistoryError::Corrupt { .. }), "{sql}: {error}");
    }
}
