//! The Requests pane, key by key.

use std::time::Duration;

use bourse::api::ledger::LedgerEntry;
use bourse::api::wire::Method;
use bourse::api::{ApiError, Operation, Request};
use bourse::app::Pane;
use bourse::app::message::{Effect, Message};
use bourse::domain::{Resource, Untrusted};
use ratatui::style::Modifier;

use crate::desk::{Desk, START, THREE};

/// A search of offers that was answered, as long after the start of the story.
fn search(after: f64, body: &str, answer: &str) -> LedgerEntry {
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
fn desk(entries: Vec<LedgerEntry>) -> Desk {
    let mut desk = Desk::with_offers(THREE);
    for entry in entries {
        desk.send(Message::Recorded(Box::new(entry)));
    }
    desk.keys("4");
    desk
}

fn record(desk: &mut Desk, entry: LedgerEntry) {
    desk.send(Message::Recorded(Box::new(entry)));
    desk.wait(0.0);
}

/// The line of the screen that begins with the sign of the selection.
fn selected(desk: &Desk) -> String {
    let screen = desk.screen();
    let line = screen.lines().find(|line| line.starts_with('>'));
    line.unwrap_or_default().to_owned()
}

#[track_caller]
fn copied(desk: &Desk) -> (&str, &str) {
    match desk.effects.last() {
        Some(Effect::Copy { what, text }) => (what, text),
        other => panic!("{other:?} is no copy\n{}", desk.screen()),
    }
}

#[test]
fn an_empty_list_says_what_to_press() {
    let mut desk = Desk::new();
    desk.keys("4")
        .expect("Nothing was sent yet.")
        .expect("Press 1")
        .expect("no requests");
    desk.keys("r").expect("nothing was sent yet");
    desk.keys("enter y e").expect("nothing was sent yet");
    assert!(desk.model.overlays.is_empty());
    assert_eq!(desk.effects, []);
}

#[test]
fn route_calls_push_no_search_or_write_out() {
    let mut desk = desk(vec![
        search(0.0, BODY, "{}"),
        of(Operation::UnlistVolume, "/api/v0/volumes/unlist/", "{}"),
    ]);
    for _ in 0..1000 {
        record(&mut desk, of(Operation::Route, "/route/", "{}"));
    }
    desk.expect("/202 requests, older ones are not kept");
    desk.keys("G");
    assert!(
        selected(&desk).contains("search offers"),
        "{}",
        desk.screen()
    );
    desk.keys("k");
    assert!(
        selected(&desk).contains("unlist volume"),
        "{}",
        desk.screen()
    );
    desk.keys("enter").expect("/api/v0/volumes/unlist/");
}

#[test]
fn every_call_is_a_line_with_its_figures_latest_first() {
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
    desk.resize(80, 24);
    let screen = desk.screen();
    let lines: Vec<&str> = screen.lines().collect();
    let at = |y: usize| lines[y].split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(at(2), "time operation status took sent received try waited");
    assert_eq!(
        at(3),
        ">! 12:00:03 list workergroups no answer 2.50s 0B 0B 3 1.50s"
    );
    assert_eq!(
        at(4),
        "! 12:00:02 search offers 429 too ma… 31ms 34B 14.2kB 1 -"
    );
    assert_eq!(at(5), "12:00:01 search offers 200 OK 31ms 34B 13B 1 -");
    // What the narrow list cannot hold of the selected one stands below.
    desk.expect("1/3 requests · GET /api/v0/workergroups/: no answer: 127.0.0.1:1 cannot");
    desk.resize(120, 40)
        .expect("POST /api/v0/bundles/")
        .expect("GET /api/v0/workergroups/");
    desk.resize(40, 10).expect("search offers").expect("429");
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
    desk.expect("200/200 requests, older ones are not kept");
}

#[test]
fn words_narrow_the_list_at_once_and_esc_shows_all() {
    let mut desk = desk(vec![
        search(1.0, r#"{"gpu_name":{"eq":"H100 SXM"}}"#, "{}"),
        search(2.0, BODY, "{}"),
        unanswered(3.0),
    ]);
    desk.keys("/").type_text("h100 offers");
    desk.expect("/ h100 offers").expect("1/1 of 3 requests");
    assert!(selected(&desk).contains("12:00:01"));
    // Letters that mean something in the list are typed here.
    desk.keys("ctrl-u").type_text("no answer").keys("enter");
    assert!(selected(&desk).contains("list workergroups"));
    record(&mut desk, unanswered(4.0));
    record(&mut desk, search(5.0, BODY, "{}"));
    desk.expect("2/2 of 5 requests");
    desk.keys("/").type_text(" nothing like it");
    desk.expect("None of the 5 requests match “no answer nothing like it”.")
        .expect("Esc shows them all again.");
    desk.keys("esc").expect("/5 requests");
    desk.keys("/").type_text("429").keys("enter esc");
    desk.expect("/5 requests");
}

#[test]
fn a_call_is_read_whole_with_both_bodies_laid_out() {
    let answer = "{\"offers\":[{\"id\":7,\"price\":1.50,\"name\":\"a \u{202e}b\",\"api_key\":\"canary\"},\
        {\"long\":\"0123456789012345678901234567890123456789012345678901234567890\"}]}";
    let mut desk = desk(vec![search(1.0, BODY, answer)]);
    desk.keys("enter")
        .expect("Request 1: search offers")
        .expect("POST http://127.0.0.1:1/api/v0/bundles/")
        .expect("sent       2026-11-20 12:00:01 +00:00")
        .expect("key        went along in the Authorization header")
        .expect("status     200 OK")
        .expect("took       31ms")
        .expect("attempt    1, sent at once")
        .expect("bodies     34B sent, 142B received")
        .expect("<removed> stands where a secret was.")
        .expect("  \"verified\": {\"eq\": true},")
        .expect("  \"limit\": 5")
        .expect("      \"price\": 1.50,") // as it came, not 1.5
        .expect(r#"      "name": "a \u202eb","#)
        .expect("      \"api_key\": \"<removed>\"")
        .expect_not("canary");
    desk.keys("enter").expect_not("Request 1:");
    desk.keys("enter esc").expect_not("Request 1:");
}

#[test]
fn a_call_that_failed_says_so_in_words() {
    let page = LedgerEntry {
        status: Some(502),
        error: Some("a web page came instead of JSON (502)".to_owned()),
        ..search(1.0, BODY, "<html>\n<b>down</b>\u{1b}[31m</html>")
    };
    let mut desk = desk(vec![unanswered(0.0), page]);
    desk.keys("enter")
        .expect("status     502 bad gateway")
        .expect("error      a web page came instead of JSON (502)")
        .expect("<b>down</b><U+001B>[31m</html>");
    // To the one below it in the list, and back.
    desk.keys("l")
        .expect("Request 1: list workergroups")
        .expect("GET http://127.0.0.1:1/api/v0/workergroups/")
        .expect("status     no answer")
        .expect("attempt    3, after a wait of 1.50s")
        .expect("None: the call has no body.")
        .expect("None: no whole answer came.");
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
    desk.keys("/").expect("type what to look for");
    desk.type_text("name 29").expect("match 1 of 11"); // 29 and 290 to 299, case aside
    desk.expect(">     \"Name 29 x\"");
    desk.keys("enter n").expect("match 2 of 11");
    desk.expect(">     \"Name 290 x\"");
    desk.keys("n").expect(">     \"Name 291 x\"");
    let marked: String = desk
        .cells()
        .iter()
        .filter(|cell| cell.modifier.contains(Modifier::REVERSED))
        .map(|cell| cell.symbol())
        .collect();
    assert!(marked.ends_with("Name 29"), "{marked}");
    desk.keys("N N N").expect("match 11 of 11"); // round the end
    desk.keys("n").expect("match 1 of 11");
    desk.keys("/ ctrl-u").type_text("zebra").expect("not in it");
    // One step back a press: the search, then the call.
    desk.keys("enter esc")
        .expect_not("zebra")
        .expect("Request 1");
    desk.keys("esc").expect_not("Request 1:");
}

#[test]
fn a_long_answer_is_scrolled_and_its_end_is_honest() {
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
        .expect("1-37 of 5020 lines");
    desk.keys("G")
        .expect("{\"id\": 4999},")
        .expect("Only the first 256 kB of 1.4MB are kept.")
        .expect("4984-5020 of 5020 lines");
    desk.keys("k ctrl-u g").expect("Request body");
    desk.resize(80, 24).keys("G").expect("are kept.");
    desk.resize(300, 80).expect("are kept.");
}

#[test]
fn a_wide_screen_shows_the_list_beside_the_call() {
    let mut desk = desk(vec![search(1.0, BODY, "{}"), unanswered(2.0)]);
    for (columns, rows) in [(130, 24), (200, 60), (300, 80)] {
        desk.resize(columns, rows).keys("enter");
        let screen = desk.screen();
        let line = screen.lines().find(|line| line.starts_with('>')).unwrap();
        assert!(line.contains("list workergroups"), "{screen}");
        desk.expect("Request 2: list workergroups");
        record(&mut desk, search(3.0, BODY, "{}"));
        desk.expect("Request 2: list workergroups");
        desk.keys("esc").keys("g j");
        while !selected(&desk).contains("list workergroups") {
            desk.keys("j");
        }
    }
    desk.resize(129, 40).keys("enter").expect_not("operation");
}

#[test]
fn a_read_is_sent_again_and_its_answer_touches_no_rows() {
    let mut desk = desk(vec![search(1.0, BODY, "{}")]);
    desk.keys("r")
        .expect("search offers: asking, 0s (Esc stops)");
    let (ticket, request) = desk.calls[0].clone();
    assert_eq!(request.operation(), Operation::SearchOffers);
    let Request::Raw(raw) = &request else {
        panic!("{request:?}")
    };
    assert_eq!(raw.body().to_string(), BODY);
    desk.keys("r").expect("it is on its way already");
    assert_eq!(desk.calls.len(), 1);
    record(&mut desk, search(2.0, BODY, r#"{"offers":[]}"#));
    let empty =
        bourse::domain::Listing::read(Resource::Offers.catalog(), r#"{"offers":[]}"#, START);
    let reply = bourse::api::Reply::Records(Box::new(empty.unwrap()));
    desk.reply(ticket, Ok(reply))
        .expect("Answered: search offers, see the list")
        .expect_not("asking");
    assert!(selected(&desk).contains("12:00:01"), "the selection stays");
    desk.keys("1").selects("101");
    desk.expect("All 3 ");
    // The list of groups has no body and goes as itself; Esc stops waiting for it.
    record(&mut desk, unanswered(3.0));
    desk.calls.clear();
    desk.keys("4 g enter r");
    assert_eq!(desk.asked(), &Request::ListWorkergroups);
    desk.keys("esc esc")
        .expect("Stopped waiting for the answer");
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
            "its own dialog",
        ),
        (
            Operation::CreateWorkergroup,
            "/api/v0/workergroups/",
            "its own form",
        ),
        (Operation::Route, "/route/", "the route lab"),
    ];
    for (operation, path, words) in entries {
        let mut desk = desk(vec![of(operation, path, r#"{"id":5}"#)]);
        desk.keys("r").expect("is not sent again").expect(words);
        desk.keys("f").expect(words);
        desk.keys("enter r f").expect(words);
        desk.keys("f5").expect(words);
        assert_eq!((desk.calls.len(), &desk.effects[..]), (0, &[][..]));
        assert_eq!(desk.model.overlays.len(), 1, "the call alone is open");
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
        .expect("its body held a secret, which is not kept");
    desk.keys("f ctrl-s")
        .expect("! not sent: <removed> stands for a secret");
    desk.keys("esc j r").expect("it went to another market");
    desk.keys("f ctrl-s")
        .expect("! not sent: it went to another market");
    assert!(desk.calls.is_empty());
}

#[test]
fn a_search_is_changed_checked_while_typing_and_sent() {
    let mut desk = desk(vec![search(1.0, BODY, "{}")]);
    desk.keys("f")
        .expect("Body of search offers: change it and send it")
        .expect("  2   \"verified\": {\"eq\": true},")
        .expect("Sound JSON of 41 bytes. Ctrl-s sends it");
    desk.keys("down down end").type_text(",");
    desk.expect("! line 4, column 1: trailing comma")
        .expect("!  4 }");
    desk.keys("ctrl-s").expect("! not sent: line 4, column 1");
    assert!(desk.calls.is_empty());
    // Letters are typed, Enter breaks the line, and a draft that was left comes back.
    desk.keys("enter").type_text("\"q/1\":\t");
    desk.keys("esc f").expect("  4   \"q/1\":");
    desk.paste("[1,\r\n2]\u{202e}").expect("Sound JSON");
    desk.expect("1 invisible or control characters were left out");
    desk.keys("ctrl-r")
        .expect_not("q/1")
        .expect("Sound JSON of 41 bytes");
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
    desk.keys("esc g f")
        .expect("the list of groups has no body to change");
}

#[test]
fn what_is_no_object_is_not_sent_and_a_flood_is_not_pasted() {
    let mut desk = desk(vec![search(1.0, BODY, "{}")]);
    desk.keys("f");
    for _ in 0..4 {
        desk.keys("ctrl-k delete");
    }
    desk.paste("[1]")
        .expect("! the body of a search is a JSON object");
    desk.keys("f5").expect("! not sent");
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
        .expect("c  the call as curl; <removed> stands for a secret")
        .expect("b  the request's body; <removed> stands for a secret");
    desk.keys("c");
    let (what, text) = copied(&desk);
    assert!(what.contains("<removed> stands for a secret"), "{what}");
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
    desk.keys("esc g y b")
        .expect("Not copied: the call has no body");
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
    let archive: serde_json::Value = serde_json::from_str(content).unwrap();
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
fn the_mouse_selects_and_opens_calls() {
    let mut desk = desk(vec![search(1.0, BODY, "{}"), unanswered(2.0)]);
    desk.click("12:00:01");
    assert!(selected(&desk).contains("12:00:01"));
    desk.click("12:00:01").expect("Request 1: search offers");
    desk.keys("esc").click("every call of this run");
    desk.type_text("groups").expect("1/1 of 2 requests");
}

#[test]
fn help_and_palette_know_the_pane() {
    let mut desk = desk(vec![search(1.0, BODY, "{}")]);
    desk.expect("r resend").expect("f edit");
    desk.keys("?").expect("Requests").expect("send-again");
    desk.keys("esc :").type_text("send-again").keys("enter");
    assert_eq!(desk.calls.len(), 1);
    assert_eq!(desk.model.pane, Pane::Requests);
    desk.keys("tab").expect("All 3 ");
}

#[test]
fn every_size_has_room_for_every_view() {
    let long = format!(r#"{{"limit":5,"x":"{}"}}"#, "0123456789 é漢".repeat(60));
    for (columns, rows) in [
        (40, 10),
        (41, 11),
        (80, 24),
        (129, 10),
        (130, 10),
        (300, 80),
    ] {
        let mut desk = desk(vec![search(1.0, &long, &long), unanswered(-90_000.0)]);
        desk.resize(columns, rows);
        desk.keys("/").type_text("offers").keys("enter");
        desk.keys("enter").expect("Request 1");
        desk.keys("/");
        desk.type_text(&"0123456789".repeat(30)).expect("not in it");
        desk.keys("ctrl-u")
            .type_text("6789 é漢0123")
            .expect("match 1 of 118");
        desk.keys("up").expect("match 118 of 118");
        desk.keys("enter f pgdn end").type_text("x").keys("ctrl-s");
        desk.expect("! not sent");
        desk.keys("esc y esc e esc esc esc esc");
        assert!(desk.model.overlays.is_empty());
    }
}
