//! The interface between views and the core.
//!
//! A view is a screen, panel or dialog over a pane: its state, its keys and its drawing are in one
//! file or folder of `views`. The dispatcher in [`super`] knows views only by this trait.

use std::fmt;

use crossterm::event::KeyEvent;
use ratatui::layout::Rect;

pub use super::cx::{Cx, Lent};
use super::feature::Feature;
pub use super::frame_layout::Region;
use super::markets::MarketReady;
use super::message::News;
pub use super::scene::Scene;
use super::state::State;
pub use crate::api::Response;
use crate::domain::{Resource, plain};
use crate::keys::pane::Pane;
use crate::keys::{Action, Context, Motion};
use crate::table::remote::{Now, Ticket};
use crate::tui::find::Find;
use crate::tui::input_widget::InputWidget;

/// Whether a view handled what it was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Handled,
    /// It has no meaning here; the dispatcher says so once.
    Ignored,
}

impl Outcome {
    pub const fn of(is_handled: bool) -> Self {
        if is_handled { Self::Handled } else { Self::Ignored }
    }
}

/// Whether an action is available.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Availability {
    Available,
    /// It has no meaning here: no hint shows it.
    Hidden,
    Disabled(String),
}

/// Where a view is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placement {
    /// Everything between header and footer, instead of the pane.
    Page,
    /// Over what is open below it, which is dimmed.
    Dialog,
    /// A dialog whose keys may confirm something: those that may be a part of a paste do nothing.
    Question,
}

/// A screen, panel or dialog over a pane. Only `contexts`, `update` and `draw` have no default.
pub trait View: fmt::Debug + Send {
    /// Where its keys are looked up, the most specific context first.
    fn contexts(&self) -> &'static [Context];

    fn update(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome;

    /// Draws the view into `area`.
    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>);

    fn placement(&self) -> Placement {
        Placement::Page
    }

    /// Whether an action is available; also called for the actions of panes while the view is open.
    fn availability(&self, action: Action, state: &State) -> Availability {
        let _ = (action, state);
        Availability::Available
    }

    /// The name of an action's effect here, if the table's word is too general: `start`, `price
    /// offers`.
    fn hint(&self, action: Action) -> Option<&'static str> {
        let _ = action;
        None
    }

    /// The widget in the main region that keys, pastes and the wheel go to first, brought up to
    /// date with the state.
    fn widget<'a>(&'a mut self, cx: &'a mut Cx<'_>) -> Option<&'a mut dyn InputWidget> {
        let _ = cx;
        None
    }

    /// The search in its lines, if it has one: while it is typed, the footer shows its keys.
    fn search(&self) -> Option<&Find> {
        None
    }

    /// The text in its widget has changed.
    fn text_changed(&mut self, cx: &mut Cx<'_>) {
        let _ = cx;
    }

    /// Handles a key that no context binds: typed text.
    fn typed(&mut self, key: KeyEvent, cx: &mut Cx<'_>) -> Outcome {
        let viewport = cx.viewport(Region::MAIN);
        let widget = self.widget(cx);
        let is_typed = widget.is_some_and(|widget| widget.typed(key, viewport));
        if is_typed {
            self.text_changed(cx);
        }
        Outcome::of(is_typed)
    }

    /// Handles a pasted text. Ignoring it tells the person that nothing can be pasted here.
    fn paste(&mut self, text: &str, cx: &mut Cx<'_>) -> Outcome {
        let Some(pasted) = self.widget(cx).and_then(|widget| widget.pasted(text)) else {
            return Outcome::Ignored;
        };
        cx.pasted(pasted);
        self.text_changed(cx);
        Outcome::Handled
    }

    /// Handles a click on the line of a region.
    fn click(&mut self, region: Region, line: usize, cx: &mut Cx<'_>) -> Outcome {
        let widget = self.widget(cx).filter(|_| region == Region::MAIN);
        if widget.is_some_and(|widget| widget.select_line(line)) {
            self.update(Action::Submit, cx)
        } else {
            Outcome::Ignored
        }
    }

    /// Takes what a ticket of its own brings.
    fn on_news(&mut self, ticket: Ticket, news: News, cx: &mut Cx<'_>) {
        let _ = (ticket, news, cx);
    }

    /// When it needs [`View::tick`], on the monotonic clock.
    fn deadline(&self, state: &State, now: Now) -> Option<f64> {
        let _ = (state, now);
        None
    }

    /// Its deadline has passed, or something outside the core has ended: a file was written, a
    /// market connected, a write completed. May also come early.
    fn tick(&mut self, cx: &mut Cx<'_>) {
        let _ = cx;
    }

    /// Rows, prices or marks of a pane have changed: anything computed from them is stale.
    fn rows_changed(&mut self, state: &State) {
        let _ = state;
    }

    /// It has the keyboard now: it was opened, or the view above has closed.
    fn on_top(&mut self, cx: &mut Cx<'_>) {
        let _ = cx;
    }

    /// The view is closing: abort its requests, keep its draft.
    fn closing(&mut self, cx: &mut Cx<'_>) {
        let _ = cx;
    }
}

impl dyn View + '_ {
    /// Does what an action means to the widget, or else to the view.
    pub(crate) fn act(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        let viewport = cx.viewport(Region::MAIN);
        let command = action.command();
        let is_done = command.is_some_and(|command| {
            let widget = self.widget(cx);
            widget.is_some_and(|widget| widget.act(command, viewport))
        });
        if is_done {
            Outcome::Handled
        } else {
            self.update(action, cx)
        }
    }

    /// Takes a turn of the wheel, by so many lines; as so many steps of the cursor unless the
    /// widget scrolls.
    pub(crate) fn wheel(&mut self, lines: isize, cx: &mut Cx<'_>) {
        let viewport = cx.viewport(Region::MAIN);
        // A question is answered on purpose.
        if self.asks_consent() || self.widget(cx).is_some_and(|widget| widget.wheel(lines, viewport)) {
            return;
        }
        let motion = if lines < 0 { Motion::Up } else { Motion::Down };
        for _ in 0..lines.unsigned_abs() {
            self.act(Action::Move(motion), cx);
        }
    }

    /// Whether keys answer a question here.
    pub(crate) fn asks_consent(&self) -> bool {
        self.placement() == Placement::Question
    }

    /// Whether typed characters go into a text.
    pub fn takes_text(&self) -> bool {
        !self.contexts().contains(&Context::Dialog) && self.contexts().iter().any(|context| context.takes_text())
    }
}

/// Opens the view of an action where the keyboard is; false if it has none.
pub type Opener = fn(Action, &mut Cx<'_>) -> bool;

/// A view to open on something in particular. Features name it here instead of importing the view.
#[derive(Debug)]
pub enum Open {
    /// The planner of clusters, for machines of a shape.
    ClusterOfShape(plain::Cluster),
    /// The planner of clusters, for a number of GPUs of one model or of any.
    ClusterOfGpus { gpus: u64, model: Option<String> },
}

/// Draws what is known of a row, beside the list that it is in.
pub type CardPainter = fn(Resource, usize, Rect, &mut Scene<'_, '_>);

/// Creates views: passed to the core from outside, so that the core knows none by name.
#[derive(Debug, Clone, Copy)]
pub struct Views {
    /// Opens the view of an action.
    pub open: Opener,
    /// Opens a view on something in particular.
    pub open_on: fn(Open, &mut Cx<'_>),
    /// Draws the card of a row.
    pub card: CardPainter,
    /// Creates the view of a pane, over which all others open.
    pub pane: fn(Pane) -> Box<dyn View>,
    /// The features that keep state or wait for something.
    pub features: &'static [Feature],
}

/// A change to the stack of views, applied when the view has returned.
#[derive(Debug)]
pub(crate) enum Change {
    Open(Box<dyn View>),
    OpenOn(Open),
    Close,
    CloseAll,
    Perform(Action),
    PerformOnPane(Action),
    GoTo(Pane),
    Switch(Box<MarketReady>),
}
