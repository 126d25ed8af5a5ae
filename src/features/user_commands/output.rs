//! The output of a command, in a panel.

use ratatui::layout::Rect;
use ratatui::text::Line;

use super::UserCommands;
use crate::core::State;
use crate::core::view::{Availability, Cx, Outcome, Placement, Region, Scene, View};
use crate::domain::text::visible;
use crate::keys::{Action, Context, KeyTarget as _};
use crate::tui::dialog;
use crate::tui::find::Find;
use crate::tui::input_widget::InputWidget;
use crate::tui::panel::{Panel, Tone};
use crate::tui::report::Report;

/// Maximum length of a shown line, in bytes.
const LONGEST: usize = 2000;

#[derive(Debug)]
pub(super) struct Output {
    report: Report,
}

impl Output {
    /// The output of the last command, which may still be running.
    pub fn new() -> Self {
        let lines = vec![Line::raw("Running…")];
        Self {
            report: Report::new(lines),
        }
    }
}

/// The command line, and its output.
fn lines(state: &State) -> Vec<Line<'static>> {
    let Some(run) = &state.feature::<UserCommands>().last else {
        return Vec::new();
    };
    let command = format!("$ {}", visible(&shell_words::join(&run.words), LONGEST));
    let mut lines = vec![Line::raw(command), Line::default()];
    let Some(ran) = &run.ended else {
        lines.push(Line::raw("Running…"));
        return lines;
    };
    lines.extend(ran.output.lines().map(|line| Line::raw(visible(line, LONGEST))));
    if ran.is_cut {
        lines.push(Line::raw("The rest is not shown."));
    }
    if lines.len() > 2 {
        lines.push(Line::default());
    }
    lines.push(Line::raw(visible(&ran.status, LONGEST)));
    lines
}

impl View for Output {
    fn contexts(&self) -> &'static [Context] {
        self.report.contexts()
    }

    fn search(&self) -> Option<&Find> {
        Some(self.report.find())
    }

    fn widget<'a>(&'a mut self, _: &'a mut Cx<'_>) -> Option<&'a mut dyn InputWidget> {
        Some(&mut self.report)
    }

    fn placement(&self) -> Placement {
        Placement::Dialog
    }

    fn availability(&self, action: Action, _: &State) -> Availability {
        match action {
            Action::Refresh => Availability::Hidden,
            _ => crate::core::views::keys::of_report(action),
        }
    }

    fn update(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        match action {
            Action::Back | Action::Submit => cx.close(),
            _ => return Outcome::Ignored,
        }
        Outcome::Handled
    }

    fn tick(&mut self, cx: &mut Cx<'_>) {
        self.report.set_lines(lines(cx.state()));
    }

    fn on_top(&mut self, cx: &mut Cx<'_>) {
        self.report.set_lines(lines(cx.state()));
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        let height = u16::try_from(self.report.lines().len() + 3).unwrap_or(u16::MAX);
        let size = (
            area.width.saturating_sub(4).min(110),
            height.min(area.height.saturating_sub(2)),
        );
        let last = scene.state.feature::<UserCommands>().last.as_ref();
        let name = last.map_or_else(String::new, |run| run.name.clone());
        let panel = Panel::new("Command").note(visible(&name, 40)).tone(Tone::Focused);
        let inner = dialog::open(panel, size, area, scene.frame.buffer_mut(), scene.theme);
        scene.report(Region::MAIN, &self.report, inner);
    }
}
