//! The terminal modes, switched on and off together.
//!
//! The state belongs to the process, as the terminal does: the panic hook and the last resort must
//! be able to restore it without a [`Screen`](super::Screen) at hand.

use std::io::{self, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};

use super::{os, output};

/// Whether the modes of the dashboard are on.
static ENTERED: AtomicBool = AtomicBool::new(false);

/// Whether a command's question has the terminal, without a screen of its own.
static ASKING: AtomicBool = AtomicBool::new(false);

/// Switches the modes on: save the window's title (XTWINOPS 22); alternate screen; bracketed paste;
/// focus reports; text in the order written, because a full-screen program places right-to-left
/// runs itself (BDSM, explicit mode); cursor hidden.
const ENTER: &str = "\x1b[22;2t\x1b[?1049h\x1b[?2004h\x1b[?1004h\x1b[8l\x1b[?25l";

/// Switches on mouse reports: buttons and wheel (1000), and motion while a button is down (1002, to
/// drag the divider), without a limit on columns (1006).
///
/// Not 1003: plain motion would wake the program for nothing.
const MOUSE: &str = "\x1b[?1000h\x1b[?1002h\x1b[?1006h";
const NO_MOUSE: &str = "\x1b[?1006l\x1b[?1002l\x1b[?1000l";

/// Switches everything off, whether or not it was on.
///
/// It begins with the end of a synchronized update in case the last frame was cut. Attributes are
/// reset on both screens, since some terminals store them for each; the cursor is shown last, on
/// the screen that remains.
const LEAVE: &str = "\x1b[?2026l\x1b[?1006l\x1b[?1002l\x1b[?1000l\x1b[?1004l\x1b[?2004l\x1b[8h\
    \x1b[0m\x1b[?1049l\x1b[0m\x1b[23;2t\x1b[?25h";

/// The escape sequence that switches mouse capture on or off.
pub(super) const fn mouse(is_on: bool) -> &'static [u8] {
    if is_on { MOUSE.as_bytes() } else { NO_MOUSE.as_bytes() }
}

/// Whether the modes of the dashboard are on.
pub fn is_entered() -> bool {
    ENTERED.load(Ordering::SeqCst)
}

/// Switches all modes of the dashboard on, the mouse if requested, even if they were on before: a shell may
/// have switched some off while the process was stopped. `question` follows in the same write. If it fails,
/// all are switched off.
pub(super) fn enter(mouse: bool, question: &str) -> io::Result<()> {
    ENTERED.store(true, Ordering::SeqCst);
    let entered = raw_mode_on().and_then(|()| {
        let mouse = if mouse { MOUSE } else { "" };
        let modes = [ENTER, mouse, question].concat();
        output::write_all(&mut os::writer()?, modes.as_bytes())
    });
    if entered.is_err() {
        let _ = restore();
    }
    entered
}

/// Switches on the modes of a command's question: keys one by one, and bracketed paste. If that fails, both
/// are switched off.
///
/// Input in the terminal's buffer is dropped. The sequence goes to stderr, as standard output may be a pipe.
pub fn enter_prompt() -> io::Result<()> {
    ASKING.store(true, Ordering::SeqCst);
    let entered = raw_mode_on().and_then(|()| {
        os::drop_input()?;
        io::stderr().write_all(b"\x1b[?2004h")
    });
    if entered.is_err() {
        let _ = restore();
    }
    entered
}

/// Switches off everything that the program switched on. Idempotent, so every way out may call it.
///
/// # Errors
///
/// The first failure; every step is attempted nevertheless.
pub fn restore() -> io::Result<()> {
    if ASKING.swap(false, Ordering::SeqCst) {
        let cooked = crossterm::terminal::disable_raw_mode();
        return cooked.and(io::stderr().write_all(b"\x1b[?2004l"));
    }
    if !ENTERED.swap(false, Ordering::SeqCst) {
        return Ok(());
    }
    // Raw mode first: it cannot block, while a write to a stalled terminal can.
    let cooked = crossterm::terminal::disable_raw_mode();
    let written = os::writer().and_then(|mut tty| output::write_all(&mut tty, LEAVE.as_bytes()));
    cooked.and(written)
}

/// Switches raw mode on, even if crossterm believes that it is on: a shell may have switched it off
/// since.
fn raw_mode_on() -> io::Result<()> {
    if crossterm::terminal::is_raw_mode_enabled()? && !os::raw_mode_is_on() {
        crossterm::terminal::disable_raw_mode()?;
    }
    crossterm::terminal::enable_raw_mode()
}
