//! Differences between servers of the same interface, as data.
//!
//! `documented` follows the specification to the letter; `vast` follows the public service as its own client uses it;
//! `sandbox` is `documented` plus every name of the embedded sandbox.

use super::catalog::Resource;
use super::field::{Field, Filter, Operator};

/// The domain of the public service.
pub const PUBLIC_DOMAIN: &str = "vast.ai";

/// The unit of `inet_up` and `inet_down`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransferUnit {
    MegabytesPerSecond,
    /// Mb/s: sent by the public service, whatever its documentation says.
    MegabitsPerSecond,
}

impl TransferUnit {
    /// The factor from this unit to Mb/s: 8 for MB/s, 1 for Mb/s.
    pub const fn megabits(self) -> f64 {
        match self {
            Self::MegabytesPerSecond => 8.0,
            Self::MegabitsPerSecond => 1.0,
        }
    }

    /// The unit as it is written after a number: `MB/s` or `Mb/s`.
    pub const fn symbol(self) -> &'static str {
        match self {
            Self::MegabytesPerSecond => "MB/s",
            Self::MegabitsPerSecond => "Mb/s",
        }
    }
}

/// The key that a route request carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RouteKey {
    /// The key of the profile.
    Profile,
    /// The key of the workergroup (its `api_key` member).
    Group,
}

/// The way a server spells the interface.
#[derive(Debug, PartialEq, Eq)]
pub struct Dialect {
    /// Its name in configuration files.
    pub name: &'static str,
    pub not_in: &'static str,
    /// Whether a network volume search is wrapped in `q`.
    pub volumes_wrapped: bool,
    /// Whether the `duration` of a network volume search is in days; otherwise in seconds.
    pub volume_duration_days: bool,
    /// Whether `driver_version` is sent as the nine-digit number; otherwise as text.
    pub version_as_number: bool,
    /// Whether the server takes the filters that only the public service has.
    pub market_filters: bool,
    /// The unit of network speeds.
    pub transfer: TransferUnit,
    /// The parameter for the storage allocation; `None` if the server has none.
    pub storage_parameter: Option<&'static str>,
    /// The switch that turns offer bundling off; `None` if the server has none.
    pub bundling_parameter: Option<&'static str>,
    /// The key that a route request carries.
    pub route_key: RouteKey,
    /// Whether a route request carries its position in the router's queue (`request_idx`) and the time that an unused
    /// assignment holds its load (`replay_timeout`).
    pub route_queue: bool,
    /// Whether the market scales a workergroup by the settings of its endpoint and ignores the group's own
    /// `cold_workers` and `test_workers`.
    pub endpoint_scales: bool,
    /// Filters that the server accepts but does not apply.
    pub ignored: &'static [&'static str],
}

impl Dialect {
    /// The specification to the letter.
    pub const DOCUMENTED: Self = Self {
        name: "documented",
        not_in: "nin",
        volumes_wrapped: true,
        volume_duration_days: true,
        version_as_number: false,
        market_filters: false,
        transfer: TransferUnit::MegabytesPerSecond,
        storage_parameter: None,
        bundling_parameter: None,
        route_key: RouteKey::Profile,
        route_queue: false,
        endpoint_scales: false,
        ignored: &[],
    };

    pub const VAST: Self = Self {
        name: "vast",
        // The service long rejected `nin`; its own client sends `notin`.
        not_in: "notin",
        // Its client posts the filters flat and the duration in seconds.
        volumes_wrapped: false,
        volume_duration_days: false,
        // Its client sends 535.86.05 as 535086005.
        version_as_number: true,
        market_filters: true,
        // According to its console and its client; only its API documentation says MB/s.
        transfer: TransferUnit::MegabitsPerSecond,
        storage_parameter: Some("allocated_storage"),
        bundling_parameter: Some("disable_bundling"),
        // Its client routes with the endpoint's own key, not the account's.
        route_key: RouteKey::Group,
        route_queue: true,
        endpoint_scales: true,
        // It filters by the caller's own rentals.
        ignored: &["rented"],
    };

    /// The embedded sandbox: the specification plus all names that only the public service has. Its
    /// speeds are in Mb/s like the service's: the specification's MB/s would make them eight times
    /// as fast.
    pub const SANDBOX: Self = Self {
        name: "sandbox",
        market_filters: true,
        transfer: TransferUnit::MegabitsPerSecond,
        storage_parameter: Some("allocated_storage"),
        bundling_parameter: Some("disable_bundling"),
        route_queue: true,
        ..Self::DOCUMENTED
    };

    pub const ALL: [&'static Self; 3] = [&Self::DOCUMENTED, &Self::VAST, &Self::SANDBOX];

    /// The dialect with exactly this name: `documented`, `vast` or `sandbox`; `None` for any other.
    pub fn named(name: &str) -> Option<&'static Self> {
        Self::ALL.into_iter().find(|dialect| dialect.name == name)
    }

    /// The dialect's spelling of an operator: `nin` is `notin` for the public service.
    pub const fn operator(&self, operator: Operator) -> &'static str {
        match operator {
            Operator::Nin => self.not_in,
            exact => exact.name(),
        }
    }

    /// Whether a server of this dialect takes a filter on `field`: a documented one always, one of the public
    /// service only if the dialect has those, any other never. Filters not sent are applied to the response.
    pub const fn sends(&self, field: &Field) -> bool {
        match field.filter {
            Filter::Documented => true,
            Filter::Market => self.market_filters,
            Filter::Local | Filter::Never => false,
        }
    }

    /// The divisor of a value of `field` before it is sent.
    ///
    /// It is 86,400 for the `duration` of a network volume search in dialects that take days, 1 otherwise.
    pub fn divisor(&self, resource: Resource, field: &Field) -> f64 {
        if resource == Resource::Volumes && field.key == "duration" && self.volume_duration_days {
            86_400.0
        } else {
            1.0
        }
    }
}
