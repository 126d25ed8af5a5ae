//! Keys: chords, the table of default bindings, and the person's own bindings on top of it.

mod bindings;
mod chord;
pub mod pane;
pub mod user;

pub use self::bindings::{Action, BINDINGS, Binding, Context, Group, Motion, Side, Step, Subject, bindings};
pub use self::chord::Chord;
pub use self::user::{KeyError, Keymap, UserKeys};
