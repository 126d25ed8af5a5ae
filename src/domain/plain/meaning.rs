//! What clauses mean for a search: conditions, and its settings.

use super::grammar::Fact;
use super::measures::{as_sold, compared, disk};
use super::models;
use super::quantity::Quantity;
use super::settings::{Cluster, Settings};
use crate::domain::catalog::Catalog;
use crate::domain::country;
use crate::domain::dialect::Dialect;
use crate::domain::field::Operator;
use crate::domain::format::{gigabytes, trimmed};
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

/// Meanings in one line, with the settings that they make together.
pub(super) fn text(meanings: &[&Meaning], settings: &Settings) -> String {
    let conditions: Vec<_> = meanings
        .iter()
        .map(|own| &*own.conditions)
        .filter(|text| !text.is_empty())
        .collect();
    let mut texts = settings.texts();
    if !conditions.is_empty() {
        texts.insert(0, conditions.join(" "));
    }
    for note in meanings.iter().flat_map(|own| &own.notes) {
        if !texts.contains(note) {
            texts.push(note.clone());
        }
    }
    let idle: Vec<_> = meanings.iter().filter_map(|own| own.idle.as_deref()).collect();
    if !idle.is_empty() {
        texts.push(format!("no condition: {}", idle.join(", ")));
    }
    texts.join(" · ")
}

/// A field and whether the values are excluded, the values, and whether they were laid out: all clauses on a
/// choice make one condition, that of the first.
type Choice = (&'static str, bool, Vec<String>, bool);

/// What all clauses say together.
pub(super) struct Context {
    catalog: &'static Catalog,
    dialect: &'static Dialect,
    choices: Vec<Choice>,
    /// Hours of the job.
    hours: Option<f64>,
}

impl Context {
    pub(super) fn of<'a>(
        facts: impl Iterator<Item = &'a Fact>,
        catalog: &'static Catalog,
        dialect: &'static Dialect,
    ) -> Self {
        let mut context = Self {
            catalog,
            dialect,
            choices: Vec::new(),
            hours: None,
        };
        let mut form = None;
        for fact in facts {
            match fact {
                Fact::Form(own) => form = Some(*own),
                Fact::Hours(hours) => context.hours = Some(*hours),
                Fact::Choice {
                    field,
                    names,
                    is_excluded,
                } => context.choose(field, *is_excluded, names),
                Fact::Condition(_) | Fact::Region(_) | Fact::Size(_) | Fact::Price(..) => {}
                Fact::Traffic { .. } | Fact::Down(_) | Fact::Up(_) | Fact::Storage(_) => {}
                Fact::Type(_) | Fact::Order(_) | Fact::Limit(_) | Fact::Cluster(..) => {}
                Fact::Note(_) | Fact::Idle => {}
            }
        }
        // Models whose names do not tell the form stay.
        if let (Some(form), Some((.., models, _))) = (
            form,
            context.choices.iter_mut().find(|own| own.0 == "gpu_name" && !own.1),
        ) && models.iter().any(|model| models::has_form(model, form))
        {
            models.retain(|model| models::has_form(model, form));
        }
        context
    }

    fn choose(&mut self, field: &'static str, is_excluded: bool, names: &[String]) {
        let is_own = |own: &Choice| (own.0, own.1) == (field, is_excluded);
        let index = self.choices.iter().position(is_own).unwrap_or_else(|| {
            self.choices.push((field, is_excluded, Vec::new(), false));
            self.choices.len() - 1
        });
        let known = &mut self.choices[index].2;
        for name in names {
            if !known.contains(name) {
                known.push(name.clone());
            }
        }
    }

    /// The values that a field is to have one of.
    fn names(&self, field: &str) -> &[String] {
        let own = self.choices.iter().find(|own| own.0 == field && !own.1);
        own.map_or(&[], |own| &own.2)
    }

    /// What a clause can mean, likeliest first; nothing if no search can ask for it.
    pub(super) fn readings(&mut self, facts: &[Fact], words: &str) -> Vec<Meaning> {
        match facts {
            [Fact::Size(size)] => self.sizes(size),
            [Fact::Condition(text)] if text.starts_with("free:") => {
                let conditions = format!("{}={}", &text[5..], language::ANY);
                vec![Meaning {
                    conditions,
                    ..Meaning::default()
                }]
            }
            facts => self.meaning(facts, words).into_iter().collect(),
        }
    }

    fn meaning(&mut self, facts: &[Fact], words: &str) -> Option<Meaning> {
        let (mut meaning, mut conditions) = (Meaning::default(), Vec::new());
        let set = &mut meaning.settings;
        for fact in facts {
            match fact {
                Fact::Condition(text) => conditions.push(text.clone()),
                Fact::Choice { field, is_excluded, .. } => conditions.extend(self.choice(field, *is_excluded)),
                Fact::Form(_) if self.names("gpu_name").is_empty() => return None,
                Fact::Form(_) => conditions.extend(self.choice("gpu_name", false)),
                Fact::Region(name) => {
                    meaning
                        .notes
                        .push(format!("{name}: the market filters by country only"));
                    meaning.state = Some(name.clone()).filter(|name| region::is_state(name));
                }
                Fact::Size(_) => return None,
                Fact::Price(price, is_tied) => conditions.push(self.price(price, *is_tied)?),
                Fact::Traffic { gb, hours, is_up } => {
                    if self.hours.is_none() {
                        let note = format!("{} of traffic in all, as no length of the job is given", gigabytes(*gb));
                        meaning.notes.push(note);
                    }
                    let all = Some(gb * self.hours.map_or(1.0, |own| own / hours));
                    let job = &mut set.job;
                    *(if *is_up { &mut job.gb_out } else { &mut job.gb_in }) = all;
                }
                Fact::Hours(hours) => set.job.hours = Some(*hours),
                Fact::Down(gb) => set.job.gb_in = Some(*gb),
                Fact::Up(gb) => set.job.gb_out = Some(*gb),
                Fact::Storage(gb) => set.storage = Some(*gb),
                Fact::Type(own) => set.offer_type = Some(*own),
                Fact::Order(order) => set.order = Some(order.clone()),
                Fact::Limit(rows) => set.limit = Some(*rows),
                Fact::Cluster(machines, gpus_each) => {
                    let (machines, gpus_each) = (*machines, *gpus_each);
                    set.cluster = Some(Cluster { machines, gpus_each });
                }
                Fact::Note(note) => meaning.notes.push(note.clone()),
                Fact::Idle => meaning.idle = Some(words.to_owned()),
            }
        }
        meaning.conditions = self.canonical(&conditions.join(" "))?;
        Some(meaning)
    }

    /// The condition of all clauses on a choice, once.
    fn choice(&mut self, field: &'static str, is_excluded: bool) -> Option<String> {
        let own = self
            .choices
            .iter_mut()
            .find(|own| (own.0, own.1, own.3) == (field, is_excluded, false))?;
        own.3 = true;
        let names: Vec<_> = own.2.iter().map(|name| name.replace(' ', "_")).collect();
        let is_group = |name: &String| field == "geolocation" && country::group(name).is_some();
        Some(match (&names[..], is_excluded) {
            ([name], false) if is_group(name) => format!("{field} in {name}"),
            ([name], true) if is_group(name) => format!("{field} notin {name}"),
            ([name], false) => format!("{field}={name}"),
            ([name], true) => format!("{field}!={name}"),
            (names, false) => format!("{field} in [{}]", names.join(",")),
            (names, true) => format!("{field} notin [{}]", names.join(",")),
        })
    }

    /// The condition on dollars that may be an hour's price or the job's bill; `None` if both are likely.
    fn price(&self, price: &Quantity, is_tied: bool) -> Option<String> {
        /// Dollars an hour that a GPU may cost.
        const USUAL: (f64, f64) = (0.05, 5.0);
        let counts = self
            .names("num_gpus")
            .iter()
            .filter_map(|count| count.parse::<f64>().ok());
        let gpus = counts.fold(1.0, f64::max);
        let each = price.high.unwrap_or(price.low) / gpus;
        let is_hourly = each <= USUAL.1;
        let is_bill = match self.hours {
            None => false,
            Some(_) if !is_hourly => true,
            Some(hours) if each / hours < USUAL.0 => false,
            Some(_) if is_tied => true,
            Some(_) => return None,
        };
        let field = if is_bill { "job_cost" } else { "dph_total" };
        Some(compared(price, field, Operator::Lte, 1.0, ""))
    }

    /// A size without a noun: memory of the cards if they have it, else disk.
    fn sizes(&mut self, size: &Quantity) -> Vec<Meaning> {
        let ram = vec![Fact::Condition(compared(size, "cpu_ram", Operator::Gte, 1.0, ""))];
        let mut of = |noun: Option<&str>, facts: &[Fact]| {
            let words = noun.map(|noun| format!("{}GB {noun}", trimmed(size.low, 3)));
            self.meaning(facts, "").map(|own| Meaning { words, ..own })
        };
        let (vram, ram) = (of(None, &as_sold(size, "gpu_ram")), of(Some("ram"), &ram));
        let disk = of(Some("disk"), &disk(size));
        let is_vram = models::have_size(self.names("gpu_name"), size.low);
        let order = if is_vram { [vram, disk, ram] } else { [disk, vram, ram] };
        order.into_iter().flatten().collect()
    }

    /// Conditions as they are printed; `None` if the resource has no such fields.
    fn canonical(&self, conditions: &str) -> Option<String> {
        let parsed = language::parse(conditions, self.catalog, self.dialect, &[], Mode::Bar).ok()?;
        parsed
            .words
            .is_empty()
            .then(|| language::print_briefly(&parsed.conditions))
    }
}
