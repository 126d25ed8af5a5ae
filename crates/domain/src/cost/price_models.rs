//! Three prices in one row: the listings of the three price models, joined.

use std::collections::HashMap;

use super::Prices;
use crate::listing::{Listing, RowId};
use crate::query::OfferType;
use crate::value::CellRef;

/// The way a row of another listing was matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Joined {
    ById,
    /// By its machine and number of GPUs.
    ByGpus,
}

/// One price of an offer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quote {
    /// The row in the listing of that price model.
    pub row: u32,
    /// $/h of GPUs and storage.
    pub total: f64,
    /// $/h of the GPUs alone; for a bid, the floor.
    pub base: Option<f64>,
    /// The way the row was matched.
    pub joined: Joined,
}

/// The prices of an offer under the three price models; `None` for models that do not list it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ThreePrices {
    pub on_demand: Option<Quote>,
    pub bid: Option<Quote>,
    /// The share of the on-demand price that the bid saves; negative if the bid floor is higher, which happens.
    pub saving: Option<f64>,
    pub reserved: Option<Quote>,
    /// The share of the on-demand price that reserving saves; negative only by a mistake of the
    /// market, and shown as such.
    pub discount: Option<f64>,
}

/// The listings of the price models, indexed for joining to the rows on screen.
#[derive(Debug)]
pub struct PriceJoin<'a> {
    shown: &'a Listing,
    sides: [Option<Side<'a>>; 3],
    gb: Option<f64>,
}

#[derive(Debug)]
struct Side<'a> {
    prices: Prices<'a>,
    by_id: HashMap<RowId, u32>,
    /// The row for each set of GPUs; `None` if several rows have the same set.
    by_gpus: HashMap<GpuKey, Option<u32>>,
}

/// Machine id and the ids of GPUs in it.
type GpuKey = (i128, Vec<i64>);

impl<'a> PriceJoin<'a> {
    /// Joins the listings of the three models to the rows of `shown`, which may be one of them; `None` for a
    /// model without a listing. With `gb`, all are priced for that many GB of storage; without, each as
    /// quoted.
    pub fn new(
        shown: &'a Listing,
        on_demand: Option<&'a Listing>,
        bid: Option<&'a Listing>,
        reserved: Option<&'a Listing>,
        gb: Option<f64>,
    ) -> Self {
        let side = |listing: Option<&'a Listing>, model| listing.map(|listing| Side::new(Prices::new(listing, model)));
        Self {
            shown,
            sides: [
                side(on_demand, OfferType::OnDemand),
                side(bid, OfferType::Bid),
                side(reserved, OfferType::Reserved),
            ],
            gb,
        }
    }

    /// The three prices of a row of the listing on screen, matched by id, else by its GPUs. A saving is
    /// `None` unless both prices are known and the on-demand price is above zero; all are `None` beyond the
    /// last row.
    pub fn prices_of_row(&self, row: usize) -> ThreePrices {
        let Some(id) = self.shown.id(row) else {
            return ThreePrices::default();
        };
        let key = gpu_key(self.shown, row);
        let [on_demand, bid, reserved] = self
            .sides
            .each_ref()
            .map(|side| side.as_ref().and_then(|side| side.quote(id, key.as_ref(), self.gb)));
        let less = |quote: Option<Quote>| {
            let (full, quoted) = (on_demand?.total, quote?.total);
            (full > 0.0).then(|| 1.0 - quoted / full)
        };
        ThreePrices {
            on_demand,
            bid,
            saving: less(bid),
            reserved,
            discount: less(reserved),
        }
    }
}

impl<'a> Side<'a> {
    /// Indexes the rows of one price model by id and by GPUs; a set of GPUs that several rows have leads to
    /// none of them.
    fn new(prices: Prices<'a>) -> Self {
        let listing = prices.listing();
        let rows = 0..u32::try_from(listing.len()).unwrap_or(u32::MAX);
        let mut by_gpus = HashMap::new();
        for row in rows.clone() {
            if let Some(key) = gpu_key(listing, row as usize) {
                by_gpus
                    .entry(key)
                    .and_modify(|known| *known = None)
                    .or_insert(Some(row));
            }
        }
        Self {
            by_id: rows.filter_map(|row| Some((listing.id(row as usize)?, row))).collect(),
            by_gpus,
            prices,
        }
    }

    /// The quote for the row with this id, else for the only one with the same machine and GPUs; for `gb` of
    /// storage, or as quoted. `None` without such a row, if several have the GPUs, or if it has no price.
    fn quote(&self, id: RowId, key: Option<&GpuKey>, gb: Option<f64>) -> Option<Quote> {
        let (row, joined) = match self.by_id.get(&id) {
            Some(row) => (*row, Joined::ById),
            None => ((*self.by_gpus.get(key?)?)?, Joined::ByGpus),
        };
        Some(Quote {
            row,
            total: self.prices.hourly(row as usize, gb).ok()?,
            base: self.prices.base(row as usize).ok(),
            joined,
        })
    }
}

/// The machine and the GPUs of a row; `None` unless the record reports both.
fn gpu_key(listing: &Listing, row: usize) -> Option<GpuKey> {
    let field = listing.catalog().by_key("machine_id")?;
    let machine = listing.cell(row, field).whole()?;
    let gpus = gpu_numbers(listing, row);
    (!gpus.is_empty()).then_some((machine, gpus))
}

/// The ids of a row's GPUs within its machine, ascending; empty if the record lists none, or any of them is
/// not a whole number.
pub fn gpu_numbers(listing: &Listing, row: usize) -> Vec<i64> {
    let Some(field) = listing.catalog().by_key("gpu_ids") else {
        return Vec::new();
    };
    let CellRef::Text(text) = listing.cell(row, field) else {
        return Vec::new();
    };
    let inner = text.trim().trim_start_matches('[').trim_end_matches(']');
    let mut numbers: Vec<i64> = inner
        .split(',')
        .map(|number| number.trim().parse())
        .collect::<Result<_, _>>()
        .unwrap_or_default();
    numbers.sort_unstable();
    numbers
}
