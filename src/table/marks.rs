//! Marked rows: to compare, copy and export, and as the result of a plan.

use std::collections::BTreeSet;

use super::browser::Browser;
use crate::domain::{Condition, Operand, Operator, Value};

impl Browser {
    /// Whether a row is marked, by the user or as part of a plan.
    ///
    /// A marked row gets no note that another offer beats it: a plan is the cheapest as a whole.
    pub fn is_marked(&self, row: usize) -> bool {
        let id = self.listing().and_then(|listing| listing.id(row));
        id.is_some_and(|id| self.marks.contains(&id))
    }

    /// Marks the selected row, or unmarks it, and selects the next.
    pub(crate) fn mark(&mut self) {
        if self.selected().is_some() {
            self.toggle_mark();
            self.step(1);
        }
    }

    /// Unmarks all rows; without marks, marks the loaded ones of those again that were unmarked last.
    pub(crate) fn unmark_all(&mut self) {
        if self.marks.is_empty() {
            self.marks = std::mem::take(&mut self.unmarked);
            self.unmark_absent();
        } else {
            self.unmarked = std::mem::take(&mut self.marks);
        }
    }

    /// Whether rows can be unmarked together, or marked again.
    pub fn has_marks(&self) -> bool {
        !self.marks.is_empty() || !self.unmarked.is_empty()
    }

    /// The condition that finds exactly the marked rows; `None` without marks or for records without an id
    /// that a search can name.
    pub fn marked_condition(&self) -> Option<Condition> {
        let field = self.query.catalog().by_key("id")?;
        let ids: Vec<_> = self.marks.iter().map(|id| Value::id(id.0.into())).collect();
        (!ids.is_empty()).then(|| Condition::new(field, Operator::In, Operand::Many(ids)))
    }

    /// Unmarks rows that are not loaded: they are invisible and cannot be compared. Rows that are only
    /// filtered out stay marked.
    pub(crate) fn unmark_absent(&mut self) {
        let listing = self.rows.listing();
        self.marks
            .retain(|id| listing.is_some_and(|listing| listing.row(*id).is_some()));
    }

    /// The listing's numbers of the marked rows: the visible ones in display order, then the others.
    pub fn marked_rows(&self) -> Vec<u32> {
        let Some(listing) = self.listing() else {
            return Vec::new();
        };
        if self.marks.is_empty() {
            return Vec::new();
        }
        let is_marked = |row: &u32| listing.id(*row as usize).is_some_and(|id| self.marks.contains(&id));
        let mut rows: Vec<u32> = self.view().iter().copied().filter(is_marked).collect();
        let seen: BTreeSet<u32> = rows.iter().copied().collect();
        let all = 0..u32::try_from(listing.len()).unwrap_or(u32::MAX);
        rows.extend(all.filter(|row| !seen.contains(row) && is_marked(row)));
        rows
    }

    /// Marks the selected row, or unmarks it; the selection stays.
    pub fn toggle_mark(&mut self) {
        if let Some(id) = self.selected()
            && !self.marks.remove(&id)
        {
            self.marks.insert(id);
        }
    }
}
