//! The dialog as a view: keys, clicks and responses.

use crate::core::message::News;
use crossterm::event::KeyEvent;
use ratatui::layout::Rect;

use super::removals::Removals;
use super::{DialogLine, SearchDialog, Tab, draw};
use crate::core::State;
use crate::core::view::{Availability, Cx, Outcome, Placement, Region, Scene, View};
use crate::core::views::keys::{of_list, only};
use crate::domain::time::{MonotonicTime, Now};
use crate::keys::{Action, Context, Step};
use crate::table::remote::Ticket;
use crate::tui::form::FormEvent;
use crate::tui::input_widget::InputWidget;

impl View for SearchDialog {
    fn contexts(&self) -> &'static [Context] {
        const LIST: &[Context] = &[
            Context::Choice,
            Context::ListEdit,
            Context::Tabs,
            Context::List,
            Context::Always,
        ];
        const FORM: &[Context] = &[Context::Choice, Context::Tabs, Context::List, Context::Always];
        const SETTINGS: &[Context] = &[Context::Choice, Context::Tabs, Context::Form, Context::Always];
        // Without a checkbox, Space is text.
        let (all, has_choice) = match &self.form {
            Some(form) => (FORM, form.uses_space_as_toggle()),
            None if self.tab == Tab::Settings => (SETTINGS, self.settings.is_on_choice()),
            None => (LIST, !self.is_typed()),
        };
        if has_choice { all } else { &all[1..] }
    }

    fn placement(&self) -> Placement {
        Placement::Dialog
    }

    fn widget<'a>(&'a mut self, _: &'a mut Cx<'_>) -> Option<&'a mut dyn InputWidget> {
        if let Some(form) = &mut self.form {
            return Some(form);
        }
        if let Some(report) = &mut self.body {
            return Some(report);
        }
        match self.tab {
            Tab::Filters | Tab::Sort | Tab::Columns => Some(&mut self.lists[self.tab as usize]),
            Tab::Settings => Some(&mut self.settings),
        }
    }

    fn text_changed(&mut self, cx: &mut Cx<'_>) {
        self.complaint = None;
        if let (Tab::Settings, Some(setting)) = (self.tab, self.settings.focused()) {
            self.set(setting);
        }
        self.list_ids();
        self.look_ahead(cx.state());
    }

    fn hint(&self, action: Action) -> Option<&'static str> {
        match (action, &self.form, self.tab) {
            (Action::NextTab, Some(_), _) => Some("operator"),
            (Action::Toggle, None, Tab::Sort) => Some("add or reverse"),
            (Action::Toggle, None, Tab::Columns) => Some("show or hide"),
            (Action::Toggle, _, Tab::Filters) => Some("on/off"),
            (Action::Shift(Step::Back), _, Tab::Columns) => Some("left"),
            (Action::Shift(Step::Forward), _, Tab::Columns) => Some("right"),
            (Action::Shift(Step::Forward), _, Tab::Filters) => Some("loosen"),
            (Action::Submit, None, Tab::Filters) if self.body.is_none() => match self.current() {
                Some(DialogLine::Run) => Some("apply"),
                Some(DialogLine::Body) => Some("show"),
                Some(DialogLine::Count) => Some("count"),
                Some(DialogLine::Ban(_)) => Some("lift ban"),
                Some(DialogLine::Id(..)) => Some("filter"),
                Some(DialogLine::Condition(_) | DialogLine::Field(_)) | None => Some("edit"),
            },
            (Action::Remove, None, Tab::Filters) if matches!(self.current(), Some(DialogLine::Ban(_))) => {
                Some("lift ban")
            }
            (Action::Submit | Action::Run, ..) => Some("apply"),
            _ => None,
        }
    }

    fn availability(&self, action: Action, _: &State) -> Availability {
        const SHIFTS: [Action; 2] = [Action::Shift(Step::Back), Action::Shift(Step::Forward)];
        let is_used = match action {
            Action::Recall => self.has_left,
            Action::Remove => matches!(self.tab, Tab::Filters | Tab::Sort),
            action if action == SHIFTS[1] && self.tab == Tab::Filters => {
                !self.is_typed() && self.selected_step().is_some_and(|step| step.looser.is_some())
            }
            action if SHIFTS.contains(&action) => matches!(self.tab, Tab::Sort | Tab::Columns),
            Action::Submit if self.tab == Tab::Filters && self.form.is_none() && self.body.is_none() => {
                return self
                    .list()
                    .map_or(Availability::Available, |list| of_list(list, action));
            }
            // Enter does it in the others.
            Action::Run => self.tab == Tab::Filters && self.current() != Some(DialogLine::Run),
            action => matches!(action, Action::Toggle | Action::Reset),
        };
        let used: &[Action] = if is_used { &[action] } else { &[] };
        only(used, action)
    }

    fn update(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        self.complaint = None;
        let outcome = if self.form.is_some() {
            self.on_form(action)
        } else {
            self.on_tab(action, cx)
        };
        self.look_ahead(cx.state());
        outcome
    }

    /// On a choice of the settings, switches the tab on the keys that open these tabs over the pane.
    /// Otherwise types the key into the focused text.
    fn typed(&mut self, key: KeyEvent, cx: &mut Cx<'_>) -> Outcome {
        let is_choice = self.tab == Tab::Settings && self.settings.is_on_choice();
        let action = cx.state().keymap.resolve(&[Context::Table], key);
        let tab = self.tabs().iter().find(|tab| action == Some(tab.action()));
        if let (true, Some(tab)) = (is_choice, tab) {
            self.show(*tab);
            return Outcome::Handled;
        }
        let viewport = cx.viewport(Region::MAIN);
        let is_typed = self.widget(cx).is_some_and(|widget| widget.typed(key, viewport));
        if is_typed {
            self.text_changed(cx);
        }
        Outcome::handled_if(is_typed)
    }

    fn click(&mut self, region: Region, line: usize, cx: &mut Cx<'_>) -> Outcome {
        match region {
            Region::TABS => {
                if let Some(tab) = self.tabs().get(line) {
                    self.show(*tab);
                }
                Outcome::Handled
            }
            Region::MAIN if self.form.is_none() && self.tab == Tab::Settings => {
                match self.settings.click(line) {
                    FormEvent::Submitted(setting) => self.submit(setting, cx),
                    FormEvent::Changed(setting) => self.set(setting),
                    FormEvent::Moved | FormEvent::Ignored => {}
                }
                self.look_ahead(cx.state());
                Outcome::Handled
            }
            Region::MAIN if self.widget(cx).is_some_and(|widget| widget.select_line(line)) => {
                let checks = match &self.form {
                    Some(form) => form.operator().takes_list(),
                    None => self.tab != Tab::Filters,
                };
                self.update(if checks { Action::Toggle } else { Action::Submit }, cx)
            }
            _ => Outcome::Ignored,
        }
    }

    fn on_news(&mut self, ticket: Ticket, news: News, cx: &mut Cx<'_>) {
        let Some(removals) = &mut self.removals else {
            return;
        };
        if let News::Progress(progress) = news {
            removals.remote.progress(ticket, progress);
        } else if let News::Reply(response) = news
            && removals.remote.take_records(ticket, cx.now, *response)
            && !removals.ask_for_machine(cx)
            && self.tab == Tab::Filters
        {
            let keep = self.current();
            self.relist(keep);
            self.count_table(cx.state());
            // Who has not moved sees the strictest filter first.
            let removals = self.removals.as_ref();
            let ban = removals.and_then(|removals| removals.banned().first().copied());
            let strictest = removals.and_then(Removals::strictest).map(DialogLine::Condition);
            if let (Some(DialogLine::Count), Some(line)) = (keep, ban.map(DialogLine::Ban).or(strictest)) {
                self.relist(Some(line));
            }
        }
    }

    fn deadline(&self, _: &State, now: Now) -> Option<MonotonicTime> {
        let removals = self.removals.as_ref();
        removals
            .filter(|removals| removals.remote.is_loading())
            .map(|_| now.mono + 0.25)
    }

    fn on_top(&mut self, cx: &mut Cx<'_>) {
        if std::mem::take(&mut self.counts_at_once) {
            self.count(cx);
        }
    }

    fn rows_changed(&mut self, state: &State) {
        self.look_ahead(state);
    }

    fn closing(&mut self, cx: &mut Cx<'_>) {
        cx.abort(self.removals.as_mut().and_then(|removals| removals.remote.cancel()));
        if self.is_done {
            self.draft.store(None, cx);
        } else if self.draft != self.running {
            self.draft.store(Some(&self.running), cx);
            cx.toast("Query unchanged, edits kept");
        }
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        draw::dialog(self, area, scene);
    }
}
