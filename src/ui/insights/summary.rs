//! The rows in groups, with small bars for their number.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{Column, dollars, left, list, page, right};
use crate::app::facts::Facts;
use crate::app::insights::summary::Summary;
use crate::domain::Resource;
use crate::domain::format::trimmed;
use crate::domain::insight::GroupOrder;
use crate::ui::paint;
use crate::widgets::theme::Theme;

/// Draws the summary.
pub fn draw(buffer: &mut Buffer, body: Rect, view: &Summary, theme: &Theme, facts: &mut Facts) {
    let is_volumes = view.resource == Resource::Volumes;
    let order = match view.order {
        GroupOrder::Count if is_volumes => "most rows",
        GroupOrder::Count => "most machines",
        GroupOrder::Lowest => "lowest price",
        GroupOrder::Median => "lowest median",
        GroupOrder::Merit if is_volumes => "most MB/s per $",
        GroupOrder::Merit => "most DLPerf per $",
    };
    let title = format!("Summary of the rows here, {order} first");
    let area = page(buffer, body, &title, &view.loaded, theme);
    let mut x = area.x + 1;
    for (name, is_current) in view.groupings() {
        let (text, style) = if is_current {
            (format!("[{name}] "), theme.accent)
        } else {
            (format!(" {name}  "), theme.dim)
        };
        x = paint::text(
            buffer,
            x,
            area.y,
            area.right().saturating_sub(x),
            &text,
            style,
        );
    }
    let area = Rect::new(
        area.x,
        area.y + 1,
        area.width,
        area.height.saturating_sub(1),
    );
    let label = if area.width >= 100 { 28 } else { 20 };
    // What the columns between label and bar take, the space behind each included.
    let figures = if is_volumes {
        6 + 10 + 11 + 11
    } else {
        9 + 7 + 10 + 11 + 10 + 10
    };
    let bar = area.width.saturating_sub(2 + label + 1 + figures).min(40);
    let columns = columns(view, label, bar);
    let largest = view.largest();
    let cells = |index: usize| {
        let line = &view.lines[index];
        let group = &line.group;
        let unit = group.unit_price;
        let mut cells = vec![
            (line.label.clone(), theme.text),
            (group.amount.machines.to_string(), theme.text),
        ];
        if !is_volumes {
            cells.push((group.amount.gpus.to_string(), theme.text));
        }
        cells.extend([
            (dollars(unit.map(|price| price.lowest)), theme.text),
            (dollars(unit.map(|price| price.median)), theme.text),
        ]);
        if !is_volumes {
            // Of volumes the price is the price per unit.
            cells.push((dollars(group.price.map(|price| price.lowest)), theme.text));
        }
        cells.extend([
            (
                group
                    .best
                    .map_or_else(|| "-".to_owned(), |best| trimmed(best.value, 1)),
                theme.good,
            ),
            (
                bar_of(group.amount.machines, largest, usize::from(bar)),
                theme.accent,
            ),
        ]);
        cells
    };
    list(
        buffer,
        area,
        &columns,
        view.lines.len(),
        view.cursor,
        cells,
        theme,
        facts,
    );
}

/// The columns: figures between a label and a bar.
fn columns(view: &Summary, label: u16, bar: u16) -> Vec<Column> {
    let (low, median, total) = if view.has_job {
        ("job $/GPU", "median/GPU", "low job $")
    } else {
        ("low/GPU", "median/GPU", "low $/h")
    };
    if view.resource == Resource::Volumes {
        vec![
            left("", label),
            right("rows", 5),
            right("low/GB", 9),
            right("median/GB", 10),
            right("MB/s per $", 10),
            left("", bar),
        ]
    } else {
        vec![
            left("", label),
            right("machines", 8),
            right("GPUs", 6),
            right(low, 9),
            right(median, 10),
            right(total, 9),
            right("DLP per $", 9),
            left("", bar),
        ]
    }
}

/// A bar of at most `width` cells; what is not nothing has at least one.
fn bar_of(count: usize, largest: usize, width: usize) -> String {
    let cells = (count * width).div_ceil(largest.max(1));
    "▇".repeat(cells.min(width))
}
