//! What clauses mean for a search: conditions, and its settings.

use std::ops::Range;

use super::clause::{as_sold, compared, disk};
use super::grammar::{Choice, Fact, Group};
use super::models;
use super::settings::Settings;
use super::text::Bound;
use crate::domain::language::{self, Mode};
use crate::domain::{Catalog, Dialect, Operator};

/// What words mean.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Meaning {
    /// The conditions as a query; empty if there are none.
    pub conditions: String,
    pub settings: Settings,
    /// What is said of the reading, such as sizes as sold.
    pub notes: Vec<String>,
}

impl Meaning {
    /// Adds what more words mean.
    pub(super) fn add(&mut self, more: Self) {
        self.conditions = format!("{} {}", self.conditions, more.conditions).trim().to_owned();
        self.settings.add(&more.settings);
        for note in more.notes {
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
        }
    }

    /// Whether it changes nothing about a search.
    pub fn is_idle(&self) -> bool {
        self.conditions.is_empty() && self.settings == Settings::default()
    }

    /// The meaning in one line: `gpu_name=RTX_4090 · job 3d`.
    pub fn text(&self) -> String {
        let mut texts = vec![self.conditions.clone()];
        texts.extend(self.settings.texts());
        texts.extend(self.notes.iter().cloned());
        texts.retain(|text| !text.is_empty());
        texts.join(" · ")
    }
}

/// What clauses say together.
pub(super) struct Context {
    catalog: &'static Catalog,
    dialect: &'static Dialect,
    /// The values that all clauses choose for a field, or leave out: one condition, that of the first clause.
    choices: Vec<(Range<usize>, Choice)>,
    /// Hours of the job.
    hours: Option<f64>,
}

impl Context {
    pub(super) fn of(groups: &[Group], catalog: &'static Catalog, dialect: &'static Dialect) -> Self {
        let (mut choices, mut hours) = (Vec::<(_, Choice)>::new(), None);
        for (Group { span, .. }, fact) in groups
            .iter()
            .flat_map(|group| group.facts.iter().flatten().map(move |fact| (group, fact)))
        {
            match fact {
                Fact::Set(settings) => hours = settings.job.hours.or(hours),
                Fact::Choice(new) => match choices.iter_mut().find(|(_, known)| known.is_rival(new)) {
                    Some((_, known)) => known.add(&new.names),
                    None => choices.push((span.clone(), new.clone())),
                },
                Fact::Condition(_) | Fact::Size(_) | Fact::Price(_) | Fact::Note(_) => {}
            }
        }
        Self {
            catalog,
            dialect,
            choices,
            hours,
        }
    }

    /// The values that a field is to have one of.
    fn names(&self, field: &str) -> &[String] {
        let choice = self.choices.iter().find(|(_, own)| own.is_wanted(field));
        choice.map_or(&[], |(_, choice)| &choice.names)
    }

    /// What a clause means; nothing if no search can ask for it.
    pub(super) fn meaning(&self, span: &Range<usize>, facts: &[Fact]) -> Option<Meaning> {
        let (mut meaning, mut conditions) = (Meaning::default(), Vec::new());
        for fact in facts {
            match fact {
                Fact::Condition(text) => conditions.push(text.clone()),
                Fact::Choice(new) => {
                    let choices = self.choices.iter();
                    let own = choices.filter(|(first, choice)| first == span && choice.is_rival(new));
                    conditions.extend(own.map(|(_, choice)| choice.condition()));
                }
                // Without a noun: memory of the cards if they have so much, else disk.
                Fact::Size(size) if models::have_size(self.names("gpu_name"), size[0].1) => {
                    meaning.add(self.meaning(span, &as_sold(size, "gpu_ram"))?);
                }
                Fact::Size(size) => meaning.add(self.meaning(span, &disk(size))?),
                Fact::Price(price) => conditions.push(compared(price, self.priced(price)?, Operator::Lte)),
                Fact::Set(settings) => meaning.settings.add(settings),
                Fact::Note(note) => meaning.notes.push(note.clone()),
            }
        }
        // As they are printed, if the resource has such fields.
        let parsed = language::parse(&conditions.join(" "), self.catalog, self.dialect, &[], Mode::Bar).ok()?;
        let freed = parsed
            .removed
            .iter()
            .map(|field| format!("{}={}", field.key, language::ANY));
        let printed = std::iter::once(language::print_briefly(&parsed.conditions)).chain(freed);
        meaning.add(Meaning {
            conditions: printed.collect::<Vec<_>>().join(" "),
            ..Meaning::default()
        });
        parsed.words.is_empty().then_some(meaning)
    }

    /// The field of dollars that may be an hour's price or the job's bill; `None` if both are likely.
    fn priced(&self, price: &[Bound]) -> Option<&'static str> {
        /// Dollars an hour that a GPU may cost.
        const USUAL: (f64, f64) = (0.05, 5.0);
        let counts = self.names("num_gpus").iter();
        let gpus = counts.flat_map(|count| count.parse()).fold(1.0, f64::max);
        let each = price.last().map_or(0.0, |(_, dollars)| dollars / gpus);
        match self.hours {
            Some(_) if each > USUAL.1 => Some("job_cost"),
            Some(hours) if each / hours >= USUAL.0 => None,
            _ => Some("dph_total"),
        }
    }
}
