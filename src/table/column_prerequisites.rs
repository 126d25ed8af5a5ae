//! Columns that need an input first: the cost of a job, the price of a volume for a term, the three
//! prices.
//!
//! Orders and conditions on such a column apply once it is set.

use super::browser::Browser;
use super::computed_columns::{JOB_COLUMNS, TERM_COLUMNS};
use super::price_models;
use super::price_models::PriceModelSearches;
use super::remote::{Sending, Ticket, Tickets};
use super::rows::Rows;
use crate::domain::throughput::WorkUnit;
use crate::domain::time::Now;
use crate::domain::{Condition, Field, OrderKey, language};
use crate::keys::{Action, Keymap};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// A job to price for.
    Job,
    /// A job with a deadline.
    Deadline,
    /// A size and a term to price for.
    Term,
    ThreePrices,
    /// The user's own throughput in that unit.
    Throughput(WorkUnit),
}

impl Need {
    /// The prerequisite of a column, whether or not it is met; `None` if it has none.
    pub fn for_field(field: &Field) -> Option<Self> {
        let is_one_of = |keys: &[&str]| field.is_computed() && keys.contains(&field.key);
        if is_one_of(&["job_slack"]) {
            Some(Self::Deadline)
        } else if is_one_of(&JOB_COLUMNS) {
            Some(Self::Job)
        } else if is_one_of(&TERM_COLUMNS) {
            Some(Self::Term)
        } else if is_one_of(&price_models::COLUMNS) {
            Some(Self::ThreePrices)
        } else {
            let is_computed_with = |unit: &WorkUnit| field.is_computed() && unit.column() == field.key;
            let unit = WorkUnit::ALL.into_iter().find(is_computed_with);
            unit.map(Self::Throughput)
        }
    }

    /// The advice to meet it, as an imperative: `set a job first`.
    pub const fn remedy(self) -> &'static str {
        match self {
            Self::Job => "set a job first",
            Self::Deadline => "set a job with a deadline first",
            Self::Term => "set a size and a term first",
            Self::ThreePrices => "load the three prices first",
            Self::Throughput(_) => "add [throughput] to the configuration first",
        }
    }

    /// A noun phrase for the missing input: `a job`.
    pub const fn noun_phrase(self) -> &'static str {
        match self {
            Self::Job => "a job",
            Self::Deadline => "a job with a deadline",
            Self::Term => "a size and a term",
            Self::ThreePrices => "the three prices",
            Self::Throughput(_) => "your throughput",
        }
    }

    /// The action that lets the user set the missing input.
    pub const fn action(self) -> Action {
        match self {
            Self::Job | Self::Deadline | Self::Term => Action::Job,
            Self::ThreePrices => Action::ThreePrices,
            Self::Throughput(_) => Action::EditConfig,
        }
    }
}

/// A message that lists conditions that are not applied, each with its remedy and key; `None` if `unmet` is
/// empty.
pub fn not_applied(unmet: Vec<(Need, &Condition)>, keymap: &Keymap) -> Option<String> {
    let texts: Vec<String> = unmet
        .into_iter()
        .map(|(need, condition)| {
            let condition = language::print_condition_briefly(condition);
            let key = keymap.key_of(need.action());
            format!("{condition}: {} ({key})", need.remedy())
        })
        .collect();
    (!texts.is_empty()).then(|| format!("not applied: {}", texts.join(", ")))
}

impl Rows {
    /// The unmet prerequisite of a column; `None` if its values can be computed.
    pub fn need(&self, field: &Field) -> Option<Need> {
        Need::for_field(field).filter(|need| match need {
            Need::Job => self.computed.job.is_none(),
            Need::Deadline => self.computed.job.is_none_or(|job| job.deadline.is_none()),
            Need::Term => self.computed.term.is_none(),
            Need::ThreePrices => !self.computed.price_models.has_column(field.key),
            Need::Throughput(unit) => self.computed.throughput.model_count(*unit) == 0,
        })
    }

    /// The conditions in force that are not applied, with the unmet prerequisite of their column.
    pub fn unmet_conditions(&self) -> Vec<(Need, &Condition)> {
        let conditions = self.query.active();
        conditions
            .filter_map(|condition| Some((self.need(condition.field)?, condition)))
            .collect()
    }

    /// The sort keys that apply: all but those with an unmet prerequisite.
    pub fn sorting_keys(&self) -> Vec<OrderKey> {
        let order = self.query.order.iter();
        order.filter(|key| self.need(key.field).is_none()).copied().collect()
    }

    /// The unmet prerequisites of the sort keys, each once with the labels of its columns, in their order;
    /// empty if all keys apply.
    pub fn unmet_order(&self) -> Vec<(Need, Vec<&'static str>)> {
        let mut unmet: Vec<(Need, Vec<&'static str>)> = Vec::new();
        for key in &self.query.order {
            let Some(need) = self.need(key.field) else {
                continue;
            };
            match unmet.iter_mut().find(|(known, _)| *known == need) {
                Some((_, labels)) => labels.push(key.field.label),
                None => unmet.push((need, vec![key.field.label])),
            }
        }
        unmet
    }
}

impl Browser {
    /// Shows the columns of the three price models after the price, and returns the requests to send and to
    /// abort for them.
    pub(crate) fn show_price_models(&mut self, tickets: &mut Tickets, now: Now) -> Vec<Sending> {
        self.show_columns(&price_models::COLUMNS, "dph_total");
        self.ask_price_models(tickets, now)
    }

    /// Registers the searches for the three price models as sent; returns the requests to send and to abort.
    pub(super) fn ask_price_models(&mut self, tickets: &mut Tickets, now: Now) -> Vec<Sending> {
        let Rows { query, computed, .. } = &mut **self;
        computed.price_models.ask(query, tickets, now)
    }

    /// Drops the prices of the three price models, and their searches in flight, whose tickets are returned
    /// to abort them. The columns stay.
    pub(crate) fn forget_price_models(&mut self) -> Vec<Ticket> {
        let aborted = self.computed.price_models.cancel();
        self.computed.price_models = PriceModelSearches::default();
        self.revalue();
        aborted
    }
}
