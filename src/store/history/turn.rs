//! One poller for each watched request: which of several dashboards asks, and its newest response
//! for the others.

use rusqlite::{OptionalExtension as _, params};

use super::lease::{Holder, LONGEST};
use super::{Database, HistoryError};
use crate::domain::history::Moment;

/// The response of another dashboard.
#[derive(Debug, Clone, PartialEq)]
pub struct SharedResponse {
    /// When it was received, in seconds since 1970.
    pub at: f64,
    pub body: String,
}

impl Database {
    /// Takes or renews the turn to send `request` for three intervals of `every` seconds; false
    /// while another program has it, which then shares its responses. A program that asks less
    /// than half as often gives way.
    ///
    /// # Errors
    ///
    /// When the database cannot be written.
    pub fn take_turn(
        &mut self,
        request: &str,
        holder: &Holder,
        now: Moment,
        every: u32,
    ) -> Result<bool, HistoryError> {
        let until = now.0.saturating_add(3 * i64::from(every));
        let take = |connection: &rusqlite::Connection| {
            let taken = connection
                .prepare_cached(
                    "INSERT INTO turn (market, request, holder, until, every)
                     VALUES (?1, ?2, ?3, ?4, ?5)
                     ON CONFLICT (market, request)
                     DO UPDATE SET holder = ?3, until = ?4, every = ?5
                     WHERE holder = ?3 OR until <= ?6 OR until > ?7 OR every > 2 * ?5",
                )?
                .execute(params![
                    self.market,
                    request,
                    holder.0,
                    until,
                    every,
                    now.0,
                    now.0.saturating_add(LONGEST)
                ])?;
            if taken == 0 {
                connection
                    .prepare_cached(
                        "UPDATE turn SET wanted = ?3 WHERE market = ?1 AND request = ?2",
                    )?
                    .execute(params![self.market, request, until])?;
            }
            Ok(taken == 1)
        };
        take(&self.connection).map_err(|error| self.explained(&error))
    }

    /// Lets another program send `request` at once.
    ///
    /// # Errors
    ///
    /// When the database cannot be written; the turn then lapses.
    pub fn give_back_turn(&mut self, request: &str, holder: &Holder) -> Result<(), HistoryError> {
        self.connection
            .prepare_cached("DELETE FROM turn WHERE market = ?1 AND request = ?2 AND holder = ?3")
            .and_then(|mut delete| delete.execute(params![self.market, request, holder.0]))
            .map(drop)
            .map_err(|error| self.explained(&error))
    }

    /// Leaves a response for the others, if one of them wants it.
    ///
    /// # Errors
    ///
    /// When the database cannot be written.
    pub fn share(
        &mut self,
        request: &str,
        holder: &Holder,
        response: &SharedResponse,
    ) -> Result<(), HistoryError> {
        let now = Moment::of(response.at).0;
        self.connection
            .prepare_cached(
                "UPDATE turn SET at = ?5, body = iif(wanted > ?4, ?6, NULL)
                 WHERE market = ?1 AND request = ?2 AND holder = ?3
                 AND (wanted > ?4 OR body IS NOT NULL)",
            )
            .and_then(|mut share| {
                share.execute(params![
                    self.market,
                    request,
                    holder.0,
                    now,
                    response.at,
                    response.body
                ])
            })
            .map(drop)
            .map_err(|error| self.explained(&error))
    }

    /// The response that another program shared, if it is newer than the one received at `than`.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub fn shared(
        &self,
        request: &str,
        than: Option<f64>,
    ) -> Result<Option<SharedResponse>, HistoryError> {
        let newest = || {
            self.connection
                .prepare_cached(
                    "SELECT at, body FROM turn
                     WHERE market = ?1 AND request = ?2 AND body IS NOT NULL AND at > ?3",
                )?
                .query_row(
                    params![self.market, request, than.unwrap_or_default()],
                    |row| {
                        Ok(SharedResponse {
                            at: row.get(0)?,
                            body: row.get(1)?,
                        })
                    },
                )
                .optional()
        };
        newest().map_err(|error| self.explained(&error))
    }
}
