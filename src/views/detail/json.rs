//! The record's JSON, coloured and foldable, without secrets.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use ratatui::text::Line;

use crate::api::redact;
use crate::domain::text::json_for_terminal;
use crate::domain::{Listing, pretty};
use crate::widgets::json;
use crate::widgets::report::Report;

/// The laid-out text and its folds.
#[derive(Debug, Default)]
pub(super) struct Json {
    lines: Vec<String>,
    /// The last line of the object or list that starts on a line.
    ends: Vec<Option<usize>>,
    folded: BTreeSet<usize>,
    /// The indices in `lines` of the lines in the report.
    shown: Vec<usize>,
    pub report: Report,
}

impl Json {
    pub fn new(listing: &Listing, row: usize) -> Self {
        let record = redact::record(listing.json(row).unwrap_or_default());
        let lines = pretty::json(&json_for_terminal(&record));
        let mut json = Self {
            ends: ends(&lines),
            lines,
            report: Report::default().with_cursor().painted(json::paint),
            ..Self::default()
        };
        json.layout();
        json
    }

    /// Folds or unfolds the object or list under the cursor: the one that starts there, else the
    /// one around it.
    pub fn toggle(&mut self) {
        let Some(line) = self.cursor_line() else {
            return;
        };
        let opens = |line: &usize| self.ends[*line].is_some_and(|end| end > *line);
        let around = (0..=line)
            .rev()
            .filter(opens)
            .find(|open| *open == line || self.ends[*open].is_some_and(|end| end >= line));
        // The record itself cannot be folded.
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
                let _ = write!(line, " … {inside} lines {close}"); // writing to a String cannot fail
                place = end;
            }
            lines.push(Line::from(line));
            place += 1;
        }
        self.report.set_lines(lines);
    }
}

/// For each line that starts an object or list, the line that ends it: the next one with the same
/// indent.
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
