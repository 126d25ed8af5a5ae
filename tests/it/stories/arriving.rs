//! A large response: its first rows are there before the others, and nothing is done with them.

use bourse::core::message::News;
use bourse::table::remote::Progress;
use std::sync::Arc;

use bourse::api::{ApiError, Received};
use bourse::domain::{Listing, OFFERS};

use crate::test_app::{THREE, TestApp};

/// Tells the desk that part of the response to its oldest request is there.
fn arrives(desk: &mut TestApp, bytes: usize, rows: usize, first: Option<&str>) {
    let ticket = desk.calls[0].0;
    let listing = |json: &str| Listing::read(&OFFERS, json, desk.now.epoch).unwrap();
    let first = first.map(|json| Arc::new(listing(json)));
    let received = Received { bytes, rows, first };
    desk.tell(ticket, News::Progress(Progress::Received(received)));
    desk.wait(0.1);
}

#[test]
fn first_rows_are_shown_while_the_others_arrive_and_give_way_to_all() {
    let mut desk = TestApp::new();
    arrives(&mut desk, 270_000, 3, Some(THREE));
    desk.expect("H100 SXM")
        .expect("First 3, loading: 3 rows, 270.0 kB")
        .expect("loading 0 s, 270.0 kB")
        .expect_not("All 3");
    arrives(&mut desk, 35_200_000, 12_345, None);
    desk.expect("H100 SXM").expect("First 3, loading: 12,345 rows, 35.2 MB");
    // Nothing is selected, so there is nothing to open, mark or export.
    assert_eq!(desk.model.browser().unwrap().selected(), None);
    assert!(desk.model.browser().unwrap().listing().is_none());
    desk.keys("enter space").expect("First 3, loading");
    assert!(desk.model.browser().unwrap().marks.is_empty());
    let only = r#"{"offers":[{"id":7,"gpu_name":"A100 PCIE","dph_total":1.5}]}"#;
    desk.answer(only);
    desk.expect("A100 PCIE")
        .expect("All 1 offer")
        .expect_not("H100 SXM")
        .expect_not("First 3");
}

#[test]
fn a_response_that_breaks_off_leaves_none_of_its_rows() {
    let mut desk = TestApp::new();
    arrives(&mut desk, 270_000, 3, Some(THREE));
    desk.fail(ApiError::Cut {
        bytes: 270_000,
        records: None,
    });
    desk.expect("Can't load offers").expect_not("H100 SXM");
}

#[test]
fn rows_that_are_there_stay_until_all_of_the_next_ones_are() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("r");
    let other = r#"{"offers":[{"id":7,"gpu_name":"A100 PCIE"}]}"#;
    arrives(&mut desk, 1_500_000, 500, Some(other));
    desk.selects("101")
        .expect("refreshing 0 s, 1.5 MB")
        .expect_not("A100 PCIE");
}

#[test]
fn an_attempt_that_failed_takes_its_rows_along() {
    let mut desk = TestApp::new();
    arrives(&mut desk, 270_000, 3, Some(THREE));
    let ticket = desk.calls[0].0;
    desk.tell(
        ticket,
        News::Progress(Progress::Attempt {
            number: 2,
            waiting: None,
        }),
    );
    desk.wait(0.1).expect_not("H100 SXM").expect("retry 1");
}

#[test]
fn without_rows_the_amount_is_shown() {
    let mut desk = TestApp::new();
    arrives(&mut desk, 270_000, 0, None);
    desk.expect("Loading offers… 0 s").expect("0 rows, 270.0 kB");
}
