//! The Requests pane, key by key.

use bourse::core::message::News;
use std::time::Duration;

use bourse::api::ledger::LedgerEntry;
use bourse::api::wire::Method;
use bourse::api::{ApiError, Operation, Request};
use bourse::core::Pane;
use bourse::core::message::{Effect, EffectError, Message};
use bourse::domain::{Resource, Untrusted};
use bourse::table::remote::Ticket;
use bourse::tui::theme::Theme;
use ratatui::style::Modifier;

use crate::cases::cases;
use crate::test_app::{START, THREE, TestApp};

/// A search of offers that was answered, as long after the start of the story.
pub fn search(after: f64, body: &str, answer: &str) -> LedgerEntry {
    LedgerEntry {
        at: START + after,
        operation: Operation::SearchOffers,
        method: Method::Post,
        url: "http://127.0.0.1:1/api/v0/bundles/".to_owned(),
        with_key: true,
        request: Some(body.to_owned()),
        status: Some(200),
        took: Duration::from_millis(31),
        bytes_sent: body.len(),
        bytes_received: answer.len(),
        attempt: 1,
        waited: Duration::ZERO,
        response: Some(Untrusted::from(answer)),
        response_cut: false,
        error: None,
        sandbox_fault: None,
    }
}

/// A listing of the workergroups that nobody answered.
fn unanswered(after: f64) -> LedgerEntry {
    LedgerEntry {
        operation: Operation::ListWorkergroups,
        method: Method::Get,
        url: "http://127.0.0.1:1/api/v0/workergroups/".to_owned(),
        request: None,
        status: None,
        took: Duration::from_millis(2500),
        bytes_sent: 0,
        bytes_received: 0,
        attempt: 3,
        waited: Duration::from_millis(1500),
        response: None,
        error: Some("127.0.0.1:1 cannot be reached: nobody listens there".to_owned()),
        ..search(after, "", "")
    }
}

fn of(operation: Operation, path: &str, body: &str) -> LedgerEntry {
    LedgerEntry {
        operation,
        url: format!("http://127.0.0.1:1{path}"),
        ..search(9.0, body, r#"{"success":true}"#)
    }
}

const BODY: &str = r#"{"verified":{"eq":true},"limit":5}"#;

/// A desk with offers and these calls, latest last, on the Requests pane.
pub fn desk(entries: Vec<LedgerEntry>) -> TestApp {
    let mut desk = TestApp::with_offers(THREE);
    for entry in entries {
        record_only(&mut desk, None, entry);
    }
    desk.keys("4");
    desk
}

fn record_only(desk: &mut TestApp, ticket: Option<Ticket>, entry: LedgerEntry) {
    let entry = Box::new(entry);
    desk.send(Message::Recorded { ticket, entry });
}

fn record(desk: &mut TestApp, entry: LedgerEntry) {
    record_only(desk, None, entry);
    desk.wait(0.0);
}

/// The selected row of the list, without frame and preview.
fn selected(desk: &TestApp) -> String {
    let screen = desk.screen();
    let row = screen.lines().find_map(|line| {
        let line = line.trim_start_matches(['┃', ' ']);
        line.strip_prefix('›')
    });
    let row = row.unwrap_or_default();
    row.split('┃').next().unwrap_or_default().trim().to_owned()
}

#[track_caller]
fn copied(desk: &TestApp) -> (&str, &str) {
    match desk.effects.last() {
        Some(Effect::Copy { what, text }) => (what, text),
        other => panic!("{other:?} is no copy\n{}", desk.screen()),
    }
}

#[test]
fn an_empty_list_says_what_to_press() {
    let mut desk = TestApp::new();
    desk.keys("4").expect("No requests yet").expect("1 loads offers");
    for key in ["r", "enter", "y", "e", "f"] {
        desk.wait(9.0);
        desk.keys(key).expect("No requests yet");
        assert!(desk.model.overlays.is_empty());
    }
    assert_eq!(desk.effects, []);
}

#[test]
fn the_fault_of_a_sandbox_is_named_and_harmless() {
    let fault = LedgerEntry {
        sandbox_fault: Some(Untrusted::from("F10/7/3\u{202e}")),
        ..search(0.0, BODY, "{}")
    };
    desk(vec![search(0.0, BODY, "{}")]).expect_not("Sandbox fault");
    let mut desk = desk(vec![fault]);
    desk.expect("Sandbox fault F10/7/3<U+202E>");
    desk.keys("enter").expect("Sandbox fault F10/7/3<U+202E>");
}

#[test]
fn route_calls_push_no_search_or_write_out() {
    let mut desk = desk(vec![
        search(0.0, BODY, "{}"),
        of(Operation::UnlistVolume, "/api/v0/volumes/unlist/", "{}"),
    ]);
    for _ in 0..250 {
        record(&mut desk, of(Operation::Route, "/route/", "{}"));
    }
    desk.expect("of 202").expect("older requests dropped");
    desk.keys("G");
    assert!(selected(&desk).contains("search offers"), "{}", desk.screen());
    desk.keys("k");
    assert!(selected(&desk).contains("unlist volume"), "{}", desk.screen());
    desk.keys("enter").expect("/api/v0/volumes/unlist/");
}

#[test]
fn every_request_is_a_row_with_its_figures_latest_first() {
    let mut desk = desk(vec![
        search(1.0, BODY, r#"{"offers":[]}"#),
        LedgerEntry {
            status: Some(429),
            bytes_received: 14_200,
            error: Some("the market wants a pause".to_owned()),
            ..search(2.0, BODY, "slow down")
        },
        unanswered(3.0),
    ]);
    desk.resize(100, 24);
    let screen = desk.screen();
    let at = |time: &str| {
        let line = screen.lines().find(|line| line.contains(time)).unwrap();
        // Bars aside.
        let words = line.split_whitespace();
        let words = words.filter(|word| !word.starts_with('━'));
        words.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(at("Took"), "Time Request Status Took Received Sent Try");
    assert_eq!(
        at("12:00:03"),
        "›!12:00:03 list workergroups no response: 127.0.0… 2.50 s 0 B 0 B 3"
    );
    assert_eq!(
        at("12:00:02"),
        "!12:00:02 search offers 429 too many requests 31.0 ms 14.2 kB 34 B 1"
    );
    assert_eq!(at("12:00:01"), "12:00:01 search offers 200 OK 31.0 ms 13 B 34 B 1");
    desk.resize(200, 60)
        .expect("1.50 s")
        .expect("GET /api/v0/workergroups/");
    desk.keys("j").expect("POST /api/v0/bundles/");
    desk.resize(40, 10).expect("search offers").expect("429");
}

#[test]
fn a_slow_request_has_a_longer_bar() {
    let slow = LedgerEntry {
        took: Duration::from_secs(9),
        ..search(2.0, BODY, "{}")
    };
    let desk = desk(vec![search(1.0, BODY, "{}"), slow]);
    let screen = desk.screen();
    let bar = |time: &str| {
        let line = screen.lines().find(|line| line.contains(time)).unwrap();
        line.matches('━').count()
    };
    assert!(bar("12:00:02") > bar("12:00:01"), "{screen}");
}

#[test]
fn the_selection_stays_on_its_call_while_others_come() {
    let mut desk = desk(vec![
        search(1.0, BODY, "{}"),
        search(2.0, BODY, "{}"),
        search(3.0, BODY, "{}"),
    ]);
    assert!(selected(&desk).contains("12:00:03"));
    record(&mut desk, search(4.0, BODY, "{}"));
    assert!(selected(&desk).contains("12:00:03"), "{}", desk.screen());
    desk.keys("j");
    assert!(selected(&desk).contains("12:00:02"));
    for second in 5..60 {
        record(&mut desk, search(f64::from(second), BODY, "{}"));
        assert!(selected(&desk).contains("12:00:02"), "{}", desk.screen());
    }
    desk.keys("g");
    assert!(selected(&desk).contains("12:00:59"));
    desk.keys("G");
    assert!(selected(&desk).contains("12:00:01"));
    // The oldest leave when there are too many; then the oldest that is kept is selected.
    for second in 60..300 {
        record(&mut desk, search(f64::from(second), BODY, "{}"));
    }
    assert!(selected(&desk).contains("12:01:40"), "{}", desk.screen());
    desk.expect("of 200").expect("older requests dropped");
}

#[test]
fn a_search_narrows_the_list_at_once_and_esc_shows_all() {
    let mut desk = desk(vec![
        search(1.0, r#"{"gpu_name":{"eq":"H100 SXM"}}"#, "{}"),
        search(2.0, BODY, "{}"),
        unanswered(3.0),
    ]);
    desk.keys("/").type_text("h100 offers");
    desk.expect("/ h100 offers").expect_not("12:00:03");
    assert!(selected(&desk).contains("12:00:01"));
    // Letters that mean something in the list are typed here.
    desk.keys("ctrl-u").type_text("no response").keys("enter");
    assert!(selected(&desk).contains("list workergroups"));
    record(&mut desk, unanswered(4.0));
    record(&mut desk, search(5.0, BODY, "{}"));
    desk.expect("12:00:04").expect_not("12:00:05");
    assert!(selected(&desk).contains("12:00:03"));
    desk.keys("/").type_text(" nothing like it");
    desk.expect_not("maybe");
    desk.expect("None of 5 requests matches “no response nothing like it”")
        .expect("Esc clears the search");
    desk.keys("ctrl-u").type_text("send 200 requests to sdxl");
    desk.expect("maybe 3 t test route");
    desk.keys("esc").expect("12:00:05");
    desk.keys("/").type_text("429").keys("enter esc");
    desk.expect("12:00:05");
}

#[test]
fn filters_show_one_kind_of_request_and_count_each() {
    let mut desk = desk(vec![
        search(1.0, BODY, "{}"),
        of(Operation::UnlistVolume, "/api/v0/volumes/unlist/", "{}"),
        of(Operation::Route, "/route/", "{}"),
        unanswered(3.0),
    ]);
    desk.expect("All 4").expect("Reads 2").expect("Writes 1");
    desk.expect("Route 1").expect("Errors 1");
    desk.keys("l").expect("search offers").expect_not(" unlist volume");
    desk.keys("right").expect("unlist volume").expect_not("search offers");
    desk.keys("l l").expect("list workergroups").expect_not("search offers");
    // One that comes is listed only where it belongs.
    record(&mut desk, search(5.0, BODY, "{}"));
    desk.expect("All 5").expect_not("search offers");
    desk.keys("l").expect("search offers");
    desk.keys("h").expect_not("search offers");
    desk.keys("esc").expect("search offers");
    desk.click("Writes 1").expect_not("search offers");
}

#[test]
fn a_request_is_read_with_both_bodies_laid_out() {
    let answer = "{\"offers\":[{\"id\":7,\"price\":1.50,\"name\":\"a \u{202e}b\",\"api_key\":\"canary\"},\
        {\"long\":\"0123456789012345678901234567890123456789012345678901234567890\"}]}";
    let mut desk = desk(vec![search(1.0, BODY, answer)]);
    desk.keys("enter")
        .expect("Request 1: search offers")
        .expect("POST http://127.0.0.1:1/api/v0/bundles/")
        .expect("2026-11-20 12:00:01 +00:00 · API key sent")
        .expect("200 OK in 31.0 ms · 34 B sent · 142 B received")
        .expect("<removed> replaces a secret")
        .expect("  \"verified\": {\"eq\": true},")
        .expect("  \"limit\": 5")
        .expect("      \"price\": 1.50,") // as it was received, not 1.5
        .expect(r#"      "name": "a \u202eb","#)
        .expect("      \"api_key\": \"<removed>\"")
        .expect_not("canary");
    desk.keys("enter").expect_not("Request 1:");
    desk.keys("enter esc").expect_not("Request 1:");
    desk.keys("enter q").expect("Requests ");
}

#[test]
fn a_failed_request_says_so_and_the_next_one_is_a_key_away() {
    let page = LedgerEntry {
        status: Some(502),
        error: Some("a web page was received instead of JSON (502)".to_owned()),
        ..search(1.0, BODY, "<html>\n<b>down</b>\u{1b}[31m</html>")
    };
    let mut desk = desk(vec![unanswered(0.0), page]);
    desk.keys("enter")
        .expect("502 bad gateway in 31.0 ms")
        .expect("a web page was received instead of JSON (502)")
        .expect("<b>down</b><U+001B>[31m</html>");
    // To the one below it in the list, and back.
    desk.keys("l")
        .expect("Request 1: list workergroups")
        .expect("GET http://127.0.0.1:1/api/v0/workergroups/")
        .expect("no response in 2.50 s")
        .expect("attempt 3 after waiting 1.50 s")
        .expect("No body")
        .expect("No response");
    desk.keys("h").expect("Request 2: search offers");
    desk.keys("esc");
    assert!(selected(&desk).contains("12:00:01"));
}

#[test]
fn a_text_is_found_counted_and_marked_without_colour() {
    let names: Vec<String> = (0..300).map(|at| format!(r#""Name {at} x""#)).collect();
    let answer = format!(r#"{{"all":[{}]}}"#, names.join(","));
    let mut desk = desk(vec![search(1.0, BODY, &answer)]);
    desk.keys("enter").expect_not("Name 299");
    desk.keys("/").type_text("name 29").expect("1 of 11"); // 29 and 290 to 299, case aside
    desk.expect("Name 29 x");
    desk.keys("enter n").expect("2 of 11").expect("Name 290 x");
    desk.keys("n").expect("3 of 11");
    let marked: String = desk
        .cells()
        .iter()
        .filter(|cell| cell.modifier.contains(Modifier::REVERSED))
        .map(|cell| cell.symbol())
        .collect();
    assert!(marked.ends_with("Name 29"), "{marked}");
    desk.keys("N N N").expect("11 of 11"); // round the end
    // While typing, too.
    desk.keys("/ up").expect("10 of 11");
    desk.keys("down").expect("11 of 11");
    desk.keys("enter");
    desk.keys("n").expect("1 of 11");
    desk.keys("/ ctrl-u").type_text("zebra").expect("no match");
    // One step back a press: the search, then the request.
    desk.keys("enter esc").expect_not("zebra").expect("Request 1:");
    desk.keys("esc").expect_not("Request 1:");
}

#[test]
fn a_long_response_is_scrolled_and_says_what_is_missing() {
    let records: Vec<String> = (0..5000).map(|at| format!(r#"{{"id":{at}}}"#)).collect();
    let text = format!(r#"{{"offers":[{},{{"id":"#, records.join(","));
    let entry = LedgerEntry {
        response_cut: true,
        bytes_received: 1_400_000,
        ..search(1.0, BODY, &text)
    };
    let mut desk = desk(vec![entry]);
    desk.keys("enter")
        .expect("{\"id\": 0},")
        .expect("1–")
        .expect(" of 5,005");
    desk.keys("G")
        .expect("{\"id\": 4999},")
        .expect("… truncated after 256 kB of 1.4 MB")
        .expect("–5,005 of 5,005");
    desk.keys("k ctrl-u g").expect("{\"id\": 0},");
    desk.resize(80, 24).keys("G").expect("… truncated");
    desk.resize(300, 80).expect("… truncated");
}

#[test]
fn tab_goes_to_the_other_body_also_where_only_one_fits() {
    let mut desk = desk(vec![search(1.0, BODY, r#"{"offers":[]}"#)]);
    desk.resize(80, 24).keys("enter");
    desk.expect("\"offers\": []").expect_not("\"limit\": 5");
    desk.keys("tab").expect("\"limit\": 5").expect_not("offers\": []");
    desk.keys("/").type_text("limit").expect("1 of 1");
    desk.keys("enter esc shift-tab").expect("\"offers\": []");
}

#[test]
fn the_preview_follows_the_selection() {
    let secret = search(1.0, BODY, r#"{"offers":[{"api_key":"canary"}]}"#);
    let mut desk = desk(vec![secret, unanswered(2.0)]);
    for (columns, rows) in [(100, 30), (120, 40), (200, 60), (300, 80)] {
        desk.resize(columns, rows).keys("g");
        desk.expect("GET /api/v0/workergroups/").expect("No response");
        desk.keys("j")
            .expect("\"limit\": 5")
            .expect("\"api_key\": \"<removed>\"")
            .expect_not("canary");
    }
    // On a compact screen it is below the list while that leaves room.
    desk.resize(99, 40).expect("\"limit\": 5");
    desk.resize(99, 12).expect_not("\"limit\": 5");
}

#[test]
fn a_route_run_is_one_row_until_it_is_unfolded() {
    let mut desk = desk(vec![search(1.0, BODY, "{}")]);
    desk.keys("3");
    let groups = r#"{"success": true, "results": [{"id": 1, "endpoint_name": "chat"}]}"#;
    desk.answer(groups);
    desk.keys("t down down down ctrl-u").type_text("20");
    desk.keys("down ctrl-u").type_text("20").keys("enter y");
    let tickets: Vec<Ticket> = desk.calls.iter().map(|(ticket, _)| *ticket).collect();
    assert_eq!(tickets.len(), 20, "{}", desk.screen());
    for (number, ticket) in tickets.into_iter().enumerate() {
        let entry = LedgerEntry {
            took: Duration::from_micros(300),
            error: (number < 2).then(|| "the worker refused".to_owned()),
            ..of(Operation::Route, "/route/", r#"{"endpoint":"chat"}"#)
        };
        record_only(&mut desk, Some(ticket), entry);
    }
    desk.keys("esc 4");
    let row = selected(&desk);
    assert!(row.starts_with('!'), "{row}");
    assert!(row.contains("▸ route ×20 · p50 0.30 ms"), "{row}");
    assert!(row.contains("2 failed"), "{row}");
    // The median is the run's time.
    assert_eq!(row.matches("0.30 ms").count(), 2, "{row}");
    desk.expect("Route run 1")
        .expect("18  200 OK")
        .expect("2  the worker refused");
    desk.expect("search offers");
    desk.keys("enter").expect("▾ route ×20");
    let rows = |desk: &TestApp| desk.screen().matches("   route ").count();
    assert_eq!(rows(&desk), 20, "{}", desk.screen());
    desk.keys("j enter").expect("Request 21: route");
    desk.keys("esc k enter").expect("▸ route ×20");
    assert_eq!(rows(&desk), 0);
    // The run is never sent again from here.
    desk.keys("r").expect("Route requests are sent from the route lab only");
    assert!(
        desk.calls
            .iter()
            .all(|(_, request)| request.operation() == Operation::Route)
    );
}

#[test]
fn an_error_on_a_pane_opens_its_request() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("E").expect("No request of this pane failed");
    desk.keys("r");
    let failed = LedgerEntry {
        status: Some(502),
        error: Some("the market is down".to_owned()),
        ..search(1.0, BODY, "down")
    };
    record(&mut desk, failed);
    desk.fail(ApiError::Lost);
    record(&mut desk, search(2.0, BODY, "{}"));
    desk.keys("E")
        .expect("Request 1: search offers")
        .expect("the market is down");
    desk.keys("y c");
    assert!(copied(&desk).1.starts_with("curl "));
    desk.keys("esc").expect_not("Request 1:").expect("RTX 4090");
}

#[test]
fn a_read_is_resent_and_its_response_touches_no_rows() {
    let mut desk = desk(vec![search(1.0, BODY, "{}")]);
    desk.keys("r").expect("Resending search offers: 0 s (Esc cancels)");
    let (ticket, request) = desk.calls[0].clone();
    assert_eq!(request.operation(), Operation::SearchOffers);
    let Request::Raw(raw) = &request else {
        panic!("{request:?}")
    };
    assert_eq!(raw.body().to_string(), BODY);
    desk.keys("r").expect("Already being resent");
    assert_eq!(desk.calls.len(), 1);
    record(&mut desk, search(2.0, BODY, r#"{"offers":[]}"#));
    let empty = bourse::domain::Listing::read(Resource::Offers.catalog(), r#"{"offers":[]}"#, START);
    let reply = bourse::api::Reply::Records(Box::new(empty.unwrap()));
    desk.reply(ticket, Ok(reply))
        .expect("Response received: search offers")
        .expect_not("Resending");
    assert!(selected(&desk).contains("12:00:01"), "the selection stays");
    desk.keys("1").selects("101");
    desk.expect("All 3 ");
    // The list of groups has no body and goes as itself; Esc stops waiting for it.
    record(&mut desk, unanswered(3.0));
    desk.calls.clear();
    desk.keys("4 g enter r");
    assert_eq!(desk.asked(), &Request::ListWorkergroups);
    desk.keys("esc esc").expect("Request cancelled");
    assert!(desk.calls.is_empty());
    desk.keys("r").fail(ApiError::Lost);
    desk.expect("list workergroups: ");
}

#[test]
fn writes_and_route_requests_are_never_sent_again() {
    let entries = [
        (
            Operation::UnlistVolume,
            "/api/v0/volumes/unlist/",
            "unlist on the Volumes pane",
        ),
        (
            Operation::CreateWorkergroup,
            "/api/v0/workergroups/",
            "create a workergroup on the Workergroups pane",
        ),
        (Operation::Route, "/route/", "from the route lab only"),
    ];
    for (operation, path, words) in entries {
        let mut desk = desk(vec![of(operation, path, r#"{"id":5}"#)]);
        desk.keys("r").expect(words);
        desk.keys("f").expect(words);
        desk.keys("enter r").expect(words);
        desk.keys("f").expect(words);
        desk.keys("f5").expect(words);
        assert_eq!((desk.calls.len(), &desk.effects[..]), (0, &[][..]));
        assert_eq!(desk.model.overlays.len(), 1, "the details alone are open");
    }
}

#[test]
fn a_call_to_another_market_or_with_a_lost_secret_is_not_sent_again() {
    let elsewhere = LedgerEntry {
        url: "http://127.0.0.1:9/api/v0/bundles/".to_owned(),
        ..search(1.0, BODY, "{}")
    };
    let secret = search(2.0, r#"{"gpu_name":{"eq":"<removed>"}}"#, "{}");
    let mut desk = desk(vec![elsewhere, secret]);
    desk.keys("r")
        .expect("Its body contained a secret: secrets are not stored");
    desk.keys("f ctrl-s").expect("Not sent: <removed> replaces a secret");
    desk.keys("esc j r").expect("It was sent to another market");
    desk.keys("f ctrl-s").expect("Not sent: It was sent to another market");
    assert!(desk.calls.is_empty());
}

#[test]
fn a_search_is_changed_validated_while_typing_and_sent() {
    let mut desk = desk(vec![search(1.0, BODY, "{}")]);
    desk.keys("f")
        .expect("Edit and send: search offers")
        .expect(" 2   \"verified\": {\"eq\": true},")
        .expect("Request 1 as sent")
        .expect("Valid JSON, 44 bytes (Ctrl-s sends it)")
        .expect("gpu_name             text ")
        .expect_not("verified             true, false");
    desk.keys("down down end").type_text(",");
    desk.expect("Line 4, column 1: trailing comma").expect("!4 }");
    desk.keys("ctrl-s").expect("Not sent: line 4, column 1");
    assert!(desk.calls.is_empty());
    // Letters are typed, Enter breaks the line, and a draft comes back.
    desk.keys("enter").type_text("\"q/1\":\t");
    desk.keys("esc f").expect(" 4   \"q/1\":");
    desk.paste("[1,\r\n2]\u{202e}").expect("Valid JSON");
    desk.expect("1 invisible or control characters left out");
    desk.keys("ctrl-r").expect_not("q/1").expect("Valid JSON, 44 bytes");
    desk.keys("ctrl-r").expect("q/1");
    desk.keys("ctrl-s");
    let Request::Raw(raw) = desk.asked() else {
        panic!("{:?}", desk.asked())
    };
    assert_eq!(
        raw.body(),
        &serde_json::json!({"verified": {"eq": true}, "limit": 5, "q/1": [1, 2]})
    );
    assert_eq!(raw.resource(), Resource::Offers);
    assert!(desk.model.overlays.is_empty());
    // What was sent is no draft any longer.
    desk.keys("f").expect_not("q/1");
    desk.keys("esc");
    // A network volume search goes to its own address.
    let volumes = of(
        Operation::SearchVolumes,
        "/api/v0/network_volumes/search/",
        r#"{"q":{"limit":2}}"#,
    );
    record(&mut desk, volumes);
    desk.calls.clear();
    desk.keys("g enter f ctrl-s");
    assert_eq!(desk.asked().operation(), Operation::SearchVolumes);
    record(&mut desk, unanswered(9.5));
    desk.keys("esc g f").expect("Listing workergroups sends no body");
}

#[test]
fn edits_are_undone_and_redone() {
    let mut desk = desk(vec![search(1.0, BODY, "{}")]);
    desk.keys("f right").paste("\"a\": 1,\n");
    desk.expect("Valid JSON, 52 bytes");
    desk.keys("ctrl-_").expect("Valid JSON, 44 bytes");
    desk.keys("ctrl-y").expect("Valid JSON, 52 bytes");
    desk.keys("ctrl-7 ctrl-7").expect("Nothing to undo");
}

#[test]
fn a_body_is_edited_in_the_person_s_own_editor() {
    let mut desk = desk(vec![search(1.0, BODY, "{}")]);
    desk.keys("f ctrl-e");
    let Some(Effect::Edit { text, suffix, .. }) = desk.effects.last() else {
        panic!("{}", desk.screen())
    };
    assert_eq!(*suffix, ".json");
    assert!(text.starts_with("{\n  \"verified\": {\"eq\": true},"), "{text}");
    desk.bring(News::Edited(Ok("{\"limit\": 6}\u{200b}\n".to_owned())));
    desk.wait(0.0).expect("Valid JSON, 12 bytes").expect("left out");
    desk.keys("ctrl-e")
        .bring(News::Edited(Err(EffectError::new("$EDITOR exited with status 1"))));
    desk.wait(0.0)
        .expect("exited with status 1")
        .expect("Valid JSON, 12 bytes");
    desk.keys("ctrl-s");
    let Request::Raw(raw) = desk.asked() else {
        panic!("{:?}", desk.asked())
    };
    assert_eq!(raw.body(), &serde_json::json!({"limit": 6}));
}

#[test]
fn what_is_no_object_is_not_sent_and_a_flood_is_not_pasted() {
    let mut desk = desk(vec![search(1.0, BODY, "{}")]);
    desk.keys("f");
    for _ in 0..4 {
        desk.keys("ctrl-k delete");
    }
    desk.paste("[1]").expect("A search body is a JSON object");
    desk.keys("f5").expect("Not sent: ");
    desk.paste(&"x".repeat(70_000)).expect("nothing was pasted");
    assert!(desk.calls.is_empty());
}

#[test]
fn a_call_is_copied_as_curl_as_bodies_and_as_an_address() {
    let secret = LedgerEntry {
        request: Some(r#"{"a":"it's","token":"<removed>"}"#.to_owned()),
        with_key: false,
        ..search(2.0, "", "plain\u{202e} text")
    };
    let mut desk = desk(vec![search(1.0, BODY, r#"{"offers":[]}"#), secret]);
    desk.keys("y")
        .expect("c  the request as curl; <removed> replaces a secret")
        .expect("b  the request body; <removed> replaces a secret");
    desk.keys("c");
    let (what, text) = copied(&desk);
    assert!(what.contains("<removed> replaces a secret"), "{what}");
    assert_eq!(
        text,
        r#"curl -sS -X POST 'http://127.0.0.1:1/api/v0/bundles/' -H 'Content-Type: application/json' --data-raw '{"a":"it'\''s","token":"<removed>"}'"#
    );
    desk.keys("y a");
    assert_eq!(copied(&desk).1, "plain<U+202E> text");
    desk.keys("j enter y c"); // of the call that is shown whole
    assert_eq!(
        copied(&desk).1,
        r#"curl -sS -X POST 'http://127.0.0.1:1/api/v0/bundles/' -H "Authorization: Bearer $BOURSE_API_KEY" -H 'Content-Type: application/json' --data-raw '{"verified":{"eq":true},"limit":5}'"#
    );
    desk.keys("y b");
    assert_eq!(copied(&desk).1, BODY);
    desk.keys("y a");
    assert_eq!(copied(&desk).1, r#"{"offers":[]}"#);
    desk.keys("y u");
    assert_eq!(copied(&desk).1, "http://127.0.0.1:1/api/v0/bundles/");
    record(&mut desk, unanswered(3.0));
    desk.keys("esc g y b").expect("Not copied: the request has no body");
}

#[test]
fn the_calls_in_the_list_are_exported_as_an_archive_oldest_first() {
    let mut desk = desk(vec![
        search(1.0, BODY, r#"{"offers":[]}"#),
        unanswered(2.0),
        search(3.0, BODY, "{}"),
    ]);
    desk.keys("e")
        .expect("Export 3 requests as HAR")
        .expect("bourse-requests-20261120-1200.har");
    desk.keys("enter");
    let Some(Effect::Export { path, content, .. }) = desk.effects.last() else {
        panic!("{}", desk.screen())
    };
    assert_eq!(path, "bourse-requests-20261120-1200.har");
    let archive: serde_json::Value = serde_json::from_str(&content.text()).unwrap();
    let times: Vec<_> = archive["log"]["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["startedDateTime"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(
        times,
        [
            "2026-11-20T12:00:01.000Z",
            "2026-11-20T12:00:02.000Z",
            "2026-11-20T12:00:03.000Z"
        ]
    );
    // Narrowed, those that match.
    desk.keys("esc /").type_text("workergroups").keys("enter e");
    desk.expect("Export 1 request as HAR");
}

#[test]
fn the_mouse_selects_opens_and_filters() {
    let mut desk = desk(vec![search(1.0, BODY, "{}"), unanswered(2.0)]);
    desk.click("12:00:01");
    assert!(selected(&desk).contains("12:00:01"));
    desk.click("12:00:01").expect("Request 1: search offers");
    desk.keys("esc").click("Errors 1").expect_not("12:00:01");
    assert!(selected(&desk).contains("12:00:02"));
}

#[test]
fn footer_and_palette_know_the_pane() {
    let mut desk = desk(vec![search(1.0, BODY, "{}")]);
    desk.expect("r resend").expect("f edit and send");
    desk.expect_not("sort").expect_not("columns");
    desk.keys("s").expect("Not available for requests");
    desk.keys("?").expect("what was sent and received");
    desk.keys("esc");
    desk.keys(":").type_text("refresh").keys("enter");
    assert_eq!(desk.calls.len(), 1);
    assert_eq!(desk.model.pane, Pane::Requests);
    desk.keys("tab").expect("All 3 ");
}

#[test]
fn every_size_has_room_for_every_view() {
    let long = format!(r#"{{"limit":5,"x":"{}"}}"#, "0123456789 é漢".repeat(60));
    let step = cases(3, 1);
    for (turn, theme) in [Theme::DARK, Theme::LIGHT, Theme::MONO].into_iter().enumerate() {
        let sizes = [(40, 10), (41, 11), (80, 24), (129, 10), (120, 40), (200, 60), (300, 80)];
        for (columns, rows) in sizes.into_iter().skip(turn % step).step_by(step) {
            let mut desk = desk(vec![search(1.0, &long, &long), unanswered(-90_000.0)]);
            desk.theme = theme;
            desk.resize(columns, rows);
            desk.keys("/").type_text("offers").keys("enter");
            desk.keys("enter").expect("Request 1");
            desk.keys("/");
            desk.type_text(&"0123456789".repeat(30)).expect("no match");
            desk.keys("ctrl-u").type_text("6789 é漢0123").expect("1 of 1");
            desk.keys("enter f pgdn end").type_text("x").keys("ctrl-s");
            desk.expect("Not sent");
            desk.keys("esc y esc e esc esc esc esc");
            assert!(desk.model.overlays.is_empty());
        }
    }
}

#[test]
fn a_cancelled_search_is_no_error_but_a_cancelled_write_is() {
    let cancelled = |entry: LedgerEntry| LedgerEntry {
        status: None,
        response: None,
        error: Some("cancelled before the response".to_owned()),
        ..entry
    };
    let mut desk = desk(vec![cancelled(search(1.0, BODY, ""))]);
    desk.expect("cancelled").expect_not("no response").expect("Errors 0");
    assert!(!selected(&desk).starts_with('!'), "{}", desk.screen());
    // The listing may be gone: nobody knows.
    let unlist = of(Operation::UnlistVolume, "/api/v0/volumes/unlist/", "{}");
    record(&mut desk, cancelled(unlist));
    desk.expect("no response").expect("Errors 1");
}

#[test]
fn the_banner_names_what_failed_and_the_age_of_the_rows_stays_marked() {
    let mut desk = TestApp::with_offers(THREE);
    desk.theme = Theme::DARK;
    desk.resize(80, 24).keys("r");
    let failed = LedgerEntry {
        status: Some(502),
        error: Some("server error (502)".to_owned()),
        ..search(1.0, BODY, "")
    };
    record_only(&mut desk, None, failed);
    desk.wait(60.0).fail(ApiError::Lost);
    desk.expect("Search offers failed (POST /api/v0/bundles/):");
    let marked = |desk: &TestApp| {
        let cells = desk.cells();
        let line: String = cells.iter().take(80).map(|cell| cell.symbol()).collect();
        let at = line.find("ago").unwrap();
        let column = line[..at].chars().count();
        cells[column].style().fg == desk.theme.warning.fg
    };
    assert!(marked(&desk), "{}", desk.screen());
    desk.keys("esc").expect_not("Search offers failed");
    assert!(marked(&desk), "still older than it should be");
    desk.keys("r").answer(THREE);
    assert!(!marked(&desk));
}

#[test]
fn members_of_the_records_in_a_response_are_named_beside_it() {
    let answer = r#"{"offers":[{"id":7,"gpu_ram":24564,"search":{"gpu_ram":1,"x":[1,2,3],"long":"so that it is not inline"}}],"gpu_ram":2}"#;
    let mut desk = desk(vec![search(1.0, BODY, answer)]);
    desk.keys("enter");
    for (columns, rows, meaning) in [(80, 24, false), (200, 60, true)] {
        desk.resize(columns, rows).expect("VRAM");
        let screen = desk.screen();
        let noted: Vec<_> = screen.lines().filter(|line| line.contains("VRAM")).collect();
        // Neither the member of a nested object nor that of the response itself.
        assert_eq!(noted.len(), 1, "{screen}");
        assert!(noted[0].contains("\"gpu_ram\": 24564,"), "{screen}");
        assert_eq!(noted[0].contains("Memory of one GPU"), meaning, "{screen}");
    }
    // What an operation without records returns has no notes.
    let mut desk = self::desk(vec![LedgerEntry {
        response: Some(Untrusted::from(answer)),
        ..of(Operation::Route, "/route/", "{}")
    }]);
    desk.keys("enter").expect("\"gpu_ram\": 24564").expect_not("VRAM");
}
