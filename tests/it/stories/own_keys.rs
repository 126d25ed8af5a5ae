//! A person's own keys: what they do, what is shown of them, and what is refused.

use bourse::core::keys::{self, Keymap, UserKeys};
use bourse::keys::pane::Pane;
use bourse::keys::{Action, BINDINGS, Motion, Side, Step, Subject};

use crate::stories::groups::FOUR;
use crate::test_app::{THREE, TestApp};

/// The keys, and the lines and messages of what is wrong.
fn configured(lines: &[(&str, &[&str], usize)]) -> (Keymap, Vec<(usize, String)>) {
    let lines: Vec<_> = lines
        .iter()
        .map(|(name, keys, line)| UserKeys {
            name: (*name).to_owned(),
            keys: keys.iter().map(|key| (*key).to_owned()).collect(),
            line: *line,
        })
        .collect();
    let (keymap, errors) = keys::configured(&lines);
    let errors = errors.into_iter().map(|error| (error.line, error.message)).collect();
    (keymap, errors)
}

/// The keys where nothing is wrong, else the first mistake.
fn own(lines: &[(&str, &[&str], usize)]) -> Result<Keymap, (usize, String)> {
    let (keymap, errors) = configured(lines);
    errors.into_iter().next().map_or(Ok(keymap), Err)
}

#[test]
fn a_moved_key_does_its_work_and_the_old_one_nothing() {
    let mut desk = TestApp::with_offers(THREE);
    desk.model.keymap = own(&[("refresh", &["Z", "f9"], 2)]).unwrap();
    desk.keys("r");
    assert!(desk.calls.is_empty());
    desk.keys("Z");
    assert_eq!(desk.calls.len(), 1);
}

#[test]
fn footer_help_palette_and_empty_states_show_the_person_s_keys() {
    let mut desk = TestApp::with_offers(THREE);
    desk.model.keymap = own(&[
        ("refresh", &["Z"], 2),
        ("query", &["ctrl-g"], 3),
        ("mark", &[], 4),
        ("market", &["Q"], 5),
    ])
    .unwrap();
    desk.resize(200, 40);
    desk.expect("Ctrl-g search").expect("Q market");
    desk.expect_not("Space mark");
    desk.keys("?").type_text("refresh");
    desk.expect("Z  ");
    desk.keys("esc :").type_text("refresh");
    desk.expect(" Z ");
    desk.keys("esc ctrl-g ctrl-u").type_text("num_gpus>=64").keys("enter");
    desk.answer(r#"{"offers":[]}"#);
    desk.expect("F find the strictest condition   Ctrl-g edit query");
}

#[test]
fn groups_and_lab_name_the_person_s_keys() {
    let mut desk = TestApp::with_offers(THREE);
    desk.model.keymap = own(&[
        ("secrets", &["K"], 2),
        ("workergroups", &["f7"], 4),
        ("open", &["O"], 5),
        ("refresh", &["Z"], 6),
        ("route-lab", &["V"], 7),
        ("new-run", &["Q"], 8),
        ("stop-run", &["S"], 9),
        ("say-yes", &["Y"], 10),
        ("say-no", &["esc"], 11),
        ("form-recall", &["f8"], 14),
    ])
    .unwrap();
    // What the pane does is refused elsewhere with the way to it.
    desk.keys(":").type_text("from-search").keys("esc f7");
    desk.answer(FOUR);
    desk.keys("K").expect("Open the details first (O)");
    desk.keys("O right").expect("hidden (K shows it)").expect_not("canary");
    desk.keys("K").expect("canary-llama-2222");
    desk.keys("esc Z").answer(&FOUR.replace("\"id\":13", "\"id\":14"));
    desk.keys("n").type_text("chat").keys("esc C");
    desk.expect("f8".to_uppercase().as_str());
    desk.expect("F8 brings your other draft back");
    desk.keys("esc V esc esc");
    desk.expect_not("Ctrl-r");
    desk.keys("V esc").expect("Q new run");
    desk.keys("Q ctrl-u")
        .type_text("chat")
        .keys("down down space down ctrl-u");
    desk.type_text("101").keys("enter");
    desk.expect("Y start")
        .expect("Esc cancel")
        .expect("[ Cancel ]  [ Start ]");
    desk.keys("y").expect("This sends real traffic");
    desk.keys("Y").expect("Running");
    desk.keys("Q enter");
    desk.expect("stop it first (S in the route lab)");
}

#[test]
fn two_meanings_of_a_key_are_refused_with_both_lines() {
    for (lines, wanted) in [
        (
            vec![("refresh", &["x"][..], 4), ("sort", &["x"][..], 7)],
            (7, "'x' of 'sort' is already the key of 'refresh' (line 4)"),
        ),
        (
            vec![("sort", &["x"][..], 9), ("refresh", &["x"][..], 3)],
            (9, "'x' of 'sort' is already the key of 'refresh' (line 3)"),
        ),
        (
            vec![("refresh", &["s"][..], 2)],
            (
                2,
                "'s' of 'refresh' is already the key of 'sort' (its default); give 'sort' another key too",
            ),
        ),
        // It would hide the way out of the program.
        (
            vec![("refresh", &["q"][..], 2)],
            (
                2,
                "'q' of 'refresh' is already the key of 'quit' (its default); give 'quit' another key too",
            ),
        ),
    ] {
        let (line, message) = own(&lines).unwrap_err();
        assert_eq!((line, message.as_str()), wanted);
    }
}

#[track_caller]
fn shown(keymap: &Keymap, name: &str) -> String {
    let row = BINDINGS.iter().find(|row| row.name == name).unwrap();
    keymap.all_keys(row)
}

#[test]
fn a_bad_key_drops_only_itself() {
    let (keymap, errors) = configured(&[
        ("refresh", &["Z", "super-r"], 2),
        ("sort", &["nonsense"], 3),
        ("filter", &["Z"], 4),
        ("columns", &["C"], 5),
        ("nowhere", &["U"], 6),
        // The default of a line that is dropped is in nobody's way.
        ("query", &["s"], 7),
    ]);
    let lines: Vec<_> = errors.iter().map(|(line, _)| *line).collect();
    assert_eq!(lines, [2, 3, 4, 6], "{errors:#?}");
    for (name, keys) in [
        ("refresh", "Z"),
        ("sort", ""),
        ("filter", "f"),
        ("columns", "C"),
        ("query", "s"),
    ] {
        assert_eq!(shown(&keymap, name), keys, "{name}");
    }
    let mut desk = TestApp::with_offers(THREE);
    desk.model.keymap = keymap;
    desk.keys("Z");
    assert_eq!(desk.calls.len(), 1);
}

#[test]
fn keys_that_a_terminal_cannot_tell_apart_are_refused_with_the_reason() {
    for (key, other) in [
        ("ctrl-m", "Enter"),
        ("ctrl-M", "Enter"),
        ("ctrl-enter", "Enter"),
        ("ctrl-i", "Tab"),
        ("ctrl-tab", "Tab"),
        ("ctrl-shift-tab", "Shift-Tab"),
        ("ctrl-[", "Esc"),
        ("ctrl-esc", "Esc"),
        ("alt-esc", "Esc"),
        ("ctrl-h", "Backspace"),
        ("ctrl-backspace", "Backspace"),
    ] {
        let (line, message) = own(&[("refresh", &[key], 3)]).unwrap_err();
        assert_eq!(line, 3);
        let expected = format!("'{key}' cannot be the key of 'refresh': a terminal cannot tell it from {other}");
        assert_eq!(message, expected);
    }
    for key in ["enter", "tab", "esc", "backspace", "alt-enter", "ctrl-j", "ctrl-space"] {
        assert!(own(&[("unmark-all", &[key], 3)]).is_ok() || !key.contains('-'), "{key}");
    }
}

#[test]
fn the_way_out_keeps_its_key_whatever_is_wrong() {
    let (keymap, errors) = configured(&[("refresh", &["ctrl-c"], 2), ("quit-now", &[], 3)]);
    assert_eq!(errors.len(), 2, "{errors:#?}");
    assert_eq!(shown(&keymap, "quit-now"), "Ctrl-c");
    assert_eq!(shown(&keymap, "refresh"), "r F5");
    let keymap = own(&[("refresh", &["ctrl-c"], 2), ("quit-now", &["ctrl-q"], 3)]).unwrap();
    assert_eq!(shown(&keymap, "quit-now"), "Ctrl-q");
    let (keymap, errors) = configured(&[("refresh", &["ctrl-c"], 2), ("quit-now", &["q"], 3)]);
    assert_eq!(errors.len(), 2, "{errors:#?}");
    assert_eq!(shown(&keymap, "quit-now"), "Ctrl-c");
}

#[test]
fn keys_can_be_exchanged() {
    let keymap = own(&[("refresh", &["s"], 2), ("sort", &["r"], 3)]).unwrap();
    let sort = BINDINGS.iter().find(|row| row.name == "sort").unwrap();
    assert_eq!(keymap.shown_key(sort), "r");
}

#[test]
fn unknown_names_and_keys_are_named_with_what_would_be_right() {
    let (line, message) = own(&[("refrsh", &["U"], 5)]).unwrap_err();
    assert_eq!(line, 5);
    assert!(message.contains("did you mean 'refresh'"), "{message}");
    let (_, message) = own(&[("zzzzqqq", &["U"], 5)]).unwrap_err();
    assert!(message.contains("the help screen"), "{message}");
    let (line, message) = own(&[("refresh", &["super-r"], 6)]).unwrap_err();
    assert_eq!(line, 6);
    assert!(
        message.starts_with("'super-r' is no key: write a character, enter, esc"),
        "{message}"
    );
}

#[test]
fn letters_never_become_keys_where_text_is_typed() {
    let (_, message) = own(&[("run-query", &["x"], 2)]).unwrap_err();
    assert!(message.contains("text is typed there"), "{message}");
    let (_, message) = own(&[("quit-now", &["x"], 2)]).unwrap_err();
    assert!(message.contains("text is typed there"), "{message}");
    assert!(own(&[("run-query", &["alt-x"], 2)]).is_ok());
}

#[test]
fn there_is_always_a_way_out() {
    let (_, message) = own(&[("quit-now", &[], 2)]).unwrap_err();
    assert!(message.contains("needs a key"), "{message}");
}

#[test]
fn every_action_has_a_row() {
    use Motion::{Down, First, FirstColumn, HalfDown, HalfUp, Last, LastColumn, PageDown, PageUp, Up};
    let moves = [
        Down,
        Up,
        PageDown,
        PageUp,
        HalfDown,
        HalfUp,
        First,
        Last,
        FirstColumn,
        LastColumn,
    ]
    .map(Action::Move);
    let marks = [Subject::Machine, Subject::Host].map(|subject| [Action::Star(subject), Action::Note(subject)]);
    let shifts = [Step::Back, Step::Forward].map(Action::Shift);
    let sides = [Side::Table, Side::Preview].map(Action::Widen);
    let carrying = [
        &moves[..],
        &Pane::ALL.map(Action::Pane),
        marks.as_flattened(),
        &shifts,
        &sides,
    ]
    .concat();
    for action in Action::ALL.iter().chain(&carrying) {
        let has_row = BINDINGS.iter().any(|row| row.action == *action);
        assert!(has_row, "nobody can reach {action:?}: it has no row in BINDINGS");
    }
}

#[test]
fn every_row_has_a_name_of_its_own() {
    let mut names: Vec<_> = BINDINGS.iter().map(|row| row.name).collect();
    names.sort_unstable();
    let all = names.len();
    names.dedup();
    assert_eq!(names.len(), all);
}

#[test]
fn the_table_itself_passes_its_own_check() {
    for row in BINDINGS {
        let same = own(&[(row.name, row.keys, 1)]);
        assert!(same.is_ok() || row.keys.is_empty(), "{}: {same:?}", row.name);
    }
}
