//! Draws the depth: as a staircase, in a sentence, and as a table of sizes.

use ratatui::layout::Constraint::{Fill, Length};
use ratatui::layout::{Layout, Rect};
use ratatui::text::Line;

use super::DepthView;
use crate::core::view::{Region, Scene};
use crate::core::views::{chart, sheet, wider};
use crate::domain::insight::Purchase;
use crate::domain::{Resource, Untrusted, format};
use crate::keys::Action;
use crate::tui::records::Records;
use crate::tui::table::Column;

/// Minimum height of a useful chart.
const CHART: u16 = 7;

/// Draws the depth of the offers: a sentence, the chart of GPUs at or below each price, and the table of
/// sizes. Without a sentence, only a hint.
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
    let facts = format!("{subject} · {unit} · {}", offers.count_label());
    let inner = scene.tabbed("Depth", facts, area);
    let theme = scene.theme;
    let Some(sentence) = view.sentence.clone() else {
        let text = if view.is_work {
            let key = scene.key(Action::Submit);
            format!("Each offer would be billed for all of the work: plan a cluster ({key}), which divides it.")
        } else {
            "No offer has a price.".to_owned()
        };
        sheet::text([Line::styled(text, theme.dim)], inner, scene);
        return;
    };
    let mut text = vec![Line::styled(sentence, theme.accent)];
    text.extend(wider::cut_warning_with_keys(&scene.key(Action::Settings), scene));
    let width = usize::from(inner.width.max(1));
    let height: usize = text.iter().map(|line| line.width().div_ceil(width)).sum();
    let height = u16::try_from(height).unwrap_or(1);
    let sizes = u16::try_from(view.purchases.len() + 1).unwrap_or(u16::MAX);
    let room = inner.height.saturating_sub(height + CHART);
    let [head, chart, sizes] = Layout::vertical([Length(height), Fill(1), Length(sizes.min(room))]).areas(inner);
    sheet::text(text, head, scene);
    let [title, chart] = Layout::vertical([Length(1), Fill(1)]).areas(chart);
    scene.render(Line::styled("GPUs at or below a price", theme.dim), title);
    chart::draw_depth(&view.depth, view.purchase(), chart, scene);
    table_of_sizes(view, sizes, scene);
}

/// A price per GPU as text: in $/h (`$0.410/h`), or with `has_job` its share of the job's bill in $
/// (`$12.30`).
pub(super) fn money(price: f64, has_job: bool) -> String {
    if has_job {
        format::dollars(price)
    } else {
        format::per_hour(price)
    }
}

/// Draws the table of purchases: GPUs, offers, average and highest price per GPU, and the total.
fn table_of_sizes(view: &DepthView, area: Rect, scene: &mut Scene<'_, '_>) {
    let total = if view.has_job { "Job $" } else { "$/h" };
    let money = |price| money(price, view.has_job);
    let rows = Records::new(view.purchases.len(), |row| view.purchases.get(row))
        .column(Column::number("GPUs", 7), |purchase: &Purchase| {
            format::grouped(usize::try_from(purchase.gpus).unwrap_or(usize::MAX))
        })
        .column(Column::number("Offers", 7), |purchase| {
            format::grouped(purchase.lots.len())
        })
        .column(Column::number("Average per GPU", 16), |purchase| {
            money(purchase.average())
        })
        .column(Column::number("Highest per GPU", 16).priority(1), |purchase| {
            money(purchase.highest())
        })
        .column(Column::number(total, 14), |purchase| money(purchase.cost))
        .column(Column::text("", 1).grows(), |_| String::new());
    scene.table(Region::MAIN, &rows, Some(view.cursor), area);
}
