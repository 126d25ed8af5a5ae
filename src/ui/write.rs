//! What the dialogs of all writes show alike: what will be sent, how it ended, what was sent before.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use super::paint;
use crate::app::remote::Now;
use crate::app::write::{Consent, Flight, Settled, Writes, headline};
use crate::domain::format;
use crate::domain::journal::{Deed, Entry, Verdict};
use crate::widgets::text_input::TextInput;
use crate::widgets::theme::Theme;

/// One line of a dialog. Where there is no room for all, those of the highest rank leave first.
pub struct Row {
    rank: u8,
    pieces: Vec<(String, Style)>,
    /// The column of the cursor, if the line is being typed into.
    cursor: Option<u16>,
}

impl Row {
    /// A line in one style.
    pub fn new(rank: u8, text: impl Into<String>, style: Style) -> Self {
        Self {
            rank,
            pieces: vec![(text.into(), style)],
            cursor: None,
        }
    }

    /// A line for typing, with its label; the cursor stands in it if it `is_open`.
    pub fn input(label: &str, input: &TextInput, is_open: bool, width: u16, theme: &Theme) -> Self {
        let label = format!("{label:<12} ");
        let room = usize::from(width.saturating_sub(paint::cells(&label) + 3)).max(1);
        let hidden = input.scroll(room);
        let shown: String = input.text().chars().skip(hidden).take(room).collect();
        let column = paint::cells(&label)
            + 2
            + u16::try_from(input.cursor_column().saturating_sub(hidden)).unwrap_or(0);
        let style = if is_open {
            paint::typed(input, theme.text)
        } else {
            theme.dim
        };
        let sign = if is_open { "> " } else { "  " };
        Self {
            rank: 0,
            pieces: vec![
                (label, theme.accent),
                (sign.to_owned(), theme.accent),
                (shown, style),
            ],
            cursor: is_open.then_some(column),
        }
    }
}

/// A text as lines of one style, broken at the width.
pub fn wrapped(rank: u8, text: &str, width: u16, style: Style) -> Vec<Row> {
    paint::wrap(text, width)
        .into_iter()
        .map(|line| Row::new(rank, line, style))
        .collect()
}

/// What will be sent.
pub fn consent(consent: &Consent, width: u16, theme: &Theme) -> Vec<Row> {
    let mut rows = vec![Row::new(3, "Will be sent, once:", theme.dim)];
    let Consent {
        method, base, path, ..
    } = consent;
    let line = format!("{method} {base}{path}");
    if paint::cells(&line) <= width {
        rows.push(Row::new(1, line, theme.text));
    } else {
        rows.push(Row::new(1, format!("{method} {path}"), theme.text));
        rows.extend(wrapped(2, &format!("at {base}"), width, theme.text));
    }
    rows.extend(wrapped(1, &consent.body, width, theme.warning));
    rows.extend(wrapped(5, &consent.key, width, theme.dim));
    rows
}

/// A write under way.
pub fn under_way(what: &str, flight: &Flight, now: Now, width: u16, theme: &Theme) -> Vec<Row> {
    let seconds = (now.mono - flight.since.mono).max(0.0);
    let mut rows = wrapped(
        0,
        &format!("{what} {} … {seconds:.0} s", flight.subject),
        width,
        theme.accent,
    );
    let note =
        "Sent once. It cannot be called back; Esc closes this, and the outcome will be shown.";
    rows.extend(wrapped(2, note, width, theme.dim));
    rows
}

/// How a write ended.
pub fn over(deed: Deed, settled: &Settled, width: u16, theme: &Theme) -> Vec<Row> {
    let style = match settled.verdict {
        Verdict::Done => theme.good,
        Verdict::Refused => theme.error,
        Verdict::Unknown => theme.warning,
    };
    let mut rows = wrapped(0, &headline(deed, settled), width, style);
    rows.extend(wrapped(0, &settled.words, width, theme.text));
    rows
}

/// What was sent before, newest first, in at most `most` lines.
pub fn history(
    title: &str,
    writes: &Writes,
    deed: Deed,
    most: usize,
    width: u16,
    theme: &Theme,
) -> Vec<Row> {
    let mut rows = Vec::new();
    let count = writes.past(deed).count();
    if let Some(note) = &writes.note {
        rows.extend(wrapped(6, note, width, theme.warning));
    }
    if count == 0 || most < 2 {
        return rows;
    }
    rows.push(Row::new(7, "", theme.dim));
    rows.push(Row::new(6, title, theme.heading));
    let shown = if count > most { most - 1 } else { most };
    for entry in writes.past(deed).take(shown) {
        let under_way = entry.outcome.is_none()
            && writes.flight(deed).is_some()
            && writes.past(deed).next() == Some(entry);
        rows.push(past(entry, under_way, width, theme));
    }
    if count > shown {
        rows.push(Row::new(
            7,
            format!("and {} older", count - shown),
            theme.dim,
        ));
    }
    rows
}

fn past(entry: &Entry, under_way: bool, width: u16, theme: &Theme) -> Row {
    let (verdict, style) = match (under_way, entry.verdict()) {
        (true, _) => ("under way", theme.accent),
        (false, Verdict::Done) => ("done", theme.good),
        (false, Verdict::Refused) => ("refused", theme.dim),
        (false, Verdict::Unknown) => ("UNKNOWN", theme.warning),
    };
    let words = match &entry.outcome {
        Some(outcome) => outcome.words.as_str(),
        None if under_way => "",
        None => "bourse never saw an answer",
    };
    let when = format::moment(entry.intent.at);
    let head = format!("{when}  {:<10} ", entry.intent.subject);
    let room = usize::from(width.saturating_sub(paint::cells(&head) + 10));
    let words = crate::domain::text::truncate(words, room);
    Row {
        rank: 6,
        pieces: vec![
            (head, theme.text),
            (format!("{verdict:<9} "), style),
            (words, theme.dim),
        ],
        cursor: None,
    }
}

/// Draws lines into a box: where they do not fit, those of the highest rank leave, the last ones
/// first. Gives the cursor's place.
pub fn draw(buffer: &mut Buffer, inner: Rect, mut rows: Vec<Row>) -> Option<Position> {
    while rows.len() > usize::from(inner.height) {
        let leaves = rows
            .iter()
            .enumerate()
            .max_by_key(|(index, row)| (row.rank, *index))
            .map(|(index, _)| index)?;
        rows.remove(leaves);
    }
    let mut cursor = None;
    for (y, row) in (inner.y..inner.bottom()).zip(&rows) {
        let mut x = inner.x;
        for (text, style) in &row.pieces {
            x = paint::text(buffer, x, y, inner.right().saturating_sub(x), text, *style);
        }
        if let Some(column) = row.cursor {
            let x = inner.x + column.min(inner.width.saturating_sub(1));
            cursor = Some(Position::new(x, y));
        }
    }
    cursor
}
