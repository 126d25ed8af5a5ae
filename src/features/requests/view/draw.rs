//! Draws the Requests pane: filters, search line, table, and the selected request beside them.

use std::borrow::Cow;

use ratatui::layout::{Alignment, Constraint, Layout, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Paragraph, Wrap};

use super::{FILTERS, RequestsPane, SEARCH, preview};
use crate::api::LedgerEntry;
use crate::core::frame_layout::Target;
use crate::core::view::{Region, Scene};
use crate::core::views::keys::command_named;
use crate::core::views::typed_search;
use crate::core::{Pane, State};
use crate::domain::format;
use crate::domain::local::LocalTime;
use crate::domain::routing::words;
use crate::domain::text::visible;
use crate::features::requests::request::text::{outcome, span, waited_text};
use crate::features::requests::{Filter, Flight, Requests, RouteRun, Row};
use crate::keys::Action;
use crate::tui::panel::{Panel, Size};
use crate::tui::table::{Column, Rows, Table, place};
use crate::tui::text::{cells, fit};
use crate::tui::theme::Theme;

/// Minimum width of the list beside the preview, in cells.
///
/// The first columns and the bars.
const LIST: u16 = 68;

/// Lines of the list's frame, filters, search, flight and header.
const AROUND: u16 = 6;

/// Minimum height of the list above the preview.
const LEAST_LIST: u16 = 9;

/// Minimum height of the preview below the list on a compact screen.
const LEAST_PREVIEW: u16 = 7;

/// Number of the latest requests that are measured for the width of their status.
///
/// Measuring all of them would cost more than drawing, and new ones are seen first.
const MEASURED: usize = 200;

/// Maximum width of the list beside the preview, in cells.
///
/// A wider list has nothing more to show.
const WIDEST_LIST: u16 = 124;

/// Draws the list of requests with the preview of the selected one: below a short list, else beside it. A
/// compact screen has no preview beside it.
pub(super) fn pane(view: &RequestsPane, area: Rect, scene: &mut Scene<'_, '_>) {
    let is_compact = scene.size == Size::Compact;
    let rows = u16::try_from(Requests::read(scene.state).rows().len()).unwrap_or(u16::MAX);
    let above = rows.saturating_add(AROUND).max(if is_compact { 0 } else { LEAST_LIST });
    let left = area.height.saturating_sub(above);
    if left >= if is_compact { LEAST_PREVIEW } else { area.height * 2 / 5 } {
        // Few requests: beside them most of the screen would be blank.
        let [top, bottom] = Layout::vertical([Constraint::Length(above), Constraint::Fill(1)]).areas(area);
        list(view, top, scene);
        preview::below(bottom, scene);
        scene.clickable(bottom, Target::Item(Region::PREVIEW, 0));
        return;
    }
    if is_compact {
        return list(view, area, scene);
    }
    let width = (area.width * 11 / 20).clamp(LIST.min(area.width * 7 / 10), WIDEST_LIST);
    let [left, right] = Layout::horizontal([Constraint::Length(width), Constraint::Fill(1)]).areas(area);
    list(view, left, scene);
    preview::draw(right, scene);
    scene.clickable(right, Target::Item(Region::PREVIEW, 0));
}

/// Draws the panel of the list: filters, the search line if it is in use, the first resent request in flight,
/// and the table of requests, or a note if none is listed.
fn list(view: &RequestsPane, area: Rect, scene: &mut Scene<'_, '_>) {
    let state = scene.state;
    let mut panel = Panel::new("Requests").focused(true).sized(scene.size);
    if state.ledger.total() > state.ledger.len() as u64 {
        panel = panel.foot("older requests dropped");
    }
    let inner = panel.render(area, scene.frame.buffer_mut(), scene.theme);
    let has_search = view.is_typing || !Requests::read(state).search.is_empty();
    let [chips, search, flight, table] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(u16::from(has_search)),
        Constraint::Length(u16::from(!Requests::read(state).flights().is_empty())),
        Constraint::Fill(1),
    ])
    .areas(inner);
    filters(chips, scene);
    if has_search {
        let input = (
            &Requests::read(state).search,
            "operation, address, status, error or body",
        );
        typed_search::line(input, view.is_typing, SEARCH, search, scene);
    }
    if let Some(sent) = Requests::read(state).flights().first() {
        scene.render(flight_line(sent, flight.width, scene), flight);
    }
    if Requests::read(state).rows().is_empty() {
        return empty(table, scene);
    }
    let local = state.local_time(scene.now);
    let columns = columns(state, &local, table.width);
    let placed = place(&columns, table.width);
    let rows = List {
        state,
        local: &local,
        theme: scene.theme,
        slowest: slowest(state),
    };
    let cursor = Some(Requests::read(state).cursor());
    let widget = Table::new(&rows, &columns, &placed, cursor, scene.theme);
    let viewport = scene.scroll(Region::MAIN, widget, table);
    if viewport.page < viewport.total {
        scene.label_border(area, 8, &viewport.label());
    }
}

/// Draws the names of the request filters with the number of recorded requests each admits, whatever the
/// search (names only if that is too wide), the selected one highlighted.
fn filters(area: Rect, scene: &mut Scene<'_, '_>) {
    let (theme, state) = (scene.theme, scene.state);
    let count = |filter: Filter| {
        let entries = state.ledger.latest();
        entries.filter(|entry| filter.admits(entry)).count()
    };
    let named = Filter::ALL.map(|filter| format!(" {} {} ", filter.title(), count(filter)));
    let widest: u16 = named.iter().map(|name| cells(name)).sum();
    let mut x = area.x;
    for (index, (filter, name)) in Filter::ALL.into_iter().zip(named).enumerate() {
        let name = if widest > area.width {
            format!(" {} ", filter.title())
        } else {
            name
        };
        let cell = Rect::new(x, area.y, cells(&name), 1).intersection(area);
        let style = if filter == Requests::read(state).filter() {
            theme.selected
        } else {
            theme.dim
        };
        scene.render(Line::styled(name, style), cell);
        scene.clickable(cell, Target::Item(FILTERS, index));
        x = cell.right();
    }
    let keys = format!("{} {} filter", scene.key(Action::Left), scene.key(Action::Right));
    if x + cells(&keys) + 2 <= area.right() {
        let rest = Rect::new(x, area.y, area.right() - x, 1);
        scene.render(Line::styled(keys, theme.dim).right_aligned(), rest);
    }
}

/// The line on a resent request in flight: its seconds so far, or the wait before its next try.
fn flight_line(flight: &Flight, width: u16, scene: &Scene<'_, '_>) -> Line<'static> {
    let label = flight.operation.label();
    let key = scene.key(Action::Back);
    let text = match &flight.waiting {
        Some(waiting) => format!(
            "Resending {label}: {}, next try in {:.0} s (try {}, {key} cancels)",
            visible(&waiting.why, 200),
            (waiting.until - scene.now.mono).max(0.0).ceil(),
            flight.attempt
        ),
        None => format!(
            "Resending {label}: {:.0} s ({key} cancels)",
            (scene.now.mono - flight.since).max(0.0)
        ),
    };
    fit(Line::styled(text, scene.theme.accent), width)
}

/// Draws a note in place of a list of requests without rows: none was sent, or none is of the filter or
/// matches the search.
fn empty(area: Rect, scene: &mut Scene<'_, '_>) {
    let (theme, state) = (scene.theme, scene.state);
    let (what, how) = if state.ledger.is_empty() {
        (
            "No requests yet".to_owned(),
            format!("{} loads offers", scene.key(Action::Pane(Pane::Offers))),
        )
    } else if Requests::read(state).search.is_empty() {
        (
            match state.ledger.len() {
                1 => "The only request is not shown".to_owned(),
                many => format!("None of {many} requests is shown"),
            },
            format!("{} shows all", scene.key(Action::Back)),
        )
    } else {
        (
            match (state.ledger.len(), visible(Requests::read(state).search.text(), 60)) {
                (1, typed) => format!("The only request doesn't match “{typed}”"),
                (many, typed) => format!("None of {many} requests matches “{typed}”"),
            },
            {
                let clears = format!("{} clears the search", scene.key(Action::Back));
                let command = command_named(Requests::read(state).search.text(), state);
                std::iter::once(clears).chain(command).collect::<Vec<_>>().join(" · ")
            },
        )
    };
    let text = vec![Line::styled(what, theme.heading), Line::styled(how, theme.dim)];
    let [_, middle] = Layout::vertical([Constraint::Percentage(33), Constraint::Fill(1)]).areas(area);
    let text = Paragraph::new(text).wrap(Wrap { trim: false });
    scene.render(text.alignment(Alignment::Center), middle);
}

/// The longest duration among the listed requests, in seconds, where a folded run counts with its median; 0
/// without rows.
fn slowest(state: &State) -> f64 {
    let durations = Requests::read(state).rows().iter().filter_map(|row| match *row {
        Row::Request(number) => Some(state.ledger.get(number)?.took.as_secs_f64()),
        Row::Run(run) => Requests::read(state).run(run)?.quantile(0.5),
    });
    durations.fold(0.0, f64::max)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cell {
    Time,
    Request,
    Status,
    Took,
    Bar,
    Received,
    Sent,
    Attempt,
    Waited,
}

const CELLS: [Cell; 9] = [
    Cell::Time,
    Cell::Request,
    Cell::Status,
    Cell::Took,
    Cell::Bar,
    Cell::Received,
    Cell::Sent,
    Cell::Attempt,
    Cell::Waited,
];

/// The columns of the list of requests for a table of `width` cells, in the order of `CELLS`.
fn columns(state: &State, local: &LocalTime, width: u16) -> Vec<Column> {
    let oldest = state.ledger.latest().last();
    let time = oldest.map_or(8, |entry| cells(&local.clock(entry.at))).clamp(8, 14);
    let latest = state.ledger.latest().take(MEASURED);
    let longest = latest.map(|entry| cells(&entry.status_words())).max();
    let (least, most) = match width {
        ..60 => (11, 11),
        60..86 => (11, 26),
        86.. => (21, 26),
    };
    let status = longest.unwrap_or(0).clamp(least, most);
    CELLS
        .into_iter()
        .map(|cell| match cell {
            Cell::Time => Column::text("Time", time).priority(1),
            Cell::Request => Column::text("Request", 22).grows(),
            Cell::Status => Column::text("Status", status),
            Cell::Took => Column::number("Took", 7).priority(2),
            Cell::Bar => Column::text("", 7).priority(4),
            Cell::Received => Column::number("Received", 8).priority(5),
            Cell::Attempt => Column::number("Try", 3).priority(6),
            Cell::Sent => Column::number("Sent", 8).priority(7),
            Cell::Waited => Column::number("Waited", 7).priority(8),
        })
        .collect()
}

/// The rows of the list, as records of the table.
struct List<'a> {
    state: &'a State,
    local: &'a LocalTime,
    theme: &'a Theme,
    /// The longest duration of the rows, in seconds.
    slowest: f64,
}

impl List<'_> {
    /// The entry of the ledger with a number; `None` if it was dropped.
    fn entry(&self, number: u64) -> Option<&LedgerEntry> {
        self.state.ledger.get(number)
    }

    /// The text and style of a cell in the row of a single request; empty if it was dropped.
    fn request(&self, number: u64, cell: Cell, width: u16) -> (Cow<'_, str>, Style) {
        let Some(entry) = self.entry(number) else {
            return (Cow::Borrowed(""), Style::new());
        };
        let text = match cell {
            Cell::Time => self.local.clock(entry.at),
            Cell::Request => {
                let indent = if Requests::read(self.state).is_unfolded(number) {
                    "  "
                } else {
                    ""
                };
                format!("{indent}{}", entry.operation.label())
            }
            Cell::Status => {
                let status = entry.status_words();
                // An error is meaningful from a few words on.
                if width < 20 || cells(&status) + 4 > width {
                    status
                } else {
                    outcome(entry)
                }
            }
            Cell::Took => span(entry.took),
            Cell::Bar => {
                return (
                    bar(entry.took.as_secs_f64(), self.slowest, width).into(),
                    self.bar_style(entry),
                );
            }
            Cell::Received => format::size(entry.bytes_received),
            Cell::Sent => format::size(entry.bytes_sent),
            Cell::Attempt => entry.attempt.to_string(),
            Cell::Waited => waited_text(entry).unwrap_or_else(|| "—".to_owned()),
        };
        let style = match cell {
            Cell::Status if entry.is_cancelled() => self.theme.dim,
            Cell::Status if entry.is_failed() => self.theme.error,
            Cell::Time | Cell::Sent | Cell::Received | Cell::Attempt | Cell::Waited => self.theme.dim,
            _ => Style::new(),
        };
        (text.into(), style)
    }

    /// The style of a request's duration bar: dimmed if cancelled, or that of an error if failed.
    fn bar_style(&self, entry: &LedgerEntry) -> Style {
        if entry.is_cancelled() {
            self.theme.dim
        } else if entry.is_failed() {
            self.theme.error
        } else {
            self.theme.focus
        }
    }

    /// The text and style of a cell in the row of a route run: the time of its latest request, its size, their median duration, and the number of failed or else cancelled ones; empty in the other
    /// columns.
    fn run(&self, run: &RouteRun, cell: Cell, width: u16) -> (Cow<'_, str>, Style) {
        let median = run.quantile(0.5);
        match cell {
            Cell::Time => {
                let time = self.entry(run.newest).map(|entry| self.local.clock(entry.at));
                (time.unwrap_or_default().into(), self.theme.dim)
            }
            Cell::Request => {
                let sign = if run.is_unfolded() { "▾" } else { "▸" };
                let median = median.map_or_else(String::new, |seconds| {
                    format!(" · p50 {}", span(std::time::Duration::from_secs_f64(seconds)))
                });
                let text = format!("{sign} route ×{}{median}", run.size());
                (text.into(), Style::new())
            }
            Cell::Status if run.failed > 0 => (format!("{} failed", words::count(run.failed)).into(), self.theme.error),
            Cell::Status if run.cancelled > 0 => (
                format!("{} cancelled", words::count(run.cancelled)).into(),
                self.theme.dim,
            ),
            Cell::Status => ("all OK".into(), Style::new()),
            Cell::Bar => {
                let text = median.map_or_else(String::new, |seconds| bar(seconds, self.slowest, width));
                (text.into(), self.theme.focus)
            }
            Cell::Took => {
                let median = median.map(std::time::Duration::from_secs_f64).map(span);
                (median.unwrap_or_default().into(), Style::new())
            }
            Cell::Received | Cell::Sent | Cell::Attempt | Cell::Waited => (Cow::Borrowed(""), Style::new()),
        }
    }
}

impl Rows for List<'_> {
    fn count(&self) -> usize {
        Requests::read(self.state).rows().len()
    }

    fn cell(&self, row: usize, column: usize, width: u16) -> (Cow<'_, str>, Style) {
        let row = Requests::read(self.state).rows().get(row);
        let (Some(row), Some(cell)) = (row, CELLS.get(column)) else {
            return (Cow::Borrowed(""), Style::new());
        };
        match *row {
            Row::Request(number) => self.request(number, *cell, width),
            Row::Run(run) => match Requests::read(self.state).run(run) {
                Some(run) => self.run(run, *cell, width),
                None => (Cow::Borrowed(""), Style::new()),
            },
        }
    }

    fn sign(&self, row: usize) -> (&'static str, Style) {
        let is_bad = match Requests::read(self.state).rows().get(row) {
            Some(Row::Request(number)) => self.entry(*number).is_some_and(LedgerEntry::is_failed),
            Some(Row::Run(run)) => {
                let run = Requests::read(self.state).run(*run);
                run.is_some_and(|run| run.failed > 0)
            }
            None => false,
        };
        if is_bad {
            ("!", self.theme.error)
        } else {
            (" ", Style::new())
        }
    }
}

/// A duration as a bar of at most `width` cells, by the square root of its share of the `slowest` one; empty
/// if `slowest` is 0.
///
/// The square root makes short durations distinguishable next to a timeout.
fn bar(seconds: f64, slowest: f64, width: u16) -> String {
    if slowest <= 0.0 {
        return String::new();
    }
    let share = (seconds / slowest).clamp(0.0, 1.0).sqrt();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // 0 to 2 x width
    let halves = (share * f64::from(width) * 2.0).round() as usize;
    let mut bar = "━".repeat(halves / 2);
    if !halves.is_multiple_of(2) {
        bar.push('╸');
    }
    bar
}

/// A line with a label padded to 10 cells and its value, for the preview.
pub(super) fn named(name: &'static str, value: String, theme: &Theme) -> Line<'static> {
    Line::from(vec![
        Span::styled(format!("{name:<10}"), theme.dim),
        Span::styled(value, theme.text),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slowest_request_fills_its_bar() {
        assert_eq!(bar(9.0, 9.0, 8), "━━━━━━━━");
        assert_eq!(bar(2.25, 9.0, 8), "━━━━");
        assert_eq!(bar(0.05, 9.0, 8), "╸");
        assert_eq!(bar(0.0, 0.0, 8), "");
    }
}
