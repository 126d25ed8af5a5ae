//! Computing analyses from what is on record.

use super::{Database, HistoryError};
use crate::{Analysis, AnyAnalysis, AnyOutput, Excerpt, Question};

impl Database {
    /// Reads what an analysis needs, and computes its output.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub fn ask<A: Analysis>(&self, analysis: &A) -> Result<A::Output, HistoryError> {
        Ok(analysis.answer(&self.excerpts(&analysis.questions())?))
    }

    /// As [`Database::ask`], for an analysis of any type.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub fn ask_any(&self, analysis: &AnyAnalysis) -> Result<AnyOutput, HistoryError> {
        Ok(analysis.answer(&self.excerpts(&analysis.questions())?))
    }

    fn excerpts(&self, questions: &[Question]) -> Result<Vec<Excerpt>, HistoryError> {
        questions.iter().map(|question| self.excerpt(question)).collect()
    }
}
