//! The interface between views and the core.
//!
//! A view is a screen, panel or dialog over a pane: its state, keys and drawing are in one file or
//! folder. The dispatcher in [`super`] uses views only through this trait.

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
use crate::domain::time::{MonotonicTime, Now};
use crate::domain::{Resource, plain};
use crate::keys::pane::Pane;
use crate::keys::{Action, Context, Motion};
use crate::table::remote::Ticket;
use crate::tui::find::Find;
use crate::tui::input_widget::InputWidget;

/// Whether a view handled an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Handled,
    /// It has no effect here; the dispatcher reports that once.
    Ignored,
}

impl Outcome {
    /// `Handled` if the flag is true, else `Ignored`.
    pub const fn handled_if(is_handled: bool) -> Self {
        if is_handled { Self::Handled } else { Self::Ignored }
    }
}

/// Whether an action is available, and the reason if it is disabled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Availability {
    Available,
    /// It has no meaning here, and no hint shows it.
    Hidden,
    Disabled(String),
}

impl Availability {
    /// `Hidden` if the flag is true, else `Available`.
    pub const fn hidden_if(is_hidden: bool) -> Self {
        if is_hidden { Self::Hidden } else { Self::Available }
    }
}

/// The place where a view is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placement {
    /// The whole area between header and footer, in place of the pane.
    Page,
    /// On top of the views below it, which are dimmed.
    Dialog,
    /// A dialog whose keys may confirm an action. Keys that may be part of a paste are ignored.
    Question,
}

/// A screen, panel or dialog over a pane. Only `contexts`, `update` and `draw` have no default.
pub trait View: fmt::Debug + Send {
    /// The contexts in which its keys are looked up, the most specific one first.
    fn contexts(&self) -> &'static [Context];

    /// Handles an action that its widget did not use; `Ignored` if it means nothing here.
    fn update(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome;

    /// Draws the view into `area`.
    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>);

    /// The place where the view is drawn; a full page by default.
    fn placement(&self) -> Placement {
        Placement::Page
    }

    /// Whether an action is available, by default always; also called for the actions of panes while the view
    /// is open.
    fn availability(&self, _action: Action, _state: &State) -> Availability {
        Availability::Available
    }

    /// The name of an action's effect here, where the key table's word is too general: `start`, `price
    /// offers`; `None` if that word fits.
    fn hint(&self, _action: Action) -> Option<&'static str> {
        None
    }

    /// The widget that keys, pastes and the wheel go to first, updated from the state; `None` if the view has
    /// none now.
    fn widget<'a>(&'a mut self, _cx: &'a mut Cx<'_>) -> Option<&'a mut dyn InputWidget> {
        None
    }

    /// The search in its lines, `None` without one. While the search is typed, the footer shows its keys.
    fn search(&self) -> Option<&Find> {
        None
    }

    /// Called after a key or paste has changed the text in its widget.
    fn text_changed(&mut self, _cx: &mut Cx<'_>) {}

    /// Handles a key that no context binds. By default, types it into the widget; `Ignored` without one, or
    /// if the widget does not use it.
    fn typed(&mut self, key: KeyEvent, cx: &mut Cx<'_>) -> Outcome {
        let viewport = cx.viewport(Region::MAIN);
        let widget = self.widget(cx);
        let is_typed = widget.is_some_and(|widget| widget.typed(key, viewport));
        if is_typed {
            self.text_changed(cx);
        }
        Outcome::handled_if(is_typed)
    }

    /// Handles a pasted text. By default, pastes it into the widget. If it is ignored, a notice reports that
    /// this view takes no paste.
    fn paste(&mut self, text: &str, cx: &mut Cx<'_>) -> Outcome {
        let Some(pasted) = self.widget(cx).and_then(|widget| widget.pasted(text)) else {
            return Outcome::Ignored;
        };
        cx.pasted(pasted);
        self.text_changed(cx);
        Outcome::Handled
    }

    /// Handles a click on a line of a region. By default, selects the line in the widget of the main region
    /// and submits it; other clicks are ignored.
    fn click(&mut self, region: Region, line: usize, cx: &mut Cx<'_>) -> Outcome {
        let widget = self.widget(cx).filter(|_| region == Region::MAIN);
        if widget.is_some_and(|widget| widget.select_line(line)) {
            self.update(Action::Submit, cx)
        } else {
            Outcome::Ignored
        }
    }

    /// Handles the news of one of its tickets.
    fn on_news(&mut self, _ticket: Ticket, _news: News, _cx: &mut Cx<'_>) {}

    /// The time of its next [`View::tick`]; `None` if it needs none.
    fn deadline(&self, _state: &State, _now: Now) -> Option<MonotonicTime> {
        None
    }

    /// Called once its deadline has passed, sometimes earlier, and when an effect has ended: a file
    /// was written, a market connected, a write completed.
    fn tick(&mut self, _cx: &mut Cx<'_>) {}

    /// Called after rows, prices or marks of a pane have changed: results computed from them are
    /// stale.
    fn rows_changed(&mut self, _state: &State) {}

    /// Called when it gets the keyboard: it was opened, or the view above has closed.
    fn on_top(&mut self, _cx: &mut Cx<'_>) {}

    /// Called before it closes, to abort its requests and store its draft.
    fn closing(&mut self, _cx: &mut Cx<'_>) {}
}

impl dyn View + '_ {
    /// Passes an action to the widget first, or to the view's `update` if the widget does not use it.
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

    /// Handles a turn of the wheel by `lines`: scrolls the widget, or else moves the cursor as many
    /// steps. A question ignores it.
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

    /// Whether the view is a question before an action, which ignores the wheel and keys that may be part of
    /// a paste.
    pub(crate) fn asks_consent(&self) -> bool {
        self.placement() == Placement::Question
    }

    /// Whether typed characters are entered as text; false in dialogs with buttons.
    pub fn takes_text(&self) -> bool {
        !self.contexts().contains(&Context::Dialog) && self.contexts().iter().any(|context| context.takes_text())
    }
}

/// Opens the view of an action over the focused one; false if it has none.
pub type Opener = fn(Action, &mut Cx<'_>) -> bool;

/// A view to open with its subject. Features name it here instead of importing the view.
#[derive(Debug)]
pub enum Open {
    /// The planner of clusters, for machines of a shape.
    ClusterOfShape(plain::Cluster),
    /// The planner of clusters, for a number of GPUs of one model or of any.
    ClusterOfGpus { gpus: u64, model: Option<String> },
    /// The form of a new alert on the search, with its limit in $/h if one is given.
    AlertBelow(Option<plain::PriceLimit>),
    /// The form of a new workergroup for the search, with its most workers if they are given.
    GroupOfSearch { workers: Option<u32> },
    /// The form of a new market.
    NewMarket,
}

/// Draws the card of a row beside its list, or its price over time below.
pub type RowPainter = fn(Resource, usize, Rect, &mut Scene<'_, '_>);

/// The constructors of all views, passed to the core so that it names none.
#[derive(Debug, Clone, Copy)]
pub struct Views {
    /// Opens the view of an action.
    pub open: Opener,
    /// Opens a view with its subject.
    pub open_on: fn(Open, &mut Cx<'_>),
    /// Draws the card of a row.
    pub card: RowPainter,
    /// Draws the price over time of offers or volumes like a row, as far as it is recorded.
    pub past: RowPainter,
    /// Creates the view of a pane, over which all others open.
    pub pane: fn(Pane) -> Box<dyn View>,
    /// The features that keep state or have deadlines.
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
