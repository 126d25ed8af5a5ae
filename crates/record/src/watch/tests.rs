#![expect(clippy::float_cmp, reason = "the moments are chosen to be exact")]

use bourse_domain::dialect::Dialect;
use bourse_domain::language::{self, Mode};

use super::*;

const fn at(seconds: f64) -> MonotonicTime {
    MonotonicTime::new(seconds)
}

fn query(text: &str) -> Query {
    let mut query = Query::empty(Resource::Offers);
    let parsed = language::parse(text, query.catalog(), &Dialect::DOCUMENTED, &[], Mode::Strict);
    query.conditions = parsed.unwrap().conditions;
    query
}

fn wish(id: u8, text: &str, every: f64) -> Wish<u8> {
    Wish {
        id,
        query: query(text),
        every,
        first: at(0.0),
        requests: 1,
        is_own: false,
    }
}

/// A wish with a search of its own for each id and interval.
fn wishes(ids: impl IntoIterator<Item = (u8, f64)>) -> Vec<Wish<u8>> {
    let own = |(id, every)| wish(id, &format!("num_gpus>={id}"), every);
    ids.into_iter().map(own).collect()
}

fn engine(requests_a_minute: u32) -> Engine<u8> {
    let mut engine = Engine::new(requests_a_minute, at(0.0), has_same_conditions);
    engine.spent(1, at(0.0));
    engine
}

/// A lower bound on GPUs contains every higher one; no other queries are contained.
fn contains(scope: &Query, query: &Query) -> bool {
    let bound = |query: &Query| {
        let text = query.active().map(language::print_condition).collect::<String>();
        text.strip_prefix("num_gpus>=")
            .map_or(0.0, |bound| bound.parse().unwrap())
    };
    bound(scope) <= bound(query)
}

fn complete(engine: &mut Engine<u8>, id: u8, now: f64) -> Vec<u8> {
    engine.answered(
        &id,
        PollOutcome::Complete,
        UnixTime::new(1000.0 + now).moment(),
        at(now),
    )
}

/// Runs wishes for `seconds`, each request answered after `took`; returns the requests with their times.
fn run(engine: &mut Engine<u8>, from: f64, seconds: f64, took: f64) -> Vec<(u8, f64)> {
    let (mut now, mut sent) = (from, Vec::new());
    while let NextPoll::Due(id, due) = engine.next() {
        now = due.seconds().max(now);
        if now >= from + seconds {
            break;
        }
        sent.push((id, now));
        now += took;
        engine.spent(1, at(now));
        complete(engine, id, now);
    }
    sent
}

fn count(sent: &[(u8, f64)], id: u8) -> usize {
    sent.iter().filter(|(of, _)| *of == id).count()
}

fn due(engine: &Engine<u8>) -> (u8, f64) {
    match engine.next() {
        NextPoll::Due(id, at) => (id, at.seconds()),
        next => panic!("{next:?}"),
    }
}

#[test]
fn more_wishes_than_the_budget_take_turns() {
    let mut engine = engine(10);
    engine.replace_wishes(wishes((0..20).map(|id| (id, 60.0))), at(0.0));
    assert_eq!(
        (
            engine.wanted_per_minute(),
            engine.sent_per_minute(),
            engine.interval(60.0)
        ),
        (20.0, 10.0, 120.0)
    );
    assert!(!engine.has_room());
    let sent = run(&mut engine, 0.0, 3600.0, 0.0);
    assert_eq!(sent.len(), 599); // the first after a gap
    assert!((0..20).all(|id| (29..=30).contains(&count(&sent, id))));
    assert!(sent.windows(11).all(|ten| ten[10].1 - ten[0].1 >= 60.0));
}

#[test]
fn after_hours_asleep_there_is_no_burst() {
    let mut engine = engine(10);
    engine.replace_wishes(wishes((0..5).map(|id| (id, 60.0))), at(0.0));
    run(&mut engine, 0.0, 600.0, 0.5);
    engine.on_wake(at(40_000.0), 0.0);
    let sent = run(&mut engine, 40_000.0, 60.0, 0.5);
    assert_eq!(sent.len(), 5, "{sent:?}");
    assert!(sent.windows(2).all(|two| two[1].1 - two[0].1 >= 6.0));
}

#[test]
fn an_outage_doubles_the_pause_of_all_and_ends_with_the_first_answer() {
    let mut engine = engine(10);
    engine.replace_wishes(wishes([(1, 1.0), (2, 1.0)]), at(0.0));
    let mut pauses = Vec::new();
    let mut now = 0.0;
    for _ in 0..9 {
        let (id, next) = due(&engine);
        pauses.push(next - now);
        now = next;
        engine.spent(1, at(now));
        engine.failed(&id, at(now), Failure::Market { pause: 0.0 });
    }
    assert_eq!(pauses, [6.0, 12.0, 24.0, 48.0, 96.0, 192.0, 384.0, 600.0, 600.0]);
    let (id, due) = due(&engine);
    engine.spent(1, at(due));
    complete(&mut engine, id, due);
    assert_eq!(engine.free().seconds(), due + 6.0);
    // The pause of a 429 counts, but no more than the longest pause.
    for (named, paused) in [(30.0, 30.0), (5000.0, 600.0)] {
        engine.failed(&id, at(0.0), Failure::Market { pause: named });
        assert_eq!(engine.free().seconds(), paused);
    }
}

#[test]
fn a_search_that_fails_pauses_alone_and_a_refused_key_pauses_all() {
    let mut engine = engine(60);
    engine.replace_wishes(wishes([(1, 60.0), (2, 60.0)]), at(0.0));
    for pause in [120.0, 240.0, 480.0, 600.0] {
        engine.failed(&1, at(1000.0), Failure::Request);
        engine.recheck_after(&2, at(2000.0), 0.0);
        assert_eq!(due(&engine), (1, 1000.0 + pause));
    }
    engine.failed(&2, at(3000.0), Failure::Refused);
    assert_eq!(engine.free().seconds(), 3600.0);
    engine.failed(&2, at(3000.0), Failure::ApiKey);
    assert_eq!(engine.next(), NextPoll::AwaitApiKey);
    engine.resume();
    assert_eq!(due(&engine), (1, 3600.0));
}

#[test]
fn wishes_that_stay_keep_their_turn() {
    let mut engine = engine(10);
    engine.replace_wishes(wishes([(1, 60.0), (2, 60.0)]), at(0.0));
    complete(&mut engine, 1, 0.0);
    complete(&mut engine, 2, 1.0);
    engine.replace_wishes(wishes([(2, 60.0), (3, 60.0), (1, 60.0)]), at(7.0));
    assert_eq!(due(&engine), (3, 6.0));
    engine.remove_wish(&3);
    assert_eq!(due(&engine), (1, 60.0));
    // Another interval counts from the last response.
    engine.replace_wishes(wishes([(1, 90.0), (2, 30.0)]), at(7.0));
    assert_eq!(due(&engine), (2, 31.0));
    // Another search is another wish.
    engine.replace_wishes([wish(1, "num_gpus>=9", 60.0)], at(7.0));
    assert_eq!(due(&engine), (1, 6.0));
}

#[test]
fn a_wish_rides_on_one_that_contains_it_and_comes_at_least_as_often() {
    let mut engine = Engine::new(60, at(0.0), contains);
    let narrow = wish(1, "num_gpus>=8", 60.0);
    engine.replace_wishes([narrow.clone(), wish(2, "num_gpus>=2", 60.0)], at(0.0));
    assert_eq!(engine.wanted_per_minute(), 1.0);
    assert_eq!(due(&engine).0, 2);
    assert_eq!(complete(&mut engine, 2, 0.0), [1]);
    assert_eq!(due(&engine), (2, 60.0));
    // Equal ones are polled once, by the first.
    engine.replace_wishes([narrow.clone(), wish(3, "num_gpus>=8", 60.0)], at(100.0));
    assert_eq!((engine.wanted_per_minute(), due(&engine).0), (1.0, 1));
    let rare = wish(2, "num_gpus>=2", 61.0);
    let other_prices = |change: fn(&mut Query)| {
        let mut wish = wish(2, "num_gpus>=2", 60.0);
        change(&mut wish.query);
        wish
    };
    for other in [
        rare,
        other_prices(|query| query.storage = Some(200.0)),
        other_prices(|query| query.offer_type = bourse_domain::OfferType::Bid),
        other_prices(|query| query.unbundled = true),
    ] {
        let mut engine = Engine::new(60, at(0.0), contains);
        engine.replace_wishes([narrow.clone(), other], at(0.0));
        assert!(engine.wanted_per_minute() > 1.9, "{}", engine.wanted_per_minute());
    }
    // A wish that needs a response of its own gets it, and may still lead.
    let mut own = narrow.clone();
    own.is_own = true;
    engine.replace_wishes([wish(2, "num_gpus>=2", 60.0), own.clone()], at(200.0));
    assert_eq!(engine.wanted_per_minute(), 2.0);
    engine.replace_wishes([narrow, Wish { id: 4, ..own }], at(300.0));
    assert_eq!((engine.wanted_per_minute(), due(&engine).0), (1.0, 4));
}

#[test]
fn a_cut_or_broken_response_separates_wishes_until_three_complete_ones() {
    let both = [wish(1, "num_gpus>=8", 60.0), wish(2, "num_gpus>=2", 60.0)];
    for is_cut in [true, false] {
        let mut engine = Engine::new(60, at(0.0), contains);
        engine.replace_wishes(both.clone(), at(0.0));
        complete(&mut engine, 2, 0.0);
        if is_cut {
            let also = engine.answered(&2, PollOutcome::Truncated, Moment(1060), at(60.0));
            assert!(also.is_empty(), "{also:?}");
        } else {
            engine.failed(&2, at(60.0), Failure::Request);
        }
        for time in [120.0, 180.0, 240.0] {
            assert_eq!(engine.wanted_per_minute(), 2.0, "{time}");
            complete(&mut engine, 2, time);
        }
        assert_eq!(engine.wanted_per_minute(), 1.0);
    }
    // Two that are the same request stay so, whatever its response.
    let mut engine = Engine::new(60, at(0.0), contains);
    engine.replace_wishes(
        [
            both[0].clone(),
            Wish {
                id: 3,
                ..both[0].clone()
            },
        ],
        at(0.0),
    );
    let also = engine.answered(&1, PollOutcome::Truncated, Moment(1000), at(0.0));
    assert_eq!(also, [3]);
}

#[test]
fn a_poll_of_another_program_answers_and_the_next_is_awaited_a_little_longer() {
    let mut engine = Engine::new(60, at(0.0), contains);
    engine.replace_wishes([wish(1, "num_gpus>=2", 60.0), wish(2, "num_gpus>=8", 60.0)], at(0.0));
    assert_eq!(engine.since(&1, UnixTime::new(1000.0)), Some(Moment(940)));
    // It is twenty seconds old.
    let now = Now {
        mono: at(100.0),
        epoch: UnixTime::new(1000.0),
    };
    let also = engine.recorded(&1, PollOutcome::Complete, Moment(980), now);
    assert_eq!(also, [2]);
    assert_eq!(due(&engine), (1, 150.0));
    assert!(engine.follows(&1));
    // It counts once.
    assert_eq!(engine.since(&1, UnixTime::new(1005.0)), Some(Moment(980)));
    complete(&mut engine, 1, 150.0);
    assert!(!engine.follows(&1));
    assert_eq!(due(&engine), (1, 210.0));
    let own = Wish {
        is_own: true,
        ..wish(3, "num_gpus>=2", 60.0)
    };
    engine.replace_wishes([own], at(0.0));
    assert_eq!(engine.since(&3, UnixTime::new(1000.0)), None);
}

#[test]
fn without_spacing_requests_follow_each_other_within_the_budget_of_a_minute() {
    let mut engine = Engine::without_spacing(has_same_conditions);
    engine.allow(10);
    engine.replace_wishes(wishes((0..12).map(|id| (id, 60.0))), at(0.0));
    for sent in 0..10 {
        assert_eq!(due(&engine), (sent, 0.0));
        engine.begin(&sent);
        engine.spent(1, at(0.0));
    }
    assert_eq!(due(&engine), (10, 60.0));
    // Requests that were not sent free their room, and after a suspend those under way are not repeated.
    engine.refund(2);
    engine.on_wake(at(5.0), 1.0);
    assert_eq!(due(&engine), (10, 6.0));
    assert_eq!(engine.free_for(3).seconds(), 60.0);
    engine.failed(&0, at(5.0), Failure::Market { pause: 0.0 });
    assert_eq!((engine.free_for(1).seconds(), engine.doubled(60.0)), (17.0, 120.0));
    complete(&mut engine, 1, 6.0);
    assert_eq!(engine.free_for(1).seconds(), 12.0);
}
