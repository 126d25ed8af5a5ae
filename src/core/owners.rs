//! Who gets what a ticket brings: noted when its effect is asked for, looked up once when it is here.

use std::collections::HashMap;

use super::message::{Effect, News};
use super::view::Cx;
use super::{Update, exported};
use crate::domain::Resource;
use crate::domain::journal::WriteKind;
use crate::table::remote::Ticket;

/// The function of a feature that takes what its ticket brings.
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

/// The owner of each ticket that has not brought its result.
#[derive(Debug, Default)]
pub(crate) struct Owners(HashMap<Ticket, Owner>);

impl Owners {
    pub(crate) fn note(&mut self, owner: Owner, effect: &Effect) {
        if let Some(ticket) = effect.ticket() {
            self.0.insert(ticket, owner);
        }
    }

    /// Who gets the news of a ticket; after its result, nobody does.
    fn of(&mut self, ticket: Ticket, news: &News) -> Option<Owner> {
        match news {
            News::Progress(_) => self.0.get(&ticket).copied(),
            News::Reply(_)
            | News::Arranged(_)
            | News::Routed(_)
            | News::Recalled(_)
            | News::Poll(_)
            | News::Ring { .. }
            | News::Saved(_)
            | News::Written(_)
            | News::Edited(_)
            | News::Market(_) => self.0.remove(&ticket),
        }
    }

    /// Forgets the tickets of views from this index of the stack on: they are closed.
    pub(crate) fn closed(&mut self, from: usize) {
        self.0
            .retain(|_, owner| !matches!(owner, Owner::View(index) if *index >= from));
    }

    /// Forgets what an update no longer waits for.
    pub(crate) fn settle(&mut self, effects: &[Effect]) {
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
    /// Asks for effects; what their tickets bring goes to `owner`.
    pub(crate) fn effects_for(&mut self, owner: Owner, effects: impl IntoIterator<Item = Effect>) {
        for effect in effects {
            self.state.owners.note(owner, &effect);
            self.effects.push(effect);
        }
    }
}

impl Update<'_> {
    /// Gives what a ticket brings to its owner.
    pub(crate) fn told(&mut self, ticket: Ticket, mut news: News) {
        let state = &mut self.model.state;
        if let News::Reply(response) = &mut news {
            state.note_response(response);
            state.hide_banned(response);
        }
        match state.owners.of(ticket, &news) {
            Some(Owner::Table(resource)) => self.table_told(resource, ticket, news),
            Some(Owner::Write(kind)) => self.write_told(kind, news),
            Some(Owner::View(index)) => {
                self.with(index, |view, cx| view.told(ticket, news, cx));
            }
            Some(Owner::Feature(receive)) => {
                self.lend(|cx| receive(cx, ticket, news));
                // The views show the result.
                self.tick();
            }
            None => {
                if let News::Written(result) = news {
                    let toast = exported::announce(result, self.now);
                    self.model.state.show(toast);
                }
            }
        }
    }
}
