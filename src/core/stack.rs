//! Passes events to the open views, and carries out the changes they request.
//!
//! The stack of views starts with the view of the open pane, at index 0; what is open over it
//! follows.

use super::actions;
use super::commands::Commands;
use super::exported::{NotWritten, Written};
use super::frame_layout::Target;
use super::message::{Effect, Toast};
use super::model::Model;
use super::mutations::Completed;
use super::view::{Availability, Change, Cx, Outcome, Region, Response, View};
use crate::domain::text::is_hostile;
use crate::keys::{Action, Context};
use crate::table::remote::{Now, Ticket, Waiting};
use crate::widgets::text_area::LONGEST_TEXT;
use crate::widgets::text_input::{LONGEST_LINE, Pasted};

/// Runs `act` on the view at an index of the stack; `None` if there is no view.
fn with<R>(
    model: &mut Model,
    now: Now,
    place: usize,
    act: impl FnOnce(&mut dyn View, &mut Cx<'_>) -> R,
) -> Option<(R, Vec<Effect>)> {
    let Model {
        state,
        panes,
        overlays,
        facts,
        ..
    } = model;
    let view = match place.checked_sub(1) {
        None => &mut panes[state.pane as usize],
        Some(above) => overlays.get_mut(above)?,
    };
    let mut cx = Cx::new(state, facts, place, now);
    let result = act(&mut **view, &mut cx);
    let (changes, mut effects) = (cx.changes, cx.effects);
    for change in changes {
        effects.extend(carry_out(model, now, place, change));
    }
    Some((result, effects))
}

fn carry_out(model: &mut Model, now: Now, place: usize, change: Change) -> Vec<Effect> {
    match change {
        Change::Open(view) => {
            model.overlays.push(view);
            Vec::new()
        }
        Change::Close => close_from(model, now, place),
        Change::CloseAll => close_from(model, now, 0),
        Change::Perform(action) => actions::perform(model, now, action),
        Change::PerformOnPane(action) => perform_on_pane(model, now, action),
        Change::GoTo(pane) => {
            let mut effects = close_from(model, now, 0);
            effects.extend(actions::go_to(model, now, pane));
            effects
        }
    }
}

/// Performs an action on the pane, whatever is open over it.
fn perform_on_pane(model: &mut Model, now: Now, action: Action) -> Vec<Effect> {
    match with(model, now, 0, |view, cx| view.act(action, cx)) {
        Some((Outcome::Handled, effects)) => effects,
        Some((Outcome::Ignored, _)) | None => open(model, now, action).unwrap_or_else(|| {
            ignored(model, now, action);
            Vec::new()
        }),
    }
}

/// Closes the view at an index of the stack and all above it, topmost first. The pane stays.
pub(crate) fn close_from(model: &mut Model, now: Now, place: usize) -> Vec<Effect> {
    let mut effects = Vec::new();
    let place = place.max(1);
    while model.overlays.len() >= place {
        let top = model.overlays.len();
        let closed = with(model, now, top, |view, cx| view.closing(cx));
        effects.extend(closed.into_iter().flat_map(|((), effects)| effects));
        model.overlays.truncate(top - 1);
    }
    effects.extend(resumed(model, now));
    effects
}

/// Tells the topmost view that it has the keyboard again.
pub(crate) fn resumed(model: &mut Model, now: Now) -> Vec<Effect> {
    let resumed = with_top(model, now, |view, cx| view.resumed(cx));
    resumed.map_or_else(Vec::new, |((), effects)| effects)
}

/// Runs `act` on the topmost view.
fn with_top<R>(
    model: &mut Model,
    now: Now,
    act: impl FnOnce(&mut dyn View, &mut Cx<'_>) -> R,
) -> Option<(R, Vec<Effect>)> {
    with(model, now, model.overlays.len(), act)
}

/// Passes an action to the topmost view; `None` if the view ignores it.
pub(crate) fn update(model: &mut Model, now: Now, action: Action) -> Option<Vec<Effect>> {
    let (outcome, effects) = with_top(model, now, |view, cx| view.act(action, cx))?;
    match outcome {
        Outcome::Handled => Some(effects),
        Outcome::Ignored => None,
    }
}

/// Opens the view of an action; `None` if it has none.
pub(crate) fn open(model: &mut Model, now: Now, action: Action) -> Option<Vec<Effect>> {
    let commands = matches!(action, Action::Help | Action::Palette).then(|| Commands::of(model));
    let Model {
        state,
        overlays,
        facts,
        views,
        ..
    } = model;
    let place = overlays.len();
    let mut cx = Cx::new(state, facts, place, now);
    cx.commands = commands;
    let is_opened = (views.open)(action, &mut cx);
    let (changes, mut effects) = (cx.changes, cx.effects);
    for change in changes {
        effects.extend(carry_out(model, now, place, change));
    }
    is_opened.then_some(effects)
}

/// Says that an action has no meaning here, unless the last press was the same.
pub(crate) fn ignored(model: &mut Model, now: Now, action: Action) {
    if model.state.keyboard.is_repeat() {
        return;
    }
    let key = model.state.keymap.key_of(action);
    model.state.toast = Some(Toast::error(format!("{key} does nothing here"), now));
}

/// Passes an unbound key to the topmost view.
pub(crate) fn typed(model: &mut Model, now: Now, key: crossterm::event::KeyEvent) -> Option<(Outcome, Vec<Effect>)> {
    with_top(model, now, |view, cx| view.typed(key, cx))
}

/// Whether every text field leaves a character out of a paste.
fn is_left_out(character: char) -> bool {
    is_hostile(character) && !matches!(character, '\n' | '\r' | '\t')
}

/// Gives a pasted text to the topmost view, and says what it leaves out.
pub(crate) fn pasted(model: &mut Model, now: Now, text: &str) -> Option<Vec<Effect>> {
    let view = top(model);
    let room = if view.contexts().contains(&Context::Editor) {
        LONGEST_TEXT
    } else {
        LONGEST_LINE
    };
    if view.takes_text() && text.len() > room {
        let pasted = Pasted {
            too_long: text.len(),
            ..Pasted::default()
        };
        model.state.toast = pasted.notice().map(|notice| Toast::error(notice, now));
        return Some(Vec::new());
    }
    let before = model.state.toast.take();
    let (outcome, effects) = with_top(model, now, |view, cx| view.paste(text, cx))?;
    let left_out = text.chars().filter(|one| is_left_out(*one)).count();
    if outcome == Outcome::Ignored {
        model.state.toast = Some(Toast::error("Can't paste here", now));
    } else if model.state.toast.is_none() && left_out > 0 && !top(model).asks_consent() {
        let text = format!("{left_out} invisible or control characters left out");
        model.state.toast = Some(Toast::error(text, now));
    } else if model.state.toast.is_none() {
        model.state.toast = before;
    }
    Some(effects)
}

/// Passes the text from the person's editor to the topmost view: only that one can have opened it,
/// because the editor had the keyboard in between.
pub(crate) fn edited(model: &mut Model, now: Now, text: Result<String, String>) -> Vec<Effect> {
    match text {
        Ok(text) => {
            with_top(model, now, |view, cx| view.edited(&text, cx)).map_or_else(Vec::new, |(_, effects)| effects)
        }
        Err(why) => {
            model.state.toast = Some(Toast::error(why, now));
            Vec::new()
        }
    }
}

/// Passes a click to the topmost view, if it is on one of its lines.
pub(crate) fn clicked(model: &mut Model, now: Now, x: u16, y: u16) -> Option<Vec<Effect>> {
    let top = model.overlays.len();
    let hit: Option<(Region, usize)> = match model.facts.at(x, y) {
        Some(Target::Item(region, line)) => Some((region, line)),
        Some(_) => None,
        None => model.facts.line_at(top, x, y),
    };
    let (region, line) = hit?;
    with(model, now, top, |view, cx| view.click(region, line, cx)).map(|(_, effects)| effects)
}

/// Passes a turn of the wheel to the topmost view.
pub(crate) fn wheel(model: &mut Model, now: Now, lines: isize) -> Option<Vec<Effect>> {
    with_top(model, now, |view, cx| view.wheel(lines, cx)).map(|((), effects)| effects)
}

/// Offers a response to every view, topmost first; returns it if none waits for it.
pub(crate) fn response(
    model: &mut Model,
    now: Now,
    ticket: Ticket,
    response: Response,
) -> (Option<Response>, Vec<Effect>) {
    let mut left = Some(response);
    let mut all = Vec::new();
    for place in (0..=model.overlays.len()).rev() {
        let Some(response) = left.take() else { break };
        let mut offered = Some(response);
        let taken = with(model, now, place, |view, cx| {
            offered.take().and_then(|it| view.response(ticket, it, cx))
        });
        match taken {
            Some((rest, effects)) => {
                left = rest;
                all.extend(effects);
            }
            // There is no such view: the offer was not touched.
            None => left = offered,
        }
    }
    (left, all)
}

/// Offers the result of an export to every view, topmost first; returns it if none wrote the file.
pub(crate) fn exported(
    model: &mut Model,
    now: Now,
    result: Result<Written, NotWritten>,
) -> Option<Result<Written, NotWritten>> {
    let mut left = Some(result);
    for place in (0..=model.overlays.len()).rev() {
        with(model, now, place, |view, cx| {
            left = left.take().and_then(|result| view.exported(result, cx));
        });
    }
    left
}

/// Tells the views the outcome of a write, topmost first, until one shows it; returns whether one
/// does.
pub(crate) fn write_completed(model: &mut Model, now: Now, write: &Completed) -> (bool, Vec<Effect>) {
    let mut all = Vec::new();
    for place in (0..=model.overlays.len()).rev() {
        let told = with(model, now, place, |view, cx| view.write_completed(write, cx));
        if let Some((outcome, effects)) = told {
            all.extend(effects);
            if outcome == Outcome::Handled {
                return (true, all);
            }
        }
    }
    (false, all)
}

/// Tells every view the progress of a request.
pub(crate) fn progress(model: &mut Model, ticket: Ticket, attempt: u32, waiting: Option<&Waiting>) {
    for view in views(&mut model.panes, &mut model.overlays) {
        view.progress(ticket, attempt, waiting);
    }
}

/// The earliest deadline of a view.
pub(crate) fn deadline(model: &Model, now: Now) -> Option<f64> {
    let above = model.overlays.iter().map(|view| &**view);
    let views = std::iter::once(model.pane_view()).chain(above);
    views
        .filter_map(|view| view.deadline(&model.state, now))
        .reduce(f64::min)
}

/// Ticks every view, topmost first.
pub(crate) fn tick(model: &mut Model, now: Now) -> Vec<Effect> {
    let places = 0..=model.overlays.len();
    places
        .rev()
        .filter_map(|place| with(model, now, place, |view, cx| view.tick(cx)))
        .flat_map(|((), effects)| effects)
        .collect()
}

/// Tells every view that rows have changed.
pub(crate) fn rows_changed(model: &mut Model) {
    for view in views(&mut model.panes, &mut model.overlays) {
        view.rows_changed(&model.state);
    }
}

/// The views of all panes, then those open over them.
fn views<'a>(
    panes: &'a mut [Box<dyn View>],
    overlays: &'a mut [Box<dyn View>],
) -> impl Iterator<Item = &'a mut Box<dyn View>> {
    panes.iter_mut().chain(overlays)
}

/// The view that has the keyboard.
pub(crate) fn top(model: &Model) -> &dyn View {
    let above = model.overlays.last();
    above.map_or_else(|| model.pane_view(), |view| &**view)
}

/// Whether an action is available in the view that has the keyboard.
pub(crate) fn availability(model: &Model, action: Action) -> Availability {
    let view = top(model);
    if let Some(find) = view.search() {
        if find.is_useless(action) {
            return Availability::Hidden;
        }
        // What the view itself could do with the action does not matter meanwhile.
        if find.hint(action).is_some() {
            return Availability::Available;
        }
    }
    view.availability(action, &model.state)
}

/// Removes a notice whose view has closed or is covered. One that is new, and answers an input, goes
/// with the view that is open now: a view that closes with a last word says it in the view below.
pub(crate) fn settle_toast(model: &mut Model, before: Option<&Toast>, is_input: bool) {
    let place = (model.state.pane, model.overlays.len());
    let toast = &mut model.state.toast;
    if toast.as_ref() == before {
        toast.take_if(|toast| toast.is_left_behind(place));
    } else if let Some(toast) = toast.as_mut().filter(|_| is_input) {
        toast.tie_to(place);
    }
}
