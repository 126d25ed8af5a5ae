//! The title of the terminal's window.

use super::state::State;
use crate::domain::text::visible;

/// The market and the pane, so that one window among many can be found.
pub fn title(state: &State) -> String {
    let market = if state.sandbox.replayed.is_some() {
        "REPLAY".to_owned()
    } else if state.profile.is_sandbox {
        "SANDBOX".to_owned()
    } else {
        visible(&state.profile.name, 40)
    };
    format!("bourse - {market} - {}", state.pane.title())
}
