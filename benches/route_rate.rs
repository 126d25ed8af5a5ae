//! Whether a route series keeps its rate, and whether a flood of answers leaves the screen and the
//! keys responsive.
//!
//! The rate is measured where it matters: by a server that notes when each request came, with the
//! real loop, the real client and loopback between. The budget is 5 % over 10 s at 50 requests a
//! second and 8 at once; missing it ends the benchmark with a failure.

#![allow(missing_docs, reason = "criterion's macros make items without them")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::pedantic,
    clippy::print_stderr,
    dead_code,
    reason = "a benchmark, and what it shares with the tests"
)]

#[path = "../tests/it/memory.rs"]
mod memory;
#[path = "../tests/it/recorder.rs"]
mod recorder;
#[path = "../tests/it/route_server.rs"]
mod route_server;

use std::collections::VecDeque;
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bourse::api::session::Session;
use bourse::api::{
    Assignment, Client, ClientConfig, Origin, Pacer, Reply, Request, RouteReply, Secret,
};
use bourse::app::message::Message;
use bourse::app::remote::{Now, Ticket};
use bourse::app::{Effect, Model, Profile, update};
use bourse::domain::{Dialect, Untrusted};
use bourse::runtime::dashboard::Dashboard;
use bourse::ui::theme::Theme;
use criterion::{Criterion, criterion_group, criterion_main};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use memory::{Memory, Person};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use route_server::{Play, RouteServer, assignment};

/// Requests a second, and how many at once.
const RATE: f64 = 50.0;
const AT_ONCE: u32 = 8;

/// The most that the rate may be off.
const BUDGET: f64 = 0.05;

fn profile(url: &str) -> Profile {
    Profile {
        name: "bench".to_owned(),
        is_sandbox: false,
        read_only: false,
        dialect: &Dialect::DOCUMENTED,
        base_url: url.to_owned(),
        route_url: url.to_owned(),
        has_key: true,
    }
}

/// One run of the real thing; not repeated, for it takes as long as it takes.
fn rate(_: &mut Criterion) {
    let is_trial = std::env::args().any(|argument| argument == "--test");
    let seconds = if is_trial { 1.0 } else { 10.0 };
    let server = RouteServer::start(|number, request| match request.path.as_str() {
        "/route/" => Play::Answer(200, assignment("chat", "0", number % 4, number / 4)),
        "/api/v0/workergroups/" => Play::Answer(
            200,
            r#"{"success":true,"results":[{"id":1,"endpoint_name":"chat","api_key":"k"}]}"#
                .to_owned(),
        ),
        _ => Play::Answer(200, r#"{"offers":[]}"#.to_owned()),
    });
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (person, ended) = dashboard(&server);
    runtime.block_on(series(&person, seconds));
    person.types("q");
    assert_eq!(ended.join().unwrap(), 0);

    let came: Vec<Instant> = server
        .seen()
        .into_iter()
        .filter(|(_, request)| request.path == "/route/")
        .map(|(at, _)| at)
        .collect();
    let span = came[came.len() - 1] - came[0];
    let found = (came.len() - 1) as f64 / span.as_secs_f64();
    let latest = came
        .iter()
        .enumerate()
        .map(|(index, at)| (*at - came[0]).as_secs_f64() - index as f64 / RATE)
        .fold(0.0, f64::max);
    eprintln!(
        "rate: {} requests in {:.3} s, {found:.2} a second where {RATE} were wanted ({:+.2} %), \
         the latest {:.1} ms behind its time",
        came.len(),
        span.as_secs_f64(),
        (found / RATE - 1.0) * 100.0,
        latest * 1e3
    );
    assert_eq!(came.len(), (RATE * seconds) as usize);
    assert!((found / RATE - 1.0).abs() <= BUDGET, "the rate is off");
}

fn dashboard(server: &RouteServer) -> (Person, std::thread::JoinHandle<i32>) {
    let origin = Origin::parse(&server.url()).unwrap();
    let client = Client::new(ClientConfig {
        management: origin.clone(),
        route: origin,
        dialect: &Dialect::DOCUMENTED,
        key: Some(Secret::new("bench-key")),
    })
    .unwrap();
    let (surface, person) = Memory::new(200, 60);
    let session = Arc::new(Session::new(client, Pacer::default()));
    let model = Model::new(profile(&server.url()), None);
    let running = Dashboard::new(model, surface, session, Theme::MONO);
    let handle = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(running.run()).unwrap()
    });
    (person, handle)
}

/// Starts a series by duration on the workergroup, by the keys, and waits for its end.
async fn series(person: &Person, seconds: f64) {
    person.sees("no offers for this query").await;
    person.types("3");
    person.sees("chat").await;
    person.types("t");
    person.press(KeyCode::Down);
    person.erase();
    person.types("0");
    person.press(KeyCode::Down);
    person.types("  ");
    for text in [format!("{seconds}s"), AT_ONCE.to_string(), RATE.to_string()] {
        person.press(KeyCode::Down);
        person.erase();
        person.types(&text);
    }
    person.press(KeyCode::Enter);
    tokio::time::sleep(Duration::from_secs_f64(seconds)).await;
    person.sees("DONE").await;
}

/// A lab in the midst of a series, without a runtime.
struct Flood {
    model: Model,
    now: Now,
    calls: VecDeque<Ticket>,
    answered: i64,
    terminal: Terminal<TestBackend>,
}

impl Flood {
    fn new() -> Self {
        let mut flood = Self {
            model: Model::new(profile("http://127.0.0.1:1"), None),
            now: Now {
                mono: 0.0,
                epoch: 1_800_000_000.0,
            },
            calls: VecDeque::new(),
            answered: 0,
            terminal: Terminal::new(TestBackend::new(200, 60)).unwrap(),
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
                while self.model.route_lab.form.mode != bourse::app::route_lab::Mode::Count {
                    self.key(KeyCode::Right);
                }
                continue;
            }
            let erase = KeyEvent::new(KeyCode::Char('u'), KeyModifiers::CONTROL);
            self.send(Message::Key(erase));
            self.types(text);
        }
        self.key(KeyCode::Enter);
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
            self.key(KeyCode::Char('r'));
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
            request_id: Some(Untrusted::from("req")),
            mismatches: Vec::new(),
            json: Untrusted::from(r#"{"url":"http://w.example:80","reqnum":1}"#),
        };
        self.send(Message::Routed {
            ticket,
            sent: self.now.mono - 0.02,
            ended: self.now.mono,
            bytes: 300,
            result: Box::new(Ok(Reply::Routed(RouteReply::Assigned(reply)))),
        });
    }

    fn frame(&mut self) {
        let (model, now) = (&self.model, self.now);
        let mut facts = None;
        self.terminal
            .draw(|frame| facts = Some(bourse::ui::draw(frame, model, now, &Theme::DARK)))
            .unwrap();
        self.model.facts = facts.unwrap();
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

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20).measurement_time(Duration::from_secs(3));
    targets = rate, flood
}
criterion_main!(benches);
