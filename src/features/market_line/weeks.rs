//! A week of a model's record.

use crate::domain::Query;
use crate::record::{Analysis, DAY, Excerpt, LotReader, Memory, Moment, PollRow, Question, Spell, VerdictBasis};

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
    /// The lowest price of each day, oldest first, and at the end that of the last poll; `None` for days without a known
    /// price.
    pub days: Vec<Option<f64>>,
    /// The lowest price in the last poll.
    pub now: Option<f64>,
    /// The lowest price about a day before.
    day_ago: Option<f64>,
}

impl ModelWeek {
    /// The daily lows of the week that ends with `memory`, of its last day the price at its end; a price counts for each day in which it was in
    /// effect. The price of a day ago is the lowest of the 6 hours before that time.
    fn new(memory: &Memory) -> Self {
        let lowest = |from: i64, to: i64| {
            let lows = memory
                .lows()
                .iter()
                .filter(|(since, end, _)| end.0 > from && since.0 < to);
            lows.map(|(.., price)| *price).reduce(f64::min)
        };
        let day = |days: i64| memory.until.0 - days * DAY;
        let mut days: Vec<_> = (0..DAYS).rev().map(|past| lowest(day(past + 1), day(past))).collect();
        if let Some(last) = days.last_mut().filter(|last| last.is_some()) {
            *last = memory.lowest;
        }
        Self {
            days,
            now: memory.lowest,
            day_ago: lowest(day(1) - DAY / PARTS, day(1)),
        }
    }

    /// The change to the price `now` from the lowest one about a day ago, as a share (0.1 for 10% more); `None` if
    /// either is unknown, the change is below half a percent, or the lowest price of the market is another now.
    pub fn change_to(&self, now: Option<f64>) -> Option<f64> {
        let change = |from: f64| Some(now? / Some(from).filter(|price| *price > 0.0)? - 1.0);
        let is_lowest = change(self.now?)?.abs() < LEAST_CHANGE;
        change(self.day_ago?).filter(|change| is_lowest && change.abs() >= LEAST_CHANGE)
    }
}

/// The analysis of the lowest prices of a model's offers in a week.
#[derive(Debug, Clone)]
pub struct WeekStudy(VerdictBasis);

impl WeekStudy {
    /// The analysis of the offers that a query finds, for the seven days before `until`.
    pub fn new(query: Query, until: Moment) -> Self {
        Self(VerdictBasis::for_question(Question::of_last(DAYS * DAY, query, until)))
    }
}

impl Analysis for WeekStudy {
    type Output = Option<ModelWeek>;

    fn questions(&self) -> Vec<Question> {
        self.0.questions()
    }

    fn answer(&self, excerpts: &[Excerpt]) -> Self::Output {
        self.0.answer(excerpts).as_ref().map(ModelWeek::new)
    }

    fn lot_reader(&self, polls: &[PollRow]) -> Option<Box<dyn LotReader<Self::Output>>> {
        Some(Box::new(WeekReader(self.0.lot_reader(polls)?)))
    }
}

/// Reads the basis of a verdict, and keeps the prices of the week alone: the basis knows every lot on offer.
struct WeekReader(Box<dyn LotReader<Option<Memory>>>);

impl LotReader<Option<ModelWeek>> for WeekReader {
    fn lot(&mut self, spells: &[Spell]) {
        self.0.lot(spells);
    }

    fn finish(self: Box<Self>, polls: &[PollRow]) -> Option<ModelWeek> {
        self.0.finish(polls).as_ref().map(ModelWeek::new)
    }
}
