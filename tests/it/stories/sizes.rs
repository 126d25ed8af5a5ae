//! Every list, editor and dialog at every size and in every sort of theme.

use bourse::app::themes::{NamedTheme, Themes};
use bourse::domain::Dialect;
use bourse::widgets::theme::Theme;

use crate::test_app::{THREE, TestApp};

const VIEWS: [&str; 14] = [
    "f",
    "f enter",
    "f down enter",
    "f tab",
    "f ctrl-o",
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
    for keys in VIEWS {
        for theme in [Theme::DARK, Theme::LIGHT, Theme::MONO] {
            let mut desk = TestApp::prepared(&Dialect::SANDBOX, |model| {
                model.themes = Themes {
                    all: vec![NamedTheme {
                        name: "dark".to_owned(),
                        theme: Some(Theme::DARK),
                        is_own: false,
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
