//! Columns that have numbers only once a person has said or asked something: the cost of a job, the
//! price of a volume for a term, the three prices. Sorting by one waits until then.

use super::browser::Browser;
use super::insights::job_form;
use super::{three, volume_form};
use crate::domain::{Field, OrderKey};

/// What a column waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// A job to be priced for.
    Job,
    /// A size and a term to be priced for.
    Term,
    /// The three searches.
    ThreePrices,
}

impl Need {
    /// In words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Job => "a job",
            Self::Term => "a size and a term",
            Self::ThreePrices => "the three prices",
        }
    }

    /// The name of the key that gives it.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Job | Self::Term => "job",
            Self::ThreePrices => "three-prices",
        }
    }
}

impl Browser {
    /// What a column waits for, if it does.
    pub fn need(&self, field: &Field) -> Option<Need> {
        let is_one_of = |keys: &[&str]| field.is_computed() && keys.contains(&field.key);
        if is_one_of(&job_form::COLUMNS) && self.figures.job.is_none() {
            Some(Need::Job)
        } else if is_one_of(&volume_form::COLUMNS) && self.figures.term.is_none() {
            Some(Need::Term)
        } else if is_one_of(&three::COLUMNS) && self.figures.three.is_empty() {
            Some(Need::ThreePrices)
        } else {
            None
        }
    }

    /// The keys of the order that can sort: without those whose column waits for something.
    pub fn sorting_keys(&self) -> Vec<OrderKey> {
        let order = self.query.order.iter();
        order
            .filter(|key| self.need(key.field).is_none())
            .copied()
            .collect()
    }

    /// What the order waits for, each with the columns that do.
    pub fn unmet_order(&self) -> Vec<(Need, Vec<&'static str>)> {
        let mut unmet: Vec<(Need, Vec<&'static str>)> = Vec::new();
        for key in &self.query.order {
            let Some(need) = self.need(key.field) else {
                continue;
            };
            match unmet.iter_mut().find(|(own, _)| *own == need) {
                Some((_, labels)) => labels.push(key.field.label),
                None => unmet.push((need, vec![key.field.label])),
            }
        }
        unmet
    }
}
