use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::Columns;
use crate::core::view::Scene;
use crate::core::views::sheet;
use crate::domain::format;
use crate::widgets::panel::Panel;

/// The maximum width of a value beside its column.
const VALUE: usize = 32;

pub(super) fn columns(view: &Columns, area: Rect, scene: &mut Scene<'_, '_>) {
    let main = Panel::new("Columns").facts(format!("{} shown", view.shown.len()));
    let side = Panel::new("Selected row").facts("left to right");
    let sheet = sheet::open(main, side, view.list.len(), area, scene);
    scene.searched_list(&view.list, sheet.main);
    if let Some(area) = sheet.side {
        let lines = row(view, usize::from(area.height), scene);
        sheet::text(lines, area, scene);
    }
}

/// The values of the columns in the selected row, and the meaning of the selected field.
fn row(view: &Columns, height: usize, scene: &Scene<'_, '_>) -> Vec<Line<'static>> {
    let theme = scene.theme;
    let browser = scene.state.browser();
    let shown = browser.and_then(|browser| Some((browser.listing()?, browser.selected_row()?)));
    let mut lines: Vec<Line<'static>> = view.current().map_or_else(Vec::new, |field| {
        vec![
            Line::styled(field.label, theme.heading),
            Line::raw(field.doc),
            Line::default(),
        ]
    });
    let room = height.saturating_sub(lines.len() + 1);
    for field in view.shown.iter().take(room) {
        let style = if view.current() == Some(*field) {
            theme.accent
        } else {
            theme.dim
        };
        let value = shown.map_or_else(String::new, |(listing, row)| format::cell(listing, row, field, VALUE));
        lines.push(Line::from(vec![
            Span::styled(format!("{:>14}  ", field.label), style),
            Span::styled(value, Style::default()),
        ]));
    }
    lines
}
