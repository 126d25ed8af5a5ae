//! What the Workergroups pane has besides its table: the form and the creation, preflight, planner,
//! supply health, drift, and the secrets that are shown for a while.

pub mod create;
pub mod drift;
pub mod form;
pub mod health;
pub mod planner;
pub mod preflight;

use super::actions::movement;
use super::keymap::Action;
use super::message::{Effect, Toast};
use super::overlay::Overlay;
use super::remote::{Now, Ticket, Waiting};
use super::write::READ_ONLY;
use super::{Model, Pane};
use crate::api::{ApiError, Reply};
use crate::domain::workergroup::{Draft, Key};
use crate::domain::{Dialect, Resource, language};
use crate::widgets::text_input::{Pasted, TextInput};
use create::Creation;
use drift::Drift;
use form::{Focus, Form};
use health::Health;
use planner::Planner;
use preflight::{Panel, Subject, subject};

/// The state beside the table.
#[derive(Debug)]
pub struct Groups {
    /// The form and what is typed into it.
    pub form: Form,
    /// What became of the latest creation.
    pub creation: Creation,
    /// What a search finds.
    pub preflight: Panel,
    /// What every group's search finds.
    pub health: Health,
    /// What changed since the groups were last listed.
    pub drift: Drift,
}

impl Groups {
    /// Nothing filled in, nothing asked.
    pub fn new(dialect: &'static Dialect) -> Self {
        Self {
            form: Form::new(dialect),
            creation: Creation::default(),
            preflight: Panel::default(),
            health: Health::default(),
            drift: Drift::default(),
        }
    }
}

/// Does what an action of the pane asks for; `None` if it is none of the pane's.
pub(super) fn perform(model: &mut Model, now: Now, action: Action) -> Option<Vec<Effect>> {
    let effects = match action {
        Action::NewGroup => {
            show_form(model);
            Vec::new()
        }
        Action::CloneGroup => clone_selected(model, now),
        Action::GroupFromSearch => from_search(model, now),
        Action::Preflight => preflight::open(model, now),
        Action::PlanCapacity => {
            plan(model);
            Vec::new()
        }
        Action::SupplyHealth => health(model, now),
        Action::Drift => {
            model.state.groups.drift.unseen = 0;
            model.overlays.push(Overlay::GroupDrift { scroll: 0 });
            Vec::new()
        }
        Action::SwapDraft => {
            model.state.groups.form.swap();
            close_plan(model);
            Vec::new()
        }
        Action::BlankDraft => {
            model.state.groups.form.load(Draft::default());
            close_plan(model);
            if model.state.groups.form.has_replaced() {
                let key = model.state.keymap.way_to("other-draft");
                let text = format!("{key} brings the other draft back");
                model.show(Toast::new(text, now));
            }
            Vec::new()
        }
        _ => return None,
    };
    Some(effects)
}

/// Why an action of the pane cannot be done now, if it cannot.
pub(super) fn disabled(model: &Model, action: Action) -> Option<String> {
    let is_here = model.state.pane == Pane::Workergroups;
    let in_form = matches!(subject(model), Some(Subject::Draft(_)));
    let way = |name| model.state.keymap.way_to(name);
    let elsewhere =
        || (!is_here).then(|| format!("that is for workergroups: press {}", way("workergroups")));
    let selected = || {
        let row = model.state.browsers[Resource::Workergroups].selected_row();
        (row.is_none() && !in_form).then(|| "no workergroup is selected".to_owned())
    };
    let read_only = || {
        let refuses = model.state.profile.read_only;
        refuses.then(|| format!("nothing is created: {READ_ONLY}"))
    };
    match action {
        Action::NewGroup => elsewhere().or_else(read_only),
        Action::CloneGroup => elsewhere().or_else(read_only).or_else(selected),
        Action::GroupFromSearch => (model.state.pane != Pane::Offers)
            .then(|| {
                format!(
                    "it starts from a search for offers: press {}",
                    way("offers")
                )
            })
            .or_else(read_only),
        Action::Preflight | Action::PlanCapacity => elsewhere().or_else(selected),
        Action::SupplyHealth => elsewhere().or_else(|| {
            let listing = model.state.browsers[Resource::Workergroups].listing();
            listing
                .is_none_or(crate::domain::Listing::is_empty)
                .then(|| "there are no workergroups".to_owned())
        }),
        Action::Drift => elsewhere(),
        // The details of a group handle it before this is asked.
        Action::Secrets if is_here && model.overlays.is_empty() => {
            let key = model.state.keymap.key_of(Action::Open);
            Some(format!("Open the details first ({key})"))
        }
        Action::Secrets => elsewhere().or_else(selected).or_else(|| {
            let key = super::copy::api_key(&model.state);
            key.is_none().then(|| "This record has no key".to_owned())
        }),
        Action::SwapDraft => {
            let has_other = model.state.groups.form.has_replaced();
            (!has_other).then(|| "there is no other draft".to_owned())
        }
        _ => None,
    }
}

/// Whether an action is only for this pane.
pub(super) const fn is_own(action: Action) -> bool {
    matches!(
        action,
        Action::NewGroup
            | Action::CloneGroup
            | Action::Preflight
            | Action::PlanCapacity
            | Action::SupplyHealth
            | Action::Drift
            | Action::Secrets
    )
}

fn show_form(model: &mut Model) {
    model.state.groups.form.resumes = false;
    model.overlays.clear();
    model.overlays.push(Overlay::GroupForm);
}

fn fill_form(model: &mut Model, now: Now, draft: Draft) {
    model.state.groups.form.load(draft);
    show_form(model);
    if model.state.groups.form.has_replaced() {
        let key = model.state.keymap.way_to("other-draft");
        let text = format!("Your earlier draft is kept: {key} brings it back");
        model.show(Toast::new(text, now));
    }
}

fn clone_selected(model: &mut Model, now: Now) -> Vec<Effect> {
    let browser = &model.state.browsers[Resource::Workergroups];
    if let (Some(listing), Some(row)) = (browser.listing(), browser.selected_row()) {
        let draft = Draft::from_record(listing, row);
        fill_form(model, now, draft);
    }
    Vec::new()
}

fn from_search(model: &mut Model, now: Now) -> Vec<Effect> {
    let conditions = model.state.browsers[Resource::Offers]
        .query
        .active()
        .cloned();
    let (left_out, conditions): (Vec<_>, Vec<_>) =
        conditions.partition(|condition| condition.field.is_computed());
    let effects = super::actions::go_to(model, now, Pane::Workergroups);
    fill_form(model, now, Draft::from_conditions(&conditions));
    if !left_out.is_empty() {
        let text = language::print_briefly(&left_out);
        let text = format!("Left out, the market cannot filter on it: {text}");
        model.show(Toast::error(text, now));
    }
    effects
}

/// The planner of a draft goes with the draft.
fn close_plan(model: &mut Model) {
    if matches!(model.overlays.last(), Some(Overlay::GroupPlan(_))) {
        model.overlays.pop();
    }
}

fn plan(model: &mut Model) {
    let browser = &model.state.browsers[Resource::Workergroups];
    if matches!(model.overlays.last(), Some(Overlay::GroupPlan(_))) {
        return;
    }
    let planner = subject(model).and_then(|subject| match subject {
        Subject::Draft(number) => Some(Planner::of_draft(number, model.state.groups.form.draft())),
        Subject::Group(id) => {
            let listing = browser.listing()?;
            Some(Planner::of_row(listing, listing.row(id)?, id))
        }
    });
    if let Some(planner) = planner {
        model.overlays.push(Overlay::GroupPlan(Box::new(planner)));
    }
}

fn health(model: &mut Model, now: Now) -> Vec<Effect> {
    let crate::app::State {
        browsers,
        groups,
        tickets,
        ..
    } = &mut model.state;
    let workergroups = &mut browsers[Resource::Workergroups];
    if groups.health.running().is_some() {
        let effects = groups.health.stop();
        model.show(Toast::new("Stopped asking for the supply", now));
        return effects;
    }
    let dialect = workergroups.dialect();
    workergroups.listing().map_or_else(Vec::new, |listing| {
        groups.health.start(listing, dialect, tickets)
    })
}

/// Does what a verb means in an overlay of the pane; `None` if the topmost one is none.
pub(super) fn act(model: &mut Model, now: Now, action: Action) -> Option<Vec<Effect>> {
    let page = model.facts.overlay_page.max(1);
    let most = model.facts.overlay_lines.saturating_sub(page);
    match model.overlays.last_mut()? {
        Overlay::GroupForm => Some(in_form(model, now, action)),
        Overlay::GroupCreate(_) => Some(create::act(model, now, action)),
        Overlay::GroupPlan(planner) => {
            match action {
                Action::Back => {
                    note_plan(model);
                    model.overlays.pop();
                }
                Action::Submit => planner.step(1),
                Action::First => planner.focus = 0,
                Action::Last => planner.step(isize::MAX),
                action => {
                    if let Some(step) = movement(action, page) {
                        planner.step(step);
                    }
                }
            }
            Some(Vec::new())
        }
        Overlay::GroupPreflight { scroll } | Overlay::GroupDrift { scroll } => {
            if let Some(step) = movement(action, page) {
                *scroll = scroll.saturating_add_signed(step).min(most);
                return Some(Vec::new());
            }
            Some(in_report(model, now, action))
        }
        _ => None,
    }
}

/// Remembers the workers that were planned, for the costs of a preflight.
fn note_plan(model: &mut Model) {
    if let Some(Overlay::GroupPlan(planner)) = model.overlays.last()
        && let Ok((_, plan)) = planner.plan()
    {
        model.state.groups.preflight.planned = Some((planner.subject, plan.active));
    }
}

fn in_report(model: &mut Model, now: Now, action: Action) -> Vec<Effect> {
    let is_preflight = matches!(model.overlays.last(), Some(Overlay::GroupPreflight { .. }));
    match action {
        Action::Back => {
            let waited = is_preflight
                .then(|| model.state.groups.preflight.cancel())
                .flatten();
            if let Some(abort) = waited {
                model.show(Toast::new("Stopped waiting for the answer", now));
                if model.state.groups.preflight.remote().shown().is_none() {
                    model.overlays.pop();
                }
                return vec![abort];
            }
            model.overlays.pop();
        }
        Action::Submit => {
            model.overlays.pop();
        }
        Action::Refresh if is_preflight => {
            return preflight::again(model, now);
        }
        Action::Refresh => {
            return model.state.browsers[Resource::Workergroups].ask(&mut model.state.tickets, now);
        }
        _ => {}
    }
    Vec::new()
}

fn in_form(model: &mut Model, now: Now, action: Action) -> Vec<Effect> {
    let form = &mut model.state.groups.form;
    match action {
        Action::Back => {
            model.overlays.pop();
            if !model.state.groups.form.draft().is_blank() {
                let key = model.state.keymap.way_to("new-workergroup");
                let text = format!("The draft is kept: {key} brings it back");
                model.show(Toast::new(text, now));
            }
        }
        Action::Down => form.step(1),
        Action::Up => form.step(-1),
        Action::First => form.go_to(Focus::Field(Key::EndpointName)),
        Action::Last => form.go_to(Focus::Create),
        Action::Complete => form.take_mend(),
        Action::Submit => match form.focus() {
            Focus::Field(_) => form.step(1),
            Focus::SendDefaults => form.flip_defaults(),
            Focus::Preflight => return preflight::open(model, now),
            Focus::Create => return create_pressed(model, now),
        },
        _ => {}
    }
    Vec::new()
}

fn create_pressed(model: &mut Model, now: Now) -> Vec<Effect> {
    if let Some(why) = disabled(model, Action::NewGroup) {
        model.show(Toast::error(why, now));
        return Vec::new();
    }
    let has_open_question = model.state.groups.creation.unresolved().is_some();
    if !has_open_question && model.state.groups.form.attempt().is_none() {
        let text = "Nothing is sent: something in the form has to be mended first";
        model.show(Toast::error(text, now));
        return Vec::new();
    }
    create::open(model, now)
}

/// Types into the line of the topmost overlay, if it is one of the pane's; false if it is not.
pub(super) fn type_into(model: &mut Model, edit: impl FnOnce(&mut TextInput) -> bool) -> bool {
    match model.overlays.last_mut() {
        Some(Overlay::GroupForm) => model.state.groups.form.edit(edit),
        Some(Overlay::GroupCreate(dialog)) => dialog.edit(edit),
        Some(Overlay::GroupPlan(planner)) => {
            let place = planner.focus;
            edit(&mut planner.inputs[place]);
        }
        _ => return false,
    }
    true
}

/// Takes a pasted text: lines take it, a confirmation refuses it. `None` if the topmost overlay is
/// none of the pane's.
pub(super) fn paste(model: &mut Model, text: &str) -> Option<Pasted> {
    let mut pasted = Pasted { refused: 0 };
    if let Some(Overlay::GroupCreate(dialog)) = model.overlays.last_mut() {
        dialog.refuse_paste();
        return Some(pasted);
    }
    let took = type_into(model, |input| {
        pasted = input.paste(text);
        true
    });
    took.then_some(pasted)
}

/// Whether a preflight or the supply waits for this answer.
pub(super) fn awaits(model: &Model, ticket: Ticket) -> bool {
    model.state.groups.preflight.awaits(ticket) || model.state.groups.health.awaits(ticket)
}

/// Takes the answer to a preflight or about the supply in.
pub(super) fn answered(
    model: &mut Model,
    now: Now,
    ticket: Ticket,
    result: Result<Reply, ApiError>,
) -> Vec<Effect> {
    let crate::app::State {
        groups, tickets, ..
    } = &mut model.state;
    let answer = match result {
        Ok(Reply::Records(listing)) => Ok(listing),
        Ok(_) => return Vec::new(),
        Err(error) => Err(error),
    };
    if groups.preflight.awaits(ticket) {
        groups.preflight.answered(ticket, answer, now);
        return Vec::new();
    }
    groups.health.answered(answer, tickets, now)
}

/// Notes how a request of the pane's slots fares.
pub(super) fn progress(model: &mut Model, ticket: Ticket, attempt: u32, waiting: Option<&Waiting>) {
    let groups = &mut model.state.groups;
    groups.preflight.progress(ticket, attempt, waiting.cloned());
    groups.health.progress(ticket, waiting.cloned());
}

/// What follows from a new listing of the groups.
pub(super) fn listed(model: &mut Model, now: Now) -> Vec<Effect> {
    let Some(listing) = model.state.browsers[Resource::Workergroups].listing() else {
        return Vec::new();
    };
    let drift = &mut model.state.groups.drift;
    let seen = drift.unseen;
    let effect = drift.listed(listing, now);
    let new = drift.unseen - seen;
    let since = drift.found().next().map(|found| found.since);
    if let Some(since) = since.filter(|_| new > 0) {
        let noun = if new == 1 { "change" } else { "changes" };
        let then = model.local_time(now).minute(since);
        let key = model.state.keymap.way_to("drift");
        let text = format!("{new} {noun} since {then}: {key} shows them");
        model.show(Toast::new(text, now));
    }
    // What became of a creation matters more.
    create::listed(model, now);
    vec![effect]
}

/// The pane is left or comes into sight: a form that was open comes back with it.
pub(super) fn pane_changes(model: &mut Model) {
    let was_open = model
        .overlays
        .iter()
        .any(|overlay| matches!(overlay, Overlay::GroupForm));
    model.state.groups.form.resumes |= was_open && model.state.pane == Pane::Workergroups;
}

/// Shows the form again if it was open when the pane was left.
pub(super) fn pane_shown(model: &mut Model) {
    if model.state.pane == Pane::Workergroups && model.state.groups.form.resumes {
        show_form(model);
    }
}

/// When the pane wants to be drawn anew, on the clock that never jumps.
pub(super) fn deadline(model: &Model, now: Now) -> Option<f64> {
    let groups = &model.state.groups;
    let is_asking = groups.preflight.remote().is_loading() || groups.health.running().is_some();
    let asks = (is_asking && model.state.pane == Pane::Workergroups).then_some(now.mono + 0.25);
    [asks, create::deadline(model, now)]
        .into_iter()
        .flatten()
        .reduce(f64::min)
}
