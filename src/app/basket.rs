//! An offer and the volumes that go with it: those of its cluster, else of its country, with what
//! both cost a month.

use super::actions::{go_to, movement};
use super::keymap::Action;
use super::message::{Effect, Toast};
use super::overlay::Overlay;
use super::remote::{Now, Phase};
use super::{Model, Pane};
use crate::api::Request;
use crate::domain::cost::{
    self, Basket as Costs, Gap, Prices, Proximity, VolumeCost, VolumePrices,
};
use crate::domain::{Listing, Resource, RowId, language};

/// The most volumes that are asked for.
const LIMIT: u32 = 500;

/// A volume that goes with the offer.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Its id.
    pub id: RowId,
    /// Its row in the list of volumes.
    pub row: usize,
    /// Why it goes with the offer.
    pub by: Proximity,
    /// What it costs alone, and whether it is there long enough.
    pub volume: Result<VolumeCost, Gap>,
    /// What both cost a month.
    pub both: Result<Costs, Gap>,
}

/// The view.
#[derive(Debug, Clone)]
pub struct Basket {
    /// The offer.
    pub offer: RowId,
    /// $ per hour of the offer.
    pub hourly: Result<f64, Gap>,
    /// The volumes: those of the same cluster first, each kind from the cheapest on.
    pub lines: Vec<Line>,
    /// The selected line.
    pub cursor: usize,
}

impl Basket {
    /// The selected line.
    pub fn current(&self) -> Option<&Line> {
        self.lines.get(self.cursor)
    }

    /// Selects a line.
    pub fn select(&mut self, index: usize) {
        self.cursor = index.min(self.lines.len().saturating_sub(1));
    }

    /// Moves the selection.
    pub fn step(&mut self, by: isize) {
        self.select(self.cursor.saturating_add_signed(by));
    }
}

/// The volumes to choose from: those that were asked for apart, else those of the Volumes pane.
pub fn volumes(model: &Model) -> Option<&Listing> {
    model
        .state
        .stock
        .shown()
        .or_else(|| model.state.browsers[Resource::Volumes].listing())
}

/// Where the volumes come from, in words.
pub fn source(model: &Model) -> Option<String> {
    let (listing, query) = match model.state.stock.shown() {
        Some(listing) => (listing, String::new()),
        None => (
            model.state.browsers[Resource::Volumes].listing()?,
            model.state.browsers[Resource::Volumes].query_text(),
        ),
    };
    let count = listing.len();
    Some(if model.state.stock.shown().is_some() {
        format!("of the {count} verified volumes that the market showed")
    } else {
        format!("of the {count} volumes in the Volumes pane ({query})")
    })
}

/// Why the view cannot be opened now, if it cannot.
pub(super) fn disabled(model: &Model) -> Option<String> {
    if model.state.pane != Pane::Offers {
        let key = model.state.keymap.way_to("offers");
        return Some(format!("it starts from an offer: press {key}"));
    }
    model.state.browsers[Resource::Offers]
        .selected_row()
        .is_none()
        .then(|| "no offer is selected".to_owned())
}

/// Opens the view on the selected offer. The market is asked only if no volumes are here.
pub(super) fn open(model: &mut Model, now: Now) -> Vec<Effect> {
    let Some(offer) = model.state.browsers[Resource::Offers].selected() else {
        return Vec::new();
    };
    let basket = Basket {
        offer,
        hourly: Err(Gap::Missing("id")),
        lines: Vec::new(),
        cursor: 0,
    };
    model.overlays.push(Overlay::Basket(basket));
    rebuild_at(model, now.epoch);
    if volumes(model).is_none() && !model.state.stock.is_loading() {
        ask(model, now)
    } else {
        Vec::new()
    }
}

fn ask(model: &mut Model, now: Now) -> Vec<Effect> {
    let ticket = model.state.tickets.take();
    let mut query = language::default_query(Resource::Volumes, model.state.profile.dialect);
    query.limit = Some(LIMIT);
    let superseded = model.state.stock.ask(ticket, now).map(Effect::Abort);
    let request = Request::Search(query);
    superseded
        .into_iter()
        .chain([Effect::Call { ticket, request }])
        .collect()
}

/// Works the lines out anew, at the moment the volumes were read.
pub(super) fn rebuild(model: &mut Model) {
    let read_at = volumes(model).map_or(0.0, Listing::read_at);
    rebuild_at(model, read_at);
}

fn rebuild_at(model: &mut Model, now: f64) {
    let place = model.overlays.iter().position(Overlay::is_basket);
    let Some(place) = place else { return };
    let Some(Overlay::Basket(basket)) = model.overlays.get(place) else {
        return;
    };
    let mut basket = basket.clone();
    let selected = basket.current().map(|line| line.id);
    let offer = model.state.browsers[Resource::Offers]
        .listing()
        .and_then(|offers| Some((offers, offers.row(basket.offer)?)));
    let Some((offers, row)) = offer else { return };
    let pricing = model.state.browsers[Resource::Offers].pricing();
    basket.hourly = Prices::new(offers, pricing.model).hourly(row, pricing.gb);
    basket.lines = volumes(model).map_or_else(Vec::new, |volumes| {
        lines(model, &basket, (offers, row), volumes, now)
    });
    let kept = basket
        .lines
        .iter()
        .position(|line| Some(line.id) == selected);
    basket.select(kept.unwrap_or(0));
    model.overlays[place] = Overlay::Basket(basket);
}

fn lines(
    model: &Model,
    basket: &Basket,
    (offers, row): (&Listing, usize),
    volumes: &Listing,
    now: f64,
) -> Vec<Line> {
    let term = model.state.browsers[Resource::Volumes]
        .figures
        .term
        .unwrap_or_default();
    let prices = VolumePrices::new(volumes);
    let found = cost::volumes_for(offers, row, volumes);
    let is_in_cluster = found.iter().any(|found| found.by == Proximity::Cluster);
    let mut lines: Vec<Line> = found
        .into_iter()
        // A volume of the country is second choice: only without one of the cluster.
        .filter(|found| !is_in_cluster || found.by == Proximity::Cluster)
        .filter_map(|found| {
            let place = found.row as usize;
            let volume = prices.cost(place, &term, now);
            let both = match (&basket.hourly, &volume) {
                (Ok(hourly), Ok(volume)) => cost::basket(*hourly, volume),
                (Err(gap), _) | (_, Err(gap)) => Err(*gap),
            };
            Some(Line {
                id: volumes.id(place)?,
                row: place,
                by: found.by,
                volume,
                both,
            })
        })
        .collect();
    // Whatever it costs, what cannot serve the term is no choice.
    lines.sort_by_key(|line| prices.cannot_serve(line.row, &term, now));
    lines
}

/// Does what a verb means in the view.
pub(super) fn act(model: &mut Model, now: Now, action: Action) -> Vec<Effect> {
    let page = model.facts.overlay_page.max(1);
    let Some(Overlay::Basket(basket)) = model.overlays.last_mut() else {
        return Vec::new();
    };
    if let Some(step) = movement(action, page) {
        basket.step(step);
        return Vec::new();
    }
    match action {
        Action::Back => {
            model.overlays.pop();
            // Nobody looks at the answer any more.
            return model
                .stock
                .cancel()
                .map(Effect::Abort)
                .into_iter()
                .collect();
        }
        Action::Refresh => return ask(model, now),
        Action::Submit => {
            if let Some(id) = basket.current().map(|line| line.id) {
                return show(model, now, id);
            }
        }
        _ => {}
    }
    Vec::new()
}

/// Goes to a volume in the Volumes pane.
fn show(model: &mut Model, now: Now, id: RowId) -> Vec<Effect> {
    let effects = go_to(model, now, Pane::Volumes);
    model.state.browsers[Resource::Volumes].select_id(id);
    let listing = model.state.browsers[Resource::Volumes].listing();
    if listing.is_some_and(|listing| listing.row(id).is_none()) {
        let text = format!("Volume {id} is not among these rows: widen the query with /");
        model.show(Toast::error(text, now));
    }
    effects
}

/// When the view wants to be drawn anew, on the clock that never jumps.
pub(super) fn deadline(model: &Model, now: Now) -> Option<f64> {
    let is_shown = model.overlays.iter().any(Overlay::is_basket);
    let is_loading = matches!(model.state.stock.phase(), Phase::Loading { .. });
    (is_shown && is_loading).then_some(now.mono + 0.25)
}
