//! What is told by colour is told by a sign as well.

use bourse::tui::theme::Theme;
use ratatui::style::Modifier;

use crate::test_app::{THREE, TestApp};

/// Whether each cell with that sign is reversed, top to bottom.
fn reversed(desk: &TestApp, sign: &str) -> Vec<bool> {
    let cells = desk.cells().iter().filter(|cell| cell.symbol() == sign);
    cells.map(|cell| cell.modifier.contains(Modifier::REVERSED)).collect()
}

#[test]
fn a_bar_looks_alike_in_a_selected_row_and_in_others() {
    let mut desk = TestApp::with_offers(THREE);
    desk.theme = Theme::MONO;
    // The range of each group: one price only, so that all of it is the median's line.
    desk.keys("m").expect("Market ▏Summary▕");
    let medians = reversed(&desk, "│");
    assert!(!medians.is_empty());
}

#[test]
fn the_models_on_a_plot_have_signs_where_colours_are_missing() {
    let mut desk = TestApp::with_offers(THREE);
    desk.theme = Theme::MONO;
    desk.keys("p")
        .expect("● H100 SXM")
        .expect("○ RTX 3090")
        .expect("△ RTX 4090");
    // With colours, dots finer than a cell.
    desk.theme = Theme::DARK;
    desk.keys("l")
        .expect("● H100 SXM  ● RTX 3090  ● RTX 4090")
        .expect_not("○");
}

#[test]
fn the_bar_of_the_selected_row_has_a_sign_below_it() {
    for theme in [Theme::MONO, Theme::DARK] {
        let mut desk = TestApp::with_offers(THREE);
        desk.theme = theme;
        desk.keys("p d").expect("Distribution of").expect("▴");
    }
}

#[test]
fn the_market_stays_legible_under_a_dialog() {
    for (columns, rows) in [(80, 24), (120, 40)] {
        let mut desk = TestApp::with_offers(THREE);
        desk.theme = Theme::MONO;
        for keys in ["o", "esc F", "esc y", "esc :"] {
            desk.resize(columns, rows).keys(keys);
            let screen = desk.screen();
            let header = screen.lines().next().unwrap();
            assert!(header.contains(" LIVE test "), "{keys}\n{screen}");
            let first = &desk.cells()[..usize::from(columns)];
            let badge: Vec<_> = first
                .iter()
                .filter(|cell| cell.modifier.contains(Modifier::REVERSED))
                .collect();
            assert_eq!(badge.len(), " LIVE test ".len(), "{keys}\n{screen}");
        }
    }
}
