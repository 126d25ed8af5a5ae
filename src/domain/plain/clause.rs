//! One matcher for all clauses but lists: the roles of the words fill slots, and the slots make a meaning.

use super::grammar::{Clause, Fact, set};
use super::list::{count_of, is_card, whole};
use super::models;
use super::text::{Amount, Bound, Text};
use super::vocabulary::{Dim, EVERY, Measure, Role, UNNAMED, inclusive, opposite};
use crate::domain::field::Operator::{self, Eq, Gte, Lt, Lte};
use crate::domain::format::trimmed;
use crate::domain::language;

/// Words between the slots of a clause that say nothing, and those behind a word with a meaning of its own.
const BETWEEN: [&str; 2] = [
    "of the free usable is are be have should must version : to on in a an any",
    "host machine offer is are",
];

/// What a number without a unit can be of, the likeliest first.
#[rustfmt::skip]
const BARE: [Dim; 9] = [
    Dim::Count, Dim::Plain, Dim::Size, Dim::Dollars, Dim::Share, Dim::Celsius, Dim::Watts, Dim::Teraflops,
    Dim::Gigahertz,
];

/// A clause in the making.
#[derive(Clone)]
struct Frame<'a> {
    text: &'a Text<'a>,
    start: usize,
    next: usize,
    /// The roles of its words, each at most once.
    roles: Vec<Role>,
    /// What each noun can be.
    nouns: Vec<&'static [Measure]>,
    amount: Option<Amount>,
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
    let (next, roles, nouns, amount) = (start, Vec::new(), Vec::new(), None);
    #[rustfmt::skip]
    let mut frames = vec![Frame { text, start, next, roles, nouns, amount }];
    let mut clauses = Vec::new();
    while let Some(frame) = frames.pop() {
        clauses.extend(frame.clause());
        frames.extend(frame.extended());
    }
    clauses
}

impl Frame<'_> {
    fn with(&self, next: usize, role: Role) -> Self {
        let mut new = self.clone();
        new.next = next;
        match role {
            Role::Noun(measures) => new.nouns.push(measures),
            role => new.roles.push(role),
        }
        new
    }

    fn is_said(&self) -> bool {
        self.amount.is_some() || slot!(self, Role::Fixed(..) => ()).is_some()
    }

    /// The frame with one more slot filled, in all ways.
    fn extended(&self) -> Vec<Self> {
        let is_word = slot!(self, Role::Fixed(..) => ()).is_some();
        let between = if self.next == self.start {
            ""
        } else {
            BETWEEN[usize::from(is_word)]
        };
        let mut frames = Vec::new();
        for at in self.next..=self.text.skip(self.next, between) {
            frames.extend(self.measured(at));
            frames.extend(self.over_gpus(at));
            for (next, roles) in self.text.phrases(at) {
                let fitting = roles.iter().filter(|role| self.takes(**role, at, *next));
                frames.extend(fitting.map(|role| self.with(*next, *role)));
            }
        }
        frames
    }

    /// Whether a slot is free for a role here.
    fn takes(&self, role: Role, at: usize, next: usize) -> bool {
        let is_same = |own: &Role| std::mem::discriminant(own) == std::mem::discriminant(&role);
        let fits = match role {
            Role::Compare(_) | Role::Not => !self.is_said(),
            Role::Waive(_) | Role::Sort | Role::Best(..) | Role::Fixed(..) => {
                let is_front = |own: &Role| matches!(own, Role::Not | Role::Compare(_) | Role::Waive(_) | Role::Sort);
                !self.is_said() && self.nouns.is_empty() && self.roles.iter().all(is_front)
            }
            Role::Behind(_) => self.is_said() && self.text.behind(at) == Some(next),
            Role::Waived(_) | Role::Direction(_) | Role::PerGpu | Role::ForGb(_) => self.next > self.start,
            Role::Total => return true,
            Role::Noun(_) => return self.nouns.len() < 3,
            Role::Period(_) => true,
            Role::Unit(..) | Role::Number(_) | Role::Purpose | Role::Filler => false,
        };
        fits && !self.roles.iter().any(is_same)
    }

    /// The comparison in front; `not more than` is at most.
    fn operator(&self) -> Option<Operator> {
        let operator = slot!(self, Role::Compare(operator) => operator)?;
        let is_negated = slot!(self, Role::Not => ()).is_some();
        Some(if is_negated { opposite(operator) } else { operator })
    }

    /// With the amount at a position.
    fn measured(&self, at: usize) -> Option<Self> {
        let text = self.text;
        let is_price = slot!(self, Role::Period(_) => ()).is_some() && self.nouns.is_empty();
        let amount = text
            .amount(at, self.operator())
            .filter(|_| self.amount.is_none() && !is_price)?;
        let mut new = self.clone();
        new.next = amount.next;
        new.amount = Some(amount);
        // `nvme 3090` is a card.
        (!text.is_model(at)).then_some(new)
    }

    /// `640gb vram over 8 gpus`: the memory of all, and their number.
    fn over_gpus(&self, at: usize) -> Option<Self> {
        let (gpus, next) = self
            .text
            .number(at + 1)
            .filter(|_| self.text.is_one_of(at, "over across"))?;
        let mut new = self.with(next + 1, Role::Total);
        new.roles.push(Role::Number(gpus));
        (self.is_said() && self.text.is_one_of(next, "gpu")).then_some(new)
    }

    fn clause(&self) -> Option<Clause> {
        let is_order = slot!(self, Role::Best(..) | Role::Sort | Role::Direction(_) => ()).is_some();
        match (
            &self.amount,
            slot!(self, Role::Fixed(meaning, opposite) => (meaning, opposite)),
        ) {
            (Some(amount), None) if !is_order => self.quantity(amount),
            (None, Some(word)) if self.nouns.is_empty() => Some(Clause::new(self.next, self.told(word.0, word.1)?)),
            (None, None) if is_order => self.order(),
            _ => None,
        }
    }

    /// The field that all nouns name and that has one of the units, with the factor of the unit. Without nouns,
    /// that of the first unit.
    fn field(&self, units: &[(Dim, f64)]) -> Option<(Measure, f64)> {
        let (is_named, is_long) = (!self.nouns.is_empty(), self.operator() == Some(Gte));
        let measures = self.nouns.first().copied().unwrap_or(UNNAMED);
        let units = units.iter().take(if is_named { units.len() } else { 1 });
        units
            .flat_map(|unit| measures.iter().map(move |own| (own, unit)))
            .find_map(|(own, (dim, factor))| {
                let is_common = self.nouns.iter().all(|measures| measures.contains(own));
                // At least that long is how long a machine is to be available; a job has one length.
                let is_job = own.1 == "+hours" && is_long && !is_named;
                (own.0 == *dim && is_common && !is_job && self.text.has_field(own.1)).then_some((*own, *factor))
            })
    }

    /// What a unit measures beside the words that say what it is for.
    fn unit(&self, (dim, factor): (Dim, f64)) -> Option<(Dim, f64)> {
        let (hours, gb) = (
            slot!(self, Role::Period(hours) => hours),
            slot!(self, Role::ForGb(gb) => gb),
        );
        let (is_each, is_all) = (
            slot!(self, Role::PerGpu => ()).is_some(),
            slot!(self, Role::Total => ()).is_some(),
        );
        let hourly = factor / hours.unwrap_or(1.0);
        Some(match (dim, hours, gb) {
            (Dim::Dollars, _, None) if is_each => (Dim::Each, hourly),
            (Dim::Dollars, Some(_), None) => (Dim::Hourly, hourly),
            (Dim::Dollars, None, None) if is_all => (Dim::Bill, factor),
            (Dim::Dollars, None | Some(720.0), Some(gb)) if gb < 2.0 => (Dim::PerGb, factor),
            (Dim::Dollars, None, Some(_)) => (Dim::PerTb, factor),
            (_, Some(_), _) | (_, _, Some(_)) => return None,
            (Dim::Size, None, None) if is_each => (Dim::GbEach, factor),
            (Dim::Size, None, None) if is_all => (Dim::GbInAll, factor),
            (_, None, None) if is_each => return None,
            (dim, None, None) => (dim, factor),
        })
    }

    /// A number and what it is of: `at least 24gb vram`, `cuda 12.4`, `under $2/h per gpu`, `3d`.
    fn quantity(&self, amount: &Amount) -> Option<Clause> {
        /// `1 gig up` is a speed in Gb/s, `200 gig up` is data.
        const FASTEST: f64 = 40.0;
        let (text, is_bare) = (self.text, amount.units.is_empty());
        let (has_noun, first) = (!self.nouns.is_empty(), amount.bounds[0]);
        let mut units = amount.units.clone();
        if is_bare {
            units.extend(BARE.map(|dim| (dim, 1.0)));
        } else if units.len() > 1 && units[0].0 == Dim::Size && first.1 <= FASTEST && has_noun {
            units.reverse();
        }
        let is_period = slot!(self, Role::Period(_) => ()).is_some();
        if is_bare && !has_noun {
            let is_price = is_period || matches!(self.operator().or(first.0), Some(Lt | Lte));
            units.retain(|unit| {
                if is_card(text, self.next) {
                    unit.0 == Dim::Count
                } else {
                    is_price && unit.0 == Dim::Dollars
                }
            });
        }
        let units: Vec<_> = units.into_iter().filter_map(|unit| self.unit(unit)).collect();
        let ((dim, field), factor) = self.field(&units)?;
        let mut facts = self.measure(amount, (dim, field), factor)?;
        if let Some(gpus) = slot!(self, Role::Number(gpus) => gpus) {
            facts.extend((field == "gpu_total_ram").then(|| count_of([gpus])));
        }
        let mut clause = Clause::new(self.next, facts);
        // `pcie 4.0 x16`
        if let Some((lanes, next)) = text.number(self.next + 1)
            && field == "pci_gen"
            && text.is_one_of(self.next, "x")
        {
            clause.facts.push(Fact::Condition(format!("gpu_lanes>={lanes}")));
            clause.next = next;
        }
        clause.is_open = !has_noun || text.is_one_of(self.next - 1, "x");
        Some(clause)
    }

    /// The bounds of an amount with the comparison behind it; none if that says the opposite of the one in front.
    fn bounds(&self, amount: &Amount, factor: f64) -> Option<Vec<Bound>> {
        let mut bounds = scaled(&amount.bounds, factor);
        if let Some(behind) = slot!(self, Role::Behind(operator) => operator) {
            let [(front, _)] = &mut bounds[..] else { return None };
            if inclusive(*front.get_or_insert(behind)) != behind {
                return None;
            }
        }
        let is_negation = slot!(self, Role::Not => ()).is_some() && self.operator().is_none();
        (!is_negation).then_some(bounds)
    }

    /// What a quantity of an attribute says.
    fn measure(&self, amount: &Amount, (dim, field): Measure, factor: f64) -> Option<Vec<Fact>> {
        let (text, bounds) = (self.text, self.bounds(amount, factor)?);
        let (has_unit, (operator, number)) = (!amount.units.is_empty(), bounds[0]);
        let is_most = bounds.len() == 1 && matches!(operator, None | Some(Eq | Lte));
        let is_exact = is_most && operator != Some(Lte);
        let is_list = bounds.len() > 1 && operator.is_none();
        let default = match (dim, field) {
            (_, "num_gpus" | "os_version") => Eq,
            (Dim::Dollars | Dim::Hourly | Dim::Each | Dim::Bill | Dim::PerGb | Dim::PerTb | Dim::Celsius, _) => Lte,
            _ => Gte,
        };
        let on = |field: &str, factor: f64| vec![Fact::Condition(compared(&scaled(&bounds, factor), field, default))];
        let is_of_gpu = text.is_one_of(self.next - 1, "memory")
            && self.start > 1
            && text.is_one_of(self.start - 1, "with has")
            && text.is_one_of(self.start - 2, "gpu");
        Some(match field {
            field if is_list && field != "num_gpus" => return None,
            "+hours" if is_exact => vec![set(|settings| settings.job.hours = Some(number))],
            // `50gb upload per day` is another amount.
            "+down" | "+up" if !is_most || !has_unit || text.is_one_of(self.next, "per / a each every daily") => {
                return None;
            }
            "+down" => vec![set(|settings| settings.job.gb_in = Some(number))],
            "+up" => vec![set(|settings| settings.job.gb_out = Some(number))],
            "+rows" if is_exact => {
                let rows = Some(whole(number)?);
                vec![set(|settings| settings.limit = rows)]
            }
            "+hours" | "+rows" | "dph_per_vram_gb" => return None,
            "+both" => [on("inet_down", 1.0), on("inet_up", 1.0)].concat(),
            "+size" => vec![Fact::Size(bounds)],
            // `a gpu with 96gb memory`
            "cpu_ram" if is_of_gpu => as_sold(&bounds, "gpu_ram"),
            "gpu_ram" | "gpu_total_ram" => as_sold(&bounds, field),
            "disk_space" if text.is_offers() => disk(&bounds),
            "dph_total" if dim == Dim::Dollars => vec![Fact::Price(bounds)],
            // `reliability over 98`, `8.9`, `sm 89`
            "rel" if !has_unit && number > 1.0 => on(field, 0.01),
            "compute_cap" if number < 20.0 => on(field, 100.0),
            "compute_cap" if number < 200.0 => on(field, 10.0),
            "gpu_mem_bw" | "bw_nvlink" | "pcie_bw" => on(field, 1e-3),
            "driver_version" | "os_version" => {
                let operator = operator.unwrap_or(default).symbol();
                vec![Fact::Condition(format!("{}{operator}{}", field, amount.text))]
            }
            "num_gpus"
                if !bounds
                    .iter()
                    .all(|(_, count)| whole(*count).is_some_and(|count| count <= 64)) =>
            {
                return None;
            }
            "num_gpus" if is_exact || is_list => vec![count_of(bounds.iter().map(|(_, count)| *count))],
            // Days, as the query language has them.
            field if dim == Dim::Time => on(field, 1.0 / 24.0),
            field => on(field, 1.0),
        })
    }

    /// A word with a meaning of its own, or the opposite of it: `verified`, `no datacenter`, `spot ok`.
    fn told(&self, meaning: &'static str, opposite: &'static str) -> Option<Vec<Fact>> {
        let text = self.text;
        let operator = self.operator().or(slot!(self, Role::Behind(operator) => operator));
        let waived = slot!(self, Role::Waive(accepts) | Role::Waived(accepts) => accepts);
        let is_negated = slot!(self, Role::Not => ()).is_some();
        match (operator, waived) {
            // The speed of `nvme speed 1gbps` is not that of a network.
            _ if text.is_one_of(self.next, "bandwidth") => None,
            // `ampere or newer`: an architecture begins with its first compute capability.
            (Some(Gte), None) => {
                let first = meaning.strip_prefix("compute_cap")?.trim_start_matches(['>', '=']);
                Some(vec![Fact::Condition(format!(
                    "compute_cap>={}",
                    first.split(' ').next()?
                ))])
            }
            (None, None) => meant(text, if is_negated { opposite } else { meaning }),
            // `also verified` wants them.
            (None, Some(accepts)) if meaning.starts_with("verified") && !(accepts && meaning == "verified=true") => {
                meant(text, "verified=any")
            }
            (None, Some(true)) if meaning.starts_with("type:") => meant(text, meaning),
            (None, Some(false)) if !is_negated => Some(vec![Fact::Idle]),
            (None | Some(_), _) => None,
        }
    }

    /// `most vram`, `lowest temperature first`, `sort by upload speed descending`, `price low to high`.
    fn order(&self) -> Option<Clause> {
        let text = self.text;
        let (best, dims) = slot!(self, Role::Best(is_high, dims) => (Some(is_high), dims)).unwrap_or((None, EVERY));
        let last = slot!(self, Role::Direction(is_high) => is_high).flatten();
        let is_sort = slot!(self, Role::Sort => ()).is_some() || last.is_some();
        let is_gpu = best == Some(None) && text.is_one_of(self.next - 1, "gpu");
        let is_other = slot!(self, Role::Compare(_) | Role::Not | Role::Waive(_) => ()).is_some();
        if best.is_none() && !is_sort || is_gpu || is_other || self.nouns.is_empty() && dims.len() > 2 {
            return None;
        }
        let units: Vec<_> = dims.iter().filter_map(|dim| self.unit((*dim, 1.0))).collect();
        let key = match self.field(&units)?.0.1 {
            // The job's cost, once there is one; see `Settings::settle`.
            "job_cost" => "dph_total",
            key => key,
        };
        let field = text.catalog.named(key).or_else(|| text.catalog.column(key))?;
        let is_high = last.or(best.flatten()).or(field.better).unwrap_or(true);
        // The most memory for a dollar is the lowest price of it.
        let is_high = is_high && key != "dph_per_vram_gb";
        let order = sorted_by(text, &format!("{key}{}", if is_high { "-" } else { "" }))?;
        Some(Clause::new(
            text.skip(self.next, "first possible available"),
            vec![order],
        ))
    }
}

/// The facts of a meaning in the table.
fn meant(text: &Text<'_>, meaning: &'static str) -> Option<Vec<Fact>> {
    let fact = match meaning.split_once([':', '=']) {
        Some(("type" | "hours" | "form", _)) if !text.is_offers() => return None,
        Some(("type", model)) => {
            let model = Some(model.parse().ok()?);
            set(|settings| settings.offer_type = model)
        }
        Some(("hours", number)) => set(|settings| settings.job.hours = number.parse().ok()),
        Some(("form", form)) => Fact::Form(form),
        Some(("order", order)) => sorted_by(text, order)?,
        Some(("num_gpus", count)) => count_of([count.parse().ok()?]),
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
    [Fact::Condition(compared(&reported, field, Gte))]
        .into_iter()
        .chain(note)
        .collect()
}

/// A disk is a condition, and the storage that prices include.
pub(super) fn disk(bounds: &[Bound]) -> Vec<Fact> {
    let (operator, gb) = bounds[0];
    let storage = Some(gb).filter(|_| !matches!(operator, Some(Lt | Lte)));
    let condition = Fact::Condition(compared(bounds, "disk_space", Gte));
    vec![condition, set(|settings| settings.storage = storage)]
}
