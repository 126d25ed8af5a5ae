//! A search without a screen: from its request to the rows, priced and sorted, and their output.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value as Json;

use super::args::RecordFormat;
use super::notes::{Answer, is_sorted_locally};
use super::output::{self, CliError, ProgressLine};
use super::table::View;
use super::wanted::{Wanted, annotations, is_sorted_here, request};
use crate::api::{ApiError, Progress, Reply, Request, Session, Wait};
use crate::domain::annotations::Annotations;
use crate::domain::cost::{Basis, Fit, Gap, Prices};
use crate::domain::format::{counted, grouped};
use crate::domain::insight::{Coverage, query_coverage};
use crate::domain::response_check::ResponseCheck;
use crate::domain::{Dialect, Field, Listing, OfferType, Query, Resource, format};
use crate::settings::Settings;
use crate::table::computed_columns::ComputedColumns;
use crate::table::price_models::PriceModelSearches;

/// A search's response, with prices and order as requested.
pub struct SearchResult {
    pub query: Query,
    pub listing: Box<Listing>,
    /// The rows that match, in order.
    pub rows: Vec<u32>,
    /// Number of rows at the end that do not suit the job.
    unfit: Fits,
    /// Whether the offers may be incomplete although all were to be loaded.
    pub is_incomplete: bool,
    pub check: ResponseCheck,
    pub computed: ComputedColumns,
    /// Whether the machines and hosts that the user banned are included.
    pub no_bans: bool,
}

/// The number of rows that do not suit a job.
#[derive(Debug, Clone, Copy)]
struct Fits {
    /// Rows with too little disk, time or speed.
    short: usize,
    /// Rows that do not report enough to decide.
    unknown: usize,
}

impl Fits {
    /// Counts the rows that do not suit the job, and those that do not report enough.
    fn count(rows: &[u32], computed: &ComputedColumns) -> Self {
        let count = |fit| rows.iter().filter(|row| computed.fit(**row as usize) == fit).count();
        Self {
            short: count(Fit::No),
            unknown: count(Fit::Unknown),
        }
    }
}

impl SearchResult {
    /// The rows that suit the job, in order; all without a job.
    pub fn suitable(&self) -> &[u32] {
        &self.rows[..self.rows.len() - self.unfit.short - self.unfit.unknown]
    }

    /// Recomputes the columns for another price basis; rows that do not suit its job move to the end.
    pub fn set_basis(&mut self, basis: Basis) {
        self.computed.job = basis.job;
        self.computed.fill_for(&mut self.listing, basis, None, &[]);
        self.rows.sort_by_key(|row| self.computed.fit(*row as usize));
        self.unfit = Fits::count(&self.rows, &self.computed);
    }

    /// Prints notes on stderr: skipped records, differences from the request, rows left out by limit or bans,
    /// unsuited rows, the unit of download speeds and missing throughputs; `unfit` describes how unsuited
    /// rows are shown.
    pub fn print_notes(&self, dialect: &'static Dialect, unfit: &str) {
        print_skipped(&self.listing);
        let answer = Answer {
            listing: &self.listing,
            query: &self.query,
            dialect,
            check: &self.check,
            rows: &self.rows,
        };
        answer.print();
        let hidden = self.listing.hidden();
        if hidden > 0 {
            output::note(&format!(
                "{} hidden by your bans (--no-bans shows them)",
                grouped(hidden)
            ));
        }
        let deadline = self.computed.job.and_then(|job| job.deadline);
        let late = deadline.map_or("", |_| "too late, ");
        let short = format!("{late}ending before the job, or without its disk");
        let unknown = "disk, speed or end unknown".to_owned();
        for (rows, why) in [(self.unfit.short, short), (self.unfit.unknown, unknown)] {
            if rows > 0 {
                let offers = format::counted(rows, "offer", "offers");
                output::note(&format!("{offers}, {unfit}: {why}"));
            }
        }
        if self.computed.job.is_some_and(|job| job.downloads()) {
            let speed = self.listing.transfer().symbol();
            output::note(&format!("download times assume that speeds are in {speed}"));
        }
        self.print_missing_rates();
    }

    /// Notes on stderr the GPU models without a configured throughput, the first 5 by name, if the job is
    /// given as work; nothing if all have one.
    fn print_missing_rates(&self) {
        /// Maximum number of models named.
        const NAMED: usize = 5;
        let Some((job, work)) = self.computed.job.and_then(|job| Some((job, job.work?))) else {
            return;
        };
        let prices = Prices::new(&self.listing, self.query.offer_type);
        let gaps = self.rows.iter().map(|row| prices.job_hours(*row as usize, &job));
        let models: Vec<String> = gaps
            .filter_map(|hours| match hours {
                Err(Gap::NoRate(_, model)) => Some(model),
                _ => None,
            })
            .collect();
        let names: BTreeSet<&String> = models.iter().collect();
        let lines: Vec<String> = names.iter().take(NAMED).map(|name| format!("\"{name}\" = N")).collect();
        if !lines.is_empty() {
            let more = names.len().saturating_sub(NAMED);
            let more = if more > 0 {
                format!(" and {more} more")
            } else {
                String::new()
            };
            output::note(&format!(
                "no hours for {}: add {}{more} to [throughput.\"{}\"] in the configuration",
                format::counted(models.len(), "offer", "offers"),
                lines.join(", "),
                work.unit.rate()
            ));
        }
    }
}

/// Sends a search and prepares its response: bans, prices and order. The intervals between requests that the
/// session has learned from refusals are saved, also after a failure.
///
/// # Errors
///
/// When a request fails, or its response has no records.
pub async fn load(settings: &Settings, session: &Session, wanted: Wanted) -> Result<SearchResult, CliError> {
    let bans = wanted.bans(settings);
    let listing = fetch(session, &request(&wanted.query, &bans, settings.dialect)).await;
    settings.keep_pacing(session);
    finish(settings, session, wanted, listing?).await
}

/// Prepares the records of a search: removes banned ones, fills the columns it needs, some of which take more
/// requests, and orders the rows as [`arranged`] does.
///
/// # Errors
///
/// When one of these requests fails.
pub async fn finish(
    settings: &Settings,
    session: &Session,
    wanted: Wanted,
    mut listing: Box<Listing>,
) -> Result<SearchResult, CliError> {
    let bans = wanted.bans(settings);
    bans.hide_banned(&mut listing);
    let price_models = if wanted.needs_price_models() {
        price_models(session, &wanted.query, &bans, settings.dialect).await?
    } else {
        PriceModelSearches::default()
    };
    Ok(arranged_with(settings, wanted, listing, price_models))
}

/// Runs the search with each of the three price models, one after another.
async fn price_models(
    session: &Session,
    query: &Query,
    bans: &Annotations,
    dialect: &'static Dialect,
) -> Result<PriceModelSearches, CliError> {
    let mut searches = PriceModelSearches::default();
    for model in OfferType::ALL {
        let query = Query {
            offer_type: model,
            ..query.clone()
        };
        let listing = fetch(session, &request(&query, bans, dialect)).await?;
        searches.set(model, *listing, query.limit);
    }
    Ok(searches)
}

/// Prepares a response: prices and order as requested, rows that do not suit the job last. Sends nothing.
pub fn arranged(settings: &Settings, wanted: Wanted, listing: Box<Listing>) -> SearchResult {
    arranged_with(settings, wanted, listing, PriceModelSearches::default())
}

/// Prepares a response as [`arranged`] does, with the responses of the other price models.
pub fn arranged_with(
    settings: &Settings,
    wanted: Wanted,
    mut listing: Box<Listing>,
    price_models: PriceModelSearches,
) -> SearchResult {
    let query = &wanted.query;
    let check = ResponseCheck::new(&listing, query, settings.dialect);
    listing.price_as(query.offer_type);
    if let Some(wanted) = query.storage {
        let estimate = check.storage_to_estimate(query, settings.dialect, wanted);
        listing.estimate_storage(estimate);
    }
    let computed = compute(&mut listing, &wanted, price_models, settings);
    let mut rows = rows(&listing, query, settings.dialect);
    if is_sorted_locally(&listing, query, settings.dialect, &check) {
        listing.sort(&mut rows, &query.order);
    }
    // Offers that end before the job or lack its disk, or do not report them, come last, as in the dashboard.
    rows.sort_by_key(|row| computed.fit(*row as usize));
    let unfit = Fits::count(&rows, &computed);
    let is_incomplete = wanted.all.is_some() && listing.known_coverage() != Some(Coverage::Whole);
    SearchResult {
        no_bans: wanted.no_bans,
        query: wanted.query,
        listing,
        rows,
        unfit,
        is_incomplete,
        check,
        computed,
    }
}

/// Prints a request as one curl command, with a reference in place of the key; nothing is sent. A note on
/// stderr if the command goes to a sandbox that ends with this process.
pub fn print_curl(settings: &Settings, session: &Session, request: &Request) -> Result<(), CliError> {
    let command = session.client().curl(request);
    if settings.is_sandbox() {
        output::note("this sandbox stops with the command; run bourse sandbox for one that stays up");
    }
    output::print(&format!("{command}\n"))
}

/// Sends a request for records and returns them, showing waits on a terminal; an error if it fails or its
/// reply has no records.
pub async fn fetch(session: &Session, request: &Request) -> Result<Box<Listing>, CliError> {
    Ok(reply(session, request).await?.into_records()?)
}

/// Sends a request and waits for its reply, showing progress and waits on a terminal; retried as the session
/// does.
pub async fn reply(session: &Session, request: &Request) -> Result<Reply, ApiError> {
    let mut line = ProgressLine::new();
    session
        .run(request, |progress| match progress {
            Progress::Waiting { span, why, .. } => {
                let (doing, why) = match &why {
                    Wait::Turn => ("sending", "rate limited"),
                    Wait::Fault(error) => ("retrying", error.headline()),
                };
                line.show(&format!("{doing} in {:.1} s: {why}", span.as_secs_f64()));
            }
            Progress::Sent { .. } => line.show(&format!("{} ...", request.operation().label())),
            Progress::Received(received) => {
                let (label, rows) = (request.operation().label(), grouped(received.rows));
                let size = format::size(received.bytes);
                line.show(&format!("{label}: {rows} rows, {size} so far"));
            }
            Progress::Tried(_) => line.clear(),
        })
        .await
}

/// Fills the computed columns that the search needs; none if neither flags, columns nor configuration ask for
/// any, or for workergroups.
fn compute(
    listing: &mut Listing,
    wanted: &Wanted,
    price_models: PriceModelSearches,
    settings: &Settings,
) -> ComputedColumns {
    let Wanted { query, job, .. } = wanted;
    let mut computed = ComputedColumns::for_job(*job);
    computed.term = wanted.term;
    computed.price_models = price_models;
    computed.throughput = Arc::new(settings.preferences.config.values.throughput.clone());
    let is_asked = job.is_some()
        || !wanted.additions.is_empty()
        || wanted.term.is_some()
        || computed.throughput.units().next().is_some()
        || wanted.fields().any(Field::is_computed);
    if !is_asked {
        return computed;
    }
    computed.annotations = Arc::new(annotations(settings));
    match query.resource {
        Resource::Offers => {
            let pricing = Basis {
                model: query.offer_type,
                gb: listing.estimated_storage(),
                job: *job,
            };
            let conditions: Vec<_> = query.applied_locally(settings.dialect).cloned().collect();
            computed.fill_for(listing, pricing, None, &conditions);
        }
        Resource::Volumes => computed.fill_volumes(listing),
        Resource::Workergroups => {}
    }
    computed
}

/// The indices of the rows that match the query, in the order to show. Conditions and orders that the market
/// cannot apply are applied here.
pub fn rows(listing: &Listing, query: &Query, dialect: &'static Dialect) -> Vec<u32> {
    let mut rows = listing.matching(query.applied_locally(dialect));
    if is_sorted_here(query, dialect) {
        listing.sort(&mut rows, &query.order);
    }
    rows
}

/// Notes on stderr the records that could not be read, at most 20 one by one, and the number of duplicates.
pub fn print_skipped(listing: &Listing) {
    const NAMED: usize = 20;
    for skipped in listing.skipped().iter().take(NAMED) {
        output::note(&format!("record {} skipped: {}", skipped.index, skipped.reason));
    }
    let more = listing.skipped().len().saturating_sub(NAMED);
    if more > 0 {
        output::note(&format!("{} skipped", counted(more, "more record", "more records")));
    }
    if listing.duplicates() > 0 {
        let records = counted(listing.duplicates(), "record", "records");
        output::note(&format!("{records} dropped: duplicate id"));
    }
}

/// The share of the market that a printed list has.
#[derive(Debug, Clone, Copy)]
pub struct Extent {
    /// Number of records that match, before `-n`.
    pub matches: usize,
    /// Whether the response had all records of the search.
    pub is_complete: bool,
}

impl Extent {
    /// The extent of a response: `matches`, the number of its records that match the query, and whether the
    /// market is known to have no more.
    pub fn new(listing: &Listing, query: &Query, matches: usize) -> Self {
        let is_complete = query_coverage(listing, query) == Coverage::Whole;
        Self { matches, is_complete }
    }
}

/// Prints rows in the format of `view`; in JSON each has bourse's member from `members` if there are any. A
/// note on stderr if a table is empty.
pub fn show(listing: &Listing, rows: &[u32], view: &View, members: &[Json], extent: Extent) -> Result<(), CliError> {
    match view.format {
        RecordFormat::Table => {
            output::print(&view.table(listing, rows))?;
            if rows.is_empty() {
                let nouns = listing.catalog().resource.nouns();
                output::note(&format!("no {nouns} match"));
            }
            Ok(())
        }
        RecordFormat::Csv => output::print(&view.csv(listing, rows)),
        RecordFormat::Json => output::print_json_pieces(view.json(listing, rows, members, extent)),
        RecordFormat::Jsonl => output::print_json_pieces(view.json_lines(listing, rows, members)),
    }
}
