//! The market line: the GPU models of the loaded rows, each with its lowest price among them, and
//! with the market's change since a day and its week from the record.

pub mod weeks;

use std::collections::BTreeMap;

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use self::weeks::{ModelWeek, WeekStudy};
use super::history::prices::History;
use super::history::{Asked, Recall, Recalled, ask, rating};
use crate::core::feature::{Feature, FeatureState};
use crate::core::frame_layout::Target;
use crate::core::state::State;
use crate::core::view::{Cx, Region, Scene};
use crate::domain::text::screen;
use crate::domain::time::{MonotonicTime, Now};
use crate::domain::{CellRef, Listing, Operator, Query, Resource, Value, format, language};
use crate::keys::pane::Pane;

pub(crate) const FEATURE: Feature = Feature {
    state: |_| Some(Box::new(MarketLine::default())),
    follow,
    ..Feature::IDLE
};

/// The region of the models, for clicks.
pub(crate) const REGION: Region = Region(9);

/// Maximum number of models; a wide screen shows eight.
const MODELS: usize = 8;

/// Maximum length of a model's name, in bytes; the record has none that are longer.
const LONGEST_NAME: usize = 64;

/// Minimum height of a screen with the line.
const ROWS: u16 = 30;

/// Seconds after which the record is read again.
///
/// A sparkline of a week changes little in less.
const FRESH: f64 = 300.0;

/// Seconds after which it is read again if it had no prices, which may be recorded soon.
const UNKNOWN: f64 = 15.0;

/// A model among the loaded rows.
#[derive(Debug, Clone, PartialEq)]
struct Offered {
    model: String,
    gpus: f64,
    /// The lowest price per GPU, in dollars per hour.
    lowest: Option<f64>,
}

/// The models on offer, with the record of each.
#[derive(Debug, Default)]
pub(crate) struct MarketLine {
    /// The number of the rows that were counted, by which changes are detected.
    contents: Option<u64>,
    /// The models on offer, those with the most GPUs first.
    models: Vec<Offered>,
    /// The model whose analysis is in progress.
    asked: Option<(String, Asked<WeekStudy>)>,
    /// The models to analyse next, the last one first.
    waiting: Vec<String>,
    /// The time of the last analyses, and their models.
    asked_at: Option<(MonotonicTime, Vec<String>)>,
    weeks: BTreeMap<String, ModelWeek>,
}

impl FeatureState for MarketLine {}

/// Height of the market line in rows: 1 on the offers pane of a screen with at least 30 rows, else 0.
pub(crate) fn height(state: &State) -> u16 {
    u16::from(is_line_shown(state))
}

/// Whether the market line is shown: on the offers pane only, and on a screen with at least 30 rows.
fn is_line_shown(state: &State) -> bool {
    state.pane == Pane::Offers && state.screen.size.1 >= ROWS
}

/// The GPU models of the `rows` of a listing, eight at most, those with the most GPUs first, each with its
/// lowest price in $/h per GPU. Rows without a model, or with a name over 64 bytes, are left out.
fn offered(listing: &Listing, rows: &[u32]) -> Vec<Offered> {
    let catalog = listing.catalog();
    let column = |key: &str| catalog.column(key).map(|field| listing.column(field));
    let (Some(names), Some(gpus), Some(prices)) = (column("gpu_name"), column("num_gpus"), column("dph_per_gpu"))
    else {
        return Vec::new();
    };
    let mut models: BTreeMap<&str, (f64, Option<f64>)> = BTreeMap::new();
    for row in rows.iter().map(|row| *row as usize) {
        let CellRef::Text(name) = names.cell(row) else {
            continue;
        };
        if name.len() > LONGEST_NAME {
            continue;
        }
        let model = models.entry(name).or_default();
        model.0 += gpus.cell(row).number().unwrap_or(0.0);
        let price = prices.cell(row).number();
        model.1 = model.1.into_iter().chain(price).reduce(f64::min);
    }
    let mut models: Vec<Offered> = models
        .into_iter()
        .map(|(model, (gpus, lowest))| Offered {
            model: model.to_owned(),
            gpus,
            lowest,
        })
        .collect();
    models.sort_by(|left, right| right.gpus.total_cmp(&left.gpus));
    models.truncate(MODELS);
    models
}

/// The market's default query for offers, limited to a GPU model and with the storage size of the table's
/// prices.
fn query_of(state: &State, model: &str) -> Query {
    let browser = &state.browsers[Resource::Offers];
    let mut query = language::default_query(Resource::Offers, browser.dialect());
    query.storage = Some(browser.storage().0);
    query.with("gpu_name", Operator::Eq, Value::Text(model.to_owned()))
}

/// Recounts the models of the market line if the rows have changed, stores the output of a finished analysis,
/// and starts the next one. Nothing happens while the line is hidden.
fn follow(cx: &mut Cx<'_>) {
    if !is_line_shown(cx.state()) {
        return;
    }
    let browser = &cx.state().browsers[Resource::Offers];
    let (shown, line) = (browser.displayed(), cx.state().feature::<MarketLine>());
    let contents = shown.contents();
    if line.contents != Some(contents) {
        let rows = shown.listing();
        let models = rows.map_or_else(Vec::new, |listing| offered(listing, shown.view()));
        let line = cx.feature::<MarketLine>();
        line.contents = Some(contents);
        line.models = models;
    }
    take_output(cx);
    let now = cx.now;
    if is_due_again(cx.state(), now) {
        let line = cx.feature::<MarketLine>();
        let models: Vec<String> = line.models.iter().map(|offered| offered.model.clone()).collect();
        line.weeks.retain(|model, _| models.contains(model));
        line.waiting = models.iter().rev().cloned().collect();
        line.asked_at = Some((now.mono, models));
    }
    ask_next(cx);
}

/// Whether to analyze the weeks of all models of the market line: a model is new, or the figures are over
/// five minutes old (15 seconds if there are none). False while analyses run or wait, during a simulation,
/// and without a record or models.
fn is_due_again(state: &State, now: Now) -> bool {
    let line: &MarketLine = state.feature();
    let is_busy = line.asked.is_some() || !line.waiting.is_empty();
    // The sandbox's past is being recorded.
    if is_busy || state.sandbox.simulation().is_some() || line.models.is_empty() || !Recall::read(state).is_on {
        return false;
    }
    let fresh = if line.weeks.is_empty() { UNKNOWN } else { FRESH };
    !line.asked_at.as_ref().is_some_and(|(at, models)| {
        now.mono < *at + fresh && line.models.iter().all(|offered| models.contains(&offered.model))
    })
}

/// Starts the analysis of the last week's prices for the next waiting model of the market line, unless one is
/// running or none waits.
///
/// One runs at a time, as each output takes memory.
fn ask_next(cx: &mut Cx<'_>) {
    let line = cx.feature::<MarketLine>();
    if line.asked.is_some() {
        return;
    }
    let Some(model) = line.waiting.pop() else { return };
    let query = query_of(cx.state(), &model);
    let until = cx.now.epoch.moment();
    let asked = ask(cx, WeekStudy::new(query, until));
    cx.feature::<MarketLine>().asked = Some((model, asked));
}

/// Stores the week of prices of a model on the market line once its analysis is finished; if that failed or
/// found no prices, the model's week is removed. Nothing happens while it is running.
fn take_output(cx: &mut Cx<'_>) {
    let line: &MarketLine = cx.state().feature();
    let Some((model, asked)) = &line.asked else { return };
    let week = match Recall::read(cx.state()).output(asked) {
        Recalled::Here(week) => week.clone(),
        Recalled::Failed(_) => None,
        Recalled::Awaited => return,
    };
    let model = model.clone();
    let line = cx.feature::<MarketLine>();
    line.asked = None;
    match week {
        Some(week) => line.weeks.insert(model, week),
        None => line.weeks.remove(&model),
    };
}

/// The meaning and the unit of the prices, shown at the right end of the line.
const UNIT: &str = "lowest, $/GPU-h";

/// What changes and sparklines are of: the recorded market, whatever is loaded.
const TREND: &str = " · market trend";

/// Draws the market line: GPU models, as many as fit, each with its lowest price and, once recorded, its
/// change since a day ago and its week; a click on one opens its history. Nothing without models.
pub(crate) fn draw(area: Rect, scene: &mut Scene<'_, '_>) {
    let theme = scene.theme;
    let line: &MarketLine = scene.state.feature();
    if line.models.is_empty() {
        return;
    }
    let mark = if line.weeks.is_empty() {
        UNIT.to_owned()
    } else {
        format!("{UNIT}{TREND}{}", rating::simulation_suffix(scene.state))
    };
    let end = area.right().saturating_sub(crate::tui::text::cells(&mark) + 2);
    let mut x = area.x + 1;
    for (index, offered) in line.models.iter().enumerate() {
        let week = line.weeks.get(&offered.model);
        let mut spans = vec![Span::styled(screen(&offered.model, 16), theme.dim)];
        let price = offered
            .lowest
            .map_or_else(|| format::NONE.to_owned(), |price| format!(" {price:.3}"));
        spans.push(Span::styled(price, theme.text));
        if let Some(change) = week.and_then(|week| week.change_to(offered.lowest)) {
            let share = format!("{:.0}%", change.abs() * 100.0);
            spans.push(if change < 0.0 {
                Span::styled(format!(" ▼{share}"), theme.good)
            } else {
                Span::styled(format!(" ▲{share}"), theme.warning)
            });
        }
        if let Some(week) = week {
            let text = rating::sparkline(&week.days);
            let gap = if text.is_empty() { "" } else { " " };
            spans.push(Span::styled(format!("{gap}{text}"), theme.dim));
        }
        let text = Line::from(spans);
        let width = u16::try_from(text.width()).unwrap_or(u16::MAX);
        if x.saturating_add(width) > end {
            break;
        }
        let cell = Rect { x, width, ..area };
        scene.frame.render_widget(text, cell);
        scene.layout.targets.push((cell, Target::Item(REGION, index)));
        x += width + 3;
    }
    let line = Line::styled(format!("{mark} "), theme.dim);
    scene.frame.render_widget(
        line.right_aligned(),
        Rect {
            x: end,
            width: area.right() - end,
            ..area
        },
    );
}

/// Opens the price history of the model at `index` of the market line, counted from 0; nothing happens if
/// there is none.
pub(crate) fn open(index: usize, cx: &mut Cx<'_>) {
    let line: &MarketLine = cx.state().feature();
    let Some(offered) = line.models.get(index) else {
        return;
    };
    let query = query_of(cx.state(), &offered.model);
    History::open_for_search(&query, cx);
}
