//! The settings in plain words, in addition to conditions: price model, storage, order and job.

use super::cluster::Cluster;
use super::question::Question;
use crate::cost::JobWords;
use crate::format::{gigabytes, trimmed};
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
    /// A question that a view answers.
    pub question: Option<Question>,
    /// The most workers of a workergroup.
    pub workers: Option<u32>,
    /// The work that one GPU does each second.
    pub rate: Option<(WorkUnit, f64)>,
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
        self.question = last.question.or(self.question);
        self.workers = last.workers.or(self.workers);
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
            question: None,
            workers: None,
            ..self.clone()
        };
        let workers = self.workers.map(|workers| format!("at most {workers} workers"));
        let question = self.question.map(|question| question.words().to_owned());
        let words = rest.texts().into_iter().chain(order);
        words.chain(question).chain(workers).collect()
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
            .map(|(unit, rate)| format!("{} {} per GPU", trimmed(rate, 9), unit.rate()));
        let question = self.question.map(|question| question.answer().to_owned());
        let workers = self.workers.map(|workers| format!("at most {workers} workers"));
        let texts = [cluster, offer_type, storage, job, rate, order, limit, question, workers];
        texts.into_iter().flatten().collect()
    }
}
