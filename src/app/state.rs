//! What the views share: the market, its data and the person's settings.

use super::browser::Browser;
use super::groups::Groups;
use super::keys::Keymap;
use super::message::Toast;
use super::remote::{Now, Remote, Tickets};
use super::requests::Requests;
use super::route_lab::RouteLab;
use super::write::Writes;
use super::{Pane, Profile, drafts, keep, markets, sandbox, split};
use crate::api::ledger::Ledger;
use crate::domain::local::LocalTime;
use crate::domain::saved::Searches;
use crate::domain::{Condition, Listing, Resource};

/// What the views share: the market, its data and the person's settings.
#[derive(Debug)]
pub struct State {
    /// For whom it speaks.
    pub profile: Profile,
    /// The pane in sight.
    pub pane: Pane,
    /// Machine offers.
    pub offers: Browser,
    /// Network volumes.
    pub volumes: Browser,
    /// Workergroups.
    pub workergroups: Browser,
    /// The keys of this person.
    pub keymap: Keymap,
    /// Tests of the routing endpoint.
    pub route_lab: Box<RouteLab>,
    /// What should be known about how the program started; shown until Esc.
    pub notices: Vec<String>,
    /// A notice that goes by itself.
    pub toast: Option<Toast>,
    /// Columns and rows of the terminal.
    pub size: (u16, u16),
    /// What was sent and answered.
    pub ledger: Ledger,
    /// What the Requests pane has besides that.
    pub requests: Box<Requests>,
    /// The volumes of the market for what goes with an offer, asked for apart from the Volumes pane.
    pub(crate) stock: Remote<Listing>,
    /// What changes the market: under way and in the past.
    pub writes: Writes,
    /// The saved searches.
    pub searches: Searches,
    /// What survives a restart.
    pub(super) keep: keep::Keep,
    /// What the Workergroups pane has besides its table.
    pub groups: Groups,
    /// What the embedded sandbox says of itself.
    pub sandbox: sandbox::SandboxNotes,
    /// How table and detail share a wide screen.
    pub split: split::Split,
    /// The time zone of the person.
    pub zone: jiff::tz::TimeZone,
    /// The markets that can be connected to.
    pub markets: markets::Markets,
    /// What closed views remember.
    pub drafts: drafts::Drafts,
    pub(super) tickets: Tickets,
}

impl State {
    /// The state at the start. `conditions` are those of the first search, if they are not the
    /// usual ones.
    pub(super) fn new(profile: Profile, conditions: Option<Vec<Condition>>) -> Self {
        let dialect = profile.dialect;
        let mut offers = Browser::new(Resource::Offers, dialect);
        if let Some(conditions) = conditions {
            offers.query.conditions = conditions;
            offers.show_query_in_bar();
        }
        Self {
            profile,
            pane: Pane::Offers,
            offers,
            volumes: Browser::new(Resource::Volumes, dialect),
            workergroups: Browser::new(Resource::Workergroups, dialect),
            keymap: Keymap::default(),
            route_lab: Box::default(),
            notices: Vec::new(),
            toast: None,
            size: (80, 24),
            ledger: Ledger::default(),
            requests: Box::default(),
            stock: Remote::default(),
            writes: Writes::default(),
            searches: Searches::default(),
            keep: keep::Keep::default(),
            groups: Groups::new(dialect),
            sandbox: sandbox::SandboxNotes::default(),
            split: split::Split::default(),
            zone: jiff::tz::TimeZone::UTC,
            markets: markets::Markets::default(),
            drafts: drafts::Drafts::default(),
            tickets: Tickets::default(),
        }
    }

    /// Changes whenever the rows of a pane, their order, prices or marks do.
    pub(super) fn revision(&self) -> u64 {
        [&self.offers, &self.volumes, &self.workergroups]
            .map(Browser::revision)
            .into_iter()
            .fold(0, u64::wrapping_add)
    }

    /// The browser of the pane in sight.
    pub const fn browser(&self) -> Option<&Browser> {
        match self.pane {
            Pane::Offers => Some(&self.offers),
            Pane::Volumes => Some(&self.volumes),
            Pane::Workergroups => Some(&self.workergroups),
            Pane::Requests => None,
        }
    }

    /// The browser of the pane in sight, to be changed.
    pub const fn browser_mut(&mut self) -> Option<&mut Browser> {
        match self.pane {
            Pane::Offers => Some(&mut self.offers),
            Pane::Volumes => Some(&mut self.volumes),
            Pane::Workergroups => Some(&mut self.workergroups),
            Pane::Requests => None,
        }
    }

    /// The browser of the pane in sight with the tickets for its requests.
    pub(super) const fn browser_and_tickets(&mut self) -> Option<(&mut Browser, &mut Tickets)> {
        let browser = match self.pane {
            Pane::Offers => &mut self.offers,
            Pane::Volumes => &mut self.volumes,
            Pane::Workergroups => &mut self.workergroups,
            Pane::Requests => return None,
        };
        Some((browser, &mut self.tickets))
    }

    /// The browser of a resource.
    pub const fn browser_of(&self, resource: Resource) -> &Browser {
        match resource {
            Resource::Offers => &self.offers,
            Resource::Volumes => &self.volumes,
            Resource::Workergroups => &self.workergroups,
        }
    }

    /// Where and when the person reads.
    pub fn local_time(&self, now: Now) -> LocalTime {
        LocalTime {
            zone: self.zone.clone(),
            now: now.epoch,
        }
    }

    pub(super) fn browsers_mut(&mut self) -> [&mut Browser; 3] {
        [&mut self.offers, &mut self.volumes, &mut self.workergroups]
    }

    pub(super) fn show(&mut self, toast: Toast) {
        self.toast = Some(toast);
    }
}
