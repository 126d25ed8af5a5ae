//! Draws a form: labels right-aligned in a column, values in fields of visible extent, notes after
//! them, errors below, buttons in the last row.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{StatefulWidget, Widget};

use super::{Control, Field, Form};
use crate::secret_input::SecretInput;
use crate::text::{cells, fit, wrap};
use crate::text_input::InputLine;
use crate::theme::Theme;

// Longer labels would leave values too little room on 80 cells.
const LABELS: u16 = 22;

/// The positions of a form's parts in the last frame.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FormLayout {
    /// The number of lines scrolled away at the top.
    pub top: usize,
    /// The total number of lines of the form.
    pub total: usize,
    /// The position of the cursor on the screen; `None` unless the focused field is a visible text.
    pub cursor: Option<Position>,
    /// The visible fields with their indices.
    pub fields: Vec<(Rect, usize)>,
}

/// Draws a form. The state holds the scroll position and receives the positions of the fields.
#[derive(Debug)]
pub struct FormLines<'a, K> {
    form: &'a Form<K>,
    theme: &'a Theme,
}

impl<'a, K: Copy + Eq> FormLines<'a, K> {
    /// A widget for the given form.
    pub const fn new(form: &'a Form<K>, theme: &'a Theme) -> Self {
        Self { form, theme }
    }

    /// The height of the form in lines, in `width` cells.
    pub fn height(&self, width: u16) -> u16 {
        let label = self.label_width();
        let rows = self.rows(width.saturating_sub(label + 3));
        rows.iter().map(|row| row.height).sum()
    }

    fn label_width(&self) -> u16 {
        let labels = self.form.fields.iter().filter(|field| !field.is_button());
        let widest = labels.map(|field| cells(&field.label)).max().unwrap_or(0);
        widest.min(LABELS)
    }

    /// The fields from top to bottom with their heights; buttons share a row.
    fn rows(&self, width: u16) -> Vec<Row> {
        let mut rows: Vec<Row> = Vec::new();
        for (index, field) in self.form.fields.iter().enumerate() {
            if field.is_hidden {
                continue;
            }
            if field.is_button()
                && let Some(row) = rows.last_mut()
                && row.is_buttons
            {
                row.fields.push(index);
                continue;
            }
            let body = match &field.control {
                // A blank line separates the buttons from the fields.
                Control::Button => 2,
                Control::Text(_) | Control::Secret(_) | Control::Choice { .. } | Control::Toggle(_) => 1,
            };
            let caret = usize::from(field.error_span.is_some() && field.error.is_some());
            let below: usize = [&field.error, &field.warning]
                .into_iter()
                .flatten()
                .map(|text| wrap(text, width).len())
                .sum::<usize>()
                + caret;
            rows.push(Row {
                fields: vec![index],
                height: body + u16::try_from(below).unwrap_or(0),
                is_buttons: field.is_button(),
            });
        }
        rows
    }
}

struct Row {
    fields: Vec<usize>,
    height: u16,
    is_buttons: bool,
}

/// A choice between the arrows that change it.
fn choice(option: &str, style: Style, edge: Style) -> Line<'_> {
    Line::from(vec![
        Span::styled("‹ ", edge),
        Span::styled(option, style),
        Span::styled(" ›", edge),
    ])
}

impl FormLayout {
    /// The screen row of a line of the page; `None` if it is not visible.
    fn onto(&self, y: u16, area: Rect) -> Option<u16> {
        let top = u16::try_from(self.top).unwrap_or(u16::MAX);
        let y = y.checked_sub(top).filter(|y| *y < area.height)?;
        Some(area.y + y)
    }

    /// Copies the visible part of the page.
    fn show(&self, page: &Buffer, area: Rect, buffer: &mut Buffer) {
        let top = u16::try_from(self.top).unwrap_or(u16::MAX);
        for y in top..page.area.height {
            let Some(line) = self.onto(y, area) else {
                continue;
            };
            for x in 0..area.width {
                buffer[(area.x + x, line)] = page[(x, y)].clone();
            }
        }
    }

    /// Converts the cursor and the fields from the page to the screen.
    fn onto_screen(&mut self, cursor: Option<Position>, marks: Vec<(Rect, usize)>, area: Rect) {
        self.cursor = cursor.and_then(|at| Some(Position::new(area.x + at.x, self.onto(at.y, area)?)));
        self.fields = marks
            .into_iter()
            .filter_map(|(drawn, field)| {
                let y = self.onto(drawn.y, area)?;
                let drawn = Rect::new(area.x + drawn.x, y, drawn.width, drawn.height);
                Some((drawn.intersection(area), field))
            })
            .collect();
    }
}

impl<K: Copy + Eq> StatefulWidget for FormLines<'_, K> {
    type State = FormLayout;

    fn render(self, area: Rect, buffer: &mut Buffer, layout: &mut FormLayout) {
        layout.cursor = None;
        layout.fields.clear();
        if area.is_empty() {
            return;
        }
        let label = self.label_width();
        let rows = self.rows(area.width.saturating_sub(label + 3));
        layout.total = rows.iter().map(|row| usize::from(row.height)).sum();
        let focused = rows.iter().position(|row| row.fields.contains(&self.form.focus));
        let above = |count: usize| -> usize { rows[..count].iter().map(|row| usize::from(row.height)).sum() };
        if let Some(focused) = focused {
            // The focused row is visible with its error.
            let (start, end) = (above(focused), above(focused + 1));
            let lowest = end.saturating_sub(usize::from(area.height));
            layout.top = layout.top.clamp(lowest.min(start), start.max(lowest));
        }
        let bottom = layout.total.saturating_sub(usize::from(area.height));
        layout.top = layout.top.min(bottom);
        // Rows are drawn on a page of their own and the visible part is copied, so that a row can
        // be half scrolled out.
        let page = Rect::new(0, 0, area.width, u16::try_from(layout.total).unwrap_or(u16::MAX));
        let mut canvas = Buffer::empty(page);
        canvas.set_style(page, self.theme.text);
        let mut y = 0;
        let mut marks = Vec::new();
        let mut cursor = None;
        for row in &rows {
            let row_area = Rect::new(0, y, area.width, row.height);
            if row.is_buttons {
                marks.extend(self.buttons(&row.fields, row_area, label, &mut canvas));
            } else if let Some(field) = row.fields.first() {
                let at = self.field(*field, row_area, label, &mut canvas);
                if *field == self.form.focus {
                    cursor = at;
                }
                marks.push((row_area, *field));
            }
            y += row.height;
        }
        layout.show(&canvas, area, buffer);
        layout.onto_screen(cursor, marks, area);
    }
}

impl<K: Copy + Eq> FormLines<'_, K> {
    /// Draws a field with its error; returns the position of the cursor.
    fn field(&self, index: usize, area: Rect, label: u16, buffer: &mut Buffer) -> Option<Position> {
        let theme = self.theme;
        let field = &self.form.fields[index];
        let is_focused = index == self.form.focus;
        let y = area.y;
        let label_style = if is_focused { theme.accent } else { theme.dim };
        let name = fit(Line::styled(field.label.as_ref(), label_style), label);
        let indent = label.saturating_sub(u16::try_from(name.width()).unwrap_or(label));
        name.render(Rect::new(area.x + indent, y, label - indent, 1), buffer);
        let x = area.x + label + 2;
        let room = area.right().saturating_sub(x);
        let note = cells(&field.note);
        let width = if Self::has_room(note, room) {
            self.width_beside_notes(room)
        } else {
            room
        };
        let value = Rect::new(x, y, width, 1);
        let (end, cursor) = self.value(field, is_focused, value, buffer);
        if note > 0 && end + 2 < area.right() {
            let rest = Rect::new(end + 2, y, area.right() - end - 2, 1);
            fit(Line::styled(field.note.as_ref(), theme.dim), rest.width).render(rest, buffer);
        }
        let mut below = y + 1;
        if self.carets(field, Rect::new(x, below, width, 1), buffer) {
            below += 1;
        }
        let texts = [(&field.error, theme.error), (&field.warning, theme.warning)];
        for (text, style) in texts {
            for line in text.iter().flat_map(|text| wrap(text, room)) {
                Line::styled(line, style).render(Rect::new(x, below, room, 1), buffer);
                below += 1;
            }
        }
        cursor.filter(|_| is_focused)
    }

    /// Whether a note fits after a value.
    const fn has_room(note: u16, room: u16) -> bool {
        // A value needs some 16 cells to be read while it is typed.
        note > 0 && note + 16 <= room
    }

    /// The width of values with a note after them: one for all, so that they line up.
    fn width_beside_notes(&self, room: u16) -> u16 {
        let shown = self.form.fields.iter().filter(|field| !field.is_hidden);
        let notes = shown.map(|field| cells(&field.note));
        let longest = notes.filter(|note| Self::has_room(*note, room)).max();
        // On wide screens a note far to the right would no longer belong to its value.
        (room - longest.unwrap_or(0) - 2).min(48)
    }

    /// Draws carets below the range of a text to which its error refers; false if there is none.
    fn carets(&self, field: &Field<K>, area: Rect, buffer: &mut Buffer) -> bool {
        let (Control::Text(input), Some(span), Some(_)) = (&field.control, &field.error_span, &field.error) else {
            return false;
        };
        // Like the value above: between edges, with a cell for the cursor.
        let room = area.width.saturating_sub(2).max(1);
        let hidden = u16::try_from(input.scroll(usize::from(room - 1))).unwrap_or(0);
        let column = |byte| u16::try_from(input.column_of(byte)).unwrap_or(u16::MAX);
        let before = column(span.start);
        let at = before.saturating_sub(hidden).min(room - 1);
        let marked = column(span.end).saturating_sub(before).clamp(1, room - at);
        let carets = "^".repeat(usize::from(marked));
        buffer.set_string(area.x + 1 + at, area.y, carets, self.theme.error);
        true
    }

    /// Draws the value of a field; returns the column after it and the position of the cursor.
    fn value(&self, field: &Field<K>, is_focused: bool, area: Rect, buffer: &mut Buffer) -> (u16, Option<Position>) {
        let theme = self.theme;
        let edge = if is_focused { theme.focus } else { theme.border };
        match &field.control {
            Control::Text(input) => {
                let mut cursor = None;
                let inner = extent(area, edge, buffer);
                if !is_focused && field.error_span.is_none() {
                    // Without focus, the beginning is more useful than the end.
                    let text = Line::styled(input.shown(), theme.text);
                    fit(text, inner.width).render(inner, buffer);
                    return (area.right(), None);
                }
                let style = if is_focused { theme.input } else { theme.text };
                InputLine::new(input, theme)
                    .style(style)
                    .render(inner, buffer, &mut cursor);
                (area.right(), cursor)
            }
            Control::Secret(input) => {
                let inner = extent(area, edge, buffer);
                (area.right(), Some(secret(input, inner, theme, buffer)))
            }
            Control::Choice { options, chosen } => {
                let option = options.get(*chosen).map_or("", |option| option);
                let style = if is_focused { theme.input } else { theme.text };
                let line = fit(choice(option, style, edge), area.width);
                let end = area.x + u16::try_from(line.width()).unwrap_or(area.width);
                line.render(area, buffer);
                (end, None)
            }
            Control::Toggle(is_on) => {
                let style = if is_focused { theme.input } else { theme.text };
                let sign = if *is_on { "[x]" } else { "[ ]" };
                Line::styled(sign, style).render(area, buffer);
                (area.x + 3, None)
            }
            Control::Button => (area.x, None),
        }
    }

    fn buttons(&self, fields: &[usize], area: Rect, label: u16, buffer: &mut Buffer) -> Vec<(Rect, usize)> {
        let widths = fields.iter().map(|field| {
            let label = cells(&self.form.fields[*field].label);
            label.saturating_add(6)
        });
        let total = widths.fold(0, u16::saturating_add).saturating_sub(2);
        // Below the values if it fits there, else from the edge.
        let indent = (label.min(area.width / 4) + 2).min(area.width.saturating_sub(total));
        let mut x = area.x + indent;
        let mut marks = Vec::new();
        for field in fields {
            let text = format!("[ {} ]", self.form.fields[*field].label);
            let style = if *field == self.form.focus {
                self.theme.selected
            } else {
                self.theme.key
            };
            let width = cells(&text).min(area.right().saturating_sub(x));
            let button = Rect::new(x, area.y + 1, width, 1);
            Line::styled(text, style).render(button, buffer);
            marks.push((button, *field));
            x += width + 2;
        }
        marks
    }
}

/// Draws the edges of a field and returns the area between them.
fn extent(area: Rect, style: Style, buffer: &mut Buffer) -> Rect {
    buffer.set_stringn(area.x, area.y, "▏", 1, style);
    buffer.set_stringn(area.right().saturating_sub(1), area.y, "▕", 1, style);
    Rect {
        x: area.x + 1,
        width: area.width.saturating_sub(2),
        ..area
    }
}

fn secret(input: &SecretInput, area: Rect, theme: &Theme, buffer: &mut Buffer) -> Position {
    Line::styled(input.mask(), theme.input).render(area, buffer);
    let stars = u16::try_from(input.stars()).unwrap_or(0);
    Position::new(area.x + stars.min(area.width.saturating_sub(1)), area.y)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::{Command, Motion};

    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    enum Key {
        Name,
        Hours,
        Kind,
        Save,
    }

    fn form() -> Form<Key> {
        Form::new(vec![
            Field::text(Key::Name, "Name", "night"),
            Field::text(Key::Hours, "Run time", "72h")
                .note("hours, or 3d")
                .check(|text| {
                    let sound = text.ends_with('h');
                    sound.then_some(()).ok_or("Not a duration".to_owned())
                }),
            Field::choice(Key::Kind, "Type", ["on-demand", "bid"], 0),
            Field::button(Key::Save, "Save"),
        ])
    }

    fn drawn(form: &Form<Key>) -> (Vec<String>, FormLayout) {
        let area = Rect::new(0, 0, 40, 7);
        let mut buffer = Buffer::empty(area);
        let mut layout = FormLayout::default();
        FormLines::new(form, &Theme::MONO).render(area, &mut buffer, &mut layout);
        let row = |y| -> String { (0..40).map(|x| buffer[(x, y)].symbol()).collect() };
        let rows = (0..7).map(|y| row(y).trim_end().to_owned()).collect();
        (rows, layout)
    }

    #[test]
    fn labels_align_and_values_have_an_extent() {
        let (rows, layout) = drawn(&form());
        assert_eq!(rows[0], "    Name  ▏night                       ▕");
        assert_eq!(rows[1], "Run time  ▏72h           ▕  hours, or 3d");
        assert_eq!(rows[2], "    Type  ‹ on-demand ›");
        assert_eq!(rows[4], "          [ Save ]");
        assert_eq!(layout.cursor, Some(Position::new(16, 0)));
    }

    #[test]
    fn an_error_appears_when_the_field_is_left_and_goes_when_it_is_right() {
        let mut form = form();
        form.update(Command::Move(Motion::Down));
        form.paste("soon").unwrap();
        assert_eq!(drawn(&form).0[2], "    Type  ‹ on-demand ›");
        form.update(Command::Move(Motion::Down));
        assert_eq!(drawn(&form).0[2], "          Not a duration");
        form.update(Command::Move(Motion::Up));
        form.paste("48h").unwrap();
        assert_eq!(drawn(&form).0[2], "    Type  ‹ on-demand ›");
        assert_eq!(form.text(Key::Hours), "48h");
    }

    #[test]
    fn space_and_arrows_change_a_choice() {
        let mut form = form();
        form.focus_on(Key::Kind);
        form.update(Command::Toggle);
        assert_eq!(form.text(Key::Kind), "bid");
        form.update(Command::Left);
        assert_eq!(form.chosen(Key::Kind), 0);
    }

    #[test]
    fn validation_goes_to_the_first_mistake() {
        let mut form = form();
        form.set_text(Key::Hours, "soon");
        form.focus_on(Key::Save);
        assert!(!form.validate());
        assert_eq!(form.focused(), Some(Key::Hours));
    }

    #[test]
    fn a_click_finds_its_field() {
        let (_, layout) = drawn(&form());
        let at = |x: u16, y: u16| {
            let hit = layout.fields.iter().find(|(area, _)| area.contains((x, y).into()));
            hit.map(|(_, field)| *field)
        };
        assert_eq!(at(20, 1), Some(1));
        assert_eq!(at(12, 4), Some(3));
        assert_eq!(at(30, 4), None);
    }

    #[test]
    fn carets_stand_below_the_part_that_is_wrong() {
        let mut form = form();
        form.set_text(Key::Name, "one two");
        form.set_error(Key::Name, Some("Not a number".to_owned()));
        form.mark_error(Key::Name, 4..7);
        let (rows, _) = drawn(&form);
        assert_eq!(rows[0], "    Name  ▏one two                     ▕");
        assert_eq!(rows[1], "               ^^^");
        assert_eq!(rows[2], "          Not a number");
        form.set_error(Key::Name, None);
        assert_eq!(drawn(&form).0[1], "Run time  ▏72h           ▕  hours, or 3d");
    }

    #[test]
    fn a_text_without_the_focus_shows_its_beginning() {
        let mut form = form();
        form.set_text(Key::Name, "a name that is longer than its field");
        form.focus_on(Key::Kind);
        let (rows, _) = drawn(&form);
        assert_eq!(rows[0], "    Name  ▏a name that is longer than …▕");
    }

    #[test]
    fn buttons_that_do_not_fit_below_the_values_begin_at_the_edge() {
        let form = Form::new(vec![
            Field::text(Key::Name, "A long label", ""),
            Field::button(Key::Hours, "Preflight"),
            Field::button(Key::Kind, "Details"),
            Field::button(Key::Save, "Create"),
        ]);
        let (rows, _) = drawn(&form);
        assert_eq!(rows[2], "  [ Preflight ]  [ Details ]  [ Create ]");
    }
}
