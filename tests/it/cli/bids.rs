//! `bourse bids` on a market whose minimum bids are known.

use std::time::{SystemTime, UNIX_EPOCH};

use bourse::domain::{Dialect, OfferType, Query};
use bourse::record::store::Database;
use bourse::record::{Lot, Moment, Poll, PollOutcome, Proof, Quote, Scope, SearchKey, Sighting};
use serde_json::{Value as Json, json};

use super::commands::{Home, run};
use crate::polls::{query, with_lines};

/// A market that nothing is asked of: bids come from the record.
const MARKET: &str = "http://127.0.0.1:9";

/// Thirty hours with a poll an hour of one machine that asks $0.20, and $0.50 in every sixth hour.
fn record(home: &Home) {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() as i64;
    let file = home.path().join(".local/state/bourse/profiles/custom/history.sqlite");
    let mut database = Database::open(&file, MARKET).unwrap();
    let query = Query {
        offer_type: OfferType::Bid,
        ..query("gpu_name=RTX_4090")
    };
    for hour in 0..=30 {
        let min_bid = if hour % 6 == 5 { 0.5 } else { 0.2 };
        let quote = Quote {
            gpus: 1,
            base: min_bid,
            storage: 0.0,
            min_bid: Some(min_bid),
        };
        let sighting = Sighting {
            lot: Lot {
                machine: 7,
                model: "RTX 4090".into(),
                memory: 0,
            },
            host: None,
            country: None,
            amount: 1,
            price: min_bid,
            offer: 1,
            quotes: vec![quote],
        };
        let poll = Poll {
            scope: Scope::new(&query, &Dialect::SANDBOX, []),
            proof: Proof::Nothing,
            lines: Vec::new(),
            search: SearchKey::new(&query),
            at: Moment(now - 60 - (30 - hour) * 3600),
            took: 1,
            outcome: PollOutcome::Complete,
            rows: 1,
            interval: Some(3600),
            bans: 0,
            sightings: vec![sighting],
            causes: Vec::new(),
        };
        assert!(database.record(&with_lines(poll)).unwrap());
    }
}

fn bids(home: &Home, flags: &[&str]) -> (i32, String, String) {
    let fixed = ["bids", "--base-url", MARKET, "--no-default"];
    run(&mut home.bourse(&[&fixed, flags].concat()))
}

#[test]
fn each_bid_has_its_share_interruptions_and_the_bill_with_restarts() {
    let home = Home::new();
    let (status, out, err) = bids(&home, &["4090"]);
    assert_eq!((status, out.as_str()), (0, "\n"), "{err}");
    assert!(
        err.contains("No minimum bids are recorded of this search: bourse watch --type bid"),
        "{err}"
    );
    record(&home);
    let (status, out, err) = bids(&home, &["4090", "20h", "--format", "json"]);
    assert_eq!(status, 0, "{err}");
    let report: Json = serde_json::from_str(&out).unwrap();
    assert_eq!(
        (&report["type"], &report["watched_seconds"]),
        (&json!("bid"), &json!(108_000))
    );
    let [low, high] = &report["figures"].as_array().unwrap()[..] else {
        panic!("{out}");
    };
    let near = |value: &Json, expected: f64| assert!((value.as_f64().unwrap() - expected).abs() < 1e-9, "{value}");
    // Five times five hours, of which the first is saved whole, and 4.5 hours of each after a restart.
    near(&low["bid"], 0.2);
    near(&low["held"], 25.0 / 30.0);
    near(&low["interruptions_per_day"], 5.0 * 24.0 / 25.0);
    near(&low["longest_hold_seconds"], 18_000.0);
    near(&low["done_hours"], 20.0 * 30.0 / 23.0);
    near(&low["bill"], 20.0 * 0.2 * 25.0 / 23.0);
    near(&high["bid"], 0.5);
    near(&high["bill"], 10.0);
    assert_eq!(
        (&low["is_lowest_bill"], &high["is_lowest_bill"]),
        (&json!(true), &json!(false))
    );
    // Without a checkpoint in a hold, or for more work than there was at a bid, there is no bill.
    for flags in [["20h", "--checkpoint", "5h"], ["24h", "--checkpoint", "30m"]] {
        let (_, out, _) = bids(&home, &[&["4090", "--format", "csv"][..], &flags].concat());
        let lines: Vec<&str> = out.lines().collect();
        assert!(
            lines[1].ends_with(",18000,,,false") && lines[2].ends_with(",true"),
            "{out}"
        );
    }
    let (_, out, _) = bids(&home, &["4090", "20h"]);
    assert!(
        out.contains("RTX 4090     1   0.2000       83%         4.8             5 h     26 h     $4.35  lowest"),
        "{out}"
    );
    assert!(out.contains("complete responses of bid searches."), "{out}");
    assert_eq!(bids(&home, &["4090", "--checkpoint", "soon"]).0, 2);
}
