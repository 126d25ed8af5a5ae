//! Questions to the recorded market, and the answers that views draw.
//!
//! A view asks when it opens, switches or when rows change, and finds the answer here by its
//! question. What a verdict needs is asked once per response for the selected and marked offers, so
//! that drawing one costs no request and no arithmetic over prices.

pub(crate) mod arguments;
pub(crate) mod command;
pub(crate) mod db;
pub(crate) mod figures;
pub(crate) mod prices;
pub(crate) mod rating;
pub(crate) mod tape;
pub(crate) mod watch_command;

use std::collections::{BTreeMap, VecDeque};

use crate::core::feature::{Event, Feature, FeatureState};
use crate::core::message::{Effect, HistoryJob, News};
use crate::core::owners::Owner;
use crate::core::state::State;
use crate::core::view::{Cx, Lent};
use crate::domain::Resource;
use crate::record::differences::recorded_lot;
use crate::record::{
    Answer, DAY, Lot, LotFilter, Memory, Moment, Question, Quote, SearchKey, VERDICT_DAYS, Want, quotes,
};
use crate::table::remote::{Now, Ticket, Tickets};

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

impl State {
    pub fn recall(&self) -> &Recall {
        self.feature()
    }
}

// The views of one moment ask far fewer questions, and an answer may hold a month of prices.
/// Answers that views have asked for and may still draw.
const MOST_ANSWERS: usize = 16;

// In so little of a month nothing changes.
/// Seconds after which a verdict's memory is asked for again, with the next response.
const FRESH: f64 = 60.0;

// The models of the selected and the marked rows: more are rarely compared, and each is read from the record.
/// Models whose memory is asked for after one response.
const MOST_MODELS: usize = 8;

/// The answer to a question.
#[derive(Debug)]
pub enum Recalled<'a> {
    /// It is awaited, or was never asked.
    Awaited,
    Here(&'a Answer),
    /// Why the record cannot be read.
    Failed(&'a str),
}

/// What is remembered of the offers of one model with one number of GPUs.
#[derive(Debug, Default)]
struct Remembered {
    awaited: Option<Ticket>,
    /// When it was asked for, on the monotonic clock.
    asked: f64,
    memory: Option<Box<Memory>>,
}

#[derive(Debug, Default)]
pub struct Recall {
    /// Whether anything is recorded: there is a folder for it.
    pub is_on: bool,
    asked: Vec<(Ticket, Question)>,
    answers: VecDeque<(Question, Result<Answer, String>)>,
    /// The search that the models are remembered of, and the storage of their prices.
    search: Option<(SearchKey, f64)>,
    models: BTreeMap<(String, u32), Remembered>,
    /// The table's state for which all memories have been asked for.
    followed: Option<(Resource, u64, Option<usize>, usize, u64)>,
}

impl Recall {
    /// The answer to a question.
    pub fn answer(&self, question: &Question) -> Recalled<'_> {
        let mut known = self.answers.iter();
        match known.find(|(known_question, _)| known_question == question) {
            Some((_, Ok(answer))) => Recalled::Here(answer),
            Some((_, Err(why))) => Recalled::Failed(why),
            None => Recalled::Awaited,
        }
    }

    /// Asks a question. An earlier answer to the same one is forgotten: a response may have been
    /// recorded since, even in the same second.
    fn ask(&mut self, question: Question, tickets: &mut Tickets) -> Effect {
        self.answers.retain(|(asked, _)| *asked != question);
        self.asked.retain(|(_, asked)| *asked != question);
        let ticket = tickets.take();
        self.asked.push((ticket, question.clone()));
        Effect::History(HistoryJob::Recall { ticket, question })
    }

    /// What is remembered of a model's offers with so many GPUs in the search that is shown; `None` until
    /// it is here.
    fn memory(&self, model: String, gpus: u32) -> Option<&Memory> {
        self.models.get(&(model, gpus))?.memory.as_deref()
    }

    fn answered(&mut self, ticket: Ticket, result: Result<Answer, String>) {
        let is_it = |remembered: &&mut Remembered| remembered.awaited == Some(ticket);
        if let Some(remembered) = self.models.values_mut().find(is_it) {
            remembered.awaited = None;
            if let Ok(Answer::Memory(memory)) = result {
                remembered.memory = memory.map(Box::new);
            }
            return;
        }
        let Some(index) = self.asked.iter().position(|(asked_as, _)| *asked_as == ticket) else {
            return;
        };
        let (_, question) = self.asked.swap_remove(index);
        self.answers.push_front((question, result));
        self.answers.truncate(MOST_ANSWERS);
    }

    /// Asks for the memory of a model with so many GPUs, unless it is fresh.
    fn remember(
        &mut self,
        (model, gpus): (String, u32),
        (search, storage): (&SearchKey, f64),
        tickets: &mut Tickets,
        now: Now,
    ) -> Option<Effect> {
        let remembered = self.models.entry((model.clone(), gpus)).or_default();
        let is_fresh = remembered.asked > 0.0 && now.mono - remembered.asked < FRESH;
        if is_fresh || remembered.awaited.is_some() {
            return None;
        }
        let ticket = tickets.take();
        remembered.awaited = Some(ticket);
        // The clock may start at zero, which stands for never.
        remembered.asked = now.mono.max(f64::MIN_POSITIVE);
        let filter = LotFilter {
            machine: None,
            model: Some(model),
        };
        let question = question(
            Some(search.clone()),
            filter,
            storage,
            VERDICT_DAYS * DAY,
            Want::Memory { gpus: Some(gpus) },
            now,
        );
        Some(Effect::History(HistoryJob::Recall { ticket, question }))
    }
}

/// A question about the last `seconds`, with prices of offers that have `storage` GB.
pub fn question(
    search: Option<SearchKey>,
    filter: LotFilter,
    storage: f64,
    seconds: i64,
    want: Want,
    now: Now,
) -> Question {
    let until = Moment::of(now.epoch);
    Question {
        search,
        filter,
        storage,
        since: Moment(until.0.saturating_sub(seconds)),
        until,
        want,
    }
}

/// Why an answer is awaited.
pub(crate) fn reading(state: &State) -> String {
    let simulation = state.sandbox.simulation();
    simulation.unwrap_or_else(|| "Reading the record".to_owned())
}

/// Asks a question of the record; [`Recall::answer`] has the answer once it is here.
pub(crate) fn ask(cx: &mut Cx<'_>, question: Question) {
    let Lent {
        feature: recall,
        tickets,
        ..
    } = cx.lend::<Recall>();
    let effect = recall.ask(question, tickets);
    cx.effects_for(Owner::Feature(answered), [effect]);
}

fn answered(cx: &mut Cx<'_>, ticket: Ticket, news: News) {
    if let News::Recalled(result) = news {
        cx.feature::<Recall>().answered(ticket, *result);
    }
}

impl State {
    /// The search whose rows the open pane shows, as it is recorded.
    pub fn shown_search(&self) -> Option<SearchKey> {
        let query = self.browser()?.shown_query()?;
        Some(SearchKey::of(query))
    }

    /// What is remembered of the offers like one of a row, and its price per GPU.
    pub fn remembered(&self, resource: Resource, row: usize) -> Option<(&Memory, Lot, f64)> {
        let browser = &self.browsers[resource];
        let listing = browser.listing()?;
        let lot = recorded_lot(listing, u32::try_from(row).ok()?)?;
        let offer_type = browser
            .shown_query()
            .map_or_else(Default::default, |query| query.offer_type);
        let quote = quotes(listing, offer_type)(u32::try_from(row).ok()?)?;
        let memory = self.recall().memory(lot.model.clone(), quote.gpus)?;
        Some((memory, lot, quote.per_gpu(browser.storage().0)))
    }
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
    let (Some(listing), Some(query)) = (browser.listing(), browser.shown_query()) else {
        return;
    };
    let storage = browser.storage().0;
    let scope = (
        resource,
        browser.polls(),
        browser.selected_row(),
        browser.marks.len(),
        storage.to_bits(),
    );
    if recall.followed.replace(scope) == Some(scope) {
        return;
    }
    let search = SearchKey::of(query);
    let priced = Some((search.clone(), storage));
    if recall.search != priced {
        recall.models.clear();
        recall.search = priced;
    }
    let selected = browser.selected_row().and_then(|row| u32::try_from(row).ok());
    let marked = browser.marked_rows();
    let rows = selected.into_iter().chain(marked);
    let quote = quotes(listing, query.offer_type);
    let mut asked = Vec::new();
    for row in rows.take(MOST_MODELS) {
        if let (Some(lot), Some(Quote { gpus, .. })) = (recorded_lot(listing, row), quote(row)) {
            asked.extend(recall.remember((lot.model, gpus), (&search, storage), tickets, now));
        }
    }
    drop(quote);
    cx.effects_for(Owner::Feature(answered), asked);
}
