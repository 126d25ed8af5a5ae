//! Passes events to the open views, and carries out the changes they request.
//!
//! The view of the open pane has index 0; the views over it follow.

use super::Update;
use super::commands::Commands;
use super::frame_layout::Target;
use super::message::{Effect, Toast};
use super::model::Model;
use super::view::{Availability, Change, Cx, Outcome, Region, View};
use crate::domain::text::is_hostile;
use crate::domain::time::Now;
use crate::keys::{Action, Context};
use crate::tui::text_area::LONGEST_TEXT;
use crate::tui::text_input::{LONGEST_LINE, Pasted};

impl Update<'_> {
    /// Runs `act` on the view at an index of the stack, then carries out the changes it requests;
    /// `None` if there is no view.
    pub(super) fn with<R>(&mut self, index: usize, act: impl FnOnce(&mut dyn View, &mut Cx<'_>) -> R) -> Option<R> {
        let Model {
            state,
            panes,
            overlays,
            layout,
            ..
        } = &mut *self.model;
        let view = match index.checked_sub(1) {
            None => &mut panes[state.pane as usize],
            Some(above) => overlays.get_mut(above)?,
        };
        let mut cx = Cx::new(state, layout, index, self.now, &mut self.effects);
        let result = act(&mut **view, &mut cx);
        let changes = cx.changes;
        self.carry_out(index, changes);
        Some(result)
    }

    /// Runs `act` on the topmost view; `Some`, as a pane always has a view.
    pub(crate) fn with_top<R>(&mut self, act: impl FnOnce(&mut dyn View, &mut Cx<'_>) -> R) -> Option<R> {
        self.with(self.model.overlays.len(), act)
    }

    /// Runs `act` with the state, as for a feature or the topmost view, then carries out the changes it
    /// requests.
    pub(crate) fn lend<R>(&mut self, act: impl FnOnce(&mut Cx<'_>) -> R) -> R {
        let index = self.model.overlays.len();
        let Model { state, layout, .. } = &mut *self.model;
        let mut cx = Cx::new(state, layout, index, self.now, &mut self.effects);
        let result = act(&mut cx);
        let changes = cx.changes;
        self.carry_out(index, changes);
        result
    }

    /// Carries out changes to the stack, in order; `Close` closes the view at `index` and all above it.
    fn carry_out(&mut self, index: usize, changes: Vec<Change>) {
        for change in changes {
            match change {
                Change::Open(view) => {
                    self.model.overlays.push(view);
                    self.with_top(|view, cx| view.on_top(cx));
                }
                Change::OpenOn(target) => {
                    let open_on = self.model.views.open_on;
                    self.lend(|cx| open_on(target, cx));
                }
                Change::Close => self.close_from(index),
                Change::CloseAll => self.close_from(0),
                Change::Perform(action) => self.perform(action),
                Change::PerformOnPane(action) => self.perform_on_pane(action),
                Change::GoTo(pane) => {
                    self.close_from(0);
                    self.go_to(pane);
                }
                Change::Switch(ready) => self.switch(*ready),
            }
        }
    }

    /// Performs an action on the view of the pane, whatever is open over it, or else opens the action's view;
    /// reports it if neither handles it.
    fn perform_on_pane(&mut self, action: Action) {
        let outcome = self.with(0, |view, cx| view.act(action, cx));
        if outcome != Some(Outcome::Handled) && !self.open(action) {
            self.report_ignored(action);
        }
    }

    /// Closes the view at an index of the stack and all above it, topmost first: each is informed before, its
    /// tickets are forgotten, and the view then on top is informed. The view of the pane is never closed.
    pub(crate) fn close_from(&mut self, index: usize) {
        let index = index.max(1);
        while self.model.overlays.len() >= index {
            let top = self.model.overlays.len();
            // The view is still in the stack, so that its requests are carried out relative to its own index.
            self.with(top, |view, cx| view.closing(cx));
            self.model.overlays.truncate(top - 1);
            self.model.state.owners.closed(top);
        }
        self.with_top(|view, cx| view.on_top(cx));
    }

    /// Passes an action to the topmost view, first to its widget; false if the view ignores it.
    pub(crate) fn act(&mut self, action: Action) -> bool {
        self.with_top(|view, cx| view.act(action, cx)) == Some(Outcome::Handled)
    }

    /// Opens the view of an action over the topmost one, or carries out an action that has no view, such as
    /// `Quit` or `Star`: true in both cases, and if a feature only complains. False if no feature handles
    /// the action here, or its view cannot open now (nothing is selected, for example).
    pub(crate) fn open(&mut self, action: Action) -> bool {
        let commands = matches!(action, Action::Help | Action::Palette).then(|| Commands::new(self.model));
        let open = self.model.views.open;
        self.lend(|cx| {
            cx.commands = commands;
            open(action, cx)
        })
    }

    /// Shows an error notice that the action's key does nothing here, unless the last press was the same.
    pub(crate) fn report_ignored(&mut self, action: Action) {
        let state = &mut self.model.state;
        if !state.keyboard.is_repeat() {
            let key = state.keymap.key_of(action);
            state.show(Toast::error(format!("{key} does nothing here"), self.now));
        }
    }

    /// Passes a pasted text to the topmost view. An error notice gives the number of invisible and control
    /// characters that were left out, or reports that the view takes no paste. A text whose bytes exceed the
    /// limit of the view's text field is refused whole, with a notice.
    pub(crate) fn on_paste(&mut self, text: String) {
        // It may be a key: nothing of it stays in memory.
        let text = secrecy::zeroize::Zeroizing::new(text);
        let view = self.model.top();
        let room = if view.contexts().contains(&Context::Editor) {
            LONGEST_TEXT
        } else {
            LONGEST_LINE
        };
        if view.takes_text() && text.len() > room {
            let pasted = Pasted {
                too_long: text.len(),
                ..Pasted::default()
            };
            self.model.state.toast = pasted.notice().map(|notice| Toast::error(notice, self.now));
            return;
        }
        let before = self.model.state.toast.take();
        let outcome = self.with_top(|view, cx| view.paste(&text, cx));
        let left_out = text.chars().filter(|letter| is_left_out(*letter)).count();
        let asks_consent = self.model.top().asks_consent();
        let state = &mut self.model.state;
        if outcome == Some(Outcome::Ignored) {
            state.show(Toast::error("Can't paste here", self.now));
        // A dialog that asks for a word reports a refused paste itself.
        } else if state.toast.is_none() && left_out > 0 && !asks_consent {
            let text = format!("{left_out} invisible or control characters left out");
            state.show(Toast::error(text, self.now));
        } else if state.toast.is_none() {
            state.toast = before;
        }
    }

    /// Passes a click at a cell to the topmost view; false if the cell is on none of its lines or items. True
    /// even if the view ignores the click.
    pub(crate) fn clicked_view(&mut self, x: u16, y: u16) -> bool {
        let layout = &self.model.layout;
        let hit: Option<(Region, usize)> = match layout.at(x, y) {
            Some(Target::Item(region, line)) => Some((region, line)),
            Some(_) => None,
            None => layout.line_at(self.model.overlays.len(), x, y),
        };
        let clicked = hit.map(|(region, line)| self.with_top(|view, cx| view.click(region, line, cx)));
        clicked.is_some()
    }

    /// Ticks every view of the stack, topmost first.
    pub(crate) fn tick(&mut self) {
        for index in (0..=self.model.overlays.len()).rev() {
            self.with(index, |view, cx| view.tick(cx));
        }
    }

    /// Announces to every view, open or a pane's, that rows have changed.
    pub(crate) fn rows_changed(&mut self) {
        let Model {
            state, panes, overlays, ..
        } = &mut *self.model;
        for view in panes.iter_mut().chain(overlays) {
            view.rows_changed(state);
        }
    }

    /// Removes a notice that is unchanged since `before` and whose view was closed or covered. If `is_input`,
    /// a notice that is new since then is tied to the view open now: a view that closes with a notice shows
    /// it in the view below.
    pub(crate) fn settle_toast(&mut self, before: Option<&Toast>, is_input: bool) {
        let position = (self.model.state.pane, self.model.overlays.len());
        let toast = &mut self.model.state.toast;
        if toast.as_ref() == before {
            toast.take_if(|toast| toast.is_left_behind(position));
        } else if let Some(toast) = toast.as_mut().filter(|_| is_input) {
            toast.tie_to(position);
        }
    }
}

/// Whether every text field drops a character from a paste: control and invisible ones, but not newline,
/// carriage return and tab.
fn is_left_out(character: char) -> bool {
    is_hostile(character) && !matches!(character, '\n' | '\r' | '\t')
}

impl Model {
    /// Runs `act` with the state, as for a feature, outside an update; returns its result and the effects it
    /// requested, which the caller carries out.
    pub fn lend<R>(&mut self, now: Now, act: impl FnOnce(&mut Cx<'_>) -> R) -> (R, Vec<Effect>) {
        let mut update = Update::new(self, now);
        let result = update.lend(act);
        (result, update.effects)
    }

    /// The view that has the keyboard: the last one opened, else that of the pane.
    pub(crate) fn top(&self) -> &dyn View {
        let above = self.overlays.last();
        above.map_or_else(|| self.pane_view(), |view| &**view)
    }

    /// Whether an action is available in the view that has the keyboard; an open search in it decides first.
    pub(crate) fn availability(&self, action: Action) -> Availability {
        let view = self.top();
        if let Some((find, command)) = view.search().zip(action.command()) {
            if find.is_useless(command) {
                return Availability::Hidden;
            }
            // The search takes precedence over the view's own use of the action.
            if find.hint(command).is_some() {
                return Availability::Available;
            }
        }
        view.availability(action, &self.state)
    }
}
