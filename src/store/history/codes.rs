//! The domain's enums as they are stored. Stored codes never change their meaning.

use crate::domain::history::{Beginning, Cause, Ending, Onset, PollOutcome, Quote};
use crate::domain::{OfferType, Resource};

pub(super) const fn resource(resource: Resource) -> i64 {
    match resource {
        Resource::Offers => 0,
        Resource::Volumes => 1,
        Resource::Workergroups => 2,
    }
}

pub(super) const fn resource_of(code: i64) -> Option<Resource> {
    match code {
        0 => Some(Resource::Offers),
        1 => Some(Resource::Volumes),
        2 => Some(Resource::Workergroups),
        _ => None,
    }
}

pub(super) const fn offer_type(offer_type: OfferType) -> i64 {
    match offer_type {
        OfferType::OnDemand => 0,
        OfferType::Bid => 1,
        OfferType::Reserved => 2,
    }
}

pub(super) const fn offer_type_of(code: i64) -> Option<OfferType> {
    match code {
        0 => Some(OfferType::OnDemand),
        1 => Some(OfferType::Bid),
        2 => Some(OfferType::Reserved),
        _ => None,
    }
}

pub(super) const fn outcome(outcome: PollOutcome) -> i64 {
    match outcome {
        PollOutcome::Complete => 0,
        PollOutcome::Truncated => 1,
        PollOutcome::Failed => 2,
        PollOutcome::FiltersIgnored => 3,
    }
}

/// An unknown code counts as a failure: nothing is concluded from it.
pub(super) const fn outcome_of(code: i64) -> PollOutcome {
    match code {
        0 => PollOutcome::Complete,
        1 => PollOutcome::Truncated,
        3 => PollOutcome::FiltersIgnored,
        _ => PollOutcome::Failed,
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

pub(super) const fn onset(onset: Onset) -> u8 {
    match onset {
        Onset::Found => 0,
        Onset::Listed => 1,
        Onset::Continued => 2,
    }
}

pub(super) const fn onset_of(code: u8) -> Onset {
    match code {
        1 => Onset::Listed,
        2 => Onset::Continued,
        _ => Onset::Found,
    }
}

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

/// An unknown code says nothing about the market.
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
