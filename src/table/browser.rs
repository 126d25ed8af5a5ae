//! A pane that searches for records and shows them as a table, for every resource.

mod arrival;
mod recorded;

use std::collections::BTreeSet;
use std::ops::{Deref, DerefMut};

pub use self::arrival::{Arrival, Responses};
use self::recorded::RecordedRows;
use super::bar::Bar;
use super::remote::{Progress, Remote, Sending, Ticket, Tickets};
use super::rows::Rows;
use super::suggestions::Names;
use super::watch::Watch;
use crate::api::{ApiError, Request};
use crate::domain::insight::Coverage;
use crate::domain::plain::Settings;
pub use crate::domain::response_check::{Discrepancy, Violation};
use crate::domain::time::{MonotonicTime, Now};
use crate::domain::{Condition, Dialect, Listing, Query, Resource, RowId, format, language, plain};

/// The state of one pane: its search, its rows and the selection.
#[derive(Debug)]
pub struct Browser {
    pub(super) rows: Rows,
    /// The filter words of the query last run.
    ran_words: Vec<String>,
    /// The line for editing the query.
    pub bar: Bar,
    /// Number of columns scrolled away on the left.
    pub column_offset: usize,
    pub marks: BTreeSet<RowId>,
    /// The marks that were removed together last.
    pub(super) unmarked: BTreeSet<RowId>,
    pub(crate) remote: Remote<()>,
    pub(crate) asked_query: Option<Query>,
    /// Recorded rows shown until the reply; [`Rows::listing`] is `None` meanwhile.
    recorded: Option<Box<RecordedRows>>,
    /// The search whose recorded rows are awaited.
    recall: Option<(Ticket, Query)>,
    /// Auto-refresh; `None` while it is off.
    pub(crate) watch: Option<Box<Watch>>,
    /// The time at which to request the market's own top rows in a new order.
    pub(crate) ask_order_at: Option<MonotonicTime>,
    revision: u64,
    responses: u64,
    arrangements: u64,
    pub(crate) names: Names,
    /// The row that the user selected, stored while it is filtered out.
    chosen: Option<RowId>,
    cursor: usize,
    /// The conditions before and after each [`Browser::jump_to`].
    pub(crate) jumps: Vec<(Vec<Condition>, Vec<Condition>)>,
}

impl Deref for Browser {
    type Target = Rows;

    fn deref(&self) -> &Rows {
        &self.rows
    }
}

impl DerefMut for Browser {
    fn deref_mut(&mut self) -> &mut Rows {
        &mut self.rows
    }
}

impl Browser {
    /// A pane on `resource` with the default query and no rows.
    pub fn new(resource: Resource, dialect: &'static Dialect) -> Self {
        let mut browser = Self {
            rows: Rows::new(language::default_query(resource, dialect), dialect),
            ran_words: Vec::new(),
            bar: Bar::default(),
            column_offset: 0,
            marks: BTreeSet::new(),
            unmarked: BTreeSet::new(),
            remote: Remote::default(),
            asked_query: None,
            recorded: None,
            recall: None,
            watch: None,
            ask_order_at: None,
            revision: 0,
            responses: 0,
            arrangements: 0,
            names: Names::default(),
            chosen: None,
            cursor: 0,
            jumps: Vec::new(),
        };
        browser.show_query_in_bar();
        browser
    }

    /// A number that grows with each change of the rows, their order or their prices.
    pub const fn revision(&self) -> u64 {
        self.revision
    }

    /// Number of responses shown so far, including the current one.
    pub const fn responses(&self) -> u64 {
        self.responses
    }

    /// Number of changes of the search, the order or the job so far.
    ///
    /// After each, the table is drawn from its first row: where it was scrolled to means nothing among other
    /// rows.
    pub const fn arrangements(&self) -> u64 {
        self.arrangements
    }

    /// Counts a change of the search, the order or the job.
    pub(super) const fn count_arrangement(&mut self) {
        self.arrangements += 1;
    }

    /// Number of times the record of the search has grown since the start, by responses and by polls of other
    /// programs.
    pub fn polls(&self) -> u64 {
        self.responses + self.watching().map_or(0, Watch::polls_read)
    }

    /// The state of the newest request and its response, without the rows.
    pub const fn remote(&self) -> &Remote<()> {
        &self.remote
    }

    /// Whether the rows belong to an earlier query, which would request other rows than the current one;
    /// false without rows. The order is disregarded.
    pub fn shows_earlier_query(&self) -> bool {
        let is_earlier = |shown: &Query| {
            let (asked, now) = (&shown.conditions, &self.query.conditions);
            // Seldom, so that a frame need not write requests to compare them.
            let may_be = asked != now || shown.offer_type != self.query.offer_type;
            may_be
                && self.asks_other_than(&Query {
                    order: self.query.order.clone(),
                    ..shown.clone()
                })
        };
        self.shown_query().is_some_and(is_earlier)
    }

    /// The index of the selected row in the view, from 0; also 0 without rows.
    pub const fn cursor(&self) -> usize {
        self.cursor
    }

    /// The id of the selected row; `None` without rows, or while recorded rows are shown.
    pub fn selected(&self) -> Option<RowId> {
        self.listing()?.id(self.selected_row()?)
    }

    /// The selected row's number in the listing, not its place on screen; `None` without rows.
    pub fn selected_row(&self) -> Option<usize> {
        self.view().get(self.cursor).map(|row| *row as usize)
    }

    /// Registers the search as sent and returns the requests to send and to abort; the shown rows stay until
    /// the response arrives.
    ///
    /// If prices of the three price models are loaded, these are requested again with the rows, because they
    /// belong to the same query and moment.
    pub fn ask(&mut self, tickets: &mut Tickets, now: Now) -> Vec<Sending> {
        let ticket = tickets.take();
        let request = match self.resource() {
            Resource::Workergroups => Request::ListWorkergroups,
            Resource::Offers | Resource::Volumes => Request::Search(self.query.clone()),
        };
        let superseded = self.await_response(ticket, now);
        let mut requests: Vec<_> = superseded.map(Sending::Abort).into_iter().collect();
        requests.push(Sending::Send(ticket, request));
        if !self.computed.price_models.is_empty() {
            requests.extend(self.ask_price_models(tickets, now));
        }
        requests
    }

    /// Starts to await the response to the current query under `ticket`; returns the ticket of the request
    /// that it supersedes, `None` if none was in flight.
    pub(crate) fn await_response(&mut self, ticket: Ticket, now: Now) -> Option<Ticket> {
        self.asked_query = Some(self.query.clone());
        self.ask_order_at = None;
        self.remote.ask(ticket, now)
    }

    /// Whether a request is in flight that is identical to the one that would be sent now.
    pub fn is_asking_the_same(&self) -> bool {
        self.remote.is_loading() && self.asked_query.as_ref() == Some(&self.query)
    }

    /// Whether the awaited response is to another search than that of the shown rows, which then prove nothing.
    pub(super) fn awaits_other_rows(&self) -> bool {
        self.remote.is_loading() && self.asked_query.as_ref() != self.shown_query()
    }

    /// Stops waiting for the rows, which stay as they are, and drops a scheduled request for another order;
    /// returns the ticket to abort, `None` if no response is awaited.
    pub fn cancel(&mut self) -> Option<Ticket> {
        self.ask_order_at = None;
        self.remote.cancel()
    }

    /// Whether the newest request failed while older rows are shown.
    pub fn has_error_over_rows(&self) -> bool {
        self.remote.error().is_some() && self.displayed().listing().is_some()
    }

    /// Clears the error of the newest request; the rows stay.
    pub fn dismiss(&mut self) {
        self.remote.dismiss();
    }

    /// Whether nothing has been requested yet: no rows, no request in flight and no error.
    pub fn is_untouched(&self) -> bool {
        self.listing().is_none() && !self.remote.is_loading() && self.remote.error().is_none()
    }

    /// Whether the rows of the response to this ticket are awaited.
    pub fn awaits(&self, ticket: Ticket) -> bool {
        self.remote.awaited() == Some(ticket)
    }

    /// Records the progress of the awaited request; that of another ticket is ignored.
    pub fn progress(&mut self, ticket: Ticket, progress: Progress) {
        self.remote.progress(ticket, progress);
    }

    /// Stores the error of the awaited request, the rows stay; that of another ticket is ignored.
    pub(crate) fn failed(&mut self, ticket: Ticket, error: ApiError, now: Now) {
        self.remote.accept(ticket, now, Err(error));
    }

    /// Selects the row at an index of the view, the last row if the index is beyond it.
    pub fn select(&mut self, index: usize) {
        self.cursor = index.min(self.displayed().view().len().saturating_sub(1));
        self.chosen = self.displayed_id();
    }

    /// Selects a row by its number in the listing; nothing if there is no such row.
    pub fn select_row(&mut self, row: u32) {
        if let Some(id) = self.listing().and_then(|listing| listing.id(row as usize)) {
            self.select_id(id);
        }
    }

    /// Selects a row by its id; if it is filtered out, it is selected once it is in the view again.
    pub fn select_id(&mut self, id: RowId) {
        self.chosen = Some(id);
        self.follow_selection();
    }

    /// Whether the first row is selected, or none.
    ///
    /// A user who has not moved down wants to see the best row, rather than follow that row in a new order or
    /// response.
    pub(crate) fn is_at_top(&self) -> bool {
        self.cursor == 0 && self.chosen == self.displayed_id()
    }

    /// Whether the awaited response selects its first row: it is to another search, and the
    /// selected row was the first one or is not in the response.
    fn starts_at_top(&self, listing: &Listing) -> bool {
        self.asked_query.as_ref() != self.shown_query()
            && (self.chosen.is_none_or(|id| listing.row(id).is_none()) || self.is_at_top())
    }

    /// Drops the selection, so that the next [`Browser::rebuild`] selects the first row, and counts as a
    /// change of the search.
    pub(crate) const fn go_to_top(&mut self) {
        self.count_arrangement();
        self.cursor = 0;
        self.chosen = None;
    }

    /// Moves the selection by `by` rows, up if negative, and stops at the first and last row.
    pub fn step(&mut self, by: isize) {
        self.select(self.cursor.saturating_add_signed(by));
    }

    /// Filters the loaded rows by `words`, as the words of the query last run.
    pub fn set_words(&mut self, words: Vec<String>) {
        self.ran_words.clone_from(&words);
        self.words = words;
        self.rebuild();
    }

    /// Filters the loaded rows by words that are still being typed, and by the conditions `preview` of plain
    /// words. The words of the query last run are not replaced.
    pub fn narrow_while_typing(&mut self, words: Vec<String>, preview: Vec<Condition>) {
        if self.words != words || self.preview != preview {
            self.words = words;
            self.preview = preview;
            self.rebuild();
        }
    }

    /// Filters by the words of the query last run again, and drops the conditions previewed while typing.
    pub fn restore_words(&mut self) {
        if self.words != self.ran_words || !self.preview.is_empty() {
            self.rows.words.clone_from(&self.ran_words);
            self.preview.clear();
            self.rebuild();
        }
    }

    /// Sets another query with all its settings and its words, and shows it in the bar; the caller sends it.
    /// With a job, the storage stays that of the job.
    pub fn load(&mut self, query: Query, words: Vec<String>) {
        self.count_arrangement();
        self.query = query;
        if self.computed.job.is_some() {
            self.computed.jobless_storage = self.query.storage;
        }
        self.take_disk_of_job();
        self.set_words(words);
        self.revalue();
        self.show_query_in_bar();
    }

    /// The filter words of the query last run.
    pub fn ran_words(&self) -> &[String] {
        &self.ran_words
    }

    /// A short name of the search: `4090 Europe`, from its conditions on model, count and place, or else from
    /// all others. Empty if all conditions are defaults.
    pub fn name(&self) -> String {
        let dialect = self.dialect();
        let defaults = language::default_conditions(self.query.catalog(), dialect);
        let chosen = self.query.active().filter(|own| !defaults.contains(own));
        // The disk and the like are in the search, not in its name, unless there is nothing else.
        let (names, others): (Vec<_>, Vec<_>) =
            chosen.partition(|own| ["gpu_name", "num_gpus", "geolocation"].contains(&own.field.key));
        let used = if names.is_empty() { others } else { names };
        let words = used.into_iter().map(|own| language::describe_condition(own, dialect));
        words.collect::<Vec<_>>().join(" ").replace("RTX ", "")
    }

    /// Puts the running query's text into the bar and clears the bar's error.
    pub fn show_query_in_bar(&mut self) {
        self.bar.input.set(self.query_text());
        self.bar.error = None;
    }

    /// The active conditions and filter words of the running query, as text in the query language.
    pub fn query_text(&self) -> String {
        let conditions = language::print_briefly(&self.query.conditions);
        let ran = self.ran_words.iter();
        let words = ran.map(|word| plain::quoted(word, self.query.catalog(), self.dialect()));
        let texts = std::iter::once(conditions).filter(|text| !text.is_empty());
        texts.chain(words).collect::<Vec<_>>().join(" ")
    }

    /// Sets conditions, words and settings (limit, price model, storage, order) from the bar; true if the
    /// market must be queried. Settings that are not given stay.
    ///
    /// Disabled conditions are not in the bar: they stay, unless the bar has one on the same field and
    /// operator.
    pub fn take_query(&mut self, mut conditions: Vec<Condition>, words: Vec<String>, settings: &Settings) -> bool {
        let is_said = |kept: &Condition| {
            let same = |new: &Condition| new.field == kept.field && new.operator == kept.operator;
            conditions.iter().any(same)
        };
        let switched_off: Vec<_> = self
            .query
            .conditions
            .iter()
            .filter(|kept| !kept.enabled && !is_said(kept))
            .cloned()
            .collect();
        conditions.extend(switched_off);
        let mut query = Query {
            conditions,
            limit: settings.limit.or(self.query.limit),
            offer_type: settings.offer_type.unwrap_or(self.query.offer_type),
            storage: settings.storage.or(self.query.storage),
            ..self.query.clone()
        };
        if let Some(order) = &settings.order {
            query.order.clone_from(order);
        }
        self.apply(query, words)
    }

    /// Replaces the query and its words; true if the market must be queried: the request differs in more than
    /// its order, there are no rows, or the limit truncated them and the market did not sort by the new
    /// order. With a job, another storage becomes its disk.
    pub fn apply(&mut self, query: Query, words: Vec<String>) -> bool {
        let before = Query {
            order: query.order.clone(),
            ..self.query.clone()
        };
        if self.is_at_top() {
            self.go_to_top();
        }
        // With a job there is one disk: changing the storage changes the job's.
        let is_other_disk = query.storage != self.query.storage;
        if let (Some(job), Some(gb), true) = (&mut self.computed.job, query.storage, is_other_disk) {
            job.disk_gb = gb;
        }
        self.count_arrangement();
        self.query = query;
        let changed = self.asks_other_than(&before);
        self.ran_words.clone_from(&words);
        self.words = words;
        self.preview.clear();
        self.revalue();
        changed || self.listing().is_none() || self.lacks_market_order()
    }

    /// Filters and sorts the loaded rows again by local conditions, words and order, and so the recorded rows
    /// on screen, if any; the selection follows its row.
    pub fn rebuild(&mut self) {
        self.revision += 1;
        self.rows.narrow();
        self.rearrange_recorded();
        self.follow_selection();
    }

    /// Sorts the view again without filtering, and the recorded rows on screen, if any; the selection follows
    /// its row.
    pub(crate) fn resort(&mut self) {
        self.revision += 1;
        self.rows.resort();
        self.rearrange_recorded();
        self.follow_selection();
    }

    /// Adjusts the prices to the chosen storage, fills the computed columns again, and filters and sorts the
    /// view; the selection follows its row. Called after rows, prices, the job or local conditions have
    /// changed.
    pub fn revalue(&mut self) {
        self.adjust_prices();
        self.rows.revalue();
        self.rearrange_recorded();
        self.revision += 1;
        self.follow_selection();
    }

    /// Adjusts the prices of the rows to the chosen storage, including those of the earlier responses that
    /// auto-refresh compares with; nothing before a response, and for rows that are no offers.
    pub(crate) fn adjust_prices(&mut self) {
        let Some((model, gb)) = self.rows.estimate_prices() else {
            return;
        };
        for listing in self.watch.iter_mut().flat_map(|watch| watch.kept_mut()) {
            listing.price_as(model);
            listing.estimate_storage(gb);
        }
    }

    /// Fills computed columns of the loaded rows, given by key with a value for each row, and rebuilds the
    /// view; nothing without rows.
    pub(crate) fn set_columns<'k>(&mut self, columns: impl IntoIterator<Item = (&'k str, Vec<Option<f64>>)>) {
        if let Some(listing) = self.rows.listing_mut() {
            listing.set_columns(columns);
            self.rebuild();
        }
    }

    /// Moves the cursor to the selected row; if that is not in the view, the cursor stays at its place, or at
    /// the last row. If no row is selected, the one at the cursor is. Nothing before a response.
    pub(super) fn follow_selection(&mut self) {
        let rows = self.displayed();
        let Some(listing) = rows.listing() else {
            return;
        };
        let index = self.chosen.and_then(|id| {
            let row = u32::try_from(listing.row(id)?).ok()?;
            rows.view().iter().position(|candidate| *candidate == row)
        });
        self.cursor = index.unwrap_or_else(|| self.cursor.min(rows.view().len().saturating_sub(1)));
        if self.chosen.is_none() {
            self.chosen = self.displayed_id();
        }
    }

    /// The number of rows and whether they are complete: `All 57 offers`, `First 500 offers, more exist`, `50
    /// offers received, more may exist`; `57 offers of an earlier query` if they are.
    pub fn count_label(&self) -> String {
        let rows = self.listing().map_or(0, Listing::len);
        let resource = self.resource();
        let offers = format::counted(rows, resource.noun(), resource.nouns());
        if self.shows_earlier_query() {
            format!("{offers} of an earlier query")
        } else {
            match self.coverage() {
                Some(Coverage::Whole) => format!("All {offers}"),
                Some(Coverage::Cut) => format!("First {offers}, more exist"),
                Some(Coverage::Unknown) | None => format!("{offers} received, more may exist"),
            }
        }
    }
}
