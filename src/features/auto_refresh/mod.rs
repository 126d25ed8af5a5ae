//! Auto-refresh: repeats a search, compares each response with an earlier one, and searches once
//! for the cause of departures.

pub(crate) mod view;

use crate::api::{Reply, Request};
use crate::core::feature::{Event, Feature};
use crate::core::message::{Effect, News};
use crate::core::owners::Owner;
use crate::core::state::State;
use crate::core::view::Cx;
use crate::core::watching::{Interest, WishId};
use crate::domain::Resource;
use crate::domain::time::{MonotonicTime, Now};
use crate::keys::Action;
use crate::record::Poll;
use crate::record::watch::{Wish, cause_search};
use crate::table::remote::Ticket;
use crate::table::watch::{Watch, shortest_interval};

pub(crate) const FEATURE: Feature = Feature {
    event: |cx, event| match event {
        Event::Listed(resource, poll) => record(cx, *resource, poll.take()),
        Event::Looked { is_leaving } => record_presence(cx, *is_leaving),
        // Another program's poll counts, but its rows are not shown: it may exclude other machines.
        Event::Read(WishId::Table(resource), poll) => {
            if let Some(watch) = &mut cx.table(*resource).watch {
                watch.read(poll);
            }
        }
        Event::Read(WishId::Named(_), _)
        | Event::Woken { .. }
        | Event::Wrote(..)
        | Event::Recorded { .. }
        | Event::PaneOpened
        | Event::Restored(_) => {}
    },
    wishes,
    deadline,
    tick,
    disabled: |state, action, _| match action {
        Action::Watch | Action::WatchSettings | Action::Tape => {
            (!state.pane.has_prices()).then(|| "Only on Offers and Volumes".to_owned())
        }
        _ => None,
    },
    ..Feature::IDLE
};

/// Turns auto-refresh of the open pane on or off, with a notice; false if the pane has no table.
pub(crate) fn switch(cx: &mut Cx<'_>) -> bool {
    let Some(resource) = cx.state().pane.resource() else {
        return false;
    };
    toggle(cx, resource);
    if let Some(watch) = cx.state().browsers[resource].watching() {
        let every = watch.interval();
        let key = cx.state().keymap.key_of(Action::Watch);
        cx.toast(format!("Auto-refresh every {every:.0} s ({key} turns it off)"));
    } else {
        cx.toast("Auto-refresh off");
    }
    true
}

/// Turns auto-refresh of a table off, or on at the configured interval, but no faster than its minimum.
fn toggle(cx: &mut Cx<'_>, resource: Resource) {
    if cx.state().browsers[resource].watch.is_some() {
        return stop(cx, resource);
    }
    // The configured interval holds for all tables, some of which cost the market more.
    let interval = cx.state().settings.pace.interval.max(shortest_interval(resource));
    start(cx, resource, interval);
}

/// Refreshes a table every `interval` seconds, the first time one interval from now; replaces an earlier
/// interval.
pub(crate) fn start(cx: &mut Cx<'_>, resource: Resource, interval: f64) {
    let (now, zone) = (cx.now, cx.state().settings.zone.clone());
    let browser = cx.table(resource);
    let number = browser.responses();
    let watch = browser
        .watch
        .get_or_insert_with(|| Box::new(Watch::new(interval, zone, number, now)));
    watch.interval = interval;
    watch.first = now.mono + interval;
}

/// Stops the auto-refresh of a table, if it is on. A poll that waits for the causes of departures is recorded
/// without them.
pub(crate) fn stop(cx: &mut Cx<'_>, resource: Resource) {
    let watch = cx.table(resource).watch.take();
    let unrecorded = watch.and_then(|watch| watch.into_unrecorded());
    cx.effects(unrecorded.map(Effect::record));
}

/// The searches of the tables of offers and volumes with auto-refresh, except those paused after a long time
/// in the background.
fn wishes(state: &State, now: Now) -> Vec<Interest> {
    let tables = [Resource::Offers, Resource::Volumes].into_iter();
    let wishes = tables.filter_map(|resource| {
        let browser = &state.browsers[resource];
        let watch = browser.watching().filter(|watch| !watch.is_long_away(now))?;
        let wish = Wish {
            id: WishId::Table(resource),
            query: browser.query.clone(),
            every: watch.interval(),
            first: watch.first,
            requests: browser.requests(),
            is_own: false,
        };
        Some(Interest {
            wish,
            send: |cx, id| {
                if let WishId::Table(resource) = id {
                    cx.ask(*resource);
                }
            },
        })
    });
    wishes.collect()
}

/// Pauses the auto-refresh of tables after an hour in the background.
fn tick(cx: &mut Cx<'_>) {
    let now = cx.now;
    for resource in Resource::ALL {
        if let Some(watch) = &mut cx.table(resource).watch {
            watch.pause(now);
        }
    }
}

/// Sends one search for why rows of the newest poll have disappeared, in place of an earlier one under way.
/// False if none is sent: no row is missing, the market has no filter for them, the request budget has no
/// room, or auto-refresh is off.
fn ask_causes(cx: &mut Cx<'_>, resource: Resource) -> bool {
    let browser = &cx.state().browsers[resource];
    let query = browser.shown_query();
    let search = query.and_then(|query| cause_search(browser.missing_lots(), query, browser.dialect()));
    // A cause is good to know; the rows themselves come first in the budget.
    let Some(search) = search.filter(|_| cx.take_extra_request()) else {
        return false;
    };
    let (ticket, request) = (cx.ticket(), Request::Search(search.query.clone()));
    let Some(watch) = &mut cx.table(resource).watch else {
        return false;
    };
    let superseded = watch.cause_search.replace((ticket, search));
    cx.abort(superseded.map(|(ticket, _)| ticket));
    cx.effects_for(Owner::Feature(on_causes), [Effect::Call { ticket, request }]);
    true
}

/// Records a table's poll, if there is one, and searches for why rows have disappeared: the poll is recorded
/// at once or, if such a search is sent, later together with its result. Without auto-refresh it is at once.
fn record(cx: &mut Cx<'_>, resource: Resource, poll: Option<Poll>) {
    let awaits_causes = ask_causes(cx, resource);
    let Some(poll) = poll else { return };
    match &mut cx.table(resource).watch {
        Some(watch) if awaits_causes => watch.unrecorded = Some(Box::new(poll)),
        Some(_) | None => cx.effect(Effect::record(poll)),
    }
}

/// Handles the response to the search for why rows have disappeared: shows the causes on those rows, and
/// records the poll that waits for them, even if the search failed.
fn on_causes(cx: &mut Cx<'_>, ticket: Ticket, news: News) {
    let News::Reply(response) = news else { return };
    for resource in Resource::ALL {
        let Some(watch) = &mut cx.table(resource).watch else {
            continue;
        };
        if let Some((_, search)) = watch.cause_search.take_if(|search| search.0 == ticket) {
            if let Ok(Reply::Records(listing)) = *response {
                let causes = search.causes(&listing);
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

/// Records that the user looks at the open pane, which also ends a pause of auto-refresh, or, if
/// `is_leaving`, that the terminal goes to the background, where all tables pause after an hour. The changes
/// since the last look are shown from that time on.
///
/// It is called on a key press, and as the terminal gains or loses the focus.
fn record_presence(cx: &mut Cx<'_>, is_leaving: bool) {
    let now = cx.now;
    for resource in Resource::ALL {
        if let Some(watch) = &mut cx.table(resource).watch {
            if is_leaving {
                watch.on_background(now);
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
        watch.on_leave(number, now);
    } else if watch.on_presence(number, now) {
        browser.recompare();
        browser.rebuild();
    }
}

/// The next time at which auto-refresh pauses a table or changes its countdown in the status line of the open
/// pane; `None` if neither will.
pub(crate) fn deadline(state: &State, now: Now) -> Option<MonotonicTime> {
    let second = state
        .browser()
        .is_some_and(|browser| browser.watching().is_some_and(|watch| !watch.is_paused()))
        .then(|| state.animation(now, 1.0));
    let pauses = Resource::ALL.into_iter().filter_map(|resource| {
        let watch = state.browsers[resource].watching()?;
        watch.pauses_at()
    });
    second.flatten().into_iter().chain(pauses).min()
}
