//! Takes and restores the terminal as a whole.
//!
//! [`Screen`] is a guard. While it is entered, the alternate screen, raw mode, bracketed paste, the
//! mouse and the hidden cursor are on; however the program ends (key, signal, panic, error),
//! [`Screen::leave`] or [`restore`] switches all of them off, attempting each step whether or not
//! the one before failed.
//!
//! ratatui's own `init`/`restore` are not used: they handle neither signals nor the mouse, they
//! restore the screen when a background task panics while the dashboard runs on, and they print to
//! a stderr that may be gone. Neither is `Terminal::clear`: it asks the terminal for the cursor
//! position, and the input thread would swallow the reply.

mod canvas;
mod modes;
mod os;
mod output;

use std::fs::File;
use std::io::{self, IsTerminal};
use std::marker::PhantomData;
use std::rc::Rc;

use ratatui::Frame;

use crate::process;

pub use modes::{enter_prompt, is_entered, restore};

pub use canvas::Canvas;

/// Checks that a dashboard can be shown: both standard streams are a terminal that can position
/// text.
///
/// # Errors
///
/// The reason it cannot. The program prints it in one line and exits with 2.
pub fn require_terminal() -> Result<(), &'static str> {
    if !io::stdin().is_terminal() {
        return Err("standard input is not a terminal");
    }
    if !io::stdout().is_terminal() {
        return Err("standard output is not a terminal");
    }
    if std::env::var_os("TERM").is_some_and(|term| term == "dumb") {
        return Err("the terminal cannot show a full screen (TERM=dumb)");
    }
    Ok(())
}

/// Whether an error means that the terminal is gone (window closed, connection lost), so that the
/// program ends with [`HANG_UP_STATUS`].
pub fn is_hang_up(error: &io::Error) -> bool {
    os::is_hang_up(error)
}

/// Whether the terminal on standard input is gone.
pub fn is_hung_up() -> bool {
    os::is_hung_up()
}

/// Exit status after the terminal is gone: 128 + SIGHUP.
pub const HANG_UP_STATUS: i32 = 129;

/// The entered terminal, and the only way to draw on it.
///
/// It cannot be sent to another thread: the panic hook recognises the thread that draws by its id.
#[derive(Debug)]
pub struct Screen {
    canvas: Canvas<File>,
    mouse: bool,
    _stays_on_its_thread: PhantomData<Rc<()>>,
}

impl Screen {
    /// Takes the terminal. With `mouse`, clicks, drags and the wheel are reported (plain motion
    /// never is). The reply to `question`, if any, arrives among the keys.
    ///
    /// # Errors
    ///
    /// When there is no terminal or it cannot be set up; everything is switched off again then.
    pub fn enter(mouse: bool, question: &str) -> io::Result<Self> {
        require_terminal().map_err(|none| io::Error::new(io::ErrorKind::NotConnected, none))?;
        let canvas = Canvas::new(os::writer()?, os::size)?;
        // crossterm's own handling of NO_COLOR prints a full reset instead of a colour, which also
        // removes bold and reverse. The theme obeys NO_COLOR instead.
        crossterm::style::force_color_output(true);
        modes::enter(mouse, question)?;
        Ok(Self {
            canvas,
            mouse,
            _stays_on_its_thread: PhantomData,
        })
    }

    /// Draws one frame and returns the result of `render`. The whole frame is one write, and nothing is
    /// written if it changed nothing.
    ///
    /// # Errors
    ///
    /// The terminal's error (see [`is_hang_up`]), after which the next frame draws everything again; or that
    /// the terminal was given back.
    pub fn draw<R>(&mut self, render: impl FnOnce(&mut Frame<'_>) -> R) -> io::Result<R> {
        if !is_entered() {
            return Err(io::Error::new(
                io::ErrorKind::NotConnected,
                "the terminal was given back",
            ));
        }
        self.canvas.draw(render)
    }

    /// Columns and rows of the next frame.
    ///
    /// # Errors
    ///
    /// When the terminal does not answer.
    pub fn size(&self) -> io::Result<(u16, u16)> {
        self.canvas.size().map(|size| (size.width, size.height))
    }

    /// Makes the next frame draw every cell, as after another program wrote on the screen.
    pub fn repaint(&mut self) {
        self.canvas.repaint();
    }

    /// Sends `text` to the terminal's clipboard (OSC 52).
    ///
    /// Terminals do not report whether they accepted it; see [`crate::runtime::clipboard`] for programs that
    /// do.
    ///
    /// # Errors
    /// When `text` is longer than 64 KiB, or the terminal cannot be written to.
    pub fn copy(&mut self, text: &str) -> io::Result<()> {
        let sequence = super::clipboard::osc52(text).map_err(io::Error::other)?;
        self.canvas.write_aside(&sequence)
    }

    /// Switches mouse capture on or off.
    ///
    /// # Errors
    ///
    /// When the terminal cannot be written to.
    pub(super) fn set_mouse(&mut self, is_on: bool) -> io::Result<()> {
        self.mouse = is_on;
        self.canvas.write_aside(modes::mouse(is_on))
    }

    /// Sends the terminal a query; the reply arrives among the keys.
    ///
    /// # Errors
    ///
    /// When the terminal cannot be written to.
    pub(super) fn ask(&mut self, question: &[u8]) -> io::Result<()> {
        self.canvas.write_aside(question)
    }

    /// Switches off all that entering switched on. Idempotent.
    ///
    /// # Errors
    ///
    /// The first failure; every step is attempted nevertheless.
    pub fn leave(&mut self) -> io::Result<()> {
        restore()
    }

    /// Restores the terminal, stops the process group as Ctrl-Z in a plain program would, and takes
    /// the terminal again when the shell continues it. Drop the input before and restart it after,
    /// or a key goes to the wrong reader. Call it inside the runtime.
    ///
    /// Where no shell could continue it (the program is its own session, as in a container or a
    /// window made for it), the screen is only redrawn.
    ///
    /// # Errors
    ///
    /// When the terminal cannot be taken again.
    pub async fn suspend(&mut self) -> io::Result<()> {
        if process::can_stop() {
            // The user asked to suspend: a terminal that cannot be restored is no reason to refuse.
            let _ = self.leave();
            process::stop_until_continued().await?;
        }
        self.resume()
    }

    /// Takes the terminal again after the process was continued, and draws every cell of the next frame.
    ///
    /// # Errors
    /// When the terminal cannot be set up.
    pub fn resume(&mut self) -> io::Result<()> {
        self.canvas.repaint();
        modes::enter(self.mouse, "")
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        let _ = self.leave();
    }
}
