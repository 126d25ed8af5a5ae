//! Which program asks: by the market's lock file and the record, whatever became of the others.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use bourse::domain::annotations::{AnnotationChange, Annotations, Bans, Mark, Supplier};
use bourse::domain::dialect::Dialect;
use bourse::domain::time::UnixTime;
use bourse::record::store::{Database, HistoryLocation, Turns};
use bourse::record::watch::{Claim, Right};
use bourse::record::{Moment, Poll, PollOutcome, Proof};

use super::{MARKET, START, cut, open, poll};
use crate::polls::query;

fn place(folder: &Path) -> HistoryLocation {
    HistoryLocation {
        path: Some(folder.join("history.sqlite")),
        market: MARKET.to_owned(),
        dialect: &Dialect::SANDBOX,
    }
}

fn turns(folder: &Path) -> Turns {
    Turns::new(&place(folder))
}

/// A claim to the search that is recorded, so many seconds after the start; a poll of the last minute answers.
fn claim(after: f64) -> Claim {
    Claim {
        query: query("gpu_ram>=24"),
        since: Some(Moment(START + after as i64 - 60)),
        bans: Bans::NONE,
        now: UnixTime::new(START as f64 + after),
        requests: 1,
        a_minute: 1000,
    }
}

/// A ban of one machine.
fn bans() -> Bans {
    let mut all = Annotations::default();
    all.apply(&AnnotationChange {
        of: Supplier::Machine(7),
        mark: Mark::Ban(true),
    });
    all.bans()
}

/// The right of a claim. A program that another test starts just then holds the lock until it runs: that is waited
/// for.
fn right(turns: &mut Turns, record: Option<&Database>, claim: &Claim) -> Right {
    let mut right = turns.claim(record, claim);
    for _ in 0..50 {
        if !matches!(right, Right::Later(wait) if wait <= 1.0) {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
        right = turns.claim(record, claim);
    }
    right
}

/// The poll as the record tells it, whose lines stay there.
fn without_lines(poll: Poll) -> Poll {
    Poll {
        lines: Vec::new(),
        ..poll
    }
}

/// The poll, sent without what is banned.
fn leaving_out(mut poll: Poll, bans: &Bans) -> Poll {
    poll.scope.excluded = bans.sent_bans(&query("gpu_ram>=24"), &Dialect::SANDBOX);
    poll.bans = bans.fingerprint();
    poll
}

/// Whether a program may ask, without a record to read.
fn asks(turns: &mut Turns, after: f64) -> bool {
    match right(turns, None, &claim(after)) {
        Right::Ours(_) => true,
        Right::Later(_) => false,
        Right::Recorded(poll) => panic!("{poll:?}"),
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let folder = folder.join("polls");
    fs::read_dir(folder).map_or_else(|_| Vec::new(), |files| files.map(|file| file.unwrap().path()).collect())
}

#[test]
fn one_program_asks_at_a_time_and_nobody_owns_a_search() {
    let folder = tempfile::tempdir().unwrap();
    let (mut one, mut other) = (turns(folder.path()), turns(folder.path()));
    assert!(asks(&mut one, 0.0));
    assert!(!asks(&mut other, 1.0));
    assert!(asks(&mut one, 2.0), "it may go on");
    one.end();
    assert!(asks(&mut other, 3.0));
    // However it ends, the system closes its files.
    drop(other);
    assert!(asks(&mut one, 4.0));
}

#[test]
fn a_poll_of_the_interval_is_read_and_not_asked_for_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut record = open(&folder.path().join("history.sqlite"));
    let (mut one, mut other) = (turns(folder.path()), turns(folder.path()));
    let claims = |turns: &mut Turns, record: &Database, after| right(turns, Some(record), &claim(after));
    assert!(matches!(claims(&mut one, &record, 0.0), Right::Ours(_)));
    let whole = poll(2, &[(10, 1, 0.5), (20, 2, 0.4)]);
    record.record(&whole).unwrap();
    // Even while the first has the turn.
    let Right::Recorded(read) = claims(&mut other, &record, 30.0) else {
        panic!("it is not read");
    };
    assert_eq!(*read, without_lines(whole));
    one.end();
    assert!(matches!(claims(&mut other, &record, 61.0), Right::Recorded(_)));
    assert!(matches!(claims(&mut other, &record, 62.0), Right::Ours(_)));
    other.end();
    // Nothing recorded counts, or it left out what is wanted.
    for change in [
        |claim: &mut Claim| claim.since = None,
        |claim: &mut Claim| claim.since = Some(Moment(START + 2)),
        |claim: &mut Claim| claim.query = query("gpu_ram>=16"),
    ] {
        let mut other_claim = claim(30.0);
        change(&mut other_claim);
        assert!(matches!(right(&mut one, Some(&record), &other_claim), Right::Ours(_)));
        one.end();
    }
    // Nor one that left out machines which are wanted.
    let bans = bans();
    record.record(&leaving_out(poll(100, &[(10, 1, 0.5)]), &bans)).unwrap();
    assert!(matches!(claims(&mut one, &record, 110.0), Right::Ours(_)));
    let banned = Claim { bans, ..claim(110.0) };
    assert!(matches!(right(&mut one, Some(&record), &banned), Right::Recorded(_)));
}

#[test]
fn a_stopped_program_holds_the_others_up_no_longer_than_a_request_takes() {
    let folder = tempfile::tempdir().unwrap();
    let [mut stopped, mut other, mut third] = [(); 3].map(|()| turns(folder.path()));
    assert!(asks(&mut stopped, 0.0));
    assert!(!asks(&mut other, 30.0));
    assert!(asks(&mut other, 31.0));
    assert!(!asks(&mut third, 32.0), "one is enough");
    assert!(asks(&mut third, 62.0));
    assert!(asks(&mut stopped, 70.0), "it goes on");
}

#[test]
fn a_claim_without_room_in_the_budget_leaves_the_turn_to_others() {
    let folder = tempfile::tempdir().unwrap();
    let (mut one, mut other) = (turns(folder.path()), turns(folder.path()));
    let tight = |after| Claim {
        a_minute: 1,
        ..claim(after)
    };
    assert!(matches!(right(&mut one, None, &tight(0.0)), Right::Ours(Ok(()))));
    one.end();
    let claimed = right(&mut other, None, &tight(20.0));
    assert!(
        matches!(claimed, Right::Later(wait) if (wait - 40.0).abs() < 1e-6),
        "{claimed:?}"
    );
    assert!(asks(&mut one, 20.0));
}

#[test]
fn a_clock_that_was_wrong_keeps_nobody_from_asking() {
    let folder = tempfile::tempdir().unwrap();
    let (mut one, mut other) = (turns(folder.path()), turns(folder.path()));
    assert!(asks(&mut one, 365.0 * 86_400.0));
    assert!(asks(&mut other, 0.0));
    for wrong in [f64::NAN, f64::INFINITY, -1.0] {
        let wrong = Claim {
            now: UnixTime::new(wrong),
            ..claim(0.0)
        };
        assert!(matches!(right(&mut one, None, &wrong), Right::Ours(_)));
    }
}

#[test]
fn each_market_has_a_private_lock_file_whose_name_tells_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut one = turns(folder.path());
    assert!(asks(&mut one, 0.0));
    let market = HistoryLocation {
        market: "https://other.example".to_owned(),
        dialect: &Dialect::SANDBOX,
        ..place(folder.path())
    };
    let found = files(folder.path());
    assert_eq!(found.len(), 1);
    assert!(asks(&mut Turns::new(&market), 0.0));
    let name = found[0].file_name().unwrap().to_str().unwrap();
    let (hash, end) = name.split_once('.').unwrap();
    assert_eq!((hash.len(), end), (16, "turn"));
    assert!(hash.chars().all(|c| c.is_ascii_hexdigit()), "{name}");
    assert_eq!(fs::read(&found[0]).unwrap(), b"");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&found[0]), 0o600);
    assert_eq!(mode(&folder.path().join("polls")), 0o700);
}

#[test]
fn lock_files_of_searches_that_earlier_versions_have_left_are_removed() {
    let folder = tempfile::tempdir().unwrap();
    assert!(asks(&mut turns(folder.path()), 0.0));
    let own = files(folder.path());
    let file = |name: &str| fs::File::create(folder.path().join("polls").join(name)).unwrap();
    let held = file("00000000000000aa.lock");
    held.lock().unwrap();
    file("00000000000000bb.lock");
    turns(folder.path());
    assert_eq!(files(folder.path()).len(), 2, "one is in use");
    drop(held);
    turns(folder.path());
    assert_eq!(files(folder.path()), own);
}

#[test]
fn where_no_file_can_be_locked_every_program_asks() {
    let folder = tempfile::tempdir().unwrap();
    // No home directory.
    let nowhere = HistoryLocation {
        path: None,
        market: MARKET.to_owned(),
        dialect: &Dialect::SANDBOX,
    };
    // A file where the folder should be, also for root, whom no mode keeps out.
    fs::write(folder.path().join("file"), "").unwrap();
    let blocked = place(&folder.path().join("file"));
    // A folder where the lock file should be.
    let taken = tempfile::tempdir().unwrap();
    assert!(asks(&mut turns(taken.path()), 0.0));
    let path = files(taken.path()).remove(0);
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    for place in [nowhere, blocked, place(taken.path())] {
        let (mut one, mut other) = (Turns::new(&place), Turns::new(&place));
        assert!(asks(&mut one, 0.0) && asks(&mut other, 1.0), "{place:?}");
        one.end();
    }
}

/// The answer on record to the search, sent after so many seconds.
fn answer(database: &Database, bans: &Bans, seconds: i64) -> Option<Poll> {
    let since = Moment(START + seconds);
    database.answer_since(&query("gpu_ram>=24"), bans, since).unwrap()
}

#[test]
fn the_newest_poll_is_read_as_it_was_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("history.sqlite");
    let (mut one, other) = (open(&path), open(&path));
    let after = |seconds| answer(&other, &Bans::NONE, seconds);
    assert_eq!(after(0), None, "nothing is recorded");
    let whole = poll(60, &[(10, 1, 0.5), (20, 2, 0.4)]);
    one.record(&whole).unwrap();
    assert_eq!(after(0), Some(without_lines(whole.clone())));
    assert_eq!(after(60), None, "it was seen");
    one.record(&super::failed(90)).unwrap();
    assert_eq!(after(60), None);
    // A truncated one does not show all that is on offer.
    let part = cut(poll(120, &[(20, 2, 0.3)]));
    one.record(&part).unwrap();
    assert_eq!(after(60), Some(without_lines(part)));
    // Lowest prices first, it has the lowest of all.
    let cheapest = Poll {
        proof: Proof::UpTo(0.3),
        ..cut(poll(180, &[(20, 2, 0.3)]))
    };
    one.record(&cheapest).unwrap();
    assert_eq!(after(60), Some(without_lines(cheapest)));
}

#[test]
fn a_cut_response_answers_the_very_same_request_and_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let mut database = open(&folder.path().join("history.sqlite"));
    let bans = bans();
    let banned = leaving_out(cut(poll(60, &[(20, 1, 0.4)])), &bans);
    database.record(&banned).unwrap();
    assert_eq!(answer(&database, &Bans::NONE, 0), None, "it lacks what was banned");
    assert_eq!(answer(&database, &bans, 0), Some(without_lines(banned)));
    let part = cut(poll(120, &[(7, 1, 0.2), (20, 1, 0.4)]));
    database.record(&part).unwrap();
    assert_eq!(answer(&database, &Bans::NONE, 60), Some(without_lines(part)));
    assert_eq!(
        answer(&database, &bans, 60),
        None,
        "other rows were sent than it would get"
    );
    // All that there is of a wider search, or only some of it.
    let narrower = |database: &Database| {
        let asked = query("gpu_ram>=24 num_gpus=1");
        database.answer_since(&asked, &bans, Moment(START + 60)).unwrap()
    };
    assert_eq!(narrower(&database), None);
    let whole = poll(180, &[(7, 1, 0.2), (20, 1, 0.4)]);
    database.record(&whole).unwrap();
    let found = narrower(&database).unwrap();
    // Without the machine that is banned.
    assert_eq!((found.at, &found.sightings[..]), (whole.at, &whole.sightings[1..]));
    assert_eq!((found.outcome, found.bans), (PollOutcome::Complete, bans.fingerprint()));
}

#[test]
fn the_newest_poll_is_told_by_the_clock_in_use() {
    let folder = tempfile::tempdir().unwrap();
    let mut database = open(&folder.path().join("history.sqlite"));
    database.record(&poll(7200, &[(10, 1, 0.5)])).unwrap();
    // The clock was set back by two hours.
    let later = poll(60, &[(10, 1, 0.4)]);
    database.record(&later).unwrap();
    assert_eq!(answer(&database, &Bans::NONE, 0), Some(without_lines(later)));
}
