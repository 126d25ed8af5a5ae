//! Specifications of faults as text.

use std::str::FromStr;

use super::super::call::Call;
use super::super::random::Rng;
use super::catalogue::{CATALOGUE, Fault};
use super::profile::{PROFILES, Profile, ProfileSpec};

/// The faults to inject, with their operations and shares of calls.
#[derive(Debug, Clone, PartialEq)]
pub enum FaultSpec {
    /// A list of rules; the first one that applies is used.
    Rules(Vec<Rule>),
    /// A profile, such as `storm`.
    Profile(ProfileSpec),
}

impl Default for FaultSpec {
    fn default() -> Self {
        Self::Rules(Vec::new())
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rule {
    fault: &'static Fault,
    share: f64,
    call: Option<Call>,
}

/// The error for an invalid fault specification.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct FaultSpecError(String);

impl FaultSpec {
    /// The seed of the faults of a profile that sets one; `None` for the market's seed.
    pub(super) const fn seed(&self) -> Option<u64> {
        match self {
            Self::Rules(_) => None,
            Self::Profile(choice) => choice.seed,
        }
    }

    /// Whether it injects no faults at all.
    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Rules(rules) => rules.is_empty(),
            Self::Profile(choice) => choice.profile.is_calm(),
        }
    }

    /// Draws the fault of a call: that of the first rule that is for it and drawn with its share, or one of
    /// the profile. `None` if it has none.
    pub(super) fn choose(&self, call: Call, rng: &mut Rng) -> Option<&'static Fault> {
        match self {
            Self::Profile(choice) => choice.choose(call, rng),
            Self::Rules(rules) => {
                let mut applies = |rule: &&Rule| rng.chance(rule.share) && rule.is_for(call);
                rules.iter().find(|rule| applies(rule)).map(|rule| rule.fault)
            }
        }
    }
}

impl Rule {
    /// Whether this rule of a fault specification, and the fault that it names, apply to a call.
    fn is_for(&self, call: Call) -> bool {
        self.call.is_none_or(|only| only == call) && self.fault.calls.contains(&call)
    }
}

impl FromStr for FaultSpec {
    type Err = FaultSpecError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut parts = text
            .split(',')
            .map(str::trim)
            .filter(|part| !part.is_empty())
            .peekable();
        let profile = parts.peek().and_then(|first| Profile::named(first));
        // `slow` is a fault and a profile. Alone or in a list it means the fault, as it always did.
        let is_choice = text.contains("seed=") || text.contains("only=");
        let is_fault = |profile: &Profile| fault(profile.name).is_ok();
        match profile.filter(|profile| is_choice || !is_fault(profile)) {
            Some(profile) => choice(profile, parts.skip(1)).map(Self::Profile),
            None => parts.map(Rule::from_str).collect::<Result<_, _>>().map(Self::Rules),
        }
    }
}

/// Parses the options behind a fault profile: `seed=N` and `only=F01,F02`. An error if they are invalid, or
/// leave no fault of the profile.
fn choice<'a>(profile: &'static Profile, parts: impl Iterator<Item = &'a str>) -> Result<ProfileSpec, FaultSpecError> {
    let mut seed = None;
    let mut only = Vec::new();
    for part in parts {
        if let Some(number) = part.strip_prefix("seed=") {
            seed = Some(
                number
                    .parse()
                    .map_err(|_| FaultSpecError(format!("'{number}' is not a seed: write a whole number")))?,
            );
            continue;
        }
        let name = part.strip_prefix("only=");
        if name.is_none() && only.is_empty() {
            return Err(FaultSpecError(format!(
                "'{part}' can't follow a profile: choose seed=N or only=F01,F02"
            )));
        }
        only.push(fault(name.unwrap_or(part))?.number);
    }
    let choice = ProfileSpec { profile, seed, only };
    if !profile.is_calm() && choice.faults().next().is_none() {
        return Err(FaultSpecError(format!("{} has none of these faults", profile.name)));
    }
    Ok(choice)
}

impl FromStr for Rule {
    type Err = FaultSpecError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (rest, call) = match text.split_once('@') {
            Some((rest, name)) => (rest, Some(call_named(name)?)),
            None => (text, None),
        };
        let (name, share) = match rest.split_once(':') {
            Some((name, share)) => (name, parse_share(share)?),
            None => (rest, 1.0),
        };
        let fault = fault(name)?;
        if let Some(call) = call.filter(|call| !fault.calls.contains(call)) {
            return Err(FaultSpecError(format!("{name} does not apply to {}", call.name())));
        }
        Ok(Self { fault, share, call })
    }
}

/// The fault with a name (`hang`) or number (`F03`, `f3`); an error that lists all names if there is none.
fn fault(text: &str) -> Result<&'static Fault, FaultSpecError> {
    let number = text
        .strip_prefix(['F', 'f'])
        .and_then(|digits| digits.parse::<u8>().ok());
    let is_meant = |fault: &&Fault| fault.name == text || Some(fault.number) == number;
    CATALOGUE.iter().find(is_meant).ok_or_else(|| {
        let profiles = PROFILES.each_ref().map(|profile| profile.name).join(", ");
        let known: Vec<_> = CATALOGUE.iter().map(|fault| fault.name).collect();
        FaultSpecError(format!(
            "'{text}' is not a fault: choose a profile ({profiles}) or {}",
            known.join(", ")
        ))
    })
}

/// The names of all operations in a rule, including the workers'.
pub fn operations() -> impl Iterator<Item = &'static str> {
    Call::ALL.into_iter().map(Call::name)
}

/// The operation with a name; an error that lists all names if there is none.
fn call_named(name: &str) -> Result<Call, FaultSpecError> {
    Call::ALL.into_iter().find(|call| call.name() == name).ok_or_else(|| {
        let known = operations().collect::<Vec<_>>().join(", ");
        FaultSpecError(format!("'{name}' is not an operation: choose {known}"))
    })
}

/// Parses a share from 0 to 1; an error if it is not one.
fn parse_share(text: &str) -> Result<f64, FaultSpecError> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| FaultSpecError(format!("'{text}' is not a share from 0 to 1")))
}
