//! The view that answers a typed question, opened once the rows that it is about have arrived.

use crate::core::feature::{Event, Feature, FeatureState};
use crate::core::view::Cx;
use crate::domain::Resource;
use crate::keys::Action;
use crate::keys::pane::Pane;

pub(crate) const FEATURE: Feature = Feature {
    state: |_| Some(Box::new(AwaitedAnswer::default())),
    event,
    ..Feature::IDLE
};

/// The action that opens the answer, while its rows are awaited.
#[derive(Debug, Default)]
pub(crate) struct AwaitedAnswer(Option<Action>);

impl FeatureState for AwaitedAnswer {}

/// Opens the view of an action on the offers of a search: at once if they are loaded, else with its response.
pub(super) fn open(action: Action, is_loading: bool, cx: &mut Cx<'_>) {
    if is_loading {
        cx.feature::<AwaitedAnswer>().0 = Some(action);
    } else {
        cx.perform(action);
    }
}

/// Opens the awaited answer with the response, unless the user has gone elsewhere or types again; not if the search
/// failed.
fn event(cx: &mut Cx<'_>, event: &mut Event<'_>) {
    let (Event::Listed(Resource::Offers, _) | Event::PaneOpened | Event::Restored(_)) = event else {
        return;
    };
    let awaited = cx.feature::<AwaitedAnswer>().0.take();
    let offers = &cx.state().browsers[Resource::Offers];
    let has_rows = matches!(event, Event::Listed(..)) && offers.remote().error().is_none();
    let is_here = cx.state().pane == Pane::Offers && cx.is_on_pane() && !offers.bar.editing;
    if let Some(action) = awaited.filter(|_| has_rows && is_here) {
        cx.perform(action);
    }
}
