//! What clauses mean for a search: conditions, and its settings.

use std::ops::Range;

use super::clause::{as_sold, compared, disk};
use super::grammar::{Choice, Fact};
use super::models;
use super::settings::Settings;
use super::text::Bound;
use crate::domain::catalog::Catalog;
use crate::domain::country;
use crate::domain::dialect::Dialect;
use crate::domain::field::Operator;
use crate::domain::language::{self, Mode};
use crate::domain::region;

/// What words mean.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Meaning {
    /// The conditions as a query; empty if there are none.
    pub conditions: String,
    pub settings: Settings,
    /// What is said of the reading, such as sizes as sold.
    pub notes: Vec<String>,
    /// Words that the market has no field for.
    pub idle: Vec<String>,
}

impl Meaning {
    /// Adds what more words mean.
    pub(super) fn add(&mut self, more: Self) {
        let blank = if self.conditions.is_empty() || more.conditions.is_empty() {
            ""
        } else {
            " "
        };
        self.conditions = format!("{}{blank}{}", self.conditions, more.conditions);
        self.settings.add(&more.settings);
        for note in more.notes {
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
        }
        self.idle.extend(more.idle);
    }

    /// Whether it changes nothing about a search.
    pub fn is_idle(&self) -> bool {
        self.conditions.is_empty() && self.settings == Settings::default()
    }

    /// The meaning in one line: `gpu_name=RTX_4090 · job 3d`.
    pub fn text(&self) -> String {
        let idle = (!self.idle.is_empty()).then(|| format!("no condition: {}", self.idle.join(", ")));
        let conditions = Some(self.conditions.clone()).filter(|text| !text.is_empty());
        let texts = conditions.into_iter().chain(self.settings.texts());
        texts
            .chain(self.notes.iter().cloned())
            .chain(idle)
            .collect::<Vec<_>>()
            .join(" · ")
    }
}

/// The span of a clause, and what it says.
pub(super) type Said = (Range<usize>, Vec<Fact>);

/// What clauses say together.
pub(super) struct Context {
    catalog: &'static Catalog,
    dialect: &'static Dialect,
    /// The values that all clauses choose for a field, or leave out: one condition, that of the first clause.
    choices: Vec<(Range<usize>, Choice)>,
    /// The states and cities that are named.
    regions: Vec<String>,
    /// Hours of the job.
    hours: Option<f64>,
}

impl Context {
    pub(super) fn of(clauses: &[Said], catalog: &'static Catalog, dialect: &'static Dialect) -> Self {
        let (mut choices, mut hours) = (Vec::<(Range<usize>, Choice)>::new(), None);
        let (mut forms, mut regions) = (Vec::new(), Vec::new());
        for (span, fact) in clauses
            .iter()
            .flat_map(|(span, facts)| facts.iter().map(move |fact| (span, fact)))
        {
            match fact {
                Fact::Set(settings) => hours = settings.job.hours.or(hours),
                Fact::Form(form) => forms.push(*form),
                Fact::Region(name) => regions.push(name.clone()),
                Fact::Choice(new) => match choices.iter_mut().find(|(_, known)| known.is_rival(new)) {
                    Some((_, known)) => known.add(&new.names),
                    None => choices.push((span.clone(), new.clone())),
                },
                Fact::Condition(_) | Fact::Size(_) | Fact::Price(_) | Fact::Note(_) | Fact::Idle => {}
            }
        }
        let models = choices
            .iter_mut()
            .filter(|(_, own)| own.field == "gpu_name" && !own.is_excluded);
        for (_, Choice { names, .. }) in models {
            // Models whose names do not tell the form stay.
            for form in &forms {
                if names.iter().any(|name| models::has_form(name, form)) {
                    names.retain(|name| models::has_form(name, form));
                }
            }
        }
        Self {
            catalog,
            dialect,
            choices,
            regions,
            hours,
        }
    }

    /// The values that a field is to have one of.
    fn names(&self, field: &str) -> &[String] {
        let choice = self
            .choices
            .iter()
            .find(|(_, own)| own.field == field && !own.is_excluded);
        choice.map_or(&[], |(_, choice)| &choice.names)
    }

    /// The state that is named, if no other place is.
    pub(super) fn state(&self) -> Option<String> {
        let is_only = self.regions.len() == 1 && self.names("geolocation").len() == 1;
        let state = self.regions.first().filter(|name| is_only && region::is_state(name));
        state.cloned()
    }

    /// What a clause means; nothing if no search can ask for it.
    pub(super) fn meaning(&self, (span, facts): &Said, words: &str) -> Option<Meaning> {
        let (mut meaning, mut conditions) = (Meaning::default(), Vec::new());
        for fact in facts {
            match fact {
                Fact::Condition(text) => conditions.push(text.clone()),
                Fact::Choice(new) => {
                    let choices = self.choices.iter();
                    let own = choices.filter(|(first, choice)| first == span && choice.is_rival(new));
                    conditions.extend(own.map(|(_, choice)| condition(choice)));
                }
                Fact::Form(_) if self.names("gpu_name").is_empty() => return None,
                Fact::Form(_) => {}
                Fact::Region(name) => meaning
                    .notes
                    .push(format!("{name}: the market filters by country only")),
                // Without a noun: memory of the cards if they have so much, else disk.
                Fact::Size(size) => {
                    let is_memory = models::have_size(self.names("gpu_name"), size[0].1);
                    let facts = if is_memory {
                        as_sold(size, "gpu_ram")
                    } else {
                        disk(size)
                    };
                    meaning.add(self.meaning(&(span.clone(), facts), words)?);
                }
                Fact::Price(price) => conditions.push(compared(price, self.priced(price)?, Operator::Lte)),
                Fact::Set(settings) => meaning.settings.add(settings),
                Fact::Note(note) => meaning.notes.push(note.clone()),
                Fact::Idle => meaning.idle.push(words.to_owned()),
            }
        }
        if !conditions.is_empty() {
            // As they are printed, if the resource has such fields.
            let parsed = language::parse(&conditions.join(" "), self.catalog, self.dialect, &[], Mode::Bar).ok()?;
            let freed = parsed
                .removed
                .iter()
                .map(|field| format!("{}={}", field.key, language::ANY));
            let printed = std::iter::once(language::print_briefly(&parsed.conditions)).chain(freed);
            let printed: Vec<_> = printed.filter(|text| !text.is_empty()).collect();
            meaning.conditions = printed.join(" ");
            if !parsed.words.is_empty() {
                return None;
            }
        }
        Some(meaning)
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

/// The condition of a choice.
fn condition(
    Choice {
        field,
        names,
        is_excluded,
    }: &Choice,
) -> String {
    let values = names.join(",").replace(' ', "_");
    let not = if *is_excluded { "not" } else { "" };
    match &names[..] {
        [_] if country::group(&values).is_some() => format!("{field} {not}in {values}"),
        [_] => format!("{field}{}{values}", if *is_excluded { "!=" } else { "=" }),
        _ => format!("{field} {not}in [{values}]"),
    }
}
