//! `bourse route`: asks for workers and shows how they share the requests.

use std::collections::BTreeMap;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use tokio::time::Instant;

use super::args::{Format, RouteArguments};
use super::output::{self, CliError, ProgressLine};
use super::sandbox::Stop;
use super::search;
use super::settings::Settings;
use super::table;
use crate::api::{ApiError, Pacer, Reply, Request, RouteCall, RouteReply, Secret, Session};
use crate::domain::dialect::RouteKey;
use crate::domain::text::csv_text;
use crate::domain::{CellRef, Untrusted, format};

/// `bourse route`
pub async fn route(settings: &Settings, arguments: &RouteArguments) -> Result<(), CliError> {
    let connection = settings.connect(Pacer::default()).await?;
    let session = &connection.session;
    let key = match settings.dialect.route_key {
        RouteKey::Profile => None,
        RouteKey::Group => Some(group_key(session, &arguments.endpoint).await?),
    };
    let call = RouteCall {
        endpoint: arguments.endpoint.clone(),
        cost: arguments.cost,
        key,
    };
    let tally = series(session, &Request::Route(call), arguments).await?;
    show(&tally, arguments.format)?;
    tally.verdict()
}

/// The key of the workergroup that serves an endpoint: the public service routes by it.
async fn group_key(session: &Session, endpoint: &str) -> Result<Secret, CliError> {
    let listing = search::fetch(session, &Request::ListWorkergroups).await?;
    let catalog = listing.catalog();
    let (Some(name), Some(key)) = (catalog.by_key("endpoint_name"), catalog.by_key("api_key"))
    else {
        return Err(CliError::Failed("workergroups have no keys".to_owned()));
    };
    (0..listing.len())
        .filter(|row| listing.cell(*row, name) == CellRef::Text(endpoint))
        .find_map(|row| match listing.cell(row, key) {
            CellRef::Text(key) if !key.is_empty() => Some(Secret::new(key)),
            _ => None,
        })
        .ok_or_else(|| {
            CliError::Failed(format!(
                "no workergroup with a key serves the endpoint '{}': see bourse groups",
                Untrusted::from(endpoint).screen(80)
            ))
        })
}

/// What a series of requests came to.
#[derive(Default)]
struct Tally {
    /// Requests answered, with whatever.
    done: u64,
    /// Assignments, by worker address.
    workers: BTreeMap<Untrusted, u64>,
    /// Status replies.
    waiting: u64,
    /// The latest status reply.
    status: Option<Untrusted>,
    /// Failures, by words.
    failures: BTreeMap<String, u64>,
    /// Assignments that did not echo their request.
    mismatched: u64,
    /// Time to the answer, in seconds.
    times: Vec<f64>,
}

impl Tally {
    fn assigned(&self) -> u64 {
        self.workers.values().sum()
    }

    fn failed(&self) -> u64 {
        self.failures.values().sum()
    }

    fn add(&mut self, result: Result<Reply, ApiError>, took: Duration) {
        self.done += 1;
        match result {
            Ok(Reply::Routed(RouteReply::Assigned(assignment))) => {
                self.times.push(took.as_secs_f64());
                self.mismatched += u64::from(!assignment.mismatches.is_empty());
                *self.workers.entry(assignment.url).or_default() += 1;
            }
            Ok(Reply::Routed(RouteReply::Waiting { json })) => {
                self.waiting += 1;
                self.status = Some(json);
            }
            Ok(_) => self.fail("the answer is no route reply".to_owned()),
            Err(error) => self.fail(error.to_string()),
        }
    }

    fn fail(&mut self, words: String) {
        *self.failures.entry(words).or_default() += 1;
    }

    /// Median time to an assignment, in seconds.
    fn median(&self) -> Option<f64> {
        let mut times = self.times.clone();
        times.sort_by(f64::total_cmp);
        times.get(times.len() / 2).copied()
    }

    fn shares(&self) -> Vec<(&Untrusted, u64, f64)> {
        #[expect(clippy::cast_precision_loss)] // counts are far below 2^53
        let share = |count: u64| count as f64 / self.assigned().max(1) as f64;
        let mut shares: Vec<_> = self
            .workers
            .iter()
            .map(|(url, count)| (url, *count, share(*count)))
            .collect();
        shares.sort_by_key(|(_, count, _)| std::cmp::Reverse(*count));
        shares
    }

    /// Nothing assigned is a failure; what is known about why has been shown.
    fn verdict(&self) -> Result<(), CliError> {
        if self.assigned() > 0 {
            return Ok(());
        }
        Err(CliError::Quiet)
    }
}

/// Sends the series: so many requests, or for so long, a number of them at once, at a rate.
/// Stops early when a signal comes or the key is refused.
async fn series(
    session: &Session,
    request: &Request,
    arguments: &RouteArguments,
) -> Result<Tally, CliError> {
    let mut stop = Stop::new()?;
    let mut line = ProgressLine::new();
    let started = Instant::now();
    let end = arguments.duration.map(|span| started + span);
    let number = match end {
        Some(_) => u64::MAX,
        None => arguments.number.unwrap_or(1),
    };
    let pace = arguments
        .rate
        .and_then(|rate| Duration::try_from_secs_f64(1.0 / rate).ok())
        .unwrap_or_default();
    let (mut sent, mut next) = (0, started);
    let mut tally = Tally::default();
    let call = async || {
        let begun = Instant::now();
        let result = session.run(request, |_| {}).await;
        (result, begun.elapsed())
    };
    let mut underway = FuturesUnordered::new();
    loop {
        let open = sent < number && end.is_none_or(|end| next < end);
        let room = underway.len() < usize::from(arguments.concurrency);
        if !open && underway.is_empty() {
            return Ok(tally);
        }
        tokio::select! {
            biased;
            () = stop.wait() => return Ok(tally),
            Some((result, took)) = underway.next() => {
                let result: Result<Reply, ApiError> = result;
                let refused = result.as_ref().is_err_and(ApiError::is_auth);
                tally.add(result, took);
                line.show(&summary(&tally));
                if refused {
                    return Ok(tally);
                }
            }
            () = tokio::time::sleep_until(next), if open && room => {
                underway.push(call());
                sent += 1;
                next = (next + pace).max(Instant::now());
            }
        }
    }
}

fn summary(tally: &Tally) -> String {
    format!(
        "{} requests: {} assigned, {} waiting, {} failed",
        tally.done,
        tally.assigned(),
        tally.waiting,
        tally.failed()
    )
}

fn show(tally: &Tally, format: Format) -> Result<(), CliError> {
    match format {
        Format::Table => output::print(as_table(tally).as_bytes())?,
        Format::Csv => output::print(&as_csv(tally)?)?,
        Format::Json => output::print_json(&as_json(tally))?,
    }
    if tally.mismatched > 0 {
        output::note(&format!(
            "{} assignments do not echo the endpoint and cost of their request",
            tally.mismatched
        ));
    }
    for (words, count) in &tally.failures {
        output::complain(&match count {
            1 => words.clone(),
            _ => format!("{count} times: {words}"),
        });
    }
    if tally.assigned() == 0
        && let Some(status) = &tally.status
    {
        output::complain("no worker was assigned; the last status reply:");
        output::complain(&status.screen(2000));
    }
    Ok(())
}

fn as_table(tally: &Tally) -> String {
    if tally.assigned() == 0 {
        return String::new();
    }
    let mut rows = vec![vec![
        "Worker".to_owned(),
        "Requests".to_owned(),
        "Share".to_owned(),
    ]];
    rows.extend(tally.shares().into_iter().map(|(url, count, share)| {
        let share = format!("{:.1}%", share * 100.0);
        vec![url.screen(120), count.to_string(), share]
    }));
    let median = tally
        .median()
        .map(|median| format!(", median {} ms", format::trimmed(median * 1000.0, 0)))
        .unwrap_or_default();
    format!("{}{}{median}\n", table::plain(&rows), summary(tally))
}

fn as_csv(tally: &Tally) -> Result<Vec<u8>, CliError> {
    let failed = |error: &dyn std::fmt::Display| CliError::Failed(format!("cannot write: {error}"));
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer
        .write_record(["worker", "requests", "share"])
        .map_err(|error| failed(&error))?;
    for (url, count, share) in tally.shares() {
        writer
            .write_record([
                csv_text(url.compared()),
                count.to_string(),
                share.to_string(),
            ])
            .map_err(|error| failed(&error))?;
    }
    writer.into_inner().map_err(|error| failed(&error))
}

fn as_json(tally: &Tally) -> String {
    let workers: Vec<_> = tally
        .shares()
        .into_iter()
        .map(|(url, count, share)| {
            serde_json::json!({ "url": url.compared(), "requests": count, "share": share })
        })
        .collect();
    // The status reply is sound JSON: decoding checked it.
    let status = tally
        .status
        .as_ref()
        .and_then(|status| serde_json::from_str::<serde_json::Value>(status.compared()).ok());
    let whole = serde_json::json!({
        "requests": tally.done,
        "assigned": tally.assigned(),
        "waiting": tally.waiting,
        "failed": tally.failed(),
        "median_seconds": tally.median(),
        "workers": workers,
        "last_status": status,
    });
    format!("{whole:#}\n")
}
