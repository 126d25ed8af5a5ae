//! Unlisting with the real program in a pseudo-terminal: what goes over the wire, the pause that
//! the sandbox wants, and servers and programs that are killed in the middle.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use bourse::sandbox::SandboxConfig;

use crate::cases::cases;
use crate::pty_support::Pty;
use crate::recorder::{Recorder, json};
use crate::stories::unlist::TWO;
use crate::support::{Server, frozen};

const KEY: &str = "canary-key-4711-unlist";

/// Types an id twice; the second Enter is left to the caller.
fn typed_twice(pty: &mut Pty, id: &str) {
    pty.keys("u");
    pty.wait_for_text("Unlist a volume");
    pty.keys(&format!("{id}<Enter>"));
    pty.wait_for_text("Type the id again");
    pty.keys(id);
}

/// The program in the Volumes pane of a market, its state kept in `state`.
fn at_volumes(url: &str, key: &str, state: &Path) -> Pty {
    let variables = [("BOURSE_API_KEY", key), ("XDG_STATE_HOME", state.to_str().unwrap())];
    let mut pty = Pty::bourse(&["--base-url", url], &variables, 110, 34);
    pty.wait_for("the offers' answer", |screen| screen.contents().contains("updated "));
    pty.keys("2");
    // Rows of the record cannot be unlisted.
    pty.wait_for("the volumes' answer", |screen| {
        let text = screen.contents();
        text.contains("$/GB/mo") && text.contains("updated ")
    });
    pty
}

/// The journal's text.
fn journal(state: &Path) -> String {
    std::fs::read_to_string(state.join("bourse/writes.jsonl")).unwrap()
}

/// A market that answers searches, and an unlisting with `answer`.
fn market(answer: impl Fn() -> Vec<u8> + Send + 'static) -> Recorder {
    Recorder::start(move |_, request| {
        if request.path.ends_with("/unlist/") {
            answer()
        } else {
            json(200, TWO)
        }
    })
}

/// The requests that unlist.
fn unlists(recorder: &Recorder) -> Vec<crate::recorder::Recorded> {
    let requests = recorder.requests().into_iter();
    requests.filter(|request| request.path.ends_with("/unlist/")).collect()
}

#[test]
fn the_documented_request_goes_out_once_and_the_message_is_shown() {
    let state = tempfile::tempdir().unwrap();
    let recorder = market(|| json(200, r#"{"success":true,"msg":"Unlisted Volume 7311."}"#));
    let mut pty = at_volumes(&recorder.url(), KEY, state.path());
    // Everything in one burst, as from a slow line: typed text of any speed is taken.
    pty.keys("u7311<Enter>7311<Enter>");
    pty.wait_for_text("Volume listing 7311 unlisted.");
    pty.keys("<Enter><Enter><Esc>q");
    pty.exit().assert_clean(0);
    let unlists = unlists(&recorder);
    assert_eq!(unlists.len(), 1);
    let request = &unlists[0];
    assert_eq!(request.method, "POST");
    assert_eq!(request.path, "/api/v0/volumes/unlist/");
    assert_eq!(request.body, br#"{"id":7311}"#);
    assert_eq!(request.header("content-type"), Some("application/json"));
    let bearer = format!("Bearer {KEY}");
    assert_eq!(request.header("authorization"), Some(bearer.as_str()));
    let journal = journal(state.path());
    let lines: Vec<serde_json::Value> = journal
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0]["intent"]["subject"], "7311");
    assert_eq!(lines[1]["outcome"]["verdict"], "done");
    assert_eq!(lines[1]["outcome"]["words"], "Unlisted Volume 7311.");
    assert!(!journal.contains(KEY));
}

#[test]
fn a_bracketed_paste_sends_nothing() {
    let state = tempfile::tempdir().unwrap();
    let recorder = market(|| json(200, r#"{"success":true,"msg":"Unlisted."}"#));
    let mut pty = at_volumes(&recorder.url(), KEY, state.path());
    pty.keys("u");
    pty.wait_for_text("Unlist a volume");
    pty.paste("7311\r7311\r");
    pty.wait_for_text("Can't paste here: type it.");
    pty.keys("7311<Enter>");
    pty.wait_for_text("Type the id again");
    pty.paste("7311\r");
    pty.wait_for_text("Can't paste here: type it.");
    pty.keys("<Enter>");
    pty.wait_for_text("Nothing is sent before you type the id again.");
    pty.keys("<C-c><C-c>");
    pty.exit().assert_clean(0);
    assert!(unlists(&recorder).is_empty());
    assert_eq!(journal(state.path()), "");
}

#[test]
fn refusals_are_told_in_words() {
    for (status, body, words) in [
        (
            401,
            r#"{"success":false,"error":"auth_error","msg":"Invalid user key"}"#,
            "Invalid user key",
        ),
        (
            200,
            r#"{"success":false,"error":"active","msg":"Volume is rented"}"#,
            "Volume is rented",
        ),
        (400, r#"{"success":false}"#, "not unlisted"),
        (
            429,
            r#"{"detail":"API requests too frequent endpoint threshold=5.0"}"#,
            "API requests too frequent endpoint threshold=5.0",
        ),
    ] {
        let state = tempfile::tempdir().unwrap();
        let recorder = market(move || json(status, body));
        let mut pty = at_volumes(&recorder.url(), KEY, state.path());
        typed_twice(&mut pty, "7311");
        pty.keys("<Enter>");
        pty.wait_for_text("Volume listing 7311 not unlisted:");
        pty.wait_for("the words", |screen| {
            let text = screen.contents().replace(['│', '┃'], " ");
            let flat: Vec<_> = text.split_whitespace().collect();
            flat.join(" ").contains(words)
        });
        pty.keys("<C-c>");
        pty.exit().assert_clean(0);
        assert_eq!(unlists(&recorder).len(), 1, "{status}: sent once");
        assert!(journal(state.path()).contains(r#""verdict":"refused""#));
    }
}

#[test]
fn a_broken_connection_is_an_unknown_outcome_now_and_after_a_restart() {
    let state = tempfile::tempdir().unwrap();
    let recorder = market(Vec::new);
    let mut pty = at_volumes(&recorder.url(), KEY, state.path());
    typed_twice(&mut pty, "7311");
    pty.keys("<Enter>");
    pty.wait_for_text("Outcome unknown: volume listing 7311 may or may not be unlisted:");
    pty.keys("<Enter><Esc>q");
    pty.exit().assert_clean(0);
    assert_eq!(unlists(&recorder).len(), 1, "never sent again by itself");
    let mut pty = at_volumes(&recorder.url(), KEY, state.path());
    pty.keys("u");
    pty.wait_for_text("UNKNOWN");
    pty.keys("<C-c><C-c>");
    pty.exit().assert_clean(0);
}

#[test]
#[ignore = "long: the pause is five seconds"]
fn the_sandbox_s_pause_is_lived_through_without_a_refusal() {
    let state = tempfile::tempdir().unwrap();
    let server = Server::start(SandboxConfig {
        rate_limits: true,
        ..frozen()
    });
    let wanted = serde_json::json!({"q": {"limit": 500}});
    let offers = server.post("/api/v0/network_volumes/search/", &wanted).offers();
    let ids: Vec<String> = offers.iter().map(|offer| offer["id"].to_string()).collect();
    let url = format!("http://{}", server.addr());
    let mut pty = at_volumes(&url, server.running.key(), state.path());
    // Rented volumes cannot be unlisted: both answers are words of the market, neither is a 429.
    typed_twice(&mut pty, &ids[0]);
    pty.keys("<Enter>");
    pty.wait_for_text("Rate limit: next unlist in");
    typed_twice(&mut pty, &ids[1]);
    pty.keys("<Enter>");
    pty.wait_for_text("can be sent in");
    pty.keys("<Enter><Enter>");
    pty.wait_for_text("Ready: press Enter to send.");
    let sent = || {
        let entries = server.running.ledger().entries().into_iter();
        entries.filter(|entry| entry.path.ends_with("/unlist/")).count()
    };
    assert_eq!(sent(), 1);
    pty.keys("<Enter>");
    pty.wait_for("the second outcome", |screen| {
        let text = screen.contents();
        text.contains(&format!("Volume listing {}", ids[1])) && text.contains("next unlist in")
    });
    assert_eq!(sent(), 2);
    assert!(!journal(state.path()).contains("too frequent"));
    pty.keys("<C-c>");
    pty.exit().assert_clean(0);
}

/// A sandbox in a process of its own that never answers an unlisting.
struct Silent {
    child: Child,
    url: String,
    _home: tempfile::TempDir,
}

impl Silent {
    fn start() -> Self {
        let home = tempfile::tempdir().unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_bourse"))
            .args(["sandbox", "--listen", "127.0.0.1:0", "--offers", "50"])
            .args(["--api-key", KEY, "--faults", "hang@unlist", "--latency", "0"])
            .env_clear()
            .env("HOME", home.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let first = BufReader::new(child.stdout.take().unwrap()).lines().next();
        let first = first.unwrap().unwrap();
        let url = first.strip_prefix("bourse sandbox on ").unwrap().to_owned();
        Self {
            child,
            url,
            _home: home,
        }
    }
}

impl Drop for Silent {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_server_killed_in_the_middle_leaves_a_truthful_message() {
    let state = tempfile::tempdir().unwrap();
    let mut server = Silent::start();
    let mut pty = at_volumes(&server.url, KEY, state.path());
    typed_twice(&mut pty, "7311");
    pty.keys("<Enter>");
    // Two seconds in, the request has reached the server, on a busy machine too.
    pty.wait_for_text("Unlisting volume listing 7311 … 2 s");
    server.child.kill().unwrap();
    pty.wait_for_text("Outcome unknown: volume listing 7311 may or may not be unlisted:");
    pty.wait_for_text("It is not sent again.");
    pty.keys("<Esc>q");
    pty.exit().assert_clean(0);
    assert!(journal(state.path()).contains(r#""verdict":"unknown""#));
}

#[test]
fn bourse_killed_in_the_middle_knows_at_its_next_start() {
    let state = tempfile::tempdir().unwrap();
    let server = Silent::start();
    let mut pty = at_volumes(&server.url, KEY, state.path());
    typed_twice(&mut pty, "7311");
    pty.keys("<Enter>");
    pty.wait_for_text("Unlisting volume listing 7311");
    let intents = || journal(state.path()).lines().count();
    pty.wait_for("an open intent", |_| intents() > 0);
    pty.signal(rustix::process::Signal::KILL);
    drop(pty);
    assert_eq!(intents(), 1, "an open intent");
    let mut pty = at_volumes(&server.url, KEY, state.path());
    pty.keys("u");
    pty.wait_for_text("no response seen");
    pty.keys("<C-c><C-c>");
    pty.exit().assert_clean(0);
}

#[test]
fn without_a_journal_nothing_is_sent_until_it_can_be_written() {
    let state = tempfile::tempdir().unwrap();
    let recorder = market(|| json(200, r#"{"success":true,"msg":"Unlisted Volume 7311."}"#));
    let mut pty = at_volumes(&recorder.url(), KEY, state.path());
    let file = state.path().join("bourse/writes.jsonl");
    std::fs::remove_file(&file).unwrap();
    std::fs::create_dir(&file).unwrap();
    typed_twice(&mut pty, "7311");
    pty.keys("<Enter>");
    pty.wait_for_text("nothing was sent: can't save the write history");
    // Where its lines break depends on the length of the path.
    pty.wait_for("what to do", |screen| {
        let text = screen.contents();
        let dialog = text.lines().filter_map(|line| line.split('│').nth(1));
        let words: Vec<&str> = dialog.flat_map(str::split_whitespace).collect();
        words.join(" ").contains("to fix it, move it away")
    });
    pty.keys("<C-c>");
    pty.exit().assert_clean(0);
    assert!(unlists(&recorder).is_empty());
    // A program that starts so says from the beginning that it sends nothing, and why.
    let mut pty = at_volumes(&recorder.url(), KEY, state.path());
    pty.keys("u");
    pty.wait_for_text("Nothing can be created or unlisted");
    // An attempt counts for the rate limit.
    let mut again = "7311<Enter>7311<Enter>";
    if cases(false, true) {
        pty.keys(again);
        pty.wait_for_text("nothing was sent: can't save the write history");
        assert!(unlists(&recorder).is_empty());
        again = "<Enter>u7311<Enter>7311<Enter>";
    }
    // Once that is done it sends, without a restart.
    std::fs::remove_dir(&file).unwrap();
    pty.keys(again);
    let is_unlisted = |text: &str| text.contains("Volume listing 7311 unlisted.");
    let shown = pty.wait_for("its turn", |screen| {
        let text = screen.contents();
        text.contains("Ready: press") || is_unlisted(&text)
    });
    if !is_unlisted(&shown) {
        pty.keys("<Enter>");
        pty.wait_for_text("Volume listing 7311 unlisted.");
    }
    pty.keys("<C-c>");
    pty.exit().assert_clean(0);
    assert_eq!(unlists(&recorder).len(), 1);
}

#[test]
fn read_only_refuses() {
    let recorder = market(|| json(200, r#"{"success":true,"msg":"Unlisted."}"#));
    let url = recorder.url();
    let mut pty = Pty::bourse(&["--base-url", &url, "--read-only"], &[], 110, 30);
    pty.wait_for_text("READ-ONLY");
    pty.keys("2");
    pty.wait_for_text("$/GB/mo");
    pty.keys("u");
    pty.wait_for_text("this profile is read-only");
    pty.keys("q");
    pty.exit().assert_clean(0);
    assert!(unlists(&recorder).is_empty());
}
