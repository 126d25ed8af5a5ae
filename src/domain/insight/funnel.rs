//! Why so few? What each condition costs, worked out on one wide answer.

use super::numeric;
use crate::domain::dialect::Dialect;
use crate::domain::field::{Field, Kind, Operator};
use crate::domain::language;
use crate::domain::listing::Listing;
use crate::domain::query::{Condition, Operand};
use crate::domain::value::{CellRef, Value, Version};

#[derive(Debug, Clone, PartialEq)]
pub struct FunnelLine {
    /// The condition's place in the list that was given.
    pub condition: usize,
    /// How many rows it would take away if it were the only one.
    pub alone: usize,
    /// How many rows it takes away last, when all others hold: so many come back without it.
    pub last: usize,
    /// How many of those that it takes away alone do not say: their cell is blank or unusable.
    pub silent: usize,
    /// For a bound: the value nearest to it among the rows that it alone takes away, so that the
    /// bound loosened to this value brings the first of them back.
    pub nearest: Option<f64>,
    /// Whether any record says anything. If none does, the condition cannot be judged from the
    /// answer and is taken to hold.
    pub judged: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Funnel {
    /// How many rows the wide answer has.
    pub total: usize,
    /// How many satisfy every condition that can be judged.
    pub matching: usize,
    /// The conditions in force: the one that brings most rows back first, then the one that costs
    /// most alone.
    pub lines: Vec<FunnelLine>,
}

/// Works out what each of the `conditions` in force costs on the rows of a wide answer, one that was
/// asked for without them.
pub fn funnel(listing: &Listing, conditions: &[Condition]) -> Funnel {
    let mut judges: Vec<_> = conditions
        .iter()
        .enumerate()
        .filter(|(_, condition)| condition.enabled)
        .map(|(index, condition)| {
            let column = listing.column(condition.field);
            let line = FunnelLine {
                condition: index,
                alone: 0,
                last: 0,
                silent: 0,
                nearest: None,
                judged: column.filled() > 0 || is_about_silence(condition),
            };
            (condition, column, line)
        })
        .collect();
    let mut matching = 0;
    for row in 0..listing.len() {
        let mut failed = 0;
        let mut culprit = 0;
        for (place, (condition, column, line)) in judges.iter_mut().enumerate() {
            let cell = column.cell(row);
            if !line.judged || condition.accepts(cell) {
                continue;
            }
            failed += 1;
            culprit = place;
            line.alone += 1;
            line.silent += usize::from(cell.is_blank());
        }
        match failed {
            0 => matching += 1,
            1 => {
                let (condition, column, line) = &mut judges[culprit];
                line.last += 1;
                let value = numeric(column, condition.field.kind, row);
                line.nearest = nearer(condition.operator, line.nearest, value);
            }
            _ => {}
        }
    }
    let mut lines: Vec<FunnelLine> = judges.into_iter().map(|(_, _, line)| line).collect();
    lines.sort_by_key(|line| std::cmp::Reverse((line.last, line.alone)));
    Funnel {
        total: listing.len(),
        matching,
        lines,
    }
}

/// Of two values outside a bound, the one nearer to it.
fn nearer(operator: Operator, known: Option<f64>, other: Option<f64>) -> Option<f64> {
    let nearest = match operator {
        Operator::Gt | Operator::Gte => f64::max,
        Operator::Lt | Operator::Lte => f64::min,
        _ => return None,
    };
    match (known, other) {
        (Some(known), Some(other)) => Some(nearest(known, other)),
        (known, other) => known.or(other),
    }
}

/// The bound loosened so that `value` lies within it, rounded outwards to a number that people
/// would type; `None` for conditions that are not bounds.
pub fn loosened(condition: &Condition, value: f64) -> Option<Condition> {
    let operator = match condition.operator {
        Operator::Gt | Operator::Gte => Operator::Gte,
        Operator::Lt | Operator::Lte => Operator::Lte,
        _ => return None,
    };
    let operand = match &condition.operand {
        Operand::One(Value::Number(_)) => Value::Number(rounded(condition.field, operator, value)),
        Operand::One(Value::Version(_)) => {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // nine digits
            let code = value.clamp(0.0, 1e12) as u64;
            Value::Version(Version::from_code(code))
        }
        _ => return None,
    };
    Some(Condition {
        operator,
        operand: Operand::One(operand),
        ..condition.clone()
    })
}

/// How many rows come back when `looser` takes the place of the condition at `place`: those that
/// every other condition accepts.
pub fn won_back(
    listing: &Listing,
    conditions: &[Condition],
    place: usize,
    looser: &Condition,
) -> usize {
    let Some(condition) = conditions.get(place) else {
        return 0;
    };
    let others: Vec<_> = conditions
        .iter()
        .enumerate()
        .filter(|(index, other)| *index != place && other.enabled)
        .map(|(_, other)| (other, listing.column(other.field)))
        .filter(|(other, column)| column.filled() > 0 || is_about_silence(other))
        .collect();
    let column = listing.column(condition.field);
    let comes_back = |row: &usize| {
        let cell = column.cell(*row);
        looser.accepts(cell)
            && !condition.accepts(cell)
            && others
                .iter()
                .all(|(other, column)| other.accepts(column.cell(*row)))
    };
    (0..listing.len()).filter(comes_back).count()
}

/// A bound of a field that still keeps `value`, in at most three significant digits of the unit in
/// which a query has it.
fn rounded(field: &'static Field, operator: Operator, value: f64) -> f64 {
    const DIGITS: i32 = 3;
    let is_measure = matches!(field.kind, Kind::Number | Kind::Integer);
    if !is_measure || value == 0.0 {
        return value;
    }
    let is_upper = operator == Operator::Lte;
    let shown = value / field.unit.query_factor();
    // Decimal digits are counted in decimals: 0.29 is not to become 0.291.
    let text = format!("{shown:.*e}", usize::try_from(DIGITS - 1).unwrap_or(0));
    let parts = text.split_once('e').and_then(|(mantissa, exponent)| {
        let mantissa: i32 = mantissa.replace('.', "").parse().ok()?;
        Some((mantissa, exponent.parse::<i32>().ok()? - (DIGITS - 1)))
    });
    let Some((mantissa, exponent)) = parts else {
        return value;
    };
    let outwards = if is_upper { 1 } else { -1 };
    [mantissa, mantissa + outwards]
        .into_iter()
        .filter_map(|mantissa| {
            let text = format!("{mantissa}e{exponent}");
            let read = language::parse_operand(field, operator, &text, &Dialect::DOCUMENTED);
            match read {
                Ok(Operand::One(Value::Number(bound))) => Some(bound),
                _ => None,
            }
        })
        .find(|bound| {
            if is_upper {
                *bound >= value
            } else {
                *bound <= value
            }
        })
        .unwrap_or(value)
}

/// Whether records that say nothing can be judged all the same: the condition asks for or against
/// null, or takes nothing for an answer (`external`: nothing counts as no).
fn is_about_silence(condition: &Condition) -> bool {
    condition.operand == Operand::One(Value::Null) || condition.accepts(CellRef::Missing)
}
