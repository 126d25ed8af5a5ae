//! The questions of overlays that are no views yet.

use super::keymap::Action;
use super::message::Effect;
use super::overlay::Overlay;
use super::remote::Now;
use super::{Model, export, route_lab};
use crate::domain::routing::RoutePlan;

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
    /// Starts a series of route requests.
    StartSeries(Box<RoutePlan>),
}

impl Question {
    /// Whether Enter is a yes as well.
    pub const fn takes_enter(&self) -> bool {
        matches!(self.deed, Deed::StartSeries(_))
    }

    /// What a yes is called.
    pub const fn yes(&self) -> &'static str {
        match self.deed {
            Deed::Overwrite => "overwrite",
            Deed::StartSeries(_) => "start",
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
pub(super) fn act(model: &mut Model, now: Now, action: Action) -> Vec<Effect> {
    let Some(Overlay::Question(question)) = model.overlays.last() else {
        return Vec::new();
    };
    let is_yes = action == Action::Yes || action == Action::Submit && question.takes_enter();
    if !is_yes {
        return Vec::new();
    }
    let deed = question.deed.clone();
    model.overlays.pop();
    match deed {
        Deed::Overwrite => export::write(model, true),
        Deed::StartSeries(plan) => route_lab::launch(model, now, *plan),
    }
}
