//! What views remember while they are closed: an unfinished form, a choice of axes.
//!
//! Each view keeps a type of its own here, so that no other module knows of it and deleting the
//! view deletes its memory.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;

/// One remembered value for each type.
#[derive(Default)]
pub struct Drafts(HashMap<TypeId, Box<dyn Any + Send>>);

impl fmt::Debug for Drafts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Drafts({})", self.0.len())
    }
}

impl Drafts {
    /// Remembers a value in place of the last one of its type.
    pub fn put<T: Any + Send>(&mut self, value: T) {
        self.0.insert(TypeId::of::<T>(), Box::new(value));
    }

    /// The remembered value.
    pub fn get<T: Any + Send>(&self) -> Option<&T> {
        self.0.get(&TypeId::of::<T>())?.downcast_ref()
    }

    /// Takes the remembered value out.
    pub fn take<T: Any + Send>(&mut self) -> Option<T> {
        let value = self.0.remove(&TypeId::of::<T>())?;
        value.downcast().ok().map(|value| *value)
    }
}
