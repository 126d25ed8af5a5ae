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
        err.contains("nothing was sent: over your limit of $12.50/h (limits.group_hourly)"),
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
    assert!(err.contains("over your limit of $12.50/h"), "{err}");
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
