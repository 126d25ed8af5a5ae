//! The foreground of the terminal, lent to a command and taken back.

use std::fs::File;
use std::io::{self, IsTerminal as _};
use std::sync::{Mutex, PoisonError};
use std::thread;

use nix::sys::signal::{SigSet, Signal as Blocked};
use rustix::process::{Pid, Signal, getpgrp, getsid, kill_current_process_group, kill_process_group};
use rustix::termios::{tcgetpgrp, tcsetpgrp};
use tokio::signal::unix::{SignalKind, signal};

/// The process group that has the foreground in place of bourse's.
static LENT_TO: Mutex<Option<Pid>> = Mutex::new(None);

/// Lends the foreground of the terminal to a process group and continues it; false if bourse does not have
/// the foreground, or its input or output is no terminal.
///
/// In a pipe it stays with the pipe's other programs.
pub(super) fn lend(group: Pid) -> bool {
    if !(io::stdin().is_terminal() && io::stdout().is_terminal()) {
        return false;
    }
    let Ok(terminal) = File::open("/dev/tty") else {
        return false;
    };
    let mut lent_to = LENT_TO.lock().unwrap_or_else(PoisonError::into_inner);
    if tcgetpgrp(&terminal) != Ok(getpgrp()) || tcsetpgrp(&terminal, group).is_err() {
        return false;
    }
    *lent_to = Some(group);
    // It may have requested the terminal before it was lent, and been stopped.
    let _ = kill_process_group(group, Signal::CONT);
    true
}

/// Takes the foreground of the terminal back, if it is lent to any group.
pub(super) fn take_back() {
    let mut lent_to = LENT_TO.lock().unwrap_or_else(PoisonError::into_inner);
    if lent_to.take().is_none() {
        return;
    }
    // A process in the background that asks for the foreground is stopped, unless it blocks the signal: on a
    // thread of its own, since no other must.
    let taking = thread::spawn(|| {
        let mut stop = SigSet::empty();
        stop.add(Blocked::SIGTTOU);
        if stop.thread_block().is_ok()
            && let Ok(terminal) = File::open("/dev/tty")
        {
            let _ = tcsetpgrp(&terminal, getpgrp());
        }
    });
    let _ = taking.join();
}

/// Takes the foreground of the terminal back, if it is lent to this group.
pub(super) fn take_back_from(group: Pid) {
    if *LENT_TO.lock().unwrap_or_else(PoisonError::into_inner) == Some(group) {
        take_back();
    }
}

/// Whether a stopped process could be continued: its group is a job of a shell, and not the session
/// leader's (a container, a window made for this program).
pub fn can_stop() -> bool {
    getsid(None).is_ok_and(|session| session != getpgrp())
}

/// Stops the process group until it is continued.
///
/// It sends SIGSTOP and not SIGTSTP: the program handles the latter itself, and a handler cannot be
/// removed in safe code. The wrappers around the program (`env`, `sudo`) stop with it, as otherwise
/// the shell would not notice.
///
/// # Errors
///
/// When it cannot be stopped.
pub async fn stop_until_continued() -> io::Result<()> {
    let mut continued = signal(SignalKind::from_raw(Signal::CONT.as_raw()))?;
    kill_current_process_group(Signal::STOP)?;
    // This thread may run on for a moment until another one has received the signal, and must not take the
    // terminal in that moment.
    continued.recv().await;
    Ok(())
}
