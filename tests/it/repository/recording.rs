//! A recording of the two-minute tour, taken from the real program on the frozen sandbox: as an
//! asciinema file, and as a picture that moves.
//!
//! Time in the recording is counted, not measured: a key takes as long to type as a hand needs, a
//! stop as long as one reads. So two recordings of the same program are alike.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use vt100::Screen;

use super::screenshots::{CELL, DARK, RIM, folder, row_svg};
use crate::pty_support::Pty;

/// Seconds between two keys.
const KEY: f64 = 0.12;

/// Columns and rows.
const SIZE: (u16, u16) = (110, 30);

/// What the recording does: a text to wait for, the keys to press then, and the seconds to look at
/// what they did.
const TOUR: &[(&str, &str, f64)] = &[
    // Search.
    ("First 500, more exist", "", 2.0),
    ("First 500, more exist", "/ gpu_name=RTX_4090 geolocation in EU", 1.0),
    ("geolocation in EU", "<Enter>", 0.5),
    ("All 21 offers", "", 2.5),
    // Price a job, cheapest first.
    ("All 21 offers", "J", 1.5),
    ("Bill on", "3d<Tab><Tab>200", 1.5),
    ("3d", "<Enter>", 2.0),
    ("Job $", "sjob<Enter>", 0.5),
    ("Job $ ▲", "", 2.5),
    // Compare.
    ("Job $ ▲", "<Space>j<Space>v", 0.5),
    ("Compare 2 offers", "", 4.0),
    ("Compare 2 offers", "<Esc>", 0.5),
    // Save the search.
    ("All 17 offers", "b", 1.0),
    ("Save this search", "<Enter>", 0.5),
    ("Query, sort order", "eu-4090s<Enter>", 0.5),
    ("1 saved", "", 2.0),
    ("1 saved", "<Esc>", 0.5),
    // Turn it into a workergroup.
    ("All 17 offers", "n", 1.5),
    ("blank fields are omitted", "eu-4090s", 1.0),
    ("POST http", "<PageDown>", 0.5),
    ("[ Create ]", "<Enter>", 3.5),
    ("Create this workergroup?", "<Right>", 1.0),
    ("Create this workergroup?", "<Enter>", 0.5),
    ("created as", "", 2.0),
    ("created as", "<Enter>", 0.5),
    ("All 5 workergroups", "", 2.0),
    // Test a route.
    ("All 5 workergroups", "jt", 1.0),
    ("New run", "<Down><Down><Down><C-u>200<Down><C-u>8<Down>100", 1.0),
    ("200 requests", "<Enter>", 2.0),
    ("Start this run?", "<Right><Enter>", 0.5),
    ("Done", "", 4.0),
    ("Done", "<Esc>2", 0.5),
    // Unlist a volume.
    ("All 23 network volumes", "u", 1.0),
    ("Listing id", "47939907<Enter>", 2.0),
    ("[ Unlist ]", "<Right><Enter>", 0.5),
    ("47939907 unlisted", "", 2.5),
    ("47939907 unlisted", "<Enter>", 0.5),
    ("All 22 network volumes", "4", 2.0),
    // See what was sent.
    ("Request body", "y", 2.5),
    ("as curl", "c", 2.5),
];

/// The screen at a moment of the recording.
struct Frame {
    at: f64,
    screen: Screen,
}

/// Runs the tour and keeps every screen that differs from the one before.
fn record() -> Vec<Frame> {
    let arguments = ["--seed", "7", "--freeze"];
    let colours = [("COLORTERM", "truecolor"), ("COLORFGBG", "15;0")];
    let mut program = Pty::bourse(&arguments, &colours, SIZE.0, SIZE.1);
    let mut frames: Vec<Frame> = Vec::new();
    let mut at = 0.0;
    for (text, keys, stop) in TOUR {
        program.wait_for_text(text);
        for key in each_key(keys) {
            program.keys(key);
            keep(&mut frames, at, settled(&program));
            at += KEY;
        }
        keep(&mut frames, at, settled(&program));
        at += stop;
    }
    keep(&mut frames, at, settled(&program));
    program.keys("<C-c>");
    program.exit();
    frames
}

/// The keys one by one: `<Enter>` is one.
pub fn each_key(mut keys: &str) -> Vec<&str> {
    let mut all = Vec::new();
    while let Some(first) = keys.chars().next() {
        let end = if first == '<' { keys.find('>') } else { None };
        let (key, rest) = keys.split_at(end.map_or(first.len_utf8(), |end| end + 1));
        all.push(key);
        keys = rest;
    }
    all
}

fn keep(frames: &mut Vec<Frame>, at: f64, screen: Screen) {
    let is_new = frames
        .last()
        .is_none_or(|last| last.screen.contents_formatted() != screen.contents_formatted());
    if is_new {
        frames.push(Frame { at, screen });
    }
}

/// The screen as soon as it rests: a frame comes in pieces.
fn settled(program: &Pty) -> Screen {
    let mut before = program.screen();
    loop {
        std::thread::sleep(Duration::from_millis(60));
        let now = program.screen();
        if now.contents_formatted() == before.contents_formatted() {
            return now;
        }
        before = now;
    }
}

/// The recording in the second format of asciinema: a header, then what the terminal was sent.
fn cast(frames: &[Frame]) -> String {
    let header = serde_json::json!({
        "version": 2, "width": SIZE.0, "height": SIZE.1, "title": "bourse: a tour",
    });
    let mut text = format!("{header}\n");
    let mut before: Option<&Screen> = None;
    for frame in frames {
        let output = match before {
            Some(before) => frame.screen.contents_diff(before),
            None => frame.screen.contents_formatted(),
        };
        let event = serde_json::json!([(frame.at * 1000.0).round() / 1000.0, "o", output]);
        let _ = writeln!(text, "{event}");
        before = Some(&frame.screen);
    }
    text
}

/// The recording as a picture: every line of every screen once, shown while the screens have it.
fn moving_picture(frames: &[Frame]) -> String {
    let width = CELL.0 * f64::from(SIZE.0) + 2.0 * RIM;
    let height = CELL.1 * f64::from(SIZE.1) + 2.0 * RIM;
    let end = frames.last().map_or(1.0, |frame| frame.at).max(1.0);
    // Where a line is shown: from, to, in hundredths of a percent of the whole.
    let mut lines: BTreeMap<(u16, String), Vec<(f64, f64)>> = BTreeMap::new();
    for (index, frame) in frames.iter().enumerate() {
        let until = frames.get(index + 1).map_or(end, |next| next.at);
        for row in 0..SIZE.1 {
            let spans = lines.entry((row, row_svg(&frame.screen, row, DARK))).or_default();
            match spans.last_mut() {
                Some((_, last)) if *last == frame.at => *last = until,
                _ => spans.push((frame.at, until)),
            }
        }
    }
    let mut style = String::new();
    let mut body = String::new();
    for (number, ((_, line), spans)) in lines.iter().enumerate() {
        if line.is_empty() {
            continue;
        }
        if spans.as_slice() == [(0.0, end)] {
            body.push_str(line);
            continue;
        }
        let mut keys = String::new();
        if spans[0].0 > 0.0 {
            keys.push_str("0%{visibility:hidden}");
        }
        for (from, to) in spans {
            let percent = |at: f64| at / end * 100.0;
            let _ = write!(keys, "{:.3}%{{visibility:visible}}", percent(*from));
            if *to < end {
                let _ = write!(keys, "{:.3}%{{visibility:hidden}}", percent(*to));
            }
        }
        let _ = writeln!(style, "@keyframes k{number}{{{keys}}}");
        let _ = writeln!(
            body,
            "<g style=\"animation:k{number} {end:.2}s step-end infinite\">\n{line}</g>"
        );
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
         font-family=\"'DejaVu Sans Mono', Menlo, Consolas, monospace\" font-size=\"14\">\n\
         <style>\n{style}</style>\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{}\"/>\n{body}</svg>\n",
        DARK.background
    )
}

#[test]
fn the_tour_is_recorded() {
    if std::env::var_os("BOURSE_WRITE_DOCS").is_some() {
        let frames = record();
        std::fs::write(folder().join("tour.cast"), cast(&frames)).unwrap();
        std::fs::write(folder().join("tour.svg"), moving_picture(&frames)).unwrap();
    }
    let picture = std::fs::read_to_string(folder().join("tour.svg")).unwrap();
    assert!(picture.contains("@keyframes") && picture.contains("SANDBOX"));
    let cast = std::fs::read_to_string(folder().join("tour.cast")).unwrap();
    let mut before = 0.0;
    for line in cast.lines().skip(1) {
        let event: (f64, String, String) = serde_json::from_str(line).unwrap();
        assert!(event.0 >= before && event.1 == "o", "{line}");
        before = event.0;
    }
    // Two minutes are enough for a tour.
    assert!((20.0..=120.0).contains(&before), "{before} s");
}

#[test]
fn a_line_is_drawn_once_and_shown_while_it_is_there() {
    let screen = |text: &str| {
        let cells = |count: u16| std::num::NonZeroU16::new(count).unwrap();
        let mut terminal = vt100::Parser::new(cells(SIZE.1), cells(SIZE.0), 0);
        terminal.process(text.as_bytes());
        terminal.screen().clone()
    };
    let frame = |at, text: &str| Frame {
        at,
        screen: screen(text),
    };
    let frames = [
        frame(0.0, "stays\r\none"),
        frame(5.0, "stays\r\ntwo"),
        frame(10.0, "stays\r\none"),
    ];
    let picture = moving_picture(&frames);
    assert_eq!(picture.matches(">stays<").count(), 1);
    assert_eq!(picture.matches(">one<").count(), 1);
    assert!(
        picture.contains("0.000%{visibility:visible}50.000%{visibility:hidden}"),
        "{picture}"
    );
    let cast = cast(&frames);
    assert_eq!(cast.lines().count(), 4);
    assert!(cast.lines().nth(2).unwrap().contains("two"));
}
