//! Formatting of a price: as the bill of a job, or per hour.

use crate::format;

/// The kind of a price: the bill of a job, or a price per hour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bill {
    Job,
    Hourly,
}

impl Bill {
    /// Formats an amount of this kind: `$26.63` for a job, `$0.293/h` for a price per hour.
    pub fn money(self, amount: f64) -> String {
        match self {
            Self::Job => format::dollars(amount),
            Self::Hourly => format::per_hour(amount),
        }
    }

    /// Formats the price of a whole plan: `$26.63 for the job`, or `$0.293/h` for a price per hour.
    pub fn total(self, amount: f64) -> String {
        match self {
            Self::Job => format!("{} for the job", self.money(amount)),
            Self::Hourly => self.money(amount),
        }
    }

    /// Formats a difference of two prices with its sign: `+$1.50` for a job, `−$0.250/h` per hour. One too small to be
    /// shown is `same bill` or `same price`.
    pub fn difference(self, amount: f64) -> String {
        let size = self.money(amount.abs());
        match self {
            Self::Job if size == self.money(0.0) => "same bill".to_owned(),
            Self::Hourly if size == self.money(0.0) => "same price".to_owned(),
            Self::Job | Self::Hourly if amount < 0.0 => format!("−{size}"),
            Self::Job | Self::Hourly => format!("+{size}"),
        }
    }
}
