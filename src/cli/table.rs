//! Records as text: a table for reading, CSV and JSON for programs.

use std::borrow::Cow;

use serde_json::{Value as Json, json};

use super::args::{RecordFormat, SearchArguments};
use super::documents::{Bill, BillParts, BillResult};
use super::enrich;
use super::output::{self, CliError};
use super::search::Extent;
use crate::api::redact;
use crate::domain::cost::{Job, Outlives, Prices};
use crate::domain::field::Kind;
use crate::domain::language::{self, LanguageError};
use crate::domain::text::{self, truncate};
use crate::domain::throughput::WorkUnit;
use crate::domain::{Catalog, Dialect, Field, Listing, OfferType, Resource, export, format};
use crate::table::computed_columns::{JOB_COLUMNS, TERM_COLUMNS, columns_of};

/// Maximum width of a table cell, in terminal cells.
const WIDEST: usize = 40;

/// The printed columns, with the inputs of the computed ones.
pub struct View {
    pub format: RecordFormat,
    /// Whether keys of workergroups are printed.
    pub secrets: bool,
    dialect: &'static Dialect,
    /// The requested columns, if any.
    columns: Option<Vec<&'static Field>>,
    priced: Priced,
}

/// The inputs of computed prices.
#[derive(Debug, Clone, Default)]
pub struct Priced {
    /// The job whose bill is shown beside each record, if any.
    pub job: Option<(Job, OfferType)>,
    /// Whether volumes are priced for a size and time.
    pub term: bool,
    /// The units of work for which the user has a throughput.
    pub units: Vec<WorkUnit>,
}

impl Priced {
    /// The keys of the columns that these inputs add: of the job (its slack only with a deadline), the volume
    /// term and the units of work.
    fn columns(&self) -> impl Iterator<Item = &'static str> {
        let deadline = self.job.and_then(|(job, _)| job.deadline);
        let is_asked = move |key: &&str| *key != "job_slack" || deadline.is_some();
        let job = JOB_COLUMNS.into_iter().filter(|_| self.job.is_some()).filter(is_asked);
        let term = TERM_COLUMNS.into_iter().filter(|_| self.term);
        job.chain(term).chain(self.units.iter().map(|unit| unit.column()))
    }
}

impl View {
    /// The output of a command's records as the flags want it: format and columns; an error if a column is
    /// unknown, or secret without `secrets`.
    pub fn new(
        arguments: &SearchArguments,
        catalog: &'static Catalog,
        dialect: &'static Dialect,
        secrets: bool,
        priced: Priced,
    ) -> Result<Self, CliError> {
        let columns = arguments.columns.as_deref();
        Ok(Self {
            format: arguments.format,
            secrets,
            dialect,
            columns: columns.map(|text| chosen(text, catalog, secrets)).transpose()?,
            priced,
        })
    }

    /// Whether any of these columns was requested with `--columns`.
    pub fn asks_for(&self, keys: &[&str]) -> bool {
        self.columns.iter().flatten().any(|field| keys.contains(&field.key))
    }

    /// A table of the requested columns, or of the default ones with costs beside the price: of these as many
    /// as fit the terminal, or all with secrets or without a terminal.
    pub fn table(&self, listing: &Listing, rows: &[u32]) -> String {
        if let Some(columns) = &self.columns {
            return table(listing, rows, columns, self.dialect, None);
        }
        let mut fields = listing.catalog().default_columns();
        // The bill and the cost of the work stand beside the price.
        let is_price = |field: &&Field| ["dph_total", "storage_cost"].contains(&field.key);
        let price = fields.iter().position(is_price);
        let after = price.map_or(0, |price| price + 1);
        let units = self.priced.units.iter().map(|unit| unit.column());
        let job = self.priced.job.map_or_else(Vec::new, |(job, _)| columns_of(&job));
        let bill = job.into_iter().filter(|key| *key != "job_spare");
        let term = self.priced.term.then_some("volume_term");
        let costs: Vec<_> = bill.chain(term).chain(units).collect();
        for key in costs.into_iter().rev() {
            if let Some(field) = listing.catalog().column(key) {
                fields.insert(after, field);
            }
        }
        let key = listing.catalog().by_key("api_key");
        fields.extend(key.filter(|_| self.secrets));
        let width = terminal_width().filter(|_| !self.secrets);
        table(listing, rows, &fields, self.dialect, width)
    }

    /// CSV of the requested columns, or else of every member that records can have and the computed costs;
    /// secrets only if requested.
    pub fn csv(&self, listing: &Listing, rows: &[u32]) -> String {
        let is_shown = |field: &&'static Field| field.is_column() || (self.secrets && field.kind == Kind::Secret);
        let catalog = listing.catalog();
        let all = || {
            let fields = catalog.fields().iter().filter(is_shown);
            fields
                .chain(self.priced.columns().filter_map(|key| catalog.column(key)))
                .collect()
        };
        let fields: Vec<&Field> = self.columns.clone().unwrap_or_else(all);
        export::csv(listing, rows, &fields)
    }

    /// The JSON document, in pieces: the records as received (without secrets unless requested, and with
    /// bourse's member if `members` has one), under the member that the specification names, and their
    /// extent.
    ///
    /// With a job, the job and its bills follow; with a throughput, the costs of work; with columns, the
    /// computed ones. All are in the order of the records.
    pub fn json<'l>(
        &self,
        listing: &'l Listing,
        rows: &'l [u32],
        members: &'l [Json],
        extent: Extent,
    ) -> impl Iterator<Item = Cow<'l, str>> {
        let keys = self.priced.units.iter().map(|unit| unit.column());
        let units = keys.filter_map(|key| listing.catalog().column(key));
        let work = computed("work", listing, rows, &units.collect::<Vec<_>>());
        let columns = self.columns.iter().flatten().copied();
        let own = columns.filter(|field| field.is_computed());
        let columns = computed("computed", listing, rows, &own.collect::<Vec<_>>());
        let bills = self.priced.job.map_or_else(String::new, |(job, model)| {
            let bills = bills(listing, rows, &job, model);
            format!(",\n\"job\": {},\n\"bills\": {}", job_json(&job, listing), json!(bills))
        });
        let all = records(listing, rows, members, self.secrets).enumerate();
        let records = all.flat_map(|(index, record)| {
            let gap = if index > 0 { ",\n" } else { "" };
            [Cow::Borrowed(gap), record]
        });
        let (catalog, version) = (listing.catalog(), output::DOCUMENT_VERSION);
        let kind = match catalog.resource {
            Resource::Offers => "offers",
            Resource::Volumes => "volumes",
            Resource::Workergroups => "groups",
        };
        let start = format!("{{\"v\": {version}, \"kind\": \"{kind}\", \"{}\": [", catalog.list_key);
        std::iter::once(Cow::Owned(start)).chain(records).chain([
            Cow::Owned(format!(
                "],\n\"matches\": {}, \"complete\": {}",
                extent.matches, extent.is_complete
            )),
            Cow::Owned(bills),
            Cow::Owned(work),
            Cow::Owned(columns),
            Cow::Borrowed("}\n"),
        ])
    }

    /// The records as JSON, one per line, each with bourse's member if there are any; without secrets unless
    /// requested.
    pub fn json_lines<'l>(
        &self,
        listing: &'l Listing,
        rows: &'l [u32],
        members: &'l [Json],
    ) -> impl Iterator<Item = Cow<'l, str>> {
        // A line break in JSON is never part of a text.
        records(listing, rows, members, self.secrets).map(|record| Cow::Owned(record.replace(['\n', '\r'], " ") + "\n"))
    }
}

/// A member of the document with the computed columns `fields` of each row and its id; empty without columns.
fn computed(member: &str, listing: &Listing, rows: &[u32], fields: &[&Field]) -> String {
    if fields.is_empty() {
        return String::new();
    }
    let values = rows.iter().map(|row| {
        let row = *row as usize;
        let id = listing.id(row).map(|id| id.0);
        let mut values = serde_json::Map::from_iter([("id".to_owned(), json!(id))]);
        for field in fields {
            let number = listing.cell(row, field).number();
            values.insert(field.key.to_owned(), json!(number));
        }
        Json::Object(values)
    });
    format!(",\n\"{member}\": {}", Json::Array(values.collect()))
}

/// A job in JSON, with the unit of network speeds if it downloads.
///
/// A job given as work has no hours of its own: they depend on the offer.
pub fn job_json(job: &Job, listing: &Listing) -> Json {
    let mut json = json!(job);
    if job.is_work() {
        json["run_hours"] = Json::Null;
    }
    if job.downloads() {
        json["speed_unit"] = json!(listing.transfer().symbol());
    }
    json
}

/// The bill of a job on each row, in order; a bill that cannot be computed has the reason.
fn bills(listing: &Listing, rows: &[u32], job: &Job, model: OfferType) -> Vec<Bill> {
    let (prices, now) = (Prices::new(listing, model), listing.read_at());
    let bill = |row: &u32| {
        let row = *row as usize;
        let result = match prices.job_cost(row, job, now) {
            Err(gap) => BillResult::Unknown {
                total: (),
                error: gap.to_string(),
            },
            Ok(cost) => {
                let work = job.work.zip(cost.per_unit);
                let in_time = cost.in_time.map(Outlives::parts);
                BillResult::Known(Box::new(BillParts {
                    total: cost.total,
                    hours: cost.hours,
                    download_hours: cost.download,
                    gpu: cost.gpu,
                    storage_running: cost.storage_running,
                    storage_stopped: cost.storage_stopped,
                    traffic_in: cost.traffic_in,
                    traffic_out: cost.traffic_out,
                    fits: prices.fits(row, job, now),
                    per_unit: work
                        .map(|(work, cost)| (work.unit.column(), cost))
                        .into_iter()
                        .collect(),
                    in_time: in_time.map(|(is_in_time, _)| is_in_time),
                    slack_hours: in_time.map(|(_, slack)| slack),
                }))
            }
        };
        Bill {
            id: listing.id(row).map(|id| id.0),
            result,
        }
    };
    rows.iter().map(bill).collect()
}

/// The fields of a list such as `id,gpu_name,price`; an unknown field is an error, and a secret one without
/// `secrets`.
fn chosen(text: &str, catalog: &'static Catalog, secrets: bool) -> Result<Vec<&'static Field>, CliError> {
    let wrong = |error: LanguageError| CliError::Usage(format!("in the columns:\n{}", error.render(text)));
    let columns = language::parse_columns(text, catalog).map_err(wrong)?;
    for column in &columns {
        if column.kind == Kind::Secret && !secrets {
            let message = format!("{} is secret: add --show-secrets to print it", column.key);
            return Err(CliError::Usage(message));
        }
    }
    Ok(columns)
}

/// A table of columns under a line of headers, at most `width` terminal cells wide if given: the least
/// important columns are dropped first, and the only one left may be wider.
fn table(
    listing: &Listing,
    rows: &[u32],
    fields: &[&'static Field],
    dialect: &Dialect,
    width: Option<usize>,
) -> String {
    let header = fields.iter().map(|field| listing.header(field, dialect).into_owned());
    let mut lines = vec![with_widths(header)];
    lines.extend(rows.iter().map(|row| {
        let cells = fields.iter();
        with_widths(cells.map(|field| format::cell(listing, *row as usize, field, WIDEST)))
    }));
    let widths = widths(&lines);
    let kept = fitting(fields, &widths, width);
    laid_out(&lines, &widths, &kept, |column| fields[column].kind.is_numeric())
}

/// Each cell with its width in terminal cells.
fn with_widths(cells: impl Iterator<Item = String>) -> Vec<(usize, String)> {
    cells.map(|cell| (text::width(&cell), cell)).collect()
}

/// The width of each column, that of its widest cell; lines may lack the last columns.
fn widths(lines: &[Vec<(usize, String)>]) -> Vec<usize> {
    let columns = lines.iter().map(Vec::len).max().unwrap_or(0);
    let widest = |column: usize| {
        let cells = lines.iter().filter_map(|cells| cells.get(column));
        cells.map(|(width, _)| *width).max().unwrap_or(0)
    };
    (0..columns).map(widest).collect()
}

/// The text of lines with the columns of these indices, each cell padded to the width of its column, on the
/// left if `is_right`. Two blanks separate columns; a line has none at its end.
fn laid_out(
    lines: &[Vec<(usize, String)>],
    widths: &[usize],
    columns: &[usize],
    is_right: impl Fn(usize) -> bool,
) -> String {
    let mut out = String::new();
    for cells in lines {
        let start = out.len();
        for (index, column) in columns.iter().enumerate() {
            let Some((width, cell)) = cells.get(*column) else {
                continue;
            };
            let padding = std::iter::repeat_n(' ', widths[*column] - width);
            if index > 0 {
                out.push_str("  ");
            }
            if is_right(*column) {
                out.extend(padding);
                out.push_str(cell);
            } else {
                out.push_str(cell);
                out.extend(padding);
            }
        }
        out.truncate(start + out[start..].trim_end().len());
        out.push('\n');
    }
    out
}

/// The indices of the columns that fit into `width` cells, in order, the least important dropped first, but
/// at least one; all without a width.
fn fitting(fields: &[&'static Field], widths: &[usize], width: Option<usize>) -> Vec<usize> {
    let mut kept: Vec<usize> = (0..fields.len()).collect();
    let Some(width) = width else {
        return kept;
    };
    while kept.len() > 1 && kept.iter().map(|column| widths[*column] + 2).sum::<usize>() > width + 2 {
        let least = kept
            .iter()
            .copied()
            .max_by_key(|column| fields[*column].column.priority);
        kept.retain(|column| Some(*column) != least);
    }
    kept
}

/// The records exactly as received, those without JSON left out, each with its member `bourse` if `members`
/// has one; without secrets unless requested.
fn records<'l>(
    listing: &'l Listing,
    rows: &'l [u32],
    members: &'l [Json],
    secrets: bool,
) -> impl Iterator<Item = Cow<'l, str>> {
    rows.iter().enumerate().filter_map(move |(index, row)| {
        let json = listing.json(*row as usize)?;
        let record = if secrets {
            Cow::Borrowed(json)
        } else {
            Cow::Owned(redact::without_possible_secrets(json))
        };
        Some(match members.get(index) {
            Some(member) => enrich::with_member(&record, member).into(),
            None => record,
        })
    })
}

/// The environment variables `BOURSE_OFFER`, `_MACHINE`, `_MODEL`, `_PRICE` ($/h, of volumes $/GB/month) and
/// `_COUNT` for a user's command: values of the row, empty if missing, and the number `count` of offers.
pub fn variables(listing: &Listing, row: u32, count: usize) -> Vec<(&'static str, String)> {
    let text = |key: &str| {
        let field = listing.catalog().by_key(key)?;
        let cell = listing.cell(row as usize, field);
        let whole = cell.whole().map(|whole| whole.to_string());
        let number = whole.or_else(|| Some(cell.number()?.to_string()));
        number.or_else(|| Some(listing.text(row as usize, field)?.screen(64)))
    };
    let price = match listing.catalog().resource {
        Resource::Volumes => "storage_cost",
        Resource::Offers | Resource::Workergroups => "dph_total",
    };
    let id = listing.id(row as usize).map(|id| id.to_string());
    [
        ("BOURSE_OFFER", id),
        ("BOURSE_MACHINE", text("machine_id")),
        ("BOURSE_MODEL", text("gpu_name")),
        ("BOURSE_PRICE", text(price)),
        ("BOURSE_COUNT", Some(count.to_string())),
    ]
    .into_iter()
    .map(|(name, value)| (name, value.unwrap_or_default()))
    .collect()
}

/// The width of the terminal in cells, at least 20; `None` if standard output is none, or its width is
/// unknown.
fn terminal_width() -> Option<usize> {
    use std::io::IsTerminal as _;
    std::io::stdout()
        .is_terminal()
        .then(|| crossterm::terminal::size().ok())
        .flatten()
        // A pseudo-terminal without a size reports 0.
        .map(|(columns, _)| usize::from(columns).max(20))
}

/// A small table: a left-aligned column of names, then right-aligned columns of numbers.
pub fn plain(rows: &[Vec<String>]) -> String {
    aligned(rows, |column| column > 0)
}

/// A small table of left-aligned texts.
pub fn left(rows: &[Vec<String>]) -> String {
    aligned(rows, |_| false)
}

/// A small table with two blanks between columns; those for which `is_right` is true are right-aligned. A
/// cell over 4,096 wide is cut.
fn aligned(rows: &[Vec<String>], is_right: impl Fn(usize) -> bool) -> String {
    // Paths and queries are printed whole; a server's text may be megabytes.
    const MOST: usize = 4096;
    let lines = rows.iter().map(|row| {
        let cells = row.iter();
        with_widths(cells.map(|cell| truncate(cell, MOST)))
    });
    let lines: Vec<_> = lines.collect();
    let widths = widths(&lines);
    let columns: Vec<usize> = (0..widths.len()).collect();
    laid_out(&lines, &widths, &columns, is_right)
}
