//! Themes: the one that suits a terminal, colours that can be read, and meaning that does not hang on colour.

use bourse_tui::appearance::{Choice, Override, ThemeConfig};
use bourse_tui::theme::Theme;
use ratatui::style::{Color, Modifier, Style};

use crate::contrast::{luminance, ratio};

fn theme_of(choice: Choice, environment: &[(&str, &str)], light: Option<bool>) -> Theme {
    let config = ThemeConfig {
        choice,
        ..ThemeConfig::default()
    };
    config.theme(light, |name| variable(environment, name))
}

const FULL: (&str, &str) = ("COLORTERM", "truecolor");

fn variable(environment: &[(&str, &str)], name: &str) -> Option<String> {
    environment
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, value)| (*value).to_owned())
}

#[test]
fn auto_believes_the_terminal_then_colorfgbg_then_guesses_dark() {
    assert_eq!(theme_of(Choice::Auto, &[FULL], Some(true)), Theme::LIGHT);
    assert_eq!(theme_of(Choice::Auto, &[FULL], Some(false)), Theme::DARK);
    assert_eq!(theme_of(Choice::Auto, &[FULL], None), Theme::DARK);
    let light = [FULL, ("COLORFGBG", "0;15")];
    assert_eq!(theme_of(Choice::Auto, &light, None), Theme::LIGHT);
    assert_eq!(theme_of(Choice::Auto, &light, Some(false)), Theme::DARK);
    assert_eq!(theme_of(Choice::Dark, &light, Some(true)), Theme::DARK);
}

#[test]
fn a_light_theme_brings_its_background_to_a_dark_terminal() {
    let chosen = |light| theme_of(Choice::Light, &[FULL], light);
    assert_eq!(chosen(Some(true)).background, None);
    for light in [Some(false), None] {
        assert_eq!(chosen(light).background, Some(Color::Rgb(255, 255, 255)));
        assert!(chosen(light).text.fg.is_some(), "the terminal's own text is light");
    }
}

#[test]
fn of_sixteen_colours_yellow_is_for_dark_backgrounds() {
    let has_yellow = |light| {
        let mut theme = theme_of(Choice::Auto, &[("TERM", "xterm")], light);
        let mut roles = theme.roles_mut().into_iter();
        roles.any(|(_, style)| style.fg == Some(Color::Yellow))
    };
    assert!(has_yellow(Some(false)));
    assert!(!has_yellow(Some(true)));
}

#[test]
fn colours_are_reduced_to_what_the_terminal_shows() {
    let mut reduced = theme_of(Choice::Light, &[("TERM", "xterm-256color")], None);
    for (name, style) in reduced.roles_mut() {
        for color in [style.fg, style.bg].into_iter().flatten() {
            assert!(matches!(color, Color::Indexed(_)), "{name}: {color:?}");
        }
    }
    assert_eq!(theme_of(Choice::Auto, &[("TERM", "xterm")], Some(false)), Theme::ANSI);
    assert_eq!(theme_of(Choice::Dark, &[FULL, ("NO_COLOR", "1")], None), Theme::MONO);
    assert_eq!(
        theme_of(Choice::Dark, &[FULL, ("NO_COLOR", "")], None),
        Theme::DARK,
        "an empty NO_COLOR says nothing"
    );
    assert_eq!(theme_of(Choice::Plain, &[FULL], None), Theme::MONO);
    let kitty = theme_of(Choice::Dark, &[("TERM", "xterm-kitty")], None);
    assert_eq!(kitty, Theme::DARK, "COLORTERM does not travel over ssh");
    let mut contrast = theme_of(Choice::HighContrast, &[("TERM", "xterm")], None);
    assert_eq!(contrast.background, Some(Color::Black));
    for (name, style) in contrast.roles_mut() {
        assert!(!matches!(style.fg, Some(Color::Rgb(..) | Color::Indexed(_))), "{name}");
    }
}

#[test]
fn own_colours_are_laid_over_the_theme() {
    let config = ThemeConfig {
        choice: Choice::Dark,
        overrides: vec![
            Override::parse("error", "#102030").unwrap(),
            Override::parse("selected", "black on 214").unwrap(),
            Override::parse("live", "on light-blue").unwrap(),
            Override::parse("background", "white").unwrap(),
        ],
        ascii: None,
    };
    let theme = config.theme(None, |name| variable(&[FULL], name));
    assert_eq!(theme.error.fg, Some(Color::Rgb(0x10, 0x20, 0x30)));
    assert_eq!(theme.error.add_modifier, Theme::DARK.error.add_modifier, "weight stays");
    assert_eq!(
        (theme.selected.fg, theme.selected.bg),
        (Some(Color::Black), Some(Color::Indexed(214)))
    );
    assert_eq!(
        (theme.live.fg, theme.live.bg),
        (Theme::DARK.live.fg, Some(Color::LightBlue))
    );
    assert_eq!(theme.background, Some(Color::White));
    let plain = config.theme(None, |name| variable(&[("NO_COLOR", "1")], name));
    assert_eq!(plain, Theme::MONO);
}

#[test]
fn ascii_follows_the_locale_unless_it_is_configured() {
    for (environment, wanted) in [
        (&[("LANG", "de_DE.UTF-8")][..], false),
        (&[("LANG", "en_US.utf8")], false),
        (&[("LANG", "C")], true),
        (&[("LANG", "de_DE.ISO-8859-1")], true),
        (&[("LC_ALL", "C"), ("LANG", "de_DE.UTF-8")], true),
        (&[("TERM", "linux"), ("LANG", "de_DE.UTF-8")], true),
        (&[], false),
    ] {
        assert_eq!(
            theme_of(Choice::Dark, environment, None).ascii,
            wanted,
            "{environment:?}"
        );
    }
    let config = ThemeConfig {
        ascii: Some(false),
        ..ThemeConfig::default()
    };
    assert!(!config.theme(None, |name| variable(&[("LANG", "C")], name)).ascii);
}

fn contrast(style: Style, ground: Color) -> f64 {
    // The terminal's own text colour: as far from its background as can be.
    let own = if luminance(ground) > 0.5 {
        Color::Rgb(0, 0, 0)
    } else {
        Color::Rgb(255, 255, 255)
    };
    ratio(style.fg.unwrap_or(own), style.bg.unwrap_or(ground))
}

/// WCAG: 4.5 to 1 for text, 7 to 1 for enhanced contrast, 3 to 1 for large parts such as what lies behind a dialog, which
/// stands back behind all text that can be used. Frames are no text.
#[test]
fn text_can_be_read_in_every_theme() {
    for (mut theme, ground, least) in [
        (Theme::DARK, Color::Rgb(0, 0, 0), 4.5),
        (Theme::DARK, Color::Rgb(0x28, 0x28, 0x28), 4.5),
        (Theme::LIGHT, Color::Rgb(255, 255, 255), 4.5),
        (Theme::HIGH_CONTRAST, Color::Rgb(0, 0, 0), 7.0),
    ] {
        let (dim, backdrop) = (contrast(theme.dim, ground), contrast(theme.backdrop, ground));
        assert!(backdrop < dim, "{backdrop} {dim}");
        for (name, style) in theme.roles_mut() {
            let got = contrast(*style, ground);
            let least = if name == "backdrop" { 3.0 } else { least };
            assert!(name == "border" || got >= least, "{name}: {got}");
        }
        // The placeholder of the field that is typed into.
        let got = contrast(theme.input.patch(theme.dim), ground);
        assert!(got >= least, "placeholder: {got}");
    }
}

#[test]
fn fields_are_blocks_of_which_the_focused_one_stands_out() {
    let (black, white) = (Color::Rgb(0, 0, 0), Color::Rgb(255, 255, 255));
    for (theme, ground) in [
        (Theme::DARK, black),
        (Theme::LIGHT, white),
        (Theme::HIGH_CONTRAST, black),
    ] {
        let grounds = [ground, theme.field.bg.unwrap(), theme.input.bg.unwrap()];
        let [screen, field, input] = grounds.map(luminance);
        assert!(
            (screen - field).abs() > 0.003 && (input - field).abs() > 0.003,
            "{grounds:?}"
        );
        assert!((input - screen).abs() > (field - screen).abs(), "{grounds:?}");
        assert!(theme.field.add_modifier.is_empty(), "no line below fields");
    }
}

/// So that every role can be changed by the configuration.
#[test]
fn every_style_of_a_theme_is_a_role() {
    let mut theme = Theme::DARK;
    let styles = format!("{theme:?}").matches("Style {").count();
    // Style's own output is short when it is empty.
    let short = format!("{theme:?}").matches("Style::new()").count();
    let roles = theme.roles_mut().len();
    assert!(styles.max(short) <= roles, "{theme:?}");
}

#[test]
fn only_a_terminal_that_could_differ_is_asked_for_its_background() {
    let asks = |choice, environment: &[(&str, &str)]| {
        let config = ThemeConfig {
            choice,
            ..ThemeConfig::default()
        };
        config.wants_background(|name| variable(environment, name))
    };
    let xterm = ("TERM", "xterm-256color");
    assert!(asks(Choice::Auto, &[xterm]));
    assert!(!asks(Choice::Dark, &[xterm]));
    assert!(
        asks(Choice::Auto, &[("TERM", "xterm")]),
        "yellow is for dark backgrounds"
    );
    assert!(
        asks(Choice::Light, &[xterm]),
        "whether it needs a background of its own"
    );
    assert!(!asks(Choice::Auto, &[xterm, ("NO_COLOR", "1")]));
    assert!(!asks(Choice::Auto, &[FULL, ("TERM", "eterm-color")]));
}

fn is_more_than_colour(style: Style) -> bool {
    let signs = Modifier::BOLD | Modifier::REVERSED | Modifier::UNDERLINED;
    style.add_modifier.intersects(signs)
}

#[test]
fn what_matters_differs_by_more_than_colour() {
    let all = [
        Theme::DARK,
        Theme::LIGHT,
        Theme::HIGH_CONTRAST,
        Theme::ANSI,
        Theme::MONO,
    ];
    for theme in all {
        // A heading is known by its place; where there is no grey it has weight.
        for style in [theme.selected, theme.key, theme.error, theme.accent] {
            assert!(is_more_than_colour(style), "{style:?}");
        }
    }
    for theme in [Theme::ANSI, Theme::MONO] {
        assert!(is_more_than_colour(theme.heading));
    }
}

#[test]
fn a_line_of_a_chart_has_no_colour_that_judges() {
    for theme in [Theme::DARK, Theme::LIGHT, Theme::HIGH_CONTRAST, Theme::ANSI] {
        let judging = [theme.good, theme.warning, theme.error].map(|style| style.fg);
        for style in theme.series.into_iter().chain([theme.sandbox]) {
            assert!(style.fg.is_none() || !judging.contains(&style.fg), "{style:?}");
        }
        let colors = theme.series.map(|style| style.fg);
        assert!(
            (1..colors.len()).all(|index| !colors[..index].contains(&colors[index])),
            "{colors:?}"
        );
    }
}

#[test]
fn without_colours_good_warning_and_error_differ() {
    let theme = Theme::MONO;
    assert_eq!(theme.good.add_modifier, Modifier::BOLD);
    assert_eq!(theme.warning.add_modifier, Modifier::UNDERLINED);
    let both = Modifier::BOLD | Modifier::UNDERLINED;
    assert_eq!(theme.error.add_modifier, both);
}
