//! What gets the person's attention: the bell, desktop notifications, and the person's own command
//! for alerts.

use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;
use tokio::sync::mpsc::UnboundedSender;

use super::clipboard::SECRET_VARIABLES;
use super::surface::Surface;
use crate::app::Message;
use crate::app::message::Alarm;
use crate::store::keys::command_words;
use crate::store::{Config, Notifications};

/// How long a command may run: one that hangs must not be joined by ever more.
const PATIENCE: Duration = Duration::from_mins(1);

/// How to get the person's attention.
#[derive(Debug, Clone, Default)]
pub struct Attention {
    /// When a desktop notification is sent.
    pub notifications: Notifications,
    /// What runs when an alert rings.
    pub command: Option<String>,
}

impl Attention {
    /// What a configuration asks for.
    pub(super) fn of(config: &Config) -> Self {
        Self {
            notifications: config.notifications,
            command: config.alert_command.clone(),
        }
    }

    /// Shows a desktop notification, if the person wants one now.
    pub(super) fn tell(
        &self,
        title: &str,
        text: &str,
        is_focused: bool,
        surface: &mut impl Surface,
    ) {
        let is_wanted = match self.notifications {
            Notifications::Off => false,
            Notifications::Unfocused => !is_focused,
            Notifications::Always => true,
        };
        if is_wanted {
            surface.notify(title, text);
        }
    }

    /// Tells of an alert in every way that the person wants.
    pub(super) fn ring(
        &self,
        alarm: Alarm,
        is_focused: bool,
        surface: &mut impl Surface,
        outbox: UnboundedSender<Message>,
    ) {
        surface.bell();
        self.tell(&alarm.title, &alarm.text, is_focused, surface);
        if let Some(command) = self.command.clone() {
            run(command, alarm, outbox);
        }
    }
}

/// Runs `command` in the background, without a shell: what a server sent is in its environment only.
/// The screen is the dashboard's, so its output goes nowhere; a failure is shown.
fn run(command: String, alarm: Alarm, outbox: UnboundedSender<Message>) {
    tokio::spawn(async move {
        if let Err(why) = finish(&command, alarm, PATIENCE).await {
            let text = format!("alert_command: {why}");
            let _ = outbox.send(Message::Saved(Err(text)));
        }
    });
}

/// Runs `command` to its end, or for as long as `patience` lasts.
async fn finish(command: &str, alarm: Alarm, patience: Duration) -> Result<(), String> {
    let (program, arguments) = command_words(command).map_err(|error| error.to_string())?;
    let mut command = Command::new(&program);
    command.args(arguments).envs(alarm.values);
    for variable in SECRET_VARIABLES {
        command.env_remove(variable);
    }
    command.stdin(Stdio::null()).stdout(Stdio::null());
    command.stderr(Stdio::null()).kill_on_drop(true);
    let ended = tokio::time::timeout(patience, command.status()).await;
    match ended {
        Ok(Ok(status)) if status.success() => Ok(()),
        Ok(Ok(status)) => Err(format!("{program}: {status}")),
        Ok(Err(error)) => Err(format!("{program}: {error}")),
        Err(_) => Err(format!(
            "{program} took longer than {} s",
            patience.as_secs()
        )),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::path::Path;

    use tokio::sync::mpsc::unbounded_channel;

    use super::*;

    fn alarm(values: &[(&'static str, &str)]) -> Alarm {
        let values = values
            .iter()
            .map(|(name, value)| (*name, (*value).to_owned()));
        Alarm {
            title: "bourse: cheap".to_owned(),
            text: "$0.225/h per GPU is the lowest price".to_owned(),
            values: values.collect(),
        }
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
        let command = script(
            r#"printf '%s|%s' "$BOURSE_MODEL" "$BOURSE_PRICE" > "$1""#,
            &file,
        );
        assert_eq!(finish(&command, alarm(&values), PATIENCE).await, Ok(()));
        let written = std::fs::read_to_string(&file).unwrap();
        assert_eq!(written, format!("{hostile}|0.225"));
    }

    #[tokio::test]
    async fn a_command_that_fails_is_told() {
        let (outbox, mut inbox) = unbounded_channel();
        let cases = [
            ("sh -c 'exit 3'", "alert_command: sh: exit status: 3"),
            ("/nowhere/at-all", "alert_command: /nowhere/at-all: "),
            ("sh -c 'unclosed", "alert_command: "),
        ];
        for (command, why) in cases {
            run(command.to_owned(), alarm(&[]), outbox.clone());
            let Some(Message::Saved(Err(text))) = inbox.recv().await else {
                panic!("{command}: no message");
            };
            assert!(text.starts_with(why), "{text}");
        }
    }

    #[tokio::test]
    async fn a_command_that_hangs_is_ended_and_told() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pid");
        let command = script("echo $$ > \"$1\"; exec sleep 1000", &file);
        // A busy machine may take long to start it.
        for seconds in [1, 4, 16, 64] {
            let patience = Duration::from_secs(seconds);
            let ended = finish(&command, alarm(&[]), patience).await;
            assert_eq!(ended, Err(format!("sh took longer than {seconds} s")));
            if file.exists() {
                break;
            }
        }
        let pid = std::fs::read_to_string(&file).unwrap();
        let is_alive = || {
            let kill = std::process::Command::new("kill")
                .args(["-0", pid.trim()])
                .stderr(Stdio::null())
                .status();
            kill.unwrap().success()
        };
        // The runtime collects it once it has seen its end.
        while is_alive() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}
