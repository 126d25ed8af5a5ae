//! `bourse writes check`: damaged lines and unknown outcomes stop writes until they are shown and settled.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};

use super::commands::{Home, run};
use crate::pty_support::Pty;
use crate::recorder::{Recorder, json as reply};

const KEY: &str = "canary-key-51ab";
const CREATE: [&str; 7] = ["groups", "create", "--endpoint", "chat", "--template-id", "7", "--yes"];
const CHECK: [&str; 2] = ["writes", "check"];
const GROUPS: &str = r#"{"success": true, "results": [
    {"id": 71, "endpoint_name": "chat", "template_id": 7, "created_at": "2026-11-20T11:58:01Z"},
    {"id": 72, "endpoint_name": "sdxl", "template_id": 9}]}"#;

fn bourse(home: &Home, url: &str, arguments: &[&str]) -> (i32, String, String) {
    let mut command = home.bourse(arguments);
    run(command.args(["--base-url", url]).env("BOURSE_API_KEY", KEY))
}

fn file(home: &Home) -> PathBuf {
    home.path().join(".local/state/bourse/writes.jsonl")
}

/// A market that lists two workergroups; what else it does with writes is `answer`.
fn market(answer: impl Fn() -> Vec<u8> + Send + 'static) -> Recorder {
    Recorder::start(move |_, request| {
        if request.method == "GET" {
            reply(200, GROUPS)
        } else {
            answer()
        }
    })
}

fn writes(recorder: &Recorder) -> usize {
    let requests = recorder.requests();
    requests.iter().filter(|request| request.method != "GET").count()
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn a_damaged_line_stops_every_write_until_it_is_settled() {
    for (damaged, shown) in [
        (
            r#"{"intent":{"key":"1","at":17"#.to_owned(),
            r#"{"intent":{"key":"1","at":17"#,
        ),
        (format!("\u{feff}{}", outcome("1", "done")), "<U+FEFF>{"),
        ("x".repeat(1_500_000), "xxxx"),
        ("\u{1b}]52;c;x\u{7}".to_owned(), "<U+001B>]52;c;x<U+0007>"),
    ] {
        let recorder = market(|| reply(200, r#"{"success":true,"id":77,"msg":"Unlisted Volume 7311."}"#));
        let (home, url) = (Home::new(), recorder.url());
        // An unsettled write is not forgotten behind megabytes of settled ones either.
        let later = format!("{}\n{}\n", intent("2", "https://other"), outcome("2", "done")).repeat(4000);
        home.file(
            ".local/state/bourse/writes.jsonl",
            &format!("{damaged}\n{later}"),
            0o600,
        );
        for arguments in [&CREATE[..], &["unlist", "7311", "--yes"]] {
            let (status, out, err) = bourse(&home, &url, arguments);
            assert_eq!((status, out.as_str()), (1, ""), "{err}");
            assert!(err.contains("nothing was sent: 1 line of "), "{err}");
            assert!(err.contains("bourse writes check"), "{err}");
        }
        let (status, out, err) = bourse(&home, &url, &CHECK);
        assert_eq!(status, 1, "{err}");
        assert!(out.contains("line 1: can't be read") && out.contains(shown), "{out}");
        assert!(!out.contains('\u{1b}') && !out.contains('\u{feff}'), "{out}");
        assert!(
            out.contains("the market lists now: 72 sdxl; 71 chat, created 2026-11-20 11:58 UTC"),
            "{out}"
        );
        assert!(err.contains("1 entry is to be settled"), "{err}");
        // Without a terminal nobody agrees by chance.
        let settle = [&CHECK[..], &["--settle", "1"]].concat();
        let (status, _, err) = bourse(&home, &url, &settle);
        assert_eq!(status, 2, "{err}");
        assert!(err.contains("nothing was settled: no terminal"), "{err}");

        let (status, out, err) = bourse(&home, &url, &[&settle[..], &["--yes"]].concat());
        assert_eq!(status, 0, "{err}");
        assert!(out.contains("moved 1 line to "), "{out}");
        let aside = file(&home).with_extension("jsonl.damaged");
        assert_eq!(fs::read_to_string(&aside).unwrap(), format!("{damaged}\n"));
        assert_eq!(mode(&aside), 0o600);
        assert!(fs::read_to_string(file(&home)).unwrap().ends_with(&later));

        let (status, out, err) = bourse(&home, &url, &CHECK);
        assert_eq!((status, out.as_str()), (0, "nothing to settle\n"), "{err}");
        assert_eq!(writes(&recorder), 0);
        assert_eq!(bourse(&home, &url, &CREATE).0, 0);
        assert_eq!(writes(&recorder), 1);
    }
}

fn intent(key: &str, address: &str) -> String {
    json!({"intent": {"key": key, "at": 1_795_176_000.0, "profile": "lab", "address": address,
        "deed": "create_workergroup", "subject": "endpoint chat",
        "group": {"endpoint_name": "chat", "template_id": 7}}})
    .to_string()
}

fn outcome(key: &str, verdict: &str) -> String {
    json!({"outcome": {"key": key, "at": 1_795_176_001.0, "verdict": verdict, "words": ""}}).to_string()
}

#[test]
fn an_unknown_creation_is_found_by_any_name_of_its_market() {
    let recorder = market(|| reply(200, r#"{"success":true,"id":77}"#));
    let port = recorder.url().rsplit_once(':').unwrap().1.to_owned();
    let names = ["localhost", "127.0.0.1", "LOCALHOST", "[::1]"].map(|host| format!("http://{host}:{port}"));
    for sent in &names {
        for asked in ["http://127.0.0.1", "http://localhost", "HTTP://LocalHost"] {
            let home = Home::new();
            let journal = format!("{}\n", intent("1", sent));
            home.file(".local/state/bourse/writes.jsonl", &journal, 0o600);
            let (status, _, err) = bourse(&home, &format!("{asked}:{port}/"), &CREATE);
            assert_eq!(status, 1, "{sent} {asked}: {err}");
            assert!(err.contains("the same was sent before"), "{err}");
        }
    }
    assert_eq!(writes(&recorder), 0);
    // Another market of the same name elsewhere is none of them.
    let home = Home::new();
    let journal = format!("{}\n", intent("1", "https://market.example"));
    home.file(".local/state/bourse/writes.jsonl", &journal, 0o600);
    let (status, out, err) = bourse(&home, &recorder.url(), &CHECK);
    assert_eq!((status, out.as_str()), (0, "nothing to settle\n"), "{err}");
    assert!(err.contains("not of this market: Outcome unknown"), "{err}");
    assert!(err.contains("profile lab at https://market.example"), "{err}");
    assert_eq!(bourse(&home, &recorder.url(), &CREATE).0, 0);
}

#[test]
fn an_unknown_creation_is_shown_beside_the_market_and_settled() {
    for (as_what, verdict, sent_again) in [("done", "done", true), ("not-done", "refused", true)] {
        let recorder = market(Vec::new);
        let (home, url) = (Home::new(), recorder.url());
        assert_eq!(bourse(&home, &url, &CREATE).0, 3);
        let (status, out, err) = bourse(&home, &url, &CHECK);
        assert_eq!(status, 1, "{err}");
        assert!(
            out.contains("line 1: Outcome unknown: the workergroup for endpoint chat"),
            "{out}"
        );
        assert!(out.contains(r#"{"endpoint_name":"chat","template_id":7}"#), "{out}");
        assert!(out.contains("like it: 71 chat, created 2026-11-20 11:58 UTC"), "{out}");
        assert!(!out.contains("sdxl"), "{out}");
        assert!(
            out.contains(&format!("bourse writes check --base-url {url} --settle 1 --as done")),
            "{out}"
        );

        let (_, out, _) = bourse(&home, &url, &[&CHECK[..], &["--format", "json"]].concat());
        let whole: Json = serde_json::from_str(&out).unwrap();
        assert_eq!((&whole["v"], &whole["kind"]), (&json!(1), &json!("writes")));
        assert_eq!(whole["entries"][0]["line"], json!(1));
        assert_eq!(whole["entries"][0]["listed"], json!([71]));

        let settle = |flags: &[&str]| bourse(&home, &url, &[&CHECK[..], &["--yes"], flags].concat());
        for flags in [&["--settle", "1"][..], &["--settle", "x"], &["--as", "done"]] {
            let (status, _, err) = settle(flags);
            assert_eq!(status, 2, "{flags:?}: {err}");
        }
        let (status, _, err) = settle(&["--settle", "2", "--as", "done"]);
        assert_eq!(status, 1, "{err}");
        assert!(err.contains("line 2 needs no decision"), "{err}");
        let (status, out, err) = settle(&["--settle", "1", "--as", as_what]);
        assert_eq!(status, 0, "{err}");
        assert!(out.contains("line 1: marked as "), "{out}");
        let last = fs::read_to_string(file(&home)).unwrap();
        let last: Json = serde_json::from_str(last.lines().last().unwrap()).unwrap();
        assert_eq!(last["outcome"]["verdict"], json!(verdict));
        assert_eq!(bourse(&home, &url, &CHECK).0, 0);
        assert_eq!(writes(&recorder), 1);
        assert_eq!(bourse(&home, &url, &CREATE).0 == 3, sent_again);
        assert_eq!(writes(&recorder), 2);
    }
}

#[test]
fn on_a_terminal_settling_is_confirmed_by_a_word() {
    let recorder = market(|| reply(200, r#"{"success":true,"id":77}"#));
    let url = recorder.url();
    let state = tempfile::tempdir().unwrap();
    let file = state.path().join("bourse/writes.jsonl");
    fs::create_dir(file.parent().unwrap()).unwrap();
    fs::write(&file, format!("{}\n", intent("1", &url))).unwrap();
    let variables = [
        ("BOURSE_API_KEY", KEY),
        ("XDG_STATE_HOME", state.path().to_str().unwrap()),
    ];
    let arguments = [
        "writes",
        "check",
        "--settle",
        "1",
        "--as",
        "not-done",
        "--base-url",
        &url,
    ];
    for (typed, said, status, lines) in [
        ("<Enter>", "cancelled: nothing was settled", 1, 1),
        ("settle<Enter>", "line 1: marked as not created", 0, 2),
    ] {
        let mut pty = Pty::bourse(&arguments, &variables, 120, 24);
        pty.wait_for_text("Type settle to settle it, or press Enter to cancel:");
        pty.keys(typed);
        pty.wait_for_text(said);
        pty.exit().assert_clean(status);
        assert_eq!(fs::read_to_string(&file).unwrap().lines().count(), lines);
    }
}

#[test]
fn an_outcome_that_is_not_recorded_is_said_and_unknown_later() {
    let home = Home::new();
    let journal = file(&home);
    let recorder = market(move || {
        // From here on nothing can be appended.
        fs::rename(&journal, journal.with_extension("moved")).unwrap();
        fs::create_dir(&journal).unwrap();
        reply(200, r#"{"success":true,"id":77}"#)
    });
    let url = recorder.url();
    let (status, out, err) = bourse(&home, &url, &CREATE);
    assert_eq!(
        (status, out.as_str()),
        (0, "Workergroup 77 created for endpoint chat\n"),
        "{err}"
    );
    assert!(
        err.contains("note: The outcome of the creation for endpoint chat is not recorded"),
        "{err}"
    );
    assert!(err.contains("it is a directory"), "{err}");

    fs::remove_dir(file(&home)).unwrap();
    fs::rename(file(&home).with_extension("moved"), file(&home)).unwrap();
    assert_eq!(bourse(&home, &url, &CHECK).0, 1);
    let (status, _, err) = bourse(&home, &url, &CREATE);
    assert_eq!(status, 1, "{err}");
    assert_eq!(writes(&recorder), 1);
}

#[test]
fn the_dashboard_shows_damage_and_moves_it_aside() {
    let recorder = market(|| reply(200, r#"{"success":true,"id":77}"#));
    let url = recorder.url();
    let state = tempfile::tempdir().unwrap();
    let file = state.path().join("bourse/writes.jsonl");
    fs::create_dir(file.parent().unwrap()).unwrap();
    fs::write(&file, "{\"intent\":{\"key\":\"17\n").unwrap();
    let variables = [
        ("BOURSE_API_KEY", KEY),
        ("XDG_STATE_HOME", state.path().to_str().unwrap()),
    ];
    let mut pty = Pty::bourse(&["--base-url", &url], &variables, 120, 34);
    pty.wait_for_text("1 line of the write history can't be read");
    pty.keys("<Esc>3");
    pty.wait_for_text("sdxl");
    pty.keys("n");
    pty.wait_for_text("the write history is damaged");
    pty.keys(":resolve<Enter>");
    pty.wait_for_text("Move the damaged lines?");
    pty.wait_for_text("line 1: {\"intent\":{\"key\":\"17");
    // Enter alone cancels.
    pty.keys("<Enter>");
    pty.keys(":resolve<Enter>");
    pty.wait_for_text("Move the damaged lines?");
    assert!(fs::read_to_string(&file).unwrap().contains("intent"));
    pty.keys("y");
    pty.wait_for_text("Moved 1 line to ");
    assert_eq!(fs::read_to_string(&file).unwrap().trim(), "");
    pty.keys("n");
    pty.wait_for_text("Endpoint");
    pty.keys("<C-c><C-c>");
    pty.exit().assert_clean(0);
}
