//! What is on offer by model, country and the like.

use std::cmp::Reverse;

use super::summary::{GroupValue, partition};
use super::supply::{Amount, Supply};
use crate::domain::field::Field;
use crate::domain::listing::Listing;

/// A group of rows, and what it offers.
#[derive(Debug, Clone, PartialEq)]
pub struct Offered {
    /// The value that its rows share.
    pub key: GroupValue,
    pub rows: usize,
    /// The machines and GPUs behind them.
    pub amount: Amount,
    /// The lowest price per unit.
    pub lowest: Option<f64>,
}

/// The groups of `rows` by a field, those with the most machines first, ties by value. `unit_price` is
/// of a row.
pub fn offered(
    listing: &Listing,
    rows: &[u32],
    field: &'static Field,
    unit_price: impl Fn(u32) -> Option<f64>,
) -> Vec<Offered> {
    let mut groups = partition(listing, rows, &[field]);
    groups.sort_by(|(left, _), (right, _)| left.cmp(right));
    let offered = groups.into_iter().filter_map(|(key, rows)| {
        let prices = rows.iter().filter_map(|row| unit_price(*row));
        Some(Offered {
            key: key.first()?.value(),
            rows: rows.len(),
            amount: Supply::of(listing, &rows).amount(),
            lowest: prices.filter(|price| price.is_finite()).reduce(f64::min),
        })
    });
    let mut offered: Vec<Offered> = offered.collect();
    offered.sort_by_key(|group| Reverse((group.amount.machines, group.rows)));
    offered
}
