//! Colours JSON: converts one line of laid-out JSON to spans.

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::theme::Theme;
use bourse_domain::pretty::string_end;

/// Colours a line of JSON: names, texts, numbers and literals.
///
/// A line that is not JSON, or only part of it, keeps all its characters.
pub fn paint(line: &Line<'static>, theme: &Theme) -> Line<'static> {
    let text = line.to_string();
    let mut spans = Vec::new();
    let mut rest = text.as_str();
    while let Some(first) = rest.chars().next() {
        let (length, style) = token(rest, first, theme);
        let (token, behind) = rest.split_at(length);
        spans.push(Span::styled(token.to_owned(), style));
        rest = behind;
    }
    Line::from(spans).style(line.style)
}

/// The length in bytes of the token at the start of `text`, whose first character is `first`, and its style.
fn token(text: &str, first: char, theme: &Theme) -> (usize, Style) {
    let until = |ends: fn(char) -> bool| text.find(ends).unwrap_or(text.len());
    match first {
        '"' => {
            let length = string_end(text.as_bytes(), 0);
            let is_name = text[length..].trim_start().starts_with(':');
            let [name, value, ..] = theme.series;
            (length, if is_name { name } else { value })
        }
        '-' | '0'..='9' => {
            let length = until(|letter| !matches!(letter, '-' | '+' | '.' | 'e' | 'E' | '0'..='9'));
            (length.max(1), theme.series[2])
        }
        letter if letter.is_alphabetic() => (until(|letter| !letter.is_alphanumeric()), theme.series[3]),
        letter if is_plain(letter) => {
            let length = until(|letter| !is_plain(letter));
            (length, theme.dim)
        }
        letter => (letter.len_utf8(), theme.text),
    }
}

/// Whether it is a blank or punctuation of JSON.
const fn is_plain(letter: char) -> bool {
    matches!(letter, ' ' | '{' | '}' | '[' | ']' | ',' | ':')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_texts_numbers_and_words_differ_and_nothing_is_lost() {
        let theme = &Theme::DARK;
        let text = r#"  "a\"b": ["x: é", -1.5e3, true],"#;
        let line = paint(&Line::from(text), theme);
        assert_eq!(line.to_string(), text);
        let style = |of: &str| {
            let span = line.spans.iter().find(|span| span.content == of);
            span.map(|span| span.style)
        };
        assert_eq!(style(r#""a\"b""#), Some(theme.series[0]));
        assert_eq!(style(r#""x: é""#), Some(theme.series[1]));
        assert_eq!(style("-1.5e3"), Some(theme.series[2]));
        assert_eq!(style("true"), Some(theme.series[3]));
    }

    #[test]
    fn what_is_no_json_stays_as_it_is() {
        for text in ["<html> é & 漢", "\"unfinished", "", "\\", "€uro \"a"] {
            assert_eq!(paint(&Line::from(text), &Theme::DARK).to_string(), text);
        }
    }
}
