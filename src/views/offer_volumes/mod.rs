//! The network volumes that suit an offer: those of its cluster, else of its country, with the
//! monthly cost of both.

mod draw;

use ratatui::layout::Rect;

use super::searched;
use super::term::Term;
use crate::api::Request;
use crate::app::State;
use crate::app::keymap::{Action, Context};
use crate::app::pane::Pane;
use crate::app::remote::{Now, Remote, Ticket, Waiting};
use crate::app::searched::Searched;
use crate::app::view::{Availability, Cx, Outcome, Region, Response, Scene, View};
use crate::domain::cost::{
    self, Basket as Costs, Gap, Prices, Proximity, VolumeCost, VolumePrices,
};
use crate::domain::insight::Standing;
use crate::domain::{Listing, Resource, RowId, format, language};
use crate::widgets::find::Find;

/// The limit of the volume search.
const LIMIT: u32 = 500;

/// The volumes last loaded for an offer, for the next time.
#[derive(Debug)]
struct Loaded(Remote<Listing>);

/// A volume that suits the offer.
#[derive(Debug)]
struct Match {
    id: RowId,
    /// Its row in the list of volumes.
    row: usize,
    by: Proximity,
    volume: Result<VolumeCost, Gap>,
    /// The monthly cost of offer and volume.
    both: Result<Costs, Gap>,
}

#[derive(Debug)]
pub struct OfferVolumes {
    offer: RowId,
    /// $ per hour of the offer.
    hourly: Result<f64, Gap>,
    /// Volumes requested here; without them those of the Volumes pane.
    remote: Remote<Listing>,
    standing: Standing,
    /// Those of the same cluster, or of the country; cheapest first.
    matches: Vec<Match>,
    cursor: usize,
    find: Find,
}

impl Searched for OfferVolumes {
    fn find(&mut self) -> &mut Find {
        &mut self.find
    }

    fn texts(&self, state: &State) -> Vec<String> {
        let Some(volumes) = self.volumes(state) else {
            return Vec::new();
        };
        let place = volumes.catalog().by_key("geolocation");
        let text = |line: &Match| {
            let place = place.map(|place| format::cell(volumes, line.row, place, 80));
            format!("{} {}", line.id, place.unwrap_or_default())
        };
        self.matches.iter().map(text).collect()
    }

    fn line(&self, _: &State) -> usize {
        self.cursor
    }

    fn go_to_line(&mut self, line: usize, _: &mut State) {
        self.select(line);
    }
}

impl OfferVolumes {
    /// The volumes for the selected offer. The market is queried only if none are loaded.
    pub fn open(cx: &mut Cx<'_>) -> bool {
        let Some(offer) = cx.state.browsers[Resource::Offers].selected() else {
            return false;
        };
        let loaded = cx.state.drafts.take::<Loaded>();
        let mut view = Self {
            offer,
            hourly: Err(Gap::Missing("id")),
            remote: loaded.map(|loaded| loaded.0).unwrap_or_default(),
            standing: Standing::default(),
            matches: Vec::new(),
            cursor: 0,
            find: Find::default(),
        };
        view.rebuild(cx.state);
        if view.volumes(cx.state).is_none() {
            view.ask(cx);
        }
        cx.open(view);
        true
    }

    fn volumes<'a>(&'a self, state: &'a State) -> Option<&'a Listing> {
        let loaded = self.remote.shown();
        loaded.or_else(|| state.browsers[Resource::Volumes].listing())
    }

    fn ask(&mut self, cx: &mut Cx<'_>) {
        let mut query = language::default_query(Resource::Volumes, cx.state.profile.dialect);
        query.limit = Some(LIMIT);
        let ticket = cx.send(Request::Search(query));
        if let Some(superseded) = self.remote.ask(ticket, cx.now) {
            cx.abort(superseded);
        }
    }

    fn current(&self) -> Option<&Match> {
        self.matches.get(self.cursor)
    }

    fn select(&mut self, place: usize) {
        self.cursor = place.min(self.matches.len().saturating_sub(1));
    }

    fn rebuild(&mut self, state: &State) {
        let offers = &state.browsers[Resource::Offers];
        let found = offers
            .listing()
            .and_then(|listing| Some((listing, listing.row(self.offer)?)));
        let Some((listing, row)) = found else { return };
        let pricing = offers.pricing();
        let hourly = Prices::new(listing, pricing.model).hourly(row, pricing.gb);
        let selected = self.current().map(|line| line.id);
        let matches = self.volumes(state).map_or_else(Vec::new, |volumes| {
            matches(state, &hourly, (listing, row), volumes)
        });
        self.hourly = hourly;
        self.standing = Standing::default();
        self.matches = matches;
        let kept = self
            .matches
            .iter()
            .position(|line| Some(line.id) == selected);
        self.select(kept.unwrap_or(0));
    }

    /// Goes to the selected volume in the Volumes pane.
    fn show(&self, cx: &mut Cx<'_>) {
        let Some(id) = self.current().map(|line| line.id) else {
            return;
        };
        let volumes = &mut cx.state.browsers[Resource::Volumes];
        volumes.select_id(id);
        let is_hidden = volumes
            .listing()
            .is_some_and(|listing| listing.row(id).is_none());
        if is_hidden {
            let key = cx.state.keymap.key_of(Action::Query);
            cx.complain(format!(
                "Your search hides volume {id}: widen it with {key}"
            ));
        }
        cx.go_to(Pane::Volumes);
    }
}

fn matches(
    state: &State,
    hourly: &Result<f64, Gap>,
    (offers, row): (&Listing, usize),
    volumes: &Listing,
) -> Vec<Match> {
    let term = state.browsers[Resource::Volumes].computed.term;
    let term = term.unwrap_or_default();
    let now = volumes.read_at();
    let prices = VolumePrices::new(volumes);
    let found = cost::volumes_for(offers, row, volumes);
    let is_in_cluster = found.iter().any(|found| found.by == Proximity::Cluster);
    let mut matches: Vec<Match> = found
        .into_iter()
        // A volume of the country is second choice: only without one of the cluster.
        .filter(|found| !is_in_cluster || found.by == Proximity::Cluster)
        .filter_map(|found| {
            let place = found.row as usize;
            let volume = prices.cost(place, &term, now);
            let both = match (hourly, &volume) {
                (Ok(hourly), Ok(volume)) => cost::basket(*hourly, volume),
                (Err(gap), _) | (_, Err(gap)) => Err(*gap),
            };
            Some(Match {
                id: volumes.id(place)?,
                row: place,
                by: found.by,
                volume,
                both,
            })
        })
        .collect();
    // Whatever the price, a volume that cannot serve the term comes last.
    matches.sort_by_key(|line| prices.cannot_serve(line.row, &term, now));
    matches
}

impl View for OfferVolumes {
    fn contexts(&self) -> &'static [Context] {
        searched::contexts(
            &self.find,
            [
                &[
                    Context::Items,
                    Context::Report,
                    Context::Global,
                    Context::Always,
                ],
                &[
                    Context::Report,
                    Context::Items,
                    Context::Global,
                    Context::Always,
                ],
            ],
        )
    }

    fn hint(&self, action: Action) -> Option<&'static str> {
        match action {
            Action::Submit => Some("show volume"),
            Action::Refresh => Some("load all"),
            _ => None,
        }
    }

    fn availability(&self, action: Action, _: &State) -> Availability {
        match action {
            Action::New | Action::Settings | Action::Remove | Action::Left | Action::Right => {
                Availability::Hidden
            }
            _ => Availability::Available,
        }
    }

    fn search(&self) -> Option<&Find> {
        Some(&self.find)
    }

    fn searched(&mut self) -> Option<&mut dyn Searched> {
        Some(self)
    }

    fn update(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        if let Some(by) = cx.motion(action) {
            self.select(self.cursor.saturating_add_signed(by));
            return Outcome::Handled;
        }
        match action {
            Action::Submit => self.show(cx),
            Action::Refresh => self.ask(cx),
            Action::Job => {
                let term = Term::new(cx.state);
                cx.open(term);
            }
            Action::Back => cx.close(),
            _ => return Outcome::Ignored,
        }
        Outcome::Handled
    }

    fn click(&mut self, region: Region, line: usize, _: &mut Cx<'_>) -> Outcome {
        if region != Region::MAIN {
            return Outcome::Ignored;
        }
        self.select(line);
        Outcome::Handled
    }

    fn response(
        &mut self,
        ticket: Ticket,
        response: Response,
        cx: &mut Cx<'_>,
    ) -> Option<Response> {
        let left = self.remote.take_records(ticket, cx.now, response);
        if left.is_none() {
            self.rebuild(cx.state);
        }
        left
    }

    fn progress(&mut self, ticket: Ticket, attempt: u32, waiting: Option<&Waiting>) {
        self.remote.progress(ticket, attempt, waiting.cloned());
    }

    fn deadline(&self, _: &State, now: Now) -> Option<f64> {
        self.remote.is_loading().then_some(now.mono + 0.25)
    }

    fn rows_changed(&mut self, state: &State) {
        self.rebuild(state);
    }

    fn closing(&mut self, cx: &mut Cx<'_>) {
        if let Some(ticket) = self.remote.cancel() {
            cx.abort(ticket);
        }
        if self.remote.shown().is_some() {
            let loaded = std::mem::take(&mut self.remote);
            cx.state.drafts.put(Loaded(loaded));
        }
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        let area = searched::draw_line(&self.find, area, scene);
        draw::volumes(self, area, scene);
    }
}
