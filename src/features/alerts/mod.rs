//! Alerts: the polls that they are checked on, and what a ring does.
//!
//! Every response that is recorded is checked, whoever asked for it. What nobody else asks for is
//! polled here, within the budget of all watched searches.

pub mod replay;
pub(crate) mod view;

use std::collections::BTreeMap;

use super::workergroups::look::Look;
use crate::api::{Reply, Request};
use crate::core::feature::{Event, Feature, FeatureState};
use crate::core::message::{Effect, HistoryJob, News, Notification, RingClaim, Saved, Saving};
use crate::core::owners::Owner;
use crate::core::state::State;
use crate::core::view::Cx;
use crate::domain::query::Direction;
use crate::domain::text::visible;
use crate::domain::workergroup::{Preflight, Recruitment};
use crate::domain::{Dialect, Listing, OrderKey, Query, Resource, RowId};
use crate::record::alerts::{Alert, AlertChange, Alerts, Followed, Logged, seen};
use crate::record::{Figures, Moment, Poll, PricePer, Ring, SearchKey, check};
use crate::table::recording::Asked;
use crate::table::remote::Ticket;
use crate::table::watch::price_of;

pub(crate) const FEATURE: Feature = Feature {
    state: |_| Some(Box::new(AlertWatch::default())),
    event: |cx, event| {
        if let Event::Restored(restored) = event {
            let alerts = std::mem::take(&mut restored.alerts);
            cx.feature::<AlertWatch>().restore(alerts);
        }
    },
    follow,
    deadline: |state, _| state.alerts().deadline(),
    tick,
    unread: |state| state.alerts().unread,
    price_lines,
    ..Feature::IDLE
};

impl FeatureState for AlertWatch {}

impl State {
    pub fn alerts(&self) -> &AlertWatch {
        self.feature()
    }
}

// Markets allow about ten searches a minute, which all alerts and tables share.
/// Seconds between two polls of an alert.
const EVERY: f64 = 60.0;

// What is lost in a crash costs one needless ring at most.
/// Seconds after which a changed state is saved though nothing rang.
const SAVE_AFTER: f64 = 60.0;

// Rows of a poll: all of most searches, and else the cheapest.
const LIMIT: u32 = 1000;

/// The alerts and their polls.
#[derive(Debug, Default)]
pub struct AlertWatch {
    pub all: Alerts,
    /// Rings since the person last opened the list.
    pub unread: usize,
    /// The polls of alerts, by name.
    polls: BTreeMap<String, Polling>,
    /// Changes that are not confirmed yet.
    pending: usize,
    /// When a state was saved last, on the monotonic clock.
    saved_at: f64,
}

#[derive(Debug, Default)]
struct Polling {
    /// When to send the next search, on the monotonic clock.
    next: f64,
    in_flight: Option<InFlight>,
}

#[derive(Debug)]
struct InFlight {
    ticket: Ticket,
    asked: Asked,
    search: Search,
}

/// What an alert asks for.
#[derive(Debug, Clone)]
pub(crate) struct Search {
    pub query: Query,
    /// The workergroup's search, if it follows one.
    pub recruits: Option<Recruitment>,
}

impl Search {
    /// The workers that its offers can run at once, where it is a workergroup's.
    pub(crate) fn workers(&self, listing: &Listing) -> Option<u32> {
        let preflight = Preflight::of(listing, self.recruits.as_ref()?, self.query.limit);
        Some(u32::try_from(preflight.most_workers).unwrap_or(u32::MAX))
    }
}

impl AlertWatch {
    /// Takes over the alerts of the profile.
    pub fn restore(&mut self, all: Alerts) {
        let names: Vec<&String> = all.alerts.iter().map(|alert| &alert.name).collect();
        self.polls.retain(|name, _| names.contains(&name));
        for name in names {
            self.polls.entry(name.clone()).or_default();
        }
        self.all = all;
    }

    /// Takes over the file's content with other programs' changes. What was seen here since stays,
    /// unless the alert rang elsewhere.
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

    /// When the next poll is due.
    pub(crate) fn deadline(&self) -> Option<f64> {
        let waiting = self.polls.iter().filter(|(name, polling)| {
            let is_paused = self.all.named(name).is_none_or(|alert| alert.is_paused);
            polling.in_flight.is_none() && !is_paused
        });
        waiting.map(|(_, polling)| polling.next).reduce(f64::min)
    }
}

/// Changes the alerts, here and in their file.
pub(crate) fn change(cx: &mut Cx<'_>, changed: AlertChange) {
    let watch: &mut AlertWatch = cx.feature();
    let before = watch.all.clone();
    let mut all = before.clone();
    all.apply(&changed);
    watch.restore(all);
    if let AlertChange::Put(alert) | AlertChange::Edit { alert, .. } = &changed {
        watch.polls.insert(alert.name.clone(), Polling::default());
    }
    watch.pending += 1;
    let change = Box::new(changed);
    cx.save_as(Saving::Alerts { change, before }, saved);
}

/// Takes over the alerts in the file.
fn saved(cx: &mut Cx<'_>, _: Ticket, news: News) {
    let News::Saved(Saved::Alerts(result)) = news else {
        return;
    };
    let watch: &mut AlertWatch = cx.feature();
    watch.pending = watch.pending.saturating_sub(1);
    match *result {
        Ok(all) if watch.pending == 0 => watch.merge(all),
        Ok(_) => {}
        Err(why) => cx.not_saved(why),
    }
}

impl State {
    /// As [`search_of`], with the workergroups that are listed.
    fn alert_search(&self, follows: &Followed) -> Option<Search> {
        search_of(
            follows,
            self.browsers[Resource::Workergroups].listing(),
            self.profile.dialect,
        )
    }
}

/// What an alert asks for that follows this; `None` while its workergroup is not listed or its
/// search cannot be read.
pub(crate) fn search_of(follows: &Followed, groups: Option<&Listing>, dialect: &'static Dialect) -> Option<Search> {
    let (mut query, recruits) = match follows {
        Followed::Search(spec) => (spec.read(dialect).ok()?.0, None),
        Followed::Group(id) => {
            let listing = groups?;
            let row = listing.row(RowId(*id))?;
            let look = Look::at_row(listing, row, dialect).ok()?;
            (look.search.query(), Some(look.search))
        }
    };
    // Of a truncated response the cheapest rows are what alerts ask about.
    query.order = cheapest_first(query.resource)?;
    query.limit = Some(LIMIT);
    Some(Search { query, recruits })
}

/// The order by the price that is recorded.
pub(crate) fn cheapest_first(resource: Resource) -> Option<Vec<OrderKey>> {
    let field = resource.catalog().by_key(price_of(resource))?;
    let direction = Direction::Ascending;
    Some(vec![OrderKey { field, direction }])
}

/// The prices per GPU that alerts on a search wait for.
fn price_lines(state: &State, search: &SearchKey) -> Vec<f64> {
    let alerts = state.alerts().all.alerts.iter();
    let prices = alerts.filter_map(|alert| {
        let price = alert.rule.price().filter(|_| alert.rule.per == PricePer::Gpu)?;
        let followed = state.alert_search(&alert.follows)?;
        (SearchKey::of(&followed.query) == *search).then_some(price)
    });
    prices.collect()
}

/// Sends the polls that are due and that the budget has room for.
fn tick(cx: &mut Cx<'_>) {
    let (now, state) = (cx.now, cx.state());
    let at = Moment::of(now.epoch);
    let is_due = |alert: &&Alert| {
        let polling = state.alerts().polls.get(&alert.name);
        polling.is_some_and(|polling| polling.in_flight.is_none() && polling.next <= now.mono)
    };
    let due: Vec<Alert> = state.alerts().all.alerts.iter().filter(is_due).cloned().collect();
    for alert in due {
        let state = cx.state();
        let search = (alert.is_active(at) && state.held(now).is_none())
            .then(|| state.alert_search(&alert.follows))
            .flatten();
        let is_for_group = matches!(alert.follows, Followed::Group(_));
        let groups_are_untouched = state.browsers[Resource::Workergroups].is_untouched();
        // Its poll is checked by every alert on that search: asking twice would tell the same.
        let is_polled = search.as_ref().is_some_and(|search| is_polled(state, search));
        let lent = cx.lend::<AlertWatch>();
        let Some(polling) = lent.feature.polls.get_mut(&alert.name) else {
            continue;
        };
        polling.next = now.mono + EVERY;
        let Some(search) = search else {
            if is_for_group && !alert.is_paused && groups_are_untouched {
                cx.ask(Resource::Workergroups);
            }
            continue;
        };
        if is_polled {
            continue;
        }
        let free_at = lent.pace.free_at(1, now);
        if free_at > now.mono {
            polling.next = free_at;
            continue;
        }
        lent.pace.spend(1, now);
        let bans = lent.annotations.bans();
        let ticket = lent.tickets.take();
        let request = Request::Search(search.query.clone());
        polling.in_flight = Some(InFlight {
            ticket,
            asked: Asked::once(search.query.clone(), now.mono, bans),
            search,
        });
        cx.effects_for(Owner::Feature(answered), [Effect::Call { ticket, request }]);
    }
}

/// Whether a watched pane or another alert asks the same already.
fn is_polled(state: &State, search: &Search) -> bool {
    if search.recruits.is_some() {
        // Only its own poll tells how many workers it can have.
        return false;
    }
    let key = SearchKey::of(&search.query);
    let in_pane = state
        .browsers
        .iter()
        .any(|browser| browser.watching().is_some() && SearchKey::of(&browser.query) == key);
    let in_flight = state
        .alerts()
        .polls
        .values()
        .filter_map(|polling| polling.in_flight.as_ref());
    let mut same = in_flight.filter(|polling| SearchKey::of(&polling.search.query) == key);
    in_pane || same.next().is_some()
}

/// Takes the response to a poll.
fn answered(cx: &mut Cx<'_>, ticket: Ticket, news: News) {
    let News::Reply(response) = news else { return };
    let awaits = |polling: &&mut Polling| {
        let in_flight = polling.in_flight.as_ref();
        in_flight.is_some_and(|search| search.ticket == ticket)
    };
    let polling = cx.feature::<AlertWatch>().polls.values_mut().find(awaits);
    let Some(InFlight { asked, search, .. }) = polling.and_then(|polling| polling.in_flight.take()) else {
        return;
    };
    let listing = match *response {
        Ok(Reply::Records(listing)) => listing,
        Ok(_) => return,
        Err(error) => {
            let failed = asked.failed(&error, cx.state().profile.dialect, cx.now);
            cx.effects(failed.map(Effect::record));
            return;
        }
    };
    let poll = asked.once_answered(&listing, cx.state().profile.dialect, cx.now);
    if let Some(workers) = search.workers(&listing) {
        check_all(cx, &poll, Some(workers));
    }
    cx.effect(Effect::record(poll));
}

/// Checks the alerts on the polls that are about to be recorded.
fn follow(cx: &mut Cx<'_>) {
    if cx.state().alerts().all.alerts.is_empty() {
        return;
    }
    let polls: Vec<Poll> = cx.recorded().cloned().collect();
    for poll in polls {
        check_all(cx, &poll, None);
    }
}

/// Checks the alerts on a poll of their searches.
pub(crate) fn check_all(cx: &mut Cx<'_>, poll: &Poll, workers: Option<u32>) {
    let (now, state) = (cx.now, cx.state());
    let at = Moment::of(now.epoch);
    // Each with the storage that its search has prices for.
    let followed = |alert: &Alert| {
        let search = alert.is_active(at).then(|| state.alert_search(&alert.follows));
        let query = search.flatten()?.query;
        (SearchKey::of(&query) == poll.search).then(|| (alert.clone(), query.storage_gb()))
    };
    let alerts: Vec<(Alert, f64)> = state.alerts().all.alerts.iter().filter_map(followed).collect();
    for (mut alert, storage) in alerts {
        let before = alert.state.clone();
        let ring = ring(&mut alert, poll, workers, storage);
        let watch: &mut AlertWatch = cx.feature();
        if let Some(polling) = watch.polls.get_mut(&alert.name) {
            polling.next = now.mono + EVERY;
        }
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
            let alarm = alarm(&ring, &logged);
            let (ticket, claim) = (cx.ticket(), Box::new(RingClaim { logged, alarm }));
            let job = HistoryJob::ClaimRing { ticket, claim };
            cx.effects_for(Owner::Feature(claimed), [Effect::History(job)]);
        }
    }
}

/// Checks an alert on a poll of its search, which has prices for `storage` GB; its ring and the line of the log.
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

/// What the person's command for alerts gets, and the text to show.
pub(crate) fn alarm(ring: &Ring, logged: &Logged) -> Notification {
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
        alarm: Some(values),
    }
}

/// Logs a ring that this program has claimed, and tells the person.
fn claimed(cx: &mut Cx<'_>, _: Ticket, news: News) {
    let News::Ring { claim, is_ours: true } = news else {
        return;
    };
    let RingClaim { logged, alarm } = *claim;
    let watch: &mut AlertWatch = cx.feature();
    watch.unread += 1;
    let rang = watch.all.named(&logged.alert).map(|alert| AlertChange::Checked {
        name: alert.name.clone(),
        state: alert.state.clone(),
        rang: Some(logged.clone()),
    });
    let name = visible(&logged.alert, 60);
    cx.toast(format!("Alert “{name}”: {}", logged.text));
    cx.effect(Effect::Notify(Box::new(alarm)));
    if let Some(rang) = rang {
        change(cx, rang);
    }
}
