//! Draws the list of alerts with the latest events of the selected one, and the form.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::form::AlertForm;
use super::subjects::is_volume;
use super::{AlertList, Entry, status};
use crate::core::view::Scene;
use crate::core::views::form_view::FormView;
use crate::core::views::sheet;
use crate::domain::format;
use crate::domain::text::visible;
use crate::features::alerts::AlertWatch;
use crate::features::history::rating;
use crate::record::alerts::{Alert, Followed, condition, repeat};
use crate::record::{Moment, PricePer, Repeat, with_storage};
use crate::tui::panel::{Panel, Size};

/// Maximum number of logged events shown of an alert.
const RINGS: usize = 20;

/// Maximum length of the text of a search, in characters.
const LONGEST: usize = 400;

pub(super) fn list(view: &AlertList, area: Rect, scene: &mut Scene<'_, '_>) {
    let all = &AlertWatch::read(scene.state).all;
    let main = Panel::new("Alerts").note(format::counted(all.alerts.len(), "alert", "alerts"));
    let alert = match view.entry() {
        Some(Entry::Alert(name)) => all.named(&name),
        Some(Entry::New) | None => None,
    };
    let title = alert.map_or_else(|| "New alert".to_owned(), |alert| visible(&alert.name, 60));
    let lines = match alert {
        Some(alert) => describe(alert, scene),
        None => vec![Line::raw(
            "Rings when a search, a model, a machine or a workergroup's supply meets a condition.",
        )],
    };
    let needed = sheet::rows(&lines, sheet::page_side_width(area)).max(view.list.shown().count());
    // With the search line and the frame.
    let needed = u16::try_from(needed + 3).unwrap_or(u16::MAX);
    let area = match scene.size {
        Size::Compact => area,
        Size::Medium | Size::Wide => Rect {
            height: area.height.min(needed),
            ..area
        },
    };
    let sheet = sheet::page(main, Panel::new(title), area, scene);
    scene.searched_list(&view.list, sheet.main);
    if let Some(area) = sheet.side {
        sheet::text(lines, area, scene);
    }
}

/// The subject and the rule of an alert, and its latest events, newest first.
fn describe(alert: &Alert, scene: &Scene<'_, '_>) -> Vec<Line<'static>> {
    let theme = scene.theme;
    let now = Moment::of(scene.now.epoch);
    let labelled =
        |label: &str, text: String| Line::from(vec![Span::styled(format!("{label:>8}  "), theme.dim), Span::raw(text)]);
    let mut lines = vec![
        labelled("State", status(alert, now).to_owned()),
        labelled("Follows", followed(&alert.follows)),
    ];
    if let Some(model) = &alert.rule.model {
        lines.push(labelled("Model", visible(model, 64)));
    }
    let trigger = condition(&alert.rule, is_volume(&alert.follows));
    let how = repeat(alert.rule.repeat);
    lines.push(labelled("Rings", format!("{trigger}, {how}")));
    // A compact screen has six lines, and the latest ring takes two of them.
    if scene.size != Size::Compact {
        lines.push(Line::default());
    }
    let log = AlertWatch::read(scene.state).all.log.iter().rev();
    let of_alert = log.filter(|logged| logged.alert == alert.name).take(RINGS);
    let local = scene.state.local_time(scene.now);
    #[expect(clippy::cast_precision_loss)] // seconds of this age of the world
    let rings = of_alert.map(|logged| {
        Line::from(vec![
            Span::styled(format!("{}  ", local.cell(logged.at.0 as f64)), theme.dim),
            Span::raw(visible(&logged.text, LONGEST)),
        ])
    });
    let before = lines.len();
    lines.extend(rings);
    if lines.len() == before {
        // It is told once the record has it.
        let is_ringing = alert.rule.repeat == Repeat::Once && !alert.is_paused && !alert.is_active(now);
        let text = if is_ringing {
            "Rang a moment ago"
        } else {
            "Has not rung yet"
        };
        lines.push(Line::styled(text, theme.dim));
    }
    lines
}

fn followed(follows: &Followed) -> String {
    match follows {
        Followed::Search(spec) if spec.query.is_empty() => "every listing".to_owned(),
        Followed::Search(spec) => visible(&spec.query, LONGEST),
        Followed::Group(id) => format!("workergroup {id}"),
    }
}

pub(super) fn form(view: &AlertForm, area: Rect, scene: &mut Scene<'_, '_>) {
    let rows = u16::try_from(view.fields() + 2).unwrap_or(u16::MAX);
    let title = if view.is_edit() { "Edit alert" } else { "New alert" };
    let panels = (Panel::new(title), Panel::new("What it does"));
    let sheet = sheet::with_result(panels.0, panels.1, (rows, rows), area, scene);
    scene.form(view.form(), sheet.main);
    let Some(side) = sheet.side else { return };
    let theme = scene.theme;
    let mut lines = match view.rule() {
        Ok(rule) => {
            let text = condition(&rule, view.is_volume());
            let how = repeat(rule.repeat);
            let mark = rating::mark(scene.state);
            let rung = view
                .backtest
                .rung(&rule, mark)
                .map(|text| Line::styled(text, theme.accent));
            std::iter::once(Line::raw(format!("Rings {how}: {text}.")))
                .chain(rung)
                .collect()
        }
        Err((_, why)) => vec![Line::styled(why, theme.warning)],
    };
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
    lines.push(Line::styled(view.rhythm(), theme.dim));
    sheet::text(lines, side, scene);
}
