//! Creating a workergroup: the thirteen parameters of the specification and a draft that is valid
//! once it is built.

use serde::Serialize;

/// What `POST /api/v0/workergroups/` is asked to create. A member is sent exactly when it is
/// `Some`. Build one with [`NewWorkergroup::check`] before sending.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct NewWorkergroup {
    /// Name of the endpoint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoint_name: Option<String>,
    /// Number of an existing endpoint; alternative to the name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoint_id: Option<i64>,
    /// Hash of the template for workers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template_hash: Option<String>,
    /// Number of the template; alternative to the hash.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template_id: Option<i64>,
    /// Search that finds machines, in the query language; alternative to a template.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub search_params: Option<String>,
    /// Extra arguments for launching.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub launch_args: Option<String>,
    /// Least load for scaling; default 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_load: Option<f64>,
    /// Target utilisation; default 0.9.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_util: Option<f64>,
    /// Cold start multiplier; default 3.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cold_mult: Option<f64>,
    /// Workers kept cold; default 3.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cold_workers: Option<u32>,
    /// Most workers; default 20.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_workers: Option<u32>,
    /// Workers started to measure; default 3.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test_workers: Option<u32>,
    /// Least GPU memory in GB; default 24.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gpu_ram: Option<u32>,
}

/// A parameter of [`NewWorkergroup`] and what is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Objection {
    /// The parameter on the wire.
    pub parameter: &'static str,
    /// What to do, in words.
    pub message: &'static str,
}

impl NewWorkergroup {
    /// What stands against sending the draft; empty when nothing does.
    pub fn check(&self) -> Vec<Objection> {
        let mut found = Vec::new();
        let mut object = |parameter, message| found.push(Objection { parameter, message });
        match (&self.endpoint_name, self.endpoint_id) {
            (None, None) => object("endpoint_name", "name the endpoint, or give its number"),
            (Some(_), Some(_)) => {
                object(
                    "endpoint_id",
                    "give the endpoint's name or its number, not both",
                );
            }
            (Some(name), None) if name.trim().is_empty() => {
                object("endpoint_name", "the endpoint's name is blank");
            }
            _ => {}
        }
        if self.template_hash.is_some() && self.template_id.is_some() {
            object(
                "template_id",
                "give the template's hash or its number, not both",
            );
        }
        for (parameter, value) in [("min_load", self.min_load), ("cold_mult", self.cold_mult)] {
            if value.is_some_and(|value| !value.is_finite() || value < 0.0) {
                object(parameter, "must be a number that is not negative");
            }
        }
        if self
            .target_util
            .is_some_and(|value| !value.is_finite() || value <= 0.0 || value > 1.0)
        {
            object("target_util", "must be above 0 and at most 1");
        }
        if let (Some(cold), most) = (self.cold_workers, self.max_workers.unwrap_or(20))
            && cold > most
        {
            object("cold_workers", "cannot be more than max_workers");
        }
        found
    }
}
