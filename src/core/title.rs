//! The title of the terminal's window.

use super::state::State;
use crate::domain::text::visible;

/// The window title, to find one window among many: `(2) bourse - vast - Offers`, with the number of unread
/// alerts in front unless it is 0. The market's name is cut to 40 characters; the sandbox is `SANDBOX`.
pub fn title(state: &State) -> String {
    let market = if state.profile.is_sandbox {
        "SANDBOX".to_owned()
    } else {
        visible(&state.profile.name, 40)
    };
    let unread: usize = state.features.iter().map(|feature| (feature.unread)(state)).sum();
    let rings = match unread {
        0 => String::new(),
        unread => format!("({unread}) "),
    };
    format!("{rings}bourse - {market} - {}", state.pane.title())
}
