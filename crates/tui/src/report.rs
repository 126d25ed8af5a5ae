//! Text to read, scroll and search.

use std::borrow::Cow;

use crossterm::event::KeyEvent;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{StatefulWidget, Widget};

use super::find::{Advice, Find, FindEvent, FindLine};
use super::input_widget::InputWidget;
use super::text::wrap_line;
use super::text_input::Pasted;
use super::theme::Theme;
use super::viewport::Viewport;
use crate::command::Command;

/// The maximum length of a line that is laid out, in bytes.
///
/// A server's text may be megabytes without a break, and no screen shows more than this.
const LONGEST_LINE: usize = 16 * 1024;

/// The indent of wrapped rows, in cells.
const INDENT: u16 = 2;

/// The maximum number of occurrences of a search that one frame highlights.
///
/// Each costs some forty bytes on the way to the terminal: a letter that is everywhere would take more than the text.
const MOST_MARKED: usize = 400;

/// A function that colours a line with the theme of the frame.
pub type Paint = fn(&Line<'static>, &Theme) -> Line<'static>;

/// Lines that are created when needed: most lines of a large text are never seen.
pub trait LongText: std::fmt::Debug + Send {
    /// The number of lines in the text.
    fn count(&self) -> usize;

    /// A line, counted from 0.
    fn line(&self, line: usize) -> Line<'static>;

    /// The text of a line and as much of the text that continues it as a match of `bytes` bytes that begins
    /// in this line may need.
    fn searched(&self, line: usize, bytes: usize) -> String;
}

#[derive(Debug)]
enum Lines {
    Made(Vec<Line<'static>>),
    Long(Box<dyn LongText>),
}

impl Default for Lines {
    fn default() -> Self {
        Self::Made(Vec::new())
    }
}

impl Lines {
    /// The number of lines in the text.
    fn count(&self) -> usize {
        match self {
            Self::Made(lines) => lines.len(),
            Self::Long(text) => text.count(),
        }
    }

    /// The line with an index, created if needed; `None` behind the last one.
    fn get(&self, line: usize) -> Option<Cow<'_, Line<'static>>> {
        match self {
            Self::Made(lines) => lines.get(line).map(Cow::Borrowed),
            Self::Long(text) => (line < text.count()).then(|| Cow::Owned(text.line(line))),
        }
    }

    /// The text to search for a match of `bytes` bytes that begins in a line; empty behind the last line.
    fn searched(&self, line: usize, bytes: usize) -> String {
        match self {
            Self::Made(lines) => lines.get(line).map(Line::to_string).unwrap_or_default(),
            Self::Long(text) => text.searched(line, bytes),
        }
    }
}

/// Lines with a scroll position and a search.
#[derive(Debug, Default)]
pub struct Report {
    lines: Lines,
    top: usize,
    /// The number of rows of that line that are scrolled away: one line may be longer than the screen.
    skip: usize,
    /// The selected line; `None` in a report without a cursor.
    cursor: Option<usize>,
    find: Find,
    paint: Option<Paint>,
}

impl Report {
    /// A report scrolled to its first line.
    pub fn new(lines: Vec<Line<'static>>) -> Self {
        Self {
            lines: Lines::Made(lines),
            ..Self::default()
        }
    }

    /// Makes movement select a line instead of scrolling.
    #[must_use]
    pub const fn with_cursor(mut self) -> Self {
        self.cursor = Some(0);
        self
    }

    /// The selected line; `None` in a report without a cursor.
    pub const fn cursor(&self) -> Option<usize> {
        self.cursor
    }

    /// Selects a line, clamped to the last; no effect in a report without a cursor.
    pub fn select(&mut self, line: usize) {
        let last = self.lines.count().saturating_sub(1);
        self.cursor = self.cursor.map(|_| line.min(last));
    }

    /// Sets a function that colours the visible lines as they are drawn.
    #[must_use]
    pub const fn painted(mut self, paint: Paint) -> Self {
        self.paint = Some(paint);
        self
    }

    /// Replaces the lines; position and search stay.
    pub fn set_lines(&mut self, lines: Vec<Line<'static>>) {
        self.replace(Lines::Made(lines));
    }

    /// Like [`Report::set_lines`], for a text whose lines are created when needed.
    pub fn set_text(&mut self, text: Box<dyn LongText>) {
        self.replace(Lines::Long(text));
    }

    /// Replaces the text; position, cursor and search stay, clamped to the new last line.
    fn replace(&mut self, lines: Lines) {
        self.lines = lines;
        let last = self.lines.count().saturating_sub(1);
        self.top = self.top.min(last);
        self.cursor = self.cursor.map(|cursor| cursor.min(last));
        self.search();
    }

    /// The lines of the report; empty for a text whose lines are created when needed.
    pub fn lines(&self) -> &[Line<'static>] {
        match &self.lines {
            Lines::Made(lines) => lines,
            Lines::Long(_) => &[],
        }
    }

    /// Whether the search text is being typed: then letters are text.
    pub const fn is_typing(&self) -> bool {
        self.find.is_typing()
    }

    /// Whether a search is open or has text, so that its line is drawn.
    fn has_search(&self) -> bool {
        self.find.is_active()
    }

    /// The search in the lines.
    pub const fn find(&self) -> &Find {
        &self.find
    }

    /// Scrolls or searches; false if the report does not handle the command. `None` is ignored.
    pub fn update(&mut self, command: impl Into<Option<Command>>, viewport: Viewport) -> bool {
        let command = command.into();
        match self.find.update(command) {
            FindEvent::Handled => return true,
            FindEvent::Moved => {
                self.show_match(viewport);
                return true;
            }
            FindEvent::Ignored => {}
        }
        let Some(by) = command.and_then(|command| command.lines(viewport.page)) else {
            return false;
        };
        self.scroll(by, viewport);
        true
    }

    /// Scrolls by `by` rows of the screen, up if negative, stopping at the ends; in a report with a cursor,
    /// moves that by lines.
    pub fn scroll(&mut self, by: isize, viewport: Viewport) {
        if let Some(cursor) = self.cursor {
            self.select(cursor.saturating_add_signed(by));
            return;
        }
        let (here, width) = ((self.top, self.skip), viewport.width);
        let last = self.last_top(viewport.page, width);
        let top = match by {
            // To the ends without laying out everything in between.
            isize::MIN => (0, 0),
            isize::MAX => last,
            up if up < 0 => self.above(here, up.unsigned_abs(), width),
            down => self.below(here, down.unsigned_abs(), width),
        };
        (self.top, self.skip) = top.min(last);
    }

    /// The number of screen rows of a line wrapped to `width` cells; at least 1.
    fn rows(&self, line: usize, width: u16) -> usize {
        match self.lines.get(line) {
            Some(line) if width > 0 => wrap_line(&cut(&line), width, INDENT).len().max(1),
            _ => 1,
        }
    }

    /// The position (line and row within it) `rows` rows below another; behind the last line if there are
    /// fewer.
    fn below(&self, from: (usize, usize), rows: usize, width: u16) -> (usize, usize) {
        let (mut line, mut row) = (from.0, from.1.saturating_add(rows));
        while line < self.lines.count() {
            let height = self.rows(line, width);
            if row < height {
                break;
            }
            row -= height;
            line += 1;
        }
        (line, row)
    }

    /// The position (line and row within it) `rows` rows above another; the beginning if there are fewer.
    fn above(&self, from: (usize, usize), rows: usize, width: u16) -> (usize, usize) {
        let (mut line, mut row) = from;
        let mut left = rows;
        while left > row {
            if line == 0 {
                return (0, 0);
            }
            left -= row + 1;
            line -= 1;
            row = self.rows(line, width).saturating_sub(1);
        }
        (line, row - left)
    }

    /// The largest scroll position (line and row): that with the last row at the bottom of `page` rows.
    fn last_top(&self, page: usize, width: u16) -> (usize, usize) {
        self.above((self.lines.count(), 0), page.max(1), width)
    }

    /// Types a key into the search, and moves to the first match from here on; false if its input is closed
    /// or the key edits nothing.
    pub fn key(&mut self, key: KeyEvent, viewport: Viewport) -> bool {
        let is_taken = self.find.key(key);
        if is_taken {
            self.search();
            self.show_match(viewport);
        }
        is_taken
    }

    /// Pastes into the search input and finds the matches, without moving to one; `None` if it is closed.
    pub fn paste(&mut self, text: &str) -> Option<Pasted> {
        let pasted = self.find.paste(text);
        if pasted.is_some() {
            self.search();
        }
        pasted
    }

    /// Finds the matches again; the current one is the first from the cursor or the top line on.
    fn search(&mut self) {
        let from = self.cursor.unwrap_or(self.top);
        let (lines, bytes) = (&self.lines, self.find.lowercase_text().len());
        let texts = (0..lines.count()).map(|line| lines.searched(line, bytes));
        self.find.search(from, texts);
    }

    /// Selects the current match, and scrolls only if it is out of view; nothing happens without one.
    fn show_match(&mut self, viewport: Viewport) {
        let Some(line) = self.find.current() else {
            return;
        };
        self.select(line);
        let position = (line, self.row_of_match(line, viewport.width));
        let (page, width) = (viewport.page.max(1), viewport.width);
        let end = self.below((self.top, self.skip), page, width);
        if !((self.top, self.skip)..end).contains(&position) {
            let top = self.above(position, page / 3, width);
            (self.top, self.skip) = top.min(self.last_top(page, width));
        }
    }

    /// The visible lines, each with its first row in the viewport, to draw something beside them. A line that
    /// begins above the first row is left out.
    pub fn visible(&self, viewport: Viewport, theme: &Theme) -> Vec<(usize, u16)> {
        let (page, width) = (viewport.page, viewport.width);
        let (top, skip) = ReportLines::new(self, theme).top(viewport.top, page, width);
        // The first line may start above the first row.
        let mut below = 0;
        let lines = (top..viewport.total).map(|line| {
            let start = below;
            below += self.rows(line, width);
            (line, start)
        });
        let within = lines.take_while(|(_, start)| *start < skip + page);
        let starts = within.filter_map(|(line, start)| Some((line, u16::try_from(start.checked_sub(skip)?).ok()?)));
        starts.collect()
    }

    /// The row of a wrapped line in which the search text first occurs; 0 if a break splits it.
    fn row_of_match(&self, line: usize, width: u16) -> usize {
        let wanted = self.find.lowercase_text();
        let Some(line) = self.lines.get(line).filter(|_| width > 0) else {
            return 0;
        };
        let mut rows = wrap_line(&cut(&line), width, INDENT).into_iter();
        let holds = |row: Line<'_>| row.to_string().to_lowercase().contains(&wanted);
        rows.position(holds).unwrap_or(0)
    }
}

impl InputWidget for Report {
    fn act(&mut self, command: Command, viewport: Viewport) -> bool {
        self.update(command, viewport)
    }

    fn typed(&mut self, key: KeyEvent, viewport: Viewport) -> bool {
        self.key(key, viewport)
    }

    fn pasted(&mut self, text: &str) -> Option<Pasted> {
        self.paste(text)
    }

    fn wheel(&mut self, lines: isize, viewport: Viewport) -> bool {
        self.scroll(lines, viewport);
        true
    }
}

/// Draws a report: only the visible lines are wrapped.
#[derive(Debug)]
pub struct ReportLines<'a> {
    report: &'a Report,
    /// Lines to draw in place of the report's own.
    fresh: Option<&'a [Line<'static>]>,
    theme: &'a Theme,
    advice: Advice,
}

impl<'a> ReportLines<'a> {
    /// A widget for the given report.
    pub const fn new(report: &'a Report, theme: &'a Theme) -> Self {
        Self {
            report,
            fresh: None,
            theme,
            advice: |_| "",
        }
    }

    /// Adds advice where its search matches nothing.
    #[must_use]
    pub const fn advising(mut self, advice: Advice) -> Self {
        self.advice = advice;
        self
    }

    /// Draws these lines instead of the report's own, at the same position.
    ///
    /// A view has the theme only while it draws.
    #[must_use]
    pub const fn showing(mut self, lines: &'a [Line<'static>]) -> Self {
        self.fresh = Some(lines);
        self
    }

    /// The first line to draw, and the number of its rows that are scrolled away. The cursor stays visible,
    /// and the text moves as little as possible from the line `before`.
    fn top(&self, before: usize, page: usize, width: u16) -> (usize, usize) {
        let report = self.report;
        // The screen may have become wider since the last scrolling.
        let last = report.last_top(page, width);
        let top = match report.cursor {
            None => (report.top, report.skip),
            Some(cursor) => {
                let lowest = report.above((cursor + 1, 0), page, width);
                (before, 0).max(lowest).min((cursor, 0))
            }
        };
        top.min(last)
    }

    /// A line ready to draw, coloured and with matches of the search highlighted; `marks` is the number of
    /// occurrences that may still be highlighted, and is reduced.
    fn line(&self, number: usize, marks: &mut usize) -> Line<'static> {
        let known = match self.fresh {
            Some(lines) => lines.get(number).map(Cow::Borrowed),
            None => self.report.lines.get(number),
        };
        let mut line = cut(&known.unwrap_or_default());
        if let Some(paint) = self.report.paint {
            line = paint(&line, self.theme);
        }
        let find = &self.report.find;
        if !find.matches(number) {
            return line;
        }
        let style = if find.current() == Some(number) {
            self.theme.selected
        } else {
            self.theme.highlight
        };
        mark(&line, &find.lowercase_text(), style, marks)
    }
}

/// The beginning of a line, up to the 16 KiB that are laid out; the size of a longer line is appended.
fn cut(line: &Line<'static>) -> Line<'static> {
    let long: usize = line.spans.iter().map(|span| span.content.len()).sum();
    if long <= LONGEST_LINE {
        return line.clone();
    }
    let mut room = LONGEST_LINE;
    let mut spans = Vec::new();
    for span in &line.spans {
        let end = span.content.floor_char_boundary(room);
        spans.push(Span::styled(span.content[..end].to_owned(), span.style));
        room -= end;
        if room == 0 {
            break;
        }
    }
    spans.push(Span::raw(format!("… ({long} bytes)")));
    Line::from(spans).style(line.style)
}

/// The line with occurrences of `wanted` (in lower case) highlighted, also across spans, as long as `marks`
/// is not used up; unchanged if the line has another length in lower case, as in a few scripts.
fn mark(line: &Line<'static>, wanted: &str, style: Style, marks: &mut usize) -> Line<'static> {
    let text = line.to_string();
    let lower = text.to_lowercase();
    // In a few scripts the lower case has another length: then nothing is highlighted.
    if lower.len() != text.len() {
        return line.clone();
    }
    let ranges: Vec<_> = lower
        .match_indices(wanted)
        .map(|(start, matched)| start..start + matched.len())
        .filter(|range| text.is_char_boundary(range.start) && text.is_char_boundary(range.end))
        .take(*marks)
        .collect();
    *marks -= ranges.len();
    let mut spans = Vec::new();
    let mut behind = 0;
    for span in &line.spans {
        let (start, end) = (behind, behind + span.content.len());
        let mut from = start;
        let mut push = |to: usize, style: Style| {
            if to > from {
                spans.push(Span::styled(text[from..to].to_owned(), style));
                from = to;
            }
        };
        for range in &ranges {
            push(range.start.clamp(start, end), span.style);
            push(range.end.clamp(start, end), span.style.patch(style));
        }
        push(end, span.style);
        behind = end;
    }
    Line::from(spans).style(line.style)
}

/// The layout of a drawn report: the visible lines, and the cursor of its search.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReportLayout {
    /// The visible lines.
    pub viewport: Viewport,
    /// The position of the cursor in the search input; `None` if it is closed.
    pub cursor: Option<Position>,
}

impl StatefulWidget for ReportLines<'_> {
    type State = ReportLayout;

    fn render(self, area: Rect, buffer: &mut Buffer, layout: &mut ReportLayout) {
        let has_find = self.report.has_search();
        let text = Rect {
            height: area.height.saturating_sub(u16::from(has_find)),
            ..area
        };
        let remembered = self.report.lines.count();
        let total = self.fresh.map_or(remembered, <[_]>::len);
        let page = usize::from(text.height).max(1);
        let (top, mut skip) = self.top(layout.viewport.top, page, text.width);
        layout.viewport = Viewport {
            top,
            page,
            total,
            width: text.width,
            rows: Rect::default(),
        };
        let mut rows = text.rows();
        let mut marks = MOST_MARKED;
        'lines: for number in top..total {
            let wrapped = wrap_line(&self.line(number, &mut marks), text.width, INDENT);
            for line in wrapped.into_iter().skip(std::mem::take(&mut skip)) {
                let Some(row) = rows.next() else {
                    break 'lines;
                };
                line.render(row, buffer);
                if self.report.cursor == Some(number) {
                    // Colours of the text may be unreadable on the stripe.
                    buffer.set_style(row, self.theme.selected);
                }
            }
        }
        layout.cursor = None;
        if has_find {
            let line = Rect::new(area.x, text.bottom(), area.width, 1);
            FindLine::new(&self.report.find, self.theme, self.advice).render(line, buffer, &mut layout.cursor);
        }
    }
}

#[cfg(test)]
mod tests {
    use crossterm::event::{KeyCode, KeyModifiers};

    use super::*;
    use crate::command::Motion;

    fn report() -> Report {
        Report::new((0..20).map(|n| Line::from(format!("line {n}"))).collect())
    }

    fn page(rows: usize) -> Viewport {
        Viewport {
            page: rows,
            total: 20,
            ..Viewport::default()
        }
    }

    fn drawn(report: &Report, height: u16) -> Vec<String> {
        let area = Rect::new(0, 0, 30, height);
        let mut buffer = Buffer::empty(area);
        let mut layout = ReportLayout::default();
        ReportLines::new(report, &Theme::MONO).render(area, &mut buffer, &mut layout);
        let row = |y| -> String { (0..30).map(|x| buffer[(x, y)].symbol()).collect() };
        (0..height).map(|y| row(y).trim_end().to_owned()).collect()
    }

    fn type_in(report: &mut Report, text: &str) {
        for letter in text.chars() {
            report.key(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::NONE), page(5));
        }
    }

    #[test]
    fn it_scrolls_to_its_end_and_no_further() {
        let mut report = report();
        report.update(Command::Move(Motion::Last), page(5));
        assert_eq!(drawn(&report, 5)[4], "line 19");
        report.update(Command::Move(Motion::Up), page(5));
        assert_eq!(drawn(&report, 5)[4], "line 18");
    }

    #[test]
    fn a_cursor_moves_by_lines_and_stays_in_sight() {
        let mut report = report().with_cursor();
        for _ in 0..7 {
            report.update(Command::Move(Motion::Down), page(5));
        }
        assert_eq!(report.cursor(), Some(7));
        let rows = drawn(&report, 5);
        assert_eq!((rows[0].as_str(), rows[4].as_str()), ("line 3", "line 7"));
    }

    #[test]
    fn a_search_steps_through_its_matches() {
        let mut report = report();
        report.update(Command::Find, page(5));
        type_in(&mut report, "LINE 1");
        report.update(Command::Submit, page(5));
        let rows = drawn(&report, 6);
        assert_eq!(rows[0], "line 0");
        assert!(rows[5].contains("LINE 1") && rows[5].contains("1 of 11"));
        report.update(Command::PreviousMatch, page(5));
        assert!(drawn(&report, 6).iter().any(|row| row == "line 19"));
        report.update(Command::Cancel, page(5));
        assert!(!report.has_search());
    }

    #[test]
    fn a_line_longer_than_the_page_is_read_row_by_row() {
        let words: Vec<String> = (0..30).map(|number| format!("word{number:02}")).collect();
        let mut report = Report::new(vec![Line::from(words.join(" ")), Line::from("end")]);
        let narrow = Viewport { width: 8, ..page(4) };
        report.scroll(10, narrow);
        assert_eq!((report.top, report.skip), (0, 10));
        report.update(Command::Move(Motion::Last), narrow);
        assert_eq!((report.top, report.skip), (0, 27));
        report.update(Command::Find, narrow);
        type_in(&mut report, "word12");
        report.show_match(narrow);
        assert!(report.skip <= 12 && 12 < report.skip + 4, "{}", report.skip);
        report.update(Command::Move(Motion::First), narrow);
        assert_eq!((report.top, report.skip), (0, 0));
    }

    #[test]
    fn the_current_match_is_told_from_the_others_without_colour() {
        let mut report = report();
        report.update(Command::Find, page(5));
        type_in(&mut report, "line");
        let area = Rect::new(0, 0, 30, 4);
        let mut buffer = Buffer::empty(area);
        let lines = ReportLines::new(&report, &Theme::MONO);
        lines.render(area, &mut buffer, &mut ReportLayout::default());
        assert_ne!(buffer[(0, 0)].modifier, buffer[(0, 1)].modifier);
        assert_eq!(buffer[(0, 1)].modifier, buffer[(0, 2)].modifier);
    }

    #[test]
    fn a_match_across_spans_is_highlighted() {
        let line = Line::from(vec![Span::raw("\"price\""), Span::raw(": "), Span::raw("1.50")]);
        let marked = mark(&line, "price\": 1", Style::new().bold(), &mut 9);
        let bold = |span: &&Span<'_>| span.style == Style::new().bold();
        let text: String = marked.spans.iter().filter(bold).map(|span| &*span.content).collect();
        assert_eq!(text, "price\": 1");
        assert_eq!(marked.to_string(), line.to_string());
    }

    #[test]
    fn a_huge_line_is_cut_and_says_how_long_it_is() {
        let report = Report::new(vec![Line::from("x".repeat(1_000_000))]);
        let last = cut(&report.lines()[0]).spans.last().unwrap().content.to_string();
        assert_eq!(last, "… (1000000 bytes)");
    }
}
