//! Colours and emphasis, by role. No other file names a colour.

use ratatui::style::{Color, Modifier, Style};

/// The styles of every role on screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Theme {
    /// Text without another role.
    pub text: Style,
    /// Notes, units and secondary text.
    pub dim: Style,
    /// The name of the program, the open tab, the focused field.
    pub accent: Style,
    /// Column headers and section headings.
    pub heading: Style,
    /// The selected row.
    pub selected: Style,
    /// Frames without the focus.
    pub border: Style,
    /// The frame of the focused panel.
    pub focus: Style,
    /// A field of a form.
    pub field: Style,
    /// The field that is typed into.
    pub input: Style,
    /// Text that matches a search.
    pub highlight: Style,
    /// The screen behind a dialog.
    pub backdrop: Style,
    /// Keys, in hints and in help.
    pub key: Style,
    /// Good states, such as a low price.
    pub good: Style,
    /// States that need attention soon.
    pub warning: Style,
    /// Errors and other bad states.
    pub error: Style,
    /// The badge of the sandbox.
    pub sandbox: Style,
    /// The badge of a live market.
    pub live: Style,
    /// The background; `None` for the terminal's own.
    pub background: Option<Color>,
    /// The series of a chart, in the order of its legend; none has the colour of a good, bad or wrong value.
    pub series: [Style; SERIES],
    /// Whether the focused frame is drawn thick, for themes that cannot show it by colour.
    pub thick_focus: bool,
    /// Whether only ASCII is drawn.
    pub ascii: bool,
}

/// The number of distinguishable chart colours; further series share the last.
pub const SERIES: usize = 6;

/// A sign for each series of a chart, each with its own ASCII replacement.
pub const SERIES_SIGNS: [&str; SERIES] = ["●", "○", "△", "▽", "+", "×"];

/// The colours of a theme as `0xRRGGBB`; of pairs the first is the foreground.
struct Palette {
    dim: u32,
    /// A step darker than the darkest text of a dialog.
    backdrop: u32,
    accent: u32,
    heading: u32,
    selected: (u32, u32),
    border: u32,
    good: u32,
    warning: u32,
    error: u32,
    live: (u32, u32),
    field: (u32, u32),
    input: (u32, u32),
    highlight: (u32, u32),
    series: [u32; SERIES],
}

/// A style with the foreground `0xRRGGBB`.
const fn rgb(color: u32) -> Style {
    fg(Color::from_u32(color))
}

/// A style with foreground and background, both `0xRRGGBB`.
const fn on((front, back): (u32, u32)) -> Style {
    rgb(front).bg(Color::from_u32(back))
}

impl Palette {
    /// The theme in these colours, with the modifiers that all 24-bit themes share, and no background of its
    /// own.
    const fn theme(self) -> Theme {
        let [first, second, third, fourth, fifth, sixth] = self.series;
        Theme {
            text: Style::new(),
            dim: rgb(self.dim),
            accent: rgb(self.accent).add_modifier(Modifier::BOLD),
            heading: rgb(self.heading),
            selected: on(self.selected).add_modifier(Modifier::BOLD),
            border: rgb(self.border),
            key: rgb(self.accent).add_modifier(Modifier::BOLD),
            good: rgb(self.good),
            warning: rgb(self.warning),
            error: rgb(self.error).add_modifier(Modifier::BOLD),
            sandbox: Style::new(),
            live: on(self.live).add_modifier(Modifier::BOLD),
            background: None,
            focus: rgb(self.accent),
            field: on(self.field),
            input: on(self.input),
            highlight: on(self.highlight).add_modifier(Modifier::BOLD),
            backdrop: rgb(self.backdrop).remove_modifier(Modifier::BOLD),
            series: [rgb(first), rgb(second), rgb(third), rgb(fourth), rgb(fifth), rgb(sixth)],
            thick_focus: false,
            ascii: false,
        }
    }
}

#[expect(clippy::unreadable_literal)] // colours are read as 0xRRGGBB
impl Theme {
    /// The dark theme, in 24-bit colours.
    pub const DARK: Self = Palette {
        dim: 0x8b94a7,
        backdrop: 0x6f788a,
        accent: 0x7ac7ff,
        heading: 0x8b94a7,
        selected: (0xffffff, 0x2c3e5c),
        border: 0x4a556a,
        good: 0x9ee08f,
        warning: 0xf5c86a,
        error: 0xff8a8a,
        live: (0x200c0c, 0xffa66b),
        field: (0xe8edf5, 0x1b222e),
        input: (0xffffff, 0x222d3e),
        highlight: (0xffe9a8, 0x5c4a12),
        series: [0x7ac7ff, 0xc8b6ff, 0x6fd3c7, 0xf0a8d0, 0xb4c2da, 0xdccfb0],
    }
    .theme();

    /// The light theme, in 24-bit colours.
    pub const LIGHT: Self = Palette {
        dim: 0x5a6270,
        backdrop: 0x7b8392,
        accent: 0x0055aa,
        heading: 0x5a6270,
        selected: (0x081020, 0xb5d0f4),
        border: 0xa8b0bd,
        good: 0x1d6f20,
        warning: 0x8a5500,
        error: 0xb01414,
        live: (0xffffff, 0xa64500),
        field: (0x081020, 0xf0f3f7),
        input: (0x081020, 0xdce5f1),
        highlight: (0x201800, 0xffe39a),
        series: [0x0055aa, 0x6a2fb0, 0x00706a, 0x96266e, 0x4a5a70, 0x6b5a2a],
    }
    .theme();

    /// The light theme on a background of its own, for a dark terminal.
    pub const LIGHT_PAINTED: Self = Self {
        text: rgb(0x081020),
        background: Some(Color::from_u32(0xffffff)),
        ..Self::LIGHT
    };

    /// White on black with bright colours: every text has a contrast of at least 7 to 1.
    pub const HIGH_CONTRAST: Self = Self {
        text: rgb(0xffffff),
        good: rgb(0x66ff66).add_modifier(Modifier::BOLD),
        warning: rgb(0xffd040).add_modifier(Modifier::BOLD),
        error: rgb(0xffa0a0).add_modifier(Modifier::BOLD.union(Modifier::UNDERLINED)),
        background: Some(Color::from_u32(0)),
        backdrop: rgb(0x969696).remove_modifier(Modifier::BOLD.union(Modifier::UNDERLINED)),
        thick_focus: true,
        ..Palette {
            dim: 0xe0e0e0,
            backdrop: 0x969696,
            accent: 0x66ffff,
            heading: 0xe0e0e0,
            selected: (0, 0xffff00),
            border: 0xffffff,
            good: 0x66ff66,
            warning: 0xffd040,
            error: 0xffa0a0,
            live: (0, 0xffd040),
            field: (0xffffff, 0x2a2a2a),
            input: (0xffffff, 0x00407a),
            highlight: (0, 0xffffff),
            series: [0x66ffff, 0xff9dff, 0xa8ffe0, 0xffffff, 0xb4b4ff, 0xffd8c0],
        }
        .theme()
    };

    /// A theme for terminals with the sixteen named colours, on any background.
    pub const ANSI: Self = Self {
        dim: Style::new().add_modifier(Modifier::DIM),
        accent: fg(Color::Cyan).add_modifier(Modifier::BOLD),
        heading: Style::new().add_modifier(Modifier::BOLD),
        border: Style::new().add_modifier(Modifier::DIM),
        key: fg(Color::Cyan).add_modifier(Modifier::BOLD),
        good: fg(Color::Green),
        warning: fg(Color::Yellow),
        error: fg(Color::Red).add_modifier(Modifier::BOLD),
        live: fg(Color::Yellow).add_modifier(Modifier::BOLD.union(Modifier::REVERSED)),
        focus: fg(Color::Cyan),
        highlight: Style::new().add_modifier(Modifier::BOLD.union(Modifier::REVERSED)),
        backdrop: Style::new().add_modifier(Modifier::DIM).remove_modifier(Modifier::BOLD),
        series: [
            fg(Color::Cyan),
            fg(Color::Magenta),
            fg(Color::Blue),
            fg(Color::LightCyan),
            fg(Color::LightMagenta),
            fg(Color::LightBlue),
        ],
        ..Self::MONO
    };

    /// A theme without colours: weight, reversal and underlining carry the meaning.
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
        // Fields have a frame.
        field: Style::new(),
        input: Style::new().add_modifier(Modifier::BOLD),
        highlight: Style::new().add_modifier(Modifier::BOLD.union(Modifier::UNDERLINED)),
        backdrop: Style::new()
            .add_modifier(Modifier::DIM)
            .remove_modifier(Modifier::BOLD.union(Modifier::UNDERLINED).union(Modifier::REVERSED)),
        series: [Style::new(); SERIES],
        thick_focus: true,
        ascii: false,
    };

    /// The style of the most important figure in a panel: bold text.
    pub const fn figure(&self) -> Style {
        self.text.add_modifier(Modifier::BOLD)
    }

    /// Whether the series of a chart differ in colour; otherwise each needs a sign of its own.
    pub fn has_series_colours(&self) -> bool {
        self.series[0] != self.series[1]
    }

    /// The theme behind a dialog, in which no frame has the focus.
    #[must_use]
    pub const fn unfocused(&self) -> Self {
        Self {
            focus: self.border,
            thick_focus: false,
            ..*self
        }
    }

    /// All styles that a configuration can override, each with its name there.
    pub const fn roles_mut(&mut self) -> [(&'static str, &mut Style); 23] {
        let [first, second, third, fourth, fifth, sixth] = &mut self.series;
        [
            ("text", &mut self.text),
            ("dim", &mut self.dim),
            ("accent", &mut self.accent),
            ("heading", &mut self.heading),
            ("selected", &mut self.selected),
            ("border", &mut self.border),
            ("focus", &mut self.focus),
            ("field", &mut self.field),
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

/// A style with this foreground.
const fn fg(color: Color) -> Style {
    Style::new().fg(color)
}
