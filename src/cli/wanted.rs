//! The query, limit, job and columns of a search, from words and flags.

use std::io::Read as _;

use super::args::{Addition, PricedSearch, SearchArguments, local_time};
use super::output::{self, CliError};
use crate::api::Request;
use crate::domain::annotations::Annotations;
use crate::domain::cost::{Job, VolumeTerm};
use crate::domain::language::{self, Mode};
use crate::domain::local::LocalTime;
use crate::domain::plain::{self, Reading};
use crate::domain::throughput::Throughput;
use crate::domain::time::UnixTime;
use crate::domain::{Condition, Dialect, Field, OfferType, Query, Resource};
use crate::settings::Settings;
use crate::store::StateStore;
use crate::table::column_prerequisites::Need;

/// Number of records to request where the shown rows are chosen here, by a condition or an order
/// that the market cannot apply.
///
/// With fewer, the first ten by a job's bill would only be the first ten of those that the market
/// ranks first.
pub const LOCAL_LIMIT: u32 = 3_000;

/// The maximum length of a query on standard input, in bytes.
const LONGEST_QUERY: u64 = 64 * 1024;

/// A search with the inputs of its computed columns.
#[derive(Clone)]
pub struct Wanted {
    pub query: Query,
    /// The job that a flag or the plain words describe.
    pub job: Option<Job>,
    /// Maximum number of rows to show.
    pub rows: Option<u32>,
    pub term: Option<VolumeTerm>,
    /// The additions to records, for programs.
    pub additions: Vec<Addition>,
    /// Maximum number of requests that load all offers, in parts; `None` for a single response.
    pub all: Option<u32>,
    /// The computed columns that the output needs: printed ones, and those of `--if`.
    columns: Vec<&'static Field>,
    /// Whether banned machines and hosts are included.
    pub no_bans: bool,
}

impl Wanted {
    /// A query for a job, without columns to print.
    pub const fn new(query: Query, job: Option<Job>) -> Self {
        Self {
            query,
            job,
            rows: None,
            term: None,
            additions: Vec::new(),
            all: None,
            columns: Vec::new(),
            no_bans: false,
        }
    }

    /// Adds computed columns that the output needs; other fields are ignored.
    pub fn need(&mut self, fields: impl IntoIterator<Item = &'static Field>) {
        self.columns
            .extend(fields.into_iter().filter(|field| field.is_computed()));
    }

    /// Sets the price model, and the storage in GB that prices include, also as the job's disk; `None` leaves
    /// each as it is.
    pub fn set_prices(&mut self, offer_type: Option<OfferType>, storage: Option<f64>) {
        self.query.offer_type = offer_type.unwrap_or(self.query.offer_type);
        self.query.storage = storage.or(self.query.storage);
        if let (Some(job), Some(gigabytes)) = (&mut self.job, storage) {
            job.disk_gb = gigabytes;
        }
    }

    /// The user's stars, notes and bans, whose bans the search applies; empty with `--no-bans`.
    pub fn bans(&self, settings: &Settings) -> Annotations {
        if self.no_bans {
            return Annotations::default();
        }
        annotations(settings)
    }
}

/// The profile's saved stars, notes and bans; empty without a file. A problem with the file is noted on
/// stderr.
pub fn annotations(settings: &Settings) -> Annotations {
    let Some(paths) = &settings.paths else {
        return Annotations::default();
    };
    let mut notices = Vec::new();
    let annotations = StateStore::new(paths, &settings.profile).read(&mut notices);
    for notice in notices {
        output::note(&notice);
    }
    annotations.unwrap_or_default()
}

impl Wanted {
    /// The columns that active conditions, order and requested output use, with repetitions.
    pub fn fields(&self) -> impl Iterator<Item = &'static Field> {
        let conditions = self.query.active().map(|condition| condition.field);
        let orders = self.query.order.iter().map(|key| key.field);
        conditions.chain(orders).chain(self.columns.iter().copied())
    }

    /// Whether a column in use needs a search of each of the three price models.
    pub fn needs_price_models(&self) -> bool {
        self.fields()
            .any(|field| Need::for_field(field) == Some(Need::ThreePrices))
    }

    /// Rejects columns in use whose input (job, deadline, term, throughput) is missing; the error names the
    /// flag to add.
    pub fn check_needs(&self, throughput: &Throughput) -> Result<(), CliError> {
        for field in self.fields() {
            let missing = match Need::for_field(field) {
                Some(Need::Job) if self.job.is_none() => "a job: add --job, e.g. --job 3d,200GB",
                Some(Need::Deadline) if self.job.is_none_or(|job| job.deadline.is_none()) => {
                    "a job with a deadline: add --by, e.g. --by friday"
                }
                Some(Need::Term) if self.term.is_none() => "a size and a term: add --term, e.g. --term 200GB,30d",
                Some(Need::Throughput(unit)) if throughput.model_count(unit) == 0 => {
                    return Err(CliError::Usage(format!(
                        "{} needs your throughput: add [throughput.\"{}\"] to the configuration",
                        field.key,
                        unit.rate()
                    )));
                }
                Some(Need::Job | Need::Deadline | Need::Term | Need::Throughput(_) | Need::ThreePrices) | None => {
                    continue;
                }
            };
            return Err(CliError::Usage(format!("{} needs {missing}", field.key)));
        }
        Ok(())
    }
}

/// The search request for a query, with the bans that the market can filter on as further conditions.
pub fn request(query: &Query, bans: &Annotations, dialect: &'static Dialect) -> Request {
    let mut query = query.clone();
    query.conditions.extend(bans.conditions(&query, dialect));
    Request::Search(query)
}

/// The price settings of flags.
#[derive(Debug, Clone, Copy, Default)]
pub struct Flags {
    pub job: Option<Job>,
    /// The deadline of the job.
    pub by: Option<UnixTime>,
    pub term: Option<VolumeTerm>,
}

/// The search of the flags of a command that compares offers by their prices, with an order and a limit, if
/// given.
pub fn priced(
    settings: &Settings,
    flags: &PricedSearch,
    (order, limit): (Option<String>, Option<u32>),
    by: Option<UnixTime>,
) -> Result<Wanted, CliError> {
    let arguments = SearchArguments {
        query: flags.query.clone(),
        order,
        limit,
        no_bans: flags.no_bans,
        ..SearchArguments::default()
    };
    let job = flags.job.job(flags.storage);
    let prices = Flags { job, by, term: None };
    let mut wanted = wanted(settings, Resource::Offers, &arguments, flags.no_default, prices)?;
    wanted.set_prices(flags.offer_type, flags.storage);
    Ok(wanted)
}

/// The query from words and flags, as [`wanted`]; flags override plain words.
pub fn query(
    settings: &Settings,
    resource: Resource,
    arguments: &SearchArguments,
    no_default: bool,
) -> Result<Query, CliError> {
    wanted(settings, resource, arguments, no_default, Flags::default()).map(|wanted| wanted.query)
}

/// The search from words and flags, with the job that they describe; flags override plain words. It starts
/// from the default query (without its conditions if `no_default`); the disk of a job in `flags` becomes the
/// storage that prices include. The meaning of plain words is printed to stderr. An error for an invalid
/// query, order or column, a deadline that has passed or has no job, and a column whose input is missing.
pub fn wanted(
    settings: &Settings,
    resource: Resource,
    arguments: &SearchArguments,
    no_default: bool,
    flags: Flags,
) -> Result<Wanted, CliError> {
    let dialect = settings.dialect;
    let mut query = language::default_query(resource, dialect);
    if no_default {
        query.conditions.clear();
    }
    let text = text(&arguments.query)?;
    let reading = plain::read(&text, query.catalog(), dialect, &plain::Names::default());
    query.conditions = conditions(&reading, &text, &query, dialect)?;
    if !reading.is_empty() {
        output::print_unless_quiet(&format!("understood: {}", reading.meaning.text()));
    }
    let words = &reading.meaning.settings;
    query.offer_type = words.offer_type.unwrap_or(query.offer_type);
    query.storage = words.storage.or(query.storage);
    if let Some(job) = flags.job {
        // As in the dashboard, the job's disk is the storage that prices include.
        query.storage = Some(job.disk_gb);
    }
    let (has_words, local) = (words.job.is_job(), local_time());
    let in_words = || has_words.then(|| words.job.apply_to(None, query.storage, &local));
    let mut job = flags.job.or_else(in_words);
    set_deadline(&mut job, flags.by, &local)?;
    if let Some(order) = &words.order {
        query.order.clone_from(order);
    }
    if let Some(order) = &arguments.order {
        query.order = language::parse_order(order, query.catalog())
            .map_err(|error| CliError::Usage(format!("in the order:\n{}", error.render(order))))?;
    }
    let columns = match &arguments.columns {
        None => Vec::new(),
        Some(text) => {
            let all = language::parse_columns(text, query.catalog())
                .map_err(|error| CliError::Usage(format!("in the columns:\n{}", error.render(text))))?;
            all.into_iter().filter(|field| field.is_computed()).collect()
        }
    };
    query.limit = match arguments.limit {
        Some(0) => None,
        Some(limit) => Some(limit),
        None => query.limit,
    };
    let wanted = Wanted {
        rows: arguments.rows.or(words.limit),
        term: flags.term,
        columns,
        no_bans: arguments.no_bans,
        ..Wanted::new(query, job)
    };
    wanted.check_needs(&settings.preferences.config.values.throughput)?;
    Ok(wanted)
}

/// Sets the deadline of a job if one is given, and prints the job's to stderr; an error if there is no job, or the
/// deadline has passed.
fn set_deadline(job: &mut Option<Job>, by: Option<UnixTime>, local: &LocalTime) -> Result<(), CliError> {
    if let Some(by) = by {
        let missing = "--by needs a job: add --work '500M tokens' or --job 3d";
        job.as_mut()
            .ok_or_else(|| CliError::Usage(missing.to_owned()))?
            .deadline = Some(by);
    }
    let Some(at) = job.and_then(|job| job.deadline) else {
        return Ok(());
    };
    let by = local.deadline(at);
    if at <= local.now {
        return Err(CliError::Usage(format!("the deadline {by}")));
    }
    output::print_unless_quiet(&format!("to be done by {by}"));
    Ok(())
}

/// The words of a query as one text; the first `-` is replaced by standard input, of which the first 64 KiB
/// are read, without blanks at its end.
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

/// The conditions of a text, with plain words read, added to those of `query`; newer conditions on a field
/// replace older ones. Words that ask for a cluster or set a rate are an error, and so is an invalid condition.
pub fn conditions(
    reading: &Reading,
    text: &str,
    query: &Query,
    dialect: &'static Dialect,
) -> Result<Vec<Condition>, CliError> {
    let settings = &reading.meaning.settings;
    if let Some(cluster) = settings.cluster {
        return Err(CliError::Usage(format!(
            "{cluster} are for the planner: bourse plan {} and the other words",
            cluster.flags()
        )));
    }
    if let Some((unit, _)) = settings.rate {
        return Err(CliError::Usage(format!(
            "a rate belongs in the configuration: [throughput.\"{}\"]",
            unit.rate()
        )));
    }
    reading
        .parse(query.catalog(), dialect, &query.conditions, Mode::Strict)
        .map(|parsed| parsed.conditions)
        .map_err(|error| CliError::Usage(format!("in the query:\n{}", error.render(text))))
}

/// Checks a given `limit`: one from 1 to below the number of shown rows is an error; 0 is no limit. Without
/// one, raises the query's own limit, if it has one, to 3,000 if rows are filtered, sorted or priced here,
/// and to at least the shown rows.
pub fn set_limit(wanted: &mut Wanted, limit: Option<u32>, dialect: &'static Dialect) -> Result<(), CliError> {
    let (query, rows) = (&mut wanted.query, wanted.rows.unwrap_or(0));
    match limit {
        Some(limit) if 0 < limit && limit < rows => {
            return Err(CliError::Usage(format!(
                "--limit {limit} requests fewer records than -n {rows} shows: raise --limit"
            )));
        }
        Some(_) => {}
        None => {
            let is_estimated = query.storage.is_some_and(|gb| {
                query.resource == Resource::Offers && (gb - query.priced_storage(dialect)).abs() > 1e-9
            });
            let is_local =
                query.applied_locally(dialect).next().is_some() || is_sorted_here(query, dialect) || is_estimated;
            let least = if is_local { LOCAL_LIMIT } else { 0 };
            query.limit = query.limit.map(|usual| usual.max(least).max(rows));
        }
    }
    Ok(())
}

/// Sorts a search by the bill of its job, if it has the default order; another order stays.
pub fn rank_by_bill(query: &mut Query, dialect: &'static Dialect) {
    if query.order == language::default_query(query.resource, dialect).order {
        query.order = language::parse_order("job_cost", query.catalog()).unwrap_or_default();
    }
}

/// Whether the rows have to be sorted here: always for reserved prices, as the market sorts by others, else
/// if it cannot sort by a field of the order.
pub fn is_sorted_here(query: &Query, dialect: &'static Dialect) -> bool {
    let catalog = query.catalog();
    let mut keys = query.order.iter();
    query.offer_type == OfferType::Reserved || keys.any(|key| !catalog.orders_on_server(key.field, dialect))
}
