//! The user's own throughput per GPU model, and the resulting cost of work: `$/Mtoken` and the like.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::format::trimmed;
use super::listing::Listing;
use super::quantity::decimal;

/// A unit of work of a GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WorkUnit {
    Tokens,
    Images,
    Steps,
}

impl WorkUnit {
    pub const ALL: [Self; 3] = [Self::Tokens, Self::Images, Self::Steps];

    /// The name, the rate, the priced amount and the key of the price column: `tokens`, `tokens/s`, `Mtoken`,
    /// `dollars_per_mtoken`.
    const fn names(self) -> [&'static str; 4] {
        match self {
            Self::Tokens => ["tokens", "tokens/s", "Mtoken", "dollars_per_mtoken"],
            Self::Images => ["images", "images/s", "1k images", "dollars_per_kimage"],
            Self::Steps => ["steps", "steps/s", "1k steps", "dollars_per_kstep"],
        }
    }

    /// The plural noun of the unit, in lower case: `tokens`.
    pub const fn name(self) -> &'static str {
        self.names()[0]
    }

    /// The name of the rate in the configuration: `tokens/s`.
    pub const fn rate(self) -> &'static str {
        self.names()[1]
    }

    /// The name of the priced amount, as in `$0.11/Mtoken`.
    pub const fn per(self) -> &'static str {
        self.names()[2]
    }

    /// The key of the computed column of its cost: `dollars_per_mtoken`.
    pub const fn column(self) -> &'static str {
        self.names()[3]
    }

    /// The cost in $ of the priced amount (a million tokens, a thousand images or steps) at `rate` units per
    /// second and `hourly` $/h; `None` if it is not finite.
    pub fn cost(self, rate: f64, hourly: f64) -> Option<f64> {
        const SECONDS_PER_HOUR: f64 = 3600.0;
        let cost = hourly / (rate * SECONDS_PER_HOUR) * self.priced();
        cost.is_finite().then_some(cost)
    }

    /// The number of units in the priced amount: a million tokens, a thousand of the others.
    pub(super) const fn priced(self) -> f64 {
        match self {
            Self::Tokens => 1e6,
            Self::Images | Self::Steps => 1e3,
        }
    }
}

/// The multipliers between a number and a unit of work, with their factors, the largest first.
pub(super) const MULTIPLES: [(&[&str], f64); 4] = [
    (&["B", "b", "g", "bn", "billion"], 1e9),
    (&["M", "m", "mio", "million"], 1e6),
    (&["k", "thousand"], 1e3),
    (&[""], 1.0),
];

/// An amount of work: `500M tokens`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Work {
    pub amount: f64,
    pub unit: WorkUnit,
}

impl Work {
    /// The maximum amount: far beyond use, and small enough that hours stay finite.
    pub const MOST: f64 = 1e18;

    /// An amount of work; `None` unless it is above 0 and at most 1e18.
    pub fn new(amount: f64, unit: WorkUnit) -> Option<Self> {
        (amount > 0.0 && amount <= Self::MOST).then_some(Self { amount, unit })
    }
}

impl fmt::Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fitting = MULTIPLES.iter().find(|(_, factor)| self.amount >= *factor);
        let (names, factor) = fitting.unwrap_or(&MULTIPLES[3]);
        write!(
            f,
            "{}{} {}",
            trimmed(self.amount / factor, 9),
            names[0],
            self.unit.name()
        )
    }
}

/// The error for a text that is not an amount of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("Not an amount of work: write 500M tokens, 20k images or 3k steps")]
pub struct WorkError;

/// The error for a rate that is not a finite number above 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be a number of {} above 0", .0.rate())]
pub struct RateError(WorkUnit);

impl FromStr for Work {
    type Err = WorkError;

    /// Parses an amount of work: `500M tokens`, `1.5b-tokens`, `20k images`, in any case. An error for
    /// another text, without a unit, and for an amount that is not above 0 or is above 1e18.
    fn from_str(text: &str) -> Result<Self, WorkError> {
        let lower = text.trim().to_ascii_lowercase();
        let joint = [' ', '-'];
        let unit = |unit: &WorkUnit| {
            let name = unit.name();
            let rest = lower
                .strip_suffix(name)
                .or_else(|| lower.strip_suffix(&name[..name.len() - 1]));
            Some((rest?.trim_end_matches(joint).to_owned(), *unit))
        };
        let read = || {
            let (number, unit) = WorkUnit::ALL.iter().find_map(unit)?;
            let multiple = MULTIPLES.iter().find_map(|(names, factor)| {
                let mut rests = names.iter().filter_map(|name| number.strip_suffix(name));
                let digits = rests.next()?.trim_end_matches(joint);
                let digits = Some(digits).filter(|digits| digits.ends_with(|last: char| last.is_ascii_digit()));
                Some((digits?.replace('_', ""), *factor))
            });
            let (digits, factor) = multiple?;
            let is_digit = |sign: char| sign.is_ascii_digit() || matches!(sign, '.' | ',');
            let number = decimal(Some(&digits).filter(|digits| digits.chars().all(is_digit))?)?;
            Self::new(number * factor, unit)
        };
        read().ok_or(WorkError)
    }
}

/// Units of work per second of one GPU, by unit and GPU model; empty by default.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Throughput(BTreeMap<WorkUnit, BTreeMap<String, f64>>);

// The rates are finite.
impl Eq for Throughput {}

impl Throughput {
    /// Sets the rate of one GPU of a model, in units of work per second; `RTX_4090` and `rtx 4090` are one
    /// model.
    ///
    /// # Errors
    /// If the rate is not a finite number above 0.
    pub fn set(&mut self, unit: WorkUnit, model: &str, rate: f64) -> Result<(), RateError> {
        if !(rate.is_finite() && rate > 0.0) {
            return Err(RateError(unit));
        }
        self.0.entry(unit).or_default().insert(key(model), rate);
        Ok(())
    }

    /// Removes the rate of a GPU model, if it has one.
    pub fn remove(&mut self, unit: WorkUnit, model: &str) {
        if let Some(models) = self.0.get_mut(&unit) {
            models.remove(&key(model));
        }
        self.0.retain(|_, models| !models.is_empty());
    }

    /// The units in which any GPU model has a rate.
    pub fn units(&self) -> impl Iterator<Item = WorkUnit> {
        self.0.keys().copied()
    }

    /// The number of GPU models with a rate in that unit.
    pub fn model_count(&self, unit: WorkUnit) -> usize {
        self.0.get(&unit).map_or(0, BTreeMap::len)
    }

    /// The cost in $ of the priced amount (a million tokens, a thousand images or steps) on a row at `hourly`
    /// $/h. `None` if the model has no rate, the row lacks model or number of GPUs, or the cost is not
    /// finite.
    ///
    /// All its GPUs work at the rate of their model.
    pub fn cost(&self, unit: WorkUnit, listing: &Listing, row: usize, hourly: f64) -> Option<f64> {
        let catalog = listing.catalog();
        let model = listing.text(row, catalog.by_key("gpu_name")?)?;
        let gpus = listing.cell(row, catalog.by_key("num_gpus")?).number()?;
        unit.cost(self.rate(unit, model.unescaped(), gpus)?, hourly)
    }

    /// Units per second of `gpus` GPUs of a model; `None` if it has no rate.
    pub fn rate(&self, unit: WorkUnit, model: &str, gpus: f64) -> Option<f64> {
        Some(self.0.get(&unit)?.get(&key(model))? * gpus)
    }
}

/// A model's name in lower case, with blanks for underscores, as the key of its rate.
fn key(model: &str) -> String {
    model.trim().replace('_', " ").to_ascii_lowercase()
}
