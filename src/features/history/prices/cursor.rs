//! The cursor of the chart of prices, which reads out the values of a time.

use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::text::{Line, Span as Text};

use super::draw::{LOWEST, MEDIAN, share_of, unit};
use super::series::{Bucket, Series};
use crate::core::frame_layout::Target;
use crate::core::view::{Region, Scene};
use crate::core::views::chart;
use crate::domain::format::unit_price;
use crate::domain::insight::Scale;
use crate::domain::local::LocalTime;
use crate::domain::{Resource, format};
use crate::tui::theme::Theme;

/// The time step under the cursor of a price chart, with its prices and mean amount, in place of the key of the
/// lines; `none on offer` or `not recorded` if it has no prices.
pub(super) fn bucket_readout(bucket: &Bucket, resource: Resource, local: &LocalTime, theme: &Theme) -> Line<'static> {
    let time = local.hours(bucket.from.unix(), bucket.until.unix());
    let mut line = Line::from(Text::styled(
        format!("{time}  "),
        theme.accent.remove_modifier(Modifier::UNDERLINED),
    ));
    let Some(levels) = bucket.levels else {
        let text = if bucket.watched > 0.0 {
            "none on offer"
        } else {
            "not recorded"
        };
        line.push_span(Text::styled(text, theme.text));
        return line;
    };
    let price = |price: f64| format!("{} ", unit_price(price));
    line.push_span(Text::styled(format!("{LOWEST} "), theme.series[1]));
    line.push_span(Text::styled(price(levels.lowest), theme.text));
    line.push_span(Text::styled("lowest  ", theme.dim));
    line.push_span(Text::styled(format!("{MEDIAN} "), theme.series[0]));
    line.push_span(Text::styled(price(levels.median), theme.text));
    line.push_span(Text::styled("median  ", theme.dim));
    let mean = bucket
        .amount
        .map(|amount| format!("mean {} {}  ", format::trimmed(amount, 0), unit(resource)));
    line.push_span(Text::styled(mean.unwrap_or_default(), theme.text));
    line.push_span(Text::styled("░ ", theme.border));
    let range = format!("{}–{}", unit_price(levels.p20), unit_price(levels.p80));
    line.push_span(Text::styled(range, theme.text));
    line
}

/// The position of the cursor across a chart, from 0 to 1: the middle of the time step that it reads out.
pub(super) fn share(bucket: &Bucket, time: &Scale) -> f64 {
    f64::midpoint(share_of(bucket.from, time), share_of(bucket.until, time))
}

/// Lets a click on a column of the price chart move its cursor to the time step there.
pub(super) fn clickable(series: &Series, time: &Scale, plot: Rect, scene: &mut Scene<'_, '_>) {
    for (index, bucket) in series.buckets.iter().enumerate() {
        let (x, _) = chart::dot_cell((share(bucket, time), 0.0), plot);
        let column = Rect { x, width: 1, ..plot };
        scene.clickable(column, Target::Item(Region::CHART, index));
    }
}
