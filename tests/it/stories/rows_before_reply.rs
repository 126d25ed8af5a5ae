//! Rows of the record: shown until the reply to a search, and used for nothing.

use bourse::api::ApiError;
use bourse::core::message::{Effect, HistoryJob, News};
use bourse::domain::{Dialect, Listing, Query, language};
use bourse::features::copy_export::copy;
use bourse::keys::{Action, Subject};
use bourse::table::remote::Ticket;
use bourse::tui::theme::Theme;
use ratatui::style::Color;

use crate::test_app::{Files, START, THREE, TestApp};

/// What the record saw three hours ago: an offer that is dearer now, and one that is gone.
const BEFORE: &str = r#"{"offers":[
 {"id":102,"gpu_name":"H100 SXM","num_gpus":8,"dph_base":14.0,"dph_total":14.5,"machine_id":8,"host_id":71,
  "rentable":true,"rented":false,"verification":"verified","reliability":0.99,"storage_cost":0.2,"score":200.0},
 {"id":909,"gpu_name":"RTX 5090","num_gpus":1,"dph_base":0.5,"dph_total":0.52,"machine_id":99,"host_id":98,
  "rentable":true,"rented":false,"verification":"verified","reliability":0.99,"storage_cost":0.2,"score":400.0}]}"#;

const AGE: &str = "recorded 3 h ago, asking…";
const WAIT: &str = "recorded 3 h ago: wait for the reply";

/// A desk that shows recorded rows and has asked for offers.
fn desk() -> TestApp {
    TestApp::prepared(&Dialect::DOCUMENTED, |model| model.settings.recorded_rows = true)
}

/// The question to the record that was not answered yet.
fn question(desk: &mut TestApp) -> Option<(Ticket, Query)> {
    let is_question = |effect: &Effect| matches!(effect, Effect::History(HistoryJob::LatestRows { .. }));
    let index = desk.effects.iter().position(is_question)?;
    match desk.effects.remove(index) {
        Effect::History(HistoryJob::LatestRows { ticket, query }) => Some((ticket, *query)),
        other => panic!("{other:?}"),
    }
}

/// Answers the question to the record with rows that it saw three hours before the start.
#[track_caller]
fn recall(desk: &mut TestApp, json: &str) {
    let (ticket, query) = question(desk).expect("the record was not asked");
    let listing = Listing::read(query.catalog(), json, START - 10_800.0).unwrap();
    let latest = Some(Box::new((listing, (START - 10_800.0).moment())));
    desk.tell(ticket, News::RecordedRows(latest));
    desk.wait(0.1);
}

/// A desk with recorded rows on screen.
fn recalled() -> TestApp {
    let mut desk = desk();
    recall(&mut desk, BEFORE);
    desk
}

/// The colour of a text on screen.
#[track_caller]
fn color_of(desk: &TestApp, text: &str) -> Color {
    let screen = desk.screen();
    let (y, line) = screen
        .lines()
        .enumerate()
        // Below the market line.
        .skip(2)
        .find(|(_, line)| line.contains(text))
        .unwrap();
    let x = line[..line.find(text).unwrap()].chars().count();
    desk.cells()[y * 120 + x].fg
}

/// Every action that takes a row for an offer of now.
const ACTIONS: [Action; 19] = [
    Action::Open,
    Action::Pick,
    Action::Mark,
    Action::Compare,
    Action::Summary,
    Action::Plot,
    Action::Depth,
    Action::Cluster,
    Action::Related,
    Action::Host,
    Action::ThreePrices,
    Action::Export,
    Action::GroupFromSearch,
    Action::Ban,
    Action::Unlist,
    Action::Star(Subject::Machine),
    Action::Star(Subject::Host),
    Action::Note(Subject::Machine),
    Action::Note(Subject::Host),
];

#[test]
fn recorded_rows_are_shown_with_their_age_until_the_reply() {
    let mut desk = recalled();
    desk.expect("2 offers, recorded 3 h ago, asking…")
        .expect("RTX 5090")
        .expect("loading 0 s")
        .expect_not("updated")
        .expect_not("◆");
    desk.answer(THREE);
    desk.expect("All 3 offers")
        .expect("updated")
        .expect_not("recorded 3 h")
        .expect_not("RTX 5090");
}

#[test]
fn recorded_rows_are_dimmed_with_their_header() {
    let mut desk = recalled();
    desk.theme = Theme::DARK;
    let dim = Theme::DARK.dim.fg.unwrap();
    desk.wait(0.1);
    // The first row is the selected one.
    assert_eq!(color_of(&desk, "H100 SXM"), dim);
    desk.answer(THREE);
    assert_ne!(color_of(&desk, "H100 SXM"), dim, "control");
}

#[test]
fn nothing_is_bought_compared_or_exported_from_a_recorded_row() {
    let mut desk = recalled();
    for action in ACTIONS {
        assert_eq!(desk.model.disabled(action).as_deref(), Some(WAIT), "{action:?}");
    }
    let browser = desk.model.browser().unwrap();
    assert!(browser.listing().is_none() && browser.selected().is_none() && browser.view().is_empty());
    let items = copy::items(&desk.model).unwrap();
    let refused: Vec<_> = items
        .iter()
        .filter(|item| item.text.as_ref().err().map(ToString::to_string).as_deref() == Some(WAIT))
        .map(|item| item.name)
        .collect();
    assert_eq!(refused, ["copy-id", "copy-json", "copy-csv", "copy-table", "copy-rent"]);
    for item in items.iter().filter(|item| item.text.is_ok()) {
        let text = item.text.as_ref().unwrap();
        assert!(!text.contains("909") && !text.contains("5090"), "{}: {text}", item.name);
    }
    desk.keys("j enter").expect(WAIT);
    desk.keys("e").expect(WAIT);
    let sent = desk.calls.len();
    assert_eq!(sent, 1, "{:?}", desk.calls);
    desk.answer(THREE);
    assert_eq!(desk.model.disabled(Action::Open), None, "control");
    assert_eq!(desk.model.disabled(Action::Export), None, "control");
    assert!(
        copy::items(&desk.model).unwrap().iter().all(|item| item
            .text
            .as_ref()
            .err()
            .map(ToString::to_string)
            .as_deref()
            != Some(WAIT))
    );
}

#[test]
fn recorded_rows_stay_with_the_error_and_their_age() {
    let mut desk = recalled();
    desk.fail(ApiError::Lost);
    desk.expect("The rows below were recorded 3 h ago.")
        .expect("RTX 5090")
        .expect_not("asking");
    desk.wait(3600.0)
        .expect("2 offers, recorded 4 h ago")
        .expect_not("updated");
    let why = desk.model.disabled(Action::Export).unwrap();
    assert_eq!(why, "recorded 4 h ago: refresh first (r)");
    // Another try of the same search has them on screen already.
    desk.keys("r").expect("recorded 4 h ago, asking…").expect("RTX 5090");
    assert!(question(&mut desk).is_none());
    desk.answer(THREE);
    desk.expect("All 3 offers").expect_not("recorded 4 h");
}

#[test]
fn an_error_that_is_faster_than_the_record_leaves_its_rows() {
    let mut desk = desk();
    desk.fail(ApiError::Lost);
    recall(&mut desk, BEFORE);
    desk.expect("The rows below were recorded 3 h ago.").expect("RTX 5090");
}

#[test]
fn recorded_rows_that_are_later_than_the_reply_are_not_shown() {
    let mut desk = desk();
    let (ticket, query) = question(&mut desk).unwrap();
    desk.answer(THREE);
    let listing = Listing::read(query.catalog(), BEFORE, START).unwrap();
    desk.tell(ticket, News::RecordedRows(Some(Box::new((listing, START.moment())))));
    desk.wait(0.1)
        .expect("All 3 offers")
        .expect_not("RTX 5090")
        .expect_not("recorded 0 s");
}

#[test]
fn a_new_search_replaces_the_rows_of_the_old_one() {
    let mut desk = desk();
    desk.answer(THREE);
    question(&mut desk).unwrap();
    // The same search again has its rows on screen.
    desk.keys("r");
    assert!(question(&mut desk).is_none());
    desk.answer(THREE);
    desk.keys("/ ctrl-u").type_text("gpu_name=RTX_5090").keys("enter");
    let (_, query) = question(&mut desk).expect("the record was not asked");
    let sent: Vec<_> = desk
        .asked_query()
        .sent_conditions(&Dialect::DOCUMENTED)
        .cloned()
        .collect();
    assert_eq!(language::print(&query.conditions), language::print(&sent));
    assert!(language::print(&query.conditions).contains("5090"), "{query:?}");
    desk.expect("3 offers of an earlier query");
    desk.keys("esc r");
    recall(&mut desk, BEFORE);
    desk.expect(AGE).expect_not("earlier query").expect_not("RTX 3090");
    assert!(desk.model.browser().unwrap().listing().is_none());
}

#[test]
fn a_search_that_is_not_on_record_shows_what_it_did() {
    let mut desk = recalled();
    desk.keys("/ ctrl-u").type_text("gpu_name=H200").keys("enter");
    let (ticket, _) = question(&mut desk).expect("the record was not asked");
    desk.tell(ticket, News::RecordedRows(None));
    desk.wait(0.1)
        .expect("Loading offers")
        .expect_not("RTX 5090")
        .expect_not("recorded 3 h");
}

#[test]
fn a_setting_turns_recorded_rows_off_and_so_does_the_program() {
    let mut off = TestApp::prepared(&Dialect::DOCUMENTED, |model| {
        model.settings.recorded_rows = true;
        model.settings.values.recorded_rows = false;
    });
    assert!(question(&mut off).is_none());
    let mut off = TestApp::new();
    assert!(question(&mut off).is_none());
    assert!(question(&mut desk()).is_some(), "control");
    assert!(bourse::settings::Values::default().recorded_rows);
}

#[test]
fn recorded_rows_are_no_response() {
    let mut desk = recalled();
    assert_eq!((desk.polls.len(), desk.model.browser().unwrap().responses()), (0, 0));
    // Auto-refresh compares with responses only.
    desk.keys("w");
    desk.answer(THREE);
    assert_eq!(desk.polls.len(), 1);
    let watch = desk.model.browser().unwrap().watching().unwrap();
    assert_eq!((watch.changes().new_rows(), watch.changes().gone), (0, 0));
}

#[test]
fn recorded_rows_are_filtered_and_sorted_as_those_of_a_response() {
    let mut desk = recalled();
    let place = |desk: &TestApp, text: &str| {
        let screen = desk.screen();
        let mut lines = screen.lines().skip(2);
        lines.position(|line| line.contains(text)).unwrap()
    };
    assert!(
        place(&desk, "RTX 5090") < place(&desk, "H100 SXM"),
        "in the order of the search"
    );
    desk.keys("~");
    assert!(place(&desk, "RTX 5090") > place(&desk, "H100 SXM"), "reversed");
    desk.keys("/ ctrl-u").type_text("5090");
    desk.expect("1 of 2 offer").expect_not("H100 SXM"); // the rest is behind the completions
}

#[test]
fn the_row_at_the_cursor_is_selected_in_the_reply() {
    let mut desk = recalled();
    desk.keys("j");
    desk.answer(THREE);
    desk.selects("102");
    let mut unmoved = recalled();
    unmoved.answer(THREE);
    unmoved.selects("101");
}

#[test]
fn what_one_program_was_told_is_shown_by_the_next_until_the_reply() {
    let folder = tempfile::tempdir().unwrap();
    let mut first = desk();
    first.files = Some(Files::open(folder.path()));
    first.answer(THREE);
    let mut second = desk();
    second.files = Some(Files::open(folder.path()));
    second.wait(7200.0);
    // The record of the first program is open only now: the search is asked for again.
    second.keys("/").type_text(" num_gpus>=1").keys("enter");
    second
        .expect("3 offers, recorded 2 h ago, asking…")
        .expect("RTX 4090")
        .expect("0.4100");
    second.keys("/").type_text(" num_gpus>=8").keys("enter");
    second
        .expect("1 offer, recorded 2 h ago, asking…")
        .expect("H100 SXM")
        .expect_not("RTX 4090");
    assert!(second.polls.is_empty());
}
