//! Text that is read, scrolled and searched.

use crossterm::event::KeyEvent;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{StatefulWidget, Widget};

use super::text::wrap_line;
use super::text_input::{InputLine, TextInput};
use super::theme::Theme;
use super::viewport::Viewport;
use crate::app::keymap::{Action, Context};

/// The most characters of one line that are laid out: a server's text may be megabytes without a
/// break, and no screen shows more than this.
const LONGEST_LINE: usize = 16 * 1024;

/// Cells by which the continued rows of a line are indented.
const INDENT: u16 = 2;

/// Gives a line its colours, which come from the theme of the frame.
pub type Paint = fn(&Line<'static>, &Theme) -> Line<'static>;

/// Lines with a position and a search.
#[derive(Debug, Default)]
pub struct Report {
    lines: Vec<Line<'static>>,
    /// The first visible line.
    top: usize,
    /// Rows of that line that are scrolled away: one line may be longer than the screen.
    skip: usize,
    find: Find,
    paint: Option<Paint>,
}

/// What is searched for in a report.
#[derive(Debug, Default)]
struct Find {
    input: TextInput,
    is_typing: bool,
    /// The lines that match, ascending.
    matches: Vec<usize>,
    at: usize,
}

impl Report {
    /// A report at its first line.
    pub fn new(lines: Vec<Line<'static>>) -> Self {
        Self {
            lines,
            ..Self::default()
        }
    }

    /// Colours the visible lines as they are drawn.
    #[must_use]
    pub const fn painted(mut self, paint: Paint) -> Self {
        self.paint = Some(paint);
        self
    }

    /// Other lines; position and search stay.
    pub fn set_lines(&mut self, lines: Vec<Line<'static>>) {
        self.lines = lines;
        self.top = self.top.min(self.lines.len().saturating_sub(1));
        self.search();
    }

    /// The lines.
    pub fn lines(&self) -> &[Line<'static>] {
        &self.lines
    }

    /// Where keys are looked up: while a search is typed, letters are text.
    pub const fn contexts(&self) -> &'static [Context] {
        if self.find.is_typing {
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
        self.find.is_typing
    }

    /// Whether something is searched for.
    pub fn is_searching(&self) -> bool {
        self.find.is_typing || !self.find.input.is_empty()
    }

    /// Scrolls or searches; false if the action means neither here.
    pub fn update(&mut self, action: Action, viewport: Viewport) -> bool {
        match action {
            Action::Query => self.find.is_typing = true,
            Action::FindNext if self.is_searching() => self.step_match(1, viewport),
            Action::FindPrevious if self.is_searching() => self.step_match(-1, viewport),
            Action::FindNext | Action::FindPrevious => self.find.is_typing = true,
            Action::Submit if self.find.is_typing => {
                self.find.is_typing = false;
                self.show_match(viewport);
            }
            Action::Back if self.is_searching() => self.find = Find::default(),
            Action::Older if self.find.is_typing => self.step_match(-1, viewport),
            Action::Newer if self.find.is_typing => self.step_match(1, viewport),
            _ => {
                let Some(by) = action.motion(viewport.page) else {
                    return false;
                };
                self.scroll(by, viewport);
            }
        }
        true
    }

    /// Scrolls by rows of the screen.
    pub fn scroll(&mut self, by: isize, viewport: Viewport) {
        let (here, width) = ((self.top, self.skip), viewport.width);
        let last = self.last_top(viewport.page, width);
        let top = match by {
            // To the ends without laying out everything on the way.
            isize::MIN => (0, 0),
            isize::MAX => last,
            up if up < 0 => self.above(here, up.unsigned_abs(), width),
            down => self.below(here, down.unsigned_abs(), width),
        };
        (self.top, self.skip) = top.min(last);
    }

    /// How many rows a line takes.
    fn rows(&self, line: usize, width: u16) -> usize {
        match self.lines.get(line) {
            Some(line) if width > 0 => wrap_line(&cut(line), width, INDENT).len().max(1),
            _ => 1,
        }
    }

    /// The place so many rows below another; behind the last line if there is none.
    fn below(&self, from: (usize, usize), rows: usize, width: u16) -> (usize, usize) {
        let (mut line, mut row) = (from.0, from.1.saturating_add(rows));
        while line < self.lines.len() {
            let own = self.rows(line, width);
            if row < own {
                break;
            }
            row -= own;
            line += 1;
        }
        (line, row)
    }

    /// The place so many rows above another; the beginning if there is none.
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

    /// The lowest place that the top can have.
    fn last_top(&self, page: usize, width: u16) -> (usize, usize) {
        self.above((self.lines.len(), 0), page.max(1), width)
    }

    /// Types a key into the search.
    pub fn key(&mut self, key: KeyEvent, viewport: Viewport) -> bool {
        let is_taken = self.find.is_typing && self.find.input.key(key);
        if is_taken {
            self.search();
            self.show_match(viewport);
        }
        is_taken
    }

    /// Pastes into the search; false if none is typed.
    pub fn paste(&mut self, text: &str) -> bool {
        if self.find.is_typing {
            self.find.input.paste(text);
            self.search();
        }
        self.find.is_typing
    }

    fn search(&mut self) {
        let wanted = self.find.input.text().to_lowercase();
        self.find.matches.clear();
        if !wanted.is_empty() {
            let holds = |line: &Line<'_>| line.to_string().to_lowercase().contains(&wanted);
            let found = self
                .lines
                .iter()
                .enumerate()
                .filter(|(_, line)| holds(line));
            self.find.matches.extend(found.map(|(place, _)| place));
        }
        // The first match from where one reads, not from the beginning.
        let next = self.find.matches.iter().position(|line| *line >= self.top);
        self.find.at = next.unwrap_or(0);
    }

    fn step_match(&mut self, by: isize, viewport: Viewport) {
        let many = self.find.matches.len();
        if many > 0 {
            let at = self.find.at.checked_add_signed(by).unwrap_or(many - 1);
            self.find.at = at % many;
            self.show_match(viewport);
        }
    }

    fn show_match(&mut self, viewport: Viewport) {
        let Some(line) = self.find.matches.get(self.find.at).copied() else {
            return;
        };
        let place = (line, self.row_of_match(line, viewport.width));
        let (page, width) = (viewport.page.max(1), viewport.width);
        let end = self.below((self.top, self.skip), page, width);
        if !((self.top, self.skip)..end).contains(&place) {
            let top = self.above(place, page / 3, width);
            (self.top, self.skip) = top.min(self.last_top(page, width));
        }
    }

    /// The row of a matching line in which the match begins; the first if it is broken over two.
    fn row_of_match(&self, line: usize, width: u16) -> usize {
        let wanted = self.find.input.text().to_lowercase();
        let Some(line) = self.lines.get(line).filter(|_| width > 0) else {
            return 0;
        };
        let mut rows = wrap_line(&cut(line), width, INDENT).into_iter();
        let holds = |row: Line<'_>| row.to_string().to_lowercase().contains(&wanted);
        rows.position(holds).unwrap_or(0)
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

    /// Draws the search line; gives the place of the cursor while a search is typed.
    fn find(&self, area: Rect, buffer: &mut Buffer) -> Option<Position> {
        let find = &self.report.find;
        let count = match (find.input.is_empty(), find.matches.len()) {
            (true, _) => String::new(),
            (false, 0) => "no match".to_owned(),
            (false, many) => format!("{} of {many}", find.at + 1),
        };
        Line::styled("/", self.theme.accent).render(area, buffer);
        let width = area.width.saturating_sub(16);
        let typed = Rect::new(area.x + 2, area.y, width, 1);
        let mut cursor = None;
        InputLine::new(&find.input, self.theme).render(typed, buffer, &mut cursor);
        let rest = Rect::new(typed.right() + 1, area.y, 13, 1).intersection(area);
        Line::styled(count, self.theme.dim).render(rest, buffer);
        cursor.filter(|_| find.is_typing)
    }

    fn line(&self, place: usize) -> Line<'static> {
        let line = &self.report.lines[place];
        let wanted = self.report.find.input.text().to_lowercase();
        let mut line = cut(line);
        if let Some(paint) = self.report.paint {
            line = paint(&line, self.theme);
        }
        let find = &self.report.find;
        let Ok(number) = find.matches.binary_search(&place) else {
            return line;
        };
        let style = if number == find.at {
            self.theme.selected
        } else {
            self.theme.highlight
        };
        mark(&line, &wanted, style)
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

/// The line with every occurrence of `wanted` (in lower case) highlighted, also across spans.
fn mark(line: &Line<'static>, wanted: &str, style: Style) -> Line<'static> {
    let text = line.to_string();
    let lower = text.to_lowercase();
    // Lower case may be longer or shorter than the text in a few scripts: then nothing is marked.
    if lower.len() != text.len() {
        return line.clone();
    }
    let found: Vec<_> = lower
        .match_indices(wanted)
        .map(|(start, found)| start..start + found.len())
        .filter(|range| text.is_char_boundary(range.start) && text.is_char_boundary(range.end))
        .collect();
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
        for range in &found {
            push(range.start.clamp(start, end), span.style);
            push(range.end.clamp(start, end), span.style.patch(style));
        }
        push(end, span.style);
        behind = end;
    }
    Line::from(spans).style(line.style)
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
        let total = self.report.lines.len();
        layout.viewport.scroll_to(self.report.top, total, text);
        layout.viewport.rows = Rect::default();
        let report = self.report;
        // The screen may have become wider since the last scrolling.
        let last = report.last_top(layout.viewport.page, text.width);
        let (top, mut skip) = (report.top, report.skip).min(last);
        let mut rows = text.rows();
        'lines: for place in top..total {
            let wrapped = wrap_line(&self.line(place), text.width, INDENT);
            for line in wrapped.into_iter().skip(std::mem::take(&mut skip)) {
                let Some(row) = rows.next() else {
                    break 'lines;
                };
                line.render(row, buffer);
            }
        }
        layout.cursor = None;
        if has_find {
            let line = Rect::new(area.x, text.bottom(), area.width, 1);
            layout.cursor = self.find(line, buffer);
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
    fn a_line_longer_than_the_page_is_read_row_by_row() {
        let words: Vec<String> = (0..30).map(|number| format!("word{number:02}")).collect();
        let mut report = Report::new(vec![Line::from(words.join(" ")), Line::from("end")]);
        let narrow = Viewport {
            width: 8,
            ..page(4)
        };
        report.scroll(10, narrow);
        assert_eq!((report.top, report.skip), (0, 10));
        report.update(Action::Last, narrow);
        assert_eq!((report.top, report.skip), (0, 27));
        report.update(Action::Query, narrow);
        type_in(&mut report, "word12");
        report.show_match(narrow);
        assert!(report.skip <= 12 && 12 < report.skip + 4, "{}", report.skip);
        report.update(Action::First, narrow);
        assert_eq!((report.top, report.skip), (0, 0));
    }

    #[test]
    fn the_current_match_is_told_from_the_others_without_colour() {
        let mut report = report();
        report.update(Action::Query, page(5));
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
        let line = Line::from(vec![
            Span::raw("\"price\""),
            Span::raw(": "),
            Span::raw("1.50"),
        ]);
        let marked = mark(&line, "price\": 1", Style::new().bold());
        let bold = |span: &&Span<'_>| span.style == Style::new().bold();
        let text: String = marked
            .spans
            .iter()
            .filter(bold)
            .map(|span| &*span.content)
            .collect();
        assert_eq!(text, "price\": 1");
        assert_eq!(marked.to_string(), line.to_string());
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
