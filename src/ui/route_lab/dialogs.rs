//! The dialogs of the lab: form, search, next hop, export.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::app::Model;
use crate::app::facts::{Facts, Target};
use crate::app::route_lab::{Entry, NO_PAYLOAD, RouteLab};
use crate::domain::dialect::RouteKey;
use crate::domain::text::{json_for_terminal, visible};
use crate::ui::paint;
use crate::ui::picker::{blank, frame};
use crate::widgets::text_input::TextInput;
use crate::widgets::theme::Theme;

/// Cells of the labels.
const LABEL: u16 = 16;

/// A line in which text is edited; gives the cursor's place.
fn edited(
    buffer: &mut Buffer,
    place: (u16, u16, u16),
    input: &TextInput,
    theme: &Theme,
) -> Position {
    let (x, y, width) = place;
    let room = usize::from(width.saturating_sub(1));
    let scroll = input.scroll(room);
    let mut skipped = 0;
    let text: String = input
        .text()
        .chars()
        .skip_while(|c| {
            let is_out = skipped < scroll;
            skipped += unicode_width::UnicodeWidthChar::width(*c).unwrap_or(0);
            is_out
        })
        .collect();
    let style = paint::typed(input, theme.text);
    paint::text(buffer, x, y, width, &visible(&text, room + 8), style);
    let column = input.cursor_column().saturating_sub(scroll).min(room);
    Position::new(x + u16::try_from(column).unwrap_or(0), y)
}

/// The form for a run.
pub fn form(
    buffer: &mut Buffer,
    area: Rect,
    model: &Model,
    theme: &Theme,
    facts: &mut Facts,
) -> Option<Position> {
    let form = &model.route_lab.form;
    let entries = form.entries();
    let lines = u16::try_from(entries.len()).unwrap_or(8);
    let size = (area.width.saturating_sub(2).min(96), lines + 7);
    let title = "Route lab: ask the routing endpoint for a worker";
    let inner = frame(buffer, area, size, title, theme);
    let mut cursor = None;
    for (line, entry) in entries.iter().enumerate() {
        let y = inner.y + u16::try_from(line).unwrap_or(0);
        if y >= inner.bottom() {
            break;
        }
        let strip = Rect::new(inner.x, y, inner.width, 1);
        facts.targets.push((paint::area(strip), Target::Line(line)));
        let is_focus = *entry == form.focus();
        let sign = if is_focus { "> " } else { "  " };
        let label = format!("{sign}{}", entry.label());
        let style = if is_focus { theme.accent } else { theme.dim };
        paint::text(buffer, inner.x, y, LABEL, &label, style);
        let x = inner.x + LABEL + 1;
        let room = inner.right().saturating_sub(x);
        let width = room.min(if *entry == Entry::Endpoint { 34 } else { 22 });
        if let Some(input) = form.input(*entry) {
            let place = edited(buffer, (x, y, width), input, theme);
            cursor = is_focus.then_some(place).or(cursor);
        } else {
            let text = format!("< {} >", form.mode.label());
            paint::text(buffer, x, y, width, &text, theme.text);
        }
        let x = x + width + 1;
        let room = inner.right().saturating_sub(x);
        if let Some(message) = form.objection(*entry) {
            paint::text(buffer, x, y, room, &format!("! {message}"), theme.error);
        } else {
            let hint = entry.hint(form.mode, &model.keymap);
            if paint::cells(&hint) <= room {
                paint::text(buffer, x, y, room, &hint, theme.dim);
            }
        }
    }
    notes(buffer, inner, lines + 1, model, theme);
    cursor
}

/// What there is to know before sending.
fn notes(buffer: &mut Buffer, inner: Rect, from: u16, model: &Model, theme: &Theme) {
    let key = match model.profile.dialect.route_key {
        RouteKey::Profile => "with the profile's key",
        RouteKey::Group => "with the workergroup's own key",
    };
    let address = visible(&model.profile.route_url, 200);
    let mode = model.route_lab.form.mode;
    let focused = model.route_lab.form.focus();
    let objection = model.route_lab.form.objection(focused);
    let lines = [
        objection.map_or_else(
            || focused.hint(mode, &model.keymap),
            |message| format!("! {message}"),
        ),
        format!("POST {address}/route/ {key}"),
        "Each request is load: it can wake workers, which are billed.".to_owned(),
        format!("{} starts.", model.keymap.way_to("start-run")),
    ];
    for (y, line) in (inner.y + from..inner.bottom()).zip(&lines) {
        let width = inner.width.saturating_sub(2);
        paint::text(buffer, inner.x + 2, y, width, line, theme.dim);
    }
}

/// The search line, in place of the page's names.
pub fn search(buffer: &mut Buffer, area: Rect, lab: &RouteLab, theme: &Theme) -> Position {
    let strip = Rect::new(area.x, area.y + 3, area.width, 1);
    blank(buffer, strip);
    let x = paint::text(buffer, area.x + 1, strip.y, 10, "search ", theme.accent);
    let note = super::attempts::note(lab);
    let taken = paint::cells(&note) + 2;
    let width = area.right().saturating_sub(x + taken);
    paint::right(buffer, x, strip.y, width + taken - 1, &note, theme.dim);
    let input = &lab.attempts.input;
    edited(buffer, (x, strip.y, width), input, theme)
}

/// What the worker is to be sent.
pub fn next_hop(
    buffer: &mut Buffer,
    area: Rect,
    model: &Model,
    place: usize,
    theme: &Theme,
) -> Option<Position> {
    blank(buffer, area);
    let area = super::inset(area);
    let lab = &model.route_lab;
    let way = |name| model.keymap.way_to(name);
    let title = "The worker's request: bourse writes it and never sends it";
    paint::text(buffer, area.x, area.y, area.width, title, theme.heading);
    let Some((worker, reply)) = lab.assigned(place) else {
        let esc = way("close-hop");
        let text = format!("The reply of this attempt is not kept any more. {esc} goes back.");
        paint::text(buffer, area.x, area.y + 2, area.width, &text, theme.dim);
        return None;
    };
    let line = |y: u16| area.y + y;
    let hop = &lab.hop;
    let mut cursor = None;
    let worker_text = worker.screen(usize::from(area.width));
    paint::text(buffer, area.x + 2, line(2), LABEL, "Worker", theme.dim);
    let x = area.x + LABEL + 1;
    let room = area.right().saturating_sub(x);
    paint::text(buffer, x, line(2), room, &worker_text, theme.text);
    for (y, label, input, is_focus) in [
        (3, "Path", &hop.path, hop.on_path),
        (4, "Payload (JSON)", &hop.payload, !hop.on_path),
    ] {
        let sign = if is_focus { "> " } else { "  " };
        let style = if is_focus { theme.accent } else { theme.dim };
        let label = format!("{sign}{label}");
        paint::text(buffer, area.x, line(y), LABEL, &label, style);
        if input.is_empty() && label.contains("Payload") {
            paint::text(buffer, x, line(y), room, NO_PAYLOAD, theme.dim);
        }
        let position = edited(buffer, (x, line(y), room), input, theme);
        cursor = is_focus.then_some(position).or(cursor);
    }
    let (text, style) = match hop.command(worker, reply) {
        Ok(command) => (command, theme.text),
        Err(why) => (format!("! {why}"), theme.error),
    };
    let heading = format!(
        "{} copies this command; {} copies the body alone",
        way("copy-hop"),
        way("copy-body")
    );
    paint::text(buffer, area.x, line(6), area.width, &heading, theme.heading);
    // The command holds the signature: the worker checks it.
    let lines = paint::wrap(&json_for_terminal(&text), area.width);
    for (y, part) in (line(7)..area.bottom()).zip(lines) {
        paint::text(buffer, area.x, y, area.width, &part, style);
    }
    cursor
}

/// Where the run is to be written.
pub fn export(buffer: &mut Buffer, area: Rect, model: &Model, theme: &Theme) -> Position {
    let key = model.keymap.way_to("export-format");
    let note = format!(
        "It ends with .csv or .json ({key} changes it). A file that is there is not replaced."
    );
    let width = area.width.saturating_sub(2).min(90);
    let lines = paint::wrap(&note, width.saturating_sub(4));
    let size = (width, u16::try_from(lines.len()).unwrap_or(2) + 5);
    let title = "Export the run: attempts and parameters, no keys, no signatures";
    let inner = frame(buffer, area, size, title, theme);
    let x = paint::text(buffer, inner.x + 1, inner.y + 1, 8, "File  ", theme.accent);
    let width = inner.right().saturating_sub(x + 1);
    let position = edited(
        buffer,
        (x, inner.y + 1, width),
        &model.route_lab.export_path,
        theme,
    );
    let room = inner.width.saturating_sub(2);
    for (y, line) in (inner.y + 3..inner.bottom()).zip(&lines) {
        paint::text(buffer, inner.x + 1, y, room, line, theme.dim);
    }
    position
}
