//! One attempt: reading it, copying what belongs to it, the next hop; and a run as a file.

use std::sync::Arc;

use super::act::step_attempts;
use super::view::{Page, RouteView};
use super::{LabRun, RouteLab, RunAsItStands, is_csv, signature};
use crate::api::{Request, RouteCall, curl, wire};
use crate::app::Model;
use crate::app::actions::movement;
use crate::app::keymap::Action;
use crate::app::message::{Effect, Toast};
use crate::app::overlay::Overlay;
use crate::app::remote::Now;
use crate::domain::dialect::RouteKey;
use crate::domain::format;
use crate::domain::text::{json_for_terminal, visible};

/// The most characters of a stranger's text that are copied.
const LONGEST_COPY: usize = 10_000;

pub(super) fn on_attempt(
    model: &mut Model,
    now: Now,
    action: Action,
    place: usize,
    scroll: usize,
) -> Vec<Effect> {
    let page = model.facts.overlay_page.max(1);
    let show = |model: &mut Model, place, scroll| {
        if let Some(Overlay::Route(view)) = model.overlays.last_mut() {
            *view = RouteView::Attempt { place, scroll };
        }
    };
    if let Some(step) = movement(action, page) {
        let most = model.facts.overlay_lines.saturating_sub(page);
        show(model, place, scroll.saturating_add_signed(step).min(most));
        return Vec::new();
    }
    match action {
        Action::Right | Action::Left => {
            let by = if action == Action::Right { 1 } else { -1 };
            let lab = &mut model.state.route_lab;
            let last = lab.samples().len().saturating_sub(1);
            let next = if lab.page == Page::Attempts {
                step_attempts(lab, by);
                lab.selected().unwrap_or(place)
            } else {
                place.saturating_add_signed(by).min(last)
            };
            show(model, next, 0);
        }
        Action::RunCurl => return copy_curl(model, Some(place)),
        Action::RunSignature => {
            let assigned = model.state.route_lab.assigned(place);
            if let Some(signature) = assigned.and_then(|(_, reply)| signature(reply)) {
                return copy("the signature", visible(signature.compared(), LONGEST_COPY));
            }
        }
        Action::RunWorker => {
            if let Some((worker, _)) = model.state.route_lab.assigned(place) {
                let worker = worker.compared();
                if curl::without_key(worker, "").is_none() {
                    let why = "the address is no plain http or https address: not copied";
                    model.show(Toast::error(why, now));
                    return Vec::new();
                }
                return copy("the worker's address", worker.to_owned());
            }
        }
        Action::RunHop => {
            let view = RouteView::NextHop { place };
            model.overlays.push(Overlay::Route(view));
        }
        _ => {}
    }
    Vec::new()
}

fn copy(what: &str, text: String) -> Vec<Effect> {
    vec![Effect::Copy {
        what: what.to_owned(),
        text,
    }]
}

/// The request of an attempt, or the next one of the run, as a command with the key as a variable.
pub(super) fn copy_curl(model: &Model, place: Option<usize>) -> Vec<Effect> {
    let Some(run) = model.state.route_lab.shown().map(LabRun::run) else {
        return Vec::new();
    };
    let sample = place.and_then(|place| run.samples().get(place));
    let request = Request::Route(RouteCall {
        endpoint: run.plan().endpoint.clone(),
        cost: sample.map_or(run.plan().cost, |sample| sample.cost),
        key: None,
    });
    let wire = wire::encode(&request, model.state.profile.dialect);
    let address = format!("{}{}", model.state.profile.route_url, wire.path);
    let what = match model.state.profile.dialect.route_key {
        RouteKey::Profile => "the request as curl",
        RouteKey::Group => "the request as curl; set BOURSE_API_KEY to the group's key",
    };
    copy(what, curl::command(&wire, &address))
}

pub(super) fn on_hop(model: &mut Model, now: Now, action: Action, place: usize) -> Vec<Effect> {
    let lab = &mut model.state.route_lab;
    match action {
        Action::Complete | Action::Up | Action::Down => lab.hop.on_path = !lab.hop.on_path,
        Action::Submit | Action::RunBody => {
            let Some((worker, reply)) = lab.assigned(place) else {
                let why = "the reply of this attempt is not kept any more";
                model.show(Toast::error(why, now));
                return Vec::new();
            };
            let written = if action == Action::Submit {
                let command = lab.hop.command(worker, reply);
                command.map(|command| ("the worker's request as curl", command))
            } else {
                let body = lab.hop.body(reply);
                body.map(|body| {
                    let body = json_for_terminal(&body);
                    ("the worker's request body", body)
                })
            };
            match written {
                Ok((what, text)) => return copy(what, text),
                Err(why) => model.show(Toast::error(why.to_string(), now)),
            }
        }
        _ => {}
    }
    Vec::new()
}

pub(super) fn on_export(model: &mut Model, now: Now, action: Action) -> Vec<Effect> {
    let lab = &mut model.state.route_lab;
    let path = lab.export_path.text().trim().to_owned();
    let stem = path.strip_suffix(".csv").or(path.strip_suffix(".json"));
    match action {
        Action::Complete => {
            let other = if is_csv(&path) { ".json" } else { ".csv" };
            let stem = stem.unwrap_or(&path);
            lab.export_path.set(format!("{stem}{other}"));
        }
        Action::Submit if stem.is_none_or(str::is_empty) => {
            let why = "end the name of the file with .csv or .json";
            model.show(Toast::error(why, now));
        }
        Action::Submit => {
            if let Some(lab_run) = lab.shown() {
                let run = RunAsItStands(Arc::clone(&lab_run.run));
                model.overlays.pop();
                return vec![Effect::SaveRun {
                    run,
                    now: now.mono,
                    path,
                }];
            }
        }
        _ => {}
    }
    Vec::new()
}

/// A name for the file of the run in sight, unless the person typed one for it.
pub(super) fn suggest_path(lab: &mut RouteLab) {
    let Some(lab_run) = lab.shown() else { return };
    let run = lab_run.run();
    let name: String = run
        .plan()
        .endpoint
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .take(40)
        .collect();
    let moment: String = format::moment(run.started_at())
        .chars()
        .filter(char::is_ascii_digit)
        .collect();
    let typed = lab.export_path.text();
    if typed.is_empty() || typed == lab.suggested_path {
        let ending = if is_csv(typed) { "csv" } else { "json" };
        let path = format!("route-{name}-{moment}-{}.{ending}", lab_run.number);
        lab.export_path.set(path.as_str());
        lab.suggested_path = path;
    }
}
