//! Groupings of rows, and the names of groups.

use crate::app::browser::Browser;
use crate::domain::cost::{Prices, VolumePrices};
use crate::domain::insight::{Group, GroupValue, Measures};
use crate::domain::{Field, Listing, Resource, format};

/// The fields whose values define a group.
#[derive(Debug, Clone, Copy)]
pub(super) struct Grouping {
    /// The name of its tab.
    pub name: &'static str,
    keys: &'static [&'static str],
}

const fn by(name: &'static str, keys: &'static [&'static str]) -> Grouping {
    Grouping { name, keys }
}

const OFFERS: &[Grouping] = &[
    by("GPU", &["gpu_name"]),
    by("GPUs per offer", &["num_gpus"]),
    by("GPU and count", &["gpu_name", "num_gpus"]),
    by("Country", &["geolocation"]),
    by("Host", &["host_id"]),
    by("Hosting", &["datacenter"]),
];

const VOLUMES: &[Grouping] = &[
    by("Country", &["geolocation"]),
    by("Cluster", &["cluster_id"]),
    by("Host", &["host_id"]),
    by("Verification", &["verified"]),
];

/// The groupings of a resource.
pub(super) const fn groupings(resource: Resource) -> &'static [Grouping] {
    match resource {
        Resource::Volumes => VOLUMES,
        Resource::Offers | Resource::Workergroups => OFFERS,
    }
}

/// The groupings in the market panel: never by host, of which there are many.
pub(super) const fn overview(resource: Resource) -> &'static [Grouping] {
    const OFFERS: &[Grouping] = &[
        by("GPU", &["gpu_name"]),
        by("Country", &["geolocation"]),
        by("Hosting", &["datacenter"]),
    ];
    const VOLUMES: &[Grouping] = &[
        by("Country", &["geolocation"]),
        by("Verification", &["verified"]),
    ];
    match resource {
        Resource::Offers => OFFERS,
        Resource::Volumes => VOLUMES,
        Resource::Workergroups => &[],
    }
}

impl Grouping {
    pub fn fields(self, resource: Resource) -> Vec<&'static Field> {
        let keys = self.keys.iter();
        keys.filter_map(|key| resource.catalog().by_key(key))
            .collect()
    }
}

/// A group with its name.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Line {
    pub label: String,
    pub group: Group,
}

impl Line {
    pub fn new(group: Group, fields: &[&'static Field]) -> Self {
        let parts = group.key.iter().zip(fields);
        let parts: Vec<String> = parts.map(|(value, field)| name(value, field)).collect();
        Self {
            label: parts.join(" "),
            group,
        }
    }
}

pub(super) fn name(value: &GroupValue, field: &Field) -> String {
    match (value, field.key) {
        (GroupValue::Blank, _) => format::NONE.to_owned(),
        (GroupValue::Flag(true), "datacenter") => "Datacenter".to_owned(),
        (GroupValue::Flag(false), "datacenter") => "Private host".to_owned(),
        (GroupValue::Flag(true), "verified") => "Verified".to_owned(),
        (GroupValue::Flag(false), "verified") => "Not verified".to_owned(),
        (GroupValue::Flag(flag), _) => format::yes_no(*flag).to_owned(),
        (GroupValue::Number(number), "num_gpus") => {
            format!("{}×", format::number(field, *number))
        }
        (GroupValue::Number(number), _) => format::number(field, *number),
        (GroupValue::Text(text), _) => text.screen(40),
    }
}

/// Measures the rows of a browser by its price basis.
pub(in crate::views) fn measured<R>(
    browser: &Browser,
    listing: &Listing,
    measure: impl FnOnce(&Measures<'_>) -> R,
) -> R {
    let pricing = browser.pricing();
    match browser.resource() {
        Resource::Volumes => measure(&Measures::volumes(listing, &VolumePrices::new(listing))),
        Resource::Offers | Resource::Workergroups => {
            let prices = Prices::new(listing, pricing.model);
            let is_choice = |row| !browser.computed.is_unfit(row);
            measure(&Measures::priced(&prices, pricing, is_choice))
        }
    }
}
