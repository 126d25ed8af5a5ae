//! Chooses the axes of the plot.

use ratatui::layout::Rect;

use crate::core::State;
use crate::core::view::{Availability, Cx, Outcome, Placement, Scene, View};
use crate::core::views::keys::of_list;
use crate::domain::{Field, insight};
use crate::keys::{Action, Context};
use crate::tui::dialog;
use crate::tui::input_widget::InputWidget;
use crate::tui::list::{Item, List};
use crate::tui::panel::{Panel, Tone};

/// One of the two axes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Axis {
    X,
    Y,
}

/// The field chosen for an axis, passed to the plot.
#[derive(Debug)]
pub(super) struct Chosen {
    pub axis: Axis,
    pub field: &'static Field,
}

/// The list of numbers that can be plotted.
#[derive(Debug)]
pub(super) struct Axes {
    axis: Axis,
    current: (&'static Field, &'static Field),
    list: List<&'static Field>,
}

impl Axes {
    /// The picker of the field of `axis`, with the number fields of the loaded rows; `current` has the fields
    /// of the x and the y axis. `None` without loaded rows.
    pub fn new(state: &State, axis: Axis, current: (&'static Field, &'static Field)) -> Option<Self> {
        let listing = state.browser()?.listing()?;
        let items = insight::axes(listing)
            .map(|field| Item::new(field.label, field.doc, field).note(field.key))
            .collect();
        let mut picker = Self {
            axis,
            current,
            list: List::new(items),
        };
        picker.select_current();
        Some(picker)
    }

    /// Selects the present field of the axis, or the first one if it is not in the list.
    fn select_current(&mut self) {
        let current = match self.axis {
            Axis::X => self.current.0,
            Axis::Y => self.current.1,
        };
        let index = self.list.shown().position(|item| item.value == Some(current));
        self.list.select(index.unwrap_or(0), false);
    }
}

impl View for Axes {
    fn contexts(&self) -> &'static [Context] {
        &[Context::Tabs, Context::List, Context::Always]
    }

    fn placement(&self) -> Placement {
        Placement::Dialog
    }

    fn availability(&self, action: Action, _: &State) -> Availability {
        of_list(&self.list, action)
    }

    fn hint(&self, action: Action) -> Option<&'static str> {
        match action {
            Action::NextTab => Some("x or y axis"),
            Action::Submit => Some("plot"),
            _ => None,
        }
    }

    fn update(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        match action {
            Action::NextTab | Action::PreviousTab => {
                self.axis = match self.axis {
                    Axis::X => Axis::Y,
                    Axis::Y => Axis::X,
                };
                self.select_current();
            }
            Action::Submit => {
                if let Some(field) = self.list.current().and_then(|item| item.value) {
                    let axis = self.axis;
                    cx.drafts().put(Chosen { axis, field });
                    cx.close();
                }
            }
            Action::Back => cx.close(),
            _ => return Outcome::Ignored,
        }
        Outcome::Handled
    }

    fn widget<'a>(&'a mut self, _: &'a mut Cx<'_>) -> Option<&'a mut dyn InputWidget> {
        Some(&mut self.list)
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        let title = match self.axis {
            Axis::X => "X axis",
            Axis::Y => "Y axis",
        };
        let size = (100.min(area.width), area.height.saturating_sub(4).min(30));
        let panel = Panel::new(title).tone(Tone::Focused);
        let inner = dialog::open(panel, size, area, scene.frame.buffer_mut(), scene.theme);
        scene.searched_list(&self.list, inner);
    }
}
