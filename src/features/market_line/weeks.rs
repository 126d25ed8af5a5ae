//! A week of the record, a model at a time.

use std::collections::BTreeMap;

use crate::domain::Query;
use crate::features::history::prices::series::PriceSeries;
use crate::record::{Analysis, DAY, Excerpt, Moment, Question};

/// Days of a week.
const DAYS: usize = 7;

/// Parts of a day: the price of a day ago is the lowest of one of them.
const PARTS: usize = 4;

/// A change that is shown, as a share.
const LEAST_CHANGE: f64 = 0.005;

/// The lowest prices of a model's offers over a week, in dollars per hour and GPU.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelWeek {
    /// The lowest of each day, the oldest first; `None` where nothing is known.
    pub days: Vec<Option<f64>>,
    /// The lowest that the record saw last.
    pub now: Option<f64>,
    /// The lowest of about a day before.
    day_ago: Option<f64>,
}

impl ModelWeek {
    /// The change since a day as a share, unless it is too small to show.
    pub fn change(&self) -> Option<f64> {
        let change = self.now? / self.day_ago.filter(|price| *price > 0.0)? - 1.0;
        (change.abs() >= LEAST_CHANGE).then_some(change)
    }
}

/// The weeks of some models, each by the search for its offers.
#[derive(Debug, Clone)]
pub struct ModelWeeks {
    /// Each model, and the search that finds its offers.
    pub queries: Vec<(String, Query)>,
    /// The end of the week.
    pub until: Moment,
}

impl Analysis for ModelWeeks {
    type Output = BTreeMap<String, ModelWeek>;

    fn questions(&self) -> Vec<Question> {
        let week = i64::try_from(DAYS).unwrap_or(0) * DAY;
        let queries = self.queries.iter();
        queries
            .map(|(_, query)| Question::of_last(week, query.clone(), self.until))
            .collect()
    }

    fn answer(&self, excerpts: &[Excerpt]) -> Self::Output {
        let questions = self.questions().into_iter().zip(excerpts.chunks(1));
        let models = self.queries.iter().zip(questions);
        models
            .filter_map(|((model, _), (question, excerpt))| {
                let series = PriceSeries {
                    question,
                    buckets: DAYS * PARTS,
                };
                let series = series.answer(excerpt)?;
                let lows = series.buckets.iter().map(|bucket| Some(bucket.levels?.lowest));
                let lows: Vec<Option<f64>> = lows.collect();
                let lowest = |part: &[Option<f64>]| part.iter().flatten().copied().reduce(f64::min);
                let week = ModelWeek {
                    days: lows.chunks(PARTS).map(lowest).collect(),
                    now: series.now.and_then(|now| Some(now.levels?.lowest)),
                    day_ago: lows.iter().rev().nth(PARTS).copied().flatten(),
                };
                Some((model.clone(), week))
            })
            .collect()
    }
}
