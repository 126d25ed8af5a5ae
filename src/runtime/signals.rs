//! The signals that a full-screen program must handle.

use std::io;
use std::time::Duration;

use rustix::process::Signal as Named;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;

use super::watchdog::exit_after;
use crate::process::{Claim, is_ignored};

/// A signal by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signal(i32);

impl Signal {
    pub const HUP: Self = Self(Named::HUP.as_raw());
    pub const TERM: Self = Self(Named::TERM.as_raw());
    pub const QUIT: Self = Self(Named::QUIT.as_raw());
    pub const INT: Self = Self(Named::INT.as_raw());
    pub const TSTP: Self = Self(Named::TSTP.as_raw());
    pub const CONT: Self = Self(Named::CONT.as_raw());
}

/// The signals with a meaning of their own.
///
/// HUP: the terminal is gone. INT and QUIT are sent by other programs: Ctrl-C and Ctrl-\ are keys
/// while the dashboard is shown. CONT follows a stop, in which other programs may have used the
/// terminal; a hang-up sends it too, sometimes first: taking the terminal again then fails.
const HANDLED: [Signal; 6] = [
    Signal::HUP,
    Signal::TERM,
    Signal::QUIT,
    Signal::INT,
    Signal::TSTP,
    Signal::CONT,
];

/// Other signals that end a program unless it handles them.
///
/// Nobody sends them on purpose, but the terminal must be restored all the same.
const RARE: &[Named] = &[
    Named::ABORT,
    Named::USR1,
    Named::USR2,
    Named::ALARM,
    Named::TRAP,
    Named::BUS,
    Named::SYS,
    Named::XCPU,
    Named::VTALARM,
    Named::PROF,
    #[cfg(target_os = "linux")]
    Named::STKFLT,
    #[cfg(target_os = "linux")]
    Named::IO,
    #[cfg(target_os = "linux")]
    Named::POWER,
];

/// The real-time signals; the first ones are the C library's own.
#[cfg(target_os = "linux")]
const REAL_TIME: std::ops::RangeInclusive<i32> = 35..=64;
#[cfg(not(target_os = "linux"))]
const REAL_TIME: std::ops::Range<i32> = 0..0;

/// The signals that end a program unless it handles them, without those of common use (`HANDLED`) and those
/// that the program was started to ignore: rarely sent ones and the real-time signals.
fn rare() -> impl Iterator<Item = Signal> {
    let named = RARE.iter().map(|named| named.as_raw());
    named.chain(REAL_TIME).filter(|rare| !is_ignored(*rare)).map(Signal)
}

/// The exit status after this signal, 128 plus its number; `None` for stop and continue (TSTP, CONT), which
/// do not end the program.
pub fn exit_status(signal: Signal) -> Option<i32> {
    (signal != Signal::TSTP && signal != Signal::CONT).then_some(128 + signal.0)
}

/// Receives the signals. Once it exists, none of them has its default effect.
#[derive(Debug)]
pub struct Signals {
    inbox: mpsc::UnboundedReceiver<Signal>,
    _claim: Claim,
}

impl Signals {
    /// Starts listening for the signals that stop or end the program, which while this exists do not end it
    /// by themselves; call it inside the runtime.
    ///
    /// With `last_resort` the process is ended that long after a terminating signal, if it still runs: the
    /// dashboard may be stuck writing to a stalled terminal.
    ///
    /// # Errors
    ///
    /// When the handlers cannot be installed.
    pub fn listen(last_resort: Option<Duration>) -> io::Result<Self> {
        let source = |handled: Signal| signal(SignalKind::from_raw(handled.0));
        // A file at its limit is an error of the write then, and not the end of the process.
        let _ = source(Signal(Named::XFSZ.as_raw()))?;
        let (outbox, inbox) = mpsc::unbounded_channel();
        let common = HANDLED
            .into_iter()
            .map(|handled| Ok::<_, io::Error>((handled, source(handled)?)));
        // A signal that the system reserves cannot be handled.
        let rare = rare().filter_map(|handled| Some(Ok((handled, source(handled).ok()?))));
        for handled in common.chain(rare) {
            let (handled, mut source) = handled?;
            let outbox = outbox.clone();
            tokio::spawn(async move {
                while source.recv().await.is_some() {
                    if let (Some(grace), Some(status)) = (last_resort, exit_status(handled)) {
                        exit_after(grace, status);
                    }
                    if outbox.send(handled).is_err() {
                        break;
                    }
                }
            });
        }
        Ok(Self {
            inbox,
            _claim: Claim::new(&[Named::HUP, Named::TERM, Named::QUIT, Named::INT]),
        })
    }

    /// Waits for the next signal, forever if the runtime shuts down. Cancel-safe.
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
