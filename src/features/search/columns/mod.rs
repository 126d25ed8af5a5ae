//! The column editor: which columns, and in which order.

mod draw;

use ratatui::layout::Rect;

use crate::core::State;
use crate::core::view::{Availability, Cx, Outcome, Placement, Scene, View};
use crate::core::views::keys::{edits, only};
use crate::domain::field::Section;
use crate::domain::{Catalog, Field};
use crate::keys::{Action, Context, Step};
use crate::widgets::input_widget::InputWidget;
use crate::widgets::list::{Item, List};

/// The fields, shown ones first and in order.
#[derive(Debug)]
pub(crate) struct Columns {
    list: List<&'static Field>,
    shown: Vec<&'static Field>,
    catalog: &'static Catalog,
}

impl Columns {
    /// The columns of the pane.
    pub fn new(state: &State) -> Option<Self> {
        let browser = state.browser()?;
        let mut view = Self {
            list: List::new(Vec::new()).known_as(|field| field.aliases),
            shown: browser.columns.clone(),
            catalog: browser.query.catalog(),
        };
        view.relist(None);
        Some(view)
    }

    fn relist(&mut self, keep: Option<&'static Field>) {
        let line = |title: String, field: &'static Field| Item::new(title, field.doc, field).note(field.key);
        let mut items = vec![Item::heading("Shown, from left to right", "")];
        let shown = self.shown.iter().enumerate();
        items.extend(shown.map(|(index, field)| line(format!("[x] {:2} {}", index + 1, field.label), field)));
        for section in Section::ALL {
            let hidden: Vec<_> = self
                .catalog
                .columns()
                .filter(|field| field.section == section && !self.shown.contains(field))
                .collect();
            if !hidden.is_empty() {
                items.push(Item::heading(section.title(), ""));
            }
            let hidden = hidden.into_iter();
            items.extend(hidden.map(|field| line(format!("[ ]    {}", field.label), field)));
        }
        self.list.replace(items, keep.as_ref());
    }

    fn current(&self) -> Option<&'static Field> {
        self.list.current().and_then(|item| item.value)
    }

    /// Shows the selected field as the last column, or hides it. The last column cannot be hidden.
    fn toggle(&mut self) {
        let Some(field) = self.current() else { return };
        match self.shown.iter().position(|column| *column == field) {
            Some(_) if self.shown.len() == 1 => {}
            Some(place) => {
                self.shown.remove(place);
            }
            None => self.shown.push(field),
        }
        self.relist(Some(field));
    }

    /// Moves the selected column to the left (`by` = -1) or right.
    fn shift(&mut self, by: isize) {
        let Some(field) = self.current() else { return };
        let Some(place) = self.shown.iter().position(|column| *column == field) else {
            return;
        };
        let target = place.saturating_add_signed(by).min(self.shown.len() - 1);
        self.shown.swap(place, target);
        self.relist(Some(field));
    }

    fn reset(&mut self) {
        let keep = self.current();
        self.shown = self.catalog.default_columns();
        self.relist(keep);
    }
}

impl View for Columns {
    fn contexts(&self) -> &'static [Context] {
        edits(!self.list.input.is_empty())
    }

    fn placement(&self) -> Placement {
        Placement::Dialog
    }

    fn hint(&self, action: Action) -> Option<&'static str> {
        match action {
            Action::Submit => Some("apply"),
            Action::Toggle => Some("show or hide"),
            Action::Shift(Step::Back) => Some("left"),
            Action::Shift(Step::Forward) => Some("right"),
            _ => None,
        }
    }

    fn availability(&self, action: Action, _: &State) -> Availability {
        let used = [
            Action::Toggle,
            Action::Shift(Step::Back),
            Action::Shift(Step::Forward),
            Action::Reset,
        ];
        only(&used, action)
    }

    fn update(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        match action {
            Action::Toggle => self.toggle(),
            Action::Shift(Step::Back) => self.shift(-1),
            Action::Shift(Step::Forward) => self.shift(1),
            Action::Reset => self.reset(),
            Action::Submit => {
                if let Some(browser) = cx.pane_table() {
                    browser.columns = std::mem::take(&mut self.shown);
                    browser.column_offset = 0;
                }
                cx.close();
            }
            Action::Back => cx.close(),
            _ => return Outcome::Ignored,
        }
        Outcome::Handled
    }

    fn widget(&mut self, _: &Cx<'_>) -> Option<&mut dyn InputWidget> {
        Some(&mut self.list)
    }

    fn on_click(&self) -> Action {
        Action::Toggle
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        draw::columns(self, area, scene);
    }
}
