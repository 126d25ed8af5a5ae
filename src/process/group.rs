//! The process groups of running commands, and the end of them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use std::{io, thread};

use rustix::process::{Pid, Signal, WaitOptions, kill_process_group, test_kill_process_group, waitpid};
use tokio::process::{Child, Command};

use super::foreground;

/// Time for the processes of a group to end by themselves.
const GRACE: Duration = Duration::from_secs(1);

/// The interval of the checks that they have ended.
const PAUSE: Duration = Duration::from_millis(10);

/// The leaders of the running groups.
static RUNNING: Mutex<Vec<Pid>> = Mutex::new(Vec::new());

/// Whether the program is about to end, so that no command is started.
static IS_ENDING: AtomicBool = AtomicBool::new(false);

/// Locks the list of the leaders of the running groups.
fn running() -> MutexGuard<'static, Vec<Pid>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether ending the running commands has begun; stays true. [`spawn`] checks it and refuses further
/// commands.
pub(super) fn is_ending() -> bool {
    IS_ENDING.load(Ordering::SeqCst)
}

/// Starts a command as the leader of its group; an error if it cannot be run or the program is about to end.
pub(super) fn spawn(command: &mut Command) -> io::Result<(Child, ProcessGroup)> {
    // Locked, so that ending all groups misses none.
    let mut running = running();
    if is_ending() {
        return Err(io::Error::new(io::ErrorKind::Interrupted, "bourse is about to end"));
    }
    let child = command.spawn()?;
    let id = child.id().and_then(|id| i32::try_from(id).ok());
    let leader = id.and_then(Pid::from_raw).ok_or(io::ErrorKind::NotFound)?;
    running.push(leader);
    drop(running);
    let group = ProcessGroup {
        leader,
        has_succeeded: false,
    };
    Ok((child, group))
}

/// A process group that ends when this is dropped, unless its leader has succeeded.
#[derive(Debug)]
pub(super) struct ProcessGroup {
    leader: Pid,
    has_succeeded: bool,
}

impl ProcessGroup {
    /// The process id of the leader, which is also the group's.
    pub const fn leader(&self) -> Pid {
        self.leader
    }

    /// Lets the group's remaining processes run on when this is dropped.
    pub const fn release(&mut self) {
        self.has_succeeded = true;
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        if !self.has_succeeded {
            end(&[self.leader]);
        }
        running().retain(|leader| *leader != self.leader);
        foreground::take_back_from(self.leader);
    }
}

/// Ends all running commands, with SIGTERM and after a second with SIGKILL, and takes the foreground of the
/// terminal back. No command is started afterwards.
///
/// Called before the program ends.
pub fn end_all() {
    let leaders = begin_ending();
    end(&leaders);
    foreground::take_back();
}

/// Kills all running commands at once, as the last resort, and takes the foreground of the terminal back. No
/// command is started afterwards.
pub fn kill_all() {
    send(&begin_ending(), Signal::KILL);
    foreground::take_back();
}

/// The leaders of the process groups of all running commands; from now on no command is started.
fn begin_ending() -> Vec<Pid> {
    IS_ENDING.store(true, Ordering::SeqCst);
    running().clone()
}

/// Sends a signal to each process group; failures are ignored.
fn send(leaders: &[Pid], signal: Signal) {
    for leader in leaders {
        // It is gone already, or another user's.
        let _ = kill_process_group(*leader, signal);
    }
}

/// Asks the process groups to end, and kills those that remain after a second. Blocks until then.
fn end(leaders: &[Pid]) {
    send(leaders, Signal::TERM);
    // A stopped process ends only after it is continued.
    send(leaders, Signal::CONT);
    for _ in 0..GRACE.as_millis() / PAUSE.as_millis() {
        if leaders.iter().all(|leader| is_gone(*leader)) {
            return;
        }
        thread::sleep(PAUSE);
    }
    send(leaders, Signal::KILL);
}

/// Whether no process of the group remains.
fn is_gone(leader: Pid) -> bool {
    // A leader that has ended counts until it was waited for.
    let _ = waitpid(Some(leader), WaitOptions::NOHANG);
    test_kill_process_group(leader).is_err()
}
