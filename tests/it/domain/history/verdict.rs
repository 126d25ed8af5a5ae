//! Whether a price is low, in scripted markets whose lowest prices are known: like is compared with like,
//! and nothing is said before a day was watched.

use bourse::domain::time::UnixTime;
use bourse::domain::value::CellRef;
use bourse::domain::{Listing, OfferType, Resource, language};
use bourse::record::{
    CheapestKind, Days, Lasted, Memory, Moment, Poll, PollOutcome, Present, Proof, Question, Quote, Rating, Sighting,
    Standing, Verdict, VerdictBasis, Withheld, offers_like,
};
use jiff::tz::TimeZone;

use super::record::{Record, about, complete, lot, near, output, question, sighting};

const DAY: i64 = 86_400;
const HOUR: i64 = 3600;

/// A watch that polls once an hour: in the hour `n` the cheapest of ten machines asks `lowest(n)`, the
/// others up to twice that.
fn hourly(hours: i64, lowest: impl Fn(i64) -> f64) -> Vec<Poll> {
    let polls = (0..=hours).map(|hour| {
        let price = |machine: i64| lowest(hour) * (1.0 + (machine - 1) as f64 / 9.0);
        let seen = (1..=10).map(|machine| sighting(machine, 1, price(machine)));
        Poll {
            interval: Some(3600),
            ..complete(hour * HOUR, seen.collect())
        }
    });
    polls.collect()
}

fn market(hours: i64, lowest: impl Fn(i64) -> f64) -> Record {
    Record::of(&hourly(hours, lowest))
}

fn remembered(recorded: &Record, until: i64) -> Memory {
    memory(about("num_gpus=1", 0, until), recorded)
}

fn memory(question: Question, recorded: &Record) -> Memory {
    output(&VerdictBasis::new(question.query, question.until), recorded).unwrap()
}

#[track_caller]
fn rated(memory: &Memory, price: f64) -> Rating {
    memory.rate(price).unwrap()
}

/// The rating of the lowest price at the end of so many hours.
#[track_caller]
fn market_now(hours: i64, lowest: impl Fn(i64) -> f64) -> Rating {
    let memory = remembered(&market(hours, lowest), hours * HOUR);
    rated(&memory, memory.lowest.unwrap())
}

/// On how many days the usual lowest price was higher, on how many lower, and of how many.
fn days(rating: &Rating) -> [usize; 3] {
    let Days { higher, lower, of } = rating.days;
    [higher, lower, of]
}

#[test]
fn a_market_that_stands_still_is_typical() {
    let rating = market_now(21 * 24, |_| 0.3);
    assert_eq!(rating.standing, Standing::Typical);
    assert_eq!((rating.lowest, rating.highest), (0.3, 0.3));
    assert_eq!(rating.rank, None);
    assert_eq!(days(&rating), [0, 0, 10]);
}

#[test]
fn a_price_that_hardly_differs_from_the_usual_one_is_typical() {
    let last_day = |price: f64| move |hour| if hour < 20 * 24 { 1.0 } else { price };
    for (price, standing) in [
        (1.009, Standing::Typical),
        (1.011, Standing::High),
        (0.991, Standing::Typical),
        (0.989, Standing::Low),
    ] {
        assert_eq!(market_now(21 * 24, last_day(price)).standing, standing, "{price}");
    }
}

#[test]
fn a_market_that_rose_by_half_is_high_and_one_that_fell_is_low() {
    let last_day = |price: f64| move |hour| if hour < 20 * 24 { 1.0 } else { price };
    let rose = market_now(21 * 24, last_day(1.5));
    assert_eq!(rose.standing, Standing::High);
    assert_eq!(days(&rose), [0, 10, 10]);
    let fell = market_now(21 * 24, last_day(0.5));
    assert_eq!(fell.standing, Standing::Low);
    assert_eq!(days(&fell), [10, 0, 10]);
}

#[test]
fn a_price_is_told_beside_the_usual_one_and_on_which_days_it_was_better() {
    let reported = |price: f64| {
        let recorded = market(21 * 24, |hour| if hour < 20 * 24 { 1.0 } else { price });
        remembered(&recorded, 21 * DAY).verdict_sentence()
    };
    let low = "Low now: $0.880 for 1 GPU, 12% below the usual $1.000 of the last 30 days (70% known); it was more \
               expensive on 10 of the last 10 days";
    assert_eq!(reported(0.88), low);
    let high = "High now: $1.500 for 1 GPU, 50% above the usual $1.000 of the last 30 days (70% known); it was \
                cheaper on 10 of the last 10 days";
    assert_eq!(reported(1.5), high);
    let typical = "Typical now: $1.000 for 1 GPU, usually $1.000 in the last 30 days (70% known); it was never \
                   cheaper in the last 10 days";
    assert_eq!(reported(1.0), typical);
    // Of the last ten days only those of which half is known count, and they are named as known.
    let young = remembered(&market(5 * 24, |_| 1.0), 5 * DAY).verdict_sentence();
    assert!(
        young.ends_with("it was never cheaper in 4 known days of the last 10"),
        "{young}"
    );
}

#[test]
fn the_trend_is_the_lowest_price_of_each_part_of_the_time() {
    let recorded = market(24, |hour| {
        [0.5, 0.4, 0.6, 0.3][usize::try_from(hour / 6).unwrap().min(3)]
    });
    let of = |parts, hours| remembered(&recorded, hours * HOUR).trend(parts);
    assert_eq!(of(4, 24), [Some(0.5), Some(0.4), Some(0.6), Some(0.3)]);
    assert_eq!(of(2, 24), [Some(0.4), Some(0.3)]);
    // Nobody watched the second day.
    assert_eq!(of(4, 48), [Some(0.4), Some(0.3), None, None]);
}

/// Days 0 to 11: two of the ten before the last had a lower lowest price.
#[test]
fn a_price_is_compared_with_the_last_days_one_by_one() {
    let rating = market_now(11 * 24, |hour| match hour / 24 {
        4 | 7 => 0.3,
        10.. => 0.4,
        _ => 0.5,
    });
    assert_eq!(days(&rating), [8, 2, 10]);
    // A day that was watched for less than half of it is none to compare with.
    let rating = market_now(35, |_| 0.5);
    assert_eq!(days(&rating), [0, 0, 0]);
    let rating = market_now(36, |_| 0.5);
    assert_eq!(days(&rating), [0, 0, 1]);
}

#[test]
fn there_is_no_verdict_before_a_day_was_watched() {
    let of = |hours| remembered(&market(hours, |_| 0.5), hours * HOUR);
    let withheld = Withheld::TooLittle { watched: 23 * HOUR };
    assert_eq!(of(23).verdict(), Verdict::Withheld(withheld));
    assert_eq!(
        of(23).verdict_sentence(),
        "No price verdict, too little: known for 23 h of the last 30 days; a verdict needs 24 h"
    );
    assert_eq!(of(23).rate(0.5), None);
    assert!(matches!(of(24).verdict(), Verdict::Given(_)));
    // A month in which nobody watched adds nothing, and takes nothing away.
    let recorded = market(24, |_| 0.5);
    assert_eq!(remembered(&recorded, 30 * DAY).watched, DAY);
}

/// Two weeks in which the limit leaves out most rows: only those that begin with the cheapest tell the
/// lowest price, and none tells that there is none.
#[test]
fn only_polls_that_have_to_show_the_lowest_price_count() {
    let cut = |proof: Proof, seen: fn(i64) -> Vec<Sighting>| {
        let polls = (0..=14 * 24).map(|hour| Poll {
            interval: Some(3600),
            outcome: PollOutcome::Truncated,
            proof,
            ..complete(hour * HOUR, seen(hour))
        });
        let recorded = Record::of(&polls.collect::<Vec<_>>());
        remembered(&recorded, 14 * DAY)
    };
    let one: fn(i64) -> Vec<Sighting> = |_| vec![sighting(1, 1, 0.5)];
    assert_eq!(cut(Proof::Some, one).watched, 0);
    assert_eq!(cut(Proof::UpTo(0.6), one).watched, 14 * DAY);
    assert_eq!(cut(Proof::UpTo(0.6), |_| Vec::new()).watched, 0);
}

/// A machine that is offered whole for 8 $/h, and in single GPUs for 2 $/h.
#[test]
fn offers_are_compared_with_those_of_as_many_gpus() {
    let quote = |gpus, base| Quote {
        gpus,
        base,
        storage: 0.0,
        min_bid: None,
    };
    let polls = (0..=48).map(|hour| {
        let mut seen = sighting(1, 8, 1.0);
        // The single ones get more expensive, the whole machine does not.
        let single = if hour < 24 { 2.0 } else { 3.0 };
        seen.quotes = vec![quote(1, single), quote(8, 8.0)];
        Poll {
            interval: Some(3600),
            ..complete(hour * HOUR, vec![seen])
        }
    });
    let recorded = Record::of(&polls.collect::<Vec<_>>());
    let of = |size: &str| memory(about(size, 0, 2 * DAY), &recorded);
    let single = of("num_gpus=1");
    assert_eq!(single.lowest, Some(3.0));
    assert_eq!(rated(&single, 3.0).standing, Standing::High);
    let whole = of("num_gpus=8");
    assert_eq!(whole.lowest, Some(1.0));
    assert_eq!(rated(&whole, 1.0).standing, Standing::Typical);
    assert_eq!(of("").lowest, Some(1.0));
    let four = of("num_gpus=4");
    assert_eq!((four.lowest, four.watched), (None, 0));
}

/// 0.72 $/GB/month are 0.001 $/GB/h.
#[test]
fn prices_have_the_storage_of_the_question() {
    let polls = (0..=48).map(|hour| {
        let mut seen = sighting(1, 2, 1.05);
        seen.quotes[0] = Quote {
            gpus: 2,
            base: 2.0,
            storage: 0.72,
            min_bid: None,
        };
        Poll {
            interval: Some(3600),
            ..complete(hour * HOUR, vec![seen])
        }
    });
    let recorded = Record::of(&polls.collect::<Vec<_>>());
    let lowest = |storage| {
        let mut asked = about("num_gpus=2", 0, 2 * DAY);
        asked.query.storage = Some(storage);
        memory(asked, &recorded).lowest.unwrap()
    };
    near(lowest(0.0), 1.0);
    near(lowest(8.0), 1.004);
    near(lowest(200.0), 1.1);
}

/// Monday 1970-01-05 to the end of four weeks: half price from 3 to 6 in the morning, and on Sundays a
/// tenth less.
#[test]
fn hours_and_weekdays_are_compared_once_there_are_three_weeks() {
    let monday = 4 * 24;
    let price = |hour: i64| {
        let day = if (hour / 24) % 7 == 2 + 1 { 0.9 } else { 1.0 };
        let night = if (3..6).contains(&(hour % 24)) { 0.5 } else { 1.0 };
        day * night
    };
    // 1970-01-01 was a Thursday: day 3 is a Sunday.
    let hours = monday + 28 * 24;
    let memory = remembered(&market(hours, price), hours * HOUR);
    let by_hour = memory.by_hour(&TimeZone::UTC);
    assert_eq!((by_hour[2], by_hour[3], by_hour[5]), (Some(1.0), Some(0.5), Some(0.5)));
    assert_eq!(by_hour[6], Some(1.0));
    let weekdays = memory.by_weekday(&TimeZone::UTC);
    assert_eq!((weekdays[0], weekdays[6]), (Some(1.0), Some(0.9)));
    let india = TimeZone::fixed(jiff::tz::Offset::from_seconds(19_800).unwrap());
    let by_hour = memory.by_hour(&india);
    assert_eq!((by_hour[9], by_hour[10], by_hour[3]), (Some(0.5), Some(0.5), Some(1.0)));
    assert_eq!(
        memory.times_sentence(&TimeZone::UTC),
        "Usually cheapest at 03:00 ($0.500) and on Sundays ($0.900), most expensive at 23:00 ($1.000) \
         and on Saturdays ($1.000)"
    );
    // Hours that differ by less than a hundredth are not named, though the weekdays are.
    let even = |hour: i64| if (hour / 24) % 7 == 2 + 1 { 0.9 } else { 1.0 } + (hour % 24) as f64 / 10_000.0;
    let memory = remembered(&market(hours, even), hours * HOUR);
    let sentence = memory.times_sentence(&TimeZone::UTC);
    assert!(
        sentence.starts_with("Usually cheapest on Sundays ($0.901), most expensive on "),
        "{sentence}"
    );
    assert!(sentence.ends_with("; alike at all hours"), "{sentence}");
    let calm = |hour: i64| 1.0 + (hour % 24) as f64 / 10_000.0;
    let memory = remembered(&market(hours, calm), hours * HOUR);
    assert_eq!(
        memory.times_sentence(&TimeZone::UTC),
        "Alike at all hours and on all weekdays"
    );
    let young = remembered(&market(20 * 24, price), 20 * DAY);
    assert_eq!(young.by_hour(&TimeZone::UTC), [None; 24]);
    assert_eq!(
        young.times_sentence(&TimeZone::UTC),
        "Cheapest hour and weekday, too little: known for 20 d, 21 d needed"
    );
}

#[test]
fn a_price_is_rated_by_the_fifths_the_range_and_the_time_below_it() {
    // The lowest price is 1 to 50 cents, each for an hour: P20 is $0.10, P80 is $0.40.
    let recorded = market(50, |hour| (hour + 1) as f64 / 100.0);
    let memory = remembered(&recorded, 50 * HOUR);
    let rate = |price: f64| rated(&memory, price);
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
    assert_eq!(rate(0.001).standing, Standing::Low);
}

#[test]
fn a_bid_is_outbid_in_the_time_that_every_least_bid_was_above_it() {
    let mut polls = hourly(50, |hour| (hour + 1) as f64 / 100.0);
    for poll in &mut polls {
        poll.scope.offer_type = OfferType::Bid;
    }
    let recorded = Record::of(&polls);
    let mut asked = question(0, 50 * HOUR);
    asked.query.offer_type = OfferType::Bid;
    let memory = memory(asked, &recorded);
    // 10 of 50 hours asked for more.
    near(rated(&memory, 0.40).outbid.unwrap(), 0.2);
}

#[test]
fn the_memory_tells_since_when_a_lot_is_on_offer() {
    let polls = [
        complete(0, vec![sighting(1, 1, 0.5)]),
        complete(60, vec![sighting(1, 1, 0.4), sighting(2, 1, 0.5)]),
        complete(120, vec![sighting(1, 1, 0.4), sighting(2, 1, 0.6), sighting(3, 1, 1.0)]),
        complete(180, vec![sighting(1, 1, 0.4), sighting(2, 1, 0.6)]),
    ];
    let memory = remembered(&Record::of(&polls), 300);
    let seen = |machine| memory.time_on_offer(&lot(machine), Moment(200));
    let since = |seconds, is_at_least| Some(Lasted { seconds, is_at_least });
    assert_eq!(seen(1), since(200, true));
    assert_eq!(seen(2), since(140, false));
    assert_eq!(seen(3), None);
    // One departure says nothing of lifetimes.
    assert_eq!(memory.reliable_lifetimes(), None);
}

/// Machines that come one a poll and stay for an hour.
#[test]
fn lifetimes_are_told_from_thirty_departures_on() {
    let market = |machines: i64| {
        let polls: Vec<_> = (0..machines + 7)
            .map(|poll| {
                let present = (1..=machines).filter(|machine| (*machine..machine + 6).contains(&poll));
                complete(poll * 600, present.map(|it| sighting(it, 1, 0.5)).collect())
            })
            .collect();
        remembered(&Record::of(&polls), (machines + 6) * 600)
    };
    assert_eq!(market(29).reliable_lifetimes(), None);
    assert_eq!(
        market(29).lifetime_sentence(),
        "Lifetimes: median 60 min of 29 departures, too few for a range (30 needed)"
    );
    // Of a few departures not even the median is named.
    assert_eq!(
        market(4).lifetime_sentence(),
        "Lifetimes, too few: 4 departures, 30 needed"
    );
    let memory = market(30);
    let median = memory.reliable_lifetimes().unwrap().median().unwrap();
    near(median.median, 3600.0);
    assert_eq!(memory.lifetimes.departures, 30);
    assert_eq!(
        memory.lifetime_sentence(),
        "Such offers last 60 min (median, 95% 60 min to more, n = 30)"
    );
}

/// The window is 30 days, whatever span is recorded, and the share of it that is known is told.
#[test]
fn one_window_decides_and_what_is_on_offer_now_is_said() {
    // Forty days at 1.0, but for the first ten, which were at 0.1.
    let recorded = market(40 * 24, |hour| if hour < 10 * 24 { 0.1 } else { 1.0 });
    let memory = remembered(&recorded, 40 * DAY);
    near(memory.known(), 1.0);
    let Verdict::Given(rating) = memory.verdict() else {
        panic!("{:?}", memory.verdict());
    };
    assert_eq!((rating.standing, rating.lowest), (Standing::Typical, 1.0));
    // Two days with an offer, and a poll without.
    let mut polls: Vec<Poll> = (0..48)
        .map(|hour| Poll {
            interval: Some(3600),
            ..complete(hour * HOUR, vec![sighting(1, 1, 0.5)])
        })
        .collect();
    polls.push(Poll {
        interval: Some(3600),
        ..complete(48 * HOUR, Vec::new())
    });
    let gone = remembered(&Record::of(&polls), 48 * HOUR);
    assert_eq!(
        gone.verdict_sentence(),
        "No price verdict: none is on offer now; usually $0.500 in the last 30 days (6.7% known)"
    );
}

/// The kind of the cheapest offer is what `bourse history` gives its verdict on, as on the offer itself.
#[test]
fn offers_are_compared_with_those_of_the_cheapest_kind() {
    let mut pair = sighting(2, 2, 0.4);
    pair.quotes[0] = Quote {
        gpus: 2,
        base: 0.8,
        storage: 0.0,
        min_bid: None,
    };
    let recorded = Record::of(&[complete(0, vec![sighting(1, 1, 0.5), pair])]);
    let asked = about("gpu_name=RTX_4090", 0, HOUR);
    let kind = output(&CheapestKind(asked), &recorded).unwrap();
    assert_eq!(language::print(&kind.query.conditions), "gpu_name=RTX_4090 num_gpus=2");
    assert_eq!(output(&CheapestKind(question(0, HOUR)), &Record::default()), None);
    // As a row of a response asks, whose memory is known too.
    let body = r#"{"offers":[{"id":1,"machine_id":2,"gpu_name":"RTX 4090","num_gpus":2,"gpu_ram":24564,"dph_base":0.8,
        "storage_cost":0}]}"#;
    let listing = Listing::read(Resource::Offers.catalog(), body, UnixTime::new(0.0)).unwrap();
    let like = offers_like(&about("gpu_name=RTX_4090", 0, HOUR).query, &listing, 0).unwrap();
    assert!(like.conditions.starts_with(&kind.query.conditions));
    let accepts = |megabytes: f64| {
        let mut memory = like
            .conditions
            .iter()
            .filter(|condition| condition.field.key == "gpu_ram");
        memory.all(|condition| condition.accepts(CellRef::Number(megabytes)))
    };
    // Cards of 24 GB report slightly more or less, with error correction a sixteenth less; others have 16, 22 or 32.
    assert_eq!(
        [24_564.0, 24_217.0, 23_028.0, 22_528.0, 16_376.0, 32_607.0].map(accepts),
        [true, true, true, false, false, false]
    );
}

#[test]
fn the_lowest_price_now_is_that_of_the_rows_on_screen() {
    let recorded = market(48, |_| 0.5);
    let mut memory = remembered(&recorded, 48 * HOUR);
    let rows = |price: f64, is_complete| {
        let body = format!(
            r#"{{"offers":[{{"id":1,"machine_id":1,"gpu_name":"RTX 4090","num_gpus":1,"dph_base":{price},"storage_cost":0}},
                {{"id":2,"machine_id":2,"gpu_name":"A40","num_gpus":1,"dph_base":0.01,"storage_cost":0}}]}}"#
        );
        let listing = Listing::read(Resource::Offers.catalog(), &body, UnixTime::new(0.0)).unwrap();
        Present::of_response(&listing, &about("gpu_name=RTX_4090", 0, HOUR).query, is_complete)
    };
    memory.set_present(&rows(0.7, true));
    assert_eq!(memory.lowest, Some(0.7));
    // Rows that a limit cut may lack the cheapest one.
    memory.set_present(&rows(0.7, false));
    assert_eq!(memory.lowest, Some(0.5));
    memory.set_present(&rows(0.4, false));
    assert_eq!(memory.lowest, Some(0.4));
}

/// Cards of the model with another memory are left out of the comparison, which therefore names its own.
#[test]
fn a_verdict_names_the_memory_where_the_model_has_several_sizes() {
    let recorded = market(48, |_| 0.5);
    let size = |other: u32| {
        let body = format!(
            r#"{{"offers":[{{"id":1,"machine_id":1,"gpu_name":"RTX 4090","num_gpus":1,"gpu_ram":49140,"dph_base":0.5,"storage_cost":0}},
                {{"id":2,"machine_id":2,"gpu_name":"RTX 4090","num_gpus":1,"gpu_ram":{other},"dph_base":0.3,"storage_cost":0}}]}}"#
        );
        let listing = Listing::read(Resource::Offers.catalog(), &body, UnixTime::new(0.0)).unwrap();
        let like = offers_like(&about("gpu_name=RTX_4090", 0, HOUR).query, &listing, 0).unwrap();
        let mut memory = remembered(&recorded, 48 * HOUR);
        memory.set_present(&Present::of_response(&listing, &like, true));
        (memory.offer_size(), memory.verdict_sentence())
    };
    let (named, sentence) = size(24_564);
    assert_eq!(named, " for 1 GPU of 48 GB");
    assert!(sentence.contains("$0.500 for 1 GPU of 48 GB,"), "{sentence}");
    // With error correction a card of 48 GB reports less.
    assert_eq!(size(46_068).0, " for 1 GPU");
}
