//! The tab of the price index.

use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::Line;

use super::index::{self, Index, IndexLine};
use super::rules::{HEADS, basis, cells};
use crate::core::State;
use crate::core::view::{Availability, Cx, Outcome, Region, Scene, View};
use crate::core::views::keys::{TABBED_CHART, of_chart};
use crate::core::views::sheet;
use crate::domain::Resource;
use crate::domain::text::visible;
use crate::features::history;
use crate::features::history::Recall;
use crate::features::history::figures::{self, Figures};
use crate::features::history::prices::{chart_of_lows, seconds};
use crate::features::history::{Asked, Recalled};
use crate::keys::{Action, Context};
use crate::record::differences::recorded_lot;
use crate::record::{DAY, Moment, VERDICT_DAYS, price_unit};
use crate::tui::panel::{Panel, Size};

/// Minimum height of a chart below the table.
const CHART: u16 = 9;

#[derive(Debug)]
pub(crate) struct PriceIndex {
    asked: Option<Asked<index::PriceIndex>>,
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
    pub fn new(cx: &mut Cx<'_>) -> Option<Self> {
        let until = Moment::of(cx.now.epoch);
        let since = Moment(until.0 - VERDICT_DAYS * DAY);
        let browser = cx.state().browser()?;
        let row = browser.listing().zip(browser.selected_row());
        let lot = row.and_then(|(listing, row)| recorded_lot(listing, u32::try_from(row).ok()?));
        let like = lot.map(|lot| lot.model);
        let query = browser.shown_query()?.clone();
        let (storage, is_on) = (query.storage_gb(), Recall::read(cx.state()).is_on);
        let analysis = index::PriceIndex { query, since, until };
        Some(Self {
            asked: is_on.then(|| history::ask(cx, analysis)),
            since,
            until,
            storage,
            is_awaited: is_on,
            index: None,
            why: (!is_on).then(|| "Nothing is recorded without a state folder".to_owned()),
            like,
            model: None,
            cursor: 0,
        })
    }

    fn lines(&self) -> Vec<&IndexLine> {
        let lines = self.index.iter().flat_map(|index| &index.lines);
        let is_shown = |line: &&IndexLine| match &self.model {
            None => line.country.is_none(),
            Some(model) => line.model == *model,
        };
        lines.filter(is_shown).collect()
    }

    fn take_output(&mut self, state: &State) {
        self.why = match self.asked.as_ref().map(|asked| Recall::read(state).output(asked)) {
            Some(Recalled::Here(Some(index))) if !index.lines.is_empty() => {
                self.index = Some(index.clone());
                None
            }
            Some(Recalled::Here(Some(_))) => {
                Some("No index yet: no model's lowest price is known for 24 hours".to_owned())
            }
            Some(Recalled::Here(None)) => Some("Nothing is recorded of this search: turn on auto-refresh".to_owned()),
            Some(Recalled::Failed(error)) => Some(visible(&error.to_string(), 200)),
            Some(Recalled::Awaited) | None => return,
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
        let origin = history::origin(scene.state.profile.is_sandbox);
        let title = self.model.as_ref().map_or_else(
            || "Price index".to_owned(),
            |model| format!("Price index: {} by country", visible(model, 24)),
        );
        let panel = Panel::new(title)
            .note(format!("{unit}, {origin}"))
            .focused(true)
            .sized(scene.size);
        let inner = panel.render(area, scene.frame.buffer_mut(), scene.theme);
        let why = self
            .why
            .clone()
            .or_else(|| self.is_awaited.then(|| history::reading(scene.state)));
        let why = why.map(|why| Line::styled(why, scene.theme.text));
        let mut text: Vec<Line<'static>> = why.into_iter().collect();
        let local = scene.state.local_time(scene.now);
        if let Some(index) = self.index.as_ref().filter(|index| !index.lines.is_empty()) {
            let basis = basis(index, &local.minute(seconds(index.since)), (&unit, origin)).into_iter();
            // A small screen has room for the meaning of the columns only.
            let most = if scene.size == Size::Compact { 1 } else { usize::MAX };
            text.extend(basis.take(most).map(|line| Line::styled(line, scene.theme.dim)));
        }
        let lines = self.lines();
        let head = u16::try_from(sheet::rows(&text, inner.width)).unwrap_or(u16::MAX);
        let [head, body] = Layout::vertical([Constraint::Length(head), Constraint::Fill(1)]).areas(inner);
        let [table, chart] = figures::beside(lines.len(), &HEADS, CHART, body);
        sheet::text(text, head, scene);
        if lines.is_empty() {
            return;
        }
        let figures = Figures {
            heads: HEADS.to_vec(),
            rows: lines.iter().map(|line| cells(line)).collect(),
        };
        figures.draw(self.cursor, table, scene);
        if let Some(line) = lines.get(self.cursor).filter(|_| chart.height >= CHART) {
            let country = line
                .country
                .as_ref()
                .map_or_else(String::new, |country| format!(" in {country}"));
            let heading = format!("Lowest price of {}{country}, {unit}", visible(&line.model, 24));
            let span = (
                self.since
                    .max(self.index.as_ref().map_or(Moment(0), |index| index.since)),
                self.until,
            );
            chart_of_lows(&line.lows, span, heading, chart, scene);
        }
    }
}
