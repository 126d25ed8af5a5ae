//! The price index, against figures worked out by hand.

use bourse::domain::country::CountryCode;
use bourse::domain::{OfferType, Query, Resource};
use bourse::features::price_index::index::{Index, PriceIndex};
use bourse::record::{Analysis as _, Cause, Excerpt, Lot, Moment, Poll, Quote, Sighting};

use super::record::{Record, complete, near, sighting};

const HOUR: i64 = 3600;

/// A machine of a model in Germany, whose offers have these GPUs, prices and minimum bids.
fn machine(number: i64, model: &str, offers: &[(u32, f64, Option<f64>)]) -> Sighting {
    let quote = |(gpus, base, min_bid): &(u32, f64, Option<f64>)| Quote {
        gpus: *gpus,
        base: *base,
        storage: 0.0,
        min_bid: *min_bid,
    };
    Sighting {
        lot: Lot {
            machine: number,
            model: model.into(),
            memory: 0,
        },
        country: CountryCode::of_location("DE").filter(|_| number == 1),
        quotes: offers.iter().map(quote).collect(),
        ..sighting(number, 8, 0.5)
    }
}

fn hourly(hours: std::ops::RangeInclusive<i64>, seen: impl Fn(i64) -> Vec<Sighting>) -> Vec<Poll> {
    let poll = |hour| Poll {
        interval: Some(3600),
        ..complete(hour * HOUR, seen(hour))
    };
    hours.map(poll).collect()
}

/// The index of a market in which these price types were recorded.
fn indexed(records: &[(OfferType, &[Poll])]) -> Option<Index> {
    let analysis = PriceIndex {
        query: Query::empty(Resource::Offers),
        since: Moment(0),
        until: Moment(200 * HOUR),
    };
    let excerpts = analysis.questions().into_iter().map(|question| {
        let record = records
            .iter()
            .find(|(offer_type, _)| *offer_type == question.query.offer_type);
        record.map_or_else(Excerpt::default, |(_, polls)| Record::of(polls).excerpt())
    });
    analysis.answer(&excerpts.collect::<Vec<_>>())
}

#[test]
fn sizes_and_price_types_are_compared_at_the_same_moments() {
    // Alone 0.40 for 30 hours, then 0.60 for 20; two together are on offer in the first 30 hours only, for 0.88.
    let on_demand = hourly(0..=50, |hour| {
        let is_high = hour >= 30;
        let mut offers = vec![(
            1,
            if is_high { 0.6 } else { 0.4 },
            Some(if is_high { 0.3 } else { 0.1 }),
        )];
        offers.extend((!is_high).then_some((2, 0.88, None)));
        vec![
            machine(1, "RTX 4090", &offers),
            machine(2, "RTX 4090", &[(1, 0.7, Some(0.35))]),
        ]
    });
    let found = indexed(&[(OfferType::OnDemand, &on_demand[..])]).unwrap();
    let [all, germany] = &found.lines[..] else {
        panic!("{found:?}");
    };
    near(all.lowest, 0.4);
    assert_eq!((all.country, germany.country), (None, CountryCode::of_location("DE")));
    near(germany.lowest, 0.4);
    // 0.44 each against 0.40, not against the usual price of the whole time.
    near(all.premiums[0].unwrap(), 0.1);
    assert_eq!((all.premiums[1], all.reserved, all.rented), (None, None, None));
    // Minimum bids that on-demand offers name: a quarter of the price for 30 hours, half for 20.
    near(all.bid.unwrap(), -0.75);
    // Searches for bids and reserved prices, watched at the same time.
    let bids = hourly(20..=50, |_| vec![machine(1, "RTX 4090", &[(1, 0.3, Some(0.3))])]);
    let reserved = hourly(40..=50, |_| vec![machine(1, "RTX 4090", &[(1, 0.5, None)])]);
    let found = indexed(&[
        (OfferType::OnDemand, &on_demand[..]),
        (OfferType::Bid, &bids[..]),
        (OfferType::Reserved, &reserved[..]),
    ])
    .unwrap();
    // For 20 of 30 hours 0.3 against 0.6; ten hours of reserved prices are too few.
    near(found.lines[0].bid.unwrap(), -0.5);
    assert_eq!(found.lines[0].reserved, None);
}

#[test]
fn what_is_known_of_too_little_is_left_out_and_not_zero() {
    let polls = hourly(0..=30, |hour| {
        let mut seen = vec![machine(1, "RTX 4090", &[(1, 0.4, None)])];
        seen.extend((hour < 20).then(|| machine(2, "H100 SXM", &[(1, 2.0, None)])));
        seen
    });
    let found = indexed(&[(OfferType::OnDemand, &polls[..])]).unwrap();
    assert_eq!((found.lines[0].model.as_str(), found.lines[0].bid), ("RTX 4090", None));
    assert!(found.lines.iter().all(|line| line.model == "RTX 4090"));
    assert_eq!(found.withheld, 1);
    assert_eq!(indexed(&[]), None);
}

#[test]
fn the_share_rented_is_of_those_that_left_for_a_known_cause() {
    // Every hour another machine is there and then gone: rented three times of four, else delisted.
    let departures = |known: i64| {
        let mut polls = hourly(0..=40, |hour| vec![machine(hour, "RTX 4090", &[(1, 0.4, None)])]);
        for (poll, gone) in polls.iter_mut().skip(1).zip(0..known) {
            let cause = if gone % 4 == 0 { Cause::Delisted } else { Cause::Rented };
            let lot = machine(gone, "RTX 4090", &[]).lot;
            poll.causes = vec![(lot, cause)];
        }
        indexed(&[(OfferType::OnDemand, &polls[..])]).unwrap().lines[0].rented
    };
    near(departures(40).unwrap(), 0.75);
    assert_eq!(departures(29), None);
}
