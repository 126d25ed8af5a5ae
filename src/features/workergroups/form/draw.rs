//! Draws the form: the fields, the request body, and the preflight.

use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span, Text};

use super::GroupForm;
use super::fields::Item;
use crate::api::Request;
use crate::core::endpoints::{describe_unserved, endpoint_names};
use crate::core::mutations::preview;
use crate::core::view::Scene;
use crate::core::{Pane, State};
use crate::domain::secrets::REMOVED;
use crate::domain::text::visible;
use crate::domain::workergroup::{Draft, Key, NewWorkergroup};
use crate::domain::{Listing, Resource, Untrusted, language};
use crate::features::workergroups::look::{Look, Subject};
use crate::features::workergroups::preflight::parts::{labelled, offers, signed};
use crate::features::workergroups::preflight::{draw_costs, mixes, status, summary};
use crate::features::workergroups::{Groups, check_of, look_at, supply_report};
use crate::keys::{Action, Context};
use crate::tui::form::FormLines;
use crate::tui::panel::{Panel, Size};
use crate::tui::text::{fit, wrap_hanging, wrap_line};
use crate::tui::theme::Theme;

/// Maximum width of the form, in cells.
///
/// Longer lines are hard to read.
const WIDEST: u16 = 96;

/// Maximum number of lines that explain the focused field.
const DOC: u16 = 5;

/// Draws the form for a new workergroup with the request beside or below it, and where there is room the
/// supply; once the group is created, the list of groups instead.
pub(super) fn form(view: &GroupForm, area: Rect, scene: &mut Scene<'_, '_>) {
    if view.is_created(scene.state) {
        // Behind the outcome: the list with the new workergroup, not a form that is done with.
        return scene.pane(Pane::Workergroups, area);
    }
    let needed = FormLines::new(&view.form, scene.theme).height(area.width);
    if scene.size == Size::Compact {
        let least = needed.saturating_add(1 + DOC);
        let [top, bottom] = Layout::vertical([Constraint::Max(least), Constraint::Fill(1)]).areas(area);
        fields(view, top, scene);
        request(bottom, scene);
        return;
    }
    let left = (area.width / 2).min(WIDEST);
    let [left, right] = Layout::horizontal([Constraint::Length(left), Constraint::Fill(1)]).areas(area);
    let form = FormLines::new(&view.form, scene.theme).height(left.width) + 2 + 1 + DOC;
    let is_blank = Groups::read(scene.state).draft.draft().is_blank();
    if scene.size == Size::Wide && !is_blank && left.height > form {
        // The supply has the whole height, and the request the rest below the form with the searches of listed
        // groups, at least half of it.
        let examples = wrap_hanging(&example_searches(scene), left.width.saturating_sub(4));
        let examples = u16::try_from(examples.len()).unwrap_or(u16::MAX);
        let form = form + examples.min((left.height - form) / 2);
        let [top, bottom] = Layout::vertical([Constraint::Length(form), Constraint::Fill(1)]).areas(left);
        fields(view, top, scene);
        request(bottom, scene);
        preflight(view, right, scene);
        return;
    }
    fields(view, left, scene);
    let body = u16::try_from(body(right.width, scene).1.len()).unwrap_or(u16::MAX);
    let [top, bottom] = Layout::vertical([
        Constraint::Length((body + 2).clamp(5, area.height / 2)),
        Constraint::Fill(1),
    ])
    .areas(right);
    request(top, scene);
    preflight(view, bottom, scene);
}

/// Draws the fields of a new workergroup and the explanation of the focused one; except on
/// a compact screen, also the searches of listed groups as examples.
fn fields(view: &GroupForm, area: Rect, scene: &mut Scene<'_, '_>) {
    let mut foot = String::new();
    if Groups::read(scene.state).draft.has_replaced() {
        let key = scene.state.keymap.key_in(&[Context::Form], Action::Recall);
        foot = format!("{key} brings your other draft back");
    }
    let inner = scene.panel(
        Panel::new("New workergroup")
            .note("blank fields are omitted")
            .foot(foot)
            .focused(true),
        area,
    );
    let mut about = about(view, scene);
    if scene.size != Size::Compact {
        about.extend(example_searches(scene));
    }
    let about = wrap_hanging(&about, inner.width);
    let needed = FormLines::new(&view.form, scene.theme).height(inner.width);
    let [fields, doc] = Layout::vertical([Constraint::Max(needed), Constraint::Fill(1)]).areas(inner);
    scene.form(&view.form, fields);
    scene.render(Text::from(about), doc);
}

/// The news of the latest key press or a line for the supply (mostly blank), a notice of an unresolved creation, and the explanation of the
/// focused field, for the endpoint's name with the known endpoints.
fn about(view: &GroupForm, scene: &Scene<'_, '_>) -> Vec<Line<'static>> {
    let theme = scene.theme;
    let notice = view.notice.clone().map(|notice| Line::styled(notice, theme.accent));
    let mut lines = vec![notice.or_else(|| supply_line(view, scene)).unwrap_or_default()];
    if Groups::read(scene.state).creation.unresolved().is_some() {
        let text = "An earlier creation is unresolved: Create shows it.";
        lines.push(signed("!", text, theme.warning));
    }
    let Some(item) = view.form.focused() else {
        return lines;
    };
    let doc = match item {
        Item::Parameter(key) => format!("{}: {}", key.wire(), item.doc()),
        _ => item.doc().to_owned(),
    };
    lines.push(Line::styled(doc, theme.dim));
    if item == Item::Parameter(Key::EndpointName) {
        lines.extend(endpoints(scene));
    }
    lines
}

/// The supply of the draft's search in one line; `None` except on a compact screen, where its panel has no
/// room, and without a report.
fn supply_line(view: &GroupForm, scene: &Scene<'_, '_>) -> Option<Line<'static>> {
    let state = scene.state;
    let look = look_at(state, Subject::Draft(view.number)).ok()?;
    let report = check_of(state, &look)
        .filter(|_| scene.size == Size::Compact)?
        .report()?;
    let lines = summary::of_report(report, &look, (None, 0), scene.theme);
    lines.into_iter().next()
}

/// The lines with the endpoints of the listed workergroups, and a warning about a new name; empty if none is
/// listed.
fn endpoints(scene: &Scene<'_, '_>) -> Vec<Line<'static>> {
    let names = endpoint_names(scene.state);
    if names.is_empty() {
        return Vec::new();
    }
    let shown: Vec<_> = names.iter().map(|name| visible(name, 40)).collect();
    let key = scene.state.keymap.key_in(&[Context::Form], Action::Complete);
    let text = format!("Your endpoints: {} ({key} enters them in turn).", shown.join(", "));
    let mut lines = vec![Line::styled(text, scene.theme.dim)];
    let draft = Groups::read(scene.state).draft.draft();
    let typed = draft.text(Key::EndpointName);
    lines.extend(new_endpoint(typed, scene.state).map(|text| signed("!", &text, scene.theme.warning)));
    lines
}

/// A warning about an endpoint that none of the listed groups serves, as the market does not reject a mistyped name.
/// `None` for a blank name, and if no endpoint is listed.
pub(crate) fn new_endpoint(typed: &str, state: &State) -> Option<String> {
    describe_unserved(typed, state).map(|text| format!("{text}: the market may create it."))
}

/// The title and the lines of the panel with the body of the request that creates the workergroup, or with
/// the mistakes in the draft.
fn body(width: u16, scene: &Scene<'_, '_>) -> (String, Vec<Line<'static>>) {
    let theme = scene.theme;
    let draft = &Groups::read(scene.state).draft;
    match draft.built() {
        Ok(new) => {
            let request = preview(&Request::CreateWorkergroup(new.clone()), &scene.state.profile);
            let title = format!("{} {}{}", request.method, request.base, request.path);
            (title, json(new, width.saturating_sub(4), theme))
        }
        Err(objections) => {
            let means_conditions = draft.meaning().is_some();
            let lines = objections.iter().map(|objection| {
                let is_words = means_conditions && objection.parameter == Key::SearchParams.wire();
                let message = if is_words {
                    "leave the field, and its words become conditions"
                } else {
                    &objection.message
                };
                let text = format!("{}: {message}", objection.parameter);
                signed("-", &text, theme.dim)
            });
            let lines = wrap_hanging(&lines.collect::<Vec<_>>(), width.saturating_sub(4));
            ("To do before Create".to_owned(), lines)
        }
    }
}

/// Draws the panel with the body of the request that creates the workergroup, or with the mistakes in the
/// draft; nothing in less than two lines.
fn request(area: Rect, scene: &mut Scene<'_, '_>) {
    let (title, lines) = body(area.width, scene);
    if area.height < 2 {
        return;
    }
    let title = fit(Line::raw(title), area.width.saturating_sub(4)).to_string();
    let inner = scene.panel(Panel::new(title), area);
    scene.render(Text::from(lines), inner);
}

/// The body of the request that creates the workergroup, one member per line, wrapped to `width`. The user's
/// values are shown as they are sent.
fn json(new: &NewWorkergroup, width: u16, theme: &Theme) -> Vec<Line<'static>> {
    let pretty = serde_json::to_string_pretty(new).unwrap_or_default();
    let mut lines = Vec::new();
    for line in pretty.lines() {
        let line = Untrusted::from(line.trim_start()).for_confirmation();
        match line.split_once("\": ") {
            Some((name, value)) => {
                let member = Line::from(vec![
                    Span::styled(format!("  {name}\": "), theme.accent),
                    Span::styled(value.to_owned(), theme.text),
                ]);
                lines.extend(wrap_line(&member, width, 6));
            }
            None => lines.push(Line::styled(line, theme.dim)),
        }
    }
    lines
}

/// Draws the supply that the draft's search finds now, with its costs and where there is room the cheapest
/// offers; before that is checked, the state of the check and the explanation of all fields.
fn preflight(view: &GroupForm, area: Rect, scene: &mut Scene<'_, '_>) {
    let (state, theme) = (scene.state, scene.theme);
    let inner = scene.panel(Panel::new("Supply now"), area);
    let look = look_at(state, Subject::Draft(view.number));
    let mut lines = match look {
        Err(_) if Groups::read(scene.state).draft.meaning().is_some() => {
            vec![Line::styled("Runs once the words in Search are conditions.", theme.dim)]
        }
        Err(error) => vec![signed("!", &error.to_string(), theme.dim)],
        Ok(look) if Groups::read(state).draft.draft().is_blank() => {
            let _ = look;
            vec![Line::styled("Fill in the search to see what it finds.", theme.dim)]
        }
        Ok(look) if let Some(check) = check_of(state, &look) => {
            let mut lines: Vec<_> = status(&look, state, scene.now, theme).into_iter().collect();
            if let Some(preflight) = check.report() {
                let values = &state.settings.values;
                let start = (look.cold_start(values), values.starts);
                lines.extend(summary::of_report(preflight, &look, start, theme));
                let warnings = preflight.warnings.iter();
                lines.extend(warnings.map(|warning| signed("!", warning, theme.warning)));
                lines.extend(look.notes.iter().map(|note| signed("-", note, theme.dim)));
                lines.extend(mixes(preflight, inner.width, theme));
            }
            lines
        }
        Ok(_) => {
            let text = "Runs by itself when you stop typing.";
            vec![Line::styled(text, theme.dim)]
        }
    };
    if supply_report(state, Subject::Draft(view.number)).is_none() {
        lines.extend(fields_in_words(theme));
    }
    let lines = wrap_hanging(&lines, inner.width);
    let needed = u16::try_from(lines.len()).unwrap_or(u16::MAX);
    let [text, table] = Layout::vertical([Constraint::Length(needed), Constraint::Fill(1)]).areas(inner);
    scene.render(Text::from(lines), text);
    // A blank line, the header and three offers.
    if let Some(preflight) = supply_report(state, Subject::Draft(view.number))
        && table.height >= 5
        && !preflight.cheapest.is_empty()
    {
        let mut lines = vec![Line::default()];
        let look = look_at(state, Subject::Draft(view.number)).ok();
        let start = look.as_ref().and_then(|look| look.cold_start(&state.settings.values));
        lines.extend(offers(preflight, start, (table.width, table.height - 1), theme));
        let rows = u16::try_from(lines.len() + 1).unwrap_or(u16::MAX);
        scene.render(Text::from(lines), table);
        let [_, chart] = Layout::vertical([Constraint::Length(rows), Constraint::Fill(1)]).areas(table);
        if let Some(look) = look {
            draw_costs(preflight, &look, chart, scene);
        }
    }
}

/// The explanation of every field of the workergroup form, a line each under a heading.
fn fields_in_words(theme: &Theme) -> Vec<Line<'static>> {
    /// Cells of the longest label.
    const LABEL: usize = 19;
    let head = [Line::default(), Line::styled("What the fields are for", theme.heading)];
    let line = |label: &str, doc: &str| {
        Line::from(vec![
            Span::styled(format!("{label:LABEL$} "), theme.dim),
            Span::styled(doc.to_owned(), theme.dim),
        ])
    };
    let keys = Key::all().map(|key| line(key.parameter().label, key.parameter().doc));
    let choices = [
        ("Advanced", Item::Advanced),
        ("Send default values", Item::SendDefaults),
    ];
    let choices = choices.into_iter().map(|(label, item)| line(label, item.doc()));
    head.into_iter().chain(keys).chain(choices).collect()
}

/// The searches of the first 6 listed workergroups, as examples under a heading, without invalid ones, on a wide
/// screen with their main parameters; empty without any.
fn example_searches(scene: &Scene<'_, '_>) -> Vec<Line<'static>> {
    const MOST: usize = 6;
    let (browser, theme) = (&scene.state.browsers[Resource::Workergroups], scene.theme);
    let Some(listing) = browser.listing() else {
        return Vec::new();
    };
    let example = |row| {
        let look = Look::at_row(listing, row, browser.dialect(), &[]).ok()?;
        let field = listing.catalog().by_key("endpoint_name")?;
        let endpoint = listing.column(field).text(row)?.screen(16);
        let search = language::print(&look.search.conditions);
        let search = visible(&search.replace(&format!("\"{REMOVED}\""), REMOVED), 300);
        let values = (scene.size == Size::Wide).then(|| values(listing, row)).flatten();
        let search = labelled(&endpoint, search, theme.text, theme);
        let values = values.map(|values| labelled("", values, theme.dim, theme));
        Some([search].into_iter().chain(values))
    };
    let rows = (0..listing.len()).take(MOST);
    let lines: Vec<Line<'static>> = rows.filter_map(example).flatten().collect();
    if lines.is_empty() {
        return lines;
    }
    let head = Line::styled("Searches of your workergroups", theme.heading);
    [Line::default(), head].into_iter().chain(lines).collect()
}

/// The main parameters of a listed workergroup, as text; `None` if it has none of them.
fn values(listing: &Listing, row: usize) -> Option<String> {
    let draft = Draft::from_record(listing, row);
    let keys = [Key::TemplateId, Key::MaxWorkers, Key::GpuRam];
    let keys = keys.into_iter().filter(|key| draft.is_set(*key));
    let values = keys.map(|key| format!("{} {}", key.parameter().label, visible(draft.text(key), 40)));
    let values: Vec<String> = values.collect();
    (!values.is_empty()).then(|| values.join(" · "))
}
