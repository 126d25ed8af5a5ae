//! Why so few? What each filter removes, computed from one search without filters.

mod draw;

use ratatui::layout::Rect;

use crate::api::Request;
use crate::core::State;
use crate::core::searched::Searched;
use crate::core::view::{Availability, Cx, Outcome, Placement, Region, Response, Scene, View};
use crate::core::views::searched;
use crate::domain::cost::Basis;
use crate::domain::insight::{Coverage, FunnelLine, coverage, funnel, loosened, won_back};
use crate::domain::{Condition, Listing, Query, Resource, language};
use crate::keys::{Action, Context};
use crate::table::computed_columns::ComputedColumns;
use crate::table::remote::{Now, Remote, Ticket, Waiting};
use crate::widgets::find::Find;

/// The limit of the search: enough to judge by, and fast.
const WIDE: u32 = 2000;

/// The effect of a filter, and of a looser one.
#[derive(Debug, Clone, PartialEq)]
struct Step {
    condition: Condition,
    cost: FunnelLine,
    /// The filter loosened until the first row comes back, and how many rows come back then.
    looser: Option<(Condition, usize)>,
    /// Another filter to remove as well, and how many rows come back then, if this one brings none.
    with: Option<(Condition, usize)>,
}

#[derive(Debug)]
pub struct Funnel {
    remote: Remote<Listing>,
    query: Query,
    /// The filters of the query when the funnel was opened.
    conditions: Vec<Condition>,
    steps: Vec<Step>,
    /// Rows that meet all of them, and all rows.
    counts: (usize, usize),
    /// Whether the limit truncated the response.
    is_cut: bool,
    cursor: usize,
    /// Computes the columns of the response; without the three prices, which belong to other rows.
    computed: Box<ComputedColumns>,
    /// The price basis of its rows.
    pricing: Basis,
    find: Find,
}

/// Opens the funnel of the pane's query and sends its search.
pub fn open(cx: &mut Cx<'_>) -> bool {
    let Some(mut view) = Funnel::new(cx.state()) else {
        return false;
    };
    view.send(cx);
    cx.open(view);
    true
}

impl Funnel {
    fn new(state: &State) -> Option<Self> {
        let browser = state.browser()?;
        let (gb, _) = browser.storage();
        let priced = browser.query.priced_storage(browser.dialect());
        Some(Self {
            remote: Remote::default(),
            query: Query {
                conditions: Vec::new(),
                limit: Some(browser.query.limit.unwrap_or(WIDE).max(WIDE)),
                ..browser.query.clone()
            },
            conditions: browser.query.active().cloned().collect(),
            steps: Vec::new(),
            counts: (0, 0),
            is_cut: false,
            cursor: 0,
            computed: Box::new(browser.computed.for_other_rows()),
            pricing: Basis {
                gb: Some(gb).filter(|_| (gb - priced).abs() > 1e-9),
                ..browser.pricing()
            },
            find: Find::default(),
        })
    }

    fn send(&mut self, cx: &mut Cx<'_>) {
        let ticket = cx.send(Request::Search(self.query.clone()));
        if let Some(superseded) = self.remote.ask(ticket, cx.now) {
            cx.abort(superseded);
        }
    }

    fn rebuild(&mut self) {
        let Some(listing) = self.remote.shown_mut() else {
            return;
        };
        // Filters on prices are judged by the prices on screen.
        listing.price_as(self.pricing.model);
        listing.estimate_storage(self.pricing.gb);
        if self.conditions.iter().any(|own| own.field.is_computed()) {
            match listing.catalog().resource {
                Resource::Offers => self.computed.fill_for(listing, self.pricing, None, &[]),
                Resource::Volumes => self.computed.fill_volumes(listing),
                Resource::Workergroups => {}
            }
        }
        listing.prepare(self.conditions.iter().map(|condition| condition.field));
        let funnel = funnel(listing, &self.conditions);
        self.counts = (funnel.matching, funnel.total);
        self.is_cut = coverage(listing, self.query.limit) != Coverage::Whole;
        let step = |cost: FunnelLine| {
            let condition = self.conditions.get(cost.condition)?.clone();
            let looser = cost
                .nearest
                .and_then(|value| loosened(&condition, value))
                .map(|looser| {
                    let many = won_back(listing, &self.conditions, cost.condition, &looser);
                    (looser, many)
                });
            let partner = cost.partner.filter(|_| cost.last == 0);
            let with = partner.and_then(|(place, together)| {
                let own = |line: &&FunnelLine| line.condition == place;
                let alone = funnel.lines.iter().find(own)?.last;
                Some((self.conditions.get(place)?.clone(), together + alone))
            });
            Some(Step {
                condition,
                cost,
                looser,
                with,
            })
        };
        self.steps = funnel.lines.iter().copied().filter_map(step).collect();
        self.cursor = self.cursor.min(self.steps.len().saturating_sub(1));
    }

    /// The selected filter, loosened until rows come back.
    fn looser(&self) -> Option<&Condition> {
        let (looser, _) = self.steps.get(self.cursor)?.looser.as_ref()?;
        Some(looser)
    }

    /// Replaces or removes the selected filter, and runs the query.
    fn replace(&self, replacement: Option<Condition>, cx: &mut Cx<'_>) {
        let Some(step) = self.steps.get(self.cursor) else {
            return;
        };
        let Some(browser) = cx.pane_table() else {
            return;
        };
        let mut conditions = browser.query.conditions.clone();
        let place = conditions.iter().position(|own| *own == step.condition);
        match (place, replacement) {
            (Some(place), Some(condition)) => conditions[place] = condition,
            (Some(place), None) => {
                conditions.remove(place);
            }
            // The query has changed meanwhile.
            (None, _) => return,
        }
        browser.change_conditions(conditions);
        cx.close_all();
        cx.perform_on_pane(Action::Refresh);
    }
}

impl Searched for Funnel {
    fn find(&mut self) -> &mut Find {
        &mut self.find
    }

    fn texts(&self, _: &State) -> Vec<String> {
        let steps = self.steps.iter();
        steps
            .map(|step| language::print_condition_briefly(&step.condition))
            .collect()
    }

    fn line(&self, _: &State) -> usize {
        self.cursor
    }

    fn go_to_line(&mut self, line: usize, _: &mut Cx<'_>) {
        self.cursor = line;
    }
}

impl View for Funnel {
    fn contexts(&self) -> &'static [Context] {
        searched::contexts(&self.find, searched::CHART)
    }

    fn placement(&self) -> Placement {
        Placement::Dialog
    }

    fn availability(&self, action: Action, _: &State) -> Availability {
        match action {
            Action::Left | Action::Sort | Action::Mark | Action::Differences | Action::Settings => Availability::Hidden,
            Action::Submit | Action::Right if self.steps.is_empty() => Availability::Hidden,
            Action::Right if self.looser().is_none() => {
                let why = "Only a bound that removes rows alone can be loosened";
                Availability::Disabled(why.to_owned())
            }
            _ => Availability::Available,
        }
    }

    fn hint(&self, action: Action) -> Option<&'static str> {
        match action {
            Action::Submit => Some("remove"),
            Action::Right => Some("loosen"),
            _ => None,
        }
    }

    fn search(&self) -> Option<&Find> {
        Some(&self.find)
    }

    fn searched(&mut self) -> Option<&mut dyn Searched> {
        Some(self)
    }

    fn update(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        if let Some(lines) = cx.motion(action) {
            let last = self.steps.len().saturating_sub(1);
            self.cursor = self.cursor.saturating_add_signed(lines).min(last);
            return Outcome::Handled;
        }
        match action {
            Action::Submit => self.replace(None, cx),
            Action::Right => {
                if let Some(looser) = self.looser() {
                    self.replace(Some(looser.clone()), cx);
                }
            }
            Action::Refresh => self.send(cx),
            Action::Back | Action::Quit => cx.close(),
            _ => return Outcome::Ignored,
        }
        Outcome::Handled
    }

    fn click(&mut self, region: Region, line: usize, cx: &mut Cx<'_>) -> Outcome {
        if region != Region::MAIN {
            return Outcome::Ignored;
        }
        if std::mem::replace(&mut self.cursor, line) == line {
            self.replace(None, cx);
        }
        Outcome::Handled
    }

    fn response(&mut self, ticket: Ticket, response: Response, cx: &mut Cx<'_>) -> Option<Response> {
        let left = self.remote.take_records(ticket, cx.now, response);
        if left.is_none() {
            self.rebuild();
        }
        left
    }

    fn progress(&mut self, ticket: Ticket, attempt: u32, waiting: Option<&Waiting>) {
        self.remote.progress(ticket, attempt, waiting.cloned());
    }

    fn deadline(&self, _: &State, now: Now) -> Option<f64> {
        self.remote.is_loading().then_some(now.mono + 0.25)
    }

    fn closing(&mut self, cx: &mut Cx<'_>) {
        if let Some(ticket) = self.remote.cancel() {
            cx.abort(ticket);
        }
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        draw::funnel(self, area, scene);
    }
}
