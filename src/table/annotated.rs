//! The user's annotations in the table: banned rows are hidden, starred ones can be listed alone.

use std::sync::Arc;

use super::browser::Browser;
use crate::domain::annotations::{Annotations, Bans};
use crate::domain::{Condition, Listing, Operand, Operator, Value};

impl Browser {
    /// Applies stars, notes and bans to the loaded rows; with `hides`, removes banned rows, also from
    /// recorded rows and the earlier responses that auto-refresh compares with.
    pub(crate) fn annotate(&mut self, all: &Arc<Annotations>, hides: bool, bans: Bans) {
        self.computed.annotations = Arc::clone(all);
        self.computed.bans = bans;
        if hides {
            let kept = self.watch.iter_mut().flat_map(|watch| watch.kept_mut());
            for earlier in kept {
                all.hide_banned(earlier);
            }
            self.hide_banned_recorded(all);
            let hidden = self.listing_mut().map_or(0, |shown| all.hide_banned(shown));
            if hidden > 0 {
                self.unmark_absent();
            }
        }
        self.revalue();
    }

    /// Number of loaded rows that are hidden by bans.
    pub fn hidden(&self) -> usize {
        self.listing().map_or(0, Listing::hidden)
    }

    /// Whether an enabled condition of the query is about stars.
    pub fn is_starred_only(&self) -> bool {
        self.query.active().any(is_starred)
    }

    /// Adds the condition that lists only starred rows, or, if an enabled condition is about stars, removes
    /// all that are, and applies the new conditions.
    pub fn toggle_starred_only(&mut self) {
        let mut conditions = self.query.conditions.clone();
        if self.is_starred_only() {
            conditions.retain(|condition| !is_starred(condition));
        } else if let Some(field) = self.query.catalog().column("starred") {
            let starred = Operand::One(Value::Number(1.0));
            conditions.push(Condition::new(field, Operator::Eq, starred));
        }
        self.change_conditions(conditions);
    }
}

/// Whether a condition is about the column of stars.
fn is_starred(condition: &Condition) -> bool {
    condition.field.key == "starred"
}
