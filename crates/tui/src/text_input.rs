//! A single-line text field, with the editing keys of a shell.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::widgets::StatefulWidget;
use tui_input::{Input, InputRequest};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use super::input_widget::InputWidget;
use super::theme::Theme;
use super::viewport::Viewport;
use bourse_domain::format::size;
use bourse_domain::text::{is_hostile, visible};

/// The maximum length of a line, in bytes: a query of some hundred ids fits.
///
/// A line is parsed again with every key.
pub const LONGEST_LINE: usize = 4096;

/// The result of a paste.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Pasted {
    /// The number of hostile characters left out.
    pub refused: usize,
    /// The number of pasted bytes if there was no room for them, so that nothing was pasted; else 0.
    pub too_long: usize,
}

impl Pasted {
    /// The message for the user that nothing was pasted, or that characters were left out; `None` if all was
    /// pasted.
    pub fn notice(self) -> Option<String> {
        if self.too_long > 0 {
            let size = size(self.too_long);
            Some(format!("{size} is too long for this field: nothing was pasted"))
        } else if self.refused > 0 {
            let many = self.refused;
            Some(format!("{many} invisible or control characters left out"))
        } else {
            None
        }
    }
}

impl InputWidget for TextInput {
    fn typed(&mut self, key: KeyEvent, _: Viewport) -> bool {
        self.key(key)
    }

    fn pasted(&mut self, text: &str) -> Option<Pasted> {
        Some(self.paste(text))
    }
}

/// An editable line: tui-input with the editing keys of a shell and with paste.
#[derive(Debug, Clone, Default)]
pub struct TextInput {
    input: Input,
    is_selected: bool,
}

impl TextInput {
    /// A line with the cursor at its end.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            input: Input::new(text.into()),
            is_selected: false,
        }
    }

    /// The text.
    pub fn text(&self) -> &str {
        self.input.value()
    }

    /// Replaces the text and ends the selection; the cursor moves to its end.
    pub fn set(&mut self, text: impl Into<String>) {
        self.input = Input::new(text.into());
        self.is_selected = false;
    }

    /// Selects the whole text and moves the cursor to its end, as a form does on focus: typing replaces it,
    /// moving the cursor deselects it. An empty text is not selected.
    pub fn select_all(&mut self) {
        self.input.handle(InputRequest::GoToEnd);
        self.is_selected = !self.is_empty();
    }

    /// Deselects the text, as a form does on leaving a field.
    pub const fn deselect(&mut self) {
        self.is_selected = false;
    }

    /// Whether typing replaces the text.
    pub const fn is_selected(&self) -> bool {
        self.is_selected
    }

    /// Replaces the text and puts the cursor after this many characters.
    pub fn set_with_cursor(&mut self, text: impl Into<String>, cursor_chars: usize) {
        self.input = Input::new(text.into()).with_cursor(cursor_chars);
        self.is_selected = false;
    }

    /// The position of the cursor, in bytes of the text.
    pub fn cursor_byte(&self) -> usize {
        self.text()
            .char_indices()
            .nth(self.input.cursor())
            .map_or(self.text().len(), |(byte, _)| byte)
    }

    /// The text as drawn, with hostile characters replaced by visible ones.
    ///
    /// It may contain text of a market that was not typed: that is edited unchanged, but drawn visibly.
    pub fn shown(&self) -> String {
        visible(self.text(), usize::MAX)
    }

    /// The column of a byte position in the text, in terminal cells from its start.
    pub fn column_of(&self, byte: usize) -> usize {
        self.before(byte).width()
    }

    /// The column of the cursor, in terminal cells from the start of the text.
    pub fn cursor_column(&self) -> usize {
        self.column_of(self.cursor_byte())
    }

    /// The number of cells scrolled away at the left in a field of `width` cells, so that the cursor stays
    /// visible.
    pub fn scroll(&self, width: usize) -> usize {
        let before = self.before(self.cursor_byte());
        let wanted = before.width().saturating_sub(width);
        let mut hidden = 0;
        for grapheme in before.graphemes(true) {
            if hidden >= wanted {
                break;
            }
            hidden += grapheme.width();
        }
        hidden
    }

    /// The part before a byte position in the text, as drawn; the whole text if that is not a character
    /// boundary.
    fn before(&self, byte: usize) -> String {
        visible(self.text().get(..byte).unwrap_or(self.text()), usize::MAX)
    }

    /// Whether the text is empty.
    pub fn is_empty(&self) -> bool {
        self.text().is_empty()
    }

    /// Handles an editing or cursor key; false for any other key. Typing a character, or deleting one or a
    /// word, replaces a selected text; any other key deselects it. A character beyond the maximum length is
    /// ignored.
    pub fn key(&mut self, key: KeyEvent) -> bool {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let alt = key.modifiers.contains(KeyModifiers::ALT);
        let request = match key.code {
            KeyCode::Char('a') if control => InputRequest::GoToStart,
            KeyCode::Char('e') if control => InputRequest::GoToEnd,
            KeyCode::Char('b') if control => InputRequest::GoToPrevChar,
            KeyCode::Char('f') if control => InputRequest::GoToNextChar,
            KeyCode::Char('h') if control => InputRequest::DeletePrevChar,
            KeyCode::Char('w') if control => InputRequest::DeletePrevWord,
            KeyCode::Char('k') if control => InputRequest::DeleteTillEnd,
            KeyCode::Char('u') if control => InputRequest::DeleteLine,
            KeyCode::Char('b') if alt => InputRequest::GoToPrevWord,
            KeyCode::Char('f') if alt => InputRequest::GoToNextWord,
            KeyCode::Char('d') if alt => InputRequest::DeleteNextWord,
            KeyCode::Char(character) if !control && !alt => InputRequest::InsertChar(character),
            KeyCode::Backspace if alt || control => InputRequest::DeletePrevWord,
            KeyCode::Backspace => InputRequest::DeletePrevChar,
            KeyCode::Delete if control => InputRequest::DeleteNextWord,
            KeyCode::Delete => InputRequest::DeleteNextChar,
            KeyCode::Left if control || alt => InputRequest::GoToPrevWord,
            KeyCode::Right if control || alt => InputRequest::GoToNextWord,
            KeyCode::Left => InputRequest::GoToPrevChar,
            KeyCode::Right => InputRequest::GoToNextChar,
            KeyCode::Home => InputRequest::GoToStart,
            KeyCode::End => InputRequest::GoToEnd,
            _ => return false,
        };
        if self.replaces(&request) {
            self.input.handle(InputRequest::DeleteLine);
        }
        let is_full = |letter: char| self.text().len() + letter.len_utf8() > LONGEST_LINE;
        if !matches!(request, InputRequest::InsertChar(letter) if is_full(letter)) {
            self.input.handle(request);
        }
        true
    }

    /// Ends the selection; returns whether the text was selected and the request inserts a character or
    /// deletes a character or word, so that it replaces all of it.
    const fn replaces(&mut self, request: &InputRequest) -> bool {
        let was_selected = self.is_selected;
        self.is_selected = false;
        was_selected
            && matches!(
                request,
                InputRequest::InsertChar(_)
                    | InputRequest::DeletePrevChar
                    | InputRequest::DeleteNextChar
                    | InputRequest::DeletePrevWord
                    | InputRequest::DeleteNextWord
            )
    }

    /// Inserts a pasted text at the cursor, or in place of a selected one: line breaks and tabs become
    /// blanks, hostile characters are left out. Nothing changes if it would exceed the maximum length.
    pub fn paste(&mut self, text: &str) -> Pasted {
        let kept = if self.is_selected { 0 } else { self.text().len() };
        if kept + text.len() > LONGEST_LINE {
            return Pasted {
                too_long: text.len(),
                ..Pasted::default()
            };
        }
        let mut refused = 0;
        let clean: String = text
            .chars()
            .filter_map(|character| match character {
                '\n' | '\r' | '\t' => Some(' '),
                character if is_hostile(character) => {
                    refused += 1;
                    None
                }
                character => Some(character),
            })
            .collect();
        if !clean.is_empty() {
            let (mut line, at) = if self.is_selected {
                (String::new(), 0)
            } else {
                (self.text().to_owned(), self.cursor_byte())
            };
            line.insert_str(at, &clean);
            let cursor = line[..at + clean.len()].chars().count();
            self.set_with_cursor(line, cursor);
        }
        Pasted { refused, too_long: 0 }
    }
}

/// Draws a text field, scrolled so that its cursor is visible. The state receives the position of the cursor on the
/// screen.
#[derive(Debug)]
pub struct InputLine<'a> {
    input: &'a TextInput,
    placeholder: &'a str,
    style: Style,
    theme: &'a Theme,
}

impl<'a> InputLine<'a> {
    /// A widget for the input, in the style of a form's field.
    pub const fn new(input: &'a TextInput, theme: &'a Theme) -> Self {
        Self {
            input,
            placeholder: "",
            style: theme.input,
            theme,
        }
    }

    /// Sets a dim text to show while the field is empty.
    #[must_use]
    pub const fn placeholder(mut self, text: &'a str) -> Self {
        self.placeholder = text;
        self
    }

    /// Draws the text in another style than a form's field.
    #[must_use]
    pub const fn style(mut self, style: Style) -> Self {
        self.style = style;
        self
    }
}

impl StatefulWidget for InputLine<'_> {
    type State = Option<Position>;

    fn render(self, area: Rect, buffer: &mut Buffer, cursor: &mut Option<Position>) {
        buffer.set_style(area, self.style);
        // One cell is kept for the cursor after the last character.
        let width = usize::from(area.width.saturating_sub(1));
        let scroll = self.input.scroll(width);
        let text = self.input.shown();
        let (text, style) = if text.is_empty() {
            (self.placeholder, self.style.patch(self.theme.dim))
        } else if self.input.is_selected() {
            (&*text, self.style.add_modifier(Modifier::REVERSED))
        } else {
            (&*text, self.style)
        };
        let rest = after_cells(text, scroll);
        buffer.set_stringn(area.x, area.y, rest, usize::from(area.width), style);
        let offset = self.input.cursor_column().saturating_sub(scroll);
        let column = u16::try_from(offset).unwrap_or(area.width);
        *cursor = Some(Position::new(area.x + column.min(area.width.saturating_sub(1)), area.y));
    }
}

/// The rest of a text after its first `cells` terminal cells.
fn after_cells(text: &str, cells: usize) -> &str {
    let mut taken = 0;
    let start = text.graphemes(true).take_while(|grapheme| {
        let fits = taken < cells;
        taken += grapheme.width();
        fits
    });
    let start: usize = start.map(str::len).sum();
    &text[start..]
}
