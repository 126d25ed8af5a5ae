//! A full disk and a read-only one: the program says so, and a watch that recorded nothing fails.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::cli::commands::{Home, run};
use crate::pty_support::Pty;
use crate::recorder::{Recorder, json};

const PROGRAM: &str = env!("CARGO_BIN_EXE_bourse");

/// Runs a program on a disk of its own at the first argument: once, and after a change once more.
fn twice(change: &str) -> String {
    format!(
        "state=$1; shift; mount -t tmpfs -o size=2m tmpfs \"$state\" || exit 77
         \"$@\" 2>/dev/null || exit 78
         {change}
         exec \"$@\""
    )
}

const FILL: &str = "cat /dev/zero >\"$state/fill\" 2>/dev/null; sleep 1.1";
const PROTECT: &str = "mount -o remount,ro \"$state\" || exit 77; sleep 1.1";

const OFFERS: &str = r#"{"offers":[{"id":1,"machine_id":1,"gpu_name":"A40","num_gpus":1,"dph_base":0.5,"dph_total":0.5,"storage_cost":0.0}]}"#;

/// The status, output and errors of a second `bourse watch --once` after a change of its disk; `None`
/// where a process may not mount any.
fn second_watch(change: &str) -> Option<(i32, String, String)> {
    let recorder = Recorder::always(json(200, OFFERS));
    let home = Home::new();
    let state = home.path().join("state");
    std::fs::create_dir(&state).unwrap();
    let url = recorder.url();
    let watch = home.bourse(&["watch", "--no-default", "--once", "--base-url", &url]);
    let mut command = Command::new("unshare");
    command
        .args(["--map-root-user", "--mount", "sh", "-c", &twice(change), "sh"])
        .arg(&state)
        .arg(watch.get_program())
        .args(watch.get_args())
        .env_clear()
        .stdin(Stdio::null());
    for (name, value) in watch.get_envs() {
        command.env(name, value.unwrap());
    }
    command.env("XDG_STATE_HOME", &state);
    let found = run(&mut command);
    let may_mount = found.0 != 77 && !found.2.contains("unshare");
    if may_mount {
        assert_eq!(recorder.requests().len(), 2, "{found:?}");
    }
    may_mount.then_some(found)
}

#[test]
fn a_watch_asks_while_the_disk_is_full_and_does_not_succeed() {
    if let Some((status, _, err)) = second_watch(FILL) {
        assert_eq!(status, 1, "{err}");
        assert!(err.contains("nothing was recorded: "), "{err}");
        assert_eq!(err.matches("not recorded").count(), 1, "{err}");
    }
}

#[test]
fn a_watch_asks_while_the_file_is_read_only_and_does_not_succeed() {
    if let Some((status, _, err)) = second_watch(PROTECT) {
        assert_eq!(status, 1, "{err}");
        assert!(err.contains("nothing was recorded: "), "{err}");
        assert_eq!(err.matches("prices are not recorded").count(), 1, "{err}");
        assert!(err.contains("history.sqlite is read-only"), "{err}");
    }
}

#[test]
fn the_dashboard_goes_on_where_no_file_may_grow() {
    let home = Home::new();
    let state = home.path().to_str().unwrap();
    let variables = [("XDG_STATE_HOME", state)];
    let full = "trap '' XFSZ; ulimit -f 0; exec \"$0\" \"$@\"";
    let mut pty = Pty::spawn(Path::new("sh"), &["-c", full, PROGRAM], &variables, 120, 34);
    // The record is opened before the market answers; Esc would end that request.
    pty.wait_for_text("The market is not recorded");
    pty.wait_for_text("First 500, more exist");
    pty.keys("<Esc>j");
    pty.wait_for_text("First 500, more exist");
    pty.keys("<C-c>");
    pty.exit().assert_clean(0);
}
