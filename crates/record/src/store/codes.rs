//! The domain's enums as they are stored. Stored codes never change their meaning.

use bourse_domain::{Field, Kind, OfferType, Resource};
use rusqlite::types::ValueRef;

use crate::{Beginning, Cause, Ending, Fact, Onset, PollOutcome, Proof, Quote};

/// Writes both directions of a table of codes; what has no row there has no value.
macro_rules! codes {
    ($($code:ident, $value:ident: $type:ty { $($number:literal = [$($coded:tt)+],)+ })+) => {$(
        pub(super) const fn $code(value: $type) -> i64 {
            match value {
                $($($coded)+ => $number,)+
            }
        }

        pub(super) const fn $value(code: i64) -> Option<$type> {
            match code {
                $($number => Some($($coded)+),)+
                _ => None,
            }
        }
    )+};
}

codes! {
    resource, resource_of: Resource {
        0 = [Resource::Offers],
        1 = [Resource::Volumes],
        2 = [Resource::Workergroups],
    }
    offer_type, offer_type_of: OfferType {
        0 = [OfferType::OnDemand],
        1 = [OfferType::Bid],
        2 = [OfferType::Reserved],
    }
    outcome, outcome_of: PollOutcome {
        0 = [PollOutcome::Complete],
        1 = [PollOutcome::Truncated],
        2 = [PollOutcome::Failed],
        3 = [PollOutcome::FiltersIgnored],
    }
    ending, ending_of: Ending {
        0 = [Ending::Gone(Cause::Rented)],
        1 = [Ending::Gone(Cause::LeftTheSearch)],
        2 = [Ending::Gone(Cause::Delisted)],
        3 = [Ending::Gone(Cause::Unknown)],
        4 = [Ending::Changed],
        5 = [Ending::LostSight],
    }
}

/// The code of a proof, and the price that it reaches up to.
pub(super) const fn proof(proof: Proof) -> (i64, Option<f64>) {
    match proof {
        Proof::Complete => (0, None),
        Proof::UpTo(bound) => (1, Some(bound)),
        Proof::Some => (2, None),
        Proof::Nothing => (3, None),
    }
}

pub(super) const fn proof_of(code: i64, bound: Option<f64>) -> Proof {
    match (code, bound) {
        (0, _) => Proof::Complete,
        (1, Some(bound)) => Proof::UpTo(bound),
        (1 | 2, _) => Proof::Some,
        _ => Proof::Nothing,
    }
}

/// A stored value of a field.
pub(super) fn fact_of(field: &Field, value: ValueRef<'_>) -> Fact {
    match value {
        ValueRef::Integer(number) if field.kind == Kind::Flag => Fact::Flag(number != 0),
        ValueRef::Integer(number) => Fact::Whole(number),
        ValueRef::Real(number) => Fact::Number(number),
        ValueRef::Text(text) => Fact::Text(String::from_utf8_lossy(text).into()),
        ValueRef::Null | ValueRef::Blob(_) => Fact::Unknown,
    }
}

pub(super) const fn onset(onset: Onset) -> i64 {
    match onset {
        Onset::Found => 0,
        Onset::Listed => 1,
        Onset::Continued => 2,
    }
}

const QUOTE: usize = 4 + 3 * 8;

/// Quotes one after another: the GPUs, then the three prices, all with the least byte first. A least bid
/// that is not told is not a number.
pub(super) fn quotes(quotes: &[Quote]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(quotes.len() * QUOTE);
    for quote in quotes {
        bytes.extend(quote.gpus.to_le_bytes());
        for price in [quote.base, quote.storage, quote.min_bid.unwrap_or(f64::NAN)] {
            bytes.extend(price.to_le_bytes());
        }
    }
    bytes
}

/// Those of bytes; an incomplete one is left out.
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

/// The code of a beginning, and the price or amount before it.
pub(super) fn beginning(beginning: Beginning) -> (i64, Option<f64>) {
    match beginning {
        Beginning::Found => (0, None),
        Beginning::Listed => (1, None),
        Beginning::Repriced { from } => (2, Some(from)),
        Beginning::Resized { from } => (3, Some(f64::from(from))),
        Beginning::Revealed => (4, None),
    }
}

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
