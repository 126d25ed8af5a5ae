//! Watching a search, key by key.

use bourse::api::{ApiError, ErrorBody};

use crate::test_app::{THREE, TestApp};

/// THREE later: 101 costs 0.35 in place of 0.41, 102 costs 17.00 in place of 16.02, 103 is gone, 104
/// is new.
fn later() -> String {
    THREE
        .replace("\"dph_total\":0.41", "\"dph_total\":0.35")
        .replace("\"dph_total\":16.02", "\"dph_total\":17.00")
        .replace("\"id\":103", "\"id\":104")
}

#[test]
fn a_watched_search_is_asked_again_and_what_changed_is_marked() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("w")
        .expect("Auto-refresh every 30 s (w turns it off)");
    desk.wait(10.0).expect("next refresh in 20 s");
    assert!(desk.calls.is_empty());
    desk.wait(20.0);
    assert_eq!(desk.calls.len(), 1, "half a minute is over");
    desk.expect("0.4100"); // what is here stays until the answer comes
    desk.answer(&later());
    desk.expect("+ 1 new, 1 gone, ▼ 1 cheaper, ▲ 1 more expensive · next refresh in 30 s");
    desk.expect("▼0.0600 0.3500").expect("▲0.9800 17.0000");
    assert!(desk.row("104").contains('+'), "{}", desk.screen());
    // Compared with the beginning, not with the answer before: what went back is no change.
    desk.wait(30.0).answer(THREE);
    desk.expect("+ 0 new, 0 gone, ▼ 0 cheaper, ▲ 0 more expensive")
        .expect_not("▼0.0600");
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
    desk.expect("1 cheaper");
    desk.keys("/").type_text(" num_gpus>=1").keys("enter");
    desk.answer(THREE);
    desk.expect_not("cheaper")
        .expect("Auto-refresh: next refresh in 30 s");
    // Offers that are not bundled are other rows.
    desk.wait(30.0).answer(&later()).expect("1 cheaper");
    desk.model.browsers[bourse::domain::Resource::Offers]
        .query
        .unbundled = true;
    desk.wait(30.0).answer(THREE).expect_not("cheaper");
}

#[test]
fn a_cut_answer_says_that_rows_may_only_be_out_of_it() {
    let mut desk = TestApp::new();
    desk.model.browsers[bourse::domain::Resource::Offers]
        .query
        .limit = Some(3);
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
