use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::removals::Removals;
use super::{SearchDialog, Tab, draw_condition, settings};
use crate::core::view::{Region, Scene};
use crate::core::views::request_preview::RequestPreview;
use crate::core::views::sheet;
use crate::domain::insight::{Histogram, only_value};
use crate::domain::language::print_condition_briefly;
use crate::domain::routing::words;
use crate::domain::{CellRef, Direction, Field, format};
use crate::keys::{Action, Context, Step};
use crate::tui::form::FormLines;
use crate::tui::panel::{Panel, Size};
use crate::tui::text::fit;

/// Maximum width of a value beside its column, in cells.
const VALUE: usize = 32;

/// The content of the search dialog's second panel, for at most `height` lines: the query, the order, the
/// selected row, or the request, by the open tab.
fn side_lines(view: &SearchDialog, height: usize, scene: &Scene<'_, '_>) -> Vec<Line<'static>> {
    match view.tab {
        Tab::Filters if scene.size == Size::Wide => with_row(query(view, scene), view, height, scene),
        Tab::Filters => query(view, scene),
        Tab::Sort => with_row(order(view, scene), view, height, scene),
        Tab::Columns => row(view, height, scene),
        Tab::Settings => request(view, scene),
    }
}

/// Draws the search dialog: the open tab, condition form or request body, with a second panel for the query,
/// order, selected row or request, by the tab; without space for it, on the filters, a line with the query.
pub(super) fn dialog(view: &SearchDialog, area: Rect, scene: &mut Scene<'_, '_>) {
    let title = match (&view.form, &view.body) {
        (Some(form), _) => format!("{} ({})", form.field.label, form.field.key),
        (None, Some(_)) => view.preview.request.clone(),
        (None, None) => "Search".to_owned(),
    };
    let side = match view.tab {
        Tab::Filters => Panel::new("Query").note(view.preview.request.clone()),
        Tab::Sort => Panel::new("Order"),
        Tab::Columns => Panel::new("Selected row").note("left to right"),
        Tab::Settings => Panel::new(view.preview.request.clone()),
    };
    let mut panel = Panel::new(title);
    if view.form.is_none() && view.body.is_none() {
        panel = panel.tabs(view.tabs().iter().map(|tab| tab.title()), view.tab as usize);
    }
    let sheet = if let Some(list) = view.list() {
        sheet::open(panel, side, list.len(), area, scene)
    } else {
        let form = FormLines::new(&view.settings, scene.theme).height(area.width / 2) + 1;
        let width = sheet::side_width(area, scene.size);
        let body = sheet::rows(&request(view, scene), width).max(view.preview.json.len() + 3);
        match scene.size {
            Size::Compact => sheet::with_result(panel, side, (form, u16::MAX), area, scene),
            Size::Medium | Size::Wide => {
                // Without a search line.
                let lines = body.max(form.into()).saturating_sub(1);
                sheet::open(panel, side, lines, area, scene)
            }
        }
    };
    let mut main = sheet.main;
    if let Some(side) = sheet.side {
        let lines = side_lines(view, usize::from(side.height), scene);
        sheet::text(lines, side, scene);
    } else if view.tab == Tab::Filters {
        // One line instead of the second panel.
        let [rest, line] = Layout::vertical([Constraint::Fill(1), Constraint::Length(1)]).areas(main);
        let text = Line::styled(view.preview.text.clone(), scene.theme.text);
        scene.render(fit(text, line.width), line);
        main = rest;
    }
    if let Some(form) = &view.form {
        draw_condition::condition(form, view.fate(form.field), main, scene);
    } else if let Some(report) = &view.body {
        scene.report(Region::MAIN, report, main);
    } else {
        tab(view, main, scene);
    }
}

/// `lines`, and below them the values of the table's selected row, as many as fit into `height` lines.
fn with_row(
    mut lines: Vec<Line<'static>>,
    view: &SearchDialog,
    height: usize,
    scene: &Scene<'_, '_>,
) -> Vec<Line<'static>> {
    let room = height.saturating_sub(lines.len() + 6);
    lines.extend([Line::default(), Line::styled("Selected row", scene.theme.heading)]);
    lines.extend(values(view, room, scene));
    lines
}

/// Draws the list or the form of the search dialog's open tab, below one line for a complaint or for stored
/// edits that can be restored, if there is either.
fn tab(view: &SearchDialog, area: Rect, scene: &mut Scene<'_, '_>) {
    let theme = scene.theme;
    let note = match &view.complaint {
        Some(complaint) => Some((complaint.clone(), theme.error)),
        None if view.has_left => {
            let key = scene.key_in(&[Context::ListEdit], Action::Recall);
            Some((format!("Press {key} to restore your edits"), theme.warning))
        }
        None => None,
    };
    let [line, rest] = Layout::vertical([Constraint::Length(note.is_some().into()), Constraint::Fill(1)]).areas(area);
    if let Some((text, style)) = note {
        scene.render(fit(Line::styled(text, style), line.width), line);
    }
    match view.list() {
        Some(list) => scene.searched_list(list, rest),
        None => scene.form(&view.settings, rest),
    }
}

/// The state and verdict of a count of the filters, the draft query of the search dialog as text, the number
/// of loaded rows that match, its local and unmet conditions, the selected line (unless a condition is
/// edited), and the request body.
fn query(view: &SearchDialog, scene: &Scene<'_, '_>) -> Vec<Line<'static>> {
    let theme = scene.theme;
    let preview = &view.preview;
    let waits = view.removals().and_then(|removals| removals.wait(scene.now));
    let mut lines: Vec<_> = waits.map(|text| Line::styled(text, theme.dim)).into_iter().collect();
    let verdict = view.removals().and_then(Removals::verdict);
    lines.extend(verdict.map(|text| Line::styled(text, theme.warning)));
    lines.push(if preview.text.is_empty() {
        Line::styled("No filters: everything is shown", theme.dim)
    } else {
        Line::styled(preview.text.clone(), theme.text)
    });
    if let Some(matches) = view.matches {
        let count = |number: usize| words::count(u64::try_from(number).unwrap_or(u64::MAX));
        let (rows, loaded) = (count(matches.rows), count(matches.loaded));
        let rest = if matches.is_wider {
            "; the market may have more"
        } else {
            ""
        };
        let style = if matches.rows == 0 { theme.warning } else { theme.accent };
        lines.push(Line::from(vec![
            Span::styled(rows, style),
            Span::raw(format!(" of {loaded} loaded rows match{rest}")),
        ]));
    }
    if !preview.local.is_empty() {
        let text = format!("applied to the loaded rows: {}", preview.local);
        lines.push(Line::styled(text, theme.dim));
    }
    lines.extend(unmet(view, scene));
    lines.push(Line::default());
    if view.form.is_none() {
        lines.extend(selected(view, scene));
    }
    lines.extend(
        request_body_lines(preview)
            .into_iter()
            .map(|line| line.style(theme.dim)),
    );
    lines
}

/// The effect of the keys on a counted condition, the meaning of the field on the selected line, how a
/// condition on it is applied, and its distribution in the loaded rows; empty if the line has no field.
fn selected(view: &SearchDialog, scene: &Scene<'_, '_>) -> Vec<Line<'static>> {
    let theme = scene.theme;
    let field = match view.current() {
        Some(super::DialogLine::Condition(index)) => {
            view.draft.query.conditions.get(index).map(|condition| condition.field)
        }
        _ => view.field(),
    };
    let Some(field) = field else {
        return Vec::new();
    };
    let line = |action: Action, text: String| {
        let key = scene.key_in(&[Context::ListEdit], action);
        Line::from(vec![
            Span::styled(format!("{key} "), theme.key),
            Span::styled(text, theme.text),
        ])
    };
    let mut lines = Vec::new();
    if let (Some(step), Some(removals)) = (view.selected_step(), view.removals()) {
        lines.push(line(Action::Remove, format!("removes it: {}", step.removal(removals))));
        lines.extend(step.looser.as_ref().map(|(looser, many)| {
            let looser = print_condition_briefly(looser);
            let text = format!("loosens it to {looser}: {}", removals.describe_returning(*many));
            line(Action::Shift(Step::Forward), text)
        }));
        lines.push(Line::default());
    }
    lines.push(Line::styled(field.label, theme.heading));
    lines.push(Line::raw(field.doc));
    lines.push(Line::styled(draw_condition::describe_fate(view.fate(field)), theme.dim));
    lines.extend(distribution(view, field, scene));
    lines.push(Line::default());
    lines
}

/// A blank line, a histogram of a number field's values in the loaded rows, and its range; bars whose values
/// meet the draft's conditions are lit. If all rows have one value, that value; empty for other fields, without rows,
/// and if the values are in fewer than 6 bars.
fn distribution(view: &SearchDialog, field: &'static Field, scene: &Scene<'_, '_>) -> Vec<Line<'static>> {
    const MOST: usize = 36;
    const BARS: [&str; 8] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
    let values = draw_condition::loaded_numbers(field, scene);
    let theme = scene.theme;
    if let Some((value, many)) = only_value(&values).filter(|(_, many)| *many > 1) {
        let value = format::with_unit(field, value, view.dialect);
        let text = format!("all {} rows: {value}", format::grouped(many));
        return vec![Line::default(), Line::styled(text, theme.dim)];
    }
    let Some(histogram) = Histogram::new(&values, MOST, None).filter(Histogram::is_spread) else {
        return Vec::new();
    };
    let is_met = |value: f64| {
        let conditions = view.draft.query.active();
        let mut conditions = conditions.filter(|condition| condition.field == field);
        conditions.all(|condition| condition.accepts(CellRef::Number(value)))
    };
    let tallest = histogram.tallest().max(1);
    let bars = histogram.buckets.iter().map(|bucket| match bucket.count {
        0 => Span::raw(" "),
        count => {
            let style = if is_met(f64::midpoint(bucket.low, bucket.high)) {
                theme.accent
            } else {
                theme.dim
            };
            Span::styled(
                BARS[(count * BARS.len()).div_ceil(tallest).clamp(1, BARS.len()) - 1],
                style,
            )
        }
    });
    let (low, high) = (histogram.scale.low, histogram.scale.high);
    let (low, high) = (format::number(field, low), format::with_unit(field, high, view.dialect));
    let width = histogram.buckets.len().saturating_sub(low.chars().count());
    vec![
        Line::default(),
        bars.collect(),
        Line::styled(format!("{low} {high:>width$}"), theme.dim),
    ]
}

/// A warning for each active condition of the draft that is not applied because its column needs something
/// that is not set, with the key that sets it; empty if all are applied.
fn unmet(view: &SearchDialog, scene: &Scene<'_, '_>) -> Vec<Line<'static>> {
    let active = view.draft.query.active();
    active
        .filter_map(|condition| {
            let (need, key) = view.need(condition.field)?;
            let condition = print_condition_briefly(condition);
            let text = format!("{condition} is not applied: {} ({key})", need.remedy());
            Some(Line::styled(text, scene.theme.warning))
        })
        .collect()
}

/// The previewed body of the search request, line by line.
pub(super) fn request_body_lines(preview: &RequestPreview) -> Vec<Line<'static>> {
    preview.json.iter().cloned().map(Line::raw).collect()
}

/// The sort keys of the draft, whether the market or bourse sorts by each, and the meaning of the selected
/// field.
fn order(view: &SearchDialog, scene: &Scene<'_, '_>) -> Vec<Line<'static>> {
    let theme = scene.theme;
    let (keys, catalog) = (&view.draft.query.order, view.draft.query.catalog());
    let mut lines = Vec::new();
    if keys.is_empty() {
        lines.push(Line::styled("Unsorted: as the market lists them", theme.dim));
    }
    // Keys after one that the market cannot sort by are sorted locally as well.
    let is_on_market = |field: &&Field| catalog.orders_on_server(field, view.dialect);
    let fields = keys.iter().map(|key| key.field);
    let on_market = fields.take_while(is_on_market).count();
    for (index, key) in keys.iter().enumerate() {
        let sorter = if index < on_market {
            Span::styled("  by the market", theme.dim)
        } else {
            Span::styled("  here, among the loaded rows", theme.warning)
        };
        let words = match key.direction {
            Direction::Ascending => "ascending",
            Direction::Descending => "descending",
        };
        lines.push(Line::from(vec![
            Span::styled(format!("{} ", index + 1), theme.dim),
            Span::styled(key.field.header(view.dialect), theme.accent),
            Span::raw(format!(" {} {words}", key.direction.arrow())),
            sorter,
        ]));
    }
    if let Some(field) = view.field() {
        lines.push(Line::default());
        lines.push(Line::styled(field.label, theme.heading));
        if let Some((need, key)) = view.need(field) {
            let text = format!("Needs {} ({key}): sorts once it is set", need.noun_phrase());
            lines.push(Line::styled(text, theme.warning));
        }
        lines.push(Line::raw(field.doc));
    }
    lines
}

/// The meaning of the selected field, and below it the values of the draft's columns in the table's selected
/// row, in at most `height` lines.
fn row(view: &SearchDialog, height: usize, scene: &Scene<'_, '_>) -> Vec<Line<'static>> {
    let theme = scene.theme;
    let mut lines: Vec<Line<'static>> = view.field().map_or_else(Vec::new, |field| {
        vec![
            Line::styled(field.label, theme.heading),
            Line::raw(field.doc),
            Line::default(),
        ]
    });
    let room = height.saturating_sub(lines.len() + 1);
    lines.extend(values(view, room, scene));
    lines
}

/// The labels of the draft's first `most` columns, each with its value in the table's selected row; the
/// values are empty if no row is selected.
fn values(view: &SearchDialog, most: usize, scene: &Scene<'_, '_>) -> Vec<Line<'static>> {
    let theme = scene.theme;
    let browser = scene.state.browser();
    let shown = browser.and_then(|browser| Some((browser.listing()?, browser.selected_row()?)));
    let mut lines = Vec::new();
    for field in view.draft.columns.iter().take(most) {
        let style = if view.field() == Some(*field) {
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

/// A note on how the focused search setting is applied, if it has one, and the request body.
fn request(view: &SearchDialog, scene: &Scene<'_, '_>) -> Vec<Line<'static>> {
    let focused = view.settings.focused();
    let note = focused.and_then(|setting| settings::note(setting, &view.draft.query, view.dialect));
    let mut lines: Vec<_> = note
        .map(|note| vec![Line::raw(note), Line::default()])
        .unwrap_or_default();
    let body = view.preview.json.iter();
    lines.extend(body.map(|line| Line::styled(line.clone(), scene.theme.dim)));
    lines
}
