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

    /// Formats the parts of an amount so that they add up to the amount as formatted: where their own roundings
    /// do not, those with the largest remainders are rounded up. Parts below a cent, which have more decimals, are
    /// rounded on their own.
    ///
    /// ```
    /// # use bourse_domain::insight::Bill;
    /// assert_eq!(Bill::Job.parts(&[65.416, 31.507]), ["$65.41", "$31.51"]);
    /// assert_eq!(Bill::Job.money(65.416 + 31.507), "$96.92");
    /// ```
    pub fn parts(self, amounts: &[f64]) -> Vec<String> {
        let step = match self {
            Self::Job => 0.01,
            Self::Hourly => 0.001,
        };
        let steps = |amount: f64| amount / step;
        if amounts.iter().any(|amount| *amount < 0.01) {
            return amounts.iter().map(|amount| self.money(*amount)).collect();
        }
        let mut whole: Vec<f64> = amounts.iter().map(|amount| steps(*amount).floor()).collect();
        let mut order: Vec<usize> = (0..amounts.len()).collect();
        let remainder = |index: &usize| steps(amounts[*index]) - steps(amounts[*index]).floor();
        order.sort_by(|left, right| remainder(right).total_cmp(&remainder(left)));
        let mut left = steps(amounts.iter().sum()).round() - whole.iter().sum::<f64>();
        for index in order {
            if left < 0.5 {
                break;
            }
            whole[index] += 1.0;
            left -= 1.0;
        }
        whole.iter().map(|whole| self.money(whole * step)).collect()
    }

    /// Formats the price of a whole plan: `$26.63 for the job`, or `$0.293/h` for a price per hour.
    pub fn total(self, amount: f64) -> String {
        match self {
            Self::Job => format!("{} for the job", self.money(amount)),
            Self::Hourly => self.money(amount),
        }
    }

    /// Formats the difference from a price to another one with its sign, as it is between both as formatted: `+$1.50`
    /// for a job, `−$0.250/h` per hour. One too small to be shown is `same bill` or `same price`.
    ///
    /// ```
    /// # use bourse_domain::insight::Bill;
    /// assert_eq!(Bill::Hourly.difference(2.2262, 2.1596), "−$0.066/h"); // $2.226/h and $2.160/h
    /// ```
    pub fn difference(self, from: f64, to: f64) -> String {
        let amount = self.shown(to) - self.shown(from);
        let size = self.money(amount.abs());
        match self {
            Self::Job if size == self.money(0.0) => "same bill".to_owned(),
            Self::Hourly if size == self.money(0.0) => "same price".to_owned(),
            Self::Job | Self::Hourly if amount < 0.0 => format!("−{size}"),
            Self::Job | Self::Hourly => format!("+{size}"),
        }
    }

    /// An amount as formatted: rounded to a cent for a job, per hour to a tenth of one below $10. Below a cent, where
    /// more decimals are shown, it is as it is.
    fn shown(self, amount: f64) -> f64 {
        if amount.abs() < 0.01 {
            return amount;
        }
        let steps = match self {
            Self::Hourly if amount.abs() < 10.0 => 1000.0,
            Self::Job | Self::Hourly => 100.0,
        };
        (amount * steps).round() / steps
    }
}
