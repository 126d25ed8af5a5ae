//! The editor of a body: numbered lines, and whether the text can be sent.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::api::raw::BodyError;
use crate::app::Model;
use crate::app::facts::Facts;
use crate::app::requests::editor::Draft;
use crate::domain::text::visible;
use crate::ui::paint;
use crate::ui::picker::frame;
use crate::ui::prompt;
use crate::ui::records::first_row;
use crate::widgets::theme::Theme;

/// The widest editor.
const WIDEST: u16 = 140;

/// Cells of the line numbers, with the sign of a mistake and a blank.
const NUMBER: u16 = 5;

/// Lines below the text: a rule of nothing, and two for what is said.
const BELOW: u16 = 3;

/// Draws the editor; gives the cursor's place.
pub fn draw(
    buffer: &mut Buffer,
    area: Rect,
    model: &Model,
    draft: &Draft,
    theme: &Theme,
    facts: &mut Facts,
) -> Option<Position> {
    let lines = draft.area.lines();
    let wanted = u16::try_from(lines.len()).unwrap_or(u16::MAX);
    let height = wanted.max(12).saturating_add(2 + BELOW);
    let size = (
        area.width.saturating_sub(4).min(WIDEST),
        height.min(area.height.saturating_sub(2)),
    );
    let title = format!("Body of {}: change it and send it", draft.operation.label());
    let inner = frame(buffer, area, size, &title, theme);
    let text = Rect {
        height: inner.height.saturating_sub(BELOW),
        ..inner
    };
    let page = usize::from(text.height);
    facts.overlay_page = page;
    facts.overlay_lines = lines.len();
    facts.overlay_top = first_row(facts.overlay_top, draft.area.at(), lines.len(), page);
    let mistake = match &draft.fault {
        Some(BodyError::Broken { line, column, .. }) => Some((line - 1, column - 1)),
        _ => None,
    };
    let mut cursor = None;
    let shown = lines.iter().enumerate().skip(facts.overlay_top);
    for (y, (index, line)) in (text.y..text.bottom()).zip(shown) {
        let is_at = index == draft.area.at();
        let is_wrong = mistake.is_some_and(|(at, _)| at == index);
        let sign = if is_wrong { '!' } else { ' ' };
        let number = format!("{sign}{:>3} ", index + 1);
        let style = match (is_wrong, is_at) {
            (true, _) => theme.error,
            (false, true) => theme.accent,
            (false, false) => theme.dim,
        };
        paint::text(buffer, text.x, y, NUMBER, &number, style);
        let room = text.width.saturating_sub(NUMBER + 1);
        let field = Rect::new(text.x + NUMBER, y, room, 1);
        let scrolled = if is_at {
            cursor = Some(prompt::line(buffer, field, line, theme));
            line.scroll(usize::from(room).saturating_sub(1))
        } else {
            paint::text(buffer, field.x, y, room, line.text(), theme.text);
            0
        };
        if let Some((_, byte)) = mistake.filter(|_| is_wrong) {
            let before = line.text().get(..byte).unwrap_or(line.text());
            let cell = usize::from(paint::cells(before));
            let column = u16::try_from(cell.saturating_sub(scrolled)).unwrap_or(0);
            let spot = Rect::new(field.x + column.min(room.saturating_sub(1)), y, 1, 1);
            paint::fill(buffer, spot, theme.selected);
        }
    }
    verdict(buffer, inner, model, draft, theme);
    cursor
}

/// Whether the text can be sent, and how.
fn verdict(buffer: &mut Buffer, inner: Rect, model: &Model, draft: &Draft, theme: &Theme) {
    let way = |name| model.keymap.way_to(name);
    let bytes: usize = draft
        .area
        .lines()
        .iter()
        .map(|line| line.text().len())
        .sum();
    let (text, style) = match (&draft.refusal, &draft.fault) {
        (Some(why), _) => (format!("! not sent: {}", visible(why, 300)), theme.error),
        (None, Some(fault)) => (format!("! {fault}"), theme.error),
        (None, None) => (
            format!(
                "Sound JSON of {bytes} bytes. {} sends it as a search; no write can be sent from \
                 here.",
                way("send-body")
            ),
            theme.good,
        ),
    };
    let width = inner.width.saturating_sub(2);
    let top = inner.bottom().saturating_sub(2);
    for (y, line) in (top..inner.bottom()).zip(paint::wrap(&text, width)) {
        paint::text(buffer, inner.x + 1, y, width, &line, style);
    }
}
