//! The report on what a group's search finds now.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{Line, labelled, line, report, signed};
use crate::app::Model;
use crate::app::facts::Facts;
use crate::app::groups::preflight::{Look, Panel};
use crate::app::keys::Keymap;
use crate::app::markets::explain;
use crate::app::remote::{Now, Phase};
use crate::domain::insight::{Amount, Coverage};
use crate::domain::query::DEFAULT_STORAGE_GB;
use crate::domain::workergroup::{Part, Preflight, WorkerCounts};
use crate::domain::{format, language};
use crate::widgets::theme::Theme;

/// How many parts of a mix are named.
const PARTS: usize = 8;

/// Draws the report.
pub fn draw(
    buffer: &mut Buffer,
    area: Rect,
    model: &Model,
    scroll: usize,
    now: Now,
    theme: &Theme,
    facts: &mut Facts,
) {
    let panel = &model.groups.preflight;
    let Some(look) = panel.look() else { return };
    let width = area.width.saturating_sub(2);
    let mut lines = labelled(
        "Search",
        &language::print(&look.search.conditions),
        theme.text,
        width,
        theme,
    );
    let is_current = Look::at(model, look.subject).is_ok_and(|now| panel.is_about(&now));
    if !is_current && panel.remote().error().is_none() {
        let key = model.keymap.way_to("report-refresh");
        let text = format!(
            "This report is for an earlier draft of the search: {key} runs it as it is now"
        );
        lines.extend(signed("!", &text, theme.warning, width));
    }
    lines.extend(status(panel, &model.keymap, now, width, theme));
    if let Some(found) = panel.remote().shown() {
        lines.extend(supply(found, panel.limit(), width, theme));
        lines.push(Vec::new());
        lines.extend(costs(found, look, model, width, theme));
    }
    if !look.notes.is_empty() {
        lines.push(Vec::new());
        for note in &look.notes {
            lines.extend(signed("-", note, theme.dim, width));
        }
    }
    let title = format!("Preflight of {}", look.title);
    report(buffer, area, &title, &lines, scroll, theme, facts);
}

fn status(panel: &Panel, keymap: &Keymap, now: Now, width: u16, theme: &Theme) -> Vec<Line> {
    let back = keymap.way_to("back");
    match panel.remote().phase() {
        Phase::Loading { since, waiting, .. } => {
            let text = match waiting {
                Some(waiting) => format!(
                    "{}: going in {:.0}s ({back} stops)",
                    waiting.why,
                    (waiting.until - now.mono).max(0.0).ceil()
                ),
                None => format!(
                    "asking the market … {:.0}s ({back} stops)",
                    (now.mono - since).max(0.0)
                ),
            };
            labelled("", &text, theme.accent, width, theme)
        }
        Phase::Failed(error) => {
            let text = format!("The search failed: {}", explain(error, keymap));
            labelled("", &text, theme.error, width, theme)
        }
        Phase::Idle | Phase::Ready => {
            let text = panel.remote().shown_at().map_or_else(
                || format!("not yet: press {}", keymap.way_to("report-refresh")),
                |then| format!("{} ago", crate::ui::age(now, then)),
            );
            labelled("Asked", &text, theme.dim, width, theme)
        }
    }
}

fn supply(found: &Preflight, limit: Option<u32>, width: u16, theme: &Theme) -> Vec<Line> {
    let mut lines = Vec::new();
    for warning in &found.warnings {
        lines.extend(signed("!", warning, theme.warning, width));
    }
    lines.push(Vec::new());
    let offers = plural(found.offers, "offer");
    let mut text = match found.coverage {
        Coverage::Cut => format!(
            "at least {} ({offers}): the limit of {} cut the answer, cheapest first",
            amount(found.recruitable),
            limit.unwrap_or(0)
        ),
        Coverage::Whole | Coverage::Unknown => format!(
            "{} at {} ({offers})",
            amount(found.recruitable),
            plural(found.hosts, "host")
        ),
    };
    if found.not_rentable > 0 {
        let more = plural(found.not_rentable, "more machine");
        let verb = if found.not_rentable == 1 {
            "matches"
        } else {
            "match"
        };
        text = format!("{text}; {more} {verb} but cannot be rented");
    }
    lines.extend(labelled("Recruitable", &text, theme.heading, width, theme));
    if let Some(prices) = found.prices {
        let text = format!(
            "cheapest ${:.4}/h, median ${:.4}/h, most expensive ${:.4}/h, with {}",
            prices.lowest,
            prices.median,
            prices.highest,
            disk(found.disk)
        );
        lines.extend(labelled("Price", &text, theme.text, width, theme));
    }
    for (label, parts) in [("GPU models", &found.gpus), ("Countries", &found.countries)] {
        if !parts.is_empty() {
            let text = mix(parts, found.recruitable.machines);
            lines.extend(labelled(label, &text, theme.text, width, theme));
        }
    }
    if let Some(host) = found.largest_host {
        let text = format!(
            "host {} has {} of {} ({})",
            host.host,
            host.machines,
            plural(found.recruitable.machines, "machine"),
            percent(host.share)
        );
        lines.extend(labelled("Largest host", &text, theme.text, width, theme));
    }
    if let Some(vram) = found.vram {
        let smallest = vram
            .smallest
            .map(|size| format!("; the smallest has {}", format::gigabytes(size)))
            .unwrap_or_default();
        let text = format!(
            "{} of {} have the {} GB of gpu_ram{smallest}",
            vram.enough,
            plural(vram.enough + vram.too_small, "machine"),
            format::trimmed(vram.wanted, 2)
        );
        let style = if vram.too_small > 0 {
            theme.warning
        } else {
            theme.text
        };
        lines.extend(labelled("GPU memory", &text, style, width, theme));
    }
    lines
}

/// The parts of a mix with their shares.
fn mix(parts: &[Part], all: usize) -> String {
    #[expect(clippy::cast_precision_loss)] // counts of machines
    let share = |machines: usize| percent(machines as f64 / all.max(1) as f64);
    let mut named: Vec<String> = parts
        .iter()
        .take(PARTS)
        .map(|part| {
            format!(
                "{} {} ({})",
                part.label.screen(32),
                part.machines,
                share(part.machines)
            )
        })
        .collect();
    if parts.len() > PARTS {
        let rest: usize = parts[PARTS..].iter().map(|part| part.machines).sum();
        named.push(format!("{} others {rest}", parts.len() - PARTS));
    }
    named.join(", ")
}

fn costs(found: &Preflight, look: &Look, model: &Model, width: u16, theme: &Theme) -> Vec<Line> {
    let keymap = &model.keymap;
    let planned = model.groups.preflight.planned_workers();
    let counts = WorkerCounts::of(&look.group, planned);
    let mut lines = vec![line(
        format!(
            "Cost per hour, estimated (with {}, without traffic)",
            disk(found.disk)
        ),
        theme.heading,
    )];
    lines.push(line(
        format!(
            "{:<22}{:>12}{:>12}{:>12}",
            "", "cheapest", "median", "at most"
        ),
        theme.dim,
    ));
    let typical = if planned.is_some() {
        "planned"
    } else {
        "typical"
    };
    let rows = [
        ("min", counts.min),
        (typical, counts.typical),
        ("max", counts.max),
    ];
    let mut without = None;
    for (name, workers) in rows {
        let Some(cost) = found.cost(workers) else {
            return vec![line(
                "No offer has a price: no cost is known.",
                theme.warning,
            )];
        };
        lines.push(line(
            format!(
                "{:<22}{:>12}{:>12}{:>12}",
                format!("{name}: {}", plural(workers as usize, "worker")),
                dollars(cost.least),
                dollars(cost.typical),
                dollars(cost.most)
            ),
            theme.text,
        ));
        if cost.without_offer > 0 {
            without = Some((workers, cost.without_offer));
        }
    }
    if let Some((workers, missing)) = without {
        let text = format!(
            "{missing} of {workers} workers would find no machine now: the first column excludes \
             them, the second counts them at the median price"
        );
        lines.extend(signed("!", &text, theme.warning, width));
    }
    if planned.is_none() {
        let (group, form) = (keymap.way_to("plan-capacity"), keymap.way_to("form-plan"));
        let text = format!(
            "typical is halfway between min and max; plan from a load ({group}, or {form} in the \
             form) to see the planned number"
        );
        lines.extend(signed("-", &text, theme.dim, width));
    }
    lines
}

/// Machines and their GPUs: `31 machines, 74 GPUs`.
pub(super) fn amount(amount: Amount) -> String {
    let gpus = usize::try_from(amount.gpus).unwrap_or(usize::MAX);
    format!(
        "{}, {}",
        plural(amount.machines, "machine"),
        plural(gpus, "GPU")
    )
}

/// The disk that prices include.
pub(super) fn disk(gb: Option<f64>) -> String {
    gb.map_or_else(
        || format!("the default {} disk", format::gigabytes(DEFAULT_STORAGE_GB)),
        |gb| format!("{} disk from --disk", format::gigabytes(gb)),
    )
}

/// An amount of money.
pub(super) fn dollars(amount: f64) -> String {
    if amount.abs() >= 1e9 {
        format!("${amount:.3e}")
    } else {
        format!("${amount:.2}")
    }
}

fn percent(share: f64) -> String {
    format!("{:.0}%", share * 100.0)
}

/// So many of them.
pub(super) fn plural(count: usize, noun: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{ending}")
}
