//! Draws the table of alerts with the latest rings of the selected one, and the form.

use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};

use super::form::AlertForm;
use super::subjects::is_volume;
use super::{AlertList, EXAMPLES, SEARCH, status};
use crate::core::view::{Region, Scene};
use crate::core::views::form_view::FormView;
use crate::core::views::sheet;
use crate::domain::format;
use crate::domain::text::{screen, visible};
use crate::features::alerts::{AlertWatch, follows_open_search};
use crate::features::history::{self, rating};
use crate::keys::{Action, Context};
use crate::record::alerts::{Alert, Followed, describe_repeat, describe_trigger};
use crate::record::{PricePer, Repeat, Rule, with_storage};
use crate::tui::panel::{Panel, Size};
use crate::tui::rail::Rail;
use crate::tui::records::Records;
use crate::tui::table::Column;
use crate::tui::text::fit;

/// Maximum number of logged events shown of an alert.
const RINGS: usize = 20;

/// Maximum length of the text of a search, in characters.
const LONGEST: usize = 400;

/// The fewest lines of a chart that is worth its room.
const CHART: u16 = 10;
const RAIL: u16 = 14;

/// Draws the tab of alerts: the headline, the table or the examples, a chart of prices if there is space and
/// the selected alert follows the search of the open pane (or none is selected), and the rule and the log of
/// the selected alert.
pub(super) fn list(view: &AlertList, area: Rect, scene: &mut Scene<'_, '_>) {
    let all = &AlertWatch::read(scene.state).all;
    let facts = format::counted(all.alerts.len(), "alert", "alerts");
    let inner = scene.tabbed("Alerts", facts, area);
    let selected = view.selected(scene.state);
    let lines = selected.map_or_else(Vec::new, |alert| describe(alert, scene));
    let below = u16::try_from(sheet::rows(&lines, inner.width)).unwrap_or(u16::MAX);
    let below = below.min(inner.height / 2) + u16::from(below > 0);
    let has_search = view.search.is_shown();
    let [head, search, table, below, foot] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(u16::from(has_search)),
        Constraint::Fill(1),
        Constraint::Length(below),
        Constraint::Length(1),
    ])
    .areas(inner);
    scene.render(fit(headline(scene), head.width), head);
    if has_search {
        view.search.draw("name or condition", SEARCH, search, scene);
    }
    let count = if all.alerts.is_empty() {
        EXAMPLES
    } else {
        view.alerts(scene.state).len()
    };
    let needed = u16::try_from(count + 2).unwrap_or(u16::MAX);
    let has_chart = table.height >= needed.saturating_add(CHART);
    let chart = if has_chart { table.height - needed } else { 0 };
    let [table, chart] = Layout::vertical([Constraint::Fill(1), Constraint::Length(chart)]).areas(table);
    if all.alerts.is_empty() {
        examples(view, table, scene);
    } else if count == 0 {
        scene.render(Line::styled("No alert matches the search", scene.theme.dim), table);
    } else {
        alerts(view, table, scene);
    }
    // The prices of another search are no help with the selected alert.
    let is_about_pane = selected.is_none_or(|alert| follows_open_search(alert, scene.state));
    if has_chart && is_about_pane {
        draw_prices(selected, chart, scene);
    }
    if let Some((title, text)) = selected.zip(below.rows().next()) {
        scene.render(Line::styled(visible(&title.name, 60), scene.theme.heading), text);
        let [_, text] = Layout::vertical([Constraint::Length(1), Constraint::Fill(1)]).areas(below);
        sheet::text(lines, text, scene);
    }
    let now = scene.now.epoch.moment();
    let basis = if all.alerts.is_empty() || all.alerts.iter().any(|alert| alert.is_active(now)) {
        let copy = scene.key_in(&[Context::Global], Action::Copy);
        format!("Checked every minute while bourse runs ({copy}: also while it is closed)")
    } else {
        let switch = scene.key_in(&[Context::ListEdit], Action::Toggle);
        format!("No alert is on, and none is checked ({switch} switches one on)")
    };
    sheet::foot(&basis, foot, scene);
}

/// Draws the lowest price over time of offers like the open pane's selected one, or else the prices on offer
/// now, as a help to choose the limit of an alert; that of `alert` per GPU is a line across. Nothing is drawn without a
/// selected offer or volume.
fn draw_prices(alert: Option<&Alert>, area: Rect, scene: &mut Scene<'_, '_>) {
    let browser = scene.state.browser().filter(|_| scene.state.pane.has_prices());
    let Some((browser, row)) = browser.and_then(|browser| Some((browser, browser.selected_row()?))) else {
        return;
    };
    let resource = browser.resource();
    let rule = alert.map(|alert| &alert.rule).filter(|rule| rule.per == PricePer::Gpu);
    let limit = rule.and_then(Rule::price_limit);
    if !history::prices::draw_similar_lows((resource, row), limit.as_slice(), area, scene) {
        history::prices::draw_now(area, scene);
    }
}

/// The numbers of alerts that are on, paused and done, without those that are zero (`2 on, 1 done`), and how
/// much of the sandbox's past is recorded until all is; if there are no alerts, the keys that add one.
fn headline(scene: &Scene<'_, '_>) -> Line<'static> {
    let all = &AlertWatch::read(scene.state).all;
    if all.alerts.is_empty() && AlertForm::example(0, scene.state).is_none() {
        let text = "None yet. An alert follows offers, volumes or a workergroup: open their tab to add one.";
        return Line::styled(text, scene.theme.text);
    }
    if all.alerts.is_empty() {
        let key = |action| scene.key_in(&[Context::Items], action);
        let (take, new) = (key(Action::Submit), key(Action::New));
        let text = format!("None yet. {take} uses an example, {new} starts with an empty form:");
        return Line::styled(text, scene.theme.text);
    }
    let now = scene.now.epoch.moment();
    let count = |wanted: &str| all.alerts.iter().filter(|alert| status(alert, now) == wanted).count();
    let parts = ["on", "paused", "done"].map(|status| (count(status), status));
    let parts = parts.into_iter().filter(|(count, _)| *count > 0);
    let parts: Vec<String> = parts.map(|(count, status)| format!("{count} {status}")).collect();
    let counts = Span::styled(parts.join(", "), scene.theme.text);
    let past = scene.state.sandbox.simulation();
    let past = past.map(|past| Span::styled(format!(" · {past}"), scene.theme.dim));
    std::iter::once(counts).chain(past).collect()
}

/// Draws the table of example alerts, in place of alerts where there are none.
fn examples(view: &AlertList, area: Rect, scene: &mut Scene<'_, '_>) {
    let forms: Vec<AlertForm> = (0..EXAMPLES)
        .filter_map(|example| AlertForm::example(example, scene.state))
        .collect();
    let rows = Records::new(forms.len(), |row| forms.get(row))
        .column(Column::text("Example", 24), |form: &AlertForm| form.subject_label())
        .column(Column::text("Rings at", 40).grows(), AlertForm::trigger_words);
    scene.table(Region::MAIN, &rows, Some(view.cursor), area);
}

/// Draws the table of the matching alerts: name, condition, present value and its distance from the limit,
/// state, and the time since the alert last fired.
fn alerts(view: &AlertList, area: Rect, scene: &mut Scene<'_, '_>) {
    let (state, theme, now) = (scene.state, scene.theme, scene.now.epoch.moment());
    let watch = AlertWatch::read(state);
    let alerts = view.alerts(state);
    let seen = |alert: &Alert| watch.seen.get(&alert.name).copied();
    let is_dim = |alert: &Alert| !alert.is_active(now);
    let style = move |alert: &Alert| if is_dim(alert) { theme.dim } else { theme.text };
    let last_ring = |alert: &Alert| watch.rings(&alert.name).next().map(|logged| logged.at);
    let rows = Records::new(alerts.len(), |row| alerts.get(row).copied())
        .styled(Column::text("Name", 24).grows_by(24), |alert: &Alert, width| {
            (screen(&alert.name, usize::from(width)).into(), style(alert))
        })
        .styled(Column::text("Condition", 30).priority(2), |alert, _| {
            (
                describe_trigger(&alert.rule, is_volume(&alert.follows)).into(),
                style(alert),
            )
        })
        .styled(Column::number("Now", 8), |alert, _| {
            let text = seen(alert).map_or_else(|| format::NONE.to_owned(), |value| format::figure(value, 4));
            (text.into(), style(alert))
        })
        .styled(Column::text("│ limit ● now", RAIL).priority(1), |alert, width| {
            let ends = alert.rule.compared_limit().zip(seen(alert));
            let rail = ends.map(|(limit, value)| {
                let rail = Rail::new([limit / 2.0, limit, limit * 2.0], value, theme).beside_median();
                rail.line(width).to_string()
            });
            (rail.unwrap_or_default().into(), theme.dim)
        })
        .styled(Column::text("State", 6), |alert, _| {
            (status(alert, now).into(), style(alert))
        })
        .styled(Column::number("Rang", 8).priority(3), |alert, _| {
            let ago = last_ring(alert).map(|at| format::span(now.unix() - at.unix()));
            (ago.unwrap_or_else(|| format::NONE.to_owned()).into(), theme.dim)
        });
    let cursor = view.cursor.min(alerts.len().saturating_sub(1));
    scene.table(Region::MAIN, &rows, Some(cursor), area);
}

/// The lines on an alert: its state, subject, model and rule, and its latest events, newest first and 20 at
/// most, or else a note that it has not fired.
fn describe(alert: &Alert, scene: &Scene<'_, '_>) -> Vec<Line<'static>> {
    let theme = scene.theme;
    let now = scene.now.epoch.moment();
    let labelled =
        |label: &str, text: String| Line::from(vec![Span::styled(format!("{label:>8}  "), theme.dim), Span::raw(text)]);
    let mut lines = vec![
        labelled("State", status(alert, now).to_owned()),
        labelled("Follows", followed(&alert.follows)),
    ];
    if let Some(model) = &alert.rule.model {
        lines.push(labelled("Model", visible(model, 64)));
    }
    let trigger = describe_trigger(&alert.rule, is_volume(&alert.follows));
    let how = describe_repeat(alert.rule.repeat);
    lines.push(labelled("Rings", format!("{trigger}, {how}")));
    // A compact screen has six lines, and the latest ring takes two of them.
    if scene.size != Size::Compact {
        lines.push(Line::default());
    }
    let of_alert = AlertWatch::read(scene.state).rings(&alert.name).take(RINGS);
    let local = scene.state.local_time(scene.now);
    let rings = of_alert.map(|logged| {
        Line::from(vec![
            Span::styled(format!("{}  ", local.cell(logged.at.unix())), theme.dim),
            Span::raw(visible(&logged.text, LONGEST)),
        ])
    });
    let before = lines.len();
    lines.extend(rings);
    if lines.len() == before {
        // The log has the latest firings of all alerts.
        let has_rung = alert.rule.repeat == Repeat::Once && !alert.is_paused && !alert.is_active(now);
        let text = if has_rung {
            "Rang; the log no longer has the time"
        } else {
            "Has not rung yet"
        };
        lines.push(Line::styled(text, theme.dim));
    }
    lines
}

/// The subject of an alert as text: the query of the search (`every listing` if it is empty, cut to 400
/// characters), or the id of the workergroup.
fn followed(follows: &Followed) -> String {
    match follows {
        Followed::Search(spec) if spec.query.is_empty() => "every listing".to_owned(),
        Followed::Search(spec) => visible(&spec.query, LONGEST),
        Followed::Group(id) => format!("workergroup {id}"),
    }
}

/// Draws the form of an alert, and beside it, if there is room, its effect.
pub(super) fn form(view: &AlertForm, area: Rect, scene: &mut Scene<'_, '_>) {
    let rows = u16::try_from(view.fields() + 2).unwrap_or(u16::MAX);
    let title = if view.is_edit() { "Edit alert" } else { "New alert" };
    let panels = (Panel::new(title), Panel::new("What it does"));
    let lines = effect(view, scene);
    let needed = sheet::rows(&lines, sheet::result_width(area, scene.size));
    let needed = u16::try_from(needed).unwrap_or(u16::MAX);
    let sheet = sheet::with_result(panels.0, panels.1, (rows, rows.max(needed)), area, scene);
    scene.form(view.form(), sheet.main);
    if let Some(side) = sheet.side {
        sheet::text(lines, side, scene);
    }
}

/// The condition of an alert as a sentence or the first error, how often it would have fired, the followed search, and
/// which programs check it.
fn effect(view: &AlertForm, scene: &Scene<'_, '_>) -> Vec<Line<'static>> {
    let theme = scene.theme;
    let mut lines = match view.rule() {
        Ok(rule) => {
            let text = describe_trigger(&rule, view.is_volume());
            let how = describe_repeat(rule.repeat);
            let mark = rating::simulation_suffix(scene.state);
            let rung = view
                .backtest
                .describe_firings(&rule, mark)
                .map(|text| Line::styled(text, theme.accent));
            std::iter::once(Line::raw(format!("Rings {how}: {text}.")))
                .chain(rung)
                .collect()
        }
        Err((_, why)) => vec![Line::styled(why, theme.warning)],
    };
    let warnings = [view.met_sentence(), view.limit_sentence()].into_iter().flatten();
    lines.extend(warnings.map(|text| Line::styled(text, theme.warning)));
    lines.push(Line::raw(view.search_text()));
    if let Some(storage) = view.storage().filter(|_| !view.is_volume()) {
        let storage = with_storage(storage);
        let per = match view.per() {
            PricePer::Gpu => "per GPU",
            PricePer::Machine => "of all GPUs of an offer",
        };
        let text = format!("Prices are {per}{storage}, as the search has them.");
        lines.push(Line::styled(text, theme.dim));
    }
    let sentences = view.check_sentences(&scene.state.keymap);
    lines.extend(sentences.map(|text| Line::styled(text, theme.dim)));
    lines
}
