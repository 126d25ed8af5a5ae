//! Two small dialogs: one asks for a line of text, one for a yes.

use super::keymap::{Action, Context};
use super::markets::Change;
use super::message::Effect;
use super::overlay::Overlay;
use super::remote::Now;
use super::{Model, markets, searches};
use crate::widgets::text_input::TextInput;

/// Asks for a line of text.
#[derive(Debug, Clone)]
pub struct Prompt {
    /// The heading: what is asked for.
    pub title: String,
    /// What becomes of it, in a sentence.
    pub text: String,
    /// What is typed.
    pub input: TextInput,
    /// Why it cannot be taken, if it was tried.
    pub error: Option<String>,
    /// What it is for.
    pub purpose: Purpose,
}

/// What a line of text is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Purpose {
    /// The name under which the running search is saved.
    SaveSearch,
    /// The new name of the saved search of this name.
    RenameSearch(String),
}

/// Asks whether to do something that cannot be taken back.
#[derive(Debug, Clone)]
pub struct Question {
    /// The question.
    pub title: String,
    /// What hangs on it.
    pub text: String,
    /// What a yes does.
    pub deed: Deed,
}

/// What a yes does.
#[derive(Debug, Clone, PartialEq)]
pub enum Deed {
    /// Deletes the saved search of that name.
    DeleteSearch(String),
    /// Saves the running search in place of the one of that name.
    ReplaceSearch(String),
    /// Changes what is kept of a market.
    Market(Change),
    /// Leaves the program although something is under way.
    Leave,
}

impl Prompt {
    /// Asks for the name of the running search.
    pub fn save_search(query: &str) -> Self {
        Self {
            title: "Save the running search".to_owned(),
            text: format!("Its query, order, limit, type and storage: {query}"),
            input: TextInput::default(),
            error: None,
            purpose: Purpose::SaveSearch,
        }
    }

    /// Asks for another name of a saved search.
    pub fn rename_search(name: &str) -> Self {
        Self {
            title: "Rename the search".to_owned(),
            text: format!("Its name is “{name}” now."),
            input: TextInput::new(name),
            error: None,
            purpose: Purpose::RenameSearch(name.to_owned()),
        }
    }
}

impl Question {
    /// The contexts whose keys it takes: Enter is a yes only where nothing is lost that was kept.
    pub const fn contexts(&self) -> &'static [Context] {
        match self.deed {
            Deed::Leave => &[Context::Ask, Context::Dialog, Context::Always],
            Deed::DeleteSearch(_) | Deed::ReplaceSearch(_) | Deed::Market(_) => {
                &[Context::Dialog, Context::Always]
            }
        }
    }

    /// Asks whether to delete a saved search.
    pub fn delete_search(name: &str) -> Self {
        Self {
            title: "Delete the saved search?".to_owned(),
            text: format!("“{name}” is gone then."),
            deed: Deed::DeleteSearch(name.to_owned()),
        }
    }

    /// Asks whether to replace a saved search.
    pub fn replace_search(name: &str) -> Self {
        Self {
            title: "Replace the saved search?".to_owned(),
            text: format!(
                "There is a search named “{name}”. The running one would take its place."
            ),
            deed: Deed::ReplaceSearch(name.to_owned()),
        }
    }

    /// Asks whether to forget the key of a market, or the one that is kept now; `what` becomes
    /// of it.
    pub fn forget_key(what: &str, change: Change) -> Self {
        Self {
            title: format!("Forget the key of {}?", change.market()),
            text: what.to_owned(),
            deed: Deed::Market(change),
        }
    }
}

/// Does what an action asks of the dialog on top.
pub(super) fn act(model: &mut Model, now: Now, action: Action) -> Vec<Effect> {
    match model.overlays.last() {
        Some(Overlay::Prompt(prompt)) if action == Action::Submit => {
            let typed = prompt.input.text().to_owned();
            match prompt.purpose.clone() {
                Purpose::SaveSearch => searches::named(model, now, &typed, None),
                Purpose::RenameSearch(from) => searches::named(model, now, &typed, Some(&from)),
            }
        }
        Some(Overlay::Question(question)) if action == Action::Yes => {
            let deed = question.deed.clone();
            model.overlays.pop();
            done(model, now, deed)
        }
        _ => Vec::new(),
    }
}

/// Does what was asked about and got a yes.
fn done(model: &mut Model, now: Now, deed: Deed) -> Vec<Effect> {
    match deed {
        Deed::DeleteSearch(name) => searches::delete(model, now, name),
        Deed::ReplaceSearch(name) => {
            // The dialog that asked for the name.
            model.overlays.pop();
            searches::save(model, now, name)
        }
        Deed::Market(change) => markets::confirmed(model, change),
        Deed::Leave => vec![Effect::Quit],
    }
}
