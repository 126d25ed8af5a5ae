//! The interface of computations on the record; each lives with its feature.

use std::any::Any;
use std::fmt;

use crate::{Excerpt, PollRow, Question, Spell};

/// A computation on the record: it names its questions and computes its output from their excerpts.
pub trait Analysis: fmt::Debug + Send + 'static {
    type Output: Send + 'static;

    /// The questions whose excerpts the analysis needs, in the order in which `answer` receives them.
    fn questions(&self) -> Vec<Question>;

    /// Computes the output from an excerpt for each of the questions, in their order.
    fn answer(&self, excerpts: &[Excerpt]) -> Self::Output;

    /// The reader that computes the output lot by lot, from the question's `polls`; `None` if the analysis needs whole
    /// excerpts.
    ///
    /// For an analysis of one question that is run all day: a month of a busy market has more spells than fit in
    /// memory. It is not yet known which of the responses have the lowest price.
    fn lot_reader(&self, _polls: &[PollRow]) -> Option<Box<dyn LotReader<Self::Output>>> {
        None
    }
}

/// Receives the excerpt of a question, one lot after another.
pub trait LotReader<T> {
    /// Receives all spells of a lot, in order of time.
    fn lot(&mut self, spells: &[Spell]);

    /// The output after all lots were received; `polls` are those of the excerpt, now with the final
    /// `has_lowest`.
    fn finish(self: Box<Self>, polls: &[PollRow]) -> T;
}

/// An analysis with its type erased, to be sent to the record.
pub struct AnyAnalysis(Box<dyn Erased>);

/// The output of an analysis with its type erased; its owner restores it with [`AnyOutput::downcast`].
pub struct AnyOutput(Box<dyn Any + Send>);

trait Erased: Send + fmt::Debug {
    /// As [`Analysis::questions`], for any type of analysis.
    fn questions(&self) -> Vec<Question>;
    /// As [`Analysis::answer`], with the type of the output erased.
    fn answer(&self, excerpts: &[Excerpt]) -> AnyOutput;
    /// As [`Analysis::lot_reader`], with the type of the output erased.
    fn lot_reader(&self, polls: &[PollRow]) -> Option<Box<dyn LotReader<AnyOutput>>>;
    /// The analysis as `Any`, to restore its type.
    fn as_any(&self) -> &dyn Any;
}

impl<A: Analysis> Erased for A {
    fn questions(&self) -> Vec<Question> {
        Analysis::questions(self)
    }

    fn answer(&self, excerpts: &[Excerpt]) -> AnyOutput {
        AnyOutput::new(Analysis::answer(self, excerpts))
    }

    fn lot_reader(&self, polls: &[PollRow]) -> Option<Box<dyn LotReader<AnyOutput>>> {
        let reader = Analysis::lot_reader(self, polls)?;
        Some(Box::new(AnyReader(reader)))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// Erases the output type of a [`LotReader`].
struct AnyReader<T>(Box<dyn LotReader<T>>);

impl<T: Send + 'static> LotReader<AnyOutput> for AnyReader<T> {
    fn lot(&mut self, spells: &[Spell]) {
        self.0.lot(spells);
    }

    fn finish(self: Box<Self>, polls: &[PollRow]) -> AnyOutput {
        AnyOutput::new(self.0.finish(polls))
    }
}

impl AnyAnalysis {
    /// Erases the type of an analysis; `downcast` restores it.
    pub fn new<A: Analysis>(analysis: A) -> Self {
        Self(Box::new(analysis))
    }

    /// The analysis as `A`; `None` if it has another type.
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

    fn lot_reader(&self, polls: &[PollRow]) -> Option<Box<dyn LotReader<AnyOutput>>> {
        self.0.lot_reader(polls)
    }
}

impl AnyOutput {
    /// Erases the type of an output; `downcast` restores it.
    pub fn new<T: Send + 'static>(output: T) -> Self {
        Self(Box::new(output))
    }

    /// The output as `T`; `None` if it has another type.
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

/// Compares the descriptions, which contain everything that an analysis depends on.
impl PartialEq for AnyAnalysis {
    fn eq(&self, other: &Self) -> bool {
        format!("{self:?}") == format!("{other:?}")
    }
}
