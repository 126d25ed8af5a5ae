//! Auto-refresh: repeats a search, compares each response with an earlier one, and asks once why
//! what is gone is gone.

pub mod poll_claim;
pub(crate) mod view;

use std::collections::{BTreeSet, HashMap};

use crate::api::{ApiError, Reply, Request};
use crate::core::feature::{Event, Feature};
use crate::core::message::{Effect, HistoryJob, News};
use crate::core::owners::Owner;
use crate::core::state::State;
use crate::core::view::Cx;
use crate::domain::insight::{Coverage, coverage};
use crate::domain::{Listing, Query, Resource};
use crate::keys::Action;
use crate::keys::pane::Pane;
use crate::record;
use crate::record::differences::{differences, lots, recorded_lot};
use crate::record::{Lot, MOST_CAUSES, MOST_SLICES, Poll, cause_query};
use crate::table::browser::Browser;
use crate::table::gone::Departures;
use crate::table::remote::{Now, Ticket};
use crate::table::watch::{Baseline, Changes, Poller, Watch, floor, is_same_question, price_of};

pub(crate) const FEATURE: Feature = Feature {
    event: |cx, event| match event {
        Event::Listed(resource, poll) => record(cx, *resource, poll.take()),
        Event::Looked { is_leaving } => looked(cx, *is_leaving),
        Event::Woken { spread } => woken(cx, *spread),
        Event::Wrote(..) | Event::Recorded { .. } | Event::PaneOpened | Event::Restored(_) => {}
    },
    deadline,
    tick,
    disabled: |state, action, _| match action {
        Action::Watch | Action::WatchSettings | Action::Tape => disabled(state),
        _ => None,
    },
    ..Feature::IDLE
};

impl Browser {
    /// The auto-refresh, if it is on.
    pub fn watching(&self) -> Option<&Watch> {
        self.watch.as_deref()
    }

    /// Call before a response replaces the current one: the current one is kept for comparison. A
    /// response to another query has nothing to compare with.
    pub(crate) fn before_watched_answer(&mut self, now: Now) {
        // With a limit, another order selects other rows.
        let is_cut = self.coverage() != Some(Coverage::Whole);
        let number = self.responses();
        let is_same = self.shown_query().zip(self.asked_query.as_ref());
        let is_same = is_same
            .is_some_and(|(shown, asked)| is_same_question(shown, asked) && (!is_cut || shown.order == asked.order));
        let shown = self.remote.shown_at().filter(|_| is_same && self.watch.is_some());
        let shown = shown.and_then(|at| Some((self.take_listing()?, at)));
        let Some(watch) = &mut self.watch else { return };
        if !is_same {
            watch.forget();
        } else if let Some((listing, at)) = shown {
            watch.keep(number, listing, at, now);
        }
    }

    /// Call after a response: computes the changes, and schedules the next request.
    pub(crate) fn after_watched_answer(&mut self, now: Now) {
        let Some(mut watch) = self.watch.take() else { return };
        if let Poller::Another { recorded } = &mut watch.poller {
            // These rows are newer.
            *recorded = None;
        }
        watch.answered(false, now);
        watch.note_departures(self.listing(), now);
        if let Some(listing) = self.listing().filter(|_| !watch.causes.is_empty()) {
            let here = lots(listing);
            watch.causes.retain(|lot, _| !here.contains(lot));
        }
        self.watch = Some(watch);
        self.recompare();
    }

    /// Computes the changes, as the response or its baseline is another one.
    fn recompare(&mut self) {
        let Some(mut watch) = self.watch.take() else {
            return;
        };
        watch.changes = match (watch.before(), self.listing()) {
            (Some((before, _)), Some(listing)) => self.compared(&watch.departures, before, listing),
            _ => Changes::default(),
        };
        watch.order_gone();
        self.watch = Some(watch);
    }

    /// Compares with another earlier response from now on.
    pub(crate) fn compare_with(&mut self, baseline: Baseline) {
        if let Some(watch) = &mut self.watch {
            watch.compare_with(baseline);
            self.recompare();
            self.rebuild();
        }
    }

    /// Call after a watched search failed.
    pub(crate) fn watch_failed(&mut self, error: &ApiError, now: Now) {
        if let Some(watch) = &mut self.watch {
            watch.answered(matches!(error, ApiError::RateLimited { .. }), now);
        }
    }

    fn compared(&self, departures: &Departures, before: &Listing, listing: &Listing) -> Changes {
        let Some(price) = listing.catalog().by_key(price_of(self.resource())) else {
            return Changes::default();
        };
        let differences = differences(before, listing, price);
        let id = |row: u32| listing.id(row as usize);
        let mut gone_lots = HashMap::new();
        for lot in differences.left.iter().filter_map(|row| recorded_lot(before, *row)) {
            *gone_lots.entry(lot).or_default() += 1;
        }
        Changes {
            field: Some(price),
            arrived: differences.arrived.into_iter().filter_map(id).collect(),
            prices: differences
                .changed
                .iter()
                .map(|change| (change.id, (change.from, change.to)))
                .collect(),
            gone_lots,
            gone: differences.left.len(),
            gone_rows: departures.of(before, &differences.left, price),
            is_cut: [before, listing].into_iter().any(|listing| self.is_truncated(listing)),
        }
    }

    /// Whether the limit may have truncated a response to the shown query.
    fn is_truncated(&self, listing: &Listing) -> bool {
        let limit = self.shown_query().and_then(|query| query.limit);
        coverage(listing, limit) != Coverage::Whole
    }

    /// How many requests a refresh sends.
    pub(crate) fn requests(&self) -> usize {
        // A refresh asks again for the three price models too, since prices of one moment are compared.
        if self.computed.price_models.is_empty() { 1 } else { 4 }
    }

    /// The lots that the newest response lacks and the one before had, of whose absence no cause is
    /// known; none where they may only be out of view.
    fn missing_lots(&self) -> Vec<Lot> {
        let watch = self.watching();
        let (Some(watch), Some(listing)) = (watch, self.listing()) else {
            return Vec::new();
        };
        let Some(before) = watch.last_poll() else {
            return Vec::new();
        };
        if self.is_truncated(before) || self.is_truncated(listing) {
            return Vec::new();
        }
        let here = lots(listing);
        let mut missing: Vec<Lot> = lots(before)
            .into_iter()
            .filter(|lot| !here.contains(lot) && !watch.causes.contains_key(lot))
            .collect();
        // Which ones are asked about must not depend on the order of a hash.
        missing.sort_unstable();
        missing.truncate(MOST_CAUSES);
        missing
    }

    /// The search that tells why lots are gone: their machines or clusters without the person's
    /// conditions, or all of their hosts where the market takes no machines.
    fn cause_query(&self, lots: &[Lot]) -> Option<Query> {
        let catalog = self.query.catalog();
        let fields = ["machine_id", "cluster_id", "host_id"].into_iter();
        // The narrowest that the market filters by: an answer about a host has all of its machines.
        let mut fields = fields.filter_map(|key| catalog.by_key(key));
        let field = fields.find(|field| self.dialect().sends(field))?;
        let before = self.watching()?.last_poll()?;
        let rows = 0..u32::try_from(before.len()).unwrap_or(u32::MAX);
        let is_gone = |row: &u32| recorded_lot(before, *row).is_some_and(|lot| lots.contains(&lot));
        let gone = rows.filter(is_gone);
        let ids: BTreeSet<i128> = gone
            .filter_map(|row| before.cell(row as usize, field).whole())
            .collect();
        cause_query(self.shown_query()?, field, ids)
    }
}

/// Turns auto-refresh of a table on or off.
pub(crate) fn toggle(cx: &mut Cx<'_>, resource: Resource) {
    if cx.state().browsers[resource].watch.is_some() {
        return stop(cx, resource);
    }
    // The configured interval holds for all tables, some of which cost the market more.
    let interval = cx.state().settings.pace.interval.max(floor(resource));
    start(cx, resource, interval);
}

/// Refreshes a table every `interval` seconds from now on.
pub(crate) fn start(cx: &mut Cx<'_>, resource: Resource, interval: f64) {
    let (now, zone) = (cx.now, cx.state().settings.zone.clone());
    let browser = cx.table(resource);
    let number = browser.responses();
    let watch = browser
        .watch
        .get_or_insert_with(|| Box::new(Watch::new(interval, zone, number, now)));
    watch.interval = interval;
    watch.next = now.mono + interval;
}

/// Stops the auto-refresh of a table.
pub(crate) fn stop(cx: &mut Cx<'_>, resource: Resource) {
    let watch = cx.table(resource).watch.take();
    let unrecorded = watch.and_then(|watch| watch.ended());
    cx.effects(unrecorded.map(Effect::record));
    cx.effect(Effect::History(HistoryJob::ReleasePolls(resource)));
}

/// Why auto-refresh is unavailable in the open pane, if it is.
pub(crate) fn disabled(state: &State) -> Option<String> {
    (!state.pane.has_prices()).then(|| "Only on Offers and Volumes".to_owned())
}

/// Sends the requests that are due and that the budget has room for.
fn tick(cx: &mut Cx<'_>) {
    let now = cx.now;
    let is_held = cx.state().held(now).is_some();
    for resource in [Resource::Offers, Resource::Volumes] {
        let browser = cx.table(resource);
        let stays = is_held
            || browser.remote().is_loading()
            || browser
                .remote()
                .error()
                .is_some_and(|error| error.stops_timers(now.epoch));
        let Some(watch) = browser.watch.as_mut().filter(|watch| watch.next <= now.mono) else {
            continue;
        };
        if watch.pauses(now) {
            // Another program may poll meanwhile.
            cx.effect(Effect::History(HistoryJob::ReleasePolls(resource)));
            continue;
        }
        // Whether or not this request succeeds, the next one waits for its time.
        watch.next = now.mono + watch.pause();
        let is_unanswered = watch.claim.take().is_some();
        if stays {
            continue;
        }
        // Where nothing is recorded, or the record does not answer, it asks for itself.
        if is_unanswered || !cx.state().recall().is_on {
            send(cx, resource);
        } else {
            poll_claim::claim(cx, resource);
        }
    }
}

/// Sends the request of a watched search, if the budget has room for it; else it waits for that.
pub(crate) fn send(cx: &mut Cx<'_>, resource: Resource) {
    let now = cx.now;
    let requests = cx.table(resource).requests();
    let free_at = cx.pace().free_at(requests, now);
    if free_at > now.mono {
        if let Some(watch) = &mut cx.table(resource).watch {
            watch.next = free_at;
        }
        return;
    }
    cx.pace().spend(requests, now);
    cx.ask(resource);
}

/// Asks why the lots are gone that the newest response lacks: one search for all of them, if the
/// budget has room for it. False if it does not ask.
fn ask_causes(cx: &mut Cx<'_>, resource: Resource) -> bool {
    let (now, state) = (cx.now, cx.state());
    let lots = state.browsers[resource].missing_lots();
    // A cause is good to know; the rows themselves come first in the budget.
    if lots.is_empty() || state.held(now).is_some() || cx.pace().free_at(1, now) > now.mono {
        return false;
    }
    let Some(query) = cx.table(resource).cause_query(&lots) else {
        return false;
    };
    let ticket = cx.ticket();
    cx.pace().spend(1, now);
    cx.effect(Effect::History(HistoryJob::CountRequest(now.epoch)));
    let Some(watch) = &mut cx.table(resource).watch else {
        return false;
    };
    let superseded = watch.cause_search.replace((ticket, lots));
    let request = Request::Search(query);
    cx.abort(superseded.map(|(ticket, _)| ticket));
    cx.effects_for(Owner::Feature(causes_answered), [Effect::Call { ticket, request }]);
    true
}

/// Records a poll: at once, or with the causes once they are known.
fn record(cx: &mut Cx<'_>, resource: Resource, poll: Option<Poll>) {
    let is_watched = cx.state().browsers[resource].watch.is_some();
    let Some(poll) = poll else {
        ask_causes(cx, resource);
        return;
    };
    if !is_watched {
        return cx.effect(Effect::record(poll));
    }
    let awaits_causes = ask_causes(cx, resource);
    let browser = cx.table(resource);
    let storage = browser.storage().0;
    if let Some(watch) = &mut browser.watch {
        watch.polled(&poll, storage);
        if awaits_causes {
            watch.unrecorded = Some(Box::new(poll));
        } else {
            cx.effect(Effect::record(poll));
        }
    }
}

impl Browser {
    /// The poll that waits for its causes, to record it without them: the next one is here.
    pub(crate) fn take_unrecorded(&mut self) -> Option<Effect> {
        let poll = self.watch.as_mut()?.unrecorded.take();
        poll.map(Effect::record)
    }
}

/// Takes the response that tells why lots are gone.
fn causes_answered(cx: &mut Cx<'_>, ticket: Ticket, news: News) {
    let News::Reply(response) = news else { return };
    let is_own = |search: &mut (Ticket, Vec<Lot>)| search.0 == ticket;
    for resource in Resource::ALL {
        let browser = cx.table(resource);
        let offer_type = browser.query.offer_type;
        let Some(watch) = &mut browser.watch else {
            continue;
        };
        if let Some((_, lots)) = watch.cause_search.take_if(is_own) {
            if let Ok(Reply::Records(listing)) = *response {
                let coverage = coverage(&listing, Some(MOST_SLICES));
                let causes = record::causes(&lots, &listing, offer_type, coverage);
                if let Some(poll) = &mut watch.unrecorded {
                    poll.causes.extend(causes.iter().cloned());
                }
                watch.causes.extend(causes);
                watch.order_gone();
            }
            let recorded = watch.unrecorded.take();
            cx.effects(recorded.map(Effect::record));
            return;
        }
    }
}

/// The person pressed a key, or the terminal got or lost the focus: what the open pane shows has
/// been seen.
fn looked(cx: &mut Cx<'_>, is_leaving: bool) {
    let now = cx.now;
    for resource in Resource::ALL {
        if let Some(watch) = &mut cx.table(resource).watch {
            if is_leaving {
                watch.left(now);
            } else {
                watch.came_back(now);
            }
        }
    }
    let Some(browser) = cx.pane_table() else {
        return;
    };
    let number = browser.responses();
    let Some(watch) = &mut browser.watch else {
        return;
    };
    if is_leaving {
        watch.looked_away(number, now);
    } else if watch.looked(number, now) {
        browser.recompare();
        browser.rebuild();
    }
}

/// After a suspend: what is watched is asked for again within ten seconds, `spread` (0 to 1) of the
/// way, since every program of this computer woke at once.
fn woken(cx: &mut Cx<'_>, spread: f64) {
    let now = cx.now;
    for resource in Resource::ALL {
        if let Some(watch) = &mut cx.table(resource).watch {
            watch.next = now.mono + 10.0 * spread.clamp(0.0, 1.0);
        }
    }
}

/// When the next request is due.
pub(crate) fn deadline(state: &State, now: Now) -> Option<f64> {
    // The countdown in the status line of the open pane changes every second.
    let due = |pane: Pane, browser: &Browser| {
        let next = browser.watching().filter(|watch| !watch.is_paused())?.next;
        let second = (pane == state.pane).then(|| state.animation(now, 1.0));
        Some(second.flatten().map_or(next, |second| next.min(second)))
    };
    [
        due(Pane::Offers, &state.browsers[Resource::Offers]),
        due(Pane::Volumes, &state.browsers[Resource::Volumes]),
    ]
    .into_iter()
    .flatten()
    .reduce(f64::min)
}
