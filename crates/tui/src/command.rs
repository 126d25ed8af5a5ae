//! What a key means to a widget. Programs have actions of their own and translate those that a widget handles.

/// Where a cursor or a text moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Motion {
    /// One line down.
    Down,
    /// One line up.
    Up,
    /// The visible lines further down.
    PageDown,
    /// The visible lines further up.
    PageUp,
    /// Half of the visible lines further down, at least one.
    HalfDown,
    /// Half of the visible lines further up, at least one.
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
    /// How many lines it moves a cursor, or a text with `page` visible lines: negative is up, and the ends are
    /// `isize::MIN` and `isize::MAX`. `None` if it does not move by lines.
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

/// An action that a user can request of a widget.
///
/// Typed text is no command: widgets take it as key presses, see
/// [`InputWidget::typed`](crate::input_widget::InputWidget::typed).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Command {
    /// Move the cursor or the text.
    Move(Motion),
    /// The previous value of a choice, the button to the left, a character to the left.
    Left,
    /// The next value of a choice, the button to the right, a character to the right.
    Right,
    /// Switch a choice or a toggle, press a button: the space bar.
    Toggle,
    /// Submit a form or press its button, keep a search text: Enter.
    Submit,
    /// Drop a search: Esc.
    Cancel,
    /// Complete what is typed.
    Complete,
    /// Start to type a search.
    Find,
    /// The next match of a search.
    NextMatch,
    /// The previous match of a search.
    PreviousMatch,
}

impl Command {
    /// How many lines it moves: see [`Motion::lines`].
    pub fn lines(self, page: usize) -> Option<isize> {
        match self {
            Self::Move(motion) => motion.lines(page),
            Self::Left
            | Self::Right
            | Self::Toggle
            | Self::Submit
            | Self::Cancel
            | Self::Complete
            | Self::Find
            | Self::NextMatch
            | Self::PreviousMatch => None,
        }
    }
}
