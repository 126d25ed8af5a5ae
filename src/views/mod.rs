//! The views of the dashboard, one folder each: its state and what it does in `mod.rs`, its looks
//! in `draw.rs`.

mod chart;
pub mod market;
pub mod plot;
pub mod preview;

use crate::app::keymap::Action;
use crate::app::view::Cx;
use crate::app::{Model, Profile};
use crate::domain::Condition;

/// The dashboard with all its views. `conditions` are those of the first search, if they are not
/// the usual ones.
pub fn dashboard(profile: Profile, conditions: Option<Vec<Condition>>) -> Model {
    Model::new(profile, conditions, open)
}

/// Opens the view that an action stands for where the keyboard is; false if it stands for none.
/// The one place that knows every view by name.
pub fn open(action: Action, cx: &mut Cx<'_>) -> bool {
    match action {
        Action::Summary => cx.try_open(market::Market::new),
        Action::Plot => cx.try_open(plot::Plot::new),
        _ => false,
    }
}
