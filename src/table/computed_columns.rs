//! Columns computed for each row.
//!
//! For offers: prices per unit, the cost of a job, three prices in one row, the Pareto front. For
//! volumes: the price of a size and term. They are columns of the listing, so that tables, orders
//! and exports treat them like any other.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::price_models::PriceModelSearches;
use crate::domain::annotations::{Annotated, Annotations, Bans};
use crate::domain::cost::{Basis, Fit, Gap, Job, PriceJoin, Prices, Quote, ThreePrices, VolumePrices, VolumeTerm};
use crate::domain::insight::{Alike, Front, Goal, Lead, Point, Standing};
use crate::domain::throughput::{Throughput, WorkUnit};
use crate::domain::{CellRef, Condition, Listing, OfferType};

/// The columns that a job can add to the table.
pub const JOB_COLUMNS: [&str; 4] = ["job_cost", "job_spare", "job_time", "job_slack"];

/// The columns of [`JOB_COLUMNS`] that apply to `job`: the time only if it depends on the offer,
/// the slack only with a deadline.
pub fn columns_of(job: &Job) -> Vec<&'static str> {
    let is_added = |key: &&str| match *key {
        "job_time" => job.is_work(),
        "job_slack" => job.deadline.is_some(),
        _ => true,
    };
    JOB_COLUMNS.into_iter().filter(is_added).collect()
}

/// The columns that a term adds to the table.
pub const TERM_COLUMNS: [&str; 4] = ["volume_term", "volume_monthly", "volume_hourly", "volume_spare"];

/// The inputs of the computed columns, and their results.
#[derive(Debug, Default)]
pub struct ComputedColumns {
    /// The job that offers are priced for, if there is one.
    pub job: Option<Job>,
    /// The storage of the search before a job's disk replaced it.
    pub(crate) jobless_storage: Option<f64>,
    /// The size and term that volumes are priced for, if set.
    pub term: Option<VolumeTerm>,
    /// The searches for the three price models, if requested.
    pub price_models: PriceModelSearches,
    /// The user's own throughput per GPU model.
    pub throughput: Arc<Throughput>,
    /// The user's stars, notes and bans.
    pub annotations: Arc<Annotations>,
    /// The bans that hide rows; none while banned rows are shown.
    pub(crate) bans: Bans,
    /// The annotations of each row; empty if there are none at all.
    annotated: Vec<Annotated>,
    /// The rank of every row among comparable ones.
    pub standing: Standing,
    front: Option<Front>,
    /// The leads of offers over those with the same GPUs, by the row of the latter.
    rivals: HashMap<u32, Lead>,
    /// Whether each row suits the job or term; empty without one.
    fits: Vec<Fit>,
    /// Number of unfit rows, counted once: every frame shows it, and a frame must not read all
    /// rows.
    unfit_count: usize,
}

/// The values of one computed column, by row.
type Numbers = Vec<Option<f64>>;

/// Whether nothing in the record of an offer contradicts that it can be rented now; true if the record does
/// not report it.
///
/// A search for a machine or host lists all of its offers; none that is taken is the best value.
fn can_be_rented(listing: &Listing, row: usize) -> bool {
    let has = |key: &str, value: bool| {
        let field = listing.catalog().by_key(key);
        field.is_some_and(|field| listing.column(field).cell(row) == CellRef::Flag(value))
    };
    !has("rentable", false) && !has("rented", true)
}

/// Hours in seconds; `None` if a value to compute them is missing.
fn hours_to_seconds(hours: Result<f64, Gap>) -> Option<f64> {
    const HOUR: f64 = 3600.0;
    Some(hours.ok()? * HOUR)
}

impl ComputedColumns {
    /// The computed columns for pricing by `job`, not yet filled.
    pub fn for_job(job: Option<Job>) -> Self {
        Self { job, ..Self::default() }
    }

    /// The same inputs (job and the storage without it, term, throughput, annotations, bans) for other rows,
    /// without results and without the three prices, which belong to the old ones.
    pub fn for_other_rows(&self) -> Self {
        Self {
            job: self.job,
            jobless_storage: self.jobless_storage,
            term: self.term,
            throughput: Arc::clone(&self.throughput),
            annotations: Arc::clone(&self.annotations),
            bans: self.bans.clone(),
            ..Self::default()
        }
    }

    /// Whether `other` has the same job, term, throughput, annotations and bans; the three prices and the
    /// storage without a job are not compared.
    pub(super) fn is_for(&self, other: &Self) -> bool {
        (self.job, self.term, &self.bans) == (other.job, other.term, &other.bans)
            && Arc::ptr_eq(&self.annotations, &other.annotations)
            && Arc::ptr_eq(&self.throughput, &other.throughput)
    }

    /// The Pareto front of the rows last computed: the lowest price against the highest `DLPerf`; `None`
    /// before and for other records than offers.
    ///
    /// With a job it compares the bill and the speed of the offer, otherwise $/h and speed per GPU. For a job
    /// of fixed length it is the lowest bill.
    pub const fn front(&self) -> Option<&Front> {
        self.front.as_ref()
    }

    /// The best offer that beats a row in the two measures of [`Self::front`] with as many of the same GPUs,
    /// and by how much; `None` if there is none.
    pub fn rival(&self, row: u32) -> Option<Lead> {
        self.rivals.get(&row).copied()
    }

    /// Number of `rows` (numbers in the listing) that are on the Pareto front; 0 before it is computed.
    pub fn count_best(&self, rows: &[u32]) -> usize {
        let Some(front) = &self.front else { return 0 };
        let members = || front.members().iter().map(|point| point.row as usize);
        let mut is_best = vec![false; members().max().map_or(0, |last| last + 1)];
        members().for_each(|row| is_best[row] = true);
        let is_best = |row: &&u32| is_best.get(**row as usize) == Some(&true);
        rows.iter().filter(is_best).count()
    }

    /// Whether a row suits the job, the term or the chosen disk; `Yes` without any of these.
    pub fn fit(&self, row: usize) -> Fit {
        self.fits.get(row).copied().unwrap_or_default()
    }

    /// Whether a row has too little space, time or speed for the job, the term or the chosen disk, or does
    /// not report enough to decide that; false without any of these.
    pub fn is_unfit(&self, row: usize) -> bool {
        self.fit(row) != Fit::Yes
    }

    /// A description of a misfit, for the screen; `None` for `Fit::Yes`.
    pub fn unfit_words(&self, fit: Fit) -> Option<&'static str> {
        let has_deadline = self.job.is_some_and(|job| job.deadline.is_some());
        match fit {
            Fit::Yes => None,
            Fit::No if has_deadline => Some("too small, too slow or ends too early"),
            Fit::No => Some("too small or ends too early"),
            Fit::Unknown => Some("unfit (disk, speed or end unknown)"),
        }
    }

    /// Number of rows that are not known to suit the job, the term or the chosen disk.
    pub const fn unfit(&self) -> usize {
        self.unfit_count
    }

    /// Sets whether each row suits the job, the term or the chosen disk, and counts those not known to.
    fn set_fits(&mut self, fits: Vec<Fit>) {
        self.unfit_count = fits.iter().filter(|fit| **fit != Fit::Yes).count();
        self.fits = fits;
    }

    /// The user's star, note or ban of a row; none by default.
    pub fn annotated(&self, row: usize) -> Annotated {
        self.annotated.get(row).copied().unwrap_or_default()
    }

    /// The numbers of loaded rows with a star, and with a note.
    pub fn count_annotated(&self) -> (usize, usize) {
        let count = |is: fn(&&Annotated) -> bool| self.annotated.iter().filter(is).count();
        (count(|row| row.is_starred), count(|row| row.has_note))
    }

    /// Finds the annotations of each row, and fills the column of stars with 1 or 0.
    fn annotate(&mut self, listing: &mut Listing) {
        self.annotated = self.annotations.of_rows(listing);
        let rows = 0..listing.len();
        let numbers = rows.map(|row| Some(f64::from(u8::from(self.annotated(row).is_starred))));
        listing.set_columns([("starred", numbers.collect())]);
    }

    /// Fills the computed columns of a listing of offers, and finds the annotations of its rows and whether
    /// they suit the job or, without one, have `disk` GB. Only rows that meet the local `conditions`, apart
    /// from those on the front itself, compete for the Pareto front.
    pub fn fill_for(&mut self, listing: &mut Listing, pricing: Basis, disk: Option<f64>, conditions: &[Condition]) {
        self.standing = Standing::default();
        self.annotate(listing);
        listing.set_throughput(Arc::clone(&self.throughput));
        listing.set_bills_work(pricing.is_work());
        let prices = Prices::new(listing, pricing.model);
        let now = listing.read_at();
        let fit = |row| match (&self.job, disk) {
            (Some(job), _) => prices.fit(row, job, now),
            (None, Some(gb)) => prices.disk_fit(row, gb),
            (None, None) => Fit::Yes,
        };
        let fits = (0..listing.len()).map(fit).collect();
        self.set_fits(fits);
        let (computed, plain): (Vec<&Condition>, Vec<&Condition>) =
            conditions.iter().partition(|condition| condition.field.is_computed());
        let mut rows = listing.matching(plain);
        self.fill(listing, pricing, &rows);
        // Conditions on other columns need their values, and the front needs the rows that meet
        // them.
        let before_front = computed
            .into_iter()
            .filter(|condition| condition.field.key != "on_front");
        let narrowed: BTreeSet<u32> = listing.matching(before_front).into_iter().collect();
        if narrowed.len() < listing.len() {
            rows.retain(|row| narrowed.contains(row));
            self.fill(listing, pricing, &rows);
        }
    }

    /// Fills the computed columns of a listing. Only `rows`, which meet the local conditions, compete for the
    /// Pareto front.
    fn fill(&mut self, listing: &mut Listing, pricing: Basis, rows: &[u32]) {
        let mut columns = self.unit_columns(listing, pricing, rows);
        columns.extend(self.work_columns(listing, pricing));
        columns.extend(self.job_columns(listing, pricing));
        columns.extend(self.three_columns(listing, pricing));
        listing.set_columns(columns);
    }

    /// Fills the computed columns of a listing of network volumes, and finds the annotations of its rows and
    /// whether they suit the term; without a term, its columns are blank and every row suits.
    pub fn fill_volumes(&mut self, listing: &mut Listing) {
        self.standing = Standing::default();
        self.annotate(listing);
        let (prices, now, term) = (VolumePrices::new(listing), listing.read_at(), self.term);
        let rows = 0..listing.len();
        let column = |of: &dyn Fn(usize, &VolumeTerm) -> Option<f64>| -> Numbers {
            term.map_or_else(Vec::new, |term| rows.clone().map(|row| of(row, &term)).collect())
        };
        let columns = [
            ("volume_hourly", column(&|row, term| prices.hourly(row, term).ok())),
            ("volume_monthly", column(&|row, term| prices.monthly(row, term).ok())),
            ("volume_term", column(&|row, term| prices.term_total(row, term).ok())),
            (
                "volume_spare",
                column(&|row, term| hours_to_seconds(prices.spare(row, term, now))),
            ),
        ];
        let fits = |term| rows.map(|row| prices.fit(row, &term, now)).collect();
        self.set_fits(term.map_or_else(Vec::new, fits));
        listing.set_columns(columns);
    }

    /// The columns of $/h per GPU and per GB of VRAM, speed per GPU, and membership of the Pareto front (1 or
    /// 0, blank for rows that do not compete). The front and each row's rival are computed and stored here,
    /// from those of `rows` that suit the job or disk, are not taken and have a price and a speed.
    fn unit_columns(&mut self, listing: &Listing, pricing: Basis, rows: &[u32]) -> Vec<(&'static str, Numbers)> {
        let prices = Prices::new(listing, pricing.model);
        let units: Vec<_> = (0..listing.len())
            .map(|row| {
                let hourly = prices.hourly(row, pricing.gb).ok();
                hourly.map_or_else(Default::default, |hourly| prices.per_unit(row, hourly))
            })
            .collect();
        let speeds: Numbers = (0..listing.len()).map(|row| prices.dlperf_per_gpu(row).ok()).collect();
        let points: Vec<Point> = rows
            .iter()
            .filter(|row| !self.is_unfit(**row as usize) && can_be_rented(listing, **row as usize))
            .filter_map(|row| {
                let index = *row as usize;
                // A bill is for the whole offer, so the speed is too. Where it changes nothing, the bill alone counts.
                let (x, y) = if let Some(job) = &pricing.job {
                    let bill = pricing.price(&prices, index).ok()?;
                    // By the user's own rates the work may take as long on a card that is faster by its score.
                    let hours = || prices.job_hours(index, job).ok().filter(|hours| *hours > 0.0);
                    let speed = || hours().map(f64::recip);
                    (bill, if pricing.has_fixed_length() { 0.0 } else { speed()? })
                } else {
                    (units.get(index)?.gpu?, (*speeds.get(index)?)?)
                };
                Some(Point { row: *row, x, y })
            })
            .collect();
        let front = Front::new(&points, Goal::Least, Goal::Most);
        let mut on_front: Numbers = vec![None; listing.len()];
        for point in &points {
            on_front[point.row as usize] = Some(f64::from(u8::from(front.contains(point.row))));
        }
        self.front = Some(front);
        self.rivals = leads_of_alike(listing, &points);
        vec![
            ("dph_per_gpu", units.iter().map(|unit| unit.gpu).collect()),
            ("dph_per_vram_gb", units.iter().map(|unit| unit.vram_gb).collect()),
            ("dlperf_per_gpu", speeds),
            ("on_front", on_front),
        ]
    }

    /// The three columns of the cost of work, always all: $ per million tokens, per 1,000 images and per
    /// 1,000 steps. Cells are empty in units without a throughput of the user's, and for GPU models without
    /// one.
    fn work_columns(&self, listing: &Listing, pricing: Basis) -> Vec<(&'static str, Numbers)> {
        let prices = Prices::new(listing, pricing.model);
        let cost = |unit: WorkUnit, row: usize| {
            let hourly = prices.hourly(row, pricing.gb).ok()?;
            self.throughput.cost(unit, listing, row, hourly)
        };
        let column = |unit: WorkUnit| {
            let is_measured = self.throughput.model_count(unit) > 0;
            let rows = (0..listing.len()).filter(|_| is_measured);
            (unit.column(), rows.map(|row| cost(unit, row)).collect())
        };
        WorkUnit::ALL.map(column).into()
    }

    /// The four columns of the job, always all: its cost in $, and its duration, slack and spare time in
    /// seconds; without values if there is no job.
    fn job_columns(&self, listing: &Listing, pricing: Basis) -> Vec<(&'static str, Numbers)> {
        let (prices, now) = (Prices::new(listing, pricing.model), listing.read_at());
        let column = |of: &dyn Fn(usize, &Job) -> Option<f64>| -> Numbers {
            let rows = 0..listing.len();
            self.job
                .map_or_else(Vec::new, |job| rows.map(|row| of(row, &job)).collect())
        };
        vec![
            ("job_cost", column(&|row, job| prices.job_total(row, job).ok())),
            (
                "job_time",
                column(&|row, job| hours_to_seconds(prices.job_hours(row, job))),
            ),
            (
                "job_slack",
                column(&|row, job| hours_to_seconds(prices.job_slack(row, job, now).transpose()?)),
            ),
            (
                "job_spare",
                column(&|row, job| hours_to_seconds(prices.job_spare(row, job, now))),
            ),
        ]
    }

    /// The five columns of the three price models, always all: $/h, and the savings against on-demand;
    /// without values before a response to one.
    fn three_columns(&self, listing: &Listing, pricing: Basis) -> Vec<(&'static str, Numbers)> {
        let three: Vec<ThreePrices> = if self.price_models.is_empty() {
            Vec::new()
        } else {
            let join = self.join(listing, pricing);
            (0..listing.len()).map(|row| join.prices_of_row(row)).collect()
        };
        let column = |of: fn(&ThreePrices) -> Option<f64>| three.iter().map(of).collect();
        let total = |of: fn(&ThreePrices) -> Option<Quote>| three.iter().map(|three| Some(of(three)?.total)).collect();
        vec![
            ("price_on_demand", total(|three| three.on_demand)),
            ("price_bid", total(|three| three.bid)),
            ("saving_bid", column(|three| three.saving)),
            ("price_reserved", total(|three| three.reserved)),
            ("saving_reserved", column(|three| three.discount)),
        ]
    }

    /// Joins the responses for the three price models to the rows of a listing.
    pub fn join<'a>(&'a self, listing: &'a Listing, pricing: Basis) -> PriceJoin<'a> {
        let [on_demand, bid, reserved] = OfferType::ALL.map(|model| self.price_models.listing(model));
        PriceJoin::new(listing, on_demand, bid, reserved, pricing.gb)
    }
}

/// For each of the points that an offer with the same GPUs beats, by the row of the beaten point: the row of
/// the best such offer, and by how much it is better.
fn leads_of_alike(listing: &Listing, points: &[Point]) -> HashMap<u32, Lead> {
    let alike = Alike::of(listing);
    let mut groups: HashMap<_, Vec<Point>> = HashMap::new();
    for point in points {
        if let Some(gpus) = alike.gpus(point.row as usize) {
            groups.entry(gpus).or_default().push(*point);
        }
    }
    let leads = groups.into_values().flat_map(|group| {
        let front = Front::new(&group, Goal::Least, Goal::Most);
        group
            .into_iter()
            .filter_map(move |point| Some((point.row, front.beaten_by(point.row)?)))
    });
    leads.collect()
}
