//! A field that sweeps over a region, and the response as a sample of the region's size.

use std::collections::HashSet;

use crate::domain::{Condition, RowId};

/// Number of sampled records in complete parts from which on the total is estimated by them.
///
/// With fewer, the estimate would depend on chance.
const LEAST_SAMPLE: usize = 20;
/// Weight of the initial guess, in sampled records.
const GUESS_WEIGHT: f64 = 2.0;

/// The offers of a truncated response, as a sample of their part.
#[derive(Debug, Clone)]
pub(super) struct Sample {
    /// Guessed number of offers for each one of the sample, before parts are complete.
    pub guess: f64,
    pub ids: HashSet<RowId>,
    /// Number of records in complete parts, and number of the sample's among them.
    pub covered: (usize, usize),
}

impl Sample {
    /// A sample of the offers with these ids: `guess` is the assumed number of offers in their region for
    /// each of them. No part of the region (a narrower search of it) counts as loaded completely yet.
    pub const fn new(guess: f64, ids: HashSet<RowId>) -> Self {
        Self {
            guess,
            ids,
            covered: (0, 0),
        }
    }

    /// Whether the estimate is based on enough of the sample (20 offers in complete parts), not mainly on the
    /// guess.
    pub fn has_sample(&self) -> bool {
        self.covered.1 >= LEAST_SAMPLE
    }

    /// Estimated number of offers for each one of the sample, at least 1: from the complete parts and the
    /// guess, which weighs as two of the sample.
    pub fn scale(&self) -> f64 {
        let (records, sampled) = (count(self.covered.0), count(self.covered.1));
        ((records + GUESS_WEIGHT * self.guess) / (sampled + GUESS_WEIGHT)).max(1.0)
    }
}

/// A region that a field sweeps over, as it does not fit in one response.
#[derive(Debug)]
pub(super) struct Sweep {
    /// The conditions of the region, in addition to those of the search.
    pub base: Vec<Condition>,
    /// The index of the field.
    pub field: usize,
    /// The condition of the region's remaining part.
    pub rest: Option<Condition>,
    /// The latest step that did not fit in one response, and that response.
    pub cut: Option<(Vec<Condition>, Sample)>,
    pub sample: Sample,
}

impl Sweep {
    /// The conditions of the part of the region that is not swept yet.
    pub fn region(&self) -> Vec<Condition> {
        self.base.iter().chain(&self.rest).cloned().collect()
    }
}

/// The number as a float, for estimates.
pub(super) const fn count(number: usize) -> f64 {
    number as f64
}

/// The integer part of a number; a negative one counts as 0.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // it saturates
pub(super) const fn whole(number: f64) -> usize {
    number as usize
}
