//! The effect of each condition: the number of rows it removes, computed on a response that was
//! fetched without conditions.

use std::collections::BTreeMap;

use crate::domain::insight::numeric;
use crate::domain::{
    CellRef, Condition, Dialect, Field, Kind, Listing, Operand, Operator, Unit, Value, Version, language,
};

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FunnelLine {
    /// The condition's index in the list.
    pub condition: usize,
    /// Rows it removes if it is the only condition.
    pub alone: usize,
    /// Rows it removes if all other conditions hold, which dropping it brings back.
    pub last: usize,
    /// Of the rows in `alone`, those whose cell is blank or unusable.
    pub silent: usize,
    /// For a bound: the closest value among the rows that only this condition removes.
    ///
    /// Loosening the bound to it brings the first of them back.
    pub nearest: Option<f64>,
    /// Whether any record has a value. If none does, the condition cannot be judged and counts as
    /// met.
    pub judged: bool,
    /// The index of the condition that removes most rows only together with this one, and their
    /// number.
    ///
    /// Dropping both brings these back, and those that each removes alone.
    pub partner: Option<(usize, usize)>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Funnel {
    pub total: usize,
    /// Rows that meet every condition that can be judged.
    pub matching: usize,
    /// The conditions in force: the one that brings back most rows first, then the one that removes
    /// most alone.
    pub lines: Vec<FunnelLine>,
}

impl FunnelLine {
    /// The line of a condition's effect before any row is counted: `condition` is its index, `judged` whether
    /// any row has a value for it.
    const fn new(condition: usize, judged: bool) -> Self {
        Self {
            condition,
            alone: 0,
            last: 0,
            silent: 0,
            nearest: None,
            judged,
            partner: None,
        }
    }
}

impl Funnel {
    /// The counts that two responses to one search prove together: of each condition the higher ones. `other`
    /// is of the same `conditions`; if none of its rows reports the field of one of them, `self` stays as it
    /// is.
    pub fn proven_with(mut self, other: &Self, conditions: &[Condition]) -> Self {
        if other.lines.iter().any(|line| !line.judged) {
            return self;
        }
        self.matching = self.matching.max(other.matching);
        for line in &mut self.lines {
            let Some(own) = other.lines.iter().find(|own| own.condition == line.condition) else {
                continue;
            };
            line.judged = true;
            line.alone = line.alone.max(own.alone);
            line.silent = line.silent.max(own.silent);
            if own.last > line.last {
                (line.last, line.nearest) = (own.last, own.nearest);
            }
            line.partner = line.partner.or(own.partner);
        }
        self.sort(conditions);
        self
    }

    /// Sorts the lines: the one that brings back most rows first, then the one that removes most alone;
    /// conditions on an id last.
    fn sort(&mut self, conditions: &[Condition]) {
        // Who asks for one offer wants to know why it is hidden, not to drop the question.
        let is_id = |line: &FunnelLine| conditions[line.condition].field.kind == Kind::Id;
        let effect = |line: &FunnelLine| std::cmp::Reverse((line.last, line.alone));
        self.lines.sort_by_key(|line| (is_id(line), effect(line)));
    }
}

/// Counts the rows that each of the enabled `conditions` removes from a response fetched without them, and
/// those that it alone removes, with the nearest of their values.
///
/// A condition on a column that no row reports counts as met, unless it is about missing values.
pub fn funnel(listing: &Listing, conditions: &[Condition]) -> Funnel {
    let in_force = conditions.iter().enumerate().filter(|(_, condition)| condition.enabled);
    let mut judges: Vec<_> = in_force
        .map(|(index, condition)| {
            let column = listing.column(condition.field);
            let line = FunnelLine::new(index, column.filled() > 0 || is_about_silence(condition));
            (condition, column, line)
        })
        .collect();
    let mut matching = 0;
    let mut pairs: BTreeMap<[usize; 2], usize> = BTreeMap::new();
    for row in 0..listing.len() {
        let mut failed = 0;
        let [mut culprit, mut previous] = [0; 2];
        for (index, (condition, column, line)) in judges.iter_mut().enumerate() {
            let cell = column.cell(row);
            if !line.judged || condition.accepts(cell) {
                continue;
            }
            failed += 1;
            previous = std::mem::replace(&mut culprit, index);
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
            2 => *pairs.entry([previous, culprit]).or_default() += 1,
            _ => {}
        }
    }
    for ([first, second], rows) in pairs {
        for (index, partner) in [(first, second), (second, first)] {
            let partner = judges[partner].2.condition;
            let known = &mut judges[index].2.partner;
            if known.is_none_or(|(_, most)| most < rows) {
                *known = Some((partner, rows));
            }
        }
    }
    let mut funnel = Funnel {
        total: listing.len(),
        matching,
        lines: judges.into_iter().map(|(_, _, line)| line).collect(),
    };
    funnel.sort(conditions);
    funnel
}

/// The value nearer to a bound, out of two outside it, or the only one; `None` for operators that are not
/// bounds, and without both values.
fn nearer(operator: Operator, known: Option<f64>, new: Option<f64>) -> Option<f64> {
    let nearest = match operator {
        Operator::Gt | Operator::Gte => f64::max,
        Operator::Lt | Operator::Lte => f64::min,
        _ => return None,
    };
    match (known, new) {
        (Some(known), Some(new)) => Some(nearest(known, new)),
        (known, new) => known.or(new),
    }
}

/// The bound loosened to include `value`, with `>` as `>=` and `<` as `<=`; a number is rounded outwards to
/// one a user would type. `None` for conditions that are not bounds on a number or version.
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

/// The number of rows that come back if `looser` replaces the condition at the index `loosened`: those that
/// it newly accepts and that meet all other enabled conditions (those on columns without any value count as
/// met). 0 for an index out of range.
pub fn won_back(listing: &Listing, conditions: &[Condition], loosened: usize, looser: &Condition) -> usize {
    let Some(condition) = conditions.get(loosened) else {
        return 0;
    };
    let kept: Vec<_> = conditions
        .iter()
        .enumerate()
        .filter(|(index, kept)| *index != loosened && kept.enabled)
        .map(|(_, kept)| (kept, listing.column(kept.field)))
        .filter(|(kept, column)| column.filled() > 0 || is_about_silence(kept))
        .collect();
    let column = listing.column(condition.field);
    let comes_back = |row: &usize| {
        let cell = column.cell(*row);
        looser.accepts(cell)
            && !condition.accepts(cell)
            && kept.iter().all(|(kept, column)| kept.accepts(column.cell(*row)))
    };
    (0..listing.len()).filter(comes_back).count()
}

/// The `value` of a bound, rounded outwards to three significant digits in the query unit, a time to whole days, so that
/// the bound still includes it; unchanged for other fields than numbers.
fn rounded(field: &'static Field, operator: Operator, value: f64) -> f64 {
    // A looser bound is read by a person: 0.293, not 0.29312.
    const MOST_DIGITS: i32 = 3;
    let is_measure = matches!(field.kind, Kind::Number | Kind::Integer);
    if !is_measure || value == 0.0 {
        return value;
    }
    let is_upper = operator == Operator::Lte;
    let shown = value / field.unit.query_factor();
    // Not each fraction of a day is a number of seconds.
    let digits = match field.unit {
        Unit::Seconds if shown < 10.0 => 1,
        Unit::Seconds if shown < 100.0 => 2,
        _ => MOST_DIGITS,
    };
    // Rounding in decimal: binary arithmetic would turn 0.29 into 0.291.
    let text = format!("{shown:.*e}", usize::try_from(digits - 1).unwrap_or(0));
    let parts = text.split_once('e').and_then(|(mantissa, exponent)| {
        let mantissa: i32 = mantissa.replace('.', "").parse().ok()?;
        Some((mantissa, exponent.parse::<i32>().ok()? - (digits - 1)))
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
        .find(|bound| if is_upper { *bound >= value } else { *bound <= value })
        .unwrap_or(value)
}

/// Whether the condition also judges rows without a value: it compares with null, or accepts a missing value
/// (`external=false`).
fn is_about_silence(condition: &Condition) -> bool {
    condition.operand == Operand::One(Value::Null) || condition.accepts(CellRef::Missing)
}
