//! The record's JSON, coloured and foldable, without secrets.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use ratatui::text::Line;

use crate::api::redact;
use crate::core::views::member_notes::MemberNote;
use crate::domain::listing::FullRecord;
use crate::domain::pretty::JsonText;
use crate::domain::text::json_for_terminal;
use crate::domain::{CellRef, Dialect, Kind, Listing, format};
use crate::tui::json;
use crate::tui::report::{LongText, Report};
use crate::tui::theme::Theme;

/// Maximum number of JSON lines in a preview.
const PREVIEWED: usize = 100;

/// Maximum size of a record, in bytes, whose JSON a preview lays out with every frame.
const LONGEST: usize = 16 * 1024;

/// The laid-out text and its folds.
#[derive(Debug, Default)]
pub(super) struct Json {
    text: Arc<JsonText>,
    /// A hash of the record, to recognize it.
    hash: u64,
    /// The last line of the object or list that starts on a line.
    ends: Vec<Option<usize>>,
    folded: BTreeSet<usize>,
    /// The visible lines, by their indices in `text`.
    shown: Arc<[usize]>,
    pub report: Report,
}

/// The first 100 lines of a record's JSON for a preview, without secrets; empty for a record over 16 KiB.
pub(crate) fn json_of(listing: &Listing, row: usize, theme: &Theme) -> Vec<Line<'static>> {
    let record = listing.json(row).filter(|text| text.len() <= LONGEST);
    let text = JsonText::new(redact::without_possible_secrets(record.unwrap_or_default()));
    (0..text.len().min(PREVIEWED))
        .map(|line| json::paint(&Line::from(text.line(line)), theme))
        .collect()
}

/// A hash of a record's JSON, by which a changed record is recognized.
fn hash(record: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    record.hash(&mut hasher);
    hasher.finish()
}

impl Json {
    /// The JSON of a row's record, without secrets and with nothing folded.
    pub fn new(listing: &Listing, row: usize) -> Self {
        let record = listing.json(row).unwrap_or_default();
        let text = JsonText::new(json_for_terminal(redact::without_possible_secrets(record)));
        let mut json = Self {
            hash: hash(record),
            ends: text.ends(),
            text: Arc::new(text),
            report: Report::default().with_cursor().painted(json::paint),
            ..Self::default()
        };
        json.layout();
        json
    }

    /// Whether the text is that of this record; false before any is laid out.
    ///
    /// Laying out a large record takes long.
    pub fn is_of(&self, listing: &Listing, row: usize) -> bool {
        let record = listing.json(row).unwrap_or_default();
        !self.is_empty() && hash(record) == self.hash
    }

    /// Whether no record is laid out.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Folds or unfolds the object or list at the cursor: the one that starts there, or else the one around
    /// it. The cursor moves to its first line. Nothing happens on lines that are in no object or list but the
    /// record itself.
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
        let line = self.shown.binary_search(&open);
        self.report.select(line.unwrap_or(0));
    }

    /// The note on a visible line with a top-level member of the record that the catalog has; its value is given
    /// if it is a number or a flag that the JSON writes differently. `None` for other lines.
    pub fn note(&self, line: usize, listing: &Listing, record: &FullRecord, dialect: &Dialect) -> Option<MemberNote> {
        let text = self.text.line(*self.shown.get(line)?);
        // Members of nested objects are indented further.
        let (key, _) = text.strip_prefix("  \"")?.split_once('"')?;
        let field = listing.catalog().by_key(key)?;
        // A text would only be repeated, and may hold a secret that the JSON hides.
        let is_figure = matches!(record.cell(field), CellRef::Number(_) | CellRef::Flag(_));
        let detail = (is_figure && field.kind != Kind::Secret).then(|| format::detail(record, field, dialect));
        let value = detail.filter(|value| !text.ends_with(value.as_str()) && !text.contains(&format!("{value},")));
        Some(MemberNote {
            field,
            value: Some(value.unwrap_or_default()),
        })
    }

    /// The line of the text at the cursor, counted with folded lines; `None` without lines.
    fn cursor_line(&self) -> Option<usize> {
        self.shown.get(self.report.cursor()?).copied()
    }

    /// Recomputes the visible lines from the folds.
    fn layout(&mut self) {
        let mut shown = Vec::with_capacity(self.text.len());
        let mut line = 0;
        while line < self.text.len() {
            shown.push(line);
            let end = self.ends[line].filter(|_| self.folded.contains(&line));
            line = end.unwrap_or(line) + 1;
        }
        self.shown = shown.into();
        self.report.set_text(Box::new(Shown {
            text: Arc::clone(&self.text),
            lines: Arc::clone(&self.shown),
        }));
    }
}

/// The lines that are not folded away, in the form that the report reads.
#[derive(Debug)]
struct Shown {
    text: Arc<JsonText>,
    lines: Arc<[usize]>,
}

impl LongText for Shown {
    fn count(&self) -> usize {
        self.lines.len()
    }

    fn line(&self, index: usize) -> Line<'static> {
        self.text(index).into()
    }

    fn searched(&self, index: usize, bytes: usize) -> String {
        let mut line = self.text(index);
        let beyond = bytes.saturating_sub(1);
        if beyond > 0
            && let Some(rest) = self.lines.get(index).and_then(|line| self.text.rest(*line))
        {
            let end = rest.floor_char_boundary(beyond);
            line.push_str(&rest[..end]);
        }
        line
    }
}

impl Shown {
    /// The text of the visible line at `index`; if lines are folded away after it, with their number and the
    /// closing bracket. Empty beyond the last.
    fn text(&self, index: usize) -> String {
        let Some(number) = self.lines.get(index) else {
            return String::new();
        };
        let mut line = self.text.line(*number);
        let next = self.lines.get(index + 1);
        if let Some(inside) = next.and_then(|next| next.checked_sub(number + 2)) {
            let end = self.text.line(number + inside + 1);
            let close = end.trim_start();
            let _ = write!(line, " … {inside} lines {close}"); // a String takes everything
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::OFFERS;
    use crate::domain::time::UnixTime;

    fn shown(json: &Json) -> Vec<String> {
        let text = Shown {
            text: Arc::clone(&json.text),
            lines: Arc::clone(&json.shown),
        };
        let lines = (0..text.count()).map(|index| text.line(index).to_string());
        lines.collect()
    }

    #[test]
    fn an_object_folds_to_one_line_and_back() {
        let record = r#"{"offers":[{"id":1,"search":{"a":1,"b":[2,3]},"z":"x, {"}]}"#;
        let listing = Listing::read(&OFFERS, record, UnixTime::default()).unwrap();
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
        let listing = Listing::read(&OFFERS, r#"{"offers":[{"id":1}]}"#, UnixTime::default()).unwrap();
        let mut json = Json::new(&listing, 0);
        json.toggle();
        assert_eq!(shown(&json), [r#"{"id": 1}"#]);
    }
}
