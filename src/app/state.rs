//! What the views share: the market, its data and the person's settings.

use std::ops::{Index, IndexMut};

use super::browser::Browser;
use super::groups::Groups;
use super::keymap::{Chord, Keymap};
use super::message::{Effect, Toast};
use super::mutations::Mutations;
use super::remote::{Now, Tickets};
use super::requests::Requests;
use super::routes::Routes;
use super::{Pane, Profile, drafts, markets, persistence, sandbox, split, themes};
use crate::api::ApiError;
use crate::api::ledger::Ledger;
use crate::domain::local::LocalTime;
use crate::domain::saved::Searches;
use crate::domain::{Condition, Dialect, Resource};

/// What the views share: the market, its data and the person's settings.
#[derive(Debug)]
pub struct State {
    pub profile: Profile,
    pub pane: Pane,
    /// The listings, one for each resource.
    pub browsers: Browsers,
    /// The keys of this person.
    pub keymap: Keymap,
    pub routes: Box<Routes>,
    /// What should be known about how the program started; shown until Esc.
    pub notices: Vec<String>,
    /// Those of the notices that the configuration file gave rise to.
    pub config_notices: Vec<String>,
    /// A notice that goes by itself.
    pub toast: Option<Toast>,
    /// Columns and rows of the terminal.
    pub size: (u16, u16),
    /// Whether the person is at this terminal, as far as it says.
    pub is_focused: bool,
    /// Why timers send nothing: the key was refused or the quota is used up, as the latest response
    /// said.
    pub hold: Option<ApiError>,
    /// What was sent and answered.
    pub ledger: Ledger,
    /// What the Requests pane has besides that.
    pub requests: Box<Requests>,
    /// What changes the market: under way and in the past.
    pub mutations: Mutations,
    pub searches: Searches,
    pub(super) persistence: persistence::Persistence,
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
    /// The themes, and the one that is shown.
    pub themes: themes::Themes,
    /// What closed views remember.
    pub drafts: drafts::Drafts,
    pub(crate) tickets: Tickets,
    pub(super) keyboard: Keyboard,
}

/// The last key press, on which the next one depends: a second Ctrl-c quits, and a key that does
/// nothing says so once.
#[derive(Debug, Default)]
pub(super) struct Keyboard {
    last: Option<Chord>,
    is_repeat: bool,
}

impl Keyboard {
    /// Notes a key press; whether the one before was the same.
    pub(super) fn pressed(&mut self, chord: Chord) -> bool {
        self.is_repeat = self.last.replace(chord) == Some(chord);
        self.is_repeat
    }

    /// Whether the last two presses were the same.
    pub(super) const fn is_repeat(&self) -> bool {
        self.is_repeat
    }
}

/// The listings that are browsed, one for each resource.
#[derive(Debug)]
pub struct Browsers([Browser; 3]);

impl Browsers {
    fn new(dialect: &'static Dialect) -> Self {
        Self(Resource::ALL.map(|resource| Browser::new(resource, dialect)))
    }

    pub fn iter(&self) -> std::slice::Iter<'_, Browser> {
        self.0.iter()
    }

    /// All of them, to be changed.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, Browser> {
        self.0.iter_mut()
    }
}

impl Index<Resource> for Browsers {
    type Output = Browser;

    fn index(&self, resource: Resource) -> &Browser {
        &self.0[resource as usize]
    }
}

impl IndexMut<Resource> for Browsers {
    fn index_mut(&mut self, resource: Resource) -> &mut Browser {
        &mut self.0[resource as usize]
    }
}

impl<'a> IntoIterator for &'a Browsers {
    type Item = &'a Browser;
    type IntoIter = std::slice::Iter<'a, Browser>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'a> IntoIterator for &'a mut Browsers {
    type Item = &'a mut Browser;
    type IntoIter = std::slice::IterMut<'a, Browser>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

impl State {
    /// The state at the start. `conditions` are those of the first search, if they are not the
    /// usual ones.
    pub(super) fn new(profile: Profile, conditions: Option<Vec<Condition>>) -> Self {
        let dialect = profile.dialect;
        let mut browsers = Browsers::new(dialect);
        if let Some(conditions) = conditions {
            let offers = &mut browsers[Resource::Offers];
            offers.query.conditions = conditions;
            offers.show_query_in_bar();
        }
        Self {
            profile,
            pane: Pane::Offers,
            browsers,
            keymap: Keymap::default(),
            routes: Box::default(),
            notices: Vec::new(),
            config_notices: Vec::new(),
            toast: None,
            size: (80, 24),
            is_focused: true,
            hold: None,
            ledger: Ledger::default(),
            requests: Box::default(),
            mutations: Mutations::default(),
            searches: Searches::default(),
            persistence: persistence::Persistence::default(),
            groups: Groups::new(dialect),
            sandbox: sandbox::SandboxNotes::default(),
            split: split::Split::default(),
            zone: jiff::tz::TimeZone::UTC,
            markets: markets::Markets::default(),
            themes: themes::Themes::default(),
            drafts: drafts::Drafts::default(),
            tickets: Tickets::default(),
            keyboard: Keyboard::default(),
        }
    }

    /// Changes whenever the rows of a pane, their order, prices or marks do.
    pub(super) fn revision(&self) -> u64 {
        let revisions = self.browsers.0.iter().map(Browser::revision);
        revisions.fold(0, u64::wrapping_add)
    }

    /// The browser of the open pane.
    pub fn browser(&self) -> Option<&Browser> {
        Some(&self.browsers[self.pane.resource()?])
    }

    /// The browser of the open pane, to be changed.
    pub fn browser_mut(&mut self) -> Option<&mut Browser> {
        Some(&mut self.browsers[self.pane.resource()?])
    }

    /// Requests the rows of the open pane again.
    pub(crate) fn refresh_pane(&mut self, now: Now) -> Vec<Effect> {
        let browser = self.browser_and_tickets();
        browser.map_or_else(Vec::new, |(browser, tickets)| browser.ask(tickets, now))
    }

    pub fn refresh(&mut self, resource: Resource, now: Now) -> Vec<Effect> {
        self.browsers[resource].ask(&mut self.tickets, now)
    }

    /// The browser of the open pane with the tickets for its requests.
    pub(super) fn browser_and_tickets(&mut self) -> Option<(&mut Browser, &mut Tickets)> {
        let resource = self.pane.resource()?;
        Some((&mut self.browsers[resource], &mut self.tickets))
    }

    /// Learns from a response whether timers may send requests.
    pub(super) fn note_response<T>(&mut self, response: &Result<T, ApiError>) {
        match response {
            Ok(_) => self.hold = None,
            // A missing permission is about one operation only.
            Err(ApiError::NotPermitted { .. }) => {}
            Err(error) if error.stops_timers(0.0) => self.hold = Some(error.clone()),
            Err(_) => {}
        }
    }

    /// Why a timer must not send a request now, if it must not: it would meet the same error. What a
    /// person asks for is sent.
    pub fn held(&self, now: Now) -> Option<&ApiError> {
        self.hold
            .as_ref()
            .filter(|error| error.stops_timers(now.epoch))
    }

    /// Where and when the person reads.
    pub fn local_time(&self, now: Now) -> LocalTime {
        LocalTime {
            zone: self.zone.clone(),
            now: now.epoch,
        }
    }

    /// The next moment of something that only moves on screen, `after` seconds from now; none while
    /// nobody looks. What is due for the market must not wait by this.
    pub fn animation(&self, now: Now, after: f64) -> Option<f64> {
        self.is_focused.then_some(now.mono + after)
    }

    pub(super) fn show(&mut self, toast: Toast) {
        self.toast = Some(toast);
    }
}
