//! The signals that a full-screen program must handle.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

pub use rustix::process::Signal;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;

use super::watchdog::exit_after;

/// HUP: the terminal is gone. INT and QUIT come from other programs: Ctrl-C and Ctrl-\ are keys while the
/// dashboard is shown. CONT follows a stop, in which other programs may have used the terminal; a hang-up
/// sends it too, sometimes first: taking the terminal again then fails.
const HANDLED: [Signal; 6] = [
    Signal::HUP,
    Signal::TERM,
    Signal::QUIT,
    Signal::INT,
    Signal::TSTP,
    Signal::CONT,
];

/// Exit status of a program that ends on this signal, 128 + its number; `None` for the two that do not
/// end it.
pub fn exit_status(signal: Signal) -> Option<i32> {
    let is_about_stops = signal == Signal::TSTP || signal == Signal::CONT;
    (!is_about_stops).then(|| 128 + signal.as_raw())
}

/// Receives the signals. Once it exists, none of them has its default effect.
#[derive(Debug)]
pub struct Signals {
    inbox: mpsc::UnboundedReceiver<Signal>,
    is_lent: Arc<AtomicBool>,
}

impl Signals {
    /// Starts listening; call it inside the runtime.
    ///
    /// With `last_resort` the process ends that long after a terminating signal, should it still
    /// run: the dashboard may be stuck writing to a stalled terminal.
    ///
    /// # Errors
    ///
    /// When the handlers cannot be installed.
    pub fn listen(last_resort: Option<Duration>) -> io::Result<Self> {
        let source = |handled: Signal| signal(SignalKind::from_raw(handled.as_raw()));
        // A file at its limit is an error of the write then, and not the end of the process.
        let _ = source(Signal::XFSZ)?;
        let (outbox, inbox) = mpsc::unbounded_channel();
        let is_lent = Arc::new(AtomicBool::new(false));
        for handled in HANDLED {
            let mut source = source(handled)?;
            let (outbox, has_keyboard) = (outbox.clone(), Arc::clone(&is_lent));
            let is_key = handled == Signal::INT || handled == Signal::QUIT;
            tokio::spawn(async move {
                while source.recv().await.is_some() {
                    if is_key && has_keyboard.load(Ordering::SeqCst) {
                        continue;
                    }
                    if let (Some(grace), Some(status)) = (last_resort, exit_status(handled)) {
                        exit_after(grace, status);
                    }
                    if outbox.send(handled).is_err() {
                        break;
                    }
                }
            });
        }
        Ok(Self { inbox, is_lent })
    }

    /// Leaves Ctrl-c and Ctrl-\\ to another program on the terminal: the kernel sends their signals
    /// to the whole process group.
    pub fn lend(&self, is_lent: bool) {
        self.is_lent.store(is_lent, Ordering::SeqCst);
    }

    /// The next signal. Cancel-safe.
    pub async fn next(&mut self) -> Signal {
        match self.inbox.recv().await {
            Some(signal) => signal,
            // The source is gone, as when the runtime shuts down.
            None => std::future::pending().await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Signal, exit_status};

    #[test]
    fn the_status_is_128_and_the_number() {
        assert_eq!(exit_status(Signal::HUP), Some(128 + 1));
        assert_eq!(exit_status(Signal::INT), Some(128 + 2));
        assert_eq!(exit_status(Signal::QUIT), Some(128 + 3));
        assert_eq!(exit_status(Signal::TERM), Some(128 + 15));
        assert_eq!(exit_status(Signal::TSTP), None);
        assert_eq!(exit_status(Signal::CONT), None);
    }
}
