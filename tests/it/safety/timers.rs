//! Timers: none sends a refused key again, and after a suspend the watched searches come back.

use bourse::api::{ApiError, ErrorBody};
use bourse::core::message::Message;
use bourse::domain::time::{MonotonicTime, Now, UnixTime};

use crate::test_app::{THREE, TestApp};

fn refused() -> ApiError {
    ApiError::Refused {
        status: 401,
        said: ErrorBody::Nothing,
    }
}

const VOLUMES: &str = r#"{"offers":[]}"#;

/// Both panes watched, their answers here.
fn watching() -> TestApp {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("w 2").answer(VOLUMES).keys("w");
    desk
}

/// How many requests five minutes bring, none of them answered.
fn five_minutes(desk: &mut TestApp) -> usize {
    for _ in 0..30 {
        desk.wait(10.0);
    }
    desk.calls.len()
}

#[test]
fn after_a_refused_key_no_timer_sends_until_the_person_asks() {
    for keys in ["", "esc", "esc esc 1 esc", "w w", "tab tab esc"] {
        let mut desk = watching();
        desk.wait(30.0);
        assert_eq!(desk.calls.len(), 2);
        // One of them is answered when the key is refused already.
        desk.fail(refused()).fail(refused());
        desk.keys(keys);
        desk.calls.clear();
        assert_eq!(five_minutes(&mut desk), 0, "{keys:?}");
    }
}

#[test]
fn the_hold_is_shown_and_ends_with_an_answer_that_the_person_asked_for() {
    let mut desk = watching();
    desk.wait(30.0);
    desk.fail(refused()).fail(refused());
    desk.keys("1 esc").expect("Auto-refresh on hold: API key rejected");
    desk.keys("r").fail(refused());
    assert_eq!(five_minutes(&mut desk), 0);
    desk.keys("r").answer(THREE);
    desk.expect_not("on hold");
    assert_eq!(five_minutes(&mut desk), 1, "the pane that was asked for");
    desk.calls.clear();
    desk.keys("2 r").answer(VOLUMES);
    desk.wait(30.0);
    assert!(!desk.calls.is_empty());
}

#[test]
fn a_passing_fault_holds_no_timer() {
    let mut desk = watching();
    desk.wait(30.0);
    desk.fail(ApiError::Lost).fail(ApiError::Lost);
    assert_eq!(five_minutes(&mut desk), 2);
}

#[test]
fn a_held_refresh_key_breaks_no_request_off() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("r r r r r");
    assert_eq!(desk.calls.len(), 1);
    let (first, _) = desk.calls[0];
    desk.keys("r r");
    assert_eq!(desk.calls[0].0, first);
    desk.answer(THREE).keys("r");
    assert_eq!(desk.calls.len(), 1, "the next press asks again");
}

#[test]
fn a_suspend_is_told_from_time_that_passed() {
    let now = |mono, epoch| Now {
        mono: MonotonicTime::new(mono),
        epoch: UnixTime::new(epoch),
    };
    let before = now(100.0, 1_000_000.0);
    assert!(!now(28_900.0, 1_028_800.0).was_suspended_since(before));
    assert!(!now(101.0, 1_000_030.0).was_suspended_since(before));
    assert!(now(101.0, 1_000_032.0).was_suspended_since(before));
    assert!(now(101.0, 1_028_800.0).was_suspended_since(before));
    assert!(!now(101.0, 900_000.0).was_suspended_since(before));
}

#[test]
fn after_a_suspend_watched_searches_are_spread_over_ten_seconds() {
    for (spread, seconds) in [(0.0, 0.0), (0.5, 5.0), (1.0, 10.0)] {
        let mut desk = watching();
        desk.now.epoch += 8.0 * 3600.0;
        desk.send(Message::Woken { spread });
        if seconds > 0.0 {
            desk.wait(seconds - 0.01);
            assert_eq!(desk.calls.len(), 0);
        }
        desk.wait(0.02);
        assert_eq!(desk.calls.len(), 2, "{spread}");
    }
}
