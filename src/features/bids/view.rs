//! The tab of bids: the holds of each, the bid to place for the job, and the one with the lowest bill.

use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};

use super::rules::{CHECKPOINT, HEADS, NOTHING, Outlook, RESTART, Run, cells, short_basis};
use super::study::{BidHistory, BidMarket, BidStudy};
use crate::core::State;
use crate::core::view::{Availability, Cx, Outcome, Region, Scene, View};
use crate::core::views::chart;
use crate::core::views::chart::{Axis, Labels, polyline};
use crate::core::views::keys::{TABBED_CHART, of_chart};
use crate::domain::format::{brief, dollars, lasting, percent};
use crate::domain::insight::Scale;
use crate::domain::text::visible;
use crate::domain::{Operator, Value};
use crate::features::history;
use crate::features::history::Recall;
use crate::features::history::figures::Figures;
use crate::features::history::prices::draw_now;
use crate::features::history::{Asked, Recalled};
use crate::keys::{Action, Context};
use crate::record::differences::recorded_lot;
use crate::record::{DAY, Moment, VERDICT_DAYS};
use crate::tui::text::{cells as cells_of, fit};

/// Minimum height of a useful chart.
const CHART: u16 = 8;

#[derive(Debug)]
pub(crate) struct Bids {
    asked: Asked<BidStudy>,
    /// The selected offer's model and number of GPUs.
    like: Option<(String, u32)>,
    run: Run,
    is_awaited: bool,
    failure: Option<String>,
    history: Option<BidHistory>,
    /// The index of the shown market.
    market: usize,
    cursor: usize,
}

impl Bids {
    /// The bids on the selected offer's model (without one, on all), from the records of the pane's search,
    /// for the hours of the job that offers are priced for, or else for one hour of work. `None` if the pane
    /// has no table, or while its first response is missing.
    pub fn new(cx: &mut Cx<'_>) -> Option<Self> {
        let (state, now) = (cx.state(), cx.now);
        let browser = state.browser()?;
        let selected = browser.listing().zip(browser.selected_row());
        let row = selected.and_then(|(listing, row)| Some((listing, u32::try_from(row).ok()?)));
        let like = row.and_then(|(listing, row)| {
            let gpus = listing
                .cell(row as usize, listing.catalog().by_key("num_gpus")?)
                .whole()?;
            Some((recorded_lot(listing, row)?.model.to_string(), u32::try_from(gpus).ok()?))
        });
        let mut query = browser.shown_query()?.clone();
        if let Some((model, _)) = &like {
            query = query.with("gpu_name", Operator::Eq, Value::Text(model.clone()));
        }
        let until = now.epoch.moment();
        let study = BidStudy {
            query,
            since: Moment(until.0 - VERDICT_DAYS * DAY),
            until,
        };
        let job = browser
            .computed
            .job
            .filter(|job| job.work_dlperf_hours.is_none() && job.work.is_none());
        Some(Self {
            like,
            run: Run {
                hours: job.map_or(1.0, |job| job.run_hours),
                checkpoint: CHECKPOINT,
                restart: RESTART,
            },
            is_awaited: true,
            failure: None,
            history: None,
            market: 0,
            cursor: 0,
            asked: history::ask(cx, study),
        })
    }

    /// Takes the output of the analysis once it is finished, and shows the market of the selected offer, or
    /// else the first one, with the cursor on its headline.
    fn take_output(&mut self, state: &State) {
        match Recall::read(state).output(&self.asked) {
            Recalled::Here(history) => self.history.clone_from(history),
            Recalled::Failed(error) => self.failure = Some(error.to_string()),
            Recalled::Awaited => return,
        }
        self.is_awaited = false;
        let markets = self.history.iter().flat_map(|history| &history.markets);
        let mut alike = markets.map(|market| Some((&market.model, market.gpus)));
        let like = self.like.as_ref().map(|(model, gpus)| (model, *gpus));
        self.market = alike.position(|market| market == like).unwrap_or(0);
        self.cursor = self.outlooks().headline().unwrap_or(0);
    }

    /// The shown market; `None` without a record, or while too little is recorded for figures.
    fn market(&self) -> Option<&BidMarket> {
        let history = self.history.as_ref().filter(|history| history.withheld().is_none())?;
        history.markets.get(self.market)
    }

    /// The results of the shown market's bids; without any if there is no market.
    fn outlooks(&self) -> Outlooks {
        let watched = self.history.as_ref().map_or(0, |history| history.watched);
        let outlooks = self.market().map(|market| self.run.outlooks(market, watched));
        let (all, lowest) = outlooks.unwrap_or_default();
        Outlooks {
            suggested: self.run.suggested(&all),
            lowest,
            all,
        }
    }

    /// Shows the market `by` places further, wrapping around, with the cursor on its headline.
    fn switch(&mut self, by: usize) {
        let markets = self.history.as_ref().map_or(0, |history| history.markets.len());
        self.market = (self.market + by) % markets.max(1);
        self.cursor = self.outlooks().headline().unwrap_or(0);
    }

    /// The line above the table of bids: the bid to place, else the one with the lowest bill, or the reason that
    /// there is none, such as a failure, a running analysis or too little record.
    fn head(&self, scene: &Scene<'_, '_>) -> Vec<Line<'static>> {
        let theme = scene.theme;
        let outlooks = self.outlooks();
        let say = |text: &str, style| vec![Line::styled(visible(text, 400), style)];
        if let Some(why) = &self.failure {
            return say(why, theme.warning);
        }
        if self.is_awaited {
            return say(&history::describe_wait(scene.state), theme.dim);
        }
        let Some(history) = self.history.as_ref().filter(|history| history.watched > 0) else {
            return say(NOTHING, theme.text);
        };
        if let Some(why) = history.withheld() {
            return say(&why, theme.text);
        }
        if outlooks.all.is_empty() {
            return say("No such offer named a minimum bid in this time", theme.text);
        }
        let Some(best) = outlooks.headline().and_then(|best| outlooks.all.get(best)) else {
            return say(
                "At no bid would so much work have been done in the recorded time",
                theme.text,
            );
        };
        let work = lasting(self.run.hours * 3600.0);
        let bill = best.bill.map_or_else(String::new, dollars);
        let done = best.done.map_or_else(String::new, |hours| brief(hours * 3600.0));
        let subject = match outlooks.suggested {
            Some(_) => "Suggested bid",
            None => "No bid held half of the time; lowest GPU bill",
        };
        let text = format!(
            "{subject}: {bill} for {work} of work, at ${:.4}/h: held {} of the time, done in {done}; storage for \
             that long comes on top",
            best.bid,
            percent(best.held)
        );
        say(&text, theme.accent)
    }
}

impl View for Bids {
    fn contexts(&self) -> &'static [Context] {
        TABBED_CHART
    }

    fn availability(&self, action: Action, _: &State) -> Availability {
        of_chart(action)
    }

    fn hint(&self, action: Action) -> Option<&'static str> {
        (action == Action::Right).then_some("GPUs")
    }

    fn update(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        if let Some(lines) = cx.motion(action) {
            let last = self.outlooks().all.len().saturating_sub(1);
            self.cursor = self.cursor.saturating_add_signed(lines).min(last);
            return Outcome::Handled;
        }
        match action {
            Action::Right => self.switch(1),
            Action::Left => self.switch(
                self.history
                    .as_ref()
                    .map_or(1, |history| history.markets.len().max(1) - 1),
            ),
            _ => return Outcome::Ignored,
        }
        Outcome::Handled
    }

    fn click(&mut self, _: Region, line: usize, _: &mut Cx<'_>) -> Outcome {
        self.cursor = line;
        Outcome::Handled
    }

    fn tick(&mut self, cx: &mut Cx<'_>) {
        if self.is_awaited {
            self.take_output(cx.state());
        }
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        let outlooks = self.outlooks();
        let subject = self.market().map_or_else(String::new, |market| {
            format!("{}x {} · ", market.gpus, visible(&market.model, 24))
        });
        let mark = history::rating::simulation_suffix(scene.state);
        let facts = format!("{subject}$/h for all GPUs without storage{mark}");
        let inner = scene.tabbed("Bids", facts, area);
        let text = self.head(scene);
        let local = scene.state.local_time(scene.now);
        let recorded = self.history.as_ref().filter(|history| history.watched > 0);
        let basis = recorded.map(|history| {
            let since = local.minute(history.since.unix());
            short_basis(history, &since, &self.run, scene.state.profile.is_sandbox)
        });
        let line = |(index, outlook)| cells(outlook, outlooks.mark(index));
        let figures = Figures {
            heads: HEADS.to_vec(),
            rows: outlooks.all.iter().enumerate().map(line).collect(),
        };
        let chart = figures.draw((text, basis), (self.cursor, CHART), inner, scene);
        if self.is_awaited {
            return draw_now(chart, scene);
        }
        draw_shares(&outlooks, self.cursor, chart, scene);
    }
}

/// The results of a market's bids.
struct Outlooks {
    all: Vec<Outlook>,
    /// The index of the bid to place, see [`Run::suggested`].
    suggested: Option<usize>,
    /// The index of the bid with the lowest bill.
    lowest: Option<usize>,
}

impl Outlooks {
    /// The index of the bid in the headline: the suggested one, else the one with the lowest bill.
    fn headline(&self) -> Option<usize> {
        self.suggested.or(self.lowest)
    }

    /// The mark of a bid in the table; empty for most.
    fn mark(&self, index: usize) -> &'static str {
        match index {
            _ if self.suggested == Some(index) => "suggested",
            _ if self.lowest == Some(index) => "lowest",
            _ => "",
        }
    }
}

/// Draws the chart of the share of the time that each bid would have held, filled below, with the one of the
/// headline marked and the one at the cursor read out. Bids that hold no longer than a lower one are cut
/// off at the end. Nothing is drawn for fewer than two bids or in too little height.
fn draw_shares(market: &Outlooks, cursor: usize, area: Rect, scene: &mut Scene<'_, '_>) {
    let outlooks = market.all.as_slice();
    let at_cursor = outlooks.get(cursor);
    // Bids above the first that holds as long as any add nothing but length.
    let most = outlooks.iter().map(|outlook| outlook.held).fold(0.0, f64::max);
    let enough = outlooks.iter().position(|outlook| outlook.held >= most);
    let outlooks = outlooks
        .get(..enough.map_or(0, |enough| enough + 2))
        .unwrap_or(outlooks);
    let across = Scale::fit(outlooks.iter().map(|outlook| outlook.bid), None);
    let upwards = Scale::fit(outlooks.iter().map(|outlook| outlook.held * 100.0).chain([0.0]), None);
    let (Some(across), Some(upwards)) = (across, upwards) else {
        return;
    };
    if area.height < CHART || outlooks.len() < 2 {
        return;
    }
    let [title, area] = Layout::vertical([Constraint::Length(1), Constraint::Fill(1)]).areas(area);
    let heading = Span::styled("% of the time with any offer held, by bid in $/h", scene.theme.heading);
    let read = at_cursor.map_or_else(String::new, |outlook| {
        format!("  ${:.4} {}", outlook.bid, percent(outlook.held))
    });
    let accent = scene.theme.accent.remove_modifier(Modifier::UNDERLINED);
    scene.render(
        fit(Line::from(vec![heading, Span::styled(read, accent)]), title.width),
        title,
    );
    let axes = (Axis(&across, Labels::Number), Axis(&upwards, Labels::Number));
    let Some(plot) = chart::axes(&axes.0, Some(&axes.1), area, scene) else {
        return;
    };
    let position = |outlook: &Outlook| Some((across.position(outlook.bid)?, upwards.position(outlook.held * 100.0)?));
    // Steps: between two bids nothing was tried.
    let mut points: Vec<(f64, f64)> = Vec::new();
    for (x, y) in outlooks.iter().filter_map(position) {
        points.extend(points.last().map(|(_, before)| (x, *before)));
        points.push((x, y));
    }
    chart::shade(&points, plot, scene);
    let color = scene.theme.series[1].fg.unwrap_or_default();
    let canvas = chart::canvas(plot).paint(|context| polyline(context, &points, color));
    scene.render(canvas, plot);
    let share = at_cursor.and_then(|outlook| across.position(outlook.bid));
    if let Some(share) = share {
        chart::cursor(share, plot, scene);
    }
    let headline = market.headline().and_then(|index| Some((index, outlooks.get(index)?)));
    if let Some((index, outlook, (x, y))) =
        headline.and_then(|(index, outlook)| Some((index, outlook, position(outlook)?)))
    {
        let label = format!("◆ ${:.4} {}", outlook.bid, market.mark(index));
        let end = plot.right().saturating_sub(cells_of(&label));
        let (column, row) = chart::dot_cell((x, y), plot);
        scene
            .frame
            .buffer_mut()
            .set_string(column.min(end.max(plot.x)), row, label, scene.theme.accent);
    }
}
