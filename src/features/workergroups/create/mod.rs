//! The dialog that creates a workergroup: reviewed, confirmed by typing, sent once.
//!
//! If the outcome is unknown, the groups are listed and the user decides.

mod draw;

use crossterm::event::KeyEvent;
use ratatui::layout::Rect;

use super::creation::{CREATE, OVER_LIMIT};
use super::look::Subject;
use crate::core::mutations::{SendBlocked, Stage};
use crate::core::view::{Availability, Cx, Outcome, Placement, Region, Scene, View};
use crate::core::views::confirm::{Answer, Question};
use crate::core::views::write_dialog::{act_below, back, close_outcome, is_done, no_help};
use crate::core::{Pane, State};
use crate::domain::Resource;
use crate::domain::journal::{Verdict, WriteKind};
use crate::domain::time::{MonotonicTime, Now};
use crate::features::workergroups::{Groups, look_at};
use crate::keys::{Action, Context, Motion};

/// The answer that the selected group in the list is the created one.
const MINE: &str = "mine";
/// The answer that the group was created, though it is not listed.
const CREATED: &str = "created";
/// The answer that no group was created.
const NONE: &str = "none";

/// The contexts of an outcome: its own, then those of the pane, whose keys work through it.
const OUTCOME: &[Context] = {
    use Context::{Always, Global, Outcome, Table, Workergroups};
    &[Outcome, Workergroups, Table, Global, Always]
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Page {
    Confirm,
    /// The write is in flight, or its outcome is known.
    Outcome,
    /// The outcome is unknown, and the user decides.
    Unknown,
}

/// The dialog of a creation: its confirmation, then its outcome.
#[derive(Debug)]
pub struct Create {
    page: Page,
    /// The buttons, or the word to type, of the confirmation or decision.
    question: Question,
    /// Whether Enter was pressed before the rate limit allows the write.
    is_early: bool,
    /// Whether the question requires the word that exceeds the limit.
    is_over_limit: bool,
    /// The index of the selected group among those that may be the new one.
    selected: usize,
}

/// Opens the dialog on the oldest creation of a workergroup with an unknown outcome, or complains that there
/// is none.
pub fn resolve(cx: &mut Cx<'_>) {
    if super::creation::take_up_unknown_creation(cx, None) {
        open_unknown(cx);
    } else {
        cx.complain("No creation has an unknown outcome");
    }
}

/// Opens the dialog on the workergroup's creation with an unknown outcome, and lists the groups unless that
/// was done since.
fn open_unknown(cx: &mut Cx<'_>) {
    let unresolved = Groups::read(cx.state()).creation.unresolved();
    if unresolved.is_some_and(|unresolved| unresolved.listed.is_none()) {
        cx.ask(Resource::Workergroups);
    }
    cx.open(Create::unknown());
}

/// Opens the dialog that creates a workergroup: on a creation with an unknown outcome that was taken up or is
/// of a group equal to the draft, on the one in flight, or else for the draft: it checks the draft's supply
/// and lists the workergroups.
pub fn open(cx: &mut Cx<'_>) {
    let draft = Groups::read(cx.state()).draft.built().ok().cloned();
    if Groups::read(cx.state()).creation.unresolved().is_some()
        || draft.is_some_and(|new| super::creation::take_up_unknown_creation(cx, Some(&new)))
    {
        return open_unknown(cx);
    }
    let mut dialog = Create::outcome();
    if cx.writes().begin(WriteKind::CreateWorkergroup) {
        let is_sandbox = cx.state().profile.is_sandbox;
        dialog = Create::on(Page::Confirm, confirmation(is_sandbox));
        // A recent listing distinguishes a new group from the old ones.
        cx.ask(Resource::Workergroups);
        let subject = Subject::Draft(Groups::read(cx.state()).draft.number());
        match look_at(cx.state(), subject) {
            Ok(look) => {
                super::queue_supply_check(cx, look.search, false);
            }
            Err(error) => cx.complain(error.to_string()),
        }
    }
    cx.open(dialog);
}

/// The question before a workergroup's creation within the limit: the word `create`, or in the sandbox a
/// button.
fn confirmation(is_sandbox: bool) -> Question {
    Question::write(is_sandbox, "Type create", "create")
}

impl Create {
    /// The dialog on a page with its question, and with nothing else chosen.
    fn on(page: Page, question: Question) -> Self {
        Self {
            page,
            question,
            is_early: false,
            is_over_limit: false,
            selected: 0,
        }
    }

    /// The dialog on a creation that is in flight or has an outcome.
    fn outcome() -> Self {
        Self::on(Page::Outcome, Question::buttons("close"))
    }

    /// The dialog in which the user decides on a creation with an unknown outcome.
    fn unknown() -> Self {
        Self::on(Page::Unknown, Question::typed("You decide", "decide"))
    }

    /// Carries out the answer to the question: submits the page or goes back; ignored for `None`.
    fn answered(&mut self, answer: Option<Answer>, cx: &mut Cx<'_>) -> Outcome {
        match answer {
            Some(Answer::Yes) => self.submit(cx),
            Some(Answer::Cancel) => back(WriteKind::CreateWorkergroup, "creating the workergroup for", cx),
            Some(Answer::Word) => {}
            None => return Outcome::Ignored,
        }
        Outcome::Handled
    }

    /// Carries out Enter: sends the draft, applies the decision, or closes the outcome, depending on the
    /// page.
    fn submit(&mut self, cx: &mut Cx<'_>) {
        match self.page {
            Page::Confirm => self.send(cx),
            Page::Unknown => self.decide(cx),
            Page::Outcome => close_outcome(WriteKind::CreateWorkergroup, cx),
        }
    }

    /// Asks for the word `over-limit` while the worst-case cost exceeds the limit and no check runs, and for
    /// the usual answer otherwise; nothing on other pages or once text is typed.
    fn update_confirmation(&mut self, state: &State) {
        let is_checking = Groups::read(state).supply.progress().is_some();
        let is_over = super::excess(state).is_some() && !is_checking;
        let is_typed = self.question.is_typed() && !self.question.word().is_empty();
        if self.page != Page::Confirm || is_over == self.is_over_limit || is_typed {
            return;
        }
        self.is_over_limit = is_over;
        self.question = if is_over {
            Question::typed("Type over-limit", "create")
        } else {
            confirmation(state.profile.is_sandbox)
        };
    }

    /// Whether the worst-case cost is within the limit of the configuration, or the user has typed the word
    /// that exceeds it. Otherwise asks for that word, with the reason, and returns false.
    fn is_within_limit(&mut self, cx: &mut Cx<'_>) -> bool {
        let excess = super::excess(cx.state());
        let over_limit = excess.as_ref().map(|(_, over_limit)| *over_limit);
        cx.writes().exceed_limit(WriteKind::CreateWorkergroup, over_limit);
        let Some((why, _)) = excess else { return true };
        if self.question.is_typed() && self.question.word() == OVER_LIMIT {
            return true;
        }
        if !self.question.is_typed() {
            self.is_over_limit = true;
            self.question = Question::typed("Type over-limit", "create");
        }
        self.question.refuse(format!(
            "Nothing sent: {why}. Type {OVER_LIMIT} to create it all the same."
        ));
        false
    }

    /// Sends the draft if the limit and the answer allow it, or shows the reason nothing is sent.
    fn send(&mut self, cx: &mut Cx<'_>) {
        if !self.is_within_limit(cx) {
            return;
        }
        let is_answered = self.question.is_confirmed_by(CREATE) || self.question.word() == OVER_LIMIT;
        if !is_answered {
            let back = cx.state().keymap.key_of(Action::Back);
            self.question
                .refuse(format!("Nothing sent: type {CREATE}, or press {back} to go back."));
            return;
        }
        match super::creation::create(cx) {
            Ok(()) => *self = Self::outcome(),
            Err(SendBlocked::TooEarly(_)) => self.is_early = true,
            Err(SendBlocked::NotConfirmed) => self.page = Page::Outcome,
            // Another view may have left one since this opened.
            Err(SendBlocked::Unsettled) => {
                let draft = Groups::read(cx.state()).draft.built().ok().cloned();
                super::creation::take_up_unknown_creation(cx, draft.as_ref());
                *self = Self::unknown();
            }
        }
    }

    /// Applies the user's word on a creation with an unknown outcome, and closes the dialog: the selected
    /// group is the one (shown in its pane then), it was created, or it was not. Any other word is refused.
    fn decide(&mut self, cx: &mut Cx<'_>) {
        let Some(unresolved) = Groups::read(cx.state()).creation.unresolved() else {
            cx.close();
            return;
        };
        let chosen = unresolved.candidates.get(self.selected).copied();
        match (self.question.word(), chosen) {
            (MINE, Some(id)) => {
                super::creation::resolve(cx, Verdict::Done, Some(id));
                cx.table(Resource::Workergroups).select_id(id);
                cx.toast(format!("Workergroup {id} is the one you created"));
                cx.go_to(Pane::Workergroups);
            }
            (MINE, None) => {
                let key = cx.state().keymap.key_in(&[Context::Form], Action::Refresh);
                self.question
                    .refuse(format!("No new workergroup matches yet ({key} to refresh)."));
            }
            (CREATED, _) => {
                super::creation::resolve(cx, Verdict::Done, None);
                cx.toast("Marked as created");
                cx.close();
            }
            (NONE, _) => {
                super::creation::resolve(cx, Verdict::Refused, None);
                cx.toast("Marked as not created. The form is unchanged");
                cx.close();
            }
            _ => {
                let words = match chosen {
                    Some(_) => format!("{MINE}, {NONE} or {CREATED}"),
                    None => format!("{NONE} or {CREATED}"),
                };
                self.question.refuse(format!("Type {words}. Nothing is sent here."));
            }
        }
    }

    /// Moves the selection among the candidates `by` places, up to the ends.
    fn step(&mut self, by: isize, state: &State) {
        let unresolved = Groups::read(state).creation.unresolved();
        let many = unresolved.map_or(0, |unresolved| unresolved.candidates.len());
        let next = self.selected.saturating_add_signed(by);
        self.selected = next.min(many.saturating_sub(1));
    }
}

impl View for Create {
    fn contexts(&self) -> &'static [Context] {
        match self.page {
            Page::Confirm | Page::Unknown => self.question.contexts(),
            Page::Outcome => OUTCOME,
        }
    }

    fn placement(&self) -> Placement {
        Placement::Question
    }

    fn availability(&self, action: Action, state: &State) -> Availability {
        match (self.page, action) {
            (Page::Confirm | Page::Unknown, Action::Help) => no_help(),
            (Page::Confirm, Action::Yes) if !self.question.is_typed() => Availability::Available,
            (_, Action::Submit | Action::Back)
            | (Page::Unknown, Action::Refresh | Action::Move(Motion::Down))
            | (Page::Outcome, Action::Help | Action::Palette) => Availability::Available,
            (Page::Outcome, _) if is_done(WriteKind::CreateWorkergroup, state) => Availability::Available,
            _ => Availability::Hidden,
        }
    }

    fn hint(&self, action: Action) -> Option<&'static str> {
        match (action, self.page) {
            (Action::Submit | Action::Back, Page::Outcome) => Some("close"),
            (Action::Back, _) => Some("back"),
            (Action::Move(Motion::Down), Page::Unknown) => Some("next workergroup"),
            (Action::Refresh, _) => Some("refresh"),
            _ => self.question.hint(action),
        }
    }

    fn update(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        match (action, self.page) {
            (Action::Refresh, Page::Unknown) => {
                cx.ask(Resource::Workergroups);
            }
            (Action::Move(Motion::Down), Page::Unknown) => self.step(1, cx.state()),
            (Action::Move(Motion::Up), Page::Unknown) => self.step(-1, cx.state()),
            (Action::Submit, Page::Outcome) => self.submit(cx),
            (Action::Back, _) | (_, Page::Confirm | Page::Unknown) => {
                let answer = self.question.update(action, cx);
                return self.answered(answer, cx);
            }
            (_, Page::Outcome) => return act_below(action, WriteKind::CreateWorkergroup, cx),
        }
        Outcome::Handled
    }

    fn click(&mut self, _: Region, field: usize, cx: &mut Cx<'_>) -> Outcome {
        let answer = self.question.click(field);
        self.answered(answer, cx)
    }

    fn typed(&mut self, key: KeyEvent, _: &mut Cx<'_>) -> Outcome {
        if self.page == Page::Outcome {
            return Outcome::Ignored;
        }
        if self.question.key(key) {
            self.is_early = false;
        }
        Outcome::Handled
    }

    fn paste(&mut self, _: &str, _: &mut Cx<'_>) -> Outcome {
        if self.page == Page::Outcome {
            return Outcome::Ignored;
        }
        self.question.paste();
        Outcome::Handled
    }

    fn tick(&mut self, cx: &mut Cx<'_>) {
        if let (Page::Outcome, Stage::Completed(write)) = (self.page, cx.writes().stage(WriteKind::CreateWorkergroup))
            && write.verdict == Verdict::Unknown
        {
            *self = Self::unknown();
        }
        self.update_confirmation(cx.state());
    }

    fn deadline(&self, state: &State, now: Now) -> Option<MonotonicTime> {
        let loads = Groups::read(state).supply.progress().is_some()
            || state.browsers[Resource::Workergroups].remote().is_loading();
        let spinner = loads.then(|| state.animation(now, 0.25)).flatten();
        let countdown = state.mutations.countdown(WriteKind::CreateWorkergroup, now);
        [spinner, countdown].into_iter().flatten().min()
    }

    fn closing(&mut self, cx: &mut Cx<'_>) {
        cx.writes().dismiss(WriteKind::CreateWorkergroup);
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        draw::dialog(self, area, scene);
    }
}
