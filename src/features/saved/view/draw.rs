use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::{Entry, Saved, brief};
use crate::core::view::Scene;
use crate::core::views::sheet;
use crate::domain::saved::SavedSearch;
use crate::domain::text::visible;
use crate::features::saved as searches;
use crate::tui::panel::Panel;
use crate::tui::theme::Theme;

/// Maximum length of the text of a search, in characters.
const LONGEST: usize = 600;

/// Draws the list of saved searches, and beside it the text of the selected search or of the one that would
/// be saved.
pub(super) fn saved(view: &Saved, area: Rect, scene: &mut Scene<'_, '_>) {
    let current = match view.entry() {
        Some(Entry::Save) => searches::current(String::new(), scene.state),
        _ => view.search(scene.state).cloned(),
    };
    let title = match (view.entry(), &current) {
        (Some(Entry::Save), _) => "This search".to_owned(),
        (_, Some(search)) => visible(&search.name, 60),
        (_, None) => "Search".to_owned(),
    };
    let count = scene.state.searches.saved.len();
    let main = Panel::new("Saved searches").note(format!("{count} saved"));
    let mut side = Panel::new(title);
    if let Some(search) = &current {
        side = side.note(search.spec.resource.nouns());
    }
    let sheet = sheet::open(main, side, view.list.len(), area, scene);
    scene.searched_list(&view.list, sheet.main);
    let Some(area) = sheet.side else { return };
    let lines = match (&current, view.entry()) {
        (Some(search), _) => describe(search, scene),
        (None, Some(Entry::ShowPresets)) => vec![Line::raw("Lists the presets that you hid.")],
        (None, _) => Vec::new(),
    };
    sheet::text(lines, area, scene);
}

/// The text of a saved search, a line each: the reason it cannot run, whether it runs at start, its note,
/// query, switched-off conditions, order and limit (or the default ones), prices, storage and job, as far as
/// it has them.
fn describe(search: &SavedSearch, scene: &Scene<'_, '_>) -> Vec<Line<'static>> {
    let theme: &Theme = scene.theme;
    let spec = brief(&search.spec, scene.state.profile.dialect);
    let mut lines = Vec::new();
    if let Err(error) = search.read(scene.state.profile.dialect) {
        let text = format!("Can't run: {error}");
        lines.push(Line::styled(visible(&text, LONGEST), theme.error));
    }
    if scene.state.searches.startup.as_ref() == Some(&search.name) {
        lines.push(Line::styled("Runs at every start", theme.good));
    }
    if !search.note.is_empty() {
        lines.push(Line::raw(visible(&search.note, LONGEST)));
    }
    lines.push(if spec.query.is_empty() {
        Line::styled("No filters", theme.dim)
    } else {
        Line::styled(visible(&spec.query, LONGEST), theme.text)
    });
    if !spec.off.is_empty() {
        let off = format!("switched off: {}", spec.off.join(" "));
        lines.push(Line::styled(visible(&off, LONGEST), theme.dim));
    }
    let catalog = spec.resource.catalog();
    let order = spec.order.as_deref().unwrap_or(catalog.order);
    let limit = spec.limit.or(catalog.limit).filter(|limit| *limit > 0);
    let details = [
        ("Sort", Some(order).filter(|order| !order.is_empty()).map(str::to_owned)),
        ("Limit", limit.map(|limit| limit.to_string())),
        ("Prices", spec.offer_type.clone()),
        ("Storage", spec.storage.map(|gigabytes| format!("{gigabytes} GB"))),
        (
            "Job",
            search.job.map(|job| job.brief(&scene.state.local_time(scene.now))),
        ),
    ];
    for (label, value) in details {
        if let Some(value) = value {
            lines.push(Line::from(vec![
                Span::styled(format!("{label:>8}  "), theme.dim),
                Span::raw(visible(&value, LONGEST)),
            ]));
        }
    }
    lines
}
