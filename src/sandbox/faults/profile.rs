//! Profiles: subsets of the catalogue and how often they are injected.

use super::super::call::Call;
use super::super::random::Rng;
use super::catalogue::{CATALOGUE, Fault};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    Calm,
    Flaky,
    Storm,
    Slow,
    Throttle,
    Split,
    Hostile,
}

impl Profile {
    pub const ALL: [Self; 7] = [
        Self::Calm,
        Self::Flaky,
        Self::Storm,
        Self::Slow,
        Self::Throttle,
        Self::Split,
        Self::Hostile,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Calm => "calm",
            Self::Flaky => "flaky",
            Self::Storm => "storm",
            Self::Slow => "slow",
            Self::Throttle => "throttle",
            Self::Split => "split",
            Self::Hostile => "hostile",
        }
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|profile| profile.name() == name)
    }

    pub const fn help(self) -> &'static str {
        match self {
            Self::Calm => "no faults",
            Self::Flaky => "all faults, rarely",
            Self::Storm => "all faults, often",
            Self::Slow => "slow and hanging responses",
            Self::Throttle => "rate limits",
            Self::Split => "writes with an unclear outcome",
            Self::Hostile => "malformed and malicious responses",
        }
    }

    /// The share of calls that get a fault.
    pub const fn share(self) -> f64 {
        match self {
            Self::Calm => 0.0,
            Self::Flaky => 0.05,
            Self::Storm | Self::Slow | Self::Throttle | Self::Split | Self::Hostile => 0.3,
        }
    }

    /// Whether it includes a fault, by number.
    pub const fn has(self, number: u8) -> bool {
        match self {
            Self::Calm => false,
            Self::Flaky | Self::Storm => true,
            Self::Slow => matches!(number, 3 | 14 | 75),
            Self::Throttle => matches!(number, 25 | 28),
            Self::Split => matches!(number, 7 | 8 | 32 | 56 | 69 | 71),
            Self::Hostile => matches!(number, 38 | 47 | 53 | 56 | 57 | 74 | 77 | 78),
        }
    }

    const fn excludes(self, call: Call) -> bool {
        match self {
            Self::Split => matches!(call, Call::Offers | Call::Volumes | Call::Route),
            Self::Calm | Self::Flaky | Self::Storm | Self::Slow | Self::Throttle | Self::Hostile => false,
        }
    }
}

pub fn names() -> impl Iterator<Item = &'static str> {
    Profile::ALL.into_iter().map(Profile::name)
}

/// A profile with its options.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProfileSpec {
    pub profile: Profile,
    /// The seed of the faults [default: the market's].
    pub seed: Option<u64>,
    /// The faults to draw from, by number; empty for all of the profile.
    pub only: Vec<u8>,
}

impl ProfileSpec {
    pub(super) fn faults(&self) -> impl Iterator<Item = &'static Fault> {
        CATALOGUE.iter().filter(|fault| {
            let is_chosen = self.only.is_empty() || self.only.contains(&fault.number);
            is_chosen && self.profile.has(fault.number)
        })
    }

    /// Draws the fault of a call.
    pub(super) fn choose(&self, call: Call, rng: &mut Rng) -> Option<&'static Fault> {
        if !rng.chance(self.profile.share()) || self.profile.excludes(call) {
            return None;
        }
        let choices: Vec<_> = self.faults().filter(|fault| fault.calls.contains(&call)).collect();
        choices.get(rng.index(choices.len())).copied()
    }
}
