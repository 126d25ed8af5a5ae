//! Draws the body editor: the text with line numbers, its validation, and the original body beside
//! it.

use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::Line;
use ratatui::widgets::{Paragraph, Wrap};

use super::BodyEditor;
use crate::api::raw::BodyError;
use crate::core::view::{Region, Scene};
use crate::keys::Action;
use crate::tui::json;
use crate::tui::panel::{Panel, Size};
use crate::tui::text::{capitalized, wrap_line};

/// Draws the editor with its verdict below, and beside it the original body, except on a compact screen.
pub(super) fn editor(view: &BodyEditor, area: Rect, scene: &mut Scene<'_, '_>) {
    let [left, right] = if scene.size == Size::Compact {
        [area, Rect::default()]
    } else {
        Layout::horizontal([Constraint::Percentage(60), Constraint::Fill(1)]).areas(area)
    };
    let title = format!("Edit and send: {}", view.operation.label());
    let inner = scene.panel(Panel::new(title).focused(true), left);
    let verdict = verdict(view, scene);
    let lines = wrap_line(&verdict, inner.width, 0).len();
    let rows = u16::try_from(lines).unwrap_or(1).min(inner.height / 2);
    let [text, below] = Layout::vertical([Constraint::Fill(1), Constraint::Length(rows)]).areas(inner);
    scene.text_area(Region::MAIN, &view.area, text);
    mark_fault(view, text, scene);
    scene.render(Paragraph::new(verdict).wrap(Wrap { trim: false }), below);
    if !right.is_empty() {
        as_sent(view, right, scene);
    }
}

/// The line below the text: the reason the body was not sent, or the mistake in it, or that it is valid JSON.
fn verdict(view: &BodyEditor, scene: &Scene<'_, '_>) -> Line<'static> {
    let theme = scene.theme;
    match (&view.refusal, &view.fault) {
        (Some(why), _) => Line::styled(format!("Not sent: {why}"), theme.error),
        (None, Some(fault)) => Line::styled(capitalized(&fault.to_string()), theme.error),
        (None, None) => {
            let bytes = view.area.text().len();
            let key = scene.key(Action::Run);
            Line::styled(format!("Valid JSON, {bytes} bytes ({key} sends it)"), theme.good)
        }
    }
}

/// Marks the visible line that has the JSON error; nothing if there is none or it is scrolled away.
fn mark_fault(view: &BodyEditor, area: Rect, scene: &mut Scene<'_, '_>) {
    let Some(BodyError::Broken { line, .. }) = &view.fault else {
        return;
    };
    let offset = (line - 1).checked_sub(view.area.top());
    let row = offset.and_then(|row| u16::try_from(row).ok());
    if let Some(row) = row.filter(|row| *row < area.height) {
        let cell = Rect::new(area.x, area.y + row, 1, 1);
        scene.render(Line::styled("!", scene.theme.error), cell);
    }
}

/// Draws the original request body beside the editor, as far as it fits.
fn as_sent(view: &BodyEditor, area: Rect, scene: &mut Scene<'_, '_>) {
    let inner = scene.framed(Panel::new(format!("Request {} as sent", view.number)), area);
    let lines = view.sent.lines().flat_map(|line| {
        let line = json::paint(&Line::from(line.to_owned()), scene.theme);
        wrap_line(&line, inner.width, 2)
    });
    let lines: Vec<_> = lines.take(usize::from(inner.height)).collect();
    scene.render(Paragraph::new(lines), inner);
}
