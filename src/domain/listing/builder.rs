//! Fills a column cell by cell, every different text kept once.

use std::collections::HashMap;

use super::raw_cell::RawCell;
use super::{Cell, Column};
use crate::domain::text::Untrusted;

#[derive(Default)]
pub(super) struct Builder {
    pub(super) column: Column,
    index: HashMap<Box<str>, u32>,
}

impl Builder {
    pub(super) fn push(&mut self, value: RawCell<'_>) {
        let cell = match value {
            RawCell::Missing => Cell::Missing,
            RawCell::Null => Cell::Null,
            RawCell::Flag(flag) => Cell::Flag(flag),
            RawCell::Number(number) => Cell::Number(number),
            RawCell::Bad(found) => Cell::Bad(found),
            RawCell::Text(text) => Cell::Text(self.intern(&text)),
        };
        self.column.cells.push(cell);
    }

    fn intern(&mut self, text: &str) -> u32 {
        if let Some(known) = self.index.get(text) {
            return *known;
        }
        let index = u32::try_from(self.column.texts.len()).unwrap_or(u32::MAX);
        self.column.texts.push(Untrusted::from(text));
        self.index.insert(text.into(), index);
        index
    }
}
