//! What goes to standard output and standard error, and with which exit status it ends.

use std::io::{self, IsTerminal as _, Write as _};
use std::process::ExitCode;

use crate::api::ApiError;
use crate::app::keys::Keymap;
use crate::domain::text::{self, json_for_terminal, visible, visible_lines};

/// Why a command did not do what was asked.
#[derive(Debug)]
pub enum CliError {
    /// The command line or the configuration is at fault: exit status 2.
    Usage(String),
    /// It was tried and failed: exit status 1.
    Failed(String),
    /// The outcome of a write is unknown: exit status 3.
    Unknown(String),
    /// Everything has been said: exit status 1.
    Quiet,
    /// Our output was closed by its reader: exit status 0.
    Closed,
}

impl CliError {
    /// Says what there is to say and gives the exit status.
    pub fn report(self) -> ExitCode {
        match self {
            Self::Usage(message) => {
                complain(&message);
                ExitCode::from(2)
            }
            Self::Failed(message) => {
                complain(&message);
                ExitCode::FAILURE
            }
            Self::Unknown(message) => {
                complain(&message);
                ExitCode::from(3)
            }
            Self::Quiet => ExitCode::FAILURE,
            Self::Closed => ExitCode::SUCCESS,
        }
    }
}

impl From<ApiError> for CliError {
    fn from(error: ApiError) -> Self {
        match error {
            ApiError::Misconfigured(message) => Self::Usage(message),
            error @ ApiError::NoKey { .. } => {
                let way = Keymap::default().key_hint("markets");
                Self::Failed(format!(
                    "{error}, pass --api-key-file, or add a key in the dashboard ({way})"
                ))
            }
            error => Self::Failed(error.to_string()),
        }
    }
}

/// Writes text to standard output, whatever that is connected to: what a terminal would act on
/// becomes visible.
pub fn print(text: &str) -> Result<(), CliError> {
    write(visible_lines(text).as_bytes())
}

/// Writes JSON to standard output, whatever that is connected to: what a terminal would act on
/// becomes JSON's own escapes.
pub fn print_json(json: &str) -> Result<(), CliError> {
    write(json_for_terminal(json).as_bytes())
}

/// Writes bytes of bourse's own to standard output: scripts, manual pages.
pub fn write(content: &[u8]) -> Result<(), CliError> {
    let mut out = io::stdout().lock();
    out.write_all(content)
        .and_then(|()| out.flush())
        .map_err(|error| match error.kind() {
            io::ErrorKind::BrokenPipe => CliError::Closed,
            _ => CliError::Failed(format!("can't write: {error}")),
        })
}

/// Says what went wrong, on standard error.
pub fn complain(message: &str) {
    say(&format!("bourse: {message}"));
}

/// Says something beside the output, on standard error.
pub fn note(message: &str) {
    say(&format!("note: {message}"));
}

/// Writes lines to standard error.
pub fn tell(message: &str) {
    say(message);
}

fn say(message: &str) {
    // Nobody is left to tell if standard error is gone.
    let _ = writeln!(io::stderr().lock(), "{}", text::message(message));
}

/// A line on standard error that the next one replaces; nothing where nobody watches.
pub struct ProgressLine {
    shown: bool,
    watched: bool,
}

impl ProgressLine {
    pub fn new() -> Self {
        Self {
            shown: false,
            watched: io::stderr().is_terminal(),
        }
    }

    pub fn show(&mut self, text: &str) {
        if self.watched {
            self.shown = true;
            let mut err = io::stderr().lock();
            let text = visible(text, usize::MAX);
            let _ = write!(err, "\r\x1b[K{text}").and_then(|()| err.flush());
        }
    }

    pub fn clear(&mut self) {
        if std::mem::take(&mut self.shown) {
            let mut err = io::stderr().lock();
            let _ = write!(err, "\r\x1b[K").and_then(|()| err.flush());
        }
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        self.clear();
    }
}
