//! Draws the planner: the form, and beside it the bill, notes and the offers.

use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::Line;

use super::{Cluster, TEXTS, bill};
use crate::core::view::{Region, Scene};
use crate::core::views::{sheet, wider};
use crate::domain::format::counted;
use crate::domain::insight::plan::RemarkKind;
use crate::domain::insight::{Bill, PriceScale};
use crate::domain::text::screen;
use crate::domain::{Resource, country, format};
use crate::features::cluster::offer_name;
use crate::keys::{Action, Context, Motion};
use crate::tui::panel::{Panel, Size};
use crate::tui::rail::Rail;
use crate::tui::scrolled::Scrolled;

/// Height of the form: its fields, and the buttons with a blank line above.
const FORM: u16 = 12;

/// Cells of an offer with its machine.
const WITH_MACHINES: u16 = 61;

/// Cells of the rails beside the offers.
const RAIL: u16 = 8;

/// Draws the form of the cluster planner, and the plan beside it; a low screen shows the form alone, with the
/// bill in its frame.
pub(super) fn cluster(view: &Cluster, area: Rect, scene: &mut Scene<'_, '_>) {
    let offers = &scene.state.browsers[Resource::Offers];
    let plan = view.planning.as_ref().and_then(|planning| planning.plan.as_ref());
    let total = plan.map_or_else(|| "no plan".to_owned(), |plan| bill(offers).total(plan.bill));
    let width = sheet::result_width(area, scene.size);
    let lines = lines(view, width, scene);
    let rows = sheet::rows(&lines, width);
    let rows = u16::try_from(rows).unwrap_or(u16::MAX);
    // A low screen shows the form alone, with the total. Room for an error below the fields.
    let sheet = sheet::with_result(
        Panel::new("Cluster").note(total),
        Panel::new("Plan").note(offers.count_label()),
        (FORM + 1, rows.max(FORM + 2)),
        area,
        scene,
    );
    scene.form(&view.form, sheet.main);
    if let Some(side) = sheet.side {
        plan_lines(&lines, view.top, side, scene);
    }
}

/// Draws the lines of the cluster plan from `top` on. If some are out of view, the last row has their
/// position and the keys that scroll to them.
fn plan_lines(lines: &[Line<'static>], top: usize, side: Rect, scene: &mut Scene<'_, '_>) {
    let is_long = sheet::rows(lines, side.width) > usize::from(side.height);
    let [text, last] = Layout::vertical([Constraint::Fill(1), Constraint::Length(u16::from(is_long))]).areas(side);
    let viewport = scene.scroll(Region::PREVIEW, Scrolled { lines, top }, text);
    if is_long {
        let key = |motion| scene.key_in(&[Context::Result], Action::Move(motion));
        let (down, up) = (key(Motion::PageDown), key(Motion::PageUp));
        let position = format!("Lines {} · {down} and {up} scroll", viewport.label());
        scene.render(Line::styled(position, scene.theme.dim), last);
    }
}

/// The lines on the cluster plan, for `width` cells: its bill, basis, warnings, offers, notes, and the bills of other numbers of
/// GPUs. A single line if a field is invalid or no offers are loaded.
fn lines(view: &Cluster, width: u16, scene: &Scene<'_, '_>) -> Vec<Line<'static>> {
    let theme = scene.theme;
    let offers = &scene.state.browsers[Resource::Offers];
    let bill = bill(offers);
    let (need, planning) = match (&view.need, &view.planning) {
        (Err((key, why)), _) => {
            let label = TEXTS.iter().find(|(known, ..)| known == key);
            let text = format!("! {}: {why}", label.map_or("", |(_, label, _)| label));
            return vec![Line::styled(text, theme.warning)];
        }
        (Ok(_), None) => return vec![Line::styled("No offers yet", theme.dim)],
        (Ok(need), Some(planning)) => (need, planning),
    };
    let plan = planning.plan.iter();
    let summary = plan.map(|plan| format!("{} · {}", bill.total(plan.bill), plan.describe_size()));
    let mut lines: Vec<_> = summary.map(|text| Line::styled(text, theme.accent)).collect();
    let no_bill = unknown_rates(view, scene).filter(|_| planning.plan.is_none());
    let reason = view.origin.reason.iter().cloned().chain(no_bill).chain(words(scene));
    lines.extend(reason.map(|text| Line::styled(text, theme.warning)));
    let basis = offers.pricing().job.map_or_else(
        || "per hour; a job gives the whole bill".to_owned(),
        |job| format!("job {}", job.brief(&scene.state.local_time(scene.now))),
    );
    let is_roomy = scene.size != Size::Compact;
    if is_roomy || offers.pricing().job.is_some() {
        lines.push(Line::styled(basis, theme.dim));
    }
    let Some(listing) = offers.listing() else {
        return lines;
    };
    let searched = offers.shown_query().unwrap_or(&offers.query);
    let remarks = planning.remarks(need, bill, searched, |row| offer_name(listing, row));
    let of_kind = |kind: RemarkKind| remarks.iter().filter(move |remark| remark.kind == kind);
    let warnings = of_kind(RemarkKind::Warning).map(|remark| format!("! {}", remark.text));
    lines.extend(warnings.map(|text| Line::styled(text, theme.warning)));
    lines.extend(first_end(view, scene));
    lines.extend(wider::cut_warning(scene));
    // A limit that nobody thought of may cost more than all that follows.
    let limits = of_kind(RemarkKind::Limit).map(|remark| Line::styled(remark.text.clone(), theme.text));
    lines.extend(limits);
    let runner_up = of_kind(RemarkKind::RunnerUp).map(|remark| remark.text.clone());
    let runner_up = runner_up.map(|text| Line::styled(text, theme.text));
    if is_roomy {
        // Above the offers, which may be many.
        lines.extend(runner_up);
        let offers = picks(view, bill, width, scene);
        let blank = (!offers.is_empty()).then(Line::default);
        lines.extend(blank.iter().cloned().chain(offers).chain(blank.clone()));
    } else {
        // The plan itself comes first.
        lines.extend(picks(view, bill, width, scene));
        lines.extend(runner_up);
    }
    let notes = of_kind(RemarkKind::Note).map(|remark| format!("- {}", remark.text));
    lines.extend(notes.map(|text| Line::styled(text, theme.text)));
    lines.extend(bills_by_gpus(&planning.curve, bill).map(|text| Line::styled(text, theme.dim)));
    lines
}

/// The bills of fewer and more GPUs: `With 1 GPU $96.92 · 2 GPUs $110.40`; of equal ones after each other the first.
/// `None` if all are equal.
fn bills_by_gpus(curve: &[(u32, Option<f64>)], bill: Bill) -> Option<String> {
    let money = |total: Option<f64>| total.map_or_else(|| format::NONE.to_owned(), |total| bill.money(total));
    let mut sizes: Vec<_> = curve.iter().map(|(gpus, total)| (*gpus, money(*total))).collect();
    sizes.dedup_by(|(_, later), (_, earlier)| later == earlier);
    let texts = sizes
        .iter()
        .map(|(gpus, total)| format!("{} {total}", counted(*gpus as usize, "GPU", "GPUs")));
    (sizes.len() > 1).then(|| format!("With {}", texts.collect::<Vec<_>>().join(" · ")))
}

/// A sentence on the words that filter the offers; `None` without any.
fn words(scene: &Scene<'_, '_>) -> Option<String> {
    let words = scene.state.browsers[Resource::Offers].words.join(" ");
    let text = format!("Only offers that contain “{}”", screen(&words, 40));
    (!words.is_empty()).then_some(text)
}

/// A sentence on the offers whose rate for the work is unknown, with the keys to the form that sets it; `None` if there
/// are none.
fn unknown_rates(view: &Cluster, scene: &Scene<'_, '_>) -> Option<String> {
    let offers = &scene.state.browsers[Resource::Offers];
    // The planner's fields take letters, and its keys are other ones.
    let back = scene.key_in(&[Context::Always, Context::Form], Action::Back);
    let key = format!("{back}, then {}", scene.key(Action::Job));
    let many = counted(view.unrated, "offer", "offers");
    let some = (view.unrated > 0).then(|| format!("The rate of {many} is unknown ({key}: Rate, Rate of)"));
    offers.describe_unknown_rate(&key).or(some)
}

/// A line on the offer of a plan by the hour that ends first, if that is within a month; none with a job,
/// whose offers all last long enough.
fn first_end(view: &Cluster, scene: &Scene<'_, '_>) -> Option<Line<'static>> {
    const MONTH: f64 = 30.0 * 86_400.0;
    let offers = &scene.state.browsers[Resource::Offers];
    let listing = offers.listing().filter(|_| offers.pricing().job.is_none())?;
    let field = listing.catalog().by_key("duration")?;
    let ends = view.picks.iter().filter_map(|(row, _)| {
        let row = *row as usize;
        Some((listing.cell(row, field).number()?, listing.id(row)?))
    });
    let (seconds, id) = ends.min_by(|left, right| left.0.total_cmp(&right.0))?;
    let text = format!("! {id} ends first, in {}", format::lasting(seconds));
    (seconds < MONTH).then(|| Line::styled(text, scene.theme.warning))
}

/// The offers of the cluster plan below a heading: bill, the price among those of its model, GPUs, country, id and, if
/// `width` has room for it, machine. Empty without a plan, and if no offers are loaded.
fn picks(view: &Cluster, bill: Bill, width: u16, scene: &Scene<'_, '_>) -> Vec<Line<'static>> {
    let offers = &scene.state.browsers[Resource::Offers];
    let Some(listing) = offers.listing().filter(|_| !view.picks.is_empty()) else {
        return Vec::new();
    };
    let has_machines = width >= WITH_MACHINES;
    let of_machine = |text: &str| {
        if has_machines {
            format!(" {text:>8}")
        } else {
            String::new()
        }
    };
    let prices: Vec<f64> = view.picks.iter().map(|(_, price)| *price).collect();
    let row = |((row, _), price): (&(u32, f64), String)| {
        let cell = |key: &str| format::cell_of(listing, *row as usize, key, 20);
        let [many, model, memory] = ["num_gpus", "gpu_name", "gpu_ram"].map(cell);
        let offer = format!("{many}× {model} {memory}");
        let [id, machine, location] = ["id", "machine_id", "geolocation"].map(cell);
        let place = country::code(&location);
        let mut line = Line::raw(format!("{price:>9} "));
        let row = *row as usize;
        let scale = offers.computed.standing.price_scale(listing, row);
        match scale.filter(PriceScale::has_enough_prices) {
            Some(scale) => {
                let ends = [scale.low, scale.median, scale.high];
                line.extend(Rail::new(ends, scale.price, scene.theme).line(RAIL));
            }
            None => line.push_span(" ".repeat(usize::from(RAIL))),
        }
        line.push_span(format!(" {offer:<20} {place:<2} {id:>9}{}", of_machine(&machine)));
        line
    };
    let head = format!(
        "{:>9} {:<8} {:<20} {:<2} {:>9}{}",
        "Price",
        "cheap ─▸",
        "Offer",
        "In",
        "ID",
        of_machine("Machine")
    );
    let head = Line::styled(head, scene.theme.heading);
    let rows = view.picks.iter().zip(bill.parts(&prices)).map(row);
    std::iter::once(head).chain(rows).collect()
}
