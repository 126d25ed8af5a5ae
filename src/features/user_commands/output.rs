//! The output of a command, in a dialog.

use ratatui::text::Line;

use super::UserCommands;
use crate::core::State;
use crate::core::views::text_dialog::{Text, TextDialog};
use crate::domain::text::visible;

/// Maximum length of a shown line, in bytes.
const LONGEST: usize = 2000;

/// The dialog with the command line and the output of the user's last command, or that it is still running.
pub(super) fn dialog(state: &State) -> TextDialog {
    TextDialog::new("Command", text(state), 1, |state| Some(text(state)))
}

/// The user's last command line, and its output and status or that it is running; empty if no command was
/// run.
fn text(state: &State) -> Text {
    let Some(run) = &state.feature::<UserCommands>().last else {
        return Text {
            note: String::new(),
            lines: Vec::new(),
        };
    };
    let command = format!("$ {}", visible(&shell_words::join(&run.words), LONGEST));
    let mut lines = vec![Line::raw(command), Line::default()];
    match &run.ended {
        None => lines.push(Line::raw("Running…")),
        Some(ran) => {
            lines.extend(ran.output.lines().map(|line| Line::raw(visible(line, LONGEST))));
            if ran.is_cut {
                lines.push(Line::raw("The rest is not shown."));
            }
            if lines.len() > 2 {
                lines.push(Line::default());
            }
            lines.push(Line::raw(visible(&ran.status, LONGEST)));
        }
    }
    let note = visible(&run.name, 40);
    Text { note, lines }
}
