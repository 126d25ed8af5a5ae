//! The card of a workergroup.

use ratatui::text::Line;

use super::Card;
use crate::domain::format::trimmed;
use crate::domain::{CellRef, Kind, format};
use crate::features::workergroups::preflight::parts::hanging;
use crate::features::workergroups::preflight::summary;

pub(super) fn lines(card: &Card<'_>) -> Vec<Line<'static>> {
    let endpoint = card.text("endpoint_name");
    let endpoint = endpoint.unwrap_or_else(|| "No endpoint".to_owned());
    let mut lines = card.title(endpoint, None);
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
            count(card, "max_workers", "workers at most"),
            count(card, "cold_workers", "cold workers"),
            count(card, "test_workers", "test workers"),
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
    lines.extend(hanging(&rest, card.width));
    lines
}

fn count(card: &Card<'_>, key: &str, label: &str) -> Option<String> {
    let number = card.number(key)?;
    Some(format!("{} {label}", trimmed(number, 2)))
}

fn created(card: &Card<'_>) -> Option<String> {
    let field = card.subject.listing.catalog().by_key("created_at")?;
    match (field.kind, card.record.cell(field)) {
        (Kind::Timestamp, CellRef::Number(epoch)) => {
            let age = (card.subject.now.epoch - epoch).max(0.0);
            Some(format!("created {} ago", format::lasting(age)))
        }
        _ => None,
    }
}
