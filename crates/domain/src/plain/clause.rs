//! The matcher for all clauses except lists: the roles of the words fill slots, and the slots form a meaning.

use std::ops::Range;

use super::grammar::{Clause, Fact, set};
use super::list::{count_of, is_card, is_row_count, whole};
use super::text::{Amount, Bound, Text, role};
use super::token::Kind;
use super::vocabulary::{BARE, BASED, Dim, EVERY, Measure, PRICES, Role, UNNAMED};
use super::{models, question};
use crate::Operator::{self, Eq, Gte, Lt, Lte};
use crate::{format::trimmed, language, throughput::Work};

/// Filler words between the slots of a clause.
const BETWEEN: &str = "of the free usable is are be have should must version : to on in at a an any";

/// A partial clause: the roles of its words so far.
#[derive(Clone, Default)]
struct Frame {
    next: usize,
    /// The possible measures of each noun.
    nouns: Vec<&'static [Measure]>,
    /// The positions of the nouns.
    noun_words: Vec<usize>,
    /// The units that amounts are per, such as an hour or a GPU, with their factors.
    bases: Vec<(Dim, f64)>,
    amount: Option<Amount>,
    /// Whether a noun precedes the amount.
    is_led: bool,
    fixed: Option<(&'static str, &'static str)>,
    /// The comparison in front of the amount, and the one after it.
    front: Option<(Operator, &'static [Dim])>,
    behind: Option<Operator>,
    /// `Some(true)` if it excludes, `Some(false)` if it is merely not needed.
    negation: Option<bool>,
    best: Option<(Option<bool>, &'static [Dim])>,
    #[expect(clippy::option_option, reason = "`first` is an order, but not which")]
    direction: Option<Option<bool>>,
}

/// All clauses of plain words, of each possible length and meaning, that begin at token `start`; not among
/// them are lists of models, places or counts, clusters and deadlines.
pub(super) fn clauses(text: &Text<'_>, start: usize) -> Vec<Clause> {
    let (mut frames, mut clauses) = (vec![Frame::default()], Vec::new());
    frames[0].next = start;
    while let Some(frame) = frames.pop() {
        let (facts, next) = (frame.facts(text), frame.next);
        let is_bare = frame.amount.is_some() && frame.nouns.is_empty();
        let is_open = is_bare || next > start && text.is_one_of(next - 1, "x");
        let may_go_on = frame.amount.is_none() && frame.is_order();
        let is_named = frame.amount.is_some() && !frame.nouns.is_empty();
        let is_led = frame.is_led && frame.noun_words.first() == Some(&start);
        let clause = |facts| Clause::new(facts, next).open(is_open).going_on(may_go_on);
        clauses.extend(facts.map(|facts| clause(facts).named(is_named, is_led)));
        // A clause does not begin with a filler.
        let between = if frame.next > start { BETWEEN } else { "" };
        for at in frame.next..=text.skip(frame.next, between) {
            frames.extend(frame.measured(text, at));
            // `doesn't have to be` differs from `doesn't`.
            let negation = role!(text, at, Role::Not(_) => ()).map(|((), next)| next);
            for (next, roles) in &text.phrases[at] {
                let is_whole = |role: &&Role| !matches!(role, Role::Not(_)) || Some(*next) == negation;
                let roles = roles.iter().filter(is_whole);
                frames.extend(roles.filter_map(|role| frame.with(text, *role, at..*next)));
            }
        }
    }
    clauses
}

impl Frame {
    /// The partial clause extended by each possible amount at token `at`. Empty if it has an amount already,
    /// a GPU model begins there, or there is none; a time after `in` (`in 3 days`) is not an amount.
    fn measured(&self, text: &Text<'_>, at: usize) -> Vec<Self> {
        // `nvme 3090` is a card.
        if self.amount.is_some() || text.is_model(at) {
            return Vec::new();
        }
        // `in 3 days`
        let is_later = |amount: &Amount| {
            at > 0 && text.is_one_of(at - 1, "in") && matches!(amount.units.first(), Some((Dim::Time, _)))
        };
        let with = |amount: Amount| {
            let mut new = self.clone();
            (new.next, new.is_led, new.amount) = (amount.next, !self.nouns.is_empty(), Some(amount));
            new
        };
        let amounts = text.amounts(at, self.front_comparison()).into_iter();
        amounts.filter(|amount| !is_later(amount)).map(with).collect()
    }

    /// The partial clause extended by the phrase at tokens `words` in the given role; `None` if it has no
    /// free slot for it. Units, numbers, fillers, joints and things never have one.
    fn with(&self, text: &Text<'_>, role: Role, words: Range<usize>) -> Option<Self> {
        let is_said = self.amount.is_some() || self.fixed.is_some();
        let is_first = !is_said && self.nouns.is_empty() && self.bases.is_empty();
        let (mut new, next) = (self.clone(), words.end);
        new.next = next;
        let fits = match role {
            Role::Noun(measures) => {
                new.nouns.push(measures);
                // `64gb ram ram 100gb`, `disk 1tb disk 100gb`
                let word = |at: &usize| text.tokens[*at].text == text.tokens[words.start].text;
                new.noun_words.push(words.start);
                !self.noun_words.iter().any(word) && new.nouns.len() < 4
            }
            // `for a week under $500`
            Role::Per(..) if is_first && text.is_one_of(words.start, "a an") => false,
            Role::Per(basis, hours) => {
                new.bases.push((basis, hours));
                // `640gb vram over 8 gpus`
                let gpus = text.number(next).filter(|(_, next)| text.is_one_of(*next, "gpu"));
                basis != Dim::GbInAll || gpus.is_some()
            }
            Role::Compare(operator, dims) => !is_said && new.front.replace((operator, dims)).is_none(),
            Role::Behind(operator) => {
                is_said && text.is_behind(words.start, next) && new.behind.replace(operator).is_none()
            }
            Role::Not(excludes) => !(is_said && excludes) && new.negation.replace(excludes).is_none(),
            // `20gb traffic per day` is no time.
            Role::Fixed(..) if text.is_one_of(words.start, "per") && !asks_a_price(text) => false,
            Role::Fixed(meaning, opposite) => is_first && new.fixed.replace((meaning, opposite)).is_none(),
            Role::Best(is_high, dims) => is_first && new.best.replace((is_high, dims)).is_none(),
            Role::Direction(is_high) => new.direction.replace(is_high).is_none(),
            Role::Unit(..) | Role::Number(_) | Role::Half | Role::Ask(_) => false,
            Role::Filler | Role::Joint | Role::Thing => false,
        };
        fits.then_some(new)
    }

    /// Whether the words so far ask for an order, such as `cheapest` or `sort by`.
    fn is_order(&self) -> bool {
        let is_fixed = self.fixed.is_some_and(|(meaning, _)| meaning.starts_with("order"));
        is_fixed || self.best.is_some() || self.direction.is_some()
    }

    /// The comparison in front of the amount; `None` if there is none.
    fn front_comparison(&self) -> Option<Operator> {
        self.front.map(|(operator, _)| operator)
    }

    /// The facts of the words so far: an amount, a fixed meaning or an order; a bare number between an order
    /// and cards is also the number of rows (`best 5 4090`). `None` if they do not form a whole clause, or if
    /// a bare number or `single` counts a thing (`at most 2 machines`).
    fn facts(&self, text: &Text<'_>) -> Option<Vec<Fact>> {
        let is_order = self.best.is_some() || self.direction.is_some();
        let is_bare = self.nouns.is_empty() && self.amount.as_ref().is_some_and(|amount| amount.units.is_empty());
        // `at most 2 machines` is not a price.
        let is_one = self.fixed.is_some_and(|(meaning, _)| meaning == "num_gpus=1");
        if (is_bare || is_one) && role!(text, self.next, Role::Thing => ()).is_some() {
            return None;
        }
        match (&self.amount, self.fixed) {
            // `best 5 4090`
            (Some(amount), _) if is_bare && self.is_order() && is_card(text, self.next) => {
                let mut order = self.clone();
                order.amount = None;
                let rows = whole(amount.bounds[0].1).filter(|_| amount.bounds.len() == 1 && self.front.is_none())?;
                let limit = set(|settings| settings.limit = Some(rows));
                order
                    .facts(text)
                    .map(|order| order.into_iter().chain([limit]).collect())
            }
            (Some(amount), None) if !is_order && self.negation.is_none() => self.quantity(text, amount),
            (None, Some((meaning, opposite))) if self.nouns.is_empty() && !is_order && self.bases.is_empty() => {
                self.fixed_facts(text, meaning, opposite)
            }
            (None, None) if self.front.is_none() && self.negation.is_none() => self.order(text),
            _ => None,
        }
    }

    /// The first measure (dimension and field) that all nouns share, whose field the resource has and whose
    /// dimension is that of one of `units`, with the factor of that unit; `None` if there is none. Without
    /// nouns it is one of those of a bare quantity, but not the availability of an offer. `at least` is never
    /// the length of a job.
    fn measure(&self, text: &Text<'_>, units: &[(Dim, f64)]) -> Option<(Measure, f64)> {
        let is_meant = |own: &&Measure| {
            // A minimum time is the availability of a machine; a job has an exact length.
            let is_job = own.1 == "+hours" && self.front_comparison() == Some(Gte);
            // `for at least 2 days` may be either.
            let is_term = own.1 == "duration" && self.nouns.is_empty() && text.is_offers();
            text.has_field(own.1) && !is_job && !is_term && self.nouns.iter().all(|measures| measures.contains(own))
        };
        let measures = self.nouns.first().copied().unwrap_or(UNNAMED);
        measures.iter().filter(is_meant).find_map(|own| {
            let mut units = units.iter().filter_map(|unit| self.based(*unit));
            units.find(|(dim, _)| *dim == own.0).map(|(_, factor)| (*own, factor))
        })
    }

    /// A unit combined with the words that it is per: dollars and `per gpu` become dollars per GPU, and the
    /// factor is divided by the hours (`per day`: 24). Unchanged without such words; `None` if they do not
    /// combine.
    fn based(&self, unit: (Dim, f64)) -> Option<(Dim, f64)> {
        self.bases.iter().try_fold(unit, |(dim, factor), (basis, hours)| {
            let (.., to) = BASED.iter().find(|(from, per, _)| (*from, *per) == (dim, *basis))?;
            Some((*to, factor / hours))
        })
    }

    /// The dimensions that a number without a unit may have in this clause; empty if it needs a unit.
    fn bare(&self, text: &Text<'_>) -> &'static [Dim] {
        match self.front_comparison() {
            _ if self.is_led => BARE,
            None if !self.nouns.is_empty() => &[Dim::Count, Dim::Plain, Dim::Share],
            _ if !self.nouns.is_empty() => &[Dim::Count, Dim::Plain],
            _ if is_card(text, self.next) || is_sized(text, self.next) => &[Dim::Count],
            // Larger prices have a sign or a unit.
            Some(Lt | Lte) if self.amount.as_ref().is_some_and(|amount| amount.bounds[0].1 < 10.0) => &[Dim::Dollars],
            _ if !self.bases.is_empty() => &[Dim::Dollars],
            _ => &[],
        }
    }

    /// The facts of a number with its noun: `at least 24gb vram`, `cuda 12.4`, `under $2/h per gpu`, `3d`.
    /// `None` if noun, unit and comparison do not fit together, if the unit is ambiguous (`80 gigs down`), or
    /// if the number belongs to a longer clause (`3` of `3 4090 offers`).
    fn quantity(&self, text: &Text<'_>, amount: &Amount) -> Option<Vec<Fact>> {
        let bare: Vec<_> = self.bare(text).iter().map(|dim| (*dim, 1.0)).collect();
        let is_bare = amount.units.is_empty();
        let ((dim, field), factor) = self.measure(text, if is_bare { &bare } else { &amount.units })?;
        // `80 gigs down` are an amount of data or a speed.
        let is_other = |unit: &&(Dim, f64)| self.based(**unit).is_some_and(|(other, _)| other != dim);
        let others: Vec<_> = amount.units.iter().filter(is_other).copied().collect();
        if !self.nouns.is_empty() && !is_bare && self.measure(text, &others).is_some() {
            return None;
        }
        // `not older than 2 years` is not a remaining time.
        let is_compared = |(_, dims): (Operator, &[Dim])| dims.is_empty() || dims.contains(&dim);
        let bounds = self
            .bounds(amount, factor)
            .filter(|_| self.front.is_none_or(is_compared))?;
        let (operator, number) = bounds[0];
        let default = match field {
            "num_gpus" | "os_version" | "max_workers" | "cold_workers" | "test_workers" => Eq,
            _ if PRICES.contains(&dim) => Lte,
            _ => Gte,
        };
        let exact = Some(number).filter(|_| bounds.len() == 1 && matches!(operator, None | Some(Eq)));
        let most = exact.or(Some(number).filter(|_| bounds.len() == 1 && operator == Some(Lte)));
        let unit = match dim {
            Dim::Bits => "Mbps",
            Dim::NetworkBytes => "MB/s",
            _ => "",
        };
        let on =
            |field: &str, factor: f64| Fact::Condition(bounds_to_query(&scaled(&bounds, factor), field, default, unit));
        let fact = match field {
            // `50gb upload per day` is another amount, and the lanes of `pcie 4.0 x16` are not GPUs.
            "+down" | "+up" if is_bare || text.is_one_of(self.next, "per / a each every daily") => return None,
            "pci_gen" if text.is_one_of(self.next, "x") => return None,
            "+term" => on("duration", 1.0 / 24.0),
            "+hours" => exact.map(|hours| set(|settings| settings.job.hours = Some(hours)))?,
            "+work" => {
                let Dim::Work(unit) = dim else { return None };
                Work::new(exact?, unit).map(|work| set(|settings| settings.job.work = Some(work)))?
            }
            "+down" => most.map(|gb| set(|settings| settings.job.gb_in = Some(gb)))?,
            "+up" => most.map(|gb| set(|settings| settings.job.gb_out = Some(gb)))?,
            // `offer 123456` is an id.
            "+rows" if self.is_led && text.is_one_of(*self.noun_words.first()?, "offer") => return None,
            "+workers" => question::of_workers(upper(&bounds).and_then(whole))?,
            // `port 22` is a port, not a number of them.
            "direct_port_count" if self.is_led && text.tokens[*self.noun_words.first()?].text == "port" => return None,
            "+rows" => whole(exact?).map(|rows| set(|settings| settings.limit = Some(rows)))?,
            "+both" => return Some(vec![on("inet_down", 1.0), on("inet_up", 1.0)]),
            "+size" => Fact::Size(bounds),
            "gpu_ram" | "gpu_total_ram" if !text.is_groups() => return Some(as_sold(&bounds, field)),
            "disk_space" if text.is_offers() => return Some(disk(&bounds)),
            "dph_total" if dim == Dim::Dollars => Fact::Price(bounds),
            // `3 4090 offers`
            "num_gpus" if self.nouns.is_empty() && is_row_count(text, self.next) => return None,
            "num_gpus" if exact.is_some() => count_of(number)?,
            // `reliability over 98`, `8.9`
            "rel" if is_bare && number > 1.0 => on(field, 0.01),
            "compute_cap" if number < 20.0 => on(field, 100.0),
            "driver_version" | "os_version" if bounds.len() == 1 => {
                let operator = operator.unwrap_or(default).symbol();
                Fact::Condition(format!("{field}{operator}{}", amount.text))
            }
            // In days, as in the query language.
            _ if dim == Dim::Time => on(field, 1.0 / 24.0),
            _ => on(field, 1.0),
        };
        Some(vec![fact])
    }

    /// The bounds of an amount, multiplied by `factor` into the unit of its field; a single one without a
    /// comparison gets the one behind it (`24gb or more`). `None` if the one behind contradicts the one in
    /// front, or follows a range.
    fn bounds(&self, amount: &Amount, factor: f64) -> Option<Vec<Bound>> {
        let mut bounds = scaled(&amount.bounds, factor);
        let Some(behind) = self.behind else { return Some(bounds) };
        let [(front, _)] = &mut bounds[..] else { return None };
        let is_upper = |operator| matches!(operator, Lt | Lte);
        (is_upper(*front.get_or_insert(behind)) == is_upper(behind)).then_some(bounds)
    }

    /// The fact of a word with a fixed meaning, or of its `opposite` after a negation: `verified`,
    /// `no datacenter`. `not needed` gives no fact, after `verified` any. `at least` fits only an
    /// architecture (`ampere or newer`). `None` if the words around it do not fit.
    fn fixed_facts(&self, text: &Text<'_>, meaning: &'static str, opposite: &'static str) -> Option<Vec<Fact>> {
        match (self.front_comparison().or(self.behind), self.negation) {
            // `verified or not in us`
            (None, None)
                if text.is_one_of(self.next - 1, "not")
                    && text.kind(self.next).is_some_and(|kind| kind != Kind::Break) =>
            {
                None
            }
            (None, None) => meant(text, meaning),
            // `not verified datacenter`
            (None, Some(true)) if role!(text, self.next, Role::Fixed(..) => ()).is_some() => None,
            (None, Some(true)) => meant(text, opposite),
            (None, Some(false)) if opposite == "verified=false" => meant(text, "verified=any"),
            (None, Some(false)) => Some(Vec::new()),
            // `ampere or newer`: an architecture begins with its first compute capability.
            (Some(Gte), None) => {
                let numbers = meaning.strip_prefix("compute_cap")?.trim_start_matches(['>', '=']);
                let first = numbers.split(' ').next()?;
                Some(vec![Fact::Condition(format!("compute_cap>={first}"))])
            }
            _ => None,
        }
    }

    /// The fact of an order: `most vram`, `lowest temperature first`, `sort by upload speed descending`,
    /// `price low to high`; words that leave the direction open put the field's better values first. `None`
    /// without a superlative or a direction, or if no field fits.
    fn order(&self, text: &Text<'_>) -> Option<Vec<Fact>> {
        let (best, dims) = self.best.or(self.direction.flatten().map(|_| (None, EVERY)))?;
        if self.nouns.is_empty() && !dims.contains(&Dim::Hourly) {
            return None;
        }
        let units: Vec<_> = dims.iter().map(|dim| (*dim, 1.0)).collect();
        let key = self.measure(text, &units)?.0.1;
        let field = text.catalog.named(key).or_else(|| text.catalog.column(key))?;
        let is_high = self.direction.flatten().or(best).or(field.better).unwrap_or(true);
        let sign = if is_high { "-" } else { "" };
        Some(vec![sorted_by(text, &format!("{key}{sign}"))?])
    }
}

/// Whether the text asks for a price: `what does it cost per month`.
fn asks_a_price(text: &Text<'_>) -> bool {
    (0..text.tokens.len()).any(|at| text.is_one_of(at, "cost much price pay bill charge"))
}

/// Whether the words at a position are cards of a size: `24gb cards`.
fn is_sized(text: &Text<'_>, at: usize) -> bool {
    let is_size = |amount: &Amount| matches!(amount.units.first(), Some((Dim::Size, _)));
    let is_card = |amount: &Amount| is_size(amount) && text.is_one_of(amount.next, "gpu");
    text.amounts(at, None).iter().any(is_card)
}

/// The fact of a fixed meaning of the vocabulary, such as `verified=true`, `type:bid`, `order:score-` or
/// `hours:24`; `None` if it is empty, or if the searched resource has no such setting or order.
fn meant(text: &Text<'_>, meaning: &'static str) -> Option<Vec<Fact>> {
    let fact = match meaning.split_once([':', '=']) {
        Some(("hours", number)) if text.is_volumes() => {
            let hours: f64 = number.parse().ok()?;
            Fact::Condition(format!("duration>={}", hours / 24.0))
        }
        Some(("type" | "hours", _)) if !text.is_offers() => return None,
        Some(("type", model)) => {
            let model = Some(model.parse().ok()?);
            set(|settings| settings.offer_type = model)
        }
        Some(("hours", number)) => set(|settings| settings.job.hours = number.parse().ok()),
        Some(("order", order)) => sorted_by(text, order)?,
        None | Some(_) => Fact::Condition(meaning.to_owned()),
    };
    (!meaning.is_empty()).then(|| vec![fact])
}

/// An order in the query language as a fact; `None` if the resource lacks its field. `disk_bw-` and `dlperf-`
/// become `nw_disk_avg_bw-` for volumes, `job_cost` becomes `dph_total`, and `min_bid` also selects bid
/// prices.
fn sorted_by(text: &Text<'_>, order: &str) -> Option<Fact> {
    let order = match order {
        "disk_bw-" | "dlperf-" if !text.is_offers() => "nw_disk_avg_bw-",
        // The job's cost applies once there is a job; see `Settings::settle`.
        "job_cost" => "dph_total",
        order => order,
    };
    let keys = Some(language::parse_order(order, text.catalog).ok()?);
    let bid = (order == "min_bid").then(|| "bid".parse().ok()).flatten();
    Some(set(|settings| (settings.order, settings.offer_type) = (keys, bid)))
}

/// The upper end of the bounds, or the number without a comparison; `None` for a minimum.
fn upper(bounds: &[Bound]) -> Option<f64> {
    let mut ends = bounds
        .iter()
        .filter(|(operator, _)| matches!(operator, None | Some(Eq | Lt | Lte)));
    ends.next_back().map(|(_, number)| *number)
}

/// The bounds with each number multiplied by `factor`; their comparisons are unchanged.
fn scaled(bounds: &[Bound], factor: f64) -> Vec<Bound> {
    let scaled = |(operator, number): &Bound| (*operator, number * factor);
    bounds.iter().map(scaled).collect()
}

/// The bounds as conditions on a field in the query language, with `unit` after each number and blanks
/// between them: `gpu_ram>=24 gpu_ram<=48`. A bound without a comparison has `default`.
pub(super) fn bounds_to_query(bounds: &[Bound], field: &str, default: Operator, unit: &str) -> String {
    let written = bounds.iter().map(|(operator, number)| {
        let operator = operator.unwrap_or(default).symbol();
        format!("{field}{operator}{}{unit}", trimmed(*number, 6))
    });
    written.collect::<Vec<_>>().join(" ")
}

/// The condition on `gpu_ram` or `gpu_total_ram` for bounds in GB (a minimum unless compared), with a note if
/// a size was widened: a nominal size includes the cards that report a little less or more.
pub(super) fn as_sold(bounds: &[Bound], field: &str) -> Vec<Fact> {
    let cards = if field == "gpu_ram" { 1 } else { 16 };
    let (mut reported, mut sold) = (Vec::new(), Vec::new());
    for (operator, gb) in bounds {
        let (least, most) = models::reported(*gb, cards);
        match operator.unwrap_or(Gte) {
            Eq => reported.extend([(Some(Gte), least), (Some(Lte), most)]),
            operator @ (Operator::Gt | Lte) => reported.push((Some(operator), most)),
            operator => reported.push((Some(operator), least)),
        }
        let least_of = if operator.is_none_or(|operator| operator == Gte) {
            "at least "
        } else {
            ""
        };
        sold.extend(((least, most) != (*gb, *gb)).then(|| format!("{least_of}{}", trimmed(*gb, 3))));
    }
    let note = (!sold.is_empty()).then(|| Fact::Note(format!("{} GB as sold", sold.join(" and "))));
    let condition = Fact::Condition(bounds_to_query(&reported, field, Gte, ""));
    std::iter::once(condition).chain(note).collect()
}

/// The facts of a disk in GB: a condition, a minimum unless compared, and the storage that prices include:
/// the first size, unless that is a maximum.
pub(super) fn disk(bounds: &[Bound]) -> Vec<Fact> {
    let (operator, gb) = bounds[0];
    let storage = Some(gb).filter(|_| !matches!(operator, Some(Lt | Lte)));
    let disk = Fact::Condition(bounds_to_query(bounds, "disk_space", Gte, ""));
    vec![disk, set(|settings| settings.storage = storage)]
}
