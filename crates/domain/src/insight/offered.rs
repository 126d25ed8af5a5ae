//! Supply by model, country and the like, recounted with every letter of a filter.
//!
//! The parts that depend on the records alone are computed once.

use std::collections::HashMap;

use super::summary::{GroupValue, Part};
use super::supply::{Amount, Machine, Slice};
use crate::field::Field;
use crate::listing::Listing;

/// The rows of a listing by machine and by the values of some fields.
#[derive(Debug)]
pub struct OfferIndex {
    /// All rows, grouped by machine.
    slices: Vec<Slice>,
    /// The end index in `slices` of each machine.
    ends: Vec<usize>,
    groupings: Vec<Grouping>,
}

/// The groups of the rows by one field.
#[derive(Debug)]
struct Grouping {
    keys: Vec<GroupValue>,
    /// The index of each row's group.
    ranks: Vec<u32>,
}

/// A group of rows, and its supply.
#[derive(Debug, Clone, PartialEq)]
pub struct Offered {
    /// The shared value of its rows.
    pub key: GroupValue,
    pub rows: usize,
    /// The number of its machines and GPUs.
    pub amount: Amount,
    /// The lowest price per unit.
    pub lowest: Option<f64>,
}

impl OfferIndex {
    /// Groups the rows by machine, and separately by each of `fields`.
    pub fn new(listing: &Listing, fields: &[&'static Field]) -> Self {
        let (slices, ends) = Slice::by_machine(listing);
        let groupings = fields.iter().map(|field| Grouping::new(listing, field));
        Self {
            slices,
            ends,
            groupings: groupings.collect(),
        }
    }

    /// Counts `rows` by the values of each field: one list for each, groups with the most machines first,
    /// then those with the most rows, then by value. Groups without any of the rows are left out.
    ///
    /// `unit_price` gives the price per unit of a row, of which each group has the lowest.
    pub fn count(&self, rows: &[u32], unit_price: impl Fn(u32) -> Option<f64>) -> Vec<Vec<Offered>> {
        let mut groups: Vec<Vec<Offered>> = self.groupings.iter().map(Grouping::empty).collect();
        let mut is_counted = vec![false; self.slices.len()];
        for row in rows {
            is_counted[*row as usize] = true;
            let price = unit_price(*row).filter(|price| price.is_finite());
            for (grouping, groups) in self.groupings.iter().zip(&mut groups) {
                let group = &mut groups[grouping.rank(*row)];
                group.rows += 1;
                group.lowest = [group.lowest, price].into_iter().flatten().reduce(f64::min);
            }
        }
        let mut start = 0;
        let mut machine: Vec<&Slice> = Vec::new();
        for end in &self.ends {
            machine.clear();
            let slices = self.slices[start..*end].iter();
            machine.extend(slices.filter(|slice| is_counted[slice.row as usize]));
            start = *end;
            for (grouping, groups) in self.groupings.iter().zip(&mut groups) {
                grouping.add_machine(&machine, groups);
            }
        }
        for groups in &mut groups {
            groups.retain(|group| group.rows > 0);
            // Stable: ties stay in the order of their keys.
            groups.sort_by_key(|group| std::cmp::Reverse((group.amount.machines, group.rows)));
        }
        groups
    }
}

impl Grouping {
    /// Groups all rows by their value of `field`, in the order of the values; the rows without one come last.
    fn new(listing: &Listing, field: &'static Field) -> Self {
        let column = listing.column(field);
        let part = |row| Part::new(field.kind, column.cell(row));
        let mut known: HashMap<Part<'_>, u32> = HashMap::new();
        // Texts are interned, so the group of each is looked up once.
        let mut by_text: Vec<Option<u32>> = vec![None; column.texts().len()];
        let mut groups: Vec<u32> = Vec::with_capacity(listing.len());
        for row in 0..listing.len() {
            let text = column.text_index(row);
            let seen = text.and_then(|text| by_text[text]);
            let group = seen.unwrap_or_else(|| {
                let next = u32::try_from(known.len()).unwrap_or(u32::MAX);
                *known.entry(part(row)).or_insert(next)
            });
            if let Some(text) = text {
                by_text[text] = Some(group);
            }
            groups.push(group);
        }
        let mut sorted: Vec<(Part<'_>, u32)> = known.into_iter().collect();
        sorted.sort_unstable();
        let mut ranks = vec![0; sorted.len()];
        for (rank, (_, group)) in (0..).zip(&sorted) {
            ranks[*group as usize] = rank;
        }
        for group in &mut groups {
            *group = ranks[*group as usize];
        }
        Self {
            keys: sorted.into_iter().map(|(part, _)| part.value()).collect(),
            ranks: groups,
        }
    }

    /// The index in `keys` of a row's group.
    fn rank(&self, row: u32) -> usize {
        self.ranks[row as usize] as usize
    }

    /// All groups in the order of `keys`, with nothing counted yet.
    fn empty(&self) -> Vec<Offered> {
        let group = |key: &GroupValue| Offered {
            key: key.clone(),
            rows: 0,
            amount: Amount::default(),
            lowest: None,
        };
        self.keys.iter().map(group).collect()
    }

    /// Adds the slices of one machine to the machines and GPUs of their group. They usually belong to one; if
    /// not, each group counts the machine.
    fn add_machine(&self, slices: &[&Slice], groups: &mut [Offered]) {
        let Some(first) = slices.first() else { return };
        let group = self.rank(first.row);
        let is_of_group = |slice: &&&Slice| self.rank(slice.row) == group;
        let amount = &mut groups[group].amount;
        amount.machines += 1;
        if slices.iter().all(|slice| is_of_group(&slice)) {
            amount.gpus += Machine::gpus_of(slices);
            return;
        }
        let (counted, uncounted): (Vec<&Slice>, Vec<&Slice>) = slices.iter().partition(is_of_group);
        amount.gpus += Machine::gpus_of(&counted);
        self.add_machine(&uncounted, groups);
    }
}
