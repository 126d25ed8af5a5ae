//! Runs the commands of the person's own: `alert_command` and `--exec`.

use std::process::Stdio;
use std::time::Duration;

use tokio::process::{Child, Command};

use crate::store::keys::command_words;

/// Variables that keys are read from.
const SECRET_VARIABLES: [&str; 2] = ["BOURSE_API_KEY", "VAST_API_KEY"];

/// Runs `command` to its end, without a shell: what a server sent is in its environment only, and no
/// key is. After `patience`, or when this is dropped, it is ended with all that it started.
///
/// # Errors
///
/// When it cannot be run, fails, or takes longer: the reason for display.
pub async fn finish(
    command: &str,
    values: Vec<(&'static str, String)>,
    output: fn() -> Stdio,
    patience: Duration,
) -> Result<(), String> {
    let (program, arguments) = command_words(command)?;
    let mut command = Command::new(&program);
    command.args(arguments).envs(values).stdin(Stdio::null());
    command.stdout(output()).stderr(output());
    without_keys(&mut command);
    command.process_group(0);
    let failed = |why: &dyn std::fmt::Display| Err(format!("{program}: {why}"));
    let mut group = match command.kill_on_drop(true).spawn() {
        Ok(child) => Group(child),
        Err(error) => return failed(&error),
    };
    match tokio::time::timeout(patience, group.0.wait()).await {
        Ok(Ok(status)) if status.success() => Ok(()),
        Ok(Ok(status)) => failed(&status),
        Ok(Err(error)) => failed(&error),
        Err(_) => Err(format!("{program} took longer than {} s", patience.as_secs())),
    }
}

/// Takes the keys that bourse reads out of a command's environment.
pub(super) fn without_keys(command: &mut Command) {
    for variable in SECRET_VARIABLES {
        command.env_remove(variable);
    }
}

/// A process that leads a group, which ends with it unless it has ended by itself.
struct Group(Child);

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(leader) = self.0.id().and_then(|id| i32::try_from(id).ok()) {
            // It was not waited for, so the id is still its own.
            let leader = rustix::process::Pid::from_raw(leader);
            let _ = leader.map(|leader| rustix::process::kill_process_group(leader, rustix::process::Signal::KILL));
        }
    }
}
