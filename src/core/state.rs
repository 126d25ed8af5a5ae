//! The state that views share: the market, its data and the user's settings.

use std::any::Any;
use std::ops::{Deref, DerefMut, Index, IndexMut};

use super::feature::{Feature, FeatureStates};
use super::markets::Markets;
use super::message::Toast;
use super::mutations::Mutations;
use super::owners::Owners;
use super::profile::Profile;
use super::watching::Watching;
use super::{drafts, sandbox, split, themes};
use crate::api::ApiError;
use crate::api::ledger::Ledger;
use crate::core::annotations::AnnotationState;
use crate::domain::local::LocalTime;
use crate::domain::saved::{DashboardState, Searches};
use crate::domain::time::{MonotonicTime, Now, UnixTime};
use crate::domain::{Condition, Dialect, Resource};
use crate::keys::pane::Pane;
use crate::keys::{Chord, Keymap};
use crate::settings::Values;
use crate::table::browser::Browser;
use crate::table::remote::Tickets;
use crate::table::watch;

/// The state that views share: the market, its data and the user's settings.
#[derive(Debug)]
pub struct State {
    pub profile: Profile,
    pub pane: Pane,
    /// The time of the latest message, for ages in the reasons of disabled actions.
    pub(crate) now: Now,
    /// The tables, one for each resource.
    pub browsers: Browsers,
    pub keymap: Keymap,
    /// Notices about the start of the program; shown until Esc.
    pub notices: Vec<String>,
    pub(crate) toast: Option<Toast>,
    pub screen: Screen,
    /// The error of the latest response that stops timers: the key was refused or the quota is used
    /// up.
    pub(super) hold: Option<ApiError>,
    /// The requests sent and their responses.
    pub ledger: Ledger,
    /// The writes, in flight and past.
    pub mutations: Mutations,
    pub searches: Searches,
    /// Stars, notes and bans of machines and hosts.
    pub annotations: AnnotationState,
    pub(crate) persistence: Persistence,
    pub sandbox: sandbox::SandboxNotes,
    /// The markets to connect to.
    pub markets: Markets,
    pub settings: Settings,
    pub drafts: drafts::Drafts,
    pub(crate) tickets: Tickets,
    pub(crate) owners: Owners,
    pub(crate) keyboard: Keyboard,
    /// The polled searches of tables and features.
    pub watching: Watching,
    pub(crate) features: &'static [Feature],
    pub(crate) feature_states: FeatureStates,
}

/// The terminal, and how the screen is divided.
#[derive(Debug)]
pub struct Screen {
    /// Columns and rows of the terminal.
    pub size: (u16, u16),
    /// Whether the terminal has the focus; true if it does not report it.
    pub is_focused: bool,
    /// The division of a wide screen between table and preview.
    pub split: split::Split,
}

impl Default for Screen {
    fn default() -> Self {
        Self {
            size: (80, 24),
            is_focused: true,
            split: split::Split::default(),
        }
    }
}

/// The user's configuration for all markets.
#[derive(Debug)]
pub struct Settings {
    /// The values of the configuration file.
    pub values: Values,
    /// The themes, and the current one.
    pub themes: themes::Themes,
    /// The user's time zone, in which times are shown.
    pub zone: jiff::tz::TimeZone,
    /// The request rate of watched searches.
    pub pace: watch::Pace,
    /// The notices about the configuration file.
    pub notices: Vec<String>,
    /// Whether this run may show recorded rows before a reply; false with `--no-recorded-rows` or
    /// `--freeze`.
    pub recorded_rows: bool,
}

impl Settings {
    /// Whether tables show recorded rows until the reply to their search arrives.
    pub const fn shows_recorded_rows(&self) -> bool {
        self.recorded_rows && self.values.recorded_rows
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            values: Values::default(),
            themes: themes::Themes::default(),
            zone: jiff::tz::TimeZone::UTC,
            pace: watch::Pace::default(),
            notices: Vec::new(),
            recorded_rows: false,
        }
    }
}

/// Which parts of the state are saved.
#[derive(Debug, Default)]
pub(crate) struct Persistence {
    /// Whether there are files to save to.
    pub(crate) is_on: bool,
    pub(crate) kept: Option<DashboardState>,
    /// The time at which to look for changes.
    pub(crate) due: Option<MonotonicTime>,
    /// Whether a failure to save was reported.
    pub(crate) is_reported: bool,
    /// Number of changes to the searches whose saving is not confirmed yet.
    pub(crate) pending: usize,
}

impl Persistence {
    /// The time at which to look for changes to save; `None` if there was no input since the last time.
    pub(crate) const fn deadline(&self) -> Option<MonotonicTime> {
        self.due
    }
}

/// The last key press. A second Ctrl-c quits, and a repeated key without an effect is reported
/// once.
#[derive(Debug, Default)]
pub(crate) struct Keyboard {
    last: Option<Chord>,
    is_repeat: bool,
}

impl Keyboard {
    /// Records a key press; returns whether it repeats the last one.
    pub(crate) fn pressed(&mut self, chord: Chord) -> bool {
        self.is_repeat = self.last.replace(chord) == Some(chord);
        self.is_repeat
    }

    /// Whether the last key press repeated the one before it.
    pub(crate) const fn is_repeat(&self) -> bool {
        self.is_repeat
    }
}

/// The tables, one for each resource.
#[derive(Debug)]
pub struct Browsers([Browser; 3]);

impl Browsers {
    /// The tables of all resources, empty, with the default search of each.
    fn new(dialect: &'static Dialect) -> Self {
        Self(Resource::ALL.map(|resource| Browser::new(resource, dialect)))
    }
}

impl Deref for Browsers {
    type Target = [Browser; 3];

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for Browsers {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
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

impl State {
    /// The initial state, without data; `conditions` replace the default ones of the first search of offers.
    pub(crate) fn new(profile: Profile, conditions: Option<Vec<Condition>>, features: &'static [Feature]) -> Self {
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
            now: Now::default(),
            browsers,
            keymap: Keymap::default(),
            notices: Vec::new(),
            toast: None,
            screen: Screen::default(),
            hold: None,
            ledger: Ledger::default(),
            mutations: Mutations::default(),
            searches: Searches::default(),
            annotations: AnnotationState::default(),
            persistence: Persistence::default(),
            sandbox: sandbox::SandboxNotes::default(),
            markets: Markets::default(),
            settings: Settings::default(),
            drafts: drafts::Drafts::default(),
            tickets: Tickets::default(),
            owners: Owners::default(),
            keyboard: Keyboard::default(),
            watching: Watching::default(),
            feature_states: FeatureStates::new(features, dialect),
            features,
        }
    }

    /// A number that changes with the rows, orders, prices or marks of any pane, to detect a change.
    pub(crate) fn revision(&self) -> u64 {
        let revisions = self.browsers.0.iter().map(Browser::revision);
        revisions.fold(0, u64::wrapping_add)
    }

    /// The table of the open pane; `None` on Requests, which has none.
    pub fn browser(&self) -> Option<&Browser> {
        Some(&self.browsers[self.pane.resource()?])
    }

    /// The table of the open pane, mutable; `None` on Requests, which has none.
    pub fn browser_mut(&mut self) -> Option<&mut Browser> {
        Some(&mut self.browsers[self.pane.resource()?])
    }

    /// The state of a feature, found by its type `T`; panics if no feature creates one.
    pub fn feature<T: Any>(&self) -> &T {
        self.feature_states.get()
    }

    /// The state of a feature, mutable, found by its type `T`; panics if no feature creates one. A feature
    /// gets its own from `Cx::feature`.
    pub fn feature_mut<T: Any>(&mut self) -> &mut T {
        self.feature_states.get_mut()
    }

    /// Updates from a response whether timers may send requests: a success releases them; a refused key or
    /// used-up quota holds them back; other errors and a missing permission change nothing.
    pub(crate) fn note_response<T>(&mut self, response: &Result<T, ApiError>) {
        match response {
            Ok(_) => self.hold = None,
            // A missing permission is about one operation only.
            Err(ApiError::NotPermitted { .. }) => {}
            Err(error) if error.stops_timers(UnixTime::default()) => self.hold = Some(error.clone()),
            Err(_) => {}
        }
    }

    /// The error that holds back timers at `now`, as they would meet it again; `None` if they may send.
    ///
    /// A request of the user is sent nevertheless.
    pub fn held(&self, now: Now) -> Option<&ApiError> {
        self.hold.as_ref().filter(|error| error.stops_timers(now.epoch))
    }

    /// The user's time zone and the current time.
    pub fn local_time(&self, now: Now) -> LocalTime {
        LocalTime {
            zone: self.settings.zone.clone(),
            now: now.epoch,
        }
    }

    /// The next step of an animation, `after` seconds from now; `None` while the terminal is
    /// unfocused.
    ///
    /// Never use it for deadlines that matter to the market.
    pub fn animation(&self, now: Now, after: f64) -> Option<MonotonicTime> {
        self.screen.is_focused.then_some(now.mono + after)
    }

    /// Shows a notice in place of the current one.
    pub(crate) fn show(&mut self, toast: Toast) {
        self.toast = Some(toast);
    }
}
