//! Every command and format on replies, arguments and configurations that hold every forbidden
//! character, into a pipe: what comes out on both streams.

use std::process::Stdio;

use bourse::domain::{Catalog, Kind, OFFERS, VOLUMES, WORKERGROUPS};
use serde_json::{Map, Value as Json, json};

use super::{forbidden, hostile_texts, long_texts};
use crate::cases::{cases, side_by_side};
use crate::cli::commands::{Home, run};
use crate::recorder::{Recorder, answer};

const KEY: &str = "canary-key-hostile";

/// A record for each hostile text.
pub fn records(catalog: &'static Catalog, id: &str) -> Vec<Json> {
    let texts = hostile_texts();
    let places = texts.iter().enumerate();
    places.map(|(place, text)| record(catalog, id, place, text)).collect()
}

/// A record with a text in every member that can hold one, in a member nobody knows and in its name.
pub fn record(catalog: &'static Catalog, id: &str, place: usize, text: &str) -> Json {
    let mut record: Map<String, Json> = catalog
        .fields()
        .iter()
        .filter(|field| {
            matches!(
                field.kind,
                Kind::Text | Kind::Country | Kind::Version | Kind::Timestamp | Kind::Secret
            )
        })
        .map(|field| (field.key.to_owned(), text.into()))
        .collect();
    // A text of its own: copies of a key are removed from the rest of a record.
    if let Some(key) = record.get_mut("api_key") {
        *key = format!("key {text}").into();
    }
    record.insert(id.to_owned(), (place + 1).into());
    record.insert("dph_total".to_owned(), json!(0.5));
    record.insert("search_query".to_owned(), text.into());
    record.insert("launch_args".to_owned(), text.into());
    record.insert("unknown".to_owned(), json!([text, { "deep": text }]));
    record.insert(format!("name {text}"), text.into());
    record.into()
}

pub fn reply(path: &str, text: &str) -> Json {
    match path {
        "/route/" => {
            json!({"endpoint": text, "url": text, "cost": 100, "reqnum": 1, "signature": text,
            "__request_id": text, "status": text})
        }
        "/api/v0/workergroups/" => json!({"results": records(&WORKERGROUPS, "id")}),
        path if path.contains("volumes/unlist") => json!({"success": true, "msg": text}),
        path if path.contains("volumes") => json!({"offers": records(&VOLUMES, "id")}),
        _ => json!({"offers": records(&OFFERS, "id")}),
    }
}

/// JSON without a single escape but those that JSON demands: forbidden characters as they are.
fn raw(json: &Json) -> Vec<u8> {
    serde_json::to_vec(json).unwrap()
}

/// What is wrong with the output of a command: a forbidden character, or one that was left out.
fn fault(text: &str) -> Option<String> {
    if let Some(one) = forbidden(text) {
        return Some(format!("{one:?} got out"));
    }
    let lost = text.find("ΩΩ").map(|at| &text[at..]);
    lost.map(|rest| format!("a character was lost before {:.60}", rest))
}

#[track_caller]
fn assert_clean(arguments: &[&str], out: &str, err: &str) {
    for (stream, text) in [("stdout", out), ("stderr", err)] {
        assert_eq!(fault(text), None, "{stream} of {arguments:?}:\n{text}");
    }
}

/// The searches, and what reads their output.
const LISTS: [&[&str]; 9] = [
    &["offers", "--no-default"],
    &["offers", "--no-default", "--format", "csv"],
    &["offers", "--no-default", "--format", "json"],
    &["volumes", "--no-default"],
    &["volumes", "--no-default", "--format", "csv"],
    &["volumes", "--no-default", "--format", "json"],
    &["groups", "--show-secrets"],
    &["groups", "--show-secrets", "--format", "csv"],
    &["groups", "--show-secrets", "--format", "json"],
];

#[test]
fn lists_in_every_format_let_out_nothing_and_lose_nothing() {
    let recorder = Recorder::start(|_, request| {
        let body = raw(&reply(&request.path, ""));
        answer(200, &[("Content-Type", "application/json")], &body)
    });
    let url = recorder.url();
    let count = hostile_texts().len();
    for arguments in LISTS {
        let arguments = [arguments, &["--base-url", &url]].concat();
        let home = Home::new();
        let (status, out, err) = run(home.bourse(&arguments).env("BOURSE_API_KEY", KEY));
        assert_eq!(status, 0, "{arguments:?}: {err}");
        assert_clean(&arguments, &out, &err);
        if arguments.contains(&"json") {
            let sent = reply(&recorder.requests().last().unwrap().path, "");
            let sent = sent.as_object().unwrap().values().next().unwrap();
            let printed: Json = serde_json::from_str(&out).unwrap();
            let printed = printed.as_object().unwrap().values().nth(2).unwrap();
            // Groups are printed in an order of their own.
            for record in sent.as_array().unwrap() {
                let is_there = printed.as_array().unwrap().contains(record);
                assert!(is_there, "{arguments:?}: {record}");
            }
            assert_eq!(printed.as_array().unwrap().len(), count);
        } else {
            // A record is a line, below the header.
            assert_eq!(out.lines().count(), count + 1, "{arguments:?}:\n{out}");
        }
    }
}

#[test]
fn replies_of_single_requests_let_out_nothing_and_lose_nothing() {
    for text in long_texts() {
        let recorder = Recorder::start({
            let text = text.clone();
            move |_, request| {
                let body = raw(&reply(&request.path, &text));
                answer(200, &[("Content-Type", "application/json")], &body)
            }
        });
        let url = recorder.url();
        for arguments in [
            &["route", "chat"][..],
            &["route", "chat", "--format", "csv"],
            &["route", "chat", "--format", "json"],
            &["unlist", "7", "--yes"],
            &["unlist", "7", "--yes", "--format", "json"],
        ] {
            let arguments = [arguments, &["--base-url", &url]].concat();
            let home = Home::new();
            let (_, out, err) = run(home.bourse(&arguments).env("BOURSE_API_KEY", KEY));
            assert_clean(&arguments, &out, &err);
        }
    }
}

/// Refusals, plain texts, web pages, wrong types: each body with a hostile text in it.
fn failures(text: &str) -> Vec<(u16, Vec<u8>)> {
    vec![
        (400, raw(&json!({"success": false, "error": text, "msg": text}))),
        (401, raw(&json!({"detail": text}))),
        (429, text.as_bytes().to_vec()),
        (500, format!("<html><title>{text}</title></html>").into_bytes()),
        (404, text.as_bytes().to_vec()),
        (200, text.as_bytes().to_vec()),
        (200, raw(&json!({"success": false, "error": text, "msg": text}))),
        (200, raw(&json!({ text: text }))),
        (200, raw(&json!({"offers": text, "results": text, "msg": [text]}))),
        (
            200,
            raw(&json!({"offers": [text, {"id": text}], "results": [text, {"id": text}]})),
        ),
    ]
}

#[test]
fn failures_are_told_without_what_steers_a_terminal() {
    // Each shape of failure gets several texts, and several commands get it.
    let texts = hostile_texts().into_iter().enumerate().step_by(cases(25, 5));
    let cases = texts.flat_map(|(number, text)| {
        let shapes = failures(&text).into_iter().enumerate();
        shapes.map(move |(turn, failure)| (number + turn, failure))
    });
    side_by_side(cases.collect(), |(turn, (status, body))| {
        let recorder = Recorder::always(answer(status, &[("Retry-After", "0")], &body));
        let url = recorder.url();
        let command: &[&str] = match turn % 4 {
            0 => &["offers"],
            1 => &["groups", "--format", "json"],
            2 => &["unlist", "7", "--yes"],
            _ => &["route", "chat", "--format", "csv"],
        };
        let arguments = [command, &["--base-url", &url]].concat();
        let home = Home::new();
        let (_, out, err) = run(home.bourse(&arguments).env("BOURSE_API_KEY", KEY));
        assert_clean(&arguments, &out, &err);
    });
}

/// Texts that a person has pasted into a command line; the operating system takes no NUL.
fn typed_texts() -> impl Iterator<Item = String> {
    long_texts().into_iter().map(|text| text.replace("\0Ω", ""))
}

#[test]
fn arguments_come_back_visibly() {
    for text in typed_texts() {
        for arguments in [
            &["offers", &text][..],
            &["offers", "--curl", &format!("gpu_name=\"{text}\"")],
            &["offers", "--order", &text],
            &["offers", "--columns", &text],
            &[
                "groups",
                "create",
                "--endpoint",
                &text,
                "--search-params",
                &text,
                "--dry-run",
            ],
            &["unlist", &text],
            &["--profile", &text, "offers"],
            &["--base-url", &text, "offers"],
            &["--api-key-file", &text, "offers"],
            &[&text],
            &["offers", &format!("--{text}")],
        ] {
            let (_, out, err) = run(&mut Home::new().bourse(arguments));
            assert_clean(arguments, &out, &err);
        }
    }
}

/// A text in a TOML string; TOML allows no control character as it is.
fn in_toml(text: &str) -> String {
    text.chars()
        .map(|one| match one {
            '\n' | '\t' | '\r' => format!("\\u{:04x}", u32::from(one)),
            one if one.is_control() => format!("\\u{:04x}", u32::from(one)),
            '"' => "\\\"".to_owned(),
            '\\' => "\\\\".to_owned(),
            one => one.to_string(),
        })
        .collect()
}

#[test]
fn configurations_are_judged_without_what_they_hold() {
    let step = cases(5, 1);
    for (turn, text) in long_texts().into_iter().enumerate() {
        let quoted = in_toml(&text);
        let configs = [
            format!("default_profile = \"{quoted}\""),
            format!("theme = \"{quoted}\""),
            format!("\"{quoted}\" = 1"),
            format!("[keys]\n\"{quoted}\" = \"{quoted}\""),
            format!("[theme.colors]\n\"{quoted}\" = \"{quoted}\""),
            format!("[profiles.\"{quoted}\"]\nroute_url = 1"),
            format!("default_profile = \"{quoted}\"\n[profiles.\"{quoted}\"]\nbase_url = \"{quoted}\""),
            format!("[profiles.a]\nbase_url = \"http://127.0.0.1:1\"\ndialect = \"{quoted}\""),
            format!("[profiles.a]\nbase_url = \"http://127.0.0.1:1\"\napi_key_file = \"{quoted}\""),
            // As it is: no TOML.
            text.clone(),
            format!("theme = {text}"),
        ];
        for config in configs.into_iter().skip(turn % step).step_by(step) {
            let home = Home::new();
            home.file(".config/bourse/config.toml", &config, 0o600);
            for arguments in [&["config", "check"][..], &["config", "show"], &["offers", "--curl"]] {
                let (_, out, err) = run(&mut home.bourse(arguments));
                assert_clean(arguments, &out, &err);
            }
        }
    }
}

#[test]
fn no_user_and_no_password_of_an_address_is_printed() {
    for address in [
        "https://person:canary-word@market.example",
        "http://person:canary-word@127.0.0.1:1/x",
        "https://canary-word@market.example/?a=b",
        "https://person:canary-word/1@market.example",
        "ftp://person:canary-word@market.example",
        "//person:canary-word@market.example",
    ] {
        let home = Home::new();
        let config = format!("default_profile = \"a\"\n[profiles.a]\nbase_url = \"{address}\"");
        home.file(".config/bourse/config.toml", &config, 0o600);
        for arguments in [
            &["config", "check"][..],
            &["config", "show"],
            &["offers"],
            &["offers", "--curl"],
            &["groups", "create", "--endpoint", "x", "--dry-run"],
            &["unlist", "7", "--dry-run"],
            &["route", "x"],
            &["offers", "--base-url", address],
            &["--route-url", address, "route", "x"],
            &["--base-url", address],
            &[address],
        ] {
            let (_, out, err) = run(home.bourse(arguments).stdin(Stdio::null()));
            let all = out + &err;
            assert!(!all.contains("canary-word"), "{arguments:?}: {all}");
        }
    }
}

#[test]
fn an_output_that_is_raw_or_stripped_would_be_found() {
    for text in long_texts().into_iter().take(3) {
        assert!(fault(&text).is_some_and(|why| why.contains("got out")), "{text:?}");
        let kept = text.chars().filter(|one| !super::is_forbidden(*one));
        let stripped: String = kept.collect();
        assert!(fault(&stripped).is_some_and(|why| why.contains("lost")), "{stripped:?}");
    }
}
