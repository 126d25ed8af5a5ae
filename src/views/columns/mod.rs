//! The column editor: which columns, and in which order.

mod draw;

use crossterm::event::KeyEvent;
use ratatui::layout::Rect;

use super::edits;
use crate::app::State;
use crate::app::keymap::{Action, Context};
use crate::app::view::{Availability, Cx, Outcome, Placement, Region, Scene, View};
use crate::domain::field::Section;
use crate::domain::{Catalog, Field};
use crate::widgets::list::{Item, List};

/// The fields, shown ones first and in order.
#[derive(Debug)]
pub(super) struct Columns {
    list: List<&'static Field>,
    shown: Vec<&'static Field>,
    catalog: &'static Catalog,
}

impl Columns {
    /// The columns of the pane.
    pub fn new(state: &State) -> Option<Self> {
        let browser = state.browser()?;
        let mut view = Self {
            list: List::new(Vec::new()),
            shown: browser.columns.clone(),
            catalog: browser.query.catalog(),
        };
        view.relist(None);
        Some(view)
    }

    fn relist(&mut self, keep: Option<&'static Field>) {
        let line = |title: String, field: &'static Field| Item {
            title,
            text: field.doc.to_owned(),
            note: field.key.to_owned(),
            disabled: None,
            value: Some(field),
        };
        let heading = |title: &str| Item {
            title: title.to_owned(),
            text: String::new(),
            note: String::new(),
            disabled: None,
            value: None,
        };
        let mut items = vec![heading("Shown, from left to right")];
        let shown = self.shown.iter().enumerate();
        items.extend(
            shown.map(|(index, field)| line(format!("[x] {:2} {}", index + 1, field.label), field)),
        );
        for section in Section::ALL {
            let hidden: Vec<_> = self
                .catalog
                .columns()
                .filter(|field| field.section == section && !self.shown.contains(field))
                .collect();
            if !hidden.is_empty() {
                items.push(heading(section.title()));
            }
            let hidden = hidden.into_iter();
            items.extend(hidden.map(|field| line(format!("[ ]    {}", field.label), field)));
        }
        let typed = std::mem::take(&mut self.list.input);
        self.list = List::new(items).known_as(|field| field.aliases);
        self.list.input = typed;
        self.list.narrow();
        let mut shown = self.list.shown();
        let place = shown.position(|item| item.value.is_some() && item.value == keep);
        drop(shown);
        if let Some(place) = place {
            self.list.select(place, false);
        }
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
        edits(false)
    }

    fn placement(&self) -> Placement {
        Placement::Dialog
    }

    fn hint(&self, action: Action) -> Option<&'static str> {
        match action {
            Action::Submit => Some("apply"),
            Action::Toggle => Some("show or hide"),
            Action::MoveUp => Some("left"),
            Action::MoveDown => Some("right"),
            _ => None,
        }
    }

    fn availability(&self, action: Action, _: &State) -> Availability {
        let used = [
            Action::Toggle,
            Action::MoveUp,
            Action::MoveDown,
            Action::Reset,
        ];
        super::only(&used, action)
    }

    fn takes_text(&self) -> bool {
        true
    }

    fn update(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        if let Some(lines) = cx.motion(action) {
            self.list.step(lines);
            return Outcome::Handled;
        }
        match action {
            Action::Toggle => self.toggle(),
            Action::MoveUp => self.shift(-1),
            Action::MoveDown => self.shift(1),
            Action::Reset => self.reset(),
            Action::Submit => {
                if let Some(browser) = cx.state.browser_mut() {
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

    fn typed(&mut self, key: KeyEvent, _: &mut Cx<'_>) -> Outcome {
        self.list.key(key);
        Outcome::Handled
    }

    fn paste(&mut self, text: &str, _: &mut Cx<'_>) -> Outcome {
        self.list.paste(text);
        Outcome::Handled
    }

    fn click(&mut self, region: Region, line: usize, cx: &mut Cx<'_>) -> Outcome {
        if region != Region::MAIN {
            return Outcome::Ignored;
        }
        self.list.select(line, false);
        self.update(Action::Toggle, cx)
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        draw::columns(self, area, scene);
    }
}
