//! What rows cost: a frame, sorting, filtering, comparing two answers, from 1,000 rows to the
//! 100,000 that a response may have.
//!
//! Every figure stands beside its floor, the plainest loop that does the same. The two are measured
//! in turn, so that whatever else the machine does meets both; the ratio of their medians is what
//! counts. `cargo bench -p benches --bench rows -- sort frame` measures the figures whose names contain one of
//! the words. All figures are also written to `target/rows.csv`, from which `benches/plot` draws.

#![allow(missing_docs, reason = "a benchmark")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "a benchmark"
)]

mod offers;

use std::collections::HashMap;
use std::fmt::Write as _;
use std::hint::black_box;
use std::io;
use std::time::{Duration, Instant};

use bourse::core::message::Message;
use bourse::core::{Model, update};
use bourse::domain::language::{self, Mode};
use bourse::domain::time::Now;
use bourse::domain::{CellRef, Dialect, Field, Listing, OFFERS};
use bourse::record::differences::differences;
use bourse::runtime::terminal::Canvas;
use bourse::table::row_filter;
use bourse::tui::theme::Theme;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::buffer::Buffer;
use ratatui::layout::Size;

/// The numbers of rows that are measured: those in `ROWS`, separated by commas, or these.
fn sizes() -> Vec<usize> {
    let sizes = std::env::var("ROWS").unwrap_or_else(|_| "1000,10000,100000".to_owned());
    sizes.split(',').map(|rows| rows.parse().unwrap()).collect()
}

/// How long a figure and its floor are measured.
const SPAN: Duration = Duration::from_secs(2);

/// Takes every byte and counts them.
#[derive(Debug, Default)]
struct Counter {
    writes: usize,
    bytes: usize,
}

impl io::Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writes += 1;
        self.bytes += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn canvas() -> Canvas<Counter> {
    Canvas::new(Counter::default(), || Ok(Size::new(200, 60))).unwrap()
}

/// The figures so far, and which are wanted.
struct Report {
    wanted: Vec<String>,
    /// As comma-separated values: name, rows, microseconds, those of the floor.
    csv: String,
}

impl Report {
    fn wants(&self, name: &str) -> bool {
        self.wanted.is_empty() || self.wanted.iter().any(|word| name.contains(word.as_str()))
    }

    /// Measures `own` and `floor` in turn. Each returns how long its own part took.
    fn measure(
        &mut self,
        name: &str,
        rows: usize,
        mut own: impl FnMut() -> Duration,
        mut floor: impl FnMut() -> Duration,
    ) {
        if !self.wants(name) {
            return;
        }
        let (mut owns, mut floors) = (Vec::new(), Vec::new());
        let start = Instant::now();
        while owns.len() < 5 || (start.elapsed() < SPAN && owns.len() < 5_000) {
            owns.push(own());
            floors.push(floor());
        }
        let [own, floor] = [owns, floors].map(|mut times| {
            times.sort_unstable();
            times[times.len() / 2].as_secs_f64() * 1e6
        });
        let ratio = own / floor;
        println!("{name:28} {rows:>8} rows {own:>10.1} us, floor {floor:>10.1} us, ratio {ratio:.2}");
        let _ = writeln!(self.csv, "{name},{rows},{own:.2},{floor:.2}");
    }
}

fn timed<T>(work: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    black_box(work());
    start.elapsed()
}

/// A dashboard and the terminal that it is drawn on.
struct Desk {
    model: Model,
    canvas: Canvas<Counter>,
    now: Now,
}

impl Desk {
    fn new(rows: usize) -> Self {
        let now = Now::default();
        Self {
            model: offers::dashboard(offers::listing(rows), now),
            canvas: canvas(),
            now,
        }
    }

    fn key(&mut self, code: KeyCode) {
        let key = KeyEvent::new(code, KeyModifiers::NONE);
        update(&mut self.model, self.now, Message::Key(key));
    }

    fn draw(&mut self) {
        let (model, now) = (&self.model, self.now);
        let draw = self
            .canvas
            .draw(|frame| bourse::frame::draw(frame, model, now, &Theme::DARK));
        self.model.layout = draw.unwrap();
    }

    /// Presses a key and draws the frame; returns the frame.
    fn finished(&mut self, code: KeyCode) -> Buffer {
        self.key(code);
        self.draw();
        let (model, now) = (&self.model, self.now);
        let mut finished = Buffer::default();
        let _ = canvas().draw(|frame| {
            bourse::frame::draw(frame, model, now, &Theme::DARK);
            finished = frame.buffer_mut().clone();
        });
        finished
    }
}

/// Copies finished frames to the terminal: forth and back, so that each follows a neighbour.
struct Copies {
    frames: Vec<Buffer>,
    next: usize,
    canvas: Canvas<Counter>,
}

impl Copies {
    fn new(frames: Vec<Buffer>) -> Self {
        Self {
            frames,
            next: 0,
            canvas: canvas(),
        }
    }

    fn draw(&mut self) -> Duration {
        let many = self.frames.len();
        self.next = (self.next + 1) % (2 * many - 2);
        let place = if self.next < many {
            self.next
        } else {
            2 * many - 2 - self.next
        };
        let finished = &self.frames[place];
        let canvas = &mut self.canvas;
        timed(|| {
            canvas
                .draw(|frame| {
                    let buffer = frame.buffer_mut();
                    buffer.content.clone_from_slice(&finished.content);
                })
                .unwrap();
        })
    }
}

fn frames(report: &mut Report) {
    if !report.wants("frame: cursor") && !report.wants("frame: scroll") {
        return;
    }
    for rows in sizes() {
        let mut desk = Desk::new(rows);
        desk.draw();
        let frames = [KeyCode::Down, KeyCode::Up].map(|key| desk.finished(key));
        let mut copies = Copies::new(frames.into());
        let mut is_down = false;
        let mut cursor = || {
            is_down = !is_down;
            desk.key(if is_down { KeyCode::Down } else { KeyCode::Up });
            timed(|| desk.draw())
        };
        report.measure("frame: cursor", rows, &mut cursor, || copies.draw());

        // To the last visible row: from there on every step scrolls.
        for _ in 0..60 {
            desk.key(KeyCode::Down);
            desk.draw();
        }
        let frames = (0..32).map(|_| desk.finished(KeyCode::Down));
        let mut copies = Copies::new(frames.collect());
        let mut steps = 0;
        let scroll = || {
            steps += 1;
            if steps % 800 == 0 {
                for key in [KeyCode::Home, KeyCode::PageDown] {
                    desk.key(key);
                    desk.draw();
                }
                for _ in 0..60 {
                    desk.key(KeyCode::Down);
                    desk.draw();
                }
            }
            desk.key(KeyCode::Down);
            timed(|| desk.draw())
        };
        report.measure("frame: scroll", rows, scroll, || copies.draw());
    }
}

fn field(key: &str) -> &'static Field {
    OFFERS.by_key(key).unwrap()
}

fn numbers(listing: &Listing, key: &str) -> Vec<f64> {
    let column = listing.column(field(key));
    let cells = (0..listing.len()).map(|row| column.cell(row).number());
    cells.map(Option::unwrap_or_default).collect()
}

/// The distinct texts of a column, and which of them each row has.
fn texts(listing: &Listing, key: &str) -> (Vec<String>, Vec<u32>) {
    let column = listing.column(field(key));
    let texts = column.texts().iter();
    let cells = (0..listing.len()).map(|row| column.text_index(row).unwrap_or_default() as u32);
    (texts.map(|text| text.unescaped().to_owned()).collect(), cells.collect())
}

fn sorting(report: &mut Report) {
    if !report.wants("sort: two keys") {
        return;
    }
    for rows in sizes() {
        let listing = offers::listing(rows);
        let order = language::parse_order("gpu_name,dph_total-", &OFFERS).unwrap();
        let all: Vec<u32> = (0..rows as u32).collect();
        let (names, models) = texts(&listing, "gpu_name");
        let prices = numbers(&listing, "dph_total");
        let own = || {
            let mut view = all.clone();
            timed(|| listing.sort(&mut view, &order))
        };
        let floor = || {
            timed(|| {
                let mut sorted: Vec<_> = (0..names.len()).collect();
                sorted.sort_by_key(|place| &names[*place]);
                let mut ranks = vec![0_u128; names.len()];
                for (rank, place) in (0..).zip(sorted) {
                    ranks[place] = rank;
                }
                // Prices are positive: their bits sort like them.
                let key = |row: usize| {
                    let price = u128::from(!prices[row].to_bits());
                    ranks[models[row] as usize] << 96 | price << 32 | row as u128
                };
                let mut keys: Vec<u128> = (0..prices.len()).map(key).collect();
                keys.sort_unstable();
                keys.into_iter().map(|key| key as u32).collect::<Vec<_>>()
            })
        };
        report.measure("sort: two keys", rows, own, floor);
    }
}

fn filtering(report: &mut Report) {
    if !report.wants("filter: six conditions") && !report.wants("filter: substring") {
        return;
    }
    for rows in sizes() {
        let listing = offers::listing(rows);
        let text = "num_gpus>=2 dph_total<3 dlperf>100 inet_down>=100 reliability>0.9 verified=true";
        let query = language::parse(text, &OFFERS, &Dialect::DOCUMENTED, &[], Mode::Strict).unwrap();
        assert_eq!(query.conditions.len(), 6);
        let [gpus, prices, speeds, down, reliability] =
            ["num_gpus", "dph_total", "dlperf", "inet_down", "reliability"].map(|key| numbers(&listing, key));
        let verified: Vec<bool> = (0..rows)
            .map(|row| listing.cell(row, field("verified")) == CellRef::Flag(true))
            .collect();
        let floor = || {
            let accepts = |row: &u32| {
                let row = *row as usize;
                gpus[row] >= 2.0
                    && prices[row] < 3.0
                    && speeds[row] > 100.0
                    && down[row] >= 100.0
                    && reliability[row] > 0.9
                    && verified[row]
            };
            timed(|| (0..rows as u32).filter(accepts).collect::<Vec<u32>>())
        };
        let own = || timed(|| listing.matching(&query.conditions));
        report.measure("filter: six conditions", rows, own, floor);

        let words = ["4090".to_owned()];
        row_filter::narrow(&listing, vec![0], &words, &[]);
        let all: Vec<u32> = (0..rows as u32).collect();
        let own = || {
            let view = all.clone();
            timed(|| row_filter::narrow(&listing, view, &words, &[]))
        };
        let columns = ["gpu_name", "geolocation"].map(|key| texts(&listing, key));
        let floor = || {
            timed(|| {
                let found = columns.each_ref().map(|(texts, _)| {
                    let texts = texts.iter().map(|text| text.to_lowercase());
                    texts.map(|text| text.contains("4090")).collect::<Vec<_>>()
                });
                let has = |row: &u32| {
                    let in_column = |at: usize| found[at][columns[at].1[*row as usize] as usize];
                    in_column(0) || in_column(1)
                };
                (0..rows as u32).filter(has).collect::<Vec<u32>>()
            })
        };
        report.measure("filter: substring", rows, own, floor);
    }
}

/// The first comparison of an answer sorts its ids, and every answer is compared once.
fn comparing(report: &mut Report) {
    if !report.wants("difference") {
        return;
    }
    for rows in sizes() {
        let old = offers::listing(rows);
        differences(&old, &old, field("dph_total"));
        let mut news: Vec<Listing> = (0..5).map(|_| offers::listing(rows)).collect();
        let ids: Vec<i64> = (0..rows).map(|row| old.id(row).unwrap().0).collect();
        let prices = numbers(&old, "dph_total");
        let own = || {
            let new = news.pop().unwrap_or_else(|| offers::listing(rows));
            timed(|| differences(&old, &new, field("dph_total")))
        };
        let floor = || {
            timed(|| {
                let mut known: HashMap<i64, usize> = ids.iter().copied().zip(0..).collect();
                let mut changed = Vec::new();
                let mut arrived = Vec::new();
                for (row, id) in ids.iter().enumerate() {
                    match known.remove(id) {
                        None => arrived.push(row),
                        Some(old) if (prices[old] - prices[row]).abs() > 0.0 => {
                            changed.push((old, row));
                        }
                        Some(_) => {}
                    }
                }
                (changed, arrived, known.len())
            })
        };
        report.measure("difference: by id", rows, own, floor);
    }
}

/// What a key costs in full: the core's work and the frame. The floor is a key that moves the cursor.
fn keys(report: &mut Report) {
    if !report.wants("key: sort") && !report.wants("key: narrow") {
        return;
    }
    for rows in sizes() {
        let mut desk = Desk::new(rows);
        desk.draw();
        let mut other = Desk::new(rows);
        other.draw();
        let press = |desk: &mut Desk, keys: &[KeyCode]| {
            timed(|| {
                for key in keys {
                    desk.key(*key);
                }
                desk.draw();
            })
        };
        let mut is_down = false;
        let mut floor = || {
            is_down = !is_down;
            press(&mut other, &[if is_down { KeyCode::Down } else { KeyCode::Up }])
        };
        let mut is_right = false;
        let mut sort = || {
            is_right = !is_right;
            let key = KeyCode::Char(if is_right { '>' } else { '<' });
            press(&mut desk, &[key])
        };
        report.measure("key: sort", rows, &mut sort, &mut floor);
        if report.wants("key: first word") {
            desk.key(KeyCode::Char('/'));
            let first = press(&mut desk, &[KeyCode::Char('i')]);
            println!("key: first letter of a word  {rows:>8} rows {first:?}");
        }
        let mut is_typed = false;
        let mut narrow = || {
            is_typed = !is_typed;
            press(
                &mut desk,
                &[if is_typed {
                    KeyCode::Char('c')
                } else {
                    KeyCode::Backspace
                }],
            )
        };
        report.measure("key: narrow", rows, &mut narrow, &mut floor);
    }
}

/// What an answer costs between its arrival and its first frame, all of it on one thread. It has no
/// plain loop: it stands beside a millisecond.
fn arrival(report: &mut Report) {
    for rows in sizes() {
        if !report.wants("arrival") {
            return;
        }
        let own = || {
            let listing = offers::listing(rows);
            timed(|| offers::dashboard(listing, Now::default()))
        };
        report.measure("arrival", rows, own, || Duration::from_millis(1));
    }
}

fn main() {
    let words = std::env::args().skip(1).filter(|word| !word.starts_with("--"));
    let mut report = Report {
        wanted: words.collect(),
        csv: "name,rows,microseconds,floor\n".to_owned(),
    };
    frames(&mut report);
    sorting(&mut report);
    filtering(&mut report);
    comparing(&mut report);
    keys(&mut report);
    arrival(&mut report);
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../target/rows.csv");
    std::fs::write(path, report.csv).unwrap();
}
