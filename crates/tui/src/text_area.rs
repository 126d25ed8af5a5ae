//! A multi-line text editor: ratatui-textarea with the editing keys of
//! [`TextInput`](super::text_input::TextInput) and its rules for pasted text.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::widgets::{StatefulWidget, Widget};
use ratatui_textarea::{CursorMove, TextArea as Editor};

pub use super::text_input::Pasted;
use super::theme::Theme;
use bourse_domain::text::{is_hostile, visible_lines};

/// The maximum length of a text, in bytes: it is parsed again with every key.
pub const LONGEST_TEXT: usize = 64 * 1024;

/// The number of edits that can be undone; a typed character is one.
const UNDO_STEPS: usize = 2000;

/// Editable lines; there is always at least one.
#[derive(Debug, Clone)]
pub struct TextArea {
    editor: Editor<'static>,
}

impl TextArea {
    /// A text with the cursor at its start; tabs become blanks, and hostile characters their visible names,
    /// as it would not be noticed if they were missing.
    pub fn new(text: &str) -> Self {
        let text = in_lines(text).replace('\t', " ");
        let mut editor = Editor::from(visible_lines(&text).split('\n'));
        // Colours come from the theme when it is drawn, and the cursor is the terminal's own.
        editor.set_cursor_style(Style::new());
        editor.set_cursor_line_style(Style::new());
        editor.set_max_histories(UNDO_STEPS);
        Self { editor }
    }

    /// Shows a line number before each line.
    #[must_use]
    pub fn numbered(mut self) -> Self {
        self.editor.set_line_number_style(Style::new());
        self
    }

    /// The text, with line feeds between its lines.
    pub fn text(&self) -> String {
        self.editor.lines().join("\n")
    }

    /// The lines of the text, without their ends.
    pub fn lines(&self) -> &[String] {
        self.editor.lines()
    }

    /// The first visible line, from 0, as of the last drawn frame.
    pub fn top(&self) -> usize {
        usize::from(self.editor.scroll_offset().0)
    }

    /// Handles an editing or cursor key, except Up, Down and Enter; false for any other key. A hostile
    /// character becomes its visible name; characters beyond the maximum length are ignored.
    pub fn key(&mut self, key: KeyEvent) -> bool {
        let editor = &mut self.editor;
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let alt = key.modifiers.contains(KeyModifiers::ALT);
        match key.code {
            KeyCode::Char('a') if control => editor.move_cursor(CursorMove::Head),
            KeyCode::Char('e') if control => editor.move_cursor(CursorMove::End),
            KeyCode::Char('b') if control => editor.move_cursor(CursorMove::Back),
            KeyCode::Char('f') if control => editor.move_cursor(CursorMove::Forward),
            KeyCode::Char('h') if control => drop(editor.delete_char()),
            KeyCode::Char('w') if control => drop(editor.delete_word()),
            KeyCode::Char('k') if control => drop(editor.delete_line_by_end()),
            KeyCode::Char('u') if control => drop(editor.delete_line_by_head()),
            KeyCode::Char('b') if alt => editor.move_cursor(CursorMove::WordBack),
            KeyCode::Char('f') if alt => editor.move_cursor(CursorMove::WordForward),
            KeyCode::Char('d') if alt => drop(editor.delete_next_word()),
            KeyCode::Char(letter) if !control && !alt => {
                if self.bytes() >= LONGEST_TEXT {
                    return true;
                }
                if is_hostile(letter) && letter != '\t' {
                    let name = visible_lines(letter.encode_utf8(&mut [0; 4]));
                    self.editor.insert_str(name);
                } else {
                    self.editor.insert_char(letter);
                }
            }
            KeyCode::Backspace if alt || control => drop(editor.delete_word()),
            KeyCode::Backspace => drop(editor.delete_char()),
            KeyCode::Delete if control => drop(editor.delete_next_word()),
            KeyCode::Delete => drop(editor.delete_next_char()),
            KeyCode::Left if control || alt => editor.move_cursor(CursorMove::WordBack),
            KeyCode::Right if control || alt => editor.move_cursor(CursorMove::WordForward),
            KeyCode::Left => editor.move_cursor(CursorMove::Back),
            KeyCode::Right => editor.move_cursor(CursorMove::Forward),
            KeyCode::Home => editor.move_cursor(CursorMove::Head),
            KeyCode::End => editor.move_cursor(CursorMove::End),
            _ => return false,
        }
        true
    }

    /// Breaks the line at the cursor and indents the new line like the old one; nothing changes beyond the maximum
    /// length.
    pub fn break_line(&mut self) {
        let ratatui_textarea::DataCursor(row, column) = self.editor.cursor();
        let line = self.editor.lines().get(row).map_or("", String::as_str);
        let blanks = line.chars().take(column).take_while(|blank| *blank == ' ');
        let blanks: String = blanks.collect();
        let _ = self.paste(&format!("\n{blanks}"));
    }

    /// Inserts a pasted text: tabs become blanks, hostile characters are left out. Nothing changes if it
    /// would exceed the maximum length.
    pub fn paste(&mut self, text: &str) -> Pasted {
        self.paste_into(self.bytes(), text)
    }

    /// Inserts a text at the cursor, or in place of a selection; nothing changes if it exceeds the maximum
    /// length together with `kept` bytes of other text.
    fn paste_into(&mut self, kept: usize, text: &str) -> Pasted {
        if kept + text.len() > LONGEST_TEXT {
            return Pasted {
                too_long: text.len(),
                ..Pasted::default()
            };
        }
        let (clean, refused) = clean(text);
        self.editor.insert_str(clean);
        Pasted { refused, too_long: 0 }
    }

    /// The length of the text in bytes, with one for the end of each line.
    fn bytes(&self) -> usize {
        self.lines().iter().map(|line| line.len() + 1).sum()
    }

    /// Replaces the text, as one edit that can be undone, and moves the cursor to the start. Hostile
    /// characters are left out; with a text over the maximum length only the cursor moves.
    pub fn replace(&mut self, text: &str) -> Pasted {
        if text.len() <= LONGEST_TEXT {
            self.editor.select_all();
        }
        let pasted = self.paste_into(0, text);
        self.editor.move_cursor(CursorMove::Top);
        pasted
    }

    /// Undoes the last edit; false if there is none.
    pub fn undo(&mut self) -> bool {
        self.editor.undo()
    }

    /// Redoes the last undone edit; false if there is none.
    pub fn redo(&mut self) -> bool {
        self.editor.redo()
    }

    /// Moves the cursor by lines, up if negative, stopping at the ends; its column stays if the line is long
    /// enough.
    pub fn step(&mut self, by: isize) {
        let ratatui_textarea::DataCursor(row, column) = self.editor.cursor();
        let last = self.editor.lines().len().saturating_sub(1);
        self.put_cursor(row.saturating_add_signed(by).min(last), column);
    }

    /// Moves the cursor to a line and column, in characters, clamped to the text.
    pub fn put_cursor(&mut self, line: usize, column: usize) {
        let coordinate = |number: usize| u16::try_from(number).unwrap_or(u16::MAX);
        let to = CursorMove::Jump(coordinate(line), coordinate(column));
        self.editor.move_cursor(to);
    }
}

/// The text with line feeds as the only line ends, tabs as blanks and without hostile characters, and the
/// number of those.
fn clean(text: &str) -> (String, usize) {
    let mut refused = 0;
    let mut clean = String::with_capacity(text.len());
    for character in in_lines(text).chars() {
        match character {
            '\n' => clean.push('\n'),
            '\t' => clean.push(' '),
            character if is_hostile(character) => refused += 1,
            character => clean.push(character),
        }
    }
    (clean, refused)
}

/// A text with line feeds as the only line ends.
fn in_lines(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// Draws a text area, scrolled so that its cursor is visible. The state receives the position of the cursor on the
/// screen.
#[derive(Debug)]
pub struct TextAreaLines<'a> {
    area: &'a TextArea,
    theme: &'a Theme,
}

impl<'a> TextAreaLines<'a> {
    /// A widget for the given text area.
    pub const fn new(area: &'a TextArea, theme: &'a Theme) -> Self {
        Self { area, theme }
    }
}

impl StatefulWidget for TextAreaLines<'_> {
    type State = Option<Position>;

    fn render(self, area: Rect, buffer: &mut Buffer, cursor: &mut Option<Position>) {
        *cursor = None;
        if area.is_empty() {
            return;
        }
        let editor = &self.area.editor;
        editor.render(area, buffer);
        buffer.set_style(area, self.theme.text);
        let numbers = editor.line_number_width();
        let (top, left) = editor.scroll_offset();
        let margin = Rect {
            width: numbers.saturating_sub(left).min(area.width),
            ..area
        };
        buffer.set_style(margin, self.theme.dim);
        let at = editor.screen_cursor();
        let cell = |position: usize, scrolled: u16, most: u16| {
            let position = u16::try_from(position).unwrap_or(u16::MAX);
            position.saturating_sub(scrolled).min(most.saturating_sub(1))
        };
        *cursor = Some(Position::new(
            area.x + cell(at.col + usize::from(numbers), left, area.width),
            area.y + cell(at.row, top, area.height),
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(area: &mut TextArea, code: KeyCode) {
        area.key(KeyEvent::new(code, KeyModifiers::NONE));
    }

    fn drawn(area: &TextArea, width: u16, height: u16) -> (Vec<String>, Option<Position>) {
        let screen = Rect::new(0, 0, width, height);
        let mut buffer = Buffer::empty(screen);
        let mut cursor = None;
        TextAreaLines::new(area, &Theme::MONO).render(screen, &mut buffer, &mut cursor);
        let row = |y| -> String { (0..width).map(|x| buffer[(x, y)].symbol()).collect() };
        let rows = (0..height).map(|y| row(y).trim_end().to_owned()).collect();
        (rows, cursor)
    }

    #[test]
    fn lines_are_broken_joined_and_walked_over() {
        let mut area = TextArea::new("{\n  \"a\": 1\n}");
        press(&mut area, KeyCode::Right); // after the brace
        press(&mut area, KeyCode::Right); // to the next line
        assert_eq!(area.editor.cursor().0, 1);
        area.key(KeyEvent::new(KeyCode::End, KeyModifiers::NONE));
        press(&mut area, KeyCode::Char(','));
        area.break_line();
        press(&mut area, KeyCode::Char('é'));
        assert_eq!(area.text(), "{\n  \"a\": 1,\n  é\n}");
        for _ in 0..4 {
            press(&mut area, KeyCode::Backspace);
        }
        assert_eq!(area.text(), "{\n  \"a\": 1,\n}");
        press(&mut area, KeyCode::Delete);
        assert_eq!(area.text(), "{\n  \"a\": 1,}");
        area.step(-5);
        assert_eq!(area.editor.cursor().0, 0);
        press(&mut area, KeyCode::Left);
        press(&mut area, KeyCode::Left);
        assert_eq!(area.editor.cursor().0, 0);
    }

    #[test]
    fn a_paste_of_several_lines_stays_several_lines() {
        let mut area = TextArea::new("ab");
        press(&mut area, KeyCode::Right);
        let pasted = area.paste("1\r\n\t2\u{202e}\n3");
        assert_eq!(pasted.refused, 1);
        assert_eq!(area.text(), "a1\n 2\n3b");
        press(&mut area, KeyCode::Char('x'));
        assert_eq!(area.text(), "a1\n 2\n3xb");
    }

    #[test]
    fn a_paste_is_undone_and_redone_as_one_piece() {
        let mut area = TextArea::new("{}");
        press(&mut area, KeyCode::Right);
        area.paste("1,\n2,\n3");
        assert!(area.undo());
        assert_eq!(area.text(), "{}");
        assert!(area.redo());
        assert_eq!(area.text(), "{1,\n2,\n3}");
        area.replace("[]");
        assert_eq!((area.text().as_str(), area.editor.cursor().0), ("[]", 0));
        while area.undo() {}
        assert_eq!(area.text(), "{}");
    }

    #[test]
    fn the_cursor_stands_behind_wide_characters_and_long_lines_scroll() {
        let mut area = TextArea::new("漢字é\n0123456789").numbered();
        press(&mut area, KeyCode::Right);
        press(&mut area, KeyCode::Right);
        let (rows, cursor) = drawn(&area, 12, 2);
        // A wide character takes two cells, of which the second is blank.
        assert_eq!(rows, [" 1 漢 字 é", " 2 012345678"]);
        assert_eq!(cursor, Some(Position::new(7, 0)));
        area.put_cursor(1, 10);
        let (rows, cursor) = drawn(&area, 8, 2);
        assert!(rows[1].ends_with("789"), "{rows:?}");
        assert_eq!(cursor, Some(Position::new(7, 1)));
    }
}
