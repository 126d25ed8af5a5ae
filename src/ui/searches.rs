//! The saved searches: the list, and below it what the selected one asks for.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::paint;
use crate::app::facts::Facts;
use crate::app::searches::SearchList;
use crate::domain::text::visible;
use crate::ui::picker;
use crate::widgets::theme::Theme;

/// Lines of the preview.
const PREVIEW: u16 = 5;

/// The lowest screen on which there is room for a preview.
const ROOM: u16 = 18;

/// Draws the list; gives the cursor's place.
pub fn draw(
    buffer: &mut Buffer,
    area: Rect,
    list: &SearchList,
    theme: &Theme,
    facts: &mut Facts,
) -> Option<Position> {
    let title = "Searches: type to find one";
    if area.height < ROOM {
        return picker::draw(buffer, area, title, &list.picker, theme, facts);
    }
    let needed = u16::try_from(list.picker.len()).unwrap_or(u16::MAX);
    let below = PREVIEW + 2;
    let height = needed.saturating_add(4).min(area.height - 2 - below);
    // The picker leaves a line free above and below its box.
    let upper = Rect {
        y: area.y + (area.height - 2 - below - height) / 2,
        height: height + 2,
        ..area
    };
    let cursor = picker::boxed(buffer, upper, title, &list.picker, 0, theme, facts);
    let size = (picker::spread(area.width), below);
    let lower = Rect {
        y: upper.bottom() - 1,
        height: below,
        ..area
    };
    let inner = picker::frame(buffer, lower, size, "What it asks for", theme);
    let lines = list
        .preview()
        .iter()
        .flat_map(|line| paint::wrap(&visible(line, 600), inner.width.saturating_sub(2)));
    for (y, line) in (inner.y..inner.bottom()).zip(lines) {
        paint::text(buffer, inner.x + 1, y, inner.width - 1, &line, theme.text);
    }
    cursor
}
