//! Groupings of rows, and the names of groups.

use crate::domain::insight::{Group, GroupValue};
use crate::domain::{Field, Resource, format};

/// A grouping by the values of fields.
#[derive(Debug, Clone, Copy)]
pub(super) struct Grouping {
    /// The name of its tab.
    pub name: &'static str,
    keys: &'static [&'static str],
}

/// A grouping: the name of its tab, and the keys of its fields.
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

/// The groupings of a resource, in the order of their tabs.
pub(super) const fn groupings(resource: Resource) -> &'static [Grouping] {
    match resource {
        Resource::Volumes => VOLUMES,
        Resource::Offers | Resource::Workergroups => OFFERS,
    }
}

impl Grouping {
    /// The fields of the grouping in the resource's catalog, in order.
    pub fn fields(self, resource: Resource) -> Vec<&'static Field> {
        let keys = self.keys.iter();
        keys.filter_map(|key| resource.catalog().by_key(key)).collect()
    }
}

/// A group with its name.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Line {
    pub label: String,
    pub group: Group,
}

impl Line {
    /// The group, labeled with the values of `fields` joined by a blank.
    pub fn new(group: Group, fields: &[&'static Field]) -> Self {
        let parts = group.key.iter().zip(fields);
        let parts: Vec<String> = parts.map(|(value, field)| name(value, field)).collect();
        Self {
            label: parts.join(" "),
            group,
        }
    }
}

/// The value of a group as text: a dash for none, words for a flag, and `8×` for a number of GPUs.
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
