//! The lines of a dialog in which text is typed.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use super::paint;
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

    /// A line of several pieces.
    pub const fn of(rank: u8, pieces: Vec<(String, Style)>) -> Self {
        Self {
            rank,
            pieces,
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
