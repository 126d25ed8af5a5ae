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
use crate::api::pacing::Pacer;
use crate::api::session::Session;
use crate::app::{Model, Profile};
use crate::cli::{CliError, Settings};
use crate::domain::journal::{self, Entry};
use crate::store::{GroupsFile, Journal, Paths, Shelf};
use crate::ui::theme::Theme;

/// Connects as the settings say, shows the dashboard, and gives the exit status. What a person can
/// mend is said in one line.
///
/// # Errors
/// When the terminal cannot be taken or drawn on.
pub fn dashboard(settings: &Settings) -> color_eyre::Result<ExitCode> {
    if let Err(error) = require_terminal() {
        let advice = "the dashboard needs a terminal; in pipes use bourse offers (see --help)";
        return Ok(CliError::Usage(format!("{error}: {advice}")).report());
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let ended = runtime.block_on(connect_and_show(settings));
    // Nobody waits for an answer that is still being read.
    runtime.shutdown_background();
    ended
}

async fn connect_and_show(settings: &Settings) -> color_eyre::Result<ExitCode> {
    let connection = match settings.connect(Pacer::default()).await {
        Ok(connection) => connection,
        Err(error) => return Ok(error.report()),
    };
    let client = connection.session.client();
    let profile = Profile {
        name: settings.profile.clone(),
        is_sandbox: settings.is_sandbox(),
        read_only: settings.read_only,
        dialect: settings.dialect,
        base_url: client.config().management.to_string(),
        route_url: client.config().route.to_string(),
        has_key: client.config().key.is_some(),
    };
    let mut model = Model::new(profile, settings.conditions.clone());
    model.route_lab.seed(fastrand::u64(..));
    model.notices.clone_from(&settings.notices);
    let shelf = bring_back(&mut model, settings);
    model.zone = jiff::tz::TimeZone::system();
    let look = |light| settings.look.theme(light, |name| std::env::var(name).ok());
    let asks = settings
        .look
        .wants_background(|name| std::env::var(name).ok());
    let themes = Themes {
        unasked: look(None),
        asked: asks.then(|| [look(Some(false)), look(Some(true))]),
    };
    model.keymap = settings.keymap.clone().in_words(themes.unasked.ascii);
    let files = Files {
        journal: history(&mut model, settings),
        groups: groups_seen(&mut model, settings),
        shelf,
    };
    let shown = show(model, connection.session.clone(), files, themes);
    let status = Box::pin(shown).await?;
    Ok(ExitCode::from(u8::try_from(status).unwrap_or(1)))
}

/// Opens the journal of writes and gives the model those of its profile. What stands in the way is
/// said in the dialogs of writes.
fn history(model: &mut Model, settings: &Settings) -> Option<Journal> {
    let unkept = |why: String| Some(format!("The history is kept for this run only: {why}"));
    let Some(path) = settings.paths.as_ref().map(Paths::journal_file) else {
        model.writes.note = unkept("there is no home folder".to_owned());
        return None;
    };
    let opened = Journal::open(&path).and_then(|journal| Ok((journal.read()?, journal)));
    let (kept, journal) = match opened {
        Ok(opened) => opened,
        Err(error) => {
            model.writes.note = unkept(format!("{}: {error}", path.display()));
            return None;
        }
    };
    if kept.unreadable > 0 {
        model.writes.note = Some(format!(
            "{} lines of {} cannot be read: writes may be missing here.",
            kept.unreadable,
            path.display()
        ));
    }
    let profile = &model.profile;
    let is_own = |entry: &Entry| {
        // The embedded sandbox listens at another address in every run.
        entry.intent.profile == profile.name
            && (profile.is_sandbox || entry.intent.address == profile.base_url)
    };
    let entries = journal::entries(kept.lines).into_iter().filter(is_own);
    model.writes.history = entries.collect();
    Some(journal)
}

/// Gives the model what was kept for the profile; gives the files in which to keep more.
fn bring_back(model: &mut Model, settings: &Settings) -> Option<Shelf> {
    let Some(paths) = &settings.paths else {
        let notice = "There is no home folder: searches and settings last until you leave.";
        model.notices.push(notice.to_owned());
        return None;
    };
    let (shelf, kept) = Shelf::open(paths, &model.profile.name);
    model.notices.extend(kept.notices);
    let given = settings.conditions.is_some();
    model.restore(kept.snapshot.as_ref(), kept.searches, given);
    Some(shelf)
}

/// What the profile saw of the workergroups last goes to the model. The embedded sandbox is another
/// market in every run: there is nothing to compare with.
fn groups_seen(model: &mut Model, settings: &Settings) -> Option<GroupsFile> {
    let paths = settings.paths.as_ref().filter(|_| !settings.is_sandbox())?;
    let profile = &model.profile;
    let (file, last, notice) = GroupsFile::open(paths, &profile.name, &profile.base_url);
    model.groups.drift.resume(last);
    model.notices.extend(notice);
    Some(file)
}

/// The files that the dashboard writes while it runs.
#[derive(Debug, Default)]
pub struct Files {
    /// The history of writes.
    pub journal: Option<Journal>,
    /// What was seen of the workergroups.
    pub groups: Option<GroupsFile>,
    /// How the panes were left, and the saved searches.
    pub shelf: Option<Shelf>,
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
pub async fn show(model: Model, session: Session, files: Files, themes: Themes) -> io::Result<i32> {
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
        .keeping(files.shelf);
    match Box::pin(dashboard.run()).await {
        Err(error) if super::terminal::is_hang_up(&error) => Ok(super::terminal::HANG_UP_STATUS),
        ended => ended,
    }
}
