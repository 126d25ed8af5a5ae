//! The form of a new workergroup: a line for every parameter, what it means, what is wrong with it,
//! and the exact body that would be sent.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::{Line, draw_line, line, plain, signed};
use crate::api::Request;
use crate::app::Model;
use crate::app::facts::{Facts, Target};
use crate::app::groups::form::{Focus, Form};
use crate::app::groups::preflight::Subject;
use crate::app::keys::Keymap;
use crate::app::write::consent;
use crate::domain::text::{truncate, visible};
use crate::domain::workergroup::{Key, Objection};
use crate::ui::paint;
use crate::ui::picker::blank;
use crate::widgets::text_input::TextInput;
use crate::widgets::theme::Theme;

/// From this width on, explanation and body stand beside the lines.
const SIDE_BY_SIDE: u16 = 110;

/// Cells of sign and label.
const LABEL: u16 = 17;

/// Lines for explanation and body below the lines, at most.
const BELOW: u16 = 8;

/// A line of the form and to which place it belongs.
struct FormLine {
    focus: Focus,
    pieces: Line,
    /// The column of the cursor, if the line is typed into.
    cursor: Option<u16>,
}

/// Draws the form; gives the cursor's place.
pub fn draw(
    buffer: &mut Buffer,
    area: Rect,
    model: &Model,
    theme: &Theme,
    facts: &mut Facts,
) -> Option<Position> {
    blank(buffer, area);
    let form = &model.groups.form;
    let title = "New workergroup";
    let end = paint::text(buffer, area.x + 1, area.y, area.width, title, theme.heading);
    let mut note = "   empty lines are not sent".to_owned();
    if form.has_replaced() {
        let key = model.keymap.way_to("other-draft");
        note = format!("{note}; {key} brings your other draft back");
    }
    let room = area.right().saturating_sub(end);
    paint::text(buffer, end, area.y, room, &note, theme.dim);
    let explained = |width| explained(model, width, theme);
    let wanted = explained(area.width.saturating_sub(2)).len();
    let (lines, side) = split(area, rows(model, area.width, theme).len(), wanted);
    let rows = rows(model, lines.width, theme);
    let focused = rows
        .iter()
        .rposition(|row| row.focus == form.focus())
        .unwrap_or(0);
    let first = rows
        .iter()
        .position(|row| row.focus == form.focus())
        .unwrap_or(0);
    let page = usize::from(lines.height);
    let skipped = (focused + 2)
        .min(rows.len())
        .saturating_sub(page)
        .min(first);
    let mut cursor = None;
    for (y, row) in (lines.y..lines.bottom()).zip(rows.iter().skip(skipped)) {
        draw_line(buffer, lines.x, y, lines.right(), &row.pieces);
        let strip = Rect::new(lines.x, y, lines.width, 1);
        let target = Target::Line(row.focus.place());
        facts.targets.push((paint::area(strip), target));
        if let Some(column) = row.cursor {
            let x = (lines.x + column).min(lines.right().saturating_sub(1));
            cursor = Some(Position::new(x, y));
        }
    }
    // There is more above or below: say so at the edge.
    let edge = lines.right().saturating_sub(1);
    if skipped > 0 {
        paint::text(buffer, edge, lines.y, 1, "↑", theme.accent);
    }
    if skipped + page < rows.len() && lines.height > 0 {
        paint::text(buffer, edge, lines.bottom() - 1, 1, "↓", theme.accent);
    }
    for (y, line) in (side.y..side.bottom()).zip(explained(side.width)) {
        draw_line(buffer, side.x, y, side.right(), &line);
    }
    cursor
}

/// Where the lines stand, and where explanation and body; how many lines each would take below
/// the other.
fn split(area: Rect, rows: usize, wanted: usize) -> (Rect, Rect) {
    let inner = Rect {
        y: area.y + 1,
        height: area.height.saturating_sub(1),
        ..area
    };
    if area.width >= SIDE_BY_SIDE {
        let left = area.width * 11 / 20;
        let lines = Rect {
            width: left,
            ..inner
        };
        let side = Rect {
            x: area.x + left + 2,
            width: area.width - left - 3,
            ..inner
        };
        return (lines, side);
    }
    let cells = |lines: usize| u16::try_from(lines).unwrap_or(u16::MAX);
    let left = inner.height.saturating_sub(cells(rows + 1));
    let below = if left >= cells(wanted) {
        left
    } else {
        let least = cells(wanted).clamp(BELOW - 3, BELOW);
        least.min(inner.height / 2).max(left)
    };
    let lines = Rect {
        height: inner.height - below,
        ..inner
    };
    let side = Rect {
        x: inner.x + 1,
        y: inner.bottom() - below,
        width: inner.width.saturating_sub(2),
        height: below,
    };
    (lines, side)
}

fn rows(model: &Model, width: u16, theme: &Theme) -> Vec<FormLine> {
    let (form, keymap) = (&model.groups.form, &model.keymap);
    let mut rows = Vec::new();
    for focus in Focus::all() {
        let is_open = focus == form.focus();
        match focus {
            Focus::Field(key) => {
                rows.push(field(form, key, is_open, width, theme));
                if let Some(objection) = form.objection(key) {
                    rows.extend(wrong((form, keymap), key, objection, width, theme));
                }
            }
            Focus::SendDefaults => {
                let state = if form.draft().send_defaults {
                    "[x] send all documented defaults"
                } else {
                    "[ ] send all documented defaults"
                };
                rows.push(button(focus, state, is_open, theme));
            }
            Focus::Preflight => rows.push(button(focus, "[ Preflight ]", is_open, theme)),
            Focus::Create => rows.push(button(focus, "[ Create ]", is_open, theme)),
        }
    }
    rows
}

fn button(focus: Focus, text: &str, is_open: bool, theme: &Theme) -> FormLine {
    let (sign, style) = if is_open {
        ("> ", theme.selected)
    } else {
        ("  ", theme.text)
    };
    FormLine {
        focus,
        pieces: vec![(sign.to_owned(), theme.accent), (text.to_owned(), style)],
        cursor: None,
    }
}

/// The part of an input that is in sight, and how many cells are hidden at its left.
fn in_sight(input: &TextInput, room: usize) -> (String, usize) {
    let width = |character: char| {
        let mut bytes = [0; 4];
        usize::from(paint::cells(character.encode_utf8(&mut bytes)))
    };
    let scroll = input.scroll(room);
    let (mut hidden, mut taken) = (0, 0);
    let shown = input
        .text()
        .chars()
        .skip_while(|character| {
            let is_hidden = hidden < scroll;
            hidden += if is_hidden { width(*character) } else { 0 };
            is_hidden
        })
        .take_while(|character| {
            taken += width(*character);
            taken <= room
        })
        .collect();
    (shown, hidden)
}

fn field(form: &Form, key: Key, is_open: bool, width: u16, theme: &Theme) -> FormLine {
    let parameter = key.parameter();
    let input = form.input(key);
    let room = usize::from(width.saturating_sub(LABEL + 1)).max(1);
    let (shown, hidden) = if is_open || form.objection(key).is_some() {
        in_sight(input, room)
    } else {
        // Nobody types here: the beginning tells more than the end.
        (truncate(input.text(), room), 0)
    };
    let sign = if is_open { "> " } else { "  " };
    let label = format!(
        "{:<width$}",
        parameter.label,
        width = usize::from(LABEL) - 2
    );
    let style = match (form.objection(key).is_some(), is_open) {
        (true, _) => theme.error,
        (false, true) => theme.text,
        (false, false) => theme.text,
    };
    let mut pieces = vec![
        (sign.to_owned(), theme.accent),
        (label, if is_open { theme.accent } else { theme.dim }),
    ];
    if input.is_empty() {
        let sent = form.draft().send_defaults && !is_replaced(form, key);
        let text = match (parameter.default, sent) {
            (Some(default), true) => format!("{default} (default, sent)"),
            (Some(default), false) => format!("{default} (default)"),
            (None, _) => String::new(),
        };
        pieces.push((text, theme.dim));
    } else {
        pieces.push((shown, style));
    }
    if parameter.inert.is_some() {
        pieces.push(("  ignored on groups".to_owned(), theme.dim));
    }
    let column = u16::try_from(input.cursor_column().saturating_sub(hidden)).unwrap_or(0);
    FormLine {
        focus: Focus::Field(key),
        pieces,
        cursor: is_open.then_some(LABEL + column),
    }
}

/// Whether the default of a parameter is left out even where defaults are sent.
fn is_replaced(form: &Form, key: Key) -> bool {
    let sent = form.built().ok().and_then(|new| {
        serde_json::to_value(new)
            .ok()
            .map(|body| body.get(key.wire()).is_some())
    });
    sent == Some(false)
}

/// What is wrong with a line: the caret under the place, and the words.
fn wrong(
    (form, keymap): (&Form, &Keymap),
    key: Key,
    objection: &Objection,
    width: u16,
    theme: &Theme,
) -> Vec<FormLine> {
    let row = |text: String| FormLine {
        focus: Focus::Field(key),
        pieces: line(text, theme.error),
        cursor: None,
    };
    let indent = usize::from(LABEL);
    let room = usize::from(width.saturating_sub(LABEL + 1)).max(1);
    let mut rows = Vec::new();
    let input = form.input(key);
    let is_part = objection
        .span
        .as_ref()
        .filter(|span| !(span.start == 0 && span.end >= input.text().len()));
    if let Some(span) = is_part {
        let (_, hidden) = in_sight(input, room);
        let text = input.text();
        let cells = |part: &str| usize::from(paint::cells(part));
        let before = cells(text.get(..span.start).unwrap_or(text));
        let marked = text.get(span.clone()).map_or(1, |part| cells(part).max(1));
        let at = before.saturating_sub(hidden).min(room - 1);
        let marked = marked.min(room - at);
        rows.push(row(format!(
            "{}{}",
            " ".repeat(indent + at),
            "^".repeat(marked)
        )));
    }
    let mend = form
        .mend()
        .filter(|_| key == Key::SearchParams)
        .map_or_else(String::new, |replacement| {
            let key = keymap.way_to("form-mend");
            format!(": {key} changes it to {replacement}")
        });
    let message = format!("{}{mend}", objection.message);
    for part in paint::wrap(&message, width.saturating_sub(LABEL + 1).max(12))
        .into_iter()
        .take(2)
    {
        rows.push(row(format!("{}{part}", " ".repeat(indent))));
    }
    rows
}

/// What the line under the keyboard means, what to mind, and the body.
fn explained(model: &Model, width: u16, theme: &Theme) -> Vec<Line> {
    let form = &model.groups.form;
    let mut lines = Vec::new();
    if model.groups.creation.unresolved().is_some() {
        let text = "An earlier creation is not resolved: Create shows it.";
        lines.extend(signed("!", text, theme.warning, width));
    }
    lines.extend(meaning(model, form, width, theme));
    let advice: Vec<_> = match form.focus() {
        Focus::Field(key) => form
            .advice()
            .iter()
            .filter(|advice| advice.parameter == key.wire())
            .collect(),
        _ => form
            .advice()
            .iter()
            .filter(|advice| {
                Key::named(advice.parameter).is_none_or(|key| key.parameter().inert.is_none())
            })
            .collect(),
    };
    for advice in advice {
        let is_doc = matches!(form.focus(), Focus::Field(key) if key.parameter().inert == Some(advice.message.as_str()));
        if !is_doc {
            lines.extend(signed("!", &advice.message, theme.warning, width));
        }
    }
    match form.built() {
        Ok(new) => {
            let request = Request::CreateWorkergroup(new.clone());
            let shown = consent(&request, &model.profile);
            let target = format!("{} {}{}", shown.method, shown.base, shown.path);
            lines.push(line(target, theme.dim));
            lines.extend(
                paint::wrap(&shown.body, width)
                    .into_iter()
                    .map(|part| line(part, theme.text)),
            );
        }
        Err(objections) => {
            lines.push(line("Before it can be created:", theme.dim));
            for objection in objections {
                let text = format!("{}: {}", objection.parameter, objection.message);
                lines.extend(signed("-", &text, theme.dim, width));
            }
        }
    }
    lines
}

/// The endpoints of the listed groups, and what becomes of a name that is none of them.
fn known(model: &Model, form: &Form, width: u16, theme: &Theme) -> Vec<Line> {
    let names = model.endpoints();
    if names.is_empty() {
        return Vec::new();
    }
    let shown: Vec<_> = names.iter().map(|name| visible(name, 40)).collect();
    let text = format!("Your groups serve: {}.", shown.join(", "));
    let mut lines = plain(&text, theme.dim, width);
    let typed = form.input(Key::EndpointName).text().trim();
    if !typed.is_empty() && !names.iter().any(|name| name == typed) {
        let text =
            "None of your groups serves an endpoint of that name: a market may make a new one.";
        lines.extend(signed("!", text, theme.warning, width));
    }
    lines
}

fn meaning(model: &Model, form: &Form, width: u16, theme: &Theme) -> Vec<Line> {
    let enter = model.keymap.way_to("form-enter");
    match form.focus() {
        Focus::Field(key) => {
            let parameter = key.parameter();
            let text = format!("{}: {}", parameter.name, parameter.doc);
            let mut lines = plain(&text, theme.text, width);
            if let Some(reason) = parameter.inert {
                lines.extend(signed("*", reason, theme.warning, width));
            }
            if key == Key::EndpointName {
                lines.extend(known(model, form, width, theme));
            }
            lines
        }
        Focus::SendDefaults => plain(
            &format!(
                "Space or {enter} turns it. Off: the market uses its own defaults for what is not set. \
                 On: the documented ones are sent, so that they hold whatever the market's are."
            ),
            theme.text,
            width,
        ),
        Focus::Preflight => {
            let mut lines = plain(
                "Runs the search now: how many machines the group could recruit, prices, an estimate \
                 of the cost.",
                theme.text,
                width,
            );
            lines.extend(latest(model, width, theme));
            lines
        }
        Focus::Create => plain(
            &format!(
                "{enter} shows what will be sent and what it can cost at most; nothing is sent before \
                 you type create."
            ),
            theme.text,
            width,
        ),
    }
}

/// The latest preflight of what is filled in, in a line.
fn latest(model: &Model, width: u16, theme: &Theme) -> Vec<Line> {
    let subject = Subject::Draft(model.groups.form.number());
    let Some(found) = model.groups.preflight.report(model, subject) else {
        return Vec::new();
    };
    let prices = found.prices.map_or_else(String::new, |prices| {
        format!(", ${:.4} to ${:.4} an hour", prices.lowest, prices.highest)
    });
    let text = format!(
        "Last time: {}{prices}",
        super::preflight::amount(found.recruitable)
    );
    plain(&text, theme.dim, width)
}
