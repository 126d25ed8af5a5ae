//! State that views keep while closed, such as an unfinished form or a choice of axes.
//!
//! Each view stores a type of its own, so that no other module depends on it and its state goes
//! with the view.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;

use crate::keys::Action;
use crate::keys::pane::Pane;

/// The stored values, one for each type.
#[derive(Default)]
pub struct Drafts {
    values: HashMap<TypeId, Box<dyn Any + Send>>,
    /// A pane and the action whose view was open over it, to reopen both together.
    pub(crate) left_open: Option<(Pane, Action)>,
}

impl fmt::Debug for Drafts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Drafts({})", self.values.len())
    }
}

impl Drafts {
    /// Stores a value, replacing the one of the same type.
    pub fn put<T: Any + Send>(&mut self, value: T) {
        self.values.insert(TypeId::of::<T>(), Box::new(value));
    }

    /// The stored value of type `T`, or `None` if there is none.
    pub fn get<T: Any + Send>(&self) -> Option<&T> {
        self.values.get(&TypeId::of::<T>())?.downcast_ref()
    }

    /// Removes and returns the value of type `T`; `None` if there is none.
    pub fn take<T: Any + Send>(&mut self) -> Option<T> {
        let value = self.values.remove(&TypeId::of::<T>())?;
        value.downcast().ok().map(|value| *value)
    }
}
