//! API keys: read from private files and from commands, written to private files only.

use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use secrecy::SecretString;
use secrecy::zeroize::Zeroizing;

use super::files;
use crate::domain::secrets::{LONGEST_KEY, key_fault};

/// What happens to the standard error of a key command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Complaints {
    /// Shown in the terminal.
    #[default]
    Shown,
    /// Dropped: it would garble the dashboard's screen.
    Dropped,
}

/// Why there is no key. Never contains any part of it.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The file cannot be read.
    #[error("the key file {} {}", .path.display(), unreadable(*.why))]
    Unreadable { path: PathBuf, why: io::ErrorKind },
    /// Others can read the file.
    #[error(
        "the key file {path} is readable by others (mode {mode:04o}); fix it with: chmod 600 {path}",
        path = .path.display()
    )]
    OpenToOthers { path: PathBuf, mode: u32 },
    /// The text cannot be a key.
    #[error("{origin} has no valid key: {why}")]
    NotAKey { origin: String, why: &'static str },
    #[error("the profile's key command failed: {0}")]
    Command(String),
}

/// Parses a key: one line, no blanks or control characters.
pub fn parse(text: &str, origin: &str) -> Result<SecretString, KeyError> {
    let key = text.trim_matches([' ', '\t', '\r', '\n']);
    match key_fault(key) {
        Some(why) => Err(KeyError::NotAKey {
            origin: origin.to_owned(),
            why,
        }),
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
pub fn from_file(path: &Path) -> Result<SecretString, KeyError> {
    let unreadable = |error: io::Error| KeyError::Unreadable {
        path: path.to_owned(),
        why: error.kind(),
    };
    // Checks and reads the same open file, so it cannot be swapped in between.
    let file = fs::File::open(path).map_err(unreadable)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let metadata = file.metadata().map_err(unreadable)?;
        let mode = metadata.permissions().mode() & 0o7777;
        // The same rule as ssh's for private keys.
        if metadata.is_file() && mode & 0o077 != 0 {
            return Err(KeyError::OpenToOthers {
                path: path.to_owned(),
                mode,
            });
        }
    }
    let mut text = Zeroizing::new(String::with_capacity(LONGEST_KEY + 2));
    file.take(LONGEST_KEY as u64 + 2)
        .read_to_string(&mut text)
        .map_err(unreadable)?;
    parse(&text, &format!("the key file {}", path.display()))
}

/// Whether a key can be read from a file. A pipe can be read only once, so it is not.
///
/// # Errors
///
/// Why it cannot.
pub fn check(path: &Path) -> Result<(), KeyError> {
    let is_pipe = fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir());
    if is_pipe {
        return Ok(());
    }
    from_file(path).map(drop)
}

fn unreadable(why: io::ErrorKind) -> String {
    match why {
        io::ErrorKind::NotFound => "does not exist".to_owned(),
        why => format!("can't be read: {why}"),
    }
}

/// The program of a key command and its arguments.
///
/// # Errors
/// When it names none.
pub fn command_words(command: &str) -> Result<(String, Vec<String>), KeyError> {
    let mut words = shell_words::split(command)
        .map_err(|_| KeyError::Command("unmatched quotes".to_owned()))?
        .into_iter();
    let program = words
        .next()
        .ok_or_else(|| KeyError::Command("it is empty".to_owned()))?;
    Ok((program, words.collect()))
}

/// Runs a command that prints the key, such as `pass show market`, without a shell.
pub fn from_command(command: &str, complaints: Complaints) -> Result<SecretString, KeyError> {
    let (program, arguments) = command_words(command)?;
    let output = Command::new(&program)
        .args(arguments)
        .stdin(Stdio::null())
        .stderr(match complaints {
            Complaints::Shown => Stdio::inherit(),
            Complaints::Dropped => Stdio::null(),
        })
        .output()
        .map_err(|error| KeyError::Command(format!("{program}: {}", error.kind())))?;
    if !output.status.success() {
        return Err(KeyError::Command(format!("{program}: {}", output.status)));
    }
    let output = Zeroizing::new(output.stdout);
    let text = Zeroizing::new(String::from_utf8_lossy(&output).into_owned());
    parse(&text, "the output of the key command")
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret as _;

    use super::*;

    #[test]
    fn keys_are_trimmed_and_checked() {
        assert_eq!(
            parse("  abc-123\r\n", "x").unwrap().expose_secret(),
            "abc-123"
        );
        for bad in ["", " \n", "a b", "a\nb", "a\u{1b}b", "schlüssel", "a\0b"] {
            let error = parse(bad, "x").unwrap_err().to_string();
            assert!(error.starts_with("x has no valid key"), "{error}");
            assert!(bad.trim().is_empty() || !error.contains(bad), "{error}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn only_files_closed_to_others_are_read() {
        use std::os::unix::fs::PermissionsExt as _;
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
                    let error = error.to_string();
                    assert!(
                        error.contains(&format!("chmod 600 {}", path.display())),
                        "{error}"
                    );
                }
            }
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_written_key_is_private_and_replaces_the_one_before() {
        use std::os::unix::fs::PermissionsExt as _;
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

    #[cfg(unix)]
    #[test]
    fn commands_are_run_without_a_shell() {
        let key = from_command("printf '%s\\n' 'k;$(id)'", Complaints::Shown).unwrap();
        assert_eq!(key.expose_secret(), "k;$(id)");
        for bad in ["false", "", "'open"] {
            assert!(from_command(bad, Complaints::Dropped).is_err(), "{bad}");
        }
    }
}
