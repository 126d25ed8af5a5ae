//! The log of `BOURSE_LOG`, for bug reports: each attempt of a request and each failure, never a
//! key or a body.

use std::fmt::{Debug, Write as _};
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use jiff::Timestamp;
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber, info};

use crate::domain::Untrusted;
use crate::store::Paths;
use crate::store::files::{private, private_dir};

const VARIABLE: &str = "BOURSE_LOG";

/// Size in bytes above which the next start replaces the log.
const LARGEST: u64 = 8 << 20;

/// The reason the log that the environment requests cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    #[error("{VARIABLE}: use off, error, warn, info, debug or trace")]
    Level,
    #[error("no home directory, no log")]
    NoHome,
    #[error("{}: {source}", .path.display())]
    Unwritable { path: PathBuf, source: std::io::Error },
}

/// Starts the log if `BOURSE_LOG` requests it: `error`, `warn`, `info`, `debug` or `trace`; nothing if it is
/// unset, empty or `off`.
///
/// # Errors
/// When the level does not exist, there is no home folder or the file cannot be written.
pub fn start() -> Result<(), LogError> {
    let level = std::env::var(VARIABLE).unwrap_or_default();
    if level.is_empty() || level == "off" {
        return Ok(());
    }
    let level: LevelFilter = level.parse().map_err(|_| LogError::Level)?;
    let paths = Paths::of_user().ok_or(LogError::NoHome)?;
    let file = open(&paths).map_err(|source| LogError::Unwritable {
        path: paths.log_file(),
        source,
    })?;
    let log = Log {
        level,
        file: Mutex::new(file),
    };
    // It is set once, before anything else could set it.
    let _ = tracing::subscriber::set_global_default(log);
    info!(version = env!("CARGO_PKG_VERSION"), "started");
    Ok(())
}

/// Opens the log for appending, private (0600); one larger than 8 MiB is deleted first.
fn open(paths: &Paths) -> std::io::Result<File> {
    private_dir(&paths.state)?;
    let path = paths.log_file();
    if path.metadata().is_ok_and(|metadata| metadata.len() > LARGEST) {
        std::fs::remove_file(&path)?;
    }
    private(OpenOptions::new().append(true).create(true)).open(path)
}

/// Writes a line for each event of bourse's own crates.
///
/// Other crates may log data that holds a key.
struct Log {
    level: LevelFilter,
    file: Mutex<File>,
}

impl Subscriber for Log {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= self.level && metadata.target().starts_with("bourse")
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(self.level)
    }

    fn event(&self, event: &Event<'_>) {
        let metadata = event.metadata();
        let mut line = format!("{:.3} {:<5} {}", Timestamp::now(), metadata.level(), metadata.target());
        event.record(&mut Fields(&mut line));
        line.push('\n');
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        // A full disk must not end the program.
        let _ = file.write_all(line.as_bytes());
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// Appends fields to a line, printable ASCII only: a server's message must not forge another line.
struct Fields<'a>(&'a mut String);

impl Visit for Fields<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        let text = Untrusted::from(value).log();
        let name = field.name();
        let _ = write!(self.0, " {name}={text:?}"); // a String takes everything
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let text = Untrusted::from(format!("{value:?}")).log();
        let _ = match field.name() {
            "message" => write!(self.0, " {text}"),
            name => write!(self.0, " {name}={text}"),
        };
    }
}
