//! Writing text into the frame: the only way that text takes to the screen.
//!
//! `Buffer::set_stringn` keeps within the width and drops what has none; strangers' text comes in
//! already cleaned by [`crate::domain::Untrusted`]. Nothing here writes outside its area.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use unicode_width::UnicodeWidthStr;

use crate::app::facts::Area;
use crate::domain::text::truncate;
use crate::widgets::text_input::TextInput;

/// How the text of an input line is shown: turned round while what is typed would take its place.
pub fn typed(input: &TextInput, style: Style) -> Style {
    if input.is_selected() {
        style.add_modifier(Modifier::REVERSED)
    } else {
        style
    }
}

/// A piece of text with one style.
pub type Piece<'a> = (std::borrow::Cow<'a, str>, Style);

/// A piece.
pub fn piece<'a>(text: impl Into<std::borrow::Cow<'a, str>>, style: Style) -> Piece<'a> {
    (text.into(), style)
}

/// Writes a text into a line, cut to `width`; gives the column behind it.
pub fn text(buffer: &mut Buffer, x: u16, y: u16, width: u16, text: &str, style: Style) -> u16 {
    let area = buffer.area;
    if y < area.top() || y >= area.bottom() || x < area.left() || x >= area.right() || width == 0 {
        return x;
    }
    let width = width.min(area.right() - x);
    let cut = truncate(text, usize::from(width));
    let (end, _) = buffer.set_stringn(x, y, cut, usize::from(width), style);
    end
}

/// Writes pieces one behind another; gives the column behind the last.
pub fn pieces(buffer: &mut Buffer, x: u16, y: u16, width: u16, pieces: &[Piece<'_>]) -> u16 {
    let end = x.saturating_add(width);
    let behind = pieces.iter().fold(x, |x, (piece, style)| {
        text(buffer, x, y, end.saturating_sub(x), piece, *style)
    });
    let all: usize = pieces.iter().map(|(piece, _)| piece.width()).sum();
    if all > usize::from(width) && width > 0 {
        // A piece that had no room at all leaves no mark of its own.
        let style = pieces
            .last()
            .map_or_else(Style::default, |(_, style)| *style);
        text(buffer, end - 1, y, 1, "…", style);
    }
    behind
}

/// Writes a text so that it ends at the right of `width`.
pub fn right(buffer: &mut Buffer, x: u16, y: u16, width: u16, string: &str, style: Style) {
    let taken = cells(string).min(width);
    text(buffer, x + (width - taken), y, taken, string, style);
}

/// Gives every cell of an area a style.
pub fn fill(buffer: &mut Buffer, area: Rect, style: Style) {
    buffer.set_style(area.intersection(buffer.area), style);
}

/// The width of a text in terminal cells.
pub fn cells(text: &str) -> u16 {
    u16::try_from(text.width()).unwrap_or(u16::MAX)
}

/// An area as the core has it.
pub const fn area(rect: Rect) -> Area {
    Area {
        x: rect.x,
        y: rect.y,
        width: rect.width,
        height: rect.height,
    }
}

/// Breaks a text into lines of at most `width` cells, at blanks where possible.
pub fn wrap(text: &str, width: u16) -> Vec<String> {
    let width = usize::from(width.max(1));
    let mut lines = Vec::new();
    for paragraph in text.lines() {
        let mut line = String::new();
        for word in paragraph.split(' ') {
            let mut word = word;
            loop {
                let gap = usize::from(!line.is_empty());
                if line.width() + gap + word.width() <= width {
                    if gap == 1 {
                        line.push(' ');
                    }
                    line.push_str(word);
                    break;
                }
                if !line.is_empty() {
                    lines.push(std::mem::take(&mut line));
                    continue;
                }
                // A word longer than a line is broken where the line ends.
                let mut taken = 0;
                let split = word
                    .char_indices()
                    .find(|(_, character)| {
                        taken += unicode_width::UnicodeWidthChar::width(*character).unwrap_or(0);
                        taken > width
                    })
                    .map_or(word.len(), |(index, _)| index.max(1));
                let split = (split..=word.len()).find(|at| word.is_char_boundary(*at));
                let (head, tail) = word.split_at(split.unwrap_or(word.len()));
                lines.push(head.to_owned());
                word = tail;
                if word.is_empty() {
                    break;
                }
            }
        }
        lines.push(line);
    }
    lines
}
