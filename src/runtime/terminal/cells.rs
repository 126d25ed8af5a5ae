//! Cells as escape sequences, with no more bytes than their difference to the cells before them.
//!
//! ratatui's crossterm backend sets both colors when one changes and colors even blanks. Over ssh the
//! bytes of a frame are what is felt.

use std::io::{self, Write};

use crossterm::cursor::{MoveRight, MoveTo};
use crossterm::queue;
use crossterm::style::Colored;
use ratatui::backend::IntoCrossterm;
use ratatui::buffer::Cell;
use ratatui::style::{Color, Modifier};

/// Attributes and how a terminal switches them on and off. Bold and dim have one way off.
const ATTRIBUTES: [(Modifier, &str, &str); 9] = [
    (Modifier::BOLD, "1", "22"),
    (Modifier::DIM, "2", "22"),
    (Modifier::ITALIC, "3", "23"),
    (Modifier::UNDERLINED, "4", "24"),
    (Modifier::SLOW_BLINK, "5", "25"),
    (Modifier::RAPID_BLINK, "6", "25"),
    (Modifier::REVERSED, "7", "27"),
    (Modifier::HIDDEN, "8", "28"),
    (Modifier::CROSSED_OUT, "9", "29"),
];

/// Attributes that show on a blank.
const SHOWN_ON_BLANKS: Modifier = Modifier::UNDERLINED
    .union(Modifier::REVERSED)
    .union(Modifier::CROSSED_OUT);

/// Appends cells and leaves the terminal without color or attribute.
pub(super) fn write<'a>(frame: &mut Vec<u8>, cells: impl Iterator<Item = (u16, u16, &'a Cell)>) -> io::Result<()> {
    let mut pen = Pen::default();
    let mut after: Option<After> = None;
    for (x, y, cell) in cells {
        match after {
            Some(after) if (after.x, after.y) == (x, y) => {}
            Some(after) if after.is_sure && after.y == y && after.x < x => {
                queue!(frame, MoveRight(x - after.x))?;
            }
            Some(_) | None => queue!(frame, MoveTo(x, y))?,
        }
        pen.take(cell, frame)?;
        frame.extend_from_slice(cell.symbol().as_bytes());
        after = Some(After {
            x: x + 1,
            y,
            is_sure: cell.symbol().len() == 1,
        });
    }
    if pen != Pen::default() {
        frame.extend_from_slice(b"\x1b[m");
    }
    Ok(())
}

/// Where a cell that is one column wide leaves the cursor.
#[derive(Debug, Clone, Copy)]
struct After {
    x: u16,
    y: u16,
    /// Whether every terminal agrees on the width.
    is_sure: bool,
}

/// What the terminal writes with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Pen {
    color: Color,
    background: Color,
    underline: Color,
    modifier: Modifier,
}

impl Pen {
    /// Changes what makes a difference to how `cell` looks.
    fn take(&mut self, cell: &Cell, frame: &mut Vec<u8>) -> io::Result<()> {
        let mut next = Self {
            color: cell.fg,
            background: cell.bg,
            underline: cell.underline_color,
            modifier: cell.modifier,
        };
        let shown = SHOWN_ON_BLANKS;
        if cell.symbol() == " " && !(self.modifier | next.modifier).intersects(shown) {
            next = Self {
                background: cell.bg,
                ..*self
            };
        }
        if *self == next {
            return Ok(());
        }
        frame.extend_from_slice(b"\x1b[");
        if next == Self::default() {
            frame.push(b'm');
            *self = next;
            return Ok(());
        }
        self.change_attributes(next.modifier, frame);
        let layers: [(_, _, fn(_) -> Colored); 3] = [
            (self.color, next.color, Colored::ForegroundColor),
            (self.background, next.background, Colored::BackgroundColor),
            (self.underline, next.underline, Colored::UnderlineColor),
        ];
        for (before, color, layer) in layers {
            if before != color {
                write!(frame, "{};", layer(color.into_crossterm()))?;
            }
        }
        // The last separator becomes the end.
        frame.pop();
        frame.push(b'm');
        *self = next;
        Ok(())
    }

    fn change_attributes(&self, next: Modifier, frame: &mut Vec<u8>) {
        let mut push = |code: &str| {
            frame.extend_from_slice(code.as_bytes());
            frame.push(b';');
        };
        let mut known = self.modifier;
        let mut last = "";
        for (attribute, _, off) in ATTRIBUTES {
            if (self.modifier - next).contains(attribute) && off != last {
                push(off);
                last = off;
                // What shares the way off went with it.
                let gone = ATTRIBUTES.iter().filter(|(_, _, reset)| *reset == off);
                gone.for_each(|(attribute, ..)| known -= *attribute);
            }
        }
        for (attribute, on, _) in ATTRIBUTES {
            if (next - known).contains(attribute) {
                push(on);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZero;

    use super::*;
    use proptest::prelude::*;
    use ratatui::backend::{Backend as _, CrosstermBackend};

    const SIZE: (u16, u16) = (12, 3);

    fn screen(bytes: &[u8]) -> vt100::Parser {
        let size = |length| NonZero::new(length).unwrap();
        let mut parser = vt100::Parser::new(size(SIZE.1), size(SIZE.0), 0);
        parser.process(bytes);
        parser
    }

    fn written(cells: &[(u16, u16, Cell)]) -> Vec<u8> {
        let mut frame = Vec::new();
        write(&mut frame, cells.iter().map(|(x, y, cell)| (*x, *y, cell))).unwrap();
        frame
    }

    fn cell(text: &'static str, color: Color, background: Color, modifier: Modifier) -> Cell {
        let mut cell = Cell::new(text);
        (cell.fg, cell.bg, cell.modifier) = (color, background, modifier);
        cell
    }

    fn text(cells: &[(u16, u16, Cell)]) -> String {
        String::from_utf8(written(cells)).unwrap().replace('\x1b', "^")
    }

    #[test]
    fn only_what_changes_is_written() {
        let plain = Modifier::empty();
        let cells = [
            (0, 0, cell("a", Color::Red, Color::Reset, Modifier::BOLD)),
            // A blank shows no color of its own.
            (1, 0, cell(" ", Color::Green, Color::Reset, plain)),
            (2, 0, cell("b", Color::Red, Color::Blue, Modifier::BOLD)),
            (5, 0, cell("c", Color::Reset, Color::Reset, plain)),
            (0, 1, cell("d", Color::Reset, Color::Reset, plain)),
        ];
        assert_eq!(text(&cells), "^[1;1H^[1;38;5;1ma ^[48;5;4mb^[2C^[mc^[2;1Hd");
    }

    #[test]
    fn bold_stays_when_dim_goes() {
        let both = Modifier::BOLD | Modifier::DIM;
        let cells = [
            (0, 0, cell("a", Color::Reset, Color::Reset, both)),
            (1, 0, cell("b", Color::Reset, Color::Reset, Modifier::BOLD)),
        ];
        assert_eq!(text(&cells), "^[1;1H^[1;2ma^[22;1mb^[m");
    }

    #[test]
    fn after_a_character_of_doubtful_width_the_place_is_named() {
        let cells = ["\u{e9}", "b"].map(|text| cell(text, Color::Reset, Color::Reset, Modifier::empty()));
        let [first, second] = cells;
        assert_eq!(text(&[(0, 0, first), (4, 0, second)]), "^[1;1H\u{e9}^[1;5Hb");
    }

    fn color() -> impl Strategy<Value = Color> {
        prop_oneof![
            Just(Color::Reset),
            Just(Color::Red),
            any::<u8>().prop_map(Color::Indexed),
            any::<[u8; 3]>().prop_map(|[r, g, b]| Color::Rgb(r, g, b)),
        ]
    }

    fn drawn() -> impl Strategy<Value = (u16, u16, Cell)> {
        let modifier = prop_oneof![
            Just(Modifier::empty()),
            Just(Modifier::BOLD),
            Just(Modifier::DIM),
            Just(Modifier::UNDERLINED),
            Just(Modifier::ITALIC | Modifier::REVERSED),
        ];
        let text = prop_oneof![Just(" "), Just("x"), Just("\u{e9}"), Just("\u{4e16}")];
        let position = (0..SIZE.0 / 2, 0..SIZE.1);
        (position, text, color(), color(), modifier)
            .prop_map(|((x, y), text, fg, bg, modifier)| (x * 2, y, cell(text, fg, bg, modifier)))
    }

    proptest! {
        #[test]
        fn a_terminal_shows_what_ratatuis_own_backend_makes_it_show(cells in prop::collection::vec(drawn(), 0..24)) {
            let mut cells = cells;
            cells.sort_by_key(|(x, y, _)| (*y, *x));
            cells.dedup_by_key(|(x, y, _)| (*y, *x));
            let mut plain = Vec::new();
            let placed = cells.iter().map(|(x, y, cell)| (*x, *y, cell));
            CrosstermBackend::new(&mut plain).draw(placed).unwrap();
            let drawn_here = screen(&written(&cells));
            let wanted = screen(&plain);
            for (x, y, cell) in &cells {
                let shown = |parser: &vt100::Parser| parser.screen().cell(*y, *x).unwrap().clone();
                let (ours, theirs) = (shown(&drawn_here), shown(&wanted));
                prop_assert_eq!(ours.contents(), theirs.contents());
                prop_assert_eq!(ours.bgcolor(), theirs.bgcolor());
                prop_assert_eq!(ours.inverse(), theirs.inverse());
                prop_assert_eq!(ours.underline(), theirs.underline());
                if cell.symbol() != " " {
                    prop_assert_eq!(ours.fgcolor(), theirs.fgcolor());
                    let attributes = |cell: &vt100::Cell| (cell.bold(), cell.dim(), cell.italic());
                    prop_assert_eq!(attributes(&ours), attributes(&theirs));
                }
            }
        }
    }
}
