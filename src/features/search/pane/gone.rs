//! The rows that a watched search has lost, below its table.
//!
//! They are read-only: a departed offer cannot be rented, marked or exported.

use std::borrow::Cow;

use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Line;

use super::{cells, columns, table};
use crate::core::State;
use crate::core::view::Scene;
use crate::domain::local::LocalTime;
use crate::domain::{Field, Listing, format};
use crate::keys::Action;
use crate::record::Cause;
use crate::record::differences::recorded_lot;
use crate::table::browser::Browser;
use crate::table::gone::GoneRow;
use crate::table::watch::Watch;
use crate::tui::table::{Column, Rows, Table, place_in_order};
use crate::tui::theme::Theme;
use crate::tui::viewport::Viewport;

/// Number of additional columns before those of the table: time and cause.
const OWN: usize = 2;

/// Minimum height of the table above.
const ROOM: u16 = 8;

/// The height of the list of departed rows below a table with `room` lines, in lines: its rows and two more,
/// at most a third of the room; 0 without gone rows, below 8 lines, and unless the user has switched it on.
pub(super) fn height(state: &State, browser: &Browser, room: u16) -> u16 {
    let gone = gone(browser).map_or(0, |(_, _, rows)| rows.len());
    if gone == 0 || !state.settings.pace.lists_gone || room < ROOM {
        return 0;
    }
    // With a blank line and the header.
    let lines = u16::try_from(gone).unwrap_or(u16::MAX).saturating_add(2);
    lines.min(room / 3)
}

/// The rows that auto-refresh has found gone, with the listing they are rows of (the baseline of the
/// comparison); `None` while auto-refresh is off or before its first response.
fn gone(browser: &Browser) -> Option<(&Watch, &Listing, &[GoneRow])> {
    let watch = browser.watching()?;
    let rows = watch.changes().gone_rows();
    Some((watch, watch.baseline_listing()?, rows))
}

/// Draws the rows that auto-refresh has found gone, in that order, as a table with time and cause first; a
/// last line counts those that do not fit. Nothing in fewer than 3 lines.
pub(super) fn draw(browser: &Browser, area: Rect, scene: &mut Scene<'_, '_>) {
    let Some((watch, listing, gone)) = gone(browser).filter(|_| area.height > 2) else {
        return;
    };
    let fields: Vec<&'static Field> = browser.columns.clone();
    let mut columns = vec![Column::text("Gone at", 8), Column::text("Why", 15)];
    let shown = columns::columns(browser, listing, &fields).into_iter();
    // The order is that of leaving.
    columns.extend(shown.map(|column| Column {
        title: column.title.trim_end_matches([' ', '▲', '▼']).to_owned().into(),
        ..column
    }));
    let local = scene.state.local_time(scene.now);
    let rows = GoneRows {
        watch,
        listing,
        gone,
        fields: &fields,
        local: &local,
        theme: scene.theme,
    };
    let mut body = Rect {
        y: area.y + 1,
        height: area.height - 1,
        ..area
    };
    let shown = usize::from(body.height - 1);
    if gone.len() > shown {
        body.height -= 1;
        let more = gone.len() - (shown - 1);
        let key = scene.key(Action::Tape);
        let line = format!("   {} more ({key} shows the tape)", format::grouped(more));
        let last = Rect::new(area.x, body.bottom(), area.width, 1);
        scene.render(Line::styled(line, scene.theme.dim), last);
    }
    let strip = place_in_order(&columns, OWN, 0, table::GUTTER, body.width);
    let table = Table::new(&rows, &columns, &strip.placed, None, scene.theme).more(strip.more());
    let mut viewport = Viewport::default();
    scene.frame.render_stateful_widget(table, body, &mut viewport);
}

struct GoneRows<'a> {
    watch: &'a Watch,
    listing: &'a Listing,
    gone: &'a [GoneRow],
    fields: &'a [&'static Field],
    local: &'a LocalTime,
    theme: &'a Theme,
}

impl GoneRows<'_> {
    /// The name of the recorded cause for a row's departure; that of an unknown cause if none is recorded.
    fn why(&self, row: u32) -> &'static str {
        let cause = recorded_lot(self.listing, row).and_then(|lot| self.watch.cause(&lot));
        self.watch.cause_name(cause.unwrap_or(Cause::Unknown))
    }
}

impl Rows for GoneRows<'_> {
    fn count(&self) -> usize {
        self.gone.len()
    }

    fn cell(&self, row: usize, column: usize, width: u16) -> (Cow<'_, str>, Style) {
        let Some(gone) = self.gone.get(row) else {
            return Default::default();
        };
        let text = match column {
            0 => (gone.at).map_or_else(|| format::NONE.to_owned(), |at| self.local.clock(at)),
            1 => self.why(gone.row).to_owned(),
            _ => {
                let Some(field) = self.fields.get(column - OWN) else {
                    return Default::default();
                };
                // The baseline has the first price.
                let last = gone.price.filter(|_| self.watch.changes().compares(field));
                last.map_or_else(
                    || cells::text(self.listing, gone.row as usize, field, width, self.local),
                    |price| format::number(field, price),
                )
            }
        };
        (text.into(), self.theme.dim)
    }

    fn sign(&self, _: usize) -> (&'static str, Style) {
        ("−", self.theme.dim)
    }

    fn style(&self, _: usize) -> Style {
        self.theme.dim
    }
}
