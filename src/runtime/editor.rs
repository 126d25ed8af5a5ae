//! The user's editor, for texts that are too long for a form.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use tempfile::TempPath;
use tokio::process::Command;

use super::signals::{Signals, exit_status};
use crate::process::{Running, Terminal};

/// Maximum size of an edited text, in bytes.
///
/// Nobody types more.
const MOST_BYTES: u64 = 16 << 20;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Document {
    /// A text, in a private temporary file.
    Text {
        text: String,
        /// The file extension, by which editors choose their highlighting: `.json`.
        suffix: &'static str,
    },
    File(PathBuf),
}

/// The reason a document was not edited.
#[derive(Debug, thiserror::Error)]
pub enum EditorError {
    #[error("there is no terminal to edit on")]
    NoTerminal,
    /// The environment variable of that name holds no command.
    #[error("{0} is not a command")]
    NotACommand(&'static str),
    #[error("can't write a draft: {0}")]
    Draft(#[source] io::Error),
    #[error("{editor}: {source}")]
    Run { editor: String, source: io::Error },
    /// The user abandoned the edit, as with `:cq` in vi, or the editor failed.
    #[error("{editor} failed ({status}): nothing changed")]
    Failed { editor: String, status: ExitStatus },
    /// A signal ended the program.
    #[error("the editor was closed")]
    Ended,
    #[error("can't read the text back: {0}")]
    Read(#[source] io::Error),
}

pub(super) enum Ended {
    /// The editor was closed, with the edited text.
    Edited(Result<String, EditorError>),
    /// A signal ended the editor and ends the program, with this exit status.
    Leave(i32),
}

/// A document on disk, ready to edit.
pub(super) struct Session {
    words: Vec<String>,
    path: PathBuf,
    /// Removes the file when dropped.
    _temporary: Option<TempPath>,
}

impl Session {
    /// Finds the editor's command, and writes a text to a private temporary file; an error if the environment
    /// variable of the editor is no command or the file cannot be written.
    pub fn new(document: Document) -> Result<Self, EditorError> {
        let words = command(|name| std::env::var_os(name))?;
        let (path, temporary) = match document {
            Document::File(path) => (path, None),
            Document::Text { text, suffix } => {
                let temporary = write(&text, suffix).map_err(EditorError::Draft)?;
                (temporary.to_path_buf(), Some(temporary))
            }
        };
        Ok(Self {
            words,
            path,
            _temporary: temporary,
        })
    }

    /// Runs the editor until it exits, and reads the text back, or until a signal that ends the program,
    /// whose exit status is returned. Other signals are ignored.
    ///
    /// It has the terminal: Ctrl-c, Ctrl-\ and Ctrl-z go to the editor.
    pub async fn run(&self, signals: &mut Signals) -> Ended {
        let mut child = match self.spawn() {
            Ok(child) => child,
            Err(source) => return Ended::Edited(Err(self.not_run(source))),
        };
        loop {
            tokio::select! {
                biased;
                status = child.wait() => return Ended::Edited(self.result(status)),
                signal = signals.next() => if let Some(status) = exit_status(signal) {
                    return Ended::Leave(status);
                },
            }
        }
    }

    /// Starts the editor on the document, with the terminal.
    fn spawn(&self) -> io::Result<Running> {
        let mut command = Command::new(&self.words[0]);
        command.args(&self.words[1..]).arg(&self.path);
        Running::start(command, Terminal::Lent)
    }

    /// The error of an editor that could not be run.
    fn not_run(&self, source: io::Error) -> EditorError {
        EditorError::Run {
            editor: self.words[0].clone(),
            source,
        }
    }

    /// The edited text after the editor has ended; an error if it did not end successfully, or the text
    /// cannot be read.
    fn result(&self, status: io::Result<ExitStatus>) -> Result<String, EditorError> {
        let status = status.map_err(|source| self.not_run(source))?;
        if !status.success() {
            return Err(EditorError::Failed {
                editor: self.words[0].clone(),
                status,
            });
        }
        read(&self.path).map_err(EditorError::Read)
    }
}

/// The editor's command line: `VISUAL`, else `EDITOR`, else vi; an error if the variable is no command. An
/// empty variable counts as unset.
fn command(variable: impl Fn(&str) -> Option<OsString>) -> Result<Vec<String>, EditorError> {
    for name in ["VISUAL", "EDITOR"] {
        let Some(value) = variable(name).filter(|value| !value.is_empty()) else {
            continue;
        };
        let words = value.to_str().and_then(|text| shell_words::split(text).ok());
        return words
            .filter(|words| !words.is_empty())
            .ok_or(EditorError::NotACommand(name));
    }
    Ok(vec!["vi".to_owned()])
}

/// Writes a text to a private temporary file with this extension, which is deleted when dropped.
fn write(text: &str, suffix: &str) -> io::Result<TempPath> {
    // Created with mode 0600.
    let mut builder = tempfile::Builder::new();
    let mut file = builder.prefix("bourse-").suffix(suffix).tempfile()?;
    file.write_all(text.as_bytes())?;
    Ok(file.into_temp_path())
}

/// Reads the edited file by its path; an error above 16 MiB or if it is not UTF-8.
///
/// The open file would be stale: many editors write a new file and rename it.
fn read(path: &Path) -> io::Result<String> {
    if fs::metadata(path)?.len() > MOST_BYTES {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    fs::read_to_string(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn visual_is_preferred_and_may_have_arguments() {
        let with = |pairs: &[(&str, &str)]| {
            let pairs: Vec<(String, String)> = pairs
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect();
            command(move |name| {
                let pair = pairs.iter().find(|(known, _)| known == name);
                pair.map(|(_, value)| OsString::from(value))
            })
        };
        assert_eq!(
            with(&[("EDITOR", "nano"), ("VISUAL", "code --wait 'my file'")]).unwrap(),
            ["code", "--wait", "my file"]
        );
        assert_eq!(with(&[("VISUAL", ""), ("EDITOR", "nano")]).unwrap(), ["nano"]);
        assert_eq!(with(&[]).unwrap(), ["vi"]);
        let error = with(&[("EDITOR", "'unclosed")]).unwrap_err();
        assert_eq!(error.to_string(), "EDITOR is not a command");
    }

    #[test]
    fn drafts_are_private_and_end_as_asked() {
        use std::os::unix::fs::PermissionsExt as _;
        let draft = write("{}", ".json").unwrap();
        let mode = fs::metadata(&draft).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert!(draft.to_string_lossy().ends_with(".json"));
        assert_eq!(read(&draft).unwrap(), "{}");
    }
}
