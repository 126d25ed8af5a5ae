//! The recorded attributes of a line, derived from the catalog.

use std::sync::{Arc, LazyLock};

use bourse_domain::field::{NoiseThreshold, Recording};
use bourse_domain::{CellRef, Field, OfferType, Resource};

/// A recorded field of the catalog.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Attribute {
    pub field: &'static Field,
    /// The largest difference from the stored value that is not recorded.
    pub tolerance: NoiseThreshold,
}

/// The value of an attribute.
#[derive(Debug, Clone, PartialEq)]
pub enum Fact {
    Unknown,
    Number(f64),
    Whole(i64),
    Flag(bool),
    /// An untrusted text, cut to 64 characters.
    Text(Arc<str>),
}

/// One fact for each attribute of a resource, in their order.
pub type Facts = Vec<Fact>;

/// The recorded attributes of a resource, in the order of its catalog; empty for workergroups, which are not
/// recorded.
pub fn attributes(resource: Resource) -> &'static [Attribute] {
    static ALL: LazyLock<[Vec<Attribute>; 2]> =
        LazyLock::new(|| [Resource::Offers, Resource::Volumes].map(attributes_of));
    let [offers, volumes] = &*ALL;
    match resource {
        Resource::Offers => offers,
        Resource::Volumes => volumes,
        // Workergroups are the user's own, and not recorded.
        Resource::Workergroups => &[],
    }
}

/// The fields of a resource's catalog that are recorded, each with its tolerance, in the order of the
/// catalog.
fn attributes_of(resource: Resource) -> Vec<Attribute> {
    let fields = resource.catalog().fields().iter();
    let attributes = fields.filter_map(|field| match field.recording() {
        Recording::Stored(tolerance) => Some(Attribute { field, tolerance }),
        Recording::Derived | Recording::Never => None,
    });
    attributes.collect()
}

impl Attribute {
    /// Whether this attribute is on record for offers of a price type: the reserved price only for reserved
    /// offers, the base price not for bids, every other attribute always.
    ///
    /// The others' values follow from price and storage, or equal the bid floor.
    pub fn is_recorded_for(&self, offer_type: OfferType) -> bool {
        match self.field.key {
            "discounted_dph_total" => offer_type == OfferType::Reserved,
            "dph_base" => offer_type != OfferType::Bid,
            _ => true,
        }
    }

    /// The value as a cell, to test conditions; an unknown fact is `Missing`.
    pub fn cell(fact: &Fact) -> CellRef<'_> {
        match fact {
            Fact::Unknown => CellRef::Missing,
            Fact::Number(number) => CellRef::Number(*number),
            Fact::Whole(number) => CellRef::Number(*number as f64),
            Fact::Flag(flag) => CellRef::Flag(*flag),
            Fact::Text(text) => CellRef::Text(text),
        }
    }
}
