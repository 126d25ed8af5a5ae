//! The list of stars, notes and bans of machines and hosts. They are set on the selected row, and
//! can be undone in the list.

mod ban;
mod draw;

use ratatui::layout::Rect;

use crate::core::view::{Availability, Cx, Outcome, Placement, Scene, View};
use crate::core::views::confirm::{Entered, Prompt};
use crate::core::views::keys::{edits, of_list, only};
use crate::core::{Pane, State, annotating};
use crate::domain::annotations::{AnnotationChange, LONGEST_NOTE, Mark, Supplier};
use crate::domain::text::visible;
use crate::domain::{Condition, Operand, Operator, Resource, Value};
use crate::keys::{Action, Context, Subject};
use crate::tui::input_widget::InputWidget;
use crate::tui::list::{Item, List};

pub(crate) use self::ban::Ban;
pub(crate) use self::draw::{BANNED, NOTE, STAR, annotation_lines};

/// The kinds of annotations, in the order of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Ban,
    Star,
    Note,
}

impl Kind {
    const ALL: [Self; 3] = [Self::Ban, Self::Star, Self::Note];

    /// The heading above the annotations of this kind in their list.
    const fn heading(self) -> &'static str {
        match self {
            Self::Ban => "Banned",
            Self::Star => "Starred",
            Self::Note => "Notes",
        }
    }

    /// The mark that removes an annotation of this kind.
    const fn removal(self) -> Mark {
        match self {
            Self::Ban => Mark::Ban(false),
            Self::Star => Mark::Star(false),
            Self::Note => Mark::Note(String::new()),
        }
    }
}

/// A line of the list: one annotation of a machine or host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct AnnotationRow {
    of: Supplier,
    kind: Kind,
}

/// The view of all annotations of the profile.
#[derive(Debug)]
pub(crate) struct AnnotationList {
    list: List<AnnotationRow>,
}

/// Carries out an action on stars, notes and bans: changes one of the selected row's machine (or else host),
/// shows or hides rows, undoes a change, or opens a view; for any other action, the list of annotations.
/// False if the row has no such machine or host, or the view has nothing to show.
pub(crate) fn open(action: Action, cx: &mut Cx<'_>) -> bool {
    let suppliers = cx.state().browser().map(annotating::selected);
    let [machine, host] = suppliers.unwrap_or_default();
    match action {
        Action::Star(Subject::Machine) => machine.or(host).is_some_and(|of| star(of, cx)),
        Action::Star(Subject::Host) => host.is_some_and(|of| star(of, cx)),
        Action::Note(Subject::Machine) => machine.or(host).is_some_and(|of| ask_note(of, cx)),
        Action::Note(Subject::Host) => host.is_some_and(|of| ask_note(of, cx)),
        Action::Ban => cx.try_open(Ban::new),
        Action::ShowBanned => {
            show_banned(cx);
            true
        }
        Action::StarredOnly => {
            starred_only(cx);
            true
        }
        Action::Undo => {
            undo(cx);
            true
        }
        _ => cx.try_open(|state| Some(AnnotationList::new(state))),
    }
}

/// Sets or removes a star, ban or note of a machine or host, also in the file of annotations.
fn change(of: Supplier, mark: Mark, cx: &mut Cx<'_>) {
    cx.annotate(&AnnotationChange { of, mark });
}

/// Stars a machine or host, or removes its star, with a notice; the result is always true.
fn star(of: Supplier, cx: &mut Cx<'_>) -> bool {
    let is_starred = !cx.state().annotations.all.is_starred(of);
    change(of, Mark::Star(is_starred), cx);
    let verb = if is_starred { "Starred" } else { "Unstarred" };
    cx.toast(format!("{verb} {of}"));
    true
}

/// Opens the prompt for the note on a machine or host, with the present note to be edited; an empty text
/// removes it, and one that is too long is refused. The result is always true.
fn ask_note(of: Supplier, cx: &mut Cx<'_>) -> bool {
    let known = cx.state().annotations.all.get(of);
    let before = known.map(|annotation| annotation.note.clone()).unwrap_or_default();
    let save = move |typed: &str, cx: &mut Cx<'_>| {
        if typed.trim().chars().count() > LONGEST_NOTE {
            return Entered::Rejected(format!("use at most {LONGEST_NOTE} characters"));
        }
        change(of, Mark::Note(typed.to_owned()), cx);
        let verb = if typed.trim().is_empty() { "Removed" } else { "Saved" };
        cx.toast(format!("{verb} the note on {of}"));
        Entered::Accepted
    };
    let prompt = Prompt::new("Edit note", "Note", "save", save);
    let text = format!("Your note on {of}, shown with all its offers. Empty removes it.");
    cx.open(prompt.text(text).value(&before));
    true
}

/// Lists banned offers until the program ends or, if they are listed, hides them again, with a notice.
fn show_banned(cx: &mut Cx<'_>) {
    let is_shown = !cx.state().annotations.shows_banned;
    cx.show_banned(is_shown);
    cx.toast(if is_shown {
        "Banned offers are listed until you quit"
    } else {
        "Banned offers are hidden"
    });
}

/// Lists only the starred rows of the pane, or all again, with a notice; nothing happens if the pane has no
/// table.
fn starred_only(cx: &mut Cx<'_>) {
    let Some(browser) = cx.pane_table() else {
        return;
    };
    browser.toggle_starred_only();
    let text = if browser.is_starred_only() {
        "Starred only"
    } else {
        "Starred or not"
    };
    cx.toast(text);
}

/// Undoes the last change of a star, note or ban, with a notice on the result.
fn undo(cx: &mut Cx<'_>) {
    let Some(change) = cx.undo_annotation() else {
        let key = cx.state().keymap.key_of(Action::Ban);
        return cx.toast(format!("Nothing to undo since the start ({key} lifts a ban)"));
    };
    let of = change.of;
    cx.toast(match change.mark {
        Mark::Star(true) => format!("Starred {of} again"),
        Mark::Star(false) => format!("Unstarred {of}"),
        Mark::Ban(true) => format!("Banned {of} again"),
        Mark::Ban(false) => format!("Lifted the ban on {of}"),
        Mark::Note(text) if text.is_empty() => format!("Removed the note on {of}"),
        Mark::Note(_) => format!("Restored the note on {of}"),
    });
}

/// Opens the pane of offers with a new search for all offers of a machine or host. If that is banned, banned
/// offers are listed from now on.
fn search(of: Supplier, cx: &mut Cx<'_>) {
    if cx.state().annotations.all.is_banned(of) && !cx.state().annotations.shows_banned {
        cx.show_banned(true);
    }
    let offers = cx.table(Resource::Offers);
    let Some(field) = offers.query.catalog().by_key(of.key()) else {
        return;
    };
    let id = Operand::One(Value::id(of.id().into()));
    offers.jump_to(vec![Condition::new(field, Operator::Eq, id)]);
    cx.go_to(Pane::Offers);
    cx.perform_on_pane(Action::Refresh);
}

impl AnnotationList {
    /// The list of the user's current annotations.
    fn new(state: &State) -> Self {
        Self {
            list: List::new(items(state)),
        }
    }

    /// The selected annotation; `None` on a heading, or if no line matches the typed words.
    fn entry(&self) -> Option<AnnotationRow> {
        self.list.current()?.value
    }

    /// Updates the list to the current annotations; the selection stays on its entry, or else on
    /// its line.
    fn relist(&mut self, state: &State) {
        let (entry, line) = (self.entry(), self.list.selected());
        self.list.select(line, false);
        self.list.replace(items(state), None);
        let mut shown = self.list.shown();
        let same = shown.position(|item| item.value.is_some() && item.value == entry);
        drop(shown);
        self.list.select(same.unwrap_or(line), false);
    }
}

impl View for AnnotationList {
    fn contexts(&self) -> &'static [Context] {
        edits(!self.list.input.is_empty())
    }

    fn placement(&self) -> Placement {
        Placement::Dialog
    }

    fn widget<'a>(&'a mut self, _: &'a mut Cx<'_>) -> Option<&'a mut dyn InputWidget> {
        Some(&mut self.list)
    }

    fn hint(&self, action: Action) -> Option<&'static str> {
        if action == Action::Recall {
            return Some("undo");
        }
        match (action, self.entry()?.kind) {
            (Action::Submit, _) => Some("show offers"),
            (Action::Remove, Kind::Ban) => Some("lift ban"),
            (Action::Remove, Kind::Star) => Some("unstar"),
            (Action::Remove, Kind::Note) => Some("delete"),
            (Action::Edit, _) => Some("edit note"),
            _ => None,
        }
    }

    fn availability(&self, action: Action, _: &State) -> Availability {
        let used: &[Action] = match self.entry() {
            Some(_) => &[Action::Remove, Action::Edit, Action::Recall],
            None => &[Action::Recall],
        };
        match action {
            Action::Submit => of_list(&self.list, action),
            action => only(used, action),
        }
    }

    fn update(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        match (action, self.entry()) {
            (Action::Back, _) => cx.close(),
            (Action::Submit, Some(entry)) => search(entry.of, cx),
            (Action::Edit, Some(entry)) => {
                ask_note(entry.of, cx);
            }
            (Action::Remove, Some(entry)) => {
                change(entry.of, entry.kind.removal(), cx);
                self.relist(cx.state());
                let key = cx.state().keymap.key_in(&[Context::ListEdit], Action::Recall);
                cx.toast(format!("Removed ({key} to undo)"));
            }
            (Action::Recall, _) => {
                undo(cx);
                self.relist(cx.state());
            }
            _ => return Outcome::Ignored,
        }
        Outcome::Handled
    }

    fn on_top(&mut self, cx: &mut Cx<'_>) {
        self.relist(cx.state());
    }

    // Another window may have changed them.
    fn tick(&mut self, cx: &mut Cx<'_>) {
        self.relist(cx.state());
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        draw::list(self, area, scene);
    }
}

/// The lines of the list of annotations: bans, stars and notes, each kind below its heading, with `None yet`
/// for a kind without any.
fn items(state: &State) -> Vec<Item<AnnotationRow>> {
    let mut items = Vec::new();
    for kind in Kind::ALL {
        let all = state.annotations.all.iter();
        let mut noted: Vec<Item<AnnotationRow>> = all
            .filter(|(_, annotation)| match kind {
                Kind::Ban => annotation.is_banned,
                Kind::Star => annotation.is_starred,
                Kind::Note => !annotation.note.is_empty(),
            })
            .map(|(of, annotation)| {
                let text = visible(&annotation.note, LONGEST_NOTE);
                Item::new(capitalized(of), text, AnnotationRow { of, kind })
            })
            .collect();
        items.push(Item::heading(kind.heading(), ""));
        if noted.is_empty() {
            noted.push(Item::heading("  None yet", ""));
        }
        items.append(&mut noted);
    }
    items
}

/// The name of a machine or host: `Machine 4711`.
fn capitalized(of: Supplier) -> String {
    match of {
        Supplier::Machine(id) => format!("Machine {id}"),
        Supplier::Host(id) => format!("Host {id}"),
    }
}
