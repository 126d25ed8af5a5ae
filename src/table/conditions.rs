//! Changes of the table's conditions that are not typed: jumps to a host, a machine or a group, and
//! the way back.

use super::browser::Browser;
use crate::domain::{Condition, Field, Operand, Operator, Resource, Value};

/// GPUs of the largest machines that are common.
const USUAL_GPUS: f64 = 8.0;

impl Browser {
    /// Starts editing the query with the field's key added at its end, for the user to complete the
    /// condition.
    pub fn begin_condition(&mut self, field: &Field) {
        self.bar.edit();
        let text = format!("{}{} ", self.bar.input.text(), field.key);
        self.bar.input.set(text);
        self.query_typed();
    }

    /// Replaces the conditions of the query, filters the loaded rows by the local ones and shows the query in
    /// the bar; the caller sends it. The old query and the new one are added to the bar's history.
    pub fn change_conditions(&mut self, conditions: Vec<Condition>) {
        let before = self.query_text();
        self.bar.remember(&before);
        self.query.conditions = conditions;
        self.revalue();
        self.show_query_in_bar();
        let after = self.query_text();
        self.bar.remember(&after);
    }

    /// Replaces the conditions on the fields of `conditions` by these; [`Browser::jump_back`]
    /// undoes it.
    pub fn narrow_to(&mut self, conditions: Vec<Condition>) {
        let mut kept = self.query.conditions.clone();
        kept.retain(|old| conditions.iter().all(|new| new.field != old.field));
        kept.extend(conditions);
        self.jump_to(kept);
    }

    /// Replaces all conditions of the query, by those of a host, a machine or a group; the caller sends it.
    /// [`Browser::jump_back`] undoes it. If the conditions were changed since the last jump, that and earlier
    /// ones can no longer be undone.
    pub fn jump_to(&mut self, conditions: Vec<Condition>) {
        let before = self.query.conditions.clone();
        // The user has changed the query since the last jump, which can no longer be undone.
        if self.jumps.last().is_some_and(|(_, to)| *to != before) {
            self.jumps.clear();
        }
        self.jumps.push((before, conditions.clone()));
        self.change_conditions(conditions);
    }

    /// Restores the conditions before the last jump; false if there was none or the conditions were changed
    /// since, and then earlier jumps cannot be undone either.
    pub fn jump_back(&mut self) -> bool {
        let last = self.jumps.pop();
        let Some((before, _)) = last.filter(|(_, to)| *to == self.query.conditions) else {
            self.jumps.clear();
            return false;
        };
        self.change_conditions(before);
        true
    }

    /// The condition that finds all offers of the selected row's host; `None` if no row is selected or it
    /// names no host.
    pub fn host_condition(&self) -> Option<Condition> {
        let field = Resource::Offers.catalog().by_key("host_id")?;
        let host = self.listing()?.cell(self.selected_row()?, field).whole()?;
        let operand = Operand::One(Value::id(host));
        Some(Condition::new(field, Operator::Eq, operand))
    }

    /// The lowest number of GPUs that meets the first active `=`, `>` or `>=` condition on it (9 for
    /// `num_gpus>8`); `None` without one.
    pub fn gpus_asked(&self) -> Option<f64> {
        let mut conditions = self
            .query
            .active()
            .filter(|condition| condition.field.key == "num_gpus");
        conditions.find_map(|condition| match (condition.operator, &condition.operand) {
            (Operator::Eq | Operator::Gte, Operand::One(Value::Number(gpus))) => Some(gpus.ceil()),
            (Operator::Gt, Operand::One(Value::Number(gpus))) => Some(gpus.floor() + 1.0),
            _ => None,
        })
    }

    /// The number of [`Browser::gpus_asked`], if it is more than 8, which an offer seldom has; else `None`.
    pub fn gpus_beyond_an_offer(&self) -> Option<f64> {
        self.gpus_asked().filter(|gpus| *gpus > USUAL_GPUS)
    }
}
