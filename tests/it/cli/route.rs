//! `bourse route` on a real terminal and in a pipe: progress, summary, the last status reply, being
//! stopped.

use std::process::Command;

use crate::pty_support::Pty;
use crate::route_server::{Play, RouteServer, assignment};

fn routes(server: &RouteServer) -> usize {
    server.seen().len()
}

/// The command without a terminal; its status, standard output and standard error.
fn piped(server: &RouteServer, arguments: &[&str]) -> (Option<i32>, String, String) {
    let home = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_bourse"))
        .args(["route", "chat", "--base-url", &server.url()])
        .args(arguments)
        .env_clear()
        .env("HOME", home.path())
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn a_terminal_shows_how_far_a_series_is_and_then_what_it_came_to() {
    let server = RouteServer::start(|number, _| {
        std::thread::sleep(std::time::Duration::from_millis(20));
        Play::Answer(200, assignment("chat", "5", number % 2, number / 2))
    });
    let url = server.url();
    let flags = ["route", "chat", "--cost", "5", "-n", "40", "-c", "2", "--rate", "40"];
    let pty = Pty::bourse(&[&flags[..], &["--base-url", &url]].concat(), &[], 100, 24);
    pty.wait_for("a bar that is half way", |screen| {
        let text = screen.contents();
        text.contains("[####") && text.contains("----]") && text.contains("assigned, 0 waiting")
    });
    pty.wait_for_text("40 requests: 40 assigned, 0 waiting, 0 failed");
    let exit = pty.exit();
    exit.assert_clean(0);
    assert!(!exit.text.contains("[###"), "the bar is gone:\n{}", exit.text);
    assert!(exit.text.contains("load 200"), "{}", exit.text);
    for worker in ["http://w0.example:80", "http://w1.example:80"] {
        let line = exit.text.lines().find(|line| line.contains(worker)).unwrap();
        let words: Vec<_> = line.split_whitespace().collect();
        assert_eq!(words, [worker, "20", "50%", "0", "0"]);
    }
    assert_eq!(routes(&server), 40);
}

#[test]
fn a_series_without_an_assignment_fails_with_its_summary_and_the_last_status() {
    let server = RouteServer::start(|number, _| {
        let body = format!(r#"{{"endpoint":"chat","status":{{"loading":{number}}}}}"#);
        Play::Answer(200, body)
    });
    let (status, out, err) = piped(&server, &["-n", "4", "--rate", "100", "--cost", "0"]);
    assert_eq!((status, out.as_str()), (Some(1), ""));
    assert!(err.contains("4 requests: 0 assigned, 4 waiting, 0 failed"), "{err}");
    assert!(err.contains("no worker was assigned; the last status reply:"), "{err}");
    assert!(err.contains("\"loading\":3") || err.contains("\"loading\": 3"), "{err}");
    assert!(!err.contains('\r') && !err.contains("[#"), "no bar in a pipe: {err}");
}

#[test]
fn a_duration_sends_at_its_rate_until_it_is_over() {
    let server = RouteServer::start(|number, _| Play::Answer(200, assignment("chat", "0", 0, number)));
    let flags = ["--duration", "1s", "--rate", "20", "-c", "4", "--cost", "0"];
    let (status, out, err) = piped(&server, &flags);
    assert_eq!(status, Some(0), "{err}");
    assert!(out.contains("20 requests: 20 assigned"), "{out}");
    assert_eq!(routes(&server), 20);
    for (_, request) in server.seen() {
        assert_eq!(request.body, br#"{"endpoint":"chat","cost":0}"#);
    }
}

#[test]
fn a_duration_without_a_rate_sends_ten_a_second() {
    let server = RouteServer::start(|number, _| Play::Answer(200, assignment("chat", "0", 0, number)));
    let (status, out, err) = piped(&server, &["--duration", "1s", "--cost", "0"]);
    assert_eq!(status, Some(0), "{err}");
    assert!(out.contains("10 requests: 10 assigned"), "{out}");
    assert_eq!(routes(&server), 10);
}

/// A server that assigns a worker to every second call only.
fn every_second() -> RouteServer {
    RouteServer::start(|number, _| {
        let body = if number % 2 == 0 {
            r#"{"endpoint":"chat","status":"1 loading"}"#.to_owned()
        } else {
            assignment("chat", "0", 0, number)
        };
        Play::Answer(200, body)
    })
}

#[test]
fn polls_are_no_requests_and_the_two_times_are_told_apart() {
    let server = every_second();
    let (status, out, err) = piped(&server, &["-n", "2", "-c", "1", "--cost", "0"]);
    assert_eq!(status, Some(0), "{err}");
    assert!(
        out.contains("2 requests: 2 assigned, 0 waiting, 0 failed; 2 polls"),
        "{out}"
    );
    for label in ["router reply", "time to worker"] {
        let line = out.lines().find(|line| line.starts_with(label));
        let line = line.unwrap_or_else(|| panic!("{label}: {out}"));
        for figure in ["p50 ", "p99 ", "max "] {
            assert!(line.contains(figure), "{line}");
        }
    }
    assert_eq!(routes(&server), 4);

    let server = every_second();
    let flags = ["-n", "1", "-c", "1", "--cost", "0", "--format", "json"];
    let (_, out, _) = piped(&server, &flags);
    assert!(
        !out.contains("time_to_worker_seconds\": {"),
        "one request is not polled"
    );

    let server = every_second();
    let flags = ["-n", "2", "-c", "1", "--cost", "0", "--format", "json"];
    let (status, out, err) = piped(&server, &flags);
    assert_eq!(status, Some(0), "{err}");
    let whole: serde_json::Value = serde_json::from_str(&out).unwrap();
    let summary = whole.get("summary").unwrap_or(&whole);
    assert_eq!((&summary["requests"], &summary["polls"]), (&2.into(), &2.into()));
    let figure = |name: &str, which: &str| summary[name][which].as_f64().unwrap();
    // A poll waits half a second at least: that is the request's time, not the router's.
    assert!(figure("time_to_worker_seconds", "p50") >= 0.5);
    for which in ["p50", "p99", "max"] {
        let reply = figure("router_reply_seconds", which);
        assert!(figure("time_to_worker_seconds", which) >= reply + 0.4, "{which}");
    }
}

#[test]
fn a_series_without_workers_ends_with_its_patience() {
    let waiting = || {
        RouteServer::start(|_, _| {
            let body = r#"{"endpoint":"chat","status":"2 stopped"}"#;
            Play::Answer(200, body.to_owned())
        })
    };
    let server = waiting();
    let (status, out, err) = piped(&server, &["-n", "30", "--cost", "0", "--patience", "1400ms"]);
    assert_eq!((status, out.as_str()), (Some(1), ""));
    assert!(err.contains("ended early: no worker within 1.4s"), "{err}");
    assert!(err.contains("0 assigned"), "{err}");
    assert!(routes(&server) < 30, "the rest of the series is not sent");

    let server = waiting();
    let flags = ["-n", "3", "-c", "3", "--cost", "0", "--patience", "0"];
    let (status, _, err) = piped(&server, &flags);
    assert_eq!(status, Some(1));
    assert!(err.contains("3 requests: 0 assigned, 3 waiting, 0 failed\n"), "{err}");
    assert_eq!(routes(&server), 3);
}

#[test]
fn a_signal_stops_a_series_and_breaks_off_what_is_in_flight() {
    let server = RouteServer::start(|number, _| match number {
        0 => Play::Answer(200, assignment("chat", "0", 0, 0)),
        _ => Play::Hang,
    });
    let url = server.url();
    let flags = ["route", "chat", "--cost", "0", "-n", "50", "-c", "3"];
    let mut pty = Pty::bourse(&[&flags[..], &["--base-url", &url]].concat(), &[], 100, 24);
    pty.wait_for_text("1 request: 1 assigned");
    pty.keys("<C-c>");
    pty.wait_for_text("4 requests: 1 assigned, 0 waiting, 0 failed, 3 cancelled");
    pty.exit().assert_clean(0);
    let gone = (0..600).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(20));
        server.open() == 0
    });
    assert!(gone, "requests hang on");
    assert_eq!(routes(&server), 4);
}

#[test]
fn a_broken_requirement_is_named_and_ends_with_status_4() {
    let server = RouteServer::start(|number, _| match number % 4 {
        0 => Play::Answer(500, "{}".to_owned()),
        _ => Play::Answer(200, assignment("chat", "0", 0, number)),
    });
    let flags = ["-n", "4", "-c", "4", "--cost", "0", "--require"];
    let run = |list: &str| piped(&server, &[&flags[..], &[list]].concat());
    let (status, _, err) = run("errors<26%, p99<60s");
    assert_eq!(status, Some(0), "{err}");
    let (status, out, err) = run("p99<60s, errors<25%");
    assert_eq!(status, Some(4), "{err}");
    assert!(err.contains("errors < 25%: it is 25%"), "{err}");
    assert!(!err.contains("p99 <"), "{err}");
    assert!(out.contains("4 requests: 3 assigned"), "{out}");
    // Nothing is sent for what cannot be measured, or read.
    let before = routes(&server);
    for list in ["first_byte_p50<1s", "p95<2", "p95>2s"] {
        let (status, _, err) = run(list);
        assert_eq!(status, Some(2), "{err}");
        assert!(err.contains("--require: "), "{err}");
    }
    assert_eq!(routes(&server), before);
}

#[test]
fn a_warm_up_is_sent_and_not_measured() {
    let server = RouteServer::start(|number, _| Play::Answer(200, assignment("chat", "0", 0, number)));
    let (status, out, err) = piped(&server, &["-n", "3", "--warmup", "2", "--cost", "0"]);
    assert_eq!(status, Some(0), "{err}");
    assert!(out.contains("3 requests: 3 assigned"), "{out}");
    assert_eq!(routes(&server), 5);
}
