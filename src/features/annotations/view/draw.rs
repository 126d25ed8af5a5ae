//! Draws the list of annotations, and the annotations on cards.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::{AnnotationList, AnnotationRow, capitalized};
use crate::core::State;
use crate::core::view::Scene;
use crate::core::views::sheet;
use crate::domain::annotations::{Annotation, LONGEST_NOTE, Supplier};
use crate::domain::format;
use crate::domain::text::visible;
use crate::keys::{Action, Subject};
use crate::tui::panel::Panel;
use crate::tui::theme::Theme;

/// The signs of rows whose machine or host is starred, and of those with a note.
pub(crate) const STAR: &str = "★";
pub(crate) const NOTE: &str = "✎";
/// The sign of rows whose machine or host is banned, while those are listed.
pub(crate) const BANNED: &str = "✗";

/// Draws the list of annotations, and those of the selected machine or host beside it; on a compact screen
/// below it, or not at all if that is lower than 18 rows.
pub(super) fn list(view: &AnnotationList, area: Rect, scene: &mut Scene<'_, '_>) {
    let all = &scene.state.annotations.all;
    let main = Panel::new("Stars, notes and bans").note(format::counted(
        all.iter().len(),
        "machine or host",
        "machines and hosts",
    ));
    let entry = view.entry();
    let title = entry.map_or_else(|| "How to add one".to_owned(), |entry| capitalized(entry.of));
    let sheet = sheet::open(main, Panel::new(title), view.list.len(), area, scene);
    scene.searched_list(&view.list, sheet.main);
    let Some(area) = sheet.side else { return };
    let lines = match entry {
        Some(entry) => describe(entry, scene.state, scene.theme),
        None => ways_to_add(scene),
    };
    sheet::text(lines, area, scene);
}

/// The keys that annotate a machine or host, where none is.
fn ways_to_add(scene: &Scene<'_, '_>) -> Vec<Line<'static>> {
    let ways = [
        (Action::Star(Subject::Machine), "stars its machine"),
        (Action::Note(Subject::Machine), "adds a note on it"),
        (Action::Ban, "bans it or its host"),
    ];
    let ways = ways.map(|(action, effect)| format!("{} {effect}", scene.key(action)));
    let text = format!("On the row of an offer, {}.", ways.join(", "));
    vec![Line::styled(text, scene.theme.dim)]
}

/// The lines on the machine or host of an entry: its star, ban and note, and where a ban is applied. Empty if
/// it has no annotation.
fn describe(entry: AnnotationRow, state: &State, theme: &Theme) -> Vec<Line<'static>> {
    let Some(annotation) = state.annotations.all.get(entry.of) else {
        return Vec::new();
    };
    let mut lines: Vec<Line<'static>> = parts(annotation, theme).into_iter().map(Line::from).collect();
    if annotation.is_banned {
        let field = state.browsers[crate::domain::Resource::Offers]
            .query
            .catalog()
            .by_key(entry.of.key());
        let text = if field.is_some_and(|field| state.profile.dialect.sends(field)) {
            "The market leaves its offers out of your searches."
        } else {
            "Its offers are hidden here: the market has no filter for it."
        };
        lines.push(Line::styled(text, theme.dim));
    }
    lines
}

/// The star, the ban and the note of an annotation, in this order, without those that it lacks.
fn parts(annotation: &Annotation, theme: &Theme) -> Vec<Span<'static>> {
    let mut parts = Vec::new();
    if annotation.is_starred {
        parts.push(Span::styled(format!("{STAR} starred"), theme.accent));
    }
    if annotation.is_banned {
        parts.push(Span::styled(format!("{BANNED} banned"), theme.warning));
    }
    if !annotation.note.is_empty() {
        let note = visible(&annotation.note, LONGEST_NOTE);
        parts.push(Span::styled(format!("{NOTE} {note}"), theme.accent));
    }
    parts
}

/// The user's annotations of these machines and hosts, a line each: `Machine 4711: ★ starred ✎ slow disk`;
/// those without any are left out.
pub(crate) fn annotation_lines(suppliers: [Option<Supplier>; 2], state: &State, theme: &Theme) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    for of in suppliers.into_iter().flatten() {
        let Some(annotation) = state.annotations.all.get(of) else {
            continue;
        };
        let mut line = Line::styled(format!("{}:", capitalized(of)), theme.dim);
        for part in parts(annotation, theme) {
            line.push_span(Span::raw(" "));
            line.push_span(part);
        }
        lines.push(line);
    }
    lines
}
