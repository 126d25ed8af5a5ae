//! A cell in eight bytes, so that a column of 100,000 rows is no larger than its numbers.

use super::Cell;
use crate::value::JsonKind;

/// A number as its bits, or any other cell in the bits of a NaN that no computation yields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Packed(u64);

/// The bits that mark a cell other than a number.
const MARK: u64 = 0x7FFC_0000_0000_0000;

/// The bit offset of the cell's kind; its value is in the lower bits.
const KIND: u32 = 32;

const NULL: u64 = 1;
const FLAG: u64 = 2;
const TEXT: u64 = 3;
const BAD: u64 = 4;

const KINDS: [JsonKind; 5] = [
    JsonKind::Flag,
    JsonKind::Number,
    JsonKind::Text,
    JsonKind::List,
    JsonKind::Object,
];

impl Cell {
    /// Packs the cell into eight bytes; every NaN becomes the same one.
    #[inline]
    pub(super) fn packed(self) -> Packed {
        let marked = |kind: u64, value: u32| Packed(MARK | kind << KIND | u64::from(value));
        match self {
            Self::Missing => marked(0, 0),
            Self::Null => marked(NULL, 0),
            Self::Flag(flag) => marked(FLAG, flag.into()),
            Self::Text(index) => marked(TEXT, index),
            Self::Bad(kind) => marked(BAD, kind as u32),
            Self::Number(number) if number.is_nan() => Packed(f64::NAN.to_bits()),
            Self::Number(number) => Packed(number.to_bits()),
        }
    }
}

impl Packed {
    /// Unpacks the cell that `Cell::packed` packed.
    pub(super) fn cell(self) -> Cell {
        if self.0 & MARK != MARK {
            return Cell::Number(f64::from_bits(self.0));
        }
        #[expect(clippy::cast_possible_truncation)] // the lower half
        let value = self.0 as u32;
        match (self.0 & !MARK) >> KIND {
            NULL => Cell::Null,
            FLAG => Cell::Flag(value != 0),
            TEXT => Cell::Text(value),
            BAD => Cell::Bad(KINDS.get(value as usize).copied().unwrap_or(JsonKind::Number)),
            _ => Cell::Missing,
        }
    }
}
