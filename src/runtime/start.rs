//! Starts the dashboard: terminal, panic hook, runtime, event loop.
//!
//! Their order restores the terminal after any failure.

use std::process::ExitCode;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use jiff::tz::TimeZone;

use super::clock::Clock;
use super::dashboard::Dashboard;
use super::panics;
use super::terminal::{self, HANG_UP_STATUS, require_terminal};
use super::tty::Tty;
use super::writes::OpenedJournal;
use crate::core::sandbox::{SandboxNotes, UserListing};
use crate::core::themes::NamedTheme;
use crate::core::{Model, Profile};
use crate::domain::Resource;
use crate::features::DOCUMENTS;
use crate::features::markets::RestoredState;
use crate::features::markets::command::{ProfileResolver, profile_of};
use crate::process;
use crate::record::store::HistoryLocation;
use crate::sandbox::Running;
use crate::settings::flags::variable;
use crate::settings::{Connection, Error, Market, Preferences, Settings};
use crate::store::{Journal, PacingFile, Paths, StateStore};
use crate::tui::appearance::{Choice, ThemeConfig};
use crate::tui::theme::Theme;

/// Connects and shows the dashboard; returns the exit status, or an error that the user can fix.
///
/// # Errors
///
/// When the terminal cannot be taken or drawn on.
pub fn dashboard(settings: &Settings, markets: ProfileResolver) -> color_eyre::Result<Result<ExitCode, Error>> {
    if let Err(error) = require_terminal() {
        let advice = "the dashboard needs a terminal; in pipes use bourse offers (see --help)";
        return Ok(Err(Error::Usage(format!("{error}: {advice}"))));
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        // Each thread that reads or arranges responses caches memory: new threads for each response would not give
        // back the memory of the old ones.
        .max_blocking_threads(4)
        .thread_keep_alive(Duration::from_hours(24))
        .enable_all()
        .build()?;
    let ended = runtime.block_on(connect_and_show(settings, markets));
    process::end_all();
    // A response that is still being read is no longer needed.
    runtime.shutdown_background();
    ended
}

/// Connects and runs the dashboard on this thread; returns the exit status, or an error that the user can
/// fix.
async fn connect_and_show(
    settings: &Settings,
    markets: ProfileResolver,
) -> color_eyre::Result<Result<ExitCode, Error>> {
    let connection = match settings.connect().await {
        Ok(connection) => connection,
        Err(error) => return Ok(Err(error)),
    };
    let profile = profile_of(settings, &connection.session);
    let (mut files, mut restored) = open(settings, &profile);
    restored.sandbox = sandbox_notes(settings, &connection);
    files.sandbox = connection.sandbox;
    let preferences = &settings.preferences;
    let themes = Themes::from_config(&preferences.look);
    let mut model = model(settings, profile, restored);
    model.keymap = preferences.keymap.clone().in_words(themes.unasked.ascii);
    model.markets.market_list = markets.market_list();
    panics::install_panic_hook(thread::current().id());
    let surface = Tty::open(themes.asked.is_some(), preferences.config.values.mouse)?;
    let session = Arc::new(connection.session);
    let dashboard = Dashboard::new(model, surface, session, themes.unasked)
        .with_background_themes(themes.asked)
        .with_markets(markets, files);
    let status = match Box::pin(dashboard.run()).await {
        Err(error) if terminal::is_hang_up(&error) => HANG_UP_STATUS,
        ended => ended?,
    };
    Ok(Ok(ExitCode::from(u8::try_from(status).unwrap_or(1))))
}

/// The initial state of the dashboard, from the settings and the state of the last run.
fn model(settings: &Settings, profile: Profile, restored: RestoredState) -> Model {
    let mut model = crate::features::dashboard(profile, settings.conditions.clone());
    model.settings.zone = TimeZone::system();
    model.unpack(restored, settings.conditions.is_some());
    let values = &settings.preferences.config.values;
    model.set_throughput(values.throughput.clone());
    model.settings.pace.configure(values.watch());
    model.settings.values.clone_from(values);
    model.settings.recorded_rows = settings.recorded_rows;
    let local = model.local_time(Clock::start().now());
    model.browsers[Resource::Offers].take_settings(&settings.words, &local);
    if let Some(limit) = settings.limit {
        model.browsers[Resource::Offers].query.limit = (limit > 0).then_some(limit);
    }
    model.settings.themes = theme_choices(&settings.preferences, None);
    model.markets.invites = settings.is_sandbox() && is_first_run(settings);
    model.settings.notices.clone_from(&settings.notices);
    model
}

/// The user's listings in the embedded sandbox, and the reason if its groups are not saved; empty for any
/// other market.
pub(super) fn sandbox_notes(settings: &Settings, connection: &Connection) -> SandboxNotes {
    let (Market::Embedded(config), Some(sandbox)) = (&settings.market, &connection.sandbox) else {
        return SandboxNotes::default();
    };
    let listings = sandbox.user_listings().iter().map(|listing| UserListing {
        id: listing.id,
        rented: listing.rented,
    });
    let unsaved = match &config.group_store {
        Some(_) => None,
        None if config.freeze => Some("--freeze starts every run with the same groups"),
        None => Some("there is no file to save to"),
    };
    SandboxNotes {
        simulating: None,
        listings: listings.collect(),
        unsaved,
    }
}

/// The themes as this terminal shows them; `light` is its reported background, `None` if unknown.
///
/// A built-in theme that follows the background is unresolved while the configured look follows it too, as
/// the terminal may still report its background.
pub(super) fn theme_choices(preferences: &Preferences, light: Option<bool>) -> crate::core::themes::Themes {
    let all = preferences.themes.iter().map(|(name, look, is_users)| {
        let follows = look.choice == Choice::Auto && preferences.look.choice == Choice::Auto;
        NamedTheme {
            name: name.clone(),
            theme: (!follows || *is_users).then(|| look.theme(light, variable)),
            is_users: *is_users,
        }
    });
    crate::core::themes::Themes {
        all: all.collect(),
        chosen: preferences.config.values.theme.name().to_owned(),
        shown: None,
    }
}

/// Whether there is no configuration file yet; true without a home folder.
fn is_first_run(settings: &Settings) -> bool {
    let file = settings.paths.as_ref().map(Paths::config_file);
    file.is_none_or(|file| !file.exists())
}

/// Opens the files of a profile and reads the saved state; problems become notices. The files have no
/// sandbox.
pub(super) fn open(settings: &Settings, profile: &Profile) -> (Files, RestoredState) {
    let mut restored = RestoredState {
        notices: settings.notices.clone(),
        seed: fastrand::u64(..),
        ..RestoredState::default()
    };
    let opened = OpenedJournal::open(settings, profile);
    restored.history = opened.entries;
    restored.history_note = opened.note.filter(|_| opened.damage.is_empty());
    restored.damage = opened.damage;
    let files = Files {
        state_store: bring_back(&mut restored, settings, profile),
        journal: opened.journal,
        pacing: settings.pacing_file(),
        history: Some(settings.history_location()),
        sandbox: None,
    };
    (files, restored)
}

/// Reads the profile's saved documents into `restored`; returns the store to save to. Without a home folder
/// reads nothing, adds a notice and returns `None`.
fn bring_back(restored: &mut RestoredState, settings: &Settings, profile: &Profile) -> Option<StateStore> {
    let Some(paths) = &settings.paths else {
        let notice = "No home directory: searches and settings are kept until you quit.";
        restored.notices.push(notice.to_owned());
        return None;
    };
    let state_store = StateStore::new(paths, &profile.name);
    let notices = &mut restored.notices;
    let documents = DOCUMENTS.iter().filter_map(|kind| (kind.read)(&state_store, notices));
    restored.documents = Some(documents.collect());
    Some(state_store)
}

/// The files of a market, which the dashboard writes to.
#[derive(Debug, Default)]
pub struct Files {
    pub journal: Journal,
    /// The intervals learned from refusals.
    pub pacing: Option<PacingFile>,
    /// The location of the record.
    pub history: Option<HistoryLocation>,
    /// The documents of the user.
    pub state_store: Option<StateStore>,
    /// The embedded sandbox, if it is the market; it stops with the dashboard or on a switch.
    pub sandbox: Option<Running>,
}

/// The themes for drawing, by background.
#[derive(Debug, Clone, Copy)]
pub struct Themes {
    /// The theme until the terminal reports its background.
    pub unasked: Theme,
    /// The themes for a dark and a light background, if the terminal is queried.
    pub asked: Option<[Theme; 2]>,
}

impl Themes {
    /// The themes of a configured look, as the environment allows: by background only if the look follows the
    /// terminal's.
    pub(super) fn from_config(look: &ThemeConfig) -> Self {
        let theme = |is_light| look.theme(is_light, variable);
        let asks = look.wants_background(variable);
        Self {
            unasked: theme(None),
            asked: asks.then(|| [theme(Some(false)), theme(Some(true))]),
        }
    }
}
