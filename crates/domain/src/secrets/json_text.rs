//! Finds members of JSON text by their names without parsing it, as it may be truncated or invalid.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr, memchr2};

use super::QUOTED;
use crate::pretty::string_end;

/// The secrets found in a text.
#[derive(Debug, Default)]
pub(super) struct Scan {
    /// The ranges of the values of secret members, of any type, in order.
    pub values: Vec<Range<usize>>,
    /// The ranges of other strings with a backslash: a secret may occur in them in another form.
    pub escaped: Vec<Range<usize>>,
}

/// Finds the values of members whose name `is_secret`, and other strings with escapes. An unfinished value
/// ends at the end of the text.
pub(super) fn scan(json: &str, is_secret: impl Fn(&str) -> bool) -> Scan {
    let bytes = json.as_bytes();
    let mut scanned = Scan::default();
    let mut at = 0;
    while let Some(quote) = bytes.get(at..).and_then(|rest| memchr(b'"', rest)) {
        let start = at + quote;
        let (end, is_escaped) = string(bytes, start);
        at = end;
        match value_after_colon(bytes, end) {
            Some(value) if is_secret(&unquoted(&json[start..end])) => {
                at = skip_value(bytes, value);
                scanned.values.push(value..at);
            }
            _ if is_escaped => scanned.escaped.push(start..end),
            _ => {}
        }
    }
    scanned
}

/// The end of the string that starts at `start`, like [`string_end`], and whether it has a backslash.
fn string(bytes: &[u8], start: usize) -> (usize, bool) {
    let rest = bytes.get(start + 1..).unwrap_or_default();
    match memchr2(b'"', b'\\', rest) {
        None => (bytes.len(), false),
        Some(length) if rest[length] == b'"' => (start + length + 2, false),
        Some(_) => (string_end(bytes, start), true),
    }
}

/// JSON text with the values of secret members, of any type except null, replaced by `"<removed>"`. The text
/// may be truncated or invalid.
pub fn without_members(json: &str, is_secret: impl Fn(&str) -> bool) -> String {
    let mut out = String::with_capacity(json.len());
    let mut copied = 0;
    for value in scan(json, is_secret).values {
        if &json[value.clone()] != "null" {
            out.push_str(&json[copied..value.start]);
            out.push_str(QUOTED);
            copied = value.end;
        }
    }
    out.push_str(&json[copied..]);
    out
}

/// Adds the texts in a JSON value to `into`, without quotes and escapes: of an object or list all texts at
/// any depth except names of members, of any other value its own text (`5` for a number).
pub(super) fn scalars<'t>(value: &'t str, into: &mut Vec<Cow<'t, str>>) {
    if !value.starts_with(['{', '[']) {
        into.push(unquoted(value));
        return;
    }
    let bytes = value.as_bytes();
    let mut at = 0;
    while let Some(quote) = bytes.get(at..).and_then(|rest| memchr(b'"', rest)) {
        let start = at + quote;
        (at, _) = string(bytes, start);
        if value_after_colon(bytes, at).is_none() {
            into.push(unquoted(&value[start..at]));
        }
    }
}

/// The content of a JSON string, also an unfinished one, without its quotes and escapes; invalid escapes
/// stay. Any other text is unchanged.
pub(super) fn unquoted(quoted: &str) -> Cow<'_, str> {
    let unquoted = quoted.strip_prefix('"').unwrap_or(quoted);
    let plain = unquoted.strip_suffix('"').unwrap_or(unquoted);
    if memchr(b'\\', plain.as_bytes()).is_none() {
        return Cow::Borrowed(plain);
    }
    serde_json::from_str(quoted).map_or(Cow::Borrowed(plain), Cow::Owned)
}

/// The position of the first byte at or after `at` that is not a blank.
fn skip_blanks(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(u8::is_ascii_whitespace) {
        at += 1;
    }
    at
}

/// The start of a member's value; `None` unless a colon follows its name.
fn value_after_colon(bytes: &[u8], name_end: usize) -> Option<usize> {
    let colon = skip_blanks(bytes, name_end);
    (bytes.get(colon) == Some(&b':')).then(|| skip_blanks(bytes, colon + 1))
}

/// The position after the value that begins at `at`; the end of the text if the value is unfinished.
fn skip_value(bytes: &[u8], at: usize) -> usize {
    let mut depth = 0_usize;
    let mut at = at;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                (at, _) = string(bytes, at);
                if depth == 0 {
                    return at;
                }
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                if depth <= 1 {
                    return at + depth;
                }
                depth -= 1;
            }
            b',' | b' ' | b'\n' | b'\r' | b'\t' if depth == 0 => return at,
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}
