//! The backend for ratatui, which collects a frame in memory and writes it at once.

use std::io::{self, Write};

use ratatui::backend::{Backend, ClearType, CrosstermBackend, WindowSize};
use ratatui::buffer::Cell;
use ratatui::layout::{Position, Size};

use super::os;

// Begins a synchronized update: terminals that support it show the frame in one go, others ignore it.
const BEGIN: &[u8] = b"\x1b[?2026h";
const END: &[u8] = b"\x1b[?2026l";

/// Maximum number of cells drawn.
///
/// A terminal that claims more is wrong or hostile; a buffer of 65535 x 65535 cells would take all
/// memory.
const MOST_CELLS: u32 = 250_000;
/// Maximum width of a screen with too many cells; its height is the rest of [`MOST_CELLS`].
const WIDEST_WHEN_CUT: u16 = 1_000;
/// The size of a terminal that does not report one (the VT100's, as in terminfo).
const UNSAID: Size = Size::new(80, 24);

/// A ratatui backend over any writer.
///
/// Nothing is written before [`Output::present`], and nothing at all if the frame changed nothing:
/// redundant cursor commands are left out.
#[derive(Debug)]
pub(super) struct Output<W> {
    tty: W,
    /// [`BEGIN`], then the frame so far.
    frame: Vec<u8>,
    /// Whether the terminal shows its cursor, if known.
    cursor_shown: Option<bool>,
    /// The position of the terminal's cursor, if known.
    cursor_at: Option<Position>,
    /// Queries the size of the terminal.
    ask_size: fn() -> io::Result<Size>,
}

impl<W: Write> Output<W> {
    /// A backend over `tty`; `ask_size` returns its size.
    pub(super) fn new(tty: W, ask_size: fn() -> io::Result<Size>) -> Self {
        Self {
            tty,
            frame: BEGIN.to_vec(),
            cursor_shown: None,
            cursor_at: None,
            ask_size,
        }
    }

    /// Writes the collected frame at once; nothing if the frame changed nothing.
    pub(super) fn present(&mut self) -> io::Result<()> {
        if self.frame.len() == BEGIN.len() {
            return Ok(());
        }
        self.frame.extend_from_slice(END);
        let written = write_all(&mut self.tty, &self.frame);
        self.frame.truncate(BEGIN.len());
        written
    }

    /// The writer that the frames go to.
    pub(super) const fn writer(&self) -> &W {
        &self.tty
    }

    /// Writes bytes at once that are not part of a frame and do not move the cursor.
    pub(super) fn write_aside(&mut self, bytes: &[u8]) -> io::Result<()> {
        write_all(&mut self.tty, bytes)
    }

    /// Drops the frame so far and what is cached about the terminal's cursor, so that both are written again.
    pub(super) fn forget(&mut self) {
        self.frame.truncate(BEGIN.len());
        self.cursor_shown = None;
        self.cursor_at = None;
    }

    /// The plain backend of ratatui, which writes into the frame instead of the terminal.
    const fn plain(&mut self) -> CrosstermBackend<&mut Vec<u8>> {
        CrosstermBackend::new(&mut self.frame)
    }
}

impl<W: Write> Backend for Output<W> {
    type Error = io::Error;

    fn draw<'a, I>(&mut self, content: I) -> io::Result<()>
    where
        I: Iterator<Item = (u16, u16, &'a Cell)>,
    {
        let mut content = content.peekable();
        if content.peek().is_none() {
            return Ok(());
        }
        self.cursor_at = None;
        self.plain().draw(content)
    }

    fn hide_cursor(&mut self) -> io::Result<()> {
        if self.cursor_shown.replace(false) == Some(false) {
            return Ok(());
        }
        self.plain().hide_cursor()
    }

    fn show_cursor(&mut self) -> io::Result<()> {
        if self.cursor_shown.replace(true) == Some(true) {
            return Ok(());
        }
        self.plain().show_cursor()
    }

    /// Always fails: a query to the terminal would race with the input thread for the reply.
    fn get_cursor_position(&mut self) -> io::Result<Position> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> io::Result<()> {
        let position = position.into();
        if self.cursor_at.replace(position) == Some(position) {
            return Ok(());
        }
        self.plain().set_cursor_position(position)
    }

    fn clear(&mut self) -> io::Result<()> {
        self.clear_region(ClearType::All)
    }

    fn clear_region(&mut self, clear_type: ClearType) -> io::Result<()> {
        self.plain().clear_region(clear_type)
    }

    fn size(&self) -> io::Result<Size> {
        (self.ask_size)().map(drawable)
    }

    /// The size in cells; nothing here draws pixels.
    fn window_size(&mut self) -> io::Result<WindowSize> {
        Ok(WindowSize {
            columns_rows: self.size()?,
            pixels: Size::ZERO,
        })
    }

    /// Does nothing, as ratatui flushes in the middle of a frame.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The part of a terminal of this size that is drawn on: all of it up to 250,000 cells, beyond that at most
/// 1,000 columns and as many rows as the limit leaves; 80x24 if the size is missing.
fn drawable(size: Size) -> Size {
    if size == Size::ZERO {
        return UNSAID;
    }
    if u32::from(size.width) * u32::from(size.height) <= MOST_CELLS {
        return size;
    }
    let width = size.width.min(WIDEST_WHEN_CUT);
    let rows = MOST_CELLS / u32::from(width).max(1);
    Size::new(width, size.height.min(u16::try_from(rows).unwrap_or(u16::MAX)))
}

/// Writes all bytes, with as few calls as the terminal allows, waiting while it accepts none.
pub(super) fn write_all(tty: &mut impl Write, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match tty.write(bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => bytes = bytes.get(count..).unwrap_or_default(),
            Err(error) => match error.kind() {
                io::ErrorKind::Interrupted => {}
                io::ErrorKind::WouldBlock => os::wait_writable()?,
                _ => return Err(error),
            },
        }
    }
    tty.flush()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::Terminal;
    use ratatui::text::Line;

    /// Records every write separately.
    #[derive(Debug, Default)]
    struct Writes(Vec<Vec<u8>>);

    impl Write for Writes {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.push(bytes.to_vec());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn terminal() -> Terminal<Output<Writes>> {
        let output = Output::new(Writes::default(), || Ok(Size::new(10, 2)));
        Terminal::new(output).unwrap()
    }

    fn show(terminal: &mut Terminal<Output<Writes>>, text: &str, cursor: Option<(u16, u16)>) {
        terminal
            .draw(|frame| {
                frame.render_widget(Line::raw(text.to_owned()), frame.area());
                if let Some(position) = cursor {
                    frame.set_cursor_position(position);
                }
            })
            .unwrap();
        terminal.backend_mut().present().unwrap();
    }

    fn writes(terminal: &Terminal<Output<Writes>>) -> Vec<String> {
        let writes = &terminal.backend().tty.0;
        writes
            .iter()
            .map(|bytes| String::from_utf8(bytes.clone()).unwrap())
            .collect()
    }

    #[test]
    fn a_frame_is_one_write_inside_a_synchronized_update() {
        let mut terminal = terminal();
        show(&mut terminal, "price", None);
        let writes = writes(&terminal);
        assert_eq!(writes.len(), 1);
        assert!(writes[0].starts_with("\x1b[?2026h"), "{:?}", writes[0]);
        assert!(writes[0].ends_with("\x1b[?2026l"), "{:?}", writes[0]);
        assert!(writes[0].contains("price"), "{:?}", writes[0]);
    }

    #[test]
    fn an_unchanged_frame_writes_nothing() {
        let mut terminal = terminal();
        show(&mut terminal, "price", Some((3, 1)));
        show(&mut terminal, "price", Some((3, 1)));
        show(&mut terminal, "price", Some((3, 1)));
        assert_eq!(writes(&terminal).len(), 1);
    }

    #[test]
    fn a_moved_cursor_is_the_only_thing_written() {
        let mut terminal = terminal();
        show(&mut terminal, "price", Some((3, 1)));
        show(&mut terminal, "price", Some((4, 1)));
        assert_eq!(writes(&terminal)[1], "\x1b[?2026h\x1b[2;5H\x1b[?2026l");
    }

    #[test]
    fn the_cursor_returns_to_its_place_after_a_change_elsewhere() {
        let mut terminal = terminal();
        show(&mut terminal, "price", Some((3, 1)));
        show(&mut terminal, "prize", Some((3, 1)));
        assert!(
            writes(&terminal)[1].ends_with("\x1b[2;4H\x1b[?2026l"),
            "{:?}",
            writes(&terminal)[1]
        );
    }

    #[test]
    fn the_cursor_is_never_asked_for() {
        let mut terminal = terminal();
        assert!(terminal.backend_mut().get_cursor_position().is_err());
    }

    #[test]
    fn absurd_sizes_are_cut_to_what_memory_bears() {
        let cut = |width, height| {
            let size = drawable(Size::new(width, height));
            (size.width, size.height)
        };
        assert_eq!(cut(0, 0), (80, 24));
        assert_eq!(cut(1, 1), (1, 1));
        assert_eq!(cut(0, 24), (0, 24));
        assert_eq!(cut(200, 60), (200, 60));
        assert_eq!(cut(500, 500), (500, 500));
        assert_eq!(cut(65_535, 65_535), (1_000, 250));
        assert_eq!(cut(1, 65_535), (1, 65_535));
        assert_eq!(cut(65_535, 1), (65_535, 1));
        assert_eq!(cut(10, 65_535), (10, 25_000));
    }

    #[test]
    fn a_write_that_is_cut_short_goes_on_where_it_stopped() {
        /// Accepts three bytes per call, and is interrupted before each.
        #[derive(Default)]
        struct Slow {
            taken: Vec<u8>,
            interrupted: bool,
        }
        impl Write for Slow {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                self.interrupted = !self.interrupted;
                if self.interrupted {
                    return Err(io::ErrorKind::Interrupted.into());
                }
                let count = bytes.len().min(3);
                self.taken.extend_from_slice(&bytes[..count]);
                Ok(count)
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let mut slow = Slow::default();
        write_all(&mut slow, b"0123456789").unwrap();
        assert_eq!(slow.taken, b"0123456789");
    }
}
