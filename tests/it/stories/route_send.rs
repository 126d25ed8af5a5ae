//! The route lab sends requests on to workers: the form, the question, the parts, the statuses.

use bourse::api::curl::WorkerRoot;
use bourse::api::{Assignment, Called, Reply, Request, RouteReply};
use bourse::core::message::{Effect, EffectError, News, Routed};
use bourse::domain::routing::{WorkerCall, WorkerOutcome};
use bourse::domain::{Dialect, Untrusted};
use bourse::features::route_lab::Routes;

use crate::test_app::{THREE, TestApp};

const GROUPS: &str =
    r#"{"success": true, "results": [{"id": 1, "endpoint_name": "chat", "api_key": "group-key-canary"}]}"#;

/// The form for a run on the sandbox's dialect, whose market has a root at an address.
fn at_form() -> TestApp {
    let mut desk = TestApp::speaking(&Dialect::SANDBOX);
    desk.model.state.profile.worker_root = WorkerRoot::Address("http://127.0.0.1:1/worker-ca.pem".to_owned());
    desk.answer(THREE);
    desk.keys("3").answer(GROUPS);
    desk.keys("t");
    desk
}

/// Enters path and payload and presses Enter.
fn submit(desk: &mut TestApp, path: &str, payload: &str) {
    desk.keys("down down down down").type_text(path);
    desk.keys("down").type_text(payload).keys("enter");
}

/// The worker's answer to the oldest request: 0.1 s after the router's reply, which took 0.25 s.
fn answer(desk: &mut TestApp, outcome: WorkerOutcome, text: &str) {
    let (ticket, request) = desk.calls.remove(0);
    assert!(matches!(request, Request::Route(_)), "{request:?}");
    let worker = "https://w1.example:8080";
    let json = format!(
        r#"{{"endpoint":"chat","url":"{worker}","cost":100,"reqnum":5,"request_idx":9,"signature":"{}"}}"#,
        "s".repeat(60)
    );
    let assignment = Assignment {
        endpoint: Some(Untrusted::from("chat")),
        url: Untrusted::from(worker),
        cost: Some(100.0),
        reqnum: Some(5),
        signature: None,
        request_idx: Some(9),
        request_id: None,
        mismatches: Vec::new(),
        json: Untrusted::from(json),
    };
    let is_answered = matches!(outcome, WorkerOutcome::Answered { .. });
    let call = WorkerCall {
        outcome,
        connect: is_answered.then_some(0.02),
        first_byte: is_answered.then_some(0.05),
        total: 0.1,
        bytes: text.len() as u64,
        tokens: is_answered.then_some(4),
    };
    let sent = desk.now.mono;
    desk.now.mono += 0.35;
    let reply = Routed {
        sent,
        ended: desk.now.mono,
        bytes: 500,
        response: Ok(Reply::Routed(RouteReply::Assigned(assignment))),
        called: Some(Called {
            call,
            answer: Untrusted::from(text),
        }),
    };
    desk.tell(ticket, News::Routed(Box::new(reply)));
    desk.resize(120, 40);
}

#[test]
fn a_request_for_a_worker_is_confirmed_and_its_parts_are_shown() {
    let mut desk = at_form();
    submit(&mut desk, "/v1/completions", r#"{"prompt":"Hi"}"#);
    desk.expect("Start this run?")
        .expect("one request")
        .expect("POST /v1/completions, 15 B of payload")
        .expect("no key");
    assert!(desk.calls.is_empty());
    desk.keys("y");
    assert_eq!(desk.calls.len(), 1);
    answer(
        &mut desk,
        WorkerOutcome::Answered { status: 200 },
        r#"{"text":"Hello there"}"#,
    );
    desk.expect("200 from the worker")
        .expect("Connect, TLS  20.0 ms")
        .expect("First byte    50.0 ms")
        .expect("Last byte     80.0 ms")
        .expect("Total         350 ms")
        .expect("4, 50.0 a second")
        .expect("Hello there")
        .expect_not("ssssssss");
    // The command trusts the workers' root, too.
    desk.keys("y w");
    let Some(Effect::Copy { text, .. }) = desk.effects.pop() else {
        panic!("nothing copied");
    };
    assert!(
        text.contains("curl -sS 'http://127.0.0.1:1/worker-ca.pem' | curl --cacert /dev/stdin -sS"),
        "{text}"
    );
    // It is what was sent.
    assert!(
        text.contains("https://w1.example:8080/v1/completions") && text.contains(r#""payload": {"prompt":"Hi"}"#),
        "{text}"
    );
    assert!(
        !text.contains("Authorization") && !text.contains("group-key-canary"),
        "{text}"
    );
}

#[test]
fn a_payload_file_is_read_when_the_run_starts() {
    let mut desk = at_form();
    submit(&mut desk, "v1/x", "@payload.json");
    desk.expect_not("Start this run?");
    let Some(Effect::ReadText { ticket, path }) = desk.effects.pop() else {
        panic!("{:?}", desk.effects);
    };
    assert_eq!(path, "payload.json");
    desk.tell(
        ticket,
        News::Text(Err(EffectError::new("can't read payload.json: not found"))),
    );
    desk.resize(160, 50);
    desk.expect("not found").expect_not("Start this run?");
    desk.keys("enter");
    let Some(Effect::ReadText { ticket, .. }) = desk.effects.pop() else {
        panic!("{:?}", desk.effects);
    };
    desk.tell(ticket, News::Text(Ok(r#"{"prompt":"from a file"}"#.to_owned())));
    desk.resize(160, 50);
    desk.expect("Start this run?").expect("24 B of payload");
}

#[test]
fn a_payload_that_is_no_object_stays_in_the_form_with_its_mistake() {
    let mut desk = at_form();
    submit(&mut desk, "/v1/x", "[1]");
    desk.expect("Must be a JSON object")
        .expect("   [1]")
        .expect_not("Start this run?");
    assert!(desk.calls.is_empty());
}

#[test]
fn each_status_of_a_worker_is_a_sentence() {
    for (outcome, words) in [
        (WorkerOutcome::Answered { status: 422 }, "could not use the request"),
        (WorkerOutcome::Answered { status: 401 }, "refused the signature"),
        (WorkerOutcome::Answered { status: 429 }, "queue is full"),
        (WorkerOutcome::Answered { status: 410 }, "session is unknown"),
        (WorkerOutcome::Answered { status: 499 }, "was cancelled"),
        (WorkerOutcome::Answered { status: 500 }, "the model failed"),
        (WorkerOutcome::Answered { status: 418 }, "the model's own answer"),
        (WorkerOutcome::TimedOut, "within 10 minutes"),
        (
            WorkerOutcome::Failed {
                words: Untrusted::from("the response was cut off\u{202e}"),
            },
            "the response was cut off<U+202E>",
        ),
    ] {
        let mut desk = at_form();
        submit(&mut desk, "/v1/x", "{}");
        desk.keys("y");
        answer(&mut desk, outcome.clone(), "");
        // The facts are at the left; long ones are wrapped.
        let screen = desk.screen();
        let facts = screen
            .lines()
            .map(|line| line.chars().skip(1).take(56).collect::<String>());
        let facts = facts.collect::<Vec<_>>().join(" ");
        let facts = facts.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(facts.contains(words), "{outcome:?}: {screen}");
    }
}

#[test]
fn a_series_shows_classes_and_retries_with_the_same_index() {
    let mut desk = at_form();
    desk.keys("down down down ctrl-u")
        .type_text("2")
        .keys("down ctrl-u")
        .type_text("1");
    desk.keys("down down down")
        .type_text("/v1/x")
        .keys("down down ctrl-u")
        .type_text("1")
        .keys("enter");
    desk.expect("2 requests, 1 at once").expect("retried once after");
    desk.keys("y");
    answer(&mut desk, WorkerOutcome::Answered { status: 503 }, "");
    desk.wait(3.1);
    let Some((_, Request::Route(call))) = desk.calls.first() else {
        panic!("no retry");
    };
    let place = call.place.unwrap();
    assert_eq!((place.request_idx, place.replay_timeout), (9, 60.0));
    answer(&mut desk, WorkerOutcome::Answered { status: 200 }, "{}");
    answer(&mut desk, WorkerOutcome::Answered { status: 404 }, "{}");
    let run = Routes::read(&desk.model.state).latest().unwrap().run();
    assert!(run.is_over());
    desk.resize(160, 50);
    desk.expect("worker 503").expect("2 sent, 1 retry");
    desk.keys("tab tab");
    desk.expect("Worker 2xx").expect("Worker 4xx").expect_not("Worker 5xx");
}
