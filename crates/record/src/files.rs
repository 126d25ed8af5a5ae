//! Atomic writes of private files, replaced in one step.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// The maximum number of attempts to lock a file, with [`PAUSE`] in between: 2 s in all.
///
/// A holder writes one small file, which takes milliseconds.
const TRIES: u32 = 100;

const PAUSE: Duration = Duration::from_millis(20);

/// The folder that contains the folders of the profiles.
pub const PROFILES: &str = "profiles";

/// The maximum size of a file that a user writes, in bytes.
///
/// A configuration has some kB; a wrong path may lead to a disk image.
const LARGEST: u64 = 1024 * 1024;

/// Reads a text that the user wrote: a regular file of at most 1 MiB of UTF-8.
///
/// # Errors
/// If it is not such a file, or cannot be read; see [`read_error_text`].
pub fn read_text(path: &Path) -> io::Result<String> {
    let bytes = read(path, LARGEST)?;
    String::from_utf8(bytes).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8 text"))
}

/// Reads a regular file of at most `most` bytes.
///
/// A pipe may have no end, or no beginning.
///
/// # Errors
/// If it is not such a file, or cannot be read; see [`read_error_text`].
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let metadata = fs::metadata(path)?;
    if metadata.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if !metadata.is_file() {
        let kind = io::ErrorKind::InvalidInput;
        return Err(io::Error::new(kind, "it is not a regular file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let text = format!("it is larger than {} MiB", most / LARGEST);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, text));
    }
    Ok(bytes)
}

/// Describes the cause of an error in reading a file, without the path and the system's error number.
pub fn read_error_text(error: &io::Error) -> String {
    let message = error.get_ref().map(ToString::to_string);
    message.unwrap_or_else(|| error.kind().to_string())
}

/// The reason a lock cannot be taken. The path is that of the lock.
#[derive(Debug, Clone, thiserror::Error)]
pub enum LockError {
    /// A folder, a device or a pipe is in its place.
    #[error("{} is not a regular file", .0.display())]
    NotAFile(PathBuf),
    #[error("{}: {source}", .path.display())]
    Failed { path: PathBuf, source: Arc<io::Error> },
    #[error("{} is locked by another program", .0.display())]
    Held(PathBuf),
}

/// Locks the file whose path is `path` with its extension replaced by `lock`, which is created if needed,
/// until the result is dropped; `None` if locking fails, as on a file system without locks.
///
/// # Errors
/// If it is not a regular file, cannot be opened, or another program holds it for 2 s.
pub fn lock(path: &Path) -> Result<Option<File>, LockError> {
    let path = path.with_extension("lock");
    if fs::metadata(&path).is_ok_and(|metadata| !metadata.is_file()) {
        return Err(LockError::NotAFile(path));
    }
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true);
    let file = match private(&mut options).open(&path) {
        Ok(file) => file,
        Err(error) => {
            let source = Arc::new(error);
            return Err(LockError::Failed { path, source });
        }
    };
    for _ in 0..TRIES {
        match file.try_lock() {
            Ok(()) => return Ok(Some(file)),
            Err(TryLockError::WouldBlock) => thread::sleep(PAUSE),
            Err(TryLockError::Error(_)) => return Ok(None),
        }
    }
    Err(LockError::Held(path))
}

/// The identity of the file or folder at a path: its device and number, of a symbolic link those of its
/// target. `None` if it does not exist or cannot be examined.
pub fn identity(path: &Path) -> Option<(u64, u64)> {
    let metadata = fs::metadata(path).ok()?;
    Some((metadata.dev(), metadata.ino()))
}

/// Sets the mode of created files to private (0600).
pub fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    options.mode(0o600)
}

/// Creates a folder and its parents, all private (0700). An existing folder is made private as well, and so
/// is the folder that contains it if that is named `profiles`.
pub fn private_dir(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true).mode(0o700).create(path)?;
    let above = path.parent();
    let profiles = above.filter(|above| above.file_name().is_some_and(|name| name == PROFILES));
    profiles.map_or(Ok(()), remove_other_access)?;
    remove_other_access(path)
}

/// Removes the permissions of other users from a folder.
fn remove_other_access(folder: &Path) -> io::Result<()> {
    let mode = fs::metadata(folder)?.permissions().mode();
    if mode & 0o077 != 0 {
        fs::set_permissions(folder, fs::Permissions::from_mode(mode & 0o700))?;
    }
    Ok(())
}

/// Replaces a file by `content` in one step, private (0600); its folder is created if needed and made
/// private. A symbolic link stays and its target is replaced. A crash leaves the old file or the new one,
/// never half of either.
pub fn write_atomically(path: &Path, content: &[u8]) -> io::Result<()> {
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    target.parent().map_or(Ok(()), private_dir)?;
    put(&target, content, None)
}

/// Replaces a file of the user's by `content` in one step. Existing modes of the file and its folders stay; a
/// new file is private (0600), and so is a new folder. A symbolic link stays and its target is replaced.
pub fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let mode = fs::metadata(path).ok().map(|before| before.permissions());
    put(path, content, mode)
}

/// Replaces a file by `content` in one step, private (0600). Existing folders keep their modes; a new one is
/// private. A symbolic link stays and its target is replaced.
pub fn replace_private(path: &Path, content: &[u8]) -> io::Result<()> {
    put(path, content, None)
}

/// Replaces a file by `content` in one step, with these permissions, or private (0600) for `None`. Errors do
/// not name the temporary file.
fn put(path: &Path, content: &[u8], mode: Option<fs::Permissions>) -> io::Result<()> {
    write_and_rename(path, content, mode).map_err(without_temporary_name)
}

/// The error without the name of a temporary file, which differs each time.
fn without_temporary_name(error: io::Error) -> io::Error {
    let text = error.to_string();
    let head = text.split_once(" at path ").map(|(head, _)| head.to_owned());
    match head {
        Some(head) => io::Error::new(error.kind(), head),
        None => error,
    }
}

/// Does the work of `put`: writes a temporary file beside the target of `path` and renames it. Errors may
/// name the temporary file; a missing folder is created, private.
fn write_and_rename(path: &Path, content: &[u8], mode: Option<fs::Permissions>) -> io::Result<()> {
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = target
        .parent()
        .ok_or_else(|| io::Error::other("the file has no parent folder"))?;
    if !folder.exists() {
        private_dir(folder)?;
    }
    // `NamedTempFile` creates files with mode 0600.
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(content)?;
    if let Some(mode) = mode {
        file.as_file().set_permissions(mode)?;
    }
    file.as_file().sync_all()?;
    file.persist(&target).map_err(|error| error.error)?;
    // Makes the rename itself survive a crash.
    if let Ok(folder) = File::open(folder) {
        // Not every file system can sync a folder; the content is safe either way.
        let _ = folder.sync_all();
    }
    Ok(())
}

/// Renames an unreadable file, so that it is neither used nor lost: to `NAME.corrupt-1`, `-2` and so on, the
/// first free one. Returns the new path; an error if renaming fails or 999 such files exist.
pub fn set_aside(path: &Path) -> io::Result<std::path::PathBuf> {
    for number in 1..1000 {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".corrupt-{number}"));
        let aside = std::path::PathBuf::from(name);
        if !aside.exists() {
            fs::rename(path, &aside)?;
            return Ok(aside);
        }
    }
    Err(io::Error::other("too many broken files have been set aside"))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn files_are_private_and_replaced_through_links() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("state/bourse/ui.json");
        write_atomically(&file, b"one").unwrap();
        assert_eq!((mode(&file), mode(file.parent().unwrap())), (0o600, 0o700));
        let link = root.path().join("link");
        symlink(&file, &link).unwrap();
        write_atomically(&link, b"two").unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read(&file).unwrap(), b"two");
        let names: Vec<_> = fs::read_dir(file.parent().unwrap()).unwrap().collect();
        assert_eq!(names.len(), 1, "no temporary file is left");
    }

    #[test]
    fn an_error_names_no_temporary_file() {
        // A folder of the kernel: nobody can create a file there.
        let error = replace_private(Path::new("/proc/bourse-test.json"), b"x").unwrap_err();
        let text = error.to_string();
        assert!(!text.contains("/proc") && !text.contains("tmp"), "{text}");
    }

    #[test]
    fn the_folder_of_all_profiles_is_private_too() {
        let root = tempfile::tempdir().unwrap();
        let profiles = root.path().join("state/bourse/profiles");
        private_dir(&profiles.join("new")).unwrap();
        assert_eq!(mode(&profiles), 0o700);
        // The state left by an earlier version, or another umask.
        fs::set_permissions(&profiles, fs::Permissions::from_mode(0o755)).unwrap();
        private_dir(&profiles.join("other")).unwrap();
        assert_eq!(mode(&profiles), 0o700);
    }

    #[test]
    fn broken_files_are_set_aside_and_never_overwritten() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("x");
        for content in ["a", "b"] {
            fs::write(&file, content).unwrap();
            set_aside(&file).unwrap();
        }
        assert!(!file.exists());
        assert_eq!(fs::read(root.path().join("x.corrupt-1")).unwrap(), b"a");
        assert_eq!(fs::read(root.path().join("x.corrupt-2")).unwrap(), b"b");
    }
}
