//! The offer to load more rows where a view is about the first ones only.

use ratatui::text::Line;

use crate::core::State;
use crate::core::view::{Availability, Cx, Scene};
use crate::domain::format::grouped;
use crate::keys::Action;

// A few presses reach the whole market, and each costs one request.
/// By how much the limit of the search grows at a time.
const FACTOR: u32 = 4;

/// The limit that loads more; `None` where the search's limit left none out.
fn limit(state: &State) -> Option<u32> {
    let browser = state.browser().filter(|browser| browser.is_cut())?;
    // The planner may have loaded more than the search asks for.
    let limit = browser.shown_query()?.limit?;
    Some(limit.saturating_mul(FACTOR))
}

/// Whether there are more rows to load.
pub(crate) fn is_possible(state: &State) -> bool {
    limit(state).is_some()
}

pub(crate) fn availability(state: &State) -> Availability {
    if is_possible(state) {
        Availability::Available
    } else {
        Availability::Hidden
    }
}

/// Runs the search again with a higher limit.
pub(crate) fn load(cx: &mut Cx<'_>) {
    let Some(limit) = limit(cx.state) else {
        cx.toast("All offers are loaded");
        return;
    };
    if let Some(browser) = cx.state.browser_mut() {
        browser.query.limit = Some(limit);
    }
    cx.perform_on_pane(Action::Refresh);
}

/// That cheaper rows may be missing.
pub(crate) fn cut(scene: &Scene<'_, '_>) -> Option<Line<'static>> {
    warning("", scene)
}

/// That cheaper rows may be missing, and the keys that load them.
pub(crate) fn note(keys: &str, scene: &Scene<'_, '_>) -> Option<Line<'static>> {
    let advice = limit(scene.state).map(|limit| format!(" ({keys} to load {})", grouped(limit as usize)));
    warning(&advice.unwrap_or_default(), scene)
}

fn warning(advice: &str, scene: &Scene<'_, '_>) -> Option<Line<'static>> {
    let browser = scene.state.browser().filter(|browser| browser.may_have_more())?;
    let loaded = grouped(browser.listing()?.len());
    let first = if browser.is_cut() {
        "Only the first"
    } else {
        "Perhaps only"
    };
    let text = format!("! {first} {loaded} offers: cheaper ones may be missing{advice}");
    Some(Line::styled(text, scene.theme.warning))
}
