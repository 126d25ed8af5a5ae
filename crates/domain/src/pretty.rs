//! Lays out JSON for reading without parsing it: numbers, repeated members and their order are preserved, and truncated
//! text is laid out as far as it goes.

use memchr::memchr2;
use serde::de::IgnoredAny;

use super::text::{beginning, json_for_screen, json_for_terminal, visible};

/// The maximum length in bytes of an object or array on one line; nested ones always span lines.
const LONGEST_INLINE: usize = 60;

/// The maximum depth of indentation, which deeper levels share.
const DEEPEST: u32 = 16;

/// The maximum length of a line of a [`JsonText`], in bytes.
///
/// Longer strings continue in the next line, so that however long a text is, a screen lays out only the part it shows.
/// One line fits a small screen.
const TEXT_LINE: usize = 512;

/// The maximum length of a line of a body, in bytes, for the same reason; it is read row by row.
const BODY_LINE: usize = 4096;

/// A JSON text and the positions of its lines, which are formatted when they are shown.
#[derive(Debug, Default)]
pub struct JsonText {
    text: String,
    lines: Vec<JsonLine>,
}

/// A line of laid-out JSON, as a range of the text.
#[derive(Debug, Clone, Copy)]
struct JsonLine {
    start: usize,
    end: usize,
    depth: u32,
    /// Whether it begins within a string that the line before began.
    goes_on: bool,
    /// Whether it ends within a string.
    is_cut: bool,
}

impl JsonText {
    /// Finds the lines of a JSON text; they are formatted when they are read.
    pub fn new(text: String) -> Self {
        let lines = lay_out(&text, TEXT_LINE);
        Self { text, lines }
    }

    /// The number of lines, at least one unless it is the default.
    pub const fn len(&self) -> usize {
        self.lines.len()
    }

    /// Whether it has no lines; only the default has none.
    pub const fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// A formatted line, indented by two blanks per level; small objects such as `{"eq": true}` are on one line. Empty
    /// beyond the last.
    pub fn line(&self, line: usize) -> String {
        self.lines
            .get(line)
            .map_or_else(String::new, |line| written(&self.text, line))
    }

    /// The continuation of a line that ends within a string: the next line without its indent. `None` for other lines.
    pub fn rest(&self, line: usize) -> Option<String> {
        let is_cut = self.lines.get(line)?.is_cut;
        is_cut.then(|| self.line(line + 1).trim_start().to_owned())
    }

    /// For each line that opens an object or list, the index of the line that closes it; `None` for other
    /// lines, and if it is not closed.
    pub fn ends(&self) -> Vec<Option<usize>> {
        let bytes = self.text.as_bytes();
        let mut ends = vec![None; self.lines.len()];
        let mut open: Vec<usize> = Vec::new();
        for (index, line) in self.lines.iter().enumerate() {
            let first = bytes.get(line.start).filter(|_| !line.goes_on);
            if matches!(first, Some(b'}' | b']')) {
                let start = open.pop();
                if let Some(start) = start.filter(|start| self.lines[*start].depth == line.depth) {
                    ends[start] = Some(index);
                }
            }
            let last = line.end.checked_sub(1).map(|last| bytes[last]);
            if matches!(last, Some(b'{' | b'[')) && !line.is_cut {
                open.push(index);
            }
        }
        ends
    }
}

/// Lays out a JSON text as indented lines of at most about 4 KB, with small flat objects on one line each;
/// the text may be invalid or truncated.
pub fn json_lines(text: &str) -> Vec<String> {
    let lines = lay_out(text, BODY_LINE);
    lines.iter().map(|line| written(text, line)).collect()
}

/// Formats a response body as lines for a screen, of at most about 4 KB each; `is_cut` is whether it is
/// truncated. None for an empty body.
///
/// JSON is laid out, with control characters as JSON escapes; any other text is split into lines, with
/// control characters made visible.
pub fn body_lines(text: &str, is_cut: bool) -> Vec<String> {
    if is_json(text, is_cut) {
        return json_lines(&json_for_terminal(text));
    }
    let mut lines = Vec::new();
    for mut rest in text.lines() {
        loop {
            let (head, more) = beginning(rest, BODY_LINE);
            lines.push(visible(head, usize::MAX));
            if more == 0 {
                break;
            }
            rest = &rest[head.len()..];
        }
    }
    lines
}

/// Divides a JSON text into lines of at most about `longest` bytes; an empty text has one empty line.
fn lay_out(text: &str, longest: usize) -> Vec<JsonLine> {
    let mut lines = Lines {
        text,
        longest,
        done: Vec::new(),
        start: None,
        depth: 0,
        goes_on: false,
    };
    let bytes = text.as_bytes();
    let mut depth = 0_u32;
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b' ' | b'\t' | b'\n' | b'\r' => {
                at += 1;
                continue;
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                lines.end(at, false);
            }
            _ => {}
        }
        lines.begin(at, depth);
        at = match bytes[at] {
            b'{' | b'[' => inline_end(bytes, at).unwrap_or_else(|| {
                depth = depth.saturating_add(1);
                lines.end(at + 1, false);
                at + 1
            }),
            b',' => {
                lines.end(at + 1, false);
                at + 1
            }
            b'"' => lines.string(at),
            // Anything else is ASCII in valid JSON, and copied unchanged in invalid JSON.
            _ => text.ceil_char_boundary(at + 1),
        };
        if lines.is_full(at) {
            lines.end(at, false);
        }
    }
    lines.end(bytes.len(), false);
    if lines.done.is_empty() {
        lines.begin(0, 0);
        lines.end(0, false);
    }
    lines.done
}

/// The finished lines, and the start of the current one.
struct Lines<'t> {
    text: &'t str,
    longest: usize,
    done: Vec<JsonLine>,
    start: Option<usize>,
    depth: u32,
    goes_on: bool,
}

impl Lines<'_> {
    /// Begins a line at byte `at` with indentation `depth`, unless a line is open.
    const fn begin(&mut self, at: usize, depth: u32) {
        if self.start.is_none() {
            self.start = Some(at);
            self.depth = depth;
        }
    }

    /// Ends the open line before byte `end`, if there is one; `is_cut` marks it as ending within a string.
    fn end(&mut self, end: usize, is_cut: bool) {
        if let Some(start) = self.start.take() {
            self.done.push(JsonLine {
                start,
                end,
                depth: self.depth,
                goes_on: std::mem::replace(&mut self.goes_on, is_cut),
                is_cut,
            });
        }
    }

    /// Whether the open line is at least `longest` bytes long at `at`.
    fn is_full(&self, at: usize) -> bool {
        self.start.is_some_and(|start| at - start >= self.longest)
    }

    /// Adds the string that opens at `at`, over several lines if it is long; returns the position after its
    /// closing quote.
    fn string(&mut self, at: usize) -> usize {
        let bytes = self.text.as_bytes();
        let mut at = at + 1;
        while at < bytes.len() {
            // Between two characters, and not within an escape.
            if self.is_full(at) && self.text.is_char_boundary(at) {
                self.end(at, true);
                self.begin(at, self.depth);
            }
            let full = self.start.map_or(bytes.len(), |start| start + self.longest);
            let part = &bytes[at..full.max(at + 1).min(bytes.len())];
            match memchr2(b'"', b'\\', part) {
                Some(length) if part[length] == b'"' => return at + length + 1,
                Some(length) => at += length + 2,
                None => at += part.len(),
            }
        }
        self.text.ceil_char_boundary(at.min(bytes.len()))
    }
}

/// Formats one line of the text: indented by two blanks per level, with hostile characters as JSON escapes.
fn written(text: &str, line: &JsonLine) -> String {
    let indent = line.depth.min(DEEPEST) + u32::from(line.goes_on);
    // Room for the blanks behind colons too: a search writes hundreds of thousands of lines.
    let mut out = String::with_capacity(line.end - line.start + 2 * indent as usize + 8);
    out.extend((0..indent).map(|_| "  "));
    let mut at = line.start;
    if line.goes_on && at > 0 {
        let end = string_end(&text.as_bytes()[..line.end], at - 1);
        out.push_str(&text[at..end]);
        at = end;
    }
    inline(&text[at..line.end], &mut out);
    if !line.is_cut && out.ends_with(", ") {
        out.pop();
    }
    json_for_screen(out)
}

/// Whether a body is a valid JSON object or list, or starts like one and is truncated (`is_cut`).
pub fn is_json(text: &str, is_cut: bool) -> bool {
    let begins = text.trim_start_matches('\u{feff}').trim_start();
    begins.starts_with(['{', '[']) && (is_cut || serde_json::from_str::<IgnoredAny>(begins).is_ok())
}

/// The end of the object or array that starts at `at`; `None` unless it is complete, flat and at most 60
/// bytes long.
fn inline_end(bytes: &[u8], at: usize) -> Option<usize> {
    let close = if bytes[at] == b'{' { b'}' } else { b']' };
    let mut next = at + 1;
    while next < bytes.len() && next - at < LONGEST_INLINE {
        match bytes[next] {
            b'"' => next = string_end(bytes, next),
            byte if byte == close => return Some(next + 1),
            b'{' | b'[' | b'}' | b']' => return None,
            _ => next += 1,
        }
    }
    None
}

/// Appends JSON to `line` without its blanks outside of strings, and with one after each comma and colon.
fn inline(text: &str, line: &mut String) {
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let first = rest.chars().next().unwrap_or_default();
        let end = match first {
            '"' => string_end(text.as_bytes(), at),
            _ => at + first.len_utf8(),
        };
        match first {
            ' ' | '\t' | '\n' | '\r' => {}
            ',' => line.push_str(", "),
            ':' => line.push_str(": "),
            _ => line.push_str(&text[at..end]),
        }
        at = end;
    }
}

/// The position after the closing quote of the string that starts at `at`; the end of the text if it has
/// none.
pub fn string_end(bytes: &[u8], at: usize) -> usize {
    let mut at = at + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::{JsonText, json_lines};

    #[test]
    fn json_is_laid_out_and_nothing_of_it_changes() {
        let text = r#"{"a":[1.50,{"b":"x, {y}\" é"}],"a":{},"c":[ ],"d":1e2}"#;
        assert_eq!(
            json_lines(text),
            [
                "{",
                r#"  "a": ["#,
                "    1.50,",
                r#"    {"b": "x, {y}\" é"}"#,
                "  ],",
                r#"  "a": {},"#,
                r#"  "c": [],"#,
                r#"  "d": 1e2"#,
                "}",
            ]
        );
        let long = format!(r#"{{"a":"{}","b":1}}"#, "é".repeat(40));
        assert_eq!(json_lines(&long).len(), 4);
        assert_eq!(
            json_lines(r#"{"order":[["score","desc"]],"verified":{"eq":true}}"#),
            [
                "{",
                r#"  "order": ["#,
                r#"    ["score", "desc"]"#,
                "  ],",
                r#"  "verified": {"eq": true}"#,
                "}",
            ]
        );
    }

    #[test]
    fn a_text_that_breaks_off_is_laid_out_as_far_as_it_goes() {
        assert_eq!(json_lines(r#"{"a":[1,"x"#), ["{", r#"  "a": ["#, "    1,", "    \"x"]);
        assert_eq!(json_lines(r#"{"a":"\"#), ["{", r#"  "a": "\"#]);
        assert_eq!(json_lines("}}]é"), ["}", "}", "]é"]);
        assert_eq!(json_lines(""), [""]);
        assert_eq!(json_lines(&"[".repeat(100_000)).len(), 100_000);
    }

    #[test]
    fn a_long_string_goes_on_in_lines_that_fit_a_screen() {
        let long = r#"é\"{, "#.repeat(1000);
        let text = format!(r#"{{"a":"{long}","b":[{{}},1]}}"#);
        let text = JsonText::new(text);
        let lines: Vec<String> = (0..text.len()).map(|index| text.line(index)).collect();
        assert!(lines.iter().all(|line| line.len() <= 520));
        assert_eq!(&lines[lines.len() - 5..][..3], [r#"  "b": ["#, "    {},", "    1"]);
        // Nothing is lost, and only the indent is added.
        let whole: String = lines[1..lines.len() - 5]
            .iter()
            .enumerate()
            .map(|(index, line)| &line[if index == 0 { 2 } else { 4 }..])
            .collect();
        assert_eq!(whole, format!(r#""a": "{long}","#));
    }

    #[test]
    fn piled_marks_are_written_as_escapes() {
        let text = format!("[\"Ze\u{301}{}\"]", "\u{301}".repeat(20));
        let pile = "\\u0301".repeat(20);
        let shown = json_lines(&text).concat();
        assert!(shown.contains("Ze") && shown.contains(&pile), "{shown}");
    }
}
