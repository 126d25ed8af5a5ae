//! The filter editor: every filter of a catalog, the conditions of the query, and the request. The
//! query bar shows the same query as text; both can express the same conditions.

mod choices;
mod condition;
mod draft;
mod draw;
mod draw_condition;

use crossterm::event::KeyEvent;
use ratatui::layout::Rect;

use self::condition::ConditionForm;
use self::draft::put;
use super::settings::{Chosen, Settings};
use crate::core::State;
use crate::core::view::{Availability, Cx, Outcome, Placement, Region, Scene, View};
use crate::core::views::keys::only;
use crate::core::views::request_preview::RequestPreview;
use crate::domain::{Condition, Dialect, Field, Filter as Filtering, Kind, Query, Resource};
use crate::keys::{Action, Context};
use crate::widgets::list::List;
use crate::widgets::report::Report;
use crate::widgets::text_input::TextInput;

/// A line of the editor.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Line {
    Run,
    /// The condition at that place.
    Condition(usize),
    /// A new condition on the field.
    Field(&'static Field),
}

/// Search terms for a machine's location.
const PLACES: &[&str] = &["country", "geo", "location", "region", "place", "europe", "eu"];

/// The filters of most searches: the editor opens on them.
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

/// Other names of a line's field.
const fn aliases(line: &Line) -> &'static [&'static str] {
    match line {
        // People search for a location by its name.
        Line::Field(field) if matches!(field.kind, Kind::Country) => PLACES,
        Line::Field(field) => field.aliases,
        Line::Run | Line::Condition(_) => &[],
    }
}

/// How many of the loaded rows match the draft.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Matches {
    rows: usize,
    loaded: usize,
    /// The loaded query is narrower than the draft, so there may be more rows.
    is_wider: bool,
}

/// The drafts of closed editors, one per resource.
#[derive(Debug, Default)]
struct Left([Option<Box<Query>>; 3]);

#[derive(Debug)]
pub(crate) struct Filter {
    list: List<Line>,
    /// The condition being edited, if any.
    form: Option<ConditionForm>,
    /// The request body instead of the list, if there is no room for both.
    body: Option<Report>,
    preview: RequestPreview,
    matches: Option<Matches>,
    running: Query,
    draft: Query,
    has_left: bool,
    unfinished: Vec<ConditionForm>,
    complaint: Option<String>,
    dialect: &'static Dialect,
    is_done: bool,
}

impl Filter {
    /// An editor for the pane's query.
    pub fn new(state: &State) -> Option<Self> {
        let browser = state.browser()?;
        let query = browser.query.clone();
        let left = state.drafts.get::<Left>();
        let mut editor = Self {
            list: List::new(Vec::new()).known_as(aliases),
            form: None,
            body: None,
            preview: RequestPreview::default(),
            matches: None,
            has_left: left.is_some_and(|Left(all)| all[query.resource as usize].is_some()),
            draft: query.clone(),
            running: query,
            unfinished: Vec::new(),
            complaint: None,
            dialect: browser.dialect(),
            is_done: false,
        };
        editor.changed(None);
        let first = editor.common().next().map(Line::Field);
        editor.select(first);
        editor.look_ahead(state);
        Some(editor)
    }

    fn common(&self) -> impl Iterator<Item = &'static Field> + use<> {
        let catalog = self.draft.catalog();
        let keys = common(self.draft.resource).iter();
        keys.filter_map(|key| catalog.filters().into_iter().find(|field| field.key == *key))
    }

    fn is_changed(&self) -> bool {
        self.draft != self.running
    }

    /// How a condition on `field` is applied: sent; sent although undocumented (extra); or applied
    /// to the loaded rows (local).
    fn fate(&self, field: &Field) -> &'static str {
        if self.draft.resource == Resource::Workergroups || !self.draft.sends(field, self.dialect) {
            "local"
        } else if field.filter == Filtering::Documented {
            "sent"
        } else {
            "extra"
        }
    }

    /// Edits the search line or the value.
    fn edit(&mut self, edit: impl FnOnce(&mut TextInput) -> bool) {
        self.complaint = None;
        match &mut self.form {
            Some(form) => form.edit(edit),
            None if edit(&mut self.list.input) => self.list.narrow(),
            None => {}
        }
    }

    fn select(&mut self, line: Option<Line>) {
        let place = self.list.shown().position(|item| item.value == line);
        if let (Some(place), true) = (place, line.is_some()) {
            self.list.select(place, false);
        }
    }

    /// Rebuilds the list after a change of the draft.
    fn changed(&mut self, keep: Option<Line>) {
        let items = self.items();
        self.list.replace(items, None);
        self.select(keep);
    }

    /// The draft including the condition being edited.
    fn ahead(&self) -> Query {
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
        query
    }

    /// Computes the request of the draft, and how many of the loaded rows it matches.
    fn look_ahead(&mut self, state: &State) {
        let query = self.ahead();
        self.matches = state.browser().and_then(|browser| {
            let listing = browser.listing()?;
            let can_apply = |condition: &&Condition| browser.need(condition.field).is_none();
            let shown = browser.shown_query().unwrap_or(&self.running);
            Some(Matches {
                rows: listing.matching(query.active().filter(can_apply)).len(),
                loaded: listing.len(),
                is_wider: browser.is_cut() || !shown.active().all(|own| query.active().any(|new| new == own)),
            })
        });
        self.preview = RequestPreview::of(query, self.dialect);
        if let Some(report) = &mut self.body {
            report.set_lines(draw::body(&self.preview));
        }
    }

    /// Restores the draft of a closed editor; the sort order stays as it is now.
    fn recall(&mut self, cx: &mut Cx<'_>) {
        let place = self.draft.resource as usize;
        let mut left = cx.drafts().take::<Left>().unwrap_or_default();
        if let Some(query) = left.0[place].take() {
            self.draft = Query {
                order: self.draft.order.clone(),
                ..*query
            };
            self.has_left = false;
            self.changed(Some(Line::Run));
        }
        cx.drafts().put(left);
    }

    /// Goes one step back: out of the form, the body, the search. False if there is none.
    fn step_back(&mut self) -> bool {
        if let Some(form) = self.form.take() {
            if !form.is_blank() {
                self.unfinished.push(form);
            }
        } else if self.body.is_some() {
            self.body = None;
        } else if self.list.input.is_empty() {
            return false;
        } else {
            self.list.input.set("");
            self.list.narrow();
        }
        true
    }

    /// Runs the draft: queries the market if the request differs, else applies it locally.
    fn run(&mut self, cx: &mut Cx<'_>) {
        self.is_done = true;
        cx.close();
        let Some(browser) = cx.pane_table() else {
            return;
        };
        let words = browser.words.clone();
        let must_ask = browser.apply(self.draft.clone(), words);
        browser.show_query_in_bar();
        let text = browser.query_text();
        browser.bar.remember(&text);
        if must_ask {
            cx.perform_on_pane(Action::Refresh);
        }
    }

    fn on_form(&mut self, action: Action, cx: &Cx<'_>) -> Outcome {
        let Some(form) = &mut self.form else {
            return Outcome::Ignored;
        };
        match action {
            Action::Submit => self.accept(),
            Action::Back => drop(self.step_back()),
            Action::Toggle => form.toggle(),
            Action::NextTab => form.turn(true),
            Action::PreviousTab => form.turn(false),
            _ => match cx.motion(action) {
                Some(lines) => form.step(lines),
                None => return Outcome::Ignored,
            },
        }
        Outcome::Handled
    }

    fn on_list(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        if let Some(report) = &mut self.body
            && report.update(action, cx.viewport(Region::MAIN))
        {
            return Outcome::Handled;
        }
        if let Some(lines) = cx.motion(action) {
            self.list.step(lines);
            return Outcome::Handled;
        }
        let listing = cx.state().browser().and_then(|browser| browser.listing());
        match action {
            Action::Run => self.run(cx),
            Action::Submit if self.body.is_some() || self.current() == Some(Line::Run) => {
                self.run(cx);
            }
            Action::Submit => self.open(listing),
            Action::Toggle => self.toggle(listing),
            Action::Remove => self.remove(),
            Action::Reset => self.reset(),
            Action::Recall => self.recall(cx),
            Action::NextTab | Action::PreviousTab => {
                self.body = match self.body {
                    Some(_) => None,
                    None => Some(Report::new(draw::body(&self.preview))),
                };
            }
            Action::Settings => cx.open(Settings::over_filter(self.draft.clone(), cx.state())),
            Action::Back => {
                if !self.step_back() {
                    cx.close();
                }
            }
            _ => return Outcome::Ignored,
        }
        Outcome::Handled
    }
}

impl View for Filter {
    fn contexts(&self) -> &'static [Context] {
        const FORM: &[Context] = &[Context::Choice, Context::Tabs, Context::List, Context::Always];
        const LIST: &[Context] = &[
            Context::Choice,
            Context::ListEdit,
            Context::Tabs,
            Context::List,
            Context::Always,
        ];
        // Without a checkbox, Space is text.
        match &self.form {
            Some(form) if form.takes_blank() => FORM,
            Some(_) => &FORM[1..],
            None if self.list.input.is_empty() => LIST,
            None => &LIST[1..],
        }
    }

    fn placement(&self) -> Placement {
        Placement::Dialog
    }

    fn hint(&self, action: Action) -> Option<&'static str> {
        match (action, &self.form) {
            (Action::Submit, Some(_)) => Some("apply"),
            (Action::Submit, None) if self.body.is_some() => Some("run"),
            (Action::Submit, None) if self.current() == Some(Line::Run) => Some("run"),
            (Action::Submit, None) => Some("edit"),
            (Action::NextTab, Some(_)) => Some("operator"),
            (Action::NextTab, None) if self.body.is_some() => Some("filters"),
            (Action::NextTab, None) => Some("request body"),
            (Action::Settings, None) => Some("settings"),
            (Action::Toggle, _) => Some("on/off"),
            _ => None,
        }
    }

    fn availability(&self, action: Action, _: &State) -> Availability {
        let used = [
            Action::Toggle,
            Action::Remove,
            Action::Run,
            Action::Reset,
            Action::Settings,
            Action::Recall,
        ];
        match action {
            Action::Recall if !self.has_left => Availability::Hidden,
            _ => only(&used, action),
        }
    }

    fn update(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        self.complaint = None;
        let outcome = if self.form.is_some() {
            self.on_form(action, cx)
        } else {
            self.on_list(action, cx)
        };
        self.look_ahead(cx.state());
        outcome
    }

    fn typed(&mut self, key: KeyEvent, cx: &mut Cx<'_>) -> Outcome {
        self.edit(|input| input.key(key));
        self.look_ahead(cx.state());
        Outcome::Handled
    }

    fn paste(&mut self, text: &str, cx: &mut Cx<'_>) -> Outcome {
        self.edit(|input| {
            input.paste(text);
            true
        });
        self.look_ahead(cx.state());
        Outcome::Handled
    }

    fn click(&mut self, region: Region, line: usize, cx: &mut Cx<'_>) -> Outcome {
        if region != Region::MAIN || self.body.is_some() {
            return Outcome::Ignored;
        }
        let Some(form) = &mut self.form else {
            self.list.select(line, false);
            return self.update(Action::Submit, cx);
        };
        form.select(line);
        let action = if form.operator().takes_list() {
            Action::Toggle
        } else {
            Action::Submit
        };
        self.update(action, cx)
    }

    fn resumed(&mut self, cx: &mut Cx<'_>) {
        if let Some(Chosen(query)) = cx.drafts().take() {
            self.draft = query;
            self.changed(Some(Line::Run));
            self.look_ahead(cx.state());
        }
    }

    fn rows_changed(&mut self, state: &State) {
        self.look_ahead(state);
    }

    fn closing(&mut self, cx: &mut Cx<'_>) {
        let is_left = self.is_changed() && !self.is_done;
        let mut left = cx.drafts().take::<Left>().unwrap_or_default();
        let place = &mut left.0[self.draft.resource as usize];
        if is_left {
            *place = Some(Box::new(self.draft.clone()));
            cx.toast("Query unchanged, edits kept");
        } else if self.is_done {
            *place = None;
        }
        cx.drafts().put(left);
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        draw::filter(self, area, scene);
    }
}
