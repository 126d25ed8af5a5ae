//! Frames on a terminal, or on any other writer: only what changed is written, each frame at once.

use std::io::{self, Write};

use ratatui::layout::{Rect, Size};
use ratatui::{Frame, Terminal};

use super::links::{self, Link};
use super::output::Output;

/// Draws frames and writes their differences.
#[derive(Debug)]
pub struct Canvas<W: Write> {
    terminal: Terminal<Output<W>>,
    /// The terminal no longer shows what ratatui believes: the next frame draws every cell.
    stale: bool,
    /// The addresses to show as links.
    addresses: Vec<String>,
    /// The links on the screen.
    links: Vec<Link>,
}

impl<W: Write> Canvas<W> {
    /// A canvas over `tty`; `ask_size` returns its size in cells.
    ///
    /// # Errors
    ///
    /// When the size cannot be found.
    pub fn new(tty: W, ask_size: fn() -> io::Result<Size>) -> io::Result<Self> {
        Ok(Self {
            terminal: Terminal::new(Output::new(tty, ask_size))?,
            stale: true,
            addresses: Vec::new(),
            links: Vec::new(),
        })
    }

    /// Draws one frame and returns what `render` measured. The whole frame is one write, and there
    /// is none if nothing changed.
    ///
    /// # Errors
    ///
    /// The writer's error. After it the next frame draws everything again.
    pub fn draw<R>(&mut self, render: impl FnOnce(&mut Frame<'_>) -> R) -> io::Result<R> {
        if self.stale {
            self.forget_screen()?;
        }
        let mut measured = None;
        self.stale = true;
        let area = self.terminal.get_frame().area();
        let frame = self.terminal.draw(|frame| measured = Some(render(frame)))?;
        if frame.area != area {
            // After a resize ratatui has drawn every cell, links or not.
            self.links.clear();
        }
        let links = links::on_screen(frame.buffer, &self.addresses);
        let unlinked = links::gone(&self.links, &links, frame.buffer);
        let output = self.terminal.backend_mut();
        let added = links.iter().filter(|link| !self.links.contains(link));
        output.link(&unlinked, added)?;
        output.present()?;
        self.links = links;
        self.stale = false;
        measured.ok_or_else(|| io::Error::other("the frame was not drawn"))
    }

    /// Shows these addresses as links, wherever they are on the screen, and no others.
    pub(super) fn link_only(&mut self, addresses: Vec<String>) {
        self.addresses = addresses;
    }

    /// The size of the next frame.
    ///
    /// # Errors
    ///
    /// When the terminal does not answer.
    pub fn size(&self) -> io::Result<Size> {
        self.terminal.size()
    }

    /// Makes the next frame draw every cell, as after another program wrote on the screen.
    pub const fn repaint(&mut self) {
        self.stale = true;
    }

    /// Writes bytes that are not part of a frame and do not move the cursor.
    ///
    /// # Errors
    ///
    /// The writer's error.
    pub fn write_aside(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.terminal.backend_mut().write_aside(bytes)
    }

    pub fn writer(&self) -> &W {
        self.terminal.backend().writer()
    }

    /// Clears the terminal with the next frame. `resize` does exactly that, without a query to the
    /// terminal.
    fn forget_screen(&mut self) -> io::Result<()> {
        let size = self.terminal.size()?;
        self.links.clear();
        self.terminal.backend_mut().forget();
        self.terminal.resize(Rect::new(0, 0, size.width, size.height))
    }
}
