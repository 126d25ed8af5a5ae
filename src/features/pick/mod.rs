//! Picks one offer that is still available: the best of a search, after a recheck.

pub mod arguments;
pub mod command;
pub(crate) mod tool;

use std::collections::HashSet;

use crate::api::{Reply, Request};
use crate::core::feature::{Feature, FeatureState};
use crate::core::message::{Effect, News};
use crate::core::owners::Owner;
use crate::core::view::Cx;
use crate::domain::cost::{Basis, Prices};
use crate::domain::insight::Coverage;
use crate::domain::{Condition, Dialect, Listing, Operand, Operator, OrderKey, Query, RowId, Value, language};
use crate::features::copy_export::handoff;
use crate::keys::Action;
use crate::keys::pane::Pane;
use crate::table::browser::Browser;
use crate::table::computed_columns::ComputedColumns;
use crate::table::remote::Ticket;

/// Number of offers that are rechecked, unless the user chose another one.
const TRIES: u32 = 5;

pub(crate) const FEATURE: Feature = Feature {
    state: |_| Some(Box::new(Pick::default())),
    hides: |state, action| action == Action::Pick && state.pane != Pane::Offers,
    disabled: |state, action, _| {
        (action == Action::Pick && state.browser().is_none_or(|browser| browser.view().is_empty()))
            .then(|| "no offer is loaded".to_owned())
    },
    ..Feature::IDLE
};

/// The rechecked offers, from which the next step follows.
#[derive(Debug)]
pub struct Recheck<T> {
    checked: Vec<T>,
    tries: usize,
}

/// The next step after a ranking.
#[derive(Debug, PartialEq, Eq)]
pub enum PickStep<T> {
    /// The best offer needs a recheck.
    Check(T),
    /// The offer to take: the best of the rechecked ones.
    Take(T),
    /// No offer is left, or none of those that were rechecked.
    Nothing,
}

impl<T: Copy + PartialEq> Recheck<T> {
    /// A recheck of up to `tries` offers, none of which was rechecked yet.
    pub const fn new(tries: usize) -> Self {
        Self {
            checked: Vec::new(),
            tries,
        }
    }

    /// The next step for a current ranking of the offers, best first: take the first if it was rechecked,
    /// recheck it while tries are left, else take the best rechecked one; nothing if there is none.
    ///
    /// An offer that got worse in its recheck stays in the ranking: it is taken once it is the best again, or
    /// if it is the best rechecked one when the tries are used up.
    pub fn step(&self, ranking: &[T]) -> PickStep<T> {
        let is_checked = |offer: &&T| self.checked.contains(offer);
        match ranking.first() {
            None => PickStep::Nothing,
            Some(best) if is_checked(&best) => PickStep::Take(*best),
            Some(best) if self.checked.len() < self.tries => PickStep::Check(*best),
            Some(_) => ranking
                .iter()
                .find(is_checked)
                .map_or(PickStep::Nothing, |best| PickStep::Take(*best)),
        }
    }

    /// Records that an offer was rechecked.
    pub fn check(&mut self, offer: T) {
        self.checked.push(offer);
    }

    /// The rechecked offers, in the order of their rechecks.
    pub fn checked(&self) -> &[T] {
        &self.checked
    }
}

/// The reason the offer in a row is never picked although the search finds it: an id not above 0, a price of
/// 0, or an unknown price or bill. `None` if it may be picked.
pub fn obstacle(prices: &Prices<'_>, basis: Basis, row: usize) -> Option<&'static str> {
    let listing = prices.listing();
    if listing.id(row).is_none_or(|id| id.0 <= 0) {
        return Some("id not above zero");
    }
    if [prices.base(row), prices.quoted(row)].contains(&Ok(0.0)) {
        return Some("base price of 0");
    }
    let unknown = basis.job.map_or("unknown price", |_| "unknown bill");
    basis.price(prices, row).is_err().then_some(unknown)
}

/// The pick in progress, if there is one.
#[derive(Debug, Default)]
struct Pick(Option<Round>);

#[derive(Debug)]
struct Round {
    query: Query,
    /// The best offers as shown, then the responses to the rechecks.
    parts: Vec<(Listing, bool)>,
    /// The basis of the prices.
    basis: Basis,
    /// The storage in GB that prices are estimated for.
    storage: Option<f64>,
    order: Vec<OrderKey>,
    computed: ComputedColumns,
    gone: HashSet<RowId>,
    recheck: Recheck<RowId>,
    /// The offer whose recheck is awaited.
    awaited: Option<(Ticket, RowId)>,
}

impl FeatureState for Pick {}

/// Starts to recheck the best offers of the open search, one at a time; once the best is a rechecked one,
/// copies its rent command. Always true, also without loaded offers, where nothing starts.
pub(crate) fn start(cx: &mut Cx<'_>) -> bool {
    let Some(round) = cx.state().browser().and_then(best) else {
        return true;
    };
    next(cx, round);
    true
}

/// The pick of the best 6 offers of the table that can be picked, none rechecked yet: by the job's bill or
/// the price, or in the search's order if the user chose one. Empty if none can be picked, `None` before a
/// response.
fn best(browser: &Browser) -> Option<Round> {
    let (query, listing) = (browser.shown_query()?, browser.listing()?);
    let (basis, storage) = (browser.pricing(), listing.estimated_storage());
    let prices = Prices::new(listing, basis.model);
    let is_fit = |row: &u32| {
        let row = *row as usize;
        !browser.computed.is_unfit(row) && obstacle(&prices, basis, row).is_none()
    };
    let mut rows: Vec<u32> = browser.view().iter().copied().filter(is_fit).collect();
    // A complete response is sorted without another request.
    let order = order(&browser.query, browser.computed.job.is_some(), browser.dialect());
    listing.sort(&mut rows, &order);
    // One more than are checked: those that got more expensive are compared with it.
    rows.truncate(TRIES as usize + 1);
    Some(Round {
        query: query.clone(),
        parts: vec![(listing.subset(&rows).ok()?, true)],
        basis,
        storage,
        order,
        computed: browser.computed.for_other_rows(),
        gone: HashSet::new(),
        recheck: Recheck::new(TRIES as usize),
        awaited: None,
    })
}

/// The order of a search; if it is the market's default, by the job's bill or without a job by the price
/// instead.
pub(crate) fn order(query: &Query, has_job: bool, dialect: &'static Dialect) -> Vec<OrderKey> {
    if query.order != language::default_query(query.resource, dialect).order {
        return query.order.clone();
    }
    let key = if has_job { "job_cost" } else { "dph_total" };
    language::parse_order(key, query.catalog()).unwrap_or_default()
}

impl Round {
    /// The offers as received last, in one listing, and the ids of those that can be picked, best first.
    fn ranking(&mut self) -> (Listing, Vec<RowId>) {
        let catalog = self.query.catalog();
        let merged = Listing::merged(catalog, &self.parts, Coverage::Unknown);
        let mut listing = merged.unwrap_or_else(|_| Listing::empty(catalog));
        listing.price_as(self.query.offer_type);
        listing.estimate_storage(self.storage);
        self.computed.fill_for(&mut listing, self.basis, None, &[]);
        let mut rows: Vec<u32> = listing.matching(&[]);
        listing.sort(&mut rows, &self.order);
        let prices = Prices::new(&listing, self.basis.model);
        let is_candidate = |row: &usize| {
            !self.computed.is_unfit(*row)
                && meets_conditions(&listing, &self.query, *row)
                && obstacle(&prices, self.basis, *row).is_none()
        };
        let rows = rows.iter().map(|row| *row as usize).filter(is_candidate);
        let all = rows.filter_map(|row| listing.id(row));
        let ids = all.filter(|id| !self.gone.contains(id)).collect();
        (listing, ids)
    }
}

/// Takes the next step of a pick: rechecks the best offer, or copies the command that rents it; complains if
/// none is left, or it has no such command.
fn next(cx: &mut Cx<'_>, mut round: Round) {
    let (listing, ranking) = round.ranking();
    let id = match round.recheck.step(&ranking) {
        PickStep::Check(id) => {
            let request = Request::Search(only(&round.query, id));
            round.awaited = Some((cx.send_for(Owner::Feature(answered), request), id));
            cx.feature::<Pick>().0 = Some(round);
            return;
        }
        PickStep::Take(id) => id,
        PickStep::Nothing if round.recheck.checked().is_empty() => {
            return cx.complain("No offer can be picked: ids, prices, disk or time left are missing");
        }
        PickStep::Nothing => return cx.complain("The best offers are gone: refresh"),
    };
    match handoff::rent_command(&round.query, &listing, id, &cx.state().profile) {
        Ok(text) => {
            let label = handoff::rent_label(round.query.offer_type, &cx.state().profile);
            let limits = cx.state().settings.values.limits();
            let warning = handoff::limit_warning(limits, round.basis, &listing, id);
            let what = match warning {
                Some(warning) => format!("{label}, offer {id}, still on offer: {warning}"),
                None => format!("{label}, offer {id}, still on offer"),
            };
            cx.effect(Effect::Copy { what, text });
        }
        Err(why) => cx.complain(format!("Not copied: {why}")),
    }
}

/// Handles the response to a recheck: updates the offer, or removes it if it is gone, and takes the next
/// step. A failed request ends the pick with an error notice; the response of an earlier pick is ignored.
fn answered(cx: &mut Cx<'_>, ticket: Ticket, news: News) {
    let News::Reply(response) = news else { return };
    let pick = &mut cx.feature::<Pick>().0;
    // The user may have started again.
    let Some(mut round) = pick.take_if(|round| round.awaited.is_some_and(|(awaited, _)| awaited == ticket)) else {
        return;
    };
    let listing = match response.and_then(Reply::into_records) {
        Ok(listing) => listing,
        Err(error) => return cx.complain(format!("Nothing was picked: {}", error.headline())),
    };
    if let Some((_, id)) = round.awaited.take() {
        round.recheck.check(id);
        let row = listing.row(id).and_then(|row| u32::try_from(row).ok());
        match row.and_then(|row| listing.subset(&[row]).ok()) {
            Some(offer) => round.parts.push((offer, false)),
            None => drop(round.gone.insert(id)),
        }
    }
    next(cx, round);
}

/// The search for one offer: `query` with the additional condition that the offer has this id.
fn only(query: &Query, id: RowId) -> Query {
    let mut query = query.clone();
    let field = query.catalog().by_key("id");
    let is_it = |field| Condition::new(field, Operator::Eq, Operand::One(Value::id(id.0.into())));
    query.conditions.extend(field.map(is_it));
    query
}

/// Whether a row meets the active conditions of the query in its received values; conditions on computed
/// columns are not tested.
///
/// A market may ignore a condition, and nobody rents an offer that breaks one. Computed columns were checked
/// before the recheck.
fn meets_conditions(listing: &Listing, query: &Query, row: usize) -> bool {
    let mut received = query.active().filter(|condition| !condition.field.is_computed());
    !received.any(|condition| condition.is_broken_by(listing.sent_column(condition.field).cell(row)))
}
