//! Resolves the theme from the user's choice, the terminal's abilities, and the colours in the configuration.

use std::str::FromStr as _;

use ratatui::style::{Color, Style};

use crate::theme::Theme;

/// The theme chosen by the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Choice {
    /// Dark or light, by the terminal's background.
    #[default]
    Auto,
    /// Light text on dark.
    Dark,
    /// Dark text on light.
    Light,
    /// White on black, with a contrast of at least 7 to 1.
    HighContrast,
    /// The terminal's own sixteen colours.
    Ansi,
    /// No colours: text attributes only.
    Plain,
}

impl Choice {
    /// All choices with their names in a configuration.
    pub const ALL: [(&'static str, Self); 6] = [
        ("auto", Self::Auto),
        ("dark", Self::Dark),
        ("light", Self::Light),
        ("high-contrast", Self::HighContrast),
        ("ansi", Self::Ansi),
        ("none", Self::Plain),
    ];
}

/// The number of colours that the terminal supports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Depth {
    Mono,
    Ansi,
    /// The 256 colours of the fixed palette.
    Palette,
    Full,
}

/// The colours that replace those of a role.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Override {
    role: Role,
    foreground: Option<Color>,
    background: Option<Color>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Named(&'static str),
    Background,
}

/// The appearance in a configuration.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ThemeConfig {
    /// The theme that the configuration chooses.
    pub choice: Choice,
    /// Colours for roles; later ones override earlier ones.
    pub overrides: Vec<Override>,
    /// Whether only ASCII is drawn; `None` lets the environment decide.
    pub ascii: Option<bool>,
}

impl Override {
    /// Parses a role's colours: `#rrggbb`, a name such as `light-blue` or a number of the 256-colour palette;
    /// with a background `black on #ffcc00` or only `on 52`. The role `background` takes one colour.
    ///
    /// # Errors
    /// If the role or colour does not exist; the message lists the valid ones.
    pub fn parse(role: &str, text: &str) -> Result<Self, String> {
        let mut theme = Theme::MONO;
        let names = theme.roles_mut().map(|(name, _)| name);
        let known = names.into_iter().find(|name| *name == role);
        let role = match (known, role) {
            (Some(name), _) => Role::Named(name),
            (None, "background") => Role::Background,
            (None, _) => {
                let names = names.join(", ");
                return Err(format!("'{role}' is no role: use one of {names}, background"));
            }
        };
        let (foreground, background) = match text.split_once("on ") {
            Some((front, back)) if front.trim().is_empty() => (None, Some(colour(back)?)),
            Some((front, back)) => (Some(colour(front)?), Some(colour(back)?)),
            None => (Some(colour(text)?), None),
        };
        if role == Role::Background && background.is_some() {
            return Err("background takes one colour".to_owned());
        }
        Ok(Self {
            role,
            foreground,
            background,
        })
    }

    /// Replaces the given colours of the role in a theme; the role's other colour and its modifiers stay.
    fn lay_over(self, theme: &mut Theme) {
        match self.role {
            Role::Background => theme.background = self.foreground,
            Role::Named(role) => {
                for (name, style) in theme.roles_mut() {
                    if name == role {
                        style.fg = self.foreground.or(style.fg);
                        style.bg = self.background.or(style.bg);
                    }
                }
            }
        }
    }
}

/// Parses the name, palette number or `#rrggbb` of a colour; the error lists the valid forms.
fn colour(text: &str) -> Result<Color, String> {
    let text = text.trim();
    Color::from_str(text).map_err(|_| {
        format!(
            "'{text}' is no colour: write #rrggbb, a number from 0 to 255, or black, red, green, \
             yellow, blue, magenta, cyan, gray, dark-gray, light-red … light-cyan, white"
        )
    })
}

impl Depth {
    /// The number of colours of the terminal, from `NO_COLOR`, `COLORTERM`, `WT_SESSION` and `TERM`; sixteen
    /// if they reveal nothing. `variable` reads the environment.
    fn detect(variable: &impl Fn(&str) -> Option<String>) -> Self {
        if variable("NO_COLOR").is_some_and(|value| !value.is_empty()) {
            return Self::Mono;
        }
        let is_full =
            matches!(variable("COLORTERM").as_deref(), Some("truecolor" | "24bit")) || variable("WT_SESSION").is_some();
        let term = variable("TERM").unwrap_or_default();
        // COLORTERM is not passed on by ssh; these names mean 24 bits wherever they occur.
        let knows_all = ["kitty", "alacritty", "foot", "ghostty", "wezterm", "-direct"];
        if is_full || knows_all.iter().any(|name| term.contains(name)) {
            Self::Full
        } else if term.contains("256color") {
            Self::Palette
        } else if term == "dumb" || term.ends_with("-m") || term.ends_with("-mono") || term.starts_with("vt1") {
            Self::Mono
        } else {
            Self::Ansi
        }
    }
}

impl ThemeConfig {
    /// The theme to draw with; `variable` reads the environment. Without colours it is the plain one, with
    /// sixteen the ANSI theme, except high contrast. Overrides replace its colours, which are then reduced to
    /// the terminal's.
    ///
    /// `light` is the terminal's reply about its background, `None` if there was none: then `COLORFGBG`
    /// decides, and dark is the default.
    pub fn theme(&self, light: Option<bool>, variable: impl Fn(&str) -> Option<String>) -> Theme {
        let depth = Depth::detect(&variable);
        let light = light.or_else(|| from_colorfgbg(&variable));
        let mut theme = match self.choice {
            _ if depth == Depth::Mono => Theme::MONO,
            Choice::Plain => Theme::MONO,
            Choice::Ansi => ansi(light),
            Choice::HighContrast => Theme::HIGH_CONTRAST,
            _ if depth == Depth::Ansi => ansi(light),
            // A terminal that does not answer is mostly dark.
            Choice::Light if light != Some(true) => Theme::LIGHT_PAINTED,
            Choice::Auto if light != Some(true) => Theme::DARK,
            Choice::Dark => Theme::DARK,
            Choice::Auto | Choice::Light => Theme::LIGHT,
        };
        if depth > Depth::Mono && self.choice != Choice::Plain {
            for change in &self.overrides {
                change.lay_over(&mut theme);
            }
            reduce(&mut theme, depth);
        }
        theme.ascii = self.ascii.unwrap_or_else(|| wants_ascii(&variable));
        theme
    }

    /// Whether a query of the terminal's background can change the theme. False for a fixed theme, without
    /// colours, for terminals that would print the query, and on other systems than Unix.
    pub fn wants_background(&self, variable: impl Fn(&str) -> Option<String>) -> bool {
        let term = variable("TERM").unwrap_or_default();
        // These print sequences that they do not understand.
        let prints = ["eterm", "dumb", "linux", "cons25", "screen"];
        cfg!(unix)
            && matches!(self.choice, Choice::Auto | Choice::Light | Choice::Ansi)
            && Depth::detect(&variable) > Depth::Mono
            && !prints.iter().any(|name| term.starts_with(name))
    }
}

/// The theme of sixteen colours; if `light` is `Some(true)`, with red instead of yellow, which cannot be read
/// on a light background.
fn ansi(light: Option<bool>) -> Theme {
    let mut theme = Theme::ANSI;
    if light == Some(true) {
        for (_, style) in theme.roles_mut() {
            style.fg = style
                .fg
                .map(|color| if color == Color::Yellow { Color::Red } else { color });
        }
    }
    theme
}

/// Whether `COLORFGBG` (set by some terminals: `foreground;background`) means a light background, which only
/// colours 7 and 15 are; `None` if it is not set, or its background is not a number.
fn from_colorfgbg(variable: &impl Fn(&str) -> Option<String>) -> Option<bool> {
    let value = variable("COLORFGBG")?;
    let background = value.rsplit(';').next()?.parse::<u8>().ok()?;
    // White and bright white, the only light ones of the 16 colours that are used as backgrounds.
    Some(background == 7 || background == 15)
}

/// Whether only ASCII can be drawn: the locale is not UTF-8, or the terminal is the Linux console.
///
/// Without a locale UTF-8 is assumed, which terminals use today.
fn wants_ascii(variable: &impl Fn(&str) -> Option<String>) -> bool {
    // The console has a font of at most 512 characters, without braille and most of the box drawing.
    if variable("TERM").as_deref() == Some("linux") {
        return true;
    }
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .filter_map(variable)
        // In the order of POSIX: the first variable that is set decides.
        .find(|value| !value.is_empty());
    cfg!(unix)
        && locale.is_some_and(|locale| {
            let locale = locale.to_ascii_lowercase();
            !locale.contains("utf-8") && !locale.contains("utf8")
        })
}

/// Replaces the theme's 24-bit colours by the nearest ones that a terminal of `depth` has; other colours
/// stay.
fn reduce(theme: &mut Theme, depth: Depth) {
    let nearest = |color: Color| match (color, depth) {
        (Color::Rgb(r, g, b), Depth::Palette) => Color::Indexed(indexed(r, g, b)),
        (Color::Rgb(r, g, b), Depth::Ansi) => named(r, g, b),
        (color, _) => color,
    };
    for (_, style) in theme.roles_mut() {
        *style = Style {
            fg: style.fg.map(nearest),
            bg: style.bg.map(nearest),
            ..*style
        };
    }
    theme.background = theme.background.map(nearest);
}

/// The squared distance of two RGB colours, weighted by the eye's sensitivity; only for comparisons.
fn distance(left: (u8, u8, u8), right: (u8, u8, u8)) -> u32 {
    let square = |a: u8, b: u8| u32::from(a.abs_diff(b)).pow(2);
    // The eye is most sensitive to green and least to blue.
    2 * square(left.0, right.0) + 4 * square(left.1, right.1) + square(left.2, right.2)
}

/// The index in the 256-colour palette of the nearest colour of the 6x6x6 cube (16 to 231) or the grey ramp
/// (232 to 255).
fn indexed(r: u8, g: u8, b: u8) -> u8 {
    // The levels of xterm's palette, which others follow.
    const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];
    let step = |value: u8| (0..6_u8).min_by_key(|at| STEPS[usize::from(*at)].abs_diff(value));
    let (red, green, blue) = (step(r).unwrap_or(0), step(g).unwrap_or(0), step(b).unwrap_or(0));
    let cube = (
        STEPS[usize::from(red)],
        STEPS[usize::from(green)],
        STEPS[usize::from(blue)],
    );
    let grey = (0..24_u8)
        .min_by_key(|at| {
            let level = 8 + 10 * at;
            distance((level, level, level), (r, g, b))
        })
        .unwrap_or(0);
    let level = 8 + 10 * grey;
    if distance((level, level, level), (r, g, b)) < distance(cube, (r, g, b)) {
        232 + grey
    } else {
        16 + 36 * red + 6 * green + blue
    }
}

/// The nearest of the sixteen named colours, as xterm shows them.
fn named(r: u8, g: u8, b: u8) -> Color {
    const NAMED: [(Color, (u8, u8, u8)); 16] = [
        (Color::Black, (0, 0, 0)),
        (Color::Red, (205, 0, 0)),
        (Color::Green, (0, 205, 0)),
        (Color::Yellow, (205, 205, 0)),
        (Color::Blue, (0, 0, 238)),
        (Color::Magenta, (205, 0, 205)),
        (Color::Cyan, (0, 205, 205)),
        (Color::Gray, (229, 229, 229)),
        (Color::DarkGray, (127, 127, 127)),
        (Color::LightRed, (255, 0, 0)),
        (Color::LightGreen, (0, 255, 0)),
        (Color::LightYellow, (255, 255, 0)),
        (Color::LightBlue, (92, 92, 255)),
        (Color::LightMagenta, (255, 0, 255)),
        (Color::LightCyan, (0, 255, 255)),
        (Color::White, (255, 255, 255)),
    ];
    NAMED
        .iter()
        .min_by_key(|(_, known)| distance(*known, (r, g, b)))
        .map_or(Color::Reset, |(name, _)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fixed_palette_is_met_exactly_where_it_has_the_colour() {
        for (rgb, index) in [
            ((0, 0, 0), 16),
            ((255, 255, 255), 231),
            ((255, 0, 0), 196),
            ((95, 135, 175), 67),
            ((8, 8, 8), 232),
            ((238, 238, 238), 255),
        ] {
            assert_eq!(indexed(rgb.0, rgb.1, rgb.2), index, "{rgb:?}");
        }
    }

    #[test]
    fn sixteen_colours_keep_the_hue() {
        assert_eq!(named(0xff, 0x8a, 0x10), Color::Yellow);
        assert_eq!(named(0xf0, 0x10, 0x10), Color::LightRed);
        assert_eq!(named(0x20, 0x20, 0x20), Color::Black);
    }
}
