//! The price history: lowest and typical prices over a day, a week or a month, and the amounts on
//! offer.

mod cursor;
mod draw;
mod marks;
pub mod series;
mod unrecorded;

use self::series::{Bucket, PriceSeries, Series};
use crate::features::history::Recall;

pub(crate) use self::draw::{chart_of_lows, draw_similar_lows};
pub(crate) use self::unrecorded::draw_now;

use ratatui::layout::Rect;

use super::{Asked, Recalled};
use crate::core::State;
use crate::core::view::{Availability, Cx, Outcome, Region, Scene, View};
use crate::core::views::keys::{TABBED_PRICE_CHART, of_chart};
use crate::domain::time::{MonotonicTime, Now};
use crate::domain::{Query, Resource};
use crate::features::history::subject::{Subject, subjects};
use crate::keys::{Action, Context, Motion, Step};
use crate::record::{Analysis as _, DAY, Memory, Moment, Present, Question, VerdictBasis};

// Parts of the time: as many as a wide screen has columns for.
const BUCKETS: usize = 180;

/// The time spans of the chart, in seconds, with their titles.
const SPANS: [(i64, &str); 4] = [
    (3600, "the last hour"),
    (DAY, "the last day"),
    (7 * DAY, "the last week"),
    (30 * DAY, "the last month"),
];

#[derive(Debug)]
pub(crate) struct History {
    subjects: Vec<Subject>,
    index: usize,
    /// The place of the span in [`SPANS`].
    span: usize,
    /// Whether the user has chosen the span; otherwise it fits the recorded time.
    is_span_chosen: bool,
    prices: Option<Asked<PriceSeries>>,
    /// The analysis behind the verdict, over a month.
    month: Option<Asked<VerdictBasis>>,
    memory: Option<Box<Memory>>,
    series: Option<Box<Series>>,
    /// Whether the output of the analysis is awaited.
    is_awaited: bool,
    failure: Option<String>,
    /// Whether the subjects are those of the pane's rows.
    is_of_pane: bool,
    /// The open pane, and its number of responses when the analysis was started.
    pane: (Resource, u64),
    /// The time whose prices are read out; `None` until the cursor is moved.
    reading: Option<Moment>,
}

impl History {
    /// The history of the selected offer's model, of the pane's search, or of the offers that a
    /// workergroup's search finds; `None` if the pane has no table.
    pub fn new(cx: &mut Cx<'_>) -> Option<Self> {
        let browser = cx.state().browser()?;
        let pane = (browser.resource(), browser.polls());
        Some(Self::with_subjects(
            subjects(cx.state()),
            pane,
            pane.0 != Resource::Workergroups,
            cx,
        ))
    }

    /// Opens the history of all offers that a query finds.
    pub fn open_for_search(query: &Query, cx: &mut Cx<'_>) {
        let subject = Subject::of_search(query.clone(), "search");
        let responses = cx.state().browsers[query.resource].polls();
        let view = Self::with_subjects(vec![subject], (query.resource, responses), false, cx);
        cx.open(view);
    }

    /// The history of the first of `subjects`, over the last month; `pane` is its resource and the number of
    /// its responses, and `is_of_pane` whether the subjects are those of the pane's rows.
    fn with_subjects(subjects: Vec<Subject>, pane: (Resource, u64), is_of_pane: bool, cx: &mut Cx<'_>) -> Self {
        let mut view = Self {
            subjects,
            index: 0,
            span: SPANS.len() - 1,
            is_span_chosen: false,
            prices: None,
            month: None,
            memory: None,
            series: None,
            is_awaited: false,
            failure: None,
            is_of_pane,
            pane,
            reading: None,
        };
        view.ask(cx);
        view
    }

    /// The shown subject; `None` if there are no subjects.
    fn subject(&self) -> Option<&Subject> {
        self.subjects.get(self.index)
    }

    /// Starts the analyses of the subject's prices and of its verdict; the shown ones stay until they are
    /// finished. Nothing starts without a subject.
    fn ask(&mut self, cx: &mut Cx<'_>) {
        self.pane.1 = cx.state().browsers[self.pane.0].polls();
        let Some(subject) = self.subject() else { return };
        let until = cx.now.epoch.moment();
        let prices = PriceSeries {
            question: Question::of_last(SPANS[self.span].0, subject.query.clone(), until),
            buckets: BUCKETS,
        };
        let basis = VerdictBasis::new(subject.like.clone(), until);
        self.prices = Some(super::ask(cx, prices));
        self.month = Some(super::ask(cx, basis));
        self.is_awaited = true;
        self.take_answer(cx.state());
        self.fit_span(cx);
    }

    /// Shortens the span to the shortest that holds all that is recorded, unless the user chose a span.
    ///
    /// A longer one would show some dots only.
    fn fit_span(&mut self, cx: &mut Cx<'_>) {
        let Some(series) = self.series.as_ref().filter(|_| !self.is_span_chosen) else {
            return;
        };
        let first = series.buckets.iter().find(|bucket| bucket.watched > 0.0);
        let holds_all =
            |(seconds, _): &(i64, &str)| first.is_some_and(|first| first.from.0 >= series.until.0 - seconds);
        if let Some(shorter) = SPANS[..self.span].iter().position(holds_all) {
            self.span = shorter;
            self.ask(cx);
        }
    }

    /// Starts the analysis after the subject or the span has changed, and drops the prices of the last one.
    fn switch(&mut self, cx: &mut Cx<'_>) {
        self.series = None;
        self.memory = None;
        self.ask(cx);
    }

    /// Shows the outputs of finished analyses, with the present prices of the rows on screen; nothing changes
    /// while they are awaited.
    fn take_answer(&mut self, state: &State) {
        match self.prices.as_ref().map(|asked| Recall::read(state).output(asked)) {
            Some(Recalled::Here(series)) => {
                self.is_awaited = false;
                self.failure = None;
                self.series = series.clone().map(Box::new);
                let now = self.on_screen(state);
                if let (Some(series), Some(now)) = (&mut self.series, now) {
                    series.now = Some(now);
                }
            }
            Some(Recalled::Failed(error)) => {
                self.is_awaited = false;
                self.failure = Some(error.to_string());
            }
            Some(Recalled::Awaited) | None => {}
        }
        let month = self.month.as_ref().map(|asked| Recall::read(state).output(asked));
        if let Some(Recalled::Here(memory)) = month {
            self.memory = memory.clone().map(Box::new);
            let like = self.subject().map(|subject| &subject.like);
            let rows = like.and_then(|like| self.rows(state, like));
            if let (Some(memory), Some(rows)) = (&mut self.memory, rows) {
                memory.set_present(&rows);
            }
        }
    }

    /// The rows on screen that a query finds; `None` unless the subjects are those of the pane's rows, and
    /// before a response.
    fn rows(&self, state: &State, query: &Query) -> Option<Present> {
        let browser = self.is_of_pane.then(|| &state.browsers[self.pane.0])?;
        super::on_screen(browser, query)
    }

    /// The current prices and amount of the subject, from the rows on screen; `None` if the subjects are not
    /// those of the pane's rows, and before a response.
    fn on_screen(&self, state: &State) -> Option<series::Now> {
        let query = &self.subject()?.query;
        let rows = self.rows(state, query)?.excerpt;
        let at = rows.polls.first()?.at;
        let prices = PriceSeries {
            question: Question::of_last(1, query.clone(), at),
            buckets: 1,
        };
        prices.answer(&[rows])?.now
    }

    /// Selects the span `by` places longer, or shorter if negative, up to the longest or shortest; from now
    /// on it does not follow the recorded time.
    fn choose_span(&mut self, by: isize) {
        self.span = self.span.saturating_add_signed(by).min(SPANS.len() - 1);
        self.is_span_chosen = true;
    }

    /// The index of the time step under the cursor; `None` until the cursor is moved, and without prices.
    fn reading_index(&self) -> Option<usize> {
        let (buckets, reading) = (&self.series.as_ref()?.buckets, self.reading?);
        let index = buckets.partition_point(|bucket| bucket.until <= reading);
        Some(index.min(buckets.len().saturating_sub(1)))
    }

    /// The time step under the cursor; `None` until the cursor is moved, and without prices.
    fn read_bucket(&self) -> Option<&Bucket> {
        self.series.as_ref()?.buckets.get(self.reading_index()?)
    }

    /// The prices of the chart; `None` if nothing is recorded.
    fn chart(&self) -> Option<&Series> {
        self.series.as_deref().filter(|series| series.watched > 0.0)
    }

    /// Moves the cursor; its first move shows it at the latest prices, unless it is to the first or last
    /// time. False without a chart, and for actions that do not move it.
    fn read(&mut self, action: Action) -> bool {
        let Some(series) = self.chart() else { return false };
        let buckets = &series.buckets;
        let (last, page) = (buckets.len().saturating_sub(1), BUCKETS / 10);
        let latest = buckets
            .iter()
            .rposition(|bucket| bucket.levels.is_some())
            .unwrap_or(last);
        let index = match (action, self.reading_index()) {
            (Action::Move(Motion::First), _) => 0,
            (Action::Move(Motion::Last), _) => last,
            (Action::Shift(_) | Action::Move(Motion::PageUp | Motion::PageDown), None) => latest,
            (Action::Shift(Step::Back), Some(here)) => here.saturating_sub(1),
            (Action::Shift(Step::Forward), Some(here)) => here + 1,
            (Action::Move(Motion::PageUp), Some(here)) => here.saturating_sub(page),
            (Action::Move(Motion::PageDown), Some(here)) => here + page,
            _ => return false,
        };
        self.reading = buckets.get(index.min(last)).map(|bucket| bucket.from);
        true
    }

    /// Selects the next (`by` = 1) or the previous subject (-1), wrapping around.
    fn step(&mut self, by: isize) {
        let many = self.subjects.len().max(1);
        let next = self.index.checked_add_signed(by);
        self.index = next.unwrap_or(many - 1) % many;
    }
}

impl View for History {
    fn contexts(&self) -> &'static [Context] {
        TABBED_PRICE_CHART
    }

    fn availability(&self, action: Action, _: &State) -> Availability {
        if matches!(action, Action::Shift(_)) && self.chart().is_none() {
            return Availability::Disabled("No prices to read out yet".to_owned());
        }
        let is_step = matches!(action, Action::Move(Motion::Down | Motion::Up));
        if is_step && self.subjects.len() < 2 {
            return Availability::Hidden;
        }
        let reached = match action {
            Action::Left => (self.span == 0).then_some("shortest"),
            Action::Right => (self.span + 1 == SPANS.len()).then_some("longest"),
            _ => None,
        };
        if let Some(end) = reached {
            let (_, span) = SPANS[self.span];
            return Availability::Disabled(format!("The {end} time is {span}"));
        }
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
        if self.read(action) {
            return Outcome::Handled;
        }
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

    fn deadline(&self, state: &State, now: Now) -> Option<MonotonicTime> {
        let (pane, responses) = self.pane;
        // A response was recorded since, so the chart is extended.
        (state.browsers[pane].polls() != responses).then(|| Recall::read(state).due(now))
    }

    fn tick(&mut self, cx: &mut Cx<'_>) {
        let (pane, responses) = self.pane;
        if Recall::read(cx.state()).due(cx.now) <= cx.now.mono && cx.state().browsers[pane].polls() != responses {
            self.ask(cx);
        }
        self.take_answer(cx.state());
        self.fit_span(cx);
    }

    fn click(&mut self, region: Region, column: usize, _: &mut Cx<'_>) -> Outcome {
        let buckets = self.series.as_ref().map_or(&[][..], |series| &series.buckets);
        let clicked = buckets.get(column).filter(|_| region == Region::CHART);
        self.reading = clicked.map(|bucket| bucket.from).or(self.reading);
        Outcome::handled_if(clicked.is_some())
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        draw::history(self, area, scene);
    }
}
