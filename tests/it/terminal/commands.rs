//! The user's own commands end with bourse, with all that they started, and have the terminal meanwhile.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use rustix::process::Signal;

use crate::cli::commands::Home;
use crate::pty_support::{Pty, is_noticed, send_signal};

/// Writes its id and that of a program in the background. Neither ends when it is asked to.
pub const STUBBORN: &str = "#!/bin/sh\ntrap '' TERM INT HUP QUIT\nsleep 1000 &\n\
                        echo $$ $! > \"$0.new\"\nmv \"$0.new\" \"$0.pids\"\nsleep 1000\n";

/// The script above, in a home.
fn stubborn(home: &Home) -> String {
    let path = home.file("stubborn", STUBBORN, 0o755);
    path.to_str().unwrap().to_owned()
}

/// The processes of the script, once it runs.
pub fn processes(script: &str) -> Vec<String> {
    let file = format!("{script}.pids");
    while !Path::new(&file).exists() {
        thread::sleep(Duration::from_millis(10));
    }
    let pids = fs::read_to_string(&file).unwrap();
    fs::remove_file(&file).unwrap();
    pids.split_whitespace().map(str::to_owned).collect()
}

/// Waits until none of the processes is left.
pub fn wait_until_gone(pids: &[String]) {
    let is_alive = |pid: &String| {
        let state = fs::read_to_string(format!("/proc/{pid}/stat"));
        // One that has ended is there until it was waited for.
        state.is_ok_and(|state| !state.contains(") Z "))
    };
    while pids.iter().any(is_alive) {
        thread::sleep(Duration::from_millis(10));
    }
}

fn start(mut command: Command) -> Child {
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

#[test]
fn a_signal_ends_a_command_and_all_that_it_started() {
    let home = Home::new();
    let script = stubborn(&home);
    let config = format!("[profiles.work]\nbase_url = \"http://127.0.0.1:9\"\napi_key_command = \"{script}\"\n");
    home.file(".config/bourse/config.toml", &config, 0o600);
    let pick = ["pick", "--exec", &script];
    let watch = ["--freeze", "watch", "--if", "dph_total<9", "--exec", &script];
    let key = ["offers", "--profile", "work"];
    let cases = [
        (&pick[..], Signal::HUP, 129),
        (&pick, Signal::INT, 130),
        (&pick, Signal::QUIT, 131),
        (&pick, Signal::TERM, 143),
        (&watch, Signal::HUP, 129),
        // Not met: the command did not end.
        (&watch, Signal::INT, 4),
        (&watch, Signal::TERM, 4),
        (&key, Signal::INT, 130),
        (&key, Signal::TERM, 143),
    ];
    for (arguments, signal, status) in cases.into_iter().filter(|(_, signal, _)| is_noticed(*signal)) {
        let mut bourse = start(home.bourse(arguments));
        let pids = processes(&script);
        send_signal(bourse.id(), signal);
        let ended = bourse.wait().unwrap();
        assert_eq!(ended.code(), Some(status), "{arguments:?} {signal:?}");
        wait_until_gone(&pids);
    }
}

#[test]
fn a_program_that_was_started_to_survive_a_hang_up_does() {
    let home = Home::new();
    let script = stubborn(&home);
    let program = home.bourse(&["pick", "--exec", &script]);
    let mut shell = Command::new("sh");
    shell
        .args(["-c", "trap '' HUP; exec \"$@\"", "sh"])
        .arg(program.get_program())
        .args(program.get_args());
    let variables = program.get_envs().filter_map(|(name, value)| Some((name, value?)));
    shell.env_clear().envs(variables).stdin(Stdio::null());
    let mut bourse = start(shell);
    let pids = processes(&script);
    send_signal(bourse.id(), Signal::HUP);
    send_signal(bourse.id(), Signal::TERM);
    assert_eq!(bourse.wait().unwrap().code(), Some(143));
    wait_until_gone(&pids);
}

#[test]
fn what_a_command_that_succeeded_left_running_goes_on() {
    let home = Home::new();
    let script = home.file(
        "done",
        "#!/bin/sh\nsleep 1000 >&- 2>&- &\necho $! > \"$0.pids\"\n",
        0o755,
    );
    let script = script.to_str().unwrap();
    assert!(
        start(home.bourse(&["pick", "--exec", script]))
            .wait()
            .unwrap()
            .success()
    );
    let pid = processes(script)[0].parse().unwrap();
    // It fails if there is none.
    send_signal(pid, Signal::KILL);
}

#[test]
fn what_a_key_command_complains_of_is_not_shown() {
    let home = Home::new();
    let script = home.file("key", "#!/bin/sh\necho canary-complaint >&2\nexit 3\n", 0o755);
    let script = script.to_str().unwrap();
    let config = format!("[profiles.work]\nbase_url = \"http://127.0.0.1:9\"\napi_key_command = \"{script}\"\n");
    home.file(".config/bourse/config.toml", &config, 0o600);
    let output = home.bourse(&["offers", "--profile", "work"]).output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    let why = format!("the profile's key command failed: {script}: exit status: 3; run it yourself to see why");
    assert!(err.contains(&why) && !err.contains("canary-complaint"), "{err}");
}

/// A dashboard whose editor is a script, and the editor opened.
fn editing(script: &str) -> Pty {
    let mut pty = Pty::bourse(&["--freeze"], &[("EDITOR", script)], 100, 30);
    pty.wait_for("offers", |screen| screen.contents().contains("RTX"));
    pty.keys(":edit-config<Enter>");
    pty
}

#[test]
fn an_editor_ends_with_the_dashboard() {
    let home = Home::new();
    let script = stubborn(&home);
    let pty = editing(&script);
    let pids = processes(&script);
    pty.signal(Signal::TERM);
    pty.exit().assert_clean(143);
    wait_until_gone(&pids);
}

#[test]
fn an_editor_has_the_terminal_and_its_interrupts() {
    let home = Home::new();
    let script = home.file(
        "editor",
        "#!/bin/sh\ntrap 'echo interrupted' INT\n\
         until test \"$group\" -a \"$group\" = \"$front\"; do read _ _ _ _ group _ _ front _ < /proc/$$/stat; done\n\
         echo asking\n\
         until test \"$line\" = yes; do read line; done\nprintf '[keys]\\nsort = \"S\"\\n' > \"$1\"\n",
        0o755,
    );
    let mut pty = editing(script.to_str().unwrap());
    pty.wait_for_text("asking");
    // It asks once it has the terminal: an earlier one would be for bourse.
    pty.keys("<C-c>");
    pty.wait_for_text("interrupted");
    pty.keys("yes<Enter>");
    pty.wait_for_text("Configuration reloaded");
    pty.keys("q");
    pty.exit().assert_clean(0);
}

#[test]
fn a_command_may_ask_on_the_terminal_which_comes_back() {
    let home = Home::new();
    let script = home.file("ask", "#!/bin/sh\necho asking\nread word\necho got $word\n", 0o755);
    let bourse = format!("'{}' --latency 0", env!("CARGO_BIN_EXE_bourse"));
    let pick = format!("{bourse} pick --exec {}", script.to_str().unwrap());
    let then = format!("{pick}; read word; echo then $word");
    let mut pty = Pty::spawn(Path::new("/bin/sh"), &["-c", &then], &[], 100, 30);
    pty.wait_for_text("asking");
    pty.keys("one<Enter>");
    pty.wait_for_text("got one");
    pty.keys("two<Enter>");
    pty.wait_for_text("then two");
    pty.exit().assert_clean(0);
}

#[test]
fn ctrl_z_stops_a_command_and_bourse_and_both_go_on() {
    let home = Home::new();
    let script = home.file("ask", "#!/bin/sh\necho asking\nread word\necho got $word\n", 0o755);
    let mut pty = Pty::shell();
    let bourse = format!("'{}' --latency 0", env!("CARGO_BIN_EXE_bourse"));
    pty.keys(&format!(
        "clear; {bourse} pick --exec {}<Enter>",
        script.to_str().unwrap()
    ));
    pty.wait_for("the command", |screen| {
        screen.contents().lines().any(|line| line.trim_end() == "asking")
    });
    pty.keys("<C-z>");
    pty.wait_for_prompt();
    pty.keys("fg<Enter>");
    pty.keys("one<Enter>");
    pty.wait_for_text("got one");
    pty.leave_shell();
    pty.exit().assert_clean(7);
}
