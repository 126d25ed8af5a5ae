//! What a frame writes: nothing if nothing changed, else little and at once.

use std::io::{self, Write};

use bourse::runtime::terminal::Canvas;
use bourse::tui::theme::Theme;
use ratatui::layout::Size;

use crate::test_app::{TestApp, varied_offers};

/// Counts writes and their bytes.
#[derive(Debug, Default)]
struct Counter {
    writes: usize,
    bytes: usize,
}

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writes += 1;
        self.bytes += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A dashboard of 200x60 cells with 200 different offers, and its terminal.
struct Desk {
    app: TestApp,
    canvas: Canvas<Counter>,
}

impl Desk {
    fn new() -> Self {
        let mut app = TestApp::with_offers(&varied_offers(["Texas, US", "Iceland, IS", ", CA", "Bulgaria, BG"]));
        app.resize(200, 60);
        let canvas = Canvas::new(Counter::default(), || Ok(Size::new(200, 60))).unwrap();
        let mut desk = Self { app, canvas };
        desk.frame();
        desk
    }

    /// Draws a frame; returns its writes and their bytes.
    fn frame(&mut self) -> (usize, usize) {
        let (writes, bytes) = (self.canvas.writer().writes, self.canvas.writer().bytes);
        let (model, now) = (&self.app.model, self.app.now);
        let drawn = self
            .canvas
            .draw(|frame| bourse::frame::draw(frame, model, now, &Theme::DARK));
        self.app.model.layout = drawn.unwrap();
        let counter = self.canvas.writer();
        (counter.writes - writes, counter.bytes - bytes)
    }

    fn key(&mut self, key: &str) -> (usize, usize) {
        self.app.keys(key);
        self.frame()
    }
}

#[test]
fn an_unchanged_frame_writes_nothing() {
    let mut desk = Desk::new();
    assert_eq!(desk.frame(), (0, 0));
    // Nothing is below the last row.
    desk.key("end");
    assert_eq!(desk.key("down"), (0, 0));
}

#[test]
fn moving_the_cursor_writes_once_and_two_rows_change() {
    let mut desk = Desk::new();
    desk.key("z");
    for _ in 0..20 {
        let (writes, bytes) = desk.key("down");
        assert_eq!(writes, 1);
        assert!(bytes <= 1_100, "{bytes}");
    }
}

#[test]
fn moving_the_cursor_writes_once_and_the_preview_changes() {
    let mut desk = Desk::new();
    for _ in 0..20 {
        let (writes, bytes) = desk.key("down");
        assert_eq!(writes, 1);
        assert!(bytes <= 1_700, "{bytes}");
    }
}

#[test]
fn scrolling_writes_once_and_a_terminal_takes_it_within_a_frame() {
    let mut desk = Desk::new();
    for _ in 0..70 {
        desk.key("down");
    }
    for _ in 0..20 {
        let (writes, bytes) = desk.key("down");
        assert_eq!(writes, 1);
        assert!(bytes <= 11_500, "{bytes}");
    }
}
