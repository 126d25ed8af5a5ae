//! From a workergroup to a run: the form, the question, the key.

use super::view::RouteView;
use super::{Entry, LabRun};
use crate::api::Secret;
use crate::app::keymap::Action;
use crate::app::message::{Effect, Toast};
use crate::app::overlay::Overlay;
use crate::app::prompt::{Deed, Question};
use crate::app::remote::Now;
use crate::app::{Model, Pane};
use crate::domain::dialect::RouteKey;
use crate::domain::routing::{RoutePlan, Stop, words};
use crate::domain::{CellRef, Resource};

/// Opens the lab; the endpoint is that of the selected workergroup. A form for the next run lies on
/// top, unless a run goes on.
pub(in crate::app) fn open(model: &mut Model, now: Now) -> Vec<Effect> {
    if let Some(endpoint) = selected_endpoint(model) {
        model.state.route_lab.form.name(&endpoint);
    }
    let is_lab = |overlay: &Overlay| matches!(overlay, Overlay::Route(RouteView::Lab));
    match model.overlays.iter().position(is_lab) {
        Some(place) => model.overlays.truncate(place + 1),
        None => model.overlays.push(Overlay::Route(RouteView::Lab)),
    }
    if model.state.route_lab.active().is_some() {
        return Vec::new();
    }
    show_form(model, now)
}

/// The form; the workergroups are asked for if they never were, for their endpoints.
pub(super) fn show_form(model: &mut Model, now: Now) -> Vec<Effect> {
    model.overlays.push(Overlay::Route(RouteView::Form));
    let groups = &mut model.state.browsers[Resource::Workergroups];
    let untouched = groups.listing().is_none()
        && !groups.remote().is_loading()
        && groups.remote().error().is_none();
    if untouched {
        groups.ask(&mut model.state.tickets, now)
    } else {
        Vec::new()
    }
}

fn selected_endpoint(model: &Model) -> Option<String> {
    if model.state.pane != Pane::Workergroups {
        return None;
    }
    let (row, listing) = (
        model.state.browsers[Resource::Workergroups].selected_row()?,
        model.state.browsers[Resource::Workergroups].listing()?,
    );
    match listing.cell(row, listing.catalog().by_key("endpoint_name")?) {
        CellRef::Text(name) if !name.is_empty() => Some(name.to_owned()),
        _ => None,
    }
}

impl Model {
    /// The endpoints of the workergroups that are here, sorted, as the market names them.
    pub fn endpoints(&self) -> Vec<String> {
        let Some(listing) = self.state.browsers[Resource::Workergroups].listing() else {
            return Vec::new();
        };
        let Some(field) = listing.catalog().by_key("endpoint_name") else {
            return Vec::new();
        };
        let column = listing.column(field);
        let mut names: Vec<String> = column
            .texts()
            .iter()
            .map(|name| name.compared().to_owned())
            .filter(|name| !name.is_empty())
            .collect();
        names.sort();
        names.dedup();
        names
    }
}

/// The key that route requests to an endpoint carry instead of the profile's: where the market
/// routes by the group's own key, it is read from the group's record.
fn key_for(model: &Model, endpoint: &str) -> Result<Option<Secret>, String> {
    if model.state.profile.dialect.route_key == RouteKey::Profile {
        return Ok(None);
    }
    let Some(listing) = model.state.browsers[Resource::Workergroups].listing() else {
        return Err(format!(
            "this market routes by the group's key: the workergroups are not here yet, try again \
             when they are ({}, then {})",
            model.state.keymap.way_to("workergroups"),
            model.state.keymap.way_to("refresh")
        ));
    };
    let catalog = listing.catalog();
    let fields = catalog
        .by_key("endpoint_name")
        .zip(catalog.by_key("api_key"));
    fields
        .and_then(|(name, key)| {
            (0..listing.len())
                .filter(|row| listing.cell(*row, name) == CellRef::Text(endpoint))
                .find_map(|row| match listing.cell(row, key) {
                    CellRef::Text(key) if !key.is_empty() => Some(Secret::new(key)),
                    _ => None,
                })
        })
        .map(Some)
        .ok_or_else(|| {
            "this market routes by the group's key, and no workergroup here with a key serves \
             this endpoint"
                .to_owned()
        })
}

pub(super) fn on_form(model: &mut Model, now: Now, action: Action) -> Vec<Effect> {
    match action {
        Action::Up => model.state.route_lab.form.step(-1),
        Action::Down => model.state.route_lab.form.step(1),
        Action::Complete => match model.state.route_lab.form.focus() {
            Entry::Endpoint => {
                let known = model.endpoints();
                model.state.route_lab.form.next_endpoint(&known);
            }
            Entry::Mode => model.state.route_lab.form.turn(false),
            _ => model.state.route_lab.form.step(1),
        },
        Action::Submit => {
            if let Some(plan) = model.state.route_lab.form.plan() {
                return request_start(model, now, plan);
            }
        }
        _ => {}
    }
    Vec::new()
}

/// Starts a run, after a question where it can cost money.
pub(super) fn request_start(model: &mut Model, now: Now, plan: RoutePlan) -> Vec<Effect> {
    if plan.is_single() {
        return launch(model, now, plan);
    }
    let runs = model.state.route_lab.runs();
    let mut series = runs.iter().filter(|run| !run.run().plan().is_single());
    if series.any(LabRun::is_active) {
        let (back, stop) = (
            model.state.keymap.way_to("close-run-form"),
            model.state.keymap.way_to("stop-run"),
        );
        let why = format!("A series is not over yet: stop it first ({back}, then {stop})");
        model.show(Toast::error(why, now));
        return Vec::new();
    }
    if !plan.injects_load() && plan.poll.cost.is_none_or(|cost| cost <= 0.0) {
        return launch(model, now, plan);
    }
    model.overlays.push(Overlay::Question(load_question(plan)));
    Vec::new()
}

/// The question before a series that adds load.
fn load_question(plan: RoutePlan) -> Question {
    let requests = match (plan.stop, plan.rate) {
        #[expect(clippy::cast_precision_loss)] // at most 250,000
        (Stop::Count(count), _) => Some(count as f64),
        (Stop::Duration(span), Some(rate)) => Some((rate * span).ceil()),
        (Stop::Duration(_), None) => None,
    };
    let mut most = requests.map_or_else(
        || "How much load it adds depends on how fast replies arrive.".to_owned(),
        |requests| {
            let load = words::amount(plan.cost * requests);
            format!("It adds a load of up to {load} in all.")
        },
    );
    let poll = plan.poll.cost.unwrap_or(plan.cost);
    if poll > 0.0 && plan.poll.patience > 0.0 {
        most = format!(
            "{most} Each poll while no worker is ready adds {}.",
            words::amount(poll)
        );
    }
    Question {
        title: "A series is load".to_owned(),
        text: format!(
            "{}\n\nEvery request tells the endpoint that a load of {} is coming. {most} That can wake \
             workers, and workers are billed.\n\nStart the series?",
            words::plan(&plan),
            words::amount(plan.cost)
        ),
        deed: Deed::StartSeries(Box::new(plan)),
    }
}

/// Starts a run that nothing stands against any more.
pub(in crate::app) fn launch(model: &mut Model, now: Now, plan: RoutePlan) -> Vec<Effect> {
    let key = match key_for(model, &plan.endpoint) {
        Ok(key) => key,
        Err(why) => {
            model.show(Toast::error(why, now));
            return Vec::new();
        }
    };
    match model
        .state
        .route_lab
        .start(plan, key, &mut model.state.tickets, now)
    {
        Ok(effects) => {
            if matches!(model.overlays.last(), Some(Overlay::Route(RouteView::Form))) {
                model.overlays.pop();
            }
            effects
        }
        Err(objections) => {
            model.state.route_lab.form.objections = objections;
            Vec::new()
        }
    }
}
