//! What phrases set beside conditions: price model, storage, order and job.

use crate::domain::format::{gigabytes, trimmed};
use crate::domain::{Catalog, OfferType, OrderKey, cost::Job, language, query::DEFAULT_STORAGE_GB};

/// What words say of a job.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct JobWords {
    /// Hours that the instance runs.
    pub hours: Option<f64>,
    pub disk_gb: Option<f64>,
    /// GB downloaded.
    pub gb_in: Option<f64>,
    /// GB uploaded.
    pub gb_out: Option<f64>,
}

impl JobWords {
    /// Whether they describe a job: a disk alone does not.
    pub fn is_job(&self) -> bool {
        self.hours.or(self.gb_in).or(self.gb_out).is_some()
    }

    /// The job that they describe. What they leave out stays as in `current`; without one there is
    /// no traffic, the disk is `storage` in GB, and the job runs for a day.
    pub fn over(&self, current: Option<Job>, storage: Option<f64>) -> Job {
        let current = current.unwrap_or_else(|| Job {
            disk_gb: storage.unwrap_or(DEFAULT_STORAGE_GB),
            gb_in: 0.0,
            gb_out: 0.0,
            ..Job::default()
        });
        Job {
            run_hours: self.hours.unwrap_or(current.run_hours),
            disk_gb: self.disk_gb.unwrap_or(current.disk_gb),
            gb_in: self.gb_in.unwrap_or(current.gb_in),
            gb_out: self.gb_out.unwrap_or(current.gb_out),
            // Hours replace an amount of work.
            work_dlperf_hours: current.work_dlperf_hours.filter(|_| self.hours.is_none()),
            ..current
        }
    }

    /// The job in a few words: `3d, 200 GB disk, 300 GB down`.
    fn brief(&self) -> String {
        let length = self.hours.map(|hours| match hours % 24.0 {
            0.0 => format!("{}d", trimmed(hours / 24.0, 0)),
            _ => format!("{}h", trimmed(hours, 2)),
        });
        let sizes = [(self.disk_gb, "disk"), (self.gb_in, "down"), (self.gb_out, "up")];
        let sizes = sizes.map(|(gb, noun)| gb.map(|gb| format!("{} {noun}", gigabytes(gb))));
        let parts: Vec<_> = length.into_iter().chain(sizes.into_iter().flatten()).collect();
        parts.join(", ")
    }
}

/// What words say besides conditions.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Settings {
    pub offer_type: Option<OfferType>,
    /// GB of disk that prices include.
    pub storage: Option<f64>,
    pub order: Option<Vec<OrderKey>>,
    pub job: JobWords,
    /// How many rows are asked for.
    pub limit: Option<u32>,
    /// Machines for the cluster planner.
    pub cluster: Option<Cluster>,
}

/// So many machines of so many GPUs each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cluster {
    pub machines: u32,
    pub gpus_each: u32,
}

impl Settings {
    /// Adds what another phrase says; the last word counts.
    pub(super) fn add(&mut self, last: &Self) {
        self.offer_type = last.offer_type.or(self.offer_type);
        self.storage = last.storage.or(self.storage);
        self.order = last.order.clone().or(self.order.take());
        self.limit = last.limit.or(self.limit);
        self.cluster = last.cluster.or(self.cluster);
        self.job.hours = last.job.hours.or(self.job.hours);
        self.job.gb_in = last.job.gb_in.or(self.job.gb_in);
        self.job.gb_out = last.job.gb_out.or(self.job.gb_out);
    }

    /// Completes the settings once all are known: the job needs the disk, and the cheapest offer is
    /// then the one with the lowest bill.
    pub(super) fn settle(&mut self, catalog: &'static Catalog) {
        let Some(bill) = catalog.named("job_cost").filter(|_| self.job.is_job()) else {
            return;
        };
        self.job.disk_gb = self.storage;
        let keys = self.order.iter_mut().flatten();
        let prices = keys.filter(|key| key.field.key == "dph_total");
        prices.for_each(|key| key.field = bill);
    }

    /// The settings as text: `bid`, `job 3d, 200 GB disk`, `sort dph_total`.
    pub fn texts(&self) -> Vec<String> {
        let offer_type = self.offer_type.map(|model| model.wire().to_owned());
        let job = self.job.is_job().then(|| format!("job {}", self.job.brief()));
        let storage = self.storage.filter(|_| job.is_none());
        let storage = storage.map(|gb| format!("{} disk", gigabytes(gb)));
        let order = self.order.as_ref();
        let order = order.map(|order| format!("sort {}", language::print_order(order)));
        let limit = self.limit.map(|rows| format!("first {rows}"));
        let cluster = self.cluster;
        let cluster = cluster.map(|own| format!("{} machines of {} GPUs", own.machines, own.gpus_each));
        let texts = [cluster, offer_type, storage, job, order, limit];
        texts.into_iter().flatten().collect()
    }
}
