//! The title of the terminal's window.

use super::state::State;
use crate::domain::text::visible;

/// Names the market and the pane, so that one of many windows is found again.
pub fn title(state: &State) -> String {
    let market = if state.profile.is_sandbox {
        "SANDBOX".to_owned()
    } else {
        visible(&state.profile.name, 40)
    };
    format!("bourse - {market} - {}", state.pane.title())
}
