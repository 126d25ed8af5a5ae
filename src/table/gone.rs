//! The rows that a watched search has lost: the time each was first missed, and its last price.

use std::cmp::Reverse;
use std::collections::VecDeque;

use crate::domain::time::{Now, UnixTime};
use crate::domain::{Field, Listing, RowId};
use crate::record::Lot;
use crate::record::differences::{differences, lot_of};

// Maximum number of stored departures: more than any screen lists.
const MOST: usize = 500;

/// A row of the previous response that the newest one lacks.
#[derive(Debug)]
struct Departure {
    id: RowId,
    lot: Option<Lot>,
    at: UnixTime,
    price: Option<f64>,
}

/// The newest departures since auto-refresh was turned on, latest first.
#[derive(Debug, Default)]
pub(crate) struct Departures(VecDeque<Departure>);

/// A row of the baseline that is gone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GoneRow {
    /// Its row number in the baseline.
    pub row: u32,
    /// The time it was first missed; `None` if that departure is no longer
    /// stored.
    pub at: Option<UnixTime>,
    /// Its last price, in the unit of the compared column.
    pub price: Option<f64>,
}

impl Departures {
    /// Records the rows of the response `before` that have left `listing`, received `now`, with their last
    /// `price`; a row under another id has not left while its machine still offers the GPU model. Only the
    /// newest 500 departures stay.
    pub fn note(&mut self, before: &Listing, listing: &Listing, price: &Field, now: Now) {
        for row in differences(before, listing, price).left {
            let Some(id) = before.id(row as usize) else {
                continue;
            };
            self.0.push_front(Departure {
                id,
                lot: lot_of(before, row),
                at: now.epoch,
                price: before.cell(row as usize, price).number(),
            });
        }
        self.0.truncate(MOST);
    }

    /// The rows with the numbers `gone` in the baseline, with the time of their departure and their last
    /// price, or the baseline's if that is not stored; the latest departure first, unknown times last.
    ///
    /// A row whose id changed in between departed with its machine.
    pub fn gone_rows(&self, baseline: &Listing, gone: &[u32], price: &Field) -> Vec<GoneRow> {
        let departure_of = |row: u32| {
            let id = baseline.id(row as usize);
            let departure = self.0.iter().find(|departure| Some(departure.id) == id);
            let lot = || lot_of(baseline, row);
            departure.or_else(|| {
                let lot = lot()?;
                self.0.iter().find(|departure| departure.lot.as_ref() == Some(&lot))
            })
        };
        let rows = gone.iter().map(|row| {
            let departure = departure_of(*row);
            let price = || baseline.cell(*row as usize, price).number();
            GoneRow {
                row: *row,
                at: departure.map(|departure| departure.at),
                price: departure.and_then(|departure| departure.price).or_else(price),
            }
        });
        let mut rows: Vec<GoneRow> = rows.collect();
        let at = |row: &GoneRow| row.at.unwrap_or_default();
        rows.sort_by_key(|row| Reverse(at(row)));
        rows
    }

    /// Removes all departures stored so far.
    pub fn forget(&mut self) {
        self.0.clear();
    }
}
