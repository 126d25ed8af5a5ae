//! Carries out actions for the focused view.

use super::feature::Event;
use super::message::{ConfigCommand, Effect, Toast};
use super::unsettled::describe;
use super::{Update, analysis};
use crate::domain::Resource;
use crate::keys::Action;
use crate::keys::pane::Pane;

impl Update<'_> {
    /// Carries out an action in the topmost view, else opens the action's own view, else does it for the
    /// whole dashboard (quit, panes, configuration). A disabled action only shows its reason as an error
    /// notice; one that nothing handles is reported as having no effect.
    pub(crate) fn perform(&mut self, action: Action) {
        if let Some(why) = self.model.disabled(action) {
            return self.model.state.show(Toast::error(why, self.now));
        }
        if self.act(action) || self.open(action) {
            return;
        }
        let pane = self.model.state.pane;
        match action {
            Action::QuitNow => self.effects.push(Effect::Quit),
            Action::Suspend => self.effects.push(Effect::Suspend),
            Action::Redraw => self.effects.push(Effect::Redraw),
            Action::EditConfig => self.effects.push(Effect::Config(ConfigCommand::Edit)),
            Action::ReloadConfig => self.effects.push(Effect::Config(ConfigCommand::Reload)),
            Action::NextPane => self.go_to(pane.shifted(1)),
            Action::PreviousPane => self.go_to(pane.shifted(3)),
            Action::Pane(pane) => self.go_to(pane),
            Action::ForgetLimits => {
                self.model.state.mutations.forget_limits();
                let toast = Toast::new("Learned rate limits forgotten", self.now);
                self.model.state.show(toast);
                self.effects.push(Effect::ForgetLimits);
            }
            Action::ForgetJob => self.lend(analysis::forget_job),
            _ => self.report_ignored(action),
        }
    }

    /// Closes all views over the pane and opens `pane`, with the view that was left open over it, if any. Its
    /// table sends its search if it has not been searched yet.
    pub(crate) fn go_to(&mut self, pane: Pane) {
        self.close_from(0);
        self.model.state.pane = pane;
        self.emit(Event::PaneOpened);
        // The view that was left open over the pane.
        let left_open = &mut self.model.state.drafts.left_open;
        if let Some((_, action)) = left_open.take_if(|(left, _)| *left == pane) {
            self.open(action);
        }
        let untouched = pane
            .resource()
            .filter(|resource| self.model.state.browsers[*resource].is_untouched());
        if let Some(resource) = untouched {
            self.lend(|cx| cx.ask(resource));
        }
    }

    /// Opens the start pane, which sends its first search; Requests has no table, so the offers are searched
    /// instead. On Requests, an error notice names the first write of an earlier run whose outcome is
    /// unknown, as that pane shows no permanent notices.
    pub(crate) fn start(&mut self) {
        let state = &mut self.model.state;
        // This pane shows no notices.
        let unsettled_before = state.mutations.unsettled_before().next().map(describe);
        if let Some(text) = unsettled_before.filter(|_| state.pane == Pane::Requests) {
            state.show(Toast::error(text, self.now));
        }
        match state.pane {
            Pane::Requests => self.lend(|cx| cx.ask(Resource::Offers)),
            pane @ (Pane::Offers | Pane::Volumes | Pane::Workergroups) => self.go_to(pane),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::keys::{BINDINGS, Chord, Context};

    #[test]
    fn every_key_of_the_table_can_be_read() {
        for row in BINDINGS {
            for key in row.keys {
                assert!(Chord::parse(key).is_some(), "{key} of {}", row.name);
            }
        }
    }

    #[test]
    fn no_key_means_two_things_in_one_context() {
        for (index, row) in BINDINGS.iter().enumerate() {
            for later in &BINDINGS[index + 1..] {
                let shared = row.keys.iter().find(|key| later.keys.contains(key));
                assert!(
                    row.context != later.context || shared.is_none(),
                    "{shared:?} means {} and {}",
                    row.name,
                    later.name
                );
            }
        }
    }

    #[test]
    fn single_letters_never_fire_where_text_is_typed() {
        for row in BINDINGS.iter().filter(|row| {
            matches!(
                row.context,
                Context::TableQuery
                    | Context::Query
                    | Context::List
                    | Context::Always
                    | Context::Form
                    | Context::Editor
                    | Context::ListEdit
                    | Context::Choice
            )
        }) {
            for key in row.keys {
                let is_letter = key.len() == 1 && key.chars().all(char::is_alphanumeric);
                assert!(!is_letter, "{key} of {}", row.name);
            }
        }
    }
}
