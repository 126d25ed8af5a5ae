//! Testing the routing endpoint, key by key, against the pure core and the screens.

use bourse::core::exported::Written;
use bourse::core::message::News;
use bourse::core::message::Routed;
use bourse::domain::time::MonotonicTime;
use std::time::Duration;

use bourse::api::error::ErrorBody;
use bourse::api::{ApiError, Assignment, Reply, Request, RouteCall, RouteReply};
use bourse::core::message::Effect;
use bourse::domain::routing::{End, OutcomeKind, Phase, RouteStats};
use bourse::domain::{Dialect, Untrusted};
use bourse::features::route_lab::Routes;
use bourse::table::remote::Ticket;
use bourse::tui::theme::Theme;

use crate::test_app::{THREE, TestApp};

const GROUPS: &str = r#"{"success": true, "results": [
    {"id": 1, "endpoint_name": "chat", "api_key": "canary-group-chat"},
    {"id": 2, "endpoint_name": "images", "api_key": "canary-group-images"}]}"#;

/// A desk in the workergroups pane, the groups there.
pub fn at_groups(dialect: &'static Dialect) -> TestApp {
    let mut desk = TestApp::speaking(dialect);
    desk.answer(THREE);
    desk.keys("3").answer(GROUPS);
    desk
}

fn asked(desk: &TestApp) -> RouteCall {
    match desk.asked() {
        Request::Route(call) => call.clone(),
        other => panic!("{other:?}"),
    }
}

/// The reply of a server that assigns a worker, as the specification has it.
fn reply_text(worker: &str, reqnum: i64, cost: f64) -> String {
    format!(
        r#"{{"endpoint":"chat","url":"{worker}","cost":{cost},"reqnum":{reqnum},"signature":"{}","__request_id":"req-{reqnum}"}}"#,
        signature()
    )
}

fn signature() -> String {
    "ABCDEFGHIJKL".to_owned() + &"m".repeat(320) + "uvwxy="
}

pub fn assigned(worker: &str, reqnum: i64) -> Result<Reply, ApiError> {
    Ok(Reply::Routed(RouteReply::Assigned(Assignment {
        endpoint: Some(Untrusted::from("chat")),
        url: Untrusted::from(worker),
        cost: Some(100.0),
        reqnum: Some(reqnum),
        signature: Some(Untrusted::from(signature())),
        request_idx: None,
        request_id: Some(Untrusted::from(format!("req-{reqnum}"))),
        mismatches: Vec::new(),
        json: Untrusted::from(reply_text(worker, reqnum, 100.0)),
    })))
}

pub fn waiting(json: &str) -> Result<Reply, ApiError> {
    Ok(Reply::Routed(RouteReply::Waiting {
        json: Untrusted::from(json),
    }))
}

fn refused() -> Result<Reply, ApiError> {
    Err(ApiError::Refused {
        status: 401,
        said: ErrorBody::Nothing,
    })
}

/// Answers the oldest request: sent when the clock says so, ended `took` seconds later, which is
/// also when the core hears of it.
pub fn route(desk: &mut TestApp, took: f64, result: Result<Reply, ApiError>) {
    let (ticket, request) = desk.calls.remove(0);
    assert!(matches!(request, Request::Route(_)), "{request:?}");
    let sent = desk.now.mono;
    desk.now.mono += took;
    desk.now.epoch += took;
    routed(desk, ticket, (sent, sent + took), result);
}

fn routed(desk: &mut TestApp, ticket: Ticket, at: (MonotonicTime, MonotonicTime), result: Result<Reply, ApiError>) {
    let reply = Routed {
        sent: at.0,
        ended: at.1,
        bytes: 500,
        response: result,
        called: None,
    };
    desk.tell(ticket, News::Routed(Box::new(reply)));
    desk.resize(120, 40);
}

/// Fills the form in for a series by count and presses Enter.
pub fn series(desk: &mut TestApp, cost: &str, count: &str, at_once: &str, rate: &str) {
    desk.keys("t down ctrl-u").type_text(cost);
    // The form keeps its last input.
    desk.keys("down down ctrl-u").type_text(count);
    desk.keys("down ctrl-u").type_text(at_once);
    desk.keys("down ctrl-u").type_text(rate).keys("enter");
}

#[test]
fn an_endpoint_that_no_group_serves_is_named_before_a_run() {
    let mut desk = at_groups(&Dialect::DOCUMENTED);
    desk.keys("t ctrl-u")
        .type_text("n")
        .keys("down down down ctrl-u")
        .type_text("200");
    desk.keys("enter")
        .expect("Start this run?")
        .expect("! None of your workergroups serves endpoint n.");
    // Enter is Cancel, and says so.
    desk.keys("enter").expect("Cancelled, nothing was done: y confirms");
    assert!(desk.calls.is_empty());
}

fn copied(desk: &mut TestApp) -> String {
    match desk.effects.pop() {
        Some(Effect::Copy { text, .. }) => text,
        other => panic!("{other:?}"),
    }
}

fn nothing_copied(desk: &TestApp) -> bool {
    let mut effects = desk.effects.iter();
    !effects.any(|effect| matches!(effect, Effect::Copy { .. }))
}

#[test]
fn t_on_a_workergroup_asks_its_endpoint_for_a_worker_once() {
    let mut desk = at_groups(&Dialect::DOCUMENTED);
    desk.keys("j t")
        .expect("Endpoint   images")
        .expect("   100")
        .expect("‹ a number of requests ›")
        .expect("Requests   1 ")
        .expect("POST http://127.0.0.1:2/route/")
        .expect("with the profile's key")
        .expect(r#"{"endpoint":"images","cost":100}"#);
    assert!(desk.calls.is_empty(), "nothing is sent before Enter");
    desk.keys("enter");
    let call = asked(&desk);
    assert_eq!((call.endpoint.as_str(), call.cost), ("images", 100.0));
    assert_eq!(call.key, None);
    assert_eq!(desk.calls.len(), 1);
    desk.expect("Waiting for the reply");
}

#[test]
fn the_reply_is_shown_whole_and_its_signature_shortened_and_copied() {
    let mut desk = at_groups(&Dialect::DOCUMENTED);
    desk.keys("t enter");
    route(&mut desk, 0.25, assigned("http://w1.example:8080", 17));
    desk.expect("http://w1.example:8080")
        .expect("17")
        .expect("chat, as sent")
        .expect("100, as sent")
        .expect("req-17")
        .expect("250 ms")
        .expect("ABCD…wxy= (338 characters)")
        .expect("load 100")
        .expect("Worker request, secrets removed")
        .expect_not("mmmmmmmm");
    desk.keys("y s");
    assert_eq!(copied(&mut desk), signature());
    desk.keys("enter").expect("Attempt 1 of run 1").expect_not("mmmmmmmm");
    desk.keys("y u");
    assert_eq!(copied(&mut desk), "http://w1.example:8080");
}

#[test]
fn a_reply_that_repeats_the_request_wrongly_is_marked() {
    let mut desk = at_groups(&Dialect::DOCUMENTED);
    desk.keys("t enter");
    let json = r#"{"endpoint":"chat","url":"http://w1:80","cost":7,"reqnum":1}"#;
    let reply = Assignment {
        endpoint: Some(Untrusted::from("chat")),
        url: Untrusted::from("http://w1:80"),
        cost: Some(7.0),
        reqnum: Some(1),
        signature: None,
        request_idx: None,
        request_id: None,
        mismatches: vec!["cost"],
        json: Untrusted::from(json),
    };
    let reply = Ok(Reply::Routed(RouteReply::Assigned(reply)));
    route(&mut desk, 0.1, reply);
    desk.expect("chat, as sent").expect("7, NOT as sent");
}

#[test]
fn a_status_reply_of_any_shape_is_shown_in_full_and_a_single_request_never_polls() {
    let mut desk = at_groups(&Dialect::DOCUMENTED);
    desk.keys("t enter");
    let json = r#"{"endpoint":"chat","workers":{"loading":[1,2],"deep":{"x":null}},"api_key":"canary-echo"}"#;
    route(&mut desk, 0.1, waiting(json));
    desk.expect("waiting: no worker is ready")
        .expect("\"loading\": [")
        .expect("\"x\": null")
        .expect_not("canary-echo");
    desk.wait(60.0).wait(60.0);
    assert!(desk.calls.is_empty(), "it does not ask again by itself");
}

#[test]
fn an_error_is_shown_in_words() {
    let mut desk = at_groups(&Dialect::DOCUMENTED);
    desk.keys("t enter");
    let error = ApiError::RateLimited {
        threshold: None,
        retry_after: None,
        said: ErrorBody::Words {
            code: None,
            message: Some(Untrusted::from("API requests too frequent")),
        },
    };
    route(&mut desk, 0.1, Err(error));
    desk.expect("rate limited: too many requests (429)")
        .expect("API requests too frequent");
}

#[test]
fn a_run_that_is_asked_to_wait_says_when_it_goes_on() {
    let mut desk = at_groups(&Dialect::DOCUMENTED);
    series(&mut desk, "0", "5", "1", "");
    let error = |seconds| ApiError::RateLimited {
        threshold: None,
        retry_after: Some(Duration::from_secs(seconds)),
        said: ErrorBody::Nothing,
    };
    route(&mut desk, 0.1, Err(error(40)));
    desk.expect("Running").expect("rate limited, next request in 40 s");
    desk.wait(30.0).expect("rate limited, next request in 10 s");
    // Longer waits are cut to five minutes.
    desk.wait(11.0);
    route(&mut desk, 0.1, Err(error(300)));
    desk.expect("next request in 300 s")
        .expect("asked to wait 300 s or more");
}

#[test]
fn a_request_is_compared_with_the_earlier_ones_to_its_endpoint() {
    let mut desk = at_groups(&Dialect::DOCUMENTED);
    desk.keys("t enter")
        .expect("The first one of this session")
        .expect("It ends within 15")
        .expect_not("Usual reply");
    route(&mut desk, 0.25, assigned("http://w1.example:8080", 17));
    desk.keys("r").wait(3.0).expect("So far").expect("3.0s");
    desk.expect("Usual reply")
        .expect("250 ms")
        .expect("median of 1 request");
    route(&mut desk, 0.5, assigned("http://w1.example:8080", 18));
    desk.expect("Requests to chat").expect("Phases").expect("Usual reply");
    let screen = desk.screen();
    let bars = |run: &str| {
        let row = screen.lines().find(|line| line.contains(run)).expect(run);
        row.chars().filter(|sign| *sign == '▄').count()
    };
    // Half a cell may be missing.
    assert_eq!(bars("2    1    500 ms") / 2, bars("1    1    250 ms"), "{screen}");
    // The request that was sent, never with a key.
    desk.resize(200, 60)
        .expect("POST http://127.0.0.1:2/route/")
        .expect("$BOURSE_API_KEY")
        .expect_not("canary");
}

#[test]
fn a_refused_request_injects_no_load() {
    let mut desk = at_groups(&Dialect::DOCUMENTED);
    desk.keys("t enter");
    let said = ErrorBody::Nothing;
    route(&mut desk, 0.1, Err(ApiError::Invalid { status: 400, said }));
    desk.expect("Done").expect("load 0");
    // Whether a lost answer refused is not known.
    desk.keys("r");
    route(&mut desk, 0.1, Err(ApiError::Lost));
    desk.expect("load 100 (all runs 100)");
    desk.keys("r");
    route(&mut desk, 0.1, refused());
    desk.expect("load 0 (all runs 100)");
}

/// The last line of the screen: the keys that matter now.
fn footer(desk: &TestApp) -> String {
    let screen = desk.screen();
    let last = screen.lines().rev().find(|line| !line.is_empty());
    last.unwrap().to_owned()
}

#[test]
fn what_cannot_be_done_takes_no_room_in_the_footer() {
    let mut desk = at_groups(&Dialect::DOCUMENTED);
    series(&mut desk, "0", "2", "1", "");
    desk.resize(80, 24);
    let running = footer(&desk);
    assert!(
        running.contains("Space pause") && running.contains("Del stop"),
        "{running}"
    );
    assert!(!running.contains("details"), "none has ended: {running}");
    route(&mut desk, 0.1, assigned("http://w1:80", 1));
    route(&mut desk, 0.1, assigned("http://w1:80", 2));
    desk.resize(80, 24).expect("Done");
    let done = footer(&desk);
    assert!(done.starts_with(" n new run  Tab next tab  r run again"), "{done}");
    assert!(!done.contains("pause") && !done.contains("stop"), "{done}");
    // The key itself still says why it does nothing.
    desk.keys("space").expect("No run is in progress");
}

#[test]
fn costs_that_are_negative_or_no_number_are_refused_with_words() {
    let mut desk = at_groups(&Dialect::DOCUMENTED);
    for cost in ["-1", "inf", "nan", "1e999", "-0.01"] {
        desk.keys("t down ctrl-u").type_text(cost).keys("enter");
        desk.expect("Must be 0 or more");
        assert!(desk.calls.is_empty(), "{cost}");
        desk.keys("esc esc");
    }
    desk.keys("t down ctrl-u").type_text("much").keys("enter");
    desk.expect("Not a number");
    assert!(desk.calls.is_empty());
    desk.keys("ctrl-u").type_text("0.5").keys("enter");
    assert_eq!(asked(&desk).cost, 0.5);
}

#[test]
fn from_any_pane_an_endpoint_can_be_typed_or_taken_from_the_groups() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys(":").type_text("route-lab").keys("enter");
    assert!(matches!(desk.asked(), Request::ListWorkergroups));
    desk.keys("enter").expect("Enter an endpoint");
    desk.answer(GROUPS);
    desk.keys("tab").expect("Endpoint   chat");
    desk.keys("tab").expect("Endpoint   images");
    desk.keys("ctrl-u").type_text("my own").keys("enter");
    assert_eq!(asked(&desk).endpoint, "my own");
}

#[test]
fn a_series_with_load_asks_once_and_without_load_not_at_all() {
    let mut desk = at_groups(&Dialect::DOCUMENTED);
    series(&mut desk, "100", "101", "4", "");
    desk.expect("This sends real traffic")
        .expect("load of up to 10,100")
        .expect("wake")
        .expect("Sends first:")
        .expect(r#"{"endpoint":"chat","cost":100}"#);
    assert!(desk.calls.is_empty());
    desk.keys("esc").expect("Requests   101 ");
    assert!(desk.calls.is_empty());
    desk.keys("enter enter");
    assert!(desk.calls.is_empty(), "Enter cancels");
    desk.keys("enter y");
    assert_eq!(desk.calls.len(), 4, "so many at once");
    desk.keys("delete"); // stopped
    assert!(desk.calls.is_empty());
    // A hundred requests are not asked about.
    series(&mut desk, "100", "100", "3", "");
    desk.expect_not("This sends real traffic");
    assert_eq!(desk.calls.len(), 3);
    desk.keys("delete");
    series(&mut desk, "0", "5000", "2", "");
    desk.expect_not("This sends real traffic");
    assert_eq!(desk.calls.len(), 2);
    assert_eq!(asked(&desk).cost, 0.0);
}

#[test]
fn a_fixed_rate_wakes_the_core_when_each_attempt_is_due() {
    let mut desk = at_groups(&Dialect::DOCUMENTED);
    series(&mut desk, "0", "100", "8", "50");
    assert_eq!(desk.calls.len(), 1, "the first is due at once");
    let due = desk.model.deadline(desk.now).unwrap();
    assert!((due - desk.now.mono - 0.02).abs() < 1e-9, "{due:?}");
    desk.wait(0.02);
    assert_eq!(desk.calls.len(), 2);
    // Late by five: they go together, and their latency counts from when they were due.
    desk.wait(0.1);
    assert_eq!(desk.calls.len(), 7);
    let sent = desk.now.mono;
    let (ticket, _) = desk.calls.pop().unwrap();
    routed(&mut desk, ticket, (sent, sent + 0.3), assigned("http://w1:80", 1));
    let run = Routes::read(&desk.model).latest().unwrap().run();
    let sample = run.samples().last().unwrap();
    assert_eq!(sample.index, 6);
    assert!((sample.latency() - 0.3).abs() < 1e-9, "{}", sample.latency());
    let first = desk.calls.remove(0).0;
    routed(&mut desk, first, (sent, sent + 0.3), assigned("http://w1:80", 2));
    let run = Routes::read(&desk.model).latest().unwrap().run();
    let sample = run.samples().last().unwrap();
    assert_eq!(sample.index, 0);
    assert!((sample.latency() - 0.42).abs() < 1e-9, "due 0.12 s earlier");
}

#[test]
fn moments_are_those_that_the_runtime_measured() {
    let mut desk = at_groups(&Dialect::DOCUMENTED);
    series(&mut desk, "0", "10", "1", "");
    let began = desk.now.mono;
    let (ticket, _) = desk.calls.remove(0);
    desk.now.mono += 9.0; // the core was busy: that is no latency
    let at = (began + 0.001, began + 0.101);
    routed(&mut desk, ticket, at, assigned("http://w1:80", 1));
    let run = Routes::read(&desk.model).latest().unwrap().run();
    let sample = &run.samples()[0];
    assert!((sample.latency() - 0.1).abs() < 1e-9, "{}", sample.latency());
    assert_eq!(desk.calls.len(), 1, "the next goes at once");
}

#[test]
fn waiting_requests_are_polled_after_a_spread_pause_and_polls_are_no_requests() {
    let mut desk = at_groups(&Dialect::DOCUMENTED);
    series(&mut desk, "0", "10", "2", "");
    route(&mut desk, 0.1, waiting(r#"{"status":"1 loading"}"#));
    route(&mut desk, 0.0, waiting(r#"{"status":"1 loading"}"#));
    assert!(desk.calls.is_empty(), "both slots wait");
    desk.wait(0.45);
    assert!(desk.calls.is_empty(), "half a second at least");
    desk.wait(0.55);
    assert_eq!(desk.calls.len(), 2, "a second at most");
    route(&mut desk, 0.1, assigned("http://w1:80", 1));
    let run = Routes::read(&desk.model).latest().unwrap().run();
    assert_eq!(run.stats().polls, 1);
    assert_eq!(run.stats().summary(1.0).attempts, 3);
    assert_eq!(run.stats().requests(), 2);
    desk.expect("3 sent, 2 polls");
    desk.keys("tab tab").expect("▏Figures▕");
    assert_eq!(row(&desk, "Requests")[1], "2");
    assert_eq!(row(&desk, "Polls")[1], "1");
    assert_eq!(row(&desk, "assigned ")[1..3], ["1", "50%"]);
}

/// The words of the first line of the figures that has `label`, from there on.
fn row(desk: &TestApp, label: &str) -> Vec<String> {
    let screen = desk.screen();
    let figures = screen.split("▏Figures▕").nth(1).unwrap();
    let rest = figures.lines().find_map(|line| Some(&line[line.rfind(label)?..]));
    let rest = rest.unwrap_or_else(|| panic!("{label}:\n{screen}"));
    rest.split_whitespace().map(str::to_owned).collect()
}

#[test]
fn the_reply_and_the_time_to_a_worker_stand_side_by_side() {
    let mut desk = at_groups(&Dialect::DOCUMENTED);
    series(&mut desk, "0", "2", "1", "");
    route(&mut desk, 0.1, waiting(r#"{"status":"1 loading"}"#));
    desk.wait(1.0);
    route(&mut desk, 0.1, assigned("http://w1:80", 1));
    route(&mut desk, 0.1, assigned("http://w1:80", 2));
    desk.resize(80, 24)
        .expect("Router reply      p50 100 ms    p99 100 ms")
        .expect("Time to a worker  p50 100 ms    p99 1.20 s");
    desk.keys("tab tab").expect("▏Figures▕");
    assert_eq!(row(&desk, "max ")[1..5], ["100", "ms", "1.20", "s"]);
    desk.resize(120, 40);
    desk.keys("tab up enter")
        .expect("poll 1 of request 1")
        .expect("1.20 s with 1 poll");
}

#[test]
fn a_series_by_duration_without_a_rate_sends_ten_a_second() {
    let mut desk = at_groups(&Dialect::DOCUMENTED);
    desk.keys("t down ctrl-u").type_text("0");
    desk.keys("down right").expect("‹ for a duration ›");
    desk.keys("down ctrl-u").type_text("1s");
    desk.keys("down down").expect("per second; blank: 10");
    desk.keys("enter").expect("for 1.0s, 4 at once, 10/s");
    assert_eq!(desk.calls.len(), 1);
    for reqnum in 0..10 {
        route(&mut desk, 0.1, assigned("http://w1:80", reqnum));
    }
    desk.wait(0.2).expect("Done").expect("10 sent");
}

#[test]
fn a_series_is_paused_goes_on_and_stops_at_once() {
    let mut desk = at_groups(&Dialect::DOCUMENTED);
    series(&mut desk, "0", "100", "3", "");
    route(&mut desk, 0.1, assigned("http://w1:80", 1));
    desk.keys("space").expect("Paused");
    desk.resize(80, 24).expect("paused 1%");
    desk.resize(120, 40);
    let open = desk.calls.len();
    route(&mut desk, 0.1, assigned("http://w1:80", 2));
    assert_eq!(desk.calls.len(), open - 1, "nothing is sent in a pause");
    desk.keys("space").expect("Running");
    assert_eq!(desk.calls.len(), 3);
    let late = desk.calls[0].0;
    desk.keys("delete").expect("Stopped").expect("3 cancelled");
    assert!(desk.calls.is_empty(), "every request was broken off");
    let run = Routes::read(&desk.model).latest().unwrap().run();
    assert_eq!(run.phase(), Phase::Ended(End::Stopped));
    assert_eq!(run.in_flight(), 0);
    assert_eq!(run.stats().count(OutcomeKind::Cancelled), 3);
    let now = desk.now.mono;
    routed(&mut desk, late, (now, now), assigned("http://w1:80", 9));
    let run = Routes::read(&desk.model).latest().unwrap().run();
    assert_eq!(run.stats().count(OutcomeKind::Assigned), 2, "too late");
}

#[test]
fn a_single_request_is_not_stopped() {
    let mut desk = at_groups(&Dialect::DOCUMENTED);
    desk.keys("t enter delete");
    assert_eq!(desk.calls.len(), 1);
    desk.expect("cannot be stopped");
}

#[test]
fn leaving_asks_while_a_run_goes_on() {
    let mut desk = at_groups(&Dialect::DOCUMENTED);
    series(&mut desk, "0", "100", "1", "");
    desk.keys("esc q").expect("Quit bourse?");
    assert!(!desk.effects.contains(&Effect::Quit));
    desk.keys("esc q n").expect_not("Quit bourse?");
    desk.keys("q enter");
    assert!(!desk.effects.contains(&Effect::Quit), "Enter cancels");
    desk.keys("q y");
    assert!(desk.effects.contains(&Effect::Quit));

    let mut desk = at_groups(&Dialect::DOCUMENTED);
    series(&mut desk, "0", "100", "1", "");
    desk.keys("ctrl-c");
    assert!(desk.effects.contains(&Effect::Quit), "at once");

    let mut desk = at_groups(&Dialect::DOCUMENTED);
    series(&mut desk, "0", "100", "1", "");
    desk.keys("delete esc q");
    assert!(desk.effects.contains(&Effect::Quit), "nothing goes on");
}

#[test]
fn leaving_asks_about_results_until_they_are_exported() {
    let mut desk = at_groups(&Dialect::DOCUMENTED);
    series(&mut desk, "0", "2", "1", "");
    for reqnum in 0..2 {
        route(&mut desk, 0.1, assigned("http://w1:80", reqnum));
    }
    desk.keys("esc q")
        .expect("1 route run was not exported: quitting discards the results.");
    assert!(!desk.effects.contains(&Effect::Quit));
    desk.keys("esc t esc e enter esc q");
    assert!(desk.effects.contains(&Effect::Quit), "{}", desk.screen());
    // One request alone is no run to keep.
    let mut desk = at_groups(&Dialect::DOCUMENTED);
    desk.keys("t enter");
    route(&mut desk, 0.1, assigned("http://w1:80", 1));
    desk.keys("esc q");
    assert!(desk.effects.contains(&Effect::Quit));
}

#[test]
fn the_form_of_a_second_series_names_the_first() {
    let mut desk = at_groups(&Dialect::DOCUMENTED);
    series(&mut desk, "0", "100", "1", "");
    desk.keys("n").expect("A run is in progress: stop it first");
    desk.expect("✗ A run is in progress: Del stops it");
    // A single request can go beside it.
    desk.keys("down down down ctrl-u").type_text("1");
    desk.expect_not("A run is in progress: stop it first");
}

#[test]
fn runs_go_on_while_the_view_is_closed() {
    let mut desk = at_groups(&Dialect::DOCUMENTED);
    series(&mut desk, "0", "4", "1", "");
    desk.keys("esc").selects("chat").expect("route run 0%");
    desk.resize(80, 24).expect("run 0%");
    desk.resize(120, 40);
    for reqnum in 0..4 {
        route(&mut desk, 0.1, assigned("http://w1:80", reqnum));
    }
    assert!(desk.calls.is_empty(), "four in all");
    desk.expect_not("route run 0%");
    let screen = desk.screen();
    let header = screen.lines().next().unwrap();
    assert!(!header.contains("route run"), "{header}");
    desk.keys("1 3 t esc").expect("Done").expect("4 sent");
    desk.expect("100%");
}

#[test]
fn attempts_are_searched_opened_and_copied_with_the_key_as_a_variable() {
    let mut desk = at_groups(&Dialect::DOCUMENTED);
    series(&mut desk, "0", "6", "1", "");
    for reqnum in 0..6 {
        let worker = if reqnum == 2 { "http://w2:80" } else { "http://w1:80" };
        route(&mut desk, 0.1, assigned(worker, reqnum));
    }
    desk.keys("/").type_text("W2").expect("1 of 6 match");
    desk.keys("enter").expect("http://w2:80").expect_not("http://w1:80");
    desk.keys("enter").expect("Attempt 3 of run 1");
    desk.expect_not("sort").expect_not("differences");
    desk.keys("s d").expect("Attempt 3 of run 1");
    desk.keys("y c");
    assert_eq!(
        copied(&mut desk),
        r#"curl -sS -X POST 'http://127.0.0.1:2/route/' -H "Authorization: Bearer $BOURSE_API_KEY" -H 'Content-Type: application/json' --data-raw '{"endpoint":"chat","cost":0}'"#
    );
    desk.keys("esc esc").expect("http://w1:80").expect("6 attempts");
    desk.keys("/").expect("W2"); // what was typed is still there
    desk.keys("esc").expect("6 attempts");
}

#[test]
fn the_next_hop_is_written_and_never_sent() {
    let mut desk = at_groups(&Dialect::DOCUMENTED);
    desk.keys("t enter");
    route(&mut desk, 0.1, assigned("http://w1.example:8080", 17));
    desk.keys("o enter"); // nothing typed is an empty payload
    assert!(copied(&mut desk).contains(r#""payload": {}}'"#));
    desk.type_text(r#"{"prompt": "it's"}"#);
    desk.keys("up ctrl-u").type_text("/generate").keys("enter");
    let wanted = format!(
        r#"curl -sS -X POST 'http://w1.example:8080/generate' -H 'Content-Type: application/json' --data-raw '{{"auth_data": {}, "session_id": null, "payload": {{"prompt": "it'\''s"}}}}'"#,
        reply_text("http://w1.example:8080", 17, 100.0)
    );
    assert_eq!(copied(&mut desk), wanted);
    desk.keys("down ctrl-u").type_text("{").keys("enter");
    desk.expect("line 1, column");
    assert!(nothing_copied(&desk) && desk.calls.is_empty());
}

#[test]
fn an_address_that_is_none_of_the_web_is_shown_and_never_copied() {
    let mut desk = at_groups(&Dialect::DOCUMENTED);
    for worker in ["javascript:alert(1)", "file:///etc/passwd", "http://a b"] {
        desk.keys("t enter");
        route(&mut desk, 0.1, assigned(worker, 1));
        desk.expect(worker);
        desk.keys("enter y u").expect("Not copied");
        desk.keys("w").expect("Not copied");
        desk.keys("esc o enter").expect("not copied");
        assert!(nothing_copied(&desk), "{worker}");
        desk.keys("esc esc esc");
    }
}

#[test]
fn a_run_is_exported_to_a_named_file() {
    let mut desk = at_groups(&Dialect::DOCUMENTED);
    desk.keys("t enter");
    route(&mut desk, 0.1, assigned("http://w1:80", 1));
    desk.keys("e").expect("route-chat-202611201200-1.json");
    desk.keys("ctrl-u").type_text("here").keys("enter");
    desk.expect("Name a file ending in .csv or .json");
    desk.type_text(".csv").keys("enter");
    match desk.effects.pop() {
        Some(Effect::Export {
            ticket,
            path,
            content,
            overwrite,
            is_private,
        }) => {
            assert_eq!((path.as_str(), overwrite, is_private), ("here.csv", false, true));
            assert_eq!(content.text().lines().count(), 2, "{content:?}");
            let written = Written {
                path: "/home/me/here.csv".to_owned(),
                bytes: 200,
            };
            desk.tell(ticket, News::Written(Ok(written)));
        }
        other => panic!("{other:?}"),
    }
    desk.resize(120, 40).expect("Wrote /home/me/here.csv (200 bytes)");
}

#[test]
fn two_runs_are_compared_side_by_side() {
    let mut desk = at_groups(&Dialect::DOCUMENTED);
    desk.theme = Theme::DARK;
    desk.keys("t enter v").expect("There is no other run");
    route(&mut desk, 0.2, assigned("http://w1:80", 1));
    desk.keys("n enter");
    route(&mut desk, 0.1, assigned("http://w1:80", 2));
    desk.keys("v")
        .expect("● run 1")
        .expect("○ run 2")
        // To the second: runs are often of the same minute.
        .expect("load 100, 12:00:00")
        .expect("200 ms")
        .expect("−50%")
        .expect_not("better");
    let color = |desk: &TestApp, text: &str| {
        let row = desk.screen().lines().position(|line| line.contains(text)).unwrap();
        let line = &desk.cells()[row * 120..][..64];
        let sign = line
            .iter()
            .rposition(|cell| matches!(cell.symbol(), "−" | "+"))
            .unwrap();
        line[sign].style().fg
    };
    assert_eq!(color(&desk, "router reply p50"), desk.theme.good.fg);
    desk.keys("esc < v").expect("Run 1 vs run 2").expect("+100%");
    assert_eq!(color(&desk, "router reply p50"), desk.theme.warning.fg);
    desk.keys("esc > v").expect("Run 2 vs run 1");
    desk.keys("esc <").expect("run 1 of 2");
    desk.keys(">").expect("run 2 of 2");
}

#[test]
fn where_the_market_routes_by_the_groups_key_it_is_taken_from_the_record_and_never_shown() {
    let mut desk = at_groups(&Dialect::VAST);
    desk.keys("j t enter");
    let call = asked(&desk);
    assert_eq!(call.endpoint, "images");
    let key = call.key.expect("the group's key");
    assert_eq!(key.expose(), "canary-group-images");
    desk.expect_not("canary");
    assert!(!format!("{:?}", desk.model).contains("canary-group"));
    route(&mut desk, 0.1, assigned("http://w1:80", 1));
    desk.keys("y c");
    assert!(!copied(&mut desk).contains("canary"));
    desk.keys("n ctrl-u").type_text("nobody's").keys("enter");
    desk.expect("a key serves this endpoint");
    assert!(desk.calls.is_empty());
}

#[test]
fn a_key_that_is_refused_three_times_in_a_row_ends_the_series() {
    let mut desk = at_groups(&Dialect::DOCUMENTED);
    series(&mut desk, "0", "100", "8", "");
    route(&mut desk, 0.1, refused());
    route(&mut desk, 0.0, assigned("http://w1:80", 1));
    route(&mut desk, 0.0, refused());
    route(&mut desk, 0.0, refused());
    desk.expect("Running");
    route(&mut desk, 0.0, refused());
    desk.expect("Stopped").expect("unauthorized three times in a row");
    assert!(desk.calls.is_empty());
}

#[test]
fn a_flood_of_answers_leaves_typing_and_figures_right() {
    let mut desk = at_groups(&Dialect::DOCUMENTED);
    series(&mut desk, "0", "30000", "1000", "");
    let mut reqnum = 0;
    let mut typed = String::new();
    desk.keys("/");
    while !desk.calls.is_empty() {
        let calls = std::mem::take(&mut desk.calls);
        for (ticket, _) in calls {
            reqnum += 1;
            let now = desk.now.mono;
            let worker = format!("http://w{}:80", reqnum % 7);
            let reply = Routed {
                sent: now,
                ended: now + 0.01,
                bytes: 100,
                response: assigned(&worker, reqnum),
                called: None,
            };
            desk.tell(ticket, News::Routed(Box::new(reply)));
        }
        desk.wait(0.01);
        if typed.len() < 4 {
            let next = &"w3:8"[typed.len()..=typed.len()];
            typed.push_str(next);
            desk.type_text(next).expect(&format!("/ {typed}"));
        }
    }
    for _ in 0..10 {
        desk.wait(0.01); // the search goes on in pieces
    }
    let run = Routes::read(&desk.model).latest().unwrap().run();
    assert!(run.is_over());
    assert_eq!(run.stats().count(OutcomeKind::Assigned), 30_000);
    desk.expect("4,286 of 30,000 match “w3:8”");
    let again = RouteStats::from_samples(run.samples());
    assert_eq!(again.count(OutcomeKind::Assigned), 30_000);
    assert_eq!(again.workers.ranked().len(), 7);
}

#[test]
fn every_view_fits_every_screen_in_every_theme() {
    let mut desk = at_groups(&Dialect::DOCUMENTED);
    for count in ["8", "6"] {
        series(&mut desk, "0", count, "1", "20");
        for reqnum in 0..4 {
            desk.wait(0.05);
            route(&mut desk, 0.01, assigned("http://w1:80", reqnum * 2));
        }
        desk.keys("delete");
    }
    desk.keys("up");
    for (size, theme) in [(40, 10), (80, 24), (120, 40), (200, 60)]
        .into_iter()
        .flat_map(|size| [Theme::DARK, Theme::LIGHT, Theme::MONO].map(|theme| (size, theme)))
    {
        desk.theme = theme;
        desk.resize(size.0, size.1);
        let tabs: &[&str] = match size.0 {
            80 => &["Attempts", "Workers", "Figures", "Latency", "Distribution"],
            120 => &["Attempts", "Workers", "Figures"],
            _ => &[],
        };
        for tab in tabs {
            desk.expect(&format!("▏{tab}▕"));
            desk.keys("tab");
        }
        // A new run, its question; the attempt, its copies, its worker request; compare; export.
        desk.keys("n down ctrl-u").type_text("1").keys("down down ctrl-u");
        desk.type_text("101").keys("enter esc up up ctrl-u");
        desk.type_text("0").keys("esc");
        desk.keys("enter esc y esc o esc v > esc e esc");
        desk.expect("Stopped").expect("assigned");
    }
    desk.resize(200, 60)
        .expect("Latency over time")
        .expect("router reply, since due")
        .expect("1 workers")
        .expect("Figures")
        .expect("5 attempts")
        .expect("Attempt 4");
}

#[test]
fn the_headline_says_why_a_run_waits() {
    let mut desk = at_groups(&Dialect::DOCUMENTED);
    series(&mut desk, "0", "10", "1", "");
    route(
        &mut desk,
        0.1,
        waiting(r#"{"status":"2 ready, 3 model_loading, 1 stopped"}"#),
    );
    desk.expect("Running").expect("3 workers loading model");
    desk.resize(80, 24).expect("3 workers loading model");
    desk.keys("esc")
        .resize(120, 40)
        .expect("route run 0%, 3 workers loading model");
    desk.keys("t").wait(1.0);
    route(&mut desk, 0.1, assigned("http://w1:80", 1));
    desk.expect_not("loading model");
}

#[test]
fn a_series_that_ends_notifies_and_what_the_person_ends_does_not() {
    let notices = |desk: &TestApp| {
        let bodies = desk.effects.iter().filter_map(|effect| match effect {
            Effect::Notify(notification) => Some(notification.text.clone()),
            _ => None,
        });
        bodies.collect::<Vec<_>>()
    };
    let mut desk = at_groups(&Dialect::DOCUMENTED);
    desk.keys("t enter");
    route(&mut desk, 0.1, assigned("http://w1:80", 1));
    series(&mut desk, "0", "2", "1", "");
    desk.keys("delete");
    assert_eq!(notices(&desk), [""; 0], "one request, and a stopped run");
    series(&mut desk, "0", "2", "1", "");
    desk.keys("esc");
    route(&mut desk, 0.1, assigned("http://w1:80", 2));
    route(&mut desk, 0.2, Err(ApiError::Lost));
    assert_eq!(
        notices(&desk),
        ["chat: 2 requests, router reply p99 200 ms, worker p99 100 ms, 1 failed"]
    );
}

#[test]
fn esc_goes_back_to_where_the_lab_was_opened() {
    let mut desk = at_groups(&Dialect::DOCUMENTED);
    desk.keys("j enter").expect("images");
    let before = desk.screen();
    desk.keys("t").expect("Endpoint   images");
    desk.keys("esc esc");
    assert_eq!(desk.screen(), before);
}

#[test]
fn the_plan_is_told_while_it_is_typed() {
    let mut desk = at_groups(&Dialect::DOCUMENTED);
    desk.keys("t")
        .expect("chat, one request, load 100")
        .expect("Endpoints of your workergroups");
    desk.keys("down down down ctrl-u").type_text("600");
    desk.keys("down down ctrl-u").type_text("50");
    desk.expect("chat, 600 requests, 4 at once, 50/s, load 100")
        .expect("Takes about 12s.")
        .expect("A load of up to 60,000 in all.");
    desk.type_text("x").expect("Rate: Not a number");
    assert!(desk.calls.is_empty());
}

#[test]
fn the_preview_follows_the_selected_attempt_and_failures_are_crosses() {
    let mut desk = at_groups(&Dialect::DOCUMENTED);
    series(&mut desk, "0", "3", "1", "");
    route(&mut desk, 0.1, assigned("http://w1:80", 7));
    route(&mut desk, 0.3, Err(ApiError::Lost));
    desk.wait(1.0); // after a failure the next request waits
    route(&mut desk, 0.2, assigned("http://w2:80", 8));
    let chart = desk.screen();
    let chart = chart.split("Attempts").next().unwrap();
    assert_eq!(chart.matches('×').count(), 2, "the legend and one failure:\n{chart}");
    desk.expect("Attempt 3").expect("req-8");
    desk.keys("up up").expect("Attempt 1").expect("req-7");
    assert!(desk.shows("curl -sS -X POST 'http://w1:80/'"), "its worker request");
}

#[test]
fn the_only_endpoint_and_the_last_one_are_proposed() {
    let mut desk = TestApp::speaking(&Dialect::DOCUMENTED);
    desk.answer(THREE);
    let only = GROUPS.replace("images", "chat");
    desk.keys("t").answer(&only).expect("Endpoint   chat");
    desk.keys("ctrl-u").type_text("other").keys("esc t");
    desk.expect("Endpoint   other");
}

#[test]
fn a_new_run_begins_with_the_endpoint_of_the_run_on_the_screen() {
    let mut desk = at_groups(&Dialect::SANDBOX);
    // The table's row is of `chat`.
    desk.keys("t ctrl-u").type_text("images").keys("enter");
    route(&mut desk, 0.01, assigned("https://w1.example", 1));
    desk.keys("n").expect("Endpoint   images");
}

#[test]
fn the_headline_gets_shorter_by_clauses_and_is_never_cut() {
    let mut desk = at_groups(&Dialect::DOCUMENTED);
    series(&mut desk, "0", "10", "1", "");
    let status = r#"{"status":"queued behind 36 requests: 4 ready, 1 model_loading, 1 stopped, 12 cold"}"#;
    route(&mut desk, 0.1, waiting(status));
    let line = |desk: &TestApp| {
        let screen = desk.screen();
        screen.lines().find(|line| line.contains("Running")).unwrap().to_owned()
    };
    desk.resize(200, 60);
    assert!(line(&desk).contains("queued behind 36 requests: 4 ready, 1 model_loading, 1 stopped, 12 cold"));
    desk.resize(80, 24);
    let short = line(&desk);
    assert!(short.contains("  queued behind 36 requests  "), "{short}");
    assert!(short.contains("1 sent") && !short.contains('…'), "{short}");
}
