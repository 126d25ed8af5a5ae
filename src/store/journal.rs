//! The journal of writes: JSON lines, appended, private (0600), no secrets.
//!
//! A line is on the disk when [`Journal::append`] returns. Several programs may append at once:
//! every line is written in one call.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use super::files;
use crate::domain::journal::Line;

/// How much of the end of the file is read, in bytes: enough for thousands of writes.
const READ: u64 = 1024 * 1024;

#[derive(Debug, Clone)]
pub struct Journal {
    path: PathBuf,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct History {
    pub lines: Vec<Line>,
    /// The number of lines that cannot be parsed.
    pub unreadable: usize,
}

impl Journal {
    /// Opens the journal at `path`, creating it and its folder if needed.
    pub fn open(path: &Path) -> io::Result<Self> {
        if let Some(folder) = path.parent() {
            files::private_dir(folder)?;
        }
        let journal = Self {
            path: path.to_owned(),
        };
        journal.file()?;
        Ok(journal)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds a line; it is on the disk when this returns.
    pub fn append(&self, line: &Line) -> io::Result<()> {
        let mut text = serde_json::to_string(line)?;
        text.push('\n');
        let mut file = self.file()?;
        if !ends_a_line(&mut file)? {
            // A line cut short by a crash must not swallow this one.
            text.insert(0, '\n');
        }
        file.write_all(text.as_bytes())?;
        file.sync_data()
    }

    /// Reads the end of the file.
    pub fn read(&self) -> io::Result<History> {
        let mut file = self.file()?;
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

    fn file(&self) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        let file = files::private(&mut options).open(&self.path)?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            // Also where it was opened to others meanwhile.
            file.set_permissions(std::fs::Permissions::from_mode(0o600))?;
        }
        Ok(file)
    }
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
        let journal = Journal::open(&path).unwrap();
        for line in [intent("a"), outcome("a"), intent("b")] {
            journal.append(&line).unwrap();
        }
        let kept = Journal::open(&path).unwrap().read().unwrap();
        assert_eq!(kept.unreadable, 0);
        let entries = entries(kept.lines);
        let verdicts: Vec<_> = entries.iter().map(Entry::verdict).collect();
        assert_eq!(verdicts, [Verdict::Done, Verdict::Unknown]);
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(
            text.lines().next().unwrap(),
            r#"{"intent":{"key":"a","at":1795176000.25,"profile":"test","address":"http://127.0.0.1:1","deed":"unlist_volume","subject":"4001"}}"#
        );
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
            journal.append(&outcome("b")).unwrap();
            let mode = std::fs::metadata(&path).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
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
            let journal = Journal::open(&path).unwrap();
            journal.append(&intent("last")).unwrap();
            let kept = journal.read().unwrap();
            assert_eq!(kept.lines, [intent("first"), intent("last")], "{end}");
            assert_eq!(kept.unreadable, usize::from(end > 0));
        }
    }

    #[test]
    fn blank_lines_are_no_damage() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("writes.jsonl");
        let line = serde_json::to_string(&intent("a")).unwrap();
        std::fs::write(&path, format!("\n\n{line}\n \n{{\n")).unwrap();
        let kept = Journal::open(&path).unwrap().read().unwrap();
        assert_eq!((kept.lines, kept.unreadable), (vec![intent("a")], 1));
    }

    #[test]
    fn of_a_long_file_the_last_megabyte_is_read_from_the_first_whole_line() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("writes.jsonl");
        let mut line = serde_json::to_string(&intent("0123456")).unwrap();
        line.push('\n');
        std::fs::write(&path, line.repeat(3_000_000 / line.len())).unwrap();
        let journal = Journal::open(&path).unwrap();
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
