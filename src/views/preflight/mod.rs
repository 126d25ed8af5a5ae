//! The preflight report: what a workergroup's search finds on the market now, and what that costs.

mod draw;
pub mod parts;
pub mod summary;

pub(super) use draw::{mixes, status};

use crossterm::event::KeyEvent;
use ratatui::layout::Rect;
use ratatui::text::Line;

use crate::app::State;
use crate::app::groups::preflight::{Look, Subject};
use crate::app::keymap::{Action, Context};
use crate::app::remote::Now;
use crate::app::view::{Availability, Cx, Outcome, Region, Scene, View};
use crate::domain::Resource;
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
    match Look::at(cx.state, subject) {
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

impl Preflight {
    /// Updates the searched text from the state.
    fn sync(&mut self, cx: &Cx<'_>) {
        let (columns, rows) = cx.state.size;
        let size = Size::of(columns, rows.saturating_sub(1));
        let lines = draw::lines(cx.state, cx.now, (size, columns), &Theme::MONO);
        let is_same = lines.iter().map(Line::to_string).eq(self
            .report
            .lines()
            .iter()
            .map(Line::to_string));
        if !is_same {
            self.report.set_lines(lines);
        }
    }
}

/// Runs the search of the shown subject again, as it is now.
fn rerun(cx: &mut Cx<'_>) {
    let Some(subject) = cx.state.groups.preflight.look().map(|look| look.subject) else {
        return;
    };
    match Look::at(cx.state, subject) {
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

    fn takes_text(&self) -> bool {
        self.report.is_typing()
    }

    fn availability(&self, action: Action, _: &State) -> Availability {
        super::of_report(&self.report, action)
    }

    fn hint(&self, action: Action) -> Option<&'static str> {
        match action {
            Action::Refresh => Some("refresh"),
            Action::Submit if self.report.is_typing() => Some("find"),
            _ => None,
        }
    }

    fn update(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        self.sync(cx);
        if self.report.update(action, cx.viewport(Region::MAIN)) {
            return Outcome::Handled;
        }
        match action {
            Action::Back => back(cx),
            Action::Submit => cx.close(),
            Action::Refresh => rerun(cx),
            _ => return Outcome::Ignored,
        }
        Outcome::Handled
    }

    fn typed(&mut self, key: KeyEvent, cx: &mut Cx<'_>) -> Outcome {
        self.sync(cx);
        Outcome::of(self.report.key(key, cx.viewport(Region::MAIN)))
    }

    fn paste(&mut self, text: &str, _: &mut Cx<'_>) -> Outcome {
        if self.report.paste(text) {
            Outcome::Handled
        } else {
            Outcome::Ignored
        }
    }

    fn wheel(&mut self, lines: isize, cx: &mut Cx<'_>) {
        self.sync(cx);
        self.report.scroll(lines, cx.viewport(Region::MAIN));
    }

    fn deadline(&self, state: &State, now: Now) -> Option<f64> {
        let is_loading = state.groups.preflight.remote().is_loading();
        is_loading.then(|| state.animation(now, 0.25)).flatten()
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        draw::report(&self.report, area, scene);
    }
}
