//! When a search was watched.

use super::{Moment, PollRow};

/// The usable polls, in their order.
pub(super) fn usable(polls: &[PollRow]) -> Vec<PollRow> {
    let usable = polls.iter().filter(|poll| poll.outcome.is_usable());
    usable.copied().collect()
}

/// The usable poll before a moment.
pub(super) fn before(usable: &[PollRow], at: Moment) -> Option<&PollRow> {
    let later = usable.partition_point(|poll| poll.at < at);
    usable.get(later.checked_sub(1)?)
}

/// The usable poll after a moment.
pub(super) fn after(usable: &[PollRow], at: Moment) -> Option<&PollRow> {
    usable.get(usable.partition_point(|poll| poll.at <= at))
}

/// The times between two moments during which polls followed each other without a gap.
pub(super) fn watched(usable: &[PollRow], since: Moment, until: Moment) -> Vec<(Moment, Moment)> {
    let mut times: Vec<(Moment, Moment)> = Vec::new();
    for pair in usable.windows(2) {
        let [one, next] = pair else { continue };
        let (from, to) = (one.at.max(since), next.at.min(until));
        if one.is_gap(next.at) || from >= to {
            continue;
        }
        match times.last_mut() {
            Some((_, end)) if *end == from => *end = to,
            Some(_) | None => times.push((from, to)),
        }
    }
    times
}

/// Seconds of `times` between two moments.
pub(super) fn overlap(times: &[(Moment, Moment)], since: Moment, until: Moment) -> i64 {
    let begin = times.partition_point(|(_, end)| *end <= since);
    let within = times
        .iter()
        .skip(begin)
        .take_while(|(from, _)| *from < until);
    within
        .map(|(from, to)| (*to).min(until).since((*from).max(since)).max(0))
        .sum()
}

/// A span of whole seconds as a number.
#[expect(clippy::cast_precision_loss)] // far below 2^53
pub(super) const fn seconds(span: i64) -> f64 {
    span as f64
}

/// `part` of `all`; nothing of nothing.
pub(super) fn share(part: f64, all: f64) -> f64 {
    if all > 0.0 { part / all } else { 0.0 }
}
