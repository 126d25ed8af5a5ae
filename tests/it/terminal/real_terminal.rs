//! The real program in a pseudo-terminal: it starts on the sandbox with nothing configured, and
//! gives the terminal back on every way out.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use rustix::process::Signal;

use crate::pty_support::Pty;

const PROGRAM: &str = env!("CARGO_BIN_EXE_bourse");

/// The dashboard with offers on the screen. The past of so few takes no time from what is tested.
fn started() -> Pty {
    let pty = Pty::bourse(&["--offers", "60"], &[], 100, 30);
    showing_offers(&pty);
    pty
}

#[track_caller]
fn showing_offers(pty: &Pty) {
    pty.wait_for("offers", |screen| {
        let text = screen.contents();
        // First rows can show before the response is complete.
        // The notice that the past is recorded takes the place of the age for some seconds.
        let is_complete = text.contains("updated") || text.contains("All ");
        screen.alternate_screen() && text.contains("SANDBOX") && is_complete
    });
}

#[test]
fn both_keys_that_quit_end_it_with_0() {
    for key in ["q", "<C-c>"] {
        let mut pty = started();
        pty.keys(key);
        pty.exit().assert_clean(0);
    }
}

#[test]
fn signals_end_it_with_128_and_their_number() {
    let cases = [
        (Signal::HUP, 129),
        (Signal::INT, 130),
        (Signal::QUIT, 131),
        (Signal::TERM, 143),
    ];
    for (signal, status) in cases {
        let pty = started();
        pty.signal(signal);
        pty.exit().assert_clean(status);
    }
}

#[test]
fn a_closed_terminal_ends_it() {
    let mut pty = started();
    pty.hang_up();
    let exit = pty.exit();
    assert_eq!((exit.status, exit.signal), (129, None));
}

#[test]
fn a_start_that_fails_leaves_the_terminal_untouched() {
    for arguments in [
        &["--profile", "nowhere"][..],
        &["--base-url", "http://user@127.0.0.1:1"],
        &["--api-key-file", "/nonexistent", "--base-url", "http://127.0.0.1:1"],
    ] {
        let exit = Pty::bourse(arguments, &[], 100, 30).exit();
        exit.assert_clean(2);
        assert!(!exit.log_text().contains('\x1b'), "{}", exit.text);
    }
}

fn every_way_out() {
    both_keys_that_quit_end_it_with_0();
    signals_end_it_with_128_and_their_number();
    a_closed_terminal_ends_it();
    a_start_that_fails_leaves_the_terminal_untouched();
    super::guard::a_panic_of_the_drawing_thread_restores_the_terminal_then_speaks();
}

#[test]
#[ignore = "long: every way out twenty times"]
fn every_way_out_twenty_times() {
    for _ in 0..20 {
        every_way_out();
    }
}

/// The screen but for the age of the rows and the market line, which change meanwhile.
fn without_ages(screen: &vt100::Screen) -> Vec<String> {
    let rows = screen.rows(0, screen.size().1.get()).enumerate();
    rows.filter(|(index, row)| *index != 1 && !row.contains(" ago") && !row.contains("updated"))
        .map(|(_, row)| row)
        .collect()
}

/// Stops the program by its key and continues it, so many times: the
/// screen is the same each time.
fn stop_and_continue(times: usize) {
    let mut shell = Pty::shell();
    shell.keys(&format!("'{PROGRAM}' --freeze --latency 0<Enter>"));
    showing_offers(&shell);
    shell.keys("jjj");
    shell.wait_for_text("4 of 500");
    // Folded: the preview says how long the offer has been seen.
    shell.keys("z");
    shell.wait_for_text("Preview hidden");
    shell.wait_for("the folded preview, and its notice gone", |screen| {
        !screen.contents().contains("R machine & host") && !screen.contents().contains("Preview hidden")
    });
    // The frame that folds it may still be on its way.
    let before = loop {
        let seen = without_ages(&shell.screen());
        std::thread::sleep(Duration::from_millis(100));
        if seen == without_ages(&shell.screen()) {
            break seen;
        }
    };
    for _ in 0..times {
        shell.keys("<C-z>");
        shell.wait_for_prompt();
        shell.keys("fg<Enter>");
        shell.wait_for("the same screen", |screen| without_ages(screen) == before);
    }
    shell.keys("q");
    shell.leave_shell();
    shell.exit().assert_clean(7);
}

#[test]
fn it_stops_and_continues_under_a_shell() {
    stop_and_continue(5);
}

#[test]
#[ignore = "long: every stop and continuation a hundred times"]
fn every_stop_and_continuation_shows_the_same_screen() {
    stop_and_continue(100);
}

#[test]
fn it_survives_any_size_and_says_when_it_is_too_small() {
    let mut pty = started();
    for (cols, rows) in [(1, 1), (3, 3), (120, 1), (1, 40), (39, 10), (40, 9)] {
        pty.resize(cols, rows);
    }
    pty.wait_for("one line", |screen| {
        let text = screen.contents();
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        lines.count() == 1 && text.contains("40")
    });
    pty.resize(40, 10);
    pty.wait_for("the panes", |screen| screen.contents().contains("Offers"));
    pty.resize(100, 30);
    showing_offers(&pty);
    pty.keys("q");
    pty.exit().assert_clean(0);
}

#[test]
fn it_writes_nowhere_but_in_its_own_folders() {
    let mut pty = started();
    pty.keys("q");
    let home = pty.home().to_owned();
    let seen = pty.wait_for("the end", |screen| !screen.alternate_screen());
    assert!(!seen.contains("fault"), "{seen}");
    for folder in [home.join("data"), home.join("cache"), home.join("run")] {
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0, "{folder:?}");
    }
    for entry in std::fs::read_dir(&home).unwrap() {
        let name = entry.unwrap().file_name();
        let known = ["config", "state", "data", "cache", "run"];
        assert!(known.iter().any(|known| name == *known), "{name:?}");
    }
    pty.exit().assert_clean(0);
}
#[test]
fn without_a_terminal_it_says_so_in_a_line_and_exits_with_2() {
    let output = Command::new(PROGRAM)
        .env_clear()
        .env("HOME", Path::new("/nonexistent"))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(said.contains("terminal"), "{said}");
    assert!(!said.contains('\x1b'), "{said}");
}

#[cfg(target_os = "linux")]
#[test]
fn it_leaves_no_core_file_that_could_hold_the_key() {
    let mut pty = started();
    let limits = std::fs::read_to_string(format!("/proc/{}/limits", pty.id())).unwrap();
    let line = limits.lines().find(|line| line.starts_with("Max core file size"));
    let words: Vec<&str> = line.unwrap().split_whitespace().collect();
    assert_eq!(words[4..6], ["0", "0"]);
    pty.keys("q");
    pty.exit().assert_clean(0);
}
