//! The card of a workergroup.

use ratatui::text::{Line, Span};

use super::Card;
use crate::app::groups::preflight::Look;
use crate::app::groups::supply::Supply;
use crate::app::keymap::Action;
use crate::domain::format::{self, trimmed};
use crate::domain::insight::Coverage;
use crate::domain::language;
use crate::domain::workergroup::{Change, ChangeKind, group_search};
use crate::domain::{CellRef, Kind};

/// The longest value of a change that is shown, in cells.
const LONGEST_VALUE: usize = 24;

pub(super) fn lines(card: &Card<'_>) -> Vec<Line<'static>> {
    let endpoint = card.text("endpoint_name");
    let endpoint = endpoint.unwrap_or_else(|| "No endpoint".to_owned());
    let mut lines = card.title(endpoint, None);
    lines.extend(
        card.facts([
            card.text("template_id")
                .or_else(|| card.text("template_hash"))
                .map(|template| format!("template {template}")),
            created(card),
        ]),
    );
    lines.push(Line::default());
    lines.extend(supply(card));
    lines.push(Line::styled("Search", card.theme().heading));
    lines.extend(search(card));
    lines.push(Line::default());
    lines.push(Line::styled("Workers", card.theme().heading));
    lines.extend(
        card.facts([
            count(card, "max_workers", "at most"),
            count(card, "cold_workers", "cold"),
            count(card, "test_workers", "to test"),
            card.number("gpu_ram")
                .map(|gb| format!("VRAM {} GB or more", trimmed(gb, 1))),
        ]),
    );
    lines.extend(
        card.facts([
            count(card, "min_load", "load at least"),
            card.number("target_util")
                .map(|share| format!("target {} %", trimmed(share * 100.0, 1))),
            card.number("cold_mult")
                .map(|factor| format!("cold × {}", trimmed(factor, 2))),
        ]),
    );
    lines.extend(changes(card));
    lines
}

fn count(card: &Card<'_>, key: &str, label: &str) -> Option<String> {
    let number = card.number(key)?;
    Some(format!("{label} {}", trimmed(number, 2)))
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

/// What the last supply check found.
fn supply(card: &Card<'_>) -> Vec<Line<'static>> {
    let theme = card.theme();
    let state = card.subject.state;
    let id = card.subject.listing.id(card.subject.row);
    let line = match id.and_then(|id| state.groups.supply.of(id)) {
        None => {
            let key = state.keymap.key_of(Action::CheckSupply);
            Line::styled(format!("Supply not checked ({key} checks)"), theme.dim)
        }
        Some(Supply::Waiting) => Line::styled("Checking supply…", theme.dim),
        Some(Supply::Failed(why)) => {
            Line::styled(format!("! Supply unknown: {why}"), theme.warning)
        }
        Some(Supply::Found(found, _)) if found.recruitable.machines == 0 => {
            Line::styled("! No machine matches now", theme.error)
        }
        Some(Supply::Found(found, at)) => {
            let amount = found.recruitable;
            let more = if found.coverage == Coverage::Cut {
                "+"
            } else {
                ""
            };
            let gpus = format!(
                "{}{more} GPUs on {}{more} machines",
                amount.gpus, amount.machines
            );
            let prices = found.prices.as_ref();
            let from = prices.map(|it| format!(" from {}", format::per_hour(it.lowest)));
            let age = format::lasting((card.subject.now.epoch - at.epoch).max(0.0));
            Line::from(vec![
                Span::styled(gpus, theme.good),
                Span::styled(from.unwrap_or_default(), theme.text),
                Span::styled(format!(" ({age} ago)"), theme.dim),
            ])
        }
    };
    vec![line, Line::default()]
}

/// The search, a condition a line; as text where it cannot be read as conditions.
fn search(card: &Card<'_>) -> Vec<Line<'static>> {
    let theme = card.theme();
    let subject = &card.subject;
    let dialect = subject.state.profile.dialect;
    let Some(text) = group_search(subject.listing, subject.row) else {
        return vec![Line::styled("  none: every machine matches", theme.dim)];
    };
    let look = Look::at_row(subject.listing, subject.row, dialect);
    let mut lines: Vec<Line<'static>> = match look {
        Ok(look) if !look.search.conditions.is_empty() => {
            let conditions = look.search.conditions.iter();
            conditions
                .map(|condition| {
                    let text = language::print_condition_briefly(condition);
                    Line::styled(format!("  {}", card.safe(&text)), theme.text)
                })
                .collect()
        }
        _ => card.sentence(&card.safe(text.text.compared()), theme.text),
    };
    if !text.left_out.is_empty() {
        let names: Vec<String> = text.left_out.iter().map(|name| name.screen(24)).collect();
        let text = format!("  and {}", names.join(", "));
        lines.push(Line::styled(text, theme.dim));
    }
    lines
}

/// What changed since the listing before, of this group.
fn changes(card: &Card<'_>) -> Vec<Line<'static>> {
    let theme = card.theme();
    let Some(id) = card.subject.listing.id(card.subject.row) else {
        return Vec::new();
    };
    let found = card.subject.state.groups.drift.found();
    let own: Vec<(f64, &Change)> = found
        .flat_map(|found| found.changes.iter().map(|change| (found.since, change)))
        .filter(|(_, change)| change.group == id)
        .take(4)
        .collect();
    if own.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![Line::default(), Line::styled("Changes", theme.heading)];
    for (since, change) in own {
        let age = format::lasting((card.subject.now.epoch - since).max(0.0));
        let value = |value: &Option<crate::domain::Untrusted>| {
            value
                .as_ref()
                .map_or_else(|| "—".to_owned(), |it| it.screen(LONGEST_VALUE))
        };
        let text = match &change.kind {
            ChangeKind::New => format!("  new in the last {age}"),
            ChangeKind::Gone => format!("  gone in the last {age}"),
            ChangeKind::Changed {
                parameter,
                from,
                to,
            } => format!(
                "  {}: {} → {} in the last {age}",
                parameter.screen(LONGEST_VALUE),
                value(from),
                value(to)
            ),
        };
        lines.push(Line::styled(text, theme.warning));
    }
    lines
}
