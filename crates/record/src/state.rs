//! The known state of a line at a moment, as cells of the catalog's fields.

use std::collections::HashMap;
use std::sync::LazyLock;

use bourse_domain::cost::{HOURS_PER_MONTH, storage_per_hour};
use bourse_domain::dialect::TransferUnit;
use bourse_domain::time::UnixTime;
use bourse_domain::{CellRef, Field, OfferType, Resource, Source, Unit};

use super::attributes::{Attribute, Fact, attributes};
use super::{Line, Moment, Quote};

/// The storage, units and price type in which a question measures lines.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Terms {
    pub resource: Resource,
    pub offer_type: OfferType,
    /// GB that prices include; 0 for volumes.
    pub storage: f64,
    /// The unit of network speeds in its conditions.
    pub transfer: TransferUnit,
}

/// The known state of a line at a moment.
#[derive(Debug, Clone, Copy)]
pub struct State<'a> {
    pub line: &'a Line,
    /// The facts in the order of [`attributes`].
    pub facts: &'a [Fact],
    pub terms: Terms,
}

/// The source of a field's cell.
#[derive(Debug, Clone, Copy)]
enum Origin {
    /// The attribute with that index.
    Stored(usize),
    /// A speed, converted from the recorded unit.
    Speed(usize),
    TextIs(usize, &'static str),
    NumberIs(usize, i64),
    /// An attribute that is another member for other price types.
    Base(usize),
    Discounted,
    Machine,
    Model,
    Gpus,
    /// $/h with the storage of the question.
    Total,
    Storage,
    /// $/h divided by an attribute, or by the GPUs.
    PerGpu,
    PerVram,
    /// An attribute divided by $/h.
    PerDollar(usize),
    DlperfPerGpu(usize),
    TimeLeft(usize),
    Always(bool),
    /// $/h of one GB of a volume.
    OneGigabyte,
    Unknown,
}

/// The origin of each field and computed column, by its position in the resource's catalog; empty for
/// workergroups.
fn origins(resource: Resource) -> &'static [Origin] {
    static ALL: LazyLock<[Vec<Origin>; 2]> = LazyLock::new(|| [Resource::Offers, Resource::Volumes].map(origins_of));
    let [offers, volumes] = &*ALL;
    match resource {
        Resource::Offers => offers,
        Resource::Volumes => volumes,
        Resource::Workergroups => &[],
    }
}

/// The index of the attribute with this key among those of a resource; `None` if it is not recorded.
///
/// Cached, as each price in a month of a market needs some of them.
pub fn index(resource: Resource, key: &str) -> Option<usize> {
    static ALL: LazyLock<[HashMap<&str, usize>; 2]> =
        LazyLock::new(|| [Resource::Offers, Resource::Volumes].map(indexes_of));
    let [offers, volumes] = &*ALL;
    match resource {
        Resource::Offers => offers.get(key).copied(),
        Resource::Volumes => volumes.get(key).copied(),
        Resource::Workergroups => None,
    }
}

/// The index of each attribute of a resource, by the key of its field.
fn indexes_of(resource: Resource) -> HashMap<&'static str, usize> {
    let attributes = attributes(resource).iter().enumerate();
    attributes
        .map(|(index, attribute)| (attribute.field.key, index))
        .collect()
}

/// Computes the origin of each field and computed column of a resource, in the order of its catalog.
fn origins_of(resource: Resource) -> Vec<Origin> {
    let catalog = resource.catalog();
    let fields = catalog.fields().iter().chain(catalog.computed());
    fields.map(|field| origin(resource, field)).collect()
}

/// The recorded values from which a field's cell is computed; `Unknown` if it is not recorded.
fn origin(resource: Resource, field: &Field) -> Origin {
    let attribute = |key| index(resource, key);
    let known = match (resource, field.key) {
        (Resource::Volumes, "cluster_id") | (Resource::Offers, "machine_id") => Some(Origin::Machine),
        (Resource::Offers, "gpu_name") => Some(Origin::Model),
        (Resource::Offers, "num_gpus") => Some(Origin::Gpus),
        (Resource::Offers, "dph_total") => Some(Origin::Total),
        (Resource::Offers, "dph_base") => attribute("dph_base").map(Origin::Base),
        (Resource::Offers, "discounted_dph_total") => Some(Origin::Discounted),
        (Resource::Offers, "storage_total_cost") => Some(Origin::Storage),
        (Resource::Offers, "dph_per_gpu") => Some(Origin::PerGpu),
        (Resource::Offers, "dph_per_vram_gb") => Some(Origin::PerVram),
        (Resource::Offers, "dlperf_per_dphtotal") => attribute("dlperf").map(Origin::PerDollar),
        (Resource::Offers, "flops_per_dphtotal") => attribute("total_flops").map(Origin::PerDollar),
        (Resource::Offers, "dlperf_per_gpu") => attribute("dlperf").map(Origin::DlperfPerGpu),
        (Resource::Offers, "rentable") => Some(Origin::Always(true)),
        (Resource::Offers, "rented") => Some(Origin::Always(false)),
        (Resource::Volumes, "storage_cost_total") => Some(Origin::OneGigabyte),
        (_, "duration") => attribute("end_date").map(Origin::TimeLeft),
        (_, key) => match (attribute(key), field.unit) {
            (Some(index), Unit::Transfer) => Some(Origin::Speed(index)),
            (Some(index), _) => Some(Origin::Stored(index)),
            (None, _) => member(resource, field),
        },
    };
    known.unwrap_or(Origin::Unknown)
}

/// The origin of a filter that reads a member of another name; `None` if the field reads none, or that is not
/// recorded.
fn member(resource: Resource, field: &Field) -> Option<Origin> {
    match field.source {
        Source::TextIs(key, text) => index(resource, key).map(|index| Origin::TextIs(index, text)),
        Source::NumberIs(key, number) => index(resource, key).map(|index| Origin::NumberIs(index, number)),
        Source::Member(key) if !field.in_record => index(resource, key).map(Origin::Stored),
        Source::Either(keys) if !field.in_record => index(resource, keys.first()?).map(Origin::Stored),
        Source::Member(_)
        | Source::Known(_)
        | Source::Either(_)
        | Source::Search(_)
        | Source::Nested(..)
        | Source::TimeLeft(..)
        | Source::Since(_)
        | Source::Nowhere
        | Source::Computed => None,
    }
}

/// The key of the attribute with the price of the GPUs for a price type; for volumes and workergroups that of
/// the price of a GB.
pub const fn base_key(resource: Resource, offer_type: OfferType) -> &'static str {
    match (resource, offer_type) {
        (Resource::Offers, OfferType::OnDemand) => "dph_base",
        (Resource::Offers, OfferType::Bid) => "min_bid",
        (Resource::Offers, OfferType::Reserved) => "discounted_dph_total",
        (Resource::Volumes | Resource::Workergroups, _) => "storage_cost",
    }
}

impl<'a> State<'a> {
    /// The value of a field of the line at a moment, as a cell; [`CellRef::Missing`] if it is unknown or not
    /// recorded.
    pub fn cell(&self, field: &Field, at: Moment) -> CellRef<'a> {
        let position = self.terms.resource.catalog().position(field);
        let origin = position.and_then(|position| origins(self.terms.resource).get(position));
        origin.map_or(CellRef::Missing, |origin| self.cell_from(*origin, at))
    }

    /// The cell of a field with this origin at a moment; `Missing` if a value that it needs is unknown.
    fn cell_from(&self, origin: Origin, at: Moment) -> CellRef<'a> {
        match origin {
            Origin::Stored(index) => self.stored(index),
            Origin::Base(index) => match self.terms.offer_type {
                OfferType::Bid => number(self.number("min_bid")),
                OfferType::OnDemand | OfferType::Reserved => self.stored(index),
            },
            Origin::Speed(index) => {
                let megabits = self.stored(index).number();
                number(megabits.map(|megabits| megabits / self.terms.transfer.megabits()))
            }
            Origin::TextIs(index, text) => match self.stored(index) {
                CellRef::Text(stored) => CellRef::Flag(stored == text),
                other => other,
            },
            Origin::NumberIs(index, wanted) => match self.stored(index).whole() {
                Some(stored) => CellRef::Flag(stored == i128::from(wanted)),
                None => CellRef::Missing,
            },
            Origin::Machine => whole(self.line.lot.machine),
            Origin::Model => match &*self.line.lot.model {
                "" => CellRef::Missing,
                model => CellRef::Text(model),
            },
            Origin::Gpus => CellRef::Number(f64::from(self.line.gpus)),
            Origin::Total => number(self.price()),
            Origin::Discounted => match self.terms.offer_type {
                OfferType::Reserved => number(self.price()),
                OfferType::OnDemand | OfferType::Bid => CellRef::Missing,
            },
            Origin::Storage => number(self.storage()),
            Origin::PerGpu => number(self.price().map(|price| price / f64::from(self.line.gpus.max(1)))),
            Origin::PerVram => {
                let memory = self.number("gpu_total_ram").or_else(|| {
                    let one = self.number("gpu_ram")?;
                    Some(one * f64::from(self.line.gpus))
                });
                number(ratio(self.price(), memory.map(|memory| memory / 1000.0)))
            }
            Origin::PerDollar(index) => number(ratio(self.stored(index).number(), self.price())),
            Origin::DlperfPerGpu(index) => {
                let gpus = f64::from(self.line.gpus.max(1));
                number(self.stored(index).number().map(|dlperf| dlperf / gpus))
            }
            Origin::TimeLeft(index) => number(self.stored(index).number().map(|end| UnixTime::new(end) - at.unix())),
            Origin::Always(flag) => CellRef::Flag(flag),
            Origin::OneGigabyte => number(self.number("storage_cost").map(|price| price / HOURS_PER_MONTH)),
            Origin::Unknown => CellRef::Missing,
        }
    }

    /// The recorded value of the attribute with an index; `Missing` if it is unknown.
    fn stored(&self, index: usize) -> CellRef<'a> {
        self.facts.get(index).map_or(CellRef::Missing, Attribute::cell)
    }

    /// The recorded number of the attribute with a key; `None` if it is unknown or not a number.
    fn number(&self, key: &str) -> Option<f64> {
        self.stored(index(self.terms.resource, key)?).number()
    }

    /// $/h of the GPUs by the price type; of volumes $/GB/month. `None` if it is unknown or below zero.
    pub fn base(&self) -> Option<f64> {
        let key = base_key(self.terms.resource, self.terms.offer_type);
        self.number(key).filter(|price| *price >= 0.0)
    }

    /// $/h of the storage that prices include; `None` if its price is unknown or below zero.
    fn storage(&self) -> Option<f64> {
        let price = self.number("storage_cost").filter(|price| *price >= 0.0)?;
        Some(storage_per_hour(price, self.terms.storage))
    }

    /// $/h of the whole offer with the storage of the question; of volumes $/GB/month. `None` if the price of
    /// the GPUs is unknown, or that of a storage above 0 GB.
    pub fn price(&self) -> Option<f64> {
        let base = self.base()?;
        match self.terms.resource {
            Resource::Offers if self.terms.storage > 0.0 => Some(base + self.storage()?),
            Resource::Offers | Resource::Volumes | Resource::Workergroups => Some(base),
        }
    }

    /// The quote of the line; `None` if its base price is unknown or below zero or, of offers, its storage
    /// price is unknown. An unknown minimum bid is none.
    pub fn quote(&self) -> Option<Quote> {
        let (storage, min_bid) = match self.terms.resource {
            Resource::Offers => (self.number("storage_cost")?, self.number("min_bid")),
            Resource::Volumes | Resource::Workergroups => (0.0, None),
        };
        Some(Quote {
            gpus: self.line.gpus,
            base: self.base()?,
            storage,
            min_bid,
        })
    }
}

/// A number as a cell; `Missing` if it is unknown or not finite.
fn number<'a>(number: Option<f64>) -> CellRef<'a> {
    match number.filter(|number| number.is_finite()) {
        Some(number) => CellRef::Number(number),
        None => CellRef::Missing,
    }
}

/// An id as a numeric cell.
fn whole<'a>(id: i64) -> CellRef<'a> {
    CellRef::Number(id as f64)
}

/// The quotient of two numbers; `None` unless both are known and the divisor is above zero.
fn ratio(dividend: Option<f64>, divisor: Option<f64>) -> Option<f64> {
    Some(dividend? / divisor.filter(|divisor| *divisor > 0.0)?)
}
