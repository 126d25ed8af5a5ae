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
        Some(text) => {
            let quit = |cx: &mut Cx<'_>| cx.effect(Effect::Quit);
            cx.open(Confirm::new("Quit bourse?", text, "quit", quit).danger());
        }
    }
}

/// The text of the question before quitting, which names the writes without a response, the runs that
/// quitting stops and the results that it discards; `None` if there are none of these.
fn question(state: &State) -> Option<String> {
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
    let lost = state
        .features
        .iter()
        .filter_map(|feature| (feature.lost_by_quitting)(state));
    parts.extend(lost);
    (!parts.is_empty()).then(|| parts.join("\n\n"))
}
