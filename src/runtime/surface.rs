//! The terminal interface of the event loop.

use std::future::Future;
use std::io;

use crossterm::event::Event;
use ratatui::Frame;

use super::clipboard::ClipboardError;
use super::editor::{Document, EditorError};

/// The terminal, or memory in tests, on which the event loop draws and from which it reads.
pub trait Surface {
    /// Draws one frame by `render` and shows it.
    fn draw(&mut self, render: &mut dyn FnMut(&mut Frame<'_>)) -> io::Result<()>;
    /// Makes the next frame draw every cell.
    fn repaint(&mut self);
    /// Waits a moment for the terminal's report on its background, true if that is light; `None` if it was
    /// not queried or does not reply in time, and by default.
    ///
    /// A later reply is [`TerminalEvent::Background`].
    fn background(&mut self) -> impl Future<Output = Option<bool>> {
        std::future::ready(None)
    }
    /// Waits for the next event of the terminal, of a signal or of a background panic. Cancel-safe.
    fn next(&mut self) -> impl Future<Output = TerminalEvent>;
    /// Stops the process as Ctrl-Z does, and returns when it is continued.
    fn suspend(&mut self) -> impl Future<Output = io::Result<()>>;
    /// Takes the terminal again after the process was stopped and continued.
    fn resume(&mut self) -> io::Result<()>;
    /// Copies a text to the clipboard; returns how it was copied, for the status line: `through xclip`.
    fn copy(&mut self, text: &str) -> impl Future<Output = Result<String, ClipboardError>>;
    /// Columns and rows of the terminal.
    fn size(&self) -> (u16, u16);
    /// Sets the window title, where there is one.
    fn title(&mut self, text: &str) {
        let _ = text;
    }
    /// Rings the terminal's bell, where there is one.
    fn bell(&mut self) {}
    /// Shows a desktop notification, where possible.
    fn notify(&mut self, title: &str, body: &str) {
        let _ = (title, body);
    }
    /// Switches mouse capture on or off.
    fn mouse(&mut self, is_on: bool) {
        let _ = is_on;
    }
    /// Hands the terminal to the user's editor and waits for it; returns the edited text. The outer error is
    /// the terminal's, the inner one the editor's: by default that there is no terminal.
    fn edit(&mut self, document: Document) -> impl Future<Output = io::Result<Result<String, EditorError>>> {
        let _ = document;
        std::future::ready(Ok(Err(EditorError::NoTerminal)))
    }
}

#[derive(Debug, Clone, PartialEq)]
pub enum TerminalEvent {
    /// Keys, clicks, pastes and resizes.
    Input(Vec<Event>),
    /// A paste and the input that arrived with it.
    ///
    /// A text that holds the sequence that ends a paste is split there, and its rest looks typed.
    Pasted(Vec<Event>),
    /// End the program with this exit status.
    Leave(i32),
    /// Whether the terminal's background is light.
    Background(bool),
    Stop,
    /// The process was continued after a stop: the screen may show anything.
    Continued,
    /// A background task panicked, with this message.
    TaskLost(String),
}
