//! The settings in plain words, in addition to conditions: price model, storage, order and job.

use std::fmt;

use crate::cost::JobWords;
use crate::format::{gigabytes, trimmed};
use crate::insight::plan::Same;
use crate::query::Direction;
use crate::throughput::WorkUnit;
use crate::{Catalog, OfferType, OrderKey, language};

/// The settings of a search that words change.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Settings {
    pub offer_type: Option<OfferType>,
    /// Storage in GB that prices include.
    pub storage: Option<f64>,
    pub order: Option<Vec<OrderKey>>,
    pub job: JobWords,
    /// The maximum number of rows.
    pub limit: Option<u32>,
    /// A cluster for the planner.
    pub cluster: Option<Cluster>,
    /// The work that one GPU does each second.
    pub rate: Option<(WorkUnit, f64)>,
}

/// The size of a cluster: GPUs on several machines, for the planner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cluster {
    /// The number of GPUs in all.
    pub gpus: u32,
    pub least_machines: Option<u32>,
    pub most_machines: Option<u32>,
    /// The minimum number of GPUs on each machine.
    pub per_machine: Option<u32>,
    /// The place that the machines share.
    pub same: Option<Same>,
}

impl Cluster {
    /// Exactly `machines` machines with at least `gpus_each` GPUs each.
    pub(super) const fn of_shape(machines: u32, gpus_each: u32) -> Self {
        Self {
            gpus: machines.saturating_mul(gpus_each),
            least_machines: Some(machines),
            most_machines: Some(machines),
            per_machine: Some(gpus_each),
            same: None,
        }
    }

    /// The same cluster as flags of `bourse plan`: `--gpus 24 --min-machines 3 --same country`.
    pub fn flags(&self) -> String {
        let number = |flag: &str, number: Option<u32>| Some(format!("--{flag} {}", number?));
        let flags = match (self.per_machine, self.most_machines) {
            (Some(gpus), Some(machines)) => vec![Some(format!("--shape {machines}x{gpus}"))],
            _ => vec![
                number("gpus", Some(self.gpus)),
                number("min-machines", self.least_machines),
                number("machines", self.most_machines),
                number("per-machine", self.per_machine),
            ],
        };
        let same = self.same.map(|same| format!("--same {}", same.name()));
        let flags: Vec<String> = flags.into_iter().chain([same]).flatten().collect();
        flags.join(" ")
    }
}

/// The cluster as words: `2 machines of 8 GPUs`, `24 GPUs on at least 3 machines in one country`.
impl fmt::Display for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.per_machine, self.most_machines) {
            (Some(gpus), Some(machines)) => write!(f, "{machines} machines of {gpus} GPUs")?,
            _ => write!(f, "{} GPUs", self.gpus)?,
        }
        match (self.least_machines, self.most_machines) {
            (Some(least), Some(most)) if least == most && self.per_machine.is_some() => {}
            (Some(least), Some(most)) if least == most => write!(f, " on {least} machines")?,
            (Some(least), _) => write!(f, " on at least {least} machines")?,
            (None, Some(most)) => write!(f, " on at most {most} machines")?,
            (None, None) => {}
        }
        self.same.map_or(Ok(()), |same| write!(f, " in one {}", same.name()))
    }
}

impl Settings {
    /// Overlays the settings of another phrase: each one that `last` sets replaces the old one.
    pub(super) fn add(&mut self, last: &Self) {
        self.offer_type = last.offer_type.or(self.offer_type);
        self.storage = last.storage.or(self.storage);
        self.order = last.order.clone().or(self.order.take());
        self.limit = last.limit.or(self.limit);
        self.cluster = last.cluster.or(self.cluster);
        self.rate = last.rate.or(self.rate);
        self.job.overlay(&last.job);
    }

    /// Completes the settings once all are known; does nothing without a job or its cost. The job's disk
    /// becomes the storage, if any. An order by price becomes one by the job's bill, and so does one by value
    /// for money without work.
    pub(super) fn settle(&mut self, catalog: &'static Catalog) {
        let Some(bill) = catalog.named("job_cost").filter(|_| self.job.is_job()) else {
            return;
        };
        self.job.disk_gb = self.storage;
        for key in self.order.iter_mut().flatten() {
            match (key.field.key, key.direction) {
                ("dph_total", _) => key.field = bill,
                // A faster offer does not finish a job of fixed length sooner: its best value is the lowest bill.
                ("dlperf_per_dphtotal", Direction::Descending) if self.job.work.is_none() => {
                    (key.field, key.direction) = (bill, Direction::Ascending);
                }
                _ => {}
            }
        }
    }

    /// Whether both set the same setting, also of the job, to different values.
    pub(super) fn contradicts(&self, other: &Self) -> bool {
        let added = |first: &Self, last: &Self| {
            let mut sum = first.clone();
            sum.add(last);
            sum
        };
        added(self, other) != added(other, self)
    }

    /// Plain words that set the same settings again, except for the storage: `bid`, `cheapest`, `first 20`.
    pub(super) fn written(&self) -> Vec<String> {
        let printed = self.order.as_deref().map(language::print_order);
        let order = printed.map(|order| match &*order {
            "score-" => "best".to_owned(),
            "dph_total" => "cheapest".to_owned(),
            other => format!("sort by {other}"),
        });
        let rest = Self {
            order: None,
            storage: None,
            ..self.clone()
        };
        rest.texts().into_iter().chain(order).collect()
    }

    /// One text for each setting that is set: `bid`, `job 3d, 200 GB disk`, `sort dph_total`. The storage is
    /// one only without a job.
    pub fn texts(&self) -> Vec<String> {
        let offer_type = self.offer_type.map(|model| model.wire().to_owned());
        let job = self.job.is_job().then(|| format!("job {}", self.job.brief()));
        let gb = self.storage.filter(|_| job.is_none());
        let storage = gb.map(|gb| format!("{} disk", gigabytes(gb)));
        let keys = self.order.as_ref();
        let order = keys.map(|order| format!("sort {}", language::print_order(order)));
        let limit = self.limit.map(|rows| format!("first {rows}"));
        let cluster = self.cluster.map(|cluster| cluster.to_string());
        let rate = self
            .rate
            .map(|(unit, rate)| format!("{} {}", trimmed(rate, 9), unit.rate()));
        let texts = [cluster, offer_type, storage, job, rate, order, limit];
        texts.into_iter().flatten().collect()
    }
}
