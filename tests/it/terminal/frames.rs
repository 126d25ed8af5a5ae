//! What a frame writes: nothing if nothing changed, else little and at once.

use std::io::{self, Write};

use bourse::runtime::terminal::Canvas;
use bourse::tui::theme::Theme;
use ratatui::layout::Size;
use serde_json::json;

use crate::test_app::TestApp;

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
        let models = ["RTX 4090", "RTX 5090", "H100 SXM", "A100 PCIE", "RTX 3090"];
        let places = ["Texas, US", "Iceland, IS", ", CA", "Bulgaria, BG"];
        let record = |row: usize| {
            let price = 0.1 + (row * 7919 % 4000) as f64 / 1000.0;
            json!({
                "id": 40_000_000 + row * 977, "machine_id": row, "host_id": row / 2,
                "gpu_name": models[row % 5], "num_gpus": 1 << (row % 4), "gpu_ram": 24_564,
                "dph_base": price, "dph_total": price + 0.002, "dlperf": row * 31 % 900,
                "reliability": 0.9 + (row % 99) as f64 / 1000.0, "geolocation": places[row % 4],
                "inet_up": row * 13 % 900, "inet_down": row * 17 % 900, "cpu_ram": 64_000 + row,
                "storage_cost": 0.2, "duration": 864_000 + row * 5000, "verification": "verified",
                "cuda_max_good": 12.8, "driver_version": "570.181", "disk_space": 100 + row,
                "score": 1000 - row, "static_ip": true, "rentable": true,
            })
        };
        let offers: Vec<_> = (0..200).map(record).collect();
        let mut app = TestApp::with_offers(&json!({ "offers": offers }).to_string());
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
