//! Filtering of rows, column by column.

use super::Listing;
use crate::domain::query::Condition;
use crate::domain::value::CellRef;

impl Listing {
    /// The rows, in the server's order, that meet all `conditions`.
    pub fn matching<'a>(&self, conditions: impl IntoIterator<Item = &'a Condition>) -> Vec<u32> {
        let mut rows: Vec<u32> = (0..u32::try_from(self.len()).unwrap_or(u32::MAX)).collect();
        for condition in conditions {
            let column = self.column(condition.field);
            // Texts are interned: each is compared once, however many rows have it.
            let texts = column.texts().iter();
            let texts: Vec<bool> = texts
                .map(|text| condition.accepts(CellRef::Text(text.compared())))
                .collect();
            rows.retain(|row| match column.text_index(*row as usize) {
                Some(text) => texts[text],
                None => condition.accepts(column.cell(*row as usize)),
            });
        }
        rows
    }
}
