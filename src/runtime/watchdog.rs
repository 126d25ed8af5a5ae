//! Notices that the terminal is gone, and makes sure that the program ends.
//!
//! crossterm's reader cannot report the end of the terminal: it spins forever at full speed. So a
//! separate thread watches for the hang-up, and ends the process if the dashboard does not do so in
//! time.

use std::io::{stdin, stdout};
use std::thread;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use tokio::sync::oneshot;

use super::terminal::{self, HANG_UP_STATUS};
use crate::process;

/// Time for the dashboard to save its state after a hang-up.
const GRACE: Duration = Duration::from_secs(1);
/// Time for restoring the terminal as the last step.
///
/// Writing the last sequences may block where the other side of the terminal is stuck.
const RESTORING: Duration = Duration::from_millis(300);

/// Detects that the terminal is gone.
#[derive(Debug)]
pub struct Watchdog {
    report: Option<oneshot::Receiver<()>>,
}

impl Watchdog {
    /// Starts watching standard input and output. After a reported hang-up the process is ended
    /// with [`HANG_UP_STATUS`] about a second later, if it still runs.
    pub fn start() -> Self {
        let (sender, receiver) = oneshot::channel();
        let watching = thread::Builder::new().name("watchdog".to_owned()).spawn(move || {
            if wait_for_hang_up() {
                exit_after(GRACE, HANG_UP_STATUS);
                let _ = sender.send(());
            }
        });
        Self {
            report: watching.is_ok().then_some(receiver),
        }
    }

    /// Waits for the hang-up; forever if it cannot be detected, or was reported already.
    pub async fn hung_up(&mut self) {
        if let Some(receiver) = self.report.as_mut() {
            let reported = receiver.await;
            self.report = None;
            if reported.is_ok() {
                return;
            }
        }
        std::future::pending::<()>().await;
    }
}

/// Ends the process with `status` after `grace`, regardless of the other threads, and kills the programs it
/// started. The terminal is restored if it responds. Without a thread for this the process ends at once.
pub fn exit_after(grace: Duration, status: i32) {
    let waiting = thread::Builder::new().name("last resort".to_owned()).spawn(move || {
        thread::sleep(grace);
        // Writing to a stalled terminal can block forever, so this does not wait for it.
        let _ = thread::Builder::new().spawn(|| {
            let _ = terminal::restore();
        });
        thread::sleep(RESTORING);
        process::kill_all();
        std::process::exit(status);
    });
    if waiting.is_err() {
        std::process::exit(status);
    }
}

// The poll timeout: on Linux the kernel reports a hang-up at once, so that an idle program need not wake;
// elsewhere it is checked every second.
const LOOK: Option<Timespec> = if cfg!(target_os = "linux") {
    None
} else {
    Some(Timespec { tv_sec: 1, tv_nsec: 0 })
};

/// Waits until the terminal is gone; false if that cannot be detected.
fn wait_for_hang_up() -> bool {
    let gone = PollFlags::HUP | PollFlags::ERR;
    let (input, output) = (stdin(), stdout());
    loop {
        // No event is requested: these two are always reported, and keys must not wake us.
        let mut ends = [
            PollFd::new(&input, PollFlags::empty()),
            PollFd::new(&output, PollFlags::empty()),
        ];
        match poll(&mut ends, LOOK.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(_) => return false,
        }
        if ends.iter().any(|end| end.revents().intersects(gone)) {
            return true;
        }
        if ends.iter().any(|end| end.revents().contains(PollFlags::NVAL)) {
            return false;
        }
    }
}
