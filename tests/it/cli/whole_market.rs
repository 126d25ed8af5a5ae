//! `bourse offers --all`: every offer of a search, as received.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::commands::bourse;
use crate::recorder::{Recorder, json as answer};

/// What the sandbox lists of so many offers at once, and what `--all` loads in parts.
fn both(offers: &str, limit: &str) -> ([String; 2], String) {
    let market = [
        "--offers",
        offers,
        "--seed",
        "7",
        "--freeze",
        "--no-default",
        "--format",
        "jsonl",
    ];
    let listed = bourse(&[&["offers", "--limit", "100000"], &market[..]].concat());
    let loaded = bourse(&[&["offers", "--all", "--limit", limit], &market[..]].concat());
    assert_eq!((listed.0, loaded.0), (0, 0), "{}\n{}", listed.2, loaded.2);
    ([listed.1, loaded.1], loaded.2)
}

#[test]
fn every_record_is_loaded_as_the_market_lists_it() {
    let ([listed, loaded], notes) = both("700", "150");
    let listed_offers = listed.lines().count();
    assert!(listed_offers > 600, "{listed_offers}");
    // The same bytes, in the same order.
    assert!(listed == loaded, "{notes}");
    let (estimate, end) = notes.trim_end().rsplit_once('\n').unwrap();
    // The estimate comes first.
    assert!(
        estimate.starts_with("note: one response does not bring all: about ")
            && estimate.ends_with(" more requests, 100 in all at most"),
        "{notes}"
    );
    let end = end.strip_prefix(&format!("note: all {listed_offers} offers, in "));
    let requests: usize = end.and_then(|end| end.strip_suffix(" requests")?.parse().ok()).unwrap();
    assert!((5..=20).contains(&requests), "{notes}");
}

#[test]
#[ignore = "long: 20,000 offers"]
fn twenty_thousand_offers_come_whole() {
    let ([listed, loaded], notes) = both("20000", "3000");
    assert_eq!(listed.lines().count(), 20_000);
    assert!(listed == loaded, "{notes}");
    assert!(notes.contains("\nnote: all 20,000 offers, in "), "{notes}");
}

/// Offers from the first id on, at rising prices.
fn market(ids: std::ops::Range<u32>) -> String {
    let offer = |id| json!({"id": id, "gpu_name": "A40", "num_gpus": 1, "dph_total": id, "dlperf": 9, "x": "\u{e9}"});
    json!({ "offers": ids.map(offer).collect::<Vec<_>>() }).to_string()
}

#[test]
fn what_is_incomplete_is_named_and_the_status_is_4() {
    // It answers everything with the same offers.
    let recorder = Recorder::start(|_, _| answer(200, &market(0..100)));
    let words = [
        "offers",
        "--base-url",
        &recorder.url(),
        "--all",
        "--limit",
        "100",
        "--format",
        "json",
    ];
    let (status, out, err) = bourse(&words);
    assert_eq!(status, 4, "{err}");
    assert!(
        err.contains("note: not all: 100 offers, in 1 request; what is incomplete:\nnote: the whole search: more than"),
        "{err}"
    );
    let offers: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(offers["offers"].as_array().unwrap().len(), 100);
    // One that fails in the midst of it.
    let recorder = Recorder::start(|number, _| match number {
        0 => answer(200, &market(0..100)),
        _ => answer(403, "{}"),
    });
    let words = [
        "offers",
        "--profile",
        "vast",
        "--base-url",
        &recorder.url(),
        "--all",
        "--limit",
        "100",
    ];
    let (status, _, err) = bourse(&words);
    assert_eq!((status, recorder.requests().len()), (4, 3), "{err}");
    assert!(err.contains("note: dph_total"), "{err}");
}

#[test]
fn no_more_requests_are_sent_than_allowed() {
    // Every response is full, of offers that nobody has seen, of hosts within the bounds of the part.
    let recorder = Recorder::start(|number, request| {
        let bounds = request.json()["host_id"].clone();
        let (low, high) = (
            bounds["gt"].as_f64().unwrap_or(0.0),
            bounds["lte"].as_f64().unwrap_or(1e9),
        );
        let offer = |index: u32| {
            let host = (low + 1.0 + (high - low - 1.0) * f64::from(index) / 99.0).floor();
            json!({"id": number * 100 + index as usize + 1, "host_id": host, "num_gpus": 1, "dph_total": 1})
        };
        answer(
            200,
            &json!({ "offers": (0..100).map(offer).collect::<Vec<_>>() }).to_string(),
        )
    });
    let url = recorder.url();
    let words = [
        "offers",
        "--profile",
        "vast",
        "--base-url",
        &url,
        "--all",
        "--limit",
        "100",
        "--requests",
        "7",
    ];
    let (status, _, err) = bourse(&words);
    assert_eq!((status, recorder.requests().len()), (4, 7), "{err}");
    assert!(err.contains("the budget of requests is spent"), "{err}");
    assert!(
        err.ends_with("note: --requests N sends more; a narrower search needs fewer\n"),
        "{err}"
    );
    let (status, _, err) = bourse(&["offers", "--requests", "7"]);
    assert_eq!((status, err.contains("--all")), (2, true), "{err}");
}

#[test]
fn conditions_of_the_person_are_joined_with_those_of_the_parts() {
    let recorder = Recorder::start(|number, _| answer(200, &market(if number == 0 { 0..100 } else { 0..3 })));
    let address = recorder.url();
    let words = [
        "offers",
        "--profile",
        "vast",
        "--base-url",
        &address,
        "--all",
        "--limit",
        "100",
        "dph_total<=80",
    ];
    bourse(&words);
    let sent: Vec<Value> = recorder
        .requests()
        .iter()
        .map(|request| request.json()["dph_total"].clone())
        .collect();
    assert_eq!(sent[0], json!({"lte": 80}));
    // A step is below it, what is left is within it: one object a field, one bound a side.
    let bound = sent[1]["lte"].as_f64().unwrap();
    assert!(bound < 80.0, "{sent:?}");
    assert_eq!(sent[1].as_object().unwrap().len(), 1);
    let others: BTreeSet<String> = sent[2..]
        .iter()
        .flat_map(|sent| sent.as_object().unwrap().keys().cloned())
        .collect();
    assert!(
        others.iter().all(|operator| ["gt", "lte"].contains(&operator.as_str())),
        "{sent:?}"
    );
}

#[test]
fn what_does_not_go_with_it_is_refused() {
    let (status, out, err) = bourse(&["offers", "--all", "--curl"]);
    assert_eq!((status, out.as_str()), (2, ""));
    assert_eq!(
        err,
        "bourse: --curl prints one request, and --all may send several: leave out one of them\n"
    );
    let (status, _, err) = bourse(&["offers", "--all", "--limit", "0"]);
    assert_eq!((status, err.contains("leave out --limit 0")), (2, true), "{err}");
}
