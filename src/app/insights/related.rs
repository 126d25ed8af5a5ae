//! What else the machine and the host of an offer have: slices, prices of one more GPU, shares.

use super::After;
use crate::api::Request;
use crate::app::browser::Browser;
use crate::app::keymap::Action;
use crate::app::message::Effect;
use crate::app::overlay::Overlay;
use crate::app::remote::{Now, Remote, Tickets};
use crate::domain::cost::Prices;
use crate::domain::field::Operator;
use crate::domain::insight::{Share, Slice, same_host, share, slices};
use crate::domain::{CellRef, Condition, Listing, Operand, Query, Resource, RowId, Value, format};

/// One offer of the same host.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Its id.
    pub id: RowId,
    /// Its machine, as text.
    pub machine: String,
    /// Whether that is the machine of the offer that was asked about.
    pub is_same_machine: bool,
    /// Number and model of its GPUs.
    pub title: String,
    /// Its prices beside those of its siblings.
    pub slice: Slice,
    /// Whether it can be rented now, if the record says.
    pub rentable: Option<bool>,
}

/// The view.
#[derive(Debug)]
pub struct Related {
    /// The offer that was asked about.
    pub id: RowId,
    /// The host's answer, once it is here.
    pub remote: Remote<Listing>,
    /// The offers: those of the same machine first.
    pub lines: Vec<Line>,
    /// What the offer gets of its machine.
    pub share: Share,
    /// Number and model of its GPUs.
    pub title: String,
    /// Its machine and host, as text.
    pub place: (String, String),
    /// Where the lines come from, and how far they speak for the market.
    pub source: String,
    /// The selected line.
    pub cursor: usize,
    host: Option<Condition>,
    limit: Option<u32>,
}

impl Related {
    /// Shows what is loaded of the selected offer's host and asks for all of it.
    pub(super) fn new(browser: &Browser, tickets: &mut Tickets, now: Now) -> (Self, Vec<Effect>) {
        let mut view = Self {
            id: browser.selected().unwrap_or(RowId(0)),
            remote: Remote::default(),
            lines: Vec::new(),
            share: Share::default(),
            title: String::new(),
            place: (String::new(), String::new()),
            source: String::new(),
            cursor: 0,
            host: host_condition(browser),
            limit: browser.query.limit,
        };
        let effects = view.ask(browser, tickets, now);
        view.rebuild(browser);
        let own = view.lines.iter().position(|line| line.id == view.id);
        view.cursor = own.unwrap_or(0);
        (view, effects)
    }

    /// Asks for every offer of the host, rented ones and unverified ones too.
    fn ask(&mut self, browser: &Browser, tickets: &mut Tickets, now: Now) -> Vec<Effect> {
        let Some(host) = self.host.clone() else {
            return Vec::new();
        };
        let query = Query {
            conditions: vec![host],
            ..browser.query.clone()
        };
        self.limit = query.limit;
        let ticket = tickets.take();
        let mut effects: Vec<_> = self
            .remote
            .ask(ticket, now)
            .map(Effect::Abort)
            .into_iter()
            .collect();
        let request = Request::Search(query);
        effects.push(Effect::Call { ticket, request });
        effects
    }

    pub(super) fn rebuild(&mut self, browser: &Browser) {
        let Some(here) = browser.listing() else {
            return;
        };
        if let Some(row) = here.row(self.id) {
            self.share = share(here, row);
            self.title = title(here, u32::try_from(row).unwrap_or(0));
            let cell = |key: &str| text(here, row, key);
            self.place = (cell("machine_id"), cell("host_id"));
        }
        let answer = self
            .remote
            .shown()
            .and_then(|listing| Some((listing, listing.row(self.id)?)));
        let pricing = browser.pricing();
        let (listing, row, source) = match (answer, here.row(self.id)) {
            (Some((listing, row)), _) => {
                let loaded = super::loaded(listing, self.limit);
                (listing, row, format!("asked of the market: {loaded}"))
            }
            (None, Some(row)) => {
                let limit = browser.shown_query().and_then(|query| query.limit);
                let loaded = super::loaded(here, limit);
                (here, row, format!("from what is loaded: {loaded}"))
            }
            (None, None) => return,
        };
        self.source = source;
        let prices = Prices::new(listing, pricing.model);
        let chosen = self.lines.get(self.cursor).map(|line| line.id);
        self.lines = lines(&prices, row, pricing.gb);
        let place = self.lines.iter().position(|line| Some(line.id) == chosen);
        let last = self.lines.len().saturating_sub(1);
        self.cursor = place.unwrap_or_else(|| self.cursor.min(last));
    }

    pub(super) fn act(
        &mut self,
        browser: &mut Browser,
        tickets: &mut Tickets,
        now: Now,
        action: Action,
        step: Option<isize>,
        effects: &mut Vec<Effect>,
    ) -> After {
        if let Some(step) = step {
            let last = self.lines.len().saturating_sub(1);
            self.cursor = self.cursor.saturating_add_signed(step).min(last);
            return After::Stay;
        }
        match action {
            Action::Refresh => effects.extend(self.ask(browser, tickets, now)),
            Action::Submit => {
                let chosen = self.lines.get(self.cursor).map(|line| line.id);
                let is_loaded = |id: &RowId| {
                    let row = browser.listing().and_then(|listing| listing.row(*id));
                    row.is_some_and(|row| browser.view().iter().any(|own| *own as usize == row))
                };
                if let Some(id) = chosen.filter(is_loaded) {
                    browser.select_id(id);
                    return After::Over(Box::new(Overlay::Detail { scroll: 0 }));
                }
                if let Some(host) = self.host.clone() {
                    browser.change_conditions(vec![host]);
                    if let Some(id) = chosen {
                        browser.select_id(id);
                    }
                    return After::Ask;
                }
            }
            _ => {}
        }
        After::Stay
    }
}

/// The condition that finds all offers of the selected offer's host.
fn host_condition(browser: &Browser) -> Option<Condition> {
    let field = Resource::Offers.catalog().by_key("host_id")?;
    let host = browser
        .listing()?
        .cell(browser.selected_row()?, field)
        .whole()?;
    let operand = Operand::One(Value::id(host));
    Some(Condition::new(field, Operator::Eq, operand))
}

fn text(listing: &Listing, row: usize, key: &str) -> String {
    let field = listing.catalog().by_key(key);
    field.map_or_else(String::new, |field| format::cell(listing, row, field, 20))
}

/// The slices of every machine of the host, the offer's own machine first.
fn lines(prices: &Prices<'_>, row: usize, gb: Option<f64>) -> Vec<Line> {
    let listing = prices.listing();
    let catalog = listing.catalog();
    let machine = |row: usize| {
        catalog
            .by_key("machine_id")
            .and_then(|field| listing.cell(row, field).whole())
    };
    let rentable = |row: usize| match listing.cell(row, catalog.by_key("rentable")?) {
        CellRef::Flag(flag) => Some(flag),
        _ => None,
    };
    let own = machine(row);
    let mut found: Vec<Slice> = slices(prices, row, gb);
    let mut seen: Vec<u32> = found.iter().map(|slice| slice.row).collect();
    for other in same_host(listing, row) {
        if seen.contains(&other) {
            continue;
        }
        let theirs = slices(prices, other as usize, gb);
        let none = theirs.is_empty();
        seen.extend(theirs.iter().map(|slice| slice.row));
        // Another machine's GPUs have the same numbers and are others.
        found.extend(theirs.into_iter().map(|slice| Slice {
            overlaps: Some(false),
            ..slice
        }));
        if none {
            seen.push(other);
        }
    }
    found
        .into_iter()
        .filter_map(|slice| {
            let place = slice.row as usize;
            Some(Line {
                id: listing.id(place)?,
                machine: text(listing, place, "machine_id"),
                is_same_machine: own.is_some() && machine(place) == own,
                title: title(listing, slice.row),
                rentable: rentable(place),
                slice,
            })
        })
        .collect()
}

/// What an offer is, in a few words.
fn title(listing: &Listing, row: u32) -> String {
    let cell = |key: &str| {
        let field = listing.catalog().by_key(key)?;
        Some(format::cell(listing, row as usize, field, 16))
    };
    match (cell("num_gpus"), cell("gpu_name")) {
        (Some(count), Some(name)) => format!("{count}x {name}"),
        _ => String::new(),
    }
}
