//! The Requests pane: every call with what was sent and answered, reading one whole, sending a read
//! again, and sending a search with another body.
//!
//! What is sent from here goes through the same paced client as everything else, with a ticket of its
//! own. Its answer only becomes an entry: no rows of another pane are touched.

pub mod editor;
pub mod opened;
mod send;
mod show;

use super::actions::movement;
use super::keymap::{Action, Context};
use super::message::{Effect, Toast};
use super::overlay::Overlay;
use super::remote::{Now, Ticket, Waiting};
use super::split::SIDE_BY_SIDE;
use super::{Model, Pane};
use crate::api::ledger::{Ledger, LedgerEntry};
use crate::api::{ApiError, Operation, Reply};
use crate::widgets::text_input::TextInput;
use editor::Draft;
use opened::Opened;

pub(super) use editor::{pasted, typed};
pub(super) use send::disabled;
pub(super) use show::copy_items;
pub(crate) use show::export_content;

/// The widest that the list gets beside an opened call: it has no more to say.
const WIDEST_LIST: u16 = 124;

/// The contexts whose keys the list takes, in order.
pub(super) const CONTEXTS: &[Context] = &[
    Context::Requests,
    Context::Movement,
    Context::Global,
    Context::Always,
];

/// What lies over the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestView {
    /// Words are typed that narrow the list.
    Search,
    /// A call, whole.
    Detail,
    /// A text is typed that is looked for in the opened call.
    Find,
    /// The body of a search is changed.
    Editor,
}

impl RequestView {
    /// The contexts whose keys it takes, in order.
    pub const fn contexts(self) -> &'static [Context] {
        match self {
            Self::Search => &[Context::RequestSearch, Context::Always],
            Self::Detail => &[
                Context::Request,
                Context::Movement,
                Context::Global,
                Context::Always,
            ],
            Self::Find => &[Context::RequestFind, Context::Always],
            Self::Editor => &[Context::Editor, Context::Always],
        }
    }

    /// Whether typed characters go into a text.
    pub const fn takes_text(self) -> bool {
        !matches!(self, Self::Detail)
    }
}

/// A call that was sent from here and is not answered.
#[derive(Debug)]
pub struct Flight {
    ticket: Ticket,
    /// The entry that it repeats or changes.
    from: u64,
    /// What it does.
    pub operation: Operation,
    /// When it was asked for, on the clock that never jumps.
    pub since: f64,
    /// Which try it is, from 1.
    pub attempt: u32,
    /// Why and until when it waits its turn, if it does.
    pub waiting: Option<Waiting>,
}

/// What the pane has besides the ledger.
#[derive(Debug, Default)]
pub struct Requests {
    /// The words that narrow the list, while or after they are typed.
    pub input: TextInput,
    /// Numbers of the entries in the list, latest first.
    shown: Vec<u64>,
    /// The selected entry; `None` for the latest, until somebody looks.
    selected: Option<u64>,
    /// The call that is shown whole.
    pub opened: Option<Opened>,
    /// The body that is being changed; it stays when the editor is left.
    pub draft: Option<Draft>,
    flights: Vec<Flight>,
}

impl Requests {
    /// Waits for no answer any more: the market that was asked is spoken to no longer.
    pub(super) fn forget_flights(&mut self) {
        self.flights.clear();
    }

    /// Numbers of the entries in the list, latest first.
    pub fn shown(&self) -> &[u64] {
        &self.shown
    }

    /// The place of the selection in the list. When the selected entry is narrowed away or gone, an
    /// older one takes its place.
    pub fn cursor(&self) -> usize {
        let last = self.shown.len().saturating_sub(1);
        self.selected.map_or(0, |selected| {
            self.shown
                .iter()
                .position(|number| *number <= selected)
                .unwrap_or(last)
        })
    }

    /// The number of the selected entry.
    pub fn selected(&self) -> Option<u64> {
        self.shown.get(self.cursor()).copied()
    }

    /// What was sent from here and is not answered.
    pub fn flights(&self) -> &[Flight] {
        &self.flights
    }

    /// The words that narrow the list.
    pub fn words(&self) -> Vec<String> {
        let text = self.input.text().to_lowercase();
        text.split_whitespace().map(str::to_owned).collect()
    }

    fn select(&mut self, place: usize) {
        let place = place.min(self.shown.len().saturating_sub(1));
        self.selected = self.shown.get(place).copied();
    }

    fn step(&mut self, by: isize) {
        self.select(self.cursor().saturating_add_signed(by));
    }

    /// Looks anew which entries match.
    fn narrow(&mut self, ledger: &Ledger) {
        let words = self.words();
        self.shown = ledger
            .numbered()
            .filter(|(_, entry)| matches(entry, &words))
            .map(|(number, _)| number)
            .collect();
    }
}

/// Whether an entry holds all words, in what the list shows of it or in the body that was sent.
fn matches(entry: &LedgerEntry, words: &[String]) -> bool {
    if words.is_empty() {
        return true;
    }
    let text = format!(
        "{} {} {} {} {} {}",
        entry.operation.label(),
        entry.method.name(),
        entry.url,
        entry.status_words(),
        entry.error.as_deref().unwrap_or_default(),
        entry.request_body().unwrap_or_default()
    )
    .to_lowercase();
    words.iter().all(|word| text.contains(word))
}

/// The columns that the list has and those that an opened call has on a screen so wide; `None` where
/// the call covers the list.
pub const fn split(columns: u16) -> Option<(u16, u16)> {
    if columns < SIDE_BY_SIDE {
        return None;
    }
    let half = columns / 2;
    let list = if half < WIDEST_LIST {
        half
    } else {
        WIDEST_LIST
    };
    Some((list, columns - list))
}

/// The columns of text that an opened call has.
fn text_width(model: &Model) -> u16 {
    let (columns, _) = model.state.size;
    let (_, detail) = split(columns).unwrap_or((0, columns));
    detail.saturating_sub(opened::GUTTER + 1)
}

/// Takes an attempt into the ledger; the selection stays where it is.
pub(super) fn recorded(model: &mut Model, entry: LedgerEntry) {
    let requests = &mut model.state.requests;
    if model.state.pane == Pane::Requests && requests.selected.is_none() {
        requests.selected = requests.selected();
    }
    // Only the newcomer is looked at: in a route series thousands may come in a second.
    let is_shown = matches(&entry, &requests.words());
    let dropped = model.state.ledger.push(entry);
    if is_shown {
        requests.shown.insert(0, model.state.ledger.total());
    }
    if !dropped.is_empty() {
        requests.shown.retain(|number| !dropped.contains(number));
    }
}

/// The screen has another size: an opened call is broken into lines anew.
pub(super) fn resized(model: &mut Model) {
    let width = text_width(model);
    if let Some(opened) = &mut model.state.requests.opened {
        opened.fit(width);
    }
}

/// Notes how a call that was sent from here fares.
pub(super) fn progress(model: &mut Model, ticket: Ticket, attempt: u32, waiting: Option<&Waiting>) {
    let flights = &mut model.state.requests.flights;
    if let Some(flight) = flights.iter_mut().find(|own| own.ticket == ticket) {
        flight.attempt = attempt;
        flight.waiting = waiting.cloned();
    }
}

/// Takes the end of a call that was sent from here; its entry has come already. False if it is not
/// one of them.
pub(super) fn answered(
    model: &mut Model,
    now: Now,
    ticket: Ticket,
    result: &Result<Reply, ApiError>,
) -> bool {
    let flights = &mut model.state.requests.flights;
    let Some(place) = flights.iter().position(|own| own.ticket == ticket) else {
        return false;
    };
    let label = flights.remove(place).operation.label();
    model.show(match result {
        Ok(_) => Toast::new(format!("Answered: {label}, see the list"), now),
        Err(error) => Toast::error(format!("{label}: {error}"), now),
    });
    true
}

/// Whether the seconds of what is under way are in sight.
pub(super) fn is_waiting(model: &Model) -> bool {
    model.state.pane == Pane::Requests && !model.state.requests.flights.is_empty()
}

/// Does what an action asks of the list.
pub(super) fn on_list(model: &mut Model, now: Now, action: Action) -> Vec<Effect> {
    let page = model.facts.page.max(1);
    if let Some(step) = movement(action, page) {
        model.state.requests.step(step);
        return Vec::new();
    }
    match action {
        Action::Query => model.overlays.push(Overlay::Request(RequestView::Search)),
        Action::Open => open(model, now),
        Action::Refresh => return send::again(model, now),
        Action::Filter => editor::open(model),
        Action::Back => return step_back(model, now),
        _ => {}
    }
    Vec::new()
}

/// Esc on the list: stop waiting, else the notices, else the words.
fn step_back(model: &mut Model, now: Now) -> Vec<Effect> {
    let flights = std::mem::take(&mut model.state.requests.flights);
    if !flights.is_empty() {
        model.show(Toast::new("Stopped waiting for the answer", now));
        let tickets = flights.into_iter().map(|flight| flight.ticket);
        return tickets.map(Effect::Abort).collect();
    }
    if !model.state.notices.is_empty() {
        model.state.notices.clear();
    } else if !model.state.requests.input.is_empty() {
        forget_words(model);
    } else {
        model.show(Toast::new("Press q to leave bourse", now));
    }
    Vec::new()
}

fn forget_words(model: &mut Model) {
    model.state.requests.input.set("");
    model.state.requests.narrow(&model.state.ledger);
}

/// Shows the selected call whole.
fn open(model: &mut Model, now: Now) {
    let Some(number) = model.state.requests.selected() else {
        return;
    };
    model.state.requests.selected = Some(number);
    if let Some(entry) = model.state.ledger.get(number) {
        let opened = Opened::new(number, entry, &model.local_time(now), text_width(model));
        model.state.requests.opened = Some(opened);
        let is_open = matches!(model.overlays.last(), Some(Overlay::Request(_)));
        if !is_open {
            model.overlays.push(Overlay::Request(RequestView::Detail));
        }
    }
}

/// The number of the call that is meant: the one that is shown whole, else the selected one.
pub(super) fn meant(model: &Model) -> Option<u64> {
    let is_open = model
        .overlays
        .iter()
        .any(|overlay| matches!(overlay, Overlay::Request(RequestView::Detail)));
    match &model.state.requests.opened {
        Some(opened) if is_open => Some(opened.number),
        _ => model.state.requests.selected(),
    }
}

/// Whether the pane or something of its own has the keyboard.
pub(super) fn is_owner(model: &Model) -> bool {
    match model.overlays.last() {
        None => model.state.pane == Pane::Requests,
        Some(overlay) => matches!(overlay, Overlay::Request(_)),
    }
}

/// Does what an action asks of what lies over the list.
pub(super) fn act(model: &mut Model, now: Now, action: Action) -> Vec<Effect> {
    match model.overlays.last() {
        Some(Overlay::Request(RequestView::Search)) => on_search(model, action),
        Some(Overlay::Request(RequestView::Detail)) => return on_detail(model, now, action),
        Some(Overlay::Request(RequestView::Find)) => on_find(model, action),
        Some(Overlay::Request(RequestView::Editor)) => return editor::act(model, now, action),
        _ => {}
    }
    Vec::new()
}

fn on_search(model: &mut Model, action: Action) {
    if let Some(step) = movement(action, model.facts.page.max(1)) {
        model.state.requests.step(step);
        return;
    }
    match action {
        Action::Submit => {
            model.overlays.pop();
        }
        Action::Back => {
            model.overlays.pop();
            forget_words(model);
        }
        _ => {}
    }
}

fn on_detail(model: &mut Model, now: Now, action: Action) -> Vec<Effect> {
    let page = model.facts.overlay_page.max(1);
    let Some(opened) = &mut model.state.requests.opened else {
        model.overlays.pop();
        return Vec::new();
    };
    if let Some(step) = movement(action, page) {
        opened.scroll_by(step, page);
        return Vec::new();
    }
    match action {
        Action::Right | Action::Left => {
            let by = if action == Action::Right { 1 } else { -1 };
            model.state.requests.step(by);
            let sought = model.state.requests.opened.take().map(|opened| opened.find);
            open(model, now);
            if let (Some(opened), Some(sought)) = (&mut model.state.requests.opened, sought) {
                opened.seek(sought.input, page);
            }
        }
        Action::Query => model.overlays.push(Overlay::Request(RequestView::Find)),
        Action::FindNext | Action::FindPrevious if opened.find.input.is_empty() => {
            model.overlays.push(Overlay::Request(RequestView::Find));
        }
        Action::FindNext => opened.jump(1, page),
        Action::FindPrevious => opened.jump(-1, page),
        Action::Refresh => return send::again(model, now),
        Action::Filter => editor::open(model),
        // What is looked for goes first, then the call.
        Action::Back if !opened.find.input.is_empty() => opened.seek(TextInput::default(), page),
        Action::Back | Action::Submit => {
            model.overlays.pop();
            model.state.requests.opened = None;
        }
        _ => {}
    }
    Vec::new()
}

fn on_find(model: &mut Model, action: Action) {
    let page = model.facts.overlay_page.max(1);
    if let Some(opened) = &mut model.state.requests.opened {
        match action {
            Action::FindNext => return opened.jump(1, page),
            Action::FindPrevious => return opened.jump(-1, page),
            Action::Back => opened.seek(TextInput::default(), page),
            _ => {}
        }
    }
    if matches!(action, Action::Submit | Action::Back) {
        model.overlays.pop();
    }
}

/// A click on a line of the list: selects it, and opens it the second time.
pub(super) fn clicked(model: &mut Model, now: Now, place: usize) {
    if model.state.requests.cursor() == place {
        open(model, now);
    } else {
        model.state.requests.select(place);
    }
}

/// The wheel over the list or over what lies over it.
pub(super) fn wheel(model: &mut Model, by: isize) {
    let page = model.facts.overlay_page.max(1);
    match model.overlays.last() {
        None | Some(Overlay::Request(RequestView::Search)) => model.state.requests.step(by),
        Some(Overlay::Request(RequestView::Detail | RequestView::Find)) => {
            if let Some(opened) = &mut model.state.requests.opened {
                opened.scroll_by(by, page);
            }
        }
        Some(Overlay::Request(RequestView::Editor)) => {
            if let Some(draft) = &mut model.state.requests.draft {
                draft.area.step(by);
            }
        }
        Some(_) => {}
    }
}
