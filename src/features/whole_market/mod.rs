//! All offers of a search: if the market truncates its response, it is searched in parts.

pub mod command;
pub mod report;
pub mod rules;
mod sweep;

use self::rules::{Plan, USUAL_LIMIT};
use crate::api::{Reply, Request};
use crate::cli::args::USUAL_BUDGET;
use crate::core::feature::{Feature, FeatureState, Headline};
use crate::core::message::{Effect, News};
use crate::core::owners::Owner;
use crate::core::view::Cx;
use crate::domain::Resource;
use crate::domain::insight::Coverage;
use crate::domain::time::Now;
use crate::keys::Action;
use crate::keys::pane::Pane;
use crate::table::browser::Responses;
use crate::table::remote::{Progress, Ticket};
use crate::tui::panel::Size;
use crate::tui::text::capitalized;

pub(crate) const FEATURE: Feature = Feature {
    state: |_| Some(Box::new(WholeMarket::default())),
    follow,
    hides: |state, action| action == Action::LoadAll && state.pane != Pane::Offers,
    disabled: |state, action, _| {
        let browser = state.browser().filter(|_| action == Action::LoadAll)?;
        let is_loading = state.feature::<WholeMarket>().0.is_some();
        match (browser.watching(), is_loading) {
            // It compares each response with the one before it.
            (Some(_), _) => Some("turn auto-refresh off first".to_owned()),
            (None, true) => Some("they are being loaded".to_owned()),
            (None, false) => None,
        }
    },
    headline: |state, now| {
        let load = state.feature::<WholeMarket>().0.as_ref()?;
        let progress = load.plan.progress();
        Some(Headline {
            text: progress.text(now.mono - load.since.mono),
            short: progress.short(),
        })
    },
    ..Feature::IDLE
};

/// The load in progress, if there is one.
#[derive(Debug, Default)]
struct WholeMarket(Option<Load>);

#[derive(Debug)]
struct Load {
    plan: Plan,
    /// The ticket under which the table awaits all parts together.
    table: Ticket,
    /// The ticket of the part in flight.
    part: Ticket,
    since: Now,
}

impl FeatureState for WholeMarket {}

/// Starts to load all offers of the open search, in parts, which the table awaits like one response. Always
/// true.
///
/// A response holds at least the usual number of records, whatever the limit of the search.
pub(crate) fn start(cx: &mut Cx<'_>) -> bool {
    let (now, table) = (cx.now, cx.ticket());
    let browser = cx.table(Resource::Offers);
    let superseded = browser.await_response(table, now);
    if let Some(asked) = &mut browser.asked_query {
        asked.limit = None;
    }
    let limit = browser.query.limit.map_or(USUAL_LIMIT, |limit| limit.max(USUAL_LIMIT));
    let plan = Plan::new(&browser.query, limit, USUAL_BUDGET, browser.dialect());
    cx.abort(superseded);
    let load = Load {
        plan,
        table,
        part: table,
        since: now,
    };
    go_on(cx, load);
    true
}

/// Sends the next search of a full load, or after the last one passes all responses to the table and shows
/// how complete they are.
fn go_on(cx: &mut Cx<'_>, mut load: Load) {
    if let Some(query) = load.plan.next_search() {
        load.part = cx.send_for(Owner::Feature(answered), Request::Search(query));
        cx.feature::<WholeMarket>().0 = Some(load);
        return;
    }
    let verdict = capitalized(&load.plan.verdict().join(" "));
    if load.plan.coverage() == Coverage::Whole {
        cx.toast(verdict);
    } else {
        cx.complain(verdict);
    }
    let (columns, rows) = cx.state().screen.size;
    let has_panel = Size::new(columns, rows) == Size::Wide;
    let (parts, coverage) = load.plan.into_parts();
    let (now, browser) = (cx.now, cx.table(Resource::Offers));
    let arrival = browser.arrival(load.table, Responses::Parts(parts, coverage), now, has_panel);
    cx.effects_for(Owner::Table(Resource::Offers), [Effect::Arrange(arrival)]);
}

/// Handles news of one search of a full load: passes the attempts on to the table; after the response
/// continues with the next search, or fails the table's request if nothing was loaded. Other tickets are
/// ignored.
fn answered(cx: &mut Cx<'_>, ticket: Ticket, news: News) {
    let state = &mut cx.feature::<WholeMarket>().0;
    let Some(mut load) = state.take_if(|load| load.part == ticket) else {
        return;
    };
    let failed = match news {
        News::Reply(response) => match response.and_then(Reply::into_records) {
            Ok(listing) => {
                load.plan.take(*listing);
                if let Some(estimate) = load.plan.estimate() {
                    cx.toast(capitalized(&estimate));
                }
                Ok(())
            }
            Err(error) => load.plan.fail(error),
        },
        news => {
            // How much of a part has arrived says nothing of the whole.
            if let News::Progress(progress @ Progress::Attempt { .. }) = news {
                cx.table(Resource::Offers).progress(load.table, progress);
            }
            cx.feature::<WholeMarket>().0 = Some(load);
            return;
        }
    };
    match failed {
        Ok(()) => go_on(cx, load),
        Err(error) => {
            let now = cx.now;
            cx.table(Resource::Offers).failed(load.table, error, now);
        }
    }
}

/// Stops the full load if the table no longer awaits it, as the user stopped it or searches for something
/// else: a toast counts the offers loaded, of which none is shown.
fn follow(cx: &mut Cx<'_>) {
    let aborted = |ticket| cx.effects.iter().any(|effect| *effect == Effect::Abort(ticket));
    let Some(load) = &cx.state().feature::<WholeMarket>().0 else {
        return;
    };
    if !aborted(load.table) {
        return;
    }
    let part = load.part;
    if let Some(load) = cx.feature::<WholeMarket>().0.take() {
        let text = load.plan.progress().short();
        cx.abort([part]);
        cx.toast(format!("Stopped: {text} loaded, none of them shown"));
    }
}
