//! A box in the middle of the screen.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::{Block, Clear, Widget};

use super::paint;
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
