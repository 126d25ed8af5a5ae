//! Exported files: written in one step, and never over another without confirmation.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// The reason a file was not written.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// A file of that name exists.
    #[error("{} already exists", .0.display())]
    Exists(PathBuf),
    #[error("{}: {why}", .path.display())]
    Failed { path: PathBuf, why: io::Error },
}

/// Writes a file; `~/` is the home folder, other paths are relative to the current one. Returns the
/// absolute path. A crash leaves the whole file or none.
///
/// # Errors
///
/// When the file exists and must not be overwritten, or when it cannot be written.
pub fn write(path: &str, content: &[u8], overwrite: bool) -> Result<PathBuf, ExportError> {
    put(path, content, overwrite, 0o666) // less what the umask takes
}

/// Writes a file as [`write()`] does; nobody else may read it (0600).
///
/// # Errors
///
/// As [`write()`].
pub fn write_private(path: &str, content: &[u8], overwrite: bool) -> Result<PathBuf, ExportError> {
    put(path, content, overwrite, 0o600)
}

/// Writes a file with this mode (less the umask) in one step; without `overwrite`, an existing file is an
/// error; with it, the target of a link is replaced and the link stays.
fn put(path: &str, content: &[u8], overwrite: bool, mode: u32) -> Result<PathBuf, ExportError> {
    let path = resolved(path);
    let failed = |why| ExportError::Failed {
        path: path.clone(),
        why,
    };
    let folder = path.parent().ok_or_else(|| failed(io::Error::other("not a file")))?;
    if path.is_dir() {
        return Err(failed(io::Error::from(io::ErrorKind::IsADirectory)));
    }
    let mut file = temporary(folder, mode).map_err(failed)?;
    file.write_all(content).map_err(failed)?;
    file.as_file().sync_all().map_err(failed)?;
    if overwrite {
        // A link stays, and its target is replaced.
        let target = fs::canonicalize(&path).unwrap_or_else(|_| path.clone());
        file.persist(&target).map_err(|error| failed(error.error))?;
    } else {
        file.persist_noclobber(&path)
            .map_err(|error| match error.error.kind() {
                io::ErrorKind::AlreadyExists => ExportError::Exists(path.clone()),
                _ => failed(error.error),
            })?;
    }
    Ok(path)
}

/// Creates a temporary file with this mode in the target's folder; it is deleted unless it is renamed.
fn temporary(folder: &Path, mode: u32) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".bourse-export-");
    builder.permissions(fs::Permissions::from_mode(mode));
    builder.tempfile_in(folder)
}

/// The absolute path of a typed one: `~/` is the home folder, others are relative to the current folder.
fn resolved(path: &str) -> PathBuf {
    let given = Path::new(path);
    let typed = match (given.strip_prefix("~"), etcetera::home_dir()) {
        (Ok(rest), Ok(home)) => home.join(rest),
        _ => given.to_owned(),
    };
    std::path::absolute(&typed).unwrap_or(typed)
}
