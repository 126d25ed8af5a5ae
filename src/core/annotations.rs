//! The user's stars, notes and bans in the dashboard's state.

use std::sync::Arc;

use crate::domain::annotations::{AnnotationChange, Annotations, Bans};
use crate::table::remote::Ticket;

/// The annotations of the profile, their unsaved changes and their undo history.
#[derive(Debug, Default)]
pub struct AnnotationState {
    pub all: Arc<Annotations>,
    /// Whether banned offers are listed until the program ends.
    pub shows_banned: bool,
    /// The search whose response has banned rows, too.
    pub(super) unfiltered: Option<Ticket>,
    /// The changes that undo the latest ones, newest last.
    pub(super) undo: Vec<AnnotationChange>,
    /// Number of changes whose saving is not confirmed yet.
    pub(super) pending: usize,
}

impl AnnotationState {
    /// The bans in force: none while banned offers are listed.
    pub(crate) fn bans(&self) -> Bans {
        if self.shows_banned { Bans::NONE } else { self.all.bans() }
    }
}
