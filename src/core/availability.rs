//! Which actions are available now, and the reasons for disabled ones.

use super::commands::Commands;
use super::model::Model;
use super::state::State;
use super::view::Availability;
use super::{analysis, annotating, writes};
use crate::api::Operation;
use crate::domain::{Listing, Resource};
use crate::keys::pane::Pane;
use crate::keys::{Action, BINDINGS, Context, bindings};
use crate::table::browser::Browser;

/// The contexts of the table below the open views, which can be reached by closing them; `None` on Requests,
/// which has no table, and where text is typed or a question is open, so that nothing typed is lost.
pub(crate) fn reach(model: &Model) -> Option<&'static [Context]> {
    let is_open = model.browser().is_some()
        && model.contexts().contains(&Context::Global)
        && !model.overlays.iter().any(|view| view.takes_text());
    is_open.then_some(&[Context::Table, Context::Workergroups])
}

impl Model {
    /// The name that the topmost view, or first its open search, gives to an action's effect; `None` if the
    /// name in the key table applies.
    pub fn hint(&self, action: Action) -> Option<&'static str> {
        let view = self.top();
        let of_search = view
            .search()
            .zip(action.command())
            .and_then(|(find, command)| find.hint(command));
        of_search.or_else(|| view.hint(action))
    }

    /// Whether an action has a meaning where the keyboard is now; even then it may be disabled. False for
    /// actions of another pane, for `Quit` while a view is open over the pane, and for `OpenRequest` if no
    /// request of the pane failed.
    pub fn has_use_for(&self, action: Action) -> bool {
        if self.availability(action) == Availability::Hidden {
            return false;
        }
        match action {
            // Its key means "back" there.
            Action::Quit => self.overlays.is_empty(),
            Action::Unlist => self.pane == Pane::Volumes,
            Action::Job | Action::Summary | Action::Plot | Action::Watch | Action::WatchSettings | Action::Tape => {
                self.pane.has_prices()
            }
            Action::History => self.pane != Pane::Requests,
            Action::OpenRequest => self.failed_request().is_some(),
            action if BINDINGS.iter().any(|row| row.action == action && row.is_of_offers) => self.pane == Pane::Offers,
            action if annotating::is_annotation_action(action) => self.pane.has_prices(),
            action => !self.features.iter().any(|feature| (feature.hides)(self, action)),
        }
    }

    /// The reason an action is disabled now by the topmost view or, unless that view binds it itself, by the
    /// pane; `None` if it is enabled or hidden.
    pub fn disabled(&self, action: Action) -> Option<String> {
        match self.availability(action) {
            Availability::Disabled(why) => return Some(why),
            Availability::Hidden | Availability::Available => {}
        }
        if self.binds_itself(action) {
            return None;
        }
        self.blocked(action, self.overlays.is_empty())
    }
}

impl State {
    /// The ledger number of the latest failed request of an operation; `None` if the ledger holds none.
    fn request_of(&self, operation: Operation) -> Option<u64> {
        self.ledger
            .numbered()
            .find(|(_, entry)| entry.operation == operation && entry.is_failed())
            .map(|(number, _)| number)
    }

    /// The ledger number of the failed request behind the error shown on the open pane; `None` if the pane
    /// has no table or shows no error, or the ledger no longer holds the request.
    pub fn failed_request(&self) -> Option<u64> {
        let browser = self.browser()?;
        browser.remote().error()?;
        self.request_of(match browser.resource() {
            Resource::Offers => Operation::SearchOffers,
            Resource::Volumes => Operation::SearchVolumes,
            Resource::Workergroups => Operation::ListWorkergroups,
        })
    }

    /// The reason the pane and its table disable an action, or `None` if they do not; on Requests always
    /// `None`. `is_on_pane` is true if nothing is open over the pane.
    pub(super) fn blocked(&self, action: Action, is_on_pane: bool) -> Option<String> {
        if self.pane == Pane::Requests {
            return None;
        }
        let browser = self.browser();
        let waits = browser.filter(|_| needs_reply(action));
        if let Some(why) = waits.and_then(|browser| self.awaits_reply(browser)) {
            return Some(why);
        }
        match action {
            Action::Open => browser.and_then(|browser| self.nothing_to_open(browser)),
            Action::Settings => {
                (self.pane == Pane::Workergroups).then(|| "a list of workergroups has no settings".to_owned())
            }
            Action::OfferType => (self.pane != Pane::Offers).then(|| "only offers have a type".to_owned()),
            Action::Export => browser
                .is_some_and(|browser| browser.view().is_empty())
                .then(|| "there is no row to export".to_owned()),
            Action::Unlist => writes::unlist_blocked(self),
            Action::OpenRequest => self
                .failed_request()
                .is_none()
                .then(|| "No request of this pane failed".to_owned()),
            action => (self.features.iter())
                .find_map(|feature| (feature.disabled)(self, action, is_on_pane))
                .or_else(|| analysis::disabled(self, action))
                .or_else(|| annotating::disabled(self, action)),
        }
    }
}

impl State {
    /// The reason there is no record to open, with the key that leads to one; `None` if a row is selected or the table
    /// suggests a condition to drop.
    fn nothing_to_open(&self, browser: &Browser) -> Option<String> {
        if browser.selected_row().is_some() || browser.remedy().is_some() {
            return None;
        }
        let (nouns, remote) = (browser.resource().nouns(), browser.remote());
        let key = |action| self.keymap.key_of(action);
        Some(if remote.is_loading() {
            format!("The {nouns} are still loading")
        } else if remote.error().is_some() || browser.listing().is_none() {
            format!("No {nouns} loaded: {} loads them", key(Action::Refresh))
        } else if browser.listing().is_some_and(Listing::is_empty) && browser.resource() == Resource::Workergroups {
            format!("No {nouns} yet: {} creates one", key(Action::NewGroup))
        } else {
            format!("No {nouns} to open: {} changes the search", key(Action::Query))
        })
    }

    /// The reason recorded rows of a table cannot be acted on yet, with their age: the reply is awaited, or a
    /// refresh is needed. `None` if its rows are a response of the market.
    pub fn awaits_reply(&self, browser: &Browser) -> Option<String> {
        let age = browser.recorded_age(self.now)?;
        Some(if browser.remote().is_loading() {
            format!("{age}: wait for the reply")
        } else {
            format!("{age}: refresh first ({})", self.keymap.key_of(Action::Refresh))
        })
    }
}

/// Whether an action needs rows that the market offers now.
///
/// Recorded rows may be gone: only rows of a response are opened, marked, compared, summed up, annotated,
/// exported, bought or passed to a command of the user.
const fn needs_reply(action: Action) -> bool {
    matches!(
        action,
        Action::Open
            | Action::Pick
            | Action::Mark
            | Action::MarkedOnly
            | Action::Compare
            | Action::Summary
            | Action::Plot
            | Action::Depth
            | Action::Cluster
            | Action::Related
            | Action::Host
            | Action::ThreePrices
            | Action::Export
            | Action::Unlist
            | Action::GroupFromSearch
            | Action::Ban
            | Action::Star(_)
            | Action::Note(_)
            | Action::Command(_)
    )
}

impl Model {
    /// Whether the topmost view over the pane has its own key for an action, which then means something else
    /// there than in the pane below; false if no view is open.
    fn binds_itself(&self, action: Action) -> bool {
        let view = self.overlays.last();
        view.is_some_and(|view| bind_themselves(view.contexts(), action))
    }
}

/// Whether any of `contexts` before the first `Global` or `Always` binds a key to the action.
fn bind_themselves(contexts: &[Context], action: Action) -> bool {
    let is_shared = |context: &&Context| matches!(context, Context::Global | Context::Always);
    let mut contexts = contexts.iter().take_while(|context| !is_shared(context));
    contexts.any(|context| bindings(*context).any(|row| row.action == action))
}

impl Commands {
    /// The commands available where the keyboard is now, with the topmost view's reasons for disabled ones
    /// and the actions that have no meaning there.
    pub(crate) fn new(model: &Model) -> Self {
        let actions = || BINDINGS.iter().map(|row| row.action);
        let by_view = |action| match model.availability(action) {
            Availability::Disabled(why) => Some((action, why)),
            Availability::Hidden | Availability::Available => None,
        };
        let disabled = actions().filter_map(by_view).collect();
        let hidden = actions().filter(|action| !model.has_use_for(*action)).collect();
        Self {
            contexts: model.contexts(),
            below: reach(model),
            is_pane: model.overlays.is_empty(),
            disabled,
            hidden,
        }
    }

    /// The reason an action is disabled now, by the focused view when the list opened or by the table now;
    /// `None` if it is enabled.
    ///
    /// The table is checked at each call: rows may arrive while the list is open.
    pub fn disabled(&self, action: Action, state: &State) -> Option<String> {
        let by_view = self.disabled.iter().find(|(known, _)| *known == action);
        let is_own = !self.is_pane && bind_themselves(self.contexts, action);
        let by_state = || (!is_own).then(|| state.blocked(action, self.is_pane)).flatten();
        by_view.map(|(_, why)| why.clone()).or_else(by_state)
    }
}
