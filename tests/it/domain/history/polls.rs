//! What a response says about each lot.

use bourse::domain::annotations::Bans;
use bourse::domain::insight::coverage;
use bourse::domain::language::{Mode, parse};
use bourse::domain::response_check::ResponseCheck;
use bourse::domain::time::UnixTime;
use bourse::domain::{Catalog, Dialect, Listing, OFFERS, OfferType, Query, Resource, VOLUMES, WORKERGROUPS};
use bourse::record::{Arrival, Cause, Lot, Moment, Poll, PollOutcome, PricePer, SearchKey, VOLUME_MODEL, causes};

use super::record::near;

const ARRIVAL: Arrival = Arrival {
    at: Moment(1000),
    took: 250,
    interval: Some(30),
    bans: Bans::NONE,
};

fn listing(catalog: &'static Catalog, records: &[&str]) -> Listing {
    let body = format!(r#"{{"{}": [{}]}}"#, catalog.list_key, records.join(","));
    Listing::read(catalog, body, UnixTime::new(0.0)).unwrap()
}

fn query(resource: Resource, words: &str) -> Query {
    let catalog = match resource {
        Resource::Offers => &OFFERS,
        Resource::Volumes => &VOLUMES,
        Resource::Workergroups => &WORKERGROUPS,
    };
    let parsed = parse(words, catalog, &Dialect::SANDBOX, &[], Mode::Strict).unwrap();
    Query {
        conditions: parsed.conditions,
        limit: Some(100),
        ..Query::empty(resource)
    }
}

fn read(query: &Query, listing: &Listing) -> Poll {
    let check = ResponseCheck::new(listing, query, &Dialect::SANDBOX);
    Poll::new(query, listing, &check, &Dialect::SANDBOX, &ARRIVAL)
}

/// A slice of a machine of host 7: $0.80 for 4 GPUs or $0.25 for one, at $0.18 per GB and month.
const FOUR: &str = r#"{"id":40,"machine_id":3,"host_id":7,"gpu_name":"RTX 4090","num_gpus":4,
    "gpu_ids":[0,1,2,3],"dph_base":0.8,"dph_total":0.802,"storage_cost":0.18}"#;
const ONE: &str = r#"{"id":41,"machine_id":3,"host_id":7,"gpu_name":"RTX 4090","num_gpus":1,
    "gpu_ids":[3],"dph_base":0.25,"dph_total":0.252,"storage_cost":0.18}"#;

#[test]
fn slices_of_a_machine_are_one_lot_at_its_least_price_per_gpu() {
    let poll = read(&query(Resource::Offers, ""), &listing(&OFFERS, &[ONE, FOUR]));
    assert_eq!(poll.outcome, PollOutcome::Complete);
    assert_eq!((poll.at, poll.took, poll.interval), (Moment(1000), 250, Some(30)));
    assert_eq!((poll.rows, poll.sightings.len()), (2, 1));
    let seen = &poll.sightings[0];
    assert_eq!((seen.lot.machine, &*seen.lot.model), (3, "RTX 4090"));
    assert_eq!((seen.host, seen.amount, seen.offer), (Some(7), 4, 40));
    // 50 GB for each of 4 GPUs cost 50 x 4 x 0.18 / 720 = 0.05 $/h: (0.80 + 0.05) / 4.
    near(seen.price, 0.2125);
}

#[test]
fn the_offer_of_a_lot_is_the_cheapest_with_the_storage_of_the_search() {
    // 8 GB cost 0.002 $/h: (0.96 + 0.002) / 4 and 0.239 + 0.002 per GPU. With 50 GB for each GPU one alone is cheaper:
    // (0.96 + 0.05) / 4 and 0.239 + 0.0125.
    let four = FOUR
        .replace("\"dph_base\":0.8", "\"dph_base\":0.96")
        .replace("0.802", "0.962");
    let one = ONE
        .replace("\"dph_base\":0.25", "\"dph_base\":0.239")
        .replace("0.252", "0.241");
    let rows = listing(&OFFERS, &[&one, &four]);
    let poll = read(&query(Resource::Offers, ""), &rows);
    assert_eq!(poll.sightings[0].offer, 40, "0.2405 and 0.241");
    near(poll.priced(8.0, PricePer::Gpu)[0].price, 0.2405);
    let without = Query {
        storage: Some(0.0),
        ..query(Resource::Offers, "")
    };
    assert_eq!(read(&without, &rows).sightings[0].offer, 41, "0.24 and 0.239");
}

#[test]
fn rented_rows_are_not_on_offer_and_incomplete_ones_are_left_out() {
    let rows = [
        r#"{"id":1,"machine_id":1,"gpu_name":"A","num_gpus":1,"dph_base":1,"storage_cost":0,"rented":true}"#,
        r#"{"id":2,"machine_id":2,"gpu_name":"A","num_gpus":1,"dph_base":1,"storage_cost":0,"rentable":false}"#,
        r#"{"id":3,"gpu_name":"A","num_gpus":1,"dph_base":1,"storage_cost":0}"#,
        r#"{"id":4,"machine_id":4,"gpu_name":"A","num_gpus":1,"storage_cost":0}"#,
        r#"{"id":5,"machine_id":5,"gpu_name":"A","num_gpus":1,"dph_base":2,"storage_cost":0}"#,
    ];
    let poll = read(&query(Resource::Offers, ""), &listing(&OFFERS, &rows));
    let machines: Vec<i64> = poll.sightings.iter().map(|it| it.lot.machine).collect();
    assert_eq!(machines, [5]);
    let rented = Lot {
        machine: 1,
        model: "A".into(),
        memory: 0,
    };
    assert_eq!(poll.causes, [(rented, Cause::Rented)]);
}

#[test]
fn the_outcome_says_how_the_response_counts() {
    let row = r#"{"id":1,"machine_id":1,"gpu_name":"A","num_gpus":1,"dph_base":1,"storage_cost":0}"#;
    let outcome = |words: &str, limit, records: &[&str]| {
        let query = Query {
            limit,
            ..query(Resource::Offers, words)
        };
        let poll = read(&query, &listing(&OFFERS, records));
        (poll.outcome, poll.sightings.len())
    };
    assert_eq!(outcome("", Some(2), &[row]), (PollOutcome::Complete, 1));
    assert_eq!(outcome("", Some(1), &[row]), (PollOutcome::Truncated, 1));
    assert_eq!(outcome("", None, &[row]), (PollOutcome::Truncated, 1));
    // A record without an id may be any lot.
    assert_eq!(
        outcome("", Some(9), &[row, r#"{"machine_id":2}"#]),
        (PollOutcome::Truncated, 1)
    );
    assert_eq!(
        outcome("num_gpus>=2", Some(9), &[row]),
        (PollOutcome::FiltersIgnored, 0)
    );
    let bid = r#"{"id":1,"machine_id":1,"num_gpus":1,"dph_base":1,"storage_cost":0,"is_bid":true}"#;
    assert_eq!(outcome("", Some(9), &[bid]), (PollOutcome::FiltersIgnored, 0));
    // The public service ignores this filter.
    let own = r#"{"id":2,"machine_id":2,"num_gpus":1,"dph_base":1,"storage_cost":0,"rented":true}"#;
    assert_eq!(
        outcome("rented=false", Some(9), &[row, own]),
        (PollOutcome::Complete, 1)
    );
    let failed = Poll::failed(&query(Resource::Offers, ""), &Dialect::SANDBOX, &ARRIVAL);
    assert_eq!((failed.outcome, failed.rows), (PollOutcome::Failed, 0));
}

#[test]
fn volumes_are_priced_per_gigabyte_and_month() {
    let rows = [
        r#"{"id":1,"cluster_id":8,"host_id":2,"storage_cost":0.11,"disk_space":900.5}"#,
        r#"{"id":2,"cluster_id":8,"host_id":2,"storage_cost":0.10,"disk_space":500}"#,
    ];
    let poll = read(&query(Resource::Volumes, ""), &listing(&VOLUMES, &rows));
    let seen = &poll.sightings[0];
    assert_eq!(
        (poll.sightings.len(), seen.lot.machine, &*seen.lot.model),
        (1, 8, VOLUME_MODEL)
    );
    assert_eq!((seen.amount, seen.offer), (900, 2));
    near(seen.price, 0.10);
}

#[test]
fn bids_are_priced_by_their_floor() {
    let row = r#"{"id":1,"machine_id":1,"gpu_name":"A","num_gpus":2,"dph_base":0.4,"min_bid":0.4,
        "dph_total":0.4,"storage_cost":0,"is_bid":true}"#;
    let query = Query {
        offer_type: OfferType::Bid,
        ..query(Resource::Offers, "")
    };
    let poll = read(&query, &listing(&OFFERS, &[row]));
    assert_eq!(poll.search.offer_type, OfferType::Bid);
    near(poll.sightings[0].price, 0.2);
}

#[test]
fn a_search_is_its_conditions_whatever_their_order_limit_and_storage() {
    let one = query(Resource::Offers, "num_gpus>=2 gpu_name=RTX_4090");
    let two = Query {
        limit: None,
        storage: Some(100.0),
        ..query(Resource::Offers, "gpu_name=RTX_4090 num_gpus>=2")
    };
    assert_eq!(SearchKey::new(&one), SearchKey::new(&two));
    assert_eq!(SearchKey::new(&one).conditions, "gpu_name=RTX_4090 num_gpus>=2");
    let mut off = one.clone();
    off.conditions[0].enabled = false;
    assert_eq!(SearchKey::new(&off).conditions, "gpu_name=RTX_4090");
    let bid = Query {
        offer_type: OfferType::Bid,
        ..one.clone()
    };
    assert_ne!(SearchKey::new(&one), SearchKey::new(&bid));
}

#[test]
fn a_search_for_the_machines_tells_why_they_are_gone() {
    let rows = [
        r#"{"id":1,"machine_id":1,"gpu_name":"A","num_gpus":1,"dph_base":1,"storage_cost":0,"rented":true}"#,
        r#"{"id":2,"machine_id":2,"gpu_name":"A","num_gpus":1,"dph_base":9,"storage_cost":0}"#,
    ];
    let listing = listing(&OFFERS, &rows);
    let lot = |machine| Lot {
        machine,
        model: "A".into(),
        memory: 0,
    };
    let missing = [lot(1), lot(2), lot(3)];
    let found = |limit| {
        let causes = causes(&missing, &listing, OfferType::OnDemand, coverage(&listing, limit));
        let found = causes.into_iter().map(|(lot, cause)| (lot.machine, cause));
        found.collect::<Vec<_>>()
    };
    let reported = [(1, Cause::Rented), (2, Cause::LeftTheSearch), (3, Cause::Delisted)];
    assert_eq!(found(Some(3)), reported);
    // A truncated response does not tell what it lacks.
    assert_eq!(found(Some(2)), reported[..2]);
}
