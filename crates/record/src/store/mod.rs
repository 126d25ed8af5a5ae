//! The recorded market: one `SQLite` file per profile with the responses to each scope, their lines and the changes of
//! these.
//!
//! Comparisons and computations are in [the crate](crate); this module only stores the record. A poll is one
//! transaction, so that a crash loses at most the last one. Several programs share the file: `SQLite`'s locks order
//! their writes, and a lock file per market decides which of them polls.
//!
//! No error here ends the session: the caller reports it once and continues without a record.

mod ask;
mod asked;
mod before;
mod budget;
mod codes;
mod excerpt;
mod latest;
mod line_reader;
mod line_rows;
mod lines;
mod maintenance;
mod members;
mod past;
mod retention;
mod ring;
mod schema;
mod scopes;
mod searches;
mod turn;
mod write;

use std::fs::{OpenOptions, Permissions};
use std::io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bourse_domain::annotations::Supplier;
use bourse_domain::dialect::Dialect;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::files;

pub use budget::SharedBudget;
pub use maintenance::{Contents, ExportedSpell};
pub use past::PastWriter;
pub use retention::Limits;
pub use ring::ProgramId;
pub use turn::Turns;

/// The time a write waits for another program's transaction, which takes milliseconds.
///
/// After so long something is wrong with the file; the poll is lost, not the program.
const PATIENCE: Duration = Duration::from_secs(5);

/// The name of the file in the profile's folder.
const NAME: &str = "history.sqlite";

/// The reason the recorded market cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HistoryError {
    #[error("{path} is corrupt. bourse db reset moves it aside and starts a new one")]
    Corrupt { path: String },
    #[error("{path} is another program's database and is not changed")]
    Foreign { path: String },
    #[error("{path} was written by a newer bourse and is not changed")]
    Newer { path: String },
    #[error("{path} is locked by another program")]
    Locked { path: String },
    #[error("{path}: no space left on the disk")]
    Full { path: String },
    #[error("{path} is read-only")]
    ReadOnly { path: String },
    #[error("{path}: {why}")]
    Failed { path: String, why: String },
}

impl HistoryError {
    /// Whether later writes may succeed without a repair of the file: it is locked, or the disk is full.
    pub const fn is_passing(&self) -> bool {
        match self {
            Self::Locked { .. } | Self::Full { .. } => true,
            Self::Corrupt { .. }
            | Self::Foreign { .. }
            | Self::Newer { .. }
            | Self::ReadOnly { .. }
            | Self::Failed { .. } => false,
        }
    }
}

/// The place where a market is recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryLocation {
    /// The file; `None` for a record that ends with the program.
    pub path: Option<PathBuf>,
    /// Identifies the market: its address, or the sandbox's seed.
    pub market: String,
    /// The dialect in which the market's responses are read.
    pub dialect: &'static Dialect,
}

impl HistoryLocation {
    /// Opens the database, creating it if needed, with the dialect of the location; one in memory if it has
    /// no path.
    ///
    /// # Errors
    /// See [`Database::open`].
    pub fn open(&self) -> Result<Database, HistoryError> {
        let opened = match &self.path {
            Some(path) => Database::open(path, &self.market),
            None => Database::in_memory(&self.market),
        };
        Ok(opened?.with_dialect(self.dialect))
    }
}

/// The recorded market of a profile.
#[derive(Debug)]
pub struct Database {
    connection: Connection,
    path: String,
    /// The file, and its identity when it was opened; `None` in memory.
    file: Option<(PathBuf, Option<(u64, u64)>)>,
    /// The recorded market: another address is another market.
    market: String,
    limits: Limits,
    /// Machines and hosts that are excluded from all excerpts.
    left_out: Vec<Supplier>,
    /// The market's dialect: it decides which conditions of a query are sent, and in which units.
    dialect: &'static Dialect,
    /// The number of polls written since the limits were last checked.
    unswept: u32,
}

impl Database {
    /// The path of the record's database in a profile's folder.
    pub fn path(folder: &Path) -> PathBuf {
        folder.join(NAME)
    }

    /// Opens the file at `path`, creating or migrating it, and migrates those that were moved aside. Only the
    /// record of `market` is read.
    ///
    /// # Errors
    /// If it cannot be created, or is corrupt, locked, read-only or from a newer version.
    pub fn open(path: &Path, market: &str) -> Result<Self, HistoryError> {
        let shown = path.display().to_string();
        let connection = connect(path).map_err(|why| HistoryError::Failed {
            path: shown.clone(),
            why: files::read_error_text(&why),
        })?;
        let mut database = Self::prepared(connection.map_err(|error| explained(&shown, &error))?, shown, market)?;
        database.file = Some((path.to_owned(), files::identity(path)));
        maintenance::clean_aside(path);
        Ok(database)
    }

    /// Reopens the file at its path if another or no file is there now: `bourse db reset` moves it aside.
    /// Limits, dialect and excluded machines stay. No effect on a database in memory.
    ///
    /// # Errors
    /// See [`Database::open`].
    pub fn reopen_if_moved(&mut self) -> Result<(), HistoryError> {
        let Some((path, opened)) = &self.file else {
            return Ok(());
        };
        if files::identity(path) == *opened {
            return Ok(());
        }
        let again = Self::open(path, &self.market)?;
        *self = Self {
            limits: self.limits,
            dialect: self.dialect,
            left_out: std::mem::take(&mut self.left_out),
            ..again
        };
        Ok(())
    }

    /// A database that ends with the program: a frozen sandbox changes nothing on disk.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn in_memory(market: &str) -> Result<Self, HistoryError> {
        let shown = "the recorded market".to_owned();
        let connection = Connection::open_in_memory().map_err(|error| explained(&shown, &error))?;
        Self::prepared(connection, shown, market)
    }

    /// Sets up an open connection and migrates its tables; `path` is the name for error messages.
    fn prepared(mut connection: Connection, path: String, market: &str) -> Result<Self, HistoryError> {
        connection
            .busy_timeout(PATIENCE)
            .map_err(|error| explained(&path, &error))?;
        connection.set_prepared_statement_cache_capacity(32);
        match schema::prepare(&mut connection) {
            Ok(None) => {}
            Ok(Some(unusable)) => return Err(unusable(path)),
            Err(error) => return Err(explained(&path, &error)),
        }
        Ok(Self {
            connection,
            path,
            file: None,
            market: market.to_owned(),
            limits: Limits::default(),
            left_out: Vec::new(),
            dialect: &Dialect::SANDBOX,
            // The first poll of a session checks the limits.
            unswept: write::SWEEP_EVERY,
        })
    }

    /// The database with these limits on its age and size, applied when it is next checked.
    #[must_use]
    pub const fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The database with these machines and hosts excluded from everything that is read, as if they had never
    /// been on offer.
    #[must_use]
    pub fn leaving_out(mut self, suppliers: impl Iterator<Item = Supplier>) -> Self {
        self.left_out = suppliers.collect();
        self
    }

    /// The database with the dialect in which queries are sent.
    #[must_use]
    pub const fn with_dialect(mut self, dialect: &'static Dialect) -> Self {
        self.dialect = dialect;
        self
    }

    /// The cause of an error of `SQLite`, with the path of this database.
    fn explained(&self, error: &rusqlite::Error) -> HistoryError {
        explained(&self.path, error)
    }
}

/// Opens a private file, creating it and its folder if needed; the outer error is that of the file system, or
/// of a path that is not a regular file.
fn connect(path: &Path) -> std::io::Result<rusqlite::Result<Connection>> {
    if let Some(folder) = path.parent() {
        files::private_dir(folder)?;
    }
    if std::fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
        return Err(std::io::Error::other("it is not a regular file"));
    }
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    // SQLite gives its files beside it the same mode.
    match files::private(&mut options).open(path) {
        Ok(file) => file.set_permissions(Permissions::from_mode(0o600))?,
        // A read-only file is reported as such once it is open.
        Err(error) if path.exists() && matches!(error.kind(), PermissionDenied | ReadOnlyFilesystem) => {}
        Err(error) => return Err(error),
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Ok(Connection::open_with_flags(path, flags))
}

/// An error of `SQLite` in the database at this path as corrupt, locked, full or read-only, also corrupt if a
/// statement does not fit the tables; any other as `Failed` with its text.
fn explained(path: &str, error: &rusqlite::Error) -> HistoryError {
    let path = path.to_owned();
    match error.sqlite_error_code() {
        // Unknown: a statement does not fit the tables, which are not as bourse made them.
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt | ErrorCode::Unknown) => {
            HistoryError::Corrupt { path }
        }
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => HistoryError::Locked { path },
        Some(ErrorCode::DiskFull) => HistoryError::Full { path },
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => HistoryError::ReadOnly { path },
        _ => HistoryError::Failed {
            path,
            why: error.to_string(),
        },
    }
}
