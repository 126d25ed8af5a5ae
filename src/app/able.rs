//! What can be done now, and why the rest cannot.

use super::keymap::Action;
use super::overlay::Overlay;
use super::{Model, Pane, basket, groups, insights, requests, route_lab, unlist, volume_form};

impl Model {
    /// Whether an action has a meaning in the pane in sight; one that has may still be disabled.
    pub fn has_use_for(&self, action: Action) -> bool {
        match action {
            Action::Unlist => self.pane == Pane::Volumes,
            Action::Job | Action::Summary | Action::Plot => {
                matches!(self.pane, Pane::Offers | Pane::Volumes)
            }
            Action::Basket | Action::ThreePrices | Action::Related => self.pane == Pane::Offers,
            action if groups::is_own(action) => self.pane == Pane::Workergroups,
            _ => true,
        }
    }

    /// Why an action cannot be done now, if it cannot.
    pub fn disabled(&self, action: Action) -> Option<String> {
        if let Some(Overlay::Route(view)) = self.overlays.last() {
            return route_lab::disabled(self, view, action);
        }
        if self.pane == Pane::Requests {
            return requests::disabled(self, action);
        }
        let browser = self.browser();
        match action {
            Action::Open => browser
                .is_none_or(|browser| browser.selected_row().is_none())
                .then(|| "no record is selected".to_owned()),
            Action::Settings => (self.pane == Pane::Workergroups)
                .then(|| "workergroups are listed whole".to_owned()),
            Action::OfferType => {
                (self.pane != Pane::Offers).then(|| "only offers have a type".to_owned())
            }
            Action::Export => browser
                .is_some_and(|browser| browser.view().is_empty())
                .then(|| "there is no row to export".to_owned()),
            Action::Unlist => unlist::disabled(self),
            Action::Job if volume_form::is_meant(self) => None,
            Action::Basket => basket::disabled(self),
            other => groups::disabled(self, other).or_else(|| insights::disabled(self, other)),
        }
    }
}
