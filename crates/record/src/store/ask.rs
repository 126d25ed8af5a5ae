//! Runs analyses on the record.

use super::{Database, HistoryError};
use crate::{Analysis, Excerpt};

impl Database {
    /// Reads the excerpts for an analysis, and computes its output.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub fn ask<A: Analysis>(&self, analysis: &A) -> Result<A::Output, HistoryError> {
        let questions = analysis.questions();
        if let ([question], true) = (questions.as_slice(), analysis.lot_reader(&[]).is_some()) {
            let mut reader = None;
            let known = self.read_lots(question, &mut |polls, spells| {
                if reader.is_none() {
                    reader = analysis.lot_reader(polls);
                }
                if let Some(reader) = &mut reader {
                    reader.lot(&spells);
                }
            })?;
            if let Some(reader) = reader.or_else(|| analysis.lot_reader(&known.polls)) {
                return Ok(reader.finish(&known.polls));
            }
        }
        let excerpts: Result<Vec<Excerpt>, _> = questions.iter().map(|question| self.excerpt(question)).collect();
        Ok(analysis.answer(&excerpts?))
    }
}
