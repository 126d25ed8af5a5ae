//! `bourse watch --saved --metrics`: what a scrape reads.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use bourse::domain::time::UnixTime;
use bourse::features::watch_saved::metrics::{Metrics, RequestCounts, SearchSnapshot};
use bourse::record::Moment;
use bourse::record::watch::SearchFigures;

use super::commands::{Home, run};
use super::watch_saved::{home, market, watch};
use crate::recorder::{Recorder, json as json_reply};

const NOW: UnixTime = UnixTime::new(1_800_000_060.0);

fn search(name: &str, is_volumes: bool, figures: SearchFigures) -> SearchSnapshot {
    SearchSnapshot {
        name: name.to_owned(),
        is_volumes,
        last: Some(figures.at.unix()),
        figures: Some(figures),
    }
}

fn figures(lowest: f64, median: f64) -> SearchFigures {
    SearchFigures {
        at: Moment(1_800_000_000),
        lowest: Some(lowest),
        median: Some(median),
        amount: 12,
        machines: 3,
        is_complete: true,
    }
}

/// The samples of a text, without the lines that describe them.
fn samples(text: &str) -> Vec<&str> {
    text.lines().filter(|line| !line.starts_with('#')).collect()
}

#[test]
fn without_a_search_there_are_the_figures_of_the_watch_itself() {
    let text = Metrics::default().text(NOW).unwrap();
    let mut lines = samples(&text);
    lines.sort_unstable();
    assert_eq!(
        lines,
        [
            concat!("bourse_build_info{version=\"", env!("CARGO_PKG_VERSION"), "\"} 1"),
            "bourse_refusals_total{reason=\"key\"} 0",
            "bourse_refusals_total{reason=\"quota\"} 0",
            "bourse_refusals_total{reason=\"rate_limit\"} 0",
            "bourse_request_failures_total 0",
            "bourse_requests_total 0",
            "bourse_watched_alerts 0",
            "bourse_watched_searches 0",
        ]
    );
    assert!(text.ends_with("# EOF\n"), "{text}");
}

#[test]
fn each_search_has_its_prices_supply_and_age() {
    let snapshot = Metrics {
        requests: RequestCounts {
            sent: 9,
            rate_limited: 1,
            over_quota: 2,
            key_refused: 3,
            failed: 1,
        },
        alerts: 4,
        searches: vec![
            search("mine \"quoted\" back\\slash", false, figures(0.25, 0.4)),
            search(
                "disks",
                true,
                SearchFigures {
                    is_complete: false,
                    ..figures(0.1, 0.15)
                },
            ),
            SearchSnapshot {
                name: "new".to_owned(),
                is_volumes: false,
                last: None,
                figures: None,
            },
        ],
    };
    let text = snapshot.text(NOW).unwrap();
    let lines = samples(&text);
    for line in [
        "bourse_requests_total 9",
        "bourse_request_failures_total 1",
        "bourse_refusals_total{reason=\"rate_limit\"} 1",
        "bourse_refusals_total{reason=\"quota\"} 2",
        "bourse_refusals_total{reason=\"key\"} 3",
        "bourse_watched_searches 3",
        "bourse_watched_alerts 4",
        "bourse_record_age_seconds{search=\"disks\"} 60.0",
        "bourse_lowest_price_dollars{search=\"mine \\\"quoted\\\" back\\\\slash\",per=\"gpu_hour\"} 0.25",
        "bourse_median_price_dollars{search=\"mine \\\"quoted\\\" back\\\\slash\",per=\"gpu_hour\"} 0.4",
        "bourse_lowest_price_dollars{search=\"disks\",per=\"gb_month\"} 0.1",
        "bourse_gpus_on_offer{search=\"mine \\\"quoted\\\" back\\\\slash\"} 12.0",
        "bourse_gigabytes_on_offer{search=\"disks\"} 12.0",
        "bourse_machines{search=\"disks\"} 3.0",
        "bourse_response_complete{search=\"disks\"} 0.0",
        "bourse_response_complete{search=\"mine \\\"quoted\\\" back\\\\slash\"} 1.0",
    ] {
        assert!(lines.contains(&line), "no {line} in\n{text}");
    }
    // A search without a response has no figures, rather than zeros.
    assert!(!text.contains("search=\"new\""), "{text}");
}

/// A running watch, ended when it goes out of scope.
struct Watch(Child);

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts a watch with metrics; the port that its note names.
fn start(home: &Home) -> (Watch, u16) {
    let mut command = watch(home, &["--metrics", "127.0.0.1:0"]);
    let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut watch = Watch(child);
    let mut lines = BufReader::new(watch.0.stderr.take().unwrap())
        .lines()
        .map(Result::unwrap);
    let note = lines.find(|line| line.contains("metrics at")).unwrap();
    // Nobody may fill the pipe.
    std::thread::spawn(move || lines.for_each(drop));
    let port = note.strip_suffix("/metrics").unwrap().rsplit(':').next().unwrap();
    (watch, port.parse().unwrap())
}

/// The response to a request for the metrics, with its head.
fn scrape(port: u16, host: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    write!(
        stream,
        "GET /metrics HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
    )
    .unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).unwrap();
    response
}

#[test]
fn a_scrape_reads_the_figures_of_the_last_response() {
    let recorder = market();
    let home = home(&recorder.url());
    let (_watch, port) = start(&home);
    let text = loop {
        let text = scrape(port, "localhost");
        if text.contains("bourse_requests_total 2\n") {
            break text;
        }
        std::thread::yield_now();
    };
    assert!(text.starts_with("HTTP/1.1 200 OK\r\n"), "{text}");
    let media = "content-type: application/openmetrics-text; version=1.0.0; charset=utf-8\r\n";
    assert!(text.contains(media), "{text}");
    // Two saved searches share a request; the alert has its own.
    for line in [
        "bourse_watched_searches 2",
        "bourse_watched_alerts 1",
        "bourse_lowest_price_dollars{search=\"mine\",per=\"gpu_hour\"} 0.5",
        "bourse_median_price_dollars{search=\"same\",per=\"gpu_hour\"} 0.5",
        "bourse_gpus_on_offer{search=\"mine\"} 1.0",
        "bourse_machines{search=\"mine\"} 1.0",
    ] {
        assert!(text.lines().any(|own| own == line), "no {line} in\n{text}");
    }
    // A page on the web that points its own name at this computer.
    let refused = scrape(port, "evil.example");
    assert!(refused.starts_with("HTTP/1.1 403"), "{refused}");
    assert!(!refused.contains("bourse_"), "{refused}");
    assert!(scrape(port, "[::1]:9184").starts_with("HTTP/1.1 200"));
}

#[test]
fn an_address_in_use_ends_the_watch_before_it_sends() {
    let recorder = market();
    let home = home(&recorder.url());
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let (status, _, err) = run(&mut watch(&home, &["--metrics", &address]));
    assert_eq!(status, 1, "{err}");
    assert!(err.contains(&format!("can't listen on {address}")), "{err}");
    assert!(err.contains("give --metrics another address"), "{err}");
    assert_eq!(recorder.requests().len(), 0);
    for flags in [&["--once"][..], &["--list"]] {
        let (status, _, err) = run(&mut watch(&home, &[flags, &["--metrics", "127.0.0.1:0"]].concat()));
        assert_eq!(status, 2, "{err}");
    }
}

#[test]
fn the_recipe_for_ntfy_sends_the_alert() {
    let topic = Recorder::start(|_, _| json_reply(200, "{}"));
    let recorder = market();
    let home = home(&recorder.url());
    let guide = include_str!("../../../docs/operate.md");
    let recipe = guide.lines().find(|line| line.starts_with("alert_command")).unwrap();
    let recipe = recipe.replace("https://ntfy.sh", &topic.url());
    let config = home.path().join("config/bourse/config.toml");
    let text = fs::read_to_string(&config).unwrap();
    let lines = text.lines().map(|line| {
        if line.starts_with("alert_command") {
            &recipe
        } else {
            line
        }
    });
    fs::write(&config, lines.collect::<Vec<_>>().join("\n")).unwrap();
    let (status, _, err) = run(&mut watch(&home, &["--once"]));
    assert_eq!(status, 0, "{err}");
    let sent = topic.requests();
    assert_eq!(sent.len(), 1, "{err}");
    assert_eq!(sent[0].path, "/your-topic");
    let body = String::from_utf8_lossy(&sent[0].body).into_owned();
    assert_eq!(body, "$0.900/h per GPU is the lowest price: machine 30, offer 3000");
    assert_eq!(sent[0].header("title"), Some("cheap"));
}
