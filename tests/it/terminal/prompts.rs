//! The questions of commands that write: only typing answers them, and the terminal is as before in every outcome.

use rustix::process::Signal;

use crate::cli::commands::Home;
use crate::pty_support::Pty;
use crate::recorder::{Recorder, json};

const QUESTION: &str = "Type 7311 to send it, or press Enter to cancel:";

fn market() -> Recorder {
    Recorder::start(|_, _| json(200, r#"{"success":true,"msg":"Unlisted."}"#))
}

/// A command that asks, with a question on its screen.
fn asked(recorder: &Recorder, command: &[&str], question: &str) -> Pty {
    let url = recorder.url();
    let arguments = [command, &["--base-url", &url]].concat();
    let pty = Pty::bourse(&arguments, &[("BOURSE_API_KEY", "canary-key-51ab")], 100, 30);
    pty.wait_for_text(question);
    pty
}

fn unlist(recorder: &Recorder) -> Pty {
    asked(recorder, &["unlist", "7311"], QUESTION)
}

#[test]
fn a_paste_answers_no_question() {
    let recorder = market();
    let create = ["groups", "create", "--endpoint", "chat", "--template-id", "7"];
    for (command, question, word) in [
        (&["unlist", "7311"][..], QUESTION, "7311"),
        (&create, "Type create to send it", "create"),
    ] {
        // Also one that holds the sequence that ends a paste.
        for text in [format!("{word}\r"), word.to_owned(), format!("x\x1b[201~{word}\r")] {
            let mut pty = asked(&recorder, command, question);
            pty.paste(&text);
            pty.wait_for_text("Can't paste here: type it.");
            pty.keys("<Enter>");
            pty.wait_for_text("cancelled: nothing was sent");
            pty.exit().assert_clean(1);
        }
    }
    assert!(recorder.requests().is_empty());
    // Typing does, after a paste too.
    let mut pty = unlist(&recorder);
    pty.paste("7311\r");
    pty.wait_for_text("Can't paste here: type it.");
    pty.keys("72<Backspace>311<Enter>");
    pty.wait_for_text("Unlisted.");
    pty.exit().assert_clean(0);
    assert_eq!(recorder.requests().len(), 1);
}

#[test]
fn text_that_was_there_before_the_question_answers_nothing() {
    let recorder = market();
    let home = Home::new();
    // The command waits for its key while the text is typed.
    let key = home.file(
        "key",
        "#!/bin/sh\nuntil test -e \"$0.go\"; do sleep 0.02; done\necho canary-key-51ab\n",
        0o755,
    );
    let (key, go) = (key.to_str().unwrap(), format!("{}.go", key.to_str().unwrap()));
    let config = format!(
        "[profiles.work]\nbase_url = \"{}\"\napi_key_command = \"{key}\"\n",
        recorder.url()
    );
    home.file("bourse/config.toml", &config, 0o600);
    let variables = [("XDG_CONFIG_HOME", home.path().to_str().unwrap())];
    for early in ["7311\r", "7311\r7311\r", "\x1b[200~7311\r\x1b[201~7311\r"] {
        let _ = std::fs::remove_file(&go);
        let mut pty = Pty::bourse(&["unlist", "7311", "--profile", "work"], &variables, 100, 30);
        pty.send(early.as_bytes());
        // The terminal has it once it shows it.
        pty.wait_for_text("7311");
        std::fs::write(&go, "").unwrap();
        pty.wait_for_text(QUESTION);
        pty.keys("<Enter>");
        pty.wait_for_text("cancelled: nothing was sent");
        pty.exit().assert_clean(1);
    }
    assert!(recorder.requests().is_empty());
}

#[test]
fn leaving_a_question_sends_nothing_and_restores_the_terminal() {
    let recorder = market();
    let mut pty = unlist(&recorder);
    pty.keys("7311<C-c>");
    pty.wait_for_text("cancelled: nothing was sent");
    pty.exit().assert_clean(130);
    for (signal, status) in [
        (Signal::HUP, 129),
        (Signal::INT, 130),
        (Signal::QUIT, 131),
        (Signal::TERM, 143),
        (Signal::USR1, 138),
        (Signal::ABORT, 134),
    ] {
        let mut pty = unlist(&recorder);
        pty.keys("7311");
        pty.wait_for_text("cancel: 7311");
        pty.signal(signal);
        pty.exit().assert_clean(status);
    }
    assert!(recorder.requests().is_empty());
}

#[test]
fn a_question_ends_with_its_terminal_though_the_signal_is_ignored() {
    let recorder = market();
    let url = recorder.url();
    let program = concat!("'", env!("CARGO_BIN_EXE_bourse"), "'");
    let home = Home::new();
    let ended = home.path().join("ended");
    let script = format!(
        "trap '' HUP; {program} unlist 7311 --base-url {url} >out 2>/dev/tty; echo $? > {}",
        ended.display()
    );
    let mut pty = Pty::spawn(std::path::Path::new("/bin/sh"), &["-c", &script], &[], 100, 30);
    pty.wait_for_text(QUESTION);
    // The end of the writer sends a Ctrl-d, which would cancel an empty answer.
    pty.keys("7");
    pty.wait_for_text("cancel: 7");
    pty.hang_up();
    while !ended.exists() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    pty.wait_for_end();
    assert_eq!(std::fs::read_to_string(ended).unwrap(), "129\n");
    assert!(recorder.requests().is_empty());
}

#[test]
fn a_question_outlasts_a_stop() {
    let recorder = market();
    let mut pty = Pty::shell();
    let program = concat!("'", env!("CARGO_BIN_EXE_bourse"), "'");
    let url = recorder.url();
    pty.keys(&format!("clear; {program} unlist 7311 --base-url {url}<Enter>"));
    pty.wait_for_text(QUESTION);
    pty.keys("73<C-z>");
    pty.wait_for_prompt();
    pty.keys("fg<Enter>");
    pty.wait_for("the question", |screen| {
        let shown = screen.contents();
        shown.trim_end().ends_with("cancel: 73") && screen.bracketed_paste()
    });
    pty.keys("11<Enter>");
    pty.wait_for_text("Unlisted.");
    pty.leave_shell();
    pty.exit().assert_clean(7);
    assert_eq!(recorder.requests().len(), 1);
}
