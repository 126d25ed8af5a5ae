//! The signals that a full-screen program must handle.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::mpsc;

use super::watchdog::exit_after;

/// A signal, by its request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// SIGHUP: the terminal is gone.
    Hangup,
    /// SIGINT, sent by another program (Ctrl-C is a key while the dashboard is shown), or Ctrl-C
    /// where there are no signals.
    Interrupt,
    Quit,
    Terminate,
    Stop,
    /// SIGCONT: continued after a stop; other programs may have used the terminal in between. A
    /// hang-up sends it too, sometimes first: taking the terminal again then fails.
    Continue,
}

impl Signal {
    /// Exit status of a program that ends on this signal, 128 + its number; `None` for the two that
    /// do not end it.
    pub const fn exit_status(self) -> Option<i32> {
        match self {
            Self::Hangup => Some(129),
            Self::Interrupt => Some(130),
            Self::Quit => Some(131),
            Self::Terminate => Some(143),
            Self::Stop | Self::Continue => None,
        }
    }
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
        let mut source = os::Source::new()?;
        let (outbox, inbox) = mpsc::unbounded_channel();
        let is_lent = Arc::new(AtomicBool::new(false));
        let has_keyboard = Arc::clone(&is_lent);
        tokio::spawn(async move {
            while let Some(signal) = source.next().await {
                let is_key = matches!(signal, Signal::Interrupt | Signal::Quit);
                if is_key && has_keyboard.load(Ordering::SeqCst) {
                    continue;
                }
                if let (Some(grace), Some(status)) = (last_resort, signal.exit_status()) {
                    exit_after(grace, status);
                }
                if outbox.send(signal).is_err() {
                    break;
                }
            }
        });
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

#[cfg(unix)]
mod os {
    use std::io;

    use tokio::signal::unix::{SignalKind, signal};

    use super::Signal;

    pub struct Source {
        hangup: tokio::signal::unix::Signal,
        interrupt: tokio::signal::unix::Signal,
        quit: tokio::signal::unix::Signal,
        terminate: tokio::signal::unix::Signal,
        stop: tokio::signal::unix::Signal,
        resume: tokio::signal::unix::Signal,
    }

    impl Source {
        pub fn new() -> io::Result<Self> {
            let numbered = |number: rustix::process::Signal| signal(SignalKind::from_raw(number.as_raw()));
            // A file at its limit is an error of the write then, and not the end of the process.
            let _ = numbered(rustix::process::Signal::XFSZ)?;
            Ok(Self {
                hangup: signal(SignalKind::hangup())?,
                interrupt: signal(SignalKind::interrupt())?,
                quit: signal(SignalKind::quit())?,
                terminate: signal(SignalKind::terminate())?,
                stop: numbered(rustix::process::Signal::TSTP)?,
                resume: numbered(rustix::process::Signal::CONT)?,
            })
        }

        /// The next signal, terminating ones first.
        pub async fn next(&mut self) -> Option<Signal> {
            tokio::select! {
                biased;
                event = self.hangup.recv() => event.map(|()| Signal::Hangup),
                event = self.terminate.recv() => event.map(|()| Signal::Terminate),
                event = self.quit.recv() => event.map(|()| Signal::Quit),
                event = self.interrupt.recv() => event.map(|()| Signal::Interrupt),
                event = self.stop.recv() => event.map(|()| Signal::Stop),
                event = self.resume.recv() => event.map(|()| Signal::Continue),
            }
        }
    }
}

#[cfg(not(unix))]
mod os {
    use std::io;

    use super::Signal;

    /// Ctrl-C, which every system has.
    pub struct Source;

    impl Source {
        pub fn new() -> io::Result<Self> {
            Ok(Self)
        }

        pub async fn next(&mut self) -> Option<Signal> {
            tokio::signal::ctrl_c().await.ok().map(|()| Signal::Interrupt)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Signal;

    #[test]
    fn the_status_is_128_and_the_number() {
        assert_eq!(Signal::Hangup.exit_status(), Some(128 + 1));
        assert_eq!(Signal::Interrupt.exit_status(), Some(128 + 2));
        assert_eq!(Signal::Quit.exit_status(), Some(128 + 3));
        assert_eq!(Signal::Terminate.exit_status(), Some(128 + 15));
        assert_eq!(Signal::Stop.exit_status(), None);
        assert_eq!(Signal::Continue.exit_status(), None);
    }
}
