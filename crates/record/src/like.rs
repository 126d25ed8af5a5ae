//! The offers comparable with a given one.

use bourse_domain::format::{nominal_gb, nominal_megabytes};
use bourse_domain::value::Value;
use bourse_domain::{Listing, Operator, Query, Resource};

use crate::differences::recorded_lot;
use crate::{Analysis, Excerpt, Question, Quote};

/// The query narrowed to offers like that of a row: of the same model and number of GPUs, and of the same
/// memory if the row reports it; of volumes the same query. Its other conditions, price type and storage
/// stay, its order and limit are removed. `None` if the row does not report its machine (of volumes its
/// cluster) or, of offers, its number of GPUs.
pub fn offers_like(query: &Query, listing: &Listing, row: u32) -> Option<Query> {
    let lot = recorded_lot(listing, row)?;
    if query.resource == Resource::Volumes {
        return Some(unordered(query));
    }
    let number = |key: &str| listing.cell(row as usize, query.catalog().by_key(key)?).number();
    let like = of_kind(query, &lot.model, number("num_gpus")?);
    let megabytes = number("gpu_ram").filter(|megabytes| *megabytes > 0.0);
    Some(match megabytes.map(nominal_gb) {
        Some(gb) => with_memory(like, gb),
        None => like,
    })
}

/// A kind of offers that are compared with each other.
#[derive(Debug, Clone, PartialEq)]
pub struct Kind {
    /// The query that finds them.
    pub query: Query,
    /// The memory of each card in GB, if cards of the model have several sizes; else, and if it is unknown, `None`.
    pub card_gb: Option<f64>,
}

/// The kind of the cheapest offer of a question's last poll.
#[derive(Debug, Clone)]
pub struct CheapestKind(pub Question);

impl Analysis for CheapestKind {
    /// `None` if nothing was on offer.
    type Output = Option<Kind>;

    fn questions(&self) -> Vec<Question> {
        vec![self.0.clone()]
    }

    fn answer(&self, excerpts: &[Excerpt]) -> Option<Kind> {
        let excerpt = excerpts.first()?;
        let last = excerpt.polls.iter().rfind(|poll| poll.outcome.is_usable())?.at;
        let query = &self.0.query;
        let on_offer = excerpt
            .spells
            .iter()
            .filter(|spell| spell.interval(None).is_on_offer(last));
        let quotes = on_offer.flat_map(|spell| spell.quotes.iter().map(move |quote| (spell, quote)));
        let price = |quote: &Quote| quote.per_gpu(query.storage_gb());
        let (spell, quote) = quotes.min_by(|(_, left), (_, right)| price(left).total_cmp(&price(right)))?;
        let like = match query.resource {
            Resource::Volumes => unordered(query),
            Resource::Offers | Resource::Workergroups => of_kind(query, &spell.lot.model, quote.gpus.into()),
        };
        let gb = Some(f64::from(spell.lot.memory)).filter(|gb| *gb > 0.0);
        let of_model = excerpt.spells.iter().filter(|other| other.lot.model == spell.lot.model);
        let sizes = of_model.map(|other| f64::from(other.lot.memory));
        Some(Kind {
            card_gb: gb.filter(|gb| has_another(*gb, sizes)),
            query: gb.map_or(like.clone(), |gb| with_memory(like, gb)),
        })
    }
}

/// Whether any of the `sizes` of memory in GB, zero if unknown, is another than `gb`.
pub(crate) fn has_another(gb: f64, mut sizes: impl Iterator<Item = f64>) -> bool {
    sizes.any(|size| size > 0.0 && size.total_cmp(&gb).is_ne())
}

/// The query without its order and limit.
fn unordered(query: &Query) -> Query {
    Query {
        order: Vec::new(),
        limit: None,
        ..query.clone()
    }
}

/// The query restricted to one model and one number of GPUs, without its order and limit.
fn of_kind(query: &Query, model: &str, gpus: f64) -> Query {
    let like = unordered(query).with("gpu_name", Operator::Eq, Value::Text(model.to_owned()));
    like.with("num_gpus", Operator::Eq, Value::Number(gpus))
}

/// The query restricted to GPUs with a nominal memory of `gb`: those that report it, a little more, or less for error
/// correction.
fn with_memory(query: Query, gb: f64) -> Query {
    let (least, most) = nominal_megabytes(gb);
    let like = query.with("gpu_ram", Operator::Gte, Value::Number(least));
    like.with("gpu_ram", Operator::Lte, Value::Number(most))
}
