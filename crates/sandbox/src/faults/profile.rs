//! Profiles: named subsets of the catalogue, each with a share of calls.

use super::super::call::Call;
use super::super::random::Rng;
use super::catalogue::{CATALOGUE, Fault};

/// A named set of faults with a share of calls.
#[derive(Debug, PartialEq)]
pub struct Profile {
    /// The name in a specification, such as `storm`.
    pub name: &'static str,
    /// A line for the guide.
    pub help: &'static str,
    /// The share of calls with a fault.
    share: f64,
    /// The numbers of its faults; `None` for all faults.
    faults: Option<&'static [u8]>,
    calls: &'static [Call],
}

const ALL: &[Call] = &Call::ALL;

/// The profiles, from harmless to hostile.
pub static PROFILES: [Profile; 7] = [
    profile("calm", "no faults", 0.0, Some(&[]), ALL),
    profile("flaky", "all faults, rarely", 0.05, None, ALL),
    profile("storm", "all faults, often", 0.3, None, ALL),
    profile("slow", "slow and hanging responses", 0.3, Some(&[3, 14, 75]), ALL),
    profile("throttle", "rate limits", 0.3, Some(&[25, 28]), ALL),
    profile(
        "split",
        "writes with an unclear outcome",
        0.3,
        Some(&[7, 8, 32, 56, 69, 71]),
        &[Call::Unlist, Call::Groups, Call::Create],
    ),
    profile(
        "hostile",
        "malformed and malicious responses",
        0.3,
        Some(&[38, 47, 53, 56, 57, 74, 77, 78]),
        ALL,
    ),
];

/// A profile with these faults, by number, for a `share` (0 to 1) of the `calls`; `None` for all faults.
const fn profile(
    name: &'static str,
    help: &'static str,
    share: f64,
    faults: Option<&'static [u8]>,
    calls: &'static [Call],
) -> Profile {
    Profile {
        name,
        help,
        share,
        faults,
        calls,
    }
}

impl Profile {
    /// The profile with a name; `None` if there is none.
    pub fn named(name: &str) -> Option<&'static Self> {
        PROFILES.iter().find(|profile| profile.name == name)
    }

    /// Whether it has no faults.
    pub(super) fn is_calm(&self) -> bool {
        self.faults.is_some_and(<[u8]>::is_empty)
    }
}

/// A profile with its options.
#[derive(Debug, Clone, PartialEq)]
pub struct ProfileSpec {
    pub profile: &'static Profile,
    /// The seed of the faults; `None` for the market's.
    pub seed: Option<u64>,
    /// The faults to draw from, by number; empty for all of the profile.
    pub only: Vec<u8>,
}

impl ProfileSpec {
    /// The faults that can be drawn: those of the profile, limited to `only` if that is not empty.
    pub(super) fn faults(&self) -> impl Iterator<Item = &'static Fault> {
        CATALOGUE.iter().filter(|fault| {
            (self.only.is_empty() || self.only.contains(&fault.number))
                && self.profile.faults.is_none_or(|known| known.contains(&fault.number))
        })
    }

    /// Draws the fault of a call: the profile's share of calls has one, each that applies to the operation
    /// with the same probability. `None` for all others, and for operations outside the profile.
    pub(super) fn choose(&self, call: Call, rng: &mut Rng) -> Option<&'static Fault> {
        if !rng.chance(self.profile.share) || !self.profile.calls.contains(&call) {
            return None;
        }
        let choices: Vec<_> = self.faults().filter(|fault| fault.calls.contains(&call)).collect();
        choices.get(rng.index(choices.len())).copied()
    }
}
