//! Keys: the table of default bindings, the user's own bindings on top of it, and their commands to
//! widgets.

mod bindings;
pub mod commands;
pub mod pane;
pub mod user;
mod widget;

pub use self::bindings::{Action, BINDINGS, Binding, Context, Group, HintPlace, Side, Step, Subject, bindings};
pub use self::user::{KeyError, Keymap, UserKeys, configured};
pub use self::widget::KeyTarget;
pub use crate::tui::{Chord, Motion};
