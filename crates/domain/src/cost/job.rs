//! The cost of a whole job on an offer: GPUs while it runs, storage as long as the instance exists, traffic both ways.

use serde::{Deserialize, Serialize};

use super::{
    Fit, Gap, HOURS_PER_MONTH, Input, InputError, MEGABITS_PER_GB, Measure, Outlives, Prices, Room, SECONDS_PER_HOUR,
    Shortfall, Step, finite, hours_left, rounded, shown, summand,
};
use crate::format::{gigabytes, lasting, trimmed};
use crate::local::LocalTime;
use crate::throughput::{Work, WorkUnit};
use crate::time::UnixTime;

/// The maximum length of a GPU model's name in an error message, in characters.
const LONGEST_MODEL: usize = 40;

/// A job to price offers for.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Job {
    /// Hours that the instance runs. Ignored if `work_dlperf_hours` is set.
    pub run_hours: f64,
    /// Hours that it is stopped but not destroyed: only its storage is billed then.
    pub stopped_hours: f64,
    /// Storage in GB, fixed when the instance is created.
    pub disk_gb: f64,
    /// GB downloaded over the whole job.
    pub gb_in: f64,
    /// GB uploaded over the whole job.
    pub gb_out: f64,
    /// Work in DLPerf-hours: an offer runs for this divided by its `DLPerf`, so that faster ones
    /// finish sooner.
    pub work_dlperf_hours: Option<f64>,
    /// Work in units such as tokens: an offer runs for this divided by the throughput of its GPUs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub work: Option<Work>,
    /// The deadline of the work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline: Option<UnixTime>,
    /// The number of rented GPUs that share the work evenly; `None` for those of one offer.
    #[serde(skip)]
    pub shared_by: Option<u32>,
}

impl Default for Job {
    fn default() -> Self {
        Self {
            run_hours: 24.0,
            stopped_hours: 0.0,
            disk_gb: 50.0,
            gb_in: 20.0,
            gb_out: 5.0,
            work_dlperf_hours: None,
            work: None,
            deadline: None,
            shared_by: None,
        }
    }
}

impl Job {
    /// Whether the job is given as work, so that its hours depend on the offer.
    pub const fn is_work(&self) -> bool {
        self.work.is_some() || self.work_dlperf_hours.is_some()
    }

    /// Whether the job downloads data, so that its bill depends on the download speed.
    pub fn downloads(&self) -> bool {
        self.gb_in > 0.0
    }

    /// Checks that every input is a number from 0 to its maximum; the error names the first that is
    /// not.
    pub fn validate(&self) -> Result<(), InputError> {
        let inputs = [
            (Input::RunHours, self.run_hours),
            (Input::StoppedHours, self.stopped_hours),
            (Input::DiskGb, self.disk_gb),
            (Input::GbIn, self.gb_in),
            (Input::GbOut, self.gb_out),
            (Input::Work, self.work_dlperf_hours.unwrap_or(0.0)),
            (Input::Amount, self.work.map_or(0.0, |work| work.amount)),
            (Input::Deadline, self.deadline.unwrap_or_default().seconds()),
        ];
        inputs
            .into_iter()
            .try_for_each(|(input, value)| input.check(value).map(drop))
    }
}

impl Job {
    /// The job on `gpus` rented GPUs: its work is divided evenly among them. A length in hours is unchanged.
    #[must_use]
    pub fn on_gpus(self, gpus: u32) -> Self {
        Self {
            shared_by: self.is_work().then_some(gpus),
            ..self
        }
    }

    /// The length in full words: `3 days`, or the work: `500M tokens`.
    pub fn length(&self) -> String {
        self.amount()
            .unwrap_or_else(|| lasting(self.run_hours * SECONDS_PER_HOUR))
    }

    /// The work: `500M tokens`; `None` for a job with a length in hours.
    fn amount(&self) -> Option<String> {
        let hours = self.work_dlperf_hours;
        let dlperf = || hours.map(|work| format!("{} DLPerf-hours", trimmed(work, 2)));
        self.work.map(|work| work.to_string()).or_else(dlperf)
    }

    /// Describes the job briefly: `3d + 2d stopped, 200 GB, 20 GB in, 5 GB out, by Fri 23:59 (2 days left)`,
    /// or its work in place of `3d`; a length other than whole days is in hours: `36.5h`. Stopped hours and
    /// traffic of zero and an unset deadline are left out.
    pub fn brief(&self, local: &LocalTime) -> String {
        let span = |hours: f64| match hours % 24.0 {
            0.0 if hours > 0.0 => format!("{}d", trimmed(hours / 24.0, 0)),
            _ => format!("{}h", trimmed(hours, 2)),
        };
        let mut text = self.amount().unwrap_or_else(|| span(self.run_hours));
        if self.stopped_hours > 0.0 {
            text = format!("{text} + {} stopped", span(self.stopped_hours));
        }
        let traffic = [(self.gb_in, "in"), (self.gb_out, "out")];
        let used = traffic.into_iter().filter(|(gb, _)| *gb > 0.0);
        let traffic = used.map(|(gb, way)| format!("{} GB {way}", trimmed(gb, 2)));
        let by = self.deadline.map(|at| format!("by {}", local.deadline_briefly(at)));
        let parts = [text, gigabytes(self.disk_gb)].into_iter().chain(traffic).chain(by);
        parts.collect::<Vec<_>>().join(", ")
    }
}

/// The cost of a job on one offer, in $ for the whole job.
#[derive(Debug, Clone, PartialEq)]
pub struct JobCost {
    /// Hours that it runs, including the download: GPUs are billed while data arrives.
    pub hours: f64,
    /// Hours of downloading the job's data.
    pub download: f64,
    pub gpu: f64,
    pub storage_running: f64,
    pub storage_stopped: f64,
    pub traffic_in: f64,
    pub traffic_out: f64,
    pub total: f64,
    /// The cost of one priced unit of work, such as a million tokens, including traffic and storage; `None` for a job
    /// with a length in hours.
    pub per_unit: Option<f64>,
    /// The comparison of the end of the work with the deadline; `None` without a deadline.
    pub in_time: Option<Outlives>,
    /// The comparison of the offer's end with the job's, running and stopped hours together.
    pub outlives: Outlives,
    /// The comparison of the offer's disk with that of the job.
    pub room: Room,
    /// The arithmetic, line by line, the total last.
    pub steps: Vec<Step>,
}

/// The sums of a [`JobCost`], in its order, without the formulas.
struct Parts {
    hours: f64,
    download: f64,
    sums: [f64; 5],
    total: f64,
}

impl Prices<'_> {
    /// The cost of `job` on a row in $, without the arithmetic: for a column that sorts. An error if the job
    /// is invalid, or a price or speed that it needs is missing.
    pub fn job_total(&self, row: usize, job: &Job) -> Result<f64, Gap> {
        self.parts(row, job).map(|parts| parts.total)
    }

    /// Hours that `job` runs on a row, including the download. An error if the job is invalid, or a speed
    /// that it needs is missing.
    pub fn job_hours(&self, row: usize, job: &Job) -> Result<f64, Gap> {
        let run = self.run_hours(row, job)?;
        finite(run + self.download_hours(row, job, run)?)
    }

    /// Hours of work on a row, without the download: the job's own, or its work divided by the speed of the
    /// row. An error if the job is invalid, or work is given and the speed is unknown.
    fn run_hours(&self, row: usize, job: &Job) -> Result<f64, Gap> {
        job.validate()?;
        match (job.work, job.work_dlperf_hours) {
            (Some(work), _) => {
                let rate = self.rate(row, work.unit)? * self.workers(row, job)?;
                finite(work.amount / rate / SECONDS_PER_HOUR)
            }
            (None, Some(work)) => finite(work / self.dlperf_of(row, job)?),
            (None, None) => Ok(job.run_hours),
        }
    }

    /// The number of GPUs that share the work: the rented ones if they are given, else those of the row; an
    /// error if the row does not report any.
    fn workers(&self, row: usize, job: &Job) -> Result<f64, Gap> {
        job.shared_by
            .map_or_else(|| self.num_gpus.divisor(row), |gpus| Ok(gpus.into()))
    }

    /// The `DLPerf` of all GPUs that share the work: that of the row, or of as many of its GPUs as are
    /// rented. An error if it is not reported as above zero.
    fn dlperf_of(&self, row: usize, job: &Job) -> Result<f64, Gap> {
        let own = self.dlperf.divisor(row)?;
        match job.shared_by {
            None => Ok(own),
            Some(gpus) => Ok(own / self.num_gpus.divisor(row)? * f64::from(gpus)),
        }
    }

    /// Units of work per second of one GPU of a row, from the configured throughput; an error if none is
    /// configured for its model, or the model is not reported.
    fn rate(&self, row: usize, unit: WorkUnit) -> Result<f64, Gap> {
        let field = self.listing.catalog().by_key("gpu_name");
        let name = field.and_then(|field| self.listing.text(row, field));
        let model = name.ok_or(Gap::Missing("gpu_name"))?;
        let rate = self.listing.throughput().rate(unit, model.unescaped(), 1.0);
        rate.ok_or_else(|| Gap::NoRate(unit, model.screen(LONGEST_MODEL)))
    }

    /// Hours between the end of the work, started at `now`, and its deadline; negative if it ends too late,
    /// `None` without a deadline. An error as in `job_hours`.
    pub fn job_slack(&self, row: usize, job: &Job, now: UnixTime) -> Result<Option<f64>, Gap> {
        let hours = self.job_hours(row, job)?;
        Ok(job.deadline.map(|at| (at - now) / SECONDS_PER_HOUR - hours))
    }

    /// Hours until the data of a job that runs for `run` hours are on the disk of a row, 0 if it has no data
    /// or never runs; else an error if the row reports no download speed above zero.
    fn download_hours(&self, row: usize, job: &Job, run: f64) -> Result<f64, Gap> {
        if job.gb_in == 0.0 || run == 0.0 {
            // A job without data does not need the download speed, which the offer may not report.
            return Ok(0.0);
        }
        let speed = self.inet_down.divisor(row)?;
        let per_gb = MEGABITS_PER_GB / self.listing.transfer().megabits();
        finite(job.gb_in * per_gb / speed / SECONDS_PER_HOUR)
    }

    /// Hours between the end of `job`, started at `now`, running and stopped hours together, and the end of
    /// the offer; negative if the offer ends first. An error as in `job_hours`, or if the row does not report
    /// its end.
    pub fn job_spare(&self, row: usize, job: &Job, now: UnixTime) -> Result<f64, Gap> {
        let needed = self.job_hours(row, job)? + job.stopped_hours;
        Ok(hours_left(&self.duration, row, now)? - needed)
    }

    /// Compares the disk and the remaining time of a row and the deadline of `job` with `job` started at
    /// `now`: `Fit::No` if anything is too little, else `Fit::Unknown` if anything needed is not reported.
    pub fn fit(&self, row: usize, job: &Job, now: UnixTime) -> Fit {
        let by = job.deadline.map(|at| (at - now) / SECONDS_PER_HOUR);
        let left = hours_left(&self.duration, row, now).ok();
        let in_time = |hours: f64| {
            let by = by.map_or(Fit::Yes, |by| Fit::compare(Some(by), hours));
            by.and(Fit::compare(left, hours + job.stopped_hours))
        };
        let time = self.run_hours(row, job).map_or(Fit::Unknown, |run| {
            // A job that is late even without its download is late at any speed.
            let download = self.download_hours(row, job, run);
            download.map_or_else(|_| Fit::Unknown.and(in_time(run)), |download| in_time(run + download))
        });
        time.and(self.disk_fit(row, job.disk_gb))
    }

    /// The first reason why the row cannot do `job`, started at `now`: disk too small, deadline missed, offer
    /// ends too early; else an unknown rate or speed, then an unknown disk or end. `None` if it can.
    pub fn shortfall(&self, row: usize, job: &Job, now: UnixTime) -> Option<Shortfall> {
        let room = Room::compare(self.disk_space.amount(row).ok(), job.disk_gb);
        let left = hours_left(&self.duration, row, now).ok();
        let run = self.run_hours(row, job);
        let download = run.as_ref().map_or(Ok(0.0), |run| self.download_hours(row, job, *run));
        let hours = run.as_ref().unwrap_or(&0.0) + download.as_ref().unwrap_or(&0.0);
        let by = job.deadline.map(|at| (at - now) / SECONDS_PER_HOUR);
        let in_time = by.map(|by| Outlives::compare(Some(by), hours));
        let known = Shortfall::first(room, in_time, Outlives::compare(left, hours + job.stopped_hours));
        let is_known = known.is_some_and(|short| !matches!(short, Shortfall::Unknown(_)));
        let speed = match (&run, &download) {
            (Err(Gap::NoRate(..)), _) => Some(Shortfall::Unknown("rate")),
            (Err(_), _) | (_, Err(_)) => Some(Shortfall::Unknown("speed")),
            (Ok(_), Ok(_)) => None,
        };
        if is_known { known } else { speed.or(known) }
    }

    /// Whether the row is known to have the disk and the time for `job`, started at `now`; false if it does
    /// not report them.
    pub fn fits(&self, row: usize, job: &Job, now: UnixTime) -> bool {
        self.fit(row, job, now) == Fit::Yes
    }

    /// The cost of `job` on a row if it starts at `now`. An error if the job is invalid, or a price or speed
    /// that it needs is missing; an unknown disk or end of the offer is none.
    pub fn job_cost(&self, row: usize, job: &Job, now: UnixTime) -> Result<JobCost, Gap> {
        let parts = self.parts(row, job)?;
        let [gpu, storage_running, storage_stopped, traffic_in, traffic_out] = parts.sums;
        let needed = parts.hours + job.stopped_hours;
        Ok(JobCost {
            hours: parts.hours,
            download: parts.download,
            gpu,
            storage_running,
            storage_stopped,
            traffic_in,
            traffic_out,
            total: parts.total,
            per_unit: job.work.map(|work| parts.total / work.amount * work.unit.priced()),
            in_time: job
                .deadline
                .map(|at| Outlives::compare(Some((at - now) / SECONDS_PER_HOUR), parts.hours)),
            outlives: Outlives::compare(hours_left(&self.duration, row, now).ok(), needed),
            room: Room::compare(self.disk_space.amount(row).ok(), job.disk_gb),
            steps: self.steps(row, job, &parts),
        })
    }

    /// Hours and sums of `job` on a row in $; an error names the first missing price or speed.
    fn parts(&self, row: usize, job: &Job) -> Result<Parts, Gap> {
        let run = self.run_hours(row, job)?;
        // A missing price is reported before a missing speed.
        let base = if run == 0.0 { 0.0 } else { self.base(row)? };
        let traffic_in = self.traffic_in.price(row, job.gb_in)?;
        let download = self.download_hours(row, job, run)?;
        let hours = finite(run + download)?;
        let storage = |hours: f64| {
            let per_month = self.storage_cost.price(row, job.disk_gb * hours)?;
            Ok::<_, Gap>(per_month / HOURS_PER_MONTH)
        };
        let sums = [
            base * hours,
            storage(hours)?,
            storage(job.stopped_hours)?,
            traffic_in,
            self.traffic_out.price(row, job.gb_out)?,
        ];
        let total = finite(sums.iter().sum())?;
        Ok(Parts {
            hours,
            download,
            sums,
            total,
        })
    }

    /// The arithmetic of a job's cost line by line: hours, then sums in $ without those that the job does not
    /// need, then the total, which is always there.
    fn steps(&self, row: usize, job: &Job, parts: &Parts) -> Vec<Step> {
        let mut steps = self.time_steps(row, job, parts);
        let wanted = [
            parts.hours,
            job.disk_gb * parts.hours,
            job.disk_gb * job.stopped_hours,
            job.gb_in,
            job.gb_out,
        ];
        let lines = self.formulas(row, job, parts.hours).into_iter();
        let mut summands = Vec::new();
        for (((label, formula), value), wanted) in lines.zip(parts.sums).zip(wanted) {
            if wanted > 0.0 {
                summands.push(summand(value));
                steps.push(Step::new(label, formula, value, Measure::Dollars));
            }
        }
        let formula = if summands.is_empty() {
            "nothing is asked for".to_owned()
        } else {
            summands.join(" + ")
        };
        steps.push(Step::new("Total", formula, parts.total, Measure::Dollars));
        steps
    }

    /// The lines of arithmetic for a job's hours: one for the running time if the job is given as work, then
    /// one for the download if there is one. Empty for a job in hours without a download.
    fn time_steps(&self, row: usize, job: &Job, parts: &Parts) -> Vec<Step> {
        let step = |label, formula, value| Step::new(label, formula, value, Measure::Hours);
        let mut steps = Vec::new();
        let download = parts.download;
        if let (Some(work), Ok(gpus)) = (job.work, self.workers(row, job)) {
            let rate = self.rate(row, work.unit).unwrap_or_default();
            let (gpus, rate, unit) = (shown(gpus, 0), shown(rate, 4), work.unit.rate());
            let formula = format!("{work} / ({gpus} × {rate} {unit}) / 3600 s/h");
            steps.push(step("Hours", formula, parts.hours - download));
        } else if let (Some(work), Ok(dlperf)) = (job.work_dlperf_hours, self.dlperf_of(row, job)) {
            let (work, dlperf) = (shown(work, 4), shown(dlperf, 4));
            let formula = format!("{work} DLPerf-hours / {dlperf} DLPerf");
            steps.push(step("Hours", formula, parts.hours - download));
        }
        if let (true, Ok(speed)) = (download > 0.0, self.inet_down.divisor(row)) {
            let (gb, speed) = (shown(job.gb_in, 4), shown(speed, 4));
            let transfer = self.listing.transfer();
            let per_gb = MEGABITS_PER_GB / transfer.megabits();
            let unit = transfer.symbol();
            let amount = unit.trim_end_matches("/s");
            let formula = format!("{gb} GB × {per_gb} {amount}/GB / {speed} {unit} / 3600 s/h");
            steps.push(step("Download", formula, download));
        }
        steps
    }

    /// The label and formula of each part of a job's cost: GPUs, storage while running, storage while
    /// stopped, traffic in, traffic out. `hours` is its running time; a price that is not reported is `?`.
    fn formulas(&self, row: usize, job: &Job, hours: f64) -> [(&'static str, String); 5] {
        let price = |price: Result<f64, Gap>| price.map_or_else(|_| "?".into(), rounded);
        let storage_cost = price(self.storage_cost.amount(row));
        let disk = shown(job.disk_gb, 4);
        let storage = |hours: f64| {
            let hours = shown(hours, 4);
            format!("{storage_cost} $/GB/month × {disk} GB / 720 h × {hours} h")
        };
        let traffic = |per_gb: Result<f64, Gap>, gb: f64| format!("{} $/GB × {} GB", price(per_gb), shown(gb, 4));
        [
            (
                "GPUs while running",
                format!("{} $/h × {} h", price(self.base(row)), shown(hours, 4)),
            ),
            ("Storage while running", storage(hours)),
            ("Storage while stopped", storage(job.stopped_hours)),
            ("Traffic in", traffic(self.traffic_in.amount(row), job.gb_in)),
            ("Traffic out", traffic(self.traffic_out.amount(row), job.gb_out)),
        ]
    }
}
