//! `bourse offers` and `bourse volumes`: a search, and its records as text.

use std::io::Read as _;
use std::sync::Arc;

use super::args::{Format, OffersArguments, SearchArguments, VolumesArguments};
use super::notes::{self, Answer};
use super::output::{self, CliError, ProgressLine};
use super::settings::Settings;
use super::table::{Priced, View};
use crate::api::{ApiError, Progress, Reply, Request, Session, Wait};
use crate::app::column_prerequisites::Need;
use crate::app::computed_columns::ComputedColumns;
use crate::domain::annotations::Annotations;
use crate::domain::cost::{Basis, Job};
use crate::domain::format::{self, grouped};
use crate::domain::language::{self, Mode};
use crate::domain::plain::{self, Reading};
use crate::domain::response_check::ResponseCheck;
use crate::domain::throughput::Throughput;
use crate::domain::{
    Condition, Dialect, Listing, OfferType, Operand, Operator, Query, Resource, Value,
};

/// The maximum length of a query on standard input, in bytes.
const LONGEST_QUERY: u64 = 64 * 1024;

pub async fn offers(settings: &Settings, arguments: &OffersArguments) -> Result<(), CliError> {
    let dialect = settings.dialect;
    let mut wanted = wanted(
        settings,
        Resource::Offers,
        &arguments.search,
        arguments.no_default,
        arguments.job,
    )?;
    let query = &mut wanted.query;
    query.conditions.extend(switches(arguments, dialect)?);
    query.unbundled = arguments.disable_bundling;
    if let Some(offer_type) = arguments.offer_type {
        query.offer_type = offer_type;
    }
    if let Some(gigabytes) = arguments.storage {
        query.storage = Some(gigabytes);
        if let Some(job) = &mut wanted.job {
            job.disk_gb = gigabytes;
        }
    }
    search(settings, &arguments.search, wanted).await
}

pub async fn volumes(settings: &Settings, arguments: &VolumesArguments) -> Result<(), CliError> {
    let wanted = wanted(
        settings,
        Resource::Volumes,
        &arguments.search,
        arguments.no_default,
        None,
    )?;
    search(settings, &arguments.search, wanted).await
}

/// The conditions of `--vcpus` and `--datacenter`. They are filters of the market: where its
/// dialect cannot send them they are rejected, not applied to whatever part of the market was
/// returned.
fn switches(
    arguments: &OffersArguments,
    dialect: &'static Dialect,
) -> Result<Vec<Condition>, CliError> {
    if arguments.disable_bundling && dialect.bundling_parameter.is_none() {
        return Err(CliError::Usage(format!(
            "--disable-bundling: the dialect '{}' has no parameter for it",
            dialect.name
        )));
    }
    let cores = arguments
        .vcpus
        .map(|count| ("cpu_cores", Operator::Gte, Value::Number(count.into())));
    let datacenter =
        arguments
            .datacenter
            .then_some(("datacenter", Operator::Eq, Value::Flag(true)));
    let mut conditions = Vec::new();
    for (key, operator, value) in cores.into_iter().chain(datacenter) {
        let Some(field) = Resource::Offers.catalog().by_key(key) else {
            continue;
        };
        let condition = Condition::new(field, operator, Operand::One(value));
        if !dialect.sends(field) {
            let flag = if key == "cpu_cores" { "vcpus" } else { key };
            return Err(CliError::Usage(format!(
                "--{flag}: the dialect '{}' has no parameter for it. Use the condition {} instead: \
                 it is applied to the offers received",
                dialect.name,
                language::print_condition(&condition)
            )));
        }
        conditions.push(condition);
    }
    Ok(conditions)
}

/// A search, and the job that a flag or its plain words describe.
#[derive(Clone)]
pub struct Wanted {
    pub query: Query,
    pub job: Option<Job>,
    /// Whether banned machines and hosts are included.
    no_bans: bool,
}

impl Wanted {
    /// The bans that apply.
    pub fn bans(&self, settings: &Settings) -> Annotations {
        if self.no_bans {
            return Annotations::default();
        }
        settings.annotations()
    }
}

/// The request for a query without what is banned, as far as the market takes that.
pub fn request(query: &Query, bans: &Annotations, dialect: &'static Dialect) -> Request {
    let mut query = query.clone();
    query.conditions.extend(bans.conditions(&query, dialect));
    Request::Search(query)
}

/// The query from words and flags; flags count more than plain words.
pub fn query(
    settings: &Settings,
    resource: Resource,
    arguments: &SearchArguments,
    no_default: bool,
) -> Result<Query, CliError> {
    wanted(settings, resource, arguments, no_default, None).map(|wanted| wanted.query)
}

/// The query from words and flags, and the job that the words describe.
pub fn wanted(
    settings: &Settings,
    resource: Resource,
    arguments: &SearchArguments,
    no_default: bool,
    job: Option<Job>,
) -> Result<Wanted, CliError> {
    let (dialect, throughput) = (settings.dialect, &settings.preferences.config.throughput);
    let mut query = language::default_query(resource, dialect);
    if no_default {
        query.conditions.clear();
    }
    let text = text(&arguments.query)?;
    let reading = plain::read(&text, query.catalog(), dialect, &plain::Names::default());
    query.conditions = conditions(&reading, &text, &query, dialect)?;
    if !reading.is_empty() {
        output::tell(&format!("understood: {}", reading.text()));
    }
    let words = &reading.settings;
    query.offer_type = words.offer_type.unwrap_or(query.offer_type);
    query.storage = words.storage.or(query.storage);
    query.limit = words.limit.or(query.limit);
    if let Some(job) = job {
        // As in the dashboard, the job's disk is the storage that prices include.
        query.storage = Some(job.disk_gb);
    }
    let has_words = words.job.is_job();
    let job = job.or_else(|| has_words.then(|| words.job.over(None, query.storage)));
    if let Some(order) = &words.order {
        query.order.clone_from(order);
    }
    if let Some(order) = &arguments.order {
        query.order = language::parse_order(order, query.catalog())
            .map_err(|error| CliError::Usage(format!("in the order:\n{}", error.render(order))))?;
    }
    check_needs(&query, job.is_some(), throughput)?;
    query.limit = match arguments.limit {
        Some(0) => None,
        Some(limit) => Some(limit),
        None => query.limit,
    };
    Ok(Wanted {
        query,
        job,
        no_bans: arguments.no_bans,
    })
}

/// Rejects conditions and orders on columns that need an input which a command cannot have.
fn check_needs(query: &Query, has_job: bool, throughput: &Throughput) -> Result<(), CliError> {
    let ordered = query.order.iter().map(|key| key.field);
    let fields = query
        .active()
        .map(|condition| condition.field)
        .chain(ordered);
    for field in fields {
        let need = Need::of(field).filter(|need| match need {
            Need::Job => !has_job,
            Need::Throughput(unit) => throughput.models(*unit) == 0,
            Need::Term | Need::ThreePrices => true,
        });
        if let Some(need) = need {
            let (key, words) = (field.key, need.words());
            let message = if need == Need::Job {
                format!("{key} needs {words}: add --job, e.g. --job 3d,200GB")
            } else {
                format!("{key} needs {words}: run bourse and {}", need.remedy())
            };
            return Err(CliError::Usage(message));
        }
    }
    Ok(())
}

/// The words of a query as one text; `-` reads standard input.
fn text(words: &[String]) -> Result<String, CliError> {
    let mut words = words.to_vec();
    if let Some(word) = words.iter_mut().find(|word| *word == "-") {
        word.clear();
        std::io::stdin()
            .lock()
            .take(LONGEST_QUERY)
            .read_to_string(word)
            .map_err(|error| CliError::Failed(format!("can't read standard input: {error}")))?;
        word.truncate(word.trim_end().len());
    }
    Ok(words.join(" "))
}

/// The conditions of a text with its plain words read, laid over those of a query.
pub fn conditions(
    reading: &Reading,
    text: &str,
    query: &Query,
    dialect: &'static Dialect,
) -> Result<Vec<Condition>, CliError> {
    if let Some(own) = reading.settings.cluster {
        let (machines, gpus) = (own.machines, own.gpus_each);
        return Err(CliError::Usage(format!(
            "{machines} machines of {gpus} GPUs are for the planner: bourse plan {machines}x{gpus} and the other words"
        )));
    }
    reading
        .parse(query.catalog(), dialect, &query.conditions, Mode::Strict)
        .map(|parsed| parsed.conditions)
        .map_err(|error| CliError::Usage(format!("in the query:\n{}", error.render(text))))
}

/// The response to a search, its prices and its order as requested.
pub struct Found {
    pub query: Query,
    pub listing: Box<Listing>,
    /// The rows that match, in order.
    pub rows: Vec<u32>,
    /// How many of them, the last ones, end before the job or lack its disk.
    unfit: usize,
    pub check: ResponseCheck,
}

impl Found {
    /// Notes what differs from the request, and what the limit left out. `unfit` is what becomes of the
    /// rows that do not suit the job.
    pub fn tell(&self, dialect: &'static Dialect, unfit: &str) {
        tell_skipped(&self.listing);
        let answer = Answer {
            listing: &self.listing,
            query: &self.query,
            dialect,
            check: &self.check,
            rows: &self.rows,
        };
        answer.tell();
        let hidden = self.listing.hidden();
        if hidden > 0 {
            output::note(&format!(
                "{} hidden by your bans (--no-bans shows them)",
                grouped(hidden)
            ));
        }
        if self.unfit > 0 {
            output::note(&format!(
                "{}, {unfit}: ending before the job, or without its disk",
                format::counted(self.unfit, "offer", "offers")
            ));
        }
    }
}

pub async fn found(
    settings: &Settings,
    session: &Session,
    wanted: Wanted,
) -> Result<Found, CliError> {
    let bans = wanted.bans(settings);
    let request = request(&wanted.query, &bans, settings.dialect);
    let listing = fetch(session, &request).await;
    settings.keep_pacing(session);
    let mut listing = listing?;
    bans.hide_banned(&mut listing);
    Ok(arranged(settings, wanted, listing))
}

/// The response to a search with its prices and order as requested.
pub fn arranged(settings: &Settings, wanted: Wanted, mut listing: Box<Listing>) -> Found {
    let Wanted { query, job, .. } = wanted;
    let check = ResponseCheck::of(&listing, &query, settings.dialect);
    listing.price_as(query.offer_type);
    if let Some(wanted) = query.storage {
        let estimate = check.storage_to_estimate(&query, settings.dialect, wanted);
        listing.estimate_storage(estimate);
    }
    let computed = compute(&mut listing, &query, job, settings);
    let mut rows = rows(&listing, &query, settings.dialect);
    if notes::is_sorted_locally(&listing, &query, settings.dialect, &check) {
        listing.sort(&mut rows, &query.order);
    }
    // Offers that end before the job or lack its disk come last, as in the dashboard.
    rows.sort_by_key(|row| computed.is_unfit(*row as usize));
    let unfit = rows.iter().filter(|row| computed.is_unfit(**row as usize));
    let unfit = unfit.count();
    Found {
        query,
        listing,
        rows,
        unfit,
        check,
    }
}

async fn search(
    settings: &Settings,
    arguments: &SearchArguments,
    wanted: Wanted,
) -> Result<(), CliError> {
    let query = &wanted.query;
    let is_offers = query.resource == Resource::Offers;
    let units = settings
        .preferences
        .config
        .throughput
        .units()
        .filter(|_| is_offers);
    let priced = Priced {
        job: wanted.job.map(|job| (job, query.offer_type)),
        units: units.collect(),
    };
    let view = View::new(arguments, query.catalog(), settings.dialect, false, priced)?;
    notes::warn(query, settings.dialect);
    let connection = settings.connect().await?;
    if arguments.curl {
        notes::about_request(query, settings.dialect);
        let request = request(query, &wanted.bans(settings), settings.dialect);
        return print_curl(settings, &connection.session, &request);
    }
    let found = found(settings, &connection.session, wanted).await?;
    show(&found.listing, &found.rows, &view)?;
    // After the records: above a long table nobody would see them.
    found.tell(settings.dialect, "listed last");
    Ok(())
}

/// Prints a request as one curl command; nothing is sent.
pub fn print_curl(
    settings: &Settings,
    session: &Session,
    request: &Request,
) -> Result<(), CliError> {
    let command = session.client().curl(request);
    if settings.is_sandbox() {
        output::note(
            "this sandbox stops with the command; run bourse sandbox for one that stays up",
        );
    }
    output::print(&format!("{command}\n"))
}

/// Runs a request for records, showing waits on a terminal.
pub async fn fetch(session: &Session, request: &Request) -> Result<Box<Listing>, CliError> {
    match reply(session, request).await? {
        Reply::Records(listing) => Ok(listing),
        Reply::Unlisted { .. } | Reply::Created { .. } | Reply::Routed(_) => {
            Err(CliError::Failed("the response has no records".to_owned()))
        }
    }
}

/// Runs a request, showing waits on a terminal.
pub async fn reply(session: &Session, request: &Request) -> Result<Reply, ApiError> {
    let mut line = ProgressLine::new();
    session
        .run(request, |progress| match progress {
            Progress::Waiting { attempt, span, why } => {
                let why = match why {
                    Wait::Turn => "its turn".to_owned(),
                    Wait::Fault(error) => format!("attempt {attempt}: {}", error.headline()),
                };
                line.show(&format!("waiting {:.1} s for {why}", span.as_secs_f64()));
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

/// Fills the computed columns that conditions, order and job need.
fn compute(
    listing: &mut Listing,
    query: &Query,
    job: Option<Job>,
    settings: &Settings,
) -> ComputedColumns {
    let mut computed = ComputedColumns::for_job(job);
    computed.throughput = Arc::new(settings.preferences.config.throughput.clone());
    let conditions: Vec<_> = query.local(settings.dialect).cloned().collect();
    let is_asked = job.is_some()
        || computed.throughput.units().next().is_some()
        || conditions.iter().any(|own| own.field.is_computed())
        || query.order.iter().any(|key| key.field.is_computed());
    if is_asked && query.resource == Resource::Offers {
        let pricing = Basis {
            model: query.offer_type,
            gb: listing.estimated_storage(),
            job,
        };
        computed.fill_for(listing, pricing, None, &conditions);
    }
    computed
}

/// The rows to show: conditions and orders that the market cannot take are applied here.
pub fn rows(listing: &Listing, query: &Query, dialect: &'static Dialect) -> Vec<u32> {
    let mut rows = listing.matching(query.local(dialect));
    let ordered_there = query
        .order
        .iter()
        .all(|key| query.catalog().orders_on_server(key.field, dialect))
        && query.offer_type != OfferType::Reserved;
    if !ordered_there {
        listing.sort(&mut rows, &query.order);
    }
    rows
}

/// Names the records that could not be read.
pub fn tell_skipped(listing: &Listing) {
    const NAMED: usize = 20;
    for skipped in listing.skipped().iter().take(NAMED) {
        output::note(&format!(
            "record {} skipped: {}",
            skipped.index, skipped.reason
        ));
    }
    let more = listing.skipped().len().saturating_sub(NAMED);
    if more > 0 {
        output::note(&format!("{more} more records skipped"));
    }
    if listing.duplicates() > 0 {
        output::note(&format!(
            "{} records dropped: duplicate id",
            listing.duplicates()
        ));
    }
}

pub fn show(listing: &Listing, rows: &[u32], view: &View) -> Result<(), CliError> {
    match view.format {
        Format::Table => {
            output::print(&view.table(listing, rows))?;
            if rows.is_empty() {
                let nouns = listing.catalog().resource.nouns();
                output::note(&format!("no {nouns} match"));
            }
            Ok(())
        }
        Format::Csv => output::print(&view.csv(listing, rows)),
        Format::Json => output::print_json_pieces(view.json(listing, rows)),
    }
}
