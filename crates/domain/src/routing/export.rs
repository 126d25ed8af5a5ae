//! A run as CSV and JSON, with its parameters. Samples hold no signature and no key, so exports
//! cannot either.

use serde_json::{Map, Value as Json, json};

use super::hop::WorkerCall;
use super::plan::{RoutePlan, Stop};
use super::run::{End, Phase, Run};
use super::sample::RouteSample;
use super::words;
use crate::export::{csv_lines, iso};
use crate::query::number_json;
use crate::text::{Untrusted, csv_text, json_for_terminal};
use crate::time::MonotonicTime;

/// The columns of the CSV.
///
/// The columns from `endpoint` to `started_at` are the run's parameters, the same in each row: a comment line would
/// break every parser.
const COLUMNS: [&str; 29] = [
    "index",
    "poll",
    "cost",
    "intended_s",
    "sent_s",
    "ended_s",
    "latency_s",
    "outcome",
    "worker",
    "reqnum",
    "detail",
    "bytes",
    "request_id",
    "load",
    "endpoint",
    "stop",
    "concurrency",
    "rate_per_s",
    "started_at",
    "request",
    "time_to_worker_s",
    "retry",
    "worker_status",
    "worker_error",
    "connect_s",
    "first_byte_s",
    "worker_s",
    "total_s",
    "tokens",
];

/// The finished attempts of a route run as CSV with a header row, one row each in the order they were sent;
/// times are seconds since the run began.
pub fn export_csv(run: &Run) -> String {
    let plan = run.plan();
    let parameters = json!({
        "endpoint": plan.endpoint,
        "stop": stop_words(plan.stop),
        "concurrency": plan.concurrency,
        "rate_per_s": optional(plan.rate),
        "started_at": number_json(run.started_at().seconds()),
    });
    let rows = in_order(run).into_iter().map(|sample| {
        let attempt = attempt_json(sample);
        COLUMNS.map(|column| match attempt.get(column).unwrap_or(&parameters[column]) {
            Json::Null => String::new(),
            Json::String(text) => csv_text(text),
            number => number.to_string(),
        })
    });
    csv_lines(std::iter::once(COLUMNS.map(str::to_owned)).chain(rows))
}

/// The route run as JSON: its parameters, its figures at `now`, and its finished attempts in the order they
/// were sent.
pub fn export_json(run: &Run, now: MonotonicTime) -> String {
    let attempts: Vec<Json> = in_order(run).into_iter().map(attempt_json).collect();
    let mut parameters = parameters_json(run);
    parameters.insert("never_sent".to_owned(), run.backlog(now).into());
    let whole = json!({
        "run": parameters,
        "summary": run.summary(now),
        "workers": workers_json(run),
        "statuses": statuses_json(run),
        "attempts": attempts,
    });
    json_for_terminal(serde_json::to_string_pretty(&whole).unwrap_or_default())
}

/// The parameters of a route run as JSON members: those of its plan, its start, its pauses in seconds and the
/// way it ended (`not over` if it has not).
pub fn parameters_json(run: &Run) -> Map<String, Json> {
    let mut parameters = plan_json(run.plan());
    parameters.insert("started_at".to_owned(), number_json(run.started_at().seconds()));
    parameters.insert("started".to_owned(), iso(run.started_at().moment().unix()).into());
    parameters.insert("paused_s".to_owned(), number_json(run.paused()));
    let end = match run.phase() {
        Phase::Ended(End::Done) => "as planned",
        Phase::Ended(End::Stopped) => "stopped",
        Phase::Ended(End::Capped) => "at the limit of attempts",
        Phase::Ended(End::NoWorker) => "no worker was assigned",
        Phase::Running | Phase::Paused | Phase::Draining => "not over",
    };
    parameters.insert("end".to_owned(), end.into());
    parameters
}

/// The finished attempts in the order they were sent.
fn in_order(run: &Run) -> Vec<&RouteSample> {
    let mut samples: Vec<_> = run.samples().iter().collect();
    samples.sort_by_key(|sample| sample.index);
    samples
}

/// The end of a route plan as text: `500 requests` or `30 s`.
fn stop_words(stop: Stop) -> String {
    match stop {
        Stop::Count(count) => format!("{count} {}", if count == 1 { "request" } else { "requests" }),
        Stop::Duration(span) => format!("{span} s"),
    }
}

/// The parameters of a route plan as JSON members; an unset one is null, and of a payload only the size is
/// included.
fn plan_json(plan: &RoutePlan) -> Map<String, Json> {
    let (count, duration) = match plan.stop {
        Stop::Count(count) => (Json::from(count), Json::Null),
        Stop::Duration(span) => (Json::Null, number_json(span)),
    };
    let members = [
        ("endpoint", Json::from(plan.endpoint.as_str())),
        ("cost", number_json(plan.cost)),
        ("count", count),
        ("duration_s", duration),
        ("concurrency", plan.concurrency.into()),
        ("rate_per_s", optional(plan.rate)),
        ("poll_least_s", number_json(plan.poll.least)),
        ("poll_most_s", number_json(plan.poll.most)),
        ("poll_cost", number_json(plan.poll.cost.unwrap_or(plan.cost))),
        ("patience_s", number_json(plan.poll.patience)),
        ("replay_timeout_s", optional(plan.replay_timeout)),
        (
            "send",
            plan.hop.as_ref().map_or(Json::Null, |hop| {
                json!({ "path": hop.absolute_path(), "payload_bytes": hop.payload.len(), "retries": hop.retries })
            }),
        ),
    ];
    members
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

/// The latest 100 changes of the router's status as a JSON array, each with `at_s`, seconds since the run
/// began, and `status`.
pub fn statuses_json(run: &Run) -> Json {
    run.statuses()
        .map(|change| json!({ "at_s": number_json(change.at), "status": change.status.unescaped() }))
        .collect()
}

/// The assigned workers as a JSON array, most assigned first, with shares and request numbers.
fn workers_json(run: &Run) -> Json {
    let workers = &run.stats().workers;
    workers
        .ranked()
        .into_iter()
        .map(|share| {
            json!({
                "worker": share.worker.unescaped(),
                "assigned": share.assigned,
                "share": number_json(workers.share(share)),
                "reqnum_gaps": share.gaps(),
                "reqnums_missing": share.missing(),
                "reqnum_repeats": share.repeats(),
            })
        })
        .collect()
}

/// A finished attempt of a route run as a JSON object, with the names of the CSV columns and a few more
/// members; times are in seconds since the run began.
fn attempt_json(sample: &RouteSample) -> Json {
    let detail = sample.outcome.detail();
    let call = sample.call.as_deref();
    json!({
        "index": sample.index,
        "request": sample.request,
        "poll": sample.poll,
        "cost": number_json(sample.cost),
        "request_idx": sample.request_idx,
        "intended_s": number_json(sample.intended),
        "sent_s": number_json(sample.sent),
        "ended_s": number_json(sample.ended),
        "latency_s": number_json(sample.latency()),
        "time_to_worker_s": optional(sample.time_to_worker()),
        "outcome": sample.outcome.kind().label(),
        "worker": sample.outcome.worker().map(Untrusted::unescaped),
        "reqnum": sample.outcome.reqnum(),
        "detail": Some(detail.unescaped()).filter(|detail| !detail.is_empty()),
        "bytes": sample.bytes,
        "request_id": sample.request_id.as_ref().map(Untrusted::unescaped),
        "load": number_json(sample.load()),
        "retry": sample.retry.map_or(0, |retry| retry.number),
        "worker_status": call.and_then(WorkerCall::status),
        "worker_error": call.and_then(words::failure_reason),
        "connect_s": optional(call.and_then(|call| call.connect)),
        "first_byte_s": optional(call.and_then(|call| call.first_byte)),
        "worker_s": optional(call.map(|call| call.total)),
        "total_s": optional(sample.total()),
        "response_bytes": call.map(|call| call.bytes),
        "tokens": call.and_then(|call| call.tokens),
    })
}

/// A number as JSON; null for `None`.
fn optional(number: Option<f64>) -> Json {
    number.map_or(Json::Null, number_json)
}
