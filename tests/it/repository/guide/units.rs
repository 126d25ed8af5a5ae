//! The systemd units in `assets/systemd/`: bourse takes their command lines, and systemd itself, where it is, the rest.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::shell::parsed;
use super::{pages, root};

/// The profile in whose name the units run here.
const PROFILE: &str = "vast";

/// What `systemd-analyze` finds wrong with a unit among others; `None` where it cannot run.
fn complaints(folder: &Path, name: &str) -> Option<String> {
    let run = Command::new("systemd-analyze")
        .args(["--user", "--man=no", "verify"])
        .arg(folder.join(name))
        // Nobody's session is asked.
        .env("HOME", folder)
        .env("XDG_RUNTIME_DIR", folder)
        .output()
        .ok()?;
    let said = String::from_utf8_lossy(&run.stderr).into_owned();
    // No user manager in a container without cgroups.
    (!said.contains("Failed to initialize manager")).then_some(said)
}

/// The units by name.
fn units() -> Vec<(String, String)> {
    let entries = fs::read_dir(root().join("assets/systemd")).unwrap();
    let read = |entry: std::io::Result<fs::DirEntry>| {
        let entry = entry.unwrap();
        (
            entry.file_name().into_string().unwrap(),
            fs::read_to_string(entry.path()).unwrap(),
        )
    };
    entries.map(read).collect()
}

#[test]
fn bourse_takes_the_command_lines_of_the_units() {
    let mut commands = 0;
    for (name, text) in units() {
        for line in text.lines().filter_map(|line| line.strip_prefix("ExecStart=")) {
            let words = shell_words::split(&line.replace("%i", PROFILE)).unwrap();
            assert_eq!(words[0], "bourse", "{name}");
            assert!(parsed(&words[1..]).is_ok(), "{name}: {line}");
            commands += 1;
        }
    }
    assert_eq!(commands, 2);
}

#[test]
fn the_guide_names_every_unit_and_the_package_has_it() {
    let guide: String = pages().into_iter().map(|page| page.text).collect();
    let package = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    for (name, _) in units() {
        let unit = name.replace("@.", &format!("@{PROFILE}."));
        let unit = unit.strip_suffix(".service").unwrap_or(&unit);
        assert!(guide.contains(unit), "no page names {unit}");
        assert!(package.contains("assets/systemd/*"));
    }
}

#[test]
#[expect(clippy::print_stderr)] // A test that did not run says so.
fn systemd_finds_the_units_sound() {
    let folder = tempfile::tempdir().unwrap();
    // In quotes: its path may have blanks.
    let program = concat!("ExecStart=\"", env!("CARGO_BIN_EXE_bourse"), "\" ");
    let units = units();
    assert_eq!(units.len(), 3, "{units:?}");
    let names: Vec<String> = units
        .into_iter()
        .map(|(name, text)| {
            let name = name.replace('@', &format!("@{PROFILE}"));
            fs::write(folder.path().join(&name), text.replace("ExecStart=bourse ", program)).unwrap();
            name
        })
        .collect();
    for name in &names {
        match complaints(folder.path(), name) {
            Some(said) => assert_eq!(said, "", "{name}"),
            None => return eprintln!("skipped: no systemd-analyze here"),
        }
        // Control: a key that does not exist is found.
        let text = fs::read_to_string(folder.path().join(name)).unwrap();
        let wrong = format!("wrong-{name}");
        fs::write(folder.path().join(&wrong), text.replace("Description=", "Descriptoin=")).unwrap();
        let said = complaints(folder.path(), &wrong).unwrap();
        assert!(said.contains("Descriptoin"), "{name}: {said}");
    }
}
