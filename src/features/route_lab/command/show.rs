//! Prints the results of a run.

use serde_json::{Value as Json, json};

use super::against::Against;
use super::document::{Summary, Worker};
use super::drive::{Answer, Ended};
use super::worker;
use crate::api::redact;
use crate::cli::args::Format;
use crate::cli::output::CliError;
use crate::cli::{output, table};
use crate::domain::export;
use crate::domain::format::{counted, counted_decimal, percent, trimmed};
use crate::domain::routing::{OutcomeKind, Quantiles, Run, WorkerShare, parameters_json, statuses_json, words};
use crate::domain::time::MonotonicTime;

/// Maximum length of a run whose requests are listed individually.
///
/// A short run is a test of single requests; of a long one the figures count.
const MOST_LISTED: usize = 20;

/// Number of the latest changes of the router's status in the summary.
const MOST_STATUSES: usize = 5;

/// Cells of the progress bar.
const BAR: usize = 24;

/// The progress of a route run, in one line: a bar, the percentage, requests by outcome, their rate, and the
/// reason for a wait.
pub fn progress(run: &Run, now: MonotonicTime) -> String {
    let share = run.progress(now).clamp(0.0, 1.0);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss
    )] // a bar of a few cells
    let filled = (share * BAR as f64).round() as usize;
    let rate = run
        .summary(now)
        .per_second
        .map_or_else(String::new, |rate| format!(", {rate:.1}/s"));
    let rest = words::describe_rate_limit_wait(run, now).map_or_else(String::new, |why| format!("; {why}"));
    format!(
        "[{}{}] {:.0}%  {}{rate}{rest}",
        "#".repeat(filled),
        "-".repeat(BAR - filled.min(BAR)),
        share * 100.0,
        counts(run)
    )
}

/// The requests of a route run by outcome and the polls, in one line; cancelled requests and polls only if
/// there are any.
fn counts(run: &Run) -> String {
    let stats = run.stats();
    let counted = |number: u64, singular: &str| {
        let plural = if number == 1 { "" } else { "s" };
        format!("{number} {singular}{plural}")
    };
    let mut text = format!(
        "{}: {} assigned, {} waiting, {} failed",
        counted(stats.requests(), "request"),
        stats.count(OutcomeKind::Assigned),
        stats.count(OutcomeKind::Waiting),
        stats.failed()
    );
    let cancelled = stats.count(OutcomeKind::Cancelled);
    if cancelled > 0 {
        text = format!("{text}, {cancelled} cancelled");
    }
    if stats.polls > 0 {
        text = format!("{text}; {}", counted(stats.polls, "poll"));
    }
    text
}

/// Prints a route run in a format to stdout; notes, failures and figures that the format leaves out go to
/// stderr.
///
/// `secrets` leaves signatures in the JSON replies; `against` adds the differences from a saved run.
pub fn show(ended: &Ended, against: Option<&Against>, format: Format, secrets: bool) -> Result<(), CliError> {
    match format {
        Format::Table => {
            let compared = against.map_or_else(String::new, |against| against.table(&ended.run));
            output::print(&format!("{}{compared}", as_table(ended)))?;
        }
        Format::Csv => {
            output::print(&as_csv(&ended.run))?;
            let compared = against.map_or_else(String::new, |against| against.table(&ended.run));
            compared.lines().filter(|line| !line.is_empty()).for_each(output::note);
        }
        Format::Json => output::print_json(&document(ended, against, secrets))?,
    }
    let run = &ended.run;
    let is_printed = match format {
        Format::Table => !run.stats().workers.is_empty(),
        Format::Json => true,
        Format::Csv => false,
    };
    if !is_printed && !run.plan().is_single() {
        for line in summary(ended) {
            output::note(&line);
        }
    }
    if ended.mismatched > 0 {
        output::note(&format!(
            "{} assignments don't echo the endpoint and cost of their request",
            ended.mismatched
        ));
    }
    for (words, count) in &ended.failures {
        // A retry may have made up for it.
        if run.plan().hop.as_ref().is_some_and(|hop| hop.retries > 0) {
            let attempts = usize::try_from(*count).unwrap_or(usize::MAX);
            let attempts = counted(attempts, "attempt", "attempts");
            output::note(&format!("{attempts} failed: {words}"));
        } else {
            output::complain(&format!("{count} failed: {words}"));
        }
    }
    if let Some(why) = words::early_end(run) {
        output::note(&why);
    }
    if run.is_refused() {
        output::complain("stopped: refused three times in a row (unauthorized)");
    }
    if run.stats().count(OutcomeKind::Assigned) == 0
        && let Some(status) = &ended.status
    {
        output::complain("no worker was assigned; the last status reply:");
        output::complain(&status.screen(2000));
    }
    Ok(())
}

/// The workers of a route run, each with its share of the assignments from 0 to 1, most assignments first.
fn shares(run: &Run) -> Vec<(&WorkerShare, f64)> {
    let workers = &run.stats().workers;
    let ranked = workers.ranked();
    ranked.into_iter().map(|share| (share, workers.share(share))).collect()
}

/// A route run as text: the table of workers, the summary, for short runs the requests, and the worker's
/// response to an only request; empty if no worker was assigned.
fn as_table(ended: &Ended) -> String {
    let run = &ended.run;
    if run.stats().workers.is_empty() {
        return String::new();
    }
    let head = ["Worker", "Requests", "Share", "Gaps", "Repeats"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    rows.extend(shares(run).into_iter().map(|(worker, share)| {
        vec![
            worker.worker.screen(120),
            worker.assigned.to_string(),
            percent(share),
            worker.gaps().to_string(),
            worker.repeats().to_string(),
        ]
    }));
    let response = worker::response(run).map_or_else(String::new, |text| format!("\n{text}"));
    format!(
        "{}{}\n{}{response}",
        table::plain(&rows),
        summary(ended).join("\n"),
        requests(run)
    )
}

/// A table with a line for each attempt of a route run of at most 20, with the ids that a worker's log
/// shows; empty for longer runs.
fn requests(run: &Run) -> String {
    let samples = run.samples();
    if samples.len() > MOST_LISTED {
        return String::new();
    }
    let mut samples: Vec<_> = samples.iter().collect();
    samples.sort_by_key(|sample| sample.index);
    let head = ["Worker", "Request", "Request no.", "Request id"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    rows.extend(samples.into_iter().map(|sample| {
        let reqnum = sample.outcome.reqnum();
        let id = sample.request_id.as_ref();
        let worker = sample.outcome.worker();
        let outcome = || format!("({})", sample.outcome.kind().label());
        vec![
            worker.map_or_else(outcome, |worker| worker.screen(120)),
            sample.number().to_string(),
            reqnum.map_or_else(|| "—".to_owned(), |reqnum| reqnum.to_string()),
            id.map_or_else(|| "—".to_owned(), |id| id.screen(64)),
        ]
    }));
    format!("\n{}", table::plain(&rows))
}

/// The summary of a route run, line by line: outcomes, percentiles, the workers' responses, the latest 5
/// status changes, rate and load.
fn summary(ended: &Ended) -> Vec<String> {
    let run = &ended.run;
    let summary = run.summary(ended.at);
    let mut lines = vec![counts(run)];
    let all = [
        ("router reply", &summary.router_reply),
        ("time to worker", &summary.time_to_worker),
    ];
    lines.extend(
        all.into_iter()
            .filter_map(|(label, latency)| Some(times(label, latency.as_ref()?))),
    );
    lines.extend(summary.worker_calls.iter().flat_map(worker::lines));
    let skipped = run.statuses().len().saturating_sub(MOST_STATUSES);
    for change in run.statuses().skip(skipped) {
        lines.push(format!(
            "status after {}: {}",
            words::clock_span(change.at),
            change.status.screen(100)
        ));
    }
    if let Some(rate) = summary.per_second.filter(|_| !run.plan().is_single()) {
        lines.push(format!(
            "{} a second for {} s",
            counted_decimal(rate, "request", "requests"),
            trimmed(summary.seconds, 1)
        ));
    }
    lines.push(format!(
        "load {}, first assignment after {}",
        trimmed(run.load_injected(), 2),
        summary.first_assigned.map_or_else(|| "-".to_owned(), milliseconds),
    ));
    lines
}

/// A duration given in seconds as text in ms, with at most one decimal.
fn milliseconds(seconds: f64) -> String {
    format!("{} ms", trimmed(seconds * 1000.0, 1))
}

/// The label and the percentiles, given in seconds, in ms, in one line.
pub(super) fn times(label: &str, latency: &Quantiles) -> String {
    format!(
        "{label:14}  p50 {}, p90 {}, p95 {}, p99 {}, max {}",
        milliseconds(latency.p50),
        milliseconds(latency.p90),
        milliseconds(latency.p95),
        milliseconds(latency.p99),
        milliseconds(latency.max),
    )
}

/// The workers of a route run with requests and share (0 to 1) as CSV, most requests first.
fn as_csv(run: &Run) -> String {
    let head = ["worker", "requests", "share"].map(str::to_owned);
    let rows = shares(run)
        .into_iter()
        .map(|(worker, share)| [worker.worker.csv(), worker.assigned.to_string(), share.to_string()]);
    export::csv_lines(std::iter::once(head).chain(rows))
}

/// The JSON document of a route run: the router's replies without secrets, the reasons of failed attempts,
/// the summary, and the differences from a saved run. If requests are forwarded, each reply has a member
/// `bourse` with the worker's times and response. With `secrets` a reply includes its signature, which the
/// worker checks, but never a key.
fn document(ended: &Ended, against: Option<&Against>, secrets: bool) -> String {
    let redact = if secrets {
        redact::without_api_keys
    } else {
        redact::without_possible_secrets
    };
    let replies = ended.replies.iter().flatten();
    let run = &ended.run;
    let replies: Vec<_> = replies
        .map(|(index, reply)| match (reply, &run.plan().hop) {
            (Answer::Reply(reply), Some(_)) => worker::reply(run, *index, &redact(reply.unescaped())).to_string(),
            (Answer::Reply(reply), None) => redact(reply.unescaped()),
            (Answer::Failed(why), _) => worker::failed_attempt(run, *index, why).to_string(),
        })
        .collect();
    let against = against.map_or_else(String::new, |against| {
        format!(",\n\"against\": {:#}", json!(against.document(run)))
    });
    format!(
        "{{\"v\": {}, \"kind\": \"route\",
\"replies\": [{}],
\"summary\": {:#}{against}}}
",
        output::DOCUMENT_VERSION,
        replies.join(",\n"),
        json!(summary_document(ended))
    )
}

/// The member `summary` of the JSON document: parameters, figures, workers and statuses of the router.
fn summary_document(ended: &Ended) -> Summary {
    let run = &ended.run;
    let workers = shares(run).into_iter().map(|(worker, share)| Worker {
        url: worker.worker.unescaped().to_owned(),
        requests: worker.assigned,
        share,
    });
    // Decoding has checked that the status reply is valid JSON.
    let status = ended
        .status
        .as_ref()
        .and_then(|status| serde_json::from_str::<Json>(status.unescaped()).ok());
    let mut parameters = parameters_json(run);
    parameters.insert("warmup".to_owned(), ended.warmup.into());
    Summary {
        run: parameters,
        figures: run.summary(ended.at),
        workers: workers.collect(),
        last_status: status,
        statuses: statuses_json(run),
    }
}
