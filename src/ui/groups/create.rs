//! The confirmation of a creation: what is sent, what it can cost at most; then its outcome, and
//! where nobody knows it, what the list shows.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use super::preflight::{amount, disk, dollars};
use crate::api::Request;
use crate::app::Model;
use crate::app::groups::create::{CREATE, CreateDialog, MINE, NONE, Page, Unresolved};
use crate::app::groups::preflight::{Look, Subject};
use crate::app::remote::Now;
use crate::app::write::{Stage, consent};
use crate::domain::catalog::WORKERGROUPS;
use crate::domain::insight::Coverage;
use crate::domain::journal::{Deed, Verdict};
use crate::domain::workergroup::{NewWorkergroup, Preflight, WorkerCounts};
use crate::domain::{CellRef, Resource, RowId};
use crate::ui::paint;
use crate::ui::picker::frame;
use crate::ui::write::{self, Row};
use crate::widgets::theme::Theme;

/// The widest that the dialog gets, in cells.
const WIDEST: u16 = 96;

/// Lines of history that are shown at most.
const HISTORY: usize = 5;

/// Draws the dialog; gives the cursor's place.
pub fn draw(
    buffer: &mut Buffer,
    area: Rect,
    model: &Model,
    dialog: &CreateDialog,
    now: Now,
    theme: &Theme,
) -> Option<Position> {
    let width = area.width.saturating_sub(2).min(WIDEST);
    let text_width = width.saturating_sub(4);
    let (title, rows) = match dialog.page {
        Page::Confirm => (
            "Create this workergroup?",
            confirm(model, dialog, now, text_width, theme),
        ),
        Page::Outcome => (
            "Creating a workergroup",
            outcome(model, now, text_width, theme),
        ),
        Page::Unknown => (
            "Outcome unknown",
            unknown(model, dialog, now, text_width, theme),
        ),
    };
    let height = u16::try_from(rows.len())
        .unwrap_or(u16::MAX)
        .saturating_add(2);
    // The footer with the keys stays in sight.
    let place = Rect {
        height: area.height.saturating_sub(1),
        ..area
    };
    let inner = frame(buffer, place, (width, height), title, theme);
    let inner = Rect {
        x: inner.x + 1,
        width: inner.width.saturating_sub(2),
        ..inner
    };
    write::draw(buffer, inner, rows)
}

fn confirm(model: &Model, dialog: &CreateDialog, now: Now, width: u16, theme: &Theme) -> Vec<Row> {
    let Ok(new) = model.groups.form.built() else {
        return Vec::new();
    };
    let mut rows = write::wrapped(2, &what(new), width, theme.text);
    let (cost, is_known) = cost(model, new);
    let style = if is_known {
        theme.heading
    } else {
        theme.warning
    };
    rows.extend(first_lines(&cost, width, style));
    rows.push(Row::new(7, "", theme.dim));
    let request = Request::CreateWorkergroup(new.clone());
    rows.extend(write::consent(
        &consent(&request, &model.profile),
        width,
        theme,
    ));
    for advice in model.groups.form.advice() {
        let text = format!("! {}: {}", advice.parameter, advice.message);
        rows.extend(write::wrapped(6, &text, width, theme.warning));
    }
    rows.push(Row::new(7, "", theme.dim));
    rows.push(Row::input(
        "Type create",
        &dialog.typed.input,
        true,
        width,
        theme,
    ));
    if let Some(complaint) = &dialog.complaint {
        rows.extend(write::wrapped(0, complaint, width, theme.error));
    }
    let wait = model.writes.ready_in(Deed::CreateWorkergroup, now);
    let (enter, esc) = keys(model);
    let (text, style) = match (wait > 0.0, dialog.early) {
        (true, _) => (
            format!(
                "The market wants a pause: may be sent in {:.0} s. Nothing is sent by itself: press \
                 {enter} then.",
                wait.ceil()
            ),
            theme.warning,
        ),
        (false, true) => (format!("It may be sent now: press {enter}."), theme.warning),
        (false, false) => (
            format!("Type {CREATE}; {enter} then sends it, once. {esc} goes back to the form."),
            theme.dim,
        ),
    };
    rows.extend(write::wrapped(1, &text, width, style));
    rows.extend(history(model, width, theme));
    rows
}

/// A text whose first two lines stay longest: they hold the sum, or what happened.
fn first_lines(text: &str, width: u16, style: Style) -> Vec<Row> {
    let lines = paint::wrap(text, width).into_iter().enumerate();
    lines
        .map(|(index, line)| Row::new(if index < 2 { 0 } else { 2 }, line, style))
        .collect()
}

/// The keys that take what is typed and that step back.
fn keys(model: &Model) -> (String, String) {
    let way = |name| model.keymap.way_to(name);
    (way("confirm"), way("step-back"))
}

fn history(model: &Model, width: u16, theme: &Theme) -> Vec<Row> {
    write::history(
        "Creations in this profile (UTC)",
        &model.writes,
        Deed::CreateWorkergroup,
        HISTORY,
        width,
        theme,
    )
}

/// What will be there afterwards, in a sentence.
fn what(new: &NewWorkergroup) -> String {
    let clean = |text: &str| crate::domain::Untrusted::from(text).consent();
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
    let most = WorkerCounts::of(new, None).max;
    format!(
        "A workergroup for {endpoint}{template}{search}. The market will rent machines for it, {most} at \
         most, and you pay for them."
    )
}

/// What it can cost at most, in words, and whether that is known.
fn cost(model: &Model, new: &NewWorkergroup) -> (String, bool) {
    let panel = &model.groups.preflight;
    let look = match Look::at(model, Subject::Draft(model.groups.form.number())) {
        Ok(look) if panel.is_about(&look) => look,
        _ => {
            let why = panel
                .remote()
                .error()
                .map_or_else(String::new, |error| format!(": {}", error.headline()));
            return (format!("What it can cost is not known{why}."), false);
        }
    };
    let Some(found) = panel.remote().shown() else {
        let text = "What it can cost at most is being worked out …";
        return (text.to_owned(), false);
    };
    let (text, is_known) = at_most(found, WorkerCounts::of(new, None).max);
    let note = look
        .notes
        .first()
        .map_or_else(String::new, |note| format!(" ({note})"));
    (text + &note, is_known)
}

fn at_most(found: &Preflight, workers: u32) -> (String, bool) {
    let (Some(cost), Some(prices)) = (found.cost(workers), found.prices) else {
        let text = "No offer matches the search now: what it can cost is not known.";
        return (text.to_owned(), false);
    };
    let machines = amount(found.recruitable);
    let sum = format!(
        "{workers} workers x ${:.4} = {} an hour with {}",
        prices.highest,
        dollars(cost.most),
        disk(found.disk)
    );
    if found.coverage == Coverage::Cut {
        let text = format!(
            "More than {sum}: only the cheapest offers were loaded ({machines}), and the highest \
             price is not known. An estimate."
        );
        return (text, false);
    }
    (
        format!(
            "At most {sum}, all at the highest price of what matches now ({machines}). An estimate: \
             offers change, and traffic is billed on top."
        ),
        true,
    )
}

fn outcome(model: &Model, now: Now, width: u16, theme: &Theme) -> Vec<Row> {
    match model.writes.stage(Deed::CreateWorkergroup) {
        Stage::Sent(flight) => {
            write::under_way("Creating a workergroup for", flight, now, width, theme)
        }
        Stage::Over(settled) => {
            let mut rows = write::over(Deed::CreateWorkergroup, settled, width, theme);
            let close = model.keymap.way_to("close-creation");
            let advice = match settled.verdict {
                Verdict::Done => {
                    "The list is fetched again, and the new group selected in it.".to_owned()
                }
                Verdict::Refused => format!(
                    "Nothing was created. {close} leads back to the form, filled in as it was."
                ),
                Verdict::Unknown => format!("{close} leads back to the form."),
            };
            rows.extend(write::wrapped(2, &advice, width, theme.dim));
            if let (Verdict::Done, Some(why)) = (settled.verdict, model.sandbox.unsaved) {
                let text = format!("It ends with this sandbox when you quit: {why}.");
                rows.extend(write::wrapped(2, &text, width, theme.warning));
            }
            rows.extend(history(model, width, theme));
            rows
        }
        Stage::Idle | Stage::Confirming(_) => {
            vec![Row::new(0, "Nothing is under way.", theme.dim)]
        }
    }
}

fn unknown(model: &Model, dialog: &CreateDialog, now: Now, width: u16, theme: &Theme) -> Vec<Row> {
    let Some(unresolved) = model.groups.creation.unresolved() else {
        return Vec::new();
    };
    let ago = crate::ui::age(now, unresolved.sent);
    let text = format!(
        "Nobody knows whether the workergroup was created: {}. It was sent once, {ago} ago, and is \
         not sent again.",
        unresolved.why
    );
    let mut rows = first_lines(&text, width, theme.warning);
    rows.extend(write::wrapped(
        4,
        &what(&unresolved.asked),
        width,
        theme.dim,
    ));
    rows.push(Row::new(7, "", theme.dim));
    rows.extend(shown(model, unresolved, dialog.selected, now, width, theme));
    rows.push(Row::new(7, "", theme.dim));
    rows.push(Row::input(
        "You decide",
        &dialog.typed.input,
        true,
        width,
        theme,
    ));
    if let Some(complaint) = &dialog.complaint {
        rows.extend(write::wrapped(0, complaint, width, theme.error));
    }
    let (enter, esc) = keys(model);
    let mine = if unresolved.candidates.is_empty() {
        String::new()
    } else {
        format!("Type {MINE} and {enter}: the group marked > is the one. ")
    };
    let again = model.keymap.way_to("list-again");
    let text = format!(
        "{mine}Type {NONE} and {enter}: it was not created; the form stays and may be sent again. {esc} \
         leaves it open. {again} lists again."
    );
    rows.extend(write::wrapped(1, &text, width, theme.dim));
    rows
}

/// What the list shows of it.
fn shown(
    model: &Model,
    unresolved: &Unresolved,
    selected: usize,
    now: Now,
    width: u16,
    theme: &Theme,
) -> Vec<Row> {
    let remote = model.browsers[Resource::Workergroups].remote();
    let mut rows = Vec::new();
    if remote.is_loading() {
        rows.push(Row::new(0, "The groups are being listed …", theme.accent));
    } else if let Some(error) = remote.error() {
        let text = format!("The groups could not be listed: {error}");
        rows.extend(write::wrapped(0, &text, width, theme.error));
    }
    let Some(listed) = unresolved.listed else {
        return rows;
    };
    let ago = crate::ui::age(now, listed);
    if unresolved.candidates.is_empty() {
        let text = format!(
            "The list of {ago} ago shows no new group that matches. That does not mean that it failed: \
             it may still appear."
        );
        rows.extend(first_lines(&text, width, theme.text));
        return rows;
    }
    let text = match &unresolved.before {
        Some(_) => format!("The list of {ago} ago shows what was not there before and matches:"),
        None => format!(
            "The list of {ago} ago shows these that match; what was there before is not known:"
        ),
    };
    rows.extend(write::wrapped(3, &text, width, theme.text));
    for (index, id) in unresolved.candidates.iter().enumerate().take(8) {
        let is_selected = index == selected;
        let sign = if is_selected { "> " } else { "  " };
        let style = if is_selected {
            theme.heading
        } else {
            theme.text
        };
        rows.push(Row::new(
            u8::from(!is_selected),
            format!("{sign}{}", group(model, *id, now)),
            style,
        ));
    }
    rows
}

/// A listed group in a line.
fn group(model: &Model, id: RowId, now: Now) -> String {
    let listing = model.browsers[Resource::Workergroups].listing();
    let row = listing.and_then(|listing| Some((listing, listing.row(id)?)));
    let Some((listing, row)) = row else {
        return id.to_string();
    };
    let field = |key: &str| WORKERGROUPS.by_key(key);
    let endpoint = field("endpoint_name")
        .and_then(|field| listing.column(field).text(row))
        .map_or_else(String::new, |name| format!("  {}", name.consent()));
    let created = match field("created_at").map(|field| listing.cell(row, field)) {
        Some(CellRef::Number(epoch)) => {
            format!("  created {}", model.local_time(now).detail(epoch))
        }
        _ => String::new(),
    };
    format!("{id}{endpoint}{created}")
}
