//! What the event loop needs of a terminal.

use std::future::Future;
use std::io;

use crossterm::event::Event;
use ratatui::Frame;

use super::editor::Document;

/// What the loop draws on and reads from: a terminal, or a test's memory.
pub trait Surface {
    fn draw(&mut self, render: &mut dyn FnMut(&mut Frame<'_>)) -> io::Result<()>;
    /// Forgets what is on the screen, so that the next frame paints every cell.
    fn repaint(&mut self);
    /// Waits for what comes from outside; may be dropped and asked again without losing any of it.
    fn next(&mut self) -> impl Future<Output = TerminalEvent>;
    /// Stops the process as Ctrl-Z does and comes back.
    fn suspend(&mut self) -> impl Future<Output = io::Result<()>>;
    /// Takes the terminal again after the process was stopped and continued by others.
    fn resume(&mut self) -> io::Result<()>;
    /// Puts a text on the clipboard; says how, in words.
    fn copy(&mut self, text: &str) -> impl Future<Output = Result<String, String>>;
    fn size(&self) -> (u16, u16);
    /// Names the window, where there is one.
    fn title(&mut self, text: &str) {
        let _ = text;
    }
    /// Shows a notification on the desktop, where there is one.
    fn notify(&mut self, title: &str, body: &str) {
        let _ = (title, body);
    }
    /// Switches reports of the mouse on or off.
    fn mouse(&mut self, is_on: bool) {
        let _ = is_on;
    }
    /// Lends the terminal to the person's editor; gives the edited text, or why there is none.
    fn edit(
        &mut self,
        document: Document,
    ) -> impl Future<Output = io::Result<Result<String, String>>> {
        let _ = document;
        std::future::ready(Ok(Err("there is no terminal to edit on".to_owned())))
    }
}

/// Something that comes from outside.
#[derive(Debug, Clone, PartialEq)]
pub enum TerminalEvent {
    /// Keys, clicks, pastes and sizes.
    Input(Vec<Event>),
    /// A paste, and what came with it: a text that holds the sequence that ends a paste is split
    /// there, and its rest looks typed.
    Pasted(Vec<Event>),
    /// Leave with this exit status.
    Leave(i32),
    /// The terminal said whether its background is light.
    Background(bool),
    Stop,
    /// Continued: the screen may hold anything.
    Continued,
    /// A background task panicked; what it said.
    TaskLost(String),
}
