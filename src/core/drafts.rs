//! State that views keep while closed: an unfinished form, a choice of axes.
//!
//! Each view keeps a type of its own here, so that no other module knows of it and deleting the
//! view deletes its memory.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;

use crate::keys::Action;
use crate::keys::pane::Pane;

/// One value per type.
#[derive(Default)]
pub struct Drafts {
    values: HashMap<TypeId, Box<dyn Any + Send>>,
    /// The action whose view was left open over a pane, to open again with it.
    pub(crate) left_open: Option<(Pane, Action)>,
}

impl fmt::Debug for Drafts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Drafts({})", self.values.len())
    }
}

impl Drafts {
    /// Stores a value, replacing the last one of its type.
    pub fn put<T: Any + Send>(&mut self, value: T) {
        self.values.insert(TypeId::of::<T>(), Box::new(value));
    }

    pub fn get<T: Any + Send>(&self) -> Option<&T> {
        self.values.get(&TypeId::of::<T>())?.downcast_ref()
    }

    /// Removes and returns the value.
    pub fn take<T: Any + Send>(&mut self) -> Option<T> {
        let value = self.values.remove(&TypeId::of::<T>())?;
        value.downcast().ok().map(|value| *value)
    }
}
