//! Why so few? One wide request without the conditions, then what each of them costs, worked out
//! here.

use super::After;
use crate::api::Request;
use crate::app::browser::Browser;
use crate::app::figures::Figures;
use crate::app::keymap::Action;
use crate::app::message::Effect;
use crate::app::remote::{Now, Remote, Tickets};
use crate::domain::cost::Basis;
use crate::domain::insight::{Funnel, funnel, loosened};
use crate::domain::language;
use crate::domain::{Condition, Listing, Query, Resource};

/// How many records the wide request asks for at most: enough to judge by, soon here.
const WIDE: u32 = 2000;

/// The funnel.
#[derive(Debug)]
pub struct Why {
    /// The wide answer.
    pub remote: Remote<Listing>,
    /// The conditions that are judged: those of the query when it was opened.
    pub conditions: Vec<Condition>,
    /// What they cost, once the answer is here.
    pub funnel: Option<Funnel>,
    /// The selected line.
    pub cursor: usize,
    /// How far the rows speak for the market.
    pub loaded: String,
    limit: u32,
    /// Fills the computed columns of the wide answer; without the three prices, which belong to
    /// other rows.
    figures: Box<Figures>,
    /// What its rows are priced by.
    pricing: Basis,
}

impl Why {
    /// Asks the wide question of a browser's query.
    pub(super) fn new(browser: &Browser, tickets: &mut Tickets, now: Now) -> (Self, Vec<Effect>) {
        let (gb, _) = browser.storage();
        let priced = browser.query.priced_storage(browser.dialect());
        let limit = browser.query.limit.unwrap_or(WIDE).max(WIDE);
        let wide = Query {
            conditions: Vec::new(),
            limit: Some(limit),
            ..browser.query.clone()
        };
        let mut view = Self {
            remote: Remote::default(),
            conditions: browser.query.active().cloned().collect(),
            funnel: None,
            cursor: 0,
            loaded: String::new(),
            limit,
            figures: Box::new(browser.figures.for_other_rows()),
            pricing: Basis {
                gb: Some(gb).filter(|_| (gb - priced).abs() > 1e-9),
                ..browser.pricing()
            },
        };
        let ticket = tickets.take();
        view.remote.ask(ticket, now);
        let request = Request::Search(wide);
        (view, vec![Effect::Call { ticket, request }])
    }

    pub(super) fn rebuild(&mut self) {
        // Conditions on prices are judged by the prices on screen.
        if let Some(listing) = self.remote.shown_mut() {
            listing.price_as(self.pricing.model);
            listing.estimate_storage(self.pricing.gb);
        }
        let Some(listing) = self.remote.shown_mut() else {
            return;
        };
        if self.conditions.iter().any(|own| own.field.is_computed()) {
            match listing.catalog().resource {
                Resource::Offers => self.figures.fill_for(listing, self.pricing, None, &[]),
                Resource::Volumes => self.figures.fill_volumes(listing),
                Resource::Workergroups => {}
            }
        }
        listing.prepare(self.conditions.iter().map(|condition| condition.field));
        self.funnel = Some(funnel(listing, &self.conditions));
        self.loaded = super::loaded(listing, Some(self.limit));
    }

    /// The condition of a line as text.
    pub fn text(&self, condition: usize) -> String {
        self.conditions
            .get(condition)
            .map(language::print_condition_briefly)
            .unwrap_or_default()
    }

    /// The condition of a line loosened until the first row comes back, if it can be.
    pub fn loosened(&self, line: usize) -> Option<Condition> {
        let line = self.funnel.as_ref()?.lines.get(line)?;
        loosened(self.conditions.get(line.condition)?, line.nearest?)
    }

    pub(super) fn act(
        &mut self,
        browser: &mut Browser,
        action: Action,
        step: Option<isize>,
    ) -> After {
        let lines = self.funnel.as_ref().map_or(&[][..], |it| &it.lines);
        if let Some(step) = step {
            let last = lines.len().saturating_sub(1);
            self.cursor = self.cursor.saturating_add_signed(step).min(last);
            return After::Stay;
        }
        let Some(relaxed) = lines
            .get(self.cursor)
            .and_then(|line| self.conditions.get(line.condition))
        else {
            return After::Stay;
        };
        let replacement = match action {
            Action::Submit => None,
            Action::Loosen => match self.loosened(self.cursor) {
                Some(condition) => Some(condition),
                None => return After::Stay,
            },
            _ => return After::Stay,
        };
        let mut conditions = browser.query.conditions.clone();
        let place = conditions.iter().position(|own| own == relaxed);
        match (place, replacement) {
            (Some(place), Some(condition)) => conditions[place] = condition,
            (Some(place), None) => {
                conditions.remove(place);
            }
            // The query was changed meanwhile and does not have the condition any more.
            (None, _) => return After::Stay,
        }
        browser.change_conditions(conditions);
        After::Ask
    }
}
