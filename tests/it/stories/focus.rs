//! A window that nobody looks at: nothing moves in it, and the market is still watched.

use bourse::core::Message;

use crate::test_app::TestApp;

const OFFERS: &str = r#"{"offers": [{"id": 101, "gpu_name": "RTX 4090", "dph_total": 0.41}]}"#;

/// Seconds until the dashboard wants to be woken.
fn sleeps(desk: &TestApp) -> Option<f64> {
    let due = desk.model.deadline(desk.now)?;
    Some(due - desk.now.mono)
}

#[test]
fn ages_and_spinners_stand_still_while_the_window_has_no_focus() {
    let mut desk = TestApp::with_offers(OFFERS);
    desk.wait(10.0);
    assert_eq!(sleeps(&desk), Some(5.0), "the age counts");
    desk.keys("r");
    assert_eq!(sleeps(&desk), Some(0.25), "the spinner turns");
    desk.send(Message::Focus(false));
    assert_eq!(sleeps(&desk), None);
    desk.send(Message::Focus(true));
    assert_eq!(sleeps(&desk), Some(0.25));
}

#[test]
fn a_watched_search_is_refreshed_without_the_focus() {
    let mut desk = TestApp::with_offers(OFFERS);
    desk.keys("w");
    desk.send(Message::Focus(false));
    desk.wait(10.0);
    assert_eq!(desk.calls.len(), 0);
    let left = sleeps(&desk).unwrap();
    assert!((0.0..=20.0).contains(&left), "{left}");
    desk.wait(21.0);
    assert_eq!(desk.calls.len(), 1);
}

#[test]
fn an_idle_dashboard_does_not_wake_for_hours() {
    let mut desk = TestApp::with_offers(OFFERS);
    desk.wait(10.0);
    desk.send(Message::Focus(false));
    for _ in 0..3 * 3600 {
        desk.now.mono += 1.0;
        desk.now.epoch += 1.0;
        assert_eq!(sleeps(&desk), None, "at {:?}", desk.now.mono);
    }
}
