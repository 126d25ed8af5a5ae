//! Draws the condition form: the field's meaning, the operators, the value, its error, and the
//! values to choose from.

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{StatefulWidget, Widget};

use super::condition::ConditionForm;
use crate::core::view::{Region, Scene};
use crate::core::views::chart::{self, Axis, Labels};
use crate::domain::insight::{Scale, numbers};
use crate::domain::{Field, Kind, Operand, Unit, Value, format};
use crate::keys::{Action, Context};
use crate::tui::text::{cells, fit, wrap};
use crate::tui::theme::Theme;
use crate::tui::viewport::Viewport;

/// Maximum width of the value field, in cells.
const VALUE: u16 = 36;

/// Lines of a chart below the offered values, with the blank one above it: the fewest, and the most of the chart.
const LEAST_CHART: u16 = 7;
const TALLEST_CHART: u16 = 30;

/// Draws the condition form. `fate` is how the condition is applied: to the loaded rows (`local`), by the
/// market (`sent`), or by the market without its documentation (`extra`). An area below 9 lines leaves out
/// the field's meaning.
pub(super) fn condition(form: &ConditionForm, fate: &str, area: Rect, scene: &mut Scene<'_, '_>) {
    let theme = scene.theme;
    let is_low = area.height < 9;
    let mut lines: Vec<Line<'_>> = Vec::new();
    if !is_low {
        let docs = wrap(form.field.doc, area.width).into_iter();
        lines.extend(docs.take(3).map(Line::raw));
        lines.push(Line::styled(describe_fate(fate), theme.dim));
    }
    lines.push(operators(form, scene));
    let mut rows = area.rows();
    for line in lines {
        if let Some(row) = rows.next() {
            scene.render(fit(line, row.width), row);
        }
    }
    let Some(row) = rows.next() else { return };
    let start = value(form, row, scene);
    if let Some(row) = rows.next() {
        scene.render(below(form, start, row, theme), row);
    }
    let (text, style) = remark(form, scene);
    for line in wrap(&text, area.width).into_iter().take(if is_low { 1 } else { 2 }) {
        if let Some(row) = rows.next() {
            scene.render(Line::styled(line, style), row);
        }
    }
    let y = rows.next().map_or(area.bottom(), |row| row.y);
    let rest = Rect {
        y,
        height: area.bottom().saturating_sub(y),
        ..area
    };
    let choices = u16::try_from(form.choices().len()).unwrap_or(u16::MAX);
    let [list, chart] = if rest.height >= choices.saturating_add(LEAST_CHART) {
        Layout::vertical([Constraint::Length(choices + 1), Constraint::Max(TALLEST_CHART)]).areas(rest)
    } else {
        [rest, Rect::default()]
    };
    scene.scroll(Region::MAIN, Choices { form, theme }, list);
    distribution(form.field, chart, scene);
}

/// The numbers of a field in the loaded rows; empty for other fields and without rows.
pub(super) fn loaded_numbers(field: &'static Field, scene: &Scene<'_, '_>) -> Vec<f64> {
    let listing = scene.state.browser().and_then(|browser| browser.listing());
    let is_number = matches!(field.kind, Kind::Number | Kind::Integer);
    let listing = listing.filter(|_| is_number);
    listing.map_or_else(Vec::new, |listing| numbers(listing, field).collect())
}

/// Draws the distribution of a field's numbers in the loaded rows; nothing for other fields, and without enough
/// different numbers or room.
fn distribution(field: &'static Field, area: Rect, scene: &mut Scene<'_, '_>) {
    if area.height < LEAST_CHART - 1 {
        return;
    }
    let values = loaded_numbers(field, scene);
    if let Some(scale) = Scale::fit(values.iter().copied(), None) {
        let heading = format!(
            "{} of {}",
            field.label,
            format::counted(values.len(), "loaded row", "loaded rows")
        );
        chart::histogram(&heading, (&values, None), &Axis(&scale, Labels::Of(field)), area, scene);
    }
}

/// A sentence on how a condition is applied: to the loaded rows (`local`), by the market (`sent`), or, for
/// any other `fate`, by the market without its documentation.
pub(super) fn describe_fate(fate: &str) -> &'static str {
    match fate {
        "local" => "Applied to the loaded rows: this market can't filter by it",
        "sent" => "Sent to the market",
        _ => "Sent to the market, which accepts it without documenting it",
    }
}

/// The operators of the condition's field, the current one in brackets, after the key that changes it.
fn operators(form: &ConditionForm, scene: &Scene<'_, '_>) -> Line<'static> {
    let theme = scene.theme;
    let key = scene.state.keymap.key_in(&[Context::Tabs], Action::NextTab);
    let mut line = Line::styled(format!("{key} "), theme.key);
    for operator in form.field.operators.iter() {
        line.push_span(if operator == form.operator() {
            Span::styled(format!("[{}]", operator.symbol()), theme.accent)
        } else {
            Span::styled(format!(" {} ", operator.symbol()), theme.dim)
        });
    }
    line.push_span(Span::styled(format!(" {}", form.operator().words()), theme.text));
    line
}

/// Draws the label and the condition's value being typed into `row`; returns the screen column where the text
/// starts.
fn value(form: &ConditionForm, row: Rect, scene: &mut Scene<'_, '_>) -> u16 {
    let theme = scene.theme;
    let unit = match form.field.unit.query_symbol(scene.state.profile.dialect) {
        "" => String::new(),
        unit => format!(" in {unit}"),
    };
    let label = if form.operator().takes_list() {
        "find > ".to_owned()
    } else {
        format!("value{unit} > ")
    };
    let width = cells(&label).min(row.width);
    scene.render(Line::styled(label, theme.accent), row);
    let field = Rect {
        x: row.x + width,
        width: (row.width - width).min(VALUE),
        ..row
    };
    let chosen = form
        .selected()
        .filter(|_| !form.operator().takes_list())
        .and_then(|index| form.choices().nth(index));
    let placeholder = chosen.map_or("", |choice| &choice.label);
    scene.input(&form.input, placeholder, field);
    if let Some(choice) = chosen.filter(|_| !form.input.is_empty()) {
        let rest = Rect {
            x: field.right(),
            width: row.right() - field.right(),
            ..row
        };
        let text = Line::styled(format!("  means {}", choice.label), theme.good);
        scene.render(fit(text, rest.width), rest);
    }
    field.x
}

/// The line below the condition's value: carets under the mistake, if any, or with an operator for several
/// values the ticked ones. `start` is the screen column where the typed text starts.
fn below(form: &ConditionForm, start: u16, row: Rect, theme: &Theme) -> Line<'static> {
    if form.operator().takes_list() {
        let text = if form.picked().is_empty() {
            "nothing checked yet".to_owned()
        } else {
            format!("checked: {}", form.picked().join(" "))
        };
        return fit(Line::styled(text, theme.good), row.width);
    }
    let Some(mistake) = form.mistake() else {
        return Line::default();
    };
    let before = form.input.column_of(mistake.span.start);
    let end = form.input.column_of(mistake.span.end);
    let carets = "^".repeat(end.saturating_sub(before).max(1));
    let indent = " ".repeat(usize::from(start - row.x) + before);
    let line = Line::styled(format!("{indent}{carets}"), theme.error);
    fit(line, row.width)
}

/// The error in the condition form, or else its warning, or else hints (maybe none): the value in the unit of
/// the market, the keys of a list, the values in the loaded rows.
fn remark(form: &ConditionForm, scene: &Scene<'_, '_>) -> (String, Style) {
    let theme = scene.theme;
    if let Some(mistake) = form.mistake() {
        return (mistake.message.clone(), theme.error);
    }
    if let Some(warning) = form.warning() {
        return (format!("! {warning}"), theme.warning);
    }
    let mut parts = Vec::new();
    match form.outcome() {
        Ok(condition) => {
            // If the query and the wire use different units, both are shown.
            if let Operand::One(Value::Number(number)) = &condition.operand
                && matches!(form.field.unit, Unit::Megabytes | Unit::Seconds)
            {
                let symbol = form.field.unit.symbol(scene.state.profile.dialect);
                parts.push(format!("{} {symbol}", format::trimmed(*number, 3)));
            }
        }
        Err(_) if form.operator().takes_list() => {
            let key = |context, action| scene.state.keymap.key_in(&[context], action);
            parts.push(format!(
                "type to find, {} checks, {} applies",
                key(Context::Choice, Action::Toggle),
                key(Context::List, Action::Submit)
            ));
        }
        Err(wanted) if form.is_blank() => parts.push(wanted.message.clone()),
        Err(_) => {}
    }
    parts.extend(form.describe_loaded_values().map(str::to_owned));
    (parts.join("; "), theme.dim)
}

/// The offered values as records of a table.
struct Choices<'a> {
    form: &'a ConditionForm,
    theme: &'a Theme,
}

impl StatefulWidget for Choices<'_> {
    type State = Viewport;

    fn render(self, area: Rect, buffer: &mut Buffer, viewport: &mut Viewport) {
        let (form, theme) = (self.form, self.theme);
        let selected = form.selected();
        viewport.follow(selected.unwrap_or(0), form.choices().len(), area);
        let is_list = form.operator().takes_list();
        let widest = form.choices().map(|choice| cells(&choice.label)).max();
        let width = usize::from(widest.unwrap_or(0).min(area.width / 2));
        let visible = viewport.visible();
        let shown = form.choices().enumerate().skip(visible.start).take(visible.len());
        for (row, (index, choice)) in area.rows().zip(shown) {
            let is_selected = selected == Some(index);
            let (style, note) = if is_selected {
                buffer.set_style(row, theme.selected);
                (theme.selected, theme.selected)
            } else {
                (theme.text, theme.dim)
            };
            let sign = if is_selected { "› " } else { "  " };
            let check = match (is_list, form.is_picked(choice)) {
                (false, _) => "",
                (true, true) => "[x] ",
                (true, false) => "[ ] ",
            };
            let label = fit(Line::raw(choice.label.clone()), u16::try_from(width).unwrap_or(0));
            let blanks = width.saturating_sub(label.width()) + 2;
            let mut line = Line::styled(format!("{sign}{check}"), style);
            line.spans.extend(label.spans);
            line.push_span(Span::raw(" ".repeat(blanks)));
            line.push_span(Span::styled(choice.note.clone(), note));
            fit(line, row.width).render(row, buffer);
        }
    }
}
