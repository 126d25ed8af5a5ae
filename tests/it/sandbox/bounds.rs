//! What the sandbox takes from callers at most, in bytes, connections and time.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use bourse::sandbox::SandboxConfig;
use bourse::sandbox::ledger::{Credential, Entry};

use crate::support::{Server, frozen};

const BUNDLES: &str = "/api/v0/bundles/";
const MIB: usize = 1 << 20;

/// Bytes of the bodies and headers that are remembered.
fn weight(entries: &[Entry]) -> usize {
    let headers = |entry: &Entry| -> usize {
        let pairs = entry.headers.iter();
        pairs.map(|(name, value)| name.len() + value.len()).sum()
    };
    entries
        .iter()
        .map(|entry| entry.body.len() + headers(entry))
        .sum()
}

#[test]
fn the_ledger_takes_16_mib_at_most() {
    let server = Server::frozen();
    let body = format!("{{\"limit\":1,\"note\":\"{}\"}}", "x".repeat(MIB - 100));
    for _ in 0..3 {
        server.call("POST", BUNDLES, &body);
    }
    let entries = server.running.ledger().entries();
    assert!(entries.iter().all(|entry| entry.body.len() == 64 * 1024));
    // Of bodies that are kept in full, as many as fit are kept.
    let body = "x".repeat(64 * 1024);
    for _ in 0..300 {
        server.call("POST", BUNDLES, &body);
    }
    let entries = server.running.ledger().entries();
    assert!((200..256).contains(&entries.len()), "{}", entries.len());
    assert!(weight(&entries) <= 16 * MIB);
}

#[test]
fn nothing_of_a_body_is_kept_from_callers_without_the_key() {
    let server = Server::frozen();
    let body = format!("{{\"note\":\"{}\"}}", "x".repeat(50_000));
    let page = [
        ("Origin", "http://elsewhere.invalid"),
        ("Content-Type", "text/plain"),
    ];
    for path in [BUNDLES, "/route/", "/no/such/path"] {
        let answer = server.send("POST", path, &page, &body);
        assert!(
            matches!(answer.status, 401 | 404),
            "{path} {}",
            answer.status
        );
    }
    let entries = server.running.ledger().entries();
    assert_eq!(entries.len(), 3);
    for entry in entries {
        assert_eq!((entry.credential, entry.body.len()), (Credential::None, 0));
    }
    let large = "x".repeat(65 * 1024);
    assert_eq!(server.send("POST", BUNDLES, &page, &large).status, 413);
    assert_eq!(server.running.ledger().entries().len(), 3);
}

#[test]
fn a_long_header_is_remembered_in_part() {
    let server = Server::frozen();
    let long = "x".repeat(20_000);
    server.send("GET", "/pubkey/", &[("X-Long", &long)], "");
    let entries = server.running.ledger().entries();
    assert!(weight(&entries) < 2_000, "{}", weight(&entries));
}

/// What the sandbox sends to a caller that sends `bytes` and then nothing, until it hangs up.
fn answer_to(server: &Server, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(server.addr()).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(60)))
        .unwrap();
    // The sandbox may hang up in the midst of it.
    let _ = stream.write_all(bytes);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

#[test]
fn a_head_must_arrive_in_time_and_fit() {
    let server = Server::start(SandboxConfig {
        body_patience: Duration::from_millis(50),
        ..frozen()
    });
    let part = format!(
        "POST {BUNDLES} HTTP/1.1\r\nHost: {}\r\nX-Rest: ",
        server.addr()
    );
    assert_eq!(answer_to(&server, part.as_bytes()), "");
    let large = format!("{part}{}\r\n\r\n", "x".repeat(300_000));
    assert!(!answer_to(&server, large.as_bytes()).contains("200 OK"));
    assert!(server.running.ledger().entries().is_empty());
}

#[test]
fn more_connections_than_are_served_wait_their_turn() {
    let server = Server::start(SandboxConfig {
        connections: 2,
        ..frozen()
    });
    let open = || {
        let mut stream = TcpStream::connect(server.addr()).unwrap();
        let head = format!("GET /pubkey/ HTTP/1.1\r\nHost: {}\r\n\r\n", server.addr());
        stream.write_all(head.as_bytes()).unwrap();
        stream
    };
    let is_answered = |stream: &mut TcpStream, patience| {
        stream.set_read_timeout(Some(patience)).unwrap();
        match stream.read(&mut [0; 4096]) {
            Ok(count) => count > 0,
            Err(error) => {
                assert!(matches!(
                    error.kind(),
                    ErrorKind::WouldBlock | ErrorKind::TimedOut
                ));
                false
            }
        }
    };
    let long = Duration::from_secs(60);
    let [mut first, mut second] = [open(), open()];
    assert!(is_answered(&mut first, long) && is_answered(&mut second, long));
    let mut third = open();
    assert!(!is_answered(&mut third, Duration::from_millis(100)));
    drop(first);
    assert!(is_answered(&mut third, long));
}
