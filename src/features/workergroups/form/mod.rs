//! The form for a new workergroup.
//!
//! Input is written to the shared draft at once, so that nothing is lost by closing the form,
//! opening another pane or a preflight.

mod draw;
mod fields;

use crate::core::endpoints::next_endpoint;
use crate::features::workergroups::{Groups, check_of, creation_blocked, look_at};
use ratatui::layout::Rect;

pub(crate) use self::draw::new_endpoint;
use self::fields::Item;
use super::draft::DraftNumber;
use super::look::{Look, Subject};
use crate::core::mutations::Stage;
use crate::core::view::{Availability, Cx, Outcome, Region, Scene, View};
use crate::core::{Pane, State};
use crate::domain::journal::WriteKind;
use crate::domain::text::visible;
use crate::domain::time::{MonotonicTime, Now};
use crate::domain::workergroup::{Draft, Key};
use crate::domain::{Query, Resource};
use crate::keys::{Action, Context, KeyTarget as _, Motion};
use crate::tui::form::{Form, FormEvent};
use crate::tui::input_widget::InputWidget;

/// Seconds after the last key press until the preflight runs by itself.
///
/// Not at every letter, because each run loads thousands of offers.
const PAUSE: f64 = 1.5;

const ENDPOINT: Item = Item::Parameter(Key::EndpointName);
const SEARCH: Item = Item::Parameter(Key::SearchParams);

#[derive(Debug)]
pub struct GroupForm {
    form: Form<Item>,
    /// The number of the draft in the fields.
    number: DraftNumber,
    /// Whether creating was attempted, after which every error is shown.
    is_tried: bool,
    /// Whether the user closed the form, or its workergroup was created.
    is_done: bool,
    /// The time of the last change; `None` once its preflight has run.
    changed_at: Option<MonotonicTime>,
    /// The news of the latest key press, shown below the fields until the next.
    notice: Option<String>,
}

/// Opens the workergroup form on the shared draft, and lists the workergroups if that was never tried. Always
/// true.
pub fn open(cx: &mut Cx<'_>) -> bool {
    cx.drafts().left_open = None;
    // The existing endpoints, and the groups from which a new one is distinguished.
    let groups = &cx.state().browsers[Resource::Workergroups];
    let is_untouched = groups.listing().is_none() && !groups.remote().is_loading() && groups.remote().error().is_none();
    if is_untouched {
        cx.ask(Resource::Workergroups);
    }
    let mut form = GroupForm::new(cx.state());
    form.changed_at = Some(cx.now.mono);
    cx.open(form);
    true
}

/// Opens the workergroup form with another draft; if the replaced one can be restored, a toast names the key.
fn open_with(draft: Draft, cx: &mut Cx<'_>) {
    cx.feature::<super::Groups>().draft.load(draft);
    if Groups::read(cx.state()).draft.has_replaced() {
        let key = cx.state().keymap.key_in(&[Context::Form], Action::Recall);
        cx.toast(format!("Your earlier draft is saved ({key} to bring it back)"));
    }
    open(cx);
}

/// Opens the form for a new workergroup with the parameters of the selected one; false if none is selected.
pub fn clone_selected(cx: &mut Cx<'_>) -> bool {
    let browser = &cx.state().browsers[Resource::Workergroups];
    let Some((listing, row)) = browser.listing().zip(browser.selected_row()) else {
        return false;
    };
    let draft = Draft::from_record(listing, row);
    open_with(draft, cx);
    true
}

/// Opens the form for a new workergroup with the conditions of the running search for offers and the user's
/// bans. Always true.
pub fn from_search(cx: &mut Cx<'_>) -> bool {
    let draft = draft_from_search(cx.state());
    open_with(draft, cx);
    true
}

/// Opens the form as [`from_search`] does, with the most workers that the new workergroup may have.
pub fn from_search_with(workers: Option<u32>, cx: &mut Cx<'_>) {
    let mut draft = draft_from_search(cx.state());
    if let Some(workers) = workers {
        draft.put(Key::MaxWorkers, workers.to_string());
    }
    open_with(draft, cx);
}

/// A draft of a workergroup whose search is the running one for offers, with the user's bans; the parts that
/// a workergroup does not support, such as filter words, are named in a warning.
fn draft_from_search(state: &State) -> Draft {
    let browser = &state.browsers[Resource::Offers];
    let query = with_bans(&browser.query, state);
    Draft::from_query(&query, browser.ran_words(), state.profile.dialect)
}

/// The query with conditions that exclude the user's bans, as far as the market takes them: no worker runs
/// there then.
fn with_bans(query: &Query, state: &State) -> Query {
    let mut query = query.clone();
    query.conditions.extend(state.ban_conditions(&query));
    query
}

impl GroupForm {
    /// The form for the shared draft, with its mistakes shown except for missing values.
    fn new(state: &State) -> Self {
        let mut view = Self {
            form: fields::form(&Groups::read(state).draft),
            number: Groups::read(state).draft.number(),
            is_tried: false,
            is_done: false,
            changed_at: None,
            notice: None,
        };
        view.show_faults(state);
        view
    }

    /// Shows the shared draft in the fields after it was replaced; its supply is checked after a pause of 1.5
    /// s.
    fn reload(&mut self, cx: &Cx<'_>) {
        *self = Self {
            changed_at: Some(cx.now.mono),
            ..Self::new(cx.state())
        };
    }

    /// Shows errors and warnings beside the fields; after an attempt to create, also missing
    /// values.
    fn show_faults(&mut self, state: &State) {
        fields::show_faults(&mut self.form, &Groups::read(state).draft, self.is_tried, &state.keymap);
    }

    /// Copies the value of a field into the draft, or shows or hides the ignored parameters; the supply is
    /// checked after a pause.
    fn changed(&mut self, item: Item, cx: &mut Cx<'_>) {
        let draft = &mut cx.feature::<super::Groups>().draft;
        match item {
            Item::Parameter(key) => {
                if let Some(input) = self.form.input_mut(item) {
                    draft.put(key, input.text());
                }
            }
            Item::SendDefaults => draft.send_defaults(self.form.is_on(item)),
            Item::Advanced => {
                let is_open = self.form.is_on(item);
                fields::show_advanced(&mut self.form, is_open);
            }
            Item::Preflight | Item::Create => {}
        }
        self.changed_at = Some(cx.now.mono);
        self.show_faults(cx.state());
    }

    /// Replaces plain words in the field of the search by the conditions that they mean, which a notice names; nothing
    /// if there are none, or if they are not understood.
    fn take_words(&mut self, cx: &mut Cx<'_>) {
        if !cx.feature::<super::Groups>().draft.take_words() {
            return;
        }
        let words = self.form.text(SEARCH).to_owned();
        self.show_search(cx);
        self.notice = Some(format!("“{}” became the conditions in Search", visible(&words, 40)));
    }

    /// Shows the search of the draft in its field.
    fn show_search(&mut self, cx: &mut Cx<'_>) {
        let draft = Groups::read(cx.state()).draft.draft();
        let text = draft.text(Key::SearchParams).to_owned();
        self.form.set_text(SEARCH, &text);
        self.changed(SEARCH, cx);
    }

    /// Handles an event of the form, in which `before` had the keyboard.
    fn on_event(&mut self, event: FormEvent<Item>, before: Option<Item>, cx: &mut Cx<'_>) {
        self.notice = None;
        if before == Some(SEARCH) && self.form.focused() != before {
            self.take_words(cx);
        }
        match event {
            FormEvent::Submitted(item) => self.press(item, cx),
            FormEvent::Changed(item) => self.changed(item, cx),
            FormEvent::Moved | FormEvent::Ignored => self.show_faults(cx.state()),
        }
    }

    /// Presses a button of the form; other fields do nothing.
    fn press(&mut self, item: Item, cx: &mut Cx<'_>) {
        match item {
            Item::Preflight => self.preflight(cx),
            Item::Create => self.create(cx),
            Item::Parameter(_) | Item::Advanced | Item::SendDefaults => {}
        }
    }

    /// Opens the report on the supply of the draft's search.
    fn preflight(&mut self, cx: &mut Cx<'_>) {
        self.changed_at = None;
        super::preflight::open(Subject::Draft(self.number), cx);
    }

    /// Opens the dialog that creates the group, or complains if that is blocked, or marks the mistakes in the
    /// draft and focuses the first.
    fn create(&mut self, cx: &mut Cx<'_>) {
        if let Some(why) = creation_blocked(cx.state()) {
            cx.complain(why);
            return;
        }
        self.take_words(cx);
        let is_open = Groups::read(cx.state()).creation.unresolved().is_some();
        if is_open || Groups::read(cx.state()).draft.built().is_ok() {
            super::create::open(cx);
            return;
        }
        self.is_tried = true;
        self.show_faults(cx.state());
        let objections = Groups::read(cx.state()).draft.objections();
        let first = objections.first().map(|objection| objection.parameter);
        if let Some(key) = first.and_then(Key::named) {
            if key.parameter().inert.is_some() {
                fields::show_advanced(&mut self.form, true);
            }
            self.form.focus_on(Item::Parameter(key));
            self.show_faults(cx.state());
        }
        cx.complain("Nothing sent: fix the highlighted fields first");
    }

    /// The search whose supply is not checked yet; `None` for a blank draft, an invalid search, and one that
    /// is checked or queued.
    fn due(&self, state: &State) -> Option<Look> {
        if Groups::read(state).draft.draft().is_blank() {
            return None;
        }
        let look = look_at(state, Subject::Draft(self.number)).ok()?;
        let is_checked = check_of(state, &look).is_some() || Groups::read(state).supply.is_queued(&look.search);
        (!is_checked).then_some(look)
    }

    /// Closes the form; a draft that is not blank stays for the next time.
    fn back(&mut self, cx: &mut Cx<'_>) {
        self.is_done = true;
        if !Groups::read(cx.state()).draft.draft().is_blank() {
            let key = cx.state().keymap.key_of(Action::NewGroup);
            cx.toast(format!("Draft saved ({key} to reopen)"));
        }
        cx.close();
    }

    /// Whether the shared draft is another one than that in the fields, as the group in the fields was
    /// created.
    fn is_created(&self, state: &State) -> bool {
        self.number != Groups::read(state).draft.number()
    }
}

impl View for GroupForm {
    fn contexts(&self) -> &'static [Context] {
        self.form.contexts()
    }

    fn widget<'a>(&'a mut self, _: &'a mut Cx<'_>) -> Option<&'a mut dyn InputWidget> {
        Some(&mut self.form)
    }

    fn text_changed(&mut self, cx: &mut Cx<'_>) {
        if let Some(item) = self.form.focused() {
            self.changed(item, cx);
        }
    }

    fn hint(&self, action: Action) -> Option<&'static str> {
        let focused = self.form.focused();
        match (action, focused) {
            (Action::Submit, Some(Item::Create)) => Some("review"),
            (Action::Submit | Action::Refresh, Some(Item::Preflight)) => Some("check supply"),
            (Action::Toggle, Some(Item::Create | Item::Preflight)) => Some("press"),
            (Action::Back, _) => Some("close"),
            (Action::Move(Motion::Last), _) => Some("to Create"),
            _ => None,
        }
    }

    fn availability(&self, action: Action, _: &State) -> Availability {
        let is_at_end = self.form.focused() == Some(Item::Create);
        Availability::hidden_if(matches!(action, Action::Move(Motion::Down | Motion::Last) if is_at_end))
    }

    fn update(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        match action {
            Action::Back => self.back(cx),
            Action::Refresh => self.preflight(cx),
            Action::Reset => {
                cx.feature::<super::Groups>().draft.load(Draft::default());
                self.reload(cx);
                if Groups::read(cx.state()).draft.has_replaced() {
                    let key = cx.state().keymap.key_in(&[Context::Form], Action::Recall);
                    cx.toast(format!("Your draft is saved ({key} to bring it back)"));
                }
            }
            Action::Recall if Groups::read(cx.state()).draft.has_replaced() => {
                cx.feature::<super::Groups>().draft.swap();
                self.reload(cx);
            }
            Action::Recall => cx.toast("No earlier draft"),
            Action::Complete if self.form.focused() == Some(ENDPOINT) => {
                let present = self.form.text(ENDPOINT);
                if let Some(name) = next_endpoint(cx.state(), present) {
                    self.form.set_text(ENDPOINT, &name);
                    self.changed(ENDPOINT, cx);
                }
            }
            Action::Complete => {
                let draft = &Groups::read(cx.state()).draft;
                if !draft.draft().is_set(Key::SearchParams) {
                    let search = draft_from_search(cx.state());
                    let text = search.text(Key::SearchParams).to_owned();
                    cx.feature::<super::Groups>().draft.put(Key::SearchParams, &text);
                }
                cx.feature::<super::Groups>().draft.apply_fix();
                self.show_search(cx);
            }
            action => {
                let before = self.form.focused();
                match self.form.update(action.command()) {
                    FormEvent::Ignored => return Outcome::Ignored,
                    event => self.on_event(event, before, cx),
                }
            }
        }
        Outcome::Handled
    }

    fn click(&mut self, _: Region, index: usize, cx: &mut Cx<'_>) -> Outcome {
        let before = self.form.focused();
        let event = self.form.click(index);
        self.on_event(event, before, cx);
        Outcome::Handled
    }

    fn deadline(&self, state: &State, now: Now) -> Option<MonotonicTime> {
        let is_checking = Groups::read(state).supply.progress().is_some();
        let spinner = is_checking.then(|| state.animation(now, 0.25)).flatten();
        let run = self
            .changed_at
            .filter(|_| self.due(state).is_some())
            .map(|at| at + PAUSE);
        [spinner, run].into_iter().flatten().min()
    }

    fn tick(&mut self, cx: &mut Cx<'_>) {
        // Unless a dialog over the form shows the outcome.
        let is_answered = matches!(cx.writes().stage(WriteKind::CreateWorkergroup), Stage::Idle);
        if is_answered && self.is_created(cx.state()) {
            self.is_done = true;
            return cx.close();
        }
        let is_time = self.changed_at.is_some_and(|at| cx.now.mono >= at + PAUSE);
        if !is_time {
            return;
        }
        self.changed_at = None;
        if cx.state().held(cx.now).is_some() {
            return;
        }
        if let Some(look) = self.due(cx.state()) {
            super::queue_supply_check(cx, look.search, false);
        }
    }

    fn on_top(&mut self, cx: &mut Cx<'_>) {
        if self.is_created(cx.state()) {
            self.is_done = true;
            cx.go_to(Pane::Workergroups);
        }
    }

    fn closing(&mut self, cx: &mut Cx<'_>) {
        if !self.is_done && !self.is_created(cx.state()) {
            let pane = cx.state().pane;
            cx.drafts().left_open = Some((pane, Action::NewGroup));
        }
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        draw::form(self, area, scene);
    }
}
