//! Polls that are written by hand, as if a market had answered with what they see.

use bourse::domain::country::CountryCode;
use bourse::domain::language::{Mode, parse};
use bourse::domain::{Dialect, OfferType, Query, Resource};
use bourse::record::{Fact, Line, Poll, PollOutcome, Proof, Quote, SeenLine, Sighting, attributes};

/// A search for the offers that meet conditions.
pub fn query(conditions: &str) -> Query {
    query_for(Resource::Offers, conditions)
}

/// A search for records that meet conditions.
pub fn query_for(resource: Resource, conditions: &str) -> Query {
    let parsed = parse(conditions, resource.catalog(), &Dialect::SANDBOX, &[], Mode::Strict).unwrap();
    Query {
        conditions: parsed.conditions,
        ..Query::empty(resource)
    }
}

/// A poll of sightings with the lines and, unless it has one, the proof of such a response.
pub fn with_lines(poll: Poll) -> Poll {
    let proof = match (poll.proof, poll.outcome) {
        (Proof::Nothing, PollOutcome::Complete) => Proof::Complete,
        (Proof::Nothing, PollOutcome::Truncated) => Proof::Some,
        (proof, _) => proof,
    };
    let mut lines = poll.lines.clone();
    if proof.is_usable() && lines.is_empty() {
        let kind = (poll.scope.resource, poll.scope.offer_type);
        let seen = poll.sightings.iter();
        lines = seen
            .flat_map(|seen| seen.quotes.iter().map(|quote| line(kind, seen, quote)))
            .collect();
        lines.sort_by(|left, right| left.line.cmp(&right.line));
    }
    Poll { proof, lines, ..poll }
}

fn line((resource, offer_type): (Resource, OfferType), seen: &Sighting, quote: &Quote) -> SeenLine {
    let number = |number: Option<f64>| number.map_or(Fact::Unknown, Fact::Number);
    let fact = |key: &str| match (resource, key) {
        (Resource::Volumes, "storage_cost") => Fact::Number(quote.base),
        (Resource::Volumes, "disk_space") => Fact::Number(seen.amount.into()),
        (_, "storage_cost") => Fact::Number(quote.storage),
        (_, "min_bid") if offer_type == OfferType::Bid => Fact::Number(quote.base),
        (_, "min_bid") => number(quote.min_bid),
        (_, "dph_base") if offer_type == OfferType::OnDemand => Fact::Number(quote.base),
        (_, "discounted_dph_total") if offer_type == OfferType::Reserved => Fact::Number(quote.base),
        // That of an RTX 4090.
        (Resource::Offers, "gpu_ram") => Fact::Number(24_564.0),
        (_, "host_id") => seen.host.map_or(Fact::Unknown, Fact::Whole),
        (_, "geolocation") => {
            let country = seen.country.as_ref().map(CountryCode::as_str);
            country.map_or(Fact::Unknown, |country| Fact::Text(country.into()))
        }
        _ => Fact::Unknown,
    };
    SeenLine {
        line: Line {
            lot: seen.lot.clone(),
            gpus: quote.gpus,
        },
        offer: seen.offer,
        offers: (seen.amount / quote.gpus).max(1),
        gpu_mask: None,
        facts: attributes(resource)
            .iter()
            .map(|attribute| fact(attribute.field.key))
            .collect(),
    }
}
