//! The notices about the start of the program, in full length.

use ratatui::layout::Rect;
use ratatui::text::Line;

use crate::core::State;
use crate::core::view::{Availability, Cx, Outcome, Placement, Region, Scene, View};
use crate::domain::text::visible;
use crate::keys::{Action, Context, KeyTarget as _};
use crate::tui::dialog;
use crate::tui::find::Find;
use crate::tui::input_widget::InputWidget;
use crate::tui::panel::{Panel, Tone};
use crate::tui::report::Report;

/// Maximum length of a notice, in characters.
const LONGEST: usize = 2000;

/// The notices, one paragraph each.
#[derive(Debug)]
pub(crate) struct Notices {
    report: Report,
    count: usize,
}

impl Notices {
    /// The notices that have not been dismissed; `None` if there are none.
    #[expect(clippy::unnecessary_wraps, reason = "views open this way")]
    pub fn new(state: &State) -> Option<Self> {
        let mut lines: Vec<Line<'static>> = Vec::new();
        for notice in &state.notices {
            lines.push(Line::raw(format!("• {}", visible(notice, LONGEST))));
            lines.push(Line::default());
        }
        if lines.is_empty() {
            lines.push(Line::raw("Nothing to report"));
        }
        Some(Self {
            report: Report::new(lines),
            count: state.notices.len(),
        })
    }
}

impl View for Notices {
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

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        let height = u16::try_from(self.report.lines().len() * 2 + 3).unwrap_or(u16::MAX);
        let size = (
            area.width.saturating_sub(4).min(110),
            height.min(area.height.saturating_sub(2)),
        );
        let panel = Panel::new("Notices").note(self.count.to_string()).tone(Tone::Focused);
        let inner = dialog::open(panel, size, area, scene.frame.buffer_mut(), scene.theme);
        scene.report(Region::MAIN, &self.report, inner);
    }
}
