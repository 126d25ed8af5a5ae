//! Workergroups: the hiring and scaling of an endpoint's workers.

use bourse_domain::query::number_json;
use bourse_domain::workergroup::{MOST_GROUPS, MadeGroup};
use jiff::Timestamp;
use serde_json::{Value as Json, json};

use super::super::USER;
use super::super::numbers::{since_midnight, whole};
use super::super::token::Token;
use super::workers::Worker;
use super::{Fleet, HIRING};

/// A workergroup with the specification's defaults: no endpoint, and no id yet.
pub fn default_group() -> MadeGroup {
    MadeGroup {
        id: 0,
        created_at: String::new(),
        endpoint_name: String::new(),
        endpoint_id: 0,
        template_hash: None,
        template_id: None,
        search_query: "verified=true rentable=true rented=false".to_owned(),
        launch_args: String::new(),
        min_load: 1.0,
        target_util: 0.9,
        cold_mult: 3.0,
        test_workers: 3,
        max_workers: 20,
        gpu_ram: 24.0,
    }
}

/// The endpoint of a new workergroup: by its id, else by a name, else one named after the group.
#[derive(Debug, Default)]
pub struct Place {
    /// The id of an existing endpoint.
    pub endpoint_id: Option<u64>,
    /// The name of an endpoint, which is created if there is none.
    pub endpoint_name: Option<String>,
}

/// The reason a workergroup is not created.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CreateError {
    /// There is no endpoint with that id.
    #[error("Please assign your workergroup to a valid endpoint identifier")]
    UnknownEndpoint,
    /// The caller has the maximum number of workergroups.
    #[error("at most {MOST_GROUPS} workergroups in a sandbox; delete one first")]
    TooManyGroups,
    /// The sandbox has the maximum number of endpoints.
    #[error("at most {MOST_ENDPOINTS} endpoints in a sandbox")]
    TooManyEndpoints,
}

/// A workergroup and its internal state.
#[derive(Debug, Clone)]
pub struct Group {
    pub record: MadeGroup,
    /// The group's own key.
    pub api_key: Token,
    /// The time of its next search for workers, in seconds since the fleet started; `None` if it needs none.
    pub hires_at: Option<f64>,
    /// Whether a caller created it: such a group outlives the sandbox.
    is_made: bool,
}

impl Group {
    /// The maximum number of workers that the workergroup hires: the smaller of its test workers and its
    /// maximum.
    pub fn slots(&self) -> usize {
        usize::try_from(self.record.test_workers.min(self.record.max_workers)).unwrap_or(0)
    }

    /// The group as a record of the listing (specification, "Workergroup").
    ///
    /// The memory is whole unless it was created with a fraction.
    fn listed(&self) -> Json {
        let record = &self.record;
        json!({
            "id": record.id,
            "min_load": record.min_load,
            "target_util": record.target_util,
            "cold_mult": record.cold_mult,
            "test_workers": record.test_workers,
            "template_hash": record.template_hash,
            "template_id": record.template_id,
            "search_query": record.search_query,
            "launch_args": record.launch_args,
            "gpu_ram": number_json(record.gpu_ram),
            "endpoint_name": record.endpoint_name,
            "endpoint_id": record.endpoint_id,
            "api_key": self.api_key.expose(),
            "created_at": record.created_at,
            "user_id": USER,
        })
    }
}

// The maximum number of endpoints: deleting a workergroup leaves its endpoint.
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
    /// The groups as records of the listing.
    pub fn workergroups(&self) -> impl Iterator<Item = Json> {
        self.groups.iter().map(Group::listed)
    }

    /// Creates a workergroup and returns its id. Its endpoint is that with the id in `place`, else that with
    /// the name, which is created if there is none; without either, one named after the group is created. An
    /// error if the id is unknown, or there is no room for another group of callers or for a needed endpoint.
    pub fn create(&mut self, mut record: MadeGroup, place: Place) -> Result<u64, CreateError> {
        if self.groups.iter().filter(|group| group.is_made).count() >= MOST_GROUPS {
            return Err(CreateError::TooManyGroups);
        }
        let known = match (place.endpoint_id, &place.endpoint_name) {
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
        let named = place.endpoint_name;
        let endpoint = known.unwrap_or_else(|| {
            let name = named.unwrap_or_else(|| format!("workergroup-{id}"));
            self.add_endpoint(&name, 0.0)
        });
        record.id = id;
        record.created_at = iso(self.now());
        self.add(record, endpoint, true);
        Ok(id)
    }

    /// Restores a group of an earlier run, whatever the number of groups and endpoints.
    ///
    /// Its endpoint is created if there is none with its name, with its old id if that is free; its workers
    /// are hired again, and if its own id is taken it gets the next one.
    pub fn restore(&mut self, mut record: MadeGroup) {
        let known = self
            .endpoints
            .iter()
            .position(|known| known.name == record.endpoint_name);
        let endpoint = known.unwrap_or_else(|| {
            let created: Option<Timestamp> = record.created_at.parse().ok();
            let age = created.map_or(0.0, |at| self.now() - at.as_duration().as_secs_f64());
            let endpoint = self.add_endpoint(&record.endpoint_name, age.max(0.0));
            if self.is_free(record.endpoint_id) {
                self.endpoints[endpoint].id = record.endpoint_id;
            }
            endpoint
        });
        if !self.is_free(record.id) {
            record.id = self.take_id();
        }
        self.next_id = self.next_id.max(record.id).max(record.endpoint_id);
        self.add(record, endpoint, true);
    }

    /// Whether neither an endpoint nor a workergroup has this id.
    fn is_free(&self, id: u64) -> bool {
        self.groups.iter().all(|group| group.record.id != id) && self.endpoints.iter().all(|endpoint| endpoint.id != id)
    }

    /// The group to save; `None` unless a caller created it.
    pub fn made_group(&self, group: u64) -> Option<MadeGroup> {
        let known = self.groups.iter().find(|known| known.record.id == group)?;
        known.is_made.then(|| known.record.clone())
    }

    /// The id of the endpoint with a name, which is created if there is none; an error if the fleet has no
    /// room for it.
    pub fn create_endpoint(&mut self, name: &str) -> Result<u64, CreateError> {
        if let Some(known) = self.endpoints.iter().find(|known| known.name == name) {
            return Ok(known.id);
        }
        self.room_for_an_endpoint()?;
        let index = self.add_endpoint(name, 0.0);
        Ok(self.endpoints[index].id)
    }

    /// An error if the fleet has the maximum number of endpoints.
    fn room_for_an_endpoint(&self) -> Result<(), CreateError> {
        let has_room = self.endpoints.len() < MOST_ENDPOINTS;
        has_room.then_some(()).ok_or(CreateError::TooManyEndpoints)
    }

    /// Deletes a workergroup and its workers, but not its endpoint; false if it does not exist.
    pub fn delete(&mut self, group: u64) -> bool {
        let before = self.groups.len();
        self.groups.retain(|known| known.record.id != group);
        for endpoint in &mut self.endpoints {
            endpoint.workers.retain(|worker| worker.group != group);
        }
        self.groups.len() < before
    }

    /// The settings of a workergroup, for changes; `None` if it does not exist.
    pub fn settings(&mut self, group: u64) -> Option<&mut MadeGroup> {
        let known = self.groups.iter_mut().find(|known| known.record.id == group);
        known.map(|known| &mut known.record)
    }

    /// Adds a group to the endpoint with an index, and gives it a key; one that a caller made looks for
    /// workers soon.
    fn add(&mut self, mut record: MadeGroup, endpoint: usize, is_made: bool) {
        let api_key = self.token();
        let endpoint = &self.endpoints[endpoint];
        record.endpoint_name.clone_from(&endpoint.name);
        record.endpoint_id = endpoint.id;
        self.groups.push(Group {
            record,
            api_key,
            hires_at: is_made.then_some(self.elapsed + HIRING),
            is_made,
        });
    }

    /// Adds the groups of an initial endpoint, given by its index, and this number of ready and stopped
    /// workers, distributed evenly over the groups.
    pub(super) fn add_groups(&mut self, endpoint: usize, ready: usize, stopped: usize) {
        let name = self.endpoints[endpoint].name.clone();
        let mut groups = Vec::new();
        for (serial, (_, search, gpu_ram)) in FOUNDED.iter().enumerate().filter(|(_, (known, ..))| *known == name) {
            let id = self.take_id();
            let age = 3_600.0 * 31.0 * super::float(serial as u64 + 1) + since_midnight(self.start);
            let record = MadeGroup {
                id,
                created_at: iso(self.now() - age),
                template_hash: Some(format!("{:032x}", 0x5eed_0000_0000_0001_u128 * u128::from(id + 7))),
                template_id: Some(70_000 + id),
                search_query: (*search).to_owned(),
                launch_args: format!("--image sandbox/{name}:latest --disk 64"),
                gpu_ram: *gpu_ram,
                ..default_group()
            };
            self.add(record, endpoint, false);
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

/// Formats a time (seconds since 1970) as ISO 8601, to the second.
fn iso(epoch: f64) -> String {
    Timestamp::from_second(whole(epoch))
        .map(|moment| moment.to_string())
        .unwrap_or_default()
}
