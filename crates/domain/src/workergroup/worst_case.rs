//! The maximum cost of a group per hour.

use super::{DEFAULT_COLD_WORKERS, DEFAULT_MAX_WORKERS, DEFAULT_TEST_WORKERS, NewWorkergroup};
use crate::dialect::Dialect;
use crate::format;
use crate::journal::OverLimit;
use crate::limits::Dollars;
use crate::operator::Operator;
use crate::query::{Condition, Operand};
use crate::value::Value;

/// The number of workers of a group. Missing parameters have the market's defaults.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkerCounts {
    /// The cold workers, at most `max`.
    pub min: u32,
    /// Halfway between `min` and `max`.
    pub typical: u32,
    /// The limit on running workers, `max_workers`.
    pub max: u32,
    /// The group's `test_workers`, which run at its creation.
    pub test: u32,
    /// The group's `cold_workers`, which are billed while they load.
    pub cold: u32,
}

impl WorkerCounts {
    /// The counts of a group on a market. Missing parameters have the market's defaults.
    ///
    /// On a market whose endpoints scale their groups (`endpoint_scales`), a number of cold or test workers
    /// below the default counts as the default.
    pub fn new(group: &NewWorkergroup, dialect: &Dialect) -> Self {
        let count = |sent: Option<u32>, default: u32| match sent {
            Some(sent) if dialect.endpoint_scales => sent.max(default),
            sent => sent.unwrap_or(default),
        };
        let max = group.max_workers.unwrap_or(DEFAULT_MAX_WORKERS);
        let cold = count(group.cold_workers, DEFAULT_COLD_WORKERS);
        let min = cold.min(max);
        let typical = min + (max - min).div_ceil(2);
        Self {
            min,
            typical,
            max,
            test: count(group.test_workers, DEFAULT_TEST_WORKERS),
            cold,
        }
    }

    /// The workers that may be billed at once: the maximum, the test workers and the cold workers.
    ///
    /// The market does not say whether its maximum includes test and cold workers, so they are added.
    pub const fn worst(self) -> u32 {
        self.max.saturating_add(self.test).saturating_add(self.cold)
    }

    /// Why the worst case has more workers than the maximum:
    /// `at most 6, and 3 test and 3 cold ones that this limit may not include`; `None` if there are neither
    /// test nor cold workers.
    pub fn explain_worst(self) -> Option<String> {
        let kinds = [(self.test, "test"), (self.cold, "cold")].into_iter();
        let others = kinds.filter(|(count, _)| *count > 0);
        let others: Vec<String> = others.map(|(count, kind)| format!("{count} {kind}")).collect();
        let most = format!("at most {}", self.max);
        (!others.is_empty()).then(|| {
            format!(
                "{most}, and {} ones that this limit may not include",
                others.join(" and ")
            )
        })
    }

    /// The number of workers of the worst case and the numbers above zero that add up to it:
    /// `26 workers (20 + 3 test + 3 cold)`; with fewer than two of these only the total, `20 workers`.
    pub fn describe_worst(self) -> String {
        let workers = format::counted(self.worst() as usize, "worker", "workers");
        let parts: Vec<String> = [(self.max, ""), (self.test, " test"), (self.cold, " cold")]
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, kind)| format!("{count}{kind}"))
            .collect();
        match parts.as_slice() {
            [] | [_] => workers,
            parts => format!("{workers} ({})", parts.join(" + ")),
        }
    }
}

/// The maximum cost of a group per hour by the current offers: all workers that may be billed at once, each on the most
/// expensive matching offer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WorstCase {
    pub workers: WorkerCounts,
    /// The price of the most expensive matching offer, in $/h.
    pub price: f64,
}

impl WorstCase {
    /// The cost of all workers that may be billed at once, in $/h.
    pub fn hourly(&self) -> f64 {
        f64::from(self.workers.worst()) * self.price
    }

    /// The calculation of the hourly cost as text: `26 workers (20 + 3 test + 3 cold) × $0.900 = $23.40/h`.
    pub fn formula(&self) -> String {
        format!(
            "{} × {} = {}",
            self.workers.describe_worst(),
            format::unit_price(self.price),
            format::per_hour(self.hourly())
        )
    }
}

/// The reason the worst case of a group is unknown.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnknownCost {
    #[error("no offer with a price matches its search now")]
    NoOffer,
    #[error("only the cheapest offers were loaded")]
    Cut,
    #[error("the market may have sent only some of the offers")]
    MaybeCut,
    /// This many matching offers have no price.
    #[error("{} no price", if *.0 == 1 { "1 matching offer has".to_owned() } else { format!("{} matching offers have", .0) })]
    Unpriced(usize),
    /// The group has no search of its own.
    #[error("its template has its own search")]
    Template,
    /// Its search cannot be expressed in full.
    #[error("bourse can't express all of its search")]
    Inexpressible,
    /// The `--disk` of its launch arguments is not a size.
    #[error("--disk in its launch arguments is not a size in GB")]
    Disk,
    #[error("its supply is not checked yet")]
    Unchecked,
    /// The search for its supply failed; the text is the reason.
    #[error("its supply is unknown: {0}")]
    Failed(String),
}

/// The worst case of a group, as far as it is known.
#[derive(Debug, Clone, PartialEq)]
pub struct CostOutlook {
    /// The worst case by the loaded offers, a lower bound if `unknown` has a reason; `None` without priced offers.
    pub worst: Option<WorstCase>,
    /// The reason the worst case is unknown; `None` if it is known.
    pub unknown: Option<UnknownCost>,
    /// Whether no condition of the search limits the price.
    pub is_unlimited: bool,
}

impl CostOutlook {
    /// The outlook of a group whose supply is unknown. It counts as unlimited if `conditions` limit no price,
    /// except with a search of its template.
    pub fn unknown(reason: UnknownCost, conditions: &[Condition]) -> Self {
        Self {
            worst: None,
            // Its template's search may have a limit.
            is_unlimited: reason != UnknownCost::Template && price_limit(conditions).is_none(),
            unknown: Some(reason),
        }
    }

    /// The warning about a search without a price limit, `no price limit: could pay up to $23.40/h`, or
    /// `more than` it or `any price` with the reason if the worst case is not fully known; `None` if it has a
    /// limit, or if its template's search may have one.
    pub fn no_price_limit(&self) -> Option<String> {
        let cost = match (&self.worst, &self.unknown) {
            (Some(worst), None) => format!("could pay up to {}", format::per_hour(worst.hourly())),
            (Some(worst), Some(reason)) => {
                format!("could pay more than {}: {reason}", format::per_hour(worst.hourly()))
            }
            (None, Some(reason)) => format!("could pay any price: {reason}"),
            (None, None) => "could pay any price".to_owned(),
        };
        self.is_unlimited.then(|| format!("no price limit: {cost}"))
    }

    /// The journal entry for a limit that the group exceeds with the user's consent. Its worst case is `None`
    /// unless it is fully known.
    pub fn over_limit(&self, limit: Dollars) -> OverLimit {
        OverLimit {
            group_hourly: limit.amount(),
            worst_case: self
                .worst
                .filter(|_| self.unknown.is_none())
                .map(|worst| worst.hourly()),
        }
    }

    /// The reason the worst case is not within `limit` per hour; `None` if it is. An unknown one never is.
    pub fn excess(&self, limit: Dollars) -> Option<String> {
        match (&self.worst, &self.unknown) {
            (Some(worst), _) if limit.is_exceeded_by(worst.hourly()) => {
                Some(format!("the worst case is {}", format::per_hour(worst.hourly())))
            }
            (Some(_), None) => None,
            (_, Some(reason)) => Some(format!("the worst case is unknown: {reason}")),
            (None, None) => Some("the worst case is unknown".to_owned()),
        }
    }
}

/// The highest price in $/h that a search allows for a worker: the lowest upper bound of its enabled
/// conditions on `dph_total` and `dph_base`; `None` if it has none.
///
/// ```
/// use bourse_domain::{language, workergroup::{Draft, Key, price_limit}, Dialect};
/// let mut draft = Draft::default();
/// draft.put(Key::SearchParams, "gpu_name=RTX_4090 dph_total<=0.5");
/// let conditions = draft.conditions(&Dialect::VAST).unwrap();
/// assert_eq!(price_limit(&conditions), Some(0.5));
/// ```
pub fn price_limit(conditions: &[Condition]) -> Option<f64> {
    let is_price = |condition: &&Condition| ["dph_total", "dph_base"].contains(&condition.field.key);
    let enabled = conditions.iter().filter(|condition| condition.enabled);
    let limits = enabled.filter(is_price).filter_map(upper_bound);
    limits.reduce(f64::min)
}

/// The largest number that a condition allows (`<`, `<=`, `=`, or the largest of `in`); `None` if it has no
/// upper bound, as with other operators, an empty `in`, or a value that is not a number.
fn upper_bound(condition: &Condition) -> Option<f64> {
    let number = |value: &Value| match value {
        Value::Number(number) => Some(*number),
        Value::Flag(_) | Value::Text(_) | Value::Version(_) | Value::Null => None,
    };
    match (condition.operator, &condition.operand) {
        (Operator::Eq | Operator::Lt | Operator::Lte, Operand::One(value)) => number(value),
        (Operator::In, Operand::Many(values)) => {
            let numbers: Option<Vec<f64>> = values.iter().map(number).collect();
            numbers?.into_iter().reduce(f64::max)
        }
        _ => None,
    }
}
