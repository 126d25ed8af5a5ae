//! The profile in use with the addresses of the command line, and the addresses that get its keys.

use super::{Config, Environment, Error, Global, Profile};
use crate::api::Origin;

/// The profile in use, with the flags applied to it.
#[derive(Debug)]
pub(crate) struct Chosen {
    /// The profile, with addresses from the flags.
    pub profile: Profile,
    /// The profile of the configuration; `None` unless a flag replaces one of its addresses.
    pub own: Option<Profile>,
}

/// The addresses in use that get the profile's keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct KeyReach {
    /// Whether the management API gets the profile's keys.
    pub management: bool,
    /// The routing endpoint: the profile's key, or a workergroup's.
    pub route: bool,
}

impl Chosen {
    /// The profile that the flags name, else, unless `--base-url` is given, that of `BOURSE_PROFILE` or the
    /// configuration's default, else `custom` for a `--base-url`, else the sandbox; with the addresses of the
    /// flags.
    ///
    /// # Errors
    /// When there is no such profile, or `--route-url` is given for the embedded sandbox.
    pub fn new(flags: &Global, config: &Config) -> Result<Self, Error> {
        let name = flags.profile.as_ref().or_else(|| {
            // An address from the command line does not take the default profile's dialect.
            let usual = flags.variables.profile.as_ref();
            usual
                .or(config.values.default_profile.as_ref())
                .filter(|_| flags.base_url.is_none())
        });
        let named = name.map(|name| {
            config.profile(name).ok_or_else(|| {
                let known = config.profile_names().join(", ");
                Error::Usage(format!("no profile named '{name}'; available: {known}"))
            })
        });
        let own = named.transpose()?;
        let mut profile = own.clone().unwrap_or_else(|| match &flags.base_url {
            Some(base) => Profile::custom(base),
            None => Profile::sandbox(),
        });
        if let Some(base) = &flags.base_url {
            profile.base_url = Some(base.clone());
            // A missing --route-url is the base.
            profile.route_url = None;
        }
        if let Some(route) = &flags.route_url {
            if profile.base_url.is_none() {
                let why = "--route-url needs --base-url or a profile: the embedded sandbox has its own routing";
                return Err(Error::Usage(why.to_owned()));
            }
            profile.route_url = Some(route.clone());
        }
        let own = own.filter(|own| (flags.base_url.is_some() || flags.route_url.is_some()) && own.base_url.is_some());
        Ok(Self { profile, own })
    }

    /// Whether each of the two addresses in use gets keys: both, if no flag replaces an address of a profile,
    /// or with `--send-key`, a key of the command line or `BOURSE_API_KEY`. Otherwise a profile's key goes
    /// only to the profile's addresses, and a workergroup's only to the market it is from.
    pub fn key_reach(&self, flags: &Global, environment: &Environment) -> KeyReach {
        let is_requested = flags.send_key || flags.api_key_file.is_some() || environment.key.is_some();
        let Some(own) = self.own.as_ref().filter(|_| !is_requested) else {
            return KeyReach {
                management: true,
                route: true,
            };
        };
        let is_same = |left: &Option<Origin>, right: &Option<Origin>| {
            let pair = left.as_ref().zip(right.as_ref());
            pair.is_some_and(|(left, right)| left.has_same_origin(right))
        };
        let (base, route) = addresses(&self.profile);
        let (own_base, own_route) = addresses(own);
        let management = is_same(&base, &own_base);
        let goes_to_route = if management {
            is_same(&route, &own_base) || is_same(&route, &own_route)
        } else {
            is_same(&route, &base)
        };
        KeyReach {
            management,
            route: goes_to_route,
        }
    }

    /// The addresses in use that get no key, joined by `and`, and the address that the profile's keys are
    /// for; `None` if all get one, or no flag replaces an address.
    pub fn withheld(&self, reach: KeyReach) -> Option<(String, String)> {
        let own = addresses(self.own.as_ref()?).0?;
        let (base, route) = addresses(&self.profile);
        let mut denied: Vec<_> = [base.filter(|_| !reach.management), route.filter(|_| !reach.route)]
            .into_iter()
            .flatten()
            .map(|origin| origin.to_string())
            .collect();
        denied.dedup();
        (!denied.is_empty()).then(|| (denied.join(" and "), own.to_string()))
    }
}

/// The origins of the management API and of the routing endpoint, which is the former by default; `None` for
/// one that is missing or invalid.
fn addresses(profile: &Profile) -> (Option<Origin>, Option<Origin>) {
    let origin = |address: &Option<String>| Origin::parse(address.as_deref()?).ok();
    let base = origin(&profile.base_url);
    let route = match &profile.route_url {
        Some(_) => origin(&profile.route_url),
        None => base.clone(),
    };
    (base, route)
}
