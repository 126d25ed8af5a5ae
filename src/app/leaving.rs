//! Leaving the program by its key: at once when nothing is under way, else after a question that
//! says what is.

use super::Model;
use super::message::Effect;
use super::overlay::Overlay;
use super::prompt::{Deed, Question};
use crate::domain::journal;
use crate::domain::routing::words;

/// Leaves, or asks whether to.
pub(super) fn leave(model: &mut Model) -> Vec<Effect> {
    match question(model) {
        None => vec![Effect::Quit],
        Some(question) => {
            model.overlays.push(Overlay::Question(question));
            Vec::new()
        }
    }
}

/// What is under way, and what leaving does to it.
fn question(model: &Model) -> Option<Question> {
    let mut parts: Vec<String> = model
        .mutations
        .all_in_flight()
        .map(|(deed, flight)| {
            let what = match deed {
                journal::Deed::UnlistVolume => "Unlisting volume listing",
                journal::Deed::CreateWorkergroup => "Creating a workergroup for",
            };
            format!(
                "{what} {} was sent and is not answered yet. Leaving does not call it back: whether \
                 it was done would stay unknown here.",
                flight.subject
            )
        })
        .collect();
    let writes = !parts.is_empty();
    let run = model.state.routes.active();
    if let Some(run) = run {
        parts.push(format!(
            "A run of the route lab is not over: {}. Leaving stops it, and its figures are gone \
             unless they were exported.",
            words::plan(run.run().plan())
        ));
    }
    let title = match (writes, run.is_some()) {
        (false, false) => return None,
        (true, false) => "An answer is awaited",
        (false, true) => "A run goes on",
        (true, true) => "A run goes on, an answer is awaited",
    };
    parts.push("Leave bourse?".to_owned());
    Some(Question {
        title: title.to_owned(),
        text: parts.join("\n\n"),
        deed: Deed::Leave,
    })
}
