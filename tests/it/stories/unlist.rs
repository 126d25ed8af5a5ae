//! Unlisting a volume, key by key, against the pure core and the screens.

use std::time::Duration;

use bourse::api::{ApiError, ErrorBody, Reply, Request};
use bourse::core::message::{Effect, Message};
use bourse::core::sandbox::UserListing;
use bourse::domain::journal::{Entry, Intent, Outcome, Verdict, WriteKind};
use bourse::domain::time::UnixTime;
use bourse::domain::{Resource, Untrusted};
use bourse::table::remote::Ticket;

use crate::test_app::{START, THREE, TestApp};

/// Two volumes, written by hand.
pub const TWO: &str = r#"{"success":true,"offers":[
 {"ask_contract_id":4001,"disk_space":2000.0,"storage_cost":0.1,"storage_cost_total":0.0014,"geolocation":"Texas, US",
  "inet_up":800.0,"inet_down":900.0,"reliability2":0.99,"verified":true,"nw_disk_min_bw":500,"nw_disk_avg_bw":800,
  "nw_disk_max_bw":1000,"start_date":1795000000.0,"end_date":1797000000.0,"cluster_id":7},
 {"ask_contract_id":4002,"disk_space":9000.0,"storage_cost":0.05,"storage_total_cost":0.0007,"geolocation":"Iceland, IS",
  "inet_up":80.0,"inet_down":90.0,"reliability2":0.97,"verified":true,"nw_disk_min_bw":50,"nw_disk_avg_bw":80,
  "nw_disk_max_bw":100,"start_date":1795000000.0,"end_date":1796000000.0,"cluster_id":8}]}"#;

/// A desk in the Volumes pane with two volumes.
pub fn at_volumes() -> TestApp {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("2").answer(TWO).expect("All 2 ");
    desk
}

/// The dialog with the id 7311 typed twice and confirmed.
fn sent() -> TestApp {
    let mut desk = at_volumes();
    unlist(&mut desk, "7311");
    desk
}

fn unlist(desk: &mut TestApp, id: &str) {
    desk.keys("u").type_text(id).keys("enter").type_text(id).keys("enter");
}

fn unlisted(desk: &mut TestApp, msg: &str) {
    let (ticket, _) = desk.calls.remove(0);
    let msg = Untrusted::from(msg);
    desk.reply(ticket, Ok(Reply::Unlisted { msg }));
    desk.answer(TWO); // the table is refreshed
}

/// A server's refusal with a message.
pub fn said(message: &str) -> ErrorBody {
    ErrorBody::Words {
        code: None,
        message: Some(Untrusted::from(message)),
    }
}

/// The text of the screen without line breaks and frames, so that wrapped sentences can be found;
/// that of the lowest panel first, which lies over the others.
pub fn flat(desk: &TestApp) -> String {
    let screen = desk.screen();
    let lines: Vec<Vec<char>> = screen.lines().map(|line| line.chars().collect()).collect();
    let corner = |line: &Vec<char>| {
        let left = line.iter().rposition(|sign| matches!(sign, '╭' | '┏' | '┌'))?;
        let right = line[left..].iter().position(|sign| matches!(sign, '╮' | '┓' | '┐'))?;
        Some((left, left + right))
    };
    let top = lines.iter().rposition(|line| corner(line).is_some());
    let front = top.map_or_else(String::new, |top| {
        let (left, right) = corner(&lines[top]).unwrap();
        let inside = |line: &Vec<char>| line.iter().take(right).skip(left + 1).collect::<String>();
        lines[top..].iter().map(inside).collect::<Vec<_>>().join(" ")
    });
    format!("{front} {screen}")
        .replace(['│', '┃'], " ")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

#[track_caller]
pub fn says(desk: &TestApp, text: &str) {
    assert!(flat(desk).contains(text), "{text:?} is not in\n{}", desk.screen());
}

#[test]
fn the_id_is_typed_twice_sent_once_and_the_message_is_shown() {
    let mut desk = at_volumes();
    desk.keys("u").expect("Unlist a volume");
    says(&desk, "An offer id in the table is not a listing id");
    desk.expect_not("Listing id   4001"); // never filled in from a search
    desk.type_text("7311").keys("enter");
    assert!(desk.calls.is_empty());
    desk.expect("POST http://127.0.0.1:1/api/v0/volumes/unlist/")
        .expect(r#"{"id":7311}"#)
        .expect("with the key of profile test");
    desk.type_text("7311");
    assert!(desk.calls.is_empty());
    desk.keys("enter");
    assert_eq!(desk.asked(), &Request::UnlistVolume { id: 7311 });
    desk.expect("Unlisting volume listing 7311");
    unlisted(&mut desk, "Unlisted Volume 7311.");
    desk.expect("Volume listing 7311 unlisted.");
    desk.keys("esc")
        .expect_not("Unlist a volume")
        .expect("u unlist")
        .selects("4002");
}

#[test]
fn the_intent_goes_with_the_write() {
    let mut desk = at_volumes();
    desk.keys("u").type_text("7311").keys("enter").type_text("7311");
    let key = crossterm::event::KeyEvent::new(crossterm::event::KeyCode::Enter, crossterm::event::KeyModifiers::NONE);
    let effects = bourse::core::update(&mut desk.model, desk.now, Message::Key(key));
    let [Effect::Write { intent, .. }] = &effects[..] else {
        panic!("{effects:?}")
    };
    assert_eq!(intent.kind, WriteKind::UnlistVolume);
    assert_eq!(intent.subject, "7311");
    assert_eq!((intent.profile.as_str(), intent.at), ("test", START));
}

#[test]
fn a_double_enter_a_held_key_or_a_resize_sends_nothing_twice() {
    let mut desk = at_volumes();
    desk.keys("u")
        .type_text("7311")
        .keys("enter enter enter") // on an empty second line
        .type_text("7311");
    assert!(desk.calls.is_empty());
    desk.keys("enter enter enter").resize(60, 20).keys("enter");
    assert_eq!(desk.calls.len(), 1);
    unlisted(&mut desk, "Unlisted Volume 7311.");
    desk.wait(60.0).expect("Volume listing 7311 unlisted.");
    desk.keys("enter").expect_not("Unlist a volume"); // Enter closes an outcome
    desk.keys("esc enter esc");
    assert!(desk.calls.is_empty());
}

#[test]
fn another_second_id_is_refused_and_the_dialog_stays() {
    let mut desk = at_volumes();
    desk.keys("u")
        .type_text("7311")
        .keys("enter")
        .type_text("7312")
        .keys("enter");
    assert!(desk.calls.is_empty());
    says(&desk, "That is not 7311: nothing was sent.");
    desk.keys("backspace").expect_not("That is not 7311");
    desk.type_text("1").keys("enter");
    assert_eq!(desk.asked(), &Request::UnlistVolume { id: 7311 });
}

#[test]
fn escape_goes_one_step_back_and_the_first_line_is_kept() {
    let mut desk = at_volumes();
    desk.keys("u")
        .type_text("7311")
        .keys("enter")
        .type_text("73")
        .keys("esc");
    desk.expect("Listing id   7311");
    desk.type_text("9").keys("enter").expect(r#"{"id":73119}"#);
    desk.keys("esc esc").expect_not("Unlist a volume");
    assert!(desk.calls.is_empty());
    desk.keys("u").expect_not("73119"); // never prefilled
}

#[test]
fn what_is_no_id_is_not_taken() {
    for (typed, words) in [
        ("", "Type the listing id first."),
        ("-4", "whole number"),
        ("+4", "whole number"),
        ("4.0", "whole number"),
        ("4 1", "whole number"),
        ("99999999999999999999", "whole number"),
        ("x", "whole number"),
    ] {
        let mut desk = at_volumes();
        desk.keys("u").type_text(typed).keys("enter");
        says(&desk, words);
        desk.expect_not("Type the id again");
    }
}

#[test]
fn pasted_text_is_refused_with_a_message() {
    let mut desk = at_volumes();
    desk.keys("u").paste("7311\n7311\n");
    says(&desk, "Can't paste here: type it.");
    desk.expect_not("7311");
    desk.type_text("7311").keys("enter").paste("7311");
    says(&desk, "Can't paste here: type it.");
    desk.keys("enter");
    assert!(desk.calls.is_empty());
}

#[test]
fn an_id_that_is_an_offer_in_the_table_is_pointed_out() {
    let mut desk = at_volumes();
    desk.keys("u").type_text("4002").keys("enter");
    says(&desk, "4002 is an offer id in the table");
    desk.keys("esc").type_text("7").keys("enter");
    desk.expect_not("is an offer id in the table");
}

#[test]
fn five_seconds_are_kept_and_only_enter_sends() {
    let mut desk = sent();
    desk.wait(0.25); // parts of seconds that floats hold exactly
    unlisted(&mut desk, "Unlisted Volume 7311.");
    desk.keys("u").expect_not("7311\u{20}\u{20}>");
    desk.wait(1.0);
    desk.type_text("7312").keys("enter").type_text("7312").keys("enter");
    assert!(desk.calls.is_empty());
    says(
        &desk,
        "can be sent in 4 s. Nothing is sent by itself: press Enter then.",
    );
    desk.wait(1.0);
    says(&desk, "can be sent in 3 s");
    desk.keys("enter enter");
    assert!(desk.calls.is_empty());
    desk.wait(2.875);
    says(&desk, "can be sent in 1 s");
    desk.wait(0.125);
    says(&desk, "Ready: press Enter to send.");
    desk.wait(30.0);
    assert!(desk.calls.is_empty(), "never by itself");
    desk.keys("enter");
    assert_eq!(desk.asked(), &Request::UnlistVolume { id: 7312 });
}

#[test]
fn the_screen_wakes_for_every_second_of_the_countdown() {
    let mut desk = sent();
    unlisted(&mut desk, "ok");
    desk.keys("u").expect("next unlist in 5 s");
    for second in [4, 3, 2, 1] {
        let wake = desk.model.deadline(desk.now).unwrap();
        assert!(wake - desk.now.mono <= 1.03, "{wake:?}");
        let pause = wake - desk.now.mono;
        desk.wait(pause).expect(&format!("next unlist in {second} s"));
    }
}

#[test]
fn a_429_is_told_in_words_and_counted_down() {
    let mut desk = sent();
    desk.fail(ApiError::RateLimited {
        threshold: Some(8.0),
        retry_after: None,
        said: said("API requests too frequent endpoint threshold=8.0"),
    });
    says(&desk, "Volume listing 7311 not unlisted:");
    says(&desk, "API requests too frequent endpoint threshold=8.0");
    says(&desk, "Rate limit: next unlist in 9 s."); // 8.0 x 1.1
    desk.keys("u").type_text("7311").keys("enter").type_text("7311");
    desk.wait(8.0).keys("enter");
    assert!(desk.calls.is_empty());
    desk.wait(0.81).keys("enter");
    assert_eq!(desk.calls.len(), 1);
}

#[test]
fn retry_after_is_counted_down_too() {
    let mut desk = sent();
    desk.fail(ApiError::RateLimited {
        threshold: None,
        retry_after: Some(Duration::from_secs(30)),
        said: ErrorBody::Nothing,
    });
    says(&desk, "Rate limit: next unlist in 30 s.");
    // Only the documented pause stays when learned limits are forgotten.
    desk.keys("esc :")
        .type_text("forget-limits")
        .keys("enter")
        .expect("Learned rate limits forgotten");
    desk.keys("u");
    says(&desk, "next unlist in 5 s");
}

#[test]
fn refusals_are_told_in_words() {
    for (error, words) in [
        (
            ApiError::Refused {
                status: 401,
                said: said("Invalid user key"),
            },
            "API key rejected (status 401): Invalid user key",
        ),
        (
            ApiError::Failure {
                said: said("Volume 7311 is rented"),
            },
            "the request failed: Volume 7311 is rented",
        ),
        (
            ApiError::Failure {
                said: ErrorBody::Nothing,
            },
            "the request failed",
        ),
        (
            ApiError::Invalid {
                status: 400,
                said: said("no such listing"),
            },
            "no such listing",
        ),
    ] {
        let mut desk = sent();
        desk.fail(error);
        says(&desk, "Volume listing 7311 not unlisted:");
        says(&desk, words);
        says(&desk, "Nothing changed on the market.");
        desk.expect("refused");
    }
}

#[test]
fn an_unknown_outcome_says_so_and_is_never_sent_again() {
    for error in [
        ApiError::Lost,
        ApiError::TimedOut {
            after: Duration::from_secs(30),
        },
        ApiError::Server {
            status: 502,
            said: ErrorBody::Nothing,
        },
        ApiError::Empty { status: 200 },
    ] {
        let mut desk = sent();
        desk.fail(error);
        says(
            &desk,
            "Outcome unknown: volume listing 7311 may or may not be unlisted:",
        );
        says(&desk, "It is not sent again.");
        desk.expect("UNKNOWN").expect_not("try again");
        desk.wait(600.0).keys("enter");
        assert!(desk.calls.is_empty());
    }
}

#[test]
fn leaving_the_dialog_does_not_lose_the_outcome() {
    let mut desk = sent();
    desk.keys("esc").expect_not("Unlist a volume");
    desk.expect("unlisting 7311");
    desk.keys("r 1 2 r"); // neither a refresh nor other panes abort it
    assert_eq!(
        desk.calls
            .iter()
            .filter(|(_, call)| matches!(call, Request::UnlistVolume { .. }))
            .count(),
        1
    );
    let place = desk
        .calls
        .iter()
        .position(|(_, call)| matches!(call, Request::UnlistVolume { .. }))
        .unwrap();
    let (ticket, _) = desk.calls.remove(place);
    let msg = Untrusted::from("Unlisted Volume 7311.");
    desk.reply(ticket, Ok(Reply::Unlisted { msg }));
    assert!(is_volumes(&desk.calls.last().unwrap().1));
    desk.expect("Volume listing 7311 unlisted.");
    desk.keys("u").expect("History (UTC)").expect("done");
}

#[test]
fn an_unknown_outcome_stays_on_the_screen_for_who_has_left_the_dialog() {
    let mut desk = sent();
    desk.keys("esc").fail(ApiError::Lost).wait(60.0);
    says(&desk, "volume listing 7311 may or may not be unlisted");
    desk.keys("esc").expect_not("may or may not");
}

#[test]
fn while_one_is_under_way_the_dialog_shows_it_and_takes_no_other() {
    let mut desk = sent();
    desk.keys("esc").wait(3.0).keys("u");
    desk.expect("Unlisting volume listing 7311 … 3 s");
    desk.keys("u enter").type_text("9");
    assert_eq!(desk.calls.len(), 1);
    unlisted(&mut desk, "Unlisted Volume 7311.");
    desk.expect("7311 unlisted.");
}

#[test]
fn an_answer_to_another_ticket_is_not_taken() {
    let mut desk = sent();
    desk.reply(Ticket(9_999), Err(ApiError::Lost));
    desk.expect("Unlisting volume listing 7311");
}

#[test]
fn read_only_and_other_panes_say_why_not() {
    let mut desk = at_volumes();
    desk.model.profile.read_only = true;
    desk.keys("u").expect_not("Listing id");
    says(&desk, "this profile is read-only");
    desk.keys(":").type_text("unlist").expect("read-only");
    let mut desk = at_volumes();
    desk.keys("1 u").expect_not("u unlist");
    says(&desk, "Only on Volumes (2)");
}

/// A write of an earlier run that never had an outcome.
fn open_intent(at: UnixTime) -> Entry {
    Entry {
        intent: Intent {
            key: "x".to_owned(),
            at,
            profile: "test".to_owned(),
            address: "http://127.0.0.1:1".to_owned(),
            kind: WriteKind::UnlistVolume,
            subject: "555".to_owned(),
            group: None,
            over_limit: None,
        },
        outcome: None,
    }
}

#[test]
fn an_open_intent_of_an_earlier_run_is_an_unknown_outcome() {
    let mut desk = at_volumes();
    desk.model.mutations.history = vec![open_intent(START - 86_400.0)];
    desk.keys("u");
    desk.expect("2026-11-19 12:00  555         UNKNOWN    no response seen");
    assert_eq!(desk.model.mutations.history[0].verdict(), Verdict::Unknown);
    desk.expect_not("next unlist in");
}

#[test]
fn the_pause_holds_over_a_restart() {
    let mut desk = at_volumes();
    desk.model.mutations.history = vec![open_intent(START - 2.0)];
    desk.keys("u");
    desk.expect("next unlist in 3 s");
    desk.model.mutations.history = vec![open_intent(START + 2.0)]; // the clock was turned back
    desk.keys("x").expect_not("next unlist in");
}

#[test]
fn hostile_words_of_the_market_are_shown_and_do_nothing() {
    let mut desk = sent();
    unlisted(&mut desk, "gone\u{1b}]52;c;eA==\u{7}\u{202e}");
    desk.expect("gone<U+001B>]52;c;eA==<U+0007><U+202E>");
}

#[test]
fn on_the_smallest_screen_the_lines_that_matter_stay() {
    let mut desk = at_volumes();
    for entry in 0..20 {
        let old = open_intent(START - 86_400.0 - f64::from(entry));
        desk.model.mutations.history.push(old);
    }
    desk.resize(40, 10)
        .keys("u")
        .type_text("7311")
        .expect("Listing id   7311");
    desk.keys("enter")
        .expect(r#"{"id":7311}"#)
        .expect("POST /api/v0/volumes/unlist/")
        .expect("Type the id again");
    desk.type_text("73119").keys("enter");
    says(&desk, "That is not 7311: nothing was sent.");
    desk.keys("backspace enter").fail(ApiError::Lost);
    says(&desk, "Outcome unknown");
    says(&desk, "connection lost");
}

fn is_volumes(request: &Request) -> bool {
    matches!(request, Request::Search(query) if query.resource == Resource::Volumes)
}

#[test]
fn the_table_is_refreshed_after_an_unlist_and_only_then() {
    let mut desk = sent();
    let (ticket, _) = desk.calls.remove(0);
    let msg = Untrusted::from("Unlisted Volume 7311.");
    desk.reply(ticket, Ok(Reply::Unlisted { msg }));
    assert_eq!(desk.calls.len(), 1);
    assert!(is_volumes(desk.asked()));
    says(&desk, "Refreshing the list.");
    let mut desk = sent();
    desk.fail(ApiError::Refused {
        status: 401,
        said: said("Invalid user key"),
    });
    assert!(desk.calls.is_empty());
}

/// A write of an earlier run that ended so.
fn ended(id: &str, verdict: Verdict) -> Entry {
    let mut entry = open_intent(START - 86_400.0);
    entry.intent.subject = id.to_owned();
    entry.outcome = Some(Outcome {
        key: "x".to_owned(),
        at: START - 86_399.0,
        verdict,
        words: "ok".to_owned(),
    });
    entry
}

#[test]
fn tab_completes_ids_that_were_unlisted_before_and_no_others() {
    let mut desk = at_volumes();
    desk.model.mutations.history = vec![
        ended("7311", Verdict::Done),
        ended("7402", Verdict::Unknown),
        ended("7555", Verdict::Refused), // perhaps never a listing
    ];
    desk.keys("u").expect("Tab: 7402, 7311").expect_not("7555,");
    desk.keys("tab").expect("Listing id   7402");
    desk.keys("tab").expect("Listing id   7311");
    desk.keys("tab").expect("Listing id   7402");
    desk.keys("ctrl-u")
        .type_text("73")
        .keys("tab")
        .expect("Listing id   7311");
    // The ids in the table are offers: nothing completes them.
    desk.keys("ctrl-u")
        .type_text("40")
        .keys("tab")
        .expect("Listing id   40 ");
    desk.keys("ctrl-u tab enter").expect("Type the id again");
    // The second line is the confirmation.
    desk.keys("tab");
    says(&desk, "Type the id again: that is the confirmation.");
    desk.keys("enter");
    assert!(desk.calls.is_empty());
}

#[test]
fn the_dialog_is_framed_as_what_cannot_be_undone() {
    let mut desk = at_volumes();
    desk.keys("u").expect("┏ ! Unlist a volume ━");
}

/// The Volumes pane of a sandbox in which 4002 is the person's own listing.
fn in_sandbox() -> TestApp {
    let mut desk = at_volumes();
    desk.model.profile.is_sandbox = true;
    desk.model.sandbox.listings = vec![UserListing {
        id: 4002,
        rented: false,
    }];
    desk
}

#[test]
fn in_the_sandbox_a_button_confirms_and_cancel_comes_first() {
    let mut desk = in_sandbox();
    desk.keys("u");
    desk.expect("Listing id   4002");
    desk.keys("enter");
    desk.expect(r#"{"id":4002}"#).expect("[ Cancel ]  [ Unlist ]");
    desk.keys("enter").expect("Listing id");
    assert!(desk.calls.is_empty(), "Enter presses Cancel");
    desk.keys("enter right enter");
    assert_eq!(desk.asked(), &Request::UnlistVolume { id: 4002 });
}

#[test]
fn the_buttons_can_be_clicked() {
    let mut desk = in_sandbox();
    desk.keys("u enter").click("[ Unlist ]");
    assert_eq!(desk.asked(), &Request::UnlistVolume { id: 4002 });
}

#[test]
fn the_person_s_listings_are_marked_in_the_sandbox() {
    let mut desk = in_sandbox();
    desk.keys("1 2");
    assert!(desk.row("4002").contains('@'), "{}", desk.screen());
    assert!(!desk.row("4001").contains('@'));
    // A listing that is too small for the term shows both signs.
    desk.keys("J ctrl-u").type_text("12000").keys("enter");
    assert!(desk.row("4002").contains("!@"), "{}", desk.screen());
    assert!(desk.row("4001").contains("! "), "{}", desk.screen());
}

/// Only the sandbox reports whose listings are whose: there, others' cannot be unlisted.
#[test]
fn the_footer_offers_to_unlist_the_user_s_own_volumes_where_they_are_known() {
    let mut desk = at_volumes();
    desk.expect("u unlist");
    desk.model.profile.is_sandbox = true;
    desk.wait(0.0).expect_not("u unlist");
    desk.keys("enter").expect_not("u unlist");
    desk.keys("esc");
    let selected = desk.model.browser().unwrap().selected().unwrap();
    desk.model.sandbox.listings = vec![UserListing {
        id: u64::try_from(selected.0).unwrap(),
        rented: false,
    }];
    desk.wait(0.0).expect("u unlist");
    desk.keys("enter").expect("u unlist");
}
