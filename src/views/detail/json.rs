//! The record's JSON, coloured and foldable, secrets removed.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use ratatui::text::Line;

use crate::api::redact;
use crate::domain::text::json_for_terminal;
use crate::domain::{Listing, pretty};
use crate::widgets::json;
use crate::widgets::report::Report;
use crate::widgets::theme::Theme;

/// Lines of JSON that a preview has room for.
const PREVIEWED: usize = 100;

/// The laid-out text and what of it is folded.
#[derive(Debug, Default)]
pub(super) struct Json {
    lines: Vec<String>,
    /// The last line of the object or list that opens on a line.
    ends: Vec<Option<usize>>,
    folded: BTreeSet<usize>,
    /// The lines in the report, by their places in `lines`.
    shown: Vec<usize>,
    pub report: Report,
}

/// The lines of a record's JSON, secrets removed.
fn laid_out(listing: &Listing, row: usize) -> Vec<String> {
    let record = redact::record(listing.json(row).unwrap_or_default());
    pretty::json(&json_for_terminal(&record))
}

/// The beginning of a record's JSON as a preview shows it.
pub(in crate::views) fn json_of(
    listing: &Listing,
    row: usize,
    theme: &Theme,
) -> Vec<Line<'static>> {
    let lines = laid_out(listing, row).into_iter().take(PREVIEWED);
    lines
        .map(|line| json::paint(&Line::from(line), theme))
        .collect()
}

impl Json {
    pub fn new(listing: &Listing, row: usize) -> Self {
        let lines = laid_out(listing, row);
        let mut json = Self {
            ends: ends(&lines),
            lines,
            report: Report::default().with_cursor().painted(json::paint),
            ..Self::default()
        };
        json.layout();
        json
    }

    /// Folds or unfolds the object or list under the cursor: the one that opens there, else the one
    /// around it.
    pub fn toggle(&mut self) {
        let Some(line) = self.cursor_line() else {
            return;
        };
        let opens = |line: &usize| self.ends[*line].is_some_and(|end| end > *line);
        let around = (0..=line)
            .rev()
            .filter(opens)
            .find(|open| *open == line || self.ends[*open].is_some_and(|end| end >= line));
        // The record itself stays open.
        let Some(open) = around.filter(|open| *open > 0) else {
            return;
        };
        if !self.folded.remove(&open) {
            self.folded.insert(open);
        }
        self.layout();
        let place = self.shown.iter().position(|shown| *shown == open);
        self.report.select(place.unwrap_or(0));
    }

    fn cursor_line(&self) -> Option<usize> {
        self.shown.get(self.report.cursor()?).copied()
    }

    fn layout(&mut self) {
        self.shown.clear();
        let mut lines = Vec::new();
        let mut place = 0;
        while let Some(text) = self.lines.get(place) {
            self.shown.push(place);
            let mut line = text.clone();
            if self.folded.contains(&place)
                && let Some(end) = self.ends[place]
            {
                let inside = end - place - 1;
                let close = self.lines[end].trim_start();
                let _ = write!(line, " … {inside} lines {close}"); // a String takes everything
                place = end;
            }
            lines.push(Line::from(line));
            place += 1;
        }
        self.report.set_lines(lines);
    }
}

/// For each line that opens an object or list, the line that closes it: the next one with the same
/// indent, as laid-out JSON has it.
fn ends(lines: &[String]) -> Vec<Option<usize>> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut ends = vec![None; lines.len()];
    let mut open: Vec<(usize, usize)> = Vec::new();
    for (place, line) in lines.iter().enumerate() {
        let closes = line.trim_start().starts_with(['}', ']']);
        if closes
            && let Some((start, own)) = open.last()
            && *own == indent(line)
        {
            ends[*start] = Some(place);
            open.pop();
        }
        if line.ends_with(['{', '[']) {
            open.push((place, indent(line)));
        }
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::OFFERS;

    fn shown(json: &Json) -> Vec<String> {
        json.report.lines().iter().map(Line::to_string).collect()
    }

    #[test]
    fn an_object_folds_to_one_line_and_back() {
        let record = r#"{"offers":[{"id":1,"search":{"a":1,"b":[2,3]},"z":"x, {"}]}"#;
        let listing = Listing::read(&OFFERS, record, 0.0).unwrap();
        let mut json = Json::new(&listing, 0);
        let open = shown(&json);
        assert_eq!(open.len(), 8);
        json.report.select(3);
        json.toggle();
        assert_eq!(
            shown(&json),
            [
                "{",
                r#"  "id": 1,"#,
                r#"  "search": { … 2 lines },"#,
                r#"  "z": "x, {""#,
                "}"
            ]
        );
        json.toggle();
        assert_eq!(shown(&json), open);
    }

    #[test]
    fn the_record_itself_does_not_fold() {
        let listing = Listing::read(&OFFERS, r#"{"offers":[{"id":1}]}"#, 0.0).unwrap();
        let mut json = Json::new(&listing, 0);
        json.toggle();
        assert_eq!(shown(&json), [r#"{"id": 1}"#]);
    }
}
