//! The rows of a pane as they are shown: checked, priced, filtered and sorted.
//!
//! The same code arranges them on another thread for a response, and in the event loop after a
//! change of the search.

mod offered;

pub use self::offered::{OfferCounts, groupings};
use super::computed_columns::ComputedColumns;
use super::row_filter;
use crate::api::{Request, wire};
use crate::domain::cost::{Basis, Prices, Shortfall, VolumePrices};
use crate::domain::insight::{Coverage, query_coverage};
use crate::domain::query::{DEFAULT_STORAGE_GB, Direction, OrderKey};
use crate::domain::response_check::{Discrepancy, ResponseCheck, Violation};
use crate::domain::{Condition, Dialect, Field, Listing, OfferType, Query, Resource};

/// The loaded rows, the settings that arrange them, and the resulting view.
#[derive(Debug)]
pub struct Rows {
    pub query: Query,
    /// Words that filter the loaded rows, including words still being typed.
    pub words: Vec<String>,
    /// Conditions that filter the loaded rows while the plain words for them are typed.
    pub(super) preview: Vec<Condition>,
    pub columns: Vec<&'static Field>,
    /// Values computed for each row, in addition to the record's own.
    pub computed: Box<ComputedColumns>,
    dialect: &'static Dialect,
    listing: Option<Listing>,
    /// The query whose response is shown.
    shown_query: Option<Query>,
    pub(crate) check: ResponseCheck,
    view: Vec<u32>,
    visible_best: usize,
    contents: u64,
    /// Columns that contain a filter word, in addition to the chosen ones.
    revealed: Vec<&'static Field>,
    /// The groups of the rows, if they were counted in advance.
    counted: Option<OfferCounts>,
}

impl Rows {
    /// An arrangement without rows, with the default columns of the query's resource.
    pub(super) fn new(query: Query, dialect: &'static Dialect) -> Self {
        Self {
            words: Vec::new(),
            preview: Vec::new(),
            columns: query.catalog().default_columns(),
            computed: Box::default(),
            dialect,
            listing: None,
            shown_query: None,
            check: ResponseCheck::default(),
            view: Vec::new(),
            visible_best: 0,
            contents: 0,
            revealed: Vec::new(),
            counted: None,
            query,
        }
    }

    /// An arrangement without rows, with these settings, for a response to `asked`.
    ///
    /// The prices of other models are left out, as they belong to the old rows.
    pub(super) fn for_response(&self, asked: Option<Query>) -> Self {
        Self {
            words: self.words.clone(),
            preview: self.preview.clone(),
            columns: self.columns.clone(),
            computed: Box::new(self.computed.for_other_rows()),
            shown_query: asked,
            contents: self.contents + 1,
            ..Self::new(self.query.clone(), self.dialect)
        }
    }

    /// Whether `other` has the same settings: query, words, columns and inputs of computed columns.
    fn is_arranged_as(&self, other: &Self) -> bool {
        self.computed.is_for(&other.computed)
            && (&self.query, &self.words, &self.preview, &self.columns)
                == (&other.query, &other.words, &other.preview, &other.columns)
    }

    /// Checks, prices, filters and sorts the rows of a response. Values that the first frame shows are
    /// computed here, with those of the market panel if `has_panel`.
    pub(super) fn arrange(&mut self, listing: Listing, has_panel: bool) {
        read_ahead(&listing);
        if let Some(asked) = &self.shown_query {
            self.check = ResponseCheck::new(&listing, asked, self.dialect);
        }
        self.listing = Some(listing);
        // Prices are compared as they are shown.
        self.estimate_prices();
        self.revalue();
        self.prepare(has_panel);
    }

    /// Prices, filters and sorts recorded rows, without checking them against a request.
    pub(super) fn arrange_recorded(&mut self, listing: Listing) {
        read_ahead(&listing);
        self.listing = Some(listing);
        self.estimate_prices();
        self.revalue();
    }

    /// Arranges the rows again with the settings of `other`; nothing if they are the same.
    pub(super) fn arrange_as(&mut self, other: &Self) {
        if self.is_arranged_as(other) {
            return;
        }
        self.query.clone_from(&other.query);
        self.words.clone_from(&other.words);
        self.preview.clone_from(&other.preview);
        self.columns.clone_from(&other.columns);
        *self.computed = other.computed.for_other_rows();
        self.estimate_prices();
        self.revalue();
    }

    /// Removes the rows of the response and empties the view. The prices of other models stay until the next
    /// request replaces them.
    pub(super) fn clear(&mut self) {
        self.listing = None;
        self.shown_query = None;
        self.check = ResponseCheck::default();
        self.revealed.clear();
        let price_models = std::mem::take(&mut self.computed.price_models);
        *self.computed = self.computed.for_other_rows();
        self.computed.price_models = price_models;
        self.narrow();
    }

    /// Moves the rows of an arranged response here. False if the settings have changed since, or prices of
    /// other models are loaded: then the caller has to arrange the rows again.
    pub(super) fn take_arranged(&mut self, mut arranged: Self) -> bool {
        let has_price_models = !self.computed.price_models.is_empty();
        if has_price_models || !self.is_arranged_as(&arranged) {
            // The settings have changed meanwhile, or the prices of other models join the rows.
            self.listing = arranged.listing;
            self.shown_query = arranged.shown_query;
            self.check = arranged.check;
            return false;
        }
        arranged.contents = self.contents + 1;
        *self = arranged;
        true
    }

    /// Removes and returns the loaded rows, `None` before a response; the view stays until it is rebuilt.
    pub(crate) const fn take_listing(&mut self) -> Option<Listing> {
        self.listing.take()
    }

    /// The loaded rows, mutable; `None` before a response.
    pub(crate) const fn listing_mut(&mut self) -> Option<&mut Listing> {
        self.listing.as_mut()
    }

    /// A number that changes with the rows, their prices or the filters, but not with their order.
    pub const fn contents(&self) -> u64 {
        self.contents
    }

    /// The kind of records that the rows are.
    pub const fn resource(&self) -> Resource {
        self.query.resource
    }

    /// The market's dialect, which decides what it can filter and sort by.
    pub const fn dialect(&self) -> &'static Dialect {
        self.dialect
    }

    /// The loaded rows, unsorted and unfiltered; `None` before a response and while recorded rows are shown.
    /// [`Rows::view`] selects and sorts them.
    pub const fn listing(&self) -> Option<&Listing> {
        self.listing.as_ref()
    }

    /// The query whose response is shown, `None` before one; the running one may be newer.
    pub const fn shown_query(&self) -> Option<&Query> {
        self.shown_query.as_ref()
    }

    /// The numbers in the listing of the visible rows, in display order.
    pub fn view(&self) -> &[u32] {
        &self.view
    }

    /// Columns to show in addition to the chosen ones, because a filter word was found there.
    pub fn revealed(&self) -> &[&'static Field] {
        &self.revealed
    }

    /// Conditions sent to the market that rows of the response break.
    pub fn violations(&self) -> &[Violation] {
        &self.check.violations
    }

    /// Other differences between request and response than broken conditions.
    pub fn discrepancies(&self) -> &[Discrepancy] {
        &self.check.discrepancies
    }

    /// Whether the loaded rows are all that the market has for their query; `None` before a
    /// response.
    pub fn coverage(&self) -> Option<Coverage> {
        let query = self.shown_query.as_ref()?;
        Some(query_coverage(self.listing()?, query))
    }

    /// Whether the response counts as truncated: the market reports more rows, or sent as many as the limit.
    pub fn is_cut(&self) -> bool {
        self.coverage() == Some(Coverage::Cut)
    }

    /// Whether the market has, or may have, more rows than it sent; false before a response.
    pub fn may_have_more(&self) -> bool {
        self.coverage().is_some_and(|coverage| coverage != Coverage::Whole)
    }

    /// The active conditions that are applied to the loaded rows because the dialect cannot send them, except
    /// those whose column has unmet prerequisites. For workergroups, all active ones.
    pub fn local_conditions(&self) -> Vec<&Condition> {
        match self.resource() {
            Resource::Workergroups => self.query.active().collect(),
            Resource::Offers | Resource::Volumes => self
                .query
                .applied_locally(self.dialect)
                .filter(|condition| self.need(condition.field).is_none())
                .collect(),
        }
    }

    /// Shows the columns `keys` in their order after the column `behind`, or after the first one if that is
    /// not shown. Those already shown stay in place, and the keys after them follow there; unknown keys are
    /// ignored.
    pub fn show_columns(&mut self, keys: &[&str], behind: &str) {
        let place = self.columns.iter().position(|field| field.key == behind);
        let mut index = place.map_or(self.columns.len().min(1), |index| index + 1);
        for key in keys {
            let shown = self.columns.iter().position(|field| field.key == *key);
            if let Some(shown) = shown {
                index = shown + 1;
            } else if let Some(field) = self.query.catalog().column(key) {
                self.columns.insert(index, field);
                index += 1;
            }
        }
    }

    /// Removes the columns with these keys from the table; other columns stay.
    pub fn hide_columns(&mut self, keys: &[&str]) {
        self.columns.retain(|field| !keys.contains(&field.key));
    }

    /// Whether the rows of the response were not in the requested order.
    pub(crate) fn is_unordered(&self) -> bool {
        self.check.is_unordered()
    }

    /// The storage in GB that the displayed prices include, and whether they are bourse's estimate, as the
    /// response was priced for another.
    pub fn storage(&self) -> (f64, bool) {
        let wanted = self.query.storage_gb();
        let is_estimate = self
            .listing()
            .is_some_and(|listing| listing.estimated_storage().is_some());
        (wanted, is_estimate)
    }

    /// The basis of prices: the job's bill, or else $/h as quoted, estimated for the chosen storage if the
    /// response was not priced for it.
    pub fn pricing(&self) -> Basis {
        let query = self.shown_query.as_ref().unwrap_or(&self.query);
        Basis {
            model: query.offer_type,
            gb: self.listing().and_then(Listing::estimated_storage),
            job: self.computed.job,
        }
    }

    /// The reason a row cannot do the job, serve the term or hold the wanted disk; `None` if it can.
    pub fn shortfall(&self, row: usize) -> Option<Shortfall> {
        let listing = self.listing().filter(|_| self.computed.is_unfit(row))?;
        let now = listing.read_at();
        if let Some(term) = &self.computed.term {
            return VolumePrices::new(listing).shortfall(row, term, now);
        }
        let pricing = self.pricing();
        let prices = Prices::new(listing, pricing.model);
        match &pricing.job {
            Some(job) => prices.shortfall(row, job, now),
            None => prices.disk_shortfall(row, self.wanted_disk()?),
        }
    }

    /// The disk in GB that offers must have, as chosen by the user; `None` if it is the default.
    fn wanted_disk(&self) -> Option<f64> {
        self.query
            .storage
            .filter(|gb| (gb - DEFAULT_STORAGE_GB).abs() > f64::EPSILON)
    }

    /// Recomputes the computed columns for the job, the term, the disk and the annotations, then the view.
    pub(super) fn revalue(&mut self) {
        let conditions: Vec<_> = self.local_conditions().into_iter().cloned().collect();
        let (pricing, disk) = (self.pricing(), self.wanted_disk());
        if let Some(listing) = &mut self.listing {
            match self.query.resource {
                Resource::Offers => self.computed.fill_for(listing, pricing, disk, &conditions),
                Resource::Volumes => self.computed.fill_volumes(listing),
                Resource::Workergroups => {}
            }
        }
        self.narrow();
    }

    /// Adjusts the prices to the chosen storage. Returns the price model, and the storage in GB if
    /// the response was priced for another; `None` before a response, and for rows that are no offers.
    pub(super) fn estimate_prices(&mut self) -> Option<(OfferType, Option<f64>)> {
        let asked = self.shown_query.as_ref()?;
        if self.resource() != Resource::Offers {
            return None;
        }
        let wanted = self.query.storage_gb();
        let estimate = self.check.storage_to_estimate(asked, self.dialect, wanted);
        let model = asked.offer_type;
        if let Some(listing) = &mut self.listing {
            listing.price_as(model);
            listing.estimate_storage(estimate);
        }
        Some((model, estimate))
    }

    /// Recomputes the view from local conditions, those being typed, words and order, finds the columns to
    /// reveal, and counts its rows on the Pareto front. An empty view without rows.
    pub(super) fn narrow(&mut self) {
        self.contents += 1;
        self.counted = None;
        let Some(listing) = &self.listing else {
            self.view.clear();
            self.visible_best = 0;
            return;
        };
        let conditions = self.local_conditions().into_iter().chain(&self.preview);
        let matching = listing.matching(conditions);
        let narrowed = row_filter::narrow(listing, matching, &self.words, &self.columns);
        self.revealed = narrowed.revealed;
        self.view = self.sorted(listing, narrowed.rows);
        self.visible_best = self.computed.count_best(&self.view);
    }

    /// Sorts the view by the query's order without filtering it again.
    pub(super) fn resort(&mut self) {
        if let Some(listing) = &self.listing {
            let view = self.view.clone();
            self.view = self.sorted(listing, view);
        }
    }

    /// Sorts row numbers by the query's order, volumes that are equal in it by disk speed, the fastest first; by number
    /// without an order or if its first column is blank. Rows not known to suit the job, the term or the chosen disk come
    /// last.
    fn sorted(&self, listing: &Listing, mut rows: Vec<u32>) -> Vec<u32> {
        let mut order = self.sorting_keys();
        if self.query.resource == Resource::Volumes && !order.is_empty() {
            let faster = self.query.catalog().column("nw_disk_avg_bw");
            order.extend(faster.map(|field| OrderKey {
                field,
                direction: Direction::Descending,
            }));
        }
        let first = order.first();
        if first.is_some_and(|key| !listing.column(key.field).is_blank()) {
            listing.sort(&mut rows, &order);
        } else {
            rows.sort_unstable();
        }
        // Whatever the order, rows that cannot serve the request come last.
        if self.computed.unfit() > 0 {
            rows.sort_by_key(|row| self.computed.fit(*row as usize));
        }
        rows
    }

    /// Number of rows of the view on the Pareto front of price against speed.
    pub const fn visible_best(&self) -> usize {
        self.visible_best
    }

    /// Number of rows of the view that are not known to suit the job, the term or the chosen disk; they come
    /// last.
    pub fn visible_unfit(&self) -> usize {
        let can = |row: &u32| !self.computed.is_unfit(*row as usize);
        self.view.len() - self.view.partition_point(can)
    }

    /// Whether the request body of the current query differs from that of the query `before`.
    pub(crate) fn asks_other_than(&self, before: &Query) -> bool {
        let body = |query: &Query| {
            let request = Request::Search(query.clone());
            wire::encode(&request, self.dialect()).body
        };
        body(&self.query) != body(before)
    }
}

/// Reads in advance the columns that a response needs soon: for its check, the market panel and the
/// words.
///
/// One pass over the records reads them all; separately, each would need a pass.
fn read_ahead(listing: &Listing) {
    const NEEDED: [&str; 4] = ["is_bid", "gpu_ids", "datacenter", "verified"];
    let catalog = listing.catalog();
    let needed = NEEDED.iter().filter_map(|key| catalog.by_key(key));
    listing.prepare(row_filter::searched(listing).chain(needed));
}
