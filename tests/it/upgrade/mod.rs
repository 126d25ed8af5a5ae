//! Files that an earlier version wrote: nothing in them is lost, and what no longer exists is named.
//!
//! `tests/it/data/upgrade/<version>` has the configuration, keys, state and recorded market of a person
//! who used that version, written once by its own code (`write.rs`) and never changed since. Each test
//! works on a copy whose market is a server of the test and whose record ends today.

mod commands;
mod dashboard;
mod stores;
mod write;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use bourse::record::store::Database;
use bourse::store::Paths;
use rusqlite::Connection;

use crate::cli::commands::{run, without_delay};
use crate::pty_support::Pty;
use crate::recorder::{Recorder, json};

/// The addresses of the market in the files.
const ADDRESS: &str = "http://127.0.0.1:4700";
const ROUTE: &str = "http://127.0.0.1:4701";

/// The key of the profile `work`.
const KEY: &str = "canary-key-of-work";

/// When the files were written: 2026-11-20 12:00 UTC.
const END: i64 = 1_795_176_000;

const DAY: i64 = 86_400;

/// What the market replies: three offers, two volumes, and one workergroup of two.
const OFFERS: &str = crate::test_app::THREE;
const VOLUMES: &str = crate::stories::unlist::TWO;
const GROUPS: &str = r#"{"success":true,"results":[
    {"id":12,"endpoint_name":"sdxl","search_query":"gpu_ram>=24","max_workers":3}]}"#;

fn fixtures(version: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    root.join("tests/it/data/upgrade").join(version)
}

/// The home of somebody who used version 0.1 until now.
struct Home {
    root: tempfile::TempDir,
    paths: Paths,
    market: Recorder,
}

impl Home {
    fn of_0_1() -> Self {
        let root = tempfile::tempdir().unwrap();
        let market = Recorder::start(|_, request| {
            json(
                200,
                match request.path.as_str() {
                    "/api/v0/bundles/" => OFFERS,
                    "/api/v0/network_volumes/search/" => VOLUMES,
                    _ => GROUPS,
                },
            )
        });
        copy(&fixtures("0.1"), root.path(), &market.url());
        let paths = Paths::below(root.path());
        end_today(&Database::path(&paths.profile_state("work")), &market.url());
        Self { root, paths, market }
    }

    /// The program with this home and nothing else in its environment.
    fn bourse(&self, arguments: &[&str]) -> (i32, String, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bourse"));
        command
            .args(without_delay(arguments, "default_profile"))
            .args(arguments);
        command.env_clear().env("HOME", self.root.path());
        command.env("PATH", "/usr/bin:/bin");
        run(command.envs(self.folders()))
    }

    /// The dashboard with this home.
    fn dashboard(&self) -> Pty {
        let folders = self.folders();
        let variables = folders.each_ref().map(|(name, path)| (*name, path.as_str()));
        Pty::bourse(&[], &variables, 110, 36)
    }

    fn folders(&self) -> [(&'static str, String); 2] {
        [("XDG_CONFIG_HOME", "config"), ("XDG_STATE_HOME", "state")]
            .map(|(name, folder)| (name, self.root.path().join(folder).display().to_string()))
    }

    /// A file of the profile `work`.
    fn file(&self, name: &str) -> PathBuf {
        self.paths.profile_state("work").join(name)
    }

    /// Changes a file, as another version would have written it.
    fn rewrite(&self, path: &Path, was: &str, is: &str) {
        let text = fs::read_to_string(path).unwrap();
        assert!(text.contains(was), "{was} is not in {text}");
        fs::write(path, text.replacen(was, is, 1)).unwrap();
    }
}

/// Copies the files, for their owner only as they were, with another address.
fn copy(from: &Path, to: &Path, address: &str) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target, address);
            continue;
        }
        let bytes = fs::read(&path).unwrap();
        let bytes = match String::from_utf8(bytes) {
            Ok(text) => text.replace(ADDRESS, address).replace(ROUTE, address).into(),
            Err(binary) => binary.into_bytes(),
        };
        fs::write(&target, bytes).unwrap();
        fs::set_permissions(&target, fs::Permissions::from_mode(0o600)).unwrap();
    }
}

/// Moves a record of version 0.1 by whole days, so that it ends today, and to another address.
fn end_today(path: &Path, address: &str) {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let by = (i64::try_from(now.as_secs()).unwrap() - END).div_euclid(DAY) * DAY;
    let mut database = Connection::open(path).unwrap();
    let moved = database.transaction().unwrap();
    moved.execute("UPDATE search SET market = ?1", [address]).unwrap();
    for (table, column) in [
        ("poll", "at"),
        ("spell", "first"),
        ("spell", "last"),
        ("spell", "ended"),
    ] {
        // In two steps: a moment may be taken by a row that has not moved yet.
        let away = format!("UPDATE {table} SET {column} = -({column} + ?1)");
        moved.execute(&away, [by]).unwrap();
        let back = format!("UPDATE {table} SET {column} = -{column}");
        moved.execute(&back, []).unwrap();
    }
    moved.commit().unwrap();
}
