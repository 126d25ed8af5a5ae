//! The bell, desktop notifications, and the user's own command for alerts.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::mpsc::UnboundedSender;

use super::surface::Surface;
use crate::core::Message;
use crate::core::message::{EffectError, Notification};
use crate::core::state::State;
use crate::process::{self, Terminal};
use crate::settings::Notifications;

/// Maximum time of the user's alert command.
///
/// Commands that hang must not pile up.
const PATIENCE: Duration = Duration::from_mins(1);

/// The queue of alerts, shared with the task that runs their commands.
pub(super) type Rings = Arc<Mutex<Queue>>;

/// Shows a desktop notification if the settings want one now. An urgent one also rings the bell and runs the
/// user's alert command, if there is one.
pub(super) fn ring_and_notify(
    rings: &Rings,
    state: &State,
    notification: Notification,
    surface: &mut impl Surface,
    outbox: UnboundedSender<Message>,
) {
    let is_wanted = match state.settings.values.notifications {
        Notifications::Off => false,
        Notifications::Unfocused => !state.screen.is_focused,
        Notifications::Always => true,
    };
    if is_wanted {
        surface.notify(&notification.title, &notification.text);
    }
    let Some(values) = notification.urgent else { return };
    surface.bell();
    if let Some(command) = state.settings.values.alert_command.clone() {
        let alert = notification.title;
        run(rings, Job { command, alert, values }, outbox);
    }
}

/// A run of the user's command for alerts.
#[derive(Debug)]
struct Job {
    command: String,
    alert: String,
    values: Vec<(&'static str, String)>,
}

/// The fired alerts whose command has not run yet.
///
/// Commands run one after another: hundreds of alerts must not start hundreds of programs.
#[derive(Debug, Default)]
pub(super) struct Queue {
    waiting: VecDeque<Job>,
    is_running: bool,
}

impl Queue {
    /// Adds a fired alert; of the same alert only the newest waits.
    fn add(&mut self, job: Job) {
        self.waiting.retain(|waiting| waiting.alert != job.alert);
        self.waiting.push_back(job);
    }

    /// The alert whose command runs next; `None` marks the queue as idle.
    fn next(&mut self) -> Option<Job> {
        let next = self.waiting.pop_front();
        self.is_running = next.is_some();
        next
    }
}

/// Queues a run of the user's command for alerts, which starts in the background after those before it.
///
/// Its output is dropped, as the dashboard has the screen; a failure is shown.
fn run(queue: &Rings, job: Job, outbox: UnboundedSender<Message>) {
    let mut rings = queue.lock().unwrap_or_else(PoisonError::into_inner);
    rings.add(job);
    if rings.is_running {
        return;
    }
    rings.is_running = true;
    drop(rings);
    let queue = Arc::clone(queue);
    let next = move || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
    tokio::spawn(async move {
        while let Some(Job { command, values, .. }) = next() {
            let ended = process::finish(&command, values, Terminal::Withheld, PATIENCE);
            if let Err(why) = ended.await {
                let text = format!("alert_command: {why}");
                let _ = outbox.send(Message::Report(Err(EffectError::new(text))));
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use tokio::sync::mpsc::unbounded_channel;

    use super::*;

    fn variables(values: &[(&'static str, &str)]) -> Vec<(&'static str, String)> {
        let values = values.iter().map(|(name, value)| (*name, (*value).to_owned()));
        values.collect()
    }

    /// A command that runs a script in a shell with the path of a file.
    fn script(text: &str, file: &Path) -> String {
        shell_words::join(["sh", "-c", text, "sh", file.to_str().unwrap()])
    }

    #[tokio::test]
    async fn the_command_gets_the_values_as_variables_and_nothing_reads_them() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("values");
        let hostile = "RTX $(touch pwned) `id` \"; exit 9";
        let values = [("BOURSE_MODEL", hostile), ("BOURSE_PRICE", "0.225")];
        let command = script(r#"printf '%s|%s' "$BOURSE_MODEL" "$BOURSE_PRICE" > "$1""#, &file);
        let ended = process::finish(&command, variables(&values), Terminal::Withheld, PATIENCE).await;
        ended.unwrap();
        let written = std::fs::read_to_string(&file).unwrap();
        assert_eq!(written, format!("{hostile}|0.225"));
    }

    #[tokio::test]
    async fn a_command_that_fails_is_told() {
        let (outbox, mut inbox) = unbounded_channel();
        let cases = [
            ("sh -c 'exit 3'", "alert_command: sh: exit status: 3"),
            ("/nowhere/at-all", "alert_command: /nowhere/at-all: "),
            ("sh -c 'unclosed", "alert_command: unmatched quotes"),
        ];
        for (command, why) in cases {
            let queue = Arc::default();
            let job = Job {
                command: command.to_owned(),
                alert: "bourse: cheap".to_owned(),
                values: Vec::new(),
            };
            run(&queue, job, outbox.clone());
            let Some(Message::Report(Err(text))) = inbox.recv().await else {
                panic!("{command}: no message");
            };
            assert!(text.to_string().starts_with(why), "{text}");
        }
    }

    #[tokio::test]
    async fn a_command_that_hangs_is_ended_and_told() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pid");
        // The program and what it started, neither of which ends when it is asked to.
        let command = script("trap '' TERM; sleep 1000 & echo $$ $! > \"$1\"; wait", &file);
        // A busy machine may take long to start it.
        for seconds in [1, 4, 16, 64] {
            let patience = Duration::from_secs(seconds);
            let ended = process::finish(&command, Vec::new(), Terminal::Withheld, patience).await;
            let error = ended.unwrap_err().to_string();
            assert_eq!(error, format!("sh took longer than {seconds} s"));
            if file.exists() {
                break;
            }
        }
        let pids = std::fs::read_to_string(&file).unwrap();
        for pid in pids.split_whitespace() {
            // A process that has ended is a zombie until it is waited for.
            let is_alive = || {
                let state = std::fs::read_to_string(format!("/proc/{pid}/stat"));
                state.is_ok_and(|state| !state.contains(") Z "))
            };
            while is_alive() {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
    }

    #[tokio::test]
    async fn one_command_runs_at_a_time_and_of_an_alert_the_newest_waits() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("log");
        // A second one at the same time would find the folder there.
        let text =
            r#"mkdir "$1.busy" || echo twice >> "$1"; sleep 0.05; echo "$BOURSE_PRICE" >> "$1"; rmdir "$1.busy""#;
        let command = script(text, &file);
        let (outbox, mut inbox) = unbounded_channel();
        let queue = Arc::default();
        for price in ["1", "2", "3"] {
            for name in ["bourse: a", "bourse: b"] {
                let job = Job {
                    command: command.clone(),
                    alert: name.to_owned(),
                    values: variables(&[("BOURSE_PRICE", price)]),
                };
                run(&queue, job, outbox.clone());
            }
        }
        drop(outbox);
        // The end of the messages is the end of the work.
        assert!(inbox.recv().await.is_none());
        assert_eq!(std::fs::read_to_string(file).unwrap(), "3\n3\n");
    }
}
