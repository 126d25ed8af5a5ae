//! A response as an excerpt of one poll.

use bourse_domain::format::nominal_gb;
use bourse_domain::value::CellRef;
use bourse_domain::{Listing, Query};

use crate::like::has_another;
use crate::question::model_of;
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

/// The present of the offers that a query finds.
#[derive(Debug, Clone, Default)]
pub struct Present {
    /// The excerpt of the latest response.
    pub excerpt: Excerpt,
    /// The memory of each card in GB, if the query finds one size of it and the response has cards of the same model
    /// with others; else `None`.
    pub card_gb: Option<f64>,
}

impl Present {
    /// The present in a response, see [`Excerpt::of_response`].
    pub fn of_response(listing: &Listing, query: &Query, is_complete: bool) -> Self {
        Self {
            excerpt: Excerpt::of_response(listing, query, is_complete),
            card_gb: distinct_card(listing, query),
        }
    }
}

/// The memory of the cards in GB whose sizes the conditions of `query` on the memory accept, if it is one size and
/// the listing has others of the query's model; else `None`.
fn distinct_card(listing: &Listing, query: &Query) -> Option<f64> {
    let model = model_of(query)?;
    let (name, memory) = (query.catalog().by_key("gpu_name")?, query.catalog().by_key("gpu_ram")?);
    let of_model = (0..listing.len()).filter(|row| listing.cell(*row, name).text() == Some(model));
    let sizes: Vec<_> = of_model.map(|row| listing.cell(row, memory)).collect();
    let conditions: Vec<_> = query
        .active()
        .filter(|condition| condition.field.key == "gpu_ram")
        .collect();
    let is_found = |size: &CellRef<'_>| conditions.iter().all(|condition| condition.accepts(*size));
    let gb = |size: &CellRef<'_>| size.number().map_or(0.0, nominal_gb);
    let found = gb(sizes.iter().find(|size| is_found(size))?);
    let is_one = !has_another(found, sizes.iter().filter(|size| is_found(size)).map(gb));
    (is_one && has_another(found, sizes.iter().map(gb))).then_some(found)
}
