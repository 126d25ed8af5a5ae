//! The markets: a list to connect, test and add them, and the switch from one to another without
//! leaving.
//!
//! Requests travel as [`MarketCommand`]s and outcomes return as [`MarketEvent`]s. Neither ever
//! contains an API key, only its source.

pub mod add;
pub mod check;
pub mod command;
pub(crate) mod document;
mod name;
pub mod probe;
mod update;
pub(crate) mod view;

pub use self::update::{change, connect, explain_done, find_dialect, reload_list, stop_connecting, test};
pub use crate::core::markets::*;

use crate::core::state::State;
use crate::features::route_lab::Routes;
use crate::keys::Action;

/// The reason switching markets is blocked: a write, a route run or a save is in progress. `None` if it is
/// possible.
pub fn switch_blocked_reason(state: &State) -> Option<String> {
    if state.mutations.all_in_flight().next().is_some() {
        return Some("a write is in progress: wait for its outcome, then switch".to_owned());
    }
    if Routes::read(state).active().is_some() {
        let key = state.keymap.key_of(Action::RouteLab);
        return Some(format!(
            "a route run is in progress: stop it in the route lab ({key}), then switch"
        ));
    }
    (state.persistence.pending > 0).then(|| "a saved search is still being written: try again in a moment".to_owned())
}
