use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::Sort;
use crate::core::view::Scene;
use crate::core::views::sheet;
use crate::domain::OrderKey;
use crate::widgets::panel::Panel;

pub(super) fn sort(view: &Sort, area: Rect, scene: &mut Scene<'_, '_>) {
    let main = Panel::new("Sort").facts("type to find a field");
    let side = Panel::new("Order");
    let sheet = sheet::open(main, side, view.list.len(), area, scene);
    scene.searched_list(&view.list, sheet.main);
    if let Some(area) = sheet.side {
        let lines = order(view, scene);
        sheet::text(lines, area, scene);
    }
}

/// The sort keys, who sorts by each, and the meaning of the selected field.
fn order(view: &Sort, scene: &Scene<'_, '_>) -> Vec<Line<'static>> {
    let theme = scene.theme;
    let mut lines = Vec::new();
    if view.keys.is_empty() {
        lines.push(Line::styled("Unsorted: as the market lists them", theme.dim));
    }
    // Keys after one that the market cannot sort by are sorted locally as well.
    let on_market = view
        .keys
        .iter()
        .take_while(|key| view.catalog.orders_on_server(key.field, view.dialect))
        .count();
    for (place, key) in view.keys.iter().enumerate() {
        let sorter = if place < on_market {
            Span::styled("  by the market", theme.dim)
        } else {
            Span::styled("  here, among the loaded rows", theme.warning)
        };
        lines.push(Line::from(vec![
            Span::styled(format!("{} ", place + 1), theme.dim),
            Span::styled(key.field.header(view.dialect), theme.accent),
            Span::raw(format!(" {} {}", key.direction.arrow(), words(key))),
            sorter,
        ]));
    }
    if let Some(field) = view.current() {
        lines.push(Line::default());
        lines.push(Line::styled(field.label, theme.heading));
        if let Some((need, key)) = view.need(field) {
            let text = format!("Needs {} ({key}): sorts once it is set", need.words());
            lines.push(Line::styled(text, theme.warning));
        }
        lines.push(Line::raw(field.doc));
    }
    lines
}

const fn words(key: &OrderKey) -> &'static str {
    match key.direction {
        crate::domain::Direction::Ascending => "ascending",
        crate::domain::Direction::Descending => "descending",
    }
}
