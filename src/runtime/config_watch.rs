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
    /// Whether more than the markets changed, and not by a setting that bourse saved.
    pub is_noticeable: bool,
}

#[derive(Debug)]
pub(super) struct ConfigWatch {
    wanted: Arc<Notify>,
    inbox: UnboundedReceiver<Reloaded>,
}

impl ConfigWatch {
    /// Starts watching the configuration file; call it inside the runtime. `None` without a home folder. If
    /// the folder cannot be watched, the file is read only on [`reload`](Self::reload).
    pub fn start(known: Arc<ProfileResolver>) -> Option<Self> {
        let file = known.paths()?.config_file();
        let wanted = Arc::new(Notify::new());
        // Before the file is read for the first time.
        let watcher = watch(&file, Arc::clone(&wanted)).ok();
        let (outbox, inbox) = unbounded_channel();
        let saved = SavedFile {
            before: Config::load(&file).ok(),
            file,
            known,
            wanted: Arc::clone(&wanted),
            watcher,
        };
        tokio::spawn(saved.serve(outbox));
        Some(Self { wanted, inbox })
    }

    /// Requests a reload of the file, whether or not it has changed.
    pub fn reload(&self) {
        self.wanted.notify_one();
    }

    /// Waits until the file was reloaded, and returns the result; forever without a watch or if its task has
    /// ended. Cancel-safe.
    pub async fn next(watch: Option<&mut Self>) -> Reloaded {
        if let Some(watch) = watch
            && let Some(reloaded) = watch.inbox.recv().await
        {
            return reloaded;
        }
        std::future::pending().await
    }
}

/// The file between two reads of it.
struct SavedFile {
    file: PathBuf,
    known: Arc<ProfileResolver>,
    wanted: Arc<Notify>,
    /// The content of the file when it was last valid.
    before: Option<Config>,
    /// Watches until it is dropped; `None` if the system cannot watch a folder.
    watcher: Option<RecommendedWatcher>,
}

impl SavedFile {
    /// Reloads the file 100 ms after each change or request, and sends the result, until the receiver is
    /// gone. A reload that panics sends nothing.
    async fn serve(mut self, outbox: UnboundedSender<Reloaded>) {
        loop {
            self.wanted.notified().await;
            tokio::time::sleep(SETTLING).await;
            if let Ok(watcher) = watch(&self.file, Arc::clone(&self.wanted)) {
                self.watcher = Some(watcher);
            }
            let known = Arc::clone(&self.known);
            // This checks key files too, and their disk may be slow.
            let read = move || -> Result<_, ConfigError> { Ok((known.preferences()?, known.market_list())) };
            let reloaded = match tokio::task::spawn_blocking(read).await {
                Ok(Ok(((preferences, notices), market_list))) => {
                    let last = self.before.replace(preferences.config.clone());
                    let is_saved_here = self.known.recognize_saved(&preferences.config);
                    let is_changed = last.is_none_or(|last| !last.has_same_preferences(&preferences.config));
                    let is_noticeable = is_changed && !is_saved_here;
                    Ok(Box::new(Saved {
                        preferences,
                        market_list,
                        notices,
                        is_noticeable,
                    }))
                }
                Ok(Err(error)) => {
                    // The next valid state is worth a message, even if it equals the last valid one.
                    self.before = None;
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
}

/// Notifies `wanted` when the file, the file it links to or a folder above them changes (not when they are
/// read), until the result is dropped. It watches the nearest folder of each that exists, and the folder
/// above.
///
/// A folder that appears has to be watched in turn, and so does the target of a new link: the notified task
/// calls this again before reading the file, so that no change falls in between.
pub(super) fn watch(file: &Path, wanted: Arc<Notify>) -> notify::Result<RecommendedWatcher> {
    let file = std::path::absolute(file)?;
    let files = [resolve_links(&file), file];
    let own = files.clone();
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        let Ok(event) = event else { return };
        let is_ours = |changed: &PathBuf| files.iter().any(|file| file.starts_with(changed));
        // Reads are not changes: our own reads would wake us forever.
        if !event.kind.is_access() && event.paths.iter().any(is_ours) {
            wanted.notify_one();
        }
    })?;
    for file in &own {
        let folders = file.ancestors().skip(1);
        let missing = folders.clone().take_while(|folder| !folder.is_dir()).count();
        // One more than the nearest: a folder may be renamed and written again.
        for folder in folders.skip(missing).take(2) {
            watcher.watch(folder, RecursiveMode::NonRecursive)?;
        }
    }
    Ok(watcher)
}

/// The path with its links resolved, as far as it exists; unchanged if nothing of it does. Some systems
/// report changes under that name.
fn resolve_links(file: &Path) -> PathBuf {
    let mut resolved = file.ancestors().filter_map(|folder| {
        let rest = file.strip_prefix(folder).ok()?;
        Some(std::fs::canonicalize(folder).ok()?.join(rest))
    });
    resolved.next().unwrap_or_else(|| file.to_owned())
}
