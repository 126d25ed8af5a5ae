//! Several programs that watch one search on the same files: one of them polls, the others read what
//! it records. Time is virtual; the files and their locks are real.

use std::path::Path;

use bourse::api::ApiError;
use bourse::core::message::Effect;
use bourse::domain::Dialect;
use bourse::features::history::Recall;
use tempfile::TempDir;

use crate::test_app::{Files, THREE, TestApp};

/// THREE later: 101 costs 0.35 in place of 0.41.
fn later() -> String {
    let json = THREE.replace("\"dph_base\":0.40", "\"dph_base\":0.34");
    json.replace("\"dph_total\":0.41", "\"dph_total\":0.35")
}

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

/// A dashboard on the files of a folder, with three offers.
fn dashboard(folder: &Path) -> TestApp {
    let mut desk = TestApp::prepared(&Dialect::DOCUMENTED, |model| model.feature_mut::<Recall>().is_on = true);
    desk.files = Some(Files::open(folder));
    desk.answer(THREE);
    desk
}

/// The same, with auto-refresh every 30 s from now on.
fn watching(folder: &Path) -> TestApp {
    let mut desk = dashboard(folder);
    desk.keys("w");
    desk
}

/// Lets time pass; each request is answered at once. How many requests each dashboard sent.
fn pass<const N: usize>(seconds: u32, mut desks: [&mut TestApp; N]) -> [usize; N] {
    let mut requests = [0; N];
    for _ in 0..seconds / 5 {
        for (desk, requests) in desks.iter_mut().zip(&mut requests) {
            desk.wait(5.0);
            while !desk.calls.is_empty() {
                *requests += 1;
                desk.answer(&later());
            }
        }
    }
    requests
}

#[test]
fn one_of_two_dashboards_asks_and_the_other_reads_the_record() {
    let folder = folder();
    let (mut first, mut second) = (watching(folder.path()), watching(folder.path()));
    second.keys("T").expect_not("cheaper");
    assert_eq!(pass(300, [&mut first, &mut second]), [10, 0]);
    first.expect("updated 0 s ago").expect("next refresh in 30 s");
    // With 8 GB for 0.9 $/GB and month of 720 h, before and now.
    second.expect("0.410 → 0.350");
    second.keys("esc");
    second.expect("updated 5 min ago").expect("0.4100");
    second.wait(5.0);
    for (columns, rows) in [(80, 24), (200, 60)] {
        second.resize(columns, rows);
        second.expect("Auto-refresh: prices recorded by another bourse, 5 s ago (r to refresh)");
    }
    assert_eq!(first.polls.len(), 1 + 10);
    assert_eq!(second.polls.len(), 1, "the first one records for both");
}

#[test]
fn refreshing_sends_a_request_at_once() {
    let folder = folder();
    let (mut first, mut second) = (watching(folder.path()), watching(folder.path()));
    pass(45, [&mut first, &mut second]);
    second.keys("r");
    assert_eq!(second.calls.len(), 1);
    second
        .answer(&later())
        .expect("updated 0 s ago")
        .expect("next refresh in 30 s");
    // Its poll answers the first one, too.
    assert_eq!(pass(60, [&mut first, &mut second]), [0, 2]);
}

#[test]
fn the_other_dashboard_takes_over_from_one_that_ends() {
    let folder = folder();
    let (mut first, mut second) = (watching(folder.path()), watching(folder.path()));
    pass(30, [&mut first, &mut second]);
    // However it ends: its next poll is late.
    drop(first);
    second.wait(30.0);
    assert!(second.calls.is_empty());
    second.wait(5.0);
    assert_eq!(second.calls.len(), 1);
    second.answer(&later()).expect("next refresh in 30 s");
    assert_eq!(pass(300, [&mut second]), [10]);
}

#[test]
fn auto_refresh_that_is_turned_off_lets_the_other_dashboard_ask() {
    for off in ["w", "W ctrl-x"] {
        let folder = folder();
        let (mut first, mut second) = (watching(folder.path()), watching(folder.path()));
        pass(30, [&mut first, &mut second]);
        first.keys(off).expect("Auto-refresh off");
        second.wait(30.0);
        assert!(second.calls.is_empty());
        second.wait(5.0);
        assert_eq!(second.calls.len(), 1, "{off}");
    }
}

#[test]
fn a_dashboard_that_is_stopped_is_replaced_at_once_and_reads_when_it_goes_on() {
    let folder = folder();
    let (mut first, mut second) = (watching(folder.path()), watching(folder.path()));
    assert_eq!(pass(30, [&mut first, &mut second]), [1, 0]);
    // Nobody owns the search: the second one waits a sixth of the interval longer, and asks from then on.
    assert_eq!(pass(30, [&mut second]), [0]);
    assert_eq!(pass(5, [&mut second]), [1]);
    second.expect("next refresh in 30 s");
    assert_eq!(pass(60, [&mut second]), [2]);
    first.now = second.now;
    assert_eq!(pass(300, [&mut first, &mut second]), [0, 10]);
}

#[test]
fn one_that_is_stopped_while_it_asks_holds_the_others_up_for_half_a_minute() {
    let folder = folder();
    let (mut first, mut second) = (watching(folder.path()), watching(folder.path()));
    first.wait(30.0);
    assert_eq!(first.calls.len(), 1, "it has the turn");
    assert_eq!(pass(60, [&mut second]), [0]);
    assert_eq!(pass(5, [&mut second]), [1]);
}

#[test]
fn one_of_several_dashboards_stands_in_for_a_stopped_one() {
    let folder = folder();
    let mut desks = [(); 3].map(|()| watching(folder.path()));
    let [first, second, third] = &mut desks;
    assert_eq!(pass(30, [first, second, third]), [1, 0, 0]);
    assert_eq!(pass(395, [second, third]), [13, 0]);
    first.now = second.now;
    assert_eq!(pass(300, [first, second, third]), [0, 10, 0]);
}

#[test]
fn a_dashboard_that_fails_asks_on() {
    let folder = folder();
    let (mut first, mut second) = (watching(folder.path()), watching(folder.path()));
    first.wait(30.0).fail(ApiError::Lost);
    // What failed answers nobody else.
    second.wait(30.0);
    assert_eq!(second.calls.len(), 1);
    second.answer(&later());
    first.wait(30.0);
    assert_eq!(first.calls.len(), 1);
}

#[test]
fn a_narrower_search_is_answered_by_the_polls_of_a_wider_one() {
    let folder = folder();
    let (mut first, mut second) = (watching(folder.path()), watching(folder.path()));
    second.keys("/").type_text(" num_gpus>=1").keys("enter");
    second.answer(THREE);
    assert_eq!(pass(300, [&mut first, &mut second]), [10, 0]);
    // It comes to the search of the first one: that one goes on asking.
    second.keys("/").keys("ctrl-u enter").answer(THREE).keys("/");
    assert_eq!(pass(300, [&mut first, &mut second]), [10, 0]);
}

fn rings(desk: &TestApp) -> usize {
    let is_ring = |effect: &&Effect| matches!(effect, Effect::Notify(notification) if notification.urgent.is_some());
    desk.effects.iter().filter(is_ring).count()
}

/// Adds an alert on this search: any GPU below $0.41 with 50 GB of storage. 101 costs 6 cents more
/// than without.
fn add_alert(desk: &mut TestApp) {
    desk.keys("A enter").type_text("0.41");
    desk.keys("pgdn enter")
        .expect("Added alert “Offers: any below $0.410/h per GPU”");
    desk.keys("esc");
}

#[test]
fn alerts_are_checked_on_the_record_of_another_program() {
    let folder = folder();
    let (mut first, mut second) = (watching(folder.path()), watching(folder.path()));
    add_alert(&mut second);
    assert_eq!(pass(20, [&mut first, &mut second]), [0, 0]);
    assert_eq!(rings(&second), 0);
    assert_eq!(pass(20, [&mut first, &mut second]), [1, 0]);
    assert_eq!(rings(&second), 1);
}

#[test]
fn an_alert_of_two_dashboards_rings_in_one() {
    let folder = folder();
    let (mut first, mut second) = (watching(folder.path()), watching(folder.path()));
    add_alert(&mut first);
    add_alert(&mut second);
    assert_eq!(pass(120, [&mut first, &mut second]), [4, 0]);
    assert_eq!((rings(&first), rings(&second)), (1, 0));
}

#[test]
fn nothing_of_a_response_but_its_prices_is_in_the_files() {
    let folder = folder();
    let (mut first, mut second) = (watching(folder.path()), watching(folder.path()));
    let marked = later().replace("{\"id\":101", "{\"api_key\":\"marker-51ab\",\"id\":101");
    for _ in 0..4 {
        for desk in [&mut first, &mut second] {
            desk.wait(30.0);
            while !desk.calls.is_empty() {
                desk.answer(&marked);
            }
        }
    }
    assert_eq!(first.polls.len(), 1 + 4);
    let all: Vec<u8> = crate::files::below(folder.path()).into_values().flatten().collect();
    let holds = |text: &str| all.windows(text.len()).any(|part| part == text.as_bytes());
    assert!(holds("RTX 4090"), "the record is there");
    assert!(!holds("marker-51ab"));
}
