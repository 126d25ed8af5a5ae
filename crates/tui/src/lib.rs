//! Widgets for programs that are driven by keys in a terminal, on top of ratatui: forms, lists with a search line,
//! tables, reports, text fields, key bindings and themes. They are independent of markets.
//!
//! A key press takes three steps. A [`Keymap`] finds the program's own action for it; the program translates the
//! actions that a widget handles into a [`Command`]; any other key is typed text.
//!
//! ```
//! use bourse_tui::form::{Field, Form, FormEvent};
//! use bourse_tui::{Command, KeyRow, Keymap, Motion};
//! use crossterm::event::{KeyCode, KeyEvent};
//!
//! #[derive(Clone, Copy, PartialEq)]
//! enum Action {
//!     Next,
//!     Accept,
//!     Palette,
//! }
//!
//! /// Where a key is looked up.
//! #[derive(Clone, Copy, PartialEq)]
//! enum Context {
//!     Form,
//!     Everywhere,
//! }
//!
//! struct Row(Context, &'static [&'static str], Action, &'static str);
//!
//! impl KeyRow for Row {
//!     type Action = Action;
//!     type Context = Context;
//!
//!     fn table() -> &'static [Self] {
//!         &[
//!             Row(Context::Form, &["down", "tab"], Action::Next, "next-field"),
//!             Row(Context::Form, &["enter"], Action::Accept, "accept"),
//!             Row(Context::Everywhere, &["ctrl-p"], Action::Palette, "commands"),
//!         ]
//!     }
//!
//!     fn palette() -> Action {
//!         Action::Palette
//!     }
//!
//!     fn context(&self) -> Context {
//!         self.0
//!     }
//!
//!     fn default_keys(&self) -> &'static [&'static str] {
//!         self.1
//!     }
//!
//!     fn action(&self) -> Action {
//!         self.2
//!     }
//!
//!     fn name(&self) -> &'static str {
//!         self.3
//!     }
//! }
//!
//! // The fields have names of the program's own; here one text and a button.
//! let mut form = Form::new(vec![Field::text("name", "Name", ""), Field::button("save", "Save")]);
//! let keymap = Keymap::<Row>::default();
//! let mut press = |key: KeyCode| {
//!     let key = KeyEvent::from(key);
//!     match keymap.resolve(&[Context::Form, Context::Everywhere], key) {
//!         Some(Action::Next) => form.update(Command::Move(Motion::Down)),
//!         Some(Action::Accept) => form.update(Command::Submit),
//!         Some(Action::Palette) => FormEvent::Ignored,
//!         None if form.key(key) => FormEvent::Moved,
//!         None => FormEvent::Ignored,
//!     }
//! };
//! press(KeyCode::Char('x'));
//! press(KeyCode::Tab);
//! assert_eq!(press(KeyCode::Enter), FormEvent::Submitted("save"));
//! assert_eq!(form.text("name"), "x");
//! assert_eq!(keymap.key_of(Action::Palette), "Ctrl-p");
//! ```
//!
//! # Guarantees
//!
//! - **The cost of drawing depends on the screen.** Tables read only visible cells, reports wrap only visible lines.
//! - **No text controls the terminal.** Control, invisible and reordering characters are drawn as their names, pastes
//!   leave them out, and [`finish::finish`] checks every cell of a frame once more.
//! - **Meaning is never in colour alone.** [`theme::Theme::MONO`] shows the same by weight, reversal and underlines,
//!   and [`finish::finish`] draws in ASCII where a terminal has no Unicode.
//! - **Secrets are masked**, and wiped from memory when they are dropped: [`secret_input::SecretInput`].
//!
//! # Modules
//!
//! Keys: [`chord`] is a key with its modifiers, [`keymap`] looks it up, [`command`] is the input of widgets. Widgets
//! with a cursor of their own are data ([`form::Form`], [`list::List`], [`report::Report`], [`text_input::TextInput`],
//! [`text_area::TextArea`]) with a type beside them that draws them; [`input_widget`] is their common interface.
//! [`table`] and [`records`] draw rows of the program, [`panel`] and [`dialog`] frames, [`viewport`] is the visible
//! part of scrolled content. [`theme`] has the styles by role, and [`appearance`] chooses a theme that the terminal can
//! show. Sizes and positions are terminal cells, and lengths of texts bytes, unless stated otherwise.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
#![warn(missing_docs)]

pub mod appearance;
pub mod chord;
pub mod command;
pub mod dialog;
pub mod find;
pub mod finish;
pub mod form;
pub mod input_widget;
pub mod json;
pub mod keymap;
pub mod list;
pub mod panel;
pub mod rail;
pub mod range_bar;
pub mod records;
pub mod report;
pub mod scrolled;
pub mod secret_input;
pub mod table;
pub mod text;
pub mod text_area;
pub mod text_input;
pub mod theme;
pub mod viewport;

pub use chord::Chord;
pub use command::{Command, Motion};
pub use keymap::{KeyRow, Keymap};
