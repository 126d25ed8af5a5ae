//! Who polls a watched search: of several programs that watch the same one, one asks the market, and
//! the others read what it records.
//!
//! Only the timer waits for another program: what a person asks for is sent at once.

use crate::core::message::Effect;
use crate::core::state::State;
use crate::domain::Resource;
use crate::domain::annotations::Supplier;
use crate::domain::history::{Moment, Poll, SearchKey};
use crate::features::{alerts, auto_refresh};
use crate::table::remote::{Now, Ticket};
use crate::table::watch::{PollClaim, PollRight, Poller};

/// The longest time in seconds until a program that does not poll reads the record again.
const LOOK: f64 = 5.0;

/// Claims the next poll of a watched search.
pub(crate) fn claim(state: &mut State, resource: Resource, now: Now) -> Option<Effect> {
    let browser = &mut state.browsers[resource];
    let search = SearchKey::of(&browser.query);
    let watch = browser.watch.as_mut()?;
    let ticket = state.tickets.take();
    watch.claim = Some(ticket);
    let claim = PollClaim {
        search,
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // it saturates
        every: watch.pause() as u32,
        // What was seen before the clock was set back may be in the future.
        seen: watch.newest.min(Moment::of(now.epoch)),
    };
    Some(Effect::ClaimPoll {
        ticket,
        claim: Box::new(claim),
    })
}

/// Sends the request, or checks the alerts on what another program has recorded.
pub(crate) fn answered(state: &mut State, ticket: Ticket, right: PollRight, now: Now) -> Vec<Effect> {
    let Some((resource, is_loading, watch)) = state.browsers.iter_mut().into_iter().find_map(|it| {
        let (resource, is_loading) = (it.resource(), it.remote().is_loading());
        let watch = it.watch.as_mut()?;
        let claimed = watch.claim.take_if(|own| *own == ticket);
        claimed.map(|_| (resource, is_loading, watch))
    }) else {
        return Vec::new();
    };
    match right {
        // The person has asked meanwhile.
        _ if is_loading => Vec::new(),
        PollRight::Ours => {
            watch.poller = Poller::ThisProgram;
            auto_refresh::send(state, resource, now)
        }
        PollRight::Another(poll) => {
            watch.next = now.mono + LOOK.min(watch.interval() / 5.0);
            watch.read(poll.as_deref());
            poll.map_or_else(Vec::new, |poll| check_alerts(state, *poll, now))
        }
    }
}

/// Checks the alerts on a poll of another program, which may leave out other machines.
fn check_alerts(state: &mut State, mut poll: Poll, now: Now) -> Vec<Effect> {
    if !state.annotations.shows_banned {
        let bans = &state.annotations.all;
        poll.sightings.retain(|sighting| {
            let host = sighting.host.map(Supplier::Host);
            let machine = Supplier::Machine(sighting.lot.machine);
            !bans.is_banned(machine) && !host.is_some_and(|host| bans.is_banned(host))
        });
    }
    alerts::check_all(state, &poll, None, now)
}
