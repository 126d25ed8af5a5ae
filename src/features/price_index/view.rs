//! The tab of the price index.

use std::cmp::Reverse;

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::index::{self, Index, IndexLine};
use super::rules::{HEADS, cells, short_basis};
use crate::core::State;
use crate::core::view::{Availability, Cx, Outcome, Region, Scene, View};
use crate::core::views::keys::{TABBED_CHART, of_chart};
use crate::domain::Resource;
use crate::domain::format::{counted, percent, unit_price};
use crate::domain::text::{screen, visible};
use crate::features::history;
use crate::features::history::Recall;
use crate::features::history::figures::Figures;
use crate::features::history::prices::{chart_of_lows, draw_now};
use crate::features::history::rating;
use crate::features::history::{Asked, Recalled};
use crate::keys::{Action, Context};
use crate::record::differences::recorded_lot;
use crate::record::{DAY, Moment, VERDICT_DAYS, price_unit, trend};

/// The place of the country among the columns, which says nothing of a model everywhere.
const MODEL: usize = 0;
const COUNTRY: usize = 1;

/// The place of the sparklines among the columns, and their cells.
const TREND: usize = 4;
const WEEKS: u16 = 12;

/// Minimum height of a chart below the table.
const CHART: u16 = 9;

#[derive(Debug)]
pub(crate) struct PriceIndex {
    asked: Asked<index::PriceIndex>,
    /// The start of the indexed time.
    since: Moment,
    until: Moment,
    /// The storage in GB that prices include.
    storage: f64,
    is_awaited: bool,
    index: Option<Index>,
    /// The reason there is nothing to show.
    why: Option<String>,
    /// The selected offer's model, on which the cursor starts.
    like: Option<String>,
    /// The model whose countries are shown; `None` for all models.
    model: Option<String>,
    cursor: usize,
}

impl PriceIndex {
    /// The tab for the running search, whose index over the last 30 days is requested from the record; `None`
    /// if the pane has no table, or before its first response.
    pub fn new(cx: &mut Cx<'_>) -> Option<Self> {
        let until = cx.now.epoch.moment();
        let since = Moment(until.0 - VERDICT_DAYS * DAY);
        let browser = cx.state().browser()?;
        let row = browser.listing().zip(browser.selected_row());
        let lot = row.and_then(|(listing, row)| recorded_lot(listing, u32::try_from(row).ok()?));
        let like = lot.map(|lot| lot.model.to_string());
        let query = browser.shown_query()?.clone();
        let storage = query.storage_gb();
        let analysis = index::PriceIndex { query, since, until };
        Some(Self {
            asked: history::ask(cx, analysis),
            since,
            until,
            storage,
            is_awaited: true,
            index: None,
            why: None,
            like,
            model: None,
            cursor: 0,
        })
    }

    /// The lines shown: those of all models, or of the open model, first all its countries together and then
    /// each; by GPUs on offer, most first. Empty before the index has arrived.
    fn lines(&self) -> Vec<&IndexLine> {
        let lines = self.index.iter().flat_map(|index| &index.lines);
        let is_shown = |line: &&IndexLine| match &self.model {
            None => line.country.is_none(),
            Some(model) => line.model == *model,
        };
        let mut lines: Vec<&IndexLine> = lines.filter(is_shown).collect();
        // Of a model, all countries together come first.
        lines.sort_by_key(|line| (line.country.is_some(), Reverse(line.gpus)));
        lines
    }

    /// The subject of the lines: the models of the search, by name if it is a single one, or the countries of the
    /// open model.
    fn subject(&self) -> String {
        let lines = self.lines();
        match (&self.model, lines.as_slice()) {
            (Some(model), _) => format!("{} by country", visible(model, 24)),
            (None, [line]) => visible(&line.model, 24),
            (None, _) => "models of the search".to_owned(),
        }
    }

    /// The time that the index covers: 30 days, or since the first usable poll if that is later.
    fn span(&self) -> (Moment, Moment) {
        let recorded = self.index.as_ref().map_or(Moment(0), |index| index.since);
        (self.since.max(recorded), self.until)
    }

    /// The usual lowest price per GPU in $/h of the selected line, in offers of any number of GPUs, the
    /// difference of a bid from the on-demand price in percent, and the GPUs on offer; `None` without a line.
    fn headline(&self, lines: &[&IndexLine], scene: &Scene<'_, '_>) -> Option<Line<'static>> {
        let line = lines.get(self.cursor)?;
        let country = line
            .country
            .as_ref()
            .map_or_else(String::new, |country| format!(" in {country}"));
        let bid = line.bid.map_or_else(String::new, |bid| {
            let word = if bid < 0.0 { "less" } else { "more" };
            format!(", a bid {} {word}", percent(bid.abs()))
        });
        Some(Line::from(vec![
            Span::styled(
                format!("{}{country} usually ", screen(&line.model, 24)),
                scene.theme.text,
            ),
            Span::styled(unit_price(line.lowest), scene.theme.figure()),
            Span::styled(
                format!(
                    " per GPU in offers of any size{bid}; {} on offer",
                    counted(usize::try_from(line.gpus).unwrap_or(usize::MAX), "GPU", "GPUs")
                ),
                scene.theme.text,
            ),
        ]))
    }

    /// Takes the index from the record, or the reason there is none, and selects the line of the model that
    /// was selected in the table (else the first). Nothing while the record is still read.
    fn take_output(&mut self, state: &State) {
        self.why = match Recall::read(state).output(&self.asked) {
            Recalled::Here(Some(index)) if !index.lines.is_empty() => {
                self.index = Some(index.clone());
                None
            }
            Recalled::Here(Some(_)) => Some("No index yet: no model's lowest price is known for 24 hours".to_owned()),
            Recalled::Here(None) => Some("Nothing is recorded of this search: turn on auto-refresh".to_owned()),
            Recalled::Failed(error) => Some(visible(&error.to_string(), 200)),
            Recalled::Awaited => return,
        };
        self.is_awaited = false;
        let mut models = self.lines().into_iter().map(|line| Some(&line.model));
        self.cursor = models.position(|model| model == self.like.as_ref()).unwrap_or(0);
    }
}

impl View for PriceIndex {
    fn contexts(&self) -> &'static [Context] {
        TABBED_CHART
    }

    fn availability(&self, action: Action, _: &State) -> Availability {
        of_chart(action)
    }

    fn hint(&self, action: Action) -> Option<&'static str> {
        match action {
            Action::Right if self.model.is_none() => Some("countries"),
            Action::Left if self.model.is_some() => Some("models"),
            _ => None,
        }
    }

    fn update(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        if let Some(lines) = cx.motion(action) {
            let last = self.lines().len().saturating_sub(1);
            self.cursor = self.cursor.saturating_add_signed(lines).min(last);
            return Outcome::Handled;
        }
        let selected = self.lines().get(self.cursor).map(|line| line.model.clone());
        match action {
            Action::Right => (self.model, self.cursor) = (selected, 0),
            Action::Left => {
                self.model = None;
                self.cursor = self
                    .lines()
                    .iter()
                    .position(|line| Some(&line.model) == selected.as_ref())
                    .unwrap_or(0);
            }
            _ => return Outcome::Ignored,
        }
        Outcome::Handled
    }

    fn click(&mut self, _: Region, line: usize, _: &mut Cx<'_>) -> Outcome {
        self.cursor = line.min(self.lines().len().saturating_sub(1));
        Outcome::Handled
    }

    fn tick(&mut self, cx: &mut Cx<'_>) {
        if self.is_awaited {
            self.take_output(cx.state());
        }
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        let unit = price_unit(Resource::Offers, self.storage);
        let origin = history::price_origin(scene.state.profile.is_sandbox);
        let inner = scene.tabbed("Price index", format!("{} · {unit}", self.subject()), area);
        let reason = self
            .why
            .clone()
            .or_else(|| self.is_awaited.then(|| history::describe_wait(scene.state)));
        let why = reason.map(|why| Line::styled(why, scene.theme.text));
        let lines = self.lines();
        let text: Vec<Line<'static>> = why.or_else(|| self.headline(&lines, scene)).into_iter().collect();
        let known = self.index.as_ref().filter(|index| !index.lines.is_empty());
        let basis = known.map(|index| {
            let since = scene.state.local_time(scene.now).minute(index.since.unix());
            short_basis(index, &since, origin)
        });
        let mut heads = HEADS.to_vec();
        heads.insert(TREND, ("30 days", "", WEEKS, 1));
        let is_of_models = self.model.is_none();
        // The title names the model whose countries are listed.
        let named_above = if is_of_models { COUNTRY } else { MODEL };
        heads.remove(named_above);
        let span = self.span();
        let row = |line: &&IndexLine| {
            let mut cells = cells(line);
            cells.insert(TREND, rating::sparkline(&trend(&line.lows, span, usize::from(WEEKS))));
            cells.remove(named_above);
            cells
        };
        let figures = Figures {
            heads,
            rows: lines.iter().map(row).collect(),
        };
        let chart = figures.draw((text, basis), (self.cursor, CHART), inner, scene);
        if self.is_awaited {
            draw_now(chart, scene);
        }
        if let Some(line) = lines.get(self.cursor).filter(|_| chart.height >= CHART) {
            let country = line
                .country
                .as_ref()
                .map_or_else(String::new, |country| format!(" in {country}"));
            let heading = format!("Lowest price of {}{country}, {unit}", visible(&line.model, 24));
            chart_of_lows(&line.lows, span, (heading, &[]), chart, scene);
        }
    }
}
