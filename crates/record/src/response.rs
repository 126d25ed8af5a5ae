//! A response as an excerpt of one poll.

use bourse_domain::{Listing, Query};

use crate::{Beginning, Excerpt, PollOutcome, PollRow, Sighting, Spell, poll};

impl Excerpt {
    /// The excerpt of a single response: one poll at the time it was read, and one spell for each lot on
    /// offer in the rows that break no active condition of `query`, `Found` then and still on offer.
    /// `is_complete` is whether the market has no other rows; else the poll is truncated.
    pub fn of_response(listing: &Listing, query: &Query, is_complete: bool) -> Self {
        let at = listing.read_at().moment();
        let meets = |row: &u32| {
            let mut conditions = query.active();
            conditions.all(|condition| !condition.is_broken_by(listing.cell(*row as usize, condition.field)))
        };
        let rows = 0..u32::try_from(listing.len()).unwrap_or(u32::MAX);
        let rows: Vec<u32> = rows.filter(meets).collect();
        let poll = PollRow {
            at,
            took: 0,
            outcome: if is_complete {
                PollOutcome::Complete
            } else {
                PollOutcome::Truncated
            },
            rows: u32::try_from(rows.len()).unwrap_or(u32::MAX),
            has_lowest: is_complete,
            interval: None,
            bans: 0,
        };
        let spell = |seen: Sighting| Spell {
            lot: seen.lot,
            host: seen.host,
            country: seen.country,
            amount: seen.amount,
            price: seen.price,
            offer: seen.offer,
            quotes: seen.quotes,
            beginning: Beginning::Found,
            first: at,
            last: at,
            end: None,
        };
        let sightings = poll::sightings(listing, query, &rows);
        Self {
            polls: vec![poll],
            spells: sightings.into_iter().map(spell).collect(),
            unknown: 0,
        }
    }
}
