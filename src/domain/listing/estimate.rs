//! The prices of a listing at another storage size than its answer was priced for: a few columns
//! laid over those that came. No row is copied; a column is worked out when it is first asked for.
//!
//! `dph_total = dph_base + storage_cost x GB / 720`, and everything that contains the storage or
//! is divided by the total moves with it.

use std::sync::OnceLock;

use super::{Builder, CellRef, Column, Listing, Loose};
use crate::domain::cost::storage_per_hour;

/// How a price moves with the storage. Names are those of the record's members.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Move {
    /// It is the price of the storage alone.
    Storage,
    /// It is the GPUs and the storage.
    Total,
    /// It contains the storage that `storage_total_cost` tells.
    Contains,
    /// It contains the storage that another member tells.
    ContainsOf(&'static str),
    /// It is a quantity per $/h of the total.
    Per(&'static str),
}

/// The fields that move.
const MOVES: [(&str, Move); 12] = [
    ("dph_total", Move::Total),
    ("storage_total_cost", Move::Storage),
    ("dph_total_adj", Move::Contains),
    ("discounted_dph_total", Move::Contains),
    ("dlperf_per_dphtotal", Move::Per("dlperf")),
    ("flops_per_dphtotal", Move::Per("total_flops")),
    ("search.diskHour", Move::Storage),
    ("search.totalHour", Move::ContainsOf("search.diskHour")),
    (
        "search.discountedTotalPerHour",
        Move::ContainsOf("search.diskHour"),
    ),
    ("instance.diskHour", Move::Storage),
    ("instance.totalHour", Move::ContainsOf("instance.diskHour")),
    (
        "instance.discountedTotalPerHour",
        Move::ContainsOf("instance.diskHour"),
    ),
];

/// Columns of other prices, worked out on first use.
#[derive(Debug)]
pub(super) struct Estimate {
    gb: f64,
    columns: [OnceLock<Column>; MOVES.len()],
}

impl Estimate {
    pub(super) fn new(gb: f64) -> Self {
        Self {
            gb,
            columns: std::array::from_fn(|_| OnceLock::new()),
        }
    }

    /// The storage size in GB.
    pub(super) const fn gb(&self) -> f64 {
        self.gb
    }

    /// Whether a field's cells are worked out here.
    pub(super) fn moves(key: &str) -> bool {
        MOVES.iter().any(|(known, _)| *known == key)
    }

    /// The column of a field, if it moves.
    pub(super) fn column(&self, listing: &Listing, key: &str) -> Option<&Column> {
        let place = MOVES.iter().position(|(known, _)| *known == key)?;
        Some(self.columns[place].get_or_init(|| {
            let needed = needed(MOVES[place].1).into_iter().chain([key]);
            listing.prepare(needed.filter_map(|key| listing.catalog().by_key(key)));
            let mut builder = Builder::default();
            for row in 0..listing.len() {
                let sent = |key: &str| sent(listing, row, key);
                builder.push(self.cell(key, &sent).unwrap_or_else(|| {
                    // Nothing moves where nothing was sent: a hole stays the hole it is.
                    hole(sent(key))
                }));
            }
            builder.column
        }))
    }

    /// The cell of one record, whose own cells are `sent`; `None` where the record has no number
    /// that could move.
    pub(super) fn cell<'a>(
        &self,
        key: &str,
        sent: &dyn Fn(&str) -> CellRef<'a>,
    ) -> Option<Loose<'a>> {
        let (_, how) = MOVES.iter().find(|(known, _)| *known == key)?;
        let own = sent(key).number()?;
        let price = Sent { sent, gb: self.gb }.moved(*how, own);
        Some(
            price
                .filter(|price| price.is_finite())
                .map_or(Loose::Missing, Loose::Number),
        )
    }
}

/// The members that a move reads besides its own.
const fn needed(how: Move) -> [&'static str; 5] {
    const BASE: &str = "dph_base";
    const TOTAL: &str = "dph_total";
    const COST: &str = "storage_cost";
    const STORAGE: &str = "storage_total_cost";
    match how {
        Move::Storage | Move::Total | Move::Contains => [BASE, TOTAL, COST, STORAGE, TOTAL],
        Move::ContainsOf(other) | Move::Per(other) => [BASE, TOTAL, COST, STORAGE, other],
    }
}

fn sent<'a>(listing: &'a Listing, row: usize, key: &str) -> CellRef<'a> {
    listing
        .catalog()
        .by_key(key)
        .map_or(CellRef::Missing, |field| {
            listing.sent_column(field).cell(row)
        })
}

const fn hole(cell: CellRef<'_>) -> Loose<'_> {
    match cell {
        CellRef::Null => Loose::Null,
        CellRef::Bad(found) => Loose::Bad(found),
        _ => Loose::Missing,
    }
}

/// The numbers of one record as they came, and the storage size wished for.
struct Sent<'a, 'c> {
    sent: &'a dyn Fn(&str) -> CellRef<'c>,
    gb: f64,
}

impl Sent<'_, '_> {
    fn number(&self, key: &str) -> Option<f64> {
        (self.sent)(key)
            .number()
            .filter(|number| number.is_finite())
    }

    /// $/h of the storage wished for. Of none, its price need not be known.
    fn storage(&self) -> Option<f64> {
        if self.gb == 0.0 {
            return Some(0.0);
        }
        self.number("storage_cost")
            .filter(|cost| *cost >= 0.0)
            .map(|cost| storage_per_hour(cost, self.gb))
    }

    /// $/h of the storage that the prices came with.
    fn included(&self) -> Option<f64> {
        self.number("storage_total_cost")
            .or_else(|| Some(self.number("dph_total")? - self.number("dph_base")?))
    }

    fn total(&self) -> Option<f64> {
        let base = self
            .number("dph_base")
            .or_else(|| Some(self.number("dph_total")? - self.included()?))?;
        Some(base + self.storage()?)
    }

    fn moved(&self, how: Move, own: f64) -> Option<f64> {
        match how {
            Move::Storage => self.storage(),
            Move::Total => self.total(),
            Move::Contains => Some(own - self.included()? + self.storage()?),
            Move::ContainsOf(part) => Some(own - self.number(part)? + self.storage()?),
            Move::Per(quantity) => {
                let total = self.total().filter(|total| *total > 0.0)?;
                Some(self.number(quantity)? / total)
            }
        }
    }
}
