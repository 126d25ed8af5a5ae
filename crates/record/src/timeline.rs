//! The times at which a search was watched.

use super::{Moment, PollRow};

/// The usable polls, in order.
pub fn usable(polls: &[PollRow]) -> Vec<PollRow> {
    let usable = polls.iter().filter(|poll| poll.outcome.is_usable());
    usable.copied().collect()
}

/// The last usable poll before a moment; `None` if there is none.
pub fn before(usable: &[PollRow], at: Moment) -> Option<&PollRow> {
    let later = usable.partition_point(|poll| poll.at < at);
    usable.get(later.checked_sub(1)?)
}

/// The first usable poll after a moment; `None` if there is none.
pub fn after(usable: &[PollRow], at: Moment) -> Option<&PollRow> {
    usable.get(usable.partition_point(|poll| poll.at <= at))
}

/// The times between two moments during which polls followed each other without a gap, as start and end;
/// adjacent ones are joined.
pub fn watched(usable: &[PollRow], since: Moment, until: Moment) -> Vec<(Moment, Moment)> {
    let mut times: Vec<(Moment, Moment)> = Vec::new();
    for pair in usable.windows(2) {
        let [poll, next] = pair else { continue };
        let (from, to) = (poll.at.max(since), next.at.min(until));
        if poll.is_gap(next.at) || from >= to {
            continue;
        }
        match times.last_mut() {
            Some((_, end)) if *end == from => *end = to,
            Some(_) | None => times.push((from, to)),
        }
    }
    times
}

/// The number of polls from which a rhythm is derived.
///
/// Eight pauses: enough for half of them to agree with some missed, few enough to follow a timer that was changed.
const RHYTHM: usize = 9;

/// The minimum number of pauses that have to agree.
///
/// Two equal pauses may be chance, as of a person who searched three times.
const LEAST_PAUSES: usize = 3;

/// The interval of a timer in seconds, derived from the times of its polls, ascending: the median of the
/// latest eight pauses; `None` unless at least three of them, and at least half, are within a tenth of it.
///
/// So one missed run, or one search by hand, does not break the rhythm.
pub fn rhythm(polls: &[Moment]) -> Option<u32> {
    let latest = polls.get(polls.len().saturating_sub(RHYTHM)..)?;
    let pauses = latest.windows(2).filter_map(|pair| match pair {
        [poll, next] => Some(next.since(*poll)),
        _ => None,
    });
    let mut pauses: Vec<i64> = pauses.collect();
    pauses.sort_unstable();
    let median = *pauses.get(pauses.len() / 2)?;
    // A timer drifts by the duration of its search, which is less than a tenth of any sensible interval.
    let close = |pause: &&i64| (**pause - median).abs() <= median / 10;
    let near = pauses.iter().filter(close).count();
    let is_regular = near >= LEAST_PAUSES && 2 * near >= pauses.len();
    u32::try_from(median).ok().filter(|_| is_regular)
}

/// The number of seconds of `times`, which are in order, between two moments.
pub fn overlap(times: &[(Moment, Moment)], since: Moment, until: Moment) -> i64 {
    let begin = times.partition_point(|(_, end)| *end <= since);
    let within = times.iter().skip(begin).take_while(|(from, _)| *from < until);
    within
        .map(|(from, to)| (*to).min(until).since((*from).max(since)).max(0))
        .sum()
}

/// A span of whole seconds as a float.
pub const fn seconds(span: i64) -> f64 {
    span as f64
}

/// `part` divided by `all`; 0 if `all` is 0.
pub fn share(part: f64, all: f64) -> f64 {
    if all > 0.0 { part / all } else { 0.0 }
}
