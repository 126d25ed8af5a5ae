//! The card of a workergroup.

use ratatui::text::Line;

use super::Card;
use crate::domain::format::trimmed;
use crate::domain::time::UnixTime;
use crate::domain::workergroup::Key;
use crate::domain::{CellRef, Kind, format};
use crate::features::workergroups::preflight::summary;
use crate::features::workergroups::sent;
use crate::tui::text::wrap_hanging;

/// The lines of a workergroup's card: endpoint, template, limits of its workers, load, and the summary of its
/// workers.
pub(super) fn lines(card: &Card<'_>) -> Vec<Line<'static>> {
    let endpoint = card.text("endpoint_name");
    let mut lines = card.title(endpoint.unwrap_or_else(|| "No endpoint".to_owned()), None);
    lines.extend(
        card.dotted([
            card.text("template_id")
                .or_else(|| card.text("template_hash"))
                .map(|template| format!("template {template}")),
            created(card),
        ]),
    );
    lines.push(Line::default());
    lines.extend(
        card.dotted([
            count(card, Key::MaxWorkers, "workers at most"),
            count(card, Key::ColdWorkers, "cold workers"),
            count(card, Key::TestWorkers, "test workers"),
            card.number("gpu_ram")
                .map(|gb| format!("VRAM {} GB or more", trimmed(gb, 1))),
        ]),
    );
    lines.extend(
        card.dotted([
            card.number("min_load")
                .map(|load| format!("minimum load {}", trimmed(load, 2))),
            card.number("target_util")
                .map(|share| format!("target utilization {}%", trimmed(share * 100.0, 1))),
            card.number("cold_mult")
                .map(|factor| format!("reserve capacity {}×", trimmed(factor, 2))),
        ]),
    );
    lines.push(Line::default());
    let subject = &card.subject;
    let rest = summary::of_group(subject.state, subject.row, subject.now, card.theme());
    lines.extend(wrap_hanging(&rest, card.width));
    lines
}

/// The limit `key` with its label: the one that the market returns, or else the one sent when the group was
/// created here. `None` if neither is known.
fn count(card: &Card<'_>, key: Key, label: &str) -> Option<String> {
    if let Some(number) = card.number(key.wire()) {
        return Some(format!("{} {label}", trimmed(number, 2)));
    }
    let subject = &card.subject;
    let sent = sent::created_as(&subject.state.mutations.history, subject.listing, subject.row)?;
    let limit = sent::limit(sent, key)?;
    Some(format!("{limit} {label}, as created here"))
}

/// The age of a workergroup: `created 3 hours ago`; `None` if the market sends no time.
fn created(card: &Card<'_>) -> Option<String> {
    let field = card.subject.listing.catalog().by_key("created_at")?;
    match (field.kind, card.record.cell(field)) {
        (Kind::Timestamp, CellRef::Number(seconds)) => {
            let age = (card.subject.now.epoch - UnixTime::new(seconds)).max(0.0);
            Some(format!("created {} ago", format::lasting(age)))
        }
        _ => None,
    }
}
