//! Files that are new, old, of a later version, damaged, locked or not to be written.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use bourse::record::store::{Database, HistoryError, Limits, ProgramId};
use rusqlite::Connection;

use super::{MARKET, START, about, everything, open, poll};
use bourse::record::{Moment, PollOutcome, VerdictBasis};

use crate::cases::cases;
use crate::polls::query;

fn refused(path: &Path) -> HistoryError {
    Database::open(path, MARKET).unwrap_err()
}

#[test]
fn a_new_file_is_private_with_all_that_is_beside_it() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("profiles/work/history.sqlite");
    let mut database = open(&path);
    database.record(&poll(0, &[(10, 1, 0.5)])).unwrap();
    let folder = path.parent().unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(folder), 0o700);
    let files: Vec<_> = fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()).collect();
    assert_eq!(files.len(), 3, "{files:?}");
    for file in files {
        assert_eq!(mode(&file), 0o600, "{}", file.display());
    }
    drop(database);
    // Opened to others meanwhile.
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    drop(open(&path));
    assert_eq!(mode(&path), 0o600);
}

/// The tables of the first version, with a poll and a spell.
const FIRST: &str = "
    PRAGMA application_id = 1651667813;
    CREATE TABLE search (id INTEGER PRIMARY KEY, market TEXT NOT NULL, resource INTEGER NOT NULL,
        offer_type INTEGER NOT NULL, conditions TEXT NOT NULL,
        UNIQUE (market, resource, offer_type, conditions));
    CREATE TABLE poll (search INTEGER NOT NULL REFERENCES search (id) ON DELETE CASCADE,
        at INTEGER NOT NULL, took INTEGER NOT NULL, outcome INTEGER NOT NULL,
        found INTEGER NOT NULL, every INTEGER, PRIMARY KEY (search, at)) WITHOUT ROWID;
    CREATE TABLE lot (id INTEGER PRIMARY KEY, machine INTEGER NOT NULL, model TEXT NOT NULL,
        host INTEGER, UNIQUE (machine, model));
    CREATE INDEX lot_model ON lot (model);
    CREATE TABLE spell (id INTEGER PRIMARY KEY,
        search INTEGER NOT NULL REFERENCES search (id) ON DELETE CASCADE,
        lot INTEGER NOT NULL REFERENCES lot (id), amount INTEGER NOT NULL, price REAL NOT NULL,
        offer INTEGER NOT NULL, beginning INTEGER NOT NULL, was REAL, first INTEGER NOT NULL,
        last INTEGER, ending INTEGER, ended INTEGER);
    CREATE UNIQUE INDEX spell_open ON spell (search, lot) WHERE ending IS NULL;
    CREATE INDEX spell_closed ON spell (search, ended, first, lot, amount, price, offer, beginning,
        was, last, ending) WHERE ending IS NOT NULL;
    CREATE INDEX spell_lot ON spell (lot, search);
    INSERT INTO search VALUES (1, 'https://market.example', 0, 0, 'gpu_ram>=24');
    INSERT INTO poll VALUES (1, 1795176000, 80, 0, 1, 60);
    INSERT INTO lot VALUES (1, 10, 'RTX 4090', 1);
    INSERT INTO spell VALUES (1, 1, 1, 2, 0.5, 1000, 0, NULL, 1795176000, NULL, NULL, NULL);
    PRAGMA user_version = 1;";

#[test]
fn a_file_of_the_first_version_goes_on() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("history.sqlite");
    Connection::open(&path).unwrap().execute_batch(FIRST).unwrap();
    let mut database = open(&path);
    database.record(&poll(60, &[(10, 2, 0.25)])).unwrap();
    let excerpt = database.excerpt(&everything()).unwrap();
    assert_eq!(excerpt.polls[0].outcome, PollOutcome::Complete);
    let prices: Vec<_> = excerpt.spells.iter().map(|spell| spell.price).collect();
    assert_eq!(prices, [0.5, 0.25]);
    // Its price of 0.5 included 50 GB and is of no known number of GPUs: no verdict counts it.
    assert_eq!(excerpt.spells[0].quotes, []);
    assert!(!excerpt.polls[0].has_lowest && excerpt.polls[1].has_lowest);
    let (_, newest) = database.sent(&query("gpu_ram>=24")).unwrap().unwrap();
    let asked = VerdictBasis::new(about("gpu_ram>=24 num_gpus=1").query, newest);
    let memory = database.ask(&asked).unwrap().unwrap();
    assert_eq!((memory.lowest, memory.watched), (Some(0.25), 0));
    assert_eq!(database.check().unwrap(), Vec::<String>::new());
}

/// What the versions up to the fifth added, which kept leases and the responses that programs shared.
const FIFTH: &str = "
    CREATE TABLE lease (search INTEGER PRIMARY KEY REFERENCES search (id) ON DELETE CASCADE,
        holder TEXT NOT NULL, until INTEGER NOT NULL);
    ALTER TABLE poll ADD COLUMN bans INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE search ADD COLUMN ahead INTEGER NOT NULL DEFAULT 0;
    DROP INDEX spell_closed;
    CREATE INDEX spell_ended ON spell (search, ended) WHERE ending IS NOT NULL;
    CREATE TABLE block (search INTEGER NOT NULL REFERENCES search (id) ON DELETE CASCADE,
        since INTEGER NOT NULL, until INTEGER NOT NULL, spells BLOB NOT NULL,
        UNIQUE (search, until));
    CREATE TABLE ring (alert TEXT PRIMARY KEY, holder TEXT NOT NULL, at INTEGER NOT NULL)
        WITHOUT ROWID;
    CREATE TABLE turn (market TEXT NOT NULL, request TEXT NOT NULL, holder TEXT NOT NULL,
        until INTEGER NOT NULL, every INTEGER NOT NULL, wanted INTEGER NOT NULL DEFAULT 0, at REAL,
        body TEXT, PRIMARY KEY (market, request));
    INSERT INTO lease VALUES (1, 'a', 1795176180);
    INSERT INTO ring VALUES ('cheap', 'a', 1795176000);
    PRAGMA user_version = 5;";

/// Whether any file of a folder holds a text.
fn is_found(folder: &Path, text: &str) -> bool {
    fs::read_dir(folder).unwrap().any(|entry| {
        let bytes = fs::read(entry.unwrap().path()).unwrap();
        bytes.windows(text.len()).any(|part| part == text.as_bytes())
    })
}

/// A file of the fifth version.
fn fifth(path: &Path) -> Connection {
    let earlier = Connection::open(path).unwrap();
    earlier.pragma_update(None, "journal_mode", "WAL").unwrap();
    earlier.execute_batch(FIRST).unwrap();
    earlier.execute_batch(FIFTH).unwrap();
    earlier
}

/// Stores a response as the fifth version did.
fn keep(earlier: &Connection, times: usize) {
    let insert = "INSERT INTO turn VALUES ('m', 'r', 'a', 0, 30, 0, 0, ?1)";
    let body = "marker-51ab ".repeat(times);
    earlier.execute(insert, [body]).unwrap();
}

#[test]
fn files_that_were_moved_aside_are_cleaned_too() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("history.sqlite");
    let earlier = fifth(&path);
    keep(&earlier, 1000);
    drop(earlier);
    let aside = Database::set_aside(&path, "2026-10-01").unwrap().unwrap();
    fs::write(root.path().join("history.sqlite.2026-10-02"), "no database").unwrap();
    assert!(is_found(root.path(), "marker-51ab"));

    drop(open(&path));
    assert!(!is_found(root.path(), "marker-51ab"));
    let excerpt = open(&aside).excerpt(&everything());
    assert_eq!(excerpt.unwrap().spells.len(), 1, "its prices are still there");
    assert!(is_found(root.path(), "no database"));
}

#[test]
fn responses_that_an_earlier_version_kept_are_removed_without_a_trace() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("history.sqlite");
    let earlier = fifth(&path);
    let keep = |times: usize| keep(&earlier, times);
    keep(10_000);
    earlier
        .execute_batch("DELETE FROM turn; PRAGMA wal_checkpoint(TRUNCATE)")
        .unwrap();
    assert!(is_found(root.path(), "marker-51ab"), "in free pages");
    keep(1000);
    // One that was killed leaves its log.
    std::mem::forget(earlier);

    let mut database = open(&path);
    assert!(!is_found(root.path(), "marker-51ab"));
    database.record(&poll(60, &[(10, 2, 0.25)])).unwrap();
    let excerpt = database.excerpt(&everything());
    assert_eq!(excerpt.unwrap().spells.len(), 2);
    let program = ProgramId::of_process();
    let rang = database.claim_ring("cheap", &program, Moment(START + 60));
    assert_eq!(rang, Ok(false), "the other program has rung");
    assert_eq!(database.check().unwrap(), Vec::<String>::new());
}

#[test]
fn programs_that_start_together_all_open_a_new_file() {
    for _ in 0..cases(6, 50) {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("history.sqlite");
        let gate = std::sync::Barrier::new(4);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    gate.wait();
                    Database::open(&path, MARKET).unwrap();
                });
            }
        });
    }
}

#[test]
fn a_file_of_a_later_version_is_not_touched() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("history.sqlite");
    drop(open(&path));
    let newer = Connection::open(&path).unwrap();
    newer.pragma_update(None, "user_version", 99).unwrap();
    newer.pragma_update(None, "journal_mode", "DELETE").unwrap();
    drop(newer);
    let before = fs::read(&path).unwrap();
    let error = refused(&path);
    assert!(matches!(error, HistoryError::Newer { .. }), "{error}");
    assert!(error.to_string().contains("newer bourse"), "{error}");
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn damage_is_told_with_what_to_do_and_nothing_is_moved() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("history.sqlite");
    fs::write(
        &path,
        "no database at all, but long enough for a header of one ".repeat(40),
    )
    .unwrap();
    let error = refused(&path);
    assert!(matches!(error, HistoryError::Corrupt { .. }), "{error}");
    assert!(error.to_string().contains("bourse db reset"), "{error}");
    assert_eq!(fs::read_dir(root.path()).unwrap().count(), 1);

    // The pages in the middle: the first and the last ones list the tables and views.
    fs::remove_file(&path).unwrap();
    let mut database = open(&path);
    let seen: Vec<_> = (1..=3000).map(|machine| (machine, 1, 0.5)).collect();
    database.record(&poll(0, &seen)).unwrap();
    database.vacuum(Moment(0)).unwrap();
    drop(database);
    let mut bytes = fs::read(&path).unwrap();
    let quarter = bytes.len() / 4096 / 4 * 4096;
    bytes[quarter..3 * quarter].fill(0xa5);
    fs::write(&path, bytes).unwrap();
    let mut database = open(&path);
    let found = database.check();
    assert!(!matches!(&found, Ok(wrong) if wrong.is_empty()), "{found:?}");
    let read = database.excerpt(&everything());
    assert!(matches!(read, Err(HistoryError::Corrupt { .. })));
    let error = database.record(&poll(60, &seen)).unwrap_err();
    assert!(matches!(error, HistoryError::Corrupt { .. }), "{error}");
}

#[test]
fn another_programs_database_is_left_alone() {
    for script in [
        "PRAGMA application_id = 7;",
        "CREATE TABLE search (secret TEXT);",
        "CREATE TABLE other (secret TEXT); PRAGMA user_version = 3;",
        "PRAGMA user_version = 99;",
    ] {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("history.sqlite");
        Connection::open(&path).unwrap().execute_batch(script).unwrap();
        let before = fs::read(&path).unwrap();
        let error = refused(&path);
        assert!(matches!(error, HistoryError::Foreign { .. }), "{error}");
        let reported = error.to_string();
        assert!(reported.ends_with("is another program's database and is not changed"));
        assert_eq!(fs::read(&path).unwrap(), before, "{script}");
    }
}

#[test]
fn a_table_that_is_missing_is_damage_without_sql() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("history.sqlite");
    let mut database = open(&path);
    let other = Connection::open(&path).unwrap();
    other.execute_batch("DROP TABLE member").unwrap();
    let error = database.record(&poll(0, &[(10, 2, 0.25)])).unwrap_err();
    assert!(matches!(error, HistoryError::Corrupt { .. }), "{error}");
}

#[test]
fn triggers_in_a_file_never_run() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("history.sqlite");
    drop(open(&path));
    let other = Connection::open(&path).unwrap();
    let trap = "CREATE TABLE ran (it);
        CREATE TRIGGER trap AFTER INSERT ON response BEGIN INSERT INTO ran VALUES (1); END";
    other.execute_batch(trap).unwrap();
    let mut database = open(&path);
    database.record(&poll(0, &[(10, 2, 0.25)])).unwrap();
    let count = |table: &str| -> i64 {
        let sql = format!("SELECT count(*) FROM {table}");
        other.query_row(&sql, [], |row| row.get(0)).unwrap()
    };
    assert_eq!((count("response"), count("ran")), (1, 0));
}

#[test]
fn times_that_no_clock_shows_are_damage_and_make_no_loop() {
    let recorded = |path: &Path| {
        let earlier = Connection::open(path).unwrap();
        earlier.execute_batch(FIRST).unwrap();
        earlier
            .execute_batch(
                "INSERT INTO spell VALUES (2, 1, 1, 2, 0.4, 1000, 0, NULL, 1795175900, 1795175900, 3, 1795175960)",
            )
            .unwrap();
        drop(earlier);
        let mut database = open(path);
        for (after, price) in [(0, 0.25), (60, 0.5), (120, 0.25)] {
            database.record(&poll(after, &[(10, 2, price)])).unwrap();
        }
        database
    };
    let damages = [
        format!("UPDATE search SET ahead = {}", i64::MAX),
        format!("UPDATE search SET ahead = {}", i64::MIN),
        "UPDATE search SET ahead = -1".to_owned(),
        format!("UPDATE poll SET at = {}", i64::MIN),
        format!("UPDATE spell SET ended = {} WHERE ending IS NOT NULL", i64::MAX),
        format!("UPDATE response SET at = {} WHERE at = {START}", i64::MIN),
        format!("UPDATE response SET at = {} WHERE at > {}", i64::MAX, START + 60),
    ];
    for damage in &damages {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("history.sqlite");
        drop(recorded(&path));
        let other = Connection::open(&path).unwrap();
        assert!(other.execute(damage, []).unwrap() > 0, "{damage}");
        let error = refused(&path);
        assert!(matches!(error, HistoryError::Corrupt { .. }), "{damage}: {error}");
    }
    // A program that has it open meets the end of its work all the same.
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("history.sqlite");
    let mut database = recorded(&path).with_limits(Limits { age: 60, size: 0 });
    let other = Connection::open(&path).unwrap();
    for damage in &damages[3..] {
        other.execute_batch(damage).unwrap();
    }
    database.sweep(Moment(START + 120)).unwrap();
}

#[test]
#[ignore = "long: 80,000 prices"]
fn the_size_is_kept_at_every_poll() {
    const MIB: i64 = 1024 * 1024;
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("history.sqlite");
    let limits = Limits {
        age: 90 * 86_400,
        size: 2 * MIB,
    };
    let mut database = open(&path).with_limits(limits);
    for number in 0..40_u32 {
        let price = 0.25 + f64::from(number);
        let seen: Vec<_> = (1..=2000).map(|machine| (machine, 1, price)).collect();
        database.record(&poll(60 * i64::from(number), &seen)).unwrap();
        // Up to 4 MiB are given back to the disk at once.
        let size = database.contents().unwrap().size;
        assert!(size < 7 * MIB, "{size} bytes at poll {number}");
    }
}

#[test]
fn a_file_is_set_aside_under_the_date_with_its_log() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("history.sqlite");
    assert_eq!(Database::set_aside(&path, "2026-11-20").unwrap(), None);
    for _ in 0..2 {
        fs::write(&path, "x").unwrap();
        fs::write(root.path().join("history.sqlite-wal"), "y").unwrap();
        Database::set_aside(&path, "2026-11-20").unwrap().unwrap();
    }
    let mut names: Vec<_> = fs::read_dir(root.path())
        .unwrap()
        .map(|it| it.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(
        names,
        [
            "history.sqlite.2026-11-20",
            "history.sqlite.2026-11-20-2",
            "history.sqlite.2026-11-20-2-wal",
            "history.sqlite.2026-11-20-wal",
        ]
    );
}

#[test]
fn a_program_goes_on_in_the_new_file_after_a_reset() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("history.sqlite");
    let mut database = open(&path);
    database.record(&poll(0, &[(10, 2, 0.25)])).unwrap();
    let aside = Database::set_aside(&path, "2026-11-23").unwrap().unwrap();
    database.record(&poll(60, &[(10, 2, 0.25)])).unwrap();
    database.record(&poll(120, &[(10, 2, 0.25)])).unwrap();
    let polls = |path: &Path| open(path).contents().unwrap().polls;
    assert_eq!((polls(&aside), polls(&path)), (1, 2));
}

#[test]
#[ignore = "long: it is waited for as long as the program does"]
fn another_programs_transaction_is_waited_for_and_then_told() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("history.sqlite");
    let mut database = open(&path);
    database.record(&poll(0, &[(10, 1, 0.5)])).unwrap();
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let error = database.record(&poll(60, &[(10, 1, 0.6)])).unwrap_err();
    assert!(matches!(error, HistoryError::Locked { .. }), "{error}");
    assert!(error.is_passing());
    // Reading goes on meanwhile, and writing afterwards.
    assert_eq!(database.contents().unwrap().polls, 1);
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(database.record(&poll(60, &[(10, 1, 0.6)])), Ok(true));
}

#[test]
fn what_is_no_file_is_told() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("history.sqlite");
    fs::create_dir(&path).unwrap();
    let error = refused(&path);
    assert!(error.to_string().contains("not a regular file"), "{error}");
    let below = path.join("x");
    fs::write(&below, "").unwrap();
    let error = refused(&below.join("history.sqlite"));
    assert!(matches!(error, HistoryError::Failed { .. }), "{error}");
}
