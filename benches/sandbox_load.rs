//! How many searches a second the sandbox answers, how long the slowest take, and whether its memory
//! grows.
//!
//! `bourse sandbox` runs as a process of its own. Connections that stay open repeat a search of 64
//! offers for ten seconds: first all the same one, as a load test does, then a different one each
//! time, which nothing can be remembered of.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a benchmark that reports to a terminal"
)]

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bourse::cli;
use hdrhistogram::Histogram;

const CONNECTIONS: u64 = 8;
const KEY: &str = "benchmark-key";

struct Sandbox {
    process: Child,
    address: String,
}

impl Sandbox {
    fn start() -> Self {
        // This program again: see `main`.
        let mut process = Command::new(std::env::current_exe().unwrap())
            .args(["sandbox", "--listen", "127.0.0.1:0", "--api-key", KEY])
            .args(["--no-rate-limits", "--latency", "0"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let (_, address) = line.trim().rsplit_once('/').unwrap();
        Self {
            address: address.to_owned(),
            process,
        }
    }

    /// Its memory in kB.
    fn memory(&self) -> u64 {
        let path = format!("/proc/{}/status", self.process.id());
        let status = std::fs::read_to_string(path).unwrap_or_default();
        let line = status.lines().find(|line| line.starts_with("VmRSS:"));
        let number = line.and_then(|line| line.split_whitespace().nth(1));
        number.and_then(|number| number.parse().ok()).unwrap_or(0)
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Repeats searches on one connection; the microseconds that each took.
fn search(address: &str, end: Instant, next: impl Fn() -> u64) -> Histogram<u64> {
    let mut took = Histogram::new(3).unwrap();
    let mut stream = BufReader::with_capacity(256 * 1024, TcpStream::connect(address).unwrap());
    stream.get_ref().set_nodelay(true).unwrap();
    while Instant::now() < end {
        let number = next();
        let body = format!(r#"{{"limit":64,"dph_total":{{"lt":{}}}}}"#, 1_000 + number);
        let started = Instant::now();
        write!(
            stream.get_mut(),
            "POST /api/v0/bundles/ HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {KEY}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
        read_response(&mut stream);
        took.record(u64::try_from(started.elapsed().as_micros()).unwrap())
            .unwrap();
    }
    took
}

fn read_response(stream: &mut BufReader<TcpStream>) {
    let mut length = 0_u64;
    let mut line = String::new();
    loop {
        line.clear();
        stream.read_line(&mut line).unwrap();
        let line = line.trim_end().to_ascii_lowercase();
        assert!(!line.starts_with("http/") || line.contains(" 200"), "{line}");
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line.is_empty() {
            break;
        }
    }
    assert!(length > 64 * 1024, "64 offers take more than {length} bytes");
    let mut rest = length;
    while rest > 0 {
        let piece = stream.fill_buf().unwrap().len() as u64;
        assert!(piece > 0, "the connection ended");
        let piece = piece.min(rest);
        stream.consume(usize::try_from(piece).unwrap());
        rest -= piece;
    }
}

fn load(sandbox: &Sandbox, what: &str, span: Duration, is_varied: bool) {
    let (before, started) = (sandbox.memory(), Instant::now());
    let counter = AtomicU64::new(0);
    let next = || counter.fetch_add(u64::from(is_varied), Ordering::Relaxed);
    let mut all = Histogram::<u64>::new(3).unwrap();
    std::thread::scope(|scope| {
        let search = || search(&sandbox.address, started + span, next);
        let threads: Vec<_> = (0..CONNECTIONS).map(|_| scope.spawn(search)).collect();
        for thread in threads {
            all.add(thread.join().unwrap()).unwrap();
        }
    });
    let millis = |quantile| Duration::from_micros(all.value_at_quantile(quantile));
    println!(
        "{what}: {:.0} searches a second, p50 {:?}, p99 {:?}, slowest {:?}; memory {} to {} kB",
        all.len() as f64 / started.elapsed().as_secs_f64(),
        millis(0.5),
        millis(0.99),
        Duration::from_micros(all.max()),
        before,
        sandbox.memory(),
    );
}

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().collect();
    if arguments.get(1).is_some_and(|word| word == "sandbox") {
        return cli::run(&mut cli::arguments()).unwrap();
    }
    let is_trial = arguments.iter().any(|word| word == "--test");
    let span = Duration::from_secs(if is_trial { 1 } else { 10 });
    let sandbox = Sandbox::start();
    load(&sandbox, "warm-up", span / 10, false);
    load(&sandbox, "one search", span, false);
    load(&sandbox, "one search again", span, false);
    load(&sandbox, "different searches", span, true);
    ExitCode::SUCCESS
}
