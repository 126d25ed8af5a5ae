//! The screens of the Workergroups pane besides its table.

pub mod create;
pub mod drift;
pub mod form;
pub mod planner;
pub mod preflight;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use super::paint;
use crate::app::Model;
use crate::app::facts::Facts;
use crate::app::overlay::Overlay;
use crate::app::remote::Now;
use crate::ui::picker::blank;
use crate::widgets::theme::Theme;

/// Draws an overlay of the pane; gives the cursor's place.
pub fn overlay(
    buffer: &mut Buffer,
    area: Rect,
    model: &Model,
    overlay: &Overlay,
    now: Now,
    theme: &Theme,
    facts: &mut Facts,
) -> Option<Position> {
    let place = inside(area);
    match overlay {
        Overlay::GroupForm => return form::draw(buffer, place, model, theme, facts),
        Overlay::GroupCreate(dialog) => {
            return create::draw(buffer, area, model, dialog, now, theme);
        }
        Overlay::GroupPlan(plan) => {
            return planner::draw(buffer, place, model, plan, theme, facts);
        }
        Overlay::GroupPreflight { scroll } => {
            preflight::draw(buffer, place, model, *scroll, now, theme, facts);
        }
        Overlay::GroupDrift { scroll } => {
            drift::draw(buffer, place, model, *scroll, now, theme, facts);
        }
        _ => {}
    }
    None
}

/// A line of pieces, each with its style.
pub type Line = Vec<(String, Style)>;

/// A line in one style.
pub fn line(text: impl Into<String>, style: Style) -> Line {
    vec![(text.into(), style)]
}

/// Cells of the labels of a report.
const LABEL: usize = 16;

/// A label and what belongs to it, over several lines where it is long.
pub fn labelled(label: &str, text: &str, style: Style, width: u16, theme: &Theme) -> Vec<Line> {
    let indent = u16::try_from(LABEL).unwrap_or(0) + 1;
    let mut label = Some(format!("{label:LABEL$} "));
    paint::wrap(text, width.saturating_sub(indent).max(12))
        .into_iter()
        .map(|part| {
            let start = label.take().unwrap_or_else(|| " ".repeat(LABEL + 1));
            vec![(start, theme.dim), (part, style)]
        })
        .collect()
}

/// A sign and a text behind it, over several lines where it is long.
pub fn signed(sign: &str, text: &str, style: Style, width: u16) -> Vec<Line> {
    let mut sign = Some(sign);
    paint::wrap(text, width.saturating_sub(2).max(12))
        .into_iter()
        .map(|part| line(format!("{:2}{part}", sign.take().unwrap_or("")), style))
        .collect()
}

/// A text over as many lines as it takes.
pub fn plain(text: &str, style: Style, width: u16) -> Vec<Line> {
    paint::wrap(text, width)
        .into_iter()
        .map(|part| line(part, style))
        .collect()
}

/// Draws lines under a title, scrolled; says how much of them is in sight.
pub fn report(
    buffer: &mut Buffer,
    area: Rect,
    title: &str,
    lines: &[Line],
    scroll: usize,
    theme: &Theme,
    facts: &mut Facts,
) {
    blank(buffer, area);
    let end = paint::text(buffer, area.x + 1, area.y, area.width, title, theme.heading);
    let page = usize::from(area.height.saturating_sub(1));
    facts.overlay_page = page;
    facts.overlay_lines = lines.len();
    let scroll = scroll.min(lines.len().saturating_sub(page));
    if lines.len() > page {
        let place = format!(
            " {}-{} of {} lines ",
            scroll + 1,
            scroll + page,
            lines.len()
        );
        let room = area.right().saturating_sub(end);
        if paint::cells(&place) <= room {
            paint::right(buffer, end, area.y, room, &place, theme.dim);
        }
    }
    for (y, line) in (area.y + 1..area.bottom()).zip(lines.iter().skip(scroll)) {
        draw_line(buffer, area.x + 1, y, area.right(), line);
    }
}

/// Draws a line from `x` up to `end`; gives the column behind it.
pub fn draw_line(buffer: &mut Buffer, x: u16, y: u16, end: u16, line: &Line) -> u16 {
    line.iter().fold(x, |x, (text, style)| {
        paint::text(buffer, x, y, end.saturating_sub(x), text, *style)
    })
}

/// What lies between header and status line; `area` is the screen without the footer.
pub const fn inside(area: Rect) -> Rect {
    Rect {
        x: area.x,
        y: area.y + 1,
        width: area.width,
        height: area.height.saturating_sub(2),
    }
}
