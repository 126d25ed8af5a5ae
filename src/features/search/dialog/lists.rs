//! The order and the columns of the draft, and the lines of the lists for them.

use super::{DialogLine, SearchDialog, Tab};
use crate::domain::field::Section;
use crate::domain::{Direction, Field, OrderKey, language};
use crate::features::search::pane::columns::are_usual;
use crate::table::column_prerequisites::Need;
use crate::tui::list::Item;

impl SearchDialog {
    /// The lines of the sort tab: the sort keys in their order, then the other sortable fields, those with an
    /// unmet prerequisite last.
    pub(super) fn sort_items(&self) -> Vec<Item<DialogLine>> {
        let order = &self.draft.query.order;
        let item = |title: String, field: &'static Field| {
            let text = match self.need(field) {
                Some((need, key)) => format!("needs {}: {key} — {}", need.noun_phrase(), field.doc),
                None => field.doc.to_owned(),
            };
            Item::new(title, text, DialogLine::Field(field)).note(field.key)
        };
        let chosen = order.iter().enumerate().map(|(index, key)| {
            let (arrow, header) = (key.direction.arrow(), key.field.header(self.dialect));
            item(format!("{} {arrow} {header}", index + 1), key.field)
        });
        let columns = self.draft.query.catalog().columns();
        let is_free = |field: &&Field| field.sortable && !order.iter().any(|key| key.field == *field);
        let mut hidden: Vec<&'static Field> = columns.filter(is_free).collect();
        // Columns with values come first, also among equally good matches of the typed text.
        hidden.sort_by_key(|field| self.need(field).is_some());
        let hidden = hidden.into_iter();
        chosen
            .chain(hidden.map(|field| item(format!("    {}", field.label), field)))
            .collect()
    }

    /// The lines of the column tab: the shown columns from left to right, then the hidden ones by section. An id
    /// that the preview has in place of the table is not counted among the columns.
    pub(super) fn column_items(&self) -> Vec<Item<DialogLine>> {
        let line = |title: String, field: &'static Field| {
            Item::new(title, field.doc, DialogLine::Field(field)).note(field.key)
        };
        let columns = &self.draft.columns;
        let mut items = vec![Item::heading("Shown, from left to right", "")];
        let leaves_out_id = self.has_preview && are_usual(columns, self.draft.query.resource);
        let is_beside = |field: &Field| leaves_out_id && field.key == "id";
        let (beside, shown): (Vec<&'static Field>, Vec<&'static Field>) =
            columns.iter().copied().partition(|field| is_beside(field));
        items.extend(beside.into_iter().map(|field| {
            let text = "In the preview, not the table";
            Item::new(format!("[x]    {}", field.label), text, DialogLine::Field(field)).note(field.key)
        }));
        let shown = shown.into_iter().enumerate();
        items.extend(shown.map(|(index, field)| line(format!("[x] {:2} {}", index + 1, field.label), field)));
        for section in Section::ALL {
            let all = self.draft.query.catalog().columns();
            let mut hidden = all
                .filter(|field| field.section == section && !columns.contains(field))
                .peekable();
            if hidden.peek().is_some() {
                items.push(Item::heading(section.title(), ""));
            }
            items.extend(hidden.map(|field| line(format!("[ ]    {}", field.label), field)));
        }
        items
    }

    /// The unmet prerequisite of a column, and the key that meets it; `None` if it has none.
    pub(super) fn need(&self, field: &Field) -> Option<(Need, &str)> {
        let needed = self.needs.iter().find(|(listed, ..)| *listed == field);
        needed.map(|(_, need, key)| (*need, key.as_str()))
    }

    /// Appends the field to the draft's order, ascending unless higher values are better; reverses the
    /// direction of an existing key.
    pub(super) fn sort_by(&mut self, field: &'static Field) {
        let order = &mut self.draft.query.order;
        if let Some(key) = order.iter_mut().find(|key| key.field == field) {
            key.direction = key.direction.flipped();
            return;
        }
        let direction = match field.better {
            Some(true) => Direction::Descending,
            _ => Direction::Ascending,
        };
        order.push(OrderKey { field, direction });
    }

    /// Sorts the draft by the selected field alone if its order is unchanged, the field is not in it, and
    /// either a field was searched for or nothing else of the draft was changed.
    ///
    /// Finding a field and applying it means just that.
    pub(super) fn sort_by_typed(&mut self) {
        let is_picked = !self.lists[1].input.is_empty() || self.draft == self.running;
        let order = &self.draft.query.order;
        if let Some(DialogLine::Field(field)) = self.current()
            && is_picked
            && *order == self.running.query.order
            && !order.iter().any(|key| key.field == field)
        {
            self.draft.query.order.clear();
            self.sort_by(field);
        }
    }

    /// Shows the field as the last column, or hides it. The only remaining column cannot be hidden.
    pub(super) fn show_or_hide(&mut self, field: &'static Field) {
        let columns = &mut self.draft.columns;
        match columns.iter().position(|column| *column == field) {
            Some(_) if columns.len() == 1 => {}
            Some(index) => drop(columns.remove(index)),
            None => columns.push(field),
        }
    }

    /// Swaps the sort key or column of `field` with its neighbor toward the start (`by` = -1) or the end (1);
    /// only on the tabs for sorting and columns, and nothing if it is not among them.
    pub(super) fn shift(&mut self, field: &'static Field, by: isize) {
        match self.tab {
            Tab::Sort => shift(&mut self.draft.query.order, |key| key.field == field, by),
            Tab::Columns => shift(&mut self.draft.columns, |shown| *shown == field, by),
            Tab::Filters | Tab::Settings => {}
        }
    }

    /// Restores the default conditions, order, columns or settings, whichever the open tab edits, in the
    /// draft.
    pub(super) fn reset(&mut self) {
        let query = &mut self.draft.query;
        let fresh = language::default_query(query.resource, self.dialect);
        match self.tab {
            Tab::Filters => query.conditions = fresh.conditions,
            Tab::Sort => query.order = fresh.order,
            Tab::Columns => self.draft.columns = query.catalog().default_columns(),
            Tab::Settings => {
                self.settings = super::settings::fields(&fresh, self.dialect);
                super::settings::write(&self.settings, query, self.dialect);
            }
        }
    }
}

/// Swaps the first element that `is_moved` accepts with the one `by` places further, clamped to the ends;
/// nothing if it accepts none.
fn shift<T>(all: &mut [T], is_moved: impl Fn(&T) -> bool, by: isize) {
    if let Some(index) = all.iter().position(is_moved) {
        let target = index.saturating_add_signed(by).min(all.len() - 1);
        all.swap(index, target);
    }
}
