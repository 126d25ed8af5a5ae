//! Choosing what to sort by: several keys, each with a direction.

use crate::domain::{Catalog, Dialect, Direction, Field, OrderKey};
use crate::widgets::list::{Item, List};

/// The keys chosen so far and the fields to choose from.
#[derive(Debug, Clone)]
pub struct SortEditor {
    /// The fields, chosen ones first.
    pub picker: List<&'static Field>,
    keys: Vec<OrderKey>,
    start: Vec<OrderKey>,
    catalog: &'static Catalog,
    dialect: &'static Dialect,
}

impl SortEditor {
    /// An editor that starts from `keys`.
    pub fn new(keys: Vec<OrderKey>, catalog: &'static Catalog, dialect: &'static Dialect) -> Self {
        let mut editor = Self {
            picker: List::new(Vec::new()),
            start: keys.clone(),
            keys,
            catalog,
            dialect,
        };
        editor.relist(None);
        editor
    }

    /// The keys, most important first.
    pub fn keys(&self) -> &[OrderKey] {
        &self.keys
    }

    fn relist(&mut self, keep: Option<&'static Field>) {
        let chosen: Vec<_> = self
            .keys
            .iter()
            .enumerate()
            .map(|(index, key)| Item {
                title: format!("{} {} {}", index + 1, arrow(key.direction), key.field.label),
                text: key.field.doc.to_owned(),
                note: self.note(key.field),
                disabled: None,
                value: Some(key.field),
            })
            .collect();
        let others = self
            .catalog
            .columns()
            .filter(|field| field.sortable)
            .filter(|field| !self.keys.iter().any(|key| key.field == *field))
            .map(|field| Item {
                title: format!("    {}", field.label),
                text: field.doc.to_owned(),
                note: self.note(field),
                disabled: None,
                value: Some(field),
            });
        let items = chosen.into_iter().chain(others).collect();
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

    fn note(&self, field: &'static Field) -> String {
        if self.catalog.orders_on_server(field, self.dialect) {
            field.key.to_owned()
        } else {
            format!("{} (local)", field.key)
        }
    }

    fn current(&self) -> Option<&'static Field> {
        self.picker.current().and_then(|item| item.value)
    }

    /// Adds the selected field, the way that is more often wanted first; turns a chosen one round.
    pub fn toggle(&mut self) {
        let Some(field) = self.current() else { return };
        if let Some(key) = self.keys.iter_mut().find(|key| key.field == field) {
            key.direction = key.direction.flipped();
        } else {
            let direction = match field.better {
                Some(true) => Direction::Descending,
                _ => Direction::Ascending,
            };
            self.keys.push(OrderKey { field, direction });
        }
        self.relist(Some(field));
    }

    /// Removes the selected key.
    pub fn remove(&mut self) {
        let Some(field) = self.current() else { return };
        self.keys.retain(|key| key.field != field);
        self.relist(Some(field));
    }

    /// The keys that `Enter` sorts by. While nothing was added, turned, moved or removed, the
    /// selected field alone if it is no key yet: who finds a field and presses Enter means it.
    pub fn accept(&mut self) -> Vec<OrderKey> {
        let is_new = |field| !self.keys.iter().any(|key| key.field == field);
        if self.keys == self.start && self.current().is_some_and(is_new) {
            self.keys.clear();
            self.toggle();
        }
        self.keys.clone()
    }

    /// Makes the selected key more (`by` = -1) or less important.
    pub fn shift(&mut self, by: isize) {
        let Some(field) = self.current() else { return };
        let Some(place) = self.keys.iter().position(|key| key.field == field) else {
            return;
        };
        let target = place.saturating_add_signed(by).min(self.keys.len() - 1);
        self.keys.swap(place, target);
        self.relist(Some(field));
    }
}

/// The sign of a direction.
pub const fn arrow(direction: Direction) -> &'static str {
    match direction {
        Direction::Ascending => "▲",
        Direction::Descending => "▼",
    }
}
