//! The Pareto front of two measures: the offers that no other offer beats in both.

use std::collections::HashMap;

use super::numeric;
use crate::field::Field;
use crate::listing::Listing;

/// The better end of an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Goal {
    Least,
    Most,
}

impl Goal {
    /// The better end of a field; `None` if neither is better, so that the user decides.
    pub fn for_field(field: &Field) -> Option<Self> {
        field.better.map(|more| if more { Self::Most } else { Self::Least })
    }

    /// The opposite end of the axis.
    #[must_use]
    pub const fn flipped(self) -> Self {
        match self {
            Self::Least => Self::Most,
            Self::Most => Self::Least,
        }
    }

    /// The value, negated if more is better, so that less is always better.
    const fn cost(self, value: f64) -> f64 {
        match self {
            Self::Least => value,
            Self::Most => -value,
        }
    }
}

/// A row as a point in a plane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    pub row: u32,
    pub x: f64,
    pub y: f64,
}

/// The points of the rows that have a number in both fields.
pub fn points(listing: &Listing, rows: &[u32], x: &Field, y: &Field) -> Vec<Point> {
    let (across, upwards) = (listing.column(x), listing.column(y));
    rows.iter()
        .filter_map(|row| {
            let index = *row as usize;
            Some(Point {
                row: *row,
                x: numeric(across, x.kind, index)?,
                y: numeric(upwards, y.kind, index)?,
            })
        })
        .collect()
}

/// The amount by which one offer beats another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lead {
    /// The row that beats the other.
    pub row: u32,
    /// The lead in x, in its unit, never negative.
    pub x: f64,
    /// The lead in y, in its unit, never negative.
    pub y: f64,
    /// The lead in x as a share of the beaten value; `None` if that is zero.
    pub x_share: Option<f64>,
    /// The lead in y as a share of the beaten value; `None` if that is zero.
    pub y_share: Option<f64>,
}

/// The front of a set of points.
#[derive(Debug, Clone)]
pub struct Front {
    goals: (Goal, Goal),
    points: HashMap<u32, Point>,
    /// The members, best x first; of equal points, in the order given.
    members: Vec<Point>,
}

impl Front {
    /// Finds the front in O(n log n). A point is on it when no other point is at least as good in
    /// both measures and better in one; equal points do not beat each other. Points that are not
    /// finite are ignored.
    pub fn new(points: &[Point], x: Goal, y: Goal) -> Self {
        let mut sorted: Vec<Point> = points
            .iter()
            .filter(|point| point.x.is_finite() && point.y.is_finite())
            .copied()
            .collect();
        let by_row = sorted.iter().map(|point| (point.row, *point)).collect();
        sorted.sort_by(|left, right| {
            let across = x.cost(left.x).total_cmp(&x.cost(right.x));
            across.then_with(|| y.cost(left.y).total_cmp(&y.cost(right.y)))
        });
        let mut members: Vec<Point> = Vec::new();
        for point in sorted {
            let joins = members.last().is_none_or(|last| {
                (same(point.x, last.x) && same(point.y, last.y)) || y.cost(point.y) < y.cost(last.y)
            });
            if joins {
                members.push(point);
            }
        }
        Self {
            goals: (x, y),
            points: by_row,
            members,
        }
    }

    /// The members, best x first.
    pub fn members(&self) -> &[Point] {
        &self.members
    }

    /// Whether a row is on the front; false for rows without a point.
    pub fn contains(&self, row: u32) -> bool {
        self.points.contains_key(&row) && self.beaten_by(row).is_none()
    }

    /// A member of the front that beats a row, and its lead; of several, the one that is best in x. `None` for members
    /// and for rows without a point.
    pub fn beaten_by(&self, row: u32) -> Option<Lead> {
        let point = self.points.get(&row)?;
        let (x, y) = self.goals;
        // Along the members x gets worse and y better, so the first that reaches the point's y has
        // the best x.
        let first = self
            .members
            .partition_point(|member| y.cost(member.y) > y.cost(point.y));
        let member = self.members.get(first)?;
        let lead = |goal: Goal, mine: f64, theirs: f64| goal.cost(mine) - goal.cost(theirs);
        let (x_lead, y_lead) = (lead(x, point.x, member.x), lead(y, point.y, member.y));
        if x_lead < 0.0 || (x_lead == 0.0 && y_lead == 0.0) {
            return None;
        }
        let share = |lead: f64, mine: f64| (mine != 0.0).then(|| lead / mine.abs());
        Some(Lead {
            row: member.row,
            x: x_lead,
            y: y_lead,
            x_share: share(x_lead, point.x),
            y_share: share(y_lead, point.y),
        })
    }
}

/// Whether two numbers are equal; 0 and -0 are.
#[expect(clippy::float_cmp)] // equal prices are equal texts on the wire
fn same(left: f64, right: f64) -> bool {
    left == right
}
