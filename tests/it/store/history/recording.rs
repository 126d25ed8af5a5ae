//! What polls leave in the file, and what is read back.

use bourse::features::history::prices::series::PriceSeries;
use bourse::features::history::tape::events::RecentEvents;
use bourse::record::store::{Database, Limits};
use bourse::record::{Beginning, Cause, Ending, Event, Excerpt, Moment, Poll, PollOutcome, Question};

use super::{MARKET, START, about, cut, everything, failed, lot, open, poll, poll_of};
use crate::cases::cases;
use crate::polls::query;

fn at(after: i64) -> Moment {
    Moment(START + after)
}

fn tape(database: &Database, question: Question) -> Vec<Event> {
    database.ask(&RecentEvents { question, most: 1000 }).unwrap()
}

#[test]
fn a_past_is_recorded_whole_or_not_at_all_by_one_program_at_a_time() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("history.sqlite");
    drop(open(&path));
    let polls = [poll(0, &[(10, 2, 0.5)]), poll(60, &[(10, 2, 0.5)])];
    let recorded = || open(&path).contents().unwrap().polls;
    let file = rusqlite::Connection::open(&path).unwrap();
    // The second poll took as long as the first one.
    file.execute_batch("CREATE UNIQUE INDEX one ON response (took)")
        .unwrap();
    let mut database = open(&path);
    let mut past = database.write_past().unwrap().unwrap();
    past.add(&polls[0]).unwrap();
    assert!(past.add(&polls[1]).is_err());
    assert!(open(&path).write_past().unwrap().is_none());
    drop(past);
    assert_eq!(recorded(), 0);
    file.execute_batch("DROP INDEX one").unwrap();
    let mut past = database.write_past().unwrap().unwrap();
    for poll in &polls {
        past.add(poll).unwrap();
    }
    assert!(past.finish().unwrap());
    assert_eq!(recorded(), 2);
    // Nothing of it is another market's.
    let market = "SELECT count(*) FROM market";
    assert_eq!(file.query_row(market, [], |row| row.get(0)), Ok(1));
}

#[test]
fn spells_are_what_several_polls_say_together() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("history.sqlite");
    let mut database = open(&path);
    for poll in [
        poll(0, &[(10, 2, 0.5), (20, 1, 0.4)]),
        poll(60, &[(10, 2, 0.5), (20, 1, 0.4)]),
        failed(120),
        poll(180, &[(10, 2, 0.25), (20, 1, 0.4)]),
        poll(240, &[(10, 2, 0.25), (30, 8, 1.5)]),
    ] {
        assert_eq!(database.record(&poll), Ok(true));
    }
    drop(database);
    let excerpt = open(&path).excerpt(&everything()).unwrap();
    let polls: Vec<_> = excerpt.polls.iter().map(|row| (row.at, row.outcome)).collect();
    let complete = PollOutcome::Complete;
    assert_eq!(
        polls,
        [
            (at(0), complete),
            (at(60), complete),
            (at(180), complete),
            (at(240), complete),
        ]
    );
    assert_eq!((excerpt.polls[0].took, excerpt.polls[0].patience()), (120, 600));
    let mut spells = excerpt.spells;
    spells.sort_by_key(|spell| (spell.lot.machine, spell.first));
    let reported: Vec<_> = spells
        .iter()
        .map(|spell| (spell.lot.machine, spell.price, spell.first, spell.last))
        .collect();
    assert_eq!(
        reported,
        [
            (10, 0.5, at(0), at(60)),
            (10, 0.25, at(180), at(240)),
            (20, 0.4, at(0), at(180)),
            (30, 1.5, at(240), at(240)),
        ]
    );
    assert_eq!(
        spells.iter().map(|spell| spell.beginning).collect::<Vec<_>>(),
        [
            Beginning::Found,
            Beginning::Repriced { from: 0.5 },
            Beginning::Found,
            Beginning::Listed,
        ]
    );
    assert_eq!(
        spells.iter().map(|spell| spell.end).collect::<Vec<_>>(),
        [
            Some((Ending::Changed, at(180))),
            None,
            Some((Ending::Gone(Cause::Unknown), at(240))),
            None,
        ]
    );
    assert_eq!(
        (spells[3].amount, spells[3].host, spells[3].offer, &spells[3].lot),
        (8, Some(3), 3000, &lot(30))
    );
}

#[test]
fn a_poll_that_is_not_newer_is_not_recorded() {
    let mut database = Database::in_memory(MARKET).unwrap();
    assert_eq!(database.record(&poll(60, &[(10, 1, 0.5)])), Ok(true));
    assert_eq!(database.record(&poll(60, &[(10, 1, 0.6)])), Ok(false));
    assert_eq!(database.record(&poll(0, &[])), Ok(false));
    assert_eq!(database.record(&failed(120)), Ok(true));
    assert_eq!(database.record(&poll(120, &[])), Ok(false));
    let excerpt = database.excerpt(&everything()).unwrap();
    assert_eq!((excerpt.polls.len(), excerpt.spells.len()), (1, 1));
    assert_eq!(excerpt.spells[0].end, None);
    assert_eq!(database.contents().unwrap().polls, 2);
}

#[test]
fn after_the_clock_was_set_back_recording_goes_on() {
    let mut database = Database::in_memory(MARKET).unwrap();
    for minute in 0..10 {
        let price = if minute < 5 { 0.5 } else { 0.4 };
        database.record(&poll(86_400 + 60 * minute, &[(10, 1, price)])).unwrap();
    }
    // A day earlier.
    for minute in 0..3 {
        let price = if minute < 2 { 0.4 } else { 0.3 };
        assert_eq!(database.record(&poll(60 * minute, &[(10, 1, price)])), Ok(true));
    }
    assert_eq!(database.sent(&query("gpu_ram>=24")), Ok(Some((at(-1141), at(120)))));
    let asked = Question {
        since: at(-3600),
        until: at(120),
        ..everything()
    };
    let polls = database.excerpt(&asked).unwrap().polls;
    let times: Vec<i64> = polls.iter().map(|poll| poll.at.0 - START).collect();
    // Ten minutes and a second after the last poll by the other clock.
    assert_eq!(times[8..], [-661, -601, 0, 60, 120]);
    let events = tape(&database, asked);
    let reported: Vec<i64> = events.iter().map(|event| event.at.0 - START).collect();
    assert_eq!(reported, [120, 0, -841], "two prices and the gap");
    let span = database.contents().unwrap().span.unwrap();
    assert_eq!((span.0, span.1), (at(-1141), at(120)));
}

#[test]
fn what_a_truncated_poll_lacks_was_last_seen_before_it() {
    let mut database = Database::in_memory(MARKET).unwrap();
    database.record(&poll(0, &[(10, 1, 0.5), (20, 1, 0.4)])).unwrap();
    database.record(&cut(poll(60, &[(20, 1, 0.4)]))).unwrap();
    database.record(&cut(poll(120, &[(20, 1, 0.4)]))).unwrap();
    let read = |database: &Database| {
        let excerpt = database.excerpt(&everything()).unwrap();
        let mut spells = excerpt.spells;
        spells.sort_by_key(|spell| (spell.lot.machine, spell.first));
        spells
    };
    let spells = read(&database);
    assert_eq!((spells[0].last, spells[0].end), (at(0), None));
    assert_eq!((spells[1].last, spells[1].end), (at(120), None));
    database.record(&poll(180, &[(10, 1, 0.5), (20, 1, 0.4)])).unwrap();
    let spells = read(&database);
    assert_eq!(spells.len(), 2);
    assert_eq!((spells[0].last, spells[0].end), (at(180), None));
}

#[test]
fn a_question_reads_its_lots_and_its_time() {
    let mut database = Database::in_memory(MARKET).unwrap();
    for minute in 0..10 {
        let gone = minute >= 5;
        let seen = [(10, 1, 0.5), (20, 2, 0.4)];
        let seen = if gone { &seen[1..] } else { &seen[..] };
        database.record(&poll(60 * minute, seen)).unwrap();
    }
    let question = |machine: &str, since, until| Question {
        since: at(since),
        until: at(until),
        ..about(&format!("gpu_ram>=24 gpu_name=RTX_4090 {machine}"))
    };
    let count = |question: &Question| {
        let excerpt = database.excerpt(question).unwrap();
        (excerpt.polls.len(), excerpt.spells.len())
    };
    assert_eq!(count(&question("", 0, 540)), (10, 2));
    assert_eq!(count(&question("machine_id=10", 0, 540)), (10, 1));
    // The poll before the time comes with it; a spell that ended before does not.
    assert_eq!(count(&question("", 390, 540)), (4, 1));
    assert_eq!(count(&about("gpu_ram>=24 gpu_name=H100")), (10, 0));
    let events = tape(&database, everything());
    assert_eq!(events.iter().map(|event| event.at).collect::<Vec<_>>(), [at(300)]);
}

#[test]
fn searches_and_markets_do_not_mix() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("history.sqlite");
    let mut database = open(&path);
    database.record(&poll(0, &[(10, 1, 0.5)])).unwrap();
    database.record(&poll_of("verified=true", 0, &[(20, 8, 0.7)])).unwrap();
    assert_eq!(database.contents().unwrap().searches, 2);
    let machines = |database: &Database, conditions| {
        let excerpt = database.excerpt(&about(conditions)).unwrap();
        let machines = excerpt.spells.iter().map(|spell| spell.lot.machine);
        machines.collect::<Vec<_>>()
    };
    assert_eq!(machines(&database, "gpu_ram>=24"), [10]);
    assert_eq!(machines(&database, "verified=true"), [20]);
    let mut elsewhere = Database::open(&path, "https://other.example").unwrap();
    assert_eq!(elsewhere.excerpt(&everything()).unwrap(), Excerpt::default());
    // Its own poll of that second is one.
    assert_eq!(elsewhere.record(&poll(0, &[(30, 1, 0.5)])), Ok(true));
    assert_eq!(machines(&elsewhere, "gpu_ram>=24"), [30]);
}

#[test]
fn what_is_older_than_the_limit_is_forgotten_with_its_polls() {
    let limits = Limits {
        age: 3600,
        ..Limits::default()
    };
    let mut database = Database::in_memory(MARKET).unwrap().with_limits(limits);
    for minute in 0..120 {
        // A price for each ten minutes, and one that stays.
        let price = 0.5 + f64::from(i32::try_from(minute / 10).unwrap());
        let seen = [(10, 1, price), (20, 1, 0.4)];
        database.record(&poll(60 * minute, &seen)).unwrap();
    }
    database.sweep(at(119 * 60)).unwrap();
    let excerpt = database.excerpt(&everything()).unwrap();
    assert_eq!(excerpt.polls.len(), 61);
    assert_eq!(excerpt.polls[0].at, at(59 * 60));
    let first: Vec<_> = excerpt.spells.iter().map(|spell| spell.first).collect();
    // That of minutes 50 to 59 overlaps the border: since when both are on offer stays known.
    assert_eq!(first[..3], [at(0), at(0), at(60 * 60)]);
    assert_eq!(first.len(), 8);
    // A search that nobody runs any more goes altogether.
    database.sweep(at(4 * 3600)).unwrap();
    let contents = database.contents().unwrap();
    assert_eq!((contents.searches, contents.polls, contents.prices), (0, 0, 0));
}

#[test]
fn a_file_beyond_its_size_loses_the_oldest_and_shrinks() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("history.sqlite");
    let polls = cases(16, 40);
    // An empty file has 160 KiB.
    let size = polls * 1024 * 1024 / 64 + 160 * 1024;
    let limits = Limits {
        size,
        ..Limits::default()
    };
    let mut database = open(&path);
    for minute in 0..polls {
        let price = 0.5 + f64::from(i32::try_from(minute).unwrap());
        let seen: Vec<_> = (1..=1000).map(|machine| (machine, 1, price)).collect();
        database.record(&poll(60 * minute, &seen)).unwrap();
    }
    let before = database.contents().unwrap();
    assert_eq!((before.polls, before.prices), (polls, 1000 * polls));
    assert!(2 * before.size > 3 * size, "{before:?}");
    let mut database = database.with_limits(limits);
    database.sweep(at(polls * 60)).unwrap();
    database.vacuum(at(polls * 60)).unwrap();
    let after = database.contents().unwrap();
    assert!(after.size <= size, "{after:?}");
    assert!(after.prices > 50 * polls, "{after:?}");
    assert_eq!(database.check().unwrap(), Vec::<String>::new());
    let excerpt = database.excerpt(&everything()).unwrap();
    assert_eq!(excerpt.polls.last().unwrap().at, at((polls - 1) * 60));
    // No poll remains without what it saw.
    let first = excerpt.polls[0].at;
    assert!(excerpt.spells.iter().any(|spell| spell.first <= first));
    assert!(std::fs::metadata(&path).unwrap().len() as i64 <= size);
}

/// `bourse watch --once` in a timer, without `--every`: ten days of hourly polls are watched.
#[test]
fn ten_days_of_hourly_polls_are_watched() {
    let mut database = Database::in_memory(MARKET).unwrap();
    for hour in 0..=240 {
        let seen: Vec<_> = (1..=20).map(|machine| (machine, 1, 0.5)).collect();
        let poll = Poll {
            interval: None,
            // A timer is not exact to the second.
            ..poll(3600 * hour + hour % 7, &seen)
        };
        assert_eq!(database.record(&poll), Ok(true));
    }
    let question = Question {
        since: at(0),
        until: at(240 * 3600 + 10),
        ..everything()
    };
    let prices = PriceSeries { question, buckets: 1 };
    let series = database.ask(&prices).unwrap().unwrap();
    // The first three hours were not known to have a rhythm.
    assert!(series.watched > 236.0 / 240.0, "{}", series.watched);
    let amount = series.buckets[0].amount.unwrap();
    assert!((amount - 20.0).abs() < 0.01, "{amount}");
}

/// Sixty days of hourly polls, a run with the clock 91 days ahead, and a month with the clock set right:
/// all of it is there. So it is after three such runs in a row, and after a look at the limits by
/// a clock years ahead.
#[test]
fn a_clock_that_runs_ahead_deletes_nothing() {
    const HOUR: i64 = 3600;
    const DAY: i64 = 24 * HOUR;
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("history.sqlite");
    let record = |moments: &[i64]| {
        // The first poll of each program looks at the limits.
        let mut database = open(&path);
        for after in moments {
            let price = 0.5 + (after / DAY % 7) as f64 / 100.0;
            let poll = Poll {
                interval: Some(3600),
                ..poll(*after, &[(10, 1, price)])
            };
            assert_eq!(database.record(&poll), Ok(true));
        }
    };
    let hours = |from: i64, until: i64| (from..until).map(|hour| hour * HOUR).collect::<Vec<_>>();
    record(&hours(0, 60 * 24));
    for ahead in [91, 200, 400] {
        record(&[60 * DAY + ahead * DAY]);
    }
    let polls = || open(&path).contents().unwrap().polls;
    assert_eq!(polls(), 60 * 24 + 3);
    record(&hours(60 * 24 + 1, 85 * 24));
    assert_eq!(polls(), 85 * 24 + 2);
    open(&path).vacuum(at(4000 * DAY)).unwrap();
    assert_eq!(polls(), 85 * 24 + 2);
    // Time that does pass makes it old.
    record(&hours(85 * 24, 200 * 24));
    open(&path).sweep(at(200 * DAY)).unwrap();
    let left = polls();
    assert!((90 * 24 - 2..=90 * 24 + 2).contains(&left), "{left}");
}
