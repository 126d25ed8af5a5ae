//! The copy menu: the forms with their letters, and below them the selected text as it would be
//! copied.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::paint;
use crate::app::copy::CopyMenu;
use crate::app::facts::{Facts, Target};
use crate::app::keys::Keymap;
use crate::domain::text::visible;
use crate::ui::picker::frame;
use crate::widgets::theme::Theme;

/// The widest menu.
const WIDEST: u16 = 100;

/// The most lines of the text that are shown.
const TEXT: u16 = 8;

/// Draws the menu.
pub fn draw(
    buffer: &mut Buffer,
    area: Rect,
    menu: &CopyMenu,
    keymap: &Keymap,
    theme: &Theme,
    facts: &mut Facts,
) {
    let width = area.width.saturating_sub(4).min(WIDEST);
    let items = u16::try_from(menu.items.len()).unwrap_or(u16::MAX);
    let wanted = items.saturating_add(2 + TEXT + 1);
    let height = wanted.min(area.height.saturating_sub(2));
    let inner = frame(buffer, area, (width, height), "Copy: press a letter", theme);
    let list = items.min(inner.height);
    let first = super::records::first_row(0, menu.selected, menu.items.len(), list.into());
    facts.overlay_page = list.into();
    facts.overlay_lines = menu.items.len();
    let rows = menu.items.iter().enumerate().skip(first);
    for (y, (index, item)) in (inner.y..inner.y + list).zip(rows) {
        let strip = Rect::new(inner.x, y, inner.width, 1);
        facts
            .targets
            .push((paint::area(strip), Target::Line(index)));
        let is_selected = index == menu.selected;
        let style = if is_selected {
            paint::fill(buffer, strip, theme.selected);
            theme.selected
        } else {
            theme.text
        };
        let sign = if is_selected { "> " } else { "  " };
        let x = paint::text(buffer, strip.x, y, 2, sign, style);
        let x = paint::text(
            buffer,
            x,
            y,
            3,
            &item.letter(keymap),
            style.patch(theme.key),
        );
        let room = strip.right().saturating_sub(x + 2);
        let (text, style) = match &item.text {
            Ok(_) => (item.what.clone(), style),
            Err(why) => (
                format!("{} (not now: {why})", item.what),
                style.patch(theme.dim),
            ),
        };
        paint::text(buffer, x + 2, y, room, &text, style);
    }
    let text = Rect::new(
        inner.x + 1,
        inner.y + list + 1,
        inner.width.saturating_sub(2),
        inner.height.saturating_sub(list + 1),
    );
    preview(buffer, text, menu, theme);
}

/// The selected text, as much of it as there is room for.
fn preview(buffer: &mut Buffer, area: Rect, menu: &CopyMenu, theme: &Theme) {
    let Some(item) = menu.current() else { return };
    let text = match &item.text {
        Ok(_) if item.is_secret => "(hidden; it is copied whole)",
        Ok(text) => text.as_str(),
        Err(_) => return,
    };
    if area.height == 0 {
        return;
    }
    let room = usize::from(area.width) * usize::from(area.height);
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        if lines.len() > usize::from(area.height) {
            break;
        }
        // Broken where the line ends, so that it reads as one text.
        let solid = visible(line, room + 1).replace(' ', "\u{a0}");
        lines.extend(paint::wrap(&solid, area.width));
    }
    let is_cut = lines.len() > usize::from(area.height);
    let shown = usize::from(area.height) - usize::from(is_cut);
    for (y, line) in (area.y..).zip(lines.iter().take(shown)) {
        paint::text(buffer, area.x, y, area.width, line, theme.dim);
    }
    if is_cut {
        let size = format!("… {} bytes in all", text.len());
        paint::text(
            buffer,
            area.x,
            area.bottom() - 1,
            area.width,
            &size,
            theme.dim,
        );
    }
}
