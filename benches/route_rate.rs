//! Whether a route series keeps its rate.
//!
//! It is measured where it matters: by a server that notes when each request came, with the real
//! loop, the real client and loopback between. The budget is 5 % over 10 s at 50 requests a second
//! and 8 at once; missing it ends the benchmark with a failure. What a flood of answers costs is in
//! `desk.rs`.

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

#[path = "../tests/it/terminal/memory.rs"]
mod memory;
#[path = "../crates/client/tests/it/recorder.rs"]
mod recorder;
#[path = "../tests/it/route_server.rs"]
mod route_server;

use std::sync::Arc;
use std::time::{Duration, Instant};

use bourse::api::curl::WorkerRoot;
use bourse::api::session::Session;
use bourse::api::{Client, ClientConfig, Origin, Pacer, Secret};
use bourse::core::Profile;
use bourse::domain::Dialect;
use bourse::runtime::dashboard::Dashboard;
use bourse::tui::theme::Theme;
use criterion::{Criterion, criterion_group, criterion_main};
use crossterm::event::KeyCode;
use memory::{Memory, Person};
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
        worker_root: WorkerRoot::default(),
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
            r#"{"success":true,"results":[{"id":1,"endpoint_name":"chat","api_key":"k"}]}"#.to_owned(),
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
    // How far behind its time each came, the first one being on time.
    let mut behind: Vec<f64> = came
        .iter()
        .enumerate()
        .map(|(index, at)| ((*at - came[0]).as_secs_f64() - index as f64 / RATE) * 1e3)
        .collect();
    behind.sort_by(f64::total_cmp);
    let percentile = |hundredths: usize| behind[(behind.len() * hundredths).div_ceil(100) - 1];
    eprintln!("route rate");
    eprintln!("  wanted        {RATE:.2}/s for {seconds} s, {AT_ONCE} at once");
    eprintln!("  requests      {} in {:.3} s", came.len(), span.as_secs_f64());
    eprintln!("  found         {found:.2}/s");
    eprintln!(
        "  off by        {:+.2} % (budget {:.0} %)",
        (found / RATE - 1.0) * 100.0,
        BUDGET * 100.0
    );
    eprintln!(
        "  behind time   p50 {:.1} ms, p95 {:.1} ms, p99 {:.1} ms, most {:.1} ms",
        percentile(50),
        percentile(95),
        percentile(99),
        behind[behind.len() - 1]
    );
    assert_eq!(came.len(), (RATE * seconds) as usize);
    assert!((found / RATE - 1.0).abs() <= BUDGET, "the rate is off");
}

fn dashboard(server: &RouteServer) -> (Person, std::thread::JoinHandle<i32>) {
    let origin = Origin::parse(&server.url()).unwrap();
    let client = Client::new(ClientConfig {
        sends_route_key: true,
        management: origin.clone(),
        route: origin,
        dialect: &Dialect::DOCUMENTED,
        key: Some(Secret::new("bench-key")),
    })
    .unwrap();
    let (surface, person) = Memory::new(200, 60);
    let session = Arc::new(Session::new(client, Pacer::default()));
    let model = bourse::features::dashboard(profile(&server.url()), None);
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
    person.sees("Done").await;
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20).measurement_time(Duration::from_secs(3));
    targets = rate
}
criterion_main!(benches);
