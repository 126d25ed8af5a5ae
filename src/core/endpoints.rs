//! The endpoints that can be routed to: those that the listed workergroups serve.

use super::state::State;
use crate::domain::{Resource, Untrusted, WORKERGROUPS};

/// The names of the endpoints that the listed workergroups serve, sorted, without duplicates or empty ones;
/// none until the workergroups are loaded.
pub fn endpoint_names(state: &State) -> Vec<String> {
    let listing = state.browsers[Resource::Workergroups].listing();
    let field = WORKERGROUPS.by_key("endpoint_name");
    let Some((listing, field)) = listing.zip(field) else {
        return Vec::new();
    };
    let texts = listing.column(field).texts().iter();
    let mut names: Vec<String> = texts
        .map(|name| name.unescaped().to_owned())
        .filter(|name| !name.is_empty())
        .collect();
    names.sort();
    names.dedup();
    names
}

/// The first endpoint that begins with `typed`, or the next one, wrapping around, if `typed` is an endpoint;
/// else the first. `None` if no endpoints are listed.
pub fn next_endpoint(state: &State, typed: &str) -> Option<String> {
    let known = endpoint_names(state);
    let next = match known.iter().position(|name| name == typed) {
        Some(index) => known.get((index + 1) % known.len()),
        None => known
            .iter()
            .find(|name| name.starts_with(typed))
            .or_else(|| known.first()),
    };
    next.cloned()
}

/// The sentence that none of the listed workergroups serves an endpoint; `None` for a blank name, and if no endpoint is
/// listed.
pub fn describe_unserved(endpoint: &str, state: &State) -> Option<String> {
    let (endpoint, names) = (endpoint.trim(), endpoint_names(state));
    let is_new = !endpoint.is_empty() && !names.is_empty() && names.iter().all(|name| name != endpoint);
    is_new.then(|| {
        let endpoint = Untrusted::from(endpoint).for_confirmation();
        format!("None of your workergroups serves endpoint {endpoint}")
    })
}
