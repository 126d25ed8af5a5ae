//! The real program among hostile texts: how much it writes, how much memory it takes, and that it
//! still obeys. Times are printed by `measure_hostile_texts`, which only runs when it is asked for.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use ratatui::backend::CrosstermBackend;
use ratatui::layout::Rect;
use ratatui::widgets::List;
use ratatui::{Terminal, TerminalOptions, Viewport};
use rustix::process::Signal;

use crate::pty_support::Pty;
use crate::route_server::{Play, RouteServer};

/// The most bytes that one frame may take.
const FRAME: usize = 64 * 1024;

/// The most memory that the program may ever take, in kB.
const MEMORY: usize = 128 * 1024;

/// Records as the market sends them, the first `hostile` of them with what `members` gives.
fn body(rows: usize, hostile: usize, members: impl Fn(usize) -> String) -> String {
    let record = |row: usize| {
        let own = if row < hostile {
            members(row)
        } else {
            r#""gpu_name":"RTX 4090""#.to_owned()
        };
        format!(r#"{{"id":{row},"machine_id":{row},"num_gpus":1,"dph_total":0.4,{own}}}"#)
    };
    let records: Vec<String> = (0..rows).map(record).collect();
    format!(r#"{{"offers":[{}]}}"#, records.join(","))
}

/// The hostile answers, each at a scale of 1 or 2.
fn cases(scale: usize) -> Vec<(&'static str, String)> {
    let secrets = |_| {
        let secret = |place| format!(r#""key_{place}":"value-of-key-{place:06}""#);
        let all: Vec<String> = (0..200_000 * scale).map(secret).collect();
        format!(r#""gpu_name":"RTX 4090",{}"#, all.join(","))
    };
    vec![
        (
            "one field of 8 MB",
            body(30, 1, |_| {
                let text = "words and words ".repeat(500_000 * scale);
                format!(r#""gpu_name":"{text}""#)
            }),
        ),
        ("200,000 secrets", body(30, 1, secrets)),
        (
            "500 x 16 kB of marks",
            body(500 * scale, 500 * scale, |row| {
                let marks = "\u{301}".repeat(8000);
                format!(r#""gpu_name":"Z{marks}{row}""#)
            }),
        ),
        (
            "astral marks",
            body(300, 300, |row| {
                let text = "𝐙\u{1e8d0}\u{1e8d1}\u{1e8d2}".repeat(400 * scale);
                format!(r#""gpu_name":"{text}{row}","note":"{text}"#) + "\""
            }),
        ),
    ]
}

/// Keys that lead over every screen on which a record's texts stand.
const TOUR: &[&str] = &[
    "j",
    "k",
    "<Enter>",
    "<Tab>",
    "G",
    "g",
    "/",
    "s",
    "<Esc>",
    "<Tab>",
    "<Tab>",
    "j",
    "<PageDown>",
    "G",
    "/",
    "o",
    "<Enter>",
    "n",
    "<Esc>",
    "<Right>",
    "<Left>",
    "?",
    "<Esc>",
    "y",
    "<Esc>",
    "<Esc>",
    ":",
    "<Esc>",
    "/",
    "z",
    "a",
    "<Esc>",
    "4",
    "<Enter>",
    "G",
    "<Esc>",
    "1",
];

fn started(body: &str) -> (Pty, RouteServer) {
    let body = body.to_owned();
    let server = RouteServer::start(move |_, _| Play::Answer(200, body.clone()));
    let pty = Pty::bourse(&["--base-url", &server.url(), "--limit", "4000"], &[], 200, 50);
    pty.wait_for_text("0.4");
    (pty, server)
}

/// Waits until the program has nothing to do: it takes no more time of the processor.
fn settle(pty: &Pty) {
    let used = || {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", pty.id())).unwrap();
        let behind = stat.rsplit(") ").next().unwrap().to_owned();
        let figures: Vec<&str> = behind.split(' ').collect();
        (figures[0].to_owned(), figures[11].to_owned(), figures[12].to_owned())
    };
    let (mut before, mut idle) = (used(), 0);
    while idle < 3 {
        std::thread::sleep(Duration::from_millis(15));
        let now = used();
        idle = if now == before && now.0 == "S" { idle + 1 } else { 0 };
        before = now;
    }
}

/// How long the program has had a processor so far: other programs on the computer do not count.
fn processor_time(pty: &Pty) -> Duration {
    let threads = std::fs::read_dir(format!("/proc/{}/task", pty.id())).unwrap();
    let nanoseconds = threads.filter_map(|thread| {
        let stat = std::fs::read_to_string(thread.ok()?.path().join("schedstat")).ok()?;
        stat.split(' ').next()?.parse::<u64>().ok()
    });
    Duration::from_nanos(nanoseconds.sum())
}

/// The most memory that the program has taken so far, in kB.
fn memory(pty: &Pty) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{}/status", pty.id())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// The longest frame among what was written: each begins with the mark of a synchronised update.
fn longest_frame(log: &[u8]) -> usize {
    let mark = b"\x1b[?2026h";
    let starts: Vec<usize> = log
        .windows(mark.len())
        .enumerate()
        .filter(|(_, window)| window == mark)
        .map(|(at, _)| at)
        .chain([log.len()])
        .collect();
    starts.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap()
}

#[test]
#[cfg(target_os = "linux")]
fn a_hostile_text_fills_neither_the_terminal_nor_the_memory() {
    tour(cases(1).into_iter().take(1));
}

#[test]
#[cfg(target_os = "linux")]
#[ignore = "long: every hostile text on every screen"]
fn hostile_texts_fill_neither_the_terminal_nor_the_memory() {
    tour(cases(1).into_iter());
}

#[cfg(target_os = "linux")]
fn tour(cases: impl Iterator<Item = (&'static str, String)>) {
    for (name, body) in cases {
        let (mut pty, _server) = started(&body);
        for key in TOUR {
            pty.keys(key);
            settle(&pty);
        }
        let memory = memory(&pty);
        assert!(memory <= MEMORY, "{name}: {memory} kB");
        pty.signal(Signal::TERM);
        let exit = pty.exit();
        let frame = longest_frame(&exit.log);
        assert!(frame <= FRAME, "{name}: {frame} bytes");
    }
}

/// The control: without bourse's own bounds the same text fills the terminal.
#[test]
fn ratatui_alone_writes_what_it_is_given() {
    #[derive(Default)]
    struct Counter(usize);
    impl Write for &mut Counter {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut counter = Counter::default();
    let backend = CrosstermBackend::new(&mut counter);
    let viewport = Viewport::Fixed(Rect::new(0, 0, 200, 50));
    let mut terminal = Terminal::with_options(backend, TerminalOptions { viewport }).unwrap();
    let text = format!("Z{}", "\u{301}".repeat(8000));
    let list = List::new((0..50).map(|_| text.as_str()));
    terminal.draw(|frame| frame.render_widget(list, frame.area())).unwrap();
    drop(terminal);
    assert!(counter.0 > 10 * FRAME, "{}", counter.0);
}

/// `BOURSE_TEST_PROGRAM=target/release/bourse` measures a release build.
#[test]
#[ignore = "long: prints times, which mean something of a release build on an idle machine"]
#[cfg(target_os = "linux")]
#[allow(clippy::print_stdout)] // what it is for
fn measure_hostile_texts() {
    for scale in [1, 2] {
        for (name, body) in cases(scale) {
            let (mut pty, _server) = started(&body);
            settle(&pty);
            let mut worst = (Duration::ZERO, "");
            for key in TOUR {
                let before = processor_time(&pty);
                pty.keys(key);
                settle(&pty);
                let took = processor_time(&pty).saturating_sub(before);
                worst = worst.max((took, *key));
            }
            let memory = memory(&pty);
            let before = Instant::now();
            pty.signal(Signal::TERM);
            let exit = pty.exit();
            let (time, key) = worst;
            println!(
                "{name} x{scale}: worst key {key} {time:?} of a processor, longest frame {} B, \
                 {memory} kB, TERM {:?}",
                longest_frame(&exit.log),
                before.elapsed(),
            );
        }
        let (mut pty, _server) = started(&body(500, 0, |_| String::new()));
        pty.keys("/");
        let before = (Instant::now(), processor_time(&pty));
        let used = |before: (Instant, Duration), pty: &Pty| {
            let own = processor_time(pty).saturating_sub(before.1);
            format!("{own:?} of a processor, {:?} in all", before.0.elapsed())
        };
        pty.paste(&"x".repeat(1_000_000 * scale));
        pty.wait_for_text("too long for this field");
        println!("paste of {scale} MB: {}", used(before, &pty));
        let before = (Instant::now(), processor_time(&pty));
        for _ in 0..100 * scale {
            pty.send("x".repeat(1000).as_bytes());
        }
        settle(&pty);
        println!("{scale}00,000 keys: {}", used(before, &pty));
    }
}
