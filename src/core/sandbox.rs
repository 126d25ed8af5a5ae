//! Notes on the embedded sandbox, for facts that a market would not explain.

use crate::domain::format::counted;

/// The notes; a real market has none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SandboxNotes {
    /// The user's volume listings that have not been unlisted.
    pub listings: Vec<UserListing>,
    /// The reason created workergroups are not saved, or `None` if they are.
    pub unsaved: Option<&'static str>,
    /// The recording of its past; until that is finished, nothing is read from the record.
    pub simulating: Option<Simulation>,
}

/// The recording of a simulated past in progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Simulation {
    pub days: u32,
    /// The percentage done.
    pub percent: u32,
}

/// A volume listing of the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UserListing {
    pub id: u64,
    /// Whether it is rented, so that it cannot be unlisted.
    pub rented: bool,
}

impl SandboxNotes {
    /// Removes the listing with this id, which was unlisted; an unknown id is ignored.
    pub(crate) fn unlisted(&mut self, id: &str) {
        self.listings.retain(|listing| listing.id.to_string() != id);
    }

    /// A sentence on the simulation of its past; `None` if that is not in progress.
    pub fn simulation(&self) -> Option<String> {
        let Simulation { days, percent } = self.simulating?;
        let time = match days {
            30 => "a month".to_owned(),
            days => counted(days as usize, "day", "days"),
        };
        Some(format!("Simulating {time} of the sandbox's market: {percent}%"))
    }

    /// A notice of the simulation's progress in percent that fits beside the tabs of a small screen; `None`
    /// if none is in progress.
    pub fn simulation_notice(&self) -> Option<String> {
        Some(format!("Simulated past: {}%", self.simulating?.percent))
    }

    /// The ids of the user's listings, as text: `4001, 4002 (rented)`; empty if there are none.
    pub fn describe_listing_ids(&self) -> String {
        let ids = self.listings.iter().map(|listing| {
            let note = if listing.rented { " (rented)" } else { "" };
            format!("{}{note}", listing.id)
        });
        ids.collect::<Vec<_>>().join(", ")
    }
}
