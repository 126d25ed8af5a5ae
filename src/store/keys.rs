//! API keys: read from private files and from commands, written to private files only.

use std::io::{self, Read as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::Duration;
use std::{fmt, fs, thread};

use secrecy::SecretString;
use secrecy::zeroize::Zeroizing;

use super::files;
use crate::domain::secrets::{LONGEST_KEY, key_fault};

// A password manager may ask for a fingerprint first; a pipe without a writer would wait forever.
/// How long a key command may take, or a pipe in place of a key file.
const PATIENCE: Duration = Duration::from_secs(10);

// The rest is read so that the command does not fail on a closed pipe, and bounded since it may never end.
/// How much a key command may print after the key, in bytes.
const REST: u64 = 64 * 1024;

/// The pause between two looks whether a command has ended.
const PAUSE: Duration = Duration::from_millis(10);

/// What happens to the standard error of a key command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Complaints {
    /// Shown in the terminal.
    #[default]
    Shown,
    /// Dropped: it would garble the dashboard's screen.
    Dropped,
}

/// Parses a key: one line, no blanks or control characters.
///
/// # Errors
///
/// Why it is none, for display: never any part of it.
pub fn parse(text: &str, origin: &str) -> Result<SecretString, String> {
    let key = text.trim_matches([' ', '\t', '\r', '\n']);
    match key_fault(key) {
        Some(why) => Err(format!("{origin} has no valid key: {why}")),
        None => Ok(SecretString::from(key)),
    }
}

/// Writes a key to a file that only its owner can read or write (0600), in one step.
///
/// # Errors
///
/// When it cannot be written.
pub fn write(path: &Path, key: &str) -> io::Result<()> {
    let line = Zeroizing::new(format!("{key}\n"));
    files::replace_private(path, line.as_bytes())
}

/// Reads the key from a file that nobody else can read or write.
///
/// # Errors
///
/// Why there is none, for display.
pub fn from_file(path: &Path) -> Result<SecretString, String> {
    let name = format!("the key file {}", path.display());
    let unreadable = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => format!("{name} does not exist"),
        why => format!("{name} can't be read: {why}"),
    };
    let text = if fs::metadata(path).map_err(unreadable)?.is_file() {
        // Checks and reads the same open file, so it cannot be swapped in between.
        let file = fs::File::open(path).map_err(unreadable)?;
        let mode = file.metadata().map_err(unreadable)?.permissions().mode() & 0o7777;
        // The same rule as ssh's for private keys.
        if mode & 0o077 != 0 {
            return Err(format!(
                "{name} is readable by others (mode {mode:04o}); fix it with: chmod 600 {}",
                path.display()
            ));
        }
        first_bytes(file)
    } else {
        let path = path.to_owned();
        // A pipe without a writer opens when there is one.
        in_time(PATIENCE, move || first_bytes(fs::File::open(path)?)).unwrap_or(Err(io::ErrorKind::TimedOut.into()))
    };
    parse(&text.map_err(unreadable)?, &name)
}

/// As much as a key may be long, and a little more, by which one that is too long is known.
fn first_bytes(source: impl io::Read) -> io::Result<Zeroizing<String>> {
    let mut text = Zeroizing::new(String::with_capacity(LONGEST_KEY + 2));
    source.take(LONGEST_KEY as u64 + 2).read_to_string(&mut text)?;
    Ok(text)
}

/// The first line that is not blank, up to where a key is too long. A program that was started in the
/// background may keep the source open.
fn first_line(source: &mut impl io::Read) -> io::Result<Zeroizing<String>> {
    let mut line = Zeroizing::new(Vec::with_capacity(LONGEST_KEY + 2));
    let mut byte = Zeroizing::new([0]);
    while line.len() < LONGEST_KEY + 2 && source.read(&mut *byte)? > 0 {
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

/// What `read` gives, if it does so in time; else it is left behind on its thread.
fn in_time<T: Send + 'static>(patience: Duration, read: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let (done, result) = mpsc::channel();
    thread::spawn(move || done.send(read()));
    result.recv_timeout(patience).ok()
}

/// Whether a key can be read from a file. A pipe can be read only once, so it is not.
///
/// # Errors
///
/// Why it cannot.
pub fn check(path: &Path) -> Result<(), String> {
    let is_pipe = fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir());
    if is_pipe {
        return Ok(());
    }
    from_file(path).map(drop)
}

/// The program of a command and its arguments.
///
/// # Errors
/// When it names none.
pub fn command_words(command: &str) -> Result<(String, Vec<String>), &'static str> {
    let words = shell_words::split(command).map_err(|_| "unmatched quotes")?;
    let mut words = words.into_iter();
    let program = words.next().ok_or("the command is empty")?;
    Ok((program, words.collect()))
}

/// Runs a command that prints the key, such as `pass show market`, without a shell. It is killed
/// after 10 s.
pub fn from_command(command: &str, complaints: Complaints) -> Result<SecretString, String> {
    from_command_within(PATIENCE, command, complaints)
}

fn from_command_within(patience: Duration, command: &str, complaints: Complaints) -> Result<SecretString, String> {
    let (program, arguments) =
        command_words(command).map_err(|why| format!("the profile's key command failed: {why}"))?;
    let failed = |why: &dyn fmt::Display| format!("the profile's key command failed: {program}: {why}");
    let mut child = Command::new(&program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(match complaints {
            Complaints::Shown => Stdio::inherit(),
            Complaints::Dropped => Stdio::null(),
        })
        .spawn()
        .map_err(|error| failed(&error.kind()))?;
    let (done, text) = mpsc::channel();
    let output = child.stdout.take();
    thread::spawn(move || {
        let Some(mut output) = output else { return };
        let _ = done.send(first_line(&mut output));
        // What it writes after the key must not end it; what never ends, must.
        let _ = io::copy(&mut output.take(REST), &mut io::sink());
    });
    let text = text.recv_timeout(patience).ok();
    let status = ended(&mut child, if text.is_some() { patience } else { PAUSE });
    let (Some(text), Some(status)) = (text, status) else {
        let seconds = patience.as_secs();
        return Err(failed(&format_args!("no key within {seconds} s")));
    };
    let text = text.map_err(|error| failed(&error.kind()))?;
    // Nobody read it to its end, of which it may have died.
    if !status.success() && text.len() <= LONGEST_KEY {
        return Err(failed(&status));
    }
    parse(&text, "the output of the key command")
}

/// How a program ended, if it does so in time; else it is ended.
fn ended(child: &mut Child, patience: Duration) -> Option<ExitStatus> {
    for _ in 0..patience.as_millis() / PAUSE.as_millis() {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        thread::sleep(PAUSE);
    }
    // It may end by itself in this moment.
    let _ = child.kill();
    let _ = child.wait();
    None
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret as _;

    use super::*;

    #[test]
    fn keys_are_trimmed_and_checked() {
        assert_eq!(parse("  abc-123\r\n", "x").unwrap().expose_secret(), "abc-123");
        for bad in ["", " \n", "a b", "a\nb", "a\u{1b}b", "schlüssel", "a\0b"] {
            let error = parse(bad, "x").unwrap_err();
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
                    assert!(error.contains(&format!("chmod 600 {}", path.display())), "{error}");
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
        let key = from_command("printf '%s\\n' 'k;$(id)'", Complaints::Shown).unwrap();
        assert_eq!(key.expose_secret(), "k;$(id)");
        // The key is the first line, though what runs in the background keeps the pipe open.
        let agent = "sh -c 'sleep 20 & echo; echo canary-key; echo more'";
        let key = from_command(agent, Complaints::Dropped).unwrap();
        assert_eq!(key.expose_secret(), "canary-key");
        for bad in ["false", "", "'open", "yes 1234567890"] {
            assert!(from_command(bad, Complaints::Dropped).is_err(), "{bad}");
        }
        for endless in ["sleep 600", "sh -c 'echo canary-key; exec sleep 600'"] {
            let moment = Duration::from_millis(200);
            let error = from_command_within(moment, endless, Complaints::Dropped).unwrap_err();
            assert!(error.contains("no key within"), "{error}");
        }
    }
}
