//! Workergroups: their parameters, expected supply and cost, and the results of creating one.
//!
//! [`PARAMETERS`] is the one table of the thirteen parameters; a [`Draft`] holds the texts of its form and becomes a
//! [`NewWorkergroup`] if it is valid. [`Preflight`] is the supply and cost of a search, [`changes_between`] the changes
//! since a listing was last seen, and [`candidates`] are the groups that may result from an unconfirmed creation.

use serde::{Deserialize, Serialize, Serializer};

use super::query::number_json;
use super::secrets::REMOVED;

mod draft;
mod launch;
mod made;
mod parameters;
mod preflight;
mod reconcile;
mod search;
mod snapshot;
mod worst_case;

pub use super::objection::Objection;
pub use draft::Draft;
pub use launch::{DiskError, parse_disk_gb};
pub use made::{GroupChange, MOST_GROUPS, MadeGroup, MadeGroups};
pub use parameters::{Key, PARAMETERS, Parameter, ParameterKind};
pub use preflight::{HostShare, Part, Preflight, Recruitment, VramCheck, WorkerCost, WorkerOffer, WorkerPrices};
pub use reconcile::candidates;
pub use search::{SearchText, group_search, search_query_text};
pub use snapshot::{Change, ChangeKind, GroupSnapshot, changes_between};
pub use worst_case::{CostOutlook, UnknownCost, WorkerCounts, WorstCase, price_limit};

/// The default maximum number of workers of a group (specification, "Create workergroup").
pub const DEFAULT_MAX_WORKERS: u32 = 20;
/// The default number of cold workers.
pub const DEFAULT_COLD_WORKERS: u32 = 3;
/// The default number of test workers.
pub const DEFAULT_TEST_WORKERS: u32 = 3;
/// The number from which a memory size must be in MB.
///
/// No card has 2 TB, so a larger number can only be the megabytes that records use (24 GB = 24564).
const SURELY_MEGABYTES: u32 = 2048;

/// The body of `POST /api/v0/workergroups/`. A member is sent if and only if it is `Some`. A valid
/// [`Draft`] builds one.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NewWorkergroup {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoint_name: Option<String>,
    /// Id of an existing endpoint; alternative to the name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoint_id: Option<i64>,
    /// Hash of the template for workers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template_hash: Option<String>,
    /// Id of the template; alternative to the hash.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template_id: Option<i64>,
    /// Search that finds machines, in the query language; alternative to a template.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub search_params: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub launch_args: Option<String>,
    /// Minimum load for scaling; default 1.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "short")]
    pub min_load: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "short")]
    pub target_util: Option<f64>,
    /// Cold start multiplier; default 3.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "short")]
    pub cold_mult: Option<f64>,
    /// Stopped workers kept for quick starts; the market's default is 3.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cold_workers: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_workers: Option<u32>,
    /// Workers started to measure performance; default 3.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test_workers: Option<u32>,
    /// Minimum GPU memory in GB; default 24.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gpu_ram: Option<u32>,
}

/// Serializes whole numbers without a fraction, as everywhere in bourse. Serde requires the reference.
#[expect(clippy::ref_option)]
fn short<S: Serializer>(number: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    number.map(number_json).serialize(serializer)
}

impl NewWorkergroup {
    /// The validation errors of the parameters; empty if the request can be sent.
    pub fn check(&self) -> Vec<Objection> {
        let mut objections = Vec::new();
        let mut object = |key: Key, message: &str| objections.push(Objection::new(key.wire(), message.to_owned()));
        match (&self.endpoint_name, self.endpoint_id) {
            (None, None) => object(Key::EndpointName, "enter the endpoint's name or id"),
            (Some(_), Some(_)) => {
                object(Key::EndpointId, "enter the endpoint's name or id, not both");
            }
            (Some(name), None) if name.trim().is_empty() => {
                object(Key::EndpointName, "the endpoint's name is blank");
            }
            _ => {}
        }
        for (key, text) in [
            (Key::EndpointName, &self.endpoint_name),
            (Key::TemplateHash, &self.template_hash),
            (Key::SearchParams, &self.search_params),
            (Key::LaunchArgs, &self.launch_args),
        ] {
            if text.as_ref().is_some_and(|text| text.contains(REMOVED)) {
                object(key, &format!("{REMOVED} replaces a secret: enter another value"));
            }
        }
        if self.template_hash.is_some() && self.template_id.is_some() {
            object(Key::TemplateId, "enter the template's hash or id, not both");
        }
        for (key, value) in [(Key::MinLoad, self.min_load), (Key::ColdMult, self.cold_mult)] {
            if value.is_some_and(|value| !value.is_finite() || value < 0.0) {
                object(key, "must be 0 or more");
            }
        }
        if self
            .target_util
            .is_some_and(|value| !value.is_finite() || value <= 0.0 || value > 1.0)
        {
            object(Key::TargetUtil, "must be above 0 and at most 1");
        }
        if self.max_workers == Some(0) {
            object(Key::MaxWorkers, "must be at least 1");
        }
        let most = self.max_workers.unwrap_or(DEFAULT_MAX_WORKERS);
        if most > 0 && self.cold_workers.is_some_and(|cold| cold > most) {
            object(
                Key::ColdWorkers,
                &format!("cannot be more than max_workers, which is {most}"),
            );
        }
        if self.gpu_ram.is_some_and(|size| size >= SURELY_MEGABYTES) {
            object(Key::GpuRam, "is in GB here: write 24, not 24000");
        }
        objections
    }

    /// The request without its launch arguments, which may hold passwords, so that they are not stored.
    #[must_use]
    pub fn without_launch_args(&self) -> Self {
        Self {
            launch_args: None,
            ..self.clone()
        }
    }

    /// The endpoint as text for the journal: `endpoint NAME`, else `endpoint ID`, else `no endpoint`.
    pub fn subject(&self) -> String {
        match (&self.endpoint_name, self.endpoint_id) {
            (Some(name), _) => format!("endpoint {name}"),
            (None, Some(id)) => format!("endpoint {id}"),
            (None, None) => "no endpoint".to_owned(),
        }
    }

    /// The JSON body of the request; parameters that are not set are left out.
    pub fn body(&self) -> String {
        // A struct of plain members always serializes.
        serde_json::to_string(self).unwrap_or_default()
    }
}
