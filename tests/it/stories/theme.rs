//! Choosing the theme, key by key.

use bourse::core::configuration::Reconfigured;
use bourse::core::message::{ConfigCommand, Effect, Message};
use bourse::core::themes::{NamedTheme, Themes};
use bourse::domain::Dialect;
use bourse::tui::theme::Theme;
use ratatui::style::Color;

use crate::test_app::{THREE, TestApp};

/// A desk in the dark theme with a theme of the person's own.
fn desk() -> TestApp {
    let night = Theme {
        accent: ratatui::style::Style::new().fg(Color::Rgb(255, 0, 255)),
        ..Theme::DARK
    };
    let named = |name: &str, theme, is_own| NamedTheme {
        name: name.to_owned(),
        theme: Some(theme),
        is_users: is_own,
    };
    let mut desk = TestApp::prepared(&Dialect::DOCUMENTED, |model| {
        model.settings.themes = Themes {
            all: vec![
                named("dark", Theme::DARK, false),
                named("light", Theme::LIGHT, false),
                named("night", night, true),
            ],
            chosen: "dark".to_owned(),
            shown: None,
        };
    });
    desk.theme = Theme::DARK;
    desk.answer(THREE);
    desk
}

/// The colour of the program's name.
fn accent(desk: &TestApp) -> Color {
    desk.cells()[1].fg
}

/// The colours of all texts.
fn colors(desk: &TestApp) -> Vec<Color> {
    desk.cells().iter().map(|cell| cell.fg).collect()
}

fn saved(desk: &TestApp) -> Vec<&str> {
    let effects = desk.effects.iter();
    effects
        .filter_map(|effect| match effect {
            Effect::Config(ConfigCommand::SaveTheme(name)) => Some(name.as_str()),
            _ => None,
        })
        .collect()
}

#[test]
fn the_screen_previews_the_theme_while_one_moves() {
    let mut desk = desk();
    let dark = accent(&desk);
    desk.keys(":").type_text("theme").keys("enter");
    desk.expect("› dark").expect("current").expect("yours");
    let before = colors(&desk);
    desk.keys("down");
    assert_ne!(colors(&desk), before);
    // A typed name selects, too.
    desk.type_text("nig");
    assert!(colors(&desk).contains(&Color::Rgb(255, 0, 255)));
    // Esc brings the old one back.
    desk.keys("esc");
    assert_eq!(accent(&desk), dark);
    assert_eq!(saved(&desk), [""; 0]);
}

#[test]
fn the_chosen_theme_stays_and_is_saved() {
    let mut desk = desk();
    desk.keys(":").type_text("theme").keys("enter pgdn enter");
    assert_eq!(accent(&desk), Color::Rgb(255, 0, 255));
    assert_eq!(saved(&desk), ["night"]);
    desk.keys(":").type_text("theme").keys("enter");
    desk.expect("› night");
    desk.keys("enter");
    assert_eq!(saved(&desk), ["night"], "it is saved already");
}

#[test]
fn typed_letters_lead_nowhere_else() {
    let mut desk = desk();
    desk.keys(":").type_text("theme").keys("enter");
    for key in ["y", "e", "t", "u", "b", "A", "r", "J"] {
        desk.keys(key).expect("Theme").expect_not("y copy");
    }
    // There is nothing to use.
    desk.expect("Nothing matches").expect_not("use this theme");
    assert!(desk.calls.is_empty());
    // What matches nothing is not chosen.
    desk.keys("enter").expect("Nothing matches");
    assert_eq!(saved(&desk), [""; 0]);
}

#[test]
fn every_size_is_drawn_without_a_panic() {
    let mut desk = desk();
    desk.keys(":").type_text("theme").keys("enter");
    for (columns, rows) in [(40, 10), (80, 24), (120, 40), (200, 60)] {
        desk.resize(columns, rows).expect("dark");
    }
}

fn reloaded(desk: &mut TestApp, theme: &str, is_noticeable: bool) {
    let themes = Themes {
        all: desk.model.settings.themes.all.clone(),
        chosen: theme.to_owned(),
        ..Themes::default()
    };
    desk.send(Message::Reconfigured(Ok(Box::new(Reconfigured {
        keymap: desk.model.keymap.clone(),
        market_list: desk.model.markets.market_list.clone(),
        themes,
        values: bourse::settings::Values::default(),
        notices: Vec::new(),
        is_noticeable,
    }))));
    desk.wait(0.0);
}

#[test]
fn the_saved_theme_is_no_news_when_its_file_is_read_back() {
    let mut desk = desk();
    desk.keys(":").type_text("theme").keys("enter pgdn enter");
    desk.send(Message::Report(Ok("Theme night saved".to_owned())));
    reloaded(&mut desk, "night", false);
    desk.expect("Theme night saved").expect_not("Configuration reloaded");
    // A change that the person makes in the file is.
    reloaded(&mut desk, "light", true);
    desk.expect("Configuration reloaded");
    desk.keys(":").type_text("theme").keys("enter");
    desk.expect("› light");
}
