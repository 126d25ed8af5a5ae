//! What clauses mean for a search: conditions, and its settings.

use std::collections::HashSet;
use std::ops::Range;

use super::attributes::{as_sold, compared, disk};
use super::grammar::Fact;
use super::models;
use super::quantity::Quantity;
use super::settings::Settings;
use crate::domain::catalog::Catalog;
use crate::domain::dialect::Dialect;
use crate::domain::field::Operator;
use crate::domain::format::trimmed;
use crate::domain::language::{self, Mode};
use crate::domain::{country, region};

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
    if !idle.is_empty() {
        texts.push(format!("no condition: {}", idle.join(", ")));
    }
    texts.retain(|text| !text.is_empty());
    texts.join(" · ")
}

/// The span of a clause, and what it says.
pub(super) type Said = (Range<usize>, Vec<Fact>);

/// What all clauses say together.
pub(super) struct Context {
    catalog: &'static Catalog,
    dialect: &'static Dialect,
    /// A field and whether the values are excluded, and the values: all clauses on a choice make one
    /// condition, that of the first.
    choices: Vec<(&'static str, bool, Vec<String>)>,
    /// The choices that are laid out.
    told: Vec<(&'static str, bool)>,
    /// Hours of the job.
    hours: Option<f64>,
}

impl Context {
    pub(super) fn of(clauses: &[Said], catalog: &'static Catalog, dialect: &'static Dialect) -> Self {
        let facts = || clauses.iter().flat_map(|(_, facts)| facts);
        let (mut choices, mut hours) = (Vec::<(_, _, Vec<String>)>::new(), None);
        for fact in facts() {
            if let Fact::Set(settings) = fact {
                hours = settings.job.hours.or(hours);
            }
            let Fact::Choice(field, names, is_excluded) = fact else {
                continue;
            };
            let mut known = choices.iter_mut();
            match known.find(|known| (known.0, known.1) == (*field, *is_excluded)) {
                Some((.., known)) => known.extend(names.clone()),
                None => choices.push((*field, *is_excluded, names.clone())),
            }
        }
        for (field, is_excluded, names) in &mut choices {
            let mut seen = HashSet::new();
            names.retain(|name| seen.insert(name.clone()));
            for fact in facts().filter(|_| *field == "gpu_name" && !*is_excluded) {
                let has_form = |name: &String| matches!(fact, Fact::Form(form) if models::has_form(name, form));
                // Models whose names do not tell the form stay.
                if names.iter().any(has_form) {
                    names.retain(has_form);
                }
            }
        }
        let told = Vec::new();
        Self {
            catalog,
            dialect,
            choices,
            told,
            hours,
        }
    }

    /// The values that a field is to have one of.
    fn names(&self, field: &str) -> &[String] {
        let choice = self.choices.iter().find(|choice| choice.0 == field && !choice.1);
        choice.map_or(&[], |(.., names)| names)
    }

    /// What a clause can mean, likeliest first; nothing if no search can ask for it.
    pub(super) fn readings(&mut self, facts: &[Fact], words: &str) -> Vec<Meaning> {
        match facts {
            [Fact::Size(size)] => self.sizes(size),
            facts => self.meaning(facts, words).into_iter().collect(),
        }
    }

    fn meaning(&mut self, facts: &[Fact], words: &str) -> Option<Meaning> {
        let (mut meaning, mut conditions, mut free) = (Meaning::default(), Vec::new(), None);
        for fact in facts {
            match fact {
                Fact::Condition(text) if text.starts_with("free:") => free = Some(&text[5..]),
                Fact::Condition(text) => conditions.push(text.clone()),
                Fact::Choice(field, _, is_excluded) => conditions.extend(self.choice(field, *is_excluded)),
                Fact::Form(_) if self.names("gpu_name").is_empty() => return None,
                Fact::Form(_) => conditions.extend(self.choice("gpu_name", false)),
                Fact::Region(name) => {
                    let note = format!("{name}: the market filters by country only");
                    meaning.notes.push(note);
                    meaning.state = Some(name.clone()).filter(|name| region::is_state(name));
                }
                Fact::Size(_) => return None,
                Fact::Price(price, is_tied) => conditions.push(self.price(price, *is_tied)?),
                Fact::Set(settings) => meaning.settings.add(settings),
                Fact::Note(note) => meaning.notes.push(note.clone()),
                Fact::Idle => meaning.idle = Some(words.to_owned()),
            }
        }
        let conditions = self.canonical(&conditions.join(" "))?;
        meaning.conditions = free.map_or(conditions, |field| format!("{field}={}", language::ANY));
        Some(meaning)
    }

    /// The condition of all clauses on a choice, once.
    fn choice(&mut self, field: &'static str, is_excluded: bool) -> Option<String> {
        if self.told.contains(&(field, is_excluded)) {
            return None;
        }
        self.told.push((field, is_excluded));
        let mut choices = self.choices.iter();
        let (.., names) = choices.find(|choice| (choice.0, choice.1) == (field, is_excluded))?;
        let names: Vec<_> = names.iter().map(|name| name.replace(' ', "_")).collect();
        let (values, is_one) = (names.join(","), names.len() == 1);
        let is_group = is_one && field == "geolocation" && country::group(&values).is_some();
        let not = if is_excluded { "not" } else { "" };
        Some(match is_one {
            true if is_group => format!("{field} {not}in {values}"),
            true if is_excluded => format!("{field}!={values}"),
            true => format!("{field}={values}"),
            false => format!("{field} {not}in [{values}]"),
        })
    }

    /// The condition on dollars that may be an hour's price or the job's bill; `None` if both are likely.
    fn price(&self, price: &Quantity, is_tied: bool) -> Option<String> {
        /// Dollars an hour that a GPU may cost.
        const USUAL: (f64, f64) = (0.05, 5.0);
        let counts = self.names("num_gpus").iter();
        let gpus = counts.flat_map(|count| count.parse()).fold(1.0, f64::max);
        let each = price.high.unwrap_or(price.low) / gpus;
        let is_bill = match self.hours {
            None => false,
            Some(_) if each > USUAL.1 => true,
            Some(hours) if each / hours < USUAL.0 => false,
            Some(_) if is_tied => true,
            Some(_) => return None,
        };
        let field = if is_bill { "job_cost" } else { "dph_total" };
        Some(compared(price, field, Operator::Lte, 1.0))
    }

    /// A size without a noun: memory of the cards if they have it, else disk.
    fn sizes(&mut self, size: &Quantity) -> Vec<Meaning> {
        let ram = Fact::Condition(compared(size, "cpu_ram", Operator::Gte, 1.0));
        let mut of = |noun: &str, facts: &[Fact]| {
            let words = (!noun.is_empty()).then(|| format!("{}GB {noun}", trimmed(size.low, 3)));
            self.meaning(facts, "").map(|meaning| Meaning { words, ..meaning })
        };
        let [vram, disk, ram] = [
            of("", &as_sold(size, "gpu_ram")),
            of("disk", &disk(size)),
            of("ram", &[ram]),
        ];
        let is_vram = models::have_size(self.names("gpu_name"), size.low);
        let order = if is_vram { [vram, disk, ram] } else { [disk, vram, ram] };
        order.into_iter().flatten().collect()
    }

    /// Conditions as they are printed; `None` if the resource has no such fields.
    fn canonical(&self, conditions: &str) -> Option<String> {
        let parsed = language::parse(conditions, self.catalog, self.dialect, &[], Mode::Bar).ok()?;
        let is_all = parsed.words.is_empty();
        is_all.then(|| language::print_briefly(&parsed.conditions))
    }
}
