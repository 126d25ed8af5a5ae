//! The first line: the panes and for whom the dashboard speaks.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::paint;
use super::theme::Theme;
use crate::app::facts::{Facts, Target};
use crate::app::{Model, Pane};

/// Draws the header.
pub fn draw(buffer: &mut Buffer, line: Rect, model: &Model, theme: &Theme, facts: &mut Facts) {
    let badge = if model.profile.is_sandbox {
        " SANDBOX ".to_owned()
    } else {
        format!(" {} ", model.profile.name)
    };
    let badge_style = if model.profile.is_sandbox {
        theme.sandbox
    } else {
        theme.live
    };
    let locked = if model.profile.read_only {
        "READ-ONLY "
    } else {
        ""
    };
    let right = paint::cells(&badge) + paint::cells(locked);
    let tabs = line.width.saturating_sub(right + 1);
    let mut x = paint::text(buffer, line.x, line.y, tabs, " bourse ", theme.accent);
    // Narrow screens keep the numbers and shorten the names that are not open.
    let is_narrow = tabs < 62;
    for (place, pane) in Pane::ALL.into_iter().enumerate() {
        let is_open = pane == model.pane;
        let title = if is_narrow && !is_open {
            crate::domain::text::truncate(pane.title(), 4)
        } else {
            pane.title().to_owned()
        };
        let start = x;
        let room = (line.x + tabs).saturating_sub(x);
        let style = if is_open { theme.selected } else { theme.text };
        x = paint::text(
            buffer,
            x,
            line.y,
            room,
            &format!(" {} {title} ", place + 1),
            style,
        );
        let cell = Rect::new(start, line.y, x - start, 1);
        facts.targets.push((paint::area(cell), Target::Tab(place)));
    }
    let x = line.right().saturating_sub(right);
    let x = paint::text(buffer, x, line.y, right, locked, theme.warning);
    paint::text(buffer, x, line.y, right, &badge, badge_style);
}
