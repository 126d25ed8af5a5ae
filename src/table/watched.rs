//! A table with auto-refresh: each response is compared with an earlier one.

use std::collections::{BTreeMap, HashMap};

use super::browser::Browser;
use super::gone::Departures;
use super::watch::{Baseline, Changes, Watch, is_same_question, price_of};
use crate::domain::Listing;
use crate::domain::insight::{Coverage, query_coverage};
use crate::domain::time::Now;
use crate::record::Poll;
use crate::record::differences::{differences, lots, recorded_lot};
use crate::record::watch::Missing;

impl Browser {
    /// The state of auto-refresh; `None` while it is off.
    pub fn watching(&self) -> Option<&Watch> {
        self.watch.as_deref()
    }

    /// Moves the current rows to the stored responses for comparison, before another response replaces them;
    /// nothing without auto-refresh.
    ///
    /// A response to another query, or to another order if the limit may have truncated the current one, has
    /// nothing to compare with: all stored ones are removed then, and the current rows stay.
    pub(crate) fn before_watched_answer(&mut self, now: Now) {
        // With a limit, another order selects other rows.
        let is_cut = self.coverage() != Some(Coverage::Whole);
        let number = self.responses();
        let queries = self.shown_query().zip(self.asked_query.as_ref());
        let is_same = queries
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

    /// Records the departed rows, removes the causes of lots that are listed again, and computes the changes;
    /// called after a response. Nothing without auto-refresh.
    pub(crate) fn after_watched_answer(&mut self, now: Now) {
        let Some(mut watch) = self.watch.take() else { return };
        // These rows are newer.
        watch.recorded = None;
        watch.note_departures(self.listing(), now);
        if let Some(listing) = self.listing() {
            watch.forget_causes(listing);
        }
        self.watch = Some(watch);
        self.recompare();
    }

    /// Computes the changes again, after the response or the baseline has changed; no changes if either is
    /// missing, and nothing without auto-refresh.
    pub(crate) fn recompare(&mut self) {
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

    /// Compares with another baseline from now on; nothing without auto-refresh.
    pub(crate) fn compare_with(&mut self, baseline: Baseline) {
        if let Some(watch) = &mut self.watch {
            watch.compare_with(baseline);
            self.recompare();
            self.rebuild();
        }
    }

    /// The lots (the GPUs of one model on one machine, or the volumes of one cluster) of the previous
    /// response that the newest one lacks, without a known cause, each with its host's id, if known; sorted.
    /// Empty if a limit may have truncated either response.
    pub(crate) fn missing_lots(&self) -> Vec<Missing> {
        let before = self.watching().and_then(|watch| Some((watch, watch.last_poll()?)));
        let (Some((watch, before)), Some(listing)) = (before, self.listing()) else {
            return Vec::new();
        };
        if self.is_truncated(before) || self.is_truncated(listing) {
            return Vec::new();
        }
        let (here, host) = (lots(listing), before.catalog().by_key("host_id"));
        let rows = 0..u32::try_from(before.len()).unwrap_or(u32::MAX);
        let missing = rows.filter_map(|row| {
            let lot = recorded_lot(before, row)?;
            let host = || before.cell(row as usize, host?).whole();
            (!here.contains(&lot) && !watch.causes.contains_key(&lot))
                .then(|| (lot, host().and_then(|host| i64::try_from(host).ok())))
        });
        // The choice of lots must not depend on the order of the rows.
        missing.collect::<BTreeMap<_, _>>().into_iter().collect()
    }

    /// The changes from the response `before` to `listing`: new, missing and repriced rows, as
    /// [`differences`] counts them; none if the resource has no price.
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
            gone_rows: departures.gone_rows(before, &differences.left, price),
            is_cut: [before, listing].into_iter().any(|listing| self.is_truncated(listing)),
        }
    }

    /// Whether the limit may have truncated a response to the shown query; true without a shown query.
    fn is_truncated(&self, listing: &Listing) -> bool {
        self.shown_query()
            .is_none_or(|query| query_coverage(listing, query) != Coverage::Whole)
    }

    /// Number of requests that a refresh sends: one, or four if prices of the three price models are loaded.
    pub(crate) fn requests(&self) -> u32 {
        // A refresh also requests the three price models, since prices of one moment are compared.
        if self.computed.price_models.is_empty() { 1 } else { 4 }
    }

    /// Takes the poll that waits for its causes, to record it without them before the next one; `None` if
    /// none waits.
    pub(crate) fn take_unrecorded(&mut self) -> Option<Box<Poll>> {
        self.watch.as_mut()?.unrecorded.take()
    }
}
