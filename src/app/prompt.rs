//! The questions of overlays that are no views yet.

use super::keymap::Action;
use super::message::Effect;
use super::overlay::Overlay;
use super::{Model, export};

/// Asks whether to do something that cannot be undone.
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
    /// Writes the export over the file that is there.
    Overwrite,
}

impl Question {
    /// What a yes is called.
    pub const fn yes(&self) -> &'static str {
        match self.deed {
            Deed::Overwrite => "overwrite",
        }
    }

    /// Asks whether to overwrite a file.
    pub fn overwrite(path: &str) -> Self {
        Self {
            title: "Overwrite the file?".to_owned(),
            text: format!("{path} exists. Its content will be lost."),
            deed: Deed::Overwrite,
        }
    }
}

/// Does what an action asks of the dialog on top.
pub(super) fn act(model: &mut Model, action: Action) -> Vec<Effect> {
    let Some(Overlay::Question(question)) = model.overlays.last() else {
        return Vec::new();
    };
    if action != Action::Yes {
        return Vec::new();
    }
    let deed = question.deed.clone();
    model.overlays.pop();
    match deed {
        Deed::Overwrite => export::write(model, true),
    }
}
