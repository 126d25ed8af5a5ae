//! Starting the dashboard: terminal, panic hook, runtime, loop, in an order that leaves the
//! terminal sane whatever fails.

use std::io;
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;

use super::dashboard::Dashboard;
use super::panics;
use super::terminal::require_terminal;
use super::tty::Tty;
use super::writes::History;
use crate::api::session::Session;
use crate::app::markets::Luggage;
use crate::app::sandbox::{OwnListing, SandboxNotes};
use crate::app::themes::NamedTheme;
use crate::app::{Model, Profile};
use crate::cli::{CliError, Connection, Known, Market, Settings};
use crate::domain::Resource;
use crate::sandbox::Running;
use crate::store::{GroupsFile, Journal, PacingFile, Paths, Shelf};
use crate::widgets::appearance::Choice;
use crate::widgets::theme::Theme;

/// Connects as the settings say, shows the dashboard, and gives the exit status. What a person can
/// mend is said in one line.
///
/// # Errors
/// When the terminal cannot be taken or drawn on.
pub fn dashboard(settings: &Settings, markets: Known) -> color_eyre::Result<ExitCode> {
    if let Err(error) = require_terminal() {
        let advice = "the dashboard needs a terminal; in pipes use bourse offers (see --help)";
        return Ok(CliError::Usage(format!("{error}: {advice}")).report());
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let ended = runtime.block_on(connect_and_show(settings, markets));
    // Nobody waits for an answer that is still being read.
    runtime.shutdown_background();
    ended
}

async fn connect_and_show(settings: &Settings, markets: Known) -> color_eyre::Result<ExitCode> {
    let connection = match settings.connect().await {
        Ok(connection) => connection,
        Err(error) => return Ok(error.report()),
    };
    let profile = settings.speaker(&connection.session);
    let (files, mut luggage) = open(settings, &profile);
    luggage.sandbox = sandbox_notes(settings, &connection);
    let mut model = crate::views::dashboard(profile, settings.conditions.clone());
    model.unpack(luggage, settings.conditions.is_some());
    if let Some(limit) = settings.limit {
        model.browsers[Resource::Offers].query.limit = (limit > 0).then_some(limit);
    }
    model.zone = jiff::tz::TimeZone::system();
    let look = |light| settings.look.theme(light, |name| std::env::var(name).ok());
    let asks = settings
        .look
        .wants_background(|name| std::env::var(name).ok());
    let themes = Themes {
        unasked: look(None),
        asked: asks.then(|| [look(Some(false)), look(Some(true))]),
    };
    model.themes = theme_choices(settings);
    model.markets.roster = markets.roster();
    model.markets.invites = settings.is_sandbox() && is_first_run(settings);
    model.keymap = settings.keymap.clone().in_words(themes.unasked.ascii);
    let files = Files {
        sandbox: connection.sandbox,
        ..files
    };
    let shown = show(model, connection.session, files, markets, themes);
    let status = Box::pin(shown).await?;
    Ok(ExitCode::from(u8::try_from(status).unwrap_or(1)))
}

/// What the embedded sandbox says of itself, if that is the market.
pub(super) fn sandbox_notes(settings: &Settings, connection: &Connection) -> SandboxNotes {
    let (Market::Embedded(config), Some(sandbox)) = (&settings.market, &connection.sandbox) else {
        return SandboxNotes::default();
    };
    let listings = sandbox.own_listings().iter().map(|listing| OwnListing {
        id: listing.id,
        rented: listing.rented,
    });
    let unsaved = match &config.group_store {
        Some(_) => None,
        None if config.freeze => Some("--freeze starts every run with the same groups"),
        None => Some("there is no file to save it in"),
    };
    SandboxNotes {
        listings: listings.collect(),
        unsaved,
    }
}

/// The themes as this terminal shows them. The one that follows the background is not worked out
/// here: the terminal may still say what its background is.
fn theme_choices(settings: &Settings) -> crate::app::themes::Themes {
    let variable = |name: &str| std::env::var(name).ok();
    let all = settings.themes.iter().map(|(name, look, is_own)| {
        let follows = look.choice == Choice::Auto && settings.look.choice == Choice::Auto;
        NamedTheme {
            name: name.clone(),
            theme: (!follows || *is_own).then(|| look.theme(None, variable)),
            is_own: *is_own,
        }
    });
    crate::app::themes::Themes {
        all: all.collect(),
        chosen: settings.theme.clone(),
        shown: None,
    }
}

/// Whether nobody has configured anything yet.
fn is_first_run(settings: &Settings) -> bool {
    let file = settings.paths.as_ref().map(Paths::config_file);
    file.is_none_or(|file| !file.exists())
}

/// Opens the files of a profile; gives what they hold, too.
pub(super) fn open(settings: &Settings, profile: &Profile) -> (Files, Luggage) {
    let mut luggage = Luggage {
        notices: settings.notices.clone(),
        seed: fastrand::u64(..),
        ..Luggage::default()
    };
    let history = History::open(settings, profile);
    luggage.history = history.entries;
    luggage.history_note = history.note;
    let files = Files {
        shelf: bring_back(&mut luggage, settings, profile),
        journal: history.journal,
        groups: groups_seen(&mut luggage, settings, profile),
        pacing: settings.pacing_file(),
        sandbox: None,
    };
    (files, luggage)
}

/// Takes out what was kept for the profile; gives the files in which to keep more.
fn bring_back(luggage: &mut Luggage, settings: &Settings, profile: &Profile) -> Option<Shelf> {
    let Some(paths) = &settings.paths else {
        let notice = "There is no home folder: searches and settings last until you leave.";
        luggage.notices.push(notice.to_owned());
        return None;
    };
    let (shelf, kept) = Shelf::open(paths, &profile.name);
    luggage.notices.extend(kept.notices);
    luggage.kept = Some((kept.snapshot, kept.searches));
    Some(shelf)
}

/// Takes out what the profile saw of the workergroups last. The embedded sandbox is another market
/// in every run: there is nothing to compare with.
fn groups_seen(
    luggage: &mut Luggage,
    settings: &Settings,
    profile: &Profile,
) -> Option<GroupsFile> {
    let paths = settings.paths.as_ref().filter(|_| !settings.is_sandbox())?;
    let (file, last, notice) = GroupsFile::open(paths, &profile.name, &profile.base_url);
    luggage.groups = last;
    luggage.notices.extend(notice);
    Some(file)
}

/// What goes with a market besides its session: the files that the dashboard writes while it runs.
#[derive(Debug, Default)]
pub struct Files {
    /// The history of writes.
    pub journal: Option<Journal>,
    /// What was seen of the workergroups.
    pub groups: Option<GroupsFile>,
    /// The intervals that the market has taught.
    pub pacing: Option<PacingFile>,
    /// How the panes were left, and the saved searches.
    pub shelf: Option<Shelf>,
    /// The sandbox of this process, if that is the market.
    pub sandbox: Option<Running>,
}

/// The themes to draw with.
#[derive(Debug, Clone, Copy)]
pub struct Themes {
    /// While the terminal has not said what its background is.
    pub unasked: Theme,
    /// For a dark and a light background, if the terminal is to be asked.
    pub asked: Option<[Theme; 2]>,
}

/// Shows the dashboard until the person or a signal ends it; gives the exit status. To be called
/// inside a multi-threaded runtime, on its `block_on` thread: that is the thread that draws.
///
/// # Errors
/// When there is no terminal, or it cannot be drawn on and is not simply gone.
pub async fn show(
    model: Model,
    session: Session,
    files: Files,
    markets: Known,
    themes: Themes,
) -> io::Result<i32> {
    panics::install_panic_hook(thread::current().id());
    let mut surface = Tty::open(themes.asked.is_some())?;
    let theme = match themes.asked {
        Some(asked) => match surface.background().await {
            Some(is_light) => asked[usize::from(is_light)],
            None => themes.unasked,
        },
        None => themes.unasked,
    };
    let dashboard = Dashboard::new(model, surface, Arc::new(session), theme)
        .following(themes.asked)
        .with_journal(files.journal)
        .with_groups(files.groups)
        .with_pacing(files.pacing)
        .keeping(files.shelf)
        .among(markets, files.sandbox);
    match Box::pin(dashboard.run()).await {
        Err(error) if super::terminal::is_hang_up(&error) => Ok(super::terminal::HANG_UP_STATUS),
        ended => ended,
    }
}
