//! Which program rings when several see the same alert.

use rusqlite::params;

use super::{Database, HistoryError};
use crate::Moment;

// Each polls about once a minute.
/// Seconds after a ring in which no other program rings.
const RANG: i64 = 600;

// Without this a clock that was once years ahead would silence the alert for years.
/// A ring that is this far ahead was noted by a clock that was wrong, in seconds.
const AHEAD: i64 = 86_400;

/// A program that rings: its process and a random number, since process ids return.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramId(String);

impl ProgramId {
    pub fn of_process() -> Self {
        Self(format!("{}-{:016x}", std::process::id(), fastrand::u64(..)))
    }
}

impl Database {
    /// Claims the ring of an alert; false if another program has rung for it in the last ten minutes.
    ///
    /// # Errors
    ///
    /// When the database cannot be written.
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
