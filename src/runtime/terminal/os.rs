//! System calls on the terminal and the process group.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;

use ratatui::layout::Size;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::termios::{LocalModes, QueueSelector, tcflush, tcgetattr, tcgetwinsize};

/// Standard output without the standard library's line buffering, so that a frame is one write.
///
/// It is a descriptor of its own, independent of the library's lock.
pub(super) fn writer() -> io::Result<File> {
    Ok(File::from(io::stdout().as_fd().try_clone_to_owned()?))
}

/// Size of the terminal in cells; 0 x 0 if the terminal does not report it.
pub(super) fn size() -> io::Result<Size> {
    let size = tcgetwinsize(io::stdout())?;
    Ok(Size::new(size.ws_col, size.ws_row))
}

/// Waits until the terminal accepts bytes again, or a signal interrupts the wait.
///
/// Another program that shares it may have made it non-blocking.
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

/// Drops input of the terminal that was not read yet.
pub(super) fn drop_input() -> io::Result<()> {
    Ok(tcflush(io::stdin(), QueueSelector::IFlush)?)
}

/// Whether the terminal on standard input is gone.
pub(super) fn is_hung_up() -> bool {
    let stdin = io::stdin();
    // No event is requested: these two are always reported.
    let mut ends = [PollFd::new(&stdin, PollFlags::empty())];
    let looked = poll(&mut ends, Some(&Timespec { tv_sec: 0, tv_nsec: 0 }));
    looked.is_ok() && ends[0].revents().intersects(PollFlags::HUP | PollFlags::ERR)
}

/// Whether the error means that the terminal is gone.
pub(super) fn is_hang_up(error: &io::Error) -> bool {
    matches!(
        Errno::from_io_error(error),
        Some(Errno::IO | Errno::NXIO | Errno::NOTTY | Errno::PIPE | Errno::BADF)
    )
}
