use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};

use super::{Filter, draw_condition};
use crate::core::view::{Region, Scene};
use crate::core::views::request_preview::RequestPreview;
use crate::core::views::sheet;
use crate::domain::language;
use crate::domain::routing::words;
use crate::keys::{Action, Context};
use crate::widgets::panel::Panel;
use crate::widgets::text::fit;

pub(super) fn filter(view: &Filter, area: Rect, scene: &mut Scene<'_, '_>) {
    let title = match (&view.form, &view.body) {
        (Some(form), _) => format!("{}: {}", form.field.key, form.field.label),
        (None, Some(_)) => view.preview.request.clone(),
        (None, None) => "Filters".to_owned(),
    };
    let mut main = Panel::new(title);
    if view.form.is_none() && view.body.is_none() {
        main = main.facts("type to find one");
    }
    let side = Panel::new("Query").facts(view.preview.request.clone());
    let sheet = sheet::open(main, side, view.list.len(), area, scene);
    let main = if let Some(side) = sheet.side {
        let lines = query(view, scene);
        sheet::text(lines, side, scene);
        sheet.main
    } else {
        // One line instead of the second panel.
        let [main, line] = Layout::vertical([Constraint::Fill(1), Constraint::Length(1)]).areas(sheet.main);
        let text = Line::styled(view.preview.text.clone(), scene.theme.good);
        scene.render(fit(text, line.width), line);
        main
    };
    if let Some(form) = &view.form {
        draw_condition::condition(form, view.fate(form.field), main, scene);
    } else if let Some(report) = &view.body {
        scene.report(Region::MAIN, report, main);
    } else {
        list(view, main, scene);
    }
}

/// The lines, below warnings.
fn list(view: &Filter, area: Rect, scene: &mut Scene<'_, '_>) {
    let theme = scene.theme;
    let note = match &view.complaint {
        Some(complaint) => Some((complaint.clone(), theme.error)),
        None if view.has_left => {
            let keymap = &scene.state.keymap;
            let key = keymap.key_in(&[Context::ListEdit], Action::Recall);
            let text = format!("Press {key} to restore your draft");
            Some((text, theme.warning))
        }
        None => None,
    };
    let Some((text, style)) = note else {
        return scene.searched_list(&view.list, area);
    };
    let [line, rest] = Layout::vertical([Constraint::Length(1), Constraint::Fill(1)]).areas(area);
    scene.render(fit(Line::styled(text, style), line.width), line);
    scene.searched_list(&view.list, rest);
}

/// The query as text, how many loaded rows match, and the request body.
fn query(view: &Filter, scene: &Scene<'_, '_>) -> Vec<Line<'static>> {
    let theme = scene.theme;
    let preview = &view.preview;
    let mut lines = vec![if preview.text.is_empty() {
        Line::styled("No filters: everything is shown", theme.dim)
    } else {
        Line::styled(preview.text.clone(), theme.good)
    }];
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
        lines.extend(legend(view, scene));
        lines.push(Line::default());
    }
    lines.extend(body(preview).into_iter().map(|line| line.style(theme.dim)));
    lines
}

/// What the words behind the fields mean, as far as they are there.
fn legend(view: &Filter, scene: &Scene<'_, '_>) -> Vec<Line<'static>> {
    let filters = view.draft.catalog().filters();
    let is_used = |fate: &str| filters.iter().any(|field| view.fate(field) == fate);
    let line = |fate: &'static str| {
        Line::from(vec![
            Span::styled(format!("{fate:<7}"), scene.theme.key),
            Span::styled(draw_condition::becomes(fate), scene.theme.dim),
        ])
    };
    let fates = ["sent", "extra", "local"].into_iter();
    fates.filter(|fate| is_used(fate)).map(line).collect()
}

/// Conditions on columns with unmet prerequisites.
fn unmet(view: &Filter, scene: &Scene<'_, '_>) -> Vec<Line<'static>> {
    let Some(browser) = scene.state.browser() else {
        return Vec::new();
    };
    let active = view.draft.active();
    active
        .filter_map(|condition| {
            let need = browser.need(condition.field)?;
            let condition = language::print_condition_briefly(condition);
            let key = scene.key(need.action());
            let text = format!("{condition} is not applied: {} ({key})", need.remedy());
            Some(Line::styled(text, scene.theme.warning))
        })
        .collect()
}

/// The request body, line by line.
pub(super) fn body(preview: &RequestPreview) -> Vec<Line<'static>> {
    preview.json.iter().cloned().map(Line::raw).collect()
}
