//! The preflight report: the offers that a workergroup's search finds now, and their cost.

mod draw;
pub mod parts;
pub mod summary;

pub(crate) use self::draw::{draw_costs, mixes, status};

use ratatui::layout::Rect;
use ratatui::text::Line;

use super::look::Subject;
use crate::core::State;
use crate::core::view::{Availability, Cx, Outcome, Scene, View};
use crate::domain::Resource;
use crate::domain::time::{MonotonicTime, Now};
use crate::features::workergroups::{check_of, look_at, supply_report};
use crate::keys::pane::Pane;
use crate::keys::{Action, Context, KeyTarget as _};
use crate::tui::find::Find;
use crate::tui::input_widget::InputWidget;
use crate::tui::panel::Size;
use crate::tui::report::Report;
use crate::tui::theme::Theme;

/// The view of the report on a subject's search.
#[derive(Debug)]
pub struct Preflight {
    subject: Subject,
    report: Report,
}

/// Opens the report on the search of `subject`, a workergroup or a draft, and checks its search unless the
/// report is current; complains if it has no valid search.
pub fn open(subject: Subject, cx: &mut Cx<'_>) {
    if run(subject, false, cx) {
        cx.open(Preflight {
            subject,
            report: Report::default(),
        });
    }
}

/// Checks the supply of a workergroup's or draft's search (`again`: even if its report is current); false,
/// with a complaint, if it has no valid search.
fn run(subject: Subject, again: bool, cx: &mut Cx<'_>) -> bool {
    match look_at(cx.state(), subject) {
        Ok(look) => {
            super::queue_supply_check(cx, look.search, again);
            true
        }
        Err(error) => {
            cx.complain(error.to_string());
            false
        }
    }
}

/// Opens the report on the supply of the selected workergroup; false if none is selected.
pub fn open_selected(cx: &mut Cx<'_>) -> bool {
    let selected = cx.state().browsers[Resource::Workergroups].selected();
    if let Some(id) = selected {
        open(Subject::Group(id), cx);
    }
    selected.is_some()
}

impl Preflight {
    /// Whether a request for the subject's search is in flight.
    fn is_loading(&self, state: &State) -> bool {
        let look = look_at(state, self.subject);
        let check = look.as_ref().ok().and_then(|look| check_of(state, look));
        check.is_some_and(|check| check.remote().is_loading())
    }

    /// Searches the offers that the subject's search finds, on their own pane.
    fn list_offers(&self, cx: &mut Cx<'_>) {
        match look_at(cx.state(), self.subject) {
            Ok(look) => {
                cx.table(Resource::Offers).jump_to(look.search.query().conditions);
                cx.go_to(Pane::Offers);
                cx.perform_on_pane(Action::Refresh);
                let key = cx.state().keymap.key_of(Action::Pane(Pane::Workergroups));
                cx.toast(format!("Offers of this supply: {key} returns to its workergroup"));
            }
            Err(error) => cx.complain(error.to_string()),
        }
    }

    /// Closes the view. If its own search is in flight, stops all supply checks first, and stays open if an
    /// earlier report remains.
    fn back(&self, cx: &mut Cx<'_>) {
        if self.is_loading(cx.state())
            && let Some(stopped) = cx.feature::<super::Groups>().supply.stop()
        {
            cx.effect(stopped);
            cx.toast("Stopped waiting");
            if supply_report(cx.state(), self.subject).is_some() {
                return;
            }
        }
        cx.close();
    }
}

impl View for Preflight {
    fn contexts(&self) -> &'static [Context] {
        self.report.contexts()
    }

    fn search(&self) -> Option<&Find> {
        Some(self.report.find())
    }

    fn widget<'a>(&'a mut self, cx: &'a mut Cx<'_>) -> Option<&'a mut dyn InputWidget> {
        let (columns, rows) = cx.state().screen.size;
        let size = Size::new(columns, rows.saturating_sub(1));
        let lines = draw::lines(self.subject, cx.state(), cx.now, (size, columns), &Theme::MONO);
        let texts = lines.iter().map(Line::to_string);
        if !texts.eq(self.report.lines().iter().map(Line::to_string)) {
            self.report.set_lines(lines);
        }
        Some(&mut self.report)
    }

    fn availability(&self, action: Action, _: &State) -> Availability {
        crate::core::views::keys::of_report(action)
    }

    fn hint(&self, action: Action) -> Option<&'static str> {
        match action {
            Action::Refresh => Some("refresh"),
            Action::Submit => Some("list offers"),
            _ => None,
        }
    }

    fn update(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        match action {
            Action::Back => self.back(cx),
            Action::Submit => self.list_offers(cx),
            Action::Refresh => {
                run(self.subject, true, cx);
            }
            _ => return Outcome::Ignored,
        }
        Outcome::Handled
    }

    fn deadline(&self, state: &State, now: Now) -> Option<MonotonicTime> {
        let is_loading = self.is_loading(state);
        is_loading.then(|| state.animation(now, 0.25)).flatten()
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        draw::report(self, area, scene);
    }
}
