//! The terminal is given back on every way out, shown by a stand-in for the dashboard: this test
//! binary started again in a pseudo-terminal, running [`stand_in`] with the real
//! [`Screen`], [`Input`], [`Signals`] and [`Watchdog`].

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use bourse::runtime::dashboard::TerminalEvent;
use bourse::runtime::input::Input;
use bourse::runtime::panics::{background_panics, install_panic_hook};
use bourse::runtime::signals::{Signal, Signals, exit_status};
use bourse::runtime::terminal::{HANG_UP_STATUS, Screen, is_hang_up};
use bourse::runtime::watchdog::Watchdog;
use crossterm::event::{Event, KeyCode, KeyModifiers};
use ratatui::text::Line;
use rustix::process::Signal as Sent;

use crate::pty_support::{Exit, Pty, control_sequences, send_signal};

/// Tells the stand-in to run; its value says how it behaves.
const VARIABLE: &str = "BOURSE_TEST_STAND_IN";
/// How the test harness is told to run the stand-in and nothing else.
const ARGUMENTS: [&str; 4] = ["--exact", "terminal::guard::stand_in", "--ignored", "--nocapture"];

/// What the stand-in shows.
#[derive(Default)]
struct View {
    keys: usize,
    pasted: usize,
    clicks: usize,
    panics: usize,
    continued: usize,
}

impl View {
    fn line(&self, size: ratatui::layout::Rect) -> String {
        format!(
            "ready size={}x{} keys={} pasted={} clicks={} panics={} continued={} pid={}.",
            size.width,
            size.height,
            self.keys,
            self.pasted,
            self.clicks,
            self.panics,
            self.continued,
            std::process::id()
        )
    }
}

/// Not a test: the program that the tests below start.
#[test]
#[ignore = "the program that the other tests start"]
fn stand_in() {
    let Ok(behaviour) = std::env::var(VARIABLE) else {
        return;
    };
    install_panic_hook(thread::current().id());
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    let status = runtime.block_on(dashboard(behaviour == "deaf"));
    std::process::exit(status);
}

/// What the stand-in does next.
enum Next {
    Draw,
    Suspend,
    End(i32),
}

/// Runs until a key or a signal ends it; when `deaf` it heeds neither signals nor the watchdog.
async fn dashboard(deaf: bool) -> i32 {
    let Ok(mut screen) = Screen::enter(true, "") else {
        return 2;
    };
    let mut input = Input::start().unwrap();
    let mut signals = None;
    if !deaf {
        signals = Some(Signals::listen(Some(Duration::from_millis(500))).unwrap());
    }
    let mut watchdog = Watchdog::start();
    let mut view = View::default();
    loop {
        let drawn = screen.draw(|frame| {
            let area = frame.area();
            frame.render_widget(Line::raw(view.line(area)), area);
        });
        if let (Next::End(status), false) = (unless_gone(drawn), deaf) {
            return status;
        }
        let next = tokio::select! {
            biased;
            signal = next_signal(&mut signals) => match exit_status(signal) {
                Some(status) => Next::End(status),
                None if signal == Signal::TSTP => Next::Suspend,
                None => {
                    view.continued += 1;
                    unless_gone(screen.resume())
                }
            },
            () = watchdog.hung_up() => if deaf { Next::Draw } else { Next::End(HANG_UP_STATUS) },
            reports = background_panics() => {
                view.panics += reports.len();
                Next::Draw
            }
            incoming = input.next() => match incoming {
                Some(TerminalEvent::Input(events) | TerminalEvent::Pasted(events)) => {
                    answer(events, &mut view, &mut screen)
                }
                // The terminal is gone; the watchdog tells.
                Some(_) | None => std::future::pending().await,
            },
        };
        match next {
            Next::Draw => {}
            Next::Suspend => {
                drop(input);
                screen.suspend().await.unwrap();
                input = Input::start().unwrap();
            }
            Next::End(status) => {
                let _ = screen.leave();
                return status;
            }
        }
    }
}

/// The end when the terminal is gone, as every use of it may be the first to tell.
fn unless_gone(used: std::io::Result<()>) -> Next {
    match used {
        Ok(()) => Next::Draw,
        Err(error) if is_hang_up(&error) => Next::End(HANG_UP_STATUS),
        Err(error) => panic!("{error}"),
    }
}

async fn next_signal(signals: &mut Option<Signals>) -> Signal {
    match signals {
        Some(signals) => signals.next().await,
        None => std::future::pending().await,
    }
}

fn answer(events: Vec<Event>, view: &mut View, screen: &mut Screen) -> Next {
    for event in events {
        match event {
            Event::Paste(text) => view.pasted += text.len(),
            Event::Mouse(_) => view.clicks += 1,
            Event::Key(key) => {
                view.keys += 1;
                let control = key.modifiers.contains(KeyModifiers::CONTROL);
                match key.code {
                    KeyCode::Char('z') if control => return Next::Suspend,
                    KeyCode::Char('q') => return Next::End(0),
                    KeyCode::Char('p') => {
                        let key = String::from("SECRET");
                        panic!("the key is {key:?}");
                    }
                    KeyCode::Char('t') => drop(tokio::spawn(async { panic!("in a task") })),
                    KeyCode::Char('T') => drop(thread::spawn(|| panic!("in a thread"))),
                    KeyCode::Char('y') => screen.copy("a cheap offer").unwrap(),
                    // Stuck for ever, as in a write to a terminal that takes nothing.
                    KeyCode::Char('b') => loop {
                        thread::park();
                    },
                    _ => {}
                }
            }
            _ => {}
        }
    }
    Next::Draw
}

fn this_binary() -> PathBuf {
    std::env::current_exe().unwrap()
}

/// The stand-in as session leader, waiting for keys.
fn start(behaviour: &str) -> Pty {
    start_with(&[(VARIABLE, behaviour)])
}

fn start_with(variables: &[(&str, &str)]) -> Pty {
    let pty = Pty::spawn(&this_binary(), &ARGUMENTS, variables, 80, 24);
    pty.wait_for_text("ready");
    pty
}

/// The command line of the stand-in for a shell.
fn command_line() -> String {
    format!(
        "{VARIABLE}=heeding '{}' {}",
        this_binary().display(),
        ARGUMENTS.join(" ")
    )
}

/// The number after `name=` on the screen.
fn shown(screen: &str, name: &str) -> u32 {
    let after = screen.split(&format!("{name}=")).nth(1).unwrap();
    let digits: String = after.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap()
}

/// How often the alternate screen was left.
fn times_left(exit: &Exit) -> usize {
    let sequences = control_sequences(&exit.log);
    sequences.iter().filter(|s| *s == "?1049l").count()
}

#[test]
fn a_key_ends_it_and_everything_is_as_before() {
    let mut pty = start("heeding");
    pty.wait_for("the modes", |screen| {
        screen.alternate_screen() && screen.bracketed_paste() && screen.hide_cursor()
    });
    pty.keys("acq");
    let exit = pty.exit();
    exit.assert_clean(0);
    // Buttons, drags and wheel, but no plain motion; nothing is asked of the terminal; no title.
    let sequences = control_sequences(&exit.log);
    assert!(sequences.contains(&"?1000h".to_owned()));
    assert!(sequences.contains(&"?1002h".to_owned()));
    for unwanted in ["?1003h", "6n", "c"] {
        assert!(!sequences.contains(&unwanted.to_owned()), "{unwanted}");
    }
    assert!(!exit.log_text().contains("\x1b]"));
}

#[test]
fn a_panic_with_a_backtrace_tells_no_key_of_the_environment_or_the_state() {
    let key = "canary-key-5e19";
    let full = ("RUST_BACKTRACE", "full");
    let mut pty = start_with(&[(VARIABLE, "heeding"), ("BOURSE_API_KEY", key), full]);
    pty.keys("p");
    let exit = pty.exit();
    exit.assert_clean(101);
    let log = exit.log_text();
    assert!(log.contains("stand_in"), "control: the backtrace is there");
    assert!(!log.contains(key) && !log.contains("SECRET"), "{log}");
}

#[test]
pub fn a_panic_of_the_drawing_thread_restores_the_terminal_then_speaks() {
    let mut pty = start("heeding");
    pty.keys("p");
    let exit = pty.exit();
    exit.assert_clean(101);
    let log = exit.log_text();
    let restored = log.rfind("\x1b[?1049l").unwrap();
    let spoken = log.find("internal error at tests/it/terminal/guard.rs").unwrap();
    assert!(restored < spoken);
    assert!(!log.contains("SECRET"), "{log}");
}

#[test]
fn a_panic_elsewhere_keeps_the_screen() {
    let mut pty = start("heeding");
    pty.keys("t");
    pty.wait_for_text("panics=1");
    pty.keys("T");
    pty.wait_for_text("panics=2");
    pty.keys("q");
    let exit = pty.exit();
    exit.assert_clean(0);
    assert_eq!(times_left(&exit), 1);
    assert!(!exit.log_text().contains("internal fault"));
}

#[test]
fn signals_end_it_with_128_and_their_number() {
    let cases = [(Sent::HUP, 129), (Sent::INT, 130), (Sent::QUIT, 131), (Sent::TERM, 143)];
    for (signal, status) in cases {
        let pty = start("heeding");
        pty.signal(signal);
        pty.exit().assert_clean(status);
    }
}

/// Every signal of Linux that ends a program and can be handled; those of a crash (ILL, FPE, SEGV) cannot in safe code.
#[test]
#[cfg(target_os = "linux")]
fn the_terminal_is_restored_whatever_signal_ends_it() {
    // TRAP, ABRT, BUS, USR1, USR2, ALRM, STKFLT, XCPU, VTALRM, PROF, IO, PWR, SYS and some real-time signals.
    for number in [5, 6, 7, 10, 12, 14, 16, 24, 26, 27, 29, 30, 31, 35, 40, 64] {
        let pty = start("heeding");
        let id = pty.id().to_string();
        let sent = Command::new("kill").args([format!("-{number}"), id.clone()]).status();
        assert!(sent.unwrap().success(), "{number}");
        pty.exit().assert_clean(128 + number);
    }
}

#[test]
fn a_signal_ends_it_even_when_it_is_stuck() {
    let mut pty = start("heeding");
    pty.keys("b");
    pty.signal(Sent::TERM);
    pty.exit().assert_clean(143);
}

#[test]
fn half_an_escape_sequence_does_not_stop_it() {
    let mut pty = start("heeding");
    pty.send(b"\x1b[");
    pty.resize(81, 24);
    pty.signal(Sent::TERM);
    pty.exit().assert_clean(143);
}

#[test]
fn a_shell_suspends_and_continues_it() {
    let mut shell = Pty::shell();
    shell.keys(&format!("{}<Enter>", command_line()));
    shell.wait_for_text("ready");
    for round in 1..=3 {
        shell.keys("a<C-z>");
        suspended(&mut shell, round);
        shell.keys("fg<Enter>");
        continued(&shell, 2 * round);
    }
    shell.keys("q");
    shell.leave_shell();
    shell.exit().assert_clean(7);
}

#[test]
fn a_stop_from_outside_gives_the_terminal_back_too() {
    let mut shell = Pty::shell();
    shell.keys(&format!("{}<Enter>", command_line()));
    let id = shown(&shell.wait_for_text("pid="), "pid");
    send_signal(id, Sent::TSTP);
    suspended(&mut shell, 1);
    shell.keys("fg<Enter>");
    continued(&shell, 0);
    // This one cannot be handled: the shell writes on our screen, in raw mode, where Enter is no end
    // of a line. Continued, the program takes its modes again and paints everything.
    send_signal(id, Sent::STOP);
    shell.wait_for("the shell", |screen| screen.contents().contains("topped"));
    shell.send(b"fg\n");
    shell.wait_for("the program", |screen| !screen.contents().contains("topped"));
    shell.keys("aaa");
    continued(&shell, 3);
    shell.keys("q");
    shell.leave_shell();
    shell.exit().assert_clean(7);
}

/// The program is stopped, and the shell has a terminal that echoes and edits lines.
fn suspended(shell: &mut Pty, round: usize) {
    shell.wait_for_prompt();
    shell.keys(&format!("echo again $((40 + {round}))<Enter>"));
    shell.wait_for_text(&format!("again {}", 40 + round));
}

/// The program has the terminal again, and counts the keys it got before.
fn continued(shell: &Pty, keys: usize) {
    shell.wait_for("the program", |screen| {
        screen.alternate_screen()
            && screen.hide_cursor()
            && screen.mouse_protocol_mode() != vt100::MouseProtocolMode::None
            && screen.contents().contains(&format!("keys={keys} "))
    });
}

#[test]
fn nobody_could_continue_a_session_leader_so_it_only_paints_again() {
    let mut pty = start("heeding");
    pty.keys("<C-z>");
    pty.wait_for_text("keys=1 ");
    pty.keys("a");
    pty.wait_for_text("keys=2 ");
    pty.keys("q");
    pty.exit().assert_clean(0);
}

#[test]
fn a_closed_terminal_ends_it() {
    let mut pty = start("heeding");
    pty.hang_up();
    assert_eq!(pty.exit().status, 129);
}

#[test]
fn a_closed_terminal_ends_it_even_when_it_hears_nothing() {
    // SIGHUP is ignored as after nohup, and the program heeds neither signals nor the report.
    let script = "trap '' HUP; exec \"$0\" \"$@\"";
    let program = this_binary();
    let mut arguments = vec!["-c", script, program.to_str().unwrap()];
    arguments.extend(ARGUMENTS);
    let mut pty = Pty::spawn(Path::new("sh"), &arguments, &[(VARIABLE, "deaf")], 80, 24);
    pty.wait_for_text("ready");
    pty.hang_up();
    let exit = pty.exit();
    assert_eq!((exit.status, exit.signal), (129, None));
}

#[test]
fn any_size_is_drawn() {
    let mut pty = start("heeding");
    for (cols, rows) in [(1, 1), (2, 1), (1, 40), (40, 10)] {
        pty.resize(cols, rows);
        let wanted = usize::from(cols).min(5);
        pty.wait_for("the new size", |screen| {
            screen.contents().starts_with(&"ready"[..wanted])
        });
    }
    pty.wait_for_text("size=40x10");
    // A terminal that does not say its size, and one that claims too much.
    pty.resize(0, 0);
    pty.wait_for_text("size=80x24");
    pty.resize(3_000, 100);
    pty.wait_for_text("size=1000x100");
    pty.resize(80, 24);
    pty.wait_for_text("size=80x24");
    pty.keys("q");
    pty.exit().assert_clean(0);
}

#[test]
fn many_keys_at_once_all_arrive() {
    let mut pty = start("heeding");
    pty.send(&[b'a'; 3_000]);
    pty.wait_for_text("keys=3000 ");
    pty.paste(&"x".repeat(5_000));
    pty.wait_for_text("pasted=5000 ");
    pty.keys("q");
    pty.exit().assert_clean(0);
}

#[test]
fn clicks_drags_and_the_wheel_count_but_not_plain_motion() {
    let mut pty = start("heeding");
    // Press, release, wheel, motion with and without a button, then a key.
    pty.send(b"\x1b[<0;3;3M\x1b[<0;3;3m\x1b[<65;3;3M\x1b[<32;4;3M\x1b[<35;5;3Ma");
    let text = pty.wait_for_text("keys=1 ");
    assert_eq!(shown(&text, "clicks"), 4, "all but the motion without a button");
    pty.keys("q");
    pty.exit().assert_clean(0);
}

#[test]
fn a_copy_reaches_the_terminal() {
    let mut pty = start("heeding");
    pty.keys("yq");
    let exit = pty.exit();
    exit.assert_clean(0);
    assert!(exit.log_text().contains("\x1b]52;c;YSBjaGVhcCBvZmZlcg==\x1b\\"));
}

#[test]
fn without_a_terminal_nothing_is_switched() {
    let output = Command::new(this_binary())
        .args(ARGUMENTS)
        .env(VARIABLE, "heeding")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(!output.stdout.contains(&0x1b));
}
