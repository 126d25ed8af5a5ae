//! The version of `bourse --version`: with the commit and its date where the source is a git repository.

use std::path::Path;
use std::process::Command;

fn main() {
    let version = env!("CARGO_PKG_VERSION");
    println!("cargo:rerun-if-changed=build.rs");
    // A package that was unpacked inside another repository has no commit of its own.
    let commit = Path::new(".git").exists().then(commit).flatten();
    let commit = commit.map_or_else(String::new, |commit| format!(" ({commit})"));
    println!("cargo:rustc-env=BOURSE_VERSION={version}{commit}");
}

/// The commit as `hash, date`.
fn commit() -> Option<String> {
    for name in ["HEAD", "logs/HEAD"] {
        if let Some(path) = git(&["rev-parse", "--git-path", name]).filter(|path| Path::new(path).exists()) {
            println!("cargo:rerun-if-changed={path}");
        }
    }
    let shown = git(&["show", "--no-patch", "--format=%h, %cs", "HEAD"])?;
    shown.is_ascii().then_some(shown)
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let text = text.trim();
    (output.status.success() && !text.is_empty()).then(|| text.to_owned())
}
