//! Responses of many rows are arranged while the dashboard goes on.

use bourse::domain::RowId;
use serde_json::json;

use crate::test_app::TestApp;

/// 6,000 offers; the one with the id 1 is the cheapest, and every third has an EPYC.
fn offers() -> String {
    let offer = |row: usize| {
        let cpu = if row.is_multiple_of(3) { "EPYC" } else { "Xeon" };
        json!({"id": row, "cpu_name": cpu, "dph_total": row, "score": row, "num_gpus": 1})
    };
    json!({ "offers": (1..=6000).map(offer).collect::<Vec<_>>() }).to_string()
}

/// A desk whose long response has come but is not arranged.
fn waiting() -> TestApp {
    let mut desk = TestApp::new();
    desk.holds_arrivals = true;
    desk.answer(&offers());
    assert_eq!(desk.arrivals.len(), 1);
    assert!(desk.model.browser().unwrap().listing().is_none());
    desk
}

#[test]
fn a_long_response_shows_once_it_is_arranged() {
    let mut desk = waiting();
    desk.arrange();
    desk.expect("6,000").selects("6000");
    assert!(desk.calls.is_empty());
}

#[test]
fn it_shows_as_a_short_one_does() {
    let mut desk = TestApp::new();
    desk.answer(&offers());
    let mut other = waiting();
    other.arrange();
    assert_eq!(desk.screen(), other.screen());
}

#[test]
fn words_and_orders_of_meanwhile_apply_to_it() {
    let mut desk = waiting();
    desk.keys("~ / space");
    desk.type_text("epyc");
    desk.arrange();
    let browser = desk.model.browser().unwrap();
    assert_eq!(browser.selected(), Some(RowId(3)));
    assert_eq!(browser.view().len(), 2000);
}

#[test]
fn a_cancelled_response_is_not_shown() {
    let mut desk = waiting();
    desk.keys("esc");
    desk.arrange();
    assert!(desk.model.browser().unwrap().listing().is_none());
}
