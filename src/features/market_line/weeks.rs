//! A week of a model's record.

use crate::domain::Query;
use crate::record::{Analysis, DAY, Excerpt, LotReader, Moment, PollRow, Question, Spell};
use crate::record::{Memory, VerdictBasis};

/// Number of days that are read.
const DAYS: i64 = 7;

/// Number of parts of a day.
///
/// The price of a day ago is the lowest in one of them.
const PARTS: i64 = 4;

/// Minimum change that is shown, as a share.
const LEAST_CHANGE: f64 = 0.005;

/// The lowest prices of a model's offers over a week, in dollars per hour and GPU.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelWeek {
    /// The lowest price of each day, oldest first; `None` for days without a known price.
    pub days: Vec<Option<f64>>,
    /// The lowest price in the last poll.
    pub now: Option<f64>,
    /// The lowest price about a day before.
    day_ago: Option<f64>,
}

impl ModelWeek {
    fn new(memory: &Memory, until: Moment) -> Self {
        let lowest = |from: i64, to: i64| {
            let lows = memory
                .lows()
                .iter()
                .filter(|(since, end, _)| end.0 > from && since.0 < to);
            lows.map(|(.., price)| *price).reduce(f64::min)
        };
        let day = |days: i64| until.0 - days * DAY;
        Self {
            days: (0..DAYS).rev().map(|past| lowest(day(past + 1), day(past))).collect(),
            now: memory.lowest,
            day_ago: lowest(day(1) - DAY / PARTS, day(1)),
        }
    }

    /// The change since a day as a share; `None` if it is too small to show.
    pub fn change(&self) -> Option<f64> {
        let change = self.now? / self.day_ago.filter(|price| *price > 0.0)? - 1.0;
        (change.abs() >= LEAST_CHANGE).then_some(change)
    }
}

/// The analysis of a model's week.
///
/// It reads lot by lot: a week of a busy market has more spells than fit in memory.
#[derive(Debug, Clone)]
pub struct WeekStudy {
    lows: VerdictBasis,
    /// The end of the week.
    until: Moment,
}

impl WeekStudy {
    /// The analysis of the offers that a query finds.
    pub fn new(query: Query, until: Moment) -> Self {
        Self {
            lows: VerdictBasis::for_question(Question::of_last(DAYS * DAY, query, until)),
            until,
        }
    }
}

impl Analysis for WeekStudy {
    /// `None` if nothing is recorded of the model.
    type Output = Option<ModelWeek>;

    fn questions(&self) -> Vec<Question> {
        self.lows.questions()
    }

    fn answer(&self, excerpts: &[Excerpt]) -> Self::Output {
        let memory = self.lows.answer(excerpts)?;
        Some(ModelWeek::new(&memory, self.until))
    }

    fn lot_reader(&self) -> Option<Box<dyn LotReader<Self::Output>>> {
        let (lows, until) = (self.lows.lot_reader()?, self.until);
        Some(Box::new(Reader { lows, until }))
    }
}

struct Reader {
    lows: Box<dyn LotReader<Option<Memory>>>,
    until: Moment,
}

impl LotReader<Option<ModelWeek>> for Reader {
    fn lot(&mut self, polls: &[PollRow], spells: &[Spell]) {
        self.lows.lot(polls, spells);
    }

    fn finish(self: Box<Self>, polls: &[PollRow]) -> Option<ModelWeek> {
        let memory = self.lows.finish(polls)?;
        Some(ModelWeek::new(&memory, self.until))
    }
}
