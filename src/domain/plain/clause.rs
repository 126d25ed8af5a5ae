//! One matcher for all clauses but lists: the roles of the words fill slots, and the slots make a meaning.

use super::grammar::{Clause, Fact, set};
use super::list::{count_of, is_card, whole};
use super::models;
use super::text::{Amount, Bound, Text};
use super::vocabulary::{BARE, Basis, Dim, EVERY, Measure, PRICES, Role, UNNAMED};
use crate::domain::Operator::{self, Eq, Gte, Lt, Lte};
use crate::domain::{format::trimmed, language};

/// Words between the slots of a clause that say nothing.
const BETWEEN: &str = "of the free usable is are be have should must version : to on in a an any";

/// A clause in the making.
#[derive(Clone)]
struct Frame<'a> {
    text: &'a Text<'a>,
    next: usize,
    /// What its words are, each at most once, besides what has a slot of its own.
    roles: Vec<Role>,
    /// What each noun can be.
    nouns: Vec<&'static [Measure]>,
    /// What a price or a size is for.
    bases: Vec<Basis>,
    amount: Option<Amount>,
    /// Whether a noun is in front of the amount.
    is_led: bool,
}

/// The value of a role in a frame.
macro_rules! slot {
    ($frame:expr, $pattern:pat => $value:expr) => {
        $frame.roles.iter().find_map(|role| match *role {
            $pattern => Some($value),
            _ => None,
        })
    };
}

/// All clauses that begin at a position.
pub(super) fn clauses(text: &Text<'_>, start: usize) -> Vec<Clause> {
    let mut frames = vec![Frame::new(text, start)];
    let mut clauses = Vec::new();
    while let Some(frame) = frames.pop() {
        clauses.extend(frame.clause());
        frames.extend(frame.extended(start));
    }
    clauses
}

impl<'a> Frame<'a> {
    const fn new(text: &'a Text<'a>, next: usize) -> Self {
        Self {
            text,
            next,
            roles: Vec::new(),
            nouns: Vec::new(),
            bases: Vec::new(),
            amount: None,
            is_led: false,
        }
    }

    /// The frame with one more slot filled, in all ways; a clause does not begin with a word that says nothing.
    fn extended(&self, start: usize) -> Vec<Self> {
        let between = if self.next > start { BETWEEN } else { "" };
        let mut frames = Vec::new();
        for at in self.next..=self.text.skip(self.next, between) {
            frames.extend(self.measured(at));
            for (next, roles) in self.text.phrases(at) {
                frames.extend(roles.iter().filter_map(|role| self.with(*role, *next)));
            }
        }
        frames
    }

    /// With an amount at a position.
    fn measured(&self, at: usize) -> Option<Self> {
        let amount = self.text.amount(at, self.operator());
        // `nvme 3090` is a card.
        let amount = amount.filter(|_| self.amount.is_none() && !self.text.is_model(at))?;
        let mut new = self.clone();
        new.next = amount.next;
        new.is_led = !self.nouns.is_empty();
        new.amount = Some(amount);
        Some(new)
    }

    /// With a word up to a position, if there is a slot for it.
    fn with(&self, role: Role, next: usize) -> Option<Self> {
        let is_said = self.amount.is_some() || self.fixed().is_some();
        let is_same = |own: &Role| std::mem::discriminant(own) == std::mem::discriminant(&role);
        let mut new = self.clone();
        new.next = next;
        let fits = match role {
            Role::Noun(_) => self.nouns.len() < 3,
            Role::Per(_) | Role::Needless | Role::Direction(_) => true,
            Role::Compare(_) | Role::Not => !is_said,
            Role::Sort | Role::Best(..) | Role::Fixed(..) => !is_said && self.nouns.is_empty(),
            Role::Behind(_) => is_said && self.text.is_behind(next),
            Role::Unit(..) | Role::Number(_) | Role::Filler => false,
        };
        match role {
            Role::Noun(measures) => new.nouns.push(measures),
            Role::Per(basis) => new.bases.push(basis),
            role => new.roles.push(role),
        }
        (fits && !self.roles.iter().any(is_same)).then_some(new)
    }

    fn fixed(&self) -> Option<(&'static str, &'static str)> {
        slot!(self, Role::Fixed(meaning, opposite) => (meaning, opposite))
    }

    fn has_negation(&self) -> bool {
        slot!(self, Role::Not => ()).is_some()
    }

    /// The comparison in front.
    fn operator(&self) -> Option<Operator> {
        slot!(self, Role::Compare(operator) => operator)
    }

    fn clause(&self) -> Option<Clause> {
        let is_order = slot!(self, Role::Best(..) | Role::Sort | Role::Direction(_) => ()).is_some();
        let mut next = self.next;
        let facts = match (&self.amount, self.fixed()) {
            (Some(amount), None) if !is_order => self.quantity(amount, &mut next),
            (None, Some((meaning, opposite))) if self.nouns.is_empty() && !is_order => self.told(meaning, opposite),
            (None, None) if is_order => self.order(),
            _ => None,
        };
        let mut clause = Clause::new(next, facts?);
        let is_bare = self.amount.is_some() && self.nouns.is_empty();
        clause.is_open = is_bare || self.text.is_one_of(next - 1, "x");
        Some(clause)
    }

    /// The first measure that all nouns name and that has one of the units, with the factor of the unit.
    fn measure(&self, units: &[(Dim, f64)]) -> Option<(Measure, f64)> {
        let is_meant = |(_, field): &&Measure| {
            // At least that long is how long a machine is to be available; a job has one length.
            let is_job = *field == "+hours" && self.operator() == Some(Gte);
            self.text.has_field(field) && !is_job
        };
        let measures = self.nouns.first().copied().unwrap_or(UNNAMED).iter().filter(is_meant);
        let mut measures = measures.filter(|own| self.nouns.iter().all(|measures| measures.contains(own)));
        measures.find_map(|own| {
            let mut units = units.iter().filter_map(|unit| self.based(*unit));
            units.find(|(dim, _)| *dim == own.0).map(|(_, factor)| (*own, factor))
        })
    }

    /// What a unit measures beside the words that say what it is for.
    fn based(&self, unit: (Dim, f64)) -> Option<(Dim, f64)> {
        self.bases.iter().try_fold(unit, |(dim, factor), basis| {
            let (_, to, own) = basis.iter().find(|(from, ..)| *from == dim)?;
            Some((*to, factor * own))
        })
    }

    /// What a number without a unit can measure here.
    fn bare(&self) -> &'static [Dim] {
        let is_price = !self.bases.is_empty() || matches!(self.operator(), Some(Lt | Lte));
        match self.nouns.is_empty() {
            false if self.is_led => BARE,
            false => &[Dim::Count, Dim::Plain],
            true if is_card(self.text, self.next) => &[Dim::Count],
            true if is_price => &[Dim::Dollars],
            true => &[],
        }
    }

    /// A number and what it is of: `at least 24gb vram`, `cuda 12.4`, `under $2/h per gpu`, `3d`.
    fn quantity(&self, amount: &Amount, next: &mut usize) -> Option<Vec<Fact>> {
        let bare: Vec<_> = self.bare().iter().map(|dim| (*dim, 1.0)).collect();
        let units = if amount.units.is_empty() { &bare } else { &amount.units };
        let ((dim, field), factor) = self.measure(units)?;
        let bounds = self.bounds(amount, factor)?;
        let (text, (operator, number)) = (self.text, bounds[0]);
        let default = match field {
            "num_gpus" | "os_version" => Eq,
            _ if PRICES.contains(&dim) => Lte,
            _ => Gte,
        };
        let exact = Some(number).filter(|_| bounds.len() == 1 && matches!(operator, None | Some(Eq)));
        let most = exact.or(Some(number).filter(|_| bounds.len() == 1 && operator == Some(Lte)));
        let on = |field: &str, factor: f64| Fact::Condition(compared(&scaled(&bounds, factor), field, default));
        Some(match field {
            "+hours" => exact.map(|hours| vec![set(|settings| settings.job.hours = Some(hours))])?,
            // `50gb upload per day` is another amount.
            "+down" | "+up" if text.is_one_of(self.next, "per / a each every daily") || amount.units.is_empty() => {
                return None;
            }
            "+down" => most.map(|gb| vec![set(|settings| settings.job.gb_in = Some(gb))])?,
            "+up" => most.map(|gb| vec![set(|settings| settings.job.gb_out = Some(gb))])?,
            "+rows" => whole(exact?).map(|rows| vec![set(|settings| settings.limit = Some(rows))])?,
            "+both" => vec![on("inet_down", 1.0), on("inet_up", 1.0)],
            "+size" => vec![Fact::Size(bounds)],
            // `640gb vram over 8 gpus`: the memory of all, and their number.
            "gpu_ram" if let Some((gpus, end)) = self.over_gpus() => {
                *next = end;
                let mut facts = as_sold(&bounds, "gpu_total_ram");
                facts.push(count_of(gpus)?);
                facts
            }
            "gpu_ram" | "gpu_total_ram" => as_sold(&bounds, field),
            // The lanes of `pcie 4.0 x16` are no GPUs.
            "pci_gen" if text.is_one_of(self.next, "x") => return None,
            "disk_space" if text.is_offers() => disk(&bounds),
            "dph_total" if dim == Dim::Dollars => vec![Fact::Price(bounds)],
            "num_gpus" if exact.is_some() => vec![count_of(number)?],
            // `reliability over 98`, `8.9`
            "rel" if amount.units.is_empty() && number > 1.0 => vec![on(field, 0.01)],
            "compute_cap" if number < 20.0 => vec![on(field, 100.0)],
            "driver_version" | "os_version" => {
                let operator = operator.unwrap_or(default).symbol();
                vec![Fact::Condition(format!("{field}{operator}{}", amount.text))]
            }
            // Days, as the query language has them.
            _ if dim == Dim::Time => vec![on(field, 1.0 / 24.0)],
            _ => vec![on(field, 1.0)],
        })
    }

    /// The number of GPUs behind a size, and the position behind it.
    fn over_gpus(&self) -> Option<(f64, usize)> {
        let (gpus, next) = self.text.number(self.next + 1)?;
        let is_over = self.text.is_one_of(self.next, "over across") && self.text.is_one_of(next, "gpu");
        is_over.then_some((gpus, next + 1))
    }

    /// The bounds of an amount with the comparison behind it; none if that says the opposite of the one in front.
    fn bounds(&self, amount: &Amount, factor: f64) -> Option<Vec<Bound>> {
        let mut bounds = scaled(&amount.bounds, factor);
        let is_upper = |operator| matches!(operator, Lt | Lte);
        if let Some(behind) = slot!(self, Role::Behind(operator) => operator) {
            let [(front, _)] = &mut bounds[..] else { return None };
            if is_upper(*front.get_or_insert(behind)) != is_upper(behind) {
                return None;
            }
        }
        (!self.has_negation()).then_some(bounds)
    }

    /// A word with a meaning of its own, or the opposite of it: `verified`, `no datacenter`, `nvlink not needed`.
    fn told(&self, meaning: &'static str, opposite: &'static str) -> Option<Vec<Fact>> {
        let operator = self.operator().or(slot!(self, Role::Behind(operator) => operator));
        let is_needless = slot!(self, Role::Needless => ()).is_some();
        match operator {
            _ if !self.bases.is_empty() || is_needless && self.has_negation() => None,
            None if is_needless => Some(Vec::new()),
            None => meant(self.text, if self.has_negation() { opposite } else { meaning }),
            // `ampere or newer`: an architecture begins with its first compute capability.
            Some(Gte) => {
                let first = meaning.strip_prefix("compute_cap")?.trim_start_matches(['>', '=']);
                let first = first.split(' ').next()?;
                Some(vec![Fact::Condition(format!("compute_cap>={first}"))])
            }
            Some(_) => None,
        }
    }

    /// `most vram`, `lowest temperature first`, `sort by upload speed descending`, `price low to high`.
    fn order(&self) -> Option<Vec<Fact>> {
        let text = self.text;
        let (best, dims) = slot!(self, Role::Best(is_high, dims) => (Some(is_high), dims)).unwrap_or((None, EVERY));
        let last = slot!(self, Role::Direction(is_high) => is_high).flatten();
        let is_sort = slot!(self, Role::Sort => ()).is_some() || last.is_some();
        let is_gpu = best == Some(None) && text.is_one_of(self.next - 1, "gpu");
        let is_other = slot!(self, Role::Compare(_) | Role::Not | Role::Needless => ()).is_some();
        if best.is_none() && !is_sort || is_gpu || is_other || self.nouns.is_empty() && dims.len() > 2 {
            return None;
        }
        let units: Vec<_> = dims.iter().map(|dim| (*dim, 1.0)).collect();
        let key = match self.measure(&units)?.0.1 {
            // The job's cost, once there is one; see `Settings::settle`.
            "job_cost" => "dph_total",
            key => key,
        };
        let field = text.catalog.named(key).or_else(|| text.catalog.column(key))?;
        let is_high = last.or(best.flatten()).or(field.better).unwrap_or(true);
        // The most memory for a dollar is the lowest price of it.
        let is_high = is_high && key != "dph_per_vram_gb";
        let sign = if is_high { "-" } else { "" };
        Some(vec![sorted_by(text, &format!("{key}{sign}"))?])
    }
}

/// The facts of a meaning in the table.
fn meant(text: &Text<'_>, meaning: &'static str) -> Option<Vec<Fact>> {
    let fact = match meaning.split_once([':', '=']) {
        Some(("type" | "hours", _)) if !text.is_offers() => return None,
        Some(("type", model)) => {
            let model = Some(model.parse().ok()?);
            set(|settings| settings.offer_type = model)
        }
        Some(("hours", number)) => set(|settings| settings.job.hours = number.parse().ok()),
        Some(("order", order)) => sorted_by(text, order)?,
        Some(("num_gpus", count)) => count_of(count.parse().ok()?)?,
        None | Some(_) => Fact::Condition(meaning.to_owned()),
    };
    (!meaning.is_empty()).then(|| vec![fact])
}

/// An order; volumes have prices and speeds of their own, and bids are a price model.
fn sorted_by(text: &Text<'_>, order: &str) -> Option<Fact> {
    let order = match order {
        "dph_total" if !text.is_offers() => "storage_cost",
        "disk_bw-" | "dlperf-" if !text.is_offers() => "nw_disk_avg_bw-",
        order => order,
    };
    let keys = Some(language::parse_order(order, text.catalog).ok()?);
    let bid = (order == "min_bid").then(|| "bid".parse().ok()).flatten();
    Some(set(|settings| (settings.order, settings.offer_type) = (keys, bid)))
}

fn scaled(bounds: &[Bound], factor: f64) -> Vec<Bound> {
    let scaled = |(operator, number): &Bound| (*operator, number * factor);
    bounds.iter().map(scaled).collect()
}

/// The condition of bounds on a field.
pub(super) fn compared(bounds: &[Bound], field: &str, default: Operator) -> String {
    let written = bounds.iter().map(|(operator, number)| {
        let operator = operator.unwrap_or(default).symbol();
        format!("{field}{operator}{}", trimmed(*number, 6))
    });
    written.collect::<Vec<_>>().join(" ")
}

/// The condition on memory. A size as sold includes the cards that report a little less or more.
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
        sold.extend(((least, most) != (*gb, *gb)).then(|| trimmed(*gb, 3)));
    }
    let note = (!sold.is_empty()).then(|| Fact::Note(format!("{} GB as sold", sold.join(" and "))));
    let condition = Fact::Condition(compared(&reported, field, Gte));
    std::iter::once(condition).chain(note).collect()
}

/// A disk is a condition, and the storage that prices include.
pub(super) fn disk(bounds: &[Bound]) -> Vec<Fact> {
    let (operator, gb) = bounds[0];
    let storage = Some(gb).filter(|_| !matches!(operator, Some(Lt | Lte)));
    let condition = Fact::Condition(compared(bounds, "disk_space", Gte));
    vec![condition, set(|settings| settings.storage = storage)]
}
