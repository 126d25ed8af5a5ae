//! Prices over time, against figures worked out by hand.

use bourse::features::history::prices::series::{PriceSeries, Series};
use bourse::record::{Levels, Moment, PollOutcome, Question, rhythm};

use super::record::{Record, about, complete, near, output, poll, question, sighting};

/// The prices of a question in equal parts of its time.
fn series(question: Question, record: &Record, buckets: usize) -> Series {
    output(&PriceSeries { question, buckets }, record).unwrap()
}

/// Polled each minute from 0 to 600, then again from 3000 on. Machine 1 asks 1.0 for 4 GPUs until it
/// asks 2.0 from 300 on; machine 2 asks 3.0 for one GPU and is gone at 480; 3 comes in the gap.
fn record() -> Record {
    let mut record = Record::default();
    for minute in 0..=10 {
        let at = minute * 60;
        let mut seen = vec![sighting(1, 4, if at < 300 { 1.0 } else { 2.0 })];
        if at < 480 {
            seen.push(sighting(2, 1, 3.0));
        }
        record.take(&complete(at, seen));
    }
    for minute in 0..=10 {
        record.take(&complete(3000 + minute * 60, vec![sighting(3, 2, 1.5)]));
    }
    record
}

#[test]
fn each_part_of_the_time_has_its_prices_and_a_gap_has_none() {
    let found = series(question(0, 3600), &record(), 12);
    assert_eq!(found.buckets.len(), 12);
    let watched: Vec<f64> = found.buckets.iter().map(|it| it.watched).collect();
    assert_eq!(watched, [1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0]);
    // Until 300: 1.0 and 3.0, each all the time.
    let first = &found.buckets[0];
    assert_eq!((first.from, first.until), (Moment(0), Moment(300)));
    assert_eq!(
        first.levels,
        Some(Levels {
            lowest: 1.0,
            p20: 1.0,
            median: 1.0,
            p80: 3.0
        })
    );
    near(first.amount.unwrap(), 5.0);
    // From 300 to 600: 2.0 for 300 s, 3.0 for 180 s; GPUs are 4 + 180 / 300.
    let second = &found.buckets[1];
    assert_eq!(
        second.levels,
        Some(Levels {
            lowest: 2.0,
            p20: 2.0,
            median: 2.0,
            p80: 3.0
        })
    );
    near(second.amount.unwrap(), 4.6);
    // The poll at 600 is in the third part, where nothing else is known.
    let third = &found.buckets[2];
    assert_eq!(third.levels.map(|it| it.lowest), Some(2.0));
    let gap = &found.buckets[5];
    assert_eq!((gap.levels, gap.amount), (None, None));
    near(found.watched, 1200.0 / 3600.0);
}

#[test]
fn the_record_low_the_present_and_the_share_of_polls() {
    let found = series(question(0, 3600), &record(), 2);
    assert_eq!(found.record, Some((1.0, Moment(0))));
    let now = found.now.unwrap();
    assert_eq!((now.at, now.lots, now.amount), (Moment(3600), 1, 2));
    assert_eq!(now.levels.map(|it| it.median), Some(1.5));
    // 22 polls: 5 see 1.0, 6 see 2.0 and 11 see 1.5.
    near(found.share_below(1.0).unwrap(), 0.0);
    near(found.share_below(1.2).unwrap(), 5.0 / 22.0);
    near(found.share_below(2.0).unwrap(), 16.0 / 22.0);
    near(found.share_below(2.1).unwrap(), 1.0);
    // Of the second hour half there is only machine 3.
    let late = series(question(1800, 3600), &record(), 1);
    assert_eq!(late.record, Some((1.5, Moment(3000))));
    near(late.watched, 600.0 / 1800.0);
}

#[test]
fn the_price_that_holds_at_the_beginning_of_a_time_is_the_lowest_of_it() {
    // The poll at 240 saw 1.0; the one at 300 is the first in the time.
    let found = series(question(250, 600), &record(), 2);
    assert_eq!(found.record, Some((1.0, Moment(250))));
    // After a gap nothing holds.
    let found = series(question(2900, 3600), &record(), 2);
    assert_eq!(found.record, Some((1.5, Moment(3000))));
}

#[test]
fn a_watched_time_with_nothing_on_offer_is_not_a_gap() {
    let polls = [0, 60, 120].map(|at| complete(at, Vec::new()));
    let recorded = Record::of(&polls);
    let found = series(question(0, 120), &recorded, 1);
    assert_eq!((found.buckets[0].levels, found.buckets[0].amount), (None, Some(0.0)));
    assert_eq!(found.share_below(9.0), Some(0.0));
    let now = found.now.unwrap();
    assert_eq!((now.lots, now.amount, now.levels), (0, 0, None));
    // Failures alone are a gap.
    let failed = [0, 60].map(|at| poll(at, PollOutcome::Failed, Vec::new()));
    let prices = PriceSeries {
        question: question(0, 120),
        buckets: 1,
    };
    assert_eq!(output(&prices, &Record::of(&failed)), None);
}

#[test]
fn a_truncated_response_does_not_tell_how_much_is_on_offer() {
    let both = || vec![sighting(1, 4, 1.0), sighting(2, 1, 3.0)];
    let polls = [0, 60, 120, 180, 240, 300].map(|at| match at {
        120 | 180 => poll(at, PollOutcome::Truncated, vec![sighting(1, 4, 1.0)]),
        _ => complete(at, both()),
    });
    let recorded = Record::of(&polls);
    let found = series(question(0, 300), &recorded, 5);
    let amounts: Vec<Option<f64>> = found.buckets.iter().map(|it| it.amount).collect();
    assert_eq!(amounts, [Some(5.0), Some(5.0), None, None, Some(5.0)]);
    assert!(found.buckets.iter().all(|it| it.levels.is_some()));
    assert_eq!((found.truncated, found.polls), (2, 6));
    assert!(found.now.unwrap().is_complete);
    let until = series(question(0, 200), &recorded, 1);
    assert!(!until.now.unwrap().is_complete);
}

#[test]
fn a_question_about_a_machine_leaves_the_others_out() {
    let found = series(about("machine_id=2", 0, 600), &record(), 1);
    assert_eq!(found.record, Some((3.0, Moment(0))));
    // On offer for 480 of 600 seconds.
    near(found.buckets[0].amount.unwrap(), 0.8);
}

/// What is polled once an hour by a timer that does not say so is watched from its fourth poll on.
#[test]
fn the_rhythm_of_a_timer_is_learned_from_its_polls() {
    let hours = |hours: &[f64]| {
        let moments = hours.iter().map(|hour| Moment((hour * 3600.0) as i64));
        rhythm(&moments.collect::<Vec<_>>())
    };
    assert_eq!(hours(&[0.0, 1.0, 2.0]), None);
    assert_eq!(hours(&[0.0, 1.0, 2.0, 3.0]), Some(3600));
    // A search by hand in between, and a run that was missed.
    assert_eq!(hours(&[0.0, 1.0, 2.0, 3.0, 3.4, 4.0, 5.0]), Some(3600));
    assert_eq!(hours(&[0.0, 1.0, 2.0, 3.0, 5.0]), Some(3600));
    // Searches by hand have none.
    assert_eq!(hours(&[0.0, 0.1, 2.0, 2.3, 7.0, 7.1, 9.0, 23.0]), None);
    assert_eq!(hours(&[]), None);
}

/// Twenty machines with a GPU each, seen once an hour by searches that belong to no watch.
#[test]
fn what_single_polls_saw_is_no_sum_of_polls() {
    let polls = (0..24).map(|hour| {
        let seen = (1..=20).map(|machine| sighting(machine, 1, 0.5));
        complete(hour * 3600, seen.collect())
    });
    let recorded = Record::of(&polls.collect::<Vec<_>>());
    let found = series(question(0, 86_400), &recorded, 1);
    near(found.watched, 0.0);
    near(found.buckets[0].amount.unwrap(), 20.0);
}
