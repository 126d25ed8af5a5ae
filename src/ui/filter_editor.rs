//! The filter editor: the list of filters or the condition being written, and under it (on wide
//! screens beside it) the query as text and the body that would be sent.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::{bar, filter_form, paint, picker};
use crate::app::Model;
use crate::app::facts::Facts;
use crate::app::filter_editor::FilterEditor;
use crate::app::filter_preview::Preview;
use crate::app::keys::Keymap;
use crate::widgets::theme::Theme;

/// From this width on, the body stands beside the list.
const BESIDE: u16 = 108;

/// Cells of the body beside the list.
const BODY: u16 = 42;

/// Draws the editor; gives the cursor's place.
pub fn draw(
    buffer: &mut Buffer,
    area: Rect,
    editor: &FilterEditor,
    model: &Model,
    theme: &Theme,
    facts: &mut Facts,
) -> Option<Position> {
    let keymap = &model.keymap;
    let margin = |all: u16, from: u16| if all < from { 0 } else { 4 };
    let size = (
        area.width.saturating_sub(margin(area.width, 101)).min(170),
        area.height.saturating_sub(margin(area.height, 20) / 2),
    );
    let inner = picker::frame(buffer, area, size, &title(editor), theme);
    if inner.height < 5 {
        return None;
    }
    let is_wide = inner.width >= BESIDE && !editor.shows_body;
    let left = if is_wide {
        let beside = Rect::new(inner.right() - BODY, inner.y, BODY, inner.height);
        body(buffer, beside, editor, keymap, theme);
        Rect::new(inner.x, inner.y, inner.width - BODY - 1, inner.height)
    } else {
        inner
    };
    let unmet = model.browser().map_or_else(Vec::new, |browser| {
        let conditions = editor.draft().active();
        conditions
            .filter_map(|condition| Some((browser.need(condition.field)?, condition)))
            .collect()
    });
    let not_applied = bar::not_applied(unmet, keymap);
    let preview = summary(editor.preview(), not_applied, left, is_wide, keymap);
    let taken = u16::try_from(preview.len()).unwrap_or(0);
    let bottom = left.bottom() - taken;
    for (y, (label, text)) in (bottom..).zip(preview) {
        let x = paint::text(buffer, left.x + 1, y, 8, label, theme.dim);
        let room = left.right().saturating_sub(x);
        let style = if label.is_empty() {
            theme.border
        } else {
            theme.good
        };
        paint::text(buffer, x, y, room, &text, style);
    }
    let main = Rect::new(left.x, left.y, left.width, bottom - left.y);
    if let Some(form) = &editor.form {
        let fate = editor.fate(form.field);
        let cursor = filter_form::draw(buffer, main, form, fate, model, theme, facts);
        return Some(cursor);
    }
    if editor.shows_body {
        scrolled(buffer, main, editor, keymap, theme, facts);
        return None;
    }
    Some(list(buffer, main, editor, keymap, theme, facts))
}

fn title(editor: &FilterEditor) -> String {
    match (&editor.form, editor.shows_body) {
        (Some(form), _) => format!("{}: {}", form.field.key, form.field.label),
        (None, true) => "What would be sent".to_owned(),
        (None, false) => "Filters: type to find one".to_owned(),
    }
}

/// The search line, what should be known, and the lines.
fn list(
    buffer: &mut Buffer,
    area: Rect,
    editor: &FilterEditor,
    keymap: &Keymap,
    theme: &Theme,
    facts: &mut Facts,
) -> Position {
    let cursor = picker::search(buffer, area, &editor.picker, theme);
    let y = area.y + 1;
    if let Some(complaint) = editor.complaint() {
        paint::text(buffer, area.x + 1, y, area.width, complaint, theme.error);
    } else if editor.has_kept() {
        let key = keymap.way_to("filter-recall");
        let note = format!("A draft was left without running it: {key} takes it up");
        paint::text(buffer, area.x + 1, y, area.width, &note, theme.warning);
    }
    let lines = Rect::new(area.x, y + 1, area.width, area.height.saturating_sub(2));
    picker::lines(buffer, lines, &editor.picker, theme, facts);
    cursor
}

/// The lines at the bottom: the query as text, and what is applied here.
fn summary(
    preview: &Preview,
    not_applied: Option<String>,
    area: Rect,
    is_wide: bool,
    keymap: &Keymap,
) -> Vec<(&'static str, String)> {
    let most = if area.height < 12 { 1 } else { 3 };
    let text = if preview.text.is_empty() {
        "no conditions"
    } else {
        &preview.text
    };
    let mut lines = vec![("", "─".repeat(usize::from(area.width.saturating_sub(2))))];
    let parts = paint::wrap(text, area.width.saturating_sub(10));
    let is_cut = parts.len() > most;
    for (index, part) in parts.into_iter().take(most).enumerate() {
        let label = if index == 0 { "query   " } else { "        " };
        let cut = if is_cut && index + 1 == most {
            " …"
        } else {
            ""
        };
        lines.push((label, format!("{part}{cut}")));
    }
    if !preview.local.is_empty() && area.height >= 12 {
        lines.push(("local   ", preview.local.clone()));
    }
    lines.extend(not_applied.map(|text| ("        ", text)));
    if !is_wide && area.height >= 12 {
        let key = keymap.way_to("filter-body");
        let request = format!("{} ({key} shows the body)", preview.request);
        lines.push(("sends   ", request));
    }
    lines
}

/// The body beside the list, as much of it as fits.
fn body(buffer: &mut Buffer, area: Rect, editor: &FilterEditor, keymap: &Keymap, theme: &Theme) {
    for y in area.top()..area.bottom() {
        paint::text(buffer, area.x - 1, y, 1, "│", theme.border);
    }
    let preview = editor.preview();
    let x = area.x + 1;
    let width = area.width.saturating_sub(1);
    paint::text(buffer, x, area.y, width, &preview.request, theme.heading);
    let room = usize::from(area.height.saturating_sub(1));
    let is_cut = preview.json.len() > room;
    let shown = if is_cut { room - 1 } else { preview.json.len() };
    for (y, line) in (area.y + 1..).zip(preview.json.iter().take(shown)) {
        paint::text(buffer, x, y, width, line, theme.text);
    }
    if is_cut {
        let key = keymap.way_to("filter-body");
        let note = format!("… {} more lines: {key}", preview.json.len() - shown);
        paint::text(buffer, x, area.bottom() - 1, width, &note, theme.dim);
    }
}

/// The body in place of the list, scrolled.
fn scrolled(
    buffer: &mut Buffer,
    area: Rect,
    editor: &FilterEditor,
    keymap: &Keymap,
    theme: &Theme,
    facts: &mut Facts,
) {
    let preview = editor.preview();
    let heading = format!(
        "{}   {} goes back to the filters",
        preview.request,
        keymap.way_to("filter-body")
    );
    paint::text(
        buffer,
        area.x + 1,
        area.y,
        area.width,
        &heading,
        theme.heading,
    );
    let page = usize::from(area.height.saturating_sub(1));
    facts.overlay_page = page;
    facts.overlay_lines = preview.json.len();
    let scroll = editor.scroll.min(preview.json.len().saturating_sub(page));
    for (y, line) in (area.y + 1..area.bottom()).zip(preview.json.iter().skip(scroll)) {
        paint::text(buffer, area.x + 1, y, area.width - 1, line, theme.text);
    }
}
