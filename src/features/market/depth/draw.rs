//! Draws the book as a staircase, in a sentence, and as a table of sizes.

use std::borrow::Cow;

use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Style;
use ratatui::text::Line;

use super::DepthView;
use crate::core::view::{Region, Scene};
use crate::core::views::{chart, sheet, wider};
use crate::domain::insight::Purchase;
use crate::domain::{Resource, Untrusted, format};
use crate::keys::Action;
use crate::widgets::panel::Panel;
use crate::widgets::table;
use crate::widgets::table::{Column, Rows, Table};

/// The fewest lines of a useful chart.
const CHART: u16 = 7;

pub(super) fn depth(view: &DepthView, area: Rect, scene: &mut Scene<'_, '_>) {
    let offers = &scene.state.browsers[Resource::Offers];
    let unit = if view.has_job {
        "$ per GPU for the job"
    } else {
        "$/GPU-h"
    };
    let subject = view.model.as_ref().map_or_else(
        || match view.models.len() {
            1 => "the only model".to_owned(),
            many => format!("all {many} models"),
        },
        |model| Untrusted::from(model.as_str()).screen(24),
    );
    let panel = Panel::new(format!("Depth: {subject}"))
        .note(format!("{} · {unit}", offers.count_label()))
        .focused(true)
        .sized(scene.size);
    let inner = panel.render(area, scene.frame.buffer_mut(), scene.theme);
    let theme = scene.theme;
    let Some(sentence) = view.sentence.clone() else {
        scene.render(Line::styled("No offer has a price.", theme.dim), inner);
        return;
    };
    let mut text = vec![Line::styled(sentence, theme.accent)];
    text.extend(wider::note(&scene.key(Action::Settings), scene));
    let width = usize::from(inner.width.max(1));
    let height: usize = text.iter().map(|line| line.width().div_ceil(width)).sum();
    let height = u16::try_from(height).unwrap_or(1);
    let sizes = u16::try_from(view.purchases.len() + 1).unwrap_or(u16::MAX);
    let room = inner.height.saturating_sub(height + CHART);
    let [head, chart, sizes] = Layout::vertical([
        Constraint::Length(height),
        Constraint::Fill(1),
        Constraint::Length(sizes.min(room)),
    ])
    .areas(inner);
    sheet::text(text, head, scene);
    let [title, chart] = Layout::vertical([Constraint::Length(1), Constraint::Fill(1)]).areas(chart);
    scene.render(Line::styled("GPUs at or below a price", theme.dim), title);
    chart::depth(&view.depth, view.purchase(), chart, scene);
    table_of_sizes(view, sizes, scene);
}

/// A price per GPU, or the bill of one.
pub(super) fn money(price: f64, has_job: bool) -> String {
    if has_job {
        format::dollars(price)
    } else {
        format::per_hour(price)
    }
}

fn table_of_sizes(view: &DepthView, area: Rect, scene: &mut Scene<'_, '_>) {
    let total = if view.has_job { "Job $" } else { "$/h" };
    let columns = [
        Column::number("GPUs", 7),
        Column::number("Offers", 7),
        Column::number("Average per GPU", 16),
        Column::number("Highest per GPU", 16).priority(1),
        Column::number(total, 14),
        Column::text("", 1).grows(),
    ];
    let placed = table::place(&columns, area.width);
    let rows = Sizes { view };
    let table = Table::new(&rows, &columns, &placed, Some(view.cursor), scene.theme);
    scene.scroll(Region::MAIN, table, area);
}

/// The purchases as rows of the table.
struct Sizes<'a> {
    view: &'a DepthView,
}

impl Sizes<'_> {
    fn text(&self, purchase: &Purchase, column: usize) -> String {
        let has_job = self.view.has_job;
        match column {
            0 => format::grouped(usize::try_from(purchase.gpus).unwrap_or(usize::MAX)),
            1 => format::grouped(purchase.lots.len()),
            2 => money(purchase.average(), has_job),
            3 => money(purchase.highest(), has_job),
            4 => money(purchase.cost, has_job),
            _ => String::new(),
        }
    }
}

impl Rows for Sizes<'_> {
    fn count(&self) -> usize {
        self.view.purchases.len()
    }

    fn cell(&self, row: usize, column: usize, _: u16) -> (Cow<'_, str>, Style) {
        let purchase = self.view.purchases.get(row);
        let text = purchase.map_or_else(String::new, |purchase| self.text(purchase, column));
        (Cow::Owned(text), Style::new())
    }
}
