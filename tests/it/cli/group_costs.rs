//! What a workergroup can cost, and the limits on spending.

use std::fs;

use serde_json::{Value as Json, json};

use super::commands::{Home, run};
use crate::recorder::{Recorder, json as answer};

/// Two offers, of which the more expensive one costs $0.50/h.
const OFFERS: &str = r#"{"offers": [
    {"id": 1, "machine_id": 1, "num_gpus": 1, "dph_total": 0.2, "verification": "verified", "rentable": true},
    {"id": 2, "machine_id": 2, "num_gpus": 1, "dph_total": 0.5, "verification": "verified", "rentable": true}]}"#;

/// A market whose searches are answered with `offers`, and which creates group 77.
fn market(offers: &'static str) -> Recorder {
    Recorder::start(move |_, request| {
        let is_creation = request.path == "/api/v0/workergroups/" && request.method == "POST";
        let reply = if is_creation {
            r#"{"success":true,"id":77}"#
        } else {
            offers
        };
        answer(200, reply)
    })
}

fn creations(recorder: &Recorder) -> usize {
    let requests = recorder.requests();
    let is_creation = |path: &str| path == "/api/v0/workergroups/";
    requests.iter().filter(|request| is_creation(&request.path)).count()
}

fn create(home: &Home, recorder: &Recorder, flags: &[&str]) -> (i32, String, String) {
    let url = recorder.url();
    let fixed = ["groups", "create", "--endpoint", "chat", "--base-url", &url];
    run(home.bourse(&[&fixed[..], flags].concat()).env("BOURSE_API_KEY", "key"))
}

fn limited(limits: &str) -> Home {
    let home = Home::new();
    home.file(".config/bourse/config.toml", &format!("[limits]\n{limits}\n"), 0o600);
    home
}

const SEARCH: [&str; 2] = ["--search-params", "num_gpus=1 verified=true rentable=true"];

#[test]
fn a_dry_run_names_the_worst_case_of_a_search_without_a_price_limit_and_writes_nothing() {
    let (home, recorder) = (Home::new(), market(OFFERS));
    let (status, out, err) = create(&home, &recorder, &[&SEARCH[..], &["--dry-run"]].concat());
    assert_eq!(status, 0, "{err}");
    assert!(out.starts_with("POST "), "{out}");
    // 26 x 0.50 = 13.00
    assert!(
        err.contains("worst case: 26 workers (20 + 3 test + 3 cold) × $0.500 = $13.00/h"),
        "{err}"
    );
    assert!(err.contains("no price limit: could pay up to $13.00/h"), "{err}");
    assert_eq!((recorder.requests().len(), creations(&recorder)), (1, 0));

    let search = ["--search-params", "num_gpus=1 dph<=0.6", "--max-workers", "6"];
    let rest = [
        "--test-workers",
        "1",
        "--cold-workers",
        "0",
        "--dry-run",
        "--format",
        "json",
    ];
    let (status, out, err) = create(&home, &recorder, &[&search[..], &rest].concat());
    assert_eq!(status, 0, "{err}");
    assert!(!err.contains("no price limit"), "{err}");
    let cost: Json = serde_json::from_str::<Json>(&out).unwrap()["cost"].clone();
    assert_eq!(
        cost,
        json!({
            "workers": 7, "max_workers": 6, "test_workers": 1, "cold_workers": 0, "worker_hourly": 0.5,
            "hourly": 3.5, "unknown": null, "has_price_limit": true, "group_hourly": null, "over_limit": false,
        })
    );
    assert_eq!(creations(&recorder), 0);
}

#[test]
fn a_group_over_the_limit_is_refused_and_created_only_with_the_flag_which_is_journalled() {
    let (home, recorder) = (limited("group_hourly = 12.5"), market(OFFERS));
    let yes = [&SEARCH[..], &["--yes"]].concat();
    let (status, out, err) = create(&home, &recorder, &yes);
    assert_eq!((status, out.as_str()), (1, ""), "{err}");
    assert!(
        err.contains("nothing was sent: your limit is $12.50/h (limits.group_hourly)"),
        "{err}"
    );
    assert!(err.contains("the worst case is $13.00/h"), "{err}");
    assert!(err.contains("--over-limit"), "{err}");
    assert_eq!(creations(&recorder), 0);
    // A dry run is refused as well, so that a script learns of it.
    let (status, _, err) = create(&home, &recorder, &[&SEARCH[..], &["--dry-run"]].concat());
    assert_eq!(status, 1, "{err}");

    let (status, _, err) = create(&home, &recorder, &[&yes[..], &["--over-limit"]].concat());
    assert_eq!(status, 0, "{err}");
    assert!(err.contains("your limit is $12.50/h"), "{err}");
    assert_eq!(creations(&recorder), 1);
    let journal = fs::read_to_string(home.path().join(".local/state/bourse/writes.jsonl")).unwrap();
    let intent: Json = serde_json::from_str(journal.lines().next().unwrap()).unwrap();
    assert_eq!(
        intent["intent"]["over_limit"],
        json!({"group_hourly": 12.5, "worst_case": 13.0})
    );
}

#[test]
fn a_group_at_the_limit_is_created_and_the_journal_says_nothing_of_it() {
    let (home, recorder) = (limited("group_hourly = 13"), market(OFFERS));
    let (status, _, err) = create(&home, &recorder, &[&SEARCH[..], &["--yes", "--over-limit"]].concat());
    assert_eq!(status, 0, "{err}");
    let journal = fs::read_to_string(home.path().join(".local/state/bourse/writes.jsonl")).unwrap();
    assert!(!journal.contains("over_limit"), "{journal}");
}

#[test]
fn an_unknown_supply_counts_as_over_the_limit() {
    for (offers, flags, reason) in [
        ("{}", &SEARCH[..], "its supply is unknown"),
        (
            r#"{"offers": []}"#,
            &SEARCH,
            "no offer with a price matches its search now",
        ),
        (
            r#"{"offers": [{"id": 1, "num_gpus": 1, "dph_total": 0.01}], "truncated": true}"#,
            &SEARCH,
            "only the cheapest offers were loaded",
        ),
        (OFFERS, &["--template-id", "7"], "its template has its own search"),
    ] {
        let (home, recorder) = (limited("group_hourly = 1000"), market(offers));
        let (status, _, err) = create(&home, &recorder, &[flags, &["--yes"]].concat());
        assert_eq!(status, 1, "{err}");
        assert!(err.contains(&format!("the worst case is unknown: {reason}")), "{err}");
        assert_eq!(creations(&recorder), 0);
    }
}

#[test]
fn a_pick_over_a_limit_is_printed_with_a_warning() {
    let offer = r#"{"offers": [{"id": 1, "num_gpus": 1, "gpu_name": "RTX 4090", "dph_base": 0.5, "dph_total": 0.5,
        "storage_cost": 0, "inet_down_cost": 0, "inet_up_cost": 0, "inet_down": 800, "disk_space": 900,
        "duration": 9000000}]}"#;
    let pick = |limits: &str, job: &str| {
        let (home, recorder) = (limited(limits), market(offer));
        let url = recorder.url();
        let flags = [
            "pick",
            "--no-default",
            "--print",
            "id",
            "--job",
            job,
            "--base-url",
            &url,
        ];
        let (status, out, err) = run(&mut home.bourse(&flags));
        assert_eq!((status, out.as_str()), (0, "1\n"), "{err}");
        err
    };
    // 10 h x 0.50 = 5.00
    let err = pick("bill = 4.5\nhourly = 0.4", "10h");
    assert!(
        err.contains("over your limit: $5.00 for the job (limits.bill: $4.50), $0.500/h (limits.hourly: $0.400/h)"),
        "{err}"
    );
    let err = pick("bill = 5\nhourly = 0.5", "10h");
    assert!(!err.contains("over your limit"), "{err}");
}

#[test]
fn limits_that_the_market_does_not_return_are_shown_as_they_were_sent() {
    let listing = |endpoint: &str| {
        format!(r#"{{"success": true, "results": [{{"id": 77, "endpoint_name": "{endpoint}", "test_workers": 3}}]}}"#)
    };
    for (endpoint, is_same) in [("chat", true), ("other", false)] {
        let listed = listing(endpoint);
        let recorder = Recorder::start(move |_, request| {
            let reply = if request.method == "GET" {
                listed.as_str()
            } else {
                r#"{"success":true,"id":77}"#
            };
            answer(200, reply)
        });
        let home = Home::new();
        let limits = [
            "--max-workers",
            "6",
            "--cold-workers",
            "2",
            "--test-workers",
            "1",
            "--yes",
        ];
        let (status, _, err) = create(&home, &recorder, &[&SEARCH[..], &limits].concat());
        assert_eq!(status, 0, "{err}");
        let url = recorder.url();
        let columns = ["--columns", "id,sent_max,sent_cold", "--format", "csv"];
        let flags = [&["groups", "--base-url", &url], &columns[..]].concat();
        let (status, out, err) = run(home.bourse(&flags).env("BOURSE_API_KEY", "key"));
        assert_eq!(status, 0, "{err}");
        let row = if is_same { "77,6,2" } else { "77,," };
        assert_eq!(out, format!("id,sent_max,sent_cold\n{row}\n"));
        let note = "workergroup 77: max_workers at most 6, as created here; not returned by this market; \
                    cold_workers 2, as created here; not returned by this market; test_workers 1 as created here";
        assert_eq!(err.contains(note), is_same, "{err}");
    }
}

#[test]
fn a_cold_start_costs_its_download_and_its_loading_on_each_machine() {
    let groups = r#"{"success": true, "results": [
        {"id": 1, "endpoint_name": "chat", "search_query": "num_gpus=1"},
        {"id": 2, "endpoint_name": "sdxl", "search_query": "num_gpus=1"}]}"#;
    let offers = r#"{"offers": [
        {"id": 7, "machine_id": 70, "num_gpus": 1, "dph_total": 0.36, "inet_down": 800, "inet_down_cost": 0.002},
        {"id": 8, "machine_id": 80, "num_gpus": 1, "dph_total": 0.72, "inet_down": 100, "inet_down_cost": 0.01},
        {"id": 9, "machine_id": 90, "num_gpus": 1, "dph_total": 0.90}]}"#;
    let recorder = Recorder::start(move |_, request| {
        let is_listing = request.method == "GET";
        answer(200, if is_listing { groups } else { offers })
    });
    let home = Home::new();
    let sizes = "[models]\nloading = \"200s\"\nstarts = 10\n[models.size]\nchat = \"40 GB\"\n";
    home.file(".config/bourse/config.toml", sizes, 0o600);
    // Speeds in Mbit/s.
    let url = recorder.url();
    let markets = ["--base-url", &url, "--profile", "vast"];
    let supply = |flags: &[&str]| {
        let mut command = home.bourse(&[&["groups", "supply"], &markets[..], flags].concat());
        run(command.env("BOURSE_API_KEY", "key"))
    };
    let (status, out, err) = supply(&["--format", "json"]);
    assert_eq!(status, 0, "{err}");
    let report: Json = serde_json::from_str(&out).unwrap();
    let close = |value: &Json, expected: f64| {
        let value = value.as_f64().unwrap();
        assert!((value - expected).abs() < 1e-9, "{value} {expected}");
    };
    let start = |offer: usize| &report["groups"][0]["offers"][offer]["start"];
    // 40 GB at 10 s each and 200 s at $0.36/h: $0.06; 40 GB at $0.002: $0.08.
    close(&start(0)["download_seconds"], 400.0);
    close(&start(0)["machine"], 0.06);
    close(&start(0)["traffic"], 0.08);
    close(&start(0)["total"], 0.14);
    close(&start(0)["total_a_day"], 1.4);
    // 40 GB at 80 s each and 200 s at $0.72/h: $0.68; 40 GB at $0.01: $0.40.
    close(&start(1)["total"], 1.08);
    assert_eq!(start(2), &Json::Null);
    let range = &report["groups"][0]["cold_start"];
    close(&range["least"], 0.14);
    close(&range["most_a_day"], 10.8);
    assert_eq!(range["not_reported"], json!(1));
    assert_eq!(report[1]["cold_start"], Json::Null, "sdxl has no size");
    // 26 x 0.90
    close(&report["groups"][0]["worst_case"]["hourly"], 23.4);
    let searches = recorder
        .requests()
        .into_iter()
        .filter(|request| request.method != "GET");
    assert_eq!(searches.count(), 1, "groups that recruit alike share a search");

    let (status, out, err) = supply(&["endpoint=sdxl", "--size", "20GB", "--loading", "0", "--starts", "2"]);
    assert_eq!(status, 0, "{err}");
    assert!(
        out.starts_with("Workergroup 2 (sdxl)\n  Supply now       3 machines, 3 GPUs\n"),
        "{out}"
    );
    // 20 GB: 200 s at $0.36/h and $0.04; 1,600 s at $0.72/h and $0.20.
    let line = "Cold start       $0.06 to $0.52 a start (20 GB, 0s loading); 2 a day: $0.12 to $1.04; 1 not reported";
    assert!(out.contains(line), "{out}");
    assert!(out.contains("no price limit: could pay up to $23.40/h"), "{out}");
}
