//! Shared by the views that compare rows: when they can open.

use super::state::State;
use super::view::Cx;
use crate::domain::Resource;
use crate::keys::pane::Pane;
use crate::keys::{Action, BINDINGS};

/// The reason an action that compares or prices rows is disabled on the open pane (wrong pane, no rows,
/// nothing selected or marked, no job to clear), or `None` if it is enabled or is no such action.
pub(crate) fn disabled(state: &State, action: Action) -> Option<String> {
    let key = |action| state.keymap.key_of(action);
    let pane = state.pane;
    let is_about_offers = matches!(action, Action::ForgetJob | Action::Depth | Action::Cluster)
        || BINDINGS.iter().any(|row| row.action == action && row.is_of_offers);
    if is_about_offers && pane != Pane::Offers {
        return Some(format!("Only on Offers ({})", key(Action::Pane(Pane::Offers))));
    }
    if matches!(action, Action::Job | Action::Summary | Action::Plot) && !pane.has_prices() {
        let (offers, volumes) = (key(Action::Pane(Pane::Offers)), key(Action::Pane(Pane::Volumes)));
        return Some(format!("Only on Offers ({offers}) and Volumes ({volumes})"));
    }
    let browser = state.browser()?;
    let needs_rows = matches!(
        action,
        Action::Summary | Action::Plot | Action::Mark | Action::Depth | Action::Cluster
    );
    let has_no_row = browser.view().is_empty();
    match action {
        Action::Related | Action::Host if browser.selected_row().is_none() => Some("No offer selected".to_owned()),
        Action::Host if browser.host_condition().is_none() => Some("This offer names no host".to_owned()),
        Action::ForgetJob if browser.computed.job.is_none() => Some("Offers are not priced for a job".to_owned()),
        Action::Unmark if !browser.has_marks() => Some("Nothing is marked".to_owned()),
        Action::MarkedOnly if browser.marked_condition().is_none() => Some("Nothing is marked".to_owned()),
        Action::Compare if browser.listing().is_none() || browser.marks.len() < 2 => {
            Some(format!("Mark at least two rows first ({})", key(Action::Mark)))
        }
        Action::Funnel if browser.resource() == Resource::Workergroups => {
            Some(format!("Only on Offers ({})", key(Action::Pane(Pane::Offers))))
        }
        Action::Funnel if browser.query.active().next().is_none() => Some("No filters to explain".to_owned()),
        // The planner leaves out the count that no offer has.
        Action::Cluster if browser.gpus_asked().is_some_and(|gpus| gpus > 1.0) => None,
        _ if needs_rows && has_no_row && browser.remote().is_loading() => Some("Still loading".to_owned()),
        _ if needs_rows && has_no_row => Some("No rows".to_owned()),
        _ => None,
    }
}

/// Clears the job that offers are priced for, and shows a notice of it.
pub(crate) fn forget_job(cx: &mut Cx<'_>) {
    cx.price_job(None);
    cx.toast("Job pricing cleared");
}
