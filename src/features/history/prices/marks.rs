//! The labelled lines across a chart of prices.

use super::History;
use crate::core::view::Scene;
use crate::core::views::chart::Mark;
use crate::domain::Resource;
use crate::features::history::verdict_basis_of_row;
use crate::tui::theme::Theme;

/// The lines to draw across the prices: that of the selected offer, unless the whole search is shown, and
/// those of the alerts on the subject's search.
pub(super) fn marks(view: &History, scene: &Scene<'_, '_>) -> Vec<Mark> {
    let (state, theme) = (scene.state, scene.theme);
    let Some(subject) = view.subject() else {
        return Vec::new();
    };
    let selected = state.browsers[view.pane.0].selected_row();
    let row = selected.filter(|_| view.is_of_pane && !subject.is_search);
    let known = row.and_then(|row| Some((row, verdict_basis_of_row(state, view.pane.0, row)?)));
    let own = known.map(|(row, (.., value))| own_mark(value, (view.pane.0, row), scene));
    let limits = state
        .features
        .iter()
        .flat_map(|feature| (feature.price_lines)(state, &subject.search));
    let alerts = limits.map(|value| alert_mark(value, theme));
    own.into_iter().chain(alerts).collect()
}

/// The line of an alert's price limit.
pub(super) fn alert_mark(value: f64, theme: &Theme) -> Mark {
    Mark {
        value,
        label: "alert".to_owned(),
        style: theme.accent,
    }
}

/// The line of the price of a row, with its id.
pub(super) fn own_mark(value: f64, (resource, row): (Resource, usize), scene: &Scene<'_, '_>) -> Mark {
    let listing = scene.state.browsers[resource].listing();
    let id = listing.and_then(|listing| listing.id(row));
    let id = id.map_or_else(|| "this offer".to_owned(), |id| format!("offer {id}"));
    Mark {
        value,
        label: id,
        style: scene.theme.text,
    }
}
