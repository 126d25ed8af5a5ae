//! Alerts: the polls on which they are checked, and their notifications when they fire.
//!
//! Every recorded response is checked, whoever requested it. Searches that nothing else polls are
//! polled here, within the request budget of all watched searches.

pub mod replay;
mod unattended;
pub(crate) mod view;

use std::collections::HashMap;

use super::workergroups::followed::FollowedSearch;
use crate::api::{Reply, Request};
use crate::core::feature::{Event, Feature, FeatureState};
use crate::core::message::{Effect, HistoryJob, News, Notification};
use crate::core::owners::Owner;
use crate::core::state::State;
use crate::core::view::Cx;
use crate::core::watching::{Interest, WishId};
use crate::domain::annotations::Supplier;
use crate::domain::document::Edit;
use crate::domain::text::visible;
use crate::domain::time::{MonotonicTime, Now};
use crate::domain::{Query, Resource};
use crate::record::alerts::{Alert, AlertChange, Alerts, Followed, Logged, environment_variables};
use crate::record::watch::Wish;
use crate::record::{Poll, PricePer, Ring, SearchKey};
use crate::table::recording::Asked;
use crate::table::remote::Ticket;

pub(crate) const FEATURE: Feature = Feature {
    state: |_| Some(Box::new(AlertWatch::default())),
    event: |cx, event| match event {
        Event::Restored(restored) => cx.feature::<AlertWatch>().restore(restored.document()),
        Event::Read(_, poll) => check_foreign_poll(cx, poll),
        Event::Listed(..)
        | Event::Wrote(..)
        | Event::Looked { .. }
        | Event::Woken { .. }
        | Event::Recorded { .. }
        | Event::PaneOpened => {}
    },
    wishes,
    follow,
    unread: |state| AlertWatch::read(state).unread,
    price_lines,
    ..Feature::IDLE
};

impl FeatureState for AlertWatch {}

impl AlertWatch {
    /// The alerts' part of the dashboard's state.
    pub fn read(state: &State) -> &Self {
        state.feature()
    }
}

/// Seconds between two polls of an alert.
///
/// Markets allow about ten searches a minute, which all alerts and tables share.
const EVERY: f64 = 60.0;

/// Seconds after which a changed state is saved although no alert fired.
///
/// A crash then causes at most one needless notification.
const SAVE_AFTER: f64 = 60.0;

/// The alerts and their polls.
#[derive(Debug, Default)]
pub struct AlertWatch {
    pub all: Alerts,
    /// Number of fired alerts since the user last opened the list.
    pub unread: usize,
    in_flight: Vec<InFlight>,
    /// The firings of which it is not known yet whether this program notifies.
    claims: Vec<RingClaim>,
    /// Number of changes whose saving is not confirmed yet.
    pending: usize,
    /// The figure of each alert at the last poll that has it, see [`Alert::figure`].
    pub(crate) seen: HashMap<String, f64>,
    /// The time at which a state was last saved.
    saved_at: MonotonicTime,
}

#[derive(Debug)]
struct InFlight {
    ticket: Ticket,
    wish: WishId,
    asked: Asked,
    search: FollowedSearch,
}

/// The firing of an alert. Of several programs that see it, one notifies.
#[derive(Debug)]
struct RingClaim {
    ticket: Ticket,
    logged: Logged,
    notification: Notification,
}

impl AlertWatch {
    /// The firings of the alert of this name, latest first, also one of which it is not known yet whether
    /// this program notifies.
    fn rings<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Logged> {
        let claimed = self.claims.iter().rev().map(|claim| &claim.logged);
        let all = claimed.chain(self.all.log.iter().rev());
        all.filter(move |logged| logged.alert == name)
    }

    /// Replaces all alerts, without saving them.
    pub fn restore(&mut self, all: Alerts) {
        self.all = all;
    }

    /// Replaces the alerts by those of the file, with other programs' changes.
    ///
    /// The state observed here is preserved, unless the alert's rule has changed or it fired in another
    /// program.
    fn merge(&mut self, mut all: Alerts) {
        let rings = |log: &[Logged], name: &str| {
            let of_alert = log.iter().filter(|logged| logged.alert == name);
            of_alert.count()
        };
        let Alerts { alerts, log } = &mut all;
        for alert in alerts {
            let is_newer = rings(log, &alert.name) > rings(&self.all.log, &alert.name);
            let stored = self.all.named(&alert.name).filter(|_| !is_newer);
            if let Some(stored) = stored.filter(|stored| stored.rule == alert.rule) {
                alert.state.clone_from(&stored.state);
            }
        }
        self.restore(all);
    }
}

/// Applies a change to the alerts at once, and saves it in their file.
pub(crate) fn change(cx: &mut Cx<'_>, changed: AlertChange) {
    let watch: &mut AlertWatch = cx.feature();
    let before = watch.all.clone();
    let mut all = before.clone();
    all.apply(&changed);
    watch.restore(all);
    watch.pending += 1;
    let change = changed;
    cx.save_edit(Edit::Change { change, before }, on_saved);
}

/// Handles the result of saving a change to the alerts: an error is shown, and once no further save is
/// pending, the alerts are replaced by those in the file, without losing the state observed here.
fn on_saved(cx: &mut Cx<'_>, _: Ticket, news: News) {
    let Some(result) = news.into_saved() else { return };
    let watch: &mut AlertWatch = cx.feature();
    watch.pending = watch.pending.saturating_sub(1);
    match result {
        Ok(all) if watch.pending == 0 => watch.merge(all),
        Ok(_) => {}
        Err(why) => cx.not_saved(why),
    }
}

/// The search that an alert follows; `None` if its workergroup is not among the loaded ones, or if the search
/// or that of the workergroup cannot be read.
fn alert_search(state: &State, follows: &Followed) -> Option<FollowedSearch> {
    FollowedSearch::new(
        follows,
        state.browsers[Resource::Workergroups].listing(),
        state.profile.dialect,
    )
}

/// Whether an alert follows the search of the open pane; false without a response there.
fn follows_open_search(alert: &Alert, state: &State) -> bool {
    let open = state
        .browser()
        .and_then(|browser| browser.shown_query())
        .map(SearchKey::new);
    let followed = alert_search(state, &alert.follows);
    followed.is_some_and(|followed| Some(SearchKey::new(&followed.query)) == open)
}

/// The price limits, in $/h per GPU (of volumes in $/GB/month), of all alerts on a search, also paused and
/// finished ones, for its charts. Alerts without a price limit, or with one per machine, are left out.
fn price_lines(state: &State, search: &SearchKey) -> Vec<f64> {
    let alerts = AlertWatch::read(state).all.alerts.iter();
    let prices = alerts.filter_map(|alert| {
        let price = alert.rule.price_limit().filter(|_| alert.rule.per == PricePer::Gpu)?;
        let followed = alert_search(state, &alert.follows)?;
        (SearchKey::new(&followed.query) == *search).then_some(price)
    });
    prices.collect()
}

/// The searches of active alerts, to be polled every minute; with the list of workergroups if an alert
/// follows one and the list was never requested.
///
/// A response of a table can serve as the poll, except for the search of a workergroup.
fn wishes(state: &State, now: Now) -> Vec<Interest> {
    let at = now.epoch.moment();
    let active = AlertWatch::read(state)
        .all
        .alerts
        .iter()
        .filter(|alert| alert.is_active(at));
    let mut awaits_groups = false;
    let interest = |id, query, is_own, send| Interest {
        wish: Wish {
            id,
            query,
            every: EVERY,
            first: now.mono,
            requests: 1,
            is_own,
        },
        send,
    };
    let mut wishes: Vec<Interest> = Vec::new();
    for alert in active {
        match alert_search(state, &alert.follows) {
            Some(search) => {
                // Only its own response gives the number of workers a group can have.
                let is_own = search.recruits.is_some();
                wishes.push(interest(WishId::Named(alert.name.clone()), search.query, is_own, ask));
            }
            None => awaits_groups |= matches!(alert.follows, Followed::Group(_)),
        }
    }
    if awaits_groups && state.browsers[Resource::Workergroups].is_untouched() {
        let query = Query::empty(Resource::Workergroups);
        let id = WishId::Table(Resource::Workergroups);
        wishes.push(interest(id, query, true, |cx, _| cx.ask(Resource::Workergroups)));
    }
    wishes
}

/// Sends the search of the alert that `id` names, unless that is deleted or its workergroup is not loaded.
fn ask(cx: &mut Cx<'_>, id: &WishId) {
    let WishId::Named(name) = id else { return };
    let (now, state) = (cx.now, cx.state());
    let search = AlertWatch::read(state).all.named(name);
    let Some(search) = search.and_then(|alert| alert_search(state, &alert.follows)) else {
        return;
    };
    let asked = Asked::once(search.query.clone(), now.mono, state.annotations.bans());
    let request = Request::Search(search.query.clone());
    let ticket = cx.ticket();
    cx.feature::<AlertWatch>().in_flight.push(InFlight {
        ticket,
        wish: id.clone(),
        asked,
        search,
    });
    cx.effects_for(Owner::Feature(on_response), [Effect::Call { ticket, request }]);
}

/// Handles the response to an alert's poll sent by `ask`: records it, also a failed one. Only for the search
/// of a workergroup, alerts are checked here, with the number of workers that the offers can run.
fn on_response(cx: &mut Cx<'_>, ticket: Ticket, news: News) {
    let News::Reply(response) = news else { return };
    let in_flight = &mut cx.feature::<AlertWatch>().in_flight;
    let Some(index) = in_flight.iter().position(|search| search.ticket == ticket) else {
        return;
    };
    let InFlight {
        wish, asked, search, ..
    } = in_flight.swap_remove(index);
    let listing = match *response {
        Ok(Reply::Records(listing)) => listing,
        Ok(_) => return,
        Err(error) => {
            cx.on_watch_failed(&wish, &error);
            let failed = asked.failed(&error, cx.state().profile.dialect, cx.now);
            cx.effects(failed.map(Effect::record));
            return;
        }
    };
    let poll = asked.once_answered(&listing, cx.state().profile.dialect, cx.now);
    cx.on_watched(&wish, poll.outcome);
    if let Some(workers) = search.workers(&listing) {
        check_all(cx, &poll, Some(workers));
    }
    cx.effect(Effect::record(poll));
}

/// Checks the alerts on the polls that this update records.
fn follow(cx: &mut Cx<'_>) {
    if AlertWatch::read(cx.state()).all.alerts.is_empty() {
        return;
    }
    let polls: Vec<Poll> = cx.recorded().cloned().collect();
    for poll in polls {
        check_all(cx, &poll, None);
    }
}

/// Checks the alerts on a poll that another program recorded, without the offers whose machine or host is
/// banned here, unless banned offers are listed.
fn check_foreign_poll(cx: &mut Cx<'_>, poll: &Poll) {
    let annotations = &cx.state().annotations;
    let mut poll = poll.clone();
    if !annotations.shows_banned {
        let bans = &annotations.all;
        poll.sightings.retain(|sighting| {
            let host = sighting.host.map(Supplier::Host);
            let machine = Supplier::Machine(sighting.lot.machine);
            !bans.is_banned(machine) && !host.is_some_and(|host| bans.is_banned(host))
        });
    }
    check_all(cx, &poll, None);
}

/// Checks the active alerts that follow the search of a poll; `workers` is the number of workers that a
/// workergroup's offers can run. A firing is first claimed, so that only one of several programs notifies. A
/// changed state is saved at once for a firing, else at most once a minute.
fn check_all(cx: &mut Cx<'_>, poll: &Poll, workers: Option<u32>) {
    let (now, state) = (cx.now, cx.state());
    let at = now.epoch.moment();
    // Each with the storage that its search has prices for.
    let followed = |alert: &Alert| {
        let search = alert.is_active(at).then(|| alert_search(state, &alert.follows));
        let query = search.flatten()?.query;
        (SearchKey::new(&query) == poll.search).then(|| (alert.clone(), query.storage_gb()))
    };
    let alerts: Vec<(Alert, f64)> = AlertWatch::read(state).all.alerts.iter().filter_map(followed).collect();
    for (mut alert, storage) in alerts {
        let before = alert.state.clone();
        if let Some(figure) = alert.figure(poll, workers, storage) {
            cx.feature::<AlertWatch>().seen.insert(alert.name.clone(), figure);
        }
        let ring = alert.check(poll, workers, storage);
        let watch: &mut AlertWatch = cx.feature();
        let checked = AlertChange::Checked {
            name: alert.name.clone(),
            state: alert.state.clone(),
            // Logged once this program has claimed it.
            rang: None,
        };
        if ring.is_some() || (alert.state != before && now.mono - watch.saved_at >= SAVE_AFTER) {
            watch.saved_at = now.mono;
            change(cx, checked);
        } else {
            watch.all.apply(&checked);
        }
        if let Some((ring, logged)) = ring {
            let (ticket, subject, at) = (cx.ticket(), logged.alert.clone(), logged.at);
            let notification = notification(&ring, &logged);
            let claim = RingClaim {
                ticket,
                logged,
                notification,
            };
            cx.feature::<AlertWatch>().claims.push(claim);
            let job = HistoryJob::ClaimNotification { ticket, subject, at };
            cx.effects_for(Owner::Feature(on_claimed), [Effect::History(job)]);
        }
    }
}

/// The notification of a fired alert: its name as the title, its logged text, and the variables for the
/// user's own command.
fn notification(ring: &Ring, logged: &Logged) -> Notification {
    Notification {
        title: format!("bourse: {}", visible(&logged.alert, 60)),
        text: logged.text.clone(),
        urgent: Some(environment_variables(ring, logged)),
    }
}

/// Handles the claim of an alert's firing: logs it and notifies the user, unless another program has claimed
/// it; a firing of an alert deleted meanwhile is not logged.
#[expect(clippy::needless_pass_by_value, reason = "the signature of a receiver")]
fn on_claimed(cx: &mut Cx<'_>, ticket: Ticket, news: News) {
    let watch: &mut AlertWatch = cx.feature();
    let Some(index) = watch.claims.iter().position(|claim| claim.ticket == ticket) else {
        return;
    };
    let RingClaim {
        logged, notification, ..
    } = watch.claims.swap_remove(index);
    let News::Claimed(true) = news else { return };
    watch.unread += 1;
    let rang = watch.all.named(&logged.alert).map(|alert| AlertChange::Checked {
        name: alert.name.clone(),
        state: alert.state.clone(),
        rang: Some(logged.clone()),
    });
    let name = visible(&logged.alert, 60);
    cx.toast(format!("Alert “{name}”: {}", logged.text));
    cx.effect(Effect::Notify(Box::new(notification)));
    if let Some(rang) = rang {
        change(cx, rang);
    }
}
