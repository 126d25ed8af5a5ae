//! The route lab: requests to the routing endpoint, single or in series, and their results.
//!
//! The runs are in [`crate::features::route_lab`] and continue while this view is closed.

mod attempt;
mod attempts;
mod charts;
mod compare;
mod confirm;
mod copy;
mod draw;
mod export;
mod figures;
mod form;
mod single;
mod worker_request;

use ratatui::layout::Rect;

use self::attempts::AttemptList;
pub use super::headline;
use super::{NotStarted, RouteRun};
use crate::core::State;
use crate::core::view::{Availability, Cx, Outcome, Region, Scene, View};
use crate::domain::routing::{RoutePlan, RouteSample};
use crate::domain::time::{MonotonicTime, Now};
use crate::features::route_lab::Routes;
use crate::keys::{Action, Context};
use crate::tui::input_widget::InputWidget;
use crate::tui::panel::Size;

/// The region of the workers, if shown beside the attempts.
const WORKERS: Region = Region(2);

/// A part of the lab; smaller screens show only one of some parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Tab {
    Latency,
    Distribution,
    #[default]
    Attempts,
    Workers,
    Figures,
}

impl Tab {
    /// The tab's title on the screen: Latency, Distribution, Attempts, Workers or Figures.
    const fn title(self) -> &'static str {
        match self {
            Self::Latency => "Latency",
            Self::Distribution => "Distribution",
            Self::Attempts => "Attempts",
            Self::Workers => "Workers",
            Self::Figures => "Figures",
        }
    }

    /// The tabs that a screen of this size has, in order: all five if it is compact; attempts, workers and
    /// figures if it is medium; only the attempts if it is wide. The content of the others is always visible
    /// there.
    const fn turns(size: Size) -> &'static [Self] {
        match size {
            Size::Compact => &[
                Self::Latency,
                Self::Distribution,
                Self::Attempts,
                Self::Workers,
                Self::Figures,
            ],
            Size::Medium => &[Self::Attempts, Self::Workers, Self::Figures],
            Size::Wide => &[Self::Attempts],
        }
    }

    /// This tab if a screen of this size has it (see `turns`), otherwise the first that it has.
    fn within(self, size: Size) -> Self {
        let turns = Self::turns(size);
        if turns.contains(&self) { self } else { turns[0] }
    }
}

/// The state of the closed lab.
#[derive(Debug)]
struct Remembered {
    shown: Option<u64>,
    tab: Tab,
    search: String,
}

/// A run that has just started, passed from the form to the lab.
#[derive(Debug)]
struct Started(u64);

/// The view of a run with its figures, charts and attempts.
#[derive(Debug, Default)]
pub struct RouteLab {
    /// The number of the shown run; `None` for the latest.
    shown: Option<u64>,
    tab: Tab,
    attempts: AttemptList,
    /// The index of the selected worker, or the scroll offset of a part without a list.
    cursor: usize,
    /// Whether keys go to the search line over the attempts.
    is_filter_focused: bool,
}

/// Opens the route lab with the tab and the search text that it was closed with, on the run in progress, or
/// else the run shown then. Without a run in progress, also opens the form for a new one. Always true.
pub fn open(cx: &mut Cx<'_>) -> bool {
    let mut lab = RouteLab::default();
    if let Some(remembered) = cx.drafts().get::<Remembered>() {
        lab.shown = remembered.shown;
        lab.tab = remembered.tab;
        lab.attempts.input.set(remembered.search.as_str());
    }
    let active = Routes::read(cx.state()).active().map(|run| run.number);
    lab.shown = active.or(lab.shown);
    cx.open(lab);
    if active.is_none() {
        form::open(None, cx);
    }
    true
}

/// Starts a route run, or opens a question if its plan needs consent: `Ok` then, although nothing has
/// started. While another series runs nothing is asked, and the start is refused.
fn start(plan: RoutePlan, cx: &mut Cx<'_>) -> Result<(), NotStarted> {
    // While another series runs, this one is refused: there is nothing to ask.
    if !plan.needs_consent() || Routes::read(cx.state()).active_series().is_some() {
        return begin(plan, cx);
    }
    let question = confirm::question(plan, cx.state());
    cx.open(question);
    Ok(())
}

/// Starts a route run without a question, and stores its number for the lab to show.
fn begin(plan: RoutePlan, cx: &mut Cx<'_>) -> Result<(), NotStarted> {
    let number = super::start(cx, plan)?;
    cx.drafts().put(Started(number));
    Ok(())
}

/// Shows the reason a route run did not start: of several mistakes in a plan, the first.
fn explain(why: &NotStarted, cx: &mut Cx<'_>) {
    match why {
        NotStarted::Held(why) => cx.complain(why.as_str()),
        NotStarted::Plan(objections) => {
            if let Some(first) = objections.first() {
                cx.complain(format!("{}: {}", first.parameter, first.message));
            }
        }
    }
}

impl RouteLab {
    /// The route run that is shown: the selected one, or the latest if none is selected or that is no longer
    /// in memory; `None` without runs.
    fn run<'a>(&self, state: &'a State) -> Option<&'a RouteRun> {
        let shown = self.shown.and_then(|number| Routes::read(state).run(number));
        shown.or_else(|| Routes::read(state).latest())
    }

    /// The ended attempts of the shown run; empty without one.
    fn samples<'a>(&self, state: &'a State) -> &'a [RouteSample] {
        self.run(state).map_or(&[], |run| run.run().samples())
    }

    /// Whether the shown run is of a single request; false without runs.
    fn is_single(&self, state: &State) -> bool {
        self.run(state).is_some_and(|run| run.run().plan().is_single())
    }

    /// The index, among all attempts of the shown run, of the selected one; `None` if none is listed.
    fn selected(&self, state: &State) -> Option<usize> {
        let samples = self.samples(state);
        self.attempts.index_at(self.attempts.cursor(samples), samples)
    }

    /// Shows the run with a number, with the selections reset unless it is shown already.
    fn show(&mut self, number: u64) {
        if self.shown != Some(number) {
            self.shown = Some(number);
            self.attempts.reset();
            self.cursor = 0;
        }
    }

    /// Shows the route run `by` places further (1 is the next newer) among those in memory; nothing beyond
    /// the ends.
    fn step_run(&mut self, by: isize, state: &State) {
        let runs = Routes::read(state).runs();
        let shown = self.run(state).map(|run| run.number);
        let index = runs.iter().position(|run| Some(run.number) == shown);
        let next = index.and_then(|index| runs.get(index.checked_add_signed(by)?));
        if let Some(run) = next {
            self.show(run.number);
        }
    }

    /// Moves the selection of the open tab's list, or scrolls its text, by `by` lines; negative is up, and
    /// both stop at the ends.
    fn step(&mut self, by: isize, cx: &Cx<'_>) {
        let viewport = cx.viewport(Region::MAIN);
        let tab = self.tab.within(size(cx.state()));
        let is_single = self.is_single(cx.state());
        if tab == Tab::Attempts && !is_single {
            return self.attempts.step(by, self.samples(cx.state()));
        }
        // A list's cursor can be on any line; a text keeps its last page full.
        let last = if tab == Tab::Workers && !is_single {
            viewport.total.saturating_sub(1)
        } else {
            viewport.last_top()
        };
        self.cursor = self.cursor.min(last).saturating_add_signed(by).min(last);
    }

    /// Opens the tab `by` places further, wrapping around; ignored on a screen with only one.
    fn turn(&mut self, by: usize, size: Size) -> Outcome {
        let turns = Tab::turns(size);
        if turns.len() < 2 {
            return Outcome::Ignored;
        }
        let shown = self.tab.within(size);
        let index = turns.iter().position(|tab| *tab == shown).unwrap_or(0);
        self.tab = turns[(index + by) % turns.len()];
        self.cursor = 0;
        Outcome::Handled
    }

    /// The route run to pause or stop: the shown one if it is in progress, or else another in progress;
    /// `None` if there is none.
    fn active<'a>(&self, state: &'a State) -> Option<&'a RouteRun> {
        let shown = self.run(state).filter(|run| run.is_active());
        shown.or_else(|| Routes::read(state).active())
    }

    /// Stops the route run in progress, except a single request that is not forwarded: a message explains
    /// that. Nothing if no run is in progress.
    fn stop(&self, cx: &mut Cx<'_>) {
        let Some(run) = self.active(cx.state()) else {
            return;
        };
        let plan = run.run().plan();
        if plan.is_single() && plan.hop.is_none() {
            cx.complain("A single request cannot be stopped: it ends within 15 s");
            return;
        }
        let number = run.number;
        super::stop(cx, number);
    }

    /// Starts another run with the plan of the shown one, after a question if it needs one, and shows it, or
    /// the reason it cannot start. Nothing without a shown run.
    fn run_again(&mut self, cx: &mut Cx<'_>) {
        let Some(plan) = self.run(cx.state()).map(|run| run.run().plan().clone()) else {
            return;
        };
        match start(plan, cx) {
            Ok(()) => self.take_started(cx),
            Err(why) => explain(&why, cx),
        }
    }

    /// Shows the run that was started last, if it was not shown yet.
    fn take_started(&mut self, cx: &mut Cx<'_>) {
        if let Some(Started(number)) = cx.drafts().take::<Started>() {
            self.show(number);
        }
    }

    /// Handles an action while the search for attempts is typed: Esc ends typing and shows all attempts,
    /// Enter ends typing only, Older and Newer move the selection. Others are ignored.
    fn on_search(&mut self, action: Action, cx: &Cx<'_>) -> Outcome {
        match action {
            Action::Submit => self.is_filter_focused = false,
            Action::Back => {
                self.is_filter_focused = false;
                self.attempts.search(false);
            }
            Action::Older => self.attempts.step(-1, self.samples(cx.state())),
            Action::Newer => self.attempts.step(1, self.samples(cx.state())),
            _ => return Outcome::Ignored,
        }
        Outcome::Handled
    }

    /// Filters the attempts by the typed text: a first batch of them at once, the others in later ticks.
    fn search_typed(&mut self, cx: &Cx<'_>) {
        self.attempts.search(true);
        self.attempts.advance(self.samples(cx.state()));
    }

    /// Opens a view on the selected attempt, from the numbers of its run and its index; nothing without an
    /// attempt, or if `view` gives `None`.
    fn open<V: View + 'static>(&self, cx: &mut Cx<'_>, view: fn(&State, u64, usize) -> Option<V>) {
        let run = self.run(cx.state()).map(|run| run.number);
        if let Some((run, attempt)) = run.zip(self.selected(cx.state())) {
            cx.try_open(|state| view(state, run, attempt));
        }
    }
}

/// The size class of the screen without the footer's row.
fn size(state: &State) -> Size {
    Size::new(state.screen.size.0, state.screen.size.1.saturating_sub(1))
}

impl View for RouteLab {
    fn contexts(&self) -> &'static [Context] {
        if self.is_filter_focused {
            return &[Context::Query, Context::Always];
        }
        &[Context::RouteLab, Context::Tabs, Context::Global, Context::Always]
    }

    fn update(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        if self.is_filter_focused {
            return self.on_search(action, cx);
        }
        if let Some(by) = cx.motion(action) {
            self.step(by, cx);
            return Outcome::Handled;
        }
        match action {
            Action::NextTab => return self.turn(1, size(cx.state())),
            Action::PreviousTab => {
                let size = size(cx.state());
                return self.turn(Tab::turns(size).len() - 1, size);
            }
            Action::Open => self.open(cx, attempt::AttemptView::new),
            Action::Query => {
                self.tab = Tab::Attempts;
                self.is_filter_focused = true;
                self.search_typed(cx);
            }
            Action::New | Action::RouteLab => {
                let run = self.run(cx.state());
                let endpoint = run.map(|run| run.run().plan().endpoint.clone());
                form::open(endpoint, cx);
            }
            Action::Refresh => self.run_again(cx),
            Action::Toggle => {
                if let Some(number) = self.active(cx.state()).map(|run| run.number) {
                    super::pause(cx, number);
                }
            }
            Action::Remove => self.stop(cx),
            Action::Older => self.step_run(-1, cx.state()),
            Action::Newer => self.step_run(1, cx.state()),
            Action::Compare => {
                if let Some(run) = self.run(cx.state()).map(|run| run.number) {
                    cx.try_open(|state| compare::Compare::new(state, run));
                }
            }
            Action::Export => {
                if let Some(run) = self.run(cx.state()).map(|run| run.number) {
                    export::open(run, cx);
                }
            }
            Action::Copy => {
                if let Some(run) = self.run(cx.state()).map(|run| run.number) {
                    let attempt = self.selected(cx.state());
                    cx.try_open(|state| copy::menu(state, run, attempt));
                }
            }
            Action::Settings => self.open(cx, worker_request::WorkerRequest::new),
            Action::Back if !self.attempts.filter().is_empty() => self.attempts.search(false),
            Action::Back => cx.close(),
            _ => return Outcome::Ignored,
        }
        Outcome::Handled
    }

    fn availability(&self, action: Action, state: &State) -> Availability {
        let disabled = |why: &str| Availability::Disabled(why.to_owned());
        let run = self.run(state);
        match action {
            Action::Open if self.samples(state).is_empty() => disabled("No attempt has ended yet"),
            Action::NextTab | Action::PreviousTab if self.is_single(state) || Tab::turns(size(state)).len() < 2 => {
                Availability::Hidden
            }
            Action::Query if self.is_single(state) => Availability::Hidden,
            Action::Toggle | Action::Remove if self.active(state).is_none() => disabled("No run is in progress"),
            Action::Toggle if self.active(state).is_some_and(|run| run.run().plan().is_single()) => {
                disabled("A single request cannot be paused")
            }
            Action::Refresh | Action::Export | Action::Copy if run.is_none() => {
                let key = state.keymap.key_in(&[Context::RouteLab], Action::New);
                Availability::Disabled(format!("No run yet ({key} starts one)"))
            }
            Action::Older | Action::Newer | Action::Compare if Routes::read(state).runs().len() < 2 => {
                disabled("There is no other run")
            }
            Action::Settings => {
                let attempt = self.selected(state);
                let assigned = run
                    .zip(attempt)
                    .and_then(|(run, attempt)| attempt::assignment(run.run(), attempt));
                if assigned.is_some() {
                    Availability::Available
                } else {
                    disabled("This attempt has no worker, or its reply is no longer in memory")
                }
            }
            _ => Availability::Available,
        }
    }

    fn hint(&self, action: Action) -> Option<&'static str> {
        if !self.is_filter_focused {
            return None;
        }
        match action {
            Action::Submit => Some("keep search"),
            Action::Back => Some("all attempts"),
            Action::Older => Some("previous attempt"),
            Action::Newer => Some("next attempt"),
            _ => None,
        }
    }

    fn widget<'a>(&'a mut self, _: &'a mut Cx<'_>) -> Option<&'a mut dyn InputWidget> {
        let input: &mut dyn InputWidget = &mut self.attempts.input;
        self.is_filter_focused.then_some(input)
    }

    fn text_changed(&mut self, cx: &mut Cx<'_>) {
        self.search_typed(cx);
    }

    fn click(&mut self, region: Region, line: usize, cx: &mut Cx<'_>) -> Outcome {
        if region == Region::TABS {
            if let Some(tab) = Tab::turns(size(cx.state())).get(line) {
                (self.tab, self.cursor) = (*tab, 0);
            }
            return Outcome::Handled;
        }
        if region != Region::MAIN || self.tab.within(size(cx.state())) != Tab::Attempts {
            return Outcome::Ignored;
        }
        let samples = self.samples(cx.state());
        if self.attempts.cursor(samples) == line {
            return self.update(Action::Open, cx);
        }
        self.attempts.select(line, samples);
        Outcome::Handled
    }

    fn deadline(&self, state: &State, now: Now) -> Option<MonotonicTime> {
        if self.attempts.is_behind(self.samples(state)) {
            return Some(now.mono);
        }
        Routes::read(state).active().map(|_| now.mono + 0.25)
    }

    fn tick(&mut self, cx: &mut Cx<'_>) {
        self.attempts.advance(self.samples(cx.state()));
    }

    fn on_top(&mut self, cx: &mut Cx<'_>) {
        self.take_started(cx);
    }

    fn closing(&mut self, cx: &mut Cx<'_>) {
        cx.drafts().put(Remembered {
            shown: self.shown,
            tab: self.tab,
            search: self.attempts.input.text().to_owned(),
        });
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        draw::lab(self, area, scene);
    }
}
