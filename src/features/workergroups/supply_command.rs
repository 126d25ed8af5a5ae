//! `bourse groups supply`: the offers that workergroups' searches find, and the costs of workers
//! and cold starts.

use std::fmt::Write as _;

use super::document;
use super::document::{GroupSupply, Supply, SupplyFigures, SupplyResult};
use super::look::Look;
use super::preflight::{parts, summary};
use crate::api::{Request, Session};
use crate::cli::args::{ReplyFormat, SearchArguments};
use crate::cli::documents::WorstCase;
use crate::cli::output::{self, CliError};
use crate::cli::supply_args::SupplyArguments;
use crate::cli::{search, wanted, write};
use crate::domain::cost::ColdStart;
use crate::domain::format::{NONE, dollars, span};
use crate::domain::insight::Coverage;
use crate::domain::workergroup::{Preflight, Recruitment, UnknownCost, WorkerOffer};
use crate::domain::{Resource, RowId, Untrusted};
use crate::settings::Settings;
use crate::tui::theme::Theme;

/// Maximum number of offers listed for a group as text.
const MOST: usize = 10;

/// A workergroup with the report on its search.
struct GroupRow {
    id: Option<RowId>,
    endpoint: Option<Untrusted>,
    /// The search and its report, or the reason there is none.
    found: Result<(Look, Preflight), UnknownCost>,
    start: Option<ColdStart>,
}

/// Runs `bourse groups supply`: prints the supply of the workergroups that meet the conditions.
///
/// # Errors
///
/// When the workergroups cannot be listed, or the supply of one is unknown.
pub(super) async fn supply(settings: &Settings, arguments: &SupplyArguments) -> Result<(), CliError> {
    let search = SearchArguments {
        query: arguments.query.clone(),
        ..SearchArguments::default()
    };
    let query = wanted::query(settings, Resource::Workergroups, &search, false)?;
    let connection = settings.connect().await?;
    let session = &connection.session;
    let listing = search::fetch(session, &Request::ListWorkergroups).await;
    settings.keep_pacing(session);
    let listing = listing?;
    let writes = write::written(settings, session);
    let values = &settings.preferences.config.values;
    let starts = arguments.starts.unwrap_or(values.starts);
    let mut reports: Vec<(Recruitment, Preflight)> = Vec::new();
    let mut groups = Vec::new();
    for row in search::rows(&listing, &query, settings.dialect) {
        let row = row as usize;
        let look = Look::at_row(&listing, row, settings.dialect, &writes);
        let sized = look.as_ref().ok().and_then(|look| look.cold_start(values));
        let gb = arguments.size.or(sized.map(|start| start.gb));
        let start = gb.map(|gb| ColdStart {
            gb,
            loading: arguments.loading.unwrap_or_else(|| f64::from(values.loading)),
        });
        let found = match look {
            Ok(look) => cached_report(settings, session, &look.search, &mut reports)
                .await
                .map(|report| (look, report)),
            Err(error) => Err(UnknownCost::Failed(error.to_string())),
        };
        let endpoint = listing.catalog().by_key("endpoint_name");
        groups.push(GroupRow {
            id: listing.id(row),
            endpoint: endpoint.and_then(|field| listing.column(field).text(row)).cloned(),
            found,
            start,
        });
    }
    settings.keep_pacing(session);
    if groups.is_empty() {
        output::note("no workergroups match");
    }
    print_supply(&groups, starts, arguments.format)
}

/// Prints the supply of workergroups; `starts` is the number of cold starts a day.
///
/// # Errors
///
/// When it cannot be printed, or that of a group is unknown.
fn print_supply(groups: &[GroupRow], starts: u32, format: ReplyFormat) -> Result<(), CliError> {
    let is_unknown = groups.iter().any(|group| group.found.is_err());
    match format {
        ReplyFormat::Text => {
            let texts: Vec<String> = groups.iter().map(|group| group.text(starts)).collect();
            output::print(&texts.join("\n"))?;
        }
        ReplyFormat::Json => {
            let groups = groups.iter().map(|group| group.supply(starts)).collect();
            output::print_document("supply", Supply { groups })?;
        }
    }
    if is_unknown {
        return Err(CliError::Failed(
            "the supply of some workergroups is unknown".to_owned(),
        ));
    }
    Ok(())
}

/// The report on the supply of a workergroup's search: from `reports` if an equal search is there, otherwise
/// loaded and added to them; the reason it is unknown if loading fails.
pub(super) async fn cached_report(
    settings: &Settings,
    session: &Session,
    search: &Recruitment,
    reports: &mut Vec<(Recruitment, Preflight)>,
) -> Result<Preflight, UnknownCost> {
    if let Some((_, report)) = reports.iter().find(|(known, _)| known == search) {
        return Ok(report.clone());
    }
    let report = write::supply_report(settings, session, search).await?;
    reports.push((search.clone(), report.clone()));
    Ok(report)
}

impl GroupRow {
    /// The supply of the group as text: a heading, the report, and up to 10 of its cheapest offers; or the
    /// reason it is unknown.
    fn text(&self, starts: u32) -> String {
        let id = self.id.map_or_else(|| NONE.to_owned(), |id| id.to_string());
        let endpoint = self.endpoint.as_ref();
        let endpoint = endpoint.map_or_else(String::new, |name| format!(" ({})", name.screen(32)));
        let (look, report) = match &self.found {
            Ok(found) => found,
            Err(why) => return format!("Workergroup {id}{endpoint}: {why}\n"),
        };
        let (theme, start) = (&Theme::DARK, self.start);
        let mut lines = summary::of_report(report, look, (start, starts), theme);
        if start.is_none() {
            let cost = parts::cold_start(report, start, starts);
            lines.push(parts::labelled("Cold start", cost, theme.text, theme));
        }
        lines.extend(look.notes.iter().map(|note| parts::signed("-", note, theme.text)));
        let mut text = format!("Workergroup {id}{endpoint}\n");
        for line in lines {
            let _ = writeln!(text, "  {line}"); // writing to a String cannot fail
        }
        if !report.cheapest.is_empty() {
            let head = ["ID", "GPUs", "Country", "$/h", "Start $", "Ready in"];
            text.push_str(&row(head.map(str::to_owned)));
        }
        for offer in report.cheapest.iter().take(MOST) {
            let cost = offer.start.zip(self.start).map(|(terms, start)| terms.cost(start));
            text.push_str(&row([
                offer.id.to_string(),
                offer.gpus.screen(20),
                offer.country.screen(7),
                format!("{:.4}", offer.price),
                cost.map_or_else(|| NONE.to_owned(), |cost| dollars(cost.total())),
                cost.map_or_else(|| NONE.to_owned(), |cost| span(cost.seconds())),
            ]));
        }
        text
    }

    /// The supply of the group for the printed document.
    fn supply(&self, starts: u32) -> GroupSupply {
        GroupSupply {
            id: self.id.map(|id| id.0),
            endpoint: self.endpoint.as_ref().map(|name| name.unescaped().to_owned()),
            result: match &self.found {
                Ok((look, report)) => SupplyResult::Found(Box::new(self.figures(look, report, starts))),
                Err(why) => SupplyResult::Unknown { error: why.to_string() },
            },
        }
    }

    /// The figures of a report for the printed document, prices in $/h; costs a day are for `starts` cold
    /// starts.
    fn figures(&self, look: &Look, report: &Preflight, starts: u32) -> SupplyFigures {
        let a_day = f64::from(starts);
        let range = self
            .start
            .and_then(|start| Some((start, report.cold_start_costs(start)?)));
        let cold_start = range.map(|(start, range)| document::ColdStart {
            gb: start.gb,
            loading_seconds: start.loading,
            starts_a_day: starts,
            least: range.least.total(),
            median: range.median.total(),
            most: range.most.total(),
            least_a_day: range.least.total() * a_day,
            median_a_day: range.median.total() * a_day,
            most_a_day: range.most.total() * a_day,
            not_reported: range.unknown,
        });
        let offer = |offer: &WorkerOffer| {
            let cost = offer.start.zip(self.start).map(|(terms, start)| terms.cost(start));
            document::WorkerOffer {
                id: offer.id.0,
                gpus: offer.gpus.unescaped().to_owned(),
                country: offer.country.unescaped().to_owned(),
                hourly: offer.price,
                start: cost.map(|cost| document::WorkerStart {
                    download_seconds: cost.download,
                    loading_seconds: cost.loading,
                    traffic: cost.traffic,
                    machine: cost.machine,
                    total: cost.total(),
                    total_a_day: cost.total() * a_day,
                }),
            }
        };
        SupplyFigures {
            machines: report.recruitable.machines,
            gpus: report.recruitable.gpus,
            complete: report.coverage == Coverage::Whole,
            lowest: report.prices.map(|prices| prices.lowest),
            median: report.prices.map(|prices| prices.median),
            highest: report.prices.map(|prices| prices.highest),
            worst_case: WorstCase::new(&look.outlook(Ok(report))),
            cold_start,
            notes: look.notes.clone(),
            offers: report.cheapest.iter().map(offer).collect(),
        }
    }
}

/// A line of the table of a workergroup's offers, with its cells aligned.
fn row([id, gpus, country, hourly, start, ready]: [String; 6]) -> String {
    format!("  {id:>10}  {gpus:<20}  {country:<7}  {hourly:>8}  {start:>8}  {ready:>8}\n")
}
