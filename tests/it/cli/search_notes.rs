//! What the commands say beside their records, on standard error.

use std::process::Command;

use serde_json::{Value as Json, json};

use super::commands::BARE;
use crate::recorder::{Recorder, json as json_answer};

/// The command against a server that gives one answer: its standard output and standard error.
pub fn run(body: &str, arguments: &[&str]) -> (String, String, Recorder) {
    run_configured("", body, arguments)
}

/// [`run`] with a configuration.
pub fn run_configured(config: &str, body: &str, arguments: &[&str]) -> (String, String, Recorder) {
    let recorder = Recorder::always(json_answer(200, body));
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join(".config/bourse");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("config.toml"), config).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_bourse"))
        .args(arguments)
        .args(["--base-url", &recorder.url()])
        .env_clear()
        .env("HOME", home.path())
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let (out, err) = (text(output.stdout), text(output.stderr).replacen(BARE, "", 1));
    assert_eq!(output.status.code(), Some(0), "{err}");
    (out, err, recorder)
}

/// Five offers: the prices of the first ones, cheap to expensive.
const FIVE: &str = r#"{"offers":[{"id":1,"dph_total":0.05,"score":9},{"id":2,"dph_total":0.2,"score":8},
 {"id":3,"dph_total":0.3,"score":7},{"id":4,"dph_total":0.4,"score":6},{"id":5,"dph_total":0.5,"score":5}]}"#;

/// The first column of CSV, without its header.
fn ids(out: &str) -> Vec<String> {
    let records = out.lines().skip(1);
    records.map(|line| line.split(',').next().unwrap().to_owned()).collect()
}

#[test]
fn an_answer_that_the_limit_truncated_says_so() {
    for format in ["table", "json", "csv"] {
        let (_, err, _) = run(FIVE, &["offers", "--limit", "5", "--format", format]);
        assert_eq!(err, "note: first 5, more exist: raise --limit for the rest\n");
        let (_, err, _) = run(FIVE, &["offers", "--limit", "6", "--format", format]);
        assert_eq!(err, "");
    }
    let volumes = r#"{"offers":[{"ask_contract_id":1,"storage_cost":0.1}]}"#;
    let (_, err, _) = run(volumes, &["volumes", "--limit", "1"]);
    assert_eq!(err, "note: first 1, more exist: raise --limit for the rest\n");
    // The market says so itself, or that there are no more.
    let cut = FIVE.replace("]}", "],\"truncated\":true}");
    let (_, err, _) = run(&cut, &["offers", "--limit", "50"]);
    let advice = "the market cuts below the limit: narrow the search, or add --all";
    assert_eq!(err, format!("note: first 5, more exist: {advice}\n"));
    let (_, err, _) = run(&cut.replace("true", "false"), &["offers", "--limit", "5"]);
    assert_eq!(err, "");
    // A number at which markets cut, and one at which none does.
    let offer = |id| json!({"id": id, "dph_total": id});
    let offers = |many: u32| json!({"offers": (1..=many).map(offer).collect::<Vec<_>>()}).to_string();
    let (_, err, _) = run(&offers(50), &["offers", "--limit", "500"]);
    assert_eq!(
        err,
        "note: 50 offers received, perhaps not all: a round number at which a market may cut\n"
    );
    let (_, err, _) = run(&offers(51), &["offers", "--limit", "500"]);
    assert_eq!(err, "");
    // Without a limit the market's own decides.
    let (_, err, _) = run(FIVE, &["offers", "--limit", "0"]);
    assert_eq!(
        err,
        "note: 5 offers without a limit: the market may have left some out\n"
    );
}

#[test]
fn conditions_that_only_hold_for_the_first_records_say_how_few_they_are() {
    let search = ["offers", "dph<0.1", "--format", "csv", "--limit"];
    let (out, err, recorder) = run(FIVE, &[&search[..], &["5"]].concat());
    assert_eq!(recorder.only().json().get("dph_total"), None);
    assert_eq!(ids(&out), ["1"]);
    assert_eq!(
        err,
        "note: 1 of the first 5 matches dph_total<0.1, which this market doesn't filter; raise \
         --limit to search more\n"
    );
    let (_, err, _) = run(FIVE, &["offers", "dph<0.35", "--limit", "9"]);
    assert_eq!(
        err,
        "note: 3 of 5 match dph_total<0.35, which this market doesn't filter: applied locally\n"
    );
    let (_, err, recorder) = run(FIVE, &["offers", "dph<0.1", "num_gpus=2", "--curl"]);
    assert!(recorder.requests().is_empty());
    assert_eq!(
        err,
        "note: the command leaves out dph_total<0.1, which this market doesn't filter\n"
    );
}

#[test]
fn an_order_that_the_market_ignored_is_kept_here() {
    let shuffled = r#"{"offers":[{"id":1,"dph_total":0.4},{"id":2,"dph_total":0.2},{"id":3,"dph_total":0.3}]}"#;
    let search = ["offers", "--order", "dph_total", "--format", "csv"];
    let (out, err, _) = run(shuffled, &search);
    assert_eq!(ids(&out), ["2", "3", "1"]);
    assert_eq!(
        err,
        "note: the market ignored the sort order dph_total (1 row out of place): sorted locally\n"
    );
    // Of a truncated answer the first row need not be the market's first.
    let (_, err, _) = run(shuffled, &[&search[..], &["--limit", "3"]].concat());
    assert!(
        err.contains("note: sorted by dph_total among the first 3 only\n"),
        "{err}"
    );
    // As JSON, each record is what the market sent.
    let (out, _, _) = run(shuffled, &["offers", "--order", "dph_total", "--format", "json"]);
    let whole: Json = serde_json::from_str(&out).unwrap();
    assert_eq!(whole["offers"][0], json!({"id": 2, "dph_total": 0.2}));
}

#[test]
fn an_order_that_the_market_cannot_take_is_sorted_here() {
    let target = r#"{"offers":[{"id":1,"target_reliability":0.9},{"id":2,"target_reliability":0.1}]}"#;
    let search = [
        "offers",
        "--order",
        "target_reliability",
        "--format",
        "csv",
        "--limit",
        "2",
    ];
    let (_, err, recorder) = run(target, &search);
    assert_eq!(recorder.only().json().get("order"), None);
    assert!(
        err.contains("note: sorted by target_reliability among the first 2 only\n"),
        "{err}"
    );
}

#[test]
fn records_that_break_a_condition_are_named_and_stay() {
    let body = r#"{"offers":[{"id":1,"num_gpus":1},{"id":2,"num_gpus":4}]}"#;
    let (out, err, _) = run(body, &["offers", "num_gpus>=2", "--format", "csv"]);
    assert_eq!(
        err,
        "note: the market ignored num_gpus>=2: 1 of 2 records don't match it\n"
    );
    assert_eq!(ids(&out), ["1", "2"]);
}

#[test]
fn more_records_than_the_limit_are_named() {
    let (_, err, _) = run(FIVE, &["offers", "--limit", "3"]);
    assert!(err.contains("note: 5 records received, at most 3 requested\n"), "{err}");
}

#[test]
fn conditions_that_are_likely_slips_are_warned_of() {
    for (query, warning) in [
        ("gpu_ram=24", "gpu_ram>=24 finds them"),
        ("reliability>98", "98 is outside the usual range of reliability"),
        (
            "duration>=86400",
            "duration: 86400 is read as 86,400 days; for seconds write 86400s",
        ),
        (
            "cpu_ram>=64000",
            "cpu_ram: 64000 is read as 64,000 GB; for MB write 64000MB",
        ),
    ] {
        for more in [&[][..], &["--curl"], &["--format", "json"]] {
            let (_, err, _) = run(FIVE, &[&["offers", query][..], more].concat());
            assert!(err.contains(warning), "{query} {more:?}: {err}");
        }
    }
}

#[test]
fn a_name_that_the_market_does_not_use_gets_a_suggestion() {
    for format in ["table", "json"] {
        let search = ["offers", "gpu_name=4090", "--format", format];
        let (_, err, _) = run(r#"{"offers":[]}"#, &search);
        assert!(err.contains("note: did you mean gpu_name=RTX_4090?\n"), "{err}");
    }
    // Names of the records count, but for those that would steer a terminal.
    let body = r#"{"offers":[{"id":1,"cpu_name":"AMD EPYC 7763"},{"id":2,"cpu_name":"EPYC \u001b[2J"}]}"#;
    let (_, err, _) = run(body, &["offers", "cpu_name=epyc"]);
    assert!(
        err.contains("note: did you mean cpu_name=\"AMD EPYC 7763\"?\n"),
        "{err}"
    );
    assert!(!err.contains('\u{1b}'), "{err:?}");
}

#[test]
fn storage_that_the_market_cannot_price_is_estimated() {
    // 0.72 $/GB/month is 0.001 $/h a GB: 1.0 and 100 GB make 1.1.
    let body = r#"{"offers":[{"id":1,"dph_base":1.0,"dph_total":1.008,"storage_cost":0.72,"disk_space":500}]}"#;
    let (out, err, _) = run(body, &["offers", "--storage", "100"]);
    assert!(out.contains("1.1000"), "{out}");
    assert_eq!(
        err,
        "note: this market doesn't quote prices with 100 GB of storage: $/h is an estimate\n"
    );
    // The market sorts by the prices that it quotes, with 8 GB.
    let quoted = r#"{"offers":[{"id":1,"dph_base":1.0,"dph_total":1.008,"storage_cost":0.72,"disk_space":500},
        {"id":2,"dph_base":1.01,"dph_total":1.01,"storage_cost":0.0,"disk_space":500}]}"#;
    let search = [
        "offers",
        "--storage",
        "100",
        "--order",
        "dph_total",
        "--format",
        "csv",
        "--limit",
        "2",
    ];
    let (out, err, _) = run(quoted, &search);
    assert_eq!(ids(&out), ["2", "1"]);
    assert!(
        err.contains("note: sorted by dph_total among the first 2 only\n"),
        "{err}"
    );
    let (out, err, _) = run(body, &["offers"]);
    assert!(out.contains("1.0080"), "{out}");
    assert_eq!(err, "");
}

#[test]
fn plain_words_are_told_as_they_were_understood() {
    let body = r#"{"offers":[
     {"id":1,"dph_base":0.5,"dph_total":0.5,"storage_cost":0,"inet_down":80000000,"inet_down_cost":0.01,"inet_up_cost":0,"duration":864000,"disk_space":900},
     {"id":2,"dph_base":0.4,"dph_total":0.4,"storage_cost":0,"inet_down":80000000,"inet_down_cost":0.1,"inet_up_cost":0,"duration":864000,"disk_space":900},
     {"id":3,"dph_base":0.1,"dph_total":0.1,"storage_cost":0,"inet_down":80000000,"inet_down_cost":0,"inet_up_cost":0,"duration":3600,"disk_space":900}]}"#;
    let arguments = [
        "offers",
        "4090",
        "not in CN",
        "10h 100gb down cheapest",
        "--format",
        "csv",
    ];
    let (out, err, recorder) = run(body, &arguments);
    assert_eq!(
        err.lines().next().unwrap(),
        "understood: gpu_name=RTX_4090 geolocation!=CN · job 10h, 100 GB down · sort job_cost"
    );
    let sent = recorder.only().json();
    assert_eq!(sent["gpu_name"], json!({"eq": "RTX 4090"}));
    assert_eq!(sent["geolocation"], json!({"neq": "CN"}));
    // 1: 5 + 1 = 6; 2: 4 + 10 = 14; 3 ends after an hour.
    assert_eq!(ids(&out), ["1", "2", "3"]);
    let (out, err, _) = run(body, &arguments[..4]);
    assert!(out.lines().next().unwrap().contains("Job $"), "{out}");
    let unfit = "note: 1 offer, listed last: ending before the job, or without its disk\n";
    assert!(err.contains(unfit), "{err}");
}

#[test]
fn a_purpose_changes_nothing() {
    let (_, err, recorder) = run(FIVE, &["offers", "l40s 48gb for llm inference"]);
    assert_eq!(
        err.lines().next().unwrap(),
        "understood: gpu_name=L40S gpu_ram>=45 · at least 48 GB as sold"
    );
    assert_eq!(recorder.only().json()["gpu_ram"], json!({"gte": 45_000}));
}

#[test]
fn flags_count_more_than_plain_words() {
    let arguments = ["offers", "spot cheapest", "--type", "reserved", "--order", "score-"];
    let (_, _, recorder) = run(FIVE, &arguments);
    let sent = recorder.only().json();
    assert_eq!(sent["type"], json!("reserved"));
    assert_eq!(sent["order"], json!([["score", "desc"]]));
}
