//! The plot: two numbers of the rows against each other, with the Pareto front, or the distribution
//! of one.

mod axes;
mod draw;

use ratatui::layout::Rect;

use crate::core::State;
use crate::core::view::{Availability, Cx, Outcome, Scene, View};
use crate::core::views::keys::TABBED_CHART;
use crate::domain::insight::{Front, Goal, Point, Scale, Toward, neighbour};
use crate::domain::{Field, Resource, insight};
use crate::keys::{Action, Context, Motion};
use crate::table::browser::Browser;

pub use self::axes::Axis;

/// The chosen axes, stored per resource while the plot is closed.
#[derive(Debug, Clone, Copy, Default)]
struct Choice {
    offers: Option<(&'static Field, &'static Field)>,
    volumes: Option<(&'static Field, &'static Field)>,
    histogram: bool,
}

/// The view of the plot of a pane's rows.
#[derive(Debug)]
pub struct Plot {
    resource: Resource,
    x: &'static Field,
    y: &'static Field,
    /// The rows that have both numbers.
    points: Vec<Point>,
    front: Front,
    /// The better ends of the axes.
    goals: (Goal, Goal),
    /// The scales of the axes; `None` if no row has both numbers.
    scales: Option<(Scale, Scale)>,
    /// Number of rows that lack one of the numbers.
    absent: usize,
    /// Number of rows that are too small or end too early, which do not compete.
    unfit: usize,
    histogram: bool,
}

impl Plot {
    /// The plot with the last axes; initially price against `DLPerf`, for volumes against read speed. `None`
    /// if the pane has no table.
    pub fn new(state: &State) -> Option<Self> {
        let browser = state.browser()?;
        let choice = state.drafts.get::<Choice>().copied().unwrap_or_default();
        let catalog = browser.query.catalog();
        let (chosen, keys) = match browser.resource() {
            Resource::Volumes => (choice.volumes, ("storage_cost", "nw_disk_avg_bw")),
            Resource::Offers | Resource::Workergroups => (choice.offers, (browser.pricing().key(), "dlperf")),
        };
        let (x, y) = chosen.or_else(|| Some((catalog.column(keys.0)?, catalog.column(keys.1)?)))?;
        let mut plot = Self {
            resource: browser.resource(),
            x,
            y,
            points: Vec::new(),
            front: Front::new(&[], Goal::Least, Goal::Most),
            goals: (Goal::Least, Goal::Most),
            scales: None,
            absent: 0,
            unfit: 0,
            histogram: choice.histogram,
        };
        plot.rebuild(browser);
        Some(plot)
    }

    /// Recomputes the points, the Pareto front and the scales from the table's rows; rows that lack a number,
    /// and those that do not suit the job, are only counted.
    fn rebuild(&mut self, browser: &Browser) {
        let Some(listing) = browser.listing() else {
            return;
        };
        listing.prepare([self.x, self.y]);
        self.goals = (
            Goal::for_field(self.x).unwrap_or(Goal::Least),
            Goal::for_field(self.y).unwrap_or(Goal::Most),
        );
        let fit = |row: &u32| !browser.computed.is_unfit(*row as usize);
        let rows: Vec<u32> = browser.view().iter().copied().filter(fit).collect();
        self.unfit = browser.view().len() - rows.len();
        self.points = insight::points(listing, &rows, self.x, self.y);
        self.absent = rows.len() - self.points.len();
        self.front = Front::new(&self.points, self.goals.0, self.goals.1);
        let x = Scale::fit(self.points.iter().map(|point| point.x), None);
        let y = Scale::fit(self.points.iter().map(|point| point.y), None);
        self.scales = x.zip(y);
    }

    /// The point of a row of the listing; `None` if it lacks one of the numbers or does not suit the job.
    fn point(&self, row: usize) -> Option<&Point> {
        self.points.iter().find(|point| point.row as usize == row)
    }

    /// Stores the axes and the kind of chart, for the next time that the plot is opened.
    fn remember(&self, cx: &mut Cx<'_>) {
        let mut choice = cx.drafts().take::<Choice>().unwrap_or_default();
        let axes = Some((self.x, self.y));
        match self.resource {
            Resource::Volumes => choice.volumes = axes,
            Resource::Offers | Resource::Workergroups => choice.offers = axes,
        }
        choice.histogram = self.histogram;
        cx.drafts().put(choice);
    }

    /// The row of the next point in a direction; from a row without a point, the first of the front. `None`
    /// if there is no such point, or if no row has both numbers.
    fn toward(&self, from: Option<usize>, toward: Toward) -> Option<u32> {
        let (x, y) = self.scales.as_ref()?;
        match from.and_then(|row| self.point(row)) {
            Some(point) => neighbour(&self.points, (x, y), point.row, toward),
            None => self.front.members().first().map(|point| point.row),
        }
    }

    /// The row of the front's member `by` places from the row `from`, without wrapping around; the first
    /// member if `from` is not on the front, `None` if the front is empty.
    fn along_front(&self, from: Option<usize>, by: isize) -> Option<u32> {
        let members = self.front.members();
        let here = members.iter().position(|member| Some(member.row as usize) == from);
        let last = members.len().checked_sub(1)?;
        let next = here.map_or(0, |here| here.saturating_add_signed(by).min(last));
        Some(members[next].row)
    }
}

impl View for Plot {
    fn contexts(&self) -> &'static [Context] {
        TABBED_CHART
    }

    fn update(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        let from = cx.state().browser().and_then(Browser::selected_row);
        let target = match action {
            Action::Left => self.toward(from, Toward::Left),
            Action::Right => self.toward(from, Toward::Right),
            Action::Move(Motion::Up) => self.toward(from, Toward::Up),
            Action::Move(Motion::Down) => self.toward(from, Toward::Down),
            Action::Move(Motion::First) => self.along_front(from, isize::MIN),
            Action::Move(Motion::Last) => self.along_front(from, isize::MAX),
            Action::Move(Motion::PageDown | Motion::HalfDown) => self.along_front(from, 1),
            Action::Move(Motion::PageUp | Motion::HalfUp) => self.along_front(from, -1),
            Action::Differences => {
                self.histogram = !self.histogram;
                self.remember(cx);
                return Outcome::Handled;
            }
            Action::Settings => {
                if let Some(picker) = axes::Axes::new(cx.state(), Axis::X, (self.x, self.y)) {
                    cx.open(picker);
                }
                return Outcome::Handled;
            }
            Action::Open | Action::Submit => {
                cx.perform_on_pane(Action::Open);
                return Outcome::Handled;
            }
            Action::Mark => {
                if let Some(browser) = cx.pane_table() {
                    browser.toggle_mark();
                }
                return Outcome::Handled;
            }
            _ => return Outcome::Ignored,
        };
        if let Some(row) = target
            && let Some(browser) = cx.pane_table()
        {
            browser.select_row(row);
        }
        Outcome::Handled
    }

    fn availability(&self, action: Action, _: &State) -> Availability {
        Availability::hidden_if(matches!(action, Action::Sort))
    }

    fn hint(&self, action: Action) -> Option<&'static str> {
        match action {
            Action::Differences if self.histogram => Some("plot"),
            Action::Differences => Some("distribution"),
            _ => None,
        }
    }

    fn rows_changed(&mut self, state: &State) {
        if let Some(browser) = state.browser() {
            self.rebuild(browser);
        }
    }

    fn on_top(&mut self, cx: &mut Cx<'_>) {
        if let Some(chosen) = cx.drafts().take::<axes::Chosen>() {
            match chosen.axis {
                Axis::X => self.x = chosen.field,
                Axis::Y => self.y = chosen.field,
            }
            self.remember(cx);
            self.rows_changed(cx.state());
        }
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        draw::plot(self, area, scene);
    }
}
