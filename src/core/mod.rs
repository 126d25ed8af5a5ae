//! The pure core. [`update`] takes the model, the time and a message, and returns effects. It has
//! no clock, no I/O, no randomness, no terminal.
//!
//! Keys go one way: key event, the contexts of the topmost view, [`crate::keys::Action`], and what the
//! action means to that view. The stack of views ends in the view of the open pane.

pub(crate) mod actions;
pub mod analysis;
pub mod annotations;
pub(crate) mod answers;
pub(crate) mod availability;
pub mod commands;
pub mod configuration;
pub mod drafts;
pub mod exported;
pub mod feature;
pub mod frame_layout;
pub(crate) mod markets;
pub mod message;
pub(crate) mod model;
pub(crate) mod mouse;
pub mod mutations;
pub mod persistence;
pub(crate) mod profile;
pub mod sandbox;
pub(crate) mod scene;
pub mod searched;
pub mod split;
pub(crate) mod stack;
pub(crate) mod state;
pub mod themes;
mod title;
pub(crate) mod toast;
pub mod unsettled;
pub mod view;
pub mod views;

use crate::table::remote::Waiting;
use crate::table::sorting;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

pub use self::answers::read_ahead;
use self::feature::Event;
pub use self::message::{Effect, Message, Toast};
pub use self::model::Model;
pub use self::profile::Profile;
pub use self::state::State;
pub use self::title::title;
pub use crate::keys::pane::Pane;
/// The person's own keys, by their path of old.
pub use crate::keys::user as keys;
use crate::keys::{Action, Chord};
pub use crate::table::remote::{Now, Ticket};

use crate::api::Received;
use crate::domain::Resource;

/// What a question says to keys that may be a part of the paste before them.
const IGNORED_AFTER_PASTE: &str = "Keys that arrive with a paste answer nothing: type them";

pub fn update(model: &mut Model, now: Now, message: Message) -> Vec<Effect> {
    let is_input = persistence::is_input(&message);
    let before = model.state.revision();
    let notice = model.state.toast.clone();
    let mut effects = decide(model, now, message);
    stack::settle_toast(model, notice.as_ref(), is_input);
    if model.state.revision() != before {
        stack::rows_changed(model);
    }
    for feature in model.state.features {
        (feature.follow)(&mut model.state, now, &mut effects);
    }
    persistence::watch(model, now, is_input, &mut effects);
    model.state.leave_out_banned(&mut effects);
    effects
}

fn decide(model: &mut Model, now: Now, message: Message) -> Vec<Effect> {
    match message {
        Message::Started => actions::start(model, now),
        Message::Key(key) => on_key(model, now, key),
        Message::Paste(text) => pasted(model, now, text),
        Message::AfterPaste(message) => came_with_paste(model, now, *message),
        Message::Mouse(event) => mouse::on_event(model, now, event),
        Message::Focus(is_focused) => focus_changed(model, now, is_focused),
        Message::Edited(result) => stack::edited(model, now, result),
        Message::Reconfigured(result) => {
            configuration::reloaded(model, now, result);
            Vec::new()
        }
        Message::Resized(columns, rows) => resized(model, (columns, rows)),
        Message::Answered { ticket, result } => answers::on_reply(model, now, ticket, *result),
        Message::Arranged(arrival) => answers::arranged(model, *arrival),
        Message::Progress {
            ticket,
            attempt,
            waiting,
        } => progressed(model, ticket, attempt, waiting.as_ref()),
        Message::Received { ticket, received } => arrived(model, ticket, &received),
        Message::Woken { spread } => model.state.emit(now, Event::Woken { spread }),
        Message::Deadline => due(model, now),
        Message::Copied(Ok(how)) | Message::Saved(Ok(how)) => shown(model, Toast::new(how, now)),
        Message::Copied(Err(why)) | Message::Saved(Err(why)) | Message::TaskLost(why) | Message::HistoryOff(why) => {
            shown(model, Toast::error(why, now))
        }
        Message::Kept(result) => {
            model.kept(result);
            Vec::new()
        }
        Message::AnnotationsKept(result) => {
            model.state.annotations_kept(*result);
            stack::tick(model, now)
        }
        Message::Exported(result) => exported(model, now, result),
        message @ (Message::Routed { .. }
        | Message::Recorded { .. }
        | Message::SearchesKept(_)
        | Message::AlertsKept(_)
        | Message::Market(_)
        | Message::Recalled { .. }
        | Message::RingClaimed { .. }
        | Message::PollClaimed { .. }) => told(model, now, message),
    }
}

fn on_key(model: &mut Model, now: Now, key: KeyEvent) -> Vec<Effect> {
    model.state.toast.take_if(|toast| toast.was_seen(now));
    let mut effects = model.state.emit(now, Event::Looked { is_leaving: false });
    effects.extend(key_pressed(model, now, key));
    effects
}

fn pasted(model: &mut Model, now: Now, text: String) -> Vec<Effect> {
    // It may be a key: nothing of it stays in memory.
    let text = secrecy::zeroize::Zeroizing::new(text);
    stack::pasted(model, now, &text).unwrap_or_default()
}

fn focus_changed(model: &mut Model, now: Now, is_focused: bool) -> Vec<Effect> {
    model.state.is_focused = is_focused;
    let is_leaving = !is_focused;
    model.state.emit(now, Event::Looked { is_leaving })
}

/// Gives a message to the feature that asked for it. The views then show the result.
fn told(model: &mut Model, now: Now, message: Message) -> Vec<Effect> {
    let features = model.state.features;
    let taken = feature::offer(features, message, |feature, message| {
        (feature.told)(model, now, message)
    });
    let mut effects = taken.unwrap_or_default();
    effects.extend(stack::tick(model, now));
    effects
}

fn resized(model: &mut Model, size: (u16, u16)) -> Vec<Effect> {
    model.state.size = size;
    // A wide screen shows computed values that a narrow one does not.
    stack::rows_changed(model);
    Vec::new()
}

fn shown(model: &mut Model, toast: Toast) -> Vec<Effect> {
    model.show(toast);
    Vec::new()
}

fn exported(model: &mut Model, now: Now, result: Result<exported::Written, exported::NotWritten>) -> Vec<Effect> {
    if let Some(result) = stack::exported(model, now, result) {
        model.show(exported::announce(result, now));
    }
    Vec::new()
}

fn due(model: &mut Model, now: Now) -> Vec<Effect> {
    if model.toast.as_ref().is_some_and(|toast| toast.until <= now.mono) {
        model.state.toast = None;
    }
    let mut effects = Vec::new();
    for feature in model.state.features {
        effects.extend((feature.tick)(&mut model.state, now));
    }
    effects.extend(sorting::tick(model, now));
    effects.extend(stack::tick(model, now));
    effects
}

/// Tells every possible receiver that a request waits or is retried.
fn progressed(model: &mut Model, ticket: Ticket, attempt: u32, waiting: Option<&Waiting>) -> Vec<Effect> {
    for browser in &mut model.state.browsers {
        browser.progress(ticket, attempt, waiting.cloned());
    }
    let offers = &mut model.state.browsers[Resource::Offers];
    offers.computed.price_models.progress(ticket, attempt, waiting);
    for feature in model.state.features {
        (feature.progress)(&mut model.state, ticket, attempt, waiting);
    }
    stack::progress(model, ticket, attempt, waiting);
    Vec::new()
}

/// Notes that part of a response is there.
fn arrived(model: &mut Model, ticket: Ticket, received: &Received) -> Vec<Effect> {
    for browser in &mut model.state.browsers {
        browser.remote.received(ticket, received);
    }
    Vec::new()
}

/// Decides on a key or a click that may be a part of the paste before it: a pasted text can hold the
/// sequence that ends a paste, and what follows looks typed.
fn came_with_paste(model: &mut Model, now: Now, message: Message) -> Vec<Effect> {
    if stack::top(model).asks_consent() {
        model.show(Toast::error(IGNORED_AFTER_PASTE, now));
        return Vec::new();
    }
    decide(model, now, message)
}

fn key_pressed(model: &mut Model, now: Now, key: KeyEvent) -> Vec<Effect> {
    let is_repeat = model.state.keyboard.pressed(Chord::of(key));
    match model.state.keymap.resolve(model.contexts(), key) {
        Some(Action::QuitNow) if is_repeat || !model.takes_text() => return vec![Effect::Quit],
        Some(Action::QuitNow) => return leave_text(model, now),
        // Only the key means "back" inside a view: chosen by name, Quit quits.
        Some(Action::Quit) if !model.overlays.is_empty() => {
            return actions::perform(model, now, Action::Back);
        }
        Some(action) => return actions::perform(model, now, action),
        None => {}
    }
    if let Some(plain) = escaped(model, key) {
        let escape = KeyEvent::new(KeyCode::Esc, KeyModifiers::NONE);
        let mut effects = key_pressed(model, now, escape);
        effects.extend(key_pressed(model, now, plain));
        return effects;
    }
    let Some((outcome, effects)) = stack::typed(model, now, key) else {
        unbound(model, now, key);
        return Vec::new();
    };
    if outcome == view::Outcome::Ignored {
        unbound(model, now, key);
    }
    effects
}

/// Ctrl-c while typing: one step back; a second press quits.
fn leave_text(model: &mut Model, now: Now) -> Vec<Effect> {
    let effects = actions::perform(model, now, Action::Back);
    let key = model.state.keymap.key_of(Action::QuitNow);
    model.show(Toast::new(format!("{key} again quits"), now));
    effects
}

/// Says that a key does nothing here, unless the last press was the same.
fn unbound(model: &mut Model, now: Now, key: KeyEvent) {
    // Volume keys, Caps Lock and the like are not meant for us.
    let is_meant = matches!(
        key.code,
        KeyCode::Char(_)
            | KeyCode::F(_)
            | KeyCode::Enter
            | KeyCode::Tab
            | KeyCode::BackTab
            | KeyCode::Backspace
            | KeyCode::Delete
            | KeyCode::Insert
            | KeyCode::Home
            | KeyCode::End
            | KeyCode::PageUp
            | KeyCode::PageDown
            | KeyCode::Up
            | KeyCode::Down
            | KeyCode::Left
            | KeyCode::Right
    );
    if is_meant && !model.state.keyboard.is_repeat() {
        let key = model.state.keymap.shown(Chord::of(key));
        model.show(Toast::error(format!("{key} does nothing here"), now));
    }
}

/// Terminals send Alt with a character as Esc followed by the character. Over a slow line, or from
/// quick hands, Esc and then a key look the same: where Alt has no meaning, it is taken for Esc.
fn escaped(model: &Model, key: KeyEvent) -> Option<KeyEvent> {
    let edits_words = matches!(key.code, KeyCode::Char('b' | 'f' | 'd'));
    let is_typing = model.takes_text();
    let is_alt_character = key.modifiers == KeyModifiers::ALT && matches!(key.code, KeyCode::Char(_));
    (is_alt_character && !(is_typing && edits_words)).then(|| KeyEvent::new(key.code, KeyModifiers::NONE))
}
