//! The requests of this run of the program: the filters of their list, the route runs that are
//! folded into rows, and the requests resent from here.
//!
//! A resent request uses the same paced client as all others. Its response becomes an entry of the
//! ledger only, and changes no rows of other panes.

pub mod body_editor;
pub mod request;
mod runs;
mod send;
mod show;
pub mod view;

pub use self::runs::RouteRun;
use self::runs::Runs;
use crate::api::Operation;
use crate::api::ledger::{Ledger, LedgerEntry};
use crate::core::feature::{Event, Feature, FeatureState};
use crate::core::message::News;
use crate::core::state::State;
use crate::core::view::Cx;
use crate::domain::time::MonotonicTime;
use crate::keys::pane::Pane;
use crate::table::remote::{Progress, Ticket, Waiting};
use crate::tui::text_input::TextInput;

pub(crate) const FEATURE: Feature = Feature {
    state: |_| Some(Box::new(Requests::default())),
    event: |cx, event| match event {
        Event::Recorded { ticket, dropped } => recorded(cx, *ticket, dropped),
        Event::PaneOpened => cx.feature::<Requests>().opened = None,
        Event::Listed(..)
        | Event::Wrote(..)
        | Event::Looked { .. }
        | Event::Woken { .. }
        | Event::Read(..)
        | Event::Restored(_) => {}
    },
    ..Feature::IDLE
};

impl FeatureState for Requests {
    fn stays(&mut self) -> bool {
        self.forget_flights();
        true
    }
}

impl Requests {
    /// The requests' part of the dashboard's state.
    pub fn read(state: &State) -> &Self {
        state.feature()
    }
}

pub use self::send::{check_address, editable, resend, resendable};
pub(crate) use self::show::{copy_items, export_content};

/// The kind of requests that the list shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Filter {
    #[default]
    All,
    Reads,
    Writes,
    /// Requests to the routing endpoint.
    Route,
    Errors,
}

impl Filter {
    /// All filters, in their order on the screen.
    pub const ALL: [Self; 5] = [Self::All, Self::Reads, Self::Writes, Self::Route, Self::Errors];

    /// The name on the screen of this filter of requests.
    pub const fn title(self) -> &'static str {
        match self {
            Self::All => "All",
            Self::Reads => "Reads",
            Self::Writes => "Writes",
            Self::Route => "Route",
            Self::Errors => "Errors",
        }
    }

    /// Whether the filter shows a request. A route request is no write, and a cancelled one no error.
    pub fn admits(self, entry: &LedgerEntry) -> bool {
        let is_route = entry.operation == Operation::Route;
        match self {
            Self::All => true,
            Self::Reads => entry.operation.is_read(),
            Self::Writes => !is_route && !entry.operation.is_read(),
            Self::Route => is_route,
            Self::Errors => entry.is_failed(),
        }
    }
}

/// A row of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Row {
    /// The request with this number in the ledger.
    Request(u64),
    /// The route run with this number, with all its requests in one row.
    Run(u64),
}

/// A resent request in flight.
#[derive(Debug)]
pub struct Flight {
    ticket: Ticket,
    /// The number of the entry that it repeats or changes.
    from: u64,
    pub operation: Operation,
    /// The time it was sent.
    pub since: MonotonicTime,
    /// The number of the attempt, from 1.
    pub attempt: u32,
    /// The wait before it is sent; `None` if it is sent.
    pub waiting: Option<Waiting>,
}

/// The list of requests, and the resent ones in flight.
#[derive(Debug, Default)]
pub struct Requests {
    pub search: TextInput,
    /// The number of the request that is open in a view of its own.
    pub opened: Option<u64>,
    filter: Filter,
    /// Numbers of the entries that match filter and search, oldest first.
    matching: Vec<u64>,
    runs: Runs,
    rows: Vec<Row>,
    /// The selected row; `None` follows the latest until the user moves.
    selected: Option<Row>,
    flights: Vec<Flight>,
}

impl Requests {
    /// Drops the resent requests in flight, after a switch to another market; they are not aborted here.
    pub(crate) fn forget_flights(&mut self) {
        self.flights.clear();
    }

    /// The rows of the list of requests, latest first; a folded route run is one row.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Number of requests that match the filter and the search, including those of folded runs.
    pub const fn count(&self) -> usize {
        self.matching.len()
    }

    /// The selected filter of the list of requests.
    pub const fn filter(&self) -> Filter {
        self.filter
    }

    /// The route run with a number; `None` if none of its requests is in the ledger.
    pub fn run(&self, number: u64) -> Option<&RouteRun> {
        self.runs.get(number)
    }

    /// The number of a request's route run; `None` for other requests.
    pub fn run_of(&self, request: u64) -> Option<u64> {
        self.runs.number_of(request)
    }

    /// Whether a request is listed below the row of its route run: a run of several requests that is
    /// unfolded.
    pub fn is_unfolded(&self, request: u64) -> bool {
        let run = self.runs.run_of(request);
        run.is_some_and(|run| run.is_folding() && run.is_unfolded)
    }

    /// The index of the selection in the list; 0 before the user has moved.
    ///
    /// If the selected row is filtered out or dropped, its run or else the next older row takes its place;
    /// the last row if there is none.
    pub fn cursor(&self) -> usize {
        let Some(selected) = self.selected else {
            return 0;
        };
        let line = |wanted: Row| self.rows.iter().position(|row| *row == wanted);
        let number = match selected {
            Row::Request(number) => number,
            Row::Run(run) => self.runs.get(run).map_or(0, |run| run.newest),
        };
        let folded = || line(Row::Run(self.runs.run_of(number)?.number));
        let older = || {
            let numbers = |row: &Row| self.number(*row).is_some_and(|sent| sent <= number);
            self.rows.iter().position(numbers)
        };
        line(selected)
            .or_else(folded)
            .or_else(older)
            .unwrap_or(self.rows.len().saturating_sub(1))
    }

    /// The number in the ledger of a row's request; for a run, of its latest one. `None` for a run that is
    /// gone.
    fn number(&self, row: Row) -> Option<u64> {
        match row {
            Row::Request(number) => Some(number),
            Row::Run(run) => self.runs.get(run).map(|run| run.newest),
        }
    }

    /// The row at the cursor; `None` in an empty list.
    pub fn selected(&self) -> Option<Row> {
        self.rows.get(self.cursor()).copied()
    }

    /// The number of the request that an action applies to: the open one, or else that of the selected row
    /// (of a run, its latest one). `None` if none is open and the list is empty.
    pub fn subject(&self) -> Option<u64> {
        self.opened.or_else(|| self.selected().and_then(|row| self.number(row)))
    }

    /// Selects the row at an index, at most the last.
    pub fn select(&mut self, line: usize) {
        self.selected = self.rows.get(line.min(self.rows.len().saturating_sub(1))).copied();
    }

    /// Moves the selection by rows, up to the ends of the list.
    pub fn step(&mut self, by: isize) {
        self.select(self.cursor().saturating_add_signed(by));
    }

    /// Moves to the next row in direction `by` (1 or -1) that is a single request, passing runs; returns its
    /// number, or `None` at the end, where the selection stays.
    pub fn step_request(&mut self, by: isize) -> Option<u64> {
        let mut line = self.cursor();
        loop {
            line = line.checked_add_signed(by)?;
            if let Row::Request(number) = *self.rows.get(line)? {
                self.select(line);
                return Some(number);
            }
        }
    }

    /// Shows or hides the requests of a route run below its row, and selects that row; nothing for an unknown
    /// run.
    pub fn toggle_run(&mut self, number: u64) {
        if let Some(run) = self.runs.get_mut(number) {
            run.is_unfolded = !run.is_unfolded;
            self.selected = Some(Row::Run(number));
            self.rebuild_rows();
        }
    }

    /// Selects the filter and applies it.
    pub fn set_filter(&mut self, filter: Filter, ledger: &Ledger) {
        self.filter = filter;
        self.narrow(ledger);
    }

    /// Applies filter and search to all requests of the ledger and rebuilds the rows.
    pub fn narrow(&mut self, ledger: &Ledger) {
        let words = self.search_words();
        self.matching = ledger
            .numbered()
            .filter(|(_, entry)| self.filter.admits(entry) && contains_words(entry, &words))
            .map(|(number, _)| number)
            .collect();
        self.matching.reverse();
        self.rebuild_rows();
    }

    /// The words in the search field of the list of requests, in lower case.
    fn search_words(&self) -> Vec<String> {
        let text = self.search.text().to_lowercase();
        text.split_whitespace().map(str::to_owned).collect()
    }

    /// Builds the rows from the matches, latest first. A run of several requests is in the place of its
    /// latest match; its matches, that one too, follow it only if it is unfolded.
    fn rebuild_rows(&mut self) {
        let mut seen = Vec::new();
        self.rows.clear();
        for number in self.matching.iter().rev() {
            match self.runs.run_of(*number).filter(|run| run.is_folding()) {
                None => self.rows.push(Row::Request(*number)),
                Some(run) if !seen.contains(&run.number) => {
                    seen.push(run.number);
                    self.rows.push(Row::Run(run.number));
                    if run.is_unfolded {
                        let belongs = |number: &&u64| self.runs.number_of(**number) == Some(run.number);
                        let of_run = self.matching.iter().rev().filter(belongs);
                        self.rows.extend(of_run.map(|number| Row::Request(*number)));
                    }
                }
                Some(_) => {}
            }
        }
    }

    /// The resent requests that have no response yet.
    pub fn flights(&self) -> &[Flight] {
        &self.flights
    }

    /// Drops the resent requests in flight; returns their tickets, for the caller to abort.
    pub fn cancel(&mut self) -> Vec<Ticket> {
        let flights = std::mem::take(&mut self.flights);
        flights.into_iter().map(|flight| flight.ticket).collect()
    }
}

/// Whether a request contains all `words` (in lower case), in the texts of the list or in the body that was
/// sent; true without words.
fn contains_words(entry: &LedgerEntry, words: &[String]) -> bool {
    if words.is_empty() {
        return true;
    }
    let text = format!(
        "{} {} {} {} {} {}",
        entry.operation.label(),
        entry.method.name(),
        entry.url,
        entry.status_words(),
        entry.error.as_deref().unwrap_or_default(),
        entry.request_body().unwrap_or_default()
    )
    .to_lowercase();
    words.iter().all(|word| text.contains(word))
}

/// Adds the latest entry of the ledger to its route run and, if it matches filter and search, to the list of
/// requests; removes the `dropped` ones.
///
/// The selection stays in its place.
fn recorded(cx: &mut Cx<'_>, ticket: Option<Ticket>, dropped: &[u64]) {
    let state = cx.state();
    let number = state.ledger.total();
    let Some(entry) = state.ledger.get(number).cloned() else {
        return;
    };
    let follows = |ticket| {
        state
            .features
            .iter()
            .find_map(|feature| (feature.run_of)(state, ticket))
    };
    // A request that is aborted when its run stops is already missing from the run's tickets.
    let run = ticket
        .filter(|_| entry.operation == Operation::Route)
        .map(|ticket| follows(ticket).or_else(|| Requests::read(state).runs.latest()));
    let is_open = state.pane == Pane::Requests;
    let requests: &mut Requests = cx.feature();
    if is_open && requests.selected.is_none() {
        requests.selected = requests.selected();
    }
    let is_shown = requests.filter.admits(&entry) && contains_words(&entry, &requests.search_words());
    if let Some(run) = run.flatten() {
        requests.runs.add(run, number, &entry);
    }
    requests.runs.forget(dropped);
    requests.matching.retain(|own| !dropped.contains(own));
    if is_shown {
        requests.matching.push(number);
    }
    if is_shown || !dropped.is_empty() {
        requests.rebuild_rows();
    }
}

/// Handles the progress of a resent request, or its response with a toast, an error with its message; the
/// attempt has been recorded already.
fn on_news(cx: &mut Cx<'_>, ticket: Ticket, news: News) {
    let flights = &mut cx.feature::<Requests>().flights;
    let Some(index) = flights.iter().position(|flight| flight.ticket == ticket) else {
        return;
    };
    if let News::Progress(Progress::Attempt { number, waiting }) = news {
        flights[index].attempt = number;
        flights[index].waiting = waiting;
        return;
    }
    let News::Reply(response) = news else { return };
    let label = flights.remove(index).operation.label();
    match *response {
        Ok(_) => cx.toast(format!("Response received: {label}")),
        Err(error) => cx.complain(format!("{label}: {error}")),
    }
}
