//! A pane that searches for records and shows them as a table: the same for every resource.

mod arrival;
mod offered;
mod shown_rows;

use std::collections::BTreeSet;

pub use self::arrival::Arrival;
pub use self::offered::{OfferCounts, groupings};
use super::bar::Bar;
use super::computed_columns::ComputedColumns;
use super::remote::{Now, Remote, Ticket, Tickets};
use super::suggestions::Names;
use super::watch::Watch;
use crate::api::{ApiError, Request};
use crate::core::message::Effect;
use crate::domain::insight::{Coverage, coverage};
use crate::domain::plain::Settings;
use crate::domain::response_check::ResponseCheck;
pub use crate::domain::response_check::{Discrepancy, Violation};
use crate::domain::{Condition, Dialect, Field, Listing, Query, Resource, RowId, language, plain};

/// The state of one pane.
#[derive(Debug)]
pub struct Browser {
    pub query: Query,
    /// Words that filter the loaded rows, also while they are typed.
    pub words: Vec<String>,
    /// The words of the query last run.
    ran_words: Vec<String>,
    /// Conditions that filter the loaded rows while the plain words for them are typed.
    preview: Vec<Condition>,
    /// The line for editing the query.
    pub bar: Bar,
    pub columns: Vec<&'static Field>,
    /// Columns scrolled away at the left.
    pub column_offset: usize,
    pub marks: BTreeSet<RowId>,
    /// Values computed for each row, beside the record's own.
    pub computed: Box<ComputedColumns>,
    dialect: &'static Dialect,
    pub(crate) remote: Remote<Listing>,
    /// The query whose response is shown.
    pub(crate) shown_query: Option<Query>,
    pub(crate) asked_query: Option<Query>,
    /// Auto-refresh, while it is on.
    pub(crate) watch: Option<Box<Watch>>,
    /// When to request the market's own top rows in a new order.
    pub(crate) ask_order_at: Option<f64>,
    view: Vec<u32>,
    visible_best: usize,
    revision: u64,
    contents: u64,
    responses: u64,
    /// Columns in which the words were found, besides those the person has chosen.
    revealed: Vec<&'static Field>,
    pub(crate) names: Names,
    /// The row that the person selected, kept while it is filtered out.
    chosen: Option<RowId>,
    cursor: usize,
    pub(crate) check: ResponseCheck,
    /// The conditions before and after each [`Browser::jump_to`].
    pub(crate) jumps: Vec<(Vec<Condition>, Vec<Condition>)>,
    /// What the rows offer, counted on another thread, and the contents that were counted.
    counted_ahead: Option<(u64, OfferCounts)>,
}

impl Browser {
    /// A pane on `resource` with the default query.
    pub fn new(resource: Resource, dialect: &'static Dialect) -> Self {
        let query = language::default_query(resource, dialect);
        let mut browser = Self {
            words: Vec::new(),
            ran_words: Vec::new(),
            preview: Vec::new(),
            bar: Bar::default(),
            columns: resource.catalog().default_columns(),
            column_offset: 0,
            marks: BTreeSet::new(),
            computed: Box::default(),
            dialect,
            remote: Remote::default(),
            shown_query: None,
            asked_query: None,
            watch: None,
            ask_order_at: None,
            view: Vec::new(),
            visible_best: 0,
            revision: 0,
            contents: 0,
            responses: 0,
            revealed: Vec::new(),
            names: Names::default(),
            chosen: None,
            cursor: 0,
            check: ResponseCheck::default(),
            jumps: Vec::new(),
            counted_ahead: None,
            query,
        };
        browser.show_query_in_bar();
        browser
    }

    /// Changes whenever rows, their order or their prices do.
    pub const fn revision(&self) -> u64 {
        self.revision
    }

    /// Changes whenever rows or their prices do, but not with their order.
    pub const fn contents(&self) -> u64 {
        self.contents
    }

    /// How many responses were shown so far, this one included.
    pub const fn responses(&self) -> u64 {
        self.responses
    }

    /// How often the record of the search has grown: by responses, and by polls of another program.
    pub fn polls(&self) -> u64 {
        self.responses + self.watching().map_or(0, Watch::polls_read)
    }

    pub const fn resource(&self) -> Resource {
        self.query.resource
    }

    pub const fn dialect(&self) -> &'static Dialect {
        self.dialect
    }

    /// The newest response and request.
    pub const fn remote(&self) -> &Remote<Listing> {
        &self.remote
    }

    /// The loaded rows; [`Browser::view`] selects from them.
    pub const fn listing(&self) -> Option<&Listing> {
        self.remote.shown()
    }

    /// The query whose response is shown; the running one may be newer.
    pub const fn shown_query(&self) -> Option<&Query> {
        self.shown_query.as_ref()
    }

    /// Whether the rows answer an earlier query, because the request for the present one was cancelled
    /// or has failed.
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
        !self.remote.is_loading() && self.shown_query.as_ref().is_some_and(is_earlier)
    }

    /// The row numbers in display order.
    pub fn view(&self) -> &[u32] {
        &self.view
    }

    /// Columns to show besides the chosen ones: without them nobody would see where a word was
    /// found.
    pub fn revealed(&self) -> &[&'static Field] {
        &self.revealed
    }

    /// Conditions that the market ignored.
    pub fn violations(&self) -> &[Violation] {
        &self.check.violations
    }

    /// Other differences between request and response.
    pub fn discrepancies(&self) -> &[Discrepancy] {
        &self.check.discrepancies
    }

    /// The index of the selected row in the view.
    pub const fn cursor(&self) -> usize {
        self.cursor
    }

    pub fn selected(&self) -> Option<RowId> {
        self.listing()?.id(self.selected_row()?)
    }

    /// The selected row's number in the listing.
    pub fn selected_row(&self) -> Option<usize> {
        self.view.get(self.cursor).map(|row| *row as usize)
    }

    /// Whether the loaded rows are all that the market has for their query.
    pub fn coverage(&self) -> Option<Coverage> {
        let limit = self.shown_query.as_ref()?.limit;
        let listing = self.listing()?;
        Some(match self.resource() {
            // Their listing takes no limit.
            Resource::Workergroups => Coverage::Whole,
            Resource::Offers | Resource::Volumes => coverage(listing, limit),
        })
    }

    /// Whether the market may have more rows than it sent: the limit truncated the response.
    pub fn is_cut(&self) -> bool {
        self.coverage() == Some(Coverage::Cut)
    }

    /// Sends the search; what is shown stays until the response arrives. Visible price model
    /// columns are requested again with the rows, because they belong to the same query and moment.
    pub fn ask(&mut self, tickets: &mut Tickets, now: Now) -> Vec<Effect> {
        let ticket = tickets.take();
        let request = match self.resource() {
            Resource::Workergroups => Request::ListWorkergroups,
            Resource::Offers | Resource::Volumes => Request::Search(self.query.clone()),
        };
        let superseded = self.await_response(ticket, now);
        let mut effects: Vec<_> = superseded.map(Effect::Abort).into_iter().collect();
        effects.push(Effect::Call { ticket, request });
        if !self.computed.price_models.is_empty() {
            effects.extend(self.computed.price_models.ask(&self.query, tickets, now));
        }
        effects
    }

    /// Waits for the response to its search; returns the ticket of the request that it supersedes.
    pub(crate) fn await_response(&mut self, ticket: Ticket, now: Now) -> Option<Ticket> {
        self.asked_query = Some(self.query.clone());
        self.ask_order_at = None;
        self.remote.ask(ticket, now)
    }

    /// Whether the request under way is the one that would be sent now.
    pub fn is_asking_the_same(&self) -> bool {
        self.remote.is_loading() && self.asked_query.as_ref() == Some(&self.query)
    }

    pub fn cancel(&mut self) -> Option<Effect> {
        self.ask_order_at = None;
        self.remote.cancel().map(Effect::Abort)
    }

    pub fn dismiss(&mut self) {
        self.remote.dismiss();
    }

    /// Whether nothing has been requested yet.
    pub const fn is_untouched(&self) -> bool {
        self.listing().is_none() && !self.remote.is_loading() && self.remote.error().is_none()
    }

    /// Whether it waits for this response.
    pub fn awaits(&self, ticket: Ticket) -> bool {
        self.remote.awaited() == Some(ticket)
    }

    /// Records the progress of the request.
    pub fn progress(&mut self, ticket: Ticket, attempt: u32, wait: Option<super::remote::Waiting>) {
        self.remote.progress(ticket, attempt, wait);
    }

    /// Takes the response, if it is the awaited one.
    pub fn answered(&mut self, ticket: Ticket, answer: Result<Listing, ApiError>, now: Now) {
        let is_ok = answer.is_ok();
        if is_ok && self.awaits(ticket) {
            self.before_watched_answer(now);
        }
        if let Err(error) = &answer
            && self.awaits(ticket)
        {
            self.watch_failed(error, now);
        }
        let listing = answer.as_ref().ok();
        let starts_at_top = listing.is_some_and(|listing| self.starts_at_top(listing));
        if self.remote.accept(ticket, now, answer) && is_ok {
            self.responses += 1;
            if starts_at_top {
                self.go_to_top();
            }
            self.shown_query = self.asked_query.take();
            if let (Some(listing), Some(query)) = (self.remote.shown(), &self.shown_query) {
                self.check = ResponseCheck::of(listing, query, self.dialect);
            }
            self.remember_names();
            // Prices are compared as they are shown.
            self.reprice();
            self.after_watched_answer(now);
            self.revalue();
            self.schedule_order(now);
        }
    }

    /// The conditions applied locally because the dialect cannot send them, except those whose
    /// column has unmet prerequisites.
    pub fn local_conditions(&self) -> Vec<&Condition> {
        match self.resource() {
            Resource::Workergroups => self.query.active().collect(),
            Resource::Offers | Resource::Volumes => self
                .query
                .local(self.dialect)
                .filter(|condition| self.need(condition.field).is_none())
                .collect(),
        }
    }

    /// Shows the computed columns `keys` in their order after the column `behind`; those already
    /// shown keep their place.
    pub fn show_columns(&mut self, keys: &[&str], behind: &str) {
        let index = self.columns.iter().position(|field| field.key == behind);
        let mut index = index.map_or(self.columns.len().min(1), |index| index + 1);
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

    pub fn hide_columns(&mut self, keys: &[&str]) {
        self.columns.retain(|field| !keys.contains(&field.key));
    }

    /// Selects the row at an index of the view.
    pub fn select(&mut self, index: usize) {
        self.cursor = index.min(self.view.len().saturating_sub(1));
        self.chosen = self.selected();
    }

    /// Selects a row by its number in the listing.
    pub fn select_row(&mut self, row: u32) {
        if let Some(id) = self.listing().and_then(|listing| listing.id(row as usize)) {
            self.select_id(id);
        }
    }

    /// Selects a row by its id, once it is in the view.
    pub fn select_id(&mut self, id: RowId) {
        self.chosen = Some(id);
        self.follow_selection();
    }

    /// Whether the first row is selected: a person who has not moved down wants to see what comes
    /// first, rather than follow that row in a new order or response.
    pub(crate) fn is_at_top(&self) -> bool {
        self.cursor == 0 && self.chosen == self.selected()
    }

    /// Whether the awaited response to another search selects its first row: nothing else was
    /// selected, or what was is not among its rows.
    fn starts_at_top(&self, listing: &Listing) -> bool {
        let is_lost = self.chosen.is_none_or(|id| listing.row(id).is_none());
        self.asked_query != self.shown_query && (is_lost || self.is_at_top())
    }

    /// Selects the first row after the next [`Browser::rebuild`].
    pub(crate) const fn go_to_top(&mut self) {
        self.cursor = 0;
        self.chosen = None;
    }

    /// Whether the market ignored the requested order.
    pub(crate) fn is_unordered(&self) -> bool {
        self.check.is_unordered()
    }

    pub fn step(&mut self, by: isize) {
        self.select(self.cursor.saturating_add_signed(by));
    }

    /// Whether a row is marked: picked by the person, or part of a plan that is the cheapest as a whole.
    /// It is not told that another offer beats it.
    pub fn is_marked(&self, row: usize) -> bool {
        let id = self.listing().and_then(|listing| listing.id(row));
        id.is_some_and(|id| self.marks.contains(&id))
    }

    /// Marks or unmarks the selected row and goes to the next.
    pub(crate) fn mark(&mut self) {
        if let Some(id) = self.selected() {
            if !self.marks.remove(&id) {
                self.marks.insert(id);
            }
            self.step(1);
        }
    }

    /// Filters the loaded rows by words.
    pub fn set_words(&mut self, words: Vec<String>) {
        self.ran_words.clone_from(&words);
        self.words = words;
        self.rebuild();
    }

    /// Filters the loaded rows by words that were not run yet, and by the conditions that plain
    /// words mean.
    pub fn narrow_while_typing(&mut self, words: Vec<String>, preview: Vec<Condition>) {
        if self.words != words || self.preview != preview {
            self.words = words;
            self.preview = preview;
            self.rebuild();
        }
    }

    /// Restores the words of the query last run.
    pub fn restore_words(&mut self) {
        if self.words != self.ran_words || !self.preview.is_empty() {
            self.words.clone_from(&self.ran_words);
            self.preview.clear();
            self.rebuild();
        }
    }

    /// Sets another query with all its settings; the caller sends it.
    pub fn load(&mut self, query: Query, words: Vec<String>) {
        self.query = query;
        if self.computed.job.is_some() {
            self.computed.jobless_storage = self.query.storage;
        }
        self.take_disk_of_job();
        self.set_words(words);
        self.revalue();
        self.show_query_in_bar();
    }

    /// The marked rows: the visible ones in display order, then the others.
    pub fn marked_rows(&self) -> Vec<u32> {
        let Some(listing) = self.listing() else {
            return Vec::new();
        };
        if self.marks.is_empty() {
            return Vec::new();
        }
        let is_marked = |row: &u32| listing.id(*row as usize).is_some_and(|id| self.marks.contains(&id));
        let mut rows: Vec<u32> = self.view.iter().copied().filter(is_marked).collect();
        let seen: BTreeSet<u32> = rows.iter().copied().collect();
        let all = 0..u32::try_from(listing.len()).unwrap_or(u32::MAX);
        rows.extend(all.filter(|row| !seen.contains(row) && is_marked(row)));
        rows
    }

    /// The words of the query last run.
    pub fn ran_words(&self) -> &[String] {
        &self.ran_words
    }

    /// Puts the running query's text into the bar.
    pub fn show_query_in_bar(&mut self) {
        self.bar.input.set(self.query_text());
        self.bar.error = None;
    }

    /// The running conditions and words as text.
    pub fn query_text(&self) -> String {
        let conditions = language::print_briefly(&self.query.conditions);
        let words = self.ran_words.iter();
        let words = words.map(|word| plain::quoted(word, self.query.catalog(), self.dialect));
        let texts = std::iter::once(conditions).filter(|text| !text.is_empty());
        texts.chain(words).collect::<Vec<_>>().join(" ")
    }

    /// Takes conditions, words and settings from the bar; true if the market must be queried.
    /// Switched-off conditions are not in the bar: they stay, unless the bar repeats them.
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

    /// Takes a whole query from an editor; true if the market must be queried because the request
    /// would differ. Another order matters only if the limit truncates the response.
    pub fn apply(&mut self, query: Query, words: Vec<String>) -> bool {
        let before = Query {
            order: query.order.clone(),
            ..self.query.clone()
        };
        if self.is_at_top() {
            self.go_to_top();
        }
        // With a job there is one disk: changing the storage changes the job's.
        if let (Some(job), Some(gb)) = (&mut self.computed.job, query.storage)
            && query.storage != self.query.storage
        {
            job.disk_gb = gb;
        }
        self.query = query;
        let changed = self.asks_other_than(&before);
        self.ran_words.clone_from(&words);
        self.words = words;
        self.preview.clear();
        self.revalue();
        changed || self.remote.shown().is_none() || self.lacks_market_order()
    }

    /// The wire names of the columns, in order, to save them.
    pub fn column_keys(&self) -> Vec<&'static str> {
        self.columns.iter().map(|field| field.key).collect()
    }

    /// Shows the columns with these wire names; unknown names are ignored, and without any valid
    /// one the default columns are shown.
    pub fn set_column_keys<K: AsRef<str>>(&mut self, keys: &[K]) {
        let catalog = self.query.catalog();
        let mut columns: Vec<&'static Field> = Vec::new();
        for field in keys.iter().filter_map(|key| catalog.column(key.as_ref())) {
            if !columns.contains(&field) {
                columns.push(field);
            }
        }
        if columns.is_empty() {
            columns = catalog.default_columns();
        }
        self.columns = columns;
        self.column_offset = 0;
    }
}
