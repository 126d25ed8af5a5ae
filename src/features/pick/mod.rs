//! From a need to one offer that is still there: the best of a search, after a second look.

pub mod arguments;
pub mod command;

use std::collections::VecDeque;

use crate::api::{Reply, Request};
use crate::core::feature::{Feature, FeatureState};
use crate::core::message::{Effect, News};
use crate::core::owners::Owner;
use crate::core::view::Cx;
use crate::domain::{Condition, Dialect, Listing, Operand, Operator, OrderKey, Query, RowId, Value, language};
use crate::features::copy_export::handoff;
use crate::keys::Action;
use crate::keys::pane::Pane;
use crate::table::browser::Browser;
use crate::table::remote::Ticket;

/// How many offers get a second look, unless the person chose another number.
const TRIES: u32 = 5;

pub(crate) const FEATURE: Feature = Feature {
    state: |_| Some(Box::new(Pick::default())),
    hides: |state, action| action == Action::Pick && state.pane != Pane::Offers,
    disabled: |state, action, _| {
        let is_empty = state.browser().is_none_or(|browser| browser.view().is_empty());
        (action == Action::Pick && is_empty).then(|| "no offer is loaded".to_owned())
    },
    ..Feature::IDLE
};

/// What is picked from, once somebody asked for it.
#[derive(Debug, Default)]
struct Pick(Option<Round>);

#[derive(Debug)]
struct Round {
    query: Query,
    /// The offers without a second look yet, the best first.
    candidates: VecDeque<RowId>,
    /// The offer that a response is awaited of.
    awaited: Option<(Ticket, RowId)>,
}

impl FeatureState for Pick {}

/// Looks once more at the best offers of the open search, until one is left.
pub(crate) fn start(cx: &mut Cx<'_>) -> bool {
    let round = cx.state().browser().and_then(best);
    next(cx, round);
    true
}

fn best(browser: &Browser) -> Option<Round> {
    let (query, listing) = (browser.shown_query()?, browser.listing()?);
    let is_fit = |row: &u32| !browser.computed.is_unfit(*row as usize);
    let mut rows: Vec<u32> = browser.view().iter().copied().filter(is_fit).collect();
    // What is loaded whole is sorted without asking again.
    let order = order(&browser.query, browser.computed.job.is_some(), browser.dialect());
    listing.sort(&mut rows, &order);
    let ids = rows.into_iter().filter_map(|row| listing.id(row as usize));
    Some(Round {
        query: query.clone(),
        candidates: ids.take(TRIES as usize).collect(),
        awaited: None,
    })
}

/// The order of a search, or by price if that is the usual one.
fn order(query: &Query, has_job: bool, dialect: &'static Dialect) -> Vec<OrderKey> {
    if query.order != language::default_query(query.resource, dialect).order {
        return query.order.clone();
    }
    let key = if has_job { "job_cost" } else { "dph_total" };
    language::parse_order(key, query.catalog()).unwrap_or_default()
}

/// Looks at the next candidate.
fn next(cx: &mut Cx<'_>, round: Option<Round>) {
    let Some(mut round) = round else { return };
    let Some(id) = round.candidates.pop_front() else {
        return cx.complain("The best offers are gone: refresh");
    };
    let request = Request::Search(only(&round.query, id));
    round.awaited = Some((cx.send_for(Owner::Feature(answered), request), id));
    cx.feature::<Pick>().0 = Some(round);
}

fn answered(cx: &mut Cx<'_>, ticket: Ticket, news: News) {
    let News::Reply(response) = news else { return };
    let pick = &mut cx.feature::<Pick>().0;
    // The person may have started again.
    let Some(round) = pick.take_if(|round| round.awaited.is_some_and(|(awaited, _)| awaited == ticket)) else {
        return;
    };
    let listing = match *response {
        Ok(Reply::Records(listing)) => listing,
        Ok(Reply::Unlisted { .. } | Reply::Created { .. } | Reply::Routed(_)) => return,
        Err(error) => return cx.complain(format!("Nothing was picked: {}", error.headline())),
    };
    let (profile, query) = (&cx.state().profile, &round.query);
    let left = round.awaited.map(|(_, id)| id).filter(|id| {
        let row = listing.row(*id);
        row.is_some_and(|row| is_right(&listing, query, row))
    });
    let Some(id) = left else {
        return next(cx, Some(round));
    };
    match handoff::rent_command(query, &listing, id, profile) {
        Ok(text) => {
            let what = format!("what rents offer {id}, still there");
            cx.effect(Effect::Copy { what, text });
        }
        Err(why) => cx.complain(format!("Not copied: {why}")),
    }
}

/// A search for one of the offers that it finds.
fn only(query: &Query, id: RowId) -> Query {
    let mut query = query.clone();
    let field = query.catalog().by_key("id");
    let is_it = |field| Condition::new(field, Operator::Eq, Operand::One(Value::id(id.0.into())));
    query.conditions.extend(field.map(is_it));
    query
}

/// Whether a row breaks no condition: a market may ignore one, and nobody rents what breaks it. What is computed here
/// was known before the second look.
fn is_right(listing: &Listing, query: &Query, row: usize) -> bool {
    let is_broken = |condition: &Condition| condition.is_broken_by(listing.sent_column(condition.field).cell(row));
    let mut received = query.active().filter(|condition| !condition.field.is_computed());
    !received.any(is_broken)
}

/// The first of `candidates` that a second look still finds, with what it found; `None` if all are gone.
///
/// # Errors
/// Those of `look`.
pub async fn first_left<C, L, E>(
    candidates: impl IntoIterator<Item = C>,
    mut look: impl AsyncFnMut(&C) -> Result<Option<L>, E>,
) -> Result<Option<(C, L)>, E> {
    for candidate in candidates {
        if let Some(found) = look(&candidate).await? {
            return Ok(Some((candidate, found)));
        }
    }
    Ok(None)
}
