//! The condition being written: what the field means, the operators, the value, what is wrong with
//! it, and the values to choose from.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use super::paint::{self, piece};
use crate::app::Model;
use crate::app::facts::{Facts, Target};
use crate::app::filter_form::FilterForm;
use crate::app::keys::Keymap;
use crate::domain::{Dialect, Operand, Unit, Value, format};
use crate::widgets::theme::Theme;

/// Draws the form; gives the cursor's place in the value.
pub fn draw(
    buffer: &mut Buffer,
    area: Rect,
    form: &FilterForm,
    fate: &str,
    model: &Model,
    theme: &Theme,
    facts: &mut Facts,
) -> Position {
    let dialect = model.profile.dialect;
    let width = area.width.saturating_sub(2);
    let x = area.x + 1;
    let mut y = area.y;
    if area.height > 7 {
        let docs = paint::wrap(form.field.doc, width);
        for line in docs.iter().take(if area.height > 12 { 3 } else { 1 }) {
            paint::text(buffer, x, y, width, line, theme.text);
            y += 1;
        }
        paint::text(buffer, x, y, width, &becomes(fate), theme.dim);
        y += 1;
    }
    operators(
        buffer,
        Rect::new(x, y, width, 1),
        form,
        &model.keymap,
        theme,
    );
    y += 1;
    let cursor = value(buffer, Rect::new(x, y, width, 1), form, dialect, theme);
    y += 1;
    caret(buffer, y, cursor.0, width, form, theme);
    y += 1;
    let lines = if area.height > 8 { 2 } else { 1 };
    let (text, style) = remark(form, model, theme);
    for line in paint::wrap(&text, width).iter().take(lines) {
        paint::text(buffer, x, y, width, line, style);
        y += 1;
    }
    let rest = area.bottom().saturating_sub(y);
    choices(
        buffer,
        Rect::new(area.x, y, area.width, rest),
        form,
        theme,
        facts,
    );
    cursor.1
}

fn becomes(fate: &str) -> String {
    match fate {
        "local" => "local: this market cannot be asked, so it is applied to the rows that came",
        "sent" => "sent to the market",
        _ => "sent to the market, which takes it without documenting it",
    }
    .to_owned()
}

/// The operators that the field allows, the one in force in brackets.
fn operators(buffer: &mut Buffer, line: Rect, form: &FilterForm, keymap: &Keymap, theme: &Theme) {
    let mut parts = vec![piece(keymap.way_to("next-operator") + " ", theme.key)];
    for operator in form.field.operators.iter() {
        if operator == form.operator() {
            parts.push(piece(format!("[{}]", operator.symbol()), theme.accent));
        } else {
            parts.push(piece(format!(" {} ", operator.symbol()), theme.dim));
        }
    }
    parts.push(piece(format!(" {}", form.operator().words()), theme.text));
    paint::pieces(buffer, line.x, line.y, line.width, &parts);
}

/// The value being typed; gives where the typed text begins and where the cursor stands.
fn value(
    buffer: &mut Buffer,
    line: Rect,
    form: &FilterForm,
    dialect: &'static Dialect,
    theme: &Theme,
) -> (u16, Position) {
    let unit = match form.field.unit.query_symbol(dialect) {
        "" => String::new(),
        unit => format!(" in {unit}"),
    };
    let label = if form.operator().takes_list() {
        "find > ".to_owned()
    } else {
        format!("value{unit} > ")
    };
    let x = paint::text(buffer, line.x, line.y, line.width, &label, theme.accent);
    let room = line.right().saturating_sub(x);
    let typed = form.input.text();
    let chosen = form
        .selected()
        .filter(|_| !form.operator().takes_list())
        .and_then(|place| form.choices().nth(place));
    match chosen {
        Some(choice) if typed.is_empty() => {
            paint::text(buffer, x, line.y, room, &choice.label, theme.good);
        }
        Some(choice) => {
            let end = paint::text(buffer, x, line.y, room, typed, theme.text);
            let meant = format!("  takes {}", choice.label);
            let room = line.right().saturating_sub(end);
            paint::text(buffer, end, line.y, room, &meant, theme.good);
        }
        None => {
            paint::text(buffer, x, line.y, room, typed, theme.text);
        }
    }
    let cursor = u16::try_from(form.input.cursor_column()).unwrap_or(0);
    (x, Position::new((x + cursor).min(line.right()), line.y))
}

/// Carets under the mistake; in a list the ticked values.
fn caret(buffer: &mut Buffer, y: u16, start: u16, width: u16, form: &FilterForm, theme: &Theme) {
    if form.operator().takes_list() {
        let text = if form.picked().is_empty() {
            "nothing ticked yet".to_owned()
        } else {
            format!("ticked: {}", form.picked().join(" "))
        };
        paint::text(buffer, start.saturating_sub(7), y, width, &text, theme.good);
        return;
    }
    let Some(mistake) = form.mistake() else {
        return;
    };
    let typed = form.input.text();
    let before = typed.get(..mistake.span.start).map_or(0, paint::cells);
    let under = typed
        .get(mistake.span.clone())
        .map_or(1, paint::cells)
        .max(1);
    let carets = "^".repeat(usize::from(under));
    paint::text(buffer, start + before, y, width, &carets, theme.error);
}

/// What there is to say: the mistake, a warning, else what the rows here have.
fn remark(form: &FilterForm, model: &Model, theme: &Theme) -> (String, Style) {
    if let Some(mistake) = form.mistake() {
        return (mistake.message.clone(), theme.error);
    }
    if let Some(warning) = form.warning() {
        return (format!("! {warning}"), theme.warning);
    }
    let mut parts = Vec::new();
    match form.outcome() {
        Ok(condition) => {
            // Where people and the wire count in different units, both are said.
            if let Operand::One(Value::Number(number)) = &condition.operand
                && matches!(form.field.unit, Unit::Megabytes | Unit::Seconds)
            {
                let symbol = form.field.unit.symbol(model.profile.dialect);
                parts.push(format!("{} {symbol}", format::trimmed(*number, 3)));
            }
        }
        Err(_) if form.operator().takes_list() => {
            let way = |name| model.keymap.way_to(name);
            parts.push(format!(
                "typing finds, {} ticks, {} takes what is ticked",
                way("tick"),
                way("condition-accept")
            ));
        }
        Err(wanted) if form.is_blank() => parts.push(wanted.message.clone()),
        Err(_) => {}
    }
    parts.extend(form.seen().map(str::to_owned));
    (parts.join("; "), theme.dim)
}

/// The values to choose from.
fn choices(buffer: &mut Buffer, area: Rect, form: &FilterForm, theme: &Theme, facts: &mut Facts) {
    let page = usize::from(area.height);
    facts.overlay_page = page;
    facts.overlay_lines = form.choices().len();
    let selected = form.selected();
    let first = super::records::first_row(0, selected.unwrap_or(0), form.choices().len(), page);
    let shown = form.choices().enumerate().skip(first);
    let is_list = form.operator().takes_list();
    let label_width = form
        .choices()
        .map(|choice| paint::cells(&choice.label))
        .max()
        .unwrap_or(0)
        .min(area.width / 2);
    for (y, (index, choice)) in (area.y..area.bottom()).zip(shown) {
        let strip = Rect::new(area.x, y, area.width, 1);
        facts
            .targets
            .push((paint::area(strip), Target::Line(index)));
        let is_selected = selected == Some(index);
        let style = if is_selected {
            theme.selected
        } else {
            theme.text
        };
        if is_selected {
            paint::fill(buffer, strip, style);
        }
        let sign = if is_selected { "> " } else { "  " };
        let tick = match (is_list, form.is_picked(choice)) {
            (false, _) => "",
            (true, true) => "[x] ",
            (true, false) => "[ ] ",
        };
        let x = paint::text(buffer, strip.x, y, 6, &format!("{sign}{tick}"), style);
        paint::text(buffer, x, y, label_width, &choice.label, style);
        let note = if is_selected { style } else { theme.dim };
        let at = x + label_width + 2;
        let room = strip.right().saturating_sub(at);
        paint::text(buffer, at, y, room, &choice.note, note);
    }
}
