//! The features of bourse: a folder per capability, with its state, its views, their drawing and
//! its subcommand.

pub mod alerts;
pub mod annotations;
pub mod appearance;
pub mod auto_refresh;
pub mod bids;
pub mod cluster;
pub mod compare;
pub mod copy_export;
pub mod details;
pub mod help;
pub mod history;
pub mod job;
pub mod market;
pub mod market_line;
pub mod markets;
pub(crate) mod mcp;
pub mod pick;
pub mod price_index;
mod quit;
pub mod requests;
pub mod route_lab;
pub mod saved;
pub mod search;
pub mod user_commands;
pub mod volumes;
pub mod watch_saved;
pub mod whole_market;
pub mod workergroups;
mod write_damage;

use self::saved::toggle_price_models as price_models;
use self::workergroups::drift::SeenGroups;
use crate::cli::documents;
use crate::cli::documents::{PrintedKind, members};
use crate::cli::help::Example;
use crate::cli::tool::Tool;
use crate::core::feature::Feature;
use crate::core::view::{Cx, Open, View, Views};
use crate::core::views::tabs;
use crate::core::views::tabs::{Tab, tab};
use crate::core::{Model, Pane, Profile};
use crate::domain::annotations::Annotations;
use crate::domain::saved::{DashboardState, Searches};
use crate::domain::{Condition, Resource};
use crate::keys::Action;
use crate::record::alerts::Alerts;
use crate::store::DocumentKind;

/// The features that keep state or have deadlines.
///
/// Each sees the additions of those before it to an update.
static FEATURES: [Feature; 12] = [
    requests::FEATURE,
    workergroups::FEATURE,
    auto_refresh::FEATURE,
    history::FEATURE,
    market_line::FEATURE,
    alerts::FEATURE,
    route_lab::FEATURE,
    pick::FEATURE,
    job::FEATURE,
    whole_market::FEATURE,
    user_commands::FEATURE,
    search::answer::FEATURE,
];

/// The documents of a profile, each in a file of its own.
pub static DOCUMENTS: [DocumentKind; 5] = [
    DocumentKind::new::<DashboardState>(),
    DocumentKind::new::<Searches>(),
    DocumentKind::new::<Annotations>(),
    DocumentKind::new::<Alerts>(),
    DocumentKind::new::<SeenGroups>(),
];

/// The dashboard with all its views; `conditions` replace the default ones of the first search.
pub fn dashboard(profile: Profile, conditions: Option<Vec<Condition>>) -> Model {
    Model::new(
        profile,
        conditions,
        Views {
            open,
            open_on,
            card: details::panel::draw,
            past: |resource, row, area, scene| {
                history::prices::draw_similar_lows((resource, row), &[], area, scene);
            },
            pane: base_view,
            features: &FEATURES,
        },
    )
}

/// The tools for agents, in the order in which they are listed.
static TOOLS: [Tool; 8] = [
    search::tool::SEARCH,
    search::tool::BILL,
    pick::tool::PICK,
    cluster::tool::PLAN,
    history::tool::HISTORY,
    bids::tool::BIDS,
    market::tool::MARKET,
    market::tool::SUPPLY,
];

/// The examples of each feature's commands, by the words after `bourse`.
pub static EXAMPLES: &[(&[&str], &[Example])] = &[
    (&["bids"], bids::arguments::EXAMPLES),
    (&["history"], price_index::arguments::EXAMPLES),
    (&["mcp"], mcp::EXAMPLES),
];

/// The kinds of printed documents in the order of `docs/scripting.md`, each with the schema of its members.
#[rustfmt::skip] // a table reads as a table
pub static PRINTED: &[PrintedKind] = &[
    ("offers", members::<documents::OfferList>),
    ("volumes", members::<documents::OfferList>),
    ("groups", members::<documents::Groups>),
    ("supply", members::<workergroups::document::Supply>),
    ("market", members::<market::document::Analysis<market::document::Market>>),
    ("depth", members::<market::document::Analysis<market::document::Depth>>),
    ("plan", members::<market::document::Analysis<cluster::document::Plans>>),
    ("pick", members::<pick::command::NoOffer>),
    ("history", members::<history::document::History>),
    ("price-index", members::<price_index::document::PriceIndex>),
    ("bids", members::<bids::document::Bids>),
    ("change", members::<history::document::WatchEvent>),
    ("watch-list", members::<watch_saved::command::WatchList>),
    ("price", members::<history::document::RecordedPrice>),
    ("db-check", members::<history::document::DbCheck>),
    ("db-vacuum", members::<history::document::DbVacuum>),
    ("db-reset", members::<history::document::DbReset>),
    ("market-added", members::<markets::document::MarketAdded>),
    ("market-check", members::<markets::document::MarketCheck>),
    ("writes", members::<documents::Writes>),
    ("request", members::<documents::Request>),
    ("route", members::<route_lab::command::document::Route>),
    ("sandbox", members::<documents::Sandbox>),
    ("config", members::<documents::Config>),
    ("config-check", members::<documents::ConfigCheck>),
    ("paths", members::<documents::Paths>),
];

/// The base view of a pane, over which others open: a table for offers, volumes or workergroups, otherwise
/// the list of requests.
fn base_view(pane: Pane) -> Box<dyn View> {
    match pane.resource() {
        Some(resource) => Box::new(search::pane::BrowserPane::new(resource)),
        None => Box::new(requests::view::RequestsPane::default()),
    }
}

/// The tabs of the market view.
#[rustfmt::skip] // a table reads as a table
const MARKET: &[Tab] = &[
    Tab { action: Action::Summary, title: "Summary", is_of: Pane::has_prices,
        view: |cx| tab(market::summary::Market::new(cx.state())) },
    Tab { action: Action::Plot, title: "Plot", is_of: Pane::has_prices,
        view: |cx| tab(market::plot::Plot::new(cx.state())) },
    Tab { action: Action::Depth, title: "Depth", is_of: |pane| pane == Pane::Offers,
        view: |cx| tab(Some(market::depth::DepthView::new(cx.state()))) },
];

/// The tabs of the history view, with the alerts.
#[rustfmt::skip] // a table reads as a table
const HISTORY: &[Tab] = &[
    Tab { action: Action::History, title: "Prices", is_of: |pane| pane != Pane::Requests,
        view: |cx| tab(history::prices::History::new(cx)) },
    Tab { action: Action::Tape, title: "Tape", is_of: Pane::has_prices,
        view: |cx| tab(history::tape::Tape::new(cx)) },
    Tab { action: Action::Bids, title: "Bids", is_of: |pane| pane == Pane::Offers,
        view: |cx| tab(bids::view::Bids::new(cx)) },
    Tab { action: Action::PriceIndex, title: "Index", is_of: |pane| pane == Pane::Offers,
        view: |cx| tab(price_index::view::PriceIndex::new(cx)) },
    Tab { action: Action::Alerts, title: "Alerts", is_of: |_| true,
        view: |cx| tab(Some(alerts::view::AlertList::new(cx))) },
];

/// Opens the view of an action over the focused one, or carries out a feature's action that has none.
///
/// False if no feature handles the action here, or its view cannot open now (nothing is selected, for
/// example). The only function that names every view.
#[expect(clippy::too_many_lines, reason = "one arm an action, so that none is forgotten")]
pub fn open(action: Action, cx: &mut Cx<'_>) -> bool {
    match action {
        Action::Summary | Action::Plot | Action::Depth => tabs::open(("Market", MARKET), action, cx),
        Action::Cluster => cluster::view::open(cx),
        Action::Compare => cx.try_open(compare::view::Compare::new),
        Action::Funnel => search::dialog::open(action, cx),
        Action::Job if cx.state().pane == Pane::Volumes => cx.try_open(|state| Some(volumes::term::Term::new(state))),
        Action::Job => {
            let now = cx.now;
            cx.try_open(|state| Some(job::view::JobForm::new(state, now)))
        }
        Action::Filter | Action::Sort | Action::Columns | Action::Settings if cx.is_on_pane() => {
            search::dialog::open(action, cx)
        }
        Action::SavedSearches => saved::view::Saved::open(cx),
        Action::SaveSearch => saved::view::ask_name(false, cx),
        Action::Palette => {
            let commands = cx.take_commands();
            cx.try_open(|state| Some(help::palette::Palette::new(commands?, state)))
        }
        Action::Help => {
            let commands = cx.take_commands();
            cx.try_open(|state| Some(help::view::Help::new(commands?, state)))
        }
        Action::Notices => cx.try_open(help::notices::dialog),
        Action::Quit => {
            quit::quit(cx);
            true
        }
        Action::Pick => pick::start(cx),
        Action::LoadAll => whole_market::start(cx),
        Action::Open => cx.try_open(details::view::Detail::new),
        Action::Related => cx.try_open(details::view::Detail::on_machine),
        Action::Host => {
            search_host(cx);
            true
        }
        Action::Copy => cx.try_open(copy_export::copy_menu::CopyMenu::of_pane),
        Action::Export => {
            let form = copy_export::export_form::ExportForm::new(cx.state(), cx.now);
            cx.open(form);
            true
        }
        Action::ThreePrices => {
            price_models(cx);
            true
        }
        Action::NewGroup => workergroups::form::open(cx),
        Action::Resolve => {
            if !write_damage::open(cx) {
                workergroups::create::resolve(cx);
            }
            true
        }
        Action::CloneGroup => workergroups::form::clone_selected(cx),
        Action::GroupFromSearch => workergroups::form::from_search(cx),
        Action::Preflight => workergroups::preflight::open_selected(cx),
        Action::CheckSupply => {
            workergroups::toggle_supply_check(cx);
            true
        }
        Action::Unlist => volumes::unlist::open(cx),
        Action::Markets => {
            markets::view::open(None, cx);
            true
        }
        Action::Market(index) => {
            markets::view::open(Some(index), cx);
            true
        }
        Action::Command(index) => user_commands::start(index, cx),
        Action::Theme => cx.try_open(appearance::view::Theme::new),
        Action::RouteLab => route_lab::view::open(cx),
        Action::OpenRequest => requests::request::open_failed(cx),
        Action::Undo if cx.is_on_pane() => annotations::view::open(action, cx),
        Action::Star(_)
        | Action::Note(_)
        | Action::Ban
        | Action::ShowBanned
        | Action::StarredOnly
        | Action::Annotations => annotations::view::open(action, cx),
        Action::History | Action::Tape | Action::Alerts | Action::Bids | Action::PriceIndex => {
            tabs::open(("History", HISTORY), action, cx)
        }
        Action::Watch => auto_refresh::switch(cx),
        Action::WatchSettings => cx.try_open(auto_refresh::view::WatchForm::new),
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
        | Action::Mark
        | Action::Unmark
        | Action::MarkedOnly
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

/// Opens a view with its subject: the planner, the form of an alert, of a workergroup or of a market.
fn open_on(target: Open, cx: &mut Cx<'_>) {
    match target {
        Open::ClusterOfShape(shape) => cluster::view::open_shape(shape, cx),
        Open::ClusterOfGpus { gpus, model } => cluster::view::open_for(gpus, model.as_deref(), cx),
        Open::AlertBelow(limit) => alerts::view::add_below(limit, cx),
        Open::GroupOfSearch { workers } => workergroups::form::from_search_with(workers, cx),
        Open::NewMarket => markets::view::open_new(cx),
    }
}

/// Replaces the search by one for all offers of the selected offer's host, including rented and unverified
/// ones, closes all views over the table and queries the market. Does nothing without a selected offer, or if
/// its host is unknown.
fn search_host(cx: &mut Cx<'_>) {
    let offers = cx.table(Resource::Offers);
    let (Some(host), Some(id)) = (offers.host_condition(), offers.selected()) else {
        return;
    };
    offers.jump_to(vec![host]);
    offers.select_id(id);
    cx.close_all();
    cx.perform_on_pane(Action::Refresh);
}
