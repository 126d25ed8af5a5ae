//! The parts of a watch that only a single search has: conditions that end it, and the additions of
//! `--with`.

use serde_json::Value as Json;

use super::watcher::Output;
use crate::cli::enrich;
use crate::cli::notes;
use crate::cli::output::{self, CliError};
use crate::cli::search::SearchResult;
use crate::cli::table;
use crate::cli::wanted::Wanted;
use crate::domain::format::counted;
use crate::domain::insight::Supply;
use crate::domain::language::Mode;
use crate::domain::{Condition, Resource, RowId, language, plain};
use crate::features::history::arguments::{WatchArguments, WatchFormat};
use crate::features::history::command as history;
use crate::features::history::command::rfc3339;
use crate::features::history::document;
use crate::features::history::document::Members;
use crate::process;
use crate::record::{Event, EventKind, Moment};
use crate::settings::Settings;

/// A search, with the conditions that end its watch.
pub struct OneSearch<'a> {
    settings: &'a Settings,
    options: &'a WatchArguments,
    pub wanted: Wanted,
    /// The conditions of `--if`, which end the watch.
    pub conditions: Option<Vec<Condition>>,
}

impl<'a> OneSearch<'a> {
    /// The search of the command line to watch, with its conditions.
    ///
    /// # Errors
    ///
    /// When it, `--exec` or `--with` is invalid, or its conditions can never be met.
    pub fn new(settings: &'a Settings, options: &'a WatchArguments) -> Result<Self, CliError> {
        let mut wanted = history::wanted(settings, &options.search, Some(options.limit))?;
        wanted.additions.clone_from(&options.with);
        let conditions = conditions(settings, options, &wanted)?;
        wanted.need(conditions.iter().flatten().map(|condition| condition.field));
        if let Some(command) = &options.exec {
            process::command_words(command).map_err(|error| CliError::Usage(format!("--exec: {error}")))?;
        }
        let is_json = options.format != WatchFormat::Text;
        enrich::check(&options.with, is_json, "--format jsonl", wanted.job.is_some())?;
        notes::warn(&wanted.query, settings.dialect);
        Ok(Self {
            settings,
            options,
            wanted,
            conditions,
        })
    }

    /// The additions of `--with` for an event, as JSON: `None` unless it is the change of an offer in the
    /// response, additions are named and the output is JSON.
    pub fn member(&self, event: &Event, result: &SearchResult) -> Option<Json> {
        let EventKind::Change { change, .. } = &event.kind else {
            return None;
        };
        if self.options.format == WatchFormat::Text {
            return None;
        }
        let index = result.listing.row(RowId(change.offer))?;
        let row = u32::try_from(index).ok()?;
        enrich::members(self.settings, result, &[row], &self.options.with).pop()
    }

    /// The output for the end of the watch and the variables for `--exec`, with the number of offers that
    /// meet the conditions of `--if` and the first of them; `None` if they are fewer than `--count`, or
    /// without conditions.
    ///
    /// Offers of one machine that share GPUs count once.
    pub fn met(&self, result: &SearchResult, at: Moment) -> Option<(Output, Vec<(&'static str, String)>)> {
        let meets = result.listing.matching(self.conditions.as_ref()?.iter());
        let rows = result.rows.iter().copied();
        let rows: Vec<u32> = rows.filter(|row| meets.binary_search(row).is_ok()).collect();
        // Slices of a machine that share GPUs cannot be rented together.
        let resource = result.query.resource;
        let count = match resource {
            Resource::Offers => {
                let supply = Supply::new(&result.listing, &rows);
                supply.pick_workers(|_| Some(1.0)).most_workers()
            }
            Resource::Volumes | Resource::Workergroups => rows.len(),
        };
        let best = rows.first().filter(|_| count >= self.options.count as usize)?;
        let number = counted(count, resource.noun(), resource.nouns());
        let event = Output::Event {
            text: format!("met: {number}"),
            document: document::WatchEvent {
                at: rfc3339(at),
                event: "met",
                members: Members::Met {
                    count,
                    offer_id: result.listing.id(*best as usize).map(|id| id.0),
                },
                searches: None,
            },
            member: None,
            ring: None,
        };
        Some((event, table::variables(&result.listing, *best, count)))
    }
}

/// The conditions of `--if`, which end the watch; `None` without the flag. Prints the meaning of plain words
/// in them, unless output is quiet.
///
/// A usage error if they cannot be parsed, are empty, lack a prerequisite, or can never be met.
fn conditions(
    settings: &Settings,
    options: &WatchArguments,
    wanted: &Wanted,
) -> Result<Option<Vec<Condition>>, CliError> {
    let Some(text) = &options.condition else {
        return Ok(None);
    };
    let catalog = wanted.query.catalog();
    let reading = plain::read(text, catalog, settings.dialect, &plain::Names::default());
    let parsed = reading
        .parse(catalog, settings.dialect, &[], Mode::Strict)
        .map_err(|error| CliError::Usage(format!("in --if:\n{}", error.render(text))))?;
    if !reading.is_empty() {
        output::print_unless_quiet(&format!("--if understood: {}", reading.meaning.text()));
    }
    let mut asked = wanted.clone();
    asked.query.conditions.clone_from(&parsed.conditions);
    asked.check_needs(&settings.preferences.config.values.throughput)?;
    if parsed.conditions.is_empty() {
        return Err(CliError::Usage("--if: no condition".to_owned()));
    }
    let all = parsed.conditions.iter().chain(wanted.query.active());
    if let Some(never) = language::find_contradiction(all) {
        return Err(CliError::Usage(format!("--if can never be met: {never}")));
    }
    if options.limit > 0 && options.count > options.limit {
        let (count, limit) = (options.count, options.limit);
        return Err(CliError::Usage(format!(
            "--count {count} can never be met: --limit loads {limit}"
        )));
    }
    Ok(Some(parsed.conditions))
}
