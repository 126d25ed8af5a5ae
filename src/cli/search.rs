//! `bourse offers` and `bourse volumes`: a search, and its records as text.

use super::args::{Format, OffersArguments, SearchArguments, VolumesArguments};
use super::output::{self, CliError, ProgressLine};
use super::settings::Settings;
use super::table;
use crate::api::{Progress, Reply, Request, Session, Wait};
use crate::domain::language::{self, Mode};
use crate::domain::{Dialect, Listing, Query, Resource};

/// `bourse offers`
pub async fn offers(settings: &Settings, arguments: &OffersArguments) -> Result<(), CliError> {
    let mut query = query(Resource::Offers, settings.dialect, &arguments.search)?;
    query.offer_type = arguments.offer_type;
    if let Some(gigabytes) = arguments.storage {
        query.storage = Some(gigabytes);
        if settings.dialect.storage_parameter.is_none() {
            output::note(
                "this market's dialect has no storage parameter: prices include the default of 8 GB",
            );
        }
    }
    search(settings, &arguments.search, query).await
}

/// `bourse volumes`
pub async fn volumes(settings: &Settings, arguments: &VolumesArguments) -> Result<(), CliError> {
    let query = query(Resource::Volumes, settings.dialect, &arguments.search)?;
    search(settings, &arguments.search, query).await
}

/// The query that words and flags describe.
fn query(
    resource: Resource,
    dialect: &'static Dialect,
    arguments: &SearchArguments,
) -> Result<Query, CliError> {
    let mut query = language::default_query(resource, dialect);
    if arguments.no_default {
        query.conditions.clear();
    }
    let text = arguments.query.join(" ");
    query.conditions = parse(&text, &query, dialect)?;
    if let Some(order) = &arguments.order {
        query.order = language::parse_order(order, query.catalog())
            .map_err(|error| CliError::Usage(format!("in the order:\n{}", error.render(order))))?;
        if let Some(key) = query.order.iter().find(|key| key.field.is_computed()) {
            let message = format!("only the dashboard works {} out", key.field.key);
            return Err(CliError::Usage(message));
        }
    }
    query.limit = match arguments.limit {
        Some(0) => None,
        Some(limit) => Some(limit),
        None => query.limit,
    };
    Ok(query)
}

/// The conditions of a text, laid over those of a query.
pub fn parse(
    text: &str,
    query: &Query,
    dialect: &'static Dialect,
) -> Result<Vec<crate::domain::Condition>, CliError> {
    language::parse(
        text,
        query.catalog(),
        dialect,
        &query.conditions,
        Mode::Strict,
    )
    .map(|parsed| parsed.conditions)
    .map_err(|error| CliError::Usage(format!("in the query:\n{}", error.render(text))))
}

async fn search(
    settings: &Settings,
    arguments: &SearchArguments,
    query: Query,
) -> Result<(), CliError> {
    let connection = settings.connect().await?;
    let request = Request::Search(query.clone());
    if arguments.curl {
        let command = connection.session.client().curl(&request);
        if settings.is_sandbox() {
            output::note(
                "this sandbox ends with the command: serve one that stays with bourse sandbox",
            );
        }
        return output::print(format!("{command}\n").as_bytes());
    }
    let listing = fetch(&connection.session, &request).await;
    settings.keep_pacing(&connection.session);
    let listing = listing?;
    let rows = rows(&listing, &query, settings.dialect);
    tell(&listing, &query, settings.dialect);
    show(&listing, &rows, arguments.format, settings.dialect, false)
}

/// Runs a request for records, telling about waits where somebody watches.
pub async fn fetch(session: &Session, request: &Request) -> Result<Box<Listing>, CliError> {
    let mut line = ProgressLine::new();
    let reply = session
        .run(request, |progress| match progress {
            Progress::Waiting { attempt, span, why } => {
                let why = match why {
                    Wait::Turn => "its turn".to_owned(),
                    Wait::Fault(error) => format!("attempt {attempt}: {}", error.headline()),
                };
                line.show(&format!("waiting {:.1} s for {why}", span.as_secs_f64()));
            }
            Progress::Sent { .. } => line.show(&format!("{} ...", request.operation().label())),
            Progress::Tried(_) => line.clear(),
        })
        .await?;
    match reply {
        Reply::Records(listing) => Ok(listing),
        _ => Err(CliError::Failed("the answer has no records".to_owned())),
    }
}

/// The rows to show: conditions and orders that the market cannot take are applied here.
pub fn rows(listing: &Listing, query: &Query, dialect: &'static Dialect) -> Vec<u32> {
    let mut rows = listing.matching(query.local(dialect));
    let ordered_there = query
        .order
        .iter()
        .all(|key| query.catalog().orders_on_server(key.field, dialect));
    if !ordered_there {
        listing.sort(&mut rows, &query.order);
    }
    rows
}

/// Says what is not as asked for, on standard error.
fn tell(listing: &Listing, query: &Query, dialect: &'static Dialect) {
    tell_skipped(listing);
    for condition in query.local(dialect) {
        output::note(&format!(
            "this market does not filter on {}: applied to what it sent",
            condition.field.key
        ));
    }
    for condition in query.sent(dialect) {
        let column = listing.column(condition.field);
        let broken = (0..listing.len())
            .filter(|row| condition.is_broken_by(column.cell(*row)))
            .count();
        if broken > 0 {
            output::note(&format!(
                "the market ignored {}: {broken} of {} records break it",
                language::print_condition_briefly(condition),
                listing.len()
            ));
        }
    }
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
            "{} records left out: their id came before",
            listing.duplicates()
        ));
    }
}

/// Prints records.
pub fn show(
    listing: &Listing,
    rows: &[u32],
    format: Format,
    dialect: &Dialect,
    secrets: bool,
) -> Result<(), CliError> {
    match format {
        Format::Table => {
            let key = listing.catalog().by_key("api_key").filter(|_| secrets);
            let text = table::table(
                listing,
                rows,
                key.as_slice(),
                dialect,
                table::terminal_width().filter(|_| !secrets),
            );
            output::print(text.as_bytes())?;
            if rows.is_empty() {
                let nouns = listing.catalog().resource.nouns();
                output::note(&format!("no {nouns} match"));
            }
            Ok(())
        }
        Format::Csv => output::print(table::csv(listing, rows, secrets).as_bytes()),
        Format::Json => output::print_json(&table::json(listing, rows, secrets)),
    }
}
