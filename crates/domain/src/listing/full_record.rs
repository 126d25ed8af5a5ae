//! One record with all its fields, for a detail view, which must not read columns of all rows.

use super::estimate::Estimate;
use super::{CellRef, Column};
use crate::catalog::Catalog;
use crate::field::Field;
use crate::text::Untrusted;

/// One record, with every field of its catalog read.
#[derive(Debug)]
pub struct FullRecord {
    catalog: &'static Catalog,
    columns: Vec<Column>,
}

impl FullRecord {
    /// The record whose cells are the first rows of `columns`, one for each field of the catalog.
    pub(super) const fn new(catalog: &'static Catalog, columns: Vec<Column>) -> Self {
        Self { catalog, columns }
    }

    pub const fn catalog(&self) -> &'static Catalog {
        self.catalog
    }

    /// The cell of a field, to compare; missing for computed columns and fields of other catalogs.
    pub fn cell(&self, field: &Field) -> CellRef<'_> {
        self.catalog
            .position(field)
            .and_then(|position| self.columns.get(position))
            .map_or(CellRef::Missing, |column| column.cell(0))
    }

    /// The text of a field, to display; `None` if the cell is not a text.
    pub fn text(&self, field: &Field) -> Option<&Untrusted> {
        self.columns.get(self.catalog.position(field)?)?.text(0)
    }

    /// The record with the adjusted prices of an estimate.
    pub(super) fn estimated(mut self, estimate: &Estimate) -> Self {
        let sent = |key: &str| {
            self.catalog
                .by_key(key)
                .map_or(CellRef::Missing, |field| self.cell(field))
        };
        let moved: Vec<(usize, Column)> = self
            .catalog
            .fields()
            .iter()
            .enumerate()
            .filter_map(|(position, field)| Some((position, Column::single_row(&estimate.cell(field.key, &sent)?))))
            .collect();
        for (position, column) in moved {
            self.columns[position] = column;
        }
        self
    }
}
