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
use crate::store::Notifications;
use crate::store::keys::command_words;

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
        if let Err(why) = finish(&command, alarm).await {
            let text = format!("alert_command: {why}");
            let _ = outbox.send(Message::Saved(Err(text)));
        }
    });
}

async fn finish(command: &str, alarm: Alarm) -> Result<(), String> {
    let (program, arguments) = command_words(command).map_err(|error| error.to_string())?;
    let mut command = Command::new(&program);
    command.args(arguments).envs(alarm.values);
    for variable in SECRET_VARIABLES {
        command.env_remove(variable);
    }
    command.stdin(Stdio::null()).stdout(Stdio::null());
    command.stderr(Stdio::null()).kill_on_drop(true);
    let ended = tokio::time::timeout(PATIENCE, command.status()).await;
    match ended {
        Ok(Ok(status)) if status.success() => Ok(()),
        Ok(Ok(status)) => Err(format!("{program}: {status}")),
        Ok(Err(error)) => Err(format!("{program}: {error}")),
        Err(_) => Err(format!(
            "{program} took longer than {} s",
            PATIENCE.as_secs()
        )),
    }
}
