//! A program that dies while a write is under way: the journal holds the write, the next start tells
//! it, and the same is not sent again.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use rustix::process::Signal;
use serde_json::Value as Json;

use crate::cases::cases;
use crate::cli::commands::{Home, run};
use crate::pty_support::{is_noticed, send_signal};
use crate::recorder::{Recorded, Recorder, json};
use crate::route_server::{Play, RouteServer};
use crate::stories::groups::FOUR;
use crate::terminal::creating::{KEY, SEARCH, at_groups, fill_in, filled_in, is_creation};
use crate::test_app::THREE;

const CREATED: &str = r#"{"success":true,"id":77}"#;

/// Where a creation is when the program is killed.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
enum Point {
    Accepted,
    FirstByte,
    Head,
    Whole,
    Committed,
    StatusLine,
    HalfAnswer,
    Answered,
}

const POINTS: [Point; 8] = [
    Point::Accepted,
    Point::FirstByte,
    Point::Head,
    Point::Whole,
    Point::Committed,
    Point::StatusLine,
    Point::HalfAnswer,
    Point::Answered,
];

fn create(home: &Home, url: &str, more: &[&str]) -> Command {
    let arguments = ["groups", "create", "--endpoint", "chat"];
    let search = ["--search-params", SEARCH, "--yes", "--base-url", url];
    let mut command = home.bourse(&[&arguments[..], &search, more].concat());
    command.env("BOURSE_API_KEY", "canary-key-33cd");
    command
}

/// Serves one creation and stops at a point until the other side is dead; whether it was committed.
fn serve(listener: &TcpListener, point: Point, there: &Sender<()>, dead: &Receiver<()>) -> bool {
    let (mut stream, _) = listener.accept().unwrap();
    let die_at = |own: Point| {
        if own == point {
            there.send(()).unwrap();
            dead.recv().unwrap();
        }
        own == point
    };
    if die_at(Point::Accepted) {
        return false;
    }
    stream.read_exact(&mut [0]).unwrap();
    if die_at(Point::FirstByte) {
        return false;
    }
    let mut seen = Vec::new();
    while !seen.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        seen.push(byte[0]);
    }
    if die_at(Point::Head) {
        return false;
    }
    read_body(&mut stream, &seen);
    if die_at(Point::Whole) {
        return false;
    }
    if die_at(Point::Committed) {
        return true;
    }
    let answer = json(200, CREATED);
    let line = answer.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    stream.write_all(&answer[..line]).unwrap();
    if die_at(Point::StatusLine) {
        return true;
    }
    let half = answer.len() - 5;
    stream.write_all(&answer[line..half]).unwrap();
    if die_at(Point::HalfAnswer) {
        return true;
    }
    stream.write_all(&answer[half..]).unwrap();
    die_at(Point::Answered);
    true
}

fn read_body(stream: &mut TcpStream, head: &[u8]) {
    let head = String::from_utf8_lossy(head).to_ascii_lowercase();
    let (_, length) = head.split_once("content-length:").unwrap();
    let length = length.lines().next().unwrap().trim().parse().unwrap();
    stream.read_exact(&mut vec![0; length]).unwrap();
}

fn journal(home: &Home) -> String {
    let path = home.path().join(".local/state/bourse/writes.jsonl");
    fs::read_to_string(path).unwrap_or_default()
}

/// How a journal says that the one creation ended: `None` without its intent, else its verdict if it
/// has one.
fn outcome(journal: &str) -> Option<Option<String>> {
    let lines: Vec<Json> = journal
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    lines.iter().find(|line| line["intent"].is_object())?;
    let mut outcomes = lines.iter().filter_map(|line| {
        let verdict = line["outcome"]["verdict"].as_str();
        verdict.map(str::to_owned)
    });
    Some(outcomes.next())
}

/// Whether a creation that the market has carried out would be forgotten at the next start.
fn is_lost(committed: bool, journal: &str) -> bool {
    match outcome(journal) {
        None => committed,
        Some(verdict) => committed && verdict.is_some_and(|verdict| verdict == "refused"),
    }
}

/// Kills a creation at a point; whether it was committed.
fn kill_at(home: &Home, point: Point) -> bool {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (there, arrived) = channel();
    let (bury, dead) = channel();
    let server = std::thread::spawn(move || {
        let committed = serve(&listener, point, &there, &dead);
        (listener, committed)
    });
    let mut child: Child = create(home, &url, &[])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    arrived.recv().unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    bury.send(()).unwrap();
    let (listener, committed) = server.join().unwrap();
    assert!(!is_lost(committed, &journal(home)), "{point:?}");
    if outcome(&journal(home)) == Some(None) {
        // The next start, on the same market.
        listener.set_nonblocking(true).unwrap();
        let (status, out, err) = run(&mut create(home, &url, &[]));
        assert_eq!((status, out.as_str()), (1, ""), "{point:?}: {err}");
        assert!(err.contains("nothing was sent: the same was sent before"));
        assert!(listener.accept().is_err(), "{point:?}: it was sent again");
    }
    committed
}

fn kill_everywhere(times: usize) {
    for point in POINTS {
        for _ in 0..times {
            let home = Home::new();
            assert_eq!(kill_at(&home, point), point >= Point::Committed);
            // The check finds what it is there to find.
            if point >= Point::Committed {
                assert!(is_lost(true, ""));
                let wrong = journal(&home) + r#"{"outcome":{"verdict":"refused"}}"#;
                let is_answered = journal(&home).contains("outcome");
                assert!(is_answered || is_lost(true, &wrong));
            }
        }
    }
}

#[test]
fn a_killed_creation_is_never_forgotten() {
    kill_everywhere(cases(1, 25));
}

/// A market that lets creations hang.
fn hanging() -> RouteServer {
    RouteServer::start(|_, request| match request.path.as_str() {
        "/api/v0/workergroups/" if is_creation(request) => Play::Hang,
        "/api/v0/workergroups/" => Play::Answer(200, FOUR.to_owned()),
        _ => Play::Answer(200, THREE.to_owned()),
    })
}

fn creations(server: &RouteServer) -> usize {
    let seen = server.seen().into_iter();
    seen.filter(|(_, request)| is_creation(request)).count()
}

fn until(condition: impl Fn() -> bool) {
    while !condition() {
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn however_the_dashboard_dies_the_next_one_tells_it_and_creates_nothing_twice() {
    let signals = [Signal::KILL, Signal::TERM, Signal::HUP, Signal::INT];
    for death in signals.map(Some).into_iter().chain([None]).step_by(cases(4, 1)) {
        let state = tempfile::tempdir().unwrap();
        let server = hanging();
        let mut pty = at_groups(&server.url(), KEY, state.path());
        filled_in(&mut pty);
        pty.keys("create<Enter>");
        pty.wait_for("the request to arrive", |_| creations(&server) == 1);
        match death {
            Some(signal) => pty.signal(signal),
            None => pty.keys("<C-c><C-c>"),
        }
        pty.wait_for_end();
        drop(pty);
        let mut pty = at_groups(&server.url(), KEY, state.path());
        let screen = pty.screen_text();
        let notice = "Outcome unknown: the workergroup for endpoint chat";
        assert!(screen.contains(notice), "{death:?}: {screen}");
        fill_in(&mut pty);
        pty.wait_for_text("You decide");
        pty.keys("create<Enter>");
        pty.wait_for_text("Nothing is sent here.");
        assert_eq!(creations(&server), 1, "{death:?}");
        pty.keys("<C-c><C-c>");
        pty.exit().assert_clean(0);
    }
}

#[test]
fn the_first_frame_tells_it_before_any_answer() {
    let state = tempfile::tempdir().unwrap();
    let folder = state.path().join("bourse");
    fs::create_dir(&folder).unwrap();
    let server = RouteServer::start(|_, _| Play::Hang);
    let url = server.url();
    let line = format!(
        r#"{{"intent":{{"key":"a","at":1,"profile":"custom","address":"{url}","deed":"create_workergroup","subject":"endpoint chat"}}}}"#
    );
    fs::write(folder.join("writes.jsonl"), line + "\n").unwrap();
    let variables = [
        ("BOURSE_API_KEY", KEY),
        ("XDG_STATE_HOME", state.path().to_str().unwrap()),
    ];
    let mut pty = crate::pty_support::Pty::bourse(&["--base-url", &url], &variables, 120, 34);
    let first = pty.wait_for_text("Loading offers");
    assert!(first.contains("Outcome unknown: the workergroup for endpoint chat, sent 1970-01-01"));
    pty.keys("q");
    pty.exit().assert_clean(0);
}

#[test]
fn however_a_command_dies_the_next_one_tells_it_and_creates_nothing_twice() {
    let signals = [Signal::KILL, Signal::TERM, Signal::HUP, Signal::INT];
    for signal in signals.into_iter().filter(|signal| is_noticed(*signal)) {
        let home = Home::new();
        let server = hanging();
        let mut child = create(&home, &server.url(), &[])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        until(|| creations(&server) == 1);
        send_signal(child.id(), signal);
        child.wait().unwrap();
        let (status, _, err) = run(&mut create(&home, &server.url(), &[]));
        assert_eq!(status, 1, "{signal:?}: {err}");
        assert!(err.contains("note: the outcome of the request of "), "{err}");
        assert!(err.contains("nothing was sent: the same was sent before"));
        assert_eq!(creations(&server), 1, "{signal:?}");
        // Another write is told of it and goes on.
        let unlist = ["unlist", "7", "--yes", "--base-url", &server.url()];
        let (_, _, err) = run(home.bourse(&unlist).env("BOURSE_API_KEY", KEY));
        let notice = "note: Outcome unknown: the workergroup for endpoint chat, sent ";
        assert!(err.contains(notice), "{err}");
    }
}

/// A market that loses the reply to the first creation and answers the others.
fn losing() -> Recorder {
    Recorder::start(|number, _| match number {
        0 => Vec::new(),
        _ => json(200, CREATED),
    })
}

#[test]
fn an_unknown_creation_is_settled_on_the_command_line() {
    for (settled, requests) in [("created", 1), ("not-created", 2)] {
        let (home, market) = (Home::new(), losing());
        let (status, _, err) = run(&mut create(&home, &market.url(), &[]));
        assert_eq!(status, 3, "{err}");
        let (status, _, err) = run(&mut create(&home, &market.url(), &[]));
        assert_eq!(status, 1, "{err}");
        assert!(err.contains("--earlier not-created"), "{err}");
        let settle = ["--earlier", settled];
        let (status, _, err) = run(&mut create(&home, &market.url(), &settle));
        assert_eq!(status, 0, "{err}");
        assert_eq!(market.requests().len(), requests);
        // What is settled stands in nobody's way.
        let (status, _, err) = run(&mut create(&home, &market.url(), &[]));
        assert_eq!(status, 0, "{err}");
        assert!(!err.contains("unknown"), "{err}");
    }
    let (home, market) = (Home::new(), losing());
    let (status, _, err) = run(&mut create(&home, &market.url(), &["--earlier", "created"]));
    assert_eq!(status, 1);
    assert!(err.contains("there is no such creation with an unknown outcome"));
    assert!(market.requests().is_empty());
}

#[test]
fn another_market_s_unknown_creation_blocks_nothing() {
    let (home, market, other) = (Home::new(), losing(), losing());
    let (status, _, _) = run(&mut create(&home, &market.url(), &[]));
    assert_eq!(status, 3);
    // One request of its own, whose reply is lost as well.
    let (status, _, err) = run(&mut create(&home, &other.url(), &[]));
    assert_eq!(status, 3, "{err}");
    assert!(!err.contains("note: "), "{err}");
    let sent: Vec<Recorded> = other.requests();
    assert_eq!(sent.len(), 1);
}
