//! The view of the alerts: a list with their state and latest events, and the form to add or edit
//! one.

mod backtest;
mod draw;
mod form;
mod subjects;

use ratatui::layout::Rect;

use self::subjects::is_volume;
use crate::core::view::{Availability, Cx, Outcome, Scene, View};
use crate::core::views::confirm::Confirm;
use crate::core::views::keys::only;
use crate::core::{Pane, State};
use crate::domain::saved::SavedSearch;
use crate::domain::text::visible;
use crate::domain::{Resource, RowId};
use crate::features::alerts::{AlertWatch, change as change_alerts};
use crate::features::saved;
use crate::keys::{Action, Context};
use crate::record::Moment;
use crate::record::alerts::{Alert, AlertChange, Followed, condition, repeat};
use crate::tui::input_widget::InputWidget;
use crate::tui::list::{Item, List};

/// The subject of a line in the list.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Entry {
    New,
    /// An alert, by its name.
    Alert(String),
}

#[derive(Debug)]
pub(crate) struct AlertList {
    list: List<Entry>,
}

impl AlertList {
    /// The list. Opening it marks all alerts as seen.
    pub fn new(cx: &mut Cx<'_>) -> Self {
        cx.feature::<AlertWatch>().unread = 0;
        let items = items(cx.state(), Moment::of(cx.now.epoch));
        Self { list: List::new(items) }
    }

    fn entry(&self) -> Option<Entry> {
        self.list.current()?.value.clone()
    }

    /// Updates the list to the current alerts; the selection stays on its entry, or else on its
    /// line.
    fn relist(&mut self, cx: &mut Cx<'_>) {
        let (entry, line) = (self.entry(), self.list.selected());
        let items = items(cx.state(), Moment::of(cx.now.epoch));
        self.list.replace(items, entry.as_ref());
        if self.entry() != entry {
            self.list.select(line, false);
        }
    }

    fn change(&mut self, change: AlertChange, cx: &mut Cx<'_>) {
        change_alerts(cx, change);
        self.relist(cx);
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
        use Context::{Always, Choice, List, ListEdit, Tabs};
        if self.list.input.is_empty() {
            &[Tabs, Choice, ListEdit, List, Always]
        } else {
            &[Tabs, ListEdit, List, Always]
        }
    }

    fn widget<'a>(&'a mut self, _: &'a mut Cx<'_>) -> Option<&'a mut dyn InputWidget> {
        Some(&mut self.list)
    }

    fn hint(&self, action: Action) -> Option<&'static str> {
        match (action, self.entry()?) {
            (Action::Submit, Entry::New) => Some("new alert"),
            (Action::Submit, Entry::Alert(_)) => Some("edit"),
            (Action::Run, Entry::Alert(_)) => Some("show offers"),
            (Action::Remove, _) => Some("delete"),
            _ => None,
        }
    }

    fn availability(&self, action: Action, _: &State) -> Availability {
        let used: &[Action] = match self.entry() {
            Some(Entry::Alert(_)) => &[Action::Toggle, Action::Remove, Action::Run],
            Some(Entry::New) | None => &[],
        };
        only(used, action)
    }

    fn update(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        match (action, self.entry()) {
            (Action::Submit, Some(Entry::New)) => match form::AlertForm::new(cx.state()) {
                Some(form) => cx.open(form),
                None => cx.complain("Open Offers or Volumes, or select a workergroup first"),
            },
            (Action::Submit, Some(Entry::Alert(name))) => {
                if let Some(alert) = AlertWatch::read(cx.state()).all.named(&name).cloned() {
                    cx.open(form::AlertForm::editing(alert, cx.state()));
                }
            }
            (Action::Run, Some(Entry::Alert(name))) => {
                if let Some(alert) = AlertWatch::read(cx.state()).all.named(&name).cloned() {
                    show(&alert, cx);
                }
            }
            (Action::Toggle, Some(Entry::Alert(name))) => {
                let alert = AlertWatch::read(cx.state()).all.named(&name);
                let is_paused = alert.is_some_and(|alert| alert.is_paused);
                self.change(AlertChange::Pause(name, !is_paused), cx);
            }
            (Action::Remove, Some(Entry::Alert(name))) => delete(name, cx),
            _ => return Outcome::Ignored,
        }
        Outcome::Handled
    }

    fn on_top(&mut self, cx: &mut Cx<'_>) {
        self.relist(cx);
    }

    // One may have rung, or another window changed them.
    fn tick(&mut self, cx: &mut Cx<'_>) {
        cx.feature::<AlertWatch>().unread = 0;
        self.relist(cx);
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        draw::list(self, area, scene);
    }
}

fn items(state: &State, now: Moment) -> Vec<Item<Entry>> {
    let alerts = &AlertWatch::read(state).all.alerts;
    let mut items = vec![Item::new("New alert", "", Entry::New)];
    items.push(Item::heading("Your alerts", ""));
    if alerts.is_empty() {
        items.push(Item::heading("  None yet", ""));
    }
    items.extend(alerts.iter().map(|alert| {
        let text = condition(&alert.rule, is_volume(&alert.follows));
        let how = repeat(alert.rule.repeat);
        // Without a name of its own it is named by its condition.
        let text = if alert.name.contains(&text) {
            how
        } else {
            format!("{text}, {how}")
        };
        Item::new(visible(&alert.name, 60), text, Entry::Alert(alert.name.clone())).note(status(alert, now))
    }));
    items
}

/// Whether an alert is on, paused, or done because it does not fire again.
fn status(alert: &Alert, now: Moment) -> &'static str {
    if alert.is_paused {
        "paused"
    } else if alert.is_active(now) {
        "on"
    } else {
        "done"
    }
}
