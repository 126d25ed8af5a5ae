//! Who polls a watched search: of several programs that watch the same one, one asks the market, and
//! the others read what it records.
//!
//! Only the timer waits for another program: what a person asks for is sent at once.

use crate::core::message::{Effect, HistoryJob, News};
use crate::core::owners::Owner;
use crate::core::view::Cx;
use crate::domain::Resource;
use crate::domain::annotations::Supplier;
use crate::features::{alerts, auto_refresh};
use crate::record::{Moment, Poll, SearchKey};
use crate::table::remote::Ticket;
use crate::table::watch::{PollClaim, PollRight, Poller};

// The other program's poll should show soon after it was recorded.
/// The longest time in seconds until a program that does not poll reads the record again.
const LOOK: f64 = 5.0;

/// Claims the next poll of a watched search.
pub(crate) fn claim(cx: &mut Cx<'_>, resource: Resource) {
    let (now, ticket) = (cx.now, cx.ticket());
    let a_minute = u32::try_from(cx.pace().limit).unwrap_or(u32::MAX);
    let browser = cx.table(resource);
    let (search, requests) = (SearchKey::of(&browser.query), browser.requests());
    let Some(watch) = &mut browser.watch else {
        return;
    };
    watch.claim = Some(ticket);
    let claim = PollClaim {
        search,
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // it saturates
        every: watch.pause() as u32,
        now: now.epoch,
        // What was seen before the clock was set back may be in the future.
        seen: watch.newest.min(Moment::of(now.epoch)),
        requests,
        a_minute,
    };
    let claim = Box::new(claim);
    let job = HistoryJob::ClaimPoll { ticket, claim };
    cx.effects_for(Owner::Feature(answered), [Effect::History(job)]);
}

/// Sends the request, or checks the alerts on what another program has recorded.
fn answered(cx: &mut Cx<'_>, ticket: Ticket, news: News) {
    let News::Poll(right) = news else { return };
    let now = cx.now;
    let is_asked = |resource: &Resource| {
        let watch = cx.state().browsers[*resource].watch.as_ref();
        watch.is_some_and(|watch| watch.claim == Some(ticket))
    };
    let Some(resource) = Resource::ALL.into_iter().find(is_asked) else {
        return;
    };
    let browser = cx.table(resource);
    let is_loading = browser.remote().is_loading();
    let Some(watch) = &mut browser.watch else {
        return;
    };
    watch.claim = None;
    match right {
        // The person has asked meanwhile.
        _ if is_loading => {}
        PollRight::Ours => {
            watch.poller = Poller::ThisProgram;
            auto_refresh::send(cx, resource);
        }
        PollRight::Later(seconds) => {
            watch.poller = Poller::ThisProgram;
            watch.next = now.mono + seconds;
        }
        PollRight::Another(poll) => {
            watch.next = now.mono + LOOK.min(watch.interval() / 5.0);
            watch.read(poll.as_deref());
            if let Some(poll) = poll {
                check_alerts(cx, *poll);
            }
        }
    }
}

/// Checks the alerts on a poll of another program, which may leave out other machines.
fn check_alerts(cx: &mut Cx<'_>, mut poll: Poll) {
    let annotations = &cx.state().annotations;
    if !annotations.shows_banned {
        let bans = &annotations.all;
        poll.sightings.retain(|sighting| {
            let host = sighting.host.map(Supplier::Host);
            let machine = Supplier::Machine(sighting.lot.machine);
            !bans.is_banned(machine) && !host.is_some_and(|host| bans.is_banned(host))
        });
    }
    alerts::check_all(cx, &poll, None);
}
