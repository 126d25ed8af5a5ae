//! The commands available to the focused view, for help and palette.

use crate::keys::{Action, Binding, Context, bindings};

/// The commands available to the focused view at the moment their list opens.
#[derive(Debug)]
pub struct Commands {
    /// The contexts in which the view's keys are looked up.
    pub contexts: &'static [Context],
    /// The contexts of the table below, if it can be reached by closing the views over it.
    pub(crate) below: Option<&'static [Context]>,
    /// Whether the focus is on the pane, with no view open over it.
    pub(crate) is_pane: bool,
    /// The actions the focused view itself disables, with the reasons.
    pub(crate) disabled: Vec<(Action, String)>,
    /// Actions without a meaning for the focused view.
    pub(crate) hidden: Vec<Action>,
}

impl Commands {
    /// Whether the table of the pane can be reached by closing the views over it; false while text is typed
    /// in a view or a question is open.
    pub const fn reaches_table(&self) -> bool {
        self.below.is_some()
    }

    /// Whether the user can switch markets from here: with the focus on the pane, or where the table below
    /// can be reached.
    pub const fn reaches_markets(&self) -> bool {
        self.below.is_some() || self.is_pane
    }

    /// The key bindings of the focused view's contexts, in order, then those of the table below without
    /// repeating a context.
    pub fn rows(&self) -> impl Iterator<Item = &'static Binding> {
        let all = self.below.unwrap_or_default();
        let below = all.iter().filter(|context| !self.contexts.contains(context));
        let contexts = self.contexts.iter().chain(below);
        contexts.flat_map(|context| bindings(*context))
    }
}
