//! The changes of a watched search, as text and as JSON.

use super::command::{cause_name, rfc3339};
use super::document;
use super::document::Members;
use super::tape::events::RecentEvents;
use crate::domain::format::{lasting, unit_price};
use crate::domain::{Query, Resource, Untrusted};
use crate::record::store::{Database, HistoryError};
use crate::record::{Change, ChangeKind, Event, EventKind, Moment, Question, SearchKey, seconds, with_storage};

/// The recorded changes of a search after `reported_until`, up to and including `until`, newest first;
/// without `reported_until`, only those at `until`.
pub(crate) fn recorded_changes(
    database: &Database,
    query: &Query,
    reported_until: Option<Moment>,
    until: Moment,
) -> Result<Vec<Event>, HistoryError> {
    let question = Question {
        query: query.clone(),
        // After the clock was set back, the last report is in the future.
        since: reported_until.map_or(until, |reported_until| Moment(reported_until.0 + 1).min(until)),
        until,
    };
    let most = usize::MAX;
    database.ask(&RecentEvents { question, most })
}

/// An event of `bourse watch` as a line of text without a line end; prices per GPU include `storage` GB.
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
    let model = Untrusted::from(&*change.lot.model).screen(64);
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

/// The JSON document of an event of `bourse watch`, without the names of saved searches.
pub(crate) fn document_of(event: &Event) -> document::WatchEvent {
    let (name, members) = match &event.kind {
        EventKind::NotWatched { since } => ("not_watched", Members::NotWatched { since: rfc3339(*since) }),
        EventKind::Change { change, lasted } => (
            name(change.kind),
            Members::Change {
                machine_id: change.lot.machine,
                model: change.lot.model.to_string(),
                host_id: change.host,
                offer_id: change.offer,
                amount: change.amount,
                price: change.price,
                from: before(change),
                lasted_seconds: lasted.map(|lasted| lasted.seconds),
                lasted_at_least: lasted.map(|lasted| lasted.is_at_least),
            },
        ),
    };
    document::WatchEvent {
        at: rfc3339(event.at),
        event: name,
        members,
        searches: None,
    }
}

/// The name of a change in JSON; for a departure, that of its cause.
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

/// The price or the amount before a change; `None` for an offer that came or went.
fn before(change: &Change) -> Option<f64> {
    match change.kind {
        ChangeKind::Repriced { from } => Some(from),
        ChangeKind::Resized { from } => Some(f64::from(from)),
        ChangeKind::Listed | ChangeKind::Gone(_) | ChangeKind::IntoView | ChangeKind::OutOfView => None,
    }
}
