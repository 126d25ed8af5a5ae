//! The journal of writes: JSON lines, appended, private (0600), no secrets.
//!
//! A line is on the disk when [`Journal::append`] returns. Several programs may append at once:
//! every line is written in one call. What cannot be journalled must not be sent.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::files;
use crate::domain::format;
use crate::domain::journal::{Intent, Line, Verdict, entries};

// The file only grows, and what was sent years ago settles nothing.
/// How much of the end of the file is read, in bytes: enough for thousands of writes.
const READ: u64 = 1024 * 1024;

/// The journal. Errors are for display and say what to do.
#[derive(Debug, Clone, Default)]
pub struct Journal(Storage);

#[derive(Debug, Clone, Default)]
enum Storage {
    File(PathBuf),
    Memory(Arc<Mutex<Vec<Line>>>),
    #[default]
    Nowhere,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct History {
    pub lines: Vec<Line>,
    /// The number of lines that cannot be parsed.
    pub unreadable: usize,
}

impl Journal {
    /// The journal in a file, which is created with its folder when needed. Every call opens it
    /// again: once it can be written again, so can the market.
    pub fn at(path: &Path) -> Self {
        Self(Storage::File(path.to_owned()))
    }

    /// A journal that ends with the program, for a market that does, too.
    pub fn in_memory() -> Self {
        Self(Storage::Memory(Arc::default()))
    }

    /// Adds a line; it is on the disk when this returns.
    pub fn append(&self, line: &Line) -> Result<(), String> {
        match &self.0 {
            Storage::File(path) => append(path, line).map_err(|error| not_saved(path, &error)),
            Storage::Memory(lines) => {
                let mut lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
                lines.push(line.clone());
                Ok(())
            }
            Storage::Nowhere => Err(NO_HOME.to_owned()),
        }
    }

    /// Adds what is about to be sent, unless another program has sent the same and its outcome is
    /// unknown. Programs do this one after another: without a lock two could send the same.
    pub fn intend(&self, intent: &Intent) -> Result<(), String> {
        let _lock = match &self.0 {
            Storage::File(path) => {
                open(path).map_err(|error| not_saved(path, &error))?;
                let lock = files::lock(path).and_then(|lock| lock.ok_or_else(|| NO_LOCKS.to_owned()));
                Some(lock.map_err(|why| format!("can't lock the write history: {why}"))?)
            }
            Storage::Memory(_) | Storage::Nowhere => None,
        };
        let entries = entries(self.read()?.lines);
        let mut unsettled = entries
            .iter()
            .rev()
            .filter(|entry| entry.verdict() == Verdict::Unknown && entry.intent.is_same_creation(intent));
        if let Some(same) = unsettled.next() {
            return Err(format!(
                "the same was sent at {} UTC, and its outcome is unknown. Another bourse may wait \
                 for it; if none does, decide at the next start",
                format::moment(same.intent.at)
            ));
        }
        self.append(&Line::Intent(intent.clone()))
    }

    /// Reads the end of the file.
    pub fn read(&self) -> Result<History, String> {
        match &self.0 {
            Storage::File(path) => read(path).map_err(|error| {
                let why = why(path, &error);
                format!("can't read the write history in {why}")
            }),
            Storage::Memory(lines) => Ok(History {
                lines: lines.lock().unwrap_or_else(PoisonError::into_inner).clone(),
                unreadable: 0,
            }),
            Storage::Nowhere => Err(NO_HOME.to_owned()),
        }
    }
}

/// Why nothing can be sent where two programs could not see each other.
const NO_LOCKS: &str = "its file system has no locks, so that two programs could send the same: set XDG_STATE_HOME \
                        to a folder on another";

const NO_HOME: &str = "can't save the write history without a home directory; to fix it, set HOME";

fn not_saved(path: &Path, error: &io::Error) -> String {
    format!("can't save the write history in {}", why(path, error))
}

/// What is wrong with a file, and what to do.
fn why(path: &Path, error: &io::Error) -> String {
    let shown = path.display();
    match error.kind() {
        io::ErrorKind::PermissionDenied => {
            let folder = path.parent().unwrap_or(path).display().to_string();
            let folder = shell_words::quote(&folder);
            format!("{shown}: {error}; to fix it: sudo chown -R \"$USER\" {folder}")
        }
        io::ErrorKind::IsADirectory => {
            format!("{shown}: it is a directory; to fix it, move it away")
        }
        io::ErrorKind::StorageFull => format!("{shown}: {error}; to fix it, free space"),
        _ => format!("{shown}: {error}; to fix it, make the file writable"),
    }
}

fn append(path: &Path, line: &Line) -> io::Result<()> {
    let mut text = serde_json::to_string(line)?;
    text.push('\n');
    let mut file = open(path)?;
    if !ends_a_line(&mut file)? {
        // A line cut short by a crash must not swallow this one.
        text.insert(0, '\n');
    }
    file.write_all(text.as_bytes())?;
    file.sync_data()
}

fn read(path: &Path) -> io::Result<History> {
    let mut file = open(path)?;
    let length = file.metadata()?.len();
    let start = length.saturating_sub(READ);
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.take(READ).read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    let mut kept = History::default();
    // Reading from the middle starts with the end of a line: skip it.
    for line in text.lines().skip(usize::from(start > 0)) {
        match serde_json::from_str(line) {
            Ok(line) => kept.lines.push(line),
            Err(_) if line.trim().is_empty() => {}
            Err(_) => kept.unreadable += 1,
        }
    }
    Ok(kept)
}

fn open(path: &Path) -> io::Result<File> {
    if let Some(folder) = path.parent() {
        files::private_dir(folder)?;
    }
    // A device or a pipe keeps nothing.
    if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir()) {
        return Err(io::Error::other("it is not a regular file"));
    }
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true);
    let file = files::private(&mut options).open(path)?;
    // Also where it was opened to others meanwhile. Not every file system has modes, and the file may be
    // another user's: it holds no secret, and writes must be journalled.
    let _ = file.set_permissions(fs::Permissions::from_mode(0o600));
    Ok(file)
}

/// Whether the file is empty or ends with a newline.
fn ends_a_line(file: &mut File) -> io::Result<bool> {
    if file.metadata()?.len() == 0 {
        return Ok(true);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::journal::{Entry, Intent, Outcome, Verdict, WriteKind, entries};
    use crate::domain::workergroup::NewWorkergroup;

    fn intent(key: &str) -> Line {
        Line::Intent(Intent {
            key: key.to_owned(),
            at: 1_795_176_000.25,
            profile: "test".to_owned(),
            address: "http://127.0.0.1:1".to_owned(),
            kind: WriteKind::UnlistVolume,
            subject: "4001".to_owned(),
            group: None,
        })
    }

    fn outcome(key: &str) -> Line {
        Line::Outcome(Outcome {
            key: key.to_owned(),
            at: 1_795_176_001.5,
            verdict: Verdict::Done,
            words: "Unlisted Volume 4001.".to_owned(),
        })
    }

    #[test]
    fn lines_come_back_and_the_file_is_private() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("state/bourse/writes.jsonl");
        let journal = Journal::at(&path);
        for line in [intent("a"), outcome("a"), intent("b")] {
            journal.append(&line).unwrap();
        }
        let kept = Journal::at(&path).read().unwrap();
        assert_eq!(kept.unreadable, 0);
        let entries = entries(kept.lines);
        let verdicts: Vec<_> = entries.iter().map(Entry::verdict).collect();
        assert_eq!(verdicts, [Verdict::Done, Verdict::Unknown]);
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(
            text.lines().next().unwrap(),
            r#"{"intent":{"key":"a","at":1795176000.25,"profile":"test","address":"http://127.0.0.1:1","deed":"unlist_volume","subject":"4001"}}"#
        );
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
        journal.append(&outcome("b")).unwrap();
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn a_line_cut_at_any_byte_hides_no_other() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("writes.jsonl");
        let whole = serde_json::to_string(&intent("cut")).unwrap();
        for end in 0..whole.len() {
            let mut text = serde_json::to_string(&intent("first")).unwrap();
            text.push('\n');
            text.push_str(&whole[..end]);
            std::fs::write(&path, text).unwrap();
            let journal = Journal::at(&path);
            journal.append(&intent("last")).unwrap();
            let kept = journal.read().unwrap();
            assert_eq!(kept.lines, [intent("first"), intent("last")], "{end}");
            assert_eq!(kept.unreadable, usize::from(end > 0));
        }
    }

    #[test]
    fn a_creation_is_not_sent_again_while_its_outcome_is_unknown() {
        let creation = |key: &str, address: &str| Intent {
            key: key.to_owned(),
            at: 1_795_176_000.0,
            profile: "test".to_owned(),
            address: address.to_owned(),
            kind: WriteKind::CreateWorkergroup,
            subject: "endpoint chat".to_owned(),
            group: Some(Box::new(NewWorkergroup {
                endpoint_name: Some("chat".to_owned()),
                ..NewWorkergroup::default()
            })),
        };
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("writes.jsonl");
        for journal in [Journal::at(&path), Journal::in_memory()] {
            journal.intend(&creation("a", "https://a")).unwrap();
            let refused = journal.intend(&creation("b", "https://a")).unwrap_err();
            assert!(refused.starts_with("the same was sent at 2026-11-20"), "{refused}");
            journal.intend(&creation("c", "https://other")).unwrap();
            journal.append(&outcome("a")).unwrap();
            journal.intend(&creation("d", "https://a")).unwrap();
            assert_eq!(journal.read().unwrap().lines.len(), 4);
        }
        assert!(Journal::default().intend(&creation("e", "https://a")).is_err());
    }

    #[test]
    fn blank_lines_are_no_damage() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("writes.jsonl");
        let line = serde_json::to_string(&intent("a")).unwrap();
        std::fs::write(&path, format!("\n\n{line}\n \n{{\n")).unwrap();
        let kept = Journal::at(&path).read().unwrap();
        assert_eq!((kept.lines, kept.unreadable), (vec![intent("a")], 1));
    }

    #[test]
    fn of_a_long_file_the_last_megabyte_is_read_from_the_first_whole_line() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("writes.jsonl");
        let mut line = serde_json::to_string(&intent("0123456")).unwrap();
        line.push('\n');
        std::fs::write(&path, line.repeat(3_000_000 / line.len())).unwrap();
        let journal = Journal::at(&path);
        journal.append(&intent("last")).unwrap();
        let kept = journal.read().unwrap();
        assert_eq!(kept.unreadable, 0);
        assert_eq!(kept.lines.last(), Some(&intent("last")));
        let read = kept.lines.len() * line.len();
        assert!((1_048_576 - read).cast_signed() < 2 * line.len().cast_signed());
    }

    #[test]
    fn words_from_the_file_are_cleaned() {
        let lines = vec![
            intent("a"),
            Line::Outcome(Outcome {
                key: "a".to_owned(),
                at: 0.0,
                verdict: Verdict::Refused,
                words: "\u{1b}]52;c;x\u{7}\u{202e}".to_owned(),
            }),
            outcome("nobody"),
        ];
        let entries = entries(lines);
        assert_eq!(entries.len(), 1);
        let words = &entries[0].outcome.as_ref().unwrap().words;
        assert_eq!(words, "<U+001B>]52;c;x<U+0007><U+202E>");
    }
}
