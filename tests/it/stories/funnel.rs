//! The funnel: what each filter removes, and what a looser one brings.

use bourse::api::ApiError;
use bourse::domain::OfferType;

use crate::stories::insights::{MARKET, wide};
use crate::test_app::TestApp;

/// What a line says behind the name of a filter, its bar left out.
#[track_caller]
fn behind(desk: &TestApp, name: &str) -> Vec<String> {
    let screen = desk.screen();
    let line = screen.lines().find(|line| line.contains(name));
    let line = line.unwrap_or_else(|| panic!("no {name:?}:\n{screen}"));
    let behind = line.split(name).nth(1).unwrap();
    let words = behind.split_whitespace();
    words
        .filter(|word| !word.contains(['▆', '│', '┃']))
        .map(str::to_owned)
        .collect()
}

#[test]
fn it_tells_what_each_filter_removes_and_loosens_one() {
    let mut desk = wide();
    desk.keys("/")
        .type_text("gpu_name=RTX_4090 num_gpus>=8")
        .keys("enter")
        .answer(r#"{"offers":[]}"#);
    desk.expect("No offers");
    desk.keys("F").expect("Loading offers without filters…");
    assert_eq!(desk.calls.len(), 1);
    let sent = desk.asked_query().clone();
    assert!(sent.conditions.is_empty());
    assert_eq!(sent.offer_type, OfferType::OnDemand);
    desk.answer(MARKET).expect("0 of 5 offers match");
    desk.expect("all 5 offers");
    // num_gpus>=8 takes 101, 102, 103 and 105; 101 and 102 would come back. gpu_name takes 103,
    // 104 and 105; only 104 would come back. The nearest bound that brings one back is 2.
    assert_eq!(
        behind(&desk, "▌ num_gpus>=8"),
        ["−4", "+2", "num_gpus>=2", "would", "bring", "1"]
    );
    assert_eq!(behind(&desk, "  gpu_name=RTX_4090"), ["−3", "+1"]);
    assert_eq!(behind(&desk, "  verified=true"), ["0", "0"]);
    desk.expect("removes num_gpus>=8: 2 rows come back")
        .expect("loosens it to num_gpus>=2: 1 row comes back");
    desk.keys("l");
    assert_eq!(
        desk.asked_text(),
        "verified=true rentable=true rented=false gpu_name=RTX_4090 num_gpus>=2"
    );
}

#[test]
fn filters_that_only_together_remove_all_rows_are_named_together() {
    let mut desk = wide();
    desk.keys("/").type_text("gpu_name=H200 num_gpus>=16").keys("enter");
    desk.answer(r#"{"offers":[]}"#).keys("F").answer(MARKET);
    // Every row fails both.
    assert_eq!(
        behind(&desk, "▌ gpu_name=H200"),
        ["−5", "0", "+5", "without", "num_gpus>=16", "too"]
    );
    desk.expect("removes gpu_name=H200: no row comes back; without num_gpus>=16 as well, 5 rows");
    // The first one goes; then the second can be loosened.
    desk.keys("enter").answer(r#"{"offers":[]}"#).keys("F").answer(MARKET);
    desk.expect("removes num_gpus>=16: 5 rows come back");
}

#[test]
fn enter_removes_the_filter() {
    let mut desk = wide();
    desk.keys("/").type_text("gpu_name=H200").keys("enter");
    desk.answer(r#"{"offers":[]}"#).keys("F").answer(MARKET);
    assert_eq!(behind(&desk, "▌ gpu_name=H200"), ["−5", "+5"]);
    // What is not a bound cannot be loosened.
    desk.keys("l").expect("Only a bound");
    assert!(desk.calls.is_empty());
    desk.keys("enter");
    assert_eq!(desk.asked_text(), "verified=true rentable=true rented=false");
}

#[test]
fn closing_stops_the_request_and_a_failure_can_be_retried() {
    let mut desk = wide();
    desk.keys("F");
    assert_eq!(desk.calls.len(), 1);
    desk.keys("esc");
    assert!(desk.calls.is_empty());
    desk.selects("101");
    desk.keys("F").fail(ApiError::Lost);
    desk.expect("connection lost before the response").expect("r to retry");
    desk.keys("r").answer(MARKET).expect("5 of 5 offers match");
    desk.keys("q").selects("101");
}

#[test]
fn what_no_row_reports_is_not_judged() {
    let mut desk = wide();
    desk.keys("/").type_text("gpu_max_temp<80").keys("enter");
    desk.answer(r#"{"offers":[]}"#).keys("F").answer(MARKET);
    desk.expect("not reported by any row");
}

#[test]
fn it_is_drawn_at_every_size() {
    let mut desk = wide();
    desk.keys("F");
    for answered in [false, true] {
        if answered {
            desk.answer(MARKET);
        }
        for (columns, rows) in [(40, 10), (80, 24), (120, 40), (200, 60), (300, 80)] {
            desk.resize(columns, rows).expect("Funnel");
        }
    }
}
