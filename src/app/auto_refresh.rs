//! Auto-refresh: repeats a search, and compares each response with the first one.

use super::browser::Browser;
use super::message::Effect;
use super::pane::Pane;
use super::remote::Now;
use super::state::State;
use super::watch::{Changes, EVERY, Watch, is_same_question, price_of};
use crate::domain::insight::{Coverage, coverage, differences};
use crate::domain::{Listing, Resource};

impl Browser {
    /// Turns auto-refresh on or off; true if it is on now.
    pub(crate) fn toggle_watch(&mut self, now: Now) -> bool {
        let was_on = self.watch.take().is_some();
        if !was_on {
            self.watch = Some(Box::new(Watch {
                next: now.mono + EVERY,
                ..Watch::default()
            }));
        }
        !was_on
    }

    /// The auto-refresh, if it is on.
    pub fn watching(&self) -> Option<&Watch> {
        self.watch.as_deref()
    }

    /// Call before a response replaces the current one: the first one is kept for comparison. A
    /// response to another query has nothing to compare with.
    pub(super) fn before_watched_answer(&mut self) {
        // With a limit, another order selects other rows.
        let is_cut = self.coverage() != Some(Coverage::Whole);
        let (Some(watch), Some(asked)) = (&mut self.watch, &self.asked_query) else {
            return;
        };
        let is_same = self.shown_query.as_ref().is_some_and(|shown| {
            is_same_question(shown, asked) && (!is_cut || shown.order == asked.order)
        });
        if !is_same {
            watch.baseline = None;
        } else if watch.baseline.is_none() {
            watch.baseline = self.remote.take();
        }
    }

    /// Call after a response: computes the changes, and schedules the next request.
    pub(super) fn after_watched_answer(&mut self, now: Now) {
        let Some(mut watch) = self.watch.take() else {
            return;
        };
        watch.next = now.mono + EVERY;
        watch.changes = match (&watch.baseline, self.remote.shown()) {
            (Some((before, _)), Some(listing)) => self.compared(before, listing),
            _ => Changes::default(),
        };
        self.watch = Some(watch);
    }

    fn compared(&self, before: &Listing, listing: &Listing) -> Changes {
        let Some(price) = listing.catalog().by_key(price_of(self.resource())) else {
            return Changes::default();
        };
        let differences = differences(before, listing, price);
        let id = |row: u32| listing.id(row as usize);
        let limit = self.shown_query.as_ref().and_then(|query| query.limit);
        Changes {
            field: Some(price),
            arrived: differences.arrived.into_iter().filter_map(id).collect(),
            prices: differences
                .changed
                .iter()
                .map(|change| (change.id, (change.from, change.to)))
                .collect(),
            gone: differences.left.len(),
            is_cut: [before, listing]
                .into_iter()
                .any(|listing| coverage(listing, limit) != Coverage::Whole),
        }
    }
}

/// Why auto-refresh is unavailable in the open pane, if it is.
pub(super) fn disabled(state: &State) -> Option<String> {
    (!state.pane.has_prices()).then(|| "Only on Offers and Volumes".to_owned())
}

/// Sends the requests that are due.
pub(super) fn tick(state: &mut State, now: Now) -> Vec<Effect> {
    let is_held = state.held(now).is_some();
    let State {
        browsers, tickets, ..
    } = state;
    let mut effects = Vec::new();
    for browser in browsers.iter_mut() {
        let stays = is_held
            || browser.remote().is_loading()
            || browser
                .remote()
                .error()
                .is_some_and(|error| error.stops_timers(now.epoch));
        if let Some(watch) = &mut browser.watch
            && watch.next <= now.mono
        {
            // Whether or not this request succeeds, the next one waits for its time.
            watch.next = now.mono + EVERY;
            if !stays {
                effects.extend(browser.ask(tickets, now));
            }
        }
    }
    effects
}

/// After a suspend: what is watched is asked for again within ten seconds, `spread` (0 to 1) of the
/// way, since every program of this computer woke at once.
pub(super) fn woken(state: &mut State, now: Now, spread: f64) {
    for browser in &mut state.browsers {
        if let Some(watch) = &mut browser.watch {
            watch.next = now.mono + 10.0 * spread.clamp(0.0, 1.0);
        }
    }
}

/// When the next request is due.
pub(super) fn deadline(state: &State, now: Now) -> Option<f64> {
    // The countdown in the status line of the open pane changes every second.
    let due = |pane: Pane, browser: &Browser| {
        let next = browser.watching()?.next;
        Some(if pane == state.pane {
            next.min(now.mono + 1.0)
        } else {
            next
        })
    };
    [
        due(Pane::Offers, &state.browsers[Resource::Offers]),
        due(Pane::Volumes, &state.browsers[Resource::Volumes]),
    ]
    .into_iter()
    .flatten()
    .reduce(f64::min)
}
