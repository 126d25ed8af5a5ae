//! Two runs side by side.

use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Style};
use ratatui::text::{Line, Span};

use crate::core::State;
use crate::core::view::{Availability, Cx, Outcome, Region, Scene, View};
use crate::core::views::chart;
use crate::core::views::chart::{Axis, Labels, polyline};
use crate::domain::format;
use crate::domain::insight::{Scale, ScaleKind};
use crate::domain::routing::{Figure, Latencies, compare, words};
use crate::features::route_lab::{RouteRun, Routes};
use crate::keys::{Action, Context};
use crate::tui::panel::{Panel, Size};
use crate::tui::records::Records;
use crate::tui::table::Column;
use crate::tui::text::fit;
use crate::tui::theme::{SERIES_SIGNS, Theme};

/// Cells of the table of figures.
const TABLE: u16 = 64;

/// The view of a run compared with another one.
#[derive(Debug)]
pub(super) struct Compare {
    run: u64,
    compared: u64,
    cursor: usize,
}

impl Compare {
    /// Compares the route run `run` with the one before it, or else the one after it; `None` if it is the
    /// only one.
    pub fn new(state: &State, run: u64) -> Option<Self> {
        let compared = neighbour(state, run, run, false)?;
        Some(Self {
            run,
            compared,
            cursor: 0,
        })
    }

    /// Compares with the next newer (`after`) or older route run; at the end with the nearest on the other
    /// side.
    fn compare_with_next(&mut self, state: &State, after: bool) {
        if let Some(compared) = neighbour(state, self.run, self.compared, after) {
            self.compared = compared;
        }
    }

    /// The two compared route runs, first the other one, then the run that the view was opened for; `None` if
    /// one is no longer in memory.
    fn runs<'a>(&self, state: &'a State) -> Option<(&'a RouteRun, &'a RouteRun)> {
        Routes::read(state)
            .run(self.compared)
            .zip(Routes::read(state).run(self.run))
    }
}

/// The number of the nearest route run before or after `from` (by `after`), other than `run`; if there is
/// none, the nearest on the other side. `None` if `run` is the only one.
fn neighbour(state: &State, run: u64, from: u64, after: bool) -> Option<u64> {
    let numbers = Routes::read(state).runs().iter().map(|run| run.number);
    let numbers: Vec<u64> = numbers.filter(|number| *number != run).collect();
    let before = numbers.iter().rev().find(|number| **number < from);
    let behind = numbers.iter().find(|number| **number > from);
    let next = if after { behind } else { before };
    next.or(behind).or(before).copied()
}

/// The figures of two route runs, each with the value in both.
fn figures(first: &RouteRun, second: &RouteRun, scene: &Scene<'_, '_>) -> Vec<Figure> {
    let of = |run: &RouteRun| run.run().elapsed(scene.now.mono);
    compare((first.run().stats(), of(first)), (second.run().stats(), of(second)))
}

/// A difference or change as text by `words`, with a plus sign if it is positive; empty if the figure's two
/// values show the same text or there is no `value`.
///
/// A tenth of a percent is noise.
fn signed(figure: &Figure, value: Option<f64>, words: impl Fn(f64) -> String) -> String {
    let [first, second] = [figure.first, figure.second].map(|value| words::figure(figure, value));
    let Some(value) = value.filter(|_| first != second) else {
        return String::new();
    };
    let sign = if value > 0.0 { "+" } else { "" };
    format!("{sign}{}", words(value))
}

/// The style of a figure's change from the first route run to the second: good if it improved, a warning if
/// it got worse, plain if equal or neither is better.
fn change_style(figure: &Figure, theme: &Theme) -> Style {
    match figure.is_better() {
        Some(true) => theme.good,
        Some(false) => theme.warning,
        None => theme.text,
    }
}

impl View for Compare {
    fn contexts(&self) -> &'static [Context] {
        &[Context::RouteLab, Context::Global, Context::Always]
    }

    fn update(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        if let Some(by) = cx.motion(action) {
            let last = cx.viewport(Region::MAIN).total.saturating_sub(1);
            self.cursor = self.cursor.saturating_add_signed(by).min(last);
            return Outcome::Handled;
        }
        match action {
            Action::Older => self.compare_with_next(cx.state(), false),
            Action::Newer => self.compare_with_next(cx.state(), true),
            Action::Back | Action::RouteLab | Action::Compare | Action::Open => cx.close(),
            _ => return Outcome::Ignored,
        }
        Outcome::Handled
    }

    fn availability(&self, action: Action, _: &State) -> Availability {
        Availability::hidden_if(matches!(
            action,
            Action::New
                | Action::Toggle
                | Action::Remove
                | Action::Refresh
                | Action::Open
                | Action::Query
                | Action::Export
                | Action::Settings
                | Action::Copy
                | Action::Compare
        ))
    }

    fn hint(&self, action: Action) -> Option<&'static str> {
        (action == Action::Older).then_some("other run")
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        let theme = scene.theme;
        let Some((first, second)) = self.runs(scene.state) else {
            let text = "One of the runs is no longer in memory";
            scene.render(Line::styled(text, theme.warning), area);
            return;
        };
        let figures = figures(first, second, scene);
        let borders = if scene.size == Size::Compact { 1 } else { 2 };
        let [top, bottom] = Layout::vertical([Constraint::Length(2 + borders), Constraint::Fill(1)]).areas(area);
        let title = format!("Run {} vs run {}", second.number, first.number);
        let inner = scene.panel(Panel::new(title), top);
        let plans = series_styles((first, second), theme).map(|(run, sign, style)| {
            // Two runs within a minute are usual.
            let started = scene.state.local_time(scene.now).clock(run.run().started_at());
            Line::from(vec![
                Span::styled(format!("{sign} run {}  ", run.number), style),
                Span::raw(format!("{}, {started}", words::describe_plan(run.run().plan()))),
            ])
        });
        for (line, row) in plans.into_iter().zip(inner.rows()) {
            scene.render(fit(line, row.width), row);
        }
        let [left, right] = if scene.size == Size::Compact {
            [bottom, Rect::default()]
        } else {
            Layout::horizontal([Constraint::Length(TABLE), Constraint::Fill(1)]).areas(bottom)
        };
        self.table((first, second), &figures, left, scene);
        if right.width > 0 {
            shares((first, second), right, scene);
        }
    }
}

impl Compare {
    /// Draws the figures of two route runs with their difference and relative change.
    fn table(
        &self,
        (first, second): (&RouteRun, &RouteRun),
        figures: &[Figure],
        area: Rect,
        scene: &mut Scene<'_, '_>,
    ) {
        let theme = scene.theme;
        let inner = scene.panel(Panel::new("Figures").focused(true), area);
        let run = |route_run: &RouteRun| Column::number(format!("run {}", route_run.number), 9);
        let rows = Records::new(figures.len(), |row| figures.get(row))
            .styled(Column::text("", 19), |figure: &Figure, _| {
                (figure.label.as_str().into(), theme.dim)
            })
            .column(run(first), |figure| words::figure(figure, figure.first))
            .column(run(second), |figure| words::figure(figure, figure.second))
            .styled(Column::number("Diff", 9).priority(1), |figure, _| {
                let text = signed(figure, figure.difference(), |value| words::difference(figure, value));
                (text.into(), change_style(figure, theme))
            })
            .styled(Column::number("Change", 8), |figure, _| {
                let text = signed(figure, figure.change(), format::percent);
                (text.into(), change_style(figure, theme))
            });
        let cursor = self.cursor.min(figures.len().saturating_sub(1));
        scene.table(Region::MAIN, &rows, Some(cursor), inner);
    }
}

/// Draws the cumulative distribution of the router's latencies of two route runs, a curve each.
fn shares((first, second): (&RouteRun, &RouteRun), area: Rect, scene: &mut Scene<'_, '_>) {
    let theme = scene.theme;
    let shown = series_styles((first, second), theme);
    let legend = shown.map(|(run, sign, style)| Span::styled(format!("{sign} run {} ", run.number), style));
    let inner = scene.panel(
        Panel::new("Share of replies by time").foot(Line::from(legend.to_vec())),
        area,
    );
    let latencies = shown.map(|(run, ..)| &run.run().stats().router_reply);
    let ends = latencies.iter().flat_map(|of| [of.least(), of.most()]);
    let Some(scale) = Scale::fit(ends.flatten(), None) else {
        scene.render(Line::styled("No replies yet", theme.dim), inner);
        return;
    };
    let share = Scale {
        kind: ScaleKind::Linear,
        low: 0.0,
        high: 1.0,
    };
    let [across, upwards] = [(&scale, words::latency as fn(f64) -> String), (&share, format::percent)]
        .map(|(scale, words)| Axis(scale, Labels::Words(words)));
    let Some(plot) = chart::axes(&across, Some(&upwards), inner, scene) else {
        return;
    };
    let curves = latencies.map(|of| curve(of, &scale));
    let canvas = chart::canvas(plot).paint(|context| {
        for (curve, (_, _, style)) in curves.iter().zip(shown) {
            let color = style.fg.unwrap_or(Color::Reset);
            polyline(context, curve, color);
        }
    });
    scene.render(canvas, plot);
    for (curve, (_, sign, style)) in curves.iter().zip(shown) {
        for at in curve.iter().step_by(10) {
            chart::sign(*at, (sign, style), plot, scene);
        }
    }
}

/// The two route runs, each with the sign and the style of its curve.
const fn series_styles<'a>(
    (first, second): (&'a RouteRun, &'a RouteRun),
    theme: &Theme,
) -> [(&'a RouteRun, &'static str, Style); 2] {
    [
        (first, SERIES_SIGNS[0], theme.series[0]),
        (second, SERIES_SIGNS[1], theme.series[4]),
    ]
}

/// The points of the cumulative distribution of latencies, in steps of one percent: the place on `scale`, and
/// the share from 0 to 1. Empty without latencies.
fn curve(of: &Latencies, scale: &Scale) -> Vec<(f64, f64)> {
    let point = |hundredth: u32| {
        let share = f64::from(hundredth) / 100.0;
        let latency = of.quantile(share)?;
        Some((scale.position(latency)?, share))
    };
    (0..=100).filter_map(point).collect()
}
