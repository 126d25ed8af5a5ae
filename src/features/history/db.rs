//! `bourse db`: the file of recorded prices.

use std::fmt::Write as _;

use super::arguments::DbCommand;
use super::command::{end_name, rfc3339};
use super::document;
use super::figures::csv_cells;
use crate::api::client::current_time;
use crate::cli::args::{ExportFormat, ReplyFormat};
use crate::cli::output;
use crate::cli::output::CliError;
use crate::domain::export::csv_lines;
use crate::domain::format::{counted, moment, size};
use crate::record::store::{Database, ExportedSpell, HistoryError};
use crate::settings::Settings;

/// Number of lines that are printed at a time.
///
/// A record has hundreds of thousands of spells: all at once would fill the memory, line by line
/// would be slow.
const BATCH: usize = 1000;

impl From<HistoryError> for CliError {
    fn from(error: HistoryError) -> Self {
        Self::Failed(error.to_string())
    }
}

/// Runs `bourse db`: checks, shrinks or exports the file of recorded prices, which is created if there is
/// none, or moves it aside. `Err` if the profile has no place for the file (a frozen sandbox, no home
/// directory), if the file cannot be opened or moved, or if a check finds damage.
pub fn db(settings: &Settings, command: DbCommand) -> Result<(), CliError> {
    let history = settings.history_location();
    let Some(path) = &history.path else {
        let why = "nothing is saved for a frozen sandbox or without a home directory";
        return Err(CliError::Failed(why.to_owned()));
    };
    let shown = path.display();
    if let DbCommand::Reset(options) = command {
        let today = moment(current_time());
        let date = today.split(' ').next().unwrap_or_default();
        let aside = Database::set_aside(path, date)
            .map_err(|error| CliError::Failed(format!("can't move {shown}: {error}")))?;
        if options.format == ReplyFormat::Json {
            let content = document::DbReset {
                file: shown.to_string(),
                moved_to: aside.map(|aside| aside.display().to_string()),
            };
            return output::print_document("db-reset", content);
        }
        return output::print(&match aside {
            Some(aside) => format!("Moved to {}\n", aside.display()),
            None => format!("Nothing is recorded in {shown}\n"),
        });
    }
    let mut database = history.open()?;
    match command {
        DbCommand::Check(options) => check(&database, &shown.to_string(), options.format),
        DbCommand::Vacuum(options) => {
            let before = database.contents()?.size;
            database.vacuum(current_time().moment())?;
            let after = database.contents()?.size;
            if options.format == ReplyFormat::Json {
                let content = document::DbVacuum {
                    file: shown.to_string(),
                    bytes_before: before,
                    bytes: after,
                };
                return output::print_document("db-vacuum", content);
            }
            output::print(&format!("{} → {}\n", bytes(before), bytes(after)))
        }
        DbCommand::Export { format } => export(&database, format),
        DbCommand::Reset(_) => Ok(()),
    }
}

/// A number of bytes as text: `14.2 kB`; a negative one as the largest.
fn bytes(number: i64) -> String {
    size(usize::try_from(number).unwrap_or(usize::MAX))
}

/// Prints the contents of the file; `Err` with a list of the damage if it is corrupt. `shown` is its path as
/// text.
fn check(database: &Database, shown: &str, format: ReplyFormat) -> Result<(), CliError> {
    let wrong = database.check()?;
    if !wrong.is_empty() {
        let list = wrong.join("\n");
        return Err(CliError::Failed(format!(
            "{shown} is corrupt. bourse db reset moves it aside and starts a new one\n{list}"
        )));
    }
    let contents = database.contents()?;
    if format == ReplyFormat::Json {
        let content = document::DbCheck {
            file: shown.to_owned(),
            searches: contents.searches,
            polls: contents.polls,
            prices: contents.prices,
            bytes: contents.size,
            first: contents.span.map(|(first, _)| rfc3339(first)),
            last: contents.span.map(|(_, last)| rfc3339(last)),
        };
        return output::print_document("db-check", content);
    }
    let count =
        |number: i64, singular, plural| counted(usize::try_from(number).unwrap_or(usize::MAX), singular, plural);
    let mut text = format!(
        "{shown}: no damage\n{}, {}, {}, {}\n",
        count(contents.searches, "search", "searches"),
        count(contents.polls, "poll", "polls"),
        count(contents.prices, "price", "prices"),
        bytes(contents.size)
    );
    if let Some((first, last)) = contents.span {
        let (first, last) = (rfc3339(first), rfc3339(last));
        let _ = writeln!(text, "from {first} to {last}"); // writing to a String cannot fail
    }
    output::print(&text)
}

/// Prints every recorded price with its times, a line each, in batches of 1,000 lines.
fn export(database: &Database, format: ExportFormat) -> Result<(), CliError> {
    let mut lines: Vec<String> = Vec::new();
    if format == ExportFormat::Csv {
        lines.push(csv_lines([HEAD.map(str::to_owned)]));
    }
    database.export(|spell| {
        lines.push(match format {
            ExportFormat::Jsonl => format!("{}\n", output::document("price", document_of(spell))),
            ExportFormat::Csv => csv_lines([csv_cells(&HEAD, &document_of(spell))]),
        });
        if lines.len() >= BATCH {
            print(format, &std::mem::take(&mut lines))?;
        }
        Ok::<_, CliError>(())
    })?;
    print(format, &lines)
}

/// Prints lines that have their line ends already, in the format of the export.
fn print(format: ExportFormat, lines: &[String]) -> Result<(), CliError> {
    let text = lines.concat();
    match format {
        ExportFormat::Jsonl => output::print_json(&text),
        ExportFormat::Csv => output::print(&text),
    }
}

const HEAD: [&str; 13] = [
    "resource",
    "type",
    "conditions",
    "machine_id",
    "model",
    "host_id",
    "offer_id",
    "amount",
    "price",
    "first",
    "last",
    "end",
    "ended",
];

/// The document of a recorded price: its search, its lot, and when it was first and last seen and ended.
fn document_of(exported: &ExportedSpell) -> document::RecordedPrice {
    let (search, spell) = (&exported.search, &exported.spell);
    document::RecordedPrice {
        resource: search.resource.nouns().to_owned(),
        offer_type: search.offer_type.wire().to_owned(),
        conditions: search.conditions.clone(),
        machine_id: spell.lot.machine,
        model: spell.lot.model.to_string(),
        host_id: spell.host,
        offer_id: spell.offer,
        amount: spell.amount,
        price: spell.price,
        first: rfc3339(spell.first),
        last: rfc3339(spell.last),
        end: spell.end.map(|(end, _)| end_name(end).to_owned()),
        ended: spell.end.map(|(_, at)| rfc3339(at)),
    }
}
