//! The size and time in plain words about volumes: `2 TB for 3 months`.

use super::Reading;
use crate::language::{self, Mode};
use crate::{Dialect, Operand, Operator, VOLUMES, Value};

const SECONDS_PER_DAY: f64 = 86_400.0;

impl Reading {
    /// The size in GB and the time in days that words about volumes give, each exact or a minimum; `None` for one
    /// that they leave out.
    ///
    /// ```
    /// use bourse_domain::{Dialect, VOLUMES, plain};
    /// let reading = plain::read("2 TB for 3 months", &VOLUMES, &Dialect::SANDBOX, &plain::Names::default());
    /// assert_eq!(reading.volume_size_and_days(&Dialect::SANDBOX), (Some(2000.0), Some(90.0)));
    /// ```
    pub fn volume_size_and_days(&self, dialect: &'static Dialect) -> (Option<f64>, Option<f64>) {
        let parsed = language::parse(&self.meaning.conditions, &VOLUMES, dialect, &[], Mode::Bar);
        let conditions = parsed.map(|parsed| parsed.conditions).unwrap_or_default();
        let least = |key: &str| {
            conditions.iter().find_map(|condition| {
                let is_least = matches!(condition.operator, Operator::Gte | Operator::Gt | Operator::Eq);
                match &condition.operand {
                    Operand::One(Value::Number(number)) if is_least && condition.field.key == key => Some(*number),
                    _ => None,
                }
            })
        };
        let days = least("duration").map(|seconds| seconds / SECONDS_PER_DAY);
        (least("disk_space"), days)
    }
}
