//! The dialogs of the lab: form, question, search, next hop, export.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::{plan_words, words};
use crate::app::Model;
use crate::app::facts::{Facts, Target};
use crate::app::keys::Keymap;
use crate::app::route_lab::{Entry, RouteLab};
use crate::app::text_input::TextInput;
use crate::domain::dialect::RouteKey;
use crate::domain::routing::RoutePlan;
use crate::domain::text::{json_for_terminal, visible};
use crate::ui::paint;
use crate::ui::picker::{blank, frame};
use crate::ui::theme::Theme;

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
        } else if paint::cells(entry.hint()) <= room {
            paint::text(buffer, x, y, room, entry.hint(), theme.dim);
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
    let focused = model.route_lab.form.focus();
    let objection = model.route_lab.form.objection(focused);
    let lines = [
        objection.map_or_else(
            || focused.hint().to_owned(),
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

fn boxed(buffer: &mut Buffer, area: Rect, title: &str, lines: &[String], theme: &Theme) {
    let width = area.width.saturating_sub(4).min(76);
    let wrapped: Vec<String> = lines
        .iter()
        .flat_map(|line| {
            if line.is_empty() {
                vec![String::new()]
            } else {
                paint::wrap(line, width.saturating_sub(4))
            }
        })
        .collect();
    let height = u16::try_from(wrapped.len()).unwrap_or(10) + 2;
    let inner = frame(buffer, area, (width, height), title, theme);
    for (y, line) in (inner.y..inner.bottom()).zip(&wrapped) {
        let room = inner.width.saturating_sub(1);
        paint::text(buffer, inner.x + 1, y, room, line, theme.text);
    }
}

/// The question before a series that adds load.
pub fn ask_start(
    buffer: &mut Buffer,
    area: Rect,
    plan: &RoutePlan,
    keymap: &Keymap,
    theme: &Theme,
) {
    let (yes, no) = (keymap.way_to("yes"), keymap.way_to("no"));
    let most = match plan.stop {
        crate::domain::routing::Stop::Count(count) => {
            #[expect(clippy::cast_precision_loss)] // at most 250,000
            let load = plan.cost.max(plan.poll.cost.unwrap_or(0.0)) * count as f64;
            format!("It adds a load of up to {} in all.", words::amount(load))
        }
        crate::domain::routing::Stop::Duration(span) => match plan.rate {
            Some(rate) => {
                let load = plan.cost * (rate * span).ceil();
                format!("It adds a load of up to {} in all.", words::amount(load))
            }
            None => "How much load it adds depends on how fast answers come.".to_owned(),
        },
    };
    let lines = [
        plan_words(plan),
        String::new(),
        format!(
            "Every request tells the endpoint that a load of {} is coming. {most} That can wake \
             workers, and workers are billed.",
            words::amount(plan.cost)
        ),
        String::new(),
        format!("Start the series? {yes} starts it, {no} goes back."),
    ];
    boxed(buffer, area, "A series is load", &lines, theme);
}

/// The question before the program is left.
pub fn ask_leave(buffer: &mut Buffer, area: Rect, model: &Model, theme: &Theme) {
    let (yes, no) = (model.keymap.way_to("yes"), model.keymap.way_to("no"));
    let lab = &model.route_lab;
    let what = lab
        .active()
        .map_or_else(String::new, |lab_run| plan_words(lab_run.run().plan()));
    let lines = [
        format!("A run of the route lab is not over: {what}."),
        "Leaving stops it, and its figures are gone unless they were exported.".to_owned(),
        String::new(),
        format!("Leave bourse? {yes} leaves, {no} stays."),
    ];
    boxed(buffer, area, "A run goes on", &lines, theme);
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
    lab: &RouteLab,
    place: usize,
    theme: &Theme,
) -> Option<Position> {
    blank(buffer, area);
    let area = super::inset(area);
    let title = "The worker's request: bourse writes it and never sends it";
    paint::text(buffer, area.x, area.y, area.width, title, theme.heading);
    let Some((worker, reply)) = lab.assigned(place) else {
        let text = "The reply of this attempt is not kept any more. Esc goes back.";
        paint::text(buffer, area.x, area.y + 2, area.width, text, theme.dim);
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
        let position = edited(buffer, (x, line(y), room), input, theme);
        cursor = is_focus.then_some(position).or(cursor);
    }
    let (text, style) = match hop.command(worker, reply) {
        Ok(command) => (command, theme.text),
        Err(why) => (format!("! {why}"), theme.error),
    };
    let heading = "Enter copies this command; Ctrl-y copies the body alone";
    paint::text(buffer, area.x, line(6), area.width, heading, theme.heading);
    // The command holds the signature: the worker checks it.
    let lines = paint::wrap(&json_for_terminal(&text), area.width);
    for (y, part) in (line(7)..area.bottom()).zip(lines) {
        paint::text(buffer, area.x, y, area.width, &part, style);
    }
    cursor
}

/// Where the run is to be written.
pub fn export(buffer: &mut Buffer, area: Rect, lab: &RouteLab, theme: &Theme) -> Position {
    let size = (area.width.saturating_sub(2).min(90), 6);
    let title = "Export the run: attempts and parameters, no keys, no signatures";
    let inner = frame(buffer, area, size, title, theme);
    let x = paint::text(buffer, inner.x + 1, inner.y + 1, 8, "File  ", theme.accent);
    let width = inner.right().saturating_sub(x + 1);
    let position = edited(buffer, (x, inner.y + 1, width), &lab.export_path, theme);
    let note = "It ends with .csv or .json (Tab changes it). A file that is there is not replaced.";
    let room = inner.width.saturating_sub(2);
    paint::text(buffer, inner.x + 1, inner.y + 3, room, note, theme.dim);
    position
}
