//! Several views in one: the open tab, whose panel has the names of all in its border.

use crate::core::message::News;
use crossterm::event::KeyEvent;
use ratatui::layout::Rect;

use crate::core::State;
use crate::core::view::{Availability, Cx, Outcome, Placement, Region, Scene, View};
use crate::domain::time::{MonotonicTime, Now};
use crate::keys::pane::Pane;
use crate::keys::{Action, Context};
use crate::table::remote::Ticket;
use crate::tui::find::Find;
use crate::tui::input_widget::InputWidget;

/// A view that is one tab of several.
#[derive(Debug)]
pub(crate) struct Tab {
    /// The action that opens it, from the pane and from another tab.
    pub action: Action,
    pub title: &'static str,
    /// Whether the tab applies to a pane.
    pub is_of: fn(Pane) -> bool,
    pub view: fn(&mut Cx<'_>) -> Option<Box<dyn View>>,
}

/// The open tab, and the tabs opened before it. A tab that was never opened has no state.
#[derive(Debug)]
pub(crate) struct Tabbed {
    /// The name of all tabs together, in front of them.
    title: &'static str,
    tabs: Vec<&'static Tab>,
    open: usize,
    view: Box<dyn View>,
    left: Vec<(usize, Box<dyn View>)>,
}

/// Boxes the view of a tab; `None` stays `None`.
pub(crate) fn tab(view: Option<impl View + 'static>) -> Option<Box<dyn View>> {
    view.map(|view| Box::new(view) as Box<dyn View>)
}

/// Opens the view of these tabs on the tab of `action`, with the tabs that apply to the open pane; false if
/// that one does not apply or has nothing to show.
pub(crate) fn open((title, tabs): (&'static str, &'static [Tab]), action: Action, cx: &mut Cx<'_>) -> bool {
    let pane = cx.state.pane;
    let tabs: Vec<&Tab> = tabs.iter().filter(|tab| (tab.is_of)(pane)).collect();
    let open = tabs.iter().position(|tab| tab.action == action);
    let view = open.and_then(|open| Some((open, (tabs[open].view)(cx)?)));
    let is_there = view.is_some();
    if let Some((open, view)) = view {
        let left = Vec::new();
        cx.open(Tabbed {
            title,
            tabs,
            open,
            view,
            left,
        });
    }
    is_there
}

impl Tabbed {
    /// The index of the tab that an action opens, or `None`.
    fn index_of(&self, action: Action) -> Option<usize> {
        self.tabs.iter().position(|tab| tab.action == action)
    }

    /// Shows a tab in its last state, updated to the current rows, or new at its first time. `Ignored` if it
    /// has nothing to show: the open tab stays.
    fn show(&mut self, index: usize, cx: &mut Cx<'_>) -> Outcome {
        if index == self.open {
            return Outcome::Handled;
        }
        let next = match self.left.iter().position(|(left, _)| *left == index) {
            Some(index) => {
                let (_, mut view) = self.left.swap_remove(index);
                view.rows_changed(cx.state);
                view.on_top(cx);
                view.tick(cx);
                Some(view)
            }
            None => (self.tabs[index].view)(cx),
        };
        let is_there = next.is_some();
        if let Some(next) = next {
            let view = std::mem::replace(&mut self.view, next);
            self.left.push((std::mem::replace(&mut self.open, index), view));
        }
        Outcome::handled_if(is_there)
    }

    /// The views of the open tab and of those opened before it, the open one first.
    fn views(&mut self) -> impl Iterator<Item = &mut Box<dyn View>> {
        let left = self.left.iter_mut().map(|(_, view)| view);
        std::iter::once(&mut self.view).chain(left)
    }
}

impl View for Tabbed {
    fn contexts(&self) -> &'static [Context] {
        self.view.contexts()
    }

    fn placement(&self) -> Placement {
        self.view.placement()
    }

    fn availability(&self, action: Action, state: &State) -> Availability {
        match action {
            Action::NextTab | Action::PreviousTab if self.tabs.len() == 1 => Availability::Hidden,
            Action::NextTab | Action::PreviousTab => Availability::Available,
            action if self.index_of(action).is_some() => Availability::Available,
            action => self.view.availability(action, state),
        }
    }

    fn hint(&self, action: Action) -> Option<&'static str> {
        self.view.hint(action)
    }

    fn search(&self) -> Option<&Find> {
        self.view.search()
    }

    fn widget<'a>(&'a mut self, cx: &'a mut Cx<'_>) -> Option<&'a mut dyn InputWidget> {
        self.view.widget(cx)
    }

    fn update(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        let many = self.tabs.len();
        let index = match action {
            Action::NextTab => Some((self.open + 1) % many),
            Action::PreviousTab => Some((self.open + many - 1) % many),
            action => self.index_of(action),
        };
        match index {
            Some(index) => return self.show(index, cx),
            None => match (self.view.act(action, cx), action) {
                (Outcome::Ignored, Action::Refresh) => cx.perform_on_pane(action),
                (Outcome::Ignored, Action::Back | Action::Quit) => cx.close(),
                (outcome, _) => return outcome,
            },
        }
        Outcome::Handled
    }

    /// Switches the tab on the keys that open these tabs over the pane, unless they are text; others go to
    /// the view of the open tab.
    fn typed(&mut self, key: KeyEvent, cx: &mut Cx<'_>) -> Outcome {
        let action = cx.state.keymap.resolve(&[Context::Table], key);
        match action.filter(|action| self.index_of(*action).is_some() && !self.view.takes_text()) {
            Some(action) => {
                cx.perform(action);
                Outcome::Handled
            }
            None => self.view.typed(key, cx),
        }
    }

    fn paste(&mut self, text: &str, cx: &mut Cx<'_>) -> Outcome {
        self.view.paste(text, cx)
    }

    fn click(&mut self, region: Region, line: usize, cx: &mut Cx<'_>) -> Outcome {
        if region == Region::TABS {
            return self.show(line, cx);
        }
        self.view.click(region, line, cx)
    }

    fn on_news(&mut self, ticket: Ticket, news: News, cx: &mut Cx<'_>) {
        self.view.on_news(ticket, news, cx);
    }

    fn deadline(&self, state: &State, now: Now) -> Option<MonotonicTime> {
        self.view.deadline(state, now)
    }

    fn tick(&mut self, cx: &mut Cx<'_>) {
        self.view.tick(cx);
    }

    fn rows_changed(&mut self, state: &State) {
        self.view.rows_changed(state);
    }

    fn on_top(&mut self, cx: &mut Cx<'_>) {
        self.view.on_top(cx);
    }

    fn closing(&mut self, cx: &mut Cx<'_>) {
        for view in self.views() {
            view.closing(cx);
        }
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        let names = self.tabs.iter().map(|tab| tab.title).filter(|_| self.tabs.len() > 1);
        scene.tabs = Some((self.title, names.collect(), self.open));
        self.view.draw(area, scene);
        scene.tabs = None;
    }
}
