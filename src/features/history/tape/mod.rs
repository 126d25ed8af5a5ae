//! The tape: the listed, repriced and departed offers, newest first.

mod draw;
pub mod events;
mod flows;

use std::collections::HashMap;

use ratatui::layout::Rect;

use self::events::RecentEvents;
use super::subject::{Subject, subjects};
use super::{Asked, Recalled};
use crate::core::State;
use crate::core::view::{Availability, Cx, Outcome, Region, Scene, View};
use crate::core::views::typed_search::{TypedEvent, TypedSearch};
use crate::domain::time::{MonotonicTime, Now};
use crate::domain::{Condition, Operand, Operator, Query, Resource, Value, format};
use crate::features::history::Recall;
use crate::keys::{Action, Context};
use crate::record::differences::recorded_lot;
use crate::record::{Cause, Change, ChangeKind, DAY, Event, EventKind, Question};
use crate::tui::input_widget::InputWidget;

/// Number of days that the tape covers.
///
/// The tape is for recent events; the history shows longer times.
const DAYS: i64 = 7;

/// Maximum width of a cluster's place, in cells.
const PLACE: usize = 20;

/// Maximum number of events that are read.
///
/// As many as anyone scrolls through.
const MOST: usize = 2_000;

const SEARCH: Region = Region(3);

/// The events of the search, or of the selected offer's model, size or machine.
#[derive(Debug)]
pub(crate) struct Tape {
    resource: Resource,
    /// The storage in GB that prices include.
    storage: f64,
    /// The available subjects, the search first.
    subjects: Vec<Subject>,
    index: usize,
    asked: Option<Asked<RecentEvents>>,
    /// The number of responses when the analysis was started.
    responses: u64,
    events: Vec<Event>,
    /// The indices of the events that match the words.
    rows: Vec<usize>,
    /// The sums of those events.
    flows: flows::Flows,
    /// The places of the loaded clusters of volumes.
    places: HashMap<i64, String>,
    search: TypedSearch,
    cursor: usize,
    /// The reason the record cannot be read.
    failure: Option<String>,
}

impl Tape {
    /// The tape of the open pane's search; `None` if the pane has no table.
    pub fn new(cx: &mut Cx<'_>) -> Option<Self> {
        let browser = cx.state().browser()?;
        let mut tape = Self {
            resource: browser.resource(),
            storage: browser.storage().0,
            subjects: Vec::new(),
            index: 0,
            asked: None,
            responses: 0,
            events: Vec::new(),
            rows: Vec::new(),
            flows: flows::Flows::default(),
            places: HashMap::new(),
            search: TypedSearch::default(),
            cursor: 0,
            failure: None,
        };
        tape.subjects = subjects(cx.state());
        tape.subjects.sort_by_key(|subject| !subject.is_search);
        tape.ask(cx);
        tape.take_answer(cx.state());
        Some(tape)
    }

    /// Starts the analysis of the selected subject's newest events in the last seven days, at most `MOST`;
    /// nothing happens before the table has a response.
    fn ask(&mut self, cx: &mut Cx<'_>) {
        self.storage = cx.state().browsers[self.resource].storage().0;
        self.responses = cx.state().browsers[self.resource].polls();
        let subject = self.subjects.get(self.index).filter(|subject| !subject.is_search);
        let shown = cx.state().browsers[self.resource].shown_query();
        let Some(query) = subject.map(|subject| &subject.query).or(shown) else {
            return;
        };
        let query = Query {
            storage: Some(self.storage),
            ..query.clone()
        };
        let question = Question::of_last(DAYS * DAY, query, cx.now.epoch.moment());
        self.asked = Some(super::ask(cx, RecentEvents { question, most: MOST }));
    }

    /// Shows the output of the analysis once it is finished, or its error without events; until then the last
    /// one stays.
    fn take_answer(&mut self, state: &State) {
        match self.asked.as_ref().map(|asked| Recall::read(state).output(asked)) {
            Some(Recalled::Here(events)) => {
                self.failure = None;
                self.events.clone_from(events);
            }
            Some(Recalled::Failed(error)) => {
                self.failure = Some(error.to_string());
                self.events.clear();
            }
            Some(Recalled::Awaited) | None => return,
        }
        self.narrow(state);
    }

    /// Lists the events that match the typed words; without words, all except moves into and out of the
    /// results. Recomputes the sums from the listed ones.
    fn narrow(&mut self, state: &State) {
        self.places = places(state, self.resource);
        let matches = |event: &Event| {
            if self.search.words.text().trim().is_empty() {
                is_news(event)
            } else {
                self.search.matches(&self.text(event, state))
            }
        };
        let events = self.events.iter().enumerate();
        let rows = events.filter(|(_, event)| matches(event)).map(|(index, _)| index);
        self.rows = rows.collect();
        self.flows = flows::flows(self);
        self.cursor = self.cursor.min(self.rows.len().saturating_sub(1));
    }

    /// The text of an event that the words are searched in: machine, model, place of a cluster and change, or
    /// `not watched` for a gap.
    fn text(&self, event: &Event, state: &State) -> String {
        match &event.kind {
            EventKind::NotWatched { .. } => "not watched".to_owned(),
            EventKind::Change { change, .. } => format!(
                "{} {} {} {}",
                change.lot.machine,
                change.lot.model,
                self.place(change.lot.machine),
                what(change, self.cause(change, state))
            ),
        }
    }

    /// The cause of a lot's departure, as recorded or as a search has determined since. `None` for a change
    /// that is no departure.
    fn cause(&self, change: &Change, state: &State) -> Option<Cause> {
        let ChangeKind::Gone(cause) = change.kind else {
            return None;
        };
        let watch = state.browsers[self.resource].watching();
        let known = watch.and_then(|watch| watch.cause(&change.lot));
        Some(if cause == Cause::Unknown {
            known.unwrap_or(cause)
        } else {
            cause
        })
    }

    /// The place of a cluster; empty if none of its volumes is loaded, and for machines.
    fn place(&self, cluster: i64) -> &str {
        self.places.get(&cluster).map_or("", String::as_str)
    }

    /// The event under the cursor; `None` if none is listed.
    fn selected(&self) -> Option<&Event> {
        self.events.get(*self.rows.get(self.cursor)?)
    }

    /// Closes all views and searches every offer of the selected event's machine (for volumes, its cluster);
    /// only complains for a gap, or if no event is selected. Where the market cannot filter by machine, the
    /// search is also for its host, if that is known.
    fn go_to_machine(&self, cx: &mut Cx<'_>) {
        let Some(EventKind::Change { change, .. }) = self.selected().map(|event| &event.kind) else {
            return cx.complain("Nothing was watched then");
        };
        let browser = cx.table(self.resource);
        let key = match self.resource {
            Resource::Offers => "machine_id",
            Resource::Volumes | Resource::Workergroups => "cluster_id",
        };
        let condition = |key: &str, id: i64| {
            let field = self.resource.catalog().by_key(key)?;
            let id = Operand::One(Value::id(i128::from(id)));
            Some(Condition::new(field, Operator::Eq, id))
        };
        let machine = condition(key, change.lot.machine);
        // Where the market takes no machines, they are picked from all of the host's.
        let is_sent = machine
            .as_ref()
            .is_some_and(|condition| browser.dialect().sends(condition.field));
        let host = change.host.filter(|_| !is_sent);
        let host = host.and_then(|host| condition("host_id", host));
        browser.jump_to(machine.into_iter().chain(host).collect());
        cx.close_all();
        cx.perform_on_pane(Action::Refresh);
    }

    /// Handles an action while words are typed: their changes, and moves of the cursor.
    fn on_search(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        match self.search.update(action) {
            TypedEvent::Ignored => return Outcome::Ignored,
            TypedEvent::Changed => self.narrow(cx.state()),
            TypedEvent::Step(by) => self.step(by),
        }
        Outcome::Handled
    }

    /// Moves the cursor `by` lines, within the listed events.
    fn step(&mut self, by: isize) {
        let last = self.rows.len().saturating_sub(1);
        self.cursor = self.cursor.saturating_add_signed(by).min(last);
    }
}

/// The place of each cluster whose volumes are loaded, up to 20 cells; empty for other resources.
fn places(state: &State, resource: Resource) -> HashMap<i64, String> {
    let listing = state.browsers[resource].listing();
    let Some(listing) = listing.filter(|_| resource == Resource::Volumes) else {
        return HashMap::new();
    };
    let rows = 0..u32::try_from(listing.len()).unwrap_or(u32::MAX);
    rows.filter_map(|row| {
        let cluster = recorded_lot(listing, row)?.machine;
        Some((cluster, format::cell_of(listing, row as usize, "geolocation", PLACE)))
    })
    .collect()
}

/// Whether an event is a change on the market, or a gap between polls.
///
/// A lot that appears in the results, or moves past the limit, may have done so because of the search only:
/// such events are shown only if the typed words match them.
fn is_news(event: &Event) -> bool {
    match &event.kind {
        EventKind::NotWatched { .. } => true,
        EventKind::Change { change, .. } => !matches!(change.kind, ChangeKind::IntoView | ChangeKind::OutOfView),
    }
}

/// The change of an offer in up to three words; `cause` is used for departures only, which are `gone` without
/// it.
fn what(change: &Change, cause: Option<Cause>) -> &'static str {
    match change.kind {
        ChangeKind::Listed => "listed",
        ChangeKind::IntoView => "in results",
        ChangeKind::OutOfView => "past the limit",
        ChangeKind::Repriced { from } if change.price < from => "cheaper",
        ChangeKind::Repriced { .. } => "more expensive",
        ChangeKind::Resized { .. } => "resized",
        ChangeKind::Gone(_) => match cause {
            Some(Cause::Rented) => "rented",
            Some(Cause::LeftTheSearch) => "left the search",
            Some(Cause::Delisted) => "delisted",
            Some(Cause::Unknown) | None => "gone",
        },
    }
}

impl View for Tape {
    fn contexts(&self) -> &'static [Context] {
        if self.search.is_typing {
            return &[Context::Query, Context::Always];
        }
        &[Context::Tabs, Context::Report, Context::Global, Context::Always]
    }

    fn availability(&self, action: Action, _: &State) -> Availability {
        match action {
            Action::Newer | Action::Older | Action::Left if !self.search.is_typing => Availability::Hidden,
            // They are about the table below.
            Action::Complete | Action::Copy | Action::Export => Availability::Hidden,
            Action::Submit if !self.search.is_typing && self.rows.is_empty() => Availability::Hidden,
            _ => Availability::Available,
        }
    }

    fn hint(&self, action: Action) -> Option<&'static str> {
        match action {
            Action::Query => Some("filter"),
            Action::Submit if self.search.is_typing => Some("keep"),
            Action::Submit if self.resource == Resource::Volumes => Some("cluster's volumes"),
            Action::Submit => Some("machine's offers"),
            Action::Right => Some("subject"),
            Action::Back if self.search.is_typing => Some("clear filter"),
            _ => None,
        }
    }

    fn update(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        if self.search.is_typing {
            return self.on_search(action, cx);
        }
        if let Some(by) = cx.motion(action) {
            self.step(by);
            return Outcome::Handled;
        }
        match action {
            Action::Query => self.search.is_typing = true,
            Action::Submit => self.go_to_machine(cx),
            Action::Left | Action::Right => {
                let many = self.subjects.len().max(1);
                let step = if action == Action::Left { many - 1 } else { 1 };
                self.index = (self.index + step) % many;
                self.ask(cx);
                self.take_answer(cx.state());
            }
            Action::Back if !self.search.words.is_empty() => {
                self.search.words.set("");
                self.narrow(cx.state());
            }
            _ => return Outcome::Ignored,
        }
        Outcome::Handled
    }

    fn widget<'a>(&'a mut self, _: &'a mut Cx<'_>) -> Option<&'a mut dyn InputWidget> {
        self.search.widget()
    }

    fn text_changed(&mut self, cx: &mut Cx<'_>) {
        self.narrow(cx.state());
    }

    fn click(&mut self, region: Region, line: usize, cx: &mut Cx<'_>) -> Outcome {
        match region {
            SEARCH => self.search.is_typing = true,
            _ if self.cursor == line => self.go_to_machine(cx),
            _ => self.cursor = line.min(self.rows.len().saturating_sub(1)),
        }
        Outcome::Handled
    }

    fn deadline(&self, state: &State, now: Now) -> Option<MonotonicTime> {
        // A response has been recorded since: its events are read at once.
        (state.browsers[self.resource].polls() != self.responses).then(|| Recall::read(state).due(now))
    }

    fn tick(&mut self, cx: &mut Cx<'_>) {
        let is_due = Recall::read(cx.state()).due(cx.now) <= cx.now.mono;
        if is_due && cx.state().browsers[self.resource].polls() != self.responses {
            self.ask(cx);
        }
        self.take_answer(cx.state());
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        draw::tape(self, area, scene);
    }
}
