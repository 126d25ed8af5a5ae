//! Decides which program notifies when several see the same alert.

use rusqlite::params;

use super::{Database, HistoryError};
use crate::Moment;

/// Seconds after a notification in which no other program notifies.
///
/// Each polls about once a minute.
const RANG: i64 = 600;

/// Seconds beyond which a notification in the future counts as stored by a wrong clock.
///
/// Without this a clock that was once years ahead would silence the alert for years.
const AHEAD: i64 = 86_400;

/// A program that may notify: its process and a random number, since process ids are reused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramId(String);

impl ProgramId {
    /// A new id for this process, different with each call.
    pub fn of_process() -> Self {
        Self(format!("{}-{:016x}", std::process::id(), fastrand::u64(..)))
    }
}

impl Database {
    /// Claims the notification of an alert for a program; false if another program has notified in the last
    /// ten minutes, or at a time up to a day in the future. The program that notified last may do so again.
    ///
    /// # Errors
    /// If the database cannot be written.
    pub fn claim_ring(&mut self, alert: &str, program: &ProgramId, now: Moment) -> Result<bool, HistoryError> {
        let (rang, latest) = (now.0.saturating_sub(RANG), now.0.saturating_add(AHEAD));
        self.connection
            .prepare_cached(
                "INSERT INTO ring (alert, holder, at) VALUES (?1, ?2, ?3)
                 ON CONFLICT (alert) DO UPDATE SET holder = ?2, at = ?3
                 WHERE holder = ?2 OR at <= ?4 OR at > ?5",
            )
            .and_then(|mut claim| claim.execute(params![alert, program.0, now.0, rang, latest]))
            .map(|claimed| claimed == 1)
            .map_err(|error| self.explained(&error))
    }
}
