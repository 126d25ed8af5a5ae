//! The workers' responses, as text and as JSON.

use serde_json::{Value as Json, json};

use super::document::Measured;
use crate::domain::pretty;
use crate::domain::routing::{RouteSample, Run, WorkerCall, WorkerOutcome, WorkerSummary, words};
use crate::domain::text::visible_lines;

/// The figures of the workers' calls in a route run, one per line: percentiles of their phases, responses by
/// class, tokens; those without calls are left out.
pub(super) fn lines(summary: &WorkerSummary) -> Vec<String> {
    let parts = [
        ("connect, TLS", &summary.connect),
        ("first byte", &summary.first_byte),
        ("last byte", &summary.last_byte),
        ("total", &summary.total),
    ];
    let mut lines: Vec<_> = parts
        .into_iter()
        .filter_map(|(label, times)| Some(super::show::times(label, times.as_ref()?)))
        .collect();
    let classes: Vec<_> = summary
        .classes
        .iter()
        .map(|(class, count)| format!("{} {class}", words::count(*count)))
        .collect();
    if !classes.is_empty() {
        let retries = match summary.calls.saturating_sub(summary.classes.values().sum()) {
            0 => String::new(),
            1 => "; 1 retry".to_owned(),
            number => format!("; {} retries", words::count(number)),
        };
        lines.push(format!("workers answered: {}{retries}", classes.join(", ")));
    }
    if let Some(rate) = &summary.token_rate {
        lines.push(format!(
            "tokens a second  p50 {:.1}, max {:.1}; {} tokens",
            rate.p50,
            rate.max,
            words::count(summary.tokens)
        ));
    }
    lines
}

/// The worker's response to the only request, as text for a terminal; `None` for a run of several and without
/// a response body.
pub(super) fn response(run: &Run) -> Option<String> {
    if !run.plan().is_single() {
        return None;
    }
    let last = run.samples().last()?;
    let answer = run.answer(last.index).filter(|answer| !answer.unescaped().is_empty())?;
    let is_cut = last
        .call
        .as_ref()
        .is_some_and(|call| call.bytes > answer.unescaped().len() as u64);
    let lines = pretty::body_lines(answer.unescaped(), is_cut);
    Some(visible_lines(&format!("{}\n", lines.join("\n"))))
}

/// The router's `reply` to the attempt `index` as JSON, with an additional member `bourse`: the times in
/// seconds and the response of the worker.
///
/// Null if `reply` is no JSON.
pub(super) fn reply(run: &Run, index: u64, reply: &str) -> Json {
    let mut whole: Json = serde_json::from_str(reply).unwrap_or_default();
    let sample = run.samples().iter().find(|sample| sample.index == index);
    if let (Json::Object(members), Some(sample)) = (&mut whole, sample) {
        members.insert("bourse".to_owned(), json!(measured(run, sample)));
    }
    whole
}

/// The JSON for a failed attempt of a route run, which has no reply of the router: only the member `bourse`,
/// with the number of its request from 1 (null if the attempt `index` is no longer stored) and the reason
/// `why`.
pub(super) fn failed_attempt(run: &Run, index: u64, why: &str) -> Json {
    let sample = run.samples().iter().find(|sample| sample.index == index);
    json!({ "bourse": { "request": sample.map(|sample| sample.request + 1), "error": why } })
}

/// The figures of an attempt for its member `bourse`; those of the worker are `None` if it was not called.
fn measured(run: &Run, sample: &RouteSample) -> Measured {
    let call = sample.call.as_deref();
    let answered = call.filter(|call| matches!(call.outcome, WorkerOutcome::Answered { .. }));
    Measured {
        queue: sample.time_to_worker(),
        connect: call.and_then(|call| call.connect),
        first_byte: call.and_then(|call| call.first_byte),
        last_byte: answered.and_then(|call| call.connect.map(|connect| call.total - connect)),
        total: sample.total(),
        request: sample.request + 1,
        retry: sample.retry.map_or(0, |retry| retry.number),
        status: call.and_then(WorkerCall::status),
        error: call.and_then(words::failure_reason),
        bytes: call.map(|call| call.bytes),
        tokens: call.and_then(|call| call.tokens),
        tokens_per_second: call.and_then(WorkerCall::tokens_per_second),
        response: run.answer(sample.index).map(|answer| {
            let text = answer.unescaped();
            serde_json::from_str(text).unwrap_or_else(|_| Json::from(text))
        }),
    }
}
