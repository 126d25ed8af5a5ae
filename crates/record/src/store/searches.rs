//! The recorded searches, and the times they were sent.

use std::collections::HashSet;

use bourse_domain::dialect::TransferUnit;
use bourse_domain::query::DEFAULT_STORAGE_GB;
use bourse_domain::{OfferType, Query, Resource};
use rusqlite::{Connection, params};

use super::{Database, HistoryError, codes, line_rows};
use crate::implication::includes_storage;
use crate::{Moment, Scope, SearchKey, normalised};

impl Database {
    /// The times a search was first and last sent, by the current clock, whatever its storage, bundling and
    /// exclusions were and whether or not it was answered; `None` if it never was.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub fn sent(&self, query: &Query) -> Result<Option<(Moment, Moment)>, HistoryError> {
        let scope = Scope::new(query, self.dialect, []);
        let sent = self.connection.prepare_cached(
            "SELECT min(at - ahead), max(at - ahead) FROM response JOIN scope ON scope.id = scope
             WHERE market = (SELECT id FROM market WHERE name = ?1) AND resource = ?2 AND offer_type = ?3
             AND conditions = ?4",
        );
        let of_search = params![
            self.market,
            codes::resource(scope.resource),
            codes::offer_type(scope.offer_type),
            scope.conditions_text()
        ];
        let sent: rusqlite::Result<(Option<i64>, Option<i64>)> =
            sent.and_then(|mut sent| sent.query_row(of_search, |row| Ok((row.get(0)?, row.get(1)?))));
        let (first, last) = sent.map_err(|error| self.explained(&error))?;
        Ok(first.map(Moment).zip(last.map(Moment)))
    }

    /// The searches of a market without duplicates, for each resource and price type: those of its scopes,
    /// bundled ones first, then those that only version 0.1 recorded.
    ///
    /// Conditions that markets add to a search by themselves are not included. Storage counts only for a
    /// search with a bound on a price that includes it.
    pub(super) fn searches(&self, market: &str) -> rusqlite::Result<Vec<Query>> {
        // One moment of the file, although other programs write to it.
        let transaction = self.connection.unchecked_transaction()?;
        let number = line_rows::market(&transaction, market)?;
        let mut known = HashSet::new();
        let mut searches = Vec::new();
        for resource in [Resource::Offers, Resource::Volumes] {
            for offer_type in OfferType::ALL {
                let kind = (resource, offer_type);
                let mut scopes: Vec<Scope> = match number {
                    Some(number) => line_rows::scopes(&transaction, number, kind)?
                        .into_iter()
                        .map(|known| known.scope)
                        .collect(),
                    None => Vec::new(),
                };
                scopes.sort_by_key(|scope| !scope.is_bundled);
                scopes.extend(old_searches(&transaction, market, kind, self.dialect.transfer)?);
                for scope in scopes {
                    // Storage is part of a search only if it has a bound on a price that includes it.
                    let mut fields = scope.conditions.iter().map(|condition| condition.field);
                    let storage = fields.any(includes_storage).then_some(scope.storage.to_bits());
                    let query = scope.query(self.dialect.transfer);
                    if known.insert((SearchKey::new(&query), storage)) {
                        searches.push(query);
                    }
                }
            }
        }
        Ok(searches)
    }
}

/// The searches of a market by version 0.1, as scopes with the default storage; those that can no longer be
/// parsed are left out.
fn old_searches(
    connection: &Connection,
    market: &str,
    (resource, offer_type): (Resource, OfferType),
    transfer: TransferUnit,
) -> rusqlite::Result<Vec<Scope>> {
    let conditions: Vec<String> = connection
        .prepare_cached(
            "SELECT conditions FROM search WHERE market = ?1 AND resource = ?2 AND offer_type = ?3 ORDER BY id",
        )?
        .query_map(
            params![market, codes::resource(resource), codes::offer_type(offer_type)],
            |row| row.get(0),
        )?
        .collect::<rusqlite::Result<_>>()?;
    let scopes = conditions.iter().filter_map(|conditions| {
        let bare = Scope {
            resource,
            offer_type,
            storage: DEFAULT_STORAGE_GB,
            is_bundled: true,
            conditions: Vec::new(),
            excluded: Vec::new(),
        };
        // A search that can no longer be parsed is not evidence.
        let scope = bare.with_parsed(conditions, "")?;
        let normal = scope.conditions.iter().map(|condition| normalised(condition, transfer));
        Some(Scope {
            conditions: normal.collect(),
            ..scope
        })
    });
    Ok(scopes.collect())
}
