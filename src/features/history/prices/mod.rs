//! The price history: lowest and typical prices over a day, a week or a month, and what was on
//! offer.

mod draw;

pub(crate) use self::draw::{chart_of_lows, lows, seconds};

use ratatui::layout::Rect;

use super::Recalled;
use crate::core::State;
use crate::core::view::{Availability, Cx, Outcome, Scene, View};
use crate::core::views::keys::{TABBED_CHART, of_chart};
use crate::domain::insight::Standing;
use crate::domain::query::DEFAULT_STORAGE_GB;
use crate::domain::{Dialect, OfferType, Query, Resource, Untrusted, language};
use crate::features::history as recall;
use crate::features::workergroups::look::Look;
use crate::keys::{Action, Context, Motion};
use crate::record::differences::recorded_lot;
use crate::record::{Answer, DAY, Lot, LotFilter, Memory, Question, RecordedSearch, SearchKey, Series, Want, quotes};
use crate::table::remote::Now;

// Parts of the time: as many as a wide screen has columns for.
const BUCKETS: usize = 180;

// Arrow keys walk through them one by one.
/// Recorded searches that can be switched to, besides the open pane's.
const MOST_SEARCHES: usize = 20;

/// Cells of a search's conditions.
const LONGEST_TITLE: usize = 60;

/// How far back the chart goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Span {
    Hour,
    Day,
    Week,
    Month,
}

impl Span {
    const ALL: [Self; 4] = [Self::Hour, Self::Day, Self::Week, Self::Month];

    const fn seconds(self) -> i64 {
        match self {
            Self::Hour => 3600,
            Self::Day => DAY,
            Self::Week => 7 * DAY,
            Self::Month => 30 * DAY,
        }
    }

    const fn title(self) -> &'static str {
        match self {
            Self::Hour => "the last hour",
            Self::Day => "the last day",
            Self::Week => "the last week",
            Self::Month => "the last month",
        }
    }

    fn stepped(self, by: isize) -> Self {
        let index = Self::ALL.iter().position(|span| *span == self).unwrap_or(0);
        let index = index.saturating_add_signed(by).min(Self::ALL.len() - 1);
        Self::ALL[index]
    }
}

/// Whose prices are shown.
#[derive(Debug, Clone, PartialEq)]
struct Subject {
    title: String,
    search: SearchKey,
    filter: LotFilter,
    /// Of offers of a model the number of GPUs that the verdict is about, as everywhere.
    gpus: Option<u32>,
    /// GB that its prices include.
    storage: f64,
}

#[derive(Debug)]
pub(crate) struct History {
    subjects: Vec<Subject>,
    index: usize,
    span: Span,
    /// Whether the person has chosen the span; else it follows what is recorded.
    is_span_chosen: bool,
    question: Option<Question>,
    /// What the prices of a month say of today's.
    month: Option<Question>,
    memory: Option<Box<Memory>>,
    /// What is recorded, to switch to.
    searches: Option<Question>,
    series: Option<Box<Series>>,
    /// Whether the answer to the question is awaited.
    is_awaited: bool,
    failure: Option<String>,
    /// The prices per GPU of the selected row and those like it, for as long as nothing earlier is recorded.
    now: Vec<f64>,
    /// The open pane, and how many responses it had when the question was asked.
    pane: (Resource, u64),
}

impl History {
    /// The history of the selected offer's model, of the pane's search, or of what a workergroup's
    /// search finds.
    pub fn new(cx: &mut Cx<'_>) -> Option<Self> {
        let browser = cx.state().browser()?;
        let pane = (browser.resource(), browser.polls());
        Some(Self::of(subjects(cx.state()), pane, cx))
    }

    /// The history of a saved search.
    pub fn of_search(query: &Query, cx: &mut Cx<'_>) {
        let subject = Subject::of_search(SearchKey::of(query), query.storage_gb(), "search");
        let responses = cx.state().browsers[query.resource].polls();
        let view = Self::of(vec![subject], (query.resource, responses), cx);
        cx.open(view);
    }

    fn of(subjects: Vec<Subject>, pane: (Resource, u64), cx: &mut Cx<'_>) -> Self {
        let mut view = Self {
            subjects,
            index: 0,
            span: Span::Day,
            is_span_chosen: false,
            question: None,
            month: None,
            memory: None,
            searches: None,
            series: None,
            is_awaited: false,
            failure: None,
            now: Vec::new(),
            pane,
        };
        if cx.state().recall().is_on {
            let all = LotFilter::default();
            let searches = recall::question(
                None,
                all,
                DEFAULT_STORAGE_GB,
                Span::Month.seconds(),
                Want::Searches,
                cx.now,
            );
            super::ask(cx, searches.clone());
            view.searches = Some(searches);
        } else {
            view.failure = Some("Nothing is recorded without a state folder".to_owned());
        }
        view.ask(cx);
        view
    }

    fn subject(&self) -> Option<&Subject> {
        self.subjects.get(self.index)
    }

    /// Asks for the prices of the subject; the ones on the screen stay until they are here.
    fn ask(&mut self, cx: &mut Cx<'_>) {
        let browser = &cx.state().browsers[self.pane.0];
        self.pane.1 = browser.polls();
        let row = browser.listing().zip(browser.selected_row());
        let prices = row.map(|(listing, row)| Standing::unit_prices(listing, row));
        self.now = prices.unwrap_or_default();
        let Some(subject) = self.subject().filter(|_| cx.state().recall().is_on) else {
            return;
        };
        let ask = |seconds, want| {
            let (search, filter) = (subject.search.clone(), subject.filter.clone());
            recall::question(Some(search), filter, subject.storage, seconds, want, cx.now)
        };
        let question = ask(self.span.seconds(), Want::Series { buckets: BUCKETS });
        let month = ask(Span::Month.seconds(), Want::Memory { gpus: subject.gpus });
        for question in [question.clone(), month.clone()] {
            super::ask(cx, question);
        }
        self.question = Some(question);
        self.month = Some(month);
        self.is_awaited = true;
        self.take_answer(cx.state());
        self.fit_span(cx);
    }

    /// Shows the last hour while nothing earlier is recorded: a day would show some dots.
    fn fit_span(&mut self, cx: &mut Cx<'_>) {
        let Some(series) = self.series.as_ref().filter(|_| !self.is_span_chosen) else {
            return;
        };
        let last_hour = series.until.0 - Span::Hour.seconds();
        let first = series.buckets.iter().find(|bucket| bucket.watched > 0.0);
        if self.span == Span::Day && first.is_some_and(|first| first.from.0 > last_hour) {
            self.span = Span::Hour;
            self.is_span_chosen = true;
            self.ask(cx);
        }
    }

    /// Shows another subject or time: what is on the screen belongs to the last one.
    fn switch(&mut self, cx: &mut Cx<'_>) {
        self.series = None;
        self.memory = None;
        self.ask(cx);
    }

    fn take_answer(&mut self, state: &State) {
        let answer = |question: &Option<Question>| {
            let question = question.as_ref()?;
            Some(state.recall().answer(question))
        };
        match answer(&self.question) {
            Some(Recalled::Here(Answer::Series(series))) => {
                self.is_awaited = false;
                self.failure = None;
                self.series = series.clone().map(Box::new);
            }
            Some(Recalled::Failed(why)) => {
                self.is_awaited = false;
                self.failure = Some(why.to_owned());
            }
            Some(Recalled::Here(_) | Recalled::Awaited) | None => {}
        }
        if let Some(Recalled::Here(Answer::Memory(memory))) = answer(&self.month) {
            self.memory = memory.clone().map(Box::new);
        }
        if let Some(Recalled::Here(Answer::Searches(searches))) = answer(&self.searches) {
            self.add_searches(searches);
            self.searches = None;
        }
    }

    fn add_searches(&mut self, searches: &[RecordedSearch]) {
        for recorded in searches.iter().take(MOST_SEARCHES) {
            let subject = Subject::of_search(recorded.search.clone(), DEFAULT_STORAGE_GB, "search");
            let is_known = |known: &Subject| known.search == subject.search;
            if !self.subjects.iter().any(is_known) {
                self.subjects.push(subject);
            }
        }
    }

    fn choose_span(&mut self, by: isize) {
        self.span = self.span.stepped(by);
        self.is_span_chosen = true;
    }

    fn step(&mut self, by: isize) {
        let many = self.subjects.len().max(1);
        let next = self.index.checked_add_signed(by);
        self.index = next.unwrap_or(many - 1) % many;
    }
}

impl Subject {
    fn of_search(search: SearchKey, storage: f64, name: &str) -> Self {
        let conditions = Untrusted::from(search.conditions.as_str()).screen(LONGEST_TITLE);
        let conditions = if conditions.is_empty() {
            format!("all {}", search.resource.nouns())
        } else {
            conditions
        };
        Self {
            title: format!("{name} {conditions}"),
            search,
            filter: LotFilter::default(),
            gpus: None,
            storage,
        }
    }
}

/// The search that may know what a search of today doesn't: the default one was recorded before.
pub(crate) fn default_search(dialect: &'static Dialect, offer_type: OfferType) -> Query {
    Query {
        offer_type,
        ..language::default_query(Resource::Offers, dialect)
    }
}

/// What the history can be of: the selected offer's model and machine and the search itself, or what
/// a workergroup's search finds.
fn subjects(state: &State) -> Vec<Subject> {
    let Some(browser) = state.browser() else {
        return Vec::new();
    };
    let row = browser.listing().zip(browser.selected_row());
    if browser.resource() == Resource::Workergroups {
        let look = row.and_then(|(rows, row)| Look::at_row(rows, row, browser.dialect()).ok());
        let query = look.map(|look| look.search.query());
        let search = query.map(|query| Subject::of_search(SearchKey::of(&query), query.storage_gb(), "supply of"));
        return search.into_iter().collect();
    }
    let Some(search) = state.shown_search() else {
        return Vec::new();
    };
    let storage = browser.storage().0;
    let all = Subject::of_search(search.clone(), storage, "search");
    let lot = row.and_then(|(rows, row)| {
        let row = u32::try_from(row).ok()?;
        Some((recorded_lot(rows, row)?, quotes(rows, search.offer_type)(row)?.gpus))
    });
    let Some((lot, gpus)) = lot else {
        return vec![all];
    };
    let of = |title: String, machine: Option<i64>, model: Option<String>| Subject {
        title,
        search: search.clone(),
        gpus: machine.is_none().then_some(gpus),
        filter: LotFilter { machine, model },
        storage,
    };
    let Lot { machine, model } = lot;
    if browser.resource() == Resource::Volumes {
        return vec![all, of(format!("cluster {machine}"), Some(machine), None)];
    }
    let name = Untrusted::from(model.as_str()).screen(24);
    let on_machine = format!("{name} on machine {machine}");
    let query = default_search(browser.dialect(), search.offer_type);
    let of_default = Subject {
        search: SearchKey::of(&query),
        ..of(format!("{name} in the default search"), None, Some(model.clone()))
    };
    let subjects = [
        Some(of(name, None, Some(model.clone()))),
        (of_default.search != search).then_some(of_default),
        Some(of(on_machine, Some(machine), Some(model))),
        Some(all),
    ];
    subjects.into_iter().flatten().collect()
}

impl View for History {
    fn contexts(&self) -> &'static [Context] {
        TABBED_CHART
    }

    fn availability(&self, action: Action, _: &State) -> Availability {
        of_chart(action)
    }

    fn hint(&self, action: Action) -> Option<&'static str> {
        match action {
            Action::Move(Motion::Down) => Some("subject"),
            Action::Left => Some("shorter"),
            Action::Right => Some("longer"),
            _ => None,
        }
    }

    fn update(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        match action {
            Action::Move(Motion::Down) => self.step(1),
            Action::Move(Motion::Up) => self.step(-1),
            Action::Left => self.choose_span(-1),
            Action::Right => self.choose_span(1),
            Action::Refresh => {
                cx.perform_on_pane(action);
                return Outcome::Handled;
            }
            Action::Back | Action::Quit => {
                cx.close();
                return Outcome::Handled;
            }
            _ => return Outcome::Ignored,
        }
        self.switch(cx);
        Outcome::Handled
    }

    fn deadline(&self, state: &State, now: Now) -> Option<f64> {
        let (pane, responses) = self.pane;
        // A response has been recorded since: the chart goes on with it.
        (state.browsers[pane].polls() != responses).then_some(now.mono)
    }

    fn tick(&mut self, cx: &mut Cx<'_>) {
        let (pane, responses) = self.pane;
        if cx.state().browsers[pane].polls() != responses {
            self.ask(cx);
        }
        self.take_answer(cx.state());
        self.fit_span(cx);
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        draw::history(self, area, scene);
    }
}
