//! A field that sweeps over a region, and the response that the region's size is told from.

use std::collections::HashSet;

use crate::domain::{Condition, RowId};

// Below that, the chance of the sample decides.
/// The records of the sample in complete parts from which the number of all offers is estimated.
const LEAST_SAMPLE: usize = 20;
/// How many records of the sample such a guess weighs as much as.
const GUESS_WEIGHT: f64 = 2.0;

/// The offers of a response that was cut, and what is known of the part that they are a sample of.
#[derive(Debug, Clone)]
pub(super) struct Sample {
    /// How many offers there are for each of the sample, before parts are complete.
    pub guess: f64,
    pub ids: HashSet<RowId>,
    /// The records of complete parts, and how many of the sample are among them.
    pub covered: (usize, usize),
}

impl Sample {
    pub const fn new(guess: f64, ids: HashSet<RowId>) -> Self {
        Self {
            guess,
            ids,
            covered: (0, 0),
        }
    }

    /// Whether more than a guess is known.
    pub fn has_sample(&self) -> bool {
        self.covered.1 >= LEAST_SAMPLE
    }

    /// How many offers there are for each of the sample.
    pub fn scale(&self) -> f64 {
        let (records, sampled) = (count(self.covered.0), count(self.covered.1));
        ((records + GUESS_WEIGHT * self.guess) / (sampled + GUESS_WEIGHT)).max(1.0)
    }
}

/// A region that a field sweeps over, as one response does not bring it.
#[derive(Debug)]
pub(super) struct Sweep {
    /// What the region is, besides the search.
    pub base: Vec<Condition>,
    /// The index of the field.
    pub field: usize,
    /// What is left of the region.
    pub rest: Option<Condition>,
    /// The latest step that brought more than one response does, and that response.
    pub cut: Option<(Vec<Condition>, Sample)>,
    pub sample: Sample,
}

impl Sweep {
    pub fn region(&self) -> Vec<Condition> {
        self.base.iter().chain(&self.rest).cloned().collect()
    }
}

#[expect(clippy::cast_precision_loss)] // counts of records are far below 2^53
pub(super) const fn count(number: usize) -> f64 {
    number as f64
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // it saturates
pub(super) const fn whole(number: f64) -> usize {
    number as usize
}
