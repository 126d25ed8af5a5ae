//! `bourse markets check`: how a market differs from the published interface.

use serde_json::{Value as Json, json};

use super::commands::bourse;
use crate::recorder::{Recorder, json as answer};

/// A market with gigabytes for megabytes, percents for shares, a list for a name, and no ear for conditions.
fn strange(number: usize) -> String {
    let offer = |id: usize| {
        json!({"id": id, "gpu_name": ["RTX 4090"], "num_gpus": 1, "gpu_ram": 24, "dph_total": 60 - id,
            "reliability2": 99.5, "secret_sauce": "canary-51ab"})
    };
    match number {
        0 => json!({"offers": (1..=60).map(offer).collect::<Vec<_>>()}).to_string(),
        1 => json!({"offers": []}).to_string(),
        _ => json!({"results": []}).to_string(),
    }
}

fn checked(format: &str) -> (i32, String) {
    let recorder = Recorder::start(|number, _| answer(200, &strange(number)));
    let address = recorder.url();
    let (status, out, err) = bourse(&["markets", "check", "--base-url", &address, "--format", format]);
    assert_eq!(recorder.requests().len(), 3, "{err}");
    (status, out)
}

#[test]
fn what_is_missing_unknown_of_another_type_or_unit_or_ignored_is_named() {
    let (status, out) = checked("text");
    assert_eq!(status, 0, "{out}");
    for line in [
        "offers: 60 records",
        "  unknown to bourse: secret_sauce (60 of 60)",
        "  another type: gpu_name is a list in 60 of 60",
        "  another unit?: gpu_ram is not within 1000 to 2000000 MB in 60 of 60",
        "  ignored: num_gpus>=2 (broken by 60)",
        "network volumes: 0 records, nothing to compare",
        "workergroups: 0 records, nothing to compare",
    ] {
        assert!(out.lines().any(|printed| printed == line), "{line}\n{out}");
    }
    let missing = out.lines().find(|line| line.starts_with("  missing in all: ")).unwrap();
    assert!(
        missing.contains("dph_base") && !missing.contains("num_gpus"),
        "{missing}"
    );
    assert!(
        out.contains("ignored: the market ignored the sort order dph_total"),
        "{out}"
    );
    assert!(out.contains("60 records received, at most 50 requested"), "{out}");
    assert!(!out.contains("canary"), "no values: {out}");
}

#[test]
fn programs_get_the_same_as_json() {
    let (_, out) = checked("json");
    let report: Json = serde_json::from_str(&out).unwrap();
    let offers = &report["kinds"]["offers"];
    assert_eq!(offers["unknown"], json!({"secret_sauce": 60}));
    assert_eq!(
        offers["other_types"],
        json!([{"member": "gpu_name", "is": "a list", "records": 60}])
    );
    assert_eq!(offers["implausible"][0]["unit"], "MB");
}

#[test]
fn a_market_that_refuses_is_reported_and_fails() {
    let recorder = Recorder::always(answer(401, r#"{"success":false,"msg":"no"}"#));
    let (status, out, _) = bourse(&["markets", "check", "--base-url", &recorder.url()]);
    assert_eq!(status, 1);
    assert!(out.lines().any(|line| line.starts_with("offers: ")), "{out}");
    let (status, out, _) = bourse(&["markets", "check", "sandbox"]);
    assert_eq!(
        (status, out.starts_with("sandbox: http://127.0.0.1:")),
        (0, true),
        "{out}"
    );
    let (status, _, err) = bourse(&["markets", "check", "nowhere"]);
    assert_eq!((status, err.contains("nowhere")), (2, true), "{err}");
}
