//! Reading the recorded market in commands.

use std::io::{self, IsTerminal as _};
use std::sync::atomic::AtomicBool;

use super::output::{self, CliError, ProgressLine};
use super::wanted::Wanted;
use crate::api::client::current_time;
use crate::record::Moment;
use crate::record::store::{Database, HistoryError};
use crate::settings::Settings;

/// Opens the record of the market's prices.
///
/// That of the embedded sandbox is filled with its past first, with the progress on stderr. The past is
/// recorded whole or not at all, so the command may be ended meanwhile.
///
/// # Errors
///
/// When it cannot be opened, read or written.
pub fn open(settings: &Settings) -> Result<Database, HistoryError> {
    let mut database = settings.history_location().open()?;
    if let Some(past) = settings.sandbox_past() {
        let what = format!("simulating {} days of prices for the sandbox", past.days);
        let mut line = ProgressLine::new();
        past.ensure(&mut database, &AtomicBool::new(false), |percent| {
            if io::stderr().is_terminal() {
                line.show(&format!("{what}: {percent} %"));
            } else if percent == 0 {
                output::note(&what);
            }
        })?;
    }
    Ok(database)
}

/// The member `simulated` of a document about recorded prices: `true` in the sandbox, else `None`, which is
/// no member.
pub fn simulated(settings: &Settings) -> Option<bool> {
    settings.is_sandbox().then_some(true)
}

/// The record of prices without the machines and hosts that the user banned (with them under `--no-bans`),
/// and the end of the time to ask it about: one second from now.
///
/// This second counts: a search may just have been recorded.
pub fn without_banned(settings: &Settings, wanted: &Wanted) -> Result<(Database, Moment), CliError> {
    let database = open(settings)?.leaving_out(wanted.bans(settings).banned());
    Ok((database, Moment(current_time().moment().0 + 1)))
}
