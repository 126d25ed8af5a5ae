//! `bourse markets check`: how a market differs from the published interface.

use serde_json::{Value as Json, json};

use super::commands::{BARE, Home, Served, bourse, run};
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

/// How a market of these tests treats searches.
#[derive(Clone, Copy)]
struct Manners {
    /// The operators that it takes; it rejects others.
    operators: &'static [&'static str],
    /// Whether `dph_total` and `allocated_storage` are parameters; it rejects others.
    has_market_parameters: bool,
    /// Whether conditions are obeyed.
    obeys: bool,
    /// The download speed of its slowest machine; each next one is faster by 10.
    speed: u32,
}

const VAST: Manners = Manners {
    operators: &["notin", "lte", "gte", "eq"],
    has_market_parameters: true,
    obeys: true,
    speed: 895,
};

const DOCUMENTED: Manners = Manners {
    operators: &["nin", "lte", "gte", "eq"],
    has_market_parameters: false,
    ..VAST
};

fn market(manners: Manners) -> Recorder {
    Recorder::start(move |_, request| answer_with(manners, &request.json()))
}

fn answer_with(manners: Manners, body: &Json) -> Vec<u8> {
    let refused = |what: &str| {
        answer(
            400,
            &json!({"success": false, "error": "invalid", "msg": what}).to_string(),
        )
    };
    let body = body.as_object().unwrap();
    let storage = body.get("allocated_storage").and_then(Json::as_f64);
    if !manners.has_market_parameters && (storage.is_some() || body.contains_key("dph_total")) {
        return refused("unknown parameter");
    }
    for filter in body.values().filter_map(Json::as_object) {
        if let Some(unknown) = filter.keys().find(|name| !manners.operators.contains(&name.as_str())) {
            return refused(unknown);
        }
    }
    let without = body
        .get("gpu_name")
        .and_then(|filter| filter.as_object()?.values().next()?.as_array());
    let most = body.get("dph_total").and_then(|filter| filter["lte"].as_f64());
    let offers = (0..12).filter_map(|index| {
        let model = if index % 3 == 0 { "A40" } else { "RTX 4090" };
        let base = 0.3 + f64::from(index) * 0.05;
        let total = base + 0.144 * storage.unwrap_or(8.0) / 720.0;
        let is_out = without.is_some_and(|models| models.iter().any(|name| name == model))
            || most.is_some_and(|most| total > most);
        (!(manners.obeys && is_out)).then(|| {
            json!({"id": index + 1, "gpu_name": model, "num_gpus": 1, "dph_base": base, "dph_total": total,
                "storage_cost": 0.144, "inet_down": manners.speed + index * 10})
        })
    });
    answer(200, &json!({"offers": offers.collect::<Vec<_>>()}).to_string())
}

/// Runs `bourse markets add lab` and returns its output with the profile that was saved, if one was.
fn added(recorder: &Recorder, more: &[&str]) -> (i32, String, String, Option<String>) {
    let home = Home::new();
    let url = recorder.url();
    // As typed without a scheme, for an address of this computer.
    let address = url.trim_start_matches("http://");
    let words = [&["markets", "add", "lab", address], more].concat();
    let (status, out, err) = run(&mut home.bourse(&words));
    let saved = std::fs::read_to_string(home.path().join(".config/bourse/config.toml")).ok();
    (status, out, err, saved)
}

#[test]
fn a_market_is_added_with_the_dialect_that_it_shows() {
    for (manners, dialect, units) in [(VAST, "vast", "Mb/s"), (DOCUMENTED, "documented", "MB/s")] {
        let recorder = market(manners);
        let (status, out, err, saved) = added(&recorder, &[]);
        assert_eq!(status, 0, "{err}");
        let url = recorder.url();
        assert_eq!(
            out,
            format!("lab added: {url}, dialect {dialect}, network speeds in {units}\n")
        );
        assert!(
            err.contains(&format!("note: dialect {dialect}: like {dialect}: ")),
            "{err}"
        );
        // The middle one of 895, 905 ... 1005 Mb/s or MB/s.
        let speed = if dialect == "vast" { "1" } else { "7.6" };
        let sample = format!("note: half of its machines download at {speed} Gb/s or more\n");
        assert!(err.contains(&sample), "{err}");
        let line = if dialect == "vast" { "dialect = \"vast\"\n" } else { "" };
        assert_eq!(saved.unwrap(), format!("[profiles.lab]\nbase_url = \"{url}\"\n{line}"));
        assert_eq!(recorder.requests().len(), 4);
    }
}

#[test]
fn thin_evidence_saves_nothing_and_names_both_choices() {
    let silent = Manners {
        operators: &["nin", "notin", "lte", "gte", "eq"],
        has_market_parameters: true,
        obeys: false,
        speed: 895,
    };
    let recorder = market(silent);
    let (status, out, err, saved) = added(&recorder, &[]);
    assert_eq!((status, out.as_str(), saved), (2, "", None), "{err}");
    for wanted in [
        "the dialect is not clear",
        "half of its machines download at 7.6 Gb/s or more if documented, 1 Gb/s if vast",
        "--dialect documented (network speeds in MB/s) or --dialect vast (Mb/s)",
    ] {
        assert!(err.contains(wanted), "{wanted}\n{err}");
    }
    // The choice is kept, and nothing is sent for it.
    let (status, out, err, saved) = added(&market(silent), &["--dialect", "vast"]);
    assert_eq!(status, 0, "{err}");
    assert!(out.contains("dialect vast, network speeds in Mb/s"), "{out}");
    assert!(saved.unwrap().contains("dialect = \"vast\""));
    // Speeds that only one unit makes possible contradict the rest.
    let fast = Manners {
        speed: 3000,
        ..DOCUMENTED
    };
    let (status, _, err, saved) = added(&market(fast), &[]);
    assert_eq!((status, saved), (2, None), "{err}");
    assert!(err.contains("like vast: its speeds are likely in Mb/s only"), "{err}");
}

#[test]
fn a_market_that_does_not_answer_is_not_added() {
    let recorder = Recorder::always(answer(401, r#"{"success":false,"msg":"no"}"#));
    let (status, _, err, saved) = added(&recorder, &[]);
    assert_eq!((status, saved), (1, None), "{err}");
    assert_eq!(recorder.requests().len(), 1);
    for (more, why) in [
        (&["--dialect", "klingon"][..], "documented, vast, sandbox"),
        (&["--base-url", "https://a.example"], "give the address once"),
    ] {
        let (status, _, err, saved) = added(&recorder, more);
        assert_eq!((status, saved), (2, None), "{err}");
        assert!(err.contains(why), "{err}");
    }
    let (status, _, err) = bourse(&["markets", "add", "vast", "https://a.example"]);
    assert_eq!(status, 2);
    assert!(err.contains("there is a market named 'vast' already"), "{err}");
}

#[test]
fn the_sandbox_as_a_market_has_its_speeds_in_megabits() {
    let home = Home::new();
    let served = Served::start(&home, &["--freeze"]);
    let key = home.file("k", &served.key, 0o600);
    let add = [
        "markets",
        "add",
        "lab",
        &served.url,
        "--api-key-file",
        key.to_str().unwrap(),
    ];
    let (status, out, err) = run(&mut home.bourse(&add));
    assert_eq!(status, 0, "{err}");
    assert!(out.ends_with("dialect vast, network speeds in Mb/s\n"), "{out}{err}");
    let (status, _, err) = run(&mut home.bourse(&["groups", "--profile", "lab"]));
    assert_eq!((status, err.as_str()), (0, ""), "its key is saved");
}

#[test]
fn a_bare_address_is_documented_and_a_note_names_its_units() {
    let recorder = Recorder::always(answer(200, r#"{"offers": []}"#));
    let home = Home::new();
    let output = home
        .bourse(&["offers", "--base-url", &recorder.url()])
        .output()
        .unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{err}");
    assert_eq!(recorder.requests().len(), 1);
    assert_eq!(err.matches(BARE).count(), 1, "{err}");
    // A profile has chosen its dialect, and the sandbox has its own.
    for flags in [&["offers", "--profile", "vast", "--curl"][..], &["offers", "-n", "1"]] {
        let output = home.bourse(flags).output().unwrap();
        assert!(
            !String::from_utf8(output.stderr).unwrap().contains("note: dialect"),
            "{flags:?}"
        );
    }
}
