//! A text in a dialog that scrolls and can be searched.

use ratatui::layout::Rect;
use ratatui::text::Line;

use crate::core::State;
use crate::core::view::{Availability, Cx, Outcome, Placement, Region, Scene, View};
use crate::core::views::keys;
use crate::keys::{Action, Context, KeyTarget as _};
use crate::tui::dialog;
use crate::tui::find::Find;
use crate::tui::input_widget::InputWidget;
use crate::tui::panel::{Panel, Tone};
use crate::tui::report::Report;

/// The text of a dialog, and the note beside its title.
pub(crate) struct Text {
    pub note: String,
    pub lines: Vec<Line<'static>>,
}

#[derive(Debug)]
pub(crate) struct TextDialog {
    title: &'static str,
    note: String,
    report: Report,
    /// The rows to reserve for a line, which may wrap.
    rows_per_line: usize,
    /// The current text; `None` if it stays as it was when the dialog was opened.
    current: fn(&State) -> Option<Text>,
}

impl TextDialog {
    /// A dialog with this text; `rows_per_line` rows are reserved for each line, and `current` returns the
    /// updated text at each tick, or `None` if it stays.
    pub fn new(title: &'static str, text: Text, rows_per_line: usize, current: fn(&State) -> Option<Text>) -> Self {
        Self {
            title,
            note: text.note,
            report: Report::new(text.lines),
            rows_per_line,
            current,
        }
    }
}

impl View for TextDialog {
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
            _ => keys::of_report(action),
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
        if let Some(text) = (self.current)(cx.state()) {
            self.note = text.note;
            self.report.set_lines(text.lines);
        }
    }

    fn on_top(&mut self, cx: &mut Cx<'_>) {
        self.tick(cx);
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        let rows = self.report.lines().len() * self.rows_per_line + 3;
        let size = (
            area.width.saturating_sub(4).min(110),
            u16::try_from(rows)
                .unwrap_or(u16::MAX)
                .min(area.height.saturating_sub(2)),
        );
        let panel = Panel::new(self.title).note(self.note.as_str()).tone(Tone::Focused);
        let inner = dialog::open(panel, size, area, scene.frame.buffer_mut(), scene.theme);
        scene.report(Region::MAIN, &self.report, inner);
    }
}
