//! The first rows of a response while the others arrive. They can be read and nothing else: only a
//! complete response has rows to select, mark, compare or export.

use std::borrow::Cow;

use ratatui::layout::Rect;
use ratatui::style::Style;

use super::{cells, table};
use crate::api::Received;
use crate::core::view::{Region, Scene};
use crate::domain::format::grouped;
use crate::domain::local::LocalTime;
use crate::domain::{Field, Listing, format};
use crate::table::browser::Browser;
use crate::widgets::table::{Rows, Table, place_from};
use crate::widgets::theme::Theme;

/// How much has arrived: `12,345 rows, 35.2 MB`.
pub(super) fn amount(received: &Received) -> String {
    let noun = if received.rows == 1 { "row" } else { "rows" };
    let (rows, size) = (grouped(received.rows), format::size(received.bytes));
    format!("{rows} {noun}, {size}")
}

/// The first rows of the response that is still arriving, if nothing else can be shown.
pub(super) fn first_rows(browser: &Browser) -> Option<&Listing> {
    let is_blank = browser.listing().is_none();
    let first = browser.remote().arrived()?.first.as_deref();
    first.filter(|_| is_blank)
}

/// What the title says of the rows.
pub(super) fn note(browser: &Browser) -> Option<String> {
    let first = first_rows(browser)?;
    let received = amount(browser.remote().arrived()?);
    Some(format!("First {}, loading: {received}", grouped(first.len())))
}

/// Draws the rows that meet the local conditions, in the market's order.
pub(super) fn draw(browser: &Browser, listing: &Listing, area: Rect, scene: &mut Scene<'_, '_>) {
    let fields = &browser.columns;
    let columns = table::columns(browser, listing, fields);
    let placed = place_from(&columns, browser.column_offset, table::GUTTER, area.width);
    let local = scene.state.local_time(scene.now);
    let rows = FirstRows {
        view: listing.matching(browser.local_conditions()),
        listing,
        fields,
        local: &local,
        theme: scene.theme,
    };
    let table = Table::new(&rows, &columns, &placed, None, scene.theme);
    scene.scroll(Region::MAIN, table, area);
}

struct FirstRows<'a> {
    view: Vec<u32>,
    listing: &'a Listing,
    fields: &'a [&'static Field],
    local: &'a LocalTime,
    theme: &'a Theme,
}

impl Rows for FirstRows<'_> {
    fn count(&self) -> usize {
        self.view.len()
    }

    fn cell(&self, row: usize, column: usize, width: u16) -> (Cow<'_, str>, Style) {
        let (Some(row), Some(field)) = (self.view.get(row), self.fields.get(column)) else {
            return Default::default();
        };
        let text = cells::text(self.listing, *row as usize, field, width, self.local);
        let style = if text == format::NONE {
            self.theme.dim
        } else {
            Style::new()
        };
        (text.into(), style)
    }
}
