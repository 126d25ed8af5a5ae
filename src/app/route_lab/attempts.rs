//! The table of attempts: which are in sight, and which is selected.
//!
//! A run may have a quarter of a million attempts, and more come while a person types. So the
//! search goes on in pieces, and without a search nothing is copied.

use crate::domain::routing::RouteSample;
use crate::widgets::text_input::TextInput;

/// How many attempts are looked at in one piece.
const PIECE: usize = 8_000;

/// The list.
#[derive(Debug, Default)]
pub struct AttemptList {
    /// What is searched for, while or after it is typed.
    pub input: TextInput,
    /// The search that is on; empty for none.
    filter: String,
    /// Places of the attempts that match, among those looked at.
    found: Vec<u32>,
    looked_at: usize,
    /// The selected line; `None` follows the latest attempt.
    chosen: Option<usize>,
}

impl AttemptList {
    /// The search that is on; empty for none.
    pub fn filter(&self) -> &str {
        &self.filter
    }

    /// Switches the search to what is typed, or off.
    pub(super) fn search(&mut self, is_on: bool) {
        let wanted = if is_on { self.input.text().trim() } else { "" };
        if wanted != self.filter {
            self.filter = wanted.to_owned();
            self.reset();
        }
    }

    /// Begins anew: for another run or another search.
    pub(super) fn reset(&mut self) {
        self.found.clear();
        self.looked_at = 0;
        self.chosen = None;
    }

    /// Whether attempts are there that the search has not looked at.
    pub(super) fn is_behind(&self, samples: &[RouteSample]) -> bool {
        !self.filter.is_empty() && self.looked_at < samples.len()
    }

    /// Looks at some more attempts.
    pub(super) fn advance(&mut self, samples: &[RouteSample]) {
        if self.filter.is_empty() {
            return;
        }
        let end = samples.len().min(self.looked_at + PIECE);
        for (place, sample) in samples.iter().enumerate().take(end).skip(self.looked_at) {
            if sample.matches(&self.filter)
                && let Ok(place) = u32::try_from(place)
            {
                self.found.push(place);
            }
        }
        self.looked_at = end;
    }

    /// How many lines there are.
    pub fn len(&self, samples: &[RouteSample]) -> usize {
        if self.filter.is_empty() {
            samples.len()
        } else {
            self.found.len()
        }
    }

    /// The share of the attempts that the search has looked at, from 0 to 1.
    pub fn looked_at(&self, samples: &[RouteSample]) -> f64 {
        if self.filter.is_empty() || samples.is_empty() {
            return 1.0;
        }
        #[expect(clippy::cast_precision_loss)] // at most 250,000
        let share = self.looked_at as f64 / samples.len() as f64;
        share
    }

    /// The place among the attempts of a line.
    pub fn place(&self, line: usize, samples: &[RouteSample]) -> Option<usize> {
        if self.filter.is_empty() {
            (line < samples.len()).then_some(line)
        } else {
            self.found.get(line).map(|place| *place as usize)
        }
    }

    /// The selected line.
    pub fn cursor(&self, samples: &[RouteSample]) -> usize {
        let last = self.len(samples).saturating_sub(1);
        self.chosen.map_or(last, |line| line.min(last))
    }

    /// Whether the selection follows the latest attempt.
    pub const fn follows(&self) -> bool {
        self.chosen.is_none()
    }

    /// Moves the selection; at the end it follows the latest attempt.
    pub(super) fn step(&mut self, by: isize, samples: &[RouteSample]) {
        let line = self.cursor(samples).saturating_add_signed(by);
        self.select(line, samples);
    }

    /// Selects a line.
    pub(super) fn select(&mut self, line: usize, samples: &[RouteSample]) {
        let last = self.len(samples).saturating_sub(1);
        self.chosen = (line < last).then_some(line);
    }
}
