//! Responses without end or measure: they are given up, and cost little memory.

use std::process::{Command, Stdio};

use crate::cases::cases;
use crate::recorder::{Recorder, answer};

/// The most that a response may cost besides what a small one does, in kB.
const ALLOWED: u64 = 64 * 1024;

/// The peak memory of a search whose response is `raw`, in kB, and what it said.
fn peak(raw: Vec<u8>) -> (u64, String) {
    peak_with(raw, &[])
}

fn peak_with(raw: Vec<u8>, arguments: &[&str]) -> (u64, String) {
    let recorder = Recorder::always(raw);
    let home = tempfile::tempdir().unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_bourse"))
        .args(["offers", "--format", "json", "--base-url", &recorder.url()])
        .args(arguments)
        .env_clear()
        .env("HOME", home.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut most = 0;
    while child.try_wait().unwrap().is_none() {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id()));
        // For a moment a new process still has the memory of this one, and its name.
        let status = status.unwrap_or_default();
        let line = Some(status).filter(|status| status.starts_with("Name:\tbourse"));
        let line = line.unwrap_or_default();
        let line = line.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let peak = line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok());
        most = most.max(peak.unwrap_or(0));
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    let output = child.wait_with_output().unwrap();
    (most, String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Zeros, compressed by the system's own tool.
fn bomb(megabytes: u32) -> Vec<u8> {
    let script = format!("head -c {megabytes}M /dev/zero | gzip -1");
    Command::new("sh").args(["-c", &script]).output().unwrap().stdout
}

/// A response with blanks in the middle, compressed by the system's own tool.
fn blank(before: &str, megabytes: u32, after: &str) -> Vec<u8> {
    let script = format!(
        "{{ printf '{before}'; head -c {megabytes}M /dev/zero | tr '\\0' ' '; printf '{after}'; }} \
         | gzip -1"
    );
    let gzip = Command::new("sh").args(["-c", &script]).output();
    answer(200, &[("Content-Encoding", "gzip")], &gzip.unwrap().stdout)
}

#[test]
fn a_response_that_unpacks_to_blanks_costs_little() {
    let small = peak(answer(200, &[], br#"{"offers":[{"id":1}]}"#)).0;
    let first = r#"{"offers":[{"id":1},"#;
    let responses = [
        // Read: the blanks are between the records, or behind them.
        (first, r#"{"id":2}]}"#, "2 offers without a limit"),
        (r#"{"offers":[{"id":1}]}"#, "", "without a limit"),
        (r#"{"offers":[{"id":1,"x":"#, "7}]}", "the response exceeds 16 MiB"),
        ("", "", "empty response"),
    ];
    let (megabytes, step) = cases((70, 2), (100, 1));
    for (before, after, said) in responses.into_iter().step_by(step) {
        let (most, words) = peak_with(blank(before, megabytes, after), &["--limit", "0"]);
        assert!(words.contains(said), "{words}");
        assert!(most < small + ALLOWED, "{said}: {most} kB, a small one {small} kB");
    }
}

fn endless(body: &[u8]) -> Vec<u8> {
    [b"HTTP/1.1 200 X\r\nConnection: close\r\n\r\n", body].concat()
}

#[test]
fn what_is_too_much_is_given_up_and_costs_little() {
    let small = peak(answer(200, &[], br#"{"offers":[{"id":1}]}"#)).0;
    let gzip = [("Content-Encoding", "gzip")];
    let deep = format!("{{\"offers\":[{{\"id\":1,\"x\":{}", "[".repeat(100_000));
    let closed = format!("{deep}{}}}]}}", "]".repeat(100_000));
    let head = format!("X-Long: {}\r\n", "x".repeat(1_000_000));
    let long_head = [b"HTTP/1.1 200 X\r\n", head.as_bytes(), b"\r\n{}"].concat();
    for (name, raw, said) in [
        (
            "a bomb",
            answer(200, &gzip, &bomb(cases(100, 256))),
            "the response exceeds",
        ),
        ("100 MB", endless(&vec![b' '; 100_000_000]), "the response exceeds"),
        ("a million records", endless(&million()), "more than 100,000 records"),
        ("a cut abyss", answer(200, &[], deep.as_bytes()), "cut off"),
        // Read, without a word: only one field of it is nested that deep.
        ("an abyss", answer(200, &[], closed.as_bytes()), ""),
        ("a head of 1 MB", long_head, "connection lost"),
    ] {
        let (most, words) = peak(raw);
        assert!(words.contains(said), "{name}: {words}");
        assert!(most < small + ALLOWED, "{name}: {most} kB, a small one {small} kB");
    }
    // Control: what is within the bounds and large is seen.
    let large = format!("{{\"offers\":[{{\"id\":1,\"x\":\"{}\"}}]}}", "y".repeat(8_000_000));
    assert!(peak(answer(200, &[], large.as_bytes())).0 > small + 8_000);
}

#[test]
fn without_a_limit_no_more_is_read_than_the_records_that_are_taken() {
    let small = peak(answer(200, &[], br#"{"offers":[{"id":1}]}"#)).0;
    let body = format!("{{\"offers\":[{}{{}}]}}", "{},".repeat(40_000_000));
    for raw in [endless(body.as_bytes()), answer(200, &[], body.as_bytes())] {
        let (most, words) = peak_with(raw, &["--limit", "0"]);
        assert!(words.contains("more than 100,000 records"), "{words}");
        assert!(most < small + ALLOWED, "{most} kB, a small one {small} kB");
    }
}

fn million() -> Vec<u8> {
    let records: String = (0..cases(300_000, 1_000_000))
        .map(|id| format!("{{\"id\":{id}}},"))
        .collect();
    format!("{{\"offers\":[{}]}}", records.trim_end_matches(',')).into_bytes()
}
