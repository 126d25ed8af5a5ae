//! Several lines of text that a person edits: a [`TextInput`] for each, and what happens at their
//! ends.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::text_input::{Pasted, TextInput};
use crate::domain::text::is_hostile;

/// Editable lines; there is always at least one.
#[derive(Debug, Clone)]
pub struct TextArea {
    lines: Vec<TextInput>,
    at: usize,
}

impl TextArea {
    /// A text with the cursor at its beginning.
    pub fn new(text: &str) -> Self {
        let mut lines: Vec<TextInput> = text
            .split('\n')
            .map(|line| TextInput::new(line.trim_end_matches('\r')))
            .collect();
        if let Some(first) = lines.first_mut() {
            let text = first.text().to_owned();
            first.set_with_cursor(text, 0);
        }
        Self { lines, at: 0 }
    }

    /// The text, its lines ended by line feeds.
    pub fn text(&self) -> String {
        let lines: Vec<&str> = self.lines.iter().map(TextInput::text).collect();
        lines.join("\n")
    }

    /// The lines.
    pub fn lines(&self) -> &[TextInput] {
        &self.lines
    }

    /// The line of the cursor, from 0.
    pub const fn at(&self) -> usize {
        self.at
    }

    /// Takes an editing key; false if the key edits nothing.
    pub fn key(&mut self, key: KeyEvent) -> bool {
        let has_next = self.at + 1 < self.lines.len();
        let Some(line) = self.lines.get_mut(self.at) else {
            return false;
        };
        let is_plain = key.modifiers - KeyModifiers::SHIFT == KeyModifiers::NONE;
        let is_first = line.cursor_byte() == 0;
        let is_last = line.cursor_byte() == line.text().len();
        let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Left if is_plain && is_first && self.at > 0 => {
                self.at -= 1;
                self.place(usize::MAX);
            }
            KeyCode::Right if is_plain && is_last && has_next => {
                self.at += 1;
                self.place(0);
            }
            KeyCode::Backspace if is_first && self.at > 0 => self.join(self.at - 1),
            KeyCode::Char('h') if is_control && is_first && self.at > 0 => self.join(self.at - 1),
            KeyCode::Delete if is_last && has_next => self.join(self.at),
            _ => return line.key(key),
        }
        true
    }

    /// Breaks the line at the cursor; the new line is indented like the old one.
    pub fn break_line(&mut self) {
        let Some(line) = self.lines.get_mut(self.at) else {
            return;
        };
        let (before, after) = line.text().split_at(line.cursor_byte());
        let blanks: String = before.chars().take_while(|one| *one == ' ').collect();
        let (before, after) = (before.to_owned(), format!("{blanks}{after}"));
        line.set(before);
        let next = TextInput::new(after);
        self.at += 1;
        self.lines.insert(self.at, next);
        self.place(blanks.len());
    }

    /// Takes a pasted text: tabs become blanks, hostile characters stay out.
    pub fn paste(&mut self, text: &str) -> Pasted {
        let mut refused = 0;
        let mut clean = String::with_capacity(text.len());
        for character in text.replace("\r\n", "\n").chars() {
            match character {
                '\n' | '\r' => clean.push('\n'),
                '\t' => clean.push(' '),
                other if is_hostile(other) => refused += 1,
                other => clean.push(other),
            }
        }
        let Some(line) = self.lines.get(self.at) else {
            return Pasted { refused };
        };
        let (before, after) = line.text().split_at(line.cursor_byte());
        let behind = after.chars().count();
        let whole = format!("{before}{clean}{after}");
        let new: Vec<TextInput> = whole.split('\n').map(TextInput::new).collect();
        let last = self.at + new.len() - 1;
        self.lines.splice(self.at..=self.at, new);
        self.at = last;
        let length = self.lines[last].text().chars().count();
        self.place(length - behind);
        Pasted { refused }
    }

    /// Moves the cursor by lines; its column stays as far as the line allows.
    pub fn step(&mut self, by: isize) {
        let last = self.lines.len() - 1;
        let column = self
            .lines
            .get(self.at)
            .map_or(0, |line| line.text()[..line.cursor_byte()].chars().count());
        self.at = self.at.saturating_add_signed(by).min(last);
        self.place(column);
    }

    /// Puts the cursor behind so many characters of its line, or at its end.
    fn place(&mut self, column: usize) {
        if let Some(line) = self.lines.get_mut(self.at) {
            let text = line.text().to_owned();
            let column = column.min(text.chars().count());
            line.set_with_cursor(text, column);
        }
    }

    /// Joins a line with the one behind it; the cursor stands where they meet.
    fn join(&mut self, upper: usize) {
        let lower = self.lines.remove(upper + 1);
        let text = self.lines[upper].text().to_owned();
        let column = text.chars().count();
        self.lines[upper].set(text + lower.text());
        self.at = upper;
        self.place(column);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(area: &mut TextArea, code: KeyCode) {
        area.key(KeyEvent::new(code, KeyModifiers::NONE));
    }

    #[test]
    fn lines_are_broken_joined_and_walked_over() {
        let mut area = TextArea::new("{\n  \"a\": 1\n}");
        press(&mut area, KeyCode::Right); // behind the brace
        press(&mut area, KeyCode::Right); // to the next line
        assert_eq!(area.at(), 1);
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
        assert_eq!(area.at(), 0);
        press(&mut area, KeyCode::Left);
        press(&mut area, KeyCode::Left);
        assert_eq!(area.at(), 0);
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
}
