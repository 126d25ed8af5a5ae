//! The drawing context of a view.

use std::fmt;

use ratatui::Frame;
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::{Constraint, Layout, Position, Rect};
use ratatui::text::Line;
use ratatui::widgets::{Scrollbar, ScrollbarOrientation, ScrollbarState, StatefulWidget, Widget};

use super::frame_layout::{FrameLayout, Region, Target};
use super::state::State;
use super::view::Views;
use crate::domain::Resource;
use crate::domain::time::Now;
use crate::keys::pane::Pane;
use crate::keys::{Action, Context};
use crate::tui::find::{Find, FindLine};
use crate::tui::form::{Form, FormLayout, FormLines};
use crate::tui::list::{List, ListLines};
use crate::tui::panel::{Panel, Size};
use crate::tui::records::Records;
use crate::tui::report::{Report, ReportLayout, ReportLines};
use crate::tui::table::{Table, place};
use crate::tui::text::cells;
use crate::tui::text_area::{TextArea, TextAreaLines};
use crate::tui::text_input::{InputLine, TextInput};
use crate::tui::theme::Theme;
use crate::tui::viewport::Viewport;

/// The drawing context of a view: the frame, and the state it may read.
pub struct Scene<'a, 'b> {
    pub frame: &'a mut Frame<'b>,
    pub theme: &'a Theme,
    /// The market, its data and the user's settings.
    pub state: &'a State,
    pub now: Now,
    /// The size class of the screen.
    pub size: Size,
    /// The measurements of this frame so far.
    pub(crate) layout: &'a mut FrameLayout,
    /// The measurements of the last frame.
    pub(crate) before: &'a FrameLayout,
    pub(crate) depth: usize,
    /// The views of other features, for parts of this one.
    pub(crate) views: Views,
    pub(crate) cursor: Option<Position>,
    /// The tabs that the drawn view is one of: their common title, their names and the open one.
    pub(crate) tabs: Option<(&'static str, Vec<&'static str>, usize)>,
}

impl fmt::Debug for Scene<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scene").finish_non_exhaustive()
    }
}

impl Scene<'_, '_> {
    /// Draws the card of a record, by its row number in the resource's table, into the area beside its list.
    pub fn card(&mut self, resource: Resource, row: usize, area: Rect) {
        (self.views.card)(resource, row, area, self);
    }

    /// Draws the price over time of offers or volumes like a row; nothing if too little is recorded.
    pub fn past(&mut self, resource: Resource, row: usize, area: Rect) {
        (self.views.past)(resource, row, area, self);
    }

    /// Draws a pane as it is at first, not in its current state.
    pub fn pane(&mut self, pane: Pane, area: Rect) {
        (self.views.pane)(pane).draw(area, self);
    }

    /// Draws a widget into the area, not clickable and without a viewport.
    pub fn render(&mut self, widget: impl Widget, area: Rect) {
        self.frame.render_widget(widget, area);
    }

    /// Draws lines from the top of the area, unwrapped; lines below its end are omitted.
    pub fn lines(&mut self, lines: &[Line<'_>], area: Rect) {
        for (line, row) in lines.iter().zip(area.rows()) {
            self.frame.render_widget(line, row);
        }
    }

    /// Draws a scrolling widget from its scroll position in the last frame, with a sign if lines are out of
    /// sight; records and returns its new viewport.
    pub fn scroll(&mut self, region: Region, widget: impl StatefulWidget<State = Viewport>, area: Rect) -> Viewport {
        let mut viewport = self.before.viewport(self.depth, region);
        self.frame.render_stateful_widget(widget, area, &mut viewport);
        self.layout.viewports.push((self.depth, region, viewport));
        self.show_more(&viewport, area);
        viewport
    }

    /// Shows that lines of a scrolling area are out of sight: by the thumb of a scrollbar on the border at
    /// its right, else by the numbers of the visible lines in the border below it. Nothing is drawn over
    /// other signs.
    fn show_more(&mut self, viewport: &Viewport, area: Rect) {
        if viewport.total <= viewport.page {
            return;
        }
        let lines = if viewport.rows.is_empty() { area } else { viewport.rows };
        let (theme, buffer) = (self.theme, self.frame.buffer_mut());
        let symbol = |x: u16, y: u16| buffer.cell((x, y)).map(Cell::symbol);
        let is_column_of = |x: u16, signs: &[&str]| {
            let mut rows = lines.y..lines.bottom();
            rows.all(|y| symbol(x, y).is_some_and(|symbol| signs.contains(&symbol)))
        };
        // A list has a blank column before the border.
        let right = lines.right() + u16::from(is_column_of(lines.right(), &[" "]));
        if is_column_of(right, &["│", "┃"]) {
            let bar = Rect {
                x: right,
                width: 1,
                ..lines
            };
            scrollbar(viewport, bar, theme, buffer);
            return;
        }
        let label = format!(" {} ", viewport.label());
        let width = cells(&label);
        let Some(left) = area.right().checked_sub(width + 1).filter(|left| *left >= area.x) else {
            return;
        };
        if (left..left + width).all(|x| matches!(symbol(x, area.bottom()), Some("─" | "━"))) {
            buffer.set_string(left, area.bottom(), label, theme.dim);
        }
    }

    /// Draws records as a table with as many columns as fit; `cursor` is the highlighted row. Returns its
    /// viewport.
    pub fn table<R>(
        &mut self,
        region: Region,
        records: &Records<'_, R>,
        cursor: Option<usize>,
        area: Rect,
    ) -> Viewport {
        let placed = place(records.columns(), area.width);
        let table = Table::new(records, records.columns(), &placed, cursor, self.theme);
        self.scroll(region, table, area)
    }

    /// Draws the lines of a list, scrolled to its cursor; returns its viewport.
    pub fn list<T: Clone>(&mut self, region: Region, list: &List<T>, area: Rect) -> Viewport {
        self.scroll(region, ListLines::new(list, self.theme, sentence_advice), area)
    }

    /// Draws the line of a search, and sets the terminal's cursor while it is typed.
    pub fn find_line(&mut self, find: &Find, area: Rect) {
        let mut cursor = None;
        let line = FindLine::new(find, self.theme, sentence_advice);
        self.frame.render_stateful_widget(line, area, &mut cursor);
        self.cursor = cursor.or(self.cursor);
    }

    /// Draws a report, and below it its search line while that is open; returns its viewport.
    pub fn report(&mut self, region: Region, report: &Report, area: Rect) -> Viewport {
        self.report_lines(region, ReportLines::new(report, self.theme), area)
    }

    /// Draws a report with `lines` in place of its own, which differ only in styles or figures; returns its
    /// viewport.
    pub fn report_of(&mut self, region: Region, report: &Report, lines: &[Line<'static>], area: Rect) -> Viewport {
        let lines = ReportLines::new(report, self.theme).showing(lines);
        self.report_lines(region, lines, area)
    }

    /// Draws the lines of a report, sets the terminal's cursor if its search is typed, and returns the
    /// viewport.
    fn report_lines(&mut self, region: Region, lines: ReportLines<'_>, area: Rect) -> Viewport {
        let lines = lines.advising(sentence_advice);
        let mut layout = ReportLayout {
            viewport: self.before.viewport(self.depth, region),
            cursor: None,
        };
        self.frame.render_stateful_widget(lines, area, &mut layout);
        self.cursor = layout.cursor.or(self.cursor);
        let viewport = layout.viewport;
        self.layout.viewports.push((self.depth, region, viewport));
        self.show_more(&viewport, area);
        viewport
    }

    /// Draws a list in the main region, with its search line in the first row.
    pub fn searched_list<T: Clone>(&mut self, list: &List<T>, area: Rect) {
        let [line, lines] = Layout::vertical([Constraint::Length(1), Constraint::Fill(1)]).areas(area);
        self.render(Line::styled("/ ", self.theme.accent), line);
        let typed = Rect {
            x: line.x + 2,
            width: line.width.saturating_sub(2),
            ..line
        };
        self.input(&list.input, "type to search", typed);
        self.list(Region::MAIN, list, lines);
    }

    /// Draws a form in the main region; clicks report the index of a field.
    pub fn form<K: Copy + Eq>(&mut self, form: &Form<K>, area: Rect) {
        let before = self.before.viewport(self.depth, Region::MAIN);
        let mut layout = FormLayout {
            top: before.top,
            ..FormLayout::default()
        };
        let lines = FormLines::new(form, self.theme);
        self.frame.render_stateful_widget(lines, area, &mut layout);
        self.cursor = layout.cursor.or(self.cursor);
        let viewport = Viewport {
            top: layout.top,
            page: usize::from(area.height),
            total: layout.total,
            width: area.width,
            rows: Rect::default(),
        };
        self.layout.viewports.push((self.depth, Region::MAIN, viewport));
        self.show_more(&viewport, area);
        for (area_of_field, field) in layout.fields {
            self.clickable(area_of_field, Target::Item(Region::MAIN, field));
        }
    }

    /// Draws a multi-line text editor and its cursor; clicks report a line.
    pub fn text_area(&mut self, region: Region, text: &TextArea, area: Rect) {
        let lines = TextAreaLines::new(text, self.theme);
        let mut cursor = None;
        self.frame.render_stateful_widget(lines, area, &mut cursor);
        self.cursor = cursor;
        let mut viewport = Viewport::default();
        viewport.scroll_to(text.top(), text.lines().len(), area);
        self.layout.viewports.push((self.depth, region, viewport));
        self.show_more(&viewport, area);
    }

    /// Draws a one-line text field and its cursor, with `placeholder` while it is empty.
    pub fn input(&mut self, input: &TextInput, placeholder: &str, area: Rect) {
        let line = InputLine::new(input, self.theme).placeholder(placeholder);
        let mut cursor = None;
        self.frame.render_stateful_widget(line, area, &mut cursor);
        self.cursor = cursor;
    }

    /// Draws the frame of a panel, whose tabs can be clicked; returns the area inside it.
    pub fn framed(&mut self, panel: Panel<'_>, area: Rect) -> Rect {
        for (index, cell) in panel.tab_areas(area).into_iter().enumerate() {
            self.clickable(cell, Target::Item(Region::TABS, index));
        }
        panel.render(area, self.frame.buffer_mut(), self.theme)
    }

    /// Draws the frame of a panel as [`Scene::framed`] does, on a small screen without borders at the sides;
    /// returns the area inside it.
    pub fn panel(&mut self, panel: Panel<'_>, area: Rect) -> Rect {
        self.framed(panel.sized(self.size), area)
    }

    /// The main panel of a view, with the keyboard: with the names of the tabs in its border if the view is
    /// one of several, else with `title`. It is not drawn yet.
    pub fn tabbed_panel(&self, title: &str) -> Panel<'static> {
        let panel = match &self.tabs {
            Some((title, names, open)) => Panel::new(*title).tabs(names.iter().copied(), *open),
            None => Panel::new(title.to_owned()),
        };
        panel.focused(true).sized(self.size)
    }

    /// Draws the main panel of a view with facts at its right, the most important first; returns the area
    /// inside it.
    pub fn tabbed(&mut self, title: &str, facts: String, area: Rect) -> Rect {
        self.framed(self.tabbed_panel(title).note(facts), area)
    }

    /// Draws a text at the right end of a panel's top border, unless the title, `title` cells wide, leaves
    /// too little room for it. For facts that are known only after drawing, such as the visible lines.
    pub fn label_border(&mut self, panel: Rect, title: u16, fact: &str) {
        let line = Line::styled(format!(" {fact} "), self.theme.dim);
        let width = u16::try_from(line.width()).unwrap_or(u16::MAX);
        if width <= panel.width.saturating_sub(title + 6) {
            let cell = Rect::new(panel.right() - 1 - width, panel.y, width, 1);
            self.render(line, cell);
        }
    }

    /// Makes an area react to clicks as `target`; a later area lies over earlier ones.
    pub fn clickable(&mut self, area: Rect, target: Target) {
        self.layout.targets.push((area, target));
    }

    /// The displayed key of an action in the first of these contexts that binds it; if none does, as from
    /// `key`.
    pub fn key_in(&self, contexts: &[Context], action: Action) -> String {
        self.state.keymap.key_in(contexts, action)
    }

    /// Lets the mouse drag the divider drawn at `border` between two panels that share `columns`.
    pub fn draggable_divider(&mut self, border: Rect, columns: Rect) {
        self.layout.split = Some((columns.x, columns.width));
        self.clickable(border, Target::Rule);
    }

    /// The displayed key of an action, in any context; without a key, that of the palette and the action's
    /// name.
    pub fn key(&self, action: Action) -> String {
        self.state.keymap.key_of(action)
    }
}

/// Draws the thumb of a scrollbar at the right edge of `column`, at the place and of the length that the
/// visible lines have among all; the cells above and below it stay as they are.
pub(crate) fn scrollbar(viewport: &Viewport, column: Rect, theme: &Theme, buffer: &mut Buffer) {
    let mut state = ScrollbarState::new(viewport.last_top()).position(viewport.top);
    let bar = Scrollbar::new(ScrollbarOrientation::VerticalRight)
        .begin_symbol(None)
        .end_symbol(None)
        .track_symbol(None)
        .thumb_symbol("▐")
        .thumb_style(theme.border);
    bar.render(column, buffer, &mut state);
}

/// The advice on a search that matches nothing: after several words, which may be a sentence, the place for those.
fn sentence_advice(typed: &str) -> &'static str {
    /// The fewest words of a sentence.
    const SENTENCE: usize = 3;
    if typed.split_whitespace().count() < SENTENCE {
        return "";
    }
    "; sentences are for the search of Offers"
}
