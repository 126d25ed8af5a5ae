//! The layout of lists and editors: the list, and a second panel for its selected line.
//!
//! From 100 columns on, the two are side by side; on a compact screen, the second one gets a few
//! rows at the bottom if the screen is high enough.

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::Line;
use ratatui::widgets::{Clear, Paragraph, Widget};

use crate::core::view::Scene;
use crate::tui::dialog::{centred, clear_beside};
use crate::tui::panel::{Panel, Size, Tone};
use crate::tui::text::{first_parts, wrap_line};

/// Maximum width of a list with its second panel.
///
/// Wider lines are hard to follow.
const WIDEST: u16 = 170;

/// Height of the second panel on a compact screen, in rows.
const STRIP: u16 = 7;
const ROOM: u16 = 18;

/// The areas inside the two frames.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sheet {
    pub main: Rect,
    /// The area of the second panel; `None` if there is no room for it.
    pub side: Option<Rect>,
}

/// Dims the screen and draws the frames of a list and its preview, high enough for `lines` lines of the list;
/// returns the areas inside. On a compact screen lower than 18 rows there is no preview.
pub(crate) fn open(list: Panel<'_>, preview: Panel<'_>, lines: usize, area: Rect, scene: &mut Scene<'_, '_>) -> Sheet {
    let theme = scene.theme;
    let size = scene.size;
    let buffer = scene.frame.buffer_mut();
    buffer.set_style(area, theme.backdrop);
    let list = list.tone(Tone::Focused).sized(size);
    let preview = preview.sized(size);
    if size == Size::Compact {
        if area.height < ROOM {
            return frames((list, area), None, scene);
        }
        let area = as_high_as(lines_of(lines).saturating_add(3 + STRIP), area, scene);
        let [upper, lower] = Layout::vertical([Constraint::Fill(1), Constraint::Length(STRIP)]).areas(area);
        return frames((list, upper), Some((preview, lower)), scene);
    }
    // With frame and search line.
    let dialog = place(lines_of(lines).saturating_add(3), area, buffer);
    page(list, preview, dialog, scene)
}

/// The top `height` rows of an area on a compact screen, with a rule below, under which the pane stays
/// visible; the whole area if at most three rows would be left.
fn as_high_as(height: u16, area: Rect, scene: &mut Scene<'_, '_>) -> Rect {
    if height >= area.height.saturating_sub(3) {
        return area;
    }
    let top = Rect { height, ..area };
    let rule = "─".repeat(usize::from(area.width));
    let style = scene.theme.border;
    scene.frame.buffer_mut().set_string(top.x, top.bottom(), rule, style);
    top
}

/// A number of lines as rows, at most 65,535.
fn lines_of(lines: usize) -> u16 {
    u16::try_from(lines).unwrap_or(u16::MAX)
}

/// Draws both frames over the whole area, without dimming it; on a compact screen like [`open`].
pub(crate) fn page(list: Panel<'_>, preview: Panel<'_>, area: Rect, scene: &mut Scene<'_, '_>) -> Sheet {
    if scene.size == Size::Compact {
        return open(list, preview, usize::MAX, area, scene);
    }
    let list = list.tone(Tone::Focused).sized(scene.size);
    let [left, right] = Layout::horizontal([Constraint::Fill(3), Constraint::Fill(2)]).areas(area);
    frames((list, left), Some((preview.sized(scene.size), right)), scene)
}

/// Draws the frames of a sheet, with clickable tabs; returns the areas inside.
fn frames(main: (Panel<'_>, Rect), side: Option<(Panel<'_>, Rect)>, scene: &mut Scene<'_, '_>) -> Sheet {
    let mut draw = |(panel, area): (Panel<'_>, Rect)| scene.framed(panel, area);
    Sheet {
        main: draw(main),
        side: side.map(draw),
    }
}

/// The area of frames with this height, centered, at most 170 columns wide, with narrow strips beside it
/// blanked.
///
/// Frames nearly as high as the screen get all of it, cleared: remnants of the pane around them would
/// distract.
fn place(height: u16, area: Rect, buffer: &mut Buffer) -> Rect {
    let width = area.width.saturating_sub(4).min(WIDEST);
    if height < area.height.saturating_sub(3) {
        let frames = centred(width, height, area);
        clear_beside(frames, area, buffer);
        return frames;
    }
    Clear.render(area, buffer);
    centred(width, area.height, area)
}

/// Width in cells of the text in the second panel of a list or an editor that is opened in `area`.
pub(crate) fn side_width(area: Rect, size: Size) -> u16 {
    match size {
        Size::Compact => area.width,
        Size::Medium | Size::Wide => (area.width.saturating_sub(4).min(WIDEST) * 2 / 5).saturating_sub(4),
    }
}

/// Number of rows that these lines take in `width` cells, when wrapped.
pub(crate) fn rows(lines: &[Line<'_>], width: u16) -> usize {
    let wrapped = lines.iter().map(|line| wrap_line(line, width, 2).len());
    wrapped.sum()
}

/// Draws lines of text, wrapped, as many as fit.
pub(crate) fn text<'a>(lines: impl IntoIterator<Item = Line<'a>>, area: Rect, scene: &mut Scene<'_, '_>) {
    let wrapped = lines.into_iter().flat_map(|line| wrap_line(&line, area.width, 2));
    let shown: Vec<Line<'static>> = wrapped.take(usize::from(area.height)).collect();
    scene.render(Paragraph::new(shown), area);
}

/// Draws one grey line of facts, the most important first: as many of them, separated by ` · `, as fit.
pub(crate) fn foot(facts: &str, area: Rect, scene: &mut Scene<'_, '_>) {
    let facts = first_parts(facts, area.width);
    scene.render(Line::styled(facts.to_owned(), scene.theme.dim), area);
}

/// Width in cells of the text in the result's frame of a form that is opened in `area`; see [`with_result`].
pub(crate) fn result_width(area: Rect, size: Size) -> u16 {
    match size {
        Size::Compact => area.width,
        Size::Medium | Size::Wide => (area.width.saturating_sub(4).min(WIDEST) * 3 / 5).saturating_sub(4),
    }
}

/// Dims the screen, draws the frames of a form and its result, `rows` (form, result) high inside, and returns the
/// areas inside: side by side; under 100 columns or 30 rows the result is under the form, or left out if fewer than
/// four rows remain.
pub(crate) fn with_result(
    form: Panel<'_>,
    result: Panel<'_>,
    rows: (u16, u16),
    area: Rect,
    scene: &mut Scene<'_, '_>,
) -> Sheet {
    /// The minimum height of a useful result, including its frame.
    const LEAST: u16 = 4;
    let theme = scene.theme;
    let size = scene.size;
    let buffer = scene.frame.buffer_mut();
    buffer.set_style(area, theme.backdrop);
    let form = form.tone(Tone::Focused).sized(size);
    let result = result.sized(size);
    if size == Size::Compact {
        let needed = rows.0.saturating_add(1).min(area.height);
        let area = as_high_as(needed.saturating_add(rows.1).saturating_add(1), area, scene);
        let below = area.height - needed;
        if below < LEAST {
            return frames((form, area), None, scene);
        }
        let [upper, lower] = Layout::vertical([Constraint::Length(needed), Constraint::Fill(1)]).areas(area);
        return frames((form, upper), Some((result, lower)), scene);
    }
    let dialog = place(rows.0.max(rows.1).saturating_add(2), area, buffer);
    let [left, right] = Layout::horizontal([Constraint::Fill(2), Constraint::Fill(3)]).areas(dialog);
    frames((form, left), Some((result, right)), scene)
}
