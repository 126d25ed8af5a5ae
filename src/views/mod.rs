//! The views of the dashboard, one folder each: state and behaviour in `mod.rs`, drawing in
//! `draw.rs`.

mod alerts;
mod annotations;
mod bill;
pub mod body_editor;
pub mod browser;
mod chart;
mod cluster;
mod columns;
mod compare;
pub mod confirm;
pub mod copy;
pub mod create;
mod depth;
pub mod detail;
pub mod export;
mod filter;
mod form_view;
mod funnel;
pub mod group_form;
mod help;
mod history;
mod job;
mod keys;
pub mod market;
mod markets;
mod notices;
pub mod palette;
pub mod plot;
pub mod preflight;
pub mod preview;
mod quit;
mod rating;
pub mod request;
mod request_preview;
pub mod requests;
pub mod route_lab;
mod saved;
mod searched;
mod settings;
mod sheet;
mod sort;
mod tape;
mod term;
mod theme;
pub mod unlist;
mod watch;
mod wider;
mod write_dialog;

use crate::app::keymap::Action;
use crate::app::searches::toggle_price_models as price_models;
use crate::app::view::{Cx, View, Views};
use crate::app::{Model, Pane, Profile};
use crate::domain::{Condition, Resource};

/// The dashboard with all its views. `conditions` are those of the first search, unless they are
/// the default ones.
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

/// Opens the view of an action where the keyboard is; false if it has none. The one place that
/// knows every view by name.
#[expect(clippy::too_many_lines, reason = "one arm an action, so that none is forgotten")]
pub fn open(action: Action, cx: &mut Cx<'_>) -> bool {
    match action {
        Action::Summary => cx.try_open(market::Market::new),
        Action::Depth => cx.try_open(|state| Some(depth::DepthView::new(state))),
        Action::Cluster => cluster::open(cx),
        Action::Compare => cx.try_open(compare::Compare::new),
        Action::Funnel => funnel::open(cx),
        Action::Job if cx.state.pane == Pane::Volumes => cx.try_open(|state| Some(term::Term::new(state))),
        Action::Job => cx.try_open(|state| Some(job::JobForm::new(state))),
        Action::Plot => cx.try_open(plot::Plot::new),
        Action::Sort if cx.is_on_pane() => cx.try_open(sort::Sort::new),
        Action::Columns if cx.is_on_pane() => cx.try_open(columns::Columns::new),
        Action::SavedSearches => cx.try_open(|state| Some(saved::Saved::new(state))),
        Action::SaveSearch => saved::ask_name(false, cx),
        Action::Palette => {
            let commands = cx.take_commands();
            cx.try_open(|state| Some(palette::Palette::new(commands?, state)))
        }
        Action::Help => {
            let commands = cx.take_commands();
            cx.try_open(|state| Some(help::Help::new(commands?, state)))
        }
        Action::Notices => cx.try_open(notices::Notices::new),
        Action::Quit => {
            quit::quit(cx);
            true
        }
        Action::Open => cx.try_open(detail::Detail::new),
        Action::Related => {
            let detail = detail::Detail::on_machine(cx);
            cx.try_open(|_| detail)
        }
        Action::Host => {
            search_host(cx);
            true
        }
        Action::Copy => cx.try_open(copy::CopyMenu::of_pane),
        Action::Export => {
            let form = export::ExportForm::new(cx.state, cx.now);
            cx.open(form);
            true
        }
        Action::ThreePrices => {
            price_models(cx);
            true
        }
        Action::NewGroup => group_form::open(cx),
        Action::Resolve => create::resolve(cx),
        Action::CloneGroup => group_form::clone_selected(cx),
        Action::GroupFromSearch => group_form::from_search(cx),
        Action::Preflight => preflight::open_selected(cx),
        Action::CheckSupply => {
            let effects = cx.state.toggle_supply_check(cx.now);
            cx.effects(effects);
            true
        }
        Action::Unlist => unlist::open(cx),
        Action::Filter if cx.is_on_pane() => cx.try_open(filter::Filter::new),
        Action::Settings if cx.is_on_pane() => cx.try_open(settings::Settings::new),
        Action::Markets => {
            markets::open(None, cx);
            true
        }
        Action::Market(place) => {
            markets::open(Some(place), cx);
            true
        }
        Action::Theme => cx.try_open(theme::Theme::new),
        Action::RouteLab => route_lab::open(cx),
        Action::OpenRequest => request::open_failed(cx),
        Action::Undo if cx.is_on_pane() => annotations::open(action, cx),
        Action::Star(_)
        | Action::Note(_)
        | Action::Ban
        | Action::ShowBanned
        | Action::StarredOnly
        | Action::Annotations => annotations::open(action, cx),
        Action::Alerts => alerts::AlertList::open(cx),
        Action::Tape => tape::Tape::open(cx),
        Action::History => history::History::open(cx),
        Action::WatchSettings => cx.try_open(watch::WatchForm::new),
        // Every action by name: a new view does not compile without its arm.
        Action::QuitNow
        | Action::Suspend
        | Action::Redraw
        | Action::EditConfig
        | Action::ReloadConfig
        | Action::NextPane
        | Action::PreviousPane
        | Action::NextTab
        | Action::PreviousTab
        | Action::Pane(_)
        | Action::Move(_)
        | Action::Left
        | Action::Right
        | Action::Back
        | Action::Query
        | Action::Sort
        | Action::Refresh
        | Action::Submit
        | Action::Complete
        | Action::Older
        | Action::Newer
        | Action::Toggle
        | Action::Remove
        | Action::OfferType
        | Action::Yes
        | Action::Watch
        | Action::Mark
        | Action::Unmark
        | Action::Differences
        | Action::ForgetJob
        | Action::New
        | Action::Filter
        | Action::Columns
        | Action::Settings
        | Action::FoldPreview
        | Action::Shift(_)
        | Action::Reverse
        | Action::Run
        | Action::Reset
        | Action::Edit
        | Action::Undo
        | Action::Redo
        | Action::Recall
        | Action::ForgetLimits
        | Action::Widen(_)
        | Action::Secrets => false,
    }
}

/// Searches every offer of the selected offer's host, rented and unverified ones too.
fn search_host(cx: &mut Cx<'_>) {
    let offers = &mut cx.state.browsers[Resource::Offers];
    let (Some(host), Some(id)) = (offers.host_condition(), offers.selected()) else {
        return;
    };
    offers.jump_to(vec![host]);
    offers.select_id(id);
    cx.close_all();
    cx.perform_on_pane(Action::Refresh);
}
