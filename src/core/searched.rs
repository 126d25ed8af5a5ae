//! The search that `/` opens in views made of lines; `n` and `N` step through its matches.

use super::state::State;
use super::view::Cx;
use crate::keys::Action;
use crate::tui::find::{Find, FindEvent};

/// A view whose lines can be searched.
pub trait Searched {
    /// The search's input and matches, to update them.
    fn find(&mut self) -> &mut Find;

    /// The lines as texts, in the order in which they are shown.
    fn texts(&self, state: &State) -> Vec<String>;

    /// The index of the line at which the search for matches starts: the selected or top one.
    fn line(&self, state: &State) -> usize;

    /// Scrolls to a line, and selects it where lines can be selected.
    fn go_to_line(&mut self, line: usize, cx: &mut Cx<'_>);

    /// Passes an action to the search, and goes to the current match after a step or a confirmation; false if the
    /// search does not use the action.
    fn act_on_search(&mut self, action: Action, cx: &mut Cx<'_>) -> bool {
        match self.find().update(action.command()) {
            FindEvent::Ignored => return false,
            FindEvent::Handled => {}
            FindEvent::Moved => self.show_match(cx),
        }
        true
    }

    /// Finds the matches again, starting at the selected line, and goes to the nearest one.
    fn search_again(&mut self, cx: &mut Cx<'_>) {
        let texts = self.texts(cx.state());
        let line = self.line(cx.state());
        self.find().search(line, texts.into_iter());
        self.show_match(cx);
    }

    /// Goes to the line of the current match; nothing if there is none.
    fn show_match(&mut self, cx: &mut Cx<'_>) {
        if let Some(line) = self.find().current() {
            self.go_to_line(line, cx);
        }
    }
}
