//! How a price reads: as the bill of a job, or per hour.

use crate::format;

/// What a bill is: that of a job, or the price of an hour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bill {
    Job,
    Hourly,
}

impl Bill {
    /// An amount as a bill or an hourly price: `$26.63`, `$0.293/h`.
    pub fn money(self, amount: f64) -> String {
        match self {
            Self::Job => format::dollars(amount),
            Self::Hourly => format::per_hour(amount),
        }
    }

    /// The bill of a whole plan: `$26.63 for the job`, `$0.293/h`.
    pub fn total(self, amount: f64) -> String {
        match self {
            Self::Job => format!("{} for the job", self.money(amount)),
            Self::Hourly => self.money(amount),
        }
    }

    /// What an amount more or less is: `+$1.50`, `−$0.25/h`.
    pub fn difference(self, amount: f64) -> String {
        let sign = if amount < 0.0 { "−" } else { "+" };
        format!("{sign}{}", self.money(amount.abs()))
    }
}
