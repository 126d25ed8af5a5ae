//! The main job with the real program: from an empty home to offers on the screen, and against
//! servers that answer in every way they can.

use serde_json::json;

use crate::cases::{cases, side_by_side};
use crate::pty_support::Pty;
use crate::recorder::{Recorder, answer, json as json_answer};
use crate::test_app::THREE;

const QUERY: &str = "gpu_name=RTX_4090 num_gpus>=2 gpu_ram>=24 reliability>0.98 geolocation in [US,CA]";

fn against(recorder: &Recorder) -> Pty {
    let url = recorder.url();
    Pty::bourse(&["--base-url", &url, "--query", QUERY], &[], 120, 30)
}

#[test]
fn a_person_searches_changes_the_query_opens_a_detail_and_leaves() {
    let mut pty = Pty::bourse(&[], &[], 120, 30);
    pty.wait_for_text("First 500, more exist");
    pty.wait_for_text("SANDBOX");
    pty.keys("/gpu_name=H100_SXM num_gpus>=4<Enter>");
    pty.wait_for("only H100 SXM", |screen| {
        let text = screen.contents();
        text.contains("H100 SXM") && !text.contains("RTX") && !text.contains("refreshing")
    });
    pty.keys("<Enter>");
    pty.wait_for_text("▏Overview▕");
    pty.keys("/dph_total<Enter>");
    pty.wait_for_text("Price per hour for GPUs and allocated storage");
    // In one piece, Escape and another key are Alt with that key.
    pty.wait_for_text("clear search");
    pty.keys("<Esc>");
    pty.wait_for("the end of the search", |screen| {
        !screen.contents().contains("clear search")
    });
    pty.keys("<Esc>");
    pty.wait_for("the table", |screen| !screen.contents().contains("▏Fields▕"));
    pty.keys("s");
    pty.wait_for_text("▏Sort▕");
    pty.keys("dph_total<C-t><Enter>");
    pty.wait_for_text("sort Score ▼, $/h ▲");
    pty.keys("q");
    pty.exit().assert_clean(0);
}

#[test]
fn the_example_query_is_sent_once_exactly_as_documented() {
    let recorder = Recorder::always(json_answer(200, THREE));
    let mut pty = against(&recorder);
    pty.wait_for_text("H100 SXM");
    pty.keys("q");
    pty.exit().assert_clean(0);
    let request = recorder.only();
    assert_eq!(request.method, "POST");
    assert_eq!(request.path, "/api/v0/bundles/");
    assert_eq!(request.header("content-type"), Some("application/json"));
    assert_eq!(request.header("authorization"), None, "there is no key");
    assert_eq!(
        request.json(),
        json!({
            "verified": {"eq": true},
            "rentable": {"eq": true},
            "rented": {"eq": false},
            "gpu_name": {"eq": "RTX 4090"},
            "num_gpus": {"gte": 2},
            "gpu_ram": {"gte": 24000},
            "reliability": {"gt": 0.98},
            "geolocation": {"in": ["US", "CA"]},
            "order": [["score", "desc"]],
            "limit": 500,
            "type": "on-demand"
        })
    );
}

#[test]
fn a_single_object_and_a_malformed_row_are_read() {
    let single = r#"{"offers":{"id":5,"gpu_name":"RTX 4090","num_gpus":2}}"#;
    let recorder = Recorder::always(json_answer(200, single));
    let mut pty = against(&recorder);
    pty.wait_for_text("All 1 ");
    pty.keys("q");
    pty.exit().assert_clean(0);

    let mixed = r#"{"offers":[{"id":5,"gpu_name":"RTX 4090"},{"id":{}},"x",{"id":6,"dph_total":[]}]}"#;
    let recorder = Recorder::always(json_answer(200, mixed));
    let mut pty = against(&recorder);
    pty.wait_for_text("2 skipped");
    pty.keys("q");
    pty.exit().assert_clean(0);
}

/// Each way of failing, and words that the screen must show.
fn failures() -> Vec<(&'static str, Vec<u8>, &'static str)> {
    vec![
        (
            "400",
            json_answer(
                400,
                r#"{"success":false,"error":"invalid_request","msg":"Invalid json body"}"#,
            ),
            "Invalid json body",
        ),
        (
            "401",
            json_answer(
                401,
                r#"{"success":false,"error":"auth_error","msg":"Invalid user key"}"#,
            ),
            "key",
        ),
        (
            "a single error string",
            json_answer(400, r#"{"error":"no such thing"}"#),
            "no such thing",
        ),
        (
            "HTML",
            answer(
                200,
                &[("Content-Type", "text/html")],
                b"<html><head><title>Welcome to the hotel</title></head></html>",
            ),
            "Welcome to the hotel",
        ),
        (
            "success false",
            json_answer(200, r#"{"success":false,"msg":"closed today"}"#),
            "closed today",
        ),
        ("nothing", answer(200, &[], b""), "empty"),
        (
            "half a body",
            {
                let whole = json_answer(200, THREE);
                whole[..whole.len() - 700].to_vec()
            },
            "load offers",
        ),
        ("no JSON", answer(200, &[], b"hello"), "load offers"),
        (
            "a redirect",
            answer(307, &[("Location", "http://127.0.0.1:1/")], b""),
            "127.0.0.1:1",
        ),
    ]
}

#[test]
fn every_failure_is_said_in_words_and_the_program_lives_on() {
    let some = failures().into_iter().step_by(cases(3, 1)).collect();
    side_by_side(some, |(name, failure, words): (&str, Vec<u8>, &str)| {
        // The first request may be sent again by itself: a read after a passing fault.
        let recorder = Recorder::start(move |_, request| {
            let body = String::from_utf8_lossy(&request.body);
            if body.contains("RTX 3090") {
                json_answer(200, THREE)
            } else {
                failure.clone()
            }
        });
        let mut pty = against(&recorder);
        let screen = pty.wait_for(name, |screen| screen.contents().contains("Can't load offers"));
        let flat: String = screen.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains(words), "{name}: {screen}");
        assert!(flat.contains("/ RTX 4090 · "), "{name}: the query is kept: {screen}");
        pty.keys("/<C-u>gpu_name=RTX_3090<Enter>");
        pty.wait_for_text("All 3 ");
        pty.keys("q");
        pty.exit().assert_clean(0);
    });
}

#[test]
fn reads_are_sent_again_after_a_429_and_a_500_and_this_is_shown() {
    for (name, failure) in [
        (
            "429",
            json_answer(429, r#"{"detail":"API requests too frequent endpoint threshold=0.2"}"#),
        ),
        ("500", answer(500, &[("Content-Type", "text/plain")], b"oops")),
    ] {
        let recorder = Recorder::start(move |number, _| {
            if number == 0 {
                failure.clone()
            } else {
                json_answer(200, THREE)
            }
        });
        let mut pty = against(&recorder);
        pty.wait_for_text("All 3 ");
        assert_eq!(recorder.requests().len(), 2, "{name}");
        let bodies: Vec<_> = recorder.requests().iter().map(|r| r.body.clone()).collect();
        assert_eq!(bodies[0], bodies[1], "{name}: the same question");
        let learned = pty.home().join("state/bourse/profiles/custom/pacing.json");
        pty.keys("q");
        pty.wait_for_end();
        // What a refusal taught is kept for the next start; a fault teaches nothing of intervals.
        let kept = std::fs::read_to_string(&learned).unwrap_or_default();
        assert_eq!(kept.contains("search offers"), name == "429", "{kept}");
        pty.exit().assert_clean(0);
    }
}

#[test]
fn typing_goes_on_while_the_server_is_silent() {
    let (speak, silence) = std::sync::mpsc::channel();
    let recorder = Recorder::start(move |number, _| {
        if number == 0 {
            silence.recv().unwrap();
        }
        json_answer(200, THREE)
    });
    let mut pty = against(&recorder);
    pty.wait_for_text("loading");
    pty.keys("/num_gpus<lt>=8");
    pty.wait_for_text("num_gpus<=8");
    pty.keys("<Esc>?");
    pty.wait_for_text("Help");
    pty.keys("<Esc>");
    speak.send(()).unwrap();
    pty.wait_for_text("All 3 ");
    pty.keys("q");
    pty.exit().assert_clean(0);
}
