//! Quitting by the key: at once when nothing is under way, else after a question that says what is.

use bourse::api::{ApiError, Reply, Request};
use bourse::core::message::{Effect, Message};
use bourse::domain::Untrusted;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::stories::groups_form;
use crate::stories::unlist::{at_volumes, says};
use crate::test_app::{THREE, TestApp};

fn has_left(desk: &TestApp) -> bool {
    desk.effects.contains(&Effect::Quit)
}

/// The Workergroups pane with a creation that was sent and not answered.
fn creating() -> TestApp {
    let mut desk = groups_form::sent();
    desk.keys("esc esc").expect("All 4 ");
    desk
}

#[test]
fn nothing_under_way_asks_nothing() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("q");
    assert!(has_left(&desk));
    // A read that is awaited is nothing to ask about.
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("r q");
    assert!(has_left(&desk));
}

#[test]
fn a_creation_under_way_is_named_before_the_program_is_left() {
    let mut desk = creating();
    desk.keys("q").expect("Quit bourse?");
    says(
        &desk,
        "Creating a workergroup for endpoint chat was sent and has no response yet.",
    );
    says(&desk, "Quitting does not cancel it");
    assert!(!has_left(&desk));
    for no in ["esc", "n"] {
        desk.keys(no).expect_not("Quit bourse?");
        assert!(!has_left(&desk));
        desk.keys("q");
    }
    // What is not a yes is none; resizing and a paste do nothing either.
    desk.keys("space x").paste("y");
    desk.resize(40, 10);
    says(&desk, "Creating a workergroup for endpoint chat");
    assert!(!has_left(&desk));
    desk.keys("y");
    assert!(has_left(&desk));
}

#[test]
fn an_answer_that_comes_while_the_question_is_there_is_told() {
    let mut desk = creating();
    desk.keys("q");
    let is_creation = |request: &Request| matches!(request, Request::CreateWorkergroup(_));
    let place = desk.calls.iter().position(|(_, request)| is_creation(request));
    let (ticket, _) = desk.calls.remove(place.unwrap());
    desk.reply(ticket, Ok(Reply::Created { id: 77 }));
    desk.keys("esc").expect("created as 77");
    desk.keys("q");
    assert!(has_left(&desk), "nothing is under way any more");
}

#[test]
fn ctrl_c_leaves_at_once_whatever_is_under_way() {
    let mut desk = creating();
    desk.keys("ctrl-c");
    assert!(has_left(&desk));
    let mut desk = creating();
    desk.keys("q ctrl-c");
    assert!(has_left(&desk));
}

#[test]
fn esc_and_ctrl_c_in_quick_succession_close_the_view_and_quit() {
    // A terminal sends the two as it sends Alt-Ctrl-c.
    let both = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL | KeyModifiers::ALT);
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("?").expect("Help");
    desk.send(Message::Key(both));
    assert!(has_left(&desk));
    // While a text is typed, Esc ends that, and Ctrl-c quits.
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("/").type_text("h100");
    desk.send(Message::Key(both));
    assert!(has_left(&desk));
}

#[test]
fn a_volume_being_unlisted_is_named_too() {
    let mut desk = at_volumes();
    desk.keys("u").type_text("7311").keys("enter");
    desk.type_text("7311").keys("enter esc");
    desk.keys("q");
    says(&desk, "Unlisting volume listing 7311 was sent and has no response yet.");
    assert!(!has_left(&desk));
    desk.keys("esc");
    let (ticket, _) = desk.calls.remove(0);
    let msg = Untrusted::from("Volume 7311 unlisted");
    desk.reply(ticket, Ok(Reply::Unlisted { msg }));
    desk.keys("q");
    assert!(has_left(&desk));
    // One whose outcome nobody knows is over: the history keeps it.
    let mut desk = at_volumes();
    desk.keys("u").type_text("7311").keys("enter");
    desk.type_text("7311").keys("enter");
    desk.fail(ApiError::Lost).keys("esc q");
    assert!(has_left(&desk));
}

#[test]
fn a_write_and_a_series_are_both_named() {
    for (columns, rows) in [(80, 24), (200, 60)] {
        let mut desk = creating();
        desk.resize(columns, rows);
        desk.keys("z t ctrl-u").type_text("chat").keys("down ctrl-u");
        desk.type_text("0").keys("down down ctrl-u");
        desk.type_text("100").keys("enter esc");
        desk.keys("q").expect("Quit bourse?");
        says(&desk, "Creating a workergroup for endpoint chat");
        says(&desk, "chat, 100 requests, 4 at once, load 0");
        says(&desk, "discards results that were not exported");
        desk.expect("[ Cancel ]  [ Quit ]");
        desk.keys("enter").expect_not("Quit bourse?");
        assert!(!has_left(&desk), "Enter cancels");
        desk.keys("q right left").expect("Quit bourse?");
        assert!(!has_left(&desk), "moving between the buttons presses none");
        desk.keys("right enter");
        assert!(has_left(&desk));
    }
}

#[test]
fn a_paused_series_is_asked_about_like_a_running_one() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("t ctrl-u").type_text("chat").keys("down ctrl-u");
    desk.type_text("0").keys("down space enter space").expect("Paused");
    desk.keys("esc q").expect("Quit bourse?");
    assert!(!has_left(&desk));
    desk.keys("enter").expect_not("Quit bourse?");
    // This key quits at once, running or paused.
    desk.keys("ctrl-c");
    assert!(has_left(&desk));
}
