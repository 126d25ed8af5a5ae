//! The dashboard as a whole, and its next deadline.

use super::frame_layout::FrameLayout;
use super::profile::Profile;
use super::state::State;
use super::view::{View, Views};
use crate::domain::time::{MonotonicTime, Now};
use crate::domain::{Condition, Resource};
use crate::keys::Context;
use crate::keys::pane::Pane;

/// The dashboard: the state that views share, and the views themselves.
#[derive(Debug)]
pub struct Model {
    /// The state that views share.
    pub state: State,
    /// The view of each pane, the bottom of the stack.
    pub(crate) panes: [Box<dyn View>; 4],
    /// Views open over the pane, topmost last.
    pub overlays: Vec<Box<dyn View>>,
    /// The measurements of the last frame.
    pub layout: FrameLayout,
    pub(crate) views: Views,
}

impl std::ops::Deref for Model {
    type Target = State;

    fn deref(&self) -> &State {
        &self.state
    }
}

impl std::ops::DerefMut for Model {
    fn deref_mut(&mut self) -> &mut State {
        &mut self.state
    }
}

impl Model {
    /// The initial dashboard; `conditions` replace the default ones of the offers.
    pub fn new(profile: Profile, conditions: Option<Vec<Condition>>, views: Views) -> Self {
        Self {
            state: State::new(profile, conditions, views.features),
            panes: Pane::ALL.map(views.pane),
            overlays: Vec::new(),
            layout: FrameLayout::default(),
            views,
        }
    }

    /// The view of the open pane.
    pub(crate) fn pane_view(&self) -> &dyn View {
        &*self.panes[self.state.pane as usize]
    }

    /// Whether the topmost view enters typed characters as text.
    pub(crate) fn takes_text(&self) -> bool {
        self.top().takes_text()
    }

    /// The contexts in which keys are looked up now: those of the topmost view, the most specific one first.
    pub fn contexts(&self) -> &'static [Context] {
        self.top().contexts()
    }

    /// The earliest time at which the model must be woken: for an expiring notice, the seconds of a request
    /// in flight, a poll, a search by a new sort order, saving, or a view or feature; `None` if nothing is
    /// due.
    pub fn deadline(&self, now: Now) -> Option<MonotonicTime> {
        let toast = self.toast.as_ref().map(|toast| toast.until);
        let offers = &self.browsers[Resource::Offers];
        let prices = self.pane == Pane::Offers && offers.computed.price_models.is_loading();
        let view = prices.then(|| self.animation(now, 0.25)).flatten();
        let writes = self.state.mutations.deadline(now);
        let persistence = self.persistence.deadline();
        let features = self.features.iter();
        let features = features.filter_map(|feature| (feature.deadline)(self, now)).min();
        let above = self.overlays.iter().map(|view| &**view);
        let views = std::iter::once(self.pane_view()).chain(above);
        let views = views.filter_map(|view| view.deadline(self, now)).min();
        let order = self.browsers.iter().filter_map(|browser| browser.ask_order_at).min();
        let watching = self.watching.deadline(&self.state, now);
        [toast, view, writes, persistence, views, order, features, watching]
            .into_iter()
            .flatten()
            .min()
    }
}
