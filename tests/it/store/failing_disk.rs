//! A disk that takes nothing, and programs that save at once: the program runs on and says so, and
//! what was on the disk stays as it is.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use bourse::domain::journal::Line;

use crate::cases::cases;
use crate::cli::commands::{Home, run};
use crate::files::texts_below;
use crate::pty_support::Pty;
use crate::recorder::{Recorder, json};

const PROGRAM: &str = env!("CARGO_BIN_EXE_bourse");

/// Runs its arguments on a disk that is full: no file may have a byte. Root is no exception.
const FULL: &str = "trap '' XFSZ; ulimit -f 0; exec \"$0\" \"$@\"";

fn unlist(home: &Home, url: &str, id: &str) -> Command {
    let mut command = home.bourse(&["unlist", id, "--yes", "--base-url", url]);
    command.env("BOURSE_API_KEY", "canary-key-7d10");
    command
}

pub fn on_a_full_disk(command: &Command) -> Command {
    let mut full = Command::new("sh");
    full.args(["-c", FULL])
        .arg(command.get_program())
        .args(command.get_args())
        .env_clear()
        .stdin(Stdio::null());
    for (name, value) in command.get_envs() {
        full.env(name, value.unwrap());
    }
    full
}

#[test]
fn a_write_that_cannot_be_recorded_is_not_sent() {
    let recorder = Recorder::always(json(200, r#"{"success":true,"msg":"Unlisted Volume 1."}"#));
    let home = Home::new();
    let first = unlist(&home, &recorder.url(), "1");
    let (status, _, err) = run(&mut on_a_full_disk(&first));
    assert_ne!(status, 0);
    assert!(err.contains("nothing was sent: can't save the write history"), "{err}");
    assert_eq!(recorder.requests().len(), 0);

    let (status, _, err) = run(&mut unlist(&home, &recorder.url(), "1"));
    assert_eq!(status, 0, "control: {err}");
    let before = texts_below(home.path());
    // Another market has no pause after it.
    let other = Recorder::always(json(200, "{}"));
    let second = unlist(&home, &other.url(), "2");
    assert_ne!(run(&mut on_a_full_disk(&second)).0, 0);
    assert_eq!(texts_below(home.path()), before);
    assert_eq!((recorder.requests().len(), other.requests().len()), (1, 0));
}

/// The dashboard on this state folder, sorted another way so that there is something to save.
fn resorted(state: &Path, shell: Option<&str>) -> Pty {
    let state = state.to_str().unwrap();
    let variables = [("XDG_STATE_HOME", state)];
    let arguments = ["--freeze", "--latency", "0"];
    let mut pty = match shell {
        None => Pty::spawn(Path::new(PROGRAM), &arguments, &variables, 120, 34),
        Some(script) => {
            let arguments = [&["-c", script, PROGRAM][..], &arguments].concat();
            Pty::spawn(Path::new("sh"), &arguments, &variables, 120, 34)
        }
    };
    pty.wait_for("offers", |screen| screen.contents().contains("RTX"));
    pty.keys("~>");
    pty
}

#[test]
fn a_full_disk_is_told_and_costs_nothing_that_was_saved() {
    let state = tempfile::tempdir().unwrap();
    let mut pty = resorted(state.path(), None);
    pty.keys("q");
    pty.exit().assert_clean(0);
    let before = texts_below(state.path());
    assert!(before.iter().any(|(path, _)| path.ends_with("ui.json")), "control");

    let mut pty = resorted(state.path(), Some(FULL));
    pty.wait_for_text("can't be saved");
    pty.keys("<Esc>j");
    pty.keys("q");
    pty.exit().assert_clean(0);
    assert_eq!(texts_below(state.path()), before);
}

#[test]
fn a_place_that_cannot_be_written_is_told() {
    // Folders of the kernel and a device: no user may write there, not even root.
    for place in ["/proc", "/sys", "/dev/null"].into_iter().step_by(cases(2, 1)) {
        let mut pty = resorted(Path::new(place), None);
        pty.wait_for_text("can't be saved");
        pty.keys("q");
        pty.exit().assert_clean(0);
    }
}

fn started(mut command: Command) -> Child {
    let quiet = command.stdout(Stdio::null()).stderr(Stdio::piped());
    quiet.spawn().unwrap()
}

/// Waits for all of them, and reads `check` again and again meanwhile.
fn all_succeed(mut children: Vec<Child>, check: impl Fn()) {
    while children.iter_mut().any(|child| child.try_wait().unwrap().is_none()) {
        check();
    }
    for child in children {
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
    }
}

#[test]
fn eight_programs_that_write_at_once_all_stand_in_the_journal() {
    // A market each: within one they would wait for each other's pause.
    let markets = [(); 8].map(|()| Recorder::always(json(200, r#"{"success":true,"msg":"Unlisted."}"#)));
    let home = Home::new();
    let children = markets.iter().map(|market| started(unlist(&home, &market.url(), "7")));
    let path = home.path().join(".local/state/bourse/writes.jsonl");
    let lines = || {
        let text = fs::read_to_string(&path).unwrap_or_default();
        let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
        let lines = whole.lines().map(|line| serde_json::from_str(line).unwrap());
        lines.collect::<Vec<Line>>()
    };
    all_succeed(children.collect(), || drop(lines()));
    let lines = lines();
    let intents = lines.iter().filter(|line| matches!(line, Line::Intent(_)));
    assert_eq!((lines.len(), intents.count()), (16, 8));
    assert!(markets.iter().all(|market| market.requests().len() == 1));
}

#[test]
fn eight_programs_that_create_at_once_all_keep_their_group() {
    let home = Home::new();
    let create = |number: usize| {
        let endpoint = format!("mine-{number}");
        let arguments = ["groups", "create", "--endpoint", &endpoint];
        let rest = ["--search-params", "num_gpus=1", "--yes"];
        started(home.bourse(&[&arguments[..], &rest].concat()))
    };
    all_succeed((1..=8).map(create).collect(), || ());
    let (status, out, err) = run(&mut home.bourse(&["groups", "--format", "json"]));
    assert_eq!(status, 0, "{err}");
    for number in 1..=8 {
        assert!(out.contains(&format!("\"mine-{number}\"")), "{number}: {out}");
    }
}
