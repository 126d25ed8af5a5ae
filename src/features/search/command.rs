//! `bourse offers` and `bourse volumes`: runs a search and prints its records.

use crate::cli::args::{OffersArguments, RecordFormat, SearchArguments, VolumesArguments};
use crate::cli::output::CliError;
use crate::cli::search::{Extent, finish, load, print_curl, show};
use crate::cli::table::{Priced, View};
use crate::cli::wanted::{Flags, Wanted, rank_by_bill, request, set_limit, wanted};
use crate::cli::{enrich, notes, output};
use crate::domain::{Condition, Dialect, Operand, Operator, Resource, Value, language};
use crate::features::whole_market::command as whole_market;
use crate::settings::Settings;

/// Runs `bourse offers`: searches and prints the offers. With a job and without `--order`, they are ranked by
/// the bill of the job.
pub async fn offers(settings: &Settings, arguments: &OffersArguments) -> Result<(), CliError> {
    let dialect = settings.dialect;
    let mut wanted = wanted(
        settings,
        Resource::Offers,
        &arguments.search,
        arguments.no_default,
        Flags {
            job: arguments.job.job(arguments.storage),
            by: arguments.by,
            term: None,
        },
    )?;
    let query = &mut wanted.query;
    query.conditions.extend(switches(arguments, dialect)?);
    query.unbundled = arguments.disable_bundling;
    wanted.set_prices(arguments.offer_type, arguments.storage);
    // The market's score ignores the bill, as in the dashboard.
    if arguments.search.order.is_none() && wanted.job.is_some() {
        rank_by_bill(&mut wanted.query, dialect);
    }
    let is_json = matches!(arguments.search.format, RecordFormat::Json | RecordFormat::Jsonl);
    enrich::check(&arguments.with, is_json, "--format json or jsonl", wanted.job.is_some())?;
    wanted.additions.clone_from(&arguments.with);
    if arguments.all {
        whole_market::set_up_all(&mut wanted, &arguments.search, arguments.requests)?;
    }
    search(settings, &arguments.search, wanted).await
}

/// Runs `bourse volumes`: searches and prints the volume offers.
pub async fn volumes(settings: &Settings, arguments: &VolumesArguments) -> Result<(), CliError> {
    let wanted = wanted(
        settings,
        Resource::Volumes,
        &arguments.search,
        arguments.no_default,
        Flags {
            term: arguments.term,
            ..Flags::default()
        },
    )?;
    search(settings, &arguments.search, wanted).await
}

/// The conditions of `--vcpus` (at least that many cores) and `--datacenter`, as far as they are given.
///
/// A usage error if the market's dialect has no parameter for one of them or for `--disable-bundling`: they
/// are filters of the market, never applied to whatever part of it was returned.
fn switches(arguments: &OffersArguments, dialect: &'static Dialect) -> Result<Vec<Condition>, CliError> {
    if arguments.disable_bundling && dialect.bundling_parameter.is_none() {
        return Err(CliError::Usage(format!(
            "--disable-bundling: the dialect '{}' has no parameter for it",
            dialect.name
        )));
    }
    let cores = arguments
        .vcpus
        .map(|count| ("cpu_cores", Operator::Gte, Value::Number(count.into())));
    let datacenter = arguments
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

/// Runs the search for `bourse offers` or `bourse volumes`: loads the `wanted` records and prints them in the
/// chosen format, then the notes on stderr.
///
/// `--curl` prints the request and sends nothing. `CliError::NotMet` if the result is incomplete; with
/// `--fail-empty` an error if no row is left.
async fn search(settings: &Settings, arguments: &SearchArguments, mut wanted: Wanted) -> Result<(), CliError> {
    if wanted.all.is_none() {
        set_limit(&mut wanted, arguments.limit, settings.dialect)?;
    }
    let (query, most_rows) = (&wanted.query, wanted.rows);
    let is_offers = query.resource == Resource::Offers;
    let units = settings
        .preferences
        .config
        .values
        .throughput
        .units()
        .filter(|_| is_offers);
    let priced = Priced {
        job: wanted.job.map(|job| (job, query.offer_type)),
        term: wanted.term.is_some(),
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
    let additions = wanted.additions.clone();
    let session = &connection.session;
    let result = if let Some(budget) = wanted.all {
        let bans = wanted.bans(settings);
        let listing = whole_market::load(session, &wanted.query, &bans, budget, settings.dialect).await;
        settings.keep_pacing(session);
        finish(settings, session, wanted, listing?).await?
    } else {
        load(settings, session, wanted).await?
    };
    let shown = most_rows.map_or(usize::MAX, |rows| rows as usize);
    let shown = &result.rows[..shown.min(result.rows.len())];
    let members = enrich::members(settings, &result, shown, &additions);
    let records = shown.iter().filter_map(|row| result.listing.json(*row as usize));
    enrich::note_renamed(records.take(members.len()));
    let extent = Extent::new(&result.listing, &result.query, result.rows.len());
    show(&result.listing, shown, &view, &members, extent)?;
    // After the records: above a long table nobody would see them.
    result.print_notes(settings.dialect, "listed last");
    output::note_shown(shown.len(), result.rows.len(), result.query.resource.nouns());
    if result.is_incomplete {
        return Err(CliError::NotMet);
    }
    output::require_rows(arguments.fail_empty, shown.is_empty())
}
