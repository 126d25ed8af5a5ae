//! Marked rows side by side: labels at the left, one column for each row.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::page;
use crate::app::facts::Facts;
use crate::app::insights::compare::{Compare, Line};
use crate::ui::paint;
use crate::widgets::theme::Theme;

/// The least and the most cells of a compared row.
const CELLS: (u16, u16) = (18, 28);

/// The least cells of the labels.
const LEAST_LABEL: u16 = 18;

/// Cells that the longest label needs: two that begin alike must not be cut to the same.
fn label_width(view: &Compare) -> u16 {
    let labels = view.lines.iter().filter_map(|line| match line {
        Line::Heading(_) => None,
        Line::Values { label, .. } => Some(paint::cells(label)),
    });
    labels.max().unwrap_or(0).max(LEAST_LABEL)
}

/// Draws the comparison; as many rows as fit, the one that keys are about among them.
pub fn draw(buffer: &mut Buffer, body: Rect, view: &Compare, theme: &Theme, facts: &mut Facts) {
    let many = view.ids.len();
    let mut title = format!("{many} {} side by side, * best in its line", view.nouns);
    if view.only_differences {
        title.push_str(", only differences");
    }
    let note = match view.absent {
        0 => String::new(),
        absent => format!("{absent} marked that are not loaded"),
    };
    let area = page(buffer, body, &title, &note, theme);
    let label = label_width(view).min(area.width / 2);
    let room = area.width.saturating_sub(label + 2);
    // An id is read whole, with the sign in front of it.
    let ids = view.ids.iter().map(|id| paint::cells(&id.to_string()) + 2);
    let narrowest = ids.max().unwrap_or(0).max(CELLS.0);
    let fitting = usize::from((room / (narrowest + 1)).max(1)).min(many.max(1));
    let width = (room / u16::try_from(fitting).unwrap_or(1))
        .saturating_sub(1)
        .min(CELLS.1.max(narrowest));
    let first = (view.cursor + 1).saturating_sub(fitting);
    let column = |place: usize| {
        let place = u16::try_from(place).unwrap_or(u16::MAX);
        area.x + 1 + label + 1 + place.saturating_mul(width + 1)
    };
    let shown = first..(first + fitting).min(many);
    if many > fitting {
        let note = format!("{}-{} of {many}", shown.start + 1, shown.end);
        paint::text(buffer, area.x + 1, area.y, label, &note, theme.dim);
    }
    for (place, index) in shown.clone().enumerate() {
        let is_current = index == view.cursor;
        let style = if is_current {
            theme.selected
        } else {
            theme.heading
        };
        let sign = if is_current { "> " } else { "  " };
        let head = format!("{sign}{}", view.ids[index]);
        let name = format!("  {}", view.titles[index]);
        paint::text(buffer, column(place), area.y, width, &head, style);
        paint::text(buffer, column(place), area.y + 1, width, &name, theme.dim);
    }
    let top = area.y + 2;
    let page = usize::from(area.bottom().saturating_sub(top));
    facts.overlay_page = page;
    facts.overlay_lines = view.lines.len();
    if view.lines.is_empty() {
        let note = "They agree in everything that their records say.";
        paint::text(buffer, area.x + 1, top, area.width, note, theme.text);
    }
    let scroll = view.scroll.min(view.lines.len().saturating_sub(page));
    if view.lines.len() > page {
        let (last, all) = ((scroll + page).min(view.lines.len()), view.lines.len());
        let long = format!("{}-{last} of {all} lines", scroll + 1);
        // The two cells of the sign before the first column are free in this line.
        let room = label + 2;
        let place = if paint::cells(&long) <= room {
            long
        } else {
            format!("{last}/{all}")
        };
        paint::text(buffer, area.x + 1, area.y + 1, room, &place, theme.dim);
    }
    for (y, line) in (top..area.bottom()).zip(view.lines.iter().skip(scroll)) {
        match line {
            Line::Heading(title) => {
                paint::text(buffer, area.x + 1, y, area.width, title, theme.heading);
            }
            Line::Values {
                label: name,
                cells,
                best,
            } => {
                paint::text(buffer, area.x + 1, y, label, name, theme.dim);
                for (place, index) in shown.clone().enumerate() {
                    let (sign, style) = if best.contains(&index) {
                        ("* ", theme.good)
                    } else {
                        ("  ", theme.text)
                    };
                    let text = cells.get(index).map_or("", String::as_str);
                    let text = format!("{sign}{text}");
                    paint::text(buffer, column(place), y, width, &text, style);
                }
            }
        }
    }
}
