//! Compares a run with a saved one.

use std::path::Path;

use super::document::{ComparedFigure, Comparison, Counts};
use crate::cli::output::CliError;
use crate::cli::table;
use crate::domain::format::percent;
use crate::domain::routing::{Figure, RoutePlan, Run, SavedRun, words};
use crate::domain::text::visible;
use crate::store::text_file;

/// Maximum size of a saved run, in MiB.
///
/// An export has some 500 bytes an attempt, and a run 250,000 attempts at most.
const LONGEST: u64 = 256;

/// A saved run to compare with, and its file.
pub struct Against {
    file: String,
    saved: SavedRun,
}

impl Against {
    /// Reads a saved route run from a file, to compare a run of `plan` with it.
    ///
    /// # Errors
    ///
    /// When it is unreadable or larger than 256 MiB, or cannot be compared with a run of this plan; then
    /// nothing is sent.
    pub fn read(path: &Path, plan: &RoutePlan) -> Result<Self, CliError> {
        let file = visible(&path.to_string_lossy(), 400);
        let usage = |why: String| CliError::Usage(format!("--against: {why}"));
        let text = text_file::read(path, LONGEST).map_err(|why| usage(why.to_string()))?;
        let saved = SavedRun::parse(&text).map_err(|why| usage(format!("{file}: {why}")))?;
        saved.check(plan).map_err(|why| usage(format!("{file}: {why}")))?;
        Ok(Self { file, saved })
    }

    /// The differences of a route run from the saved one, as a table: then, now and change of each figure.
    pub fn table(&self, run: &Run) -> String {
        let head = ["", "Then", "Now", "Change"].map(str::to_owned).to_vec();
        let counts = vec![
            "requests".to_owned(),
            words::count(self.saved.requests()),
            words::count(run.stats().requests()),
            String::new(),
        ];
        let rows = self.saved.differences(run.stats()).into_iter().map(|figure| {
            vec![
                figure.label.clone(),
                words::figure(&figure, figure.first),
                words::figure(&figure, figure.second),
                change(&figure),
            ]
        });
        let rows: Vec<_> = [head, counts].into_iter().chain(rows).collect();
        format!("\nAgainst {}\n{}", self.file, table::plain(&rows))
    }

    /// The differences of a route run from the saved one, for the JSON document.
    pub fn document(&self, run: &Run) -> Comparison {
        let figures = self.saved.differences(run.stats()).into_iter();
        let figures = figures.map(|figure| ComparedFigure {
            difference: figure.difference(),
            figure: figure.label,
            then: figure.first,
            now: figure.second,
        });
        Comparison {
            file: self.file.clone(),
            requests: Counts {
                then: self.saved.requests(),
                now: run.stats().requests(),
            },
            figures: figures.collect(),
        }
    }
}

/// The relative change of a route run's figure in percent with its sign, or for the share of errors the
/// difference; empty if it cannot be computed.
fn change(figure: &Figure) -> String {
    let signed = |value: f64, words: String| if value > 0.0 { format!("+{words}") } else { words };
    if figure.label == "errors" {
        let difference = figure.difference();
        return difference.map_or_else(String::new, |value| signed(value, words::difference(figure, value)));
    }
    figure
        .change()
        .map_or_else(String::new, |value| signed(value, percent(value)))
}
