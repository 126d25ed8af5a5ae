//! Table cells that break a condition sent to the market.

use super::browser::Browser;
use crate::domain::{Field, Query, Source};

impl Browser {
    /// Whether a column shows the field of a condition that rows of the response break.
    pub fn is_accused(&self, field: &Field) -> bool {
        self.violations()
            .iter()
            .any(|violation| reads_same(violation.field, field))
    }

    /// Whether the cell of `row` in a column breaks a condition sent to the market.
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

    /// The columns whose cells break a condition sent to the market, in the order of the conditions; a chosen
    /// column is preferred to another with the same data.
    pub fn violated_columns(&self) -> Vec<&'static Field> {
        let catalog = self.query.catalog();
        let column = |field: &Field| {
            let mut columns = self.columns.iter().copied().chain(catalog.columns());
            columns.find(|column| reads_same(field, column))
        };
        let violations = self.violations().iter();
        let mut accused: Vec<&'static Field> = violations.filter_map(|violation| column(violation.field)).collect();
        accused.dedup();
        accused
    }
}

/// Whether two fields read the same member of a record: a violation of `verified` shows on
/// `verification`.
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
