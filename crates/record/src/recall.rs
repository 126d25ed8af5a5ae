//! Questions about the recorded market and their answers.

use std::collections::BTreeSet;

use bourse_domain::language::{self, Mode};
use bourse_domain::value::CellRef;
use bourse_domain::{Condition, Dialect};

use super::alert::Rule;
use super::bids::{BidHistory, bids};
use super::index::{Index, index};
use super::replay::Replay;
use super::series::Series;
use super::tape::Event;
use super::verdict::Memory;
use super::{Excerpt, Lot, Moment, Quote, SearchKey, Spell, lowest_price, memory, replay, series, tape, timeline};

/// Which lots a question is about; all, without conditions.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct LotFilter {
    pub machine: Option<i64>,
    pub model: Option<String>,
}

impl Question {
    /// The price of what has `quotes`, see [`lowest_price`]; `None` if the question is about other numbers
    /// of GPUs, or if it is none, as in a damaged database.
    pub fn price(&self, quotes: impl Iterator<Item = Quote>, recorded: f64) -> Option<f64> {
        lowest_price(quotes, recorded, self.gpus(), self.storage).filter(|price| price.is_finite())
    }

    /// The number of GPUs of the offers that it is about; `None` of all.
    pub(super) const fn gpus(&self) -> Option<u32> {
        match self.want {
            Want::Memory { gpus } | Want::Bids { gpus } => gpus,
            Want::Tape { .. } | Want::Series { .. } | Want::Index | Want::Searches | Want::Rings(_) => None,
        }
    }

    /// The same question about the search without its conditions on the model and the number of GPUs that
    /// it is about; `None` if there are none. Prices of a model are the same where all models are searched.
    pub fn without_model(&self) -> Option<Self> {
        let (search, model) = (self.search.as_ref()?, self.filter.model.as_deref()?);
        if matches!(
            self.want,
            Want::Tape { .. } | Want::Index | Want::Searches | Want::Rings(_)
        ) {
            return None;
        }
        let gpus = self.gpus();
        let catalog = search.resource.catalog();
        let parsed = language::parse(&search.conditions, catalog, &Dialect::SANDBOX, &[], Mode::Strict).ok()?;
        let is_told = |condition: &Condition| match condition.field.key {
            "gpu_name" => !condition.is_broken_by(CellRef::Text(model)),
            "num_gpus" => gpus.is_some_and(|gpus| !condition.is_broken_by(CellRef::Number(gpus.into()))),
            _ => false,
        };
        let conditions = parsed.conditions.iter();
        let others: BTreeSet<String> = conditions
            .filter(|own| !is_told(own))
            .map(language::print_condition)
            .collect();
        let search = SearchKey {
            conditions: others.into_iter().collect::<Vec<_>>().join(" "),
            ..search.clone()
        };
        (Some(&search) != self.search.as_ref()).then(|| Self {
            search: Some(search),
            ..self.clone()
        })
    }

    pub(super) fn price_of(&self, spell: &Spell) -> Option<f64> {
        self.price(spell.quotes.iter().copied(), spell.price)
    }
}

impl LotFilter {
    pub fn accepts(&self, lot: &Lot) -> bool {
        let is_model = self.model.as_ref().is_none_or(|model| lot.model == *model);
        self.machine.is_none_or(|machine| lot.machine == machine) && is_model
    }
}

/// What a question asks for.
#[derive(Debug, Clone, PartialEq)]
pub enum Want {
    /// The newest events.
    Tape { most: usize },
    /// Prices over time, in equal parts.
    Series { buckets: usize },
    /// What a verdict needs, on offers with so many GPUs; on all without a number.
    Memory { gpus: Option<u32> },
    /// What is recorded.
    Searches,
    /// What bids would have held on offers with so many GPUs; on all without a number.
    Bids { gpus: Option<u32> },
    /// What each model usually costs, by the searches of all price types.
    Index,
    /// What an alert would have done.
    Rings(Rule),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// One search, or all. Prices of different searches never mix: of all, [`Want::Series`] and
    /// [`Want::Memory`] are about the one that was watched longest and saw such a lot.
    pub search: Option<SearchKey>,
    pub filter: LotFilter,
    /// The storage in GB of the offers whose prices are told.
    pub storage: f64,
    pub since: Moment,
    pub until: Moment,
    pub want: Want,
}

/// What was recorded of a search.
#[derive(Debug, Clone, PartialEq)]
pub struct Recorded {
    pub search: SearchKey,
    pub excerpt: Excerpt,
}

/// A search in the record.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedSearch {
    pub search: SearchKey,
    /// The first and the last usable poll of the time.
    pub first: Moment,
    pub last: Moment,
    /// Usable polls.
    pub polls: usize,
    /// Seconds during which polls followed each other without a gap.
    pub watched: i64,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// The newest first.
    Tape(Vec<Event>),
    /// `None` if nothing is recorded of such lots.
    Series(Option<Series>),
    /// `None` if nothing is recorded of such lots.
    Memory(Option<Memory>),
    /// `None` if the search is not recorded.
    Bids(Option<BidHistory>),
    /// `None` if the search is not recorded.
    Index(Option<Index>),
    /// The one watched last first.
    Searches(Vec<RecordedSearch>),
    /// `None` if the search is not recorded.
    Rings(Option<Replay>),
}

impl Answer {
    /// The answer with the past of a `longer` watched search that has the same prices, see
    /// [`Question::without_model`]. What is on offer now stays its own.
    #[must_use]
    pub fn with_past(self, longer: Self) -> Self {
        match (self, longer) {
            (Self::Memory(None), Self::Memory(longer)) => Self::Memory(longer),
            (Self::Series(None), Self::Series(longer)) => Self::Series(longer),
            (Self::Bids(own), Self::Bids(longer)) => {
                Self::Bids(own.into_iter().chain(longer).max_by_key(|known| known.watched))
            }
            (Self::Memory(Some(own)), Self::Memory(Some(longer))) if longer.watched > own.watched => {
                Self::Memory(Some(own.with_past(longer)))
            }
            (Self::Series(Some(own)), Self::Series(Some(mut longer))) if longer.watched > own.watched => {
                longer.now = own.now.or(longer.now);
                let known = longer.buckets.iter_mut().zip(own.buckets);
                for (bucket, own) in known.filter(|(_, own)| own.amount.is_some()) {
                    *bucket = own;
                }
                Self::Series(Some(longer))
            }
            (own, _) => own,
        }
    }
}

/// Answers a question from what was recorded of the searches that it asks about.
pub fn answer(question: &Question, recorded: &[Recorded]) -> Answer {
    match &question.want {
        Want::Rings(rule) => {
            let longest = longest(question, recorded);
            Answer::Rings(longest.and_then(|record| replay(rule, question, record)))
        }
        Want::Bids { gpus } => {
            let longest = longest(question, recorded);
            Answer::Bids(longest.map(|record| bids(question, record, *gpus)))
        }
        Want::Index => Answer::Index(index(question, recorded)),
        Want::Tape { most } => Answer::Tape(tape(question, recorded, *most)),
        Want::Series { buckets } => {
            let longest = longest(question, recorded);
            Answer::Series(longest.map(|record| series(question, record, *buckets)))
        }
        Want::Memory { .. } => {
            let longest = longest(question, recorded);
            Answer::Memory(longest.map(|record| memory(question, record)))
        }
        Want::Searches => {
            let searches = recorded.iter().filter_map(|record| summary(question, record));
            let mut searches: Vec<RecordedSearch> = searches.collect();
            searches.sort_by_key(|search| std::cmp::Reverse(search.last));
            Answer::Searches(searches)
        }
    }
}

fn summary(question: &Question, recorded: &Recorded) -> Option<RecordedSearch> {
    let polls = timeline::usable(&recorded.excerpt.polls);
    let (since, until) = (question.since, question.until);
    let mut within = polls.iter().filter(|poll| (since..=until).contains(&poll.at));
    let first = within.next()?.at;
    let times = timeline::watched(&polls, since, until);
    let last = within.clone().next_back().map_or(first, |poll| poll.at);
    Some(RecordedSearch {
        search: recorded.search.clone(),
        first,
        last,
        polls: 1 + within.count(),
        watched: timeline::overlap(&times, since, until),
    })
}

/// The search that was watched longest and saw a lot that is asked about; one that saw none, if all
/// did not.
fn longest<'a>(question: &Question, recorded: &'a [Recorded]) -> Option<&'a Recorded> {
    let ranked = recorded.iter().filter_map(|record| {
        let summary = summary(question, record)?;
        let mut spells = record.excerpt.spells.iter();
        let has_seen = spells.any(|spell| question.filter.accepts(&spell.lot));
        Some(((has_seen, summary.watched, summary.polls), record))
    });
    ranked.max_by_key(|(rank, _)| *rank).map(|(_, record)| record)
}
