//! What bids would have held, against a market of known truth and against a walk over every hour.

use bourse::domain::OfferType;
use bourse::features::bids::study::{BidHistory, BidStudy, Hold};
use bourse::record::{Analysis as _, Cause, Excerpt, Poll, PollOutcome, Quote, Sighting};
use proptest::prelude::*;

use super::record::{Record, complete, lot, output, question, sighting};

const HOUR: i64 = 3600;

/// A machine with two GPUs and a minimum bid.
fn bidden(machine: i64, min_bid: Option<f64>) -> Sighting {
    let quotes = vec![Quote {
        gpus: 2,
        base: 1.0,
        storage: 0.0,
        min_bid,
    }];
    Sighting {
        quotes,
        ..sighting(machine, 2, 0.5)
    }
}

/// A poll an hour: what each machine from 1 on asks at least, if it is on offer.
fn hourly(hour: i64, min_bids: &[Option<f64>]) -> Poll {
    let on_offer = min_bids.iter().zip(1..).filter(|(min_bid, _)| min_bid.is_some());
    let sightings = on_offer.map(|(min_bid, machine)| bidden(machine, *min_bid)).collect();
    Poll {
        interval: Some(3600),
        ..complete(hour * HOUR, sightings)
    }
}

fn study(hours: i64) -> BidStudy {
    let asked = question(0, hours * HOUR);
    BidStudy {
        query: asked.query,
        since: asked.since,
        until: asked.until,
    }
}

fn history(polls: &[Poll], hours: i64) -> BidHistory {
    output(&study(hours), &Record::of(polls)).unwrap()
}

fn hold(hours: i64, is_restart: bool, is_interrupted: bool) -> Hold {
    Hold {
        seconds: hours * HOUR,
        is_restart,
        is_interrupted,
    }
}

/// The holds of a bid; `None` if it was not tried.
fn holds(history: &BidHistory, bid: f64) -> Option<Vec<Hold>> {
    let levels = &history.markets.first()?.levels;
    Some(
        levels
            .iter()
            .find(|level| (level.bid - bid).abs() < 1e-9)?
            .holds
            .clone(),
    )
}

#[test]
fn a_bid_holds_until_it_is_too_low_or_the_offer_is_gone_and_a_gap_interrupts_nothing() {
    let (low, high) = (Some(0.2), Some(0.6));
    let mut polls = Vec::new();
    // Machine 1 is low until 4, then high until 10, then gone. Machine 2 is there from 2 to 6 at 0.4.
    for hour in 0..=12 {
        let first = if hour < 4 { low } else { high };
        let second = (2..6).contains(&hour).then_some(0.4);
        polls.push(hourly(hour, &[first.filter(|_| hour < 10), second]));
    }
    // Nobody looks from 12 to 40; then machine 1 is low.
    polls.extend((40..=60).map(|hour| hourly(hour, &[low, None])));
    let history = history(&polls, 100);
    assert_eq!(history.watched, (12 + 20) * HOUR);
    assert_eq!(history.markets[0].gpus, 2);
    let after = hold(20, false, false);
    assert_eq!(holds(&history, 0.2).unwrap(), [hold(4, false, true), after]);
    // At 4 it moves to machine 2, which is gone at 6.
    assert_eq!(
        holds(&history, 0.4).unwrap(),
        [hold(4, false, true), hold(2, true, true), after]
    );
    assert_eq!(holds(&history, 0.6).unwrap(), [hold(10, false, true), after]);
}

#[test]
fn what_ends_unseen_or_outside_the_search_is_no_interruption() {
    let mut polls: Vec<Poll> = (0..10).map(|hour| hourly(hour, &[Some(0.2)])).collect();
    let mut left = hourly(10, &[]);
    left.causes = vec![(lot(1), Cause::LeftTheSearch)];
    polls.push(left);
    assert_eq!(holds(&history(&polls, 20), 0.2).unwrap(), [hold(10, false, false)]);
    // Control: rented, it is.
    polls[10].causes = vec![(lot(1), Cause::Rented)];
    assert_eq!(holds(&history(&polls, 20), 0.2).unwrap(), [hold(10, false, true)]);
    // A minimum bid that the market no longer tells may be any.
    polls[10] = Poll {
        sightings: vec![bidden(1, None)],
        ..hourly(10, &[])
    };
    assert_eq!(holds(&history(&polls, 20), 0.2).unwrap(), [hold(10, false, false)]);
    // A truncated response starts no watched time.
    polls.iter_mut().for_each(|poll| poll.outcome = PollOutcome::Truncated);
    assert_eq!(history(&polls, 20).watched, 0);
}

#[test]
fn too_little_is_withheld_and_the_price_type_that_knows_enough_counts() {
    let day: Vec<Poll> = (0..=24).map(|hour| hourly(hour, &[Some(0.2)])).collect();
    assert_eq!(history(&day, 100).withheld(), None);
    let why = history(&day[..24], 100).withheld().unwrap();
    assert!(why.contains("23 hours (24 hours needed)"), "{why}");
    // A bid search that knows enough comes first, then on-demand ones that do.
    let of = |polls: &[Poll]| Record::of(polls).excerpt();
    let of_type = |bid: Excerpt, on_demand: Excerpt| study(100).answer(&[bid, on_demand]).map(|known| known.offer_type);
    assert_eq!(of_type(of(&day), of(&day)), Some(OfferType::Bid));
    assert_eq!(of_type(of(&day[..9]), of(&day)), Some(OfferType::OnDemand));
    assert_eq!(of_type(Excerpt::default(), of(&day[..9])), Some(OfferType::OnDemand));
    assert_eq!(of_type(Excerpt::default(), Excerpt::default()), None);
}

/// Follows a renter from poll to poll.
fn walk(polls: &[(i64, Vec<Option<f64>>)], bid: f64) -> Vec<Hold> {
    let mut holds = Vec::new();
    let mut held: Option<(usize, i64)> = None;
    let mut is_restart = false;
    for (index, (hour, min_bids)) in polls.iter().enumerate() {
        let is_held = |machine: usize| min_bids[machine].is_some_and(|min_bid| min_bid <= bid);
        if let Some((machine, since)) = held.filter(|(machine, _)| !is_held(*machine)) {
            let _ = machine;
            holds.push(hold(hour - since, is_restart, true));
            (held, is_restart) = (None, true);
        }
        // Three intervals without a poll are a gap.
        let is_watched = polls.get(index + 1).is_some_and(|(next, _)| next - hour <= 3);
        if !is_watched {
            holds.extend(held.map(|(_, since)| hold(hour - since, is_restart, false)));
            (held, is_restart) = (None, false);
        } else if held.is_none() {
            let fitting = (0..min_bids.len()).filter(|machine| is_held(*machine));
            let lowest = fitting.min_by(|one, other| min_bids[*one].partial_cmp(&min_bids[*other]).unwrap());
            held = lowest.map(|machine| (machine, *hour));
        }
    }
    holds
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::cases::cases(20, 200)))]

    #[test]
    fn every_bid_holds_what_a_walk_over_the_hours_finds(
        pauses in prop::collection::vec(prop_oneof![8 => Just(1_i64), 1 => 2_i64..7], 1..60),
        script in prop::collection::vec(prop::collection::vec((0_u8..4, 0_u8..6), 3), 60),
    ) {
        let mut hour = 0;
        let mut market = vec![None; 3];
        let mut polls = Vec::new();
        for (pause, steps) in pauses.iter().zip(script) {
            for ((step, level), (machine, state)) in steps.into_iter().zip(market.iter_mut().enumerate()) {
                // No two machines ask the same, so that only one is the lowest.
                let min_bid = (f64::from(level) * 10.0 + machine as f64) / 1000.0;
                match step {
                    0 => *state = Some(min_bid),
                    1 if level < 2 => *state = None,
                    _ => {}
                }
            }
            polls.push((hour, market.clone()));
            hour += pause;
        }
        let record: Vec<Poll> = polls.iter().map(|(hour, bids)| hourly(*hour, bids)).collect();
        let history = history(&record, hour);
        let watched = polls.windows(2).map(|pair| pair[1].0 - pair[0].0).filter(|pause| *pause <= 3);
        prop_assert_eq!(history.watched, watched.sum::<i64>() * HOUR);
        for level in history.markets.iter().flat_map(|market| &market.levels) {
            prop_assert_eq!(&level.holds, &walk(&polls, level.bid), "at {}", level.bid);
        }
        // What was ever asked in the watched time is covered by the highest bid.
        let asked = polls.windows(2).filter(|pair| pair[1].0 - pair[0].0 <= 3).flat_map(|pair| pair[0].1.clone());
        let highest = asked.flatten().reduce(f64::max);
        let tried = history.markets.first().and_then(|market| market.levels.last()).map(|level| level.bid);
        prop_assert_eq!(tried, highest);
    }
}
