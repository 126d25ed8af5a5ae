//! The conditions of the draft, and the lines of the list for them.

use super::condition::ConditionForm;
use super::removals::Removals;
use super::{DialogLine, SearchDialog, Tab};
use crate::core::State;
use crate::domain::field::Section;
use crate::domain::language::LanguageError;
use crate::domain::{Condition, Field, Filter, Kind, Listing, Operand, Operator, Resource, Value, country, language};
use crate::table::query_input::parse_id;
use crate::tui::list::Item;

/// Keys of the most used filters of a resource, listed as `Common`; the first one is selected when the tab
/// opens.
const fn common(resource: Resource) -> &'static [&'static str] {
    match resource {
        Resource::Offers => &[
            "gpu_name",
            "num_gpus",
            "dph_total",
            "geolocation",
            "gpu_ram",
            "disk_space",
            "reliability",
        ],
        Resource::Volumes => &["disk_space", "storage_cost", "geolocation", "reliability"],
        Resource::Workergroups => &["endpoint_name", "gpu_ram"],
    }
}

impl SearchDialog {
    /// The fields listed as `Common`, in order: the most used ones, as far as the catalog has them as
    /// filters.
    pub(super) fn common(&self) -> impl Iterator<Item = &'static Field> + use<> {
        let catalog = self.draft.query.catalog();
        let keys = common(self.draft.query.resource).iter();
        keys.filter_map(|key| catalog.filters().into_iter().find(|field| field.key == *key))
    }

    /// How a condition on `field` is applied: by the market (`sent`), by the market although undocumented
    /// (`extra`), or to the loaded rows (`local`), as are all of workergroups.
    pub(super) fn fate(&self, field: &Field) -> &'static str {
        let query = &self.draft.query;
        if query.resource == Resource::Workergroups || !query.sends(field, self.dialect) {
            "local"
        } else if field.filter == Filter::Documented {
            "sent"
        } else {
            "extra"
        }
    }

    /// The range of a field in the loaded rows as text, or else the meaning of the field.
    fn range(&self, field: &'static Field) -> String {
        let range = self.ranges.iter().find(|(known, _)| *known == field);
        range.map_or_else(|| field.doc.to_owned(), |(_, range)| range.clone())
    }

    /// The lines of the filter tab: apply, count (not without conditions or for workergroups), the bans that
    /// hide the wanted offer, the conditions, those of a typed id, the usual fields, all others by section,
    /// and the request body.
    pub(super) fn filter_items(&self) -> Vec<Item<DialogLine>> {
        // Labels first; the names of the query language and the wire stand in a column behind them.
        let filters = self.draft.query.catalog().filters();
        let line = |field: &'static Field| {
            let title = format!("    {:<14}  {}", field.label, field.key);
            Item::new(title, self.range(field), DialogLine::Field(field)).note(self.fate(field))
        };
        let run = if self.draft == self.running {
            "No changes yet"
        } else {
            "Search with these changes"
        };
        let mut items = vec![Item::new("Apply", run, DialogLine::Run)];
        if self.draft.query.resource == Resource::Workergroups {
            items.push(Item::heading("In the query", ""));
        } else if !self.draft.query.conditions.is_empty() {
            let count = self.removals().map(Removals::summary);
            let count = count.unwrap_or_else(|| "One search counts them".to_owned());
            items.push(Item::new("Rows each filter removes", count, DialogLine::Count));
        }
        for of in self.removals().map_or(&[][..], Removals::banned) {
            let title = format!("    Your ban on {of}");
            items.push(Item::new(title, "hides it", DialogLine::Ban(*of)));
        }
        for (index, condition) in self.draft.query.conditions.iter().enumerate() {
            let sign = if condition.enabled { "[x]" } else { "[ ]" };
            let title = format!("{sign} {}", language::print_condition_briefly(condition));
            let step = self
                .removals()
                .and_then(|removals| Some(removals.step(index)?.words(removals)));
            let text = step.unwrap_or_else(|| self.range(condition.field));
            let is_hider = self.removals().is_some_and(|removals| removals.hides(index));
            let text = if is_hider { "hides it".to_owned() } else { text };
            items.push(Item::new(title, text, DialogLine::Condition(index)).note(self.fate(condition.field)));
        }
        items.extend(self.id_lines().map(|(field, id)| {
            let title = format!("    {:<14}  {}={id}", field.label, field.key);
            let doc = match field.key {
                "id" => "Why missing? Search for the id",
                _ => field.doc,
            };
            Item::new(title, doc, DialogLine::Id(field, id)).note(self.fate(field))
        }));
        items.push(Item::heading("Common", ""));
        items.extend(self.common().map(line));
        for section in Section::ALL {
            let is_here =
                |field: &&&'static Field| field.section == section && !self.common().any(|common| common == **field);
            let mut rows = filters.iter().filter(is_here).peekable();
            if rows.peek().is_some() {
                items.push(Item::heading(section.title(), ""));
            }
            items.extend(rows.map(|field| line(field)));
        }
        items.push(Item::heading("Request", ""));
        items.push(Item::new("    Body", "What is sent to the market", DialogLine::Body));
        items
    }

    /// Counts the rows of the table too: the higher count of the response without filters and of the table is
    /// used, for each condition.
    ///
    /// Does nothing unless that response is truncated, the Filters tab is open, the table has the price model
    /// and storage of the running query, and all active conditions can be applied to it.
    pub(super) fn count_table(&mut self, state: &State) {
        let conditions = &self.draft.query.conditions;
        let browser = state.browser().filter(|browser| {
            let shown = browser.shown_query().map(|shown| (shown.offer_type, shown.storage));
            let query = &self.running.query;
            // A condition that cannot be applied yet rejects no row.
            let is_applied = |condition: &Condition| !condition.enabled || browser.need(condition.field).is_none();
            shown == Some((query.offer_type, query.storage)) && conditions.iter().all(is_applied)
        });
        let rows = browser.and_then(|browser| browser.listing());
        if let (Some(rows), Some(removals), Tab::Filters) = (rows, &mut self.removals, self.tab)
            && removals.judge_table(rows, conditions)
        {
            self.relist(self.current());
        }
    }

    /// The id fields that the typed number may be a value of, each with the number, the id of the record
    /// itself first; none if the text is no id.
    fn id_lines(&self) -> impl Iterator<Item = (&'static Field, u64)> + use<> {
        let id = parse_id(self.lists[0].input.text().trim());
        let mut filters = self.draft.query.catalog().filters();
        filters.retain(|field| field.kind == Kind::Id);
        filters.sort_by_key(|field| field.key != "id");
        filters.into_iter().filter_map(move |field| Some((field, id?)))
    }

    /// Lists the filter tab again with the conditions that a typed number may mean, the first one selected;
    /// with an empty text, without them. Nothing for other texts, on other tabs, and while a condition is
    /// edited.
    pub(super) fn list_ids(&mut self) {
        let is_number = self.lists[0]
            .input
            .text()
            .trim()
            .bytes()
            .all(|byte| byte.is_ascii_digit());
        if self.tab == Tab::Filters && self.form.is_none() && is_number {
            let first = self.id_lines().next().map(|(field, id)| DialogLine::Id(field, id));
            self.relist(first.or(self.current()));
        }
    }

    /// Adds the condition that `field` is this id, in place of earlier `=` conditions on the field; clears
    /// the typed text and selects the line that applies the draft. If the conditions contradict each other,
    /// shows that instead.
    pub(super) fn take_id(&mut self, field: &'static Field, id: u64) {
        let mut conditions = self.draft.query.conditions.clone();
        let id = Operand::One(Value::Number(id as f64));
        put(&mut conditions, None, Condition::new(field, Operator::Eq, id));
        self.lists[0].input.set("");
        self.change(conditions, Some(DialogLine::Run));
    }

    /// Checks that the query bar can parse the text of the conditions. Returns them unchanged, or where the
    /// parsed ones differ from the enabled ones, the parsed ones followed by the disabled ones.
    ///
    /// # Errors
    ///
    /// The mistake that parsing reports.
    pub(super) fn check_conditions(&self, conditions: Vec<Condition>) -> Result<Vec<Condition>, LanguageError> {
        let text = language::print_briefly(&conditions);
        let catalog = self.draft.query.catalog();
        let parsed = language::parse(&text, catalog, self.dialect, &[], language::Mode::Strict)?;
        let in_force = conditions.iter().filter(|condition| condition.enabled);
        if in_force.eq(&parsed.conditions) {
            return Ok(conditions);
        }
        let mut joined = parsed.conditions;
        joined.extend(conditions.into_iter().filter(|condition| !condition.enabled));
        Ok(joined)
    }

    /// Replaces the draft's conditions and rebuilds the list, with the line `keep` selected.
    ///
    /// # Errors
    ///
    /// The reason they contradict each other; nothing is changed then.
    fn put(&mut self, conditions: Vec<Condition>, keep: Option<DialogLine>) -> Result<(), LanguageError> {
        self.draft.query.conditions = self.check_conditions(conditions)?;
        // Indices have changed, so unfinished forms of existing conditions are dropped.
        self.unfinished.retain(|form| form.index.is_none());
        self.relist(keep);
        Ok(())
    }

    /// Replaces the conditions as `put` does; an error is shown as the complaint, and the old conditions
    /// stay.
    fn change(&mut self, conditions: Vec<Condition>, keep: Option<DialogLine>) {
        self.complaint = self.put(conditions, keep).err().map(|error| error.message);
    }

    /// Switches the selected condition, or each condition of the selected field, from on to off or back. A
    /// boolean field without a condition gets one for true; for another field without one, the condition form
    /// opens. A typed id becomes a condition. Nothing on other lines.
    pub(super) fn switch(&mut self, listing: Option<&Listing>) {
        let mut conditions = self.draft.query.conditions.clone();
        match self.current() {
            Some(DialogLine::Condition(index)) => {
                if let Some(condition) = conditions.get_mut(index) {
                    condition.enabled = !condition.enabled;
                }
            }
            Some(DialogLine::Field(field)) if !conditions.iter().any(|condition| condition.field == field) => {
                if field.kind != Kind::Flag {
                    return self.open_form(listing);
                }
                let yes = Operand::One(Value::Flag(true));
                conditions.push(Condition::new(field, Operator::Eq, yes));
            }
            Some(DialogLine::Field(field)) => {
                for condition in conditions.iter_mut().filter(|condition| condition.field == field) {
                    condition.enabled = !condition.enabled;
                }
            }
            Some(DialogLine::Id(field, id)) => return self.take_id(field, id),
            Some(DialogLine::Run | DialogLine::Body | DialogLine::Count | DialogLine::Ban(_)) | None => return,
        }
        self.change(conditions, self.current());
    }

    /// Removes the selected condition from the draft, or all conditions of the selected field; nothing on
    /// other lines.
    pub(super) fn remove_condition(&mut self) {
        let mut conditions = self.draft.query.conditions.clone();
        match self.current() {
            Some(DialogLine::Condition(index)) if index < conditions.len() => {
                conditions.remove(index);
                let next = index.min(conditions.len().saturating_sub(1));
                self.change(conditions, Some(DialogLine::Condition(next)));
            }
            Some(DialogLine::Field(field)) => {
                conditions.retain(|condition| condition.field != field);
                self.change(conditions, Some(DialogLine::Field(field)));
            }
            Some(
                DialogLine::Condition(_)
                | DialogLine::Run
                | DialogLine::Body
                | DialogLine::Count
                | DialogLine::Ban(_)
                | DialogLine::Id(..),
            )
            | None => {}
        }
    }

    /// Loosens the selected condition just enough that rows come back; a message instead if it cannot be
    /// loosened or the effect of the filters is not counted.
    pub(super) fn loosen(&mut self) {
        let step = self.selected_step();
        let looser = step.and_then(|step| step.looser.clone());
        match (self.current(), looser) {
            (Some(DialogLine::Condition(index)), Some((looser, _))) => {
                let mut conditions = self.draft.query.conditions.clone();
                put(&mut conditions, Some(index), looser);
                self.change(conditions, Some(DialogLine::Condition(index)));
            }
            _ => self.complaint = Some("Only a bound that removes rows alone can be loosened".to_owned()),
        }
    }

    /// Opens the form for the condition or field of the selected line, restoring an unfinished one; nothing
    /// on other lines.
    pub(super) fn open_form(&mut self, listing: Option<&Listing>) {
        let (field, index) = match self.current() {
            Some(DialogLine::Condition(index)) => match self.draft.query.conditions.get(index) {
                Some(condition) => (condition.field, Some(index)),
                None => return,
            },
            Some(DialogLine::Field(field)) => (field, None),
            Some(DialogLine::Run | DialogLine::Body | DialogLine::Count | DialogLine::Ban(_) | DialogLine::Id(..))
            | None => return,
        };
        let written = self.unfinished.iter().position(|form| form.is_for(field, index));
        let form = written.map(|written| self.unfinished.remove(written));
        self.form = Some(form.unwrap_or_else(|| {
            let change = index.and_then(|index| Some((index, self.draft.query.conditions.get(index)?)));
            let mut form = ConditionForm::new(field, change, listing, self.dialect);
            // Finding the field by the name of a country group selects that group.
            let typed = self.lists[0].input.text().trim();
            if field.kind == Kind::Country && index.is_none() && country::group(typed).is_some() {
                form.set_typed(&typed.to_ascii_uppercase());
            }
            form
        }));
    }

    /// Puts the condition of the open form into the draft, closes the form, and selects the line that applies
    /// the draft; or shows the reason it cannot.
    pub(super) fn accept(&mut self) {
        let Some(mut form) = self.form.take() else {
            return;
        };
        form.tick_pending();
        let Ok(condition) = form.outcome().cloned() else {
            form.insist();
            self.form = Some(form);
            return;
        };
        let mut conditions = self.draft.query.conditions.clone();
        put(&mut conditions, form.index, condition);
        self.lists[0].input.set("");
        if let Err(error) = self.put(conditions, Some(DialogLine::Run)) {
            form.refuse(error);
            self.form = Some(form);
        }
    }
}

/// Replaces the condition at `index`, or appends it without an index or if there is none at it. An appended
/// `=` condition on an id field removes earlier ones on the same field.
pub(super) fn put(conditions: &mut Vec<Condition>, index: Option<usize>, condition: Condition) {
    if let Some(existing) = index.and_then(|index| conditions.get_mut(index)) {
        *existing = condition;
        return;
    }
    let is_one = |own: &Condition| own.field.kind == Kind::Id && own.operator == Operator::Eq;
    let is_replaced = |old: &Condition| is_one(old) && is_one(&condition) && old.field == condition.field;
    conditions.retain(|old| !is_replaced(old));
    conditions.push(condition);
}
