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
    (
        output.status.code(),
        text(&output.stdout),
        text(&output.stderr),
    )
}

#[test]
fn a_terminal_shows_how_far_a_series_is_and_then_what_it_came_to() {
    let server = RouteServer::start(|number, _| {
        std::thread::sleep(std::time::Duration::from_millis(20));
        Play::Answer(200, assignment("chat", "5", number % 2, number / 2))
    });
    let url = server.url();
    let flags = [
        "route", "chat", "--cost", "5", "-n", "40", "-c", "2", "--rate", "40",
    ];
    let pty = Pty::bourse(&[&flags[..], &["--base-url", &url]].concat(), &[], 100, 24);
    pty.wait_for("a bar that is half way", |screen| {
        let text = screen.contents();
        text.contains("[####") && text.contains("----]") && text.contains("assigned, 0 waiting")
    });
    pty.wait_for_text("40 requests: 40 assigned, 0 waiting, 0 failed");
    let exit = pty.exit();
    exit.assert_clean(0);
    assert!(
        !exit.text.contains("[###"),
        "the bar is gone:\n{}",
        exit.text
    );
    assert!(exit.text.contains("load injected 200"), "{}", exit.text);
    for worker in ["http://w0.example:80", "http://w1.example:80"] {
        let line = exit
            .text
            .lines()
            .find(|line| line.contains(worker))
            .unwrap();
        let words: Vec<_> = line.split_whitespace().collect();
        assert_eq!(words, [worker, "20", "50.0%", "0", "0"]);
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
    assert!(
        err.contains("4 requests: 0 assigned, 4 waiting, 0 failed"),
        "{err}"
    );
    assert!(
        err.contains("no worker was assigned; the last status reply:"),
        "{err}"
    );
    assert!(
        err.contains("\"loading\":3") || err.contains("\"loading\": 3"),
        "{err}"
    );
    assert!(
        !err.contains('\r') && !err.contains("[#"),
        "no bar in a pipe: {err}"
    );
}

#[test]
fn a_duration_sends_at_its_rate_until_it_is_over() {
    let server =
        RouteServer::start(|number, _| Play::Answer(200, assignment("chat", "0", 0, number)));
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
