//! Merges conditions on one field, and overlays a query on its default conditions.

use std::ops::Range;

use super::error::LanguageError;
use super::print::print_value;
use crate::field::{Field, Kind, Operator};
use crate::query::{Condition, Operand, join, unite};
use crate::value::Value;

/// A condition and its position in the text.
struct Located {
    condition: Condition,
    /// The range of the whole condition, in bytes of the text.
    span: Range<usize>,
}

/// The conditions of a text up to a position.
#[derive(Default)]
pub(super) struct Held {
    pub conditions: Vec<Condition>,
    /// The conditions with `=`: an error names all of one field at once.
    equal: Vec<Located>,
}

impl Held {
    /// Adds a condition to the earlier ones. With one of the same field and operator it becomes one: of two
    /// bounds the tighter one, `in` lists intersected, `notin` lists united, two `!=` a `notin` (null stays a
    /// `!=`).
    ///
    /// All conditions of a text must match, so none is lost. `in` lists without a common value are an error
    /// here; different values with `=` are stored side by side, for `Held::check` to reject.
    pub(super) fn add(&mut self, new: Condition, span: Range<usize>) -> Result<(), LanguageError> {
        if new.operator == Operator::Eq {
            if !self.conditions.contains(&new) {
                self.conditions.push(new.clone());
                self.equal.push(Located { condition: new, span });
            }
            return Ok(());
        }
        let mut lists = self.conditions.iter().filter(|old| old.field == new.field);
        let old = lists.find(|old| old.operator == Operator::In && new.operator == Operator::In);
        if old.is_some_and(|old| have_no_common(&old.operand, &new.operand)) {
            let message = format!("the lists of {} have no value in common: merge them", new.field.key);
            return Err(LanguageError::new(span, message));
        }
        join(&mut self.conditions, new);
        Ok(())
    }

    /// Drops the conditions on a field.
    pub(super) fn free(&mut self, field: &Field) {
        self.conditions.retain(|condition| condition.field != field);
        self.equal.retain(|equal| equal.condition.field != field);
    }

    /// Rejects two or more values with `=` for one field, and suggests a list of all of them.
    pub(super) fn check(&self, text: &str) -> Result<(), LanguageError> {
        for (index, first) in self.equal.iter().enumerate() {
            let field = first.condition.field;
            let rivals = self.equal[index..]
                .iter()
                .filter(|rival| rival.condition.field == field);
            let rivals: Vec<_> = rivals.collect();
            if rivals.len() > 1 {
                return Err(several(field, &rivals, text));
            }
        }
        Ok(())
    }
}

/// Whether two lists have no value in common; true also if one is a single value.
fn have_no_common(old: &Operand, new: &Operand) -> bool {
    match (old, new) {
        (Operand::Many(old), Operand::Many(new)) => !old.iter().any(|value| new.contains(value)),
        _ => true,
    }
}

/// The error for `=` with different values on one field; suggests a list of them, except of flags and null.
fn several(field: &Field, rivals: &[&Located], text: &str) -> LanguageError {
    let (first, second) = (&rivals[0].span, &rivals[1].span);
    let values: Vec<_> = rivals
        .iter()
        .filter_map(|rival| match &rival.condition.operand {
            Operand::One(value) if *value != Value::Null => Some(print_value(field, value)),
            _ => None,
        })
        .collect();
    if field.kind == Kind::Flag || values.len() < rivals.len() {
        let message = format!("{} cannot equal two values: keep one", field.key);
        return LanguageError::new(second.clone(), message);
    }
    let list = format!("{} in [{}]", field.key, values.join(","));
    let message = format!(
        "{} cannot equal several values at once; for any of them write {list}",
        field.key
    );
    let mut merged = list;
    let mut end = first.end;
    for rival in &rivals[1..] {
        let between = text.get(end..rival.span.start).unwrap_or_default();
        merged.push_str(between.trim_end());
        end = rival.span.end;
    }
    LanguageError::new(second.clone(), message).suggest(first.start..end, merged)
}

/// Overlays `new` conditions on the `old` ones of a search: returns all conditions, the kept ones first, and
/// then the replaced ones, without those that are repeated unchanged.
///
/// The newer condition on a field replaces the older, a bound the one on its side. Exclusions add up, and so
/// do the values of the fields in `added`.
pub fn overlay(old: Vec<Condition>, mut new: Vec<Condition>, added: &[&str]) -> (Vec<Condition>, Vec<Condition>) {
    let is_equal = |condition: &Condition| matches!(condition.operator, Operator::Eq | Operator::In);
    let excludes = |condition: &Condition| matches!(condition.operator, Operator::Neq | Operator::Nin);
    let is_upper = |condition: &Condition| matches!(condition.operator, Operator::Lt | Operator::Lte);
    let (mut kept, mut replaced) = (Vec::new(), Vec::new());
    for condition in old {
        let rival = new.iter_mut().find(|new| {
            let is_other_end = |new: &Condition| is_upper(new) != is_upper(&condition);
            let is_free = excludes(new) || excludes(&condition);
            let is_range = !is_equal(new) && !is_equal(&condition);
            new.field == condition.field && !is_free && !(is_range && is_other_end(new))
        });
        match rival {
            None => kept.push(condition),
            Some(new) if is_equal(&condition) && added.contains(&new.field.key) => {
                let mut values = into_values(condition.operand);
                unite(&mut values, into_values(new.operand.clone()));
                (new.operator, new.operand) = (Operator::In, Operand::Many(values));
            }
            Some(new) if *new == condition => {}
            Some(_) => replaced.push(condition),
        }
    }
    kept.append(&mut new);
    (kept, replaced)
}

/// The values of an operand as a list, which has one for a single value.
fn into_values(operand: Operand) -> Vec<Value> {
    match operand {
        Operand::One(value) => vec![value],
        Operand::Many(values) => values,
    }
}

/// Overlays the conditions of a text on the default ones.
///
/// `=`, `!=` and lists replace the default ones of these kinds on the field, a bound the same bound; a freed
/// field loses its default ones. A condition takes the position of the first one that it replaces; those that
/// replace none come last.
pub(super) fn over(seed: &[Condition], conditions: Vec<Condition>, freed: &[&'static Field]) -> Vec<Condition> {
    let mut placed = vec![false; conditions.len()];
    let mut laid = Vec::new();
    for old in seed {
        let replaces = |new: &Condition| {
            let same_bound = new.operator == old.operator;
            let equalities = !new.operator.is_ordering() && !old.operator.is_ordering();
            new.field == old.field && (same_bound || equalities)
        };
        if !freed.contains(&old.field) && !conditions.iter().any(replaces) {
            laid.push(old.clone());
        }
        for (new, placed) in conditions.iter().zip(&mut placed) {
            if !*placed && replaces(new) {
                *placed = true;
                laid.push(new.clone());
            }
        }
    }
    let rest = conditions.into_iter().zip(placed).filter(|(_, placed)| !placed);
    laid.extend(rest.map(|(condition, _)| condition));
    laid
}
