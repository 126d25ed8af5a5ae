//! Files that are none, that have no end, or that nobody writes: said at once, and never read whole.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use bourse::domain::saved::DashboardState;
use bourse::settings::{Config, themes};
use bourse::store::{Paths, StateStore};

use super::state_files::snapshot;
use crate::files::replace;

fn fifo(path: &Path) {
    let made = Command::new("mkfifo").arg(path).status().unwrap();
    assert!(made.success());
}

/// What stands in a place where a text is expected, and what is said of it.
fn odd_files(make: impl Fn(&str) -> std::path::PathBuf) -> Vec<(std::path::PathBuf, &'static str)> {
    let pipe = make("pipe");
    fifo(&pipe);
    let zero = make("zero");
    symlink("/dev/zero", &zero).unwrap();
    let large = make("large");
    fs::write(&large, "#".repeat(1024 * 1024 + 1)).unwrap();
    let folder = make("folder");
    fs::create_dir(&folder).unwrap();
    let bytes = make("bytes");
    fs::write(&bytes, b"\xff\xfe").unwrap();
    vec![
        (pipe, "it is not a regular file"),
        (zero, "it is not a regular file"),
        (large, "it is larger than 1 MiB"),
        (folder, "is a directory"),
        (bytes, "it is not UTF-8 text"),
    ]
}

#[test]
fn a_configuration_is_a_regular_file_of_bounded_size() {
    let root = tempfile::tempdir().unwrap();
    for (path, why) in odd_files(|name| root.path().join(name)) {
        let error = Config::load(&path).unwrap_err().to_string();
        assert_eq!(error, format!("{}: {why}", path.display()));
    }
    // Control: the largest that is read.
    let path = root.path().join("config.toml");
    fs::write(&path, "#".repeat(1024 * 1024)).unwrap();
    assert_eq!(Config::load(&path), Ok(Config::default()));
}

#[test]
fn a_theme_is_a_regular_file_of_bounded_size() {
    let root = tempfile::tempdir().unwrap();
    let odd = odd_files(|name| root.path().join(format!("{name}.toml")));
    fs::write(root.path().join("night.toml"), "accent = \"red\"").unwrap();
    let (good, wrong) = themes::load(root.path());
    assert_eq!(good.len(), 1);
    let wrong: Vec<String> = wrong.iter().map(ToString::to_string).collect();
    for (path, why) in odd {
        let said = format!("{}: {why}", path.display());
        assert!(wrong.contains(&said), "{said}: {wrong:?}");
    }
}

#[test]
fn state_that_is_no_file_is_left_alone_and_not_waited_for() {
    let root = tempfile::tempdir().unwrap();
    let paths = Paths::below(root.path());
    let folder = paths.profile_state("test");
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join("ui.json");
    fifo(&path);
    let store = StateStore::new(&paths, "test");
    let mut notices = Vec::new();
    assert_eq!(store.read::<DashboardState>(&mut notices), None);
    assert!(notices[0].contains("ui.json: it is not a regular file"), "{notices:?}");
    assert!(replace(&store, snapshot()).is_err());
    assert!(!fs::metadata(&path).unwrap().is_file(), "it is still the pipe");
}

#[test]
fn a_lock_that_is_no_file_is_not_waited_for() {
    let root = tempfile::tempdir().unwrap();
    fifo(&root.path().join("x.lock"));
    let error = bourse::store::files::lock(&root.path().join("x.json")).unwrap_err();
    assert!(error.to_string().ends_with("x.lock is not a regular file"), "{error}");
}
