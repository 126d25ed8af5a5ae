//! Documents: the user's data that survives a restart, each in a file of its own for every profile.

use std::any::Any;
use std::fmt;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// A part of the user's data, in a file of its own.
pub trait Document: Clone + Default + PartialEq + fmt::Debug + Send + Serialize + DeserializeOwned + 'static {
    /// A change to it. Several programs share the file: each applies its changes to the current content of the file, so
    /// that none undoes another's. [`Infallible`](std::convert::Infallible) for a document that is replaced whole.
    type Change: Clone + PartialEq + fmt::Debug + Send + 'static;

    /// The name of its file.
    const FILE: &'static str;

    /// Applies a change to the content.
    fn apply(&mut self, change: &Self::Change);

    /// Repairs content that was edited by hand; does nothing by default.
    fn repair(&mut self) {}
}

/// An edit of a document, to be saved.
#[derive(Debug, Clone, PartialEq)]
pub enum Edit<T: Document> {
    /// Replaces it. Of several programs the last one wins.
    Replace(T),
    Change {
        change: T::Change,
        /// The content in this program before the change, used if the file is gone.
        before: T,
    },
}

impl<T: Document> Edit<T> {
    /// The document after the edit: the new one, or the content before with the change applied.
    pub fn into_content(self) -> T {
        match self {
            Self::Replace(document) => document,
            Self::Change { change, mut before } => {
                before.apply(&change);
                before
            }
        }
    }
}

/// An edit with its type erased; [`AnyEdit::downcast`] restores it.
pub struct AnyEdit(Box<dyn ErasedEdit>);

/// A document with its type erased; its owner restores it with [`AnyDocument::downcast`].
pub struct AnyDocument(Box<dyn Any + Send>);

/// The documents of a profile, each found by its type.
#[derive(Debug, Default)]
pub struct Documents(Vec<AnyDocument>);

trait ErasedEdit: fmt::Debug + Send {
    /// The edit, to be downcast to its type.
    fn as_any(&self) -> &dyn Any;
    /// Whether `other` is an edit of the same document type and equal to this one.
    fn equals(&self, other: &dyn Any) -> bool;
}

impl<T: Document> ErasedEdit for Edit<T> {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn equals(&self, other: &dyn Any) -> bool {
        other.downcast_ref() == Some(self)
    }
}

impl AnyEdit {
    /// Erases the type of an edit.
    pub fn new<T: Document>(edit: Edit<T>) -> Self {
        Self(Box::new(edit))
    }

    /// The edit, if it changes a `T`; `None` if it changes another document.
    pub fn downcast<T: Document>(&self) -> Option<&Edit<T>> {
        self.0.as_any().downcast_ref()
    }
}

impl fmt::Debug for AnyEdit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl PartialEq for AnyEdit {
    fn eq(&self, other: &Self) -> bool {
        self.0.equals(other.0.as_any())
    }
}

impl AnyDocument {
    /// Erases the type of a document.
    pub fn new<T: Document>(document: T) -> Self {
        Self(Box::new(document))
    }

    /// The document as `T`; `None` if it has another type.
    pub fn downcast<T: Document>(self) -> Option<T> {
        self.0.downcast().ok().map(|document| *document)
    }
}

impl fmt::Debug for AnyDocument {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("AnyDocument")
    }
}

impl Documents {
    /// The document of this type; `None` if it was never saved.
    pub fn get<T: Document>(&self) -> Option<&T> {
        self.0.iter().find_map(|document| document.0.downcast_ref())
    }
}

impl FromIterator<AnyDocument> for Documents {
    fn from_iter<I: IntoIterator<Item = AnyDocument>>(documents: I) -> Self {
        Self(documents.into_iter().collect())
    }
}
