//! The pictures of the guide, taken from the real program on the frozen sandbox.
//!
//! `assets/screenshots/take` retakes them; it sets `BOURSE_WRITE_DOCS`. Otherwise a test only
//! looks whether they are there, and whether what draws them draws well.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::num::NonZeroU16;
use std::path::PathBuf;
use std::time::Duration;

use unicode_width::UnicodeWidthStr;
use vt100::{Color, Screen};

use super::guide::pages;
use crate::pty_support::Pty;

/// Width and height of a cell, in units of the picture.
pub const CELL: (f64, f64) = (8.4, 18.0);
/// The rim around the screen.
pub const RIM: f64 = 12.0;
/// The colours of the picture's terminal where the program names none.
#[derive(Clone, Copy)]
pub struct Terminal {
    pub background: &'static str,
    foreground: &'static str,
    /// What `COLORFGBG` says of it.
    variable: &'static str,
}

pub const DARK: Terminal = Terminal {
    background: "#15171e",
    foreground: "#d5d9e4",
    variable: "15;0",
};
const LIGHT: Terminal = Terminal {
    background: "#fafafa",
    foreground: "#1f2328",
    variable: "0;15",
};

/// The first sixteen colours of the palette.
const SIXTEEN: [&str; 16] = [
    "#15171e", "#f7768e", "#9ece6a", "#e0af68", "#7aa2f7", "#bb9af7", "#7dcfff", "#a9b1d6", "#6b7394", "#ff899d",
    "#b4e682", "#ffc777", "#96b4ff", "#cdafff", "#a0e1ff", "#e6ebff",
];

/// A picture, and what is done for it.
struct Shot {
    name: &'static str,
    /// Columns and rows.
    size: (u16, u16),
    terminal: Terminal,
    /// A text to wait for, then keys.
    steps: &'static [(&'static str, &'static str)],
}

/// An offer search with a job: rows, preview, signs and computed columns at once.
const JOB: &[(&str, &str)] = &[
    (
        "First 500, more exist",
        "/ gpu_name=RTX_4090 geolocation in EUROPE dph<lt>1<Enter>",
    ),
    ("updated ", "J3d<Tab><Tab>200<Enter>"),
    ("Job $", "sjob<Enter>"),
    ("Job $ ▲", ""),
];

const SHOTS: &[Shot] = &[
    Shot {
        name: "desk",
        size: (120, 40),
        terminal: DARK,
        steps: JOB,
    },
    Shot {
        name: "desk-wide",
        size: (200, 60),
        terminal: DARK,
        steps: &[("First 500, more exist", "jj"), ("3 of 500", "")],
    },
    Shot {
        name: "plot",
        size: (120, 40),
        terminal: DARK,
        steps: &[
            ("First 500, more exist", "p"),
            ("Pareto front", "<Right><Right>"),
            ("◎", ""),
        ],
    },
    Shot {
        name: "market",
        size: (120, 40),
        terminal: DARK,
        steps: &[("First 500, more exist", "m"), ("Machines by price", "")],
    },
    Shot {
        name: "route-lab",
        size: (120, 40),
        terminal: DARK,
        steps: &[
            ("First 500, more exist", "3"),
            ("llama-70b", "t"),
            ("New run", "<Down><Down><Down><C-u>600<Down><C-u>8<Down>100<Enter>"),
            ("Start this run?", "y"),
            ("Done", ""),
        ],
    },
    Shot {
        name: "workergroup",
        size: (120, 40),
        terminal: DARK,
        steps: &[
            ("First 500, more exist", "/ gpu_name=RTX_4090 geolocation in EU<Enter>"),
            ("All 21 offers", "n"),
            ("blank fields are omitted", "eu-4090s<PageDown>"),
            // The preflight has run by itself.
            ("(10%)", ""),
        ],
    },
    Shot {
        name: "light",
        size: (120, 40),
        terminal: LIGHT,
        steps: JOB,
    },
];

pub fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("assets/screenshots")
}

fn colour(colour: Color, default: &str) -> String {
    match colour {
        Color::Default => default.to_owned(),
        Color::Rgb(red, green, blue) => format!("#{red:02x}{green:02x}{blue:02x}"),
        Color::Idx(index @ 0..16) => SIXTEEN[usize::from(index)].to_owned(),
        Color::Idx(index @ 16..232) => {
            let part = |by: u8| match (index - 16) / by % 6 {
                0 => 0,
                step => 55 + 40 * step,
            };
            format!("#{:02x}{:02x}{:02x}", part(36), part(6), part(1))
        }
        Color::Idx(index) => {
            let grey = 8 + 10 * (index - 232);
            format!("#{grey:02x}{grey:02x}{grey:02x}")
        }
    }
}

/// How a cell is written: colour, background, weight.
#[derive(Clone, PartialEq)]
struct Style {
    ink: String,
    paper: String,
    bold: bool,
    dim: bool,
    underline: bool,
}

fn style(cell: &vt100::Cell, terminal: Terminal) -> Style {
    let mut style = Style {
        ink: colour(cell.fgcolor(), terminal.foreground),
        paper: colour(cell.bgcolor(), terminal.background),
        bold: cell.bold(),
        dim: cell.dim(),
        underline: cell.underline(),
    };
    if cell.inverse() {
        std::mem::swap(&mut style.ink, &mut style.paper);
    }
    style
}

/// The runs of a line that are written alike: the first column, the cells, the text.
fn runs(screen: &Screen, row: u16, terminal: Terminal) -> Vec<(u16, u16, String, Style)> {
    let mut runs: Vec<(u16, u16, String, Style)> = Vec::new();
    for column in 0..screen.size().1.get() {
        let Some(cell) = screen.cell(row, column) else {
            continue;
        };
        if cell.is_wide_continuation() {
            if let Some(run) = runs.last_mut() {
                run.1 += 1;
            }
            continue;
        }
        let (style, text) = (style(cell, terminal), cell.contents());
        let text = if text.is_empty() { " " } else { text };
        match runs.last_mut() {
            Some((_, cells, own, last)) if *last == style => {
                *cells += 1;
                own.push_str(text);
            }
            _ => runs.push((column, 1, text.to_owned(), style)),
        }
    }
    runs
}

/// The words of a run, each with the cells in front of it.
fn words(run: &str) -> Vec<(usize, &str)> {
    run.split_whitespace()
        .map(|word| {
            let byte = word.as_ptr() as usize - run.as_ptr() as usize;
            (UnicodeWidthStr::width(&run[..byte]), word)
        })
        .collect()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// A line of the screen, in its place in the picture.
pub fn row_svg(screen: &Screen, row: u16, terminal: Terminal) -> String {
    let mut text = String::new();
    let top = RIM + CELL.1 * f64::from(row);
    for (column, cells, run, style) in runs(screen, row, terminal) {
        let (x, wide) = (RIM + CELL.0 * f64::from(column), CELL.0 * f64::from(cells));
        if style.paper != terminal.background {
            let _ = writeln!(
                text,
                "<rect x=\"{x:.1}\" y=\"{top:.1}\" width=\"{wide:.1}\" height=\"{:.1}\" fill=\"{}\"/>",
                CELL.1, style.paper
            );
        }
        let weight = if style.bold { " font-weight=\"bold\"" } else { "" };
        let faint = if style.dim { " opacity=\"0.6\"" } else { "" };
        let line = if style.underline {
            " text-decoration=\"underline\""
        } else {
            ""
        };
        // Each word in its own place, so that no font moves the columns.
        for (from, word) in words(&run) {
            let from = x + CELL.0 * from as f64;
            let _ = writeln!(
                text,
                "<text x=\"{from:.1}\" y=\"{:.1}\" fill=\"{}\"{weight}{faint}{line} \
                 textLength=\"{:.1}\" lengthAdjust=\"spacingAndGlyphs\">{}</text>",
                top + 13.5,
                style.ink,
                CELL.0 * UnicodeWidthStr::width(word) as f64,
                escaped(word)
            );
        }
    }
    text
}

/// The screen as a picture that scales.
fn svg(screen: &Screen, terminal: Terminal) -> String {
    let (rows, columns) = (screen.size().0.get(), screen.size().1.get());
    let width = CELL.0 * f64::from(columns) + 2.0 * RIM;
    let height = CELL.1 * f64::from(rows) + 2.0 * RIM;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
         font-family=\"'DejaVu Sans Mono', Menlo, Consolas, monospace\" font-size=\"14\">\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{}\"/>\n",
        terminal.background
    );
    for row in 0..rows {
        let _ = write!(text, "{}", row_svg(screen, row, terminal));
    }
    text.push_str("</svg>\n");
    text
}

/// Takes a picture of the real program.
fn take(shot: &Shot) {
    let arguments = ["--seed", "7", "--freeze"];
    let colours = [("COLORTERM", "truecolor"), ("COLORFGBG", shot.terminal.variable)];
    let (columns, rows) = shot.size;
    let mut program = Pty::bourse(&arguments, &colours, columns, rows);
    for (text, keys) in shot.steps {
        program.wait_for_text(text);
        program.keys(keys);
    }
    // A frame comes in pieces: the picture waits until nothing more comes.
    loop {
        let before = program.screen_text();
        std::thread::sleep(Duration::from_millis(600));
        if program.screen_text() == before {
            break;
        }
    }
    let picture = RefCell::new(String::new());
    program.wait_for("the picture", |screen| {
        picture.replace(svg(screen, shot.terminal));
        true
    });
    std::fs::write(folder().join(format!("{}.svg", shot.name)), picture.take()).unwrap();
    // Twice: where text is typed, the first one only leaves the text.
    program.keys("<C-c><C-c>");
    program.exit();
}

#[test]
fn the_guide_shows_the_real_program() {
    if std::env::var_os("BOURSE_WRITE_DOCS").is_some() {
        // Mostly they wait: side by side they take as long as the slowest.
        std::thread::scope(|scope| {
            for shot in SHOTS {
                scope.spawn(|| take(shot));
            }
        });
    }
    let guide: String = pages().into_iter().map(|page| page.text).collect();
    for Shot { name, .. } in SHOTS {
        let path = format!("assets/screenshots/{name}.svg");
        assert!(guide.contains(&path), "no page shows {path}");
        let picture = std::fs::read_to_string(folder().join(format!("{name}.svg"))).unwrap();
        assert!(picture.contains(">bourse<") || picture.contains(" bourse "), "{path}");
        assert!(picture.contains("SANDBOX"), "{path}");
    }
}

fn cells(count: u16) -> NonZeroU16 {
    NonZeroU16::new(count).unwrap()
}

#[test]
fn a_screen_becomes_a_picture_cell_by_cell() {
    let mut terminal = vt100::Parser::new(cells(1), cells(12), 0);
    terminal.process(b"a<b\x1b[1;31m&\x1b[0;48;5;16m c\x1b[0m \xe6\x97\xa5");
    let picture = svg(terminal.screen(), DARK);
    // Three cells from the rim on; the fourth is bold and red; two on black; a wide sign.
    assert!(picture.contains(">a&lt;b</text>"), "{picture}");
    assert!(
        picture.contains("<text x=\"37.2\" y=\"25.5\" fill=\"#f7768e\" font-weight=\"bold\" textLength=\"8.4\""),
        "{picture}"
    );
    assert!(picture.contains("<rect x=\"45.6\" y=\"12.0\" width=\"16.8\" height=\"18.0\" fill=\"#000000\"/>"));
    assert!(picture.contains("日"), "{picture}");
}
