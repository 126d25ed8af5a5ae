//! The values offered for a condition, from the catalog and the loaded rows.

use crate::domain::field::Format;
use crate::domain::text::visible;
use crate::domain::{Dialect, Field, Kind, Listing, Operand, Value, Version, country, format, insight, language};

/// Maximum number of distinct numbers offered as values.
///
/// With more of them, a user types a bound instead of choosing one.
const NUMBERS: usize = 24;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Choice {
    /// The value, in query syntax.
    pub text: String,
    pub label: String,
    /// The number of rows with the value, or its meaning.
    pub note: String,
}

/// Whether a field is a boolean or shown as yes or no.
pub(super) fn is_flag(field: &Field) -> bool {
    field.kind == Kind::Flag || field.format == Format::YesNo
}

/// The values to offer for a condition on `field`: those of the loaded rows, most frequent first, then the
/// rest of the catalog's. Empty if there are none, or too many distinct numbers or times (more than 24).
///
/// A boolean field always has true and false, in this order. Of the country groups, those whose name starts
/// with EU come first and the others last.
pub(super) fn choices(field: &'static Field, listing: Option<&Listing>) -> Vec<Choice> {
    let counted = listing.map_or_else(Vec::new, |listing| counts(field, listing));
    let rows = |count: usize| format!("{} here", format::counted(count, "row", "rows"));
    let choice = |value: &Value, note: String| Choice {
        text: language::print_value(field, value),
        label: match value {
            Value::Text(text) => text.clone(),
            Value::Flag(flag) => flag.to_string(),
            Value::Null => "no value".to_owned(),
            value => language::print_value(field, value),
        },
        note,
    };
    if is_flag(field) {
        let flags = [Value::Flag(true), Value::Flag(false)];
        return flags
            .iter()
            .map(|value| {
                let count = counted.iter().find(|(seen, _)| equals_flag(seen, value));
                choice(value, count.map_or_else(String::new, |(_, count)| rows(*count)))
            })
            .collect();
    }
    let mut choices: Vec<Choice> = counted
        .iter()
        .map(|(value, count)| {
            let as_shown = match value {
                Value::Number(number) => format::number(field, *number) + ", ",
                _ => String::new(),
            };
            choice(value, as_shown + &rows(*count))
        })
        .collect();
    for known in field.choices {
        let known = choice(&Value::Text((*known).to_owned()), String::new());
        if !choices.iter().any(|choice| choice.text == known.text) {
            choices.push(known);
        }
    }
    if field.kind == Kind::Country {
        let groups = country::GROUPS.iter().map(|(name, codes)| Choice {
            text: (*name).to_owned(),
            label: (*name).to_owned(),
            note: format!("{} countries", codes.len()),
        });
        // EU and Europe are chosen most; the others would hide the countries that are here.
        let (first, other_groups): (Vec<_>, Vec<_>) = groups.partition(|choice| choice.text.starts_with("EU"));
        choices.splice(0..0, first);
        choices.extend(other_groups);
    }
    choices
}

/// Whether a value of a row equals the boolean `flag`: a number counts as true unless it is 0; null and texts
/// equal neither true nor false.
fn equals_flag(seen: &Value, flag: &Value) -> bool {
    match (seen, flag) {
        (Value::Number(number), Value::Flag(flag)) => (*number != 0.0) == *flag,
        (seen, flag) => seen == flag,
    }
}

/// The distinct values of the loaded rows with their counts, most frequent first; empty for a numeric or time
/// field with more than 24 distinct values.
///
/// Lists, texts that cannot be written in a query, and times that cannot be parsed are left out.
fn counts(field: &'static Field, listing: &Listing) -> Vec<(Value, usize)> {
    let rows: Vec<u32> = (0..u32::try_from(listing.len()).unwrap_or(u32::MAX)).collect();
    let counted: Vec<(Value, usize)> = insight::facets(listing, &rows, field)
        .into_iter()
        .filter_map(|(value, count)| match value.condition(field).operand {
            Operand::One(value) => Some((value, count)),
            Operand::Many(_) => None,
        })
        .filter(|(value, _)| match value {
            // A moment that cannot be parsed cannot be written in a query either.
            Value::Text(_) if field.kind == Kind::Timestamp => false,
            Value::Text(text) => visible(text, 80) == *text,
            _ => true,
        })
        .collect();
    if (field.kind.is_numeric() || field.kind == Kind::Timestamp) && counted.len() > NUMBERS {
        return Vec::new();
    }
    counted
}

/// The range of a field in the loaded rows: `$0.1 to $3.2/h`, or its only value. `None` for a field without a numeric range
/// (text, boolean, id, timestamp) and if no row has a value.
pub(super) fn range(field: &'static Field, listing: &Listing, dialect: &Dialect) -> Option<String> {
    if !field.kind.is_numeric() || is_flag(field) || field.kind == Kind::Id {
        return None;
    }
    let column = listing.column(field);
    let numbers = (0..listing.len()).filter_map(|row| insight::numeric(column, field.kind, row));
    let ends = numbers.fold(None, |ends: Option<(f64, f64)>, number| {
        Some(ends.map_or((number, number), |(low, high)| (low.min(number), high.max(number))))
    });
    let (low, high) = ends?;
    let most = format::with_unit(field, high, dialect);
    if low >= high {
        return Some(most);
    }
    let sign = if most.starts_with('$') { "$" } else { "" };
    Some(format!("{sign}{} to {most}", format::number(field, low)))
}

/// Minimum, maximum and median of a field in the loaded rows, as `rows here: 1 to 8, half of them up to 2`.
/// `None` for text, booleans and ids, and if no row has a value.
pub(super) fn spread(field: &'static Field, listing: &Listing) -> Option<String> {
    let is_ranged = field.kind.is_numeric() || field.kind == Kind::Timestamp;
    if !is_ranged || is_flag(field) || field.kind == Kind::Id {
        return None;
    }
    let column = listing.column(field);
    let mut numbers: Vec<f64> = (0..listing.len())
        .filter_map(|row| insight::numeric(column, field.kind, row))
        .collect();
    numbers.sort_by(f64::total_cmp);
    let (first, last) = (numbers.first()?, numbers.last()?);
    let middle = insight::quantile(&numbers, 0.5)?;
    let shown = |number: f64| match field.kind {
        Kind::Version => language::print_value(field, &version(number)),
        _ => format::number(field, number),
    };
    Some(format!(
        "rows here: {} to {}, half of them up to {}",
        shown(*first),
        shown(*last),
        shown(middle)
    ))
}

/// The version of a numeric version code, as a query value; a negative code counts as 0.
fn version(code: f64) -> Value {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a cast saturates
    Value::Version(Version::from_code(code.max(0.0) as u64))
}
