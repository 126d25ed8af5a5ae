//! What core knows of features: none by name, only the functions that each one brings.

use super::message::{Effect, Message};
use super::model::Model;
use super::state::State;
use super::view::Response;
use crate::domain::Resource;
use crate::domain::history::Poll;
use crate::domain::journal::WriteKind;
use crate::keys::Action;
use crate::table::remote::{Now, Ticket, Waiting};

/// Something that several features may care about.
#[derive(Debug)]
pub enum Event<'a> {
    /// A table shows a new response, or its failure. Whoever records takes what it adds to the record.
    Listed(Resource, Option<Poll>),
    /// The response to a write is there.
    Wrote(WriteKind, &'a Response),
    /// The person pressed a key or came back, or left the terminal.
    Looked { is_leaving: bool },
    /// The computer was suspended and goes on; any number from 0 to 1.
    Woken { spread: f64 },
    /// A pane was opened, and all views over it are closed.
    PaneOpened,
}

/// What is in progress, for the header.
#[derive(Debug)]
pub struct Headline {
    /// Its progress, and why it waits.
    pub text: String,
    /// The same for a narrow screen.
    pub short: String,
}

/// What a feature did with something that it was given; or what it gave back, which is not for it.
pub type Taken<T> = Result<Vec<Effect>, T>;

/// The functions of a feature that keeps state or waits for something. One that only has views needs none.
#[derive(Debug, Clone, Copy)]
pub struct Feature {
    /// Takes the response to a request of its own; gives back any other.
    pub answered: fn(&mut State, Now, Ticket, Response) -> Taken<Response>,
    /// Takes a message that only it has asked for; gives back any other.
    pub told: fn(&mut Model, Now, Message) -> Taken<Message>,
    pub event: fn(&mut State, Now, &mut Event<'_>) -> Vec<Effect>,
    /// Sees what an update leads to, and adds to it.
    pub follow: fn(&mut State, Now, &mut Vec<Effect>),
    /// Learns that a request waits or is retried.
    pub progress: fn(&mut State, Ticket, u32, Option<&Waiting>),
    /// When it needs `tick`, on the monotonic clock.
    pub deadline: fn(&State, Now) -> Option<f64>,
    /// Its deadline has passed. May also come early.
    pub tick: fn(&mut State, Now) -> Vec<Effect>,
    /// Whether an action has no meaning in the open pane.
    pub hides: fn(&State, Action) -> bool,
    /// Why an action is disabled, if it is; the flag says whether nothing is open over the pane.
    pub disabled: fn(&State, Action, bool) -> Option<String>,
    pub headline: fn(&State, Now) -> Option<Headline>,
    /// What quitting would stop, as a sentence.
    pub stopped_by_quitting: fn(&State) -> Option<String>,
    /// How many of its news the person has not seen, for the title of the window.
    pub unread: fn(&State) -> usize,
}

impl Feature {
    /// A feature that cares about nothing.
    pub const IDLE: Self = Self {
        answered: |_, _, _, response| Err(response),
        told: |_, _, message| Err(message),
        event: |_, _, _| Vec::new(),
        follow: |_, _, _| {},
        progress: |_, _, _, _| {},
        deadline: |_, _| None,
        tick: |_, _| Vec::new(),
        hides: |_, _| false,
        disabled: |_, _, _| None,
        headline: |_, _| None,
        stopped_by_quitting: |_| None,
        unread: |_| 0,
    };
}
