//! System calls on the terminal and the process group.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;

use ratatui::layout::Size;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{Signal, getpgrp, getsid, kill_current_process_group};
use rustix::termios::{LocalModes, tcgetattr, tcgetwinsize};
use tokio::signal::unix::{SignalKind, signal};

/// Standard output without the standard library's line buffering, so that a frame is one write.
/// A descriptor of its own, independent of the library's lock.
pub(super) fn writer() -> io::Result<File> {
    Ok(File::from(io::stdout().as_fd().try_clone_to_owned()?))
}

/// Size of the terminal in cells; 0 x 0 if the terminal does not report it.
pub(super) fn size() -> io::Result<Size> {
    let size = tcgetwinsize(io::stdout())?;
    Ok(Size::new(size.ws_col, size.ws_row))
}

/// Waits until the terminal accepts bytes again. Another program that shares it may have made
/// it non-blocking.
pub(super) fn wait_writable() -> io::Result<()> {
    let stdout = io::stdout();
    let mut ready = [PollFd::new(&stdout, PollFlags::OUT)];
    match poll(&mut ready, None) {
        Ok(_) | Err(Errno::INTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Whether the terminal delivers keys one by one, without echo.
pub(super) fn raw_mode_is_on() -> bool {
    tcgetattr(io::stdin()).is_ok_and(|modes| !modes.local_modes.intersects(LocalModes::ICANON | LocalModes::ECHO))
}

/// Whether the error says that the terminal is gone.
pub(super) fn is_hang_up(error: &io::Error) -> bool {
    matches!(
        Errno::from_io_error(error),
        Some(Errno::IO | Errno::NXIO | Errno::NOTTY | Errno::PIPE | Errno::BADF)
    )
}

/// Whether somebody could continue a stopped process: the group belongs to a job of a shell,
/// not to the session leader (a container, a window made for this program).
pub(super) fn can_stop() -> bool {
    getsid(None).is_ok_and(|session| session != getpgrp())
}

/// Stops the process group until it is continued. SIGSTOP, not SIGTSTP: the program handles the
/// latter itself, and a handler cannot be removed in safe code. The wrappers around the program
/// (`env`, `sudo`) stop with it, else the shell would not notice.
pub(super) async fn stop_until_continued() -> io::Result<()> {
    let mut continued = signal(SignalKind::from_raw(Signal::CONT.as_raw()))?;
    kill_current_process_group(Signal::STOP)?;
    // This thread may run on for a moment until another one has received the signal, and must
    // not take the terminal in that moment.
    continued.recv().await;
    Ok(())
}
