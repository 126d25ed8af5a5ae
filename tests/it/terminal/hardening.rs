//! What the process forbids before it reads a key.

use std::process::Command;

use rustix::process::{DumpableBehavior, dumpable_behavior};

use crate::pty_support::Pty;

const VARIABLE: &str = "BOURSE_TEST_HARDENED";

/// A process of its own: what is forbidden here would stay forbidden for all tests.
#[test]
#[ignore = "the program that another test starts"]
#[expect(clippy::print_stdout)] // what the other test reads
fn stand_in() {
    if std::env::var_os(VARIABLE).is_none() {
        return;
    }
    let before = dumpable_behavior().unwrap();
    bourse::runtime::harden();
    println!("{before:?} {:?}", dumpable_behavior().unwrap());
}

#[test]
fn no_other_process_may_read_its_memory() {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "terminal::hardening::stand_in", "--ignored", "--nocapture"])
        .env(VARIABLE, "1")
        .output()
        .unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let (before, after) = (DumpableBehavior::Dumpable, DumpableBehavior::NotDumpable);
    assert!(said.contains(&format!("{before:?} {after:?}")), "{said}");
}

#[test]
fn an_abort_leaves_no_core_file_even_where_they_are_wanted() {
    let script = "ulimit -c unlimited; ulimit -c >limit; exec \"$0\" --latency 0";
    let program = env!("CARGO_BIN_EXE_bourse");
    let pty = Pty::spawn("sh".as_ref(), &["-c", script, program], &[], 80, 24);
    pty.wait_for_text("SANDBOX");
    let home = pty.home().to_owned();
    let allowed = std::fs::read_to_string(home.join("limit")).unwrap();
    let limits = std::fs::read_to_string(format!("/proc/{}/limits", pty.id())).unwrap();
    let line = limits.lines().find(|line| line.starts_with("Max core file size"));
    let words: Vec<&str> = line.unwrap().split_whitespace().collect();
    assert_eq!(words[4..6], ["0", "0"], "although the shell allows {allowed}");
    pty.signal(rustix::process::Signal::ABORT);
    let names = |folder: &std::path::Path| {
        let entries = std::fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name()).collect::<Vec<_>>()
    };
    let mut pty = pty;
    pty.wait_for_end();
    assert!(
        !names(&home)
            .iter()
            .any(|name| name.to_string_lossy().starts_with("core"))
    );
}

/// A disk quota or `ulimit -f`: the write fails, and the dashboard goes on and gives the terminal back.
#[test]
fn a_file_at_its_limit_is_an_error_and_not_the_end() {
    let script = "ulimit -f 0; exec \"$0\" --latency 0";
    let program = env!("CARGO_BIN_EXE_bourse");
    let mut pty = Pty::spawn("sh".as_ref(), &["-c", script, program], &[], 100, 30);
    pty.wait_for_text("updated");
    pty.keys("e");
    pty.wait_for_text("Export offers");
    pty.keys("<Enter>");
    pty.wait_for_text("too large");
    pty.keys("<Esc><Esc>q");
    pty.exit().assert_clean(0);
}
