//! The differences between two responses to the same query.

use std::collections::{HashMap, HashSet};

use bourse_domain::Resource;
use bourse_domain::field::Field;
use bourse_domain::insight::numeric;
use bourse_domain::listing::{Listing, RowId};

use crate::Lot;
use crate::poll::{Columns, all_rows};

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

/// Rows that arrived, rows that left, and price changes between two listings.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Differences {
    /// Rows of the new listing that the old one lacks.
    pub arrived: Vec<u32>,
    /// Rows of the old listing that the new one lacks.
    ///
    /// If the limit truncated the response, they may only have been pushed out of it.
    pub left: Vec<u32>,
    /// The price changes, in the order of the new listing.
    pub changed: Vec<PriceChange>,
}

/// Compares two responses to the same query by id and by the numbers in `price`.
///
/// A price that only one of them has counts as unchanged, and so does one that differs in the last digits only, as
/// after re-encoding. A market renumbers its offers and re-splits its machines without anything having changed hands: a
/// row under another id is the same if machine, model and number of GPUs are, and a machine that still offers the model
/// has neither arrived nor left.
pub fn differences(old: &Listing, new: &Listing, price: &Field) -> Differences {
    let mut differences = Differences::default();
    let id = |listing: &Listing, row: &u32| listing.id(*row as usize);
    let mut olds = old.by_id().iter().peekable();
    for new_row in new.by_id() {
        let wanted = id(new, new_row);
        while let Some(gone) = olds.next_if(|row| id(old, row) < wanted) {
            differences.left.push(*gone);
        }
        match olds.next_if(|row| id(old, row) == wanted) {
            Some(old_row) => differences.compare((old, *old_row), (new, *new_row), price),
            None => differences.arrived.push(*new_row),
        }
    }
    differences.left.extend(olds);
    differences.match_renumbered(old, new, price);
    differences.arrived.sort_unstable();
    differences.left.sort_unstable();
    let changed = &mut differences.changed;
    changed.sort_unstable_by_key(|change| change.new_row);
    differences
}

impl Differences {
    /// Adds a price change of a row that both listings have, if both have its price and the two differ by
    /// more than rounding.
    fn compare(&mut self, (old, old_row): (&Listing, u32), (new, new_row): (&Listing, u32), price: &Field) {
        let number = |listing: &Listing, row: u32| numeric(listing.column(price), price.kind, row as usize);
        if let (Some(id), Some(from), Some(to)) = (new.id(new_row as usize), number(old, old_row), number(new, new_row))
            // Computed prices may differ in the last bit from one response to the next.
            && (from - to).abs() > 1e-9 * from.abs().max(to.abs())
        {
            self.changed.push(PriceChange {
                id,
                old_row,
                new_row,
                from,
                to,
            });
        }
    }

    /// Removes from the arrived and left rows those that only changed their id, whose prices are compared,
    /// and those of machines that still offer the model but are split differently.
    fn match_renumbered(&mut self, old: &Listing, new: &Listing, price: &Field) {
        if self.arrived.is_empty() && self.left.is_empty() {
            return;
        }
        let [old_columns, new_columns] = [old, new].map(Columns::new);
        let mut slices: HashMap<(Lot, Option<u64>), Vec<u32>> = HashMap::new();
        // In reverse, so that of equal slices the first is matched first.
        for row in self.left.iter().rev() {
            if let Some(slice) = old_columns.slice(*row) {
                slices.entry(slice).or_default().push(*row);
            }
        }
        let mut matched = HashSet::new();
        for new_row in std::mem::take(&mut self.arrived) {
            let slice = new_columns
                .slice(new_row)
                .and_then(|slice| slices.get_mut(&slice)?.pop());
            if let Some(old_row) = slice {
                matched.insert(old_row);
                self.compare((old, old_row), (new, new_row), price);
            } else {
                self.arrived.push(new_row);
            }
        }
        self.left.retain(|row| !matched.contains(row));
        let without = |rows: &mut Vec<u32>, columns: &Columns<'_>, compared: &Listing| {
            if !rows.is_empty() {
                let lots = lots(compared);
                rows.retain(|row| columns.slice(*row).is_none_or(|(lot, _)| !lots.contains(&lot)));
            }
        };
        without(&mut self.arrived, &new_columns, old);
        without(&mut self.left, &old_columns, new);
    }
}

/// The lot of a row: machine and GPU model, of volumes their cluster; its memory is always 0. `None` if the
/// row does not report its machine or cluster.
pub fn recorded_lot(listing: &Listing, row: u32) -> Option<Lot> {
    Columns::new(listing).lot(row)
}

/// The lots of all rows of a listing, as by [`recorded_lot`]; rows that do not report their machine or
/// cluster are left out.
pub fn lots(listing: &Listing) -> HashSet<Lot> {
    let columns = Columns::new(listing);
    all_rows(listing).filter_map(|row| columns.lot(row)).collect()
}

/// The machine and GPU model of an offer's row, with memory 0; `None` for volumes and workergroups, and if
/// the row does not report its machine.
pub fn lot_of(listing: &Listing, row: u32) -> Option<Lot> {
    // The volumes of a cluster are rented one by one, and are distinguished by their ids.
    recorded_lot(listing, row).filter(|_| listing.catalog().resource == Resource::Offers)
}
