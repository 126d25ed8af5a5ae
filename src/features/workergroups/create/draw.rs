//! Draws the dialog: the request with its worst-case cost, then the outcome; if that is unknown,
//! the listed groups.

use ratatui::layout::Rect;
use ratatui::text::Line;

use super::{CREATED, Create, MINE, NONE, Page};
use crate::api::Request;
use crate::core::mutations::{Stage, preview};
use crate::core::view::Scene;
use crate::core::views::write_dialog::{Rows, outcome_tone};
use crate::domain::catalog::WORKERGROUPS;
use crate::domain::journal::{Verdict, WriteKind};
use crate::domain::time::{Now, UnixTime};
use crate::domain::workergroup::{CostOutlook, Key, NewWorkergroup, Preflight, WorkerCounts};
use crate::domain::{CellRef, Resource, RowId, Untrusted, format};
use crate::features::workergroups::creation::{CREATE, OVER_LIMIT, Unresolved};
use crate::features::workergroups::form::new_endpoint;
use crate::features::workergroups::look::{Look, Subject};
use crate::features::workergroups::preflight::parts::{amount_text, disk};
use crate::features::workergroups::{Groups, check_of, excess, look_at, outlook};
use crate::keys::{Action, Context};
use crate::tui::panel::Tone;

/// Maximum width of the dialog, in cells.
const WIDEST: u16 = 92;

/// Maximum number of history lines.
const HISTORY: usize = 5;

const CANDIDATES: usize = 8;

/// Draws the page of the dialog that creates a workergroup: the confirmation, the outcome, or the decision on
/// an unknown one.
pub(super) fn dialog(view: &Create, area: Rect, scene: &mut Scene<'_, '_>) {
    let mut rows = Rows::new(area, WIDEST);
    let (title, tone) = match view.page {
        Page::Confirm => {
            confirm(view, &mut rows, scene);
            ("Create this workergroup?", Tone::Danger)
        }
        Page::Outcome => {
            creation_outcome(&mut rows, scene);
            let tone = outcome_tone(WriteKind::CreateWorkergroup, scene);
            ("Create a workergroup", tone)
        }
        Page::Unknown => {
            unknown_outcome(view, &mut rows, scene);
            ("Outcome unknown", Tone::Ask)
        }
    };
    let form = rows.draw(title, tone, area, scene);
    if view.page != Page::Outcome {
        scene.form(view.question.form(), form);
    }
}

/// Adds the lines before the creation of a workergroup: the group, its highest cost, warnings, the request,
/// the question, and the latest creations. None while the draft has mistakes.
fn confirm(view: &Create, rows: &mut Rows, scene: &Scene<'_, '_>) {
    let theme = scene.theme;
    let draft = &Groups::read(scene.state).draft;
    let Ok(new) = draft.built() else { return };
    rows.text(2, &describe_group(new, scene), theme.text);
    let look = look_at(scene.state, Subject::Draft(draft.number())).ok();
    let (cost, is_known) = cost(look.as_ref(), scene);
    let style = if is_known { theme.heading } else { theme.warning };
    rows.lead(&cost, style);
    let outlook = look.as_ref().map(|look| outlook(scene.state, look));
    if let Some(text) = outlook.and_then(|outlook| outlook.no_price_limit()) {
        rows.text(2, &format!("✗ {text}"), theme.error);
    }
    if let Some((why, _)) = excess(scene.state) {
        let (first, rest) = why.split_at(1);
        rows.text(0, &format!("✗ {}{rest}", first.to_uppercase()), theme.error);
    }
    let endpoint = new.endpoint_name.as_deref().unwrap_or_default();
    if let Some(text) = new_endpoint(endpoint, scene.state) {
        rows.text(2, &format!("! {text}"), theme.warning);
    }
    if let Some(text) = unknown_template(new, scene) {
        rows.text(1, &text, theme.warning);
    }
    rows.gap();
    let request = Request::CreateWorkergroup(new.clone());
    rows.request("Sends once:", &preview(&request, &scene.state.profile), scene);
    let is_ignored = |parameter: &str| Key::named(parameter).is_some_and(|key| key.parameter().inert.is_some());
    let (ignored, advice): (Vec<_>, Vec<_>) = draft.advice().iter().partition(|advice| is_ignored(advice.parameter));
    for advice in advice {
        let text = format!("! {}: {}", advice.parameter, advice.message);
        rows.text(6, &text, theme.warning);
    }
    if !ignored.is_empty() {
        let names: Vec<_> = ignored.iter().map(|advice| advice.parameter).collect();
        let text = format!("! The public market ignores {} here", names.join(", "));
        rows.text(6, &text, theme.warning);
    }
    if view.question.is_typed() {
        rows.gap();
    }
    rows.form(view.question.form(), scene);
    next_step(view, rows, scene);
    history(rows, scene);
}

/// Adds the line with the time until the workergroup's creation can be sent, or how to send it and who pays.
fn next_step(view: &Create, rows: &mut Rows, scene: &Scene<'_, '_>) {
    let theme = scene.theme;
    let wait = scene.state.mutations.ready_in(WriteKind::CreateWorkergroup, scene.now);
    let enter = scene.key(Action::Submit);
    let (text, style) = match (wait > 0.0, view.is_early) {
        (true, _) => (
            format!(
                "Rate limited: can be sent in {:.0} s. Nothing is sent by itself: press {enter} then.",
                wait.ceil()
            ),
            theme.warning,
        ),
        (false, true) => (format!("Ready: press {enter} to send."), theme.warning),
        (false, false) if view.is_over_limit => (
            format!(
                "Type {OVER_LIMIT}, then {enter} sends it and notes it in the history. {}",
                bill(scene)
            ),
            theme.dim,
        ),
        (false, false) if view.question.is_typed() => (
            format!("Type {CREATE}, then {enter} sends it. {}", bill(scene)),
            theme.dim,
        ),
        (false, false) => (bill(scene).to_owned(), theme.dim),
    };
    rows.text(1, &text, style);
}

/// Adds the earlier creations of workergroups, newest first, below a heading: at most 5 lines, the last of
/// which counts those left out. Nothing without any.
fn history(rows: &mut Rows, scene: &Scene<'_, '_>) {
    rows.history("History (UTC)", WriteKind::CreateWorkergroup, HISTORY, scene);
}

/// A sentence on the workergroup to create: endpoint, template, search, and the highest number of machines it
/// rents.
fn describe_group(new: &NewWorkergroup, scene: &Scene<'_, '_>) -> String {
    let clean = |text: &str| Untrusted::from(text).for_confirmation();
    let endpoint = match (&new.endpoint_name, new.endpoint_id) {
        (Some(name), _) => format!("endpoint {}", clean(name)),
        (None, Some(id)) => format!("endpoint no. {id}"),
        (None, None) => "no endpoint".to_owned(),
    };
    let template = match (&new.template_hash, new.template_id) {
        (Some(hash), _) => format!(", workers from template {}", clean(hash)),
        (None, Some(id)) => format!(", workers from template no. {id}"),
        (None, None) => String::new(),
    };
    let search = new
        .search_params
        .as_ref()
        .map(|search| format!(", machines where {}", clean(search)))
        .unwrap_or_default();
    let workers = WorkerCounts::new(new, scene.state.profile.dialect);
    let (most, reason) = (workers.worst(), workers.explain_worst());
    let reason = reason.map_or_else(String::new, |reason| format!(": {reason}"));
    let paid = if scene.state.profile.is_sandbox {
        ""
    } else {
        ", and you pay for them"
    };
    format!(
        "A workergroup for {endpoint}{template}{search}. The market rents up to {most} machines for \
         it{paid}{reason}."
    )
}

/// A sentence on the bill for workers: none in the sandbox, and on other markets for every worker.
const fn bill(scene: &Scene<'_, '_>) -> &'static str {
    if scene.state.profile.is_sandbox {
        "This is the sandbox: nothing is billed."
    } else {
        "The market bills you for every worker."
    }
}

/// A warning about a template that no listed workergroup uses; `None` if one does, no template is set, or the
/// groups are not listed.
///
/// The market does not reject a mistyped hash, but its workers never start.
fn unknown_template(new: &NewWorkergroup, scene: &Scene<'_, '_>) -> Option<String> {
    let listing = scene.state.browsers[Resource::Workergroups].listing()?;
    let (name, typed) = match (&new.template_hash, new.template_id) {
        (Some(hash), _) => ("template_hash", hash.clone()),
        (None, Some(id)) => ("template_id", id.to_string()),
        (None, None) => return None,
    };
    let field = listing.catalog().by_key(name)?;
    let mut rows = 0..listing.len();
    let is_used = rows.any(|row| match listing.cell(row, field) {
        CellRef::Text(text) => text == typed,
        CellRef::Number(id) => format::number(field, id) == typed,
        CellRef::Flag(_) | CellRef::Missing | CellRef::Null | CellRef::Bad(_) => false,
    });
    let typed = Untrusted::from(typed.as_str()).for_confirmation();
    (!is_used).then(|| format!("! None of your workergroups uses template {typed}: check it before you create."))
}

/// The worst-case cost of the workergroup to create as text, from the check of its search; false if it is not
/// known, because the check is missing, failed, is running, or leaves it open.
fn cost(look: Option<&Look>, scene: &Scene<'_, '_>) -> (String, bool) {
    let Some(look) = look else {
        return ("Cost unknown.".to_owned(), false);
    };
    let check = check_of(scene.state, look);
    if let Some(error) = check.and_then(|check| check.remote().error()) {
        return (format!("Cost unknown: {}.", error.headline()), false);
    }
    let Some(preflight) = check.and_then(|check| check.remote().shown()) else {
        return ("Working out the highest cost …".to_owned(), false);
    };
    let (text, is_known) = at_most(preflight, &look.outlook(Ok(preflight)));
    let note = look.notes.first().map_or_else(String::new, |note| format!(" ({note})"));
    (text + &note, is_known)
}

/// The worst-case cost of a workergroup as text, from the report on its search; false if the highest price is
/// unknown, or no machine matches.
fn at_most(preflight: &Preflight, outlook: &CostOutlook) -> (String, bool) {
    let Some(worst) = &outlook.worst else {
        return (
            "! No machine matches the search now: no worker starts until one does. Cost unknown.".to_owned(),
            false,
        );
    };
    let machines = amount_text(preflight.recruitable);
    let sum = format!("{} with {}", worst.formula(), disk(preflight.disk));
    if let Some(reason) = &outlook.unknown {
        let text = format!("More than {sum}: {reason} ({machines}), the highest price is unknown. An estimate.");
        return (text, false);
    }
    (
        format!(
            "At most {sum}, at the highest price that matches now ({machines}). An estimate: offers \
             change, and traffic is billed on top."
        ),
        true,
    )
}

/// Adds the lines for the creation of a workergroup in flight, or for its outcome with advice; "Nothing in
/// flight." if none was sent.
fn creation_outcome(rows: &mut Rows, scene: &Scene<'_, '_>) {
    let theme = scene.theme;
    match scene.state.mutations.stage(WriteKind::CreateWorkergroup) {
        Stage::InFlight(sent) => {
            rows.in_flight("Creating the workergroup for", sent, scene);
        }
        Stage::Completed(write) => {
            rows.completed(write, scene);
            let advice = match write.verdict {
                Verdict::Done => "Refreshing the list.",
                Verdict::Refused => "Nothing was created. The form is unchanged.",
                Verdict::Unknown => "The form is unchanged.",
            };
            rows.text(2, advice, theme.dim);
            let unsaved = scene.state.sandbox.unsaved;
            if let (Verdict::Done, Some(why)) = (write.verdict, unsaved) {
                let text = format!("It ends with this sandbox when you quit: {why}.");
                rows.text(2, &text, theme.warning);
            }
            history(rows, scene);
        }
        Stage::Idle | Stage::Confirming(_) => rows.text(0, "Nothing in flight.", theme.dim),
    }
}

/// Adds the lines for a workergroup's creation with an unknown outcome: the group, the listed candidates, and
/// the words that decide. None if no outcome is unknown.
fn unknown_outcome(view: &Create, rows: &mut Rows, scene: &Scene<'_, '_>) {
    let theme = scene.theme;
    let Some(unresolved) = Groups::read(scene.state).creation.unresolved() else {
        return;
    };
    let text = format!(
        "The workergroup may or may not have been created: {}. Sent once, {} ago, and not sent again.",
        unresolved.why,
        age(scene.now, unresolved.sent)
    );
    rows.lead(&text, theme.warning);
    rows.text(4, &describe_group(&unresolved.asked, scene), theme.dim);
    rows.gap();
    listed_candidates(view, unresolved, rows, scene);
    rows.gap();
    rows.form(view.question.form(), scene);
    let enter = scene.key(Action::Submit);
    let mine = if unresolved.candidates.is_empty() {
        String::new()
    } else {
        format!("Type {MINE} and {enter}: the workergroup marked > is yours. ")
    };
    let refresh = scene.state.keymap.key_in(&[Context::Form], Action::Refresh);
    let text = format!(
        "{mine}Type {NONE} and {enter}: it was not created, and can be sent again. Type {CREATED}: it \
         was created, though not listed. {refresh} refreshes the list; {} decides later.",
        scene.key(Action::Back)
    );
    rows.text(1, &text, theme.dim);
}

/// Adds the lines of the listed groups (at most 8) that may be the result of a creation with an unknown
/// outcome, the selected one marked, or that there is none; before them the state of their listing while it
/// is loading or failed.
fn listed_candidates(view: &Create, unresolved: &Unresolved, rows: &mut Rows, scene: &Scene<'_, '_>) {
    let theme = scene.theme;
    let remote = scene.state.browsers[Resource::Workergroups].remote();
    if remote.is_loading() {
        rows.text(0, "Listing the workergroups …", theme.accent);
    } else if let Some(error) = remote.error() {
        let text = format!("Workergroups not listed: {error}");
        rows.text(0, &text, theme.error);
    }
    let Some(at) = unresolved.listed else { return };
    let ago = age(scene.now, at);
    if unresolved.candidates.is_empty() {
        let text = format!(
            "No new workergroup matches (listed {ago} ago). That does not mean that it failed: it may \
             still appear."
        );
        rows.lead(&text, theme.text);
        return;
    }
    let text = match &unresolved.before {
        Some(_) => format!("New and matching (listed {ago} ago):"),
        None => format!("Matching (listed {ago} ago; unknown whether they are new):"),
    };
    rows.text(3, &text, theme.text);
    let last = unresolved.candidates.len() - 1;
    for (index, id) in unresolved.candidates.iter().enumerate().take(CANDIDATES) {
        let is_selected = index == view.selected.min(last);
        let (sign, style) = if is_selected {
            ("> ", theme.heading)
        } else {
            ("  ", theme.text)
        };
        let text = format!("{sign}{}", group(*id, scene));
        rows.line(u8::from(!is_selected), Line::styled(text, style));
    }
}

/// The line of a workergroup: id, endpoint and time of creation; only the id if it is no longer listed.
fn group(id: RowId, scene: &Scene<'_, '_>) -> String {
    let listing = scene.state.browsers[Resource::Workergroups].listing();
    let row = listing.and_then(|listing| Some((listing, listing.row(id)?)));
    let Some((listing, row)) = row else {
        return id.to_string();
    };
    let field = |key: &str| WORKERGROUPS.by_key(key);
    let endpoint = field("endpoint_name")
        .and_then(|field| listing.column(field).text(row))
        .map_or_else(String::new, |name| format!("  {}", name.for_confirmation()));
    let created = match field("created_at").map(|field| listing.cell(row, field)) {
        Some(CellRef::Number(seconds)) => {
            format!(
                "  created {}",
                scene.state.local_time(scene.now).detail(UnixTime::new(seconds))
            )
        }
        _ => String::new(),
    };
    format!("{id}{endpoint}{created}")
}

/// The time from `then` to now as text; zero if the clock was set back.
fn age(now: Now, then: Now) -> String {
    format::span((now.epoch - then.epoch).max(0.0))
}
