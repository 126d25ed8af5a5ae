//! Hostile characters as JSON escapes: for JSON on a terminal, texts on the clipboard and in input lines.

use std::borrow::Cow;
use std::fmt::Write as _;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::{MARKS_PER_GRAPHEME, is_hostile, is_printable};

/// JSON text that is harmless on a terminal: `\uXXXX` is legal in its strings, so nothing is lost. Between its values a
/// carriage return or a tab becomes a blank.
pub fn json_for_terminal<'t>(json: impl Into<Cow<'t, str>>) -> String {
    let json = json.into();
    if is_printable(&json) {
        return json.into_owned();
    }
    let mut out = String::with_capacity(json.len());
    let (mut in_string, mut is_escaped) = (false, false);
    let mut escapes = Escapes::default();
    let mut rest = &*json;
    while let Some(character) = rest.chars().next() {
        // Most of it is plain, and nothing between two quotes or backslashes.
        let ends = |byte: &u8| !matches!(byte, b' '..=b'~') || matches!(byte, b'"' | b'\\');
        let plain = rest.bytes().position(|byte| ends(&byte)).unwrap_or(rest.len());
        if plain > 0 {
            escapes.plain(&rest[..plain], &mut out);
            is_escaped = false;
            rest = &rest[plain..];
            continue;
        }
        rest = &rest[character.len_utf8()..];
        match character {
            '\n' if !in_string => out.push('\n'),
            '\r' | '\t' if !in_string => out.push(' '),
            _ => escapes.write(character, &mut out),
        }
        if character == '"' && !is_escaped {
            in_string = !in_string;
            escapes = Escapes::default();
        }
        is_escaped = in_string && character == '\\' && !is_escaped;
    }
    out
}

/// The maximum number of bytes of a body's text per cell.
///
/// A screen of 200 by 50 cells then needs some 60 kB, whatever a server's text is made of.
const BYTES_PER_CELL: usize = 6;

/// The JSON text for a screen: hostile characters as JSON escapes, and combining marks that would pile up in
/// a cell as well.
pub fn json_for_screen(json: String) -> String {
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
        for (index, character) in grapheme.chars().enumerate() {
            // A mark without a letter would sit on the cell before.
            if index == 0 && character.width() > Some(0) {
                out.push(character);
            } else {
                push_json_escape(character, &mut out);
            }
        }
    }
    out
}

/// Writes a character as a JSON escape, `\u202e`; two of them beyond the first 65,536 characters.
fn push_json_escape(character: char, out: &mut String) {
    let mut units = [0; 2];
    for unit in character.encode_utf16(&mut units) {
        let _ = write!(out, "\\u{unit:04x}"); // a String takes everything
    }
}

/// The text with JSON escapes for hostile characters and with line feeds preserved: for the clipboard.
pub fn clipboard(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut escapes = Escapes::default();
    for character in text.chars() {
        match character {
            '\n' => out.push('\n'),
            _ => escapes.write(character, &mut out),
        }
    }
    out
}

/// The text with JSON escapes for hostile characters, and for a backslash that would begin one. [`unescaped`] reverses
/// it.
pub fn with_escapes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut escapes = Escapes::default();
    for character in text.replace("\\u", "\\u005cu").chars() {
        escapes.write(character, &mut out);
    }
    out
}

/// Reverses `with_escapes`: escapes of characters that need none, and other backslashes, stay.
pub fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("\\u") {
        out.push_str(before);
        if let Some((character, length)) = unit_escape(behind) {
            out.push(character);
            rest = &behind[length..];
        } else {
            out.push_str("\\u");
            rest = behind;
        }
    }
    out + rest
}

/// The escaped character after a `\u`, and the length of its escape without that `\u`; `None` if it is
/// malformed or the character needs no escape.
fn unit_escape(text: &str) -> Option<(char, usize)> {
    let unit = |text: &str| {
        let digits = text.get(..4)?;
        let is_number = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_number.then(|| u16::from_str_radix(digits, 16).ok())?
    };
    let first = unit(text)?;
    let second = text.get(4..).and_then(|rest| unit(rest.strip_prefix("\\u")?));
    let (character, length) = match char::decode_utf16([first]).next()? {
        Ok(character) => (character, 4),
        Err(_) => (char::decode_utf16([first, second?]).next()?.ok()?, 10),
    };
    (character == '\\' || is_hostile(character) || character.width() == Some(0)).then_some((character, length))
}

/// Writes hostile characters as JSON escapes, and combining marks that have no base letter or pile up.
#[derive(Default)]
struct Escapes {
    /// The number of combining marks that the last character may still carry unescaped.
    room: usize,
}

impl Escapes {
    /// Writes printable ASCII text unchanged; the next character may carry marks.
    fn plain(&mut self, text: &str, out: &mut String) {
        self.room = MARKS_PER_GRAPHEME;
        out.push_str(text);
    }

    /// Writes a character, as a JSON escape if it is hostile or a combining mark too many.
    fn write(&mut self, character: char, out: &mut String) {
        let is_mark = !character.is_ascii() && character.width() == Some(0);
        if is_hostile(character) || (is_mark && self.room == 0) {
            self.room = 0;
            push_json_escape(character, out);
            return;
        }
        self.room = if is_mark { self.room - 1 } else { MARKS_PER_GRAPHEME };
        out.push(character);
    }
}
