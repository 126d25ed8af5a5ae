//! Choosing the columns of a table: which, and in which order.

use super::Model;
use super::actions::movement;
use super::keymap::Action;
use super::message::Effect;
use super::overlay::Overlay;
use crate::domain::field::Section;
use crate::domain::{Catalog, Field};
use crate::widgets::list::{Item, List};

/// The columns chosen so far and the fields to choose from.
#[derive(Debug, Clone)]
pub struct ColumnEditor {
    /// The fields, shown ones first and in order.
    pub picker: List<&'static Field>,
    columns: Vec<&'static Field>,
    catalog: &'static Catalog,
}

impl ColumnEditor {
    /// An editor that starts from `columns`.
    pub fn new(columns: Vec<&'static Field>, catalog: &'static Catalog) -> Self {
        let mut editor = Self {
            picker: List::new(Vec::new()),
            columns,
            catalog,
        };
        editor.relist(None);
        editor
    }

    /// The columns, in order.
    pub fn columns(&self) -> &[&'static Field] {
        &self.columns
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
        let shown = self.columns.iter().enumerate();
        items.extend(
            shown.map(|(index, field)| line(format!("[x] {:2} {}", index + 1, field.label), field)),
        );
        for section in Section::ALL {
            let hidden: Vec<_> = self
                .catalog
                .columns()
                .filter(|field| field.section == section && !self.columns.contains(field))
                .collect();
            if !hidden.is_empty() {
                items.push(heading(&format!("Hidden: {}", section.title())));
            }
            let hidden = hidden.into_iter();
            items.extend(hidden.map(|field| line(format!("[ ]    {}", field.label), field)));
        }
        let typed = std::mem::take(&mut self.picker.input);
        self.picker = List::new(items).known_as(|field| field.aliases);
        self.picker.input = typed;
        self.picker.narrow();
        if let Some(field) = keep {
            let place = self
                .picker
                .shown()
                .position(|item| item.value == Some(field));
            if let Some(place) = place {
                self.picker.select(place, false);
            }
        }
    }

    fn current(&self) -> Option<&'static Field> {
        self.picker.current().and_then(|item| item.value)
    }

    /// Shows the selected field as the last column, or hides it. The last one stays.
    pub fn toggle(&mut self) {
        let Some(field) = self.current() else { return };
        match self.columns.iter().position(|column| *column == field) {
            Some(_) if self.columns.len() == 1 => {}
            Some(place) => {
                self.columns.remove(place);
            }
            None => self.columns.push(field),
        }
        self.relist(Some(field));
    }

    /// Moves the selected column to the left (`by` = -1) or right.
    pub fn shift(&mut self, by: isize) {
        let Some(field) = self.current() else { return };
        let Some(place) = self.columns.iter().position(|column| *column == field) else {
            return;
        };
        let target = place.saturating_add_signed(by).min(self.columns.len() - 1);
        self.columns.swap(place, target);
        self.relist(Some(field));
    }

    /// Goes back to the columns shown at first.
    pub fn reset(&mut self) {
        let keep = self.current();
        self.columns = self.catalog.default_columns();
        self.relist(keep);
    }
}

/// Opens the column editor on the pane in sight.
pub(super) fn open(model: &mut Model) {
    let Some(browser) = model.browser() else {
        return;
    };
    let editor = ColumnEditor::new(browser.columns.clone(), browser.query.catalog());
    model.overlays.push(Overlay::Columns(editor));
}

/// What a verb means for the column editor.
pub(super) fn act(model: &mut Model, action: Action) -> Vec<Effect> {
    let page = model.facts.overlay_page.max(1);
    let Some(Overlay::Columns(editor)) = model.overlays.last_mut() else {
        return Vec::new();
    };
    if let Some(step) = movement(action, page) {
        editor.picker.step(step);
        return Vec::new();
    }
    match action {
        Action::Toggle => editor.toggle(),
        Action::MoveUp => editor.shift(-1),
        Action::MoveDown => editor.shift(1),
        Action::Reset => editor.reset(),
        Action::Submit => {
            let columns = editor.columns().to_vec();
            model.overlays.pop();
            if let Some(browser) = model.browser_mut() {
                browser.columns = columns;
                browser.column_offset = 0;
            }
        }
        Action::Back => {
            model.overlays.pop();
        }
        _ => {}
    }
    Vec::new()
}
