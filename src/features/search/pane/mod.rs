//! A pane with a table of records: offers, volumes or workergroups.

mod advice;
mod arriving;
mod banner;
mod cells;
pub(super) mod columns;
mod draw;
mod empty;
mod first_run;
mod gone;
mod query;
mod recorded;
mod submit;
mod table;

use ratatui::layout::Rect;

use crate::core::State;
use crate::core::view::{Availability, Cx, Outcome, Region, Scene, View};
use crate::domain::format::counted;
use crate::domain::time::{MonotonicTime, Now};
use crate::domain::{Field, Kind, Resource};
use crate::features::market::summary as market;
use crate::features::market::summary::Overview;
use crate::features::market_line;
use crate::keys::{Action, Context, Motion, Side, Step};
use crate::table::browser::Browser;
use crate::table::remote::Phase;
use crate::table::suggestions::Remedy;
use crate::tui::input_widget::InputWidget;
use crate::tui::panel::Size;

/// The region of the completion list below the query.
const POPUP: Region = Region(8);

/// The effect of Enter where a remedy replaces the rows.
const fn effect(remedy: &Remedy) -> &'static str {
    match remedy {
        Remedy::Suggestion => "apply suggestion",
        Remedy::Respelling(_) => "search for that",
        Remedy::WithoutWords => "search without these words",
    }
}

/// The part of the pane that has the keyboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Focus {
    Table,
    Query,
    /// The market panel beside the table on a wide screen.
    Market,
}

/// The pane of a resource.
#[derive(Debug)]
pub struct BrowserPane {
    resource: Resource,
    focus: Focus,
    market: Overview,
    /// The change of the search that Enter makes where no row is shown.
    remedy: Option<Remedy>,
}

impl BrowserPane {
    /// The pane of a resource, with the keyboard in the table.
    pub fn new(resource: Resource) -> Self {
        Self {
            resource,
            focus: Focus::Table,
            market: Overview::default(),
            remedy: None,
        }
    }

    /// Whether the market panel is shown beside the table: on a wide screen, unless it is empty.
    fn shows_market(&self, size: Size) -> bool {
        size == Size::Wide && !self.market.is_empty()
    }

    /// Handles an action on the rows: motion, suggestions, scrolled columns, marks, sort order, requests,
    /// price type, reset, preview and Esc. Ignored if it is none of these.
    fn on_table(&self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        let (now, step) = (cx.now, cx.motion(action));
        let browser = cx.table(self.resource);
        if let Some(step) = step {
            browser.step(step);
            return Outcome::Handled;
        }
        match action {
            Action::Open if let Some(remedy) = browser.remedy() => match remedy {
                Remedy::WithoutWords => submit::without_words(self.resource, None, cx),
                Remedy::Respelling(words) => submit::without_words(self.resource, Some(words), cx),
                Remedy::Suggestion => {
                    if browser.take_suggestions() {
                        self.refresh(cx);
                    }
                }
            },
            Action::Left | Action::Move(Motion::FirstColumn) => scroll(self.resource, action, cx),
            Action::Right | Action::Move(Motion::LastColumn) => scroll(self.resource, action, cx),
            Action::Mark => browser.mark(),
            Action::Unmark => browser.unmark_all(),
            Action::MarkedOnly => {
                if let Some(marked) = browser.marked_condition() {
                    browser.jump_to(vec![marked]);
                    self.refresh(cx);
                }
            }
            Action::Shift(Step::Back) => sort_beside(self.resource, false, cx),
            Action::Shift(Step::Forward) => sort_beside(self.resource, true, cx),
            Action::Reverse => {
                let superseded = browser.reverse(now);
                cx.abort(superseded);
            }
            Action::Refresh => self.refresh(cx),
            Action::OfferType => {
                browser.query.offer_type = browser.query.offer_type.next();
                self.refresh(cx);
            }
            Action::Reset => {
                browser.reset();
                browser.show_query_in_bar();
                self.refresh(cx);
            }
            Action::FoldPreview => {
                cx.split().fold();
                if cx.split().is_folded() {
                    let key = cx.state().keymap.key_of(action);
                    cx.toast(format!("Preview hidden: {key} shows it"));
                }
            }
            Action::Widen(side) => {
                let width = cx.split_width();
                cx.split().widen_preview(side == Side::Preview, width);
            }
            Action::Back => self.step_back(cx),
            _ => return Outcome::Ignored,
        }
        Outcome::Handled
    }

    /// Handles an action in the market panel: motion, Open narrows the search to the selected line, Right and
    /// Esc return to the table. An action without a use here goes to the table.
    fn on_market(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        let page = cx.viewport(self.market.region_of_cursor()).page;
        if let Some(lines) = action.motion(page) {
            self.market.step(lines);
            return Outcome::Handled;
        }
        match action {
            Action::Open => market::narrow(self.market.conditions(), cx),
            Action::Right | Action::Back => self.focus = Focus::Table,
            Action::Left | Action::Move(Motion::FirstColumn | Motion::LastColumn) => {}
            _ => return self.on_table(action, cx),
        }
        Outcome::Handled
    }

    /// Queries the market, unless a request for the same search is in flight.
    fn refresh(&self, cx: &mut Cx<'_>) {
        // A held key must not break off one request after the other.
        if !cx.table(self.resource).is_asking_the_same() {
            cx.ask(self.resource);
        }
    }

    /// Whether Esc undoes anything, as listed at `step_back`; otherwise it only names the key that quits.
    fn goes_back(&self, state: &State) -> bool {
        let browser = &state.browsers[self.resource];
        browser.ask_order_at.is_some()
            || browser.remote().is_loading()
            || browser.computed.price_models.is_loading()
            || browser.has_error_over_rows()
            || !state.notices.is_empty()
            || !browser.words.is_empty()
            || !browser.marks.is_empty()
            || browser.column_offset > 0
            || !browser.jumps.is_empty()
    }

    /// Undoes the first of these on Esc: a request, an error over older rows, notices, words, marks, scrolled
    /// columns, a jump to a host, a machine or a group. Without any of these, names the key that quits.
    fn step_back(&self, cx: &mut Cx<'_>) {
        let has_notices = !cx.state().notices.is_empty();
        let browser = cx.table(self.resource);
        if browser.ask_order_at.is_some() {
            let cancelled = browser.cancel();
            cx.abort(cancelled);
            let key = cx.state().keymap.key_of(Action::Refresh);
            return cx.toast(format!("Sorted the loaded rows only ({key} asks the market)"));
        }
        if let Some(cancelled) = browser.cancel() {
            cx.abort([cancelled]);
            return cx.toast("Request cancelled");
        }
        let stopped = browser.computed.price_models.cancel();
        if !stopped.is_empty() {
            cx.abort(stopped);
            return cx.toast("Request for the three prices cancelled");
        }
        if browser.has_error_over_rows() {
            browser.dismiss();
        } else if has_notices {
            cx.dismiss_notices();
        } else if !browser.words.is_empty() {
            drop_words(browser);
        } else if !browser.marks.is_empty() {
            let count = counted(browser.marks.len(), "mark", "marks");
            browser.unmark_all();
            let key = cx.state().keymap.key_of(Action::Unmark);
            cx.toast(format!("{count} removed ({key} marks again)"));
        } else if browser.column_offset > 0 {
            browser.column_offset = 0;
        } else if browser.jump_back() {
            self.refresh(cx);
        } else {
            let key = cx.state().keymap.key_of(Action::Quit);
            cx.toast(format!("Press {key} to quit"));
        }
    }
}

/// Removes the filter words from the search; the selected row stays selected.
fn drop_words(browser: &mut Browser) {
    browser.step(0);
    browser.set_words(Vec::new());
    browser.show_query_in_bar();
}

/// The class of the screen's size: compact, medium or wide.
fn size_of(state: &State) -> Size {
    Size::new(state.screen.size.0, state.screen.size.1)
}

/// Scrolls the columns of a resource's table by one to the left or right, or to the first or last; at most
/// until the last one is visible.
fn scroll(resource: Resource, action: Action, cx: &mut Cx<'_>) {
    let (left, right) = cx.hidden_columns();
    cx.table(resource).column_offset = match action {
        Action::Move(Motion::FirstColumn) => 0,
        Action::Move(Motion::LastColumn) => left + right,
        Action::Left => left.saturating_sub(1),
        _ => left + right.min(1),
    };
}

/// Sorts a resource's table by the sortable column to the right or left of the sorted one. If that is not
/// shown, by the first (`to_right`) or the last; at the end nothing changes.
fn sort_beside(resource: Resource, to_right: bool, cx: &mut Cx<'_>) {
    let now = cx.now;
    let fields = cx.state().browsers[resource].columns.iter().copied();
    // The preview may stand for the id.
    let is_there = |field: &&'static Field| field.sortable && (field.kind != Kind::Id || cx.has_header(field));
    let fields: Vec<&'static Field> = fields.filter(is_there).collect();
    let browser = cx.table(resource);
    let sorted = browser.query.order.first().map(|key| key.field);
    let index = sorted.and_then(|sorted| fields.iter().position(|field| *field == sorted));
    let last = fields.len().saturating_sub(1);
    let next = match (index, to_right) {
        (None, true) => 0,
        (None, false) => last,
        (Some(index), true) => (index + 1).min(last),
        (Some(index), false) => index.saturating_sub(1),
    };
    if Some(next) != index
        && let Some(field) = fields.get(next)
    {
        let superseded = browser.sort_by(field, now);
        cx.abort(superseded);
    }
}

impl View for BrowserPane {
    fn contexts(&self) -> &'static [Context] {
        match (self.focus, self.resource) {
            (Focus::Query, _) => &[Context::TableQuery, Context::Query, Context::Always],
            (Focus::Table | Focus::Market, Resource::Workergroups) => {
                &[Context::Workergroups, Context::Table, Context::Global, Context::Always]
            }
            (Focus::Table | Focus::Market, Resource::Offers | Resource::Volumes) => {
                &[Context::Table, Context::Global, Context::Always]
            }
        }
    }

    fn update(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        let is_search = self.focus == Focus::Query && action == Action::Submit;
        first_run::close(self, is_search, cx);
        match (self.focus, action) {
            // The wheel also turns the rows below the query.
            (Focus::Query, Action::Move(_)) => self.on_table(action, cx),
            (Focus::Query, _) => query::update(self, action, cx),
            (Focus::Table | Focus::Market, Action::Query) => {
                cx.table(self.resource).edit_query_anew();
                self.focus = Focus::Query;
                Outcome::Handled
            }
            // Left of the first column is the market panel.
            (Focus::Table, Action::Left) if cx.hidden_columns().0 == 0 && self.shows_market(size_of(cx.state())) => {
                self.focus = Focus::Market;
                Outcome::Handled
            }
            (Focus::Table, _) => self.on_table(action, cx),
            (Focus::Market, _) => self.on_market(action, cx),
        }
    }

    fn availability(&self, action: Action, state: &State) -> Availability {
        let is_compact = size_of(state) == Size::Compact;
        match action {
            Action::FoldPreview | Action::Widen(_) if is_compact => {
                Availability::Disabled("The preview needs 100 columns and 30 rows".to_owned())
            }
            Action::Older | Action::Newer if !state.browsers[self.resource].bar.has_others() => Availability::Hidden,
            Action::Back if self.focus == Focus::Table && !self.goes_back(state) => Availability::Hidden,
            _ => Availability::Available,
        }
    }

    fn hint(&self, action: Action) -> Option<&'static str> {
        match (self.focus, action) {
            (Focus::Query, Action::Reset) if self.resource.catalog().defaults.is_empty() => Some("clear"),
            (Focus::Market, Action::Open) => Some("filter by this"),
            (Focus::Table, Action::Open) => self.remedy.as_ref().map(effect),
            (_, Action::Job) if self.resource == Resource::Volumes => Some("term"),
            _ => None,
        }
    }

    fn widget<'a>(&'a mut self, cx: &'a mut Cx<'_>) -> Option<&'a mut dyn InputWidget> {
        let input: &mut dyn InputWidget = &mut cx.table(self.resource).bar.input;
        (self.focus == Focus::Query).then_some(input)
    }

    fn text_changed(&mut self, cx: &mut Cx<'_>) {
        cx.table(self.resource).query_typed();
    }

    fn paste(&mut self, text: &str, cx: &mut Cx<'_>) -> Outcome {
        if self.focus != Focus::Query {
            let key = cx.state().keymap.key_of(Action::Query);
            cx.complain(format!("Can't paste here: press {key} to edit the query"));
            return Outcome::Handled;
        }
        let browser = cx.table(self.resource);
        let pasted = browser.bar.input.paste(text);
        browser.query_typed();
        cx.pasted(pasted);
        Outcome::Handled
    }

    fn click(&mut self, region: Region, line: usize, cx: &mut Cx<'_>) -> Outcome {
        first_run::close(self, false, cx);
        if self.focus != Focus::Query && Overview::is_section_region(region) {
            let was_selected = self.market.click(region, line);
            if was_selected && self.focus == Focus::Market {
                market::narrow(self.market.conditions(), cx);
            }
            self.focus = Focus::Market;
            return Outcome::Handled;
        }
        if self.focus == Focus::Market {
            self.focus = Focus::Table;
        }
        if region == market_line::REGION {
            market_line::open(line, cx);
            return Outcome::Handled;
        }
        let browser = cx.table(self.resource);
        match (self.focus, region) {
            (Focus::Query, POPUP) => {
                browser.bar.choose(line);
                browser.bar.complete();
                browser.query_typed();
            }
            (Focus::Table, Region::PREVIEW) => cx.perform(Action::Open),
            (Focus::Table, Region::MAIN) if browser.cursor() == line => cx.perform(Action::Open),
            (Focus::Table, Region::MAIN) => browser.select(line),
            _ => return Outcome::Ignored,
        }
        Outcome::Handled
    }

    fn deadline(&self, state: &State, now: Now) -> Option<MonotonicTime> {
        let remote = state.browsers[self.resource].remote();
        if matches!(remote.phase(), Phase::Loading { .. }) {
            return state.animation(now, 0.25);
        }
        // The age of the rows is shown in the header.
        let recorded = state.browsers[self.resource].recorded_seconds(now);
        let age = recorded.or_else(|| Some(now.epoch - remote.shown_at()?.epoch))?;
        state.animation(now, if age < 60.0 { 5.0 } else { 30.0 })
    }

    fn on_top(&mut self, cx: &mut Cx<'_>) {
        // The closed view may have started a condition.
        self.focus = match self.focus {
            _ if cx.state().browsers[self.resource].bar.editing => Focus::Query,
            Focus::Query => Focus::Table,
            Focus::Table | Focus::Market => self.focus,
        };
    }

    fn rows_changed(&mut self, state: &State) {
        self.remedy = state.browsers[self.resource].remedy();
        // Grouping all rows is slow: only on screens with room for the panel.
        if size_of(state) == Size::Wide {
            self.market.refresh(&state.browsers[self.resource]);
        }
        if self.focus == Focus::Market && !self.shows_market(size_of(state)) {
            self.focus = Focus::Table;
        }
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        draw::pane(self, area, scene);
    }
}
