//! Colours and emphasis, by role. No other file names a colour.

use ratatui::style::{Color, Modifier, Style};

/// The styles of every role on screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Theme {
    pub text: Style,
    pub dim: Style,
    /// The name of the program, the open tab, the focused field.
    pub accent: Style,
    /// Column headers and section headings.
    pub heading: Style,
    pub selected: Style,
    pub border: Style,
    /// The frame of the focused panel.
    pub focus: Style,
    /// A field of a form.
    pub input: Style,
    /// Text that matches a search.
    pub highlight: Style,
    /// The screen behind a dialog.
    pub backdrop: Style,
    pub key: Style,
    pub good: Style,
    pub warning: Style,
    pub error: Style,
    /// The badge of the sandbox.
    pub sandbox: Style,
    /// The badge of a live market.
    pub live: Style,
    /// The background; `None` leaves the terminal's own.
    pub background: Option<Color>,
    /// The series of a chart, in the order of its legend.
    pub series: [Style; SERIES],
    /// Whether the focused frame is drawn thick, for themes that cannot show it by colour.
    pub thick_focus: bool,
    /// Whether only ASCII is drawn.
    pub ascii: bool,
}

/// Distinguishable chart colours; further series share the last.
pub const SERIES: usize = 6;

/// A sign per series of a chart, each with its own ASCII replacement.
pub const SERIES_SIGNS: [&str; SERIES] = ["●", "○", "△", "▽", "+", "×"];

impl Theme {
    /// For dark backgrounds, 24-bit colours.
    pub const DARK: Self = Self {
        text: Style::new(),
        dim: fg(Color::Rgb(0x8b, 0x94, 0xa7)),
        accent: fg(Color::Rgb(0x7a, 0xc7, 0xff)).add_modifier(Modifier::BOLD),
        heading: fg(Color::Rgb(0xc8, 0xb6, 0xff)).add_modifier(Modifier::BOLD),
        selected: Style::new()
            .bg(Color::Rgb(0x2c, 0x3e, 0x5c))
            .fg(Color::Rgb(0xff, 0xff, 0xff))
            .add_modifier(Modifier::BOLD),
        border: fg(Color::Rgb(0x4a, 0x55, 0x6a)),
        key: fg(Color::Rgb(0x7a, 0xc7, 0xff)).add_modifier(Modifier::BOLD),
        good: fg(Color::Rgb(0x9e, 0xe0, 0x8f)),
        warning: fg(Color::Rgb(0xf5, 0xc8, 0x6a)),
        error: fg(Color::Rgb(0xff, 0x8a, 0x8a)).add_modifier(Modifier::BOLD),
        sandbox: fg(Color::Rgb(0x9e, 0xe0, 0x8f)),
        live: Style::new()
            .fg(Color::Rgb(0x20, 0x0c, 0x0c))
            .bg(Color::Rgb(0xff, 0xa6, 0x6b))
            .add_modifier(Modifier::BOLD),
        background: None,
        focus: fg(Color::Rgb(0x7a, 0xc7, 0xff)),
        input: Style::new()
            .bg(Color::Rgb(0x26, 0x2f, 0x3f))
            .fg(Color::Rgb(0xe8, 0xed, 0xf5)),
        highlight: Style::new()
            .bg(Color::Rgb(0x5c, 0x4a, 0x12))
            .fg(Color::Rgb(0xff, 0xe9, 0xa8))
            .add_modifier(Modifier::BOLD),
        backdrop: fg(Color::Rgb(0x8b, 0x94, 0xa7)).remove_modifier(Modifier::BOLD),
        series: [
            fg(Color::Rgb(0x7a, 0xc7, 0xff)),
            fg(Color::Rgb(0x9e, 0xe0, 0x8f)),
            fg(Color::Rgb(0xf5, 0xc8, 0x6a)),
            fg(Color::Rgb(0xc8, 0xb6, 0xff)),
            fg(Color::Rgb(0xff, 0x9d, 0x7a)),
            fg(Color::Rgb(0x7f, 0xe0, 0xd0)),
        ],
        thick_focus: false,
        ascii: false,
    };

    /// For light backgrounds, 24-bit colours.
    pub const LIGHT: Self = Self {
        text: Style::new(),
        dim: fg(Color::Rgb(0x5a, 0x62, 0x70)),
        accent: fg(Color::Rgb(0x00, 0x55, 0xaa)).add_modifier(Modifier::BOLD),
        heading: fg(Color::Rgb(0x5b, 0x2f, 0xa8)).add_modifier(Modifier::BOLD),
        selected: Style::new()
            .bg(Color::Rgb(0xcf, 0xe0, 0xf7))
            .fg(Color::Rgb(0x08, 0x10, 0x20))
            .add_modifier(Modifier::BOLD),
        border: fg(Color::Rgb(0xa8, 0xb0, 0xbd)),
        key: fg(Color::Rgb(0x00, 0x55, 0xaa)).add_modifier(Modifier::BOLD),
        good: fg(Color::Rgb(0x1d, 0x6f, 0x20)),
        warning: fg(Color::Rgb(0x8a, 0x55, 0x00)),
        error: fg(Color::Rgb(0xb0, 0x14, 0x14)).add_modifier(Modifier::BOLD),
        sandbox: fg(Color::Rgb(0x1d, 0x6f, 0x20)),
        live: Style::new()
            .fg(Color::Rgb(0xff, 0xff, 0xff))
            .bg(Color::Rgb(0xa6, 0x45, 0x00))
            .add_modifier(Modifier::BOLD),
        background: None,
        focus: fg(Color::Rgb(0x00, 0x55, 0xaa)),
        input: Style::new()
            .bg(Color::Rgb(0xe8, 0xed, 0xf4))
            .fg(Color::Rgb(0x08, 0x10, 0x20)),
        highlight: Style::new()
            .bg(Color::Rgb(0xff, 0xe3, 0x9a))
            .fg(Color::Rgb(0x20, 0x18, 0x00))
            .add_modifier(Modifier::BOLD),
        backdrop: fg(Color::Rgb(0x5a, 0x62, 0x70)).remove_modifier(Modifier::BOLD),
        series: [
            fg(Color::Rgb(0x00, 0x55, 0xaa)),
            fg(Color::Rgb(0x1d, 0x6f, 0x20)),
            fg(Color::Rgb(0x8a, 0x55, 0x00)),
            fg(Color::Rgb(0x5b, 0x2f, 0xa8)),
            fg(Color::Rgb(0xb0, 0x3a, 0x14)),
            fg(Color::Rgb(0x00, 0x70, 0x6a)),
        ],
        thick_focus: false,
        ascii: false,
    };

    /// The light theme on a background of its own, for a dark terminal.
    pub const LIGHT_PAINTED: Self = Self {
        text: fg(Color::Rgb(0x08, 0x10, 0x20)),
        background: Some(Color::Rgb(0xff, 0xff, 0xff)),
        ..Self::LIGHT
    };

    /// White on black with bright colours: every text at least 7 to 1 against the background.
    pub const HIGH_CONTRAST: Self = Self {
        text: fg(Color::Rgb(0xff, 0xff, 0xff)),
        dim: fg(Color::Rgb(0xe0, 0xe0, 0xe0)),
        accent: fg(Color::Rgb(0x66, 0xff, 0xff)).add_modifier(Modifier::BOLD),
        heading: fg(Color::Rgb(0xff, 0xff, 0x66)).add_modifier(Modifier::BOLD),
        selected: Style::new()
            .bg(Color::Rgb(0xff, 0xff, 0x00))
            .fg(Color::Rgb(0x00, 0x00, 0x00))
            .add_modifier(Modifier::BOLD),
        border: fg(Color::Rgb(0xff, 0xff, 0xff)),
        key: fg(Color::Rgb(0x66, 0xff, 0xff)).add_modifier(Modifier::BOLD),
        good: fg(Color::Rgb(0x66, 0xff, 0x66)).add_modifier(Modifier::BOLD),
        warning: fg(Color::Rgb(0xff, 0xd0, 0x40)).add_modifier(Modifier::BOLD),
        error: fg(Color::Rgb(0xff, 0xa0, 0xa0)).add_modifier(Modifier::BOLD.union(Modifier::UNDERLINED)),
        sandbox: fg(Color::Rgb(0x66, 0xff, 0x66)),
        live: Style::new()
            .fg(Color::Rgb(0x00, 0x00, 0x00))
            .bg(Color::Rgb(0xff, 0xd0, 0x40))
            .add_modifier(Modifier::BOLD),
        background: Some(Color::Rgb(0x00, 0x00, 0x00)),
        focus: fg(Color::Rgb(0x66, 0xff, 0xff)),
        input: Style::new()
            .bg(Color::Rgb(0x00, 0x00, 0x00))
            .fg(Color::Rgb(0xff, 0xff, 0xff))
            .add_modifier(Modifier::UNDERLINED),
        highlight: Style::new()
            .bg(Color::Rgb(0xff, 0xff, 0xff))
            .fg(Color::Rgb(0x00, 0x00, 0x00))
            .add_modifier(Modifier::BOLD),
        backdrop: fg(Color::Rgb(0xe0, 0xe0, 0xe0)).remove_modifier(Modifier::BOLD),
        series: [
            fg(Color::Rgb(0x66, 0xff, 0xff)),
            fg(Color::Rgb(0x66, 0xff, 0x66)),
            fg(Color::Rgb(0xff, 0xff, 0x66)),
            fg(Color::Rgb(0xff, 0x9d, 0xff)),
            fg(Color::Rgb(0xff, 0xd0, 0x40)),
            fg(Color::Rgb(0xff, 0xff, 0xff)),
        ],
        thick_focus: true,
        ascii: false,
    };

    /// For terminals with the sixteen named colours, on any background.
    pub const ANSI: Self = Self {
        text: Style::new(),
        dim: Style::new().add_modifier(Modifier::DIM),
        accent: fg(Color::Cyan).add_modifier(Modifier::BOLD),
        heading: fg(Color::Magenta).add_modifier(Modifier::BOLD),
        selected: Style::new().add_modifier(Modifier::REVERSED),
        border: Style::new().add_modifier(Modifier::DIM),
        key: fg(Color::Cyan).add_modifier(Modifier::BOLD),
        good: fg(Color::Green),
        warning: fg(Color::Yellow),
        error: fg(Color::Red).add_modifier(Modifier::BOLD),
        sandbox: fg(Color::Green),
        live: fg(Color::Yellow).add_modifier(Modifier::BOLD.union(Modifier::REVERSED)),
        background: None,
        focus: fg(Color::Cyan),
        input: Style::new().add_modifier(Modifier::UNDERLINED),
        highlight: Style::new().add_modifier(Modifier::BOLD.union(Modifier::REVERSED)),
        backdrop: Style::new().add_modifier(Modifier::DIM).remove_modifier(Modifier::BOLD),
        series: [
            fg(Color::Cyan),
            fg(Color::Green),
            fg(Color::Yellow),
            fg(Color::Magenta),
            fg(Color::Red),
            fg(Color::Blue),
        ],
        thick_focus: true,
        ascii: false,
    };

    /// Without colours: weight, reversal and underlining carry the meaning.
    pub const MONO: Self = Self {
        text: Style::new(),
        dim: Style::new(),
        accent: Style::new().add_modifier(Modifier::BOLD.union(Modifier::UNDERLINED)),
        heading: Style::new().add_modifier(Modifier::BOLD.union(Modifier::UNDERLINED)),
        selected: Style::new().add_modifier(Modifier::REVERSED),
        border: Style::new(),
        key: Style::new().add_modifier(Modifier::BOLD),
        good: Style::new().add_modifier(Modifier::BOLD),
        warning: Style::new().add_modifier(Modifier::UNDERLINED),
        error: Style::new().add_modifier(Modifier::BOLD.union(Modifier::UNDERLINED)),
        sandbox: Style::new(),
        live: Style::new().add_modifier(Modifier::REVERSED.union(Modifier::BOLD)),
        background: None,
        focus: Style::new().add_modifier(Modifier::BOLD),
        input: Style::new().add_modifier(Modifier::UNDERLINED),
        highlight: Style::new().add_modifier(Modifier::BOLD.union(Modifier::UNDERLINED)),
        backdrop: Style::new()
            .add_modifier(Modifier::DIM)
            .remove_modifier(Modifier::BOLD.union(Modifier::UNDERLINED).union(Modifier::REVERSED)),
        series: [Style::new(); SERIES],
        thick_focus: true,
        ascii: false,
    };

    /// Whether the series of a chart differ in colour; otherwise each needs a sign of its own.
    pub fn tells_series_apart(&self) -> bool {
        self.series[0] != self.series[1]
    }

    /// The theme behind a dialog: no frame has the focus.
    #[must_use]
    pub const fn unfocused(&self) -> Self {
        Self {
            focus: self.border,
            thick_focus: false,
            ..*self
        }
    }

    /// The name of every role in the configuration, with its style.
    pub const fn roles_mut(&mut self) -> [(&'static str, &mut Style); 22] {
        let [first, second, third, fourth, fifth, sixth] = &mut self.series;
        [
            ("text", &mut self.text),
            ("dim", &mut self.dim),
            ("accent", &mut self.accent),
            ("heading", &mut self.heading),
            ("selected", &mut self.selected),
            ("border", &mut self.border),
            ("focus", &mut self.focus),
            ("input", &mut self.input),
            ("highlight", &mut self.highlight),
            ("backdrop", &mut self.backdrop),
            ("key", &mut self.key),
            ("good", &mut self.good),
            ("warning", &mut self.warning),
            ("error", &mut self.error),
            ("sandbox", &mut self.sandbox),
            ("live", &mut self.live),
            ("series-1", first),
            ("series-2", second),
            ("series-3", third),
            ("series-4", fourth),
            ("series-5", fifth),
            ("series-6", sixth),
        ]
    }
}

const fn fg(color: Color) -> Style {
    Style::new().fg(color)
}
