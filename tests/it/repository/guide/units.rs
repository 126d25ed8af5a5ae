//! The systemd units of the guide, checked by systemd itself where it is.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::pages;

/// What `systemd-analyze` finds wrong with a unit among others; `None` where it cannot run.
fn complaints(folder: &Path, name: &str) -> Option<String> {
    let run = Command::new("systemd-analyze")
        .args(["--user", "verify"])
        .arg(folder.join(name))
        // `%h` is this folder, and nobody's session is asked.
        .env("HOME", folder)
        .env("XDG_RUNTIME_DIR", folder)
        .output()
        .ok()?;
    let said = String::from_utf8_lossy(&run.stderr).into_owned();
    // No user manager in a container without cgroups.
    (!said.contains("Failed to initialize manager")).then_some(said)
}

#[test]
#[expect(clippy::print_stderr)] // A test that did not run says so.
fn the_units_of_the_guide_are_sound() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join(".cargo/bin/bourse");
    fs::create_dir_all(program.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_bourse"), program).unwrap();
    let mut names = Vec::new();
    for page in &pages() {
        for block in page.blocks("ini") {
            let path = block.lines[0].strip_prefix("# ").unwrap();
            let name = Path::new(path).file_name().unwrap().to_str().unwrap().to_owned();
            fs::write(folder.path().join(&name), block.lines.join("\n") + "\n").unwrap();
            names.push(name);
        }
    }
    assert_eq!(names.len(), 3, "{names:?}");
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
