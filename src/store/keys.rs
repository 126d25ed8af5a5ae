//! API keys: read from private files and from commands, written to private files only.

use std::io::{self, Read as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::Duration;
use std::{fs, thread};

use secrecy::SecretString;
use secrecy::zeroize::Zeroizing;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::Command;

use super::files;
use crate::domain::secrets::{KeyFault, LONGEST_KEY, key_fault};
use crate::process::{Running, Terminal, WordsError, command_words};

/// Maximum time for a key command, or for a pipe in place of a key file.
///
/// A password manager may ask for a fingerprint first; a pipe without a writer would wait forever.
const PATIENCE: Duration = Duration::from_secs(10);

/// Maximum number of bytes that are read from a key command after the key.
///
/// They are read so that the command does not fail on a closed pipe, and bounded as its output may
/// never end.
const REST: u64 = 64 * 1024;

/// An API key that cannot be read. No error holds any part of a key.
#[derive(Debug, thiserror::Error)]
pub enum ApiKeyError {
    #[error("{origin} has no valid key: {fault}")]
    Invalid {
        /// A description of the source.
        origin: String,
        #[source]
        fault: KeyFault,
    },
    #[error("the key file {} {}", .path.display(), describe_io(.source))]
    Unreadable { path: PathBuf, source: io::Error },
    /// Others can read the file.
    #[error("the key file {path} is readable by others (mode {mode:04o}); fix it with: chmod 600 {path}", path = .path.display())]
    Exposed { path: PathBuf, mode: u32 },
    #[error("the profile's key command failed: {0}")]
    Command(#[from] KeyCommandError),
}

/// A command that printed no key.
#[derive(Debug, thiserror::Error)]
pub enum KeyCommandError {
    #[error(transparent)]
    Words(#[from] WordsError),
    /// It cannot be run or read. Only the kind of the error is shown.
    #[error("{program}: {}", .source.kind())]
    Run { program: String, source: io::Error },
    #[error("{program}: no key within {} s", .patience.as_secs())]
    Late { program: String, patience: Duration },
    #[error("{program}: {status}; run it yourself to see why")]
    Status { program: String, status: ExitStatus },
    /// There is no thread or no event loop to run it on.
    #[error("{}", .0.kind())]
    Runtime(#[source] io::Error),
    #[error("it could not be run")]
    Panicked,
}

/// The reason a key file cannot be read, after its path: `does not exist`, or the kind of the error.
fn describe_io(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "does not exist".to_owned(),
        kind => format!("can't be read: {kind}"),
    }
}

/// Parses a key, trimmed: one line, no blanks or control characters. `origin` names its source in the error,
/// which never holds the key.
///
/// # Errors
/// When it is none.
pub fn parse(text: &str, origin: &str) -> Result<SecretString, ApiKeyError> {
    let key = text.trim_matches([' ', '\t', '\r', '\n']);
    match key_fault(key) {
        Some(fault) => Err(ApiKeyError::Invalid {
            origin: origin.to_owned(),
            fault,
        }),
        None => Ok(SecretString::from(key)),
    }
}

/// Writes a key to a file that only its owner can read or write (0600), in one step, replacing an earlier
/// one.
///
/// # Errors
///
/// When it cannot be written.
pub fn write(path: &Path, key: &str) -> io::Result<()> {
    let line = Zeroizing::new(format!("{key}\n"));
    files::replace_private(path, line.as_bytes())
}

/// Reads the key from a file that nobody else can read or write, or from a pipe within 10 s.
///
/// # Errors
/// When it has none or cannot be read, others can read or write the file, or the pipe takes longer.
pub fn from_file(path: &Path) -> Result<SecretString, ApiKeyError> {
    let unreadable = |source| ApiKeyError::Unreadable {
        path: path.to_owned(),
        source,
    };
    let text = if fs::metadata(path).map_err(unreadable)?.is_file() {
        // Checks and reads the same open file, so it cannot be swapped in between.
        let file = fs::File::open(path).map_err(unreadable)?;
        let mode = file.metadata().map_err(unreadable)?.permissions().mode() & 0o7777;
        // The same rule as ssh's for private keys.
        if mode & 0o077 != 0 {
            return Err(ApiKeyError::Exposed {
                path: path.to_owned(),
                mode,
            });
        }
        first_bytes(file)
    } else {
        let path = path.to_owned();
        // A pipe without a writer opens when there is one.
        in_time(PATIENCE, move || first_bytes(fs::File::open(path)?)).unwrap_or(Err(io::ErrorKind::TimedOut.into()))
    };
    parse(&text.map_err(unreadable)?, &format!("the key file {}", path.display()))
}

/// Reads as a text as many bytes as the longest key has and two more, to detect keys that are too long; the
/// rest is not read.
fn first_bytes(source: impl io::Read) -> io::Result<Zeroizing<String>> {
    let mut text = Zeroizing::new(String::with_capacity(LONGEST_KEY + 2));
    source.take(LONGEST_KEY as u64 + 2).read_to_string(&mut text)?;
    Ok(text)
}

/// Reads the first line that is not blank, without blanks before it, up to two bytes more than the longest
/// key; an error if it is not UTF-8.
///
/// Reading stops there, as a background process of the command may hold the source open.
async fn first_line(source: &mut (impl AsyncRead + Unpin)) -> io::Result<Zeroizing<String>> {
    let mut line = Zeroizing::new(Vec::with_capacity(LONGEST_KEY + 2));
    let mut byte = Zeroizing::new([0]);
    while line.len() < LONGEST_KEY + 2 && source.read(&mut *byte).await? > 0 {
        if !(line.is_empty() && byte[0].is_ascii_whitespace()) {
            line.push(byte[0]);
        }
        if line.ends_with(b"\n") {
            break;
        }
    }
    let text = str::from_utf8(&line).map_err(|_| io::ErrorKind::InvalidData)?;
    Ok(Zeroizing::new(text.to_owned()))
}

/// The result of `read`, or `None` after `patience`; it then continues on its own thread.
fn in_time<T: Send + 'static>(patience: Duration, read: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let (done, result) = mpsc::channel();
    thread::spawn(move || done.send(read()));
    result.recv_timeout(patience).ok()
}

/// Checks that a key can be read from a file. A pipe is not checked, as it can be read only once.
///
/// # Errors
///
/// When it cannot.
pub fn check(path: &Path) -> Result<(), ApiKeyError> {
    if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir()) {
        return Ok(());
    }
    from_file(path).map(drop)
}

/// Runs a command that prints the key, such as `pass show market`, without a shell. It is ended if the key is
/// not printed within 10 s, or if it still runs 10 s after that.
///
/// Its standard error is dropped, as it may contain secrets.
///
/// # Errors
/// When it prints no key or fails.
pub fn from_command(command: &str, terminal: Terminal) -> Result<SecretString, ApiKeyError> {
    from_command_within(PATIENCE, command, terminal)
}

/// As `from_command`, with another time limit for each of the two waits. The command runs from a separate
/// thread, for which the caller waits.
fn from_command_within(patience: Duration, command: &str, terminal: Terminal) -> Result<SecretString, ApiKeyError> {
    let printed = thread::scope(|scope| {
        // The caller may be on a runtime of its own, which cannot wait for another one.
        let reading = scope.spawn(|| {
            let built = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let runtime = built.map_err(KeyCommandError::Runtime)?;
            runtime.block_on(first_line_of(patience, command, terminal))
        });
        reading.join().unwrap_or(Err(KeyCommandError::Panicked))
    });
    parse(&printed?, "the output of the key command")
}

/// The first line that a command prints within `patience`, without a shell. The command must then end within
/// `patience` again, and successfully unless the line is longer than a key; its output after the line is
/// dropped.
async fn first_line_of(
    patience: Duration,
    command: &str,
    terminal: Terminal,
) -> Result<Zeroizing<String>, KeyCommandError> {
    let (program, arguments) = command_words(command)?;
    let failed = |source| KeyCommandError::Run {
        program: program.clone(),
        source,
    };
    let late = || KeyCommandError::Late {
        program: program.clone(),
        patience,
    };
    let mut command = Command::new(&program);
    command.args(arguments);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut running = Running::start(command, terminal).map_err(failed)?;
    let mut output = running
        .take_output()
        .ok_or_else(|| failed(io::ErrorKind::BrokenPipe.into()))?;
    let read = tokio::time::timeout(patience, first_line(&mut output)).await;
    let text = read.map_err(|_| late())?;
    // Output after the key must not end the command; output without an end must.
    let rest = async move {
        let _ = tokio::io::copy(&mut output.take(REST), &mut tokio::io::sink()).await;
        std::future::pending().await
    };
    let ended = async {
        tokio::select! {
            status = running.wait() => status,
            status = rest => status,
        }
    };
    let status = tokio::time::timeout(patience, ended).await.map_err(|_| late())?;
    let (text, status) = (text.map_err(failed)?, status.map_err(failed)?);
    // The output was not read to its end, which may have ended the command.
    if !status.success() && text.len() <= LONGEST_KEY {
        return Err(KeyCommandError::Status { program, status });
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret as _;

    use super::*;

    #[test]
    fn keys_are_trimmed_and_checked() {
        assert_eq!(parse("  abc-123\r\n", "x").unwrap().expose_secret(), "abc-123");
        for bad in ["", " \n", "a b", "a\nb", "a\u{1b}b", "schlüssel", "a\0b"] {
            let error = parse(bad, "x").unwrap_err().to_string();
            assert!(error.starts_with("x has no valid key"), "{error}");
            assert!(bad.trim().is_empty() || !error.contains(bad), "{error}");
        }
    }

    #[test]
    fn only_files_closed_to_others_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        fs::write(&path, "canary-key\n").unwrap();
        for mode in 0..0o1000_u32 {
            // The owner's read bit stays set: root can read everything anyway.
            let mode = mode | 0o400;
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            match from_file(&path) {
                Ok(key) => {
                    assert_eq!(mode & 0o077, 0, "{mode:o}");
                    assert_eq!(key.expose_secret(), "canary-key");
                }
                Err(error) => {
                    assert_ne!(mode & 0o077, 0, "{mode:o}: {error}");
                    let advice = format!("chmod 600 {}", path.display());
                    assert!(error.to_string().contains(&advice), "{error}");
                }
            }
        }
    }

    #[test]
    fn a_written_key_is_private_and_replaces_the_one_before() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys/work");
        for key in ["canary-one", "canary-two"] {
            write(&path, key).unwrap();
            let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode(&path), 0o600);
            assert_eq!(mode(path.parent().unwrap()), 0o700);
            assert_eq!(from_file(&path).unwrap().expose_secret(), key);
        }
        let files = fs::read_dir(path.parent().unwrap()).unwrap();
        assert_eq!(files.count(), 1, "no temporary file is left");
    }

    #[test]
    fn commands_are_run_without_a_shell() {
        let key = from_command("printf '%s\\n' 'k;$(id)'", Terminal::Withheld).unwrap();
        assert_eq!(key.expose_secret(), "k;$(id)");
        // The key is the first line, though what runs in the background keeps the pipe open.
        let agent = "sh -c 'sleep 20 & echo; echo canary-key; echo more'";
        let key = from_command(agent, Terminal::Withheld).unwrap();
        assert_eq!(key.expose_secret(), "canary-key");
        for bad in ["false", "", "'open", "yes 1234567890"] {
            assert!(from_command(bad, Terminal::Withheld).is_err(), "{bad}");
        }
        for endless in ["sleep 600", "sh -c 'echo canary-key; exec sleep 600'"] {
            let moment = Duration::from_millis(200);
            let error = from_command_within(moment, endless, Terminal::Withheld).unwrap_err();
            assert!(error.to_string().contains("no key within"), "{error}");
        }
    }

    #[test]
    fn a_command_that_prints_no_key_in_time_is_ended_with_what_it_started() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pid");
        // The command itself is over at once.
        let script = format!("sleep 1000 & echo $! > '{}'", file.display());
        let command = shell_words::join(["sh", "-c", &script]);
        for seconds in [1, 4, 16, 64] {
            let error = from_command_within(Duration::from_secs(seconds), &command, Terminal::Withheld).unwrap_err();
            assert!(error.to_string().contains("no key within"), "{error}");
            if file.exists() {
                break;
            }
        }
        let stat = format!("/proc/{}/stat", fs::read_to_string(file).unwrap().trim());
        let is_alive = || fs::read_to_string(&stat).is_ok_and(|state| !state.contains(") Z "));
        while is_alive() {
            thread::sleep(Duration::from_millis(10));
        }
    }
}
