//! The keys and the search line of a view whose lines can be searched.

use ratatui::layout::{Constraint, Layout, Rect};

use crate::core::view::Scene;
use crate::keys::Context;
use crate::tui::find::Find;

/// The contexts of a view of lines under a chart's keys, without and with a search.
pub(crate) const CHART: [&[Context]; 2] = [
    &[Context::Chart, Context::Report, Context::Global, Context::Always],
    &[Context::Report, Context::Chart, Context::Global, Context::Always],
];

/// The contexts of a view with a search: text while it is typed, `active` (the search's keys first) while the
/// search has a text, else `idle`.
pub(crate) fn contexts(find: &Find, [idle, active]: [&'static [Context]; 2]) -> &'static [Context] {
    match (find.is_typing(), find.is_active()) {
        (true, _) => &[Context::Query, Context::Always],
        (false, true) => active,
        (false, false) => idle,
    }
}

/// Draws the line of a search at the bottom, if it is open; returns the rest of the area.
pub(crate) fn draw_line(find: &Find, area: Rect, scene: &mut Scene<'_, '_>) -> Rect {
    let height = u16::from(find.is_active());
    let [rest, line] = Layout::vertical([Constraint::Fill(1), Constraint::Length(height)]).areas(area);
    if height > 0 {
        scene.find_line(find, line);
    }
    rest
}
