//! What keys mean in the lab.

use std::sync::Arc;

use super::RouteLab;
use super::attempt::{copy_curl, on_attempt, on_export, on_hop, suggest_path};
use super::start::{on_form, request_start, show_form};
use super::view::{Page, RouteView};
use crate::app::Model;
use crate::app::actions::movement;
use crate::app::keymap::Action;
use crate::app::message::{Effect, Toast};
use crate::app::overlay::Overlay;
use crate::app::remote::Now;
use crate::domain::routing::Phase;

/// Does what an action means for the topmost part of the lab.
pub(in crate::app) fn act(model: &mut Model, now: Now, action: Action) -> Vec<Effect> {
    let Some(Overlay::Route(view)) = model.overlays.last() else {
        return Vec::new();
    };
    let view = view.clone();
    if action == Action::Back {
        return back(model, &view);
    }
    match view {
        RouteView::Lab => on_lab(model, now, action),
        RouteView::Form => on_form(model, now, action),
        RouteView::Search => {
            if action == Action::Submit {
                model.overlays.pop();
            } else if let Some(step) = movement(action, model.facts.overlay_page.max(1)) {
                step_attempts(&mut model.state.route_lab, step);
            }
            Vec::new()
        }
        RouteView::Attempt { place, scroll } => on_attempt(model, now, action, place, scroll),
        RouteView::NextHop { place } => on_hop(model, now, action, place),
        RouteView::Export => on_export(model, now, action),
        RouteView::Compare { other, scroll } => {
            on_compare(model, action, other, scroll);
            Vec::new()
        }
    }
}

/// One step back. A search that is typed is off, and kept for the next time.
fn back(model: &mut Model, view: &RouteView) -> Vec<Effect> {
    let lab = &mut model.state.route_lab;
    let is_searching = lab.page == Page::Attempts && !lab.attempts.filter().is_empty();
    match view {
        RouteView::Lab if is_searching => lab.attempts.search(false),
        RouteView::Search => {
            lab.attempts.search(false);
            model.overlays.pop();
        }
        _ => {
            model.overlays.pop();
        }
    }
    Vec::new()
}

fn on_lab(model: &mut Model, now: Now, action: Action) -> Vec<Effect> {
    let page = model.facts.overlay_page.max(1);
    let lab = &mut model.state.route_lab;
    if let Some(step) = movement(action, page) {
        if lab.page == Page::Attempts {
            step_attempts(lab, step);
        } else {
            let most = model.facts.overlay_lines.saturating_sub(page);
            lab.scroll = lab.scroll.saturating_add_signed(step).min(most);
        }
        return Vec::new();
    }
    match action {
        Action::Right => turn_page(lab, 1),
        Action::Left => turn_page(lab, Page::ALL.len() - 1),
        Action::Open => {
            if let Some(place) = lab.selected() {
                let view = RouteView::Attempt { place, scroll: 0 };
                model.overlays.push(Overlay::Route(view));
            }
        }
        Action::Query => {
            turn_to(lab, Page::Attempts);
            lab.attempts.search(true);
            advance(lab);
            model.overlays.push(Overlay::Route(RouteView::Search));
        }
        Action::RunNew => return show_form(model, now),
        Action::RunAgain => {
            if let Some(plan) = lab.shown().map(|run| run.run().plan().clone()) {
                return request_start(model, now, plan);
            }
        }
        Action::RunPause => return pause(model, now),
        Action::RunStop => return stop(model, now),
        Action::RunPrevious => lab.show_run(lab.shown_place().saturating_sub(1)),
        Action::RunNext => lab.show_run(lab.shown_place() + 1),
        Action::RunCompare => {
            if let Some(other) = other_run(lab, None, false) {
                let view = RouteView::Compare { other, scroll: 0 };
                model.overlays.push(Overlay::Route(view));
            }
        }
        Action::RunExport => {
            suggest_path(lab);
            model.overlays.push(Overlay::Route(RouteView::Export));
        }
        Action::RunHop => {
            if let Some(place) = lab.assignment() {
                let view = RouteView::NextHop { place };
                model.overlays.push(Overlay::Route(view));
            }
        }
        Action::RunCurl => {
            let place = lab.selected();
            return copy_curl(model, place);
        }
        _ => {}
    }
    Vec::new()
}

fn turn_page(lab: &mut RouteLab, by: usize) {
    let page = lab.page.shifted(by);
    turn_to(lab, page);
}

fn turn_to(lab: &mut RouteLab, page: Page) {
    lab.page = page;
    lab.scroll = 0;
}

pub(super) fn step_attempts(lab: &mut RouteLab, by: isize) {
    let RouteLab {
        attempts,
        runs,
        shown,
        ..
    } = lab;
    if let Some(lab_run) = runs.get(*shown) {
        attempts.step(by, lab_run.run().samples());
    }
}

pub(super) fn select_attempt(lab: &mut RouteLab, line: usize) {
    let RouteLab {
        attempts,
        runs,
        shown,
        ..
    } = lab;
    if let Some(lab_run) = runs.get(*shown) {
        attempts.select(line, lab_run.run().samples());
    }
}

/// Goes on with a search that has not looked at all attempts.
pub(super) fn advance(lab: &mut RouteLab) {
    let RouteLab {
        attempts,
        runs,
        shown,
        ..
    } = lab;
    if let Some(lab_run) = runs.get(*shown) {
        attempts.advance(lab_run.run().samples());
    }
}

/// Sends what is due and goes on searching.
pub(in crate::app) fn tick(model: &mut Model, now: Now) -> Vec<Effect> {
    advance(&mut model.state.route_lab);
    model.state.route_lab.step(&mut model.state.tickets, now)
}

/// The run that pause and stop are about: the one in sight, else the one that goes on.
fn subject(lab: &RouteLab) -> Option<u64> {
    let shown = lab.shown().filter(|run| run.is_active());
    shown.or_else(|| lab.active()).map(|run| run.number)
}

fn pause(model: &mut Model, now: Now) -> Vec<Effect> {
    let number = subject(&model.state.route_lab);
    let lab = &mut model.state.route_lab;
    let Some(lab_run) = lab.runs.iter_mut().find(|run| Some(run.number) == number) else {
        return Vec::new();
    };
    let run = Arc::make_mut(&mut lab_run.run);
    match run.phase() {
        Phase::Running => run.pause(now.mono),
        Phase::Paused => run.resume(now.mono),
        Phase::Draining | Phase::Ended(_) => {}
    }
    lab.step(&mut model.state.tickets, now)
}

fn stop(model: &mut Model, now: Now) -> Vec<Effect> {
    let number = subject(&model.state.route_lab);
    let lab = &mut model.state.route_lab;
    let Some(lab_run) = lab.runs.iter_mut().find(|run| Some(run.number) == number) else {
        return Vec::new();
    };
    if lab_run.run().plan().is_single() {
        let why = "A single request is not broken off: it ends within 15 s";
        model.show(Toast::error(why, now));
        return Vec::new();
    }
    lab_run.stop(&mut lab.flights, now)
}

/// The number of the run before (or after) `from`, the one in sight left out.
fn other_run(lab: &RouteLab, from: Option<u64>, after: bool) -> Option<u64> {
    let shown = lab.shown()?.number;
    let numbers: Vec<u64> = lab
        .runs()
        .iter()
        .map(|run| run.number)
        .filter(|number| *number != shown)
        .collect();
    let from = from.unwrap_or(shown);
    let before = numbers.iter().rev().find(|number| **number < from);
    let behind = numbers.iter().find(|number| **number > from);
    let found = if after { behind } else { before };
    found.or(behind).or(before).copied()
}

fn on_compare(model: &mut Model, action: Action, other: u64, scroll: usize) {
    let page = model.facts.overlay_page.max(1);
    let most = model.facts.overlay_lines.saturating_sub(page);
    let lab = &model.state.route_lab;
    let next = match action {
        Action::RunPrevious | Action::Left => other_run(lab, Some(other), false),
        Action::RunNext | Action::Right => other_run(lab, Some(other), true),
        _ => None,
    };
    let view = match (movement(action, page), next) {
        (Some(step), _) => RouteView::Compare {
            other,
            scroll: scroll.saturating_add_signed(step).min(most),
        },
        (None, Some(other)) => RouteView::Compare { other, scroll: 0 },
        (None, None) => return,
    };
    if let Some(Overlay::Route(own)) = model.overlays.last_mut() {
        *own = view;
    }
}

/// Why an action cannot be done now in a part of the lab, if it cannot.
pub(in crate::app) fn disabled(model: &Model, view: &RouteView, action: Action) -> Option<String> {
    let lab = &model.state.route_lab;
    let why = match action {
        Action::Open if lab.selected().is_none() => "no attempt has ended yet",
        Action::RunPause | Action::RunStop if lab.active().is_none() => "no run goes on",
        Action::RunPause if lab.active().is_some_and(|run| run.run().plan().is_single()) => {
            "a single request cannot be paused"
        }
        Action::RunAgain | Action::RunCurl | Action::RunExport if lab.shown().is_none() => {
            let key = model.state.keymap.way_to("new-run");
            return Some(format!("there is no run yet: {key} begins one"));
        }
        Action::RunPrevious | Action::RunNext | Action::RunCompare if lab.runs().len() < 2 => {
            "there is no other run"
        }
        Action::RunHop | Action::RunSignature | Action::RunWorker => {
            let place = match view {
                RouteView::Attempt { place, .. } => Some(*place),
                _ => lab.assignment(),
            };
            if place.is_some_and(|place| lab.assigned(place).is_some()) {
                return None;
            }
            "no assignment is kept here"
        }
        _ => return None,
    };
    Some(why.to_owned())
}
