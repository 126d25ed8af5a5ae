//! The dashboard on its file: it records, and goes on where it cannot.

use std::fs;

use crate::cli::commands::{Home, run};
use crate::pty_support::Pty;

/// The sandbox's file below a state folder.
const FILE: &str = "bourse/profiles/sandbox/history.sqlite";

#[test]
fn what_is_on_screen_is_recorded() {
    let home = Home::new();
    let state = home.path().to_str().unwrap();
    // The past comes first: leaving earlier leaves the record empty, for the next start.
    let mut pty = Pty::bourse(&["--offers", "10"], &[("XDG_STATE_HOME", state)], 120, 34);
    pty.wait_for_text("30 simulated days of prices");
    pty.keys("<C-c>");
    pty.exit().assert_clean(0);
    let check = run(home.bourse(&["db", "check"]).env("XDG_STATE_HOME", state));
    assert_eq!(check.0, 0, "{}", check.2);
    // Offers and volumes of a month, every seven hours, and what is on the screen.
    assert!(check.1.contains(" 207 polls"), "{}", check.1);
}

#[test]
fn a_corrupt_file_is_told_once_and_stays_as_it_is() {
    let home = Home::new();
    let state = home.path().to_str().unwrap();
    let file = home.path().join(FILE);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    let broken = "not a database ".repeat(500);
    fs::write(&file, &broken).unwrap();
    let mut pty = Pty::bourse(&[], &[("XDG_STATE_HOME", state)], 120, 34);
    pty.wait_for_text("The market is not recorded");
    pty.wait_for_text("First 500, more exist");
    pty.keys("<C-c>");
    pty.exit().assert_clean(0);
    assert_eq!(fs::read_to_string(&file).unwrap(), broken);
}

#[test]
fn a_frozen_sandbox_leaves_no_file() {
    let home = Home::new();
    let state = home.path().to_str().unwrap();
    let variables = [("XDG_STATE_HOME", state)];
    let mut pty = Pty::bourse(&["--freeze"], &variables, 120, 34);
    pty.wait_for_text("RTX");
    pty.keys("<C-c>");
    pty.exit().assert_clean(0);
    assert!(!home.path().join(FILE).exists());
}
