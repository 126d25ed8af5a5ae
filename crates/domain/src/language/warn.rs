//! Warnings for valid conditions that are probably mistakes.

use super::print::print_value;
use crate::dialect::Dialect;
use crate::field::{Field, Kind, Operator, Unit};
use crate::format;
use crate::query::Condition;
use crate::value::Value;

/// The warning about a condition that is probably a mistake: a number out of the plausible range, one too
/// large for its unit, or memory compared for equality. `None` if it is plausible.
///
/// ```
/// use bourse_domain::{Dialect, OFFERS, language};
/// let dialect = &Dialect::DOCUMENTED;
/// let parsed = language::parse("gpu_ram=24", &OFFERS, dialect, &[], language::Mode::Strict)?;
/// let warning = language::warning(&parsed.conditions[0], dialect);
/// assert!(warning.is_some_and(|warning| warning.contains("gpu_ram>=24")));
/// # Ok::<(), language::LanguageError>(())
/// ```
pub fn warning(condition: &Condition, dialect: &Dialect) -> Option<String> {
    let values = condition.operand.values();
    values
        .iter()
        .find_map(|value| range(condition, value, dialect))
        .or_else(|| values.iter().find_map(|value| slip(condition.field, value)))
        .or_else(|| memory(condition, values))
}

/// The warning about a time of 1,800 days or more, or 4,000 GB or more, where seconds or MB were probably
/// meant; `None` for other units and for smaller numbers.
fn slip(field: &Field, value: &Value) -> Option<String> {
    let Value::Number(number) = value else {
        return None;
    };
    // No offer lasts five years, and none has 4 TB of memory; an hour is 3,600 seconds, 4 GB are 4,000 MB.
    let (least, unit, smaller, suffix) = match field.unit {
        Unit::Seconds => (1_800.0, "days", "seconds", "s"),
        Unit::Megabytes => (4_000.0, "GB", "MB", "MB"),
        _ => return None,
    };
    let typed = number / field.unit.query_factor();
    (typed >= least).then(|| {
        let (key, bare) = (field.key, format::trimmed(typed, 0));
        let shown = format::figure(typed, 0);
        format!("{key}: {bare} is read as {shown} {unit}; for {smaller} write {bare}{suffix}")
    })
}

/// The warning about a number outside the plausible range of its field. `None` if it is inside, the field has
/// no range, or every record satisfies the condition (such as `num_gpus>0` or a `!=`) and the number is no
/// slip of units.
fn range(condition: &Condition, value: &Value, dialect: &Dialect) -> Option<String> {
    let field = condition.field;
    let (low, high) = field.range?;
    let Value::Number(number) = value else {
        return None;
    };
    if (low..=high).contains(number) {
        return None;
    }
    let is_below = *number < low;
    let finds_nothing = match condition.operator {
        Operator::Eq | Operator::In => true,
        Operator::Lt | Operator::Lte => is_below,
        Operator::Gt | Operator::Gte => !is_below,
        Operator::Neq | Operator::Nin => false,
    };
    let meant = meant(field, *number);
    // A bound that every record satisfies is harmless (`num_gpus>0`), unless it is a slip of units.
    if !finds_nothing && meant.is_none() {
        return None;
    }
    let bound = |bound: f64| format::with_unit(field, bound, dialect);
    let mut message = format!(
        "{} is outside the usual range of {}: {} to {}",
        print_value(field, value),
        field.key,
        bound(low),
        bound(high),
    );
    if let Some(meant) = meant {
        message.push_str("; write ");
        message.push_str(&meant);
    }
    Some(message)
}

/// The number that was probably meant by one out of range, as text: a percentage, MB in place of GB, or a
/// compute capability times 100. `None` if no such correction is plausible.
fn meant(field: &Field, number: f64) -> Option<String> {
    let (low, high) = field.range?;
    match field.unit {
        Unit::Ratio if (low..=high).contains(&(number / 100.0)) => Some(format!("{}%", format::trimmed(number, 4))),
        // MB typed in place of GB: 24000 became 24000 GB.
        Unit::Megabytes if (low..=high).contains(&(number / 1000.0)) => {
            Some(format!("{}MB", format::trimmed(number / 1000.0, 0)))
        }
        Unit::Capability if (low..=high).contains(&(number * 100.0)) => Some(format::trimmed(number * 100.0, 0)),
        _ => None,
    }
}

/// The warning about a whole number of GB compared by `=` or `in` on a field of memory: cards report a little
/// more or less than that. `None` for other fields, operators and sizes.
fn memory(condition: &Condition, values: &[Value]) -> Option<String> {
    let field = condition.field;
    let is_equality = matches!(condition.operator, Operator::Eq | Operator::In);
    if field.unit != Unit::Megabytes || field.kind != Kind::Number || !is_equality {
        return None;
    }
    let round = values
        .iter()
        .find(|value| matches!(value, Value::Number(megabytes) if *megabytes > 0.0 && megabytes % 1000.0 == 0.0))?;
    let value = print_value(field, round);
    Some(format!(
        "few machines report exactly {value} GB (a 24 GB card has 24564 MB): {}>={value} finds them",
        field.key
    ))
}
