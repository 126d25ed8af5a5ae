//! What clauses mean for a search: conditions, and its settings.

use std::ops::Range;

use super::clause::{as_sold, compared, disk};
use super::grammar::Fact;
use super::models;
use super::settings::Settings;
use super::text::Bound;
use crate::domain::catalog::Catalog;
use crate::domain::country;
use crate::domain::dialect::Dialect;
use crate::domain::field::Operator;
use crate::domain::format::trimmed;
use crate::domain::language::{self, Mode};
use crate::domain::region;

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Meaning {
    /// The conditions as a query; empty if there are none.
    pub conditions: String,
    pub settings: Settings,
    /// What is said of the reading, such as sizes as sold.
    pub notes: Vec<String>,
    /// Words that the market has no field for.
    pub idle: Option<String>,
    /// A state that locations of offers name, and that no condition can ask for.
    pub state: Option<String>,
    /// Words that have only this meaning, if the phrase is ambiguous.
    pub words: Option<String>,
}

impl Meaning {
    /// What replaces the words in the query: their conditions, or words with only this meaning where
    /// settings are part of it.
    pub fn replacement(&self, words: &str) -> String {
        if self.settings == Settings::default() {
            return self.conditions.clone();
        }
        self.words.clone().unwrap_or_else(|| words.to_owned())
    }

    /// Whether it changes nothing about a search.
    pub fn is_idle(&self) -> bool {
        self.conditions.is_empty() && self.settings == Settings::default()
    }

    /// The meaning in one line: `gpu_name=RTX_4090`, `job 3d`.
    pub fn text(&self) -> String {
        text(&[self], &self.settings)
    }
}

/// The conditions of meanings as a query.
pub(super) fn conditions(meanings: &[&Meaning]) -> String {
    let conditions = meanings.iter().map(|meaning| &*meaning.conditions);
    conditions.filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Meanings in one line, with the settings that they make together.
pub(super) fn text(meanings: &[&Meaning], settings: &Settings) -> String {
    let mut texts = vec![conditions(meanings)];
    texts.extend(settings.texts());
    for note in meanings.iter().flat_map(|meaning| &meaning.notes) {
        if !texts.contains(note) {
            texts.push(note.clone());
        }
    }
    let idle: Vec<_> = meanings.iter().filter_map(|meaning| meaning.idle.as_deref()).collect();
    texts.extend((!idle.is_empty()).then(|| format!("no condition: {}", idle.join(", "))));
    texts.retain(|text| !text.is_empty());
    texts.join(" · ")
}

/// The span of a clause, and what it says.
pub(super) type Said = (Range<usize>, Vec<Fact>);

/// The values that all clauses choose for a field, or leave out: they make one condition, that of the first.
struct Choice {
    field: &'static str,
    names: Vec<String>,
    is_excluded: bool,
    is_told: bool,
}

/// What all clauses say together.
pub(super) struct Context {
    catalog: &'static Catalog,
    dialect: &'static Dialect,
    choices: Vec<Choice>,
    /// Hours of the job.
    hours: Option<f64>,
}

impl Context {
    pub(super) fn of(clauses: &[Said], catalog: &'static Catalog, dialect: &'static Dialect) -> Self {
        let facts = || clauses.iter().flat_map(|(_, facts)| facts);
        let (mut choices, mut hours) = (Vec::<Choice>::new(), None);
        for fact in facts() {
            if let Fact::Set(settings) = fact {
                hours = settings.job.hours.or(hours);
            }
            let Fact::Choice(field, names, is_excluded) = fact else {
                continue;
            };
            let (field, is_excluded, is_told) = (*field, *is_excluded, false);
            let known = choices
                .iter()
                .position(|known| (known.field, known.is_excluded) == (field, is_excluded));
            let at = known.unwrap_or_else(|| {
                let names = Vec::new();
                #[rustfmt::skip]
                choices.push(Choice { field, names, is_excluded, is_told });
                choices.len() - 1
            });
            for name in names {
                if !choices[at].names.contains(name) {
                    choices[at].names.push(name.clone());
                }
            }
        }
        for choice in choices
            .iter_mut()
            .filter(|choice| choice.field == "gpu_name" && !choice.is_excluded)
        {
            for fact in facts() {
                let has_form = |name: &String| matches!(fact, Fact::Form(form) if models::has_form(name, form));
                // Models whose names do not tell the form stay.
                if choice.names.iter().any(has_form) {
                    choice.names.retain(has_form);
                }
            }
        }
        #[rustfmt::skip]
        return Self { catalog, dialect, choices, hours };
    }

    /// The values that a field is to have one of.
    fn names(&self, field: &str) -> &[String] {
        let mut choices = self.choices.iter();
        let choice = choices.find(|choice| choice.field == field && !choice.is_excluded);
        choice.map_or(&[], |choice| &choice.names)
    }

    /// What a clause can mean, likeliest first; nothing if no search can ask for it.
    pub(super) fn readings(&mut self, facts: &[Fact], words: &str) -> Vec<Meaning> {
        match facts {
            [Fact::Size(size)] => self.sizes(size),
            facts => self.meaning(facts, words).into_iter().collect(),
        }
    }

    fn meaning(&mut self, facts: &[Fact], words: &str) -> Option<Meaning> {
        let (mut meaning, mut conditions) = (Meaning::default(), Vec::new());
        for fact in facts {
            match fact {
                Fact::Condition(text) => conditions.push(text.clone()),
                Fact::Choice(field, _, is_excluded) => conditions.extend(self.choice(field, *is_excluded)),
                Fact::Form(_) if self.names("gpu_name").is_empty() => return None,
                Fact::Form(_) => conditions.extend(self.choice("gpu_name", false)),
                Fact::Region(name) => {
                    meaning
                        .notes
                        .push(format!("{name}: the market filters by country only"));
                    meaning.state = Some(name.clone()).filter(|name| region::is_state(name));
                }
                Fact::Size(_) => return None,
                Fact::Price(price) => conditions.push(compared(price, self.priced(price)?, Operator::Lte)),
                Fact::Set(settings) => meaning.settings.add(settings),
                Fact::Note(note) => meaning.notes.push(note.clone()),
                Fact::Idle => meaning.idle = Some(words.to_owned()),
            }
        }
        // As they are printed, if the resource has such fields.
        let conditions = conditions.join(" ");
        let parsed = language::parse(&conditions, self.catalog, self.dialect, &[], Mode::Bar).ok()?;
        let freed = parsed
            .removed
            .iter()
            .map(|field| format!("{}={}", field.key, language::ANY));
        let printed = std::iter::once(language::print_briefly(&parsed.conditions)).chain(freed);
        meaning.conditions = printed.filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" ");
        parsed.words.is_empty().then_some(meaning)
    }

    /// The condition of all clauses on a choice, once.
    fn choice(&mut self, field: &'static str, is_excluded: bool) -> Option<String> {
        let mut choices = self.choices.iter_mut();
        let choice = choices.find(|choice| (choice.field, choice.is_excluded) == (field, is_excluded))?;
        let values = choice.names.join(",").replace(' ', "_");
        let not = if is_excluded { "not" } else { "" };
        let is_first = !std::mem::replace(&mut choice.is_told, true);
        is_first.then(|| match &choice.names[..] {
            [_] if country::group(&values).is_some() => format!("{field} {not}in {values}"),
            [_] => format!("{field}{}{values}", if is_excluded { "!=" } else { "=" }),
            _ => format!("{field} {not}in [{values}]"),
        })
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

    /// A size without a noun: memory of the cards if they have it, else disk.
    fn sizes(&mut self, size: &[Bound]) -> Vec<Meaning> {
        let gb = size[0].1;
        let mut of = |noun: &str, facts: &[Fact]| {
            let words = (!noun.is_empty()).then(|| format!("{}GB {noun}", trimmed(gb, 3)));
            self.meaning(facts, "").map(|meaning| Meaning { words, ..meaning })
        };
        let ram = Fact::Condition(compared(size, "cpu_ram", Operator::Gte));
        let mut readings = [
            of("", &as_sold(size, "gpu_ram")),
            of("disk", &disk(size)),
            of("ram", &[ram]),
        ];
        if !models::have_size(self.names("gpu_name"), gb) {
            readings.swap(0, 1);
        }
        readings.into_iter().flatten().collect()
    }
}
