//! The mouse. All its effects are also bound to keys.

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};

use super::Update;
use super::frame_layout::Target;
use crate::keys::Action;
use crate::keys::pane::Pane;

/// Lines per turn of the wheel.
///
/// Three is the usual number of terminals.
const WHEEL: isize = 3;

impl Update<'_> {
    /// Handles a click, drag or turn of the wheel. Only the left button acts; moves of the pointer are
    /// ignored.
    pub(crate) fn mouse(&mut self, event: MouseEvent) {
        let (column, row) = (event.column, event.row);
        match event.kind {
            MouseEventKind::ScrollDown => self.on_wheel(WHEEL),
            MouseEventKind::ScrollUp => self.on_wheel(-WHEEL),
            MouseEventKind::Down(MouseButton::Left) => {
                self.model.state.screen.split.hold(false);
                if !self.clicked_view(column, row)
                    && let Some(target) = self.model.layout.at(column, row)
                {
                    self.on_target_click(target);
                }
            }
            MouseEventKind::Drag(MouseButton::Left) => {
                if let Some((x, width)) = self.model.layout.split {
                    self.model.state.screen.split.drag(column.saturating_sub(x), width);
                }
            }
            MouseEventKind::Up(MouseButton::Left) => self.model.state.screen.split.hold(false),
            _ => {}
        }
    }

    /// Scrolls the topmost view by `lines`, upwards if negative.
    fn on_wheel(&mut self, lines: isize) {
        self.with_top(|view, cx| view.wheel(lines, cx));
    }

    /// Acts on a target outside the lines of a view: opens a tab's pane, performs a key hint, grabs the
    /// divider, or sorts by a column. Headers are ignored while a view is open over the table or a query is
    /// edited.
    fn on_target_click(&mut self, target: Target) {
        // No view is over the table, and no query is being edited.
        let has_table = self.model.overlays.is_empty() && !self.model.takes_text();
        match target {
            Target::Tab(index) => {
                if let Some(pane) = Pane::ALL.get(index) {
                    self.perform(Action::Pane(*pane));
                }
            }
            Target::Rule => self.model.state.screen.split.hold(true),
            Target::Hint(action) => self.perform(action),
            Target::Header(field) if has_table => {
                let now = self.now;
                self.lend(|cx| {
                    let table = cx.pane_table();
                    let superseded = table.and_then(|table| table.sort_by(field, now));
                    cx.abort(superseded);
                });
            }
            Target::Header(_) | Target::Item(..) => {}
        }
    }
}
