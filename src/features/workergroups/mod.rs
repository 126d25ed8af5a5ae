//! The state of the Workergroups pane beside its table: the draft of a new group, its creation, the
//! supply of groups, and their changes.

pub(crate) mod command;
pub mod create;
pub mod creation;
pub(crate) mod document;
pub mod draft;
pub mod drift;
pub(crate) mod followed;
pub mod form;
pub mod look;
pub mod preflight;
pub mod sent;
pub mod supply;
mod supply_command;

use self::creation::Creation;
use self::draft::GroupDraft;
use self::drift::{Drift, SeenGroups};
use self::look::{Look, LookError, Subject};
use self::supply::{Check, SupplyChecks};
use crate::api::Reply;
use crate::core::feature::{Event, Feature, FeatureState};
use crate::core::message::{Effect, News};
use crate::core::mutations::{DAMAGED, READ_ONLY, describe_excess};
use crate::core::owners::Owner;
use crate::core::state::State;
use crate::core::view::Cx;
use crate::domain::document::Edit;
use crate::domain::format::counted;
use crate::domain::insight::Coverage;
use crate::domain::journal::{OverLimit, WriteKind};
use crate::domain::workergroup::{Change, CostOutlook, Preflight, Recruitment, UnknownCost};
use crate::domain::{Dialect, Listing, Resource};
use crate::keys::Action;
use crate::keys::pane::Pane;
use crate::table::remote::Ticket;

pub(crate) const FEATURE: Feature = Feature {
    state: |dialect| Some(Box::new(Groups::new(dialect))),
    event: |cx, event| match event {
        Event::Listed(Resource::Workergroups, _)
            if cx.state().browsers[Resource::Workergroups].remote().error().is_none() =>
        {
            listed(cx);
        }
        Event::Wrote(WriteKind::CreateWorkergroup, response) => creation::answered(cx, response),
        // Each start of a sandbox is another market.
        Event::Restored(restored) if !cx.state().profile.is_sandbox => {
            let seen: SeenGroups = restored.document();
            let groups = seen.at_address(&cx.state().profile.base_url);
            cx.feature::<Groups>().drift.resume(groups);
        }
        Event::Listed(..)
        | Event::Wrote(..)
        | Event::Looked { .. }
        | Event::Woken { .. }
        | Event::Recorded { .. }
        | Event::PaneOpened
        | Event::Read(..)
        | Event::Restored(_) => {}
    },
    follow: |cx| {
        let bans = cx.state().annotations.bans();
        cx.feature::<Groups>().supply.set_bans(bans);
    },
    hides: |state, action| is_of_workergroups(action) && state.pane != Pane::Workergroups,
    disabled: |state, action, is_on_pane| disabled(state, is_on_pane, action),
    ..Feature::IDLE
};

impl FeatureState for Groups {}

impl Groups {
    /// The workergroups' part of the dashboard's state.
    pub fn read(state: &State) -> &Self {
        state.feature()
    }
}

/// The columns that a check of supply fills.
const SUPPLY_COLUMNS: [&str; 2] = ["supply_gpus", "supply_price"];

/// The values of these columns from a report, in their order.
const SUPPLY_FIGURES: [fn(&Preflight) -> Option<f64>; 2] = [
    |report| {
        // Of a response that may be truncated the number is unknown.
        let is_all = report.coverage == Coverage::Whole;
        is_all.then_some(report.recruitable.gpus as f64)
    },
    |report| Some(report.prices?.lowest),
];

/// The state of the Workergroups pane beside its table.
#[derive(Debug)]
pub struct Groups {
    /// The draft of a new group.
    pub draft: GroupDraft,
    pub creation: Creation,
    /// The supply that the searches of groups find now.
    pub supply: SupplyChecks,
    /// The changes since the groups were last listed.
    pub drift: Drift,
}

impl Groups {
    pub fn new(dialect: &'static Dialect) -> Self {
        Self {
            draft: GroupDraft::new(dialect),
            creation: Creation::default(),
            supply: SupplyChecks::default(),
            drift: Drift::default(),
        }
    }
}

/// The reason creating a workergroup is blocked: a read-only market, or damage in the history of writes.
/// `None` if it is possible.
pub fn creation_blocked(state: &State) -> Option<String> {
    let is_damaged = !state.mutations.damage.is_empty();
    let why = [(state.profile.read_only, READ_ONLY), (is_damaged, DAMAGED)];
    let why = why.into_iter().find(|(is_so, _)| *is_so);
    why.map(|(_, why)| format!("Can't create: {why}"))
}

/// The search of each listed workergroup, in the order of the rows; `None` for one without a valid search.
/// Empty before a listing.
fn searches(state: &State) -> Vec<Option<Look>> {
    let browser = &state.browsers[Resource::Workergroups];
    browser.listing().map_or_else(Vec::new, |listing| {
        let rows = 0..listing.len();
        rows.map(|row| Look::at_row(listing, row, browser.dialect(), &state.mutations.history).ok())
            .collect()
    })
}

/// The current search of `subject`, a draft or a listed group.
///
/// # Errors
///
/// When it cannot be run, the draft is no longer the shared one, or the group is no longer listed.
pub fn look_at(state: &State, subject: Subject) -> Result<Look, LookError> {
    let draft = &Groups::read(state).draft;
    let browser = &state.browsers[Resource::Workergroups];
    match subject {
        Subject::Draft(number) if number == draft.number() => {
            Look::at_draft(number, draft.draft(), state.profile.dialect)
        }
        Subject::Draft(_) => Err(LookError::OtherDraft),
        Subject::Group(id) => {
            let listed = browser.listing().and_then(|listing| Some((listing, listing.row(id)?)));
            let (listing, row) = listed.ok_or(LookError::Unlisted)?;
            Look::at_row(listing, row, browser.dialect(), &state.mutations.history)
        }
    }
}

/// The check of the supply that a workergroup's or draft's search finds, perhaps still queued or running;
/// `None` if there was none.
pub fn check_of<'a>(state: &'a State, look: &Look) -> Option<&'a Check> {
    Groups::read(state).supply.check_for(&look.search)
}

/// The worst-case cost of a workergroup, from the check of its search; unknown while that is not checked or
/// has failed.
pub fn outlook(state: &State, look: &Look) -> CostOutlook {
    let remote = check_of(state, look).map(Check::remote);
    look.outlook(match remote.map(|remote| (remote.error(), remote.shown())) {
        Some((Some(error), _)) => Err(UnknownCost::Failed(error.headline().to_owned())),
        Some((None, Some(report))) => Ok(report),
        Some((None, None)) | None => Err(UnknownCost::Unchecked),
    })
}

/// The reason the workergroup draft exceeds the configured limit of its worst-case cost in $/h, and the
/// excess for the journal.
///
/// `None` if it is within the limit, or there is no limit. A cost that is unknown may exceed it.
pub fn excess(state: &State) -> Option<(String, OverLimit)> {
    let limit = state.settings.values.group_hourly?;
    let number = Groups::read(state).draft.number();
    let outlook = match look_at(state, Subject::Draft(number)) {
        Ok(look) => outlook(state, &look),
        Err(why) => CostOutlook::unknown(UnknownCost::Failed(why.to_string()), &[]),
    };
    let excess = describe_excess(limit, &outlook.excess(limit)?);
    Some((excess, outlook.over_limit(limit)))
}

/// The current report on the search of `subject`; `None` without a valid search or before it is checked, and
/// after a check failed.
pub fn supply_report(state: &State, subject: Subject) -> Option<&Preflight> {
    check_of(state, &look_at(state, subject).ok()?)?.report()
}

/// The reason an action on workergroups is disabled, or `None` if it is enabled or is no such action.
///
/// `is_on_pane`: no other view is open over the pane.
pub(crate) fn disabled(state: &State, is_on_pane: bool, action: Action) -> Option<String> {
    let is_here = state.pane == Pane::Workergroups;
    let only_on = |pane: &str, action| format!("Only on {pane} ({})", state.keymap.key_of(action));
    let elsewhere = || (!is_here).then(|| only_on("Workergroups", Action::Pane(Pane::Workergroups)));
    let selected = || {
        let row = state.browsers[Resource::Workergroups].selected_row();
        row.is_none().then(|| "No workergroup selected".to_owned())
    };
    match action {
        Action::NewGroup => elsewhere().or_else(|| creation_blocked(state)),
        Action::CloneGroup => elsewhere().or_else(|| creation_blocked(state)).or_else(selected),
        Action::GroupFromSearch => (state.pane != Pane::Offers)
            .then(|| only_on("Offers", Action::Pane(Pane::Offers)))
            .or_else(|| creation_blocked(state)),
        Action::Preflight => elsewhere().or_else(selected),
        Action::CheckSupply => elsewhere().or_else(|| {
            let listing = state.browsers[Resource::Workergroups].listing();
            let is_empty = listing.is_none_or(Listing::is_empty);
            is_empty.then(|| "No workergroups listed".to_owned())
        }),
        // The details of a group handle it earlier.
        Action::Secrets if is_here && is_on_pane => {
            let key = state.keymap.key_of(Action::Open);
            Some(format!("Open the details first ({key})"))
        }
        Action::Secrets => elsewhere().or_else(selected).or_else(|| {
            let has_key = super::copy_export::copy::api_key(state).is_some();
            (!has_key).then(|| "This workergroup has no API key".to_owned())
        }),
        _ => None,
    }
}

/// Whether an action belongs to the Workergroups pane only.
pub(crate) const fn is_of_workergroups(action: Action) -> bool {
    matches!(
        action,
        Action::NewGroup | Action::CloneGroup | Action::Preflight | Action::CheckSupply | Action::Secrets
    )
}

/// Checks the supply of all listed workergroups with a valid search, even if their reports are current, and
/// shows its columns; while a check runs, stops it instead.
pub fn toggle_supply_check(cx: &mut Cx<'_>) {
    if let Some(stopped) = cx.feature::<Groups>().supply.stop() {
        cx.toast("Supply check stopped");
        return cx.effect(stopped);
    }
    cx.table(Resource::Workergroups)
        .show_columns(&SUPPLY_COLUMNS, "endpoint_name");
    let searches = searches(cx.state()).into_iter().flatten();
    let searches: Vec<Recruitment> = searches.map(|look| look.search).collect();
    let groups = counted(searches.len(), "workergroup", "workergroups");
    cx.toast(format!("Checking the supply of {groups}"));
    for search in searches {
        queue_supply_check(cx, search, true);
    }
}

/// Checks the supply of the listed workergroups that were not checked in the last 10 minutes; at most half as
/// many as the requests allowed a minute. The first time, also shows its columns.
///
/// Does nothing unless the configuration says so and the pane is open, and while an error holds back unasked
/// requests.
fn check_due(cx: &mut Cx<'_>) {
    let state = cx.state();
    if !state.settings.values.checks_supply || state.pane != Pane::Workergroups || state.held(cx.now).is_some() {
        return;
    }
    let is_due = |look: &Look| check_of(state, look).is_none_or(|check| check.is_old(cx.now));
    let searches = searches(state).into_iter().flatten().filter(is_due);
    // The groups are listed about twice a minute.
    let most = state.settings.values.requests_a_minute.div_ceil(2) as usize;
    let searches: Vec<Recruitment> = searches.map(|look| look.search).take(most).collect();
    if Groups::read(state).supply.is_unused() && !searches.is_empty() {
        cx.table(Resource::Workergroups)
            .show_columns(&SUPPLY_COLUMNS, "endpoint_name");
    }
    for search in searches {
        queue_supply_check(cx, search, false);
    }
}

/// Queues a workergroup's search for a check of its supply, which starts at once if none is running, unless
/// it is queued already or its report is current; `again` queues it even with a current one.
pub fn queue_supply_check(cx: &mut Cx<'_>, search: Recruitment, again: bool) {
    let now = cx.now;
    let lent = cx.lend::<Groups>();
    let banned = lent.annotations.all.count_bans_not_in_query(&search.query());
    let supply = &mut lent.feature.supply;
    let asked = supply.queue((search, banned), again, lent.tickets, now);
    cx.effects_for(Owner::Feature(on_news), asked);
}

/// Fills the supply columns of the table of workergroups from the checks of their searches, and the columns
/// of limits as sent.
fn fill_supply(cx: &mut Cx<'_>) {
    let state = cx.state();
    let looks = searches(state);
    let column = |figure: &dyn Fn(&Preflight) -> Option<f64>| -> Vec<Option<f64>> {
        let of = |look: &Option<Look>| figure(check_of(state, look.as_ref()?)?.report()?);
        looks.iter().map(of).collect()
    };
    let [gpus, prices] = SUPPLY_FIGURES.map(|figure| column(&figure));
    let listing = state.browsers[Resource::Workergroups].listing();
    let sent = listing.map(|listing| sent::columns(&state.mutations.history, listing));
    let supply = SUPPLY_COLUMNS.into_iter().zip([gpus, prices]);
    cx.table(Resource::Workergroups)
        .set_columns(supply.chain(sent.into_iter().flatten()));
}

/// Handles the progress or the response of a supply check; after a response, records it, runs the next one
/// and fills the columns.
fn on_news(cx: &mut Cx<'_>, ticket: Ticket, news: News) {
    let now = cx.now;
    let lent = cx.lend::<Groups>();
    let supply = &mut lent.feature.supply;
    if !supply.awaits(ticket) {
        return;
    }
    if let News::Progress(progress) = news {
        return supply.progressed(ticket, &progress);
    }
    let News::Reply(response) = news else { return };
    let answer = response.and_then(Reply::into_records);
    let recorded = supply
        .answered(ticket, answer, lent.profile.dialect, now)
        .map(Effect::record);
    let next = supply.next(lent.tickets, now);
    cx.effects_for(Owner::Feature(on_news), recorded.into_iter().chain(next));
    fill_supply(cx);
}

/// Handles a new listing of the workergroups: reports changes, fills the supply columns, checks supply that
/// is due, looks for a created group, and saves a snapshot (not of a sandbox).
fn listed(cx: &mut Cx<'_>) {
    let now = cx.now;
    let lent = cx.lend::<Groups>();
    let Some(listing) = lent.tables[Resource::Workergroups].listing() else {
        return;
    };
    let drift = &mut lent.feature.drift;
    let snapshot = drift.listed(listing, now);
    let latest = drift.changes().next();
    let latest = latest.filter(|latest| latest.at >= now.epoch);
    let text = latest
        .and_then(|latest| latest.changes.split_first())
        .map(|(first, more_changes)| {
            let more = match more_changes.len() {
                0 => String::new(),
                many => format!(" and {}", counted(many, "other change", "other changes")),
            };
            format!("Workergroup {}{more}", words(first))
        });
    if let Some(text) = text {
        cx.toast(text);
    }
    fill_supply(cx);
    check_due(cx);
    // The outcome of a creation matters more than changes.
    creation::listed(cx);
    let profile = &cx.state().profile;
    // The groups of a sandbox end with it.
    if !profile.is_sandbox {
        let seen = SeenGroups::new(&profile.base_url, snapshot);
        cx.save_edit(Edit::Replace(seen), groups_saved);
    }
}

/// Complains if the snapshot of the groups could not be saved.
fn groups_saved(cx: &mut Cx<'_>, _: Ticket, news: News) {
    if let News::Saved(Err(why)) = news {
        cx.complain(format!("can't save the workergroup snapshot: {why}"));
    }
}

/// A change of a workergroup as text: `11 (chat) gone`, `12 (chat) max_workers: 20 → 5`.
fn words(change: &Change) -> String {
    let endpoint = change.endpoint.as_ref();
    let endpoint = endpoint.map_or_else(String::new, |name| format!(" ({})", name.screen(32)));
    format!("{}{endpoint} {}", change.group, change.kind.words())
}
