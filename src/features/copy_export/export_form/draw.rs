//! Draws the export form and a preview of the file.

use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::Line;
use ratatui::widgets::Paragraph;

use super::{ExportForm, ExportSubject};
use crate::core::view::Scene;
use crate::domain::text::visible;
use crate::tui::dialog;
use crate::tui::form::FormLines;
use crate::tui::panel::{Panel, Size, Tone};
const LINES: u16 = 8;

/// Draws the export form as a dialog, with a preview of the file below it; without one for requests and on a
/// compact screen.
pub(super) fn export(view: &ExportForm, area: Rect, scene: &mut Scene<'_, '_>) {
    let has_preview = scene.size != Size::Compact && view.subject != ExportSubject::Requests;
    let width = area.width.saturating_sub(4).min(100);
    let form = FormLines::new(&view.form, scene.theme).height(width.saturating_sub(4));
    // The frame, and a blank line before the preview.
    let height = form + 2 + if has_preview { LINES + 2 } else { 0 };
    let size = (width, height.min(area.height));
    let panel = Panel::new(view.title.as_str()).tone(Tone::Focused);
    let inner = dialog::open(panel, size, area, scene.frame.buffer_mut(), scene.theme);
    let below = if has_preview { LINES + 1 } else { 0 };
    let [form, file] = Layout::vertical([Constraint::Fill(1), Constraint::Length(below)]).areas(inner);
    scene.form(&view.form, form);
    if has_preview {
        preview(view, file, scene);
    }
}

/// Draws the first lines of the file to export, or the reason it has no content.
fn preview(view: &ExportForm, area: Rect, scene: &mut Scene<'_, '_>) {
    let theme = scene.theme;
    let width = usize::from(area.width);
    let mut lines = vec![Line::styled("Begins with", theme.heading)];
    match view.content(scene.state, Some(usize::from(LINES))) {
        Err(error) => lines.push(Line::styled(error.to_string(), theme.warning)),
        Ok(content) => {
            let shown = content.lines().take(usize::from(LINES));
            lines.extend(shown.map(|line| {
                let line = crate::domain::text::truncate(&visible(line, width + 1), width);
                Line::styled(line, theme.dim)
            }));
        }
    }
    scene.render(Paragraph::new(lines), area);
}
