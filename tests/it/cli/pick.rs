//! `bourse pick`: what is printed is still on offer.

use std::collections::BTreeMap;

use bourse::features::pick::first_left;
use proptest::prelude::*;
use serde_json::json;

use super::commands::bourse;
use crate::recorder::{Recorder, json as answer};

/// Three offers at rising prices, but for those that are rented.
fn market(rented: &[i64]) -> String {
    let left = (1..=3).filter(|id| !rented.contains(id));
    let offers = left.map(|id| json!({"id": id, "gpu_name": "RTX 4090", "num_gpus": 1, "dph_total": id}));
    json!({"offers": offers.collect::<Vec<_>>()}).to_string()
}

/// What `bourse pick` prints at a market where `rented` are gone after the first search, its notes and its status.
fn picked(rented: &'static [i64], arguments: &[&str]) -> (String, String, i32, Recorder) {
    let recorder = Recorder::start(move |number, _| {
        let gone = if number == 0 { &[][..] } else { rented };
        answer(200, &market(gone))
    });
    let address = recorder.url();
    let words = [&["pick", "--base-url", &address], arguments].concat();
    let (status, out, err) = bourse(&words);
    (out, err, status, recorder)
}

#[test]
fn what_is_gone_at_the_second_look_is_not_printed() {
    let (out, err, status, recorder) = picked(&[1], &["--print", "id"]);
    assert_eq!((out.as_str(), status), ("2\n", 0), "{err}");
    assert_eq!(
        err,
        "note: offer 1 is gone\n1x RTX 4090 in -, offer 2: $2.000/h, the lowest of 3 offers\n"
    );
    assert_eq!(recorder.requests().len(), 3);
    let (out, _, status, recorder) = picked(&[], &["--print", "command"]);
    let command = format!(
        "vastai --url '{}' create instance 1 --image IMAGE --disk 8\n",
        recorder.url()
    );
    assert_eq!((out, status), (command, 0));
}

#[test]
fn a_second_look_asks_for_the_id_where_the_market_takes_it() {
    let (out, _, _, recorder) = picked(&[], &["--profile", "vast", "--print", "id"]);
    assert_eq!(out, "1\n");
    assert_eq!(recorder.requests()[1].json()["id"], json!({"eq": 1}));
}

#[test]
fn where_nothing_is_left_nothing_is_printed() {
    let (out, err, status, _) = picked(&[1, 2, 3], &["--print", "id"]);
    assert_eq!((out.as_str(), status), ("", 4), "{err}");
    assert!(err.ends_with("note: 3 of 3 tried, all gone: --tries tries more, or search again\n"));
    let (out, err, status, recorder) = picked(&[1, 2], &["--print", "id", "--tries", "2"]);
    assert_eq!((out.as_str(), status), ("", 4), "{err}");
    assert_eq!(recorder.requests().len(), 3);
    // A market that ignores a condition.
    let (out, err, status, _) = picked(&[], &["--print", "id", "gpu_name=H200"]);
    assert_eq!((out.as_str(), status), ("", 4), "{err}");
}

#[test]
fn a_price_that_rose_meanwhile_is_told() {
    let recorder = Recorder::start(|number, _| {
        let dear = market(&[]).replace("\"dph_total\":1", "\"dph_total\":2.5");
        answer(200, &if number == 0 { market(&[]) } else { dear })
    });
    let (status, out, err) = bourse(&["pick", "--base-url", &recorder.url(), "--print", "id"]);
    assert_eq!((status, out.as_str()), (0, "1\n"), "{err}");
    assert!(
        err.contains("offer 1: $2.500/h ($1.000/h a moment ago), then the lowest of 3 offers"),
        "{err}"
    );
    // Too much for what was asked: it is passed over.
    let recorder = Recorder::start(|number, _| {
        let dear = market(&[]).replace("\"dph_total\":1", "\"dph_total\":2.5");
        answer(200, &if number == 0 { market(&[]) } else { dear })
    });
    let words = ["pick", "--base-url", &recorder.url(), "--print", "id", "dph_total<2.2"];
    let (status, out, err) = bourse(&words);
    assert_eq!((status, out.as_str()), (0, "2\n"), "{err}");
}

#[test]
fn the_record_is_as_received_but_for_one_member() {
    let (out, _, _, _) = picked(&[], &["--print", "json"]);
    let mut record: serde_json::Value = serde_json::from_str(&out).unwrap();
    let added = record.as_object_mut().unwrap().remove("bourse").unwrap();
    assert!(added["command"].as_str().unwrap().contains("create instance 1 "));
    let received: serde_json::Value = serde_json::from_str(&market(&[2, 3])).unwrap();
    assert_eq!(record, received["offers"][0]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    /// Offers are withdrawn at random times; each look takes a tick.
    #[test]
    fn an_offer_that_was_withdrawn_before_the_second_look_is_never_picked(
        ends in proptest::collection::vec(0..12_u32, 0..10),
        tries in 1..8_usize,
    ) {
        let ends: BTreeMap<usize, u32> = ends.into_iter().enumerate().collect();
        let mut now = 0;
        let candidates = ends.keys().copied().take(tries);
        let looked = first_left(candidates, async |id: &usize| {
            now += 1;
            Ok::<_, ()>((ends[id] > now).then_some(now))
        });
        let picked = futures_util::FutureExt::now_or_never(looked).unwrap().unwrap();
        // The best one of those tried that is there when its turn comes.
        let wanted = (0..tries.min(ends.len())).find(|id| ends[id] > u32::try_from(id + 1).unwrap());
        prop_assert_eq!(picked.map(|(id, _)| id), wanted);
        prop_assert!(picked.is_none_or(|(id, at)| ends[&id] > at));
    }
}
