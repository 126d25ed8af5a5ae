//! `bourse history`: the recorded prices of a search.

use jiff::tz::TimeZone;

use super::arguments::{HistoryArguments, WatchedSearch};
use super::document;
use super::document::VerdictResult;
use super::figures::{csv, shown};
use super::prices::series::{Bucket, PriceSeries, Series};
use crate::cli::args::ReportFormat;
use crate::cli::args::SearchArguments;
use crate::cli::output::CliError;
use crate::cli::wanted::Wanted;
use crate::cli::{output, recorded, table, wanted};
use crate::domain::format::{percent, trimmed, unit_price};
use crate::domain::local::LocalTime;
use crate::domain::{Operator, Query, Resource, Value};
use crate::record::{
    Cause, CheapestKind, DAY, Ending, LEAST_WATCHED, Levels, Memory, Moment, Question, SearchKey, VERDICT_DAYS,
    Verdict, VerdictBasis, nothing_known_sentence, price_unit,
};
use crate::settings::Settings;

/// Number of rows of the table or CSV per day, for a short and for a long time.
const PER_DAY: [usize; 2] = [24, 1];

/// The search of the arguments, the cheapest offers first, with at most `limit` rows; `Err` for a condition
/// on the prices of other price types, which are not recorded.
pub fn wanted(settings: &Settings, options: &WatchedSearch, limit: Option<u32>) -> Result<Wanted, CliError> {
    let resource = if options.volumes {
        Resource::Volumes
    } else {
        Resource::Offers
    };
    let arguments = SearchArguments {
        query: options.query.clone(),
        // Offers that a limit leaves out are the most expensive ones.
        order: Some(match resource {
            Resource::Volumes => "storage_cost".to_owned(),
            Resource::Offers | Resource::Workergroups => "dph_total".to_owned(),
        }),
        limit,
        no_bans: options.no_bans,
        ..SearchArguments::default()
    };
    let mut wanted = wanted::wanted(
        settings,
        resource,
        &arguments,
        options.no_default,
        wanted::Flags::default(),
    )?;
    if wanted.needs_price_models() {
        let message = "prices of other price models are not watched: leave out the condition on them";
        return Err(CliError::Usage(message.to_owned()));
    }
    let query = &mut wanted.query;
    query.offer_type = options.offer_type.unwrap_or(query.offer_type);
    Ok(wanted)
}

/// Runs `bourse history`: prints the recorded prices of a search and the verdict on its lowest price. If
/// nothing is recorded, that is noted. With `--fail-empty` it is an error if nothing is recorded, or nothing
/// was on offer.
pub fn history(settings: &Settings, options: &HistoryArguments) -> Result<(), CliError> {
    let wanted = wanted(settings, &options.search, None)?;
    let query = narrowed_query(&wanted.query, options)?;
    let (database, until) = recorded::without_banned(settings, &wanted)?;
    let question = Question::of_last(i64::from(options.days) * DAY, query, until);
    let buckets = usize::from(options.days) * PER_DAY[usize::from(options.days > 2)];
    let prices = PriceSeries { question, buckets };
    let Some(series) = database.ask(&prices)? else {
        output::note("nothing is recorded of this search: bourse watch records it");
        print_nothing(options, &prices.question, settings)?;
        return output::require_rows(options.fail_empty, true);
    };
    let kind = database.ask(&CheapestKind(prices.question.clone()))?;
    let query = prices.question.query;
    let like = kind.as_ref().map_or(&query, |kind| &kind.query);
    let mut memory = database.ask(&VerdictBasis::new(like.clone(), until))?;
    if let Some(memory) = &mut memory {
        memory.card_gb = kind.as_ref().and_then(|kind| kind.card_gb);
    }
    let report = Report {
        rows: options.rows.map_or(usize::MAX, |rows| rows as usize),
        series,
        memory,
        unit: price_unit(query.resource, query.storage_gb()),
        search: SearchKey::new(&query),
        zone: TimeZone::system(),
        is_simulated: settings.is_sandbox(),
    };
    match options.format {
        ReportFormat::Table => output::print(&report.table())?,
        ReportFormat::Csv => output::print(&csv(&HEAD, &report.document(None).series))?,
        ReportFormat::Json => {
            output::print_document("history", report.document(recorded::simulated(settings)))?;
        }
    }
    // Searches that found nothing are recorded, too.
    let is_empty = report.series.buckets.iter().all(|bucket| bucket.levels.is_none());
    output::require_rows(options.fail_empty, is_empty)
}

/// The query of the arguments, narrowed to the model and the machine (of volumes, the cluster) of the flags.
///
/// # Errors
///
/// When a model is given for volumes, which have none.
pub fn narrowed_query(query: &Query, options: &HistoryArguments) -> Result<Query, CliError> {
    let mut query = query.clone();
    let machine = match query.resource {
        Resource::Volumes if options.model.is_some() => {
            return Err(CliError::Usage("volumes have no model: leave out --model".to_owned()));
        }
        Resource::Volumes => "cluster_id",
        Resource::Offers | Resource::Workergroups => "machine_id",
    };
    if let Some(model) = options.model.clone() {
        query = query.with("gpu_name", Operator::Eq, Value::Text(model));
    }
    Ok(match options.machine {
        Some(id) => query.with(machine, Operator::Eq, Value::id(id.into())),
        None => query,
    })
}

/// Prints the report of a search that is not recorded, in the format of the flags.
fn print_nothing(options: &HistoryArguments, question: &Question, settings: &Settings) -> Result<(), CliError> {
    match options.format {
        ReportFormat::Table => output::print(&(nothing_known_sentence() + "\n")),
        ReportFormat::Csv => output::print(&csv(&HEAD, &[] as &[document::SeriesPoint])),
        ReportFormat::Json => {
            let query = &question.query;
            let search = SearchKey::new(query);
            let document = document::History {
                conditions: search.conditions,
                offer_type: search.offer_type.wire(),
                unit: price_unit(query.resource, query.storage_gb()),
                since: rfc3339(question.since),
                until: rfc3339(question.until),
                simulated: recorded::simulated(settings),
                ..document::History::default()
            };
            output::print_document("history", document)
        }
    }
}

const HEAD: [&str; 8] = ["from", "until", "lowest", "p20", "median", "p80", "amount", "watched"];

struct Report {
    /// Maximum number of lines in the table.
    rows: usize,
    series: Series,
    memory: Option<Memory>,
    unit: String,
    search: SearchKey,
    /// The user's time zone, in which times are shown.
    zone: TimeZone,
    is_simulated: bool,
}

impl Report {
    /// The lowest price in the last poll; `None` if it had no offers, or nothing was polled.
    fn lowest(&self) -> Option<f64> {
        Some(self.series.now?.levels?.lowest)
    }

    /// The steps of the time with anything recorded: watched for some of it, or with a price or an amount.
    fn watched(&self) -> impl Iterator<Item = &Bucket> {
        let buckets = self.series.buckets.iter();
        buckets.filter(|bucket| bucket.watched > 0.0 || bucket.levels.is_some() || bucket.amount.is_some())
    }

    /// The newest recorded steps of the time, at most `rows`, as a text table above the sentences.
    fn table(&self) -> String {
        let from = format!("From ({})", zone_name(&self.zone));
        let titles = [&from, "Low", "P20", "Median", "P80", "On offer", "Watched"];
        let mut rows = vec![titles.map(str::to_owned).to_vec()];
        let watched: Vec<_> = self.watched().collect();
        let newest = watched.len().saturating_sub(self.rows);
        rows.extend(watched[newest..].iter().map(|bucket| {
            let level = |pick: fn(&Levels) -> f64| shown(bucket.levels.as_ref().map(pick), unit_price);
            vec![
                short(bucket.from, &self.zone),
                level(|levels| levels.lowest),
                level(|levels| levels.p20),
                level(|levels| levels.median),
                level(|levels| levels.p80),
                shown(bucket.amount, |amount| trimmed(amount, 1)),
                percent(bucket.watched),
            ]
        }));
        let mut text = table::plain(&rows);
        text.push('\n');
        for line in self.sentences() {
            text.push_str(&line);
            text.push('\n');
        }
        text
    }

    /// Sentences on the prices: their unit, the lowest one now and how often it was lower, the record low,
    /// offers that may also match, the verdict with the times of low prices, and how long offers last. Those
    /// without data are left out.
    fn sentences(&self) -> Vec<String> {
        let mut lines = vec![format!(
            "Prices {}: {}",
            super::price_origin(self.is_simulated),
            self.unit
        )];
        if let (Some(now), Some(low)) = (self.series.now, self.lowest()) {
            let at = short(now.at, &self.zone);
            lines.push(format!("Lowest now: {} (last search {at})", unit_price(low)));
            if let Some(share) = self.series.share_below(low) {
                lines.push(format!("It was lower in {} of the searches", percent(share)));
            }
        }
        if let Some((price, at)) = self.series.record {
            lines.push(format!(
                "Record low: {} on {}",
                unit_price(price),
                short(at, &self.zone)
            ));
        }
        lines.extend(self.series.unknown_sentence());
        if let Some(memory) = &self.memory {
            lines.extend(
                memory
                    .kind()
                    .map(|kind| format!("Of {kind}, as the cheapest offer is:")),
            );
            lines.push(memory.verdict_sentence());
            lines.push(memory.times_sentence(&self.zone));
            lines.push(memory.lifetime_sentence());
        }
        lines
    }

    /// The document of the report, with the newest steps of the time, at most `rows`, also unrecorded ones;
    /// `simulated` is its member of that name.
    fn document(&self, simulated: Option<bool>) -> document::History {
        let series = &self.series;
        let newest = series.buckets.len().saturating_sub(self.rows);
        let lifetimes = self.memory.as_ref().and_then(Memory::reliable_lifetimes);
        document::History {
            conditions: self.search.conditions.clone(),
            offer_type: self.search.offer_type.wire(),
            unit: self.unit.clone(),
            since: rfc3339(series.since),
            until: rfc3339(series.until),
            watched: series.watched,
            unknown: series.unknown,
            now: series.now.map(|now| document::Now {
                at: rfc3339(now.at),
                lowest: now.levels.map(|levels| levels.lowest),
                median: now.levels.map(|levels| levels.median),
                amount: now.amount,
                complete: now.is_complete,
            }),
            record_low: series
                .record
                .map(|(price, at)| document::RecordLow { price, at: rfc3339(at) }),
            verdict: self.memory.as_ref().map(verdict),
            lifetime_seconds: lifetimes.and_then(|lifetimes| {
                let median = lifetimes.median()?;
                Some(document::Lifetime {
                    median: median.median,
                    low: median.low,
                    high: median.high,
                    departures: lifetimes.departures,
                })
            }),
            series: series.buckets[newest..].iter().map(step).collect(),
            simulated,
        }
    }
}

/// The JSON member of one step of the recorded time; its values are `None` where nothing was on offer or
/// recorded.
fn step(bucket: &Bucket) -> document::SeriesPoint {
    document::SeriesPoint {
        from: rfc3339(bucket.from),
        until: rfc3339(bucket.until),
        lowest: bucket.levels.map(|levels| levels.lowest),
        p20: bucket.levels.map(|levels| levels.p20),
        median: bucket.levels.map(|levels| levels.median),
        p80: bucket.levels.map(|levels| levels.p80),
        amount: bucket.amount,
        watched: bucket.watched,
    }
}

/// The JSON member of the verdict on the current lowest price, or of the data it lacks.
fn verdict(memory: &Memory) -> document::Verdict {
    let result = match memory.verdict() {
        Verdict::Given(rating) => VerdictResult::Given(document::Rating {
            standing: rating.standing.name(),
            rank: rating.rank,
            percentile: rating.percentile,
            lowest: rating.lowest,
            p20: rating.p20,
            median: rating.median,
            p80: rating.p80,
            highest: rating.highest,
            outbid: rating.outbid,
            watched_seconds: rating.watched,
            days: document::Days {
                cheaper_than: rating.days.higher,
                of: rating.days.of,
            },
        }),
        Verdict::Withheld(_) => VerdictResult::Withheld {
            withheld: document::Withheld {
                reason: memory.verdict_sentence(),
                watched_seconds: memory.watched,
                needed_seconds: LEAST_WATCHED,
            },
        },
    };
    document::Verdict {
        result,
        window_days: VERDICT_DAYS,
        known_share: memory.known(),
        of: document::ComparedOffers {
            conditions: SearchKey::new(&memory.query).conditions,
            gpus: memory.gpus,
        },
    }
}

/// A time as text, in the user's time zone, with its name.
pub fn zoned(moment: Moment) -> String {
    let zone = TimeZone::system();
    format!("{} {}", short(moment, &zone), zone_name(&zone))
}

/// A time as text in a time zone, to the minute and without the zone's name.
fn short(moment: Moment, zone: &TimeZone) -> String {
    let local = LocalTime {
        zone: zone.clone(),
        now: moment.unix(),
    };
    local.minute(moment.unix())
}

/// The IANA name of a time zone: `UTC` on a system without a setting, `local time` if the zone has no name.
fn zone_name(zone: &TimeZone) -> &str {
    let name = zone.iana_name().unwrap_or("local time");
    // A system without a setting counts by UTC.
    if matches!(name, "Etc/UTC" | "Etc/Unknown") {
        "UTC"
    } else {
        name
    }
}

/// A time in RFC 3339: `2026-11-22T16:40:00Z`; its Unix seconds if it is beyond the years that can be
/// written.
pub fn rfc3339(moment: Moment) -> String {
    jiff::Timestamp::from_second(moment.0).map_or_else(|_| moment.0.to_string(), |at| at.to_string())
}

/// The name of a spell's end in JSON and CSV.
pub const fn end_name(ending: Ending) -> &'static str {
    match ending {
        Ending::Gone(cause) => cause_name(cause),
        Ending::Changed => "changed",
        Ending::LostSight => "lost_sight",
    }
}

/// The name of a departure's cause in JSON and CSV.
pub const fn cause_name(cause: Cause) -> &'static str {
    match cause {
        Cause::Rented => "rented",
        Cause::LeftTheSearch => "left_the_search",
        Cause::Delisted => "delisted",
        Cause::Unknown => "gone",
    }
}
