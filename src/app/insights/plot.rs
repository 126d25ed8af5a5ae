//! Two numbers of the rows against each other, with the Pareto front; or how one is distributed.

use super::{After, Insight};
use crate::app::browser::Browser;
use crate::app::keymap::Action;
use crate::app::overlay::Overlay;
use crate::app::picker::{Item, Picker};
use crate::domain::insight::{self, Front, Goal, Point, Scale, Toward, neighbour};
use crate::domain::{Field, Listing, Resource};

/// One of the two axes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Axis {
    /// Across.
    X,
    /// Upwards.
    Y,
}

/// How a plot is drawn; kept when it is closed.
#[derive(Debug, Clone, Copy, Default)]
pub struct PlotChoice {
    /// What is drawn across, if another field than at first.
    pub x: Option<&'static Field>,
    /// What is drawn upwards, if another field than at first.
    pub y: Option<&'static Field>,
    /// Whether the distribution of x is shown instead.
    pub histogram: bool,
    /// Whether only ASCII is used.
    pub ascii: bool,
}

/// The plot.
#[derive(Debug)]
pub struct Plot {
    /// What is drawn across.
    pub x: &'static Field,
    /// What is drawn upwards.
    pub y: &'static Field,
    /// The rows that have both numbers.
    pub points: Vec<Point>,
    /// The best of them.
    pub front: Front,
    /// Which ends of the axes are wanted.
    pub goals: (Goal, Goal),
    /// The scales, unless there is nothing to draw.
    pub scales: Option<(Scale, Scale)>,
    /// Rows that lack a number.
    pub absent: usize,
    /// Rows that cannot serve what was asked for, which compete with none.
    pub unfit: usize,
    /// How far the rows speak for the market.
    pub loaded: String,
}

impl Plot {
    /// The plot that was looked at last; at first the price against `DLPerf`, of volumes against
    /// the average read speed.
    pub fn new(browser: &Browser) -> Self {
        let catalog = browser.query.catalog();
        let choice = browser.figures.plot;
        let field = |chosen: Option<&'static Field>, key: &str| {
            chosen
                .or_else(|| catalog.column(key))
                .unwrap_or(&catalog.fields()[0])
        };
        let first = match browser.resource() {
            Resource::Volumes => ("storage_cost", "nw_disk_avg_bw"),
            _ => (browser.pricing().key(), "dlperf"),
        };
        let mut plot = Self {
            x: field(choice.x, first.0),
            y: field(choice.y, first.1),
            points: Vec::new(),
            front: Front::new(&[], Goal::Least, Goal::Most),
            goals: (Goal::Least, Goal::Most),
            scales: None,
            absent: 0,
            unfit: 0,
            loaded: String::new(),
        };
        plot.rebuild(browser);
        plot
    }

    fn rebuild(&mut self, browser: &Browser) {
        let Some(listing) = browser.listing() else {
            return;
        };
        listing.prepare([self.x, self.y]);
        self.goals = (
            Goal::of(self.x).unwrap_or(Goal::Least),
            Goal::of(self.y).unwrap_or(Goal::Most),
        );
        let fit = |row: &u32| !browser.figures.is_unfit(*row as usize);
        let rows: Vec<u32> = browser.view().iter().copied().filter(fit).collect();
        self.unfit = browser.view().len() - rows.len();
        self.points = insight::points(listing, &rows, self.x, self.y);
        self.absent = rows.len() - self.points.len();
        self.front = Front::new(&self.points, self.goals.0, self.goals.1);
        let x = Scale::fit(self.points.iter().map(|point| point.x), None);
        let y = Scale::fit(self.points.iter().map(|point| point.y), None);
        self.scales = x.zip(y);
        self.loaded = super::shown_of_loaded(browser);
    }

    /// The values across, for the distribution.
    pub fn values(&self) -> Vec<f64> {
        self.points.iter().map(|point| point.x).collect()
    }

    /// The point of a row.
    pub fn point(&self, row: usize) -> Option<&Point> {
        self.points.iter().find(|point| point.row as usize == row)
    }

    pub(super) fn set_axis(&mut self, browser: &mut Browser, axis: Axis, field: &'static Field) {
        let choice = &mut browser.figures.plot;
        match axis {
            Axis::X => {
                self.x = field;
                choice.x = Some(field);
            }
            Axis::Y => {
                self.y = field;
                choice.y = Some(field);
            }
        }
        self.rebuild(browser);
    }

    pub(super) fn act(&mut self, browser: &mut Browser, action: Action) -> After {
        match action {
            Action::Left => self.go(browser, Toward::Left),
            Action::Right => self.go(browser, Toward::Right),
            Action::Up => self.go(browser, Toward::Up),
            Action::Down => self.go(browser, Toward::Down),
            Action::First => select(browser, self.front.members().first().copied()),
            Action::Last => select(browser, self.front.members().last().copied()),
            Action::PageDown | Action::HalfDown => self.along_front(browser, 1),
            Action::PageUp | Action::HalfUp => self.along_front(browser, -1),
            Action::Histogram => {
                let choice = &mut browser.figures.plot;
                choice.histogram = !choice.histogram;
            }
            Action::Ascii => {
                let choice = &mut browser.figures.plot;
                choice.ascii = !choice.ascii;
            }
            Action::AxisX => return self.choose(browser, Axis::X),
            Action::AxisY => return self.choose(browser, Axis::Y),
            Action::Open | Action::Submit => {
                return After::Over(Box::new(Overlay::Detail { scroll: 0 }));
            }
            _ => {}
        }
        After::Stay
    }

    fn choose(&self, browser: &Browser, axis: Axis) -> After {
        let Some(listing) = browser.listing() else {
            return After::Stay;
        };
        let current = match axis {
            Axis::X => self.x,
            Axis::Y => self.y,
        };
        let items = insight::axes(listing)
            .map(|field| Item {
                title: field.label.to_owned(),
                text: field.doc.to_owned(),
                note: field.key.to_owned(),
                disabled: None,
                value: Some(field),
            })
            .collect();
        let mut picker = Picker::new(items);
        let place = picker.shown().position(|item| item.value == Some(current));
        picker.select(place.unwrap_or(0), false);
        After::Over(Box::new(Overlay::Insight(Box::new(Insight::Axis(
            axis, picker,
        )))))
    }

    /// Selects the next point in a direction. From a row without a place, the best in x.
    fn go(&self, browser: &mut Browser, toward: Toward) {
        let Some((x, y)) = &self.scales else { return };
        let own = browser
            .selected_row()
            .and_then(|row| self.point(row))
            .map(|point| point.row);
        let Some(own) = own else {
            select(browser, self.front.members().first().copied());
            return;
        };
        if let Some(row) = neighbour(&self.points, (x, y), own, toward) {
            select_row(browser, row);
        }
    }

    /// Selects the next member of the front, or the one nearest in x to where the selection is.
    fn along_front(&self, browser: &mut Browser, by: isize) {
        let members = self.front.members();
        let own = browser.selected_row();
        let place = members
            .iter()
            .position(|member| Some(member.row as usize) == own);
        let next = match place {
            Some(place) => place
                .saturating_add_signed(by)
                .min(members.len().saturating_sub(1)),
            None => 0,
        };
        select(browser, members.get(next).copied());
    }
}

fn select(browser: &mut Browser, point: Option<Point>) {
    if let Some(point) = point {
        select_row(browser, point.row);
    }
}

fn select_row(browser: &mut Browser, row: u32) {
    let id = browser
        .listing()
        .and_then(|listing: &Listing| listing.id(row as usize));
    if let Some(id) = id {
        browser.select_id(id);
    }
}
