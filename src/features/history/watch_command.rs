//! `bourse watch`: a search again and again; prices are recorded, changes printed.
//!
//! Of several programs that watch the same search one asks the market, the others read what it
//! records. Conditions of `--if` need the offers themselves: they are asked for once the record
//! changes.

use std::time::Duration;

use serde_json::{Value as Json, json};
use tokio::time::Instant;

use super::arguments::{WatchArguments, WatchFormat};
use super::command as history;
use super::command::{cause_name, rfc3339};
use super::tape::events::RecentEvents;
use crate::api::client::epoch_seconds;
use crate::api::{ApiError, Reply, Request, Session};
use crate::cli::output::CliError;
use crate::cli::sandbox::Stop;
use crate::cli::wanted::Wanted;
use crate::cli::{output, table, wanted};
use crate::domain::format::{counted, lasting, unit_price};
use crate::domain::insight::{Supply, coverage};
use crate::domain::language::Mode;
use crate::domain::{Condition, Dialect, Listing, OfferType, Query, Resource, RowId, Untrusted, language, plain};
use crate::features::annotations::command as notes;
use crate::features::enrich;
use crate::features::search::command as search;
use crate::features::search::command::SearchResult;
use crate::process::{self, Terminal};
use crate::record;
use crate::record::store::{Database, HistoryError, PollLocks};
use crate::record::{
    Arrival, Cause, Change, ChangeKind, Event, EventKind, Lot, MOST_CAUSES, MOST_SLICES, Moment, Poll, PollOutcome,
    Question, SearchKey, Sighting, cause_query, with_storage,
};
use crate::settings::Settings;

/// The time between two searches, unless the person chose another.
const EVERY: Duration = Duration::from_mins(1);

// As often as the dashboard does.
/// How often a program that does not ask the market looks whether the record changed.
const LOOK: Duration = Duration::from_secs(5);

// A command that hangs must not stop the watch for good.
/// How long the command of `--exec` may run.
const PATIENCE: Duration = Duration::from_mins(10);

pub async fn watch(settings: &Settings, options: &WatchArguments) -> Result<(), CliError> {
    let limit = Some(options.limit);
    let mut wanted = history::wanted(settings, &options.search, limit)?;
    wanted.additions.clone_from(&options.with);
    let conditions = conditions(settings, options, &wanted)?;
    if let Some(command) = &options.exec {
        process::command_words(command).map_err(|error| CliError::Usage(format!("--exec: {error}")))?;
    }
    let is_json = options.format == WatchFormat::Json;
    enrich::check(&options.with, is_json, "--format json", wanted.job.is_some())?;
    notes::warn(&wanted.query, settings.dialect);
    // Before the first request, so that a signal always ends it cleanly.
    let mut stop = Stop::new()?;
    let connection = settings.connect().await?;
    let mut watch = Watch::new(settings, options, &connection.session, wanted, conditions)?;
    let ended = tokio::select! {
        ended = watch.run() => ended,
        () = stop.wait() => watch.unmet(),
    };
    settings.keep_pacing(&connection.session);
    ended
}

/// The conditions of `--if`.
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
        output::tell(&format!("--if understood: {}", reading.meaning.text()));
    }
    let mut asked = wanted.clone();
    asked.query.conditions.clone_from(&parsed.conditions);
    asked.check_needs(&settings.preferences.config.values.throughput)?;
    if parsed.conditions.is_empty() {
        return Err(CliError::Usage("--if: no condition".to_owned()));
    }
    let all = parsed.conditions.iter().chain(wanted.query.active());
    if let Some(never) = language::never_met(all) {
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

struct Watch<'a> {
    settings: &'a Settings,
    options: &'a WatchArguments,
    session: &'a Session,
    wanted: Wanted,
    conditions: Option<Vec<Condition>>,
    search: SearchKey,
    database: Database,
    /// Whether the database outlives the program.
    is_kept: bool,
    locks: PollLocks,
    /// Why nothing that this program asked for is in the record, if so.
    unrecorded: Option<String>,
    /// The changes up to this poll are printed.
    told: Option<Moment>,
}

impl<'a> Watch<'a> {
    fn new(
        settings: &'a Settings,
        options: &'a WatchArguments,
        session: &'a Session,
        wanted: Wanted,
        conditions: Option<Vec<Condition>>,
    ) -> Result<Self, CliError> {
        let history = settings.history_location();
        let search = SearchKey::of(&wanted.query);
        let bans = wanted.bans(settings);
        let opened = history.open().and_then(|database| {
            let database = database.leaving_out(bans.banned());
            let told = database.last_poll(&search)?;
            Ok((database, told))
        });
        let is_kept = opened.is_ok();
        let unrecorded = match &opened {
            Ok(_) => "another program watches this search".to_owned(),
            Err(error) => error.to_string(),
        };
        let (database, told) = match opened {
            Ok(opened) => opened,
            Err(error) => {
                output::note(&format!("prices are not recorded: {error}"));
                (Database::in_memory(&history.market)?, None)
            }
        };
        Ok(Self {
            settings,
            options,
            session,
            wanted,
            conditions,
            search,
            database,
            is_kept,
            locks: PollLocks::new(&history),
            unrecorded: Some(unrecorded),
            told,
        })
    }

    /// Polls until the conditions are met, or once.
    async fn run(&mut self) -> Result<(), CliError> {
        let mut is_first = true;
        loop {
            let started = Instant::now();
            let asks = self.polls();
            let mut has_news = false;
            if !asks {
                has_news = self.print_news(Moment::of(epoch_seconds()), None)?;
                if is_first {
                    output::note("another program watches this search: reading what it records");
                }
            }
            // The record has no members to compare with but the price.
            let looks = self.conditions.is_some() && (is_first || has_news);
            if (asks || looks) && self.ask().await? {
                return Ok(());
            }
            if self.options.once {
                if let Some(why) = &self.unrecorded {
                    return Err(CliError::Failed(format!("nothing was recorded: {why}")));
                }
                return self.unmet();
            }
            is_first = false;
            let pause = if asks { self.every() } else { LOOK };
            tokio::time::sleep_until(started + pause).await;
        }
    }

    /// What it means to end without the conditions met.
    fn unmet(&self) -> Result<(), CliError> {
        match self.conditions {
            Some(_) => Err(CliError::NotMet),
            None => Ok(()),
        }
    }

    fn every(&self) -> Duration {
        self.options.every.unwrap_or(EVERY)
    }

    fn seconds(&self) -> u32 {
        u32::try_from(self.every().as_secs()).unwrap_or(u32::MAX)
    }

    /// Whether this program asks the market. Without a record there is nothing else to read.
    fn polls(&mut self) -> bool {
        let every = self.seconds();
        !self.is_kept || self.locks.claim(&self.search, every, epoch_seconds())
    }

    /// Asks the market; true if the conditions were met.
    async fn ask(&mut self) -> Result<bool, CliError> {
        // The person may ban a machine in the dashboard meanwhile.
        let bans = self.wanted.bans(self.settings);
        let request = wanted::request(&self.wanted.query, &bans, self.settings.dialect);
        let started = Instant::now();
        let result = search::reply(self.session, &request).await;
        let took = u32::try_from(started.elapsed().as_millis()).unwrap_or(u32::MAX);
        let at = Moment::of(epoch_seconds());
        let arrival = Arrival {
            at,
            took,
            interval: (!self.options.once || self.options.every.is_some()).then(|| self.seconds()),
            bans: bans.bans(),
        };
        let result = match result {
            Ok(Reply::Records(mut listing)) => {
                bans.hide_banned(&mut listing);
                search::arranged(self.settings, self.wanted.clone(), listing)
            }
            Ok(Reply::Unlisted { .. } | Reply::Created { .. } | Reply::Routed(_)) => {
                return Err(CliError::Failed("the response has no records".to_owned()));
            }
            Err(error) => {
                self.record(&Poll::failed(&self.wanted.query, self.settings.dialect, &arrival));
                return self.failed(error).map(|()| false);
            }
        };
        let dialect = self.settings.dialect;
        let mut poll = Poll::of(&result.query, &result.listing, &result.check, dialect, &arrival);
        let causes = self.causes(&poll).await;
        poll.causes.extend(causes);
        let is_first = self.told.is_none();
        self.record(&poll);
        if is_first {
            let lots = counted(poll.sightings.len(), "machine", "machines");
            let done = if self.is_kept { "recorded" } else { "found" };
            output::note(&format!("{lots} {done}"));
            self.told = Some(at);
        } else {
            self.print_news(at, Some(&result))?;
        }
        self.fires(&result).await
    }

    /// Why lots are gone since the last poll, by a search for them as in the dashboard.
    async fn causes(&self, poll: &Poll) -> Vec<(Lot, Cause)> {
        let Some((lots, query)) = cause_search(&self.database, &self.wanted.query, poll, self.settings.dialect) else {
            return Vec::new();
        };
        let offer_type = query.offer_type;
        // Without an answer the causes are not known.
        match search::reply(self.session, &Request::Search(query)).await {
            Ok(Reply::Records(listing)) => causes(&lots, &listing, offer_type),
            Ok(_) | Err(_) => Vec::new(),
        }
    }

    /// Failures that the next search would meet too end the watch.
    fn failed(&self, error: ApiError) -> Result<(), CliError> {
        if self.options.once || error.stops_timers(epoch_seconds()) {
            return Err(error.into());
        }
        output::note(&error.to_string());
        Ok(())
    }

    fn record(&mut self, poll: &Poll) {
        match self.database.record(poll) {
            Ok(_) if self.is_kept => self.unrecorded = None,
            Ok(_) => {}
            Err(error) => {
                output::note(&format!("not recorded: {error}"));
                self.unrecorded = Some(error.to_string());
            }
        }
    }

    /// Prints the changes up to a moment, with what is known of offers that a response has; true if there were any.
    fn print_news(&mut self, until: Moment, result: Option<&SearchResult>) -> Result<bool, CliError> {
        let storage = self.wanted.query.storage_gb();
        let told = self.told.map(|told| told.min(until));
        let events = match changes(&self.database, &self.wanted.query, told, until) {
            Ok(events) => events,
            Err(error) => {
                output::note(&format!("what changed cannot be read: {error}"));
                return Ok(false);
            }
        };
        self.told = Some(events.first().map_or(told.unwrap_or(until), |newest| newest.at));
        for event in events.iter().rev() {
            match self.options.format {
                WatchFormat::Text => output::print(&format!("{}\n", line(event, &self.search, storage)))?,
                WatchFormat::Json => {
                    let member = result.and_then(|result| self.member(event, result));
                    let event = json_of(event).to_string();
                    let event = member.map_or_else(|| event.clone(), |member| enrich::with_member(&event, &member));
                    output::print_json(&format!("{event}\n"))?;
                }
            }
        }
        Ok(!events.is_empty())
    }

    /// What `--with` adds to the change of an offer that is there.
    fn member(&self, event: &Event, result: &SearchResult) -> Option<Json> {
        let EventKind::Change { change, .. } = &event.kind else {
            return None;
        };
        let row = result.listing.row(RowId(change.offer))?;
        let row = u32::try_from(row).ok()?;
        enrich::members(self.settings, result, &[row], &self.options.with).pop()
    }

    /// Whether enough offers meet the conditions; the person's command is run then.
    async fn fires(&self, result: &SearchResult) -> Result<bool, CliError> {
        let Some(conditions) = &self.conditions else {
            return Ok(false);
        };
        let meets = result.listing.matching(conditions.iter());
        let rows: Vec<u32> = result
            .rows
            .iter()
            .copied()
            .filter(|row| meets.binary_search(row).is_ok())
            .collect();
        // Slices of a machine that share GPUs cannot be rented together.
        let count = match self.search.resource {
            Resource::Offers => {
                let supply = Supply::of(&result.listing, &rows);
                supply.price(|_| Some(1.0)).most_workers()
            }
            Resource::Volumes | Resource::Workergroups => rows.len(),
        };
        let Some(best) = rows.first().filter(|_| count >= self.options.count as usize) else {
            return Ok(false);
        };
        let values = table::variables(&result.listing, *best, count);
        let noun = self.search.resource;
        let number = counted(count, noun.noun(), noun.nouns());
        match self.options.format {
            WatchFormat::Text => output::print(&format!("met: {number}\n"))?,
            WatchFormat::Json => {
                let at = rfc3339(Moment::of(epoch_seconds()));
                let met = json!({ "at": at, "event": "met", "count": count,
                    "offer_id": result.listing.id(*best as usize).map(|id| id.0) });
                output::print_json(&format!("{met}\n"))?;
            }
        }
        if let Some(command) = &self.options.exec {
            let ended = process::finish(command, values, Terminal::Lent, PATIENCE).await;
            ended.map_err(|why| CliError::Failed(format!("--exec: {why}")))?;
        }
        Ok(true)
    }
}

/// What is gone since the last poll of a search without a known cause, and the search that tells why.
pub(crate) fn cause_search(
    database: &Database,
    query: &Query,
    poll: &Poll,
    dialect: &'static Dialect,
) -> Option<(Vec<Lot>, Query)> {
    let before = database.poll_after(&poll.search, Moment(i64::MIN)).ok()??;
    let is_complete = |poll: &Poll| poll.outcome == PollOutcome::Complete;
    let is_comparable = is_complete(&before) && is_complete(poll) && before.bans == poll.bans;
    if !is_comparable || before.row().is_gap(poll.at) {
        return None;
    }
    let is_missing = |seen: &&Sighting| {
        let is_known = poll.causes.iter().any(|(lot, _)| *lot == seen.lot);
        !is_known && poll.sighting(&seen.lot).is_none()
    };
    let missing = before.sightings.iter().filter(is_missing);
    let missing: Vec<&Sighting> = missing.take(MOST_CAUSES).collect();
    let keys = ["machine_id", "cluster_id", "host_id"].into_iter();
    let mut fields = keys.filter_map(|key| query.catalog().by_key(key));
    let field = fields.find(|field| dialect.sends(field))?;
    let id = |seen: &&Sighting| match field.key {
        "host_id" => seen.host.map(i128::from),
        _ => Some(i128::from(seen.lot.machine)),
    };
    let ids = missing.iter().filter_map(id).collect();
    let query = cause_query(query, field, ids)?;
    Some((missing.iter().map(|seen| seen.lot.clone()).collect(), query))
}

/// What the response to [`cause_search`] says of the missing lots.
pub(crate) fn causes(missing: &[Lot], listing: &Listing, offer_type: OfferType) -> Vec<(Lot, Cause)> {
    record::causes(missing, listing, offer_type, coverage(listing, Some(MOST_SLICES)))
}

/// What changed in a search after a moment that was told, the newest first.
pub(crate) fn changes(
    database: &Database,
    query: &Query,
    told: Option<Moment>,
    until: Moment,
) -> Result<Vec<Event>, HistoryError> {
    let question = Question {
        query: query.clone(),
        // After the clock was set back, what was told is in the future.
        since: told.map_or(until, |told| Moment(told.0 + 1).min(until)),
        until,
    };
    let most = usize::MAX;
    database.ask(&RecentEvents { question, most })
}

/// An event for people, with the prices of the search.
pub(crate) fn line(event: &Event, search: &SearchKey, storage: f64) -> String {
    let at = rfc3339(event.at);
    let (change, lasted) = match &event.kind {
        EventKind::NotWatched { since } => {
            let span = lasting(seconds(event.at.since(*since)));
            return format!("{at}  not watched for {span}");
        }
        EventKind::Change { change, lasted } => (change, lasted),
    };
    let unit = match search.resource {
        Resource::Volumes => "/GB/month".to_owned(),
        Resource::Offers | Resource::Workergroups => format!("/h per GPU{}", with_storage(storage)),
    };
    let model = Untrusted::from(change.lot.model.as_str()).screen(64);
    let what = match change.kind {
        ChangeKind::Listed => format!("listed at {}{unit}", unit_price(change.price)),
        ChangeKind::IntoView => format!("in results at {}{unit}", unit_price(change.price)),
        ChangeKind::OutOfView => "past the limit".to_owned(),
        ChangeKind::Gone(cause) => cause_name(cause).replace('_', " "),
        ChangeKind::Repriced { from } => {
            let share = change
                .share()
                .map_or_else(String::new, |share| format!(" ({:+.1}%)", share * 100.0));
            format!("{} → {}{unit}{share}", unit_price(from), unit_price(change.price))
        }
        ChangeKind::Resized { from } => format!("{from} → {} on offer", change.amount),
    };
    let lasted = lasted.map_or_else(String::new, |lasted| {
        let least = if lasted.is_at_least { "at least " } else { "" };
        format!(", after {least}{}", lasting(seconds(lasted.seconds)))
    });
    format!("{at}  {model}  machine {}  {what}{lasted}", change.lot.machine)
}

#[expect(clippy::cast_precision_loss)] // for people
fn seconds(number: i64) -> f64 {
    number as f64
}

/// An event for programs.
pub(crate) fn json_of(event: &Event) -> Json {
    let at = rfc3339(event.at);
    match &event.kind {
        EventKind::NotWatched { since } => {
            json!({ "at": at, "event": "not_watched", "since": rfc3339(*since) })
        }
        EventKind::Change { change, lasted } => json!({
            "at": at,
            "event": name(change.kind),
            "machine_id": change.lot.machine,
            "model": change.lot.model,
            "host_id": change.host,
            "offer_id": change.offer,
            "amount": change.amount,
            "price": change.price,
            "from": before(change),
            "lasted_seconds": lasted.map(|lasted| lasted.seconds),
            "lasted_at_least": lasted.map(|lasted| lasted.is_at_least),
        }),
    }
}

const fn name(kind: ChangeKind) -> &'static str {
    match kind {
        ChangeKind::Listed => "listed",
        ChangeKind::Gone(cause) => cause_name(cause),
        ChangeKind::IntoView => "into_view",
        ChangeKind::OutOfView => "out_of_view",
        ChangeKind::Repriced { .. } => "repriced",
        ChangeKind::Resized { .. } => "resized",
    }
}

/// The price or amount before a change.
fn before(change: &Change) -> Option<f64> {
    match change.kind {
        ChangeKind::Repriced { from } => Some(from),
        ChangeKind::Resized { from } => Some(f64::from(from)),
        ChangeKind::Listed | ChangeKind::Gone(_) | ChangeKind::IntoView | ChangeKind::OutOfView => None,
    }
}
