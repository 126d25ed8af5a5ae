//! Untrusted text: one way in, few ways out.
//!
//! Texts from the network, a configuration file or the clipboard are [`Untrusted`], which has no `Display`: each output
//! has its own escaping. Raw JSON goes through [`json_for_terminal`] instead. Characters that could control a terminal,
//! reorder a line or hide are made visible (`<U+202E>`), never dropped silently.

use std::fmt::Write as _;
use std::ops::Range;

use nucleo_matcher::chars::{normalize, to_lower_case};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::format::size;

mod escapes;

pub use escapes::{clipboard, json_for_screen, json_for_terminal, unescaped, with_escapes};

/// The maximum number of combining marks on one character.
///
/// Real scripts stack two or three; hundreds paint over the lines above and below.
const MARKS_PER_GRAPHEME: usize = 3;

/// The maximum length of a cell's symbol, in bytes.
///
/// Eight characters of four bytes: a letter with its marks, a flag, an emoji with a skin tone.
const LONGEST_SYMBOL: usize = 32;

/// The maximum number of bytes read for one character of a screen.
///
/// The longest emoji and Indic letters take about thirty; a pile of marks has no end.
const BYTES_PER_CHARACTER: usize = 32;

/// The maximum length of a text in the details of a record, in bytes.
pub const DETAIL: usize = 4096;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Untrusted(Box<str>);

impl std::fmt::Debug for Untrusted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Untrusted({:?})", self.screen(64))
    }
}

impl Untrusted {
    /// Wraps a text unchanged; it is escaped when it is shown.
    pub fn new(text: impl Into<Box<str>>) -> Self {
        Self(text.into())
    }

    /// The unescaped text, only to compare and match.
    pub fn unescaped(&self) -> &str {
        &self.0
    }

    /// The text for one line of a screen: hostile characters visible, at most `max` terminal cells, the last
    /// an ellipsis if anything was cut.
    pub fn screen(&self, max: usize) -> String {
        screen(&self.0, max)
    }

    /// The text for a log, in one line: at most 512 characters of it, then `...`, all but printable ASCII as
    /// `<U+XXXX>`.
    pub fn log(&self) -> String {
        ascii(&self.0, 512)
    }

    /// The text for a confirmation, where a look-alike letter could mislead: at most 256 characters of it,
    /// then `...`, all but printable ASCII as `<U+XXXX>`.
    pub fn for_confirmation(&self) -> String {
        ascii(&self.0, 256)
    }

    /// The text for a CSV cell, never truncated: hostile characters visible, and an apostrophe before
    /// anything that a spreadsheet may take for a formula.
    pub fn csv(&self) -> String {
        csv_text(&self.0)
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

/// Signs that a spreadsheet may read as the beginning of a formula (OWASP ASVS 1.2.10, CWE-1236), and their full-width
/// forms.
const FORMULA_SIGNS: [char; 8] = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];

/// Characters that a spreadsheet may skip before a sign.
const SKIPPED: [char; 4] = ['\t', '\r', '\n', '\0'];

/// A CSV cell that is harmless in a terminal and in a spreadsheet.
///
/// Hostile characters are written visibly, and an apostrophe precedes a possible formula, also after quotes and
/// separators: programs disagree on the end of a cell. The destination does not matter: a file ends up on a terminal as
/// well. RFC 4180 quoting is left to the CSV writer.
pub fn csv_text(text: &str) -> String {
    let shown = visible(text, usize::MAX);
    let mut out = String::with_capacity(shown.len());
    if text.starts_with(SKIPPED) {
        out.push('\'');
    }
    let mut may_begin = true;
    for character in shown.chars() {
        if may_begin && FORMULA_SIGNS.contains(&character) {
            out.push('\'');
        }
        may_begin = matches!(character, ',' | ';' | '|' | '"' | '\'') || (may_begin && character.is_whitespace());
        out.push(character);
    }
    out
}

/// Whether a character must not reach a terminal unescaped: controls, format characters (bidi, zero width, tags), line
/// and paragraph separators, private use, non-characters and letters that are drawn as nothing.
pub fn is_hostile(character: char) -> bool {
    // ratatui drops control characters only: from tables, lists and titles the others would reach
    // the terminal.
    let code = character as u32;
    character.is_control()
        || matches!(code,
            0xAD | 0x34F | 0x61C | 0x6DD | 0x70F | 0x8E2 | 0x115F | 0x1160 | 0x17B4 | 0x17B5
            | 0x180B..=0x180F | 0x200B..=0x200F | 0x2028..=0x202E | 0x2060..=0x206F | 0x3164
            | 0xFE00..=0xFE0F | 0xFEFF | 0xFFA0 | 0xFFF0..=0xFFFB | 0x600..=0x605 | 0x890 | 0x891
            | 0x110BD | 0x110CD | 0x13430..=0x1343F | 0x1BCA0..=0x1BCA3 | 0x1D173..=0x1D17A
            | 0xE0000..=0xE0FFF | 0xE000..=0xF8FF | 0xF0000..=0x10_FFFF | 0xFDD0..=0xFDEF)
        || code & 0xFFFE == 0xFFFE
}

/// The beginning of a text, of at most `most` bytes, and the number of remaining bytes.
pub fn beginning(text: &str, most: usize) -> (&str, usize) {
    let head = &text[..text.floor_char_boundary(most)];
    (head, text.len() - head.len())
}

/// One line of a screen: hostile characters visible, at most `max` terminal cells, the last an ellipsis if
/// anything was cut.
pub fn screen(text: &str, max: usize) -> String {
    // The usual case.
    if text.len() <= max && is_printable(text) {
        return text.to_owned();
    }
    // A cell holds a letter and its marks, at most one character of BYTES_PER_CHARACTER.
    let (head, more) = beginning(text, max.saturating_mul(BYTES_PER_CHARACTER));
    let mut shown = visible(head, max.saturating_mul(1 + MARKS_PER_GRAPHEME));
    if more > 0 && !shown.ends_with('…') {
        shown.push('…');
    }
    truncate(&shown, max)
}

/// A text for the details of a record: at most 4,096 bytes of it with hostile characters visible, and the
/// size of the rest.
///
/// `more` bytes follow after `text`.
pub fn detail(text: &str, more: usize) -> String {
    let (head, cut) = beginning(text, DETAIL);
    let shown = visible(head, DETAIL);
    match cut + more {
        0 => shown,
        more => format!("{shown}… {} more", size(more)),
    }
}

/// Whether a text is certainly shown unchanged: it has neither hostile characters nor any without a width of
/// their own, such as combining marks.
pub fn is_visible(text: &str) -> bool {
    is_printable(text)
        || !text
            .chars()
            .any(|character| is_hostile(character) || character.width() == Some(0))
}

/// Whether a text is printable ASCII, without line feeds. Compares many bytes at a time.
fn is_printable(text: &str) -> bool {
    let are_printable = |bytes: &[u8]| bytes.iter().fold(true, |all, byte| all & matches!(byte, b' '..=b'~'));
    text.as_bytes().chunks(64).all(are_printable)
}

/// The text with hostile characters written as `<U+XXXX>` and piles of combining marks counted instead of drawn, at
/// most about `max_chars` characters long.
///
/// Only the shown part is read, however long the text is.
pub fn visible(text: &str, max_chars: usize) -> String {
    if text.len() <= max_chars && (is_printable(text) || text.chars().all(is_plain)) {
        return text.to_owned();
    }
    let (head, more) = beginning(text, max_chars.saturating_mul(BYTES_PER_CHARACTER));
    let mut out = String::with_capacity(head.len().min(max_chars));
    let mut written = 0;
    for grapheme in head.graphemes(true) {
        if written >= max_chars {
            out.push('…');
            return out;
        }
        let Some(more) = write_visible(grapheme, &mut out, max_chars - written) else {
            out.push('…');
            return out;
        };
        written += more;
    }
    if more > 0 {
        out.push('…');
    }
    out
}

/// Whether a character is always shown unchanged, regardless of its neighbours: a letter or sign of the Latin scripts,
/// one cell wide.
const fn is_plain(character: char) -> bool {
    matches!(character, ' '..='~' | '\u{a1}'..='\u{ac}' | '\u{ae}'..='\u{24f}')
}

/// Writes a grapheme as `visible` shows it, at most about `most` characters of it; returns the number
/// written, `None` if it has more.
fn write_visible(grapheme: &str, out: &mut String, most: usize) -> Option<usize> {
    let (mut written, mut marks) = (0, 0);
    // A mark needs a base letter.
    let mut has_base = false;
    for character in grapheme.chars() {
        if written >= most {
            return None;
        }
        let is_mark = character.width() == Some(0);
        if is_hostile(character) || (is_mark && !has_base) {
            write_pile(marks, out);
            out.push_str(&escaped(character));
            (written, marks, has_base) = (written + 8, 0, false);
            continue;
        }
        if is_mark {
            marks += 1;
        } else {
            write_pile(marks, out);
            (marks, has_base) = (0, true);
        }
        if marks <= MARKS_PER_GRAPHEME {
            out.push(character);
            written += 1;
        }
    }
    write_pile(marks, out);
    Some(written)
}

/// Writes the number of omitted combining marks as `<+5 marks>`; nothing if `marks`, their whole number, is
/// at most 3.
fn write_pile(marks: usize, out: &mut String) {
    if let Some(more) = marks.checked_sub(MARKS_PER_GRAPHEME).filter(|more| *more > 0) {
        let _ = write!(out, "<+{more} marks>"); // a String takes everything
    }
}

/// The text with hostile characters visible, of any length and with line feeds preserved: for texts that
/// bourse has split into lines.
pub fn visible_lines(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            out.push('\n');
        }
        if is_printable(line) {
            out.push_str(line);
        } else {
            out.push_str(&visible(line, usize::MAX));
        }
    }
    out
}

/// The replacement of the user and password of an address.
const REMOVED: &str = "<removed>";

/// A message for standard error or a notice: hostile characters visible, line feeds preserved, and without
/// the user and password of any address in it.
pub fn message(text: &str) -> String {
    visible_lines(&without_user_info(text))
}

/// The text with the user and password of its addresses replaced by `<removed>`.
fn without_user_info(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("//") {
        out.push_str(before);
        out.push_str("//");
        let word = behind.split(|end: char| end.is_whitespace() || "\"'`<>".contains(end));
        let address = word.into_iter().next().unwrap_or_default();
        // Also after a slash: a password that should have been encoded may contain one.
        rest = match address.rfind('@') {
            Some(at) => {
                out.push_str(REMOVED);
                &behind[at..]
            }
            None => behind,
        };
    }
    out + rest
}

/// Whether a cell of a screen can show the symbol unescaped: at most 32 bytes without hostile characters.
pub fn is_drawable(symbol: &str) -> bool {
    match symbol.as_bytes() {
        [byte] => matches!(byte, b' '..=b'~'),
        // Lines and blocks, of which every frame has a thousand: U+2500 to U+25BF.
        [0xE2, 0x94..=0x96, _] => true,
        bytes => bytes.len() <= LONGEST_SYMBOL && !symbol.contains(is_hostile),
    }
}

/// A character as `<U+202E>`, with its code in hexadecimal.
fn escaped(character: char) -> String {
    format!("<U+{:04X}>", character as u32)
}

/// The text with all but printable ASCII written as `<U+XXXX>`; after `max_chars` characters of the text
/// follows `...`.
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

/// The ranges of a word in a text, in bytes, ignoring case and accents; `_` also matches a blank, as in the
/// query language. They do not overlap; there are none of an empty word.
///
/// ```
/// use bourse_domain::text::occurrences;
/// assert_eq!(occurrences("RTX 4090, rtx 4090D", "rtx_4090"), [0..8, 10..18]);
/// assert_eq!(occurrences("Türkiye, TR", "turk"), [0..5]);
/// ```
pub fn occurrences(text: &str, word: &str) -> Vec<Range<usize>> {
    // Each character is folded to one, so that positions do not shift.
    let word: Vec<char> = word.chars().map(fold).collect();
    let text: Vec<(usize, char)> = text.char_indices().collect();
    let mut ranges = Vec::new();
    let mut at = 0;
    while let Some(window) = text.get(at..at + word.len()).filter(|window| !window.is_empty()) {
        let is_here = window
            .iter()
            .zip(&word)
            .all(|((_, letter), wanted)| fold(*letter) == *wanted || (*wanted == '_' && *letter == ' '));
        if let (true, Some((start, _)), Some((end, last))) = (is_here, window.first(), window.last()) {
            ranges.push(*start..end + last.len_utf8());
            at += word.len();
        } else {
            at += 1;
        }
    }
    ranges
}

/// A character in lower case and without its accent, for searches.
fn fold(character: char) -> char {
    to_lower_case(normalize(character))
}

/// The width in terminal cells of a text that is shown as it is, without escapes.
pub fn width(text: &str) -> usize {
    if is_printable(text) { text.len() } else { text.width() }
}

/// Truncates a text to `max` terminal cells, the last an ellipsis if anything was cut; to nothing for 0.
pub fn truncate(text: &str, max: usize) -> String {
    if text.len() <= max && is_printable(text) {
        return text.to_owned();
    }
    // The length that fits beside an ellipsis, in bytes.
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
