//! The signals that end the program while commands run.

use std::pin::Pin;
use std::sync::{Mutex, OnceLock, PoisonError, mpsc};
use std::{fs, io, thread};

use futures_util::future::select_all;
use rustix::process::Signal;
use tokio::signal::unix::{self, SignalKind, signal};

use super::group::end_all;

/// The signals that ask a program to end.
const ENDING: [Signal; 4] = [Signal::HUP, Signal::INT, Signal::QUIT, Signal::TERM];

/// The signals that another part of the program handles.
static CLAIMED: Mutex<Vec<Signal>> = Mutex::new(Vec::new());

/// Signals that the owner of this value handles: they do not end the program by themselves.
#[derive(Debug)]
pub struct Claim(Vec<Signal>);

impl Claim {
    /// Claims signals until this is dropped, so that they do not end the program by themselves.
    pub fn new(signals: &[Signal]) -> Self {
        let mut claimed = CLAIMED.lock().unwrap_or_else(PoisonError::into_inner);
        claimed.extend_from_slice(signals);
        Self(signals.to_vec())
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        let mut claimed = CLAIMED.lock().unwrap_or_else(PoisonError::into_inner);
        for signal in &self.0 {
            if let Some(at) = claimed.iter().position(|claimed| claimed == signal) {
                claimed.swap_remove(at);
            }
        }
    }
}

/// Starts a thread, once, on which signals that end the program end the running commands first; later calls
/// return the first result.
///
/// # Errors
///
/// When the signals cannot be listened for.
pub(super) fn watch() -> io::Result<()> {
    static STARTED: OnceLock<Result<(), io::ErrorKind>> = OnceLock::new();
    let started = STARTED.get_or_init(|| start().map_err(|error| error.kind()));
    started.map_err(io::Error::from)
}

/// Starts the thread that handles the ending signals; returns once it listens.
fn start() -> io::Result<()> {
    let (ready, is_ready) = mpsc::channel();
    // A runtime of its own: that of a command may be busy, or over.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    thread::Builder::new().name("signals".to_owned()).spawn(move || {
        runtime.block_on(async {
            let listening = listen();
            let sources = ready.send(listening.as_ref().map(drop).map_err(io::Error::kind));
            if let (Ok(mut listening), Ok(())) = (listening, sources) {
                end_on_signal(&mut listening).await;
            }
        });
    })?;
    is_ready.recv().map_err(io::Error::other)?.map_err(io::Error::from)
}

/// The ending signals with their sources, without a hang-up that the program was started to ignore.
fn listen() -> io::Result<Vec<(Signal, unix::Signal)>> {
    // A program started by nohup survives a hang-up. A script's shell ignores INT for its background
    // programs, where nobody presses Ctrl-c: a signal that is sent there is meant.
    let is_heeded = |ending: &Signal| *ending != Signal::HUP || !is_ignored(ending.as_raw());
    let heeded = ENDING.into_iter().filter(is_heeded);
    heeded
        .map(|ending| Ok((ending, signal(SignalKind::from_raw(ending.as_raw()))?)))
        .collect()
}

/// Ends all commands and the process at the first signal that is not claimed, with the status 128 plus its
/// number.
async fn end_on_signal(sources: &mut [(Signal, unix::Signal)]) {
    while !sources.is_empty() {
        let next = sources.iter_mut().map(|(ending, source)| {
            let received = async move {
                source.recv().await;
                *ending
            };
            Box::pin(received) as Pin<Box<dyn Future<Output = Signal> + Send>>
        });
        let (signal, ..) = select_all(next).await;
        if !CLAIMED.lock().unwrap_or_else(PoisonError::into_inner).contains(&signal) {
            end_all();
            std::process::exit(128 + signal.as_raw());
        }
    }
}

/// Whether this process ignores a signal, by its number; false where the system does not report it.
pub fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mut lines = status.lines();
    let hex = lines.find_map(|line| line.strip_prefix("SigIgn:"));
    let bits = hex.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok());
    bits.is_some_and(|bits| bits >> (signal - 1) & 1 == 1)
}
