//! The views of what the rows tell beyond themselves. Each fills the body of the pane, the form of
//! a job a box in the middle.
//!
//! ```text
//!  Summary by GPU model                     500 loaded, more exist      title and coverage
//!  ...                                                                  the view
//! ```

mod compare;
mod job;
mod summary;
mod why;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use super::paint;
use crate::app::Model;
use crate::app::facts::{Facts, Target};
use crate::app::insights::Insight;
use crate::app::remote::{Now, Phase, Remote};
use crate::ui::picker::blank;
use crate::widgets::theme::Theme;

/// Draws a view; gives the cursor's place where text is typed.
#[expect(
    clippy::too_many_arguments,
    reason = "views stand at a crossing of all of these"
)]
pub fn draw(
    buffer: &mut Buffer,
    area: Rect,
    body: Rect,
    model: &Model,
    insight: &Insight,
    now: Now,
    theme: &Theme,
    facts: &mut Facts,
) -> Option<Position> {
    let browser = model.browser()?;
    match insight {
        Insight::Job(form) => return job::draw(buffer, area, browser, form, now, theme, facts),
        Insight::Compare(view) => compare::draw(buffer, body, view, theme, facts),
        Insight::Summary(view) => summary::draw(buffer, body, view, theme, facts),
        Insight::Why(view) => why::draw(buffer, body, browser, view, now, theme, facts),
    }
    None
}

/// Empties the body and writes the title and, at the right or under it, a note; gives what is left.
fn page(buffer: &mut Buffer, body: Rect, title: &str, note: &str, theme: &Theme) -> Rect {
    blank(buffer, body);
    let width = body.width.saturating_sub(2);
    let x = body.x + 1;
    paint::text(buffer, x, body.y, width, title, theme.heading);
    let (title, noted) = (paint::cells(title), paint::cells(note));
    let mut top = body.y + 1;
    if title + noted + 3 <= width {
        paint::right(buffer, x, body.y, width, note, theme.dim);
    } else {
        for line in paint::wrap(note, width).into_iter().take(2) {
            paint::text(buffer, x, top, width, &line, theme.dim);
            top += 1;
        }
    }
    Rect::new(body.x, top, body.width, body.bottom().saturating_sub(top))
}

/// One column of a list: its header, its cells, whether it is written to the right.
struct Column {
    title: &'static str,
    width: u16,
    right: bool,
}

const fn left(title: &'static str, width: u16) -> Column {
    Column {
        title,
        width,
        right: false,
    }
}

const fn right(title: &'static str, width: u16) -> Column {
    Column {
        title,
        width,
        right: true,
    }
}

/// A cell of a list.
type Cell = (String, Style);

/// Draws a list with a header and a selected line; columns that do not fit are left out from the
/// right. `cells` gives the cells of a line.
#[expect(
    clippy::too_many_arguments,
    reason = "a list stands at a crossing of all of these"
)]
fn list(
    buffer: &mut Buffer,
    area: Rect,
    columns: &[Column],
    many: usize,
    cursor: usize,
    cells: impl Fn(usize) -> Vec<Cell>,
    theme: &Theme,
    facts: &mut Facts,
) {
    let page = usize::from(area.height.saturating_sub(1));
    facts.overlay_page = page;
    facts.overlay_lines = many;
    if area.height == 0 {
        return;
    }
    let mut x = area.x + 2;
    let mut places = Vec::new();
    for column in columns {
        if x + column.width > area.right() {
            break;
        }
        place(buffer, x, area.y, column, column.title, theme.heading);
        places.push((x, column));
        x += column.width + 1;
    }
    let first = super::records::first_row(0, cursor, many, page);
    for (y, index) in (area.y + 1..area.bottom()).zip(first..many) {
        let strip = Rect::new(area.x, y, area.width, 1);
        facts
            .targets
            .push((paint::area(strip), Target::Line(index)));
        let is_selected = index == cursor;
        if is_selected {
            paint::fill(buffer, strip, theme.selected);
            paint::text(buffer, area.x, y, 2, "> ", theme.selected);
        }
        for ((x, column), (text, style)) in places.iter().zip(cells(index)) {
            let style = if is_selected {
                theme.selected.patch(Style {
                    fg: None,
                    bg: None,
                    ..style
                })
            } else {
                style
            };
            place(buffer, *x, y, column, &text, style);
        }
    }
}

fn place(buffer: &mut Buffer, x: u16, y: u16, column: &Column, text: &str, style: Style) {
    if column.right {
        paint::right(buffer, x, y, column.width, text, style);
    } else {
        paint::text(buffer, x, y, column.width, text, style);
    }
}

/// How a request of a view stands, in words; nothing once it is answered.
fn standing<T>(remote: &Remote<T>, now: Now) -> Option<String> {
    match remote.phase() {
        Phase::Loading { since, waiting, .. } => Some(match waiting {
            Some(waiting) => format!(
                "{}, going in {:.0}s",
                waiting.why,
                (waiting.until - now.mono).max(0.0).ceil()
            ),
            None => format!("asking the market … {:.0}s", (now.mono - since).max(0.0)),
        }),
        Phase::Failed(error) => Some(error.to_string()),
        Phase::Idle | Phase::Ready => None,
    }
}

/// A number of dollars for a list: four places, or a dash.
fn dollars(value: Option<f64>) -> String {
    value.map_or_else(
        || "-".to_owned(),
        |value| {
            if value.abs() < 1e6 {
                format!("{value:.4}")
            } else {
                format!("{value:.3e}")
            }
        },
    )
}
