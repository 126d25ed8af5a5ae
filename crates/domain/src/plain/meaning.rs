//! The meaning of clauses for a search: conditions, and its settings.

use super::clause::{as_sold, bounds_to_query, disk};
use super::cluster::Parts;
use super::grammar::{Fact, Group, Sense};
use super::question::Question;
use super::settings::Settings;
use super::text::Bound;
use super::{MarketWords, models};
use crate::cost::JobWords;
use crate::format::trimmed;
use crate::language::{self, Mode};
use crate::query::Operand;
use crate::{Condition, Operator, Value, country};

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Meaning {
    /// The conditions as a query; empty if there are none.
    pub conditions: String,
    pub settings: Settings,
    /// Notes about the interpretation, such as nominal sizes.
    pub notes: Vec<String>,
}

impl Meaning {
    /// Adds the meaning of more words: conditions and notes follow, without a note equal to the one before
    /// it; settings replace those of the same kind.
    pub(super) fn add(&mut self, more: Self) {
        self.conditions = format!("{} {}", self.conditions, more.conditions).trim().into();
        self.settings.add(&more.settings);
        self.notes.extend(more.notes);
        self.notes.dedup();
    }

    /// Whether the meaning has neither conditions nor settings, so that it changes nothing about a search;
    /// notes do not count.
    pub fn is_idle(&self) -> bool {
        self.conditions.is_empty() && self.settings == Settings::default()
    }

    /// The meaning as a text that reads back as the same: conditions, and plain words for the settings;
    /// without notes.
    pub(super) fn written(&self) -> String {
        let disk = self.settings.storage.map(|gb| trimmed(gb, 6));
        // The words for a disk set its condition, too.
        let own = disk.as_ref().map(|gb| format!("disk_space>={gb}"));
        let conditions = self.conditions.split(' ').filter(|text| Some(*text) != own.as_deref());
        let words = disk
            .map(|gb| format!("{gb}gb disk"))
            .into_iter()
            .chain(self.settings.written());
        conditions
            .map(str::to_owned)
            .chain(words)
            .collect::<Vec<_>>()
            .join(" ")
            .trim()
            .to_owned()
    }

    /// Describes conditions, settings and notes in one line: `gpu_name=RTX_4090 · job 3d`. Empty if there are
    /// none.
    pub fn text(&self) -> String {
        let mut texts = vec![self.conditions.clone()];
        texts.extend(self.settings.texts());
        texts.extend(self.notes.iter().cloned());
        texts.retain(|text| !text.is_empty());
        texts.join(" · ")
    }
}

pub(super) struct Context<'a> {
    pub market: MarketWords<'a>,
    pub groups: &'a [Group],
}

impl Context<'_> {
    /// The facts of all groups of the text that are understood, in order.
    fn facts(&self) -> impl Iterator<Item = &Fact> {
        self.groups.iter().flat_map(|group| group.facts.iter().flatten())
    }

    /// The values of a field that all clauses together include or exclude, without duplicates.
    fn values(&self, field: &str, sense: Sense) -> Vec<&str> {
        let mut values = Vec::new();
        for value in self.facts().flat_map(|fact| fact.values(field, sense)) {
            if !values.contains(&value.as_str()) {
                values.push(value);
            }
        }
        values
    }

    /// The meaning of the facts of one clause, given all other clauses. `None` if no search can express it,
    /// or if its place, price or job is ambiguous. Values of one field from several clauses are one
    /// condition, that of the first.
    pub(super) fn meaning(&self, facts: &[Fact]) -> Option<Meaning> {
        let (mut meaning, mut conditions) = (Meaning::default(), Vec::new());
        let parts = self.parts();
        for fact in facts {
            match fact {
                Fact::Condition(text) => conditions.push(text.clone()),
                Fact::Choice("geolocation", _, Sense::Wanted) if self.has_nested_places() => return None,
                // The GPUs of a cluster are those of all its machines.
                Fact::Choice("num_gpus", _, Sense::Wanted) if parts.has_cluster() && parts.shapes.is_empty() => {
                    let cluster = parts.cluster()?;
                    conditions.extend(cluster.per_machine.map(|gpus| format!("num_gpus={gpus}")));
                    meaning.settings.cluster = Some(cluster);
                }
                Fact::PerMachine(gpus) => {
                    meaning.settings.cluster = Some(parts.cluster()?);
                    conditions.push(format!("num_gpus={gpus}"));
                }
                Fact::Machines(_) | Fact::Shared(_) => meaning.settings.cluster = Some(parts.cluster()?),
                // The id of a question, unless another is named.
                Fact::Id(id) if self.is_about(Question::Missing) => {
                    let has_named = self.facts().any(|fact| !fact.values("id", Sense::Wanted).is_empty());
                    conditions.extend((!has_named).then(|| format!("id={id}")));
                }
                Fact::Id(_) => return None,
                Fact::Set(Settings { cluster: Some(_), .. }) => meaning.settings.cluster = Some(parts.cluster()?),
                Fact::Choice(field, _, sense) => {
                    // One condition for all of them, that of the first clause.
                    let mut rivals = self.facts().filter(|rival| !rival.values(field, *sense).is_empty());
                    let is_first = rivals.next().is_some_and(|first| std::ptr::eq(first, fact));
                    conditions.extend(is_first.then(|| choice(field, &self.values(field, *sense), *sense)));
                }
                // Without a noun: memory if the cards have that size, else disk.
                Fact::Size(size) if models::have_size(&self.values("gpu_name", Sense::Wanted), size[0].1) => {
                    meaning.add(self.meaning(&as_sold(size, "gpu_ram"))?);
                }
                Fact::Size(size) => meaning.add(self.meaning(&disk(size))?),
                Fact::Price(price) => conditions.push(bounds_to_query(price, self.priced(price)?, Operator::Lte, "")),
                Fact::Set(Settings {
                    question: Some(Question::Missing),
                    ..
                }) if !self.has_id() => return None,
                Fact::Set(settings) if self.is_part(settings.job) => meaning.settings.add(settings),
                Fact::Set(_) => return None,
                Fact::Note(note) => meaning.notes.push(note.clone()),
            }
        }
        let printed = self.printed(&conditions.join(" "))?;
        meaning.conditions = format!("{} {printed}", meaning.conditions).trim().into();
        Some(meaning)
    }

    /// The conditions in printed form; `None` if the resource lacks one of their fields.
    fn printed(&self, conditions: &str) -> Option<String> {
        let (catalog, dialect) = (self.market.catalog, self.market.dialect);
        let parsed = language::parse(conditions, catalog, dialect, &[], Mode::Bar).ok()?;
        let removed = parsed.removed.iter();
        let freed = removed.map(|field| format!("{}={}", field.key, language::ANY));
        let words = std::iter::once(language::print_briefly(&parsed.conditions)).chain(freed);
        let printed = words.collect::<Vec<_>>().join(" ");
        parsed.words.is_empty().then_some(printed)
    }

    /// The parts of a cluster in all clauses.
    fn parts(&self) -> Parts {
        let mut parts = Parts::default();
        for fact in self.facts() {
            match fact {
                Fact::Machines(machines) => parts.machines.push(*machines),
                Fact::PerMachine(gpus) => parts.per_machine.push(*gpus),
                Fact::Shared(same) => parts.same.push(*same),
                Fact::Set(settings) => parts.shapes.extend(settings.cluster),
                // `2 or 4 gpus` are two, and no size of a cluster.
                Fact::Choice("num_gpus", gpus, Sense::Wanted) => {
                    parts.gpus.extend(gpus.iter().flat_map(|gpus| gpus.parse::<u32>()));
                }
                Fact::Choice(..) | Fact::Condition(_) | Fact::Size(_) | Fact::Price(_) => {}
                Fact::Id(_) | Fact::Note(_) => {}
            }
        }
        parts
    }

    /// Whether the text asks this question.
    fn is_about(&self, question: Question) -> bool {
        let asks = |fact: &Fact| matches!(fact, Fact::Set(settings) if settings.question == Some(question));
        self.facts().any(asks)
    }

    /// Whether the text has the id of an offer.
    fn has_id(&self) -> bool {
        self.facts()
            .any(|fact| matches!(fact, Fact::Id(_)) || !fact.values("id", Sense::Wanted).is_empty())
    }

    /// Whether a place of one clause is part of one of another, as in `europe germany`: either may be meant.
    fn has_nested_places(&self) -> bool {
        let lists = || self.facts().map(|fact| fact.values("geolocation", Sense::Wanted));
        lists().enumerate().any(|(index, list)| {
            let mut others = lists().skip(index + 1);
            others.any(|other| country::are_nested(list, other))
        })
    }

    /// The job settings of each fact of settings, in all clauses.
    fn jobs(&self) -> impl Iterator<Item = JobWords> {
        self.facts().filter_map(|fact| match fact {
            Fact::Set(settings) => Some(settings.job),
            _ => None,
        })
    }

    /// Whether the job settings of a clause fit those of all clauses. Its hours must be above 0. If any clause names
    /// work, its length (hours or work) must be the only one. With a deadline, some clause must give a length or
    /// traffic.
    fn is_part(&self, job: JobWords) -> bool {
        let has_work = self.jobs().any(|job| job.work.is_some());
        let is_clear = !has_work || self.jobs().filter(JobWords::has_length).count() == 1;
        let takes_time = job.hours.is_none_or(|hours| hours > 0.0);
        takes_time && (is_clear || !job.has_length()) && (job.by.is_none() || self.jobs().any(|job| job.is_job()))
    }

    /// The field of dollars that may be a price per hour or the job's bill, judged by the last bound per GPU:
    /// `job_cost` above $5 with a job, `dph_total` below $0.05 per hour of the job, or up to $20 without one, for an
    /// alert without a number of GPUs `dph_per_gpu`; `None` for any other amount, which may be either.
    fn priced(&self, price: &[Bound]) -> Option<&'static str> {
        /// The usual range of a GPU's price, in $/h.
        const USUAL: (f64, f64) = (0.05, 5.0);
        /// The maximum plausible price per hour, in $/h.
        const MOST: f64 = 20.0;
        let counts = self.values("num_gpus", Sense::Wanted).into_iter();
        let gpus = counts.flat_map(str::parse).fold(1.0, f64::max);
        let each = price.last().map_or(0.0, |(_, dollars)| dollars / gpus);
        // Work is assumed to take at least an hour.
        let hours = self.jobs().filter_map(|job| job.hours.or(job.work.map(|_| 1.0)));
        match hours.last() {
            None if each > MOST => None,
            Some(_) if each > USUAL.1 => Some("job_cost"),
            Some(hours) if each / hours >= USUAL.0 => None,
            _ if self.is_about(Question::Alert) && self.values("num_gpus", Sense::Wanted).is_empty() => {
                Some("dph_per_gpu")
            }
            _ => Some("dph_total"),
        }
    }
}

/// A condition in the query language that a field is one of the values, or, if excluded, none of them.
fn choice(field: &str, values: &[&str], sense: Sense) -> String {
    let (not, is) = if sense == Sense::Excluded {
        ("not", "!=")
    } else {
        ("", "=")
    };
    let names = values.join(",").replace(' ', "_");
    match values {
        [_] if country::group(&names).is_none() => format!("{field}{is}{names}"),
        [_] => format!("{field} {not}in {names}"),
        _ => format!("{field} {not}in [{names}]"),
    }
}

/// The positions of the first two meanings that set the same field or setting to different values, or both
/// choose values of one field; `None` if there are none.
///
/// The two ends of a range do not clash, nor do exclusions.
pub(super) fn clash(meanings: &[(Meaning, &[Fact])], market: MarketWords<'_>) -> Option<(usize, usize)> {
    let parsed = meanings.iter().map(|(meaning, facts)| {
        let parsed = language::parse(&meaning.conditions, market.catalog, market.dialect, &[], Mode::Bar);
        let chosen = facts.iter().find_map(|fact| match fact {
            Fact::Choice(field, _, Sense::Wanted) => Some(*field),
            _ => None,
        });
        (
            parsed.map(|own| own.conditions).unwrap_or_default(),
            chosen,
            &meaning.settings,
        )
    });
    let parsed: Vec<_> = parsed.collect();
    let clashes = |left: usize, right: usize| {
        let ((one, field, settings), (other, rival, others)) = (&parsed[left], &parsed[right]);
        let is_chosen_twice = field.is_some() && field == rival;
        let mut pairs = one.iter().flat_map(|own| other.iter().map(move |rival| (own, rival)));
        is_chosen_twice || pairs.any(|(own, rival)| contradicts(own, rival)) || settings.contradicts(others)
    };
    (1..parsed.len()).find_map(|right| (0..right).find(|left| clashes(*left, right)).map(|left| (left, right)))
}

/// Whether two conditions on the same field cannot both be meant; false on different fields. Equal ones can,
/// and so can two exclusions, an exclusion of another value, and the two ends of a range.
fn contradicts(one: &Condition, other: &Condition) -> bool {
    use Operator::{Gt, Gte, Lt, Lte, Neq, Nin};
    let excludes = |own: &Condition| matches!(own.operator, Neq | Nin);
    let is_range = |low: &Condition, high: &Condition| match (&low.operand, &high.operand) {
        (Operand::One(Value::Number(least)), Operand::One(Value::Number(most))) => {
            matches!(low.operator, Gt | Gte) && matches!(high.operator, Lt | Lte) && least < most
        }
        _ => false,
    };
    let fits = match (excludes(one), excludes(other)) {
        (true, true) => true,
        (false, false) => one == other || is_range(one, other) || is_range(other, one),
        (true, false) | (false, true) => one.operand != other.operand,
    };
    one.field == other.field && !fits
}
