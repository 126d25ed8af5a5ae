//! The commands of widgets. Programs have actions of their own and translate those that a widget handles.

/// A movement of a cursor or a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Motion {
    /// One line down.
    Down,
    /// One line up.
    Up,
    /// Down by the number of visible lines.
    PageDown,
    /// Up by the number of visible lines.
    PageUp,
    /// Down by half the number of visible lines, at least one.
    HalfDown,
    /// Up by half the number of visible lines, at least one.
    HalfUp,
    /// To the first line.
    First,
    /// To the last line.
    Last,
    /// To the first column of a table.
    FirstColumn,
    /// To the last column of a table.
    LastColumn,
}

impl Motion {
    /// The number of lines by which it moves a cursor, or a text with `page` visible lines. `None` if it does not move
    /// by lines.
    ///
    /// Negative is up, and the ends are `isize::MIN` and `isize::MAX`.
    pub fn lines(self, page: usize) -> Option<isize> {
        let page = isize::try_from(page.max(1)).unwrap_or(isize::MAX);
        match self {
            Self::Down => Some(1),
            Self::Up => Some(-1),
            Self::PageDown => Some(page),
            Self::PageUp => Some(-page),
            Self::HalfDown => Some((page / 2).max(1)),
            Self::HalfUp => Some(-(page / 2).max(1)),
            Self::First => Some(isize::MIN),
            Self::Last => Some(isize::MAX),
            Self::FirstColumn | Self::LastColumn => None,
        }
    }
}

/// An action of the user on a widget.
///
/// Typed text is not a command: widgets receive it as key presses, see
/// [`InputWidget::typed`](crate::input_widget::InputWidget::typed).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Command {
    /// Moves the cursor or the text.
    Move(Motion),
    /// Selects the previous value of a choice, the button to the left, or the character to the left.
    Left,
    /// Selects the next value of a choice, the button to the right, or the character to the right.
    Right,
    /// Switches a choice or a toggle, or presses a button: the space bar.
    Toggle,
    /// Submits a form or presses its button, or confirms a search text: Enter.
    Submit,
    /// Ends a search: Esc.
    Cancel,
    /// Completes the typed text.
    Complete,
    /// Starts a search.
    Find,
    /// Goes to the next match of a search.
    NextMatch,
    /// Goes to the previous match of a search.
    PreviousMatch,
}

impl Command {
    /// The number of lines by which it moves, see [`Motion::lines`]; `None` for any other command.
    pub fn lines(self, page: usize) -> Option<isize> {
        if let Self::Move(motion) = self {
            motion.lines(page)
        } else {
            None
        }
    }
}
