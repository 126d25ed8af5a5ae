//! Untrusted text: one way in, few ways out.
//!
//! Everything from the network, a configuration file or the clipboard is [`Untrusted`]. It has no
//! `Display`; each sink has its own exit. Characters that could control a terminal, reorder a line
//! or hide are made visible (`<U+202E>`), never dropped silently.

use std::fmt::Write as _;
use std::ops::Range;

use nucleo_matcher::chars::{normalize, to_lower_case};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::format::size;

// Real scripts stack two or three; hundreds paint over the lines above and below.
/// The maximum number of combining marks on one character.
const MARKS_PER_GRAPHEME: usize = 3;

// The longest emoji and Indic letters take about thirty; a pile of marks has no end.
/// The most bytes that are read for one character of a screen.
const BYTES_PER_CHARACTER: usize = 32;

/// How much of a text the details of a record show, in bytes.
pub const DETAIL: usize = 4096;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Untrusted(Box<str>);

impl std::fmt::Debug for Untrusted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Untrusted({:?})", self.screen(64))
    }
}

impl Untrusted {
    pub fn new(text: impl Into<Box<str>>) -> Self {
        Self(text.into())
    }

    /// The text itself, for comparing and matching only.
    pub fn compared(&self) -> &str {
        &self.0
    }

    /// For one line of a screen: hostile characters visible, at most `max` terminal cells.
    pub fn screen(&self, max: usize) -> String {
        screen(&self.0, max)
    }

    /// For several lines of a screen: as [`Untrusted::screen`], line breaks kept.
    pub fn lines(&self, max_chars: usize) -> Vec<String> {
        self.0
            .lines()
            .map(|line| visible(line, max_chars))
            .collect()
    }

    /// For a log: ASCII only, one line, at most 512 characters.
    pub fn log(&self) -> String {
        ascii(&self.0, 512)
    }

    /// For a confirmation, where a look-alike letter could mislead: ASCII only.
    pub fn consent(&self) -> String {
        ascii(&self.0, 256)
    }

    /// For a CSV cell: see [`csv_text`]; never truncated.
    pub fn csv(&self) -> String {
        csv_text(&self.0)
    }

    /// As one word of a POSIX shell, quoted.
    pub fn shell(&self) -> String {
        shell_words::quote(&self.0.replace('\0', "")).into_owned()
    }
}

impl From<&str> for Untrusted {
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}

impl From<String> for Untrusted {
    fn from(text: String) -> Self {
        Self(text.into())
    }
}

/// What a spreadsheet may read as the start of a formula (OWASP ASVS 1.2.10, CWE-1236): the signs,
/// their full-width forms, and the characters that it may skip in front of them.
const FORMULA_STARTS: [char; 12] = [
    '=', '+', '-', '@', '＝', '＋', '－', '＠', '\t', '\r', '\n', '\0',
];

/// A CSV cell that neither a terminal nor a spreadsheet acts on: hostile characters are made
/// visible, and what may start a formula gets an apostrophe in front. It does not matter where the
/// output goes: a file ends up on a terminal as well. RFC 4180 quoting is the writer's job.
pub fn csv_text(text: &str) -> String {
    let shown = visible(text, usize::MAX);
    if text.starts_with(FORMULA_STARTS) {
        format!("'{shown}")
    } else {
        shown
    }
}

/// Whether a character must not reach a terminal as it is: controls, format characters (bidi, zero
/// width, tags), line and paragraph separators, private use, non-characters and letters that are
/// drawn as nothing.
pub fn is_hostile(character: char) -> bool {
    // ratatui drops control characters only: from tables, lists and titles the others would reach
    // the terminal.
    let code = character as u32;
    character.is_control()
        || matches!(code,
            0xAD | 0x34F | 0x61C | 0x6DD | 0x70F | 0x8E2 | 0x115F | 0x1160 | 0x17B4 | 0x17B5
            | 0x180B..=0x180F | 0x200B..=0x200F | 0x2028..=0x202E | 0x2060..=0x206F | 0x3164
            | 0xFE00..=0xFE0F | 0xFEFF | 0xFFA0 | 0xFFF0..=0xFFFB | 0x600..=0x605 | 0x890 | 0x891
            | 0x110BD | 0x110CD | 0x13430..=0x1345F | 0x1BCA0..=0x1BCA3 | 0x1D173..=0x1D17A
            | 0xE0000..=0xE0FFF | 0xE000..=0xF8FF | 0xF0000..=0x10_FFFF | 0xFDD0..=0xFDEF)
        || code & 0xFFFE == 0xFFFE
}

/// The beginning of a text, of at most `most` bytes, and how many bytes follow it.
pub fn beginning(text: &str, most: usize) -> (&str, usize) {
    let head = &text[..text.floor_char_boundary(most)];
    (head, text.len() - head.len())
}

/// One line of a screen: hostile characters visible, at most `max` terminal cells.
pub fn screen(text: &str, max: usize) -> String {
    truncate(&visible(text, max.saturating_mul(4)), max)
}

/// A text for the details of a record: at most [`DETAIL`] bytes of it, and how much more there is.
/// `more` bytes follow behind `text`.
pub fn detail(text: &str, more: usize) -> String {
    let (head, cut) = beginning(text, DETAIL);
    let shown = visible(head, DETAIL);
    match cut + more {
        0 => shown,
        more => format!("{shown}… {} more", size(more)),
    }
}

/// The text with hostile characters written as `<U+XXXX>` and piles of combining marks cut, at
/// most about `max_chars` characters long. However long the text is, only what is shown is read.
pub fn visible(text: &str, max_chars: usize) -> String {
    let (head, more) = beginning(text, max_chars.saturating_mul(BYTES_PER_CHARACTER));
    let mut out = String::with_capacity(head.len().min(max_chars));
    let mut written = 0;
    for grapheme in head.graphemes(true) {
        if written >= max_chars {
            out.push('…');
            return out;
        }
        written += write_visible(grapheme, max_chars - written, &mut out);
    }
    if more > 0 {
        out.push('…');
    }
    out
}

/// Writes one grapheme, at most about `most` characters of it; gives how many.
fn write_visible(grapheme: &str, most: usize, out: &mut String) -> usize {
    let (mut written, mut marks) = (0, 0);
    for (index, character) in grapheme.chars().enumerate() {
        if written >= most {
            break;
        }
        let is_mark = UnicodeWidthChar::width(character) == Some(0);
        if is_hostile(character) {
            out.push_str(&escaped(character));
            written += 8;
            continue;
        }
        if is_mark && index == 0 {
            out.push_str(&escaped(character));
        } else if !is_mark {
            out.push(character);
        } else if marks < MARKS_PER_GRAPHEME {
            marks += 1;
            out.push(character);
        } else {
            out.push_str("<+marks>");
            break;
        }
        written += 1;
    }
    written
}

fn escaped(character: char) -> String {
    format!("<U+{:04X}>", character as u32)
}

fn ascii(text: &str, max_chars: usize) -> String {
    let mut out = String::new();
    for (index, character) in text.chars().enumerate() {
        if index >= max_chars {
            out.push_str("...");
            break;
        }
        if character.is_ascii_graphic() || character == ' ' {
            out.push(character);
        } else {
            out.push_str(&escaped(character));
        }
    }
    out
}

/// Where a word stands in a text, in bytes, whatever the case and the accents; `_` also finds a blank,
/// as in the query language.
///
/// ```
/// use bourse::domain::text::occurrences;
/// assert_eq!(occurrences("RTX 4090, rtx 4090D", "rtx_4090"), [0..8, 10..18]);
/// assert_eq!(occurrences("Türkiye, TR", "turk"), [0..5]);
/// ```
pub fn occurrences(text: &str, word: &str) -> Vec<Range<usize>> {
    // Folds each character to one character, so that positions do not shift.
    let folded = |character| to_lower_case(normalize(character));
    let word: Vec<char> = word.chars().map(folded).collect();
    let text: Vec<(usize, char)> = text.char_indices().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(window) = text.get(at..at + word.len()).filter(|it| !it.is_empty()) {
        let is_here = window
            .iter()
            .zip(&word)
            .all(|((_, own), wanted)| folded(*own) == *wanted || (*wanted == '_' && *own == ' '));
        if let (true, Some((start, _)), Some((end, last))) =
            (is_here, window.first(), window.last())
        {
            found.push(*start..end + last.len_utf8());
            at += word.len();
        } else {
            at += 1;
        }
    }
    found
}

/// Truncates a text to `max` terminal cells, ending with an ellipsis if anything was cut.
pub fn truncate(text: &str, max: usize) -> String {
    // What fits beside an ellipsis, in bytes.
    let mut fitting = 0;
    let mut width = 0;
    for (at, grapheme) in text.grapheme_indices(true) {
        width += grapheme.width();
        if width > max {
            let sign = if max == 0 { "" } else { "…" };
            return format!("{}{sign}", &text[..fitting]);
        }
        if width < max {
            fitting = at + grapheme.len();
        }
    }
    text.to_owned()
}

/// JSON text whose strings hold no character that a terminal acts on: `\uXXXX` is legal JSON, so
/// nothing is lost.
pub fn json_for_terminal(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    let mut copied = 0;
    for (at, character) in json.char_indices() {
        if is_hostile(character) && !matches!(character, '\n' | '\t' | '\r') {
            out.push_str(&json[copied..at]);
            push_json_escape(character, &mut out);
            copied = at + character.len_utf8();
        }
    }
    out.push_str(&json[copied..]);
    out
}

// A screen of 200 by 50 cells is then some 60 kB, whatever a stranger's text is made of.
/// The most bytes that the text of a body takes for each cell.
const BYTES_PER_CELL: usize = 6;

/// As [`json_for_terminal`], for a screen: what would pile up in a cell is escaped as well.
pub fn json_for_screen(json: &str) -> String {
    let json = json_for_terminal(json);
    if json.is_ascii() {
        return json;
    }
    let mut out = String::with_capacity(json.len());
    for grapheme in json.graphemes(true) {
        if grapheme.len() <= BYTES_PER_CELL * grapheme.width() {
            out.push_str(grapheme);
            continue;
        }
        for (place, character) in grapheme.chars().enumerate() {
            // A mark without a letter would sit on the cell before.
            if place == 0 && UnicodeWidthChar::width(character) > Some(0) {
                out.push(character);
            } else {
                push_json_escape(character, &mut out);
            }
        }
    }
    out
}

/// Writes a character as JSON's own escape.
fn push_json_escape(character: char, out: &mut String) {
    let mut units = [0; 2];
    for unit in character.encode_utf16(&mut units) {
        let _ = write!(out, "\\u{unit:04x}"); // a String takes everything
    }
}
