//! The frame of a panel with its tabs, and the size classes of the screen.

use ratatui::buffer::Buffer;
use ratatui::layout::{Alignment, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, BorderType, Borders, Clear, Padding, Widget};

use super::text::{cells, first_parts, fit};
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
    /// The size class of a screen, in cells: compact under 100 columns or 30 rows, medium under 170 columns,
    /// else wide.
    pub const fn new(columns: u16, rows: u16) -> Self {
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
    /// A fact without a special meaning.
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
    /// The style of a panel's frame with this tone, in a theme: that of borders, of the focus, of warnings
    /// (`Ask`) or of errors (`Danger`).
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
    tabs: Vec<&'static str>,
    open: usize,
    note: Line<'a>,
    foot: Line<'a>,
    foot_right: Line<'a>,
    tone: Tone,
    is_rule: bool,
    is_flush: bool,
    is_on_blank: bool,
}

impl<'a> Panel<'a> {
    /// A panel with a title, without tabs, notes or the focus.
    pub fn new(title: impl Into<Line<'a>>) -> Self {
        Self {
            title: title.into(),
            ..Self::default()
        }
    }

    /// Sets the names of the views that share the panel, shown behind its title, and the index of the open
    /// one.
    #[must_use]
    pub fn tabs(mut self, names: impl IntoIterator<Item = &'static str>, open: usize) -> Self {
        self.tabs = names.into_iter().collect();
        self.open = open;
        self
    }

    /// Sets the text at the right of the top border, such as `1–38 of 500`. Its parts are separated by ` · `,
    /// the most important first: the last ones are dropped where they do not fit.
    #[must_use]
    pub fn note(mut self, note: impl Into<Line<'a>>) -> Self {
        self.note = note.into();
        self
    }

    /// Sets the text at the left of the bottom border; left out if it does not fit, and on a compact screen.
    #[must_use]
    pub fn foot(mut self, foot: impl Into<Line<'a>>) -> Self {
        self.foot = foot.into();
        self
    }

    /// Sets the text at the right of the bottom border; left out if it does not fit beside the left one, and
    /// on a compact screen.
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

    /// Sets the tone: `Focused` for a panel with the focus, else `Quiet`.
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

    /// The area inside the frame, if the panel is drawn in `area`.
    pub fn inner(&self, area: Rect) -> Rect {
        self.block().inner(area)
    }

    /// The borders and padding of the frame, without style and titles.
    fn block(&self) -> Block<'static> {
        Block::new()
            .borders(if self.is_rule { Borders::TOP } else { Borders::ALL })
            .padding(if self.is_rule || self.is_flush {
                Padding::ZERO
            } else {
                Padding::horizontal(1)
            })
    }

    /// The number of cells of the top border of `area` that text may cover.
    const fn room(&self, area: Rect) -> usize {
        area.width.saturating_sub(if self.is_rule { 2 } else { 4 }) as usize
    }

    /// Whether title and tabs fit together into the top border of `area`, and whether the tabs alone do. If
    /// the first is false the title is not shown; if the second is false only the open tab is.
    fn fits(&self, area: Rect) -> (bool, bool) {
        let room = self.room(area);
        let tabs: usize = self.tabs.iter().map(|name| usize::from(cells(name)) + 2).sum();
        (self.title.width() + 2 + tabs <= room, tabs <= room)
    }

    /// The cells of each tab in the top border, in order, to find the clicked one; of zero width for tabs
    /// that are not shown.
    pub fn tab_areas(&self, area: Rect) -> Vec<Rect> {
        let (has_title, has_all) = self.fits(area);
        let mut x = area.x + u16::from(!self.is_rule);
        if has_title && self.title.width() > 0 {
            x += u16::try_from(self.title.width()).unwrap_or(0) + 2;
        }
        let shown = |index: usize| has_all || index == self.open;
        let tabs = self.tabs.iter().enumerate().map(|(index, name)| {
            let width = if shown(index) { cells(name) + 2 } else { 0 };
            let cell = Rect {
                x,
                width,
                height: 1,
                ..area
            };
            x += width;
            cell.intersection(area)
        });
        tabs.collect()
    }

    /// The title and the tabs: `History ▏Prices▕ Tape Bids`; only the title in a panel without tabs. In a
    /// narrow frame first the title is dropped, then all tabs except the open one. A tab has the same cells
    /// whether it is open or not.
    fn title_line(&self, style: Style, area: Rect, theme: &Theme) -> Line<'a> {
        if self.tabs.is_empty() {
            return self.title.clone();
        }
        let (has_title, has_all) = self.fits(area);
        let mut line = Line::default().style(style);
        if has_title && self.title.width() > 0 {
            line.push_span(" ");
            line.spans.extend(self.title.spans.iter().cloned());
            line.push_span(" ");
        }
        for (index, name) in self.tabs.iter().enumerate() {
            if index == self.open {
                line.push_span(Span::styled(format!("▏{name}▕"), theme.accent));
            } else if has_all {
                line.push_span(Span::styled(
                    format!(" {name} "),
                    theme.dim.remove_modifier(Modifier::BOLD),
                ));
            }
        }
        line
    }

    /// Draws the frame with its title, tabs and notes, and returns the area inside it, which is blanked
    /// except after [`Panel::on_blank`].
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
        let mut title = self.title_line(title_style, area, theme);
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
        if !self.tabs.is_empty() {
            block = block.title_top(title);
        } else if title_width > 0 {
            block = block.title_top(padded(title, title_style));
        }
        let note = shortened(self.note, room.saturating_sub(title_width + 4));
        if note.width() > 0 {
            block = block.title_top(padded(note, theme.dim).alignment(Alignment::Right));
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

    /// The type of border: thick for danger, and for the focus in themes that cannot show it by colour; else
    /// rounded.
    const fn border_type(&self, theme: &Theme) -> BorderType {
        match self.tone {
            Tone::Danger => BorderType::Thick,
            Tone::Focused if theme.thick_focus => BorderType::Thick,
            Tone::Quiet | Tone::Focused | Tone::Ask => BorderType::Rounded,
        }
    }
}

/// A note of at most `room` cells: without as many of its last parts, separated by ` · `, as that takes. The
/// first of several parts is the subject, and cut if need be, but left out in eight cells or fewer; a single
/// part that is too long is left out.
fn shortened(note: Line<'_>, room: usize) -> Line<'_> {
    if note.width() <= room {
        return note;
    }
    let text = note.to_string();
    let room = u16::try_from(room).unwrap_or(u16::MAX);
    let rest = first_parts(&text, room);
    if cells(rest) <= room || (rest.len() < text.len() && room > 8) {
        return fit(Line::styled(rest.to_owned(), note.style), room);
    }
    Line::default()
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
    fn tabs_stand_in_the_border_and_never_move() {
        let panel = |open| Panel::new("History").tabs(["Prices", "Tape", "Bids"], open).note("$/h");
        let at = |open, width| drawn(panel(open), width, &Theme::DARK).0[0].clone();
        assert_eq!(at(0, 40), "╭ History ▏Prices▕ Tape  Bids ──── $/h ╮");
        assert_eq!(at(1, 40), "╭ History  Prices ▏Tape▕ Bids ──── $/h ╮");
        // A narrow panel drops the note, then its title, then the tabs that are not open.
        assert_eq!(at(1, 33), "╭ History  Prices ▏Tape▕ Bids ──╮");
        assert_eq!(at(1, 26), "╭ Prices ▏Tape▕ Bids ────╮");
        assert_eq!(at(1, 16), "╭▏Tape▕────────╮");
        let rule = drawn(panel(2).sized(Size::Compact), 40, &Theme::DARK).0;
        assert_eq!(rule[0], " History  Prices  Tape ▏Bids▕────── $/h ");
    }

    #[test]
    fn a_click_finds_the_tab_where_it_is_drawn() {
        for (size, width) in [
            (Size::Wide, 40),
            (Size::Compact, 40),
            (Size::Wide, 26),
            (Size::Wide, 16),
        ] {
            let panel = Panel::new("History").tabs(["Prices", "Tape", "Bids"], 1).sized(size);
            let area = panel.tab_areas(Rect::new(0, 0, width, 4))[1];
            let row: Vec<char> = drawn(panel, width, &Theme::DARK).0[0].chars().collect();
            let found: String = row[usize::from(area.x)..usize::from(area.right())].iter().collect();
            assert_eq!(found, "▏Tape▕", "{width}");
        }
    }

    #[test]
    fn a_long_note_drops_its_last_parts() {
        let panel = Panel::new("Offers").note("RTX 4090 · last day · $/h");
        let (rows, _) = drawn(panel, 34, &Theme::DARK);
        assert_eq!(rows[0], "╭ Offers ─── RTX 4090 · last day ╮");
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
