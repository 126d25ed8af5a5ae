//! What a key means, whichever view has the keyboard.

use std::collections::BTreeMap;

use bourse::keys::{Action, BINDINGS, Context};

use crate::test_app::{THREE, TestApp};

/// Letters that mean something else in one context, and why.
const EXCEPTIONS: [(&str, Context, Action, &str); 5] = [
    ("y", Context::Dialog, Action::Yes, "the answer to a yes-or-no question"),
    ("n", Context::Dialog, Action::Back, "the answer to a yes-or-no question"),
    ("q", Context::Dialog, Action::Back, "q goes back in every view"),
    (
        "n",
        Context::Report,
        Action::Newer,
        "less, vi and man step through matches by it",
    ),
    (
        "N",
        Context::Report,
        Action::Older,
        "less, vi and man step back through matches by it",
    ),
];

/// Actions that are one verb for a person: what is new depends on the view.
fn verb(action: Action) -> String {
    match action {
        Action::NewGroup | Action::GroupFromSearch => format!("{:?}", Action::New),
        other => format!("{other:?}"),
    }
}

#[test]
fn a_letter_has_one_meaning_wherever_it_is_not_typed() {
    let mut meanings: BTreeMap<&str, BTreeMap<String, Vec<&str>>> = BTreeMap::new();
    let mut unused: Vec<_> = EXCEPTIONS.iter().collect();
    for row in BINDINGS {
        for key in row.keys {
            let is_letter = key.len() == 1 && key.starts_with(|it: char| it.is_alphabetic());
            let exceptions = unused.len();
            unused
                .retain(|(letter, context, action, _)| (*letter, *context, *action) != (*key, row.context, row.action));
            if is_letter && unused.len() == exceptions {
                let own = meanings.entry(key).or_default();
                own.entry(verb(row.action)).or_default().push(row.name);
            }
        }
    }
    meanings.retain(|_, own| own.len() > 1);
    assert!(meanings.is_empty(), "{meanings:#?}");
    assert!(unused.is_empty(), "no exceptions any longer: {unused:#?}");
}

#[test]
fn an_unbound_key_says_so_once_in_every_view() {
    for keys in [
        "enter",
        "enter tab",
        "enter tab tab",
        "enter tab tab tab",
        "v",
        "m",
        "p",
        "D",
        "2",
        "3",
        "4",
        "M",
        "t esc",
    ] {
        let mut desk = TestApp::with_offers(THREE);
        desk.keys("space space");
        desk.keys(keys);
        desk.wait(9.0);
        desk.keys("Z");
        assert!(desk.shows("Z does nothing here"), "{keys}\n{}", desk.screen());
        desk.wait(9.0);
        desk.keys("Z");
        assert!(!desk.shows("Z does nothing here"), "{keys}\n{}", desk.screen());
    }
}

#[test]
fn q_goes_back_from_every_view_and_ctrl_c_quits_there() {
    use bourse::core::Effect;
    for keys in ["enter", "enter tab", "v", "m", "p", "D", "M", "t esc"] {
        let mut desk = TestApp::with_offers(THREE);
        desk.keys("space space");
        desk.keys(keys);
        assert_eq!(desk.model.overlays.len(), 1, "{keys}");
        desk.keys("q");
        assert!(desk.model.overlays.is_empty(), "{keys}\n{}", desk.screen());
        assert!(!desk.effects.contains(&Effect::Quit), "{keys}");
        desk.keys(keys).keys("ctrl-c");
        assert!(desk.effects.contains(&Effect::Quit), "{keys}");
    }
}

#[test]
fn ctrl_c_leaves_every_text_and_quits_the_second_time() {
    use bourse::core::Effect;
    for keys in [
        "/",
        "f",
        "F",
        "s",
        "c",
        "o",
        "b",
        ":",
        "?",
        "J",
        "K",
        "e",
        "n",
        "2 u",
        "enter tab /",
    ] {
        let mut desk = TestApp::with_offers(THREE);
        desk.keys(keys).keys("ctrl-c");
        assert!(!desk.effects.contains(&Effect::Quit), "{keys}\n{}", desk.screen());
        desk.keys("ctrl-c");
        assert!(desk.effects.contains(&Effect::Quit), "{keys}\n{}", desk.screen());
    }
}

#[test]
fn the_ends_of_a_wide_comparison_are_a_key_away() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("space space space v $ enter");
    let last = desk.model.browser().unwrap().selected();
    desk.keys("v 0 enter");
    let first = desk.model.browser().unwrap().selected();
    assert_ne!(first, last);
    desk.keys("v $ enter");
    assert_eq!(desk.model.browser().unwrap().selected(), last);
}

#[test]
fn pages_and_ends_are_a_key_away_in_every_list() {
    for keys in ["", "enter tab", "enter tab tab tab", "m", "D", "M"] {
        let mut desk = TestApp::with_offers(THREE);
        desk.keys(keys);
        for key in ["ctrl-f", "ctrl-b", "end", "home", "pgdn", "pgup", "G", "g"] {
            desk.wait(9.0);
            desk.keys(key);
            assert!(!desk.shows("does nothing"), "{keys}: {key}\n{}", desk.screen());
        }
    }
}

#[test]
fn completions_open_under_the_cursor_with_counts() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("/").type_text(" gpu_name=R");
    let screen = desk.screen();
    let column = |line: &str, text: &str| {
        let place = line.find(text).map(|place| place + text.len());
        place.map(|place| line[..place].chars().count())
    };
    let typed = screen.lines().find_map(|line| column(line, "gpu_name="));
    let mut below = screen.lines().skip_while(|line| !line.contains("loaded rows"));
    assert!(below.next().is_some(), "{screen}");
    let first = below.next().unwrap();
    assert_eq!(
        typed.unwrap() + "RTX ".len(),
        column(first, "RTX ").unwrap(),
        "{screen}"
    );
    desk.expect("RTX 5090                  0 ┃")
        .expect("RTX 4090                  1 ┃");
}

#[test]
fn every_help_text_is_a_sentence_of_at_most_ten_words() {
    for row in BINDINGS {
        let is_sentence = row.help.starts_with(|first: char| first.is_uppercase()) && !row.help.contains([':', ';']);
        assert!(is_sentence, "{}: {}", row.name, row.help);
        assert!(row.help.split(' ').count() <= 10, "{}: {}", row.name, row.help);
    }
}

#[test]
fn the_help_shows_its_texts_in_full_on_a_small_screen() {
    let mut desk = TestApp::with_offers(THREE);
    desk.resize(80, 24).keys("?");
    for _ in 0..8 {
        // Why a key is disabled is told in full below the list.
        let screen = desk.screen();
        let is_cut = |line: &str| line.split(" (").next().is_some_and(|text| text.contains('…'));
        assert!(!screen.lines().skip(4).any(is_cut), "{screen}");
        desk.keys("pgdn");
    }
}

#[test]
fn the_help_finds_the_configuration_and_the_paths() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("?").type_text("config.toml").expect("config.toml  ");
    desk.keys("ctrl-u")
        .type_text("paths")
        .expect("prints the paths of all files");
}
