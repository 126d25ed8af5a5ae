//! The root certificate of the workers: for requests to workers only.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use crate::api::curl::WorkerRoot;
use crate::api::{WorkerClient, WorkerRootError};

/// Maximum size of the file, in bytes.
///
/// A root certificate has some 2 kB; a bundle of all public ones 250 kB.
const LONGEST: u64 = 4 * 1024 * 1024;

/// The reason a file with a root certificate cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum WorkerCaError {
    #[error("can't read {}: {source}", .path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    #[error("can't use {}: {source}", .path.display())]
    Unusable { path: PathBuf, source: WorkerRootError },
}

/// A client for workers that also trusts the root certificates in the PEM file at `path`, of which at most 4
/// MiB are read.
///
/// # Errors
/// When it cannot be read or has no certificate.
pub fn client(path: &Path) -> Result<WorkerClient, WorkerCaError> {
    let mut pem = String::new();
    let read = File::open(path).and_then(|file| file.take(LONGEST).read_to_string(&mut pem));
    read.map_err(|source| WorkerCaError::Unreadable {
        path: path.to_owned(),
        source,
    })?;
    // A copied command may be run in another folder.
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let root = WorkerRoot::File(whole.to_string_lossy().into_owned());
    WorkerClient::trusting(&pem, root).map_err(|source| WorkerCaError::Unusable {
        path: path.to_owned(),
        source,
    })
}
