//! Creating a workergroup: reviewed, confirmed by typing, sent once. When the outcome is unknown the
//! list is loaded and the person decides.

mod draw;

use crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::Rect;

use crate::app::groups::creation::CREATE;
use crate::app::groups::preflight::{Look, Subject};
use crate::app::keymap::{Action, Context};
use crate::app::mutations::{Completed, PASTE_REFUSED, SendBlocked};
use crate::app::remote::Now;
use crate::app::view::{Availability, Cx, Outcome, Placement, Scene, View};
use crate::app::{Pane, State};
use crate::domain::Resource;
use crate::domain::journal::{Verdict, WriteKind};
use crate::widgets::text_input::TextInput;

/// The word for: the group that appeared is the one.
const MINE: &str = "mine";
/// The word for: none of the groups is the one.
const NONE: &str = "none";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Page {
    Confirm,
    /// It was sent, or it is over and its outcome is known.
    Outcome,
    /// The outcome is unknown: the person decides.
    Unknown,
}

#[derive(Debug)]
pub struct Create {
    page: Page,
    input: TextInput,
    error: Option<String>,
    /// Whether Enter came before the rate limit allows another write.
    is_early: bool,
    /// Which of the groups that may be the one is selected.
    selected: usize,
}

/// Opens the dialog: on the creation that is in flight or unresolved, else for the draft.
pub fn open(cx: &mut Cx<'_>) {
    let page = if cx.state.groups.creation.unresolved().is_some() {
        Page::Unknown
    } else if cx.state.mutations.begin(WriteKind::CreateWorkergroup) {
        Page::Confirm
    } else {
        Page::Outcome
    };
    if page == Page::Confirm {
        // The list from just before is what tells a new group from an old one.
        let effects = cx.state.refresh(Resource::Workergroups, cx.now);
        cx.effects(effects);
        let subject = Subject::Draft(cx.state.groups.draft.number());
        match Look::at(cx.state, subject) {
            Ok(look) => {
                let effects = cx.state.run_preflight(look, cx.now);
                cx.effects(effects);
            }
            Err(why) => cx.complain(why),
        }
    }
    cx.open(Create::on(page));
}

impl Create {
    fn on(page: Page) -> Self {
        Self {
            page,
            input: TextInput::default(),
            error: None,
            is_early: false,
            selected: 0,
        }
    }

    fn submit(&mut self, cx: &mut Cx<'_>) {
        match self.page {
            Page::Confirm => self.send(cx),
            Page::Unknown => self.decide(cx),
            // A held Enter must not close the outcome before it is there.
            Page::Outcome
                if cx
                    .state
                    .mutations
                    .in_flight(WriteKind::CreateWorkergroup)
                    .is_some() => {}
            Page::Outcome => cx.close(),
        }
    }

    fn send(&mut self, cx: &mut Cx<'_>) {
        if self.input.text().trim() != CREATE {
            let back = cx.state.keymap.key_of(Action::Back);
            self.error = Some(format!(
                "Nothing sent: type {CREATE}, or press {back} to go back."
            ));
            return;
        }
        match cx.state.create_workergroup(cx.now) {
            Ok(effect) => {
                *self = Self::on(Page::Outcome);
                cx.effect(effect);
            }
            Err(SendBlocked::TooEarly(_)) => self.is_early = true,
            Err(SendBlocked::NotConfirmed) => self.page = Page::Outcome,
        }
    }

    /// The person decides on a creation whose outcome is unknown.
    fn decide(&mut self, cx: &mut Cx<'_>) {
        let Some(unresolved) = cx.state.groups.creation.unresolved() else {
            cx.close();
            return;
        };
        let chosen = unresolved.candidates.get(self.selected).copied();
        match (self.input.text().trim(), chosen) {
            (MINE, Some(id)) => {
                cx.state.groups.creation.resolve();
                cx.state.groups.draft.clear();
                cx.state.browsers[Resource::Workergroups].select_id(id);
                cx.toast(format!("Workergroup {id} is the one you created"));
                cx.go_to(Pane::Workergroups);
            }
            (MINE, None) => {
                let key = cx.state.keymap.key_in(&[Context::Form], Action::Refresh);
                self.error = Some(format!(
                    "No new workergroup matches yet ({key} to refresh)."
                ));
            }
            (NONE, _) => {
                cx.state.groups.creation.resolve();
                cx.toast("Marked as not created. The form is unchanged");
                cx.close();
            }
            _ => {
                self.error = Some(format!("Type {MINE} or {NONE}. Nothing is sent here."));
            }
        }
    }

    fn back(cx: &mut Cx<'_>) {
        if let Some(sent) = cx.state.mutations.in_flight(WriteKind::CreateWorkergroup) {
            let text = format!(
                "Still creating the workergroup for {}: the outcome will be shown",
                sent.subject
            );
            cx.toast(text);
        }
        cx.close();
    }

    fn step(&mut self, by: isize, state: &State) {
        let unresolved = state.groups.creation.unresolved();
        let many = unresolved.map_or(0, |unresolved| unresolved.candidates.len());
        let next = self.selected.saturating_add_signed(by);
        self.selected = next.min(many.saturating_sub(1));
    }
}

impl View for Create {
    fn contexts(&self) -> &'static [Context] {
        match self.page {
            Page::Confirm | Page::Unknown => &[Context::Form, Context::Always],
            Page::Outcome => &[
                Context::Report,
                Context::Movement,
                Context::Global,
                Context::Always,
            ],
        }
    }

    fn placement(&self) -> Placement {
        Placement::Dialog
    }

    fn takes_text(&self) -> bool {
        self.page != Page::Outcome
    }

    fn asks_consent(&self) -> bool {
        true
    }

    fn availability(&self, action: Action, _: &State) -> Availability {
        match (self.page, action) {
            (Page::Confirm | Page::Unknown, Action::Help) => {
                Availability::Disabled("Finish or cancel this dialog first".to_owned())
            }
            (_, Action::Submit | Action::Back)
            | (Page::Unknown, Action::Refresh | Action::Down)
            | (Page::Outcome, Action::Help | Action::Palette) => Availability::Available,
            _ => Availability::Hidden,
        }
    }

    fn hint(&self, action: Action) -> Option<&'static str> {
        match (action, self.page) {
            (Action::Submit, Page::Confirm) => Some("create"),
            (Action::Submit, Page::Unknown) => Some("decide"),
            (Action::Submit | Action::Back, Page::Outcome) => Some("close"),
            (Action::Back, _) => Some("back"),
            (Action::Down, _) => Some("next workergroup"),
            (Action::Refresh, _) => Some("refresh"),
            _ => None,
        }
    }

    fn update(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        match (action, self.page) {
            (Action::Left | Action::Right, Page::Confirm | Page::Unknown) => {
                let is_right = action == Action::Right;
                let arrow = if is_right {
                    KeyCode::Right
                } else {
                    KeyCode::Left
                };
                self.input.key(KeyEvent::from(arrow));
            }
            (Action::Back, _) => Self::back(cx),
            (Action::Submit, _) => self.submit(cx),
            (Action::Refresh, Page::Unknown) => {
                let effects = cx.state.refresh(Resource::Workergroups, cx.now);
                cx.effects(effects);
            }
            (Action::Down, Page::Unknown) => self.step(1, cx.state),
            (Action::Up, Page::Unknown) => self.step(-1, cx.state),
            _ => return Outcome::Ignored,
        }
        Outcome::Handled
    }

    fn typed(&mut self, key: KeyEvent, _: &mut Cx<'_>) -> Outcome {
        if self.page == Page::Outcome {
            return Outcome::Ignored;
        }
        if self.input.key(key) {
            self.error = None;
            self.is_early = false;
        }
        Outcome::Handled
    }

    fn paste(&mut self, _: &str, _: &mut Cx<'_>) -> Outcome {
        if self.page == Page::Outcome {
            return Outcome::Ignored;
        }
        self.error = Some(PASTE_REFUSED.to_owned());
        Outcome::Handled
    }

    fn write_completed(&mut self, write: &Completed, _: &mut Cx<'_>) -> Outcome {
        if write.kind != WriteKind::CreateWorkergroup || self.page != Page::Outcome {
            return Outcome::Ignored;
        }
        if write.verdict == Verdict::Unknown {
            *self = Self::on(Page::Unknown);
        }
        Outcome::Handled
    }

    fn deadline(&self, state: &State, now: Now) -> Option<f64> {
        let loads = state.groups.preflight.remote().is_loading()
            || state.browsers[Resource::Workergroups].remote().is_loading();
        let spinner = loads.then(|| state.animation(now, 0.25)).flatten();
        let countdown = state.mutations.countdown(WriteKind::CreateWorkergroup, now);
        [spinner, countdown].into_iter().flatten().reduce(f64::min)
    }

    fn closing(&mut self, cx: &mut Cx<'_>) {
        cx.state.mutations.dismiss(WriteKind::CreateWorkergroup);
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        draw::dialog(self, area, scene);
    }
}
