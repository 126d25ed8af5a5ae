//! Keys: how they are spelt, looked up and shown.

use bourse_tui::{Chord, KeyRow, Keymap};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

#[derive(Debug, Clone, Copy, PartialEq)]
enum Context {
    List,
    Everywhere,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Action {
    Open,
    Down,
    Commands,
    Forget,
}

#[derive(Debug)]
struct Row {
    context: Context,
    keys: &'static [&'static str],
    action: Action,
    name: &'static str,
}

static TABLE: [Row; 5] = [
    row(Context::List, &["enter"], Action::Open, "open"),
    row(Context::List, &["down", "j"], Action::Down, "list-down"),
    row(Context::Everywhere, &["j"], Action::Down, "down"),
    row(Context::Everywhere, &["ctrl-p"], Action::Commands, "commands"),
    row(Context::Everywhere, &[], Action::Forget, "forget"),
];

const fn row(context: Context, keys: &'static [&'static str], action: Action, name: &'static str) -> Row {
    Row {
        context,
        keys,
        action,
        name,
    }
}

impl KeyRow for Row {
    type Action = Action;
    type Context = Context;

    fn table() -> &'static [Self] {
        &TABLE
    }

    fn palette() -> Action {
        Action::Commands
    }

    fn context(&self) -> Context {
        self.context
    }

    fn action(&self) -> Action {
        self.action
    }

    fn name(&self) -> &'static str {
        self.name
    }

    fn default_keys(&self) -> &'static [&'static str] {
        self.keys
    }
}

fn pressed(code: KeyCode) -> KeyEvent {
    KeyEvent::from(code)
}

#[test]
fn the_first_context_that_binds_a_key_decides() {
    let keymap = Keymap::<Row>::default();
    let both = [Context::List, Context::Everywhere];
    assert_eq!(keymap.resolve(&both, pressed(KeyCode::Enter)), Some(Action::Open));
    assert_eq!(keymap.resolve(&both, pressed(KeyCode::Char('x'))), None);
    assert_eq!(keymap.resolve(&[Context::Everywhere], pressed(KeyCode::Enter)), None);
    // The row of everywhere has the key, and in a list the row of lists takes it.
    assert_eq!(keymap.owner_of(&both, &TABLE[2]), Some(Context::List));
    assert_eq!(keymap.owner_of(&both, &TABLE[4]), None);
}

#[test]
fn an_action_without_a_key_is_found_by_its_name() {
    let keymap = Keymap::<Row>::default();
    assert_eq!(keymap.key_of(Action::Open), "Enter");
    assert_eq!(keymap.key_of(Action::Forget), "Ctrl-p forget");
    assert_eq!(keymap.key_hint("list-down"), "↓");
    assert_eq!(keymap.key_hint("forget"), "Ctrl-p forget");
    assert_eq!(keymap.key_in(&[Context::Everywhere], Action::Down), "j");
    assert_eq!(keymap.all_keys(&TABLE[1]), "↓ j");
    assert_eq!(keymap.in_words(true).all_keys(&TABLE[1]), "Down j");
}

#[test]
fn a_row_takes_other_keys_and_loses_its_own() {
    let mut keymap = Keymap::<Row>::default();
    keymap.rebind(&TABLE[0], vec![Chord::parse("alt-o").unwrap()]);
    let alt = KeyEvent::new(KeyCode::Char('o'), KeyModifiers::ALT);
    assert_eq!(keymap.resolve(&[Context::List], alt), Some(Action::Open));
    assert_eq!(keymap.resolve(&[Context::List], pressed(KeyCode::Enter)), None);
    assert_eq!(keymap.shown_key(&TABLE[0]), "Alt-o");
    keymap.rebind(&TABLE[0], Vec::new());
    assert_eq!(keymap.shown_key(&TABLE[0]), "");
}

#[test]
fn a_key_has_one_spelling_in_files_and_one_on_screen() {
    for (spelt, shown) in [
        ("j", "j"),
        ("G", "G"),
        ("ctrl-d", "Ctrl-d"),
        ("ctrl-D", "Ctrl-d"),
        ("alt-x", "Alt-x"),
        ("pgdn", "PgDn"),
        ("space", "Space"),
        ("f5", "F5"),
        ("é", "é"),
    ] {
        assert_eq!(Chord::parse(spelt).unwrap().to_string(), shown);
    }
    for text in ["", "ctrl-", "return", "jj", "fx"] {
        assert_eq!(Chord::parse(text), None, "{text}");
    }
}

#[test]
fn terminals_send_some_keys_as_others() {
    let arrives = |key: &str| Chord::parse(key).unwrap().arrives_as();
    assert_eq!(arrives("ctrl-i"), Some("Tab"));
    assert_eq!(arrives("ctrl-m"), Some("Enter"));
    assert_eq!(arrives("ctrl-j"), None);
    let shifted = KeyEvent::new(KeyCode::Tab, KeyModifiers::SHIFT);
    assert_eq!(Some(Chord::from_key(shifted)), Chord::parse("shift-tab"));
    // Shift is in the letter already.
    let upper = KeyEvent::new(KeyCode::Char('G'), KeyModifiers::SHIFT);
    assert_eq!(Some(Chord::from_key(upper)), Chord::parse("G"));
}
