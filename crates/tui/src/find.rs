//! A text search: the input, the matching lines, and the line that shows both.

use crossterm::event::KeyEvent;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::Line;
use ratatui::widgets::{StatefulWidget, Widget};

use super::input_widget::InputWidget;
use super::text::cells;
use super::text_input::{InputLine, Pasted, TextInput};
use super::theme::Theme;
use super::viewport::Viewport;
use crate::command::Command;

/// The search text, and the lines that contain it.
#[derive(Debug, Default)]
pub struct Find {
    input: TextInput,
    is_typing: bool,
    /// The lines that match, ascending.
    matches: Vec<usize>,
    at: usize,
}

/// The result of a command to a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FindEvent {
    /// The search does not handle the command.
    Ignored,
    /// The search started or ended.
    Handled,
    /// Another match became the current one, or the search text was confirmed.
    Moved,
}

impl Find {
    /// Whether the search text is being typed, so that keys are text.
    pub const fn is_typing(&self) -> bool {
        self.is_typing
    }

    /// Whether a search is open or has text.
    pub fn is_active(&self) -> bool {
        self.is_typing || !self.input.is_empty()
    }

    /// The search text, in lower case.
    pub fn lowercase_text(&self) -> String {
        self.input.text().to_lowercase()
    }

    /// Whether the line with this index (from 0) contains the search text.
    pub fn matches(&self, line: usize) -> bool {
        self.matches.binary_search(&line).is_ok()
    }

    /// The index (from 0) of the line of the current match; `None` without matches.
    pub fn current(&self) -> Option<usize> {
        self.matches.get(self.at).copied()
    }

    /// The footer hint for a command's effect on the search, such as `keep` for Enter while typing; `None` if
    /// it has none.
    pub fn hint(&self, command: Command) -> Option<&'static str> {
        match command {
            Command::Submit if self.is_typing => Some("keep"),
            Command::Cancel if self.is_active() => Some("clear search"),
            Command::NextMatch | Command::PreviousMatch if self.is_typing => Some("matches"),
            _ => None,
        }
    }

    /// Whether a command belongs to the search but has no effect now: stepping with fewer than two matches,
    /// or completion while typing.
    pub fn is_useless(&self, command: Command) -> bool {
        match command {
            Command::NextMatch | Command::PreviousMatch => self.matches.len() < 2,
            Command::Complete => self.is_typing,
            _ => false,
        }
    }

    /// Starts, confirms or ends the search, or steps through its matches; next and previous start a search if
    /// none is active. `Moved` after a step or a confirmation, `Handled` after a start or an end, `Ignored`
    /// for all other commands and `None`.
    pub fn update(&mut self, command: impl Into<Option<Command>>) -> FindEvent {
        match command.into() {
            Some(Command::NextMatch) if self.is_active() => self.step(1),
            Some(Command::PreviousMatch) if self.is_active() => self.step(-1),
            Some(Command::Find | Command::NextMatch | Command::PreviousMatch) => {
                self.is_typing = true;
                return FindEvent::Handled;
            }
            Some(Command::Submit) if self.is_typing => self.is_typing = false,
            Some(Command::Cancel) if self.is_active() => {
                *self = Self::default();
                return FindEvent::Handled;
            }
            _ => return FindEvent::Ignored,
        }
        FindEvent::Moved
    }

    /// Types a key; false if the input is closed or the key edits nothing.
    pub fn key(&mut self, key: KeyEvent) -> bool {
        self.is_typing && self.input.key(key)
    }

    /// Pastes into the search input; `None` if it is closed.
    pub fn paste(&mut self, text: &str) -> Option<Pasted> {
        self.is_typing.then(|| self.input.paste(text))
    }

    /// Finds the lines that contain the search text in any case again after a change of `lines` or the text;
    /// an empty one matches none.
    ///
    /// The current match is the first from the line `from` on, where the reader is, or the first of all if
    /// none follows.
    pub fn search(&mut self, from: usize, lines: impl Iterator<Item = String>) {
        let wanted = self.lowercase_text();
        self.matches.clear();
        if !wanted.is_empty() {
            let holds = |line: &String| line.to_lowercase().contains(&wanted);
            let matching = lines.enumerate().filter(|(_, line)| holds(line));
            self.matches.extend(matching.map(|(line, _)| line));
        }
        let next = self.matches.iter().position(|line| *line >= from);
        self.at = next.unwrap_or(0);
    }

    /// Moves to another match, backward if `by` is negative, wrapping around at the ends.
    fn step(&mut self, by: isize) {
        let many = self.matches.len();
        if many > 0 {
            let at = self.at.checked_add_signed(by).unwrap_or(many - 1);
            self.at = at % many;
        }
    }
}

/// For views that search their own lines and repeat the search when the text changes.
impl InputWidget for Find {
    fn typed(&mut self, key: KeyEvent, _: Viewport) -> bool {
        self.key(key)
    }

    fn pasted(&mut self, text: &str) -> Option<Pasted> {
        self.paste(text)
    }
}

/// The advice after the words on a search without a match, for the typed text: `; sentences have a search of their own`.
/// Empty for none.
pub type Advice = fn(&str) -> &'static str;

/// The line of a search: the input, and the number of the current match.
#[derive(Debug)]
pub struct FindLine<'a> {
    find: &'a Find,
    theme: &'a Theme,
    advice: Advice,
}

impl<'a> FindLine<'a> {
    /// The line of the given search, with advice where nothing matches.
    pub const fn new(find: &'a Find, theme: &'a Theme, advice: Advice) -> Self {
        Self { find, theme, advice }
    }
}

impl StatefulWidget for FindLine<'_> {
    type State = Option<Position>;

    fn render(self, area: Rect, buffer: &mut Buffer, cursor: &mut Option<Position>) {
        let find = self.find;
        let count = match (find.input.is_empty(), find.matches.len()) {
            (true, _) => String::new(),
            (false, 0) => format!("no match{}", (self.advice)(find.input.text())),
            (false, many) => format!("{} of {many}", find.at + 1),
        };
        Line::styled("/", self.theme.accent).render(area, buffer);
        let width = area.width.saturating_sub(cells(&count).max(13) + 3);
        let typed = Rect::new(area.x + 2, area.y, width, 1).intersection(area);
        InputLine::new(&find.input, self.theme).render(typed, buffer, cursor);
        let rest = Rect::new(typed.right() + 1, area.y, area.width, 1).intersection(area);
        Line::styled(count, self.theme.dim).render(rest, buffer);
        *cursor = cursor.filter(|_| find.is_typing);
    }
}
