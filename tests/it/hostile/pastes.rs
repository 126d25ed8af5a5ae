//! Clipboards full of commands, against every view: whatever a terminal makes of them, nothing is
//! written on a market.

use bourse::api::Request;
use bourse::core::message::Message;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::cases::cases;
use crate::stories::groups::at_groups;
use crate::stories::groups_form::confirming;
use crate::stories::unlist::{at_volumes, says};
use crate::test_app::TestApp;

const END_OF_PASTE: &str = "\u{1b}[201~";

/// The key that crossterm reads from a character.
fn key(character: char) -> KeyEvent {
    let code = match character {
        '\r' | '\n' => KeyCode::Enter,
        '\t' => KeyCode::Tab,
        '\u{1b}' => KeyCode::Esc,
        '\u{7f}' => KeyCode::Backspace,
        control if control < ' ' => {
            let letter = char::from(control as u8 + 0x60);
            return KeyEvent::new(KeyCode::Char(letter), KeyModifiers::CONTROL);
        }
        other => KeyCode::Char(other),
    };
    KeyEvent::new(code, KeyModifiers::NONE)
}

/// Pastes a text in a terminal that leaves in it what ends a paste: the rest arrives as keys, which
/// `rest` hands over.
fn paste(desk: &mut TestApp, text: &str, rest: impl Fn(KeyEvent) -> Message) {
    let mut parts = text.split(END_OF_PASTE);
    desk.send(Message::Paste(parts.next().unwrap().to_owned()));
    for letter in parts.flat_map(str::chars) {
        desk.send(rest(key(letter)));
    }
}

fn with_a_paste(key: KeyEvent) -> Message {
    Message::AfterPaste(Box::new(Message::Key(key)))
}

fn writes(desk: &TestApp) -> usize {
    let is_write = |request: &Request| matches!(request, Request::CreateWorkergroup(_) | Request::UnlistVolume { .. });
    desk.calls.iter().filter(|(_, request)| is_write(request)).count()
}

fn retyping() -> TestApp {
    let mut desk = at_volumes();
    desk.keys("u").type_text("7311").keys("enter").type_text("7311");
    desk
}

/// Opens a view.
type Opening = fn() -> TestApp;

/// The views, those that ask for a confirmation twice: about to be confirmed.
fn views() -> Vec<(&'static str, Opening)> {
    fn offers(keys: &str) -> TestApp {
        let mut desk = TestApp::with_offers(crate::test_app::THREE);
        desk.keys(keys);
        desk
    }
    fn groups(keys: &str) -> TestApp {
        let mut desk = at_groups();
        desk.keys(keys);
        desk
    }
    fn volumes(keys: &str) -> TestApp {
        let mut desk = at_volumes();
        desk.keys(keys);
        desk
    }
    vec![
        ("create", confirming),
        ("create, typed", || {
            let mut desk = confirming();
            desk.type_text("create");
            desk
        }),
        ("unlist", || volumes("u")),
        ("unlist, typed twice", retyping),
        ("offers", || offers("")),
        ("query", || offers("/")),
        ("filter", || offers("f")),
        ("sort", || offers("s")),
        ("columns", || offers("c")),
        ("detail", || offers("enter")),
        ("find", || offers("enter /")),
        ("job", || offers("J")),
        ("settings", || offers("o")),
        ("saved", || offers("b")),
        ("export", || offers("e")),
        ("copy", || offers("y")),
        ("palette", || offers(":")),
        ("help", || offers("?")),
        ("markets", || offers("M n")),
        ("volumes", || volumes("")),
        ("groups", || groups("")),
        ("clone", || groups("C")),
        ("form", || groups("n")),
        ("preflight", || groups("i")),
        ("route lab", || groups("t")),
        ("requests", || groups("4")),
    ]
}

/// A clipboard: words that confirm, keys that lead to a confirmation, what ends a paste, and noise.
fn clipboard(random: &mut fastrand::Rng) -> String {
    const PARTS: [&str; 22] = [
        "create",
        "create\r",
        "create\n",
        "7311",
        "7311\r",
        "7311\r7311\r",
        "y",
        "\r",
        "\n",
        "\u{15}",
        "\u{15}create\r",
        "u",
        "2u7311\r7311\r",
        "3n",
        "\u{1b}",
        "\t",
        END_OF_PASTE,
        END_OF_PASTE,
        "\u{1b}[200~",
        "mine\r",
        "\u{202e}",
        ":unlist\r",
    ];
    let many = random.usize(1..8);
    (0..many).map(|_| PARTS[random.usize(..PARTS.len())]).collect()
}

fn write_nothing(pastes_a_view: usize) {
    let mut random = fastrand::Rng::with_seed(4711);
    for (name, open) in views() {
        for _ in 0..pastes_a_view / 20 {
            let mut desk = open();
            for _ in 0..20 {
                let text = clipboard(&mut random);
                paste(&mut desk, &text, with_a_paste);
                assert_eq!(writes(&desk), 0, "{name}: {text:?}");
            }
        }
    }
}

#[test]
fn pastes_write_nothing_in_any_view() {
    write_nothing(cases(20, 400));
}

#[test]
fn what_follows_a_paste_would_confirm_if_it_counted_as_typed() {
    for (name, open, text) in [
        ("create", confirming as fn() -> TestApp, "create\r"),
        (
            "unlist",
            || {
                let mut desk = at_volumes();
                desk.keys("u");
                desk
            },
            "7311\r7311\r",
        ),
        ("unlist, typed twice", retyping, "\r"),
        ("volumes", at_volumes, "u7311\r7311\r"),
    ] {
        let text = format!("x{END_OF_PASTE}{text}");
        let mut desk = open();
        paste(&mut desk, &text, Message::Key);
        assert_eq!(writes(&desk), 1, "{name}");
        let mut desk = open();
        paste(&mut desk, &text, with_a_paste);
        assert_eq!(writes(&desk), 0, "{name}");
    }
}

#[test]
fn a_question_says_that_it_was_not_answered_and_takes_typed_keys_at_once() {
    let mut desk = confirming();
    paste(&mut desk, &format!("x{END_OF_PASTE}create\r"), with_a_paste);
    desk.resize(90, 48)
        .expect("Keys that arrive with a paste answer nothing");
    says(&desk, "Create this workergroup?");
    desk.type_text("create").keys("enter");
    assert_eq!(writes(&desk), 1);
}

#[test]
fn keys_with_a_paste_do_what_they_do_where_nothing_is_confirmed() {
    let mut desk = TestApp::with_offers(crate::test_app::THREE);
    desk.keys("/");
    paste(&mut desk, &format!("num_gpus{END_OF_PASTE}=8\r"), with_a_paste);
    let Request::Search(query) = desk.asked() else {
        panic!("{:?}", desk.asked())
    };
    assert!(bourse::domain::language::print(&query.conditions).contains("num_gpus=8"));
}
