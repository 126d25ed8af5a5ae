//! Questions to the recorded market, and the answers that views draw.
//!
//! A view asks when it opens, switches or when rows change, and finds the answer here by its
//! question. What a verdict needs is asked once per response for the selected and marked offers, so
//! that drawing one costs no request and no arithmetic over prices.

pub(crate) mod arguments;
pub(crate) mod command;
pub(crate) mod db;
pub(crate) mod figures;
pub mod prices;
pub(crate) mod rating;
pub(crate) mod subject;
pub mod tape;
pub(crate) mod watch_command;

use std::collections::VecDeque;
use std::marker::PhantomData;

use crate::core::feature::{Event, Feature, FeatureState};
use crate::core::message::{Effect, EffectError, HistoryJob, News};
use crate::core::owners::Owner;
use crate::core::state::State;
use crate::core::view::{Cx, Lent};
use crate::domain::insight::Coverage;
use crate::domain::{Query, Resource};
use crate::record::differences::recorded_lot;
use crate::record::{
    Analysis, AnyAnalysis, AnyOutput, Excerpt, Lot, Memory, Moment, VerdictBasis, offers_like, quotes,
};
use crate::table::browser::Browser;
use crate::table::remote::{Now, Ticket};

pub(crate) const FEATURE: Feature = Feature {
    state: |_| Some(Box::new(Recall::default())),
    event: |cx, event| {
        if let Event::Restored(restored) = event {
            // Where nothing can be kept, nothing is recorded.
            cx.feature::<Recall>().is_on |= restored.kept.is_some();
        }
    },
    follow,
    ..Feature::IDLE
};

impl FeatureState for Recall {}

impl Recall {
    /// Reads it from the state of the dashboard.
    pub fn read(state: &State) -> &Self {
        state.feature()
    }
}

// The views of one moment ask far fewer questions, and an answer may hold a month of prices.
/// Answers that views have asked for and may still draw.
const MOST_ANSWERS: usize = 16;

// In so little of a month nothing changes.
/// Seconds after which a verdict's memory is asked for again, with the next response.
const FRESH: f64 = 60.0;

// Reading a record of millions of prices takes seconds, in which nothing is recorded and no search may begin.
/// How many times as long as it took to read, a memory is fresh at least.
const REST: f64 = 20.0;

// The models of the selected and the marked rows: more are rarely compared, and each is read from the record.
/// Models whose memory is asked for after one response.
const MOST_MODELS: usize = 8;

/// Models whose memory is kept: those of the rows that the user selected last.
const MOST_REMEMBERED: usize = 64;

/// An analysis that was asked of the record, to find its output by.
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

/// What is remembered of the offers like one.
#[derive(Debug)]
struct Remembered {
    /// Which they are.
    like: Query,
    awaited: Option<Ticket>,
    /// When it was asked for, and until when it is fresh, on the monotonic clock.
    asked: f64,
    fresh: f64,
    memory: Option<Box<Memory>>,
    /// The rows on screen that are among them.
    rows: Excerpt,
}

impl Remembered {
    /// Takes the lowest price now from the rows on screen.
    fn look(&mut self) {
        if let Some(memory) = &mut self.memory {
            memory.look_at(&self.rows);
        }
    }
}

#[derive(Debug, Default)]
pub struct Recall {
    /// Whether anything is recorded: there is a folder for it.
    pub is_on: bool,
    outputs: VecDeque<(Ticket, Result<AnyOutput, EffectError>)>,
    /// Of the selected and the marked offers of the search that is shown, the latest first.
    models: Vec<Remembered>,
    /// The rows and the selection of the last look.
    followed: Option<(Resource, u64, Option<usize>, usize, u64)>,
}

impl Recall {
    /// The output of an analysis.
    pub fn output<A: Analysis>(&self, asked: &Asked<A>) -> Recalled<'_, A::Output> {
        match self.outputs.iter().find(|(ticket, _)| *ticket == asked.ticket) {
            Some((_, Ok(output))) => output.downcast().map_or(Recalled::Awaited, Recalled::Here),
            Some((_, Err(why))) => Recalled::Failed(why),
            None => Recalled::Awaited,
        }
    }

    fn take(&mut self, ticket: Ticket, result: Result<AnyOutput, EffectError>, now: Now) {
        let is_it = |remembered: &&mut Remembered| remembered.awaited == Some(ticket);
        if let Some(remembered) = self.models.iter_mut().find(is_it) {
            remembered.awaited = None;
            let took = now.mono - remembered.asked;
            remembered.fresh = remembered.fresh.max(now.mono + REST * took);
            if let Ok(output) = result {
                let memory: Option<&Option<Memory>> = output.downcast();
                remembered.memory = memory.cloned().flatten().map(Box::new);
                remembered.look();
            }
            return;
        }
        self.outputs.push_front((ticket, result));
        self.outputs.truncate(MOST_ANSWERS);
    }

    /// What is remembered of some offers; `None` until it is here.
    fn memory(&self, like: &Query) -> Option<&Memory> {
        let mut models = self.models.iter();
        models.find(|remembered| remembered.like == *like)?.memory.as_deref()
    }

    /// Asks for the memory of some offers, unless it is fresh.
    fn remember(&mut self, (like, rows): (Query, Excerpt), ticket: Ticket, now: Now) -> Option<Effect> {
        let known = self.models.iter().position(|remembered| remembered.like == like);
        let mut remembered = known.map(|index| self.models.remove(index)).unwrap_or(Remembered {
            like: like.clone(),
            awaited: None,
            asked: now.mono,
            fresh: now.mono,
            memory: None,
            rows: Excerpt::default(),
        });
        remembered.rows = rows;
        remembered.look();
        let is_due = remembered.awaited.is_none() && now.mono >= remembered.fresh;
        if is_due {
            remembered.awaited = Some(ticket);
            remembered.asked = now.mono;
            remembered.fresh = now.mono + FRESH;
        }
        self.models.insert(0, remembered);
        self.models.truncate(MOST_REMEMBERED);
        is_due.then(|| job(ticket, VerdictBasis::new(like, Moment::of(now.epoch))))
    }
}

fn job(ticket: Ticket, analysis: impl Analysis) -> Effect {
    let analysis = AnyAnalysis::new(analysis);
    Effect::History(HistoryJob::Ask { ticket, analysis })
}

/// What the recorded prices are, to put behind their unit.
pub(crate) const fn origin(is_simulated: bool) -> &'static str {
    if is_simulated { "simulated" } else { "asked, not paid" }
}

/// Why an answer is awaited.
pub(crate) fn reading(state: &State) -> String {
    let simulation = state.sandbox.simulation();
    simulation.unwrap_or_else(|| "Reading the record".to_owned())
}

/// Asks an analysis of the record; [`Recall::output`] has its output once it is here.
pub(crate) fn ask<A: Analysis>(cx: &mut Cx<'_>, analysis: A) -> Asked<A> {
    let ticket = cx.ticket();
    cx.effects_for(Owner::Feature(on_output), [job(ticket, analysis)]);
    Asked {
        ticket,
        analysis: PhantomData,
    }
}

fn on_output(cx: &mut Cx<'_>, ticket: Ticket, news: News) {
    if let News::Recalled(result) = news {
        let now = cx.now;
        cx.feature::<Recall>().take(ticket, result, now);
    }
}

/// A cached summary of the offers like that of a row, and its price per GPU.
pub fn remembered(state: &State, resource: Resource, row: usize) -> Option<(&Memory, Lot, f64)> {
    let (browser, row) = (&state.browsers[resource], u32::try_from(row).ok()?);
    let (listing, like) = (browser.listing()?, like(browser, row)?);
    let price = quotes(listing, like.offer_type)(row)?.per_gpu(like.storage_gb());
    Some((Recall::read(state).memory(&like)?, recorded_lot(listing, row)?, price))
}

/// The offers like one of a row, with the storage that the table shows prices for.
fn like(browser: &Browser, row: u32) -> Option<Query> {
    let storage = Some(browser.storage().0);
    let query = browser.shown_query()?.clone();
    offers_like(&Query { storage, ..query }, browser.listing()?, row)
}

/// The rows on screen that meet a query.
fn on_screen(browser: &Browser, query: &Query) -> Option<Excerpt> {
    let is_complete = browser.coverage() == Some(Coverage::Whole);
    Some(Excerpt::of_response(browser.listing()?, query, is_complete))
}

/// Asks for what verdicts on the selected and the marked offers need, if the rows or the selection
/// are others than last time.
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
