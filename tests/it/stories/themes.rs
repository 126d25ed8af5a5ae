//! What every theme keeps to: text can be read, and nothing is told by colour alone.

use bourse::widgets::appearance::{Choice, Look};
use bourse::widgets::theme::Theme;
use ratatui::style::{Color, Modifier, Style};

use crate::test_app::{THREE, TestApp};

fn themes() -> [(&'static str, Theme, Color); 3] {
    [
        ("dark", Theme::DARK, Color::Rgb(0x1e, 0x1e, 0x2e)),
        ("light", Theme::LIGHT, Color::Rgb(0xff, 0xff, 0xff)),
        ("high-contrast", Theme::HIGH_CONTRAST, Color::Rgb(0, 0, 0)),
    ]
}

/// Relative luminance as WCAG 2 has it.
fn luminance(color: Color) -> f64 {
    let Color::Rgb(r, g, b) = color else {
        panic!("{color:?} is not of 24 bits")
    };
    let linear = |part: u8| {
        let part = f64::from(part) / 255.0;
        if part <= 0.04045 {
            part / 12.92
        } else {
            ((part + 0.055) / 1.055).powf(2.4)
        }
    };
    0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b)
}

fn contrast(one: Color, other: Color) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

#[test]
fn every_text_stands_out_from_its_background() {
    for (name, mut theme, background) in themes() {
        let least = if name == "high-contrast" { 7.0 } else { 4.5 };
        for (role, style) in theme.roles_mut() {
            // Frames are no text.
            if role == "border" {
                continue;
            }
            let Some(front) = style.fg else { continue };
            let ratio = contrast(front, style.bg.unwrap_or(background));
            assert!(ratio >= least, "{role} of {name}: {ratio:.1} to 1");
        }
    }
}

fn tells_more_than_colour(style: Style) -> bool {
    let signs = Modifier::BOLD | Modifier::REVERSED | Modifier::UNDERLINED;
    style.add_modifier.intersects(signs)
}

#[test]
fn what_matters_is_told_by_more_than_colour() {
    let all = [
        Theme::DARK,
        Theme::LIGHT,
        Theme::HIGH_CONTRAST,
        Theme::ANSI,
        Theme::MONO,
    ];
    for theme in all {
        for style in [theme.selected, theme.heading, theme.key, theme.error, theme.accent] {
            assert!(tells_more_than_colour(style), "{style:?}");
        }
    }
}

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
        let theme = Look::default().theme(None, variable);
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
        let look = Look {
            choice,
            ..Look::default()
        };
        let theme = look.theme(None, |name| (name == "TERM").then(|| "xterm".to_owned()));
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
    desk.keys("esc").expect("sort Score -");
    desk.keys("p").expect("Right move").expect_not("> move");
    desk.keys("esc ?").type_text("next record").expect("Right l");
}

#[test]
fn without_colours_good_warning_and_error_differ() {
    let theme = Theme::MONO;
    assert_eq!(theme.good.add_modifier, Modifier::BOLD);
    assert_eq!(theme.warning.add_modifier, Modifier::UNDERLINED);
    let both = Modifier::BOLD | Modifier::UNDERLINED;
    assert_eq!(theme.error.add_modifier, both);
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
