//! Sorting of rows. Every cell becomes an integer that sorts like it, and the integers of a row
//! become one, so that two rows are compared without reading cells.

use std::cmp::Ordering;

use super::{Cell, Column, Listing, RowId};
use crate::domain::field::{Field, Kind};
use crate::domain::query::{Direction, OrderKey};
use crate::domain::value::{CellRef, Version};

/// The rows of a listing in the order of their ids.
#[derive(Debug)]
pub(super) struct IdOrder {
    /// The rows, that with the lowest id first.
    rows: Vec<u32>,
    /// The place of each row among them.
    ranks: Vec<u32>,
}

impl IdOrder {
    fn new(ids: &[RowId]) -> Self {
        let mut sorted: Vec<(RowId, u32)> = ids.iter().copied().zip(0..).collect();
        sorted.sort_unstable();
        let rows: Vec<u32> = sorted.into_iter().map(|(_, row)| row).collect();
        let mut ranks = vec![0; rows.len()];
        for (rank, row) in (0..).zip(&rows) {
            ranks[*row as usize] = rank;
        }
        Self { rows, ranks }
    }
}

impl Listing {
    fn id_order(&self) -> &IdOrder {
        self.id_order.get_or_init(|| IdOrder::new(&self.ids))
    }

    /// The rows, lowest id first.
    pub(crate) fn by_id(&self) -> &[u32] {
        &self.id_order().rows
    }

    /// Sorts row numbers by `order`; rows without a value come last in either direction, ties go by
    /// id.
    pub fn sort(&self, rows: &mut [u32], order: &[OrderKey]) {
        let mut keys: Vec<Codes> = order
            .iter()
            .map(|key| Codes::of(key, self.column(key.field), rows))
            .collect();
        let IdOrder { rows: by_id, ranks } = self.id_order();
        let ranks = rows.iter().map(|row| u64::from(ranks[*row as usize]));
        keys.push(Codes {
            codes: ranks.collect(),
            bits: usize::BITS - by_id.len().leading_zeros(),
        });
        let sorted = sorted_ranks(&keys);
        for (row, rank) in rows.iter_mut().zip(sorted) {
            *row = by_id[rank];
        }
    }
}

/// The codes of the last key in the order of all keys.
#[expect(clippy::cast_possible_truncation)] // `packed` puts the rank into the low bits
fn sorted_ranks(keys: &[Codes]) -> Vec<usize> {
    let Some(last) = keys.last() else {
        return Vec::new();
    };
    let mask = u64::MAX.checked_shr(64 - last.bits).unwrap_or(0);
    let packed = |index: usize| {
        keys.iter()
            .fold(0_u128, |packed, key| packed << key.bits | u128::from(key.codes[index]))
    };
    let indices = 0..last.codes.len();
    match keys.iter().map(|key| key.bits).sum::<u32>() {
        ..=64 => {
            let mut all: Vec<u64> = indices.map(|index| packed(index) as u64).collect();
            all.sort_unstable();
            all.into_iter().map(|row| (row & mask) as usize).collect()
        }
        65..=128 => {
            let mut all: Vec<u128> = indices.map(packed).collect();
            all.sort_unstable();
            all.into_iter().map(|row| (row as u64 & mask) as usize).collect()
        }
        129.. => {
            let mut all: Vec<usize> = indices.collect();
            all.sort_unstable_by(|left, right| {
                let by_key = |key: &Codes| key.codes[*left].cmp(&key.codes[*right]);
                let unequal = keys.iter().map(by_key).find(|order| order.is_ne());
                unequal.unwrap_or(Ordering::Equal)
            });
            all.into_iter().map(|index| last.codes[index] as usize).collect()
        }
    }
}

/// The cells of one sort key as integers that sort like them, one for each row to be sorted.
struct Codes {
    codes: Vec<u64>,
    /// How many low bits of a code are used.
    bits: u32,
}

impl Codes {
    fn of(key: &OrderKey, column: &Column, rows: &[u32]) -> Self {
        let cells = || rows.iter().map(|row| column.raw(*row as usize));
        let new = |codes: &mut dyn Iterator<Item = Option<u64>>| Self::new(codes, rows.len(), key.direction);
        match Uniform::of(key.field, cells()) {
            Uniform::Numbers => new(&mut cells().map(|cell| match cell {
                Cell::Number(number) => Some(ordered_bits(number)),
                _ => None,
            })),
            Uniform::Texts => {
                let ranks = text_ranks(key.field, column);
                new(&mut cells().map(|cell| match cell {
                    Cell::Text(text) => Some(ranks[text as usize]),
                    _ => None,
                }))
            }
            Uniform::Flags => new(&mut cells().map(|cell| match cell {
                Cell::Flag(flag) => Some(u64::from(flag)),
                _ => None,
            })),
            Uniform::Mixed => new(&mut mixed_ranks(key.field, column, rows).into_iter()),
        }
    }

    // Codes are made as short as their range allows, so that several fit into one integer.
    /// Rows without a code come last.
    fn new(codes: impl Iterator<Item = Option<u64>>, many: usize, direction: Direction) -> Self {
        let mut kept = Vec::with_capacity(many);
        let mut blanks = Vec::new();
        let (mut least, mut most, mut used) = (u64::MAX, 0, 0);
        for code in codes {
            if let Some(code) = code {
                (least, most, used) = (least.min(code), most.max(code), used | code);
            } else {
                blanks.push(kept.len());
            }
            kept.push(code.unwrap_or_default());
        }
        // Whole numbers end in zeros.
        let zeros = used.trailing_zeros() % 64;
        let (least, most) = (least.min(most) >> zeros, most >> zeros);
        for code in &mut kept {
            *code = match direction {
                Direction::Ascending => (*code >> zeros).wrapping_sub(least),
                Direction::Descending => most.wrapping_sub(*code >> zeros),
            };
        }
        let highest = (most - least).saturating_add(u64::from(!blanks.is_empty()));
        for blank in blanks {
            kept[blank] = highest;
        }
        Self {
            codes: kept,
            bits: 64 - highest.leading_zeros(),
        }
    }
}

/// What all cells of a column are that are not blank.
enum Uniform {
    Numbers,
    Texts,
    Flags,
    Mixed,
}

impl Uniform {
    fn of(field: &Field, cells: impl Iterator<Item = Cell>) -> Self {
        let (mut numbers, mut texts, mut flags) = (false, false, false);
        for cell in cells {
            match cell {
                Cell::Number(_) => numbers = true,
                Cell::Text(_) => texts = true,
                Cell::Flag(_) => flags = true,
                Cell::Missing | Cell::Null | Cell::Bad(_) => {}
            }
        }
        match (numbers, texts, flags) {
            (_, false, false) => Self::Numbers,
            // The digits of ids sort by their value.
            (false, true, false) if field.kind != Kind::Id => Self::Texts,
            (false, false, true) if field.kind != Kind::Id => Self::Flags,
            _ => Self::Mixed,
        }
    }
}

/// An integer that sorts as [`f64::total_cmp`] does.
const fn ordered_bits(number: f64) -> u64 {
    const SIGN: u64 = 1 << 63;
    let bits = number.to_bits();
    if bits & SIGN == 0 { bits | SIGN } else { !bits }
}

/// The place of every distinct text of a column in their order.
fn text_ranks(field: &Field, column: &Column) -> Vec<u64> {
    let version = |text: &str| Version::parse(text.trim()).map_or(0, |version| version.code);
    let texts = column.texts().iter().zip(0_usize..);
    let mut sorted: Vec<_> = texts
        .map(|(text, index)| {
            let text = text.compared();
            let code = if field.kind == Kind::Version { version(text) } else { 0 };
            (code, text, index)
        })
        .collect();
    sorted.sort_unstable();
    let mut ranks = vec![0; sorted.len()];
    for (rank, (_, _, index)) in (0..).zip(sorted) {
        ranks[index] = rank;
    }
    ranks
}

/// The ranks of cells of several kinds; equal ones share a rank, blank ones have none.
fn mixed_ranks(field: &Field, column: &Column, rows: &[u32]) -> Vec<Option<u64>> {
    let cell = |index: usize| column.cell(rows[index] as usize);
    let compare = |left: usize, right: usize| compare_cells(field, cell(left), cell(right), Direction::Ascending);
    let mut sorted: Vec<usize> = (0..rows.len()).filter(|index| !cell(*index).is_blank()).collect();
    sorted.sort_by(|left, right| compare(*left, *right));
    let mut ranks = vec![None; rows.len()];
    let equal = sorted.chunk_by(|left, right| compare(*left, *right).is_eq());
    for (rank, ties) in (0..).zip(equal) {
        for index in ties {
            ranks[*index] = Some(rank);
        }
    }
    ranks
}

/// Orders two cells of a field; blanks come last in either direction.
pub fn compare_cells(field: &Field, left: CellRef<'_>, right: CellRef<'_>, direction: Direction) -> Ordering {
    let ascending = match (left, right) {
        (left, right) if left.is_blank() || right.is_blank() => {
            return left.is_blank().cmp(&right.is_blank());
        }
        (CellRef::Number(left), CellRef::Number(right)) => left.total_cmp(&right),
        (left, right) if field.kind == Kind::Id => left.whole().cmp(&right.whole()),
        (CellRef::Flag(left), CellRef::Flag(right)) => left.cmp(&right),
        (CellRef::Text(left), CellRef::Text(right)) if field.kind == Kind::Version => {
            let code = |text: &str| Version::parse(text.trim()).map_or(0, |version| version.code);
            code(left).cmp(&code(right)).then_with(|| left.cmp(right))
        }
        (CellRef::Text(left), CellRef::Text(right)) => left.cmp(right),
        // Mixed kinds in one column: any fixed order will do.
        (left, right) => rank(left).cmp(&rank(right)),
    };
    match direction {
        Direction::Ascending => ascending,
        Direction::Descending => ascending.reverse(),
    }
}

const fn rank(cell: CellRef<'_>) -> u8 {
    match cell {
        CellRef::Number(_) => 0,
        CellRef::Text(_) => 1,
        CellRef::Flag(_) => 2,
        _ => 3,
    }
}
