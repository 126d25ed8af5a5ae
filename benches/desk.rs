//! How fast the hot paths are: reading an answer, sorting, narrowing, planning a cluster, a frame,
//! and a key that is pressed in the midst of a flood of route answers.
//!
//! Ratios count, not single figures: `floor` is the cost of walking over the same bytes once.

#![allow(clippy::cast_precision_loss, reason = "made-up prices")]
#![allow(missing_docs, reason = "criterion's macros make items without them")]

mod offers;

use std::collections::VecDeque;
use std::hint::black_box;

use bourse::api::{Assignment, Reply, Request, RouteReply};
use bourse::core::frame_layout::FrameLayout;
use bourse::core::message::{Message, News, Routed};
use bourse::core::{Effect, Model, update};
use bourse::domain::cost::{Basis, Job, Prices};
use bourse::domain::insight::plan::{Need, Offers};
use bourse::domain::time::{MonotonicTime, Now, UnixTime};
use bourse::domain::{Listing, OFFERS, OfferType, Untrusted, language};
use bourse::table::remote::Ticket;
use bourse::tui::theme::Theme;
use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use offers::{answer, profile};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

fn reading(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("reading");
    for rows in [500, 10_000] {
        let text = answer(rows);
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_with_input(BenchmarkId::new("floor", rows), &text, |bencher, text| {
            bencher.iter(|| text.bytes().filter(|byte| *byte == b'"').count());
        });
        group.bench_with_input(BenchmarkId::new("listing", rows), &text, |bencher, text| {
            bencher.iter(|| Listing::read(&OFFERS, text.as_str(), UnixTime::new(0.0)));
        });
    }
    group.finish();
}

fn arranging(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("arranging");
    for rows in [500, 10_000, 100_000] {
        let Ok(listing) = Listing::read(&OFFERS, answer(rows), UnixTime::new(0.0)) else {
            continue;
        };
        let order = language::parse_order("gpu_name,dph_total-", &OFFERS).unwrap_or_default();
        let all: Vec<u32> = (0..u32::try_from(rows).unwrap_or(u32::MAX)).collect();
        group.bench_function(BenchmarkId::new("two keys", rows), |bencher| {
            bencher.iter_batched(
                || all.clone(),
                |mut view| listing.sort(&mut view, &order),
                BatchSize::LargeInput,
            );
        });
    }
    group.finish();
}

fn drawing(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("drawing");
    for rows in [500, 100_000] {
        let now = Now::default();
        let model = offers::dashboard(offers::listing(rows), now);
        let Ok(mut terminal) = Terminal::new(TestBackend::new(200, 50));
        group.bench_function(BenchmarkId::new("frame 200x50", rows), |bencher| {
            bencher.iter(|| {
                terminal
                    .draw(|frame| {
                        bourse::frame::draw(frame, &model, now, &Theme::DARK);
                    })
                    .is_ok()
            });
        });
    }
    group.finish();
}

/// A lab in the midst of a series, without a runtime.
struct Flood {
    model: Model,
    now: Now,
    calls: VecDeque<Ticket>,
    answered: i64,
    /// Whether the search line is open.
    searches: bool,
    terminal: Terminal<TestBackend>,
}

impl Flood {
    fn new() -> Self {
        let Ok(terminal) = Terminal::new(TestBackend::new(200, 60));
        let mut flood = Self {
            model: bourse::features::dashboard(profile(), None),
            now: Now {
                mono: MonotonicTime::new(0.0),
                epoch: UnixTime::new(1_800_000_000.0),
            },
            calls: VecDeque::new(),
            answered: 0,
            searches: false,
            terminal,
        };
        flood.key(KeyCode::Char('t'));
        flood.types("chat");
        flood.begin();
        flood
    }

    /// Begins a series from the form.
    fn begin(&mut self) {
        for text in ["0", "", "250000", "1000", ""] {
            self.key(KeyCode::Down);
            if text.is_empty() {
                continue;
            }
            let erase = KeyEvent::new(KeyCode::Char('u'), KeyModifiers::CONTROL);
            self.send(Message::Key(erase));
            self.types(text);
        }
        self.key(KeyCode::Enter);
        // So many requests are confirmed.
        self.key(KeyCode::Char('y'));
        assert_eq!(self.calls.len(), 1000);
    }

    fn key(&mut self, code: KeyCode) {
        self.send(Message::Key(KeyEvent::new(code, KeyModifiers::NONE)));
    }

    fn types(&mut self, text: &str) {
        for character in text.chars() {
            self.key(KeyCode::Char(character));
        }
    }

    fn send(&mut self, message: Message) {
        for effect in update(&mut self.model, self.now, message) {
            if let Effect::Call {
                ticket,
                request: Request::Route(_),
            } = effect
            {
                self.calls.push_back(ticket);
            }
        }
    }

    /// One answer comes; a run that is over is begun anew.
    fn answer(&mut self) {
        let Some(ticket) = self.calls.pop_front() else {
            // In the search line the letter would be a letter.
            if self.searches {
                self.key(KeyCode::Esc);
            }
            self.key(KeyCode::Char('r'));
            if self.searches {
                self.key(KeyCode::Char('/'));
            }
            return;
        };
        self.answered += 1;
        self.now.mono += 0.0001;
        let worker = format!("http://w{}.example:80", self.answered % 8);
        let reply = Assignment {
            endpoint: Some(Untrusted::from("chat")),
            url: Untrusted::from(worker),
            cost: Some(0.0),
            reqnum: Some(self.answered),
            signature: None,
            request_idx: None,
            request_id: Some(Untrusted::from("req")),
            mismatches: Vec::new(),
            json: Untrusted::from(r#"{"url":"http://w.example:80","reqnum":1}"#),
        };
        let reply = Routed {
            sent: self.now.mono - 0.02,
            ended: self.now.mono,
            bytes: 300,
            response: Ok(Reply::Routed(RouteReply::Assigned(reply))),
            called: None,
        };
        let news = News::Routed(Box::new(reply));
        self.send(Message::News { ticket, news });
    }

    fn frame(&mut self) {
        let (model, now) = (&self.model, self.now);
        let mut layout = FrameLayout::default();
        let Ok(_) = self
            .terminal
            .draw(|frame| layout = bourse::frame::draw(frame, model, now, &Theme::DARK));
        self.model.layout = layout;
    }
}

/// What an answer costs, what a frame costs when many attempts are kept, and the longest that a
/// key waits: a full batch of answers, the key, the frame.
fn flood(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("flood");
    let mut empty = Flood::new();
    group.bench_function("frame with nothing kept", |bencher| {
        bencher.iter(|| empty.frame());
    });
    let mut flood = Flood::new();
    for _ in 0..100_000 {
        flood.answer();
    }
    group.bench_function("frame with 100,000 attempts", |bencher| {
        bencher.iter(|| flood.frame());
    });
    group.bench_function("an answer", |bencher| bencher.iter(|| flood.answer()));
    let mut typing = Flood::new();
    for _ in 0..100_000 {
        typing.answer();
    }
    typing.key(KeyCode::Char('/'));
    typing.searches = true;
    group.bench_function("512 answers, a key, a frame", |bencher| {
        bencher.iter(|| {
            for _ in 0..512 {
                typing.answer();
            }
            typing.key(KeyCode::Char('w'));
            typing.key(KeyCode::Backspace);
            typing.send(Message::Deadline);
            typing.frame();
            black_box(typing.answered)
        });
    });
    group.finish();
}

/// Offers of machines of one to eight GPUs, each listed as a slice for each power of two.
fn sliced(rows: usize) -> String {
    let models = ["RTX 4090", "H100 SXM", "A100 SXM4"];
    let mut records: Vec<String> = Vec::with_capacity(rows);
    for machine in 0.. {
        for size in (0..=machine % 4).map(|power| 1 << power) {
            if records.len() == rows {
                return format!("{{\"offers\":[{}]}}", records.join(","));
            }
            let (id, model) = (records.len(), models[machine / 4 % 3]);
            let gpus: Vec<usize> = (0..size).collect();
            let noise = (id * 7919 % 1000) as f64 / 1000.0;
            let price = size as f64 * (0.3 + (machine / 4 % 3) as f64 + noise);
            let speed = size as f64 * (90.0 + noise * 17.0);
            records.push(format!(
                r#"{{"id":{id},"machine_id":{machine},"gpu_name":"{model}","num_gpus":{size},"gpu_ids":{gpus:?},"gpu_ram":81559,
"dph_base":{price},"dph_total":{price},"dlperf":{speed},"inet_down":{down},"inet_up":900.0,"geolocation":"Texas, US",
"storage_cost":0.2,"storage_total_cost":0.0022,"inet_up_cost":0.01,"inet_down_cost":0.01,"disk_space":500.5,"duration":8640000.0}}"#,
                down = 200.0 + noise * 2000.0,
            ));
        }
    }
    String::new()
}

/// A plan with its runner-up, what binds and the bills of other sizes, over 500 offers.
fn planning(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("planning");
    let Ok(listing) = Listing::read(&OFFERS, sliced(500), UnixTime::new(0.0)) else {
        return;
    };
    let prices = Prices::new(&listing, OfferType::OnDemand);
    let basis = Basis {
        job: Some(Job::default()),
        ..Basis::hourly(OfferType::OnDemand)
    };
    let rows: Vec<u32> = (0..500).collect();
    let free = Need {
        gpus: 64,
        ..Need::default()
    };
    let limited = Need {
        most_machines: Some(12),
        per_machine: Some(2),
        one_model: true,
        budget: Some(500.0),
        ..free.clone()
    };
    let large = Need {
        gpus: 512,
        ..free.clone()
    };
    for (name, need) in [
        ("64 GPUs", free),
        ("64 GPUs on 12 machines, four limits", limited),
        ("512 GPUs", large),
    ] {
        group.bench_function(name, |bencher| {
            bencher.iter(|| Offers::new(&prices, basis, &rows, |_| true).plan(&need));
        });
    }
    group.finish();
}

criterion_group!(benches, reading, arranging, planning, drawing, flood);
criterion_main!(benches);
