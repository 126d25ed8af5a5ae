//! The first rows of a response while the others arrive.
//!
//! They are read-only: only a complete response has rows to select, mark, compare or export.

use ratatui::layout::Rect;
use ratatui::style::Style;

use super::{cells, columns, table};
use crate::api::Received;
use crate::core::view::{Region, Scene};
use crate::domain::format::grouped;
use crate::domain::{Listing, format};
use crate::table::browser::Browser;
use crate::tui::records::Records;
use crate::tui::table::{Table, place_in_order};

/// The amount that has arrived of a response: `12,345 rows, 35.2 MB`.
pub(super) fn amount(received: &Received) -> String {
    let noun = if received.rows == 1 { "row" } else { "rows" };
    let (rows, size) = (grouped(received.rows), format::size(received.bytes));
    format!("{rows} {noun}, {size}")
}

/// The first rows of a table's response that is still arriving; `None` if nothing is arriving, none has
/// arrived yet, or loaded or recorded rows can be shown.
pub(super) fn first_rows(browser: &Browser) -> Option<&Listing> {
    let is_blank = browser.listing().is_none() && browser.recorded_at().is_none();
    let first = browser.remote().arrived()?.first.as_deref();
    first.filter(|_| is_blank)
}

/// The note on arriving rows in the title of the table; `None` if none are shown.
pub(super) fn note(browser: &Browser) -> Option<String> {
    let first = first_rows(browser)?;
    let received = amount(browser.remote().arrived()?);
    Some(format!("First {}, loading: {received}", grouped(first.len())))
}

/// Draws the first rows of an arriving response that meet the local conditions, in the market's order.
pub(super) fn draw(browser: &Browser, listing: &Listing, area: Rect, scene: &mut Scene<'_, '_>) {
    let local = scene.state.local_time(scene.now);
    let (view, dim) = (listing.matching(browser.local_conditions()), scene.theme.dim);
    let mut rows = Records::new(view.len(), |row| view.get(row).map(|row| *row as usize));
    let columns = columns::columns(browser, listing, &browser.columns);
    for (field, column) in browser.columns.iter().zip(columns) {
        let local = &local;
        rows = rows.styled(column, move |row, width| {
            let text = cells::text(listing, row, field, width, local);
            let style = if text == format::NONE { dim } else { Style::new() };
            (text.into(), style)
        });
    }
    let strip = place_in_order(rows.columns(), 1, browser.column_offset, table::GUTTER, area.width);
    let table = Table::new(&rows, rows.columns(), &strip.placed, None, scene.theme).more(strip.more());
    scene.scroll(Region::MAIN, table, area);
}
