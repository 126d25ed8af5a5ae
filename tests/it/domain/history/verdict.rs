//! Whether a price is low: given from 30 machine-days and half of the time on.

use bourse::domain::OfferType;
use bourse::domain::history::{
    Lasted, Memory, Moment, Recorded, Standing, Verdict, Want, memory, verdict,
};

use super::record::{Record, complete, lot, near, question, sighting};

const DAY: i64 = 86_400;

/// Machines that are on offer for a day, polled every ten minutes; machine `n` asks `n` cents.
fn one_day(machines: i64) -> Recorded {
    let seen: Vec<_> = (1..=machines)
        .map(|machine| sighting(machine, 1, machine as f64 / 100.0))
        .collect();
    let polls: Vec<_> = (0..=DAY / 600)
        .map(|poll| complete(poll * 600, seen.clone()))
        .collect();
    Record::of(&polls).recorded()
}

fn remembered(recorded: &Recorded, until: i64) -> Memory {
    memory(&question(0, until, Want::Memory), recorded)
}

#[test]
fn there_is_no_verdict_at_29_machine_days() {
    let memory = remembered(&one_day(29), DAY);
    let Verdict::Withheld(withheld) = verdict(&memory, 0.01) else {
        panic!("a verdict at 29");
    };
    near(withheld.machine_days, 29.0);
    near(withheld.coverage, 1.0);
    let memory = remembered(&one_day(30), DAY);
    assert!(matches!(verdict(&memory, 0.01), Verdict::Given(_)));
}

#[test]
fn there_is_no_verdict_on_less_than_half_of_the_time() {
    let recorded = one_day(40);
    assert!(matches!(
        verdict(&remembered(&recorded, 2 * DAY), 0.01),
        Verdict::Given(_)
    ));
    let Verdict::Withheld(withheld) = verdict(&remembered(&recorded, 2 * DAY + 600), 0.01) else {
        panic!("a verdict on less than half");
    };
    near(withheld.coverage, 86_400.0 / 173_400.0);
    // A time before the first poll does not count against it.
    let long_ago = memory(&question(-9 * DAY, DAY, Want::Memory), &recorded);
    near(long_ago.coverage, 1.0);
}

#[test]
fn a_price_is_rated_by_the_fifths_the_range_and_the_time_below_it() {
    // 50 machines from $0.01 to $0.50, each for a day: P20 is $0.10, P80 is $0.40.
    let memory = remembered(&one_day(50), DAY);
    let rate = |price: f64| match verdict(&memory, price) {
        Verdict::Given(rating) => rating,
        Verdict::Withheld(withheld) => panic!("{withheld:?}"),
    };
    let rating = rate(0.10);
    near(rating.lowest, 0.01);
    near(rating.p20, 0.10);
    near(rating.median, 0.25);
    near(rating.p80, 0.40);
    near(rating.highest, 0.50);
    assert_eq!(rating.standing, Standing::Low);
    near(rating.rank.unwrap(), 0.09 / 0.49);
    // 9 of 50 below and half of one.
    near(rating.percentile, 0.19);
    assert_eq!(rating.outbid, None);
    assert_eq!(rate(0.11).standing, Standing::Typical);
    assert_eq!(rate(0.39).standing, Standing::Typical);
    assert_eq!(rate(0.40).standing, Standing::High);
    near(rate(0.001).rank.unwrap(), 0.0);
    near(rate(2.0).rank.unwrap(), 1.0);
    near(rate(2.0).percentile, 1.0);
}

#[test]
fn one_price_for_all_is_typical() {
    let seen: Vec<_> = (1..=40).map(|machine| sighting(machine, 1, 0.3)).collect();
    let polls: Vec<_> = (0..=DAY / 600)
        .map(|poll| complete(poll * 600, seen.clone()))
        .collect();
    let memory = remembered(&Record::of(&polls).recorded(), DAY);
    let standing = |price| match verdict(&memory, price) {
        Verdict::Given(rating) => (rating.standing, rating.rank),
        Verdict::Withheld(withheld) => panic!("{withheld:?}"),
    };
    assert_eq!(standing(0.3), (Standing::Typical, None));
    assert_eq!(standing(0.2).0, Standing::Low);
    assert_eq!(standing(0.4).0, Standing::High);
}

#[test]
fn a_bid_is_outbid_in_the_time_that_the_least_bid_was_above_it() {
    let mut recorded = one_day(50);
    recorded.search.offer_type = OfferType::Bid;
    let memory = remembered(&recorded, DAY);
    let Verdict::Given(rating) = verdict(&memory, 0.40) else {
        panic!("withheld");
    };
    // 10 of 50 asked for more.
    near(rating.outbid.unwrap(), 0.2);
}

#[test]
fn the_memory_tells_since_when_a_lot_is_on_offer() {
    let polls = [
        complete(0, vec![sighting(1, 1, 0.5)]),
        complete(60, vec![sighting(1, 1, 0.4), sighting(2, 1, 0.5)]),
        complete(
            120,
            vec![
                sighting(1, 1, 0.4),
                sighting(2, 1, 0.6),
                sighting(3, 1, 1.0),
            ],
        ),
        complete(180, vec![sighting(1, 1, 0.4), sighting(2, 1, 0.6)]),
    ];
    let memory = remembered(&Record::of(&polls).recorded(), 300);
    let seen = |machine| memory.seen(&lot(machine), Moment(200));
    let since = |seconds, is_at_least| {
        Some(Lasted {
            seconds,
            is_at_least,
        })
    };
    assert_eq!(seen(1), since(200, true));
    assert_eq!(seen(2), since(140, false));
    assert_eq!(seen(3), None);
    // One departure says nothing of lifetimes.
    assert_eq!(memory.lasting(), None);
}

/// Machines that come one a poll and stay for an hour.
#[test]
fn lifetimes_are_told_from_thirty_departures_on() {
    let market = |machines: i64| {
        let polls: Vec<_> = (0..machines + 7)
            .map(|poll| {
                let present =
                    (1..=machines).filter(|machine| (*machine..machine + 6).contains(&poll));
                complete(poll * 600, present.map(|it| sighting(it, 1, 0.5)).collect())
            })
            .collect();
        remembered(&Record::of(&polls).recorded(), (machines + 6) * 600)
    };
    assert_eq!(market(29).lasting(), None);
    let memory = market(30);
    let median = memory.lasting().unwrap().median().unwrap();
    near(median.median, 3600.0);
    assert_eq!(memory.lifetimes.departures, 30);
}
