//! Text that is read, scrolled and searched.

use crossterm::event::KeyEvent;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::{StatefulWidget, Widget};

use super::find::{Find, FindEvent, FindLine};
use super::text::wrap_line;
use super::theme::Theme;
use super::viewport::Viewport;
use crate::app::keymap::{Action, Context};

/// The most characters of one line that are laid out: a server's text may be megabytes without a
/// break, and no screen shows more than this.
const LONGEST_LINE: usize = 16 * 1024;

/// Lines with a position and a search.
#[derive(Debug, Default)]
pub struct Report {
    lines: Vec<Line<'static>>,
    top: usize,
    /// The selected line, in a report whose lines can be acted on.
    cursor: Option<usize>,
    paint: Option<Paint>,
    find: Find,
}

/// Gives a line its colours when it is drawn: whoever writes the lines need not know the theme.
pub type Paint = fn(&str, &Theme) -> Line<'static>;

impl Report {
    /// A report at its first line.
    pub fn new(lines: Vec<Line<'static>>) -> Self {
        Self {
            lines,
            ..Self::default()
        }
    }

    /// The report with a cursor: movement selects a line instead of scrolling.
    #[must_use]
    pub const fn with_cursor(mut self) -> Self {
        self.cursor = Some(0);
        self
    }

    /// The report with its lines coloured by `paint`.
    #[must_use]
    pub const fn painted(mut self, paint: Paint) -> Self {
        self.paint = Some(paint);
        self
    }

    /// The selected line.
    pub const fn cursor(&self) -> Option<usize> {
        self.cursor
    }

    /// Selects a line, if lines can be selected.
    pub fn select(&mut self, line: usize) {
        let last = self.lines.len().saturating_sub(1);
        self.cursor = self.cursor.map(|_| line.min(last));
    }

    /// Other lines; position and search stay.
    pub fn set_lines(&mut self, lines: Vec<Line<'static>>) {
        self.lines = lines;
        let last = self.lines.len().saturating_sub(1);
        self.top = self.top.min(last);
        self.cursor = self.cursor.map(|cursor| cursor.min(last));
        self.search();
    }

    /// The lines.
    pub fn lines(&self) -> &[Line<'static>] {
        &self.lines
    }

    /// Where keys are looked up: while a search is typed, letters are text.
    pub const fn contexts(&self) -> &'static [Context] {
        if self.find.is_typing() {
            &[Context::Query, Context::Always]
        } else {
            &[
                Context::Report,
                Context::Movement,
                Context::Global,
                Context::Always,
            ]
        }
    }

    /// Whether a search is being typed.
    pub const fn is_typing(&self) -> bool {
        self.find.is_typing()
    }

    /// Whether something is searched for.
    pub fn is_searching(&self) -> bool {
        self.find.is_active()
    }

    /// Scrolls or searches; false if the action means neither here.
    pub fn update(&mut self, action: Action, viewport: Viewport) -> bool {
        match self.find.update(action) {
            FindEvent::Handled => return true,
            FindEvent::Moved => {
                self.show_match(viewport);
                return true;
            }
            FindEvent::Ignored => {}
        }
        let Some(by) = action.motion(viewport.page) else {
            return false;
        };
        self.scroll(by, viewport);
        true
    }

    /// Scrolls by lines, or moves the cursor.
    pub fn scroll(&mut self, by: isize, viewport: Viewport) {
        if let Some(cursor) = self.cursor {
            self.select(cursor.saturating_add_signed(by));
        } else {
            self.top = self.top.saturating_add_signed(by).min(viewport.last_top());
        }
    }

    /// Types a key into the search.
    pub fn key(&mut self, key: KeyEvent, viewport: Viewport) -> bool {
        let is_taken = self.find.key(key);
        if is_taken {
            self.search();
            self.show_match(viewport);
        }
        is_taken
    }

    /// Pastes into the search; false if none is typed.
    pub fn paste(&mut self, text: &str) -> bool {
        let is_taken = self.find.paste(text);
        if is_taken {
            self.search();
        }
        is_taken
    }

    fn search(&mut self) {
        let from = self.cursor.unwrap_or(self.top);
        self.find
            .search(from, self.lines.iter().map(Line::to_string));
    }

    fn show_match(&mut self, viewport: Viewport) {
        let page = viewport.page.max(1);
        let Some(line) = self.find.current() else {
            return;
        };
        self.select(line);
        if !(self.top..self.top + page).contains(&line) {
            self.top = line.saturating_sub(page / 3);
        }
    }
}

/// Draws a report: only the visible lines are wrapped.
#[derive(Debug)]
pub struct ReportLines<'a> {
    report: &'a Report,
    theme: &'a Theme,
}

impl<'a> ReportLines<'a> {
    /// The lines of `report`.
    pub const fn new(report: &'a Report, theme: &'a Theme) -> Self {
        Self { report, theme }
    }

    /// The first line to draw: that of the report, or the one that keeps the cursor in sight while
    /// moving away from `before` as little as possible.
    fn top(&self, before: usize, text: Rect) -> usize {
        match self.report.cursor {
            None => self.report.top,
            Some(cursor) => before.clamp(self.first_of_page(cursor, text), cursor),
        }
    }

    /// The first line of the page that ends with the line `last`.
    fn first_of_page(&self, last: usize, text: Rect) -> usize {
        let mut room = usize::from(text.height).max(1);
        let mut first = last;
        for place in (0..=last).rev() {
            let Some(line) = self.report.lines.get(place) else {
                break;
            };
            let rows = wrap_line(&cut(line), text.width, 2).len();
            if rows > room {
                break;
            }
            room -= rows;
            first = place;
        }
        first
    }

    fn line(&self, place: usize) -> Line<'static> {
        let line = &self.report.lines[place];
        let painted = |line: Line<'static>| match self.report.paint {
            Some(paint) => paint(&line.to_string(), self.theme),
            None => line,
        };
        if !self.report.find.matches(place) {
            return painted(cut(line));
        }
        let wanted = self.report.find.wanted();
        let mut highlighted = Line::default().style(line.style);
        for span in &painted(cut(line)).spans {
            mark(&span.content, &wanted, span, self.theme, &mut highlighted);
        }
        highlighted
    }
}

/// The beginning of a line, as long as is ever laid out.
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

/// Adds a span to a line, every occurrence of `wanted` (in lower case) highlighted.
fn mark(text: &str, wanted: &str, span: &Span<'_>, theme: &Theme, line: &mut Line<'static>) {
    let lower = text.to_lowercase();
    // Lower case may be longer or shorter than the text in a few scripts: then nothing is marked.
    if lower.len() != text.len() {
        line.push_span(Span::styled(text.to_owned(), span.style));
        return;
    }
    let mut from = 0;
    for (start, found) in lower.match_indices(wanted) {
        let end = start + found.len();
        if !text.is_char_boundary(start) || !text.is_char_boundary(end) {
            continue;
        }
        line.push_span(Span::styled(text[from..start].to_owned(), span.style));
        let style = span.style.patch(theme.highlight);
        line.push_span(Span::styled(text[start..end].to_owned(), style));
        from = end;
    }
    line.push_span(Span::styled(text[from..].to_owned(), span.style));
}

/// What a drawn report tells the view: the visible lines, and the cursor of its search.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReportLayout {
    /// The visible lines.
    pub viewport: Viewport,
    /// Where the search is typed.
    pub cursor: Option<Position>,
}

impl StatefulWidget for ReportLines<'_> {
    type State = ReportLayout;

    fn render(self, area: Rect, buffer: &mut Buffer, layout: &mut ReportLayout) {
        let has_find = self.report.is_searching();
        let text = Rect {
            height: area.height.saturating_sub(u16::from(has_find)),
            ..area
        };
        let last = self.first_of_page(self.report.lines.len().saturating_sub(1), text);
        let top = self.top(layout.viewport.top, text).min(last);
        let page = usize::from(text.height).max(1);
        // So many lines are on the last page: fewer than rows, where lines wrap.
        layout.viewport = Viewport {
            top,
            page,
            total: last + page.min(self.report.lines.len()),
            rows: Rect::default(),
        };
        let mut rows = text.rows();
        'lines: for place in top..self.report.lines.len() {
            let is_selected = self.report.cursor == Some(place);
            for line in wrap_line(&self.line(place), text.width, 2) {
                let Some(row) = rows.next() else {
                    break 'lines;
                };
                if is_selected {
                    buffer.set_style(row, self.theme.selected);
                }
                line.render(row, buffer);
            }
        }
        layout.cursor = None;
        if has_find {
            let line = Rect::new(area.x, text.bottom(), area.width, 1);
            FindLine::new(&self.report.find, self.theme).render(line, buffer, &mut layout.cursor);
        }
    }
}

#[cfg(test)]
mod tests {
    use crossterm::event::{KeyCode, KeyModifiers};

    use super::*;

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
            report.key(
                KeyEvent::new(KeyCode::Char(letter), KeyModifiers::NONE),
                page(5),
            );
        }
    }

    #[test]
    fn it_scrolls_to_its_end_and_no_further() {
        let mut report = report();
        report.update(Action::Last, page(5));
        assert_eq!(drawn(&report, 5)[4], "line 19");
        report.update(Action::Up, page(5));
        assert_eq!(drawn(&report, 5)[4], "line 18");
    }

    #[test]
    fn the_last_line_is_reached_though_lines_wrap() {
        let long = "word ".repeat(12);
        let mut report = Report::new((0..9).map(|n| Line::from(format!("{n} {long}"))).collect());
        let area = Rect::new(0, 0, 30, 6);
        let mut buffer = Buffer::empty(area);
        let mut layout = ReportLayout::default();
        ReportLines::new(&report, &Theme::MONO).render(area, &mut buffer, &mut layout);
        report.update(Action::Last, layout.viewport);
        // Three rows each: two lines are a page.
        assert_eq!(drawn(&report, 6)[0].split(' ').next(), Some("7"));
    }

    #[test]
    fn a_cursor_moves_by_lines_and_stays_in_sight() {
        let mut report = report().with_cursor();
        for _ in 0..7 {
            report.update(Action::Down, page(5));
        }
        assert_eq!(report.cursor(), Some(7));
        let rows = drawn(&report, 5);
        assert_eq!((rows[0].as_str(), rows[4].as_str()), ("line 3", "line 7"));
    }

    #[test]
    fn a_search_steps_through_its_matches() {
        let mut report = report();
        report.update(Action::Query, page(5));
        type_in(&mut report, "LINE 1");
        report.update(Action::Submit, page(5));
        let rows = drawn(&report, 6);
        assert_eq!(rows[0], "line 0");
        assert!(rows[5].contains("LINE 1") && rows[5].contains("1 of 11"));
        report.update(Action::FindPrevious, page(5));
        assert!(drawn(&report, 6).iter().any(|row| row == "line 19"));
        report.update(Action::Back, page(5));
        assert!(!report.is_searching());
    }

    #[test]
    fn a_huge_line_is_cut_and_says_how_long_it_is() {
        let report = Report::new(vec![Line::from("x".repeat(1_000_000))]);
        let last = cut(&report.lines()[0])
            .spans
            .last()
            .unwrap()
            .content
            .to_string();
        assert_eq!(last, "… (1000000 bytes)");
    }
}
