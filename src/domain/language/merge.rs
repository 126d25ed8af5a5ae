//! Merges conditions of one field, and lays a query over its default conditions.

use std::cmp::Ordering;
use std::ops::Range;

use super::error::LanguageError;
use super::print::print_value;
use crate::domain::field::{Field, Kind, Operator};
use crate::domain::query::{Condition, Operand};
use crate::domain::value::Value;

/// A condition and its position in the text.
pub(super) struct Located {
    pub condition: Condition,
    /// The whole condition, in bytes of the text.
    pub span: Range<usize>,
}

/// Adds a condition of a text to the earlier ones. All conditions of a text must match, so none is
/// lost: the tighter of two bounds stays, `!=` twice becomes `notin`, lists are intersected or
/// united; two values with `=` are an error.
pub(super) fn add(list: &mut Vec<Located>, new: Located) -> Result<(), LanguageError> {
    let (field, operator) = (new.condition.field, new.condition.operator);
    if list.iter().any(|old| old.condition == new.condition) {
        return Ok(());
    }
    let Some(index) = find(list, field, operator) else {
        list.push(new);
        return Ok(());
    };
    match operator {
        Operator::Eq => list.push(new), // all of them are told at once by `single`
        Operator::Neq => exclude(list, index, new),
        Operator::In => {
            let kept = common(&list[index].condition.operand, &new.condition.operand);
            if kept.is_empty() {
                let message = format!("the lists of {} have no value in common: merge them", field.key);
                return Err(LanguageError::new(new.span, message));
            }
            list[index].condition.operand = Operand::Many(kept);
        }
        Operator::Nin => unite(&mut list[index].condition.operand, new.condition.operand),
        Operator::Gt | Operator::Gte | Operator::Lt | Operator::Lte => {
            if is_tighter(&new.condition, &list[index].condition) {
                list[index] = new;
            }
        }
    }
    Ok(())
}

fn find(list: &[Located], field: &Field, operator: Operator) -> Option<usize> {
    list.iter()
        .position(|old| old.condition.field == field && old.condition.operator == operator)
}

/// Rejects two or more values with `=` for one field, and suggests a list of all of them.
pub(super) fn single(list: &[Located], text: &str) -> Result<(), LanguageError> {
    for (index, first) in list.iter().enumerate() {
        let field = first.condition.field;
        let is_rival = |rival: &&Located| rival.condition.field == field && rival.condition.operator == Operator::Eq;
        if first.condition.operator != Operator::Eq {
            continue;
        }
        let rivals: Vec<_> = list[index..].iter().filter(is_rival).collect();
        if rivals.len() > 1 {
            return Err(several(field, &rivals, text));
        }
    }
    Ok(())
}

/// The error for `=` with different values.
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

/// A second `!=`: both values go into a `notin` list. Null cannot: lists hold values only.
fn exclude(list: &mut Vec<Located>, index: usize, new: Located) {
    let Located { condition, span } = new;
    let field = condition.field;
    let old = list[index].condition.operand.clone();
    let is_null = |operand: &Operand| *operand == Operand::One(Value::Null);
    let mut listed = Vec::new();
    for operand in [&old, &condition.operand] {
        if let Operand::One(value) = operand
            && *value != Value::Null
        {
            listed.push(value.clone());
        }
    }
    if is_null(&old) || is_null(&condition.operand) {
        list[index].condition.operand = Operand::One(Value::Null);
    } else {
        list.remove(index);
    }
    let listed = Operand::Many(listed);
    match find(list, field, Operator::Nin) {
        Some(nin) => unite(&mut list[nin].condition.operand, listed),
        None => list.push(Located {
            condition: Condition::new(field, Operator::Nin, listed),
            span,
        }),
    }
}

/// The values that two lists share.
fn common(old: &Operand, new: &Operand) -> Vec<Value> {
    match (old, new) {
        (Operand::Many(old), Operand::Many(new)) => {
            let both = old.iter().filter(|value| new.contains(value));
            both.cloned().collect()
        }
        _ => Vec::new(),
    }
}

/// Adds the values of a list that another lacks.
fn unite(old: &mut Operand, new: Operand) {
    if let (Operand::Many(old), Operand::Many(new)) = (old, new) {
        for value in new {
            if !old.contains(&value) {
                old.push(value);
            }
        }
    }
}

fn is_tighter(new: &Condition, old: &Condition) -> bool {
    let (Operand::One(added), Operand::One(existing)) = (&new.operand, &old.operand) else {
        return false;
    };
    let tighter = match new.operator {
        Operator::Gt | Operator::Gte => Ordering::Greater,
        _ => Ordering::Less,
    };
    added.order(existing) == Some(tighter)
}

/// Lays what words say over the conditions of a search: what a field is to be replaces what it was to be, a
/// bound replaces that on its side. Exclusions add up, and so do the values of the fields in `added`. Also
/// returns what was replaced.
pub fn renew(old: Vec<Condition>, mut new: Vec<Condition>, added: &[&str]) -> (Vec<Condition>, Vec<Condition>) {
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
                let mut values = many(condition.operand);
                unite(&mut values, many(new.operand.clone()));
                (new.operator, new.operand) = (Operator::In, values);
            }
            Some(new) if *new == condition => {}
            Some(_) => replaced.push(condition),
        }
    }
    kept.append(&mut new);
    (kept, replaced)
}

fn many(operand: Operand) -> Operand {
    match operand {
        Operand::One(value) => Operand::Many(vec![value]),
        Operand::Many(_) => operand,
    }
}

/// Lays the conditions of a text over the default ones. If the text says what a field equals (or
/// not), it replaces all such defaults; a bound replaces the same bound; `any` removes all. A
/// replacement takes the place of what it replaced.
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
