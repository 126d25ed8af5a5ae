//! Standard output, standard error and the exit status.

use std::borrow::Cow;
use std::cell::RefCell;
use std::io::{self, IsTerminal as _, Write as _};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;
use serde_json::{Value as Json, json};

use crate::api::ApiError;
use crate::domain::format::grouped;
use crate::domain::text::{self, json_for_terminal, visible, visible_lines};
use crate::settings::{ConfigError, Error};

#[derive(Debug)]
pub enum CliError {
    /// A mistake in the command line or the configuration: exit status 2.
    Usage(String),
    /// The configuration file cannot be used: exit status 2.
    Configuration(ConfigError),
    /// The command failed: exit status 1.
    Failed(String),
    /// The outcome of a write is unknown: exit status 3.
    Unknown(String),
    /// A stated condition is not met: exit status 4.
    NotMet,
    /// Ctrl-c or a signal ended the command, with this exit status.
    Left(i32, String),
    /// The error is already printed: exit status 1.
    Quiet,
    /// The reader closed the output: exit status 0.
    Closed,
}

impl CliError {
    /// The text of the error; empty if it has none or was printed already.
    pub fn message(&self) -> String {
        match self {
            Self::Usage(message) | Self::Failed(message) | Self::Unknown(message) | Self::Left(_, message) => {
                message.clone()
            }
            Self::Configuration(error) => error.to_string(),
            Self::NotMet | Self::Quiet | Self::Closed => String::new(),
        }
    }

    /// Prints the error to stderr, if it has a text, and returns the exit status: 2 for a usage or
    /// configuration error, 3 for an unknown outcome, 4 for a condition not met, 0 for a closed output, that
    /// of `Left`, else 1.
    pub fn report(self) -> ExitCode {
        match self {
            Self::Usage(message) => {
                complain(&message);
                ExitCode::from(2)
            }
            Self::Configuration(error) => {
                complain(&Error::Configuration(error).to_string());
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
            Self::NotMet => ExitCode::from(4),
            Self::Left(status, message) => {
                complain(&message);
                u8::try_from(status).map_or(ExitCode::FAILURE, ExitCode::from)
            }
            Self::Quiet => ExitCode::FAILURE,
            Self::Closed => ExitCode::SUCCESS,
        }
    }
}

impl From<Error> for CliError {
    fn from(error: Error) -> Self {
        match error {
            Error::Usage(message) => Self::Usage(message),
            Error::Configuration(error) => Self::Configuration(error),
            Error::Failed(message) => Self::Failed(message),
        }
    }
}

impl From<ApiError> for CliError {
    fn from(error: ApiError) -> Self {
        Error::from(error).into()
    }
}

/// The captured output of a command.
#[derive(Debug, Default, Clone)]
pub struct Captured {
    /// The text for standard output, captured instead of printed.
    pub out: String,
    /// The messages on standard error, without their prefixes.
    pub notes: Vec<String>,
}

thread_local! {
    /// The captured output of this thread's command; `None` while it prints to the streams of the
    /// process.
    static CAPTURED: RefCell<Option<Captured>> = const { RefCell::new(None) };
}

/// Runs a command on this thread, and returns its result and its standard output and notes, which are not
/// printed; errors on stderr still are.
pub fn captured<T>(command: impl FnOnce() -> T) -> (T, Captured) {
    CAPTURED.set(Some(Captured::default()));
    let result = command();
    (result, CAPTURED.take().unwrap_or_default())
}

/// Adds output to the captured one; false if this thread's output is not captured.
fn capture(add: impl FnOnce(&mut Captured)) -> bool {
    CAPTURED.with_borrow_mut(|captured| captured.as_mut().map(add).is_some())
}

/// Writes text to standard output as [`write()`] does.
///
/// Characters that a terminal would act on become visible, even if standard output is none.
pub fn print(text: &str) -> Result<(), CliError> {
    write(visible_lines(text).as_bytes())
}

/// Writes JSON to standard output as [`write()`] does.
///
/// Characters that a terminal would act on become JSON escapes, even if standard output is none.
pub fn print_json(json: &str) -> Result<(), CliError> {
    write(json_for_terminal(json).as_bytes())
}

/// Writes bytes to standard output unchanged, or adds them to the captured output of this thread;
/// [`CliError::Closed`] if the pipe is closed, another error if writing fails.
pub fn write(content: &[u8]) -> Result<(), CliError> {
    if capture(|captured| captured.out.push_str(&String::from_utf8_lossy(content))) {
        return Ok(());
    }
    let mut out = io::stdout().lock();
    write_result(out.write_all(content).and_then(|()| out.flush()))
}

/// The result of writing; a closed pipe becomes [`CliError::Closed`], which ends the command successfully.
fn write_result(written: io::Result<()>) -> Result<(), CliError> {
    written.map_err(|error| match error.kind() {
        io::ErrorKind::BrokenPipe => CliError::Closed,
        _ => CliError::Failed(format!("can't write: {error}")),
    })
}

/// Writes JSON as [`print_json`] does, piece by piece, as a long list would double the used memory.
///
/// A string of the JSON must not continue in the next piece.
pub fn print_json_pieces<'p>(pieces: impl IntoIterator<Item = Cow<'p, str>>) -> Result<(), CliError> {
    let mut pieces = pieces.into_iter();
    let add = |captured: &mut Captured| {
        captured.out.extend(pieces.by_ref().map(json_for_terminal));
    };
    if capture(add) {
        return Ok(());
    }
    let mut out = io::BufWriter::new(io::stdout().lock());
    let written = pieces.try_for_each(|piece| out.write_all(json_for_terminal(piece).as_bytes()));
    write_result(written.and_then(|()| out.flush()))
}

/// Prints an error to stderr after `bourse: `, even with `--quiet`, and even while this thread's output is
/// captured.
pub fn complain(message: &str) {
    say(&format!("bourse: {message}"));
}

/// The value of `--quiet`.
static IS_QUIET: AtomicBool = AtomicBool::new(false);

/// Sets whether the notes and progress of this process are silenced, as `--quiet` asks.
pub fn silence_notes(is_quiet: bool) {
    IS_QUIET.store(is_quiet, Ordering::Relaxed);
}

/// Prints a note to stderr after `note: `, unless `--quiet` is set; it is captured instead, even then, while
/// this thread's output is.
pub fn note(message: &str) {
    if capture(|captured| captured.notes.push(message.to_owned())) {
        return;
    }
    if !IS_QUIET.load(Ordering::Relaxed) {
        say(&format!("note: {message}"));
    }
}

/// Prints one of bourse's JSON documents: its version and kind, then the members of `content`.
pub fn print_document(kind: &str, content: impl Serialize) -> Result<(), CliError> {
    print_json(&format!("{:#}\n", document(kind, content)))
}

/// Prints one of bourse's JSON documents on one line, as a record of a stream.
pub fn print_line(kind: &str, content: impl Serialize) -> Result<(), CliError> {
    print_json(&format!("{}\n", document(kind, content)))
}

/// Checks for `--fail-empty`, after the empty result is printed.
///
/// # Errors
///
/// [`CliError::NotMet`] if rows are required and there are none.
pub fn require_rows(is_required: bool, is_empty: bool) -> Result<(), CliError> {
    if is_required && is_empty {
        return Err(CliError::NotMet);
    }
    Ok(())
}

/// The version of the documents, which rises when a member changes its name, type or unit.
pub const DOCUMENT_VERSION: u32 = 1;

/// A JSON document: the members `v` and `kind`, then those of `content`, which must be an object.
pub fn document(kind: &str, content: impl Serialize) -> Json {
    let mut document = json!({ "v": DOCUMENT_VERSION, "kind": kind });
    if let (Some(document), Ok(Json::Object(content))) = (document.as_object_mut(), serde_json::to_value(content)) {
        document.extend(content);
    }
    document
}

/// The first `most` lines, all if `None`, with a note on stderr if others are left out.
pub fn first<T>(mut lines: Vec<T>, most: Option<u32>, nouns: &str) -> Vec<T> {
    let all = lines.len();
    lines.truncate(most.map_or(usize::MAX, |most| most as usize));
    note_shown(lines.len(), all, nouns);
    lines
}

/// Notes on stderr that only `shown` of `all` lines are printed; nothing if all are.
pub fn note_shown(shown: usize, all: usize, nouns: &str) {
    if shown < all {
        note(&format!("{} of {} {nouns} shown", grouped(shown), grouped(all)));
    }
}

/// Prints a line to stderr without a prefix, as [`print_message`] does, unless `--quiet` is set.
pub fn print_unless_quiet(message: &str) {
    if !IS_QUIET.load(Ordering::Relaxed) {
        print_message(message);
    }
}

/// Prints a line to stderr without a prefix, even with `--quiet`; it is captured instead while this thread's
/// output is.
pub fn print_message(message: &str) {
    if capture(|captured| captured.notes.push(message.to_owned())) {
        return;
    }
    say(message);
}

/// Prints a line to stderr, escaped for the terminal; a failure is ignored.
fn say(message: &str) {
    // If stderr is gone, the message is lost.
    let _ = writeln!(io::stderr().lock(), "{}", text::message(message));
}

/// A line on stderr that the next one replaces; nothing is printed unless stderr is a terminal.
pub struct ProgressLine {
    shown: bool,
    watched: bool,
}

impl ProgressLine {
    /// A line that shows nothing if stderr is no terminal or captured, or with `--quiet`.
    pub fn new() -> Self {
        Self {
            shown: false,
            watched: io::stderr().is_terminal()
                && CAPTURED.with_borrow(Option::is_none)
                && !IS_QUIET.load(Ordering::Relaxed),
        }
    }

    /// Replaces the shown text by another one.
    pub fn show(&mut self, text: &str) {
        if self.watched {
            self.shown = true;
            let mut err = io::stderr().lock();
            let text = visible(text, usize::MAX);
            let _ = write!(err, "\r\x1b[K{text}").and_then(|()| err.flush());
        }
    }

    /// Removes the shown text from the line.
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
