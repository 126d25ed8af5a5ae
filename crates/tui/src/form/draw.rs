//! Draws a form: labels right-aligned in a column, values in blocks of one width, notes at their
//! ends, errors below, buttons in the last row.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{StatefulWidget, Widget};

use super::{Control, Field, Form};
use crate::secret_input::SecretInput;
use crate::text::{cells, fit, wrap};
use crate::text_input::InputLine;
use crate::theme::Theme;

// Longer labels would leave values too little room on 80 cells.
const LABELS: u16 = 22;

// A note at the end of a wider block would not belong to its value.
/// The maximum width of the blocks.
const WIDEST: u16 = 72;

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

    /// The width of the label column in cells: that of the widest label, at most 22; buttons do not count.
    fn label_width(&self) -> u16 {
        let labels = self.form.fields.iter().filter(|field| !field.is_button());
        let widest = labels.map(|field| cells(&field.label)).max().unwrap_or(0);
        widest.min(LABELS)
    }

    /// The visible fields from top to bottom with their heights, including errors wrapped to `width` cells;
    /// buttons share a row.
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

/// A choice between the arrows that change it: `‹ option ›`.
fn choice(option: &str, style: Style, edge: Style) -> Line<'_> {
    Line::from(vec![
        Span::styled("‹ ", edge),
        Span::styled(option, style),
        Span::styled(" ›", edge),
    ])
}

impl FormLayout {
    /// The screen row of line `y` of the form's page; `None` if it is scrolled out of `area`.
    fn onto(&self, y: u16, area: Rect) -> Option<u16> {
        let top = u16::try_from(self.top).unwrap_or(u16::MAX);
        Some(area.y + y.checked_sub(top).filter(|y| *y < area.height)?)
    }

    /// Copies the visible part of the drawn page to `area` of the screen.
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

    /// Stores the cursor and the areas of the fields (`marks`), converted from the page to the screen; those
    /// scrolled out are left out.
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
    /// Draws a field with its label, value, note, error and warning; returns the position of the cursor,
    /// `None` unless it is a focused text or secret.
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
        let block = Rect::new(x, y, room.min(WIDEST), 1);
        buffer.set_style(block, if is_focused { theme.input } else { theme.field });
        if theme.field.bg.is_none() {
            frame(is_focused, block, theme, buffer);
        }
        let value = Rect {
            x: x + 1,
            width: block.width.saturating_sub(2),
            ..block
        };
        let (used, cursor) = self.value(field, is_focused, value, buffer);
        let note = cells(&field.note);
        // At the end of the block, while the value leaves it room.
        if note > 0 && used + 2 + note <= value.width {
            let rest = Rect::new(value.right() - note, y, note, 1);
            // The note is no part of the value, which a style without colours sets in bold.
            let style = theme.dim.remove_modifier(Modifier::BOLD);
            Line::styled(field.note.as_ref(), style).render(rest, buffer);
        }
        let mut below = y + 1;
        if self.carets(field, Rect::new(value.x, below, value.width, 1), buffer) {
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

    /// Draws carets below the part of a text to which its error refers; false if the field is not a text, or
    /// displays no error about a part of it.
    fn carets(&self, field: &Field<K>, area: Rect, buffer: &mut Buffer) -> bool {
        let (Control::Text(input), Some(span), Some(_)) = (&field.control, &field.error_span, &field.error) else {
            return false;
        };
        // As the value above is drawn: with a cell for the cursor.
        let room = area.width.max(1);
        let hidden = u16::try_from(input.scroll(usize::from(room - 1))).unwrap_or(0);
        let column = |byte| u16::try_from(input.column_of(byte)).unwrap_or(u16::MAX);
        let before = column(span.start);
        let at = before.saturating_sub(hidden).min(room - 1);
        let marked = column(span.end).saturating_sub(before).clamp(1, room - at);
        let carets = "^".repeat(usize::from(marked));
        buffer.set_string(area.x + at, area.y, carets, self.theme.error);
        true
    }

    /// Draws the value of a field; returns the cells it takes and the position of the cursor. Only secrets
    /// have one, and texts that are focused or have a marked error.
    fn value(&self, field: &Field<K>, is_focused: bool, area: Rect, buffer: &mut Buffer) -> (u16, Option<Position>) {
        let theme = self.theme;
        let style = if is_focused { theme.input } else { theme.field };
        match &field.control {
            Control::Text(input) => {
                let mut cursor = None;
                let shown = Line::styled(input.shown(), style);
                let used = u16::try_from(shown.width()).unwrap_or(u16::MAX);
                if is_focused || field.error_span.is_some() {
                    InputLine::new(input, theme)
                        .style(style)
                        .render(area, buffer, &mut cursor);
                } else {
                    // Without focus, the beginning is more useful than the end.
                    fit(shown, area.width).render(area, buffer);
                }
                // The cursor is behind the last character.
                (used.saturating_add(1), cursor)
            }
            Control::Secret(input) => {
                let stars = cells(input.mask());
                (stars.saturating_add(1), Some(secret(input, area, style, buffer)))
            }
            Control::Choice { options, chosen } => {
                let option = options.get(*chosen).map_or("", |option| option);
                let edge = if is_focused { theme.focus } else { theme.dim };
                let line = fit(choice(option, style, edge), area.width);
                let used = u16::try_from(line.width()).unwrap_or(area.width);
                line.render(area, buffer);
                (used, None)
            }
            Control::Toggle(is_on) => {
                let sign = if *is_on { "[x]" } else { "[ ]" };
                Line::styled(sign, style).render(area, buffer);
                (3, None)
            }
            Control::Button => (0, None),
        }
    }

    /// Draws buttons side by side in the second line of `area`; returns the cells of each with the index of
    /// its field.
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

/// Draws the ends of a field for themes that have no background for it: thick ones if it is focused.
fn frame(is_focused: bool, block: Rect, theme: &Theme, buffer: &mut Buffer) {
    let (sign, style) = if is_focused {
        ("┃", theme.focus)
    } else {
        ("│", theme.border)
    };
    for x in [block.left(), block.right().saturating_sub(1)] {
        buffer.set_string(x, block.y, sign, style);
    }
}

/// Draws the mask of a secret; returns the position of the cursor, behind its stars.
fn secret(input: &SecretInput, area: Rect, style: Style, buffer: &mut Buffer) -> Position {
    Line::styled(input.mask(), style).render(area, buffer);
    let stars = cells(input.mask());
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
        // Without colours a field has ends, which are thick where the cursor is.
        assert_eq!(rows[0], "    Name  ┃night                       ┃");
        assert_eq!(rows[1], "Run time  │72h             hours, or 3d│");
        assert_eq!(rows[2], "    Type  │‹ on-demand ›               │");
        assert_eq!(rows[4], "          [ Save ]");
        assert_eq!(layout.cursor, Some(Position::new(16, 0)));
    }

    #[test]
    fn an_error_appears_when_the_field_is_left_and_goes_when_it_is_right() {
        let mut form = form();
        form.update(Command::Move(Motion::Down));
        form.paste("soon").unwrap();
        assert_eq!(drawn(&form).0[2], "    Type  │‹ on-demand ›               │");
        form.update(Command::Move(Motion::Down));
        assert_eq!(drawn(&form).0[2], "          Not a duration");
        form.update(Command::Move(Motion::Up));
        form.paste("48h").unwrap();
        assert_eq!(drawn(&form).0[2], "    Type  │‹ on-demand ›               │");
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
        assert_eq!(rows[0], "    Name  ┃one two                     ┃");
        assert_eq!(rows[1], "               ^^^");
        assert_eq!(rows[2], "          Not a number");
        form.set_error(Key::Name, None);
        assert_eq!(drawn(&form).0[1], "Run time  │72h             hours, or 3d│");
    }

    #[test]
    fn a_text_without_the_focus_shows_its_beginning() {
        let mut form = form();
        form.set_text(Key::Name, "a name that is longer than its field");
        form.focus_on(Key::Kind);
        let (rows, _) = drawn(&form);
        assert_eq!(rows[0], "    Name  │a name that is longer than …│");
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
