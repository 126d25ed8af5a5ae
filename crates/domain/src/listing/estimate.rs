//! The prices of a listing at another storage size than the response was priced for, and those of a reserved search, as
//! a few columns that replace the received ones. No row is copied; a column is computed on first use.
//!
//! `dph_total = dph_base + storage_cost x GB / 720`, and every price that contains the storage or is divided by the
//! total moves with it. A reserved offer costs `discounted_dph_total`, while the market keeps the full price in
//! `dph_total`: that column shows the price to pay.

use std::borrow::Cow;
use std::sync::OnceLock;

use super::{Builder, CellRef, Column, Listing, RawCell};
use crate::Dialect;
use crate::cost::storage_per_hour;
use crate::field::Field;
use crate::query::OfferType;

/// The dependence of a price on the storage. Names are those of the record's members.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Move {
    /// The price of the storage alone.
    Storage,
    /// The total in $/h: GPUs plus storage.
    Total,
    /// Contains the storage price in `storage_total_cost`.
    Contains,
    /// Contains the storage price in another member.
    ContainsOf(&'static str),
    /// A quantity per $/h of the total.
    Per(&'static str),
}

const MOVES: [(&str, Move); 12] = [
    ("dph_total", Move::Total),
    ("storage_total_cost", Move::Storage),
    ("dph_total_adj", Move::Contains),
    ("discounted_dph_total", Move::Contains),
    ("dlperf_per_dphtotal", Move::Per("dlperf")),
    ("flops_per_dphtotal", Move::Per("total_flops")),
    ("search.diskHour", Move::Storage),
    ("search.totalHour", Move::ContainsOf("search.diskHour")),
    ("search.discountedTotalPerHour", Move::ContainsOf("search.diskHour")),
    ("instance.diskHour", Move::Storage),
    ("instance.totalHour", Move::ContainsOf("instance.diskHour")),
    ("instance.discountedTotalPerHour", Move::ContainsOf("instance.diskHour")),
];

/// The member with the hourly price of a reserved offer.
const DISCOUNTED: &str = "discounted_dph_total";

/// Columns of adjusted prices, computed on first use.
#[derive(Debug)]
pub(super) struct Estimate {
    /// The storage size in GB; `None` for that of the response.
    gb: Option<f64>,
    /// The price model of the search.
    model: OfferType,
    columns: [OnceLock<Column>; MOVES.len()],
}

impl Estimate {
    /// The prices at `gb` of storage, or the received size if `None`, under `model`; `None` if the received
    /// ones apply: without `gb`, unless the model is reserved.
    fn new(gb: Option<f64>, model: OfferType) -> Option<Self> {
        (gb.is_some() || model == OfferType::Reserved).then(|| Self {
            gb,
            model,
            columns: std::array::from_fn(|_| OnceLock::new()),
        })
    }

    /// The index of a field in [`MOVES`]; `None` if its cells are not adjusted.
    fn index(&self, key: &str) -> Option<usize> {
        let index = MOVES.iter().position(|(known, _)| *known == key)?;
        let is_moved = match MOVES[index].1 {
            Move::Total | Move::Per(_) => true,
            Move::Storage | Move::Contains | Move::ContainsOf(_) => self.gb.is_some(),
        };
        is_moved.then_some(index)
    }

    /// Whether a field's cells are an estimate at another storage size.
    fn is_estimate(&self, key: &str) -> bool {
        self.gb.is_some() && self.index(key).is_some()
    }

    /// The adjusted column of a field; `None` if it is not adjusted.
    pub(super) fn column(&self, listing: &Listing, key: &str) -> Option<&Column> {
        let index = self.index(key)?;
        Some(self.columns[index].get_or_init(|| {
            let needed = needed(MOVES[index].1).into_iter().chain([key]);
            listing.prepare(needed.filter_map(|key| listing.catalog().by_key(key)));
            let mut builder = Builder::default();
            for row in 0..listing.len() {
                let sent = |key: &str| sent(listing, row, key);
                builder.push(&self.cell(key, &sent).unwrap_or(RawCell::Missing));
            }
            builder.column
        }))
    }

    /// The adjusted cell of one record, whose cells before that are given by `sent`; `None` for fields that
    /// are not adjusted. Where no price can be computed it is missing, or null or of a wrong kind as before.
    pub(super) fn cell<'a>(&self, key: &str, sent: &dyn Fn(&str) -> CellRef<'a>) -> Option<RawCell<'a>> {
        let (_, how) = MOVES[self.index(key)?];
        // If the record has no discounted price, the full price must not replace it.
        let source = match how {
            Move::Total if self.model == OfferType::Reserved => DISCOUNTED,
            _ => key,
        };
        let Some(received) = sent(source).number() else {
            // A missing value stays missing.
            return Some(hole(sent(source)));
        };
        let record = Record {
            sent,
            gb: self.gb,
            model: self.model,
        };
        Some(
            record
                .moved(how, received)
                .filter(|price| price.is_finite())
                .map_or(RawCell::Missing, RawCell::Number),
        )
    }
}

impl Listing {
    /// Adjusts the prices to `gb` of storage, or back to the received ones if `None`.
    ///
    /// Every column, cell, sort and match then uses them; [`Listing::sent_column`] does not.
    pub fn estimate_storage(&mut self, gb: Option<f64>) {
        self.set_estimate(gb, self.offer_type());
    }

    /// Shows the prices of the given model: for reserved offers the discounted ones, which the market sends beside the
    /// full price.
    pub fn price_as(&mut self, model: OfferType) {
        self.set_estimate(self.estimated_storage(), model);
    }

    /// Sets storage size and price model; does nothing if both are set already.
    fn set_estimate(&mut self, gb: Option<f64>, model: OfferType) {
        if (self.estimated_storage(), self.offer_type()) != (gb, model) {
            self.estimate = Estimate::new(gb, model);
            self.forget_last();
        }
    }

    /// Drops the computed prices and the cached record, as the rows have changed; storage and price model
    /// stay.
    pub(super) fn forget_prices(&mut self) {
        self.estimate = Estimate::new(self.estimated_storage(), self.offer_type());
        self.forget_last();
    }

    /// The storage size in GB that prices are adjusted to; `None` if they have the storage of the response.
    pub fn estimated_storage(&self) -> Option<f64> {
        self.estimate.as_ref().and_then(|estimate| estimate.gb)
    }

    /// The price model set by `Listing::price_as`, on demand by default.
    fn offer_type(&self) -> OfferType {
        let estimate = self.estimate.as_ref();
        estimate.map_or(OfferType::OnDemand, |estimate| estimate.model)
    }

    /// Whether the cells of a field are estimated for another storage size rather than received.
    pub fn is_estimated(&self, field: &Field) -> bool {
        let estimate = self.estimate.as_ref();
        estimate.is_some_and(|estimate| estimate.is_estimate(field.key))
    }

    /// Whether the cells of a field are prices per hour after the discount for reserving: those of
    /// `dph_total`, if the listing shows reserved prices.
    pub fn is_reserved_price(&self, field: &Field) -> bool {
        field.key == "dph_total" && self.offer_type() == OfferType::Reserved
    }

    /// The header of a field's column: `Res. $/h` for a reserved price, else as `Field::header`, with the
    /// unit of network speeds.
    pub fn header(&self, field: &Field, dialect: &Dialect) -> Cow<'static, str> {
        if self.is_reserved_price(field) {
            self.label(field).into()
        } else {
            field.header(dialect)
        }
    }

    /// The label of a field: `Res. $/h` for `dph_total` while the listing shows reserved prices, else the
    /// field's own. A column has `Listing::header`, with the unit of network speeds.
    pub fn label(&self, field: &Field) -> &'static str {
        if self.is_reserved_price(field) {
            "Res. $/h"
        } else {
            field.label
        }
    }
}

/// The members that the computation of a move may read besides its own, some of them twice.
const fn needed(how: Move) -> [&'static str; 6] {
    const BASE: &str = "dph_base";
    const TOTAL: &str = "dph_total";
    const COST: &str = "storage_cost";
    const STORAGE: &str = "storage_total_cost";
    let related = match how {
        Move::Storage | Move::Total | Move::Contains => TOTAL,
        Move::ContainsOf(related) | Move::Per(related) => related,
    };
    [BASE, TOTAL, COST, STORAGE, DISCOUNTED, related]
}

/// The cell of a row as read from its record, without an estimate, by the wire name `key`; missing without
/// such a field.
fn sent<'a>(listing: &'a Listing, row: usize, key: &str) -> CellRef<'a> {
    listing
        .catalog()
        .by_key(key)
        .map_or(CellRef::Missing, |field| listing.sent_column(field).cell(row))
}

/// The cell that stands where no adjusted price can be computed: null and wrong kinds stay as they are, any
/// other cell becomes missing.
const fn hole(cell: CellRef<'_>) -> RawCell<'_> {
    match cell {
        CellRef::Null => RawCell::Null,
        CellRef::Bad(kind) => RawCell::Bad(kind),
        _ => RawCell::Missing,
    }
}

/// The received numbers of one record, the chosen storage size and the price model.
struct Record<'a, 'c> {
    sent: &'a dyn Fn(&str) -> CellRef<'c>,
    gb: Option<f64>,
    model: OfferType,
}

impl Record<'_, '_> {
    /// The received number of a member; `None` unless it is a finite number.
    fn number(&self, key: &str) -> Option<f64> {
        (self.sent)(key).number().filter(|number| number.is_finite())
    }

    /// $/h of the chosen storage, or of the storage in the received price if none is chosen. 0 GB costs
    /// nothing, even at an unknown price; otherwise `None` if the price is missing or negative.
    fn storage(&self) -> Option<f64> {
        match self.gb {
            None => self.included(),
            Some(0.0) => Some(0.0),
            Some(gb) => self
                .number("storage_cost")
                .filter(|cost| *cost >= 0.0)
                .map(|cost| storage_per_hour(cost, gb)),
        }
    }

    /// $/h of the storage in the received prices: as reported, else the total less the base price; `None` if
    /// either of these is missing.
    fn included(&self) -> Option<f64> {
        self.number("storage_total_cost")
            .or_else(|| Some(self.number("dph_total")? - self.number("dph_base")?))
    }

    /// $/h of GPUs and the chosen storage, or the storage as received; for a reserved offer after its
    /// discount. A missing base price is the received total less its storage; `None` if another price is
    /// missing.
    fn total(&self) -> Option<f64> {
        if self.model == OfferType::Reserved {
            let discounted = self.number(DISCOUNTED)?;
            return match self.gb {
                None => Some(discounted),
                Some(_) => Some(discounted - self.included()? + self.storage()?),
            };
        }
        let base = self
            .number("dph_base")
            .or_else(|| Some(self.number("dph_total")? - self.included()?))?;
        Some(base + self.storage()?)
    }

    /// The price `received`, moved to the chosen storage and price model; `None` if it needs a missing
    /// member, or per dollar if the total is not above zero.
    fn moved(&self, how: Move, received: f64) -> Option<f64> {
        match how {
            Move::Storage => self.storage(),
            Move::Total => self.total(),
            Move::Contains => Some(received - self.included()? + self.storage()?),
            Move::ContainsOf(part) => Some(received - self.number(part)? + self.storage()?),
            Move::Per(quantity) => {
                let total = self.total().filter(|total| *total > 0.0)?;
                Some(self.number(quantity)? / total)
            }
        }
    }
}
