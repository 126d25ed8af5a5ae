//! Draws the job form, the bill on the selected offer, and the cheapest offers.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::JobForm;
use crate::core::view::Scene;
use crate::core::views::sheet;
use crate::domain::cost::{Job, Outlives, Prices};
use crate::domain::{Listing, Resource, format};
use crate::features::job::bill;
use crate::features::job::bill::{AMOUNT, LABEL};
use crate::table::browser::Browser;
use crate::tui::panel::Panel;
use crate::tui::theme::Theme;

/// Rows of the form without the model of a rate: its fields, and the buttons with a blank line above.
const FORM: u16 = 10;

/// Draws the form of the job, and next to it the bill on the selected offer and the cheapest offers that fit
/// the job; a small screen shows the form alone, with the total in its frame.
pub(super) fn job(view: &JobForm, area: Rect, scene: &mut Scene<'_, '_>) {
    let offers = &scene.state.browsers[Resource::Offers];
    let selected = offers.listing().zip(offers.selected_row());
    let title = selected
        .and_then(|(listing, row)| listing.id(row))
        .map_or_else(|| "Bill".to_owned(), |id| format!("Bill on {id}"));
    let name = selected.map_or_else(String::new, |(listing, row)| name(listing, row));
    let width = sheet::result_width(area, scene.size);
    let lines = match (&view.job, selected) {
        (Err((key, why)), _) => vec![Line::styled(format!("{}: {why}", key.label()), scene.theme.warning)],
        (Ok(_), None) => vec![Line::styled("No offer selected", scene.theme.dim)],
        (Ok(job), Some((listing, row))) => {
            let prices = Prices::new(listing, offers.pricing().model);
            bill::job(&prices, row, job, (scene.now.epoch, width), scene.theme)
        }
    };
    // Without any rate no offer has a bill, as the lines above say of the selected one.
    let is_priced = view.job.is_ok() && offers.describe_unknown_rate("").is_none();
    let best = is_priced.then(|| cheapest(view, offers, scene.theme));
    let best = best.flatten().unwrap_or_default();
    let rows = u16::try_from(lines.len() + best.len()).unwrap_or(u16::MAX);
    // A low screen shows the form alone, with the total and the deadline.
    let priced = view.job.as_ref().ok().zip(selected);
    let outcome = priced.map_or_else(String::new, |(job, (listing, row))| outcome(listing, row, job, scene));
    let fields = FORM + u16::from(view.rated.is_some());
    // Room for an error below the fields.
    let sheet = sheet::with_result(
        Panel::new("Job").note(outcome),
        Panel::new(title).note(name),
        (fields + 2, rows.max(fields + 4)),
        area,
        scene,
    );
    scene.form(&view.form, sheet.main);
    if let Some(side) = sheet.side {
        let room = usize::from(side.height).saturating_sub(lines.len());
        // A heading without offers is useless.
        let best = if room < best.len().min(3) { Vec::new() } else { best };
        sheet::text(lines.into_iter().chain(best), side, scene);
    }
}

/// The bill of a job on the offer at `row`, then the deadline or the time by which the offer misses it:
/// `$123.66 · 4 days after Sun 23:59`. Empty without either.
fn outcome(listing: &Listing, row: usize, job: &Job, scene: &Scene<'_, '_>) -> String {
    let prices = Prices::new(listing, scene.state.browsers[Resource::Offers].pricing().model);
    let cost = prices.job_cost(row, job, scene.now.epoch).ok();
    let local = scene.state.local_time(scene.now);
    let by = job
        .deadline
        .map(|at| match cost.as_ref().and_then(|cost| cost.in_time) {
            Some(Outlives::No { short_by }) => {
                format!("{} after {}", bill::span(short_by), local.deadline_briefly(at))
            }
            Some(Outlives::Yes { .. } | Outlives::Unknown) | None => format!("by {}", local.deadline_briefly(at)),
        });
    let total = cost.map(|cost| format::dollars(cost.total));
    total.into_iter().chain(by).collect::<Vec<_>>().join(" · ")
}

/// The number and model of an offer's GPUs as text: `8× RTX 4090`.
fn name(listing: &Listing, row: usize) -> String {
    let cell = |key: &str| format::cell_of(listing, row, key, 20);
    format!("{}× {}", cell("num_gpus"), cell("gpu_name"))
}

/// Lines on the cheapest offers for the job, eight at most: a heading with the number of offers that fit,
/// then the id, the bill and the GPUs of each; a warning if none fits. `None` before a response.
fn cheapest(view: &JobForm, offers: &Browser, theme: &Theme) -> Option<Vec<Line<'static>>> {
    let listing = offers.listing()?;
    if view.candidates.is_empty() {
        let text = if offers.may_have_more() {
            format!(
                "! None of the first {} offers fits this job",
                format::grouped(listing.len())
            )
        } else {
            "! No offer fits this job".to_owned()
        };
        return Some(vec![Line::default(), Line::styled(text, theme.warning)]);
    }
    let heading = match view.fitting {
        1 => "Cheapest of the 1 offer that fits".to_owned(),
        many => format!("Cheapest of the {} offers that fit", format::grouped(many)),
    };
    let mut lines = vec![Line::default(), Line::styled(heading, theme.heading)];
    lines.extend(view.candidates.iter().map(|candidate| {
        let id = listing.id(candidate.row).map(|id| id.to_string());
        let total = format::dollars(candidate.total);
        Line::from(vec![
            Span::styled(format!("{:LABEL$}", id.unwrap_or_default()), theme.text),
            Span::styled(format!("{total:>AMOUNT$}"), theme.text),
            Span::styled(format!("  {}", name(listing, candidate.row)), theme.dim),
        ])
    }));
    Some(lines)
}
