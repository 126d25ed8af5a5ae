//! Plans, counts, loads and spans of the lab in words, wherever they are told.

use super::plan::{MOST_ATTEMPTS, RoutePlan, Stop};
use super::run::{End, Phase, Run};
use crate::domain::format::trimmed;
use crate::domain::text::Untrusted;

/// A plan in words.
pub fn plan(plan: &RoutePlan) -> String {
    let endpoint = Untrusted::from(plan.endpoint.as_str()).screen(40);
    let cost = amount(plan.cost);
    if plan.is_single() {
        return format!("{endpoint}, one request, cost {cost}");
    }
    let stop = match plan.stop {
        Stop::Count(number) => format!("{} requests", count(number)),
        Stop::Duration(seconds) => format!("for {}", span(seconds)),
    };
    let rate = plan
        .rate
        .map_or_else(String::new, |rate| format!(", {}/s", amount(rate)));
    format!(
        "{endpoint}, {stop}, {} at once{rate}, cost {cost}",
        plan.concurrency
    )
}

/// Why a run ended before its plan was carried out, where neither the person nor the key is the
/// cause.
pub fn early_end(run: &Run) -> Option<String> {
    match run.phase() {
        Phase::Ended(End::Capped) => Some(format!(
            "ended early: a run sends at most {} requests and polls",
            count(MOST_ATTEMPTS)
        )),
        Phase::Ended(End::NoWorker) => Some(format!(
            "ended early: no worker within {}",
            span(run.plan().poll.patience)
        )),
        Phase::Ended(End::Done | End::Stopped)
        | Phase::Running
        | Phase::Paused
        | Phase::Draining => None,
    }
}

/// A count with its thousands apart.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A load or a rate: whole numbers with their thousands apart, others with up to two places.
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

/// A span of time as a clock would tell it.
pub fn span(seconds: f64) -> String {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a day at most
    let whole = seconds.max(0.0) as u64;
    match whole {
        0..10 => format!("{seconds:.1}s"),
        10..60 => format!("{whole}s"),
        60..3600 => format!("{}m{:02}s", whole / 60, whole % 60),
        _ => format!("{}h{:02}m", whole / 3600, whole % 3600 / 60),
    }
}
