//! No empty rooms: the largest blank rectangle of each view, as a share of the screen.
//!
//! `cargo test --test it rooms -- --nocapture` prints all figures.

use ratatui::buffer::Buffer;

use super::desk;
use super::script::Script;
use crate::cases::cases;

const ALL: &[(u16, u16)] = &[(80, 24), (120, 40), (200, 60)];
const LARGE: &[(u16, u16)] = &[(200, 60)];
const ENDS: &[(u16, u16)] = &[(80, 24), (200, 60)];

/// A view, the keys that lead to it, the sizes it is measured at, and the largest blank share in percent.
type Room = (&'static str, &'static str, &'static [(u16, u16)], f64);

const ROOMS: [Room; 16] = [
    ("Offers", "press down", ALL, 22.0),
    (
        "Few offers",
        "given a recorded week\npress /\ntype 8x h100\npress enter",
        ALL,
        22.0,
    ),
    ("JSON tab", "press enter tab tab tab", LARGE, 22.0),
    ("Details", "press down enter", ALL, 25.0),
    (
        "Details, a past",
        "given a recorded week\npress down down down down enter",
        ALL,
        25.0,
    ),
    ("History", "given a recorded week\npress H", ALL, 22.0),
    (
        "History, a month",
        "given a recorded week\npress H right right",
        ALL,
        22.0,
    ),
    ("Requests", "press 2 4", ALL, 27.0),
    (
        "Requests, a run",
        "press 3 t down down right\npress enter\nwait 30s\npress 4",
        ALL,
        22.0,
    ),
    ("A request", "press 2 4 enter", LARGE, 29.0),
    ("Workergroups", "press 3", ENDS, 25.5),
    ("A workergroup", "press 3 enter", ALL, 25.5),
    ("New group", "press 3 n", ENDS, 26.0),
    ("Route form", "press 3 t", ENDS, 22.0),
    ("Market", "press m", ALL, 22.0),
    ("Filters", "press f", ALL, 22.0),
];

/// The largest rectangle of blank cells as a share of the screen.
fn blank(screen: &Buffer) -> (f64, (usize, usize)) {
    let columns = usize::from(screen.area.width);
    let mut heights = vec![0_usize; columns];
    let (mut most, mut sides) = (0, (0, 0));
    for row in screen.content.chunks(columns) {
        for (height, cell) in heights.iter_mut().zip(row) {
            *height = if matches!(cell.symbol(), " " | "\u{2800}") {
                *height + 1
            } else {
                0
            };
        }
        for left in 0..columns {
            let mut lowest = heights[left];
            for (right, height) in heights.iter().enumerate().skip(left) {
                lowest = lowest.min(*height);
                let area = lowest * (right - left + 1);
                if area > most {
                    (most, sides) = (area, (right - left + 1, lowest));
                }
            }
        }
    }
    (most as f64 / screen.content.len() as f64 * 100.0, sides)
}

fn seen(keys: &str, size: (u16, u16)) -> Buffer {
    let script = Script::read("rooms", &format!("A view\n{keys}"));
    desk::play(&script, size).shots.pop().unwrap().1
}

fn text(screen: &Buffer) -> String {
    let rows = screen.content.chunks(usize::from(screen.area.width));
    let row = |row: &[ratatui::buffer::Cell]| row.iter().map(|cell| cell.symbol()).collect::<String>();
    rows.map(row).collect::<Vec<_>>().join("\n")
}

#[test]
#[expect(clippy::print_stdout)] // All figures, with --nocapture.
fn no_view_is_an_empty_room() {
    let mut too_blank = String::new();
    let step = cases(3, 1);
    for (turn, (name, keys, sizes, bound)) in ROOMS.into_iter().enumerate() {
        for size in sizes.iter().skip(turn % step.min(sizes.len())).step_by(step) {
            let screen = seen(keys, *size);
            let (share, (wide, high)) = blank(&screen);
            let figure = format!(
                "{name} {}x{}: {share:.1} % ({wide}x{high}), at most {bound} %",
                size.0, size.1
            );
            println!("{figure}");
            if share > bound {
                too_blank += &format!("{figure}\n{}\n", text(&screen));
            }
        }
    }
    assert!(too_blank.is_empty(), "{too_blank}");
}
