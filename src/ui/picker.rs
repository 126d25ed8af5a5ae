//! A list with a search line, in a box in the middle of the screen.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::widgets::{Block, Clear, Widget};

use super::paint;
use crate::app::facts::{Facts, Target};
use crate::widgets::list::List;
use crate::widgets::theme::Theme;

/// Empties an area, so that nothing under it shows.
pub fn blank(buffer: &mut Buffer, area: Rect) {
    Clear.render(area.intersection(buffer.area), buffer);
}

/// A framed box in the middle of `area`, emptied; gives its inside.
pub fn frame(
    buffer: &mut Buffer,
    area: Rect,
    size: (u16, u16),
    title: &str,
    theme: &Theme,
) -> Rect {
    let width = size.0.min(area.width);
    let height = size.1.min(area.height);
    let place = Rect::new(
        area.x + (area.width - width) / 2,
        area.y + (area.height - height) / 2,
        width,
        height,
    );
    blank(buffer, place);
    let block = Block::bordered().border_style(theme.border);
    let inner = block.inner(place);
    block.render(place, buffer);
    let title = format!(" {title} ");
    paint::text(
        buffer,
        place.x + 2,
        place.y,
        width.saturating_sub(4),
        &title,
        theme.heading,
    );
    inner
}

/// The width that holds nine of ten texts: a few long ones need not take the room of all others.
fn usual(widths: impl Iterator<Item = u16>) -> u16 {
    let mut widths: Vec<_> = widths.collect();
    widths.sort_unstable();
    let place = (widths.len() * 9).div_ceil(10).saturating_sub(1);
    widths.get(place).copied().unwrap_or(0)
}

/// Draws the search line at the top of an area; gives the cursor's place in it.
pub fn search<T: Clone>(
    buffer: &mut Buffer,
    area: Rect,
    picker: &List<T>,
    theme: &Theme,
) -> Position {
    let x = paint::text(buffer, area.x, area.y, 3, " / ", theme.accent);
    let width = area.right().saturating_sub(x);
    let typed = picker.input.text();
    if typed.is_empty() {
        paint::text(buffer, x, area.y, width, "type to search", theme.dim);
    } else {
        paint::text(buffer, x, area.y, width, typed, theme.text);
    }
    let cursor = u16::try_from(picker.input.cursor_column()).unwrap_or(0);
    Position::new(x + cursor.min(width), area.y)
}

/// Draws the lines of a picker.
pub fn lines<T: Clone>(
    buffer: &mut Buffer,
    list: Rect,
    picker: &List<T>,
    theme: &Theme,
    facts: &mut Facts,
) {
    let page = usize::from(list.height);
    facts.overlay_page = page;
    facts.overlay_lines = picker.shown().len();
    if picker.shown().len() == 0 {
        let note = "nothing matches: shorten what you typed";
        paint::text(buffer, list.x + 1, list.y, list.width, note, theme.dim);
        return;
    }
    let entries = || picker.shown().filter(|item| item.value.is_some());
    let width_of = |widths: Vec<u16>| {
        let most = widths.iter().copied().max().unwrap_or(0);
        // Wide enough for all: nothing need be cut.
        let is_wide = list.width >= 100;
        if is_wide {
            most
        } else {
            usual(widths.into_iter())
        }
    };
    let title_width = width_of(entries().map(|item| paint::cells(&item.title)).collect());
    let note_width = width_of(entries().map(|item| paint::cells(&item.note)).collect());
    let note_width = note_width.min(24).min(list.width / 4);
    let room = list.width.saturating_sub(2 + 2 + note_width + 1);
    let title_width = title_width.min((list.width / 3).max(26)).min(room);
    // A heading above the selected line is kept in sight.
    let first = super::records::first_row(0, picker.selected(), picker.shown().len(), page);
    for (y, (index, item)) in (list.y..list.bottom()).zip(picker.shown().enumerate().skip(first)) {
        let strip = Rect::new(list.x, y, list.width, 1);
        if item.value.is_none() {
            let room = list.width.saturating_sub(1);
            let title = format!("{}  ", item.title);
            let parts = [
                paint::piece(title, theme.heading),
                paint::piece(item.text.as_str(), theme.dim),
            ];
            paint::pieces(buffer, list.x + 1, y, room, &parts);
            continue;
        }
        facts
            .targets
            .push((paint::area(strip), Target::Line(index)));
        let is_selected = index == picker.selected();
        let style = if is_selected {
            theme.selected
        } else {
            theme.text
        };
        if is_selected {
            paint::fill(buffer, strip, style);
        }
        let sign = if is_selected { "> " } else { "  " };
        let x = paint::text(buffer, strip.x, y, 2, sign, style);
        let title_style = if is_selected {
            style
        } else {
            style.patch(theme.accent)
        };
        paint::text(buffer, x, y, title_width, &item.title, title_style);
        let text_width = list
            .width
            .saturating_sub(2 + title_width + 2 + note_width + 2);
        let text = item.disabled.as_ref().map_or_else(
            || item.text.clone(),
            |why| format!("(not now: {why}) {}", item.text),
        );
        let text_style = if item.disabled.is_some() {
            style.patch(theme.dim)
        } else {
            style
        };
        paint::text(
            buffer,
            x + title_width + 2,
            y,
            text_width,
            &text,
            text_style,
        );
        let note_style = if is_selected { style } else { theme.dim };
        paint::right(
            buffer,
            strip.right().saturating_sub(note_width + 1),
            y,
            note_width,
            &item.note,
            note_style,
        );
    }
}
