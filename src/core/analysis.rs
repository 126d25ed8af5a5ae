//! Shared by the views that compare rows: when they can open, and how rows are counted and
//! filtered.

use super::state::State;
use super::view::Cx;
use crate::domain::cost::{Gap, Prices, Shortfall};
use crate::domain::insight::Coverage;
use crate::domain::throughput::WorkUnit;
use crate::domain::{Condition, Listing, Operand, Operator, Resource, Value, format};
use crate::keys::Action;
use crate::keys::pane::Pane;
use crate::table::browser::Browser;

/// GPUs of the largest machines that are common.
const USUAL_GPUS: f64 = 8.0;

/// The reason an action on rows is disabled now, or `None` if it is enabled.
pub(crate) fn disabled(state: &State, action: Action) -> Option<String> {
    let key = |action| state.keymap.key_of(action);
    let pane = state.pane;
    let is_about_offers = matches!(
        action,
        Action::ThreePrices | Action::ForgetJob | Action::Related | Action::Host | Action::Depth | Action::Cluster
    );
    if is_about_offers && pane != Pane::Offers {
        return Some(format!("Only on Offers ({})", key(Action::Pane(Pane::Offers))));
    }
    let is_about_prices = matches!(action, Action::Job | Action::Summary | Action::Plot);
    if is_about_prices && !pane.has_prices() {
        let (offers, volumes) = (key(Action::Pane(Pane::Offers)), key(Action::Pane(Pane::Volumes)));
        return Some(format!("Only on Offers ({offers}) and Volumes ({volumes})"));
    }
    let browser = state.browser()?;
    let needs_rows = matches!(
        action,
        Action::Summary | Action::Plot | Action::Mark | Action::Depth | Action::Cluster
    );
    let has_no_row = browser.view().is_empty();
    match action {
        Action::Related | Action::Host if browser.selected_row().is_none() => Some("No offer selected".to_owned()),
        Action::Host if browser.host_condition().is_none() => Some("This offer names no host".to_owned()),
        Action::ForgetJob if browser.computed.job.is_none() => Some("Offers are not priced for a job".to_owned()),
        Action::Unmark if browser.marks.is_empty() => Some("Nothing is marked".to_owned()),
        Action::Compare if browser.listing().is_none() || browser.marks.len() < 2 => {
            Some(format!("Mark at least two rows first ({})", key(Action::Mark)))
        }
        Action::Funnel if browser.resource() == Resource::Workergroups => {
            Some(format!("Only on Offers ({})", key(Action::Pane(Pane::Offers))))
        }
        Action::Funnel if browser.query.active().next().is_none() => Some("No filters to explain".to_owned()),
        // The planner leaves out the count that no offer has.
        Action::Cluster if browser.gpus_beyond_an_offer().is_some() => None,
        _ if needs_rows && has_no_row && browser.remote().is_loading() => Some("Still loading".to_owned()),
        _ if needs_rows && has_no_row => Some("No rows".to_owned()),
        _ => None,
    }
}

/// Clears the job that offers are priced for.
pub(crate) fn forget_job(cx: &mut Cx<'_>) {
    cx.price_job(None);
    cx.toast("Job pricing cleared");
}

impl Browser {
    /// Marks the selected row, or unmarks it.
    pub fn toggle_mark(&mut self) {
        if let Some(id) = self.selected()
            && !self.marks.remove(&id)
        {
            self.marks.insert(id);
        }
    }

    /// Whether no offer does the work by its deadline while several could, which divide it among them.
    pub fn needs_split(&self) -> bool {
        /// Rows that are checked, the cheapest first.
        const MOST: usize = 100;
        let job = self.computed.job;
        let has_time = job.is_some_and(|job| job.is_work() && job.deadline.is_some());
        has_time && self.visible_unfit() == self.view().len() && {
            let rows = self.view().iter().take(MOST);
            let mut reasons = rows.map(|row| self.shortfall(*row as usize));
            reasons.any(|reason| matches!(reason, Some(Shortfall::Late(_))))
        }
    }

    /// The unit and the model whose rate is unknown, if no row can do the job's work before it is
    /// given: rows without a rate come last.
    pub fn unknown_rate(&self) -> Option<(WorkUnit, String)> {
        let (job, listing) = (self.computed.job?, self.listing()?);
        let first = *self.view().first()? as usize;
        match Prices::new(listing, self.pricing().model).job_hours(first, &job) {
            Err(Gap::NoRate(unit, model)) => Some((unit, model)),
            Ok(_) | Err(_) => None,
        }
    }

    /// The GPUs that the search asks for, if they are more than an offer usually has.
    pub fn gpus_beyond_an_offer(&self) -> Option<f64> {
        self.gpus_asked().filter(|gpus| *gpus > USUAL_GPUS)
    }

    /// The number of GPUs that the search asks for, at the least.
    pub fn gpus_asked(&self) -> Option<f64> {
        let mut conditions = self
            .query
            .active()
            .filter(|condition| condition.field.key == "num_gpus");
        conditions.find_map(|condition| match (condition.operator, &condition.operand) {
            (Operator::Eq | Operator::Gte | Operator::Gt, Operand::One(Value::Number(gpus))) => Some(*gpus),
            _ => None,
        })
    }

    /// The number of rows and whether they are complete: `All 57 offers`, `First 500 offers, more
    /// exist`, `50 offers received, more may exist`.
    pub fn count_label(&self) -> String {
        let rows = self.listing().map_or(0, Listing::len);
        let resource = self.resource();
        let offers = format::counted(rows, resource.noun(), resource.nouns());
        if self.shows_earlier_query() {
            format!("{offers} of an earlier query")
        } else {
            match self.coverage() {
                Some(Coverage::Whole) => format!("All {offers}"),
                Some(Coverage::Cut) => format!("First {offers}, more exist"),
                Some(Coverage::Unknown) | None => format!("{offers} received, more may exist"),
            }
        }
    }

    /// Replaces the conditions on the fields of `conditions` by these; [`Browser::jump_back`]
    /// undoes it.
    pub fn narrow_to(&mut self, conditions: Vec<Condition>) {
        let mut kept = self.query.conditions.clone();
        kept.retain(|old| conditions.iter().all(|new| new.field != old.field));
        kept.extend(conditions);
        self.jump_to(kept);
    }

    /// Replaces the conditions by those of a host, a machine or a group; [`Browser::jump_back`]
    /// undoes it.
    pub fn jump_to(&mut self, conditions: Vec<Condition>) {
        let before = self.query.conditions.clone();
        // The user has changed the query since the last jump, which can no longer be undone.
        if self.jumps.last().is_some_and(|(_, to)| *to != before) {
            self.jumps.clear();
        }
        self.jumps.push((before, conditions.clone()));
        self.change_conditions(conditions);
    }

    /// Restores the conditions before the last jump; false if the query was changed since.
    pub fn jump_back(&mut self) -> bool {
        let last = self.jumps.pop();
        let Some((before, _)) = last.filter(|(_, to)| *to == self.query.conditions) else {
            self.jumps.clear();
            return false;
        };
        self.change_conditions(before);
        true
    }

    /// The condition that finds all offers of the selected offer's host.
    pub fn host_condition(&self) -> Option<Condition> {
        let field = Resource::Offers.catalog().by_key("host_id")?;
        let host = self.listing()?.cell(self.selected_row()?, field).whole()?;
        let operand = Operand::One(Value::id(host));
        Some(Condition::new(field, Operator::Eq, operand))
    }

    /// Replaces the conditions; the old query can be recalled in the bar.
    pub fn change_conditions(&mut self, conditions: Vec<Condition>) {
        let before = self.query_text();
        self.bar.remember(&before);
        self.query.conditions = conditions;
        self.revalue();
        self.show_query_in_bar();
        let after = self.query_text();
        self.bar.remember(&after);
    }
}
