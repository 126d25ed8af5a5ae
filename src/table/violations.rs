//! Table cells that break a condition that the market was sent.

use super::browser::Browser;
use crate::domain::{Field, Query, Source};

impl Browser {
    /// Whether a column has cells that break a condition that the market was sent.
    pub fn is_accused(&self, field: &Field) -> bool {
        self.violations()
            .iter()
            .any(|violation| reads_same(violation.field, field))
    }

    /// Whether a cell breaks a condition that the market was sent.
    pub fn is_violating(&self, row: usize, field: &Field) -> bool {
        !self.violations().is_empty()
            && self.violations().iter().any(|violation| {
                reads_same(violation.field, field)
                    && self.listing().is_some_and(|listing| {
                        let cell = listing.sent_column(violation.field).cell(row);
                        self.shown_query()
                            .into_iter()
                            .flat_map(Query::active)
                            .any(|condition| condition.field == violation.field && condition.is_broken_by(cell))
                    })
            })
    }

    /// The columns with such cells that the person has not chosen.
    pub fn accused(&self) -> Vec<&'static Field> {
        let is_chosen = |field: &Field| self.columns.iter().any(|shown| reads_same(field, shown));
        let catalog = self.query.catalog();
        let hidden = self.violations().iter().map(|violation| violation.field);
        let mut hidden: Vec<&'static Field> = hidden
            .filter(|field| !is_chosen(field))
            .filter_map(|field| catalog.columns().find(|column| reads_same(field, column)))
            .collect();
        hidden.dedup();
        hidden
    }
}

/// Whether two fields read the same member: a violation of `verified` shows on `verification`.
fn reads_same(condition: &Field, column: &Field) -> bool {
    let member = |field: &Field| match field.source {
        Source::Member(name)
        | Source::Known(name)
        | Source::Search(name)
        | Source::TextIs(name, _)
        | Source::NumberIs(name, _)
        | Source::TimeLeft(name, _) => Some(name),
        _ => None,
    };
    condition == column || member(condition).is_some_and(|name| member(column) == Some(name))
}
