//! Which program polls: by the lock files, whatever became of the others.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use bourse::domain::Resource;
use bourse::record::store::{Database, HistoryLocation, PollLocks};
use bourse::record::{Moment, PollOutcome, SearchKey};

use super::{MARKET, START, open, poll, search};

fn place(folder: &Path) -> HistoryLocation {
    HistoryLocation {
        path: Some(folder.join("history.sqlite")),
        market: MARKET.to_owned(),
    }
}

fn locks(folder: &Path) -> PollLocks {
    PollLocks::new(&place(folder))
}

/// Whether a program may poll every 60 s, so many seconds after the start.
fn claims(locks: &mut PollLocks, after: i32) -> bool {
    locks.claim(&search("gpu_ram>=24"), 60, START as f64 + f64::from(after))
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let folder = folder.join("polls");
    fs::read_dir(folder).map_or_else(|_| Vec::new(), |files| files.map(|file| file.unwrap().path()).collect())
}

#[test]
fn one_program_polls_until_it_ends() {
    let folder = tempfile::tempdir().unwrap();
    let (mut one, mut other) = (locks(folder.path()), locks(folder.path()));
    assert!(claims(&mut one, 0));
    assert!(!claims(&mut other, 1));
    assert!(claims(&mut one, 60));
    assert!(!claims(&mut other, 61));
    drop(one);
    assert!(claims(&mut other, 62));
    other.release(Resource::Volumes);
    let mut third = locks(folder.path());
    assert!(!claims(&mut third, 63));
    other.release(Resource::Offers);
    assert!(claims(&mut third, 64));
}

#[test]
fn a_silent_program_is_replaced_until_it_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let [mut silent, mut other, mut third] = [(); 3].map(|()| locks(folder.path()));
    assert!(claims(&mut silent, 0));
    assert!(!claims(&mut other, 180));
    assert!(claims(&mut other, 181), "three intervals are over");
    assert!(!claims(&mut third, 182), "one is enough");
    assert!(claims(&mut other, 241));
    assert!(claims(&mut silent, 250));
    assert!(!claims(&mut other, 301));
    assert!(!claims(&mut third, 302));
    assert!(claims(&mut silent, 310));
    // The one that stands in may end as well.
    assert!(claims(&mut other, 491));
    drop(other);
    assert!(!claims(&mut third, 671));
    assert!(claims(&mut third, 672));
}

#[test]
fn a_program_that_polls_rarely_does_not_slow_another_down() {
    let folder = tempfile::tempdir().unwrap();
    let (mut rare, mut other) = (locks(folder.path()), locks(folder.path()));
    assert!(rare.claim(&search("gpu_ram>=24"), 600, START as f64));
    assert!(!claims(&mut other, 180));
    assert!(claims(&mut other, 240));
    assert!(claims(&mut other, 300));
}

#[test]
fn a_clock_that_was_wrong_keeps_nobody_from_polling() {
    let folder = tempfile::tempdir().unwrap();
    let (mut one, mut other) = (locks(folder.path()), locks(folder.path()));
    assert!(claims(&mut one, 365 * 86_400));
    assert!(claims(&mut other, 0));
    for wrong in [f64::NAN, f64::INFINITY, -1.0] {
        assert!(one.claim(&search("gpu_ram>=24"), u32::MAX, wrong));
    }
}

#[test]
fn each_search_of_each_market_has_a_poller_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let mut one = locks(folder.path());
    assert!(claims(&mut one, 0));
    let volumes = SearchKey {
        resource: Resource::Volumes,
        ..search("gpu_ram>=24")
    };
    for other in [search("gpu_ram>=48"), volumes.clone()] {
        assert!(locks(folder.path()).claim(&other, 60, START as f64));
    }
    let market = HistoryLocation {
        market: "https://other.example".to_owned(),
        ..place(folder.path())
    };
    assert!(claims(&mut PollLocks::new(&market), 0));
    // A program watches one search of each resource at a time.
    assert!(one.claim(&volumes, 60, START as f64));
    assert!(!claims(&mut locks(folder.path()), 1));
    assert!(one.claim(&search("gpu_ram>=48"), 60, START as f64));
    assert!(claims(&mut locks(folder.path()), 1));
}

#[test]
fn lock_files_are_private_and_tell_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut one = locks(folder.path());
    assert!(claims(&mut one, 0));
    let found = files(folder.path());
    assert_eq!(found.len(), 1);
    let name = found[0].file_name().unwrap().to_str().unwrap();
    let (hash, end) = name.split_once('.').unwrap();
    assert_eq!((hash.len(), end), (16, "lock"));
    assert!(hash.chars().all(|c| c.is_ascii_hexdigit()), "{name}");
    assert_eq!(fs::read(&found[0]).unwrap(), b"");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&found[0]), 0o600);
    assert_eq!(mode(&folder.path().join("polls")), 0o700);
    assert_eq!(mode(&folder.path().join("polls.lock")), 0o600);
}

#[test]
fn files_that_ended_programs_have_left_are_removed_at_the_next_start() {
    let folder = tempfile::tempdir().unwrap();
    let mut one = locks(folder.path());
    assert!(claims(&mut one, 0));
    let held = files(folder.path());
    for conditions in ["a>=1", "b>=1"] {
        assert!(locks(folder.path()).claim(&search(conditions), 60, START as f64));
    }
    let mut other = locks(folder.path());
    assert_eq!(files(folder.path()), held);
    assert!(!claims(&mut other, 1));
    drop(one);
    assert!(claims(&mut locks(folder.path()), 1));
}

#[test]
fn where_no_file_can_be_locked_every_program_polls() {
    let folder = tempfile::tempdir().unwrap();
    // No home directory.
    let nowhere = HistoryLocation {
        path: None,
        market: MARKET.to_owned(),
    };
    // A file where the folder should be, also for root, whom no mode keeps out.
    fs::write(folder.path().join("file"), "").unwrap();
    let blocked = place(&folder.path().join("file"));
    // A folder where the lock file should be.
    let taken = tempfile::tempdir().unwrap();
    assert!(claims(&mut locks(taken.path()), 0));
    let path = files(taken.path()).remove(0);
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    for place in [nowhere, blocked, place(taken.path())] {
        let (mut one, mut other) = (PollLocks::new(&place), PollLocks::new(&place));
        assert!(claims(&mut one, 0) && claims(&mut other, 1), "{place:?}");
        one.release(Resource::Offers);
    }
}

#[test]
fn the_newest_poll_is_read_as_it_was_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("history.sqlite");
    let (mut one, other) = (open(&path), open(&path));
    let key = search("gpu_ram>=24");
    let after = |database: &Database, seconds: i64| database.poll_after(&key, Moment(START + seconds)).unwrap();
    assert_eq!(after(&other, 0), None, "nothing is recorded");
    let whole = poll(60, &[(10, 1, 0.5), (20, 2, 0.4)]);
    one.record(&whole).unwrap();
    assert_eq!(after(&other, 0), Some(whole));
    assert_eq!(after(&other, 60), None, "it was seen");
    one.record(&super::failed(90)).unwrap();
    assert_eq!(after(&other, 60), None);
    // A truncated one does not show all that is on offer.
    let cut = bourse::record::Poll {
        outcome: PollOutcome::Truncated,
        ..poll(120, &[(20, 2, 0.3)])
    };
    one.record(&cut).unwrap();
    assert_eq!(after(&other, 60), Some(cut));
}

#[test]
fn the_newest_poll_is_told_by_the_clock_in_use() {
    let folder = tempfile::tempdir().unwrap();
    let mut database = open(&folder.path().join("history.sqlite"));
    database.record(&poll(7200, &[(10, 1, 0.5)])).unwrap();
    // The clock was set back by two hours.
    let later = poll(60, &[(10, 1, 0.4)]);
    database.record(&later).unwrap();
    let key = search("gpu_ram>=24");
    let read = database.poll_after(&key, Moment(START)).unwrap();
    assert_eq!(read, Some(later));
}
