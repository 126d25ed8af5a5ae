//! Formats plans, counts, loads and spans of the route lab.

use super::compare::{Figure, FigureUnit};
use super::hop::{Hop, WorkerCall, WorkerOutcome, status_sentence};
use super::plan::{MOST_ATTEMPTS, RoutePlan, Stop};
use super::run::{End, Phase, Run};
use super::sample::OutcomeKind;
use crate::format::{grouped, percent, trimmed};
use crate::text::Untrusted;
use crate::time::MonotonicTime;

/// Describes a route plan in one line: endpoint, number of requests or duration, concurrency, rate, load and
/// the path at the workers.
pub fn describe_plan(plan: &RoutePlan) -> String {
    let endpoint = Untrusted::from(plan.endpoint.as_str()).screen(40);
    let cost = amount(plan.cost);
    if plan.is_single() {
        return format!("{endpoint}, one request, load {cost}{}", sent_on(plan));
    }
    let stop = match plan.stop {
        Stop::Count(number) => format!("{} requests", count(number)),
        Stop::Duration(seconds) => format!("for {}", clock_span(seconds)),
    };
    let rate = plan
        .rate
        .map_or_else(String::new, |rate| format!(", {}/s", amount(rate)));
    format!(
        "{endpoint}, {stop}, {} at once{rate}, load {cost}{}",
        plan.concurrency,
        sent_on(plan)
    )
}

/// The path at the workers as the end of a sentence, `, sent to /v1/completions`; empty unless a plan sends
/// requests on.
fn sent_on(plan: &RoutePlan) -> String {
    let path = plan
        .hop
        .as_ref()
        .map(|hop| Untrusted::from(hop.absolute_path()).screen(40));
    path.map_or_else(String::new, |path| format!(", sent to {path}"))
}

/// Describes, in one to three sentences, the load that a plan injects, that of its polls, and its release.
pub fn describe_load(plan: &RoutePlan) -> String {
    let mut text = plan.requests().map_or_else(
        || "The total load depends on how fast replies arrive.".to_owned(),
        |requests| format!("A load of up to {} in all.", amount(plan.cost * requests)),
    );
    let poll = plan.poll_load();
    if !plan.is_single() && poll > 0.0 && plan.poll.patience > 0.0 {
        let poll = amount(poll);
        text = format!("{text} Each poll while no worker is ready adds {poll}.");
    }
    if let Some(timeout) = plan.replay_timeout.filter(|_| plan.injects_load()) {
        let timeout = trimmed(timeout, 1);
        text = format!("{text} Unused assignments release it after {timeout} s.");
    }
    text
}

/// The recipients of a run and its requests, line by line: requests and concurrency, router, workers.
pub fn describe_recipients(request_plan: &RoutePlan, hop: &Hop, route_url: &str) -> Vec<String> {
    let path = Untrusted::from(hop.absolute_path()).screen(200);
    let route_url = Untrusted::from(route_url).screen(200);
    let retries = match hop.retries {
        0 => String::new(),
        1 => ", retried once after 408, 429 and 5xx".to_owned(),
        number => format!(", retried up to {number} times after 408, 429 and 5xx"),
    };
    let size = bytes(hop.payload.len() as u64);
    vec![
        format!("{}{retries}", describe_plan(request_plan)),
        format!("To {route_url}: a request for a worker, with your key."),
        format!("To each assigned worker: POST {path}, {size} of payload and the worker's signed assignment, no key."),
    ]
}

/// The reason the call of a worker failed, in a sentence; `None` if it succeeded.
pub fn failure_reason(call: &WorkerCall) -> Option<String> {
    match &call.outcome {
        WorkerOutcome::Answered { .. } if call.is_good() => None,
        WorkerOutcome::Answered { status } => Some(format!("{status} from the worker: {}", status_sentence(*status))),
        WorkerOutcome::Failed { words } => Some(words.screen(400)),
        WorkerOutcome::TimedOut => Some("the worker did not answer within 10 minutes".to_owned()),
    }
}

/// The sentence about the costs of a run: nothing in a sandbox, else a warning that workers are billed.
pub const fn billing_notice(is_sandbox: bool) -> &'static str {
    if is_sandbox {
        "This is the sandbox: nothing is billed."
    } else {
        "This sends real traffic: requests can wake workers, and workers are billed."
    }
}

/// The reason a run ended before its plan was complete: the limit of attempts, or no worker in time; `None`
/// otherwise, also after a stop by the user.
pub fn early_end(run: &Run) -> Option<String> {
    match run.phase() {
        Phase::Ended(End::Capped) => Some(format!(
            "ended early: a run sends at most {} requests and polls",
            count(MOST_ATTEMPTS)
        )),
        Phase::Ended(End::NoWorker) => Some(format!(
            "ended early: no worker within {}",
            clock_span(run.plan().poll.patience)
        )),
        Phase::Ended(End::Done | End::Stopped) | Phase::Running | Phase::Paused | Phase::Draining => None,
    }
}

/// A count with thousands separators.
pub fn count(number: u64) -> String {
    grouped(usize::try_from(number).unwrap_or(usize::MAX))
}

/// A load or a rate: whole numbers with thousands separators, others with up to two decimals, from 1e15 on
/// with an exponent.
pub fn amount(value: f64) -> String {
    if value.fract() == 0.0 && (0.0..1e15).contains(&value) {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // in range just here
        return count(value as u64);
    }
    if value.abs() >= 1e15 {
        return format!("{value:.3e}");
    }
    trimmed(value, 2)
}

/// Formats a time span in seconds like a clock: `9.5s`, `45s`, `1m15s`, `2h05m`.
pub fn clock_span(seconds: f64) -> String {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a day at most
    let whole = seconds.max(0.0) as u64;
    match whole {
        0..10 => format!("{seconds:.1}s"),
        10..60 => format!("{whole}s"),
        60..3600 => format!("{}m{:02}s", whole / 60, whole % 60),
        _ => format!("{}h{:02}m", whole / 3600, whole % 3600 / 60),
    }
}

/// A latency in ms below 1 s, else in s, with about three digits: `12.3 ms`, `1.50 s`.
pub fn latency(seconds: f64) -> String {
    let size = seconds.abs();
    if size < 0.000_999_5 {
        format!("{:.2} ms", seconds * 1e3)
    } else if size < 0.099_95 {
        format!("{:.1} ms", seconds * 1e3)
    } else if size < 0.999_5 {
        format!("{:.0} ms", seconds * 1e3)
    } else if size < 99.995 {
        format!("{seconds:.2} s")
    } else {
        format!("{seconds:.0} s")
    }
}

/// A size in bytes with its unit, in decimal steps: `1,234 B`, `42.1 kB`, `13.0 MB`.
pub fn bytes(number: u64) -> String {
    let size = number as f64;
    match number {
        0..10_000 => format!("{} B", count(number)),
        10_000..10_000_000 => format!("{:.1} kB", size / 1e3),
        10_000_000..10_000_000_000 => format!("{:.1} MB", size / 1e6),
        _ => format!("{:.1} GB", size / 1e9),
    }
}

/// Formats a value in the unit of the figure `of`, also a negative difference; a dash for `None`.
pub fn figure(of: &Figure, value: Option<f64>) -> String {
    let Some(value) = value else {
        return "—".to_owned();
    };
    match of.unit {
        FigureUnit::Seconds => latency(value),
        FigureUnit::Share => percent(value),
        FigureUnit::PerSecond => format!("{value:.1}/s"),
        FigureUnit::Bytes if value >= 0.0 => {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // not negative
            bytes(value as u64)
        }
        FigureUnit::Count | FigureUnit::Load | FigureUnit::Bytes if value < 0.0 => {
            format!("-{}", amount(-value))
        }
        FigureUnit::Count | FigureUnit::Load | FigureUnit::Bytes => amount(value),
    }
}

/// Formats a difference between two values in the unit of the figure `of`; shares in percentage points.
pub fn difference(of: &Figure, value: f64) -> String {
    match of.unit {
        _ if value < 0.0 => format!("−{}", difference(of, -value)),
        FigureUnit::Share => format!("{:.1} pts", value * 100.0),
        _ => figure(of, Some(value)),
    }
}

/// The result of a route run, in one line for a notification: endpoint, number of requests, 99th percentiles
/// of the times that were measured, and failures if there are any.
pub fn describe_result(run: &Run) -> String {
    let endpoint = Untrusted::from(run.plan().endpoint.as_str()).screen(40);
    let stats = run.stats();
    let mut text = format!("{endpoint}: {} requests", count(stats.requests()));
    for (name, of) in [
        ("router reply", &stats.router_reply),
        ("worker", &stats.time_to_worker),
        ("total", &stats.worker_calls.total),
    ] {
        if let Some(p99) = of.quantile(0.99) {
            text = format!("{text}, {name} p99 {}", latency(p99));
        }
    }
    let failed = stats.failed();
    if failed > 0 {
        text = format!("{text}, {} failed", count(failed));
    }
    text
}

/// The sentence about the next request of a rate-limited run; `None` if that is less than 2 s away or not
/// planned, an attempt is in flight, or the latest finished one was not rate limited.
pub fn describe_rate_limit_wait(run: &Run, now: MonotonicTime) -> Option<String> {
    const LEAST: f64 = 2.0;
    let latest = run.samples().last()?.outcome.kind();
    let is_refused = latest == OutcomeKind::RateLimited && run.in_flight() == 0;
    let seconds = run.wake().filter(|_| is_refused)? - now;
    (seconds >= LEAST).then(|| format!("rate limited, next request in {seconds:.0} s"))
}

/// The state of the workers that a run waits for, from the status of its latest reply, loading ones before
/// others and ready ones last: `2 ready, 3 model_loading` becomes `3 workers loading model`. `None` if the
/// run is over, or its latest reply is no status.
///
/// A status in another format is shown unchanged.
pub fn waiting_for(run: &Run) -> Option<String> {
    if run.is_over() {
        return None;
    }
    let latest = run.samples().last()?;
    if latest.outcome.kind() != OutcomeKind::Waiting {
        return None;
    }
    let status = latest.outcome.detail();
    let parts: Option<Vec<(u64, &str)>> = status
        .unescaped()
        .split(',')
        .map(|part| {
            let (number, state) = part.trim().split_once(' ')?;
            Some((number.parse().ok()?, state.trim()))
        })
        .collect();
    let Some(mut parts) = parts else {
        return Some(status.screen(120));
    };
    // Ready workers are not a reason to wait, unless there are no others.
    parts.sort_by_key(|(_, state)| match *state {
        "model_loading" | "loading" => 0,
        "ready" => 2,
        _ => 1,
    });
    let (number, state) = parts.first()?;
    let state = match *state {
        "model_loading" | "loading" => "loading model".to_owned(),
        code => Untrusted::from(code.replace('_', " ")).screen(40),
    };
    let workers = if *number == 1 { "worker" } else { "workers" };
    Some(format!("{} {workers} {state}", count(*number)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_for_people() {
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(1_000), "1,000");
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(amount(100.0), "100");
        assert_eq!(amount(0.5), "0.5");
        assert_eq!(latency(0.000_25), "0.25 ms");
        assert_eq!(latency(0.0123), "12.3 ms");
        assert_eq!(latency(0.25), "250 ms");
        assert_eq!(latency(1.5), "1.50 s");
        assert_eq!(clock_span(9.5), "9.5s");
        assert_eq!(clock_span(75.0), "1m15s");
        assert_eq!(bytes(1_234), "1,234 B");
        assert_eq!(bytes(42_100), "42.1 kB");
    }
}
