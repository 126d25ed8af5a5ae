//! Which machines become the workers of a workergroup.

use super::fleet::Candidate;
use super::market::Market;

/// Up to `places` machines that match a workergroup's search.
pub fn candidates(_market: &Market, _search: &str, _places: usize) -> Vec<Candidate> {
    Vec::new()
}
