//! The user's commands: `--exec`, alerts, key commands and the editor. They end with bourse.
//!
//! Each runs in a process group of its own. When bourse quits or gets a signal that ends it, and
//! when a command fails or takes too long, the whole group gets SIGTERM, and SIGKILL a second
//! later, including programs that the command put into the background. Processes left by a command
//! that succeeded run on.

mod ending;
mod foreground;
mod group;

use std::io::{self, IsTerminal as _};
use std::process::{ExitStatus, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

pub use rustix::process::Signal;
use rustix::process::{WaitId, WaitIdOptions, kill_process_group, waitid};
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::{Child, ChildStdout, Command};
use tokio::signal::unix::{SignalKind, signal};

pub use ending::{Claim, is_ignored};
pub use foreground::{can_stop, stop_until_continued};
use group::ProcessGroup;
pub use group::{end_all, kill_all};

/// The environment variables with API keys.
const SECRET_VARIABLES: [&str; 3] = ["BOURSE_API_KEY", "VAST_API_KEY", "VASTAI_API_KEY"];

/// Whether a command may use the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Terminal {
    /// The command has the foreground of the terminal while it runs, if bourse has it: it may
    /// prompt there, and Ctrl-c and Ctrl-z are its own.
    Lent,
    /// The command has no terminal: the dashboard uses the screen, or nobody is there.
    #[default]
    Withheld,
}

/// A command that names no program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum WordsError {
    #[error("unmatched quotes")]
    Quotes,
    #[error("the command is empty")]
    Empty,
}

/// A command that cannot be run, fails or takes too long.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    #[error(transparent)]
    Words(#[from] WordsError),
    #[error("{program}: {source}")]
    Run { program: String, source: io::Error },
    #[error("{program}: {status}")]
    Status { program: String, status: ExitStatus },
    #[error("{program} took longer than {} s", .patience.as_secs())]
    Late { program: String, patience: Duration },
}

/// The program of a command, and its arguments, split as a shell does but without expansion.
///
/// # Errors
///
/// When it names no program, or a quote is not closed.
pub fn command_words(command: &str) -> Result<(String, Vec<String>), WordsError> {
    let mut words = shell_words::split(command).map_err(|_| WordsError::Quotes)?.into_iter();
    let program = words.next().ok_or(WordsError::Empty)?;
    Ok((program, words.collect()))
}

/// Removes the variables with API keys from a command's environment.
pub fn without_keys(command: &mut Command) {
    for variable in SECRET_VARIABLES {
        command.env_remove(variable);
    }
}

/// Runs `command` to its end, without a shell; it is ended after `patience`, or when this is
/// dropped.
///
/// `values` are added to its environment, which is the only place for server texts, and holds no
/// key. The output is shown if the terminal is lent.
///
/// # Errors
///
/// When it cannot be run, fails, or takes longer.
pub async fn finish(
    command: &str,
    values: Vec<(&'static str, String)>,
    terminal: Terminal,
    patience: Duration,
) -> Result<(), CommandError> {
    let (program, arguments) = command_words(command)?;
    let mut command = Command::new(&program);
    command.args(arguments).envs(values);
    let can_ask = terminal == Terminal::Lent && io::stdin().is_terminal();
    command.stdin(if can_ask { Stdio::inherit() } else { Stdio::null() });
    if terminal == Terminal::Withheld {
        command.stdout(Stdio::null()).stderr(Stdio::null());
    }
    let mut running = match Running::start(command, terminal) {
        Ok(running) => running,
        Err(source) => return Err(CommandError::Run { program, source }),
    };
    match tokio::time::timeout(patience, running.wait()).await {
        Ok(Ok(status)) if status.success() => Ok(()),
        Ok(Ok(status)) => Err(CommandError::Status { program, status }),
        Ok(Err(source)) => Err(CommandError::Run { program, source }),
        Err(_) => Err(CommandError::Late { program, patience }),
    }
}

/// Time for the output of processes that a command left in the background.
const LAG: Duration = Duration::from_millis(300);

/// The output of a command on both streams, and its exit status.
#[derive(Debug)]
pub struct Captured {
    pub output: Vec<u8>,
    /// Whether it printed more than is captured.
    pub is_cut: bool,
    pub status: ExitStatus,
}

/// Runs a program as [`finish`] does, without a terminal, and captures up to `most` bytes of its output on
/// stdout and stderr; its exit status is part of the result.
///
/// # Errors
///
/// When it cannot be run, or takes longer.
pub async fn capture(
    words: &[String],
    values: Vec<(&'static str, String)>,
    patience: Duration,
    most: usize,
) -> Result<Captured, CommandError> {
    let (program, arguments) = words.split_first().ok_or(WordsError::Empty)?;
    let program = program.clone();
    let mut command = Command::new(&program);
    command.args(arguments).envs(values);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut running = match Running::start(command, Terminal::Withheld) {
        Ok(running) => running,
        Err(source) => return Err(CommandError::Run { program, source }),
    };
    let (output, errors) = (running.take_output(), running.child.stderr.take());
    let printed = Mutex::new((Vec::new(), false));
    let reading = async {
        tokio::join!(collect(output, &printed, most), collect(errors, &printed, most));
    };
    let work = async {
        tokio::pin!(reading);
        let mut is_read = false;
        let status = {
            let ended = running.wait();
            tokio::pin!(ended);
            loop {
                tokio::select! {
                    status = &mut ended => break status,
                    () = &mut reading, if !is_read => is_read = true,
                }
            }
        };
        if !is_read {
            let _ = tokio::time::timeout(LAG, &mut reading).await;
        }
        status
    };
    let status = match tokio::time::timeout(patience, work).await {
        Ok(Ok(status)) => status,
        Ok(Err(source)) => return Err(CommandError::Run { program, source }),
        Err(_) => return Err(CommandError::Late { program, patience }),
    };
    let (output, is_cut) = printed.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(Captured { output, is_cut, status })
}

/// Adds the output of a pipe to `printed` until it ends, up to `most` bytes in all, and marks it as cut
/// beyond.
///
/// The rest is read too, so that the command can go on.
async fn collect(pipe: Option<impl AsyncRead + Unpin>, printed: &Mutex<(Vec<u8>, bool)>, most: usize) {
    let Some(mut pipe) = pipe else { return };
    let mut bytes = vec![0; 8192];
    while let Ok(count) = pipe.read(&mut bytes).await {
        if count == 0 {
            return;
        }
        let mut printed = printed.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = count.min(most.saturating_sub(printed.0.len()));
        printed.0.extend_from_slice(&bytes[..kept]);
        printed.1 |= kept < count;
    }
}

/// A running command. Dropping it ends its group, unless it has succeeded.
#[derive(Debug)]
pub struct Running {
    // Dropped first: the group is ended while its leader's id is certainly its own.
    group: ProcessGroup,
    child: Child,
    terminal: Terminal,
}

impl Running {
    /// Starts a command in a group of its own, without API keys in its environment; with `Terminal::Lent` it
    /// gets the foreground of the terminal, if bourse has it. Call it inside the runtime.
    ///
    /// # Errors
    ///
    /// When it cannot be run, or bourse is about to end.
    pub fn start(mut command: Command, terminal: Terminal) -> io::Result<Self> {
        without_keys(&mut command);
        command.process_group(0);
        // A signal to bourse alone would leave the command behind.
        ending::watch()?;
        let (child, group) = group::spawn(&mut command)?;
        if terminal == Terminal::Lent {
            foreground::lend(group.leader());
        }
        Ok(Self { group, child, terminal })
    }

    /// Takes the standard output; `None` if it is not piped or already taken.
    pub const fn take_output(&mut self) -> Option<ChildStdout> {
        self.child.stdout.take()
    }

    /// Waits until the command has ended; never returns while bourse is about to end. Cancel-safe.
    ///
    /// When it stops itself on the terminal that was lent (Ctrl-z), this process stops too, as otherwise the
    /// shell would wait forever.
    ///
    /// # Errors
    ///
    /// When it cannot be waited for.
    pub async fn wait(&mut self) -> io::Result<ExitStatus> {
        let mut changes = signal(SignalKind::child())?;
        let status = loop {
            self.follow_stop().await;
            tokio::select! {
                biased;
                status = self.child.wait() => break status?,
                _ = changes.recv() => {}
            }
        };
        if group::is_ending() {
            // It was ended on the way out, and nothing follows from that.
            std::future::pending::<()>().await;
        }
        if status.success() {
            self.group.release();
        }
        Ok(status)
    }

    /// Stops this process if the command on the lent terminal has stopped, and lends the terminal again and
    /// continues it afterwards.
    async fn follow_stop(&mut self) {
        if self.terminal == Terminal::Withheld {
            return;
        }
        let leader = self.group.leader();
        let options = WaitIdOptions::STOPPED | WaitIdOptions::NOHANG;
        if !matches!(waitid(WaitId::Pid(leader), options), Ok(Some(_))) {
            return;
        }
        foreground::take_back();
        if can_stop() {
            // A process that cannot stop continues, and the command with it.
            let _ = stop_until_continued().await;
        }
        if foreground::lend(leader) {
            let _ = kill_process_group(leader, Signal::CONT);
        }
    }
}
