//! Filtering of rows, column by column: what a condition says of a text, a flag or a blank is found
//! once, and a row only looks it up.

use super::{Cell, Column, Listing};
use crate::domain::operator::Operator;
use crate::domain::query::{Condition, Operand};
use crate::domain::value::{CellRef, JsonKind, Value};

impl Listing {
    /// The rows, in the server's order, that meet all `conditions`.
    pub fn matching<'a>(&self, conditions: impl IntoIterator<Item = &'a Condition>) -> Vec<u32> {
        let mut rows: Vec<u32> = (0..u32::try_from(self.len()).unwrap_or(u32::MAX)).collect();
        for condition in conditions {
            keep(&mut rows, self.column(condition.field), condition);
        }
        rows
    }
}

/// Removes the rows that do not meet a condition.
fn keep(rows: &mut Vec<u32>, column: &Column, condition: &Condition) {
    let verdicts = Verdicts::new(column, condition);
    let Operand::One(Value::Number(wanted)) = condition.operand else {
        return verdicts.keep(rows, column, |number| condition.accepts(CellRef::Number(number)));
    };
    match condition.operator {
        Operator::Gt => verdicts.keep(rows, column, |number| number > wanted),
        Operator::Gte => verdicts.keep(rows, column, |number| number >= wanted),
        Operator::Lt => verdicts.keep(rows, column, |number| number < wanted),
        Operator::Lte => verdicts.keep(rows, column, |number| number <= wanted),
        Operator::Eq | Operator::Neq | Operator::In | Operator::Nin => {
            verdicts.keep(rows, column, |number| condition.accepts(CellRef::Number(number)));
        }
    }
}

/// What a condition says of every cell that is no number.
struct Verdicts {
    missing: bool,
    null: bool,
    bad: bool,
    flags: [bool; 2],
    texts: Vec<bool>,
}

impl Verdicts {
    fn new(column: &Column, condition: &Condition) -> Self {
        let texts = column.texts().iter();
        Self {
            missing: condition.accepts(CellRef::Missing),
            null: condition.accepts(CellRef::Null),
            // Whatever was found, it is no value.
            bad: condition.accepts(CellRef::Bad(JsonKind::Object)),
            flags: [false, true].map(|flag| condition.accepts(CellRef::Flag(flag))),
            texts: texts
                .map(|text| condition.accepts(CellRef::Text(text.compared())))
                .collect(),
        }
    }

    fn keep(&self, rows: &mut Vec<u32>, column: &Column, accepts: impl Fn(f64) -> bool) {
        // Every row is written, and the next one over it if it is not kept: no processor foretells
        // which rows meet a condition.
        let mut kept = 0;
        for index in 0..rows.len() {
            let row = rows[index];
            rows[kept] = row;
            kept += usize::from(match column.raw(row as usize) {
                Cell::Number(number) => accepts(number),
                Cell::Text(text) => self.texts[text as usize],
                Cell::Flag(flag) => self.flags[usize::from(flag)],
                Cell::Missing => self.missing,
                Cell::Null => self.null,
                Cell::Bad(_) => self.bad,
            });
        }
        rows.truncate(kept);
    }
}
