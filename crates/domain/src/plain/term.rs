//! The size and time in plain words about volumes: `2 TB for 3 months`.

use super::Reading;
use crate::cost::VolumeTerm;
use crate::language::{self, Mode};
use crate::{Dialect, Operand, Operator, VOLUMES, Value};

const SECONDS_PER_DAY: f64 = 86_400.0;

impl Reading {
    /// The size in GB and the time in days that words about volumes give, each exact or a minimum; the size
    /// is that of `current` if they give none. `None` without a time.
    ///
    /// ```
    /// use bourse_domain::{Dialect, VOLUMES, cost::VolumeTerm, plain};
    /// let reading = plain::read("2 TB for 3 months", &VOLUMES, &Dialect::SANDBOX, &plain::Names::default());
    /// let term = VolumeTerm { gb: 2000.0, days: 90.0 };
    /// assert_eq!(reading.volume_term(VolumeTerm::default(), &Dialect::SANDBOX), Some(term));
    /// ```
    pub fn volume_term(&self, current: VolumeTerm, dialect: &'static Dialect) -> Option<VolumeTerm> {
        let parsed = language::parse(&self.meaning.conditions, &VOLUMES, dialect, &[], Mode::Bar).ok()?;
        let least = |key: &str| {
            parsed.conditions.iter().find_map(|condition| {
                let is_least = matches!(condition.operator, Operator::Gte | Operator::Gt | Operator::Eq);
                match &condition.operand {
                    Operand::One(Value::Number(number)) if is_least && condition.field.key == key => Some(*number),
                    _ => None,
                }
            })
        };
        Some(VolumeTerm {
            gb: least("disk_space").unwrap_or(current.gb),
            days: least("duration")? / SECONDS_PER_DAY,
        })
    }
}
