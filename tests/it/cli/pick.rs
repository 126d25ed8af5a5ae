//! `bourse pick`: what is printed is still on offer.

use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

use bourse::domain::Dialect;
use bourse::features::pick::{PickStep, Recheck};
use bourse::record::store::Database;
use bourse::record::{Lot, Moment, Poll, PollOutcome, Proof, Quote, Scope, SearchKey, Sighting};
use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::commands::{Home, bourse, run};
use crate::polls::{query, with_lines};
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
        "note: offer 1 is gone\n1x RTX 4090 in -, offer 2: $2.000/h, the lowest of 2 offers\n"
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
fn the_output_is_the_program_s_if_one_is_run() {
    let (out, err, status, _) = picked(&[], &["--exec", "printenv BOURSE_OFFER"]);
    assert_eq!((out.as_str(), status), ("1\n", 0), "{err}");
    assert!(
        err.contains("the lowest of 3 offers\n") && err.contains("create instance 1 "),
        "{err}"
    );
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

/// What `bourse pick` prints at a market of three offers whose prices change after the first search.
fn repriced(changes: &'static [(i64, f64)], arguments: &[&str]) -> (String, String, i32) {
    let recorder = Recorder::start(move |number, _| {
        let mut offers: Json = serde_json::from_str(&market(&[])).unwrap();
        for (id, price) in changes.iter().filter(|_| number > 0) {
            let index = usize::try_from(id - 1).unwrap();
            offers["offers"][index]["dph_total"] = json!(price);
        }
        answer(200, &offers.to_string())
    });
    let url = recorder.url();
    let words = [&["pick", "--base-url", &url, "--print", "id"], arguments].concat();
    let (status, out, err) = bourse(&words);
    (out, err, status)
}

#[test]
fn what_got_more_expensive_is_ranked_again_at_its_new_price() {
    // Behind the second one: that is picked.
    let (out, err, status) = repriced(&[(1, 2.5)], &[]);
    assert_eq!((status, out.as_str()), (0, "2\n"), "{err}");
    assert_eq!(
        err,
        "note: offer 1 is $2.500/h now ($1.000/h a moment ago) and no longer the first\n\
         1x RTX 4090 in -, offer 2: $2.000/h, the lowest of 3 offers\n"
    );
    // Still in front of it: it stays.
    let (out, err, _) = repriced(&[(1, 1.5)], &[]);
    assert_eq!(out, "1\n", "{err}");
    assert_eq!(
        err,
        "1x RTX 4090 in -, offer 1: $1.500/h ($1.000/h a moment ago), the lowest of 3 offers\n"
    );
    // All rose, the first one least: it is the best again, and was never dropped.
    let (out, err, _) = repriced(&[(1, 4.0), (2, 5.0), (3, 6.0)], &[]);
    assert_eq!(out, "1\n", "{err}");
    // Too much for what was asked.
    let (out, err, _) = repriced(&[(1, 2.5)], &["dph_total<2.2"]);
    assert_eq!(out, "2\n", "{err}");
    assert!(err.contains("note: offer 1 no longer matches\n"), "{err}");
    // The tries are used up: the best one of those checked, and it is not called the lowest of all.
    let only_one = |id: i64| {
        if id == 1 {
            json!([{"id": 1, "dph_total": 2.5, "num_gpus": 1}])
        } else {
            json!([])
        }
    };
    let recorder = Recorder::start(move |number, request| {
        let asked = request.json()["id"]["eq"].as_i64();
        let all = market(&[]);
        answer(
            200,
            &if number == 0 {
                all
            } else {
                json!({"offers": only_one(asked.unwrap())}).to_string()
            },
        )
    });
    let url = recorder.url();
    let words = [
        "pick",
        "--profile",
        "vast",
        "--base-url",
        &url,
        "--print",
        "id",
        "--tries",
        "1",
    ];
    let (_, out, err) = bourse(&words);
    assert_eq!(out, "1\n", "{err}");
    assert!(err.contains(", the lowest of the 1 offer checked again\n"), "{err}");
}

/// What `bourse pick` prints at a market of these offers.
fn picked_of(offers: &Json, arguments: &[&str]) -> (i32, String, String) {
    let text = json!({ "offers": offers }).to_string();
    let recorder = Recorder::start(move |_, _| answer(200, &text));
    let url = recorder.url();
    let words = [
        &["pick", "--base-url", &url, "--print", "id", "--no-default"],
        arguments,
    ]
    .concat();
    bourse(&words)
}

#[test]
fn an_offer_that_cannot_be_rented_or_priced_is_no_pick_and_the_reason_is_named() {
    let offer = |id: i64, base: f64, total: f64| json!({"id": id, "gpu_name": "A40", "num_gpus": 1, "dph_base": base, "dph_total": total});
    let offers = json!([
        offer(-7, 0.1, 0.1),
        offer(0, 0.1, 0.1),
        offer(5, 0.0, 0.01),
        {"id": 6, "gpu_name": "A40", "num_gpus": 1},
        offer(8, 0.3, 0.31),
    ]);
    let (status, out, err) = picked_of(&offers, &[]);
    assert_eq!((status, out.as_str()), (0, "8\n"), "{err}");
    for reason in [
        "2 offers can't be picked: id not above zero, e.g. offer -7",
        "offer 5 can't be picked: base price of 0",
        "offer 6 can't be picked: unknown price",
    ] {
        assert!(err.contains(&format!("note: {reason}\n")), "{err}");
    }
    assert!(err.ends_with("offer 8: $0.310/h, the lowest of 1 offer\n"), "{err}");
    let (status, out, err) = picked_of(&json!([offer(0, 0.1, 0.1)]), &[]);
    assert_eq!((status, out.as_str()), (4, ""), "{err}");
    assert!(err.ends_with("note: no offer can be picked\n"), "{err}");
}

#[test]
fn for_a_job_the_disk_and_the_time_left_must_be_known() {
    let offer = |id: i64, price: f64| {
        json!({"id": id, "gpu_name": "A40", "num_gpus": 1, "dph_base": price, "dph_total": price, "storage_cost": 0.0,
            "disk_space": 500.0, "duration": 900_000.0, "inet_down": 100.0, "inet_down_cost": 0.0,
            "inet_up_cost": 0.0})
    };
    let without = |mut offer: Json, key: &str| {
        offer[key] = Json::Null;
        offer
    };
    let offers = json!([
        without(offer(1, 0.1), "disk_space"),
        without(offer(2, 0.2), "duration"),
        offer(3, 0.3),
    ]);
    let (status, out, err) = picked_of(&offers, &["--job", "24h,100GB"]);
    assert_eq!((status, out.as_str()), (0, "3\n"), "{err}");
    // Nothing else is there: the reason is said.
    for unknown in &offers.as_array().unwrap()[..2] {
        let (status, out, err) = picked_of(&json!([unknown]), &["--job", "24h,100GB"]);
        assert_eq!((status, out.as_str()), (4, ""), "{err}");
        assert!(err.contains("1 offer, left out: "), "{err}");
    }
    // Without a job neither is needed.
    let (_, out, err) = picked_of(&offers, &[]);
    assert_eq!(out, "1\n", "{err}");
}

#[test]
fn the_lowest_of_a_response_that_may_be_cut_is_the_lowest_of_those_received() {
    let offers = |many: i64, said: Json| {
        let offer = |id| json!({"id": id, "gpu_name": "A40", "num_gpus": 1, "dph_total": id});
        let mut body = json!({"offers": (1..=many).map(offer).collect::<Vec<_>>()});
        if said != Json::Null {
            body["truncated"] = said;
        }
        body.to_string()
    };
    for (many, said, rank) in [
        (49, Json::Null, "the lowest of 49 offers"),
        (50, Json::Null, "the lowest of the 50 offers received"),
        (100, Json::Null, "the lowest of the 100 offers received"),
        (100, json!(false), "the lowest of 100 offers"),
        (49, json!(true), "the lowest of the 49 offers received"),
    ] {
        let text = offers(many, said.clone());
        let recorder = Recorder::start(move |_, _| answer(200, &text));
        let (_, _, err) = bourse(&["pick", "--base-url", &recorder.url(), "--print", "id", "--no-default"]);
        assert!(err.ends_with(&format!("{rank}\n")), "{many} {said}: {err}");
    }
}

#[test]
fn on_reserved_prices_the_command_is_said_to_rent_at_the_list_price() {
    let offers = json!([{"id": 4, "gpu_name": "A40", "num_gpus": 1, "dph_base": 0.5, "dph_total": 0.5,
        "storage_cost": 0.0, "storage_total_cost": 0.0, "discounted_dph_total": 0.4}]);
    let (status, out, err) = picked_of(&offers, &["--type", "reserved"]);
    assert_eq!((status, out.as_str()), (0, "4\n"), "{err}");
    assert!(err.contains("offer 4: $0.400/h"), "{err}");
    assert!(
        err.ends_with(
            "note: the command rents at the list price, $0.500/h: for the reserved one, prepay the instance afterwards \
             (vastai prepay instance INSTANCE AMOUNT)\n"
        ),
        "{err}"
    );
    let (_, _, err) = picked_of(&offers, &[]);
    assert!(!err.contains("list price"), "{err}");
}

/// Thirty days with a poll an hour of one machine that asks $0.30.
fn record(home: &Home) {
    let now = i64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()).unwrap();
    let file = home.path().join(".local/state/bourse/profiles/sandbox/history.sqlite");
    let mut database = Database::open(&file, "sandbox-1").unwrap();
    let query = query("gpu_name=RTX_4090 num_gpus=1");
    for hour in 0..720 {
        let quote = Quote {
            gpus: 1,
            base: 0.3,
            storage: 0.0,
            min_bid: None,
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
            price: 0.3,
            offer: 1,
            quotes: vec![quote],
        };
        let poll = Poll {
            scope: Scope::new(&query, &Dialect::SANDBOX, []),
            proof: Proof::Nothing,
            lines: Vec::new(),
            search: SearchKey::new(&query),
            at: Moment(now - 60 - (719 - hour) * 3600),
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

#[test]
fn the_verdict_is_the_one_of_a_search_for_the_same_offers() {
    let home = Home::new();
    record(&home);
    let verdict = |command: &[&str]| {
        let words = [
            "--seed",
            "1",
            "--offers",
            "100",
            "--no-default",
            "gpu_name=RTX_4090 num_gpus=1",
            "--with",
            "verdict",
        ];
        let (_, out, err) = run(&mut home.bourse(&[command, &words].concat()));
        let record: Json = serde_json::from_str(out.lines().next().unwrap_or_default()).unwrap_or_default();
        (record["bourse"]["verdict"].clone(), err)
    };
    let (of_offers, err) = verdict(&["offers", "--format", "jsonl"]);
    assert!(of_offers.is_string(), "the control: {of_offers} {err}");
    let (of_pick, err) = verdict(&["pick", "--print", "json"]);
    assert_eq!(of_pick, of_offers, "{err}");
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

    /// Offers are withdrawn or get another price before their second look.
    #[test]
    fn what_is_taken_had_a_second_look_and_nothing_known_is_better(
        prices in proptest::collection::vec((1..9_u32, proptest::option::of(1..9_u32)), 0..10),
        tries in 1..8_usize,
    ) {
        // By id: the price as known, `None` if the offer is gone.
        let mut known: BTreeMap<usize, Option<u32>> =
            prices.iter().enumerate().map(|(id, (price, _))| (id, Some(*price))).collect();
        let mut recheck = Recheck::new(tries);
        let taken = loop {
            let mut there: Vec<(u32, usize)> = known.iter().filter_map(|(id, price)| Some(((*price)?, *id))).collect();
            there.sort_unstable();
            let ranking: Vec<usize> = there.iter().map(|(_, id)| *id).collect();
            match recheck.step(&ranking) {
                PickStep::Check(id) => {
                    recheck.check(id);
                    known.insert(id, prices[id].1);
                }
                PickStep::Take(id) => break Some((id, ranking)),
                PickStep::Nothing => break None,
            }
        };
        let checked = recheck.checked();
        prop_assert!(checked.len() <= tries);
        let is_over = checked.len() == tries;
        match taken {
            Some((id, ranking)) => {
                prop_assert!(checked.contains(&id) && prices[id].1.is_some());
                let better = ranking.iter().take_while(|other| **other != id);
                for other in better {
                    prop_assert!(is_over && !checked.contains(other), "{other} is better than {id}");
                }
            }
            // All that could be checked are gone.
            None => {
                prop_assert!(checked.iter().all(|id| prices[*id].1.is_none()));
                prop_assert!(is_over || checked.len() == prices.len());
            }
        }
    }
}
