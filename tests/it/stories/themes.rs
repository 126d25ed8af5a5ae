//! Every theme on the screen: only the colours that the terminal has, and signs beside them.

use bourse::tui::appearance::{Choice, ThemeConfig};
use bourse::tui::theme::Theme;
use ratatui::style::{Color, Modifier};

use crate::test_app::{THREE, TestApp};

#[test]
fn without_colours_the_selection_is_reversed_and_no_cell_has_a_colour() {
    for environment in [
        vec![("NO_COLOR", "1"), ("COLORTERM", "truecolor")],
        vec![("TERM", "dumb")],
    ] {
        let variable = |name: &str| {
            let known = environment.iter().find(|(known, _)| *known == name);
            known.map(|(_, value)| (*value).to_owned())
        };
        let theme = ThemeConfig::default().theme(None, variable);
        assert!(theme.selected.add_modifier.contains(Modifier::REVERSED));
        let mut desk = TestApp::with_offers(THREE);
        desk.theme = theme;
        for keys in ["down", "enter", "esc", "?", "esc", ":", "esc", "m", "esc", "f"] {
            desk.keys(keys);
            for cell in desk.cells() {
                assert_eq!((cell.fg, cell.bg), (Color::Reset, Color::Reset), "{keys}");
            }
        }
    }
}

#[test]
fn sixteen_colours_are_the_terminal_s_own() {
    for choice in [Choice::Ansi, Choice::Auto, Choice::Light, Choice::HighContrast] {
        let config = ThemeConfig {
            choice,
            ..ThemeConfig::default()
        };
        let theme = config.theme(None, |name| (name == "TERM").then(|| "xterm".to_owned()));
        let mut desk = TestApp::with_offers(THREE);
        desk.theme = theme;
        desk.keys("enter esc ?");
        for cell in desk.cells() {
            for color in [cell.fg, cell.bg] {
                let is_named = !matches!(color, Color::Rgb(..) | Color::Indexed(_));
                assert!(is_named, "{choice:?}: {color:?}");
            }
        }
    }
}

/// With each sign of the table the meaning is there in letters, whatever the colours.
#[test]
fn selection_marks_and_best_values_have_signs() {
    let mut desk = TestApp::with_offers(THREE);
    desk.keys("space");
    assert!(desk.row("102").starts_with("┃›◆ "), "{}", desk.screen());
    assert!(desk.row("101").starts_with("┃▌◆ "), "{}", desk.screen());
}

#[test]
fn in_ascii_arrow_keys_have_names_and_the_order_is_written_as_it_is_typed() {
    let mut desk = TestApp::with_offers(THREE);
    desk.theme = Theme {
        ascii: true,
        ..Theme::MONO
    };
    desk.model.keymap = desk.model.keymap.clone().in_words(true);
    desk.keys("esc").expect("Score -");
    desk.keys("p").expect("Right move").expect_not("> move");
    desk.keys("esc ?").type_text("next record").expect("Right l");
}

#[test]
fn a_dialog_without_colours_dims_what_is_behind_it() {
    let mut desk = TestApp::with_offers(THREE);
    desk.theme = Theme::MONO;
    desk.keys("?");
    assert!(desk.cells()[0].modifier.contains(Modifier::DIM));
}

#[test]
fn underlines_do_not_run_over_padding() {
    let mut desk = TestApp::with_offers(THREE);
    desk.theme = Theme::MONO;
    desk.wait(0.0);
    for pair in desk.cells().windows(2) {
        let [blank, title] = pair else { continue };
        let starts_title = blank.symbol() == " " && matches!(title.symbol(), "b" | "O");
        let is_underlined = |cell: &ratatui::buffer::Cell| cell.modifier.contains(Modifier::UNDERLINED);
        assert!(!(starts_title && is_underlined(blank)), "{}", desk.screen());
    }
}
