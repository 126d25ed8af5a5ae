//! Every list, editor and dialog at every size and in every sort of theme.

use bourse::core::Message;
use bourse::core::themes::{NamedTheme, Themes};
use bourse::domain::Dialect;
use bourse::domain::journal::Damage;
use bourse::tui::theme::Theme;

use crate::cases::cases;
use crate::test_app::{THREE, TestApp};

const VIEWS: [&str; 14] = [
    "f",
    "f enter",
    "f down enter",
    "f b o d y enter",
    "F",
    "s",
    "c",
    "o",
    "b",
    "b enter",
    ":",
    "?",
    "M",
    "M n",
];

#[test]
fn every_view_is_drawn_at_every_size_and_in_every_theme() {
    let step = cases(3, 1);
    for (turn, keys) in VIEWS.into_iter().enumerate() {
        let themes = [Theme::DARK, Theme::LIGHT, Theme::MONO];
        for theme in themes.into_iter().skip(turn % step).step_by(step) {
            let mut desk = TestApp::prepared(&Dialect::SANDBOX, |model| {
                model.settings.themes = Themes {
                    all: vec![NamedTheme {
                        name: "dark".to_owned(),
                        theme: Some(Theme::DARK),
                        is_users: false,
                    }],
                    ..Themes::default()
                };
            });
            desk.theme = theme;
            desk.answer(THREE).keys(keys);
            for (columns, rows) in [(40, 10), (80, 24), (120, 40), (200, 60)] {
                desk.resize(columns, rows);
                let screen = desk.screen();
                let last = screen.lines().last().unwrap();
                let way_out = if keys == "?" { "close" } else { "help" };
                assert!(last.contains(way_out), "{keys} {columns}x{rows}\n{screen}");
            }
        }
    }
}

#[test]
fn from_100_columns_a_second_panel_goes_with_the_list() {
    for (keys, title) in [
        ("f", "Query"),
        ("s", "Order"),
        ("c", "Selected row"),
        ("o", "POST /api/v0/bundles/"),
        ("b", "This search"),
    ] {
        let mut desk = TestApp::with_offers(THREE);
        desk.resize(100, 30).keys(keys).expect(title);
    }
}

/// Keys from the offers to a screen of each sort.
const SCREENS: [&str; 16] = [
    "",
    "enter",
    "enter tab",
    "enter tab tab tab",
    "space j space v",
    "p",
    "f",
    "f enter",
    "J",
    "b",
    "e",
    "y",
    "t",
    ":",
    "?",
    "M n",
];

fn draws(columns: impl Iterator<Item = u16> + Clone, rows: impl Iterator<Item = u16> + Clone) {
    for keys in SCREENS {
        let mut desk = TestApp::with_offers(THREE);
        desk.keys(keys);
        for columns in columns.clone() {
            for rows in rows.clone() {
                desk.resize(columns, rows);
                let is_blank = desk.screen().trim().is_empty();
                assert!(!is_blank || columns < 2 || rows == 0, "{keys} {columns}x{rows}");
            }
        }
        // Afterwards everything is where it belongs.
        desk.resize(120, 40);
        let screen = desk.screen();
        let (first, last) = (screen.lines().next(), screen.lines().last());
        assert!(first.unwrap().contains("1 Offers"), "{keys}\n{screen}");
        assert!(!last.unwrap().is_empty(), "{keys}\n{screen}");
    }
}

#[test]
fn no_size_is_too_odd_to_draw() {
    let columns = [0, 1, 2, 3, 5, 8, 13, 21, 33, 39, 40, 41, 60, 79, 99, 100, 119, 120];
    let rows = [0, 1, 2, 3, 5, 8, 9, 10, 11, 17, 25, 40];
    draws(columns.into_iter(), rows.into_iter());
}

#[test]
#[ignore = "long: every size"]
fn every_size_is_drawn() {
    draws(0..=120, 0..=40);
    for (columns, rows) in [(1, 1000), (1000, 1), (500, 500)] {
        draws(std::iter::once(columns), std::iter::once(rows));
    }
}

/// The rows between the top and the bottom of the dialog with a title, both included.
fn height_of(desk: &TestApp, title: &str) -> usize {
    let screen = desk.screen();
    let lines: Vec<&str> = screen.lines().collect();
    let corner = format!("┏ {title}");
    let top = lines.iter().position(|line| line.contains(&corner)).unwrap();
    let start = lines[top].find(&corner).unwrap();
    let left = lines[top][..start].chars().count();
    let is_bottom = |line: &&&str| line.chars().nth(left) == Some('┗');
    let bottom = lines[top..].iter().take_while(|line| !is_bottom(line));
    bottom.count() + 1
}

#[test]
fn dialogs_are_as_high_as_their_content() {
    let mut desk = TestApp::with_offers(THREE);
    // Six fields, a blank line, the button and the frame; the body beside it has some more lines.
    desk.keys("o");
    let settings = height_of(&desk, "Search");
    assert!((10..=20).contains(&settings), "{}", desk.screen());
    // All commands, then the one that is left: with the search line and the frame.
    desk.keys("esc :");
    assert_eq!(height_of(&desk, "Commands"), 34);
    desk.type_text("edit-config");
    assert_eq!(height_of(&desk, "Commands"), 4, "{}", desk.screen());
    // The details of a market beside one line for it.
    desk.keys("esc esc M").resize(200, 60);
    assert!(height_of(&desk, "Markets") <= 11, "{}", desk.screen());
}

#[test]
fn on_24_rows_damaged_lines_leave_room_for_what_to_do() {
    let mut desk = TestApp::with_offers(THREE);
    let line = |number: u8| Damage::new(number.into(), 0, &[b'0' + number; 600]);
    desk.send(Message::JournalDamage((1..8).map(line).collect()));
    desk.resize(80, 24);
    desk.expect("Settle with :resolve.");
    desk.keys(":").type_text("resolve").keys("enter");
    // The beginning of a line is enough to see what it is.
    desk.expect("line 5: 55555").expect_not("line 6");
    desk.expect("in full, with 2 more: bourse writes check");
    desk.expect("and you can write again").expect("[ Move ]");
}

#[test]
fn a_notice_that_is_cut_ends_in_an_ellipsis() {
    let mut desk = TestApp::with_offers(THREE);
    desk.send(Message::Notice("word ".repeat(40).trim().to_owned()));
    desk.resize(80, 24);
    let screen = desk.screen();
    let end = screen.lines().position(|line| line.contains(" ! word")).unwrap() + 1;
    let end = screen.lines().nth(end).unwrap();
    assert!(end.starts_with("   word") && end.trim_end().ends_with('…'), "{screen}");
}

#[test]
fn lines_out_of_sight_are_announced() {
    // By a scrollbar on the border, or where there is none by their numbers below.
    for view in ["?", "f", "s", "c"] {
        let mut desk = TestApp::with_offers(THREE);
        desk.resize(200, 60).keys(view);
        let is_thumb = |line: &str| line.contains('▐');
        let screen = desk.screen();
        assert!(screen.lines().skip(3).take(10).any(is_thumb), "{view}\n{screen}");
        desk.keys("pgdn pgdn pgdn pgdn");
        let screen = desk.screen();
        assert!(!screen.lines().skip(3).take(10).any(is_thumb), "{view}\n{screen}");
        assert!(screen.lines().skip(46).any(is_thumb), "{view}\n{screen}");
    }
    let mut desk = TestApp::with_offers(THREE);
    desk.resize(80, 24).keys("?").expect(" 1–");
    let mut desk = TestApp::with_offers(THREE);
    desk.theme = Theme {
        ascii: true,
        ..Theme::MONO
    };
    desk.resize(200, 60).keys("?");
    // The thumb, then the border of the other panel.
    desk.expect("#|        Keys  /");
}
