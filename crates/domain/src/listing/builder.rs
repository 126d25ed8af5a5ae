//! Builds a column cell by cell, storing each distinct text once.

use std::collections::HashMap;

use super::raw_cell::RawCell;
use super::{Cell, Column};
use crate::text::Untrusted;

/// The number of texts in the cache in front of the index, which has to hash.
///
/// Most columns have a few hundred texts.
const RECENT: usize = 256;

#[derive(Default)]
pub(super) struct Builder {
    pub(super) column: Column,
    index: HashMap<Box<str>, u32>,
    /// The indices of recent texts by [`cache_slot`].
    recent: Vec<u32>,
}

impl Builder {
    /// Adds the cell of the next row; a text is stored once for all its rows.
    #[inline]
    pub(super) fn push(&mut self, value: &RawCell<'_>) {
        let cell = cell_of(value, |text| self.intern(text));
        self.column.cells.push(cell.packed());
    }

    /// Adds a converted cell as [`Builder::push`] does.
    ///
    /// Only few cells are converted.
    #[inline(never)]
    pub(super) fn push_other(&mut self, value: &RawCell<'_>) {
        self.push(value);
    }

    /// The index of a text among the column's distinct texts, added if it is new. Looks into the cache first.
    #[inline(never)]
    fn intern(&mut self, text: &str) -> u32 {
        let slot = cache_slot(text.as_bytes());
        if let Some(index) = self.recent.get(slot)
            && let Some(known) = self.column.texts.get(*index as usize)
            && known.unescaped() == text
        {
            return *index;
        }
        let index = self.look_up(text);
        self.recent.resize(RECENT, u32::MAX);
        self.recent[slot] = index;
        index
    }

    /// The index of a text among the column's distinct texts, added if it is new, without the cache.
    fn look_up(&mut self, text: &str) -> u32 {
        if let Some(known) = self.index.get(text) {
            return *known;
        }
        let index = u32::try_from(self.column.texts.len()).unwrap_or(u32::MAX);
        self.column.texts.push(Untrusted::from(text));
        self.index.insert(text.into(), index);
        index
    }
}

/// Converts a received value to a cell; `intern` returns the index of a text.
#[inline]
fn cell_of(value: &RawCell<'_>, intern: impl FnOnce(&str) -> u32) -> Cell {
    match value {
        RawCell::Missing => Cell::Missing,
        RawCell::Null => Cell::Null,
        RawCell::Flag(flag) => Cell::Flag(*flag),
        RawCell::Number(number) => Cell::Number(*number),
        RawCell::Bad(kind) => Cell::Bad(*kind),
        RawCell::Text(text) => Cell::Text(intern(text)),
    }
}

impl Column {
    /// A column of a single row.
    pub(super) fn single_row(value: &RawCell<'_>) -> Self {
        let mut texts = Vec::new();
        let cell = cell_of(value, |text| {
            texts.push(Untrusted::from(text));
            0
        });
        Self {
            cells: vec![cell.packed()],
            texts,
            ..Self::default()
        }
    }
}

/// The cache slot of a text, by its length and ends: two texts in one slot only cost a look-up.
fn cache_slot(text: &[u8]) -> usize {
    let end = text.last_chunk().map_or_else(
        || text.iter().fold(0, |word, byte| word << 8 | u32::from(*byte)),
        |end| u32::from_le_bytes(*end),
    );
    let start = text.first_chunk().map_or(0, |start| u32::from_le_bytes(*start));
    // Fibonacci hashing: the upper bits are well mixed.
    let mixed = (end ^ start.rotate_left(15)).wrapping_mul(0x9E37_79B9);
    (mixed >> 24) as usize ^ (text.len() % RECENT)
}
