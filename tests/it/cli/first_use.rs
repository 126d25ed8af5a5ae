//! Outputs and errors that readers stumbled over at their first use.

use std::fs;

use serde_json::{Value as Json, json};

use super::commands::{Home, run};
use crate::recorder::{Recorder, json as reply};

fn document(out: &str) -> Json {
    serde_json::from_str(out).unwrap_or_else(|error| panic!("{error}: {out}"))
}

#[test]
fn a_history_of_searches_without_a_result_is_empty() {
    let recorder = Recorder::always(reply(200, r#"{"offers": []}"#));
    let (home, url) = (Home::new(), recorder.url());
    let words = ["gpu_name=RTX_4090", "--base-url", &url];
    let (status, _, err) = run(&mut home.bourse(&[&["watch", "--once"], &words[..]].concat()));
    assert_eq!(status, 0, "{err}");
    let history = |flags: &[&str]| run(&mut home.bourse(&[&["history"], &words[..], flags].concat()));
    assert_eq!(history(&[]).0, 0);
    let (status, out, _) = history(&["--fail-empty"]);
    assert_eq!(status, 4);
    assert!(out.contains("Watched"), "it is printed all the same: {out}");
    // Control: an offer.
    let recorder = Recorder::always(reply(
        200,
        r#"{"offers": [{"id": 1, "machine_id": 2, "host_id": 3, "gpu_name": "RTX 4090", "num_gpus": 1, "dph_base": 0.5,
            "dph_total": 0.5, "storage_cost": 0, "rentable": true, "rented": false, "verified": true}]}"#,
    ));
    let url = recorder.url();
    let words = ["gpu_name=RTX_4090", "--base-url", &url];
    assert_eq!(run(&mut home.bourse(&[&["watch", "--once"], &words[..]].concat())).0, 0);
    let flags = ["--fail-empty"];
    assert_eq!(run(&mut home.bourse(&[&["history"], &words[..], &flags].concat())).0, 0);
}

#[test]
fn settings_are_typed_and_each_has_the_line_that_it_comes_from() {
    let home = Home::new();
    let config = "mouse = false\n[watch]\nrequests_per_minute = 7\n[models]\nsize = \"40 GB\"\n";
    home.file(".config/bourse/config.toml", config, 0o600);
    let settings = |arguments: &[&str]| {
        let (status, out, err) = run(&mut home.bourse(&[&["config", "show", "--json"], arguments].concat()));
        assert_eq!(status, 0, "{err}");
        document(&out)["settings"].as_array().unwrap().clone()
    };
    let rows = settings(&["--seed", "9"]);
    let of = |name: &str| rows.iter().find(|row| row["setting"] == name).unwrap();
    for (name, value) in [
        ("mouse", json!(false)),
        ("read_only", json!(false)),
        ("freeze", json!(false)),
        ("seed", json!(9)),
        ("watch.requests_per_minute", json!(7)),
        ("models.starts", json!(24)),
        ("ascii", Json::Null),
        ("alert_command", Json::Null),
        ("theme", json!("auto")),
        ("profile", json!("sandbox")),
    ] {
        assert_eq!(of(name)["value"], value, "{name}");
    }
    for (name, line) in [
        ("mouse", 1),
        ("watch.requests_per_minute", 3),
        ("models.size.default", 5),
    ] {
        let from = of(name)["from"].as_str().unwrap();
        assert!(from.ends_with(&format!("config.toml:{line}")), "{name}: {from}");
    }
    assert_eq!(of("models.starts")["from"], "default");
    let sizes = "[models.size]\ndefault = \"20 GB\"\nchat = \"40 GB\"\n";
    home.file(".config/bourse/config.toml", sizes, 0o600);
    let rows = settings(&[]);
    let chat = rows.iter().find(|row| row["setting"] == "models.size.chat").unwrap();
    assert!(chat["from"].as_str().unwrap().ends_with(":3"), "{chat}");
}

#[test]
fn a_requirement_without_a_unit_names_the_units() {
    let home = Home::new();
    for (requirement, hint) in [
        ("p95<2", "its bound needs a unit, ms, s or m"),
        ("errors<1", "needs a unit, %"),
    ] {
        let (status, _, err) = run(&mut home.bourse(&["route", "sdxl", "--require", requirement]));
        assert_eq!(status, 2);
        assert!(
            err.contains(&format!("--require: '{requirement}'")) && err.contains(hint),
            "{err}"
        );
    }
}

#[test]
fn the_summary_of_a_run_has_its_warm_up_and_a_start_that_programs_read() {
    let home = Home::new();
    let arguments = ["route", "sdxl", "-n", "1", "--warmup", "2", "--json", "--latency", "0"];
    let (status, out, err) = run(&mut home.bourse(&arguments));
    assert_eq!(status, 0, "{err}");
    let run = &document(&out)["summary"]["run"];
    assert_eq!(run["warmup"], 2);
    let started = run["started"].as_str().unwrap();
    let moment: jiff::Timestamp = started.parse().unwrap();
    assert_eq!(moment.as_second(), run["started_at"].as_f64().unwrap().floor() as i64);
    assert!(started.ends_with('Z'), "{started}");
}

#[test]
fn a_refused_request_is_among_the_replies() {
    let recorder = Recorder::start(|number, _| match number {
        0 => reply(200, r#"{"endpoint":"ep","cost":100,"url":"http://w:1","reqnum":7}"#),
        _ => reply(403, r#"{"error":"no such endpoint"}"#),
    });
    let arguments = ["route", "ep", "-n", "2", "--json", "--base-url", &recorder.url()];
    let (_, out, _) = run(&mut Home::new().bourse(&arguments));
    let document = document(&out);
    let replies = document["replies"].as_array().unwrap();
    assert_eq!(replies.len(), 2, "{out}");
    assert_eq!(replies[0]["reqnum"], 7);
    assert_eq!(replies[1]["bourse"]["request"], 2);
    assert!(
        replies[1]["bourse"]["error"]
            .as_str()
            .unwrap()
            .contains("no such endpoint")
    );
}

#[test]
fn nothing_to_watch_is_no_request_a_minute() {
    let (status, out, _) = run(&mut Home::new().bourse(&["watch", "--saved", "--list"]));
    assert_eq!(status, 0);
    assert!(out.contains("\n0 requests a minute;"), "{out}");
    let (_, out, _) = run(&mut Home::new().bourse(&["watch", "--saved", "--list", "--json"]));
    assert!(!out.contains("-0"), "{out}");
}

#[test]
fn a_dry_run_says_why_a_cost_is_unknown() {
    let home = Home::new();
    let create = [
        "groups",
        "create",
        "--endpoint",
        "chat",
        "--dry-run",
        "--json",
        "--latency",
        "0",
    ];
    for (search, reason) in [
        (["--template-id", "7"], "its template has its own search"),
        (
            ["--search-params", "gpu_name=NOPE"],
            "no offer with a price matches its search now",
        ),
    ] {
        let (status, out, err) = run(&mut home.bourse(&[&create[..], &search].concat()));
        assert_eq!(status, 0, "{err}");
        let cost = &document(&out)["cost"];
        assert_eq!(
            (&cost["hourly"], &cost["unknown"]),
            (&Json::Null, &json!(reason)),
            "{out}"
        );
    }
}

#[test]
fn an_error_in_a_payload_names_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("broken.json");
    fs::write(&path, "{\"prompt\": }").unwrap();
    let path = path.display().to_string();
    let arguments = [
        "route",
        "llama-70b",
        "--send",
        "/v1/completions",
        "--payload",
        &path,
        "--yes",
    ];
    let (status, _, err) = run(&mut Home::new().bourse(&arguments));
    assert_eq!(status, 2);
    assert!(err.contains(&format!("--payload: {path}: ")), "{err}");
}
