//! Parts of a chart of prices that stand for what is not recorded: the label of a gap, and the
//! prices on offer now where there are none of earlier.

use std::ops::Range;

use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::Line;

use super::draw::{LEAST_PRICES, share_of};
use super::series::Series;
use crate::core::view::Scene;
use crate::core::views::chart::{self, Axis, Labels};
use crate::domain::format;
use crate::domain::insight::{Scale, Standing};
use crate::domain::{Listing, country};
use crate::record::price_unit;
use crate::tui::text::cells;

/// The label of a time without polls.
const LABEL: &str = "not recorded";

/// Cells of the list of offers beside the prices on offer.
const LIST: u16 = 34;

/// Dots the times without polls, and names the longest one in the middle of its gap, if it is wide enough.
pub(super) fn label_gap(series: &Series, time: &Scale, plot: Rect, scene: &mut Scene<'_, '_>) {
    let gaps = series
        .buckets
        .chunk_by(|left, right| (left.watched > 0.0) == (right.watched > 0.0))
        .filter(|run| run[0].watched <= 0.0)
        .map(|run| [run[0].from, run[run.len() - 1].until].map(|moment| share_of(moment, time)));
    let gaps: Vec<[f64; 2]> = gaps.collect();
    for ends in &gaps {
        let [left, right] = ends.map(|share| chart::dot_cell((share, 0.5), plot).0);
        dot(left..right, plot, scene);
    }
    let Some([from, until]) = gaps
        .into_iter()
        .max_by(|[from, until], [other, end]| (until - from).total_cmp(&(end - other)))
    else {
        return;
    };
    let [left, right] = [from, until].map(|share| chart::dot_cell((share, 0.5), plot));
    let width = cells(LABEL);
    if right.0.saturating_sub(left.0) >= width + 4 {
        let start = (left.0 + right.0 - width) / 2;
        scene
            .frame
            .buffer_mut()
            .set_string(start, left.1, LABEL, scene.theme.dim);
    }
}

/// Fills columns of a plot with sparse dots.
fn dot(columns: Range<u16>, plot: Rect, scene: &mut Scene<'_, '_>) {
    let style = scene.theme.border;
    let buffer = scene.frame.buffer_mut();
    for (row, y) in (plot.top()..plot.bottom()).enumerate().step_by(2) {
        // Every other row is shifted by half a step.
        let shift = usize::from(row % 4 == 2) * 3;
        for x in columns.clone().skip(shift + 2).step_by(6) {
            buffer.set_string(x, y, "·", style);
        }
    }
}

/// Draws the distribution of `prices` on offer now under their number; nothing if the area is too low or the
/// prices are too alike.
fn distribution(prices: &[f64], area: Rect, scene: &mut Scene<'_, '_>) {
    let scale = Scale::fit(prices.iter().copied(), None);
    let Some(scale) = scale.filter(|_| area.height >= LEAST_PRICES) else {
        return;
    };
    let heading = format!("On offer now, {} by price", format::grouped(prices.len()));
    let axis = Axis(&scale, Labels::Number);
    chart::histogram(&heading, (prices, None), &axis, area, scene);
}

/// Draws what is known while the record has no prices yet: those on offer now that compare with the selected
/// row of the open pane, and beside them the cheapest offers of its model. Nothing without a selected offer
/// or volume.
pub(crate) fn draw_now(area: Rect, scene: &mut Scene<'_, '_>) {
    let browser = scene.state.browser().filter(|_| scene.state.pane.has_prices());
    if let Some(browser) = browser
        && let Some((listing, row)) = browser.listing().zip(browser.selected_row())
    {
        let unit = price_unit(browser.resource(), browser.storage().0);
        prices_on_offer((listing, row), &unit, area, scene);
    }
}

/// Draws the prices on offer now that compare with a row and, of offers, beside them the cheapest ones of its
/// model, each with its id and place.
fn prices_on_offer((listing, row): (&Listing, usize), unit: &str, area: Rect, scene: &mut Scene<'_, '_>) {
    let prices = Standing::unit_prices(listing, row);
    let field = |key: &str| listing.catalog().column(key);
    let (Some(model), Some(price)) = (field("gpu_name"), field("dph_per_gpu")) else {
        return distribution(&prices, area, scene);
    };
    let [chart, list] = Layout::horizontal([Constraint::Fill(1), Constraint::Length(LIST)])
        .spacing(3)
        .areas(area);
    distribution(&prices, chart, scene);
    let own = listing.cell(row, model);
    let mut alike: Vec<(f64, usize)> = (0..listing.len())
        .filter(|other| listing.cell(*other, model) == own)
        .filter_map(|other| Some((listing.cell(other, price).number()?, other)))
        .collect();
    alike.sort_by(|left, right| left.0.total_cmp(&right.0));
    let name = format::cell(listing, row, model, 20);
    let headings = [
        format!("Cheapest {name} now, {unit}"),
        format!("Cheapest now, {unit}"),
        "Cheapest now".to_owned(),
    ];
    let heading = headings.into_iter().find(|heading| cells(heading) <= list.width);
    let heading = Line::styled(heading.unwrap_or_default(), scene.theme.heading);
    let offer = |(price, row): &(f64, usize)| {
        let cell = |key: &str| field(key).map_or_else(String::new, |field| format::cell(listing, *row, field, 20));
        let place = cell("geolocation");
        let text = format!(
            "{:>10} {:>11}  {}",
            format::unit_price(*price),
            cell("id"),
            country::code(&place)
        );
        Line::styled(text, scene.theme.text)
    };
    let lines: Vec<Line<'static>> = std::iter::once(heading).chain(alike.iter().map(offer)).collect();
    scene.lines(&lines, list);
}
