//! JSON laid out for reading, without reading it: numbers, repeated members and their order stay as
//! they came, and a text that breaks off is laid out as far as it goes.

/// The deepest level that is indented: what nests deeper stands under it.
const DEEPEST: usize = 16;

/// The lines of a JSON text, two blanks a level.
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
                line.push(char::from(open));
                let close = if open == b'{' { b'}' } else { b']' };
                let next = at + 1 + blanks(&bytes[at + 1..]);
                if bytes.get(next) == Some(&close) {
                    line.push(char::from(close));
                    at = next + 1;
                    continue;
                }
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
            // A string is one piece; anything else is ASCII in sound JSON, and taken as it is in other.
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

/// Ends a line and begins the next one.
fn turn(lines: &mut Vec<String>, line: &mut String, depth: usize) {
    let next = "  ".repeat(depth.min(DEEPEST));
    let ended = std::mem::replace(line, next);
    if !ended.trim().is_empty() {
        lines.push(ended);
    }
}

/// How many blanks a text begins with.
fn blanks(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .take_while(|byte| byte.is_ascii_whitespace())
        .count()
}

/// The end of the string that opens at `at`, behind its closing quote.
fn string_end(bytes: &[u8], at: usize) -> usize {
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
                "    {",
                r#"      "b": "x, {y}\" é""#,
                "    }",
                "  ],",
                r#"  "a": {},"#,
                r#"  "c": [],"#,
                r#"  "d": 1e2"#,
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
