//! The basis for computed prices: a job for offers, size and term for volumes.

use std::sync::Arc;

use super::message::{ConfigCommand, Effect};
use super::state::State;
use super::view::Cx;
use crate::domain::cost::{Job, VolumeTerm};
use crate::domain::format::trimmed;
use crate::domain::query::Direction;
use crate::domain::throughput::{Throughput, WorkUnit};
use crate::domain::{OrderKey, Resource};

/// The number of offers to search for where the usual limit may leave out the ones that are needed.
const PLENTY: u32 = 3_000;

impl State {
    /// Sets the user's throughput figures and recomputes the prices of the offers. The column of a unit price
    /// is shown if the unit has a rate, and hidden otherwise. A selection of the first row stays at the top.
    pub fn set_throughput(&mut self, throughput: Throughput) {
        let offers = &mut self.browsers[Resource::Offers];
        if offers.is_at_top() {
            offers.go_to_top();
        }
        let columns: Vec<_> = throughput.units().map(WorkUnit::column).collect();
        offers.hide_columns(&WorkUnit::ALL.map(WorkUnit::column));
        offers.show_columns(&columns, "geolocation");
        offers.computed.throughput = Arc::new(throughput);
        offers.revalue();
    }
}

impl Cx<'_> {
    /// Sets the throughput figures that unit prices are computed with; see [`State::set_throughput`].
    pub fn set_throughput(&mut self, throughput: Throughput) {
        self.state.set_throughput(throughput);
    }

    /// Sets the rate of a GPU model in units of work per second, and saves it in the configuration.
    pub fn save_rate(&mut self, unit: WorkUnit, model: String, rate: f64) {
        let mut rates = Throughput::clone(&self.state.browsers[Resource::Offers].computed.throughput);
        if rates.set(unit, &model, rate).is_ok() {
            self.set_throughput(rates);
            let rate = Some(trimmed(rate, 9));
            self.effect(Effect::Config(ConfigCommand::SaveRate { unit, model, rate }));
        }
    }

    /// Sets or clears the job that offers are priced for, and repeats the search if the job's disk changes
    /// it. A first job sorts the offers by its cost if they were ranked by the market's score.
    pub fn price_job(&mut self, job: Option<Job>) {
        let offers = &mut self.state.browsers[Resource::Offers];
        // The market's score ignores the bill: the lowest bill comes first, unless another order
        // was chosen.
        let reorders = job.is_some() && offers.computed.job.is_none() && offers.is_ranked_by_score();
        let is_other_search = offers.set_job(job);
        if reorders && let Some(field) = offers.query.resource.catalog().column("job_cost") {
            let direction = Direction::Ascending;
            let superseded = offers.set_order(vec![OrderKey { field, direction }], self.now);
            self.abort(superseded);
        }
        if is_other_search {
            self.ask(Resource::Offers);
        } else {
            self.load_for_deadline();
        }
    }

    /// Searches once for more offers if none of a truncated response does the work of the job in time: the larger ones
    /// may be among those left out. Not with auto-refresh, which compares each response with the one before, nor with
    /// another limit than the usual one.
    pub fn load_for_deadline(&mut self) {
        let offers = &self.state.browsers[Resource::Offers];
        let has_usual_limit = offers.query.limit == offers.query.catalog().limit;
        let is_due = offers.describe_split().is_some() && has_usual_limit && offers.watching().is_none();
        if is_due {
            self.load_more_offers();
        }
    }

    /// Searches once for 3,000 offers if the response was truncated at a lower limit, or the awaited one may be.
    pub fn load_more_offers(&mut self) {
        let offers = self.table(Resource::Offers);
        let awaited = offers.asked_query.as_ref();
        let shown = offers.shown_query().filter(|_| offers.is_cut());
        let limit = awaited.or(shown).and_then(|query| query.limit);
        if limit.is_some_and(|limit| limit < PLENTY) {
            self.ask_plenty();
        }
    }

    /// Sends the search of offers once for 3,000 rows, or as many as its own limit if that is higher, without changing
    /// that.
    pub fn ask_plenty(&mut self) {
        let limit = self.table(Resource::Offers).query.limit;
        self.table(Resource::Offers).query.limit = limit.map(|limit| limit.max(PLENTY));
        self.ask(Resource::Offers);
        self.table(Resource::Offers).query.limit = limit;
    }

    /// Sets or clears the size and term that volumes are priced for, without a request.
    pub fn price_term(&mut self, term: Option<VolumeTerm>) {
        self.state.browsers[Resource::Volumes].set_term(term);
    }
}
