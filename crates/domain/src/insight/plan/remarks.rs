//! Remarks about a plan, in sentences.

use super::super::Bill;
use super::super::supply::Lot;
use super::{Need, Plan, Planning};
use crate::format::counted;
use crate::query::Query;
use crate::{format, language};

/// The subject of a remark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RemarkKind {
    /// The need or the budget is not met.
    Warning,
    /// The second-best plan.
    RunnerUp,
    /// The bill without one of the limits.
    Limit,
    /// The basis of the bill.
    Note,
}

/// The names of an offer in a remark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfferName {
    pub id: String,
    /// The GPU model and the place: `RTX 4090 in CZ`.
    pub kind: String,
}

/// A sentence about a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    pub kind: RemarkKind,
    pub text: String,
}

impl Planning {
    /// The remarks about a plan of the offers that `searched` finds: too few offers or a budget exceeded, the
    /// basis of the bill, the runner-up, the cost of each limit or that there is none, and a condition of the
    /// search on the number of GPUs. `bill` is the kind of its prices; `name` names the offer of a row.
    pub fn remarks(&self, need: &Need, bill: Bill, searched: &Query, name: impl Fn(u32) -> OfferName) -> Vec<Remark> {
        let mut remarks = Vec::new();
        let mut say = |kind, text| remarks.push(Remark { kind, text });
        match (&self.plan, self.offers) {
            (Some(_), _) => {}
            (None, 0) => say(RemarkKind::Warning, "No offer meets the limits".to_owned()),
            (None, offers) => {
                let offers = counted(offers, "offer", "offers");
                let gpus = counted(self.most as usize, "GPU", "GPUs");
                let most = match (self.most, need.group()) {
                    (0, None) => "but none of them together".to_owned(),
                    (0, Some(group)) => format!("but none of them together {group}"),
                    (_, None) => format!("together at most {gpus}"),
                    (_, Some(group)) => format!("at most {gpus} {group}"),
                };
                say(
                    RemarkKind::Warning,
                    format!("Not enough: {offers} within the limits, {most}"),
                );
            }
        }
        if let Some(plan) = &self.plan {
            if let Some(budget) = need.budget.filter(|budget| plan.bill > *budget) {
                let (over, budget) = (bill.money(plan.bill - budget), bill.money(budget));
                let paid = self.affordable.map(|gpus| match gpus {
                    0 => format!(": {budget} pays for no GPU"),
                    _ => format!(": {budget} pays for {}", counted(gpus as usize, "GPU", "GPUs")),
                });
                let paid = paid.unwrap_or_default();
                say(RemarkKind::Warning, format!("{over} over the budget{paid}"));
            }
            let offers = plan.rows().count();
            if bill == Bill::Job && offers > 1 {
                let text = format!("The bill has disk and traffic for each of the {offers} offers");
                say(RemarkKind::Note, text);
            }
            if let Some(hours) = self.hours {
                let (gpus, hours) = (plan.gpus, format::lasting(hours * 3600.0));
                say(
                    RemarkKind::Note,
                    format!("Done in {hours}: {gpus} GPUs divide the work evenly"),
                );
            }
            if let Some(second) = &self.runner_up {
                say(RemarkKind::RunnerUp, runner_up(plan, second, bill, name));
            }
        }
        for (name, without) in &self.binding {
            let mut text = format!("Without “{name}”: {}", bill.money(*without));
            if let Some(plan) = &self.plan {
                text = format!("{text} ({})", bill.difference(plan.bill, *without));
            }
            say(RemarkKind::Limit, text);
        }
        if let Some(size) = size_condition(searched) {
            let text = format!("Only offers with {size}, as the search says: without it sizes can be mixed");
            say(RemarkKind::Note, text);
        } else if self.plan.is_some() && self.binding.is_empty() && self.is_limited {
            say(RemarkKind::Note, "The limits do not raise the bill".to_owned());
        }
        remarks
    }
}

/// The search's active conditions on the number of GPUs as text, as they leave some sizes of offers out of a
/// plan; `None` without any.
fn size_condition(searched: &Query) -> Option<String> {
    let sizes = searched.active().filter(|condition| condition.field.key == "num_gpus");
    let sizes: Vec<String> = sizes.map(language::print_condition_briefly).collect();
    (!sizes.is_empty()).then(|| sizes.join(" "))
}

/// The maximum number of kinds of offers, and of ids of a kind, that the runner-up lists.
const NAMED: usize = 2;

/// Describes the second-best plan by its price and the offers that differ, with the ids of the new ones, and of those
/// they replace if the names are the same:
/// `Runner-up: $1.900/h (+$0.120/h), 4× RTX 4090 in US at $1.900/h (7) instead of 4× RTX 4090 in CZ`.
fn runner_up(plan: &Plan, second: &Plan, bill: Bill, name: impl Fn(u32) -> OfferName) -> String {
    let kinds = |plan: &Plan, compared: &Plan| {
        let shared: Vec<u32> = compared.rows().collect();
        let mut kinds: Vec<OfferKind> = Vec::new();
        for lot in plan.lots().filter(|lot| !shared.contains(&lot.row)) {
            let OfferName { id, kind } = name(lot.row);
            match kinds.iter_mut().find(|known| known.name == kind) {
                Some(known) => known.add(lot, id),
                None => kinds.push(OfferKind {
                    name: kind,
                    gpus: lot.gpus,
                    price: lot.price,
                    ids: vec![id],
                }),
            }
        }
        kinds
    };
    let with_ids = |kind: &OfferKind| format!("{} ({})", kind.describe(bill), listed(&kind.ids, Clone::clone));
    let [new, gone] = [kinds(second, plan), kinds(plan, second)];
    let is_new = |kind: &OfferKind| {
        new.iter()
            .any(|known| known.gpus == kind.gpus && known.name == kind.name)
    };
    // Their prices are in the table of the plan, rounded so that they add up.
    let gone = listed(&gone, |kind| {
        let text = format!("{}× {}", kind.gpus, kind.name);
        if is_new(kind) {
            format!("{text} ({})", listed(&kind.ids, Clone::clone))
        } else {
            text
        }
    });
    let new = listed(&new, with_ids);
    let more = bill.difference(plan.bill, second.bill);
    format!(
        "Runner-up: {} ({more}), {new} instead of {gone}",
        bill.money(second.bill)
    )
}

/// The offers of a plan with the same GPU model and place.
struct OfferKind {
    name: String,
    gpus: u64,
    price: f64,
    ids: Vec<String>,
}

impl OfferKind {
    fn add(&mut self, lot: Lot, id: String) {
        self.gpus += lot.gpus;
        self.price += lot.price;
        self.ids.push(id);
    }

    /// Its GPUs and price: `4× RTX 4090 in US at $1.900/h`.
    fn describe(&self, bill: Bill) -> String {
        format!("{}× {} at {}", self.gpus, self.name, bill.money(self.price))
    }
}

/// The first two of `all` as text, and the number of the others: `a, b, c and 2 more`.
fn listed<T>(all: &[T], text: impl Fn(&T) -> String) -> String {
    let named: Vec<String> = all.iter().take(NAMED).map(text).collect();
    let named = named.join(", ");
    match all.len().checked_sub(NAMED) {
        Some(more) if more > 0 => format!("{named} and {more} more"),
        Some(_) | None => named,
    }
}
