//! The terminal: taken and restored as a whole.
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

mod links;
mod modes;
mod os;
mod output;

use std::fs::File;
use std::io::{self, IsTerminal};
use std::marker::PhantomData;
use std::rc::Rc;

use ratatui::layout::Rect;
use ratatui::{Frame, Terminal};

pub use modes::{is_entered, restore};

use links::Link;
use output::Output;

/// Why no dashboard can be shown. The program says so in one line and exits with 2.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoTerminal {
    #[error("standard input is not a terminal")]
    Input,
    #[error("standard output is not a terminal")]
    Output,
    /// `TERM=dumb`: the terminal cannot position text.
    #[error("the terminal cannot show a full screen (TERM=dumb)")]
    Dumb,
}

/// Whether a dashboard can be shown: both standard streams are a terminal that can position text.
pub fn require_terminal() -> Result<(), NoTerminal> {
    if !io::stdin().is_terminal() {
        return Err(NoTerminal::Input);
    }
    if !io::stdout().is_terminal() {
        return Err(NoTerminal::Output);
    }
    if std::env::var_os("TERM").is_some_and(|term| term == "dumb") {
        return Err(NoTerminal::Dumb);
    }
    Ok(())
}

/// Whether an error means that the terminal is gone (window closed, connection lost), so that the
/// program ends with [`HANG_UP_STATUS`].
pub fn is_hang_up(error: &io::Error) -> bool {
    os::is_hang_up(error)
}

/// Exit status when the terminal went away: 128 + SIGHUP.
pub const HANG_UP_STATUS: i32 = 129;

/// Stops the process until its shell continues it, after another program on the terminal has
/// stopped.
pub(super) async fn stop_until_continued() -> io::Result<()> {
    if os::can_stop() {
        os::stop_until_continued().await?;
    }
    Ok(())
}

/// The entered terminal, and the only way to draw on it.
///
/// It cannot be sent to another thread: the panic hook recognises the thread that draws by its id.
#[derive(Debug)]
pub struct Screen {
    terminal: Terminal<Output<File>>,
    mouse: bool,
    /// The terminal no longer shows what ratatui believes: the next frame draws every cell.
    stale: bool,
    /// The addresses to show as links.
    addresses: Vec<String>,
    /// The links on the screen.
    links: Vec<Link>,
    _stays_on_its_thread: PhantomData<Rc<()>>,
}

impl Screen {
    /// Takes the terminal. With `mouse`, clicks, drags and the wheel are reported (plain motion
    /// never is).
    ///
    /// # Errors
    ///
    /// When there is no terminal or it cannot be set up; everything is switched off again then.
    pub fn enter(mouse: bool) -> io::Result<Self> {
        require_terminal().map_err(|none| io::Error::new(io::ErrorKind::NotConnected, none))?;
        // crossterm's own handling of NO_COLOR prints a full reset instead of a colour, which also
        // removes bold and reverse. The theme obeys NO_COLOR instead.
        crossterm::style::force_color_output(true);
        let output = Output::new(os::writer()?, os::size);
        let terminal = Terminal::new(output)?;
        modes::enter(mouse)?;
        Ok(Self {
            terminal,
            mouse,
            stale: true,
            addresses: Vec::new(),
            links: Vec::new(),
            _stays_on_its_thread: PhantomData,
        })
    }

    /// Draws one frame and returns what `render` measured. The whole frame is one write, and there
    /// is none if nothing changed.
    ///
    /// # Errors
    ///
    /// The terminal's error; see [`is_hang_up`]. After any other error the next frame draws
    /// everything again.
    pub fn draw<R>(&mut self, render: impl FnOnce(&mut Frame<'_>) -> R) -> io::Result<R> {
        if !is_entered() {
            return Err(io::Error::new(
                io::ErrorKind::NotConnected,
                "the terminal was given back",
            ));
        }
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

    /// Columns and rows of the next frame.
    ///
    /// # Errors
    ///
    /// When the terminal does not answer.
    pub fn size(&self) -> io::Result<(u16, u16)> {
        self.terminal.size().map(|size| (size.width, size.height))
    }

    /// Makes the next frame draw every cell, as after another program wrote on the screen.
    pub fn repaint(&mut self) {
        self.stale = true;
    }

    /// Sends `text` to the terminal's clipboard (OSC 52). Whether the terminal accepts it cannot be
    /// known; see [`crate::runtime::clipboard`] for the ways that can.
    ///
    /// # Errors
    ///
    /// When `text` is too long for terminals, or the terminal cannot be written to.
    pub fn copy(&mut self, text: &str) -> io::Result<()> {
        let sequence = super::clipboard::osc52(text).map_err(io::Error::other)?;
        self.terminal.backend_mut().write_aside(&sequence)
    }

    /// Switches mouse capture on or off.
    ///
    /// # Errors
    ///
    /// When the terminal cannot be written to.
    pub(super) fn set_mouse(&mut self, is_on: bool) -> io::Result<()> {
        self.mouse = is_on;
        self.terminal.backend_mut().write_aside(modes::mouse(is_on))
    }

    /// Sends the terminal a query; the reply arrives among the keys.
    ///
    /// # Errors
    ///
    /// When the terminal cannot be written to.
    pub(super) fn ask(&mut self, question: &[u8]) -> io::Result<()> {
        self.terminal.backend_mut().write_aside(question)
    }

    /// Restores the terminal. Idempotent.
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
        if os::can_stop() {
            // The person asked to suspend: a terminal that cannot be restored is no reason to
            // refuse.
            let _ = self.leave();
            os::stop_until_continued().await?;
        }
        self.resume()
    }

    /// Takes the terminal again after the process was continued, whoever stopped it.
    ///
    /// # Errors
    ///
    /// When the terminal cannot be set up.
    pub fn resume(&mut self) -> io::Result<()> {
        self.stale = true;
        modes::enter(self.mouse)
    }

    /// Clears the terminal with the next frame. `resize` does exactly that, without a query to the
    /// terminal.
    fn forget_screen(&mut self) -> io::Result<()> {
        let size = self.terminal.size()?;
        self.links.clear();
        self.terminal.backend_mut().forget();
        self.terminal
            .resize(Rect::new(0, 0, size.width, size.height))
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        let _ = self.leave();
    }
}
