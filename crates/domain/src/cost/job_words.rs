//! The parts of a job as words and flags give them, to be applied to the current job.

use super::Job;
use crate::deadline::Deadline;
use crate::format::gigabytes;
use crate::local::LocalTime;
use crate::quantity::{Quantity, write};
use crate::query::DEFAULT_STORAGE_GB;
use crate::throughput::Work;

/// The parts of a job that words or flags give; `None` for the others.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct JobWords {
    /// Hours that the instance runs.
    pub hours: Option<f64>,
    /// Work, which replaces the hours.
    pub work: Option<Work>,
    pub by: Option<Deadline>,
    pub disk_gb: Option<f64>,
    /// Data that the job downloads, in GB.
    pub gb_in: Option<f64>,
    /// Data that the job uploads, in GB.
    pub gb_out: Option<f64>,
}

impl JobWords {
    /// Whether the parts describe a job: hours, work or traffic do; a disk or a deadline alone does not.
    pub fn is_job(&self) -> bool {
        self.work.is_some() || self.hours.or(self.gb_in).or(self.gb_out).is_some()
    }

    /// Whether the parts give its length, in hours or as work.
    pub const fn has_length(&self) -> bool {
        self.work.is_some() || self.hours.is_some()
    }

    /// Takes over the parts that `last` gives, in place of its own; the others stay. The disk of `last` is
    /// ignored.
    pub fn overlay(&mut self, last: &Self) {
        self.hours = last.hours.or(self.hours);
        self.work = last.work.or(self.work);
        self.by = last.by.or(self.by);
        self.gb_in = last.gb_in.or(self.gb_in);
        self.gb_out = last.gb_out.or(self.gb_out);
    }

    /// The job with these parts. Others are taken from `current`; without one there is no traffic, the disk
    /// is `storage` in GB (the default size if `None`), and the job runs for a day. Hours replace work, and
    /// work replaces hours.
    pub fn apply_to(&self, current: Option<Job>, storage: Option<f64>, local: &LocalTime) -> Job {
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
            work_dlperf_hours: current
                .work_dlperf_hours
                .filter(|_| self.hours.is_none() && self.work.is_none()),
            work: self.work.or(current.work.filter(|_| self.hours.is_none())),
            deadline: self.by.and_then(|by| by.at(local)).or(current.deadline),
            ..current
        }
    }

    /// Describes the given parts briefly: `3d, 200 GB disk, 300 GB down, by friday`. Empty without any; work
    /// stands in place of hours.
    pub fn brief(&self) -> String {
        let hours = self.hours.map(|hours| write(hours, Quantity::Hours));
        let length = self.work.map(|work| work.to_string()).or(hours);
        let amounts = [(self.disk_gb, "disk"), (self.gb_in, "down"), (self.gb_out, "up")];
        let sizes = amounts.map(|(gb, noun)| gb.map(|gb| format!("{} {noun}", gigabytes(gb))));
        let by = self.by.map(|by| format!("by {by}"));
        let parts: Vec<_> = length
            .into_iter()
            .chain(sizes.into_iter().flatten())
            .chain(by)
            .collect();
        parts.join(", ")
    }
}
