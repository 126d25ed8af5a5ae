//! The owner of each ticket: recorded when its effect is requested, looked up when its news
//! arrives.

use std::collections::HashMap;

use super::exported;
use super::message::{Effect, News};
use super::view::Cx;
use crate::domain::Resource;
use crate::domain::journal::WriteKind;
use crate::table::remote::Ticket;

/// The function of a feature that handles the news of its ticket.
pub type Receiver = fn(&mut Cx<'_>, Ticket, News);

#[derive(Debug, Clone, Copy)]
pub enum Owner {
    /// The table of a resource, and the prices of the other models beside it.
    Table(Resource),
    /// The write of this kind that is in flight.
    Write(WriteKind),
    /// The view at this index of the stack, as long as it is open.
    View(usize),
    Feature(Receiver),
}

/// The owner of each ticket whose result is awaited.
#[derive(Debug, Default)]
pub(crate) struct Owners(HashMap<Ticket, Owner>);

impl Owners {
    /// Records the owner of an effect's news; does nothing for an effect without a ticket.
    pub(crate) fn note(&mut self, owner: Owner, effect: &Effect) {
        if let Some(ticket) = effect.ticket() {
            self.0.insert(ticket, owner);
        }
    }

    /// The owner of a ticket, or `None` if it has none or its result was taken already. A result removes the
    /// ticket; progress does not.
    pub(super) fn take_owner(&mut self, ticket: Ticket, news: &News) -> Option<Owner> {
        match news {
            News::Progress(_) => self.0.get(&ticket).copied(),
            News::Reply(_)
            | News::Arranged(_)
            | News::Routed(_)
            | News::Recalled(_)
            | News::RecordedRows(_)
            | News::Poll(_)
            | News::Claimed(_)
            | News::Saved(_)
            | News::Written(_)
            | News::Edited(_)
            | News::Text(_)
            | News::Ran(_)
            | News::Market(_) => self.0.remove(&ticket),
        }
    }

    /// Forgets the tickets of the views at this index of the stack and above, which have closed.
    pub(crate) fn closed(&mut self, from: usize) {
        self.0
            .retain(|_, owner| !matches!(owner, Owner::View(index) if *index >= from));
    }

    /// Forgets the tickets that `effects` abort. In debug builds, asserts that every other ticket has an
    /// owner.
    pub(crate) fn forget_aborted(&mut self, effects: &[Effect]) {
        for effect in effects {
            if let Effect::Abort(ticket) = effect {
                self.0.remove(ticket);
            }
            debug_assert!(
                effect.ticket().is_none_or(|ticket| self.0.contains_key(&ticket)),
                "nobody gets what {effect:?} brings"
            );
        }
    }
}

impl Cx<'_> {
    /// Requests effects, whose news goes to `owner`.
    pub(crate) fn effects_for<E: Into<Effect>>(&mut self, owner: Owner, effects: impl IntoIterator<Item = E>) {
        for effect in effects.into_iter().map(Into::into) {
            self.state.owners.note(owner, &effect);
            self.effects.push(effect);
        }
    }
}

/// Shows the result of an export as a notice; ignores other news. For exports whose form is closed or that
/// have none.
pub fn on_written(cx: &mut Cx<'_>, _: Ticket, news: News) {
    if let News::Written(result) = news {
        cx.show(exported::announce(result, cx.now));
    }
}
