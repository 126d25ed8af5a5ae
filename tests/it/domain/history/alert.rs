//! Alerts: what rings, how often, and what a truncated response leaves open.

use bourse::features::alerts::replay::{AlertReplay, Replay};
use bourse::record::{
    AlertState, Figures, Moment, Poll, PollOutcome, PricePer, Quote, Repeat, Ring, Rule, RuleError, Seen, Trigger,
    check,
};

use super::record::{Record, complete, output, poll, question, sighting};

const NEVER: [i64; 0] = [];

fn rule(trigger: Trigger, repeat: Repeat) -> Rule {
    Rule {
        model: None,
        repeat,
        per: PricePer::Gpu,
        trigger,
    }
}

/// The moments at which a rule rings.
fn rings(rule: &Rule, polls: &[Poll]) -> Vec<i64> {
    let mut state = AlertState::default();
    let mut rings = Vec::new();
    for poll in polls {
        let figures = Figures::new(poll, None);
        rings.extend(check(rule, &mut state, figures).map(|ring| ring.at.0));
    }
    rings
}

/// Polls a minute apart, each with the price of machine 1.
fn prices(prices: &[f64]) -> Vec<Poll> {
    let at = |(place, price): (usize, &f64)| complete(place as i64 * 60, vec![sighting(1, 1, *price)]);
    prices.iter().enumerate().map(at).collect()
}

#[test]
fn a_flapping_price_rings_once() {
    let below = rule(Trigger::PriceBelow(0.30), Repeat::EveryTime);
    let flapping: Vec<f64> = (0..60).map(|poll| if poll % 2 == 0 { 0.31 } else { 0.29 }).collect();
    assert_eq!(rings(&below, &prices(&flapping)), [60]);
    // Exactly at the limit is not below it.
    assert_eq!(rings(&below, &prices(&[0.30; 5])), NEVER);
}

#[test]
fn it_rings_again_once_clear_by_a_margin_or_for_ten_minutes() {
    let below = rule(Trigger::PriceBelow(0.30), Repeat::EveryTime);
    // Ten percent above.
    assert_eq!(rings(&below, &prices(&[0.29, 0.331, 0.29])), [0, 120]);
    assert_eq!(rings(&below, &prices(&[0.29, 0.329, 0.29])), [0]);
    // Clear from 60 to 660.
    let mut slow = vec![0.29];
    slow.extend([0.31; 10]);
    slow.push(0.29);
    assert_eq!(rings(&below, &prices(&slow)), [0, 660]);
    slow.remove(1);
    assert_eq!(rings(&below, &prices(&slow)), [0]);
    // A lot that comes and goes flaps as well.
    let gone = |at| complete(at, Vec::new());
    let there = |at| complete(at, vec![sighting(1, 1, 0.2)]);
    let polls = [there(0), gone(60), there(120), gone(180), gone(780), there(840)];
    assert_eq!(rings(&below, &polls), [0, 840]);
}

#[test]
fn once_and_until_a_date_end() {
    let falling = [0.29, 0.5, 0.29, 0.5, 0.29];
    let once = rule(Trigger::PriceBelow(0.30), Repeat::Once);
    assert_eq!(rings(&once, &prices(&falling)), [0]);
    let until = rule(Trigger::PriceBelow(0.30), Repeat::Until(Moment(240)));
    assert_eq!(rings(&until, &prices(&falling)), [0, 120]);
    let mut state = AlertState::default();
    assert!(!once.is_done(&state, Moment(0)));
    let polls = prices(&[0.1]);
    let figures = Figures::new(&polls[0], None);
    let ring = check(&once, &mut state, figures);
    let expected = Ring {
        at: Moment(0),
        seen: Seen::Price(0.1),
        count: 1,
        cheapest: Some(sighting(1, 1, 0.1)),
    };
    assert_eq!(ring, Some(expected));
    assert!(once.is_done(&state, Moment(0)));
}

#[test]
fn gpus_are_counted_below_the_price() {
    let seen = |amount| vec![sighting(1, 4, 0.2), sighting(2, amount, 0.2), sighting(3, 9, 0.9)];
    let eight = Trigger::GpusAtLeast {
        gpus: 8,
        below: Some(0.3),
    };
    let polls = [complete(0, seen(3)), complete(60, seen(4)), complete(120, seen(5))];
    assert_eq!(rings(&rule(eight, Repeat::EveryTime), &polls), [60]);
    let any = Trigger::GpusAtLeast { gpus: 8, below: None };
    assert_eq!(rings(&rule(any, Repeat::EveryTime), &polls), [0]);
    let mut other = rule(any, Repeat::EveryTime);
    other.model = Some("H100".to_owned());
    assert_eq!(rings(&other, &polls), NEVER);
}

#[test]
fn a_machine_is_back() {
    let back = rule(Trigger::MachineBack(2), Repeat::EveryTime);
    let without = |at| complete(at, vec![sighting(1, 1, 0.2)]);
    let with = |at| complete(at, vec![sighting(1, 1, 0.2), sighting(2, 1, 0.5)]);
    let polls = [without(0), with(60), with(120), without(180), with(240), without(300)];
    assert_eq!(rings(&back, &polls), [60]);
    let again = [with(0), without(60), without(660), with(720)];
    assert_eq!(rings(&back, &again), [0, 720]);
}

#[test]
fn a_price_falls_from_the_highest_within_the_hours() {
    let down = rule(
        Trigger::PriceDown {
            percent: 20.0,
            hours: 1,
        },
        Repeat::EveryTime,
    );
    assert_eq!(rings(&down, &prices(&[1.0, 1.1, 0.9, 0.88, 0.7])), [180]);
    assert_eq!(rings(&down, &prices(&[1.0, 0.81])), NEVER);
    // More than an hour ago it was as high.
    let one = |at, price| complete(at, vec![sighting(1, 1, price)]);
    assert_eq!(rings(&down, &[one(0, 1.0), one(1800, 0.9), one(3601, 0.75)]), NEVER);
    assert_eq!(rings(&down, &[one(0, 1.0), one(1800, 0.9), one(3600, 0.75)]), [3600]);
    // What a truncated response showed may not have been the lowest.
    let cut = poll(0, PollOutcome::Truncated, vec![sighting(1, 1, 2.0)]);
    assert_eq!(rings(&down, &[cut, one(60, 1.0)]), NEVER);
}

#[test]
fn few_gpus_or_workers_ring_and_a_truncated_response_does_not_tell() {
    let few = rule(Trigger::GpusBelow(5), Repeat::EveryTime);
    let gpus = |at, amount| complete(at, vec![sighting(1, amount, 0.2)]);
    assert_eq!(
        rings(&few, &[gpus(0, 5), gpus(60, 4), gpus(120, 5), gpus(180, 4)]),
        [60]
    );
    // Six are clear by the margin.
    assert_eq!(rings(&few, &[gpus(0, 4), gpus(60, 6), gpus(120, 4)]), [0, 120]);
    let cut = poll(0, PollOutcome::Truncated, vec![sighting(1, 4, 0.2)]);
    assert_eq!(rings(&few, std::slice::from_ref(&cut)), NEVER);
    let below = rule(Trigger::PriceBelow(0.3), Repeat::EveryTime);
    assert_eq!(rings(&below, &[cut]), [0]);
    let failed = poll(0, PollOutcome::Failed, Vec::new());
    assert_eq!(rings(&few, &[failed]), NEVER);

    let workers = rule(Trigger::WorkersBelow(3), Repeat::EveryTime);
    let poll = gpus(0, 8);
    let reported = |workers_now| {
        let figures = Figures::new(&poll, workers_now);
        check(&workers, &mut AlertState::default(), figures).map(|ring| ring.seen)
    };
    assert_eq!(reported(Some(2)), Some(Seen::Workers(2)));
    assert_eq!(reported(Some(3)), None);
    assert_eq!(reported(None), None);
}

#[test]
fn a_clock_set_back_does_not_silence_an_alert() {
    let below = rule(Trigger::PriceBelow(0.30), Repeat::EveryTime);
    let one = |at, price| complete(at, vec![sighting(1, 1, price)]);
    let polls = [
        one(90_000, 0.29),
        one(90_060, 0.31),
        one(100, 0.31),
        one(700, 0.31),
        one(760, 0.29),
    ];
    assert_eq!(rings(&below, &polls), [90_000, 760]);
}

#[test]
fn rules_and_states_survive_storage() {
    let rules = [
        rule(Trigger::PriceBelow(0.3), Repeat::Once),
        rule(
            Trigger::GpusAtLeast {
                gpus: 8,
                below: Some(0.3),
            },
            Repeat::Until(Moment(1_700_000_000)),
        ),
        rule(Trigger::GpusAtLeast { gpus: 8, below: None }, Repeat::EveryTime),
        rule(Trigger::MachineBack(-4), Repeat::EveryTime),
        rule(
            Trigger::PriceDown {
                percent: 12.5,
                hours: 6,
            },
            Repeat::EveryTime,
        ),
        rule(Trigger::GpusBelow(3), Repeat::EveryTime),
        rule(Trigger::WorkersBelow(3), Repeat::EveryTime),
    ];
    for mut rule in rules {
        let text = toml::to_string(&rule).unwrap();
        assert_eq!(toml::from_str::<Rule>(&text).unwrap(), rule, "{text}");
        rule.model = Some("RTX 4090".to_owned());
        let text = serde_json::to_string(&rule).unwrap();
        assert_eq!(serde_json::from_str::<Rule>(&text).unwrap(), rule, "{text}");
    }
    let text = "trigger = { price_below = 0.3 }";
    assert_eq!(
        toml::from_str::<Rule>(text).unwrap(),
        rule(Trigger::PriceBelow(0.3), Repeat::Once)
    );

    let down = Trigger::PriceDown {
        percent: 20.0,
        hours: 1,
    };
    let down = rule(down, Repeat::EveryTime);
    let mut state = AlertState::default();
    for poll in prices(&[1.0, 0.7, 0.9]) {
        let figures = Figures::new(&poll, None);
        check(&down, &mut state, figures);
    }
    let text = toml::to_string(&state).unwrap();
    assert_eq!(toml::from_str::<AlertState>(&text).unwrap(), state, "{text}");
    let text = serde_json::to_string(&state).unwrap();
    assert_eq!(serde_json::from_str::<AlertState>(&text).unwrap(), state, "{text}");
}

#[test]
fn numbers_that_can_never_ring_are_refused() {
    let validate = |trigger| rule(trigger, Repeat::Once).validate();
    assert_eq!(validate(Trigger::PriceBelow(0.3)), Ok(()));
    assert_eq!(validate(Trigger::PriceBelow(0.0)), Err(RuleError::Price));
    assert_eq!(validate(Trigger::PriceBelow(f64::NAN)), Err(RuleError::Price));
    assert_eq!(validate(Trigger::GpusBelow(0)), Err(RuleError::Count));
    let down = |percent, hours| validate(Trigger::PriceDown { percent, hours });
    assert_eq!(down(100.0, 1), Err(RuleError::Percent));
    assert_eq!(down(10.0, 0), Err(RuleError::Hours));
    assert_eq!(down(10.0, 168), Ok(()));
    assert_eq!(validate(Trigger::MachineBack(1)), Ok(()));
}

/// What an alert would have done on polls, all of them recorded.
fn replayed(rule: &Rule, polls: &[Poll]) -> Option<Replay> {
    let replay = AlertReplay {
        question: question(0, 100_000),
        rule: rule.clone(),
    };
    output(&replay, &Record::of(polls))
}

#[test]
fn the_record_tells_how_often_it_would_have_rung() {
    let below = rule(Trigger::PriceBelow(0.30), Repeat::Once);
    // Twice: clear by a margin in between; the poll at 180 is the same lot at the same price.
    let polls = prices(&[0.40, 0.29, 0.40, 0.28, 0.28]);
    let expected = Replay {
        rings: 2,
        since: Moment(0),
        lowest: Some(0.28),
    };
    assert_eq!(replayed(&below, &polls), Some(expected));
    // Lots that are gone are not on offer.
    let two = |at| complete(at, vec![sighting(1, 4, 0.2), sighting(2, 4, 0.2)]);
    let polls = [
        two(0),
        complete(60, vec![sighting(1, 4, 0.2)]),
        two(120),
        complete(180, Vec::new()),
    ];
    let eight = rule(Trigger::GpusAtLeast { gpus: 8, below: None }, Repeat::Once);
    let replay = replayed(&eight, &polls).unwrap();
    assert_eq!((replay.rings, replay.lowest), (2, None));
    assert_eq!(replayed(&eight, &[]), None);
}

#[test]
fn a_price_per_machine_is_that_of_all_gpus_of_an_offer() {
    let mut eight = sighting(1, 8, 2.0);
    eight.quotes = vec![Quote {
        gpus: 8,
        base: 16.0,
        storage: 0.0,
        min_bid: None,
    }];
    let poll = complete(0, vec![eight]);
    let mut below = rule(Trigger::PriceBelow(15.0), Repeat::Once);
    let priced = |rule: &Rule| {
        [Poll {
            sightings: poll.priced(0.0, rule.per),
            ..poll.clone()
        }]
    };
    assert_eq!(rings(&below, &priced(&below)), [0], "$2 per GPU");
    below.per = PricePer::Machine;
    assert_eq!(rings(&below, &priced(&below)), NEVER, "$16 for all eight");
    assert_eq!(
        replayed(&below, std::slice::from_ref(&poll)).unwrap().lowest,
        Some(16.0)
    );
    below.trigger = Trigger::PriceBelow(17.0);
    assert_eq!(rings(&below, &priced(&below)), [0]);
}
