//! The strip at the right of the table with every group's supply.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::app::Model;
use crate::app::facts::Facts;
use crate::app::groups::health::Supply;
use crate::app::remote::Now;
use crate::domain::Resource;
use crate::ui::paint;
use crate::widgets::theme::Theme;

/// Cells of the strip.
pub const WIDTH: u16 = 24;

/// Draws the strip beside the rows that the table shows.
pub fn draw(
    buffer: &mut Buffer,
    strip: Rect,
    model: &Model,
    now: Now,
    theme: &Theme,
    facts: &Facts,
) {
    let browser = &model.browsers[Resource::Workergroups];
    let Some(listing) = browser.listing() else {
        return;
    };
    let health = &model.groups.health;
    let head = match (health.running(), health.waits_until()) {
        (Some((done, all)), Some(until)) => {
            let wait = (until - now.mono).max(0.0).ceil();
            format!("Supply {done}/{all} {wait:.0}s")
        }
        (Some((done, all)), None) => format!("Supply {done}/{all} …"),
        (None, _) => "Machines/GPUs, from $/h".to_owned(),
    };
    paint::right(buffer, strip.x, strip.y, strip.width, &head, theme.heading);
    let rows = browser.view().iter().enumerate().skip(facts.top);
    for (y, (index, row)) in (strip.y + 1..strip.bottom()).zip(rows) {
        let is_selected = index == browser.cursor();
        let base = if is_selected {
            theme.selected
        } else {
            theme.text
        };
        if is_selected {
            paint::fill(buffer, Rect::new(strip.x, y, strip.width, 1), base);
        }
        let Some(supply) = listing.id(*row as usize).and_then(|id| health.of(id)) else {
            continue;
        };
        let (text, style) = match supply {
            Supply::Waiting => ("…".to_owned(), base.patch(theme.dim)),
            Supply::Found { amount, .. } if amount.machines == 0 => {
                ("none".to_owned(), base.patch(theme.warning))
            }
            Supply::Found {
                amount,
                more,
                cheapest,
                ..
            } => {
                let more = if *more { "+" } else { "" };
                let price =
                    cheapest.map_or_else(|| "no price".to_owned(), |price| format!("${price:.4}"));
                let (machines, gpus) = (amount.machines, amount.gpus);
                (format!("{machines}{more}/{gpus}{more} from {price}"), base)
            }
            Supply::Unknown(why) => (format!("? {why}"), base.patch(theme.warning)),
        };
        let text = crate::domain::text::truncate(&text, usize::from(strip.width));
        paint::right(buffer, strip.x, y, strip.width, &text, style);
    }
}
