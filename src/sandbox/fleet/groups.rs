//! Workergroups: how the workers of an endpoint are found and scaled.

use jiff::Timestamp;
use serde::{Serialize, Serializer};

use super::super::USER;
use super::super::numbers::{since_midnight, whole};
use super::super::token::Token;
use super::workers::Worker;
use super::{Fleet, HIRING};
use crate::domain::workergroup::{MOST_GROUPS, MadeGroup};

/// The search for workers' machines if a workergroup has none.
const DEFAULT_SEARCH: &str = "verified=true rentable=true rented=false";

/// A workergroup as the listing shows it (specification, "Workergroup").
#[derive(Debug, Clone, Serialize)]
pub struct Workergroup {
    pub id: u64,
    /// Minimum load to keep capacity for.
    pub min_load: f64,
    /// Target utilisation, 0 to 1.
    pub target_util: f64,
    /// Cold capacity as a multiple of the active one.
    pub cold_mult: f64,
    /// Workers started to measure performance.
    pub test_workers: u64,
    /// Template of its workers, if it was created from one.
    pub template_hash: Option<String>,
    pub template_id: Option<u64>,
    /// The search that its workers' machines must match.
    pub search_query: String,
    /// Extra arguments for launching workers.
    pub launch_args: String,
    /// Minimum GPU memory in GB; whole unless it was created with a fraction.
    #[serde(serialize_with = "integral")]
    pub gpu_ram: f64,
    pub endpoint_name: String,
    pub endpoint_id: u64,
    /// A key of its own.
    pub api_key: Token,
    /// Creation time, ISO 8601.
    pub created_at: String,
    pub user_id: u64,
}

/// A workergroup to create. The default is the specification's.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    pub endpoint_name: Option<String>,
    pub endpoint_id: Option<u64>,
    pub template_hash: Option<String>,
    pub template_id: Option<u64>,
    pub search_params: Option<String>,
    pub launch_args: Option<String>,
    pub min_load: f64,
    pub target_util: f64,
    pub cold_mult: f64,
    pub cold_workers: u64,
    pub max_workers: u64,
    pub test_workers: u64,
    pub gpu_ram: f64,
}

impl Default for Draft {
    fn default() -> Self {
        Self {
            endpoint_name: None,
            endpoint_id: None,
            template_hash: None,
            template_id: None,
            search_params: None,
            launch_args: None,
            min_load: 1.0,
            target_util: 0.9,
            cold_mult: 3.0,
            cold_workers: 3,
            max_workers: 20,
            test_workers: 3,
            gpu_ram: 24.0,
        }
    }
}

/// Why a workergroup is not created.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CreateError {
    /// There is no endpoint with that id.
    #[error("Please assign your workergroup to a valid endpoint identifier")]
    UnknownEndpoint,
    #[error("at most {MOST_GROUPS} workergroups in a sandbox; delete one first")]
    TooManyGroups,
    #[error("at most {MOST_ENDPOINTS} endpoints in a sandbox")]
    TooManyEndpoints,
    /// More cold workers than workers.
    #[error("cold_workers must not be greater than max_workers")]
    ColdWorkers,
}

/// A workergroup and its internal state.
#[derive(Debug, Clone)]
pub struct Group {
    pub record: Workergroup,
    pub max_workers: u64,
    /// When it next looks for workers, in seconds since the fleet started.
    pub hires_at: Option<f64>,
    /// Whether a caller created it: such a group outlives the sandbox.
    pub is_made: bool,
}

impl Group {
    /// The maximum number of workers it hires.
    pub fn slots(&self) -> usize {
        usize::try_from(self.record.test_workers.min(self.max_workers)).unwrap_or(0)
    }

    /// The group to save, if a caller created it.
    fn made(&self) -> Option<MadeGroup> {
        let record = &self.record;
        self.is_made.then(|| MadeGroup {
            id: record.id,
            created_at: record.created_at.clone(),
            endpoint_name: record.endpoint_name.clone(),
            endpoint_id: record.endpoint_id,
            template_hash: record.template_hash.clone(),
            template_id: record.template_id,
            search_query: record.search_query.clone(),
            launch_args: record.launch_args.clone(),
            min_load: record.min_load,
            target_util: record.target_util,
            cold_mult: record.cold_mult,
            test_workers: record.test_workers,
            max_workers: self.max_workers,
            gpu_ram: record.gpu_ram,
        })
    }
}

// The most endpoints: deleting a workergroup leaves its endpoint.
const MOST_ENDPOINTS: usize = 1000;

/// The initial workergroups: endpoint, search, GPU memory in GB.
const FOUNDED: [(&str, &str, f64); 4] = [
    (
        "llama-70b",
        "gpu_name in [H100_SXM,H100_NVL] num_gpus=2 verified=true rentable=true rented=false",
        80.0,
    ),
    (
        "llama-70b",
        "gpu_name=A100_SXM4 gpu_ram>=80 num_gpus=4 verified=true rentable=true",
        80.0,
    ),
    (
        "sdxl",
        "gpu_name=RTX_4090 num_gpus=1 reliability>0.98 verified=true rentable=true rented=false",
        24.0,
    ),
    (
        "whisper-large",
        "gpu_ram>=12 dph_total<0.2 verified=true rentable=true rented=false",
        12.0,
    ),
];

impl Fleet {
    pub fn workergroups(&self) -> impl Iterator<Item = &Workergroup> {
        self.groups.iter().map(|group| &group.record)
    }

    /// Creates a workergroup and returns its id. An unknown endpoint name creates the endpoint too;
    /// without a name the endpoint is called after the group.
    pub fn create(&mut self, draft: Draft) -> Result<u64, CreateError> {
        if draft.cold_workers > draft.max_workers {
            return Err(CreateError::ColdWorkers);
        }
        if self.groups.iter().filter(|group| group.is_made).count() >= MOST_GROUPS {
            return Err(CreateError::TooManyGroups);
        }
        let known = match (draft.endpoint_id, &draft.endpoint_name) {
            (Some(id), _) => {
                let index = self.endpoints.iter().position(|known| known.id == id);
                Some(index.ok_or(CreateError::UnknownEndpoint)?)
            }
            (None, Some(name)) => self.endpoints.iter().position(|known| known.name == *name),
            (None, None) => None,
        };
        if known.is_none() {
            self.room_for_an_endpoint()?;
        }
        let id = self.take_id();
        let endpoint = known.unwrap_or_else(|| {
            let name = draft
                .endpoint_name
                .clone()
                .unwrap_or_else(|| format!("workergroup-{id}"));
            self.add_endpoint(&name, 0.0)
        });
        self.add(id, endpoint, draft, 0.0);
        if let Some(group) = self.groups.last_mut() {
            group.is_made = true;
        }
        Ok(id)
    }

    /// Restores a group of an earlier run. Its endpoint is created if there is none of that name,
    /// its workers are hired again, and if its id is taken it gets the next one.
    pub fn restore(&mut self, made: MadeGroup) {
        let known = self.endpoints.iter().position(|known| known.name == made.endpoint_name);
        let endpoint = known.unwrap_or_else(|| {
            let created: Option<Timestamp> = made.created_at.parse().ok();
            let age = created.map_or(0.0, |at| self.now() - at.as_duration().as_secs_f64());
            let endpoint = self.add_endpoint(&made.endpoint_name, age.max(0.0));
            if self.is_free(made.endpoint_id) {
                self.endpoints[endpoint].id = made.endpoint_id;
            }
            endpoint
        });
        let id = if self.is_free(made.id) { made.id } else { self.take_id() };
        self.next_id = self.next_id.max(id).max(made.endpoint_id);
        let draft = Draft {
            template_hash: made.template_hash,
            template_id: made.template_id,
            search_params: Some(made.search_query),
            launch_args: Some(made.launch_args),
            min_load: made.min_load,
            target_util: made.target_util,
            cold_mult: made.cold_mult,
            max_workers: made.max_workers,
            test_workers: made.test_workers,
            gpu_ram: made.gpu_ram,
            ..Draft::default()
        };
        self.add(id, endpoint, draft, 0.0);
        if let Some(group) = self.groups.last_mut() {
            group.record.created_at = made.created_at;
            group.is_made = true;
        }
    }

    fn is_free(&self, id: u64) -> bool {
        self.groups.iter().all(|group| group.record.id != id) && self.endpoints.iter().all(|endpoint| endpoint.id != id)
    }

    /// The group to save, if a caller created it.
    pub fn made(&self, group: u64) -> Option<MadeGroup> {
        let known = self.groups.iter().find(|known| known.record.id == group);
        known.and_then(Group::made)
    }

    /// Returns the id of the endpoint of that name, creating it if needed.
    pub fn create_endpoint(&mut self, name: &str) -> Result<u64, CreateError> {
        let known = self.endpoints.iter().position(|known| known.name == name);
        let index = if let Some(index) = known {
            index
        } else {
            self.room_for_an_endpoint()?;
            self.add_endpoint(name, 0.0)
        };
        Ok(self.endpoints[index].id)
    }

    fn room_for_an_endpoint(&self) -> Result<(), CreateError> {
        if self.endpoints.len() < MOST_ENDPOINTS {
            Ok(())
        } else {
            Err(CreateError::TooManyEndpoints)
        }
    }

    /// Deletes a workergroup and its workers; false if it does not exist.
    pub fn delete(&mut self, group: u64) -> bool {
        let before = self.groups.len();
        self.groups.retain(|known| known.record.id != group);
        for endpoint in &mut self.endpoints {
            endpoint.workers.retain(|worker| worker.group != group);
        }
        self.groups.len() < before
    }

    /// Applies `change` to a workergroup; false if it does not exist.
    pub fn update(&mut self, group: u64, change: impl FnOnce(&mut Workergroup)) -> bool {
        let known = self.groups.iter_mut().find(|known| known.record.id == group);
        known.map(|known| change(&mut known.record)).is_some()
    }

    fn add(&mut self, id: u64, endpoint: usize, draft: Draft, age: f64) {
        let api_key = self.token();
        let created_at = iso(self.now() - age);
        let endpoint = &self.endpoints[endpoint];
        self.groups.push(Group {
            max_workers: draft.max_workers,
            hires_at: Some(self.elapsed + HIRING),
            is_made: false,
            record: Workergroup {
                id,
                min_load: draft.min_load,
                target_util: draft.target_util,
                cold_mult: draft.cold_mult,
                test_workers: draft.test_workers,
                template_hash: draft.template_hash,
                template_id: draft.template_id,
                search_query: draft.search_params.unwrap_or_else(|| DEFAULT_SEARCH.to_owned()),
                launch_args: draft.launch_args.unwrap_or_default(),
                gpu_ram: draft.gpu_ram,
                endpoint_name: endpoint.name.clone(),
                endpoint_id: endpoint.id,
                api_key,
                created_at,
                user_id: USER,
            },
        });
    }

    /// The groups and workers of an initial endpoint.
    pub(super) fn add_groups(&mut self, endpoint: usize, ready: usize, stopped: usize) {
        let name = self.endpoints[endpoint].name.clone();
        let mut groups = Vec::new();
        for (serial, (_, search, gpu_ram)) in FOUNDED.iter().enumerate().filter(|(_, (known, ..))| *known == name) {
            let id = self.take_id();
            let draft = Draft {
                template_hash: Some(format!("{:032x}", 0x5eed_0000_0000_0001_u128 * u128::from(id + 7))),
                template_id: Some(70_000 + id),
                search_params: Some((*search).to_owned()),
                launch_args: Some(format!("--image sandbox/{name}:latest --disk 64")),
                gpu_ram: *gpu_ram,
                ..Draft::default()
            };
            let age = 3_600.0 * 31.0 * super::float(serial as u64 + 1);
            self.add(id, endpoint, draft, age + since_midnight(self.start));
            if let Some(group) = self.groups.last_mut() {
                group.hires_at = None;
            }
            groups.push(id);
        }
        for serial in 0..ready + stopped {
            let group = groups.get(serial % groups.len().max(1)).copied().unwrap_or(0);
            let worker: Worker = self.hire(group, &format!("198.19.{endpoint}.{}", 10 + serial));
            let worker = if serial < ready { worker.ready() } else { worker };
            self.endpoints[endpoint].workers.push(worker);
        }
    }
}

/// A time (seconds since 1970) as ISO 8601, to the second.
fn iso(epoch: f64) -> String {
    Timestamp::from_second(whole(epoch))
        .map(|moment| moment.to_string())
        .unwrap_or_default()
}

/// Writes a whole number without a fraction, as in the specification.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn integral<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    if value.fract() == 0.0 {
        serializer.serialize_i64(whole(*value))
    } else {
        serializer.serialize_f64(*value)
    }
}
