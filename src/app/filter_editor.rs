//! The filter editor: every filter of a catalog, the conditions that are in the query, and what
//! would be sent. The query bar shows the same query as text; neither can say what the other cannot.

use super::Model;
use super::actions::{movement, refresh};
use super::filter_form::FilterForm;
use super::filter_preview::Preview;
use super::keymap::Action;
use super::message::{Effect, Toast};
use super::overlay::Overlay;
use super::remote::Now;
use super::search_settings::SearchSettings;
use crate::domain::field::Section;
use crate::domain::language::{self, LanguageError};
use crate::domain::{
    Condition, Dialect, Field, Filter, Kind, Listing, Operand, Operator, Query, Resource, Value,
    country,
};
use crate::widgets::list::{Item, List};
use crate::widgets::text_input::TextInput;

/// What a line of the editor stands for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Line {
    /// Running the query.
    Run,
    /// The condition at that place.
    Condition(usize),
    /// A new condition on the field.
    Field(&'static Field),
}

/// What people type who look for the place of a machine.
const PLACES: &[&str] = &[
    "country", "geo", "location", "region", "place", "europe", "eu",
];

/// Other names of a line's field.
const fn aliases(line: &Line) -> &'static [&'static str] {
    match line {
        // Who looks for a place types its name.
        Line::Field(field) if matches!(field.kind, Kind::Country) => PLACES,
        Line::Field(field) => field.aliases,
        Line::Run | Line::Condition(_) => &[],
    }
}

/// The editor.
#[derive(Debug)]
pub struct FilterEditor {
    /// The lines.
    pub picker: List<Line>,
    /// The condition being written, if one is.
    pub form: Option<FilterForm>,
    /// Whether the body stands in place of the list, where there is no room for both.
    pub shows_body: bool,
    /// Lines of the body scrolled away.
    pub scroll: usize,
    preview: Preview,
    running: Query,
    draft: Query,
    kept: Option<Box<Query>>,
    unfinished: Vec<FilterForm>,
    complaint: Option<String>,
    dialect: &'static Dialect,
}

impl FilterEditor {
    /// An editor of `query`; `kept` is a draft of an earlier visit.
    pub fn new(query: Query, kept: Option<Box<Query>>, dialect: &'static Dialect) -> Self {
        let mut editor = Self {
            picker: List::new(Vec::new()),
            form: None,
            shows_body: false,
            scroll: 0,
            preview: Preview::default(),
            draft: query.clone(),
            running: query,
            kept,
            unfinished: Vec::new(),
            complaint: None,
            dialect,
        };
        editor.changed(None);
        editor
    }

    /// The query as it would run.
    pub const fn draft(&self) -> &Query {
        &self.draft
    }

    /// What the draft says; while a condition is written, with it.
    pub const fn preview(&self) -> &Preview {
        &self.preview
    }

    /// Whether a draft of an earlier visit can be taken up.
    pub const fn has_kept(&self) -> bool {
        self.kept.is_some()
    }

    /// Whether the draft differs from what runs.
    pub fn is_changed(&self) -> bool {
        self.draft != self.running
    }

    /// What could not be done, if something could not.
    pub fn complaint(&self) -> Option<&str> {
        self.complaint.as_deref()
    }

    /// What becomes of a condition on `field`: sent; sent although the interface does not document
    /// it (extra); applied here (local).
    pub fn fate(&self, field: &Field) -> &'static str {
        if self.draft.resource == Resource::Workergroups || !self.draft.sends(field, self.dialect) {
            "local"
        } else if field.filter == Filter::Documented {
            "sent"
        } else {
            "extra"
        }
    }

    /// Takes a query from the search settings.
    pub(super) fn take(&mut self, query: Query) {
        self.draft = query;
        self.changed(Some(Line::Run));
    }

    /// Types into the search line or into the value.
    pub(super) fn type_into(&mut self, edit: impl FnOnce(&mut TextInput) -> bool) {
        self.complaint = None;
        match &mut self.form {
            Some(form) => {
                form.type_into(edit);
                self.look_ahead();
            }
            None => {
                if edit(&mut self.picker.input) {
                    self.picker.narrow();
                }
            }
        }
    }

    /// Moves in the list, or among the values of the form.
    pub(super) fn step(&mut self, by: isize) {
        match &mut self.form {
            Some(form) => form.step(by),
            None => self.picker.step(by),
        }
    }

    /// Selects a line that was clicked; gives what the click means.
    pub(super) fn click(&mut self, index: usize) -> Action {
        let Some(form) = &mut self.form else {
            self.picker.select(index, false);
            return Action::Submit;
        };
        form.select(index);
        if form.operator().takes_list() {
            Action::Toggle
        } else {
            Action::Submit
        }
    }

    /// The draft changed: lists the lines anew and works out the preview.
    fn changed(&mut self, keep: Option<Line>) {
        let items = self.items();
        let typed = std::mem::take(&mut self.picker.input);
        self.picker = List::new(items).known_as(aliases);
        self.picker.input = typed;
        self.picker.narrow();
        let place = self.picker.shown().position(|item| item.value == keep);
        if let (Some(place), true) = (place, keep.is_some()) {
            self.picker.select(place, false);
        }
        self.look_ahead();
    }

    fn items(&self) -> Vec<Item<Line>> {
        let item = |title: String, text: String, note: &str, value: Option<Line>| Item {
            title,
            text,
            note: note.to_owned(),
            disabled: None,
            value,
        };
        let heading = |title: &str| item(title.to_owned(), String::new(), "", None);
        let run = if self.is_changed() {
            "search with these conditions"
        } else {
            "nothing is changed yet"
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
        let filters = self.draft.catalog().filters();
        for section in Section::ALL {
            let mut rows = filters
                .iter()
                .filter(|field| field.section == section)
                .peekable();
            if rows.peek().is_some() {
                items.push(heading(section.title()));
            }
            items.extend(rows.map(|field| {
                item(
                    format!("    {}", field.key),
                    format!("{}: {}", field.label, field.doc),
                    self.fate(field),
                    Some(Line::Field(field)),
                )
            }));
        }
        items
    }

    /// Works out what the draft says, with the condition being written.
    fn look_ahead(&mut self) {
        let mut query = self.draft.clone();
        if let Some(form) = &self.form
            && let Ok(condition) = form.outcome()
            && !form.is_blank()
        {
            put(&mut query.conditions, form.place, condition.clone());
            if let Ok(sound) = self.sound(query.conditions.clone()) {
                query.conditions = sound;
            }
        }
        self.preview = Preview::of(query, self.dialect);
    }

    /// The conditions as the query language has them: what the editor holds can always be written
    /// in the query bar, and the bar reads it back as the same.
    fn sound(&self, conditions: Vec<Condition>) -> Result<Vec<Condition>, LanguageError> {
        let text = language::print_briefly(&conditions);
        let catalog = self.draft.catalog();
        let parsed = language::parse(&text, catalog, self.dialect, &[], language::Mode::Strict)?;
        let in_force = conditions.iter().filter(|condition| condition.enabled);
        if in_force.eq(&parsed.conditions) {
            return Ok(conditions);
        }
        let mut joined = parsed.conditions;
        joined.extend(
            conditions
                .into_iter()
                .filter(|condition| !condition.enabled),
        );
        Ok(joined)
    }

    fn current(&self) -> Option<Line> {
        self.picker.current().and_then(|item| item.value)
    }

    /// Takes changed conditions, or says why they cannot stand together.
    fn put(&mut self, conditions: Vec<Condition>, keep: Option<Line>) {
        match self.sound(conditions) {
            Ok(conditions) => {
                self.draft.conditions = conditions;
                // Places have changed: forms of changed conditions belong nowhere any more.
                self.unfinished.retain(|form| form.place.is_none());
                self.changed(keep);
            }
            Err(error) => self.complaint = Some(error.message),
        }
    }

    /// Switches the selected condition off or on; a flag without a condition gets one.
    fn toggle(&mut self, listing: Option<&Listing>) {
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
    fn remove(&mut self) {
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

    /// Opens the form of the selected line; what was written there and not finished is still there.
    fn open(&mut self, listing: Option<&Listing>) {
        let (field, place) = match self.current() {
            Some(Line::Condition(place)) => match self.draft.conditions.get(place) {
                Some(condition) => (condition.field, Some(place)),
                None => return,
            },
            Some(Line::Field(field)) => (field, None),
            _ => return,
        };
        let written = self
            .unfinished
            .iter()
            .position(|form| form.is_for(field, place));
        let form = written.map(|written| self.unfinished.remove(written));
        self.form = Some(form.unwrap_or_else(|| {
            let change = place.and_then(|place| Some((place, self.draft.conditions.get(place)?)));
            let mut form = FilterForm::new(field, change, listing, self.dialect);
            // Who found the field by the name of a group of countries means that group.
            let typed = self.picker.input.text().trim();
            if field.kind == Kind::Country && place.is_none() && country::group(typed).is_some() {
                form.find(&typed.to_ascii_uppercase());
            }
            form
        }));
        self.look_ahead();
    }

    /// Takes the condition that was written; gives whether it could be taken.
    fn accept(&mut self) {
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
                // Places have changed: forms of changed conditions belong nowhere any more.
                self.unfinished.retain(|form| form.place.is_none());
                self.picker.input.set("");
                self.changed(Some(Line::Run));
            }
            Err(error) => {
                form.refuse(error);
                self.form = Some(form);
            }
        }
    }

    fn reset(&mut self) {
        self.draft.conditions = language::default_conditions(self.draft.catalog(), self.dialect);
        self.changed(Some(Line::Run));
    }

    /// Takes up the draft of an earlier visit; the order stays as it is now.
    fn recall(&mut self) {
        if let Some(kept) = self.kept.take() {
            self.draft = Query {
                order: self.draft.order.clone(),
                ..*kept
            };
            self.changed(Some(Line::Run));
        }
    }

    /// One step back: out of the form, out of the search. False when there is no step left.
    fn step_back(&mut self) -> bool {
        if let Some(form) = self.form.take() {
            if !form.is_blank() {
                self.unfinished.push(form);
            }
            self.look_ahead();
        } else if self.shows_body {
            self.shows_body = false;
        } else if self.picker.input.is_empty() {
            return false;
        } else {
            self.picker.input.set("");
            self.picker.narrow();
        }
        true
    }
}

/// Puts a condition into its place, or behind the others.
fn put(conditions: &mut Vec<Condition>, place: Option<usize>, condition: Condition) {
    match place.and_then(|place| conditions.get_mut(place)) {
        Some(own) => *own = condition,
        None => conditions.push(condition),
    }
}

/// Opens the filter editor on the pane in sight.
pub(super) fn open(model: &mut Model) {
    let Some(browser) = model.browser() else {
        return;
    };
    let kept = browser.filter_draft.clone();
    let editor = FilterEditor::new(browser.query.clone(), kept, browser.dialect());
    model.overlays.push(Overlay::Filter(Box::new(editor)));
}

/// What a verb means for the filter editor.
pub(super) fn act(model: &mut Model, now: Now, action: Action) -> Vec<Effect> {
    let page = model.facts.overlay_page.max(1);
    let lines = model.facts.overlay_lines;
    let (overlays, browser) = model.overlays_and_browser();
    let (Some(Overlay::Filter(editor)), Some(browser)) = (overlays.last_mut(), browser) else {
        return Vec::new();
    };
    editor.complaint = None;
    if editor.form.is_some() {
        on_form(editor, action, page);
        return Vec::new();
    }
    if let Some(step) = movement(action, page) {
        if editor.shows_body {
            let most = lines.saturating_sub(page);
            editor.scroll = editor.scroll.saturating_add_signed(step).min(most);
        } else {
            editor.picker.step(step);
        }
        return Vec::new();
    }
    match action {
        Action::Submit if editor.shows_body || editor.current() == Some(Line::Run) => {
            return run(model, now);
        }
        Action::Run => return run(model, now),
        Action::Submit => editor.open(browser.listing()),
        Action::Toggle => editor.toggle(browser.listing()),
        Action::Remove => editor.remove(),
        Action::Reset => editor.reset(),
        Action::Recall => editor.recall(),
        Action::Body => {
            editor.shows_body = !editor.shows_body;
            editor.scroll = 0;
        }
        Action::Settings => {
            let settings = SearchSettings::new(editor.draft.clone(), editor.dialect);
            overlays.push(Overlay::Settings(Box::new(settings)));
        }
        Action::Back => {
            let is_over = !editor.step_back();
            if is_over {
                leave(model, now);
            }
        }
        _ => {}
    }
    Vec::new()
}

fn on_form(editor: &mut FilterEditor, action: Action, page: usize) {
    let Some(form) = &mut editor.form else { return };
    match action {
        Action::Submit => return editor.accept(),
        Action::Back => {
            editor.step_back();
            return;
        }
        Action::Toggle => form.toggle(),
        Action::Right => form.turn(true),
        Action::Left => form.turn(false),
        _ => {
            if let Some(step) = movement(action, page) {
                form.step(step);
            }
        }
    }
    editor.look_ahead();
}

/// Leaves without running; a changed draft is kept for the next visit.
fn leave(model: &mut Model, now: Now) {
    let Some(Overlay::Filter(editor)) = model.overlays.pop() else {
        return;
    };
    if !editor.is_changed() && editor.unfinished.is_empty() {
        return;
    }
    if editor.is_changed()
        && let Some(browser) = model.browser_mut()
    {
        browser.filter_draft = Some(Box::new(editor.draft));
        let text = "The query is as it was; the filter editor keeps the draft";
        model.show(Toast::new(text, now));
    }
}

/// Runs the draft: asks the market if it would be asked something else, else applies it here.
fn run(model: &mut Model, now: Now) -> Vec<Effect> {
    let Some(Overlay::Filter(editor)) = model.overlays.pop() else {
        return Vec::new();
    };
    let Some(browser) = model.browser_mut() else {
        return Vec::new();
    };
    browser.filter_draft = None;
    let words = browser.words.clone();
    let must_ask = browser.apply(editor.draft, words);
    browser.show_query_in_bar();
    let text = browser.query_text();
    browser.bar.remember(&text);
    if must_ask {
        refresh(model, now)
    } else {
        Vec::new()
    }
}
