//! Measurements of the last frame: page sizes and positions, for keys and the mouse.
//!
//! Drawing returns these as a value; the core never guesses them.

use ratatui::layout::{Position, Rect};

use crate::domain::{Field, Resource};
use crate::keys::Action;
use crate::tui::viewport::Viewport;

/// A scrolling part of a view, numbered by the view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Region(pub u8);

impl Region {
    /// The part in which the cursor keys move.
    pub const MAIN: Self = Self(0);
    /// The preview of the selected line.
    pub const PREVIEW: Self = Self(1);
    /// The names of the tabs.
    pub const TABS: Self = Self(2);
    /// A chart, whose parts can be clicked.
    pub const CHART: Self = Self(3);
}

/// A part of the screen that reacts to clicks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Target {
    /// The tab of the pane with this index.
    Tab(usize),
    /// The header of a column.
    Header(&'static Field),
    /// A key shown on the screen.
    Hint(Action),
    /// The divider between a table and its preview.
    Rule,
    /// The line or field with this index in a region of the topmost view.
    Item(Region, usize),
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct FrameLayout {
    /// The table of the pane, with the number of its arrangements, see [`crate::table::browser::Browser::arrangements`].
    pub table: Option<(Resource, u64)>,
    /// Number of columns scrolled away behind the fixed leading ones.
    pub columns_left: usize,
    /// Number of columns that do not fit on the right.
    pub columns_right: usize,
    /// The first column and the width that table and preview share, while the divider can be
    /// dragged.
    pub split: Option<(u16, u16)>,
    /// The line of the pane's query, which notices leave free.
    pub query: Option<Rect>,
    /// The clickable areas, topmost last.
    pub targets: Vec<(Rect, Target)>,
    /// The viewport of every region of every view, with the view's index in the stack.
    pub viewports: Vec<(usize, Region, Viewport)>,
}

impl FrameLayout {
    /// Whether the table showed the header of a column in the last frame.
    pub fn has_header(&self, field: &Field) -> bool {
        let mut targets = self.targets.iter();
        targets.any(|(_, target)| matches!(target, Target::Header(shown) if *shown == field))
    }

    /// The viewport of a region of the view at `depth`, its index in the stack; the default one if it was not
    /// drawn.
    pub fn viewport(&self, depth: usize, region: Region) -> Viewport {
        self.viewports
            .iter()
            .find(|(drawn_at, name, _)| (*drawn_at, *name) == (depth, region))
            .map_or_else(Viewport::default, |(_, _, viewport)| *viewport)
    }

    /// The region and line at the cell (`x`, `y`) of the screen, for the view at `depth`, its index in the
    /// stack; `None` if no line of it is there.
    pub fn line_at(&self, depth: usize, x: u16, y: u16) -> Option<(Region, usize)> {
        let mut depths = self.viewports.iter().filter(|(depths, _, _)| *depths == depth);
        depths.find_map(|(_, region, viewport)| Some((*region, viewport.line_at(x, y)?)))
    }

    /// The topmost clickable target at the cell (`x`, `y`) of the screen, or `None`.
    pub fn at(&self, x: u16, y: u16) -> Option<Target> {
        self.targets
            .iter()
            .rev()
            .find(|(area, _)| area.contains(Position { x, y }))
            .map(|(_, target)| *target)
    }
}
