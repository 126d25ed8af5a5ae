//! The preflight report: what a workergroup's search finds on the market now, and what that costs.

mod draw;
pub mod parts;
pub mod summary;

pub(super) use draw::{mixes, offers, status};

use ratatui::layout::Rect;
use ratatui::text::Line;

use crate::app::State;
use crate::app::groups::preflight::Subject;
use crate::app::keymap::{Action, Context};
use crate::app::remote::Now;
use crate::app::view::{Availability, Cx, Outcome, Scene, View};
use crate::domain::Resource;
use crate::widgets::find::Find;
use crate::widgets::input_widget::InputWidget;
use crate::widgets::panel::Size;
use crate::widgets::report::Report;
use crate::widgets::theme::Theme;

/// The report on the latest preflight.
#[derive(Debug, Default)]
pub struct Preflight {
    report: Report,
}

/// Opens the report on `subject`, running its search unless the report is fresh.
pub fn open(subject: Subject, cx: &mut Cx<'_>) {
    match cx.state.look_at(subject) {
        Ok(look) => {
            let effects = cx.state.run_preflight(look, cx.now);
            cx.effects(effects);
            cx.open(Preflight::default());
        }
        Err(why) => cx.complain(why),
    }
}

/// Opens the report on the selected workergroup; false if none is selected.
pub fn open_selected(cx: &mut Cx<'_>) -> bool {
    let selected = cx.state.browsers[Resource::Workergroups].selected();
    if let Some(id) = selected {
        open(Subject::Group(id), cx);
    }
    selected.is_some()
}

/// Runs the search of the shown subject again, as it is now.
fn rerun(cx: &mut Cx<'_>) {
    let Some(subject) = cx.state.groups.preflight.look().map(|look| look.subject) else {
        return;
    };
    match cx.state.look_at(subject) {
        Ok(look) => {
            let effects = cx.state.rerun_preflight(look, cx.now);
            cx.effects(effects);
        }
        Err(why) => cx.complain(why),
    }
}

/// Cancels the request if one is in flight, else closes.
fn back(cx: &mut Cx<'_>) {
    let Some(abort) = cx.state.groups.preflight.cancel() else {
        cx.close();
        return;
    };
    cx.effect(abort);
    cx.toast("Stopped waiting");
    if cx.state.groups.preflight.remote().shown().is_none() {
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

    fn widget(&mut self, cx: &Cx<'_>) -> Option<&mut dyn InputWidget> {
        let (columns, rows) = cx.state.size;
        let size = Size::of(columns, rows.saturating_sub(1));
        let lines = draw::lines(cx.state, cx.now, (size, columns), &Theme::MONO);
        let texts = lines.iter().map(Line::to_string);
        if !texts.eq(self.report.lines().iter().map(Line::to_string)) {
            self.report.set_lines(lines);
        }
        Some(&mut self.report)
    }

    fn availability(&self, action: Action, _: &State) -> Availability {
        super::keys::of_report(action)
    }

    fn hint(&self, action: Action) -> Option<&'static str> {
        match action {
            Action::Refresh => Some("refresh"),
            _ => None,
        }
    }

    fn update(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        match action {
            Action::Back => back(cx),
            Action::Submit => cx.close(),
            Action::Refresh => rerun(cx),
            _ => return Outcome::Ignored,
        }
        Outcome::Handled
    }

    fn deadline(&self, state: &State, now: Now) -> Option<f64> {
        let is_loading = state.groups.preflight.remote().is_loading();
        is_loading.then(|| state.animation(now, 0.25)).flatten()
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        draw::report(&self.report, area, scene);
    }
}
