//! What the last frame measured: page sizes and where things stand, for keys and the mouse.
//!
//! Drawing returns these as a value; they never come from guesses in the core.

use ratatui::layout::Rect;

use super::keymap::Action;
use super::view::Region;
use crate::domain::Field;
use crate::widgets::viewport::Viewport;

/// A rectangle of terminal cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Area {
    pub x: u16,
    pub y: u16,
    pub width: u16,
    pub height: u16,
}

impl Area {
    /// Whether a cell lies in it.
    pub const fn holds(&self, x: u16, y: u16) -> bool {
        x >= self.x && y >= self.y && x - self.x < self.width && y - self.y < self.height
    }
}

impl From<Rect> for Area {
    fn from(rect: Rect) -> Self {
        Self {
            x: rect.x,
            y: rect.y,
            width: rect.width,
            height: rect.height,
        }
    }
}

/// Something that can be clicked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Target {
    /// The tab of the pane at this place, from 0.
    Tab(usize),
    /// The header of a column.
    Header(&'static Field),
    /// The row of the view with this index.
    Row(usize),
    /// The line in which words are typed.
    Bar,
    /// The line of the topmost list with this index.
    Line(usize),
    /// A key that is named on the screen.
    Hint(Action),
    /// The border between a table and the preview beside it.
    Rule,
    /// The line or field of the topmost view's region.
    Item(Region, usize),
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct FrameLayout {
    /// Rows of the table that are in sight.
    pub page: usize,
    /// Index in the view of the first row in sight.
    pub top: usize,
    /// Columns of the table that are scrolled away behind the first.
    pub column_offset: usize,
    /// The first column and the width that table and preview share, while the border between them
    /// can be dragged.
    pub split: Option<(u16, u16)>,
    /// The first line of the topmost list in sight.
    pub overlay_top: usize,
    /// Lines of the topmost list or text that are in sight.
    pub overlay_page: usize,
    /// Lines of the topmost text in all.
    pub overlay_lines: usize,
    /// What can be clicked, topmost last.
    pub targets: Vec<(Area, Target)>,
    /// What every region of every view shows, with the view's place in the stack.
    pub viewports: Vec<(usize, Region, Viewport)>,
}

impl FrameLayout {
    /// The columns of the table that are in sight, from left to right.
    pub fn headers(&self) -> impl Iterator<Item = &'static Field> {
        self.targets.iter().filter_map(|(_, target)| match target {
            Target::Header(field) => Some(*field),
            _ => None,
        })
    }

    /// What a region of the view at a place of the stack shows.
    pub fn viewport(&self, depth: usize, region: Region) -> Viewport {
        self.viewports
            .iter()
            .find(|(own, name, _)| (*own, *name) == (depth, region))
            .map_or_else(Viewport::default, |(_, _, viewport)| *viewport)
    }

    /// The line of a region of the view at a place of the stack that a cell belongs to.
    pub fn line_at(&self, depth: usize, x: u16, y: u16) -> Option<(Region, usize)> {
        let mut own = self.viewports.iter().filter(|(own, _, _)| *own == depth);
        own.find_map(|(_, region, viewport)| Some((*region, viewport.line_at(x, y)?)))
    }

    /// What stands at a cell.
    pub fn at(&self, x: u16, y: u16) -> Option<Target> {
        self.targets
            .iter()
            .rev()
            .find(|(area, _)| area.holds(x, y))
            .map(|(_, target)| *target)
    }
}
