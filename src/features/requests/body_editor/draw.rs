//! Draws the body editor: the text with line numbers and notes on its members, its validation, the original body beside
//! it, and the fields for further conditions.

use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use super::super::request::{catalog_of, field_of_parameter};
use super::BodyEditor;
use crate::api::raw::BodyError;
use crate::core::view::{Region, Scene};
use crate::core::views::member_notes;
use crate::core::views::member_notes::MemberNote;
use crate::domain::{Dialect, Field, Kind, Operator, Resource};
use crate::keys::Action;
use crate::tui::json;
use crate::tui::panel::{Panel, Size};
use crate::tui::text::{capitalized, whole_clauses, wrap_line};

/// Minimum height of the panel with further conditions.
const LEAST_FURTHER: u16 = 4;

/// Draws the editor with its verdict below, and beside it the original body, except on a compact screen; where there is
/// room below them, further conditions.
pub(super) fn editor(view: &BodyEditor, area: Rect, scene: &mut Scene<'_, '_>) {
    let is_compact = scene.size == Size::Compact;
    let columns = if is_compact {
        [Constraint::Fill(1), Constraint::Length(0)]
    } else {
        [Constraint::Percentage(60), Constraint::Fill(1)]
    };
    let [left, _] = Layout::horizontal(columns).areas(area);
    let frame = if is_compact { 1 } else { 2 };
    let verdict = wrap_line(&verdict(view, scene), left.width.saturating_sub(2 * frame), 0);
    let lines = (view.area.lines().len() + verdict.len()).max(view.sent.lines().count());
    let rows = u16::try_from(lines).unwrap_or(u16::MAX).saturating_add(frame);
    let [area, below] = if area.height < rows.saturating_add(LEAST_FURTHER) {
        [area, Rect::default()]
    } else {
        Layout::vertical([Constraint::Length(rows), Constraint::Fill(1)]).areas(area)
    };
    let [text, sent] = Layout::horizontal(columns).areas(area);
    draw_text(view, verdict, text, scene);
    if !is_compact {
        as_sent(view, sent, scene);
    }
    further_conditions(view, below, scene);
}

/// Draws the text with a note beside each of its members, and the verdict below.
fn draw_text(view: &BodyEditor, verdict: Vec<Line<'static>>, area: Rect, scene: &mut Scene<'_, '_>) {
    let title = format!("Edit and send: {}", view.operation.label());
    let inner = scene.panel(Panel::new(title).focused(true), area);
    let rows = u16::try_from(verdict.len()).unwrap_or(1).min(inner.height / 2);
    let [text, below] = Layout::vertical([Constraint::Fill(1), Constraint::Length(rows)]).areas(inner);
    scene.text_area(Region::MAIN, &view.area, text);
    mark_fault(view, text, scene);
    let lines = view.area.lines();
    let rows: Vec<_> = (view.area.top()..lines.len()).zip(0..text.height).collect();
    let note = |line: usize| {
        let field = field_of_parameter(lines.get(line)?, catalog_of(view.operation)?)?;
        Some(MemberNote { field, value: None })
    };
    member_notes::draw(&rows, note, text, scene);
    scene.render(Paragraph::new(verdict), below);
}

/// Draws a line for each field that the market filters on and the text does not name: its name on the wire, the unit or
/// kind of its values there, and its meaning.
fn further_conditions(view: &BodyEditor, area: Rect, scene: &mut Scene<'_, '_>) {
    /// The cells of a field's name and of its values.
    const COLUMNS: [u16; 2] = [21, 13];
    let Some(catalog) = catalog_of(view.operation).filter(|_| !area.is_empty()) else {
        return;
    };
    let operators = Operator::ALL.map(Operator::name).join(" ");
    let inner = scene.framed(Panel::new("Further conditions").foot(operators), area);
    let (theme, dialect) = (scene.theme, scene.state.profile.dialect);
    let text = view.area.text();
    let is_further = |field: &&Field| dialect.sends(field) && !text.contains(&format!("\"{}\"", field.key));
    let [name, values] = COLUMNS.map(usize::from);
    let line = |field: &Field| {
        let sent = values_on_wire(field, catalog.resource, dialect);
        let meaning = whole_clauses(field.doc, inner.width.saturating_sub(COLUMNS.iter().sum()));
        Line::from(vec![
            Span::styled(format!("{:name$}", field.key), theme.text),
            Span::styled(format!("{sent:values$}{meaning}"), theme.dim),
        ])
    };
    let fields = catalog.fields().iter().filter(is_further);
    let lines: Vec<_> = fields.take(inner.height.into()).map(line).collect();
    scene.render(Paragraph::new(lines), inner);
}

/// The unit of a field's numbers in a request, or the kind of its values.
fn values_on_wire(field: &Field, resource: Resource, dialect: &Dialect) -> &'static str {
    match field.kind {
        Kind::Flag => "true, false",
        Kind::Text | Kind::Country | Kind::Version | Kind::Timestamp => "text",
        Kind::Integer | Kind::Number | Kind::Id | Kind::Epoch | Kind::List | Kind::Secret => {
            let is_divided = dialect.divisor(resource, field) > 1.0;
            match field.unit.symbol(dialect) {
                "" => "number",
                _ if is_divided => field.unit.query_symbol(dialect),
                symbol => symbol,
            }
        }
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
