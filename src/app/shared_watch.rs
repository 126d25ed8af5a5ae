//! One poller for each watched search: several dashboards that watch the same one send its requests
//! in turn, and the others show the responses that they share.
//!
//! Only the timer waits for its turn: what a person asks for is sent at once.

use super::alerts;
use super::auto_refresh;
use super::browser::Browser;
use super::message::Effect;
use super::recording::{self, Asked};
use super::remote::{Now, Ticket};
use super::state::State;
use super::turns::{SharedRequest, Turn, TurnRequest};
use crate::domain::{Listing, Query, Resource};

/// The longest time in seconds until it looks for the response of another dashboard again.
const LOOK: f64 = 5.0;

/// The longest response that is shared, in bytes: what is recorded of a market needs the room.
const LONGEST: usize = 16 * 1024 * 1024;

/// A search as it is sent, without what the person banned.
fn request(state: &State, mut query: Query) -> SharedRequest {
    let bans = state.ban_conditions(&query);
    query.conditions.extend(bans);
    SharedRequest {
        query,
        dialect: state.profile.dialect,
        base_url: state.profile.base_url.clone(),
    }
}

/// Asks whose turn it is; `None` where every dashboard asks for itself.
pub(super) fn ask(state: &mut State, resource: Resource) -> Option<Effect> {
    let browser = &state.browsers[resource];
    // Prices of other models belong to the same moment as the rows.
    let is_long = browser.listing().is_some_and(is_long);
    if !state.recall.is_on || !browser.computed.price_models.is_empty() || is_long {
        return None;
    }
    let watch = browser.watching()?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // it saturates
    let every = watch.pause() as u32;
    let is_same = browser.shown_query() == Some(&browser.query);
    let shown = browser.remote().shown_at().filter(|_| is_same);
    let turn = TurnRequest {
        request: request(state, browser.query.clone()),
        every,
        shown: shown.map(|at| at.epoch),
    };
    let ticket = state.tickets.take();
    let watch = state.browsers[resource].watch.as_mut()?;
    watch.turn = Some(ticket);
    watch.shared = Some(turn.request.clone());
    Some(Effect::TakeTurn {
        ticket,
        turn: Box::new(turn),
    })
}

fn is_long(listing: &Listing) -> bool {
    listing.response().len() > LONGEST
}

/// Leaves the newest response of a watched search for other dashboards.
pub(super) fn share(state: &State, resource: Resource) -> Option<Effect> {
    let browser = &state.browsers[resource];
    if !state.recall.is_on || browser.watching().is_none() || browser.remote().error().is_some() {
        return None;
    }
    let listing = browser.listing().filter(|listing| !is_long(listing))?;
    let request = request(state, browser.shown_query()?.clone());
    Some(Effect::Share {
        request: Box::new(request),
        at: browser.remote().shown_at()?.epoch,
        body: listing.response().to_owned(),
    })
}

/// Sends the request, shows the other dashboard's response or waits for it.
pub(super) fn taken(state: &mut State, ticket: Ticket, turn: Turn, now: Now) -> Vec<Effect> {
    let is_own = |browser: &Browser| browser.watching().is_some_and(|it| it.turn == Some(ticket));
    let Some(resource) = [Resource::Offers, Resource::Volumes]
        .into_iter()
        .find(|resource| is_own(&state.browsers[*resource]))
    else {
        return Vec::new();
    };
    let browser = &mut state.browsers[resource];
    let is_loading = browser.remote().is_loading();
    if let Some(watch) = &mut browser.watch {
        watch.turn = None;
    }
    // The person has asked meanwhile.
    if is_loading {
        return Vec::new();
    }
    match turn {
        Turn::Ask => auto_refresh::send(state, resource, now),
        Turn::Read { listing, at } => read(state, resource, *listing, at, now),
        Turn::Wait => {
            if let Some(watch) = &mut browser.watch {
                watch.next = now.mono + LOOK.min(watch.interval() / 5.0);
            }
            Vec::new()
        }
    }
}

/// Shows the response that another dashboard received at `at`. That one records it too, and asks why
/// rows are gone.
fn read(
    state: &mut State,
    resource: Resource,
    mut listing: Listing,
    at: f64,
    now: Now,
) -> Vec<Effect> {
    // The clock may have been set back since.
    let age = (now.epoch - at).max(0.0);
    let received = Now {
        mono: now.mono - age,
        epoch: now.epoch - age,
    };
    if !state.annotations.shows_banned {
        state.annotations.all.hide_banned(&mut listing);
    }
    let ticket = state.tickets.take();
    let browser = &mut state.browsers[resource];
    browser.await_response(ticket, received);
    let asked = Asked::by(browser);
    browser.answered(ticket, Ok(listing), received);
    let poll = asked.and_then(|asked| recording::of_pane(browser, &asked, received));
    if let (Some(watch), Some(poll)) = (&mut browser.watch, &poll) {
        watch.is_read = true;
        watch.polled(poll);
    }
    poll.map_or_else(Vec::new, |poll| alerts::check_all(state, &poll, None, now))
}
