//! A call, whole: its facts and both bodies as lines, laid out once when it is opened, and the text
//! that is looked for in them.

use serde::de::IgnoredAny;

use crate::api::ledger::{BODY_KEPT, LedgerEntry};
use crate::api::redact::REMOVED;
use crate::domain::local::LocalTime;
use crate::domain::pretty;
use crate::domain::text::{json_for_terminal, visible};
use crate::widgets::text_input::TextInput;
use unicode_width::UnicodeWidthChar;

/// Cells in front of the text: the sign of the line with the match that is looked at.
pub const GUTTER: u16 = 2;

/// Characters of the names of facts, with the blank behind them.
pub const LABEL: usize = 11;

/// What a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A heading.
    Heading,
    /// A fact, its name in the first [`LABEL`] characters.
    Fact,
    /// A fact that is bad news.
    Bad,
    /// A line of a body.
    Body,
    /// A remark.
    Note,
}

/// A line before it is broken to the width of the screen.
#[derive(Debug)]
struct Line {
    text: String,
    role: Role,
}

/// A line of the screen: a part of a [`Line`].
#[derive(Debug, Clone, Copy)]
struct Row {
    line: usize,
    start: usize,
    end: usize,
    indent: u16,
}

/// A line of the screen as it is drawn.
#[derive(Debug, PartialEq, Eq)]
pub struct Piece<'a> {
    /// Its text.
    pub text: &'a str,
    /// What it is.
    pub role: Role,
    /// Whether it is the beginning of its line.
    pub is_first: bool,
    /// Cells in front of what is not the beginning, so that it stands under its line.
    pub indent: u16,
    /// Where in the text the matches stand, in bytes, and whether it is the one that is looked at.
    pub matches: Vec<(usize, usize, bool)>,
}

/// A text that is looked for.
#[derive(Debug, Default)]
pub struct Find {
    /// The text.
    pub input: TextInput,
    /// Where it stands: line, first byte, byte behind it.
    matches: Vec<(usize, usize, usize)>,
    /// The match that is looked at.
    at: usize,
}

impl Find {
    /// Which match is looked at, from 1, and how many there are.
    pub fn place(&self) -> (usize, usize) {
        ((self.at + 1).min(self.matches.len()), self.matches.len())
    }
}

/// A call, whole.
#[derive(Debug)]
pub struct Opened {
    /// Its number in the ledger.
    pub number: u64,
    /// What is looked for.
    pub find: Find,
    lines: Vec<Line>,
    rows: Vec<Row>,
    scroll: usize,
}

impl Opened {
    /// Lays a call out for so many columns.
    pub fn new(number: u64, entry: &LedgerEntry, local: &LocalTime, width: u16) -> Self {
        let mut opened = Self {
            number,
            find: Find::default(),
            lines: lines(entry, local),
            rows: Vec::new(),
            scroll: 0,
        };
        opened.fit(width);
        opened
    }

    /// Breaks the lines for another width; the line at the top stays there.
    pub(super) fn fit(&mut self, width: u16) {
        let top = self.rows.get(self.scroll).map_or(0, |row| row.line);
        self.rows.clear();
        for (at, line) in self.lines.iter().enumerate() {
            self.rows.extend(broken(at, line, width.max(1)));
        }
        self.scroll = self.rows.partition_point(|row| row.line < top);
    }

    /// How many lines of the screen it takes.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is nothing to show.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The first line in sight of `page`.
    pub fn top(&self, page: usize) -> usize {
        self.scroll.min(self.rows.len().saturating_sub(page))
    }

    /// The lines in sight.
    pub fn pieces(&self, page: usize) -> impl Iterator<Item = Piece<'_>> {
        let rows = self.rows.iter().skip(self.top(page)).take(page);
        rows.filter_map(|row| self.piece(*row))
    }

    fn piece(&self, row: Row) -> Option<Piece<'_>> {
        let line = self.lines.get(row.line)?;
        let found = &self.find.matches;
        let first = found.partition_point(|(at, _, end)| (*at, *end) <= (row.line, row.start));
        let matches = found[first..]
            .iter()
            .enumerate()
            .take_while(|(_, (at, start, _))| *at == row.line && *start < row.end)
            .map(|(behind, (_, start, end))| {
                (
                    start.max(&row.start) - row.start,
                    end.min(&row.end) - row.start,
                    first + behind == self.find.at,
                )
            })
            .collect();
        Some(Piece {
            text: line.text.get(row.start..row.end)?,
            role: line.role,
            is_first: row.start == 0,
            indent: row.indent,
            matches,
        })
    }

    pub(super) fn scroll_by(&mut self, by: isize, page: usize) {
        let most = self.rows.len().saturating_sub(page);
        self.scroll = self.top(page).saturating_add_signed(by).min(most);
    }

    /// Looks for another text: from the top of what is in sight on, case aside.
    pub(super) fn seek(&mut self, input: TextInput, page: usize) {
        let wanted = input.text().to_ascii_lowercase();
        let from = self
            .rows
            .get(self.top(page))
            .map_or((0, 0), |row| (row.line, row.start));
        let mut matches = Vec::new();
        if !wanted.is_empty() {
            for (line, text) in self.lines.iter().enumerate() {
                let text = text.text.to_ascii_lowercase();
                let found = text.match_indices(&wanted);
                matches.extend(found.map(|(start, found)| (line, start, start + found.len())));
            }
        }
        let at = matches.partition_point(|(line, start, _)| (*line, *start) < from);
        let at = if at < matches.len() { at } else { 0 };
        self.find = Find { input, matches, at };
        self.bring_into_sight(page);
    }

    /// Goes to another match, round the end.
    pub(super) fn jump(&mut self, by: isize, page: usize) {
        let count = self.find.matches.len();
        if count > 0 {
            let by = by.rem_euclid(isize::try_from(count).unwrap_or(isize::MAX));
            self.find.at = self.find.at.saturating_add_signed(by) % count;
            self.bring_into_sight(page);
        }
    }

    /// Scrolls to the match that is looked at, if it is out of sight.
    fn bring_into_sight(&mut self, page: usize) {
        let Some((line, start, _)) = self.find.matches.get(self.find.at) else {
            return;
        };
        let behind = self
            .rows
            .partition_point(|row| (row.line, row.start) <= (*line, *start));
        let row = behind.saturating_sub(1);
        let top = self.top(page);
        if row < top || row >= top + page {
            let most = self.rows.len().saturating_sub(page);
            self.scroll = row.saturating_sub(page / 3).min(most);
        }
    }
}

/// Breaks a line into parts of at most so many cells; the later ones stand a little to the right.
fn broken(at: usize, line: &Line, width: u16) -> Vec<Row> {
    let text = &line.text;
    let own = match line.role {
        Role::Fact | Role::Bad => LABEL,
        _ => text.len() - text.trim_start_matches(' ').len() + 2,
    };
    let behind = u16::try_from(own).unwrap_or(u16::MAX).min(width / 4);
    let mut rows = Vec::new();
    let (mut start, mut indent, mut cells) = (0, 0, 0);
    let is_words = line.role != Role::Body;
    let mut blank = 0;
    for (place, character) in text.char_indices() {
        let wide = character.width().unwrap_or(0);
        if cells + wide > usize::from(width) && place > start {
            // Bodies are broken where the line ends, so that they read as one text.
            let end = if is_words && blank > start {
                blank
            } else {
                place
            };
            rows.push(Row {
                line: at,
                start,
                end,
                indent,
            });
            let over: usize = text[end..place]
                .chars()
                .filter_map(UnicodeWidthChar::width)
                .sum();
            (start, indent, cells) = (end, behind, usize::from(behind) + over);
        }
        if character == ' ' && place > LABEL {
            blank = place + 1;
        }
        cells += wide;
    }
    rows.push(Row {
        line: at,
        start,
        end: text.len(),
        indent,
    });
    rows
}

fn lines(entry: &LedgerEntry, local: &LocalTime) -> Vec<Line> {
    let mut lines = facts(entry, local);
    let (request, response) = (entry.request_body(), entry.response_body());
    let lacks = |body: &Option<String>| body.as_ref().is_some_and(|body| body.contains(REMOVED));
    if lacks(&request) || lacks(&response) {
        let text = format!("{REMOVED} stands where a secret was.");
        lines.push(line(text, Role::Note));
    }
    part(&mut lines, "Request body");
    match request {
        Some(body) => body_lines(&mut lines, &body, false),
        None => lines.push(line("None: the call has no body.", Role::Note)),
    }
    part(&mut lines, "Answer body");
    match response {
        Some(body) => body_lines(&mut lines, &body, entry.response_cut),
        None => lines.push(line("None: no whole answer came.", Role::Note)),
    }
    if entry.response_cut {
        let text = format!(
            "Only the first {} kB of {} are kept.",
            BODY_KEPT / 1024,
            size(entry.bytes_received)
        );
        lines.push(line(text, Role::Note));
    }
    lines
}

fn facts(entry: &LedgerEntry, local: &LocalTime) -> Vec<Line> {
    let fact = |name: &str, value: String| line(format!("{name:LABEL$}{value}"), Role::Fact);
    let url = visible(&entry.url, 2000);
    let key = if entry.with_key {
        "went along in the Authorization header"
    } else {
        "none was sent"
    };
    let mut lines = vec![
        line(format!("{} {url}", entry.method.name()), Role::Heading),
        fact("sent", local.second(entry.at)),
        fact("key", key.to_owned()),
    ];
    let is_good = entry.error.is_none();
    let status = format!("{:LABEL$}{}", "status", entry.status_words());
    lines.push(line(status, if is_good { Role::Fact } else { Role::Bad }));
    if let Some(error) = &entry.error {
        let error = format!("{:LABEL$}{}", "error", visible(error, 2000));
        lines.push(line(error, Role::Bad));
    }
    let waited = match waited(entry) {
        Some(span) => format!("{}, after a wait of {span}", entry.attempt),
        None => format!("{}, sent at once", entry.attempt),
    };
    lines.push(fact("took", span(entry.took)));
    lines.push(fact("attempt", waited));
    let sizes = format!(
        "{} sent, {} received",
        size(entry.bytes_sent),
        size(entry.bytes_received)
    );
    lines.push(fact("bodies", sizes));
    lines
}

fn line(text: impl Into<String>, role: Role) -> Line {
    let text = text.into();
    Line { text, role }
}

fn part(lines: &mut Vec<Line>, title: &str) {
    lines.push(line("", Role::Note));
    lines.push(line(title, Role::Heading));
}

fn body_lines(lines: &mut Vec<Line>, body: &str, is_cut: bool) {
    let shown = body_text(body, is_cut);
    let body = shown.iter().map(|text| visible(text, usize::MAX));
    lines.extend(body.map(|text| line(text, Role::Body)));
}

/// A body as lines: JSON laid out, its characters that steer terminals as JSON's own escapes; other
/// text as it came.
pub(super) fn body_text(body: &str, is_cut: bool) -> Vec<String> {
    if is_json(body, is_cut) {
        pretty::json(&json_for_terminal(body))
    } else {
        body.lines().map(str::to_owned).collect()
    }
}

/// Whether a body is JSON, or begins like it and breaks off.
pub(super) fn is_json(body: &str, is_cut: bool) -> bool {
    let begins = body.trim_start_matches('\u{feff}').trim_start();
    begins.starts_with(['{', '[']) && (is_cut || serde_json::from_str::<IgnoredAny>(begins).is_ok())
}

/// How long a call waited for its turn, if it did: sleeping is measured up to the next millisecond.
pub fn waited(entry: &LedgerEntry) -> Option<String> {
    (entry.waited.as_millis() > 1).then(|| span(entry.waited))
}

/// A duration for people: `31ms`, `1.25s`, `2m 5s`.
pub fn span(span: std::time::Duration) -> String {
    let seconds = span.as_secs_f64();
    if seconds < 0.9995 {
        format!("{:.0}ms", seconds * 1000.0)
    } else if seconds < 60.0 {
        format!("{seconds:.2}s")
    } else {
        let seconds = span.as_secs();
        format!("{}m {}s", seconds / 60, seconds % 60)
    }
}

/// A number of bytes for people: `812B`, `14.2kB`, `3.1MB`.
pub fn size(bytes: usize) -> String {
    #[expect(clippy::cast_precision_loss)] // for people
    let amount = bytes as f64;
    match bytes {
        0..1000 => format!("{bytes}B"),
        1000..999_950 => format!("{:.1}kB", amount / 1e3),
        _ => format!("{:.1}MB", amount / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn opened(lines: &[&str], width: u16) -> Opened {
        let lines = lines.iter().map(|text| line(*text, Role::Body)).collect();
        let mut opened = Opened {
            number: 1,
            find: Find::default(),
            lines,
            rows: Vec::new(),
            scroll: 0,
        };
        opened.fit(width);
        opened
    }

    #[test]
    fn a_match_that_is_broken_over_two_lines_is_marked_on_both() {
        let mut opened = opened(&["abcdef", "x", "CDcd"], 3);
        let texts = |opened: &Opened| -> Vec<String> {
            opened
                .pieces(9)
                .map(|piece| piece.text.to_owned())
                .collect()
        };
        assert_eq!(texts(&opened), ["abc", "def", "x", "CDc", "d"]);
        opened.seek(TextInput::new("cd"), 9);
        assert_eq!(opened.find.place(), (1, 3));
        let marks: Vec<_> = opened.pieces(9).map(|piece| piece.matches).collect();
        assert_eq!(
            marks,
            [
                vec![(2, 3, true)],
                vec![(0, 1, true)],
                vec![],
                vec![(0, 2, false), (2, 3, false)],
                vec![(0, 1, false)],
            ]
        );
        opened.jump(-1, 9);
        assert_eq!(opened.find.place(), (3, 3));
        opened.jump(1, 9);
        assert_eq!(opened.find.place(), (1, 3));
        opened.fit(80);
        assert_eq!(texts(&opened), ["abcdef", "x", "CDcd"]);
    }

    #[test]
    fn words_stay_whole_in_facts_and_bodies_are_broken_where_the_line_ends() {
        let rows = |role| {
            let mut opened = opened(&[], 24);
            opened.lines = vec![line("error      one two three fourteen", role)];
            opened.fit(24);
            let pieces = opened.pieces(9);
            pieces
                .map(|piece| (piece.indent, piece.text.to_owned()))
                .collect::<Vec<_>>()
        };
        let row = |indent, text: &str| (indent, text.to_owned());
        assert_eq!(
            rows(Role::Bad),
            [row(0, "error      one two "), row(6, "three fourteen")]
        );
        assert_eq!(
            rows(Role::Body),
            [row(0, "error      one two three"), row(2, " fourteen")]
        );
    }

    #[test]
    fn spans_and_sizes_are_short() {
        assert_eq!(span(Duration::from_micros(31_250)), "31ms");
        assert_eq!(span(Duration::from_millis(1250)), "1.25s");
        assert_eq!(span(Duration::from_secs(125)), "2m 5s");
        assert_eq!(
            (size(812), size(14_200), size(3_100_000)),
            ("812B".into(), "14.2kB".into(), "3.1MB".into())
        );
    }
}
