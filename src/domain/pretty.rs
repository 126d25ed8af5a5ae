//! JSON laid out for reading without parsing it: numbers, repeated members and their order are
//! kept, and truncated text is laid out as far as it goes.

use serde::de::IgnoredAny;

use super::text::{json_for_terminal, visible};

/// The maximum length in bytes of an object or array on one line; nested ones always span lines.
const LONGEST_INLINE: usize = 60;

/// The maximum depth of indentation: deeper levels share it.
const DEEPEST: usize = 16;

/// The lines of a JSON text, two blanks per level; small things such as `{"eq": true}` on one line.
pub fn json(text: &str) -> Vec<String> {
    let bytes = text.as_bytes();
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut depth = 0_usize;
    let mut at = 0;
    while at < bytes.len() {
        let end = match bytes[at] {
            b'"' => string_end(bytes, at),
            _ => at + 1,
        };
        match bytes[at] {
            b' ' | b'\t' | b'\n' | b'\r' => {}
            open @ (b'{' | b'[') => {
                if let Some(end) = small(bytes, at) {
                    inline(&text[at..end], &mut line);
                    at = end;
                    continue;
                }
                line.push(char::from(open));
                depth += 1;
                turn(&mut lines, &mut line, depth);
            }
            close @ (b'}' | b']') => {
                depth = depth.saturating_sub(1);
                turn(&mut lines, &mut line, depth);
                line.push(char::from(close));
            }
            b',' => {
                line.push(',');
                turn(&mut lines, &mut line, depth);
            }
            b':' => line.push_str(": "),
            // A string is one piece; anything else is ASCII in valid JSON, and taken as it is
            // otherwise.
            _ => {
                let end = (end..=text.len())
                    .find(|end| text.is_char_boundary(*end))
                    .unwrap_or(text.len());
                line.push_str(&text[at..end]);
                at = end;
                continue;
            }
        }
        at = end;
    }
    if !line.trim().is_empty() || lines.is_empty() {
        lines.push(line);
    }
    lines
}

/// A body as lines for a screen: JSON laid out, with control characters as JSON escapes; any other
/// text line by line, with control characters made visible. `is_cut` says that the body is
/// truncated.
pub fn body(text: &str, is_cut: bool) -> Vec<String> {
    if is_json(text, is_cut) {
        let lines = json(&json_for_terminal(text)).into_iter();
        return lines.map(|line| visible(&line, usize::MAX)).collect();
    }
    text.lines().map(|line| visible(line, usize::MAX)).collect()
}

/// Whether a body is JSON, or starts like it and is truncated.
pub fn is_json(text: &str, is_cut: bool) -> bool {
    let begins = text.trim_start_matches('\u{feff}').trim_start();
    begins.starts_with(['{', '[']) && (is_cut || serde_json::from_str::<IgnoredAny>(begins).is_ok())
}

/// Ends a line and starts the next one.
fn turn(lines: &mut Vec<String>, line: &mut String, depth: usize) {
    let next = "  ".repeat(depth.min(DEEPEST));
    let ended = std::mem::replace(line, next);
    if !ended.trim().is_empty() {
        lines.push(ended);
    }
}

/// The end of the object or array that starts at `at`, if it is small and holds no other.
fn small(bytes: &[u8], at: usize) -> Option<usize> {
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

/// Writes a small object or array on one line.
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

/// The end of the string that starts at `at`, after its closing quote.
pub(crate) fn string_end(bytes: &[u8], at: usize) -> usize {
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
    use super::json;

    #[test]
    fn json_is_laid_out_and_nothing_of_it_changes() {
        let text = r#"{"a":[1.50,{"b":"x, {y}\" é"}],"a":{},"c":[ ],"d":1e2}"#;
        assert_eq!(
            json(text),
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
        assert_eq!(json(&long).len(), 4);
        assert_eq!(
            json(r#"{"order":[["score","desc"]],"verified":{"eq":true}}"#),
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
        assert_eq!(
            json(r#"{"a":[1,"x"#),
            ["{", r#"  "a": ["#, "    1,", "    \"x"]
        );
        assert_eq!(json(r#"{"a":"\"#), ["{", r#"  "a": "\"#]);
        assert_eq!(json("}}]é"), ["}", "}", "]é"]);
        assert_eq!(json(""), [""]);
        assert_eq!(json(&"[".repeat(100_000)).len(), 100_000);
    }
}
