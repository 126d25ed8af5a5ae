//! The stored codes of the domain's enums, whose meaning never changes.

use bourse_domain::{Field, Kind, OfferType, Resource};
use rusqlite::types::ValueRef;

use crate::{Beginning, Cause, Ending, Fact, PollOutcome, Proof, Quote};

/// The code by which a resource is stored.
pub(super) const fn resource(resource: Resource) -> i64 {
    match resource {
        Resource::Offers => 0,
        Resource::Volumes => 1,
        Resource::Workergroups => 2,
    }
}

/// The code by which a price type is stored.
pub(super) const fn offer_type(offer_type: OfferType) -> i64 {
    match offer_type {
        OfferType::OnDemand => 0,
        OfferType::Bid => 1,
        OfferType::Reserved => 2,
    }
}

/// An outcome as version 0.1 stored it. An unknown code counts as a failure: nothing is concluded from it.
pub(super) const fn outcome_of(code: i64) -> PollOutcome {
    match code {
        0 => PollOutcome::Complete,
        1 => PollOutcome::Truncated,
        3 => PollOutcome::FiltersIgnored,
        _ => PollOutcome::Failed,
    }
}

/// The code by which an ending is stored.
pub(super) const fn ending(ending: Ending) -> i64 {
    match ending {
        Ending::Gone(Cause::Rented) => 0,
        Ending::Gone(Cause::LeftTheSearch) => 1,
        Ending::Gone(Cause::Delisted) => 2,
        Ending::Gone(Cause::Unknown) => 3,
        Ending::Changed => 4,
        Ending::LostSight => 5,
    }
}

/// The ending of a stored code; an unknown code becomes one that allows no conclusions.
pub(super) const fn ending_of(code: i64) -> Ending {
    match code {
        0 => Ending::Gone(Cause::Rented),
        1 => Ending::Gone(Cause::LeftTheSearch),
        2 => Ending::Gone(Cause::Delisted),
        3 => Ending::Gone(Cause::Unknown),
        4 => Ending::Changed,
        _ => Ending::LostSight,
    }
}

/// The code by which a proof is stored, and the price up to which an `UpTo` proof reaches, `None` for others.
pub(super) const fn proof(proof: Proof) -> (i64, Option<f64>) {
    match proof {
        Proof::Complete => (0, None),
        Proof::UpTo(bound) => (1, Some(bound)),
        Proof::Some => (2, None),
        Proof::Nothing => (3, None),
    }
}

/// The proof of a stored code and bound; without a bound that it needs it proves nothing about absent lines,
/// and an unknown code is `Nothing`.
pub(super) const fn proof_of(code: i64, bound: Option<f64>) -> Proof {
    match (code, bound) {
        (0, _) => Proof::Complete,
        (1, Some(bound)) => Proof::UpTo(bound),
        (1 | 2, _) => Proof::Some,
        _ => Proof::Nothing,
    }
}

/// The fact in a stored value of a field; whole numbers of flag fields are flags. NULL and blobs are unknown.
pub(super) fn fact_of(field: &Field, value: ValueRef<'_>) -> Fact {
    match value {
        ValueRef::Integer(number) if field.kind == Kind::Flag => Fact::Flag(number != 0),
        ValueRef::Integer(number) => Fact::Whole(number),
        ValueRef::Real(number) => Fact::Number(number),
        ValueRef::Text(text) => Fact::Text(String::from_utf8_lossy(text).into()),
        ValueRef::Null | ValueRef::Blob(_) => Fact::Unknown,
    }
}

const QUOTE: usize = 4 + 3 * 8;

/// Decodes the quotes of version 0.1, one after another: the GPUs, then the three prices, all little-endian.
///
/// NaN is a minimum bid that was not reported; an incomplete quote is left out.
pub(super) fn quotes_of(bytes: &[u8]) -> impl Iterator<Item = Quote> {
    bytes.chunks_exact(QUOTE).filter_map(|bytes| {
        let (gpus, rest) = bytes.split_first_chunk()?;
        let (base, rest) = rest.split_first_chunk()?;
        let (storage, rest) = rest.split_first_chunk()?;
        let (min_bid, _) = rest.split_first_chunk()?;
        let min_bid = f64::from_le_bytes(*min_bid);
        Some(Quote {
            gpus: u32::from_le_bytes(*gpus),
            base: f64::from_le_bytes(*base),
            storage: f64::from_le_bytes(*storage),
            min_bid: (!min_bid.is_nan()).then_some(min_bid),
        })
    })
}

/// The code by which a beginning is stored, without its earlier price or amount.
pub(super) const fn beginning(beginning: Beginning) -> i64 {
    match beginning {
        Beginning::Found => 0,
        Beginning::Listed => 1,
        Beginning::Repriced { .. } => 2,
        Beginning::Resized { .. } => 3,
        Beginning::Revealed => 4,
    }
}

/// The beginning of a spell for a stored code; `was` is the price or amount before it in records of version
/// 0.1. `Found` for an unknown code, and for a new price or amount without `was`.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // it was a u32
pub(super) fn beginning_of(code: i64, was: Option<f64>) -> Beginning {
    match (code, was) {
        (1, _) => Beginning::Listed,
        (2, Some(from)) => Beginning::Repriced { from },
        (3, Some(from)) => Beginning::Resized { from: from as u32 },
        (4, _) => Beginning::Revealed,
        _ => Beginning::Found,
    }
}
