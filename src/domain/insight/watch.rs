//! What changed between two responses to the same query.

use super::numeric;
use crate::domain::field::Field;
use crate::domain::listing::{Listing, RowId};

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PriceChange {
    pub id: RowId,
    /// Its row in the earlier listing.
    pub old_row: u32,
    /// Its row in the later listing.
    pub new_row: u32,
    pub from: f64,
    pub to: f64,
}

impl PriceChange {
    /// The change as a share of the old price; `None` if that was zero.
    pub fn share(&self) -> Option<f64> {
        let share = (self.to - self.from) / self.from;
        share.is_finite().then_some(share)
    }
}

/// What changed between two listings.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Differences {
    /// Rows of the new listing whose id the old one lacks.
    pub arrived: Vec<u32>,
    /// Rows of the old listing whose id the new one lacks. If the limit truncated the response,
    /// they may only have been pushed out of it.
    pub left: Vec<u32>,
    /// Prices that changed, in the order of the new listing.
    pub changed: Vec<PriceChange>,
}

impl Differences {
    pub fn is_empty(&self) -> bool {
        self.arrived.is_empty() && self.left.is_empty() && self.changed.is_empty()
    }
}

/// Compares two responses to the same query by id and by the numbers in `price`. A price that only
/// one of them has did not change, and neither did one that differs in the last digits only, as
/// after re-encoding.
pub fn differences(old: &Listing, new: &Listing, price: &Field) -> Differences {
    let (before, now) = (old.column(price), new.column(price));
    let mut differences = Differences::default();
    let id = |listing: &Listing, row: &u32| listing.id(*row as usize);
    let mut olds = old.by_id().iter().peekable();
    for new_row in new.by_id() {
        let own = id(new, new_row);
        while let Some(gone) = olds.next_if(|row| id(old, row) < own) {
            differences.left.push(*gone);
        }
        let Some(old_row) = olds.next_if(|row| id(old, row) == own) else {
            differences.arrived.push(*new_row);
            continue;
        };
        let from = numeric(before, price.kind, *old_row as usize);
        let to = numeric(now, price.kind, *new_row as usize);
        if let (Some(id), Some(from), Some(to)) = (own, from, to)
            && (from - to).abs() > 1e-9 * from.abs().max(to.abs())
        {
            differences.changed.push(PriceChange {
                id,
                old_row: *old_row,
                new_row: *new_row,
                from,
                to,
            });
        }
    }
    differences.left.extend(olds);
    differences.arrived.sort_unstable();
    differences.left.sort_unstable();
    let changed = &mut differences.changed;
    changed.sort_unstable_by_key(|change| change.new_row);
    differences
}
