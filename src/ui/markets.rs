//! The way to real markets, for the first sight of the sandbox.

use super::paint;
use crate::app::Model;
use crate::app::keymap::Action;

/// The way out of the sandbox for somebody who sees it for the first time, as long as the room
/// allows; none once it was taken.
pub fn invitation(model: &Model, room: u16) -> Option<String> {
    if !model.markets.invites || !model.profile.is_sandbox {
        return None;
    }
    let way = model.keymap.key_of(Action::Markets);
    [
        format!("This is the sandbox. Press {way} to connect to a real market"),
        format!("Sandbox: {way} leads to real markets"),
        format!("{way}: real markets"),
    ]
    .into_iter()
    .find(|text| paint::cells(text) <= room)
}
