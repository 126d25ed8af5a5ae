//! Frames on a terminal, or on any other writer. Only changes are written, each frame in one write.

use std::io::{self, Write};

use ratatui::layout::{Rect, Size};
use ratatui::{Frame, Terminal};

use super::output::Output;

/// Draws frames and writes their differences.
#[derive(Debug)]
pub struct Canvas<W: Write> {
    terminal: Terminal<Output<W>>,
    /// Whether the terminal may show something else than ratatui believes, so that the next frame
    /// draws every cell.
    stale: bool,
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
        })
    }

    /// Draws one frame and returns the result of `render`. The whole frame is one write, and
    /// nothing is written if it changed nothing.
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
        self.terminal.draw(|frame| measured = Some(render(frame)))?;
        self.terminal.backend_mut().present()?;
        self.stale = false;
        measured.ok_or_else(|| io::Error::other("the frame was not drawn"))
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

    /// The writer that the frames go to.
    pub fn writer(&self) -> &W {
        self.terminal.backend().writer()
    }

    /// Makes the next frame clear the terminal and draw every cell.
    ///
    /// `resize` does exactly that, without a query to the terminal.
    fn forget_screen(&mut self) -> io::Result<()> {
        let size = self.terminal.size()?;
        self.terminal.backend_mut().forget();
        self.terminal.resize(Rect::new(0, 0, size.width, size.height))
    }
}
