//! The pure core. [`update`] takes the model, the time and a message, and returns effects; it uses
//! no clock, I/O, randomness or terminal.
//!
//! A key event is looked up in the contexts of the topmost view and becomes a
//! [`crate::keys::Action`], which that view carries out. The stack of views ends in the view of the
//! open pane.

pub(crate) mod actions;
pub mod analysis;
pub mod annotating;
pub mod annotations;
pub(crate) mod availability;
pub mod commands;
pub mod configuration;
pub mod copy_item;
mod cx;
pub mod drafts;
pub mod endpoints;
pub mod exported;
pub mod feature;
pub mod frame_layout;
pub(crate) mod markets;
pub mod message;
pub(crate) mod model;
pub(crate) mod mouse;
pub mod mutations;
mod news;
pub mod owners;
pub mod persistence;
mod pricing;
pub(crate) mod profile;
pub mod sandbox;
pub(crate) mod scene;
pub mod searched;
pub mod split;
pub(crate) mod stack;
pub(crate) mod state;
mod switch;
pub mod themes;
mod title;
pub(crate) mod toast;
pub mod unsettled;
pub mod view;
pub mod views;
pub mod watching;
mod writes;

use crate::api::ledger::LedgerEntry;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use self::feature::{Event, Feature};
pub use self::message::{Effect, EffectError, Message, Toast};
pub use self::model::Model;
pub use self::profile::Profile;
pub use self::state::State;
pub use self::title::title;
use self::view::{Cx, Outcome};
pub use crate::domain::time::Now;
pub use crate::keys::pane::Pane;
/// The user's own keys, under their former path.
pub use crate::keys::user as keys;
use crate::keys::{Action, Chord};
pub use crate::table::remote::Ticket;

/// Notice for keys that may be part of the paste before them, while a question is open.
const IGNORED_AFTER_PASTE: &str = "Keys that arrive with a paste answer nothing: type them";

/// Handles one message at the time `now`: changes the model and returns the effects to carry out, in order.
/// It also lets features follow up, drops outdated notices, and adds the saving of changes and, to searches,
/// the conditions that leave out banned offers.
pub fn update(model: &mut Model, now: Now, message: Message) -> Vec<Effect> {
    let is_input = persistence::is_input(&message);
    model.state.now = now;
    let before = model.state.revision();
    let notice = model.state.toast.clone();
    let mut update = Update::new(model, now);
    update.decide(message);
    update.settle_toast(notice.as_ref(), is_input);
    if update.model.state.revision() != before {
        update.rows_changed();
    }
    update.each_feature(|feature, cx| (feature.follow)(cx));
    update.lend(watching::follow);
    let mut effects = update.effects;
    model.state.save_in_time(now, is_input, &mut effects);
    model.state.leave_out_banned(&mut effects);
    model.state.owners.forget_aborted(&effects);
    effects
}

/// One update: the model, the time, and the effects so far.
#[derive(Debug)]
pub(crate) struct Update<'a> {
    pub(crate) model: &'a mut Model,
    pub(crate) now: Now,
    pub(crate) effects: Vec<Effect>,
}

impl<'a> Update<'a> {
    /// An update of the model at the time `now`, without effects so far.
    pub(crate) const fn new(model: &'a mut Model, now: Now) -> Self {
        let effects = Vec::new();
        Self { model, now, effects }
    }

    /// Handles a message by its kind, without the steps that follow every message.
    fn decide(&mut self, message: Message) {
        let (state, now) = (&mut self.model.state, self.now);
        match message {
            Message::Started => self.start(),
            Message::Key(key) => self.on_key(key),
            Message::Paste(text) => self.on_paste(text),
            Message::AfterPaste(message) => self.came_with_paste(*message),
            Message::Mouse(event) => self.mouse(event),
            Message::Focus(is_focused) => {
                state.screen.is_focused = is_focused;
                let is_leaving = !is_focused;
                self.emit(Event::Looked { is_leaving });
            }
            Message::Reconfigured(result) => state.reloaded(now, result),
            Message::Resized(columns, rows) => {
                state.screen.size = (columns, rows);
                // A wide screen shows computed values that a narrow one does not.
                self.rows_changed();
            }
            Message::News { ticket, news } => self.on_news(ticket, news),
            Message::NotSaved(why) => state.record_save_result(Err(EffectError::new(why))),
            Message::Notice(text) => state.notices.push(text),
            Message::JournalDamage(damage) => state.set_damage(damage),
            Message::Recorded { ticket, entry } => self.on_attempt(ticket, *entry),
            Message::Woken { spread } => {
                // Every program of this computer woke at once.
                self.lend(|cx| watching::woken(cx, 10.0 * spread.clamp(0.0, 1.0)));
                self.emit(Event::Woken { spread });
            }
            Message::Deadline => self.on_deadline(),
            Message::Simulating(simulation) => {
                let before = state.sandbox.simulation_notice();
                state.sandbox.simulating = simulation;
                // Its progress replaces no other notice.
                let is_free = state
                    .toast
                    .as_ref()
                    .is_none_or(|toast| Some(&toast.text) == before.as_ref());
                if let Some(text) = state
                    .sandbox
                    .simulation_notice()
                    .filter(|_| before.is_none() || is_free)
                {
                    state.show(Toast::new(text, now));
                }
            }
            Message::Report(Ok(how)) => state.show(Toast::new(how, now)),
            Message::Report(Err(error)) => state.show(Toast::error(error.to_string(), now)),
        }
    }

    /// Handles a key press: dismisses a notice that was visible for a second, informs the features that the
    /// user is active, and then acts on the key.
    fn on_key(&mut self, key: KeyEvent) {
        let now = self.now;
        self.model.state.toast.take_if(|toast| toast.was_seen(now));
        self.emit(Event::Looked { is_leaving: false });
        self.key_pressed(key);
    }

    /// Runs `act` for every feature in turn, with the state lent to it.
    fn each_feature(&mut self, mut act: impl FnMut(&Feature, &mut Cx<'_>)) {
        for feature in self.model.state.features {
            self.lend(|cx| act(feature, cx));
        }
    }

    /// Passes an event to every feature.
    pub(crate) fn emit(&mut self, event: Event<'_>) {
        self.lend(|cx| cx.emit(event));
    }

    /// Adds an attempt to the ledger, announces it to the features with the numbers of the entries the ledger
    /// dropped for it, and ticks the views.
    fn on_attempt(&mut self, ticket: Option<Ticket>, entry: LedgerEntry) {
        let dropped = self.model.state.ledger.push(entry);
        self.emit(Event::Recorded {
            ticket,
            dropped: &dropped,
        });
        self.tick();
    }

    /// Handles a passed deadline: removes an expired notice, ticks the features, starts due polls and settled
    /// searches, and ticks the views.
    fn on_deadline(&mut self) {
        let now = self.now;
        self.model.state.toast.take_if(|toast| toast.until <= now.mono);
        self.each_feature(|feature, cx| (feature.tick)(cx));
        self.lend(watching::follow);
        self.lend(watching::tick);
        self.lend(cx::ask_settled_orders);
        self.tick();
    }

    /// Handles a key or click that may be part of the paste before it; a question ignores it.
    ///
    /// A pasted text can hold the sequence that ends a paste, and the rest of it then looks typed.
    fn came_with_paste(&mut self, message: Message) {
        if self.model.top().asks_consent() {
            self.model.state.show(Toast::error(IGNORED_AFTER_PASTE, self.now));
        } else {
            self.decide(message);
        }
    }

    /// Performs the action that the topmost view's contexts bind to a key, or else types it into the view;
    /// Alt with a character that is not bound counts as Esc and then the character. Ctrl-c quits at once
    /// outside text, or on a second press; `Quit` goes back while a view is open.
    fn key_pressed(&mut self, key: KeyEvent) {
        let is_repeat = self.model.state.keyboard.pressed(Chord::from_key(key));
        match self.model.state.keymap.resolve(self.model.contexts(), key) {
            Some(Action::QuitNow) if is_repeat || !self.model.takes_text() => {
                return self.effects.push(Effect::Quit);
            }
            Some(Action::QuitNow) => return self.leave_text(),
            // Only the key means "back" inside a view: chosen by name, Quit quits.
            Some(Action::Quit) if !self.model.overlays.is_empty() => return self.perform(Action::Back),
            Some(action) => return self.perform(action),
            None => {}
        }
        if let Some(plain) = escaped(self.model, key) {
            self.key_pressed(KeyEvent::new(KeyCode::Esc, KeyModifiers::NONE));
            return self.key_pressed(plain);
        }
        if self.with_top(|view, cx| view.typed(key, cx)) == Some(Outcome::Ignored) {
            self.unbound(key);
        }
    }

    /// Handles Ctrl-c while typing: goes one step back, with a notice that a second press quits.
    fn leave_text(&mut self) {
        self.perform(Action::Back);
        let key = self.model.state.keymap.key_of(Action::QuitNow);
        self.model
            .state
            .show(Toast::new(format!("{key} again quits"), self.now));
    }

    /// Reports that a key does nothing here, unless the last press was the same. Volume keys, Caps
    /// Lock and the like are ignored.
    fn unbound(&mut self, key: KeyEvent) {
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
        if is_meant && !self.model.state.keyboard.is_repeat() {
            let key = self.model.state.keymap.shown(Chord::from_key(key));
            self.model
                .state
                .show(Toast::error(format!("{key} does nothing here"), self.now));
        }
    }
}

/// The key without Alt, to be handled after Esc; `None` if the key is no character with Alt, or Alt edits
/// words in a text field (b, f, d).
///
/// Terminals send Alt with a character as Esc followed by the character. Over a slow line, or typed fast, Esc
/// and then a key look the same.
fn escaped(model: &Model, key: KeyEvent) -> Option<KeyEvent> {
    let is_alt_character = key.modifiers.contains(KeyModifiers::ALT) && matches!(key.code, KeyCode::Char(_));
    let rest = key.modifiers - KeyModifiers::ALT;
    let edits_words = rest.is_empty() && matches!(key.code, KeyCode::Char('b' | 'f' | 'd'));
    (is_alt_character && !(edits_words && model.takes_text())).then(|| KeyEvent::new(key.code, rest))
}
