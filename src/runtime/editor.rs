//! The person's editor, for texts that are too long for a form.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use tempfile::TempPath;
use tokio::process::Command;

use super::signals::{Signals, exit_status};
use crate::process::{Running, Terminal};

// Nobody types more.
/// The maximum size read back, in bytes.
const MOST_BYTES: u64 = 16 << 20;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Document {
    /// A text, in a private temporary file.
    Text {
        text: String,
        /// The file's extension, by which editors choose their highlighting: `.json`.
        suffix: &'static str,
    },
    File(PathBuf),
}

pub(super) enum Ended {
    /// The edited text, or why there is none.
    Edited(Result<String, String>),
    /// A signal that ends the program too.
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
    /// Writes the document to disk and finds the editor.
    pub fn new(document: Document) -> Result<Self, String> {
        let words = command(|name| std::env::var_os(name))?;
        let (path, temporary) = match document {
            Document::File(path) => (path, None),
            Document::Text { text, suffix } => {
                let temporary = write(&text, suffix).map_err(|why| format!("can't write a draft: {why}"))?;
                (temporary.to_path_buf(), Some(temporary))
            }
        };
        Ok(Self {
            words,
            path,
            _temporary: temporary,
        })
    }

    /// Runs the editor until it exits. It has the terminal: Ctrl-c, Ctrl-\ and Ctrl-z are its own.
    pub async fn run(&self, signals: &mut Signals) -> Ended {
        let mut child = match self.spawn() {
            Ok(child) => child,
            Err(why) => return Ended::Edited(Err(format!("{}: {why}", self.words[0]))),
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

    fn spawn(&self) -> io::Result<Running> {
        let mut command = Command::new(&self.words[0]);
        command.args(&self.words[1..]).arg(&self.path);
        Running::start(command, Terminal::Lent)
    }

    fn result(&self, status: io::Result<ExitStatus>) -> Result<String, String> {
        let editor = &self.words[0];
        let status = status.map_err(|why| format!("{editor}: {why}"))?;
        if !status.success() {
            // The way to abandon an edit: `:cq` in vi.
            return Err(format!("{editor} failed ({status}): nothing changed"));
        }
        read(&self.path).map_err(|why| format!("can't read the text back: {why}"))
    }
}

/// The editor with its arguments: VISUAL, else EDITOR, else vi.
fn command(variable: impl Fn(&str) -> Option<OsString>) -> Result<Vec<String>, String> {
    for name in ["VISUAL", "EDITOR"] {
        let Some(value) = variable(name).filter(|value| !value.is_empty()) else {
            continue;
        };
        let words = value.to_str().and_then(|text| shell_words::split(text).ok());
        return words
            .filter(|words| !words.is_empty())
            .ok_or_else(|| format!("{name} is not a command"));
    }
    Ok(vec!["vi".to_owned()])
}

fn write(text: &str, suffix: &str) -> io::Result<TempPath> {
    // Created with mode 0600.
    let mut builder = tempfile::Builder::new();
    let mut file = builder.prefix("bourse-").suffix(suffix).tempfile()?;
    file.write_all(text.as_bytes())?;
    Ok(file.into_temp_path())
}

/// By name, not through the open file: many editors write a new file and rename it.
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
            with(&[("EDITOR", "nano"), ("VISUAL", "code --wait 'my file'")]),
            Ok(vec!["code".to_owned(), "--wait".to_owned(), "my file".to_owned()])
        );
        assert_eq!(with(&[("VISUAL", ""), ("EDITOR", "nano")]), Ok(vec!["nano".to_owned()]));
        assert_eq!(with(&[]), Ok(vec!["vi".to_owned()]));
        assert_eq!(
            with(&[("EDITOR", "'unclosed")]),
            Err("EDITOR is not a command".to_owned())
        );
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
