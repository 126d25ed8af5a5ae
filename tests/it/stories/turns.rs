//! Two dashboards that watch the same search send its requests in turn.

use std::sync::{Arc, Mutex};

use bourse::api::ApiError;
use bourse::domain::Dialect;
use bourse::store::history::{Database, Holder};

use crate::test_app::{THREE, TestApp};

/// THREE later: 101 costs 0.35 in place of 0.41.
fn later() -> String {
    THREE.replace("\"dph_total\":0.41", "\"dph_total\":0.35")
}

type Shared = Arc<Mutex<Database>>;

fn database() -> Shared {
    Arc::new(Mutex::new(Database::in_memory("test").unwrap()))
}

/// A dashboard with a record that it shares.
fn desk(shared: &Shared) -> TestApp {
    let mut desk = TestApp::prepared(&Dialect::DOCUMENTED, |model| model.recall.is_on = true);
    desk.answer(THREE);
    desk.shared = Some((Arc::clone(shared), Holder::of_process()));
    desk
}

#[test]
fn one_of_two_dashboards_asks_and_the_other_shows_its_responses() {
    let shared = database();
    let (mut first, mut second) = (desk(&shared), desk(&shared));
    first.keys("w");
    second.keys("w");
    let mut requests = 0;
    for _ in 0..60 {
        for desk in [&mut first, &mut second] {
            desk.wait(5.0);
            while !desk.calls.is_empty() {
                requests += 1;
                desk.answer(&later());
            }
        }
    }
    assert_eq!(requests, 10, "every 30 s in 300 s");
    first.expect("updated");
    second
        .expect("read from another bourse,")
        .expect("▼0.0600 0.3500")
        .expect("+ 0 new, 0 gone, ▼ 1 cheaper");
    assert_eq!(first.polls.len(), 1 + 10);
    assert_eq!(second.polls.len(), 1, "the first one records for both");
}

#[test]
fn the_person_gets_an_own_response_at_once() {
    let shared = database();
    let (mut first, mut second) = (desk(&shared), desk(&shared));
    first.keys("w").wait(30.0).answer(&later());
    second.keys("w").wait(30.0);
    assert!(second.calls.is_empty());
    second.keys("r");
    assert_eq!(second.calls.len(), 1);
    second.answer(&later()).expect("updated 0 s ago");
}

#[test]
fn the_other_dashboard_takes_over_when_the_turn_lapses() {
    let shared = database();
    let (mut first, mut second) = (desk(&shared), desk(&shared));
    first.keys("w").wait(30.0).answer(&later());
    second.keys("w").wait(30.0);
    drop(first);
    // Three intervals after the last request of the other one.
    for _ in 0..17 {
        second.wait(5.0);
    }
    assert!(second.calls.is_empty());
    second.wait(5.0);
    assert_eq!(second.calls.len(), 1);
    second.answer(&later()).expect("updated 0 s ago");
}

#[test]
fn a_dashboard_that_leaves_or_fails_does_not_stop_the_other() {
    let shared = database();
    let (mut first, mut second) = (desk(&shared), desk(&shared));
    first.keys("w").wait(30.0).fail(ApiError::Lost);
    second.keys("w").wait(30.0);
    second.wait(5.0);
    assert!(second.calls.is_empty(), "the other one tries again");
    let (database, holder) = first.shared.take().unwrap();
    database.lock().unwrap().release(&holder).unwrap();
    second.wait(5.0);
    assert_eq!(second.calls.len(), 1);
}

#[test]
fn another_search_or_an_impatient_one_asks_for_itself() {
    let shared = database();
    let (mut first, mut second) = (desk(&shared), desk(&shared));
    first.keys("w").wait(30.0).answer(&later());
    second.keys("/").type_text(" num_gpus>=1").keys("enter");
    second.answer(THREE).keys("w").wait(30.0);
    assert_eq!(second.calls.len(), 1);
    // Ten seconds are less than half of thirty: the first one reads from now on.
    let mut third = desk(&shared);
    third.keys("W ctrl-u").type_text("10s").keys("enter");
    third.wait(30.0);
    assert_eq!(third.calls.len(), 1);
    third.answer(&later()).wait(10.0).answer(&later());
    first.wait(30.0);
    assert!(first.calls.is_empty());
}

#[test]
fn auto_refresh_that_is_turned_off_lets_the_other_dashboard_ask_at_once() {
    for off in ["w", "W ctrl-x"] {
        let shared = database();
        let (mut first, mut second) = (desk(&shared), desk(&shared));
        first.keys("w").wait(30.0).answer(&later());
        second.keys("w").wait(30.0);
        assert!(second.calls.is_empty());
        first.keys(off).expect("Auto-refresh off");
        second.wait(5.0);
        assert_eq!(second.calls.len(), 1, "{off}");
        second.answer(&later()).expect("updated 0 s ago");
    }
}
