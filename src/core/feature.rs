//! The interface between features and the core.
//!
//! The core names no feature: each one contributes a row of functions.

use std::any::Any;
use std::fmt;

use super::markets::RestoredState;
use super::state::State;
use super::view::{Cx, Response};
use super::watching::{Interest, WishId};
use crate::domain::journal::WriteKind;
use crate::domain::time::{MonotonicTime, Now};
use crate::domain::{Dialect, Resource};
use crate::keys::Action;
use crate::record::{Poll, SearchKey};
use crate::table::remote::Ticket;

/// The state of a feature, found by its type.
pub trait FeatureState: Any + fmt::Debug + Send {
    /// Whether it belongs to the user rather than the market, so that switching markets does not reset it;
    /// false by default.
    fn stays(&mut self) -> bool {
        false
    }
}

/// The states of all features, each found by its type.
#[derive(Debug, Default)]
pub struct FeatureStates(Vec<Box<dyn FeatureState>>);

impl FeatureStates {
    /// The fresh state of each feature that has one, for a market with this dialect.
    pub(crate) fn new(features: &[Feature], dialect: &'static Dialect) -> Self {
        Self(features.iter().filter_map(|feature| (feature.state)(dialect)).collect())
    }

    /// Replaces the fresh states that belong to the user (see `FeatureState::stays`) by those of `old`; the
    /// other old states are dropped.
    pub(crate) fn keep(&mut self, old: Self) {
        for mut state in old.0 {
            let is_same = |fresh: &&mut Box<dyn FeatureState>| (***fresh).type_id() == (*state).type_id();
            let fresh = self.0.iter_mut().find(is_same);
            if let Some(fresh) = fresh.filter(|_| state.stays()) {
                *fresh = state;
            }
        }
    }

    /// The state of a feature.
    ///
    /// # Panics
    ///
    /// If no feature creates a state of this type.
    pub fn get<T: Any>(&self) -> &T {
        let all = self.0.iter().map(|state| &**state as &dyn Any);
        let mut states = all.filter_map(|state| state.downcast_ref());
        states.next().unwrap_or_else(|| missing::<T>())
    }

    /// The state of a feature, mutable; panics if no feature creates a state of this type.
    pub fn get_mut<T: Any>(&mut self) -> &mut T {
        let all = self.0.iter_mut().map(|state| &mut **state as &mut dyn Any);
        let mut states = all.filter_map(|state| state.downcast_mut());
        states.next().unwrap_or_else(|| missing::<T>())
    }
}

/// Panics: no feature creates a state of type `T`.
fn missing<T>() -> ! {
    unreachable!("no feature keeps a {}", std::any::type_name::<T>())
}

/// An event that several features may handle.
#[derive(Debug)]
pub enum Event<'a> {
    /// A table shows a new response, or its failure. A feature that records takes the poll and adds
    /// it to the record.
    Listed(Resource, Option<Poll>),
    /// The response to a write has arrived.
    Wrote(WriteKind, &'a Response),
    /// The user pressed a key, or the terminal gained or lost the focus.
    Looked { is_leaving: bool },
    /// The computer resumed after a suspend; `spread` is an arbitrary number from 0 to 1.
    Woken { spread: f64 },
    /// An attempt was added to the ledger, which dropped its oldest ones, listed by number.
    Recorded {
        /// The ticket of the request; `None` if the dashboard did not send it.
        ticket: Option<Ticket>,
        dropped: &'a [u64],
    },
    /// A pane was opened; all views over it are closed.
    PaneOpened,
    /// Another program has recorded the poll of a wish.
    Read(&'a WishId, &'a Poll),
    /// The saved data of the market was loaded.
    Restored(&'a RestoredState),
}

/// An activity in progress, for the header.
#[derive(Debug)]
pub struct Headline {
    /// Its progress, and the reason if it waits.
    pub text: String,
    /// A shorter text, for a narrow screen.
    pub short: String,
}

/// The functions of a feature that keeps state or has deadlines; a feature that only has views
/// needs none.
#[derive(Debug, Clone, Copy)]
pub struct Feature {
    /// Creates its state for a market with this dialect; `None` if it has none.
    pub state: fn(&'static Dialect) -> Option<Box<dyn FeatureState>>,
    pub event: fn(&mut Cx<'_>, &mut Event<'_>),
    /// Runs after each update and may add effects to it.
    pub follow: fn(&mut Cx<'_>),
    /// The searches it wants polled.
    pub wishes: fn(&State, Now) -> Vec<Interest>,
    /// The time of its next `tick`; `None` if it needs none.
    pub deadline: fn(&State, Now) -> Option<MonotonicTime>,
    /// Runs once the deadline has passed, sometimes earlier.
    pub tick: fn(&mut Cx<'_>),
    /// Whether an action has no meaning in the open pane.
    pub hides: fn(&State, Action) -> bool,
    /// The reason an action is disabled, or `None`; the flag is true if nothing is open over the
    /// pane.
    pub disabled: fn(&State, Action, bool) -> Option<String>,
    pub headline: fn(&State, Now) -> Option<Headline>,
    /// A sentence that names the activity that quitting would stop, or the results that it would discard.
    pub lost_by_quitting: fn(&State) -> Option<String>,
    /// Number of its unseen news items, for the title of the window.
    pub unread: fn(&State) -> usize,
    /// The number of the run that a request in flight belongs to, if the feature sends requests in
    /// runs.
    pub run_of: fn(&State, Ticket) -> Option<u64>,
    /// Prices per GPU that the chart of a search marks with a line.
    pub price_lines: fn(&State, &SearchKey) -> Vec<f64>,
}

impl Feature {
    /// A feature that handles nothing.
    pub const IDLE: Self = Self {
        state: |_| None,
        event: |_, _| {},
        follow: |_| {},
        wishes: |_, _| Vec::new(),
        deadline: |_, _| None,
        tick: |_| {},
        hides: |_, _| false,
        disabled: |_, _, _| None,
        headline: |_, _| None,
        lost_by_quitting: |_| None,
        unread: |_| 0,
        run_of: |_, _| None,
        price_lines: |_, _| Vec::new(),
    };
}
