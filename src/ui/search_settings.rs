//! The search settings: a line each, with what becomes of it.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::{paint, picker};
use crate::app::Model;
use crate::app::facts::{Facts, Target};
use crate::app::search_settings::SearchSettings;
use crate::widgets::theme::Theme;

/// Cells of the names.
const LABEL: u16 = 15;

/// Cells of the values.
const VALUE: u16 = 18;

/// Draws the settings; gives the cursor's place in a value that is typed.
pub fn draw(
    buffer: &mut Buffer,
    area: Rect,
    settings: &SearchSettings,
    model: &Model,
    theme: &Theme,
    facts: &mut Facts,
) -> Option<Position> {
    let count = u16::try_from(settings.lines().len()).unwrap_or(0);
    let size = (area.width.min(100), area.height.min(count + 5));
    let inner = picker::frame(buffer, area, size, "Search settings", theme);
    let has_draft = model
        .browser()
        .is_some_and(|browser| browser.settings_draft.is_some());
    let has_room = inner.width >= 90;
    let mut cursor = None;
    facts.overlay_page = settings.lines().len();
    for (y, (index, setting)) in (inner.y..inner.bottom()).zip(settings.lines().iter().enumerate())
    {
        let strip = Rect::new(inner.x, y, inner.width, 1);
        facts
            .targets
            .push((paint::area(strip), Target::Line(index)));
        let is_selected = index == settings.selected();
        let is_off = settings.disabled(*setting).is_some();
        let style = match (is_selected, is_off) {
            (true, _) => theme.selected,
            (false, true) => theme.dim,
            (false, false) => theme.text,
        };
        if is_selected {
            paint::fill(buffer, strip, style);
        }
        let sign = if is_selected { "> " } else { "  " };
        let x = paint::text(buffer, strip.x, y, 2, sign, style);
        paint::text(buffer, x, y, LABEL, setting.label(), style);
        let at = x + LABEL;
        let value = settings.value(*setting);
        let shown = match (setting.is_choice(), value.is_empty()) {
            (true, _) => format!("< {value} >"),
            (false, true) if !is_selected => "-".to_owned(),
            (false, _) => value,
        };
        let ink = if is_selected && !setting.is_choice() {
            paint::typed(settings.input(), style)
        } else {
            style
        };
        paint::text(buffer, at, y, VALUE + 4, &shown, ink);
        if is_selected && !setting.is_choice() {
            let column = u16::try_from(settings.input().cursor_column()).unwrap_or(0);
            cursor = Some(Position::new((at + column).min(inner.right()), y));
        }
        if has_room {
            let at = at + VALUE + 6;
            let room = inner.right().saturating_sub(at);
            let note = if is_selected { style } else { theme.dim };
            paint::text(buffer, at, y, room, &settings.note(*setting), note);
        }
    }
    let (text, style) = match settings.complaint() {
        Some(complaint) => (complaint.to_owned(), theme.error),
        None if has_draft => (
            format!(
                "Settings were left without applying them: {} takes them up",
                model.keymap.way_to("settings-recall")
            ),
            theme.warning,
        ),
        None if has_room => (String::new(), theme.dim),
        None => (settings.note(settings.current()), theme.dim),
    };
    let below = inner.y + count.min(inner.height.saturating_sub(2)) + 1;
    let room = inner.width.saturating_sub(2);
    for (y, line) in (below..inner.bottom()).zip(paint::wrap(&text, room)) {
        paint::text(buffer, inner.x + 1, y, room, &line, style);
    }
    cursor
}
