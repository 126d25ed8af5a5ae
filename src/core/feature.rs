//! What core knows of features: none by name, only the functions that each one brings.

use std::any::Any;
use std::fmt;

use super::markets::RestoredState;
use super::state::State;
use super::view::{Cx, Response};
use super::watching::Interest;
use crate::domain::journal::WriteKind;
use crate::domain::{Dialect, Resource};
use crate::keys::Action;
use crate::record::{Poll, SearchKey};
use crate::table::remote::{Now, Ticket};

/// The state of a feature.
pub trait FeatureState: Any + fmt::Debug + Send {
    /// Whether it is about the person rather than the market, and stays when the market is switched.
    fn stays(&mut self) -> bool {
        false
    }
}

/// The states of all features, each found by its type.
#[derive(Debug, Default)]
pub struct FeatureStates(Vec<Box<dyn FeatureState>>);

impl FeatureStates {
    pub(crate) fn new(features: &[Feature], dialect: &'static Dialect) -> Self {
        Self(features.iter().filter_map(|feature| (feature.state)(dialect)).collect())
    }

    /// Takes over what is about the person from the states of the old market.
    pub(crate) fn keep(&mut self, old: Self) {
        for mut state in old.0 {
            let is_same = |fresh: &&mut Box<dyn FeatureState>| (***fresh).type_id() == (*state).type_id();
            let fresh = self.0.iter_mut().find(is_same);
            if let Some(fresh) = fresh.filter(|_| state.stays()) {
                *fresh = state;
            }
        }
    }

    /// The state of a feature, which its row creates.
    pub fn get<T: Any>(&self) -> &T {
        let states = self.0.iter().map(|state| &**state as &dyn Any);
        let mut states = states.filter_map(|state| state.downcast_ref());
        states.next().unwrap_or_else(|| missing::<T>())
    }

    pub fn get_mut<T: Any>(&mut self) -> &mut T {
        let states = self.0.iter_mut().map(|state| &mut **state as &mut dyn Any);
        let mut states = states.filter_map(|state| state.downcast_mut());
        states.next().unwrap_or_else(|| missing::<T>())
    }
}

fn missing<T>() -> ! {
    unreachable!("no feature keeps a {}", std::any::type_name::<T>())
}

/// Something that several features may care about.
#[derive(Debug)]
pub enum Event<'a> {
    /// A table shows a new response, or its failure. Whoever records takes what it adds to the record.
    Listed(Resource, Option<Poll>),
    /// The response to a write is there.
    Wrote(WriteKind, &'a Response),
    /// A key was pressed, or the terminal got or lost the focus.
    Looked { is_leaving: bool },
    /// The computer was suspended and goes on; any number from 0 to 1.
    Woken { spread: f64 },
    /// An attempt was added to the ledger, which dropped its oldest ones: their numbers.
    Recorded {
        /// The ticket of the request; `None` if the dashboard did not send it.
        ticket: Option<Ticket>,
        dropped: &'a [u64],
    },
    /// A pane was opened, and all views over it are closed.
    PaneOpened,
    /// What was saved for the market is there.
    Restored(&'a mut RestoredState),
}

/// What is in progress, for the header.
#[derive(Debug)]
pub struct Headline {
    /// Its progress, and why it waits.
    pub text: String,
    /// The same for a narrow screen.
    pub short: String,
}

/// The functions of a feature that keeps state or waits for something. One that only has views needs none.
#[derive(Debug, Clone, Copy)]
pub struct Feature {
    /// The state that it keeps, for a market that speaks a dialect.
    pub state: fn(&'static Dialect) -> Option<Box<dyn FeatureState>>,
    pub event: fn(&mut Cx<'_>, &mut Event<'_>),
    /// Sees what an update leads to, and adds to it.
    pub follow: fn(&mut Cx<'_>),
    /// What it wants to be kept current.
    pub wishes: fn(&State, Now) -> Vec<Interest>,
    /// When it needs `tick`, on the monotonic clock.
    pub deadline: fn(&State, Now) -> Option<f64>,
    /// Its deadline has passed. May also come early.
    pub tick: fn(&mut Cx<'_>),
    /// Whether an action has no meaning in the open pane.
    pub hides: fn(&State, Action) -> bool,
    /// Why an action is disabled, if it is; the flag says whether nothing is open over the pane.
    pub disabled: fn(&State, Action, bool) -> Option<String>,
    pub headline: fn(&State, Now) -> Option<Headline>,
    /// What quitting would stop, as a sentence.
    pub stopped_by_quitting: fn(&State) -> Option<String>,
    /// How many of its news the person has not seen, for the title of the window.
    pub unread: fn(&State) -> usize,
    /// The number of the run that a request in flight is part of, if the feature sends requests in runs.
    pub run_of: fn(&State, Ticket) -> Option<u64>,
    /// Prices per GPU at which the chart of a search's prices gets a line.
    pub price_lines: fn(&State, &SearchKey) -> Vec<f64>,
}

impl Feature {
    /// A feature that cares about nothing.
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
        stopped_by_quitting: |_| None,
        unread: |_| 0,
        run_of: |_, _| None,
        price_lines: |_, _| Vec::new(),
    };
}
