//! Watching a search, key by key.

use bourse::api::{ApiError, ErrorBody, Request};
use bourse::core::message::{Effect, Message};
use bourse::domain::Resource;

use crate::test_app::{THREE, TestApp};

/// THREE later: 101 costs 0.35 in place of 0.41, 102 costs 17.00 in place of 16.02, 103 is gone, 104
/// is new, on another machine.
fn later() -> String {
    THREE
        .replace("\"dph_total\":0.41", "\"dph_total\":0.35")
        .replace("\"dph_total\":16.02", "\"dph_total\":17.00")
        .replace("\"id\":103", "\"id\":104")
        .replace("\"machine_id\":9", "\"machine_id\":10")
}

#[test]
fn a_watched_search_is_asked_again_and_what_changed_is_marked() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("w").expect("Auto-refresh every 30 s (w turns it off)");
    desk.wait(10.0).expect("next refresh in 20 s");
    assert!(desk.calls.is_empty());
    desk.wait(20.0);
    assert_eq!(desk.calls.len(), 1, "half a minute is over");
    desk.expect("0.4100"); // what is here stays until the answer comes
    desk.answer(&later());
    desk.expect("+ 1 new, 1 gone, ▼ 1 cheaper, ▲ 1 more expensive · next refresh in 30 s");
    desk.expect("▼0.0600 0.3500").expect("▲0.9800 17.0000");
    assert!(desk.row("104").contains('+'), "{}", desk.screen());
    desk.calls.clear(); // the search for why 103 is gone
    // Compared with the beginning, not with the answer before: what went back is no change.
    desk.wait(30.0).answer(THREE);
    desk.expect("+ 0 new, 0 gone, ▼ 0 cheaper, ▲ 0 more expensive")
        .expect_not("▼0.0600");
    desk.calls.clear(); // the search for why 104 is gone
    desk.keys("w").expect("Auto-refresh off");
    desk.wait(120.0);
    assert!(desk.calls.is_empty());
    desk.expect_not("next refresh");
}

#[test]
fn watching_goes_on_over_failures_and_beside_what_is_typed() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("w").wait(30.0);
    desk.keys("/").type_text(" rtx").fail(ApiError::Lost);
    desk.expect(" rtx");
    desk.keys("esc");
    desk.wait(30.0).answer(&later());
    desk.expect("1 cheaper");
    // Another pane in sight does not end it.
    desk.keys("2");
    desk.calls.clear();
    desk.wait(30.0);
    assert_eq!(desk.calls.len(), 1);
}

#[test]
fn watching_holds_while_the_daily_quota_is_exceeded_and_after_a_refused_key() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("w").wait(30.0);
    desk.fail(ApiError::QuotaExceeded {
        // An hour after the failure.
        reset: Some("2026-11-20T13:00:30+00:00[UTC]".parse().unwrap()),
        said: ErrorBody::Nothing,
    });
    desk.expect("daily quota exceeded (status 429); it resets at 2026-11-20 13:00 UTC")
        .expect("Auto-refresh on hold: daily quota exceeded");
    desk.wait(1800.0).wait(1799.0);
    assert!(desk.calls.is_empty());
    desk.wait(31.0);
    assert_eq!(desk.calls.len(), 1, "the quota is a new one");
    desk.fail(ApiError::NotPermitted {
        said: ErrorBody::Nothing,
    });
    desk.wait(31.0).wait(31.0);
    assert!(desk.calls.is_empty());
    // The person may.
    desk.keys("r");
    assert_eq!(desk.calls.len(), 1);
}

#[test]
fn another_question_has_nothing_to_be_compared_with() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("w").wait(30.0).answer(&later());
    desk.calls.clear(); // the search for why 103 is gone
    desk.expect("1 cheaper");
    desk.keys("/").type_text(" num_gpus>=1").keys("enter");
    desk.answer(THREE);
    desk.expect_not("cheaper").expect("Auto-refresh: next refresh in 30 s");
    // Offers that are not bundled are other rows.
    desk.wait(30.0).answer(&later()).expect("1 cheaper");
    desk.calls.clear(); // the search for why 103 is gone
    desk.model.browsers[Resource::Offers].query.unbundled = true;
    desk.wait(30.0).answer(THREE).expect_not("cheaper");
}

#[test]
fn a_cut_answer_says_that_rows_may_only_be_out_of_it() {
    let mut desk = TestApp::new();
    desk.model.browsers[Resource::Offers].query.limit = Some(3);
    desk.calls.clear();
    desk.keys("r").answer(THREE);
    desk.keys("w").wait(30.0).answer(&later());
    desk.expect("1 new, 1 out,");
}

#[test]
fn groups_and_requests_are_not_watched() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("3 w").expect("Only on Offers and Volumes");
}

/// The text of a request for the machines of gone rows, as their ids.
fn machines_asked(desk: &TestApp) -> String {
    let Request::Search(query) = &desk.calls.last().expect("no search for a cause").1 else {
        panic!("{:?}", desk.calls);
    };
    assert_eq!(query.conditions.len(), 1, "without the person's conditions");
    bourse::domain::language::print(&query.conditions)
}

#[test]
fn another_id_and_another_split_are_neither_new_nor_gone() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("w").wait(30.0);
    // 103 is 203 at a lower price; 102 is split in half.
    let renumbered = THREE
        .replace("\"id\":103", "\"id\":203")
        .replace("\"dph_total\":0.31", "\"dph_total\":0.29")
        .replace("\"id\":102", "\"id\":202")
        .replace("\"num_gpus\":8", "\"num_gpus\":4");
    desk.answer(&renumbered);
    desk.expect("+ 0 new, 0 gone, ▼ 1 cheaper, ▲ 0 more expensive");
    desk.expect("▼0.0200 0.2900");
    assert!(desk.calls.is_empty(), "nothing is gone");
}

#[test]
fn one_search_tells_why_rows_are_gone() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("w").wait(30.0);
    let none = r#"{"offers":[]}"#;
    desk.answer(none).expect("3 gone");
    // The documented interface takes hosts only.
    assert_eq!(machines_asked(&desk), "host_id in [70,71,72]");
    // 7 is rented, 8 costs more than the search allows, 9 is not listed.
    let machines = THREE
        .replacen("\"rented\":false", "\"rented\":true", 1)
        .replace("\"machine_id\":9", "\"machine_id\":99");
    desk.answer(&machines);
    desk.expect("3 gone (1 rented, 1 left the search, 1 delisted)");
    // Once: the next refresh lacks them, too.
    desk.wait(30.0).answer(none);
    assert!(desk.calls.is_empty());
    desk.wait(30.0).answer(THREE).expect("0 gone,");
}

#[test]
fn gone_rows_whose_cause_is_not_known_are_counted_too() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("w").wait(30.0);
    let two = THREE
        .replace("\"id\":101", "\"id\":301")
        .replace("\"machine_id\":7", "\"machine_id\":77");
    desk.answer(&two).expect("1 gone");
    let rented = THREE.replacen("\"rented\":false", "\"rented\":true", 1);
    desk.answer(&rented).expect("1 gone (1 rented)");
    desk.wait(30.0).answer(r#"{"offers":[]}"#);
    desk.fail(ApiError::Lost);
    desk.expect("3 gone (1 rented, 2 not known)");
}

#[test]
fn slices_of_one_machine_are_counted_one_by_one() {
    let slices = r#"{"offers":[
        {"id":1,"machine_id":7,"host_id":70,"gpu_name":"RTX 4090","num_gpus":1,"dph_total":0.4},
        {"id":2,"machine_id":7,"host_id":70,"gpu_name":"RTX 4090","num_gpus":2,"dph_total":0.8}]}"#;
    let mut desk = TestApp::with_offers(slices);
    desk.keys("w").wait(30.0).answer(r#"{"offers":[]}"#);
    desk.expect("2 gone");
    desk.answer(r#"{"offers":[]}"#).expect("2 gone (2 delisted)");
}

#[test]
fn a_row_that_may_only_be_out_of_the_limit_needs_no_cause() {
    let mut desk = TestApp::new();
    desk.model.browsers[Resource::Offers].query.limit = Some(3);
    desk.calls.clear();
    desk.keys("r").answer(THREE);
    desk.keys("w").wait(30.0).answer(&later());
    assert!(desk.calls.is_empty());
}

#[test]
fn the_interval_and_the_baseline_are_chosen_in_a_form() {
    let mut desk = TestApp::with_offers(THREE);
    desk.resize(80, 24).keys("W").expect("Watch offers");
    desk.keys("ctrl-u").type_text("5s").keys("enter");
    desk.expect("Out of range: 10 to 86,400 s");
    desk.keys("ctrl-u").type_text("2m");
    desk.expect("0.5 requests a minute");
    desk.keys("enter");
    desk.expect("Auto-refresh every 2 min");
    desk.wait(119.0);
    assert!(desk.calls.is_empty());
    desk.wait(1.0).answer(&later());
    desk.calls.clear();
    desk.expect("1 cheaper");
    // Compared with the refresh before, nothing has changed.
    desk.wait(120.0).answer(&later());
    desk.expect("1 cheaper");
    desk.keys("W down left left enter").expect("Last refresh:");
    desk.expect("0 cheaper");
    desk.keys("W ctrl-x").expect("Auto-refresh off");
    desk.wait(300.0);
    assert!(desk.calls.is_empty());
}

#[test]
fn changes_since_you_looked_are_those_of_your_absence() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("W down left enter");
    desk.wait(30.0).answer(&later());
    desk.calls.clear();
    desk.expect("1 cheaper");
    desk.keys("j");
    desk.send(Message::Focus(false));
    for _ in 0..3 {
        desk.wait(30.0).answer(&later().replace("0.35", "0.33"));
    }
    desk.send(Message::Focus(true));
    desk.wait(0.0).expect("Since you looked").expect("▼0.0200 0.3300");
    desk.expect("+ 0 new, 0 gone, ▼ 1 cheaper, ▲ 0 more expensive");
}

#[test]
fn the_preview_says_what_the_price_was() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("w").wait(30.0).answer(&later());
    desk.calls.clear();
    desk.expect("was $0.410/h 30 seconds ago (−$0.06, −15%)");
}

#[test]
fn refusals_slow_a_watch_down_and_an_answer_ends_that() {
    let refused = || ApiError::RateLimited {
        threshold: None,
        retry_after: None,
        said: ErrorBody::Nothing,
    };
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("w").wait(30.0).fail(refused());
    desk.wait(59.0);
    assert!(desk.calls.is_empty(), "twice the interval");
    desk.wait(1.0).fail(refused());
    desk.wait(119.0);
    assert!(desk.calls.is_empty(), "four times");
    desk.expect("slower: too many requests");
    desk.wait(1.0).answer(THREE);
    desk.wait(30.0);
    assert_eq!(desk.calls.len(), 1);
}

#[test]
fn all_watched_searches_share_ten_requests_a_minute() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("W ctrl-u").type_text("10s").keys("enter");
    desk.keys("2").answer(r#"{"offers":[]}"#);
    desk.keys("W ctrl-u").type_text("10s").keys("enter");
    let mut sent = 0;
    for _ in 0..60 {
        desk.wait(1.0);
        while !desk.calls.is_empty() {
            sent += 1;
            desk.answer(r#"{"offers":[]}"#);
        }
    }
    assert_eq!(sent, 10, "two searches every 10 s would be 12");
}

#[test]
fn a_market_that_takes_machines_is_asked_for_those() {
    let mut desk = TestApp::speaking(&bourse::domain::Dialect::VAST);
    desk.answer(THREE).keys("w").wait(30.0);
    desk.answer(&later());
    assert_eq!(machines_asked(&desk), "machine_id in [9]");
}

/// A desk that lists what is gone below the table.
fn with_gone_rows(columns: u16, rows: u16) -> TestApp {
    watching_with_gone_rows(THREE, columns, rows)
}

fn watching_with_gone_rows(json: &str, columns: u16, rows: u16) -> TestApp {
    let mut desk = TestApp::with_offers(json);
    desk.resize(columns, rows);
    desk.keys("W").expect("Gone rows");
    desk.keys("down down right enter");
    desk
}

#[test]
fn gone_rows_are_listed_with_cause_last_price_and_time() {
    for (columns, rows) in [(80, 24), (120, 40), (200, 60)] {
        let mut desk = with_gone_rows(columns, rows);
        desk.wait(30.0).answer(&later());
        desk.answer(THREE); // its machine is on offer, so 103 left the search
        desk.expect("Gone at").expect("12:00:30");
        desk.expect("left the search");
        // 101 leaves at its last price, not at the one of the baseline.
        desk.wait(30.0).answer(r#"{"offers":[]}"#);
        let rented = later().replace("\"rented\":false", "\"rented\":true");
        desk.answer(&rented).expect("12:01:00").expect("rented");
        desk.expect("0.3500");
    }
}

#[test]
fn gone_rows_cannot_be_selected_marked_or_exported() {
    let mut desk = with_gone_rows(120, 40);
    desk.wait(30.0).answer(&later());
    desk.calls.clear(); // the search for why 103 is gone
    desk.expect("Gone at");
    desk.keys("G").selects("104");
    desk.keys("down").selects("104");
    desk.keys("home space space space");
    assert_eq!(desk.model.browsers[Resource::Offers].marks.len(), 3);
    // Counted only, they are not listed.
    desk.keys("W down down left enter").expect_not("Gone at");
    desk.expect("1 gone");
}

/// The ids in the CSV of the last export.
#[track_caller]
fn exported_ids(desk: &TestApp) -> Vec<String> {
    let Some(Effect::Export { content, .. }) = desk.effects.last() else {
        panic!("no export\n{}", desk.screen());
    };
    let content = content.text();
    let mut lines = content.lines();
    let header = lines.next().unwrap();
    let place = header.split(',').position(|name| name == "id").unwrap();
    lines
        .map(|line| line.split(',').nth(place).unwrap().to_owned())
        .collect()
}

#[test]
fn gone_rows_are_not_exported() {
    for (columns, rows) in [(80, 24), (200, 60)] {
        let mut desk = with_gone_rows(columns, rows);
        desk.wait(30.0).answer(&later());
        desk.calls.clear(); // the search for why 103 is gone
        desk.expect("Gone at").expect("103");
        desk.keys("e enter");
        let mut ids = exported_ids(&desk);
        ids.sort_unstable();
        assert_eq!(ids, ["101", "102", "104"]);
    }
}

#[test]
fn gone_rows_with_a_cause_are_listed_before_those_that_are_out_of_view() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("W down down right enter");
    // 103 is gone, and its machine too.
    desk.wait(30.0).answer(&later()).answer(r#"{"offers":[]}"#);
    desk.expect("delisted");
    // The others leave later, and why is not asked yet.
    desk.wait(30.0).answer(r#"{"offers":[]}"#);
    desk.calls.clear();
    let screen = desk.screen();
    let place = |text: &str| screen.find(text).unwrap_or_else(|| panic!("{text}\n{screen}"));
    assert!(place("delisted") < place("not known"), "{screen}");
}

#[test]
fn many_gone_rows_leave_the_table_its_room() {
    let third = THREE.rfind("{\"id\":103").unwrap();
    let third = THREE[third..].trim_end_matches("]}");
    let offer = |id: u32| {
        let own = third.replace("\"id\":103", &format!("\"id\":{id}"));
        own.replace("\"machine_id\":9", &format!("\"machine_id\":{id}"))
    };
    let many: Vec<String> = (200..221).map(offer).collect();
    let many = format!("{{\"offers\":[{}]}}", many.join(","));
    let mut desk = watching_with_gone_rows(&many, 80, 24);
    desk.wait(30.0).answer(THREE);
    desk.calls.clear(); // the search for the causes
    desk.expect("21 gone").expect("more (T shows the tape)");
    desk.expect("Offers").selects("101");
}

#[test]
fn behind_other_windows_for_an_hour_it_pauses_and_says_so() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("w");
    desk.send(Message::Focus(false));
    for _ in 0..119 {
        desk.wait(30.0).answer(THREE);
    }
    desk.calls.clear();
    desk.wait(61.0);
    desk.wait(30.0)
        .expect("paused: this terminal was not in front for an hour");
    desk.calls.clear();
    desk.wait(36_000.0);
    assert!(desk.calls.is_empty());
    desk.send(Message::Focus(true));
    desk.wait(0.0);
    assert_eq!(desk.calls.len(), 1, "it goes on at once");
    desk.answer(THREE).expect("next refresh in 30 s");
}
