//! The views of the dashboard, one folder each: its state and what it does in `mod.rs`, its looks
//! in `draw.rs`.

mod bill;
pub mod body_editor;
pub mod browser;
pub mod copy;
pub mod create;
pub mod detail;
pub mod drift;
pub mod export;
pub mod group_form;
pub mod offer_volumes;
pub mod planner;
pub mod plot;
pub mod preflight;
pub mod preview;
pub mod request;
pub mod requests;
pub mod route_lab;
pub mod supply;
pub mod unlist;
mod write_dialog;

use crate::app::keymap::Action;
use crate::app::three::toggle as price_models;
use crate::app::view::{Cx, View, Views};
use crate::app::{Model, Pane, Profile};
use crate::domain::Condition;

/// The dashboard with all its views. `conditions` are those of the first search, if they are not
/// the usual ones.
pub fn dashboard(profile: Profile, conditions: Option<Vec<Condition>>) -> Model {
    Model::new(profile, conditions, Views { open, pane })
}

/// The view of a pane, over which all others open.
fn pane(pane: Pane) -> Box<dyn View> {
    match pane.resource() {
        Some(resource) => Box::new(browser::BrowserPane::new(resource)),
        None => Box::new(requests::RequestsPane::default()),
    }
}

/// Opens the view that an action stands for where the keyboard is; false if it stands for none.
/// The one place that knows every view by name.
pub fn open(action: Action, cx: &mut Cx<'_>) -> bool {
    match action {
        Action::Plot => cx.try_open(plot::Plot::new),
        Action::Open => cx.try_open(detail::Detail::new),
        Action::Related => {
            let detail = detail::Detail::on_machine(cx);
            cx.try_open(|_| detail)
        }
        Action::Copy => cx.try_open(copy::CopyMenu::of_pane),
        Action::Export => {
            let form = export::ExportForm::new(cx.state, cx.now);
            cx.open(form);
            true
        }
        Action::Basket => offer_volumes::OfferVolumes::open(cx),
        Action::ThreePrices => {
            price_models(cx);
            true
        }
        Action::NewGroup => group_form::open(cx),
        Action::CloneGroup => group_form::clone_selected(cx),
        Action::GroupFromSearch => group_form::from_search(cx),
        Action::Preflight => preflight::open_selected(cx),
        Action::PlanCapacity => cx.try_open(planner::Planner::of_selected),
        Action::CheckSupply => supply::open(cx),
        Action::Drift => drift::open(cx),
        Action::Unlist => unlist::open(cx),
        Action::RouteLab => route_lab::open(cx),
        Action::OpenRequest => request::open_failed(cx),
        _ => false,
    }
}
