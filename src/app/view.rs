//! What a view can answer, and what it may do in return.
//!
//! A view is a screen, panel or dialog that lies over a pane: it has its state, its keys and its
//! drawing in one folder of `views`. The dispatcher in [`super`] knows views only by this trait.

use std::fmt;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Position, Rect};
use ratatui::text::Line;
use ratatui::widgets::{StatefulWidget, Widget};

use super::State;
use super::commands::Commands;
use super::export::{NotWritten, Written};
use super::frame_layout::{FrameLayout, Target};
use super::keymap::{Action, Context};
use super::message::{Effect, Toast};
use super::mutations::Completed;
use super::pane::Pane;
use super::remote::{Now, Ticket, Waiting};
use crate::api::{ApiError, Reply, Request};
use crate::domain::Field;
use crate::widgets::form::{Form, FormLayout, FormLines};
use crate::widgets::list::{List, ListLines};
use crate::widgets::panel::Size;
use crate::widgets::report::{Report, ReportLayout, ReportLines};
use crate::widgets::text_area::{TextArea, TextAreaLines};
use crate::widgets::text_input::{InputLine, Pasted, TextInput};
use crate::widgets::theme::Theme;
use crate::widgets::viewport::Viewport;

/// The end of a request: its reply, or why there is none.
pub type Response = Result<Reply, ApiError>;

/// Whether a view made something of what it was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Handled,
    /// It means nothing here; the dispatcher says so once.
    Ignored,
}

impl Outcome {
    pub const fn of(is_handled: bool) -> Self {
        if is_handled {
            Self::Handled
        } else {
            Self::Ignored
        }
    }
}

/// Whether an action can be taken now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Availability {
    Available,
    /// It means nothing here: no hint names it.
    Hidden,
    /// It cannot, for this reason.
    Disabled(String),
}

/// Where a view is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placement {
    /// Everything between header and footer, in place of the pane.
    Page,
    /// Over what is open below it, which is dimmed.
    Dialog,
}

/// A scrolling part of a view, by a number of the view's choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Region(pub u8);

impl Region {
    /// The part that the cursor keys move in.
    pub const MAIN: Self = Self(0);
    /// What goes with the selected line.
    pub const PREVIEW: Self = Self(1);
}

/// A screen, panel or dialog over a pane. Only `contexts`, `update` and `draw` have no default.
pub trait View: fmt::Debug + Send {
    /// Where its keys are looked up, the most specific context first.
    fn contexts(&self) -> &'static [Context];

    /// Does what an action means here.
    fn update(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome;

    /// Draws the view into `area`.
    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>);

    fn placement(&self) -> Placement {
        Placement::Page
    }

    /// Whether an action can be taken now; also asked for the actions of panes while the view is
    /// open.
    fn availability(&self, action: Action, state: &State) -> Availability {
        let _ = (action, state);
        Availability::Available
    }

    /// The name of an action's effect here, where the table's word is too general: `start`,
    /// `price offers`.
    fn hint(&self, action: Action) -> Option<&'static str> {
        let _ = action;
        None
    }

    /// Takes a key that no context binds: typed text.
    fn typed(&mut self, key: KeyEvent, cx: &mut Cx<'_>) -> Outcome {
        let _ = (key, cx);
        Outcome::Ignored
    }

    /// Whether typed characters go into a text now.
    fn takes_text(&self) -> bool {
        false
    }

    /// Takes a pasted text. Ignoring it tells the person that nothing can be pasted here.
    fn paste(&mut self, text: &str, cx: &mut Cx<'_>) -> Outcome {
        let _ = (text, cx);
        Outcome::Ignored
    }

    /// Takes a click on the line of a region.
    fn click(&mut self, region: Region, line: usize, cx: &mut Cx<'_>) -> Outcome {
        let _ = (region, line, cx);
        Outcome::Ignored
    }

    /// Takes a turn of the wheel, by so many lines; as so many steps of the cursor unless the view
    /// knows better.
    fn wheel(&mut self, lines: isize, cx: &mut Cx<'_>) {
        let action = if lines < 0 { Action::Up } else { Action::Down };
        for _ in 0..lines.unsigned_abs() {
            self.update(action, cx);
        }
    }

    /// Takes the response to one of its requests; gives back what it is not waiting for.
    fn response(
        &mut self,
        ticket: Ticket,
        response: Response,
        cx: &mut Cx<'_>,
    ) -> Option<Response> {
        let _ = (ticket, cx);
        Some(response)
    }

    /// Learns how a write ended; `Handled` if the view shows it, and no notice has to.
    fn write_completed(&mut self, write: &Completed, cx: &mut Cx<'_>) -> Outcome {
        let _ = (write, cx);
        Outcome::Ignored
    }

    /// Learns that a request waits or is tried again.
    fn progress(&mut self, ticket: Ticket, attempt: u32, waiting: Option<&Waiting>) {
        let _ = (ticket, attempt, waiting);
    }

    /// Whether keys answer a question here: those that may be a part of a paste do not.
    fn asks_consent(&self) -> bool {
        self.contexts().contains(&Context::Dialog)
    }

    /// Takes the end of an export of its own; gives back what it did not export.
    fn exported(
        &mut self,
        result: Result<Written, NotWritten>,
        cx: &mut Cx<'_>,
    ) -> Option<Result<Written, NotWritten>> {
        let _ = cx;
        Some(result)
    }

    /// When it wants [`View::tick`], on the monotonic clock.
    fn deadline(&self, state: &State, now: Now) -> Option<f64> {
        let _ = (state, now);
        None
    }

    /// The moment it asked for has come, or something outside the core has ended: a file was
    /// written, a market connected. May also come early.
    fn tick(&mut self, cx: &mut Cx<'_>) {
        let _ = cx;
    }

    /// Takes back the text that it gave to the person's editor by [`Effect::Edit`].
    fn edited(&mut self, text: &str, cx: &mut Cx<'_>) -> Outcome {
        let _ = (text, cx);
        Outcome::Ignored
    }

    /// Rows, prices or marks of a pane have changed: what was worked out from them is stale.
    fn rows_changed(&mut self, state: &State) {
        let _ = state;
    }

    /// The view above has closed.
    fn resumed(&mut self, cx: &mut Cx<'_>) {
        let _ = cx;
    }

    /// The view is closing: abort its requests, keep its draft.
    fn closing(&mut self, cx: &mut Cx<'_>) {
        let _ = cx;
    }
}

/// Opens the view that an action stands for where the keyboard is; false if it stands for none.
pub type Opener = fn(Action, &mut Cx<'_>) -> bool;

/// Where views come from: given to the core from outside, so that the core knows none by name.
#[derive(Debug, Clone, Copy)]
pub struct Views {
    /// Opens the view that an action stands for.
    pub open: Opener,
    /// Makes the view of a pane, over which all others open.
    pub pane: fn(Pane) -> Box<dyn View>,
}

/// A change to the stack of views, carried out when the view has returned.
#[derive(Debug)]
pub(super) enum Change {
    Open(Box<dyn View>),
    Close,
    CloseAll,
    Perform(Action),
    PerformOnPane(Action),
    GoTo(Pane),
}

/// What a view may read and do.
#[derive(Debug)]
pub struct Cx<'a> {
    pub now: Now,
    /// The market, its data and the person's settings.
    pub state: &'a mut State,
    pub(super) facts: &'a FrameLayout,
    pub(super) depth: usize,
    pub(super) commands: Option<Commands>,
    pub(super) changes: Vec<Change>,
    pub(super) effects: Vec<Effect>,
}

impl<'a> Cx<'a> {
    pub(super) const fn new(
        state: &'a mut State,
        facts: &'a FrameLayout,
        depth: usize,
        now: Now,
    ) -> Self {
        Self {
            now,
            state,
            facts,
            depth,
            commands: None,
            changes: Vec::new(),
            effects: Vec::new(),
        }
    }

    /// Opens a view over this one.
    pub fn open(&mut self, view: impl View + 'static) {
        self.changes.push(Change::Open(Box::new(view)));
    }

    /// Opens a view that needs something to be about; false if there is nothing.
    pub fn try_open<V: View + 'static>(&mut self, view: impl FnOnce(&State) -> Option<V>) -> bool {
        let view = view(self.state);
        let is_there = view.is_some();
        self.changes
            .extend(view.map(|view| Change::Open(Box::new(view))));
        is_there
    }

    /// What can be done from where the keyboard is, for a list of that which is about to open.
    pub const fn take_commands(&mut self) -> Option<Commands> {
        self.commands.take()
    }

    /// Whether nothing is open over the pane.
    pub const fn is_on_pane(&self) -> bool {
        self.depth == 0
    }

    pub fn close(&mut self) {
        self.changes.push(Change::Close);
    }

    /// Closes all views over the pane.
    pub fn close_all(&mut self) {
        self.changes.push(Change::CloseAll);
    }

    /// Does what an action means once the changes before it are made, as if its key was pressed.
    pub fn perform(&mut self, action: Action) {
        self.changes.push(Change::Perform(action));
    }

    /// Does what an action means to the pane below, whose selection this view moves: opening the
    /// details of the selected row, for one.
    pub fn perform_on_pane(&mut self, action: Action) {
        self.changes.push(Change::PerformOnPane(action));
    }

    /// Shows a pane; all views are closed.
    pub fn go_to(&mut self, pane: Pane) {
        self.changes.push(Change::GoTo(pane));
    }

    /// Sends a read; the response comes to [`View::response`] under this ticket.
    pub fn send(&mut self, request: Request) -> Ticket {
        let ticket = self.state.tickets.take();
        self.effects.push(Effect::Call { ticket, request });
        ticket
    }

    /// Stops waiting for a read.
    pub fn abort(&mut self, ticket: Ticket) {
        self.effects.push(Effect::Abort(ticket));
    }

    /// Lets something be done outside the core.
    pub fn effect(&mut self, effect: Effect) {
        self.effects.push(effect);
    }

    /// Lets several things be done outside the core.
    pub fn effects(&mut self, effects: impl IntoIterator<Item = Effect>) {
        self.effects.extend(effects);
    }

    pub fn toast(&mut self, text: impl Into<String>) {
        self.state.toast = Some(Toast::new(text, self.now));
    }

    /// Shows a short notice that something went wrong.
    pub fn complain(&mut self, text: impl Into<String>) {
        self.state.toast = Some(Toast::error(text, self.now));
    }

    /// Says what a paste left out.
    pub fn pasted(&mut self, pasted: Pasted) {
        if pasted.refused > 0 {
            let many = pasted.refused;
            self.complain(format!("{many} invisible or control characters left out"));
        }
    }

    /// What the last frame showed of a region.
    pub fn viewport(&self, region: Region) -> Viewport {
        self.facts.viewport(self.depth, region)
    }

    /// The columns of the table that the last frame showed, and where it was scrolled to.
    pub fn columns(&self) -> (Vec<&'static Field>, usize) {
        (self.facts.headers().collect(), self.facts.column_offset)
    }

    /// The columns that table and preview shared in the last frame.
    pub fn split_width(&self) -> u16 {
        self.facts
            .split
            .map_or(self.state.size.0, |(_, width)| width)
    }

    /// By how many lines an action moves in the main region, if it moves.
    pub fn motion(&self, action: Action) -> Option<isize> {
        action.motion(self.viewport(Region::MAIN).page)
    }
}

/// What a view draws on, and what it may read while it does.
pub struct Scene<'a, 'b> {
    pub frame: &'a mut Frame<'b>,
    pub theme: &'a Theme,
    /// The market, its data and the person's settings.
    pub state: &'a State,
    pub now: Now,
    /// How much room the screen has.
    pub size: Size,
    /// What this frame has measured so far.
    pub(crate) facts: &'a mut FrameLayout,
    /// What the frame before has measured.
    pub(crate) before: &'a FrameLayout,
    pub(crate) depth: usize,
    pub(crate) cursor: Option<Position>,
}

impl fmt::Debug for Scene<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scene").finish_non_exhaustive()
    }
}

impl Scene<'_, '_> {
    pub fn render(&mut self, widget: impl Widget, area: Rect) {
        self.frame.render_widget(widget, area);
    }

    /// Draws a scrolling widget, which keeps its place from frame to frame; gives what it shows.
    pub fn scroll(
        &mut self,
        region: Region,
        widget: impl StatefulWidget<State = Viewport>,
        area: Rect,
    ) -> Viewport {
        let mut viewport = self.before.viewport(self.depth, region);
        self.frame
            .render_stateful_widget(widget, area, &mut viewport);
        self.facts.viewports.push((self.depth, region, viewport));
        viewport
    }

    /// Draws the lines of a list.
    pub fn list<T: Clone>(&mut self, region: Region, list: &List<T>, area: Rect) -> Viewport {
        self.scroll(region, ListLines::new(list, self.theme), area)
    }

    /// Draws a report with its search.
    pub fn report(&mut self, region: Region, report: &Report, area: Rect) -> Viewport {
        self.report_of(region, report, report.lines(), area)
    }

    /// Draws a report with other styles, or fresher figures, than it was last searched with.
    pub fn report_of(
        &mut self,
        region: Region,
        report: &Report,
        lines: &[Line<'static>],
        area: Rect,
    ) -> Viewport {
        let mut layout = ReportLayout {
            viewport: self.before.viewport(self.depth, region),
            cursor: None,
        };
        let lines = ReportLines::new(report, self.theme).showing(lines);
        self.frame.render_stateful_widget(lines, area, &mut layout);
        self.cursor = layout.cursor.or(self.cursor);
        let viewport = layout.viewport;
        self.facts.viewports.push((self.depth, region, viewport));
        viewport
    }

    /// Draws a list with its search line above it.
    pub fn searched_list<T: Clone>(&mut self, list: &List<T>, area: Rect) {
        let [line, lines] =
            Layout::vertical([Constraint::Length(1), Constraint::Fill(1)]).areas(area);
        self.render(Line::styled("/ ", self.theme.accent), line);
        let typed = Rect {
            x: line.x + 2,
            width: line.width.saturating_sub(2),
            ..line
        };
        self.input(&list.input, "type to search", typed);
        self.list(Region::MAIN, list, lines);
    }

    /// Draws a form in the main region; a click gives the place of a field.
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
        self.facts
            .viewports
            .push((self.depth, Region::MAIN, viewport));
        for (place, field) in layout.fields {
            self.clickable(place, Target::Item(Region::MAIN, field));
        }
    }

    /// Draws a text of several lines that is edited, and puts the cursor there; a click gives a line.
    pub fn text_area(&mut self, region: Region, text: &TextArea, area: Rect) {
        let lines = TextAreaLines::new(text, self.theme);
        let mut cursor = None;
        self.frame.render_stateful_widget(lines, area, &mut cursor);
        self.cursor = cursor;
        let mut viewport = Viewport::default();
        viewport.scroll_to(text.top(), text.lines().len(), area);
        self.facts.viewports.push((self.depth, region, viewport));
    }

    /// Draws a line in which text is typed, and puts the cursor there.
    pub fn input(&mut self, input: &TextInput, placeholder: &str, area: Rect) {
        let line = InputLine::new(input, self.theme).placeholder(placeholder);
        let mut cursor = None;
        self.frame.render_stateful_widget(line, area, &mut cursor);
        self.cursor = cursor;
    }

    /// Writes a fact on the right of a panel's top border that is known only when the content is
    /// drawn, such as which lines are visible; if the title of `title` cells leaves room for it.
    pub fn label_border(&mut self, panel: Rect, title: u16, fact: &str) {
        let line = Line::styled(format!(" {fact} "), self.theme.dim);
        let width = u16::try_from(line.width()).unwrap_or(u16::MAX);
        if width <= panel.width.saturating_sub(title + 6) {
            let place = Rect::new(panel.right() - 1 - width, panel.y, width, 1);
            self.render(line, place);
        }
    }

    pub fn clickable(&mut self, area: Rect, target: Target) {
        self.facts.targets.push((area.into(), target));
    }

    /// The key of an action where these contexts are asked, as it is shown.
    pub fn key_in(&self, contexts: &[Context], action: Action) -> String {
        self.state.keymap.key_in(contexts, action)
    }

    /// Lets the mouse drag the border between two panels, which share these columns.
    pub fn divider(&mut self, border: Rect, columns: Rect) {
        self.facts.split = Some((columns.x, columns.width));
        self.clickable(border, Target::Rule);
    }

    /// The key of an action, as it is shown.
    pub fn key(&self, action: Action) -> String {
        self.state.keymap.key_of(action)
    }
}
