//! Removal of rows that the user hides, so that no table, chart or sum has to skip them.

use std::sync::OnceLock;

use super::{Column, Listing};

impl Listing {
    /// Removes the rows for which `is_hidden` is true; returns their number.
    ///
    /// Other rows get new numbers and keep their ids. [`Listing::hidden`] counts the removed ones.
    pub fn hide(&mut self, is_hidden: &[bool]) -> usize {
        let many = is_hidden.iter().filter(|is_hidden| **is_hidden).count();
        if many == 0 {
            return 0;
        }
        remove_hidden(&mut self.ids, is_hidden);
        let hidden = self.spans.iter().zip(is_hidden).filter(|(_, is_hidden)| **is_hidden);
        self.hidden_spans.extend(hidden.map(|(span, _)| span.clone()));
        remove_hidden(&mut self.spans, is_hidden);
        for column in &mut self.columns {
            if let Some(column) = column.get_mut() {
                column.hide(is_hidden);
            }
        }
        self.by_id = OnceLock::new();
        self.forget_prices();
        self.hidden += many;
        many
    }

    /// The number of received rows removed by [`Listing::hide`].
    pub const fn hidden(&self) -> usize {
        self.hidden
    }
}

impl Column {
    /// Removes the cells of the rows for which `is_hidden` is true.
    fn hide(&mut self, is_hidden: &[bool]) {
        // A blank computed column has no cells.
        remove_hidden(&mut self.cells, is_hidden);
    }
}

/// Removes the elements whose flag is true; elements without a flag stay.
fn remove_hidden<T>(rows: &mut Vec<T>, is_hidden: &[bool]) {
    let mut is_hidden = is_hidden.iter();
    rows.retain(|_| is_hidden.next() != Some(&true));
}
