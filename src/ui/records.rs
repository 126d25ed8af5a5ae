//! The table of a browser: only the rows in sight are built.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

use super::paint;
use crate::app::browser::Browser;
use crate::app::facts::{Facts, Target};
use crate::app::narrowing::is_searched;
use crate::app::sort_editor::arrow;
use crate::domain::format;
use crate::domain::local::LocalTime;
use crate::domain::text::occurrences;
use crate::domain::{CellRef, Dialect, Field, Kind, Listing, Resource, Source};
use crate::widgets::theme::Theme;

/// Whether a cell tells the cost of something that its row cannot serve.
fn is_unfit(browser: &Browser, row: usize, field: &Field) -> bool {
    matches!(field.key, "job_cost" | "volume_term") && browser.figures.is_unfit(row)
}

/// Cells in front of the first column: the signs of the selection, of the mark, and of the front
/// or of an unfit row, which is never on the front.
const GUTTER: u16 = 3;

/// The sign of offers that no other loaded one beats in price and performance per GPU.
pub const FRONT: &str = "◆";

/// The sign of rows that cannot serve what was asked for: too small, or gone too early.
pub const UNFIT: &str = "!";

/// The sign of rows that came while the search was watched.
const NEW: &str = "+";

/// The sign of columns for which there is no room.
const MORE: &str = "›";

/// How early a column leaves that was hidden at first and chosen by the person.
const CHOSEN: u8 = 9;

/// A column in sight.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Placed {
    /// What it shows.
    pub field: &'static Field,
    /// Its first cell, from the left of the table.
    pub x: u16,
    /// Its cells.
    pub width: u16,
}

/// Chooses and places the columns. Unscrolled, the least important columns leave until the rest
/// fits, but not those that `must` stay; scrolled, the first column stays and the others follow from
/// the offset on.
pub fn place(
    columns: &[&'static Field],
    offset: usize,
    width: u16,
    wide: impl Fn(&Field) -> u16,
    must: impl Fn(&Field) -> bool,
) -> Vec<Placed> {
    let room = width.saturating_sub(GUTTER);
    let taken = |fields: &[&'static Field]| -> u16 {
        fields
            .iter()
            .map(|field| wide(field) + 1)
            .sum::<u16>()
            .saturating_sub(1)
    };
    let mut fields: Vec<&'static Field> = if offset == 0 {
        let mut fields = columns.to_vec();
        while fields.len() > 1 && taken(&fields) > room {
            let Some((index, _)) = fields.iter().enumerate().max_by_key(|(_, field)| {
                match field.column.rank {
                    _ if must(field) => 0,
                    Some(_) => field.column.priority,
                    // Hidden at first: it is here because somebody wished for it.
                    None => field.column.priority.min(CHOSEN),
                }
            }) else {
                break;
            };
            fields.remove(index);
        }
        fields
    } else {
        columns
            .first()
            .into_iter()
            .chain(columns.iter().skip(1 + offset))
            .copied()
            .collect()
    };
    while fields.len() > 1 && taken(&fields) > room {
        fields.pop();
    }
    let mut x = GUTTER;
    let spare = room.saturating_sub(taken(&fields));
    // A search is longer than any column: it gets the room that nobody else takes.
    let longest = fields.iter().rposition(|field| is_search(field));
    fields
        .into_iter()
        .enumerate()
        .map(|(index, field)| {
            let more = if longest == Some(index) { spare } else { 0 };
            let placed = Placed {
                field,
                x,
                width: (wide(field) + more).min(room.max(1)),
            };
            x += placed.width + 1;
            placed
        })
        .collect()
}

const fn is_search(field: &Field) -> bool {
    matches!(field.source, Source::Search(_))
}

/// A header must at least be readable, with room for the sort sign.
fn width_of(listing: &Listing, field: &Field, dialect: &Dialect) -> u16 {
    let header = paint::cells(&listing.header(field, dialect));
    field.column.width.max(header.min(16))
}

/// The most cells of a number that names a thing: the digits of the largest that JSON readers know.
const LONGEST_ID: usize = 20;

/// The most different texts of a column that are looked at for its width.
const MOST_TEXTS: usize = 1000;

/// The width that a column needs for what is in it: models and places are mostly shorter than the
/// longest that there are, and the room is another column's.
fn fitted(listing: &Listing, field: &Field, dialect: &Dialect) -> u16 {
    let usual = width_of(listing, field, dialect);
    if field.kind == Kind::Id {
        // A name is read whole or not at all.
        let longest = listing.column(field).widest().min(LONGEST_ID);
        return usual.max(u16::try_from(longest).unwrap_or(usual));
    }
    if !matches!(field.kind, Kind::Text | Kind::Country) {
        return usual;
    }
    let column = listing.column(field);
    if column.texts().is_empty() || column.texts().len() > MOST_TEXTS {
        return usual;
    }
    let longest = u16::try_from(column.widest()).unwrap_or(usual);
    // The header has room for a sort sign with its number.
    longest.max(paint::cells(field.label) + 2).min(usual)
}

/// The first row in sight: as before if the selection still is in sight, else moved as little as
/// needed.
pub fn first_row(before: usize, cursor: usize, rows: usize, page: usize) -> usize {
    let page = page.max(1);
    let most = rows.saturating_sub(page);
    let low = (cursor + 1).saturating_sub(page);
    before.clamp(low, cursor.max(low)).min(most.max(low))
}

/// Draws the table; says which rows, columns and targets are in sight.
pub fn draw(
    buffer: &mut Buffer,
    area: Rect,
    browser: &Browser,
    listing: &Listing,
    local: &LocalTime,
    theme: &Theme,
    facts: &mut Facts,
) {
    let sorted_by = browser.query.order.first().map(|key| key.field);
    let columns = columns(browser);
    // Text begins where its column does, and a sign must not touch it; numbers end there.
    let is_text = |first: &&Field| !is_right_aligned(first);
    let gap = u16::from(browser.figures.unfit() > 0 && columns.first().is_some_and(is_text));
    let mut placed = place(
        &columns,
        browser.column_offset,
        area.width.saturating_sub(gap),
        // A broken cell has a sign in front of its text.
        |field| fitted(listing, field, browser.dialect()) + u16::from(browser.is_accused(field)),
        |field| {
            browser.is_accused(field)
                || sorted_by == Some(field)
                || browser.revealed().contains(&field)
        },
    );
    for column in &mut placed {
        column.x += gap;
    }
    facts.columns = placed.len();
    header(buffer, area, browser, listing, &placed, theme, facts);
    if placed.len() < browser.columns.len() {
        let edge = area.right().saturating_sub(1);
        paint::text(buffer, edge, area.y, 1, MORE, theme.dim);
    }
    let page = usize::from(area.height.saturating_sub(1));
    facts.page = page;
    facts.top = first_row(facts.top, browser.cursor(), browser.view().len(), page);
    let rows = browser.view().iter().enumerate().skip(facts.top).take(page);
    let grouping = grouping(browser);
    let mut above = None;
    for (line, (index, row)) in (1_u16..).zip(rows) {
        let strip = Rect::new(area.x, area.y + line, area.width, 1);
        facts.targets.push((paint::area(strip), Target::Row(index)));
        let is_selected = index == browser.cursor();
        let style = if is_selected {
            theme.selected
        } else {
            theme.text
        };
        if is_selected {
            paint::fill(buffer, strip, style);
        }
        let row = *row as usize;
        let is_marked = listing
            .id(row)
            .is_some_and(|id| browser.marks.contains(&id));
        let sign = match (is_selected, is_marked) {
            (true, true) => ">*",
            (true, false) => "> ",
            (false, true) => " *",
            (false, false) => "  ",
        };
        paint::text(buffer, strip.x, strip.y, 2, sign, style);
        if !is_marked && is_new(browser, listing, row) {
            paint::text(buffer, strip.x + 1, strip.y, 1, NEW, style);
        }
        if browser.figures.is_unfit(row) {
            let style = if is_selected { style } else { theme.warning };
            paint::text(buffer, strip.x + 2, strip.y, 1, UNFIT, style);
        } else if is_on_front(browser, row) {
            let style = if is_selected { style } else { theme.good };
            paint::text(buffer, strip.x + 2, strip.y, 1, FRONT, style);
        }
        let repeats = grouping.filter(|field| {
            above.replace(row).is_some_and(|above| {
                let cell = listing.cell(row, field);
                !cell.is_blank() && cell == listing.cell(above, field)
            })
        });
        for column in &placed {
            let style = if repeats == Some(column.field) {
                style.patch(theme.dim)
            } else {
                style
            };
            draw_cell(
                buffer, strip, browser, listing, row, column, local, style, theme,
            );
        }
    }
}

/// The person's columns, and behind the first one those that a condition of the query was broken
/// in, and those in which a word was found: marked cells are of no use out of sight.
fn columns(browser: &Browser) -> Vec<&'static Field> {
    let mut columns = browser.columns.clone();
    let revealed = browser.revealed().iter().copied();
    for field in browser.accused().into_iter().chain(revealed) {
        if !columns.contains(&field) {
            columns.insert(columns.len().min(1), field);
        }
    }
    columns
}

fn is_new(browser: &Browser, listing: &Listing, row: usize) -> bool {
    let watch = browser.watching().zip(listing.id(row));
    watch.is_some_and(|(watch, id)| watch.changes().is_new(id))
}

/// The sign of a price that fell or rose while it was watched.
fn moved(browser: &Browser, listing: &Listing, row: usize, field: &Field) -> Option<bool> {
    let (watch, id) = browser.watching().zip(listing.id(row))?;
    watch.changes().fell(id, field)
}

fn is_on_front(browser: &Browser, row: usize) -> bool {
    let front = browser.figures.front();
    front.is_some_and(|front| u32::try_from(row).is_ok_and(|row| front.contains(row)))
}

/// The column whose repeated values are dimmed: groups stand together by endpoint while they are
/// sorted by it.
fn grouping(browser: &Browser) -> Option<&'static Field> {
    let first = browser.query.order.first()?.field;
    (browser.resource() == Resource::Workergroups && first.key == "endpoint_name").then_some(first)
}

#[expect(
    clippy::too_many_arguments,
    reason = "a cell stands at a crossing of all of these"
)]
fn draw_cell(
    buffer: &mut Buffer,
    strip: Rect,
    browser: &Browser,
    listing: &Listing,
    row: usize,
    column: &Placed,
    local: &LocalTime,
    style: Style,
    theme: &Theme,
) {
    let text = match (column.field.kind, listing.cell(row, column.field)) {
        (Kind::Timestamp, CellRef::Number(epoch)) => local.cell(epoch),
        _ => format::cell(listing, row, column.field, usize::from(column.width)),
    };
    let is_broken = browser.is_violating(row, column.field) || is_unfit(browser, row, column.field);
    let style = if is_broken || text == format::MISFIT {
        style
            .patch(theme.warning)
            .add_modifier(Modifier::UNDERLINED)
    } else if text == format::BLANK || text == format::NONE {
        style.patch(theme.dim)
    } else {
        style
    };
    let (text, style) = match moved(browser, listing, row, column.field) {
        Some(true) => (format!("↓{text}"), style.patch(theme.good)),
        Some(false) => (format!("↑{text}"), style.patch(theme.warning)),
        None => (text, style),
    };
    let text = if is_broken { format!("!{text}") } else { text };
    let x = strip.x + column.x;
    let width = column.width.min(strip.right().saturating_sub(x));
    if is_right_aligned(column.field) {
        paint::right(buffer, x, strip.y, width, &text, style);
    } else {
        paint::text(buffer, x, strip.y, width, &text, style);
        if is_searched(column.field) {
            highlight(
                buffer,
                Rect::new(x, strip.y, width, 1),
                &text,
                &browser.words,
            );
        }
    }
}

/// Underlines the words that the rows were narrowed by; a colour alone would be lost on the selected
/// row.
fn highlight(buffer: &mut Buffer, cell: Rect, text: &str, words: &[String]) {
    let found = words.iter().flat_map(|word| occurrences(text, word));
    for range in found {
        let (Some(before), Some(word)) = (text.get(..range.start), text.get(range)) else {
            continue;
        };
        let x = cell.x.saturating_add(paint::cells(before));
        let place = Rect::new(x, cell.y, paint::cells(word), 1).intersection(cell);
        let style = Style::new().add_modifier(Modifier::UNDERLINED.union(Modifier::BOLD));
        paint::fill(buffer, place, style);
    }
}

fn header(
    buffer: &mut Buffer,
    area: Rect,
    browser: &Browser,
    listing: &Listing,
    placed: &[Placed],
    theme: &Theme,
    facts: &mut Facts,
) {
    let order = browser.sorting_keys();
    for column in placed {
        let sign = order
            .iter()
            .position(|key| key.field == column.field)
            .map(|place| {
                let number = if place == 0 {
                    String::new()
                } else {
                    (place + 1).to_string()
                };
                format!("{}{number}", arrow(order[place].direction))
            })
            .unwrap_or_default();
        // A price that was worked out here is no quote: its header says so.
        let estimate = if listing.is_estimated(column.field) {
            "~"
        } else {
            ""
        };
        let room = column.width.saturating_sub(paint::cells(&sign));
        let label = listing.header(column.field, browser.dialect());
        let label = format!("{estimate}{label}");
        let label = crate::domain::text::truncate(&label, usize::from(room));
        let text = format!("{label}{sign}");
        let x = area.x + column.x;
        let width = column.width.min(area.right().saturating_sub(x));
        if is_right_aligned(column.field) {
            paint::right(buffer, x, area.y, width, &text, theme.heading);
        } else {
            paint::text(buffer, x, area.y, width, &text, theme.heading);
        }
        let cell = Rect::new(x, area.y, width, 1);
        facts
            .targets
            .push((paint::area(cell), Target::Header(column.field)));
    }
}

const fn is_right_aligned(field: &Field) -> bool {
    matches!(field.kind, Kind::Integer | Kind::Number | Kind::Id)
}
