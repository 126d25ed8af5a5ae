//! Alerts: the polls on which they are checked, and their notifications when they fire.
//!
//! Every recorded response is checked, whoever requested it. Searches that nothing else polls are
//! polled here, within the request budget of all watched searches.

pub mod replay;
pub(crate) mod view;

use std::collections::HashMap;

use super::workergroups::look::Look;
use crate::api::{Reply, Request};
use crate::core::feature::{Event, Feature, FeatureState};
use crate::core::message::{Effect, HistoryJob, News, Notification};
use crate::core::owners::Owner;
use crate::core::state::State;
use crate::core::view::Cx;
use crate::core::watching::{Interest, WishId};
use crate::domain::annotations::Supplier;
use crate::domain::document::Edit;
use crate::domain::query::Direction;
use crate::domain::text::visible;
use crate::domain::workergroup::{Preflight, Recruitment};
use crate::domain::{Dialect, Listing, OrderKey, Query, Resource, RowId};
use crate::record::alerts::{Alert, AlertChange, Alerts, Followed, Logged, seen};
use crate::record::watch::Wish;
use crate::record::{Figures, Moment, Poll, PricePer, Ring, SearchKey, check, figure};
use crate::table::recording::Asked;
use crate::table::remote::{Now, Ticket};
use crate::table::watch::price_of;

pub(crate) const FEATURE: Feature = Feature {
    state: |_| Some(Box::new(AlertWatch::default())),
    event: |cx, event| {
        if let Event::Restored(restored) = event {
            cx.feature::<AlertWatch>().restore(restored.document());
        }
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

// Rows of a poll: all of most searches, and else the cheapest.
const LIMIT: u32 = 1000;

/// The alerts and their polls.
#[derive(Debug, Default)]
pub struct AlertWatch {
    pub all: Alerts,
    /// Number of fired alerts since the user last opened the list.
    pub unread: usize,
    /// The polls in flight.
    in_flight: Vec<InFlight>,
    /// The firings of which it is not known yet whether this program notifies.
    claims: Vec<RingClaim>,
    /// Number of changes whose saving is not confirmed yet.
    pending: usize,
    /// The figure of each alert at the last poll that has it, see [`figure`].
    pub(crate) seen: HashMap<String, f64>,
    /// The monotonic time at which a state was last saved.
    saved_at: f64,
}

#[derive(Debug)]
struct InFlight {
    ticket: Ticket,
    wish: WishId,
    asked: Asked,
    search: Search,
}

/// The firing of an alert. Of several programs that see it, one notifies.
#[derive(Debug)]
struct RingClaim {
    ticket: Ticket,
    logged: Logged,
    notification: Notification,
}

/// The search of an alert.
#[derive(Debug, Clone)]
pub(crate) struct Search {
    pub query: Query,
    /// The workergroup's search, if it follows one.
    pub recruits: Option<Recruitment>,
}

impl Search {
    /// Number of workers that the offers can run at once; `None` unless it is the search of a
    /// workergroup.
    pub(crate) fn workers(&self, listing: &Listing) -> Option<u32> {
        let preflight = Preflight::of(listing, self.recruits.as_ref()?, self.query.limit);
        Some(u32::try_from(preflight.most_workers).unwrap_or(u32::MAX))
    }
}

impl AlertWatch {
    /// Sets the alerts of the profile.
    pub fn restore(&mut self, all: Alerts) {
        self.all = all;
    }

    /// Replaces the alerts by those of the file, with other programs' changes.
    ///
    /// The state observed here is preserved, unless the alert fired in another program.
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

/// Changes the alerts, here and in their file.
pub(crate) fn change(cx: &mut Cx<'_>, changed: AlertChange) {
    let watch: &mut AlertWatch = cx.feature();
    let before = watch.all.clone();
    let mut all = before.clone();
    all.apply(&changed);
    watch.restore(all);
    watch.pending += 1;
    let change = changed;
    cx.save_edit(Edit::Change { change, before }, saved);
}

/// Handles the result of saving: replaces the alerts by those in the file.
fn saved(cx: &mut Cx<'_>, _: Ticket, news: News) {
    let Some(result) = news.into_saved() else { return };
    let watch: &mut AlertWatch = cx.feature();
    watch.pending = watch.pending.saturating_sub(1);
    match result {
        Ok(all) if watch.pending == 0 => watch.merge(all),
        Ok(_) => {}
        Err(why) => cx.not_saved(why),
    }
}

/// The search of an alert, as [`search_of`] finds it among the listed workergroups.
fn alert_search(state: &State, follows: &Followed) -> Option<Search> {
    search_of(
        follows,
        state.browsers[Resource::Workergroups].listing(),
        state.profile.dialect,
    )
}

/// The search of an alert; `None` while its workergroup is not listed, or if its search cannot be
/// read.
pub(crate) fn search_of(follows: &Followed, groups: Option<&Listing>, dialect: &'static Dialect) -> Option<Search> {
    let (mut query, recruits) = match follows {
        Followed::Search(spec) => (spec.read(dialect).ok()?.0, None),
        Followed::Group(id) => {
            let listing = groups?;
            let row = listing.row(RowId(*id))?;
            let look = Look::at_row(listing, row, dialect, &[]).ok()?;
            (look.search.query(), Some(look.search))
        }
    };
    // Alerts need the cheapest rows, also of a truncated response.
    query.order = cheapest_first(query.resource)?;
    query.limit = Some(LIMIT);
    Some(Search { query, recruits })
}

/// The order by the recorded price, lowest first.
pub(crate) fn cheapest_first(resource: Resource) -> Option<Vec<OrderKey>> {
    let field = resource.catalog().by_key(price_of(resource))?;
    let direction = Direction::Ascending;
    Some(vec![OrderKey { field, direction }])
}

/// The prices per GPU at which alerts on a search fire.
fn price_lines(state: &State, search: &SearchKey) -> Vec<f64> {
    let alerts = AlertWatch::read(state).all.alerts.iter();
    let prices = alerts.filter_map(|alert| {
        let price = alert.rule.price().filter(|_| alert.rule.per == PricePer::Gpu)?;
        let followed = alert_search(state, &alert.follows)?;
        (SearchKey::of(&followed.query) == *search).then_some(price)
    });
    prices.collect()
}

/// The searches of active alerts, and the list of workergroups if an alert needs it.
///
/// A response of a table can serve as the poll, except for the search of a workergroup.
fn wishes(state: &State, now: Now) -> Vec<Interest> {
    let at = Moment::of(now.epoch);
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
        read,
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

/// Sends the search of an alert.
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
    cx.effects_for(Owner::Feature(answered), [Effect::Call { ticket, request }]);
}

/// Handles the response to a poll.
fn answered(cx: &mut Cx<'_>, ticket: Ticket, news: News) {
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

/// Checks the alerts on a poll of another program, without the offers that are banned here.
pub(crate) fn read(cx: &mut Cx<'_>, poll: &Poll) {
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

/// Checks the alerts on a poll of their searches.
pub(crate) fn check_all(cx: &mut Cx<'_>, poll: &Poll, workers: Option<u32>) {
    let (now, state) = (cx.now, cx.state());
    let at = Moment::of(now.epoch);
    // Each with the storage that its search has prices for.
    let followed = |alert: &Alert| {
        let search = alert.is_active(at).then(|| alert_search(state, &alert.follows));
        let query = search.flatten()?.query;
        (SearchKey::of(&query) == poll.search).then(|| (alert.clone(), query.storage_gb()))
    };
    let alerts: Vec<(Alert, f64)> = AlertWatch::read(state).all.alerts.iter().filter_map(followed).collect();
    for (mut alert, storage) in alerts {
        let before = alert.state.clone();
        if let Some(figure) = current(&alert, poll, workers, storage) {
            cx.feature::<AlertWatch>().seen.insert(alert.name.clone(), figure);
        }
        let ring = ring(&mut alert, poll, workers, storage);
        let watch: &mut AlertWatch = cx.feature();
        let checked = AlertChange::Checked {
            name: alert.name.clone(),
            state: alert.state.clone(),
            // Logged once this program has claimed it.
            rang: None,
        };
        let is_old = now.mono - watch.saved_at >= SAVE_AFTER;
        if ring.is_some() || (alert.state != before && is_old) {
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
            cx.effects_for(Owner::Feature(claimed), [Effect::History(job)]);
        }
    }
}

/// The figure that an alert compares with its limit, at a poll of its search.
fn current(alert: &Alert, poll: &Poll, workers: Option<u32>, storage: f64) -> Option<f64> {
    let poll = &poll.without_lines().priced(storage, alert.rule.per);
    figure(&alert.rule, Figures { poll, workers })
}

/// Checks an alert on a poll with prices for `storage` GB; if it fires, returns the notification's
/// data and the log entry.
pub(crate) fn ring(alert: &mut Alert, poll: &Poll, workers: Option<u32>, storage: f64) -> Option<(Ring, Logged)> {
    let is_volume = poll.search.resource == Resource::Volumes;
    let poll = &poll.without_lines().priced(storage, alert.rule.per);
    let ring = check(&alert.rule, &mut alert.state, Figures { poll, workers })?;
    let logged = Logged {
        alert: alert.name.clone(),
        at: ring.at,
        text: seen(&ring, alert.rule.per, is_volume, storage),
    };
    Some((ring, logged))
}

/// The notification of a fired alert, with the environment variables of the user's command.
pub(crate) fn notification(ring: &Ring, logged: &Logged) -> Notification {
    let name = visible(&logged.alert, 60);
    let mut values = vec![
        ("BOURSE_ALERT", name.clone()),
        ("BOURSE_ALERT_TEXT", logged.text.clone()),
        ("BOURSE_COUNT", ring.count.to_string()),
    ];
    if let Some(lot) = &ring.cheapest {
        values.extend([
            ("BOURSE_OFFER", lot.offer.to_string()),
            ("BOURSE_MACHINE", lot.lot.machine.to_string()),
            ("BOURSE_MODEL", visible(&lot.lot.model, 64)),
            ("BOURSE_PRICE", lot.price.to_string()),
        ]);
    }
    Notification {
        title: format!("bourse: {name}"),
        text: logged.text.clone(),
        urgent: Some(values),
    }
}

/// Logs an alert that fires in this program, and notifies the user.
#[expect(clippy::needless_pass_by_value, reason = "the signature of a receiver")]
fn claimed(cx: &mut Cx<'_>, ticket: Ticket, news: News) {
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
