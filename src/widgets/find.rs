//! A text search: the input, the matching lines, and the line that shows both.

use crossterm::event::KeyEvent;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::Line;
use ratatui::widgets::{StatefulWidget, Widget};

use super::input_widget::InputWidget;
use super::text_input::{InputLine, Pasted, TextInput};
use super::theme::Theme;
use super::viewport::Viewport;
use crate::keys::Action;

/// The search text, and the lines that contain it.
#[derive(Debug, Default)]
pub struct Find {
    input: TextInput,
    is_typing: bool,
    /// The lines that match, ascending.
    matches: Vec<usize>,
    at: usize,
}

/// How a search handled an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FindEvent {
    /// The action has no meaning here.
    Ignored,
    /// The search started or ended.
    Handled,
    Moved,
}

impl Find {
    /// Whether a search is being typed.
    pub const fn is_typing(&self) -> bool {
        self.is_typing
    }

    /// Whether there is a search text.
    pub fn is_active(&self) -> bool {
        self.is_typing || !self.input.is_empty()
    }

    /// The search text, in lower case.
    pub fn wanted(&self) -> String {
        self.input.text().to_lowercase()
    }

    pub fn matches(&self, line: usize) -> bool {
        self.matches.binary_search(&line).is_ok()
    }

    pub fn current(&self) -> Option<usize> {
        self.matches.get(self.at).copied()
    }

    /// The name of what an action does to the search; `None` if it does nothing to it.
    pub fn hint(&self, action: Action) -> Option<&'static str> {
        match action {
            Action::Submit if self.is_typing => Some("keep"),
            Action::Back if self.is_active() => Some("clear search"),
            Action::Newer | Action::Older if self.is_typing => Some("matches"),
            _ => None,
        }
    }

    /// Whether an action is one of a search's keys without a use now: there is nothing to complete,
    /// and one match needs no stepping.
    pub fn is_useless(&self, action: Action) -> bool {
        match action {
            Action::Newer | Action::Older => self.matches.len() < 2,
            Action::Complete => self.is_typing,
            _ => false,
        }
    }

    pub fn update(&mut self, action: Action) -> FindEvent {
        match action {
            Action::Newer | Action::Older if self.is_active() => {
                self.step(if action == Action::Newer { 1 } else { -1 });
                FindEvent::Moved
            }
            Action::Query | Action::Newer | Action::Older => {
                self.is_typing = true;
                FindEvent::Handled
            }
            Action::Submit if self.is_typing => {
                self.is_typing = false;
                FindEvent::Moved
            }
            Action::Back if self.is_active() => {
                *self = Self::default();
                FindEvent::Handled
            }
            _ => FindEvent::Ignored,
        }
    }

    /// Types a key; false if no search is typed or the key edits nothing.
    pub fn key(&mut self, key: KeyEvent) -> bool {
        self.is_typing && self.input.key(key)
    }

    /// Pastes a text; `None` if no search is typed.
    pub fn paste(&mut self, text: &str) -> Option<Pasted> {
        self.is_typing.then(|| self.input.paste(text))
    }

    /// Updates the matches after a change of `lines` or the search. The current match is the first
    /// from the line `from` on, where the reader is, not the first of all.
    pub fn search(&mut self, from: usize, lines: impl Iterator<Item = String>) {
        let wanted = self.wanted();
        self.matches.clear();
        if !wanted.is_empty() {
            let holds = |line: &String| line.to_lowercase().contains(&wanted);
            let matching = lines.enumerate().filter(|(_, line)| holds(line));
            self.matches.extend(matching.map(|(line, _)| line));
        }
        let next = self.matches.iter().position(|line| *line >= from);
        self.at = next.unwrap_or(0);
    }

    fn step(&mut self, by: isize) {
        let many = self.matches.len();
        if many > 0 {
            let at = self.at.checked_add_signed(by).unwrap_or(many - 1);
            self.at = at % many;
        }
    }
}

/// For views that are lines of their own: they search again when the text has changed.
impl InputWidget for Find {
    fn typed(&mut self, key: KeyEvent, _: Viewport) -> bool {
        self.key(key)
    }

    fn pasted(&mut self, text: &str) -> Option<Pasted> {
        self.paste(text)
    }
}

/// The line of a search: the input, and the number of the current match.
#[derive(Debug)]
pub struct FindLine<'a> {
    find: &'a Find,
    theme: &'a Theme,
}

impl<'a> FindLine<'a> {
    pub const fn new(find: &'a Find, theme: &'a Theme) -> Self {
        Self { find, theme }
    }
}

impl StatefulWidget for FindLine<'_> {
    type State = Option<Position>;

    fn render(self, area: Rect, buffer: &mut Buffer, cursor: &mut Option<Position>) {
        let find = self.find;
        let count = match (find.input.is_empty(), find.matches.len()) {
            (true, _) => String::new(),
            (false, 0) => "no match".to_owned(),
            (false, many) => format!("{} of {many}", find.at + 1),
        };
        Line::styled("/", self.theme.accent).render(area, buffer);
        let width = area.width.saturating_sub(16);
        let typed = Rect::new(area.x + 2, area.y, width, 1).intersection(area);
        InputLine::new(&find.input, self.theme).render(typed, buffer, cursor);
        let rest = Rect::new(typed.right() + 1, area.y, 13, 1).intersection(area);
        Line::styled(count, self.theme.dim).render(rest, buffer);
        *cursor = cursor.filter(|_| find.is_typing);
    }
}
