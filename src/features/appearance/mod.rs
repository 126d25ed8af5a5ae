//! The appearance: the picker of themes, and the preferences of this terminal.

pub(crate) mod view;
