//! The search dialog, with the tabs filters, sort, columns and settings.
//!
//! They edit one draft, which is applied at once. The query bar shows the same query as text; both
//! can express the same conditions.

mod choices;
mod condition;
mod draft;
mod draw;
mod draw_condition;
mod filters;
mod lists;
mod removals;
mod settings;
mod view;

use self::condition::ConditionForm;
use self::draft::{Draft, Left};
use self::removals::{RemovalStep, Removals};
use self::settings::Setting;
use crate::core::State;
use crate::core::view::{Cx, Outcome};
use crate::core::views::request_preview::RequestPreview;
use crate::domain::annotations::{AnnotationChange, Mark, Supplier};
use crate::domain::{Condition, Dialect, Field, Kind, Query, Resource};
use crate::features::search::pane::columns::has_preview;
use crate::keys::{Action, Step as Direction};
use crate::table::browser::Browser;
use crate::table::column_prerequisites::Need;
use crate::tui::form::{Form, FormEvent};
use crate::tui::list::{Item, List};
use crate::tui::report::Report;

/// A tab of the dialog; those with a list come first, in the order of the dialog's lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tab {
    Filters,
    Sort,
    Columns,
    Settings,
}

impl Tab {
    const ALL: [Self; 4] = [Self::Filters, Self::Sort, Self::Columns, Self::Settings];

    /// The name of the search dialog's tab: Filters, Sort, Columns or Settings.
    const fn title(self) -> &'static str {
        match self {
            Self::Filters => "Filters",
            Self::Sort => "Sort",
            Self::Columns => "Columns",
            Self::Settings => "Settings",
        }
    }

    /// The action that opens this tab of the search dialog from the pane.
    const fn action(self) -> Action {
        match self {
            Self::Filters => Action::Filter,
            Self::Sort => Action::Sort,
            Self::Columns => Action::Columns,
            Self::Settings => Action::Settings,
        }
    }
}

/// A line of a list.
#[derive(Debug, Clone, Copy, PartialEq)]
enum DialogLine {
    /// Applies the draft.
    Run,
    /// Shows the request body.
    Body,
    /// Counts the rows that each filter removes.
    Count,
    /// The condition at this index.
    Condition(usize),
    /// The ban that hides the one offer that the dialog is about.
    Ban(Supplier),
    /// The condition that a field is the typed id.
    Id(&'static Field, u64),
    Field(&'static Field),
}

/// Search terms for a machine's location.
const PLACES: &[&str] = &["country", "geo", "location", "region", "place", "europe", "eu"];

/// Other search terms for a line of the search dialog: for a field its aliases (of a country, words for
/// places instead) and its meaning, for a typed id only the aliases of its field; none for all other lines,
/// also those of conditions.
fn aliases(line: &DialogLine) -> Vec<&'static str> {
    match line {
        // People search for a location by its name.
        DialogLine::Field(field) if matches!(field.kind, Kind::Country) => {
            PLACES.iter().copied().chain([field.doc]).collect()
        }
        DialogLine::Field(field) => field.aliases.iter().copied().chain([field.doc]).collect(),
        DialogLine::Id(field, _) => field.aliases.to_vec(),
        DialogLine::Run | DialogLine::Body | DialogLine::Count | DialogLine::Condition(_) | DialogLine::Ban(_) => {
            Vec::new()
        }
    }
}

/// The number of loaded rows that match the draft.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Matches {
    rows: usize,
    loaded: usize,
    /// Whether the loaded query is narrower than the draft, so that more rows may match.
    is_wider: bool,
}

#[derive(Debug)]
pub(crate) struct SearchDialog {
    tab: Tab,
    draft: Draft,
    running: Draft,
    /// The lists of filters, of fields to sort by, and of columns.
    lists: [List<DialogLine>; 3],
    settings: Form<Setting>,
    /// The condition being edited, if any.
    form: Option<ConditionForm>,
    unfinished: Vec<ConditionForm>,
    /// The request body, while it is shown instead of the list.
    body: Option<Report>,
    /// The effect of each filter; `None` until it is requested.
    removals: Option<Removals>,
    preview: RequestPreview,
    matches: Option<Matches>,
    complaint: Option<String>,
    has_left: bool,
    /// The columns without values yet, each with its prerequisite and the key that meets it.
    needs: Vec<(&'static Field, Need, String)>,
    /// The ranges of usual fields and of those in the query, in the loaded rows.
    ranges: Vec<(&'static Field, String)>,
    dialect: &'static Dialect,
    /// Whether a preview beside the table shows the id in place of the default columns.
    has_preview: bool,
    is_done: bool,
    /// Whether the effect of each filter is requested as soon as the dialog is open.
    counts_at_once: bool,
    /// The id of the one offer whose filters it shows, typed in the query bar.
    wanted: Option<u64>,
}

/// Opens the search dialog on the tab of an action, or else on the filters; false if the pane has no search.
/// `Action::Funnel` also counts the rows that each filter removes, or for an id in the query bar searches the
/// filters that hide it.
pub(crate) fn open(action: Action, cx: &mut Cx<'_>) -> bool {
    let tab = Tab::ALL.into_iter().find(|tab| tab.action() == action);
    cx.try_open(|state| {
        let mut dialog = SearchDialog::new(tab.unwrap_or(Tab::Filters), state)?;
        dialog.counts_at_once = action == Action::Funnel;
        let typed = state.browser().and_then(Browser::sought_id);
        dialog.wanted = typed.filter(|_| action == Action::Funnel);
        Some(dialog)
    })
}

impl SearchDialog {
    /// The dialog over the pane's search, with `tab` open; `None` if the pane has no table.
    fn new(tab: Tab, state: &State) -> Option<Self> {
        let browser = state.browser()?;
        let running = Draft::from_browser(browser);
        let columns = running.query.catalog().columns();
        let needs = columns.filter_map(|field| {
            let need = browser.need(field)?;
            Some((field, need, state.keymap.key_of(need.action())))
        });
        let needs = needs.collect();
        let left = state.drafts.get::<Left>();
        let dialect = browser.dialect();
        let list = || List::new(Vec::new()).known_as(aliases);
        let mut dialog = Self {
            tab: Tab::Filters,
            lists: [list(), list(), list()],
            settings: settings::fields(&running.query, dialect),
            form: None,
            unfinished: Vec::new(),
            body: None,
            removals: None,
            wanted: None,
            preview: RequestPreview::default(),
            matches: None,
            complaint: None,
            has_left: left.is_some_and(|left| left.has(&running)),
            needs,
            ranges: Vec::new(),
            dialect,
            has_preview: has_preview(browser.resource(), state),
            counts_at_once: false,
            is_done: false,
            draft: running.clone(),
            running,
        };
        if let Some(listing) = browser.listing() {
            let conditions = dialog.running.query.conditions.iter().map(|condition| condition.field);
            let ranges = dialog.common().chain(conditions).filter_map(|field| {
                let range = choices::range(field, listing, dialect)?;
                Some((field, range))
            });
            dialog.ranges = ranges.collect();
        }
        dialog.relist(dialog.common().next().map(DialogLine::Field));
        dialog.show(tab);
        dialog.look_ahead(state);
        Some(dialog)
    }

    /// The tabs of the dialog: all, or for workergroups, which are listed without a search, all but the
    /// settings.
    fn tabs(&self) -> &'static [Tab] {
        let all: &'static [Tab; 4] = &Tab::ALL;
        match self.draft.query.resource {
            Resource::Offers | Resource::Volumes => all,
            Resource::Workergroups => &all[..3],
        }
    }

    /// Opens a tab, with the settings and the list brought up to the draft.
    fn show(&mut self, tab: Tab) {
        self.tab = tab;
        settings::read(&mut self.settings, &self.draft.query);
        self.relist(self.current());
    }

    /// Selects the tab `by` steps to the right, wrapping around after the last.
    fn turn(&mut self, by: usize) {
        let tabs = self.tabs();
        self.show(tabs[(self.tab as usize + by) % tabs.len()]);
    }

    /// The list of the open tab; `None` for the settings, which are a form.
    fn list(&self) -> Option<&List<DialogLine>> {
        self.lists.get(self.tab as usize)
    }

    /// The selected line of the open tab's list; `None` for a heading, an empty list and the settings.
    fn current(&self) -> Option<DialogLine> {
        self.list()?.current().and_then(|item| item.value)
    }

    /// The field of the selected line, for a field and for a typed id; `None` for all others, also
    /// conditions.
    fn field(&self) -> Option<&'static Field> {
        match self.current()? {
            DialogLine::Field(field) | DialogLine::Id(field, _) => Some(field),
            DialogLine::Run | DialogLine::Body | DialogLine::Count | DialogLine::Condition(_) | DialogLine::Ban(_) => {
                None
            }
        }
    }

    /// Whether text is typed to search the open tab's list; false for the settings.
    fn is_typed(&self) -> bool {
        self.list().is_some_and(|list| !list.input.is_empty())
    }

    /// The effect of each filter; `None` before it is requested, and while the draft's offer type, storage,
    /// limit or bundling differ from the running search.
    fn removals(&self) -> Option<&Removals> {
        let (draft, running) = (&self.draft.query, &self.running.query);
        let is_same = (draft.offer_type, draft.storage, draft.limit, draft.unbundled)
            == (running.offer_type, running.storage, running.limit, running.unbundled);
        self.removals.as_ref().filter(|_| is_same)
    }

    /// The effect of the selected condition; `None` if it was not counted, or the line has no condition.
    fn selected_step(&self) -> Option<&RemovalStep> {
        match self.current()? {
            DialogLine::Condition(index) => self.removals()?.step(index),
            DialogLine::Run
            | DialogLine::Body
            | DialogLine::Count
            | DialogLine::Ban(_)
            | DialogLine::Id(..)
            | DialogLine::Field(_) => None,
        }
    }

    /// Rebuilds the open tab's list after a change of the draft, with the line `keep` selected if it is still
    /// there.
    fn relist(&mut self, keep: Option<DialogLine>) {
        let items: Vec<Item<DialogLine>> = match self.tab {
            Tab::Filters => {
                if let Some(removals) = &mut self.removals {
                    removals.judge(&self.draft.query.conditions);
                }
                self.filter_items()
            }
            Tab::Sort => self.sort_items(),
            Tab::Columns => self.column_items(),
            Tab::Settings => return,
        };
        self.lists[self.tab as usize].replace(items, keep.as_ref());
    }

    /// The query of the draft, with the condition being edited if that is valid and not blank.
    fn ahead(&self) -> Query {
        let mut query = self.draft.query.clone();
        if let Some(form) = &self.form
            && let Ok(condition) = form.outcome()
            && !form.is_blank()
        {
            filters::put(&mut query.conditions, form.index, condition.clone());
            if let Ok(sound) = self.check_conditions(query.conditions.clone()) {
                query.conditions = sound;
            }
        }
        query
    }

    /// Updates the previewed request of the draft, with the condition being edited, the number of loaded rows
    /// that match it, the count of the table and the shown body.
    fn look_ahead(&mut self, state: &State) {
        let query = self.ahead();
        self.matches = state.browser().and_then(|browser| {
            let listing = browser.listing()?;
            let can_apply = |condition: &&Condition| browser.need(condition.field).is_none();
            let shown = browser.shown_query().unwrap_or(&self.running.query);
            Some(Matches {
                rows: listing.matching(query.active().filter(can_apply)).len(),
                loaded: listing.len(),
                is_wider: browser.may_have_more()
                    || !shown
                        .active()
                        .all(|condition| query.active().any(|new| new == condition)),
            })
        });
        self.preview = RequestPreview::new(query, self.dialect);
        self.count_table(state);
        if let Some(report) = &mut self.body {
            report.set_lines(draw::request_body_lines(&self.preview));
        }
    }

    /// Sends the search without filters for the effect of each filter, or for the one offer that the dialog
    /// is about, and selects the line of the count. Also shows a complaint if changed settings are not
    /// applied yet.
    fn count(&mut self, cx: &mut Cx<'_>) {
        if self.removals.is_none() {
            let wanted = self.wanted;
            self.removals = cx.state().browser().map(|browser| Removals::prepare(browser, wanted));
        }
        if let Some(removals) = &mut self.removals {
            removals.send(cx);
        }
        if self.removals().is_none() {
            self.complaint = Some("Counts are those of the search that runs: apply the settings first".to_owned());
        }
        self.relist(Some(DialogLine::Count));
    }

    /// Goes one step back: closes the condition form or the body, or clears the search of the list; false if
    /// none is open.
    ///
    /// The input of a closed form is restored when it opens again.
    fn step_back(&mut self) -> bool {
        if let Some(form) = self.form.take() {
            if !form.is_blank() {
                self.unfinished.push(form);
            }
            return true;
        }
        if self.body.take().is_some() {
            return true;
        }
        let list = self.lists.get_mut(self.tab as usize);
        let Some(list) = list.filter(|list| !list.input.is_empty()) else {
            return false;
        };
        list.input.set("");
        self.relist(None);
        true
    }

    /// Applies the draft and closes the dialog; opens the settings instead if one of them is invalid.
    fn apply(&mut self, cx: &mut Cx<'_>) {
        if !self.settings.validate() {
            self.tab = Tab::Settings;
            return;
        }
        self.is_done = true;
        cx.close();
        self.draft.clone().apply(&self.running, cx);
    }

    /// Applies the draft by a button of the settings; `LoadAll` then loads all offers of the search. Nothing
    /// is applied or loaded if a setting is invalid.
    fn submit(&mut self, setting: Setting, cx: &mut Cx<'_>) {
        self.apply(cx);
        if self.is_done && setting == Setting::LoadAll {
            cx.perform_on_pane(Action::LoadAll);
        }
    }

    /// Handles an action in the condition form; ignored if none is open or the form has no use for it.
    fn on_form(&mut self, action: Action) -> Outcome {
        let Some(form) = &mut self.form else {
            return Outcome::Ignored;
        };
        match action {
            Action::Submit => self.accept(),
            Action::Back => drop(self.step_back()),
            Action::Toggle => form.toggle(),
            Action::NextTab => form.turn(true),
            Action::PreviousTab => form.turn(false),
            _ => return Outcome::Ignored,
        }
        Outcome::Handled
    }

    /// Handles an action in the settings form: moves, changes a setting in the draft, or applies; false if
    /// the form has no use for it.
    fn on_setting(&mut self, action: Action, cx: &mut Cx<'_>) -> bool {
        match self.settings.update(action.command()) {
            FormEvent::Submitted(setting) => self.submit(setting, cx),
            FormEvent::Changed(setting) => self.set(setting),
            FormEvent::Moved => {}
            FormEvent::Ignored => return false,
        }
        true
    }

    /// Copies the settings of the form into the draft, `setting` being the changed one; bundling goes back,
    /// with an error beside it, if the market has no parameter for it.
    fn set(&mut self, setting: Setting) {
        if setting == Setting::Bundling && self.dialect.bundling_parameter.is_none() {
            let unbundled = usize::from(self.draft.query.unbundled);
            self.settings.choose(Setting::Bundling, unbundled);
            let why = "This market has no parameter for it".to_owned();
            self.settings.set_error(Setting::Bundling, Some(why));
        }
        settings::write(&self.settings, &mut self.draft.query, self.dialect);
    }

    /// Carries out Enter on the open tab: on the filters, opens the selected condition form or the body,
    /// counts, lifts a ban, adds the condition of a typed id, or applies the draft, and does nothing on a
    /// heading; on all other tabs and while the body is shown, applies the draft.
    fn choose(&mut self, cx: &mut Cx<'_>) {
        match (self.tab, self.current()) {
            _ if self.body.is_some() => self.apply(cx),
            (Tab::Filters, Some(DialogLine::Body)) => {
                self.body = Some(Report::new(draw::request_body_lines(&self.preview)));
            }
            (Tab::Filters, Some(DialogLine::Count)) => self.count(cx),
            (Tab::Filters, Some(DialogLine::Condition(_) | DialogLine::Field(_))) => {
                self.open_form(cx.state().browser().and_then(|browser| browser.listing()));
            }
            (Tab::Filters, Some(DialogLine::Ban(of))) => self.lift_ban(of, cx),
            (Tab::Filters, Some(DialogLine::Id(field, id))) => self.take_id(field, id),
            (Tab::Filters, None) => {}
            (Tab::Filters, Some(DialogLine::Run)) | (Tab::Columns | Tab::Settings, _) => self.apply(cx),
            (Tab::Sort, _) => {
                self.sort_by_typed();
                self.apply(cx);
            }
        }
    }

    /// Lifts a ban that hides the offer which the dialog is about; the table searches again.
    fn lift_ban(&mut self, of: Supplier, cx: &mut Cx<'_>) {
        let mark = Mark::Ban(false);
        cx.annotate(&AnnotationChange { of, mark });
        cx.toast(format!("Lifted the ban on {of}"));
        if let Some(removals) = &mut self.removals {
            removals.set_bans(cx.state().annotations.bans());
        }
        self.relist(Some(DialogLine::Count));
    }

    /// Handles the toggle key: switches a condition, adds or reverses a sort key, or shows or hides a column.
    fn toggle(&mut self, state: &State) {
        match (self.tab, self.field()) {
            (Tab::Filters, _) => self.switch(state.browser().and_then(|browser| browser.listing())),
            (Tab::Sort, Some(field)) => self.sort_by(field),
            (Tab::Columns, Some(field)) => self.show_or_hide(field),
            (Tab::Sort | Tab::Columns, None) | (Tab::Settings, _) => {}
        }
    }

    /// Removes the selected condition, sort key or ban; a column stays.
    fn remove(&mut self, cx: &mut Cx<'_>) {
        if let Some(DialogLine::Ban(of)) = self.current() {
            return self.lift_ban(of, cx);
        }
        match (self.tab, self.field()) {
            (Tab::Filters, _) => self.remove_condition(),
            (Tab::Sort, Some(field)) => self.draft.query.order.retain(|key| key.field != field),
            (Tab::Sort, None) | (Tab::Columns | Tab::Settings, _) => {}
        }
    }

    /// Handles an action on the open tab, while no condition form is open: turns the tab, edits, restores or
    /// applies the draft, or goes back, at last closing the dialog. Ignored if it has no meaning there.
    fn on_tab(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        if self.tab == Tab::Settings && self.on_setting(action, cx) {
            return Outcome::Handled;
        }
        let keep = self.current();
        match action {
            Action::NextTab => self.turn(1),
            Action::PreviousTab => self.turn(self.tabs().len() - 1),
            Action::Run => self.apply(cx),
            Action::Submit => self.choose(cx),
            Action::Toggle => self.toggle(cx.state()),
            Action::Remove => self.remove(cx),
            Action::Reset => self.reset(),
            Action::Shift(Direction::Forward) if self.tab == Tab::Filters && !self.is_typed() => self.loosen(),
            Action::Shift(step) if self.tab != Tab::Filters => {
                let by = if step == Direction::Back { -1 } else { 1 };
                if let Some(field) = self.field() {
                    self.shift(field, by);
                }
            }
            Action::Recall => {
                self.draft.recall(cx);
                self.has_left = false;
                settings::read(&mut self.settings, &self.draft.query);
            }
            Action::Back => {
                if !self.step_back() {
                    cx.close();
                }
            }
            _ => return Outcome::Ignored,
        }
        // Filters are listed where they change, because their places do.
        if self.tab != Tab::Filters
            && matches!(
                action,
                Action::Toggle | Action::Remove | Action::Shift(_) | Action::Reset
            )
        {
            self.relist(keep);
        } else if matches!(action, Action::Recall | Action::Reset) {
            self.relist(Some(DialogLine::Run));
        }
        Outcome::Handled
    }
}
