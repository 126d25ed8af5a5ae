//! Draws the report on a search: supply and warnings, costs, and the mix of machines.

use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span, Text};

use super::Preflight as View;
use super::parts::{amount_text, disk, labelled, plural, signed};
use crate::core::State;
use crate::core::markets::explain;
use crate::core::view::{Region, Scene};
use crate::core::views::chart;
use crate::core::views::chart::{Axis, Labels, polyline};
use crate::domain::cost::ColdStart;
use crate::domain::format::{dollars, per_hour, percent};
use crate::domain::insight::{Coverage, Scale, ScaleKind};
use crate::domain::time::Now;
use crate::domain::workergroup::{Preflight, WorkerCost, WorkerCounts};
use crate::domain::{format, language};
use crate::features::workergroups::look::{Look, Subject};
use crate::features::workergroups::supply::Check;
use crate::features::workergroups::{Groups, check_of, look_at};
use crate::table::remote::Phase;
use crate::tui::panel::{Panel, Size};
use crate::tui::range_bar::RangeBar;
use crate::tui::text::{fit, wrap_hanging};
use crate::tui::theme::Theme;

/// Maximum number of named parts of a mix.
const PARTS: usize = 8;

/// Cells of the counts after the bars.
const COUNT: u16 = 20;

/// Minimum height of the panel of offers: frame, header and three rows.
const LEAST_OFFERS: u16 = 6;

/// Cells of the panel with costs and mixes.
const COSTS: u16 = 58;

/// Draws the report on a workergroup's search, with the cheapest offers below and the costs beside it where
/// there is room; nothing if the search is invalid or its group gone.
pub(super) fn report(view: &View, area: Rect, scene: &mut Scene<'_, '_>) {
    let Ok(look) = look_at(scene.state, view.subject) else {
        return;
    };
    let check = check_of(scene.state, &look);
    let costs_width = match scene.size {
        Size::Compact => 0,
        Size::Medium => COSTS,
        Size::Wide => area.width / 2,
    };
    let preflight = check.and_then(|check| check.remote().shown());
    let costs_lines = preflight.map_or_else(Vec::new, |preflight| {
        let width = costs_width.saturating_sub(4);
        let mut lines = wrap_hanging(&costs(preflight, &look, scene.theme), width);
        lines.extend(mixes(preflight, width, scene.theme));
        lines
    });
    let screen = (scene.size, area.width);
    let lines = lines(view.subject, scene.state, scene.now, screen, scene.theme);
    let rows = height_of(lines.len() + 2);
    // With frame and header.
    let listed = preflight.map_or(0, |preflight| height_of(preflight.cheapest.len() + 3));
    let needed = rows.saturating_add(listed).max(height_of(costs_lines.len() + 2));
    let spare = area.height.saturating_sub(needed);
    let is_below = scene.size == Size::Wide && preflight.is_some() && spare >= LEAST_COSTS + 2;
    let [area, chart] = Layout::vertical([
        Constraint::Fill(1),
        Constraint::Length(if is_below { spare } else { 0 }),
    ])
    .areas(area);
    let [left, right] = Layout::horizontal([Constraint::Fill(1), Constraint::Length(costs_width)]).areas(area);
    let shown_at = check.and_then(|check| check.remote().shown_at());
    let note = shown_at.map_or_else(String::new, |then| {
        let age = (scene.now.epoch - then.epoch).max(0.0);
        format!("{} ago", format::lasting(age))
    });
    let below = match (scene.size, preflight) {
        (Size::Compact, _) | (_, None) => 0,
        (Size::Medium | Size::Wide, Some(_)) => left.height.saturating_sub(rows),
    };
    let [left, below] = Layout::vertical([
        Constraint::Fill(1),
        Constraint::Length(if below < LEAST_OFFERS { 0 } else { below }),
    ])
    .areas(left);
    if let Some(preflight) = preflight {
        offers(preflight, look.cold_start(&scene.state.settings.values), below, scene);
    }
    let inner = scene.panel(
        Panel::new(format!("Supply of {}", look.title)).note(note).focused(true),
        left,
    );
    scene.report_of(Region::MAIN, &view.report, &lines, inner);
    if right.is_empty() {
        return;
    }
    let inner = scene.framed(Panel::new("Cost per hour, estimated"), right);
    let rows = height_of(costs_lines.len() + 1);
    scene.render(Text::from(costs_lines), inner);
    let [_, below] = Layout::vertical([Constraint::Length(rows), Constraint::Fill(1)]).areas(inner);
    let below = if is_below {
        scene.panel(Panel::new("Cost by number of workers"), chart)
    } else {
        below
    };
    if let Some(preflight) = preflight {
        draw_costs(preflight, &look, below, scene);
    }
}

/// A number of lines as rows, at most 65,535.
fn height_of(lines: usize) -> u16 {
    u16::try_from(lines).unwrap_or(u16::MAX)
}

/// The least height of a useful chart of costs.
const LEAST_COSTS: u16 = 9;

/// Draws the cost in $/h by the number of workers, from none to the worst case, at the median price and at
/// most; nothing without prices or in too small an area.
pub(crate) fn draw_costs(preflight: &Preflight, look: &Look, area: Rect, scene: &mut Scene<'_, '_>) {
    /// The most points of a curve.
    const POINTS: u32 = 200;
    let most = WorkerCounts::new(&look.group, look.dialect).worst();
    let costs = (0..=most).step_by(most.div_ceil(POINTS).max(1) as usize);
    let costs: Vec<_> = costs.filter_map(|workers| preflight.cost(workers)).collect();
    let scale = |high: f64| Scale::fit([0.0, high], Some(ScaleKind::Linear));
    let highest = costs.last().map_or(0.0, |cost| cost.most);
    let (Some(across), Some(upwards)) = (scale(f64::from(most)), scale(highest)) else {
        return;
    };
    if area.height < LEAST_COSTS || costs.len() < 2 {
        return;
    }
    let theme = scene.theme;
    let [title, area] = Layout::vertical([Constraint::Length(1), Constraint::Fill(1)]).areas(area);
    let curves = [("● median", theme.series[0]), ("○ at most", theme.series[1])];
    let mut heading = Line::styled("$/h by number of workers", theme.heading);
    for (name, style) in curves {
        heading.push_span(Span::styled(format!("  {name}"), style));
    }
    scene.render(fit(heading, title.width), title);
    let axes = (Axis(&across, Labels::Count), Axis(&upwards, Labels::Number));
    let Some(plot) = chart::axes(&axes.0, Some(&axes.1), area, scene) else {
        return;
    };
    let points = [|cost: &WorkerCost| cost.typical, |cost: &WorkerCost| cost.most].map(|of| {
        let place = |cost: &WorkerCost| Some((across.position(f64::from(cost.workers))?, upwards.position(of(cost))?));
        costs.iter().filter_map(place).collect::<Vec<(f64, f64)>>()
    });
    let canvas = chart::canvas(plot).paint(|context| {
        for (points, (_, style)) in points.iter().zip(curves) {
            polyline(context, points, style.fg.unwrap_or_default());
        }
    });
    scene.render(canvas, plot);
    for ((points, (_, style)), sign) in points.iter().zip(curves).zip(["●", "○"]) {
        if let Some(end) = points.last() {
            chart::sign(*end, (sign, style), plot, scene);
        }
    }
}

/// Draws the cheapest offers of a workergroup's search in a panel, if there are any and room for them.
fn offers(preflight: &Preflight, start: Option<ColdStart>, area: Rect, scene: &mut Scene<'_, '_>) {
    if area.height < LEAST_OFFERS || preflight.cheapest.is_empty() {
        return;
    }
    let workers = plural(preflight.most_workers, "worker");
    let inner = scene.panel(
        Panel::new("Cheapest offers")
            .note(format!("for up to {workers}"))
            .foot(format!("with {}", disk(preflight.disk))),
        area,
    );
    let lines = super::parts::offers(preflight, start, (inner.width, inner.height), scene.theme);
    scene.render(Text::from(lines), inner);
}

/// The text of the report on a workergroup's search, wrapped to its panel; on a compact screen including
/// costs and mix of machines. The pair is the class and the width (in cells) of the screen.
pub(super) fn lines(
    subject: Subject,
    state: &State,
    now: Now,
    (size, columns): (Size, u16),
    theme: &Theme,
) -> Vec<Line<'static>> {
    let look = match look_at(state, subject) {
        Ok(look) => look,
        Err(error) => return vec![signed("!", &error.to_string(), theme.warning)],
    };
    let search = language::print(&look.search.conditions);
    let mut lines = vec![labelled("Search", search, theme.text, theme)];
    lines.extend(status(&look, state, now, theme));
    if let Some(preflight) = check_of(state, &look).and_then(|check| check.remote().shown()) {
        lines.push(Line::default());
        if let Some(text) = look.outlook(Ok(preflight)).no_price_limit() {
            lines.push(signed("✗", &text, theme.error));
        }
        for warning in &preflight.warnings {
            lines.push(signed("!", warning, theme.warning));
        }
        lines.extend(supply(preflight, look.search.query().limit, theme));
        let values = &state.settings.values;
        let start = look.cold_start(values);
        let style = if start.is_some() { theme.text } else { theme.dim };
        let text = super::parts::cold_start(preflight, start, values.starts);
        lines.push(labelled("Cold start", text, style, theme));
        if size == Size::Compact {
            lines.push(Line::default());
            lines.push(Line::styled("Cost per hour, estimated", theme.heading));
            lines.extend(costs(preflight, &look, theme));
            lines.extend(mixes(preflight, columns, theme));
        }
    }
    if !look.notes.is_empty() {
        lines.push(Line::default());
        let notes = look.notes.iter();
        lines.extend(notes.map(|note| signed("-", note, theme.dim)));
    }
    let width = match size {
        Size::Compact => columns,
        Size::Medium => columns.saturating_sub(COSTS + 4),
        Size::Wide => (columns - columns / 2).saturating_sub(4),
    };
    wrap_hanging(&lines, width)
}

/// The state of the supply check of a workergroup's search: queued, not run, running or failed; `None` once
/// it has succeeded.
pub(crate) fn status(look: &Look, state: &State, now: Now, theme: &Theme) -> Option<Line<'static>> {
    if Groups::read(state).supply.is_queued(&look.search) {
        return Some(Line::styled("Waits for another search", theme.dim));
    }
    let not_run = || Line::styled("Not run yet", theme.dim);
    let Some(remote) = check_of(state, look).map(Check::remote) else {
        return Some(not_run());
    };
    if let Some(text) = remote.phase().under_way("Searching …", now) {
        return Some(Line::styled(text, theme.accent));
    }
    match remote.phase() {
        Phase::Failed(error) => {
            let text = format!("Search failed: {}", explain(error, &state.keymap));
            Some(Line::styled(text, theme.error))
        }
        Phase::Idle if remote.shown().is_none() => Some(not_run()),
        Phase::Idle | Phase::Ready | Phase::Loading { .. } => None,
    }
}

/// The machines and GPUs that can be rented now, as text; "at least" if the response may lack some.
fn recruitable(preflight: &Preflight, limit: Option<u32>) -> String {
    let offers = plural(preflight.offers, "offer");
    let mut text = match preflight.coverage {
        Coverage::Cut => format!(
            "at least {} ({offers}): the limit of {} truncated the result, cheapest first",
            amount_text(preflight.recruitable),
            limit.unwrap_or(0)
        ),
        Coverage::Unknown => format!(
            "at least {} ({offers}): the market may have sent only some",
            amount_text(preflight.recruitable)
        ),
        Coverage::Whole => format!(
            "{} at {} ({offers})",
            amount_text(preflight.recruitable),
            plural(preflight.hosts, "host")
        ),
    };
    if preflight.not_rentable > 0 {
        let more = plural(preflight.not_rentable, "more machine");
        text = format!("{text}; {more} can't be rented");
    }
    text
}

/// The lines on the offers that a workergroup's search finds: machines, prices in $/h, the largest host, and
/// GPU memory that is too small; those without a value are left out.
fn supply(preflight: &Preflight, limit: Option<u32>, theme: &Theme) -> Vec<Line<'static>> {
    let mut lines = vec![labelled(
        "Available",
        recruitable(preflight, limit),
        theme.heading,
        theme,
    )];
    if let Some(prices) = preflight.prices {
        let text = format!(
            "cheapest {}, median {}, most expensive {}, with {}",
            per_hour(prices.lowest),
            per_hour(prices.median),
            per_hour(prices.highest),
            disk(preflight.disk)
        );
        lines.push(labelled("Price", text, theme.text, theme));
    }
    if let Some(host) = preflight.largest_host {
        let text = format!(
            "host {} has {} of {} ({})",
            host.host,
            host.machines,
            plural(preflight.recruitable.machines, "machine"),
            percent(host.share)
        );
        lines.push(labelled("Largest host", text, theme.text, theme));
    }
    if let Some(vram) = preflight.vram {
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
        let style = if vram.too_small > 0 { theme.warning } else { theme.text };
        lines.push(labelled("GPU memory", text, style, theme));
    }
    lines
}

/// The share of `machines` in `all`, from 0 to 1; 0 if `all` is 0.
fn share(machines: usize, all: usize) -> f64 {
    machines as f64 / all.max(1) as f64
}

/// The lines of the machines by GPU model and by country, a bar each, at most 8 of either with the number of
/// the others below.
pub(crate) fn mixes(preflight: &Preflight, width: u16, theme: &Theme) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    let all = preflight.recruitable.machines;
    for (title, parts) in [("GPU models", &preflight.gpus), ("Countries", &preflight.countries)] {
        if parts.is_empty() {
            continue;
        }
        lines.push(Line::default());
        lines.push(Line::styled(title, theme.heading));
        for part in parts.iter().take(PARTS) {
            let name = fit(Line::raw(part.label.screen(32)), 16);
            let blanks = " ".repeat(17 - name.width().min(16));
            let share = share(part.machines, all);
            let count = format!(" {} ({})", plural(part.machines, "machine"), percent(share));
            let room = width.saturating_sub(17 + COUNT).min(24);
            let mut line = Line::from(vec![Span::raw(name.to_string()), Span::raw(blanks)]);
            line.spans.extend(RangeBar::new(share, theme).line(room).spans);
            line.push_span(Span::styled(count, theme.dim));
            lines.push(line);
        }
        if parts.len() > PARTS {
            let text = format!("and {} others", parts.len() - PARTS);
            lines.push(Line::styled(text, theme.dim));
        }
    }
    lines
}

/// The table of a workergroup's costs in $/h for the minimum, middle, maximum and worst number of workers,
/// with notes; a warning instead if no offer has a price.
fn costs(preflight: &Preflight, look: &Look, theme: &Theme) -> Vec<Line<'static>> {
    let counts = WorkerCounts::new(&look.group, look.dialect);
    let head = format!("{:<22}{:>10}{:>10}{:>10}", "", "cheapest", "median", "at most");
    let mut lines = vec![Line::styled(head, theme.dim)];
    let rows = [
        ("min", counts.min),
        ("middle", counts.typical),
        ("max", counts.max),
        ("worst", counts.worst()),
    ];
    let mut without = None;
    for (name, workers) in rows {
        let Some(cost) = preflight.cost(workers) else {
            return vec![Line::styled("No offer has a price: no cost known.", theme.warning)];
        };
        let name = format!("{name}: {}", plural(workers as usize, "worker"));
        let [least, median, most] = [cost.least, cost.typical, cost.most].map(dollars);
        // There is no cheapest cost of workers that find no machine.
        let least = if cost.without_offer > 0 {
            format::NONE.to_owned()
        } else {
            least
        };
        let text = format!("{name:<22}{least:>10}{median:>10}{most:>10}");
        lines.push(Line::styled(text, theme.text));
        if cost.without_offer > 0 {
            without = Some((workers, cost.without_offer));
        }
    }
    if let Some((workers, missing)) = without {
        let text = format!(
            "{missing} of {workers} workers would find no machine now: the median column counts them at the median price"
        );
        lines.push(signed("!", &text, theme.warning));
    }
    let text = format!("with {}, without traffic", disk(preflight.disk));
    lines.push(signed("-", &text, theme.dim));
    let text = format!(
        "middle is halfway between min and max; worst is {}",
        counts.describe_worst()
    );
    lines.push(signed("-", &text, theme.dim));
    lines
}
