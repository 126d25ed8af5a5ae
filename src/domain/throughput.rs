//! The person's own throughput per GPU model, and what the work then costs: `$/Mtoken` and the like.

use std::collections::BTreeMap;

use super::listing::Listing;

/// A unit of work that a GPU is measured in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum WorkUnit {
    Tokens,
    Images,
    Steps,
}

impl WorkUnit {
    pub const ALL: [Self; 3] = [Self::Tokens, Self::Images, Self::Steps];

    /// The rate as the configuration names it.
    pub const fn rate(self) -> &'static str {
        match self {
            Self::Tokens => "tokens/s",
            Self::Images => "images/s",
            Self::Steps => "steps/s",
        }
    }

    /// The computed column of what it costs.
    pub const fn column(self) -> &'static str {
        match self {
            Self::Tokens => "dollars_per_mtoken",
            Self::Images => "dollars_per_kimage",
            Self::Steps => "dollars_per_kstep",
        }
    }

    /// What as many units as the column prices cost at `rate` units per second and `hourly` $/h;
    /// `None` if that is no number.
    pub fn cost(self, rate: f64, hourly: f64) -> Option<f64> {
        const SECONDS_PER_HOUR: f64 = 3600.0;
        let cost = hourly / (rate * SECONDS_PER_HOUR) * self.priced();
        cost.is_finite().then_some(cost)
    }

    /// How many units the column prices: a million tokens, a thousand of the others.
    const fn priced(self) -> f64 {
        match self {
            Self::Tokens => 1e6,
            Self::Images | Self::Steps => 1e3,
        }
    }
}

/// Units of work per second of one GPU, by unit and GPU model; empty by default.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Throughput(BTreeMap<WorkUnit, BTreeMap<String, f64>>);

// The rates are finite.
impl Eq for Throughput {}

impl Throughput {
    /// Sets the rate of a model in units per second; `RTX_4090` and `rtx 4090` are one model.
    ///
    /// # Errors
    /// When the rate is not a finite number above 0.
    pub fn set(&mut self, unit: WorkUnit, model: &str, rate: f64) -> Result<(), String> {
        if !(rate.is_finite() && rate > 0.0) {
            return Err(format!("must be a number of {} above 0", unit.rate()));
        }
        self.0.entry(unit).or_default().insert(key(model), rate);
        Ok(())
    }

    /// The units that some model has a rate in.
    pub fn units(&self) -> impl Iterator<Item = WorkUnit> {
        self.0.keys().copied()
    }

    /// How many models have a rate in that unit.
    pub fn models(&self, unit: WorkUnit) -> usize {
        self.0.get(&unit).map_or(0, BTreeMap::len)
    }

    /// What a million tokens, or a thousand images or steps, cost on a row at `hourly` $/h: all its
    /// GPUs work at the rate of their model. `None` where the model has no rate.
    pub fn cost(&self, unit: WorkUnit, listing: &Listing, row: usize, hourly: f64) -> Option<f64> {
        let catalog = listing.catalog();
        let model = listing.text(row, catalog.by_key("gpu_name")?)?;
        let gpus = listing.cell(row, catalog.by_key("num_gpus")?).number()?;
        unit.cost(self.rate(unit, model.compared(), gpus)?, hourly)
    }

    /// Units per second of that many GPUs of a model, if it has a rate.
    pub fn rate(&self, unit: WorkUnit, model: &str, gpus: f64) -> Option<f64> {
        Some(self.0.get(&unit)?.get(&key(model))? * gpus)
    }
}

fn key(model: &str) -> String {
    model.trim().replace('_', " ").to_ascii_lowercase()
}
