//! Countries, and the number that the service derives from each.

use bourse_domain::country;
use ring::digest;

use super::figures::Figures;

/// The number of a country: the last four bytes of the SHA-256 of its two letters, big endian, modulo 2^31 - 1.
///
/// This holds for every recorded pair.
pub fn geolocode(country: &str) -> u64 {
    let hash = digest::digest(&digest::SHA256, country.as_bytes());
    let tail = hash.as_ref().iter().rev().take(4).rev();
    let number = tail.fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
    number % ((1 << 31) - 1)
}

/// The numbers of all locations of the figures, by index.
#[derive(Debug)]
pub struct Codes(Vec<u64>);

impl Codes {
    /// The numbers of the countries of all locations in the figures.
    pub fn new(figures: &Figures) -> Self {
        let locations = figures.spread.locations.iter();
        Self(locations.map(|(name, _)| geolocode(country::code(name))).collect())
    }

    /// The number of the location with an index; 0 if there is none.
    pub fn code(&self, location: usize) -> u64 {
        self.0.get(location).copied().unwrap_or(0)
    }
}
