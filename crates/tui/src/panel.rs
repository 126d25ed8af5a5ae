//! The frame of a panel, and the size classes of the screen.

use ratatui::buffer::Buffer;
use ratatui::layout::{Alignment, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, BorderType, Borders, Clear, Padding, Widget};

use super::theme::Theme;

/// The size class of the screen, which decides the number of panels side by side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Size {
    /// Under 100 columns or 30 rows: one panel at a time, with a title rule as its frame.
    Compact,
    /// From 100 columns: a table and a preview.
    Medium,
    /// From 170 columns: three panels side by side.
    Wide,
}

impl Size {
    /// The size class of a screen, in cells.
    pub const fn of(columns: u16, rows: u16) -> Self {
        match (columns, rows) {
            (..100, _) | (_, ..30) => Self::Compact,
            (..170, _) => Self::Medium,
            _ => Self::Wide,
        }
    }
}

/// The meaning of a frame's colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tone {
    /// No special meaning.
    #[default]
    Quiet,
    /// The content that has the keyboard.
    Focused,
    /// The content waits for the user's answer.
    Ask,
    /// The content sends something that cannot be undone.
    Danger,
}

impl Tone {
    /// The style of the frame.
    pub const fn border(self, theme: &Theme) -> Style {
        match self {
            Self::Quiet => theme.border,
            Self::Focused => theme.focus,
            Self::Ask => theme.warning,
            Self::Danger => theme.error,
        }
    }
}

/// A titled frame: the title on the left of its border, a note on the right, state at the bottom.
#[derive(Debug, Clone, Default)]
pub struct Panel<'a> {
    title: Line<'a>,
    note: Line<'a>,
    foot: Line<'a>,
    foot_right: Line<'a>,
    tone: Tone,
    is_rule: bool,
    is_flush: bool,
    is_on_blank: bool,
}

impl<'a> Panel<'a> {
    /// A panel without the focus.
    pub fn new(title: impl Into<Line<'a>>) -> Self {
        Self {
            title: title.into(),
            ..Self::default()
        }
    }

    /// Text at the right of the top border, such as `1–38 of 500`.
    #[must_use]
    pub fn note(mut self, note: impl Into<Line<'a>>) -> Self {
        self.note = note.into();
        self
    }

    /// Text at the left of the bottom border.
    #[must_use]
    pub fn foot(mut self, foot: impl Into<Line<'a>>) -> Self {
        self.foot = foot.into();
        self
    }

    /// Text at the right of the bottom border.
    #[must_use]
    pub fn foot_right(mut self, foot: impl Into<Line<'a>>) -> Self {
        self.foot_right = foot.into();
        self
    }

    /// Sets the meaning of the frame's colour.
    #[must_use]
    pub const fn tone(mut self, tone: Tone) -> Self {
        self.tone = tone;
        self
    }

    /// Sets the tone for a panel with or without the focus.
    #[must_use]
    pub const fn focused(self, is_focused: bool) -> Self {
        self.tone(if is_focused { Tone::Focused } else { Tone::Quiet })
    }

    /// Reduces the frame to a title rule on a compact screen, where borders would take room from the content.
    #[must_use]
    pub const fn sized(mut self, size: Size) -> Self {
        self.is_rule = matches!(size, Size::Compact);
        self
    }

    /// Lets the content touch the frame: for tables, which have their own gutter.
    #[must_use]
    pub const fn flush(mut self) -> Self {
        self.is_flush = true;
        self
    }

    /// Skips the blanking of an area on which nothing was drawn yet.
    ///
    /// Blanking the panels of a pane again would take a tenth of every frame.
    #[must_use]
    pub const fn on_blank(mut self) -> Self {
        self.is_on_blank = true;
        self
    }

    /// The area inside the frame, before it is drawn.
    pub fn inner(&self, area: Rect) -> Rect {
        self.block().inner(area)
    }

    fn block(&self) -> Block<'static> {
        Block::new()
            .borders(if self.is_rule { Borders::TOP } else { Borders::ALL })
            .padding(if self.is_rule || self.is_flush {
                Padding::ZERO
            } else {
                Padding::horizontal(1)
            })
    }

    /// Draws the frame and returns the area inside it.
    pub fn render(self, area: Rect, buffer: &mut Buffer, theme: &Theme) -> Rect {
        if !self.is_on_blank {
            Clear.render(area, buffer);
        }
        let border = self.tone.border(theme);
        let title_style = match self.tone {
            Tone::Quiet => theme.heading,
            Tone::Focused | Tone::Ask | Tone::Danger => theme.heading.patch(border).add_modifier(Modifier::BOLD),
        };
        let border_type = self.border_type(theme);
        let mut title = self.title.clone();
        if self.tone == Tone::Danger && theme.thick_focus {
            // There a thick frame only means the focus.
            title.spans.insert(0, "! ".into());
        }
        let padded = |line: Line<'a>, style: Style| {
            let mut line = line.patch_style(Style::default());
            line.style = style.patch(line.style);
            let pad = Span::styled(" ", Style::new().remove_modifier(Modifier::UNDERLINED));
            line.spans.insert(0, pad.clone());
            line.push_span(pad);
            line
        };
        let mut block = self
            .block()
            .border_style(border.remove_modifier(Modifier::UNDERLINED))
            .border_type(border_type);
        // The title takes precedence over the note: a panel without a name is useless.
        let room = usize::from(area.width.saturating_sub(4));
        let title_width = title.width();
        if title_width > 0 {
            block = block.title_top(padded(title, title_style));
        }
        if self.note.width() > 0 && title_width + self.note.width() + 4 <= room {
            let note = padded(self.note, theme.dim).alignment(Alignment::Right);
            block = block.title_top(note);
        }
        if !self.is_rule {
            let foot_width = self.foot.width();
            if foot_width > 0 && foot_width + 2 <= room {
                block = block.title_bottom(padded(self.foot, theme.dim));
            }
            let right_width = self.foot_right.width();
            if right_width > 0 && foot_width + right_width + 6 <= room {
                let foot = padded(self.foot_right, theme.dim).alignment(Alignment::Right);
                block = block.title_bottom(foot);
            }
        }
        let inner = block.inner(area);
        block.render(area, buffer);
        inner
    }

    /// The type of border: without colours a thick line marks the focus.
    const fn border_type(&self, theme: &Theme) -> BorderType {
        match self.tone {
            Tone::Danger => BorderType::Thick,
            Tone::Focused if theme.thick_focus => BorderType::Thick,
            Tone::Quiet | Tone::Focused | Tone::Ask => BorderType::Rounded,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(panel: Panel<'_>, width: u16, theme: &Theme) -> (Vec<String>, Rect) {
        let area = Rect::new(0, 0, width, 4);
        let mut buffer = Buffer::empty(area);
        let inner = panel.render(area, &mut buffer, theme);
        let row = |y| (0..width).map(|x| buffer[(x, y)].symbol()).collect();
        ((0..4).map(row).collect(), inner)
    }

    #[test]
    fn a_panel_names_its_content_and_counts_it() {
        let panel = Panel::new("Offers").note("1–38 of 500").foot("by $/h");
        let (rows, inner) = drawn(panel, 30, &Theme::DARK);
        assert_eq!(rows[0], "╭ Offers ─────── 1–38 of 500 ╮");
        assert_eq!(rows[3], "╰ by $/h ────────────────────╯");
        assert_eq!(inner, Rect::new(2, 1, 26, 2));
    }

    #[test]
    fn facts_give_way_to_the_title() {
        let panel = Panel::new("Offers").note("1–38 of 500");
        let (rows, _) = drawn(panel, 20, &Theme::DARK);
        assert_eq!(rows[0], "╭ Offers ──────────╮");
    }

    #[test]
    fn a_compact_screen_spends_one_row_on_the_frame() {
        let panel = Panel::new("Offers").note("57").sized(Size::Compact);
        let (rows, inner) = drawn(panel, 20, &Theme::DARK);
        assert_eq!(rows[0], " Offers ──────── 57 ");
        assert_eq!(inner, Rect::new(0, 1, 20, 3));
    }

    #[test]
    fn focus_shows_without_colour() {
        let (focused, _) = drawn(Panel::new("A").focused(true), 10, &Theme::MONO);
        let (quiet, _) = drawn(Panel::new("A"), 10, &Theme::MONO);
        assert_eq!(focused[0], "┏ A ━━━━━┓");
        assert_eq!(quiet[0], "╭ A ─────╮");
        let (danger, _) = drawn(Panel::new("A").tone(Tone::Danger), 10, &Theme::MONO);
        assert_eq!(danger[0], "┏ ! A ━━━┓");
    }
}
