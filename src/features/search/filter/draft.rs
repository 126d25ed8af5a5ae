//! Changes the draft: its conditions, and the lines of the list that represent them.

use super::condition::ConditionForm;
use super::{Filter, Line};
use crate::domain::field::Section;
use crate::domain::language::LanguageError;
use crate::domain::{Condition, Field, Kind, Listing, Operand, Operator, Value, country, language};
use crate::widgets::list::Item;

impl Filter {
    pub(super) fn items(&self) -> Vec<Item<Line>> {
        let item = |title: String, text: String, note: &str, value: Option<Line>| Item {
            title,
            text,
            note: note.to_owned(),
            disabled: None,
            value,
        };
        let heading = |title: &str| item(title.to_owned(), String::new(), "", None);
        let line = |field: &'static Field| {
            item(
                format!("    {}", field.key),
                format!("{}: {}", field.label, field.doc),
                self.fate(field),
                Some(Line::Field(field)),
            )
        };
        let run = if self.is_changed() {
            "Search with these filters"
        } else {
            "No changes yet"
        };
        let mut items = vec![item("Run".to_owned(), run.to_owned(), "", Some(Line::Run))];
        if !self.draft.conditions.is_empty() {
            items.push(heading("In the query"));
        }
        for (place, condition) in self.draft.conditions.iter().enumerate() {
            let sign = if condition.enabled { "[x]" } else { "[ ]" };
            items.push(item(
                format!("{sign} {}", language::print_condition_briefly(condition)),
                condition.field.doc.to_owned(),
                self.fate(condition.field),
                Some(Line::Condition(place)),
            ));
        }
        items.push(heading("Common"));
        items.extend(self.common().map(line));
        let filters = self.draft.catalog().filters();
        for section in Section::ALL {
            let mut rows = filters
                .iter()
                .filter(|field| field.section == section)
                .filter(|field| !self.common().any(|own| own == **field))
                .peekable();
            if rows.peek().is_some() {
                items.push(heading(section.title()));
            }
            items.extend(rows.map(|field| line(field)));
        }
        items
    }

    /// The conditions in query syntax: everything in the editor can be written in the query bar,
    /// which parses it back to the same conditions.
    pub(super) fn sound(&self, conditions: Vec<Condition>) -> Result<Vec<Condition>, LanguageError> {
        let text = language::print_briefly(&conditions);
        let catalog = self.draft.catalog();
        let parsed = language::parse(&text, catalog, self.dialect, &[], language::Mode::Strict)?;
        let in_force = conditions.iter().filter(|condition| condition.enabled);
        if in_force.eq(&parsed.conditions) {
            return Ok(conditions);
        }
        let mut joined = parsed.conditions;
        joined.extend(conditions.into_iter().filter(|condition| !condition.enabled));
        Ok(joined)
    }

    pub(super) fn current(&self) -> Option<Line> {
        self.list.current().and_then(|item| item.value)
    }

    /// Replaces the conditions, or says why they contradict each other.
    pub(super) fn put(&mut self, conditions: Vec<Condition>, keep: Option<Line>) {
        match self.sound(conditions) {
            Ok(conditions) => {
                self.draft.conditions = conditions;
                // Indices have changed, so unfinished forms of existing conditions are dropped.
                self.unfinished.retain(|form| form.place.is_none());
                self.changed(keep);
            }
            Err(error) => self.complaint = Some(error.message),
        }
    }

    /// Switches the selected condition off or on; a boolean field without a condition gets one.
    pub(super) fn toggle(&mut self, listing: Option<&Listing>) {
        let mut conditions = self.draft.conditions.clone();
        match self.current() {
            Some(Line::Condition(place)) => {
                if let Some(condition) = conditions.get_mut(place) {
                    condition.enabled = !condition.enabled;
                }
                self.put(conditions, Some(Line::Condition(place)));
            }
            Some(Line::Field(field)) => {
                let own = conditions.iter().position(|own| own.field == field);
                match own {
                    None if field.kind != Kind::Flag => return self.open(listing),
                    None => {
                        let yes = Operand::One(Value::Flag(true));
                        conditions.push(Condition::new(field, Operator::Eq, yes));
                    }
                    Some(_) => {
                        for condition in conditions.iter_mut().filter(|own| own.field == field) {
                            condition.enabled = !condition.enabled;
                        }
                    }
                }
                self.put(conditions, Some(Line::Field(field)));
            }
            _ => {}
        }
    }

    /// Removes the selected condition, or all of the selected field.
    pub(super) fn remove(&mut self) {
        let mut conditions = self.draft.conditions.clone();
        match self.current() {
            Some(Line::Condition(place)) if place < conditions.len() => {
                conditions.remove(place);
                let next = place.min(conditions.len().saturating_sub(1));
                self.put(conditions, Some(Line::Condition(next)));
            }
            Some(Line::Field(field)) => {
                conditions.retain(|condition| condition.field != field);
                self.put(conditions, Some(Line::Field(field)));
            }
            _ => {}
        }
    }

    /// Opens the form of the selected line, restoring an unfinished one.
    pub(super) fn open(&mut self, listing: Option<&Listing>) {
        let (field, place) = match self.current() {
            Some(Line::Condition(place)) => match self.draft.conditions.get(place) {
                Some(condition) => (condition.field, Some(place)),
                None => return,
            },
            Some(Line::Field(field)) => (field, None),
            _ => return,
        };
        let written = self.unfinished.iter().position(|form| form.is_for(field, place));
        let form = written.map(|written| self.unfinished.remove(written));
        self.form = Some(form.unwrap_or_else(|| {
            let change = place.and_then(|place| Some((place, self.draft.conditions.get(place)?)));
            let mut form = ConditionForm::new(field, change, listing, self.dialect);
            // Finding the field by the name of a country group selects that group.
            let typed = self.list.input.text().trim();
            if field.kind == Kind::Country && place.is_none() && country::group(typed).is_some() {
                form.find(&typed.to_ascii_uppercase());
            }
            form
        }));
    }

    /// Puts the written condition into the draft, or says why it cannot.
    pub(super) fn accept(&mut self) {
        let Some(mut form) = self.form.take() else {
            return;
        };
        form.settle();
        let Ok(condition) = form.outcome().cloned() else {
            form.insist();
            self.form = Some(form);
            return;
        };
        let mut conditions = self.draft.conditions.clone();
        put(&mut conditions, form.place, condition);
        match self.sound(conditions) {
            Ok(conditions) => {
                self.draft.conditions = conditions;
                // Indices have changed, so unfinished forms of existing conditions are dropped.
                self.unfinished.retain(|form| form.place.is_none());
                self.list.input.set("");
                self.changed(Some(Line::Run));
            }
            Err(error) => {
                form.refuse(error);
                self.form = Some(form);
            }
        }
    }

    pub(super) fn reset(&mut self) {
        self.draft.conditions = language::default_conditions(self.draft.catalog(), self.dialect);
        self.changed(Some(Line::Run));
    }
}

/// Puts a condition at its index, or appends it.
pub(super) fn put(conditions: &mut Vec<Condition>, place: Option<usize>, condition: Condition) {
    match place.and_then(|place| conditions.get_mut(place)) {
        Some(own) => *own = condition,
        None => conditions.push(condition),
    }
}
