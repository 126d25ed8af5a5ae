//! Computations on the record, each of which lives with its feature.

use std::any::Any;
use std::fmt;

use crate::{Excerpt, PollRow, Question, Spell};

/// A computation on the record: it names the questions it needs and computes its output from their excerpts.
pub trait Analysis: fmt::Debug + Send + 'static {
    type Output: Send + 'static;

    fn questions(&self) -> Vec<Question>;

    /// The output, from an excerpt for each of the questions, in their order.
    fn answer(&self, excerpts: &[Excerpt]) -> Self::Output;

    /// What computes the output lot by lot instead, for an analysis of one question that is asked all day: a month of
    /// a busy market has more spells than the memory has room for.
    fn lot_reader(&self) -> Option<Box<dyn LotReader<Self::Output>>> {
        None
    }
}

/// Takes what is on record of a question, one lot after another.
pub trait LotReader<T> {
    /// All spells of a lot, in their order in time. Which of the responses have the lowest price is not known yet.
    fn lot(&mut self, polls: &[PollRow], spells: &[Spell]);

    fn finish(self: Box<Self>, polls: &[PollRow]) -> T;
}

/// An analysis of any type, on its way to the record.
pub struct AnyAnalysis(Box<dyn Erased>);

/// The output of an analysis of any type, which its owner reads back.
pub struct AnyOutput(Box<dyn Any + Send>);

trait Erased: Send + fmt::Debug {
    fn questions(&self) -> Vec<Question>;
    fn answer(&self, excerpts: &[Excerpt]) -> AnyOutput;
    fn lot_reader(&self) -> Option<Box<dyn LotReader<AnyOutput>>>;
    fn as_any(&self) -> &dyn Any;
}

impl<A: Analysis> Erased for A {
    fn questions(&self) -> Vec<Question> {
        Analysis::questions(self)
    }

    fn answer(&self, excerpts: &[Excerpt]) -> AnyOutput {
        AnyOutput::new(Analysis::answer(self, excerpts))
    }

    fn lot_reader(&self) -> Option<Box<dyn LotReader<AnyOutput>>> {
        let reader = Analysis::lot_reader(self)?;
        Some(Box::new(AnyReader(reader)))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// A reader whose output is one of any type.
struct AnyReader<T>(Box<dyn LotReader<T>>);

impl<T: Send + 'static> LotReader<AnyOutput> for AnyReader<T> {
    fn lot(&mut self, polls: &[PollRow], spells: &[Spell]) {
        self.0.lot(polls, spells);
    }

    fn finish(self: Box<Self>, polls: &[PollRow]) -> AnyOutput {
        AnyOutput::new(self.0.finish(polls))
    }
}

impl AnyAnalysis {
    pub fn new<A: Analysis>(analysis: A) -> Self {
        Self(Box::new(analysis))
    }

    /// The analysis as its type; `None` if it has another.
    pub fn downcast<A: Analysis>(&self) -> Option<&A> {
        self.0.as_any().downcast_ref()
    }
}

impl Analysis for AnyAnalysis {
    type Output = AnyOutput;

    fn questions(&self) -> Vec<Question> {
        self.0.questions()
    }

    fn answer(&self, excerpts: &[Excerpt]) -> AnyOutput {
        self.0.answer(excerpts)
    }

    fn lot_reader(&self) -> Option<Box<dyn LotReader<AnyOutput>>> {
        self.0.lot_reader()
    }
}

impl AnyOutput {
    pub fn new<T: Send + 'static>(output: T) -> Self {
        Self(Box::new(output))
    }

    /// The output as its type; `None` if it has another.
    pub fn downcast<T: 'static>(&self) -> Option<&T> {
        self.0.downcast_ref()
    }
}

impl fmt::Debug for AnyAnalysis {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl fmt::Debug for AnyOutput {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("AnyOutput")
    }
}

/// Equal if both describe themselves alike: the description of an analysis has all of it.
impl PartialEq for AnyAnalysis {
    fn eq(&self, other: &Self) -> bool {
        format!("{self:?}") == format!("{other:?}")
    }
}
