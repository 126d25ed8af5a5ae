//! The basis of prices: a job for offers, size and term for volumes.

use super::browser::Browser;
use super::computed_columns::{JOB_COLUMNS, TERM_COLUMNS, columns_of};
use crate::domain::cost::{Gap, Job, Prices, Shortfall, VolumeTerm};
use crate::domain::format::grouped;
use crate::domain::query::DEFAULT_STORAGE_GB;
use crate::domain::throughput::WorkUnit;
use crate::domain::{Operand, Operator, OrderKey, Query, Value, language};

impl Browser {
    /// Whether the search is sorted by the market's score alone, its default order.
    pub(crate) fn is_ranked_by_score(&self) -> bool {
        matches!(self.query.order.as_slice(), [key] if key.field.key == "score")
    }

    /// The disk in GB that the search wants: the larger of the storage its prices include and its lower
    /// bounds on the space; `None` if the storage is the default and there is no bound.
    pub fn searched_disk(&self) -> Option<f64> {
        let least = self.query.active().filter_map(|condition| {
            let is_bound = matches!(condition.operator, Operator::Gte | Operator::Gt);
            match &condition.operand {
                Operand::One(Value::Number(gb)) if is_bound && condition.field.key == "disk_space" => Some(*gb),
                _ => None,
            }
        });
        let chosen = self
            .query
            .storage
            .filter(|gb| (gb - DEFAULT_STORAGE_GB).abs() > f64::EPSILON);
        chosen.into_iter().chain(least).reduce(f64::max)
    }

    /// Sets a saved search with its filter words and shows it in the bar; the caller sends it. Its job
    /// replaces the current one; if it has none, the current job stays, and its disk is the storage.
    pub fn load_saved(&mut self, query: Query, words: Vec<String>, job: Option<Job>) {
        if job.is_some() && job != self.computed.job {
            self.set_job(job);
        }
        self.load(query, words);
    }

    /// Sets or clears the job. Its columns and the price of its unit appear and disappear, an order by price
    /// becomes one by the bill and back, sort keys on columns that no longer apply are removed, and the
    /// storage that prices include is the job's disk, or again the earlier one. A selection of the first row
    /// stays at the top. True if the market must be queried for these prices.
    pub fn set_job(&mut self, job: Option<Job>) -> bool {
        let before = self.query.clone();
        match (self.computed.job, job) {
            (None, Some(_)) => {
                self.computed.jobless_storage = self.query.storage;
                self.reorder("dph_total", "job_cost");
            }
            (Some(_), None) => {
                self.query.storage = self.computed.jobless_storage.or(Some(DEFAULT_STORAGE_GB));
                self.reorder("job_cost", "dph_total");
            }
            (None, None) | (Some(_), Some(_)) => {}
        }
        if self.is_at_top() {
            self.go_to_top();
        }
        self.count_arrangement();
        let unit = |job: Option<Job>| job.and_then(|job| job.work).map(|work| work.unit);
        let before_unit = unit(self.computed.job).filter(|before| Some(*before) != unit(job));
        if let Some(column) = before_unit.map(WorkUnit::column) {
            self.hide_columns(&[column]);
            self.query.order.retain(|key| key.field.key != column);
        }
        self.computed.job = job;
        self.take_disk_of_job();
        self.hide_columns(&JOB_COLUMNS);
        if let Some(job) = job {
            self.show_columns(&columns_of(&job), "dph_total");
            let priced = job.work.map(|work| work.unit);
            let priced = priced.filter(|unit| self.computed.throughput.model_count(*unit) > 0);
            self.show_columns(priced.map(WorkUnit::column).as_slice(), "dph_total");
        } else {
            self.query.order.retain(|key| !JOB_COLUMNS.contains(&key.field.key));
        }
        self.revalue();
        self.asks_other_than(&before)
    }

    /// Resets to the default search, without filter words, job and term; the caller sends it.
    pub fn reset(&mut self) {
        self.set_job(None);
        self.set_term(None);
        self.apply(language::default_query(self.resource(), self.dialect()), Vec::new());
    }

    /// Sets the storage that prices include to the job's disk, if there is a job.
    pub(crate) fn take_disk_of_job(&mut self) {
        if let Some(job) = self.computed.job {
            self.query.storage = Some(job.disk_gb);
        }
    }

    /// Replaces the sort key `from` by `to` in its place and direction, unless `to` is a key already or
    /// `from` is none.
    fn reorder(&mut self, from: &str, to: &str) {
        let field = self.resource().catalog().column(to);
        let order = &mut self.query.order;
        if order.iter().any(|key| key.field.key == to) {
            return;
        }
        let key = order.iter_mut().find(|key| key.field.key == from);
        if let (Some(key), Some(field)) = (key, field) {
            *key = OrderKey { field, ..*key };
        }
    }

    /// Sets or clears the size and term; the columns appear and disappear with it, and sort keys on them are
    /// removed when it is cleared. A selection of the first row stays at the top.
    pub(crate) fn set_term(&mut self, term: Option<VolumeTerm>) {
        if self.is_at_top() {
            self.go_to_top();
        }
        self.count_arrangement();
        self.computed.term = term;
        if term.is_some() {
            // The bill comes first; its parts follow the size and the speed.
            let [bill, parts @ ..] = TERM_COLUMNS;
            self.show_columns(&[bill], "storage_cost");
            self.show_columns(&parts, "nw_disk_avg_bw");
        } else {
            self.hide_columns(&TERM_COLUMNS);
            self.query.order.retain(|key| !TERM_COLUMNS.contains(&key.field.key));
        }
        self.revalue();
    }

    /// A sentence on the unknown rate that keeps the first row from being priced for the job, with the `key` that opens
    /// the form with the field for it; `None` if none does, and while other rows are awaited.
    ///
    /// Rows without a rate come last, so no row can do the job then.
    pub fn describe_unknown_rate(&self, key: &str) -> Option<String> {
        /// Rows whose models are compared.
        const MOST: usize = 100;
        let (job, listing) = (self.computed.job?, self.listing()?);
        if self.awaits_other_rows() {
            return None;
        }
        let prices = Prices::new(listing, self.pricing().model);
        let unknown = |row: &u32| match prices.job_hours(*row as usize, &job) {
            Err(Gap::NoRate(unit, model)) => Some((unit, model)),
            Ok(_) | Err(_) => None,
        };
        let mut rows = self.view().iter().take(MOST);
        let (unit, model) = unknown(rows.next()?)?;
        let others = rows.filter_map(unknown).any(|(_, other)| other != model);
        let (models, fields) = if others {
            ("these models", "Rate, Rate of; or type 2500 tokens/s on a 4090")
        } else {
            (model.as_str(), "field Rate")
        };
        let rate = unit.rate();
        Some(format!("No bill: the {rate} of {models} are unknown ({key}: {fields})"))
    }

    /// A sentence on the rows that are not priced for the job, as the rate of their models is unknown, with the `key` that
    /// opens the form with the field for it; `None` if the last row is priced, behind which there are none.
    pub fn describe_unrated_rows(&self, key: &str) -> Option<String> {
        let (job, listing) = (self.computed.job?, self.listing()?);
        let prices = Prices::new(listing, self.pricing().model);
        match prices.job_hours(*self.view().last()? as usize, &job) {
            Err(Gap::NoRate(unit, model)) => {
                let rate = unit.rate();
                Some(format!(
                    "Billed are only models whose {rate} you gave, not {model} and others ({key}: Rate, Rate of)"
                ))
            }
            Ok(_) | Err(_) => None,
        }
    }

    /// Whether no row of the view has a rate for the work of the job, which is written once over the table then rather than
    /// in each row.
    ///
    /// Rows without a rate come last, so the first one shows it.
    pub fn lacks_every_rate(&self) -> bool {
        let rows = self.displayed();
        let first = rows.view().first().filter(|_| rows.computed.unfit() > 0);
        first.is_some_and(|row| rows.shortfall(*row as usize) == Some(Shortfall::Unknown("rate")))
    }

    /// A sentence that no row of the view is known to do the job's work by its deadline, while several could together:
    /// one of the first 100 rows is only too late. It names the number of offers if the market may have more. `None`
    /// unless the job is work with a deadline, and while other rows are awaited.
    pub fn describe_split(&self) -> Option<String> {
        /// Rows that are checked, the cheapest first.
        const MOST: usize = 100;
        let job = self.computed.job.filter(|job| job.is_work() && job.deadline.is_some());
        let loaded = self
            .listing()
            .filter(|_| job.is_some() && !self.awaits_other_rows())?
            .len();
        let is_late = |row: &u32| matches!(self.shortfall(*row as usize), Some(Shortfall::Late(_)));
        let needs_split = self.visible_unfit() == self.view().len() && self.view().iter().take(MOST).any(is_late);
        let text = if self.may_have_more() {
            format!(
                "None of the first {} offers is known to be done in time",
                grouped(loaded)
            )
        } else {
            "No single offer is known to be done in time".to_owned()
        };
        needs_split.then_some(text)
    }
}
