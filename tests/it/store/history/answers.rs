//! Answers from the file equal the definitions.

use bourse::features::history::prices::series::{PriceSeries, Series};
use bourse::record::store::Database;
use bourse::record::{Ending, Excerpt, Moment, Poll, PollOutcome, Proof, Question, Quote, Spell, VerdictBasis};
use proptest::prelude::*;

use super::{MARKET, START, about, open, poll};
use crate::cases::cases;
use crate::polls::with_lines;

const PRICES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.5];
const DAY: i64 = 86_400;

/// How a poll differs from the one before: seconds since it, how it counts, and what it sees of four
/// machines, whether it shows another model for the second pair, and whether old polls are deleted after it.
type Step = (i64, PollOutcome, Vec<Option<(u32, usize)>>, bool);

fn any_step() -> impl Strategy<Value = Step> {
    let pause = prop_oneof![
        12 => Just(60_i64),
        4 => 120_i64..900,
        2 => 3600_i64..30_000,
        1 => 80_000_i64..200_000,
        1 => -5000_i64..-100,
    ];
    let outcome = prop_oneof![
        8 => Just(PollOutcome::Complete),
        2 => Just(PollOutcome::Truncated),
        1 => Just(PollOutcome::Failed),
    ];
    let seen = proptest::collection::vec(proptest::option::weighted(0.8, (1_u32..4, 0_usize..PRICES.len())), 4);
    (pause, outcome, seen, proptest::bool::weighted(0.2))
}

/// The database after the steps, and the clock at the end.
fn recorded(steps: &[Step]) -> (Database, i64) {
    let mut database = Database::in_memory(MARKET).unwrap();
    let mut now = 0;
    for (pause, outcome, machines, is_swept) in steps {
        now += pause;
        let seen: Vec<(i64, u32, f64)> = (1..)
            .zip(machines)
            .filter_map(|(machine, seen)| seen.map(|(gpus, price)| (machine, gpus, PRICES[price])))
            .collect();
        let seen = match outcome {
            PollOutcome::Failed => &[],
            _ => &seen[..],
        };
        let mut poll = Poll {
            outcome: *outcome,
            proof: Proof::Nothing,
            lines: Vec::new(),
            ..poll(now, seen)
        };
        for sighting in &mut poll.sightings {
            if sighting.lot.machine > 2 {
                sighting.lot.model = "H100 SXM".into();
                // Offered in pairs too, with storage at 0.72 $/GB/month.
                sighting.quotes.push(Quote {
                    gpus: 2,
                    base: 2.0 * sighting.price,
                    storage: 0.72,
                    min_bid: Some(0.1),
                });
            }
        }
        poll.sightings.sort_by(|one, other| one.lot.cmp(&other.lot));
        let at = poll.at;
        database.record(&with_lines(poll)).unwrap();
        if *is_swept {
            database.sweep(at).unwrap();
        }
    }
    (database, START + now)
}

/// Until when a spell counts, and from when on it does not.
fn ends(spell: &Spell) -> (i64, i64) {
    match spell.end {
        Some((Ending::Gone(_) | Ending::Changed, at)) => (at.0, at.0),
        _ => (spell.last.0, spell.last.0 + 1),
    }
}

/// The price below which a part of the weight lies, by the definition.
fn quantile(prices: &[(f64, f64)], part: f64) -> f64 {
    let total: f64 = prices.iter().map(|(_, weight)| weight).sum();
    let mut sum = 0.0;
    for (price, weight) in prices {
        sum += weight;
        if sum >= part * total * (1.0 - 1e-12) {
            return *price;
        }
    }
    unreachable!("no prices")
}

/// What a series says, computed bucket by bucket and poll by poll.
fn check_series(found: &Series, recorded: &Excerpt, question: &Question) -> Result<(), TestCaseError> {
    let spells: Vec<&Spell> = recorded.spells.iter().collect();
    for bucket in &found.buckets {
        let (from, until) = (bucket.from.0, bucket.until.0);
        let mut prices: Vec<(f64, f64)> = spells
            .iter()
            .filter(|spell| spell.first.0 < until && ends(spell).1 > from)
            .map(|spell| {
                let span = ends(spell).0.min(until) - spell.first.0.max(from);
                (spell.price, span.max(1) as f64)
            })
            .collect();
        prices.sort_by(|one, other| one.0.total_cmp(&other.0));
        let levels = (!prices.is_empty()).then(|| [0.0, 0.2, 0.5, 0.8].map(|part| quantile(&prices, part)));
        let reported = bucket.levels.map(|it| [it.lowest, it.p20, it.median, it.p80]);
        prop_assert_eq!(reported, levels);
    }
    let lowest = |at: Moment| {
        let on_offer = spells.iter().filter(|spell| spell.first <= at && at.0 < ends(spell).1);
        on_offer.map(|spell| spell.price).reduce(f64::min)
    };
    let usable = || recorded.polls.iter().filter(|poll| poll.outcome.is_usable());
    let mut lows = Vec::new();
    let mut count = 0.0;
    for poll in usable().filter(|poll| (question.since..=question.until).contains(&poll.at)) {
        count += 1.0;
        lows.extend(lowest(poll.at).map(|low| (low, poll.at)));
    }
    // What the last poll before the time saw holds for 10 minutes, or three of its intervals.
    let before = usable().rfind(|poll| poll.at < question.since);
    let held =
        before.filter(|poll| question.since.since(poll.at) <= i64::from(poll.interval.unwrap_or(0) * 3).max(600));
    let held = held.and_then(|poll| Some((lowest(poll.at)?, question.since)));
    let record = held
        .into_iter()
        .chain(lows.iter().copied())
        .reduce(|one, other| if other.0 < one.0 { other } else { one });
    prop_assert_eq!(found.record, record);
    for price in PRICES {
        let below = lows.iter().filter(|(low, _)| *low < price).count() as f64;
        let share = (count > 0.0).then_some(below / count);
        prop_assert_eq!(found.share_below(price), share);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(12, 96)))]

    #[test]
    fn every_series_is_that_of_its_definition(
        steps in proptest::collection::vec(any_step(), 1..120),
        back in 1_i64..6 * DAY,
        ago in 0_i64..DAY,
        (machine, has_model) in (proptest::option::of(1_i64..5), any::<bool>()),
    ) {
        let (database, now) = recorded(&steps);
        let until = now - if ago % 3 == 0 { ago } else { 0 };
        let machine = machine.map_or_else(String::new, |machine| format!("machine_id={machine}"));
        let model = if has_model { "gpu_name=RTX_4090" } else { "" };
        let question = Question {
            since: Moment(until - back),
            until: Moment(until),
            ..about(&format!("gpu_ram>=24 {machine} {model}"))
        };
        let recorded = database.excerpt(&question).unwrap();
        let prices = PriceSeries { question: question.clone(), buckets: 7 };
        if let Some(series) = database.ask(&prices).unwrap() {
            check_series(&series, &recorded, &question)?;
        }
    }
}

#[test]
fn prices_of_a_model_are_those_of_the_search_for_all_models() {
    let root = tempfile::tempdir().unwrap();
    let mut database = open(&root.path().join("history.sqlite"));
    // Two days of hourly polls of all models.
    for hour in 0..=48 {
        let poll = Poll {
            interval: Some(3600),
            ..poll(hour * 3600, &[(10, 1, 0.40)])
        };
        database.record(&poll).unwrap();
    }
    let memory = |conditions: &str| {
        let until = Moment(START + 50 * 3600);
        database
            .ask(&VerdictBasis::new(about(conditions).query, until))
            .unwrap()
    };
    for narrower in [
        "gpu_name=RTX_4090 gpu_ram>=24",
        "gpu_name=RTX_4090 gpu_ram>=24 num_gpus=1",
        "gpu_ram>=24 machine_id=10",
        "gpu_ram>=24 gpu_name=RTX_4090 num_gpus=1 gpu_ram<25",
    ] {
        let known = memory(narrower).unwrap();
        assert_eq!((known.watched, known.lowest), (48 * 3600, Some(0.40)), "{narrower}");
    }
    // Other conditions make other prices, and which machines are verified was not told.
    for other in [
        "gpu_name=RTX_4090 gpu_ram>=24 verified=true",
        "gpu_ram>=24 gpu_name=RTX_3090",
    ] {
        assert_eq!(memory(other).unwrap().lowest, None, "{other}");
    }
    assert_eq!(memory("gpu_name=RTX_4090"), None);
}
