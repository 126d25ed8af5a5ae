//! `bourse markets check`: compares a market with bourse's expectations.
//!
//! It only reads. The report has names and counts, no values, so that it can be sent with a bug
//! report.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use clap::{Args, Subcommand};

use super::add::AddArguments;
use super::document::{Differences, Implausible, KindCheck, MarketCheck, OtherType};
use crate::api::{Reply, Request, Session};
use crate::cli::args::ReplyFormat;
use crate::cli::output;
use crate::cli::output::CliError;
use crate::cli::search::reply;
use crate::domain::format::{counted, trimmed};
use crate::domain::response_check::{Discrepancy, ResponseCheck};
use crate::domain::value::CellRef;
use crate::domain::{Dialect, Field, Listing, Query, Resource, Untrusted, language};
use crate::settings::Settings;

/// Number of records to request of each kind: enough to see the members that all of them have.
const RECORDS: u32 = 50;

/// Maximum number of unknown members that are named.
const MOST_NAMES: usize = 50;

#[derive(Debug, Subcommand)]
pub enum MarketsCommand {
    /// Add a market to the configuration, with the dialect that its responses show
    Add(AddArguments),
    /// Check whether a market is what bourse expects, without changing anything
    Check(CheckArguments),
}

#[derive(Debug, Args)]
pub struct CheckArguments {
    /// Market to check [default: the one in use]
    pub name: Option<String>,

    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub format: ReplyFormat,
}

/// Runs `bourse markets check`: requests records of each kind and prints how they differ from the expected
/// ones.
///
/// Differences are no error; `CliError::Quiet` if a request failed, as the output has its error.
pub async fn check(settings: &Settings, arguments: &CheckArguments) -> Result<(), CliError> {
    let connection = settings.connect().await?;
    let session = &connection.session;
    let mut reports = Vec::new();
    for resource in Resource::ALL {
        let query = query(resource, settings.dialect);
        let request = match resource {
            Resource::Offers | Resource::Volumes => Request::Search(query.clone()),
            Resource::Workergroups => Request::ListWorkergroups,
        };
        let listing = reply(session, &request).await.and_then(Reply::into_records);
        let report = listing.map(|listing| Report::new(&listing, &query, settings.dialect));
        reports.push((resource, report.map_err(|error| error.to_string())));
    }
    settings.keep_pacing(session);
    match arguments.format {
        ReplyFormat::Text => output::print(&text(settings, session, &reports))?,
        ReplyFormat::Json => output::print_document("market-check", document(settings, session, &reports))?,
    }
    if reports.iter().any(|(_, report)| report.is_err()) {
        return Err(CliError::Quiet);
    }
    Ok(())
}

/// The search with which `markets check` tests a kind of record: 50 records, with a condition and an order,
/// to see whether the market applies them; for workergroups the default query.
fn query(resource: Resource, dialect: &'static Dialect) -> Query {
    let mut query = language::default_query(resource, dialect);
    let (condition, order) = match resource {
        Resource::Offers => ("num_gpus>=2", "dph_total"),
        Resource::Volumes => ("disk_space>=10", "storage_cost"),
        Resource::Workergroups => return query,
    };
    let mode = language::Mode::Strict;
    if let Ok(parsed) = language::parse(condition, query.catalog(), dialect, &query.conditions, mode) {
        query.conditions = parsed.conditions;
    }
    query.order = language::parse_order(order, query.catalog()).unwrap_or_default();
    query.limit = Some(RECORDS);
    query
}

/// The differences from bourse's expectations of a kind of record.
#[derive(Debug, Default)]
pub struct Report {
    records: usize,
    /// Reasons records could not be read, with their number.
    unreadable: BTreeMap<String, usize>,
    /// Documented members that no record has.
    missing: Vec<&'static str>,
    /// Members unknown to bourse, with the number of records that have them.
    unknown: BTreeMap<String, usize>,
    /// Members of another type: the name, the type, the number of records.
    other_types: Vec<(&'static str, &'static str, usize)>,
    /// Members with implausible values, with the plausible range and the number of records.
    implausible: Vec<(&'static Field, (f64, f64), usize)>,
    /// Conditions, orders and limits that the market ignored.
    ignored: Vec<String>,
}

impl Report {
    /// Compares the records of a market's response with the catalog of fields, and their selection, order and
    /// number with the query.
    pub fn new(listing: &Listing, query: &Query, dialect: &'static Dialect) -> Self {
        let mut report = Self {
            records: listing.len(),
            ..Self::default()
        };
        for skipped in listing.skipped() {
            *report.unreadable.entry(skipped.reason.to_string()).or_default() += 1;
        }
        for row in 0..listing.len() {
            let (unknown, _) = listing.unknown_members(row, MOST_NAMES);
            let names: BTreeSet<String> = unknown.into_iter().map(|(name, _)| name).collect();
            for name in names {
                *report
                    .unknown
                    .entry(Untrusted::from(name.as_str()).screen(64))
                    .or_default() += 1;
            }
        }
        let fields = listing.catalog().fields().iter().filter(|field| field.in_record);
        fields.for_each(|field| report.compare_field(field, listing));
        let check = ResponseCheck::new(listing, query, dialect);
        let violations = check.violations.iter();
        let violations = violations.map(|found| format!("{} (broken by {})", found.condition, found.rows));
        let others = check.discrepancies.iter().map(Discrepancy::text);
        report.ignored = violations.chain(others).collect();
        report
    }

    /// Adds the differences in one field to the report: a documented field missing in all records, values of
    /// another type, and numbers outside the plausible range; zero is always plausible.
    fn compare_field(&mut self, field: &'static Field, listing: &Listing) {
        let column = listing.sent_column(field);
        let cells = || (0..listing.len()).map(|row| column.cell(row));
        if field.documented && !listing.is_empty() && cells().all(|cell| cell == CellRef::Missing) {
            self.missing.push(field.key);
        }
        let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
        for cell in cells() {
            if let CellRef::Bad(kind) = cell {
                *kinds.entry(kind.noun()).or_default() += 1;
            }
        }
        self.other_types
            .extend(kinds.into_iter().map(|(kind, records)| (field.key, kind, records)));
        if let Some((low, high)) = field.range {
            // Zero often means unknown.
            let is_outside = |number: &f64| *number != 0.0 && !(low..=high).contains(number);
            let outside = cells().filter_map(CellRef::number).filter(is_outside).count();
            if outside > 0 {
                self.implausible.push((field, (low, high), outside));
            }
        }
    }

    /// The differences of one kind of record from bourse's expectations, a line each with its number of
    /// records where it applies; empty if all is as expected.
    fn lines(&self) -> Vec<String> {
        let of = |records: usize| format!("{records} of {}", self.records);
        let counts = |names: &BTreeMap<String, usize>| {
            let texts = names.iter().map(|(name, records)| format!("{name} ({})", of(*records)));
            texts.collect::<Vec<_>>().join(", ")
        };
        let mut lines = Vec::new();
        let mut add = |what: &str, text: String| {
            if !text.is_empty() {
                lines.push(format!("{what}: {text}"));
            }
        };
        add("unreadable", counts(&self.unreadable));
        add("missing in all", self.missing.join(", "));
        add("unknown to bourse", counts(&self.unknown));
        for (name, kind, records) in &self.other_types {
            add("another type", format!("{name} is {kind} in {}", of(*records)));
        }
        for (field, (low, high), records) in &self.implausible {
            let (low, high, unit) = (trimmed(*low, 2), trimmed(*high, 2), unit(field));
            let range = format!("{low} to {high}{unit}");
            add(
                "another unit?",
                format!("{} is not within {range} in {}", field.key, of(*records)),
            );
        }
        for text in &self.ignored {
            add("ignored", text.clone());
        }
        lines
    }

    /// The differences as part of the printed document.
    fn differences(&self) -> Differences {
        let types = self.other_types.iter();
        let types = types.map(|&(member, is, records)| OtherType { member, is, records });
        let values = self
            .implausible
            .iter()
            .map(|&(field, (low, high), records)| Implausible {
                member: field.key,
                low,
                high,
                unit: unit(field).trim().to_owned(),
                records,
            });
        Differences {
            records: self.records,
            unreadable: self.unreadable.clone(),
            missing: self.missing.clone(),
            unknown: self.unknown.clone(),
            other_types: types.collect(),
            implausible: values.collect(),
            ignored: self.ignored.clone(),
        }
    }
}

/// The unit of a field in the documented dialect, with a leading space; empty if it has none.
fn unit(field: &Field) -> String {
    match field.unit.symbol(&Dialect::DOCUMENTED) {
        "" => String::new(),
        symbol => format!(" {symbol}"),
    }
}

type Reports = [(Resource, Result<Report, String>)];

/// The operations slowed down by refusals (often none): the label of each, and the minimum seconds between two
/// requests of it.
fn limits(session: &Session) -> impl Iterator<Item = (&'static str, f64)> {
    let learned = session.learned().into_iter();
    learned.map(|(operation, seconds)| (operation.label(), seconds))
}

/// The report of `markets check` as text: a heading with the market, its address and dialect, a block for
/// each kind of record, then the learned request limits.
fn text(settings: &Settings, session: &Session, reports: &Reports) -> String {
    let mut text = String::new();
    let mut add = |line: String| {
        let _ = writeln!(text, "{line}"); // writing to a String cannot fail
    };
    let address = &session.client().config().management;
    add(format!(
        "{}: {address}, dialect {}",
        settings.profile, settings.dialect.name
    ));
    for (resource, report) in reports {
        let nouns = resource.nouns();
        match report {
            Err(error) => add(format!("{nouns}: {error}")),
            Ok(report) => {
                let lines = report.lines();
                let records = counted(report.records, "record", "records");
                let verdict = match report.records {
                    0 => ", nothing to compare",
                    _ if lines.is_empty() => ", as expected",
                    _ => "",
                };
                add(format!("{nouns}: {records}{verdict}"));
                for line in lines {
                    add(format!("  {line}"));
                }
            }
        }
    }
    for (operation, seconds) in limits(session) {
        add(format!("limit learned: {operation} every {} s", trimmed(seconds, 2)));
    }
    text
}

/// The report of `markets check` as a document to print.
fn document(settings: &Settings, session: &Session, reports: &Reports) -> MarketCheck {
    let kinds = reports.iter().map(|(resource, report)| {
        let report = match report {
            Ok(report) => KindCheck::Compared(report.differences()),
            Err(error) => KindCheck::Failed { error: error.clone() },
        };
        (resource.nouns(), report)
    });
    MarketCheck {
        market: settings.profile.clone(),
        address: session.client().config().management.to_string(),
        dialect: settings.dialect.name,
        kinds: kinds.collect(),
        seconds_between_requests: limits(session).collect(),
    }
}
