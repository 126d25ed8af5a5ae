//! The alerts: a table with their state and their latest rings, and the form to add or edit one.

mod backtest;
mod draw;
mod fields;
mod form;
mod subjects;

use ratatui::layout::Rect;

use self::subjects::is_volume;
use crate::core::view::{Availability, Cx, Outcome, Region, Scene, View};
use crate::core::views::confirm::Confirm;
use crate::core::views::typed_search::{TypedEvent, TypedSearch};
use crate::core::{Pane, State};
use crate::domain::plain::PriceLimit;
use crate::domain::saved::SavedSearch;
use crate::domain::text::visible;
use crate::domain::{Resource, RowId};
use crate::features::alerts::{AlertWatch, change as change_alerts, unattended};
use crate::features::copy_export::copy_menu::CopyMenu;
use crate::features::saved;
use crate::keys::{Action, Context};
use crate::record::Moment;
use crate::record::alerts::{Alert, AlertChange, Followed, describe_trigger};
use crate::tui::input_widget::InputWidget;

/// The region of the search line.
const SEARCH: Region = Region(3);

/// How many examples stand in for alerts where there are none.
const EXAMPLES: usize = 3;

/// The table of alerts, or of examples where there are none.
#[derive(Debug, Default)]
pub(crate) struct AlertList {
    cursor: usize,
    /// The number of alerts when the table had the keyboard last.
    count: usize,
    /// Words that the name or the condition of an alert has, to be listed.
    search: TypedSearch,
}

impl AlertList {
    /// The table, on its first line. Opening it marks all alerts as seen.
    pub fn new(cx: &mut Cx<'_>) -> Self {
        let watch = cx.feature::<AlertWatch>();
        watch.unread = 0;
        Self {
            count: watch.all.alerts.len(),
            ..Self::default()
        }
    }

    /// The alerts whose name and condition together contain every typed word, in any case and order; all
    /// without words.
    fn alerts<'a>(&self, state: &'a State) -> Vec<&'a Alert> {
        let matches = |alert: &&Alert| {
            let condition = describe_trigger(&alert.rule, is_volume(&alert.follows));
            self.search.matches(&format!("{} {condition}", alert.name))
        };
        AlertWatch::read(state).all.alerts.iter().filter(matches).collect()
    }

    /// The alert under the cursor among the matching ones, or the last of them; `None` if none matches.
    fn selected<'a>(&self, state: &'a State) -> Option<&'a Alert> {
        let alerts = self.alerts(state);
        alerts.get(self.cursor.min(alerts.len().saturating_sub(1))).copied()
    }

    /// Moves the cursor `by` lines through the matching alerts, or through the examples if there are no
    /// alerts; it stops at the first and the last.
    fn step(&mut self, by: isize, state: &State) {
        let count = if is_empty(state) {
            EXAMPLES
        } else {
            self.alerts(state).len()
        };
        self.cursor = self.cursor.saturating_add_signed(by).min(count.saturating_sub(1));
    }

    /// Handles an action while search words are typed: their changes, and moves of the cursor.
    fn on_search(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        match self.search.update(action) {
            TypedEvent::Ignored => return Outcome::Ignored,
            TypedEvent::Changed => {}
            TypedEvent::Step(by) => self.step(by, cx.state()),
        }
        Outcome::Handled
    }
}

/// Whether there are no alerts yet.
fn is_empty(state: &State) -> bool {
    AlertWatch::read(state).all.alerts.is_empty()
}

/// Opens the form of a new alert with the values of an example, from 0; complains if there is no search or
/// workergroup to follow.
fn add(example: usize, cx: &mut Cx<'_>) {
    match form::AlertForm::example(example, cx.state()) {
        Some(form) => cx.open(form),
        None => cx.complain("Open Offers or Volumes, or select a workergroup first"),
    }
}

/// Opens the form of a new alert on the open pane's search, with a limit if one is given.
pub(crate) fn add_below(limit: Option<PriceLimit>, cx: &mut Cx<'_>) {
    match form::AlertForm::below(limit, cx.state()) {
        Some(form) => cx.open(form),
        None => add(0, cx),
    }
}

/// Runs the search that an alert follows, or shows its workergroup.
fn show(alert: &Alert, cx: &mut Cx<'_>) {
    match &alert.follows {
        Followed::Search(spec) => {
            let search = SavedSearch {
                name: alert.name.clone(),
                note: String::new(),
                job: None,
                spec: spec.clone(),
            };
            saved::run(&search, cx);
        }
        Followed::Group(id) => {
            cx.table(Resource::Workergroups).select_id(RowId(*id));
            cx.go_to(Pane::Workergroups);
        }
    }
}

/// Asks for a confirmation, then deletes the alert of this name with its log.
fn delete(name: String, cx: &mut Cx<'_>) {
    let text = format!("“{}” and its log will be deleted.", visible(&name, 60));
    let delete = move |cx: &mut Cx<'_>| {
        change_alerts(cx, AlertChange::Delete(name));
        cx.toast("Alert deleted");
    };
    cx.open(Confirm::new("Delete the alert?", text, "delete", delete).danger());
}

impl View for AlertList {
    fn contexts(&self) -> &'static [Context] {
        use Context::{Always, Choice, Global, Items, ListEdit, Query, Report, Tabs};
        if self.search.is_typing {
            return &[Query, Always];
        }
        &[Tabs, Items, Choice, ListEdit, Report, Global, Always]
    }

    fn availability(&self, action: Action, state: &State) -> Availability {
        if self.search.is_typing {
            return Availability::Available;
        }
        let is_hidden = match action {
            Action::Submit => !is_empty(state) && self.selected(state).is_none(),
            Action::Toggle | Action::Remove | Action::Run => self.selected(state).is_none(),
            Action::Query => is_empty(state),
            // They are for other lists and tables.
            Action::Settings
            | Action::Refresh
            | Action::Newer
            | Action::Older
            | Action::Left
            | Action::Right
            | Action::Edit
            | Action::Shift(_)
            | Action::Reset
            | Action::Recall
            | Action::Export => true,
            _ => false,
        };
        if is_hidden {
            Availability::Hidden
        } else {
            Availability::Available
        }
    }

    fn hint(&self, action: Action) -> Option<&'static str> {
        match action {
            Action::Submit if self.search.is_typing => Some("keep"),
            Action::Back if self.search.is_typing => Some("clear search"),
            Action::Submit => Some("open"),
            Action::New => Some("new alert"),
            Action::Query => Some("search"),
            Action::Toggle => Some("on/off"),
            Action::Run => Some("show offers"),
            Action::Copy => Some("while closed"),
            Action::Remove => Some("delete"),
            _ => None,
        }
    }

    fn update(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        if self.search.is_typing {
            return self.on_search(action, cx);
        }
        if let Some(by) = cx.motion(action) {
            self.step(by, cx.state());
            return Outcome::Handled;
        }
        let selected = self.selected(cx.state()).cloned();
        match (action, selected) {
            (Action::New, _) => add(0, cx),
            (Action::Submit, Some(alert)) => cx.open(form::AlertForm::editing(alert, cx.state())),
            (Action::Submit, None) if is_empty(cx.state()) => add(self.cursor, cx),
            (Action::Copy, _) => cx.open(CopyMenu::new(unattended::copy_items(cx.state()))),
            (Action::Query, _) => self.search.is_typing = true,
            (Action::Run, Some(alert)) => show(&alert, cx),
            // One that is done is on again.
            (Action::Toggle, Some(alert)) => {
                let is_active = alert.is_active(cx.now.epoch.moment());
                change_alerts(cx, AlertChange::Pause(alert.name, is_active));
            }
            (Action::Remove, Some(alert)) => delete(alert.name, cx),
            (Action::Back, _) if !self.search.words.is_empty() => self.search.words.set(""),
            _ => return Outcome::Ignored,
        }
        Outcome::Handled
    }

    fn widget<'a>(&'a mut self, _: &'a mut Cx<'_>) -> Option<&'a mut dyn InputWidget> {
        self.search.widget()
    }

    fn click(&mut self, region: Region, line: usize, cx: &mut Cx<'_>) -> Outcome {
        match region {
            SEARCH => self.search.is_typing = true,
            _ if self.cursor == line => return self.update(Action::Submit, cx),
            _ => self.cursor = line,
        }
        Outcome::Handled
    }

    /// Selects the last alert if there are more than before: the form has added it.
    fn on_top(&mut self, cx: &mut Cx<'_>) {
        let count = AlertWatch::read(cx.state()).all.alerts.len();
        if count > self.count {
            self.cursor = self.alerts(cx.state()).len().saturating_sub(1);
        }
        self.count = count;
    }

    // Another window may have changed them.
    fn tick(&mut self, cx: &mut Cx<'_>) {
        cx.feature::<AlertWatch>().unread = 0;
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        draw::list(self, area, scene);
    }
}

/// The state of an alert at `now` as text: `on`, `paused`, or `done` if it has fired for the last time or its
/// end has passed; `paused` comes first.
fn status(alert: &Alert, now: Moment) -> &'static str {
    if alert.is_paused {
        "paused"
    } else if alert.is_active(now) {
        "on"
    } else {
        "done"
    }
}
