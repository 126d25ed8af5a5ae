//! Computations on the record, each of which lives with its feature.

use std::any::Any;
use std::fmt;

use crate::{Excerpt, Question};

/// A computation on the record: it names the questions it needs and computes its output from their excerpts.
pub trait Analysis: fmt::Debug + Send + 'static {
    type Output: Send + 'static;

    fn questions(&self) -> Vec<Question>;

    /// The output, from an excerpt for each of the questions, in their order.
    fn answer(&self, excerpts: &[Excerpt]) -> Self::Output;
}

/// An analysis of any type, on its way to the record.
pub struct AnyAnalysis(Box<dyn Erased>);

/// The output of an analysis of any type, which its owner reads back.
pub struct AnyOutput(Box<dyn Any + Send>);

trait Erased: Send + fmt::Debug {
    fn questions(&self) -> Vec<Question>;
    fn answer(&self, excerpts: &[Excerpt]) -> Box<dyn Any + Send>;
    fn as_any(&self) -> &dyn Any;
}

impl<A: Analysis> Erased for A {
    fn questions(&self) -> Vec<Question> {
        Analysis::questions(self)
    }

    fn answer(&self, excerpts: &[Excerpt]) -> Box<dyn Any + Send> {
        Box::new(Analysis::answer(self, excerpts))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl AnyAnalysis {
    pub fn new<A: Analysis>(analysis: A) -> Self {
        Self(Box::new(analysis))
    }

    pub fn questions(&self) -> Vec<Question> {
        self.0.questions()
    }

    pub fn answer(&self, excerpts: &[Excerpt]) -> AnyOutput {
        AnyOutput(self.0.answer(excerpts))
    }

    /// The analysis, if it is of this type.
    pub fn downcast<A: Analysis>(&self) -> Option<&A> {
        self.0.as_any().downcast_ref()
    }
}

impl AnyOutput {
    pub fn new<T: Send + 'static>(output: T) -> Self {
        Self(Box::new(output))
    }

    /// The output, if it is of this type.
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
