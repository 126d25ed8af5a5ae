//! What a release is made with: the workflows call scripts that exist, and the formula has the checksums.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output};

use super::guide::root;

fn script(name: &str, arguments: &[&Path]) -> Output {
    Command::new(root().join(name)).args(arguments).output().unwrap()
}

/// The scripts of the repository that a workflow runs.
fn scripts(workflow: &str) -> Vec<String> {
    let words = workflow.split([' ', '\n', '"']);
    let is_script = |word: &&str| word.starts_with(".ci/") || (word.starts_with("tests/") && !word.ends_with(".py"));
    words.filter(is_script).map(str::to_owned).collect()
}

#[test]
fn workflows_call_scripts_of_the_repository() {
    let mut called = Vec::new();
    for entry in fs::read_dir(root().join(".github/workflows")).unwrap() {
        called.extend(scripts(&fs::read_to_string(entry.unwrap().path()).unwrap()));
    }
    for wanted in [
        ".ci/run",
        ".ci/release",
        ".ci/formula",
        "tests/supply/check",
        "tests/other-programs/run.sh",
    ] {
        assert!(
            called.iter().any(|script| script == wanted),
            "{wanted} is not called: {called:?}"
        );
    }
    for script in called {
        let file = fs::metadata(root().join(&script));
        assert!(
            file.is_ok_and(|file| file.permissions().mode() & 0o111 != 0),
            "{script}"
        );
    }
}

#[test]
fn the_toolchain_is_not_older_than_the_oldest_that_works() {
    let read = |name: &str, key: &str| {
        let text = fs::read_to_string(root().join(name)).unwrap();
        let line = text.lines().find_map(|line| line.strip_prefix(key)).unwrap().to_owned();
        let version = line.trim_matches(['"', ' ', '=']).to_owned();
        let numbers = version.split('.').map(|number| number.parse::<u32>().unwrap());
        numbers.collect::<Vec<_>>()
    };
    assert!(read("rust-toolchain.toml", "channel =") >= read("Cargo.toml", "rust-version ="));
}

#[test]
fn the_formula_has_the_checksum_of_each_archive() {
    let folder = tempfile::tempdir().unwrap();
    let sums = folder.path().join("SHA256SUMS");
    let lines = "1111  bourse-9.8.7-x86_64-unknown-linux-musl.tar.gz\n2222  bourse_9.8.7_amd64.deb\n\
                 3333  bourse-9.8.7-aarch64-apple-darwin.tar.gz\n";
    fs::write(&sums, lines).unwrap();
    let made = script(".ci/formula", &[Path::new("9.8.7"), &sums]);
    let formula = String::from_utf8(made.stdout).unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let repository = String::from_utf8(script(".ci/repository", &[]).stdout).unwrap();
    let address = format!("{}/releases/download/v9.8.7/", repository.trim());
    for (target, sum) in [("x86_64-unknown-linux-musl", "1111"), ("aarch64-apple-darwin", "3333")] {
        let lines = format!("      url \"{address}bourse-9.8.7-{target}.tar.gz\"\n      sha256 \"{sum}\"\n");
        assert!(formula.contains(&lines), "{formula}");
    }
    assert_eq!(formula.matches("sha256").count(), 2, "{formula}");
    // A block for each system, and no address for a target without an archive.
    assert!(formula.contains("on_macos do\n    on_arm do") && formula.contains("on_linux do\n    on_intel do"));
    assert!(!formula.contains("x86_64-apple-darwin"), "{formula}");
    let other = script(".ci/formula", &[Path::new("9.8.6"), &sums]);
    assert_eq!(other.status.code(), Some(1), "no archive has this version");
}
