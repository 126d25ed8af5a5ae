//! Draws the planner: the fields, and the arithmetic.

use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Text};
use ratatui::widgets::{Paragraph, Wrap};

use super::{Entry, Planner};
use crate::app::State;
use crate::app::groups::preflight::Subject;
use crate::app::view::Scene;
use crate::domain::format::trimmed;
use crate::domain::insight::Coverage;
use crate::domain::text::Untrusted;
use crate::domain::throughput::{Throughput, WorkUnit};
use crate::domain::workergroup::{CapacityPlan, Demand, Preflight};
use crate::domain::{OFFERS, Resource};
use crate::views::preflight::parts::{amount, dollars, hanging, labelled, plural, signed};
use crate::views::preflight::{offers, summary};
use crate::widgets::form::FormLines;
use crate::widgets::panel::{Panel, Size};

pub(super) fn planner(view: &Planner, area: Rect, scene: &mut Scene<'_, '_>) {
    let fields = u16::try_from(Entry::NUMBERS.len()).unwrap_or(0) + 6;
    let (left, right) = if scene.size == Size::Compact {
        let [top, bottom] =
            Layout::vertical([Constraint::Max(fields), Constraint::Fill(1)]).areas(area);
        (top, bottom)
    } else {
        let [left, right] =
            Layout::horizontal([Constraint::Percentage(45), Constraint::Fill(1)]).areas(area);
        (left, right)
    };
    let panel = Panel::new(format!("Capacity planner: {}", view.title))
        .focused(true)
        .sized(scene.size);
    let inner = panel.render(left, scene.frame.buffer_mut(), scene.theme);
    let needed = FormLines::new(&view.form, scene.theme).height(inner.width);
    let [form, about] =
        Layout::vertical([Constraint::Max(needed + 1), Constraint::Fill(1)]).areas(inner);
    scene.form(&view.form, form);
    let doc = view.form.focused().map_or("", Entry::doc);
    let text = Paragraph::new(Line::styled(doc, scene.theme.dim)).wrap(Wrap { trim: true });
    scene.render(text, about);
    let lines = hanging(&result(view, scene), right.width.saturating_sub(4));
    let needed = u16::try_from(lines.len() + 2).unwrap_or(u16::MAX);
    let [right, below] = match scene.size {
        Size::Compact => [right, Rect::default()],
        Size::Medium | Size::Wide => {
            Layout::vertical([Constraint::Length(needed), Constraint::Fill(1)]).areas(right)
        }
    };
    let panel = Panel::new("Workers").sized(scene.size);
    let inner = panel.render(right, scene.frame.buffer_mut(), scene.theme);
    let lines = hanging(&result(view, scene), inner.width);
    scene.render(Text::from(lines), inner);
    group(view, below, scene);
}

/// The workergroup whose workers are planned, and the offers that its search finds.
fn group(view: &Planner, area: Rect, scene: &mut Scene<'_, '_>) {
    const LEAST: u16 = 5;
    let state = scene.state;
    let mut rest = area;
    if let Subject::Group(id) = view.subject
        && area.height >= LEAST
        && let Some(row) = state.browsers[Resource::Workergroups]
            .listing()
            .and_then(|listing| listing.row(id))
    {
        let lines = summary::of_group(state, row, scene.now, scene.theme);
        let lines = hanging(&lines, area.width.saturating_sub(4));
        let needed = u16::try_from(lines.len() + 2).unwrap_or(u16::MAX);
        let [top, below] =
            Layout::vertical([Constraint::Length(needed), Constraint::Fill(1)]).areas(area);
        let panel = Panel::new(format!("Workergroup {id}"));
        let inner = panel.render(top, scene.frame.buffer_mut(), scene.theme);
        scene.render(Text::from(lines), inner);
        rest = below;
    }
    if let Some(found) = report(view, state) {
        offers(found, rest, scene);
    }
}

/// What a search has found for the workergroup.
fn report<'a>(view: &Planner, state: &'a State) -> Option<&'a Preflight> {
    match view.subject {
        Subject::Group(id) => summary::found(state, id),
        Subject::Draft(_) => state.preflight_report(view.subject),
    }
}

fn result(view: &Planner, scene: &Scene<'_, '_>) -> Vec<Line<'static>> {
    let theme = scene.theme;
    let mut lines = match &view.planned {
        Ok((demand, plan)) => {
            let mut lines = arithmetic(demand, plan, scene);
            lines.extend(supply(view, plan, scene));
            lines
        }
        Err((entry, why)) => {
            // A blank field is not wrong yet.
            let style = if view.is_typed(*entry) {
                theme.warning
            } else {
                theme.dim
            };
            vec![Line::styled(format!("{}: {why}", entry.label()), style)]
        }
    };
    let ignored = Entry::NUMBERS.iter().filter(|entry| entry.is_ignored());
    let ignored: Vec<_> = ignored.map(|entry| entry.name()).collect();
    lines.push(Line::default());
    let text = format!(
        "The public market is known to ignore {} on a workergroup: the endpoint's own values count, \
         with the same arithmetic.",
        ignored.join(", ")
    );
    lines.push(signed("*", &text, theme.dim));
    lines
}

/// The steps of the plan, each a label and its arithmetic.
fn steps(demand: &Demand, plan: &CapacityPlan) -> [(&'static str, String); 6] {
    let number = |value: f64| trimmed(value, 2);
    let load = if plan.load > demand.load {
        format!("{} (min load)", number(plan.load))
    } else {
        number(plan.load)
    };
    [
        (
            "Target capacity",
            format!(
                "{load} / {} = {} ({}% in reserve)",
                number(demand.target_util),
                number(plan.target_capacity),
                trimmed(plan.headroom * 100.0, 1)
            ),
        ),
        (
            "  active workers",
            format!(
                "{} / {} = {}",
                number(plan.target_capacity),
                number(demand.per_worker),
                workers(plan.needed_active)
            ),
        ),
        (
            "Cold capacity",
            format!(
                "{} × {} = {}",
                number(plan.target_capacity),
                number(demand.cold_mult),
                number(plan.cold_capacity)
            ),
        ),
        (
            "  all workers",
            format!(
                "{} / {}, but no fewer than {} (cold_workers) or {} (active) = {}",
                number(plan.cold_capacity),
                number(demand.per_worker),
                demand.cold_workers,
                plan.needed_active,
                workers(plan.needed_total)
            ),
        ),
        (
            "Within the limit",
            format!(
                "at most {}: {} active, {} in all",
                demand.max_workers, plan.active, plan.total
            ),
        ),
        (
            "Largest load",
            format!(
                "{} × {} × {} = {}",
                demand.max_workers,
                number(demand.per_worker),
                number(demand.target_util),
                number(plan.most_load)
            ),
        ),
    ]
}

fn arithmetic(demand: &Demand, plan: &CapacityPlan, scene: &Scene<'_, '_>) -> Vec<Line<'static>> {
    let theme = scene.theme;
    let mut lines: Vec<Line<'static>> = steps(demand, plan)
        .into_iter()
        .map(|(label, text)| labelled(label, text, theme.text, theme))
        .collect();
    if plan.is_short() {
        let text = format!(
            "max_workers is too small for this load: {} active workers needed, {} allowed",
            plan.needed_active, plan.active
        );
        lines.push(signed("!", &text, theme.warning));
    } else if plan.total < plan.needed_total {
        let text = format!(
            "max_workers limits the cold workers: {} of {} stay",
            plan.total, plan.needed_total
        );
        lines.push(signed("!", &text, theme.warning));
    }
    lines
}

/// Whether there are machines for the workers, according to a preflight of the same search.
fn supply(view: &Planner, plan: &CapacityPlan, scene: &Scene<'_, '_>) -> Vec<Line<'static>> {
    let theme = scene.theme;
    let Some(found) = report(view, scene.state) else {
        let text = "run a preflight to see machines and cost".to_owned();
        return vec![labelled("Supply now", text, theme.dim, theme)];
    };
    let more = match found.coverage {
        Coverage::Cut => "at least ",
        Coverage::Whole | Coverage::Unknown => "",
    };
    let room = found.most_workers;
    // The cost covers only the workers that there are machines for.
    let running = u32::try_from(room).unwrap_or(u32::MAX).min(plan.active);
    let cost = found.cost(running).map_or_else(String::new, |cost| {
        format!(
            "; {} cost at least {}/h, typically {}/h",
            workers(running),
            dollars(cost.least),
            dollars(cost.typical)
        )
    });
    let text = format!("{more}{}{cost}", amount(found.recruitable));
    let mut lines = vec![labelled("Supply now", text, theme.text, theme)];
    let throughput = &scene.state.browsers[Resource::Offers].computed.throughput;
    for unit in throughput.units() {
        let texts = work(found, throughput, unit);
        let label = OFFERS.column(unit.column()).map_or("", |field| field.label);
        let text = if texts.is_empty() {
            format!("no {} of these models in [throughput]", unit.rate())
        } else {
            texts.join(", ")
        };
        lines.push(labelled(label, text, theme.text, theme));
    }
    if (plan.active as usize) > room && found.coverage != Coverage::Cut {
        let text = format!(
            "machines for {room} of {} active workers are free now",
            plan.active
        );
        lines.push(signed("!", &text, theme.warning));
    }
    lines
}

/// What the work costs on the cheapest workers of each kind, the best first, by the person's own
/// throughput: `$0.031 on 1× RTX 4090 (2,900 tokens/s)`.
fn work(found: &Preflight, throughput: &Throughput, unit: WorkUnit) -> Vec<String> {
    const MOST: usize = 3;
    const WIDEST: usize = 24;
    let offers = found.cheapest.iter().filter_map(|offer| {
        let rate = throughput.rate(unit, offer.model.compared(), offer.count?)?;
        Some((unit.cost(rate, offer.price)?, rate, &offer.gpus))
    });
    let mut offers: Vec<_> = offers.collect();
    offers.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut kinds: Vec<&Untrusted> = Vec::new();
    offers.retain(|(_, _, gpus)| {
        let is_new = !kinds.contains(gpus);
        kinds.push(gpus);
        is_new
    });
    let text = |(cost, rate, gpus): &(f64, f64, &Untrusted)| {
        format!(
            "${cost:.3} on {} ({} {})",
            gpus.screen(WIDEST),
            trimmed(*rate, 1),
            unit.rate()
        )
    };
    offers.iter().take(MOST).map(text).collect()
}

fn workers(count: u32) -> String {
    plural(count as usize, "worker")
}
