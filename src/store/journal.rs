//! The journal of writes: JSON lines, appended, private (0600), without secrets.
//!
//! A line is on the disk when [`Journal::append`] returns. Several programs may append at once:
//! every line is written in one call. A write that cannot be journalled must not be sent. Nothing
//! is sent while a line cannot be read, as it may be a write whose outcome is unknown.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::files::{self, LockError};
use crate::domain::format::{self, counted};
use crate::domain::journal::{Damage, Intent, Line, Verdict, entries};
use crate::domain::time::UnixTime;

/// Maximum size of the file, in bytes: hundreds of thousands of writes.
///
/// All of it is read, since a write of long ago whose outcome is unknown still counts.
const LARGEST: u64 = 64 * 1024 * 1024;

/// A problem with the journal, because of which nothing is sent.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    #[error("can't save the write history without a home directory; to fix it, set HOME")]
    NoHome,
    #[error("can't save the write history in {}", remedy(.path, .source))]
    Unwritable { path: PathBuf, source: io::Error },
    #[error("can't read the write history in {}", remedy(.path, .source))]
    Unreadable { path: PathBuf, source: io::Error },
    #[error("can't lock the write history: {0}")]
    Lock(#[from] LockError),
    /// Two programs could not see each other.
    #[error(
        "can't lock the write history: its file system has no locks, so that two programs could send the same: set \
         XDG_STATE_HOME to a folder on another"
    )]
    NoLocks,
    /// Lines cannot be read. Without a path the journal is in memory.
    #[error(
        "{} of {} can't be read: a write whose outcome is unknown may be among them. Settle: {SETTLE}",
        counted(*.lines, "line", "lines"),
        .path.as_ref().map_or_else(|| "the write history".to_owned(), |path| path.display().to_string())
    )]
    Damaged { lines: usize, path: Option<PathBuf> },
    /// The same was sent before.
    #[error(
        "the same was sent at {} UTC, and its outcome is unknown. Another bourse may wait for it; if none does, \
         settle it: {SETTLE}",
        format::moment(*.at)
    )]
    Unsettled { at: UnixTime },
    /// Another program has changed a damaged line.
    #[error("line {line} has changed meanwhile: look again")]
    LineChanged { line: u64 },
    /// The thread that wrote it panicked.
    #[error(transparent)]
    Thread(#[from] tokio::task::JoinError),
}

/// The journal of writes, in a file or in memory.
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
    /// The number of each line in the file, starting at 1.
    numbers: Vec<u64>,
    pub damage: Vec<Damage>,
}

impl History {
    /// Parses the content of a file. Lines that cannot be read, and an unknown outcome without its intent,
    /// become its damage; blank lines are skipped.
    fn parse(bytes: &[u8]) -> Self {
        let mut history = Self::default();
        let (mut start, mut number, mut keys) = (0, 0, HashSet::new());
        for line in bytes.split(|byte| *byte == b'\n') {
            number += 1;
            let parsed = serde_json::from_slice(line).ok().filter(|line| match line {
                Line::Intent(intent) => {
                    keys.insert(intent.key.clone());
                    true
                }
                Line::Outcome(outcome) => outcome.verdict != Verdict::Unknown || keys.contains(&outcome.key),
                Line::Command(_) | Line::CommandEnd(_) => true,
            });
            match parsed {
                Some(parsed) => {
                    history.lines.push(parsed);
                    history.numbers.push(number);
                }
                None if line.iter().all(u8::is_ascii_whitespace) => {}
                None => history.damage.push(Damage::new(number, start, line)),
            }
            start += line.len() + 1;
        }
        history
    }

    /// The line number of an intent in the file, found by its key, the last one if repeated; `None` if it is
    /// not in a file.
    pub fn line_of(&self, intent: &Intent) -> Option<u64> {
        let is_it = |line: &Line| matches!(line, Line::Intent(known) if known.key == intent.key);
        self.numbers.get(self.lines.iter().rposition(is_it)?).copied()
    }
}

impl Journal {
    /// The journal in the file `path`, which is created with its folder when needed.
    ///
    /// Every call opens the file again, so that writes are possible as soon as it can be written.
    pub fn at(path: &Path) -> Self {
        Self(Storage::File(path.to_owned()))
    }

    /// A journal in memory, for a market that ends with the program.
    pub fn in_memory() -> Self {
        Self(Storage::Memory(Arc::default()))
    }

    /// Adds a line, even if the file cannot be locked; it is on the disk when this returns.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn append(&self, line: &Line) -> Result<(), JournalError> {
        match &self.0 {
            Storage::File(path) => {
                // Without a lock the line is written nevertheless: an outcome must not be lost.
                let lock = open(path).ok().and_then(|_| files::lock(path).ok().flatten());
                append(path, line, lock.is_some()).map_err(|error| unwritable(path, error))
            }
            Storage::Memory(lines) => {
                let mut lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
                lines.push(line.clone());
                Ok(())
            }
            Storage::Nowhere => Err(JournalError::NoHome),
        }
    }

    /// Adds the intent of a write, unless a line is damaged, or the same workergroup was created before
    /// (launch arguments aside) and the outcome is unknown. Unlistings are not compared.
    ///
    /// The file is locked meanwhile: otherwise two programs could send the same write.
    ///
    /// # Errors
    ///
    /// When it must not be sent, or the line cannot be written.
    pub fn intend(&self, intent: &Intent) -> Result<(), JournalError> {
        let lock = self.lock()?;
        let history = self.read()?;
        if let Some(damaged) = self.damaged(&history.damage) {
            return Err(damaged);
        }
        let entries = entries(history.lines);
        let mut unsettled = entries
            .iter()
            .rev()
            .filter(|entry| entry.verdict() == Verdict::Unknown && entry.intent.is_same_creation(intent));
        if let Some(same) = unsettled.next() {
            return Err(JournalError::Unsettled { at: same.intent.at });
        }
        match &self.0 {
            Storage::File(path) => {
                let line = Line::Intent(intent.clone());
                append(path, &line, lock.is_some()).map_err(|error| unwritable(path, error))
            }
            Storage::Memory(_) | Storage::Nowhere => self.append(&Line::Intent(intent.clone())),
        }
    }

    /// Locks the file until the result is dropped, waiting for other programs; `None` for a journal without a
    /// file. An error if the file cannot be created or its file system has no locks.
    fn lock(&self) -> Result<Option<File>, JournalError> {
        let Storage::File(path) = &self.0 else { return Ok(None) };
        open(path).map_err(|error| unwritable(path, error))?;
        let lock = files::lock(path)?;
        lock.ok_or(JournalError::NoLocks).map(Some)
    }

    /// The error of damaged lines; `None` without any.
    pub fn damaged(&self, damage: &[Damage]) -> Option<JournalError> {
        let path = match &self.0 {
            Storage::File(path) => Some(path.clone()),
            Storage::Memory(_) | Storage::Nowhere => None,
        };
        let lines = damage.len();
        (lines > 0).then_some(JournalError::Damaged { lines, path })
    }

    /// Moves damaged lines, unchanged, to a file beside the journal and returns its path.
    ///
    /// They become blank lines in the journal, so that lines that other programs append meanwhile stay.
    ///
    /// # Errors
    /// When the journal is in no file, a line has changed meanwhile, or a file cannot be written; nothing is
    /// lost then.
    pub fn set_aside(&self, damage: &[Damage]) -> Result<PathBuf, JournalError> {
        let Storage::File(path) = &self.0 else {
            return Err(JournalError::NoHome);
        };
        let _lock = self.lock()?;
        let bytes = content(path).map_err(|error| unwritable(path, error))?;
        let known = History::parse(&bytes).damage;
        if let Some(changed) = damage.iter().find(|line| !known.contains(line)) {
            return Err(JournalError::LineChanged { line: changed.line });
        }
        set_aside(path, &bytes, damage).map_err(|error| unwritable(path, error))
    }

    /// Reads the whole journal, with its damaged lines.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn read(&self) -> Result<History, JournalError> {
        match &self.0 {
            Storage::File(path) => read(path).map_err(|source| JournalError::Unreadable {
                path: path.clone(),
                source,
            }),
            Storage::Memory(lines) => Ok(History {
                lines: lines.lock().unwrap_or_else(PoisonError::into_inner).clone(),
                ..History::default()
            }),
            Storage::Nowhere => Err(JournalError::NoHome),
        }
    }
}

/// Advice on settling unknown outcomes.
const SETTLE: &str = "bourse writes check, or :resolve in the dashboard";

/// The error of a journal at `path` that cannot be written.
fn unwritable(path: &Path, source: io::Error) -> JournalError {
    JournalError::Unwritable {
        path: path.to_owned(),
        source,
    }
}

/// A phrase with the path of the write history, the error and how to fix it.
fn remedy(path: &Path, error: &io::Error) -> String {
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
        io::ErrorKind::FileTooLarge => format!("{shown}: {error}; to fix it, move it away if no write in it is open"),
        io::ErrorKind::StorageFull => format!("{shown}: {error}; to fix it, free space"),
        _ => format!("{shown}: {error}; to fix it, make the file writable"),
    }
}

/// Appends a line to the journal file in one write, on a line of its own even after one cut short, and syncs
/// it. If that fails while the file is locked, the half-written line is removed.
fn append(path: &Path, line: &Line, is_locked: bool) -> io::Result<()> {
    let mut text = serde_json::to_string(line)?;
    text.push('\n');
    let mut file = open(path)?;
    let before = file.metadata()?.len();
    if !ends_a_line(&mut file)? {
        // A line cut short by a crash must not swallow this one.
        text.insert(0, '\n');
    }
    let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_data());
    if written.is_err() && is_locked {
        // Half a line would be damage. If this fails, it is.
        let _ = file.set_len(before);
    }
    written
}

/// Reads and parses the journal file, which is created if it is missing; an error if it is larger than 64
/// MiB.
fn read(path: &Path) -> io::Result<History> {
    Ok(History::parse(&content(path)?))
}

/// The bytes of the journal file, which is created if it is missing; an error if it is larger than 64 MiB.
fn content(path: &Path) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    let mut bytes = Vec::new();
    file.take(LARGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "it is larger than 64 MiB"));
    }
    Ok(bytes)
}

/// Appends damaged lines to `….jsonl.damaged` and then overwrites them with blanks in the journal; returns
/// the path of the copy.
fn set_aside(path: &Path, bytes: &[u8], damage: &[Damage]) -> io::Result<PathBuf> {
    let aside = path.with_extension("jsonl.damaged");
    let mut copy = open(&aside)?;
    let mut text = Vec::new();
    if !ends_a_line(&mut copy)? {
        text.push(b'\n');
    }
    let lines = || damage.iter().map(|line| line.start..line.start + line.length);
    for line in lines() {
        text.extend_from_slice(bytes.get(line).unwrap_or_default());
        text.push(b'\n');
    }
    copy.write_all(&text)?;
    copy.sync_all()?;
    let mut file = OpenOptions::new().write(true).open(path)?;
    for line in lines() {
        file.seek(SeekFrom::Start(line.start as u64))?;
        file.write_all(&vec![b' '; line.len()])?;
    }
    file.sync_data()?;
    Ok(aside)
}

/// Opens a journal file for reading and appending, and creates it and its folder if missing, both private
/// (the file 0600, also if it exists); an error if it is not a regular file.
fn open(path: &Path) -> io::Result<File> {
    if let Some(folder) = path.parent() {
        files::private_dir(folder)?;
    }
    // A device or a pipe stores nothing.
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
            at: UnixTime::new(1_795_176_000.25),
            profile: "test".to_owned(),
            address: "http://127.0.0.1:1".to_owned(),
            kind: WriteKind::UnlistVolume,
            subject: "4001".to_owned(),
            group: None,
            over_limit: None,
        })
    }

    fn outcome(key: &str) -> Line {
        Line::Outcome(Outcome {
            key: key.to_owned(),
            at: UnixTime::new(1_795_176_001.5),
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
        assert_eq!(kept.damage, []);
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
            assert_eq!(kept.damage.len(), usize::from(end > 0));
        }
    }

    #[test]
    fn a_creation_is_not_sent_again_while_its_outcome_is_unknown() {
        let creation = |key: &str, address: &str| Intent {
            key: key.to_owned(),
            at: UnixTime::new(1_795_176_000.0),
            profile: "test".to_owned(),
            address: address.to_owned(),
            kind: WriteKind::CreateWorkergroup,
            subject: "endpoint chat".to_owned(),
            group: Some(Box::new(NewWorkergroup {
                endpoint_name: Some("chat".to_owned()),
                ..NewWorkergroup::default()
            })),
            over_limit: None,
        };
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("writes.jsonl");
        for journal in [Journal::at(&path), Journal::in_memory()] {
            journal.intend(&creation("a", "https://a")).unwrap();
            let refused = journal.intend(&creation("b", "https://a")).unwrap_err().to_string();
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
        assert_eq!((kept.lines, kept.damage.len()), (vec![intent("a")], 1));
    }

    fn creation(key: &str, profile: &str, address: &str) -> Intent {
        Intent {
            key: key.to_owned(),
            at: UnixTime::new(1_795_176_000.0),
            profile: profile.to_owned(),
            address: address.to_owned(),
            kind: WriteKind::CreateWorkergroup,
            subject: "endpoint chat".to_owned(),
            group: Some(Box::new(NewWorkergroup {
                endpoint_name: Some("chat".to_owned()),
                ..NewWorkergroup::default()
            })),
            over_limit: None,
        }
    }

    #[test]
    fn a_creation_before_megabytes_of_others_is_not_sent_again() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("writes.jsonl");
        let journal = Journal::at(&path);
        journal.intend(&creation("a", "test", "https://a")).unwrap();
        let mut lines = String::new();
        for line in [intent("0123456"), outcome("0123456")] {
            lines.push_str(&serde_json::to_string(&line).unwrap());
            lines.push('\n');
        }
        let before = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, before + &lines.repeat(3_000_000 / lines.len())).unwrap();
        let refused = journal
            .intend(&creation("b", "test", "https://a"))
            .unwrap_err()
            .to_string();
        assert!(refused.starts_with("the same was sent at 2026-11-20"), "{refused}");
        journal.intend(&creation("c", "test", "https://b")).unwrap();
    }

    #[test]
    fn a_creation_is_known_by_any_name_of_its_market_and_under_any_profile() {
        for address in ["http://localhost:8733", "http://[::1]:8733", "HTTP://LOCALHOST:8733/"] {
            let root = tempfile::tempdir().unwrap();
            let journal = Journal::at(&root.path().join("writes.jsonl"));
            journal.intend(&creation("a", "test", "http://127.0.0.1:8733")).unwrap();
            let refused = journal
                .intend(&creation("b", "other", address))
                .unwrap_err()
                .to_string();
            assert!(refused.starts_with("the same was sent at"), "{refused}");
            journal.intend(&creation("c", "test", "http://127.0.0.1:8734")).unwrap();
        }
    }

    #[test]
    fn nothing_is_sent_beside_a_damaged_line_until_it_is_set_aside() {
        let whole = serde_json::to_string(&intent("a")).unwrap();
        let orphan = serde_json::to_string(&Line::Outcome(Outcome {
            key: "gone".to_owned(),
            at: UnixTime::new(0.0),
            verdict: Verdict::Unknown,
            words: String::new(),
        }));
        let mut not_utf8 = whole.clone().into_bytes();
        not_utf8[20] = 0xff;
        for damaged in [
            format!("\u{feff}{whole}").into_bytes(),
            whole.as_bytes()[..40].to_vec(),
            not_utf8,
            vec![0; 4096],
            b"x".repeat(2_000_000),
            whole.replace("subject", "sobject").into_bytes(),
            whole.replace("\"key\"", "\"new\":1,\"key\"").into_bytes(),
            "\u{a0}".to_owned().into_bytes(),
            orphan.unwrap().into_bytes(),
        ] {
            let root = tempfile::tempdir().unwrap();
            let path = root.path().join("writes.jsonl");
            let text = [&damaged[..], b"\n", whole.as_bytes(), b"\n"].concat();
            std::fs::write(&path, text).unwrap();
            let journal = Journal::at(&path);
            let Line::Intent(new) = intent("b") else { unreachable!() };
            for new in [new, creation("c", "test", "https://a")] {
                let refused = journal.intend(&new).unwrap_err().to_string();
                assert!(refused.starts_with("1 line of "), "{refused}");
                assert!(refused.contains("bourse writes check"), "{refused}");
            }
            let kept = journal.read().unwrap();
            assert_eq!(kept.lines, [intent("a")]);
            assert_eq!(kept.damage[0].line, 1);

            let aside = journal.set_aside(&kept.damage).unwrap();
            assert_eq!(std::fs::read(&aside).unwrap(), [&damaged[..], b"\n"].concat());
            let mode = std::fs::metadata(&aside).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
            // It is not moved twice.
            assert!(journal.set_aside(&kept.damage).is_err());
            journal.intend(&creation("c", "test", "https://a")).unwrap();
            let kept = journal.read().unwrap();
            assert_eq!((kept.lines.len(), kept.damage.len()), (2, 0));
        }
    }

    #[test]
    fn a_line_that_is_another_one_by_now_is_not_set_aside() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("writes.jsonl");
        std::fs::write(&path, "{broken\n").unwrap();
        let journal = Journal::at(&path);
        let seen = journal.read().unwrap().damage;
        let line = serde_json::to_string(&intent("a")).unwrap();
        std::fs::write(&path, format!("{line}\n{{broken\n")).unwrap();
        assert!(journal.set_aside(&seen).is_err());
        let kept = journal.read().unwrap();
        assert_eq!((kept.lines, kept.damage.len()), (vec![intent("a")], 1));
    }

    #[test]
    fn a_file_without_an_end_is_not_read() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("writes.jsonl");
        let journal = Journal::at(&path);
        journal.append(&intent("a")).unwrap();
        let file = OpenOptions::new().write(true).open(&path).unwrap();
        file.set_len(1 << 40).unwrap();
        let refused = journal
            .intend(&creation("b", "test", "https://a"))
            .unwrap_err()
            .to_string();
        assert!(refused.contains("larger than 64 MiB"), "{refused}");
    }

    #[test]
    fn words_from_the_file_are_cleaned() {
        let lines = vec![
            intent("a"),
            Line::Outcome(Outcome {
                key: "a".to_owned(),
                at: UnixTime::new(0.0),
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
