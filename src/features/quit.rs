//! Quitting: immediately if nothing is in progress, else after a question.

use crate::core::State;
use crate::core::message::Effect;
use crate::core::view::Cx;
use crate::core::views::confirm::Confirm;
use crate::domain::journal::WriteKind;

/// Quits at once if nothing would be lost, otherwise after a question that names it.
pub(crate) fn quit(cx: &mut Cx<'_>) {
    match question(cx.state()) {
        None => cx.effect(Effect::Quit),
        Some((title, text)) => {
            let quit = |cx: &mut Cx<'_>| cx.effect(Effect::Quit);
            cx.open(Confirm::new(title, text, "quit", quit).danger());
        }
    }
}

/// The title and text of the question before quitting, which names the writes without a response and the runs
/// that quitting stops; `None` if there are neither.
fn question(state: &State) -> Option<(&'static str, String)> {
    let mut parts: Vec<String> = state
        .mutations
        .all_in_flight()
        .map(|(kind, flight)| {
            let what = match kind {
                WriteKind::UnlistVolume => "Unlisting volume listing",
                WriteKind::CreateWorkergroup => "Creating a workergroup for",
            };
            format!(
                "{what} {} was sent and has no response yet. Quitting does not cancel it, and you \
                 will not see its outcome.",
                flight.subject
            )
        })
        .collect();
    let has_writes = !parts.is_empty();
    let stopped = state
        .features
        .iter()
        .filter_map(|feature| (feature.stopped_by_quitting)(state));
    let stopped: Vec<String> = stopped.collect();
    let has_run = !stopped.is_empty();
    parts.extend(stopped);
    let title = match (has_writes, has_run) {
        (false, false) => return None,
        (true, false) => "A request is pending",
        (false, true) => "A run is in progress",
        (true, true) => "A run is in progress and a request is pending",
    };
    parts.push("Quit bourse?".to_owned());
    Some((title, parts.join("\n\n")))
}
