//! The contexts of the widgets of [`crate::tui`], and the actions that are commands to them.

use super::{Action, Context};
use crate::tui::Command;
use crate::tui::form::Form;
use crate::tui::report::Report;

/// A widget that has keys of its own.
pub trait KeyTarget {
    /// The contexts in which its keys are looked up, the most specific one first.
    fn contexts(&self) -> &'static [Context];
}

impl<K: Copy + Eq> KeyTarget for Form<K> {
    fn contexts(&self) -> &'static [Context] {
        if self.is_on_choice() {
            &[Context::Choice, Context::Form, Context::Always]
        } else {
            &[Context::Form, Context::Always]
        }
    }
}

impl KeyTarget for Report {
    fn contexts(&self) -> &'static [Context] {
        if self.is_typing() {
            &[Context::Query, Context::Always]
        } else {
            &[Context::Report, Context::Global, Context::Always]
        }
    }
}

impl Action {
    /// The command of the action to a widget; `None` if no widget handles it.
    pub const fn command(self) -> Option<Command> {
        Some(match self {
            Self::Move(motion) => Command::Move(motion),
            Self::Left => Command::Left,
            Self::Right => Command::Right,
            Self::Toggle => Command::Toggle,
            Self::Submit => Command::Submit,
            Self::Back => Command::Cancel,
            Self::Complete => Command::Complete,
            Self::Query => Command::Find,
            Self::Newer => Command::NextMatch,
            Self::Older => Command::PreviousMatch,
            _ => return None,
        })
    }

    /// The signed number of lines it moves a cursor, or a text with `page` visible lines, up if negative;
    /// `None` if it does not move by lines.
    pub fn motion(self, page: usize) -> Option<isize> {
        self.command()?.lines(page)
    }
}
