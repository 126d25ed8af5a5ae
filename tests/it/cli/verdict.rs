//! One verdict on the same offers, whichever command is asked.

use std::fs;
use std::time::{SystemTime, UNIX_EPOCH};

use bourse::domain::response_check::ResponseCheck;
use bourse::domain::time::UnixTime;
use bourse::domain::{Condition, Dialect, Listing, OFFERS, Operand, Operator, Query, Resource, Value};
use bourse::record::store::Database;
use bourse::record::{Arrival, Moment, Poll};
use serde_json::{Value as Json, json};

use super::commands::{Home, run};
use super::history::{offers, watch};
use crate::recorder::Recorder;

/// A machine with one card and one with a pair, at these prices of a GPU.
fn two(single: f64, pair: f64) -> [Json; 2] {
    let offer = |machine: u64, gpus: u32, price: f64| {
        let total = price * f64::from(gpus);
        json!({
            "id": machine * 100, "machine_id": machine, "host_id": 7, "gpu_name": "RTX 4090", "num_gpus": gpus,
            "gpu_ram": 24_564, "dph_base": total, "dph_total": total, "storage_cost": 0.0, "dlperf": 100.0,
        })
    };
    [offer(10, 1, single), offer(20, 2, pair)]
}

/// Forty hours of hourly searches for 4090s: a card at $0.50 and a pair at $0.40 each, but for the last one.
fn record_past(database: &mut Database, single: f64, pair: f64) {
    let field = Resource::Offers.catalog().by_key("gpu_name").unwrap();
    let model = Operand::One(Value::Text("RTX 4090".to_owned()));
    let query = Query {
        conditions: vec![Condition::new(field, Operator::Eq, model)],
        // Fewer rows than that are all.
        limit: Some(100),
        ..Query::empty(Resource::Offers)
    };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() as i64;
    for hour in 0..=40 {
        let rows = if hour < 40 { two(0.5, 0.4) } else { two(single, pair) };
        let body = json!({ "offers": rows }).to_string();
        let listing = Listing::read(&OFFERS, &body, UnixTime::new(0.0)).unwrap();
        let check = ResponseCheck::new(&listing, &query, &Dialect::DOCUMENTED);
        let arrival = Arrival {
            at: Moment(now - 60 - (40 - hour) * 3600),
            took: 100,
            interval: Some(3600),
            bans: bourse::domain::annotations::Bans::NONE,
        };
        let poll = Poll::new(&query, &listing, &check, &Dialect::DOCUMENTED, &arrival);
        assert!(database.record(&poll).unwrap());
    }
}

#[test]
fn the_same_offers_have_one_standing_in_every_command() {
    let recorder = Recorder::always(offers(&two(0.3, 0.45)));
    let (home, url) = (Home::new(), recorder.url());
    // Where the record of this market is, and what it calls the market.
    assert_eq!(run(&mut watch(&home, &url, &["--once"])).0, 0);
    let profiles = home.path().join(".local/state/bourse/profiles");
    let profile = fs::read_dir(profiles).unwrap().next().unwrap().unwrap();
    let file = profile.path().join("history.sqlite");
    let market: String = {
        let connection = rusqlite::Connection::open(&file).unwrap();
        let name = connection.query_row("SELECT name FROM market", [], |row| row.get(0));
        name.unwrap()
    };
    for part in ["", "-wal", "-shm"] {
        let _ = fs::remove_file(profile.path().join(format!("history.sqlite{part}")));
    }
    let ask = |command: &str, flags: &[&str]| {
        let fixed = [command, "--no-default", "--base-url", &url, "4090"];
        let (status, out, err) = run(&mut home.bourse(&[&fixed, flags].concat()));
        assert_eq!(status, 0, "{err}");
        out
    };
    let parsed = |text: &str| serde_json::from_str::<Json>(text).unwrap();
    // Nothing is recorded: each says how much is missing.
    let needed = "No price verdict, too little: known for 0 s of the last 30 days; a verdict needs 24 h";
    assert_eq!(ask("history", &[]), format!("{needed}\n"));
    let out = ask("offers", &["--format", "jsonl", "--with", "verdict"]);
    let member = parsed(out.lines().next().unwrap())["bourse"].take();
    assert_eq!(
        (&member["verdict"], &member["verdict_withheld"]),
        (&Json::Null, &json!(needed))
    );
    record_past(&mut Database::open(&file, &market).unwrap(), 0.3, 0.45);
    let history = |flags: &[&str]| parsed(&ask("history", &[&["--format", "json"], flags].concat()))["verdict"].take();
    // A card costs less than usual, a pair more: the first is the cheapest offer.
    let of_all = history(&[]);
    assert_eq!((&of_all["standing"], &of_all["of"]["gpus"]), (&json!("low"), &json!(1)));
    assert_eq!(of_all["window_days"], 30);
    // Whatever time the table shows.
    assert_eq!(history(&["--days", "1"]), of_all);
    assert_eq!(history(&["num_gpus=2"])["standing"], "high");
    let out = ask("offers", &["--format", "jsonl", "--with", "verdict"]);
    let reported: Vec<(Json, Json)> = out
        .lines()
        .map(parsed)
        .map(|mut row| (row["num_gpus"].take(), row["bourse"]["verdict"].take()))
        .collect();
    assert!(reported.contains(&(json!(1), json!("low"))), "{out}");
    assert!(reported.contains(&(json!(2), json!("high"))), "{out}");
    let picked = parsed(&ask("pick", &["num_gpus=2", "--print", "json", "--with", "verdict"]));
    assert!(picked.to_string().contains(r#""verdict":"high""#), "{picked}");
    // In words, with the window and how much of it is known: 40 hours of 30 days.
    let out = ask("history", &[]);
    assert!(
        out.contains("Low now: $0.300 for 1 GPU, 40% below the usual $0.500 of the last 30 days (5.6% known)"),
        "{out}"
    );
    assert!(out.contains("Lifetimes, too few: 0 departures, 30 needed"), "{out}");
}
