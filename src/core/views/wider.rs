//! The offer to load more rows, for views of the first ones only.

use ratatui::text::Line;

use crate::core::State;
use crate::core::view::{Availability, Cx, Scene};
use crate::domain::format::grouped;
use crate::keys::Action;

/// Factor by which the search's limit grows.
///
/// A few presses reach the whole market, and each costs one request.
const FACTOR: u32 = 4;

/// The limit that loads more rows, four times the one the rows were loaded with; `None` if that left none
/// out, the search had no limit, or the pane has no table.
fn wider_limit(state: &State) -> Option<u32> {
    let browser = state.browser().filter(|browser| browser.is_cut())?;
    // The planner may have loaded more rows than the search requests.
    let limit = browser.shown_query()?.limit?;
    Some(limit.saturating_mul(FACTOR))
}

/// Whether the search's limit left out rows that a higher one would load.
pub(crate) fn is_possible(state: &State) -> bool {
    wider_limit(state).is_some()
}

/// Hides the action that loads more rows if all are loaded.
pub(crate) fn availability(state: &State) -> Availability {
    Availability::hidden_if(!is_possible(state))
}

/// Repeats the search with a four times higher limit; only a notice if no more rows can be loaded.
pub(crate) fn load(cx: &mut Cx<'_>) {
    let Some(limit) = wider_limit(cx.state) else {
        cx.toast("All offers are loaded");
        return;
    };
    if let Some(browser) = cx.state.browser_mut() {
        browser.query.limit = Some(limit);
    }
    cx.perform_on_pane(Action::Refresh);
}

/// A warning that cheaper rows may be missing, without advice; `None` if the rows are complete.
pub(crate) fn cut_warning(scene: &Scene<'_, '_>) -> Option<Line<'static>> {
    warning("", scene)
}

/// A warning that cheaper rows may be missing; `None` if the rows are complete. It names the `keys` that load
/// more, and the number they load, if a higher limit would load any.
pub(crate) fn cut_warning_with_keys(keys: &str, scene: &Scene<'_, '_>) -> Option<Line<'static>> {
    let advice = wider_limit(scene.state).map(|limit| format!(" ({keys} to load {})", grouped(limit as usize)));
    warning(&advice.unwrap_or_default(), scene)
}

/// A warning that cheaper rows may be missing, which ends in `advice`; `None` if they are complete.
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
