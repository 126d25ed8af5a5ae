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

/// Draws a picker, the selected line whole under its list; gives the cursor's place in its search
/// line.
pub fn draw<T: Clone>(
    buffer: &mut Buffer,
    area: Rect,
    title: &str,
    picker: &List<T>,
    theme: &Theme,
    facts: &mut Facts,
) -> Option<Position> {
    boxed(buffer, area, title, picker, WHOLE, theme, facts)
}

/// The width of a list on a screen: all of a narrow one, so that no slivers of what lies under it
/// stand beside it.
pub fn spread(width: u16) -> u16 {
    if width <= NARROW {
        width
    } else {
        width.saturating_sub(4).min(140)
    }
}

/// Up to this width a list takes the whole screen.
const NARROW: u16 = 100;

/// Draws a picker with so many lines below its list for the selected one.
pub fn boxed<T: Clone>(
    buffer: &mut Buffer,
    area: Rect,
    title: &str,
    picker: &List<T>,
    below: u16,
    theme: &Theme,
    facts: &mut Facts,
) -> Option<Position> {
    let needed = u16::try_from(picker.len())
        .unwrap_or(u16::MAX)
        .saturating_add(4);
    let size = (
        spread(area.width),
        area.height
            .saturating_sub(2)
            .min(needed.saturating_add(below)),
    );
    let inner = frame(buffer, area, size, title, theme);
    if inner.height < 3 {
        return None;
    }
    let cursor = search(buffer, inner, picker, theme);
    // A low box needs no blank line under the search.
    let gap = if inner.height < ROOMY { 1 } else { 2 };
    let below = if inner.height < ROOMY { 0 } else { below };
    let height = inner.height - gap - below;
    let list = Rect::new(inner.x, inner.y + gap, inner.width, height);
    lines(buffer, list, picker, theme, facts);
    whole(
        buffer,
        Rect::new(inner.x, list.bottom(), inner.width, below),
        picker,
        theme,
    );
    Some(cursor)
}

/// Lines under a list in which the selected line stands whole: lists cut what is long.
const WHOLE: u16 = 3;

/// Lines that a box has at least if it shows the selected line whole.
const ROOMY: u16 = 14;

/// Draws the selected line whole, under a rule.
fn whole<T: Clone>(buffer: &mut Buffer, area: Rect, picker: &List<T>, theme: &Theme) {
    let Some(item) = picker.current().filter(|_| area.height > 1) else {
        return;
    };
    for x in area.x..area.right() {
        paint::text(buffer, x, area.y, 1, "─", theme.border);
    }
    let why = item.disabled.as_ref();
    let why = why.map_or_else(String::new, |why| format!(" (not now: {why})"));
    let note = match item.note.as_str() {
        "" => String::new(),
        note => format!(" [{note}]"),
    };
    let text = format!("{}{why}{note}", item.text);
    let text = match (item.title.trim(), text.is_empty()) {
        (title, true) => title.to_owned(),
        (title, false) => format!("{title}: {text}"),
    };
    let mut lines = paint::wrap(&text, area.width.saturating_sub(2));
    let room = usize::from(area.height - 1);
    if lines.len() > room
        && let Some(last) = lines.get_mut(room - 1)
    {
        last.push('…');
    }
    for (y, line) in (area.y + 1..area.bottom()).zip(lines) {
        paint::text(buffer, area.x + 1, y, area.width - 1, &line, theme.text);
    }
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
