//! Notes beside the lines of JSON: the name, the value and the meaning of each member that the catalog has.

use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};

use crate::core::view::Scene;
use crate::domain::Field;
use crate::domain::text::truncate;
use crate::tui::text::{cells, whole_clauses};
use crate::tui::theme::Theme;

/// Width of a field's name and of its value beside the JSON, in cells.
const LABEL: u16 = 16;
const VALUE: u16 = 18;

/// The blank cells behind the JSON, the name and the value.
const GAP: u16 = 2;

/// Minimum width of JSON with the meanings of its members beside it, in cells.
const ROOMY: u16 = 90;

/// A note on a line of JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MemberNote {
    /// The field of the member.
    pub field: &'static Field,
    /// The value as text with its unit, empty where the JSON has the same; `None` for notes without values.
    pub value: Option<String>,
}

/// Whether JSON in an area of this width has room for meanings.
const fn has_meanings(width: u16) -> bool {
    width >= ROOMY
}

/// The two parts of an area: that of JSON, and that of the notes beside it. Without room for meanings, the notes
/// share their part with long lines.
pub(crate) fn columns(area: Rect) -> [Rect; 2] {
    let notes = if has_meanings(area.width) {
        area.width * 3 / 5
    } else {
        area.width / 2
    };
    Layout::horizontal([Constraint::Fill(1), Constraint::Length(notes)]).areas(area)
}

/// The width in which the JSON of a record is wrapped: that of its part, or without room for meanings all of the area.
pub(crate) fn json_width(area: Rect) -> u16 {
    let [json, _] = columns(area);
    if has_meanings(area.width) {
        json.width
    } else {
        area.width
    }
}

/// Draws the notes on lines of JSON that are drawn in `area`, of which `lines` has the index and the row of each visible
/// one: each beside its line in the area for notes, or behind a longer line. A meaning that does not fit is shortened
/// to whole clauses, and left out in a narrow area. Left out are notes whose name does not fit, and those behind a
/// line that is wrapped.
pub(crate) fn draw(
    lines: &[(usize, u16)],
    note: impl Fn(usize) -> Option<MemberNote>,
    area: Rect,
    scene: &mut Scene<'_, '_>,
) {
    let [json, _] = columns(area);
    let below = lines.iter().skip(1).map(|(_, row)| Some(*row)).chain([None]);
    for ((line, row), below) in lines.iter().zip(below) {
        let y = area.y.saturating_add(*row);
        let Some(note) = note(*line).filter(|_| y < area.bottom()) else {
            continue;
        };
        let row_area = Rect { y, height: 1, ..area };
        let used = drawn_width(row_area, scene);
        let is_wrapped = below != Some(row + 1);
        if used > json.width && is_wrapped {
            continue;
        }
        let start = json.width.max(used + GAP);
        let beside = Rect {
            x: area.x + start,
            width: area.width.saturating_sub(start),
            ..row_area
        };
        let line = line_of(&note, (beside.width, has_meanings(area.width)), scene.theme);
        let is_selected = is_on_stripe(beside, scene);
        scene.render(line, beside);
        if is_selected {
            // As the text beside it.
            scene.frame.buffer_mut().set_style(beside, scene.theme.selected);
        }
    }
}

/// Whether the stripe of the selected line is drawn at the beginning of an area.
fn is_on_stripe(area: Rect, scene: &mut Scene<'_, '_>) -> bool {
    let selected = scene.theme.selected;
    let cell = scene.frame.buffer_mut().cell((area.x, area.y));
    cell.is_some_and(|cell| match selected.bg {
        Some(color) => cell.bg == color,
        None => cell.modifier.contains(selected.add_modifier),
    })
}

/// The cells of a row up to the last one with a sign.
fn drawn_width(row: Rect, scene: &mut Scene<'_, '_>) -> u16 {
    let buffer = scene.frame.buffer_mut();
    let is_drawn = |x: &u16| buffer.cell((*x, row.y)).is_some_and(|cell| cell.symbol() != " ");
    let last = (row.x..row.right()).rev().find(is_drawn);
    last.map_or(0, |x| x + 1 - row.x)
}

/// The note as a line of at most `width` cells and blanks: name, value and perhaps meaning, as far as each fits.
fn line_of(note: &MemberNote, (width, has_meaning): (u16, bool), theme: &Theme) -> Line<'static> {
    let value = note.value.as_deref().map(|value| (value, VALUE, theme.text));
    let mut line = Line::default();
    for (text, most, style) in [(note.field.label, LABEL, theme.dim)].into_iter().chain(value) {
        let text = truncate(text, most.into());
        if line.width() + usize::from(cells(&text)) > usize::from(width) {
            return line;
        }
        let column = usize::from(most + GAP);
        line.push_span(Span::styled(format!("{text:column$}"), style));
    }
    let used = u16::try_from(line.width()).unwrap_or(u16::MAX);
    if has_meaning {
        let meaning = whole_clauses(note.field.doc, width.saturating_sub(used));
        line.push_span(Span::styled(meaning, theme.dim));
    }
    line
}
