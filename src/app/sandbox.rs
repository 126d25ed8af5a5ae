//! What the embedded sandbox says of itself beyond the interface, since people try things in it that
//! a market would not explain.

/// The notes; a real market has none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SandboxNotes {
    /// The volume listings of the person's that have not been unlisted.
    pub listings: Vec<OwnListing>,
    /// Why workergroups that are created in it are not saved, if they are not.
    pub unsaved: Option<&'static str>,
}

/// A volume listing of the person's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OwnListing {
    pub id: u64,
    /// Whether somebody rents it, so that it cannot be unlisted.
    pub rented: bool,
}

impl SandboxNotes {
    /// A listing of that id was unlisted.
    pub(super) fn unlisted(&mut self, id: &str) {
        self.listings.retain(|listing| listing.id.to_string() != id);
    }

    /// The ids to try, as text: `4001, 4002 (rented)`.
    pub fn ids(&self) -> String {
        let ids = self.listings.iter().map(|listing| {
            let note = if listing.rented { " (rented)" } else { "" };
            format!("{}{note}", listing.id)
        });
        ids.collect::<Vec<_>>().join(", ")
    }
}
