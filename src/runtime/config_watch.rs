//! Reloads the configuration when its file is saved.
//!
//! The operating system reports changes in the folder, so that waiting costs no wake-ups. The
//! folder is watched and not the file, because editors replace files.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::sync::Notify;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::features::markets::MarketList;
use crate::features::markets::command::ProfileResolver;
use crate::settings::{Config, ConfigError, Preferences};

/// Quiet time before the changed file is read.
///
/// Editors empty a file, write it and rename it; states in between are not meant to be read.
pub(super) const SETTLING: Duration = Duration::from_millis(100);

/// The reloaded configuration, or the reason it cannot be used.
pub(super) type Reloaded = Result<Box<Saved>, ConfigError>;

#[derive(Debug)]
pub(super) struct Saved {
    pub preferences: Preferences,
    pub market_list: MarketList,
    /// Mistakes in the file that stop nothing.
    pub notices: Vec<String>,
    /// Whether more than the markets changed.
    pub is_noticeable: bool,
}

#[derive(Debug)]
pub(super) struct ConfigWatch {
    wanted: Arc<Notify>,
    inbox: UnboundedReceiver<Reloaded>,
    /// The watcher, which stops when dropped; `None` if the folder is missing or cannot be watched.
    _watcher: Option<RecommendedWatcher>,
}

impl ConfigWatch {
    /// Starts watching; call it inside the runtime.
    pub fn start(known: Arc<ProfileResolver>) -> Option<Self> {
        let file = known.paths()?.config_file();
        let wanted = Arc::new(Notify::new());
        let watcher = watch(&file, Arc::clone(&wanted)).ok();
        let (outbox, inbox) = unbounded_channel();
        let before = Config::load(&file).ok();
        tokio::spawn(serve(known, Arc::clone(&wanted), before, outbox));
        Some(Self {
            wanted,
            inbox,
            _watcher: watcher,
        })
    }

    /// Reloads the file, whether or not it has changed.
    pub fn reload(&self) {
        self.wanted.notify_one();
    }

    /// Waits until the file was reloaded; forever without a watch.
    pub async fn next(watch: Option<&mut Self>) -> Reloaded {
        if let Some(watch) = watch
            && let Some(reloaded) = watch.inbox.recv().await
        {
            return reloaded;
        }
        std::future::pending().await
    }
}

async fn serve(
    known: Arc<ProfileResolver>,
    wanted: Arc<Notify>,
    mut before: Option<Config>,
    outbox: UnboundedSender<Reloaded>,
) {
    loop {
        wanted.notified().await;
        tokio::time::sleep(SETTLING).await;
        let known = Arc::clone(&known);
        // This checks key files too, and their disk may be slow.
        let read = move || -> Result<_, ConfigError> { Ok((known.preferences()?, known.market_list())) };
        let reloaded = match tokio::task::spawn_blocking(read).await {
            Ok(Ok(((preferences, notices), market_list))) => {
                let last = before.replace(preferences.config.clone());
                let is_noticeable = last.is_none_or(|last| !last.has_same_preferences(&preferences.config));
                Ok(Box::new(Saved {
                    preferences,
                    market_list,
                    notices,
                    is_noticeable,
                }))
            }
            Ok(Err(error)) => {
                // The next valid state is worth a message, even if it equals the last valid one.
                before = None;
                Err(error)
            }
            // The panic is already reported.
            Err(_) => continue,
        };
        if outbox.send(reloaded).is_err() {
            return;
        }
    }
}

/// Watches the folder of the file, and that of the file it links to.
pub(super) fn watch(file: &Path, wanted: Arc<Notify>) -> notify::Result<RecommendedWatcher> {
    let target = std::fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    let names: Vec<_> = [file, &target]
        .iter()
        .filter_map(|path| path.file_name().map(ToOwned::to_owned))
        .collect();
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        let Ok(event) = event else { return };
        // Reads are not changes: our own reads would wake us forever.
        let is_ours = |path: &PathBuf| {
            path.file_name()
                .is_some_and(|changed| names.iter().any(|name| name == changed))
        };
        if !event.kind.is_access() && event.paths.iter().any(is_ours) {
            wanted.notify_one();
        }
    })?;
    let mut folders: Vec<_> = [file, &target]
        .iter()
        .filter_map(|path| path.parent().map(ToOwned::to_owned))
        .collect();
    folders.dedup();
    for folder in folders {
        watcher.watch(&folder, RecursiveMode::NonRecursive)?;
    }
    Ok(watcher)
}
