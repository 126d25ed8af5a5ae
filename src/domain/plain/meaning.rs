//! What phrases mean for a search: conditions, and its settings.

use std::fmt::Write as _;

use super::amount::Amount;
use super::gpus;
use super::grammar::Fact;
use super::measure::disk;
use super::settings::Settings;
use crate::domain::catalog::{Catalog, Resource};
use crate::domain::country;
use crate::domain::dialect::Dialect;
use crate::domain::field::Operator;
use crate::domain::format::{gigabytes, trimmed};
use crate::domain::language::{self, Mode};
use crate::domain::region;

/// What is said of a reading.
#[derive(Debug, Clone, PartialEq)]
pub enum Note {
    /// Words that the market has no field for.
    NoCondition(String),
    /// Anything else.
    Text(String),
}

impl Note {
    /// Notes as texts, with the words without a condition in one.
    pub(super) fn texts<'a>(notes: impl Iterator<Item = &'a Self>) -> Vec<String> {
        let (mut idle, mut texts) = (Vec::new(), Vec::new());
        for note in notes {
            match note {
                Self::NoCondition(words) => idle.push(words.as_str()),
                Self::Text(text) if !texts.contains(text) => texts.push(text.clone()),
                Self::Text(_) => {}
            }
        }
        if !idle.is_empty() {
            texts.push(format!("no condition: {}", idle.join(", ")));
        }
        texts
    }
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Meaning {
    /// The conditions as a query; empty if there are none.
    pub conditions: String,
    pub settings: Settings,
    /// What is said of the reading: words without a condition, sizes as sold.
    pub note: Option<Note>,
    /// A state that locations of offers name, and that no condition can ask for.
    pub state: Option<String>,
    /// Words that have only this meaning, if the phrase is ambiguous.
    pub words: Option<String>,
}

impl Meaning {
    /// What replaces the words in the query: their conditions, or words with only this meaning where
    /// settings are part of it.
    pub fn replacement(&self, words: &str) -> String {
        match &self.words {
            Some(own) if self.settings != Settings::default() => own.clone(),
            _ if self.settings != Settings::default() => words.to_owned(),
            _ => self.conditions.clone(),
        }
    }

    /// Whether it changes nothing about a search.
    pub fn is_idle(&self) -> bool {
        self.conditions.is_empty() && self.settings == Settings::default()
    }

    /// The meaning in one line: `gpu_name=RTX_4090`, `job 3d`.
    pub fn text(&self) -> String {
        let conditions = Some(self.conditions.clone()).filter(|text| !text.is_empty());
        let texts: Vec<_> = conditions
            .into_iter()
            .chain(self.settings.texts())
            .chain(Note::texts(self.note.iter()))
            .collect();
        texts.join(" · ")
    }
}

/// The conditions that were laid out already: those on models and places belong to the first phrase
/// that names one.
#[derive(Debug, Default)]
pub(super) struct Chosen {
    models: bool,
    places: bool,
    no_models: bool,
    no_places: bool,
    counts: bool,
    privacy: bool,
}

/// What all phrases say together.
pub(super) struct Context {
    catalog: &'static Catalog,
    dialect: &'static Dialect,
    models: Vec<&'static str>,
    no_models: Vec<&'static str>,
    places: Vec<&'static str>,
    no_places: Vec<&'static str>,
    /// Numbers of GPUs, any of which is wanted.
    counts: Vec<String>,
    /// Hours of the job.
    hours: Option<f64>,
    /// Whether the European Union stands for the place.
    is_private: bool,
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
            models: Vec::new(),
            no_models: Vec::new(),
            places: Vec::new(),
            no_places: Vec::new(),
            counts: Vec::new(),
            hours: None,
            is_private: false,
        };
        let (mut form, mut class) = (None, None);
        for fact in facts {
            if let Fact::Form(own) = fact {
                form = Some(*own);
            }
            if let Fact::Hours(hours) = fact {
                context.hours = Some(*hours);
            }
            context.is_private |= matches!(fact, Fact::Privacy);
            if let Fact::Conditions(text) = fact
                && let Some(count) = text.strip_prefix("num_gpus=")
                && !context.counts.iter().any(|own| own == count)
            {
                context.counts.push(count.to_owned());
            }
            let (list, names) = match fact {
                Fact::Models {
                    names,
                    is_excluded: false,
                } if gpus::is_class(names) => {
                    class = Some(names);
                    continue;
                }
                Fact::Models {
                    names,
                    is_excluded: false,
                } => (&mut context.models, names),
                Fact::Models {
                    names,
                    is_excluded: true,
                } => (&mut context.no_models, names),
                Fact::Places {
                    names,
                    is_excluded: false,
                } => (&mut context.places, names),
                Fact::Places {
                    names,
                    is_excluded: true,
                } => (&mut context.no_places, names),
                Fact::Conditions(_)
                | Fact::Free(_)
                | Fact::Form(_)
                | Fact::Region { .. }
                | Fact::Size(_)
                | Fact::Vram(_)
                | Fact::TotalVram(_)
                | Fact::Disk(_)
                | Fact::Hours(_)
                | Fact::Down(_)
                | Fact::Up(_)
                | Fact::Traffic { .. }
                | Fact::Type(_)
                | Fact::Order(_)
                | Fact::Privacy
                | Fact::Idle(_) => continue,
            };
            for name in names {
                if !list.contains(name) {
                    list.push(name);
                }
            }
        }
        context.is_private &= context.places.is_empty();
        context.narrow(form);
        context.narrow_class(class);
        context
    }

    /// Keeps the models of a class, or takes all of it if none is named; models that are excluded
    /// anyway need no condition.
    fn narrow_class(&mut self, class: Option<&Vec<&'static str>>) {
        if let Some(class) = class {
            let is_own = |model: &&'static str| class.contains(model);
            if self.models.iter().any(is_own) {
                self.models.retain(is_own);
            } else if self.models.is_empty() {
                self.models.clone_from(class);
            }
        }
        if !self.models.is_empty() && gpus::is_class(&self.no_models) {
            let models = &self.models;
            self.no_models.retain(|model| models.contains(model));
        }
    }

    /// Keeps the models of a form factor. Models that have none of it stay, since their names do not tell it.
    fn narrow(&mut self, form: Option<&str>) {
        let Some(form) = form else {
            return;
        };
        let is_of_form =
            |model: &&str| model.contains(form) || (form == "SXM" && gpus::SXM.contains(model));
        if self.models.iter().any(is_of_form) {
            self.models.retain(is_of_form);
        } else if self.models.is_empty() && form == "SXM" {
            self.models.extend(gpus::SXM);
        }
    }

    /// What a phrase can mean; nothing if the resource has no such fields.
    pub(super) fn readings(&self, facts: &[Fact], chosen: &mut Chosen) -> Vec<Meaning> {
        if let [Fact::Size(amount)] = facts {
            return self.sizes(amount);
        }
        if let [Fact::Free(field)] = facts {
            return vec![Meaning {
                conditions: format!("{field}={}", language::ANY),
                ..Meaning::default()
            }];
        }
        let mut meaning = Meaning {
            note: facts.iter().find_map(|fact| self.note(fact)),
            state: only_state(facts),
            ..Meaning::default()
        };
        let mut conditions = String::new();
        for fact in facts {
            if let Some(text) = self.condition(fact, chosen) {
                let _ = write!(conditions, "{text} "); // writing to a String cannot fail
            } else if self.set(fact, &mut meaning.settings).is_none() {
                return Vec::new();
            }
        }
        let Some(canonical) = self.canonical(&conditions) else {
            return Vec::new();
        };
        meaning.conditions = canonical;
        vec![meaning]
    }

    /// A size without a noun: memory of the cards if they have it, else disk.
    fn sizes(&self, amount: &Amount) -> Vec<Meaning> {
        let exactly = |field| amount.on(field, Operator::Gte, 1.0, "");
        let of = |conditions: String, noun: &str, facts: Vec<Fact>| {
            let mut meaning = Meaning {
                conditions: self.canonical(&conditions)?,
                words: Some(format!("{}GB {noun}", trimmed(amount.low, 3))),
                ..Meaning::default()
            };
            for fact in facts {
                let _ = self.set(&fact, &mut meaning.settings);
            }
            Some(meaning)
        };
        let mut vram = of(amount.vram(), "vram", Vec::new());
        if let Some(meaning) = &mut vram {
            meaning.words = None;
            meaning.note = amount.sold().map(Note::Text);
        }
        let disk = of(exactly("disk_space"), "disk", disk(amount));
        let ram = of(exactly("cpu_ram"), "ram", Vec::new());
        let is_vram = if self.models.is_empty() {
            gpus::is_card_size(amount.low)
        } else {
            gpus::have_size(&self.models, amount.low)
        };
        let order = if is_vram {
            [vram, disk, ram]
        } else {
            [disk, vram, ram]
        };
        order.into_iter().flatten().collect()
    }

    /// The conditions of a fact as a query; `None` if it is a setting.
    fn condition(&self, fact: &Fact, chosen: &mut Chosen) -> Option<String> {
        let once = |is_said: &mut bool, text: String| {
            if std::mem::replace(is_said, true) {
                String::new()
            } else {
                text
            }
        };
        Some(match fact {
            Fact::Conditions(text) if self.counts.len() > 1 && text.starts_with("num_gpus=") => {
                once(&mut chosen.counts, choice("num_gpus", &self.counts, false))
            }
            Fact::Conditions(text) => text.clone(),
            Fact::Free(_) => return None,
            Fact::Vram(amount) => amount.vram(),
            Fact::TotalVram(amount) => amount.total_vram(),
            Fact::Region { .. } => String::new(),
            Fact::Idle(_) => String::new(),
            Fact::Privacy if self.is_private => {
                once(&mut chosen.privacy, "geolocation in EU".to_owned())
            }
            Fact::Privacy => String::new(),
            Fact::Form(_) if self.models.is_empty() => return None,
            Fact::Form(_) => {
                let names = self.models.iter().map(|name| name.replace(' ', "_"));
                let names: Vec<_> = names.collect();
                once(&mut chosen.models, choice("gpu_name", &names, false))
            }
            Fact::Models { is_excluded, .. } => {
                let (names, is_said) = if *is_excluded {
                    (&self.no_models, &mut chosen.no_models)
                } else {
                    (&self.models, &mut chosen.models)
                };
                let names: Vec<_> = names.iter().map(|name| name.replace(' ', "_")).collect();
                if names.is_empty() {
                    return Some(String::new());
                }
                once(is_said, choice("gpu_name", &names, *is_excluded))
            }
            Fact::Places { is_excluded, .. } => {
                let (names, is_said) = if *is_excluded {
                    (&self.no_places, &mut chosen.no_places)
                } else {
                    (&self.places, &mut chosen.places)
                };
                let names: Vec<_> = names.iter().map(|name| (*name).to_owned()).collect();
                once(is_said, choice("geolocation", &names, *is_excluded))
            }
            Fact::Traffic { .. } => return None,
            Fact::Size(_) | Fact::Disk(_) | Fact::Hours(_) | Fact::Down(_) | Fact::Up(_) => {
                return None;
            }
            Fact::Type(_) | Fact::Order(_) => return None,
        })
    }

    /// What is said of a fact besides its conditions and settings.
    fn note(&self, fact: &Fact) -> Option<Note> {
        match fact {
            Fact::Vram(amount) => amount.sold().map(Note::Text),
            Fact::TotalVram(amount) => amount.sold_in_all().map(Note::Text),
            Fact::Region { name, is_excluded } if *is_excluded => {
                Some(Note::NoCondition(format!("not in {name}")))
            }
            Fact::Region { name, .. } => Some(Note::Text(format!(
                "{name}: the market filters by country only"
            ))),
            Fact::Idle(words) => Some(Note::NoCondition(words.clone())),
            Fact::Privacy if !self.is_private => Some(Note::NoCondition("gdpr".to_owned())),
            Fact::Privacy => Some(Note::Text("gdpr read as the EU".to_owned())),
            Fact::Traffic { gb, .. } if self.hours.is_none() => Some(Note::Text(format!(
                "{} of traffic in all, as no length of the job is given",
                gigabytes(*gb)
            ))),
            Fact::Conditions(_)
            | Fact::Free(_)
            | Fact::Models { .. }
            | Fact::Form(_)
            | Fact::Places { .. }
            | Fact::Size(_)
            | Fact::Disk(_)
            | Fact::Hours(_)
            | Fact::Down(_)
            | Fact::Up(_)
            | Fact::Traffic { .. }
            | Fact::Type(_)
            | Fact::Order(_) => None,
        }
    }

    /// Takes a fact into settings; `None` if the resource has no such setting.
    fn set(&self, fact: &Fact, settings: &mut Settings) -> Option<()> {
        let is_offers = self.catalog.resource == Resource::Offers;
        match fact {
            Fact::Order(order) => {
                settings.order = Some(language::parse_order(order, self.catalog).ok()?);
            }
            Fact::Conditions(_) | Fact::Models { .. } | Fact::Places { .. } | Fact::Size(_) => {}
            Fact::Free(_) | Fact::Idle(_) | Fact::Privacy | Fact::Region { .. } => {}
            Fact::Vram(_) | Fact::TotalVram(_) => {}
            Fact::Form(_) => return None,
            Fact::Disk(_) | Fact::Hours(_) | Fact::Down(_) | Fact::Up(_) if !is_offers => {
                return None;
            }
            Fact::Traffic { .. } | Fact::Type(_) if !is_offers => return None,
            Fact::Disk(gb) => settings.storage = Some(*gb),
            Fact::Hours(hours) => settings.job.hours = Some(*hours),
            Fact::Down(gb) => settings.job.gb_in = Some(*gb),
            Fact::Up(gb) => settings.job.gb_out = Some(*gb),
            Fact::Traffic { gb, hours, is_up } => {
                let all = gb * self.hours.map_or(1.0, |own| own / hours);
                let way = if *is_up {
                    &mut settings.job.gb_out
                } else {
                    &mut settings.job.gb_in
                };
                *way = Some(all);
            }
            Fact::Type(word) => settings.offer_type = Some(word.parse().ok()?),
        }
        Some(())
    }

    /// Conditions as they are printed; `None` if the resource has no such fields.
    fn canonical(&self, conditions: &str) -> Option<String> {
        let parsed =
            language::parse(conditions, self.catalog, self.dialect, &[], Mode::Bar).ok()?;
        let has_words = !parsed.words.is_empty();
        (!has_words).then(|| language::print_briefly(&parsed.conditions))
    }
}

/// The state that a phrase names, if it names only one place: `texas or oregon` has none.
fn only_state(facts: &[Fact]) -> Option<String> {
    match facts {
        [
            Fact::Places { names, .. },
            Fact::Region {
                name,
                is_excluded: false,
            },
        ] if names.len() == 1 && region::is_state(name) => Some(name.clone()),
        _ => None,
    }
}

/// A condition that a field is one of several values, or none of them.
pub(super) fn choice(field: &str, names: &[String], is_excluded: bool) -> String {
    let is_group = |name: &String| name.len() > 2 || country::group(name).is_some();
    match (names, is_excluded) {
        ([name], false) if field == "geolocation" && is_group(name) => format!("{field} in {name}"),
        ([name], true) if field == "geolocation" && is_group(name) => {
            format!("{field} notin {name}")
        }
        ([name], false) => format!("{field}={name}"),
        ([name], true) => format!("{field}!={name}"),
        (names, false) => format!("{field} in [{}]", names.join(",")),
        (names, true) => format!("{field} notin [{}]", names.join(",")),
    }
}
