//! Fits styled text into a width. All text is drawn with its hostile characters visible: see [`bourse_domain::text`].

use std::borrow::Cow;

use ratatui::style::Style;
use ratatui::text::{Line, Span};
use textwrap::core::Word;
use textwrap::{Options, WordSeparator, WordSplitter, wrap as wrap_words};

use bourse_domain::text::{is_visible, truncate, visible, width};

/// The width of a text in terminal cells, at most `u16::MAX`.
pub fn cells(text: &str) -> u16 {
    u16::try_from(width(text)).unwrap_or(u16::MAX)
}

/// The line with hostile characters (see `is_hostile`: controls, bidi, zero width) as `<U+XXXX>`, and the
/// combining marks beyond the third of a pile as their number; otherwise unchanged.
///
/// ratatui leaves some out silently and passes others to the terminal.
fn drawable(mut line: Line<'_>) -> Line<'_> {
    for span in &mut line.spans {
        if !is_visible(&span.content) {
            span.content = visible(&span.content, usize::MAX).into();
        }
    }
    line
}

/// The text with its first letter capitalized, for a title or the start of a sentence.
pub fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).collect()
}

/// As many leading parts of a text, separated by ` · `, as fit into `width` cells; the first part always
/// stays, even if it is too wide.
pub fn first_parts(text: &str, width: u16) -> &str {
    let mut parts = text;
    while cells(parts) > width
        && let Some((shorter, _)) = parts.rsplit_once(" · ")
    {
        parts = shorter;
    }
    parts
}

/// The first clauses of a sentence that fit into `room` cells; empty if none does.
pub fn whole_clauses(text: &str, room: u16) -> &str {
    let mut clauses = text;
    while cells(clauses) > room {
        let ends = [", ", "; ", ": ", ". ", " (", " · "];
        let end = ends.into_iter().filter_map(|end| clauses.rfind(end)).max();
        clauses = end.map_or("", |end| &clauses[..end]);
    }
    clauses
}

/// Truncates a line to `width` cells, with an ellipsis if anything is cut; hostile characters are written
/// visibly.
///
/// ratatui alone cuts without a sign, and a cut price looks like another price.
pub fn fit(line: Line<'_>, width: u16) -> Line<'_> {
    let line = drawable(line);
    let width = usize::from(width);
    if line.width() <= width {
        return line;
    }
    let mut room = width;
    let mut spans = Vec::new();
    for span in line.spans {
        let taken = span.width();
        if taken < room {
            room -= taken;
            spans.push(span);
            continue;
        }
        // One cell wider than the room, so that a span that just fits is truncated as well: more
        // follows.
        let padded = truncate(&format!("{} ", span.content), room);
        let text = if padded.ends_with('…') || room == 0 {
            padded
        } else {
            truncate(&format!("{}  ", span.content), room)
        };
        spans.push(Span::styled(text, span.style));
        break;
    }
    Line { spans, ..line }
}

/// Wraps a text into lines of at most `width` cells (0 counts as 1), at blanks if possible, with hostile
/// characters written visibly; line breaks in the text stay. An empty text has no lines.
pub fn wrap(text: &str, width: u16) -> Vec<String> {
    let options = options(width);
    let wrapped = |line| {
        let line = visible(line, usize::MAX);
        let parts = wrap_words(&line, &options).into_iter();
        parts.map(Cow::into_owned).collect::<Vec<_>>()
    };
    text.lines().flat_map(wrapped).collect()
}

/// The options for wrapping into lines of `width` cells: breaks between `words`, never at hyphens.
fn options<'a>(width: u16) -> Options<'a> {
    Options::new(usize::from(width.max(1)))
        .word_separator(WordSeparator::Custom(words))
        .word_splitter(WordSplitter::NoHyphenation)
}

/// The units that stay with the number before them, besides prices such as `$/h`.
const UNITS: [&str; 14] = [
    "h", "s", "s/h", "ms", "min", "d", "days", "GB", "TB", "GB/s", "MB/s", "Mb/s", "Mb/GB", "W",
];

/// The operators and arrows that stay with what follows them.
const SIGNS: [&str; 9] = ["×", "/", "+", "=", "↓", "↑", "≤", "≥", "~"];

/// The parts of a line between which it may break, each with the blanks after it.
///
/// These are its words, but a unit stays with its number, and an operator or arrow with the number after it
/// (`× 10 h`, `↓ 581`). A list without blanks, such as `IS,CH`, breaks after a comma; the comma of `20,000` is
/// not a break. A path breaks after a slash.
fn words(line: &str) -> Box<dyn Iterator<Item = Word<'_>> + '_> {
    let is_unit = |word: &str| word.starts_with('$') || UNITS.contains(&word);
    let ends_in_sign = |text: &str| {
        let last = text.split_ascii_whitespace().next_back();
        last.is_some_and(|word| SIGNS.contains(&word))
    };
    let starts_item = |offset: usize| line[offset..].starts_with(char::is_alphabetic);
    let ends_in_number = |text: &str| text.trim_end().ends_with(|last: char| last.is_ascii_digit());
    let (mut start, mut end) = (0, 0);
    let mut parts = Vec::new();
    for word in WordSeparator::AsciiSpace.find_words(line) {
        let before = &line[start..end];
        let is_one = ends_in_sign(before) || (ends_in_number(before) && is_unit(word.word));
        if end > start && !is_one {
            parts.push(Word::from(&line[start..end]));
            start = end;
        }
        let is_path = word.word.starts_with('/') || word.word.starts_with("~/");
        for (at, sign) in word.word.match_indices([',', '/']) {
            let next = end + at + 1;
            let ends_item = sign == "," || (is_path && at > 0);
            if ends_item && starts_item(next) {
                parts.push(Word::from(&line[start..next]));
                start = next;
            }
        }
        end += word.word.len() + word.whitespace.len();
    }
    parts.push(Word::from(&line[start..end]));
    Box::new(parts.into_iter())
}

/// The least width of a readable column of text, in cells.
const COLUMN: u16 = 24;

/// Wraps a line of three spans whose third explains the two before it: in a column of its own if that has at
/// least 24 cells, else below the others, indented by `indent` cells. Any other line, one that fits and one
/// whose first two spans do not are wrapped as by `wrap_line`.
pub fn wrap_explained(line: &Line<'_>, width: u16, indent: u16) -> Vec<Line<'static>> {
    let [label, value, text] = line.spans.as_slice() else {
        return wrap_line(line, width, indent);
    };
    let sum = label.width() + value.width();
    let taken = u16::try_from(sum).unwrap_or(u16::MAX);
    if line.width() <= usize::from(width) || taken > width {
        return wrap_line(line, width, indent);
    }
    if width - taken >= COLUMN {
        return wrap_line(line, width, taken);
    }
    let head = Line::from(vec![label.clone(), value.clone()]).style(line.style);
    let blanks = Span::raw(" ".repeat(usize::from(indent)));
    let trimmed = Span::styled(text.content.trim_start().to_owned(), text.style);
    let text = Line::from(vec![blanks, trimmed]).style(line.style);
    let mut lines = wrap_line(&head, width, indent);
    lines.extend(wrap_line(&text, width, indent));
    lines
}

/// The lines wrapped to `width` cells, with continuations indented past the label or sign of a line of two
/// spans.
pub fn wrap_hanging(lines: &[Line<'static>], width: u16) -> Vec<Line<'static>> {
    let indent = |line: &Line<'_>| match line.spans.as_slice() {
        [first, _] => cells(&first.content),
        _ => 0,
    };
    lines
        .iter()
        .flat_map(|line| wrap_line(line, width, indent(line)))
        .collect()
}

/// Wraps a styled line into lines of at most `width` cells (0 counts as 1), in the same styles, with hostile
/// characters written visibly. Continuations are indented by `indent` cells, but leave a column of 24 cells, or
/// of half of `width` if that is less.
pub fn wrap_line(line: &Line<'_>, width: u16, indent: u16) -> Vec<Line<'static>> {
    let owned = |line: &Line<'_>| {
        let all = line.spans.iter();
        let spans = all.map(|span| Span::styled(span.content.to_string(), span.style));
        spans.collect::<Line<'static>>().style(line.style)
    };
    let line = &drawable(owned(line));
    if line.width() <= usize::from(width) {
        return vec![line.clone()];
    }
    let text: String = line.spans.iter().map(|span| &*span.content).collect();
    let most = width.saturating_sub(COLUMN).max(width / 2);
    let blanks = " ".repeat(usize::from(indent.min(most)));
    let options = options(width).subsequent_indent(&blanks);
    let mut styles = line
        .spans
        .iter()
        .flat_map(|span| span.content.chars().map(move |letter| (letter, span.style)))
        .peekable();
    let mut lines = Vec::new();
    for (index, part) in wrap_words(&text, &options).into_iter().enumerate() {
        let part = if index > 0 {
            part.strip_prefix(blanks.as_str()).unwrap_or(&part)
        } else {
            &part
        };
        let mut spans: Vec<Span<'static>> = Vec::new();
        if index > 0 && !blanks.is_empty() {
            spans.push(Span::raw(blanks.clone()));
        }
        let mut run = (String::new(), Style::default());
        for letter in part.chars() {
            // Blanks at a break are dropped.
            while styles.next_if(|(next, _)| *next != letter).is_some() {}
            let style = styles.next().map_or(run.1, |(_, style)| style);
            if style != run.1 && !run.0.is_empty() {
                spans.push(Span::styled(std::mem::take(&mut run.0), run.1));
            }
            run.1 = style;
            run.0.push(letter);
        }
        spans.push(Span::styled(run.0, run.1));
        lines.push(Line::from(spans).style(line.style));
    }
    lines
}

#[cfg(test)]
mod tests {
    use ratatui::style::Stylize;

    use super::*;

    #[test]
    fn a_cut_line_ends_in_an_ellipsis() {
        let line = Line::from(vec!["$0.40".bold(), " per hour".into()]);
        assert_eq!(fit(line.clone(), 20).to_string(), "$0.40 per hour");
        assert_eq!(fit(line.clone(), 14).to_string(), "$0.40 per hour");
        assert_eq!(fit(line.clone(), 9).to_string(), "$0.40 pe…");
        // The cut begins after the last span that fits.
        assert_eq!(fit(line.clone(), 5).to_string(), "$0.4…");
        assert_eq!(fit(line, 0).to_string(), "");
    }

    #[test]
    fn words_wrap_and_line_breaks_stay() {
        assert_eq!(wrap("one two three\nfour", 7), ["one two", "three", "four"]);
        assert_eq!(wrap("unbreakable", 4), ["unbr", "eaka", "ble"]);
        assert_eq!(wrap("gpu_name=RTX-4090", 9), ["gpu_name=", "RTX-4090"]);
        assert_eq!(wrap("in /home/me/keys/second.", 14), ["in /home/me/", "keys/second."]);
        assert_eq!(wrap("one MB/s or more", 8), ["one MB/s", "or more"]);
    }

    #[test]
    fn a_unit_stays_with_its_number() {
        let line = Line::raw("0.9 $/GB/month x 72 GB / 720 h x 10 h");
        let parts: Vec<_> = wrap_line(&line, 18, 2).iter().map(Line::to_string).collect();
        assert_eq!(parts, ["0.9 $/GB/month x", "  72 GB / 720 h x", "  10 h"]);
    }

    #[test]
    fn a_long_label_and_its_explanation_align() {
        let line = Line::from(vec![
            Span::raw("a label of thirty one cells,   "),
            Span::raw("then an explanation that takes two lines"),
        ]);
        let starts = |lines: Vec<Line<'_>>| {
            let rest = lines.into_iter().skip(1);
            rest.map(|line| line.to_string().chars().take_while(|sign| *sign == ' ').count())
                .collect::<Vec<_>>()
        };
        // A column of 25 cells remains beside the label, which has more than half of the width.
        assert_eq!(starts(wrap_hanging(std::slice::from_ref(&line), 56)), [31]);
        // On a narrow one half of the width remains.
        assert_eq!(starts(wrap_hanging(&[line], 40))[0], 20);
    }

    #[test]
    fn an_operator_and_an_arrow_stay_with_their_number() {
        let parts = |text: &'static str, width| -> Vec<String> {
            wrap_line(&Line::raw(text), width, 2)
                .iter()
                .map(Line::to_string)
                .collect()
        };
        assert_eq!(
            parts("= 20 GB × 8000 Mb/GB / 10000 Mb/s / 3600 s/h", 24),
            ["= 20 GB × 8000 Mb/GB", "  / 10000 Mb/s", "  / 3600 s/h"]
        );
        assert_eq!(
            parts("= 3.84 + 1.20 + 0.04 + 0.01", 22),
            ["= 3.84 + 1.20 + 0.04", "  + 0.01"]
        );
        assert_eq!(
            parts("slowest link ↓ 581 ↑ 383 Mb/s", 16),
            ["slowest link", "  ↓ 581", "  ↑ 383 Mb/s"]
        );
    }

    #[test]
    fn styles_survive_wrapping() {
        let line = Line::from(vec!["red ".red(), "blue blue".blue()]);
        let wrapped = wrap_line(&line, 8, 2);
        assert_eq!(wrapped.len(), 2);
        assert_eq!(wrapped[0].to_string(), "red blue");
        assert_eq!(wrapped[1].to_string(), "  blue");
        assert_eq!(wrapped[0].spans[1].style, Style::new().blue());
        assert_eq!(wrapped[1].spans[1].style, Style::new().blue());
    }

    #[test]
    fn a_sentence_without_room_is_shortened_to_whole_clauses() {
        let text = "GPU model as the market spells it: RTX 4090, H100 SXM.";
        assert_eq!(whole_clauses(text, 60), text);
        assert_eq!(whole_clauses(text, 45), "GPU model as the market spells it: RTX 4090");
        assert_eq!(whole_clauses(text, 40), "GPU model as the market spells it");
        assert_eq!(whole_clauses(text, 20), "");
    }
}
