//! The user's spending limits, in dollars.

use crate::format::{dollars, per_hour};

/// An amount of dollars above 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dollars(f64);

// It is never NaN.
impl Eq for Dollars {}

/// The error for a number that is not a valid amount of dollars.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be an amount of dollars above 0, such as 2.5")]
pub struct DollarsError;

impl Dollars {
    /// The largest valid amount: far beyond use.
    const MOST: f64 = 1e9;

    /// A spending limit.
    ///
    /// # Errors
    /// If the number is not above 0, or is above 1e9.
    pub fn new(amount: f64) -> Result<Self, DollarsError> {
        let is_amount = amount > 0.0 && amount <= Self::MOST;
        is_amount.then_some(Self(amount)).ok_or(DollarsError)
    }

    /// The amount in dollars.
    pub const fn amount(self) -> f64 {
        self.0
    }

    /// Whether `amount` exceeds this limit by more than rounding error.
    ///
    /// Sums of prices differ in their last digits.
    pub fn is_exceeded_by(self, amount: f64) -> bool {
        amount > self.0 * (1.0 + 1e-9)
    }
}

/// The limits of the configuration; `None` is no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Limits {
    /// The maximum worst case of a workergroup, in $/h: creating one above it is refused.
    pub group_hourly: Option<Dollars>,
    /// The maximum bill of a job, in $: renting above it causes a warning.
    pub bill: Option<Dollars>,
    /// The maximum price of an offer, in $/h: renting above it causes a warning.
    pub hourly: Option<Dollars>,
}

/// The price and bill of an offer, as far as they are known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OfferCost {
    /// The price in $/h; `None` if it is unknown.
    pub hourly: Option<f64>,
    /// The bill of the job in $: `None` without a job, `Some(None)` if it is unknown.
    pub bill: Option<Option<f64>>,
}

impl Limits {
    /// The warning about an offer that exceeds a limit, or whose cost is unknown where a limit is set: `over
    /// your limit: $0.450/h (limits.hourly: $0.400/h)`. If both limits are exceeded, it has both, the bill
    /// first. `None` within the limits and without any.
    ///
    /// ```
    /// use bourse_domain::limits::{Dollars, Limits, OfferCost};
    /// let limits = Limits { bill: Dollars::new(30.0).ok(), ..Limits::default() };
    /// let cost = |bill| OfferCost { hourly: Some(0.4), bill: Some(bill) };
    /// assert_eq!(limits.warning(cost(Some(30.0))), None);
    /// let warning = limits.warning(cost(Some(31.2))).unwrap();
    /// assert_eq!(warning, "over your limit: $31.20 for the job (limits.bill: $30.00)");
    /// ```
    pub fn warning(&self, cost: OfferCost) -> Option<String> {
        let over = |limit: Option<Dollars>, amount: Option<f64>| {
            limit.filter(|limit| amount.is_none_or(|amount| limit.is_exceeded_by(amount)))
        };
        let exceeded = cost.bill.and_then(|bill| Some((over(self.bill, bill)?, bill)));
        let bill = exceeded.map(|(limit, bill)| {
            let bill = bill.map_or_else(
                || "unknown bill".to_owned(),
                |bill| format!("{} for the job", dollars(bill)),
            );
            format!("{bill} (limits.bill: {})", dollars(limit.amount()))
        });
        let hourly = over(self.hourly, cost.hourly).map(|limit| {
            let price = cost.hourly.map_or_else(|| "unknown price".to_owned(), per_hour);
            format!("{price} (limits.hourly: {})", per_hour(limit.amount()))
        });
        let parts: Vec<String> = bill.into_iter().chain(hourly).collect();
        (!parts.is_empty()).then(|| format!("over your limit: {}", parts.join(", ")))
    }
}
