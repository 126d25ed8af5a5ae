//! Analyses of the recorded market, and their results for drawing.
//!
//! A view starts an analysis when it opens, switches or when rows change, and finds its output
//! here. The basis of verdicts is read once per response for the selected and marked offers, so
//! that drawing one costs no request and no arithmetic over prices.

pub(crate) mod arguments;
pub(crate) mod command;
pub(crate) mod db;
pub(crate) mod document;
pub(crate) mod figures;
pub mod prices;
pub(crate) mod rating;
pub(crate) mod subject;
pub mod tape;
pub(crate) mod tool;
pub(crate) mod watch_command;

use std::collections::VecDeque;
use std::marker::PhantomData;

use crate::core::feature::{Event, Feature, FeatureState};
use crate::core::message::{Effect, EffectError, HistoryJob, News};
use crate::core::owners::Owner;
use crate::core::state::State;
use crate::core::view::{Cx, Lent};
use crate::domain::insight::Coverage;
use crate::domain::time::{MonotonicTime, Now};
use crate::domain::{Query, Resource};
use crate::record::differences::recorded_lot;
use crate::record::{Analysis, AnyAnalysis, AnyOutput, Lot, Memory, Present, VerdictBasis, offers_like, quotes};
use crate::table::browser::Browser;
use crate::table::remote::Ticket;

pub(crate) const FEATURE: Feature = Feature {
    state: |_| Some(Box::new(Recall::default())),
    event: |cx, event| {
        if let Event::Restored(_) = event {
            cx.feature::<Recall>().is_on = true;
        }
    },
    follow,
    ..Feature::IDLE
};

impl FeatureState for Recall {}

impl Recall {
    /// The part of the dashboard's state about the record.
    pub fn read(state: &State) -> &Self {
        state.feature()
    }
}

/// Maximum number of outputs stored for drawing.
///
/// The views open at a time start far fewer analyses, and an output may hold a month of prices.
const MOST_ANSWERS: usize = 16;

/// Seconds after which a verdict's basis is read again, with the next response.
///
/// In so little of a month nothing changes.
const FRESH: f64 = 60.0;

/// Minimum time for which an output is current, as a multiple of the time to read it.
///
/// Reading a record of millions of prices takes seconds, in which nothing is recorded and no search
/// may begin.
const REST: f64 = 20.0;

/// Maximum number of models whose basis is read after one response.
///
/// More than the models of the selected and the marked rows are rarely compared, and each is read
/// from the record.
const MOST_MODELS: usize = 8;

/// Maximum number of models whose basis is stored: those of the rows that the user selected last.
const MOST_REMEMBERED: usize = 64;

/// An analysis in progress or finished, by which its output is found.
#[derive(Debug)]
pub struct Asked<A> {
    ticket: Ticket,
    analysis: PhantomData<fn() -> A>,
}

/// The output of an analysis.
#[derive(Debug)]
pub enum Recalled<'a, T> {
    Awaited,
    Here(&'a T),
    /// The record cannot be read.
    Failed(&'a EffectError),
}

/// The basis of verdicts on offers like one.
#[derive(Debug)]
struct Remembered {
    /// The query that finds these offers.
    like: Query,
    awaited: Option<Ticket>,
    /// The time at which it was requested; then that until which it is current.
    asked: MonotonicTime,
    fresh: MonotonicTime,
    memory: Option<Box<Memory>>,
    /// The rows on screen that the query finds.
    rows: Present,
}

impl Remembered {
    /// Updates the present, from the rows on screen, in the basis of verdicts, if that is read.
    fn update_present(&mut self) {
        if let Some(memory) = &mut self.memory {
            memory.set_present(&self.rows);
        }
    }
}

#[derive(Debug, Default)]
pub struct Recall {
    /// Whether the market is recorded, as it is once the program has started.
    pub is_on: bool,
    outputs: VecDeque<(Ticket, Result<AnyOutput, EffectError>)>,
    /// The analyses of views in progress, and the monotonic times at which they were requested.
    awaited: Vec<(Ticket, MonotonicTime)>,
    /// The monotonic time until which no view reads the record again for a further response.
    rests_until: MonotonicTime,
    /// The bases for the selected and the marked offers of the shown search, latest first.
    models: Vec<Remembered>,
    /// The rows and the selection of the last update, to detect changes.
    followed: Option<(Resource, u64, Option<usize>, usize, u64)>,
}

impl Recall {
    /// The output of an analysis, or its error; `Awaited` while it is in progress, and again after newer
    /// outputs have replaced it.
    pub fn output<A: Analysis>(&self, asked: &Asked<A>) -> Recalled<'_, A::Output> {
        match self.outputs.iter().find(|(ticket, _)| *ticket == asked.ticket) {
            Some((_, Ok(output))) => output.downcast().map_or(Recalled::Awaited, Recalled::Here),
            Some((_, Err(why))) => Recalled::Failed(why),
            None => Recalled::Awaited,
        }
    }

    /// Stores the output of an analysis: the basis of verdicts with its model, any other for `output`. The
    /// record is not read again for 20 times as long as this took. After a failure, the basis stays the last
    /// one.
    fn take(&mut self, ticket: Ticket, result: Result<AnyOutput, EffectError>, now: Now) {
        let is_it = |remembered: &&mut Remembered| remembered.awaited == Some(ticket);
        if let Some(remembered) = self.models.iter_mut().find(is_it) {
            remembered.awaited = None;
            let took = now.mono - remembered.asked;
            remembered.fresh = remembered.fresh.max(now.mono + REST * took);
            if let Ok(output) = result {
                let memory: Option<&Option<Memory>> = output.downcast();
                remembered.memory = memory.cloned().flatten().map(Box::new);
                remembered.update_present();
            }
            return;
        }
        for (_, asked) in self.awaited.extract_if(.., |(awaited, _)| *awaited == ticket) {
            self.rests_until = self.rests_until.max(now.mono + REST * (now.mono - asked));
        }
        self.outputs.push_front((ticket, result));
        self.outputs.truncate(MOST_ANSWERS);
    }

    /// The earliest time at which a view reads the record again after a further response, `now` if it may do
    /// so at once.
    pub fn due(&self, now: Now) -> MonotonicTime {
        self.rests_until.max(now.mono)
    }

    /// The basis of verdicts on some offers; `None` until it is read, and if nothing is recorded of them.
    fn memory(&self, like: &Query) -> Option<&Memory> {
        let mut models = self.models.iter();
        models.find(|remembered| remembered.like == *like)?.memory.as_deref()
    }

    /// Stores the rows on screen of some offers, and requests the basis of verdicts on them under `ticket`;
    /// `None` if it is current or already requested. Of the offers stored before, only the latest are kept.
    fn remember(&mut self, (like, rows): (Query, Present), ticket: Ticket, now: Now) -> Option<Effect> {
        let known = self.models.iter().position(|remembered| remembered.like == like);
        let mut remembered = known.map(|index| self.models.remove(index)).unwrap_or(Remembered {
            like: like.clone(),
            awaited: None,
            asked: now.mono,
            fresh: now.mono,
            memory: None,
            rows: Present::default(),
        });
        remembered.rows = rows;
        remembered.update_present();
        let is_due = remembered.awaited.is_none() && now.mono >= remembered.fresh;
        if is_due {
            remembered.awaited = Some(ticket);
            remembered.asked = now.mono;
            remembered.fresh = now.mono + FRESH;
        }
        self.models.insert(0, remembered);
        self.models.truncate(MOST_REMEMBERED);
        is_due.then(|| job(ticket, VerdictBasis::new(like, now.epoch.moment())))
    }
}

/// The effect that runs an analysis of the record; its output arrives under `ticket`.
fn job(ticket: Ticket, analysis: impl Analysis) -> Effect {
    let analysis = AnyAnalysis::new(analysis);
    Effect::History(HistoryJob::Ask { ticket, analysis })
}

/// The kind of the recorded prices, for a text after their unit: `simulated`, or `asked, not paid`.
pub(crate) const fn price_origin(is_simulated: bool) -> &'static str {
    if is_simulated { "simulated" } else { "asked, not paid" }
}

/// The reason an output is awaited, as text: the progress of the sandbox's simulation, or
/// `Reading the record`.
pub(crate) fn describe_wait(state: &State) -> String {
    let simulation = state.sandbox.simulation();
    let wait = simulation.map(|progress| format!("{progress}. Recorded prices appear here when it is done."));
    wait.unwrap_or_else(|| "Reading the record".to_owned())
}

/// Starts an analysis of the record; [`Recall::output`] has its output once it is finished.
pub(crate) fn ask<A: Analysis>(cx: &mut Cx<'_>, analysis: A) -> Asked<A> {
    let (ticket, now) = (cx.ticket(), cx.now.mono);
    cx.feature::<Recall>().awaited.push((ticket, now));
    cx.effects_for(Owner::Feature(on_output), [job(ticket, analysis)]);
    Asked {
        ticket,
        analysis: PhantomData,
    }
}

/// Stores the output of a finished analysis; other news is ignored.
fn on_output(cx: &mut Cx<'_>, ticket: Ticket, news: News) {
    if let News::Recalled(result) = news {
        let now = cx.now;
        cx.feature::<Recall>().take(ticket, result, now);
    }
}

/// The verdict's basis for the offers like that of a row, with the lot and the price per GPU of the row (of a
/// volume per GB and month). `None` until that basis is read, or if the row has no model or price.
pub fn verdict_basis_of_row(state: &State, resource: Resource, row: usize) -> Option<(&Memory, Lot, f64)> {
    let (browser, row) = (&state.browsers[resource], u32::try_from(row).ok()?);
    let (listing, like) = (browser.listing()?, like(browser, row)?);
    let price = quotes(listing, like.offer_type)(row)?.per_gpu(like.storage_gb());
    Some((Recall::read(state).memory(&like)?, recorded_lot(listing, row)?, price))
}

/// The query for offers like that of a row, with the storage of the table's prices; `None` before a response,
/// or if the row lacks what it needs, such as a model.
fn like(browser: &Browser, row: u32) -> Option<Query> {
    let storage = Some(browser.storage().0);
    let query = browser.shown_query()?.clone();
    offers_like(&Query { storage, ..query }, browser.listing()?, row)
}

/// The rows on screen that a query finds; `None` without a response.
fn on_screen(browser: &Browser, query: &Query) -> Option<Present> {
    let is_complete = browser.coverage() == Some(Coverage::Whole);
    Some(Present::of_response(browser.listing()?, query, is_complete))
}

/// Requests the basis of verdicts on the selected and the marked offers, eight at most, if the rows, the
/// selection, the number of marks or the storage in the prices have changed. Nothing happens while the market
/// is not recorded, and for workergroups.
fn follow(cx: &mut Cx<'_>) {
    let (now, resource) = (cx.now, cx.state().pane.resource());
    let Lent {
        feature: recall,
        tables,
        tickets,
        ..
    } = cx.lend::<Recall>();
    let Some(resource) = resource.filter(|open| recall.is_on && *open != Resource::Workergroups) else {
        return;
    };
    let browser = &tables[resource];
    let scope = (
        resource,
        browser.polls(),
        browser.selected_row(),
        browser.marks.len(),
        browser.storage().0.to_bits(),
    );
    if recall.followed.replace(scope) == Some(scope) {
        return;
    }
    let selected = browser.selected_row().and_then(|row| u32::try_from(row).ok());
    let rows = selected.into_iter().chain(browser.marked_rows());
    let mut asked = Vec::new();
    for row in rows.take(MOST_MODELS) {
        let like = like(browser, row);
        let rows = like.as_ref().and_then(|like| on_screen(browser, like));
        if let Some(known) = like.zip(rows) {
            asked.extend(recall.remember(known, tickets.take(), now));
        }
    }
    cx.effects_for(Owner::Feature(on_output), asked);
}
